"""AIVAT in two-player hold'em: each event is weighed over all hands that the player could hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from attrs import define, frozen

from cardai.arena.records import Record, as_damage, place
from cardai.cards.poker.combos import COUNT, left_by, pairs
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import Views
from cardai.core.game import CHANCE, TERMINAL, Game, Tables
from cardai.core.legal import Amounts, Legal, allows, legal_columns, take
from cardai.core.rng import derive
from cardai.solve.holdem_values import Cards, EquityValues, Situation, Values
from cardai.solve.measures import SUM_TOLERANCE

_ROW = np.zeros(1, np.int64)
_FOLD = 0


@frozen(eq=False)
class Start:
    """The hole cards are dealt."""

    situation: Situation
    own: tuple[int, ...]
    """The known player's cards."""


@frozen(eq=False)
class Deal:
    """Board cards came."""

    before: Situation
    after: Situation


@frozen(eq=False)
class Decision:
    """The known player acts: where, what it saw, what was legal, and what it did."""

    tables: Tables
    """The table as it stood."""
    here: Situation
    views: Views
    legal: Legal
    action: int

    def after(self, actions: Iterable[int]) -> Iterator[tuple[int, Situation]]:
        """Yield (action, situation) for each of ``actions`` but folding, no card that comes then yet seen."""
        asked = np.array([action for action in actions if action != _FOLD], np.int64)
        if not len(asked):
            return
        tried = self.tables.game.tables(len(asked))
        tried.copy_rows(self.tables, np.zeros(len(asked), np.int64))
        tried.apply(np.arange(len(asked)), asked)
        for row, action in enumerate(asked):
            yield int(action), _situation(tried, self.here.seat, self.here.opponent, self.here.board, row)


@frozen(eq=False)
class End:
    """The hand is over: who folded (-1: nobody), and the last situation."""

    folded: int
    situation: Situation


def walk(game: Game, record: Record, seat: int) -> Iterator[Start | Deal | Decision | End]:
    """Yield what AIVAT looks at in a recorded hand, in order.

    Raises:
        DamagedFileError: it is no hand of the game.
    """
    with as_damage(record):
        tables = game.tables(1)
        place(tables, record)
        opponent = tuple(int(card) for card in tables.views(1 - seat, _ROW)[0]["hole"])
        here = _situation(tables, seat, opponent, ())
        yield Start(here, tuple(int(card) for card in tables.views(seat, _ROW)[0]["hole"]))
        for action in record["actions"]:
            actor = int(tables.current_players()[0])
            if actor < 0:
                raise ValueError("it goes on after its end")
            if actor == seat:
                views, legal = tables.views(seat, _ROW), tables.legal(_ROW)
                if not allows(legal, np.array([action]))[0]:
                    raise ValueError(f"the action {action} is not legal")
                stood = game.tables(1)
                stood.copy_rows(tables, _ROW)
                yield Decision(stood, here, views, legal, action)
            tables.apply(_ROW, np.array([action], np.int64))
            there = _situation(tables, seat, opponent, here.board)
            if action == _FOLD:
                yield End(actor, there)
                return
            whole = _situation(tables, seat, opponent)
            if len(whole.board) > len(here.board):
                yield Deal(there, whole)
            here = whole
        if here.actor != TERMINAL:
            raise ValueError("it ends before the hand does")
        yield End(-1, here)


def _situation(
    tables: Tables, seat: int, opponent: tuple[int, ...], board: tuple[int, ...] | None = None, row: int = 0
) -> Situation:
    """Return where a table stands; with ``board``, before any further cards came."""
    view = tables.views(seat, np.array([row]))[0]
    dealt = tuple(int(card) for card in view["board"] if card >= 0)
    actor = int(tables.current_players()[row])
    pending = board is not None and len(dealt) > len(board)
    return Situation(
        seat=seat,
        opponent=opponent,  # type: ignore[arg-type]
        board=dealt if board is None else board,
        own=int(view["spent"][seat]),
        other=int(view["spent"][1 - seat]),
        actor=CHANCE if pending else actor,
        round=int(view["round"]),
        raises=int(view["raises"]),
        button=int(view["button"]),
        history=tuple(int(a) for a in view["history"] if a >= 0),
    )


@define(eq=False)
class HoldemEstimator:
    """AIVAT of hands of two-player hold'em (an :class:`~cardai.solve.aivat.Estimator`)."""

    game: Game
    agent: Agent
    values: Values
    called: str
    seed: int = 0

    def __call__(self, record: Record, seat: int) -> float:
        seed = derive(self.seed, "aivat", *(int(record.get(name, 0)) for name in ("group", "game_number", "hand")))
        total = 0.0
        for number, event in enumerate(walk(self.game, record, seat)):
            if isinstance(event, Start):
                cards = Cards(event.situation.opponent)
                weights = left_by(cards.opponent).astype(np.float64)
            elif isinstance(event, Deal):
                total += self._deal(event, weights, cards, derive(seed, number))
            elif isinstance(event, Decision):
                total += self._decision(event, weights, cards, record)
            else:
                total += self._base(event, weights, cards)
        return total

    def _deal(self, event: Deal, weights: Float64s, cards: Cards, seed: int) -> float:
        """Return k of a deal, and take out the hands that it blocks (in place)."""
        nobody = event.after.actor == TERMINAL  # all-in: the rest of the board comes at once
        expected, actual = (EquityValues() if nobody else self.values).dealt(event.before, event.after, cards, seed)
        before = weights @ expected / weights.sum()
        weights *= left_by(event.after.board)
        return float(before - weights @ actual / weights.sum())

    def _decision(self, event: Decision, weights: Float64s, cards: Cards, record: Record) -> float:
        """Return k of the player's own choice, and weigh its hands by how likely they make it (in place)."""
        odds, lost = self._odds(event, weights), -float(event.here.own)
        before, worth = 0.0, np.full(COUNT, lost)
        if _FOLD in odds:
            before += lost * float(weights @ odds[_FOLD])
        for action, situation in event.after(odds):
            value = self._value(situation, cards)
            before += float((weights * odds[action]) @ value)
            worth = value if action == event.action else worth
        before /= weights.sum()
        weights *= odds.get(event.action, 0.0)
        if not weights.sum() > 0:
            raise UsageError(
                f"{self.called} never plays as it does in the record (game {record.get('game_number')}, hand "
                f"{record.get('hand')}): AIVAT needs the player that played."
            )
        return float(before - weights @ worth / weights.sum())

    def _value(self, situation: Situation, cards: Cards) -> Float64s:
        if situation.actor == TERMINAL and len(situation.board) == 5:
            return cards.on(situation.board).x * min(situation.own, situation.other)
        return self.values.chips(situation, cards)

    def _odds(self, event: Decision, weights: Float64s) -> dict[int, Float64s]:
        """Return (1326,) the player's probabilities of each legal action with each hand that has a weight.

        Asked in one batch. Of raises to any amount, those are there to which it raises.
        """
        live = np.flatnonzero(weights)
        batch = np.repeat(event.views, len(live))
        batch["hole"] = _PAIRS[live]
        rows = take(event.legal, np.zeros(len(live), np.int64))
        mask = legal_columns(rows)
        answer = _probabilities(self.agent.policy(batch, rows), mask, "policy", self.called)
        found = {int(action): answer[:, action] for action in np.flatnonzero(mask[0])}
        if isinstance(rows, Amounts) and 2 in found:
            raised = found.pop(2)
            if raised.any():
                amounts, shares = amount_odds(self.agent, batch, rows, self.called)
                found |= {int(amount): raised * share for amount, share in zip(amounts, shares.T, strict=True)}
        out = {action: np.zeros(COUNT) for action in found}
        for action, odds in found.items():
            out[action][live] = odds
        return out

    def _base(self, event: End, weights: Float64s, cards: Cards) -> float:
        """Return the mean of what all hands that the player could hold win at the end."""
        stake = min(event.situation.own, event.situation.other)
        if event.folded >= 0:
            return float(-stake if event.folded == event.situation.seat else stake)
        return float(stake * (weights @ cards.on(event.situation.board).x) / weights.sum())


def amount_odds(agent: Agent, views: Views, legal: Amounts, called: str) -> tuple[Int64s, Float64s]:
    """Return what ``agent.raise_odds`` says at one public state: amounts (m,) and each view's odds of them (n, m).

    Raises:
        UsageError: the player, ``called`` so, does not say it. AgentError: what it says cannot be.
    """
    known = agent.raise_odds(views, legal)
    if known is None:
        raise UsageError(
            f"The odds of every action are needed, and {called} does not say how often it raises to which amount "
            "(raise_odds). Play with a ladder of bets (holdem_fcpa)."
        )
    amounts, odds = np.asarray(known[0], np.int64), np.asarray(known[1], np.float64)
    rising = amounts.ndim == 1 and len(amounts) and (np.diff(amounts) > 0).all()
    if not rising or amounts[0] < legal.min_amount[0] or amounts[-1] > legal.max_amount[0]:
        raise AgentError(f"The amounts of raise_odds of {called} must be legal, and rising. Got {amounts.tolist()}.")
    return amounts, _probabilities(odds, np.ones((len(views), len(amounts)), np.bool_), "raise_odds", called)


def need_odds(game: Game, player: Agent, called: str) -> None:
    """Raise what :func:`amount_odds` does, before work starts, where raises of ``game`` are amounts."""
    tables = game.tables(1)
    tables.reset(np.zeros(1, np.uint64))
    legal = tables.legal(_ROW)
    if isinstance(legal, Amounts):
        amount_odds(player, tables.views(int(tables.current_players()[0]), _ROW), legal, called)


def _probabilities(answer: Any, mask: Bools, name: str, called: str) -> Float64s:
    """Return what a player answered, each row of it summing to 1 over what is legal. Raises AgentError."""
    found = np.asarray(answer, np.float64)
    if found.shape != mask.shape:
        raise AgentError(f"The {name} of {called} must have the shape {mask.shape}. Got {found.shape} instead.")
    if not (np.abs((found * mask).sum(axis=1) - 1) < SUM_TOLERANCE).all() or (found < 0).any():
        raise AgentError(f"The {name} of {called} must be probabilities over the legal actions: it is not.")
    out = found * mask
    return np.asarray(out / out.sum(axis=1, keepdims=True))


_PAIRS = pairs().astype(np.int64)
