"""What a board game answers when a room that knows no family asks: its encoder, its views' canonical form, its AIVAT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardai.cards.canonical import canonical_groups
from cardai.core.agent import Agent
from cardai.core.fields import CanonicalForm, Views
from cardai.poker.contract import BoardCards, BoardGame, deals_holdem

_HOLDEM = (0, 0, 1, 1, 1, 2, 3)  # own cards, flop, turn, river


class CardAnswers(BoardCards):
    """What follows from the cards alone. What is made for hold'em alone is offered by hold'em alone."""

    @property
    def default_encoder(self) -> str:  # type: ignore[override]
        """holdem_compact where hold'em's cards are dealt, else flat."""
        return "holdem_compact" if deals_holdem(self) else "flat"

    def canonical_form(self) -> CanonicalForm:
        """Return hold'em's, where views show no cards but ``hole`` and ``board``; other games' stay as dealt."""
        cards = {f.name for f in self.view_fields if f.kind in ("card", "cards", "card_set")}
        return hole_and_board_form if deals_holdem(self) and cards == {"hole", "board"} else super().canonical_form()


class BoardAnswers(CardAnswers, BoardGame):
    """What a board game with declared betting answers besides."""

    def aivat_estimator(self, agent: Agent, values: Any, called: str, seed: int) -> Callable[[Any, int], float] | None:
        """Return how games of two hole cards (hold'em, short deck) are worked out for two players, over all hands that the
        player could hold; None for others."""
        from cardai.poker.aivat.holdem import holdem_estimator

        return holdem_estimator(self, agent, values, called, seed)


def hole_and_board_form(views: Views) -> tuple[Views, None]:
    """Return hold'em's views with ``hole`` and ``board`` in canonical form (no places of cards)."""
    out = views.copy()
    cards = canonical_groups(np.concatenate([views["hole"], views["board"]], axis=1), _HOLDEM)[0]
    out["hole"], out["board"] = cards[:, :2], cards[:, 2:]
    return out, None
