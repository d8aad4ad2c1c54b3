"""A review: all decisions of one player in a file of hands, what they cost in all and by kind, the dearest first.

Costs are in the judge's unit. Every sum stands with a 95% interval over the independent groups of hands: how far the same
player's sum over as many other hands may be from it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from attrs import field, frozen

from cardai.arena.statistics import group_sums, mean, ratio
from cardai.core.arrays import Float64s
from cardai.core.statistics import Estimate
from cardai.core.text import one_line
from cardai.study.graded import Decision, GradedHand
from cardai.study.judge import VERDICTS

SUMS = 8
"""How many of each kind's sums the text shows, the dearest: plain values have all."""
LEAST = 1e-6
"""What a judge may be off by is not said where it is less, and only of how numbers are added."""
LEAK = "leak"
KEYS = (LEAK, "phase", "position", "kind", "pot", "line")
"""By what decisions are summed, where the game tells them apart: first by what was wrong, see :func:`leak_of`."""


@frozen
class Sum:
    """What one kind of decision cost: decisions, mistakes among them, the sum, and the cost per 100 hands of the review."""

    name: str
    decisions: int
    mistakes: int
    cost: Estimate
    """The sum over the review's hands, with its interval; ``count`` is the number of independent groups."""
    per_100: Estimate


@frozen
class Setting:
    """What a review was made with: it goes on only with the same."""

    game: str
    hero: str
    judge: str
    unit: str
    money: str
    """The unit of what hands brought."""
    mistake: float
    blunder: float
    floor: float | None = None


@frozen(eq=False)
class Review:
    """Graded hands of one player, in the file's order. ``left_out`` counts hands that were not graded, by the reason."""

    setting: Setting
    hands: tuple[GradedHand, ...]
    left_out: dict[str, int] = field(factory=dict)

    def __str__(self) -> str:
        return text_of(self)

    @property
    def decisions(self) -> list[tuple[GradedHand, Decision]]:
        """All graded decisions with their hands, in order."""
        return [(hand, decision) for hand in self.hands for decision in hand.decisions]

    @property
    def verdicts(self) -> dict[str, int]:
        """How many decisions were good, inaccuracies, mistakes, blunders."""
        found = Counter(decision.verdict for _, decision in self.decisions)
        return {name: found[name] for name in VERDICTS}

    @property
    def not_graded(self) -> dict[str, int]:
        """Decisions in graded hands that the judge had nothing to say about, by the reason."""
        found: Counter[str] = Counter()
        for hand in self.hands:
            found.update(hand.left_out)
        return dict(found)

    def dearest(self, count: int | None = None) -> list[tuple[GradedHand, Decision]]:
        """Return the decisions that cost something, the dearest first (of equals, the earlier)."""
        costly = [pair for pair in self.decisions if pair[1].cost > 0]
        return sorted(costly, key=lambda pair: -pair[1].cost)[:count]

    @property
    def won(self) -> Estimate:
        """What the player won a hand, in the game's unit."""
        return self._ratio(np.array([hand.returns for hand in self.hands], np.float64))

    @property
    def total(self) -> Sum:
        """All costs together."""
        return self._sum("all", lambda decision: True)

    def sums(self, key: str) -> list[Sum]:
        """Return the costs by what ``key`` (of :data:`KEYS`, or another of the situation's) tells apart, the dearest first."""
        told = leak_of if key == LEAK else lambda decision: decision.situation.get(key, "")
        names = {told(decision) for _, decision in self.decisions} - {""}
        found = [self._sum(name, lambda d, name=name: told(d) == name) for name in names]  # type: ignore[misc]
        return sorted(found, key=lambda one: (-one.cost.mean, one.name))

    @property
    def keys(self) -> list[str]:
        """By what the decisions of this review can be summed."""
        known = {key for _, decision in self.decisions for key in decision.situation}
        known |= {LEAK} if any(leak_of(decision) for _, decision in self.decisions) else set()
        return [*(key for key in KEYS if key in known), *sorted(known - {*KEYS})]

    @property
    def rating(self) -> float:
        """100 times the squared mean of how near decisions came to the best, from the worst: mjai-reviewer's number.

        What costs nothing, since it lost no more than the judge's error, is as near as can be.
        Its author calls it unreliable: it depends on how far apart the judge sees bad actions. nan without a decision.
        """
        spans = [(d.best_value - d.worst_value, d.cost) for _, d in self.decisions if d.best_value > d.worst_value]
        near = [1 - cost / span for span, cost in spans]
        return 100 * float(np.mean(near)) ** 2 if near else float("nan")

    def _sum(self, name: str, wanted: Callable[[Decision], bool]) -> Sum:
        chosen = [[d for d in hand.decisions if wanted(d)] for hand in self.hands]
        costs = np.array([sum(d.cost for d in some) for some in chosen], np.float64)
        a_hand = self._ratio(costs)
        count = sum(len(some) for some in chosen)
        wrong = sum(d.cost > 0 for some in chosen for d in some)
        return Sum(name, count, wrong, a_hand.scaled(len(self.hands)), a_hand.scaled(100))

    def _ratio(self, values: Float64s) -> Estimate:
        """Return the mean a hand of values (n,), interval over groups."""
        groups = np.array([hand.group for hand in self.hands], np.int64)
        if not len(groups):
            return mean(values)
        return ratio(group_sums(groups, values), group_sums(groups, np.ones(len(values))))


def leak_of(decision: Decision) -> str:
    """Return what was wrong with a decision that cost something, "" for any other: where it was, what was done, for what.

    Amounts are left out and cards counted, so that one habit is one leak: "river, facing a bet: fold for call", "dealt a pair:
    hold 1 card for hold 2 cards".
    """
    if not decision.cost:
        return ""
    where = ", ".join(filter(None, (decision.situation.get(key, "") for key in ("phase", "kind"))))
    done, best = map(_habit, (decision.words, decision.best_words))
    alike = "for others" if _CARDS.search(decision.words) else "of another size"
    return (f"{where}: " if where else "") + (f"{done} for {best}" if done != best else f"{done} {alike}")


def _habit(words: str) -> str:
    """Return what is done without its amounts, and how many cards it is done with."""
    parts, at = [], 0
    for found in _CARDS.finditer(words):
        count = len(found[0].split())
        parts += [_NUMBER.sub("", words[at : found.start()]).rstrip(), f" {count} card{'s' * (count > 1)}"]
        at = found.end()
    return "".join([*parts, _NUMBER.sub("", words[at:])]).strip()


_CARDS = re.compile(r"(?<!\w)(?:10|[2-9TJQKA])[♠♥♦♣cdhs](?: (?:10|[2-9TJQKA])[♠♥♦♣cdhs])*(?!\w)")
_NUMBER = re.compile(r"( to)?\s*\(?[-+]?\d[\d.,]*(?: bb)?\)?")


def reviewed(setting: Setting, hands: Sequence[GradedHand], left_out: dict[str, int] | None = None) -> Review:
    """Return a review of ``hands`` in the file's order."""
    return Review(setting, tuple(sorted(hands, key=_number)), dict(left_out or {}))


def _number(hand: GradedHand) -> int:
    return hand.number


# -- text ------------------------------------------------------------------------------------------------------------


def text_of(review: Review, dearest: int = 10) -> str:
    """Return a review as text: what it is of, the sums, the dearest decisions with their reasons."""
    lines = [_title(review), *_counts(review), ""]
    if not review.hands:
        return "\n".join([*lines[:-1], "No hand could be graded."])
    lines += _sums(review)
    costly = review.dearest(dearest)
    if costly:
        lines += ["", f"The dearest decisions (of {len(review.dearest())}):"]
    for rank, (hand, decision) in enumerate(costly, 1):
        lines += decision_lines(decision, review.setting.unit, f"{rank}. hand {hand.number}")
    return "\n".join(lines)


def _title(review: Review) -> str:
    setting = review.setting
    hero, judge = one_line(setting.hero), one_line(setting.judge)
    return f"{hero} at {one_line(setting.game)}, judged by {judge}; costs: {one_line(setting.unit)}"


def _counts(review: Review) -> list[str]:
    names = ", ".join(f"{count:,} {_several(name, count)}" for name, count in review.verdicts.items())
    hands, decisions = len(review.hands), len(review.decisions)
    lines = [f"{hands:,} hand{'s' * (hands != 1)}, {decisions:,} decision{'s' * (decisions != 1)}: {names}"]
    for what, counted in (("hands", review.left_out), ("decisions", review.not_graded)):
        for reason, count in sorted(counted.items()):
            lines.append(f"{count:,} {what if count > 1 else what[:-1]} left out: {one_line(reason)}")
    if not review.hands:
        return lines
    lines.append(f"won {review.won.text(2, review.setting.money, sign=True)} a hand")
    if not math.isnan(review.rating):
        lines.append(f"rating {review.rating:.1f} of 100 (how near to the best; not comparable between judges)")
    return lines


def _several(verdict: str, count: int) -> str:
    return verdict if verdict == "good" or count == 1 else "inaccuracies" if verdict == "inaccuracy" else f"{verdict}s"


def _sums(review: Review) -> list[str]:
    rows = [("", review.total)]
    for key in review.keys:
        rows += [(key, one) for one in review.sums(key)[:SUMS]]
    width = max(len(one_line(one.name)) for _, one in rows)
    lines = [f"{'':<9} {'':<{width}} {'decisions':>9} {'mistakes':>9} {'cost':>10}  per 100 hands"]
    last = None
    for key, one in rows:
        label = "" if key == last else key
        last = key
        lines.append(
            f"{label:<9} {one_line(one.name):<{width}} {one.decisions:>9,} {one.mistakes:>9,} {number(one.cost.mean):>10}  "
            f"{spread(one.per_100)}"
        )
    return lines


def number(value: float) -> str:
    """Return a number with three digits that count, without an exponent."""
    if not math.isfinite(value):
        return "?"
    if abs(value) < 1e-6:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:,.{min(max(digits, 0), 8)}f}"


def spread(estimate: Estimate) -> str:
    """Return "1.23 ± 0.45"; a width that is not known is "?"."""
    return f"{number(estimate.mean)} ± {number(estimate.half_width)}"


def decision_lines(decision: Decision, unit: str, head: str) -> list[str]:
    """Return one decision as lines: what it cost, what was done and what is best, and why."""
    if not decision.cost:
        return [f"{head}: {decision.verdict}, {one_line(decision.words)}"]
    floor = f" (the judge may be off by {number(decision.floor)})" if decision.floor >= LEAST else ""
    lines = [f"{head}: {decision.verdict}, {number(decision.lost)}{unit and f' {one_line(unit)}'}{floor}"]
    lines.append(
        f"   {one_line(decision.words)} ({number(decision.value)}); best {one_line(decision.best_words)} ({number(decision.best_value)})"
    )
    where = [decision.situation[key] for key in ("phase", "position", "kind", "line") if decision.situation.get(key)]
    if where:
        lines.append(f"   {one_line(', '.join(where))}")
    return [*lines, *(f"   {one_line(reason.words)}" for reason in decision.reasons)]
