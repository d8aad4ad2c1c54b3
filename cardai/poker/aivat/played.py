"""A value function of hold'em learned from play: what hands won in situations of a kind, by equity and strength.

Some thousand hands are played, with other cards than those to be measured. In each *kind* of situation (round, who acts
next, raises, position) the chips won beyond the equity of the pot are fitted by ridge regression on polynomials of
x (the hand's chance to win less its chance to lose, against the opponent's hand), of how strong the opponent's hand is
and, on the river, of how strong its own is; once as parts of the pot and once of a big blind. Values may be wrong where
little was played: AIVAT is unbiased with any.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from attrs import field, frozen

from cardai.arena import match
from cardai.arena.records import Record, read
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.game import CHANCE, TERMINAL, Game
from cardai.core.rng import derive
from cardai.poker.aivat.holdem import BoardDealt, HoleDealt, OwnAction, walk
from cardai.poker.aivat.values import Cards, EquityValues, OpenState, expected_x, mean_over_next
from cardai.poker.contract import need_holdem
from cardai.poker.hands.combos import pair_index
from cardai.poker.hands.equity import hand_equity
from cardai.poker.hands.runouts import before_flop
from cardai.poker.hands.strength import win_rates

HANDS = 3000
RIDGE = 3.0
"""The weight of the prior that equity alone tells, in situations."""
MOST_RAISES = 4
Kind = tuple[int, int, int, int]
"""Round, who acts (0 the player, 1 the opponent, 2 nobody: cards come), raises, and whether the player has the button."""
_FLOP_CAME = (1, 3, 0)
"""Round, "who acts" and raises of the state right after a flop came, where values are linear in x."""


@frozen(eq=False)
class PlayedValues:
    """A value function (:class:`~cardai.poker.aivat.values.ValueFunction`) of fitted coefficients, by kind of situation."""

    big_blind: int
    coefficients: dict[Kind, Float64s] = field(repr=False)

    def chips(self, situation: OpenState, cards: Cards) -> Float64s:
        if situation.actor == TERMINAL:
            return EquityValues().chips(situation, cards)
        found = cards.on(situation.board)
        own = cards.strength(situation.board) if len(situation.board) == 5 else None
        return self._value(kind_of(situation), situation, found.x, found.strong, own)

    def dealt(self, before: OpenState, after: OpenState, cards: Cards, seed: int) -> tuple[Float64s, Float64s]:
        if after.actor in (CHANCE, TERMINAL):
            return EquityValues().dealt(before, after, cards, seed)
        if before.board:
            return mean_over_next(before, after, cards, lambda there: self.chips(there, cards)), self.chips(
                after, cards
            )
        kind = (*_FLOP_CAME, kind_of(after)[3])
        expected = self._value(kind, after, expected_x(before, cards, seed), 0.5, None)
        return expected, self._value(kind, after, cards.on(after.board).x, 0.5, None)

    def _value(self, kind: Kind, where: OpenState, x: Float64s, strong: float, own: Float64s | None) -> Float64s:
        out = x * where.stake
        known = self.coefficients.get(kind)
        if known is not None:
            out = out + self.big_blind * (features(kind, x, strong, own, where.stake / self.big_blind) @ known)
        return np.asarray(out)


def kind_of(situation: OpenState) -> Kind:
    """Return the kind of a situation."""
    actor = 2 if situation.actor == CHANCE else int(situation.actor != situation.seat)
    return situation.round, actor, min(situation.raises, MOST_RAISES), int(situation.button == situation.seat)


def features(
    kind: Kind, x: Float64s, strong: float | Float64s, own: Float64s | None, stake: float | Float64s
) -> Float64s:
    """Return (n, k) features of hands with ``x`` (n,); the stake is in big blinds."""
    one = np.ones_like(x)
    s = one * strong - 0.5
    if kind[:3] == _FLOP_CAME:
        terms = [one, x]
    elif own is None:
        terms = [one, x, s, x * x, x * s, s * s, x**3, x * x * s, x * s * s, s**3]
    else:
        q = own - 0.5
        terms = [one, x, s, q, s * s, q * q, s * q, x * s, x * q, x * s * s, x * q * q, x * s * q, s**3, q**3]
    base = np.stack(terms, axis=1)
    return np.concatenate([base, base * np.reshape(one * stake, (-1, 1))], axis=1)


def played_values(
    game: Game,
    agent: Agent,
    opponent: Agent | None = None,
    *,
    hands: int = HANDS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> PlayedValues:
    """Return values learned from ``hands`` hands of ``agent`` against ``opponent`` (default: itself).

    ``progress`` hears of (hands looked at, hands in all).
    """
    size = need_holdem(game, "Learning values from play").num_players
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hands.jsonl"
        players = [agent, opponent or agent]
        match.play(
            game, players, games=-(-hands // size) * size, seed=derive(seed, "values"), record=file, names=("a", "b")
        )
        records = read(file).hands
    return fitted(game, records, both=opponent is None, progress=progress)


def fitted(
    game: Game, records: Sequence[Record], both: bool = False, progress: Callable[[int, int], None] | None = None
) -> PlayedValues:
    """Return values fitted to recorded hands, seen by their first player, or by ``both``."""
    rows: dict[Kind, list[tuple[float, ...]]] = {}
    big_blind = need_holdem(game, "Learning values from play").big_blind
    for number, record in enumerate(records):
        for player in (0, 1) if both else (0,):
            _note(game, record, record["seats"].index(player), big_blind, rows)
        if progress:
            progress(number + 1, len(records))
    return PlayedValues(big_blind, {kind: _fit(kind, np.array(seen)) for kind, seen in rows.items()})


def _note(game: Game, record: Record, seat: int, big_blind: int, rows: dict[Kind, list[tuple[float, ...]]]) -> None:
    """Add what a hand shows: (x, the opponent's strength, the own strength, stake, chips beyond equity) by kind."""
    won = float(record["returns"][seat])
    hole: list[int] = []
    for event in walk(game, record, seat):
        if isinstance(event, HoleDealt):
            hole, known = list(event.own), {}
        situations = [where for _, where in event.after([event.action])] if isinstance(event, OwnAction) else []
        situations += [event.after] if isinstance(event, BoardDealt) else []
        for where in situations:
            if where.actor == TERMINAL:
                continue
            if where.board not in known:
                known[where.board] = _equity(hole, where)
            x, strong, own = known[where.board]
            stake = where.stake / big_blind
            row = (x, strong, own, stake, won / big_blind - x * stake)
            kind = kind_of(where)
            rows.setdefault(kind, []).append(row)
            if isinstance(event, BoardDealt) and len(where.board) == 3:
                rows.setdefault((*_FLOP_CAME, kind[3]), []).append(row)


def _equity(hole: list[int], where: OpenState) -> tuple[float, float, float]:
    """Return x, the opponent's strength and the own one (on the river, else 0.5)."""
    hands, board = [hole, list(where.opponent)], list(where.board)
    if not board:
        found = before_flop(where.opponent)
        return float(found.x[pair_index(np.array(hole[:1]), np.array(hole[1:]))[0]]), found.strong, 0.5
    share = hand_equity(hands, board).share[0]
    strengths = win_rates(np.array(hands), np.array([board + [-1] * (5 - len(board))] * 2), samples=200)
    return 2 * share - 1, float(strengths[1]), float(strengths[0]) if len(board) == 5 else 0.5


def _fit(kind: Kind, rows: Float64s) -> Float64s:
    """Return the coefficients of :func:`features` by ridge regression."""
    x, strong, own, stake, target = rows.T
    found = features(kind, x, strong, own if kind[0] == 3 and kind[1] != 2 else None, stake)
    return np.asarray(np.linalg.solve(found.T @ found + RIDGE * np.eye(found.shape[1]), found.T @ target))
