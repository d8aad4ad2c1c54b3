"""A hand of limit hold'em step by step: the range of who acts, before and after each action, as 13 x 13 grids."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import cardai
from cardai.cards.text import cards_text, parse_cards
from cardai.poker.hands.combos import pairs
from cardai.poker.resolving.public import Public

GAME = "acpc_limit_2p"
BOARD = "Ts7h2c4d"
ACTIONS = ((2, 0, 0), (1, 0, 1), (1, 1, 1), (2, 1, 0), (1, 1, 1), (1, 2, 1), (2, 2, 0), (2, 2, 1))
"""Raise, call; check, bet, call; check, bet, raise: (action, round, seat), the button is seat 0."""
WORDS = ("folds", "checks or calls", "bets or raises")


def draw_hand(path: Path) -> None:
    """Draw the hand into ``path``."""
    mpl.use("agg")
    import matplotlib.pyplot as plt

    player = cardai.agent("resolving:iterations=60").for_game(cardai.game(GAME))
    board = tuple(parse_cards(BOARD))
    figure, axes = plt.subplots(len(ACTIONS), 2, figsize=(7, 3.3 * len(ACTIONS)))
    for k, (action, round_, seat) in enumerate(ACTIONS):
        shown = board[: (0, 3, 4, 5)[round_]]
        decision = player.resolver.decision(Public(0, ACTIONS[:k], round_, shown), seat)  # type: ignore[attr-defined]
        kinds = [one.kind for one in decision.root.actions]
        before = decision.ranges[seat] / decision.ranges[seat].sum()
        after = before * decision.strategy[kinds.index(action)]
        often = after.sum()
        name = ("button", "big blind")[seat]
        titles = (f"{name}, {cards_text(list(shown)) or 'before the flop'}", f"{WORDS[action]} ({100 * often:.0f}%)")
        for axis, weights, title in zip(axes[k], (before, after / often), titles, strict=True):
            axis.imshow(grid(weights), cmap="Blues", vmin=0)
            axis.set_title(title, fontsize=9)
            axis.set_xticks(range(13), list("AKQJT98765432"), fontsize=6)
            axis.set_yticks(range(13), list("AKQJT98765432"), fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=70)


def grid(weights: np.ndarray) -> np.ndarray:
    """Return (13, 13) the mean weight a hand of each class: aces first, suited above the diagonal."""
    cards = pairs().astype(np.int64)
    ranks, suited = 12 - cards % 13, cards[:, 0] // 13 == cards[:, 1] // 13
    low, high = ranks.min(axis=1), ranks.max(axis=1)
    rows, columns = np.where(suited, low, high), np.where(suited, high, low)
    sums, counts = np.zeros((13, 13)), np.zeros((13, 13))
    np.add.at(sums, (rows, columns), weights)
    np.add.at(counts, (rows, columns), 1)
    return np.asarray(sums / counts)
