"""``cardai evaluate best-response``: what a best response from a street on wins from a player of hold'em."""

from __future__ import annotations

from enum import StrEnum
from importlib.util import find_spec
from math import isfinite
from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import Jobs, Json, On, Seed, note, out, print_json, progress

if TYPE_CHECKING:
    from cardai.solve.response_measure import Answer, Question
    from cardai.solve.street_response import TerminalValues


class Street(StrEnum):
    """Where the best response begins."""

    preflop = "preflop"
    flop = "flop"
    turn = "turn"
    river = "river"


class Device(StrEnum):
    """Where ranges meet."""

    auto = "auto"
    cpu = "cpu"
    cuda = "cuda"


def best_response(
    agent: Annotated[str, typer.Option("--agent", "-a", metavar="AGENT", help="The player that is measured.")],
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="Hold'em of two players, limit or a ladder.")
    ],
    start: Annotated[
        Street, typer.Option("--from", help="The street from which the responder answers best.")
    ] = Street.river,
    boards: Annotated[
        int,
        typer.Option("--boards", "-n", metavar="N", min=1, max=1_000_000, help="Boards to sample (not from preflop)."),
    ] = 20,
    hands: Annotated[
        int | None,
        typer.Option(
            "--hands",
            metavar="N",
            min=1,
            max=1_000_000,
            help="Instead of boards: along N hands that the player plays against itself, for players that take seconds a decision (from the turn or the river).",
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    on: On = "",
    keep: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE", help="Keep boards that are done in FILE: the same command goes on from there."
        ),
    ] = None,
    device: Annotated[
        Device,
        typer.Option(
            help="Where ranges meet: auto (dense products on a GPU if torch sees one, else sweeps), cpu, cuda."
        ),
    ] = Device.auto,
    json: Json = False,
) -> None:
    """Print what a best response from a street on wins from a player of hold'em: a lower bound on its exploitability.

    The responder plays as the player does until then. Boards up to that street are sampled in strata, all that comes
    later is counted out. From preflop it is exploitability itself: a minute for a player that does not look at its
    cards, else days of CPU, flop by flop.

    Example: cardai evaluate best-response --game acpc_limit_2p --agent always_call --from preflop
    """
    from cardai.cards.poker.buckets import STREETS
    from cardai.solve.response_measure import Question
    from cardai.solve.response_measure import best_response as measure

    if hands is not None:
        _along_hands(
            agent, game, STREETS.index(start.value), hands, seed, json, plain=jobs == 1 and not on and keep is None
        )
        return
    question = Question(game, agent, STREETS.index(start.value), boards, seed)
    with progress("best response", "boards") as advance:
        values = _terminal_values(device)
        found = measure(question, out=keep, jobs=jobs, progress=advance, on=on, terminal_values=values)
    if json:
        print_json(_plain(question, found))
    else:
        _print(question, found)
    if not found.finished:
        note(
            f"Stopped after {found.done:,} of {question.pieces:,} boards."
            + (f" Go on with --out {keep}." if keep else "")
        )
        raise typer.Exit(130)


def _along_hands(agent: str, game: str, street: int, hands: int, seed: int, json: bool, plain: bool) -> None:
    """Measure along played hands, and print it."""
    import cardai
    from cardai.cards.poker.buckets import STREETS
    from cardai.commands.show.figures import spread_json
    from cardai.core.errors import UsageError
    from cardai.subgames.late_response import late_response

    if street < 2:
        raise UsageError(
            f"--hands measures from the turn or the river. From the {STREETS[street]} only boards are counted out."
        )
    if not plain:
        raise UsageError("--hands is measured in one piece: leave out --jobs, --on and --out.")
    with progress("best response", "hands") as advance:
        heard = None if advance is None else lambda done, total, _: advance(done, total)
        found = late_response(cardai.game(game), cardai.agent(agent), street, hands=hands, seed=seed, progress=heard)
    count = len(found.gains)
    if json:
        asked = {"game": game, "agent": agent, "from": STREETS[street], "seed": seed}
        print_json({**asked, "hands": count, "reached": found.reached, **spread_json(found.mbb), "unit": "mbb/g"})
    else:
        console = out()
        console.print(
            f"A best response from the {STREETS[street]} to {agent} in {game}, along {count:,} hands ({found.reached:,} came there):"
        )
        console.print(
            f"wins {found.mbb.text(1)} mbb a hand more than the player itself, which a perfect opponent wins at least."
        )
        console.print("± is half a 95% interval over hands.")
    if count < hands:
        note(f"Stopped after {count:,} of {hands:,} hands.")
        raise typer.Exit(130)


def _terminal_values(device: Device) -> TerminalValues:
    """Return what works out the ends of hands. Raises PluginError without torch, UsageError without such a device."""
    from cardai.core.extras import need_extra
    from cardai.solve.street_response import Sweeps

    if device == Device.cuda:
        need_extra("torch", "--device cuda", "torch")
    if device != Device.cpu and find_spec("torch"):
        from cardai.learn.dense_showdowns import DenseShowdowns, on_a_gpu

        return DenseShowdowns("cuda") if device == Device.cuda else on_a_gpu() or Sweeps()
    return Sweeps()


def _plain(question: Question, found: Answer) -> dict[str, object]:
    from cardai.cards.poker.buckets import STREETS

    mean, low, high = (value if isfinite(value) else None for value in (found.mbb.mean, found.mbb.low, found.mbb.high))
    return {
        "game": question.game, "agent": question.agent, "from": STREETS[question.street], "boards": found.done,
        "seed": question.seed, "mean": mean, "low": low, "high": high, "unit": "mbb/g", "exact": found.exact,
    }  # fmt: skip


def _print(question: Question, found: Answer) -> None:
    from cardai.cards.poker.buckets import STREETS

    console = out()
    street = STREETS[question.street]
    if found.exact and not found.finished:
        console.print("Nothing can be said before all flops are done.")
        return
    if found.exact:
        console.print(f"A best response to {question.agent} in {question.game}, exactly:")
        console.print(f"wins {found.mbb.mean:.2f} mbb a hand (exploitability).")
        return
    console.print(f"A best response from the {street} to {question.agent} in {question.game}, {found.done:,} boards:")
    console.print(
        f"wins {found.mbb.text()} mbb a hand more than the player itself, which a perfect opponent wins at least."
    )
    console.print("In brackets: the 95 % interval over boards, by the bootstrap within strata.")
