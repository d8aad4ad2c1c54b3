"""A best response from the turn or the river on, along hands that are played: for players that take seconds a decision.

:mod:`cardai.solve.response_measure` asks a player at every public state of a board, which a player that solves each decision
cannot answer in a day. Here the player plays hands against itself. Where one comes to the street, both ranges are known (the
player is asked about all its hands at each decision on the way), and what best responses of either seat win from there
on is counted out over all cards and bets that can come. Hands that end before add nothing. As the states are come to as often as
they are played, the mean over hands is what a best response from that street wins: the same as over all states.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import field, frozen

from cardai.arena.statistics import Estimate, mean
from cardai.cards.poker.combos import COUNT, left_by, pair_index
from cardai.cards.poker.fields import is_holdem
from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Float64s
from cardai.core.errors import UsageError
from cardai.core.game import Game, Tables
from cardai.core.legal import legal_columns
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.solve.local_response import policy_of
from cardai.solve.range_policy import deck_with, need_policy
from cardai.subgames.holdem_resolving import BOARD_CARDS, apart, showdowns

_ROW = np.zeros(1, np.int64)
_FOLD = 0


@frozen(eq=False)
class LateResponse:
    """``gains`` (hands,): chips a hand, mean over both seats, that best responses win after each played hand came there."""

    gains: Float64s
    reached: int
    """How many of the hands came to the street."""
    big_blind: int

    @property
    def mbb(self) -> Estimate:
        """Thousandths of a big blind a hand."""
        return mean(self.gains).scaled(1000 / self.big_blind)


def late_response(
    game: Game,
    agent: Agent,
    street: int,
    *,
    hands: int = 100,
    seed: int = 0,
    progress: Callable[[int, int, Estimate], None] | None = None,
) -> LateResponse:
    """Return what best responses from ``street`` on (2 the turn, 3 the river) win from ``agent``, by ``hands`` played hands.

    ``progress`` hears of (hands done, hands in all, mbb so far). Ctrl-C returns the hands that were finished.

    Raises:
        UsageError: the game is not hold'em for two with limit or laddered bets, the agent's probabilities cannot be asked
            for, or the street is another.
    """
    if not is_holdem(game) or game.num_players != 2:
        raise UsageError(f"A best response along hands is for hold'em of two players. {brief(game)} is not.")
    need_policy(agent, agent)
    if game.amounts:
        raise UsageError(f"A best response answers limit or laddered bets. {brief(game)} has raises to any amount.")
    if street not in (2, 3):
        raise UsageError(f"Along played hands a best response begins on the turn (2) or the river (3). Got {street}.")
    if hands < 1:
        raise UsageError(f"There must be 1 hand at least. Got {hands}.")
    player, big_blind = agent.for_game(game), int(game.big_blind)  # type: ignore[attr-defined]
    gains: list[float] = []
    reached = 0
    try:
        for number in range(hands):
            came = _come(game, player, street, seed, number)
            gains.append(0.0 if came is None else came.gain())
            reached += came is not None
            if progress:
                progress(len(gains), hands, mean(np.array(gains)).scaled(1000 / big_blind))
    except KeyboardInterrupt:
        pass
    return LateResponse(np.array(gains), reached, big_blind)


def _come(game: Game, player: Agent, street: int, seed: int, number: int) -> Start | None:
    """Play a hand until the street begins; None if it ends before."""
    tables, rng = game.tables(1), np.random.default_rng(derive(seed, "play", number))
    tables.reset(np.array([derive(seed, "deal", number)], np.uint64))
    reach = np.ones((2, COUNT))
    path: list[int] = []
    while (seat := int(tables.current_players()[0])) >= 0:
        views = tables.views(seat, _ROW)
        board = tuple(int(card) for card in views[0]["board"] if card >= 0)
        open_ = left_by(board)
        if int(views[0]["round"]) >= street:
            return Start(game, player, board, tuple(path), reach * open_)
        live, hole = np.flatnonzero(reach[seat] * open_), views["hole"][0].astype(np.int64)
        policy = policy_of(player, views, tables.legal(_ROW), live)
        held = int(np.searchsorted(live, pair_index(hole[:1], hole[1:])[0]))
        action = int(rng.choice(policy.shape[1], p=policy[held] / policy[held].sum()))
        reach[seat] *= open_
        reach[seat, live] *= policy[:, action]
        tables.apply(_ROW, np.array([action], np.int64))
        path.append(action)
    return None


@frozen(eq=False)
class Start:
    """Where a hand came: the board, the actions before, and (2, 1326) how often either seat's hands come there."""

    game: Game
    player: Agent
    board: tuple[int, ...]
    path: tuple[int, ...]
    reach: Float64s
    _wins: dict[tuple[int, ...], Float32s] = field(factory=dict, init=False)

    def gain(self) -> float:
        """Return what best responses win from here on, mean over the seats, in chips a hand that comes here."""
        met = float(self.reach[0] @ apart() @ self.reach[1])
        return sum(float(self.reach[seat] @ self.best(seat)) for seat in (0, 1)) / 2 / met

    def best(self, seat: int) -> Float64s:
        """Return (1326,) what a best response in ``seat`` wins with each hand, summed over the other's by their reach."""
        return self._best(seat, self._at(self.path, self.board), self.path, self.board, self.reach[1 - seat])

    def _best(
        self, seat: int, tables: Tables, path: tuple[int, ...], board: tuple[int, ...], theirs: Float64s
    ) -> Float64s:
        """Return :meth:`best` at ``tables``, where ``path`` leads on ``board``."""
        if not theirs.any():
            return np.zeros(COUNT)
        actor = int(tables.current_players()[0])
        if actor < 0:
            return self._down(tables, board, theirs)
        views, legal = tables.views(actor, _ROW), tables.legal(_ROW)
        spent, cards = views[0]["spent"], BOARD_CARDS[int(views[0]["round"])]
        assert cards == len(board)
        if actor != seat:
            live = np.flatnonzero(theirs)
            policy = np.zeros((COUNT, self.game.num_distinct_actions))
            policy[live] = policy_of(self.player, views, legal, live)
        worth = []
        for action in np.flatnonzero(legal_columns(legal)[0]):
            left = theirs if actor == seat else theirs * policy[:, action]
            if action == _FOLD:
                stake = float(spent[actor])
                worth.append(left_by(board) * (apart() @ left) * (-stake if actor == seat else stake))
            else:
                worth.append(self._next(seat, (*path, int(action)), board, left))
        return np.asarray(np.max(worth, axis=0) if actor == seat else np.sum(worth, axis=0))

    def _next(self, seat: int, path: tuple[int, ...], board: tuple[int, ...], theirs: Float64s) -> Float64s:
        """Return :meth:`_best` after an action, the mean over all cards that come if the round is over with it."""
        tables = self._at(path, board)
        actor = int(tables.current_players()[0])
        view = tables.views(max(actor, 0), _ROW)[0]
        if len(board) == 5 or (actor >= 0 and BOARD_CARDS[int(view["round"])] == len(board)):
            return self._best(seat, tables, path, board, theirs)
        out = np.zeros(COUNT)
        for card in range(52):
            if card not in board:
                open_ = left_by((*board, card))
                there = self._at(path, (*board, card))
                out += open_ * self._best(seat, there, path, (*board, card), theirs * open_)
        return out / (52 - len(board) - 4)

    def _down(self, tables: Tables, board: tuple[int, ...], theirs: Float64s) -> Float64s:
        """Return (1326,) what is won when hands are compared."""
        if board not in self._wins:
            self._wins[board] = showdowns(board)
        return np.asarray(float(min(tables.views(0, _ROW)[0]["spent"])) * (self._wins[board] @ theirs))

    def _at(self, path: tuple[int, ...], board: tuple[int, ...]) -> Tables:
        """Return a table after the actions, with cards that nobody has seen in place of those still to come."""
        tables = self.game.tables(1)
        tables.reset(np.zeros(1, np.uint64), deck_with(board)[None])
        for action in path:
            tables.apply(_ROW, np.array([action], np.int64))
        return tables
