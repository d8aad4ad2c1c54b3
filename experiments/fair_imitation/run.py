"""What imitators are worth when no encoder shows what their teacher decides by: seed 003's method, measured fairly.

    python experiments/fair_imitation/run.py --work results/fair            # everything at full size (some CPU hours)
    python experiments/fair_imitation/run.py --work results/fair --only logs+learn --teachers cnn
    python experiments/fair_imitation/run.py --work results/fair --only learn --seed 2    # this training alone, beside others
    python experiments/fair_imitation/run.py --work results/fair --report   # only write the report from what there is

Parts (--only, joined with +), each a list of pieces that are made once and kept under --work, so that the same command goes
on where it stopped; every piece says its CPU seconds:

    logs      each teacher plays itself; of the no-limit teacher (trained first: the blueprint of the re-solving player) too
    learn     every system learns from the same decisions, as many times each; beside it two cuts on hand strength,
              gradient-boosted trees and plain guesses, fitted to the same decisions
    fresh     the same on hands that are played for it: those held out told which widths and how many presentations to take
    amounts   the publication's figure 5: more and more decisions, four folds
    play      duplicate deals against the teacher
    values    the publication's text by the word: a player that acts on E(S)
    river     what a best response from the river on wins from imitators and from their teachers: limit alone
    lbr       what a local best response wins from them

The players in the box must be installed (pip install ./players), LightGBM too. Figures of play and exploitability are printed
by commands of cardai, which stand in the report.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cardai.core.errors import CardaiError, UsageError
from cardai.core.files import read_json, write_json

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cnn_valuation"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from fair_acting import won_by_values
from fair_measuring import fold_figures, learned_figures
from fair_report import write
from fair_teachers import BLUEPRINT, SYSTEMS, TEACHERS, Teacher, examples_of, fold_examples, fresh_examples
from making import Planned, kept, run, train
from printed import called, figure, seconds_spent

PARTS = ("logs", "learn", "fresh", "amounts", "play", "values", "river", "lbr")
BATCH = {"paper": 128, "cards": 256, "wide": 512, "ours": 256, "wide_ours": 512, "levels": 512}
"""Examples in a minibatch of each system (the trainers' presets)."""
WIDE = ("channels=48", "features=512", "hidden=512", "decay=0.3", f"batch={BATCH['wide']}")
WIDENED = {"wide": "cards", "wide_ours": "ours"}
"""What is made as wide, by what it is called then."""
SEED = 1
SHAPING = ("decisions", "presented", "held_out", "fresh", "epochs", "deals", "boards", "lbr_boards", "blueprint_steps")
"""Options by which figures are made: all of a teacher's in a directory by the same."""


def main(words: list[str] | None = None) -> None:
    """Make what is missing of the parts asked for, and write the report."""
    o = asked_for(words)
    o.work.mkdir(parents=True, exist_ok=True)
    if not o.report:
        need_same(o)
    for part in [] if o.report else o.only:
        for name in o.teachers:
            MAKE[part](o, TEACHERS[name])
    write(o.work, made_by(o.work))
    print(f"Report: {o.work / 'report.md'}")


# -- parts ------------------------------------------------------------------------------------------------------------


def logs(o: argparse.Namespace, teacher: Teacher) -> Path:
    """Return the directory of a teacher's examples: logs are played where they are missing."""
    if teacher.name == "blueprint" and not (o.work / BLUEPRINT / "run.json").exists():
        trainer = "bucket_mccfr:flop=150,turn=150,river=150"
        words = [
            "train",
            "--trainer",
            trainer,
            "--game",
            teacher.game,
            "--steps",
            str(o.blueprint_steps),
            "--seed",
            "0",
        ]
        called([*words, "--out", str(o.work / BLUEPRINT)])
    return examples_of(o.work, teacher, o.decisions, o.jobs)


def planned(o: argparse.Namespace, teacher: Teacher, system: str, seed: int) -> Planned:
    """Return a run: its minibatches make ``--presented`` decisions in all, whatever their size."""
    key, steps = f"{system}-{teacher.name}-{seed}", -(-o.presented // BATCH[system])
    kind, more = (WIDENED[system], WIDE) if system in WIDENED else (system, ())
    return Planned(key, kind, teacher.spec(o.work), steps, more)


def learn(o: argparse.Namespace, teacher: Teacher) -> None:
    """Train each system on the same decisions and measure it beside plain guesses."""
    data = logs(o, teacher)
    for system in systems(o, teacher):
        for seed in seeds(o):
            one = planned(o, teacher, system, seed)
            train(runs(o) / one.key, one, data, teacher.names, f"most={o.decisions}", seed=SEED + seed)
            making = partial(learned_figures, runs(o) / one.key, data, teacher, o.work, o.decisions, o.held_out)
            once(o, f"learn-{one.key}", partial(making, guesses=seed == 0 and system == "paper"))


def fresh(o: argparse.Namespace, teacher: Teacher) -> None:
    """Measure runs on decisions that neither taught them nor chose anything of theirs."""
    held = fresh_examples(o.work, teacher, o.fresh)
    for key in trained(o, teacher):
        once(o, f"fresh-{key}", partial(fold_figures, runs(o) / key, held, teacher, o.work, o.fresh))


def amounts(o: argparse.Namespace, teacher: Teacher) -> None:
    """Learn from more and more decisions, with each of four folds held out in turn."""
    folds = fold_examples(o.work, teacher, logs(o, teacher))
    for system in [one for one in ("paper", "cards") if one in systems(o, teacher)]:
        for decisions in o.amounts:
            for k, (taught, held) in enumerate(folds):
                key = f"fold-{system}-{teacher.name}-{decisions}-{k}"
                presented = min(o.presented, o.epochs * decisions)
                one = Planned(key, system, teacher.spec(o.work), -(-presented // BATCH[system]))
                train(runs(o) / key, one, taught, teacher.names, f"most={decisions}", "validation=0", seed=SEED)
                once(o, f"amounts-{key}", partial(fold_figures, runs(o) / key, held, teacher, o.work, o.held_out))


def play(o: argparse.Namespace, teacher: Teacher) -> None:
    """Play imitators against their teacher."""
    for key in trained(o, teacher):
        words = ["run", "--game", teacher.game, "--agent", f"{runs(o) / key}:act=sample", "--vs", teacher.spec(o.work)]
        command = [*words, "--games", str(2 * o.deals), "--seed", "77"]
        once(o, f"play-{key}", partial(figure, command))


def values(o: argparse.Namespace, teacher: Teacher) -> None:
    """Train the publication's text by the word, and let a player act on what it says."""
    if teacher.name != "cnn":
        return
    data, key, batch = logs(o, teacher), f"literal-{teacher.name}", 128
    more = f"most={o.decisions}"
    found = run(
        runs(o) / key,
        "cnn_valuation_literal",
        "cnn_valuation",
        data,
        teacher.names,
        -(-o.presented // (4 * batch)),
        more,
    )
    for worth in ("chance", "chips"):
        once(
            o,
            f"values-{worth}-{key}",
            partial(won_by_values, found, teacher.game, teacher.spec(o.work), worth, o.deals // 5),
        )


def river(o: argparse.Namespace, teacher: Teacher) -> None:
    """Ask what a best response from the river on wins from imitators and their teacher."""
    if teacher.name == "blueprint":  # 117,552 decisions of no-limit betting: LBR alone
        return
    for key, player in players(o, teacher).items():
        asked = ["--game", teacher.game, "--agent", player, "--from", "river", "--boards", str(o.boards), "--seed", "3"]
        done = ["--out", str(o.work / "figures" / f"river-{key}-{o.boards}.npz")]
        once(o, f"river-{key}", partial(figure, ["evaluate", "best-response", *asked, *done]))


def lbr(o: argparse.Namespace, teacher: Teacher) -> None:
    """Ask what a local best response wins from imitators and their teacher."""
    for key, player in players(o, teacher).items():
        asked = [
            "--game",
            teacher.game,
            "--agent",
            player,
            "--boards",
            str(o.lbr_boards),
            "--branches",
            "1",
            "--seed",
            "3",
        ]
        done = ["--out", str(o.work / "figures" / f"lbr-{key}.npz")]
        once(o, f"lbr-{key}", partial(figure, ["evaluate", "lbr", *asked, *done]))


def players(o: argparse.Namespace, teacher: Teacher) -> dict[str, str]:
    """Return who is judged, by key: imitators, then their teacher."""
    return {key: f"{runs(o) / key}:act=sample" for key in trained(o, teacher)} | {
        f"{teacher.name}-teacher": teacher.spec(o.work)
    }


MAKE: dict[str, Callable[[argparse.Namespace, Teacher], Any]] = {
    "logs": logs, "learn": learn, "fresh": fresh, "amounts": amounts, "play": play, "values": values, "river": river, "lbr": lbr,
}  # fmt: skip


# -- what they share --------------------------------------------------------------------------------------------------


def systems(o: argparse.Namespace, teacher: Teacher) -> list[str]:
    """Return what learns from a teacher: nothing that sees what it decides by."""
    return [one for one in o.systems if one in teacher.fair]


def seeds(o: argparse.Namespace) -> list[int]:
    """Return the seeds of the trainings that are asked for."""
    return list(range(o.seeds)) if o.seed is None else [o.seed]


def need_same(o: argparse.Namespace) -> None:
    """Note by what each teacher's figures under ``--work`` are made. Raises UsageError where they were made by something else."""
    file, asked = o.work / "options.json", {name: getattr(o, name) for name in SHAPING}
    known = read_json(file) if file.exists() else {}
    for teacher in o.teachers:
        for name, value in asked.items():
            before = known.get(teacher, asked).get(name, value)  # none of those that are younger than the figures
            if before != value:
                option = f"--{name.replace('_', '-')}"
                raise UsageError(
                    f"The figures of {teacher} in {o.work} are made with {option} {before}. Got {option} {value}. Say the "
                    "same, or name another directory."
                )
    write_json(file, known | dict.fromkeys(o.teachers, asked))


def made_by(work: Path) -> dict[str, str]:
    """Return by teacher the command that makes its figures under ``work``."""
    file, usual = work / "options.json", vars(asked_for([]))
    known = read_json(file) if file.exists() else {}
    found = {}
    for teacher, options in known.items():
        other = [
            f"--{name.replace('_', '-')} {value}" for name, value in options.items() if value != usual.get(name, value)
        ]
        words = ["python experiments/fair_imitation/run.py", f"--work {work}", f"--teachers {teacher}", *other]
        found[teacher] = " ".join(words)
    return found


def runs(o: argparse.Namespace) -> Path:
    """Return where trained runs are."""
    found: Path = o.work / "runs"
    return found


def trained(o: argparse.Namespace, teacher: Teacher) -> list[str]:
    """Return the keys of the runs that learned from all decisions of a teacher, and are asked for."""
    keys = [planned(o, teacher, one, seed).key for one in systems(o, teacher) for seed in seeds(o)]
    return [key for key in keys if (runs(o) / key / "run.json").exists()]


def once(o: argparse.Namespace, key: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what ``make`` gives, kept under its key with the CPU seconds that it took."""

    def timed() -> dict[str, Any]:
        begun = seconds_spent()
        return {**make(), "cpu_seconds": round(seconds_spent() - begun, 1)}

    file = o.work / "figures" / f"{key}.json"
    file.parent.mkdir(exist_ok=True)
    there = file.exists()
    found: dict[str, Any] = kept(file, timed)
    if not there:
        print(f"{key}: {found['cpu_seconds']:,.0f} CPU seconds", flush=True)
    return found


def asked_for(words: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--work", type=Path, default=Path("results/fair_imitation"))
    add("--only", default="+".join(PARTS), help="parts, joined with +")
    add("--report", action="store_true", help="only write the report")
    add("--teachers", default="+".join(TEACHERS), help="some of them, joined with +")
    add("--systems", default="+".join(SYSTEMS), help="some of them, joined with +")
    add("--seeds", type=int, default=3, help="trainings of each system")
    add("--seed", type=int, default=None, help="this training alone, so that several can go on beside one another")
    add("--jobs", type=int, default=1, help="processes that play the teachers' hands")
    add("--decisions", type=int, default=500_000, help="that are learned from, the same for all")
    add("--presented", type=int, default=2_000_000, help="decisions in all minibatches of a training, the same for all")
    add("--held-out", type=int, default=20_000, help="decisions that figures are measured on")
    add(
        "--amounts", default="15000+60000+240000+375000", help="decisions of figure 5's points (three quarters at most)"
    )
    add("--epochs", type=int, default=12, help="figure 5: how often each decision is learned, up to --presented")
    add("--fresh", type=int, default=60_000, help="decisions played for it that figures are measured on too")
    add("--deals", type=int, default=50_000, help="duplicate deals against the teacher")
    add("--boards", type=int, default=40, help="of the best response from the river")
    add("--lbr-boards", type=int, default=20, help="of the local best response, each with one way into each next round")
    add("--blueprint-steps", type=int, default=1_000_000, help="iterations of the no-limit teacher")
    o = parser.parse_args(words)
    for name, known in (("only", PARTS), ("teachers", TEACHERS), ("systems", SYSTEMS)):
        asked = getattr(o, name).split("+")
        if unknown := [one for one in asked if one not in known]:
            raise UsageError(f"--{name} takes some of {'+'.join(known)}. Got {unknown[0]!r}.")
        setattr(o, name, asked)
    o.amounts = [int(one) for one in o.amounts.split("+")]
    return o


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on.")
