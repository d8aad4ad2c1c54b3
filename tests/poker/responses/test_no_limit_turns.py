"""Best responses from the turn on where the player bets on the turn: what chooses and what scores, how bets are counted, what was promised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cardai.arena.bootstrap import cautious
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Amounts
from cardai.poker.ranges.leaves import apart, showdowns
from cardai.poker.responses.measure import Response
from cardai.poker.responses.street_samples import StreetOptions

GAME = "holdem_nolimit:stack=1000"
ROW = np.zeros(1, np.int64)


class Bets(Agent):
    """Calls before the turn, the button's odd hands half the time; then it raises the least with some hands, and folds others to bets."""

    def for_game(self, game: Game) -> Agent:
        return self

    def policy(self, views: Views, legal: Amounts) -> Float64s:
        ranks, late = (views["hole"] % 13).sum(axis=1), views["round"] > 1
        shy = (views["round"] == 0) & (views["player"] == views["button"]) & (ranks % 2 == 1)
        raises = np.where(late & (ranks % 3 == 0), 0.6, 0.0) * legal.kinds[:, 2]
        folds = np.where(shy, 0.5, np.where(late & (ranks % 3 == 1), 0.5, 0.0)) * legal.kinds[:, 0]
        return np.stack([folds, 1 - folds - raises, raises], axis=1)

    def raise_odds(self, views: Views, legal: Amounts) -> tuple[Int64s, Float64s]:
        return np.array([legal.min_amount[0]]), np.ones((len(views), 1))


def came(street: int, bets: str, **more: Any) -> tuple[Any, Any, Float64s]:
    """Return a sampler, and the first hand of it that comes to the street: the table and both ranges."""
    sampler: Any = StreetOptions(GAME, Bets(), street, hands=9, seed=3, bets=bets, **more).sampler()
    return sampler, *next(found for found in map(sampler.play, range(9)) if found is not None)


def test_answers_that_one_river_chose_know_nothing_of_the_other() -> None:
    """Whatever rivers score them, they are the same; so are those behind the player's raise, on which the first depend."""
    sampler, tables, ranges = came(2, "1/allin", rivers=2)
    board = [int(card) for card in tables.views(0, ROW)[0]["board"] if card >= 0]
    first, *others = ((card, showdowns([*board, card])) for card in range(52) if card not in board)
    wins = showdowns(board)
    won = [sampler._turn(tables, 1, ranges[0], wins, [first, one], 0) for one in (others[5], others[-1])]
    assert won[0][1, 0] == pytest.approx(won[1][1, 0])
    assert np.abs(won[0][2, 0] - won[1][2, 0]).max() > 1  # chosen by both they are not


def test_bets_are_counted_anew_on_the_river_and_are_those_of_the_street() -> None:
    sampler, tables, ranges = came(2, "turn=1/0.75,river=0.5/allin", rivers=2)
    asked: set[tuple[int, int]] = set()

    def choices(tables: Any, spent: list[int], raises: int) -> list[int]:
        view, found = tables.views(0, ROW)[0], type(sampler)._choices(sampler, tables, spent, raises)
        street, call = int(view["round"]), max(spent)
        assert raises == int(view["raises"])
        sizes = {2: (1.0, 0.75), 3: (0.5, 4.5)}[street]  # all-in: more than all that there is
        bets = [one for one in found if one > 1]
        if bets:
            legal = tables.legal(ROW)
            low, high = int(legal.min_amount[0]), int(legal.max_amount[0])
            assert bets == [min(max(int(call + sizes[min(raises, 1)] * 2 * call), low), high)]
        asked.add((street, raises))
        return found

    sampler._choices = choices
    sampler.bounds(tables, ranges, np.random.default_rng(0))
    assert asked >= {(2, 0), (2, 1), (2, 2), (3, 0), (3, 1)}


@pytest.mark.parametrize(("street", "given"), [(3, {}), (2, {"rivers": 2})])
def test_a_promise_is_to_the_opponents_hands_as_often_as_they_are_met(street: int, given: dict[str, Any]) -> None:
    sampler, tables, ranges = came(street, "allin", **given)
    assert np.abs(ranges[0] - ranges[1]).max() > 0.1
    worth = np.random.default_rng(1).normal(size=(2, 1326))

    def promised(view: Any, seat: int) -> Float64s:
        assert view["player"] == seat
        own = ranges[seat] / ranges[seat].sum()
        return np.asarray(worth[seat] * (apart() @ own), np.float64)

    sampler.player.promised = promised
    met = ranges[0][:, None] * ranges[1] * apart()
    each = (
        (met * worth[0]).sum(),
        (met.T * worth[1]).sum(),
    )  # what seat 0 promised to hands of seat 1, and the other way
    assert sampler.promised(tables, ranges) == pytest.approx(sum(each) / 2 / met.sum())


def test_a_measure_that_was_stopped_says_what_was_done() -> None:
    sampler, *_ = came(2, "allin", rivers=2)
    found, done = np.array([[1.0, 1, 2, 3], [0, 0, 0, 0], [5, 1, 4, 9]]), np.array([True, True, False])
    said = sampler.response(found, done)
    assert (said.done, said.reached, said.chips.mean, said.promised, said.upper) == (2, 1, 0.5, 1.0, 1.5)
    found[0, 2] = np.nan
    assert sampler.response(found, done).promised is None


def test_another_number_of_rivers_is_another_measure() -> None:
    of = [StreetOptions(GAME, "always_call", 2, hands=2, rivers=rivers).identity() for rivers in (None, 4, 5)]
    assert of[0] == of[1] != of[2]


def test_hands_have_the_longer_of_both_intervals() -> None:
    gains = np.array([0.0] * 12 + [1.0, 5.0, 30.0])
    said = Response(gains, 100, 15, 15, reached=3, skewed=True, seed=3)
    assert said.chips == cautious(gains, 3)
    assert said.chips.high - said.chips.mean > 1.2 * said.spread.half_width / 10
