"""Twenty planted leaks in no-limit hold'em: solved play but for one habit, reviewed over 2,000 hands.

    python benchmarks/leaks_holdem.py [--hands 2000] [--seed 11] [--only WORD]

Seven leaks at a river, seven at a turn (a pot of 20 big blinds with 60 behind, solved here to 0.05 % of it), six before the
flop by the chart of six players. Hands are dealt from the ranges, both play the solution, the hero with his habit, and his
decisions are graded by what grades rooms' hands (:mod:`cardai.poker.grading`), floors and all. Printed: the leak that the review puts first,
whether it is the one that was planted, what the review says it costs per 100 hands with its 95 % interval, and what it costs
exactly: by all hands and lines, to who plays on behind the street as well as can be; before the flop by the chart's values, as
who plays on by the chart, cards that others hold left out.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import cast

import numpy as np
from attrs import define, field, frozen

from cardai.core.arrays import Float64s
from cardai.poker.grading.before import BeforeFlop, ChartGrader
from cardai.poker.grading.flops import FlopHand, Move, RangeBook
from cardai.poker.grading.grader import SolvingGrader, _Graded
from cardai.poker.grading.spots import Effort
from cardai.poker.hand_classes import class_of
from cardai.poker.hands.combos import pairs
from cardai.poker.preflop.charts import class_shares
from cardai.poker.preflop.starts import chart_of
from cardai.poker.preflop.tree import DECISION
from cardai.poker.ranges.flops import CALLER, OPENER
from cardai.poker.ranges.position import Position
from cardai.poker.ranges.reading import equities
from cardai.poker.ranges.solution import Solution, prepare, solve
from cardai.poker.ranges.spot import Spot
from cardai.study.graded import Decision, GradedHand
from cardai.study.review import LEAK, Review, Setting, reviewed

RIVER = Spot("KsTh7s4d2c", 20, (60, 60), (CALLER, OPENER), bets="0.75+allin/allin")
TURN = Spot("KsTh7s4d", 20, (60, 60), (CALLER, OPENER), bets="0.75/allin")
TO = 0.05
KINDS = ("first to bet", "facing a bet", "facing a raise")


@frozen
class Leak:
    """A habit: at decisions of ``kind``, with hands whose equity there is in ``span``, ``does`` is what is done (the first letter
    of an action; the largest bet of several)."""

    name: str
    seat: int
    kind: str
    does: str
    first: str
    """How the review's list must begin, behind the street."""
    span: tuple[float, float] = (0.0, 1.01)


def street(name: str) -> tuple[Leak, ...]:
    """Return the leaks of the river or the turn."""
    return (
        Leak(f"folds to every bet but with the best hands ({name})", 0, KINDS[1], "f", "fold for", (0.0, 0.9)),
        Leak(f"calls every bet ({name})", 0, KINDS[1], "c", "call for fold"),
        Leak(f"raises every bet ({name})", 0, KINDS[1], "r", "raise for"),
        Leak(f"checks his best hands behind ({name})", 1, KINDS[0], "x", "check for bet", (0.75, 1.01)),
        Leak(f"bets everything ({name})", 1, KINDS[0], "b", "bet for check"),
        Leak(f"bets middling hands ({name})", 1, KINDS[0], "b", "bet for check", (0.35, 0.65)),
        Leak(f"bets everything into the raiser ({name})", 0, KINDS[0], "b", "bet for check"),
    )


BEFORE = (
    Leak("opens every hand", -1, "first to raise", "r", "raise for fold"),
    Leak("calls every open", -1, "facing a raise", "c", "call for"),
    Leak("raises every open again", -1, "facing a raise", "r", "raise for"),
    Leak("folds to every open", -1, "facing a raise", "f", "fold for"),
    Leak("folds to every 3-bet", -1, "facing a 3-bet", "f", "fold for"),
    Leak("calls every 3-bet", -1, "facing a 3-bet", "c", "call for"),
)


class Solved:
    """A solution whose decisions are looked up once each."""

    def __init__(self, solution: Solution) -> None:
        self.at, self.spot, self.exploitability = cache(solution.at), solution.spot, solution.exploitability


@define
class Street:
    """A solved river or turn, played to the end of that street."""

    spot: Spot
    leaks: tuple[Leak, ...]
    solution: Solved = field(init=False)
    seen: dict[str, tuple[Position | None, Float64s]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.solution = Solved(solve(prepare(self.spot), TO, 5000))

    def at(self, line: str) -> tuple[Position | None, Float64s]:
        """Return the decision behind a line, None where the street has ended, and each hand's equity."""
        if line not in self.seen:
            words = line.split()
            over = bool(words) and (words[-1] in "fc" or words[-2:] == ["x", "x"])
            position = None if over else self.solution.at(line, best=True)
            self.seen[line] = position, np.zeros(0) if position is None else equities(position)[1]
        return self.seen[line]

    def played(self, line: str, leak: Leak | None) -> tuple[Position, Float64s] | None:
        """Return a decision and what is done there (A, n) by a player with a leak; None where the street has ended."""
        position, equity = self.at(line)
        if position is None:
            return None
        strategy = position.strategy.copy()
        bets = sum(word[0] in "br" for word in line.split())
        can = [k for k, token in enumerate(position.tokens) if token[0] == (leak.does if leak else "")]
        if leak and leak.seat == position.seat and can and leak.kind == KINDS[min(bets, 2)]:
            held = (leak.span[0] <= equity) & (equity < leak.span[1])
            strategy[:, held] = np.arange(len(strategy))[:, None] == can[-1]
        return position, strategy

    def exact(self, leak: Leak, line: str = "", reach: Float64s | None = None) -> float:
        """Return what a leak costs a hand, in chips: at each decision, what the best action brings more, times how often it comes."""
        found = self.played(line, leak)
        if found is None:
            return 0.0
        position, strategy = found
        own = position.weights[position.seat] if reach is None else reach
        cost = 0.0
        if position.seat == leak.seat:
            values = np.nan_to_num(position.values)
            lost = values.max(axis=0) - (strategy * values).sum(axis=0)
            cost = float((own * position.met * lost).sum()) / self.dealt
        if reach is None and position.seat != leak.seat:
            own = position.weights[leak.seat]  # of the hero's hands: nothing has been done yet
        for k, token in enumerate(position.tokens):
            after = own * strategy[k] if position.seat == leak.seat else own
            cost += self.exact(leak, f"{line} {token}".strip(), after)
        return cost

    @property
    def dealt(self) -> float:
        """The weight of all deals."""
        position = self.at("")[0]
        assert position is not None
        return float((position.weights[position.seat] * position.met).sum())

    def hands(self, count: int, luck: np.random.Generator) -> Iterator[tuple[int, int]]:
        """Yield pairs of the hands' places in the vectors, dealt from both ranges."""
        position = self.at("")[0]
        assert position is not None
        cards, each = pairs()[position.hands], position.weights / position.weights.sum(axis=1, keepdims=True)
        while count:
            first, last = (int(luck.choice(len(cards), p=one)) for one in each)
            if not set(cards[first].tolist()) & set(cards[last].tolist()):
                count -= 1
                yield first, last

    def review(self, leak: Leak, count: int, seed: int) -> Review:
        """Play and grade so many hands."""
        luck, graded = np.random.default_rng(seed), []
        for number, hand in enumerate(self.hands(count, luck), 1):
            line: list[str] = []
            marks: list[tuple[str, str]] = []
            while (found := self.played(" ".join(line), leak)) is not None:
                position, strategy = found
                column = strategy[:, hand[position.seat]]
                token = position.tokens[int(luck.choice(len(column), p=column / column.sum()))]
                if position.seat == leak.seat:
                    marks.append((" ".join(line), token))
                line.append(token)
            graded.append(GradedHand(number, 0, 0, number, 0, 0.0, self._decisions(leak, hand[leak.seat], marks), {}))
        return reviewed(Setting("holdem", "hero", "solving", "big blinds", "big blinds", 0.25, 1.0), graded)

    def _decisions(self, leak: Leak, place: int, marks: list[tuple[str, str]]) -> tuple[Decision, ...]:
        number, cards = len(self.spot.cards()) - 3, pairs()[self.at("")[0].hands[place]]  # type: ignore[union-attr]
        hand = FlopHand(
            tuple(self.spot.cards()), 20.0, (60.0, 60.0), (), leak.seat, (int(cards[0]), int(cards[1])), ("BB", "BTN"),
            "single", ("call", "raise"), 1.0, 0.0,
        )  # fmt: skip
        by = _Graded(SolvingGrader(RangeBook(), Effort(), 0.25, 1.0), hand)
        for line, token in marks:
            kind = {"f": "fold", "x": "check", "c": "call", "b": "bet", "r": "raise"}[token[0]]
            by._decision(cast(Solution, self.solution), line, 0, Move(number, leak.seat, kind, float(token[1:] or 0)))
        return tuple(by.found)


@define
class Before:
    """Six players before the flop, by the chart of the box; the hero sits everywhere in turn."""

    leaks: tuple[Leak, ...] = BEFORE

    def played(self, node: int, seat: int, hero: int, leak: Leak) -> Float64s:
        """Return what a seat does at a decision (A, 169)."""
        chart = chart_of(None, "6max")
        strategy, tokens = chart.strategy[chart.rows(node)].copy(), chart.tree.actions(node)
        can = [k for k, token in enumerate(tokens) if token[0] == leak.does]
        if seat == hero and can and leak.kind == kind_of(node):
            strategy[:] = np.arange(len(strategy))[:, None] == can[-1]
        return strategy

    def exact(self, leak: Leak) -> float:
        """Return what a leak costs a hand."""
        return float(np.mean([self._exact(leak, hero) for hero in range(6)]))

    def _exact(self, leak: Leak, hero: int) -> float:
        chart, shares, cost = chart_of(None, "6max"), class_shares(), 0.0
        reach = {0: np.ones((6, 169))}
        for node in np.flatnonzero(chart.tree.kind == DECISION).tolist():
            seat, strategy = int(chart.tree.actor[node]), self.played(node, int(chart.tree.actor[node]), hero, leak)
            here = reach.pop(node)
            if seat == hero:
                values = np.nan_to_num(chart.values[chart.rows(node)])
                lost = ((chart.strategy[chart.rows(node)] - strategy) * values).sum(axis=0)
                others = np.prod([here[k] @ shares for k in range(6) if k != hero])
                cost += float((here[hero] * shares * lost).sum() * others)
            for k in range(len(strategy)):
                reach[chart.tree.after(node, k)] = here * np.where(np.arange(6)[:, None] == seat, strategy[k], 1.0)
        return cost

    def review(self, leak: Leak, count: int, seed: int) -> Review:
        """Play and grade so many hands."""
        chart, luck, graded = chart_of(None, "6max"), np.random.default_rng(seed), []
        grader = ChartGrader({"6max": chart}, 0.25, 1.0)
        for number in range(1, count + 1):
            hero, cards = number % 6, luck.permutation(52)[:12].reshape(6, 2)
            cards.sort(axis=1)
            held = [int(class_of()[k]) for k in places(cards)]
            node, spent = 0, [0.5, 1.0, 0.0, 0.0, 0.0, 0.0]
            moves: list[tuple[int, str, float, int]] = []
            while chart.tree.kind[node] == DECISION:
                seat = int(chart.tree.actor[node])
                column = self.played(node, seat, hero, leak)[:, held[seat]]
                action = int(luck.choice(len(column), p=column / column.sum()))
                token, node = chart.tree.actions(node)[action], chart.tree.after(node, action)
                spent[seat] = float(chart.tree.spent[node, seat]) / 100
                kind = {"f": "fold", "x": "check", "c": "call", "r": "raise", "a": "raise"}[token[0]]
                moves.append((seat, kind, spent[seat], len(moves)))
            hand = BeforeFlop((100.0,) * 6, 0.0, tuple(moves), hero, (int(cards[hero, 0]), int(cards[hero, 1])))
            found = tuple(grader.grade(hand, grader.follow(hand), Counter()))
            graded.append(GradedHand(number, 0, 0, number, hero, 0.0, found, {}))
        return reviewed(Setting("holdem", "hero", "chart", "big blinds", "big blinds", 0.25, 1.0), graded)


@cache
def kind_of(node: int) -> str:
    """Return what a decision of the chart is called by the review."""
    from cardai.poker.grading.before import _situation

    return _situation(chart_of(None, "6max"), node)["kind"]


def places(cards: np.ndarray) -> list[int]:
    """Return the numbers of hands (n, 2)."""
    from cardai.poker.hands.combos import pair_index

    return [int(k) for k in pair_index(cards[:, 0], cards[:, 1])]


def main() -> None:
    """Plant all and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    rooms: list[tuple[str, Callable[[], Street | Before], tuple[Leak, ...]]] = [
        ("river", lambda: Street(RIVER, street("river")), street("river")),
        ("turn", lambda: Street(TURN, street("turn")), street("turn")),
        ("preflop", Before, BEFORE),
    ]
    first = within = number = 0
    for phase, make, leaks in rooms:
        wanted = [leak for leak in leaks if given.only in leak.name]
        room = make() if wanted else None
        for leak in wanted:
            assert room is not None
            review, exact = room.review(leak, given.hands, given.seed + number), room.exact(leak)
            names, cost = [one.name for one in review.sums(LEAK)], review.total.per_100
            right = bool(names) and names[0].startswith(f"{phase}, {leak.kind}: {leak.first}")
            holds = abs(cost.mean - 100 * exact) <= cost.half_width
            number, first, within = number + 1, first + right, within + holds
            sys.stdout.write(
                f"{leak.name}: {'first' if right else f'NOT first: {names[:1]}'}; {cost.mean:.2f} ± {cost.half_width:.2f} big "
                f"blinds per 100 hands, exactly {100 * exact:.2f}{'' if holds else ' (OUTSIDE)'}\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"{first} of {number} first in the list; {within} intervals hold the exact cost\n")


if __name__ == "__main__":
    main()
