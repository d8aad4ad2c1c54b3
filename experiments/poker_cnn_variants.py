"""Ablation of the experiments on Poker-CNN's betting: what each choice of our training is worth, at equal hands."""

from __future__ import annotations

import json
from pathlib import Path

from poker_cnn_generations import BETS, VALUES, Entry, Work

from cardai.arena import tournament
from cardai.core.spec import Spec, parse
from cardai.training.runs import Run

TRAINING = "training"
_HANDS, _GENERATIONS = 10_000, 4


def _path(work: Work, name: str) -> Path:
    return work.runs / TRAINING / name.replace(" ", "_").replace("=", "_") / BETS


def _entry(work: Work) -> Entry:
    return work.experiment.entries[0]


def names(work: Work) -> list[str]:
    """Return the runs' names: the first entry's training as it is, then with one option changed."""
    return ["as it is", *work.experiment.variants]


def train_variants(work: Work) -> None:
    """Train the first entry's betting anew with few hands, as it is and with single options changed, from one seed."""
    entry = _entry(work)
    values = work.runs / entry.label / VALUES
    hands = work.steps(_HANDS, 100)
    for name in names(work):
        spec = parse(entry.bets.format(values=json.dumps(str(values))) + f",hands={hands}")
        options = dict(spec.options)
        if name in work.experiment.variants:
            option, _, value = name.partition("=")
            options[option] = value
        trainer = str(Spec(spec.name, tuple(options.items())))
        work.train(_path(work, name), trainer, entry.encoder, hands * _GENERATIONS)


def _players(work: Work) -> list[str]:
    paths = [_path(work, name) for name in names(work)]
    return [str(path) for path in paths if (path / "run.json").is_file() and Run.open(path).latest()[0] is not None]


def play_variants(work: Work, games: int) -> None:
    """Play every variant against the training as it is, and all of them against the reference players."""
    players = _players(work)
    if len(players) > 1:
        work.play(TRAINING + "_played", players, games, 4, gauntlet=True)
    for player in players:
        work.play(TRAINING + "_played", [player, *work.experiment.references], games, 4, gauntlet=True)


def variants_section(work: Work) -> list[str]:
    """Return the report's section, empty where nothing of it has been played."""
    players = _players(work)
    folder = work.runs / (TRAINING + "_played")
    own = tournament.saved(folder, players, "gauntlet") if len(players) > 1 else None
    if own is None:
        return []
    references = work.experiment.references
    lines = [
        "",
        "## What the choices of our training are worth",
        "",
        f"{_HANDS * _GENERATIONS * work.share:,.0f} hands in {_GENERATIONS} generations each, one option changed, the same",
        "seed; chips a hand of the last generation (one training each: differences between seeds are not in the intervals).",
        "",
        "| option | against the training as it is | " + " | ".join(references) + " |",
        "|---" * (2 + len(references)) + "|",
    ]
    by_player = {str(_path(work, name)): name for name in names(work)}
    for k, player in enumerate(players):
        met = own.cell(0, k) if k else None
        cells = [None if met is None else (-met.mean, met.half_width)]
        standings = tournament.saved(folder, [player, *references], "gauntlet")
        for j in range(1, len(references) + 1):
            cell = None if standings is None else standings.cell(0, j)
            cells.append(None if cell is None else (cell.mean, cell.half_width))
        shown = " | ".join("" if c is None else f"{c[0]:+.1f} +- {c[1]:.1f}" for c in cells)
        lines.append(f"| {by_player[player]} | {shown} |")
    return lines
