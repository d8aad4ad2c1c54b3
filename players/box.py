"""Put a finished run into the package as a player, with its card.

    python players/box.py RUN NAME [--before RUN ...] --title "Leduc hold'em, solved by CFR+" --measure "cardai evaluate exploitability ..."

The measure is a command with the player's name in it and ``--json``; what it prints under ``--figure`` ("." all) is the card's figure,
and ``--words`` says it in words, with {figure} or {signed} and its interval (times ``--scale``). ``--before``: runs that this one was begun with, named in its
trainer's options. ``--also COMMAND WORDS`` measures it by another command, whose figure the card tells too. Only what a player reads is kept of a checkpoint: no buffers, no tables.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from cardai import make
from cardai.core import registry
from cardai.core.errors import CardaiError
from cardai.core.files import digest_of, read_json, write_json
from cardai.core.spec import Spec
from cardai.training.runs import Run
from cardai.training.specs import short_spec
from cardai.ui.box import content

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "cardai_players"
BOX = HERE.parent / "cardai" / "ui" / "box.json"
"""What ``cardai play`` knows of the players that are not installed."""
MODULE = '''"""{line}"""

from __future__ import annotations

from pathlib import Path

from cardai import hookimpl
from cardai_players.boxed import Boxed


class Player(Boxed):
    """{title}."""

    run = Path(__file__).parent / "run"


@hookimpl
def cardai_agent() -> type[Player]:
    return Player
'''


def copied(source: Run, target: Path, files: list[str], command: list[str], places: dict[str, str]) -> Run:
    """Copy a run with one checkpoint that holds ``files``; its description names ``command`` and ``places`` alone."""
    shutil.rmtree(target, ignore_errors=True)
    values = {key: value for key, value in read_json(source.path / "run.json").items() if key != "id"}
    values["command"] = command
    for path, place in places.items():
        values["trainer"] = values["trainer"].replace(path, place)
    values["versions"] = {name: text for name, text in values["versions"].items() if name != "platform"}
    values["id"] = digest_of(values)[:16]
    target.mkdir(parents=True)
    write_json(target / "run.json", values)
    shutil.copy(source.path / "metrics.jsonl", target / "metrics.jsonl")
    checkpoint, _ = source.latest()
    assert checkpoint is not None, "the run has no checkpoint"
    (target / "checkpoints").mkdir()
    made = Run.open(target)

    def write(directory: Path) -> None:
        for name in files:
            shutil.copy(checkpoint.path / name, directory / name)
        source.trainer().slim(source.game(), directory)

    made.save(checkpoint.step, write, checkpoint.seconds, checkpoint.cpu_seconds, keep=1)
    return made


def needed(source: Run, target: Path, command: list[str], places: dict[str, str]) -> list[str]:
    """Return the files of a checkpoint without which the player cannot be made."""
    checkpoint, _ = source.latest()
    assert checkpoint is not None, "the run has no checkpoint"
    kept = sorted(p.name for p in checkpoint.path.iterdir() if p.name != "manifest.json")
    for name in list(kept):
        fewer = [other for other in kept if other != name]
        try:
            run = copied(source, target, fewer, command, places)
            make.agent(Spec(str(target))).for_game(run.game())
        except Exception:  # it is needed
            continue
        kept = fewer
    return kept


def measured(command: str, name: str, figure: str) -> tuple[float, float]:
    """Return the figure that the measuring command prints for the player, and half its interval (0 where it is exact)."""
    words = shlex.split(command)
    program = "from cardai.cli import main; main()"
    given = [str(PACKAGE / name / "run") if word == name else word for word in words[1:]]
    done = subprocess.run([sys.executable, "-c", program, *given, "--json"], capture_output=True, text=True, check=True)
    found: Any = json.loads(done.stdout)
    for key in filter(None, figure.split(".")):
        found = found[int(key)] if key.isdigit() else found[key]
    if isinstance(found, dict):
        return float(found["mean"]), (found["high"] - found["low"]) / 2
    return float(found), 0.0


def main() -> None:
    """Box one run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("name")
    parser.add_argument("--title", required=True)
    parser.add_argument("--measure", required=True)
    parser.add_argument("--figure", required=True)
    parser.add_argument("--words", required=True)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--digits", type=int, default=6)
    parser.add_argument("--before", type=Path, action="append", default=[])
    parser.add_argument("--also", nargs=2, action="append", default=[], metavar=("COMMAND", "WORDS"))
    given = parser.parse_args()
    source, folder = Run.open(given.run), PACKAGE / given.name
    game = short_spec("game", source.game_spec)
    places = {str(path): f"runs/{given.name}_{i}" for i, path in enumerate(given.before)}
    before = [trained_by(Run.open(path), places[str(path)], places) for path in given.before]
    words = trained_by(source, f"runs/{given.name}", places)
    kept = needed(source, folder / "run", words, places)
    run = copied(source, folder / "run", kept, words, places)
    checkpoint, _ = run.latest()
    assert checkpoint is not None
    figure, half = measured(given.measure, given.name, given.figure)
    also = [(command, words, *measured(command, given.name, given.figure)) for command, words in given.also]
    card = {
        "name": given.name,
        "title": given.title,
        "game": game,
        "games": played(run),
        "before": [shlex.join(line) for line in before],
        "command": shlex.join(words),
        "seed": source.seed,
        "cpu_seconds": round(checkpoint.cpu_seconds + sum(spent(Run.open(path)) for path in given.before), 1),
        "measure": given.measure,
        "figure": figure,
        "strength": given.words.format(figure=told(figure, half, "", given), signed=told(figure, half, "+", given)),
    }
    if also:
        card["also"] = [
            {"measure": command, "figure": one, "strength": words.format(figure=told(one, wide, "", given))}
            for command, words, one, wide in also
        ]
    write_json(folder / "card.json", card)
    line = f"{given.title}: {card['strength']}."
    (folder / "__init__.py").write_text(MODULE.format(line=line, title=given.title), encoding="utf-8")
    list_all()


def trained_by(run: Run, out: str, places: dict[str, str]) -> list[str]:
    """Return the command that trains a run as ``out``; runs that it was begun with are called by their ``places``."""
    trainer = short_spec("trainer", run.trainer_spec)
    for path, place in places.items():
        trainer = trainer.replace(path, place)
    words = ["cardai", "train", "--trainer", trainer, "--game", short_spec("game", run.game_spec)]
    words += [] if run.encoder_spec is None else ["--encoder", short_spec("encoder", run.encoder_spec)]
    return [*words, "--steps", str(run.steps()[-1]), "--seed", str(run.seed), "--out", out]


def spent(run: Run) -> float:
    """Return the CPU seconds of a training."""
    checkpoint, _ = run.latest()
    assert checkpoint is not None
    return checkpoint.cpu_seconds


def told(figure: float, half: float, sign: str, given: argparse.Namespace) -> str:
    """Return a figure with half its interval."""
    text = f"{figure * given.scale:{sign},.{given.digits}f}"
    return f"{text} ± {half * given.scale:.{given.digits}f}" if half else text


def played(run: Run) -> list[str]:
    """Return the names of cardai's games that the run's player plays; a network reads chips as they are, so with its blinds."""
    found, networks = [], any(run.path.rglob("*.safetensors"))
    blind = getattr(run.game(), "big_blind", 0)
    for entry in registry.entries("game"):
        if entry.distribution == "cardai":
            try:
                game = make.game(entry.name)
                make.agent(Spec(str(run.path))).for_game(game)
            except CardaiError:
                continue
            if networks and getattr(game, "big_blind", 0) != blind:
                continue
            found.append(entry.name)
    return found


def list_all() -> None:
    """Write the entry points, the README's table, and the list that ``cardai play`` offers, from the cards."""
    cards = [read_json(file) for file in sorted(PACKAGE.glob("*/card.json"))]
    write_json(
        BOX,
        {
            card["name"]: {key: card[key] for key in ("title", "game", "games", "strength")}
            | {"files": content(PACKAGE / card["name"])}
            for card in cards
        },
    )
    project = HERE / "pyproject.toml"
    head = project.read_text(encoding="utf-8").partition('[project.entry-points."cardai.agents"]\n')
    lines = []
    for card in cards:
        networks = any((PACKAGE / card["name"] / "run").rglob("*.safetensors"))
        lines.append(f'{card["name"]} = "cardai_players.{card["name"]}{" [torch]" if networks else ""}"\n')
    project.write_text(head[0] + head[1] + "".join(lines), encoding="utf-8")
    readme = HERE / "README.md"
    text = re.sub(r"<!-- cards -->\n.*", "<!-- cards -->\n", readme.read_text(encoding="utf-8"), flags=re.DOTALL)
    for card in cards:
        size = sum(
            file.stat().st_size
            for file in (PACKAGE / card["name"]).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts
        )
        text += (
            f"\n## {card['name']}\n\n{card['title']}: {card['strength']}.\n\n"
            f"Trained in {card['cpu_seconds']:,} CPU seconds, seed {card['seed']} ({size / 1e6:.1f} MB):\n\n"
            f"```sh\n{chr(10).join([*card['before'], card['command']])}\n```\n\nMeasured by:\n\n```sh\n{card['measure']}\n```\n"
        )
        for further in card.get("also", ()):
            text += f"\nAlso: {further['strength']}.\n\n```sh\n{further['measure']}\n```\n"
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
