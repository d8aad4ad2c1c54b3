"""``cardai evaluate draws``: what a player of draw poker draws, in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, Seed, out, print_json

if TYPE_CHECKING:
    from cardai.draw.draws_made import Draws

AGENT = Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help="The player.")]
GAME = Annotated[str, typer.Option("--game", "-g", metavar="GAME", help="Draw poker of two players.")]
HANDS = Annotated[int, typer.Option("--hands", "-n", metavar="N", min=1, max=10_000_000, help="Hands that it plays.")]
LEAST = Annotated[
    int, typer.Option("--least", metavar="N", min=1, help="Leave out what came up less often; a dot stands there.")
]
_ORDER = ("first to draw", "last to draw")


def draws(
    agent: AGENT,
    game: GAME = "triple_draw",
    hands: HANDS = 20_000,
    least: LEAST = 20,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print how many cards a player draws, by what it holds and what it last saw the other draw, in hands against itself.

    Example: cardai evaluate draws --agent draw_heuristic --hands 2000
    """
    from cardai.draw.draws_made import draws_made

    found = draws_made(game, agent, hands, seed)
    if json:
        print_json({"game": game, "agent": agent, "hands": hands, "seed": seed, "draws": _plain(found)})
        return
    console = out()
    console.print(f"What {agent} draws in {game}, {hands:,} hands against itself.")
    console.print("Of 100 cases it draws: none / one / two / three or more cards.")
    for draw in range(len(found.cases)):
        for order in range(2):
            if found.cases[draw, order].any():
                console.print(f"\nDraw {draw + 1}, {_ORDER[order]}; the other was last seen to draw")
                if (found.cases[draw, order] >= least).any():
                    console.print(_table(found, draw, order, least))
                else:
                    console.print(f"Nothing came up {least:,} times: take more --hands.")


def _table(found: Draws, draw: int, order: int, least: int) -> Any:
    """Return one table, without columns and rows in which nothing came up often enough."""
    from rich.table import Table

    from cardai.draw.draws_made import HELD, SEEN

    enough = found.cases[draw, order] >= least
    made = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    made.add_column("holding")
    columns = [k for k in range(len(SEEN)) if enough[:, k].any()]
    for k in columns:
        made.add_column(SEEN[k], justify="right", no_wrap=True)
    for kind, name in enumerate(HELD):
        if enough[kind].any():
            shares = found.shares[draw, order, kind]
            made.add_row(name, *(_cell(shares[k]) if enough[kind, k] else "." for k in columns))
    return made


def _cell(shares: Any) -> str:
    return " / ".join(f"{100 * share:.0f}" for share in shares)


def _plain(found: Draws) -> list[dict[str, Any]]:
    """Return what came up as a list of plain values."""
    from cardai.draw.draws_made import DRAWN, HELD, SEEN

    rows = []
    for draw, order, kind, seen in zip(*found.cases.nonzero(), strict=True):
        shares = dict(zip(DRAWN, found.shares[draw, order, kind, seen].tolist(), strict=True))
        where = {"draw": int(draw) + 1, "order": _ORDER[order], "holding": HELD[kind], "seen": SEEN[seen]}
        rows.append({**where, "cases": int(found.cases[draw, order, kind, seen]), "drawn": shares})
    return rows
