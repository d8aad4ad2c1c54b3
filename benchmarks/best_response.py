"""What the river of a best response costs: CPU milliseconds a river in forests, and subtree by subtree as before them.

    python benchmarks/best_response.py --agent RUN            four boards, their gains by both ways, and the mean cost

Times are CPU seconds of the process; the least of three tries counts, since other processes share caches and memory.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from attrs import frozen

from cardai import make
from cardai.poker.contract import need_holdem
from cardai.poker.hands.boards import DEALT_ORDERS
from cardai.poker.hands.combos import COUNT
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.poker.responses.board_sample import sample_boards
from cardai.poker.responses.street_response import SWEEPS, Sweeps, Walker

UNCHANGED = np.arange(COUNT)[None]


@frozen
class Alone(Sweeps):
    """Each subtree by itself."""


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--game", default="acpc_limit_2p")
    parser.add_argument("--boards", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    game, agent = make.as_game(asked.game), make.as_agent(asked.agent)
    tree = holdem_tree(game, "A best response")
    player = range_player(game, agent, tree)
    walkers = {"forests": Walker(tree, player, SWEEPS), "subtree by subtree": Walker(tree, player, Alone())}
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


if __name__ == "__main__":
    main()
