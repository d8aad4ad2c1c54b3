"""The agent resolving: what it plays, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import cardai
from cardai.core.errors import OptionError, UsageError
from cardai.core.legal import Amounts
from cardai.core.rng import Rows


def test_it_plays_no_limit_holdem_and_raises_to_legal_amounts() -> None:
    game = cardai.game("acpc_nolimit_2p")
    player = cardai.agent("resolving:iterations=3").for_game(game)
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


def legal_parts(legal: Amounts) -> tuple[np.ndarray, ...]:
    return legal.kinds, legal.min_amount, legal.max_amount


def streams() -> Rows:
    return Rows(np.arange(50, dtype=np.uint64))


def test_a_hand_of_limit_holdem_is_played_to_its_end() -> None:
    played = cardai.play("acpc_limit_2p", ["resolving:seconds=0.05", "always_call"], games=2, seed=3)
    assert played.scores.shape == (2, 2)
    assert (played.scores.sum(axis=1) == 0).all()


@pytest.mark.parametrize(
    ("agent", "game", "said"),
    [
        ("resolving", "kuhn", "plays Leduc and hold'em of two players"),
        ("resolving", "acpc_nolimit_3p", "plays Leduc and hold'em of two players"),
        ("resolving:values=nowhere", "leduc_deepstack", "no training run in 'nowhere'"),
        ("resolving:values=nowhere", "acpc_limit_2p", "no values for"),
        ("resolving:blueprint=random", "acpc_nolimit_2p", "A blueprint plays the game it was trained on"),
        ("resolving", "leduc:suits=false", "needs Leduc with suits"),
    ],
)
def test_what_it_cannot_play_is_said(agent: str, game: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        cardai.agent(agent).for_game(cardai.game(game))


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(OptionError, match="skip must be below iterations"):
        cardai.agent("resolving:iterations=10,skip=10")


def test_values_of_another_game_or_trainer_are_refused(tmp_path: Path) -> None:
    cardai.train("cfr", "leduc", steps=1, out=tmp_path / "cfr")
    with pytest.raises(UsageError, match="made by the trainer 'cfr' and holds no values"):
        cardai.agent(f"resolving:values={tmp_path / 'cfr'}").for_game(cardai.game("leduc_deepstack"))
    spec = "leduc_values:situations=100,held_out=20,batch=50,hidden=4,solve_iterations=2"
    cardai.train(spec, "leduc_deepstack", steps=1, out=tmp_path / "values")
    with pytest.raises(UsageError, match="They are no use in"):
        cardai.agent(f"resolving:values={tmp_path / 'values'}").for_game(cardai.game("leduc_deepstack:stack=900"))
