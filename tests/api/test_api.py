"""The Python face: names that are shown, results that print, hands that draw themselves, functions that play."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.errors import CardaiError, UsageError
from tests.commands.conftest import Call


class Caller(ScalarAgent):
    """Calls in any betting game."""

    def choose(self, view: Any, legal: list[int], rng: Any) -> int:
        return 1


def test_completion_shows_the_names_of_the_face_and_nothing_else() -> None:
    program = "import cardai; print(*[n for n in dir(cardai) if not n.startswith('_')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    shown = [
        "agent",
        "bridges",
        "encoder",
        "evaluate",
        "game",
        "hookimpl",
        "load_run",
        "make_env",
        "play",
        "selfplay_env",
        "solve",
        "solve_spot",
        "to_openspiel",
        "tournament",
        "train",
        "trainer",
        "vector_env",
    ]
    assert done.stdout.split() == shown
    assert all(hasattr(cardai, name) for name in shown)


def test_a_result_prints_as_the_commands_table(command: Call) -> None:
    printed = command("run", "-g", "kuhn", "-a", "random", "--vs", "random", "-n", "40", "--seed", "3").out.splitlines()
    result = cardai.play("kuhn", ["random", "random"], games=40, seed=3)
    ours = str(result).splitlines()
    assert ours[:-1] == printed[: len(ours) - 1]
    assert ours[-1] == "± is half a 95% interval."
    assert repr(result) == str(result)


def test_a_tournament_prints_as_the_commands_crosstable(command: Call) -> None:
    agents = ["random", "always_call", "always_raise"]
    words = [word for agent in agents for word in ("-a", agent)]
    printed = command("tournament", "-g", "leduc", *words, "-n", "20").out
    assert str(cardai.tournament("leduc", agents, games=20)) == printed.rstrip("\n")


def test_results_are_tables_in_a_notebook_and_names_are_escaped() -> None:
    def bold(view: Any, legal: list[int]) -> int:
        return legal[-1]

    bold.__name__ = "<b>"
    result = cardai.play("kuhn", [bold, "random"], games=4)
    text = result._repr_html_()
    assert text.count("<tr>") == 1 + 2  # the heading, games won, the mean
    assert "<th>&lt;b&gt;</th>" in text
    assert "<b>" not in text
    crosstable = cardai.tournament("kuhn", [bold, "random"], games=4)._repr_html_()
    assert crosstable.count("<tr>") == 1 + 2


def test_a_function_plays_as_the_class_does() -> None:
    def caller(view: Any, legal: list[int], rng: Any) -> int:
        return 1

    by_class = cardai.play("leduc", [Caller(), "random"], games=20, seed=5)
    by_function = cardai.play("leduc", [caller, "random"], games=20, seed=5)
    short = cardai.play("leduc", [lambda view, legal: 1, "random"], games=20, seed=5)
    assert by_function.agents == ("caller", "random")
    assert by_class.scores.tolist() == by_function.scores.tolist() == short.scores.tolist()


def test_a_function_gets_the_seeds_random_numbers() -> None:
    def some(view: Any, legal: list[int], rng: Any) -> int:
        return rng.choice(legal)

    first, again, other = (cardai.play("kuhn", [some, some], games=40, seed=s, duplicate=False) for s in (1, 1, 2))
    assert first.scores.tolist() == again.scores.tolist() != other.scores.tolist()


@pytest.mark.parametrize("game", ["kuhn", "leduc", "gin", "holdem_nolimit", "triple_draw", "video_poker"])
def test_every_hand_draws_itself_from_the_deal_to_the_end(game: str) -> None:
    played = cardai.game(game)
    state = played.new_initial_state()
    assert str(state).startswith("chance to act\n")
    while not state.is_terminal():
        actions = state.legal_actions()
        if not state.is_chance_node():
            assert str(state).startswith(f"seat {state.current_player()} to act\n")
        state.apply_action(actions[len(actions) // 2])
    returns = ", ".join(f"seat {seat} {result:+g}" for seat, result in enumerate(state.returns()))
    assert str(state).splitlines()[0] == f"over: {returns}"


def test_a_drawn_hand_shows_what_each_seat_holds_and_no_more_once() -> None:
    state = cardai.game("kuhn").new_initial_state()
    for action in (2, 0, 1):  # king to seat 0, jack to seat 1, a bet
        state.apply_action(action)
    assert str(state) == "seat 1 to act\ncard     jack\nhistory  bet\nseat 0 has king"
    assert str(state.clone()) == str(state)


def test_a_state_that_does_not_say_its_game_shows_its_view() -> None:
    state = cardai.game("kuhn").new_initial_state()
    state.game = None
    state.apply_action(0)
    state.apply_action(1)
    assert str(state) == "seat 0 to act\nplayer  0\ncard  0\nhistory  []"


def test_a_strategy_is_probabilities_by_name() -> None:
    state = cardai.game("leduc").new_initial_state()
    state.apply_action(0)
    state.apply_action(3)
    assert cardai.agent("random").strategy(state) == {"check or call": 0.5, "bet or raise": 0.5}
    state.apply_action(2)
    third = cardai.agent("random").strategy(state)
    assert third == pytest.approx({"fold": 1 / 3, "check or call": 1 / 3, "bet or raise": 1 / 3})
    assert cardai.agent("always_fold").strategy(state)["fold"] == 1


def test_a_strategy_is_that_of_the_seat_to_act() -> None:
    """Seat 0 holds the jack, seat 1 the king: who looks at his own card passes the one and bets the other."""

    class ByCard(Agent):
        def policy(self, views: Any, legal: Any) -> Any:
            bets = (views["card"] == 2).astype(float)
            return np.stack([1 - bets, bets], axis=1)

    state = cardai.game("kuhn").new_initial_state()
    for action in (0, 2):
        state.apply_action(action)
    assert ByCard().strategy(state) == {"pass": 1.0, "bet": 0.0}
    state.apply_action(0)
    assert ByCard().strategy(state) == {"pass": 0.0, "bet": 1.0}


def test_a_strategy_of_amounts_names_the_three_kinds() -> None:
    game = cardai.game("holdem_nolimit")
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    mix = cardai.agent("mix", fold=1.0, call=1.0, raises=2.0).strategy(state)
    assert list(mix.values()) == pytest.approx([0.25, 0.25, 0.5])
    assert list(mix)[2] == "raise"


def test_gin_rules_decides_so_it_has_no_strategy_to_show() -> None:
    state = cardai.game("kuhn").new_initial_state()
    with pytest.raises(UsageError, match="chance's turn"):
        cardai.agent("random").strategy(state)
    state.apply_action(0)
    state.apply_action(1)
    with pytest.raises(UsageError, match="chooses single actions and says no probabilities"):
        Caller().strategy(state)
    state.game = None
    with pytest.raises(UsageError, match=r"Call strategy\(state, game\)"):
        cardai.agent("random").strategy(state)
    assert cardai.agent("random").strategy(state, cardai.game("kuhn")) == {"pass": 0.5, "bet": 0.5}


WRONG = {
    "a game without its brackets": (
        lambda: cardai.play(cardai.game, ["random", "random"]),
        "Got the function game instead: write game(...) to call it.",
    ),
    "one agent instead of a list": (lambda: cardai.play("kuhn", "random"), "The agents must be a list"),
    "a class instead of a player": (
        lambda: cardai.play("kuhn", [Caller, "random"]),
        "Got the class Caller instead: write Caller(...)",
    ),
    "a number as a player": (lambda: cardai.play("kuhn", [3, "random"]), "Got 3 instead."),
    "a function of other arguments": (
        lambda: cardai.play("kuhn", [lambda view: 0, "random"]),
        "takes (view, legal, rng) or (view, legal) and returns an action",
    ),
    "half a game": (lambda: cardai.play("kuhn", ["random", "random"], games=2.5), "Got 2.5 instead."),
    "a state without its brackets": (
        lambda: cardai.agent("random").strategy(cardai.game("leduc").new_initial_state),
        "Got the function new_initial_state instead",
    ),
    "a game's name that is a number": (lambda: cardai.game(3), "The name of a game must be a text. Got 3 instead."),
    "an action's name": (
        lambda: cardai.game("leduc").new_initial_state().apply_action("call"),
        "action_from_string finds it by name",
    ),
    "an amount's name": (lambda: first_decision("holdem_nolimit").apply_action("pot"), "Got 'pot' instead."),
    "one table's number alone": (lambda: cardai.game("leduc").tables(2).legal(0), "Rows must be a list or array"),
    "a table that is not there": (lambda: cardai.game("leduc").tables(2).views(0, [5]), "0 to 1. Got 5"),
    "a table before the first": (lambda: cardai.game("gin").tables(2).views(0, [-1]), "0 to 1. Got -1"),
    "a seat that is not there": (lambda: cardai.game("gin").tables(2).views(2, [0]), "There is no seat 2."),
    "one seed for two tables": (lambda: cardai.game("leduc").tables(2).reset(5), "The seeds of reset must be 2"),
    "one seed for two gin tables": (lambda: cardai.game("gin").tables(2).reset([5]), "The seeds of reset must be 2"),
    "a trainer without its brackets": (
        lambda: cardai.train(cardai.trainer, "leduc", steps=3),
        "Got the function trainer instead",
    ),
    "a training without an end": (lambda: cardai.train("cfr", "leduc"), "give steps=N or minutes=N"),
    "a seed that is no number": (
        lambda: cardai.play("kuhn", ["random", "random"], games=2, seed="x"),  # type: ignore[arg-type]
        "The seed must be a whole number. Got 'x' instead.",
    ),
    "a tournament's seed": (
        lambda: cardai.tournament("kuhn", ["random", "best_response"], seed=0.5),  # type: ignore[arg-type]
        "The seed must be a whole number. Got 0.5 instead.",
    ),
    "tables that are no number": (
        lambda: cardai.vector_env("kuhn", "a"),  # type: ignore[arg-type]
        "num_envs must be a whole number. Got 'a' instead.",
    ),
    "tables of a number for a game": (lambda: cardai.selfplay_env(5), "A game must be a name with options"),  # type: ignore[arg-type]
    "a number for an encoder": (
        lambda: cardai.selfplay_env("kuhn", encoder=5),  # type: ignore[arg-type]
        "An encoder must be a name with options",
    ),
    "a number for an opponent": (
        lambda: cardai.make_env("kuhn", opponent=5),  # type: ignore[arg-type]
        "An agent must be a name with options",
    ),
    "a seat that is a text": (lambda: cardai.make_env("kuhn", "a"), "seat must be a whole number. Got 'a' instead."),  # type: ignore[arg-type]
    "self-play without a seed": (
        lambda: cardai.selfplay_env("kuhn").reset(None),  # type: ignore[arg-type]
        "The seed must be a whole number. Got None instead.",
    ),
    "a network without an encoder": (lambda: cardai.train("nfsp", "leduc", steps=3), "needs an encoder"),
}


def first_decision(game: str) -> Any:
    state = cardai.game(game).new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return state


@pytest.mark.parametrize("call", WRONG)
def test_a_mistake_gets_a_sentence(call: str) -> None:
    mistake, sentence = WRONG[call]
    with pytest.raises(CardaiError) as said:
        mistake()
    assert sentence in str(said.value)


def test_numbers_may_be_numpys() -> None:
    """Seeds above all, which overflowed where they are hashed; a function is a player at every table."""
    found = [cardai.play("kuhn", ["random"] * 2, games=kind(20), seed=kind(3)).hands for kind in (int, np.int64)]
    assert np.array_equal(*found)
    assert cardai.train("cfr", "kuhn", steps=np.int64(2), seed=np.int32(1)).step == 2

    def last(view: Any, legal: list[int], rng: Any) -> int:
        return legal[-1]

    env = cardai.make_env("kuhn", np.int64(1), opponent=last)
    assert np.array_equal(env.reset(seed=1)[0], cardai.make_env("kuhn", 1, [last]).reset(seed=1)[0])
    codes = []
    for kind in (int, np.int64):
        tables, one = cardai.selfplay_env("kuhn", kind(2)), cardai.bridges.pettingzoo.raw_env("kuhn")
        tables.reset(kind(5))
        one.reset(seed=kind(5))
        codes.append([*tables.observations, one.observe("player_0")["observation"]])
    assert np.array_equal(*codes)


def test_actions_may_be_a_list_and_are_checked_one_for_each_table() -> None:
    tables = cardai.game("leduc").tables(2)
    tables.reset([1, 2])
    with pytest.raises(UsageError, match=r"Actions must be 2, one a table\. Got 1"):
        tables.apply([0, 1], [1])
    tables.apply([0, 1], [1, 1])
    assert tables.current_players().tolist() == [1, 1]


def test_an_exact_measure_prints_as_the_command_does(command: Call) -> None:
    printed = command("evaluate", "exploitability", "-g", "kuhn", "-a", "random").out.splitlines()
    measured = cardai.evaluate("kuhn", "random")
    assert str(measured).splitlines()[0] == printed[0]
    assert [line.split() for line in str(measured).splitlines()] == [line.split() for line in printed]
    said = json.loads(command("evaluate", "exploitability", "-g", "kuhn", "-a", "random", "--json").out)
    assert measured.exploitability == said["exploitability"]
    assert measured.nash_conv == said["nash_conv"]
    assert measured._repr_html_().count("<tr>") == 1 + 2
