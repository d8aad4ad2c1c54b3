"""Asking agents: they get copies, their answers are checked against ours, and the table is found at which one erred.

Everything that has agents play (the lock step, :mod:`~cardai.arena.table`, a replay's adviser, the poker competition's
wire) seats, asks and tells them through this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, frozen

from cardai import make
from cardai.core.agent import Agent, legal_list
from cardai.core.blame import raised
from cardai.core.errors import CardaiError
from cardai.core.fields import Field, Views, unpack_view
from cardai.core.game import Actions, Game, IntArray, Legal, Tables, allows
from cardai.core.legal import Amounts, all_allowed, copy_legal, take
from cardai.core.rng import Rows, Seeds


@frozen(eq=False)
class Fault:
    """What was wrong with the answer at one table: its place among those asked, in words, and the exception if one."""

    place: int
    complaint: str
    cause: BaseException | None = None


def bound(agent: Agent | Callable[..., int] | str, game: Game) -> Agent:
    """Return ``agent`` (or the one that a spec names, or a function's) ready to play ``game``: this one says whether it is stateful."""
    return make.as_agent(agent).for_game(game)


def own_copy(agent: Agent, seat: int) -> Agent:
    """Return what plays one match in one seat of one table: of a stateful agent a copy of its own."""
    return agent.new_match(seat) if agent.stateful else agent


def tell(agent: Agent, fields: tuple[Field, ...], view: Any, returns: Iterable[float]) -> None:
    """Tell a stateful agent of a finished hand: its last view (one row of views) and each seat's result."""
    if agent.stateful:
        agent.hand_finished(unpack_view(fields, view), [float(x) for x in returns])


def guarded(call: Callable[[], Any], fields: tuple[Field, ...]) -> tuple[Any, str, BaseException | None]:
    """Return what an agent answers, or a complaint in words with the exception that it raised.

    Ctrl-C and cardai's own errors, which name what is wrong, pass; all else is the agent's failure, ``sys.exit`` too.
    """
    try:
        return call(), "", None
    except (KeyboardInterrupt, CardaiError):
        raise
    except BaseException as error:
        return None, raised(error, [f.name for f in fields]), error


class LegalBuffer:
    """Keeps a copy of legal actions, in memory that the next copy takes again: fresh memory would cost more than copying."""

    def __init__(self) -> None:
        self._mask = np.empty((0, 0), np.bool_)

    def keep(self, legal: Legal) -> Legal:
        """Return a copy, good until the next call."""
        if isinstance(legal, Amounts):
            return copy_legal(legal)
        if len(self._mask) < len(legal) or self._mask.shape[1] != legal.shape[1]:
            self._mask = np.empty(legal.shape, np.bool_)
        ours = self._mask[: len(legal)]
        np.copyto(ours, legal)
        return ours


@define(eq=False)
class Request:
    """The decisions of one agent: its ``seats`` (m,) at the tables ``rows`` (m,), their legal actions, and a random stream each.

    ``legal`` is given away: the agent may write into it. ``ours`` is the copy that answers are checked against.
    ``private`` holds a stateful agent's own copies by (row, seat), ``views`` what the seats may know, if it is at hand; it is
    given away too.
    """

    agent: Agent
    tables: Tables
    seats: IntArray
    rows: IntArray
    legal: Legal
    ours: Legal
    seeds: Seeds
    private: dict[tuple[int, int], Agent]
    views: Views | None = None

    def ask(self) -> tuple[Actions, list[Fault]]:
        """Return an action a table, and what was wrong; at a table with a fault the lowest legal action stands."""
        if self.agent.stateful:
            together = self._together()
            return self._one_by_one() if together is None else (together, [])
        answer, wrong, cause = self._answer(self.agent, slice(None), self.legal)
        if cause is not None and len(self.rows) > 1:
            return self._one_by_one()
        if wrong:
            lowest = [self._lowest(i) for i in range(len(self.rows))]
            return np.array(lowest, np.int64), [Fault(i, wrong, cause) for i in range(len(self.rows))]
        if all_allowed(self.ours, answer):
            return answer, []
        refused = np.flatnonzero(~allows(self.ours, answer))
        faults = [Fault(int(i), self._illegal(int(i), int(answer[i]))) for i in refused]
        answer = answer.copy()
        for fault in faults:
            answer[fault.place] = self._lowest(fault.place)
        return answer, faults

    def _together(self) -> Actions | None:
        """Ask all copies of a stateful agent at once; None where that is not for it, or anything is wrong."""
        if len(self.rows) < 2 or type(self.agent).act_together is Agent.act_together:
            return None
        copies = [self._copy(i) for i in range(len(self.rows))]
        views = self.tables.views_of(self.seats, self.rows)
        answer, wrong, _ = guarded(
            lambda: self.agent.act_together(copies, views, self.legal, Rows(self.seeds)), self.tables.game.view_fields
        )
        if wrong or answer is None or _malformed(np.asarray(answer), len(self.rows)):
            return None
        return np.asarray(answer) if all_allowed(self.ours, np.asarray(answer)) else None

    def _one_by_one(self) -> tuple[Actions, list[Fault]]:
        """Ask a table at a time: for stateful agents, and to find out at which table an agent raises."""
        actions = np.zeros(len(self.rows), np.int64)
        faults: list[Fault] = []
        for i in range(len(self.rows)):
            one = take(self.ours, [i])
            answer, wrong, cause = self._answer(self._copy(i), slice(i, i + 1), copy_legal(one))
            if not wrong and not allows(one, answer)[0]:
                wrong = self._illegal(i, int(answer[0]))
            if wrong:
                faults.append(Fault(i, wrong, cause))
            actions[i] = self._lowest(i) if wrong else answer[0]
        return actions, faults

    def _answer(self, agent: Agent, asked: slice, legal: Legal) -> tuple[npt.NDArray[Any], str, BaseException | None]:
        """Return the agent's answer at those ``asked`` and what was wrong with it; views and ``legal`` are its own."""
        views, self.views = self.views, None
        if views is None:
            views = self.tables.views_of(self.seats[asked], self.rows[asked])
        seeds = self.seeds[asked]
        answer, wrong, cause = guarded(
            lambda: np.asarray(agent.act(views, legal, Rows(seeds))), self.tables.game.view_fields
        )
        return answer, wrong or _malformed(answer, len(views)), cause

    def _copy(self, place: int) -> Agent:
        """Return who decides at one of the tables: of a stateful agent its own copy."""
        return self.private.get((int(self.rows[place]), int(self.seats[place])), self.agent)

    def _lowest(self, place: int) -> int:
        return legal_list(self.ours, place)[0]

    def _illegal(self, place: int, action: int) -> str:
        return f"chose the illegal action {action}; legal are {legal_list(self.ours, place)}"


def _malformed(answer: npt.NDArray[Any], count: int) -> str:
    if answer.shape != (count,):
        return f"answered with shape {answer.shape} where one action a table was asked, shape ({count},)"
    if answer.dtype.kind not in "iu":
        return f"answered with {answer.dtype} where whole numbers were asked"
    return ""
