"""Local best response with all hands at once: what it wins on a board, over every hand of both.

:class:`~cardai.poker.responses.local_response.LocalResponder` plays single hands, and thousands of them must be played before the luck
of the cards is averaged out; a player that takes seconds for a decision cannot play thousands. But what it solves, it solves
for all its hands, and what it does after a bet is the same whatever the responder holds. So here a board is drawn, and
the public tree is walked once for all hands that the responder may hold, each choosing as the local best response does, against
all hands of the player: what is won on this board is then known without further luck, and boards alone are sampled.

Where many ways lead into the next round, ``branches`` of them are drawn, by how often and for how much they are played, and weighed
by their odds; for the others a guess stands in (that nothing more is bet once the next bet is answered), which as a control
variate leaves the mean as it is. Within a round all are followed, for what solves a round has solved all of it; of more than
``FEW`` (53 bets) ``branches`` are drawn.

Chance is a control variate too, as in AIVAT (Burch et al. 2018): what a turn or a river brings to those who then check to the
end is taken off, less what all cards bring on the mean, and what ends before the river counts over all rivers.

Equities are exact from the flop on and of 3,000 random boards before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
from attrs import evolve, field, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Float64s
from cardai.core.game import Tables
from cardai.core.legal import Amounts, legal_columns
from cardai.poker.hands.boards import BOARD_SIZES
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import amount_odds, deck_with, policies_of
from cardai.poker.ranges.leaves import apart, showdowns
from cardai.poker.responses.local_response import Lookahead, best_actions

_ROW = np.zeros(1, np.int64)
_FOLD, _CALL = 0, 1
FEW = 3
"""So many ways on within a betting round are all followed, whatever ``branches`` says: they cost no further solution."""
RIVERS = 4
"""How many times as many ways are followed into a river as into another round: to solve one costs little."""


@frozen(eq=False)
class Branch:
    """A way on from a public state: the table after an action, and how often each hand of both comes there."""

    tables: Tables
    mine: Float64s
    theirs: Float64s
    cards: int = 0
    """How many cards of the board were seen when the action was taken."""
    folding: Float64s | None = None
    """How often each of the player's hands is thought to fold to the bet that led here."""

    @property
    def actor(self) -> int:
        """The seat to act; negative at the end of the hand."""
        return int(self.tables.current_players()[0])


@frozen(eq=False)
class BoardWalk:
    """One board of five cards with the responder in ``seat``."""

    player: Agent
    ahead: Lookahead
    board: tuple[int, ...]
    seat: int
    branches: int = 0
    rng: np.random.Generator = field(factory=lambda: np.random.default_rng(0))
    level: bool = True
    """Whether what the cards of this board bring beyond what cards bring on the mean is taken off."""

    @property
    def open(self) -> Float64s:
        """(1326,) 1 for the hands that the board leaves."""
        return self._open(5)

    @property
    def pairings(self) -> float:
        """Return how many pairs of hands there are."""
        return float(self.open @ apart() @ self.open)

    def winnings(self) -> Float64s:
        """Return (1326,) chips that the responder wins with each hand, summed over the hands of the player."""
        tables = self.ahead.game.tables(1)
        tables.reset(np.zeros(1, np.uint64), deck_with(self.board)[None])
        return self._walk(Branch(tables, np.ones(COUNT), np.ones(COUNT)))

    # -- the tree --------------------------------------------------------------------------------------------------

    def _walk(self, branch: Branch) -> Float64s:
        """Return (1326,) what is won from here on, summed over the player's hands; 0 for hands that do not come here."""
        won, ways = self._round(branch)
        last = any(self._cards(one) == 5 for one in ways)
        guessed, ways = self._some(ways, self.branches * (RIVERS if last else 1))
        return np.asarray(sum((self._walk(one) for one in ways), won + guessed + self._luck(branch)))

    def _round(self, branch: Branch) -> tuple[Float64s, list[Branch]]:
        """Return (1326,) what is won where the hand ends in this betting round, and the ways into the next one."""
        actor, cards = branch.actor, self._cards(branch)
        out, open_ = np.zeros(COUNT), self._open(cards)
        mine, theirs = branch.mine * open_, branch.theirs * open_
        if not (mine @ apart() @ theirs) > 0:
            return out, []
        act = self._choices if actor == self.seat else self._answers
        here: list[Branch] = []
        ways: list[Branch] = []
        for action, own, other, folding in act(branch.tables, mine, theirs):
            if action == _FOLD:
                stake = self._spent(branch)[actor]
                out += own * self._met(other, cards) * (-stake if actor == self.seat else stake)
                continue
            way = Branch(self._after(branch.tables, action), own, other, cards, folding)
            if way.actor < 0:
                out += self._down(way)
            else:
                (here if self._cards(way) == cards else ways).append(way)
        if len(here) > FEW:
            guessed, here = self._some(here, self.branches)
            out += guessed
        for way in here:
            won, on = self._round(way)
            out += won
            ways += on
        return out, ways

    def _after(self, tables: Tables, action: int) -> Tables:
        after = self.ahead.game.tables(1)
        after.copy_rows(tables, _ROW)
        after.apply(_ROW, np.array([action], np.int64))
        return after

    def _some(self, ways: list[Branch], count: int) -> tuple[Float64s, list[Branch]]:
        """Return (1326,) what is guessed of ``ways``, and ``count`` of them (0: all), whose sum makes up for the guess on the mean."""
        out = np.zeros(COUNT)
        if not count or len(ways) <= count:
            return out, ways
        weights = np.array([self._weight(one) for one in ways])
        if not weights.sum() > 0:
            return out, []
        odds, guesses, drawn = weights / weights.sum(), [self._guess(one) for one in ways], []
        out += sum(guesses)
        for chosen in self.rng.choice(len(ways), count, p=odds):
            times = 1 / (odds[chosen] * count)
            out -= times * guesses[chosen]
            drawn.append(evolve(ways[chosen], mine=times * ways[chosen].mine))
        return out, drawn

    def _weight(self, branch: Branch) -> float:
        """Return how many pairs of hands come along a branch, times the chips of each that are then in.

        Where later cards of the board leave none, those that are left by the cards seen: they count over all cards to come.
        """
        for cards in (5, self._seen(branch.cards)):
            open_ = self._open(cards)
            pairs_ = (branch.mine * open_) @ apart() @ (branch.theirs * open_)
            if pairs_ > 0:
                return float(pairs_ * max(self._spent(branch)))
        return 0.0

    def _guess(self, branch: Branch) -> Float64s:
        """Return (1326,) what is won if the bet is answered, if there is one, and nothing more is bet."""
        down, spent = self._down(branch), self._spent(branch)
        if spent[0] == spent[1]:
            return down
        if branch.actor != self.seat:
            folding = np.zeros(COUNT) if branch.folding is None else branch.folding
            stays = Branch(branch.tables, branch.mine, branch.theirs * (1 - folding), branch.cards)
            return np.asarray(
                branch.mine * spent[1 - self.seat] * self._met(branch.theirs * folding, branch.cards)
                + self._down(stays)
            )
        theirs = branch.theirs * self._open(branch.cards)
        called = max(spent) * (self._wins(branch.cards) @ theirs) > -spent[self.seat] * (apart() @ theirs)
        return np.asarray(
            np.where(called, down, -branch.mine * spent[self.seat] * self._met(branch.theirs, branch.cards))
        )

    def _down(self, branch: Branch) -> Float64s:
        """Return (1326,) what is won if nothing more is bet: at the end of a hand what is won."""
        return self._checked(branch, self._seen(branch.cards))

    def _luck(self, branch: Branch) -> Float64s:
        """Return (1326,) what the cards that came since were worth on the mean, less what they are worth, if nothing is bet.

        Its mean over all boards is 0, for both came here before the cards did.
        """
        before, after = self._seen(branch.cards), self._seen(self._cards(branch))
        return np.zeros(COUNT) if before == after else self._checked(branch, before) - self._checked(branch, after)

    def _checked(self, branch: Branch, cards: int) -> Float64s:
        """Return (1326,) what is won on the mean of all boards with the first ``cards`` of this one, if nothing more is bet."""
        spent, open_ = self._spent(branch), self._open(cards)
        stake = (min(spent) if branch.actor < 0 else max(spent)) * self._left(cards)
        return np.asarray(branch.mine * open_ * stake * (self._wins(cards) @ (branch.theirs * open_)))

    def _seen(self, cards: int) -> int:
        """Return by how many cards of the board a sum is made where ``cards`` have been seen.

        The flop at least: what all flops bring on the mean is known of some random boards alone.
        """
        return max(cards, 3) if self.level else 5

    @staticmethod
    def _left(cards: int) -> float:
        """Return how often the rest of a board, of which ``cards`` are seen, leaves two hands that share no card."""
        return comb(48 - cards, 5 - cards) / comb(52 - cards, 5 - cards)

    def _cards(self, branch: Branch) -> int:
        """Return how many cards of the board are seen where somebody acts."""
        return BOARD_SIZES[int(branch.tables.views(self.seat, _ROW)[0]["round"])]

    def _spent(self, branch: Branch) -> tuple[float, float]:
        first, second = branch.tables.views(self.seat, _ROW)[0]["spent"]
        return float(first), float(second)

    def _met(self, theirs: Float64s, cards: int) -> Float64s:
        """Return (1326,) the weight of the player's hands that each hand meets on whole boards, of which ``cards`` are seen."""
        cards = self._seen(cards)
        open_ = self._open(cards)
        return np.asarray(self._left(cards) * open_ * (apart() @ (theirs * open_)))

    def _open(self, cards: int) -> Float64s:
        return left_by(self.board[:cards]).astype(np.float64)

    def _wins(self, cards: int) -> Float32s:
        """Return (1326, 1326) how often each hand wins less how often it loses, over what can still come."""
        return showdowns(self.board[:cards])

    # -- who acts --------------------------------------------------------------------------------------------------

    def _answers(
        self, tables: Tables, mine: Float64s, theirs: Float64s
    ) -> Iterator[tuple[int, Float64s, Float64s, Float64s | None]]:
        """Yield what the player may do, how often each hand of both comes there, and None."""
        views, legal = tables.views(1 - self.seat, _ROW), tables.legal(_ROW)
        live = np.flatnonzero(theirs)
        policy, offered = policies_of(self.player, views, legal, live)[0], legal_columns(legal)[0]
        for kind in np.flatnonzero(offered & (policy > 0).any(axis=0)):
            weights = np.zeros(COUNT)
            weights[live] = theirs[live] * policy[:, kind]
            if kind < 2 or not isinstance(legal, Amounts):
                yield int(kind), mine, weights, None
                continue
            amounts, shares = amount_odds(self.player, views, legal, live)
            for amount, odds in zip(amounts, shares.T, strict=True):
                each = np.zeros(COUNT)
                each[live] = weights[live] * odds
                if each.any():
                    yield int(amount), mine, each, None

    def _choices(
        self, tables: Tables, mine: Float64s, theirs: Float64s
    ) -> Iterator[tuple[int, Float64s, Float64s, Float64s | None]]:
        """Yield what the responder does with some of its hands, each with what is worth most to it; with a raise, who folds."""
        view, legal = tables.views(self.seat, _ROW)[0], tables.legal(_ROW)
        raises = self.ahead.raises(view, legal)
        folding, extra = self.ahead.folding(tables, 1 - self.seat, theirs, raises)
        ranges = np.stack([theirs, *(theirs * (1 - one) for one in folding)], axis=1)
        met = apart() @ ranges
        wins = self._wins(BOARD_SIZES[int(view["round"])]) @ ranges
        equity = 0.5 + 0.5 * np.divide(wins, met, out=np.zeros_like(met), where=met > 0)
        folds = 1 - np.divide(met[:, 1:], met[:, :1], out=np.ones_like(met[:, 1:]), where=met[:, :1] > 0)
        actions, best = best_actions(view, legal, raises, equity.T, folds.T, extra)
        for k, action in enumerate(actions):
            chosen = np.where(best == k, mine, 0.0)
            if chosen.any():
                yield action, chosen, theirs, folding[raises.index(action)] if action in raises else None
