"""Hold'em in some 200 numbers, for learners: own cards, board by street, made hand, betting by round, chips by seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.cards.codes import CARDS, listed, planes_of, slices
from cardai.core.agent import need_family
from cardai.core.arrays import Float32s, Int64s
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.kernel import kernel
from cardai.core.numbers import NumberLayout
from cardai.core.spec import brief, option
from cardai.poker.contract import deals_holdem
from cardai.poker.fields import POKER
from cardai.poker.hands._ranking_kernels import rank_set
from cardai.poker.hands.ranking import CATEGORIES

ROUNDS = 4
_BY_SEAT = ("spent", "stacks", "folded")
_MOST_SLOTS = 12
_CATEGORIES = len(CATEGORIES)
_READ = (
    "hole",
    "board",
    "round",
    "player",
    "button",
    "pot",
    "to_call",
    *_BY_SEAT,
    "history",
    "history_round",
)


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


@kernel
def _show(numbers: Any, at: Any, sizes: Any, divisors: Any, out: Any) -> None:
    """Fill ``out`` (n, w), which is zero before.

    ``at``: the columns of ``_READ``; ``sizes``: seats, slots a round, numbers a slot, room of the history; ``divisors``:
    of an amount in the history, pot, to_call, spent, stacks, folded.
    """
    seats, slots, width = sizes[0], sizes[1], sizes[2]
    for i in range(len(numbers)):
        row, code = numbers[i], out[i]
        _cards(row, at[0], at[1], code)
        first = 2 * CARDS + _CATEGORIES
        if row[at[2]] >= 0 and row[at[2]] < ROUNDS:
            code[first + row[at[2]]] = 1
        first += ROUNDS
        player = max(row[at[3]], 0)
        code[first + (player - row[at[4]]) % seats] = 1
        first += seats
        used = np.zeros(ROUNDS, np.int64)
        for k in range(sizes[3]):
            action, number = row[at[10] + k], row[at[11] + k]
            if action < 0 or number < 0 or number >= ROUNDS:
                continue
            if used[number] < slots:
                place = first + (number * slots + used[number]) * width
                code[place + min(action, 2)] = 1
                if width > 3 and action >= 2:
                    code[place + 3] = action / divisors[0]
            used[number] += 1
        first += ROUNDS * slots * width
        code[first] = row[at[5]] / divisors[1]
        code[first + 1] = row[at[6]] / divisors[2]
        first += 2
        for part in range(3):
            for seat in range(seats):
                code[first + seat] = row[at[7 + part] + (player + seat) % seats] / divisors[3 + part]
            first += seats


@kernel
def _cards(row: Any, hole: Any, board: Any, code: Any) -> None:
    """Show own cards, the board, and from the flop on the category of the best hand."""
    cards, held, dealt = np.uint64(0), 0, 0
    for k in range(2):
        card = row[hole + k]
        if card >= 0:
            code[card] = 1
            cards |= np.uint64(1) << np.uint64(card)
            held += 1
    for k in range(5):
        card = row[board + k]
        if card >= 0:
            code[CARDS + card] = (1 if k < 3 else k - 1) / 3
            cards |= np.uint64(1) << np.uint64(card)
            dealt += 1
    if held == 2 and dealt >= 3:
        code[2 * CARDS + (np.int64(rank_set(cards)) >> 26)] = 1


class HoldemLayout(NumberLayout):
    """One vector of parts. Seats are counted from the player who looks."""

    lossless = False
    low, high = 0.0, 1.0

    def __init__(self, game: Game, slots: int, samples: int) -> None:
        super().__init__(tuple(f for f in game.view_fields if f.name in _READ))
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
        self._at = self.numbers.at(*_READ)
        self._sizes = np.array([n, self._slots, self._width, fields["history"].size], np.int64)
        self._divisors = np.array([self._most, *self._scale.values()], np.float64)
        self.planes = planes_of(parts)
        self._where = slices(self.planes)
        self.shape = (sum(width for width, _, _ in parts.values()),)

    def write(self, numbers: Int64s, out: Float32s) -> None:
        _show(numbers, self._at, self._sizes, self._divisors, out)
        if self._samples:
            self._strength(out[:, self._where["strength"]], numbers)

    def _strength(self, out: Float32s, numbers: Int64s) -> None:
        from cardai.poker.hands.strength import win_rates

        hole, board = (numbers[:, self.numbers.where[name]].astype(np.int8) for name in ("hole", "board"))
        known = np.flatnonzero((hole >= 0).all(axis=1))
        out[known, 0] = win_rates(hole[known], board[known], self._samples)

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


@hookimpl
def cardai_encoder() -> type[Encoder]:
    """Offer the encoder."""
    return HoldemCompact
