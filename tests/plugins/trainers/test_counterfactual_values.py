"""Learning counterfactual values: both shapes, stopping and going on, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.errors import DamagedFileError, UsageError
from cardai.poker.hands.boards import RENAMINGS, hand_maps
from cardai.poker.values.prepared import load_prepared, prepare
from cardai.poker.values.situation_set import Recipe, load, produce
from cardai.poker.values.situations import Situation, situation
from cardai.poker.values.splits import TEST, TRAIN, VALIDATION, parts

torch = pytest.importorskip("torch")

from cardai.plugins.trainers.counterfactual_values.learners import renamed  # noqa: E402
from cardai.poker.values.measures import network_losses  # noqa: E402
from cardai.poker.values.network import codes, hand_buckets, load_run  # noqa: E402
from cardai.poker.values.range_codes import range_code  # noqa: E402
from cardai.poker.values.runs import held_out  # noqa: E402
from tests.support import own_cache  # noqa: E402

GAME = "acpc_nolimit_2p"
OURS = {"width": 8, "context": 16, "blocks": 1, "sample": 40, "batch": 8, "anneal": 4}
SHAPE = {"shape": "buckets", "hidden": 16, "layers": 2, "batch": 8, "rate": 1e-3, "anneal": 0}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_cache(monkeypatch, cache)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("data") / "river"
    produce(directory, Recipe("river", 3, (12, 10, 8, 6, 4), (2, 3, 4), per_shard=20), 60)
    return directory


def train(data: Path, out: Path, steps: int, code: str = "", **options: Any) -> Any:
    return cardai.train(
        "counterfactual_values",
        GAME,
        steps=steps,
        out=out,
        resume=True,
        code=code,
        situations=str(data),
        **options,
    )


@pytest.mark.long
def test_our_shape_learns(data: Path, tmp_path: Path) -> None:
    rows = train(data, tmp_path / "x", 10, **OURS | {"anneal": 10, "rate": 5e-3}).run.read_metrics()
    assert rows[-1]["training_huber"] < 0.8 * rows[0]["training_huber"]
    assert rows[-1]["best_epoch"] == 1 + int(np.argmin([row["validation_huber"] for row in rows]))


@pytest.mark.long("range_1326")
@pytest.mark.parametrize("code", ["e_hs2:bins=50", "range_1326"])
def test_deepstacks_shape_learns(data: Path, tmp_path: Path, code: str) -> None:
    rows = train(data, tmp_path / "x", 25, code, **SHAPE | {"rate": 1e-2}).run.read_metrics()
    assert rows[-1]["loss"] < 0.8 * rows[0]["loss"]
    network, part, _ = held_out(tmp_path / "x", None, 100, TRAIN)
    losses = network_losses(network, part).by_name
    if code == "range_1326":  # every hand is a bucket: there is nothing that abstraction hides
        assert losses["abstracted_player"] == pytest.approx(losses["huber_player"], rel=1e-5)
    else:
        assert (losses["abstracted_player"] != losses["huber_player"]).all()


def test_an_image_is_what_the_situation_is_under_other_names_of_suits() -> None:
    one = situation(4, 2, "river")
    own = range_code("range_1326")
    data = prepare([one])
    image, buckets = renamed(data, hand_buckets(own, data), np.random.default_rng(5))
    drawn = int(np.random.default_rng(5).integers(0, 24, 1)[0])
    assert drawn != 0
    suits, hands = RENAMINGS[drawn], hand_maps()[drawn]
    ranges = np.zeros_like(one.ranges)
    ranges[:, hands] = one.ranges
    board = tuple(int(13 * suits[card // 13] + card % 13) for card in one.board)
    again = prepare([Situation(0, 0, board, one.half_pot, ranges)])
    wanted = codes(own, again, hand_buckets(own, again))
    assert codes(own, image, buckets) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.long("options0")
@pytest.mark.parametrize(("code", "options"), [("", OURS), ("e_hs2:bins=30", SHAPE)])
def test_going_on_is_the_same_as_never_stopping(data: Path, tmp_path: Path, code: str, options: dict[str, Any]) -> None:
    train(data, tmp_path / "x", 3, code, **options)
    train(data, tmp_path / "y", 1, code, **options)
    train(data, tmp_path / "y", 3, code, **options)
    first, second = load_run(tmp_path / "x"), load_run(tmp_path / "y")
    for name, tensor in first.module.state_dict().items():
        assert (second.module.state_dict()[name] == tensor).all(), name
    rows = [cardai.load_run(tmp_path / one).run.read_metrics() for one in "xy"]
    for one, other in zip(*rows, strict=True):
        for key in ("loss", "validation_huber", "best_epoch"):
            assert one[key] == other[key]


@pytest.mark.long
def test_a_set_that_has_grown_changes_no_run(data: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(data, tmp_path / "data")
    train(tmp_path / "data", tmp_path / "x", 1, **OURS)
    produce(tmp_path / "data", load(data).recipe, 80)
    train(tmp_path / "data", tmp_path / "x", 2, **OURS)
    train(data, tmp_path / "y", 2, **OURS)
    for name, tensor in load_run(tmp_path / "x").module.state_dict().items():
        assert (load_run(tmp_path / "y").module.state_dict()[name] == tensor).all(), name


def test_boards_are_split_whatever_their_suits(data: Path) -> None:
    found = load(data)
    data = load_prepared(found, found.numbers)
    boards, split = data.boards, parts(data)
    assert {TRAIN, VALIDATION, TEST} == set(split)
    turned = (13 * ((boards // 13 + 1) % 4) + boards % 13).astype(np.int8)
    assert (parts(evolve(data, boards=turned)) == split).all()
    many = np.array([np.random.default_rng(k).permutation(52)[:5] for k in range(600)], np.int8)
    assert np.bincount(parts(evolve(data, boards=many))) / 600 == pytest.approx([0.8, 0.1, 0.1], abs=0.05)


def test_fewer_solves_are_the_first_of_the_training_part(data: Path, tmp_path: Path) -> None:
    few = train(data, tmp_path / "x", 1, **OURS | {"solves": 8})
    more = train(data, tmp_path / "y", 1, **OURS)
    rows = [one.run.read_metrics()[0]["loss"] for one in (few, more)]
    assert rows[0] != rows[1]


def test_a_network_is_no_player(data: Path, tmp_path: Path) -> None:
    made = train(data, tmp_path / "x", 1, **OURS)
    with pytest.raises(UsageError, match="is no player"):
        made.agent()


@pytest.mark.long
def test_other_situations_are_not_gone_on_with(data: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(data, tmp_path / "data")
    train(tmp_path / "data", tmp_path / "x", 1, **OURS)
    shutil.rmtree(tmp_path / "data")
    produce(tmp_path / "data", Recipe("river", 4, (3,) * 5, per_shard=20), 60)
    with pytest.raises(DamagedFileError, match="not those that this run has learned from"):
        train(tmp_path / "data", tmp_path / "x", 2, **OURS)


@pytest.mark.parametrize(
    ("encoder", "options", "message"),
    [
        (None, {"shape": "buckets"}, "needs a code of ranges"),
        ("flat", {}, "takes no --encoder"),
        (None, {"code": "e_hs2"}, "takes no code of ranges"),
        (None, {"shape": "buckets", "code": "flat", "images": True}, "no code of ranges"),
        (None, {"shape": "buckets", "code": "e_hs2", "images": True}, "renamed for range_1326 alone"),
        (None, {"situations": "/nowhere"}, "There are no situations"),
        (None, {"situations": ""}, "--set situations=DIR"),
    ],
)
def test_what_does_not_go_together_is_refused(
    data: Path, tmp_path: Path, encoder: str | None, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        cardai.train(
            "counterfactual_values",
            GAME,
            steps=1,
            encoder=encoder,
            out=tmp_path / "x",
            **{"situations": str(data)} | options,
        )
    assert not (tmp_path / "x").exists()


def test_only_holdem_for_two_is_learned(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="for two"):
        cardai.train("counterfactual_values", "leduc", steps=1, out=tmp_path / "x", situations=str(data))


def test_runs_of_other_trainers_have_no_values(tmp_path: Path) -> None:
    cardai.train("cfr_plus", "kuhn", steps=1, out=tmp_path / "x")
    with pytest.raises(UsageError, match="has no counterfactual values"):
        load_run(tmp_path / "x")
