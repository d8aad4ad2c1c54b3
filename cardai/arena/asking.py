"""Asking agents: their answers checked, and the table found at which one erred."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.agent import Agent, legal_list
from cardai.core.errors import CardaiError
from cardai.core.game import Actions, IntArray, Legal, Tables, allows
from cardai.core.rng import Rows, Seeds


@frozen(eq=False)
class Fault:
    """What was wrong with the answer at one table: its place in the question, in words, and the exception if one."""

    place: int
    complaint: str
    cause: Exception | None = None


@frozen(eq=False)
class Question:
    """The decisions of one agent in one seat: the tables ``rows``, their legal actions, and a random stream each.

    ``private`` holds a stateful agent's own copies by (row, seat).
    """

    agent: Agent
    tables: Tables
    seat: int
    rows: IntArray
    legal: Legal
    seeds: Seeds
    private: dict[tuple[int, int], Agent]

    def ask(self) -> tuple[Actions, list[Fault]]:
        """Return an action a table, and what was wrong; at a table with a fault the lowest legal action stands."""
        if self.agent.stateful:
            return self._one_by_one()
        views = self.tables.views(self.seat, self.rows)
        try:
            answer = np.asarray(self.agent.act(views, self.legal, Rows(self.seeds)))
        except (KeyboardInterrupt, CardaiError):
            raise
        except Exception as error:
            if len(self.rows) > 1:
                return self._one_by_one()
            return self._lowest(0), [Fault(0, _raised(error), error)]
        if wrong := _malformed(answer, len(self.rows)):
            return np.concatenate([self._lowest(i) for i in range(len(self.rows))]), [
                Fault(i, wrong) for i in range(len(self.rows))
            ]
        refused = np.flatnonzero(~allows(self.legal, answer))
        faults = [Fault(int(i), self._illegal(int(i), int(answer[i]))) for i in refused]
        if faults:
            answer = answer.copy()
            for fault in faults:
                answer[fault.place] = self._lowest(fault.place)[0]
        return answer, faults

    def _one_by_one(self) -> tuple[Actions, list[Fault]]:
        """Ask a table at a time: for stateful agents, and to find out at which table an agent raises."""
        actions = np.zeros(len(self.rows), np.int64)
        faults: list[Fault] = []
        for i, row in enumerate(self.rows):
            agent = self.private.get((int(row), self.seat), self.agent)
            views = self.tables.views(self.seat, self.rows[i : i + 1])
            one = self.legal[i : i + 1] if isinstance(self.legal, np.ndarray) else self.legal.take([i])
            actions[i] = self._lowest(i)[0]
            try:
                answer = np.asarray(agent.act(views, one, Rows(self.seeds[i : i + 1])))
            except (KeyboardInterrupt, CardaiError):
                raise
            except Exception as error:
                faults.append(Fault(i, _raised(error), error))
                continue
            wrong = _malformed(answer, 1)
            if not wrong and not allows(one, answer)[0]:
                wrong = self._illegal(i, int(answer[0]))
            if wrong:
                faults.append(Fault(i, wrong))
            else:
                actions[i] = answer[0]
        return actions, faults

    def _lowest(self, place: int) -> Actions:
        return np.array(legal_list(self.legal, place)[:1], np.int64)

    def _illegal(self, place: int, action: int) -> str:
        return f"chose the illegal action {action}; legal are {legal_list(self.legal, place)}"


def _raised(error: Exception) -> str:
    return f"raised {type(error).__name__}: {error}"


def _malformed(answer: npt.NDArray[Any], count: int) -> str:
    if answer.shape != (count,):
        return f"answered with shape {answer.shape} where one action a table was asked, shape ({count},)"
    if answer.dtype.kind not in "iu":
        return f"answered with {answer.dtype} where whole numbers were asked"
    return ""
