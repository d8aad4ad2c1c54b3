"""Betting, once for every game: blinds, antes, minimum raise, caps, all-in, side pots, who acts, who wins what.

The rules are those of the Annual Computer Poker Competition's dealer (protocol 2.0.0 and its game definitions):

* a call is always legal; a fold only when there is something to call (``fold_anytime`` lifts that);
* a raise needs room below the round's cap, at least two players who can still act, and room below 64 actions a round;
* no-limit raises name the chips a player will have put in *in the whole hand*; the least such number is two big blinds
  at first, the current bet plus a big blind at the start of a later round, and after a raise from M to N at least
  2 N - M; a player who cannot reach it may still go all-in, if that exceeds the bet;
* pot-limit raises are no-limit raises to at most the bet and the pot as it is after a call;
* a blind above the big blind is a straddle: it is live, its seat acts last before the flop, and the first raise must add
  as much as it; later rounds' least bet stays the big blind (``minimum_bet``);
* every seat's ``ante`` is the same and counts to what it has put in; dead chips (one seat's ante for the whole table, as
  the big blind's in tournaments; a missed small blind) are posted before its blind, and count towards no bet;
* what a blind is to call is what its seat posted, or with ``full_blinds`` the whole of it where that seat is all-in for less
  (the rooms' rule), as long as two can act;
* limit raises add the round's size to the bet, capped by the stack; with ``completes`` one behind a short all-in completes the bet
  (the rooms' rule);
* pots split evenly, fractions included; side pots follow the distinct amounts put in; who folded cannot win, and the last who has
  not takes all that was put in, of the blind of one who is away what he was yet to call, too, unless he is all-in.

Seats are numbered round the table; *positions* count from the button: position k is seat ``button + offset + k``. With
``offset`` 1 (hold'em) position 0 is the first seat after the button, as in ACPC; heads-up the button posts the small
blind and acts first before the flop, which is blinds (big, small) and first (1, 0, 0, 0).

The kernels (in ``_betting_kernels.py``) take a row and rules by subscript alone. They run compiled on numpy records, and as plain Python, fast, on
the dicts of :meth:`Betting.new_row` and :meth:`Betting.rules`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import Attribute, field, frozen

from cardai.poker.rules._betting_kernels import (
    CALL,
    CONTINUES,
    FOLD,
    MAX_ACTIONS,
    MAX_PLAYERS,
    RAISE,
    ROUND_OVER,
    SHOWDOWN,
    UNCONTESTED,
    UNLIMITED,
    able,
    act,
    can_fold,
    clear_history,
    count_able,
    count_live,
    first_to_act,
    next_to_act,
    payoffs,
    post,
    pot,
    raise_bounds,
    seat_at,
    to_call,
)

__all__ = [
    "CALL",
    "CONTINUES",
    "FOLD",
    "MAX_ACTIONS",
    "MAX_CHIPS",
    "MAX_HANDS",
    "MAX_PLAYERS",
    "RAISE",
    "ROUND_OVER",
    "SHOWDOWN",
    "UNCONTESTED",
    "UNLIMITED",
    "Betting",
    "able",
    "act",
    "can_fold",
    "check_pot",
    "chips",
    "clear_history",
    "count_able",
    "count_live",
    "first_to_act",
    "next_to_act",
    "payoffs",
    "post",
    "pot",
    "raise_bounds",
    "row_fields",
    "rules_fields",
    "seat_at",
    "stacks_before",
    "to_call",
]


MAX_CHIPS = 100_000_000
"""The most chips of a blind, a bet or a stack."""
MAX_HANDS = 1_000_000
"""The most hands of a match."""
_MAX_POT = 2**31 - 1


def chips(instance: Any, attribute: Attribute[Any], value: int | tuple[int, ...]) -> None:
    """Refuse an option of chips, one number or several, that is negative or more than :data:`MAX_CHIPS`."""
    for one in value if isinstance(value, tuple) else (value,):
        if not 0 <= one <= MAX_CHIPS:
            raise ValueError(f"{attribute.name} must be chips from 0 to {MAX_CHIPS:,}. Got {one}.")


def check_pot(players: int, most: int) -> None:
    """Raise ValueError if ``players`` who each put in ``most`` chips make a pot that views have no room for."""
    if players * most > _MAX_POT:
        raise ValueError(
            f"{players} players could put in {players * most:,} chips, more than {_MAX_POT:,}. Take smaller bets."
        )


def _each_round(instance: Betting, attribute: Attribute[Any], value: tuple[int, ...]) -> None:
    if len(value) != instance.num_rounds:
        raise ValueError(f"{attribute.name} needs {instance.num_rounds} entries, one a round. Got {value}.")


def _each_position(instance: Betting, attribute: Attribute[Any], value: tuple[int, ...]) -> None:
    if len(value) != instance.num_players:
        raise ValueError(f"{attribute.name} needs {instance.num_players} entries, one a position. Got {value}.")
    if min(value) < 0:
        raise ValueError(f"{attribute.name} must not be negative. Got {value}.")


def _players(instance: Betting, attribute: Attribute[Any], value: int) -> None:
    if not 2 <= value <= MAX_PLAYERS:
        raise ValueError(f"Betting needs 2 to {MAX_PLAYERS} players. Got {value}.")


@frozen
class Betting:
    """The betting rules of a game, and the rows that its kernels work on.

    ``blinds`` and ``first`` go by position (see the module's text). ``first`` is who begins each round; -1: the seat
    after the last to act. ``raise_sizes`` matter in limit games only. ``max_raises`` does not count the big blind.
    """

    num_players: int = field(validator=_players)
    num_rounds: int
    blinds: tuple[int, ...] = field(validator=_each_position)
    first: tuple[int, ...] = field(validator=_each_round)
    max_raises: tuple[int, ...] = field(validator=_each_round)
    raise_sizes: tuple[int, ...] = field(validator=_each_round)
    no_limit: bool = False
    pot_limit: bool = field(default=False)
    """Whether no raise may be larger than the pot after a call (with ``no_limit``)."""
    ante: int = 0
    dead_ante: int = 0
    """Chips that one seat puts in for all before its blind; they are won and count towards no bet."""
    dead_position: int = field(default=0)
    """The position that pays the dead ante."""
    dead_posts: tuple[int, ...] = ()
    """Chips that each position puts in for nothing beside a dead ante (missed blinds); none: nobody does."""
    full_blinds: bool = False
    completes: bool = False
    """In limit games: a raise behind a short all-in brings the bet to a whole number of sizes, half a size counting as one."""
    away: tuple[int, ...] = ()
    """1 for each position that posts and is folded at once: players who are away; none: nobody is."""
    offset: int = 1
    fold_anytime: bool = False
    minimum_bet: int = 0
    """The least bet of a round in no-limit; 0: the biggest blind, or one chip if there is none."""
    deepest: int = UNLIMITED
    """The most chips that any seat starts a hand with."""
    empty_raises: bool = False
    """In limit games: a raise stays legal for a seat whose whole stack the bet has reached, and adds nothing (as in the
    competition's C code, game.c raiseIsValid)."""

    @pot_limit.validator
    def _of_no_limit(self, attribute: Attribute[Any], value: bool) -> None:
        if value and not self.no_limit:
            raise ValueError("pot_limit bounds the raises of no_limit betting: set both.")

    @property
    def dead(self) -> tuple[int, ...]:
        """The chips that each position puts in which count towards no bet."""
        posts = list(self.dead_posts or (0,) * self.num_players)
        posts[self.dead_position] += self.dead_ante
        return tuple(posts)

    def starter(self, button: int, round_: int) -> int:
        """Return the seat that acts first in a round of a hand whose button is at seat ``button``, where ``first`` says who."""
        return (button + self.offset + self.first[round_]) % self.num_players

    @dead_position.validator
    def _a_position(self, attribute: Attribute[Any], value: int) -> None:
        if not 0 <= value < self.num_players:
            raise ValueError(f"dead_position must be a position, 0 to {self.num_players - 1}. Got {value}.")

    @property
    def history_length(self) -> int:
        """The most actions a hand can have (every raise lets all others act once more; a short all-in ends a stack)."""
        n = self.num_players
        by_cap = sum(min(n + (n - 1) * raises, MAX_ACTIONS) for raises in self.max_raises)
        if not self.no_limit:
            return by_cap
        least = self.minimum_bet or max(*self.blinds, 1)
        raises = (self.deepest - self.ante - max(self.blinds)) // least + n
        return min(by_cap, n * self.num_rounds + (n - 1) * raises)

    def rules(self) -> dict[str, Any]:
        """Return the rules as the kernels take them: plain ints and lists."""
        return {
            "num_players": self.num_players,
            "num_rounds": self.num_rounds,
            "no_limit": int(self.no_limit),
            "pot_limit": int(self.pot_limit),
            "fold_anytime": int(self.fold_anytime),
            "empty_raises": int(self.empty_raises and not self.no_limit),
            "offset": self.offset,
            "full_blinds": int(self.full_blinds),
            "completes": int(self.completes and not self.no_limit),
            "ante": self.ante,
            "minimum_bet": self.minimum_bet or max(*self.blinds, 1),
            "max_actions": MAX_ACTIONS,
            "blinds": list(self.blinds),
            "dead": list(self.dead),
            "away": list(self.away or (0,) * self.num_players),
            "first": list(self.first),
            "raise_sizes": list(self.raise_sizes),
            "max_raises": list(self.max_raises),
        }

    def rules_fields(self) -> list[tuple[Any, ...]]:
        """Return the dtype fields of :meth:`rules` as a numpy record."""
        return rules_fields(self.num_players, self.num_rounds)

    def row_fields(self) -> list[tuple[Any, ...]]:
        """Return the dtype fields of betting in a hand's row (``current`` is not among them: every row has it)."""
        return row_fields(self.num_players, self.history_length)

    def new_row(self, button: int = 0, stacks: Sequence[int] = ()) -> dict[str, Any]:
        """Return a fresh hand as plain ints and lists, for uncompiled use: call :func:`post` on it.

        ``stacks`` (by seat) defaults to unlimited chips.
        """
        n, length = self.num_players, self.history_length
        row: dict[str, Any] = {"current": -1, "button": button, "round": 0, "last": button}
        row.update({"raises": 0, "acts": 0, "called": 0, "actions": 0, "max_spent": 0, "min_raise_to": 0})
        row.update(
            {"stack": list(stacks) or [UNLIMITED] * n, "dead": [0] * n, "spent": [0] * n, "round_spent": [0] * n}
        )
        row.update({"folded": [0] * n, "history": [-1] * length})
        row.update({"history_round": [-1] * length, "history_seat": [-1] * length})
        return row


def rules_fields(players: int, rounds: int) -> list[tuple[Any, ...]]:
    """Return the dtype fields of :meth:`Betting.rules`, with room for ``players`` and ``rounds`` (or more)."""
    flags = ("no_limit", "pot_limit", "fold_anytime", "empty_raises", "full_blinds", "completes")
    numbers = ("num_players", "num_rounds", *flags, "offset", "ante", "minimum_bet", "max_actions")
    by_round = ("first", "raise_sizes", "max_raises")
    return [(name, "i8") for name in numbers] + [
        ("blinds", "i8", (players,)),
        ("dead", "i8", (players,)),
        ("away", "i8", (players,)),
        *((name, "i8", (rounds,)) for name in by_round),
    ]


def row_fields(players: int, history: int) -> list[tuple[Any, ...]]:
    """Return the dtype fields of betting in a hand's row, with room for ``players`` and ``history`` actions (or more).

    ``current`` is not among them: every row has it.
    """
    return [
        ("button", "i1"),
        ("round", "i1"),
        ("last", "i1"),
        ("raises", "i2"),
        ("acts", "i2"),
        ("called", "i2"),
        ("actions", "i2"),
        ("max_spent", "i4"),
        ("min_raise_to", "i8"),
        ("stack", "i4", (players,)),
        ("dead", "i4", (players,)),
        ("spent", "i4", (players,)),
        ("round_spent", "i4", (players,)),
        ("folded", "i1", (players,)),
        ("history_round", "i1", (history,)),
        ("history_seat", "i1", (history,)),
        ("history", "i4", (history,)),
    ]


def stacks_before(betting: Betting, view: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the chips that each seat of a view began the hand with, dead ones among them."""
    stacks = [int(behind) + int(spent) for behind, spent in zip(view["stacks"], view["spent"], strict=True)]
    left, first = int(view["pot"]) - int(sum(view["spent"])), int(view["button"]) + betting.offset
    for position, posted in enumerate(betting.dead_posts):
        stacks[(first + position) % betting.num_players] += min(posted, left)
        left -= min(posted, left)
    stacks[(first + betting.dead_position) % betting.num_players] += left
    return tuple(stacks)


def shown_at_showdown(view: Mapping[str, Any], outcome: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the seats that turn their cards over when a hand is over: those that did not fold, if hands were compared."""
    return tuple(seat for seat, folded in enumerate(view["folded"]) if outcome["showdown"] and not folded)
