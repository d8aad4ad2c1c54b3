"""Gin rummy in 329 numbers, for learners: hand, melds made and near, what the opponent holds and refused, discards."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from cardai.cards.codes import CARDS, listed, planes_of, slices
from cardai.core.agent import need_family
from cardai.core.arrays import Float32s, Int64s, Uint64s
from cardai.core.encoder import Encoder, Layout
from cardai.core.fields import Field
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.core.numbers import NumberLayout
from cardai.gin._melds_kernels import U0, best_melded, deadwood_of, from_gin, index_of, lowest, to_gin
from cardai.gin.actions import PHASES
from cardai.gin.fields import GIN, PILE

_SUIT = np.uint64(0x1FFF)
_ACES = np.uint64(sum(1 << 13 * suit + 12 for suit in range(4)))
_SPREAD = np.uint64(sum(1 << 13 * suit for suit in range(4)))  # a rank times this is the rank in all suits
_BELOW_LAST, _BELOW_TWO = (np.uint64(sum(((1 << 13 - n) - 1) << 13 * suit for suit in range(4))) for n in (1, 2))
_U1, _U2, _U12 = np.uint64(1), np.uint64(2), np.uint64(12)
_PHASES = len(PHASES)
_READ = (
    "hand",
    "opponent_known",
    "revealed",
    "opponent_discards",
    "opponent_declined",
    "discards",
    "phase",
    "player",
    "knocker",
    "starter",
    "taken_card",
    "stock",
    "turns",
    "score",
)

_PLANES = {
    "hand": (CARDS, "own cards, 13 * suit + rank", "0 or 1"),
    "melded": (CARDS, "own cards in melds, in an arrangement with the least deadwood", "0 or 1"),
    "near": (CARDS, "cards not held that make a set or a run with two that are", "0 or 1"),
    "opponent": (CARDS, "cards that the opponent is known to hold", "0 or 1"),
    "refused": (CARDS, "cards that the opponent discarded (1) or left lying (2) or both (3)", "value / 3"),
    "discards": (CARDS, "place in the discard pile, 1 at the bottom; its top is the up-card", f"value / {PILE}"),
    "phase": (len(PHASES), "what is asked: " + ", ".join(PHASES), "0 or 1"),
    "knocker": (3, "who knocked: nobody, this player, the opponent", "0 or 1"),
    "starter": (1, "whether this player was offered the first up-card first", "0 or 1"),
    "taken": (1, "whether the card drawn this turn was taken face up", "0 or 1"),
    "deadwood": (1, "points of the cards outside melds", "points / 100"),
    "stock": (1, "cards left in the stock", "value / 31"),
    "turns": (1, "finished turns of both", "value / 50"),
    "score": (2, "match score, own and the opponent's", "points / 100"),
}


@kernel
def _near(hand: Any) -> Any:
    """Return the cards not in the set ``hand`` that make a meld of three with two of its cards."""
    aces = hand & _ACES
    low = ((hand ^ aces) << _U1) | (aces >> _U12)  # the ace below the two, as runs have it
    seen, pairs = U0, U0
    for suit in range(4):
        ranks = (low >> np.uint64(13 * suit)) & _SUIT
        pairs |= seen & ranks
        seen |= ranks
    next_to = low & (low >> _U1) & _BELOW_LAST
    around = low & (low >> _U2) & _BELOW_TWO
    below = (next_to & ~_SPREAD) >> _U1
    above = (next_to & _BELOW_TWO) << _U2
    found = (pairs * _SPREAD | below | above | (around << _U1)) & ~low
    aces = found & _SPREAD
    return ((found ^ aces) >> _U1) | (aces << _U12)


@kernel
def _near_rows(hands: Any, out: Any) -> None:
    for i in range(len(hands)):
        out[i] = _near(hands[i])


def near_cards(hands: Uint64s) -> Uint64s:
    """Return the cards not in each hand (n,) that make a meld of three with two of its cards, as (n,) sets."""
    out = np.empty(len(hands), np.uint64)
    _near_rows(hands, out)
    return out


@kernel
def _mark(cards: Any, first: Any, value: Any, code: Any) -> None:
    """Add ``value`` at each card of a set to the part of ``code`` that begins at ``first``."""
    while cards != U0:
        card = lowest(cards)
        cards ^= card
        code[first + index_of(card)] += value


@kernel
def _show(numbers: Any, at: Any, out: Any) -> None:
    """Fill ``out`` (n, 329), which is zero before; ``at``: the columns of ``_READ``."""
    for i in range(len(numbers)):
        row, code = numbers[i], out[i]
        hand = np.uint64(row[at[0]])
        cards = to_gin(hand)
        _mark(hand, 0, 1, code)
        _mark(from_gin(best_melded(cards)), CARDS, 1, code)
        _mark(_near(hand), 2 * CARDS, 1, code)
        _mark(np.uint64(row[at[1]] | row[at[2]]), 3 * CARDS, 1, code)
        _mark(np.uint64(row[at[3]]), 4 * CARDS, 1, code)
        _mark(np.uint64(row[at[4]]), 4 * CARDS, 2, code)
        for card in range(4 * CARDS, 5 * CARDS):
            code[card] = code[card] / 3
        for place in range(PILE):
            card = row[at[5] + place]
            if card >= 0:
                code[5 * CARDS + card] = (place + 1) / PILE
        first = 6 * CARDS
        if row[at[6]] >= 0 and row[at[6]] < _PHASES:
            code[first + row[at[6]]] = 1
        first += _PHASES
        player, knocker = row[at[7]], row[at[8]]
        code[first + (0 if knocker < 0 else 1 if knocker == player else 2)] = 1
        code[first + 3] = row[at[9]] == player
        code[first + 4] = row[at[10]] >= 0
        code[first + 5] = deadwood_of(cards) / 100
        code[first + 6] = row[at[11]] / 31
        code[first + 7] = row[at[12]] / 50
        own = max(player, 0)
        code[first + 8] = row[at[13] + own] / 100
        code[first + 9] = row[at[13] + 1 - own] / 100


class GinLayout(NumberLayout):
    """One vector of parts. Never lossless: the order of one's draws and of the turns is not in it."""

    lossless = False
    planes = planes_of(_PLANES)
    where = slices(planes)
    shape = (sum(width for width, _, _ in _PLANES.values()),)

    def __init__(self, fields: tuple[Field, ...]) -> None:
        super().__init__(tuple(f for f in fields if f.name in _READ))
        self._at = self.numbers.at(*_READ)
        most = {f.name: f.maximum for f in fields}
        low, high = np.zeros(self.shape, np.float32), np.ones(self.shape, np.float32)
        high[self.where["deadwood"]] = 1.1  # eleven cards of at most ten points
        high[self.where["turns"]] = most["turns"] / 50
        high[self.where["score"]] = most["score"] / 100
        low[self.where["score"]] = -most["score"] / 100
        self.low, self.high = low, high

    def write(self, numbers: Int64s, out: Float32s) -> None:
        _show(numbers, self._at, out)

    def decode(self, code: Float32s) -> dict[str, Any]:
        """Return cards as lists of numbers, the discard pile from the bottom, and what else is in words or figures."""
        part = {name: code[at] for name, at in self.where.items()}
        out: dict[str, Any] = {name: listed(part[name]) for name in ("hand", "melded", "near", "opponent")}
        refused = np.rint(part["refused"] * 3).astype(int)
        out["opponent_discards"], out["opponent_declined"] = listed(refused & 1), listed(refused & 2)
        pile = listed(part["discards"])
        out["discards"] = sorted(pile, key=lambda card: float(part["discards"][card]))
        out["phase"] = PHASES[int(part["phase"].argmax())]
        out["knocker"] = ("nobody", "this player", "the opponent")[int(part["knocker"].argmax())]
        out |= {name: bool(part[name][0]) for name in ("starter", "taken")}
        out |= {
            name: round(float(part[name][0]) * by) for name, by in (("deadwood", 100), ("stock", 31), ("turns", 50))
        }
        out["score"] = [round(float(points) * 100) for points in part["score"]]
        return out


@frozen
class GinCompact(Encoder):
    """Gin rummy's views in 329 numbers, small enough to train on (``flat`` needs 28,883). Lossy."""

    def for_game(self, game: Game) -> Layout:
        need_family(game, GIN, "The encoder gin_compact shows")
        return GinLayout(game.view_fields)


@hookimpl
def cardai_encoder() -> type[Encoder]:
    """Offer the encoder."""
    return GinCompact
