"""The judge's word is tested: planted mistakes are found and ranked, perfect play has none, and values are what they are called."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai import make
from cardai.arena import match, records
from cardai.arena.records import RecordFile
from cardai.arena.table import Table
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.fields import pack_views
from cardai.draw.actions import HOLDS
from cardai.gin.actions import DISCARD
from cardai.gin.melds import deadwoods
from cardai.study.graded import Decision, GradedHand
from cardai.study.judge import judge_for, judges
from cardai.study.review import Review
from cardai.study.session import job_of, run

PLANTED = 20


def reviewed(file: Path, game: str, agents: list[str], games: int) -> Review:
    """Return a review of the first of ``agents`` over a match that is played for it."""
    match.play(game, agents, games=games, seed=3, record=file)
    made = make.game(game)
    review, whole = run(job_of(records.read(file), made, agents[0], judge_for(made)))
    assert whole
    return review


def planted(game: str, seats: list[Agent], wrong: Any, skip: int) -> tuple[Review, set[tuple[int, int]]]:
    """Return a review of the first of ``seats``, who errs ``PLANTED`` times as ``wrong`` says, and where he did.

    ``wrong(view)`` returns a mistaken action, or None where there is none to be made; each ``skip``-th chance is taken.
    """
    made = make.game(game)
    table = Table(made, [None] * made.num_players, seed=5, groups=count(), names=["hero", "other"][: made.num_players])
    bound = [seat.for_game(made) for seat in seats]
    errors: set[tuple[int, int]] = set()
    chances = 0
    while len(errors) < PLANTED or not table.hand_over:
        if table.hand_over:
            table.next_hand()
            continue
        player = table.player_at(table.to_act or 0)
        action = table.ask(bound[player])
        if player == 0 and len(errors) < PLANTED:
            other = wrong(table.view())
            chances += other is not None
            if other is not None and chances % skip == 0:
                errors.add((len(table.records) + 1, len(table.moves)))
                action = other
        table.act(action)
    file = RecordFile({"game": game, "agents": table.names}, list(table.records))
    return run(job_of(file, made, "hero", judge_for(made)))[0], errors


def places(pairs: list[tuple[GradedHand, Decision]]) -> set[tuple[int, int]]:
    return {(hand.number, decision.place) for hand, decision in pairs}


def breaks_a_hand_that_could_knock(view: dict[str, Any]) -> int | None:
    """Return the discard that leaves the most deadwood, where with another one could knock and the hand is not nearly over."""
    if view["phase"] != DISCARD or view["stock"] < 10:
        return None
    hand = int(view["hand"])
    cards = [card for card in range(52) if hand >> card & 1 and card != view["taken_card"]]
    left = deadwoods(np.array([hand & ~(1 << card) for card in cards], np.uint64))
    return cards[int(left.argmax())] if left.min() <= 10 and left.max() >= 30 else None


def throws_everything_away(view: dict[str, Any]) -> int | None:
    """Return five new cards, for a dealt pair."""
    ranks = [card % 13 for card in view["hand"]]
    return 0 if len(set(ranks)) <= 4 else None


@pytest.mark.long
def test_all_planted_mistakes_in_gin_are_found_and_are_the_dearest() -> None:
    champion = make.agent("champion:memory=false")
    review, errors = planted("gin", [champion, champion], breaks_a_hand_that_could_knock, 1)
    found = review.dearest(PLANTED)
    assert places(found) == errors
    assert all(decision.cost > decision.floor > 0 for _, decision in found)


def test_all_planted_mistakes_in_video_poker_are_found_and_ranked_by_what_they_cost() -> None:
    review, errors = planted("video_poker", [make.agent("video_perfect")], throws_everything_away, 1)
    assert places(review.dearest()) == errors
    costs = [decision.cost for _, decision in review.dearest()]
    assert costs == sorted(costs, reverse=True)
    # a pair of jacks or better is worth 1.5365 and more, a lower one 0.8237, five new cards 0.32 to 0.37 (Wizard of Odds)
    assert 0.44 < costs[-1] < costs[0]


@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("kuhn", ["equilibrium", "random"]),
        pytest.param("leduc:suits=false", ["equilibrium", "random"], marks=pytest.mark.long),
        ("video_poker", ["video_perfect"]),
    ],
)
def test_perfect_play_has_no_mistakes(tmp_path: Path, game: str, agents: list[str]) -> None:
    review = reviewed(tmp_path / "r.jsonl", game, agents, 300)
    assert len(review.decisions) > 200
    assert review.total.cost.mean == 0
    assert review.dearest() == []
    assert review.rating == 100


def test_the_champion_has_no_mistakes_in_its_own_eyes(tmp_path: Path) -> None:
    review = reviewed(tmp_path / "r.jsonl", "gin", ["champion:memory=false", "simple"], 2)
    assert len(review.decisions) > 100
    assert review.total.cost.mean == 0


def test_values_against_an_equilibrium_are_those_of_kuhn_poker_by_hand() -> None:
    """Against the equilibrium a king that faces a bet wins 2 by calling and loses 1 by folding; a jack wins nothing by it."""
    game = make.game("kuhn")
    judge = judge_for(game, "equilibrium")
    deck = {"king": [2, 1], "jack": [0, 2]}
    for card, (mine, his) in deck.items():
        state = game.new_initial_state()
        for action in (his, mine, 1):  # seat 0 is dealt and bets
            state.apply_action(action)
        views = pack_views(game.view_fields, [state.view(1)])
        values, noise = judge.values(views, np.ones((1, 2), np.bool_))
        assert values[0, 0] == pytest.approx(-1)
        assert values[0, 1] == pytest.approx(2 if card == "king" else -2)
        assert (noise < 1e-3).all()


def test_a_best_response_judges_against_the_player_it_is_given() -> None:
    """Against one who always folds every bet wins the ante: passing a jack costs what it loses less that."""
    game = make.game("leduc")
    judge = judge_for(game, "best_response:to=always_fold")
    table = Table(game, [None, None], seed=1)
    values, noise = judge.values(table.views(), table.legal())
    assert values[0, 2] == pytest.approx(1)  # a raise: the other folds his ante
    assert not noise.any()


def test_the_best_judge_of_a_game_is_found_by_what_plugins_say_of_themselves() -> None:
    best = {game: judge_for(make.game(game)).name for game in ("kuhn", "gin", "video_poker", "triple_draw")}
    assert best == {
        "kuhn": "equilibrium",
        "gin": "champion",
        "video_poker": "video_perfect",
        "triple_draw": "ismcts",
    }
    assert [*judges()][-1] == "ismcts"


def test_whoever_has_no_values_or_no_measured_error_is_refused_by_name() -> None:
    game = make.game("kuhn")
    views, legal = Table(game, [None, None]).views(), np.ones((1, 2), np.bool_)
    with pytest.raises(UsageError, match="random has no values of actions"):
        judge_for(game, "random").values(views, legal)
    with pytest.raises(UsageError, match="is a person"):
        judge_for(game, "human")
    with pytest.raises(UsageError, match="Nobody who is installed judges"):
        judge_for(make.game("holdem_nolimit"))


def test_a_search_says_how_far_sampling_leaves_its_values_open() -> None:
    game = make.game("leduc")
    table = Table(game, [None, None], seed=2)
    few, many = (judge_for(game, f"ismcts:simulations={n}").values(table.views(), table.legal())[1] for n in (64, 1024))
    assert 0 < np.median(many) < np.median(few)


def test_all_holds_of_video_poker_have_a_value() -> None:
    game = make.game("video_poker")
    table = Table(game, [None], seed=2)
    values, noise = judge_for(game).values(table.views(), table.legal())
    assert np.isfinite(values).all()
    assert values.shape == noise.shape == (1, HOLDS)
