"""Heads-up limit hold'em near equilibrium: train, measure, report.

One command, resumable: every figure is a command of cardai, whose JSON result is kept in report/measurements.json and not
asked for again.

    python experiments/limit_equilibrium/run.py                 everything (hours of CPU)
    python experiments/limit_equilibrium/run.py --only exact    one section (repeatable): see SECTIONS
    python experiments/limit_equilibrium/run.py --share 0.1     a tenth of the hands and boards
    python experiments/limit_equilibrium/run.py --report        measure nothing, write report/report.md
    python experiments/limit_equilibrium/run.py --poker-cnn RUN a run of poker_cnn_betting_ours in the tables too
    ... --poker-cnn RUN --league RUN2                           and one with our player in its league
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from limit_measures import Figures
from limit_report import write
from limit_sections import SECTIONS, Plan

HERE = Path(__file__).parent


def main() -> None:
    """Measure what is missing and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs/limit"), help="where trainings lie")
    parser.add_argument("--out", type=Path, default=HERE / "report")
    parser.add_argument("--share", type=float, default=1.0, help="share of the hands and boards")
    parser.add_argument("--games", type=int, default=100_000, help="games of a match, each deal in both seats")
    parser.add_argument("--poker-cnn", default="", help="a trained run of poker_cnn_betting_ours")
    parser.add_argument("--league", default="", help="another, trained with our player in its league")
    parser.add_argument("--only", action="append", default=[], choices=list(SECTIONS), help="a section (repeatable)")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    o = parser.parse_args()
    plan = Plan(o.runs, o.share, o.games, o.poker_cnn, o.league)
    places = {str(o.runs): "RUNS", o.poker_cnn: "CNN", o.league: "LEAGUE"}
    figures = Figures(o.out / "measurements.json", places)
    try:
        for name, section in SECTIONS.items():
            if not o.report and (name in o.only or not o.only):
                section(plan, figures)
    except KeyboardInterrupt:
        sys.stdout.write("stopped; the same command goes on from here\n")
        raise SystemExit(130) from None
    finally:
        write(plan, figures, o.out)


if __name__ == "__main__":
    main()
