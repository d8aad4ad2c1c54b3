"""The five players' round robin: each finished pairing is kept in a file of its own."""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path
from typing import Any

from cardai.arena import match
from cardai.core.statistics import Estimate
from cardai.plugins.games.gin._report import figures
from experiments.heisenbot.paper import PLAYERS

Pairings = dict[tuple[str, str], dict[str, Any]]
"""(player, opponent) -> the player's figures by name, each (mean, half-width of the 95% interval)."""


def play(games: int, seed: int, jobs: int, out: Path) -> Pairings:
    """Play the pairings that ``out`` does not hold yet, all on the same decks, and return all.

    Each is what ``cardai run --game gin --agent FIRST --vs SECOND --games N --seed SEED`` plays.

    Raises:
        KeyboardInterrupt: Ctrl-C; finished pairings stay in ``out``.
    """
    folder = out / "pairings"
    folder.mkdir(parents=True, exist_ok=True)
    found: Pairings = {}
    for first, second in itertools.combinations(PLAYERS, 2):
        file = folder / f"{first}--{second}-{games}-{seed}.json"
        if not file.exists():
            print(f"{first} - {second}: {games:,} games", file=sys.stderr, flush=True)
            _save(file, _play_one(first, second, games, seed, jobs))
        both = json.loads(file.read_text(encoding="utf-8"))
        found[first, second] = both[first]
        found[second, first] = both[second]
    return found


def _play_one(first: str, second: str, games: int, seed: int, jobs: int) -> dict[str, Any]:
    result = match.play("gin", [first, second], games=games, seed=seed, jobs=jobs)
    if result.interrupted:
        raise KeyboardInterrupt
    return {name: _figures(result, agent) for agent, name in enumerate((first, second))}


def _figures(result: match.MatchResult, agent: int) -> dict[str, tuple[float, float]]:
    found: dict[str, Estimate] = figures(result.hands, result.seats(agent))
    found["wins"] = result.win_rate(agent)
    return {name: (estimate.mean, estimate.half_width) for name, estimate in found.items()}


def _save(file: Path, value: dict[str, Any]) -> None:
    beside = file.with_suffix(".part")
    beside.write_text(json.dumps(value, indent=1), encoding="utf-8")
    os.replace(beside, file)
