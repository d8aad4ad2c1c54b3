"""What the champion's rollouts bring: python -m experiments.gin_champion.search [--games N] [--rollouts N].

Plays the same games with and without rollouts, in blocks of 20; blocks that are finished are kept in --out. Prints both win
rates, their difference deal by deal, and how long a decision with rollouts takes (CPU milliseconds).
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
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.files import write_json
from cardai.core.game import Legal
from cardai.gin.search import Rollouts
from cardai.gin.values import RememberingPlayer, ValuePlayer, read_values
from cardai.plugins.agents.champion import LEAGUE, WEIGHTS

BLOCK = 20


class Timed:
    """Rollouts whose decisions are timed: ``seconds`` of CPU of each that compared something."""

    def __init__(self, search: Rollouts) -> None:
        self.search = search
        self.seconds: list[float] = []

    def choose(self, view: Views, legal: Legal, seed: int, styles: Float64s) -> int:
        """Return what the rollouts choose."""
        start = time.process_time()
        chosen = self.search.choose(view, legal, seed, styles)
        if chosen >= 0:
            self.seconds.append(time.process_time() - start)
        return chosen


def block(opponent: str, rollouts: int, turns: int, seed: int) -> dict[str, Any]:
    """Play a block of games with and without rollouts and return, by deal, the shares won, and the times."""
    game = cardai.game("gin")
    player = ValuePlayer(read_values(WEIGHTS)).for_game(game)
    timed = Timed(Rollouts(player, game, LEAGUE, rollouts, 0.0, turns))
    out: dict[str, Any] = {"opponent": opponent, "rollouts": rollouts, "turns": turns, "seed": seed}
    for name, chooser in (("with", timed), ("without", None)):
        result = match.play("gin", [RememberingPlayer(player, game, chooser), opponent], games=BLOCK, seed=seed)
        out[name] = match.shares_by_group(result.scores.reshape(-1, 2, 2))[:, 0].tolist()
        out[f"points {name}"] = result.mean_return(0).mean
    return out | {"milliseconds": [round(1000 * s, 2) for s in timed.seconds]}


def line(blocks: list[dict[str, Any]]) -> str:
    """Return blocks against one opponent as a line of Markdown."""
    won, plain = (100 * np.concatenate([b[name] for b in blocks]) for name in ("with", "without"))
    points = [float(np.mean([b[f"points {name}"] for b in blocks])) for name in ("with", "without")]
    times = np.concatenate([b["milliseconds"] for b in blocks])
    shown = " | ".join(
        f"{x.mean():.1f} ± {1.96 * x.std(ddof=1) / np.sqrt(len(x)):.1f}" for x in (won, plain, won - plain)
    )
    return (
        f"| {blocks[0]['opponent']} | {blocks[0]['rollouts']} | {blocks[0]['turns']} | {2 * len(won)} | {shown} | {points[0]:+.2f} | "
        f"{points[1]:+.2f} | {np.median(times):.0f} | {np.quantile(times, 0.99):.0f} | {times.max():.0f} |"
    )


def main() -> int:
    """Run the experiment; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gin_champion.search", description=__doc__)
    parser.add_argument("--games", type=int, default=400, help=f"games against each, in blocks of {BLOCK}")
    parser.add_argument("--rollouts", type=int, default=64)
    parser.add_argument("--turns", type=int, default=1, help="own turns that are played out, 0: to the end")
    parser.add_argument("--against", default="simple+gin_lookahead", help="opponents, joined with +")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--out", type=Path, default=Path("results/gin_champion"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / "search.json"
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    heads = (
        "opponent",
        "rollouts",
        "turns",
        "games",
        "won with, %",
        "without, %",
        "difference",
        "points a hand with",
        "without",
    )
    lines = [f"| {' | '.join(heads)} | median ms | 99 of 100 below | longest |", "|---" * (len(heads) + 3) + "|"]
    for opponent in given.against.split("+"):
        mine = []
        for k in range(given.games // BLOCK):
            key = (opponent, given.rollouts, given.turns, given.seed + k)
            known = [b for b in found if (b["opponent"], b["rollouts"], b["turns"], b["seed"]) == key]
            if not known:
                known = [block(*key)]
                found += known
                write_json(file, found)
                print(f"{opponent}: {(k + 1) * BLOCK} games", file=sys.stderr)
            mine += known
        lines.append(line(mine))
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
