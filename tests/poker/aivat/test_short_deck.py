"""AIVAT in short deck: equities of its deck and ranking, and the same mean as the chips'."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import cardai
from cardai.arena.match import play
from cardai.arena.records import place, read
from cardai.cards.text import cards_text, parse_cards
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.game import CHANCE, Game
from cardai.poker.aivat.holdem import BoardDealt, HandOver, HoldemEstimator, holdem_estimator, walk
from cardai.poker.aivat.values import Cards, EquityValues, OpenState, StateValues
from cardai.poker.contract import FRENCH, SHORT, SHORT_HIGH, Deck
from cardai.poker.hands.combos import COUNT, left_by, pair_index, pairs
from cardai.poker.hands.ranking import rank_high, rank_short_deck
from cardai.poker.hands.runouts import Runouts, before_flop, dealt_from, random_boards, sampled_before_flop
from cardai.poker.ranges.hands import HoleCards
from cardai.poker.rules.holdem import NoLimitHoldem
from cardai.solve.aivat import Aivat, aivat
from tests.support import sizes

GAMES = [
    "short_deck:bets=half+pot+allin",
    "short_deck_button:bets=half+pot+allin",
    "short_deck:bets=pot+allin,ante=100,ante_from=big_blind,stack=4000",
]
ENDS = [
    "short_deck_button:bets=half+pot+allin,stack=3000+900",
    "short_deck:bets=pot+allin,ante=100,ante_from=big_blind,stack=2000+1200",
    "short_deck:bets=half+pot+allin",
    "holdem_nolimit:bets=pot+allin,ante=100,ante_from=big_blind,stack=2000+230",
]
HANDS = HoleCards(SHORT.cards, SHORT_HIGH)
HERO, FLOP, TURN, RIVER = parse_cards("Qh9h"), parse_cards("Th8h7c"), *parse_cards("JsAd")
OTHERS = [parse_cards(text) for text in ("AsAh", "Tc7d", "KhJh", "9c6c")]
DECK = SHORT.cards, rank_short_deck
HERE = OpenState(
    seat=0, opponent=(HERO[0], HERO[1]), board=tuple(FLOP), own=300, other=300, actor=1,
    round=1, raises=0, button=0, history=(1, 1),
)  # fmt: skip
WEIGHTS = np.random.default_rng(3).uniform(0, 1, COUNT) ** 3 * dealt_from(SHORT.cards) * left_by(HERO)


class ByCards(Agent):
    """Plays by its cards, whatever the number of actions."""

    def policy(self, views: Any, legal: Any) -> Any:
        mixed = np.abs(np.sin(np.outer(views["hole"].sum(axis=1) + 1.0, 1.0 + np.arange(legal.shape[1]))))
        weights = (0.05 + mixed) * legal
        return weights / weights.sum(axis=1, keepdims=True)


def number(hand: list[int]) -> int:
    return int(pair_index(np.array(hand[:1]), np.array(hand[1:]))[0])


def measured(game: Game, agent: Agent | str, other: Agent | str, games: int, seed: int, folder: Any) -> Aivat:
    """Return AIVAT of played hands."""
    play(game, [agent, other], games=games, seed=seed, record=folder / "hands.jsonl", names=("a", "b"))
    player = cardai.agent(agent) if isinstance(agent, str) else agent
    return aivat(game, player, read(folder / "hands.jsonl").hands, name="a")


def gap(found: Aivat) -> tuple[float, float]:
    """Return the mean of chips less AIVAT and half its 95 % interval, over duplicate pairs, each seat's mean being its own."""
    luck = evolve(found, values=found.chips - found.values).corrected
    return luck.mean, luck.half_width


@pytest.mark.long("3")
@pytest.mark.parametrize("size", [3, 4, 5])
def test_equities_are_those_that_pokerkits_short_deck_hands_have_on_all_boards(size: int) -> None:
    kit = pytest.importorskip("pokerkit")
    runouts, board = Runouts((HERO[0], HERO[1]), (FLOP[0], FLOP[1], FLOP[2]), *DECK), [*FLOP, TURN, RIVER][:size]
    found = [runouts.on_flop, runouts.on_turn(TURN), runouts.on_river(TURN, RIVER)][size - 3]
    for other in OTHERS:
        rest, results = set(SHORT.cards) - {*HERO, *other, *board}, []
        for more in combinations(sorted(rest), 5 - size):
            mine, yours = (
                kit.ShortDeckHoldemHand.from_game(cards_text(hand), cards_text([*board, *more]))
                for hand in (other, HERO)
            )
            results.append((mine > yours) - (mine < yours))
        assert found.x[number(other)] == pytest.approx(np.mean(results), abs=1e-6)
    blocked = np.isin(pairs(), [*HERO, *board]).any(axis=1) | ~dealt_from(SHORT.cards)
    assert not found.x[blocked].any()
    assert found.strong == pytest.approx(0.5 - found.x[~blocked].mean() / 2)


def exact_before_flop(other: list[int]) -> float:
    """Return x over all 201,376 boards."""
    boards = np.array(list(combinations(sorted(set(SHORT.cards) - {*HERO, *other}), 5)))
    mine, yours = (rank_short_deck(np.hstack([boards, np.tile(hand, (len(boards), 1))])) for hand in (other, HERO))
    return float(np.sign(mine - yours).mean())


@pytest.mark.long
@pytest.mark.parametrize("others", sizes(OTHERS[:1], OTHERS[1:3]))
def test_before_the_flop_samples_have_the_right_mean_and_rough_figures_are_near(others: list[list[int]]) -> None:
    """Without the factor C(34, 5) / C(32, 5) = 1.382 every sampled figure would lie far too low."""
    free = np.setdiff1d(SHORT.cards, HERO)
    found = np.mean([sampled_before_flop(HERO, random_boards(free, 1000, 5, seed), *DECK) for seed in range(8)], axis=0)
    rough = before_flop(HERO, *DECK)
    for other in others:
        exact = exact_before_flop(other)
        assert abs(found[number(other)] - exact) < 3 * 1.382 / np.sqrt(8000)
        assert abs(rough.x[number(other)] - exact) < 0.25
    assert not found[~dealt_from(SHORT.cards)].any()
    assert not rough.x[~dealt_from(SHORT.cards)].any()
    assert abs(rough.x.sum() / left_by(HERO)[dealt_from(SHORT.cards)].sum() - (1 - 2 * rough.strong)) < 0.05


def any_function(situation: OpenState) -> Any:
    """Return what has nothing to do with poker, other on every board."""
    return np.random.default_rng(abs(hash((situation.board, situation.raises)))).normal(0, 9, COUNT)


@pytest.mark.parametrize("values", [EquityValues(), StateValues(any_function)], ids=["equity", "any"])
@pytest.mark.parametrize("size", [3, 4])
def test_over_all_cards_that_can_come_a_deal_corrects_nothing(values: Any, size: int) -> None:
    cards, board = Cards(HERE.opponent, HANDS), (*HERE.board, TURN)[:size]
    before = evolve(HERE, board=board, actor=CHANCE, round=size - 2)
    weights = WEIGHTS * left_by(board)
    estimator = HoldemEstimator(cardai.game(GAMES[0]), HANDS, cardai.agent("random"), values, "random")
    assert cards.against.sum() == 34 * 33 // 2
    total = mass = 0.0
    for card in cards.next_cards(board).tolist():
        left = weights.copy()
        after = evolve(before, board=(*board, card), actor=1, round=size - 1)
        total += estimator._deal(BoardDealt(before, after), left, cards, 0) * left.sum()
        mass += left.sum()
    assert mass == pytest.approx(weights.sum() * (32 - size))  # each hand leaves so many of 36 cards
    assert total / mass == pytest.approx(0, abs=1e-9)


def test_before_the_flop_a_function_of_situations_is_estimated_without_bias() -> None:
    """Against all 4,960 flops that a hand leaves."""

    def value(situation: OpenState) -> Any:
        return np.full(COUNT, float(sum(card % 13 for card in situation.board)))

    before = evolve(HERE, board=(), actor=CHANCE, round=0)
    after = evolve(before, board=tuple(FLOP), actor=1, round=1)
    hand = number(OTHERS[1])
    each = [StateValues(value).dealt(before, after, Cards(HERE.opponent, HANDS), k)[0][hand] for k in range(300)]
    exact = 3 * np.mean([card % 13 for card in SHORT.cards if card not in (*HERO, *OTHERS[1])])
    assert abs(np.mean(each) - exact) < 3 * np.std(each) / np.sqrt(300)
    assert np.std(each) / np.sqrt(300) < 0.03 * exact


@pytest.mark.long("ante=100")
@pytest.mark.parametrize("name", [ENDS[0], *sizes(*ENDS[1:])])
def test_at_the_end_the_hand_that_was_held_is_worth_the_chips_that_it_won(name: str, tmp_path: Any) -> None:
    """Blinds of the button, antes, dead antes and unequal stacks: for both seats, folds and showdowns."""
    game = cardai.game(name)
    play(game, [ByCards(), "random"], games=60, seed=4, record=tmp_path / "hands.jsonl")
    estimator, ends = holdem_estimator(game, ByCards(), None, "by cards"), set()
    assert estimator is not None
    for hand in read(tmp_path / "hands.jsonl").hands:
        for seat in (0, 1):
            *_, last = walk(game, hand, seat)
            assert isinstance(last, HandOver)
            tables = game.tables(1)
            place(tables, hand)
            weights = np.zeros(COUNT)
            weights[number(tables.views(seat, np.zeros(1, np.int64))[0]["hole"].tolist())] = 1.0
            found = estimator._base(last, weights, Cards(last.situation.opponent, estimator.hands))
            assert found == pytest.approx(hand["returns"][seat])
            ends.add((seat, last.folded))
    assert len(ends) == 6


@pytest.mark.long
@pytest.mark.parametrize("name", sizes(GAMES[2], GAMES[1]))
def test_its_mean_is_that_of_the_chips_and_its_spread_is_smaller(name: str, tmp_path: Any) -> None:
    found = measured(cardai.game(name), ByCards(), "always_call", 40, 1, tmp_path)
    mean, half = gap(found)
    assert abs(mean) < 1.3 * half  # 2.5 standard errors
    assert found.ratio < 0.6


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "pair"),
    [
        (GAMES[0], (ByCards(), "random")),
        (GAMES[1], (ByCards(), "mix")),
        (GAMES[2], ("random", "always_call")),
    ],
)
def test_over_five_thousand_hands_the_difference_is_nothing(name: str, pair: Any, tmp_path: Any) -> None:
    found = measured(cardai.game(name), *pair, games=5000, seed=7, folder=tmp_path)
    mean, half = gap(found)
    assert abs(mean) < 1.3 * half
    assert found.ratio < 0.6


def test_a_third_partys_deck_is_measured_by_what_it_declares(tmp_path: Any) -> None:
    """Royal hold'em: 20 cards from the ten up, hold'em's ranking."""

    @frozen
    class Royal(NoLimitHoldem):
        deck = Deck("20 cards", tuple(card for card in FRENCH.cards if card % 13 >= 8))

    game = Royal(bets=("pot", "allin"))
    estimator = holdem_estimator(game, ByCards(), None, "by cards")
    assert estimator is not None
    assert estimator.hands == HoleCards(game.deck.cards)
    hand, other, flop = (parse_cards(text) for text in ("AsKs", "QhJh", "TsQdAc"))
    rest = sorted(set(game.deck.cards) - {*hand, *other, *flop})
    boards = np.array([[*flop, *more] for more in combinations(rest, 2)])
    mine, yours = (rank_high(np.hstack([boards, np.tile(cards, (len(boards), 1))])) for cards in (other, hand))
    found = Cards((hand[0], hand[1]), estimator.hands).on(tuple(flop)).x[number(other)]
    assert found == pytest.approx(np.sign(mine - yours).mean(), abs=1e-6)
    mean, half = gap(measured(game, ByCards(), "always_call", 60, 2, tmp_path))
    assert abs(mean) < 1.3 * half


@pytest.mark.parametrize(
    ("name", "says"), [("short_deck:players=3", "of two players"), ("plo:bets=pot", "Omaha.* is too large")]
)
def test_what_it_is_not_for_is_refused(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        aivat(cardai.game(name), cardai.agent("always_call"), [])
