"""Whether two installations of cardai play, measure and train the same, byte by byte: for a change that must change nothing.

    python benchmarks/same_bytes.py --before ../old/.venv/bin/python [--after .venv/bin/python] [--keep DIR] [--only 'trainings/*']

Each side is a checkout with a ``.venv``, or the Python of a checkout's environment. Everything goes through the command
line of each, so modules may have moved. Compared are:

- records: ``run --record`` of every game that both sides list, with two of its players at three seeds, and of more players
  and options, and the figures that ``run`` prints;
- playthroughs, written anew by each checkout's own ``tests/playthroughs/renew.py``;
- figures of ``evaluate``: exploitability, value, video poker; spots solved, best responses, LBR, AIVAT, re-solving,
  situations: every number that the command prints, and the files it leaves;
- trainings: of each trainer one that goes through and one that is stopped at half and resumed: every array, tensor and
  value of the last checkpoint, the metrics, and the record of a match of the trained player.

Left out are the format and version in a record's header, seconds and rates, and in a run its id, dates, versions and
command. What only one side's checkpoints have is left out where it is known why: how they describe the views in them (the
views themselves are compared), and a betting run's network for draws. ``--keep DIR`` keeps what was made in a folder for each digest of a side's sources and versions (before-...,
after-...; any may be deleted), and what is there is not made again. The last line is "N identical, M different"; the exit
code is 1 unless M is 0 and N is not.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen
from same_bytes_cases import COMMANDS, EVALUATIONS, MORE_MATCHES, PLAYERS, TRAININGS, Training

ROOT = Path(__file__).resolve().parents[1]
SEEDS = (0, 1, 2)
GAMES = "24"  # of a match: whole duplicate groups for 1, 2, 3 and 6 seats
_TIMED = re.compile(
    r"seconds|_per_second|^(cardai|version|versions|command|created|nonce|id)$"
)  # keys that differ from run to run
_NEW = re.compile(r"/draws\.(json|safetensors)/|/state\.json/(fields|views)\b")
"""Parts of a betting run's checkpoint that one side may not have: the network for draws, once read from its own run, and
how the views in it are described (a digest at first, names and types since)."""
_VERSION = re.compile(rb',"(format|version|versions)":("[^"]*"|\d+|\{[^}]*\})')
_PATIENCE = 1800.0  # seconds for one command


class CommandError(Exception):
    """A command of one side failed; the message is the last line that it said."""


@frozen
class Step:
    """A command: the arguments of cardai, or of the checkout's ``script``; ``output`` keeps what it prints."""

    arguments: tuple[str, ...]
    output: str = ""
    script: str = ""


@frozen
class Job:
    """Commands run one after another in a folder of their own, which holds ``files`` before; what they leave is compared."""

    name: str
    steps: tuple[Step, ...]
    files: dict[str, str] = field(factory=dict)

    def text(self) -> str:
        """Return what was done, for telling whether kept results are of the same commands."""
        steps = [[step.script, *step.arguments, step.output] for step in self.steps]
        return json.dumps({"steps": steps, "files": self.files}, indent=1)


@frozen
class Side:
    """An installation and the folder of its results."""

    name: str
    python: Path
    root: Path
    folder: Path

    def run(self, step: Step, folder: Path) -> str:
        """Run a command in ``folder`` and return its standard output. Raises CommandError where it fails."""
        program = (
            [str(self.root / step.script)] if step.script else ["-P", "-m", "cardai"]
        )  # -P: not what lies in the folder
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        left = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CARDAI_CACHE_DIR")}
        more = {
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "CUDA_VISIBLE_DEVICES": "",
        }  # draw values: each side its own
        command = [str(self.python), *program, *step.arguments]
        environment = left | more | dict.fromkeys(names, "1")
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=_PATIENCE
            )
        except subprocess.TimeoutExpired:
            raise CommandError(f"{' '.join(step.arguments[:2])} did not end in {_PATIENCE:.0f} seconds") from None
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
            raise CommandError(f"{' '.join(step.arguments[:2])} ended with {done.returncode}: {said}")
        return done.stdout

    def asked(self, *arguments: str) -> Any:
        """Return the JSON that a command prints, or printed before."""
        job = Job(f"asked/{' '.join(arguments)}", (Step((*arguments, "--json"), "answer.json"),))
        return json.loads((self.do(job) / "answer.json").read_text())

    def do(self, job: Job) -> Path:
        """Do a job unless its results are kept; return their folder. Raises CommandError."""
        folder = self.folder / re.sub(r"[^A-Za-z0-9=,.+_/-]", "-", job.name)
        if _is_done(folder, job):
            return folder
        beside = folder.with_name(f".{folder.name}.{os.getpid()}")
        beside.mkdir(parents=True, exist_ok=True)
        try:
            for name, text in job.files.items():
                (beside / name).write_text(text, encoding="utf-8")
            for step in job.steps:
                said = self.run(step, beside)
                if step.output:
                    (beside / step.output).write_text(said, encoding="utf-8")
            (beside / "job.json").write_text(job.text())
            if not _is_done(folder, job):  # by another process
                shutil.rmtree(folder, ignore_errors=True)
                beside.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return folder


def _is_done(folder: Path, job: Job) -> bool:
    mark = folder / "job.json"
    return mark.is_file() and mark.read_text() == job.text()


# -- the two sides ------------------------------------------------------------------------------------------------------


def side_of(name: str, place: Path, keep: Path) -> Side:
    """Return the side of a checkout or a Python, with its folder in ``keep``. Raises SystemExit where it is neither."""
    python = place.absolute() if place.is_file() else place.absolute() / ".venv" / "bin" / "python"
    if not python.is_file():
        raise SystemExit(f"--{name} {place} is neither a Python nor a checkout with .venv/bin/python.")
    code = (
        "import importlib.metadata as m, json, platform, cardai; of = lambda n: [d.version for d in m.distributions(name=n)];"
        "print(json.dumps([cardai.__file__, platform.python_version(), *map(of, ('numpy', 'numba', 'torch'))]))"
    )
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([str(python), "-P", "-c", code], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"--{name}: {python} cannot import cardai: {done.stderr.strip().splitlines()[-1]}")
    package, *versions = json.loads(done.stdout)
    root = Path(package).parents[1]
    if place.is_dir() and root != place.resolve():
        raise SystemExit(f"--{name}: the cardai of {python} lies in {root}, not in {place}.")
    if not (root / "tests" / "playthroughs" / "renew.py").is_file():
        raise SystemExit(f"--{name}: {root} is no checkout: it has no tests/playthroughs/renew.py.")
    folder = keep / f"{name}-{_digest(root, json.dumps([str(root), versions]))[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    return Side(name, python, root, folder)


def _digest(root: Path, more: str) -> str:
    """Return the SHA-256 of everything in the package, of the script of the playthroughs, and of ``more``."""
    files = [path for path in (root / "cardai").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    digest = hashlib.sha256(more.encode())
    for path in [*sorted(files), root / "tests" / "playthroughs" / "renew.py"]:
        digest.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


# -- what is done -------------------------------------------------------------------------------------------------------


def jobs_of(before: Side, after: Side) -> list[Job]:
    """Return all jobs of what both sides have, and say what only one has, and what no job uses."""
    plugins = [{(row["kind"], row["name"]): row for row in side.asked("list-plugins")} for side in (before, after)]
    say_alone([" ".join(key) for key in plugins[0]], [" ".join(key) for key in plugins[1]])
    both = {key: row for key, row in plugins[0].items() if key in plugins[1]}
    agents = [name for kind, name in both if kind == "agent"]
    jobs = [job for (kind, name), row in both.items() if kind == "game" for job in matches(before, name, row, agents)]
    more = [(game, players.split()) for game, players in MORE_MATCHES if ("game", game.split(":")[0]) in both]
    jobs += [match(game, players) for game, players in more]
    jobs += [playthroughs(before, after)]
    for text in EVALUATIONS:
        jobs.append(Job(f"evaluations/{text}", (Step(("evaluate", *text.split(), "--json"), "figures.json"),)))
    jobs += [
        Job(f"commands/{text}".replace(" --", " "), (Step((*text.split(), "--json"), "figures.json"),))
        for text in COMMANDS
    ]
    jobs += [training(case) for case in TRAININGS]
    used = set(re.findall(r"[\w-]+", " ".join(word for job in jobs for step in job.steps for word in step.arguments)))
    used |= {row["preset_of"] for (_, name), row in both.items() if name in used}
    unused = [f"{kind} {name}" for (kind, name), row in both.items() if not row["preset_of"] and name not in used]
    print(f"not used: {', '.join(unused)}" if unused else "every plugin is used, or one of its presets")
    return jobs


def say_alone(before: Sequence[str], after: Sequence[str]) -> None:
    """Say what only one side has."""
    for name, mine, other in (("before", before, after), ("after", after, before)):
        if only := [item for item in mine if item not in other]:
            print(f"only {name}: {', '.join(only)}")


def matches(side: Side, game: str, row: dict[str, Any], agents: Iterable[str]) -> list[Job]:
    """Return the matches of a game: its players in turn on all seats, or each alone where there is one seat."""
    seats = side.asked("describe", "game", game)["num_players"]
    players = PLAYERS.get(game) or PLAYERS.get(row["preset_of"]) or fitting(side, game, agents)
    if seats == 1:
        return [match(game, [player]) for player in players]
    return [match(game, [players[seat % len(players)] for seat in range(seats)])]


def fitting(side: Side, game: str, agents: Iterable[str]) -> list[str]:
    """Return the first two agents that say that they play a game which is not in the table."""
    found: list[str] = []
    for agent in agents:
        with contextlib.suppress(CommandError):
            side.asked("describe", "agent", agent, "--game", game)
            found += [agent] if agent != "human" else []
        if len(found) == 2:
            break
    return found


def match(game: str, players: Sequence[str]) -> Job:
    """Return a match at three seeds, with its records and figures."""
    seats = [word for player in players for word in ("--vs", player)][1:]
    words = ("run", "--game", game, "--agent", *seats, "--games", GAMES, "--json")
    steps = [Step((*words, "--seed", str(n), "--record", f"seed-{n}.jsonl"), f"seed-{n}.json") for n in SEEDS]
    return Job(f"records/{game} {' '.join(players)}", tuple(steps))


def playthroughs(before: Side, after: Side) -> Job:
    """Return the writing of all playthroughs that both have, by the headers that stand in the files before."""
    folders = [side.root / "tests" / "playthroughs" for side in (before, after)]
    names = [{file.name for file in folder.glob("*.txt")} for folder in folders]
    say_alone(*([f"playthrough {name}" for name in sorted(found)] for found in names))
    shared = sorted(names[0] & names[1])
    heads = {name: (folders[0] / name).read_text(encoding="utf-8").split("\n\n")[0] + "\n\n" for name in shared}
    return Job("playthroughs", (Step(tuple(shared), script="tests/playthroughs/renew.py"),), heads)


def training(case: Training) -> Job:
    """Return a training straight through, one stopped at half and resumed, and a match and figures of its player."""
    steps = list(_trained(case.first, "first")) if case.first else []
    steps += _trained(case, "straight")
    steps += _trained(case, "resumed", case.steps // 2)
    steps += [Step(("train", "-q", "--resume", "resumed", "--keep", "1", "--steps", str(case.steps)))]
    vs = ("--vs", case.vs) if case.vs else ()
    played = ("run", "--game", case.game, "--agent", "resumed", *vs, "--games", GAMES, "--seed", "3", "--json")
    steps += [Step((*played, "--record", "played.jsonl"), "played.json")]
    if case.measured:
        measured = ("evaluate", "exploitability", "--game", case.game, "--agent", "straight", "--json")
        steps += [Step(measured, "exploitability.json")]
    return Job(f"trainings/{case.trainer.split(':')[0]} {case.game} {case.encoder.split(':')[0]}".strip(), tuple(steps))


def _trained(case: Training, out: str, steps: int = 0) -> list[Step]:
    encoder = ("--encoder", case.encoder) if case.encoder else ()
    words = ("train", "-q", "--trainer", case.trainer, "--game", case.game, *encoder, "--seed", "5", "--keep", "1")
    return [Step((*words, "--out", out, "--steps", str(steps or case.steps)))]


# -- what is compared ---------------------------------------------------------------------------------------------------


def products(folder: Path) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the name of each thing in a job's folder that is compared, and its parts (lines, values, arrays) by name."""
    for path in sorted(folder.iterdir()):
        if (path / "run.json").is_file():
            yield path.name, run_parts(path)
        elif path.suffix == ".json" and path.name != "job.json":
            yield path.name, json_parts(json.loads(path.read_text()))
        elif path.suffix in (".jsonl", ".txt"):
            first, *rest = path.read_bytes().split(b"\n")
            yield path.name, {f"line {n}": line for n, line in enumerate([_VERSION.sub(b"", first), *rest], 1)}
        elif path.is_dir():
            yield path.name, {name: part for file in sorted(path.rglob("*")) for name, part in file_parts(file).items()}


def file_parts(file: Path) -> dict[str, bytes]:
    """Return the arrays of an archive or the values of a JSON file by name; nothing of other files."""
    if file.suffix == ".npz":
        with np.load(file, allow_pickle=False) as data:
            return {f"{file.name}/{name}": _array(data[name]) for name in data.files}
    return json_parts(json.loads(file.read_text()), f"{file.name}/") if file.suffix == ".json" else {}


def run_parts(run: Path) -> dict[str, bytes]:
    """Return a run's last checkpoint, without its manifest (lengths and hashes of what is compared), and its metrics."""
    from safetensors.numpy import load_file

    parts: dict[str, bytes] = {}
    folder = max((run / "checkpoints").glob("step-*"))
    for file in sorted(folder.iterdir()):
        if file.suffix == ".safetensors":
            parts |= {f"{file.name}/{name}": _array(tensor) for name, tensor in load_file(str(file)).items()}
        elif file.suffix in (".npz", ".json"):
            parts |= file_parts(file) if file.name != "manifest.json" else {}
        elif file.name != "manifest.json":
            parts[file.name] = file.read_bytes()
    for number, line in enumerate((run / "metrics.jsonl").read_text().splitlines(), 1):
        parts |= json_parts(json.loads(line), f"metrics.jsonl line {number}/")
    return {f"{folder.name}/{name}": part for name, part in parts.items()}


def _array(array: np.ndarray[Any, Any]) -> bytes:
    return f"{array.dtype} {array.shape}".encode() + b"\0" + array.tobytes()


def json_parts(value: Any, path: str = "") -> dict[str, bytes]:
    """Return the values in a JSON value by their path, but for times and versions."""
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        kept = [(str(key), inner) for key, inner in items if not _TIMED.search(str(key))]
        start = f"{path}." if path and not path.endswith("/") else path
        return {name: part for key, inner in kept for name, part in json_parts(inner, start + key).items()}
    return {path: json.dumps(value).encode()}


def difference(before: dict[str, bytes], after: dict[str, bytes]) -> str:
    """Return how many parts differ and how the first does; "" where all are the same bytes."""
    names = [n for n in dict.fromkeys([*before, *after]) if (n in before and n in after) or not _NEW.search(n)]
    wrong = [name for name in names if before.get(name) != after.get(name)]
    if not wrong:
        return ""
    one, other = before.get(wrong[0]), after.get(wrong[0])
    if one is None or other is None:
        how = f"not {'before' if one is None else 'after'}"
    else:
        at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        said = [_excerpt(part, at) for part in (one, other)]
        how = f"{said[0]} before, {said[1]} after" if said[0] != said[1] else f"other numbers, {said[0]}"
    return f"{len(wrong)} of {len(names)} parts differ, first {wrong[0]}: {how}"


def _excerpt(part: bytes, at: int) -> str:
    """Return what stands around a place, or an array's type and shape."""
    text, array, _ = part.partition(b"\0")
    return text.decode() if array else repr(text[max(0, at - 30) : at + 30].decode(errors="replace"))


def compare(job: Job, sides: Sequence[Side]) -> Iterator[tuple[str, str]]:
    """Do a job on both sides; yield the name of each thing compared, and its difference or ""."""
    made: list[dict[str, dict[str, bytes]]] = []
    for side in sides:
        try:
            made.append(dict(products(side.do(job))))
        except CommandError as error:
            yield job.name, f"{side.name}: {error}"
            return
    for name in dict.fromkeys([*made[0], *made[1]]):
        yield f"{job.name}/{name}", difference(*(found.get(name, {}) for found in made))
    if not any(made):
        yield job.name, "nothing was made on either side"


def compare_all(jobs: Sequence[Job], sides: Sequence[Side]) -> int:
    """Compare all, with progress on standard error; print the differences and the sums, and return the exit code."""
    same, wrong = Counter[str](), 0
    start = time.monotonic()
    for number, job in enumerate(jobs, 1):
        sys.stderr.write(f"[{number}/{len(jobs)}, {time.monotonic() - start:.0f} s] {job.name[:100]}\n")
        for name, how in compare(job, sides):
            if how:
                wrong += 1
                print(f"different: {name}: {how}", flush=True)
            else:
                same[name.split("/")[0]] += 1
    sums = [f"{count} of {kind}" for kind, count in same.items()]
    print(", ".join([*sums, f"{os.times().children_user + os.times().children_system:.0f} CPU seconds"]))
    print(f"{same.total()} identical, {wrong} different")
    return int(wrong > 0 or same.total() == 0)


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, help="a checkout with a .venv, or its Python")
    parser.add_argument("--after", type=Path, default=ROOT, help="the same (default: this checkout)")
    parser.add_argument("--keep", type=Path, help="keep the results there and do not make them again")
    parser.add_argument("--only", default="*", help="a pattern of names, such as 'records/gin*'")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        place = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            sides = [side_of(name, getattr(arguments, name), place.absolute()) for name in ("before", "after")]
            jobs = [job for job in jobs_of(*sides) if fnmatch.fnmatch(job.name, arguments.only)]
            code = compare_all(jobs, sides)
        except KeyboardInterrupt:
            print(f"interrupted{f'; the same command goes on with what is in {place}' if arguments.keep else ''}")
            code = 130
    raise SystemExit(code)


if __name__ == "__main__":
    main()
