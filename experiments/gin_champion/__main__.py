"""How strong the gin champion is, and what each part of it is worth: python -m experiments.gin_champion [--games N].

Plays the champion and every rule player against each other, then the champion with one of its parts exchanged, and writes
a report's tables. Pairs that are finished are kept in --out: it can be stopped at any time and run again.

No seed of training or of trials is one of the report's.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from cardai.arena import match
from cardai.core.files import write_json
from experiments.gin_champion import curves
from experiments.gin_champion.pairings import Pairing, pairings


def measure(pairing: Pairing, seed: int) -> dict[str, Any]:
    """Play one pairing and return its figures."""
    names = [pairing.name, pairing.opponent]
    match.play("gin", [pairing.make(), pairing.opponent], games=4, seed=0, names=names)  # compiles
    start = time.process_time()
    result = match.play("gin", [pairing.make(), pairing.opponent], games=pairing.games, seed=seed, names=names)
    seconds = time.process_time() - start
    rate, points, figures = result.win_rate(0).scaled(100), result.mean_return(0), result.figures(0)
    shares = {key: 100 * figures[key].mean for key in ("rounds won", "gin", "knock", "undercut", "undercut suffered")}
    return {
        "section": pairing.section,
        "player": pairing.name,
        "opponent": pairing.opponent,
        "games": pairing.games,
        "seed": seed,
        "won": rate.mean,
        "won_half_width": rate.half_width,
        "points": points.mean,
        "points_half_width": points.half_width,
        "PPRL": figures["PPRL"].mean,
        "points_share": _share(points.mean, figures["PPRL"].mean, figures["rounds won"].mean),
        "games_per_cpu_second": pairing.games / seconds,
        **shares,
    }


def _share(points: float, lost_each: float, won: float) -> float:
    """Return the share in % of the points that change hands, from points a hand, points a round lost and rounds won."""
    lost = (1 - won) * lost_each
    return 100 * (points + lost) / (points + 2 * lost)


def table(found: list[dict[str, Any]]) -> list[str]:
    """Return the pairings as lines of Markdown."""
    heads = (
        "player",
        "opponent",
        "games",
        "seed",
        "won, %",
        "points a hand",
        "of all points, %",
        "rounds won, %",
        "gin, %",
    )
    lines = [
        f"| {' | '.join(heads)} | undercut, % | points a round lost | games a CPU second |",
        "|---" * (len(heads) + 3) + "|",
    ]
    for row in found:
        won = f"{row['won']:.1f} ± {row['won_half_width']:.1f}"
        points = f"{row['points']:+.2f} ± {row['points_half_width']:.2f}"
        shares = f"{row['rounds won']:.1f} | {row['gin']:.1f} | {row['undercut']:.1f} | {row['PPRL']:.1f}"
        lines.append(
            f"| {row['player']} | {row['opponent']} | {row['games']:,} | {row['seed']} | {won} | {points} | "
            f"{row['points_share']:.1f} | {shares} | "
            f"{row['games_per_cpu_second']:,.0f} |"
        )
    return lines


def main() -> int:
    """Run the experiment; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gin_champion", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="games a pairing of the champion, even")
    parser.add_argument("--others", type=int, default=4_000, help="games a pairing of rule players")
    parser.add_argument("--parts", type=int, default=4_000, help="games a pairing of a champion with a part exchanged")
    parser.add_argument(
        "--lookahead", type=int, default=0, help="games a pairing of a gin_lookahead with a part changed"
    )
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--only", default="", help="only pairings whose player's name begins with this")
    parser.add_argument("--against", default="", help="only pairings against these, joined with +")
    parser.add_argument("--response", default="", help="a run of gin_values against the champion, to be measured")
    parser.add_argument("--out", type=Path, default=Path("results/gin_champion"))
    parser.add_argument("--run", type=Path, help="a run of gin_values whose curve is shown")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "pairings.json"
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    done = {(row["player"], row["opponent"], row["games"], row["seed"]) for row in found}
    for pairing in pairings(given.games, given.others, given.parts, given.lookahead, given.response):
        key = (pairing.name, pairing.opponent, pairing.games, given.seed)
        if given.against and pairing.opponent not in given.against.split("+"):
            continue
        if key in done or not pairing.name.startswith(given.only):
            continue
        found.append(measure(pairing, given.seed))
        write_json(file, found)
        print(f"{pairing.name} against {pairing.opponent}: {found[-1]['won']:.1f} %", file=sys.stderr)
    lines = []
    for section in dict.fromkeys(row["section"] for row in found):
        lines += [f"{section}:", "", *table([row for row in found if row["section"] == section]), ""]
    for run, file_name in ((given.run, "curve.png"), (given.response, "response.png")):
        if run:
            curve = curves.smoothed(Path(run) / "metrics.jsonl")
            lines += ["", *curves.table(curve)]
            curves.picture(curve, given.out / file_name)
    text = "\n".join(lines) + "\n"
    (given.out / "tables.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
