"""How well runs say what their teacher does, on decisions held out; and what plain guesses reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict
from fair_teachers import Teacher
from trees import by_trees

from cardai import make
from cardai.core.arrays import Float64s
from cardai.learn.imitation import measures
from cardai.learn.imitation.examples import Examples, read_examples, read_manifest
from cardai.poker import guesses
from cardai.training.runs import Run

STREETS = ("preflop", "flop", "turn", "river")


def learned_figures(
    path: Path, data: Path, teacher: Teacher, work: Path, decisions: int, limit: int, guesses: bool
) -> dict[str, Any]:
    """Return the figures of a run, with the plain guesses', fitted to the first ``decisions``, where they are wanted."""
    game = make.game(read_manifest(str(data)).game)
    _, examples = read_examples(str(data), game, lambda part: part)
    train, test = examples.take(~examples.test).take(slice(decisions)), examples.take(examples.test).take(slice(limit))
    found = {"teacher": teacher.name, "fitted": len(train), **figures(path, teacher, work, test), **curve(path)}
    if guesses:
        found["guesses"] = {name: asdict(one) for name, one in plain(train, test).items()}
    return found


def fold_figures(path: Path, held: Path, teacher: Teacher, work: Path, limit: int) -> dict[str, Any]:
    """Return the figures of a run on decisions of records that it did not learn from."""
    game = make.game(read_manifest(str(held)).game)
    _, examples = read_examples(str(held), game, lambda part: part)
    return {"teacher": teacher.name, **figures(path, teacher, work, examples.take(slice(limit)))}


def figures(path: Path, teacher: Teacher, work: Path, test: Examples) -> dict[str, Any]:
    """Return accuracy, agreement, ceiling and divergence of a run (which draws) on decisions of its teacher."""
    game = Run.open(path).game()
    learned = measures.policy_of(f"{path}:act=sample", game, test)
    taught = measures.policy_of(teacher.spec(work), game, test)
    apart = measures.divergences(taught, learned)
    streets = {}
    for k, street in enumerate(STREETS):
        there = test.views["round"] == k
        if there.any():
            streets[street] = {"count": int(there.sum()), "kl": float(apart[there].mean())}
    own = measures.scores(learned, test.label, test.hand)
    kinds = measures.scores(of_kinds(learned), np.minimum(test.label, 2), test.hand)
    return {
        "own": asdict(own), "kinds": asdict(kinds), "ceiling": measures.ceiling(taught),
        "kind_ceiling": measures.ceiling(of_kinds(taught)), "kl": float(apart.mean()),
        "kl_half_width": measures.half_width(apart, test.hand), "agreement": agreement(taught, learned),
        "streets": streets,
    }  # fmt: skip


def agreement(taught: Float64s, learned: Float64s) -> float:
    """Return how often the teacher does what the run thinks likeliest, as a share of the most that anybody can guess."""
    chosen = np.take_along_axis(taught, learned.argmax(axis=1)[:, None], axis=1)
    return float(chosen.mean()) / measures.ceiling(taught)


def of_kinds(chances: Float64s) -> Float64s:
    """Return (n, 3) the chances to fold, call, and raise by any size, as the publication counts."""
    return np.concatenate([chances[:, :2], chances[:, 2:].sum(axis=1, keepdims=True)], axis=1)


def plain(train: Examples, test: Examples) -> dict[str, measures.Scores]:
    """Return the figures of guesses without a network, fitted to the same decisions."""
    rows = {
        "each action's share": measures.by_class(train, test),
        "share by street and bet": guesses.by_situation(train, test),
        "two cuts on strength": guesses.by_cuts(train, test)[0],
        "gradient-boosted trees": by_trees(train, test),
    }
    return {name: measures.scores(given, test.label, test.hand) for name, given in rows.items()}


def curve(path: Path) -> dict[str, Any]:
    """Return a run's held-out log loss as it learned: (minibatch, log loss), and what the last quarter brought."""
    rows = [(row["step"], row["log_loss"]) for row in Run.open(path).read_metrics() if "log_loss" in row]
    if len(rows) < 4:
        return {"curve": rows}
    before = min(loss for step, loss in rows if step <= 0.75 * rows[-1][0])
    return {"curve": rows, "last_quarter": before - min(loss for _, loss in rows)}
