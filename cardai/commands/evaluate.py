"""``cardai evaluate``: exact measures of players: exploitability, best responses, expected values."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Command, Json, out, print_json

if TYPE_CHECKING:
    from cardai.solve.measures import Measured

evaluate = typer.Typer(
    add_completion=False, no_args_is_help=False, context_settings={"help_option_names": ["--help", "-h"]}
)
ELSEWHERE = {
    "aivat": "cardai.commands.evaluate_aivat:aivat",
    "best-response": "cardai.commands.evaluate_response:best_response",
    "draws": "cardai.commands.evaluate_draws:draws",
    "exploiter": "cardai.commands.evaluate_exploiter:exploiter",
    "labels": "cardai.commands.evaluate_values:labels",
    "lbr": "cardai.commands.evaluate_response:lbr",
    "values": "cardai.commands.evaluate_values:values",
    "video-poker": "cardai.commands.evaluate_video_poker:video_poker",
}
"""Commands of the group whose functions lie in modules of their own."""

GAME = Annotated[
    str, typer.Option("--game", "-g", help="The game, NAME[:option=value,...]; small enough to enumerate.")
]
AGENT = Annotated[str, typer.Option("--agent", "-a", help="The player: a plugin or a trained run's directory.")]
LIMIT = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Nodes of the largest game tree to walk.")]
VERSUS = Annotated[str, typer.Option("--vs", help="The player in the other seats.")]


@evaluate.callback()
def _group() -> None:
    """Measure a player exactly: exploitability, best response, expected value."""


@evaluate.command("exploitability", cls=Command)
def exploitability(game: GAME, agent: AGENT, limit: LIMIT = 2_000_000, json: Json = False) -> None:
    """Print what a perfect opponent would win from a player, exactly, in the game's unit a hand.

    For every seat: what the player's policy earns against itself, and what a best response earns in that seat.
    Exploitability is the mean over seats of what a best response gains (NashConv divided by the number of seats).
    """
    import cardai
    from cardai.solve.measures import measure

    played = cardai.game(game)
    measured = measure(played, cardai.agent(agent), agent, limit)
    if json:
        print_json({"game": game, "agent": agent, "unit": played.unit, **_numbers(measured)})
        return
    console = out()
    table = _table("seat", "earns", "best response", "gain")
    rows = zip(measured.expected, measured.best_response, measured.gains, strict=True)
    for seat, (earns, best, gain) in enumerate(rows):
        table.add_row(str(seat), f"{earns:+.6f}", f"{best:+.6f}", f"{gain:.6f}")
    console.print(f"{agent} in {game}, exactly, in {played.unit} a hand:")
    console.print(table)
    console.print(f"exploitability {measured.exploitability:.9g}  (NashConv {measured.nash_conv:.9g})")


@evaluate.command("value", cls=Command)
def value(game: GAME, agent: AGENT, vs: VERSUS, limit: LIMIT = 2_000_000, json: Json = False) -> None:
    """Print what a player earns against another, exactly, in the game's unit a hand: in each seat, and on average."""
    import cardai
    from cardai.solve.measures import expected_value

    played = cardai.game(game)
    own, other = cardai.agent(agent), cardai.agent(vs)
    seats = range(played.num_players)
    tables = [[own if q == seat else other for q in seats] for seat in seats]
    earned = [expected_value(played, table, limit)[seat] for seat, table in enumerate(tables)]
    mean = sum(earned) / len(earned)
    if json:
        print_json({"game": game, "agent": agent, "vs": vs, "unit": played.unit, "seats": earned, "mean": mean})
        return
    console = out()
    table = _table("seat", "earns")
    for seat, amount in enumerate(earned):
        table.add_row(str(seat), f"{amount:+.6f}")
    console.print(f"{agent} against {vs} in {game}, exactly, in {played.unit} a hand:")
    console.print(table)
    console.print(f"mean {mean:+.9g}")


def _table(*columns: str) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _numbers(measured: Measured) -> dict[str, float | list[float]]:
    return {
        "expected": list(measured.expected),
        "best_response": list(measured.best_response),
        "gains": list(measured.gains),
        "nash_conv": measured.nash_conv,
        "exploitability": measured.exploitability,
    }


for _name, _target in ELSEWHERE.items():
    _module, _, _function = _target.partition(":")
    evaluate.command(_name, cls=Command)(getattr(importlib.import_module(_module), _function))
