"""counterfactual_values in Leduc: it learns from a set as in hold'em, and its run plays."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai import testing
from cardai.core.errors import CardaiError, DamagedFileError, OptionError, UsageError
from cardai.core.files import digest_of, file_digest, read_json, write_json
from cardai.core.registry import create
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.resolving.games import resolving_player
from cardai.poker.values.runs import held_out
from cardai.poker.values.situation_set import Recipe, produce
from cardai.poker.values.splits import TEST, TRAIN, VALIDATION
from cardai.testing import Case
from tests.support import own_cache

pytest.importorskip("torch")

GAME = "leduc_deepstack"
RECIPE = Recipe("second", 3, (30,) * 5, game=GAME, per_shard=300)
SMALL = "width=8,context=16,blocks=1,batch=20,anneal=8"
SHAPES = {"ours": f"leduc_values:{SMALL}", "release": "leduc_values_release:hidden=16,layers=2,batch=20,rate=0.005"}


@pytest.fixture(scope="module", autouse=True)
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        own_cache(patch, tmp_path_factory.mktemp("cache"))
        yield produce(tmp_path_factory.mktemp("data") / "leduc", RECIPE, 300).directory


@pytest.fixture(params=SHAPES)
def spec(request: pytest.FixtureRequest, data: Path) -> str:
    return f"{SHAPES[request.param]},situations={data}"


@pytest.mark.long("deterministic", "saved-player", "damage", "trained-agent")
@testing.parametrize_checks("trainer", f"leduc_values:{SMALL},situations=leduc", game=GAME)
def test_trainer_conforms(check: Case, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its players think 6 iterations, not 1,000."""
    monkeypatch.chdir(data.parent)

    def quick(game: Any, played: Any, settings: SolverSettings, *rest: Any) -> Any:
        return resolving_player(game, played, evolve(settings, iterations=6), *rest)

    monkeypatch.setattr("cardai.plugins.trainers.counterfactual_values.training.resolving_player", quick)
    check()


@pytest.mark.long("release")
def test_it_learns_and_keeps_the_best_epoch(spec: str) -> None:
    training = create("trainer", spec).start(cardai.game(GAME), None, seed=1)
    rows = list(training.train(12))
    assert rows[-1]["validation_huber"] < 0.8 * rows[0]["validation_huber"]
    assert rows[-1]["best_epoch"] == 1 + int(np.argmin([row["validation_huber"] for row in rows]))


def test_situations_are_split_by_their_numbers(data: Path) -> None:
    training = create("trainer", f"{SHAPES['ours']},situations={data}").start(cardai.game(GAME), None, seed=1)
    assert [len(training.rows[part]) for part in (TRAIN, VALIDATION, TEST)] == pytest.approx([240, 30, 30], abs=15)
    again = np.sort(np.concatenate(list(training.rows.values())))
    assert (again == np.arange(300)).all()


@pytest.mark.long("release")
def test_the_run_is_a_player_of_its_game(spec: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    cardai.train(spec, GAME, steps=2, out=run)
    game = cardai.game(GAME)
    state = game.new_initial_state()
    for outcome in (0, 3):
        state.apply_action(outcome)
    by_run = cardai.agent(f"{run}:iterations=20").strategy(state, game)
    by_name = cardai.agent(f"resolving:values={run},iterations=20").for_game(game).strategy(state, game)
    assert by_run == by_name
    assert sum(by_run.values()) == pytest.approx(1)
    with pytest.raises(OptionError, match="has no option 'skip'"):
        cardai.agent(f"{run}:skip=2").for_game(game)
    with pytest.raises(OptionError, match="must be at least 1"):
        cardai.agent(f"{run}:iterations=0").for_game(game)
    with pytest.raises(UsageError, match="They are no use in"):
        cardai.agent(f"resolving:values={run}").for_game(cardai.game(f"{GAME}:stack=900"))


def test_a_damaged_network_is_refused(spec: str, tmp_path: Path) -> None:
    training = create("trainer", spec).start(cardai.game(GAME), None, seed=1)
    training.save(tmp_path)
    (tmp_path / "best.safetensors").write_bytes(b"no tensors")
    with pytest.raises(DamagedFileError):
        create("trainer", spec).trained_agent(cardai.game(GAME), None, 1, tmp_path, {})


@pytest.mark.parametrize(
    ("options", "game", "message"),
    [
        ("leduc_values", "leduc", "no-limit Leduc"),
        ("leduc_values", "acpc_nolimit_2p", "are those of another game"),
        ("leduc_values", f"{GAME}:stack=900", "are those of another game"),
        ("leduc_values_release:code=e_hs2", GAME, "is of another game's hands"),
        ("leduc_values_release:images=true", GAME, "renamed for range_1326 alone"),
    ],
)
def test_what_leduc_has_no_use_for_is_refused(data: Path, options: str, game: str, message: str) -> None:
    trainer = create("trainer", options + ("," if ":" in options else ":") + f"situations={data}")
    with pytest.raises(UsageError, match=message):
        trainer.start(cardai.game(game), None, seed=0)


@pytest.mark.parametrize(
    ("shards", "said"),
    [
        (None, "lacks 'shards'"),
        ("0", "shards must be a list"),
        ([{}], r"shards\[0\] must be a whole number"),
        ([-1], "shards must be from 0"),
        ([0, 0], "names a shard of situations twice"),
        ([], "has no situations yet"),
        ([7], "shard-000007.npz is missing"),
    ],
)
def test_what_a_checkpoint_says_of_its_situations_is_checked(
    data: Path, tmp_path: Path, shards: Any, said: str
) -> None:
    """Its hashes fit: somebody made them who knows how."""
    run = tmp_path / "run"
    cardai.train(f"{SHAPES['ours']},situations={data}", GAME, steps=1, out=run)
    assert len(held_out(run)[1]) > 10
    folder = next(run.glob("checkpoints/*"))
    state = read_json(folder / "state.json")
    write_json(folder / "state.json", {k: v for k, v in (state | {"shards": shards}).items() if v is not None})
    manifest = read_json(folder / "manifest.json")
    file = folder / "state.json"
    manifest["files"]["state.json"] = {"bytes": file.stat().st_size, "sha256": file_digest(file)}
    manifest["sha256"] = digest_of({k: v for k, v in manifest.items() if k != "sha256"})
    write_json(folder / "manifest.json", manifest)
    with pytest.raises(CardaiError, match=said):
        held_out(run)


def test_a_state_of_no_situations_is_refused(data: Path, tmp_path: Path) -> None:
    state = {"step": 1, "best_step": 1, "best_loss": 0.5, "fingerprint": "ab", "shards": []}
    write_json(tmp_path / "state.json", state)
    with pytest.raises(DamagedFileError, match="says of no situations that they were learned from"):
        create("trainer", f"leduc_values:{SMALL},situations={data}").start(cardai.game(GAME), None, 0).load(tmp_path)


def test_it_stops_where_its_losses_are_no_numbers(data: Path) -> None:
    """Its best epoch stayed the player, and it went on to the end without a word."""
    training: Any = create("trainer", f"{SHAPES['ours']},situations={data}").start(cardai.game(GAME), None, seed=1)
    for weights in training.network.module.parameters():
        weights.data.fill_(float("nan"))
    with pytest.raises(CardaiError, match="no longer numbers"):
        next(training.train(1))


def test_the_same_situations_with_other_labels_are_not_gone_on_with(tmp_path: Path) -> None:
    def solved(iterations: int) -> str:
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        return str(produce(tmp_path / "data", evolve(RECIPE, iterations=(iterations,) * 5, per_shard=60), 60).directory)

    spec = f"{SHAPES['ours']},situations={solved(2)}"
    trainer, game = create("trainer", spec), cardai.game(GAME)
    trainer.start(game, None, seed=1).save(tmp_path)
    trainer.resume(game, None, 1, tmp_path)
    solved(3)
    with pytest.raises(DamagedFileError, match="not those that this run has learned from"):
        trainer.resume(game, None, 1, tmp_path)
