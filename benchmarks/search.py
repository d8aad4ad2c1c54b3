"""How strong the search players are: ``python benchmarks/search.py [random|time|gin|fusion] [--games N] [--only WORD]``.

``random``: pimc and ismcts against random play, in every game of cardai's that draws hidden cards and in ten of OpenSpiel's;
``time``: each with four times the simulations (``--simulations``) or the time (``--seconds``) against itself with one, in some games in which a decision
is soon made, or in those that ``--game`` names; ``gin``: against simple; ``fusion``: the exact exploitability of both in a small game,
which says what strategy fusion costs. Every line has its number of games and a 95 % interval; games are duplicate deals, in
every seat. In games that are not zero-sum, what the other player wins among its like is taken off.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from typing import TypeVar

import numpy as np

import cardai
from cardai.arena.statistics import Estimate, mean
from cardai.core import registry
from cardai.core.errors import CardaiError, UsageError
from cardai.core.rng import derive
from cardai.learn.exploiter import mean_of_all
from cardai.solve.measures import measure

T = TypeVar("T")
THEIRS = (
    "kuhn_poker(players=3)", "leduc_poker(players=3)", "liars_dice", "dark_hex(board_size=3)", "first_sealed_auction", "phantom_ttt",
    "euchre", "oh_hell", "hearts", "spades",
)  # fmt: skip
TIMED = (
    "leduc", "leduc:players=3", "liars_dice", "liars_dice:players=3", "kuhn:players=3", 'openspiel:name="first_sealed_auction"',
    'openspiel:name="dark_hex(board_size=3)"',
    'openspiel:name="turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=5,points_order=descending))"',
)  # fmt: skip
"""Games in which a decision is soon made, so that some hundred games decide."""
SMALL = 60
"""Simulations against random: in OpenSpiel's games a tenth of it a world."""
FEW = 8
"""Simulations of the weaker player where it meets one with four times as many."""


def accepted(word: str) -> Iterator[tuple[str, str]]:
    """Yield (game, options of a search) for cardai's games that take a search and ten of OpenSpiel's, if ``word`` is in them."""
    for entry in registry.entries("game"):
        if entry.distribution != "cardai" or entry.name == "openspiel" or word not in entry.name:
            continue
        try:
            cardai.agent("ismcts").for_game(cardai.game(entry.name))
        except CardaiError:
            continue
        yield (
            entry.name,
            f"simulations={SMALL}" + (",rollout=simple" if entry.name == "gin" else ""),
        )  # random seldom knocks
    for name in THEIRS:
        if word in f"openspiel:{name}":
            yield f'openspiel:name="{name}"', f"simulations={SMALL // 2},worlds={SMALL // 10}"


def some(found: list[T], word: str) -> list[T]:
    """Return what was found. Raises UsageError where that is nothing."""
    if not found:
        raise UsageError(f"No game that is measured here has {word!r} in its name.")
    return found


def duel(game: str, agent: str, against: str, games: int, seed: int) -> None:
    """Print what ``agent`` wins a hand against ``against`` in all other seats, or why they cannot be played."""
    made = cardai.game(game)
    seats = made.num_players
    games, start = -(-games // seats) * seats, time.process_time()
    try:
        result = cardai.play(game, [agent, *[against] * (seats - 1)], games=games, seed=seed)
    except CardaiError as error:
        print(f"{game:42} {agent:32} {error}", flush=True)
        return
    gain = result.mean_return(0)
    if not made.zero_sum:  # what all win or lose together is no gain over the other player
        own = mean_of_all(cardai.play(game, [against] * seats, games=games, seed=seed + 1))
        gain = Estimate(gain.mean - own.mean, math.hypot(gain.half_width, own.half_width), gain.count)
    print(
        f"{game:42} {agent:32} against {against:26} {gain.mean:+9.3f} +-{gain.half_width:.3f} {made.unit} a hand, "
        f"{games} games, {time.process_time() - start:.0f} CPU-s",
        flush=True,
    )


def longer(game: str, agent: str, few: str, rounds: int, seed: int) -> Estimate:
    """Print what ``agent`` wins a hand from itself with a quarter of ``few``, "simulations=8" or "seconds=0.1"; return it.

    A search always finds the same at a view, so every round, in which the stronger sits once in each seat, has searches of
    its own chance, and a deal of its own: the interval is over rounds.
    """
    made, start, gains = cardai.game(game), time.process_time(), np.zeros(rounds)
    unit, count = few.split("=")
    for k in range(rounds):
        budgets = (f"{unit}={float(count) * times:g},seed={derive(seed, 'search', k) >> 40}" for times in (4, 1))
        four, one = (f"{agent}:{budget}" for budget in budgets)
        others, deal = [one] * (made.num_players - 1), derive(seed, "deal", k) >> 1
        gains[k] = cardai.play(game, [four, *others], games=made.num_players, seed=deal).mean_return(0).mean
        if not made.zero_sum:  # what all win or lose together is no gain over the other player
            own = cardai.play(game, [one, *others], games=made.num_players, seed=deal)
            gains[k] -= own.hands["returns"].mean()
    gain = mean(gains)
    print(
        f"{game:40} {agent}, {4 * float(count):g} {unit} against {count}: {gain.mean:+.3f} +-{gain.half_width:.3f} {made.unit} a hand, "
        f"{rounds * made.num_players:,} games, {time.process_time() - start:.0f} CPU-s",
        flush=True,
    )
    return gain


def timed(options: argparse.Namespace, agent: str) -> None:
    """Print what four times the simulations win game after game, and in how many they do."""
    games = options.game or some([game for game in TIMED if options.only in game], options.only)
    few = f"seconds={options.seconds}" if options.seconds else f"simulations={options.simulations}"
    gains = [
        longer(game, agent, few, -(-options.games // cardai.game(game).num_players), options.seed) for game in games
    ]
    print(
        f"{agent} with four times the {few.split('=')[0]} wins in {sum(gain.low > 0 for gain in gains)} of {len(gains)} games "
        f"(interval above 0), loses in {sum(gain.high < 0 for gain in gains)}",
        flush=True,
    )


def main() -> None:
    """Read what is asked for, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["random", "time", "gin", "fusion"])
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="games whose name holds this word")
    parser.add_argument("--agents", default="pimc,ismcts")
    parser.add_argument("--game", action="append", default=[], help="time: this game instead; again for another")
    parser.add_argument("--simulations", type=int, default=FEW, help="time: of the weaker player")
    parser.add_argument("--seconds", type=float, default=0.0, help="time: of the weaker player, instead of simulations")
    options = parser.parse_args()
    if min(options.games, options.simulations) < 1 or options.seconds < 0:
        parser.error("--games and --simulations must be at least 1, --seconds at least 0.")
    try:
        measured(options)
    except CardaiError as error:
        raise SystemExit(f"search.py: {error}") from None


def measured(options: argparse.Namespace) -> None:
    """Print what was asked for, of each agent."""
    for agent in options.agents.split(","):
        if options.what == "random":
            for game, how in some(list(accepted(options.only)), options.only):
                duel(game, f"{agent}:{how}", "random", options.games, options.seed)
        elif options.what == "time":
            timed(options, agent)
        elif options.what == "gin":
            duel("gin", f"{agent}:rollout=simple", "simple", options.games, options.seed)
        else:
            for game in ("kuhn", "leduc:suits=false"):
                found = measure(cardai.game(game), cardai.agent(agent)).exploitability
                print(f"{game:42} {agent:32} exploitability {found:.4f}, exactly", flush=True)


if __name__ == "__main__":
    main()
