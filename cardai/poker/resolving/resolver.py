"""Continual re-solving: at each decision the game is solved anew from there, tied to what was solved before.

Between decisions a player carries two vectors, its own range and what it has promised each of the opponent's hands (Moravcik
et al., "DeepStack: Expert-level artificial intelligence in heads-up no-limit poker", 2017). Its own action changes both, a
dealt card takes away what it blocks, and the opponent's action changes neither: so a bet of any size is met as it is. Behind
a gadget (:func:`cardai.poker.ranges.public_tree.gadget`) the opponent's hands may take the promise instead of playing on.

A decision is a function of the public state: what is carried is worked out along the hand, and kept for the next decision.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from hashlib import sha256
from math import inf
from threading import BoundedSemaphore
from time import monotonic
from typing import TypeVar

import numpy as np
from attrs import evolve, frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.ranges import _walk_kernels as kernels
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.menus import ALL_IN, Menu
from cardai.poker.ranges.position import PublicState, deal_card, start, step
from cardai.poker.ranges.public_tree import Action, Node, PublicTree, gadget, tree_after
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.ranges.solver import Solver
from cardai.poker.resolving.depth_limit import DepthLimit
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.weights import normal, scaled

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

KEPT = 64
"""How many solved decisions are kept: all of a hand."""
FIRST = 100
"""How many of the first round are kept besides."""
_AT_ONCE = BoundedSemaphore(2)
"""So many decisions are solved at once in a process: each takes some ten MB until it is done."""


BlueprintRanges = Callable[[Public], Float64s]
"""Returns (2, K) both ranges at the beginning of the first round that is solved, by seat (default: every hand as likely)."""
Promises = Callable[[Public, int], Float64s]
"""Returns (K,) what a seat's hands are promised there, times the other's range (default: nothing, both ranges are known)."""


@frozen(eq=False)
class Constraints:
    """What is carried to a decision: both ranges (2, K) by seat, and what the opponent's hands were promised (K,).

    Without a promise the opponent's range is known: the first decision of a hand, and unsafe re-solving.
    """

    ranges: Float64s
    promised: Float64s | None = None
    belief: float = 0.0
    """How much of the opponent's hands are believed to hold its range: less after what the solutions hardly ever do, none after a
    bet that lies in none of them."""


@frozen(eq=False)
class Decision:
    """A decision that has been solved. ``place`` is its own in the solved tree, on the tree's first street."""

    public: Public
    place: PublicState
    solver: Solver
    ranges: Float64s
    """(2, K) both ranges there, by seat."""
    belief: float
    """As of :class:`Constraints`."""
    strategy: Float64s
    """(A, K) how often each hand takes each action; zero for hands that the board blocks."""
    seconds: float
    """The time that it took, 0 if it was taken from the solution of an earlier one."""
    promised: Float64s | None = None
    """(K,) what each of the opponent's hands was promised, in chips against a range that sums to 1; None: nothing was, or the decision
    was taken from the solution of an earlier one."""

    @property
    def root(self) -> Node:
        """The decision's node."""
        return self.place.node


def nearest(actions: Sequence[Action], action: int, limit: bool) -> int:
    """Return which of ``actions`` a game's action is: the same, else the bet whose amount is nearest, else the call."""
    kinds = [one.kind for one in actions]
    if action < 2 and action in kinds:
        return kinds.index(action)
    bets = [k for k, one in enumerate(actions) if one.kind == 2]
    if action < 2 or not bets:
        return kinds.index(1)
    return bets[0] if limit else min(bets, key=lambda k: abs(actions[k].amount - action))


class Resolver:
    """Solves decisions of one game, each tied to the last."""

    def __init__(
        self,
        game: RangeGame,
        settings: SolverSettings,
        depth_limit: DepthLimit,
        blueprint_ranges: BlueprintRanges | None = None,
        kept: int = KEPT,
        promises: Promises | None = None,
    ) -> None:
        self.game, self.settings, self.depth_limit = game, settings, depth_limit
        self.blueprint_ranges, self.promises, self.kept = blueprint_ranges, promises, kept
        self._known: OrderedDict[tuple[int, Public], Decision] = OrderedDict()
        self._first: OrderedDict[tuple[int, Public], Decision] = OrderedDict()
        """Decisions of the first round, which come again in other hands."""
        self._solved: OrderedDict[Hashable, Decision] = OrderedDict()
        """What was solved, by all that it depends on: without a promise it is the same for both seats."""
        self._until = inf
        """When what is under way must have been answered."""

    def decision(self, public: Public, me: int) -> Decision:
        """Return the solved decision at ``public``, whoever acts there, as seat ``me`` sees it.

        Raises UsageError if nobody is to act.
        """
        self._until = monotonic() + self._seconds(public, me)
        try:
            found = self._known_or_found(public, me, 0)
        finally:
            self._until = inf
        self._let_go(public, me)
        return found

    def _known_or_found(self, public: Public, me: int, later: int) -> Decision:
        """Return the decision; ``later``: how many solutions must come after it before there is an answer."""
        known, most = (self._known, self.kept) if public.round else (self._first, FIRST)
        for key in [key for key in known if key[1].leads_to(public)]:
            known.move_to_end(key)  # what led here is asked for again with what comes next
        return remembered(known, (me, public), most, lambda: self._find(public, me, later))

    def forget(self) -> None:
        """Let go of what was solved, but for the first round's decisions, which come again."""
        self._known, self._solved = OrderedDict(), OrderedDict()

    def _let_go(self, public: Public, me: int) -> None:
        """Let go of a seat's earlier rounds where one hand alone is under way: nothing that follows asks for them."""
        known = self._known
        if self.settings.hand_seconds or not all(key[1].leads_to(public) for key in known):
            return
        for key in [key for key in known if key[0] == me and key[1].round < public.round]:
            del known[key]
        left = {id(decision.solver) for decision in known.values()}
        for whole in [whole for whole, decision in self._solved.items() if id(decision.solver) not in left]:
            del self._solved[whole]

    def _seconds(self, public: Public, me: int) -> float:
        """Return the seconds for an answer, with all that must be solved on the way to it; inf if there is no limit."""
        settings, limits = self.settings, [inf]
        if settings.seconds:
            limits.append(settings.seconds)
        if settings.hand_seconds:
            spent = sum(one.seconds for (seat, _), one in self._of_hand(public) if seat == me)
            limits.append((settings.hand_seconds - spent) / 2)
        return min(limits)

    def _of_hand(self, public: Public) -> Iterator[tuple[tuple[int, Public], Decision]]:
        """Yield the decisions that are kept of the hand that has come to ``public``."""
        for key, decision in (*self._first.items(), *self._known.items()):
            if key[1].leads_to(public):
                yield key, decision

    # -- what is carried -----------------------------------------------------------------------------------------------

    def _find(self, public: Public, me: int, later: int) -> Decision:
        solved = [k for k, (_, round_, _) in enumerate(public.actions) if round_ >= self.game.first]
        mine = [k for k in solved if public.actions[k][2] == me]
        here = [k for k in solved if public.actions[k][1] == public.round]
        if not solved:
            return self._solve(public, me, self._start(public, me), later)
        tied = self.settings.gadget and (public.round == 0 or self.depth_limit.promises(public.round - 1))
        opened = not mine or (here and mine[-1] < here[0] and (not tied or self.settings.believed > 0))
        count = here[0] if opened else mine[-1]
        before = public.before(count, self.game.board_cards)
        last = self._known_or_found(before, me, later + (not self._lies_in(before, public, count)))
        again = self._again(last, me, public, count) if self.settings.reuse else None
        return again or self._solve(public, me, self._after(last, me, public, count), later)

    def _lies_in(self, before: Public, public: Public, count: int) -> bool:
        """Whether ``public`` will have been solved with ``before``, so that nothing follows for which time must be left."""
        if self._until == inf or not self.settings.reuse or before.round != public.round:
            return False
        node = self._tree(before)[1].root
        for action, _, _ in public.actions[count:]:
            chosen, same = self._chosen(node, action)
            if not same:
                return False
            node = node.children[chosen]
        return True

    def _again(self, last: Decision, me: int, public: Public, count: int) -> Decision | None:
        """Return the decision as it was solved with ``last``, if it lies there with the very bets that were made."""
        if public.round != last.public.round:
            return None
        place, ranges, belief = last.place, last.ranges, last.belief
        for action, _, _ in public.actions[count:]:
            chosen, same = self._chosen(place.node, action)
            if not same:
                return None
            ranges, place, belief = self._acted(last, place, chosen, ranges, belief, me)
        return Decision(public, place, last.solver, ranges, belief, self._strategy(last.solver, place.node), 0.0)

    def _chosen(self, node: Node, action: int) -> tuple[int, bool]:
        """Return which of a node's actions a game's action is, and whether it is that very one."""
        chosen = nearest(node.actions, action, not self.game.betting.no_limit)
        bet = node.actions[chosen].kind == 2 and self.game.betting.no_limit
        return chosen, not bet or node.actions[chosen].amount == action

    def _acted(
        self, last: Decision, place: PublicState, chosen: int, ranges: Float64s, belief: float, me: int
    ) -> tuple[Float64s, PublicState, float]:
        """Return both ranges (2, K) after an action, by Bayes, where it leads, and what is then believed.

        That the opponent plays as it was solved, and not anything at all, is as likely as it was times how often the solution
        acts so; it is never believed more than the settings say.
        """
        actor, (numbers, strategy) = place.node.actor, last.solver.average((), place.node)
        out = np.array(ranges)
        out[actor, numbers] *= strategy[chosen]
        if actor != me and belief:
            likely = belief * float(out[actor, numbers].sum()) / max(float(ranges[actor, numbers].sum()), 1e-300)
            belief = min(self.settings.believed, likely / (likely + (1 - belief) / len(strategy)))
        return out, step(place, chosen), belief

    def _strategy(self, solver: Solver, node: Node) -> Float64s:
        numbers, found = solver.average((), node)
        out = np.zeros((len(found), len(self.game.hands.cards)))
        out[:, numbers] = found
        return out

    def _start(self, public: Public, me: int) -> Constraints:
        ranges = np.ones((2, len(self.game.hands.cards)))
        if self.blueprint_ranges is not None:
            ranges = np.array(self.blueprint_ranges(public), np.float64)
        promised, here = None, ~np.isin(self.game.hands.cards, public.board).any(axis=1)
        came = ranges[me, here].any()  # else it is here by mistake
        if self.promises is not None and self.settings.gadget and came:
            promised = scaled(self.promises(public, 1 - me), ranges[me], public.board, self.game.hands)
        ranges = np.stack([normal(one, public.board, self.game.hands) for one in ranges])
        return Constraints(ranges, promised, self.settings.believed)

    def _after(self, last: Decision, me: int, public: Public, count: int) -> Constraints:
        """Return what is carried from ``last``, the decision at action ``count``, to ``public``.

        The opponent's hands are promised what they are worth in their last decision, or once the cards have come.
        """
        hands, belief = self.game.hands, last.belief
        place, ranges, asked = last.place, last.ranges, last.place
        for action, round_, _ in public.actions[count:]:
            if round_ > last.public.round:
                break
            asked = place if place.node.actor != me else asked
            chosen, same = self._chosen(place.node, action)
            ranges, place, belief = self._acted(last, place, chosen, ranges, belief if same else 0.0, me)
        promised, ahead = None, public.round > last.public.round
        if self.settings.gadget and ahead and self.depth_limit.promises(last.public.round):
            promised = self._worth_dealt(last, place, 1 - me, public.board[len(last.public.board) :])
        elif self.settings.gadget and not ahead:
            promised = self._worth(last, asked, 1 - me)
        if promised is not None:
            promised = scaled(promised, ranges[me], public.board, hands)
        return Constraints(np.stack([normal(one, public.board, hands) for one in ranges]), promised, belief)

    def _worth(self, last: Decision, place: PublicState, player: int) -> Float64s:
        """Return (K,) what the player's hands are worth at ``place``, on the first street of a solution."""
        work, numbers = last.solver.look((), player, kernels.RESPOND), last.solver.hands
        out = np.zeros(len(self.game.hands.cards))
        out[numbers] = work.values[place.node.index, : len(numbers)]
        return out

    def _worth_dealt(self, last: Decision, place: PublicState, player: int, cards: Sequence[int]) -> Float64s:
        """Return (K,) what the player's hands are worth once ``cards`` have come behind the chance node of ``place``."""
        solver, out = last.solver, np.zeros(len(self.game.hands.cards))
        if solver.leaves is not None:
            return solver.dealt(player, place.node, cards[0])
        for card in cards:
            place = deal_card(solver, place, card)
        work = solver.look(place.path, player, kernels.RESPOND)
        numbers = solver.layout.boards[len(place.path)].hands[place.path[-1]]
        out[place.hands[numbers]] = work.values[place.node.index, : len(numbers)]
        return out

    # -- solving -------------------------------------------------------------------------------------------------------

    def _solve(self, public: Public, me: int, carried: Constraints, later: int) -> Decision:
        tied = carried.promised is not None
        carries = carried.ranges.tobytes() + (carried.promised.tobytes() if tied else b"")  # type: ignore[union-attr]
        whole = public, sha256(carries).digest(), me if tied else -1
        most = max(1, self.kept // 2)
        return remembered(self._solved, whole, most, lambda: self._solve_anew(public, me, carried, later))

    def _solve_anew(self, public: Public, me: int, carried: Constraints, later: int) -> Decision:
        asked = monotonic()
        with _AT_ONCE:
            self._until += monotonic() - asked  # another's turn takes none of this one's time
            return self._solve_now(public, me, carried, later)

    def _tree(self, public: Public) -> tuple[RangeGame, PublicTree, int]:
        """Return the game with the hand's stacks, the tree from ``public`` on and its last round; with all-in alone for bets where the
        menus make it too large."""
        game = self.game if public.stacks is None else evolve(self.game, stacks=public.stacks)
        known = game.betting, game.stacks, public.button, public.history
        until = self.depth_limit.until(public.round, game.betting.num_rounds)
        menus = (*game.menus[: public.round + 1], *(game.ahead or game.menus)[public.round + 1 :])
        try:
            return game, tree_after(*known, menus, until), until
        except UsageError:
            if not game.betting.no_limit:
                raise
        return game, tree_after(*known, (Menu(((ALL_IN,),)),) * game.betting.num_rounds, until), until

    def _solve_now(self, public: Public, me: int, carried: Constraints, later: int) -> Decision:
        began, settings = monotonic(), self.settings
        game, tree, last = self._tree(public)
        ranges, forced = np.array(carried.ranges), None
        if carried.promised is not None:
            tree = gadget(tree, 1 - me)
            believed = carried.belief
            known, any_ = ranges[1 - me] * believed, normal(np.ones(len(ranges[0])), public.board, game.hands)
            mixed = known + any_ * (1 - believed)
            if believed:
                forced = np.where(mixed > 0, known / np.where(mixed > 0, mixed, 1.0), 0.0)
            ranges[1 - me] = mixed * len(mixed)
        walked = last - public.round + 1
        boards = deal_boards(game.hands, public.board, walked, ranges, isomorphic=False)
        layout = TreeLayout(tree, game.hands, boards, forced=forced)
        solver = Solver(
            layout, ranges, variant=settings.variant, dtype=settings.dtype, promised=carried.promised, threads=settings.threads,
            leaves=self.depth_limit.leaves(game, public.round, public.board, boards[0].hands[0], public.button)
            if layout.leaves
            else None,
        )  # fmt: skip
        _run(solver, settings, public.round, max(1e-3, (self._until - began) / (later + 1)), began)
        solver.settle()
        place = start(solver, list(public.board))
        place = place if carried.promised is None else step(place, 1)
        return Decision(
            public,
            place,
            solver,
            carried.ranges,
            carried.belief,
            self._strategy(solver, place.node),
            monotonic() - began,
            carried.promised,
        )


def remembered(known: OrderedDict[K, V], key: K, most: int, find: Callable[[], V]) -> V:
    """Return what ``known`` has for ``key``, found and kept if need be: the ``most`` that were asked for last."""
    if key not in known:
        known[key] = find()
        while len(known) > most:
            known.popitem(last=False)
    known.move_to_end(key)
    return known[key]


def _run(solver: Solver, settings: SolverSettings, round_: int, seconds: float, began: float) -> None:
    """Iterate: all that were asked for, or those that fit into ``seconds`` (inf: all)."""
    iterations = settings.of_round(round_)
    skip = min(settings.skip, iterations - 1)
    if seconds == inf:
        if skip:
            solver.run(skip)
            solver.forget_average()
        solver.run(iterations - skip)
        return
    each = seconds if solver.layout.leaves else solver.layout.seconds  # what a network takes is known once it was asked
    while solver.iterations < iterations:
        left = seconds - (monotonic() - began)
        if solver.iterations and left < each:
            return
        count = max(1, min(iterations - solver.iterations, int(0.25 * left / each)))
        before = monotonic()
        solver.run(count)
        each = max((monotonic() - before) / count, 1e-7)
