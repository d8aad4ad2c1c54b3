"""Local best response: the published figure of always folding, and its equities against counting by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.text import card_set, parse_cards
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.legal import Amounts
from cardai.poker.hands.combos import COUNT, compatible, pairs
from cardai.poker.hands.ranking import batch_tables, rank_high
from cardai.poker.responses import _local_kernels as kernels
from cardai.poker.responses.local_response import FRACTIONS, LocalResponder, Lookahead, best_actions, raises_of
from cardai.poker.responses.local_samples import LocalOptions
from cardai.poker.responses.measure import Response, measure
from tests.support import sizes

NO_LIMIT = "acpc_nolimit_2p"


def local_response(game: Any, agent: Any, **options: Any) -> Response:
    return measure(LocalOptions(game, agent, **options))


@pytest.mark.parametrize(("bets", "rounds"), [("fcpa", (2, 3)), ("56", (2, 3)), ("56", (1,))])
def test_always_folding_loses_750_in_the_published_settings(bets: Any, rounds: tuple[int, ...]) -> None:
    """Lisy and Bowling 2017, table 2: it folds its small blind (500) and to the first bet in the big blind (1000)."""
    found = local_response(cardai.game(NO_LIMIT), cardai.agent("always_fold"), hands=12, bets=bets, rounds=rounds)
    assert found.gains.tolist() == [75.0] * 6
    assert found.mbb.mean == 750


def test_without_raises_always_folding_loses_its_small_blind_and_what_the_cards_bring() -> None:
    """250 in the paper: 500 in one seat, in the other a showdown for the blinds, worth 0 on average."""
    found = local_response(cardai.game(NO_LIMIT), cardai.agent("always_fold"), hands=60, bets="fc", samples=20)
    assert set(found.gains.tolist()) <= {-25.0, 25.0, 75.0}  # (50 + what 100 chips do) / 2
    assert len(set(found.gains.tolist())) >= 2


def test_fractions_are_the_papers() -> None:
    assert len(FRACTIONS) == 53
    assert FRACTIONS[:2] == (0.05, pytest.approx(0.0575))


class KnowsItsCards(Agent):
    """Raises with a pair or an ace, else calls; never folds: so a raise tells what it holds."""

    def policy(self, views: Any, legal: Any) -> Any:
        mask = legal.kinds if isinstance(legal, Amounts) else legal
        first, second = views["hole"][:, 0] % 13, views["hole"][:, 1] % 13
        good = ((first == second) | (first == 12) | (second == 12)) & mask[:, 2]
        return np.stack([np.zeros(len(views)), ~good, good], axis=1).astype(float)


def test_the_range_follows_from_what_the_player_did() -> None:
    from cardai.core.rng import Rows, derive_many

    game = cardai.game("acpc_limit_2p")
    responder = LocalResponder(KnowsItsCards(), Lookahead(game, KnowsItsCards()), 0, 20)
    seen = set()
    for deal in range(12):
        tables = game.tables(1)
        tables.reset(np.array([deal], np.uint64))
        seat = int(tables.current_players()[0])
        range_ = np.ones(COUNT)
        action = responder._answer(tables, seat, range_, Rows(derive_many(0, deal, count=1)))
        both = pairs() % 13
        good = (both[:, 0] == both[:, 1]) | (both == 12).any(axis=1)
        assert (range_ > 0).tolist() == (good if action == 2 else ~good).tolist()
        seen.add(action)
    assert seen == {1, 2}


def test_equity_is_a_count_over_all_rivers() -> None:
    board, hole = [int(c) for c in parse_cards("KsTh7s4d")], [int(c) for c in parse_cards("AsQs")]
    range_ = np.zeros(COUNT)
    others = [h for h in range(0, COUNT, 9) if compatible(np.array([card_set([*board, *hole])], np.uint64))[0][h]]
    range_[others] = np.linspace(0.1, 1, len(others))
    boards = np.array([[*board, c] for c in range(52) if c not in board and c not in hole])
    out = np.zeros((1, 2))
    kernels.against_range(boards, hole[0], hole[1], pairs().astype(np.int64), batch_tables(7), range_[None], out)
    met = won = 0.0
    for river in boards[:, 4]:
        mine = int(rank_high(np.array([[*board, river, *hole]]))[0])
        for h in others:
            cards = [int(c) for c in pairs()[h]]
            if river in cards:
                continue
            his = int(rank_high(np.array([[*board, river, *cards]]))[0])
            met += range_[h]
            won += range_[h] * ((mine > his) + (mine == his) / 2)
    assert out[0] == pytest.approx([met, won], rel=1e-12)


@pytest.mark.long
def test_the_same_seed_gives_the_same_winnings_and_more_hands_only_add_to_them() -> None:
    game, agent = cardai.game("acpc_limit_2p"), cardai.agent("threshold")
    few = local_response(game, agent, hands=4, seed=3, samples=20).gains.tolist()
    assert local_response(game, agent, hands=8, seed=3, samples=20).gains.tolist()[:2] == few
    assert local_response(game, agent, hands=4, seed=4, samples=20).gains.tolist() != few


@pytest.mark.parametrize("large", [False, True])
def test_the_range_is_weighed_by_the_odds_of_the_action_and_the_amount(large: bool) -> None:
    """Where a player says how often it raises to what, each of its hands is weighed by that."""
    from cardai.core.rng import Rows, derive_many

    class Sizes(KnowsItsCards):
        def policy(self, views: Any, legal: Any) -> Any:
            raises = 0.1 + views["hole"][:, 1] / 104
            return np.stack([np.zeros(len(views)), 1 - raises, raises], axis=1)

        def raise_to(self, views: Any, legal: Any, rng: Any) -> Any:
            return legal.max_amount if large else legal.min_amount

        def raise_odds(self, views: Any, legal: Any) -> Any:
            share = views["hole"][:, 0] / 104
            return np.array([legal.min_amount[0], legal.max_amount[0]]), np.stack([share, 1 - share], axis=1)

    game, seen = cardai.game(NO_LIMIT), set()
    raises, share = 0.1 + pairs()[:, 1] / 104, pairs()[:, 0] / 104
    for deal in range(12):
        responder = LocalResponder(Sizes(), Lookahead(game, Sizes()), 0, 20)
        tables, range_ = game.tables(1), np.ones(COUNT)
        tables.reset(np.array([deal], np.uint64))
        seat = int(tables.current_players()[0])
        action = responder._answer(tables, seat, range_, Rows(derive_many(0, deal, count=1)))
        assert range_ == pytest.approx(1 - raises if action == 1 else raises * (1 - share if large else share))
        seen.add(min(action, 2))
    assert seen == {1, 2}


def test_what_is_worth_most_is_counted_in_chips() -> None:
    """A pot of 300 and 100 to call: a call needs a quarter of it, and a raise of 100 more wins 400 or loses 200."""
    view, legal = {"pot": 300, "to_call": 100}, Amounts(np.ones((1, 3), bool), np.array([300]), np.array([900]))
    equity, folds = (
        np.array([[0.24, 0.26, 0.55, 0.55, 0.1], [0.1, 0.1, 0.49, 0.54, 0.1]]),
        np.array([[0, 0, 0, 0, 0.4]]),
    )
    actions, best = best_actions(view, legal, [300], equity, folds, np.array([100.0]))  # type: ignore[arg-type]
    assert [actions[k] for k in best] == [0, 1, 1, 300, 300]
    actions, best = best_actions(view, legal, [300], equity, np.array([[0, 0, 0, 0, 0.3]]), np.array([100.0]))  # type: ignore[arg-type]
    assert actions[best[4]] == 0  # 0.3 * 300 less 0.7 * (0.9 * 200 - 0.1 * 400)


def test_the_range_is_those_that_raise_to_the_amount_where_its_odds_are_not_known() -> None:
    """A player that draws its amount anew each time tells nothing; one that always raises to the same tells its cards."""
    from cardai.core.rng import Rows, derive_many

    class Tells(KnowsItsCards):
        def policy(self, views: Any, legal: Any) -> Any:
            return np.tile([0.0, 0.0, 1.0], (len(views), 1))

        def raise_to(self, views: Any, legal: Any, rng: Any) -> Any:
            aces = (views["hole"] % 13 == 12).any(axis=1)
            return np.where(aces, legal.min_amount, legal.min_amount + 50)

    class Draws(Tells):
        def raise_to(self, views: Any, legal: Any, rng: Any) -> Any:
            return legal.min_amount + np.asarray(50 * rng.random()).astype(np.int64)

    game, aces = cardai.game(NO_LIMIT), (pairs() % 13 == 12).any(axis=1)
    for agent in (Tells(), Draws()):
        responder = LocalResponder(agent, Lookahead(game, agent), 0, 20)
        tables, range_ = game.tables(1), np.ones(COUNT)
        tables.reset(np.array([1], np.uint64))
        seat = int(tables.current_players()[0])
        held = bool((tables.views(seat, np.zeros(1, np.int64))["hole"] % 13 == 12).any())
        responder._answer(tables, seat, range_, Rows(derive_many(0, 1, count=1)))
        told = aces == held if type(agent) is Tells else np.ones(COUNT, bool)
        assert (range_ > 0).tolist() == told.tolist()


def test_fractions_are_of_the_pot_after_a_call_and_on_top_of_the_bet() -> None:
    game = cardai.game(NO_LIMIT)
    tables, row = game.tables(1), np.zeros(1, np.int64)
    tables.reset(np.array([1], np.uint64))
    tables.apply(row, np.array([300]))
    seat = int(tables.current_players()[0])
    view, legal = tables.views(seat, row)[0], tables.legal(row)
    assert list(raises_of("fcpa", view, legal)) == [300 + 600, 20_000]
    wanted = [max(round(300 + fraction * 600), 500) for fraction in FRACTIONS]
    assert list(raises_of("56", view, legal)) == list(dict.fromkeys([*(min(one, 20_000) for one in wanted), 20_000]))


def test_what_is_only_considered_may_be_answered_by_another() -> None:
    """Thinking that a bet folds the caller out, the responder bets; what it wins is won from the caller."""
    game, caller, folder = cardai.game(NO_LIMIT), cardai.agent("always_call"), cardai.agent("always_fold")
    given: dict[str, Any] = {"hands": 20, "bets": "fcpa", "rounds": (3,)}
    fooled = local_response(game, caller, estimates=folder, **given).gains
    assert set(fooled.tolist()) != {75.0}  # what folding loses
    assert fooled.mean() < local_response(game, caller, **given).gains.mean()


@pytest.mark.long
@pytest.mark.parametrize("hands", sizes(60, 160))
def test_aivat_leaves_the_mean_and_takes_luck_out(hands: int) -> None:
    game = cardai.game(NO_LIMIT)
    found = local_response(game, cardai.agent("always_fold"), hands=hands, bets="fc", samples=20, aivat=True)
    assert found.corrected is not None
    assert abs(found.corrected.mean - 250) < 1.5 * found.corrected.half_width  # Lisy and Bowling 2017, table 2
    assert found.corrected.half_width < 0.5 * found.mbb.half_width
    with pytest.raises(UsageError, match="does not say how often it raises to which amount"):
        local_response(game, cardai.agent("mix"), aivat=True)


@pytest.mark.parametrize(
    ("game", "agent", "message"),
    [
        ("leduc", "always_call", "is for hold'em for two: .* Leduc is"),
        ("acpc_limit_3p", "always_call", "hold'em for two: .* 3 players"),
        ("acpc_limit_2p", "human", "has no policy, only act"),
    ],
)
def test_what_cannot_be_measured_is_refused(game: str, agent: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        local_response(cardai.game(game), cardai.agent(agent))
