"""``cardai evaluate imitation``: how well a player says what recorded players did, beside plain guesses and the ceiling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, out, print_json

if TYPE_CHECKING:
    from cardai.learn.imitation.examples import Examples

STREETS = ("preflop", "flop", "turn", "river")


def imitation(
    agent: Annotated[
        str, typer.Option("--agent", "-a", metavar="AGENT", help="The player, or a trained run (runs/x:act=sample).")
    ],
    data: Annotated[str, typer.Option("--data", metavar="DIR", help="Examples (cardai convert LOG --to examples).")],
    player: Annotated[
        list[str] | None,
        typer.Option("--player", metavar="NAME", help="Whose decisions (repeatable).", show_default="all"),
    ] = None,
    teacher: Annotated[
        str, typer.Option("--teacher", metavar="AGENT", help="Who made those decisions: gives ceiling and divergence.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Decisions of each side at most.")] = 50_000,
    json: Json = False,
) -> None:
    """Print how well a player's probabilities say what others did, on the decisions held out.

    Accuracy, macro-F1 and log loss, in all and by street, beside three guesses fitted to the other decisions: how often
    each action is played; the same on each street with and without a bet to answer; a logistic regression on hand
    strength and price (hold'em). With --teacher also the ceiling (the accuracy that nobody can expect to exceed, since the
    teacher draws its actions) and the divergence KL(teacher, player) in nats.
    """
    value = figures_of(agent, data, player or [], teacher, limit)
    if json:
        print_json(value)
    else:
        _show(value)


def figures_of(agent: str, data: str, players: list[str], teacher: str, limit: int) -> dict[str, Any]:
    """Return what :func:`imitation` prints as plain values, for each place (all, then streets) and guesser.

    Raises:
        UsageError: a player is not in the examples, a side of the split is empty, or an agent has no probabilities.
    """
    import numpy as np

    from cardai import make
    from cardai.cards.poker.fields import POKER, is_holdem
    from cardai.core.errors import UsageError
    from cardai.learn.imitation import measures
    from cardai.learn.imitation.examples import numbers_of, read_examples, read_manifest

    manifest = read_manifest(data)
    game, wanted = make.game(manifest.game), numbers_of(manifest, players, data)
    _, examples = read_examples(data, game, lambda part: part.take(np.isin(part.player, wanted)))
    train, test = examples.take(~examples.test).take(slice(limit)), examples.take(examples.test).take(slice(limit))
    if not len(train) or not len(test):
        raise UsageError(f"{data!r} has {len(train):,} decisions to fit to, {len(test):,} held out: both are needed.")
    rows: dict[str, Any] = {
        agent: measures.policy_of(agent, game, test),
        "each action's share": measures.by_class(train, test),
    }
    if game.speaks(POKER):
        rows["share by street and bet"] = measures.by_situation(train, test)
    if is_holdem(game):
        rows["strength and price"] = measures.by_strength(train, test)
    taught = measures.policy_of(teacher, game, test) if teacher else None
    found = _figures(rows, test, rows[agent], taught, game.speaks(POKER))
    counts = {"fitted": len(train), "held_out": len(test)}
    return {"agent": agent, "data": data, "players": players, "teacher": teacher, **counts, "places": found}


def _figures(rows: dict[str, Any], test: Examples, learned: Any, taught: Any, streets: bool) -> dict[str, Any]:
    """Return all figures as plain values: by place and guesser."""
    from attrs import asdict

    from cardai.learn.imitation import measures

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


def _show(value: dict[str, Any]) -> None:
    from rich.table import Table

    console, agent, teacher = out(), value["agent"], value["teacher"]
    fitted = f"the guesses are fitted to {value['fitted']:,} others"
    console.print(f"{value['held_out']:,} decisions held out; {fitted}. Log loss in nats.")
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
