"""Sampled CFR by enumeration: what one iteration adds, and what that is in expectation.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games", 2009.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pyspiel
import pytest
from attrs import frozen

import cardai
from cardai.core.game import CHANCE, TERMINAL
from cardai.core.rng import hash64
from cardai.plugins.trainers.mccfr import external, outcome
from cardai.solve.sampling import sampling_nodes
from cardai.solve.tree import GameTree, game_tree
from tests.solve.by_hand import exact, policy_at, some_behaviour
from tests.solve.small_games import Coin
from tests.solve.spiel import SpielGame, information_states

EPSILON = 0.6
GAMES = {"kuhn": cardai.game("kuhn"), "an unfair coin": Coin(heads=0.3)}


@frozen(eq=False)
class Hand:
    """A way to a finished node: its nodes, and which child was taken at each; then how likely it is to be sampled."""

    nodes: tuple[int, ...]
    taken: tuple[int, ...]
    end: int
    probability: float


def sampled_hands(tree: GameTree, behaviour: np.ndarray, player: int) -> Iterator[Hand]:
    """Yield every hand that outcome sampling can draw when ``player`` learns: it explores, the others do not."""

    def walk(node: int, nodes: tuple[int, ...], taken: tuple[int, ...], probability: float) -> Iterator[Hand]:
        if tree.player[node] == TERMINAL:
            yield Hand(nodes, taken, node, probability)
            return
        sampling = policy_at(tree, node, behaviour)
        if tree.player[node] == player:
            sampling = EPSILON / len(sampling) + (1 - EPSILON) * sampling
        for k in np.flatnonzero(sampling):
            child = int(tree.first_child[node] + k)
            yield from walk(child, (*nodes, node), (*taken, int(k)), probability * float(sampling[k]))

    yield from walk(0, (), (), 1.0)


def update(tree: GameTree, behaviour: np.ndarray, player: int, hand: Hand) -> tuple[np.ndarray, np.ndarray]:
    """Return what a hand adds to regrets (S,) and average (S,): nothing cancelled, as the paper has it.

    With q(z) the probability of sampling the hand z, the regret of a at I is the difference of the sampled
    counterfactual values u(z) pi_-i(z[I]) pi(z[I]a, z) / q(z) and u(z) pi_-i(z[I]) pi(z[I], z) / q(z), the first of them 0
    for an action that z does not take (equation 10). The next seat's average gets its policy times
    pi_-i(h) / q(h) at its nodes h.
    """
    regret, average = np.zeros_like(behaviour), np.zeros_like(behaviour)
    steps = [policy_at(tree, node, behaviour)[k] for node, k in zip(hand.nodes, hand.taken, strict=True)]
    own = [tree.player[node] == player for node in hand.nodes]
    explored = [
        EPSILON / tree.num_children[node] + (1 - EPSILON) * p if mine else p
        for node, p, mine in zip(hand.nodes, steps, own, strict=True)
    ]
    utility = tree.terminal_returns[list(tree.terminals).index(hand.end), player]
    for d, node in enumerate(hand.nodes):
        if tree.player[node] == CHANCE:
            continue
        start, count = tree.infosets.first_sequence[tree.infoset[node]], tree.num_children[node]
        others = np.prod([p for p, mine in zip(steps[:d], own[:d], strict=True) if not mine])
        if own[d]:
            weight = utility * others / np.prod(explored)
            regret[start : start + count] -= weight * np.prod(steps[d:])
            regret[start + hand.taken[d]] += weight * np.prod(steps[d + 1 :])
        elif tree.player[node] == (player + 1) % tree.num_players:
            average[start : start + count] += behaviour[start : start + count] * others / np.prod(explored[:d])
    return regret, average


Sample = tuple[float, np.ndarray, np.ndarray]
"""How likely a hand is to be sampled, and what it adds to regrets (S,) and to the average (S,)."""


def of_outcome_sampling(tree: GameTree, behaviour: np.ndarray, player: int) -> list[Sample]:
    """Return every hand that outcome sampling can draw when ``player`` learns."""
    hands = sampled_hands(tree, behaviour, player)
    return [(hand.probability, *update(tree, behaviour, player, hand)) for hand in hands]


def of_external_sampling(tree: GameTree, behaviour: np.ndarray, player: int) -> list[Sample]:
    """Return every subtree that external sampling can draw: all of the player's actions, one of everybody else's.

    The sampled counterfactual value of a sequence is the return below it (2009, equation 12 and after); the next seat's
    average gets its policy wherever it comes to act.
    """
    index = {int(node): row for row, node in enumerate(tree.terminals)}

    def walk(node: int) -> list[tuple[float, float, np.ndarray, np.ndarray]]:
        """Return (probability, value, regrets, average) of all samples below ``node``."""
        nothing = np.zeros_like(behaviour)
        if tree.player[node] == TERMINAL:
            return [(1.0, float(tree.terminal_returns[index[node], player]), nothing, nothing)]
        policy, seat = policy_at(tree, node, behaviour), tree.player[node]
        below = [walk(int(tree.first_child[node] + k)) for k in range(len(policy))]
        here, places = nothing.copy(), slice(0, 0)
        if seat != CHANCE:
            start = tree.infosets.first_sequence[tree.infoset[node]]
            places = slice(start, start + len(policy))
        if seat != player:
            here[places] = policy if seat == (player + 1) % tree.num_players else 0.0
            return [(p * q, v, r, a + here) for p, part in zip(policy, below, strict=True) for q, v, r, a in part if p]
        found = []
        for chosen in itertools.product(*below):
            values = np.array([v for _, v, _, _ in chosen])
            here = np.sum([r for _, _, r, _ in chosen], axis=0)
            here[places] += values - policy @ values
            average = np.sum([a for _, _, _, a in chosen], axis=0)
            found.append((float(np.prod([q for q, *_ in chosen])), float(policy @ values), here, average))
        return found

    return [(q, r, a) for q, _, r, a in walk(0)]


SAMPLERS = {"outcome": (of_outcome_sampling, outcome), "external": (of_external_sampling, external)}


@pytest.mark.parametrize("sampling", SAMPLERS)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_the_expected_update_is_the_exact_regret_and_the_reach_weighted_policy(
    sampling: str, game: str, player: int, seed: int
) -> None:
    tree = game_tree(GAMES[game])
    behaviour = some_behaviour(tree, seed)
    samples = SAMPLERS[sampling][0](tree, behaviour, player)
    assert sum(chance for chance, _, _ in samples) == pytest.approx(1)
    regret, average = (sum(sample[0] * sample[k] for sample in samples) for k in (1, 2))
    wanted_regret, wanted_average = exact(tree, behaviour, player)
    assert regret == pytest.approx(wanted_regret, abs=1e-12)
    assert average == pytest.approx(wanted_average, abs=1e-12)
    assert np.abs(wanted_regret).max() > 0.01
    assert wanted_average.max() > 0.01


@pytest.mark.long("coin-external", "kuhn-outcome")
@pytest.mark.parametrize("sampling", SAMPLERS)
@pytest.mark.parametrize("game", GAMES)
def test_an_iteration_of_the_kernel_adds_what_one_sample_a_seat_does_as_often_as_it_is_drawn(
    sampling: str, game: str
) -> None:
    all_samples, iterate = SAMPLERS[sampling]
    tree = game_tree(GAMES[game])
    nodes, begin = sampling_nodes(tree), some_behaviour(tree, 1)
    starts = tree.infosets.sequence_start
    seats = [slice(starts[p], starts[p + 1]) for p in (0, 1)]

    @cache
    def known(player: int, behaviour: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Return what every sample adds, regrets of ``player`` and average of the other seat, (samples, S); and (samples,)."""
        found = all_samples(tree, np.frombuffer(behaviour), player)
        adds = np.array([regret + average for _, regret, average in found]).round(12)
        adds, inverse = np.unique(adds, axis=0, return_inverse=True)
        return adds, np.bincount(inverse.reshape(-1), weights=[chance for chance, _, _ in found])

    total = 10_000
    times = np.zeros(len(known(0, begin.tobytes())[0]), int)
    for k in range(total):
        regret, average, behaviour = np.zeros_like(begin), np.zeros_like(begin), begin.copy()
        iterate(nodes, 0, 1, np.uint64(hash64(5, k)), EPSILON, regret, behaviour, average)
        # seat 0 learns first, so its regrets and seat 1's average are of the first sample, the others of the second
        for player in (0, 1):
            got = np.zeros_like(begin)
            got[seats[player]], got[seats[1 - player]] = regret[seats[player]], average[seats[1 - player]]
            now = begin.copy()
            if player == 1:
                now[seats[0]] = behaviour[seats[0]]
            off = np.abs(known(player, now.tobytes())[0] - got).max(axis=1)
            assert off.min() < 1e-9, (player, got)
            if player == 0:
                times[off.argmin()] += 1
    chances = known(0, begin.tobytes())[1]
    assert (times > 0).all()  # everything was drawn, and as often as it should be: four standard deviations
    assert (np.abs(times - total * chances) < 4 * np.sqrt(total * chances * (1 - chances))).all()


def test_openspiels_average_weighs_an_information_set_by_the_histories_that_the_others_reach() -> None:
    """Its outcome sampling divides the whole reach of what was sampled away, the opponent's and chance's too.

    Every history that can be drawn then adds the player's reach times its policy, whatever the others' reach: where the
    others stop playing an action, the weight of what comes behind it jumps. The regrets are the same as ours.
    """
    solver = pytest.importorskip("open_spiel.python.algorithms.outcome_sampling_mccfr")
    spiel = pyspiel.load_game("kuhn_poker")
    tree = game_tree(SpielGame("kuhn_poker"))
    names = information_states(tree, spiel)
    behaviour = some_behaviour(tree, 4)
    sets = tree.infosets
    for player in (0, 1):
        regret, average = np.zeros_like(behaviour), np.zeros_like(behaviour)
        for hand in sampled_hands(tree, behaviour, player):
            table: dict[str, list[np.ndarray]] = {}
            for i, name in enumerate(names):  # regrets that match to the behaviour
                own = behaviour[sets.first_sequence[i] : sets.first_sequence[i] + sets.num_actions[i]]
                table[name] = [own.copy(), np.zeros(len(own))]
            drawn = iter(hand.taken)
            learner = solver.OutcomeSamplingSolver(spiel)
            learner._infostates = table
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(np.random, "choice", lambda *_, drawn=drawn, **__: next(drawn))
                learner._episode(spiel.new_initial_state(), player, 1.0, 1.0, 1.0)
            for i, name in enumerate(names):
                places = slice(sets.first_sequence[i], sets.first_sequence[i] + sets.num_actions[i])
                regret[places] += hand.probability * (table[name][0] - behaviour[places])
                average[places] += hand.probability * table[name][1]
        assert regret == pytest.approx(exact(tree, behaviour, player)[0], abs=1e-12)
        assert average == pytest.approx(_by_histories(tree, behaviour, player), abs=1e-12)


def _by_histories(tree: GameTree, behaviour: np.ndarray, player: int) -> np.ndarray:
    """Return the player's reach times its policy, times the number of histories that chance and the others reach."""
    out = np.zeros_like(behaviour)

    def walk(node: int, own: float, others: Any) -> None:
        if tree.player[node] == TERMINAL or others == 0:
            return
        policy = policy_at(tree, node, behaviour)
        if tree.player[node] == player:
            start = tree.infosets.first_sequence[tree.infoset[node]]
            out[start : start + len(policy)] += own * policy
        for k, p in enumerate(policy):
            mine = tree.player[node] == player
            walk(int(tree.first_child[node] + k), own * (p if mine else 1), others * (1 if mine else p))

    walk(0, 1.0, 1.0)
    return out
