"""What a decision of the no-limit player costs, and how far a turn is solved: python benchmarks/decisions.py [--hands 20]

Two copies of ``--agent`` play each other on ``--game``; each decision's CPU seconds (and its seconds on the clock, which a busy
machine stretches) are printed by round, the first of all among them. Then turns with ranges at random are solved, and it is said
how far from equilibrium they are after so many iterations, in % of the pot; and flops behind the box's play before the flop, with its
network's values of all cards that can come, by how many cards an iteration looked at. The installed package (players/) is the default.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np
from attrs import evolve

import cardai
from cardai.core.arrays import Float64s
from cardai.core.errors import CardaiError, UsageError
from cardai.core.legal import Amounts
from cardai.core.rng import Rows
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.resolving.box import PREFLOP, VALUES, box
from cardai.poker.resolving.depth_limit import network_depth_limit
from cardai.poker.resolving.games import DISCOUNTS, LIMIT, ROUNDS, WITH_VALUES, resolved_game
from cardai.poker.resolving.preflop import preflop_player
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import Resolver

TURNS = ((13, 48, 33, 3), (0, 14, 28, 42), (12, 25, 6, 44))
FLOPS = ((13, 6, 17), (13, 2, 11), (46, 21, 32))
"""Cards 13 * suit + rank."""


def decisions(game: str, agent: str, hands: int, seed: int) -> dict[str, list[tuple[float, float]]]:
    """Return (CPU seconds, seconds) of each decision of two copies of a player, by round, and of both to be ready."""
    played = cardai.game(game)
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    began = time.process_time(), time.monotonic()
    players = [cardai.agent(agent).for_game(played) for _ in range(2)]
    found["getting ready, both"].append((time.process_time() - began[0], time.monotonic() - began[1]))
    row = np.zeros(1, np.int64)
    for hand in range(hands):
        tables = played.tables(1)
        tables.reset(np.array([1000 * seed + hand], np.uint64))
        count = 0
        while (seat := int(tables.current_players()[0])) >= 0:
            views, legal = tables.views(seat, row), tables.legal(row)
            assert isinstance(legal, Amounts)
            began = time.process_time(), time.monotonic()
            action = players[seat].act(views, legal, Rows(np.array([hand * 100 + count], np.uint64)))
            spent = time.process_time() - began[0], time.monotonic() - began[1]
            found[ROUNDS[int(views["round"][0])]].append(spent)
            count += 1
            tables.apply(row, np.asarray(action, np.int64))
    return found


def turn(opener: int, board: tuple[int, ...], iterations: tuple[int, ...]) -> list[tuple[int, float, float]]:
    """Return (iterations, CPU seconds, exploitability in % of the pot) of a turn after a raise to ``opener`` and a call."""
    game = evolve(resolved_game(cardai.game("holdem")), first=2)
    public = Public(0, ((opener, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0)), 2, board)

    def ranges(_: Public) -> Float64s:
        return np.asarray(np.random.default_rng(opener).random((2, 1326)) ** 2)

    out = []
    for count in iterations:  # each anew: a solution that is played from goes no further
        began = time.process_time()
        resolver = Resolver(game, SolverSettings(count, variant=DISCOUNTS), LIMIT, ranges, kept=1)
        solver = resolver.decision(public, 1).solver
        out.append((count, time.process_time() - began, 100 * solver.measure().exploitability / (2 * opener)))
    return out


def flop(
    actions: tuple[tuple[int, int, int], ...], board: tuple[int, ...], count: int, cards: int
) -> tuple[float, float]:
    """Return (CPU seconds, exploitability in chips) of a flop after ``actions``, solved by ``count`` iterations of so many ``cards``."""
    game, where = cardai.game("holdem"), box()
    if where is None:
        raise UsageError(
            "Flops are valued by the network of the players in the box: pip install ./players, or say --no-flops."
        )
    played = evolve(resolved_game(game), first=1)
    limit = network_depth_limit(str(where / VALUES), played, cards)
    settings = SolverSettings(count, variant=DISCOUNTS)
    resolver = Resolver(played, settings, limit, preflop_player(str(where / PREFLOP), game).ranges, kept=1)
    began = time.process_time()
    solver = resolver.decision(Public(0, actions, 1, board), 1).solver
    spent = time.process_time() - began
    solver.leaves = network_depth_limit(str(where / VALUES), played, 0).leaves(played, 1, board, solver.hands, 0)
    return spent, solver.measure().exploitability


def flops() -> None:
    """Print how far from equilibrium flops are."""
    print(
        "\na flop: pot in blinds, iterations x cards, CPU s, % of the pot from equilibrium (mean of",
        len(FLOPS),
        "boards)",
    )
    for opener in (1, 250):
        actions, pot = ((opener, 0, 0), (1, 0, 1)), 2 * max(opener, 100)
        for count, cards in ((24, 4), (48, 2), (96, 1), (WITH_VALUES, 1), (96, 4)):
            found = np.array([flop(actions, board, count, cards) for board in FLOPS]).mean(axis=0)
            print(f"{pot / 100:5.0f}{f'{count} x {cards}':>11}{found[0]:8.2f}{100 * found[1] / pot:8.2f}")


def tables(given: argparse.Namespace) -> None:
    """Print what decisions cost, and how far flops and turns are solved."""
    print(f"{'round':22}{'n':>4}{'CPU s: median':>16}{'95 %':>8}{'most':>8}{'clock: median':>16}{'95 %':>8}")
    found, every = decisions(given.game, given.agent, given.hands, given.seed), []
    for name, times in [*found.items(), ("all decisions", [])]:
        rows = np.array(times or every)
        every += times if name in ROUNDS else []
        low, high = np.quantile(rows, (0.5, 0.95), axis=0)
        print(f"{name:22}{len(rows):4}{low[0]:16.2f}{high[0]:8.2f}{rows[:, 0].max():8.2f}{low[1]:16.2f}{high[1]:8.2f}")
    if given.flops:
        flops()
    if not given.turns:
        return
    print("\na turn: pot in blinds, iterations, CPU s, % of the pot from equilibrium (mean of", len(TURNS), "boards)")
    for opener in (100, 300, 1000):
        for rows in zip(*(turn(opener, board, (30, 60, 120, 240)) for board in TURNS), strict=True):
            print(
                f"{2 * opener / 100:5.0f}{rows[0][0]:8}{np.mean([r[1] for r in rows]):8.2f}{np.mean([r[2] for r in rows]):8.2f}"
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="holdem")
    parser.add_argument("--agent", default="nolimit_resolving:seconds=0,threads=1")
    parser.add_argument("--hands", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flops", action=argparse.BooleanOptionalAction, default=True, help="how far flops are solved")
    parser.add_argument("--turns", action=argparse.BooleanOptionalAction, default=True, help="how far turns are solved")
    given = parser.parse_args()
    if given.hands < 1:
        parser.error(f"--hands must be at least 1. Got {given.hands}.")
    try:
        tables(given)
    except CardaiError as error:
        raise SystemExit(f"decisions.py: {error}") from None


if __name__ == "__main__":
    main()
