"""Recorded hands played again, many at a time: each decision as its player saw it, with no hidden card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen

from cardai.arena.records import Record, as_damage, check_fits
from cardai.core.arrays import Bools, Float32s, Int16s, Int64s, Uint64s
from cardai.core.errors import DamagedFileError
from cardai.core.game import Game, Setup, pack_setups
from cardai.core.legal import Legal, allows, legal_columns, legal_text, take
from cardai.core.rng import hash_rows
from cardai.learn.imitation.examples import Examples, classes

_NEAR = 1e-3
"""Chips by which a recorded result may differ from what the cards give (logs write six decimals)."""


@frozen(eq=False)
class Replayed:
    """A batch played again: its decisions, a key of each hand's ``deal`` (m,), and why hands were left out, by number.

    The decisions of a hand and player follow one another, in the order of hands, then seats, then play. Hands are numbered
    within the batch, ``player`` is the seat, and nothing is held out.
    """

    decisions: Examples
    deal: Uint64s
    wrong: dict[int, str]


class Replayer:
    """Plays recorded hands of one game again, up to ``size`` at once."""

    def __init__(self, game: Game, size: int = 2048) -> None:
        self.game, self.size = game, size
        self._tables = game.tables(size)

    def replay(self, records: Sequence[Record], wanted: Sequence[Sequence[bool]]) -> Replayed:
        """Return the decisions of the seats that are ``wanted`` of each record (at most ``size`` of them).

        A hand that does not fit the game, with an action that is not legal, that does not end, or whose result is not
        what its cards give is left out as a whole.
        """
        wrong: dict[int, str] = {}
        rows = self._deal(records, wrong)
        deal = self._deals(records, rows)
        parts = self._play(records, np.array(wanted, bool).reshape(len(records), -1), rows, wrong)
        self._check_returns(records, wrong)
        returns = np.zeros((len(records), self.game.num_players), np.float32)
        for i, record in enumerate(records):
            if i not in wrong:
                returns[i] = record["returns"]
        return Replayed(self._joined(parts, wrong, returns, deal), deal, wrong)

    # -- dealing -----------------------------------------------------------------------------------------------------

    def _deal(self, records: Sequence[Record], wrong: dict[int, str]) -> Int64s:
        """Put each record's beginning on its table; return the tables that stand."""
        template = self._template()
        decks = np.zeros((len(records), len(template)), np.int8)
        setups = []
        for i, record in enumerate(records):
            setup = record["setup"]
            setups.append(Setup(setup["starter"], record.get("hand", 0), tuple(setup["score"]), tuple(setup["stacks"])))
            try:
                check_fits(self.game, record)
                if template:
                    decks[i] = _whole_deck(record["deck"], template)
            except DamagedFileError as error:
                wrong[i] = str(error)
        rows = np.array([i for i in range(len(records)) if i not in wrong], np.int64)
        if not len(rows):
            return rows
        packed = pack_setups(self.game.num_players, [setups[i] for i in rows])
        seeds = np.array([records[i]["seed"] for i in rows], np.uint64)
        if template:
            self._tables.reset(seeds, decks[rows], rows, packed)
            return rows
        for k, i in enumerate(rows):
            try:
                with as_damage(records[i]):
                    self._tables.reset(seeds[k : k + 1], [records[i]["deck"]], rows[k : k + 1], packed[k : k + 1])
            except DamagedFileError as error:
                wrong[int(i)] = str(error)
        return np.array([i for i in rows if i not in wrong], np.int64)

    def _template(self) -> list[int]:
        """Return the cards of a deck that can be laid as a whole; none where cards are alike or chance is no deck."""
        cards = [int(card) for card in self.game.deck_template()]
        return cards if self._tables.whole_deck and len(set(cards)) == len(cards) else []

    def _deals(self, records: Sequence[Record], rows: Int64s) -> Uint64s:
        """Return a key of the cards dealt before the first decision (m,), the same whoever sits where.

        Where the tables do not say how many those are, of all the hand's cards.
        """
        deal = np.ones(len(records), np.uint64)
        known = self._tables.dealt(rows)
        dealt = np.array([len(records[i]["deck"]) for i in rows], np.int64) if known is None else known
        for k in range(int(dealt.max(initial=0))):
            there = rows[k < dealt]
            deal[there] = hash_rows(deal[there], np.array([records[i]["deck"][k] for i in there], np.int64))
        return deal

    # -- playing -----------------------------------------------------------------------------------------------------

    def _play(
        self, records: Sequence[Record], wanted: Bools, alive: Int64s, wrong: dict[int, str]
    ) -> list[tuple[Any, ...]]:
        """Play all hands on, an action each at a time; return (views, legal, actions, rows, seat, time) of what is wanted."""
        length = np.array([len(record["actions"]) for record in records], np.int64)
        actions = np.full((len(records), int(length.max(initial=0))), -1, np.int64)
        for i, record in enumerate(records):
            actions[i, : length[i]] = record["actions"]
        parts: list[tuple[Any, ...]] = []
        time = 0
        while len(alive):
            current = self._tables.current_players()[alive]
            over, ended = length[alive] == time, current < 0
            wrong |= {int(i): "it has no more actions, but is not over" for i in alive[over & ~ended]}
            wrong |= {int(i): "it goes on after its end" for i in alive[~over & ended]}
            alive, current = alive[~over & ~ended], current[~over & ~ended]
            for seat in np.unique(current):
                rows = alive[current == seat]
                legal = self._tables.legal(rows)
                self._refuse(rows, legal, actions[rows, time], wrong)
                good = np.array([i not in wrong for i in rows], bool) if wrong else np.ones(len(rows), bool)
                seen = np.flatnonzero(good & wanted[rows, seat])
                if len(seen):
                    own = rows[seen]
                    columns = legal_columns(take(legal, seen)).copy()
                    views = self._tables.views(int(seat), own)
                    parts.append((views, columns, actions[own, time], own, int(seat), time))
                self._tables.apply_checked(rows[good], actions[rows[good], time])
            if wrong:
                alive = np.array([i for i in alive if i not in wrong], np.int64)
            time += 1
        return parts

    def _refuse(self, rows: Int64s, legal: Legal, chosen: Int64s, wrong: dict[int, str]) -> None:
        for k in np.flatnonzero(~allows(legal, chosen)):
            wrong[int(rows[k])] = f"its action {int(chosen[k])} is not legal there; legal: {legal_text(legal, int(k))}"

    def _check_returns(self, records: Sequence[Record], wrong: dict[int, str]) -> None:
        rows = np.array([i for i in range(len(records)) if i not in wrong], np.int64)
        if len(rows):
            given = np.array([records[i]["returns"] for i in rows], np.float64)
            ours = self._tables.returns(rows)
            for k in np.flatnonzero((np.abs(given - ours) > _NEAR).any(axis=1)):
                wrong[int(rows[k])] = f"its result is {ours[k].tolist()} by its cards, not {given[k].tolist()}"

    def _joined(
        self, parts: list[tuple[Any, ...]], wrong: dict[int, str], returns: Float32s, deal: Uint64s
    ) -> Examples:
        """Return what was seen in order, without the hands that turned out to be wrong."""
        hand = np.concatenate([part[3] for part in parts]) if parts else np.zeros(0, np.int64)
        seat = np.repeat([part[4] for part in parts], [len(part[3]) for part in parts]).astype(np.int16)
        time = np.repeat([part[5] for part in parts], [len(part[3]) for part in parts])
        order = np.lexsort((time, seat, hand))
        if wrong:
            order = order[~np.isin(hand[order], list(wrong))]
        if not len(order):
            views, legal = self._tables.views(0, np.zeros(0, np.int64)), np.zeros((0, len(classes(self.game))), bool)
            action = np.zeros(0, np.int64)
        else:
            views, legal, action = (np.concatenate([part[k] for part in parts])[order] for k in range(3))
        hand, seat = hand[order], seat[order]
        label = np.minimum(action, 2) if self.game.amounts else action
        later, none = _later(hand, seat), np.zeros(len(hand), np.bool_)
        return Examples(
            views, legal, label.astype(np.int16), action, hand, seat, later, returns[hand, seat], deal[hand], none
        )


def _later(hand: Int64s, seat: Int16s) -> Int16s:
    """Return how many decisions follow each of the same hand and seat; those of one are neighbours."""
    ends = np.flatnonzero((np.diff(hand) != 0) | (np.diff(seat) != 0))
    ends = np.append(ends, len(hand) - 1)
    places = np.arange(len(hand))
    return np.asarray(ends[np.searchsorted(ends, places)] - places if len(hand) else places, np.int16)


def _whole_deck(dealt: Sequence[int], template: list[int]) -> list[int]:
    """Return a whole deck that begins with the cards ``dealt``. Raises DamagedFileError."""
    known = set(dealt)
    if len(known) != len(dealt) or not known <= set(template):
        raise DamagedFileError("a card is there twice, or not in the game's deck")
    return [*dealt, *(card for card in template if card not in known)]
