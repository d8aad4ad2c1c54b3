"""A spot as a game, and its solution as a player of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import pair_index
from cardai.poker.ranges.reading import noise_at
from cardai.poker.ranges.solution import load, prepare, solve
from cardai.poker.ranges.spot import Spot
from cardai.poker.ranges.spot_game import SMALL, SpotGame
from cardai.solve.measures import measure
from cardai.study.judge import judge_for
from tests.support import checks_passed


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spot")
    solve(prepare(SMALL), 0.5, 1000).save(path)
    return path


def test_the_player_is_as_exploitable_as_the_solver_says(directory: Path) -> None:
    solution = prepare(SMALL)
    solve(solution, 0.5, 1000)
    game = cardai.game("holdem_spot", directory=str(directory))
    found = measure(game, cardai.agent("solved_spot", directory=str(directory)))
    assert found.exploitability == pytest.approx(solution.exploitability, abs=1e-3)  # the pot has 100 chips; float32
    assert found.expected[0] == pytest.approx(solution.values[0] - 50, abs=1e-3)


def test_it_plays_a_turn_with_cards_to_come_and_wins_from_chance(tmp_path: Path) -> None:
    solve(prepare(Spot("Ks7s4s2h", 100, (150, 150), ("QQ+,AKs,T9s", "JJ,AQs,76s"), "1+allin")), 1.0, 500).save(tmp_path)
    game = cardai.game("holdem_spot", directory=str(tmp_path))
    player = cardai.agent("solved_spot", directory=str(tmp_path))
    result = cardai.play(game, [player, "random"], games=400, seed=1)
    assert result.mean_return(0).low > 0


def test_it_refuses_other_games_by_name(directory: Path) -> None:
    player = cardai.agent("solved_spot", directory=str(directory))
    with pytest.raises(UsageError, match="plays the game of its own spot, holdem_spot:directory="):
        player.for_game(cardai.game("leduc"))
    with pytest.raises(UsageError, match="needs a solved spot"):
        cardai.agent("solved_spot").for_game(cardai.game("holdem_spot"))


def test_it_judges_by_best_play_behind_an_action(directory: Path) -> None:
    """The best action's value at the beginning, over all hands, is what a best response earns (and half the pot)."""
    game, player = cardai.game("holdem_spot", directory=str(directory)), cardai.agent("solved_spot")
    judge, solution, count = judge_for(game, "solved_spot"), load(directory), 400
    tables, all_rows = game.tables(count), np.arange(count)
    tables.reset(np.arange(count, dtype=np.uint64))
    views = tables.views(0, all_rows)
    values, noise = judge.values(views, tables.legal(all_rows))
    assert np.unique(noise) == pytest.approx(
        [solution.exploitability]
    )  # the pot has 100 chips, and all of both ranges is here
    hands = pair_index(views["hole"][:, 0], views["hole"][:, 1])
    best = dict(zip(hands.tolist(), np.nanmax(values, axis=1).tolist(), strict=True))
    odds = dict(game.new_initial_state().chance_outcomes())
    assert best.keys() == odds.keys()
    assert sum(odds[hand] * best[hand] for hand in odds) - 50 == pytest.approx(
        measure(game, player).best_response[0], abs=1e-3
    )
    tables.apply(all_rows, np.full(count, 2))
    noise = judge.values(tables.views(1, all_rows), tables.legal(all_rows))[1]
    assert np.unique(noise) == pytest.approx([noise_at(solution, solution.at("b100"))])
    assert noise.min() > 2 * solution.exploitability  # few hands bet


class Cents(SpotGame):
    spot = Spot("KsTh7s4d2c", 10.55, (60.25, 50), ("KTs,77", "AA,KQo"), "1+allin")


def test_cents_are_chips_to_people_and_in_what_is_won() -> None:
    state, hands = Cents().new_initial_state(), 2
    for _ in range(hands):
        state.apply_action(state.legal_actions()[0])
    state.apply_action(2)  # a bet of the pot
    assert Cents().in_chips(state.view(1))["to_call"] == 10.55
    told = Cents().reasons(state.view(1), 1, 0)[0].words
    assert told == "A call of 10.55 plays for a pot of 31.65: it needs 33% of it to be even."
    state.apply_action(0)
    assert state.returns() == [5.275, -5.275]
    assert Cents().max_utility == 50 + 5.275


def test_actions_are_told_with_their_chips() -> None:
    game = cardai.game("holdem_spot")
    state = game.new_initial_state()
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    assert [game.action_words(a, state.view(0)) for a in state.legal_actions()] == ["check", "bet 100", "all-in 150"]
    state.apply_action(2)
    assert [game.action_words(a, state.view(1)) for a in state.legal_actions()] == ["fold", "call 100", "all-in 150"]


def test_a_view_counts_the_bets_and_raises_of_its_street_alone() -> None:
    game = cardai.game("holdem_spot")
    state = game.new_initial_state()
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    raises = [state.view(0)["raises"]]
    for action in (1, 2, 2):  # a check, a bet, a raise
        state.apply_action(action)
        raises.append(state.view(0)["raises"])
    assert raises == [0, 0, 1, 2]


def test_it_conforms(directory: Path) -> None:
    assert checks_passed("agent", f"solved_spot:directory={directory}", f"holdem_spot:directory={directory}") > 5


@pytest.mark.parametrize(("more", "said"), [({"checked_down": True}, "checked down"), ({"rake": 0.05}, "with rake")])
def test_a_spot_that_is_no_whole_game_is_not_played(more: dict[str, float], said: str, tmp_path: Path) -> None:
    """The match of one whose later streets are checked down stopped where its solution had no decision."""
    solution = prepare(Spot("KsTh7s4d", 20, (20, 20), ("QQ,AsAh", "KcKd,JJ"), "1", **more))
    solve(solution, 50.0, 1)
    solution.save(tmp_path)
    player = f"solved_spot:directory={tmp_path}"
    with pytest.raises(UsageError, match=f"{said}.* solve it without"):
        cardai.play(f"holdem_spot:directory={tmp_path}", [player, "random"], games=2, seed=1)
