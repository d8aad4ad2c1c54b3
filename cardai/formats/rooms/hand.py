"""A room's hand after the rules have played it: what readers of :mod:`cardai.formats.rooms` give out."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from cardai.poker.preflop.rules import position_names

ROUNDS = ("preflop", "flop", "turn", "river")


@frozen
class Player:
    """One who was dealt in. Chips are whole (see :attr:`RoomHand.chip`).

    ``seat`` is the table's number, ``cards`` the hole cards where they are known (else empty). ``ante``, ``blind`` (live)
    and ``dead`` are what was posted. ``collected`` is what the file says was won from the pot, uncalled bets among it or not
    as the room has it; ``net`` what the hand brought by the file, after rake.
    """

    name: str
    seat: int
    stack: int
    cards: tuple[int, ...] = ()
    ante: int = 0
    blind: int = 0
    dead: int = 0
    collected: int = 0
    net: int = 0


@frozen
class Action:
    """One action: ``player`` indexes :attr:`RoomHand.players`, ``round`` is 0 preflop to 3 river.

    ``kind`` is fold, check, call, bet or raise. ``to`` is what the player has then put in in this round (blinds count,
    antes do not), ``added`` the chips of the action itself. ``implied``: the file leaves the fold out.
    """

    player: int
    round: int
    kind: str
    to: int
    added: int
    all_in: bool = False
    implied: bool = False


@frozen
class RoomHand:
    """A hand of hold'em as a room wrote it, played anew by cardai's rules.

    ``players`` go by position: the first is the first after the button, the last has it (or would). ``game`` is the spec of
    the game that was played, ``moves`` the actions as that game numbers them, ``returns`` each player's result by the rules:
    no rake, and of several boards the mean. ``boards`` has more than one where the hand was run more than once.
    """

    room: str
    number: str
    line: int
    time: datetime | None
    """In UTC, for which the room's clock is taken where the file names no zone (``zoned``)."""
    table: str
    tournament: str
    currency: str
    chip: float
    """What a chip is worth in the currency (0.01: chips are cents), 1 for tournaments and play money."""
    betting: str
    """nolimit, potlimit or limit."""
    big_blind: int
    players: tuple[Player, ...]
    button: int
    """Who has the button, -1: nobody of them."""
    hero: int
    """Whose cards the file shows from the start, -1: nobody's."""
    actions: tuple[Action, ...]
    boards: tuple[tuple[int, ...], ...]
    pot: int
    """All chips put in, uncalled ones among them."""
    rake: int
    """Chips that went to the room, all fees together; less than 0 where the room added to the pot."""
    showdown: bool
    game: str
    moves: tuple[int, ...]
    returns: tuple[float, ...]
    insured: tuple[int, ...] = ()
    """Who sold the hand to the room (cash out)."""
    zoned: bool = True
    """Whether the file says in which zone ``time`` is."""
    big: int = -1
    """Who has the big blind, -1: it is not said."""

    @property
    def board(self) -> tuple[int, ...]:
        """The (first) board's cards."""
        return self.boards[0] if self.boards else ()

    @property
    def positions(self) -> tuple[str, ...]:
        """What the players' seats are called, from :func:`position_names`; without a small blind the first is "BB"."""
        n = len(self.players)
        return position_names(n + 1)[1:] if n > 2 and self.big == 0 else position_names(n)
