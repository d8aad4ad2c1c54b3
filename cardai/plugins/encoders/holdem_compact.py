"""Hold'em in some 200 numbers, for learners: own cards, board by street, made hand, betting by round, chips by seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.cards.codes import CARDS, listed, planes_of, slices
from cardai.core.agent import need_family
from cardai.core.arrays import Float32s
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, option
from cardai.poker.contract import deals_holdem
from cardai.poker.fields import POKER
from cardai.poker.hands.ranking import CATEGORIES, rank_high

ROUNDS = 4
STREETS = ((0, 3), (3, 4), (4, 5))  # flop, turn, river on the board
_BY_SEAT = ("spent", "stacks", "folded")
_MOST_SLOTS = 12


@frozen
class HoldemCompact(Encoder):
    """Hold'em's views, limit or no-limit, 2 to 10 seats, small enough to train on.

    Lossy: the order in which hole cards and flop were dealt is never in it, nor actions beyond ``slots`` a round. Heads-up
    limit hold'em loses no more than that order.
    """

    slots: int = option(
        0, help="actions shown a round; 0: as many as there can be, at most 12", validator=validators.in_(range(65))
    )
    samples: int = option(
        0,
        help="deals behind the chance to beat a random hand on flop and turn; 0: not shown",
        validator=validators.ge(0),
    )

    def for_game(self, game: Game) -> Layout:
        need_family(game, POKER, "The encoder holdem_compact shows")
        if not deals_holdem(game):
            raise UsageError(
                f"holdem_compact shows two hole cards and a board of five, of 52. The views of {brief(game)} hold others."
            )
        return HoldemLayout(game, self.slots, self.samples)


class HoldemLayout(Layout):
    """One vector of parts. Seats are counted from the player who looks."""

    lossless = False

    def __init__(self, game: Game, slots: int, samples: int) -> None:
        fields = {f.name: f for f in game.view_fields}
        n = self._seats = game.num_players
        self._slots = slots or min(_MOST_SLOTS, n + (n - 1) * fields["raises"].maximum)
        self._samples = samples
        self._most = fields["history"].maximum  # 2: an action is a kind; more: an amount
        self._width = 3 + (self._most > 2)
        self._scale = {name: fields[name].maximum or 1 for name in ("pot", "to_call", *_BY_SEAT)}
        chips = {"spent": "chips put in", "stacks": "chips behind", "folded": "whether folded"}
        parts = {
            "hole": (CARDS, "own cards, 13 * suit + rank", "0 or 1"),
            "board": (CARDS, "the board: 1 flop, 2 turn, 3 river", "value / 3"),
            "category": (len(CATEGORIES), "own best hand from the flop on: " + ", ".join(CATEGORIES), "0 or 1"),
            "round": (ROUNDS, "the betting round", "0 or 1"),
            "position": (n, "own place behind the button", "0 or 1"),
            "betting": (
                ROUNDS * self._slots * self._width,
                f"[round {ROUNDS}][action {self._slots}][fold, call, raise{', amount' * (self._width > 3)}]",
                "0 or 1" if self._width == 3 else f"0 or 1; amount / {self._most}",
            ),
            "pot": (1, "all chips in", f"chips / {self._scale['pot']}"),
            "to_call": (1, "chips needed to call", f"chips / {self._scale['to_call']}"),
        }
        parts |= {name: (n, f"{chips[name]}, own first", f"value / {self._scale[name]}") for name in _BY_SEAT}
        if samples:
            parts["strength"] = (1, "the chance to beat a random hand on the board so far", "0 to 1")
        self.planes = planes_of(parts)
        self._where = slices(self.planes)
        self.shape = (sum(width for width, _, _ in parts.values()),)

    def encode(self, views: Views) -> Float32s:
        out = np.zeros((len(views), *self.shape), np.float32)
        part = {name: out[:, at] for name, at in self._where.items()}
        _mark(part["hole"], views["hole"], 1.0)
        for street, (first, last) in enumerate(STREETS):
            _mark(part["board"], views["board"][:, first:last], (street + 1) / 3)
        self._category(part["category"], views)
        part["round"][:] = views["round"][:, None] == np.arange(ROUNDS)
        self._betting(part["betting"], views)
        player = np.maximum(views["player"], 0).astype(np.int64)
        place = (player - views["button"]) % self._seats
        part["position"][:] = place[:, None] == np.arange(self._seats)
        for name in ("pot", "to_call"):
            part[name][:, 0] = views[name] / self._scale[name]
        own_first = (player[:, None] + np.arange(self._seats)) % self._seats
        for name in _BY_SEAT:
            part[name][:] = np.take_along_axis(views[name], own_first, axis=1) / self._scale[name]
        if self._samples:
            self._strength(part["strength"], views)
        return out

    def _category(self, out: Float32s, views: Views) -> None:
        dealt = (views["board"] >= 0).sum(axis=1)
        for cards in (3, 4, 5):
            rows = np.flatnonzero((dealt == cards) & (views["hole"] >= 0).all(axis=1))
            if len(rows):
                hands = np.concatenate([views["hole"][rows], views["board"][rows, :cards]], axis=1)
                out[rows, rank_high(hands) >> 26] = 1

    def _betting(self, out: Float32s, views: Views) -> None:
        code = out.reshape(len(views), ROUNDS, self._slots, self._width).copy()
        for number in range(ROUNDS):
            here = (views["history_round"] == number) & (views["history"] >= 0)
            slot = np.cumsum(here, axis=1) - 1
            rows, places = np.nonzero(here & (slot < self._slots))
            action = views["history"][rows, places].astype(np.int64)
            at = slot[rows, places]
            code[rows, number, at, np.minimum(action, 2)] = 1
            if self._width > 3:
                code[rows, number, at, 3] = np.where(action >= 2, action, 0) / self._most
        out[:] = code.reshape(out.shape)

    def _strength(self, out: Float32s, views: Views) -> None:
        from cardai.poker.hands.strength import win_rates

        known = np.flatnonzero((views["hole"] >= 0).all(axis=1))
        out[known, 0] = win_rates(views["hole"][known], views["board"][known], self._samples)

    def decode(self, code: Float32s) -> dict[str, Any]:
        """Return cards as lists of numbers, actions by round as words, and chips by seat, own first."""
        part = {name: code[at] for name, at in self._where.items()}
        board = np.rint(part["board"] * 3).astype(int)
        out: dict[str, Any] = {"hole": listed(part["hole"])}
        out["board"] = [card for street in (1, 2, 3) for card in listed(board == street)]
        if part["category"].any():
            out["category"] = CATEGORIES[int(part["category"].argmax())]
        out |= {name: int(part[name].argmax()) for name in ("round", "position")}
        betting = part["betting"].reshape(ROUNDS, self._slots, self._width)
        out["betting"] = [[self._said(one) for one in row if one[:3].any()] for row in betting]
        out |= {name: round(float(part[name][0]) * self._scale[name]) for name in ("pot", "to_call")}
        out |= {f"{name}, own first": [round(float(x) * self._scale[name]) for x in part[name]] for name in _BY_SEAT}
        if self._samples:
            out["strength"] = float(part["strength"][0])
        return out

    def _said(self, one: npt.NDArray[Any]) -> str:
        kind = ("fold", "call", "raise")[int(one[:3].argmax())]
        return f"raise to {round(float(one[3]) * self._most)}" if kind == "raise" and self._width > 3 else kind


def _mark(out: Float32s, cards: npt.NDArray[Any], value: float) -> None:
    rows, places = np.nonzero(cards >= 0)
    out[rows, cards[rows, places].astype(np.int64)] = value


@hookimpl
def cardai_encoder() -> type[Encoder]:
    """Offer the encoder."""
    return HoldemCompact
