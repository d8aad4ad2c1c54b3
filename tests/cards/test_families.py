"""What our games say they speak, and what is asked of it: the right games, and no others that look like them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import frozen

import cardai
from cardai.core.agent import need_family
from cardai.core.errors import UsageError
from cardai.core.fields import Family
from cardai.core.game import Game
from cardai.draw.contract import is_draw_poker, is_solo_draw
from cardai.draw.fields import DRAW
from cardai.gin.fields import GIN
from cardai.plugins.games.poker.limit import HoldemLimit
from cardai.plugins.games.triple_draw import TripleDraw
from cardai.poker.contract import Deck, Hole, Ranking, plays_holdem
from cardai.poker.fields import POKER, last_round

SPOKEN: dict[str, tuple[Family, ...]] = {
    "kuhn": (),
    "gin": (GIN,),
    "gin:melds=choose": (GIN,),
    "leduc": (POKER,),
    "holdem_limit:players=3": (POKER,),
    "holdem_nolimit": (POKER,),
    "holdem_fcpa": (POKER,),
    "short_deck": (POKER,),
    "omaha": (POKER,),
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
        (plays_holdem, {"holdem_limit:players=3", "holdem_nolimit", "holdem_fcpa"}),
        (is_draw_poker, {"triple_draw"}),
        (is_solo_draw, {"video_poker"}),
    ],
)
def test_kinds_of_games_are_told_apart(asked: Callable[[Game], bool], games: set[str]) -> None:
    assert {game for game in SPOKEN if asked(cardai.game(game))} == games


@pytest.mark.parametrize(
    "declared",
    [
        {"deck": Deck("36 cards", tuple(card for card in range(52) if card % 13 >= 4))},
        {"hole": Hole(4, 2)},
        {"ranking": Ranking("a flush over a full house", 2)},
        {"board": (0, 3, 4, 4)},
    ],
    ids=lambda declared: next(iter(declared)),
)
def test_names_of_fields_alone_make_no_holdem(declared: dict[str, object]) -> None:
    """Two hole cards and a board of five, but from another deck, or by another ranking."""
    assert plays_holdem(HoldemLimit())
    assert not plays_holdem(frozen(type("Other", (HoldemLimit,), declared))())


@pytest.mark.parametrize("asked", [is_draw_poker, is_solo_draw], ids=["draw poker", "solo draw"])
def test_a_draw_game_that_declares_nothing_is_none_that_tools_know(asked: Callable[[Game], bool]) -> None:
    """One that has the same fields, families and numbers of actions, but does not say how hands win and are paid."""

    class Silent(Game):
        num_players, num_distinct_actions, families = 1, 32, (DRAW,)
        view_fields = cardai.game("video_poker").view_fields

    Silent.__abstractmethods__ = set()  # type: ignore[attr-defined]
    assert not asked(Silent())


def test_draw_poker_by_another_ranking_is_not_deuce_to_seven() -> None:
    ace_to_five = frozen(type("AceToFive", (TripleDraw,), {"ranking": "the best low, straights do not count"}))()
    assert not is_draw_poker(ace_to_five)


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
