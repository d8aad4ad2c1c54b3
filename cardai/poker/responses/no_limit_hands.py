"""Best responses from the river on along hands of full no-limit, for players that take seconds for a decision.

The player plays hands against itself. Where one comes to the river both ranges are known, and a best response is counted out over
the rest of the hand, all hands at once: the responder may check, call, fold, or bet the sizes of a menu, which need not be the
player's; the player answers every bet by its own policy, in its own amounts. The more sizes, the more it finds: what it finds is a
lower bound on what a perfect opponent would win there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import evolve

from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game, Tables
from cardai.core.legal import Amounts
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.poker.hands.combos import COUNT, left_by, pair_index
from cardai.poker.range_policy import ALL_HANDS, amount_odds, need_odds, need_policy, policies_of
from cardai.poker.ranges.leaves import apart, showdowns
from cardai.poker.ranges.menus import ALL_IN, menus
from cardai.poker.responses.measure import Response, Sampler, need_some

RIVER = 3
_ROW = np.zeros(1, np.int64)
_FOLD, _CALL, _RAISE = 0, 1, 2


class NoLimitHands(Sampler):
    """A piece is a hand: (what best responses win after it came to the river, mean over the seats, 1), or 0 if it did not.

    Args:
        bets: the responder's bets: fractions of the pot and allin, for the first, the first raise, and so on (:mod:`.menus`).

    Raises:
        UsageError: the player has no policy, or does not say how often it raises to which amount.
    """

    shape = (2,)

    def __init__(self, game: Game, agent: Agent, hands: int, seed: int, bets: str) -> None:
        need_some(hands, "hand")
        super().__init__(game, agent, hands, "A best response")
        self.seed, self.menu, self.called = seed, menus(bets, ["river"])[0], brief(agent)
        self.player = agent.for_game(game)
        need_policy(self.player, agent)
        need_odds(game, self.player, self.called)

    def piece(self, number: int) -> Float64s:
        came = self.play(number)
        return np.zeros(2) if came is None else np.array([self.gain(*came), 1.0])

    def response(self, found: Float64s, done: Bools) -> Response:
        return evolve(super().response(found[:, 0], done), reached=int(found[done, 1].sum()))

    # -- a hand --------------------------------------------------------------------------------------------------------

    def play(self, number: int) -> tuple[Tables, Float64s] | None:
        """Play a hand to the river: the table there, and both ranges (2, 1326) by seat; None if it ends before."""
        tables, rng = self.game.tables(1), np.random.default_rng(derive(self.seed, "play", number))
        tables.reset(np.array([derive(self.seed, "deal", number)], np.uint64))
        ranges = np.ones((2, COUNT))
        while (actor := int(tables.current_players()[0])) >= 0:
            view = tables.views(actor, _ROW)[0]
            ranges *= left_by([card for card in np.asarray(view["board"]).tolist() if card >= 0])
            if int(view["round"]) == RIVER:
                return tables, ranges
            held = int(pair_index(view["hole"][:1], view["hole"][1:])[0])
            ways = list(self._answers(tables, actor, np.ones(COUNT)))
            own = np.array([weights[held] for _, weights in ways])
            action, weights = ways[int(rng.choice(len(ways), p=own / own.sum()))]
            ranges[actor] *= weights
            tables.apply(_ROW, np.array([action], np.int64))
        return None

    def gain(self, tables: Tables, ranges: Float64s) -> float:
        """Return what best responses win from here on, mean over the seats, in chips a hand that comes here."""
        board = [int(card) for card in tables.views(0, _ROW)[0]["board"]]
        wins = showdowns(board)
        won = sum(ranges[seat] @ self._best(tables, seat, ranges[1 - seat], wins, 0) for seat in (0, 1))
        return float(won) / 2 / float(ranges[0] @ apart() @ ranges[1])

    # -- the rest of it ------------------------------------------------------------------------------------------------

    def _best(self, tables: Tables, seat: int, theirs: Float64s, wins: Float32s, raises: int) -> Float64s:
        """Return (1326,) what each hand of the responder in ``seat`` wins best, summed over the player's, ``theirs`` (1326,)."""
        actor = int(tables.current_players()[0])
        view = tables.views(seat, _ROW)[0]
        spent = [int(chips) for chips in view["spent"]]
        if actor < 0:
            return np.asarray(min(spent) * (wins @ theirs), np.float64)
        if actor == seat:
            known = [
                np.asarray(-spent[seat] * (apart() @ theirs), np.float64)
                if action == _FOLD
                else self._best(after(self.game, tables, action), seat, theirs, wins, raises + (action >= _RAISE))
                for action in self._choices(tables, spent, raises)
            ]
            return np.asarray(np.max(known, axis=0))
        out = np.zeros(COUNT)
        for action, weights in self._answers(tables, actor, theirs):
            if action == _FOLD:
                out += spent[actor] * (apart() @ weights)
            else:
                out += self._best(after(self.game, tables, action), seat, weights, wins, raises + (action >= _RAISE))
        return out

    def _choices(self, tables: Tables, spent: list[int], raises: int) -> list[int]:
        """Return what the responder may do."""
        legal = tables.legal(_ROW)
        assert isinstance(legal, Amounts)
        out = [kind for kind in (_FOLD, _CALL) if legal.kinds[0, kind]]
        if legal.kinds[0, _RAISE]:
            low, high, call = int(legal.min_amount[0]), int(legal.max_amount[0]), max(spent)
            asked = [
                high if rung == ALL_IN else min(max(call + int(rung * 2 * call), low), high)
                for rung in self.menu(raises)
            ]
            out += sorted(set(asked))
        return out

    def _answers(self, tables: Tables, actor: int, theirs: Float64s) -> Iterator[tuple[int, Float64s]]:
        """Yield what the player may do, and how often each of its hands does so (1326,), times ``theirs``."""
        views, legal = tables.views(actor, _ROW), tables.legal(_ROW)
        assert isinstance(legal, Amounts)
        board = [card for card in np.asarray(views[0]["board"]).tolist() if card >= 0]
        live: Int64s = ALL_HANDS[(theirs > 0) & left_by(board)]
        if not len(live):
            return
        policy = policies_of(self.player, views, legal, live, self.called)[0]
        for kind in np.flatnonzero(legal.kinds[0] & (policy > 0).any(axis=0)).tolist():
            weights = np.zeros(COUNT)
            weights[live] = theirs[live] * policy[:, kind]
            if kind < _RAISE:
                yield kind, weights
                continue
            amounts, shares = amount_odds(self.player, views, legal, live, self.called)
            for amount, odds in zip(amounts.tolist(), shares.T, strict=True):
                each = np.zeros(COUNT)
                each[live] = weights[live] * odds
                if each.any():
                    yield amount, each


def after(game: Game, tables: Tables, action: int) -> Tables:
    """Return a table on which ``action`` was taken."""
    out = game.tables(1)
    out.copy_rows(tables, _ROW)
    out.apply(_ROW, np.array([action], np.int64))
    return out


def no_limit_hands(game: Game, agent: Agent, street: int, hands: int, seed: int, bets: str) -> NoLimitHands:
    """Return the sampler of full no-limit. Raises UsageError: from another street than the river."""
    if street != RIVER:
        raise UsageError(
            "In full no-limit a best response along hands begins on the river: from the turn on each of its bets would have to be "
            "answered on all rivers. Take --from river, or a game with a ladder of bets."
        )
    return NoLimitHands(game, agent, hands, seed, bets)
