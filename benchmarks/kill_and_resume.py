"""Kills a training of poker_cnn_betting in the middle of its generations and goes on: the end must be the same, bit by bit.

    python benchmarks/kill_and_resume.py --game limit [--kills 6] [--hands 1000] [--generations 3]
    python benchmarks/kill_and_resume.py --game triple_draw --experiment

Every process is ``cardai train`` (with ``--experiment``: the experiment's own script, tiny, killed in its trainings and
its league). Kills are ``SIGKILL``, a random moment after a checkpoint made while hands were played, then after one made
while the network learned, in turns. At the end every tensor (networks of all generations, optimiser) and every array of
events of the killed run is compared with those of a run that nobody stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from safetensors.numpy import load_file

ROOT = Path(__file__).resolve().parents[1]
_PATIENCE = 600.0  # seconds for a process to get somewhere


@frozen
class Case:
    """What is trained: specs of game and encoder, options of the trainer, and the experiment's folder."""

    game: str
    encoder: str
    options: str
    experiment: str = ""


CASES = {
    "leduc": Case("leduc", "grid_4x13:fields=hole+board+history+player", "network=dense,unit=2,league=always_call"),
    "limit": Case(
        "poker_cnn_limit",
        "poker_cnn_limit:size=4x13",
        "teachers=holdem_heuristic,league=threshold+random",
        "poker_cnn_limit",
    ),
    "triple_draw": Case(
        "triple_draw",
        "poker_cnn_triple_draw:size=4x13",
        "teachers=draw_heuristic,league=always_call",
        "poker_cnn_triple_draw",
    ),
}


def newest(run: Path) -> tuple[str, tuple[int, ...]]:
    """Return what a run did when its newest checkpoint was made ("playing", "learning", "" for none), and how far it was."""
    for folder in sorted((run / "checkpoints").glob("step-*"), reverse=True):
        try:
            state = json.loads((folder / "state.json").read_text())
        except (OSError, ValueError):
            continue  # just being replaced
        if "parts" not in state:
            return "learning", (int(state["step"]),)  # a value network
        phase = "learning" if state["minibatch"] else "playing" if state["parts"] else ""
        return phase, tuple(int(state[name]) for name in ("generations", "played", "minibatch"))
    return "", ()


def kill(process: subprocess.Popen[str], run: Path, wanted: str, rng: random.Random, beyond: Path | None = None) -> str:
    """Kill the process a random moment after a new checkpoint of the phase wanted; "" if it ended before.

    Kill it too, and return "league", when the phase has gone by and there are played matches in ``beyond``.
    """
    before, limit = newest(run)[1], time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < limit:
        phase, where = newest(run)
        gone = beyond is not None and any(beyond.glob("*.jsonl"))
        if gone or (where > before and phase == wanted):
            time.sleep(rng.random() * 0.5)
            if process.poll() is not None:
                return ""
            process.send_signal(signal.SIGKILL)
            process.wait()
            return "league" if gone else phase
        time.sleep(0.01)
    return ""


def league_begun(process: subprocess.Popen[str], folder: Path, rng: random.Random) -> str:
    """Kill the process a random moment after its league has played something; "" if it ended before."""
    limit = time.monotonic() + _PATIENCE
    before = len(list(folder.glob("*.jsonl")))
    while process.poll() is None and time.monotonic() < limit:
        if len(list(folder.glob("*.jsonl"))) > before:
            time.sleep(rng.random() * 0.5)
            process.send_signal(signal.SIGKILL)
            process.wait()
            return "league"
        time.sleep(0.01)
    return ""


def arrays(folder: Path) -> dict[str, Any]:
    """Return every tensor and array in a folder's files, by file and name."""
    found: dict[str, Any] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix == ".safetensors":
            found |= {f"{file.name}/{name}": tensor for name, tensor in load_file(str(file)).items()}
        elif file.suffix == ".npz":
            with np.load(file, allow_pickle=False) as data:
                found |= {f"{file.name}/{name}": data[name] for name in data.files}
    return found


def differing(first: Path, second: Path) -> tuple[int, list[str]]:
    """Return how many arrays there are in two folders together, and the names of those that are not the same bytes."""
    one, other = arrays(first), arrays(second)
    names = sorted(one.keys() | other.keys())
    wrong = [n for n in names if n not in one or n not in other or one[n].tobytes() != other[n].tobytes()]
    return len(names), wrong


def last_checkpoint(run: Path) -> Path:
    """Return the newest checkpoint's folder."""
    return max((run / "checkpoints").glob("step-*"))


def train_and_kill(case: Case, arguments: argparse.Namespace, folder: Path) -> int:
    """Kill and go on through ``cardai train``; return how many arrays differ."""
    options = f"hands={arguments.hands},batch=64,epochs=2,threads=1,{case.options}"
    start = ["--trainer", f"poker_cnn_betting_ours:{options}", "--game", case.game, "--encoder", case.encoder]
    steps = str(arguments.hands * arguments.generations)

    def command(*more: str) -> list[str]:
        return [sys.executable, "-m", "cardai", "train", *more, "--steps", steps]

    whole, killed = folder / "whole", folder / "killed"
    run(command(*start, "--out", str(whole)))
    rng, kills = random.Random(arguments.seed), Counter[str]()
    while kills.total() < arguments.kills:
        more = ["--resume", str(killed)] if (killed / "run.json").is_file() else [*start, "--out", str(killed)]
        wanted = "learning" if kills.total() % 2 else "playing"
        done = kill(started(command(*more, "--checkpoint-seconds", "0.2")), killed, wanted, rng)
        if not done:
            break
        kills[done] += 1
        sys.stdout.write(f"killed while {done} at (generations, hands, minibatches) {newest(killed)[1]}\n")
    run(command("--resume", str(killed)))
    count, wrong = differing(last_checkpoint(whole), last_checkpoint(killed))
    said = ", ".join(f"{n} while {phase}" for phase, n in sorted(kills.items()))
    sys.stdout.write(f"{case.game}: {kills.total()} kills ({said}); {count} arrays, {len(wrong)} differ\n")
    sys.stdout.writelines(f"  {name}\n" for name in wrong)
    return len(wrong) + int(kills.total() < min(arguments.kills, 2))


def experiment_and_kill(case: Case, arguments: argparse.Namespace, folder: Path) -> int:
    """Kill and go on through the experiment's script; return how many arrays and league files differ."""
    script = ROOT / "experiments" / case.experiment / "run.py"
    tiny = ["--share", str(arguments.share), "--generations", "2", "--only", "ours", "--games", "100"]
    whole = [sys.executable, str(script), *tiny, "--width", "1e9", "--runs", "runs", "--out", "report"]
    command = [*whole, "--checkpoint-seconds", "0.5"]
    places = [folder / name for name in ("whole", "killed")]  # where the processes run: players' names are relative
    for place in places:
        place.mkdir()
    run(whole, places[0])
    rng, runs, said = random.Random(arguments.seed), places[1] / "runs", Counter[str]()
    for part, phase in (
        ("values", "learning"),
        ("bets", "playing"),
        ("bets", "learning"),
        ("league", ""),
        ("final", ""),
    ):
        process = started(command, places[1])
        if phase:
            done = kill(process, runs / "ours" / part, phase, rng, runs / "league")
        else:
            done = league_begun(process, runs / part, rng)
        if done:
            said["league" if done == "league" else f"{part} {phase}"] += 1
        else:
            process.wait()
    run(command, places[1])
    count, wrong = 0, list[str]()
    for part in ("values", "bets"):
        here, differ = differing(*(last_checkpoint(place / "runs" / "ours" / part) for place in places))
        count, wrong = count + here, wrong + differ
    for part in ("league", "final"):
        here, differ = differing(*(place / "runs" / part for place in places))
        count, wrong = count + here, wrong + differ
    kills = ", ".join(f"{n} in {phase}" for phase, n in said.items())
    sys.stdout.write(
        f"{case.experiment}: {said.total()} kills ({kills}); {count} arrays (league included), {len(wrong)} differ\n"
    )
    sys.stdout.writelines(f"  {name}\n" for name in wrong)
    return len(wrong)


def started(command: list[str], place: Path = ROOT) -> subprocess.Popen[str]:
    """Start a command and let nobody see what it says."""
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, cwd=place)


def run(command: list[str], place: Path = ROOT) -> None:
    """Run a command to its end. Raises RuntimeError, with what it said, where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=place, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


def main() -> None:
    """Train, kill, go on, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=sorted(CASES), default="leduc")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--hands", type=int, default=1000, help="hands of a generation")
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--experiment", action="store_true", help="kill the experiment's script instead")
    parser.add_argument("--share", type=float, default=0.005, help="of the experiment's full length")
    arguments = parser.parse_args()
    case = CASES[arguments.game]
    if arguments.experiment and not case.experiment:
        parser.error(f"there is no experiment for {arguments.game}")
    with tempfile.TemporaryDirectory() as folder:
        work = experiment_and_kill if arguments.experiment else train_and_kill
        raise SystemExit(work(case, arguments, Path(folder)) > 0)


if __name__ == "__main__":
    main()
