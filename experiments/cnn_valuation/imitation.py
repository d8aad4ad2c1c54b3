"""How well a player's probabilities say what others did, on the decisions held out.

Accuracy, macro-F1 and log loss, in all and by street, beside three guesses fitted to the other decisions: how often each
action is played; the same on each street with and without a bet to answer; a logistic regression on hand strength and
price (hold'em). With --teacher also the ceiling (the accuracy that nobody can expect to exceed, since the teacher draws its
actions) and the divergence KL(teacher, player) in nats. Where fold, call and raise rise with one number, two cuts on it say as
much as any network: "two cuts on strength" are fitted in each betting situation. --trees adds gradient-boosted trees.

    python experiments/cnn_valuation/imitation.py --agent runs/alice:act=sample --data examples/all --player Alice
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict
from rich.table import Table

from cardai import make
from cardai.commands.invocation import out, print_json
from cardai.core.errors import CardaiError, UsageError
from cardai.learn.imitation import measures
from cardai.learn.imitation.examples import Examples, numbers_of, read_examples, read_manifest
from cardai.poker import guesses
from cardai.poker.contract import plays_holdem
from cardai.poker.fields import POKER

sys.path.insert(0, str(Path(__file__).resolve().parent))

from trees import by_trees

CUTS = "two cuts on strength"
STREETS = ("preflop", "flop", "turn", "river")


def main(words: list[str] | None = None) -> None:
    """Measure, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", "-a", required=True, help="the player, or a trained run (runs/x:act=sample)")
    parser.add_argument("--data", required=True, metavar="DIR", help="examples (cardai convert LOG --to examples)")
    parser.add_argument("--player", action="append", default=[], help="whose decisions (repeatable; default: all)")
    parser.add_argument("--teacher", default="", help="who made those decisions: gives ceiling and divergence")
    parser.add_argument("--limit", type=int, default=50_000, help="decisions of each side at most")
    parser.add_argument("--trees", action="store_true", help="gradient-boosted trees (LightGBM) beside the guesses")
    parser.add_argument("--json", action="store_true", help="print JSON")
    o = parser.parse_args(words)
    value = figures_of(o.agent, o.data, o.player, o.teacher, o.limit, o.trees)
    if o.json:
        print_json(value)
    else:
        show(value)


def figures_of(
    agent: str, data: str, players: list[str], teacher: str, limit: int, trees: bool = False
) -> dict[str, Any]:
    """Return what :func:`main` prints as plain values, for each place (all, then streets) and guesser.

    Raises:
        UsageError: a player is not in the examples, a side of the split is empty, or an agent has no probabilities.
    """
    manifest = read_manifest(data)
    game, wanted = make.game(manifest.game), numbers_of(manifest, players, data)
    _, examples = read_examples(data, game, lambda part: part.take(np.isin(part.player, wanted)))
    train, test = examples.take(~examples.test).take(slice(limit)), examples.take(examples.test).take(slice(limit))
    if not len(train) or not len(test):
        raise UsageError(f"{data!r} has {len(train):,} decisions to fit to, {len(test):,} held out: both are needed.")
    situations = 0
    rows: dict[str, Any] = {
        agent: measures.policy_of(agent, game, test),
        "each action's share": measures.by_class(train, test),
    }
    if game.speaks(POKER):
        rows["share by street and bet"] = guesses.by_situation(train, test)
    if plays_holdem(game):
        rows["strength and price"] = guesses.by_strength(train, test)
        rows[CUTS], situations = guesses.by_cuts(train, test)
        if trees:
            rows["gradient-boosted trees"] = by_trees(train, test)
    taught = measures.policy_of(teacher, game, test) if teacher else None
    found = _figures(rows, test, rows[agent], taught, game.speaks(POKER))
    counts = {"fitted": len(train), "held_out": len(test), "situations": situations}
    return {"agent": agent, "data": data, "players": players, "teacher": teacher, **counts, "places": found}


def _figures(rows: dict[str, Any], test: Examples, learned: Any, taught: Any, streets: bool) -> dict[str, Any]:
    """Return all figures as plain values: by place and guesser."""
    places: dict[str, Any] = {"all": slice(None)}
    if streets:
        places |= {STREETS[k]: test.views["round"] == k for k in range(4) if (test.views["round"] == k).any()}
    found: dict[str, Any] = {}
    for place, where in places.items():
        one = {
            name: asdict(measures.scores(given[where], test.label[where], test.hand[where]))
            for name, given in rows.items()
        }
        found[place] = {"guessers": one}
        if taught is not None:
            found[place]["ceiling"] = measures.ceiling(taught[where])
            apart = measures.divergences(taught[where], learned[where])
            found[place]["divergence"] = float(apart.mean())
            found[place]["divergence_half_width"] = measures.half_width(apart, test.hand[where])
    return found


def show(value: dict[str, Any]) -> None:
    """Print figures as a table."""
    console, agent, teacher = out(), value["agent"], value["teacher"]
    fitted = f"the guesses are fitted to {value['fitted']:,} others"
    console.print(f"{value['held_out']:,} decisions held out; {fitted}. Log loss in nats.")
    if value["situations"]:
        console.print(f"{CUTS}: in {value['situations']:,} betting situations.")
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for name in ("", "guesser", "decisions", "accuracy", "macro-F1", "log loss"):
        table.add_column(name, justify="left" if name in ("", "guesser") else "right")
    for place, part in value["places"].items():
        shown = place
        for name, figures in part["guessers"].items():
            numbers = [f"{figures[k]:.4f}" for k in ("accuracy", "macro_f1", "log_loss")]
            table.add_row(shown, name, f"{figures['count']:,}", *numbers)
            shown = ""
        if "ceiling" in part:
            table.add_row("", f"ceiling of {teacher}", "", f"{part['ceiling']:.4f}", "", "")
            table.add_row("", f"KL({teacher}, {agent})", "", "", "", f"{part['divergence']:.4f}")
    console.print(table)


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
