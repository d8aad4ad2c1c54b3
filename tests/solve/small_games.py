"""Tiny games in plain Python, as a third party would write them, for tests of trees and solvers."""

from __future__ import annotations

from typing import Any, Self

from attrs import frozen

from cardai.core.fields import Field
from cardai.core.game import CHANCE, TERMINAL, Setup, State
from cardai.core.states import StateGame


class ListState(State):
    """A state that is its own history."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.played: list[int] = []

    @property
    def history(self) -> list[int]:
        return list(self.played)

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        self.played.append(action)

    def clone(self) -> Self:
        other = type(self)(self.game)
        other.played = list(self.played)
        return other

    def key(self, player: int) -> bytes:
        return repr(self.view(player)).encode()


class HideState(ListState):
    """Seat 0 hides in one of three places, seat 1 guesses without having seen it; place k costs k + 1."""

    def current_player(self) -> int:
        return TERMINAL if len(self.played) == 2 else len(self.played)

    def legal_actions(self) -> list[int]:
        if self.is_terminal():
            return []
        return [0, 1] if self.game.unequal and self.played == [1] else [0, 1, 2]

    def view(self, player: int) -> dict[str, Any]:
        return {"player": player, "own": self.played[:1] if player == 0 else [], "turn": len(self.played)}

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        found = self.played[0] + 1.0 if self.played[0] == self.played[1] else 0.0
        return [-found, found]


@frozen
class Hide(StateGame):
    """Its equilibrium hides in place k in proportion to 1 / (k + 1); the value is -6 / 11 for seat 0."""

    unequal: bool = False
    num_players, num_distinct_actions, num_chance_outcomes = 2, 3, 0
    view_fields = (
        Field("player", "seat", "who looks", maximum=1),
        Field("own", "private_history", "own places", maximum=2, size=2),
        Field("turn", "count", "moves so far", maximum=2),
    )

    def new_initial_state(self, setup: Setup | None = None) -> State:
        return HideState(self)

    def action_to_string(self, action: int) -> str:
        return str(action)


class ForgetfulState(ListState):
    """One player moves twice and forgets the first move."""

    def current_player(self) -> int:
        return TERMINAL if len(self.played) == 2 else 0

    def legal_actions(self) -> list[int]:
        return [] if self.is_terminal() else [0, 1]

    def view(self, player: int) -> dict[str, Any]:
        return {"player": player, "own": [], "turn": len(self.played)}

    def returns(self) -> list[float]:
        return [float(sum(self.played)), 0.0]


@frozen
class Forgetful(Hide):
    def new_initial_state(self, setup: Setup | None = None) -> State:
        return ForgetfulState(self)


class CoinState(ListState):
    """A coin falls unseen, seat 0 may double, seat 1 may call; heads wins for seat 0."""

    def current_player(self) -> int:
        if not self.played:
            return CHANCE
        over = self.played[1:] in ([0], [1, 0], [1, 1])
        return TERMINAL if over else len(self.played) - 1

    def legal_actions(self) -> list[int]:
        return [] if self.is_terminal() else [0, 1]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.game.heads < 0:
            raise NotImplementedError
        return [(0, abs(1 - self.game.heads)), (1, self.game.heads)]

    def chance_seen_by(self) -> tuple[int, ...]:
        return (0,)

    def view(self, player: int) -> dict[str, Any]:
        own = self.played[:1] if player == 0 and not self.game.blind else []
        return {"player": player, "own": own, "turn": len(self.played)}

    def key(self, player: int) -> bytes:
        return repr((player, self.played[0:1] if player == 0 else [], self.played[1:])).encode()

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        sign = 1.0 if self.played[0] == 1 else -1.0
        stake = {(0,): sign, (1, 0): 1.0, (1, 1): 2 * sign}[tuple(self.played[1:])]
        return [stake, -stake]


@frozen
class Coin(Hide):
    """With ``blind`` the views leave out the coin, which keys remember."""

    heads: float = 0.5
    blind: bool = False
    num_chance_outcomes = 2

    def new_initial_state(self, setup: Setup | None = None) -> State:
        return CoinState(self)
