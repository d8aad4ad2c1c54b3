"""The coach of hold'em that was played here: before the flop by the charts, after it by solving, whether the hand is over or not."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from cardai import make
from cardai.arena.records import RecordFile
from cardai.arena.table import Table
from cardai.cards.text import parse_cards
from cardai.core.agent import Agent
from cardai.core.fields import Views
from cardai.core.legal import Legal
from cardai.formats.rooms import own_limit
from cardai.formats.rooms.coach import HandCoach, coach_of
from cardai.formats.rooms.own import LATER
from cardai.poker.grading.before import NO_RAISE
from cardai.poker.grading.flops import FlopHand
from cardai.poker.grading.grader import SolvingGrader
from cardai.poker.grading.limit import ranges_along
from cardai.poker.hands.combos import pairs
from cardai.study.coach import Coach, word_of
from cardai.study.graded import Decision
from cardai.study.session import run


@pytest.fixture(scope="module")
def coach() -> Coach:
    """Who grades hold'em for two with 100 big blinds."""
    return coach_of(make.game("holdem"))


def dealt(coach: Coach, cards: str) -> Table:
    """Return a table at which the button, who is to act, holds ``cards``."""
    table = Table(coach.game, [None, None], seed=3)
    button = table.to_act
    record = dict(table.unfinished or {})
    rest = [card for card in range(52) if card not in parse_cards(cards)]
    deck = [*rest[:2], *parse_cards(cards), *rest[2:7]]  # the button is the last of the two who are dealt cards
    again = Table.of_record(coach.game, {**record, "deck": deck, "actions": []}, seats=[None, None], played=0)
    assert again.to_act == button
    return again


def test_folding_aces_is_a_blunder_and_raising_them_costs_nothing(coach: Coach) -> None:
    assert isinstance(coach, HandCoach)
    table = dealt(coach, "AsAh")
    record, seat = table.unfinished, table.to_act
    assert record is not None
    assert seat is not None
    said = {action: coach.decision(table.views(), table.legal(), action, record, seat) for action in (0, 250)}
    assert said[0].verdict == "blunder"
    assert said[0].best_words != "fold"
    assert said[0].reasons[0].words.startswith("AA here in the chart: ")
    assert said[250].cost == 0
    assert word_of(said[0], coach.unit).startswith("fold: blunder, ")


def test_what_the_chart_does_not_know_is_said_to_be_so(coach: Coach) -> None:
    for action, known in ((5_000, False), (10_000, True)):  # half of the stack; all-in, for which a chart is solved
        table = dealt(coach, "Th8d")
        seat = table.to_act
        table.act(action)
        found = coach.hand(table.unfinished or {}, seat or 0)
        assert (found.left_out, len(found.decisions)) == ({} if known else {NO_RAISE: 1}, int(known))


def test_decisions_after_the_flop_are_told_by_their_place_in_the_hand(
    coach: Coach, monkeypatch: pytest.MonkeyPatch
) -> None:
    def graded(grader: SolvingGrader, hand: FlopHand, known: Any) -> tuple[list[Decision], Counter[str]]:
        own = [place for place, move in enumerate(hand.moves) if move.seat == hand.hero]
        return [Decision(place, 0, "", 0, "", 0, 0, 0, 0, "good", {"phase": "flop"}) for place in own], Counter()

    monkeypatch.setattr(SolvingGrader, "graded", graded)
    table = dealt(coach, "AsAh")
    seat = table.to_act
    for action in (250, 1, 1, 600):  # raise, call; check, bet
        table.act(action)
    for record in (table.unfinished, _over(table)):
        assert record is not None
        found = coach.hand(record, seat)
        assert [one.place for one in found.decisions] == [0, 3]
    assert found.returns == record["returns"][seat]
    file = RecordFile({"game": "holdem", "agents": ["human", "other"]}, [record])
    for soon, graded_places in ((False, [0, 3]), (True, [0])):  # soon: nothing is solved
        review, whole = run(coach.job(file, "human", player=record["seats"][seat], soon=soon))
        assert whole
        assert [one.place for one in review.hands[0].decisions] == graded_places
        assert ("solving" in review.setting.judge, LATER in review.hands[0].left_out) == (not soon, soon)


def _over(table: Table) -> Any:
    table.act(0)
    return table.records[-1]


def test_other_games_have_their_own_judges() -> None:
    assert type(coach_of(make.game("leduc"))) is Coach
    assert type(coach_of(make.game("holdem_nolimit:bets=pot"))) is HandCoach
    assert type(coach_of(make.game("holdem_limit"))) is HandCoach
    assert [type(coach_of(make.game(spec))) for spec in ("acpc_limit_3p", "omaha", "short_deck")] == [Coach] * 3


class Pairs(Agent):
    """Raises pairs before the flop, and checks or calls else."""

    def policy(self, views: Views, legal: Legal) -> Any:
        raised = (
            (views["hole"][:, 0] % 13 == views["hole"][:, 1] % 13) & (views["round"] == 0) & np.asarray(legal)[:, 2]
        )
        return np.eye(3)[np.where(raised, 2, 1)]


def limit_hand(actions: list[int]) -> Any:
    """Return a hand of limit hold'em under way: the button holds the best hand there is, kings full."""
    table = Table("holdem_limit", [None, None], seed=3)
    deck = parse_cards("9d8d" + "KsKh" + "Kd7s7c2h3d")
    return {**(table.unfinished or {}), "deck": list(deck), "actions": actions}


@pytest.fixture
def boxed(monkeypatch: pytest.MonkeyPatch) -> Coach:
    """The coach of limit hold'em where the player in the box is one that is known here."""
    monkeypatch.setattr(own_limit, "range_player", lambda game: Pairs())
    return coach_of(make.game("holdem_limit"))


def test_in_limit_who_raises_pairs_comes_with_pairs() -> None:
    game = make.game("holdem_limit")
    streets = ranges_along(Pairs(), game, limit_hand([2, 1, 1, 1, 2]))
    assert len(streets) == 2
    pair = pairs()[:, 0] % 13 == pairs()[:, 1] % 13
    for first in streets:
        assert [(one > 0).tolist() for one in first] == [pair.tolist(), (~pair).tolist()]  # seat 0 has the button


def test_in_limit_folding_the_best_hand_on_the_river_is_found_and_raising_it_costs_nothing(boxed: Coach) -> None:
    record = limit_hand([1, 1, 1, 1, 1, 1, 2])
    table = Table.of_record(boxed.game, record, played=7)
    said = {}
    for action in (0, 1, 2):
        said[action] = boxed.decision(table.views(), table.legal(), action, record, 0)
    assert [one.verdict for one in said.values()] == ["blunder", "blunder", "good"]
    assert said[0].best_words == "raise to 4 bb"
    assert said[0].situation["phase"] == "river"
    assert 4 < said[0].cost < 8  # what is in the pot, and what is paid to the raise
    assert boxed.unit == "big blinds"


def test_in_limit_what_is_decided_before_the_flop_is_counted(boxed: Coach) -> None:
    assert boxed.hand(limit_hand([1, 1]), 0).left_out == {own_limit.BEFORE: 1}
