"""How long a review of six-handed cash hands takes, and how much of them it grades.

    python benchmarks/review_hands.py [--hands 100] [--seed 1] [--threads 1] [--bets 0.66] [--library DIR]

Hands are played by the chart of the box before the flop (by its frequencies), and by a few rules after it (bet two thirds of the
pot, call and fold by the chance against a random hand), written as PokerStars' and reviewed by ``cardai review`` with the box's chart,
as anybody's would be. Printed: CPU and wall seconds, decisions graded before and after the flop, hands left out by the reason.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from cardai import make
from cardai.arena.records import header_line, record_line
from cardai.arena.table import Table
from cardai.core.rng import derive
from cardai.poker.hand_classes import class_of
from cardai.poker.hands.combos import pair_index
from cardai.poker.hands.strength import win_rates
from cardai.poker.preflop.charts import Chart
from cardai.poker.preflop.starts import chart_of

GAME = "holdem_nolimit:players=6,stack=10000"
NAMES = [f"player{k}" for k in range(6)]


def played(hands: int, seed: int) -> list[Any]:
    """Return so many hands as records."""
    chart, game = chart_of(None, "6max"), make.game(GAME)
    table = Table(game, [None] * 6, seed=seed, groups=count(), names=NAMES)
    luck, node = Random(derive(seed, "review")), 0
    while True:
        if table.hand_over:
            if len(table.records) >= hands:
                return list(table.records)
            table.next_hand()
            node = 0
            continue
        view = table.view()
        action, node = _decided(chart, node, view, luck)
        table.act(action)


def _decided(chart: Chart, node: int, view: dict[str, Any], luck: Random) -> tuple[int, int]:
    """Return what a player does (as the game numbers it), and where the chart is then."""
    if not len(view["board"]):
        if int(chart.tree.actor[node]) != (int(view["player"]) - int(view["button"]) - 1) % 6:
            return 0, node  # the chart folds whoever it does not ask
        hole = np.array(view["hole"])
        number = int(class_of()[pair_index(hole[:1], hole[1:])[0]])
        often = chart.strategy[chart.rows(node)][:, number]
        chosen = luck.choices(range(len(often)), often.tolist())[0]
        token = chart.tree.actions(node)[chosen]
        amount = 10_000 if token == "a" else round(100 * float(token[1:])) if token[0] == "r" else 0
        return {"f": 0, "x": 1, "c": 1}.get(token, amount), chart.tree.after(node, chosen)
    return _after(view, luck), node


def _after(view: dict[str, Any], luck: Random) -> int:
    board = np.full((1, 5), -1, np.int8)
    board[0, : len(view["board"])] = view["board"]
    strong = float(win_rates(np.array([view["hole"]], np.int8), board, 100)[0])
    pot, asked, me = int(view["pot"]), int(view["to_call"]), int(view["player"])
    spent, left = int(view["spent"][me]), int(view["stacks"][me])
    if asked:
        return 1 if strong > 0.15 + asked / (pot + 2 * asked) else 0
    bet = min(left, max(100, round(0.66 * pot)))
    return spent + bet if strong > 0.7 or luck.random() < 0.1 else 1


def reviewed(command: list[str], hands: int) -> dict[str, Any]:
    """Run a review, print what it took, and return what it found."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found: dict[str, Any] = json.loads(done.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    phases = {one["name"]: one["decisions"] for one in found["sums"]["phase"]}
    print(
        f"{hands} hands reviewed in {seconds:.1f} CPU s, {time.monotonic() - begun:.1f} s; decisions graded: {phases}",
        flush=True,
    )
    return found


def main() -> None:
    """Play, write, review, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bets", default="0.66")
    parser.add_argument("--library", type=Path, help="where flops are kept: reviewed twice, the second time with them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file, text = Path(folder) / "hands.jsonl", Path(folder) / "hands.txt"
        header = {"game": GAME, "agents": NAMES, "seed": given.seed, "duplicate": False}
        file.write_bytes(header_line(header) + b"".join(map(record_line, played(given.hands, given.seed))))
        cardai = [sys.executable, "-m", "cardai"]
        subprocess.run([*cardai, "convert", str(file), str(text), "--to", "pokerstars:hero=player0", "-q"], check=True)
        review = [*cardai, "review", str(text), "--hero", "player0", "--recent", "--json", "-q", "--bets", given.bets]
        review += ["--jobs", str(given.threads), *(["--library", str(given.library)] if given.library else [])]
        for _ in range(2 if given.library else 1):
            found = reviewed(review, given.hands)
    for reason, number in {**found["hands_left_out"], **found["decisions_left_out"]}.items():
        print(f"{number:6,}  {reason}")


if __name__ == "__main__":
    main()
