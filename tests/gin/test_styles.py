"""Styles at gin: what a hand tells by a slow reference, what is concluded from it, and the player that remembers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena import match
from cardai.cards.text import cards_of
from cardai.core.fields import unpack_view
from cardai.core.rng import Rows
from cardai.gin._style_kernels import EVIDENCE, STYLES
from cardai.gin.melds import deadwood
from cardai.gin.selfplay import play_hands, seats_for
from cardai.gin.styles import Tally, chances, drawn_chances, evidence, evidence_of, logs, no_styles, win_table
from cardai.gin.values import RememberingPlayer, ValueNetworks, ValuePlayer


def finished(hands: int, players: tuple[str, str]) -> list[Any]:
    """Return the last views of both seats, (hands,) each."""
    game = cardai.game("gin")
    tables: Any = game.tables(hands)
    tables.reset(np.arange(hands, dtype=np.uint64))
    agents = [cardai.agent(spec).for_game(game) for spec in players]
    while (tables.current_players() >= 0).any():
        for seat in range(2):
            rows = np.flatnonzero(tables.current_players() == seat)
            if len(rows):
                luck = Rows(rows.astype(np.uint64))
                tables.apply(rows, agents[seat].act(tables.views(seat, rows), tables.legal(rows), luck))
    return [tables.views(seat, np.arange(hands)) for seat in range(2)]


def reference(view: dict[str, Any]) -> int:
    """Return the kind of a finished hand from its turns, one after the other."""
    his = [view["history"][t] for t in range(view["turns"]) if (view["opener"] + t) % 2 != view["player"]]
    if view["knocker"] < 0:
        place = 18
    else:
        left = deadwood(cards_of(view["revealed"]))
        if view["knocker"] == view["player"]:
            place = 12 + 2 * ((left > 10) + (left > 20)) + (len(his) > 5)
        else:
            place = 4 * ((left > 0) + (left > 5)) + (len(his) > 3) + (len(his) > 6) + (len(his) > 13)
    return 3 * place + min(2, sum(event >= 52 for event in his))


def test_what_a_hand_tells_is_as_the_slow_reference_says() -> None:
    game = cardai.game("gin")
    kinds = set()
    for views in finished(400, ("gin_lookahead", "simple")) + finished(100, ("gin-only", "gin-only")):
        found = evidence(views)
        for view, kind in zip(views, found, strict=True):
            plain = unpack_view(game.view_fields, view)
            assert kind == reference(plain) == evidence_of(plain)
        kinds |= set(found.tolist())
    assert 0 <= min(kinds) <= max(kinds) < EVIDENCE
    assert len(kinds) > 30
    assert any(kind >= 54 for kind in kinds)  # void hands too


def test_chances_of_styles_are_bayes() -> None:
    styles = no_styles(3)
    styles[1, :2], styles[1, 2:] = 0.4, 0.2 / (EVIDENCE - 2)
    seen = np.where(styles[:, 0] > 0, 0.0, -np.inf)
    assert chances(seen) == pytest.approx(np.array([1, 1, 1, 0, 0, 0, 0, 0]) / 3)
    found = chances(seen + logs(styles)[:, 0] + logs(styles)[:, 1])
    even = 1 / EVIDENCE**2
    assert found[1] == pytest.approx(0.16 / (0.16 + 2 * even))
    assert found[0] == found[2]
    assert found.sum() == pytest.approx(1)


def test_what_training_makes_up_knows_more_of_distinct_styles_and_nothing_at_first() -> None:
    styles = no_styles(3)
    styles[2] = 1e-3
    styles[2, 5] = 1 - 1e-3 * (EVIDENCE - 1)
    true = np.tile([0, 1, 2], 2000)
    fresh = np.arange(6000) < 600
    found = drawn_chances(np.random.default_rng(1), styles, true, fresh)
    assert found.shape == (6000, STYLES)
    assert found[fresh][:, :3] == pytest.approx(1 / 3)
    assert not found[:, 3:].any()
    later = found[~fresh]
    assert later[true[~fresh] == 2][:, 2].mean() > 0.95
    assert later[true[~fresh] == 1][:, 1].mean() == pytest.approx(0.5, abs=0.05)  # 0 and 1 are alike


def test_a_tally_counts_each_styles_hands_and_results_and_forgets() -> None:
    tally = Tally(2)
    one, zero = np.ones(3000, np.int64), np.zeros(3000, np.int64)
    tally.note(zero, 7 * one, np.tile([20.0, -20.0, 0.0], 1000))
    tally.note(one, 9 * one, np.tile([20.0, 20.0, -20.0], 1000))
    styles, wins = tally.styles(), tally.wins()
    assert styles[:2].sum(axis=1) == pytest.approx([1, 1])
    assert styles[0].argmax() == 7
    assert styles[1].argmax() == 9
    assert not styles[2:].any()
    assert wins[0] == pytest.approx(win_table(np.array([20.0, -20.0])))
    assert wins[1] == pytest.approx(win_table(np.array([20.0, 20.0, -20.0])))
    assert wins[0, 0, 0] < wins[5, 0, 0] < wins[1, 0, 0]  # never met: as against all
    before = tally.kinds[1, 9]
    tally.note(zero, 7 * one, 10.0 * one)
    assert tally.kinds[1, 9] == pytest.approx(0.9 * before)


def test_the_player_who_remembers_learns_who_it_plays_and_starts_every_match_afresh() -> None:
    game = cardai.game("gin")
    values = ValueNetworks.start(4, 1, 3)
    for style, players in ((1, ("gin-only", "simple")), (2, ("gin-only", "gin-only"))):
        values.styles[style] = 0.5
        np.add.at(values.styles[style], evidence(finished(300, players)[0]), 1.0)
        values.styles[style] /= values.styles[style].sum()
    agent = RememberingPlayer(ValuePlayer(values).for_game(game), game)
    thought = []
    for name in ("simple", "gin-only"):
        player = agent.new_match(0)
        for view in finished(40, ("gin-only", name))[0][20:]:
            player.hand_finished(unpack_view(game.view_fields, view), [0.0, 0.0])
        thought.append(player._styles[0])
    assert thought[0][1] > 0.99
    assert thought[1][2] > 0.99
    assert agent.new_match(1)._styles[0, :3] == pytest.approx(1 / 3)


def test_copies_answer_together_as_each_by_itself() -> None:
    game = cardai.game("gin", target=40)
    values = ValueNetworks.start(4, 1, 2)
    values.styles[1] = np.linspace(1, 3, EVIDENCE) / np.linspace(1, 3, EVIDENCE).sum()
    values.head_weight[:] = np.random.default_rng(1).standard_normal(values.head_weight.shape)
    values.hidden_weight[:, -STYLES:] *= 20  # who the opponent is matters

    class Alone(RememberingPlayer):
        def act_together(self, copies: Any, views: Any, legal: Any, rng: Any) -> None:
            return None

    player = ValuePlayer(values).for_game(game)
    found = [match.play(game, [kind(player, game), "simple"], games=40, seed=1) for kind in (RememberingPlayer, Alone)]
    forgetful = match.play(game, [RememberingPlayer(player, game, memory=False), "simple"], games=40, seed=1)
    assert (found[0].hands["returns"] == found[1].hands["returns"]).all()
    assert (
        len(found[0].hands) != len(forgetful.hands) or (found[0].hands["returns"] != forgetful.hands["returns"]).any()
    )


def test_hands_of_self_play_say_who_was_met_and_what_he_showed() -> None:
    game = cardai.game("gin")
    players = [cardai.agent(spec).for_game(game) for spec in ("gin_lookahead", "gin-only", "simple")]
    seats = seats_for(np.random.default_rng(1), 300, [0, 1, 2])
    met = play_hands(game, players, seats, ValueNetworks.start(4, 1, 3), 7).met
    assert np.bincount(met.others).tolist() == [2 * (seats.max(axis=1) == 0).sum(), *np.bincount(seats.max(axis=1))[1:]]
    assert met.points[met.others == 0].sum() == 0  # both sides of it
    gin_only = met.kinds[met.others == 1] // 3
    assert not ((gin_only >= 4) & (gin_only < 12)).any()  # it never knocks with deadwood
    simple = met.kinds[met.others == 2] // 3
    assert not np.isin(simple, (12, 13)).any()  # it never holds ten or less and waits
    assert (simple < 12).mean() > 0.4
