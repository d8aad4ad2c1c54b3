"""What board games declare, and what is refused by it: a short deck is no hold'em wherever hold'em is needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen

import cardai
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.formats.acpc.games import definition_of, find_definition, game_map
from cardai.plugins.games.poker.leduc import Leduc
from cardai.poker.contract import (
    FRENCH,
    HIGH,
    SHORT,
    Deck,
    Hole,
    Ranking,
    betting_game,
    board_cards,
    board_game,
    deals_holdem,
    described,
    need_holdem,
    plays_holdem,
)
from cardai.poker.rules.betting import Betting
from cardai.poker.rules.board_game import BoardPoker
from cardai.poker.rules.holdem import LimitHoldem, NoLimitHoldem

HOLDEM = ("holdem_limit", "holdem_nolimit:players=6", "holdem_nolimit:pot_limit=true", "holdem_limit:ante=2")
OTHERS = ("short_deck", "omaha", "plo6", "leduc", "leduc_deepstack")
UNDECLARED = ("kuhn", "gin", "video_poker")


@pytest.mark.parametrize("name", HOLDEM)
def test_holdem_is_holdem_whatever_its_betting(name: str) -> None:
    game = cardai.game(name)
    assert plays_holdem(game)
    assert deals_holdem(game)
    assert not plays_holdem(game, game.num_players + 1)
    assert need_holdem(game, "A table", players=0) is game


@pytest.mark.parametrize("name", [*OTHERS, *UNDECLARED])
def test_no_other_game_is_holdem_and_the_refusal_says_what_it_is(name: str) -> None:
    game = cardai.game(name)
    assert not plays_holdem(game)
    assert not deals_holdem(game)
    with pytest.raises(UsageError) as error:
        need_holdem(game, "A table")
    assert described(game) in str(error.value)


def test_a_spot_deals_holdems_cards_and_is_no_holdem_from_the_start() -> None:
    spot = cardai.game("holdem_spot")
    said = board_cards(spot)
    assert said is not None
    assert (said.board, described(spot)) == (
        (5,),
        "52 cards, 2 hole cards, a board of 5, the best five cards, 2 players",
    )
    assert deals_holdem(spot)
    assert not plays_holdem(spot)
    assert board_game(spot) is None


def test_a_dead_ante_is_refused_where_pots_are_counted() -> None:
    game = cardai.game("holdem_nolimit:ante=100,ante_from=big_blind")
    assert deals_holdem(game)
    assert not plays_holdem(game)
    with pytest.raises(UsageError, match="a dead ante"):
        need_holdem(game, "A table")


@pytest.mark.parametrize("name", [*HOLDEM, *OTHERS])
def test_a_board_game_declares_everything(name: str) -> None:
    game = board_game(cardai.game(name))
    assert game is not None
    assert set(game.deck.cards) <= set(range(game.num_chance_outcomes))
    assert len(game.board) == game.betting.num_rounds
    assert len(game.stacks) == game.num_players
    assert {"hole", "board"} <= {f.name for f in game.view_fields}
    assert game.big_blind > 0


def test_betting_is_declared_by_draw_games_too() -> None:
    draw = betting_game(cardai.game("triple_draw"))
    assert draw is not None
    assert draw.betting.num_rounds == 4
    assert board_game(cardai.game("triple_draw")) is None


@pytest.mark.parametrize(
    ("declares", "says"),
    [
        ({"deck": Deck("20 cards", tuple(range(20))), "players": 8}, "need 21 cards. The deck has 20"),
        ({"hole": Hole(3)}, "No kernel ranks 52 cards, 3 hole cards"),
        (
            {"hole": Hole(4, 2), "deck": SHORT, "ranking": Ranking("another", 2)},
            "No kernel ranks 36 cards, 4 hole cards",
        ),
        ({"ranking": Ranking("the worst", 9)}, "the worst"),
        ({"board": (0, 3, 4)}, "board needs a number for each of 4 rounds of betting. Got 3"),
        ({"board": (0, 5, 4, 5)}, "none is taken away"),
        ({"num_players": 3}, "num_players must be those of the betting, 2 seats. Got 3"),
        ({"stacks": (100,)}, "stacks must be those of the betting, 2 seats. Got 1"),
    ],
)
def test_what_no_kernel_can_deal_or_rank_is_refused_when_it_is_made(declares: dict[str, Any], says: str) -> None:
    players = declares.pop("players", 2)
    with pytest.raises(ValueError, match=says):
        frozen(type("Odd", (NoLimitHoldem,), declares))(players=players)


@pytest.mark.parametrize("cards", [(0, 0, 1), (-1, 0, 1), range(60)])
def test_cards_of_a_deck_are_distinct_and_have_room(cards: Any) -> None:
    """Such a deck was dealt, and kernels ranked what is no card."""
    with pytest.raises(ValueError, match="distinct numbers from 0 to 51"):
        Deck("Odd", cards)


def test_decks_and_rankings_are_what_they_hold_whatever_they_are_called() -> None:
    @frozen
    class Ours(NoLimitHoldem):
        deck = Deck("a French deck, from the top", tuple(range(51, -1, -1)))
        ranking = Ranking("high", HIGH.kernel)

    assert plays_holdem(Ours())
    assert len({Ours.deck, FRENCH}) == len({Ours.ranking, HIGH}) == 1


@pytest.mark.parametrize("board", [(0, 3, 4, 4), (0, 1, 4, 5), (3, 3, 4, 5)])
def test_another_board_makes_another_game_of_hold_ems_cards(board: tuple[int, ...]) -> None:
    game = frozen(type("Odd", (NoLimitHoldem,), {"board": board}))()
    assert not deals_holdem(game)
    assert not plays_holdem(game)
    assert game.default_encoder == "flat"
    with pytest.raises(UsageError, match="plays hold'em"):
        cardai.agent("threshold").for_game(game)


def test_a_game_on_the_kernels_alone_is_refused_when_it_is_made() -> None:
    """It was a mistake in the program when the first hand was dealt, or was played by rules that nobody declared."""

    @frozen
    class Bare(BoardPoker):
        hands: int = 1
        deck = Deck("16 cards", tuple(card for card in FRENCH.cards if card % 13 >= 9))
        board = (0, 3)
        num_players = 2

        def make_betting(self) -> Betting:
            return Betting(2, 2, blinds=(2, 1), first=(1, 0), max_raises=(2, 2), raise_sizes=(2, 2))

        def action_to_string(self, action: int) -> str:
            return self.betting_action(action)

    assert described(Bare()) == "16 cards, 2 hole cards, a board of 0+3, the best five cards, 2 players"
    for wrong, says in (
        ({"board": (0, 3, 4, 5)}, "2 rounds of betting"),
        ({"ranking": Ranking("low", 3)}, "No kernel"),
    ):
        with pytest.raises(ValueError, match=says):
            frozen(type("Odd", (Bare,), wrong))()
    with pytest.raises(ValueError, match="2 rounds of betting"):
        frozen(type("Odd", (Leduc,), {"board": (0, 1, 1), "presets": {}}))()


@pytest.mark.parametrize(("count", "playing"), [(0, 0), (7, 2), (2, 3)])
def test_hole_cards_are_one_to_six_and_those_that_play_among_them(count: int, playing: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        Hole(count, playing)


def test_a_third_partys_game_of_ten_lines_is_told_by_what_it_declares() -> None:
    """Royal hold'em: 20 cards from the ten up."""

    @frozen
    class Royal(NoLimitHoldem):
        deck = Deck("20 cards", tuple(card for card in FRENCH.cards if card % 13 >= 8))

    game = Royal(players=3)
    assert described(game) == "20 cards, 2 hole cards, a board of 0+3+4+5, the best five cards, 3 players"
    assert game.ranking == HIGH
    tables = game.tables(50)
    tables.reset(cardai.core.rng.derive_many(1, "royal", count=50))
    assert {card % 13 for row in range(50) for card in tables.deck(row)} == {8, 9, 10, 11, 12}
    assert not plays_holdem(game)


def forty() -> Game:
    """Return limit hold'em with forty cards from the five up."""
    cards = tuple(card for card in FRENCH.cards if card % 13 >= 3)
    made: Game = frozen(type("Forty", (LimitHoldem,), {"deck": Deck("40 cards", cards)}))()
    return made


def _refused(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()


@pytest.mark.parametrize("name", ["short_deck", "omaha", "holdem_nolimit:pot_limit=true"])
def test_the_competitions_dealer_does_not_deal_what_it_cannot(name: str) -> None:
    game = cardai.game(name)
    _refused(lambda: definition_of(game, name), "ACPC's dealer cannot play")
    _refused(lambda: find_definition(name), "ACPC's dealer cannot play")
    _refused(lambda: game_map(find_definition("acpc_nolimit_2p")[1], name), "ACPC's dealer cannot play")
    _refused(lambda: cardai.agent("program:command=true").for_game(game), "ACPC's dealer cannot play")


def test_straddles_and_dead_antes_are_none_of_the_competitions() -> None:
    _refused(lambda: definition_of(forty(), "forty"), r"cannot play 'forty' \(40 cards.*it deals 52 cards")
    for options in ("players=3,straddles=200", "ante=100,ante_from=big_blind"):
        _refused(lambda o=options: find_definition(f"holdem_nolimit:{o}"), "least bet|no ante of one seat")
    assert find_definition("holdem_nolimit:players=3,ante=10")[1].blind == (60, 110, 10)


@pytest.mark.parametrize("name", ["short_deck", "omaha"])
def test_what_is_made_for_holdem_does_not_take_another_game(name: str) -> None:
    """Each with one sentence; a measure that took it as hold'em printed wrong numbers."""
    game: Game = cardai.game(name)
    for agent in ("threshold", "holdem_heuristic", "opponent_model"):
        _refused(lambda a=agent: cardai.agent(a).for_game(game), f"hold'em.*{re.escape(described(game))}")
    for encoder in ("holdem_compact", "one_hot_1326"):
        _refused(lambda e=encoder: cardai.encoder(e).for_game(game), "hold others")
