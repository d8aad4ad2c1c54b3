"""Local best response on whole boards: published figures without luck, and hands played one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.text import card_set, parse_cards
from cardai.core.errors import UsageError
from cardai.core.rng import Rows, derive_many
from cardai.poker.hands.combos import compatible, pair_index, pairs
from cardai.poker.responses.board_response import BoardWalk
from cardai.poker.responses.local_response import LocalResponder, Lookahead
from cardai.poker.responses.local_samples import LocalOptions
from cardai.poker.responses.measure import Response, measure
from tests.poker.responses.test_local_response import KnowsItsCards
from tests.support import sizes

NO_LIMIT = "acpc_nolimit_2p"
BOARD = tuple(int(card) for card in parse_cards("KsTh7s4d2c"))


def board_response(game: Any, agent: Any, **options: Any) -> Response:
    return measure(LocalOptions(game, agent, **options))


@pytest.mark.long("fc-None")
@pytest.mark.parametrize(
    ("bets", "rounds", "published"), [("fc", None, 250), ("fcpa", (2, 3), 750), ("56", (2, 3), 750), ("56", (1,), 750)]
)
def test_always_folding_loses_what_is_published_on_every_board(bets: Any, rounds: Any, published: float) -> None:
    """Lisy and Bowling 2017, table 2."""
    found = board_response(cardai.game(NO_LIMIT), cardai.agent("always_fold"), boards=2, bets=bets, rounds=rounds)
    assert 10 * found.gains == pytest.approx([published] * 2)


@pytest.mark.long("1")
@pytest.mark.parametrize("seat", [0, 1])
def test_each_hand_wins_what_it_wins_when_it_is_played_against_every_other(seat: int) -> None:
    game, player = cardai.game("acpc_limit_2p"), KnowsItsCards()
    hole = [int(card) for card in parse_cards("AsAd")]
    ahead = Lookahead(game, player, "legal", frozenset((2, 3)))
    walk = BoardWalk(player, ahead, BOARD, seat)
    responder = LocalResponder(player, ahead, 0, 20)
    met = np.flatnonzero(compatible(np.array([card_set([*BOARD, *hole])], np.uint64))[0])
    some = met[::9]
    won = np.array([_played(game, responder, seat, hole, pairs()[k].tolist()) for k in some])
    mine = int(pair_index(np.array(hole[:1]), np.array(hole[1:]))[0])
    for kept, theirs in ((some[won > 0], won[won > 0]), (some[won <= 0], won[won <= 0])):
        both = _against(walk, mine, kept)
        assert both == pytest.approx(theirs.sum())
    assert len(set(won.tolist())) >= 3  # folded out on the turn, won and lost at a showdown


def _against(walk: BoardWalk, mine: int, kept: Any) -> float:
    """Return what the hand wins from some hands alone, the ranges being whole: only the sums at the ends leave them out."""

    class Some(BoardWalk):
        def _down(self, branch: Any) -> Any:
            return super()._down(_only(branch, kept))

        def _met(self, theirs: Any) -> Any:
            return super()._met(_kept(theirs, kept))

    some = Some(walk.player, walk.ahead, walk.board, walk.seat)
    return float(some.winnings()[mine])


def _kept(theirs: Any, kept: Any) -> Any:
    out = np.zeros_like(theirs)
    out[kept] = theirs[kept]
    return out


def _only(branch: Any, kept: Any) -> Any:
    return type(branch)(branch.tables, branch.mine, _kept(branch.theirs, kept))


def _played(game: Any, responder: LocalResponder, seat: int, hole: list[int], other: list[int]) -> float:
    """Return what the responder wins with one hand from one other on the board."""
    tables, row = game.tables(1), np.zeros(1, np.int64)
    rest = [card for card in range(52) if card not in (*BOARD, *hole, *other)]
    dealt = [*other, *hole] if seat == 0 else [*hole, *other]
    tables.reset(np.zeros(1, np.uint64), np.array([[*dealt, *BOARD, *rest]], np.int8))
    assert sorted(tables.views(seat, row)[0]["hole"].tolist()) == sorted(hole)
    range_ = compatible(np.array([card_set(hole)], np.uint64))[0].astype(float)
    for number in range(100):
        current = int(tables.current_players()[0])
        if current < 0:
            return float(tables.returns(row)[0, seat])
        if current == seat:
            action = responder._choose(tables, seat, np.array(hole), range_, number)
        else:
            action = responder._answer(tables, current, range_, Rows(derive_many(0, number, count=1)))
        tables.apply(row, np.array([action], np.int64))
    raise AssertionError


@pytest.mark.long
@pytest.mark.parametrize("times", sizes(8, 40))
def test_following_some_ways_has_the_mean_of_following_all(times: int) -> None:
    game, player = (
        cardai.game("acpc_limit_2p"),
        cardai.agent("threshold:samples=20").for_game(cardai.game("acpc_limit_2p")),
    )
    ahead = Lookahead(game, player, "legal", frozenset((2, 3)))
    whole = BoardWalk(player, ahead, BOARD, 0).winnings().sum()
    rngs = [np.random.default_rng(k) for k in range(times)]
    some = np.array([BoardWalk(player, ahead, BOARD, 0, 1, rng).winnings().sum() for rng in rngs])
    assert abs(some.mean() - whole) < 3 * some.std() / np.sqrt(len(some))
    assert some.std() > 0


@pytest.mark.long
def test_the_same_seed_gives_the_same_boards_and_more_boards_only_add_to_them() -> None:
    game, agent = cardai.game("acpc_limit_2p"), cardai.agent("always_call")
    few = board_response(game, agent, boards=1, seed=3, rounds=(3,)).gains.tolist()
    assert board_response(game, agent, boards=2, seed=3, rounds=(3,)).gains.tolist()[:1] == few
    assert board_response(game, agent, boards=1, seed=4, rounds=(3,)).gains.tolist() != few


@pytest.mark.parametrize(
    ("game", "agent", "options", "message"),
    [
        ("leduc", "always_call", {}, "is for hold'em for two: .* Leduc is"),
        ("acpc_limit_2p", "human", {}, "has no policy, only act"),
        (NO_LIMIT, "mix", {}, "Mix does not say how often it raises to which amount"),
        (NO_LIMIT, "always_call", {"boards": 0}, "There must be 1 board at least"),
        (NO_LIMIT, "always_call", {"rounds": (4,)}, "Rounds are numbered from 0"),
    ],
)
def test_what_cannot_be_measured_is_refused(game: str, agent: str, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        board_response(cardai.game(game), cardai.agent(agent), **{"boards": 1, **options})
