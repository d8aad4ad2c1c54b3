"""Making a chart: seeds are solved one after another, kept on the way, measured, and written as one chart."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from attrs import asdict, field, frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, refuse_links, write_json
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import structure
from cardai.poker.hand_classes import CLASSES
from cardai.poker.preflop.charts import ENOUGH, HEAD, Chart, Head, class_shares, rounding, write_chart
from cardai.poker.preflop.rules import Rules
from cardai.poker.preflop.shares import FITTED, Depth
from cardai.poker.preflop.solving import Problem, Seed, dealt_worth, exact_worth, learned, problem_of
from cardai.poker.preflop.tree import DECISION, Tree, strategy_of, tree_of

SEEDS, STATE = "seeds", "solving.json"
FORMAT = "cardai preflop solving 2"
MOST_STEPS = 10**9
KEPT_EVERY = 20.0
"""Seconds after which what was solved is on the disk."""
Told = Callable[[str, int, int], None]
"""Is told what is done, how far it is, and of how much."""


@frozen
class Goal:
    """How well a chart is solved."""

    seeds: tuple[int, ...] = (0, 1, 2)
    iterations: int = 400
    """Of each seed."""
    hands: int = 2_000_000
    """From which values are measured, and as many for what best replies gain. Of two players both are exact: none are dealt."""


@frozen
class _State:
    """What solving.json holds."""

    rules: Rules
    shares: tuple[Depth, ...]
    steps: dict[str, int] = field(factory=dict)
    """By seed, for people: what counts stands with the seed's numbers."""
    cpu_seconds: float = 0.0
    format: str = FORMAT


class Making:
    """A chart that is being made in a directory: what is there is gone on with.

    Raises:
        UsageError: another chart is there. DamagedFileError.
    """

    def __init__(self, directory: Path, rules: Rules, shares: Sequence[Depth] = FITTED) -> None:
        self.directory, self.tree = directory, tree_of(rules)
        self.problem: Problem = problem_of(self.tree, shares)
        if directory.is_dir():
            refuse_links(directory)
        file = directory / STATE
        self.state = _State(rules, tuple(shares))
        if file.exists():
            found = structure(read_json(file), _State, f"The file {file}")
            if found.format != FORMAT:
                raise DamagedFileError(f"The file {file} is damaged or foreign: its format is {found.format[:40]!r}.")
            if (found.rules, found.shares) != (rules, tuple(shares)):
                raise UsageError(
                    f"{directory} has a chart of other rules: {found.rules}. Give another name, or delete it."
                )
            self.state = found
        elif (directory / HEAD).exists():
            raise UsageError(
                f"{directory} has a chart without what it was solved from ({STATE}, {SEEDS}), which cannot be gone on with. Give "
                "another name, or delete it."
            )

    def seed(self, number: int) -> Seed:
        """Return a seed's solving so far."""
        file, shape = self._file(number), (self.tree.edges, CLASSES)
        if not file.exists():
            return Seed.begun(number, self.tree)
        expected = {"regret": (np.float64, shape), "average": (np.float64, shape), "steps": (np.int64, (1,))}
        found = read_npz(file, expected)
        steps = int(found["steps"][0])
        if not all(np.isfinite(one).all() for one in found.values()) or not 0 <= steps <= MOST_STEPS:
            raise DamagedFileError(f"The file {file} holds numbers that are none: it is damaged.")
        return Seed(number, steps, found["regret"], found["average"])

    def _file(self, number: int) -> Path:
        return self.directory / SEEDS / f"{number}.npz"

    def keep(self, seed: Seed, seconds: float) -> None:
        """Write a seed's solving; ``seconds`` of CPU were spent since the last time."""
        self._file(seed.number).parent.mkdir(parents=True, exist_ok=True)
        numbers = {"regret": seed.regret, "average": seed.average, "steps": np.array([seed.steps])}
        # how far it is stands with it: whoever is killed leaves both or neither
        write_npz(self._file(seed.number), numbers)
        steps = {**self.state.steps, str(seed.number): seed.steps}
        self.state = _State(self.state.rules, self.state.shares, steps, self.state.cpu_seconds + seconds)
        write_json(self.directory / STATE, asdict(self.state))

    def solve(self, goal: Goal, told: Told) -> list[Seed]:
        """Solve all seeds to the goal, keeping them on the way."""
        return [self._solve(number, goal.iterations, told) for number in goal.seeds]

    def _solve(self, number: int, iterations: int, told: Told) -> Seed:
        kept, before = time.monotonic(), time.process_time()

        def seen(now: Seed) -> None:
            nonlocal kept, before
            told(f"seed {number}", now.steps, iterations)
            if time.monotonic() - kept > KEPT_EVERY or now.steps >= iterations:
                self.keep(now, time.process_time() - before)
                kept, before = time.monotonic(), time.process_time()

        done = learned(self.problem, self.seed(number), iterations, seen)
        if self.state.steps.get(f"{number}") != done.steps:  # whoever was killed between the two files
            self.keep(done, 0.0)
        return done

    def chart(self, seeds: Sequence[Seed], goal: Goal, told: Told) -> Chart:
        """Measure what the seeds' mean strategy is worth, write the chart, and return it."""
        chart = chart_of_seeds(self.problem, self.state.shares, seeds, goal, self.state.cpu_seconds, told)
        write_chart(chart, self.directory)
        return chart


def chart_of_seeds(
    problem: Problem,
    shares: Sequence[Depth],
    seeds: Sequence[Seed],
    goal: Goal,
    spent: float,
    told: Told = lambda what, done, most: None,
) -> Chart:
    """Return the chart of the seeds' mean strategy, measured; solving them took ``spent`` CPU seconds."""
    before, tree = time.process_time(), problem.tree
    each = np.array([strategy_of(tree, seed.average) for seed in seeds])
    strategy = np.round(255 * each.mean(axis=0)) / 255  # as it is kept
    strategy = strategy_of(tree, strategy)
    hands = 0 if tree.rules.players == 2 else goal.hands
    if hands:
        found = dealt_worth(problem, strategy, hands, lambda what, done: told(what, done, hands))
    else:
        found = exact_worth(problem, strategy)
    unknown = np.repeat(found.often < ENOUGH, tree.count, axis=0)
    seconds = spent + time.process_time() - before
    head = Head(
        tree.rules, tuple(shares), goal.seeds, min(seed.steps for seed in seeds), round(seconds, 1), hands,
        _plain(found.won), _plain(found.gain), _plain(found.gain_noise),
        round(spread_of(tree, each, found.often), 6),
    )  # fmt: skip
    deviation = each.std(axis=0, ddof=1) if len(each) > 1 else np.zeros_like(strategy)
    values = np.where(unknown, np.nan, found.values)
    noise = np.where(unknown, 60_000, np.maximum(found.noise, rounding(found.values)))
    return Chart(head, strategy, deviation, values, noise)


def _plain(values: Float64s) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)


def spread_of(tree: Tree, each: Float64s, often: Float64s) -> float:
    """Return how far strategies (seeds, edges, 169) lie apart: half the sum of differences at a decision, the mean over pairs of
    seeds, and over decisions and classes as often as they come (``often`` (N, 169), own play not counted)."""
    weights = np.where((tree.kind == DECISION)[:, None], often, 0.0) * class_shares()
    total, pairs = 0.0, 0
    for k in range(len(each)):
        for j in range(k):
            apart = tree.sums(np.abs(each[k] - each[j]) / 2)
            total += float((apart * weights).sum() / weights.sum())
            pairs += 1
    return total / pairs if pairs else 0.0
