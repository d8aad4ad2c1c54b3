"""AIVAT in two-player hold'em and short deck: each event is weighed over all hands that the player could hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from attrs import define, frozen

from cardai.arena.records import Record, as_damage, place
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import CHANCE, TERMINAL, Game, Tables
from cardai.core.legal import Amounts, Legal, allows, legal_columns
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.poker.aivat.values import Cards, EquityValues, OpenState, ValueFunction
from cardai.poker.contract import BoardGame, board_game
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.range_policy import amount_odds, policies_of
from cardai.poker.range_policy import need_odds as need_odds
from cardai.poker.ranges.hands import HoleCards, hole_cards

_ROW = np.zeros(1, np.int64)
_FOLD = 0


@frozen(eq=False)
class HoleDealt:
    """The hole cards are dealt."""

    situation: OpenState
    own: tuple[int, int]
    """The known player's cards."""


@frozen(eq=False)
class BoardDealt:
    """Board cards came."""

    before: OpenState
    after: OpenState


@frozen(eq=False)
class OwnAction:
    """The known player acts: where, what it saw, what was legal, and what it did."""

    tables: Tables
    """The table as it stood."""
    here: OpenState
    views: Views
    legal: Legal
    action: int

    def after(self, actions: Iterable[int]) -> Iterator[tuple[int, OpenState]]:
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
class HandOver:
    """The hand is over: who folded (-1: nobody), and the last situation."""

    folded: int
    situation: OpenState


def walk(game: Game, record: Record, seat: int) -> Iterator[HoleDealt | BoardDealt | OwnAction | HandOver]:
    """Yield what AIVAT looks at in a recorded hand, in order.

    Raises:
        DamagedFileError: it is no hand of the game.
    """
    with as_damage(record):
        tables = game.tables(1)
        place(tables, record)
        opponent = _hole(tables, 1 - seat)
        here = _situation(tables, seat, opponent, ())
        yield HoleDealt(here, _hole(tables, seat))
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
                yield OwnAction(stood, here, views, legal, action)
            tables.apply(_ROW, np.array([action], np.int64))
            there = _situation(tables, seat, opponent, here.board)
            if action == _FOLD:
                yield HandOver(actor, there)
                return
            whole = _situation(tables, seat, opponent)
            if len(whole.board) > len(here.board):
                yield BoardDealt(there, whole)
            here = whole
        if here.actor != TERMINAL:
            raise ValueError("it ends before the hand does")
        yield HandOver(-1, here)


def _hole(tables: Tables, seat: int) -> tuple[int, int]:
    first, second = tables.views(seat, _ROW)[0]["hole"].tolist()
    return first, second


def _situation(
    tables: Tables, seat: int, opponent: tuple[int, int], board: tuple[int, ...] | None = None, row: int = 0
) -> OpenState:
    """Return where a table stands; with ``board``, before any further cards came."""
    view = tables.views(seat, np.array([row]))[0]
    dealt = tuple(int(card) for card in view["board"] if card >= 0)
    actor = int(tables.current_players()[row])
    dead = (int(view["pot"]) - int(view["spent"].sum())) / 2
    pending = board is not None and len(dealt) > len(board)
    return OpenState(
        seat=seat,
        opponent=opponent,
        board=dealt if board is None else board,
        own=int(view["spent"][seat]) + dead,
        other=int(view["spent"][1 - seat]) + dead,
        actor=CHANCE if pending else actor,
        round=int(view["round"]),
        raises=int(view["raises"]),
        button=int(view["button"]),
        history=tuple(int(a) for a in view["history"] if a >= 0),
        dead=dead,
    )


@define(eq=False)
class HoldemEstimator:
    """AIVAT of hands of a game of two hole cards for two players (an :class:`~cardai.solve.aivat.Estimator`)."""

    game: BoardGame
    hands: HoleCards
    agent: Agent
    values: ValueFunction
    called: str
    seed: int = 0

    def __call__(self, record: Record, seat: int) -> float:
        seed = derive(self.seed, "aivat", *(int(record.get(name, 0)) for name in ("group", "game_number", "hand")))
        total = 0.0
        for number, event in enumerate(walk(self.game, record, seat)):
            if isinstance(event, HoleDealt):
                cards = Cards(event.situation.opponent, self.hands)
                weights = cards.against.astype(np.float64)
            elif isinstance(event, BoardDealt):
                total += self._deal(event, weights, cards, derive(seed, number))
            elif isinstance(event, OwnAction):
                total += self._decision(event, weights, cards, record)
            else:
                total += self._base(event, weights, cards)
        return total

    def _deal(self, event: BoardDealt, weights: Float64s, cards: Cards, seed: int) -> float:
        """Return k of a deal, and take out the hands that it blocks (in place)."""
        nobody = event.after.actor == TERMINAL  # all-in: the rest of the board comes at once
        expected, actual = (EquityValues() if nobody else self.values).dealt(event.before, event.after, cards, seed)
        before = weights @ expected / weights.sum()
        weights *= left_by(event.after.board)
        return float(before - weights @ actual / weights.sum())

    def _decision(self, event: OwnAction, weights: Float64s, cards: Cards, record: Record) -> float:
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

    def _value(self, situation: OpenState, cards: Cards) -> Float64s:
        if situation.actor == TERMINAL and len(situation.board) == 5:
            return cards.on(situation.board).x * min(situation.own, situation.other)
        return self.values.chips(situation, cards)

    def _odds(self, event: OwnAction, weights: Float64s) -> dict[int, Float64s]:
        """Return (1326,) the player's probabilities of each legal action with each hand that has a weight.

        Asked in one batch. Of raises to any amount, those are there to which it raises.
        """
        live, mask = np.flatnonzero(weights), legal_columns(event.legal)[0]
        answer = policies_of(self.agent, event.views, event.legal, live, self.called)[0] * mask
        answer /= answer.sum(axis=1, keepdims=True)
        found = {int(action): answer[:, action] for action in np.flatnonzero(mask)}
        if isinstance(event.legal, Amounts) and 2 in found:
            raised = found.pop(2)
            if raised.any():
                amounts, shares = amount_odds(self.agent, event.views, event.legal, live, self.called)
                found |= {int(amount): raised * share for amount, share in zip(amounts, shares.T, strict=True)}
        out = {action: np.zeros(COUNT) for action in found}
        for action, odds in found.items():
            out[action][live] = odds
        return out

    def _base(self, event: HandOver, weights: Float64s, cards: Cards) -> float:
        """Return the mean of what all hands that the player could hold win at the end.

        Half of a dead ante counts as put in by each, so whatever comes who paid it has lost the other half to the other.
        """
        where, betting = event.situation, self.game.betting
        payer = (where.button + betting.offset + betting.dead_position) % 2
        stake, dead = min(where.own, where.other), -where.dead if payer == where.seat else where.dead
        if event.folded >= 0:
            return float(dead - stake if event.folded == where.seat else dead + stake)
        return float(dead + stake * (weights @ cards.on(where.board).x) / weights.sum())


def holdem_estimator(
    game: Game, agent: Agent, values: ValueFunction | Agent | None, called: str, seed: int = 0
) -> HoldemEstimator | None:
    """Return how hands of a game for two are worked out (``values`` None: by equity); None: it is no game of two hole cards.

    Raises:
        UsageError: it is not for two, ``values`` are a player, or the odds of the player's raises cannot be asked for.
    """
    said, hands = board_game(game), hole_cards(game)
    if said is None or hands is None:
        return None
    if game.num_players != 2:
        raise UsageError(f"AIVAT is for board games of two players. {brief(game)} has {game.num_players}.")
    found = EquityValues() if values is None else values
    if isinstance(found, Agent):
        raise UsageError(
            f"{brief(found)} has no exact values in {brief(game)}: take a value function (cardai.poker.aivat.values), or "
            "in hold'em learn one (cardai.poker.aivat.played.played_values)."
        )
    player = agent.for_game(game)
    need_odds(game, player, called)
    return HoldemEstimator(said, hands, player, found, called, seed)
