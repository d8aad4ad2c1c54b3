"""Best responses of whole ranges, street by street, against a player of two-player hold'em.

The responder plays the player's own strategy up to a street and then, knowing it, answers it as well as can be to the
end. Boards up to that street are sampled, what comes later is enumerated; nothing is chosen on sampled information, so
the mean gain is an unbiased value of a legal response: a lower bound on what a perfect opponent gains (exploitability),
and exploitability itself from before the flop.

A *street's subtree* holds the nodes of one street below a DEAL node (or the root). Ranges go down through it as vectors
over the 1,326 hands, values come back up; at its DEAL nodes another street's subtrees hang.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.progress import tell
from cardai.poker.buckets.tables import starting_classes
from cardai.poker.hands.board_hands import BoardHands, board_hands
from cardai.poker.hands.boards import BOARD_SIZES, RENAMINGS, hand_maps
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.range_policy import RangePolicy
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, SHOWDOWN, PublicTree
from cardai.poker.responses import _street_kernels as kernels
from cardai.poker.responses.river_forest import RiverForest

Vectors = Float64s
_PAIRS = pairs().astype(np.int64)


class TerminalValues(Protocol):
    """What hands win at the ends of a hand: :class:`Sweeps`, or dense products on a GPU."""

    at_once: ClassVar[int]
    """Subtrees whose ends are best worked out at once."""

    def __hash__(self) -> int: ...

    def __call__(self, hands: BoardHands, weights: Float64s, showdown: Bools, amount: Float64s) -> Float64s:
        """Return (t, 1326) what each hand wins from opposing ranges ``weights`` (t, 1326); 0 for blocked hands.

        ``showdown`` (t,) says whether cards are compared (else somebody has folded), ``amount`` (t,) what is won.
        """


@frozen
class Sweeps:
    """:class:`TerminalValues` by sweeps over the hands in order of strength."""

    at_once: ClassVar[int] = 8

    def __call__(self, hands: BoardHands, weights: Float64s, showdown: Bools, amount: Float64s) -> Float64s:
        """Return (t, 1326) what each hand wins from opposing ranges ``weights`` (t, 1326); 0 for blocked hands."""
        out = np.empty(weights.shape)
        kernels.terminal_values((_PAIRS, hands.hands, hands.ends), weights, showdown, amount, out)
        return out


@frozen
class Alone(Sweeps):
    """The same on the river as on the streets before it: for subtrees that are few."""


SWEEPS, ALONE = Sweeps(), Alone()


@frozen(eq=False)
class StreetTree:
    """One street's subtree: its nodes in the public tree, and as the kernels take it."""

    root: int
    nodes: Int64s = field(repr=False)
    """(m,) ascending, the root first."""
    decisions: Int64s = field(repr=False)
    """Those of them that are decisions."""
    deals: Int64s = field(repr=False)
    """The roots of the next street's subtrees, in the order of the DEAL nodes."""
    deal_places: Int64s = field(repr=False)
    """The places of the DEAL nodes among ``nodes``."""
    ends: Int64s = field(repr=False)
    """The places of the FOLD and SHOWDOWN nodes, t of them."""
    showdown: Bools = field(repr=False)
    """(t,) which of them are SHOWDOWN nodes."""
    stakes: Float64s = field(repr=False)
    """(2, t) what a hand of each seat wins there, if it is the better one (or by the fold)."""
    street: kernels.ResponseStreet = field(repr=False)

    def below(self, reaches: Float64s) -> dict[int, Float64s]:
        """Return (2, 1326) the ranges at the roots of the next street, of those at all nodes (2, m, 1326)."""
        return {int(deal): reaches[:, place].copy() for deal, place in zip(self.deals, self.deal_places, strict=True)}


def street_trees(tree: PublicTree) -> dict[int, StreetTree]:
    """Return the subtrees of all streets by the number of their root."""
    return {root: _street_tree(tree, root, nodes) for root, nodes in tree.subtrees.items()}


def _street_tree(tree: PublicTree, root: int, nodes: Int64s) -> StreetTree:
    kind = tree.kind[nodes]
    count = np.where(kind == DECISION, tree.num_children[nodes], 0).astype(np.int64)
    deals, ends = kind == DEAL, (kind == FOLD) | (kind == SHOWDOWN)
    number = np.where(deals, np.cumsum(deals), np.cumsum(ends)) - 1
    node = np.stack([kind, tree.actor[nodes], count, np.cumsum(count) - count, number], axis=1).astype(np.int64)
    child = np.searchsorted(nodes, np.maximum(tree.child[nodes], 0))
    return StreetTree(
        root,
        nodes,
        nodes[kind == DECISION],
        tree.child[nodes[deals], 0].astype(np.int64),
        np.flatnonzero(deals),
        np.flatnonzero(ends),
        kind[ends] == SHOWDOWN,
        tree.won[:, nodes[ends]],
        kernels.ResponseStreet(node, child.astype(np.int64)),
    )


class Walker:
    """Walks ranges through the streets of one game, both seats playing ``player`` or one answering it.

    Where hands are all-in on the flop or the turn, the rest of the board is dealt out; before the flop it is not: see
    :func:`need_late_showdowns`. On a CPU the river is walked in ``dtype``, sixteen subtrees at once
    (:mod:`.river_forest`); with dense products on a GPU, as the streets before it.
    """

    def __init__(
        self,
        tree: PublicTree,
        player: RangePolicy,
        terminal_values: TerminalValues = SWEEPS,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self.tree, self.player, self.terminal_values = tree, player, terminal_values
        self.trees = street_trees(tree)
        self.streets: list[list[StreetTree]] = [[], [], [], []]
        for root, one in self.trees.items():
            self.streets[tree.street[root]].append(one)
        self.forest = RiverForest(tree, player, dtype) if self.streets[3] and terminal_values == SWEEPS else None

    def ranges_at(self, street: int, board: Sequence[int]) -> dict[int, Vectors]:
        """Return both seats' ranges (2, 1326) at the roots of ``street`` if both play the player, on ``board``.

        ``board`` has at least the cards of that street; hands that share a card with it have weight 0.
        """
        open_hands = left_by(board).astype(np.float64)
        found = {0: np.stack([open_hands, open_hands])}
        for earlier in range(street):
            for one in self.streets[earlier]:
                reaches = self.reaches(one.root, found.pop(one.root), board[: BOARD_SIZES[earlier]])
                found |= one.below(reaches)
        return found

    def gain(self, street: int, board: Sequence[int], label: str = "") -> float:
        """Return what answering best from ``street`` on wins more than playing on, chips a deal, mean over both seats.

        ``board`` has the cards of that street; ``label`` is what it is called while the boards of five are done.
        """
        ranges_at = self.ranges_at(street, board)
        roots = {root: ranges for root, ranges in ranges_at.items() if ranges.any(axis=1).all()}  # both come there
        values = self.values(street, board, roots, _counted(street, label))
        # what both win who both play on is nothing, since one wins what the other loses
        won = sum(float((ranges * values[root]).sum()) for root, ranges in roots.items())
        return won / 2 / pairings(len(board))

    def flop_values(self, flop: Sequence[int], label: str = "") -> Vectors:
        """Return (roots, 2, 169): what each class of starting hands of each seat wins best from each of the flop's subtrees
        on, summed over its hands on this flop (times the other's range and probabilities).
        """
        roots = self.ranges_at(1, flop)
        values = self.values(1, flop, roots, _counted(1, label))
        classes = starting_classes()
        return np.array(
            [[np.bincount(classes, values[root][seat], 169) for seat in range(2)] for root in self.flop_roots]
        )

    @property
    def flop_roots(self) -> list[int]:
        """The roots of the flop's subtrees, ascending."""
        return [one.root for one in self.streets[1]]

    def values(
        self,
        street: int,
        board: Sequence[int],
        roots: Mapping[int, Vectors],
        told: Callable[[int], None] = lambda boards: None,
        alike: int = 1,
    ) -> dict[int, Vectors]:
        """Return (2, 1326) for each of ``roots``, subtrees of ``street`` that both seats' ranges (2, 1326) come to.

        It is what each hand of a seat wins from there on, times the other's range and probabilities, if the seat answers
        best. Cards to come are averaged. ``told(boards)`` hears of each board of five that is done, ``alike`` is for how
        many it stands.
        """
        if street == 3 and self.forest:
            sums = self.forest.empty()
            self.forest.add(board, self.forest.pack(roots), _UNCHANGED, sums)
            told(alike)
            return self.forest.by_root(sums, roots)
        prepared: dict[int, Vectors] = {}
        below: dict[int, Vectors] = {}
        come = [root for root, both in roots.items() if both.any()]  # a seat may answer by what it never does itself
        for root in come if street < 3 else ():
            prepared[root] = self.reaches(root, roots[root], board)
            below |= self.trees[root].below(prepared[root])
        after = self.averaged(street, board, below, told, alike) if below else {}
        out = {root: np.zeros((2, COUNT)) for root in roots}
        for k in range(0, len(come), self.terminal_values.at_once):
            part = come[k : k + self.terminal_values.at_once]
            these = [prepared.pop(root) if prepared else self.reaches(root, roots[root], board) for root in part]
            trees = [self.trees[root] for root in part]
            for seat in range(2):
                ends = self.at_the_ends(trees, seat, [reaches[1 - seat] for reaches in these], board)
                for root, one, own in zip(part, trees, ends, strict=True):
                    later = np.array([after[int(deal)][seat] for deal in one.deals]).reshape(-1, COUNT)
                    out[root][seat] = self._respond(one, seat, own, later)
        if street == 3:
            told(alike)
        return out

    def reaches(self, root: int, ranges: Vectors, board: Sequence[int]) -> Vectors:
        """Return (2, m, 1326) both seats' ranges at the nodes of a subtree that they enter with ``ranges`` (2, 1326)."""
        one = self.trees[root]
        policy = np.ascontiguousarray(self.player.range_policy(one.decisions, board))
        reaches = np.empty((2, len(one.nodes), COUNT))
        for seat in range(2):
            reaches[seat, 0] = ranges[seat]
            kernels.reach(one.street, seat, policy, reaches[seat])
        return reaches

    def averaged(
        self,
        street: int,
        board: Sequence[int],
        roots: Mapping[int, Vectors],
        told: Callable[[int], None] = lambda boards: None,
        alike: int = 1,
    ) -> dict[int, Vectors]:
        """Return the values at ``roots`` of the street after ``street``, averaged over the card that is dealt (turn and river).

        Ranges (2, 1326) are those that come to them; see :meth:`values` for the rest.
        """
        if len(board) == 4 and self.forest:
            return self._over_rivers(self.forest, board, roots, told, alike)
        sums = {root: np.zeros((2, COUNT)) for root in roots}
        for card, namings in next_cards(board, getattr(self.player, "ignores_suits", False)):
            ranges = {root: np.where(_HOLDS[card], 0.0, both) for root, both in roots.items()}
            found = self.values(street + 1, [*board, card], ranges, told, alike * len(namings))
            for root, values in found.items():
                for renaming in namings:
                    sums[root][:, hand_maps()[renaming]] += values
        return {root: total / (52 - len(board) - 4) for root, total in sums.items()}

    def _over_rivers(
        self,
        forest: RiverForest,
        board: Sequence[int],
        roots: Mapping[int, Vectors],
        told: Callable[[int], None],
        alike: int,
    ) -> dict[int, Vectors]:
        """Return what :meth:`averaged` does on the turn: ranges and sums stay as the forest has them."""
        ranges, sums = forest.pack(roots), forest.empty()
        for card, namings in next_cards(board, getattr(self.player, "ignores_suits", False)):
            forest.add([*board, card], ranges, hand_maps()[namings].astype(np.int64), sums)
            told(alike * len(namings))
        return {root: total / (52 - len(board) - 4) for root, total in forest.by_root(sums, roots).items()}

    def at_the_ends(
        self, trees: Sequence[StreetTree], seat: int, reaches: Sequence[Vectors], board: Sequence[int]
    ) -> list[Vectors]:
        """Return (t, 1326) for each of ``trees``: what ``seat``'s hands win at its ends from the other's ``reaches``."""
        weights = np.concatenate([reach[one.ends] for one, reach in zip(trees, reaches, strict=True)])
        showdown, amount = (
            np.concatenate(parts) for parts in zip(*((o.showdown, o.stakes[seat]) for o in trees), strict=True)
        )
        values = self.terminal_values(board_hands(board), weights, showdown, amount)
        if len(board) in (3, 4) and showdown.any():
            values[showdown] = self._dealt_out(board, weights[showdown], amount[showdown])
        return np.split(values, np.cumsum([len(one.ends) for one in trees])[:-1])

    def _dealt_out(self, board: Sequence[int], weights: Vectors, amount: Vectors) -> Vectors:
        """Return (t, 1326) what hands win that are all-in on the flop or the turn: the mean over all that can come."""
        rest, missing = [card for card in range(52) if card not in board], 5 - len(board)
        out, compared = np.zeros(weights.shape), np.ones(len(weights), np.bool_)
        for cards in combinations(rest, missing):
            out += self.terminal_values(board_hands([*board, *cards]), weights, compared, amount)
        return out / comb(len(rest) - 4, missing)

    @staticmethod
    def _respond(one: StreetTree, seat: int, ends: Vectors, after: Vectors) -> Vectors:
        """Return (1326,) what ``seat``'s hands win from the root of a subtree on (see the kernel)."""
        values = np.empty((len(one.nodes), COUNT))
        kernels.respond(one.street, seat, ends, after, values)
        return np.asarray(values[0], np.float64)


_UNCHANGED = np.arange(COUNT)[None]
_HOLDS = (np.arange(52)[:, None, None] == _PAIRS).any(axis=2)
"""(52, 1326) whether a card is in a hand."""


def need_late_showdowns(tree: PublicTree) -> None:
    """Raise UsageError if hands can be all-in before the river: from before the flop their boards are not dealt out."""
    if ((tree.kind == SHOWDOWN) & (tree.street < 3)).any():
        raise UsageError(
            "A best response from before the flop needs a game in which nobody can be all-in before the river: limit "
            "betting with unlimited chips (acpc_limit_2p). Take --from river."
        )


def pairings(cards: int) -> int:
    """Return how many pairs of hands, one a seat, a board of so many cards leaves possible."""
    return comb(52 - cards, 2) * comb(50 - cards, 2)


def next_cards(board: Sequence[int], ignores_suits: bool) -> list[tuple[int, list[int]]]:
    """Return the cards that can follow a board of 3 or 4 cards, each with the renamings that lead to those it stands for.

    Where suits do not matter, cards that a renaming of suits makes one another are alike, if the renaming leaves the flop
    and the turn what they are. Renaming 0 changes nothing: the card itself.
    """
    free = [card for card in range(52) if card not in board]
    if not ignores_suits:
        return [(card, [0]) for card in free]
    flop, turn = np.array(board[:3]), np.array(board[3:], np.int64)
    kept = [
        number
        for number, suits in enumerate(RENAMINGS)
        if set((suits[flop // 13] * 13 + flop % 13).tolist()) == set(flop.tolist())
        and (suits[turn // 13] == turn // 13).all()
    ]
    out: list[tuple[int, list[int]]] = []
    seen: set[int] = set()
    for card in free:
        if card not in seen:
            images = {int(RENAMINGS[number][card // 13]) * 13 + card % 13: number for number in reversed(kept)}
            seen |= images.keys()
            out.append((card, list(images.values())))
    return out


def _counted(street: int, label: str) -> Callable[[int], None]:
    """Return a function that counts the boards of five that are done, and tells of them where there are several."""
    total, done = (0, 49 * 48, 48, 1)[street], [0]

    def count(boards: int) -> None:
        done[0] += boards
        if total > 1:
            tell(label, done[0], total)

    return count
