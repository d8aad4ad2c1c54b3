"""Where a table stands: who sits where, what is legal, what each seat may know, and the hand's moves so far."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.arena.lockstep import LockStep, Loop
from cardai.arena.moves import Move, sight
from cardai.core.agent import Agent, legal_list
from cardai.core.errors import IllegalActionError
from cardai.core.fields import Views, unpack_view
from cardai.core.game import TERMINAL, Game, Legal, allows
from cardai.core.legal import copy_legal
from cardai.core.rng import Rows

ROW = np.zeros(1, np.int64)
"""The one row of the loop that a table is."""


class ExternalPlayer(Agent):
    """Stands for a player whose moves come from outside."""

    def act(self, views: Views, legal: Legal, rng: Rows) -> Any:
        raise IllegalActionError("This player's moves come from outside: call the table's act(action).")


class TableState:
    """What can be read at a :class:`~cardai.arena.table.Table`."""

    game: Game
    _engine: LockStep
    _loop: Loop
    _moves: list[Move]
    _ended: tuple[npt.NDArray[np.float64], npt.NDArray[Any]] | None
    _outside: bool

    # -- who sits where ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called, by player."""
        return self._engine.names

    @property
    def header(self) -> dict[str, Any]:
        """The header of this table's record, the same that ``play`` writes."""
        engine = self._engine
        return {
            "game": engine.game_name,
            "agents": list(engine.names),
            "seed": engine.seed,
            "duplicate": engine.duplicate,
        }

    def player_at(self, seat: int) -> int:
        """Return the player who sits in ``seat`` in this game."""
        return int(self._loop.agent_at[0, seat])

    def seat_of(self, player: int) -> int:
        """Return the seat of ``player`` in this game. Raises ValueError where a record's hand was played."""
        return int(self._loop.agent_at[0].tolist().index(player))

    def is_outside(self, seat: int) -> bool:
        """Whether the moves of ``seat`` come from outside."""
        return self._outside or isinstance(self._engine.agents[self.player_at(seat)], ExternalPlayer)

    # -- where the hand stands ---------------------------------------------------------------------------------------

    @property
    def game_number(self) -> int:
        """The number of the game, as in records."""
        return int(self._loop.number[0])

    @property
    def hand(self) -> int:
        """The number of the hand within its game, from 0."""
        return int(self._loop.hand[0]) - self.hand_over

    @property
    def score(self) -> tuple[float, ...]:
        """The game's score by seat, a finished hand counted."""
        return tuple(float(x) for x in self._loop.score[0])

    @property
    def to_act(self) -> int | None:
        """The seat to act, None when the hand is over."""
        current = TERMINAL if self.done else int(self._loop.tables.current_players()[0])
        return current if current >= 0 else None

    @property
    def hand_over(self) -> bool:
        """Whether the hand is over: look at its :meth:`end`, then call :meth:`next_hand`."""
        return self._ended is not None

    @property
    def game_over(self) -> bool:
        """Whether this hand was its game's last."""
        return self.hand_over and bool(self._loop.over(ROW)[0])

    @property
    def done(self) -> bool:
        """Whether all games are over and :meth:`next_hand` was called after the last."""
        return int(self._loop.number[0]) < 0

    def legal(self) -> Legal:
        """Return the legal actions of the seat to act, one row (a copy).

        Raises:
            IllegalActionError: the hand is over.
        """
        self._need_seat()
        return copy_legal(self._loop.tables.legal(ROW))

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat to act, ascending (no-limit: fold, call, the smallest and largest raise)."""
        return legal_list(self.legal(), 0)

    def check_legal(self, action: Any) -> npt.NDArray[np.int64]:
        """Return ``action`` as an array (1,).

        Raises:
            IllegalActionError: it is not a legal action of the seat to act, or the hand is over.
        """
        self._need_seat()
        legal = self._loop.tables.legal(ROW)
        whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool) and 0 <= action < 1 << 62
        if not whole or not allows(legal, np.array([action], np.int64))[0]:
            raise IllegalActionError(f"The action {action!r} is not legal here. Legal: {legal_list(legal, 0)}.")
        return np.array([action], np.int64)

    def views(self, seat: int | None = None) -> Views:
        """Return what ``seat`` (default: the seat to act) may know, one row of views (a copy)."""
        return self._loop.tables.views(self._need_seat() if seat is None else seat, ROW)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return what ``seat`` (default: the seat to act) may know: a plain value a field."""
        return unpack_view(self.game.view_fields, self.views(seat)[0])

    def stream(self) -> Rows:
        """Return the random numbers that an agent would get for this decision."""
        return Rows(self._loop.seeds(np.array([self._need_seat()]), ROW))

    @property
    def moves(self) -> tuple[Move, ...]:
        """The hand's moves so far, the agents' among them."""
        return tuple(self._moves)

    def sight(self, action: int) -> tuple[int | None, ...]:
        """Return what each seat would see of ``action`` (as in :class:`~cardai.arena.moves.Move`); nothing is played."""
        return sight(self.game, self._loop.tables, self._need_seat(), action)

    def _need_seat(self) -> int:
        seat = self.to_act
        if seat is None:
            raise IllegalActionError("All games are over." if self.done else "The hand is over: call next_hand().")
        return seat
