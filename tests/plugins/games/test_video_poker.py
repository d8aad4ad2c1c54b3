"""The game of video poker."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardai
from cardai.arena.match import play
from cardai.cards.text import parse_cards
from cardai.core.errors import OptionError
from cardai.core.game import Setup, pack_setups
from cardai.core.rng import derive_many


def play_hand(hand: str, hold: int, drawn: str = "", game: str = "video_poker") -> tuple[float, dict[str, object]]:
    state = cardai.game(game).new_initial_state()
    for card in parse_cards(hand):
        state.apply_action(card)
    state.apply_action(hold)
    for card in parse_cards(drawn):
        state.apply_action(card)
    assert state.is_terminal()
    return state.returns()[0], state.outcome()


@pytest.mark.parametrize(
    ("hand", "hold", "drawn", "payout"),
    [
        ("AsKsQsJsTs", 31, "", 976),
        ("AsKsQsJs2d", 15, "9s", 6),
        ("9sTs2dJsQs", 27, "8s", 50),
        ("2c2d2h5s6s", 7, "2s9d", 25),
        ("2c2d2h5s6s", 31, "", 3),
        ("JcJd3h5s6s", 31, "", 1),
        ("TcTd3h5s6s", 31, "", 0),
    ],
)
def test_final_hands_are_paid_by_the_table(hand: str, hold: int, drawn: str, payout: float) -> None:
    assert play_hand(hand, hold, drawn)[0] == payout


def test_other_pay_tables_pay_by_their_numbers() -> None:
    assert play_hand("AsKsQsJsTs", 31, game="video_poker:pay_table=800-9-6")[0] == 800
    own = "video_poker:pay_table=1+2+3+4+5+8+25+50+4000"
    assert play_hand("AsKsQsJsTs", 31, game=own) == (4000, {"category": 9, "payout": 4000})
    with pytest.raises(OptionError, match="976-9-6, 800-9-6, or nine whole numbers"):
        cardai.game("video_poker:pay_table=9-6")


def test_a_drawn_card_takes_the_place_of_the_discarded_one() -> None:
    state = cardai.game("video_poker").new_initial_state()
    for card in (0, 1, 2, 3, 4):
        state.apply_action(card)
    state.apply_action(0b10101)
    assert state.view(0)["hand"] == [0, 2, 4]  # while cards are missing, those there are
    state.apply_action(50)
    state.apply_action(51)
    assert state.view(0)["hand"] == [0, 50, 2, 51, 4]
    assert state.view(0)["draws_left"] == 0


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(0, 31))
def test_a_hand_replays_from_its_deck_and_held_cards_stay(seed: int, hold: int) -> None:
    game = cardai.game("video_poker")
    tables, one = game.tables(1), np.zeros(1, np.int64)
    tables.reset(np.array([seed], np.uint64))
    before = tables.views(0, one)["hand"][0].copy()
    tables.apply(one, np.array([hold]))
    after = tables.views(0, one)["hand"][0]
    assert [bool(hold >> i & 1) for i in range(5)] == (before == after).tolist()
    assert len(set(after.tolist()) | set(before.tolist())) == 10 - bin(hold).count("1")
    state = game.new_initial_state()
    deck = tables.deck(0)
    for card in deck[:5]:
        state.apply_action(card)
    state.apply_action(hold)
    for card in deck[5 : 10 - bin(hold).count("1")]:
        state.apply_action(card)
    assert state.view(0)["hand"] == after.tolist()
    assert state.returns() == tables.returns(one)[0].tolist()


def test_a_match_of_many_hands_keeps_the_score_in_the_view() -> None:
    game = cardai.game("video_poker", hands=50)
    result = play(game, ["video_perfect"], games=20, seed=3)
    assert len(result.hands) == 20 * 50
    assert result.scores[:, 0].tolist() == result.hands["returns"][:, 0].reshape(20, 50).sum(axis=1).tolist()
    state = game.new_initial_state(Setup(hand=3, score=(17.0,)))
    assert state.view(0)["score"] == [17]
    tables = game.tables(2)
    tables.reset(np.zeros(2, np.uint64), None, np.arange(2), pack_setups(1, [Setup(), Setup(score=(5.0,))]))
    assert tables.views(0, np.arange(2))["score"].tolist() == [[0], [5]]


@pytest.mark.long
def test_the_sampled_return_of_the_one_rule_player_is_its_exact_one() -> None:
    estimate = play("video_poker", ["video_heuristic"], games=40_000, seed=5).mean_return(0)
    # the exact return is 0.915641 (tests/solve/test_video_poker.py); four half widths are beyond chance
    assert abs(estimate.mean - 0.915641) < 2 * estimate.half_width


def test_decks_depend_on_seeds_alone() -> None:
    tables = cardai.game("video_poker").tables(3)
    tables.reset(derive_many(1, "deal", count=3))
    single = cardai.game("video_poker").tables(1)
    single.reset(derive_many(1, "deal", count=1, start=2))
    assert tables.deck(2) == single.deck(0)


def test_the_display_shows_the_hand() -> None:
    game = cardai.game("video_poker")
    shown = game.draw({"hand": parse_cards("AsKd"), "draws_left": 1, "score": [0]})
    assert shown is not None
    assert "A♠  K♦  ??" in shown
