"""``cardai evaluate best-response`` and ``cardai evaluate lbr``: what a responder wins from a player of hold'em."""

from __future__ import annotations

from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Jobs, Json, On, Seed, note, out, print_json, progress

if TYPE_CHECKING:
    from cardai.poker.responses.measure import Options, Response


class From(StrEnum):
    """Where the best response begins."""

    preflop = "preflop"
    flop = "flop"
    turn = "turn"
    river = "river"
    last = "last"


class Device(StrEnum):
    """Where ranges are walked."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"


class Bets(StrEnum):
    """The raises that the local responder considers."""

    legal = "legal"
    fc = "fc"
    fcpa = "fcpa"
    all56 = "56"


LAST_HANDS = 500
"""Hands along which draw poker's last round is measured where nothing else is asked."""
AGENT = Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.")]
GAME = Annotated[str, typer.Option("--game", "-g", metavar="GAME", help="Hold'em of two players.")]
LADDER = Annotated[
    str,
    typer.Option(
        "--game",
        "-g",
        metavar="GAME",
        help="Hold'em of two players: limit or a ladder; with --hands from the turn or the river any bets. --from last: draw poker.",
    ),
]
KEEP = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="Keep what is done in FILE: the same command goes on from there."),
]
START = Annotated[
    From,
    typer.Option("--from", help="The street from which the responder answers best; last: draw poker's last round."),
]
SAMPLED = Annotated[
    int | None,
    typer.Option(
        "--boards",
        "-n",
        metavar="N",
        min=1,
        max=1_000_000,
        help="Boards to sample; from preflop flops, which bound exploitability from both sides.",
        show_default="20; from preflop all flops",
    ),
]
ALONG = Annotated[
    int | None,
    typer.Option(
        "--hands",
        metavar="N",
        min=1,
        max=1_000_000,
        help="Instead of boards: along N hands that the player plays against itself, for players that take seconds a decision (from the turn or the river).",
    ),
]
SIZES = Annotated[
    str | None,
    typer.Option(
        "--bets",
        metavar="SIZES",
        help="With --hands in full no-limit: the responder's bets, fractions of the pot and allin, as of cardai solve.",
        show_default="0.5+1+2+allin",
    ),
]
RIVERS = Annotated[
    int | None,
    typer.Option(
        "--rivers",
        metavar="N",
        min=2,
        max=48,
        help="With --hands from the turn in full no-limit: rivers that are drawn for a hand. Seven eighths choose what is done on the turn, the others score it, all eight ways.",
        show_default="4",
    ),
]
DEVICE = Annotated[
    Device,
    typer.Option(help="Where ranges are walked: auto (a GPU if torch sees one), cpu, cuda. The results are the same."),
]
LOCAL_HANDS = 2000
"""Hands that a local best response plays where nothing else is asked."""
HANDS = Annotated[
    int | None,
    typer.Option(
        "--hands",
        "-n",
        metavar="N",
        min=2,
        max=100_000_000,
        help="Hands; each deal from both seats.",
        show_default=str(LOCAL_HANDS),
    ),
]
BETS = Annotated[
    Bets,
    typer.Option(
        "--bets",
        help="Raises considered: all legal ones (full no-limit: pot and all-in), none, pot and all-in, or 53 fractions of the pot and all-in.",
    ),
]
ROUNDS = Annotated[
    str | None,
    typer.Option(
        "--rounds",
        metavar="R",
        help="Rounds with raises, 1 before the flop to 4 on the river, joined with +; else fold or call. Default: all.",
    ),
]
ESTIMATES = Annotated[
    str | None,
    typer.Option(
        "--estimates",
        metavar="AGENT",
        help="Who answers the raises that are only considered; default: the player itself. What is won is won from the player.",
    ),
]
AIVAT = Annotated[
    bool, typer.Option("--aivat", help="Weigh each hand by AIVAT too: the same mean with less luck in it.")
]
WHOLE = Annotated[
    int | None,
    typer.Option(
        "--boards",
        metavar="N",
        min=1,
        max=1_000_000,
        help="Instead of hands: walk the whole game on N random boards, all hands of both at once. For slow players.",
    ),
]
BRANCHES = Annotated[
    int,
    typer.Option("--branches", metavar="B", min=0, max=1000, help="With --boards: ways on that are followed; 0: all."),
]


def best_response(
    agent: AGENT,
    game: LADDER,
    start: START = From.river,
    boards: SAMPLED = None,
    hands: ALONG = None,
    bets: SIZES = None,
    rivers: RIVERS = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    on: On = "",
    keep: KEEP = None,
    device: DEVICE = Device.auto,
    json: Json = False,
) -> None:
    """Print what a best response from a street on wins from a player of hold'em: a lower bound on its exploitability.

    In draw poker (triple_draw) --from last, along hands: the responder answers best in the last round of betting.
    The responder plays as the player does until then. Boards up to that street are sampled in strata, all that comes
    later is counted out. From preflop it is exploitability itself: a minute for a player that does not look at its
    cards, else days of CPU, flop by flop; with --boards N it is bounded from both sides by N flops.

    Example: cardai evaluate best-response --game acpc_limit_2p --agent always_call --from preflop
    """
    from cardai.commands.show.responses import response_json, show_response
    from cardai.core.errors import UsageError
    from cardai.poker.responses.street_samples import STREETS, StreetOptions

    if start == From.last:
        for name, given in (("--boards", boards), ("--bets", bets), ("--rivers", rivers)):
            if given is not None:
                raise UsageError(f"{name} is of hold'em. In draw poker's last round --hands says along how many hands.")
        _last_round(agent, game, hands or LAST_HANDS, seed, keep, jobs, on, json)
        return
    street, unit = STREETS.index(start.value), "boards" if hands is None else "hands"
    _check_one(boards, hands)
    _check_along(street, start, hands, bets, rivers)
    options = StreetOptions(game, agent, street, boards, hands, seed, bets, rivers, _walked_on(device))
    found = measured_by(options, "best response", unit, 1, keep, jobs, on)
    if json:
        print_json(response_json({"game": game, "agent": agent, "from": start.value}, found, unit, seed))
    else:
        show_response(f"{agent} in {game}", start.value, found, unit, rivers)
    ended(found, unit, 1, keep)


def lbr(
    agent: AGENT,
    game: GAME,
    hands: HANDS = None,
    bets: BETS = Bets.legal,
    rounds: ROUNDS = None,
    estimates: ESTIMATES = None,
    aivat: AIVAT = False,
    boards: WHOLE = None,
    branches: BRANCHES = 0,
    seed: Seed = 0,
    jobs: Jobs = 1,
    on: On = "",
    keep: KEEP = None,
    json: Json = False,
) -> None:
    """Print a lower bound on what a perfect opponent wins from a player (Lisy and Bowling 2017).

    The responder knows how the player plays every hand. It weighs the player's range by what the player did, looks one
    action ahead and plays what is worth most if both only call from there on. A negative figure proves nothing.

    Example: cardai evaluate lbr --game acpc_nolimit_2p --agent always_fold --bets fcpa --rounds 3+4
    """
    from cardai.poker.responses.local_samples import LocalOptions

    _check_together(boards, hands, branches, aivat)
    unit, each = ("hands", 2) if boards is None else ("boards", 1)
    count = hands or LOCAL_HANDS
    options = LocalOptions(
        game, agent, bets.value, _rounds(rounds), count, boards, seed, estimates, branches=branches, aivat=aivat
    )
    found = measured_by(options, "local best response", unit, each, keep, jobs, on)
    if json:
        asked = {"game": game, "agent": agent, "bets": bets.value, "rounds": rounds, "estimates": estimates}
        counted = {"seed": seed} | ({} if boards is None else {"branches": branches}) | {unit: each * found.done}
        print_json(asked | counted | _local_json(found))
    else:
        where = "" if rounds is None else f", raising on rounds {rounds}"
        _show_local(f"{agent} in {game} ({bets.value}{where}), {each * found.done:,} {unit}", found, boards is not None)
    ended(found, unit, each, keep)


def _last_round(agent: str, game: str, hands: int, seed: int, keep: str | None, jobs: int, on: str, json: bool) -> None:
    """Measure and print what best responses in the last round of draw poker win."""
    from cardai.commands.show.responses import response_json, show_response
    from cardai.draw.last_round import LastRoundOptions

    found = measured_by(LastRoundOptions(game, agent, hands, seed), "best response", "hands", 1, keep, jobs, on)
    if json:
        print_json(response_json({"game": game, "agent": agent, "from": "last"}, found, "hands", seed))
    else:
        show_response(f"{agent} in {game}", "last round", found, "hands")
    ended(found, "hands", 1, keep)


def measured_by(options: Options, name: str, unit: str, each: int, keep: str | None, jobs: int, on: str) -> Response:
    """Measure, with progress; a piece is ``each`` of the ``unit``."""
    from cardai.poker.responses.measure import measure

    with progress(name, unit) as advance:
        told = None if advance is None else lambda done, total: advance(each * done, each * total)
        return measure(options, out=keep, jobs=jobs, on=on, progress=told)


def ended(found: Response, unit: str, each: int, keep: str | None) -> None:
    """Say so where a measure was stopped."""
    if not found.finished:
        further = f" Go on with --out {keep}." if keep else ""
        note(f"Stopped after {each * found.done:,} of {each * found.pieces:,} {unit}.{further}")
        raise typer.Exit(130)


def _walked_on(device: Device) -> str:
    """Return the device that ranges are walked on. Raises PluginError without torch, UsageError without such a device."""
    from cardai.core.extras import need_extra

    if device == Device.cuda:
        need_extra("torch", "--device cuda", "torch")
    if device == Device.cpu or not find_spec("torch"):
        return "cpu"
    from cardai.learn.networks import choose_device

    return choose_device(device.value).type


def _local_json(found: Response) -> dict[str, Any]:
    """Return what a local best response wins as plain values."""
    from cardai.commands.show.figures import interval_json, spread_json

    aivat = {"aivat": interval_json(found.corrected)} if found.corrected else {}
    return {**spread_json(found.spread), "unit": "mbb/g", **aivat}


def _show_local(whom: str, found: Response, boards: bool) -> None:
    """Print what a local best response wins, with intervals over deals or boards."""
    out().print(f"Local best response to {whom}:")
    out().print(f"wins {found.spread.text(1, sign=True)} mbb a hand, which a perfect opponent wins at least.")
    if found.corrected:
        out().print(f"With the luck taken out (AIVAT): {found.corrected.text(1, sign=True)} mbb a hand.")
    out().print(f"± is half a 95% interval over {'boards' if boards else 'deals'}. A negative figure proves nothing.")


def _check_one(boards: int | None, hands: int | None) -> None:
    """Raise UsageError where both are asked for: one of them would be passed over."""
    from cardai.core.errors import UsageError

    if boards is not None and hands is not None:
        raise UsageError("It is measured on --boards or along --hands. Give one of them.")


def _check_along(street: int, start: From, hands: int | None, bets: str | None, rivers: int | None) -> None:
    """Raise UsageError for options of a best response that do not go together."""
    from cardai.core.errors import UsageError

    if hands is not None and street < 2:
        raise UsageError(f"--hands measures from the turn or the river. From the {start} only boards are counted out.")
    if bets is not None and hands is None:
        raise UsageError(
            "--bets names the responder's bets along hands of full no-limit. Give --hands too, or leave it out."
        )
    if rivers is not None and (hands is None or start != From.turn):
        raise UsageError(
            "--rivers says how many are drawn along hands from the turn. Give --hands and --from turn too."
        )


def _check_together(boards: int | None, hands: int | None, branches: int, aivat: bool) -> None:
    """Raise UsageError for options that do not go together."""
    from cardai.core.errors import UsageError

    _check_one(boards, hands)
    if boards is not None and aivat:
        raise UsageError("--aivat weighs single hands. With --boards all hands are met, and there is nothing to weigh.")
    if branches and boards is None:
        raise UsageError("--branches is for whole boards: give --boards N too.")


def _rounds(text: str | None) -> tuple[int, ...] | None:
    """Return rounds from 0, as the library counts them."""
    from cardai.core.errors import UsageError

    if text is None:
        return None
    parts = text.split("+")
    if not all(part in ("1", "2", "3", "4") for part in parts):
        raise UsageError(f"--rounds takes numbers from 1 (before the flop) to 4 (river), joined with +. Got {text!r}.")
    return tuple(int(part) - 1 for part in parts)
