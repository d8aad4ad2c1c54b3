"""OpenSpiel games as cardai games, for tests: the same tree seen through both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from attrs import frozen

from cardai.core.fields import Field
from cardai.core.game import Setup, State
from cardai.core.states import StateGame


@frozen
class SpielGame(StateGame):
    """An OpenSpiel game by its short name; its information state tensor is the view."""

    name: str = "kuhn_poker"

    @property
    def spiel(self) -> Any:
        return pyspiel.load_game(self.name)

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return int(self.spiel.num_players())

    @property
    def num_distinct_actions(self) -> int:  # type: ignore[override]
        return int(self.spiel.num_distinct_actions())

    @property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        size = self.spiel.information_state_tensor_size()
        return (
            Field("player", "seat", "who looks", maximum=self.num_players - 1),
            Field("tensor", "private_history", "OpenSpiel's information state tensor", maximum=99, size=size),
        )

    def new_initial_state(self, setup: Setup | None = None) -> State:
        return SpielState(self.spiel.new_initial_state())

    def action_to_string(self, action: int) -> str:
        return str(action)


class SpielState(State):
    """An OpenSpiel state."""

    def __init__(self, state: Any) -> None:
        self.spiel = state

    def current_player(self) -> int:
        return int(self.spiel.current_player())

    def legal_actions(self) -> list[int]:
        return list(self.spiel.legal_actions())

    def apply_action(self, action: int) -> None:
        self.spiel.apply_action(action)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(self.spiel.chance_outcomes())

    def view(self, player: int) -> dict[str, Any]:
        return {"player": player, "tensor": np.array(self.spiel.information_state_tensor(player), int)}

    def key(self, player: int) -> bytes:
        return self.spiel.information_state_string(player).encode()

    def returns(self) -> list[float]:
        return list(self.spiel.returns())

    def clone(self) -> State:
        return SpielState(self.spiel.clone())

    @property
    def history(self) -> list[int]:
        return list(self.spiel.history())


def information_states(tree: Any, spiel: Any) -> list[str]:
    """Return OpenSpiel's string for each information set of ``tree``, by replaying the way to one of its nodes.

    Needs a game whose actions and chance outcomes are OpenSpiel's; legal actions are compared on the way.
    """
    found: list[str] = [""] * len(tree.infosets)
    states = {0: spiel.new_initial_state()}
    for node in range(len(tree.player)):
        state = states.pop(node)
        if tree.infoset[node] >= 0:
            assert state.legal_actions() == np.flatnonzero(tree.infosets.legal[tree.infoset[node]]).tolist()
            found[tree.infoset[node]] = state.information_state_string()
        for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
            states[child] = state.child(int(tree.action[child]))
    assert all(found)
    return found


def spiel_policy(tree: Any, spiel: Any, table: Any) -> Any:
    """Return a policy table (I, A) of ``tree`` as an OpenSpiel policy."""
    rows = zip(information_states(tree, spiel), table, tree.infosets.legal, strict=True)
    return pyspiel.TabularPolicy({s: [(int(a), p[a]) for a in np.flatnonzero(ok)] for s, p, ok in rows})
