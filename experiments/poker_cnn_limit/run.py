"""Poker-CNN's limit hold'em: generations of self-play, ours and the publication's, in one league with fixed players.

See --help; experiments/poker_cnn_main.py is the command line, poker_cnn_generations.py the training.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from poker_cnn_generations import Entry, Experiment, Published
from poker_cnn_main import main

OURS = Entry(
    label="ours",
    encoder="poker_cnn_limit:size=4x13",
    values="poker_cnn_ours:examples=600000,anneal=8000,threads=1",
    value_steps=8_000,
    bets="poker_cnn_betting_ours:warm_start={values},freeze_trunk=true,teachers=holdem_heuristic,"
    "league=holdem_heuristic+holdem_heuristic+holdem_heuristic+threshold+always_call+always_call+always_raise"
    "+always_raise+acpc_mix+acpc_mix+random+random,league_share=0.8,threads=1",
    hands=100_000,
    generations=20,
)
PAPER = Entry(
    label="paper",
    encoder="poker_cnn_limit",
    values="poker_cnn_paper:examples=400000,redraws=2000,thin=false",
    value_steps=100_000,
    bets="poker_cnn_betting_paper:warm_start={values},teachers=holdem_heuristic",
    hands=100_000,
    generations=8,
)
EXPERIMENT = Experiment(
    title="Poker-CNN: limit hold'em",
    game="poker_cnn_limit",
    entries=(OURS, PAPER),
    references=("holdem_heuristic", "threshold", "always_call", "always_raise", "acpc_mix", "random"),
    published=(
        # measured from the authors' published weights, every deck played twice
        Published("final mix of two networks - heuristic", 26.9, 6.0),
        Published("last network alone - heuristic", 21.0, 5.8),
        Published("first network (heuristic data only) - heuristic", 39.9, 7.5),
        Published("final mix - first network", 8.5, 3.6),
        Published("final mix - random", 110.7, 7.5),
        Published("final mix - always call", 55.8, 2.4),
    ),
    # exact best responses against players who do not look at their cards (full public tree, all flops and hole cards)
    ceilings={"always_call": 116.348, "always_raise": 369.769, "acpc_mix": 249.179, "random": 346.632},
    variants=("branches=0", "league_share=0", "step_size=2", "discount=0.9"),
    value_fields="hole+board",
    # Poker-CNN's repository: 2,000 rollouts a label, from 50,000 to 800,000 examples
    published_values=(("agreement on the final category, published", "95.4% to 98.3%"),),
)

if __name__ == "__main__":
    main(EXPERIMENT, Path(__file__).resolve(), __doc__)
