"""Small parts of play, each by itself: queues, sinks, slices, buffers, what a table says of itself and what is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai import make
from cardai.arena import match
from cardai.arena.asking import own_copy
from cardai.arena.game_queue import GameQueue
from cardai.arena.lockstep import Part, hand_dtype
from cardai.arena.moves import HIDDEN
from cardai.arena.row_buffer import RowBuffer
from cardai.arena.saved_table import SavedTable
from cardai.arena.sink import RecordSink
from cardai.arena.slices import _joined, _slices
from cardai.arena.table import Table
from cardai.arena.tournament import Pairing, Standings, play_pairings
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.errors import AgentError, UntrustedError
from cardai.gin.actions import PLAY_ON


def test_a_queue_gives_each_game_once_in_order_whatever_is_taken_at_once() -> None:
    queue = GameQueue([4, 7, 9], 2)
    assert queue.take(3).tolist() == [8, 9, 14]
    queue.add([11])
    assert not queue.empty
    assert queue.take(4).tolist() == [15, 18, 19, 22]
    assert queue.take(9).tolist() == [23]
    assert queue.empty
    assert queue.take(1).tolist() == []
    queue.add([2])
    assert not queue.empty
    assert queue.take(5).tolist() == [4, 5]


def part_of(group: int, hands: int = 2) -> Any:
    records = [{"group": group, "game_number": group, "hand": hand} for hand in reversed(range(hands))]
    none = np.zeros(0, np.int64)
    return Part(none, none, np.zeros((0, 2)), np.zeros(2, np.int64), records)


class Written:
    """A record file that notes what is written, and how it ended."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, int]] = []
        self.error: Any = "open"

    def write(self, records: Any) -> None:
        self.lines += [(record["game_number"], record["hand"]) for record in records]

    def __enter__(self) -> Written:
        return self

    def __exit__(self, kind: Any, error: Any, tb: Any) -> None:
        self.error = error


def test_records_go_out_in_order_and_what_waits_behind_a_gap_at_the_end() -> None:
    file: Any = Written()
    groups = [3, 5, 6, 8]
    with RecordSink(file) as sink:
        sink.take(part_of(5), groups)
        assert file.lines == []
        sink.take(part_of(3), groups)
        assert file.lines == [(3, 0), (3, 1), (5, 0), (5, 1)]
        sink.take(part_of(8, 1), groups)
        assert len(file.lines) == 4
    assert file.lines[4:] == [(8, 0)]
    assert file.error is None


def test_an_interrupted_match_keeps_what_waits_and_a_failed_one_does_not() -> None:
    for error, kept in ((KeyboardInterrupt, [(8, 0)]), (ValueError, [])):
        file: Any = Written()

        def play(file: Any = file, error: type[BaseException] = error) -> None:
            with RecordSink(file) as sink:
                sink.take(part_of(8, 1), [3, 8])
                raise error

        with pytest.raises(error):
            play()
        assert file.lines == kept
        assert isinstance(file.error, error)


def test_slices_cover_every_group_once() -> None:
    engine: Any = type("Engine", (), {"group_size": 2})()
    for count, workers in ((1, 4), (7, 2), (100, 3), (9000, 1)):
        found = list(_slices(engine, range(5, 5 + count), workers))
        assert [group for part in found for group in part] == list(range(5, 5 + count))
        assert all(len(part) > 0 for part in found)


def test_joined_parts_are_in_order_and_forfeits_are_added() -> None:
    game = make.game("leduc")

    def part(games: list[int], forfeits: list[int], interrupted: bool = False) -> Part:
        hands = np.zeros(len(games), hand_dtype(game))
        hands["game"] = games
        scores = np.array([[number, -number] for number in games], np.float64)
        records: Any = [{"game_number": number, "hand": 0} for number in games]
        return Part(hands, np.array(games), scores, np.array(forfeits), records, interrupted)

    joined = _joined(game, [part([6, 4], [1, 0]), part([1, 5], [2, 5], True)])
    assert joined.games.tolist() == [1, 4, 5, 6]
    assert joined.scores[:, 0].tolist() == [1, 4, 5, 6]
    assert joined.hands["game"].tolist() == [1, 4, 5, 6]
    assert joined.forfeits.tolist() == [3, 5]
    assert [record["game_number"] for record in joined.records] == [1, 4, 5, 6]
    assert joined.interrupted
    assert len(_joined(game, []).games) == 0


def test_a_buffer_is_written_anywhere_and_counts_its_rows_once() -> None:
    rows = RowBuffer([("n", np.int64)])
    rows.write(3, np.array([(7,), (8,)], rows.dtype))
    assert len(rows) == 5
    rows.write(0, np.array([(1,)], rows.dtype))
    assert len(rows) == 5
    rows.append(np.array([(9,)], rows.dtype))
    assert rows.read()["n"].tolist() == [1, 0, 0, 7, 8, 9]
    assert [block["n"].tolist() for block in rows.blocks(4)] == [[1, 0, 0, 7], [8, 9]]
    assert rows.read(4)["n"].tolist() == [8, 9]
    assert rows.read(4, 1)["n"].tolist() == [8]
    assert rows.nbytes == 48


def test_a_saved_table_says_who_sat_there_and_starts_no_program(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    with Table("leduc", [None, "random"], seed=3, save=file) as table:
        table.act(1)
    saved = SavedTable.read(file)
    assert (saved.game, saved.names, saved.seed, saved.duplicate) == ("leduc", ("human", "random"), 3, False)
    assert saved.groups == [0]
    people = saved.players()
    assert people[0] is None
    assert isinstance(people[1], Agent)
    head, *rest = file.read_text().splitlines()
    header = json.loads(head)
    header["agents"] = ["human", "program:command=/bin/true"]
    file.write_text("\n".join([json.dumps(header), *rest]) + "\n")
    with pytest.raises(UntrustedError, match="the agent 'program', which starts a program"):
        SavedTable.read(file).players()


def test_a_table_counts_hands_and_knows_the_last_of_a_game() -> None:
    """Gin to 1 point: whoever wins a hand wins the game; a game of Leduc is one hand."""
    table = Table("gin:target=60", ["simple", "simple"], seed=2, groups=[0, 1])
    numbers, ends = [], []
    while not table.done:
        assert table.hand_over
        numbers.append((table.game_number, table.hand))
        ends.append(table.game_over)
        assert table.game_over == (max(table.score) >= 60)
        table.next_hand()
    games = [number for number, _ in numbers]
    for game in (0, 1):
        hands = [hand for number, hand in numbers if number == game]
        assert hands == list(range(len(hands)))
        assert len(hands) > 1
    assert [ends[k] for k in range(len(ends)) if k + 1 == len(ends) or games[k] != games[k + 1]] == [True, True]
    assert sum(ends) == 2
    fresh = Table("leduc", [None, None], seed=1)
    assert (fresh.hand, fresh.hand_over, fresh.game_over) == (0, False, False)


def test_the_columns_player_has_what_the_rows_player_has_not() -> None:
    """Shares of games add up to 1, means of chips to 0; hands are counted, not groups."""
    gin = play_pairings("gin:target=20", ["simple", "heisenbot"], games=4, seed=2)
    one, other = gin.cell(0, 1), gin.cell(1, 0)
    assert one is not None
    assert other is not None
    assert one.mean + other.mean == pytest.approx(1)
    assert one.half_width == other.half_width
    assert gin.pairings[0, 1].hands == len(
        match.play(
            "gin:target=20", ["simple", "heisenbot"], games=4, names=("simple", "heisenbot"), seed=cardai_seed(2)
        ).hands
    )
    leduc = play_pairings("leduc", ["always_raise", "always_call"], games=40, seed=2)
    first, second = leduc.cell(0, 1), leduc.cell(1, 0)
    assert first is not None
    assert second is not None
    assert first.mean == -second.mean
    assert leduc.pairings[0, 1].hands == 40
    assert leduc.row_mean(0) == first.mean
    assert Standings(leduc.game, leduc.agents, {(0, 1): Pairing("a", "b")}, 40).cell(0, 1) is None


def cardai_seed(root: int) -> int:
    from cardai.core.rng import derive

    return derive(root, "simple", "heisenbot")


class Memory(ScalarAgent):
    stateful = True

    def choose(self, view: Any, legal: list[int], rng: Any) -> int:
        return legal[0]

    def new_match(self, seat: int) -> Any:
        made = Memory()
        made.seat = seat  # type: ignore[attr-defined]
        return made


def test_only_who_remembers_gets_a_copy_of_its_own() -> None:
    memory, plain = Memory(), make.agent("random")
    copy = own_copy(memory, 1)
    assert copy is not memory
    assert copy.seat == 1  # type: ignore[attr-defined]
    assert own_copy(plain, 1) is plain


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([1.0], "answered with float64 where whole numbers were asked"),
        ([1, 1], r"answered with shape \(2,\)"),
        ([9], "chose the illegal action 9; legal are"),
    ],
)
def test_an_answer_that_is_none_is_said(answer: list[Any], complaint: str) -> None:
    class Odd(Agent):
        def act(self, views: Any, legal: Any, rng: Any) -> Any:
            return np.array(answer)

    game = make.game("leduc")
    with pytest.raises(AgentError, match=complaint):
        match.play(game, [Odd(), "random"], games=2)


def test_what_a_seat_does_not_notice_is_nothing_and_what_it_cannot_tell_apart_is_hidden() -> None:
    """In gin, going on without a knock is noticed by nobody else; in triple draw which cards go is hidden."""
    table = Table("gin", [None, None], seed=4)
    while PLAY_ON not in table.legal_actions():
        legal = table.legal_actions()
        table.act(52 if 52 in legal else 53 if 53 in legal else legal[0])
        if table.hand_over:
            table = Table("gin", [None, None], seed=int(table.header["seed"]) + 1)
    seat = table.to_act
    assert seat is not None
    noticed = table.sight(PLAY_ON)
    assert noticed[seat] == PLAY_ON
    assert noticed[1 - seat] is None
    draw = Table("triple_draw", [None, None], seed=4)
    while min(draw.legal_actions()) < 3:
        draw.act(1)
    actor = draw.to_act
    assert actor is not None
    one_card = next(action for action in draw.legal_actions() if bin(action - 3).count("1") == 1)
    assert draw.sight(one_card)[actor] == one_card
    assert draw.sight(one_card)[1 - actor] == HIDDEN
