"""The publication's betting: its outputs, what it teaches, and how its player acts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import cardai
from cardai.core.errors import OptionError
from cardai.core.fields import empty_views
from cardai.core.rng import Rows, derive_many
from cardai.draw.abstraction import DrawCountAbstraction
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.selfplay import Events, Seating, collect
from cardai.plugins.trainers.poker_cnn.betting.acting import BettingAgent
from cardai.plugins.trainers.poker_cnn.betting.heads import Heads
from cardai.plugins.trainers.poker_cnn.betting.learning import discounted, make_targets
from cardai.plugins.trainers.poker_cnn.betting.options import ActingOptions, LearningOptions
from cardai.plugins.trainers.poker_cnn.betting.player_options import PlayerOptions
from cardai.plugins.trainers.poker_cnn.betting.published import repaired, thinned, weights_loss
from cardai.plugins.trainers.poker_cnn.values.problems import exact_holds
from tests.plugins.trainers.poker_cnn.trainings import start


@pytest.mark.long
def test_the_published_preset_learns_and_plays(tmp_path: Path) -> None:
    """All its habits at once: 32 outputs with ReLU, policy weights, noise, repairs, boosts, thinning, draw counts."""
    spec = "poker_cnn_betting_paper:network=dense,hands=60,batch=50,epochs=1,threads=1,teachers=draw_heuristic"
    training: Any = start(spec, "triple_draw", "poker_cnn_triple_draw:size=4x13")
    rows = [row for row in training.train(120) if row]
    assert len(rows) == 2
    game = cardai.game("triple_draw")
    player = training.agent({"mix": "2"}).for_game(game)
    result = cardai.play(game, [player, "draw_heuristic"], games=20, seed=1)
    assert len(result.hands) == 20


def test_published_outputs_lie_where_the_publication_has_them() -> None:
    """Poker-CNN: 0-4 bet, raise, check, call, fold; 5-9 their weights; 15-20 keeping 0 to 5 cards."""
    game = cardai.game("triple_draw")
    views = empty_views(game.view_fields, 2)
    views["to_call"] = [0, 100]
    views["round_spent"][1] = [100, 200]
    columns = Heads(9, published=True, relu=True, weights=True).columns(views)
    assert columns[0].tolist() == [4, 2, 0, 15, 16, 17, 18, 19, 20, 9, 7, 5, 31, 31, 31, 31, 31, 31, 1, 3]
    assert columns[1].tolist()[:3] == [4, 3, 1]
    assert columns[1].tolist()[-2:] == [0, 2]


def test_what_the_publication_teaches_of_choices_not_taken() -> None:
    """Limit hold'em: last-round calls and checks behind that end the hand, no ties; folds everywhere; no bets."""
    game = cardai.game("poker_cnn_limit")
    random = cardai.agent("random").for_game(game)
    events = collect(game, Seating([random], np.zeros((400, 2), np.int64), (0,), ActionAbstraction(3)), seed=4, first=0)
    _, mask = make_targets(events, game, ActionAbstraction(3), LearningOptions(counterfactuals="published"))
    other = mask.copy()
    other[np.arange(len(events)), events.chosen] = 0
    assert (other[:, 0] == 1)[events.legal[:, 0] & (events.chosen != 0)].all()
    assert not other[:, 2].any()
    taught = other[:, 1] == 1
    assert taught.any()
    assert (events.views["round"][taught] == 3).all()
    position = events.views["button"] == events.views["player"]
    assert ((events.views["to_call"] > 0) | position)[taught].all()
    kept = thinned(events, 0.3, 1, game)
    raises = (events.chosen == 2) & (events.views["round"] == 3)
    assert ((kept.chosen == 2) & (kept.views["round"] == 3)).sum() == raises.sum()
    assert 0.3 < len(kept) / len(events) < 0.8


def test_impossible_values_are_repaired() -> None:
    game = cardai.game("poker_cnn_limit")
    views = empty_views(game.view_fields, 3)
    views["pot"], views["to_call"] = 400, [0, 0, 200]
    views["round"], views["player"], views["button"] = [0, 3, 3], 0, 0
    offered = np.array([[False, True, True], [False, True, True], [True, True, True]])
    values = np.array([[0.0, -0.3, 0.0], [0.0, 0.9, 0.0], [0.0, 0.9, 0.0]])
    got, changed = repaired(values, views, offered, 1000.0, 3)
    assert np.allclose(got[:, 1], [0.0, 0.4, 0.95 * 0.6])
    assert changed.all()


class Indifferent:
    """Stands for a network to which every choice is worth nothing."""

    def outputs(self, views: Any, offered: Any) -> Any:
        return np.zeros(offered.shape), offered / offered.sum(axis=1, keepdims=True)


def test_a_bonus_draws_as_the_best_hold_does_and_a_malus_avoids_pat_and_late_large_draws() -> None:
    game = cardai.game("triple_draw")
    cards = np.random.default_rng(2).random((3000, 52)).argsort(axis=1)[:, :5]
    legal = np.zeros((3000, 35), bool)
    legal[:, 3:] = True

    def frequencies(draws_left: int, **options: float) -> Any:
        """Return the share of each number kept (6,) and how often it is the best hold's."""
        views = empty_views(game.view_fields, 3000)
        views["hand"], views["draws_left"], views["kept"] = cards, draws_left, -1 if draws_left == 3 else 3
        abstraction = DrawCountAbstraction(exact_holds)
        network: Any = Indifferent()
        acting = ActingOptions(noise=0.001, policy_mix=0.0, **options)
        agent = BettingAgent((network,), abstraction, acting, game, 100.0)
        chosen = agent.decide(views, abstraction.legal(legal), Rows(derive_many(1, "y", count=3000)))[0] - 3
        return np.bincount(chosen, minlength=6) / 3000, (chosen == abstraction.best_holds(views)[1]).mean()

    plain, plain_best = frequencies(1)
    assert np.allclose(plain, 1 / 6, atol=0.03)  # 4 standard errors
    shares, best = frequencies(1, draw_noise=0.1)
    assert plain_best < 0.2
    assert best > 0.9
    assert shares[5] < 0.05
    no_bonus = frequencies(3, draw_noise=0.1)[0]
    assert no_bonus[5] < 0.02
    assert no_bonus[:4].sum() > shares[:4].sum()  # the first draw may be large


def test_acting_options_are_options_of_a_trained_player_too() -> None:
    training: Any = start("poker_cnn_betting:network=dense,noise=0.2", "triple_draw", "poker_cnn_triple_draw:size=4x13")
    given = {"noise": "0", "refold": "true", "draw_shares": ["1", "0.6"], "draw_noise": "0.1"}
    assert training.agent(given).acting == PlayerOptions(refold=True, draw_shares=(1.0, 0.6), draw_noise=0.1)
    assert training.agent({"draw_shares": "0.5"}).acting == PlayerOptions(noise=0.2, draw_shares=(0.5,))
    for options, message in (
        ({"boost": "maybe"}, "'boost' of the trained player must be true or false. Got 'maybe'"),
        ({"noise": "loud"}, "'noise' of the trained player must be a number"),
        ({"draw_shares": ""}, "trained player refuses its options .*draw_shares.* must be >= 1"),
        ({"mix": "0"}, "trained player refuses its options .*mix=0.*"),
        ({"generation": "x"}, "'generation' of the trained player must be"),
    ):
        with pytest.raises(OptionError, match=message):
            training.agent(options)


def test_what_lies_beyond_the_pot_or_the_bet_is_discounted() -> None:
    views = empty_views(cardai.game("leduc").view_fields, 6)
    views["pot"], views["to_call"] = 10, 4
    values = np.array([5.0, 10.0, 14.0, -3.0, -4.0, -10.0])
    assert discounted(values, views, 0.9).tolist() == pytest.approx([5, 10, 10 + 0.9 * 4, -3, -4, -4 - 0.9 * 6])
    assert discounted(values, views, 1.0) is values


def test_a_call_that_would_have_tied_is_not_taught_as_published() -> None:
    game = cardai.game("leduc")
    views = empty_views(game.view_fields, 3)
    views["player"], views["spent"] = [0, 1, 0], [[5, 3], [5, 3], [5, 3]]
    nothing = np.full((3, 3), np.nan, np.float32)
    known = nothing.copy()
    known[:, 1] = [5.0, 5.0, np.nan]  # a tie of seat 0, two chips won by seat 1, and a call that goes on
    events = Events(
        np.arange(3), views, np.ones((3, 3), bool), np.array([2, 2, 2]), np.zeros(3), known, nothing, nothing
    )
    taught = {
        kind: make_targets(events, game, ActionAbstraction(3), LearningOptions(unit=1.0, counterfactuals=kind))
        for kind in ("all", "published")
    }
    assert {kind: mask[:, 1].tolist() for kind, (_, mask) in taught.items()} == {
        "all": [1, 1, 0],
        "published": [0, 1, 0],
    }
    assert taught["all"][0][:, 1].tolist() == [5, 5, 0]
    assert all(mask[:, 2].tolist() == [1, 1, 1] for _, mask in taught.values())  # what was done always is


def test_the_published_policy_loss_worked_by_hand() -> None:
    def row(*numbers: float) -> torch.Tensor:
        return torch.tensor([numbers])

    # worth 0.9 of the network's value and 0.1 of what was observed, where that is known, and 2 more
    worth = np.array([0.9 * 0.5 + 0.1 * 1.5, -1.0, 3.0]) + 2
    mean = worth @ [1, 2, 1] / 4
    legal = torch.ones((1, 3), dtype=torch.bool)
    values, weights, aim, known = row(0.5, -1.0, 3.0), row(1.0, 2.0, 1.0), row(1.5, 0, 0), row(1, 0, 0)
    loss = weights_loss(values, weights, aim, known, legal, betting_only=False)
    assert float(loss) == pytest.approx(1 / (1 + mean) + 0.01 * (4 - 1) ** 2)
