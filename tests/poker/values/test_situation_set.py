"""Sets of solved situations: made in pieces, gone on with, checked when they are read."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.locks import DirectoryLock
from cardai.poker.values import situation_set, situations
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.situation_set import HEAD, SHARD, Recipe, SituationWarning, load, produce, solve_shard
from cardai.poker.values.situations import INTERVALS, Labels, Situation, labels, random_range

RECIPE = Recipe("river", 5, (4, 4, 3, 3, 2), intervals=(2, 4), per_shard=2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("set") / "river"
    produce(directory, RECIPE, 5)
    return directory


def test_whole_shards_are_made_of_what_is_asked_for(made: Path) -> None:
    found = load(made)
    assert (len(found), found.numbers, found.recipe) == (6, [0, 1, 2], RECIPE)


def test_values_are_those_of_the_situations_numbers(made: Path) -> None:
    found = load(made)
    pairs = zip(found.situations(1), found.read(1).values, strict=True)
    for number, (one, values) in enumerate(pairs, start=2):
        again = found.recipe.situation(number)
        assert (again.board, again.half_pot) == (one.board, one.half_pot)
        solved = labels(again, RECIPE.iterations[again.interval], discounts=situations.FASTER)
        wanted = solved.values[:, legal_hands(one.board)]
        assert values == pytest.approx(wanted, rel=2e-3, abs=1e-4)  # float16
        assert found.read(1).exploitability[number - 2] == pytest.approx(solved.exploitability)


def test_pots_are_from_the_intervals_asked_for() -> None:
    found = {RECIPE.situation(number).interval for number in range(12)}
    assert found == {2, 4}
    for number in range(12):
        one = RECIPE.situation(number)
        low, high = INTERVALS[one.interval]
        assert low <= one.half_pot <= high


def test_stopping_and_going_on_gives_the_same_bytes(made: Path, tmp_path: Path) -> None:
    shown: list[int] = []

    def stop_after_one(done: int, wanted: int) -> bool:
        shown.append(done)
        return done < 2

    part = produce(tmp_path / "x", RECIPE, 6, progress=stop_after_one)
    assert (len(part), shown) == (2, [0, 2])
    produce(tmp_path / "x", RECIPE, 6)
    for file in sorted(made.iterdir()):
        assert (tmp_path / "x" / file.name).read_bytes() == file.read_bytes(), file.name


def test_processes_make_the_same_bytes(made: Path, tmp_path: Path) -> None:
    produce(tmp_path / "x", RECIPE, 6, jobs=2)
    for number in range(3):
        assert (tmp_path / "x" / SHARD.format(number)).read_bytes() == (made / SHARD.format(number)).read_bytes()
    assert load(tmp_path / "x").shards == load(made).shards


@pytest.mark.parametrize(("player", "on", "sent"), [("runs/x", "ray", True), ("runs/x", "", False), ("", "ray", False)])
def test_machines_are_sent_what_a_players_self_play_brought(
    player: str, on: str, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trained run is a directory of this machine: on another one it was not there."""
    given: list[tuple[object, ...]] = []

    def work(function: object, recipe: Recipe, **options: Any) -> SimpleNamespace:
        given.extend(arguments for _, arguments in options["pieces"])
        return SimpleNamespace(run=lambda: (each for each in ()))

    monkeypatch.setattr(situation_set, "Work", work)
    monkeypatch.setattr(situation_set, "_members", lambda recipe, shard: [recipe.player, shard])
    assert not list(situation_set._swept(evolve(RECIPE, player=player), [3, 5], 1, on))
    assert given == ([(3, ["runs/x", 3]), (5, ["runs/x", 5])] if sent else [(3,), (5,)])


def test_ctrl_c_loses_only_what_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve, calls = situation_set.solve_shard, []

    def interrupted(recipe: Recipe, shard: int) -> object:
        calls.append(shard)
        if shard == 1 and calls.count(1) == 1:
            raise KeyboardInterrupt
        return solve(recipe, shard)

    monkeypatch.setattr(situation_set, "solve_shard", interrupted)
    with pytest.raises(KeyboardInterrupt):
        produce(tmp_path / "x", RECIPE, 4)
    assert load(tmp_path / "x").numbers == [0]
    assert produce(tmp_path / "x", RECIPE, 4).numbers == [0, 1]
    assert calls == [0, 1, 1]


def test_a_changed_shard_is_refused(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    file = copy / SHARD.format(0)
    data = bytearray(file.read_bytes())
    data[-700] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(DamagedFileError, match="checksum is another"):
        load(copy).read(0)
    assert load(copy).read(1).values.shape == (2, 2, 1081)
    file.unlink()
    with pytest.raises(DamagedFileError, match=f"is missing. Make it again by: cardai situations {copy} --count 6"):
        load(copy).read(0)


@pytest.mark.parametrize(("harm", "said"), [("missing", "is missing"), ("damaged", "its checksum is another")])
@pytest.mark.parametrize("count", [2, 6])
def test_a_lost_shard_alone_is_made_again_the_same_to_the_byte(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str, said: str, count: int
) -> None:
    copy, solve, solved = tmp_path / "copy", situation_set.solve_shard, []
    shutil.copytree(made, copy)
    file = copy / SHARD.format(1)
    file.unlink() if harm == "missing" else file.write_bytes(file.read_bytes()[:-1] + b"x")

    def seen(recipe: Recipe, shard: int) -> object:
        solved.append(shard)
        return solve(recipe, shard)

    monkeypatch.setattr(situation_set, "solve_shard", seen)
    with pytest.warns(SituationWarning, match=f"^The file {file} .*{said}. It is made again.$"):
        assert len(produce(copy, RECIPE, count)) == 6
    assert solved == [1]
    assert sorted(p.name for p in copy.iterdir()) == sorted(p.name for p in made.iterdir())
    for one in made.iterdir():
        assert (copy / one.name).read_bytes() == one.read_bytes(), one.name


def test_a_whole_set_is_looked_at_where_nothing_can_be_written(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(situation_set, "DirectoryLock", None)
    assert len(produce(made, RECIPE, 6)) == 6


def test_a_set_that_another_process_solves_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / ".situations.json.0123.part").touch()  # a killed process's
    with (
        DirectoryLock(tmp_path / "x"),
        pytest.raises(UsageError, match=rf"being solved by another process \({os.getpid()}"),
    ):
        produce(tmp_path / "x", RECIPE, 2)
    assert produce(tmp_path / "x", RECIPE, 2).numbers == [0]
    assert not (tmp_path / "x" / ".lock").exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [("format", "x"), ("shards", {"../x": "0"}), ("shards", {"shard-00000x.npz": "0"}), ("recipe", 3)],
)
def test_a_damaged_head_is_refused(made: Path, tmp_path: Path, key: str, value: object) -> None:
    head = json.loads((made / HEAD).read_text())
    (tmp_path / HEAD).write_text(json.dumps(head | {key: value}))
    with pytest.raises(DamagedFileError, match="damaged or foreign"):
        load(tmp_path)


def test_another_recipe_or_player_is_refused(made: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="by another recipe"):
        produce(made, evolve(RECIPE, seed=6), 2)
    head = json.loads((made / HEAD).read_text())
    (tmp_path / HEAD).write_text(json.dumps(head | {"fingerprint": "0"}))
    with pytest.raises(UsageError, match="cannot be made again"):
        produce(tmp_path, RECIPE, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"street": "preflop"}, "flop, the turn, the river"),
        ({"street": "flop"}, "--values RUN with --street flop"),
        ({"network": "x"}, "--values RUN with --street flop"),
        ({"cards": 3}, "--values RUN with --street flop"),
        ({"street": "flop", "network": "x", "rows": 2}, "not on the flop"),
        ({"street": "flop", "network": "x"}, "another network of the turn"),
        ({"iterations": (3, 4)}, "five|5"),
        ({"intervals": (1, 1)}, "named twice"),
        ({"bets": "soup"}, "no size"),
    ],
)
def test_recipes_that_make_nothing_are_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        produce(tmp_path / "x", evolve(RECIPE, **change), 2)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 1081, 1128])
def test_ranges_are_halved_as_the_supplement_says(count: int) -> None:
    rng = np.random.default_rng(count)
    uniforms = rng.random(max(count, 1))
    used = iter(uniforms)

    def divided(hands: list[int], probability: float) -> dict[int, float]:
        if len(hands) == 1:
            return {hands[0]: probability}
        middle = len(hands) // 2
        weaker = probability * next(used)
        return divided(hands[:middle], weaker) | divided(hands[middle:], probability - weaker)

    assert dict(enumerate(random_range(count, uniforms))) == divided(list(range(count)), 1.0)


def test_a_set_of_a_version_that_knew_no_share_goes_on(made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    head = json.loads((copy / HEAD).read_text(encoding="utf-8"))
    assert head["recipe"].pop("share") == 1.0
    (copy / HEAD).write_text(json.dumps(head), encoding="utf-8")
    assert produce(copy, RECIPE, 7).numbers == [0, 1, 2, 3]
    assert (copy / SHARD.format(1)).read_bytes() == (made / SHARD.format(1)).read_bytes()


def test_flops_are_solved_as_their_recipe_says() -> None:
    asked: list[tuple[object, ...]] = []

    class Behind:
        digest = "x"

        def labels(
            self, one: Situation, iterations: int, bets: str, discounts: tuple[float, float, float], cards: int
        ) -> Labels:
            asked.append((one.half_pot, iterations, bets, discounts, cards))
            return Labels(np.zeros((2, 1326), np.float32), 0.0)

    recipe = Recipe("flop", 1, (6, 5, 4, 3, 2), bets="1+allin/allin", network="x", cards=3)
    members = [Situation(1, k, (0, 14, 28), half_pot, np.ones((2, 1326))) for k, half_pot in enumerate((250, 7000))]
    shard, _ = solve_shard(recipe, 4, members, Behind())
    assert shard == 4
    assert asked == [(250, 5, recipe.bets, recipe.discounts, 3), (7000, 2, recipe.bets, recipe.discounts, 3)]
