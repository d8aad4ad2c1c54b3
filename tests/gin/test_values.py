"""Gin values: features, networks and decisions by slow references; the fit; the table of winning chances."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.text import cards_of
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.rng import Rows
from cardai.gin._situation_kernels import AFTER, BEFORE, FEATURES, KINDS, KNOCKED, situations
from cardai.gin._value_kernels import RESULTS
from cardai.gin.actions import DISCARD, DRAW, KNOCK, PLAY_ON, STOCK, TAKE
from cardai.gin.belief import chances
from cardai.gin.contract import knock_limits, need_gin
from cardai.gin.melds import best_arrangements, card_points, deadwood
from cardai.gin.selfplay import play_hands, seats_for
from cardai.gin.styles import win_table
from cardai.gin.values import EDGES, Explorer, Fitting, ValueNetworks, ValuePlayer, read_values, write_values
from tests.support import sizes

LIMITS = np.full(52, 10, np.int64)
EVEN = np.array([20.0, -20, 10, -10, 40, -40])
BETTER = np.array([20.0, 20, 20, -10])
STYLE = np.array([0.3, 0.7, 0, 0, 0, 0, 0, 0])


def test_the_first_up_card_says_how_much_deadwood_may_knock_in_oklahoma() -> None:
    """Cards are counted from the two; an ace demands gin, or allows one point."""
    king, two, ten, ace = 11, 0, 8, 12
    for ace_allows, options in ((0, "gin"), (1, "one")):
        game = need_gin(cardai.game(f"gin:oklahoma=true,oklahoma_ace={options}"), "This plays")
        limits = knock_limits(game)
        assert [limits[13 * suit + rank] for suit in range(4) for rank in (two, ten, king, ace)] == [
            2,
            10,
            10,
            ace_allows,
        ] * 4
    assert set(knock_limits(need_gin(cardai.game("gin:knock_limit=7"), "This plays"))) == {7}


def some_values(seed: int = 0) -> ValueNetworks:
    """Return values of two styles with random heads, so that decisions depend on everything."""
    values, rng = ValueNetworks.start(8, seed, 2), np.random.default_rng(seed)
    values.head_weight[:] = rng.standard_normal(values.head_weight.shape)
    values.belief[:] = rng.standard_normal(values.belief.shape) * 0.3
    values.wins[0], values.wins[1] = win_table(EVEN), win_table(BETTER)
    values.hidden_bias[:] = rng.standard_normal(values.hidden_bias.shape) * 0.2
    return values


def views_of(phase: int, seed: int = 1, hands: int = 30) -> Any:
    """Return views of players who are asked in ``phase``, with what is legal."""
    game = cardai.game("gin")
    tables: Any = game.tables(hands)
    tables.reset(np.arange(seed * 1000, seed * 1000 + hands, dtype=np.uint64))
    agent = cardai.agent("gin_lookahead").for_game(game)
    found = []
    for step in range(60):
        current = tables.current_players()
        for seat in range(2):
            rows = np.flatnonzero(current == seat)
            if len(rows):
                views, legal = tables.views(seat, rows), tables.legal(rows)
                asked = views["phase"] == phase
                found += [(views[k : k + 1].copy(), legal[k : k + 1].copy()) for k in np.flatnonzero(asked)]
                tables.apply(rows, agent.act(views, legal, Rows(rows.astype(np.uint64) + np.uint64(step))))
    return found


def after_best_discard(held: set[int]) -> int:
    return min(deadwood(held - {card}) for card in held)


def described(values: ValueNetworks, view: Any, actions: list[int]) -> tuple[Any, Any]:
    """Return features and kinds of the situations after each action of one view."""
    features, kinds = np.zeros((len(actions), FEATURES), np.float32), np.zeros(len(actions), np.int64)
    views = np.repeat(view, len(actions))
    situations(views, np.array(actions), styles(len(actions)), LIMITS, 100, values.belief, features, kinds)
    return features, kinds


def styles(count: int) -> Any:
    """Return what is thought of ``count`` opponents."""
    return np.tile(STYLE, (count, 1))


def act(player: ValuePlayer, view: Any, legal: Any) -> int:
    """Return the player's answer to one view."""
    return int(player.act_against(view, legal, Rows(np.zeros(1, np.uint64)), styles(1))[0])


def worth(values: ValueNetworks, view: Any, features: Any, kind: int) -> float:
    """Return the expected chance to win, by numpy: interpolated winning chances of the classes' points."""
    hidden = np.maximum(features @ values.hidden_weight[kind] + values.hidden_bias[kind], 0)
    out = np.exp((hidden @ values.head_weight[kind] + values.head_bias[kind]).astype(np.float64))
    me = int(view["player"][0])
    mine, his = (min(int(view["score"][0][seat]), 100) for seat in (me, 1 - me))
    grid = np.arange(-101, 102)
    wins = np.tensordot(STYLE, values.wins, 1)
    after = [wins[min(mine + p, 100), his] if p >= 0 else wins[mine, min(his - p, 100)] for p in grid]
    return float(out / out.sum() @ np.interp(values.results, grid, after))


def test_features_of_the_hand_are_as_the_slow_reference_says() -> None:
    values = some_values()
    outs = 0
    for view, legal in views_of(DISCARD)[::9]:
        hand = set(cards_of(int(view["hand"][0])))
        seen = int(view["hand"][0]) | int(view["discard_set"][0]) | int(view["opponent_known"][0])
        chance = chances(view, STYLE @ values.belief)[0]
        card = int(np.flatnonzero(legal[0, :52])[0])
        left = hand - {card}
        features, kinds = described(values, view, [card])
        assert (kinds[0] == AFTER) == (deadwood(left) > 10)
        if kinds[0] != AFTER:
            continue
        drawn = [c for c in range(52) if not seen >> c & 1]
        weights = np.array([1 - chance[c] for c in drawn])
        after = np.array([min(deadwood(left), after_best_discard(left | {c})) for c in drawn])
        expected = {
            0: deadwood(left) / 40,
            12: weights @ after / weights.sum() / 40,
            13: weights @ (after == 0) / weights.sum(),
            14: weights @ (after <= 10) / weights.sum(),
            30: card_points(card) / 10,
        }
        loose = len(left - set(itertools.chain(*best_arrangements(left)[0])))
        assert features[0, 3] == pytest.approx(loose / 10)
        for place, value in expected.items():
            assert features[0, place] == pytest.approx(value, abs=1e-5), place
        outs += expected[14] > 0
    assert outs > 3


@pytest.mark.parametrize("every", sizes(8, 4))
def test_the_player_takes_the_discard_the_networks_like_best(every: int) -> None:
    values = some_values(3)
    player = ValuePlayer(values).for_game(cardai.game("gin"))
    different = set()
    for view, legal in views_of(DISCARD, 2)[::every]:
        hand = set(cards_of(int(view["hand"][0])))
        allowed = [int(c) for c in np.flatnonzero(legal[0, :52])]
        found = act(player, view, legal)
        worths = {}
        for card in allowed:
            asked = view.copy()
            features = np.zeros((1, FEATURES), np.float32)
            # a limit of -1 describes hands that could knock, too
            kind = np.zeros(1, np.int64)
            situations(asked, np.array([card]), styles(1), LIMITS - 11, 100, values.belief, features, kind)
            left = deadwood(hand - {card})
            features[0, 1] = left <= 10
            features[0, 25] = features[0, 13] if left <= 10 else 0
            chance = chances(view, STYLE @ values.belief)[0]
            seen = int(view["hand"][0]) | int(view["discard_set"][0]) | int(view["opponent_known"][0])
            drawn = [c for c in range(52) if not seen >> c & 1]
            weights = np.array([1 - chance[c] for c in drawn])
            rest = hand - {card}
            can = np.array([min(left, after_best_discard(rest | {c})) <= 10 for c in drawn])
            features[0, 14] = weights @ can / weights.sum()
            worths[card] = worth(values, view, features[0], AFTER)
            if left <= 10:
                worths[card] = max(worths[card], worth(values, view, features[0], KNOCKED))
        outside = [hand - set(itertools.chain(*melds)) for melds in best_arrangements(hand)]
        most = [max(worths[card] for card in (cards & set(allowed)) or allowed) for cards in outside]
        assert any(worths[found] == pytest.approx(value, abs=2e-5) for value in most)
        different.add(found)
    assert len(different) > 10


def test_it_knocks_where_a_knock_is_worth_more_and_always_with_gin() -> None:
    values = some_values(5)
    player = ValuePlayer(values).for_game(cardai.game("gin"))
    answers = []
    for view, legal in views_of(3, 3, 200):
        features, kinds = described(values, view, [PLAY_ON])
        assert kinds[0] == AFTER
        knocks = worth(values, view, features[0], KNOCKED) > worth(values, view, features[0], AFTER)
        gin = deadwood(cards_of(int(view["hand"][0]))) == 0
        found = act(player, view, legal)
        assert (found == KNOCK) == (knocks or gin)
        answers.append((found == KNOCK, gin))
    assert (False, False) in answers
    assert (True, True) in answers


def test_draws_depend_on_the_worth_of_a_draw() -> None:
    views = views_of(DRAW, 4, 60)
    for best, expected in ((True, {TAKE, STOCK}), (False, {STOCK})):
        values = some_values(6)
        values.head_bias[BEFORE] = 0
        values.head_weight[BEFORE] = 0
        # a draw always brings the best class of results, or the worst
        values.head_bias[BEFORE, 0 if best else RESULTS - 1] = 50
        player = ValuePlayer(values).for_game(cardai.game("gin"))
        found = {act(player, view, legal) for view, legal in views}
        assert found == expected


def test_fitting_learns_what_situations_bring() -> None:
    rng = np.random.default_rng(1)
    features = np.zeros((4000, FEATURES), np.float32)
    features[:, 5:9] = rng.standard_normal((4000, 4))
    kinds = rng.integers(0, KINDS, 4000)
    points = np.where(features[:, 7] > 0, 30.0, -9.0) * np.where(kinds == KNOCKED, -1, 1)
    fitting = Fitting(ValueNetworks.start(8, 0))
    first = fitting.fit(features, kinds, points, 3e-3, 1, 64, 1)
    last = [fitting.fit(features, kinds, points, 3e-3, 1, 64, seed) for seed in range(2, 20)][-1]
    assert (last < 0.2).all()
    assert (first > 1).all()


def test_one_update_goes_down_the_slope_of_the_loss() -> None:
    values = some_values(8)
    rng = np.random.default_rng(2)
    inputs, classes = rng.standard_normal((32, FEATURES)).astype(np.float32), rng.integers(0, RESULTS, 32)

    def loss() -> float:
        hidden = np.maximum(inputs @ values.hidden_weight[1] + values.hidden_bias[1], 0)
        out = (hidden @ values.head_weight[1] + values.head_bias[1]).astype(np.float64)
        return float((np.log(np.exp(out).sum(axis=1)) - out[np.arange(32), classes]).mean())

    fitting = Fitting(values)
    before = {name: getattr(values, name)[1].astype(np.float64) for name in fitting.first}
    for name, place in (("hidden_weight", (3, 2)), ("hidden_bias", (4,)), ("head_weight", (5, 6)), ("head_bias", (2,))):
        array = getattr(values, name)[1]
        array[place] += 1e-2
        up = loss()
        array[place] -= 2e-2
        slope = (up - loss()) / 2e-2
        array[place] = before[name][place]
        probe = Fitting(values)
        kept = {n: getattr(values, n).copy() for n in fitting.first}
        probe._update(1, inputs, classes, 1e-9)
        assert probe.first[name][1][place] * 10 == pytest.approx(slope, rel=0.05, abs=2e-3), name
        for n, array in kept.items():
            getattr(values, n)[:] = array


def test_winning_chances_follow_from_the_hands_results() -> None:
    # 50 points a hand, each side's as likely: from 50:0 one wins at once, or it is even
    table = win_table(np.array([50.0, -50, 0]))
    assert table[0, 0] == pytest.approx(0.5)
    assert table[50, 0] == pytest.approx(0.5 + 0.5 * 0.5)
    assert table[99, 0] == pytest.approx(0.5 + 0.5 * 0.5)
    assert table[99, 50] == pytest.approx(0.5)
    even = win_table(EVEN)
    assert (np.diff(even[:100, 40]) >= 0).all()
    assert even[80, 20] == pytest.approx(1 - even[20, 80])
    # two hands of three are won: both of the first two, or one of them and the third
    better = win_table(np.array([50.0, 50, -50]))
    assert better[50, 50] == pytest.approx(2 / 3)
    assert better[0, 0] == pytest.approx(4 / 9 + 2 * 4 / 27)


def test_situations_are_labelled_with_what_they_brought() -> None:
    game = cardai.game("gin")
    players = [Explorer(cardai.agent("gin_lookahead").for_game(game), (0.1, 0.1, 0.5)), cardai.agent("simple")]
    seats = seats_for(np.random.default_rng(1), 200, [1])
    played = play_hands(game, players, seats, ValueNetworks.start(4, 1, 2), 7)
    found = played.situations
    assert set(np.unique(found.kinds)) == {AFTER, BEFORE, KNOCKED}
    learner = np.where(seats[:, 0] == 0, 0, 1)
    returns = played.returns[np.arange(200), learner]
    after = found.kinds != KNOCKED
    assert set(found.points[after]) <= set(returns)
    # a knock with ten or less cannot lose more than 25 and the difference, nor be void
    knocks = found.points[found.kinds == KNOCKED]
    assert (knocks != 0).all()
    assert knocks.min() >= -35
    assert (np.digitize([-25.0, 0, 25, 26], EDGES) == [5, 10, 15, 16]).all()


def test_values_go_through_a_file_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    values = some_values(4)
    write_values(tmp_path / "v.npz", values)
    read = read_values(tmp_path / "v.npz")
    assert all((read.arrays()[name] == array).all() for name, array in values.arrays().items())
    values.hidden_bias = values.hidden_bias[:, :4]
    write_values(tmp_path / "v.npz", values)
    with pytest.raises(DamagedFileError, match=r"v\.npz"):
        read_values(tmp_path / "v.npz")


def test_the_player_refuses_other_games_by_name() -> None:
    with pytest.raises(UsageError, match=r"plays gin rummy.*Kuhn"):
        ValuePlayer(some_values()).for_game(cardai.game("kuhn"))
