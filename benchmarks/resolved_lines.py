"""What solving the river anew is worth from the turn on: a best response to `resolving:first=river`, on sampled boards and lines.

    python benchmarks/resolved_lines.py --blueprint limit_equilibrium      eight turns, a line of each, as limit_resolving plays
    python benchmarks/resolved_lines.py --believed 0                                        behind promises alone
    python benchmarks/resolved_lines.py --blueprint limit_equilibrium --boards 20 --seed 5 --lines 2

``evaluate best-response --from turn`` would have every river after every line of bets solved: 27,216 times two a board. Here the
blueprint is answered after all lines of a turn board, and the player that solves anew after some, drawn as often as the blueprint
loses there: the blueprint's gain times the mean of what is left of it is unbiased (importance sampling). What is
printed at each board can be stopped; at the end both gains, and what is left of the blueprint's, with their 95 % intervals.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from cardai import make
from cardai.arena.bootstrap import Interval, cautious
from cardai.core.arrays import Float64s
from cardai.core.errors import CardaiError
from cardai.core.rng import derive
from cardai.core.spec import Spec
from cardai.poker.contract import need_holdem
from cardai.poker.range_policy import RangeAdapter, range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.poker.responses.board_sample import sample_boards
from cardai.poker.responses.street_response import ALONE, SWEEPS, Walker, pairings

TURN = 2


def gains(walker: Walker, board: list[int], roots: dict[int, Float64s]) -> dict[int, float]:
    """Return what answering best after each line of ``roots`` wins, of both seats together."""
    values = walker.values(TURN, board, roots)
    return {root: float((ranges * values[root]).sum()) for root, ranges in roots.items()}


def left(both: list[tuple[float, float]], seed: int) -> Interval:
    """Return what is left of the blueprint's gains: a ratio of means, its interval by leaving out a board at a time."""
    sums = np.array(both).sum(axis=0)
    without = sums - np.array(both)
    values = len(both) * sums[1] / sums[0] - (len(both) - 1) * without[:, 1] / without[:, 0]
    return cautious(values, seed)


def main() -> None:
    """Read what is asked for, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blueprint", default="limit_equilibrium")
    parser.add_argument("--game", default="acpc_limit_2p")
    parser.add_argument("--boards", type=int, default=8)
    parser.add_argument("--lines", type=int, default=1, help="lines a board after which the river is solved anew")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument(
        "--believed", default="0.1", help="how much of the opponent's hands hold the range it is thought to have"
    )
    asked = parser.parse_args()
    if min(asked.boards, asked.lines) < 1:
        parser.error(f"--boards and --lines must be at least 1. Got {asked.boards} and {asked.lines}.")
    try:
        measure(asked)
    except CardaiError as error:
        raise SystemExit(f"resolved_lines.py: {error}") from None


def measure(asked: argparse.Namespace) -> None:
    """Print a line a board, and what they come to."""
    game, blueprint = make.as_game(asked.game), make.as_agent(asked.blueprint)
    options = (("blueprint", f'"{asked.blueprint}"'), ("first", "river"), ("believed", asked.believed))
    tree, scale = holdem_tree(game, "A best response"), 1000 / need_holdem(game, "A best response").big_blind
    solved = RangeAdapter(game, make.agent(Spec("resolving", options)), tree)
    before, after = Walker(tree, range_player(game, blueprint, tree), SWEEPS), Walker(tree, solved, ALONE)
    rng, found = np.random.default_rng(derive(asked.seed, "lines")), list[tuple[float, float]]()
    for board in sample_boards(4, asked.boards, asked.seed).boards.tolist():
        roots = {root: ranges for root, ranges in before.ranges_at(TURN, board).items() if ranges.any(axis=1).all()}
        known, begun = gains(before, board, roots), time.process_time()
        odds = np.array(list(known.values()))
        drawn = rng.choice(list(known), asked.lines, p=odds / odds.sum())
        shares = [gains(after, board, {root: roots[root]})[root] / known[root] for root in drawn.tolist()]
        both = odds.sum() / 2 / pairings(4) * scale * np.array([1, np.mean(shares)])
        found.append((float(both[0]), float(both[1])))
        spent = time.process_time() - begun
        print(f"turn {board}: {both[0]:.1f} mbb/g, solved anew {both[1]:.1f} ({spent:.0f} CPU s)", flush=True)
    for name, values in zip(("the blueprint", "solved anew"), np.array(found).T, strict=True):
        print(f"{name}: {cautious(values, asked.seed).text(1, 'mbb/g')} from the turn, {len(found)} boards")
    share = left(found, asked.seed).scaled(100)
    print(f"what is left: {share.text(0, '%')}, {len(found) * asked.lines} lines")


if __name__ == "__main__":
    main()
