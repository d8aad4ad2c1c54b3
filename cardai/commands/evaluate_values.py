"""``cardai evaluate encodings``, ``labels`` and ``values``: what encodings lose, labels are off, and networks miss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, note, out, print_json, progress
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.subgames.value_measures import Losses, Noise

ENCODERS = ("e_hs2", "public_nested", "potential_aware")
SITUATIONS = Annotated[Path, typer.Argument(metavar="DIR", help="Solved situations (cardai situations).")]


def encodings(
    directory: SITUATIONS,
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            "--encoder",
            "-e",
            metavar="ENCODER",
            help="An encoder of ranges; repeat it.",
            show_default=" ".join(ENCODERS),
        ),
    ] = None,
    most: Annotated[int, typer.Option("--most", metavar="N", min=2, help="Situations to measure with.")] = 100_000,
    json: Json = False,
) -> None:
    """Print what is lost where every hand's value is replaced by the mean of its bucket: arXiv 1807.00900, table 1.

    Example: cardai evaluate encodings data/turn
    """
    from cardai.subgames.prepared import load_prepared
    from cardai.subgames.situation_set import check_fingerprint, load
    from cardai.subgames.value_measures import PUBLISHED, encoding_losses
    from cardai.subgames.value_network import range_encoder

    found = load(directory)
    made = [(spec, range_encoder(spec)) for spec in encoder or ENCODERS]
    check_fingerprint(found)
    shards = found.numbers[: -(-most // found.recipe.per_shard)]
    if not shards:
        raise UsageError(f"{directory} has no solved situation yet. Go on with: cardai situations {directory}")
    data = load_prepared(found, shards)
    rows = {spec: (encoding_losses(one, data), encoding_losses(one, data, True)) for spec, one in made}
    if json:
        print_json({spec: {"values": a.as_json(), "equity_valued": b.as_json()} for spec, (a, b) in rows.items()})
        return
    out().print(f"What encodings lose on {len(data):,} situations of the {found.recipe.street} ({directory}):")
    columns = ("huber_player", "mse_player", "huber_pot", "mse_pot")
    table = _table("encoder", "Huber/player", "MSE/player", "Huber/pot", "MSE/pot", "ratio", "published", "its ratio")
    first, reference = next(iter(rows.values()))[0].of("huber_player"), PUBLISHED["e_hs2"][0]
    assert first is not None
    for spec, (losses, equity_valued) in rows.items():
        shown = PUBLISHED.get(spec) if found.recipe.street == "turn" else None
        own = losses.of("huber_player")
        assert own is not None
        texts = ("", "") if shown is None else (f"{shown[0]:.4f} {shown[1]:.4f}", f"{shown[0] / reference:.3f}")
        table.add_row(spec, *_figures(losses, columns), f"{own.mean / first.mean:.3f}", *texts)
        table.add_row("  equity-valued", *_figures(equity_valued, columns), "", "", "")
    out().print(table)
    out().print("± is half a 95% interval over situations. Ratios are of Huber per player, to the first encoder.")


def labels(
    directory: SITUATIONS,
    sample: Annotated[int, typer.Option("--sample", "-n", metavar="N", min=1, help="Situations to solve again.")] = 50,
    times: Annotated[int, typer.Option("--times", metavar="K", min=2, help="How many times longer.")] = 10,
    json: Json = False,
) -> None:
    """Solve some situations much longer, and print how far the labels are from that, by the interval of the pot.

    Example: cardai evaluate labels data/river --sample 100
    """
    from attrs import asdict

    from cardai.commands.process import stopping_gently
    from cardai.subgames.situation_set import check_fingerprint, load
    from cardai.subgames.value_measures import label_noise

    found = load(directory)
    check_fingerprint(found)
    with progress("labels", "solved") as advance, stopping_gently() as stopped:

        def told(done: int, wanted: int) -> bool:
            if advance is not None:
                advance(done, wanted)
            return not stopped

        noise = label_noise(found, sample, times, told)
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
    from cardai.subgames.value_measures import network_losses, read_noise
    from cardai.subgames.value_runs import held_out

    network, data, directory = held_out(run, situations, most)
    losses, noise = network_losses(network, data), read_noise(directory)
    if json:
        print_json({"run": str(run), "situations_in": str(directory), **losses.as_json()})
        return
    out().print(f"{run} on {len(data):,} situations of {directory} on boards that it has not seen:")
    table = _table("pot, each player's", "situations", "Huber/player", "Huber/pot", "by range", "labels off")
    for k, name in enumerate([*interval_names(), "all"]):
        interval = k if name != "all" else None
        count = len(data) if interval is None else int((data.intervals == interval).sum())
        if count < 2:
            continue
        figures = _figures(losses, ("huber_player", "huber_pot", "weighted_huber_pot"), interval)
        off = "" if noise is None else f"{noise.mean_pot if interval is None else noise.huber_pot[k]:.4f}"
        table.add_row(name, f"{count:,}", *figures, off)
    out().print(table)
    out().print("± is half a 95% interval over situations. By range: Huber per pot, hands weighted by their range.")
    if noise is None:
        out().print(f"How far the labels are off is not measured: cardai evaluate labels {directory}")


def show_noise(noise: Noise) -> None:
    """Print how far labels are off."""
    out().print(f"Labels beside those of a solve {noise.times} times as long:")
    table = _table("pot, each player's", "situations", "Huber/player", "Huber/pot", "exploitability, % of the pot")
    rows = zip(
        interval_names(), noise.situations, noise.huber_player, noise.huber_pot, noise.exploitability, strict=True
    )
    for name, count, player, pot, gap in rows:
        if count:
            table.add_row(name, str(count), f"{player:.5f}", f"{pot:.5f}", f"{gap:.3f}")
    table.add_row(
        "mean of intervals", str(sum(noise.situations)), f"{noise.mean_player:.5f}", f"{noise.mean_pot:.5f}", ""
    )
    out().print(table)


def interval_names() -> list[str]:
    """Return the intervals of pots in words."""
    from cardai.subgames.situations import INTERVALS

    return [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in INTERVALS]


def _figures(losses: Losses, names: tuple[str, ...], interval: int | None = None) -> list[str]:
    found = [losses.of(name, interval) for name in names]
    return ["" if one is None else f"{one.mean:.4f} ± {one.half_width:.4f}" for one in found]


def _table(*columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right", no_wrap=True)
    return table
