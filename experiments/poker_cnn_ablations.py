"""Ablations of the experiments on Poker-CNN's betting: acting options, and value networks at equal data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen
from poker_cnn_generations import BETS, Work

from cardai.arena import tournament
from cardai.core.spec import write_value
from cardai.learn import tensors
from cardai.training.runs import Run

ACTING, NETWORKS = "acting", "networks"
_PAPER_NOISE = 20.0  # chips: Poker-CNN's noise
_EXAMPLES = 200_000
BATCH = 256


# -- acting ------------------------------------------------------------------------------------------------------------


def switches(trainer: Any, draws: bool) -> dict[str, tuple[str, ...]]:
    """Return the values to try of each switch, for a run's trainer; ``draws``: its game has draws."""
    noise = write_value(_PAPER_NOISE / trainer.unit)
    found: dict[str, tuple[str, ...]] = {
        "noise": ("0.0", noise),
        "policy_mix": ("0.0", "0.5", "1.0"),
        "repair": ("false", "true"),
        "mix": ("2", "3"),
    }
    if draws:
        found["refold"] = ("false", "true")
        found |= {"draw_shares": ("1.0+1.0+1.0", "1.0+0.6+0.2"), "draw_noise": ("0.0", noise)}
    if draws and trainer.noise:  # the boost is counted in it
        found["boost"] = ("false", "true")
    return found


def variants(work: Work, label: str) -> list[tuple[str, str]]:
    """Return (name, spec) of an entry's last generation with single switches flipped; those as trained are left out."""
    made = work.generations(label)
    run = Run.open(work.runs / label / BETS)
    trainer: Any = run.trainer()
    flips = [
        (name, value)
        for name, values in switches(trainer, any(f.name == "kept" for f in run.game().view_fields)).items()
        for value in values
        if value != write_value(getattr(trainer, name, 1)) and not (name == "mix" and int(value) > len(made))
    ]
    return [(f"{name}={value}", f"{made[-1]},{name}={value}") for name, value in flips]


def acting_matches(work: Work, label: str) -> list[list[str]]:
    """Return the gauntlets of an entry: the last generation against its variants, and the heuristic against all."""
    base = work.generations(label)[-1]
    flipped = [spec for _, spec in variants(work, label)]
    return [[base, *flipped], [work.experiment.references[0], base, *flipped]]


def play_acting(work: Work, games: int, labels: list[str]) -> None:
    """Play what is lacking of the gauntlets of ``labels``."""
    for label in labels:
        for agents in acting_matches(work, label):
            work.play(ACTING, agents, games, 3, gauntlet=True)


def acting_section(work: Work, label: str) -> list[str]:
    """Return the report's section on an entry's acting options, empty where nothing of it has been played."""
    played = [tournament.saved(work.runs / ACTING, agents, "gauntlet") for agents in acting_matches(work, label)]
    own, heuristic = played
    if own is None and heuristic is None:
        return []
    run = Run.open(work.runs / label / BETS)
    trainer: Any = run.trainer()
    acting = ", ".join(
        f"{name} {write_value(getattr(trainer, name))}"
        for name in ("noise", "policy_mix", "repair", "boost", "refold", "draw_shares", "draw_noise")
    )
    base = work.short(work.generations(label)[-1])
    lines = [
        "",
        f"## Acting options of {base}",
        "",
        f"As trained: {acting}; one network. Each line flips one switch of the same player. Noise, repairs and boosts are",
        "about values: they change nothing where the policy alone decides (policy_mix 1) and no value is out of bounds.",
        "",
        f"| switch | against {base} | against {work.experiment.references[0]} | hands of each |",
        "|---|---|---|---|",
    ]
    names = ["as trained", *(name for name, _ in variants(work, label))]
    for k, name in enumerate(names):
        places = ((own, (0, k)), (heuristic, (0, k + 1)))
        cells = [None if s is None or (not k and s is own) else s.cell(*reversed(pair)) for s, pair in places]
        counts = [s.pairings[pair].hands for s, pair in places if s and pair in s.pairings]
        if any(cells):
            shown = " | ".join("" if c is None else f"{c.mean:+.1f} +- {c.half_width:.1f}" for c in cells)
            lines.append(f"| {name} | {shown} | {max(counts):,} |")
    return lines


# -- value networks ----------------------------------------------------------------------------------------------------


@frozen
class Rival:
    """A network and the planes that it sees."""

    label: str
    network: str
    size: str

    @property
    def folder(self) -> str:
        """The name of its run's directory."""
        return self.label.replace(" ", "_")


RIVALS = (
    Rival("cnn 17x17", "cnn", "17x17"),
    Rival("cnn 4x13", "cnn,same_padding=true", "4x13"),
    Rival("cnn 8x13", "cnn,same_padding=true", "8x13"),
    Rival("dense 17x17", "dense", "17x17"),
    Rival("suits 4x13", "suits,whole_suits=true", "4x13"),
)


def train_networks(work: Work, minibatches: int) -> None:
    """Train the rivals on the same examples, in the same order, equally long."""
    steps = work.steps(minibatches, 20)
    examples = work.steps(_EXAMPLES, 2000)
    # the publication's training but for exact labels, Adam and linear outputs, which help all of them alike
    spec = (
        f"poker_cnn_paper:redraws=0,thin=false,relu_output=false,optimizer=adam,learning_rate=0.001,batch={BATCH},"
        f"examples={examples},anneal={steps},every={max(10, steps // 10)},threads=1"
    )
    for rival in RIVALS:
        encoder = f"grid:size={rival.size},fields={work.experiment.value_fields}"
        work.train(work.runs / NETWORKS / rival.folder, f"{spec},network={rival.network}", encoder, steps)


def networks_section(work: Work, out: Path) -> list[str]:
    """Return the report's section on value networks, empty where none has been trained; draws the pictures."""
    rows = []
    measured: dict[str, list[dict[str, float]]] = {}
    for rival in RIVALS:
        path = work.runs / NETWORKS / rival.folder
        metrics = Run.open(path).read_metrics() if (path / "run.json").is_file() else []
        if not metrics:
            continue
        measured[rival.label] = metrics
        last = metrics[-1]
        names = [name for name in last if name.startswith("validation") or name in ("win_error", "category_accuracy")]
        shown = " | ".join(f"{last[name]:.2%}" if name in _RATES else f"{last[name]:.3g}" for name in names)
        rows.append(f"| {rival.label} | {last['step']:,} | {last['cpu_seconds']:.0f} | {shown} |")
    if not measured:
        return []
    first = next(iter(measured.values()))[-1]
    names = [name for name in first if name.startswith("validation") or name in ("win_error", "category_accuracy")]
    lines = ["", "## Value networks at equal data", ""]
    lines += [f"- {words}: {figure}" for words, figure in work.experiment.published_values]
    lines += [
        "",
        f"The same {work.experiment.value_fields.replace('+', ' and ')} as planes, the same minibatches of {BATCH};",
    ]
    lines += ["measured on held-out situations.", ""]
    lines += ["| network | minibatches | CPU s | " + " | ".join(name.replace("_", " ") for name in names) + " |"]
    lines += ["|---" * (3 + len(names)) + "|", *rows, "", "![validation loss](networks.png)"]
    draw_losses(measured, out / "networks.png")
    if draw_filters(work, out / "filters.png"):
        lines += ["", "![first-layer filters](filters.png)"]
    return lines


_RATES = ("validation_optimal", "category_accuracy")


def draw_losses(measured: dict[str, list[dict[str, float]]], file: Path) -> None:
    """Draw the validation losses over minibatches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for label, metrics in measured.items():
        axes.plot(
            [row["step"] for row in metrics], [row["validation_loss"] for row in metrics], marker=".", label=label
        )
    axes.set_yscale("log")
    axes.set_xlabel("minibatches")
    axes.set_ylabel("validation loss")
    figure.legend(loc="outside right upper", fontsize="small")
    figure.savefig(file, dpi=110)


def first_filters(path: Path) -> npt.NDArray[np.float32] | None:
    """Return the first convolution's weights (filters, height, width) of a run, the mean over its inputs."""
    checkpoint = Run.open(path).latest()[0] if (path / "run.json").is_file() else None
    if checkpoint is None:
        return None
    weights = tensors.read(checkpoint.path / "weights.safetensors")
    names = sorted(name for name, tensor in weights.items() if name.startswith("network.") and tensor.dim() == 4)
    return weights[names[0]].numpy().mean(axis=1) if names else None


def draw_filters(work: Work, file: Path) -> bool:
    """Draw the first layers' filters, a row a network; say whether there was one."""
    from matplotlib.figure import Figure

    found = {rival.label: first_filters(work.runs / NETWORKS / rival.folder) for rival in RIVALS}
    shown = {label: filters for label, filters in found.items() if filters is not None}
    if not shown:
        return False
    columns = max(len(filters) for filters in shown.values())
    figure = Figure(figsize=(0.45 * columns + 1.2, 0.7 * len(shown) + 0.5))
    axes = figure.subplots(len(shown), columns, squeeze=False)
    for line, (label, filters) in zip(axes, shown.items(), strict=True):
        for axis, tile in zip(line, filters, strict=False):
            axis.imshow(tile, cmap="coolwarm", vmin=-np.abs(filters).max(), vmax=np.abs(filters).max())
        for axis in line:
            axis.set_axis_off()
        line[0].text(-0.3, 0.5, label, transform=line[0].transAxes, ha="right", va="center")
    figure.suptitle("First-layer filters (suits down, ranks across), mean over the planes", fontsize=10)
    figure.savefig(file, dpi=110, bbox_inches="tight")
    return True
