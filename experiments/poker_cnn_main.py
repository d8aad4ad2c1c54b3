"""The command line of the experiments on Poker-CNN's betting."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import poker_cnn_report
from poker_cnn_ablations import ACTING, NETWORKS, play_acting, train_networks
from poker_cnn_generations import Experiment, Work, play_league, train_entry
from poker_cnn_variants import TRAINING, play_variants, train_variants

USAGE = """
One command, resumable: what has been trained and played is kept in --runs and goes on from there.

    python {script}                              everything at full length but for the ablations (hours)
    python {script} --share 0.01                 the same, tiny
    python {script} --only ours                  one run, and the league as far as there is one
    python {script} --ablations                  everything, then the three ablations
    python {script} --only acting                the last generations with single acting options flipped
    python {script} --only training              our training with single options changed, few hands
    python {script} --only networks              value networks at equal data
    python {script} --report                     train nothing; play what the league lacks, write report/
"""


def main(experiment: Experiment, script: Path, doc: str | None) -> None:
    """Train what is missing, play the league, measure the ablations asked for, write the report."""
    name = script.parent.name
    called = f"experiments/{name}/run.py"
    labels = [entry.label for entry in experiment.entries]
    parser = argparse.ArgumentParser(
        description=(doc or "") + USAGE.format(script=called), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=Path, default=None, help="default: runs/NAME, with the share if it is not 1")
    parser.add_argument("--out", type=Path, default=script.parent / "report")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full length (a run keeps its own)")
    parser.add_argument("--paper-share", type=float, default=1.0, help="further share for the publication's preset")
    parser.add_argument("--generations", type=int, default=100, help="at most so many (more later goes on from there)")
    parser.add_argument("--games", type=int, default=4_000, help="games of each pairing of the league")
    parser.add_argument("--width", type=float, default=3.0, help="half interval of a last generation's matches, chips")
    parser.add_argument(
        "--ablations", action="store_true", help="measure acting options, training options and value networks too"
    )
    parser.add_argument("--acting-games", type=int, default=10_000, help="games of each match of ablations")
    parser.add_argument("--network-minibatches", type=int, default=3_000, help="of each value network (times --share)")
    parser.add_argument("--checkpoint-seconds", type=float, default=120.0, help="seconds between checkpoints")
    parts = [*labels, ACTING, TRAINING, NETWORKS]
    parser.add_argument("--only", action="append", default=[], choices=parts, help="a run or an ablation (repeatable)")
    parser.add_argument("--report", action="store_true", help="train nothing")
    o = parser.parse_args()
    runs = o.runs or Path("runs") / (name if o.share == 1 else f"{name}_{o.share:g}")
    work = Work(experiment, runs, o.share, o.generations, o.checkpoint_seconds, {"paper": o.paper_share})
    chosen = [label for label in labels if label in o.only or not o.only]
    try:
        for entry in experiment.entries:
            if entry.label in chosen and not o.report:
                train_entry(work, entry)
        if chosen:
            play_league(work, o.games, o.width)
        if o.ablations or ACTING in o.only:
            play_acting(work, o.acting_games, [label for label in work.begun() if label in (chosen or labels)])
        if o.ablations or TRAINING in o.only:
            if not o.report:
                train_variants(work)
            play_variants(work, o.acting_games)
        if (o.ablations or NETWORKS in o.only) and not o.report:
            train_networks(work, o.network_minibatches)
    except KeyboardInterrupt:
        sys.stdout.write("stopped; the same command goes on from here\n")
        raise SystemExit(130) from None
    poker_cnn_report.write(work, o.out, f"python {called}")
