"""Kuhn poker: one card each and a single bet; the smallest game with bluffing, in plain Python.

H. W. Kuhn, "Simplified two-person poker", 1950 (the value is -1/18); numbers and further players as in OpenSpiel."""

from functools import cached_property
from typing import Any

from attrs import frozen, validators

from cardai.core.fields import Field
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.core.states import CHANCE, TERMINAL, Setup, State, StateGame


class KuhnState(State):
    """One hand: chance deals seat by seat; seats pass or bet in turn; after a bet every other seat answers once."""

    def __init__(self, players: int = 2, cards: Any = (), bets: Any = (), game: Any = None) -> None:
        self.players, self.cards, self.bets, self.game = players, list(cards), list(bets), game

    @property
    def history(self) -> list[int]:
        return self.cards + self.bets

    def current_player(self) -> int:
        if len(self.cards) < self.players:
            return CHANCE
        turns = self.players + (self.bets.index(1) if 1 in self.bets else 0)
        return TERMINAL if len(self.bets) == turns else len(self.bets) % self.players

    def legal_actions(self) -> list[int]:
        moves = [] if self.is_terminal() else [0, 1]
        return sorted({*range(self.players + 1)} - {*self.cards}) if self.is_chance_node() else moves

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(card, 1 / len(self.legal_actions())) for card in self.legal_actions()]

    def chance_seen_by(self) -> tuple[int, ...]:
        return (len(self.cards),)

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        (self.cards if self.is_chance_node() else self.bets).append(action)

    def view(self, player: int) -> dict[str, Any]:
        return {"player": player, "card": (*self.cards, -1, -1, -1)[player], "history": list(self.bets)}

    def key(self, player: int) -> bytes:
        return repr(self.view(player)).encode()

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.players
        paid = [1.0 + (1 in self.bets[seat :: self.players]) for seat in range(self.players)]
        winner = max(range(self.players), key=lambda seat: (paid[seat], self.cards[seat]))
        return [sum(paid) * (seat == winner) - paid[seat] for seat in range(self.players)]

    def clone(self) -> State:
        return KuhnState(self.players, self.cards, self.bets, self.game)


@frozen
class Kuhn(StateGame):
    players: int = option(2, help="Seats, 2 or 3; the deck has a card more.", validator=validators.in_((2, 3)))
    num_players = property(lambda self: self.players)  # type: ignore[assignment]
    num_chance_outcomes = property(lambda self: self.players + 1)  # type: ignore[assignment]
    num_distinct_actions, zero_sum = 2, True
    title, rules = (
        "Kuhn poker",
        "Ante one, get a card, then pass or bet one. Passing a bet folds; the highest card of those left wins.",
    )

    @property
    def max_utility(self) -> float:
        return 2.0 * (self.players - 1)

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        seat = Field("player", "seat", "whose view it is", self.players - 1, role="player")
        card = Field("card", "card", "the own card: 0 jack, 1 queen, 2 king, 3 ace", self.players, role="own")
        bets = Field("history", "public_history", "actions: 0 pass, 1 bet", 1, 2 * self.players - 1, role="actions")
        return seat, card, bets

    def new_initial_state(self, setup: Setup | None = None) -> KuhnState:
        return KuhnState(self.players, game=self)

    def action_to_string(self, action: int) -> str:
        return ("pass", "bet")[action]

    def chance_to_string(self, outcome: int) -> str:
        return ("jack", "queen", "king", "ace")[outcome]


@hookimpl
def cardai_game() -> type[Kuhn]:
    return Kuhn
