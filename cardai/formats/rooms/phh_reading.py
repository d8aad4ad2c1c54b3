"""A hand of a PHH file (arXiv 2312.11753; PokerKit's notation) as a hand that is told: who posts, acts, shows and wins.

Players stand from the first after the button. Of two the lists of antes and blinds go the other way round, as PokerKit has them:
the first player is the big blind, and posts what stands second. Amounts of actions are those of the street.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from attrs import Attribute, field, frozen

from cardai.core.errors import DamagedFileError
from cardai.core.schema import structure, whole
from cardai.formats.rooms.readings import MOST
from cardai.formats.rooms.text import CURRENCIES, UNITS, cards, moment
from cardai.formats.rooms.told import Act, Post, Refused, Seat, Told
from cardai.poker.rules.betting import UNLIMITED

LINES = 2000
"""Lines of one hand, and its actions."""
_MOST = UNLIMITED * UNITS
_AMOUNT = re.compile(r"\d{1,15}(\.\d{1,4}0*)?$")
_CARDS = re.compile(r"([2-9TJQKA?][cdhs?])+$")
_LISTS = ("antes", "blinds_or_straddles", "starting_stacks", "finishing_stacks", "winnings")
_NUMBERS = ("small_bet", "big_bet", "min_bet")


@frozen
class PhhHand:
    """What a hand of a PHH file must hold, and what else is read. Lists go by player, amounts are in
    :data:`~cardai.formats.rooms.text.UNITS`. A blind below 0 is a post beside the blinds, of as much."""

    variant: str
    antes: tuple[int, ...] = field(validator=whole(0, _MOST))
    blinds_or_straddles: tuple[int, ...] = field(validator=whole(-_MOST, _MOST))
    starting_stacks: tuple[int, ...] = field(validator=whole(1, _MOST))
    actions: tuple[str, ...] = field()
    small_bet: int = field(default=0, validator=whole(0, _MOST))
    big_bet: int = field(default=0, validator=whole(0, _MOST))
    min_bet: int = field(default=0, validator=whole(0, _MOST))
    finishing_stacks: tuple[int, ...] = field(default=(), validator=whole(0, _MOST))
    winnings: tuple[int, ...] = field(default=(), validator=whole(0, _MOST))
    seats: tuple[int, ...] = field(default=(), validator=whole(1, 999))
    players: tuple[str, ...] = ()
    hand: Any = None
    table: Any = None
    venue: Any = None
    event: Any = None
    currency: Any = None
    currency_symbol: Any = None
    year: Any = None
    month: Any = None
    day: Any = None
    time: Any = None
    time_zone: Any = None
    time_zone_abbreviation: Any = None

    @actions.validator
    def _short(self, attribute: Attribute[Any], value: tuple[str, ...]) -> None:
        if len(value) > LINES or any(len(action) > 2000 for action in value):
            raise ValueError("has more, or longer, entries than a hand of hold'em")

    def __attrs_post_init__(self) -> None:
        n = len(self.starting_stacks)
        if not 2 <= n <= MOST or len(self.antes) > n or len(self.blinds_or_straddles) > n:
            raise ValueError(f"must have 2 to {MOST} players, an ante and a blind each at most")
        if self.players and (len(self.players) != n or not all(self.players) or len(set(self.players)) < n):
            raise ValueError("does not name each player")
        for name in ("finishing_stacks", "winnings", "seats"):
            if getattr(self, name) and len(getattr(self, name)) != n:
                raise ValueError(f"has {len(getattr(self, name))} {name} for {n} players")


def phh_hand(text: str) -> PhhHand:
    """Return what one hand's text says. Raises DamagedFileError; Refused where it is of another game."""
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise DamagedFileError(f"no hand in PHH: {error}.") from error
    variant = values.get("variant")
    if isinstance(variant, str) and variant not in ("FT", "NT"):
        raise Refused("another game", f"the variant {variant[:20]!r}; FT and NT (limit and no-limit hold'em) are read")
    for name in (*_LISTS, *_NUMBERS):
        if name in values:
            values[name] = _in_units(values[name], name)
    return structure(values, PhhHand, "the hand")


def _in_units(value: Any, name: str) -> Any:
    """Return a number, or a list of them, in ten-thousandths; what is none is left as it is. Raises DamagedFileError."""
    if isinstance(value, list):
        return [_in_units(one, f"{name}[{k}]") for k, one in enumerate(value[:100])]
    if type(value) is not int and not isinstance(value, Decimal):
        return value
    if not Decimal(value).is_finite() or not -_MOST < value < _MOST or (scaled := value * UNITS) != int(scaled):
        raise DamagedFileError(f"{name} must be chips, with four decimals at most. Got {str(value)[:40]}.")
    return int(scaled)


def told_of(said: PhhHand, line: int) -> Told:
    """Return a hand as any room's is told. Raises Refused."""
    n = len(said.starting_stacks)
    names = said.players or tuple(f"p{k + 1}" for k in range(n))
    told = Told(
        _word(said.venue) or "PHH",
        _word(said.hand),
        line,
        _moment(said),
        table=_word(said.table),
        ended=True,
        short_blinds=True,
    )
    symbol = _word(said.currency_symbol)
    told.currency = _word(said.currency)[:3] or CURRENCIES.get(symbol, "")
    told.tournament = "" if told.currency else _word(said.event)
    seats = said.seats if _in_order(said.seats) else tuple(range(1, n + 1))
    told.seats = {name: Seat(seat, stack) for name, seat, stack in zip(names, seats, said.starting_stacks, strict=True)}
    told.button = seats[-1]
    if said.variant == "FT":
        told.betting, told.stakes = "limit", (said.small_bet, said.big_bet)
    _posts(said, names, told)
    for action in said.actions:
        _act(action, names, told)
    if any(said.winnings):  # all 0: the public data set misses winners who were blinds or had the button
        told.collected = {name: won for name, won in zip(names, said.winnings, strict=True) if won}
        told.apart = told.room != "PartyPoker"  # as in the public data set
    elif said.finishing_stacks:
        told.left = dict(zip(names, said.finishing_stacks, strict=True))
    else:
        told.unpaid = True
    return told


def _word(value: Any) -> str:
    return str(value)[:60] if isinstance(value, (str, int)) else ""


def _in_order(seats: Sequence[int]) -> bool:
    """Whether seats go round the table once."""
    return bool(seats) and len(set(seats)) == len(seats) and sum(a > b for a, b in pairwise(seats)) < 2


def _moment(said: PhhHand) -> datetime.datetime | None:
    """Return when the hand was played, in UTC where the zone is known."""
    if not isinstance(said.time, datetime.time):
        return None
    try:
        local = datetime.datetime.combine(datetime.date(said.year, said.month, said.day), said.time)
        if isinstance(said.time_zone, str):
            return local.replace(tzinfo=ZoneInfo(said.time_zone)).astimezone(datetime.UTC)
    except (TypeError, ValueError, OSError, OverflowError):  # ZoneInfoNotFoundError is a KeyError
        return None
    except KeyError:
        return local
    zone = said.time_zone_abbreviation
    return moment(f"{local:%Y-%m-%d %H:%M:%S} {zone}") if isinstance(zone, str) and zone.isalpha() else local


def _posts(said: PhhHand, names: Sequence[str], told: Told) -> None:
    """Note what everybody posts: as much as there is of it."""
    n = len(names)
    antes = said.antes + (0,) * (n - len(said.antes))
    blinds = said.blinds_or_straddles + (0,) * (n - len(said.blinds_or_straddles))
    if n == 2:
        antes, blinds = antes[::-1], blinds[::-1]
    if said.variant == "NT":
        told.stakes = (min(map(abs, blinds[:2])), max(map(abs, blinds[:2])))
    most = 0
    for k, name in enumerate(names):
        ante = min(antes[k], said.starting_stacks[k])
        blind = min(abs(blinds[k]), said.starting_stacks[k] - ante)
        if ante:
            told.posts.append(Post(name, "ante", ante))
        if n == 2:
            kind = "big" if k == 0 else "small"
        elif blinds[k] < 0 or (k > 1 and blinds[k] <= most):
            kind = "extra"
        else:
            kind = ("small", "big", "straddle")[min(k, 2)]
        most = max(most, blinds[k])
        if blind:
            told.posts.append(Post(name, kind, blind, all_in=blind < abs(blinds[k])))


def _act(action: str, names: Sequence[str], told: Told) -> None:
    """Note one entry of a hand's actions. Raises Refused."""
    words = action.partition("#")[0].split()
    street = max(len(told.boards[0]) - 2, 0) if told.boards else 0
    match words:
        case []:
            pass
        case ["d", "db", dealt] if len(shown := _cards(dealt)) in (1, 3) and "?" not in dealt:
            told.board(0, (*(told.boards[0] if told.boards else ()), *shown))
        case ["d", "dh", player, dealt]:
            _hole(_name(player, names, action), dealt, told)
        case [player, "f"]:
            told.acts.append(Act(_name(player, names, action), street, "fold"))
        case [player, "cc"]:
            told.acts.append(Act(_name(player, names, action), street, "call"))
        case [player, "cbr", amount] if _AMOUNT.match(amount):
            told.acts.append(Act(_name(player, names, action), street, "raise", to=int(Decimal(amount) * UNITS)))
        case [player, "sm", "-"]:
            _name(player, names, action)
        case [player, "sm"] | [player, "sm", "????"]:
            told.mucked.add(_name(player, names, action))
        case [player, "sm", dealt]:
            _hole(_name(player, names, action), dealt, told)
        case _:
            raise Refused("an action that is none of hold'em", action[:60])


def _name(player: str, names: Sequence[str], action: str) -> str:
    if player[:1] == "p" and player[1:].isdecimal() and len(player) < 4 and 1 <= int(player[1:]) <= len(names):
        return names[int(player[1:]) - 1]
    raise Refused("a player without a seat", action[:60])


def _cards(text: str) -> tuple[int, ...]:
    if not _CARDS.match(text):
        raise Refused("cards that are none", text[:60])
    return cards(" ".join(text[k : k + 2] for k in range(0, len(text), 2) if "?" not in text[k : k + 2]))


def _hole(name: str, dealt: str, told: Told) -> None:
    """Note two cards of a player, unless neither is known."""
    found = _cards(dealt)
    if len(dealt) != 4:
        raise Refused("another game", f"{len(dealt) // 2} hole cards")
    if len(found) == 1:
        raise Refused("cards that are none", dealt)
    if found and told.cards.setdefault(name, found) != found and set(told.cards[name]) != set(found):
        raise Refused("other cards are shown than were dealt", f"{name}: {dealt}")
