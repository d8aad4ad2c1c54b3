"""The PettingZoo bridge: its own tests on every game, the arena's cards and returns, pictures."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from cardai.arena.table import Table
from cardai.core import registry
from cardai.core.errors import IllegalActionError, PluginError, UsageError
from cardai.core.game import TERMINAL
from cardai.plugins.games.kuhn import Kuhn, KuhnState
from tests.support import INTERPRETED, ROOT, python, sizes

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, render_test, seed_test

import cardai
from cardai.bridges import pettingzoo

GAMES = [e.name for e in registry.entries("game") if e.distribution == "cardai" and not e.preset_of]
ADVICE = ("Observation is not a NumPy array", "Observation space for each agent probably", "all zeros", "no 'state'")
"""What api_test advises against and PettingZoo's own card games do: dicts with a mask that is empty for who waits."""


def quietly(check: Any, *arguments: Any, **options: Any) -> None:
    """Run a check of PettingZoo's; any warning of it but the advice above fails."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check(*arguments, **options)
    rest = [str(w.message) for w in caught if not any(known in str(w.message) for known in ADVICE)]
    assert rest == []


def playable(game: str) -> str:
    """Return a game whose actions are a list: with a ladder where raises are amounts of chips."""
    return {"holdem_nolimit": "holdem_fcpa"}.get(game, f"{game}:bets=0.5+pot" if cardai.game(game).amounts else game)


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_own_api_test_passes(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    quietly(api_test, pettingzoo.env(playable(game), encoder="flat:history=false"), num_cycles=60)


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_own_seed_test_passes(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    quietly(seed_test, lambda: pettingzoo.env(playable(game), encoder="flat:history=false"), num_cycles=40)


def test_a_third_partys_game_passes_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = (ROOT / "cardai/plugins/games/kuhn.py").read_text(encoding="utf-8")
    file = tmp_path / "theirs.py"
    file.write_text(source, encoding="utf-8")
    registry.add_file(str(file))
    try:
        quietly(api_test, pettingzoo.env("theirs"), num_cycles=60)
        quietly(seed_test, lambda: pettingzoo.env("theirs"), num_cycles=40)
    finally:
        registry.default.reset()


def beside(game: str, seed: int) -> Table:
    """Return the arena's table of the same first game."""
    return Table(game, [None, None], seed=seed)


def play_on(table: Table, action: int) -> None:
    """Play ``action`` there too, as far as the game's next decision."""
    table.act(action)
    if table.hand_over and not table.game_over:
        table.next_hand()


@pytest.mark.parametrize("target", sizes(40, 100))
def test_a_match_hands_out_each_hands_returns_to_its_seats(target: int) -> None:
    env, table = pettingzoo.raw_env(f"gin:target={target}", episode="match"), beside(f"gin:target={target}", 4)
    env.reset(seed=4)
    total, hands = np.zeros(2), 0
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        total[int(agent[-1])] += reward
        if terminated or truncated:
            env.step(None)
            continue
        hands += env.rewards["player_0"] != 0
        assert np.array_equal(info["action_mask"], observation["action_mask"])
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        env.step(action)
        play_on(table, action)
    scored = [record["returns"] for record in table.records]
    assert total.tolist() == np.sum(scored, axis=0).tolist()
    assert len(scored) > 1
    assert max(table.score) >= target


def test_what_a_hand_brought_is_handed_out_once_in_a_match_of_many() -> None:
    """Rewards that are not taken back at the next step are counted again at each."""
    env, table = pettingzoo.raw_env("leduc:hands=4", episode="match"), beside("leduc:hands=4", 4)
    env.reset(seed=4)
    total, rng = np.zeros(2), np.random.default_rng(0)
    for agent in env.agent_iter():
        observation, reward, over, _, _ = env.last()
        total[int(agent[-1])] += reward
        action = None if over else int(rng.choice(np.flatnonzero(observation["action_mask"])))
        env.step(action)
        if action is not None:
            play_on(table, action)
    scored = [record["returns"] for record in table.records]
    assert sum(returns[0] != 0 for returns in scored[:-1]) > 1
    assert total.tolist() == np.sum(scored, axis=0).tolist()


def test_whoever_waits_may_do_nothing_and_sees_its_own_cards() -> None:
    env = pettingzoo.raw_env("leduc")
    env.reset(seed=2)
    one, other = (env.observe(agent) for agent in env.possible_agents)
    assert one["action_mask"].tolist() == [0, 1, 1]
    assert other["action_mask"].tolist() == [0, 0, 0]
    assert not np.array_equal(one["observation"], other["observation"])


def test_pictures_are_text_or_an_image_of_it() -> None:
    env = pettingzoo.env("gin", render_mode="ansi")
    env.reset(seed=3)
    assert "stock" in env.render()
    env = pettingzoo.env("gin", render_mode="rgb_array")
    env.reset(seed=3)
    first = env.render()
    env.reset(seed=4)
    assert first.shape[2] == 3
    assert first.dtype == np.uint8
    assert not np.array_equal(first, env.render())


@pytest.mark.parametrize("game", ["leduc", "gin"])
def test_pettingzoos_own_render_test_passes(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    quietly(render_test, lambda render_mode: pettingzoo.env(game, render_mode=render_mode))
    assert capsys.readouterr().out.count("seat 0" if game == "leduc" else "stock") > 1


def test_an_illegal_action_ends_the_episode_in_the_usual_wrappers() -> None:
    env = pettingzoo.env("leduc")
    env.reset(seed=2)
    env.step(0)
    assert all(env.terminations.values())
    assert env.rewards["player_0"] == pettingzoo.ILLEGAL_REWARD


def test_a_step_before_reset_and_an_action_that_is_no_whole_number_are_refused() -> None:
    env = pettingzoo.raw_env("leduc")
    with pytest.raises(UsageError, match=r"no hand yet: call reset\(\)"):
        env.step(1)
    env.reset(seed=1)
    for action in (np.array([1]), float("nan"), 1.5, None):
        with pytest.raises(UsageError, match="The action must be one whole number"):
            env.step(action)
    env.step(np.int8(1))
    assert env.agent_selection == "player_1"
    with pytest.raises(UsageError, match=r"The seed must be a whole number. Got 'a' instead"):
        env.reset(seed="a")  # type: ignore[arg-type]
    while env.agents:
        env.step(None if env.terminations["player_0"] else 1)
    with pytest.raises(IllegalActionError, match=r"The episode is over: call reset\(\)"):
        env.step(1)


def test_games_of_amounts_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"HoldemNoLimit.* are amounts of chips"):
        pettingzoo.env("holdem_nolimit")


def test_each_episode_is_the_next_group_of_its_seed_and_rewards_are_its_returns() -> None:
    """Episode e has the cards and the seats of group e of the arena; who is paid is who sat there."""
    env, moved = pettingzoo.raw_env("leduc", encoder="flat"), 0.0
    for episode in range(4):
        env.reset(seed=6) if episode == 0 else env.reset()
        table = Table("leduc", [None, None], seed=6, groups=[episode])
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            paid[agent] += reward
            if over:
                env.step(None)
                continue
            seat = int(agent[-1])
            assert table.to_act == seat
            assert np.array_equal(observation["observation"], env.layout.encode(table.views(seat))[0])
            assert np.flatnonzero(observation["action_mask"]).tolist() == table.legal_actions()
            action = table.legal_actions()[-1]
            table.act(action)
            env.step(action)
        assert table.hand_over
        assert list(paid.values()) == list(table.end().returns)
        moved += paid["player_0"] ** 2
    assert moved


@pytest.mark.long
def test_what_the_readme_calls_works_after_import_cardai_alone() -> None:
    program = "import cardai; cardai.bridges.pettingzoo.env('gin').reset(seed=1); print(*dir(cardai.bridges))"
    done = python("-c", program, **INTERPRETED)
    assert {"gymnasium", "openspiel", "pettingzoo"} <= set(done.stdout.split())
    assert done.stderr == ""


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: None)
    monkeypatch.delattr(cardai.bridges, "pettingzoo")
    with pytest.raises(PluginError, match=r"needs pettingzoo, which is not installed\. Run: pip install .*\[gym\]'"):
        _ = cardai.bridges.pettingzoo
    with pytest.raises(AttributeError, match="no attribute 'petingzoo'"):
        _ = cardai.bridges.petingzoo


@frozen
class Misdeals(Kuhn):
    """Kuhn poker in which a hand is over with the deal where seat 0 has the jack: it pays one."""

    def new_initial_state(self, setup: Any = None) -> Any:
        return Misdealt(self.players, game=self)


class Misdealt(KuhnState):
    def current_player(self) -> int:
        return TERMINAL if len(self.cards) == 2 and self.cards[0] == 0 else super().current_player()

    def returns(self) -> list[float]:
        return [-1.0, 1.0] if self.cards == [0, *self.cards[1:]] else super().returns()

    def clone(self) -> Any:
        return Misdealt(self.players, self.cards, self.bets, self.game)


def test_a_hand_that_is_over_with_the_deal_pays() -> None:
    env, paid = pettingzoo.env(Misdeals(), "flat"), []
    for episode in range(12):
        env.reset(seed=3 if episode == 0 else None)
        asked, won = 0, [0.0, 0.0]
        for agent in env.agent_iter():
            _, reward, over, _, _ = env.last()
            won[env.possible_agents.index(agent)] += reward
            asked += not over
            env.step(None if over else 0)
        paid.append((asked, won))
    assert [won for asked, won in paid if not asked]
    assert all(won == [-1, 1] for asked, won in paid if not asked)
    assert all(abs(won[0]) == 1 for _, won in paid)
