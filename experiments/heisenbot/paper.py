"""What the paper published: Eicholtz, Moss, Traino, Roberson: Heisenbot: A Rule-Based Game Agent for Gin Rummy, AAAI 2021."""

from __future__ import annotations

PLAYERS = ("simple", "greedy", "always-draw", "rule-based", "heisenbot")
TITLES = ("Simple", "Greedy", "Always Draw", "Rule-Based\nKnocking", "Heisenbot")

WIN_RATES = {
    "simple": {"greedy": 46.2, "always-draw": 89.1, "rule-based": 43.4, "heisenbot": 39.5},
    "greedy": {"simple": 53.8, "always-draw": 94.6, "rule-based": 46.1, "heisenbot": 38.5},
    "always-draw": {"simple": 10.9, "greedy": 5.4, "rule-based": 7.1, "heisenbot": 2.3},
    "rule-based": {"simple": 56.6, "greedy": 53.9, "always-draw": 92.9, "heisenbot": 44.6},
    "heisenbot": {"simple": 60.5, "greedy": 61.5, "always-draw": 97.8, "rule-based": 55.4},
}
"""Figure 3: wins of the row against the column in per cent of 20,000 games."""

PPRW = {"heisenbot": (25.0, 1.6)}
"""Figure 5, text: points per round won, mean and standard deviation."""
PPRL = {"heisenbot": (18.9, 3.8), "greedy": (17.6, 4.5), "rule-based": (18.0, 4.8)}
"""Figure 5, text: points per round lost."""

ABLE_TURN = 18
"""Figure 1, text: the simple player could knock after this many turns of both players on average."""
GIN_TURN = 21
"""Figure 1, text: and go gin after this many."""
