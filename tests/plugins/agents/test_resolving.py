"""The agent resolving: what it plays, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import cardai
from cardai.core.errors import OptionError, PluginError, UsageError
from cardai.core.legal import Amounts
from cardai.core.rng import Rows
from cardai.poker.resolving.box import ResolvingWarning
from tests.support import own_cache


@pytest.mark.long
def test_it_plays_no_limit_holdem_and_raises_to_legal_amounts() -> None:
    game = cardai.game("acpc_nolimit_2p")
    player = cardai.agent("resolving:iterations=3,values=exact").for_game(game)
    tables, row = game.tables(1), np.zeros(1, np.int64)
    tables.reset(np.array([4], np.uint64))
    for action in (250, 1):  # a bet that no menu has
        tables.apply(row, np.array([action]))
    seat = int(tables.current_players()[0])
    views, legal = tables.views(seat, row), tables.legal(row)
    policy = player.policy(views, legal)
    assert isinstance(legal, Amounts)
    assert policy.shape == (1, 3)
    assert policy.sum() == pytest.approx(1)
    assert (policy[~legal.kinds] == 0).all()
    to = player.raise_to(
        np.repeat(views, 50), Amounts(*(np.repeat(x, 50, axis=0) for x in legal_parts(legal))), streams()
    )
    assert set(to.tolist()) <= {250 + 250, 250 + 500, 20_000}  # half the pot of 500, the pot, all-in


def test_without_a_network_and_a_blueprint_it_says_how_badly_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.plugins.agents.resolving.box", lambda: None)
    with pytest.warns(ResolvingWarning, match="before the turn it plays as if both checked"):
        cardai.agent("resolving").for_game(cardai.game("holdem"))
    cardai.agent("resolving").for_game(cardai.game("leduc_deepstack"))  # nothing to say, or the test fails by it


@pytest.mark.long
def test_noise_takes_actions_at_random_so_often() -> None:
    game = cardai.game("holdem")
    tables, row = game.tables(1), np.zeros(1, np.int64)
    tables.reset(np.array([4], np.uint64))
    for action in (300, 1):
        tables.apply(row, np.array([action]))
    views, legal = tables.views(int(tables.current_players()[0]), row), tables.legal(row)
    quiet, loud = [
        cardai.agent(f"resolving:iterations=2,values=exact,noise={noise},kept=1").for_game(game) for noise in (0, 0.4)
    ]
    count = len(quiet.plan(views[0]).actions)  # type: ignore[attr-defined]
    bets = count - 1  # it may check; the rest are bets
    wanted = 0.6 * quiet.policy(views, legal)[0] + 0.4 * np.array([0, 1, bets]) / count
    assert loud.policy(views, legal)[0] == pytest.approx(wanted)


def legal_parts(legal: Amounts) -> tuple[np.ndarray, ...]:
    return legal.kinds, legal.min_amount, legal.max_amount


def streams() -> Rows:
    return Rows(np.arange(50, dtype=np.uint64))


def test_a_hand_of_limit_holdem_is_played_to_its_end() -> None:
    played = cardai.play("acpc_limit_2p", ["resolving:seconds=0.05,values=exact", "always_call"], games=2, seed=3)
    assert played.scores.shape == (2, 2)
    assert (played.scores.sum(axis=1) == 0).all()


@pytest.mark.parametrize(
    ("agent", "game", "said"),
    [
        ("resolving", "kuhn", "plays Leduc and hold'em of two players"),
        ("resolving", "acpc_nolimit_3p", "plays Leduc and hold'em of two players"),
        ("resolving:values=nowhere", "leduc_deepstack", "no training run in 'nowhere'"),
        ("resolving:values=nowhere", "acpc_limit_2p", "no training run in 'nowhere'"),
        ("resolving:blueprint=random", "acpc_nolimit_2p", "is a run that was trained on a ladder of bets"),
        ("resolving:blueprint=nowhere/x", "acpc_nolimit_2p", "no training run in 'nowhere/x'"),
        ("resolving", "leduc:suits=false", "needs a game with suits"),
    ],
)
def test_what_it_cannot_play_is_said(agent: str, game: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        cardai.agent(agent).for_game(cardai.game(game))


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(OptionError, match="skip must be below iterations"):
        cardai.agent("resolving:iterations=10,skip=10")


def test_values_of_another_trainer_are_refused(tmp_path: Path) -> None:
    cardai.train("cfr", "leduc", steps=1, out=tmp_path / "cfr")
    with pytest.raises(UsageError, match="is of cfr: it has no counterfactual values"):
        cardai.agent(f"resolving:values={tmp_path / 'cfr'}").for_game(cardai.game("leduc_deepstack"))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a network of the turn that has learned next to nothing."""
    pytest.importorskip("torch")
    from cardai.poker.values.situation_set import Recipe, produce

    directory = tmp_path_factory.mktemp("turn")
    with pytest.MonkeyPatch.context() as patch:
        own_cache(patch, directory / "cache")
        produce(directory / "turn", Recipe("turn", 3, (1, 1, 1, 1, 1), (4,), per_shard=10, bets="0.7+allin"), 20)
        options = "width=4,context=4,blocks=0,sample=10,batch=8,anneal=1"
        cardai.train(
            f"counterfactual_values:{options}", "acpc_nolimit_2p", steps=1, out=directory / "run",
            situations=str(directory / "turn"),
        )  # fmt: skip
    (directory / "turn").rename(directory / "gone")  # a network knows by itself what it is of
    return directory / "run"


@pytest.mark.long
def test_a_network_of_the_turn_values_the_flop(network: Path) -> None:
    game = cardai.game("acpc_nolimit_2p")
    same = 'bets="preflop=1,flop=1,turn=0.7+allin,river=1"'
    player = cardai.agent(f"resolving:values={network},iterations=1,cards=1,{same}").for_game(game)
    tables, row = game.tables(1), np.zeros(1, np.int64)
    tables.reset(np.array([4], np.uint64))
    for action in (300, 1):
        tables.apply(row, np.array([action]))
    views = tables.views(int(tables.current_players()[0]), row)
    policy = player.policy(views, tables.legal(row))
    assert policy.sum() == pytest.approx(1)
    assert type(player.decision(views[0]).solver.leaves).__name__ == "TurnLeaves"


@pytest.mark.parametrize(
    ("options", "game", "said"),
    [
        ("", "acpc_limit_2p", "They are no use in"),
        ("", "acpc_nolimit_2p", "are those of bets 0.7+allin on the turn"),
    ],
)
def test_a_network_of_another_game_or_menu_is_refused(network: Path, options: str, game: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        cardai.agent(f"resolving:values={network}{options}").for_game(cardai.game(game))


def test_a_network_of_another_trainer_or_without_a_checkpoint_is_refused(network: Path, tmp_path: Path) -> None:
    game = cardai.game("acpc_nolimit_2p")
    cardai.train("cfr", "leduc", steps=1, out=tmp_path / "cfr")
    with pytest.raises(UsageError, match="is of cfr: it has no counterfactual values"):
        cardai.agent(f"resolving:values={tmp_path / 'cfr'}").for_game(game)
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "run.json").write_bytes((network / "run.json").read_bytes())
    with pytest.raises(UsageError, match="has no checkpoint yet"):
        cardai.agent(f"resolving:values={tmp_path / 'begun'}").for_game(game)


def test_without_torch_a_network_is_refused_with_what_to_install(
    network: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: None)
    with pytest.raises(PluginError, match=r"needs torch, which is not installed\. Run: pip install .*\[torch\]'"):
        cardai.agent(f"resolving:values={network}").for_game(cardai.game("leduc_deepstack"))
    with pytest.raises(UsageError, match="There is no training run in 'runs/turn'"):
        cardai.agent("resolving:values=runs/turn").for_game(cardai.game("acpc_nolimit_2p"))
