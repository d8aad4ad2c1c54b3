"""experiments/resolving: tree CFR as the trainer does it, and measurements that go on where they stopped."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import cardai
from cardai.solve.measures import measure
from tests.support import ROOT

FOLDER = ROOT / "experiments" / "resolving"


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])


@pytest.mark.long
def test_without_a_floor_tree_cfr_is_the_trainers(tmp_path: Path) -> None:
    import tree_cfr

    options = "variant=cfr,beta=-inf,gamma=0,delay=10,updates=simultaneous"
    agent = cardai.train(f"cfr:{options}", "leduc_deepstack", steps=20, out=tmp_path / "run").agent()
    trained = measure(cardai.game("leduc_deepstack"), agent).exploitability * 5 / 6
    plain = tree_cfr.Details(floor=0.0, first=11)
    assert tree_cfr.exploitability(plain, 20) == pytest.approx(trained, abs=1e-6)
    assert abs(tree_cfr.exploitability(tree_cfr.Details(first=11), 20) - trained) > 1e-4


def test_a_series_takes_a_deal_of_each_in_turn_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    from resolving_matches import Series

    asked: list[tuple[str, int]] = []

    def measurement(name: str, worth: float) -> object:
        def play(deal: int) -> list[float]:
            asked.append((name, deal))
            return [worth * deal, 2.0 * worth]

        return play

    deals = {"match: one": measurement("one", 1.0), "match: two": measurement("two", -1.0)}
    Series(tmp_path, 2, 0).take(deals)  # type: ignore[arg-type]
    assert asked == [("one", 0), ("two", 0), ("one", 1), ("two", 1)]
    Series(tmp_path, 3, 0).take(deals)  # type: ignore[arg-type]
    assert asked[4:] == [("one", 2), ("two", 2)]
    found = dict(Series(tmp_path, 0, 0).found(blind=100.0))
    one = found["match: one"]
    assert (one["mbb"], one["aivat"], one["deals"]) == (10.0, 20.0, 3)  # the mean of 0, 1, 2 chips, of blinds of 100
    assert one["half"] == pytest.approx(4.303 * 10 / 3**0.5, rel=1e-3)  # Student's t, two degrees of freedom
    assert found["match: two"]["mbb"] == -10.0
    assert json.loads(Series(tmp_path, 0, 0).file("match: one").read_text())["key"] == "match: one"


def test_a_series_that_is_stopped_keeps_what_was_played(tmp_path: Path) -> None:
    from resolving_matches import Series

    def stopped(deal: int) -> list[float]:
        if deal == 2:
            raise KeyboardInterrupt
        return [1.0]

    Series(tmp_path, 5, 0).take({"lbr: one": stopped})
    assert Series(tmp_path, 5, 0).read("lbr: one")["deals"] == [[1.0], [1.0]]


def test_who_plays_whom_with_a_network_and_blueprints(tmp_path: Path) -> None:
    import argparse

    import run

    ladder = tmp_path / "ladder"
    cardai.train("bucket_mccfr:flop=1,turn=1,river=1", "holdem_fcpa", steps=1, out=ladder)
    asked = argparse.Namespace(agent="resolving:threads=1", blueprint="", ladder=str(ladder), values="runs/turn")
    limit, free, rungs = run.pairings(asked)
    assert limit[2] == "resolving:threads=1"
    assert set(limit[3]) == {"always_call", "threshold"}
    assert free[2] == f"resolving:threads=1,values=runs/turn,blueprint={ladder}" == rungs[2]
    assert cardai.game(rungs[1]).ladder == (1.0, -1.0)
    assert rungs[3] == {"the blueprint": str(ladder)}
    assert run.with_options("resolving", values="", blueprint="a,b") == 'resolving:blueprint="a,b"'
    assert (limit[0], free[0]) == ("resolving:threads=1", "resolving:threads=1 with a network and a blueprint")


@pytest.mark.long
def test_the_local_best_response_walks_the_same_board_whatever_else_is_measured() -> None:
    from resolving_matches import SETTINGS, response_boards

    game, folds, calls = cardai.game("acpc_nolimit_2p"), cardai.agent("always_fold"), cardai.agent("always_call")
    won = [response_boards(game, folds, folds, setting)(3)[0] for setting in SETTINGS]
    assert won == pytest.approx([25, 75, 75, 75])  # Lisy and Bowling 2017, table 2
    river = response_boards(game, calls, calls, "fcpa, turn and river")
    assert river(0) == river(0) != river(1)
