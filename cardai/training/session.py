"""Training sessions: start or take up a run, train, note metrics, checkpoint, stop when asked."""

from __future__ import annotations

import errno
import json
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from cardai.core.errors import CardaiError, DamagedFileError, WriteError
from cardai.core.files import naming
from cardai.core.locks import DirectoryLock
from cardai.core.registry import plugin_files, watchers
from cardai.core.spec import parse
from cardai.core.trainer import Metrics, Training
from cardai.pieces import one_connection
from cardai.training.crew import Hands, check_crew
from cardai.training.events import EventWriter, event_writer
from cardai.training.runs import Run, lock_of

CHECKPOINT_SECONDS = 120.0
"""Wall time between checkpoints where nothing else is asked for (where they fall has no effect on the training)."""
_NEVER = 1 << 60  # steps that no training ever does


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""What the system says of a disk that takes no more."""


def resume_command(path: Path, steps: int | None = None, minutes: float | None = None) -> str:
    """Return the command line that goes on with the run at ``path`` (None, None: as far as was asked for at first)."""
    words = ["cardai", "train", "--resume", str(path)]
    words += [] if steps is None else ["--steps", str(steps)]
    words += [] if minutes is None else ["--minutes", f"{minutes:g}"]
    return shlex.join([*words, *plugin_options()])


def plugin_options() -> list[str]:
    """Return the --plugin options that a next command needs too."""
    return [word for file in plugin_files() for word in ("--plugin", file)]


@contextmanager
def safe_on_disk(run: Run, steps: int | None = None, minutes: float | None = None) -> Iterator[None]:
    """Let a failed write inside say what is safe and how to go on once there is room, as far as was asked for."""
    try:
        yield
    except (WriteError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in FULL:
            raise
        why = (
            f"{error.filename or run.path} cannot be written: {error.strerror}."
            if isinstance(error, OSError)
            else error
        )
        kept = run.steps()
        safe = f"The checkpoint of step {kept[-1]:,} is safe" if kept else "There is no checkpoint yet"
        further = (steps, minutes) if (steps or 0, minutes) != (run.steps_wanted, run.minutes_wanted) else ()
        raise WriteError(f"{why} {safe}. Make room, then go on with: {resume_command(run.path, *further)}") from error


class Session:
    """One process's work on a run."""

    def __init__(
        self, run: Run, training: Training, lock: DirectoryLock, seconds: float = 0.0, cpu_seconds: float = 0.0
    ) -> None:
        self.run = run
        self.training = training
        self.notes: list[str] = []
        self._lock: DirectoryLock | None = lock
        self._offsets = (time.monotonic() - seconds, time.process_time() - cpu_seconds)

    @classmethod
    def start(cls, run: Run) -> Self:
        """Begin a run from nothing. Raises UsageError where the trainer refuses the game or the encoder.

        What is refused leaves no directory.
        """
        lock = lock_of(run.path)
        try:
            trainer, game = run.trainer("start"), run.game()
            trainer.check_game(game)
            training = trainer.start(game, run.encoder(), run.seed)
        except CardaiError:
            lock.release()
            run.discard()
            raise
        session = cls(run, training, lock)
        session.notes = list(training.notes)
        return session

    @classmethod
    def resume(cls, run: Run) -> Self:
        """Take up a run at its last good checkpoint (none yet: from nothing); metrics past it are cut.

        ``notes`` says which checkpoints were refused, or how it was begun. Raises DamagedFileError if there are some and none is good.
        """
        with safe_on_disk(run):
            lock = lock_of(run.path)
        try:
            return cls._taken_up(run, lock)
        except BaseException:  # whoever keeps the error, as notebooks do, keeps the lock
            lock.release()
            raise

    @classmethod
    def _taken_up(cls, run: Run, lock: DirectoryLock) -> Self:
        checkpoint, refused = run.latest()
        if checkpoint is None and refused:
            raise DamagedFileError(f"No checkpoint of {run.path} is good: {' '.join(refused)} Start a new run.")
        trainer = run.trainer("start" if checkpoint is None else "train")
        needs = (run.game(), run.encoder(), run.seed)
        trainer.check_game(needs[0])
        if checkpoint is None:
            training = trainer.start(*needs)
            session = cls(run, training, lock)
            session.notes = list(training.notes)
        else:
            training = trainer.resume(*needs, checkpoint.path)
            if training.step != checkpoint.step:
                raise DamagedFileError(
                    f"The checkpoint {checkpoint.path} holds a training after {training.step:,} steps: it is damaged or foreign."
                )
            session = cls(run, training, lock, checkpoint.seconds, checkpoint.cpu_seconds)
            session.notes = [f"{reason} Going on from step {training.step} instead." for reason in refused]
        with safe_on_disk(run):
            run.cut_metrics(training.step)
        return session

    def hand_out(self, on: str, jobs: int) -> None:
        """Let processes (``jobs``) or a Ray cluster (``on``) do what the training's actors do, with the same result.

        Raises UsageError where there is nothing to hand out (:func:`cardai.training.crew.check_crew`).
        """
        if on or jobs > 1:
            check_crew(self.run.trainer("train"), parse(self.run.trainer_spec).name, on, jobs)
            self.training.crew = Hands(on, jobs)

    @property
    def seconds(self) -> tuple[float, float]:
        """Wall and CPU seconds of training so far, those before a resume included."""
        return time.monotonic() - self._offsets[0], time.process_time() - self._offsets[1]

    @contextmanager
    def untimed(self) -> Iterator[None]:
        """Leave what is done inside out of :attr:`seconds`: measuring is no training."""
        wall, cpu = time.monotonic(), time.process_time()
        try:
            yield
        finally:
            first, second = self._offsets
            self._offsets = (first + time.monotonic() - wall, second + time.process_time() - cpu)

    def save(self, keep: int | None = None) -> Path:
        """Write a checkpoint now and return its directory. ``keep`` checkpoints stay, by default as many as the run says."""
        wall, cpu = self.seconds
        kept = self.run.keep if keep is None else keep
        return self.run.save(self.training.step, self.training.save, wall, cpu, kept).path

    def train(
        self,
        steps: int | None,
        checkpoint_every: int | None = None,
        keep: int | None = None,
        on_progress: Callable[[int, Metrics], Any] = lambda step, metrics: None,
        stopping: Callable[[], bool] = lambda: False,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
        minutes: float | None = None,
    ) -> bool:
        """Train until ``steps`` are done in all, or until ``minutes`` of :attr:`seconds` (wall) are over, if that is earlier.

        None: there is no such end. Returns False if ``stopping()`` said so before.

        A checkpoint is written at the end, and every ``checkpoint_every`` steps or (None) ``checkpoint_seconds``.
        ``on_progress(step, metrics)`` is called at each of the trainer's yields (metrics may be empty). Whatever
        happens, the metrics written before a checkpoint are on the disk when the checkpoint is.

        Raises:
            WriteError: the disk is full; names the file, what is safe, and the command that goes on.
        """
        self._lock = self._lock or lock_of(self.run.path)
        try:
            end = _NEVER if steps is None else steps
            with safe_on_disk(self.run, steps, minutes), one_connection():
                return self._train(end, checkpoint_every, keep, on_progress, stopping, checkpoint_seconds, minutes)
        finally:
            self._lock.release()
            self._lock = None

    def _train(
        self,
        steps: int,
        checkpoint_every: int | None,
        keep: int | None,
        on_progress: Callable[[int, Metrics], Any],
        stopping: Callable[[], bool],
        checkpoint_seconds: float,
        minutes: float | None,
    ) -> bool:
        events = event_writer(self.run.path / "events", self.training.step)
        hooks = watchers()
        saved, due = self.training.step, time.monotonic() + checkpoint_seconds
        finished = True
        file = (self.run.path / "metrics.jsonl").open("a", encoding="utf-8")
        try:
            for metrics in self.training.train(max(0, steps - self.training.step)):
                step = self.training.step
                if metrics:
                    self._note(step, metrics, file, events)
                    if hooks is not None:
                        hooks.hook.cardai_training_step(step=step, metrics=metrics)
                on_progress(step, metrics)
                if stopping():
                    finished = False
                    break
                if minutes is not None and self.seconds[0] >= 60 * minutes:
                    break
                by_step = checkpoint_every is not None and step // checkpoint_every > saved // checkpoint_every
                by_time = checkpoint_every is None and time.monotonic() > due
                if by_step or by_time or self.training.wants_checkpoint:
                    self.save(keep)
                    saved, due = step, time.monotonic() + checkpoint_seconds
        finally:
            _close(file, events)
        if self.training.step != saved or not self.run.steps():
            self.save(keep)
        return finished

    def _note(self, step: int, metrics: Metrics, file: Any, events: EventWriter | None) -> None:
        wall, cpu = self.seconds
        times = {"seconds": round(wall, 3), "cpu_seconds": round(cpu, 3)}
        with naming(f"The file {file.name}"):
            file.write(json.dumps({"step": step, **times, **metrics}) + "\n")
            file.flush()
        if events is not None:
            events.write(step, {**metrics, "cpu_seconds": cpu})


def _close(*files: Any) -> None:
    """Close files: every row was flushed, and what a full disk refused stays refused."""
    for opened in files:
        with suppress(OSError, WriteError):
            if opened is not None:
                opened.close()
