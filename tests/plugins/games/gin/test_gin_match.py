"""Whole gin matches: the EAAI framework's figures, even duplicates, the same records for any batch size."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardai.arena import match
from cardai.gin.actions import CAPPED, GIN, UNDERCUT, VOID


@pytest.mark.long
def test_simple_self_play_is_as_in_the_eaai_framework() -> None:
    # Simple against Simple in the EAAI framework, 20,000 games: 10.25 rounds a game, 12.53 turns a round, gin 2.09% and
    # undercut 4.32% of scored rounds, 16.24 points. Tolerances: two of the framework's and three of our standard errors.
    result = match.play("gin", ["simple", "simple"], games=4000, seed=1, duplicate=False)
    hands = result.hands
    scored = hands[hands["ending"] < VOID]
    assert abs(len(hands) / 4000 - 10.25) < 0.06 + 0.15
    assert abs(hands["turns"].mean() - 12.53) < 0.04 + 0.10
    assert abs((scored["ending"] == GIN).mean() - 0.0209) < 0.001 + 0.0022
    assert abs((scored["ending"] == UNDERCUT).mean() - 0.0432) < 0.0015 + 0.003
    assert abs(scored["points"].mean() - 16.24) < 0.10 + 0.19
    assert (hands["ending"] != CAPPED).all()


def test_a_player_against_its_clone_scores_exactly_even() -> None:
    for spec in ("simple", "heisenbot"):
        result = match.play("gin", [spec, spec], games=60, seed=2)
        assert result.win_rate(0).mean == 0.5


def test_the_same_seed_gives_the_same_records_for_any_batch_size(tmp_path: Path) -> None:
    texts = []
    for batch in (1, 7, 2048):
        file = tmp_path / f"{batch}.jsonl"
        match.play("gin", ["heisenbot", "random"], games=6, seed=5, batch=batch, record=file)
        texts.append(file.read_bytes())
    assert texts[0] == texts[1] == texts[2]


def test_the_summary_reports_the_figures_of_one_player() -> None:
    result = match.play("gin", ["heisenbot", "simple"], games=200, seed=1)
    summary = dict(result.summary(0))
    for label in ("points per round won (PPRW)", "gin", "knock", "undercut", "void rounds", "rounds a game"):
        assert "±" in summary[label]


def test_hands_that_only_take_face_up_cards_are_capped_and_not_void() -> None:
    result = match.play(
        "gin:max_turns=40,target=1", ["gin_rules:draw=random,take_chance=1,knock=7"] * 2, games=2, seed=1
    )
    assert (result.hands["ending"] == CAPPED).any()
    assert (result.hands["turns"][result.hands["ending"] == CAPPED] == 40).all()
