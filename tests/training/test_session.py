"""Sessions: when checkpoints fall, and which time counts."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cardai.core import registry
from cardai.core.encoder import Encoder
from cardai.core.errors import UsageError, WriteError
from cardai.core.game import Game
from cardai.core.trainer import Trainer, Training
from cardai.training.runs import Run
from cardai.training.session import Session
from tests.support import python

TOY = Path(__file__).parents[1] / "toy_trainer.py"


@pytest.fixture(autouse=True)
def _toy() -> None:
    registry.default.reset()
    registry.add_file(str(TOY))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Return a run under way that yields every five steps."""
    return Session.start(Run.create(tmp_path / "x", "toy_trainer", "toy_game", None, seed=3, steps=40))


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float], None]:
    """Return a function that lets so many wall and CPU seconds go by at once."""
    now = {"monotonic": 1000.0, "process_time": 50.0}
    for name in now:
        monkeypatch.setattr(time, name, lambda name=name: now[name])

    def go_on(wall: float, cpu: float) -> None:
        now["monotonic"] += wall
        now["process_time"] += cpu

    return go_on


@pytest.mark.parametrize(("seconds", "steps"), [(-1.0, [5, 10, 15, 20]), (3600.0, [20])])
def test_a_checkpoint_falls_where_its_seconds_are_over(session: Session, seconds: float, steps: list[int]) -> None:
    session.train(20, keep=99, checkpoint_seconds=seconds)
    assert session.run.steps() == steps


def test_seconds_do_not_matter_where_steps_are_asked_for(session: Session) -> None:
    session.train(20, checkpoint_every=10, keep=99, checkpoint_seconds=-1.0)
    assert session.run.steps() == [10, 20]


def test_the_seconds_start_anew_at_each_checkpoint(wait: Callable[[float, float], None], tmp_path: Path) -> None:
    session = Session.start(Run.create(tmp_path / "x", "toy_trainer", "toy_game", None, seed=3, steps=40))
    session.train(40, keep=99, checkpoint_seconds=12, on_progress=lambda step, metrics: wait(5, 5))
    assert session.run.steps() == [15, 30, 40]


def test_time_spent_measuring_is_not_counted_as_training(wait: Callable[[float, float], None], tmp_path: Path) -> None:
    run = Run.create(tmp_path / "x", "toy_trainer", "toy_game", None, seed=3, steps=10)
    session = Session.start(run)
    wait(7, 3)
    with session.untimed():
        wait(100, 90)
    wait(2, 1)
    assert session.seconds == (9, 4)
    session.train(10)
    assert [(row["seconds"], row["cpu_seconds"]) for row in run.read_metrics()] == [(9, 4)]


def test_a_resumed_session_counts_on_from_its_checkpoint(wait: Callable[[float, float], None], tmp_path: Path) -> None:
    run = Run.create(tmp_path / "x", "toy_trainer", "toy_game", None, seed=3, steps=10)
    session = Session.start(run)
    wait(7, 3)
    session.train(10)
    wait(500, 400)  # nobody trains
    again = Session.resume(run)
    wait(1, 1)
    assert again.seconds == (8, 4)


def test_a_session_that_has_nothing_to_do_leaves_a_checkpoint_to_play(session: Session) -> None:
    assert session.train(0)
    assert session.run.steps() == [0]
    assert Session.resume(session.run).training.step == 0


# -- a disk that is full -------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")
def test_a_full_disk_names_the_file_what_is_safe_and_the_command_that_goes_on(session: Session) -> None:
    session.train(10, checkpoint_every=10)
    metrics = session.run.path / "metrics.jsonl"
    kept = metrics.read_text()
    metrics.unlink()
    metrics.symlink_to("/dev/full")
    with pytest.raises(WriteError) as error:
        session.train(30)
    assert str(error.value) == (
        f"The file {metrics} cannot be written: No space left on device. The checkpoint of step 10 is safe. "
        f"Make room, then go on with: cardai train --resume {session.run.path} --steps 30 --plugin {TOY}"
    )
    metrics.unlink()
    metrics.write_text(kept + '{"step": 15, "exploi')  # as far as a real disk would have taken it
    again = Session.resume(session.run)
    assert again.training.step == 10
    assert again.train(40)
    assert [row["step"] for row in session.run.read_metrics()] == [10, 20, 30, 40]


FULL = """
import resource, sys
from cardai.core import registry
from cardai.core.errors import CardaiError
from cardai.training.runs import Run
from cardai.training.session import Session
registry.add_file(sys.argv[1])
run = Run.create(__import__("pathlib").Path(sys.argv[2]), "toy_trainer", "toy_game", None, seed=3, steps=40)
session = Session.start(run)
session.train(10, checkpoint_every=5)
size = next((run.path / "checkpoints").glob("*10/*.npz")).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1, size - 1))
try:
    session.train(40, checkpoint_every=20)
except CardaiError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files are POSIX's")
def test_a_checkpoint_that_does_not_fit_leaves_the_last_one_and_nothing_half_written(tmp_path: Path) -> None:
    done = python("-c", FULL, str(TOY), str(tmp_path / "x"))
    said = done.stdout
    assert said.startswith(f"WriteError The file '{tmp_path}/x/checkpoints/.step-000000000020."), done.stderr
    assert "toy.npz' cannot be written: File too large. The checkpoint of step 10 is safe." in said
    assert said.rstrip().endswith(f"go on with: cardai train --resume {tmp_path / 'x'} --plugin {TOY}")
    assert sorted(p.name for p in (tmp_path / "x/checkpoints").iterdir()) == ["step-000000000005", "step-000000000010"]
    run = Run.open(tmp_path / "x")
    assert Session.resume(run).train(40)
    assert run.steps()[-1] == 40


def test_minutes_end_a_training_as_steps_do_what_comes_first(
    wait: Callable[[float, float], None], tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "x", "toy_trainer", "toy_game", None, seed=3, minutes=1.0)
    session = Session.start(run)

    def slowly(step: int, metrics: object) -> None:
        wait(20, 15)

    assert session.train(None, on_progress=slowly, minutes=1.0)  # five steps in 20 seconds
    assert (session.training.step, run.steps()) == (15, [15])
    assert Run.open(run.path).minutes_wanted == 1.0
    wait(500, 400)  # nobody trains
    again = Session.resume(run)
    assert again.train(None, on_progress=slowly, minutes=2.0)  # in all
    assert again.training.step == 30
    assert again.train(35, on_progress=slowly, minutes=100.0)
    assert again.training.step == 35


def test_what_wants_a_checkpoint_gets_one_at_once(session: Session) -> None:
    def finished(step: int, metrics: object) -> None:
        session.training.wants_checkpoint = step in (10, 25)

    session.train(40, checkpoint_every=10**6, keep=99, on_progress=finished)
    assert session.run.steps() == [10, 25, 40]


REFUSING = """
from attrs import frozen

from cardai import hookimpl
from cardai.core.errors import UsageError
from tests.toy_trainer import ToyTrainer


@frozen
class Refusing(ToyTrainer):
    def check_game(self, game):
        raise UsageError(f"refusing learns no {type(game).__name__}.")

    def start(self, game, encoder, seed):
        raise AssertionError("started for a game that it does not take")


@hookimpl
def cardai_trainer():
    return Refusing
"""


def test_a_game_that_a_trainer_does_not_take_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    plugin = tmp_path / "refusing.py"
    plugin.write_text(REFUSING)
    registry.add_file(str(plugin))
    run = Run.create(tmp_path / "run", "refusing", "toy_game", None, seed=3, steps=40)
    with pytest.raises(UsageError, match="refusing learns no ToyGame"):
        Session.start(run)
    assert not (tmp_path / "run").exists()


def test_a_trainer_that_does_not_say_which_games_it_takes_cannot_be_made() -> None:
    class Silent(Trainer):
        def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
            raise NotImplementedError

    with pytest.raises(TypeError, match="check_game"):
        Silent()  # type: ignore[abstract]
