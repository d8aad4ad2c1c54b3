"""What tools ask a game: the defaults ask the families that it speaks, which know what their fields mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.fields import CanonicalForm, Family, Field, Views, as_dealt, with_role
from cardai.core.legal import Legal
from cardai.core.reasons import Reason


class Answers:
    """The questions that any room may put to a game (a base class of :class:`~cardai.core.game.Game`)."""

    view_fields: tuple[Field, ...]
    families: tuple[Family, ...]

    def for_people(self) -> Any:
        """Return the game as a person plays it (default: itself): views may hold more that only people read."""
        return self

    @property
    def max_utility(self) -> float:
        """The most that a hand can bring a seat, or cost it, in :attr:`unit` (default: its families'; 0: unknown)."""
        return max((family.max_utility(self.view_fields) for family in self.families), default=0.0)

    def named_raises(self, view: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
        """Return raises that have a name to the player who looks, as (name, chips raised to); default: its families'."""
        return tuple(size for family in self.families for size in family.named_raises(view))

    def put_in(self, views: Views, seat: int) -> Float64s:
        """Return (n,) what ``seat`` has put into the hand so far, in :attr:`unit`: it is gone whatever comes."""
        return sum((family.put_in(views, seat) for family in self.families), np.zeros(len(views)))

    def canonical_form(self) -> CanonicalForm:
        """Return how views look up to suits' names and the order of cards (default: its families'; none: as dealt)."""
        offered = (family.canonical_form(self.view_fields) for family in self.families)
        return next((form for form in offered if form is not None), as_dealt)

    def aivat_estimator(self, agent: Any, values: Any, called: str, seed: int) -> Callable[[Any, int], float] | None:
        """Return an :class:`~cardai.solve.aivat.Estimator` for ``agent``, whom messages name ``called``; None: the game is
        enumerated (the default). ``values`` is a value function (None: the game's own), ``seed`` draws what is sampled.

        Raises:
            UsageError: ``values`` are none for the game, or the player cannot be measured; before any work.
        """
        return None

    def best_response(self, policy: Callable[[int, Views, Legal], Float64s]) -> tuple[Float64s, Float64s] | None:
        """Return (P,) what each seat earns where all play ``policy``, and (P,) what a best response to it earns there alone.

        For games that know a quicker way than walking their tree. ``policy(seat, views, legal)`` returns sound probabilities
        (n, num_distinct_actions) at the views (n,) of a seat. None: the tree is walked (the default).
        """
        return None

    # -- the study -------------------------------------------------------------------------------------------------

    def situation(self, view: Mapping[str, Any]) -> Mapping[str, str]:
        """Return what kind of decision is taken at the view of the player to act, in words by what it is told apart by.

        The keys, where a game knows them: ``phase`` (the street, the stage), ``position``, ``kind`` (what is asked), ``line``
        (what was done before). The default asks its families, else the fields with the roles round and starter.
        """
        told = {key: words for family in self.families for key, words in family.situation(view).items()}
        return told or _plain_situation(self.view_fields, view)

    def reasons(self, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
        """Return what the numbers at a view say for the action ``best`` against ``taken``, in words of players.

        Each is a number that can be computed there, never a guess (default: its families'; others have nothing to say).
        """
        return tuple(reason for family in self.families for reason in family.reasons(self, view, taken, best))


def _plain_situation(fields: tuple[Field, ...], view: Mapping[str, Any]) -> dict[str, str]:
    """Return the round and the position that fields say by their roles."""
    told = {}
    held = with_role(fields, "round")
    if held is not None:
        number = int(view[held.name])
        told["phase"] = held.labels[number] if 0 <= number < len(held.labels) else f"round {number + 1}"
    starter, player = with_role(fields, "starter"), with_role(fields, "player")
    if player is not None:
        own = int(view[player.name])
        began = -1 if starter is None else int(view[starter.name])
        told["position"] = f"seat {own}" if began < 0 else "first" if began == own else "later"
    return told
