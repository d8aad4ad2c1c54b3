"""A board game as its ranges are played: what a tree, its hands and its deals are made from."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.poker.contract import PAIR, board_game
from cardai.poker.ranges.hands import Hands, hands_of
from cardai.poker.ranges.menus import ALL_IN, Menu
from cardai.poker.rules.betting import Betting


@frozen
class RangeGame:
    """A game of two players: its betting, its hands, and the bets that are looked at in it."""

    betting: Betting
    stacks: tuple[int, int]
    hands: Hands
    board_cards: tuple[int, ...]
    """How many cards lie on the board in each round."""
    menus: tuple[Menu, ...] = ()
    """The bets that are looked at, a menu a round."""
    ahead: tuple[Menu, ...] = ()
    """The same of rounds behind the one that a decision is made in (empty: ``menus``)."""
    first: int = 0
    """The first round that is solved; before it a blueprint's ranges hold."""


def is_leduc(game: Game) -> bool:
    """Whether the game is Leduc hold'em of two players."""
    said = board_game(game)
    return said is not None and said.num_players == 2 and said.ranking == PAIR


def range_game(game: Game, who: str, menus: Sequence[Menu] = (), ahead: Sequence[Menu] = ()) -> RangeGame:
    """Return what ``game`` declares; ``who`` begins the message. ``menus`` (and ``ahead``) are looked at where it has no
    ladder of its own.

    Raises:
        UsageError: it is not for two players, its hands have no ranges here, its pots hold dead antes, or its players see less
            than its cards.
    """
    said, hands = board_game(game), hands_of(game, who)
    assert said is not None
    if said.num_players != 2:
        raise UsageError(f"{who} plays games of two players. {brief(game)} has {said.num_players}.")
    if not said.suits_seen or said.action_mapping:
        raise UsageError(f"{who} needs a game with suits, without action_mapping. Got {brief(game)}.")
    if any(said.betting.dead):
        raise UsageError(f"{who} plays pots that hold the players' bets alone. {brief(game)} has dead antes.")
    if rungs := tuple(said.ladder):
        ordered = (*[rung for rung in rungs if rung != ALL_IN], *[ALL_IN] * (ALL_IN in rungs))
        menus, ahead = (Menu((ordered,)),) * len(said.board), ()
    return RangeGame(said.betting, (said.stacks[0], said.stacks[1]), hands, said.board, tuple(menus), tuple(ahead))
