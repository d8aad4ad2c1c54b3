"""Training from Python: a run that can be played, plotted, measured and gone on with."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from attrs import define, field

from cardai import make
from cardai.api.progress import bar, first_interrupt
from cardai.core import registry
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError, need_whole, wrong_type
from cardai.core.files import LOCK
from cardai.core.spec import Spec, parse, write_value
from cardai.training.crew import check_crew
from cardai.training.runs import Run, check_free
from cardai.training.session import CHECKPOINT_SECONDS, Session
from cardai.training.specs import short_spec

if TYPE_CHECKING:
    from cardai.api.evaluation import Evaluation
    from cardai.core.agent import Agent
    from cardai.core.encoder import Encoder
    from cardai.core.game import Game
    from cardai.core.trainer import Trainer


@define(eq=False, repr=False)
class TrainedRun:
    """A training run: a directory, as ``cardai train`` makes it."""

    path: Path
    finished: bool = field(default=True, kw_only=True)
    """Whether all steps that were asked for are done (not, where Ctrl-C or a stop button came)."""

    @property
    def run(self) -> Run:
        """The directory as the library knows it: specs, seed, checkpoints."""
        return Run.open(self.path)

    @property
    def step(self) -> int:
        """The steps of the newest checkpoint."""
        return max(self.run.steps(), default=0)

    def agent(self, **options: Any) -> Agent:
        """Return the player: of the newest checkpoint (or ``step=N``), with the options that its trainer offers."""
        return make.agent(Spec(_name(self.path)).with_options({k: write_value(v) for k, v in options.items()}))

    def curves(self) -> dict[str, Float64s]:
        """Return what was measured while it trained: a column (n,) a metric, among them "step" and "seconds".

        A row that lacks a metric has nan there. ``pandas.DataFrame(run.curves())`` takes it.
        """
        rows = self.run.read_metrics()
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: np.array([row.get(name, np.nan) for row in rows], np.float64) for name in names}

    def exploitability(self) -> float:
        """Return what a perfect opponent wins from the player, exactly, in the game's unit a hand (small games)."""
        return self.evaluate().exploitability

    def evaluate(self) -> Evaluation:
        """Return the player's exact measure in the run's game. Raises UsageError where that is too large."""
        from cardai.api.evaluation import evaluate

        return evaluate(short_spec("game", self.run.game_spec), _name(self.path))

    def train(
        self,
        steps: int | None = None,
        minutes: float | None = None,
        progress: bool | None = None,
        jobs: int = 1,
        on: str = "",
        keep: int | None = None,
    ) -> TrainedRun:
        """Go on, up to ``steps`` steps in all (or so many minutes), and return the run itself; ``jobs``, ``on``, ``keep`` as in :func:`train`."""
        check_end(steps, minutes)
        run = self.run
        if steps is None and minutes is None:
            steps, minutes = run.steps_wanted or None, run.minutes_wanted
        session = Session.resume(run)
        session.hand_out(on, jobs)
        self.finished = _train(session, steps, minutes, progress, keep)
        return self

    def export(self, path: str | Path, **options: Any) -> None:
        """Write how the player plays as a table, in the form that the file's name ends with: .csv, .json, .parquet.

        ``options`` are the player's. Raises UsageError for another ending, or a game that is too large.
        """
        from cardai.solve.policy_file import FORMATS, policy_table, write_policy

        form = next((known for known in FORMATS if Path(path).suffix == f".{known}"), None)
        if form is None:
            raise UsageError(f"The file's name must end in .csv, .json or .parquet. Got {str(path)!r} instead.")
        rows = policy_table(self.run.game(), self.agent(**options))
        about = {"game": short_spec("game", self.run.game_spec), "agent": _name(self.path)}
        write_policy(path, rows, form, about)

    def save(self, path: str | Path) -> TrainedRun:
        """Copy the run to the directory ``path`` (absent or empty) and return the copy."""
        check_free(Path(path))
        shutil.copytree(self.path, path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(LOCK))
        return TrainedRun(Path(path))

    def __repr__(self) -> str:
        run = self.run
        specs = f"{short_spec('trainer', run.trainer_spec)} on {short_spec('game', run.game_spec)}"
        return f"{specs}: {self.step:,} {run.trainer().step_unit} in {self.path}"


def check_end(steps: int | None, minutes: float | None, needed: bool = False) -> None:
    """Raise UsageError unless steps are a whole number above 0, and minutes a number above 0, where they are given.

    ``needed``: one of them must be.
    """
    if needed and steps is None and minutes is None:
        raise UsageError("A training needs an end: give steps=N or minutes=N.")
    if steps is not None:
        need_whole("The number of steps", steps)
        if steps < 1:
            raise UsageError(f"The number of steps must be at least 1. Got {steps}.")
    if minutes is not None:
        if isinstance(minutes, bool) or not isinstance(minutes, Real):
            raise wrong_type("The minutes", "a number", minutes)
        if not 0 < minutes < float("inf"):
            raise UsageError(f"The minutes must be a number above 0. Got {minutes}.")


def load_run(path: str | Path) -> TrainedRun:
    """Return the training run in a directory.

    >>> import cardai
    >>> cardai.load_run("runs/leduc").step  # doctest: +SKIP
    200

    Raises:
        UsageError: there is none.
    """
    Run.open(Path(path))
    return TrainedRun(Path(path))


def train(
    trainer: str | Trainer,
    game: str | Game,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    encoder: str | Encoder | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    keep: int | None = None,
    progress: bool | None = None,
    jobs: int = 1,
    on: str = "",
    **options: Any,
) -> TrainedRun:
    """Train, and return the run.

    >>> import cardai
    >>> run = cardai.train("cfr_plus", "kuhn", steps=50)
    >>> run.exploitability() < 0.01
    True
    >>> player = run.agent()

    Args:
        trainer, game: names with options, or plugins; ``options`` are further options of the trainer.
        steps: steps in all, in the trainer's unit.
        minutes: minutes of training; with ``steps``, what comes first ends it.
        encoder: a name with options, or an Encoder, where the trainer needs one.
        seed: the root of all randomness.
        out: the run's new directory. None: a temporary one, gone with the run (``run.save(path)`` keeps it).
        resume: go on with the run in ``out``, if there is one.
        keep: checkpoints that are kept (default: 2, or as the run was begun with); 0 keeps all.
        progress: show how far it is (default: in a notebook).
        jobs, on: processes, or the Ray cluster ("ray", "ray://HOST:PORT"), that do what the trainer's ``actors`` do, with the
            same result.

    Ctrl-C, or a notebook's stop button, saves and returns the run with ``finished=False``; a second one raises.

    Raises:
        UsageError: a wrong name, option or pairing, neither steps nor minutes, or ``out`` is not empty.
    """
    check_end(steps, minutes, needed=True)
    seed = need_whole("The seed", seed)
    steps = None if steps is None else int(steps)  # numpy's are not what run.json holds
    keep = None if keep is None else need_whole("The number of checkpoints to keep", keep)
    made = _new_run(out)
    if resume and os.path.isfile(made.path / "run.json"):
        return made.train(steps, minutes, progress, jobs, on, keep)
    session = _new_session(made.path, trainer, game, encoder, seed, End(steps, minutes), options, (on, jobs), keep)
    session.hand_out(on, jobs)
    made.finished = _train(session, steps, minutes, progress, keep)
    return made


def _new_run(out: str | Path | None) -> TrainedRun:
    """Return the run of a directory: ``out``, or a temporary one that is gone with the run."""
    made = TrainedRun(Path(tempfile.mkdtemp(prefix="cardai-run-")) if out is None else Path(out))
    if out is None:
        weakref.finalize(made, shutil.rmtree, made.path, ignore_errors=True)
    return made


class End(NamedTuple):
    """When a training is over: after so many steps or minutes, whichever comes first."""

    steps: int | None
    minutes: float | None


def _new_session(
    path: Path,
    trainer: str | Trainer,
    game: str | Game,
    encoder: str | Encoder | None,
    seed: int,
    end: End,
    options: dict[str, Any],
    where: tuple[str, int],
    keep: int | None,
) -> Session:
    """Begin a run in ``path``. Raises UsageError for a wrong name, option or pairing."""
    specs = _named("trainer", trainer, options), _named("game", game, {})
    code = None if encoder is None else _named("encoder", encoder, {})
    wanted = make.trainer(specs[0])
    check_crew(wanted, parse(specs[0]).name, *where)
    if wanted.needs_encoder and code is None:
        raise UsageError(f"The trainer {parse(specs[0]).name!r} needs an encoder: give encoder='grid_4x13', say.")
    return Session.start(Run.create(path, *specs, code, seed, end.steps or 0, [sys.argv[0]], end.minutes, keep))


def _named(kind: str, given: Any, options: dict[str, Any]) -> str:
    """Return a plugin's spec, however it is given."""
    written = {key: write_value(value) for key, value in options.items()}
    if isinstance(given, (str, Spec)):
        return str((parse(given) if isinstance(given, str) else given).with_options(written))
    if isinstance(given, type) or callable(given) or not hasattr(given, "presets"):
        raise wrong_type(f"The {kind}", f"a name with options, or what cardai.{kind}(...) returns", given)
    return str(parse(registry.spec_of(given)).with_options(written))


def _train(session: Session, steps: int | None, minutes: float | None, progress: bool | None, keep: int | None) -> bool:
    """Train until the end that was asked for; say whether it was reached."""
    with bar(session.run.trainer().step_unit, progress) as report, first_interrupt() as came:

        def advance(step: int, metrics: Any) -> None:
            if report is not None:
                report(step, steps or 0)

        return session.train(steps, None, keep, advance, lambda: bool(came), CHECKPOINT_SECONDS, minutes)


def _name(path: Path) -> str:
    """Return a run's directory as the name of an agent."""
    text = str(path)
    return text if "/" in text or "\\" in text else f"./{text}"
