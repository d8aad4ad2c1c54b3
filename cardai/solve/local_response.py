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
from collections.abc import Callable, Iterator, Sequence
from math import nan
from typing import Literal

import numpy as np
from attrs import frozen

from cardai.arena.records import Record
from cardai.arena.statistics import Estimate, mean
from cardai.cards.poker.combos import COUNT, left_by, pairs
from cardai.cards.poker.fields import is_holdem
from cardai.cards.poker.ranking import batch_tables
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game, Tables
from cardai.core.legal import Amounts, Legal, take
from cardai.core.rng import Rows, derive, derive_many
from cardai.core.spec import brief
from cardai.solve import _local_kernels as kernels
from cardai.solve.aivat import estimator, refuse

Bets = Literal["legal", "fc", "fcpa", "56"]
BETS: tuple[Bets, ...] = ("legal", "fc", "fcpa", "56")
FRACTIONS = tuple(0.05 * 1.15**k for k in range(53))
"""The bets of the setting 56, in pots."""
SAMPLES = 200
"""Boards by which equity is estimated where more than one card is to come; with one to come all are counted."""
_PAIRS = pairs().astype(np.int64)
_ROW = np.zeros(1, np.int64)


@frozen(eq=False)
class LocalResponse:
    """What the responder won: ``winnings`` (deals,) in chips a hand, mean over both seats of each deal."""

    winnings: Float64s
    big_blind: int
    aivat: Float64s | None = None
    """(deals,) The same by AIVAT of the player's side: the luck of the cards and of the player's choices taken out."""

    @property
    def chips(self) -> Estimate:
        """Chips a hand, with its interval over deals."""
        return mean(self.winnings)

    @property
    def mbb(self) -> Estimate:
        """Thousandths of a big blind a hand."""
        return self.chips.scaled(1000 / self.big_blind)

    @property
    def corrected(self) -> Estimate | None:
        """Thousandths of a big blind a hand by AIVAT, if it was asked for."""
        return None if self.aivat is None else mean(self.aivat).scaled(1000 / self.big_blind)


def local_response(
    game: Game,
    agent: Agent,
    *,
    hands: int = 1000,
    bets: Bets = "legal",
    rounds: Sequence[int] | None = None,
    seed: int = 0,
    samples: int = SAMPLES,
    estimates: Agent | None = None,
    aivat: bool = False,
    progress: Callable[[int, int, Estimate], None] | None = None,
) -> LocalResponse:
    """Play ``hands`` hands of the local best response against ``agent``, each deal once from both seats.

    ``bets`` are the raises that are considered (legal: in limit the one there is, on a ladder its rungs, in full no-limit
    the same as fcpa), on ``rounds`` (from 0; default all); elsewhere the responder folds or calls. ``estimates`` answers
    the raises that are only considered in place of ``agent`` (the same, thinking less, where an answer takes seconds):
    raises are then chosen by its answers, but what is won is still won from ``agent``. ``aivat``: each hand is weighed by
    AIVAT too (values by equity), whose mean is the same and whose spread is smaller. ``progress`` hears of (hands played,
    hands in all, mbb so far). Ctrl-C returns the deals that were finished.

    Raises:
        UsageError: the game is not hold'em for two, or the agent's probabilities cannot be asked for (with ``aivat`` those
            of its amounts too).
    """
    allowed = checked(game, agent, rounds, estimates)
    if hands < 2 or hands % 2:
        raise UsageError(f"The number of hands must be even: each deal is played from both seats. Got {hands}.")
    player = agent.for_game(game)
    guess = estimates.for_game(game) if estimates else player
    responder = _Responder(game, player, guess, bets, allowed, seed, samples)
    weigh = None
    if aivat:
        refuse(game, player, brief(agent))
        weigh = estimator(game, player, None, brief(agent), seed)  # the very player: what it has solved is asked again
    deals: list[tuple[float, float]] = []
    try:
        for deal in range(hands // 2):
            played = [responder.play(deal, seat) for seat in (0, 1)]
            won = sum(hand["returns"][seat] for seat, hand in enumerate(played)) / 2
            lost = sum(weigh(hand, 1 - seat) for seat, hand in enumerate(played)) / 2 if weigh else nan
            deals.append((won, -lost))
            if progress:
                progress(2 * len(deals), hands, mean(np.array(deals)[:, 0]).scaled(1000 / responder.big_blind))
    except KeyboardInterrupt:
        pass
    found = np.array(deals, np.float64).reshape(-1, 2)
    return LocalResponse(found[:, 0], responder.big_blind, found[:, 1] if aivat else None)


def checked(game: Game, agent: Agent, rounds: Sequence[int] | None, estimates: Agent | None) -> frozenset[int]:
    """Return the rounds in which raises are considered. Raises UsageError: see :func:`local_response`."""
    if not is_holdem(game) or game.num_players != 2:
        raise UsageError(f"Local best response is for hold'em of two players. {brief(game)} is not.")
    for asked in (agent, estimates or agent):
        if asked.stateful or not asked.has_policy():
            what = "remembers what happens in a match" if asked.stateful else "has no policy, only act"
            raise UsageError(f"Local best response asks a player what all its hands would do. {brief(asked)} {what}.")
    allowed = range(4) if rounds is None else rounds
    if not set(allowed) <= set(range(4)):
        raise UsageError(
            f"Rounds are numbered from 0 (before the flop) to 3 (river). Got {', '.join(map(str, allowed))}."
        )
    return frozenset(allowed)


@frozen(eq=False)
class _Responder:
    game: Game
    agent: Agent
    estimates: Agent
    bets: Bets
    rounds: frozenset[int]
    seed: int
    samples: int

    @property
    def big_blind(self) -> int:
        return int(self.game.big_blind)  # type: ignore[attr-defined]

    def play(self, deal: int, seat: int) -> Record:
        """Play one deal with the responder in ``seat`` and return the hand."""
        tables, deck_seed = self.game.tables(1), derive(self.seed, "deal", deal)
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
        held = _number(views["hole"][0])
        _weigh_board(views, range_)
        live = np.flatnonzero(range_)
        policy = policy_of(self.agent, views, legal, live)
        own = int(np.searchsorted(live, held))
        kind = int(rng.choice(policy[own : own + 1])[0])
        range_[live] *= policy[:, kind]
        if not isinstance(legal, Amounts) or kind < 2:
            return kind
        amount = int(self.agent.raise_to(views, legal, rng.fork(1))[0])
        self._weigh_amount(views, legal, range_, amount)
        return amount

    def _weigh_amount(self, views: Views, legal: Amounts, range_: Float64s, amount: int) -> None:
        """Weigh the range by how often each hand raises to ``amount``; where that is not known, by whether it would twice."""
        live = np.flatnonzero(range_)
        batch, rows = with_holes(views, live), take(legal, np.zeros(len(live), np.int64))
        assert isinstance(rows, Amounts)
        known = self.agent.raise_odds(batch, rows)
        if known is not None:
            amounts, odds = known
            range_[live] *= odds[:, int(np.searchsorted(amounts, amount))]
            return
        tried = [
            self.agent.raise_to(batch, rows, Rows(derive_many(self.seed, "amount", k, count=len(live)))) for k in (0, 1)
        ]
        same = tried[0] == amount
        if np.array_equal(tried[0], tried[1]) and same.any():
            range_[live[~same]] = 0.0

    # -- the responder ---------------------------------------------------------------------------------------------

    def _choose(self, tables: Tables, seat: int, hole: Int64s, range_: Float64s, seed: int) -> int:
        """Return the action that is worth most if everything is checked or called afterwards."""
        view = tables.views(seat, _ROW)[0]
        _weigh_board(tables.views(seat, _ROW), range_)
        legal = tables.legal(_ROW)
        pot, asked = float(view["pot"]), float(view["to_call"])
        raises = list(raises_of(self.bets, view, legal)) if int(view["round"]) in self.rounds else []
        folds, extra, left = self._after(tables, 1 - seat, range_, raises, asked)
        equity = self._equity(view["board"], hole, [range_, *left], seed)
        worth = {0: 0.0, 1: equity[0] * pot - (1 - equity[0]) * asked}
        for k, action in enumerate(raises):
            showdown = equity[k + 1] * (pot + extra[k]) - (1 - equity[k + 1]) * (asked + extra[k])
            worth[action] = folds[k] * pot + (1 - folds[k]) * showdown
        offered = legal.kinds[0] if isinstance(legal, Amounts) else legal[0]
        return max((action for action in worth if action >= 2 or offered[action]), key=lambda action: worth[action])

    def _after(
        self, tables: Tables, opponent: int, range_: Float64s, raises: list[int], asked: float
    ) -> tuple[list[float], list[float], list[Float64s]]:
        """Return for each raise the share of the range that folds, the chips raised beyond a call, and who stays."""
        if not raises:
            return [], [], []
        rows = np.arange(len(raises))
        tried = self.game.tables(len(raises))
        tried.copy_rows(tables, np.zeros(len(raises), np.int64))
        tried.apply(rows, np.array(raises, np.int64))
        views, legal, live = tried.views(opponent, rows), tried.legal(rows), np.flatnonzero(range_)
        folds, extra, left = [], [], []
        for k in rows:
            policy = policy_of(self.estimates, views[k : k + 1], take(legal, rows[k : k + 1]), live)
            stays = range_.copy()
            stays[live] *= 1 - policy[:, 0]
            folds.append(1 - float(stays.sum() / range_.sum()))
            extra.append(float(views["to_call"][k]))
            left.append(stays)
        return folds, extra, left

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


def policy_of(agent: Agent, views: Views, legal: Legal, live: Int64s) -> Float64s:
    """Return a player's probabilities (live, kinds) at one public state, for each of its hands ``live``."""
    return np.asarray(agent.policy(with_holes(views, live), take(legal, np.zeros(len(live), np.int64))))


def _number(hole: Int64s) -> int:
    low, high = sorted(int(card) for card in hole)
    return high * (high - 1) // 2 + low


def with_holes(views: Views, hands: Int64s) -> Views:
    """Return one public state's view with each of ``hands`` (numbers of hole cards) in its place, (len(hands),)."""
    batch = np.repeat(views, len(hands))
    batch["hole"] = _PAIRS[hands]
    return batch


def _weigh_board(views: Views, range_: Float64s) -> None:
    """Drop the hands that the board blocks (in place)."""
    board = [int(card) for card in views["board"][0] if card >= 0]
    range_[~left_by(board)] = 0.0


__all__ = ["BETS", "COUNT", "FRACTIONS", "Bets", "LocalResponse", "local_response"]
