"""A game that no plugin was written for: three seats, no cards, no family."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from cardai.core.fields import Field
from cardai.core.states import TERMINAL, Setup, State, StateGame

_SEATS = 3


class ForeignState(State):
    """One hand: each seat names 0, 1 or 2 in turn, seen by all; who names the largest first takes one from each other."""

    def __init__(self, game: Foreign, named: tuple[int, ...] = ()) -> None:
        self.game, self.named = game, named

    @property
    def history(self) -> list[int]:
        return list(self.named)

    def current_player(self) -> int:
        return len(self.named) if len(self.named) < _SEATS else TERMINAL

    def legal_actions(self) -> list[int]:
        return [] if self.is_terminal() else [0, 1, 2]

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        self.named = (*self.named, action)

    def view(self, player: int) -> dict[str, Any]:
        return {"who": player, "named": list(self.named)}

    def key(self, player: int) -> bytes:
        return repr(self.view(player)).encode()

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * _SEATS
        winner = self.named.index(max(self.named))
        return [_SEATS - 1.0 if seat == winner else -1.0 for seat in range(_SEATS)]

    def clone(self) -> State:
        return ForeignState(self.game, self.named)


@frozen
class Foreign(StateGame):
    """The game: what it declares is all that a plugin can go by."""

    num_players, num_distinct_actions, num_chance_outcomes = _SEATS, 3, 0
    zero_sum = True
    view_fields = (
        Field("who", "seat", "whose view it is", _SEATS - 1, role="player"),
        Field("named", "public_history", "what was named", 2, _SEATS, role="actions"),
    )

    def new_initial_state(self, setup: Setup | None = None) -> ForeignState:
        return ForeignState(self)

    def action_to_string(self, action: int) -> str:
        return f"name {action}"
