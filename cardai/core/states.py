"""Games in plain Python: their Tables are n States side by side, so that they run everywhere a fast game does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.determinize import Source, by_rejection
from cardai.core.errors import IllegalActionError, UsageError
from cardai.core.fields import Views, empty_views, pack_views
from cardai.core.game import CHANCE, TERMINAL, Amounts, Game, IntArray, Legal, Setup, State, Tables, unpack_setup
from cardai.core.rng import below_int, hash_int, uniform

__all__ = ["CHANCE", "TERMINAL", "Setup", "State", "StateGame", "StateTables"]
"""What a game in plain Python needs, from one place."""


class StateGame(Game):
    """Base of games that are written as a plain Python :class:`~cardai.core.game.State`, one hand at a time."""

    def tables(self, count: int) -> StateTables:
        return StateTables(self, count)

    def determinize(self, view: Mapping[str, Any], rng: Source, count: int, weights: Any = None) -> Tables:
        """Return hands by rejection (:func:`~cardai.core.determinize.by_rejection`): for small games. No weights."""
        if weights is not None:
            raise UsageError(f"{type(self).__name__} takes no weights: its hands are drawn by chance's probabilities.")
        return by_rejection(self, view, rng, count)


class StateTables(Tables):
    """n States in lock step. The k-th chance outcome of a hand depends on (deck seed, k) and its probabilities only."""

    def __init__(self, game: Game, count: int) -> None:
        super().__init__(game, count)
        self._states: list[State | None] = [None] * count
        self._seeds = np.zeros(count, np.uint64)
        self._given: list[list[int]] = [[] for _ in range(count)]
        self._decks: list[list[int]] = [[] for _ in range(count)]
        self._current = np.full(count, TERMINAL, np.int8)

    def reset(
        self,
        seeds: npt.NDArray[np.uint64],
        decks: Sequence[Sequence[int]] | npt.NDArray[Any] | None = None,
        rows: IntArray | None = None,
        setups: npt.NDArray[Any] | None = None,
    ) -> None:
        for k, row in enumerate(np.arange(self.count) if rows is None else rows):
            self._states[row] = self.game.new_initial_state(None if setups is None else unpack_setup(setups[k]))
            self._seeds[row] = seeds[k]
            self._given[row] = [] if decks is None else [int(x) for x in decks[k]]
            self._decks[row] = []
            self._advance(int(row))

    def take_state(self, row: int, state: State, rolled: list[int], seed: int) -> None:
        """Put a hand on ``row`` in which chance has ``rolled`` so far; what it does next follows from ``seed``."""
        self._states[row], self._seeds[row] = state, seed
        self._given[row], self._decks[row] = [], rolled
        self._advance(row)

    def _advance(self, row: int) -> None:
        state = self.state(row)
        while state.current_player() == CHANCE:
            drawn = self._decks[row]
            if len(drawn) < len(self._given[row]):
                outcome = self._given[row][len(drawn)]
            else:
                outcome = _draw(state.chance_outcomes(), float(uniform(self._seeds[row], len(drawn))))
            state.apply_action(outcome)
            drawn.append(outcome)
        self._current[row] = state.current_player()

    def state(self, row: int) -> State:
        """Return the State at ``row`` itself (for debugging; agents never see it)."""
        state = self._states[row]
        if state is None:
            raise IllegalActionError(f"Table {row} has no hand yet: call reset first.")
        return state

    def current_players(self) -> npt.NDArray[np.int8]:
        return self._current.copy()

    def legal(self, rows: IntArray) -> Legal:
        if self.game.amounts:
            return self._amounts(rows)
        mask = np.zeros((len(rows), self.game.num_distinct_actions), np.bool_)
        for k, row in enumerate(rows):
            if self._current[row] >= 0:
                mask[k, self.state(int(row)).legal_actions()] = True
        return mask

    def _amounts(self, rows: IntArray) -> Amounts:
        kinds = np.zeros((len(rows), 3), np.bool_)
        least, most = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
        for k, row in enumerate(rows):
            actions = self.state(int(row)).legal_actions() if self._current[row] >= 0 else []
            raises = [a for a in actions if a >= 2]
            kinds[k] = 0 in actions, 1 in actions, bool(raises)
            if raises:
                least[k], most[k] = raises[0], raises[-1]
        return Amounts(kinds, least, most)

    def views(self, player: int, rows: IntArray) -> Views:
        return pack_views(self.game.view_fields, (self.state(int(row)).view(player) for row in rows))

    def apply(self, rows: IntArray, actions: IntArray) -> None:
        for row, action in zip(rows, actions, strict=True):
            state = self.state(int(row))
            if state.is_terminal():
                raise IllegalActionError(f"The hand at table {row} is over: no action can be played.")
            if int(action) not in state.legal_actions():
                raise IllegalActionError(
                    f"The action {int(action)} is not legal at table {row}. Legal: {state.legal_actions()}."
                )
        for row, action in zip(rows, actions, strict=True):
            self.state(int(row)).apply_action(int(action))
            self._advance(int(row))

    def play_out(self, rows: IntArray, streams: npt.NDArray[np.uint64], step: int) -> None:
        """Play the hands at ``rows`` to their ends, each legal action equally often.

        Action number k (the first here is ``step``) of the hand with stream s is the one that
        ``below(hash64(s, k * seats + seat), 0, count)`` counts from the lowest.
        """
        seats = self.game.num_players
        for row, stream in zip(rows.tolist(), streams.tolist(), strict=True):
            state, k = self.state(row), step
            while (seat := int(self._current[row])) >= 0:
                legal = state.legal_actions()
                state.play(legal[below_int(hash_int(stream, k * seats + seat), 0, len(legal))])
                self._advance(row)
                k += 1

    def returns(self, rows: IntArray) -> npt.NDArray[np.float64]:
        return np.array([self.state(int(row)).returns() for row in rows], np.float64).reshape(
            len(rows), self.game.num_players
        )

    def outcomes(self, rows: IntArray) -> npt.NDArray[Any]:
        if not self.game.outcome_fields:
            return empty_views((), len(rows))
        return pack_views(self.game.outcome_fields, (self.state(int(row)).outcome() for row in rows))

    def copy_rows(self, source: Tables, rows: IntArray) -> None:
        if not isinstance(source, StateTables):
            raise TypeError(f"The hands of {type(source).__name__} cannot be copied to StateTables.")
        for k, row in enumerate(rows):
            self._states[k] = source.state(int(row)).clone()
            self._seeds[k] = source._seeds[row]
            self._given[k] = list(source._given[row])
            self._decks[k] = list(source._decks[row])
            self._current[k] = source._current[row]

    def deck(self, row: int) -> list[int]:
        return list(self._decks[row])


def _draw(outcomes: list[tuple[int, float]], threshold: float) -> int:
    total = 0.0
    for outcome, probability in outcomes:
        total += probability
        if threshold < total:
            return outcome
    return outcomes[-1][0]
