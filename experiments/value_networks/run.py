"""Counterfactual value networks: what encodings lose, DeepStack's shape over four of them, and ours.

One command, resumable: situations are solved, networks trained, everything measured, and the report written. What is done is
kept in --runs and report/measurements.json, and not done again.

    python experiments/value_networks/run.py                        everything, with 7,500 rivers and 3,000 turns (hours of CPU)
    python experiments/value_networks/run.py --river 200000 --epochs 12
    python experiments/value_networks/run.py --only encodings       one section (repeatable): see SECTIONS
    python experiments/value_networks/run.py --report               measure nothing, write report/report.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import value_sections
from value_costs import costs
from value_reasons import reasons
from value_report import write
from value_sections import Plan

HERE = Path(__file__).parent
SECTIONS = {**value_sections.SECTIONS, "reasons": reasons, "costs": costs}


def main() -> None:
    """Do what is missing and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs/values"), help="where situations and trainings lie")
    parser.add_argument("--out", type=Path, default=HERE / "report")
    parser.add_argument("--river", type=int, default=7500, help="river situations")
    parser.add_argument("--turn", type=int, default=3000, help="turn situations")
    parser.add_argument("--epochs", type=int, default=25, help="epochs of the networks over all rivers")
    parser.add_argument("--jobs", type=int, default=1, help="processes that solve")
    parser.add_argument("--only", action="append", default=[], choices=list(SECTIONS), help="a section (repeatable)")
    parser.add_argument("--street", action="append", choices=("turn", "river"), help="one street alone")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    o = parser.parse_args()
    plan = Plan(o.runs, o.out, o.river, o.turn, o.epochs, o.jobs, tuple(o.street or ("turn", "river")))
    try:
        for name, section in SECTIONS.items():
            if not o.report and (name in o.only or not o.only):
                sys.stdout.write(f"{name}\n")
                sys.stdout.flush()
                section(plan)
    except KeyboardInterrupt:
        sys.stdout.write("stopped; the same command goes on from here\n")
        raise SystemExit(130) from None
    finally:
        write(plan)


if __name__ == "__main__":
    main()
