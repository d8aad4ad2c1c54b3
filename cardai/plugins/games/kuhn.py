"""Kuhn poker: one card from three and a single bet; the smallest game with bluffing, in plain Python.

H. W. Kuhn, "Simplified two-person poker", 1950; action and card numbers are OpenSpiel's. The value is -1/18.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from cardai.core.fields import Field
from cardai.core.hookspecs import hookimpl
from cardai.core.states import CHANCE, TERMINAL, Setup, State, StateGame


class KuhnState(State):
    """One hand: chance deals seat 0, then seat 1; then seat 0 passes or bets."""

    def __init__(self) -> None:
        self.cards: list[int] = []
        self.bets: list[int] = []

    @property
    def history(self) -> list[int]:
        return self.cards + self.bets

    def current_player(self) -> int:
        if len(self.cards) < 2:
            return CHANCE
        return TERMINAL if self.bets in ([0, 0], [1, 0], [1, 1], [0, 1, 0], [0, 1, 1]) else len(self.bets) % 2

    def legal_actions(self) -> list[int]:
        if self.is_chance_node():
            return sorted({0, 1, 2} - set(self.cards))
        return [] if self.is_terminal() else [0, 1]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(card, 1 / len(self.legal_actions())) for card in self.legal_actions()]

    def chance_seen_by(self) -> tuple[int, ...]:
        return (len(self.cards),)

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        (self.cards if self.is_chance_node() else self.bets).append(action)

    def view(self, player: int) -> dict[str, Any]:
        card = self.cards[player] if player < len(self.cards) else -1
        return {"player": player, "card": card, "history": list(self.bets)}

    def key(self, player: int) -> bytes:
        return repr(self.view(player)).encode()

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        won = 2.0 if self.bets[-2:] == [1, 1] else 1.0
        first = self.cards[0] > self.cards[1] if self.bets[-1] == self.bets[-2] else self.bets[0] == 1
        return [won, -won] if first else [-won, won]

    def clone(self) -> KuhnState:
        other = KuhnState()
        other.cards, other.bets = self.cards[:], self.bets[:]
        return other


@frozen
class Kuhn(StateGame):
    num_players, num_distinct_actions, num_chance_outcomes, zero_sum = 2, 2, 3, True
    rules = "Ante one, get one of three cards, then pass or bet one. A passed bet wins; else the higher card does."
    view_fields = (
        Field("player", "seat", "whose view it is", maximum=1, role="player"),
        Field("card", "card", "the own card: 0 jack, 1 queen, 2 king", maximum=2, role="own"),
        Field("history", "public_history", "actions so far: 0 pass, 1 bet", maximum=1, size=3, role="actions"),
    )

    def new_initial_state(self, setup: Setup | None = None) -> KuhnState:
        return KuhnState()

    def action_to_string(self, action: int) -> str:
        return ("pass", "bet")[action]

    def chance_to_string(self, outcome: int) -> str:
        return ("jack", "queen", "king")[outcome]


@hookimpl
def cardai_game() -> type[Kuhn]:
    return Kuhn
