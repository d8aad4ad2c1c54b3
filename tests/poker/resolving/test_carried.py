"""What a decision of a player that re-solves begins with: stacks, positions, menus, ranges and promises, as they are and not as they might be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.cards.text import parse_cards
from cardai.core.legal import Amounts
from cardai.core.rng import Rows
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges._walk_kernels import EXPECT
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import HOLDEM
from cardai.poker.ranges.position import deal_card, step
from cardai.poker.ranges.public_tree import Action, PublicTree
from cardai.poker.resolving.depth_limit import DepthLimit
from cardai.poker.resolving.games import resolved_game, resolving_player
from cardai.poker.resolving.player import Plan, ResolvingPlayer
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.resolver import Resolver
from cardai.poker.values.network_leaves import TurnLeaves
from tests.poker.values.plain_networks import network

GAME = cardai.game("holdem")
PLAYED = evolve(resolved_game(GAME), first=1)
BOARD = tuple(parse_cards("KsTh7s4d2c"))
CALLED = ((300, 0, 0), (1, 0, 1))
"""Seat 0 has the button: on the flop seat 1 acts first."""


def with_network(looks: int = 1) -> DepthLimit:
    return DepthLimit(2, network(random=True), looks)


@pytest.mark.parametrize("stacks", [(3000, 20_000), (20_000, 3000)])
def test_a_network_is_asked_with_the_stacks_that_can_be_lost_in_this_hand(stacks: tuple[int, int]) -> None:
    """A cash game's stacks differ, and are not those of its first hand."""
    resolver = Resolver(PLAYED, SolverSettings(2), with_network())
    found = [resolver.decision(Public(0, CALLED, 1, BOARD[:3], one), 1) for one in (stacks, (3000, 3000))]
    leaves = [one.solver.leaves for one in found]
    assert [one.stack for one in leaves if isinstance(one, TurnLeaves)] == [3000, 3000]
    assert (found[0].strategy == found[1].strategy).all()
    deep = resolver.decision(Public(0, CALLED, 1, BOARD[:3]), 1)
    assert isinstance(deep.solver.leaves, TurnLeaves)
    assert deep.solver.leaves.stack == 10_000


def test_who_acts_first_behind_the_leaves_is_who_does_on_the_next_street() -> None:
    turned = evolve(PLAYED, betting=evolve(PLAYED.betting, first=(1, 0, 1, 0)))
    numbers = np.flatnonzero(~np.isin(HOLDEM.cards, BOARD[:3]).any(axis=1))
    for game, starter in ((PLAYED, 1), (turned, 0)):
        leaves = with_network().leaves(game, 1, BOARD[:3], numbers, 0)
        assert isinstance(leaves, TurnLeaves)
        assert leaves.starter == starter


def rungs(tree: PublicTree, street: int) -> list[int]:
    """Return the bets of who acts first on a street of a tree, after nothing but checks."""
    node = tree.root
    while node.street < street:
        node = node.children[0]
    return [action.amount for action in node.actions if action.kind == 2]


def test_the_round_that_is_decided_has_its_own_menu_and_those_behind_it_another() -> None:
    resolver = Resolver(PLAYED, SolverSettings(2), DepthLimit(1))
    _, tree, last = resolver._tree(Public(0, CALLED, 1, BOARD[:3]))
    assert last == 3
    assert rungs(tree, 1) == [300 + 300, 300 + 600, 10_000]
    assert rungs(tree, 2) == [300 + 600, 10_000]
    later = (*CALLED, (1, 1, 1), (1, 1, 0), (1, 2, 1), (1, 2, 0))
    assert rungs(resolver._tree(Public(0, later, 3, BOARD))[1], 3) == [300 + 300, 300 + 600, 10_000]


def test_behind_a_flop_that_promises_nothing_a_bet_tells_of_the_range_of_who_made_it() -> None:
    """Its player has acted on the flop: the turn begins anew, with the bet in it."""
    resolver = Resolver(PLAYED, SolverSettings(2), with_network(), kept=8)
    checked = (*CALLED, (1, 1, 1), (1, 1, 0))
    begun = resolver.decision(Public(0, checked, 2, BOARD[:4]), 0)
    (bet,) = [k for k, one in enumerate(begun.root.actions) if one.amount == 900]
    met = resolver.decision(Public(0, (*checked, (900, 2, 1)), 2, BOARD[:4]), 0)
    held = begun.ranges[1] * begun.strategy[bet]
    assert met.ranges[1] / met.ranges[1].sum() == pytest.approx(held / held.sum(), abs=1e-9)
    assert np.ptp(begun.strategy[bet][held > 0]) > 0.1  # some hands bet more often than others


@pytest.mark.parametrize("me", [0, 1])
def test_a_raise_on_no_menu_is_met_with_what_was_promised_before_it(me: int) -> None:
    """In Leduc, after a bet: what the other's hands are worth where they may still fold."""
    game = cardai.game("leduc_deepstack")
    resolver = resolving_player(game, resolved_game(game), SolverSettings(100), DepthLimit()).resolver
    passed = ((1, 0, 0),) * me
    begun = resolver.decision(Public(0, passed, 0, ()), me)
    (bet,) = [k for k, one in enumerate(begun.root.actions) if one.amount == 300]
    asked = step(begun.place, bet)
    found = resolver.decision(Public(0, (*passed, (300, 0, me), (777, 0, 1 - me)), 0, ()), me)
    assert found.promised is not None
    ranges = begun.ranges[me] * begun.strategy[bet]
    assert found.promised == pytest.approx(resolver._worth(begun, asked, 1 - me) / ranges.sum())
    met = 1 - ranges / ranges.sum()  # what is not in the hand itself
    assert (found.promised >= -100 * met - 1e-3).all()  # a fold loses the ante, and the best is promised


def test_behind_a_card_the_best_answer_is_promised_and_not_what_was_expected() -> None:
    """Else an opponent who plays better than in a solution of few iterations is promised too little."""
    game = cardai.game("leduc_deepstack")
    resolver = resolving_player(game, resolved_game(game), SolverSettings(20), DepthLimit()).resolver
    begun = resolver.decision(Public(0, (), 0, ()), 0)
    place = begun.place
    for _ in range(2):
        place = step(place, [one.kind for one in place.node.actions].index(1))
    promised = resolver._worth_dealt(begun, place, 1, (2,))
    place = deal_card(begun.solver, place, 2)
    work = begun.solver.look(place.path, 1, EXPECT)
    numbers = begun.solver.layout.boards[1].hands[place.path[-1]]
    better = promised[place.hands[numbers]] - work.values[place.node.index, : len(numbers)]
    assert (better > -1e-6).all()
    assert better.max() > 1


def test_hands_that_the_board_blocks_take_nothing_from_what_is_believed() -> None:
    resolver = Resolver(
        evolve(PLAYED, first=3),
        SolverSettings(2, believed=0.3),
        DepthLimit(2),
        promises=lambda public, seat: np.zeros(COUNT),
    )
    passed = tuple((1, round_, seat) for round_ in (1, 2) for seat in (1, 0))
    solver = resolver.decision(Public(0, (*CALLED, *passed), 3, BOARD), 1).solver
    assert solver.layout.forced is not None
    assert solver.layout.forced[solver.hands] == pytest.approx(0.3)  # every hand is as likely by either


def test_from_the_first_round_that_is_solved_on_the_table_is_not_asked() -> None:
    solved = SimpleNamespace(root=SimpleNamespace(actions=(Action(1),)), strategy=np.ones((1, COUNT)))
    resolver: Any = SimpleNamespace(game=PLAYED, decision=lambda public, me: solved)
    early = Plan((Action(0), Action(1)), np.full((2, COUNT), 0.5))
    player, tables = ResolvingPlayer(GAME, resolver, lambda public: early), GAME.tables(1)
    tables.reset(np.zeros(1, np.uint64))
    plans = []
    for action in (300, 1, 1):
        view = tables.views(int(tables.current_players()[0]), np.zeros(1, np.int64))[0]
        plans.append(len(player.plan(view).actions))
        tables.apply(np.zeros(1, np.int64), np.array([action]))
    assert plans == [2, 2, 1]


def test_each_hand_raises_to_its_own_amounts() -> None:
    tables, row = GAME.tables(1), np.zeros(1, np.int64)
    tables.reset(np.zeros(1, np.uint64))
    views, legal = np.repeat(tables.views(0, row), 2), tables.legal(np.zeros(2, np.int64))
    assert isinstance(legal, Amounts)
    views["hole"][0], views["hole"][1] = (0, 1), (50, 51)
    strategy = np.zeros((3, COUNT))
    strategy[0], strategy[1, 0], strategy[2, COUNT - 1] = 0.1, 0.9, 0.9
    resolver: Any = SimpleNamespace(game=PLAYED)
    plan = Plan((Action(1), Action(2, 300), Action(2, 900)), strategy)
    player = ResolvingPlayer(GAME, resolver, lambda public: plan)
    amounts, odds = player.raise_odds(views, legal)
    assert amounts.tolist() == [300, 900]
    assert odds == pytest.approx(np.eye(2), abs=1e-9)
    assert player.raise_to(views, legal, Rows(np.arange(2, dtype=np.uint64))).tolist() == [300, 900]
