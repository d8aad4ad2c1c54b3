"""Views of a game of cardai from what a player of the competition has seen.

The fields are those that every betting game of cardai has; each is taken from the betting node and the cards. A node's
part of a view is made once and kept, since heads-up limit nodes come up again and again. In a game of one hand the seats
are those of a hand by itself, whoever plays it: the first to start is where the game puts it, as players are trained and
matched. Where seats tell players apart from hand to hand, the player's own is always 0 and the others follow in the order of
play.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.errors import UsageError
from cardai.core.fields import Field, Views, pack_views, view_dtype
from cardai.core.game import Amounts, Legal
from cardai.core.legal import copy_legal
from cardai.formats.acpc.gamedef import UNLIMITED
from cardai.formats.acpc.games import GameMap, KuhnMap
from cardai.formats.acpc.states import CALL, FOLD, RAISE
from cardai.poker.rules.growing_tree import BettingNode, rung_amounts

_SINGLE = ("player", "button", "round", "pot", "to_call", "raises")
_BY_SEAT = ("spent", "round_spent", "stacks", "folded", "score")
_HISTORIES = ("history", "history_round", "history_seat")


class ViewMaker:
    """Makes views, legal actions and amounts of the mapped game for one player of the competition.

    With ``follows`` the player's own seat is 0 in every hand, for those who follow players over hands.
    """

    def __init__(self, mapped: GameMap, follows: bool = False) -> None:
        self._map = mapped
        game = mapped.game
        one_hand = not follows and game.match_over((0.0,) * game.num_players, 1)
        self._first = game.next_hand((), None, 0).starter if one_hand else -1
        self._ladder: tuple[float, ...] = mapped.board_game.ladder
        self._amounts = mapped.definition.no_limit and not self._ladder
        self._n = mapped.game.num_players
        self.fields = mapped.game.view_fields
        self._names = [f.name for f in self.fields]
        self._seats = [self.seats(position) for position in range(self._n)]
        self._score = [0] * self._n  # the wire does not say
        known = {*_SINGLE, *_BY_SEAT, *_HISTORIES, "hole", "board"}
        unknown = [f.name for f in self.fields if f.name not in known]
        if unknown:
            raise UsageError(f"The game {mapped.spec!r} shows {', '.join(unknown)}, which ACPC's wire does not.")
        self._dtype = view_dtype(self.fields)
        self._packers = _packers(self.fields, self._n)
        places: Any = self._dtype.fields or {}
        self._hole, self._board = places["hole"][1], places["board"][1]  # where they begin in a view's bytes
        self._own_cards = bytes(card % 256 for card in mapped.cards).ljust(256)  # of each of the competition's

    def seats(self, position: int) -> list[int]:
        """Return the position of each seat in the views of the player at ``position``."""
        zero = position if self._first < 0 else self._map.starter - self._first
        return [(zero + seat) % self._n for seat in range(self._n)]

    def public(self, node: BettingNode, position: int) -> dict[str, Any]:
        """Return all fields but the cards, as plain values, at ``node`` for the player at ``position``."""
        n, numbers = self._n, self._numbers(node, position)
        values: dict[str, Any] = dict(zip(_SINGLE, numbers, strict=False))
        for k, name in enumerate(_BY_SEAT):
            values[name] = numbers[len(_SINGLE) + k * n : len(_SINGLE) + (k + 1) * n]
        return values | dict(zip(_HISTORIES, self._said(node, position), strict=True))

    def _numbers(self, node: BettingNode, position: int) -> list[int]:
        """Return the values of ``_SINGLE``, then those of ``_BY_SEAT``, seat by seat."""
        row, seats = node.row, self._seats[position]
        spent, stack, folded, in_round = row["spent"], row["stack"], row["folded"], row["round_spent"]
        before = self._map.ante if row["round"] == 0 else 0
        to_call = min(row["max_spent"], stack[position]) - spent[position] if node.actor >= 0 else 0
        return [
            *(seats.index(position), seats.index(self._map.starter), row["round"], sum(spent), to_call, row["raises"]),
            *[spent[p] for p in seats],
            *[in_round[p] - before for p in seats],
            *[0 if stack[p] >= UNLIMITED else stack[p] - spent[p] for p in seats],
            *[folded[p] for p in seats],
            *self._score,
        ]

    def _said(self, node: BettingNode, position: int) -> tuple[list[int], list[int], list[int]]:
        """Return the values of ``_HISTORIES``."""
        actions, rounds, seats, zero, n = [], [], [], self._seats[position][0], self._n
        while (before := node.parent) is not None:
            actions.append(node.action)
            rounds.append(before.round)
            seats.append((before.actor - zero) % n)
            node = before
        actions.reverse()
        rounds.reverse()
        seats.reverse()
        return actions, rounds, seats

    def plain(self, node: BettingNode, position: int, hole: Sequence[int], board: Sequence[int]) -> dict[str, Any]:
        """Return a view as a dict of plain values (cards are the competition's)."""
        known: Mapping[str, Any] | None = node.scratch.get(position)
        if known is None:
            known = self.public(node, position)
            if node.kept:
                node.scratch[position] = known
        view = {
            n: v.copy() if type(v := known.get(n)) is list else v for n in self._names
        }  # a player may write into it
        view["hole"] = [self._map.cards[card] for card in hole]
        view["board"] = [self._map.cards[card] for card in board]
        return view

    def packed(self, node: BettingNode, position: int, hole: Sequence[int], board: Sequence[int]) -> Views:
        """Return a view as a structured array (1,) (cards are the competition's)."""
        known: bytes | None = node.scratch.get((position,))
        if known is None:
            numbers, said = self._numbers(node, position), self._said(node, position)
            known = b"".join([pack(numbers, said) for pack in self._packers])
            if node.kept:
                node.scratch[position,] = known
        raw = bytearray(known)
        raw[self._hole : self._hole + len(hole)] = bytes(hole).translate(self._own_cards)
        if board:
            raw[self._board : self._board + len(board)] = bytes(board).translate(self._own_cards)
        return np.frombuffer(raw, self._dtype)

    def legal(self, node: BettingNode) -> Legal:
        """Return the legal actions at ``node`` as the game gives them for one table (to keep: nobody else has them)."""
        known: Legal | None = node.scratch.get("legal")
        if known is not None:
            return copy_legal(known)
        legal = self._legal(node)
        if node.kept:
            node.scratch["legal"] = copy_legal(legal)
        return legal

    def _legal(self, node: BettingNode) -> Legal:
        if self._amounts:
            bounds = np.array([node.least, node.most], np.int64)
            return Amounts(np.array([[node.can_fold, True, node.least > 0]]), bounds[:1], bounds[1:])
        raises = self.amounts(node) if self._ladder else [node.least]
        mask: npt.NDArray[np.bool_] = np.array([[node.can_fold, True, *(amount > 0 for amount in raises)]])
        return mask

    def amounts(self, node: BettingNode) -> list[int]:
        """Return what each rung of the game's ladder raises to at ``node`` (0 where it is not legal)."""
        return rung_amounts(node, self._ladder)

    def action(self, node: BettingNode, chosen: int) -> int:
        """Return the action of the wire that the game's action ``chosen`` is at ``node``."""
        if not self._ladder or chosen in (FOLD, CALL):
            return chosen
        return self.amounts(node)[chosen - RAISE] if 0 <= chosen - RAISE < len(self._ladder) else chosen


class KuhnViews:
    """What :class:`ViewMaker` makes, of Kuhn poker."""

    def __init__(self, mapped: KuhnMap) -> None:
        self._map = mapped
        self.fields = mapped.game.view_fields

    def seats(self, position: int) -> list[int]:
        """Return the position of each seat: seats are positions."""
        return list(range(self._map.game.num_players))

    def plain(self, node: BettingNode, position: int, hole: Sequence[int], board: Sequence[int]) -> dict[str, Any]:
        """Return a view as a dict of plain values (cards are the competition's)."""
        history = [self._map.game_action(step.parent, step.action) for step in node.path() if step.parent]
        return {"player": position, "card": self._map.cards[hole[0]] if hole else -1, "history": history}

    def packed(self, node: BettingNode, position: int, hole: Sequence[int], board: Sequence[int]) -> Views:
        """Return a view as a structured array (1,)."""
        return pack_views(self.fields, [self.plain(node, position, hole, board)])

    def legal(self, node: BettingNode) -> npt.NDArray[np.bool_]:
        """Return the legal actions (1, 2): always both."""
        return np.ones((1, 2), np.bool_)

    def action(self, node: BettingNode, chosen: int) -> int:
        """Return the action of the wire that the game's action ``chosen`` is at ``node``."""
        return self._map.wire_action(node, chosen)


def view_maker(mapped: GameMap, follows: bool = False) -> ViewMaker | KuhnViews:
    """Return what makes views of the mapped game (``follows``: see :class:`ViewMaker`)."""
    return KuhnViews(mapped) if isinstance(mapped, KuhnMap) else ViewMaker(mapped, follows)


Pack = Callable[[list[int], tuple[list[int], ...]], bytes]
"""Packs some neighbouring fields of a view, of its numbers and histories."""


def _packers(fields: Sequence[Field], players: int) -> list[Pack]:
    """Return functions whose joined results are a view's bytes, with no cards."""
    places = {name: [k] for k, name in enumerate(_SINGLE)}
    for k, name in enumerate(_BY_SEAT):
        start = len(_SINGLE) + k * players
        places[name] = list(range(start, start + players))
    packers: list[Pack] = []
    numbers: list[Field] = []
    for f in (*fields, None):
        if f is not None and f.name in places:
            numbers.append(f)
            continue
        if numbers:
            packers.append(_number_packer(numbers, places))
            numbers = []
        if f is not None:
            packers.append(_history_packer(f) if f.name in _HISTORIES else _no_cards(f))
    return packers


def _no_cards(f: Field) -> Pack:
    empty = b"\xff" * f.size
    return lambda numbers, said: empty


def _code(f: Field) -> str:
    kind = np.dtype(f.dtype)
    return "?" if kind == np.bool_ else {1: "b", 2: "h", 4: "i", 8: "q"}[kind.itemsize]


def _number_packer(fields: Sequence[Field], places: Mapping[str, list[int]]) -> Pack:
    """Return a function that packs the values of neighbouring fields as the view's dtype holds them."""
    pack = struct.Struct("=" + "".join(f"{f.size or 1}{_code(f)}" for f in fields)).pack
    chosen = [place for f in fields for place in places[f.name]]
    if len(chosen) == 1:
        return lambda numbers, said: pack(numbers[chosen[0]])
    values = itemgetter(*chosen)
    return lambda numbers, said: pack(*values(numbers))


def _history_packer(f: Field) -> Pack:
    """Return a function that packs a history, with -1 after its last entry."""
    place, code, item, size = _HISTORIES.index(f.name), _code(f), np.dtype(f.dtype).itemsize, f.size
    empty = b"\xff" * (item * size)

    def pack(numbers: list[int], said: tuple[list[int], ...]) -> bytes:
        entries = said[place]
        known = bytes(entries) if item == 1 else struct.pack(f"={len(entries)}{code}", *entries)
        return known + empty[len(known) :]

    return pack
