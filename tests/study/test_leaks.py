"""Planted leaks are first in a review's list, and what they cost is within its interval (benchmarks/leaks.py)."""

from __future__ import annotations

import pytest

from benchmarks.leaks import GAME, LEAKS, found, tried
from cardai import make
from cardai.study.graded import Decision
from cardai.study.judge import Judge, judge_for
from cardai.study.review import leak_of
from tests.support import sizes


@pytest.fixture(scope="module")
def judge() -> Judge:
    return judge_for(make.game(GAME))


@pytest.mark.long
@pytest.mark.parametrize("name", sizes("calls every bet at the end", "never bets a pair"))
def test_a_planted_leak_is_first_and_its_cost_is_told(judge: Judge, name: str) -> None:
    leak = next(one for one in LEAKS if one.name == name)
    review, exact = tried(judge.game, judge, leak, 300, 11)
    assert found(review).startswith(leak.first)
    cost = review.total.per_100
    assert abs(cost.mean - 100 * exact) < 1.5 * cost.half_width


def test_a_leak_is_named_without_amounts_and_what_costs_nothing_is_none() -> None:
    def decision(done: str, best: str, value: float) -> Decision:
        return Decision(0, 0, done, 1, best, value, 1.0, value, 0.0, "", {"phase": "river", "kind": "facing a bet"})

    assert leak_of(decision("raise to 12.5 bb", "call", 0.0)) == "river, facing a bet: raise for call"
    assert leak_of(decision("bet 4 bb", "bet 12 bb", 0.0)) == "river, facing a bet: bet of another size"
    assert leak_of(decision("call", "fold", 1.0)) == ""


@pytest.mark.parametrize(
    ("done", "best", "leak"),
    [
        ("hold 7♦", "hold 7♦ 7♣ 10♠ 10♥", "hold 1 card for hold 4 cards"),
        ("hold Ks", "hold 2c", "hold 1 card for others"),
        ("discard 10♠", "knock with 4♥, 5 left", "discard 1 card for knock with 1 card, left"),
        ("draw all", "hold 2♦ 3♦", "draw all for hold 2 cards"),
    ],
)
def test_a_leak_counts_cards_and_begins_with_where_it_was_only_if_that_is_known(
    done: str, best: str, leak: str
) -> None:
    assert leak_of(Decision(0, 0, done, 1, best, 0.0, 1.0, 0.0, 0.0, "", {})) == leak


@pytest.mark.long
def test_nineteen_of_twenty_leaks_are_first(judge: Judge) -> None:
    reviews = [(leak, *tried(judge.game, judge, leak, 2000, 11 + k)) for k, leak in enumerate(LEAKS)]
    assert sum(found(review).startswith(leak.first) for leak, review, _ in reviews) >= 19
