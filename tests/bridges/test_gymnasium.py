"""The Gymnasium bridge: its own checker, the same games as the arena's, autoreset as Gymnasium defines it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena.table import Table
from cardai.core.errors import IllegalActionError, PluginError, UsageError
from tests.support import INTERPRETED, python, sizes

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402


@pytest.mark.parametrize("game", ["kuhn", "leduc", "gin", "holdem_limit", "triple_draw", "video_poker"])
def test_gymnasiums_own_checker_passes(game: str) -> None:
    opponent: Any = [] if game == "video_poker" else "random"
    check_env(gymnasium.make("cardai/CardGame-v0", game=game, opponent=opponent).unwrapped)


@pytest.mark.parametrize("encoder", [None, "flat:history=false"])
@pytest.mark.parametrize("game", ["leduc", "gin", "holdem_limit", "triple_draw"])
def test_observations_lie_in_narrow_bounds(game: str, encoder: str | None) -> None:
    """Learners that scale by the space's bounds see numbers about 1; they were -2^31 and 2^31."""
    envs = cardai.vector_env(game, 16, encoder=encoder, episode="match")
    space = envs.single_observation_space
    assert -10 <= space.low.min() <= 0
    assert 1 <= space.high.max() <= 10
    codes, infos = envs.reset(seed=8)
    for _ in range(40):
        assert codes in envs.observation_space
        codes, _, _, _, infos = envs.step(first_legal(infos["action_mask"]))


def first_legal(mask: Any) -> Any:
    return np.asarray(mask).argmax(axis=-1)


@pytest.mark.parametrize(("game", "opponent"), [("leduc", "random"), ("gin", "simple"), ("leduc:players=3", "random")])
@pytest.mark.parametrize("seat", [None, 1])
def test_one_environment_plays_what_a_table_plays(game: str, opponent: str, seat: int | None) -> None:
    env = cardai.make_env(game, seat, opponent, episode="match", encoder="flat")
    others = env.game.num_players - 1
    groups = range(4) if seat is None else range(seat, 99, env.game.num_players)
    table = Table(game, [None, *[opponent] * others], seed=7, groups=groups)
    for episode in range(3):
        code, info = env.reset(seed=7) if episode == 0 else env.reset()
        own, over, won = table.seat_of(0), False, 0.0
        assert info["seat"] == own == (own if seat is None else seat)
        while not over:
            assert np.array_equal(code, env.layout.encode(table.views(own))[0])
            assert np.flatnonzero(info["action_mask"]).tolist() == table.legal_actions()
            action = first_legal(info["action_mask"])
            code, reward, over, truncated, info = env.step(action)
            won += reward
            table.act(int(action))
            while table.hand_over:
                won -= table.end().returns[own]
                done = table.game_over
                table.next_hand()
                assert done or not over
                if done:
                    break
        assert won == pytest.approx(0)
        assert not truncated


@pytest.mark.parametrize("game", ["leduc", "gin", "kuhn"])
def test_the_first_of_many_tables_plays_what_one_alone_plays(game: str) -> None:
    """Every n-th episode is the first table's: the cards do not depend on how many tables there are."""
    many = cardai.vector_env(game, 3)
    alone = cardai.make_env(game)
    codes, infos = many.reset(seed=5)
    code, info = alone.reset(seed=5)
    episodes = 0
    for _ in range(60):
        assert np.array_equal(codes[0], code)
        assert np.array_equal(infos["action_mask"][0], info["action_mask"])
        actions = first_legal(infos["action_mask"])
        was_over = not info["action_mask"].any()
        codes, rewards, over, _, infos = many.step(actions)
        if was_over:
            for _ in range(3):  # the other tables' episodes come between
                code, info = alone.reset()
            assert rewards[0] == 0
            assert not over[0]
            episodes += 1
        else:
            code, reward, done, _, info = alone.step(actions[0])
            assert (reward, done) == (rewards[0], over[0])
    assert episodes >= 2 or game == "gin"


def played(envs: Any, steps: int) -> list[tuple[Any, ...]]:
    """Return (observations, rewards, over, infos) of ``steps`` steps with the first legal action."""
    _, infos = envs.reset(seed=9)
    out = []
    for _ in range(steps):
        codes, rewards, over, truncated, infos = envs.step(first_legal(infos["action_mask"]))
        assert not truncated.any()
        out.append((codes.copy(), rewards, over, infos))
    return out


def test_same_step_autoreset_leaves_out_the_steps_between_and_keeps_the_end() -> None:
    apart = played(cardai.vector_env("leduc", 4, seat=0), 60)
    at_once = played(cardai.vector_env("leduc", 4, seat=0, autoreset_mode=AutoresetMode.SAME_STEP), 30)
    for table in range(4):
        between, kept = False, []  # what is left of the first when the steps that only reset are left out
        for codes, rewards, over, _ in apart:
            if between:
                assert rewards[table] == 0
                kept[-1].append(codes[table])
            else:
                kept.append([codes[table], rewards[table], over[table]])
            between = bool(over[table])
        for step, (end, reward, over_, *begun) in zip(at_once, kept[:30], strict=True):
            codes, rewards, over, infos = step
            assert (rewards[table], over[table]) == (reward, over_)
            assert infos["action_mask"][table].any()
            if over_:
                assert np.array_equal(infos["final_obs"][table], end)
                assert infos["_final_obs"][table]
                if begun:
                    assert np.array_equal(codes[table], begun[0])
            else:
                assert np.array_equal(codes[table], end)


def same(found: Any, wanted: Any, where: str) -> None:
    """Whether what two environments say is the same, with its kind."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), where
        for key, value in wanted.items():
            same(found[key], value, f"{where} {key}")
    elif isinstance(wanted, np.ndarray) and wanted.dtype == object:
        for one, other in zip(found, wanted, strict=True):
            same(one, other, where)
    else:
        assert np.array_equal(found, wanted), where
        assert np.asarray(found).dtype == np.asarray(wanted).dtype, where


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(("game", "seat"), [("leduc", None), ("leduc:players=3", 2)])
def test_one_of_many_is_what_gymnasiums_own_vector_makes_of_one(
    game: str, seat: int | None, mode: AutoresetMode
) -> None:
    """When episodes begin anew, and what is said of those that ended, is theirs to say; every third action is any, legal or not."""
    ours = cardai.vector_env(game, 1, seat, autoreset_mode=mode)
    theirs: Any = gymnasium.vector.SyncVectorEnv([lambda: cardai.make_env(game, seat)], autoreset_mode=mode)
    names, rng, wrong = ("code", "reward", "over", "truncated", "info"), np.random.default_rng(0), 0
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    for one, other in zip(ours.reset(seed=4), theirs.reset(seed=4), strict=True):
        same(one, other, "reset")
    for step in range(60):
        actions = rng.integers(0, 3, 1) if step % 3 == 0 else ours.action_masks().argmax(axis=1)
        found, wanted = ours.step(actions), theirs.step(actions)
        for name, one, other in zip(names, found, wanted, strict=True):
            same(one, other, f"{name} of step {step}")
        wrong += "illegal_action" in found[4]
        if mode is AutoresetMode.DISABLED and found[2].any():
            for one, other in zip(
                *(env.reset(options={"reset_mask": found[2].copy()}) for env in (ours, theirs)), strict=True
            ):
                same(one, other, f"reset of step {step}")
    assert wrong


def test_without_autoreset_episodes_wait_for_their_mask() -> None:
    envs = cardai.vector_env("leduc", 3, seat=0, autoreset_mode="Disabled")
    _, infos = envs.reset(seed=9)
    over = np.zeros(3, bool)
    while not over.any():
        _, _, over, _, infos = envs.step(first_legal(infos["action_mask"]))
    with pytest.raises(IllegalActionError, match="reset them by reset_mask"):
        envs.step(np.zeros(3, int))
    before = infos["action_mask"].copy()
    for mask in (np.ones(2, bool), np.ones((3, 1), bool), np.array([0, 2, 0]), None):
        with pytest.raises(UsageError, match="reset_mask must be an array of 3 truth values, one a table"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(UsageError, match="Leave out the seed or reset_mask"):
        envs.reset(seed=1, options={"reset_mask": over})
    _, infos = envs.reset(options={"reset_mask": over})
    assert infos["action_mask"][over].any(axis=1).all()
    assert np.array_equal(infos["action_mask"][~over], before[~over])


def test_rewards_are_the_arenas_returns() -> None:
    envs = cardai.vector_env("leduc", 64, seat=0, opponent="always_raise", autoreset_mode=AutoresetMode.SAME_STEP)
    _, infos = envs.reset(seed=3)
    total, hands = 0.0, 0
    while hands < 256:
        _, rewards, over, _, infos = envs.step(first_legal(infos["action_mask"]))
        total, hands = total + rewards.sum(), hands + over.sum()
        assert np.array_equal(rewards != 0, over & (rewards != 0))
    # always_raise bets at once, so the first legal action is to fold: each hand loses the ante
    assert total == -hands


def test_illegal_actions_are_replaced_and_said_or_refused() -> None:
    env = cardai.make_env("leduc", seat=0)
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [0, 1, 1]
    _, _, _, _, info = env.step(0)
    assert info["illegal_action"]
    strict = cardai.make_env("leduc", seat=0, illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"The action 0 is not legal at table 0\. Legal: \[1, 2\]"):
        strict.step(0)
    envs = cardai.vector_env("leduc", 2, seat=0)
    envs.reset(seed=1)
    assert envs.step(np.array([0, 1]))[4]["illegal_action"].tolist() == [True, False]


def test_the_table_is_drawn_as_its_player_sees_it() -> None:
    env = cardai.make_env("leduc", seat=0, render_mode="ansi")
    env.reset(seed=1)
    table = Table("leduc", [None, None], seed=1)
    assert env.render() == env.game.draw(table.view(0))
    picture = cardai.make_env("leduc", seat=0, render_mode="rgb_array")
    picture.reset(seed=1)
    image = picture.render()
    assert image.dtype == np.uint8
    assert image.ndim == 3
    assert image.shape[2] == 3
    assert 0 < (image < 128).mean() < 0.3  # dark letters on white
    assert cardai.make_env("leduc").render() is None


def test_to_a_human_every_position_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    env, seen = cardai.make_env("leduc", seat=0, render_mode="human"), []
    text = cardai.make_env("leduc", seat=0, render_mode="ansi")
    env.reset(seed=1)
    text.reset(seed=1)
    seen.append(text.render())
    assert env.render() is None
    env.step(1)
    text.step(1)
    seen.append(text.render())
    assert capsys.readouterr().out == "".join(f"{picture}\n" for picture in seen)


def test_what_cannot_be_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"amounts of chips, and learners need a list of actions\. Give it a ladder"):
        cardai.make_env("holdem_nolimit")
    with pytest.raises(UsageError, match=r"seat must be 0 to 1, or None to change seats\. Got 2"):
        cardai.make_env("leduc", seat=2)
    with pytest.raises(UsageError, match=r"episode must be 'hand' or 'match'\. Got 'day'"):
        cardai.make_env("leduc", episode="day")
    with pytest.raises(UsageError, match=r"1 other seats\. Got 2 opponents"):
        cardai.make_env("leduc", opponent=["random", "random"])
    with pytest.raises(UsageError, match=r"autoreset_mode must be one of NextStep, SameStep, Disabled\. Got 'next'"):
        cardai.vector_env("leduc", 2, autoreset_mode="next")
    with pytest.raises(UsageError, match="render_mode must be one of ansi, rgb_array, or None"):
        cardai.vector_env("leduc", 2, render_mode="human")
    with pytest.raises(UsageError, match=r"render_mode must be one of human, ansi, rgb_array, or None\. Got 'x'"):
        cardai.make_env("leduc", render_mode="x")


@pytest.mark.parametrize(
    "imports", sizes("import gymnasium, cardai", "import cardai, gymnasium", "import cardai.bridges, gymnasium")
)
def test_gymnasium_knows_the_environment_after_import_cardai(imports: str) -> None:
    program = (
        f"{imports}\nenv = gymnasium.make('cardai/CardGame-v0', game='leduc')\nenv.reset(seed=1)\n"
        "envs = gymnasium.make_vec('cardai/CardGame-v0', 3, game='leduc')\nprint(envs.reset(seed=1)[0].shape[0])"
    )
    done = python("-W", "error", "-c", program, **INTERPRETED)
    assert (done.stdout, done.stderr) == ("3\n", "")


def test_importing_either_imports_not_the_other() -> None:
    program = "import sys, cardai; print('gymnasium' in sys.modules); import gymnasium; print('cardai.bridges' in sys.modules)"
    done = python("-c", program)
    assert done.stdout.split() == ["False", "False"]


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: None)
    with pytest.raises(PluginError, match=r"needs gymnasium, which is not installed\. Run: pip install .*\[gym\]'"):
        cardai.make_env("leduc")


def test_an_episode_in_which_nothing_is_asked_is_passed_over() -> None:
    """An opponent that folds at once ends the hands in which it acts first: only the others are seen."""
    from cardai.core.agent import ScalarAgent

    class Folds(ScalarAgent):
        def choose(self, view: Any, legal: list[int], rng: Any) -> int:
            return legal[0]

    env = cardai.make_env("leduc_rlcard", opponent=Folds(), encoder="flat")
    table = Table("leduc_rlcard", [None, None], seed=3, groups=range(9))
    seen = 0
    while seen < 4:
        code, info = env.reset(seed=3) if seen == 0 else env.reset()
        while table.to_act != table.seat_of(0):  # a group in which the opponent acts first
            table.act(table.legal_actions()[0])
            table.next_hand()
        assert info["seat"] == table.seat_of(0)
        assert np.array_equal(code, env.layout.encode(table.views(table.seat_of(0)))[0])
        seen += 1
        while not table.hand_over:
            table.act(table.legal_actions()[0])
        table.next_hand()
    never = cardai.make_env("leduc_rlcard", 1, Folds())  # seat 0 acts first in a match's first hand
    with pytest.raises(UsageError, match="In 1,000 episodes nothing was asked of seat 1"):
        never.reset(seed=3)


def test_a_stateful_opponent_is_built_anew_for_each_episode(tmp_path: Any) -> None:
    from cardai.core.agent import ScalarAgent

    class Memory(ScalarAgent):
        stateful = True
        made: list[int] = []  # noqa: RUF012
        heard: list[list[float]] = []  # noqa: RUF012

        def new_match(self, seat: int) -> Any:
            Memory.made.append(seat)
            return Memory()

        def hand_finished(self, view: Any, returns: list[float]) -> None:
            Memory.heard.append(returns)

        def choose(self, view: Any, legal: list[int], rng: Any) -> int:
            return legal[-1]

    env = cardai.make_env("leduc", seat=0, opponent=Memory())
    for episode in range(3):
        _, info = env.reset(seed=0) if episode == 0 else env.reset()
        over = False
        while not over:
            _, _, over, _, info = env.step(first_legal(info["action_mask"]))
    assert Memory.made == [1, 1, 1]
    assert len(Memory.heard) == 3


def test_hands_that_opponents_end_before_the_first_action_count_with_it() -> None:
    game, count = "holdem_limit:players=2,hands=4", 6
    played = cardai.play(
        game, [lambda view, legal: 1 if 1 in legal else 0, "always_fold"], games=count, seed=3, duplicate=False
    )
    hands = played.hands
    wanted = [hands["returns"][hands["game"] == k][:, k % 2].sum() for k in range(count)]
    assert wanted[1] == 10  # the button folds twice

    def calls(mask: Any) -> Any:
        return np.where(mask[..., 1] == 1, 1, 0)

    env, one = cardai.make_env(game, None, "always_fold", episode="match"), []
    for episode in range(count):
        _, info = env.reset(seed=3) if episode == 0 else env.reset()
        won, over = 0.0, False
        while not over:
            _, reward, over, _, info = env.step(int(calls(info["action_mask"])))
            won += reward
        one.append(won)
    envs = cardai.vector_env(game, 2, opponent="always_fold", episode="match", autoreset_mode="SameStep")
    sums, ended = np.zeros(2), [list[float](), list[float]()]
    _, infos = envs.reset(seed=3)
    while min(map(len, ended)) < count // 2:
        _, rewards, overs, _, infos = envs.step(calls(infos["action_mask"]))
        sums += rewards
        for table in np.flatnonzero(overs):
            ended[table].append(sums[table])
            sums[table] = 0
    many = [ended[k % 2][k // 2] for k in range(count)]
    assert one == many == wanted


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_a_reset_of_many_begins_the_next_episode_at_every_table_or_where_the_mask_says(mode: str) -> None:
    """Table i plays episodes i, i + n, ...: group by group the cards of the arena's match, and no table is left out."""
    envs = cardai.vector_env("leduc", 3, autoreset_mode=mode, encoder="flat")

    def wanted(episodes: list[int]) -> Any:
        tables = [Table("leduc", [None, "random"], seed=5, groups=[episode]) for episode in episodes]
        codes = [envs.layout.encode(table.views(table.seat_of(0)))[0] for table in tables]
        return np.stack(codes), [table.seat_of(0) for table in tables]

    for episodes in ([0, 1, 2], [3, 4, 5], [6, 7, 8]):
        codes, infos = envs.reset(seed=5) if episodes[0] == 0 else envs.reset()
        expected, seats = wanted(episodes)
        assert np.array_equal(codes, expected)
        assert infos["seat"].tolist() == seats
    codes, infos = envs.reset(options={"reset_mask": np.array([False, True, False])})
    expected, seats = wanted([6, 10, 8])
    assert np.array_equal(codes, expected)
    assert infos["seat"].tolist() == seats
    again, _ = envs.reset(seed=5)
    assert np.array_equal(again, wanted([0, 1, 2])[0])


def test_tables_that_are_reset_by_a_mask_play_on_beside_the_others() -> None:
    envs = cardai.vector_env("leduc", 4, seat=0, opponent="always_raise", autoreset_mode="Disabled")
    _, infos = envs.reset(seed=9)
    ended = 0
    for _ in range(40):
        _, rewards, over, _, infos = envs.step(first_legal(infos["action_mask"]))
        assert not rewards[~over].any()
        assert not infos["action_mask"][over].any()
        if over.any():
            ended += int(over.sum())
            _, infos = envs.reset(options={"reset_mask": over})
        assert infos["action_mask"].any(axis=1).all()
    assert ended > 20
    _, infos = envs.reset()  # all of them, whatever was under way
    assert infos["action_mask"].any(axis=1).all()


def test_where_an_illegal_action_is_replaced_the_lowest_legal_one_is_played() -> None:
    wrong, right = (cardai.make_env("leduc", seat=0, opponent="always_call") for _ in range(2))
    for action in (0, 99, -1):
        _, info = wrong.reset(seed=1)
        right.reset(seed=1)
        lowest = int(first_legal(info["action_mask"]))
        assert lowest == 1
        ours, theirs = wrong.step(action), right.step(lowest)
        assert np.array_equal(ours[0], theirs[0])
        assert ours[1:3] == theirs[1:3]
        assert ours[4]["illegal_action"]
        assert "illegal_action" not in theirs[4]


def test_a_step_after_the_end_is_refused() -> None:
    env = cardai.make_env("leduc", seat=0, opponent="always_raise")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(first_legal(info["action_mask"]))
    with pytest.raises(IllegalActionError, match="call reset"):
        env.step(1)


def test_a_copy_of_an_environment_goes_on_by_itself() -> None:
    env = cardai.make_env("leduc", seat=0)
    _, info = env.reset(seed=1)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        codes, over = [], False
        while not over:
            code, reward, over, _, _ = other.step(1)
            codes.append(code)
        assert env.action_masks().tolist() == info["action_mask"].tolist()  # as it was
    over = False
    for expected in codes:
        code, won, over, _, _ = env.step(1)
        assert np.array_equal(code, expected)
    assert (over, won) == (True, reward)


ONE_ACTION = [[1], np.array([[1]]), float("nan"), 1.5, None, "1", True, 2**64 - 1, 2**70]


@pytest.mark.parametrize("action", ONE_ACTION, ids=repr)
def test_an_action_that_is_no_whole_number_is_refused(action: Any) -> None:
    env = cardai.make_env("leduc", seat=0)
    env.reset(seed=1)
    with pytest.raises(UsageError, match=r"The action must be one whole number\. Got .* instead"):
        env.step(action)
    assert env.step(np.uint8(1))[4]["action_mask"].shape == (3,)


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        (np.ones((4, 1), int), r"shape \(4,\), one a table\. Got the shape \(4, 1\)"),
        (np.ones(3, int), r"shape \(4,\), one a table\. Got the shape \(3,\)"),
        (1, r"Got the shape \(\)"),
        (np.full(4, np.nan), r"whole numbers\. Got array\(\[nan"),
        ([1, 1, 1, 1.5], r"whole numbers\. Got array"),
        ([None] * 4, r"whole numbers\. Got array"),
        ([[1], [1], [1], [1, 2]], "The actions must be an array"),
    ],
)
def test_actions_of_another_shape_or_kind_are_refused(actions: Any, why: str) -> None:
    """The next step after a refusal plays on as if nothing had been said."""
    envs, beside = (cardai.vector_env("leduc", 4, seat=0) for _ in range(2))
    envs.reset(seed=1)
    beside.reset(seed=1)
    with pytest.raises(UsageError, match=why):
        envs.step(actions)
    assert np.array_equal(envs.step([1] * 4)[0], beside.step(np.ones(4, np.int32))[0])


def test_a_step_or_a_picture_before_reset_is_refused() -> None:
    env, envs = cardai.make_env("leduc", render_mode="ansi"), cardai.vector_env("leduc", 2, render_mode="ansi")
    for called in (lambda: env.step(1), env.render, lambda: envs.step([1, 1]), envs.render):
        with pytest.raises(UsageError, match=r"no hand yet: call reset\(\)"):
            called()


def test_three_opponents_sit_in_the_order_given_from_the_player_on() -> None:
    """Who sits where changes with the seat of the player from outside, never their order around the table."""
    from cardai.core.agent import ScalarAgent

    asked: list[tuple[str, int]] = []

    class Named(ScalarAgent):
        def __init__(self, name: str) -> None:
            self.name = name

        def choose(self, view: Any, legal: list[int], rng: Any) -> int:
            asked.append((self.name, int(view["player"])))
            return 1

    env = cardai.make_env("leduc:players=3", opponent=[Named("first"), Named("second")], encoder="flat")
    seats = set()
    for episode in range(6):
        _, info = env.reset(seed=2) if episode == 0 else env.reset()
        own, over = info["seat"], False
        seats.add(own)
        while not over:
            _, _, over, _, info = env.step(1)
        assert set(asked) == {("first", (own + 1) % 3), ("second", (own + 2) % 3)}
        asked.clear()
    assert seats == {0, 1, 2}


def test_a_table_that_the_mask_leaves_out_stays_over() -> None:
    envs = cardai.vector_env("leduc", 3, seat=0, opponent="always_raise", autoreset_mode="Disabled")
    _, infos = envs.reset(seed=9)
    over = np.zeros(3, bool)
    while not over.all():  # always_raise bets, and the first legal action is to fold: all end in the same step
        _, _, over, _, infos = envs.step(first_legal(infos["action_mask"]))
    envs.reset(options={"reset_mask": np.array([False, True, False])})
    with pytest.raises(IllegalActionError, match=r"at tables \[0, 2\] are over"):
        envs.step(np.ones(3, int))


def test_a_stateful_opponent_hears_each_hands_results_by_seat_and_where_it_sits() -> None:
    from cardai.core.agent import ScalarAgent

    made: list[int] = []
    heard: list[list[float]] = []

    class Listens(ScalarAgent):
        stateful = True

        def new_match(self, seat: int) -> Any:
            made.append(seat)
            return Listens()

        def hand_finished(self, view: Any, returns: list[float]) -> None:
            heard.append(returns)

        def choose(self, view: Any, legal: list[int], rng: Any) -> int:
            return legal[-1]

    env = cardai.make_env("leduc", seat=1, opponent=Listens())
    won = []
    for episode in range(4):
        _, info = env.reset(seed=2) if episode == 0 else env.reset()
        over, reward = False, 0.0
        while not over:
            _, reward, over, _, info = env.step(first_legal(info["action_mask"]))
        won.append(reward)
    assert made == [0] * len(made)
    assert heard[-4:] == [[-reward, reward] for reward in won]
    assert any(won)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("game", ["leduc", "gin", "triple_draw", "kuhn"])
def test_environments_are_copied_and_pickled_with_their_hands(game: str, copied: Any) -> None:
    """A copy plays on as the environment does, and without touching it."""
    for made in (cardai.make_env(game), cardai.vector_env(game, 3)):
        made.reset(seed=3)
        other = copied(made)
        actions = first_legal(made.action_masks())
        ours, theirs = made.step(actions), other.step(actions)
        assert np.array_equal(ours[0], theirs[0])
        assert np.array_equal(made.reset()[0], other.reset()[0])


def test_pickled_tables_hold_no_compiled_code() -> None:
    """They were 290 KB, and kernels that came out of a pickle were compiled and looked up as others."""
    tables = cardai.game("leduc").tables(2)
    tables.reset(np.array([1, 2], np.uint64))
    again = pickle.loads(pickle.dumps(tables))
    assert len(pickle.dumps(tables)) < 10_000
    assert again.data.dtype is tables.data.dtype
    assert again.kernels.apply is tables.kernels.apply
    assert np.array_equal(again.views(0, np.arange(2)), tables.views(0, np.arange(2)))
