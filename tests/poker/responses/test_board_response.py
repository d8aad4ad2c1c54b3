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
from cardai.poker.range_policy import deck_with
from cardai.poker.responses.board_response import BoardWalk, Branch
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
    walk = BoardWalk(player, ahead, BOARD, seat, level=False)
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

        def _met(self, theirs: Any, cards: int) -> Any:
            return super()._met(_kept(theirs, kept), cards)

    some = Some(walk.player, walk.ahead, walk.board, walk.seat, level=False)
    return float(some.winnings()[mine])


def _kept(theirs: Any, kept: Any) -> Any:
    out = np.zeros_like(theirs)
    out[kept] = theirs[kept]
    return out


def _only(branch: Any, kept: Any) -> Any:
    return type(branch)(branch.tables, branch.mine, _kept(branch.theirs, kept), branch.cards)


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


def test_what_is_guessed_of_ways_and_one_that_is_drawn_make_up_for_all_on_the_mean() -> None:
    game, random, row = cardai.game(NO_LIMIT), np.random.default_rng(1), np.zeros(1, np.int64)
    player, ways = cardai.agent("always_call").for_game(game), []
    for bet in (1, 200, 700, 5000):
        tables = game.tables(1)
        tables.reset(np.zeros(1, np.uint64), deck_with(BOARD)[None])
        for action in (1, 1, bet):
            tables.apply(row, np.array([action], np.int64))
        mine, theirs, folding = random.random((3, 1326))
        ways.append(Branch(tables, bet * mine, theirs, 3, folding))

    class Fixed:
        def __init__(self, place: int) -> None:
            self.place = place

        def choice(self, many: int, count: int, p: Any) -> list[int]:
            odds[:] = p
            return [self.place] * count

    odds, drawn = np.zeros(len(ways)), []
    for place in range(len(ways)):
        walk: Any = BoardWalk(player, Lookahead(game, player), BOARD, 0, rng=Fixed(place))  # type: ignore[arg-type]
        guessed, some = walk._some(ways, 2)
        drawn.append(guessed + sum(one.mine for one in some))
    assert odds.max() < 0.99
    assert np.std(drawn, axis=0).max() > 1
    assert odds @ np.array(drawn) == pytest.approx(sum(one.mine for one in ways))


def test_a_way_whose_hands_all_hold_a_card_to_come_is_drawn_as_well() -> None:
    """Such hands count over all cards to come: a way that is never drawn would leave its guess alone, without what is bet."""
    game, row = cardai.game("acpc_limit_2p"), np.zeros(1, np.int64)
    player, tables = cardai.agent("always_call").for_game(game), game.tables(1)
    tables.reset(np.zeros(1, np.uint64), deck_with(BOARD)[None])
    for action in (1, 1, 1, 1):
        tables.apply(row, np.array([action], np.int64))
    with_river = (pairs() == BOARD[4]).any(axis=1).astype(float)
    walk = BoardWalk(player, Lookahead(game, player), BOARD, 0)
    ways = [Branch(tables, np.ones(1326), theirs, 3) for theirs in (with_river, 1 - with_river)]
    assert abs((walk._walk(ways[0]) - walk._guess(ways[0])).sum()) > 1000
    assert min(walk._weight(way) for way in ways) > 0
    assert BoardWalk(player, walk.ahead, BOARD, 0, level=False)._weight(ways[0]) == 0


@pytest.mark.parametrize("cards", [3, 4])
def test_what_a_card_brings_is_nothing_on_the_mean_of_all_cards(cards: int) -> None:
    """Whatever the ranges are: what is taken off leaves the mean of all boards as it is."""
    game, random = cardai.game(NO_LIMIT), np.random.default_rng(cards)
    player, known = cardai.agent("always_call").for_game(game), BOARD[:cards]
    mine, theirs = random.random((2, 1326)) ** 3
    called, found, met = [1, 1] * (cards - 1), [], []
    for card in [card for card in range(52) if card not in known]:
        rest = [other for other in range(52) if other not in (*known, card)][: 4 - cards]
        walk = BoardWalk(player, Lookahead(game, player), (*known, card, *rest), 0)
        tables = game.tables(1)
        tables.reset(np.zeros(1, np.uint64), deck_with(walk.board)[None])
        for action in called:
            tables.apply(np.zeros(1, np.int64), np.array([action], np.int64))
        found.append(walk._luck(Branch(tables, mine, theirs, cards)).sum())
        met.append((mine @ walk._met(theirs, cards + 1), mine @ walk._met(theirs, cards)))
    assert np.std(found) > 100 * abs(np.mean(found))
    assert np.mean(met, axis=0)[0] == pytest.approx(np.mean(met, axis=0)[1])


@pytest.mark.long
@pytest.mark.parametrize("boards", sizes(6, 60))
def test_taking_off_the_luck_of_the_cards_leaves_the_mean_and_narrows_the_spread(boards: int) -> None:
    game = cardai.game("acpc_limit_2p")
    player = cardai.agent("threshold:samples=20").for_game(game)
    ahead = Lookahead(game, player, "legal", frozenset((2, 3)))
    decks = [tuple(np.random.default_rng(k).permutation(52)[:5].tolist()) for k in range(boards)]
    both = np.array(
        [[BoardWalk(player, ahead, one, 0, level=level).winnings().sum() for level in (False, True)] for one in decks]
    )
    apart = both[:, 1] - both[:, 0]
    assert abs(apart.mean()) < 3 * apart.std(ddof=1) / np.sqrt(boards)
    assert both[:, 1].std() < both[:, 0].std()


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
