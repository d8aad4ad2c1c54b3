"""Exact measures: published fixtures, OpenSpiel's numbers for any policy, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest

import cardai
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import Views
from cardai.core.game import Game, Legal
from cardai.core.progress import listening
from cardai.core.registry import create
from cardai.solve import tree
from cardai.solve.measures import (
    Measured,
    expected_value,
    exploitability,
    head_to_head,
    measure,
    nash_conv,
    profile,
)
from cardai.solve.sequence_form import behaviour_of, behaviour_of_plan, game_form, plan_of, policy_table
from cardai.solve.tabular import TabularAgent
from cardai.solve.tree import game_tree
from cardai.solve.values import best_response
from tests.solve.small_games import Hide
from tests.solve.spiel import SpielGame, spiel_policy

LEDUC_VALUE = -0.085606424  # by CFR+ to 1e-9, and by the linear program in the last test
FOLD, CALL, RAISE = 0, 1, 2


class Prefers(Agent):
    """Plays the first of its favourite actions that is legal; with none, all alike."""

    def __init__(self, *favourites: int) -> None:
        self.favourites = favourites

    def policy(self, views: Views, legal: Legal) -> Any:
        assert isinstance(legal, np.ndarray)
        out = legal / legal.sum(axis=1, keepdims=True)
        for action in reversed(self.favourites):
            out[legal[:, action]] = np.eye(legal.shape[1])[action]
        return out


def random_agent(game: Game, seed: int) -> TabularAgent:
    """Return an agent with random probabilities, some of them 0."""
    tree = game_tree(game)
    weights = np.random.default_rng(seed).random(tree.infosets.legal.shape) ** 3 + 1e-3
    weights[weights < 0.05] = 0
    weights = np.where(tree.infosets.legal, weights, 0) + 1e-12 * tree.infosets.legal
    return TabularAgent(game, tree.infosets.views, weights / weights.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("agent", "known"),
    [
        # measured through OpenSpiel 2.0.2's exploitability
        (Prefers(), 2.373611111),
        (Prefers(RAISE, CALL), 2.366666667),
        (Prefers(CALL), 1.466666667),
        (Prefers(FOLD, CALL), 1.0),
    ],
    ids=["uniform", "always raise", "always call", "always fold"],
)
def test_trivial_players_of_leduc_have_their_known_exploitability(agent: Agent, known: float) -> None:
    assert exploitability(cardai.game("leduc"), agent) == pytest.approx(known, abs=1e-9)
    assert nash_conv(cardai.game("leduc:suits=false"), agent) == pytest.approx(2 * known, abs=1e-8)


def test_best_responses_to_uniform_leduc_have_their_known_values() -> None:
    measured = measure(cardai.game("leduc"), Prefers())
    assert measured.best_response == pytest.approx((2.0875, 2.659722222), abs=1e-9)


def test_uniform_deepstack_leduc_in_both_units() -> None:
    # DeepStack-Leduc's tutorial prints "a bit over 175 chips": its 36 pairs of cards include the 6 that share a card,
    # so its unnormalised unit is 30/36 of a dealt hand
    chips = exploitability(cardai.game("leduc_deepstack"), Prefers())
    assert chips == pytest.approx(210.625, abs=1e-9)
    assert chips * 5 / 6 == pytest.approx(175.5208333, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "spiel"), [("kuhn", "kuhn_poker"), ("leduc", "leduc_poker")])
def test_random_policies_are_worth_what_openspiel_says(name: str, spiel: str, seed: int) -> None:
    game, theirs = cardai.game(name), pyspiel.load_game(spiel)
    tree, agent = game_tree(game), random_agent(game, seed)
    measured = measure(game, agent)
    table = policy_table(tree, profile(game, agent))
    policy = spiel_policy(tree, theirs, table)
    assert measured.exploitability == pytest.approx(pyspiel.exploitability(theirs, policy), abs=1e-9)
    assert measured.expected == pytest.approx(
        pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, False), abs=1e-9
    )


def test_three_players_nash_conv_is_openspiels() -> None:
    game, theirs = SpielGame("kuhn_poker(players=3)"), pyspiel.load_game("kuhn_poker(players=3)")
    agent = random_agent(game, 5)
    policy = spiel_policy(game_tree(game), theirs, policy_table(game_tree(game), profile(game, agent)))
    assert nash_conv(game, agent) == pytest.approx(pyspiel.nash_conv(theirs, policy), abs=1e-9)
    measured = measure(game, agent)
    assert len(measured.best_response) == 3
    assert exploitability(game, agent) == measured.exploitability == pytest.approx(measured.nash_conv / 3, abs=1e-15)


def test_exploitability_is_nash_conv_over_the_number_of_seats() -> None:
    assert Measured(expected=(0.0, 1.0, -1.0), best_response=(1.0, 3.0, 2.0)).nash_conv == 6.0
    assert Measured(expected=(0.0, 1.0, -1.0), best_response=(1.0, 3.0, 2.0)).exploitability == 2.0
    assert Measured(expected=(1.0, -1.0), best_response=(2.0, 0.0)).exploitability == 1.0


def test_a_best_response_plays_the_first_of_equals() -> None:
    # a seeker who looks in one place leaves the two others equally good to hide in
    def answer(*favourites: int) -> list[list[float]]:
        game = Hide()
        tree = game_tree(game)
        return best_response(game, Prefers(*favourites)).policy(tree.infosets.views, tree.infosets.legal).tolist()

    assert answer(0) == [[0, 1, 0], [1, 0, 0]]
    assert answer(1) == [[1, 0, 0], [0, 1, 0]]
    assert answer(2) == [[1, 0, 0], [0, 0, 1]]


@pytest.mark.long("leduc")
@pytest.mark.parametrize(
    ("name", "value"), [("kuhn", -1 / 18), ("leduc", LEDUC_VALUE), ("leduc:suits=false", LEDUC_VALUE)]
)
def test_solved_games_have_their_known_value(name: str, value: float) -> None:
    training = create("trainer", "pdcfr_plus").start(cardai.game(name), None, 0)
    for _ in training.train(25_000):
        pass
    measured = measure(cardai.game(name), training.agent({}))
    assert measured.exploitability < 2e-8
    assert measured.expected[0] == pytest.approx(value, abs=2e-8)


def test_expected_values_of_two_players_are_openspiels() -> None:
    game, theirs = cardai.game("leduc"), pyspiel.load_game("leduc_poker")
    first, second = random_agent(game, 1), random_agent(game, 2)
    policies = [
        spiel_policy(game_tree(game), theirs, policy_table(game_tree(game), profile(game, a))) for a in (first, second)
    ]
    wanted = pyspiel.expected_returns(theirs.new_initial_state(), policies, -1, False)
    assert expected_value(game, [first, second]) == pytest.approx(wanted, abs=1e-9)


def test_head_to_head_is_the_mean_over_seats_and_antisymmetric() -> None:
    game = cardai.game("kuhn")
    first, second = random_agent(game, 1), random_agent(game, 2)
    here, there = expected_value(game, [first, second]), expected_value(game, [second, first])
    assert head_to_head(game, first, second) == pytest.approx((here[0] + there[1]) / 2)
    assert head_to_head(game, second, first) == pytest.approx(-head_to_head(game, first, second))


def test_a_behaviour_survives_the_way_through_plans_and_tables() -> None:
    game = cardai.game("leduc")
    tree, form = game_form(game)
    behaviour = profile(game, random_agent(game, 3))
    reached = plan_of(form, behaviour) > 0
    assert np.allclose(behaviour_of_plan(form, plan_of(form, behaviour))[reached], behaviour[reached])
    assert np.array_equal(behaviour_of(tree, policy_table(tree, behaviour)), behaviour)


def test_the_policy_is_asked_once_for_all_information_sets() -> None:
    asked = []

    class Counts(Prefers):
        def policy(self, views: Views, legal: Legal) -> Any:
            asked.append(len(views))
            return super().policy(views, legal)

    exploitability(cardai.game("leduc"), Counts())
    assert asked == [936]


def test_stateful_agents_and_those_without_a_policy_are_refused_by_name() -> None:
    class Remembers(Prefers):
        stateful = True

    class OnlyActs(Agent):
        pass

    class Chooses(ScalarAgent):
        pass

    with pytest.raises(UsageError, match="The agent Remembers is stateful"):
        exploitability(cardai.game("kuhn"), Remembers())
    with pytest.raises(UsageError, match="The agent OnlyActs has no policy"):
        exploitability(cardai.game("kuhn"), OnlyActs())
    with pytest.raises(UsageError, match="The agent Chooses has no policy"):
        exploitability(cardai.game("kuhn"), Chooses())
    with pytest.raises(UsageError, match="The agent my_bot has no policy"):
        exploitability(cardai.game("kuhn"), OnlyActs(), "my_bot")


def _below_zero(legal: Any) -> Any:
    """Return rows that sum to 1 over the legal actions, with a negative probability in each."""
    out = np.zeros(legal.shape)
    for row, allowed in zip(out, legal, strict=True):
        row[np.flatnonzero(allowed)[:2]] = [-0.5, 1.5]
    return out


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda legal: legal * 1.0, "must be probabilities"),
        (lambda legal: -1.0 * legal / legal.sum(axis=1, keepdims=True), "must be probabilities"),
        (lambda legal: np.full(legal.shape, np.nan), "must be probabilities"),
        (lambda legal: np.full(legal.shape, 1 / legal.shape[1]), "must be probabilities over the legal actions"),
        (lambda legal: _below_zero(legal), "must be probabilities"),
        (lambda legal: np.ones((len(legal), 1)), "must have the shape"),
    ],
)
def test_wrong_answers_are_refused(answer: Any, message: str) -> None:
    class Wrong(Agent):
        def policy(self, views: Views, legal: Legal) -> Any:
            return answer(legal)

    with pytest.raises(AgentError, match=f"The policy of Wrong {message}"):
        exploitability(cardai.game("leduc"), Wrong())


def test_a_wrong_number_of_agents_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Kuhn has 2 seats\. Got 1 agents"):
        expected_value(cardai.game("kuhn"), [Prefers()])


@pytest.mark.parametrize(("name", "value"), [("kuhn", -1 / 18), ("leduc:suits=false", LEDUC_VALUE)])
def test_the_value_is_that_of_the_sequence_forms_linear_program(name: str, value: float) -> None:
    # Koller, Megiddo and von Stengel 1996: max q0 subject to F'q <= A'x, Ex = e, x >= 0
    optimize, sparse = pytest.importorskip("scipy.optimize"), pytest.importorskip("scipy.sparse")
    tree, form = game_form(cardai.game(name))
    starts = tree.infosets.sequence_start
    widths = np.diff(starts)

    def constraints(player: int) -> Any:
        first, last = tree.infosets.start[player : player + 2]
        rows = np.zeros((last - first + 1, widths[player]))
        rows[0, 0] = 1
        for k, i in enumerate(range(first, last), 1):
            rows[k, int(form.parent[i]) - starts[player]] = -1
            rows[k, int(form.first[i]) - starts[player] : int(form.end[i]) - starts[player]] = 1
        return sparse.csr_matrix(rows)

    e, f = constraints(0), constraints(1)
    cells = form.row_start[widths[0]]
    rows = np.repeat(np.arange(widths[0]), np.diff(form.row_start[: widths[0] + 1]))
    columns = form.others[:cells, 0].astype(int) - starts[1]
    payoff = sparse.csr_matrix((form.payoff[:cells], (rows, columns)), shape=tuple(widths))
    goal = np.zeros(widths[0] + f.shape[0])
    goal[widths[0]] = -1
    solution = optimize.linprog(
        goal,
        A_ub=sparse.hstack([-payoff.T, f.T]),
        b_ub=np.zeros(widths[1]),
        A_eq=sparse.hstack([e, sparse.csr_matrix((e.shape[0], f.shape[0]))]),
        b_eq=np.eye(e.shape[0])[0],
        bounds=[(0, None)] * widths[0] + [(None, None)] * f.shape[0],
        method="highs",
    )
    assert -solution.fun == pytest.approx(value, abs=1e-9)


class HalfAndHalf(ScalarAgent):
    """A player of one table at a time that says its probabilities too."""

    def policy(self, views: Views, legal: Legal) -> Any:
        assert isinstance(legal, np.ndarray)
        return legal / legal.sum(axis=1, keepdims=True)


class FirstOfHalves(HalfAndHalf):
    """The same, but what it plays it says by a method of its own."""

    def choose(self, view: Any, legal: list[int], rng: Any) -> int:
        return legal[0]


def test_a_scalar_agent_with_a_policy_is_measured_by_it_and_plays_by_it() -> None:
    game = cardai.game("leduc")
    assert exploitability(game, HalfAndHalf()) == pytest.approx(exploitability(game, cardai.agent("random")))
    alike = [cardai.play(game, [agent, "always_call"], games=20, seed=3).hands for agent in (HalfAndHalf(), "random")]
    assert np.array_equal(alike[0]["returns"].shape, alike[1]["returns"].shape)
    folds = cardai.play(game, [FirstOfHalves(), "always_raise"], games=20, seed=3)
    assert (folds.hands["returns"].min(axis=1) == -1).all(), "action 0 folds: only the ante is lost"


def test_a_scalar_agent_without_a_policy_is_refused() -> None:
    class Chooses(ScalarAgent):
        def choose(self, view: Any, legal: list[int], rng: Any) -> int:
            return legal[0]

    with pytest.raises(UsageError, match="The agent Chooses has no policy"):
        exploitability(cardai.game("kuhn"), Chooses())


def test_a_long_walk_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, int, int]] = []
    monkeypatch.setattr(tree, "_TOLD_EVERY", 1000)
    with listening(lambda *told: heard.append(told)):
        made = tree.build_tree(cardai.game("leduc"))
    parts = [done / total for _, done, total in heard]
    assert len(parts) == len(made.terminals) // 1000 + 1
    assert parts == sorted(parts)
    assert parts[-1] == 1
    assert parts[-2] < 1
    assert all(label == "walking the tree of Leduc" for label, _, _ in heard)
