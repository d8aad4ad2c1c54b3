"""Hands as frames: every column, who sat where, and the sentence where a library is missing."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena.match import MatchResult
from cardai.core.errors import PluginError


@pytest.fixture(scope="module")
def result() -> MatchResult:
    return cardai.play("leduc", ["always_raise", "random"], games=20, seed=2)


def test_columns_say_who_sat_where_and_what_they_won(result: MatchResult) -> None:
    columns = result.hands.columns()
    for agent, name in enumerate(result.agents):
        seats = result.seats(agent)
        rows = np.arange(len(seats))
        sat = np.stack([columns["agent_0"], columns["agent_1"]], axis=1)
        assert (sat[rows, seats] == name).all()
        won = np.stack([columns["returns_0"], columns["returns_1"]], axis=1)[rows, seats]
        assert won.mean() == result.mean_return(agent).mean


def test_pandas_and_polars_and_parquet_hold_the_same(result: MatchResult, tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    ours, theirs = result.hands.to_pandas(), result.hands.to_polars()
    assert list(ours.columns) == theirs.columns
    assert len(ours) == len(theirs) == 20
    assert ours["returns_0"].tolist() == theirs["returns_0"].to_list()
    assert ours.groupby("agent_0")["returns_0"].sum().sum() == pytest.approx(result.hands["returns"][:, 0].sum())
    result.hands.to_parquet(tmp_path / "hands.parquet")
    assert polars.read_parquet(tmp_path / "hands.parquet").equals(theirs)
    assert isinstance(ours, pandas.DataFrame)


def test_hands_stay_an_array(result: MatchResult) -> None:
    assert type(result.hands["returns"]) is np.ndarray
    assert result.hands[:3].agents == result.agents
    assert pickle.loads(pickle.dumps(result)).hands.tobytes() == result.hands.tobytes()
    assert result.hands[0]["game"] == 0


def test_a_missing_library_is_named_with_the_command_that_mends_it(
    result: MatchResult, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(name: str) -> Any:
        return None

    monkeypatch.setattr("cardai.core.extras.find_spec", missing)
    for call in (result.hands.to_pandas, result.hands.to_polars, lambda: result.hands.to_parquet(tmp_path / "x")):
        with pytest.raises(PluginError, match=r"not installed. Run: pip install .*\[frames\]'"):
            call()
