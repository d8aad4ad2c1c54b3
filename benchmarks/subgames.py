"""Speed of solving over ranges: a river and a turn with pot and all-in bets everywhere, all hands against all hands.

    python benchmarks/subgames.py            a river, a turn with one thread and with two, the showdown beside numpy
    python benchmarks/subgames.py --situations 40             what a situation of `cardai situations` costs, river and turn
    python benchmarks/subgames.py --situations 400 --device cuda      the same, solved side by side in torch

Beside each line stands what postflop-solver 9d1509f (Rust, f32, one thread) took for the same game on a machine of the same
kind. Times are CPU seconds of the process but where wall seconds are said; run it on an idle machine.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from attrs import evolve

from cardai.poker.hands.combos import pairs
from cardai.poker.ranges import _walk_kernels as kernels
from cardai.poker.ranges.solution import prepare
from cardai.poker.ranges.spot import Spot
from cardai.poker.values.batch_labels import solve_situations
from cardai.poker.values.situation_set import Recipe, solve_shard
from cardai.poker.values.situations import EVERY

RIVER, TURN = "KsTh7s4d2c", "KsTh7s4d"
GAME = {"pot": 2000, "stacks": (19000, 19000), "bets": "1+allin"}
PEER = {RIVER: "0.162 ms an iteration, 0.0195 % after 900", TURN: "31 ms an iteration, 0.25 % after 160 and 5.0 s"}


def to_target(board: str, target: float, most: int, threads: int = 1) -> None:
    """Solve ``board`` and print what an iteration takes and how near to equilibrium it comes."""
    solution = prepare(Spot(board, **GAME), threads)
    solution.solver.run(1)
    solution.measure()  # everything is compiled now
    solution = prepare(Spot(board, **GAME), threads)
    cpu, wall, spent = 0.0, 0.0, 0
    print(f"{board}, {threads} thread{'s' * (threads > 1)}: {solution.solver.layout.num_bytes('f4') / 2**20:.1f} MiB")
    while spent < most and solution.exploitability > target:
        count = min(20 if len(board) == 8 else 100, most - spent)
        before = time.process_time(), time.perf_counter()
        solution.solver.run(count)
        cpu, wall, spent = cpu + time.process_time() - before[0], wall + time.perf_counter() - before[1], spent + count
        solution.measure()
    first, button = solution.values
    print(
        f"  {1e3 * cpu / spent:.3f} ms an iteration ({1e3 * wall / spent:.3f} ms wall); {solution.exploitability:.4f} % of the "
        f"pot after {spent} and {cpu:.2f} s; worth {first:.2f} and {button:.2f}"
    )
    print(f"  postflop-solver: {PEER[board]}")


def showdowns(rounds: int = 300) -> None:
    """Print what the ends of the river take, beside the same in plain numpy."""
    layout = prepare(Spot(RIVER, **GAME)).solver.layout
    work, street, hands = layout.works(np.float32)[0], layout.streets[0], layout.boards[0].hands[0]
    work.reach[:-1, : len(hands)] = np.random.default_rng(0).random((len(work.reach) - 1, len(hands)))
    kernels.ends_of_hands(street, work, 0, 0)
    begun = time.process_time()
    for _ in range(rounds):
        kernels.ends_of_hands(street, work, 0, 0)
    ours = (time.process_time() - begun) / rounds
    cards, ends, reach = pairs()[hands], layout.boards[0].ends[0], np.float64(work.reach[2, : len(hands)])
    begun = time.process_time()
    for _ in range(rounds // 10):
        in_numpy(cards, ends, reach)
    peer = (time.process_time() - begun) / (rounds // 10)
    print(f"ends of the river, {len(hands)} hands: {1e6 * ours / 21:.2f} us each of 21 (11 showdowns, 10 folds)")
    print(f"  one showdown in numpy: {1e6 * peer:.0f} us")


def in_numpy(cards: np.ndarray, ends: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Return what each hand wins from ``reach`` at a showdown; hands in order of strength."""
    starts = np.searchsorted(ends, ends, side="left")
    total = np.concatenate([[0.0], np.cumsum(reach)])
    below, above = total[starts], total[-1] - total[ends]
    for place in range(2):
        for card in np.unique(cards):
            own = cards[:, place] == card
            mass = np.concatenate([[0.0], np.cumsum(np.where((cards == card).any(axis=1), reach, 0.0))])
            below[own] -= mass[starts[own]]
            above[own] -= mass[-1] - mass[ends[own]]
    return below - above


RECIPES = {"river": ((400, 300, 150, 100, 50), EVERY), "turn": ((200, 120, 80, 50, 30), (1, 2, 3, 4))}
"""Iterations by interval of pots, and the intervals, as the value networks' report has them."""


def situations(street: str, count: int, device: str) -> None:
    """Print what drawing and solving a situation takes, as ``cardai situations`` does it."""
    iterations, intervals = RECIPES[street]
    recipe = Recipe(street, 1, iterations, intervals, per_shard=count)
    solve_shard(evolve(recipe, per_shard=1, iterations=(1,) * 5), 0)  # everything is compiled now
    before = time.process_time(), time.perf_counter()
    if device == "cpu":
        solve_shard(recipe, 0)
    else:
        drawn = [recipe.situation(number) for number in range(count)]
        solve_situations(drawn, [iterations[one.interval] for one in drawn], device=device.removeprefix("torch-"))
    cpu, wall = time.process_time() - before[0], time.perf_counter() - before[1]
    print(
        f"{street} on {device}: {1e3 * cpu / count:.1f} ms of CPU and {1e3 * wall / count:.1f} ms wall a situation, "
        f"{3600 * count / cpu:,.0f} a CPU hour ({count} situations, iterations by interval {iterations})"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--river-only", action="store_true", help="leave out the turn")
    arguments.add_argument("--situations", type=int, default=0, metavar="N", help="only what so many situations cost")
    arguments.add_argument("--device", default="cpu", help="cpu, cuda, or torch-cpu: the batch solver on the CPU")
    given = arguments.parse_args()
    if given.situations:
        for street in RECIPES:
            situations(street, given.situations, given.device)
        return
    only = given.river_only
    showdowns()
    to_target(RIVER, 0.0, 900)
    if not only:
        to_target(TURN, 0.25, 300)
        to_target(TURN, 0.25, 300, threads=2)


if __name__ == "__main__":
    main()
