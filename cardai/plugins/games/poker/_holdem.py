"""What limit and no-limit hold'em share: blinds by seat, 52 cards, a flop, a turn and a river."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import frozen, validators

from cardai.cards.poker.betting import MAX_HANDS, MAX_PLAYERS, UNLIMITED, Betting, check_pot, chips
from cardai.cards.text import card_text
from cardai.core.spec import option
from cardai.plugins.games.poker._draw import draw_view
from cardai.plugins.games.poker._game import BoardPoker


def four_rounds(instance: Any, attribute: Any, value: tuple[int, ...]) -> None:
    """Refuse anything but four numbers, none negative."""
    if len(value) != 4 or min(value) < 0:
        raise ValueError(f"{attribute.name} needs four numbers, one a round (for example 3+4+4+4). Got {value}.")


@frozen
class Holdem(BoardPoker):
    """Options and rules that limit and no-limit hold'em share."""

    players: int = option(2, help="Seats, 2 to 10.", validator=[validators.ge(2), validators.le(MAX_PLAYERS)])
    ante: int = option(0, help="Chips every seat puts in first.", validator=chips)
    reverse_blinds: bool = option(
        True,
        help="Heads-up the button posts the small blind and acts first before the flop (three or more: no effect).",
    )
    rotate: bool = option(True, help="Whether the button moves on from hand to hand of a match.")
    hands: int = option(1, help="Hands in a match.", validator=[validators.ge(1), validators.le(MAX_HANDS)])

    action_mapping: ClassVar[bool] = False
    blinds: ClassVar[tuple[int, ...]]
    num_chance_outcomes: ClassVar[int] = 52

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return self.players

    def holdem_betting(self, **more: Any) -> Betting:
        """Return the betting rules with the blinds put in their positions; ``more`` is what limit or no-limit adds."""
        n, posted = self.players, len(self.blinds)
        if not 1 <= posted <= n or min(self.blinds) < 0 or max(self.blinds) == 0:
            raise ValueError(f"blinds must be one to {n} numbers, the small blind first (5+10). Got {self.blinds}.")
        blinds = self.blinds + (0,) * (n - posted)
        first = posted % n
        if n == 2 and self.reverse_blinds:
            blinds, first = blinds[::-1], 1
        return Betting(
            num_players=n,
            num_rounds=4,
            blinds=blinds,
            first=(first, 0, 0, 0),
            ante=self.ante,
            deepest=max(self.seat_stacks()),
            **more,
        )

    def check_stacks(self) -> None:
        """Refuse stacks that do not cover the blinds, naming them."""
        for stack in self.seat_stacks():
            if not self.ante + max(self.blinds) <= stack <= UNLIMITED:
                raise ValueError(f"A stack must cover the ante and the biggest blind. Got {stack}.")
        check_pot(self.players, self.most_chips())

    def chance_to_string(self, outcome: int) -> str:
        return card_text(outcome)

    def action_to_string(self, action: int) -> str:
        return self.betting_action(action)

    def draw(self, view: Mapping[str, Any]) -> str:
        return draw_view(view, card_text, self.betting.no_limit)
