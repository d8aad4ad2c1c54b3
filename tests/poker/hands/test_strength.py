"""The chance to beat a random hand: exact where it says so, close where it samples, and the same for the same cards."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.poker.hands.equity import equity_vs_random
from cardai.poker.hands.strength import PREFLOP, win_rates


def boards(texts):
    out = np.full((len(texts), 5), -1, np.int8)
    for row, text in zip(out, texts, strict=True):
        cards = parse_cards(text)
        row[: len(cards)] = cards
    return out


def test_before_the_flop_the_figures_are_the_known_ones():
    # 85.20, 32.30, 67.04 and 50.33 %: the usual tables of two cards against a random hand
    hole = np.array([parse_cards(text) for text in ("AsAh", "3d2c", "AsKs", "2s2d")])
    assert win_rates(hole, boards([""] * 4)) == pytest.approx([0.8520, 0.3230, 0.6704, 0.5033], abs=5e-5)
    mean = (np.trace(PREFLOP) * 6 + np.tril(PREFLOP, -1).sum() * 4 + np.triu(PREFLOP, 1).sum() * 12) / 1326
    assert mean == pytest.approx(0.5, abs=1e-6)


def test_after_it_they_are_those_of_the_equity_calculator():
    hole = np.array([parse_cards(text) for text in ("AsKd", "7c2d", "9h8h")])
    shown = ["Ah7d2c", "7d7h2cKs", "ThJh2c3dQh"]
    exact = [equity_vs_random(list(map(int, h)), parse_cards(t)).share[0] for h, t in zip(hole, shown, strict=True)]
    assert win_rates(hole, boards(shown), samples=0) == pytest.approx(exact, abs=1e-12)
    assert win_rates(hole, boards(shown), samples=4000) == pytest.approx(exact, abs=0.035)  # over four standard errors
    assert np.array_equal(win_rates(hole, boards(shown)), win_rates(hole[:, ::-1], boards(shown)))
