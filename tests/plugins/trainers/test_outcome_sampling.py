"""Outcome sampling hand by hand: what one iteration adds, and what that is in expectation, by enumeration.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games", 2009.
"""

from __future__ import annotations

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
from cardai.plugins.trainers.mccfr import outcome
from cardai.solve.sampling import sampling_nodes
from cardai.solve.tree import GameTree, game_tree
from tests.solve.small_games import Coin
from tests.solve.spiel import SpielGame, information_states

EPSILON = 0.6
GAMES = {"kuhn": cardai.game("kuhn"), "an unfair coin": Coin(heads=0.3)}


def some_behaviour(tree: GameTree, seed: int) -> np.ndarray:
    """Return a behaviour (S,) at random, some of it 0."""
    rng, out = np.random.default_rng(seed), np.ones(tree.infosets.num_sequences)
    for first, count in zip(tree.infosets.first_sequence, tree.infosets.num_actions, strict=True):
        weights = rng.random(count)
        weights[rng.integers(count)] *= rng.random() < 0.7
        out[first : first + count] = weights / weights.sum()
    return out


def policy_at(tree: GameTree, node: int, behaviour: np.ndarray) -> np.ndarray:
    """Return the probabilities of a node's children under chance and a behaviour."""
    first, count = tree.first_child[node], tree.num_children[node]
    if tree.player[node] == CHANCE:
        return tree.probability[first : first + count]
    start = tree.infosets.first_sequence[tree.infoset[node]]
    return behaviour[start : start + count]


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


def exact(tree: GameTree, behaviour: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the counterfactual regrets of ``player`` and what the next seat's average should get, by the whole tree.

    The average gets the next seat's reach times its policy (Zinkevich et al. 2007, equation 4), times chance's reach of
    the information set, which is the same in every iteration.
    """
    regret, average = np.zeros_like(behaviour), np.zeros_like(behaviour)
    index = {int(node): row for row, node in enumerate(tree.terminals)}

    def value(node: int, own: float, others: float, chance: float) -> float:
        """Return the expected return below ``node``; the reach of the next seat is ``own``, of all but the player ``others``."""
        if tree.player[node] == TERMINAL:
            return float(tree.terminal_returns[index[node], player])
        policy, seat = policy_at(tree, node, behaviour), tree.player[node]
        below = np.array(
            [
                value(
                    int(tree.first_child[node] + k),
                    own * (p if seat == (player + 1) % tree.num_players else 1),
                    others * (p if seat != player else 1),
                    chance * (p if seat == CHANCE else 1),
                )
                for k, p in enumerate(policy)
            ]
        )
        if seat != CHANCE:
            start = tree.infosets.first_sequence[tree.infoset[node]]
            places = slice(start, start + len(policy))
            if seat == player:
                regret[places] += others * (below - policy @ below)
            elif seat == (player + 1) % tree.num_players:
                average[places] += chance * own * policy
        return float(policy @ below)

    value(0, 1.0, 1.0, 1.0)
    return regret, average


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_the_expected_update_is_the_exact_regret_and_the_reach_weighted_policy(
    game: str, player: int, seed: int
) -> None:
    tree = game_tree(GAMES[game])
    behaviour = some_behaviour(tree, seed)
    hands = list(sampled_hands(tree, behaviour, player))
    assert sum(hand.probability for hand in hands) == pytest.approx(1)
    updates = [update(tree, behaviour, player, hand) for hand in hands]
    regret, average = (sum(h.probability * u[k] for h, u in zip(hands, updates, strict=True)) for k in (0, 1))
    wanted_regret, wanted_average = exact(tree, behaviour, player)
    assert regret == pytest.approx(wanted_regret, abs=1e-12)
    assert average == pytest.approx(wanted_average, abs=1e-12)
    assert np.abs(wanted_regret).max() > 0.01
    assert wanted_average.max() > 0.01


@pytest.mark.parametrize("game", GAMES)
def test_an_iteration_of_the_kernel_adds_what_one_hand_a_seat_does_as_often_as_it_is_drawn(game: str) -> None:
    tree = game_tree(GAMES[game])
    nodes, begin = sampling_nodes(tree), some_behaviour(tree, 1)
    starts = tree.infosets.sequence_start
    seats = [slice(starts[p], starts[p + 1]) for p in (0, 1)]

    @cache
    def known(player: int, behaviour: bytes) -> tuple[list[Hand], np.ndarray]:
        """Return all hands and what each adds: regrets of ``player``, average of the other seat, (hands, S)."""
        now = np.frombuffer(behaviour)
        hands = list(sampled_hands(tree, now, player))
        return hands, np.array([np.sum(update(tree, now, player, hand), axis=0) for hand in hands])

    times, total = np.zeros(len(known(0, begin.tobytes())[0]), int), 10_000
    for k in range(total):
        regret, average, behaviour = np.zeros_like(begin), np.zeros_like(begin), begin.copy()
        outcome(nodes, 0, 1, np.uint64(hash64(5, k)), EPSILON, regret, behaviour, average)
        # seat 0 learns first, so its regrets and seat 1's average are of the first hand, the others of the second
        for player in (0, 1):
            got = np.zeros_like(begin)
            got[seats[player]], got[seats[1 - player]] = regret[seats[player]], average[seats[1 - player]]
            now = begin.copy()
            if player == 1:
                now[seats[0]] = behaviour[seats[0]]
            _, adds = known(player, now.tobytes())
            off = np.abs(adds - got).max(axis=1)
            assert off.min() < 1e-9, (player, got)
            if player == 0:
                times[off.argmin()] += 1
    chances = np.array([hand.probability for hand in known(0, begin.tobytes())[0]])
    assert (times > 0).all()  # every hand was drawn, and each as often as it should be: four standard deviations
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
