"""Gin by values and rollouts: what seems nearly as good is played out over hands that the belief draws.

The opponent's cards are drawn with the belief's odds (``game.determinize``), and who he is with the chances of the styles;
then both play on, he as that player does, for some of one's own turns; what stands then is worth what the networks say, as in
backgammon's truncated rollouts (Tesauro and Galperin, "On-line policy improvement using Monte-Carlo search", 1996). What
comes of it is weighed against what the networks say at once, whose error has a standard deviation of ``TRUST`` of a match.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from cardai import make
from cardai.core.arrays import Float64s, Int64s
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Game, Legal
from cardai.core.legal import take
from cardai.core.rng import derive
from cardai.gin._value_kernels import worths
from cardai.gin.actions import DISCARD, DRAW, OFFER
from cardai.gin.belief import weights_for
from cardai.gin.contract import need_gin
from cardai.gin.values import ValuePlayer
from cardai.learn.selfplay import turns

CANDIDATES = 3
"""Actions that are played out, at most."""
NEAR = 0.03
"""How much worse than the best, in chances to win the match, an action may seem and still be played out."""
TRUST = 0.01
_PART = 32


class Rollouts:
    """Plays candidates out: ``count`` hands each, for at most ``seconds`` a decision (0: as long as it takes).

    After ``turns`` own turns more a hand is judged by the networks before the discard; 0: all are played to their end.
    ``players`` are the specs of the styles' players, in order; the first is the value player itself, whatever it says.
    """

    def __init__(
        self, player: ValuePlayer, game: Game, players: Sequence[str], count: int, seconds: float, turns: int = 0
    ) -> None:
        self.player, self.count, self.seconds, self.turns = player, count, seconds, turns
        self.game = need_gin(game, "A search plays out")
        self.others = [make.agent(spec).for_game(game) for spec in players[1:]]

    def choose(self, view: Views, legal: Legal, seed: int, styles: Float64s) -> int:
        """Return an action for one view (1,), or -1 where there is nothing to compare; ``styles`` (STYLES,)."""
        assert self.player.nets is not None  # it is ready for its game
        found = np.empty((1, self.game.num_distinct_actions))
        worths(view, legal, styles[None], self.player.nets, False, found)
        order = np.argsort(-found[0], kind="stable")[:CANDIDATES]
        actions = order[found[0, order] > max(0.0, found[0].max() - NEAR)]
        if len(actions) < 2:
            return -1
        plain = unpack_view(self.game.view_fields, view[0])
        odds = weights_for(self.game, plain, styles @ self.player.values.belief)
        start, done = time.monotonic(), 0
        parts: list[Float64s] = []
        while done < self.count and not (parts and self.seconds and time.monotonic() - start > self.seconds):
            number = min(_PART, self.count - done)
            parts.append(self._played(plain, odds, actions, number, derive(seed, "hands", done), styles))
            done += number
        return int(actions[_best(found[0, actions], np.concatenate(parts, axis=1))])

    def _played(self, view: Any, odds: Any, actions: Int64s, number: int, seed: int, styles: Float64s) -> Float64s:
        """Return the chances to win after each action on each hand, (actions, number)."""
        hands: Any = self.game.determinize(view, seed, number, odds)
        count, me = len(actions) * number, int(view["player"])
        tables: Any = self.game.tables(count)
        tables.copy_rows(hands, np.tile(np.arange(number), len(actions)))
        tables.apply_checked(np.arange(count), np.repeat(actions, number))
        rng = np.random.default_rng(seed)
        who = np.tile(rng.choice(len(styles), number, p=styles), len(actions))
        seats = np.stack([who if seat != me else np.zeros(count, np.int64) for seat in range(2)], axis=1)
        streams = np.tile(rng.integers(0, 2**63, number).astype(np.uint64), len(actions))
        until = self.turns + int(view["own_turns"]) + (view["phase"] in (OFFER, DRAW))
        judged = np.full(count, np.nan)
        step = 0
        while True:
            current = np.where(np.isnan(judged), tables.current_players(), -1)
            if (current < 0).all():
                break
            for seat, style, rows, luck in turns(seats, streams, current, step):
                views, legal = tables.views(seat, rows), tables.legal(rows)
                if seat == me:
                    thought = np.tile(styles, (len(rows), 1))
                    chosen = np.asarray(self.player.act_against(views, legal, luck, thought), np.int64)
                    if self.turns:
                        judged[rows] = self._judged(views, legal, thought, until)
                else:
                    agent = self.others[style - 1] if style else self.player
                    chosen = np.asarray(agent.act(views, legal, luck), np.int64)
                on = np.isnan(judged[rows])
                tables.apply_checked(rows[on], chosen[on])
            step += 1
        ended = self._wins(tables.returns(np.arange(count))[:, me], view, who)
        return np.where(np.isnan(judged), ended, judged).reshape(len(actions), number)

    def _judged(self, views: Views, legal: Legal, styles: Float64s, until: int) -> Float64s:
        """Return what views (n,) are worth that stand before a discard of the own turn ``until`` or later, NaN for others."""
        out = np.full(len(views), np.nan)
        there = np.flatnonzero((views["phase"] == DISCARD) & (views["own_turns"] >= until))
        if len(there):
            found = np.empty((len(there), self.game.num_distinct_actions))
            worths(views[there], take(legal, there), styles[there], self.player.nets, False, found)
            best = found.max(axis=1)
            out[there] = np.where(best >= 0, best, np.nan)
        return out

    def _wins(self, points: Float64s, view: Any, who: Int64s) -> Float64s:
        """Return the chances to win the match after hands that brought ``points`` (n,) against the styles ``who`` (n,)."""
        target = self.game.target
        me = int(view["player"])
        scores = [min(max(100 - target + int(view["score"][seat]), 0), 100) for seat in (me, 1 - me)]
        mine = np.minimum(scores[0] + np.maximum(points, 0), 100).astype(np.int64)
        his = np.minimum(scores[1] + np.maximum(-points, 0), 100).astype(np.int64)
        return np.asarray(self.player.values.wins[who, mine, his])


def _best(believed: Float64s, played: Float64s) -> int:
    """Return the best action: differences to the first as ``believed`` (a,) and as ``played`` (a, n), by their precision."""
    gain = played - played[:1]
    error = gain.var(axis=1, ddof=1) / gain.shape[1] if gain.shape[1] > 1 else np.full(len(gain), np.inf)
    weight = TRUST**2 / (TRUST**2 + error)
    return int(np.argmax(weight * gain.mean(axis=1) + (1 - weight) * (believed - believed[0])))
