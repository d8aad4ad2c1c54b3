"""AIVAT in small games: unbiased for any value function, and almost without spread where the values are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena.records import Record
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.registry import create
from cardai.solve.aivat import Aivat, aivat
from cardai.solve.aivat_tree import _edges, classes, corrected_returns, node_values, policy_of
from cardai.solve.tree import GameTree, game_tree


def random_policy(tree: GameTree, seed: int) -> Any:
    """Return a random policy table, every legal action above 0."""
    weights = np.random.default_rng(seed).uniform(0.05, 1, tree.infosets.legal.shape) * tree.infosets.legal
    return weights / weights.sum(axis=1, keepdims=True)


def probabilities(tree: GameTree, policy: Any) -> Any:
    """Return (N,) the probability of each node if all play ``policy``."""
    reach = np.ones(len(tree.player))
    edge = _edges(tree, policy, range(tree.num_players))
    for node in range(1, len(reach)):
        reach[node] = reach[tree.parent[node]] * edge[node]
    return reach


@pytest.mark.parametrize("game", ["kuhn", "kuhn:players=3", "leduc"])
@pytest.mark.parametrize("seat", [0, 1])
def test_its_mean_is_the_chips_mean_for_random_values_and_random_policies(game: str, seat: int) -> None:
    """All deals and histories are enumerated, so that any mistake in a weight shows (AAAI 2018, theorem 1)."""
    tree = game_tree(cardai.game(game))
    policy = random_policy(tree, seat)
    reach = probabilities(tree, policy)[tree.terminals]
    values = np.random.default_rng(9).normal(0, 5, len(tree.player))
    found = corrected_returns(tree, seat, policy, values)[tree.terminals]
    assert reach.sum() == pytest.approx(1, abs=1e-12)
    assert reach @ found == pytest.approx(reach @ tree.terminal_returns[:, seat], abs=1e-12)
    assert not np.allclose(found, tree.terminal_returns[:, seat])


def test_with_values_of_zero_and_no_private_cards_of_its_own_nothing_is_changed() -> None:
    tree = game_tree(cardai.game("kuhn"))
    policy = random_policy(tree, 3)
    found = corrected_returns(tree, 0, policy, np.zeros(len(tree.player)))
    same = classes(tree, 0)
    for node in tree.terminals:  # base alone: the mean of the chips over the cards that seat 0 could hold
        alike = [t for t in tree.terminals if same.of[t] == same.of[node]]
        assert len(alike) == 2  # of three cards the opponent has one
        reach = probabilities(tree, np.where(tree.infosets.player[:, None] == 0, policy, 1.0))
        chips = tree.terminal_returns[np.searchsorted(tree.terminals, alike), 0]
        assert found[node] == pytest.approx(reach[alike] @ chips / reach[alike].sum(), abs=1e-12)


def spread(game: Game, agent: Agent) -> tuple[float, float]:
    """Return the exact standard deviations of chips and AIVAT of ``agent`` against itself in seat 0."""
    tree = game_tree(game)
    policy = policy_of(tree, agent, 0) + policy_of(tree, agent, 1)
    reach = probabilities(tree, policy)[tree.terminals]
    values = corrected_returns(tree, 0, policy, node_values(tree, policy)[:, 0])[tree.terminals]
    met = reach > 0
    both = []
    for column in (tree.terminal_returns[met, 0], values[met]):
        both.append(float(np.sqrt(reach[met] @ (column - reach[met] @ column) ** 2)))
    return both[0], both[1]


def test_leduc_cfr_against_itself_keeps_a_hundredth_of_the_spread() -> None:
    """3.513 to 0.00643 chips in the paper's table 1 (its Leduc hold'em, CFR against itself)."""
    leduc = cardai.game("leduc")
    training = create("trainer", "pdcfr_plus").start(leduc, None, seed=0)
    for _ in training.train(400):
        pass
    chips, values = spread(leduc, training.agent({}))
    assert chips == pytest.approx(3.5, abs=0.2)
    assert values <= 0.01 * chips


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Return 40 hands of Leduc, random against always_call."""
    from cardai.arena.records import read

    file = tmp_path_factory.mktemp("aivat") / "hands.jsonl"
    cardai.play("leduc", ["random", "always_call"], games=40, seed=2, record=file)
    return read(file).hands


def test_a_record_is_found_again_in_the_tree(hands: list[Record]) -> None:
    leduc, agent = cardai.game("leduc"), cardai.agent("random")
    found = aivat(leduc, agent, hands)
    tree = game_tree(leduc)
    policy = policy_of(tree, agent, 0) + policy_of(tree, agent, 1)
    values = node_values(tree, policy)
    for hand, chips, value, seat in zip(hands, found.chips, found.values, found.seats, strict=True):
        assert chips == hand["returns"][seat]
        table = corrected_returns(tree, int(seat), policy, values[:, seat])[tree.terminals]
        own = tree.terminal_returns[:, seat]
        assert value in table[own == chips] or value in table  # an entry of a finished node
    assert sorted(set(found.groups.tolist())) == list(range(20))
    assert found.corrected.count == 20
    assert found.ratio < 0.9


def test_a_player_that_did_not_play_the_record_is_refused(hands: list[Record]) -> None:
    with pytest.raises(UsageError, match="always_fold never plays as it does in the record"):
        aivat(cardai.game("leduc"), cardai.agent("always_fold"), hands, name="always_fold")


class Acts(ScalarAgent):
    """Has no policy."""

    def choose(self, view: Any, legal: list[int], rng: Any) -> int:
        return legal[0]


class Remembers(Acts):
    """Is stateful."""

    stateful = True


@pytest.mark.parametrize(
    ("game", "agent", "message"),
    [
        ("leduc", Acts(), "has no policy, only act"),
        ("leduc", Remembers(), "remembers what happens in a match"),
        ("gin", cardai.agent("random"), "too large to enumerate"),
        ("acpc_limit_3p", cardai.agent("always_call"), "board games of two players"),
    ],
)
def test_what_cannot_be_measured_is_refused(game: str, agent: Agent, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        aivat(cardai.game(game), agent, [])


@pytest.mark.parametrize("name", ["won", "corrected"])
def test_what_the_means_of_seats_take_of_an_interval_is_told(name: str) -> None:
    """Hands of one seat each have less to say of the spread than pairs: two of them say nothing."""

    def of(values: list[float], groups: list[int]) -> tuple[float, float]:
        found = np.array(values)
        one = getattr(Aivat(found, found, np.array(groups), np.arange(len(values)) % 2), name)
        return one.mean, one.high - one.mean

    mean, half = of([3.0, 200.0], [0, 1])
    assert mean == 101.5
    assert np.isnan(half)
    mean, half = of(
        [0.0, 10.0, 4.0, 16.0], [0, 1, 2, 3]
    )  # seat means 2 and 13: 2 * 4 + 2 * 9, of two degrees of freedom
    assert (mean, half) == (7.5, pytest.approx(4.302653 * np.sqrt((8 + 18) / 2 / 4), rel=1e-5))
    mean, half = of([0.0, 10.0, 4.0, 16.0], [0, 0, 1, 1])  # pairs of 5 and 10
    assert (mean, half) == (7.5, pytest.approx(12.706205 * 2.5, rel=1e-5))
