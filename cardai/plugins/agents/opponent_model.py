"""A heads-up hold'em player that counts what its opponent does on each street, and plays what is worth most against that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.game import Actions, Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Amounts, Legal, legal_columns
from cardai.core.rng import Rows
from cardai.core.spec import option
from cardai.poker.contract import BoardGame, need_holdem
from cardai.poker.fields import last_round
from cardai.poker.hands.strength import win_rates

FOLD, CALL, RAISE = 0, 1, 2
_NARROWEST = 0.05  # of the opponent's hands: nobody is thought to hold the very best alone


@frozen
class OpponentModel(Agent):
    """Counts folds, calls and raises of its opponent on each street, with and without a bet to answer, and adjusts.

    Hands are ranked by their chance against a random one. Each raise of the opponent leaves it the best of its hands, as
    many as it has raised of those it could; each call those between its folds and its raises. Folding, calling and raising
    are worth what they bring against that, if nobody bets afterwards; a raise also wins the pot as often as the opponent
    has folded. No-limit raises are of the pot, on a ladder the smallest. It remembers from hand to hand: play it in matches of many hands.
    """

    prior: float = option(
        10.0, help="Decisions of the prior behind each count (a tenth fold, half call, the rest raise).",
        validator=validators.gt(0),
    )  # fmt: skip
    trust: float = option(
        0.2, help="How far an action narrows the opponent's hands: 0 not at all, 1 to all that it says.",
        validator=[validators.ge(0.0), validators.le(1.0)],
    )  # fmt: skip
    samples: int = option(
        1000, help="Deals behind a flop's or turn's chance; 0: all of them.", validator=validators.ge(0)
    )

    def for_game(self, game: Game) -> Agent:
        return Modelling(self, need_holdem(game, "opponent_model"))


class Modelling(Agent):
    """One seat's player with its counts (rounds, 2, 3): by street, whether there was a bet to answer, and kind."""

    stateful = True

    def __init__(self, options: OpponentModel, game: BoardGame) -> None:
        self.options, self.game = options, game
        self.counts = np.tile(options.prior * np.array([0.1, 0.5, 0.4]), (last_round(game) + 1, 2, 1))
        self.counts[:, 0] *= np.array([0.0, 1.0, 1.0])  # nobody folds for nothing

    def new_match(self, seat: int) -> Self:
        return type(self)(self.options, self.game)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        for street, faced, kind in opponent_actions(view):
            self.counts[street, int(faced), kind] += 1

    def frequencies(self) -> Float64s:
        """Return the opponent's shares of folds, calls and raises (rounds, 2, 3), by street and whether a bet was faced."""
        return np.asarray(self.counts / self.counts.sum(axis=2, keepdims=True))

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        chances = win_rates(views["hole"], views["board"], self.options.samples)
        chosen = np.empty(len(views), np.int64)
        columns = legal_columns(legal)
        for i in range(len(views)):
            worth = self.worth(views[i], float(chances[i]))
            kinds = np.array([columns[i, 0], columns[i, 1], columns[i, 2:].any()])
            chosen[i] = int(np.argmax(np.where(kinds, worth, -np.inf)))
        if isinstance(legal, Amounts):
            return np.where(
                chosen == RAISE, np.clip(self._pot_raise(views), legal.min_amount, legal.max_amount), chosen
            )
        return np.where(
            chosen == RAISE, RAISE + columns[:, RAISE:].argmax(axis=1), chosen
        )  # the smallest that is legal

    def worth(self, view: Any, chance: float) -> Float64s:
        """Return what folding, calling and raising (3,) are worth in chips from here on, with a hand of ``chance``."""
        pot, price, street = float(view["pot"]), float(view["to_call"]), int(view["round"])
        shares = self.frequencies()
        low, high = self._range(view, shares)
        bet = self._bet(view)
        folds = float(shares[street, 1, FOLD])
        called = low + (high - low) * folds
        win = _beats(chance, called, high)
        raised = folds * pot + (1 - folds) * (win * (pot + price + 2 * bet) - (price + bet))
        return np.array([0.0, _beats(chance, low, high) * (pot + price) - price, raised])

    def _range(self, view: Any, shares: Float64s) -> tuple[float, float]:
        """Return between which ranks, of 0 to 1, the opponent's hand is by its actions in this hand."""
        low, high = 0.0, 1.0
        for street, faced, kind in opponent_actions(view):
            fold, _, raised = shares[street, int(faced)]
            width = (high - low) * self.options.trust
            if kind == RAISE:
                low = min(low + width * (1 - raised), high - _NARROWEST)
            else:
                low, high = low + width * fold, high - width * raised * 0.5  # good hands are also called
                low = min(low, high - _NARROWEST)
        return low, max(high, _NARROWEST)

    def _bet(self, view: Any) -> float:
        """Return the chips that a raise adds to a call: the round's size, in no-limit the pot after the call."""
        betting = self.game.betting
        return float(view["pot"] + view["to_call"] if betting.no_limit else betting.raise_sizes[int(view["round"])])

    def _pot_raise(self, views: Views) -> Int64s:
        """Return (n,) the chips in the hand after raising by the pot."""
        own = views["spent"][np.arange(len(views)), views["player"].astype(np.int64)].astype(np.int64)
        return np.asarray(own + views["to_call"] + views["pot"] + views["to_call"], np.int64)


def opponent_actions(view: Any) -> list[tuple[int, bool, int]]:
    """Return the opponent's actions so far in a heads-up hand: street, whether a bet was to be answered, and kind.

    ``view`` is a row of views or a dict of plain values. Before the flop the blinds are a bet to the button.
    """
    out: list[tuple[int, bool, int]] = []
    me, button = int(view["player"]), int(view["button"])
    street, faced = -1, False
    for action, when, seat in zip(view["history"], view["history_round"], view["history_seat"], strict=True):
        if action < 0:
            break
        if when != street:
            street, faced = int(when), int(when) == 0 and int(seat) == button
        kind = min(int(action), RAISE)
        if int(seat) != me:
            out.append((street, faced, kind))
        faced = kind == RAISE
    return out


def _beats(chance: float, low: float, high: float) -> float:
    """Return the chance that a hand that beats the share ``chance`` of all beats one ranked between low and high."""
    return float(np.clip((chance - low) / max(high - low, 1e-9), 0.0, 1.0))


@hookimpl
def cardai_agent() -> type[OpponentModel]:
    """Offer the player."""
    return OpponentModel
