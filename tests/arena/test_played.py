"""Long matches: kept in a file, summed up in blocks, with the same figures and hands; memory does not grow with them."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena import match, played, row_buffer, statistics, tournament
from cardai.arena.match import MatchResult
from cardai.core.game import Game
from cardai.core.statistics import Estimate
from tests.support import sizes


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make few rows many: everything goes through files, in blocks."""
    monkeypatch.setattr(row_buffer, "IN_MEMORY", 1 << 10)
    monkeypatch.setattr(row_buffer, "BLOCK", 17)
    monkeypatch.setattr(played, "_GROUPS", 13)
    monkeypatch.setattr(played, "_HANDS", 50)


MATCHES = [
    ("gin:target=30,tie=push,line_bonus=20", ["simple", "greedy"], 60, True),
    ("leduc:players=3", ["acpc_mix", "always_call", "random"], 300, True),
    ("leduc", ["acpc_mix", "random"], 301, False),
    ("video_poker:hands=3", ["video_heuristic"], 101, True),
]


def told(result: MatchResult) -> str:
    """Return all that is said of a match."""
    agents = range(len(result.agents))
    return repr([str(result), *((result.win_rate(a), result.mean_return(a), result.figures(a)) for a in agents)])


@pytest.mark.parametrize(("game", "agents", "games", "duplicate"), MATCHES)
def test_a_match_in_a_file_is_that_in_memory(
    game: str, agents: list[str], games: int, duplicate: bool, request: pytest.FixtureRequest
) -> None:
    asked: dict[str, Any] = {"games": games, "seed": 4, "duplicate": duplicate, "batch": 16}
    near = match.play(game, agents, **asked)
    before = told(near)
    request.getfixturevalue("small")
    far = match.play(game, agents, **asked)
    assert far.hands.tobytes() == near.hands.tobytes()
    assert isinstance(far.hands.base, np.memmap)
    assert far.hands.agents == tuple(agents)
    assert (far.games == near.games).all()
    assert (far.scores == near.scores).all()
    assert told(far) == before
    assert told(pickle.loads(pickle.dumps(far))) == before


def test_figures_are_those_of_whole_arrays(small: None) -> None:
    """The formulas over all hands at once, as the statistics define them."""
    result = match.play("gin:target=30", ["simple", "greedy"], games=80, seed=1)
    hands, seats = np.asarray(result.hands), result.seats(1)
    own = hands["returns"][np.arange(len(hands)), seats]
    sums = [statistics.group_sums(hands["group"], values) for values in (own, np.ones(len(hands)))]
    assert repr(result.mean_return(1)) == repr(statistics.ratio(*sums))
    won = statistics.group_sums(result.groups, result.wins()[:, 1]) / 2
    assert repr(result.win_rate(1)) == repr(statistics.rate(won))
    assert repr(result.figures(1)) == repr(dict(result.game.figures(hands, seats)))
    assert result.summary(1) == result.game.summary(hands, seats)


def test_a_tournament_in_files_is_that_in_memory(small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = ["always_call", "random", "acpc_mix"]
    monkeypatch.setattr(tournament, "_SAVE_SECONDS", 0.0)
    far = tournament.play_pairings("leduc", agents, games=400, seed=2, out=tmp_path / "far")
    monkeypatch.undo()
    near = tournament.play_pairings("leduc", agents, games=400, seed=2, out=tmp_path / "near")
    assert str(far) == str(near)
    assert str(tournament.saved(tmp_path / "far", agents)) == str(far)
    rows = near.pairings[0, 2].rows.read()
    assert repr(near.pairings[0, 2].mean_return()) == repr(
        statistics.ratio(rows["returns"], rows["hands"].astype(float))
    )


def peak(games: int) -> int:
    """Return the most bytes that a match had at a time."""
    tracemalloc.start()
    try:
        str(match.play("leduc", ["always_call", "random"], games=games, batch=64))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
@pytest.mark.parametrize("games", sizes(1000, 4000))
def test_memory_does_not_grow_with_the_number_of_games(games: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight times the games would be eight times the memory of a row a hand, 40 bytes and more."""
    monkeypatch.setattr(row_buffer, "IN_MEMORY", 1 << 15)
    monkeypatch.setattr(row_buffer, "BLOCK", 256)
    monkeypatch.setattr(played, "_GROUPS", 256)
    monkeypatch.setattr(played, "_HANDS", 512)
    monkeypatch.setattr("cardai.arena.streaming.LEAF", 256)
    peak(100)  # compiles
    few, many = peak(games), peak(8 * games)
    assert many < few + 7 * games * 40 / 8


def test_a_game_that_sums_up_all_hands_itself_is_given_them() -> None:
    class Own(type(cardai.game("leduc"))):  # type: ignore[misc]
        def figures(self, hands: Any, seats: Any) -> Mapping[str, Estimate]:
            return {"hands": Estimate(float(len(hands)), 0.0, 1)}

        def summary(self, hands: Any, seats: Any) -> list[tuple[str, str]]:
            return [("hands", str(len(hands)))]

    game: Game = Own()
    result = match.play(game, ["random", "random"], games=6)
    assert result.figures(0)["hands"].mean == 6
    assert result.summary(1) == [("hands", "6")]
