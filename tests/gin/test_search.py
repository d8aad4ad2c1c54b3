"""Rollouts at gin: what is compared, how what was played is weighed, and that a player with them finds what is best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena import match
from cardai.core.errors import CardaiError
from cardai.core.fields import unpack_view
from cardai.core.rng import Rows
from cardai.gin._value_kernels import worths
from cardai.gin.actions import DISCARD, DRAW, KNOCK, PLAY_ON, STOCK, TAKE
from cardai.gin.belief import weights_for
from cardai.gin.search import Rollouts, _best
from cardai.gin.values import RememberingPlayer, ValuePlayer
from cardai.plugins.agents.champion import LEAGUE, values
from tests.support import sizes


def views_of_a_match(hands: int = 12) -> list[tuple[Any, Any]]:
    """Return (view, legal) of all decisions of hands between gin_lookahead and simple."""
    game = cardai.game("gin")
    tables: Any = game.tables(hands)
    tables.reset(np.arange(hands, dtype=np.uint64))
    agents = [cardai.agent(spec).for_game(game) for spec in ("gin_lookahead", "simple")]
    found = []
    while (tables.current_players() >= 0).any():
        for seat in range(2):
            rows = np.flatnonzero(tables.current_players() == seat)
            if len(rows):
                views, legal = tables.views(seat, rows), tables.legal(rows)
                found += [(views[k : k + 1], legal[k : k + 1].copy()) for k in range(len(rows))]
                tables.apply(rows, agents[seat].act(views, legal, Rows(rows.astype(np.uint64))))
    return found


def test_worths_are_those_by_which_the_player_chooses() -> None:
    player = ValuePlayer(values()).for_game(cardai.game("gin"))
    styles = values().unknown()[None]
    kinds = set()
    for view, legal in views_of_a_match():
        found = np.empty((1, legal.shape[1]))
        worths(view, legal, styles, player.nets, False, found)
        if (found[0] >= 0).sum() > 1:
            chosen = int(player.act(view, legal, Rows(np.zeros(1, np.uint64)))[0])
            assert found[0, chosen] == found[0].max()
            assert not (found[0, ~legal[0]] >= 0).any()
            told = player.action_values(view, legal)[0]
            assert np.nanargmax(told) == chosen
            assert np.array_equal(np.isnan(told), found[0] < 0)
            assert np.nanmax(told) == pytest.approx(100 * found[0].max())
            kinds.add(chosen if chosen >= 52 else DISCARD)
    assert {DISCARD, TAKE, STOCK, KNOCK, PLAY_ON} <= kinds


def test_what_is_played_weighs_more_the_more_of_it_there_is() -> None:
    believed = np.array([0.60, 0.59])
    rng = np.random.default_rng(1)
    noise = 0.2 * rng.standard_normal(4000)
    played = np.stack([0.5 + 0 * noise, 0.53 + noise - noise.mean()])
    assert _best(believed, played) == 1
    few = np.stack([np.array([0.5, 0.5]), np.array([0.9, 0.2])])
    assert _best(believed, few) == 0
    assert _best(believed, played[:, :1]) == 0  # one hand says nothing


@pytest.mark.parametrize("apart", sizes(6, 2))
def test_rollouts_answer_at_once_where_there_is_nothing_to_compare_and_in_time(apart: int) -> None:
    game = cardai.game("gin")
    player = ValuePlayer(values()).for_game(game)
    styles = values().unknown()
    asked = 0
    for seconds, most in ((0.0, 40), (1e-9, 3200)):
        search = Rollouts(player, game, LEAGUE, most, seconds)
        counts: list[int] = []
        part = search._played

        def counted(
            view: Any, odds: Any, actions: Any, number: int, *rest: Any, part: Any = part, counts: Any = counts
        ) -> Any:
            counts.append(number)
            return part(view, odds, actions, number, *rest)

        search._played = counted  # type: ignore[method-assign]
        for view, legal in views_of_a_match(1)[::apart]:
            counts.clear()
            chosen = search.choose(view, legal, 5, styles)
            if chosen < 0:
                assert not counts
                continue
            asked += 1
            assert legal[0, chosen]
            assert counts == ([32, 8] if not seconds else [32])
            assert asked % 2 or search.choose(view, legal, 5, styles) == chosen
    assert asked > 20 // apart


def test_hands_that_networks_judge_after_a_turn_vary_less_and_bring_the_same() -> None:
    game = cardai.game("gin")
    player = ValuePlayer(values()).for_game(game)
    styles = np.eye(len(values().styles))[LEAGUE.index("simple")]
    compared = 0
    for view, legal in views_of_a_match(3)[::4]:
        found = np.empty((1, legal.shape[1]))
        worths(view, legal, styles[None], player.nets, False, found)
        best = np.array([found[0].argmax()])
        if found[0].max() < 0:
            continue
        plain = unpack_view(game.view_fields, view[0])
        odds = weights_for(game, plain, styles @ values().belief)
        short, whole = (
            Rollouts(player, game, LEAGUE, 0, 0.0, turns)._played(plain, odds, best, 96, 3, styles) for turns in (1, 0)
        )
        assert short.shape == whole.shape == (1, 96)
        assert ((short >= 0) & (short <= 1)).all()
        assert abs(short.mean() - whole.mean()) < 4 * np.sqrt((short.var() + whole.var()) / 96) + 0.03
        compared += short.std() < 0.8 * whole.std()
    assert compared > 5


@pytest.mark.long
def test_rollouts_find_what_wrong_values_do_not() -> None:
    game = cardai.game("gin", target=25)
    wrong = values().__class__(**{name: array.copy() for name, array in values().arrays().items()})
    wrong.head_weight[2] = 0  # a knock seems to win a little more than it does: it is always taken
    wrong.head_bias[2] = np.where(wrong.results > 20, 3.0, 0.0)
    player = ValuePlayer(wrong).for_game(game)
    agents = [player, RememberingPlayer(player, game, Rollouts(player, game, LEAGUE, 32, 0.0), memory=False)]
    found = [match.play(game, [agent, "gin_lookahead"], games=10, seed=3).mean_return(0).mean for agent in agents]
    assert found[1] > found[0]


def test_the_champions_rollouts_are_the_same_again() -> None:
    results = [match.play("gin:target=20", ["champion:rollouts=4", "simple"], games=4, seed=1) for _ in range(2)]
    assert (results[0].scores == results[1].scores).all()
    assert len(LEAGUE) == (values().styles[:, 0] > 0).sum()


def test_negative_rollouts_and_seconds_are_refused() -> None:
    for spec in ("champion:rollouts=-1", "champion:seconds=-1"):
        with pytest.raises(CardaiError):
            cardai.agent(spec)


def test_what_is_believed_and_what_is_played_are_weighed_by_their_variances() -> None:
    """TRUST is a standard deviation of 0.01, so its variance is 0.0001; n differences of standard deviation s have s^2 / n.

    With s^2 / n = 0.0001 both weigh a half: a gain of 0.03 as played against a loss of 0.02 as believed is a gain of 0.005.
    """
    for size, loss, wanted in ((100, 0.02, 1), (100, 0.04, 0), (400, 0.1, 1), (400, 0.14, 0)):
        noise = np.tile([1.0, -1.0], size // 2)
        noise *= 0.1 / noise.std(ddof=1)  # a variance of 0.01 each
        played = np.stack([np.zeros(size), 0.03 + noise])
        assert _best(np.array([0.5, 0.5 - loss]), played) == wanted, (size, loss)


def test_networks_judge_after_as_many_own_turns_as_were_asked_for() -> None:
    """Before a draw the turn that it begins is the first, before a discard the next one is; then so many are judged."""
    game = cardai.game("gin")
    player = ValuePlayer(values()).for_game(game)
    styles = values().unknown()
    seen = set()
    for view, legal in views_of_a_match(2):
        phase, own = int(view["phase"][0]), int(view["own_turns"][0])
        if phase not in (DISCARD, DRAW) or (phase, own > 2) in seen:
            continue
        seen.add((phase, own > 2))
        plain = unpack_view(game.view_fields, view[0])
        odds = weights_for(game, plain, styles @ values().belief)
        for turns in (1, 2):
            search = Rollouts(player, game, LEAGUE, 0, 0.0, turns)
            judged: list[int] = []
            judge = search._judged

            def noted(views: Any, legal: Any, styles: Any, until: int, judge: Any = judge, judged: Any = judged) -> Any:
                out = judge(views, legal, styles, until)
                judged += views["own_turns"][~np.isnan(out)].tolist()
                return out

            search._judged = noted  # type: ignore[method-assign]
            search._played(plain, odds, np.flatnonzero(legal[0])[:1], 8, 3, styles)
            assert set(judged) <= {own + turns + (phase == DRAW)}
            assert judged or own > 2
    assert len(seen) >= 3
