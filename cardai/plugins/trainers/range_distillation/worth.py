"""What actions are worth if both go on as the teacher does: exact on the river, before it with what is learned of the next street.

A street's betting is walked with both ranges, as best responses are (:mod:`cardai.poker.responses.street_response`). What hands
are worth behind its end is asked of whoever knows: on a few of the boards that can follow the network that is learning
(bootstrapping, Sutton 1988), or all rivers, counted out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.rng import derive
from cardai.plugins.trainers.range_distillation.lessons import EVERY_HAND, RIVER, STREETS, Lessons
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.boards import BOARD_SIZES
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.ranges.public_tree import DEAL, DECISION
from cardai.poker.responses import _street_kernels as kernels
from cardai.poker.responses.street_response import SWEEPS, StreetTree, Walker

BOARDS = 2
"""Boards of the next street on which the network is asked what hands are worth there."""
_LEAST = 1e-9

Later = Callable[[int, StreetTree, Float64s, Float64s], Float64s]
"""(seat, subtree, the other's reaches (d, 1326) at its deals, their mass beside each hand (d, 1326)) -> (d, 1326) what each hand
of the seat wins behind them, times that mass."""
Ask = Callable[[Int64s, tuple[int, ...], Int64s], tuple[Float64s, Float64s]]
"""(roots (d,), board, hands (h,)) -> (d, h) what hands of who acts there, and of the other, expect, in chips of the hand."""


@frozen(eq=False)
class Worth:
    """What actions are worth at all decisions of one street's betting, for hands of both seats, in shares of the pot."""

    board: tuple[int, ...]
    nodes: Int64s
    """(n,)"""
    hands: Int64s
    """(h,)"""
    targets: Float32s
    """(n, h, A + 1): each action for who acts; last what a hand of the other seat is worth there."""
    weights: Float32s
    """(n, h, A + 1) that add up to 1; 0 where nothing is known."""
    chances: Float32s
    """(n, h, A) the teacher's."""
    often: Float32s
    """(n, h) how often who acts comes there with the hand if both play as the teacher, times the pot, adding up to 1."""


class WorthLessons:
    """The lessons on worth in the tree of ``lessons``; number k is the same however it is come to, if ``ask`` answers alike."""

    def __init__(self, lessons: Lessons, ask: Ask | None) -> None:
        self.lessons, self.ask = lessons, ask
        self.walker = Walker(lessons.tree, lessons.teacher)

    def lesson(self, number: int) -> Worth:
        """Return what step ``number`` learns."""
        rng = np.random.default_rng(derive(self.lessons.seed, "worth", number))
        street = int(rng.choice(4, p=STREETS))
        board = tuple(int(card) for card in rng.permutation(52)[: BOARD_SIZES[street]])
        return self.on(street, board, rng)

    def on(self, street: int, board: tuple[int, ...], rng: np.random.Generator, exact: bool = False) -> Worth:
        """Return what is worth what on a ``board``, in a subtree to which the teacher comes; ``exact``: all rivers counted."""
        lessons, tree = self.lessons, self.lessons.tree
        root = int(tree.roots[lessons.walk(street, board, rng)[0]])
        ranges, live = self.ranges_at(root, board), np.flatnonzero(left_by(board))
        drawn, odds = lessons.drawn(ranges[:, live], rng)
        later = self.counted(board) if exact else self.guessed(street, board, live[drawn], rng)
        nodes, worth, mass, reaches = self.walked(root, ranges, board, later)
        one, hands = self.walker.trees[root], live[drawn]
        targets = np.zeros((len(one.decisions), len(hands), lessons.actions + 1))
        weights, often = np.zeros(targets.shape), np.zeros(targets.shape[:2])
        for row, place in enumerate(np.flatnonzero(tree.kind[nodes] == DECISION).tolist()):
            node, seat = int(nodes[place]), int(tree.actor[nodes[place]])
            pot = float(tree.spent[node].sum())
            columns = [
                (int(tree.action[node, k]), seat, int(one.street.child[place, k]))
                for k in range(tree.num_children[node])
            ]
            for column, whose, at in [*columns, (lessons.actions, 1 - seat, place)]:
                beside = mass[whose, place, hands]
                known = (beside > _LEAST) & np.isfinite(worth[whose, at, hands])
                targets[row, known, column] = worth[whose, at, hands][known] / beside[known] / pot
                weights[row, known, column] = (reaches[whose, place, hands] + EVERY_HAND)[known] / odds[known] * pot
            known = weights[row, :, tree.action[node, : tree.num_children[node]]].all(axis=0)
            often[row, known] = (reaches[seat, place, hands] * mass[seat, place, hands])[known] / odds[known] * pot
        chances = lessons.chances_at(one.decisions, board)[:, hands]
        parts = targets, weights / max(float(weights.sum()), _LEAST), chances, often / max(float(often.sum()), _LEAST)
        return Worth(board, one.decisions, hands, *(part.astype(np.float32) for part in parts))

    def ranges_at(self, root: int, board: tuple[int, ...]) -> Float64s:
        """Return (2, 1326) how likely each seat comes to a node with each hand, as far as it decides; 0 for blocked hands."""
        tree, teacher, child = self.lessons.tree, self.lessons.teacher, root
        out = np.tile(left_by(board).astype(np.float64), (2, 1))
        while child:
            parent = int(tree.parent[child])
            if tree.kind[parent] == DECISION:
                rows = teacher.range_policy(np.array([parent]), board[: BOARD_SIZES[tree.street[parent]]])
                out[tree.actor[parent]] *= rows[int(np.flatnonzero(tree.child[parent] == child)[0])]
            child = parent
        return out

    def walked(
        self, root: int, ranges: Float64s, board: tuple[int, ...], later: Later
    ) -> tuple[Int64s, Float64s, Float64s, Float64s]:
        """Return the nodes (m,) of a subtree and (2, m, 1326) for each seat's hands there: what they win, times the other's
        mass; that mass; and how likely the seat comes with them.
        """
        one = self.walker.trees[root]
        policy = np.ascontiguousarray(self.lessons.teacher.range_policy(one.decisions, board), np.float64)
        reaches = np.zeros((2, len(one.nodes), COUNT))
        worth, mass = np.empty(reaches.shape), np.empty(reaches.shape)
        for seat in range(2):
            reaches[seat, 0] = ranges[seat]
            kernels.reach(one.street, seat, policy, reaches[seat])
        for seat in range(2):
            count = len(one.nodes)
            mass[seat] = SWEEPS(board_hands(board), reaches[1 - seat], np.zeros(count, np.bool_), np.ones(count))
            ends = self.walker.at_the_ends([one], seat, [reaches[1 - seat]], board)[0]
            deals = one.deal_places
            after = later(seat, one, reaches[1 - seat][deals], mass[seat][deals]) if len(deals) else mass[seat][:0]
            averaged(one, seat, policy, ends, after, worth[seat])
        return one.nodes, worth, mass, reaches

    def guessed(self, street: int, board: tuple[int, ...], hands: Int64s, rng: np.random.Generator) -> Later:
        """Return what the network says of ``hands`` (h,) on some boards of the next street; NaN where it was not asked."""
        if street == RIVER:
            return _nothing
        assert self.ask is not None
        more, boards = BOARD_SIZES[street + 1] - len(board), []
        for _ in range(BOARDS):
            rest = rng.permutation(52)
            boards.append((*board, *(int(card) for card in rest[~np.isin(rest, board)][:more])))
        asked: dict[tuple[int, ...], tuple[Float64s, Float64s]] = {}

        def later(seat: int, one: StreetTree, others: Float64s, mass: Float64s) -> Float64s:
            won, met = np.zeros(mass.shape), np.zeros(mass.shape)
            for after in boards:
                open_hands = left_by(after)
                held = hands[open_hands[hands]]
                if after not in asked:
                    asked[after] = self.ask(one.deals, after, held)  # type: ignore[misc]
                acts = (self.lessons.tree.actor[one.deals] == seat)[:, None]
                beside = SWEEPS(
                    board_hands(after), others * open_hands, np.zeros(len(others), np.bool_), np.ones(len(others))
                )
                won[:, held] += np.where(acts, *asked[after]) * beside[:, held]
                met[:, held] += beside[:, held]
            out = np.full(mass.shape, np.nan)
            np.divide(won * mass, met, out=out, where=met > _LEAST)
            return out

        return later

    def counted(self, board: tuple[int, ...]) -> Later:
        """Return what hands win over all rivers, on a turn's ``board``: exact, some seconds of CPU."""
        if len(board) == BOARD_SIZES[RIVER]:
            return _nothing

        rivers = [(*board, card) for card in range(52) if card not in board]
        won: dict[int, Float64s] = {}

        def later(seat: int, one: StreetTree, others: Float64s, mass: Float64s) -> Float64s:
            for deal in one.deals.tolist():
                if deal not in won:
                    found = [self.walked(deal, self.ranges_at(deal, r), r, _nothing)[1][:, 0] for r in rivers]
                    won[deal] = np.sum(found, axis=0) / (len(rivers) - 4)
            return np.array([won[deal][seat] for deal in one.deals.tolist()])

        return later


def averaged(one: StreetTree, seat: int, policy: Float64s, ends: Float64s, after: Float64s, out: Float64s) -> None:
    """Fill ``out`` (m, 1326) with what hands of ``seat`` win below each node if they go on by ``policy`` (rows, 1326)."""
    for place in range(len(one.nodes) - 1, -1, -1):
        kind, actor, count, first, number = one.street.node[place].tolist()
        if kind == DEAL:
            out[place] = after[number]
        elif kind != DECISION:
            out[place] = ends[number]
        else:
            below = out[one.street.child[place, :count]]
            out[place] = (below * policy[first : first + count]).sum(axis=0) if actor == seat else below.sum(axis=0)


def _nothing(seat: int, one: StreetTree, others: Float64s, mass: Float64s) -> Float64s:
    return mass[:0]
