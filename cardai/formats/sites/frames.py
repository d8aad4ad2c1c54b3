"""What the two sites answer, for :mod:`cardai.core.schema`. Keys beside these are left alone.

Sources: public clients of slumbot.com's API, and readers of GTO Wizard's research API (arXiv 2603.23660 describes the
benchmark). Cards are texts ("Th"), chips whole numbers unless a site gives halves.
"""

from __future__ import annotations

from typing import Any

from attrs import Attribute, field, frozen

from cardai.core.schema import whole

_MOST = 1_000_000_000


def _chips(instance: Any, attribute: Attribute[Any], value: float | tuple[float, ...] | None) -> None:
    several = value if isinstance(value, tuple) else () if value is None else (value,)
    if not all(abs(one) <= _MOST for one in several):
        raise ValueError(f"must be chips, at most {_MOST:,}")


def _short(instance: Any, attribute: Attribute[Any], value: Any) -> None:
    texts = (value,) if isinstance(value, str) else value or ()
    if len(texts) > 200 or any(len(text) > 2000 for text in texts):
        raise ValueError("is longer than a hand's")


@frozen
class SlumbotFrame:
    """An answer of ``/api/new_hand`` and ``/api/act``. ``winnings`` and what follows come with the hand's end."""

    action: str = field(validator=_short)
    client_pos: int = field(validator=whole(0, 1))
    hole_cards: tuple[str, ...] = field(validator=_short)
    board: tuple[str, ...] = field(default=(), validator=_short)
    token: str | None = None
    winnings: float | None = field(default=None, validator=_chips)
    bot_hole_cards: tuple[str, ...] | None = field(default=None, validator=_short)
    baseline_winnings: float | None = field(default=None, validator=_chips)


@frozen
class SlumbotLogin:
    """The answer of ``/api/login``."""

    token: str = field(validator=_short)


@frozen
class WizardPlayer:
    """A seat: ``position`` is SB (who has the button) or BB."""

    name: str
    position: str
    hole_cards: str | None = None


@frozen
class WizardState:
    """Where a hand stands. ``action_history`` has f, k, c, b and the actor's chips of the street, and _ at a street's end."""

    board_cards: str | None
    is_hand_over: bool
    players: tuple[WizardPlayer, ...]
    action_history: tuple[str, ...] = field(validator=_short)
    winnings: float | None = field(default=None, validator=_chips)
    aivat_score: float | None = field(default=None, validator=_chips)


@frozen
class WizardGame:
    """What is played: chips are sent as 20000.0. Blinds come in either order."""

    starting_stack: float = field(validator=_chips)
    blinds: tuple[float, ...] = field(validator=_chips)
    stack_reset_per_hand: bool = True


@frozen
class WizardFrame:
    """An answer about one hand."""

    hand_id: Any = field()
    """A text or a whole number."""
    game: WizardGame
    game_state: WizardState

    @hand_id.validator
    def _names_one(self, attribute: Attribute[Any], value: Any) -> None:
        text = str(value) if type(value) in (int, str) else ""
        if not 0 < len(text) < 100 or not text.replace("-", "").replace("_", "").isalnum():
            raise ValueError(f"must name a hand, by letters and digits. Got {text[:60]!r}")


@frozen
class WizardHands:
    """The answer of ``GET /hands/in-progress``, which is a bare list."""

    hands: tuple[WizardFrame, ...] = ()
