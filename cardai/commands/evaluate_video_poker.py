"""``cardai evaluate video-poker``: the exact return of a video poker player, from all 2,598,960 hands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, out, print_json

if TYPE_CHECKING:
    from cardai.draw.video_poker import Exact


SYMMETRIC = Annotated[
    bool | None,
    typer.Option(
        "--symmetric/--every-hand",
        help="Ask only about the 134,459 hands that differ by more than a renaming of suits, which is right for a "
        "player that treats all suits alike, or about all 2,598,960.",
        show_default="what the player says of itself",
    ),
]


def video_poker(
    agent: Annotated[
        str, typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.", show_default=False)
    ],
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="Video poker, with its pay table.")
    ] = "video_poker",
    symmetric: SYMMETRIC = None,
    json: Json = False,
) -> None:
    """Give a video poker player's exact return, its share of best holds, and its mistakes by what they cost.

    The player is asked about every hand once, cards in ascending order: nothing is sampled, so there is no interval. One
    that says that it treats all suits alike is asked about one hand for each renaming of suits.

    Example: cardai evaluate video-poker --agent video_heuristic --game video_poker:pay_table=800-9-6
    """
    from cardai import make
    from cardai.core import registry
    from cardai.core.errors import UsageError
    from cardai.draw.contract import is_solo_draw
    from cardai.draw.video_poker import evaluate, policy_of, suits_alike

    made = registry.create("game", game)
    if not is_solo_draw(made):
        raise UsageError(f"evaluate video-poker needs video poker, with a pay table. Got {game}.")
    player = make.agent(agent).for_game(made)
    alike = suits_alike(player) if symmetric is None else symmetric
    result = evaluate(made.pays, policy_of(player, made, agent), symmetric=alike)
    if json:
        print_json(_as_json(result, agent, game))
        return
    for line in _lines(result, agent, game):
        out().print(line)


def _as_json(result: Exact, agent: str, game: str) -> dict[str, Any]:
    return {
        "agent": agent,
        "game": game,
        "return": result.total,
        "perfect_return": result.best,
        "hands_asked": result.asked,
        "optimal": result.optimal,
        "mistakes": {"tiny": result.tiny, "small": result.small, "big": result.big},
        "lost": dict(zip(("tiny", "small", "big"), result.lost, strict=True)),
    }


def _lines(result: Exact, agent: str, game: str) -> list[str]:
    asked = "all hands" if result.asked == 2_598_960 else "one hand for each renaming of suits"
    lines = [
        f"{agent} in {game}, exact ({result.asked:,} hands asked: {asked})",
        f"return          {result.total:.8f}   (perfect play {result.best:.8f})",
        f"best holds      {result.optimal:9.3%}",
    ]
    names = ("tiny mistakes", "small mistakes", "big mistakes")
    costs = ("below 0.08", "below 0.25", "0.25 or more")
    shares = (result.tiny, result.small, result.big)
    for name, cost, share, lost in zip(names, costs, shares, result.lost, strict=True):
        lines.append(f"{name:15s} {share:9.3%}   ({cost} stakes each, {lost:.6f} of the return)")
    return lines
