"""Which views are shown up to suits and order is decided by what a game declares, never by names alone."""

from __future__ import annotations

import pytest
from attrs import frozen

import cardai
from cardai.core.fields import Field, empty_views
from cardai.learn.views import as_dealt, canonical_form
from cardai.plugins.games.poker.limit import HoldemLimit
from cardai.plugins.games.video_poker import VideoPoker


@pytest.mark.parametrize("game", ["gin", "leduc", "kuhn"])  # gin's `hand` is a set, Leduc's hole one card
def test_views_of_other_families_stay_as_dealt(game: str) -> None:
    assert canonical_form(cardai.game(game)) is as_dealt


@pytest.mark.parametrize("base", [HoldemLimit, VideoPoker])
def test_a_game_that_shows_more_cards_stays_as_dealt(base: type) -> None:
    """Suits renamed in the hand alone would no longer be those of the card beside it."""
    fields = (*base().view_fields, Field("shown", "card", "a card turned up", 51, role="public"))
    more = frozen(type("More", (base,), {"view_fields": fields}))()
    assert canonical_form(more) is as_dealt
    assert canonical_form(base()) is not as_dealt


def test_a_hand_is_renamed_and_its_order_told() -> None:
    game = cardai.game("video_poker")
    views = empty_views(game.view_fields, 2)
    views["hand"] = [[0, 13, 26, 39, 12], [39, 0, 26, 13, 51]]  # four twos and an ace, in other suits
    shown, order = canonical_form(game)(views)
    assert shown["hand"][0].tolist() == shown["hand"][1].tolist()
    assert order is not None
    assert order.shape == (2, 5)
