"""What a board game declares of itself: deck, hole cards, board, ranking, betting, stacks, ladder, blinds and antes.

A *board game* is betting between deals of a common board, with private cards that are compared at the end: hold'em, short
deck, Omaha, Leduc. Whoever needs to know what kind of game it has reads the declaration, and refuses by it in a sentence;
nobody guesses from sizes of fields or from names. A game on the kernels of :mod:`cardai.poker.rules` takes
:class:`~cardai.poker.rules.board_game.BoardPoker` (or hold'em's :class:`~cardai.poker.rules.holdem.Holdem`) as its base
and overrides what differs; a game with rules of its own declares the same attributes.

>>> from cardai import game
>>> from cardai.poker.contract import described, need_holdem, plays_holdem
>>> plays_holdem(game("holdem_limit")), plays_holdem(game("short_deck")), plays_holdem(game("gin"))
(True, False, False)
>>> described(game("omaha"))
'52 cards, 4 hole cards of which exactly 2 play, a board of 0+3+4+5, the best five cards, 2 players'
>>> need_holdem(game("leduc"), "This table")
Traceback (most recent call last):
    ...
cardai.core.errors.UsageError: This table is for hold'em for two: ...
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import Attribute, field, frozen

from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.poker.rules.betting import Betting

ALL_CARDS = 52
"""The most cards of a deck: a card is a number below it."""
MAX_HOLE = 6
"""The most hole cards that the kernels of :mod:`cardai.poker.rules` deal a seat."""


def _cards(given: Iterable[int]) -> tuple[int, ...]:
    return tuple(given)


@frozen
class Deck:
    """Which cards are dealt from: ``cards``, chance's outcomes, and what people call it. Decks of the same cards are equal."""

    name: str = field(eq=False)
    cards: tuple[int, ...] = field(converter=_cards, eq=frozenset)

    @cards.validator
    def _distinct(self, attribute: Attribute[Any], value: tuple[int, ...]) -> None:
        if len(set(value)) != len(value) or not all(0 <= card < ALL_CARDS for card in value):
            raise ValueError(f"cards of a deck must be distinct numbers from 0 to {ALL_CARDS - 1}. Got {value}.")


@frozen
class Hole:
    """How many private cards a seat is dealt, and how many of them make its hand: any number (0), or exactly so many."""

    count: int = field(default=2)
    playing: int = field(default=0)

    @count.validator
    def _dealt(self, attribute: Attribute[Any], value: int) -> None:
        if not 1 <= value <= MAX_HOLE:
            raise ValueError(f"count must be 1 to {MAX_HOLE} hole cards. Got {value}.")

    @playing.validator
    def _held(self, attribute: Attribute[Any], value: int) -> None:
        if not 0 <= value <= self.count:
            raise ValueError(f"playing must be 0 (any number) to {self.count}, the cards held. Got {value}.")


@frozen
class Ranking:
    """Which hand wins: the number by which the kernels of :mod:`cardai.poker.rules` know it, and what people call it."""

    name: str = field(eq=False)
    kernel: int


FRENCH = Deck("52 cards", tuple(range(52)))
"""Suits c d h s, ranks 2 to A, a card is 13 * suit + rank."""
SHORT = Deck("36 cards", tuple(card for card in range(52) if card % 13 >= 4))
"""The French deck without its twos to fives."""
PAIR = Ranking("a pair with the board, else the card", 0)
"""Leduc's."""
HIGH = Ranking("the best five cards", 1)
"""Straight flush, four of a kind, full house, flush, straight, three of a kind, two pair, pair, high card."""
SHORT_HIGH = Ranking("the best five cards, a flush above a full house", 2)
"""Short deck's: A-6-7-8-9 is a straight, and a straight beats three of a kind."""
HOLDEM_BOARD = (0, 3, 4, 5)


class BoardCards(Game):
    """A game that says which cards it deals and how they are compared; whoever shows or weighs cards asks no more."""

    deck: Deck
    hole: Hole
    board: tuple[int, ...]
    """How many cards lie on the board in each round."""
    ranking: Ranking


class BettingGame(Game):
    """A game of the poker family that declares its betting: board games, and draw games with bets."""

    betting: Betting
    """The betting rules, blinds and antes among them."""
    big_blind: int
    """What milli-big-blinds are counted in."""


class BoardGame(BettingGame, BoardCards):
    """A game that declares its cards and its betting. Attributes with a value have that unless a game says otherwise."""

    stacks: tuple[int, ...]
    """Each seat's chips at the start of a hand, by default more than anybody can lose."""
    ladder: tuple[float, ...]
    """The rungs of the bet ladder, as fractions of the pot (-1: all-in); none for limit or full no-limit betting."""
    action_mapping: bool = False
    """Whether every action is always legal and one that cannot be stands for another (a raise too many calls)."""
    suits_seen: bool = True
    """Whether players tell suits apart."""


def board_cards(game: Game) -> BoardCards | None:
    """Return ``game`` as what it says of its cards, or None where it says nothing."""
    return game if isinstance(game, BoardCards) else None


def betting_game(game: Game) -> BettingGame | None:
    """Return ``game`` as what it says of its betting, or None where it says nothing."""
    return game if isinstance(game, BettingGame) else None


def board_game(game: Game) -> BoardGame | None:
    """Return ``game`` as what it declares, or None where it is no board game."""
    return game if isinstance(game, BoardGame) else None


def deals_holdem(game: Game) -> bool:
    """Whether the cards of ``game`` are hold'em's: 52, two in the hole of which any number plays, the best five win.

    True of hold'em whatever its betting, and of a spot that begins on a later street. Enough for whoever looks at cards;
    who counts chips asks :func:`plays_holdem`.
    """
    said = board_cards(game)
    if said is None or (said.deck, said.hole, said.ranking) != (FRENCH, Hole(2), HIGH):
        return False
    return said.board == HOLDEM_BOARD[len(HOLDEM_BOARD) - len(said.board) :]


def plays_holdem(game: Game, players: int = 0) -> bool:
    """Whether ``game`` is hold'em with declared betting: its cards, and pots that hold the players' bets alone.

    ``players`` 0: any number of seats. A dead ante makes it another game: pots are larger than what was bet.
    """
    said = board_game(game)
    if said is None or (players and said.num_players != players):
        return False
    return deals_holdem(said) and said.board == HOLDEM_BOARD and not any(said.betting.dead)


def need_holdem(game: Game, who: str, players: int = 2) -> BoardGame:
    """Return ``game`` as hold'em; ``who`` begins the message.

    Raises:
        UsageError: it is another game, or has another number of seats than ``players`` (0: any).
    """
    said = board_game(game)
    if said is not None and plays_holdem(game, players):
        return said
    seats = " for two" if players == 2 else f" for {players}" if players else ""
    raise UsageError(
        f"{who} is for hold'em{seats}: 52 cards, two hole cards, a flop, a turn and a river. {brief(game)} is {described(game)}."
    )


def described(game: Game) -> str:
    """Return what a game declares, in words: "36 cards, 2 hole cards, a board of 0+3+4+5, the best five cards, 2 players"."""
    said = board_cards(game)
    if said is None:
        return "no board game"
    count, playing = said.hole.count, said.hole.playing
    hole = f"{count} hole card{'s' * (count > 1)}" + (f" of which exactly {playing} play" if playing else "")
    board = "+".join(map(str, said.board))
    whole = board_game(game)
    dead = ", a dead ante" if whole is not None and any(whole.betting.dead) else ""
    return f"{said.deck.name}, {hole}, a board of {board}, {said.ranking.name}, {said.num_players} players{dead}"


def check_cards(game: BoardCards) -> None:
    """Refuse a declaration that the kernels of :mod:`cardai.poker.rules` cannot deal or compare.

    Raises:
        ValueError: too few cards, or hands that no kernel ranks; the message says which.
    """
    if list(game.board) != sorted(game.board) or game.board[0] < 0:
        raise ValueError(
            f"board says how many cards lie there in each round, and none is taken away. Got {game.board}."
        )
    needed, there = game.num_players * game.hole.count + game.board[-1], len(game.deck.cards)
    if needed > there:
        raise ValueError(
            f"{game.num_players} players with {game.hole.count} hole cards each and a board of {game.board[-1]} need {needed} "
            f"cards. The deck has {there}: take fewer players."
        )
    count, playing, lies = game.hole.count, game.hole.playing, game.board[-1]
    five_of_all, five_of_two = playing == 0 and 5 <= count + lies <= 7, playing == 2 and lies >= 3
    known = {
        PAIR.kernel: (count, playing, lies) == (1, 0, 1),
        HIGH.kernel: lies <= 5 and (five_of_all or five_of_two),
        SHORT_HIGH.kernel: lies <= 5 and five_of_all,
    }
    if not known.get(game.ranking.kernel, False):
        raise ValueError(f"No kernel ranks {described(game)}: see cardai.poker.rules for those that are.")


def check_declared(game: BoardGame) -> None:
    """Refuse what :func:`check_cards` refuses, and cards, seats or stacks that do not agree with the betting.

    Raises:
        ValueError: the message says which.
    """
    check_cards(game)
    betting = game.betting
    if len(game.board) != betting.num_rounds:
        raise ValueError(
            f"board needs a number for each of {betting.num_rounds} rounds of betting. Got {len(game.board)}: {game.board}."
        )
    for name, count in (("num_players", game.num_players), ("stacks", len(game.stacks))):
        if count != betting.num_players:
            raise ValueError(f"{name} must be those of the betting, {betting.num_players} seats. Got {count}.")
