"""Play before the flop, graded by a chart: each decision is looked up where the line so far leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import hypot, log

import numpy as np
from attrs import define, field, frozen

from cardai.core.reasons import Reason
from cardai.poker.grading.sized import rules_for, solved_for
from cardai.poker.hand_classes import class_of, class_text
from cardai.poker.hands.combos import pair_index
from cardai.poker.preflop.charts import Chart, class_shares
from cardai.poker.preflop.rules import HUNDRED, Rules
from cardai.poker.preflop.tree import DECISION, FLOP
from cardai.study.graded import Decision
from cardai.study.judge import verdict

NO_CHART = "no chart of play before the flop is for so many players with such stacks"
OFF = "the way it was played before the flop is not in the chart"
NO_RAISE = (
    "a raise that the chart does not have, by the player or before him (such as an all-in of many blinds at once)"
)
RARE = "the chart's players hardly ever come there"
MIXED = 0.1
"""Actions that a chart whose values are measured takes so often with a class are worth the same in truth: what parts them is the
chart's own error."""
SMALL = 0.01
"""What actions are apart at least, in big blinds, before one is called worse: frequencies are kept in steps of 1/255."""
SEEN = 10
"""From how many hands, as a mean, values must be measured to be believed: two that end alike would say that nothing is uncertain."""
FAR = 1.7
"""A chart is taken for stacks that are at most so many times larger or smaller, and a raise for one of the chart's."""


@frozen
class BeforeFlop:
    """A hand of no-limit hold'em before the flop, in big blinds. Seats go from the first after the button, the last has it; of
    two the first is the big blind."""

    stacks: tuple[float, ...]
    ante: float
    """What each put in beside the blinds, the mean."""
    moves: tuple[tuple[int, str, float, int], ...]
    """Seat, kind (fold, check, call, bet or raise), what the seat has then put in, place among the hand's actions."""
    hero: int
    cards: tuple[int, int]

    @property
    def stack(self) -> float:
        """What can be won from one of the others, or lost to him."""
        others = [stack for seat, stack in enumerate(self.stacks) if seat != self.hero]
        return min(self.stacks[self.hero], max(others))


@define
class Followed:
    """A hand in a chart: the hero's decisions, and where the line has come to (-1: out of the chart)."""

    chart: Chart
    node: int = 0
    decisions: list[tuple[int, int, int]] = field(factory=list)
    """Node, action, place among the hand's actions."""
    lost: int = 0
    """Decisions of the hero that are not in the chart."""
    left: str = OFF
    """Why they are not."""
    source: str = "the chart"
    """What it is called in a reason."""


@frozen(eq=False)
class ChartGrader:
    """Grades decisions before the flop by ``charts``, by name. Costs are in big blinds."""

    charts: Mapping[str, Chart]
    mistake: float
    blunder: float

    def chart(self, hand: BeforeFlop) -> Chart | None:
        """Return the chart whose stacks and antes are nearest, None: none is near."""
        found = [
            (self._far(chart, hand), name)
            for name, chart in self.charts.items()
            if chart.head.rules.players == len(hand.stacks)
        ]
        best = min(found, default=(FAR, ""))
        return self.charts[best[1]] if best[0] < log(FAR) else None

    def _far(self, chart: Chart, hand: BeforeFlop) -> float:
        rules = chart.head.rules
        return abs(log(rules.stack / max(hand.stack, 0.1))) + abs(rules.ante - hand.ante)

    def follow(self, hand: BeforeFlop) -> Followed | None:
        """Return where the hand leads in its chart, None: there is no chart for it.

        Of two players whose raises are too far from the chart's, a chart with theirs is solved.
        """
        chart = self.chart(hand)
        if chart is None:
            return None
        found = self._along(Followed(chart), hand)
        if found.node >= 0 or len(hand.stacks) != 2:
            return found
        rules = rules_for(chart.head.rules, hand.moves, hand.stack)
        if rules == chart.head.rules:
            return found
        own = self._along(Followed(solved_for(rules), source="a chart solved for these raises"), hand)
        return own if own.node >= 0 else found

    def _along(self, found: Followed, hand: BeforeFlop) -> Followed:
        """Return ``found``, which is at the beginning, where the hand leads."""
        chart = found.chart
        for seat, kind, to, place in hand.moves:
            action = _action(chart, found.node, seat, kind, to)
            if action is None and kind == "fold" and not _decides(chart, found.node, seat):
                continue  # the chart folds him without asking
            if action is None and found.node >= 0 and kind in ("bet", "raise") and _decides(chart, found.node, seat):
                found.left = NO_RAISE
            if seat == hand.hero:
                if action is None:
                    found.lost += 1
                else:
                    found.decisions.append((found.node, action, place))
            found.node = -1 if action is None else chart.tree.after(found.node, action)
        return found

    def ranges(self, found: Followed, seats: Sequence[int]) -> tuple[str, str] | None:
        """Return the ranges with which two seats see the flop where the line has come to, None: they are not known."""
        chart, node = found.chart, found.node
        if node < 0 or chart.tree.kind[node] != FLOP or np.flatnonzero(chart.tree.live[node]).tolist() != [*seats]:
            return None
        if any(chart.reach(node)[seat].max() <= 0 for seat in seats):
            return None
        return chart.range_at(node, seats[0]), chart.range_at(node, seats[1])

    def grade(self, hand: BeforeFlop, found: Followed | None, left_out: Counter[str]) -> Iterator[Decision]:
        """Yield the hero's decisions graded; what cannot be is counted in ``left_out`` by the reason."""
        if found is None:
            left_out[NO_CHART] += sum(seat == hand.hero for seat, *_ in hand.moves)
            return
        left_out.update({found.left: found.lost} if found.lost else {})
        for node, action, place in found.decisions:
            graded = self._decision(found, node, action, place, hand)
            if graded is None:
                left_out[RARE] += 1
            else:
                yield graded

    def _decision(self, found: Followed, node: int, taken: int, place: int, hand: BeforeFlop) -> Decision | None:
        chart = found.chart
        rows, tree, rules = chart.rows(node), chart.tree, chart.head.rules
        number = int(class_of()[pair_index(np.array(hand.cards[:1]), np.array(hand.cards[1:]))[0]])
        spent = float(tree.spent[node, hand.hero]) / 100 + rules.ante
        values = chart.values[rows][:, number] + spent  # a fold is worth 0
        if not np.isfinite(values).all():
            return None
        came = _others(chart, node, hand.hero)
        if 0 < chart.head.hands * came * class_shares()[number] < SEEN:
            return None
        values[taken] = max(values[taken], -_added(hand, rules, place))
        noise = chart.noise[rows][:, number]
        best = int(np.argmax(values))
        best = taken if values[taken] >= values[best] else best
        floor = max(SMALL, hypot(noise[best], noise[taken]) + max(chart.head.gain[hand.hero], 0.0) / max(came, 1e-6))
        often = chart.strategy[rows][:, number]
        if chart.head.hands:  # measured
            floor = max(floor, float(values[best] - values[often >= MIXED].min()))
        lost = float(values[best] - values[taken])
        words = [_words(token) for token in tree.actions(node)]
        told = ", ".join(
            f"{word} {100 * share:.0f} %" for word, share in zip(words, often, strict=True) if share >= 0.005
        )
        reasons = (Reason("chart", float(often[taken]), f"{class_text(number)} here in {found.source}: {told}."),)
        return Decision(
            place, taken, words[taken], best, words[best], float(values[taken]), float(values[best]), float(values.min()),
            float(floor), verdict(lost, float(floor), self.mistake, self.blunder), _situation(chart, node),
            reasons if lost > floor else (), {word: float(value) for word, value in zip(words, values, strict=True)},
        )  # fmt: skip


def _added(hand: BeforeFlop, rules: Rules, place: int) -> float:
    """Return what the hero put in by the action at a place: no action is worth less, since folding may follow it. (A large raise
    counts as all-in in charts.)"""
    own = [(at, to) for seat, _, to, at in hand.moves if seat == hand.hero and at <= place]
    before = max((to for at, to in own if at < place), default=rules.posted[hand.hero] / HUNDRED)
    return max(own[-1][1] - before, 0.0)


def _others(chart: Chart, node: int, seat: int) -> float:
    """Return how often the others let a seat come to a decision."""
    each = chart.reach(node) @ class_shares()
    return float(np.prod(np.delete(each, seat)))


def _situation(chart: Chart, node: int) -> dict[str, str]:
    tree, names = chart.tree, chart.head.rules.positions
    kind = ("first to raise", "facing a raise", "facing a 3-bet", "facing a 4-bet")
    return {"phase": "preflop", "position": names[int(tree.actor[node])], "kind": kind[min(_raises(chart, node), 3)]}


def _raises(chart: Chart, node: int) -> int:
    """Return how often was raised before a decision."""
    count = 0
    while node:
        above, action = chart.above(node)
        count += chart.tree.actions(above)[action][0] in "ra"
        node = above
    return count


def _decides(chart: Chart, node: int, seat: int) -> bool:
    return node >= 0 and bool(chart.tree.kind[node] == DECISION) and int(chart.tree.actor[node]) == seat


def _action(chart: Chart, node: int, seat: int, kind: str, to: float) -> int | None:
    """Return which of a decision's actions a move is; a raise is the one that is nearest in proportion. None: none."""
    if not _decides(chart, node, seat):
        return None
    actions, rules = chart.tree.actions(node), chart.head.rules
    if kind in ("bet", "raise"):
        sizes = {k: rules.behind / 100 if t == "a" else float(t[1:]) for k, t in enumerate(actions) if t[0] in "ra"}
        near = min(sizes, key=lambda k: abs(log(sizes[k] / to)), default=-1)
        all_in = near >= 0 and actions[near] == "a" and to > rules.commit * rules.behind / 100
        return near if all_in or (near >= 0 and abs(log(sizes[near] / to)) < log(FAR)) else None
    token = {"fold": "f", "check": "x", "call": "c"}[kind]
    return actions.index(token) if token in actions else None


def _words(token: str) -> str:
    named = {"f": "fold", "x": "check", "c": "call", "a": "all-in"}
    return named.get(token, f"raise to {token[1:]} bb")
