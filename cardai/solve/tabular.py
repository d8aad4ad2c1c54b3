"""A player that looks its probabilities up: the policy of a solved game, found by what the player sees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views, unpack_view, view_dtype
from cardai.core.game import Game, Legal
from cardai.core.spec import brief
from cardai.solve.sequence_form import policy_table
from cardai.solve.tree import GameTree


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
        seen = self._seen(views)
        order = np.argsort(seen, kind="stable")
        self._order, self._known, self._table = order, seen[order], table[order]
        same = np.flatnonzero(self._known[1:] == self._known[:-1])
        if len(same):
            view = unpack_view(game.view_fields, views[order[same[0]]])
            raise UsageError(
                f"{type(game).__name__}'s views forget: two information sets with different keys look alike to "
                f"the player, as {view}. A solved policy is played by views, so each information set needs its own: "
                "give the view a field for what the key remembers."
            )

    def _seen(self, views: Views) -> npt.NDArray[np.bytes_]:
        """Return (n,) the bytes by which views are told apart, all of one length."""
        rows = np.ascontiguousarray(raw(views)[:, self._columns])
        return rows.view(f"S{rows.shape[1]}")[:, 0]

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, f"{self.name} was solved for")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return np.asarray(self._table[self._rows(views)])

    def _in_order(self, table: Float64s) -> Float64s:
        """Return a table (I, ...) over information sets in the order of :meth:`_rows`."""
        return np.asarray(table[self._order])

    def _rows(self, views: Views) -> npt.NDArray[np.integer]:
        """Return (n,) where views stand in the table. Raises UsageError for one that it does not have."""
        seen = self._seen(views)
        found = np.minimum(np.searchsorted(self._known, seen), len(self._known) - 1)
        unknown = np.flatnonzero(self._known[found] != seen)
        if len(unknown):
            view = unpack_view(self.game.view_fields, views[unknown[0]])
            raise UsageError(f"{self.name} does not know this view: {view}. It was solved for {brief(self.game)}.")
        return np.asarray(found)


def raw(views: Views) -> npt.NDArray[np.uint8]:
    """Return views (n,) as their bytes (n, itemsize)."""
    flat = np.ascontiguousarray(views)
    return flat.view(np.uint8).reshape(len(flat), flat.dtype.itemsize)


def tabular_agent(tree: GameTree, behaviour: Float64s, name: str = "The solved policy") -> TabularAgent:
    """Return the player of a behaviour (S,) in the game of ``tree``."""
    return TabularAgent(tree.game, tree.infosets.views, policy_table(tree, behaviour), name)
