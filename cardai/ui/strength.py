"""How strong a player is at a game: how often it would be ahead of the others that play it, by ``cardai tournament``'s pairings.

It is measured against everybody on the game's ladder, and however much it wins from a weak one counts once, so that who is
made rich by one victim is no master. The built-in ladders are in ``strength.json``, written by ``python
benchmarks/strength.py``; what a person has measured on this machine is kept beside the matches. At games without a ladder
(more than two seats, a game of one's own) a player meets one reference player, by ``cardai run``'s measure; who plays alone
is measured by what a hand brings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from attrs import asdict, frozen

from cardai import __version__, make
from cardai.arena import match
from cardai.arena.asking import bound
from cardai.arena.pairing import Pairing
from cardai.arena.tournament import Standings, play_pairings
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import read_json, refuse_link, write_json
from cardai.core.game import Game
from cardai.core.schema import structure
from cardai.ui.box import in_the_box
from cardai.ui.kept import anew, folder

REFERENCES = ("simple", "draw_heuristic", "holdem_heuristic", "random")
"""Players to measure against where there is no ladder: the first that plays the game."""
SHIPPED = Path(__file__).with_name("strength.json")
GAMES = 1000
Z = NormalDist().inv_cdf(0.975)
HANDS = 100
"""Hands of a match that is won or lost, in games of returns: what somebody plays in an evening."""
FIELD = "the field"
"""Whom a player on a ladder is measured against: all quick players that stand there, half a match a match against itself."""
STEPS = tuple(NormalDist().inv_cdf((k + 0.5) / 400) for k in range(400))
"""Places of a normal quantity that stand for as much of it each."""
QUICK = 400
"""Games a pairing of those who are the field: who played fewer thinks for long, and newcomers do not meet it."""
LADDERS = {"holdem_nolimit": "holdem", "acpc_nolimit_2p": "holdem", "acpc_limit_2p": "holdem_limit"}
"""Games whose players stand on another game's ladder: the same game, or the same with 100 big blinds."""
LEVELS = {"master": (65, 0), "strong": (68, 2), "fair": (42, 99), "casual": (25, 99), "beginner": (0, 99)}
"""What players are called: who is ahead in so many matches of a hundred at least, and behind so many others at most."""

KNOWN = 8.0
"""The half-width, in matches of a hundred, above which a figure is shown and no word said."""


@frozen
class Strength:
    """A measured figure: what the mean is of, its half-width, against whom, and in how many games (on a ladder: with each)."""

    mean: float
    half_width: float
    unit: str
    against: str
    games: int
    version: str = __version__
    behind: int = 0
    """On a ladder: how many of the field are ahead of it in more matches than chance explains."""
    files: str = ""
    """Of a player in the box: what it consisted of (:func:`cardai.ui.box.content`). A name alone may be another player by now."""

    @property
    def on_ladder(self) -> bool:
        """Whether it is a place on a ladder, which others' can be compared with."""
        return self.against == FIELD

    @property
    def rank(self) -> int:
        """The place in :data:`LEVELS` that the figure speaks for, 0 the first; behind all of them off a ladder."""
        fit = (k for k, (least, most) in enumerate(LEVELS.values()) if self.mean >= least and self.behind <= most)
        return next(fit, len(LEVELS)) if self.on_ladder else len(LEVELS)

    @property
    def level(self) -> str:
        """What such a player is called; "" for who stands on no ladder, or is hardly known (:data:`KNOWN`).

        Nobody beats a master, and two at most the strong.
        """
        return [*LEVELS, ""][self.rank] if self.half_width <= KNOWN else ""

    def text(self) -> str:
        """Return "ahead in 83.1 ± 1.2 % of matches", or "58.2 ± 2.7 % won against simple".

        Who is hardly known (:data:`KNOWN`) is "not told apart yet: 64.8 ± 20.6 % after 30 games with each".
        """
        figure = (
            f"{self.mean:{'+.2f' if self.unit != '%' else '.1f'}} ± {self.half_width:.{1 if self.unit == '%' else 2}f}"
        )
        if self.on_ladder and self.half_width > KNOWN:
            return f"not told apart yet: {figure} % after {self.games:,} games with each"
        if self.on_ladder:
            return f"ahead in {figure} % of matches"
        if self.unit == "%":
            return f"{figure} % won against {self.against}"
        return f"{figure} {self.unit} a hand" + (f" against {self.against}" if self.against else "")


def told_apart(one: Strength, other: Strength) -> bool:
    """Whether two figures of one kind differ by more than chance explains, one time in twenty."""
    return abs(one.mean - other.mean) > math.hypot(one.half_width, other.half_width)


def levels(strengths: Mapping[str, Strength]) -> list[str]:
    """Return the players with options ("agent:level=weak") that figures tell from the same player at its other levels.

    The stronger of two that are not told apart stands for both; of a player of whose levels only one is left there is none.
    """
    kept: dict[str, list[str]] = {}
    found = [name for name in strengths if name.partition(":")[1]]
    for name in sorted(found, key=lambda name: -strengths[name].mean):
        agent = name.partition(":")[0]
        others = [strengths[other] for other in (agent, *kept.get(agent, ())) if other in strengths]
        if all(told_apart(strengths[name], other) for other in others):
            kept.setdefault(agent, []).append(name)
    of = [name.partition(":")[0] for name in found]
    return [name for agent, names in kept.items() if len(names) > 1 or of.count(agent) == 1 for name in names]


def reference(game: Game) -> str:
    """Return the player that others are measured against at ``game`` without a ladder, "" where it is played alone."""
    if game.num_players == 1:
        return ""
    for name in REFERENCES:
        try:
            bound(make.agent(name), game)
        except CardaiError:
            continue
        return name
    return REFERENCES[-1]


def measure(game: str, player: str, games: int = GAMES, seed: int = 0) -> Strength:
    """Play ``player`` on duplicate deals against the field of the game's ladder, else against the reference player.

    ``games`` are divided among those it meets.

    Raises:
        UsageError: it does not play the game. AgentError: it erred.
    """
    ladder = shipped().get(LADDERS.get(game, game), {})
    quick = {name: one for name, one in ladder.items() if one.on_ladder and one.games >= QUICK}
    others = [name for name in quick if name != player and _is_here(name)]
    if not others:
        return _against_reference(game, player, games, seed)
    made = make.game(LADDERS.get(game, game))
    each = max(4, games // len(others) // 2 * 2)
    standings = play_pairings(made, [player, *others], games=each, seed=seed, form="gauntlet")
    return place(standings, 0, others, each)


def place(standings: Standings, player: int, field: Sequence[str], games: int) -> Strength:
    """Return the place of a player of a tournament on the ladder whose field is ``field``, after ``games`` with each."""
    wins = standings.game.measure == "wins"
    shares, errors, behind = [0.5], [0.0], 0  # against itself; one that is not of the field, as if it were
    for k, name in enumerate(standings.agents):
        if k == player or name not in field:
            continue
        share, error = ahead(standings.pairings[min(player, k), max(player, k)], wins)
        share = share if player < k else 1 - share
        shares.append(share)
        errors.append(error)
        behind += share + Z * error < 0.5
    width = Z * math.sqrt(sum(error**2 for error in errors)) / len(shares)
    return Strength(
        round(100 * sum(shares) / len(shares), 2), round(100 * width, 2), "%", FIELD, games, behind=int(behind)
    )


def ahead(pairing: Pairing, wins: bool) -> tuple[float, float]:
    """Return in what share of matches the first player is ahead, and its standard error: of games, or of :data:`HANDS` hands.

    In games of returns a match's sum is taken as normal: it goes the first player's way in a share Phi(z), z the mean of a
    match by its standard deviation. Of z an error e is known, so that mean and spread of Phi(z) over normal z are returned:
    what is hardly known stays near one half, and with a wide interval.
    """
    count = len(pairing)
    if wins:
        rate = pairing.win_rate()
        return rate.mean, rate.half_width / Z
    (returns,) = np.concatenate(list(pairing.column("returns")), axis=1)
    deviation = float(returns.std(ddof=1))
    if not deviation:
        return (math.copysign(0.5, returns.mean()) if returns.mean() else 0.0) + 0.5, 0.0
    one = float(returns.mean()) / deviation
    groups = HANDS * count / pairing.hands
    z, e = math.sqrt(groups) * one, math.sqrt(groups * (1 + one**2 / 2) / count)
    shares = [NormalDist().cdf(z + e * step) for step in STEPS]
    return float(np.mean(shares)), float(np.std(shares))


def _against_reference(game: str, player: str, games: int, seed: int) -> Strength:
    """Return what a player wins from the reference player of a game, or alone."""
    made = make.game(game)
    against = reference(made)
    games = -(-games // made.num_players) * made.num_players
    result = match.play(made, [player, *[against] * (made.num_players - 1)], games=games, seed=seed)
    if made.measure == "wins" and made.num_players > 1:
        figure, unit = result.win_rate(0).scaled(100), "%"
    else:
        figure, unit = result.mean_return(0), made.unit
    return Strength(round(figure.mean, 4), round(figure.half_width, 4), unit, against, games)


def _is_here(player: str) -> bool:
    try:
        make.agent(player)
    except (CardaiError, ImportError):
        return False
    return True


def ladders() -> dict[str, dict[str, Strength]]:
    """Return the ladders as they were played, by game and player: players that were replaced in the box since stand there too."""
    return _read(SHIPPED)


def shipped() -> dict[str, dict[str, Strength]]:
    """Return the ladders of the built-in players, by game and player; what was measured of an earlier player in the box is none's."""
    made = {player.name: player.files for player in in_the_box()}
    return {
        game: {name: one for name, one in players.items() if one.files == made.get(name.partition(":")[0], "")}
        for game, players in ladders().items()
    }


def known_strengths(game: str) -> dict[str, Strength]:
    """Return what was measured at ``game``, by player: the built-in players' and what was measured here."""
    return {**shipped().get(LADDERS.get(game, game), {}), **_read(_own_file()).get(game, {})}


def keep(game: str, player: str, strength: Strength) -> None:
    """Keep a figure for the next time. Raises WriteError, UsageError, and DamagedFileError where a link is in the file's place."""
    file = _own_file()
    refuse_link(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    with anew(file):
        held = _read(file)
        held.setdefault(game, {})[player] = strength
        write_json(file, as_plain(held))


def as_plain(strengths: Mapping[str, Mapping[str, Strength]]) -> dict[str, Any]:
    """Return strengths by game and player as plain values."""
    return {game: {player: asdict(s) for player, s in players.items()} for game, players in strengths.items()}


def _own_file() -> Path:
    return folder() / "strength.json"


def _read(file: Path) -> dict[str, dict[str, Strength]]:
    """Return a file's strengths; a file that is damaged or not there holds none."""
    try:
        return structure(read_json(file), dict[str, dict[str, Strength]], f"The file {file}")
    except DamagedFileError:
        return {}
