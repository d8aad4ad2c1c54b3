"""Poker-CNN's deuce-to-seven triple draw: generations of self-play, ours and the publication's, in one league.

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
    encoder="poker_cnn_triple_draw:size=4x13",
    values="poker_cnn_ours:anneal=6000,threads=1,measure=false",
    value_steps=6_000,
    bets="poker_cnn_betting_ours:warm_start={values},freeze_trunk=true,draws_by=exact,teachers=draw_heuristic,"
    "league=draw_heuristic+draw_heuristic+draw_heuristic+draw_caller+draw_caller+random+random_refold,league_share=0.7,"
    "max_events=1000000,threads=1",
    hands=100_000,
    generations=5,
)
PAPER = Entry(
    label="paper",
    encoder="poker_cnn_triple_draw",
    values="poker_cnn_paper:redraws=0,learning_rate=0.02,threads=1",
    value_steps=100_000,
    bets="poker_cnn_betting_paper:warm_start={values},draws_by={values},teachers=draw_heuristic,threads=1",
    hands=100_000,
    generations=8,
)
FINDINGS = """
- **Beside a player near equilibrium.** The last generation in the box (`triple_draw_cnn`) over 50,000 duplicate deals against
  `triple_draw_equilibrium`, which was solved by `bucket_mccfr_draw` (docs/triple-draw.md): -28.6 +- 3.8 chips a hand
  (`cardai run --game triple_draw --agent triple_draw_equilibrium --vs triple_draw_cnn --games 100000 --seed 2026`). What it
  wins from the heuristic and the caller says nothing of that.
- **Who is called always-call.** `always_call` of this project stands pat on whatever it is dealt; the publication's draws
  (the heuristic wins +57.0 +- 3.7 from `draw_caller` in 10,000 games, +57.7 +- 3.2 in the authors' measurements, and
  +267.0 +- 6.1 from `always_call`). A league with the former (`league=draw_heuristic+draw_heuristic+draw_heuristic+`
  `always_call+random+random_refold,league_share=0.6,keep_teachers=true`, seven generations) took +409.6 +- 4.9 from it,
  +86.8 +- 4.7 from the heuristic, and from the caller that draws, whom it had never met, -0.8 +- 8.6 (10,000 games): it
  bluffed. The league of `ours` has `draw_caller`.
- **The pot as cards.** As in limit hold'em: card layers that are learned with an empty pot must not be shown its cells.
- The figures of generations against one another are larger than in limit hold'em: the first generation knows the
  heuristic's play alone, and pots grow large when both sides raise.
"""
EXPERIMENT = Experiment(
    title="Poker-CNN: deuce-to-seven triple draw",
    game="triple_draw",
    entries=(OURS, PAPER),
    references=("draw_heuristic", "draw_caller", "always_call", "random", "random_refold"),
    published=(
        # measured from the authors' published weights, every deck played twice
        Published("final mix of three networks - heuristic", 63.0, 5.6),
        Published("last network alone - heuristic", 59.2, 6.0),
        Published("first network (heuristic data only) - heuristic", 107.7, 6.5),
        Published("final mix - first network", 64.2, 9.9),
        Published("final mix - random", 375.0, 10.0),
        Published("final mix - always call", 65.0, 4.4),
    ),
    ceilings={},
    variants=("branches=0", "league_share=0", "keep_teachers=true"),
    findings=FINDINGS,
    value_fields="hand+draws_left",
    # Poker-CNN's repository: 700,000 rows skewed to low hands; the CNN and the dense network on the same kind of data
    published_values=(
        ("agreement on the best hold, published", "CNN 52.5%, dense 35.7%"),
        ("validation loss, published", "CNN 0.000512, dense 0.001374"),
    ),
)

if __name__ == "__main__":
    main(EXPERIMENT, Path(__file__).resolve(), __doc__)
