"""Local best response with all hands at once: what it wins on a board, over every hand of both.

:func:`~cardai.solve.local_response.local_response` plays single hands, and thousands of them must be played before the luck
of the cards is averaged out; a player that takes seconds for a decision cannot play thousands. But what it solves, it solves
for all its hands, and what it does after a bet is the same whatever the responder holds. So here a board is drawn, and
the public tree is walked once for all hands that the responder may hold, each choosing as the local best response does, against
all hands of the player: what is won on this board is then known without further luck, and boards alone are sampled.

Where many ways lead on (53 bets), ``branches`` of them are drawn at each state, by how often and for how much they are played,
and weighed by their odds; for the others a guess stands in (that nothing more is bet once the next bet is answered), which as
a control variate leaves the mean as it is.

Equities are exact from the flop on and of 3,000 random boards before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from attrs import field, frozen

from cardai.arena.statistics import Estimate, mean
from cardai.cards.poker.combos import COUNT, left_by
from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Float64s
from cardai.core.errors import UsageError
from cardai.core.game import Game, Tables
from cardai.core.legal import Amounts, legal_columns, take
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.solve.aivat_holdem import amount_odds, need_odds
from cardai.solve.local_response import Bets, LocalResponse, checked, policy_of, raises_of, with_holes
from cardai.solve.range_policy import deck_with
from cardai.subgames.holdem_resolving import BOARD_CARDS, apart, showdowns

_ROW = np.zeros(1, np.int64)
_FOLD, _CALL = 0, 1


def board_response(
    game: Game,
    agent: Agent,
    *,
    boards: int = 20,
    bets: Bets = "legal",
    rounds: Sequence[int] | None = None,
    seed: int = 0,
    estimates: Agent | None = None,
    branches: int = 0,
    progress: Callable[[int, int, Estimate], None] | None = None,
) -> LocalResponse:
    """Return what a local best response wins from ``agent`` on each of ``boards`` random boards, the mean over both seats.

    ``bets``, ``rounds`` and ``estimates`` are those of :func:`~cardai.solve.local_response.local_response`. ``branches``: how
    many ways on are followed at a state, drawn with replacement by how much comes there (0: all). ``progress`` hears of
    (boards done, boards in all, mbb so far). Ctrl-C returns the boards that were finished.

    Raises:
        UsageError: the game is not hold'em for two, or the agent's probabilities, or those of its amounts, cannot be asked
            for.
    """
    allowed = checked(game, agent, rounds, estimates)
    if boards < 1 or branches < 0:
        raise UsageError(f"There must be 1 board at least, and branches from 0 on. Got {boards} and {branches}.")
    player = agent.for_game(game)
    need_odds(game, player, brief(agent))
    guess = estimates.for_game(game) if estimates else player
    big_blind, found = int(game.big_blind), []  # type: ignore[attr-defined]
    try:
        for number in range(boards):
            drawn = np.random.default_rng(derive(seed, "board", number)).permutation(52)[:5]
            board, walked = tuple(int(card) for card in drawn), []
            for seat in (0, 1):
                rng = np.random.default_rng(derive(seed, "branch", number, seat))
                walk = BoardWalk(game, player, guess, bets, allowed, board, seat, branches, rng)
                walked.append(float(walk.winnings().sum()) / walk.pairings)
            found.append(sum(walked) / 2)
            if progress:
                progress(len(found), boards, mean(np.array(found)).scaled(1000 / big_blind))
    except KeyboardInterrupt:
        pass
    return LocalResponse(np.array(found), big_blind)


@frozen(eq=False)
class _Way:
    """A way on from a state: the table after an action, and how often each hand of both comes there."""

    tables: Tables
    mine: Float64s
    theirs: Float64s
    folding: Float64s | None = None
    """How often each of the player's hands is thought to fold to the bet that led here."""

    @property
    def actor(self) -> int:
        """The seat to act; negative at the end of the hand."""
        return int(self.tables.current_players()[0])


@frozen(eq=False)
class BoardWalk:
    """One board of five cards with the responder in ``seat``."""

    game: Game
    player: Agent
    estimates: Agent
    bets: Bets
    rounds: frozenset[int]
    board: tuple[int, ...]
    seat: int
    branches: int = 0
    rng: np.random.Generator = field(factory=lambda: np.random.default_rng(0))
    _known: dict[int, Float32s] = field(factory=dict, init=False)

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
        tables = self.game.tables(1)
        tables.reset(np.zeros(1, np.uint64), deck_with(self.board)[None])
        return self._walk(_Way(tables, np.ones(COUNT), np.ones(COUNT)))

    # -- the tree --------------------------------------------------------------------------------------------------

    def _walk(self, way: _Way) -> Float64s:
        """Return (1326,) what is won from here on, summed over the player's hands; 0 for hands that do not come here."""
        tables = way.tables
        actor = way.actor
        if actor < 0:
            return self._down(way)
        view = tables.views(actor, _ROW)[0]
        open_ = self._open(BOARD_CARDS[int(view["round"])])
        mine, theirs = way.mine * open_, way.theirs * open_
        if not (mine @ apart() @ theirs) > 0:
            return np.zeros(COUNT)
        act = self._choices if actor == self.seat else self._answers
        out, ways = np.zeros(COUNT), []
        for action, own, other, folding in act(tables, mine, theirs):
            if action == _FOLD:
                stake = float(view["spent"][actor])
                out += own * self._met(other) * (-stake if actor == self.seat else stake)
                continue
            after = self.game.tables(1)
            after.copy_rows(tables, _ROW)
            after.apply(_ROW, np.array([action], np.int64))
            ways.append(_Way(after, own, other, folding))
        return out + self._followed(ways)

    def _followed(self, ways: list[_Way]) -> Float64s:
        """Return (1326,) what is won by several ways: the sum, or an estimate of it by some of them."""
        going = [way for way in ways if way.actor >= 0]
        out = sum((self._down(way) for way in ways if way.actor < 0), np.zeros(COUNT))
        if not self.branches or len(going) <= self.branches:
            return np.asarray(sum((self._walk(way) for way in going), out))
        weights = np.array([self._weight(way) for way in going])
        if not weights.sum() > 0:
            return out
        odds, guesses = weights / weights.sum(), [self._guess(way) for way in going]
        out = sum(guesses, out)
        for chosen in self.rng.choice(len(going), self.branches, p=odds):
            out = out + (self._walk(going[chosen]) - guesses[chosen]) / (odds[chosen] * self.branches)
        return out

    def _weight(self, way: _Way) -> float:
        """Return how many pairs of hands come along a way, times the chips of each that are then in."""
        pairs_ = (way.mine * self.open) @ apart() @ (way.theirs * self.open)
        return float(pairs_ * max(self._spent(way)))

    def _guess(self, way: _Way) -> Float64s:
        """Return (1326,) what is won if the bet is answered, if there is one, and nothing more is bet."""
        down, spent = self._down(way), self._spent(way)
        if spent[0] == spent[1]:
            return down
        if way.actor != self.seat:
            folding = np.zeros(COUNT) if way.folding is None else way.folding
            stays = _Way(way.tables, way.mine, way.theirs * (1 - folding))
            return np.asarray(way.mine * spent[1 - self.seat] * self._met(way.theirs * folding) + self._down(stays))
        cards = BOARD_CARDS[int(way.tables.views(self.seat, _ROW)[0]["round"])]
        theirs = way.theirs * self._open(cards)
        called = max(spent) * (self._wins(cards) @ theirs) > -spent[self.seat] * (apart() @ theirs)
        return np.asarray(np.where(called, down, -way.mine * spent[self.seat] * self._met(way.theirs)))

    def _down(self, way: _Way) -> Float64s:
        """Return (1326,) what is won if nothing more is bet: at the end of a hand what is won."""
        spent = self._spent(way)
        stake = min(spent) if way.actor < 0 else max(spent)
        return np.asarray(way.mine * self.open * stake * (self._wins(5) @ (way.theirs * self.open)))

    def _spent(self, way: _Way) -> tuple[float, float]:
        first, second = way.tables.views(self.seat, _ROW)[0]["spent"]
        return float(first), float(second)

    def _met(self, theirs: Float64s) -> Float64s:
        """Return (1326,) the weight of the player's hands that each hand meets on the whole board; 0 for hands on it."""
        return np.asarray(self.open * (apart() @ (theirs * self.open)))

    def _open(self, cards: int) -> Float64s:
        return left_by(self.board[:cards]).astype(np.float64)

    def _wins(self, cards: int) -> Float32s:
        """Return (1326, 1326) how often each hand wins less how often it loses, over what can still come."""
        if cards not in self._known:
            self._known[cards] = _before_the_flop() if not cards else showdowns(self.board[:cards])
        return self._known[cards]

    # -- who acts --------------------------------------------------------------------------------------------------

    def _answers(
        self, tables: Tables, mine: Float64s, theirs: Float64s
    ) -> Iterator[tuple[int, Float64s, Float64s, Float64s | None]]:
        """Yield what the player may do, how often each hand of both comes there, and None."""
        views, legal = tables.views(1 - self.seat, _ROW), tables.legal(_ROW)
        live = np.flatnonzero(theirs)
        policy, offered = policy_of(self.player, views, legal, live), legal_columns(legal)[0]
        for kind in np.flatnonzero(offered & (policy > 0).any(axis=0)):
            weights = np.zeros(COUNT)
            weights[live] = theirs[live] * policy[:, kind]
            if kind < 2 or not isinstance(legal, Amounts):
                yield int(kind), mine, weights, None
                continue
            rows = take(legal, np.zeros(len(live), np.int64))
            assert isinstance(rows, Amounts)
            amounts, shares = amount_odds(self.player, with_holes(views, live), rows, brief(self.player))
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
        pot, asked = float(view["pot"]), float(view["to_call"])
        raises = list(raises_of(self.bets, view, legal)) if int(view["round"]) in self.rounds else []
        folding, extra = self._folding(tables, theirs, raises)
        ranges = np.stack([theirs, *(theirs * (1 - one) for one in folding)], axis=1)
        met = apart() @ ranges
        wins = self._wins(BOARD_CARDS[int(view["round"])]) @ ranges
        equity = 0.5 + 0.5 * np.divide(wins, met, out=np.zeros_like(met), where=met > 0)
        folds = 1 - np.divide(met[:, 1:], met[:, :1], out=np.ones_like(met[:, 1:]), where=met[:, :1] > 0)
        showdown = equity[:, 1:] * (pot + extra) - (1 - equity[:, 1:]) * (asked + extra)
        worth = {_FOLD: np.zeros(COUNT), _CALL: equity[:, 0] * pot - (1 - equity[:, 0]) * asked}
        worth |= {action: folds[:, k] * pot + (1 - folds[:, k]) * showdown[:, k] for k, action in enumerate(raises)}
        offered = legal_columns(legal)[0]
        actions = [action for action in worth if action >= 2 or offered[action]]
        best = np.argmax([worth[action] for action in actions], axis=0)
        for k, action in enumerate(actions):
            chosen = np.where(best == k, mine, 0.0)
            if chosen.any():
                yield action, chosen, theirs, folding[raises.index(action)] if action in raises else None

    def _folding(self, tables: Tables, theirs: Float64s, raises: list[int]) -> tuple[list[Float64s], Float64s]:
        """Return for each raise how often each hand of the player folds to it (1326,), and the chips raised beyond a call."""
        live, rows = np.flatnonzero(theirs), np.arange(len(raises))
        tried = self.game.tables(max(len(raises), 1))
        tried.copy_rows(tables, np.zeros(len(raises) or 1, np.int64))
        if not raises:
            return [], np.zeros(0)
        tried.apply(rows, np.array(raises, np.int64))
        views, legal, out = tried.views(1 - self.seat, rows), tried.legal(rows), []
        for k in rows:
            folding = np.zeros(COUNT)
            folding[live] = policy_of(self.estimates, views[k : k + 1], take(legal, rows[k : k + 1]), live)[:, _FOLD]
            out.append(folding)
        return out, views["to_call"].astype(np.float64)


@cache
def _before_the_flop() -> Float32s:
    """Return the table of two hands before the flop, which every board begins with."""
    return showdowns(())
