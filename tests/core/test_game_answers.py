"""What rooms for any game ask a game: it answers by what it and its families declare, never by names alone."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import frozen

import cardai
from cardai.core.fields import Field, as_dealt, empty_views
from cardai.plugins.games.poker.limit import HoldemLimit
from cardai.plugins.games.video_poker import VideoPoker


@pytest.mark.parametrize("game", ["gin", "leduc", "kuhn"])  # gin's `hand` is a set, Leduc's hole one card
def test_views_of_other_families_stay_as_dealt(game: str) -> None:
    assert cardai.game(game).canonical_form() is as_dealt


@pytest.mark.parametrize("base", [HoldemLimit, VideoPoker])
def test_a_game_that_shows_more_cards_stays_as_dealt(base: type) -> None:
    """Suits renamed in the hand alone would no longer be those of the card beside it."""
    fields = (*base().view_fields, Field("shown", "card", "a card turned up", 51, role="public"))
    more = frozen(type("More", (base,), {"view_fields": fields}))()
    assert more.canonical_form() is as_dealt
    assert base().canonical_form() is not as_dealt


def test_a_hand_is_renamed_and_its_order_told() -> None:
    game = cardai.game("video_poker")
    views = empty_views(game.view_fields, 2)
    views["hand"] = [[0, 13, 26, 39, 12], [39, 0, 26, 13, 51]]  # four twos and an ace, in other suits
    shown, order = game.canonical_form()(views)
    assert shown["hand"][0].tolist() == shown["hand"][1].tolist()
    assert order is not None
    assert order.shape == (2, 5)


def test_views_up_to_suits_show_own_cards_and_board_under_one_renaming() -> None:
    game = cardai.game("holdem_limit")
    views = empty_views(game.view_fields, 50)
    cards = np.argsort(np.random.default_rng(3).random((50, 52)), axis=1)[:, :7]
    views["hole"], views["board"] = cards[:, :2], np.where(np.arange(5) < 4, cards[:, 2:], -1)
    other = views.copy()
    renaming = np.array([2, 0, 3, 1])
    other["hole"] = (renaming[views["hole"] // 13] * 13 + views["hole"] % 13)[:, ::-1]
    renamed = renaming[views["board"] // 13] * 13 + views["board"] % 13
    renamed = np.where(views["board"] < 0, -1, renamed)
    other["board"] = renamed[:, [2, 0, 1, 3, 4]]  # the flop has no order, turn and river have
    shown = game.canonical_form()
    first, second = shown(views)[0], shown(other)[0]
    assert np.array_equal(first["hole"], second["hole"])
    assert np.array_equal(first["board"], second["board"])
    assert np.array_equal(first["board"][:, 3] % 13, views["board"][:, 3] % 13)
    assert (first["board"][:, 4] == -1).all()


def test_discards_are_renamed_with_the_hand() -> None:
    game = cardai.game("triple_draw")
    views = empty_views(game.view_fields, 20)
    views["hand"] = np.argsort(np.random.default_rng(1).random((20, 52)), axis=1)[:, :5]
    views["discarded"] = np.uint64(1) << np.uint64(51)
    shown, order = game.canonical_form()(views)
    assert order is not None
    for row in range(20):
        new_suit = {int(views["hand"][row, order[row, k]]) // 13: int(shown["hand"][row, k]) // 13 for k in range(5)}
        bit = int(shown["discarded"][row]).bit_length() - 1
        assert bit % 13 == 12
        assert bit // 13 == new_suit.get(3, bit // 13)


@pytest.mark.parametrize(
    ("game", "encoder"),
    [("gin", "gin_compact"), ("holdem_limit:players=3", "holdem_compact"), ("leduc", "flat"), ("triple_draw", "flat")],
)
def test_a_game_names_the_encoder_that_learners_get(game: str, encoder: str) -> None:
    made = cardai.game(game)
    assert made.default_encoder == encoder
    cardai.encoder(made.default_encoder).for_game(made)


@pytest.mark.parametrize(
    ("game", "most"),
    [
        ("leduc", 13),  # an ante of 1, two bets of 2, two of 4
        ("leduc:players=3", 26),
        ("holdem_nolimit:stack=150", 150),
        ("triple_draw", 2400),  # the blind of 100, three raises and four bets of 100, twice four of 200
        ("gin", 400),
        ("video_poker:pay_table=800-9-6", 800),
        ("kuhn", 2),
        ("kuhn:players=3", 4),
    ],
)
def test_a_game_says_how_much_a_hand_can_bring(game: str, most: float) -> None:
    assert cardai.game(game).max_utility == most


def test_chips_put_in_are_those_of_the_views_and_nothing_where_nobody_bets() -> None:
    game = cardai.game("holdem_limit")
    tables = game.tables(2)
    tables.reset(np.arange(2, dtype=np.uint64))
    tables.apply(np.array([1]), np.array([2]))  # a raise
    rows = np.arange(2)
    button = int(tables.views(0, rows)["button"][0])
    views = tables.views(button, rows)
    small, big = min(game.betting.blinds), max(game.betting.blinds)
    assert game.put_in(views, button).tolist() == [small, 2 * big]
    assert game.put_in(views, 1 - button).tolist() == [big, big]
    gin = cardai.game("gin")
    assert gin.put_in(empty_views(gin.view_fields, 3), 0).tolist() == [0, 0, 0]


def test_raises_with_a_name_are_half_of_the_pot_and_the_pot_after_a_call_and_all_in() -> None:
    view = {"player": 0, "pot": 300, "to_call": 100, "spent": [100, 200], "stacks": [0, 0]}
    for game in ("leduc", "holdem_limit", "triple_draw"):
        assert len(cardai.game(game).named_raises(view)) == 2
    assert cardai.game("holdem_nolimit").named_raises(view) == (("half pot", 400), ("pot", 600))
    assert cardai.game("gin").named_raises(view) == ()
    view["stacks"] = [900, 800]
    assert cardai.game("plo").named_raises(view)[2] == ("all-in", 1000)


@pytest.mark.parametrize(("game", "cards"), [("gin", 21), ("holdem_limit", 4), ("triple_draw", 10), ("kuhn", None)])
def test_fast_tables_say_how_many_cards_are_dealt(game: str, cards: int | None) -> None:
    tables = cardai.game(game).tables(3)
    tables.reset(np.arange(3, dtype=np.uint64))
    dealt = tables.dealt(np.array([0, 2]))
    assert (dealt is None) == (cards is None)
    assert dealt is None or dealt.tolist() == [cards, cards]
