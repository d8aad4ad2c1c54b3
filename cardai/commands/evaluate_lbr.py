"""``cardai evaluate lbr``: what a local best response wins from a player of hold'em."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, Seed, note, out, print_json, progress

if TYPE_CHECKING:
    from cardai.solve.local_response import LocalResponse


class Bets(StrEnum):
    """The raises that the responder considers."""

    legal = "legal"
    fc = "fc"
    fcpa = "fcpa"
    all56 = "56"


def lbr(
    agent: Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.")],
    game: Annotated[str, typer.Option("--game", "-g", metavar="GAME", help="Hold'em of two players.")],
    hands: Annotated[
        int,
        typer.Option("--hands", "-n", metavar="N", min=2, max=100_000_000, help="Hands; each deal from both seats."),
    ] = 2000,
    bets: Annotated[
        Bets,
        typer.Option(
            "--bets",
            help="Raises considered: all legal ones (full no-limit: pot and all-in), none, pot and all-in, or 53 fractions of the pot and all-in.",
        ),
    ] = Bets.legal,
    rounds: Annotated[
        str | None,
        typer.Option(
            "--rounds",
            metavar="R",
            help="Rounds with raises, 1 before the flop to 4 on the river, joined with +; else fold or call. Default: all.",
        ),
    ] = None,
    estimates: Annotated[
        str | None,
        typer.Option(
            "--estimates",
            metavar="AGENT",
            help="Who answers the raises that are only considered; default: the player itself. What is won is won from the player.",
        ),
    ] = None,
    aivat: Annotated[
        bool, typer.Option("--aivat", help="Weigh each hand by AIVAT too: the same mean with less luck in it.")
    ] = False,
    boards: Annotated[
        int | None,
        typer.Option(
            "--boards",
            metavar="N",
            min=1,
            max=1_000_000,
            help="Instead of hands: walk the whole game on N random boards, all hands of both at once. For slow players.",
        ),
    ] = None,
    branches: Annotated[
        int,
        typer.Option(
            "--branches", metavar="B", min=0, max=1000, help="With --boards: ways on that are followed; 0: all."
        ),
    ] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print a lower bound on what a perfect opponent wins from a player (Lisy and Bowling 2017).

    The responder knows how the player plays every hand. It weighs the player's range by what the player did, looks one
    action ahead and plays what is worth most if both only call from there on. A negative figure proves nothing.

    Example: cardai evaluate lbr --game acpc_nolimit_2p --agent always_fold --bets fcpa --rounds 3+4
    """
    import cardai
    from cardai.core.errors import UsageError
    from cardai.solve.local_response import local_response

    if boards is not None and aivat:
        raise UsageError("--aivat weighs single hands. With --boards all hands are met, and there is nothing to weigh.")
    if branches and boards is None:
        raise UsageError("--branches is for whole boards: give --boards N too.")
    played, player = cardai.game(game), cardai.agent(agent)
    given: dict[str, Any] = {
        "bets": bets.value,
        "rounds": _rounds(rounds),
        "seed": seed,
        "estimates": None if estimates is None else cardai.agent(estimates),
    }
    unit, wanted = ("hands", hands) if boards is None else ("boards", boards)
    with progress("local best response", unit) as advance:
        heard = None if advance is None else lambda done, total, _: advance(done, total)
        if boards is None:
            found = local_response(played, player, hands=hands, aivat=aivat, progress=heard, **given)
        else:
            from cardai.subgames.board_response import board_response

            found = board_response(played, player, boards=boards, branches=branches, progress=heard, **given)
    count = len(found.winnings) * (2 if boards is None else 1)
    if json:
        asked = {
            "game": game,
            "agent": agent,
            "bets": bets.value,
            "rounds": rounds,
            "estimates": estimates,
            "seed": seed,
        }
        asked |= {"branches": branches} if boards is not None else {}
        print_json({**asked, unit: count, **_figures(found)})
    else:
        where = "" if rounds is None else f", raising on rounds {rounds}"
        out().print(f"Local best response to {agent} in {game} ({bets.value}{where}), {count:,} {unit}:")
        _print(found, "deals" if boards is None else "boards")
    if count < wanted:
        note(f"Stopped after {count:,} of {wanted:,} {unit}.")
        raise typer.Exit(130)


def _figures(found: LocalResponse) -> dict[str, Any]:
    """Return what was measured for JSON."""
    from cardai.commands.show.figures import spread_json

    aivat = {"aivat": spread_json(found.corrected)} if found.corrected else {}
    return {**spread_json(found.mbb), "unit": "mbb/g", **aivat}


def _print(found: LocalResponse, over: str) -> None:
    """Print what was measured, with intervals over deals or boards."""
    out().print(f"wins {found.mbb.text(1, sign=True)} mbb a hand, which a perfect opponent wins at least.")
    if found.corrected:
        out().print(f"With the luck taken out (AIVAT): {found.corrected.text(1, sign=True)} mbb a hand.")
    out().print(f"± is half a 95% interval over {over}. A negative figure proves nothing.")


def _rounds(text: str | None) -> list[int] | None:
    """Return rounds from 0, as the library counts them."""
    from cardai.core.errors import UsageError

    if text is None:
        return None
    parts = text.split("+")
    if not all(part in ("1", "2", "3", "4") for part in parts):
        raise UsageError(f"--rounds takes numbers from 1 (before the flop) to 4 (river), joined with +. Got {text!r}.")
    return [int(part) - 1 for part in parts]
