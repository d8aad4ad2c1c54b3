"""The self-play environment plays the arena's hands with every seat outside, and writes what it shows in place."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena.table import Table
from cardai.core.errors import IllegalActionError, UsageError
from cardai.core.game import TERMINAL
from cardai.plugins.games.kuhn import Kuhn, KuhnState

GAMES = ["kuhn", "leduc:players=3,hands=3", "holdem_limit", "gin", "triple_draw:players=2"]
OWN = {"holdem_limit": "holdem_compact", "gin": "gin_compact"}


def pick(mask: Any, step: int) -> Any:
    """Return a legal action a row, (n,): another in each step and row."""
    at = np.cumsum(mask, axis=1)
    wanted = (step * step // 3 + np.arange(len(mask))) % at[:, -1] + 1
    return (at == wanted[:, None]).argmax(axis=1)


@pytest.mark.parametrize(
    ("game", "episode"), [("kuhn", "hand"), ("leduc:players=3", "hand"), *((game, "match") for game in GAMES)]
)
def test_each_table_plays_its_groups_of_the_arenas_match(game: str, episode: Any) -> None:
    """Cards, seats, what is seen, legal actions, results and ends are those of a table at which all seats are outside."""
    count, seed = 3, 11
    env = cardai.selfplay_env(game, count, OWN.get(game, "flat"), rotate=True, episode=episode)
    seats = env.num_players
    env.reset(seed)
    one = 1  # the table that is looked at
    table = Table(env.game, [None] * seats, seed=seed, groups=range(one, 400, count))
    for step in range(120):
        seat = table.to_act
        assert table.seat_of(int(env.player[one])) == seat
        assert np.flatnonzero(env.mask[one]).tolist() == table.legal_actions()
        assert np.array_equal(env.observations[one], env.layout.encode(table.views(seat))[0])
        actions, number = pick(env.mask, step), int(env.episode[one])
        env.step(actions)
        table.act(int(actions[one]))
        won, over = np.zeros(seats), False
        while table.hand_over:
            places = [table.seat_of(player) for player in range(seats)]
            won += np.array(table.end().returns)[places] * (not over)  # an episode without a decision is passed over
            over |= table.game_over
            table.next_hand()
        assert env.rewards[one].tolist() == won.tolist()
        assert bool(env.over[one]) == over
        assert env.episode[one] == number + count * over


@pytest.mark.parametrize("game", ["leduc", "gin"])
def test_a_layout_written_in_place_is_what_views_encode(game: str) -> None:
    env = cardai.selfplay_env(game, 700, OWN.get(game, "leduc_30"))  # more than are seen at a time
    env.reset(3)
    tables: Any = env._games.tables
    for step in range(12):
        for seat in range(2):
            rows = np.flatnonzero(env.player == seat)
            assert np.array_equal(env.observations[rows], env.layout.encode(tables.views(seat, rows)))
        env.step(pick(env.mask, step))


@pytest.mark.parametrize("rotate", [False, True])
def test_everyone_is_shown_and_only_who_acts_has_actions(rotate: bool) -> None:
    game = "leduc:players=3"
    all_seats = cardai.selfplay_env(game, 5, "flat", everyone=True, rotate=rotate)
    one_seat = cardai.selfplay_env(game, 5, "flat", rotate=rotate)
    all_seats.reset(4)
    one_seat.reset(4)
    tables: Any = all_seats._games.tables
    seats = all_seats.num_players
    rows = np.arange(5)
    for step in range(40):
        assert np.array_equal(all_seats.player, one_seat.player)
        assert np.array_equal(all_seats.mask[rows, all_seats.player], one_seat.mask)
        assert all_seats.mask.any(axis=2).sum(axis=1).tolist() == [1] * 5
        for player in range(seats):
            for row in rows:
                seat = (player + all_seats.episode[row] * rotate) % seats
                seen = all_seats.layout.encode(tables.views(int(seat), row[None]))[0]
                assert np.array_equal(all_seats.observations[row, player], seen)
        actions = pick(one_seat.mask, step)
        everyones = np.full((5, seats), -9)  # those who wait may say anything
        everyones[rows, all_seats.player] = actions
        assert all(np.array_equal(a, b) for a, b in zip(all_seats.step(everyones), one_seat.step(actions), strict=True))


def test_tensors_over_the_arrays_stay_those_of_the_environment() -> None:
    torch = pytest.importorskip("torch")
    env = cardai.selfplay_env("leduc", 8, "leduc_30")
    names = "observations", "mask", "player", "rewards", "over"
    tensors = {name: torch.from_numpy(getattr(env, name)) for name in names}
    assert [tensors[name].dtype for name in names] == [
        torch.float32,
        torch.bool,
        torch.int64,
        torch.float32,
        torch.bool,
    ]
    env.reset(0)
    for step in range(20):
        assert all(tensors[name].numpy().base is getattr(env, name) or np.shares_memory(tensors[name].numpy(), getattr(env, name)) for name in names)  # fmt: skip
        rewards, _ = env.step(torch.from_numpy(pick(env.mask, step)))
        assert tensors["rewards"].tolist() == rewards.tolist()
        assert tensors["observations"].tolist() == env.observations.tolist()


def test_the_number_of_tables_changes_nothing_but_who_plays_what() -> None:
    """Episode e is the same at any number of tables: its results are, where actions depend on what is seen alone."""

    def results(count: int) -> dict[int, list[float]]:
        env = cardai.selfplay_env("leduc", count, "leduc_30")
        env.reset(2)
        found: dict[int, list[float]] = {}
        while len(found) < 60:
            actions = env.mask.shape[1] - 1 - env.mask[:, ::-1].argmax(axis=1)
            actions = np.where(env.observations.sum(axis=1) % 2 == 1, actions, env.mask.argmax(axis=1))
            before = env.episode.copy()
            rewards, over = env.step(actions)
            found |= {int(before[row]): rewards[row].tolist() for row in np.flatnonzero(over)}
        return found

    few, many = results(3), results(10)
    shared = few.keys() & many.keys()
    assert len(shared) > 40
    assert all(few[number] == many[number] for number in shared)


class Shown(KuhnState):
    """A hand that ends as it is dealt where the first seat has the king."""

    def current_player(self) -> int:
        return TERMINAL if len(self.cards) == 2 and self.cards[0] == 2 else super().current_player()

    def clone(self) -> Any:
        return Shown(self.players, self.cards, self.bets, self.game)


class Showing(Kuhn):
    def new_initial_state(self, setup: Any = None) -> Any:
        return Shown(self.players, game=self)


def test_what_episodes_bring_in_which_nobody_is_asked_is_nobodys() -> None:
    env = cardai.selfplay_env(Showing(), 4, "flat")
    env.reset(0)
    passed_over = ended = 0
    for _ in range(40):
        before = env.episode.copy()
        rewards, over = env.step([0] * 4)
        assert np.abs(rewards).tolist() == np.where(over[:, None], [1.0, 1.0], 0.0).tolist()
        passed_over += int((env.episode - before > 4).sum())
        ended += int(over.sum())
    assert ended > 40
    assert passed_over > 5


def test_a_copy_goes_on_alike() -> None:
    env = cardai.selfplay_env("leduc", 4, "leduc_30", rotate=True)
    env.reset(1)
    env.step(pick(env.mask, 0))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        mine = copy.deepcopy(env)
        for step in range(10):
            assert np.array_equal(mine.observations, other.observations)
            mine.step(pick(mine.mask, step))
            rewards, _ = other.step(pick(other.mask, step))
            assert np.array_equal(mine.rewards, rewards)


def test_mistakes_get_a_sentence_and_play_nothing() -> None:
    env = cardai.selfplay_env("kuhn", 2, "flat")
    with pytest.raises(UsageError, match="call reset"):
        env.step([0, 0])
    env.reset(0)
    before = env.observations.copy()
    with pytest.raises(IllegalActionError, match=r"The action 5 is not legal at table 1. Legal: \[0, 1\]"):
        env.step([0, 5])
    with pytest.raises(IllegalActionError, match="The action -1 is not legal at table 0"):
        env.step([-1, 0])
    with pytest.raises(UsageError, match=r"shape \(2,\)"):
        env.step([[0], [0]])
    with pytest.raises(UsageError, match="whole numbers"):
        env.step([0.5, 0.5])
    assert np.array_equal(env.observations, before)
    assert not env.over.any()
    everyone = cardai.selfplay_env("kuhn", 2, "flat", everyone=True)
    everyone.reset(0)
    with pytest.raises(UsageError, match=r"shape \(2, 2\)"):
        everyone.step([0, 0])
    with pytest.raises(UsageError, match="amounts of chips"):
        cardai.selfplay_env("holdem_nolimit")
    with pytest.raises(UsageError, match="at least one table"):
        cardai.selfplay_env("kuhn", 0)
    with pytest.raises(UsageError, match="In 1,000 hands nothing was asked of anybody"):
        cardai.selfplay_env("leduc:bets=1+allin,stack=1", 1).reset(0)  # the ante is all there is
    with pytest.raises(UsageError, match="'hand' or 'match'"):
        cardai.selfplay_env("kuhn", 1, episode="week")
