"""Local best response (LBR): a lower bound on what a perfect opponent wins from a player of two-player hold'em.

The responder keeps the player's range, all hands that its own cards leave possible, weighted by how likely the player would
have acted as it did. At each decision it looks one action ahead: it compares folding, calling, and each raise that is
allowed, as if both checked or called to the end afterwards (and after a raise only those hands that do not fold were left),
and takes the best. What it wins is what some opponent can win: a bound, never more. A negative figure proves nothing.

Source: Lisy and Bowling, "Equilibrium approximation quality of current no-limit poker bots" (arXiv 1612.07547, 2017),
section 4, with its settings: fold and call alone (fc), pot and all-in beside them (fcpa), and 53 fractions of the pot
from 0.05 on, each 1.15 times the last, with all-in (56 actions in all), on all or on some of the rounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal

import numpy as np
from attrs import frozen

from cardai.arena.records import Record
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.game import Game, Tables
from cardai.core.legal import Amounts, Legal, legal_columns, take
from cardai.core.rng import Rows, derive, derive_many
from cardai.poker.hands.combos import COUNT, left_by, pair_index, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.range_policy import amounts_of, holding, policies_of
from cardai.poker.responses import _local_kernels as kernels

Bets = Literal["legal", "fc", "fcpa", "56"]
BETS: tuple[Bets, ...] = ("legal", "fc", "fcpa", "56")
FRACTIONS = tuple(0.05 * 1.15**k for k in range(53))
"""The bets of the setting 56, in pots."""
SAMPLES = 200
"""Boards by which equity is estimated where more than one card is to come; with one to come all are counted."""
DRAWS = 32
"""How often a player that draws its raises, and does not say how, is asked for one, to weigh its hands by."""
_PAIRS = pairs().astype(np.int64)
_ROW = np.zeros(1, np.int64)
_FOLD, _CALL, _RAISE = 0, 1, 2


@frozen(eq=False)
class Lookahead:
    """How a local best response decides: one action ahead, as if everything were checked or called afterwards."""

    game: Game
    estimates: Agent
    """Who is thought to answer the raises that are only considered."""
    bets: Bets = "legal"
    rounds: frozenset[int] = frozenset(range(4))
    """Rounds in which raises are considered."""

    def raises(self, view: Views, legal: Legal) -> list[int]:
        """Return the raises that are considered at one view."""
        return list(raises_of(self.bets, view, legal)) if int(view["round"]) in self.rounds else []

    def folding(self, tables: Tables, opponent: int, theirs: Float64s, raises: list[int]) -> tuple[Float64s, Float64s]:
        """Return what follows each of r raises: how often each hand of ``theirs`` folds (r, 1326), and the chips beyond a call (r,)."""
        out, rows, live = np.zeros((len(raises), COUNT)), np.arange(len(raises)), np.flatnonzero(theirs)
        if not raises:
            return out, np.zeros(0)
        tried = self.game.tables(len(raises))
        tried.copy_rows(tables, np.zeros(len(raises), np.int64))
        tried.apply(rows, np.array(raises, np.int64))
        views, legal = tried.views(opponent, rows), tried.legal(rows)
        for k in rows:
            out[k, live] = policies_of(self.estimates, views[k : k + 1], take(legal, rows[k : k + 1]), live)[
                0, :, _FOLD
            ]
        return out, views["to_call"].astype(np.float64)


def best_actions(
    view: Views, legal: Legal, raises: list[int], equity: Float64s, folds: Float64s, extra: Float64s
) -> tuple[list[int], Int64s]:
    """Return the actions there are, and for each of h hands which of them (h,) is worth most.

    Args:
        equity: (1 + r, h) each hand's chance to win (a tie is half of one) against all the range, and against what stays
            after each of r ``raises``.
        folds: (r, h) the share of the range that folds to each raise.
        extra: (r,) the chips raised beyond a call.
    """
    pot, asked = float(view["pot"]), float(view["to_call"])
    more = extra[:, None]
    showdown = equity[1:] * (pot + more) - (1 - equity[1:]) * (asked + more)
    call = equity[0] * pot - (1 - equity[0]) * asked
    worth = [np.zeros_like(call), call, *(folds * pot + (1 - folds) * showdown)]
    actions, offered = [_FOLD, _CALL, *raises], legal_columns(legal)[0]
    kept = [k for k, action in enumerate(actions) if action >= _RAISE or offered[action]]
    return [actions[k] for k in kept], np.argmax([worth[k] for k in kept], axis=0)


@frozen(eq=False)
class LocalResponder:
    """Plays single hands against ``agent``, bound to its game."""

    agent: Agent
    ahead: Lookahead
    seed: int = 0
    samples: int = SAMPLES

    def play(self, deal: int, seat: int) -> Record:
        """Play one deal with the responder in ``seat`` and return the hand."""
        tables, deck_seed = self.ahead.game.tables(1), derive(self.seed, "deal", deal)
        tables.reset(np.array([deck_seed], np.uint64))
        streams = derive_many(self.seed, "player", deal, seat, count=1000)
        views = tables.views(seat, _ROW)
        hole = views["hole"][0].astype(np.int64)
        range_ = left_by(hole).astype(np.float64)
        actions: list[int] = []
        for number in itertools.count():
            current = int(tables.current_players()[0])
            if current < 0:
                break
            if current == seat:
                action = self._choose(tables, seat, hole, range_, derive(self.seed, "board", deal, number))
            else:
                action = self._answer(tables, current, range_, Rows(streams[number : number + 1]))
            tables.apply(_ROW, np.array([action], np.int64))
            actions.append(action)
        return {
            "group": deal, "seed": deck_seed, "setup": {"starter": 0, "score": [], "stacks": []}, "deck": tables.deck(0),
            "seats": [int(k != seat) for k in (0, 1)], "actions": actions, "returns": tables.returns(_ROW)[0].tolist(),
        }  # fmt: skip

    # -- the player ------------------------------------------------------------------------------------------------

    def _answer(self, tables: Tables, seat: int, range_: Float64s, rng: Rows) -> int:
        """Return what the player does with the cards it has, and weigh its range by it (in place)."""
        views, legal = tables.views(seat, _ROW), tables.legal(_ROW)
        held = int(pair_index(views["hole"][:, 0], views["hole"][:, 1])[0])
        _weigh_board(views, range_)
        live = np.flatnonzero(range_)
        policy = policies_of(self.agent, views, legal, live)[0]
        own = int(np.searchsorted(live, held))
        kind = int(rng.choice(policy[own : own + 1])[0])
        range_[live] *= policy[:, kind]
        if not isinstance(legal, Amounts) or kind < 2:
            return kind
        amount = int(self.agent.raise_to(views, legal, rng.fork(1))[0])
        self._weigh_amount(views, legal, range_, amount)
        return amount

    def _weigh_amount(self, views: Views, legal: Amounts, range_: Float64s, amount: int) -> None:
        """Weigh the range by how often each hand raises to ``amount``; where it does not say so, by how often it does in some
        draws (any belief is a legal one: what is won stays a bound).
        """
        live = np.flatnonzero(range_)
        known = amounts_of(self.agent, views, legal, live)
        if known is not None:
            amounts, odds = known
            range_[live] *= odds[:, int(np.searchsorted(amounts, amount))]
            return
        batch, rows = holding(views, live), legal.take(np.zeros(len(live), np.int64))
        tried = np.array(
            [
                self.agent.raise_to(batch, rows, Rows(derive_many(self.seed, "amount", k, count=len(live))))
                for k in range(DRAWS)
            ]
        )
        same = (tried == amount).sum(axis=0)
        if (tried == tried[0]).all():  # nothing is left to chance
            if same.any():
                range_[live[same == 0]] = 0.0
        else:
            range_[live] *= (same + 0.5) / (DRAWS + 1)

    # -- the responder ---------------------------------------------------------------------------------------------

    def _choose(self, tables: Tables, seat: int, hole: Int64s, range_: Float64s, seed: int) -> int:
        """Return the action that is worth most if everything is checked or called afterwards."""
        view, legal = tables.views(seat, _ROW)[0], tables.legal(_ROW)
        _weigh_board(tables.views(seat, _ROW), range_)
        raises = self.ahead.raises(view, legal)
        folding, extra = self.ahead.folding(tables, 1 - seat, range_, raises)
        left = [range_ * (1 - one) for one in folding]
        folds = np.array([1 - float(stays.sum() / range_.sum()) for stays in left])
        equity = np.array(self._equity(view["board"], hole, [range_, *left], seed))
        actions, best = best_actions(view, legal, raises, equity[:, None], folds[:, None], extra)
        return actions[int(best[0])]

    def _equity(self, board: Int64s, hole: Int64s, ranges: list[Float64s], seed: int) -> list[float]:
        """Return the hand's chance to win (a tie is half of one) against each range; one that is empty counts 1/2."""
        known = [int(card) for card in board if card >= 0]
        sums = np.zeros((len(ranges), 2))
        boards = self._boards(known, [int(card) for card in hole], seed)
        kernels.against_range(boards, hole[0], hole[1], _PAIRS, batch_tables(7), np.array(ranges), sums)
        return [float(won / met) if met else 0.5 for met, won in sums]

    def _boards(self, known: list[int], hole: list[int], seed: int) -> Int64s:
        """Return whole boards (m, 5): all with one card to come or none, else ``samples`` random ones."""
        free = np.array([card for card in range(52) if card not in known and card not in hole], np.int64)
        if len(known) == 5:
            return np.array([known], np.int64)
        if len(known) == 4:
            return np.concatenate([np.tile(np.array(known, np.int64), (len(free), 1)), free[:, None]], axis=1)
        luck = Rows(derive_many(seed, "completion", count=self.samples)).random(len(free))
        drawn = free[np.argsort(luck, axis=1)[:, : 5 - len(known)]]
        return np.concatenate([np.tile(np.array(known, np.int64), (self.samples, 1)), drawn], axis=1)


def raises_of(bets: Bets, view: Views, legal: Legal) -> Iterator[int]:
    """Yield the raises that a setting allows at one view, each once."""
    if bets == "fc":
        return
    if not isinstance(legal, Amounts):
        yield from (int(a) for a in np.flatnonzero(legal[0]) if a >= 2)
        return
    if not legal.kinds[0, 2]:
        return
    low, high = int(legal.min_amount[0]), int(legal.max_amount[0])
    pot, asked = float(view["pot"]), float(view["to_call"])
    level = float(view["spent"][view["player"]]) + asked
    fractions = FRACTIONS if bets == "56" else (1.0,)
    wanted = [round(level + fraction * (pot + asked)) for fraction in fractions]
    yield from dict.fromkeys([*(min(max(amount, low), high) for amount in wanted), high])


def _weigh_board(views: Views, range_: Float64s) -> None:
    """Drop the hands that the board blocks (in place)."""
    board = [int(card) for card in views["board"][0] if card >= 0]
    range_[~left_by(board)] = 0.0
