"""AIVAT in hold'em: each event's correction has the mean 0, by enumerating what might have happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.arena.match import play
from cardai.arena.records import Record, place, read
from cardai.cards.text import card_set, parse_cards
from cardai.core.agent import Agent
from cardai.core.errors import AgentError, DamagedFileError, UsageError
from cardai.core.game import CHANCE
from cardai.poker.aivat.holdem import BoardDealt, HandOver, HoldemEstimator, OwnAction, walk
from cardai.poker.aivat.played import PlayedValues, features, fitted, kind_of, played_values
from cardai.poker.aivat.values import Cards, EquityValues, OpenState, StateValues, mean_over_next
from cardai.poker.hands.combos import COUNT, compatible, pairs
from cardai.poker.ranges.hands import HOLDEM
from cardai.solve.aivat import aivat
from tests.support import sizes

GAME = cardai.game("acpc_limit_2p")
HERE = OpenState(
    seat=0, opponent=tuple(parse_cards("Qh9h")), board=tuple(parse_cards("Th8h2c")), own=20, other=20, actor=1,
    round=1, raises=0, button=0, history=(1, 1),
)  # fmt: skip
FREE = compatible(np.array([card_set(HERE.opponent)], np.uint64))[0]
WEIGHTS = np.random.default_rng(3).uniform(0, 1, COUNT) ** 3  # a range that no symmetry helps


def fits(board: tuple[int, ...]) -> Any:
    return compatible(np.array([card_set((*HERE.opponent, *board))], np.uint64))[0]


def any_function(situation: OpenState) -> Any:
    """Return what has nothing to do with poker, other on every board."""
    return np.random.default_rng(abs(hash((situation.board, situation.raises)))).normal(0, 9, COUNT)


class AnyCoefficients(dict[Any, Any]):
    """Has coefficients for every kind of situation."""

    def get(self, kind: Any, default: Any = None) -> Any:
        rng = np.random.default_rng(sum(kind))
        one = np.ones(1)
        width = features(kind, one, 0.5, one if kind[0] == 3 and kind[1] != 2 else None, 1.0).shape[1]
        return rng.normal(0, 1, width)


VALUES = [EquityValues(), StateValues(any_function), PlayedValues(10, AnyCoefficients())]


@pytest.mark.long("values2")
@pytest.mark.parametrize(
    ("size", "values"),
    [(3, VALUES[0]), (4, VALUES[1]), *sizes((4, VALUES[2]), (4, VALUES[0]), (3, VALUES[1]), (3, VALUES[2]))],
)
def test_over_all_cards_that_can_come_a_deal_corrects_nothing(size: int, values: Any) -> None:
    """P(card) is the weight of the hands that leave it possible: those hands belong to H before the deal."""
    cards, board = Cards(HERE.opponent), (*HERE.board, *parse_cards("Js"))[:size]
    before = evolve(HERE, board=board, actor=CHANCE, round=size - 2)
    weights = WEIGHTS * fits(board)
    estimator = HoldemEstimator(GAME, HOLDEM, cardai.agent("random"), values, "random")
    total = mass = 0.0
    for card in cards.next_cards(board).tolist():
        after = evolve(before, board=(*board, card), actor=1, round=size - 1)
        left = weights.copy()
        k = estimator._deal(BoardDealt(before, after), left, cards, 0)
        total += left.sum() * k
        mass += left.sum()
        assert left.tolist() == (WEIGHTS * fits(after.board)).tolist()
    assert mass == pytest.approx(weights.sum() * (48 - size))  # each hand leaves so many cards
    assert total / mass == pytest.approx(0, abs=1e-9)


def test_before_the_flop_a_function_of_situations_is_estimated_without_bias() -> None:
    """Against all 17,296 flops that a hand leaves."""

    def value(situation: OpenState) -> Any:
        return np.full(COUNT, float(sum(card % 13 for card in situation.board)))

    before = evolve(HERE, board=(), actor=CHANCE, round=0)
    after = evolve(before, board=tuple(parse_cards("2c3c4c")), actor=1, round=1)
    found = [StateValues(value).dealt(before, after, Cards(HERE.opponent), seed)[0] for seed in range(300)]
    hand = int(np.flatnonzero(fits(()))[700])
    ranks = [card % 13 for card in range(52) if card not in (*HERE.opponent, *pairs()[hand].tolist())]
    exact = 3 * np.mean(ranks)
    each = np.array([one[hand] for one in found])
    assert abs(each.mean() - exact) < 3 * each.std() / np.sqrt(len(each))
    assert each.std() / np.sqrt(len(each)) < 0.03 * exact


class KnowsItsCards(Agent):
    """Plays by its cards, never twice alike."""

    def policy(self, views: Any, legal: Any) -> Any:
        weights = 0.1 + (views["hole"].astype(float) ** 2 @ np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])) % 7
        weights = weights * legal
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    file = tmp_path_factory.mktemp("aivat") / "hands.jsonl"
    play(GAME, [KnowsItsCards(), "acpc_mix"], games=60, seed=1, record=file, names=("knows", "mix"))
    return read(file).hands


def test_over_all_its_actions_a_decision_corrects_nothing(hands: list[Record]) -> None:
    estimator = HoldemEstimator(GAME, HOLDEM, KnowsItsCards(), EquityValues(), "knows")
    seen = 0
    for hand in hands[:5]:
        seat = hand["seats"].index(0)
        for event in walk(GAME, hand, seat):
            if isinstance(event, OwnAction):
                _, where = next(event.after([1]))
                cards = Cards(where.opponent)
                weights = WEIGHTS * compatible(np.array([card_set((*where.opponent, *where.board))], np.uint64))[0]
                total, chances = 0.0, []
                for action in np.flatnonzero(event.legal[0]):
                    left = weights.copy()
                    other = evolve(event, action=int(action))
                    k = estimator._decision(other, left, cards, hand)
                    chances.append(left.sum() / weights.sum())
                    total += chances[-1] * k
                assert sum(chances) == pytest.approx(1)
                assert total == pytest.approx(0, abs=1e-9)
                seen += 1
    assert seen > 5


def test_what_the_player_held_itself_makes_no_difference(hands: list[Record]) -> None:
    """AIVAT averages over its hands: the same hand with other own cards is worth the same, though the chips differ."""
    estimator = HoldemEstimator(GAME, HOLDEM, KnowsItsCards(), EquityValues(), "knows")
    shown = [h for h in hands if h["outcome"]["showdown"]][:4]
    for hand in shown:
        seat = hand["seats"].index(0)
        tables = GAME.tables(1)
        place(tables, hand)
        own = tables.views(seat, np.zeros(1, np.int64))[0]["hole"].tolist()
        spare = [card for card in range(52) if card not in hand["deck"]][:2]
        swap = dict(zip(own, spare, strict=True))
        other = {**hand, "deck": [swap.get(card, card) for card in hand["deck"]]}
        assert estimator(other, seat) == pytest.approx(estimator(hand, seat), abs=1e-9)


def test_at_the_end_base_is_the_mean_over_the_hands_that_fit() -> None:
    estimator = HoldemEstimator(GAME, HOLDEM, cardai.agent("random"), EquityValues(), "random")
    board = (*HERE.board, *parse_cards("Js3d"))
    end = evolve(HERE, board=board, own=60, other=60, actor=-4, round=3)
    cards, weights = Cards(HERE.opponent), WEIGHTS * fits(board)
    x = cards.on(board).x
    assert estimator._base(HandOver(-1, end), weights, cards) == pytest.approx(60 * (weights @ x) / weights.sum())
    folded = evolve(HERE, own=20, other=40)
    assert estimator._base(HandOver(0, folded), weights, cards) == -20
    assert estimator._base(HandOver(1, evolve(HERE, own=40, other=20)), weights, cards) == 20


def test_a_pending_board_is_not_seen_by_what_an_action_is_worth(hands: list[Record]) -> None:
    for hand in hands[:20]:
        board: tuple[int, ...] = ()
        for event in walk(GAME, hand, hand["seats"].index(0)):
            if isinstance(event, BoardDealt):
                assert event.before.board == board
                board = event.after.board
            elif isinstance(event, OwnAction):
                assert {where.board for _, where in event.after(np.flatnonzero(event.legal[0]))} <= {board}


@pytest.mark.long
def test_the_mean_is_the_chips_mean_and_the_spread_less_than_half(hands: list[Record]) -> None:
    found = aivat(GAME, KnowsItsCards(), hands, name="knows")
    gap = found.values - found.chips
    assert abs(gap.mean()) < 2.5 * gap.std() / np.sqrt(len(gap))
    assert found.ratio < 0.6


def test_between_two_who_only_call_what_is_left_is_the_opponents_hand(tmp_path: Path) -> None:
    """All that cards bring is taken off: what is left is what its hand is worth against any other before the flop."""
    file = tmp_path / "hands.jsonl"
    play(cardai.game("holdem"), ["always_call"] * 2, games=6, seed=4, record=file, names=("it", "other"))
    records = read(file).hands
    found = aivat(cardai.game("holdem"), cardai.agent("always_call"), records)
    for record, value in zip(records, found.values, strict=True):
        *_, last = walk(cardai.game("holdem"), record, record["seats"].index(0))
        cards = Cards(last.situation.opponent)  # type: ignore[union-attr]
        assert value == pytest.approx(100 * cards.on(()).x[cards.against].mean(), abs=15)
    assert found.deviations[1] < 0.5 * found.deviations[0]


@pytest.mark.long
@pytest.mark.parametrize(("samples", "games", "most"), sizes((20, 26, 0.55), (100, 100, 0.45)))
def test_against_threshold_values_learned_from_play_leave_at_most_045_of_the_spread(
    samples: int, games: int, most: float, tmp_path: Any
) -> None:
    mix, threshold = cardai.agent("acpc_mix"), cardai.agent(f"threshold:samples={samples}")
    cardai.play(GAME, [mix, threshold], games=games, seed=5, record=tmp_path / "hands.jsonl")
    values = played_values(GAME, mix, threshold, hands=400)
    assert aivat(GAME, mix, read(tmp_path / "hands.jsonl").hands, values=values).ratio < most


def test_kinds_tell_rounds_actors_raises_and_position_apart() -> None:
    assert kind_of(HERE) == (1, 1, 0, 1)
    assert kind_of(evolve(HERE, actor=CHANCE, raises=9, button=1)) == (1, 2, 4, 0)


def test_the_mean_over_cards_leaves_out_those_that_a_hand_holds() -> None:
    cards = Cards(HERE.opponent)
    found = mean_over_next(HERE, HERE, cards, lambda there: np.full(COUNT, float(there.board[-1])))
    hand = int(np.flatnonzero(fits(HERE.board))[500])
    left = [card for card in cards.next_cards(HERE.board) if card not in pairs()[hand]]
    assert len(left) == 45
    assert found[hand] == pytest.approx(np.mean(left))


@pytest.mark.parametrize("change", [lambda played: played[:-1], lambda played: [*played, 1], lambda played: [7]])
def test_a_record_that_is_no_hand_is_named(hands: list[Record], change: Any) -> None:
    with pytest.raises(DamagedFileError, match="The record of game 0, hand 0 cannot be replayed as this game"):
        aivat(GAME, KnowsItsCards(), [{**hands[0], "actions": change(hands[0]["actions"])}])


class BetsBySizes(KnowsItsCards):
    """The same in full no-limit, with raises to the minimum, to three times that, and all-in, by its cards."""

    def policy(self, views: Any, legal: Any) -> Any:
        return super().policy(views, legal.kinds)

    def raise_odds(self, views: Any, legal: Any) -> Any:
        low, high = int(legal.min_amount[0]), int(legal.max_amount[0])
        amounts = np.unique(np.minimum([low, 3 * low, high], high))
        weights = 1.0 + views["hole"].astype(float) @ np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])[:, : len(amounts)]
        return amounts, weights / weights.sum(axis=1, keepdims=True)

    def raise_to(self, views: Any, legal: Any, rng: Any) -> Any:
        out = []
        for row, drawn in enumerate(rng.random()):
            amounts, odds = self.raise_odds(views[row : row + 1], legal.take(slice(row, row + 1)))
            out.append(amounts[min(int((np.cumsum(odds[0]) < drawn).sum()), len(amounts) - 1)])
        return np.array(out, np.int64)


@pytest.mark.long
@pytest.mark.parametrize("games", sizes(40, 120))
def test_where_raises_are_amounts_their_odds_are_weighed(games: int, tmp_path: Any) -> None:
    """Over all that it might have done, to any amount, a decision corrects nothing; and the mean of AIVAT is the chips'."""
    game, player = cardai.game("acpc_nolimit_2p"), BetsBySizes()
    file = tmp_path / "hands.jsonl"
    play(game, [player, "always_call"], games=games, seed=2, record=file, names=("sizes", "calls"))
    records, seen = read(file).hands, set()
    estimator = HoldemEstimator(game, HOLDEM, player, EquityValues(), "sizes")
    for hand in records[:4]:
        for event in walk(game, hand, hand["seats"].index(0)):
            if isinstance(event, OwnAction):
                _, where = next(event.after([1]))
                weights = WEIGHTS * compatible(np.array([card_set((*where.opponent, *where.board))], np.uint64))[0]
                total, chances = 0.0, []
                for action in estimator._odds(event, weights):
                    left = weights.copy()
                    k = estimator._decision(evolve(event, action=action), left, Cards(where.opponent), hand)
                    chances.append(left.sum() / weights.sum())
                    total += chances[-1] * k
                    seen.add(action)
                assert sum(chances) == pytest.approx(1)
                assert total == pytest.approx(0, abs=1e-8)
    assert len(seen) > 4
    found = aivat(game, player, records, name="sizes")
    gap = found.values - found.chips
    assert abs(gap.mean()) < 2.5 * gap.std() / np.sqrt(len(gap))
    assert found.ratio < 0.6


def test_amounts_without_odds_are_refused() -> None:
    with pytest.raises(UsageError, match="does not say how often it raises to which amount"):
        aivat(cardai.game("acpc_nolimit_2p"), cardai.agent("mix"), [])


def test_amounts_that_are_not_legal_are_refused(tmp_path: Any) -> None:
    class Wrong(BetsBySizes):
        def raise_odds(self, views: Any, legal: Any) -> Any:
            return np.array([5]), np.ones((len(views), 1))

    game, file = cardai.game("acpc_nolimit_2p"), tmp_path / "hands.jsonl"
    play(game, [BetsBySizes(), "always_call"], games=10, seed=2, record=file)
    with pytest.raises(AgentError, match=r"amounts of raise_odds of wrong must be legal, and rising. Got \[5\]"):
        aivat(game, Wrong(), read(file).hands, name="wrong")


def test_values_are_fitted_to_what_the_first_player_met_or_to_both(tmp_path: Path) -> None:
    """Who plays itself is seen from both sides; of another's hands only the player's own count."""
    file, game = tmp_path / "hands.jsonl", GAME
    play(game, ["always_call", "always_raise"], games=40, seed=2, record=file)
    hands = read(file).hands
    others = [{**hand, "seats": hand["seats"][::-1]} for hand in hands]
    mine, his = fitted(game, hands), fitted(game, others)
    raised, checked = (1, 1, 1, 0), (1, 2, 0, 0)  # on the flop: the opponent acts after a raise; cards come after none
    assert (raised in his.coefficients, raised in mine.coefficients) == (True, False)
    assert (checked in his.coefficients, checked in mine.coefficients) == (False, True)
    assert fitted(game, hands, both=True).coefficients.keys() == mine.coefficients.keys() | his.coefficients.keys()
