"""Best responses from the turn or the river on along hands of full no-limit, for players that take seconds for a decision.

The player plays hands against itself. Where one comes to the street both ranges are known, and a best response is counted out over
the rest of the hand, all hands at once: the responder may check, call, fold, or bet the sizes of a menu, which need not be the
player's; the player answers every bet by its own policy, in its own amounts. The more sizes, the more it finds: what it finds is a
lower bound on what a perfect opponent would win there.

From the turn on the player would have to answer on all 48 rivers behind every line of bets. Some are drawn for each hand, the same
behind all lines. What the responder does on the turn is chosen by seven eighths of them and scored by the others, all eight ways: an
answer that knows nothing of the cards that score it wins no more in the mean than the best one, so that what it wins is a lower bound.
Chosen by all of them and scored by the same ones it wins too much in the mean, unless they are all 48.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from attrs import evolve

from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game, Tables
from cardai.core.legal import Amounts
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.poker.buckets.tables import STREETS
from cardai.poker.hands.combos import COUNT, left_by, pair_index
from cardai.poker.range_policy import ALL_HANDS, amount_odds, deck_with, need_odds, need_policy, policies_of
from cardai.poker.ranges.leaves import apart, showdowns
from cardai.poker.ranges.menus import ALL_IN, menus
from cardai.poker.responses.measure import Response, Sampler, need_some

TURN, RIVER = 2, 3
DRAWN = 4
"""Rivers that are drawn for a hand from the turn on, unless it is said."""
FOLDS = 8
"""Ways in which the rivers are parted into those that choose and those that score."""
REST, LEFT = 48, 44
"""Cards that are not on the board of a turn, and those of them that two hands leave."""
_ROW = np.zeros(1, np.int64)
_FOLD, _CALL, _RAISE = 0, 1, 2


class NoLimitHands(Sampler):
    """A piece is a hand: (what best responses win after it came to the river, mean over the seats; 1; what the player had promised the
    opponent there, NaN if nothing), or 0 if it did not come there.

    Args:
        bets: the responder's bets: fractions of the pot and allin, for the first, the first raise, and so on (:mod:`.menus`).

    Raises:
        UsageError: the player has no policy, or does not say how often it raises to which amount.
    """

    shape: tuple[int, ...] = (3,)
    gaps = (2,)
    street = RIVER

    def __init__(self, game: Game, agent: Agent, hands: int, seed: int, bets: str) -> None:
        need_some(hands, "hand")
        super().__init__(game, agent, hands, "A best response")
        self.seed, self.called = seed, brief(agent)
        streets = range(self.street, RIVER + 1)
        self.menus = dict(zip(streets, menus(bets, [STREETS[street] for street in streets]), strict=True))
        self.player = agent.for_game(game)
        need_policy(self.player, agent)
        need_odds(game, self.player, self.called)

    def piece(self, number: int) -> Float64s:
        came = self.play(number)
        return np.zeros(3) if came is None else np.array([self.gain(*came), 1.0, self.promised(*came)])

    def response(self, found: Float64s, done: Bools) -> Response:
        response, reached = super().response(found[:, 0], done), int(found[done, 1].sum())
        promised = float(found[done, 2].mean()) if reached else math.nan
        known = None if math.isnan(promised) else promised
        return evolve(response, reached=reached, skewed=True, seed=self.seed, promised=known)

    # -- a hand --------------------------------------------------------------------------------------------------------

    def play(self, number: int) -> tuple[Tables, Float64s] | None:
        """Play a hand to the street: the table there, and both ranges (2, 1326) by seat; None if it ends before."""
        tables, rng = self.game.tables(1), np.random.default_rng(derive(self.seed, "play", number))
        tables.reset(np.array([derive(self.seed, "deal", number)], np.uint64))
        ranges = np.ones((2, COUNT))
        while (actor := int(tables.current_players()[0])) >= 0:
            view = tables.views(actor, _ROW)[0]
            ranges *= left_by([card for card in np.asarray(view["board"]).tolist() if card >= 0])
            if int(view["round"]) == self.street:
                return tables, ranges
            held = int(pair_index(view["hole"][:1], view["hole"][1:])[0])
            ways = list(self._answers(tables, actor, np.ones(COUNT)))
            own = np.array([weights[held] for _, weights in ways])
            action, weights = ways[int(rng.choice(len(ways), p=own / own.sum()))]
            ranges[actor] *= weights
            tables.apply(_ROW, np.array([action], np.int64))
        return None

    def gain(self, tables: Tables, ranges: Float64s) -> float:
        """Return what best responses win from the river on, mean over the seats, in chips a hand that comes here."""
        wins = showdowns(_board(tables))
        won = sum(ranges[seat] @ self._best(tables, seat, ranges[1 - seat], wins, 0) for seat in (0, 1))
        return float(won) / 2 / float(ranges[0] @ apart() @ ranges[1])

    def promised(self, tables: Tables, ranges: Float64s) -> float:
        """Return what the player had promised its opponent when the hand came here, mean over the seats, in chips; NaN: nothing."""
        promises, total = getattr(self.player, "promised", None), 0.0
        for seat in (0, 1):
            found = None if promises is None else promises(tables.views(seat, _ROW)[0], seat)
            if found is None:
                return math.nan
            total += float(ranges[1 - seat] @ found) * float(ranges[seat].sum())
        return total / 2 / float(ranges[0] @ apart() @ ranges[1])

    # -- the rest of it ------------------------------------------------------------------------------------------------

    def _best(self, tables: Tables, seat: int, theirs: Float64s, wins: Float32s, raises: int) -> Float64s:
        """Return (1326,) what each hand of the responder in ``seat`` wins best, summed over the player's, ``theirs`` (1326,)."""

        def further(tables: Tables, theirs: Float64s, raises: int) -> Float64s:
            return self._best(tables, seat, theirs, wins, raises)

        return self._played(tables, seat, theirs, wins, raises, further, lambda known: np.max(known, axis=0))

    def _played(
        self,
        tables: Tables,
        seat: int,
        theirs: Float64s,
        wins: Float32s,
        raises: int,
        further: Callable[[Tables, Float64s, int], Float64s],
        best: Callable[[list[Float64s]], Float64s],
    ) -> Float64s:
        """Return (..., 1326) what the responder wins from a state: by what ``further`` says of those behind it, of which ``best``
        takes one a hand."""
        actor = int(tables.current_players()[0])
        view = tables.views(seat, _ROW)[0]
        spent = [int(chips) for chips in view["spent"]]
        if actor < 0:
            return np.asarray(min(spent) * (wins @ theirs), np.float64)
        if actor == seat:
            known = [
                np.asarray(-spent[seat] * (apart() @ theirs), np.float64)
                if action == _FOLD
                else further(after(self.game, tables, action), theirs, raises + (action >= _RAISE))
                for action in self._choices(tables, spent, raises)
            ]
            return best(known)
        out = np.zeros(COUNT)
        for action, weights in self._answers(tables, actor, theirs):
            if action == _FOLD:
                out = out + spent[actor] * (apart() @ weights)
            else:
                out = out + further(after(self.game, tables, action), weights, raises + (action >= _RAISE))
        return out

    def _choices(self, tables: Tables, spent: list[int], raises: int) -> list[int]:
        """Return what the responder may do."""
        menu = self.menus[int(tables.views(0, _ROW)[0]["round"])]
        legal = tables.legal(_ROW)
        assert isinstance(legal, Amounts)
        out = [kind for kind in (_FOLD, _CALL) if legal.kinds[0, kind]]
        if legal.kinds[0, _RAISE]:
            low, high, call = int(legal.min_amount[0]), int(legal.max_amount[0]), max(spent)
            asked = [
                high if rung == ALL_IN else min(max(call + int(rung * 2 * call), low), high) for rung in menu(raises)
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


class NoLimitTurns(NoLimitHands):
    """The same from the turn on: (a lower bound, 1, what was promised, what answers win on the rivers that chose them), or 0.

    Args:
        rivers: how many are drawn for each hand.

    Raises:
        UsageError: as above, or there are not two rivers, one to choose by and one to score by.
    """

    shape = (4,)
    street = TURN

    def __init__(self, game: Game, agent: Agent, hands: int, seed: int, bets: str, rivers: int) -> None:
        super().__init__(game, agent, hands, seed, bets)
        if not 2 <= rivers <= REST:
            raise UsageError(
                f"From the turn on 2 to {REST} rivers are drawn for a hand: some choose what the responder does on the turn, "
                f"the others score it. Got {rivers}."
            )
        self.rivers = rivers

    def piece(self, number: int) -> Float64s:
        came = self.play(number)
        if came is None:
            return np.zeros(4)
        low, high = self.bounds(*came, np.random.default_rng(derive(self.seed, "rivers", number)))
        return np.array([low, 1.0, self.promised(*came), high])

    def response(self, found: Float64s, done: Bools) -> Response:
        return evolve(super().response(found, done), upper=float(found[done, 3].mean()) if done.any() else None)

    def bounds(self, tables: Tables, ranges: Float64s, rng: np.random.Generator) -> tuple[float, float]:
        """Return what best responses win from the turn on, mean over the seats, in chips a hand that comes here: a lower bound,
        and what is won on the rivers that chose the answers."""
        board = _board(tables)
        cards = rng.permutation([card for card in range(52) if card not in board])[: self.rivers].tolist()
        shown = [(card, showdowns([*board, card])) for card in cards]
        low = high = 0.0
        for seat in (0, 1):
            won = ranges[seat] @ self._turn(tables, seat, ranges[1 - seat], showdowns(board), shown, 0).swapaxes(1, 2)
            low, high = low + _scored(won), high + float(won[-1].mean())
        met = 2 * float(ranges[0] @ apart() @ ranges[1])
        return low / met, high / met

    def _turn(
        self,
        tables: Tables,
        seat: int,
        theirs: Float64s,
        wins: Float32s,
        shown: list[tuple[int, Float32s]],
        raises: int,
    ) -> Float64s:
        """Return (C, rivers, 1326) as :meth:`_best`, on each river; on the turn chosen by those of each row of :func:`_choosing`."""
        chooses = _choosing(len(shown))
        shape = (*chooses.shape, COUNT)

        def further(tables: Tables, theirs: Float64s, raises: int) -> Float64s:
            return self._turn(tables, seat, theirs, wins, shown, raises)

        def best(known: list[Float64s]) -> Float64s:
            ways = np.stack([np.broadcast_to(one, shape) for one in known])
            means = np.stack([ways[:, k, those].mean(axis=1) for k, those in enumerate(chooses)], axis=1)
            chosen = means.argmax(axis=0)[None, :, None, :]
            return np.asarray(np.take_along_axis(ways, chosen, axis=0)[0], np.float64)

        if int(tables.current_players()[0]) >= 0 and int(tables.views(seat, _ROW)[0]["round"]) == RIVER:
            return np.broadcast_to([self._river(tables, seat, theirs, *one) for one in shown], shape)
        return np.broadcast_to(self._played(tables, seat, theirs, wins, raises, further, best), shape)

    def _river(self, tables: Tables, seat: int, theirs: Float64s, card: int, wins: Float32s) -> Float64s:
        """Return (1326,) what is won best behind a river ``card``: the mean over all 48 is what is won where hands leave 44."""
        live = left_by([card])
        dealt = self._dealt(tables, card)
        return np.where(live, self._best(dealt, seat, theirs * live, wins, 0) * REST / LEFT, 0.0)

    def _dealt(self, tables: Tables, card: int) -> Tables:
        """Return a table on which the same was done, and the river is ``card``."""
        out, view = self.game.tables(1), tables.views(0, _ROW)[0]
        out.reset(np.zeros(1, np.uint64), deck_with([*_board(tables)[:4], card])[None])
        for action in np.asarray(view["history"]).tolist():
            if action >= 0:
                out.apply(_ROW, np.array([action], np.int64))
        return out


def _choosing(count: int) -> Bools:
    """Return (C, count) which of so many rivers choose an answer: all but one of ``FOLDS`` parts, for each of them, and last all."""
    folds = min(FOLDS, count)
    return np.array([*(np.arange(count) % folds != k for k in range(folds)), np.ones(count, bool)])


def _scored(won: Float64s) -> float:
    """Return what answers win that some rivers chose, the mean over the ways to part them, of ``won`` (C, rivers): those that chose stand for
    themselves, the others for all that did not."""
    found = []
    for each, chose in zip(won[:-1], _choosing(won.shape[1])[:-1], strict=True):
        share = chose.sum() / REST
        found.append(share * each[chose].mean() + (1 - share) * each[~chose].mean())
    return float(np.mean(found))


def _board(tables: Tables) -> list[int]:
    """Return the cards that lie."""
    return [int(card) for card in tables.views(0, _ROW)[0]["board"] if card >= 0]


def after(game: Game, tables: Tables, action: int) -> Tables:
    """Return a table on which ``action`` was taken."""
    out = game.tables(1)
    out.copy_rows(tables, _ROW)
    out.apply(_ROW, np.array([action], np.int64))
    return out


def no_limit_hands(
    game: Game, agent: Agent, street: int, hands: int, seed: int, bets: str, rivers: int
) -> NoLimitHands:
    """Return the sampler of full no-limit. Raises UsageError: from before the turn, or as the samplers do."""
    if street not in (TURN, RIVER):
        raise UsageError(
            f"Along hands of full no-limit a best response begins on the turn (2) or the river (3). Got {street}."
        )
    if street == TURN:
        return NoLimitTurns(game, agent, hands, seed, bets, rivers)
    return NoLimitHands(game, agent, hands, seed, bets)
