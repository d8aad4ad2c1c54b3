"""What our games say they speak, and what is asked of it: the right games, and no others that look like them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import evolve, frozen

import cardai
from cardai.cards.draw.fields import DRAW, is_draw_poker, is_solo_draw
from cardai.cards.gin.fields import GIN
from cardai.cards.poker.fields import POKER, is_holdem, last_round
from cardai.core.agent import need_family
from cardai.core.errors import UsageError
from cardai.core.fields import Family
from cardai.core.game import Game
from cardai.plugins.games.poker.limit import HoldemLimit

SPOKEN: dict[str, tuple[Family, ...]] = {
    "kuhn": (),
    "gin": (GIN,),
    "gin:melds=choose": (GIN,),
    "leduc": (POKER,),
    "holdem_limit:players=3": (POKER,),
    "holdem_nolimit": (POKER,),
    "holdem_fcpa": (POKER,),
    "triple_draw": (POKER, DRAW),
    "video_poker": (DRAW,),
}


@pytest.mark.parametrize("game", SPOKEN)
def test_a_game_speaks_its_families_and_no_other(game: str) -> None:
    made = cardai.game(game)
    assert tuple(family for family in (POKER, DRAW, GIN) if made.speaks(family)) == SPOKEN[game]


@pytest.mark.parametrize(
    ("asked", "games"),
    [
        (is_holdem, {"holdem_limit:players=3", "holdem_nolimit", "holdem_fcpa"}),
        (is_draw_poker, {"triple_draw"}),
        (is_solo_draw, {"video_poker"}),
    ],
)
def test_kinds_of_games_are_told_apart(asked: Callable[[Game], bool], games: set[str]) -> None:
    assert {game for game in SPOKEN if asked(cardai.game(game))} == games


def test_names_alone_make_no_holdem() -> None:
    """Two hole cards and a board of five from another deck, or in a game that does not say what they are."""
    fields = HoldemLimit().view_fields
    small = tuple(evolve(f, maximum=23) if f.name in ("hole", "board") else f for f in fields)
    assert not is_holdem(frozen(type("Small", (HoldemLimit,), {"view_fields": small}))())
    assert not is_holdem(frozen(type("Silent", (HoldemLimit,), {"families": ()}))())


@pytest.mark.parametrize(("game", "last"), [("leduc", 1), ("holdem_limit", 3), ("triple_draw", 3)])
def test_the_last_betting_round_is_numbered_from_0(game: str, last: int) -> None:
    assert last_round(cardai.game(game)) == last


def test_another_game_is_refused_with_what_is_needed_and_what_it_speaks() -> None:
    need_family(cardai.game("triple_draw"), POKER, "nobody plays")
    with pytest.raises(UsageError) as error:
        need_family(cardai.game("triple_draw"), GIN, "my_bot plays")
    assert str(error.value) == (
        "my_bot plays gin rummy and needs the fields of the family 'gin'. TripleDraw speaks 'poker' and 'draw'."
    )
