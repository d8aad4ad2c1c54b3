"""Checks of trainers, each on one game for a few steps: train, save, go on, play."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.core.trainer import Metrics, Trainer, Training
from cardai.testing._agent import AgentSubject, ask, seeds_for
from cardai.testing._checks import NotApplicable, check, require
from cardai.testing._foreign import Foreign

SAFE = (".json", ".npz", ".npy", ".safetensors")
TIMES = ("seconds", "per_second", "time")
"""Metrics whose names end so are clock readings and may differ between runs."""


class TrainerSubject:
    """A trainer with the game, the encoder and the number of steps that the checks use."""

    def __init__(self, trainer: Trainer, game: Game, encoder: Encoder | None, steps: int) -> None:
        self.plugin = trainer
        self.game = game
        self.encoder = encoder if encoder is not None or not trainer.needs_encoder else any_encoder(game)
        self.steps = steps

    def start(self, seed: int = 1) -> Training:
        """Begin training from nothing."""
        return self.plugin.start(self.game, self.encoder, seed)

    @cached_property
    def trained(self) -> tuple[Training, list[Metrics]]:
        """A training after the steps of the check, and its rows of metrics: for all checks that train it no further."""
        training = self.start()
        require(training.step == 0, f"A training begins at step 0. It is at {training.step}.")
        return training, self.train(training)

    def train(self, training: Training) -> list[Metrics]:
        """Train for the steps of the check and return the rows of metrics, empty ones and clock readings left out."""
        return [timeless(row) for row in training.train(self.steps) if row]


def any_encoder(game: Game) -> Encoder | None:
    """Return the first registered encoder that can lay out the game."""
    for entry in registry.entries("encoder"):
        try:
            encoder: Encoder = registry.create("encoder", entry.name)
            encoder.for_game(game)
        except CardaiError:
            continue
        return encoder
    return None


def timeless(row: Metrics) -> Metrics:
    """Return metrics without clock readings."""
    return {name: value for name, value in row.items() if not name.endswith(TIMES)}


@check("trainer")
def says_which_games_it_takes(subject: TrainerSubject) -> None:
    """`check_game` takes the game that is trained; one that it never heard of it refuses in a sentence, or can start."""
    subject.plugin.check_game(subject.game)
    foreign = Foreign()
    try:
        subject.plugin.check_game(foreign)
    except UsageError as error:
        said = str(error).strip()
        require(said and "\n" not in said, f"check_game refuses a game in one line, a sentence. It said {said!r}.")
        return
    try:
        subject.plugin.start(foreign, any_encoder(foreign) if subject.plugin.needs_encoder else None, 1)
    except UsageError:  # of the encoder, or of something that takes long to see
        return
    except Exception as error:
        require(False, f"check_game takes {foreign!r}, and then start raises {type(error).__name__}: {error}.")


@check("trainer")
def metrics_are_finite(subject: TrainerSubject) -> None:
    """A few steps give metrics that are finite numbers, and the step count grows by exactly what was asked."""
    training, rows = subject.trained
    require(training.step == subject.steps, f"After train({subject.steps}) the step count is {training.step}.")
    for row in rows:
        for name, value in row.items():
            require(isinstance(name, str) and name, f"A metric has the name {name!r}.")
            require(math.isfinite(value), f"The metric {name!r} is {value}.")


@check("trainer")
def deterministic_by_seed(subject: TrainerSubject) -> None:
    """The same seed gives the same metrics and the same player."""
    (one, first), two = subject.trained, subject.start()
    second = subject.train(two)
    require(first == second, f"The same seed gave two rows of metrics: {first} and {second}.")
    require(decisions(subject, one) == decisions(subject, two), "The same seed gave two players.")


@check("trainer")
def resuming_changes_nothing(subject: TrainerSubject) -> None:
    """Saved and loaded, a training goes on as if nothing had happened, wherever it yields: equal metrics, equal player."""
    kept = subject.start()
    subject.train(kept)
    with tempfile.TemporaryDirectory() as name:
        kept.save(Path(name))
        resumed = subject.start()
        resumed.load(Path(name))
        require(resumed.step == kept.step, f"Saved at step {kept.step}, loaded at step {resumed.step}.")
    before = decisions(subject, kept) == decisions(subject, resumed)
    require(before, "The player of a loaded training differs from that which was saved.")
    one, two = subject.train(kept), subject.train(resumed)
    require(one == two, f"After loading the metrics go on otherwise: {one} without, {two} with.")
    require(decisions(subject, kept) == decisions(subject, resumed), "After loading another player is trained.")
    _resumes_within(subject)


def _resumes_within(subject: TrainerSubject) -> None:
    """Require that a training that was saved at its first yield, in the middle of its steps, goes on to the same end."""
    kept, rows = subject.start(), []
    with tempfile.TemporaryDirectory() as name:
        saved = -1
        for row in kept.train(subject.steps):
            if saved < 0:
                kept.save(Path(name))
                saved = kept.step
            elif row:
                rows.append(timeless(row))
        if saved < 0:  # it does not stop between its first step and its last
            return
        resumed = subject.start()
        resumed.load(Path(name))
        again = [timeless(row) for row in resumed.train(subject.steps - saved) if row] if saved < subject.steps else []
    require(
        rows == again, f"Saved and loaded at step {saved}, the metrics go on otherwise: {rows} without, {again} with."
    )


@check("trainer")
def files_are_safe(subject: TrainerSubject) -> None:
    """Saved files are JSON, npz without pickle, or safetensors: loading a stranger's run executes nothing."""
    with tempfile.TemporaryDirectory() as name:
        training, _ = subject.trained
        training.save(Path(name))
        files = _files(Path(name))
        require(files, "save wrote no file.")
        for file in files:
            require(file.suffix in SAFE, f"save wrote {file.name}: only {', '.join(SAFE)} are safe.")
            if file.suffix == ".npz":
                with np.load(file, allow_pickle=False) as arrays:
                    for array in arrays.files:
                        require(arrays[array].dtype != object, f"{file.name} holds pickled objects in {array!r}.")


@check("trainer")
def saved_player_is_the_trained_one(subject: TrainerSubject) -> None:
    """The player of a saved run decides as the training's own: `trained_agent` agrees with `agent`."""
    training, _ = subject.trained
    with tempfile.TemporaryDirectory() as name:
        training.save(Path(name))
        saved = _answers_of(subject, _saved_player(subject, Path(name)))
        require(
            saved == decisions(subject, training), "The player of a saved run decides otherwise than the trained one."
        )


def _saved_player(subject: TrainerSubject, directory: Path) -> Agent:
    return subject.plugin.trained_agent(subject.game, subject.encoder, 1, directory, {})


@check("trainer")
def damage_is_reported(subject: TrainerSubject) -> None:
    """A file that is cut off or missing raises DamagedFileError with the file's name, when going on or playing."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        subject.start().save(directory)
        for file in _files(directory):
            whole = file.read_bytes()
            file.write_bytes(whole[: len(whole) // 2])
            _notices(subject, directory, file, "cut off")
            file.unlink()
            _notices(subject, directory, file, "gone")
            file.write_bytes(whole)


def _notices(subject: TrainerSubject, directory: Path, file: Path, what: str) -> None:
    """Require that going on from, or playing, a checkpoint with one damaged file says so and names it."""
    try:
        subject.start().load(directory)
        _saved_player(subject, directory)
    except DamagedFileError as error:
        require(file.name in str(error), f"The error does not name {file.name}: {error}")
        return
    require(False, f"Loading did not notice that {file.name} is {what}.")


def _files(directory: Path) -> list[Path]:
    return sorted(file for file in directory.rglob("*") if file.is_file())


@check("trainer")
def trained_agent_plays(subject: TrainerSubject) -> None:
    """The player so far decides legally wherever random play leads, before training and after."""
    decisions(subject, subject.start())
    decisions(subject, subject.trained[0])


@check("trainer")
def agent_options_are_described(subject: TrainerSubject) -> None:
    """Each option of the trained player has a help text."""
    for name, text in subject.plugin.agent_options().items():
        require(name.isidentifier() and text.strip(), f"The player's option {name!r} has no help.")


def decisions(subject: TrainerSubject, training: Training) -> list[Any]:
    """Return what the player so far does in many positions: policies where it has one, else actions."""
    return _answers_of(subject, training.agent({}))


def _answers_of(subject: TrainerSubject, player: Agent) -> list[Any]:
    agent = AgentSubject(player, subject.game)
    return [list(_answers(agent, views, legal)) for _, views, legal in agent.batches]


def _answers(subject: AgentSubject, views: Any, legal: Any) -> Iterable[Any]:
    agent = subject.agent
    if agent.stateful:
        raise NotApplicable("A trained player is a pure function of the view; this one is stateful.")
    yield from ask(agent, views, legal, seeds_for(len(views))).tolist()
    if agent.has_policy():
        yield np.asarray(agent.policy(views, legal)).tolist()
