"""A player that looks its probabilities up: the policy of a solved game, found by what the player sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views, unpack_view, view_dtype
from cardai.core.game import Game, Legal
from cardai.core.kernel import kernel
from cardai.core.rng import hash64
from cardai.core.spec import brief
from cardai.solve.sequence_form import policy_table
from cardai.solve.tree import GameTree


@kernel
def _hash_rows(rows: Any, columns: Any, out: Any) -> None:
    """Set ``out`` (n,) uint64 to a hash of the bytes of ``rows`` (n, b) uint8 at ``columns``."""
    for i in range(len(rows)):
        word = np.uint64(0)
        for k in range(len(columns)):
            word = hash64(word ^ np.uint64(rows[i, columns[k]]), k)
        out[i] = word


@kernel
def _locate(rows: Any, columns: Any, hashes: Any, known: Any, out: Any) -> None:
    """Set ``out`` (n,) to the row of ``known`` (m, b) that equals each of ``rows``, -1 where none does.

    ``hashes`` (m,) are the hashes of ``known``, ascending.
    """
    wanted = np.empty(len(rows), np.uint64)
    _hash_rows(rows, columns, wanted)
    for i in range(len(rows)):
        low, high = 0, len(hashes)
        while low < high:
            middle = (low + high) // 2
            if hashes[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        out[i] = -1
        while low < len(hashes) and hashes[low] == wanted[i] and out[i] < 0:
            out[i] = low
            for k in range(len(columns)):
                if rows[i, columns[k]] != known[low, columns[k]]:
                    out[i] = -1
                    break
            low += 1


class TabularAgent(Agent):
    """Plays a table of probabilities (I, num_distinct_actions) over the information sets of one game.

    Raises:
        UsageError: two information sets look alike to the player (its views forget what its keys remember).
    """

    def __init__(self, game: Game, views: Views, table: Float64s, name: str = "The solved policy") -> None:
        self.game = game
        self.name = name
        dtype = view_dtype(game.view_fields)
        assert dtype.fields is not None  # a structured dtype always has them
        of_the_hand = [f.name for f in game.view_fields if f.scope == "hand"]  # played the same at any score
        places = [dtype.fields[name] for name in of_the_hand]
        spans = [np.arange(place[1], place[1] + place[0].itemsize) for place in places]
        self._columns = np.concatenate(spans)
        rows = raw(views)
        hashes = np.empty(len(rows), np.uint64)
        _hash_rows(rows, self._columns, hashes)
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._known, self._table = hashes[order], rows[order], table[order]
        self._refuse_twins(views[order])

    def _refuse_twins(self, views: Views) -> None:
        same = (self._hashes[1:] == self._hashes[:-1]) & (
            self._known[1:, self._columns] == self._known[:-1, self._columns]
        ).all(axis=1)
        if same.any():
            view = unpack_view(self.game.view_fields, views[int(np.flatnonzero(same)[0])])
            raise UsageError(
                f"{type(self.game).__name__}'s views forget: two information sets with different keys look alike to "
                f"the player, as {view}. A solved policy is played by views, so each information set needs its own: "
                "give the view a field for what the key remembers."
            )

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, f"{self.name} was solved for")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        found = np.empty(len(views), np.int64)
        _locate(raw(views), self._columns, self._hashes, self._known, found)
        if (found < 0).any():
            view = unpack_view(self.game.view_fields, views[int(np.flatnonzero(found < 0)[0])])
            raise UsageError(f"{self.name} does not know this view: {view}. It was solved for {brief(self.game)}.")
        return np.asarray(self._table[found])


def raw(views: Views) -> npt.NDArray[np.uint8]:
    """Return views (n,) as their bytes (n, itemsize)."""
    flat = np.ascontiguousarray(views)
    return flat.view(np.uint8).reshape(len(flat), flat.dtype.itemsize)


def tabular_agent(tree: GameTree, behaviour: Float64s, name: str = "The solved policy") -> TabularAgent:
    """Return the player of a behaviour (S,) in the game of ``tree``."""
    return TabularAgent(tree.game, tree.infosets.views, policy_table(tree, behaviour), name)
