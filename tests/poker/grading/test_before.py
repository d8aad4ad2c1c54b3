"""Before the flop decisions are graded by a chart, and what players then see the flop with is what its line leaves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from attrs import evolve

from cardai.cards.text import parse_cards
from cardai.poker.grading.before import NO_CHART, NO_RAISE, OFF, RARE, BeforeFlop, ChartGrader
from cardai.poker.grading.flops import FlopHand, Move, RangeBook
from cardai.poker.grading.grader import SolvingGrader
from cardai.poker.grading.spots import Effort
from cardai.poker.grading.whole import WholeGrader, WholeHand
from cardai.poker.hand_classes import class_number, class_of, class_weights
from cardai.poker.hands.combos import pairs
from cardai.poker.notation import parse_range
from cardai.poker.preflop.charts import Chart, class_shares
from cardai.poker.preflop.starts import chart_of
from cardai.study.graded import Decision
from cardai.study.grading import Task

STACKS = (100.0, 80.0, 100.0, 100.0, 250.0, 100.0)
FOLDS = tuple((seat, "fold", 0.0, seat - 2) for seat in (2, 3, 4))
OPENED = (*FOLDS, (5, "raise", 2.3, 3), (0, "fold", 0.5, 4))
"""The button opens, the small blind folds."""


@pytest.fixture(scope="module")
def grader() -> ChartGrader:
    return ChartGrader({"6max": chart_of(None, "6max")}, 0.25, 1.0)


def hand(hero: int, cards: str, *moves: tuple[int, str, float, int]) -> BeforeFlop:
    held = parse_cards(cards)
    return BeforeFlop(STACKS, 0.0, moves, hero, (held[0], held[1]))


def graded(grader: ChartGrader, one: BeforeFlop) -> tuple[list[Decision], Counter[str]]:
    left_out: Counter[str] = Counter()
    return list(grader.grade(one, grader.follow(one), left_out)), left_out


def test_folding_aces_is_a_blunder_and_opening_the_worst_hand_costs_what_the_chart_says(grader: ChartGrader) -> None:
    (fold,), left_out = graded(grader, hand(2, "AsAh", (2, "fold", 0.0, 0)))
    assert (fold.words, fold.best_words, fold.verdict) == ("fold", "raise to 2.5 bb", "blunder")
    assert fold.value == pytest.approx(0.0, abs=1e-6)
    assert fold.lost > 2.0
    assert "AA here in the chart: raise to 2.5 bb 100 %." in fold.reasons[0].words
    (worst,), _ = graded(grader, hand(2, "7s2h", (2, "raise", 3.0, 0)))
    chart = grader.charts["6max"]
    assert worst.lost == pytest.approx(-chart.values[chart.rows(0)][1, class_number("72o")], abs=0.01)
    assert worst.cost > 0.2
    assert not left_out
    (given_up,), _ = graded(grader, hand(1, "7s2h", *OPENED, (1, "fold", 1.0, 5)))
    assert (given_up.value, given_up.cost) == (pytest.approx(0.0, abs=1e-3), 0)  # the blind is gone already
    (good,), _ = graded(grader, hand(2, "AsAh", (2, "raise", 2.2, 0)))
    assert good.cost == 0
    assert good.situation == {"phase": "preflop", "position": "UTG", "kind": "first to raise"}


def test_a_line_is_followed_by_the_nearest_raises_and_left_where_the_chart_has_no_such_play(
    grader: ChartGrader,
) -> None:
    found = grader.follow(hand(1, "KsQh", *OPENED, (1, "raise", 11.0, 5), (5, "call", 11.0, 6)))
    assert found is not None
    chart = found.chart
    assert found.node == chart.node("f f f r2.5 f r10 c")
    assert [(node, action) for node, action, _ in found.decisions] == [(chart.node("f f f r2.5 f"), 2)]
    limped = hand(
        1,
        "KsQh",
        (2, "call", 1.0, 0),
        *((seat, "fold", 0.0, seat) for seat in (3, 4, 5)),
        (0, "fold", 0.5, 4),
        (1, "check", 1.0, 5),
    )
    assert graded(grader, limped) == ([], Counter({OFF: 1}))
    jammed = hand(5, "7s2h", *FOLDS, (5, "raise", 100.0, 3), (0, "fold", 0.5, 4), (1, "call", 80.0, 5))
    for one in (jammed, evolve(jammed, hero=1)):
        assert graded(grader, one) == ([], Counter({NO_RAISE: 1}))
        whole = WholeGrader(grader, SolvingGrader(RangeBook({}), Effort(), 0.25, 1.0))
        assert whole.refused(WholeHand(one, None, "all-in before the flop", 0, -100.0, one.hero)) == NO_RAISE
    assert graded(grader, evolve(limped, stacks=(20.0,) * 6)) == ([], Counter({NO_CHART: 1}))
    assert graded(grader, evolve(limped, stacks=(100.0,) * 5, hero=1)) == ([], Counter({NO_CHART: 1}))


def test_ranges_at_the_flop_are_those_of_the_line(grader: ChartGrader) -> None:
    found = grader.follow(hand(1, "KsQh", *OPENED, (1, "call", 2.3, 5)))
    assert found is not None
    ranges = grader.ranges(found, (1, 5))
    assert ranges is not None
    first, button = (class_weights(parse_range(text)) for text in ranges)
    assert first[class_number("AA")] < 0.02  # they raise again
    assert button[class_number("AA")] == pytest.approx(1.0)
    assert button[class_number("72o")] == 0
    assert grader.ranges(found, (0, 5)) is None  # the small blind has folded


def test_a_whole_hand_is_graded_before_and_after_the_flop_with_the_chart_s_ranges(grader: ChartGrader) -> None:
    before = hand(1, "Ks9s", *OPENED, (1, "call", 2.3, 5))
    moves = (Move(0, 0, "check", 0.0), Move(0, 1, "bet", 2.5), Move(0, 0, "fold", 0.0))
    board = tuple(parse_cards("As7s2s4dJc"))
    flop = FlopHand(
        board, 5.1, (97.7, 97.7), moves, 0, before.cards, ("BB", "BTN"), "single", ("call", "raise"), 1.0, -2.3, 1, (1, 5)
    )  # fmt: skip
    whole = WholeGrader(grader, SolvingGrader(RangeBook({}), Effort(bets="0.5", iterations=2, to=50.0), 0.25, 1.0))
    record = WholeHand(before, None, "more than two players saw the flop", 3, -2.3, 1)
    assert whole.refused(record) == ""
    (only,) = whole.grade([Task(1, record, 1)])
    assert [decision.words for decision in only.decisions] == ["call"]
    assert only.left_out == {"more than two players saw the flop": 3}
    known = whole._ranges(evolve(record, flop=flop), whole._followed(record))
    assert known == grader.ranges(grader.follow(before), (1, 5))  # type: ignore[arg-type]
    unknown = evolve(record, before=None, flop=flop)
    assert whole.refused(unknown) == "no range is known for a single pot, BB against BTN"


def test_values_of_a_chart_say_how_far_they_may_be_off(grader: ChartGrader) -> None:
    chart = grader.charts["6max"]
    (call,), _ = graded(grader, hand(1, "9s8s", *OPENED, (1, "call", 2.3, 5)))
    rows = chart.rows(chart.node("f f f r2.5 f"))
    noise = chart.noise[rows][:, class_number("98s")]
    assert call.floor >= float(np.hypot(noise[1], noise[1])) > 0
    two = chart_of(None, "hu100")  # what can be won from it in all may be lost where it opens, as seldom as that is
    off = ChartGrader({"hu100": evolve(two, head=evolve(two.head, gain=(0.05, 0.5)))}, 0.25, 1.0)
    held, worst = parse_cards("7s2h"), class_number("72o")
    moves = ((1, "raise", 2.5, 0), (0, "fold", 1.0, 1))
    (fold,), _ = graded(off, BeforeFlop((100.0, 100.0), 0.0, moves, 0, (held[0], held[1])))
    opens = float(two.strategy[two.rows(0)][2] @ class_shares())
    noise = two.noise[two.rows(two.node("r2.5"))][0, worst]
    assert fold.floor == pytest.approx(np.hypot(noise, noise) + 0.05 / opens)


def test_what_hardly_any_dealt_hand_came_to_is_not_graded_and_antes_choose_the_chart(grader: ChartGrader) -> None:
    """The small blind calls the open and raises all-in over a raise that was called: seen in 0.4 of 1,200,000 hands."""
    squeezed = ((1, "raise", 12.5, 5), (5, "call", 12.5, 6), (0, "raise", 100.0, 7), (1, "fold", 12.5, 8))
    line = hand(1, "AsAh", *FOLDS, (5, "raise", 2.5, 3), (0, "call", 2.5, 4), *squeezed)
    (only,), left_out = graded(grader, line)
    assert (only.words, left_out) == ("raise to 12.5 bb", Counter({RARE: 1}))
    two = ChartGrader({name: chart_of(None, name) for name in ("hu40", "hu40ante")}, 0.25, 1.0)
    for ante, name in ((0.0, "hu40"), (0.05, "hu40"), (0.1, "hu40ante")):
        assert two.chart(BeforeFlop((40.0, 40.0), ante, (), 1, line.cards)) is two.charts[name]


def test_who_plays_as_the_chart_does_makes_no_mistake() -> None:
    """Where values are exact by what actions bring; where they are measured and err, by what the chart does often, too."""
    chart, moves = chart_of(None, "hu100"), [(1, "fold", 0.0, 0), (1, "call", 1.0, 0), (1, "raise", 2.5, 0)]
    often, hands = chart.strategy[chart.rows(0)], [(one, pairs()[class_of() == one][0].tolist()) for one in range(169)]

    def costs(chart: Chart, held: list[int]) -> list[float]:
        grader = ChartGrader({"hu100": chart}, 0.25, 1.0)
        each = [BeforeFlop((100.0, 100.0), 0.0, (move,), 1, (held[0], held[1])) for move in moves]
        return [graded(grader, one)[0][0].cost for one in each]

    for number, held in hands:
        found = np.array(costs(chart, held))
        assert not found[often[:, number] > 0.005].any()
    assert max(costs(chart, hands[class_number("72o")][1])) > 0.1
    aces = class_number("AA")
    assert 0.1 < often[1, aces] < often[2, aces]
    wrong = chart.values.copy()
    wrong[1, aces] += 0.25
    planted = evolve(chart, values=wrong)
    assert costs(planted, hands[aces][1])[2] == pytest.approx(0.25, abs=0.01)
    assert costs(evolve(planted, head=evolve(chart.head, hands=10**6)), hands[aces][1])[1:] == [0, 0]


def test_raises_that_no_chart_for_two_has_are_graded_by_a_chart_that_is_solved_for_them() -> None:
    """A limp, a raise to twice the blind: 2.5 and 4 are the chart's raises there."""
    chart, limped = chart_of(None, "hu100"), [(1, "call", 1.0, 0), (0, "raise", 2.0, 1), (1, "call", 2.0, 2)]
    grader = ChartGrader({"hu100": chart}, 0.25, 1.0)

    def two(hero: int, cards: str, *moves: tuple[int, str, float, int], stack: float = 100.0) -> BeforeFlop:
        held = parse_cards(cards)
        return BeforeFlop((stack, stack), 0.0, moves, hero, (held[0], held[1]))

    found = grader.follow(two(1, "7s2h", *limped))
    assert found is not None
    assert found.chart.head.rules == evolve(chart.head.rules, blind_raises="1.001/4/2.2")
    assert found.chart.pot(found.node) == (4.0, 98.0)
    assert max(found.chart.head.gain) < 0.001  # big blinds that a best reply wins more
    ranges = grader.ranges(found, (0, 1))
    assert ranges is not None
    big, small = (class_weights(parse_range(text)) for text in ranges)
    assert big[class_number("AA")] == 1 > big[class_number("72o")] == small[class_number("72o")] == 0
    decisions, left_out = graded(grader, two(1, "7s2h", *limped))
    assert [(one.words, one.best_words) for one in decisions] == [("call", "fold")] * 2
    assert "72o here in a chart solved for these raises: fold 100 %." in decisions[1].reasons[0].words
    assert not left_out
    again = grader.follow(two(0, "AsAh", *limped[:1], (0, "raise", 2.1, 1), (1, "call", 2.1, 2)))
    assert again is not None
    assert again.chart is found.chart  # sizes that are near share one
    usual = grader.follow(two(0, "AsAh", limped[0], (0, "raise", 3.0, 1), (1, "call", 3.0, 2)))
    assert usual is not None
    assert usual.chart is chart
    large = graded(grader, two(1, "7s2h", (1, "raise", 25.0, 0), (0, "raise", 40.0, 1), (1, "call", 40.0, 2)))[0]
    assert large[1].lost == 15.0  # no more than the call put in, though the chart takes so large a raise for all-in
    (_, shoved), _ = graded(
        grader, two(1, "7s2h", (1, "raise", 2.5, 0), (0, "raise", 80.0, 1), (1, "call", 80.0, 2), stack=80.0)
    )
    assert (shoved.best_words, shoved.verdict) == ("fold", "blunder")
