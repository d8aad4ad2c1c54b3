"""The commands that ``benchmarks/kill.py`` kills: how each begins and goes on, what of it is finished, what it leaves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

ROOT = Path(__file__).resolve().parents[1]
CLOCKS = ("seconds", "per_second", "time")
"""How the names of clock readings end."""
Result = dict[str, Any]
"""What a run leaves, by name: text, bytes and numbers that can be compared."""


@define
class Writer:
    """A command that writes. ``size`` is how much it has to do; paths are relative to its place."""

    name: str
    start: Callable[[int], list[str]]
    """The command line, by size."""
    on: Callable[[Path, int], list[str] | None]
    """The command line that goes on with what is in a place, None where nothing is, empty where nothing is left to do."""
    finished: Callable[[Path], int]
    """How much in a place is finished: never less than before."""
    result: Callable[[Path, str], Result]
    """What a place holds at the end, and what was printed."""
    size: int = 0
    most: int = 0
    """The largest size (0: it is fixed)."""
    least: float = 0.6
    """Seconds that the undisturbed run takes, or more."""
    answers: str = ""
    """What is typed."""
    warm: Callable[[int], list[str]] | None = None
    """What is called first, in the process that the others are forks of, if not the start: it may leave no thread behind."""
    ready: Callable[[Path], None] = field(default=lambda folder: None)
    """Makes what it reads, in the folder above its places."""

    def prepare(self, folder: Path) -> None:
        """Make what is read."""
        self.ready(folder)

    def command(self, place: Path) -> list[str]:
        """Return the command line for a place as it stands."""
        words = self.on(place, self.size)
        return self.start(self.size) if words is None else words

    def longer(self, seconds: float) -> bool:
        """Give it more to do after a run of so many seconds; False where that is all it can have."""
        if self.size >= self.most:
            return False
        self.size = min(self.most, max(2 * self.size, int(self.size * min(16.0, self.least / max(seconds, 1e-3)))))
        return True


# -- what is left --------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a JSON value without clock readings."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if not k.endswith(CLOCKS) and k != "resumed"}
    return [plain(item) for item in value] if isinstance(value, list) else value


def arrays(folder: Path) -> Result:
    """Return every array and JSON value in a folder's files, by file and name."""
    import numpy as np

    found: Result = {}
    for file in sorted(folder.iterdir()):
        if file.suffix == ".safetensors":
            from safetensors.numpy import load_file

            found |= {f"{file.name}/{name}": tensor.tobytes() for name, tensor in load_file(str(file)).items()}
        elif file.suffix == ".npz":
            with np.load(file, allow_pickle=False) as data:
                found |= {f"{file.name}/{name}": data[name].tobytes() for name in data.files}
        elif file.suffix == ".json" and file.name != "manifest.json":
            found[file.name] = plain(json.loads(file.read_text()))
    return found


def trained(folder: Path) -> Result:
    """Return a run's newest checkpoint and its metrics."""
    from cardai.training.runs import Run

    run = Run.open(folder)
    checkpoint, refused = run.latest()
    assert checkpoint is not None
    rows = [plain(row) for row in run.read_metrics()]
    return {**arrays(checkpoint.path), "metrics": rows, "refused": refused, "step": checkpoint.step}


def newest_step(folder: Path) -> int:
    """Return the step of a run's newest good checkpoint, 0: there is none."""
    from cardai.training.runs import Run

    if not (folder / "run.json").is_file():
        return 0
    checkpoint, _ = Run.open(folder).latest()
    return 0 if checkpoint is None else checkpoint.step


def groups(file: Path) -> int:
    """Return how many groups of a match are whole in its journal or record, at least."""
    from cardai.arena.journal import journal_of

    most = 0
    for held in {file, journal_of(file)}:  # both, where a match is about to go on from its record
        lines = held.read_bytes().splitlines(keepends=True)[1:] if held.is_file() else []
        numbers = {json.loads(line)["group"] for line in lines if line.endswith(b"\n")}
        most = max(most, len(numbers) - (held != file))
    return most


def hands(file: Path) -> int:
    """Return how many hands of a table are finished."""
    from cardai.arena.journal import journal_of
    from cardai.arena.records import read

    return len(read(journal_of(file)).hands) if journal_of(file).is_file() else 0


def whole_files(place: Path) -> Result:
    """Return every file that a command has left in its place, but what a killed process had half written, under its own name."""
    from cardai.core.files import unfinished

    files = [file for file in sorted(place.rglob("*")) if file.is_file() and not unfinished(file)]
    return {str(file.relative_to(place)): file.read_bytes() for file in files}


def printed(out: str) -> Any:
    """Return what was printed as JSON, without clock readings."""
    return plain(json.loads(out)) if out.strip() else None


# -- play ----------------------------------------------------------------------------------------------------------


def _run(*more: str) -> Callable[[int], list[str]]:
    words = ["run", "-g", "gin:target=30", "-a", "simple", "--vs", "heisenbot", "--record", "r.jsonl", "--seed", "7"]
    return lambda size: [*words, "--resume", "--json", "-n", str(2 * size), *more]


def _recorded(place: Path, out: str) -> Result:
    return {"record": (place / "r.jsonl").read_bytes(), "printed": printed(out), "files": len(list(place.iterdir()))}


def _tournament(size: int) -> list[str]:
    agents = [word for name in ("random", "always_call", "acpc_mix") for word in ("-a", name)]
    return ["tournament", "-g", "leduc", *agents, "-n", str(2 * size), "--out", "t", "--resume", "--json"]


def _pairs(place: Path) -> int:
    from cardai.arena.tournament import saved

    held = saved(place / "t", ["random", "always_call", "acpc_mix"])
    return 0 if held is None else sum(map(len, held.pairings.values()))


def _standings(place: Path, out: str) -> Result:
    return {
        "printed": printed(out),
        "crosstable": (place / "t/crosstable.json").read_bytes(),
        "finished": _pairs(place),
    }


def _person(size: int) -> list[str]:
    words = ["run", "-g", "leduc", "-a", "human", "--vs", "always_call", "--record", "r.jsonl", "--seed", "3"]
    return [*words, "-n", str(size), "--json"]


def _person_on(place: Path, size: int) -> list[str] | None:
    there = any((place / name).is_file() for name in ("r.jsonl", "r.jsonl.open"))
    return [*_person(size), "--resume"] if there else None


def _none(place: Path, size: int) -> None:
    """The same command goes on."""


PLAY = [
    Writer("run", _run(), _none, lambda place: groups(place / "r.jsonl"), _recorded, size=300, most=4000),
    Writer(
        "run, 2 jobs",
        _run("--jobs", "2"),
        _none,
        lambda place: groups(place / "r.jsonl"),
        _recorded,
        size=3000,
        warm=_run(),
    ),
    Writer("tournament", _tournament, _none, _pairs, _standings, size=1000, most=50_000),
    Writer(
        "play",
        _person,
        _person_on,
        lambda place: hands(place / "r.jsonl"),
        _recorded,
        size=100,
        most=2000,
        answers="c\n" * 20_000,
    ),
]


# -- solving and converting ----------------------------------------------------------------------------------------


def _solve(size: int) -> list[str]:
    spot = ["--board", "KsTh7s4d2c", "--pot", "200", "--stack", "400", "--bets", "0.5+1+allin"]
    return ["solve", *spot, "--iterations", str(size), "--to", "0.000001%", "--out", "s", "--json"]


def _save_often(folder: Path) -> None:
    from cardai.commands import solve

    solve.SAVE_SECONDS = 0.02


def _iterations(place: Path) -> int:
    file = place / "s/spot.json"
    return int(json.loads(file.read_text())["iterations"]) if file.is_file() else 0


def _solution(place: Path, out: str) -> Result:
    return {**arrays(place / "s"), "printed": printed(out)}


def _preflop(size: int) -> list[str]:
    rules = ["--players", "2", "--stack", "8", "--raises", "allin", "--blind-raises", "allin", "--no-limp"]
    return [
        "preflop",
        "lib",
        "--name",
        "x",
        *rules,
        "--seeds",
        "2",
        "--iterations",
        str(500 * size),
        "--hands",
        "20000",
        "--json",
    ]


def _keep_often(folder: Path) -> None:
    from cardai.poker.preflop import making

    making.KEPT_EVERY = 0.02


def _iterated(place: Path) -> int:
    file = place / "lib/preflop/x/solving.json"
    return sum(json.loads(file.read_text())["steps"].values()) if file.is_file() else 0


def _chart(place: Path, out: str) -> Result:
    return arrays(place / "lib/preflop/x")


def _situations(size: int) -> list[str]:
    return ["situations", "d", "--game", "leduc_deepstack", "--iterations", "30", "--count", str(40 * size)]


def _small_shards(folder: Path) -> None:
    from cardai.poker.values.recipe import PER_SHARD

    PER_SHARD["second"] = 40


def _solved(place: Path) -> int:
    from cardai.poker.values.situation_set import HEAD, load

    return len(load(place / "d")) if (place / "d" / HEAD).is_file() else 0


def _situations_on(place: Path, size: int) -> list[str] | None:
    return ["situations", "d", "--count", str(40 * size)] if (place / "d/situations.json").is_file() else None


def _source(folder: Path) -> None:
    """Make a record, in another process: conversions want rules that are not compiled, and take 10 ms a hand with them."""
    words = ["run", "-g", "holdem_limit", "-a", "threshold", "--vs", "always_call", "-n", "60", "--seed", "2"]
    command = [sys.executable, "-m", "cardai", *words, "--record", str(folder / "hands.jsonl"), "--quiet"]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def _converted_on(place: Path, size: int) -> list[str] | None:
    """A directory of examples that has its manifest is whole, and refuses others."""
    return [] if (place / "x/manifest.json").is_file() else None


CONVERSIONS = {
    "convert to acpc": ["convert", "../hands.jsonl", "out.log"],
    "convert to phh": ["convert", "../hands.jsonl", "out.phhs"],
    "convert to examples": ["convert", "../hands.jsonl", "--to", "examples", "--out", "x"],
}
FILES = [
    Writer("solve", _solve, _none, _iterations, _solution, size=100, most=20_000, ready=_save_often),
    Writer("preflop", _preflop, _none, _iterated, _chart, size=4, most=200, ready=_keep_often),
    Writer(
        "situations",
        _situations,
        _situations_on,
        _solved,
        lambda place, out: arrays(place / "d"),
        size=4,
        most=200,
        ready=_small_shards,
    ),
    *(
        Writer(
            name,
            lambda size, words=words: words,
            _converted_on if name.endswith("examples") else _none,
            lambda place: 0,
            lambda p, out: whole_files(p),
            ready=_source,
        )  # type: ignore[misc]
        for name, words in CONVERSIONS.items()
    ),
]


# -- training ------------------------------------------------------------------------------------------------------


@define
class Small:
    """A trainer as it is killed: its spec with options that make it small, the game, the encoder, what it reads."""

    trainer: str
    game: str
    encoder: str | None = None
    steps: int = 8
    ready: Callable[[Path], None] = lambda folder: None


def _examples(folder: Path) -> None:
    from cardai.formats.stream import stream_hands
    from cardai.learn.imitation.convert import convert

    convert([str(ROOT / "tests/formats/data/2p.limit.seed0.log")], stream_hands, folder / "examples")


def _labels(folder: Path) -> None:
    from cardai.poker.values.situation_set import Recipe, produce

    produce(folder / "labels", Recipe("second", 3, (30,) * 5, game="leduc_deepstack", per_shard=300), 300)


def _blueprint(folder: Path) -> None:
    from cardai.training.runs import Run
    from cardai.training.session import Session

    run = Run.create(folder / "blueprint", SMALL["bucket_mccfr"].trainer, SMALL["bucket_mccfr"].game, None, 1, 400)
    Session.start(run).train(400)


_FEW_RAISES = "holdem_limit:max_raises=1+0+1+1"
SMALL: Mapping[str, Small] = {
    "bucket_mccfr": Small("bucket_mccfr:flop=1,turn=1,river=1", _FEW_RAISES, steps=200),
    "bucket_mccfr_draw": Small("bucket_mccfr_draw:hands=5,final=4", "triple_draw", steps=40),
    "bucket_cfr_br": Small("bucket_cfr_br:blueprint=../blueprint,own=2,equity=2,lanes=4,measure_every=3", _FEW_RAISES, ready=_blueprint),
    "cnn_valuation": Small(
        "cnn_valuation:data=../examples,batch=16,every=37,validation=20", "holdem_limit", "cnn_valuation", ready=_examples
    ),
    "counterfactual_values": Small(
        "leduc_values:width=8,context=16,blocks=1,batch=20,anneal=8,situations=../labels", "leduc_deepstack", ready=_labels
    ),
    "gin_values": Small("gin_values:hands=64,belief_hands=256,taught=1,batch=16,hidden=8", "gin", steps=3),
    "mmd": Small("mmd:hidden=8,layers=1,batch=64,tables=16,eval_every=5,average=100", "kuhn", "flat", steps=20),
    "nfsp": Small(
        "nfsp:hidden=16,tables=32,batch=32,rl_capacity=2000,sl_capacity=5000,min_data=100", "kuhn", "flat", steps=20
    ),
    "range_distillation": Small(
        "range_distillation:teacher=acpc_mix,hands=24,nodes=6,hidden=24,channels=4,every=2", _FEW_RAISES, steps=8
    ),
    "sd_cfr": Small("sd_cfr:traversals=40,updates=10,batch=32,hidden=8,layers=1,capacity=200", "kuhn", "flat", steps=20),
    "poker_cnn": Small(
        "poker_cnn:network=dense,batch=16,every=37,threads=1,measure=false,validation=0,examples=200",
        "video_poker",
        "grid_4x13:fields=hand",
    ),
    "poker_cnn_betting": Small(
        "poker_cnn_betting:network=dense,hands=150,unit=2,batch=6,epochs=1,threads=1",
        "leduc",
        "grid_4x13:fields=hole+board",
        steps=150,
    ),
}  # fmt: skip
"""What is too long otherwise, or reads files. Every other trainer is killed as it is, on the first game that it takes."""


@cache
def small(name: str) -> Small:
    """Return a trainer as it is killed."""
    if name in SMALL:
        return SMALL[name]
    from cardai.core import registry
    from cardai.core.errors import CardaiError
    from cardai.testing._trainer import any_encoder

    trainer = registry.create("trainer", name)
    games = [entry.name for entry in registry.entries("game") if not entry.preset_of and entry.status == "ok"]
    for spec in sorted(games, key=lambda game: (game != "kuhn", game != "leduc", game)):
        try:
            game = registry.create("game", spec)
            trainer.check_game(game)
        except CardaiError:
            continue
        encoder = any_encoder(game) if trainer.needs_encoder else None
        return Small(name, spec, None if encoder is None else registry.spec_of(encoder))
    raise RuntimeError(f"No game is there that {name} takes.")


def training(name: str, actors: int = 1, jobs: int = 1) -> Writer:
    """Return the training of a trainer as a writer: checkpoints at every turn; by actors, and processes that do their pieces."""
    by = f", {actors} actors" * (actors > 1) + f", {jobs} jobs" * (jobs > 1)
    last = ["--checkpoint-seconds", "0", *(["--jobs", str(jobs)] if jobs > 1 else [])]

    def alone(size: int) -> list[str]:
        found = small(name)
        words = ["train", "--trainer", found.trainer, "--game", found.game, "--seed", "5", "--out", "run"]
        words += ["--encoder", found.encoder] if found.encoder else []
        words += ["--actors", str(actors)] if actors > 1 else []
        return [*words, "--steps", str(size)]

    def on(place: Path, size: int) -> list[str] | None:
        there = (place / "run/run.json").is_file()
        return ["train", "--resume", "run", "--steps", str(size), *last] if there else None

    return Writer(
        f"train {name}{by}",
        lambda size: [*alone(size), *last],
        on,
        lambda place: newest_step(place / "run"),
        lambda place, out: trained(place / "run"),
        size=SMALL[name].steps if name in SMALL else 8,
        most=10**7,
        warm=lambda size: [*alone(size), "--checkpoint-seconds", "0"],
        ready=lambda folder: small(name).ready(folder),
    )


ACTORS = ("bucket_mccfr", "counterfactual_values", "gin_values", "mmd", "nfsp", "poker_cnn_betting")
"""The trainers whose steps are cut among actors."""


def _sweep(size: int) -> list[str]:
    words = ["sweep", "--trainer", "cfr", "--game", "kuhn", "--set", "variant=cfr+dcfr", "--seeds", "2"]
    return [*words, "--steps", str(size), "--out", "s", "--json"]


def _halved(size: int) -> list[str]:
    return [*_sweep(9 * size), "--halving", "3"]


def _points(place: Path) -> list[Path]:
    return sorted(file.parent for file in (place / "s").glob("*/*/run.json"))


SWEEPS = [
    Writer(
        name,
        begin,
        _none,
        lambda place: sum(map(newest_step, _points(place))),
        lambda place, out: {
            "printed": printed(out),
            **{f"{run.relative_to(place)}/{k}": v for run in _points(place) for k, v in trained(run).items()},
        },
        size=50,
        most=10**6,
    )
    for name, begin in (("sweep", _sweep), ("sweep, halving", _halved))
]


def all_writers() -> list[Writer]:
    """Return every writer: a trainer whose extra is not installed is said to be left out."""
    from cardai.core import registry

    trainers = []
    for entry in registry.entries("trainer"):
        if entry.preset_of:
            continue
        if entry.status != "ok":
            sys.stderr.write(f"The trainer {entry.name} is left out: {entry.status}.\n")
            continue
        trainers.append(training(entry.name))
        trainers += [training(entry.name, 2)] if entry.name in ACTORS else []
    trainers.append(training("bucket_mccfr", 2, 2))
    from kill_studies import STUDIES  # which takes from here what a writer is

    return [evolve(writer) for writer in [*PLAY, *FILES, *STUDIES, *SWEEPS, *trainers]]
