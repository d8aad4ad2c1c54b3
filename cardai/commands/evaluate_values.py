"""``cardai evaluate labels`` and ``values``: how far labels of solved situations are off, and what networks miss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, note, out, print_json, progress
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.core.arrays import Int64s
    from cardai.poker.values.measures import Losses, Noise
    from cardai.poker.values.recipe import Recipe

ROWS = {"random": "ranges: random", "self_play": "ranges: self-play", "checked_down": "all, no network"}
"""What is told besides, in words."""
SHOWN = ("huber_player", "huber_pot", "weighted_huber_pot")
SITUATIONS = Annotated[Path, typer.Argument(metavar="DIR", help="Solved situations (cardai situations).")]


def labels(
    directory: SITUATIONS,
    sample: Annotated[int, typer.Option("--sample", "-n", metavar="N", min=1, help="Situations to solve again.")] = 50,
    times: Annotated[int, typer.Option("--times", metavar="K", min=2, help="How many times longer.")] = 10,
    values: Annotated[
        str,
        typer.Option(
            "--values",
            metavar="RUN",
            help="Of flops: the turn's network behind them.",
            show_default="the one in the box",
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Solve some situations much longer, and print how far the labels are from that, by the interval of the pot.

    Example: cardai evaluate labels data/river --sample 100
    """
    from attrs import asdict

    from cardai.commands.process import stopping_gently
    from cardai.poker.resolving.depth_limit import behind_flop
    from cardai.poker.values.measures import label_noise
    from cardai.poker.values.situation_set import check_fingerprint, load

    found = load(directory)
    check_fingerprint(found)
    if values and not found.recipe.network:
        raise UsageError("A network values what lies behind the flop: --values goes with situations on the flop.")
    behind = behind_flop(values) if found.recipe.network else None
    with progress("labels", "solved") as advance, stopping_gently() as stopped:

        def told(done: int, wanted: int) -> bool:
            if advance is not None:
                advance(done, wanted)
            return not stopped

        noise = label_noise(found, sample, times, told, behind)
    if json:
        print_json(asdict(noise) | {"mean_player": noise.mean_player, "mean_pot": noise.mean_pot})
    else:
        show_noise(noise)
    if stopped:
        note(f"Stopped after {sum(noise.situations):,} of {sample:,}.")
        raise typer.Exit(130)


def values(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run of counterfactual_values.")],
    situations: Annotated[
        Path | None,
        typer.Option("--situations", metavar="DIR", help="Situations to test with.", show_default="the run's"),
    ] = None,
    most: Annotated[int, typer.Option("--most", metavar="N", min=2, help="Situations to test with at most.")] = 2000,
    json: Json = False,
) -> None:
    """Print how far a trained network is off on boards that it has not seen, by the interval of the pot.

    Example: cardai evaluate values runs/river
    """
    from cardai.poker.values.measures import checked_down_losses, network_losses, read_noise
    from cardai.poker.values.runs import held_out

    network, data, found_in = held_out(run, situations, most)
    directory, recipe = found_in.directory, found_in.recipe
    losses, noise = network_losses(network, data), read_noise(directory)
    kinds = _by_kind(losses, recipe, data.numbers) if recipe.share < 1 else {}
    kinds["checked_down"] = checked_down_losses(data)
    if json:
        by_kind = {name: one.as_json() for name, one in kinds.items()}
        print_json({"run": str(run), "situations_in": str(directory), **losses.as_json(), **by_kind})
        return
    out().print(f"{run} on {len(data):,} situations of {directory} on boards that it has not seen:")
    shown = table("pot, each player's", "situations", "Huber/player", "Huber/pot", "by range", "labels off")
    for k, name in enumerate([*interval_names(), "all"]):
        interval = k if name != "all" else None
        count = len(data) if interval is None else int((data.intervals == interval).sum())
        if count < 2:
            continue
        found = figures(losses, SHOWN, interval)
        off = "" if noise is None else f"{noise.mean_pot if interval is None else noise.huber_pot[k]:.4f}"
        shown.add_row(name, f"{count:,}", *found, off)
    for name, some in kinds.items():
        shown.add_row(ROWS[name], f"{len(some.intervals):,}", *figures(some, SHOWN), "")
    out().print(shown)
    out().print("± is half a 95% interval over situations. By range: Huber per pot, hands weighted by their range.")
    out().print(
        "No network: every hand is taken for what it is worth if nobody bets any more, which is counted from the cards."
    )
    if noise is None:
        out().print(f"How far the labels are off is not measured: cardai evaluate labels {directory}")


def _by_kind(losses: Losses, recipe: Recipe, numbers: Int64s) -> dict[str, Losses]:
    """Return the losses of the situations ``numbers`` (n,) by whether their ranges are of self-play."""
    import numpy as np

    played = np.array([recipe.played(number) for number in numbers.tolist()])
    return {"random": losses.where(~played), "self_play": losses.where(played)}


def show_noise(noise: Noise) -> None:
    """Print how far labels are off."""
    out().print(f"Labels beside those of a solve {noise.times} times as long:")
    shown = table("pot, each player's", "situations", "Huber/player", "Huber/pot", "exploitability, % of the pot")
    rows = zip(
        interval_names(), noise.situations, noise.huber_player, noise.huber_pot, noise.exploitability, strict=True
    )
    for name, count, player, pot, gap in rows:
        if count:
            shown.add_row(name, str(count), f"{player:.5f}", f"{pot:.5f}", f"{gap:.3f}")
    shown.add_row(
        "mean of intervals", str(sum(noise.situations)), f"{noise.mean_player:.5f}", f"{noise.mean_pot:.5f}", ""
    )
    out().print(shown)


def interval_names() -> list[str]:
    """Return the intervals of pots in words."""
    from cardai.poker.values.situations import INTERVALS

    return [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in INTERVALS]


def figures(losses: Losses, names: tuple[str, ...], interval: int | None = None) -> list[str]:
    """Return losses with their intervals as text; nothing where too little was measured."""
    found = [losses.of(name, interval) for name in names]
    return ["" if one is None else f"{one.mean:.4f} ± {one.half_width:.4f}" for one in found]


def table(*columns: str) -> Any:
    """Return an empty table with such columns."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE)
    for k, column in enumerate(columns):
        made.add_column(column, justify="left" if k == 0 else "right", no_wrap=True)
    return made
