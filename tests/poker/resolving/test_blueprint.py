"""A blueprint before the flop: ranges by Bayes."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.poker.hands.combos import COUNT, pair_index
from cardai.poker.resolving.blueprint import Blueprint
from cardai.poker.resolving.public import Public


class Raiser(Agent):
    """Takes the last legal action with a probability that its hand gives, else the first; small bets are its second raise."""

    def for_game(self, game: Game) -> Agent:
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        hole = views["hole"].astype(np.int64)
        share = pair_index(hole[:, 0], hole[:, 1]) / COUNT
        mask = np.asarray(legal)
        out = np.zeros(mask.shape)
        for row, legal_here in enumerate(mask):
            known = np.flatnonzero(legal_here)
            out[row, known[-1]] += share[row]
            out[row, known[0]] += 1 - share[row]
        return out


class Pays(Agent):
    """Calls by the share of the pot that a call costs the player whose view it is, and gives up otherwise."""

    def for_game(self, game: Game) -> Agent:
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        price = views["to_call"] / (views["pot"] + views["to_call"]) + 0.01 * (views["player"] == views["button"])
        return np.stack([1 - price, price, 0 * price], axis=1)


SHARE = np.arange(COUNT) / COUNT


@pytest.mark.parametrize("button", [0, 1])
def test_ranges_are_what_the_actions_leave(button: int) -> None:
    game = cardai.game("acpc_limit_2p")
    early = Blueprint(game, Raiser())
    # the button raises, the other calls (neither first nor last legal action: nobody does), the flop is checked
    raised = Public(button, ((2, 0, button), (2, 0, 1 - button), (2, 0, button), (0, 0, 1 - button)), 0, ())
    ranges = early.ranges(raised)
    assert np.abs(ranges[button] - SHARE**2).max() < 1e-12
    assert np.abs(ranges[1 - button] - SHARE * (1 - SHARE)).max() < 1e-12


@pytest.mark.parametrize("button", [0, 1])
def test_it_is_asked_by_the_view_of_who_acts_whichever_seat_has_the_button(button: int) -> None:
    game = cardai.game("acpc_limit_2p")
    early = Blueprint(game, Pays())
    first = early.plan(Public(button, (), 0, ()))  # the button owes 5 to a pot of 15
    assert np.abs(first.strategy[1] - (5 / 20 + 0.01)).max() < 1e-12
    raised = early.plan(Public(button, ((2, 0, button),), 0, ()))  # the big blind owes 10 to a pot of 30
    assert np.abs(raised.strategy[1] - 10 / 40).max() < 1e-12


def test_what_was_worked_out_is_kept() -> None:
    game = cardai.game("acpc_limit_2p")
    early = Blueprint(game, Raiser())
    first = early.plan(Public(0, ((2, 0, 0),), 0, ()))
    assert early.plan(Public(0, ((2, 0, 0),), 0, ())) is first
    on_the_flop = [Public(0, ((2, 0, 0), (1, 0, 1)), 1, board) for board in ((1, 2, 3), (4, 5, 6))]
    assert early.ranges(on_the_flop[0]) is early.ranges(on_the_flop[1])
