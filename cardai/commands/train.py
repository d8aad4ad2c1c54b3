"""``cardai train``: start a training run or take one up, with a live display; Ctrl-C saves and says how to go on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import say
from cardai.commands.process import stopping_gently

if TYPE_CHECKING:
    from cardai.training.runs import Run
    from cardai.training.session import Session


def train(
    trainer: Annotated[str | None, typer.Option(help="Trainer spec: NAME[:option=value,...].")] = None,
    game: Annotated[str | None, typer.Option("--game", "-g", help="Game spec.")] = None,
    encoder: Annotated[str | None, typer.Option(help="Encoder spec (trainers with networks need one).")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="New run directory.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Run directory to go on with.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps in all, in the trainer's unit.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Root seed (default 0).")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="An option of --trainer; repeatable.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads (the trainer's option `threads`).")] = None,
    checkpoint_every: Annotated[
        int | None, typer.Option(min=1, help="Steps between checkpoints (default: every two minutes).")
    ] = None,
    checkpoint_seconds: Annotated[
        float, typer.Option(min=0.0, help="Seconds between checkpoints, where --checkpoint-every is not given.")
    ] = 120.0,
    keep: Annotated[int, typer.Option(min=0, help="Checkpoints to keep; 0 keeps all.")] = 2,
) -> None:
    """Train, with checkpoints: start by --trainer --game --out --steps, or go on by --resume DIR."""
    from cardai.core.errors import UsageError

    settings = _settings(set_ or [], threads)
    if resume is None and (trainer is None or game is None or out is None or steps is None):
        raise UsageError("A new run needs --trainer, --game, --out and --steps (or give --resume DIR).")
    try:
        session = _session(trainer, game, encoder, out, resume, steps, seed, settings)
        for text in session.notes:
            typer.echo(text, err=True)
        _go(session, steps or session.run.steps_wanted, checkpoint_every, keep, checkpoint_seconds)
    except KeyboardInterrupt:
        path = resume or out
        if path is None or not (path / "run.json").is_file():
            raise
        say("Stopped at once; what the run's last checkpoint holds is safe. Go on with:")
        _tell_resume(path, None if resume is None else steps)  # a new run knows its own
        raise typer.Exit(130) from None


def _session(
    trainer: str | None,
    game: str | None,
    encoder: str | None,
    out: Path | None,
    resume: Path | None,
    steps: int | None,
    seed: int | None,
    settings: dict[str, str],
) -> Session:
    """Begin a new run, or take one up."""
    from cardai.core.errors import UsageError
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
    return Session.start(_new_run(trainer, settings, game, encoder, out, seed or 0, steps or 0))


def _settings(given: list[str], threads: int | None) -> dict[str, str]:
    """Return --set and --threads as options of the trainer; the same given twice differently is an error."""
    from cardai.core.errors import UsageError

    found: dict[str, str] = {}
    for text in [*given, *([f"threads={threads}"] if threads is not None else [])]:
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
    """Say whether a text is one option with its value, as in a spec."""
    from cardai.core.errors import SpecError
    from cardai.core.spec import parse

    try:
        return len(parse(f"x:{text}").options) == 1
    except SpecError:
        return False


def _new_run(
    trainer: str, settings: dict[str, str], game: str, encoder: str | None, out: Path, seed: int, steps: int
) -> Run:
    """Check that the trainer takes the game and the encoder, then make the run directory."""
    from cardai.core import registry
    from cardai.core.errors import UsageError
    from cardai.core.spec import parse
    from cardai.training.runs import Run

    spec = parse(trainer).with_options(settings)
    made = registry.create("trainer", spec)
    if made.needs_encoder and encoder is None:
        raise UsageError(f"The trainer {spec.name!r} needs --encoder. See: cardai list-plugins.")
    return Run.create(out, str(spec), game, encoder, seed, steps, sys.argv)


def _check_resume(
    run: Run, trainer: str | None, game: str | None, encoder: str | None, seed: int | None, settings: dict[str, str]
) -> None:
    from cardai.core.errors import UsageError
    from cardai.training.runs import check_same

    check_same(run, "trainer", trainer, settings)
    check_same(run, "game", game)
    check_same(run, "encoder", encoder)
    if seed is not None and seed != run.seed:
        raise UsageError(f"--resume {run.path} goes on with the seed {run.seed}. Got --seed {seed}: leave it out.")


def _go(session: Session, steps: int, checkpoint_every: int | None, keep: int, checkpoint_seconds: float) -> None:
    from cardai.commands.show.progress import TrainingDisplay
    from cardai.training.runs import short_spec

    run, training = session.run, session.training
    if training.step >= steps:
        say(f"{run.path} has {training.step} steps already. Give --steps to go further.")
        return
    unit = run.trainer().step_unit
    with stopping_gently() as pressed, TrainingDisplay(run, steps, training.step, unit) as display:
        finished = session.train(
            steps, checkpoint_every, keep, display.update, lambda: bool(pressed), checkpoint_seconds
        )
    if not finished:
        say(f"Stopped and saved at step {training.step:,} of {steps:,}. Go on with:")
        _tell_resume(run.path, None if steps == run.steps_wanted else steps)
        raise typer.Exit(130)
    say(f"Trained {training.step:,} {unit}: {run.path}")
    say("Play it with:")
    game = short_spec("game", run.game_spec)
    say(f"  cardai run --game {_quoted(game)} --agent {_as_spec(run.path)} --vs random --games 10000")


def _tell_resume(path: Path, steps: int | None) -> None:
    further = "" if steps is None else f" --steps {steps}"
    say(f"  cardai train --resume {path}{further}")


def _as_spec(path: Path) -> str:
    text = str(path)
    return _quoted(text if "/" in text else f"./{text}")


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)
