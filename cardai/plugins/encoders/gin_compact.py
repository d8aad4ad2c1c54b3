"""Gin rummy in 329 numbers, for learners: hand, melds made and near, what the opponent holds and refused, discards."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from cardai.cards.codes import CARDS, bits, listed, planes_of, slices
from cardai.core.agent import need_family
from cardai.core.arrays import Float32s, Uint64s
from cardai.core.encoder import Encoder, Layout
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.gin.actions import PHASES
from cardai.gin.fields import GIN, PILE
from cardai.gin.melds import deadwoods, melded

_SUIT = np.uint64(0x1FFF)
_ACES = np.uint64(sum(1 << 13 * suit + 12 for suit in range(4)))
_SPREAD = np.uint64(sum(1 << 13 * suit for suit in range(4)))  # a rank times this is the rank in all suits
_BELOW = [np.uint64(sum(((1 << 13 - n) - 1) << 13 * suit for suit in range(4))) for n in range(3)]
_U1, _U2 = np.uint64(1), np.uint64(2)

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


def near_cards(hands: Uint64s) -> Uint64s:
    """Return the cards not in each hand (n,) that make a meld of three with two of its cards, as (n,) sets."""
    aces = hands & _ACES
    low = ((hands ^ aces) << _U1) | (aces >> np.uint64(12))  # the ace below the two, as runs have it
    suits = [(low >> np.uint64(13 * suit)) & _SUIT for suit in range(4)]
    seen = pairs = np.zeros_like(low)
    for suit in suits:
        pairs, seen = pairs | (seen & suit), seen | suit
    next_to = low & (low >> _U1) & _BELOW[1]
    around = low & (low >> _U2) & _BELOW[2]
    below = (next_to & ~_SPREAD) >> _U1
    above = (next_to & _BELOW[2]) << _U2
    found = (pairs * _SPREAD | below | above | (around << _U1)) & ~low
    aces = found & _SPREAD
    return np.asarray(((found ^ aces) >> _U1) | (aces << np.uint64(12)), np.uint64)


class GinLayout(Layout):
    """One vector of parts. Never lossless: the order of one's draws and of the turns is not in it."""

    lossless = False
    planes = planes_of(_PLANES)
    where = slices(planes)
    shape = (sum(width for width, _, _ in _PLANES.values()),)

    def encode(self, views: Views) -> Float32s:
        out = np.zeros((len(views), *self.shape), np.float32)
        part = {name: out[:, at] for name, at in self.where.items()}
        hand = np.ascontiguousarray(views["hand"])
        part["hand"][:] = bits(hand)
        part["melded"][:] = bits(melded(hand))
        part["near"][:] = bits(near_cards(hand))
        part["opponent"][:] = bits(views["opponent_known"] | views["revealed"])
        part["refused"][:] = (bits(views["opponent_discards"]) + 2 * bits(views["opponent_declined"])) / 3
        rows, places = np.nonzero(views["discards"] >= 0)
        part["discards"][rows, views["discards"][rows, places]] = (places + 1) / PILE
        part["phase"][:] = views["phase"][:, None] == np.arange(len(PHASES))
        player = views["player"]
        who = np.where(views["knocker"] < 0, 0, np.where(views["knocker"] == player, 1, 2))
        part["knocker"][:] = who[:, None] == np.arange(3)
        part["starter"][:, 0] = views["starter"] == player
        part["taken"][:, 0] = views["taken_card"] >= 0
        part["deadwood"][:, 0] = deadwoods(hand) / 100
        part["stock"][:, 0] = views["stock"] / 31
        part["turns"][:, 0] = views["turns"] / 50
        own = np.maximum(player, 0).astype(np.int64)
        part["score"][:] = np.take_along_axis(views["score"], np.stack([own, 1 - own], axis=1), axis=1) / 100
        return out

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
        return GinLayout()


@hookimpl
def cardai_encoder() -> type[Encoder]:
    """Offer the encoder."""
    return GinCompact
