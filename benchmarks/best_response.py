"""What the river of a best response costs: milliseconds a river in forests, subtree by subtree as before them, and on a GPU.

    python benchmarks/best_response.py --agent RUN                          four boards, their gains by both ways, and the mean cost
    python benchmarks/best_response.py --agent RUN --device cuda --cores 1+16   turn boards on the GPU and on some cores of the CPU

Times without --device are CPU seconds of the process; the least of three tries counts, since other processes share caches and
memory. With it they are seconds by the clock of all rivers of a turn board, ranges and buckets too, the gains of both beside
one another. ``--device cpu`` tries that without a GPU.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from cardai import make
from cardai.poker.contract import need_holdem
from cardai.poker.hands.boards import DEALT_ORDERS
from cardai.poker.hands.combos import COUNT
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.poker.responses.board_sample import sample_boards
from cardai.poker.responses.street_response import ALONE, SWEEPS, Walker, next_cards, pairings

UNCHANGED = np.arange(COUNT)[None]


def clocked(walker: Walker, board: list[int], tries: int) -> tuple[float, float]:
    """Return (what is gained in chips, the least CPU seconds of a river without its ranges) on ``board``."""
    gain, best = walker.gain(3, board), float("inf")  # compiled, and the turn's ranges known
    roots = {root: both for root, both in walker.ranges_at(3, board).items() if both.any(axis=1).all()}
    if walker.forest:
        packed, sums = walker.forest.pack(roots), walker.forest.empty()
    for _ in range(tries):
        begun = time.process_time()
        if walker.forest:
            walker.forest.add(board, packed, UNCHANGED, sums)
        else:
            walker.values(3, board, roots)
        best = min(best, time.process_time() - begun)
    return gain, best


def by_cpu(asked: argparse.Namespace) -> None:
    """Print what rivers cost in forests, and what they did before."""
    game, agent = make.as_game(asked.game), make.as_agent(asked.agent)
    tree = holdem_tree(game, "A best response")
    player = range_player(game, agent, tree)
    walkers = {"forests": Walker(tree, player, SWEEPS), "subtree by subtree": Walker(tree, player, ALONE)}
    spent, scale = dict.fromkeys(walkers, 0.0), 1000 / need_holdem(game, "A best response").big_blind
    for board in sample_boards(5, asked.boards, asked.seed).boards.tolist():
        gains = []
        for name, walker in walkers.items():
            gain, best = clocked(walker, board, 3)
            gains.append(gain * scale)
            spent[name] += best / asked.boards
        print(f"board {board}: {gains[0]:.4f} mbb in forests, {gains[1]:.4f} mbb before ({gains[0] - gains[1]:+.1e})")
    for name, seconds in spent.items():
        print(f"{name}: {1000 * seconds:.1f} CPU ms a river, {seconds * DEALT_ORDERS / 3600:.0f} CPU hours all rivers")


def turn_boards(asked: argparse.Namespace, device: str, boards: list[list[int]]) -> tuple[list[float], float]:
    """Return (the gains in mbb, seconds a river) of turn boards walked on ``device`` (none: in forests), after one more that is not counted."""
    from cardai.poker.responses.device_walk import DeviceWalker

    game, agent = make.as_game(asked.game), make.as_agent(asked.agent)
    tree = holdem_tree(game, "A best response")
    player = range_player(game, agent, tree)
    walker = DeviceWalker(tree, player, device) if device else Walker(tree, player)
    scale = 1000 / need_holdem(game, "A best response").big_blind
    walker.gain(2, boards[0])
    gains, spent, rivers = [], 0.0, 0
    for board in boards:
        ranges_at = walker.ranges_at(2, board)
        roots = {root: ranges for root, ranges in ranges_at.items() if ranges.any(axis=1).all()}
        begun = time.perf_counter()
        values = walker.values(2, board, roots)
        spent += time.perf_counter() - begun
        rivers += len(next_cards(board, getattr(walker.player, "ignores_suits", False)))
        won = sum(float((ranges * values[root]).sum()) for root, ranges in roots.items())
        gains.append(won / 2 / pairings(4) * scale)
    return gains, spent / rivers


def on_cores(asked: argparse.Namespace, boards: list[list[int]], cores: int) -> tuple[list[float], float]:
    """Return what :func:`turn_boards` does on so many cores, each busy with the same boards."""
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(turn_boards, [asked] * cores, [""] * cores, [boards] * cores))
    return found[0][0], sum(seconds for _, seconds in found) / cores**2


def by_device(asked: argparse.Namespace) -> None:
    """Print what rivers cost on a device, and on some cores."""
    import torch

    boards = sample_boards(4, asked.boards, asked.seed).boards.tolist()
    gains, quick = turn_boards(asked, asked.device, boards)
    name = torch.cuda.get_device_name() if asked.device == "cuda" else asked.device
    print(f"{name}: {1000 * quick:.3f} ms a river, {quick * DEALT_ORDERS / 60:.1f} minutes all rivers", flush=True)
    for cores in map(int, asked.cores.split("+")):
        found, slow = on_cores(asked, boards[:2], cores)
        print(
            f"{cores} core{'s' * (cores > 1)}: {1000 * slow:.2f} ms a river, {slow / quick:.0f} times as long; gains of {len(found)} turn "
            f"boards differ by {max(abs(a - b) for a, b in zip(gains, found, strict=False)):.1e} mbb at most",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--game", default="acpc_limit_2p")
    parser.add_argument("--boards", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="", help="cuda: compare a GPU with cores")
    parser.add_argument("--cores", default="1", help="with --device: numbers of cores, joined with +")
    asked = parser.parse_args()
    if asked.device:
        by_device(asked)
    else:
        by_cpu(asked)


if __name__ == "__main__":
    main()
