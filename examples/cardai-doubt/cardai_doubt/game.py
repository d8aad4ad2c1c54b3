"""Doubt: claim what the two cards are, higher each time, until somebody doubts."""

from __future__ import annotations

from typing import Any

from attrs import frozen, validators

from cardai import hookimpl
from cardai.core.fields import Family, Field
from cardai.core.spec import option
from cardai.core.states import CHANCE, TERMINAL, Setup, State, StateGame

DOUBT = Family(
    "doubt",
    "games of claims about hidden cards",
    (
        Field("player", "seat", "whose view it is", maximum=1, role="player"),
        Field("rank", "card", "the rank of the own card", role="own"),
        Field("history", "public_history", "what was said", role="actions"),
    ),
)
"""What views of doubt hold: its players ask for this, so that they play any game that shows the same."""


class DoubtState(State):
    """One hand. Claims are numbered count-major: "one" of each rank, then "two" of each; the last action doubts."""

    def __init__(self, game: Doubt) -> None:
        self.game = game
        self.cards: list[int] = []  # the rank of each seat's card
        self.said: list[int] = []

    @property
    def history(self) -> list[int]:
        return self.cards + self.said

    def current_player(self) -> int:
        if len(self.cards) < 2:
            return CHANCE
        return TERMINAL if self.game.doubt in self.said else len(self.said) % 2

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = [self.game.copies - self.cards.count(rank) for rank in range(self.game.ranks)]
        return [(rank, count / sum(left)) for rank, count in enumerate(left) if count]

    def chance_seen_by(self) -> tuple[int, ...]:
        return (len(self.cards),)

    def legal_actions(self) -> list[int]:
        if self.is_terminal():
            return []
        if self.is_chance_node():
            return [rank for rank, _ in self.chance_outcomes()]
        if not self.said:
            return list(range(self.game.doubt))
        return list(range(self.said[-1] + 1, self.game.doubt + 1))

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        (self.cards if self.is_chance_node() else self.said).append(action)

    def view(self, player: int) -> dict[str, Any]:
        rank = self.cards[player] if player < len(self.cards) else -1
        return {"player": player, "rank": rank, "history": self.said[:]}

    def key(self, player: int) -> bytes:
        return repr(self.view(player)).encode()

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        count, rank = divmod(self.said[-2], self.game.ranks)
        holds = self.cards.count(rank) > count
        claimer = len(self.said) % 2  # who doubted spoke last
        return [1.0, -1.0] if holds == (claimer == 0) else [-1.0, 1.0]

    def clone(self) -> DoubtState:
        other = DoubtState(self.game)
        other.cards, other.said = self.cards[:], self.said[:]
        return other


@frozen
class Doubt(StateGame):
    """Claims about two hidden cards."""

    num_players, zero_sum, unit = 2, True, "points"
    families = (DOUBT,)
    rules = (
        "Two players get a card each. In turn they claim that at least one or two of the cards are of a rank, each claim "
        "above the last (one of each rank, then two of each), or doubt. A doubted claim that holds wins a point; one that "
        "does not loses it."
    )
    ranks: int = option(3, help="how many ranks the deck has", validator=validators.in_(range(2, 7)))
    copies: int = option(2, help="how many cards there are of a rank", validator=validators.in_(range(1, 9)))

    @property
    def doubt(self) -> int:
        """The action that doubts."""
        return 2 * self.ranks

    @property
    def num_distinct_actions(self) -> int:  # type: ignore[override]
        return self.doubt + 1

    @property
    def num_chance_outcomes(self) -> int:  # type: ignore[override]
        return self.ranks

    @property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        return (
            DOUBT.field("player"),
            DOUBT.field("rank", maximum=self.ranks - 1),
            DOUBT.field("history", maximum=self.doubt, size=self.doubt + 1),
        )

    def new_initial_state(self, setup: Setup | None = None) -> DoubtState:
        return DoubtState(self)

    def action_to_string(self, action: int) -> str:
        if action == self.doubt:
            return "doubt"
        count, rank = divmod(action, self.ranks)
        return f"{('one', 'two')[count]} of rank {rank}"


@hookimpl
def cardai_game() -> type[Doubt]:
    return Doubt
