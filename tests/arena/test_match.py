"""Matches: the same from any batch size and number of jobs, even for clones, and errors that name their hand."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import evolve, frozen

import cardai
from cardai.arena import match, records, tournament
from cardai.arena.lockstep import Part
from cardai.arena.played import Played
from cardai.arena.table import replay
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.errors import AgentError, DamagedFileError, UsageError
from cardai.core.game import Setup
from cardai.core.legal import Amounts
from tests.solve.small_games import Hide, HideState

KUHN = ["random", "random"]


@frozen
class Bets(ScalarAgent):
    """Bets with a king or by a coin."""

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        return int(view["card"] == 2 or rng.random() < 0.3)


@frozen
class Deterministic(Agent):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return (views["card"] > 0).astype(np.int64)


class Counts(ScalarAgent):
    """A stateful agent: bets in every second hand that it hears of."""

    stateful = True

    def __init__(self) -> None:
        self.heard = 0

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        return self.heard % 2

    def new_match(self, seat: int) -> Counts:
        return Counts()

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.heard += 1


def recorded(tmp_path: Path, game: str, agents: list[Any], **settings: Any) -> str:
    """Return the record of a match as text."""
    file = tmp_path / "record.jsonl"
    match.play(game, agents, record=file, **settings)
    return file.read_text()


@pytest.mark.parametrize(
    ("game", "agents", "games"),
    [
        ("kuhn", ["random", Bets()], 60),
        ("leduc", KUHN, 60),
        ("gin", ["simple", "greedy"], 8),
        ("kuhn", [Counts(), Bets()], 20),
    ],
)
@pytest.mark.parametrize("duplicate", [True, False])
def test_a_record_is_the_same_for_any_batch_size(
    game: str, agents: list[Any], games: int, duplicate: bool, tmp_path: Path
) -> None:
    first = recorded(tmp_path, game, agents, games=games, seed=3, duplicate=duplicate)
    for batch in (1, 7):
        assert recorded(tmp_path, game, agents, games=games, seed=3, duplicate=duplicate, batch=batch) == first
    assert recorded(tmp_path, game, agents, games=games, seed=4, duplicate=duplicate) != first


def test_a_record_is_the_same_from_two_jobs(tmp_path: Path) -> None:
    one = recorded(tmp_path, "kuhn", KUHN, games=40, seed=5)
    assert recorded(tmp_path, "kuhn", KUHN, games=40, seed=5, jobs=2) == one


@pytest.mark.parametrize("agent", ["random", Deterministic(), Bets(), Counts()])
def test_an_agent_against_its_clone_on_duplicate_deals_is_exactly_even(agent: Any) -> None:
    result = match.play("kuhn", [agent, agent], games=200, seed=7)
    assert result.mean_return(0).mean == 0
    assert result.win_rate(0).mean == 0.5


def test_duplicate_games_share_their_deals_and_exchange_seats(tmp_path: Path) -> None:
    match.play("kuhn", KUHN, games=10, seed=8, record=tmp_path / "r.jsonl")
    hands = records.read(tmp_path / "r.jsonl").hands
    for one, two in zip(hands[::2], hands[1::2], strict=True):
        assert one["deck"] == two["deck"]
        assert one["seats"] == two["seats"][::-1]


class Cheats(ScalarAgent):
    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        return 7


class Fails(ScalarAgent):
    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        if view["card"] == 1:
            raise ValueError("no idea")
        return 0


class Matrix(Agent):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.zeros((len(views), 2), int)


class Halves(Agent):
    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.full(len(views), 0.5)


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (Cheats(), "illegal action 7; legal are [0, 1]"),
        (Fails(), "raised ValueError: no idea"),
        (Matrix(), "answered with shape"),
        (Halves(), "answered with float64"),
    ],
)
def test_an_agent_that_errs_is_named_with_game_seed_and_hand(agent: Agent, said: str) -> None:
    with pytest.raises(AgentError) as error:
        match.play("kuhn", [agent, "random"], games=20, seed=9)
    for part in (type(agent).__name__, said, "kuhn", "seed 9", "hand "):
        assert part in str(error.value)


def test_an_agent_that_errs_may_forfeit_instead() -> None:
    result = match.play("kuhn", [Cheats(), "random"], games=20, seed=9, forfeit=True)
    assert result.forfeits[0] > 0
    assert result.forfeits[1] == 0
    assert len(result.games) == 20


class CheatsSometimes(Agent):
    """Calls what it can, but for an illegal answer with an even card."""

    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.where(views["hole"][:, 0] % 2 == 0, 77, 1)


def test_an_illegal_answer_is_played_as_the_lowest_legal_action_of_its_own_table(tmp_path: Path) -> None:
    # no-limit: folding is the lowest action when there is something to call, checking when there is nothing
    game = "holdem_nolimit:stack=400"
    # (a random opponent bets at some tables only, so that tables asked together differ)
    match.play(game, [CheatsSometimes(), "random"], games=40, seed=9, forfeit=True, record=tmp_path / "r.jsonl")
    checked = folded = 0
    for record in records.read(tmp_path / "r.jsonl").hands:
        seat = record["seats"].index(0)
        for table, action in replay(cardai.game(game), record):
            if action >= 0 and table.to_act == seat:
                legal, view = table.legal(), table.view()
                assert isinstance(legal, Amounts)
                even = view["hole"][0] % 2 == 0
                assert action == (0 if even and legal.kinds[0, 0] else 1)
                checked += even and action == 1
                folded += action == 0
    assert checked > 0
    assert folded > 0


class CheatsOnce(ScalarAgent):
    """Plays the lowest legal action, but for one illegal answer: the first ever."""

    def __init__(self) -> None:
        self.cheated = False

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        cheats, self.cheated = not self.cheated, True
        return 999 if cheats else legal[0]


def test_a_forfeit_loses_its_own_game_and_no_later_one_at_the_same_table() -> None:
    settings: dict[str, Any] = {"games": 6, "seed": 3, "batch": 1, "forfeit": True}
    honest = CheatsOnce()
    honest.cheated = True
    played = match.play("gin:target=20", [honest, "simple"], **settings)
    forfeited = match.play("gin:target=20", [CheatsOnce(), "simple"], **settings)
    assert forfeited.forfeits == (1, 0)
    assert played.forfeits == (0, 0)
    assert forfeited.scores[0, 0] < forfeited.scores[0, 1]
    as_second = match.play("gin:target=20", ["simple", CheatsOnce()], **settings)
    assert as_second.forfeits == (0, 1)
    assert as_second.scores[0, 1] < as_second.scores[0, 0]
    assert forfeited.scores[1:].tolist() == played.scores[1:].tolist()
    assert [int((forfeited.hands["game"] == game).sum()) for game in range(6)] == [
        1,  # the hand in which it cheated is the game's last
        *(int((played.hands["game"] == game).sum()) for game in range(1, 6)),
    ]


class Interrupts(ScalarAgent):
    asked: ClassVar[int] = 0

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        Interrupts.asked += 1
        if Interrupts.asked > 60:
            signal.raise_signal(signal.SIGINT)
        return 0


def test_an_interruption_keeps_whole_finished_pairs(tmp_path: Path) -> None:
    Interrupts.asked = 0
    result = match.play("kuhn", [Interrupts(), "random"], games=400, seed=1, batch=4, record=tmp_path / "r.jsonl")
    assert result.interrupted
    assert 0 < len(result.games) < 400
    assert np.unique(result.groups, return_counts=True)[1].tolist() == [2] * (len(result.games) // 2)
    assert len(records.read(tmp_path / "r.jsonl").hands) == len(result.hands)


def test_a_truncated_record_is_reported_by_line_and_the_rest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    match.play("kuhn", KUHN, games=10, seed=2, record=file)
    lines = file.read_text().splitlines(keepends=True)
    lines[3] = lines[3][:40] + "\n"
    file.write_text("".join(lines)[:-5])
    read = records.read(file)
    assert len(read.hands) == 8
    assert [message.partition(": ")[0].rpartition(" ")[2] for message in read.damaged] == ["4", "11"]


def test_a_foreign_file_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(DamagedFileError, match="first line is not a record's header"):
        records.read(tmp_path / "x.jsonl")


def test_wrong_numbers_are_usage_errors() -> None:
    with pytest.raises(UsageError, match=r"kuhn has 2 seats\. Got 1 agents"):
        match.play("kuhn", ["random"], games=2)
    with pytest.raises(UsageError, match="must be a multiple of 2"):
        match.play("kuhn", KUHN, games=3)


def test_from_python_it_has_the_same_names() -> None:
    result = cardai.play("kuhn", ["random", Bets()], games=20, seed=1)
    assert result.agents[0] == "random"
    assert len(result.games) == 20


@pytest.mark.parametrize("duplicate", [True, False])
def test_three_agents_move_a_seat_on_from_game_to_game(duplicate: bool, tmp_path: Path) -> None:
    agents = ["always_fold", "always_call", "always_raise"]
    result = match.play("leduc:players=3", agents, games=12, seed=2, duplicate=duplicate, record=tmp_path / "r.jsonl")
    hands = records.read(tmp_path / "r.jsonl").hands
    for row, hand in enumerate(hands):
        rotation = hand["game_number"] % 3
        assert result.hands["rotation"][row] == rotation
        for agent in range(3):
            seat = (agent + rotation) % 3
            assert hand["seats"][seat] == agent
            assert result.seats(agent)[row] == seat
            assert result.scores[row, agent] == hand["returns"][seat]
    for agent in range(3):
        earned = [hand["returns"][hand["seats"].index(agent)] for hand in hands]
        assert result.mean_return(agent).mean == pytest.approx(np.mean(earned))


def test_a_tied_game_is_shared() -> None:
    result = match.play("kuhn", KUHN, games=4, seed=1)
    scores = np.array([[1.0, 1.0], [2.0, 0.0], [-1.0, 1.0], [0.0, 0.0]])
    played = Played(result.game, result.agents, 2, range(2))
    played.add(Part(np.asarray(result.hands), result.games, scores, np.zeros(2, np.int64), []))
    tied = evolve(result, played=played)
    assert tied.wins().tolist() == [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    assert (tied.win_rate(0).mean, tied.win_rate(1).mean) == (0.5, 0.5)


class Hears(Counts):
    """Remembers every copy of itself, and what each heard."""

    copies: ClassVar[list[Hears]] = []

    def new_match(self, seat: int) -> Hears:
        Hears.copies.append(Hears())
        return Hears.copies[-1]


@pytest.mark.parametrize("batch", [1, 3])
def test_a_stateful_agent_hears_of_the_hands_of_its_own_match_alone(batch: int) -> None:
    Hears.copies = []
    result = match.play("kuhn", [Hears(), Bets()], games=12, seed=1, batch=batch)
    assert len(result.games) == 12
    assert [copy.heard for copy in Hears.copies] == [1] * 12


class Together(Counts):
    """Answers for its copies at once, as each would by itself; with ``wrong`` the answer is that."""

    def __init__(self, wrong: Any = None) -> None:
        super().__init__()
        self.wrong, self.asked = wrong, [0]

    def for_game(self, game: Any) -> Any:
        return self

    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        return np.full(len(views), self.heard % 2)

    def act_together(self, copies: Any, views: Any, legal: Any, rng: Any) -> Any:
        self.asked[0] += 1
        if isinstance(self.wrong, Exception):
            raise self.wrong
        return self.wrong if self.wrong is not None else np.array([copy.heard % 2 for copy in copies])

    def new_match(self, seat: int) -> Together:
        return Together()


@pytest.mark.parametrize("wrong", [None, np.array([0]), np.full(8, 7), np.full((8, 2), 0), ValueError("no")])
def test_copies_of_a_stateful_agent_can_answer_together_and_are_asked_alone_where_that_is_wrong(wrong: Any) -> None:
    agent = Together(wrong)
    together = match.play(Numbered(), [agent, "random"], games=16, seed=1, batch=16)
    alone = match.play(Numbered(), [Counts(), "random"], games=16, seed=1, batch=16)
    assert agent.asked[0] > 2
    assert (together.hands["returns"] == alone.hands["returns"]).all()


def test_a_record_without_its_last_line_end_was_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    match.play("kuhn", KUHN, games=4, seed=2, record=file)
    file.write_text(file.read_text().removesuffix("\n"))  # the line may have been longer
    read = records.read(file)
    assert len(read.hands) == 3
    assert "line 5: truncated" in read.damaged[0]


class NumberedState(HideState):
    """The k-th hand of a match is played for k times the points."""

    def __init__(self, game: Any, stake: int = 1) -> None:
        super().__init__(game)
        self.stake = stake

    def returns(self) -> list[float]:
        return [self.stake * points for points in super().returns()]


@frozen
class Numbered(Hide):
    """A match of three hands."""

    def new_initial_state(self, setup: Setup | None = None) -> NumberedState:
        return NumberedState(self, 1 + (setup.hand if setup else 0))

    def match_over(self, score: tuple[float, ...], hands: int) -> bool:
        return hands >= 3


@pytest.mark.parametrize("game", [cardai.game("leduc:hands=3"), Numbered()])
def test_a_hand_in_the_middle_of_a_match_replays_with_its_number_and_score(game: Any, tmp_path: Path) -> None:
    match.play(game, ["random", "random"], games=8, seed=4, record=tmp_path / "r.jsonl")
    hands = records.read(tmp_path / "r.jsonl").hands
    assert [hand["hand"] for hand in hands] == [0, 1, 2] * 8
    assert any(hand["returns"][1] for hand in hands if hand["hand"] == 2)
    for hand in hands:
        *_, (table, last) = replay(game, hand)
        assert last == -1
        assert list(table.end().returns) == hand["returns"]
        assert table.view(0).get("score", hand["setup"]["score"]) == hand["setup"]["score"]


class Writes(Agent):
    """Writes into the views and the legal actions that it is given, and plays what was not legal."""

    def act(self, views: Any, legal: Any, rng: Any) -> Any:
        for name in views.dtype.names:
            views[name] = 0
        if isinstance(legal, Amounts):
            legal.kinds[:] = True
            legal.max_amount[:] = 10**9
            return np.full(len(views), 10**9)
        wrong = np.argmin(legal, axis=1)
        legal[:] = True
        return wrong


@pytest.mark.long("fcpa")
@pytest.mark.parametrize("game", ["gin", "leduc", "holdem_limit", "holdem_nolimit", "holdem_fcpa", "triple_draw"])
def test_a_player_that_writes_into_the_legal_actions_has_its_answer_checked_against_ours(game: str) -> None:
    with pytest.raises(AgentError, match="chose the illegal action"):
        match.play(game, [Writes(), "random"], games=20, seed=9)
    with pytest.raises(AgentError, match="chose the illegal action"):
        match.play(game, ["random", Writes()], games=2, seed=9, batch=1)


def test_what_was_made_before_does_not_change_what_a_player_is_called(tmp_path: Path) -> None:
    before = [cardai.agent("always_raise"), cardai.agent("always:action=raise")]
    assert before[0] == before[1]  # equal, yet not the same
    written = ["always:action=raise", "always_raise"]
    match.play("leduc", [cardai.agent(spec) for spec in written], games=2, seed=1, record=tmp_path / "r")
    assert records.read(tmp_path / "r").header["agents"] == written
    match.play(cardai.game("leduc:hands=2"), written, games=2, seed=1, record=tmp_path / "r")
    assert records.read(tmp_path / "r").header == {
        **records.read(tmp_path / "r").header,
        "agents": written,
        "game": "leduc:hands=2",
    }


@pytest.mark.parametrize("games", [1_000_000_002, 10**12])
def test_more_games_than_a_file_should_hold_are_refused_at_once(games: int) -> None:
    with pytest.raises(UsageError, match=r"At most 1,000,000,000 games are played at once: .*another seed"):
        match.play("kuhn", KUHN, games=games)
    with pytest.raises(UsageError, match=r"At most 1,000,000,000 games"):
        tournament.play_pairings("kuhn", ["random", Bets()], games=games)
