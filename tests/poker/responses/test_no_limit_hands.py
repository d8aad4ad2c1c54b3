"""Best responses along hands of full no-limit: those of a ladder where both play its bets, and of a game that is counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Amounts, Legal
from cardai.core.npz import read_npz, write_npz
from cardai.poker.hands.combos import left_by
from cardai.poker.hands.combos import pairs as pairs_of_cards
from cardai.poker.ranges.leaves import apart, showdowns
from cardai.poker.responses.measure import measure
from cardai.poker.responses.no_limit_hands import _scored
from cardai.poker.responses.street_samples import StreetOptions
from tests.support import cardai as command

FULL, SHORT = "holdem_nolimit:stack=1000", "holdem_nolimit:stack=400"


class Folds(Agent):
    """Calls, bets nothing, and folds to any bet on the river with all hands but pairs."""

    def for_game(self, game: Game) -> Agent:
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        pair = views["hole"][:, 0] % 13 == views["hole"][:, 1] % 13
        folds = (views["round"] == 3) & (views["to_call"] > 0) & ~pair
        return np.stack([1.0 * folds, 1.0 * ~folds, 0.0 * folds], axis=1)


@pytest.mark.parametrize("bets", ["allin", "1+allin"])
def test_it_finds_what_is_found_on_a_ladder_of_the_same_bets(bets: str) -> None:
    ladder = measure(StreetOptions(f"{FULL},bets={bets}", "always_call", 3, hands=2, seed=4))
    found = measure(StreetOptions(FULL, "always_call", 3, hands=2, seed=4, bets=bets))
    assert found.reached == ladder.reached == 2
    assert found.gains == pytest.approx(ladder.gains, rel=1e-6)


def test_a_player_that_folds_too_much_is_bluffed_by_the_smallest_bet_that_does_it() -> None:
    sampler = StreetOptions(FULL, Folds(), 3, hands=1, seed=1, bets="0.5+allin").sampler()
    tables, ranges = sampler.play(0)  # type: ignore[attr-defined]
    board = [int(card) for card in tables.views(0, np.zeros(1, np.int64))[0]["board"]]
    ranks = pairs_of_cards() % 13
    wins, pairs = showdowns(board), ranks[:, 0] == ranks[:, 1]
    calls, folds = np.where(pairs, ranges[1], 0), np.where(pairs, 0, ranges[1])
    met = apart() @ folds * 100  # the folded blind of each
    checked = 100 * wins @ ranges[1]
    best = np.max([checked, *(met + stake * wins @ calls for stake in (200, 1000))], axis=0)
    value = 2 * float(ranges[0] @ best) / 2 / float(ranges[0] @ apart() @ ranges[1])  # both seats are alike
    assert sampler.gain(tables, ranges) == pytest.approx(value, rel=1e-6)  # type: ignore[attr-defined]
    small = measure(StreetOptions(FULL, Folds(), 3, hands=1, seed=1, bets="allin")).gains[0]
    assert small < value


class Plays(Agent):
    """Raises the pot before the flop with some hands; on the river each seat and hand folds, bets and raises otherwise."""

    def for_game(self, game: Game) -> Agent:
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal.kinds if isinstance(legal, Amounts) else legal
        ranks, out = views["hole"] % 13, np.zeros(mask.shape)
        high, late, bet = ranks.max(axis=1) / 12, views["round"] == 3, views["to_call"] > 0
        large = views["to_call"] > views["pot"] / 3
        folds = np.where(late & bet, (0.5 - 0.4 * high) * np.where(large, 1.4, 1.0), 0.0)
        opens = (views["round"] == 0) & (views["player"] == views["button"]) & (views["raises"] == 0)
        raises = np.where(late, 0.2 * high + 0.1 * (views["player"] == 1), opens & (ranks.sum(axis=1) % 2 == 0))
        raises = raises * mask[:, 2:].any(axis=1)
        out[:, :2] = np.stack([folds, 1 - folds - raises], axis=1)
        if isinstance(legal, Amounts):
            out[:, 2] = raises
        else:  # the pot and all-in
            out[:, 2:] = raises[:, None] * self._shares(mask[:, 2:], late)
        return out

    def raise_odds(self, views: Views, legal: Amounts) -> tuple[Int64s, Float64s]:
        level = int(views["spent"][0].max())
        amounts = np.unique(np.minimum([3 * level, 10**6], legal.max_amount[0]))
        pot = np.ones((len(views), 2), bool) if len(amounts) == 2 else np.tile([False, True], (len(views), 1))
        return amounts, self._shares(pot, views["round"] == 3)[:, -len(amounts) :]

    def _shares(self, there: Bools, late: Bools) -> Float64s:
        shares = np.where(late[:, None], [0.6, 0.4], [1.0, 0.0]) * there
        return np.asarray(shares / shares.sum(axis=1, keepdims=True).clip(1e-9))


def test_seats_that_play_otherwise_are_answered_as_on_a_ladder() -> None:
    """The ladder's hands are counted out by another walk, over the public tree."""
    ladder = measure(StreetOptions(f"{FULL},bets=1+allin", Plays(), 3, hands=4, seed=2))
    found = measure(StreetOptions(FULL, Plays(), 3, hands=4, seed=2, bets="1+allin"))
    assert found.reached == ladder.reached == 4
    assert found.gains == pytest.approx(ladder.gains, rel=2e-5)  # the ladder's ranges are float32


def test_its_bets_are_fractions_of_the_pot_and_follow_the_number_of_raises() -> None:
    sampler: Any = StreetOptions(FULL, Plays(), 3, hands=1, seed=2, bets="0.75+1.5/allin").sampler()
    tables, ranges = sampler.play(0)
    spent, asked = tables.views(0, np.zeros(1, np.int64))[0]["spent"].tolist(), []
    assert spent[0] == spent[1]
    assert sampler._choices(tables, spent, 0) == [1, int(2.5 * spent[0]), min(4 * spent[0], 1000)]

    def choices(tables: Any, spent: list[int], raises: int) -> list[int]:
        asked.append((raises, int(tables.views(0, np.zeros(1, np.int64))[0]["raises"])))
        return type(sampler)._choices(sampler, tables, spent, raises)

    sampler._choices = choices
    sampler.gain(tables, ranges)
    assert {counted for counted, _ in asked} >= {0, 1, 2}
    assert all(counted == real for counted, real in asked)


@pytest.mark.parametrize(
    "agent", [Plays(), pytest.param("always_call", marks=pytest.mark.long)], ids=["plays", "calls"]
)
def test_from_the_turn_on_all_rivers_say_what_a_ladder_says(agent: Any) -> None:
    ladder = measure(StreetOptions(f"{SHORT},bets=1+allin", agent, 2, hands=1, seed=4))
    found = measure(StreetOptions(SHORT, agent, 2, hands=1, seed=4, bets="1+allin", rivers=48))
    assert found.reached == ladder.reached == 1
    assert found.upper == pytest.approx(ladder.gains[0], rel=2e-5)
    assert found.gains[0] <= found.upper


class Promises(Folds):
    """Promises five chips for every hand of its own that a hand may meet, and seven in the other seat."""

    def promised(self, view: Any, seat: int) -> Float64s:
        free = left_by([card for card in view["board"].tolist() if card >= 0])
        return np.asarray((5.0, 7.0)[seat] * apart() @ (free / free.sum()), np.float64)


@pytest.mark.parametrize(("street", "given"), [(3, {}), (2, {"rivers": 2})])
def test_what_was_promised_stands_beside_what_is_won(street: int, given: dict[str, Any]) -> None:
    found = measure(StreetOptions(SHORT, Promises(), street, hands=2, seed=4, bets="allin", **given))
    assert found.promised == pytest.approx(6.0)
    assert measure(StreetOptions(SHORT, Folds(), street, hands=1, seed=4, bets="allin", **given)).promised is None


@pytest.mark.parametrize("agent", [Folds(), Promises()], ids=["promises_not", "promises"])
@pytest.mark.parametrize(("street", "given"), [(3, {}), (2, {"rivers": 2})])
def test_hands_are_kept_whether_something_was_promised_or_not(
    agent: Any, street: int, given: dict[str, Any], tmp_path: Path
) -> None:
    options, file = StreetOptions(SHORT, agent, street, hands=2, seed=4, bets="allin", **given), tmp_path / "kept.npz"
    assert measure(options, out=file) == measure(options, out=file) == measure(options)
    arrays = read_npz(file)
    write_npz(file, {**arrays, "found": np.where(np.arange(arrays["found"].shape[1]) == 0, np.nan, arrays["found"])})
    with pytest.raises(DamagedFileError, match="is damaged"):
        measure(options, out=file)


class InOrder:
    """Draws the cards from a place on, so that so many draws see each of them once."""

    def __init__(self, place: int) -> None:
        self.place = place

    def permutation(self, cards: list[int]) -> Int64s:
        return np.roll(np.random.default_rng(3).permutation(cards), -self.place)


def test_rivers_that_do_not_choose_bound_what_is_won_from_below_and_those_that_do_from_above() -> None:
    exact = measure(StreetOptions(f"{SHORT},bets=allin", "always_call", 2, hands=1, seed=4)).gains[0]
    sampler: Any = StreetOptions(SHORT, "always_call", 2, hands=1, seed=4, bets="allin", rivers=4).sampler()
    came = sampler.play(0)
    low, high = np.mean([sampler.bounds(*came, InOrder(4 * k)) for k in range(12)], axis=0)
    assert 0.8 * exact < low < exact < high < 1.2 * exact


def test_a_river_is_laid_behind_the_very_turn() -> None:
    sampler: Any = StreetOptions(SHORT, Plays(), 2, hands=1, seed=4, bets="allin", rivers=2).sampler()
    row, (tables, _) = np.zeros(1, np.int64), sampler.play(0)
    asked: list[list[int]] = []
    sampler._best = lambda dealt, *rest: asked.append(dealt.views(0, row)[0]["board"].tolist()) or np.zeros(1326)
    sampler.bounds(tables, np.ones((2, 1326)), InOrder(0))
    turn = tables.views(0, row)[0]["board"].tolist()[:4]
    assert {tuple(board[:4]) for board in asked} == {tuple(turn)}
    assert len({board[4] for board in asked}) == 2


def test_those_that_chose_stand_for_themselves_alone() -> None:
    won = np.array([[4.0, 8.0], [3.0, 11.0], [0.0, 0.0]])  # two ways to part two rivers, and what both chose
    first, second = 1 / 48 * 8 + 47 / 48 * 4, 1 / 48 * 3 + 47 / 48 * 11
    assert _scored(won) == pytest.approx((first + second) / 2)
    won = np.tile(np.arange(48.0), (9, 1))  # all there are: whoever chose, each counts once
    assert _scored(won) == pytest.approx(23.5)
    won = np.arange(5.0)[:, None] + 10.0 * np.arange(4)  # four rivers are parted one from three: (way, river)
    each = [k + 3 / 48 * 10 * (6 - k) / 3 + 45 / 48 * 10 * k for k in range(4)]
    assert _scored(won) == pytest.approx(np.mean(each))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"street": 1, "hands": 1}, "begins on the turn"),
        ({"street": 2, "hands": 1, "rivers": 1}, "2 to 48 rivers"),
        ({"street": 2, "hands": 1, "rivers": 0}, "2 to 48 rivers"),
        ({"agent": "mix", "hands": 1}, "does not say how often it raises to which"),
        ({"hands": 1, "bets": "0.5+x"}, "'x', which is no size"),
        ({"boards": 1}, "ladder"),
    ],
)
def test_what_cannot_be_measured_is_said(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        StreetOptions(FULL, **{"agent": "always_call", "street": 3, **options}).sampler()  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"bets": "1"}, {"rivers": 4}])
def test_where_all_is_counted_out_nothing_is_drawn(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="along hands of full no-limit alone"):
        StreetOptions("acpc_limit_2p", "always_call", 2, hands=2, **given).sampler()


@pytest.mark.long
def test_bets_without_hands_are_refused() -> None:
    done = command("evaluate", "best-response", "-g", "acpc_limit_2p", "-a", "always_call", "--bets", "1")
    assert done.returncode == 2
    assert "Give --hands too" in done.stderr


def test_a_responder_may_be_given_no_bets() -> None:
    """It checks and calls down as the player does, and wins nothing."""
    options = StreetOptions(SHORT, "always_call", 3, hands=2, seed=4, bets="")
    assert measure(options).gains == pytest.approx([0, 0], abs=1e-6)
    assert options.identity() != StreetOptions(SHORT, "always_call", 3, hands=2, seed=4).identity()


@pytest.mark.parametrize("game", [SHORT, f"{SHORT},bets=allin"])
def test_where_no_hand_came_there_is_no_interval(game: str) -> None:
    found = measure(StreetOptions(game, "always_fold", 3, hands=6, seed=4))
    assert (found.reached, found.mbb.mean, found.mbb.text(1)) == (0, 0.0, "0.0 (no interval)")
