"""A table driven from outside plays the match that ``play`` plays, loses no move, and shows no more than a seat may see."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena import match, records
from cardai.arena.asking import bound
from cardai.arena.moves import HIDDEN
from cardai.arena.table import Table, replay
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.errors import AgentError, CardaiError, DamagedFileError, IllegalActionError, UsageError
from cardai.core.game import Amounts


class Counts(ScalarAgent):
    """A stateful agent: what it does depends on how often it was asked and what it heard in this match."""

    stateful = True

    def __init__(self, seat: int = -1) -> None:
        self.asked = 0
        self.heard = 0.0
        self.seat = seat

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        self.asked += 1
        return legal[(self.asked + int(self.heard) + rng.randrange(2)) % len(legal)]

    def new_match(self, seat: int) -> Counts:
        return Counts(seat)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.heard += returns[self.seat]


MATCHES: list[tuple[str, list[Any], int]] = [
    ("gin", ["heisenbot", "simple"], 2),
    ("kuhn", ["random", "random"], 10),
    ("kuhn", [Counts(), "random"], 10),
    ("holdem_nolimit:hands=20", ["random", "mix"], 2),
    ("leduc:hands=9", [Counts(), Counts()], 4),
    ("triple_draw:players=3,hands=2", ["random", "draw_heuristic", "random"], 3),
    ("video_poker", ["video_heuristic"], 3),
]


def play_on(table: Table, agents: list[Any]) -> None:
    """Play a table to its end, what comes from outside being what the agents of those places would do."""
    ready = [bound(agent, table.game) for agent in agents]
    while not table.done:
        if table.hand_over:
            table.next_hand()
        else:
            assert table.to_act is not None
            table.act(table.ask(ready[table.player_at(table.to_act)]))


SEATINGS = [
    (*played, outside)
    for played in MATCHES
    for outside in (None, 0, -1)  # an agent that remembers would be asked afresh from outside
    if outside is None or not isinstance(played[1][outside], Counts)
]


@pytest.mark.long("False")
@pytest.mark.parametrize(("game", "agents", "games", "outside"), SEATINGS)
@pytest.mark.parametrize("duplicate", [True, False])
def test_a_match_through_a_table_has_the_record_that_play_writes(
    game: str, agents: list[Any], games: int, outside: int | None, duplicate: bool, tmp_path: Path
) -> None:
    names = [f"player {i}" for i in range(len(agents))]
    size = len(agents) if duplicate else 1
    groups = range(-(-games // size))
    whole = match.play(
        game, agents, groups=groups, seed=5, duplicate=duplicate, record=tmp_path / "a", names=names, batch=7
    )
    seats: list[Any] = list(agents)
    if outside is not None:
        seats[outside] = None
    table = Table(game, seats, groups=groups, seed=5, duplicate=duplicate, names=names, save=tmp_path / "b")
    with table:
        play_on(table, agents)
    header, *hands = (tmp_path / "a").read_text().splitlines()
    assert json.loads(header)["game"] == game
    assert len(hands) == len(whole.hands)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    result = table.result()
    assert result.hands.tobytes() == whole.hands.tobytes()
    assert result.scores.tolist() == whole.scores.tolist()
    assert (result.wanted, result.interrupted) == (whole.wanted, False)
    assert {p.name for p in tmp_path.iterdir()} == {"a", "b"}


def test_a_table_stops_at_every_hand_and_counts_the_score() -> None:
    table = Table("gin", ["simple", "greedy"], seed=2)
    total = np.zeros(2)
    for hand in itertools.count():
        end = table.end()
        total += np.maximum(end.returns, 0)  # gin scores what is won
        assert (table.hand, table.hand_over, table.to_act) == (hand, True, None)
        assert table.score == tuple(total.tolist())
        over = table.game_over
        assert over == (max(total) >= 100)
        table.next_hand()
        if over:
            break
    assert table.done
    assert len(table.records) == hand + 1
    with pytest.raises(IllegalActionError, match="All games are over"):
        table.act(0)


def test_an_illegal_action_plays_nothing() -> None:
    table = Table("holdem_nolimit", [None, None], seed=3)
    before = table.unfinished, table.view(0), table.view(1)
    for action in (-1, 101, 20_001, 10**30, True, 1.0, None):
        with pytest.raises(IllegalActionError, match="is not legal here"):
            table.act(action)  # type: ignore[arg-type]
    assert (table.unfinished, table.view(0), table.view(1)) == before
    assert table.moves == ()


def test_what_is_handed_out_is_a_copy() -> None:
    table = Table("kuhn", [None, None], seed=3)
    legal, views = table.legal(), table.views()
    assert isinstance(legal, np.ndarray)
    legal[:] = False
    views["card"] = 7
    assert table.legal_actions() == [0, 1]
    assert table.view()["card"] in (0, 1, 2)
    amounts = Table("holdem_nolimit", [None, None]).legal()
    assert isinstance(amounts, Amounts)


def test_hands_end_with_the_cards_that_are_turned_over() -> None:
    table = Table("holdem_limit", [None, None], seed=1)
    table.act(0)
    assert table.end().shown == ()  # the other folded: nobody shows
    table = Table("holdem_limit", [None, None], seed=1)
    while not table.hand_over:
        table.act(1)
    end = table.end()
    assert end.shown == (0, 1)
    assert end.outcome["showdown"]
    assert all(len(view["hole"]) == 2 for view in end.views)
    assert end.views[0]["hole"] != end.views[1]["hole"]
    assert sum(end.returns) == 0


def test_who_folded_shows_nothing_at_a_showdown_of_others() -> None:
    table = Table("holdem_limit:players=3", [None] * 3, seed=1)
    folded = table.to_act
    table.act(0)
    while not table.hand_over:
        table.act(1)
    assert table.end().outcome["showdown"]
    assert table.end().shown == tuple(seat for seat in range(3) if seat != folded)


def test_a_seat_sees_no_more_of_a_move_than_its_view_tells() -> None:
    table = Table("triple_draw", [None, None], seed=1)
    while table.legal_actions()[0] < 3:
        table.act(1)
    drawer = table.to_act
    table.act(3 + 0b101)
    (move,) = table.moves[-1:]
    assert drawer is not None
    assert move.seen[drawer] == 3 + 0b101
    other = move.seen[1 - drawer]
    assert other == HIDDEN  # which two cards went away, it cannot tell
    assert table.moves[0].seen == (1, 1)  # a call is seen by all


def test_stepwise_an_agent_moves_when_it_is_told_to() -> None:
    table = Table("leduc", ["always_raise", None], seed=1, stepwise=True)
    assert table.to_act == 0
    assert table.moves == ()
    with pytest.raises(IllegalActionError, match=r"Seat 0 is always_raise's: call step\(\)"):
        table.act(1)
    assert table.step().action == 2
    with pytest.raises(IllegalActionError, match=r"Seat 1 is played from outside"):
        table.step()
    table.act(0)
    assert table.hand_over


def test_seats_rotate_from_game_to_game() -> None:
    table = Table("kuhn", [None, "random"], seed=1, groups=itertools.count())
    seats = []
    for _ in range(4):
        seats.append(table.seat_of(0))
        assert table.is_outside(seats[-1])
        assert table.player_at(seats[-1]) == 0
        while not table.hand_over:
            table.act(0)
        table.next_hand()
    assert seats == [0, 1, 0, 1]


class Always(ScalarAgent):
    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        return legal[-1]


class Fails(ScalarAgent):
    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        raise SystemExit(0)


def test_an_agent_that_errs_is_named_and_the_move_before_it_stands() -> None:
    table = Table("kuhn", [None, Fails()], seed=4)
    with pytest.raises(AgentError, match=r"called sys.exit\(0\) \(.*test_table.py, line \d+\) \(game kuhn, seed 4"):
        table.act(1)
    assert [move.action for move in table.moves] == [1]
    assert table.to_act == 1


def test_wrong_numbers_of_players_are_refused() -> None:
    with pytest.raises(UsageError, match=r"kuhn has 2 seats. Got 1 players: human"):
        Table("kuhn", [None])
    with pytest.raises(UsageError, match="at least one group"):
        Table("kuhn", [None, None], groups=())


# -- saving and going on -------------------------------------------------------------------------------------------


def test_the_record_is_on_the_disk_after_every_move(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    table = Table("leduc:hands=3", [None, "random"], seed=6, save=file)
    beside = tmp_path / "r.jsonl.open"
    while not table.done:
        held = records.read(beside)
        assert held.damaged == []
        assert held.hands == list(table.records)
        actions = None if held.unfinished is None else held.unfinished["actions"]
        assert actions == (None if table.hand_over else [move.action for move in table.moves])
        if table.hand_over:
            table.next_hand()
        else:
            table.act(1)
    assert not file.exists()
    table.close()
    assert not beside.exists()
    assert records.read(file).hands == list(table.records)


@pytest.mark.parametrize(("game", "agents"), [(game, agents) for game, agents, _ in MATCHES[:6]])
@pytest.mark.parametrize("moves", [0, 3, 41])
def test_a_table_is_restored_in_the_middle_of_a_hand(game: str, agents: list[Any], moves: int, tmp_path: Path) -> None:
    names = [f"player {i}" for i in range(len(agents))]
    groups = range(30 if game == "kuhn" else 2)
    whole = tmp_path / "whole"
    match.play(game, agents, groups=groups, seed=9, duplicate=False, names=names, record=whole)
    seats: list[Any] = [None, *agents[1:]] if not isinstance(agents[0], Counts) else list(agents)
    stopped = Table(game, seats, groups=groups, seed=9, names=names, save=tmp_path / "r", stepwise=True)
    ready = bound(agents[0], stopped.game)
    for _ in range(moves):
        if stopped.hand_over:
            stopped.next_hand()
        elif stopped.is_outside(stopped.to_act or 0):
            stopped.act(stopped.ask(ready))
        else:
            stopped.step()
    view, score = [stopped.view(s) for s in range(len(agents))], stopped.score
    # the process is killed here: nothing is closed
    table = Table.restore(tmp_path / "r", seats, groups=groups, stepwise=True)
    assert ([table.view(s) for s in range(len(agents))], table.score) == (view, score)
    assert table.moves == stopped.moves
    assert table.records == stopped.records
    assert table.unfinished == stopped.unfinished
    with table:
        while not table.done:
            if table.hand_over:
                table.next_hand()
            elif table.is_outside(table.to_act or 0):
                table.act(table.ask(ready))
            else:
                table.step()
    assert (tmp_path / "r").read_bytes() == whole.read_bytes()


def test_a_killed_process_loses_no_move(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        from cardai.arena.table import Table
        table = Table("gin", [None, "simple"], seed=3, save="r.jsonl")
        for _ in range(7):
            table.act(table.legal_actions()[0])
        print(len(table.moves), flush=True)
        sys.stdin.read()
        """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert child.stdout is not None
    moves = int(child.stdout.readline())
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    table = Table.restore(tmp_path / "r.jsonl")
    assert len(table.moves) == moves
    assert table.names == ("human", "simple")


def test_a_new_match_does_not_write_over_one_that_was_not_finished(tmp_path: Path) -> None:
    Table("kuhn", [None, None], save=tmp_path / "r").act(1)
    with pytest.raises(UsageError, match=r"r.open holds a match that was not finished"):
        Table("kuhn", [None, None], save=tmp_path / "r")


def test_an_agent_that_fails_at_once_leaves_the_older_record_alone(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("older")
    with pytest.raises(AgentError):
        Table("kuhn", [Fails(), None], save=tmp_path / "r")
    assert [p.name for p in tmp_path.iterdir()] == ["r"]
    assert (tmp_path / "r").read_text() == "older"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 1}, "does not follow from its seed"),
        ({"actions": [1]}, "ended otherwise"),
        ({"actions": [1, 1, 1]}, "is not legal|hand is over"),
        ({"actions": ["x"]}, r"actions\[0\] must be a whole number"),
        ({"returns": [2.0, -2.0]}, "ended otherwise"),
        ({"seats": [1, 0]}, "does not follow from its seed"),
        ({"game_number": 1}, "does not follow from its seed"),
    ],
)
def test_a_record_that_is_not_its_seeds_is_not_gone_on_with(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    file = tmp_path / "r"
    with Table("kuhn", [None, "random"], seed=2, save=file) as table:
        table.act(0)
        assert not table.hand_over
        table.act(0)
    header, line = file.read_text().splitlines()
    file.write_text(f"{header}\n{json.dumps({**json.loads(line), **change})}\n")
    with pytest.raises(DamagedFileError, match=said):
        Table.restore(file)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(({"seed": seed}, "line 1, is damaged or foreign: seed must be a whole number") for seed in ("7", None, 1.5, True, {})),
        ({"duplicate": 0}, "duplicate must be true or false"),
        ({"agents": []}, "must name 1 to 128 agents"),
        ({"agents": ["random"] * 20_000}, "must name 1 to 128 agents. Got 20,000"),
        ({"agents": ["human", "x" * 5000]}, "There is no agent named 'xx"),
        ({"agents": ["human", "x/" * 3000]}, "There is no training run in|the trained run 'x/x"),
        ({"agents": ["human", "random", "random"]}, "has 2 seats. Got 3 players"),
        ({"game": "x" * 5000}, "There is no game named"),
    ],
)  # fmt: skip
def test_a_record_whose_header_is_wrong_is_not_gone_on_with(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    file = tmp_path / "r"
    with Table("kuhn", [None, "random"], seed=2, save=file) as table:
        table.act(0)
    header, line = file.read_text().splitlines()
    file.write_text(f"{json.dumps({**json.loads(header), **change})}\n{line}\n")
    with pytest.raises(CardaiError, match=said):
        Table.restore(file)


# -- replaying ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "agents", "games"), [m for m in MATCHES if m[0] != "video_poker"])
def test_every_recorded_hand_replays_at_a_table(game: str, agents: list[Any], games: int, tmp_path: Path) -> None:
    match.play(game, agents, groups=range(games), seed=6, duplicate=False, record=tmp_path / "r.jsonl")
    made = cardai.game(game)
    for record in records.read(tmp_path / "r.jsonl").hands:
        last = None
        for table, action in replay(made, record):
            assert (action == -1) == table.hand_over
            last = table
        assert last is not None
        assert list(last.end().returns) == record["returns"]
        assert dict(last.end().outcome) == record["outcome"]
        assert [last.player_at(seat) for seat in range(made.num_players)] == record["seats"]
        with pytest.raises(IllegalActionError, match="nothing comes after it"):
            last.next_hand()


def test_a_table_asks_any_agent_what_it_would_do_and_plays_nothing() -> None:
    table = Table("kuhn", [None, None], seed=1)
    assert table.ask(bound(Always(), table.game)) == 1
    assert table.moves == ()

    class Cheats(Agent):
        def act(self, views: Any, legal: Any, rng: Any) -> Any:
            legal[:] = True
            return np.array([5])

    with pytest.raises(AgentError, match=r"illegal action 5; legal are \[0, 1\]"):
        table.ask(Cheats())
