"""Triple draw: against PokerKit move by move, and the rules PokerKit does not settle."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardai
from cardai.arena.match import play
from cardai.arena.records import read
from cardai.arena.table import replay
from cardai.cards.text import parse_cards
from cardai.core.errors import OptionError
from cardai.core.rng import derive_many
from cardai.poker.hands.ranking import rank_deuce_to_seven
from tests.support import sizes

FOLD, CALL, RAISE, PAT = 0, 1, 2, 3
ALL = PAT + 31


@pytest.fixture(scope="module")
def against_pokerkit() -> ModuleType:
    file = Path(__file__).parents[3] / "benchmarks" / "rules_triple_draw.py"
    spec = importlib.util.spec_from_file_location("rules_triple_draw", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.long("40-3", "40-6", "35-4")
@pytest.mark.parametrize(
    ("hands", "players", "stack"),
    [
        *sizes((75, 2, 0), (750, 2, 0)),
        *sizes((50, 2, 550), (100, 2, 550)),
        *sizes((40, 3, 0), (75, 3, 0)),
        (40, 6, 0),
        (35, 4, 700),
    ],
)
def test_random_hands_are_pokerkits(against_pokerkit: ModuleType, hands: int, players: int, stack: int) -> None:
    counts = against_pokerkit.compare(hands, players, stack, seed=7)
    assert counts["hands"] == hands
    assert counts["showdowns"] > hands // 3
    assert players < 6 or counts["reshuffles"] > 10


def new_hand(hands: list[str], *, starter: int = 0, **options: Any) -> Any:
    """Return a hand after dealing ``hands`` by position (heads-up: big blind, button)."""
    game = cardai.game("triple_draw", players=len(hands), **options)
    state = game.new_initial_state(cardai.core.game.Setup(starter=starter))
    for text in hands:
        for card in parse_cards(text):
            state.apply_action(card)
    return state


WEAK, STRONG = "KsKhKdQsQh", "7s5h4d3s2c"


def play_out(state: Any, actions: list[int]) -> Any:
    for action in actions:
        state.apply_action(action)
    return state


def test_heads_up_the_button_posts_the_small_blind_and_acts_first_before_the_draw() -> None:
    state = new_hand([WEAK, STRONG])
    assert state.current_player() == 0
    view = state.view(0)
    assert (view["button"], view["spent"], view["to_call"], view["pot"]) == (0, [50, 100], 50, 150)
    assert state.legal_actions() == [FOLD, CALL, RAISE]
    state.apply_action(CALL)
    assert (state.current_player(), state.legal_actions()) == (1, [CALL, RAISE])
    state.apply_action(CALL)
    assert state.current_player() == 1  # the big blind draws first
    assert state.legal_actions() == list(range(PAT, PAT + 32))
    state.apply_action(PAT)
    state.apply_action(PAT)
    assert state.current_player() == 1  # and bets first
    assert state.view(1)["draws_left"] == 2


def test_the_big_blind_counts_as_the_first_of_four_bets_unless_told_otherwise() -> None:
    for counts, raises in ((True, 3), (False, 4)):
        state = play_out(new_hand([WEAK, STRONG], blind_counts=counts), [RAISE] * raises)
        assert state.legal_actions() == [FOLD, CALL]
        state = play_out(state, [CALL, PAT, PAT, RAISE, RAISE, RAISE, RAISE])
        assert state.legal_actions() == [FOLD, CALL]


def test_bets_double_behind_the_second_draw_and_the_low_hand_takes_the_pot() -> None:
    state = play_out(new_hand([WEAK, STRONG]), [CALL, CALL, PAT, PAT])
    for _ in range(2):
        play_out(state, [RAISE, CALL, PAT, PAT])
    play_out(state, [RAISE, CALL])
    assert state.is_terminal()
    assert state.returns() == [600.0, -600.0]  # 100 + 100 + 200 + 200
    assert state.outcome() == {"showdown": True, "round": 3, "pot": 1200}


def test_a_fold_gives_up_what_was_put_in() -> None:
    state = play_out(new_hand([WEAK, STRONG]), [CALL, RAISE, FOLD])
    assert state.returns() == [-100.0, 100.0]
    assert state.outcome()["showdown"] is False


def test_equal_hands_split_the_pot_and_the_wheel_is_an_ace_high_hand() -> None:
    passive = [CALL, CALL, PAT, PAT] + [CALL, CALL, PAT, PAT] * 2 + [CALL, CALL]
    assert play_out(new_hand(["7s5h4d3s2c", "7d5c4h3h2d"]), passive).returns() == [0.0, 0.0]
    assert play_out(new_hand(["As5h4d3s2c", "Ks5c4h3h2d"]), passive).returns()[0] > 0  # seat 0 is the button: K low
    assert play_out(new_hand(["As5h4d3s2c", "6s5c4h3h2d"]), passive).returns()[0] < 0  # a straight loses to it


def test_opponents_see_how_many_cards_were_drawn_and_no_more() -> None:
    state = play_out(new_hand([WEAK, STRONG]), [CALL, CALL, PAT + 0b00111])
    for card in parse_cards("2d3h8c"):
        assert state.chance_seen_by() == (1,)
        state.apply_action(card)
    own, other = state.view(1), state.view(0)
    assert own["hand"] == parse_cards("2d3h8cQsQh")
    assert own["discarded"] == sum(1 << card for card in parse_cards("KsKhKd"))
    assert other["discarded"] == 0
    assert own["kept"] == other["kept"] == [-1, -1, -1, 2, -1, -1]
    assert other["history"] == [CALL, CALL, PAT + 3]
    assert (own["draws_left"], other["draws_left"]) == (2, 3)
    twin = play_out(new_hand([WEAK, STRONG]), [CALL, CALL, PAT + 0b11100])
    for card in parse_cards("2d3h8c"):
        twin.apply_action(card)
    assert twin.key(0) == state.key(0)
    assert twin.key(1) != state.key(1)


def test_players_who_are_all_in_still_draw() -> None:
    state = play_out(new_hand([WEAK, STRONG], stack=200), [RAISE, CALL])
    assert state.legal_actions() == list(range(PAT, PAT + 32))
    state = play_out(state, [PAT] * 6)
    assert state.is_terminal()
    assert state.returns() == [200.0, -200.0]
    assert state.outcome() == {"showdown": True, "round": 0, "pot": 400}  # nobody bet after the first round


def test_a_reshuffle_takes_discards_and_folded_hands_but_not_the_drawers_own() -> None:
    tables: Any = cardai.game("triple_draw", players=6).tables(1)
    one = np.zeros(1, np.int64)
    tables.reset(derive_many(11, "deal", count=1))
    row = tables.data[0]
    tables.apply(one, np.array([FOLD]))
    folded = int(row["history_seat"][0])
    gone = set(row["hands"][5 * folded : 5 * folded + 5].tolist())
    while row["phase"] != 2:
        tables.apply(one, np.array([CALL]))
    hands: list[set[int]] = []
    while not row["reshuffles"]:
        seat = int(row["current"])
        own = set(row["hands"][5 * seat : 5 * seat + 5].tolist())
        tables.apply(one, np.array([ALL]))
        hands.append(own)
    # the fifth drawer takes two new cards from the deck (22 + 5 folded hands' worth was dealt) and three reshuffled ones
    drawn = row["drawn"][30 : row["taken"]].tolist()
    assert len(drawn) == 25
    assert len(set(drawn[:22])) == 22
    again = set(drawn[22:])
    assert again <= (gone | set().union(*hands[:-1]))
    assert not again & hands[-1]
    in_hands = row["hands"][row["hands"] >= 0].tolist()
    live = [card for seat in range(6) if seat != folded for card in row["hands"][5 * seat : 5 * seat + 5].tolist()]
    assert len(in_hands) == 30
    assert len(set(live)) == 25


def test_a_record_with_reshuffles_replays_card_by_card(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    play("triple_draw:players=6,hands=2", ["random_refold"] * 6, games=12, seed=4, record=file)
    game = cardai.game("triple_draw:players=6,hands=2")
    reshuffles = 0
    for record in read(file).hands:
        other = {**record, "seed": 1}  # the deck alone must be enough
        table = list(replay(game, other))[-1][0]
        tables: Any = table._loop.tables
        assert list(table.end().returns) == record["returns"]
        assert tables.deck(0)[: tables.data["taken"][0]] == record["deck"][: tables.data["taken"][0]]
        reshuffles += int(tables.data["reshuffles"][0])
    assert reshuffles > 5


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_chips_and_cards_are_conserved_and_a_hand_replays_from_its_history(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 6), "players")
    stack = data.draw(st.sampled_from([0, 250, 900]), "stack")
    game = cardai.game("triple_draw", players=players, stack=stack)
    tables: Any = game.tables(1)
    one = np.zeros(1, np.int64)
    tables.reset(np.array([data.draw(st.integers(0, 2**64 - 1), "seed")], np.uint64))
    moves = []
    while tables.current_players()[0] >= 0:
        legal = np.flatnonzero(tables.legal(one)[0]).tolist()
        moves.append(data.draw(st.sampled_from(legal)))
        tables.apply(one, np.array([moves[-1]]))
        row = tables.data[0]
        live = [
            card for p in range(players) if not row["folded"][p] for card in row["hands"][5 * p : 5 * p + 5].tolist()
        ]
        assert len(set(live)) == len(live)
        if stack:
            assert (row["spent"][:players] <= stack).all()
    returns = tables.returns(one)[0]
    assert abs(returns.sum()) < 1e-9
    assert (returns >= -tables.data["spent"][0, :players]).all()
    state = game.new_initial_state()
    deck = iter(tables.deck(0))
    for move in moves:
        while state.is_chance_node():
            state.apply_action(next(deck))
        state.apply_action(move)
    while state.is_chance_node():
        state.apply_action(next(deck))
    assert state.returns() == returns.tolist()
    again = game.new_initial_state()
    for action in state.history:
        again.apply_action(action)
    assert [again.key(p) for p in range(players)] == [state.key(p) for p in range(players)]


def test_the_winner_of_a_showdown_has_the_best_low() -> None:
    tables: Any = cardai.game("triple_draw").tables(500)
    rows = np.arange(500)
    tables.reset(derive_many(2, "deal", count=500))
    while len(going := np.flatnonzero(tables.current_players() >= 0)):
        tables.apply(going, np.where(tables.legal(going)[:, PAT], PAT + 1, CALL))
    low = [rank_deuce_to_seven(tables.data["hands"][:, 5 * p : 5 * p + 5]).astype(int) for p in range(2)]
    assert (np.sign(tables.returns(rows)[:, 0]) == np.sign(low[0] - low[1])).all()


def test_the_button_moves_unless_it_is_fixed_and_the_score_is_in_the_view() -> None:
    moving = play("triple_draw:hands=4", ["random_refold", "random_refold"], games=4, seed=1)
    assert moving.hands["starter"].tolist() == [0, 1, 0, 1] * 4
    fixed = play("triple_draw:hands=4,fixed_button=true", ["random_refold", "random_refold"], games=4, seed=1)
    assert set(fixed.hands["starter"].tolist()) == {0}
    assert [label for label, _ in moving.summary(0)] == ["mbb/g", "showdowns", "mean pot"]


def test_the_display_numbers_the_cards_and_tells_who_drew_what() -> None:
    state = play_out(new_hand([STRONG, WEAK]), [CALL, CALL, PAT, PAT + 1])
    state.apply_action(parse_cards("9c")[0])
    shown = state.game.draw(state.view(1))
    assert "7♠   5♥   4♦   3♠   2♣   (7-5-4-3-2; 2 draws left)" in shown
    assert "seat 0: 100 in, drew 1 (button)" in shown
    assert "betting cc/d0d1" in shown


@pytest.mark.parametrize("wrong", ["players=7", "blinds=100+50", "bets=100", "cap=0", "stack=10"])
def test_options_that_make_no_game_are_refused(wrong: str) -> None:
    with pytest.raises(OptionError, match=wrong.split("=")[0]):
        cardai.game(f"triple_draw:{wrong}")
