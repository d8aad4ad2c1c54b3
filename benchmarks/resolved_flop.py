"""What a player that solves its river anew gives away from the flop on: an estimate from below and one from above, by sampled turns and rivers.

    python benchmarks/resolved_flop.py --boards 24 --jobs 16 --out flop.jsonl

What a hand wins from the flop on that answers the blueprint best is counted out over all turns and rivers. The player that
solves anew plays as the blueprint until the river, so the two differ by what rivers are worth alone: that difference is worked
out on some rivers of some turns, drawn evenly, behind one line of bets before the flop, drawn as often as the blueprint loses there.

Below: a responder's actions on the turn are chosen by one half of the rivers and scored by what the other half says of those that did
not choose; on the flop by one half of the turns, scored by the other; halves exchanged. It is a legal response whose mean is
unbiased. Above: what follows is estimated without bias and the best of it taken, on the turn and again on the flop, which is too
high in the mean (the maximum of means is at most the mean of maxima). Each flop is printed as it is done; ``--out`` keeps them.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from resolved_lines import left

from cardai import make
from cardai.arena.bootstrap import cautious
from cardai.core.arrays import Float64s
from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.rng import derive
from cardai.core.spec import Spec
from cardai.poker.contract import need_holdem
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.range_policy import RangeAdapter, RangePolicy, range_player
from cardai.poker.ranges.public_tree import DEAL, DECISION, PublicTree, holdem_tree
from cardai.poker.responses.board_sample import sample_boards
from cardai.poker.responses.street_response import ALONE, StreetTree, Walker, pairings

HOLDS = (np.arange(52)[:, None, None] == pairs()).any(axis=2)
Roots = dict[int, Float64s]
"""Of each subtree's root (2, 1326), by seat: ranges that come there, or what hands win times the other's range."""


class Gains(NamedTuple):
    """Chips a deal from a flop on, the mean of both seats."""

    known: float
    """From the blueprint."""
    below: float
    above: float


def answered(one: StreetTree, seat: int, ends: Float64s, choose: Float64s, score: Float64s) -> Float64s:
    """Return (1326,) what ``seat`` wins by ``score`` with the actions that are best by ``choose``: (deals, 1326) what follows."""
    node, child = one.street.node, one.street.child
    values = np.empty((2, len(node), COUNT))
    for i in range(len(node) - 1, -1, -1):
        kind, actor, count, _, number = node[i]
        if kind == DEAL:
            values[:, i] = choose[number], score[number]
        elif kind != DECISION:
            values[:, i] = ends[number]
        elif actor != seat:
            values[:, i] = values[:, child[i, :count]].sum(axis=1)
        else:
            below = values[:, child[i, :count]]
            values[:, i] = np.take_along_axis(below, below[0].argmax(axis=0)[None, None], axis=1)[:, 0]
    return values[1, 0]


class Sampled:
    """Best responses to ``solved`` on the river and ``blueprint`` before it, by some turns and rivers; both numbers are even."""

    def __init__(self, tree: PublicTree, blueprint: RangePolicy, solved: RangePolicy, turns: int, rivers: int) -> None:
        self.before, self.after, self.turns, self.rivers = (
            Walker(tree, blueprint),
            Walker(tree, solved, ALONE),
            turns,
            rivers,
        )

    def flop(self, flop: list[int], rng: np.random.Generator) -> Gains:
        """Return what is won on one flop, of a line before it that is drawn."""
        before = self.before
        ranges = {root: both for root, both in before.ranges_at(1, flop).items() if both.any(axis=1).all()}
        reaches = {root: before.reaches(root, both, flop) for root, both in ranges.items()}
        below = {root: before.trees[root].below(reached) for root, reached in reaches.items()}
        known = before.averaged(1, flop, {turn: both for roots in below.values() for turn, both in roots.items()})
        gains = {root: self._won(root, ranges[root], reaches[root], flop, known, known) for root in ranges}
        odds = np.array(list(gains.values()))
        drawn = int(rng.choice(list(gains), p=odds / odds.sum()))
        halves = [self._differences(flop, below[drawn], rng) for _ in range(2)]
        lower = [{root: known[root] + half[root][0] for root in half} for half in halves]
        upper = {root: known[root] + (halves[0][root][1] + halves[1][root][1]) / 2 for root in below[drawn]}
        asked = drawn, ranges[drawn], reaches[drawn], flop
        won = (
            self._won(*asked, lower[0], lower[1]),
            self._won(*asked, lower[1], lower[0]),
            self._won(*asked, upper, upper),
        )
        total = odds.sum() / 2 / pairings(3)
        return Gains(total, total * (won[0] + won[1]) / 2 / gains[drawn], total * won[2] / gains[drawn])

    def _won(
        self, root: int, ranges: Float64s, reaches: Float64s, flop: list[int], choose: Roots, score: Roots
    ) -> float:
        return float((ranges * self._answer(root, reaches, flop, choose, score)).sum())

    def _answer(self, root: int, reaches: Float64s, board: list[int], choose: Roots, score: Roots) -> Float64s:
        """Return (2, 1326) what hands win from ``root`` on (see :func:`answered`)."""
        one, out = self.before.trees[root], []
        for seat in range(2):
            ends = self.before.at_the_ends([one], seat, [reaches[1 - seat]], board)[0]
            follows = (np.array([by[int(deal)][seat] for deal in one.deals]) for by in (choose, score))
            out.append(answered(one, seat, ends, *follows))
        return np.array(out)

    def _differences(self, flop: list[int], roots: Roots, rng: np.random.Generator) -> Roots:
        """Return (2, 2, 1326) for each of the turn's ``roots`` what is won more than from the blueprint, below and above."""
        free, count = [card for card in range(52) if card not in flop], self.turns // 2
        out = {root: np.zeros((2, 2, COUNT)) for root in roots}
        for card in rng.choice(free, count, replace=False).tolist():
            ranges = {root: np.where(HOLDS[card], 0.0, both) for root, both in roots.items()}
            for root, values in self.turn([*flop, card], ranges, rng).items():
                out[root] += (values[1:] - values[0]) * len(free) / count / (len(free) - 4)
        return out

    def turn(self, board: list[int], roots: Roots, rng: np.random.Generator) -> Roots:
        """Return (3, 2, 1326) for each of ``roots`` what is won from the blueprint, and from the player that solves below and above."""
        free, half = [card for card in range(52) if card not in board], self.rivers // 2
        reaches = {root: self.before.reaches(root, both, board) for root, both in roots.items()}
        below = {river: both for root in roots for river, both in self.before.trees[root].below(reaches[root]).items()}
        known, both_halves = (
            self.before.averaged(2, board, below),
            rng.choice(free, 2 * half, replace=False).reshape(2, half),
        )
        sums = [self._more(board, below, cards.tolist(), len(free) - 4) for cards in both_halves]
        rest = (len(free) - half) / half
        laters = []
        for own, other in (sums, sums[::-1]):
            choose = {root: known[root] + own[root] * len(free) / half for root in below}
            laters.append((choose, {root: known[root] + own[root] + other[root] * rest for root in below}))
        whole = {root: known[root] + (sums[0][root] + sums[1][root]) * len(free) / half / 2 for root in below}
        out = {}
        for root in roots:
            first, *won, upper = (
                self._answer(root, reaches[root], board, *later) for later in ((known, known), *laters, (whole, whole))
            )
            out[root] = np.array([first, (won[0] + won[1]) / 2, upper])
        return out

    def _more(self, board: list[int], roots: Roots, cards: list[int], dealt: int) -> Roots:
        """Return (2, 1326) for each of the river's ``roots`` what is won more than from the blueprint behind ``cards``."""
        out = {root: np.zeros((2, COUNT)) for root in roots}
        for card in cards:
            ranges = {root: np.where(HOLDS[card], 0.0, both) for root, both in roots.items()}
            come = {root: both for root, both in ranges.items() if both.any()}
            found = [walker.values(3, [*board, card], come) for walker in (self.after, self.before)]
            for root in come:
                out[root] += (found[0][root] - found[1][root]) / dealt
        return out


@lru_cache(maxsize=1)
def sampled(game: str, blueprint: str, believed: str, turns: int, rivers: int) -> Sampled:
    """Return what measures a player, once a process."""
    played, agent = make.as_game(game), make.as_agent(blueprint)
    options = (("blueprint", f'"{blueprint}"'), ("first", "river"), ("believed", believed))
    tree = holdem_tree(played, "A best response")
    solved = RangeAdapter(played, make.agent(Spec("resolving", options)), tree)
    return Sampled(tree, range_player(played, agent, tree), solved, turns, rivers)


def piece(asked: argparse.Namespace, number: int, flop: list[int]) -> tuple[list[float], float]:
    """Return a flop's gains in chips (see :class:`Gains`), and its CPU seconds."""
    begun, rng = time.process_time(), np.random.default_rng(derive(asked.seed, "flop", number))
    measured = sampled(asked.game, asked.blueprint, asked.believed, asked.turns, asked.rivers)
    return list(measured.flop(flop, rng)), time.process_time() - begun


def done_before(file: Path, of: dict[str, object]) -> dict[int, list[float]]:
    """Return the gains in mbb of the flops that a file keeps of the same measure, by number. Raises DamagedFileError."""
    try:
        kept = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return {int(one["number"]): [float(gain) for gain in one["mbb"]] for one in kept if one["of"] == of}
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise DamagedFileError(f"{file} is no file that --out has written: name another, or move it away.") from error


def measure(asked: argparse.Namespace) -> None:
    """Print a line a flop, and what they come to."""
    scale = 1000 / need_holdem(make.as_game(asked.game), "A best response").big_blind
    flops = sample_boards(3, asked.boards, asked.seed).boards.tolist()
    of = {name: value for name, value in vars(asked).items() if name not in ("out", "jobs", "kept")}
    found = done_before(asked.out, of) if asked.out and asked.out.exists() else {}
    if found:
        print(f"{len(found)} flops are kept in {asked.out}.", flush=True)
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        # not by strata: it may be stopped
        order = np.random.default_rng(derive(asked.seed, "order")).permutation(asked.boards).tolist()
        numbers = [number for number in order if number not in found]
        begun = {} if asked.kept else {pool.submit(piece, asked, number, flops[number]): number for number in numbers}
        for done in as_completed(begun):
            number, (gains, spent) = begun[done], done.result()
            known, below, above = found[number] = [gain * scale for gain in gains]
            print(
                f"flop {flops[number]}: {known:.1f} mbb/g, solved anew {below:.1f} to {above:.1f} ({spent:.0f} CPU s)",
                flush=True,
            )
            if asked.out:
                with asked.out.open("a") as file:
                    print(json.dumps({"of": of, "number": number, "mbb": found[number]}), file=file)
    if not found:
        raise UsageError(
            f"No flop with these options is done in {asked.out}: leave --kept out, and they are worked out."
        )
    columns = np.array([found[number] for number in sorted(found)]).T
    for name, values in zip(("the blueprint", "solved anew, below", "solved anew, above"), columns, strict=True):
        print(f"{name}: {cautious(values, asked.seed).text(1, 'mbb/g')} from the flop, {len(found)} flops")
    for name, values in zip(("below", "above"), columns[1:], strict=True):
        share = left(list(zip(columns[0].tolist(), values.tolist(), strict=True)), asked.seed).scaled(100)
        print(f"what is left, {name}: {share.text(0, '%')}")


def main() -> None:
    """Read what is asked for, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blueprint", default="limit_equilibrium")
    parser.add_argument("--game", default="acpc_limit_2p")
    parser.add_argument("--boards", type=int, default=8)
    parser.add_argument("--turns", type=int, default=12, help="turn cards a flop, even")
    parser.add_argument("--rivers", type=int, default=2, help="river cards a turn, even, 48 at most")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument(
        "--believed", default="0.1", help="how much of the opponent's hands hold the range it is thought to have"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a file that keeps the flops that are done")
    parser.add_argument(
        "--kept", action="store_true", help="print what the flops come to that --out has, and do no more"
    )
    asked = parser.parse_args()
    if min(asked.boards, asked.jobs) < 1 or asked.turns not in range(2, 99, 2) or asked.rivers not in range(2, 49, 2):
        parser.error(
            "--boards and --jobs must be at least 1, --turns even and at most 98, --rivers even and at most 48."
        )
    if asked.kept and not asked.out:
        parser.error("--kept prints what a file has: name it by --out.")
    try:
        measure(asked)
    except CardaiError as error:
        raise SystemExit(f"resolved_flop.py: {error}") from None


if __name__ == "__main__":
    main()
