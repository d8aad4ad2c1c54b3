"""AIVAT in two-player hold'em with limit or laddered bets: each event is weighed over all hands that the player could hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, frozen

from cardai.arena.records import Record, as_damage, place
from cardai.cards.poker.combos import COUNT, compatible, pairs
from cardai.cards.text import card_set
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import Views
from cardai.core.game import CHANCE, TERMINAL, Game, Tables
from cardai.core.legal import Legal, allows, legal_columns, take
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
    """The known player acts: what it saw, what was legal, what it did, and where each legal action leads."""

    views: Views
    legal: Legal
    action: int
    after: dict[int, Situation]
    """By action; folding is left out."""
    stake: int
    """What folding loses."""


@frozen(eq=False)
class End:
    """The hand is over: who folded (-1: nobody), and the last situation."""

    folded: int
    situation: Situation


def walk(game: Game, record: Record, seat: int, choices: bool = True) -> Iterator[Start | Deal | Decision | End]:
    """Yield what AIVAT looks at in a recorded hand, in order; without ``choices``, actions not taken are not tried.

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
                yield Decision(views, legal, action, dict(_after(game, tables, here, legal, action, choices)), here.own)
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


def _after(
    game: Game, tables: Tables, here: Situation, legal: Legal, taken: int, choices: bool
) -> Iterator[tuple[int, Situation]]:
    """Yield (action, situation) for what can be done but folding, no card that comes then yet seen."""
    actions = [int(a) for a in np.flatnonzero(legal_columns(legal)[0]) if a != _FOLD and (choices or a == taken)]
    tried = game.tables(max(len(actions), 1))
    tried.copy_rows(tables, np.zeros(len(actions) or 1, np.int64))
    if actions:
        tried.apply(np.arange(len(actions)), np.array(actions, np.int64))
    for row, action in enumerate(actions):
        yield action, _situation(tried, here.seat, here.opponent, here.board, row)


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
                weights = compatible(np.array([card_set(cards.opponent)], np.uint64))[0].astype(np.float64)
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
        weights *= compatible(np.array([card_set(event.after.board)], np.uint64))[0]
        return float(before - weights @ actual / weights.sum())

    def _decision(self, event: Decision, weights: Float64s, cards: Cards, record: Record) -> float:
        """Return k of the player's own choice, and weigh its hands by how likely they make it (in place)."""
        policy = self._policy(event, weights)
        before = -event.stake * float(weights @ policy[:, _FOLD])
        worth = np.full(COUNT, -float(event.stake))
        for action, situation in event.after.items():
            value = self._value(situation, cards)
            before += float((weights * policy[:, action]) @ value)
            worth = value if action == event.action else worth
        before /= weights.sum()
        weights *= policy[:, event.action]
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

    def _policy(self, event: Decision, weights: Float64s) -> Float64s:
        """Return (1326, actions): the player's probabilities with each hand that has a weight, asked in one batch."""
        live = np.flatnonzero(weights)
        batch = np.repeat(event.views, len(live))
        batch["hole"] = _PAIRS[live]
        legal = legal_columns(take(event.legal, np.zeros(len(live), np.int64)))
        answer = np.asarray(self.agent.policy(batch, legal), np.float64)
        if answer.shape != legal.shape:
            raise AgentError(
                f"The policy of {self.called} must have the shape {legal.shape}. Got {answer.shape} instead."
            )
        if not (np.abs((answer * legal).sum(axis=1) - 1) < SUM_TOLERANCE).all() or (answer < 0).any():
            raise AgentError(f"The policy of {self.called} must be probabilities over the legal actions: it is not.")
        out = np.zeros((COUNT, answer.shape[1]))
        out[live] = answer * legal
        out[live] /= out[live].sum(axis=1, keepdims=True)
        return out

    def _base(self, event: End, weights: Float64s, cards: Cards) -> float:
        """Return the mean of what all hands that the player could hold win at the end."""
        stake = min(event.situation.own, event.situation.other)
        if event.folded >= 0:
            return float(-stake if event.folded == event.situation.seat else stake)
        return float(stake * (weights @ cards.on(event.situation.board).x) / weights.sum())


_PAIRS = pairs().astype(np.int64)
