"""How strong the search players are: ``python benchmarks/search.py [random|time|gin|fusion] [--games N] [--only WORD]``.

``random``: pimc and ismcts against random play, in every game of cardai's that draws hidden cards and in ten of OpenSpiel's;
``time``: each with four times the simulations against itself with one time; ``gin``: against simple; ``fusion``: the exact
exploitability of both in a small game, which says what strategy fusion costs. Every line has its number of games and a 95 %
interval; games are duplicate deals, in every seat. In games that are not zero-sum, what the other player wins among its like is
taken off.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator

import cardai
from cardai.arena.statistics import Estimate
from cardai.core import registry
from cardai.core.errors import CardaiError
from cardai.learn.exploiter import mean_of_all
from cardai.solve.measures import measure

THEIRS = (
    "kuhn_poker(players=3)", "leduc_poker(players=3)", "liars_dice", "dark_hex(board_size=3)", "first_sealed_auction", "phantom_ttt",
    "euchre", "oh_hell", "hearts", "spades",
)  # fmt: skip
TIMED = ("leduc", "liars_dice:dice=2,faces=5", "holdem_fcpa", "triple_draw", "gin")
SEARCHERS = ("pimc", "ismcts")
SMALL = 60
"""Simulations of the weaker player and against random: in OpenSpiel's games a tenth of it a world."""


def accepted(word: str) -> Iterator[tuple[str, str]]:
    """Yield (game, options of a search) for cardai's games that take a search and ten of OpenSpiel's, if ``word`` is in them."""
    for entry in registry.entries("game"):
        if entry.distribution != "cardai" or entry.name == "openspiel" or word not in entry.name:
            continue
        try:
            cardai.agent("ismcts").for_game(cardai.game(entry.name))
        except CardaiError:
            continue
        yield entry.name, f"simulations={SMALL}"
    for name in THEIRS:
        if word in f"openspiel:{name}":
            yield f'openspiel:name="{name}"', f"simulations={SMALL // 2},worlds={SMALL // 10}"


def duel(game: str, agent: str, against: str, games: int) -> None:
    """Print what ``agent`` wins a hand against ``against`` in all other seats, or why they cannot be played."""
    made = cardai.game(game)
    seats = made.num_players
    start = time.process_time()
    try:
        result = cardai.play(game, [agent, *[against] * (seats - 1)], games=-(-games // seats) * seats, seed=7)
    except CardaiError as error:
        print(f"{game:42} {agent:32} {error}", flush=True)
        return
    gain = result.mean_return(0)
    if not made.zero_sum:  # what all win or lose together is no gain over the other player
        own = mean_of_all(cardai.play(game, [against] * seats, games=len(result.hands), seed=8))
        gain = Estimate(gain.mean - own.mean, math.hypot(gain.half_width, own.half_width), gain.count)
    print(
        f"{game:42} {agent:32} against {against:26} {gain.mean:+9.3f} +-{gain.half_width:.3f} {made.unit} a hand, "
        f"{-(-games // seats) * seats} games, {time.process_time() - start:.0f} CPU-s",
        flush=True,
    )


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["random", "time", "gin", "fusion"])
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--only", default="", help="games whose name holds this word")
    parser.add_argument("--agents", default="pimc,ismcts")
    options = parser.parse_args()
    for agent in options.agents.split(","):
        if options.what == "random":
            for game, how in accepted(options.only):
                duel(game, f"{agent}:{how}", "random", options.games)
        elif options.what == "time":
            for game in TIMED:
                if options.only in game:
                    duel(game, f"{agent}:simulations={4 * SMALL}", f"{agent}:simulations={SMALL}", options.games)
        elif options.what == "gin":
            duel("gin", f"{agent}:rollout=simple", "simple", options.games)
        else:
            for game in ("kuhn", "leduc:suits=false"):
                found = measure(cardai.game(game), cardai.agent(agent)).exploitability
                print(f"{game:42} {agent:32} exploitability {found:.4f}, exactly", flush=True)


if __name__ == "__main__":
    main()
