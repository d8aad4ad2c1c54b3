"""How strong the gin champion is, and what each part of it is worth: python -m experiments.gin_champion [--games N].

Plays the champion and gin_lookahead against all rule players, then the champion with one of its parts exchanged, and writes
a report. Pairs that are finished are kept in --out: it can be stopped at any time and run again.

The values in the box were trained in four sittings (report/report.md has their commands). No seed of training or of trials is
one of the report's.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import cardai
from cardai.arena import match
from cardai.cards.gin.actions import ASK_KNOCK, DISCARD, DRAW, OFFER
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.files import write_json
from cardai.learn.gin_values import ValuePlayer, read_values
from cardai.plugins.agents.champion import WEIGHTS

RULE_PLAYERS = ("simple", "heisenbot", "gin-only", "gin_lookahead")
PARTS = {
    "discards": (DISCARD,),
    "draws": (OFFER, DRAW),
    "knocks": (ASK_KNOCK,),
}


class Exchanged(Agent):
    """The champion with some phases decided by another player."""

    def __init__(self, other: str, phases: tuple[int, ...]) -> None:
        game = cardai.game("gin")
        self.own, self.other = cardai.agent("champion").for_game(game), cardai.agent(other).for_game(game)
        self.phases = phases

    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        theirs = np.isin(views["phase"], self.phases)
        return np.where(theirs, self.other.act(views, legal, rng), self.own.act(views, legal, rng))


def without(part: str) -> Agent:
    """Return the champion without its belief (all unseen cards alike), or playing for points instead of the match."""
    values = read_values(WEIGHTS)
    if part == "belief":
        values.belief = np.zeros_like(values.belief)
    else:
        values.wins = np.add.outer(np.arange(101.0), -np.arange(101.0)) / 200 + 0.5
    return ValuePlayer(values)


def pairings(games: int, parts: int) -> list[tuple[str, Any, str, int]]:
    """Return (name, player, opponent, games) of everything that is played."""
    out: list[tuple[str, Any, str, int]] = []
    for player in ("champion", "gin_lookahead"):
        others = [other for other in (*RULE_PLAYERS, "rule-based", "greedy", "always-draw") if other != player]
        out += [(player, player, other, games) for other in others]
    for other in RULE_PLAYERS[::3]:
        for name, phases in PARTS.items():
            out.append((f"champion, {name} of gin_lookahead", Exchanged("gin_lookahead", phases), other, parts))
        for name in ("belief", "winning chances"):
            out.append((f"champion without {name}", without(name), other, parts))
    return out


def measure(player: Any, name: str, other: str, games: int, seed: int) -> dict[str, Any]:
    """Play one pairing and return its figures."""
    start = time.process_time()
    result = match.play("gin", [player, other], games=games, seed=seed, names=[name, other])
    seconds = time.process_time() - start
    rate, points, figures = result.win_rate(0).scaled(100), result.mean_return(0), result.figures(0)
    shares = {key: 100 * figures[key].mean for key in ("rounds won", "gin", "knock", "undercut", "undercut suffered")}
    return {
        "player": name,
        "opponent": other,
        "games": games,
        "seed": seed,
        "won": rate.mean,
        "won_half_width": rate.half_width,
        "points": points.mean,
        "points_half_width": points.half_width,
        "games_per_cpu_second": games / seconds,
        **shares,
    }


def report(found: list[dict[str, Any]], curve: list[dict[str, Any]]) -> str:
    """Return the report's tables as Markdown."""
    lines = [
        "| player | opponent | games | seed | won, % | points a hand | rounds won, % | gin, % | undercut, % | games a CPU second |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|---|---|")
    for row in found:
        won = f"{row['won']:.1f} ± {row['won_half_width']:.1f}"
        points = f"{row['points']:+.2f} ± {row['points_half_width']:.2f}"
        shares = f"{row['rounds won']:.1f} | {row['gin']:.1f} | {row['undercut']:.1f}"
        lines.append(
            f"| {row['player']} | {row['opponent']} | {row['games']:,} | {row['seed']} | {won} | {points} | {shares} | "
            f"{row['games_per_cpu_second']:,.0f} |"
        )
    if curve:
        lines += [
            "",
            "| generation | CPU seconds | points a hand against the league | loss after a discard |",
            "|---|---|---|---|",
        ]
        lines += [
            f"| {row['step']} | {row['cpu_seconds']:.0f} | {row['points_against_league']:+.2f} | {row['loss_after_discard']:.3f} |"
            for row in curve
        ]
    return "\n".join(lines) + "\n"


def smoothed(metrics: Path, every: int = 10) -> list[dict[str, Any]]:
    """Return a run's curve, means of ``every`` generations."""
    rows = [
        json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines() if "loss_after_discard" in line
    ]
    out = []
    for start in range(0, len(rows), every):
        part = rows[start : start + every]
        means: dict[str, float] = {}
        for name in ("points_against_league", "loss_after_discard"):
            values: Float64s = np.array([row[name] for row in part])
            means[name] = float(values.mean())
        out.append({"step": part[-1]["step"], "cpu_seconds": part[-1]["cpu_seconds"], **means})
    return out


def main() -> int:
    """Run the experiment; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gin_champion", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="games a pairing, even")
    parser.add_argument(
        "--parts", type=int, default=4_000, help="games a pairing of a champion with one part exchanged"
    )
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--player", help="only what this one plays: champion or gin_lookahead")
    parser.add_argument("--out", type=Path, default=Path("results/gin_champion"))
    parser.add_argument("--run", type=Path, help="a run of gin_values whose curve is shown")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "pairings.json"
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    done = {(row["player"], row["opponent"], row["games"], row["seed"]) for row in found}
    for name, player, other, games in pairings(given.games, given.parts):
        if given.player not in (None, name):
            continue
        if games and (name, other, games, given.seed) not in done:
            match.play("gin", [player, other], games=4, seed=0, names=[name, other])  # compiles
            found.append(measure(player, name, other, games, given.seed))
            write_json(file, found)
            print(f"{name} against {other}: {found[-1]['won']:.1f} %", file=sys.stderr)
    text = report(found, smoothed(given.run / "metrics.jsonl") if given.run else [])
    (given.out / "tables.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
