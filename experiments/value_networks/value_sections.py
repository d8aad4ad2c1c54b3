"""What is solved, trained and measured."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import asdict, define, field

import cardai
from cardai.core.files import read_json, write_json
from cardai.poker.values.measures import encoding_losses, label_noise, network_losses
from cardai.poker.values.prepared import load_prepared
from cardai.poker.values.range_codes import range_code
from cardai.poker.values.runs import held_out
from cardai.poker.values.situation_set import HEAD, PER_SHARD, Recipe, load, produce
from cardai.poker.values.splits import TEST, TRAIN

GAME = "acpc_nolimit_2p"
BUCKETED = ("e_hs2", "public_nested", "potential_aware")
CODES = (*BUCKETED, "range_1326")
SHAPE = {"batch": 250, "rate": 1e-3, "drop": 0}
"""What is not DeepStack's of the networks in its shape: minibatches of 250, since there are thousands of solves, not ten
millions, and a rate that falls by a cosine over the epochs that there are."""
SHAPE_EPOCHS = 60
"""Epochs of the networks in DeepStack's shape, but for those of all rivers; the best one on the validation boards is kept."""
RECIPES = {
    "river": Recipe("river", 1, (400, 300, 150, 100, 50)),
    "turn": Recipe("turn", 1, (200, 120, 80, 50, 30), (1, 2, 3, 4), per_shard=PER_SHARD["turn"]),
}
PLAYED = Recipe(
    "river", 2, (400, 300, 150, 100, 50), player="limit_equilibrium", game="acpc_limit_2p", per_shard=PER_SHARD["river"]
)
"""Rivers with ranges of a player near equilibrium that plays itself (pip install ./players)."""
LABELS = {"river": (60, 8), "turn": (24, 4), "river_played": (40, 8)}
"""Situations that are solved again, and how many times as long."""
OURS_EPOCHS = {"turn": 60, "river": 20}
"""Epochs of our networks, but for that of all rivers."""
FEW = (2000, OURS_EPOCHS["river"])
"""Solves and epochs of the networks that show what each choice is worth."""
CURVE = {"turn": (300, 1000), "river": (2000, 6000)}
"""Solves of which networks learn, beside those that learn of all: what more solves bring."""
BATCHES = {"turn": ((0, 50, 20),), "river": ((0, 50, 25), (2001, 250, 50), (100_000, 500, 100))}
"""From how many solves on: situations in a minibatch of DeepStack's shape and of ours."""
ABLATIONS: dict[str, dict[str, Any]] = {
    "ours": {},
    "without equity against the actual ranges": {"equity_input": False},
    "values, not equity-valued": {"match_up": False},
    "without the value of checking down": {"check_down": False},
    "without the zero-sum projection": {"zero_sum": False},
}


@define
class Plan:
    """What is wanted, and what is known so far."""

    runs: Path
    out: Path
    river: int
    turn: int
    epochs: int
    jobs: int
    streets: tuple[str, ...] = ("turn", "river")
    known: dict[str, Any] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        file = self.out / "measurements.json"
        self.known = read_json(file) if file.exists() else {}

    def keep(self, name: str, measure: Callable[[], Any]) -> Any:
        """Return what is known by ``name``, measuring it now if need be."""
        if name not in self.known:
            sys.stdout.write(f"  {name}\n")
            sys.stdout.flush()
            begun = time.process_time()
            found = measure()
            self.known[name] = {**found, "cpu_seconds": round(time.process_time() - begun, 1)}
            self.out.mkdir(parents=True, exist_ok=True)
            write_json(self.out / "measurements.json", self.known)
        return self.known[name]

    def data(self, street: str) -> Path:
        """Return the directory of a street's situations."""
        return self.runs / street

    def count(self, street: str) -> int:
        """Return how many of a street's situations the figures are of: what was wanted, or fewer if there are fewer."""
        return min({"river": self.river, "turn": self.turn}[street], len(load(self.data(street))))


def situations(plan: Plan) -> None:
    """Solve what is missing of both streets."""
    for street in plan.streets:
        wanted = {"river": plan.river, "turn": plan.turn}[street]
        there = (plan.data(street) / HEAD).is_file()
        recipe = load(plan.data(street)).recipe if there else RECIPES[street]
        begun = time.process_time()
        before = len(load(plan.data(street))) if there else 0
        found = produce(plan.data(street), recipe, wanted, jobs=plan.jobs, progress=_shown(street))
        if len(found) > before and plan.jobs == 1:
            seconds = (time.process_time() - begun) / (len(found) - before)
            plan.keep(f"solving {street}", lambda s=seconds: {"seconds_each": s})
        plan.known[f"situations {street}"] = {
            "count": len(found),
            "recipe": {
                k: v for k, v in asdict(recipe).items() if k in ("seed", "iterations", "intervals", "discounts", "bets")
            },
        }
        write_json(plan.out / "measurements.json", plan.known)


def _shown(street: str) -> Callable[[int, int], bool]:
    def told(done: int, wanted: int) -> bool:
        sys.stdout.write(f"\r  {street}: {done:,} of {wanted:,}")
        sys.stdout.write("\n" if done >= wanted else "")
        sys.stdout.flush()
        return True

    return told


def labels(plan: Plan) -> None:
    """Measure how far labels are off."""
    for street in plan.streets:
        sample, times = LABELS[street]
        plan.keep(
            f"labels {street}",
            lambda street=street, sample=sample, times=times: asdict(
                label_noise(load(plan.data(street)), sample, times)
            ),
        )


def encodings(plan: Plan) -> None:
    """Measure what encodings lose (table 1)."""
    for street in plan.streets:
        most = min(1000, plan.count(street))
        found = load(plan.data(street))
        shards = found.numbers[: -(-most // found.recipe.per_shard)]
        for spec in BUCKETED:
            for equity_valued in (False, True):
                name = f"encoding {street} {spec}" + (" equity-valued" if equity_valued else "")
                plan.keep(
                    name,
                    lambda spec=spec, e=equity_valued, f=found, s=shards: encoding_losses(
                        range_code(spec), load_prepared(f, s), e
                    ).as_json(),
                )


def trained(
    plan: Plan,
    name: str,
    street: str,
    epochs: int,
    code: str,
    options: dict[str, Any],
    data: Path | None = None,
) -> dict[str, Any]:
    """Train a run, and return its losses on the training part and on the boards it has not seen (table 2).

    ``data`` is where it learns from, if not from the street's situations.
    """

    def measure() -> dict[str, Any]:
        run = plan.runs / name.replace(" ", "_").replace(",", "")
        made = cardai.train(
            "counterfactual_values", GAME, steps=epochs, code=code, out=run, resume=True,
            situations=str(data or plan.data(street)), anneal=epochs, **options,
        )  # fmt: skip
        out: dict[str, Any] = {"epochs": made.step, "metrics": _curve(made.run.read_metrics())}
        out["solves"] = int(made.run.read_metrics()[-1]["solves"])
        for part, most, key in ((TRAIN, 500, "training"), (TEST, 2000, "test")):
            network, held, _ = held_out(run, None, most, part)
            out[key] = network_losses(network, held).as_json()
        out["parameters"] = sum(p.numel() for p in network.module.parameters())
        return out

    return dict(plan.keep(name, measure))


def _curve(rows: list[Any]) -> list[list[float]]:
    """Return (epoch, training loss, validation loss) of each epoch."""
    return [[row["step"], row["training_huber"], row["validation_huber"]] for row in rows if "validation_huber" in row]


def batches(plan: Plan, street: str, solves: int) -> tuple[int, int]:
    """Return the situations in a minibatch of DeepStack's shape and of ours, of so many solves (0: all)."""
    count = solves or plan.count(street)
    return [(shaped, own) for least, shaped, own in BATCHES[street] if count >= least][-1]


def epochs(plan: Plan, street: str, solves: int, usual: int) -> int:
    """Return the epochs of a network: what was asked for of those of all rivers."""
    return plan.epochs if street == "river" and not solves else usual


def shaped(plan: Plan, street: str, code: str, solves: int = 0) -> None:
    """Train DeepStack's shape over a code, of so many solves (0: all)."""
    options = {"shape": "buckets", **SHAPE, "batch": batches(plan, street, solves)[0], "solves": solves}
    trained(plan, named(street, code, solves), street, epochs(plan, street, solves, SHAPE_EPOCHS), code, options)


def own(plan: Plan, street: str, solves: int = 0) -> None:
    """Train our network, of so many solves (0: all)."""
    options = {"batch": batches(plan, street, solves)[1], "solves": solves}
    trained(plan, named(street, "ours", solves), street, epochs(plan, street, solves, OURS_EPOCHS[street]), "", options)


def named(street: str, what: str, solves: int = 0) -> str:
    """Return the name of a network."""
    return f"{street} {what}" + (f" {solves}" if solves else "")


def deepstack(plan: Plan) -> None:
    """Train DeepStack's shape over the four encodings, on both streets (table 2)."""
    for street in plan.streets:
        for code in CODES:
            shaped(plan, street, code)


def images(plan: Plan) -> None:
    """Train DeepStack's shape over all hands with suits renamed at random."""
    for street in plan.streets:
        options = {"shape": "buckets", **SHAPE, "batch": batches(plan, street, 0)[0], "images": True}
        trained(
            plan, f"{street} range_1326 images", street, epochs(plan, street, 0, SHAPE_EPOCHS), "range_1326", options
        )


def ours(plan: Plan) -> None:
    """Train our network on both streets."""
    for street in plan.streets:
        own(plan, street)


def curves(plan: Plan) -> None:
    """Train on fewer solves."""
    for street in plan.streets:
        for solves in CURVE[street]:
            if solves < 0.8 * plan.count(street):
                own(plan, street, solves)
                for code in CODES:
                    shaped(plan, street, code, solves)


def ablations(plan: Plan) -> None:
    """Train our network without each of its choices, on few solves."""
    if "river" not in plan.streets:
        return
    solves, count = FEW
    for name, options in ABLATIONS.items():
        given = {"solves": solves, "batch": batches(plan, "river", solves)[1], **options}
        trained(plan, f"river {name} {solves}", "river", count, "", given)


def played(plan: Plan) -> None:
    """Test and train our network on ranges of self-play."""
    if "river" not in plan.streets:
        return
    solves, count = FEW
    directory = plan.runs / "river_played"
    produce(directory, PLAYED, solves, jobs=plan.jobs, progress=_shown("river, ranges of self-play"))
    sample, times = LABELS["river_played"]
    plan.keep("labels river_played", lambda: asdict(label_noise(load(directory), sample, times)))
    own(plan, "river", solves)
    batch = batches(plan, "river", solves)[1]
    trained(plan, f"river ours played {solves}", "river", count, "", {"batch": batch}, directory)
    for name in ("river ours", f"river ours {solves}", f"river ours played {solves}"):
        for where in (plan.data("river"), directory):
            run = plan.runs / name.replace(" ", "_")
            plan.keep(
                f"{name} on {where.name}",
                lambda run=run, where=where: network_losses(*held_out(run, where, 2000)[:2]).as_json(),
            )


SECTIONS: dict[str, Callable[[Plan], None]] = {
    "situations": situations,
    "labels": labels,
    "encodings": encodings,
    "ours": ours,
    "deepstack": deepstack,
    "images": images,
    "curves": curves,
    "ablations": ablations,
    "played": played,
}
