"""Measures how strong players are at the games that people meet, for the lists of ``cardai play``.

    pip install -c constraints.txt ./players       the players in the box stand on the ladders too
    python benchmarks/strength.py                  play all and write cardai/ui/strength.json
    python benchmarks/strength.py --game gin       that of one game, the others stay
    python benchmarks/strength.py --show           the ladders and crosstables of what is played, nothing more is
    python benchmarks/strength.py --apart          neighbours on the ladders as they are that figures do not tell apart, and
                                                   how many games with each would, were the difference what it is now

A ladder is a round robin by ``cardai tournament``'s own function: pairs of games on the same deals, seed 0, as many as GAMES
says; a player that thinks for long meets the quick ones alone, in as many games as SLOW says. What is finished lies in --out
(runs/strength), where the script goes on, and where ``cardai tournament --game GAME --agent ... --games N --out
runs/strength/GAME --resume`` does too; pairings with players in the box lie in folders there, named by the players' files: of one
that was replaced nothing is taken up.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve

from cardai import make
from cardai.arena.tournament import Standings, play_pairings, saved
from cardai.core.files import digest_of, write_json
from cardai.ui.box import installed
from cardai.ui.players import fitting
from cardai.ui.strength import (
    LADDERS,
    QUICK,
    SHIPPED,
    Strength,
    as_plain,
    ladders,
    levels,
    measure,
    place,
    told_apart,
)

GAMES = {
    "gin": 1000,
    "holdem_limit": 10_000,
    "holdem": 10_000,
    "leduc": 10_000,
    "kuhn": 4000,
    "triple_draw": 4000,
    "liars_dice": 4000,
}
"""Games a pairing."""
SOLO = ("video_poker",)
SOLO_GAMES = 100_000
SLOW = {
    ("gin", "ismcts"): 0,
    ("gin", "pimc"): 0,
    ("holdem_limit", "ismcts"): 0,
    ("holdem_limit", "pimc"): 0,
    ("holdem_limit", "resolving"): 0,
    ("holdem_limit", "limit_network"): 2000,
    ("holdem_limit", "limit_resolving"): 0,
    ("holdem", "ismcts"): 0,
    ("holdem", "pimc"): 0,
    ("holdem", "resolving"): 0,
    ("holdem", "nolimit_resolving"): 0,
    ("holdem", "nolimit_resolving:level=weak"): 0,
    ("holdem", "nolimit_resolving:level=fair"): 0,
    ("holdem", "nolimit_resolving:level=strong"): 0,
    ("leduc", "ismcts"): 60,
    ("leduc", "pimc"): 60,
    ("leduc", "resolving"): 20,
    ("leduc", "leduc_nfsp"): 300,
    ("kuhn", "ismcts"): 300,
    ("kuhn", "pimc"): 300,
    ("triple_draw", "ismcts"): 0,
    ("triple_draw", "pimc"): 0,
    ("triple_draw", "triple_draw_cnn"): 0,
    ("liars_dice", "ismcts"): 0,
    ("liars_dice", "pimc"): 0,
}
"""Games a pairing of players that think: fewer; 0: they stand on no ladder."""
LEVELS = {"nolimit_resolving": [f"nolimit_resolving:level={level}" for level in ("weak", "fair", "strong")]}
"""Players that can be had weaker: each stands on the ladder for itself."""
NEWCOMERS = {
    ("holdem", "nolimit_resolving:level=weak"): 10,
    ("holdem", "nolimit_resolving:level=fair"): 10,
    ("holdem", "nolimit_resolving:level=strong"): 10,
}
"""Games that those who think for too long to stand on a ladder play with each of its field, in a folder each."""
MEASURED = {"nolimit_resolving": "seconds=0,threads=1"}
"""Options with which a player is measured, so that the figures are the same on every machine: it may think to the end."""


def main() -> None:
    """Play, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", help="only this game (repeatable)")
    parser.add_argument("--out", type=Path, default=Path("runs/strength"), help="where pairings are kept")
    parser.add_argument(
        "--apart", action="store_true", help="print which neighbours are not told apart, and play nothing"
    )
    parser.add_argument("--show", action="store_true", help="print what is played, and write nothing")
    given = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    held = ladders()
    if given.apart:
        for game in given.game or held:
            if game not in held:
                parser.error(f"no figures of {game!r}; known: {', '.join(held)}")
            _print_close(game, held[game])
        return
    for game in given.game or [*GAMES, *SOLO]:
        if game in SOLO:
            held[game] = {
                player: evolve(measure(game, player, SOLO_GAMES), files=installed(player)) for player in _field(game)
            }
        else:
            standings = ladder(game, given.out / game, given.show)
            held[game] = _strengths(game, standings)
            held[game] |= {name: newcomer(game, name, held[game], given) for of, name in NEWCOMERS if of == game}
            if given.show:
                print(standings)
        _print(game, held[game])
        if not given.show:
            write_json(SHIPPED, as_plain({name: held[name] for name in sorted(held) if name in (*GAMES, *SOLO)}))


def ladder(game: str, out: Path, only_read: bool) -> Standings:
    """Play every pairing of who plays ``game`` and return the standings; what lies in ``out`` is not played again."""
    field = _field(game)
    pairings = {}
    for (i, first), (j, second) in itertools.combinations(enumerate(field), 2):
        if max(_games(game, first), _games(game, second)) < QUICK:
            continue  # two that think for long
        games = min(_games(game, first), _games(game, second))
        begun, pair = time.process_time(), [_measured(first), _measured(second)]
        here = _folder(out, pair)
        met = saved(here, pair) if only_read else play_pairings(game, pair, games=games, out=here, resume=True)
        if met is None:
            raise SystemExit(f"{first} - {second} is not played in {here}: leave out --show, or give its --out.")
        played = 2 * len(met.pairings[0, 1])
        if played < games:
            raise SystemExit(
                f"{first} - {second}: {played:,} of {games:,} games are played in {here}: leave out --show."
            )
        pairings[i, j] = met.pairings[0, 1]
        taken = time.process_time() - begun
        if taken > 0.5:
            print(f"  {first} - {second}: {games} games, {taken:.1f} CPU s", flush=True)
    return Standings(make.game(game), tuple(field), pairings, GAMES[game])


def newcomer(game: str, player: str, ladder: dict[str, Strength], given: argparse.Namespace) -> Strength:
    """Return the place on a ladder of a player who meets its field alone."""
    field, games = [name for name, one in ladder.items() if one.games >= QUICK], NEWCOMERS[game, player]
    players = [_measured(player), *field]
    out = _folder(given.out / game / _measured(player), players)
    if not given.show:
        standings = play_pairings(game, players, games=games, out=out, resume=True, form="gauntlet")
        return evolve(place(standings, 0, field, games), files=installed(player))
    held = saved(out, players, "gauntlet")
    if held is None or min(2 * len(pairing) for pairing in held.pairings.values()) < games:
        raise SystemExit(f"{player} has not played {games} games with each in {out}: leave out --show.")
    return evolve(place(held, 0, field, games), files=installed(player))


def _field(game: str) -> list[str]:
    """Return who plays a game, and the levels of who has some."""
    field = [
        player.spec for player in fitting(make.game(game), game) if "/" not in player.spec and ":" not in player.spec
    ]
    field += [level for player in field for level in LEVELS.get(player, [])]
    return sorted(player for player in field if game in SOLO or _games(game, player))


def _games(game: str, player: str) -> int:
    return min(GAMES[game], SLOW.get((game, player), GAMES[game]))


def _measured(player: str) -> str:
    """Return a player's spec with the options that it is measured with."""
    options = MEASURED.get(player.partition(":")[0])
    return player if options is None else f"{player}{',' if ':' in player else ':'}{options}"


def _strengths(game: str, standings: Standings) -> dict[str, Strength]:
    names = standings.agents
    field = [name for name in names if _games(game, name) >= QUICK]
    return {
        name: evolve(place(standings, k, field, _games(game, name)), files=installed(name))
        for k, name in enumerate(names)
    }


def _folder(out: Path, players: Sequence[str]) -> Path:
    """Return where games of players are kept: those of a player in the box by what it consists of."""
    made = [files for player in players if (files := installed(player))]
    return out / digest_of(made)[:8] if made else out


def _print_close(game: str, strengths: dict[str, Strength]) -> None:
    """Print the neighbours on a ladder whose figures may differ by chance, and which levels of a player lists offer."""
    print(game)
    ranked = sorted(strengths, key=lambda name: -strengths[name].mean)
    of = {name.partition(":")[0] for name in ranked if ":" in name}
    for agent in of:  # of a player's levels any two, and each with its neighbours
        print(f"  {agent} is offered at {', '.join(levels(strengths)) or 'no level beside its own'}")
    among = [(a, b) for a, b in itertools.combinations(ranked, 2) if {a.partition(":")[0], b.partition(":")[0]} <= of]
    for a, b in dict.fromkeys([*itertools.pairwise(ranked), *among]):
        one, other = strengths[a], strengths[b]
        if not told_apart(one, other):
            apart, chance = one.mean - other.mean, math.hypot(one.half_width, other.half_width)
            # an interval narrows with the square root of its games: both are to be as narrow as their difference asks
            needed = [
                figure.games * 2 * (figure.half_width / apart) ** 2 if apart else math.inf for figure in (one, other)
            ]
            games = " and ".join(
                "never" if math.isinf(n) else f"{max(n, f.games):,.0f}"
                for n, f in zip(needed, (one, other), strict=True)
            )
            print(f"  {a} - {b}: {apart:.2f} ± {chance:.2f}; {games} games")


def _print(game: str, strengths: dict[str, Strength]) -> None:
    others = ", ".join(name for name, of in LADDERS.items() if of == game)
    print(f"{game} (and {others})" if others else game)
    for name, strength in sorted(strengths.items(), key=lambda item: -item[1].mean):
        words, games = strength.text(), f"{strength.games:,} games{' with each' if strength.on_ladder else ''}"
        games = "" if games in words else f"; {games}"
        behind = f", behind {strength.behind} of them" if strength.behind else ""
        print(f"  {name:<32}{strength.level:<10}{words}{games}{behind}", flush=True)


if __name__ == "__main__":
    main()
