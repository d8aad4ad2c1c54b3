"""``cardai train``: start a training run or take one up, with a live display; Ctrl-C saves and says how to go on."""

from __future__ import annotations

import math
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from attrs import frozen

from cardai.commands.invocation import Jobs, On, note, say
from cardai.commands.process import stopping_gently
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.training.runs import Run
    from cardai.training.session import Session


@frozen
class End:
    """When a training is over: after so many steps or minutes in all, whichever comes first."""

    steps: int | None = None
    minutes: float | None = None

    def __attrs_post_init__(self) -> None:
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise UsageError(f"--minutes must be above 0. Got {self.minutes:g}.")

    def __bool__(self) -> bool:
        return self.steps is not None or self.minutes is not None

    def reached(self, step: int, seconds: float) -> bool:
        """Whether a training that has done ``step`` steps in ``seconds`` is over."""
        by_steps = self.steps is not None and step >= self.steps
        return by_steps or (self.minutes is not None and seconds >= 60 * self.minutes)

    def of(self) -> str:
        """Return what there was to do, in words."""
        steps = "" if self.steps is None else f" of {self.steps:,}"
        return steps + ("" if self.minutes is None else f" (of {self.minutes:g} minutes)")


Trainer = Annotated[str | None, typer.Option(help="Trainer spec: NAME[:option=value,...].")]
Game = Annotated[str | None, typer.Option("--game", "-g", help="Game spec.")]
Encoder = Annotated[str | None, typer.Option(help="Encoder spec (trainers with networks need one).")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="New run directory.")]
Resume = Annotated[Path | None, typer.Option(help="Run directory to go on with.")]
Steps = Annotated[int | None, typer.Option(min=1, help="Steps in all, in the trainer's unit.")]
Minutes = Annotated[
    float | None, typer.Option(help="Minutes of training in all (wall time); with --steps, what comes first.")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Root seed (default 0).")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="An option of --trainer; repeatable.")
]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads (the trainer's option `threads`).")]
Actors = Annotated[
    int | None, typer.Option(min=1, help="Into how many pieces steps are cut (the trainer's option `actors`).")
]
CheckpointEvery = Annotated[
    int | None, typer.Option(min=1, help="Steps between checkpoints (default: every two minutes).")
]
CheckpointSeconds = Annotated[
    float, typer.Option(min=0.0, help="Seconds between checkpoints, where --checkpoint-every is not given.")
]
Keep = Annotated[
    int | None, typer.Option(min=0, help="Checkpoints to keep; 0 keeps all (default: 2; --resume: the run's own).")
]


def train(
    trainer: Trainer = None,
    game: Game = None,
    encoder: Encoder = None,
    out: Out = None,
    resume: Resume = None,
    steps: Steps = None,
    minutes: Minutes = None,
    seed: Seed = None,
    set_: Set = None,
    threads: Threads = None,
    actors: Actors = None,
    jobs: Jobs = 1,
    on: On = "",
    checkpoint_every: CheckpointEvery = None,
    checkpoint_seconds: CheckpointSeconds = 120.0,
    keep: Keep = None,
) -> None:
    """Train, with checkpoints: start by --trainer --game --out and --steps or --minutes, or go on by --resume DIR."""

    settings = _settings(set_ or [], {"threads": threads, "actors": actors})
    where = (on, jobs)
    end = End(steps, minutes)
    if resume is None and (trainer is None or game is None or out is None or not end):
        raise UsageError("A new run needs --trainer, --game, --out and --steps or --minutes (or give --resume DIR).")
    try:
        session = _session(trainer, game, encoder, out, resume, end, seed, settings, where, keep)
        session.hand_out(*where)
        for text in session.notes:
            note(text)
        _go(session, end, checkpoint_every, keep, checkpoint_seconds)
    except KeyboardInterrupt:
        path = resume or out
        if path is None or not os.path.isfile(path / "run.json"):
            raise
        say("Stopped at once; what the run's last checkpoint holds is safe. Go on with:")
        _tell_resume(path, End() if resume is None else end)  # a new run knows its own
        raise typer.Exit(130) from None


def _session(
    trainer: str | None,
    game: str | None,
    encoder: str | None,
    out: Path | None,
    resume: Path | None,
    end: End,
    seed: int | None,
    settings: dict[str, str],
    where: tuple[str, int],
    keep: int | None,
) -> Session:
    """Begin a new run, or take one up."""
    from cardai.training.runs import Run, check_free
    from cardai.training.session import Session

    if resume is not None:
        if out is not None and out != resume:
            raise UsageError(f"--resume {resume} writes to its own directory. Leave out --out {out}.")
        run = Run.open(resume)
        _check_resume(run, trainer, game, encoder, seed, settings)
        return Session.resume(run)
    assert trainer is not None
    assert game is not None
    assert out is not None
    check_free(out)
    return Session.start(_new_run(trainer, settings, game, encoder, out, seed or 0, end, where, keep))


def _settings(given: list[str], short: dict[str, int | None]) -> dict[str, str]:
    """Return --set, and those that have an option of their own, as options of the trainer; the same twice is an error."""

    found: dict[str, str] = {}
    for text in [*given, *(f"{name}={value}" for name, value in short.items() if value is not None)]:
        key, equals, value = text.partition("=")
        if not equals or not key or not _is_one(text):
            raise UsageError(
                f"--set takes OPTION=VALUE, once for each option (a value with , : = as a quoted JSON string). "
                f"Got {text!r} instead."
            )
        if found.get(key, value) != value:
            raise UsageError(f"The option {key!r} is given twice: {found[key]} and {value}. Give it once.")
        found[key] = value
    return found


def _is_one(text: str) -> bool:
    """Whether a text is one option with its value, as in a spec."""
    from cardai.core.errors import SpecError
    from cardai.core.spec import parse

    try:
        return len(parse(f"x:{text}").options) == 1
    except SpecError:
        return False


def _new_run(
    trainer: str,
    settings: dict[str, str],
    game: str,
    encoder: str | None,
    out: Path,
    seed: int,
    end: End,
    where: tuple[str, int],
    keep: int | None,
) -> Run:
    """Check that the trainer takes the game and the encoder, then make the run directory."""
    from cardai.core import registry
    from cardai.core.spec import parse
    from cardai.training.crew import check_crew
    from cardai.training.runs import Run

    spec = parse(trainer).with_options(settings)
    made = registry.create("trainer", spec)
    if made.needs_encoder and encoder is None:
        raise UsageError(f"The trainer {spec.name!r} needs --encoder. See: cardai list-plugins.")
    check_crew(made, spec.name, *where)
    return Run.create(out, str(spec), game, encoder, seed, end.steps or 0, sys.argv, end.minutes, keep)


def _check_resume(
    run: Run, trainer: str | None, game: str | None, encoder: str | None, seed: int | None, settings: dict[str, str]
) -> None:
    from cardai.training.specs import check_same

    check_same(run, "trainer", trainer, settings)
    check_same(run, "game", game)
    check_same(run, "encoder", encoder)
    if seed is not None and seed != run.seed:
        raise UsageError(f"--resume {run.path} goes on with the seed {run.seed}. Got --seed {seed}: leave it out.")


def _go(
    session: Session, given: End, checkpoint_every: int | None, keep: int | None, checkpoint_seconds: float
) -> None:
    from cardai.commands.show.progress import TrainingDisplay
    from cardai.core.progress import listening
    from cardai.training.session import plugin_options
    from cardai.training.specs import short_spec

    run, training = session.run, session.training
    asked = End(run.steps_wanted or None, run.minutes_wanted)
    end = given or asked
    if end.reached(training.step, session.seconds[0]):
        say(f"{run.path} has {training.step} steps{_took(session, end)} already. {_FURTHER}")
        return
    unit = run.trainer().step_unit
    shown = TrainingDisplay(session, end.steps, end.minutes, unit)
    with stopping_gently() as pressed, shown as display, listening(display.told):
        finished = session.train(
            end.steps, checkpoint_every, keep, display.update, lambda: bool(pressed), checkpoint_seconds, end.minutes
        )
    if not finished:
        say(f"Stopped and saved at step {training.step:,}{end.of()}. Go on with:")
        _tell_resume(run.path, End() if end == asked else end)
        raise typer.Exit(130)
    say(f"Trained {training.step:,} {unit}{_took(session, end)}: {run.path}")
    if use := run.trainer().use_of(run.path):
        say(f"Measure it with:\n  {use}")
        return
    say("Play it with:")
    game = short_spec("game", run.game_spec)
    words = ["--game", game, "--agent", _as_spec(run.path), "--vs", "random", "--games", "10000", *plugin_options()]
    say(f"  cardai run {shlex.join(words)}")


_FURTHER = "Give --steps or --minutes to go further."


def _took(session: Session, end: End) -> str:
    """Return the minutes of training so far, where minutes were asked for."""
    return "" if end.minutes is None else f" in {session.seconds[0] / 60:.1f} minutes"


def _tell_resume(path: Path, end: End) -> None:
    from cardai.training.session import resume_command

    say(f"  {resume_command(path, end.steps, end.minutes)}")


def _as_spec(path: Path) -> str:
    text = str(path)
    return text if "/" in text else f"./{text}"
