"""Board games of other decks and hole cards: dealt and compared as declared, recorded, replayed and redrawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena.records import place, read
from cardai.core.errors import UsageError
from cardai.core.fields import unpack_view
from cardai.core.game import Setup
from cardai.core.rng import derive_many
from cardai.poker.contract import board_game
from cardai.poker.rules.showdown import hand_values

GAMES = (
    "short_deck:players=4,stack=500+900+2000+300",
    "short_deck_button:players=3",
    "plo:players=3,bets=0.5+pot",
    "plo5:players=4,stack=400+900+2500+300",
    "plo6",
    "holdem_nolimit:players=4,straddles=200,ante=20,ante_from=big_blind,stack=1000",
)


def played(spec: str, count: int = 60) -> Any:
    """Return tables of finished hands of random play."""
    game = cardai.game(spec)
    tables, agent = game.tables(count), cardai.agent("random").for_game(game)
    tables.reset(derive_many(7, "hands", count=count))
    streams, step = derive_many(7, "streams", count=count), 0
    while (live := np.flatnonzero(tables.current_players() >= 0)).size:
        for seat in range(game.num_players):
            rows = live[tables.current_players()[live] == seat]
            if len(rows):
                rng = cardai.core.rng.Rows(cardai.core.rng.hash_rows(streams[rows], step))
                tables.apply(rows, agent.act(tables.views(seat, rows), tables.legal(rows), rng))
        step += 1
    return tables


@pytest.mark.parametrize("spec", GAMES)
def test_dealt_cards_are_the_decks_and_the_best_declared_hand_wins(spec: str) -> None:
    tables = played(spec)
    game, rows = board_game(tables.game), np.arange(tables.count)
    assert game is not None
    views = [tables.views(seat, rows) for seat in range(game.num_players)]
    returns, ends = tables.returns(rows), tables.outcomes(rows)
    assert np.abs(returns.sum(axis=1)).max() < 1e-9
    compared = 0
    for row in rows:
        dealt = [int(card) for view in views for card in view["hole"][row]] + views[0]["board"][row].tolist()
        assert len({card for card in dealt if card >= 0}) == sum(card >= 0 for card in dealt)
        assert set(dealt) <= {*game.deck.cards, -1}
        if not ends["showdown"][row]:
            continue
        compared += 1
        values = hand_values(game, [v["hole"][row] for v in views], [views[0]["board"][row]] * len(views))
        live = ~views[0]["folded"][row]
        best = max(v for v, still in zip(values, live, strict=True) if still)
        assert (returns[row][live & (values == best)] >= 0).all()
        assert returns[row].max() == returns[row][live].max()
    assert compared > 10


@pytest.mark.parametrize("spec", GAMES)
def test_hands_redrawn_from_a_view_agree_with_it(spec: str) -> None:
    """What a seat saw is the same in every redrawn hand; what it did not see differs from hand to hand."""
    game = cardai.game(spec)
    said = board_game(game)
    assert said is not None
    table, row = game.tables(1), np.zeros(1, np.int64)
    table.reset(np.array([11], np.uint64))
    for _ in range(2):
        table.apply(row, np.ones(1, np.int64))
    seat = int(table.current_players()[0])
    view = unpack_view(game.view_fields, table.views(seat, row)[0])
    redrawn = game.determinize(view, 5, 40)
    rows = np.arange(40)
    for seen in redrawn.views(seat, rows):
        assert unpack_view(game.view_fields, seen) == view
    other = redrawn.views((seat + 1) % game.num_players, rows)["hole"]
    assert len(np.unique(np.sort(other, axis=1), axis=0)) > 30
    assert set(other.ravel().tolist()) <= set(said.deck.cards) - set(view["hole"]) - set(view["board"])
    assert redrawn.current_players().tolist() == [seat] * 40


def test_many_hole_cards_take_no_weights_and_two_of_a_short_deck_take_those_of_its_hands() -> None:
    for spec in ("plo", "short_deck"):
        game = cardai.game(spec)
        table, row = game.tables(1), np.zeros(1, np.int64)
        table.reset(np.array([3], np.uint64))
        seat = int(table.current_players()[0])
        view = unpack_view(game.view_fields, table.views(seat, row)[0])
        weights = np.ones(1326)
        if spec == "plo":
            with pytest.raises(UsageError, match=r"deals 4: leave them out"):
                game.determinize(view, 1, 3, weights)
        else:
            drawn = game.determinize(view, 1, 30, weights).views(1 - seat, np.arange(30))["hole"]
            assert (drawn % 13 >= 4).all()


@pytest.mark.parametrize("spec", ["short_deck:players=3,stack=500+900+2000", "plo5:hands=3", GAMES[-1]])
def test_a_record_replays_to_the_same_hands(spec: str, tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    game = cardai.game(spec)
    cardai.play(spec, ["random"] * game.num_players, games=3 * game.num_players, seed=4, record=file)
    tables, row = game.tables(1), np.zeros(1, np.int64)
    hands = list(read(file).hands)
    assert len(hands) == 3 * game.num_players * game.hands
    for hand in hands:
        place(tables, hand)
        for action in hand["actions"]:
            tables.apply(row, np.array([action]))
        assert tables.current_players().tolist() == [-4]
        assert tables.returns(row)[0].tolist() == hand["returns"]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("plo6:players=8", "need 53 cards"),
        ("plo:bets=pot+allin", "at most the pot"),
        ("omaha:hole_cards=3", "hole_cards"),
        ("short_deck_button:blinds=50+100", "one blind"),
        ("holdem_limit:straddles=20", "a seat of its own. Got 3 of them for 2 players"),
        ("holdem_nolimit:players=3,straddles=100", "above the blind before it"),
        ("holdem_nolimit:ante=1,ante_from=button", "big_blind"),
    ],
)
def test_games_that_cannot_be_dealt_or_bet_are_refused(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        cardai.game(spec)


def test_chips_of_a_dead_ante_are_in_the_pot_and_in_nobodys_bet() -> None:
    game = cardai.game("holdem_nolimit:players=3,ante=100,ante_from=big_blind,stack=1000")
    tables, row = game.tables(1), np.zeros(1, np.int64)
    tables.reset(np.array([1], np.uint64))
    view = unpack_view(game.view_fields, tables.views(0, row)[0])  # the button, first to act of three
    assert (view["pot"], view["to_call"], view["spent"], view["stacks"]) == (250, 100, [0, 50, 100], [1000, 950, 800])
    for action in (0, 0):
        tables.apply(row, np.array([action]))
    assert tables.returns(row)[0].tolist() == [0.0, -50.0, 50.0]


def test_behind_a_straddle_the_big_blind_still_pays_the_dead_ante_and_is_what_is_counted_in() -> None:
    game = cardai.game("holdem_nolimit:players=4,straddles=200,ante=300,ante_from=big_blind,stack=2000")
    view = unpack_view(game.view_fields, first_views(game, 3)[0])
    assert (view["spent"], view["stacks"]) == ([0, 50, 100, 200], [2000, 1950, 1600, 1800])
    said = board_game(game)
    assert said is not None
    assert said.big_blind == 100  # thousandths of it are what results are given in, however large the ante is
    each = board_game(cardai.game("holdem_nolimit:players=4,ante=300"))
    assert each is not None
    assert each.big_blind == 300


@pytest.mark.parametrize(("players", "payer"), [(3, 2), (2, 1)])
def test_of_equal_blinds_the_last_one_is_the_big_one(players: int, payer: int) -> None:
    game = cardai.game(f"holdem_nolimit:players={players},blinds=100+100,ante=30,ante_from=big_blind,stack=2000")
    stacks = unpack_view(game.view_fields, first_views(game, 0)[0])["stacks"]
    assert [seat for seat, stack in enumerate(stacks) if stack == min(stacks)] == [payer]
    assert min(stacks) == 1870


def first_views(game: Any, player: int) -> Any:
    """Return ``player``'s view (1,) of a fresh hand whose button is seat 0."""
    tables = game.tables(1)
    tables.reset(np.array([1], np.uint64))
    return tables.views(player, np.zeros(1, np.int64))


def test_a_straddle_acts_last_and_the_first_raise_doubles_it() -> None:
    game = cardai.game("holdem_nolimit:players=4,straddles=200,stack=2000")
    state = game.new_initial_state(Setup(starter=3))
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert state.current_player() == 3  # seats 0 and 1 have the blinds, 2 the straddle
    assert state.legal_actions()[:3] == [0, 1, 400]
    for _ in range(3):
        state.apply_action(1)
    assert state.current_player() == 2  # the straddle may still raise
    assert state.legal_actions()[:2] == [1, 400]
    state.apply_action(1)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert state.legal_actions()[:2] == [1, 300]  # a bet of the big blind, 100, on top of the 200 put in
