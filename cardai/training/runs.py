"""Run directories: what a training run was asked for, its metrics, its checkpoints, and the player it gives.

    runs/x/run.json          specs of trainer, game and encoder with all options, seed, versions, command line
    runs/x/metrics.jsonl     a JSON object a line: step, seconds, and what the trainer measured
    runs/x/events/           TensorBoard's files, where it is installed
    runs/x/checkpoints/      step-000000123456/: the trainer's files and manifest.json, written last

A checkpoint is written beside and renamed, so one that has its name is whole; its manifest holds the length and SHA-256
of each file, of itself, and the identity of the run, so a damaged or foreign one is refused before anything is parsed.
Loading runs no code: JSON, npz without pickle, safetensors. A copied directory works anywhere.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import re
import secrets
import shutil
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from attrs import frozen

from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.files import (
    digest_of,
    file_digest,
    json_bytes,
    limited_lines,
    read_json,
    refuse_links,
    sync_directory,
    vacant,
    write_atomically,
    write_json,
)
from cardai.core.game import Game
from cardai.core.holes import refuse_holes
from cardai.core.locks import DirectoryLock
from cardai.core.needs import Use, write_own
from cardai.core.schema import structure
from cardai.core.spec import Spec
from cardai.core.trainer import Metrics, Trainer
from cardai.training.run_files import CHECKPOINT_FORMAT, FORMAT, KEEP, Manifest, RunFile, metrics_row, steps_in
from cardai.training.specs import full_spec


class RunWarning(UserWarning):
    """A checkpoint was refused and an older one is used."""


@frozen
class Checkpoint:
    """A checkpoint whose manifest and files have been verified, with the training time up to it (wall and CPU)."""

    path: Path
    step: int
    seconds: float
    cpu_seconds: float


@frozen
class Run:
    """A run directory that exists. The specs hold every option, so that later defaults do not change the run."""

    path: Path
    id: str
    trainer_spec: str
    game_spec: str
    encoder_spec: str | None
    seed: int
    steps_wanted: int
    """The steps asked for when the run began; 0: none."""
    minutes_wanted: float | None = None
    """The minutes of training asked for then."""
    keep: int = KEEP
    """The checkpoints that it was begun to keep; 0: all."""

    # -- made and opened -------------------------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        path: Path,
        trainer: str,
        game: str,
        encoder: str | None,
        seed: int,
        steps: int = 0,
        command: Sequence[str] = (),
        minutes: float | None = None,
        keep: int | None = None,
    ) -> Self:
        """Make a new run directory at ``path`` (absent or empty) from specs. ``keep`` None: as many checkpoints as is usual.

        Raises:
            UsageError: the directory is not empty, another process is beginning a run in it, a spec is wrong, or a number is
                larger than run.json may hold.
        """
        check_free(path)
        keep = KEEP if keep is None else keep
        for what, number in (("seed", seed), ("steps", steps), ("keep", keep)):
            if not 0 <= number < 1 << 63:
                raise UsageError(f"The {what} of a run must be from 0 to {(1 << 63) - 1:,}. Got {number:,}.")
        values: dict[str, Any] = {
            "format": FORMAT,
            "trainer": full_spec("trainer", trainer),
            "game": full_spec("game", game),
            "encoder": None if encoder is None else full_spec("encoder", encoder),
            "seed": seed,
            "steps": steps,
            "minutes": minutes,
            "keep": keep,
            "versions": _versions(),
            "command": list(command),
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "nonce": secrets.token_hex(8),
        }
        values["id"] = digest_of(values)[:16]
        named = [(kind, values[kind]) for kind in ("trainer", "game", "encoder") if values[kind]]
        with lock_of(path):
            check_free(path)
            write_own(registry.load, path / "run.json", values, named)
            (path / "checkpoints").mkdir(exist_ok=True)
        specs = values["trainer"], values["game"], values["encoder"]
        return cls(path, values["id"], *specs, seed, steps, minutes, keep)

    def discard(self) -> None:
        """Remove what a start that was refused left behind, so that the mended command finds the place free.

        A run that has a checkpoint is kept.
        """
        if self.steps():
            return
        (self.path / "run.json").unlink(missing_ok=True)
        shutil.rmtree(self.path / "checkpoints", ignore_errors=True)
        with suppress(OSError):  # somebody else's files are in it
            self.path.rmdir()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a run directory.

        Raises:
            UsageError: there is none. DamagedFileError: its run.json is damaged or foreign.
        """
        file = path / "run.json"
        if not os.path.isfile(file):  # a name that no file can have is one that no file has
            raise UsageError(f"There is no training run in {str(path)!r}: it has no run.json. Give a run's directory.")
        refuse_links(path)
        values = read_json(file)
        if values.get("format") != FORMAT:
            raise DamagedFileError(f"The file {file} is not a run description of the form {FORMAT!r}.")
        run = structure(values, RunFile, f"The file {file}")
        rest = {key: value for key, value in values.items() if key != "id"}
        if digest_of(rest)[:16] != run.id:
            raise DamagedFileError(
                f"The file {file} does not match its own id {run.id!r}: it was edited or damaged. Start a new run."
            )
        specs = run.trainer, run.game, run.encoder
        return cls(path, run.id, *specs, run.seed, run.steps, run.minutes, run.keep)

    # -- what it names ---------------------------------------------------------------------------------------------

    def trainer(self, use: Use = "play") -> Trainer:
        """Return the run's trainer, to play its player, go on with its training or begin it. Raises UntrustedError."""
        made: Trainer = registry.rebuild("trainer", self.trainer_spec, use)
        return made

    def game(self) -> Game:
        """Return the run's game."""
        made: Game = registry.rebuild("game", self.game_spec)
        return made

    def encoder(self) -> Encoder | None:
        """Return the run's encoder, if it has one."""
        made: Encoder | None = None if self.encoder_spec is None else registry.rebuild("encoder", self.encoder_spec)
        return made

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def steps(self) -> list[int]:
        """Return the steps that have a checkpoint directory, ascending (not verified)."""
        return steps_in(self.path)

    def _checkpoint_path(self, step: int) -> Path:
        return self.path / "checkpoints" / f"step-{step:012d}"

    def save(
        self, step: int, write: Callable[[Path], None], seconds: float = 0.0, cpu_seconds: float = 0.0, keep: int = KEEP
    ) -> Checkpoint:
        """Write a checkpoint by ``write(directory)`` and keep the last ``keep`` up to it (0: all of them)."""
        target = self._checkpoint_path(step)
        beside = target.parent / f".{target.name}.{self.id}.{os.getpid()}"
        for left in target.parent.glob(f".step-*.{self.id}.*"):  # by a process that was killed while it wrote
            shutil.rmtree(left, ignore_errors=True)
        try:
            beside.mkdir(parents=True)
            write(beside)
            files = {p.name: {"bytes": p.stat().st_size, "sha256": file_digest(p)} for p in sorted(beside.iterdir())}
            for name in files:
                _flush(beside / name)
            manifest: dict[str, Any] = {"format": CHECKPOINT_FORMAT, "run": self.id, "step": step}
            manifest |= {"seconds": seconds, "cpu_seconds": cpu_seconds, "files": files}
            manifest["sha256"] = digest_of(manifest)
            write_json(beside / "manifest.json", manifest)
        except BaseException:  # a full disk is not left fuller
            shutil.rmtree(beside, ignore_errors=True)
            raise
        aside = target.parent / f".{target.name}.{self.id}.old"
        if target.exists():
            # a process killed right here leaves no half-deleted checkpoint
            os.rename(target, aside if self._holds(step) else _free(target))
        os.rename(beside, target)
        sync_directory(target.parent)
        shutil.rmtree(aside, ignore_errors=True)
        if keep:
            for old in filter(self._holds, [s for s in self.steps() if s <= step][:-keep]):
                shutil.rmtree(self._checkpoint_path(old), ignore_errors=True)
        return Checkpoint(target, step, seconds, cpu_seconds)

    def _holds(self, step: int) -> bool:
        """Whether the checkpoint of ``step`` says that it is this run's: nothing else is ever deleted."""
        try:
            return read_json(self._checkpoint_path(step) / "manifest.json").get("run") == self.id
        except DamagedFileError:
            return False

    def verify(self, step: int) -> Checkpoint:
        """Return the checkpoint of ``step``.

        Raises:
            DamagedFileError: it is missing, half written, damaged, or of another run; the message says which.
        """
        path = self._checkpoint_path(step)
        values = read_json(path / "manifest.json")
        if values.get("format") != CHECKPOINT_FORMAT:
            raise DamagedFileError(f"The file {path / 'manifest.json'} is not of the form {CHECKPOINT_FORMAT!r}.")
        manifest = structure(values, Manifest, f"The file {path / 'manifest.json'}")
        rest = {key: value for key, value in values.items() if key != "sha256"}
        as_written = (path / "manifest.json").read_bytes() == json_bytes(values)
        if digest_of(rest) != manifest.sha256 or not as_written:
            raise DamagedFileError(f"The file {path / 'manifest.json'} does not match its own hash: it is damaged.")
        if manifest.run != self.id or manifest.step != step:
            raise DamagedFileError(
                f"The checkpoint {path} belongs to step {manifest.step} of the run {manifest.run}, "
                f"not to step {step} of {self.id}."
            )
        refuse_holes(path / name for name in manifest.files)
        for name, known in manifest.files.items():
            file = path / name
            if not file.is_file() or file.stat().st_size != known.bytes or file_digest(file) != known.sha256:
                raise DamagedFileError(f"The checkpoint file {file} is missing, truncated or damaged.")
        return Checkpoint(path, step, manifest.seconds, manifest.cpu_seconds)

    def latest(self) -> tuple[Checkpoint | None, list[str]]:
        """Return the newest good checkpoint (None: there is none), and why newer ones were refused."""
        refused: list[str] = []
        for step in reversed(self.steps()):
            try:
                return self.verify(step), refused
            except DamagedFileError as error:
                refused.append(str(error))
        return None, refused

    # -- metrics ---------------------------------------------------------------------------------------------------

    def read_metrics(self) -> list[Metrics]:
        """Return the rows of metrics.jsonl; a half-written last line (a killed run) is left out.

        Raises:
            DamagedFileError: a line before the last is not a JSON object; it is named.
        """
        file = self.path / "metrics.jsonl"
        if not file.is_file():
            return []
        rows: list[Metrics] = []
        with file.open(encoding="utf-8", errors="replace", newline="\n") as stream:
            for number, line in enumerate(limited_lines(stream), 1):
                if not line.strip():
                    continue
                try:
                    rows.append(metrics_row(line, f"Line {number} of {file}"))
                except DamagedFileError:
                    if line.endswith("\n"):
                        raise
        return rows

    def cut_metrics(self, step: int) -> None:
        """Drop the metrics past ``step``."""
        kept = [row for row in self.read_metrics() if row["step"] <= step]
        text = "".join(json.dumps(row) + "\n" for row in kept)
        write_atomically(self.path / "metrics.jsonl", text.encode())


def run_agent(spec: Spec) -> Agent:
    """Return the player of a trained run: ``runs/x[:step=N][,policy=...]``, the options being its trainer's.

    A damaged newest checkpoint is refused with a RunWarning and the last good one used.

    Raises:
        UsageError, OptionError: no such run, step or option. DamagedFileError: nothing good is left.
    """
    run = Run.open(Path(spec.name))
    options: dict[str, Any] = dict(spec.values())
    wanted = options.pop("step", None)
    trainer = run.trainer()
    known = {**trainer.agent_options(), "step": "the checkpoint to play (default: the newest)"}
    for key in options:
        if key not in known:
            listing = ", ".join(sorted(known))
            raise OptionError(f"The trained run {spec.name!r} has no option {key!r}. Its options: {listing}.")
    checkpoint = _chosen(run, wanted)
    return trainer.trained_agent(run.game(), run.encoder(), run.seed, checkpoint.path, options)


def _chosen(run: Run, wanted: Any) -> Checkpoint:
    if wanted is not None:
        steps = run.steps()
        if not re.fullmatch("[0-9]{1,18}", str(wanted)) or int(wanted) not in steps:
            raise OptionError(f"The run {run.path} has no checkpoint of step {wanted!r}. Its steps: {steps}.")
        return run.verify(int(wanted))
    checkpoint, refused = run.latest()
    if checkpoint is None:
        why = " ".join(refused) or "it has not written one yet."
        raise DamagedFileError(f"The run {run.path} has no good checkpoint: {why}")
    for reason in refused:
        warnings.warn(f"{reason} Playing step {checkpoint.step} instead.", RunWarning, stacklevel=3)
    return checkpoint


def check_free(path: Path) -> None:
    """Raise UsageError unless a new run may be made at ``path``."""
    if not vacant(path):
        hint = f"Go on with it by --resume {path}, or" if (path / "run.json").is_file() else "Empty it, or"
        raise UsageError(f"The directory {str(path)!r} is not empty. {hint} give another --out.")


def lock_of(path: Path) -> DirectoryLock:
    """Return what keeps other processes from training the run at ``path``. Raises UsageError: one does; WriteError."""
    return DirectoryLock(path, "The run {} is being trained", "")


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for name in ("cardai", "numpy", "numba", "torch", "safetensors"):
        try:
            found[name] = metadata.version(name)
        except Exception:  # not installed, or its metadata is damaged
            continue
    return found


def _free(path: Path) -> Path:
    """Return a name beside ``path`` that nothing has, for what is somebody else's and in the way."""
    return next(name for n in itertools.count(1) if not (name := path.with_name(f"{path.name}.other-{n}")).exists())


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


__all__ = ["Checkpoint", "Run", "RunWarning", "check_free", "lock_of", "run_agent"]
