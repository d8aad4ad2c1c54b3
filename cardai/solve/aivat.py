"""AIVAT: what a player wins, with the luck of chance and of its own choices taken out of finished hands.

Where a player's strategy is known, what chance and the player itself did in a hand can be weighed against what they might
have done, and its other hands against what others did: the mean stays what it was, for any value function, and the
spread shrinks the more, the better the value function is. What the opponents play need not be known.

Source: Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A new variance reduction technique for agent evaluation in
imperfect information games" (AAAI 2018, arXiv 1612.06915). With pi(h) the probability that chance and the player (P_a)
contribute to h, and H all histories that look alike to everybody but the player, after whose H the event a0 was seen:

    AIVAT(z) = base(z) + sum over such H on the way of k_H(z)
    base(z)  = sum over z' like z of pi(z') v(z') / sum of pi(z')
    k_H(z)   = sum over h in H and a of pi(ha) u(ha) / sum of pi(h) - sum over h in H of pi(h a0) u(h a0) / sum of pi(h a0)

Small games are enumerated (:mod:`cardai.solve.aivat_tree`); a game that cannot be says how its hands are worked out
(:meth:`~cardai.core.game.Game.aivat_estimator`; hold'em and short deck over all hands that the player could hold).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from attrs import evolve, frozen

from cardai.arena.bootstrap import Interval, cautious
from cardai.arena.records import Record, check_fits, unseen
from cardai.arena.statistics import Estimate, group_sums, ratio, student_t
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.solve.tree import NODE_LIMIT, refuse_if_large


class Estimator(Protocol):
    """How the hands of one game and player are worked out."""

    def __call__(self, record: Record, seat: int, /) -> float:
        """Return AIVAT of a finished hand for the player in ``seat``, in the game's unit.

        Raises:
            UsageError: the player never does what is recorded. DamagedFileError: it is no hand of the game.
        """


@frozen(eq=False)
class Aivat:
    """Finished hands of a player, one entry a hand: ``chips`` what it won, ``values`` AIVAT, both in the game's unit."""

    chips: Float64s
    values: Float64s
    groups: Int64s
    """The duplicate group of each hand: only groups are independent."""
    seats: Int64s

    @property
    def won(self) -> Estimate:
        """The mean of the chips, interval over groups."""
        found = self._mean(self.chips)
        return evolve(found, half_width=found.half_width * self._longer())

    @property
    def corrected(self) -> Interval:
        """The mean of AIVAT, interval over groups by the studentized bootstrap, nowhere shorter than Student's."""
        if not len(self.values):
            return Interval(math.nan, math.nan, math.nan, 0)
        played = group_sums(self.groups, np.ones(len(self.values)))
        mean = self._mean(self.values).mean
        level = group_sums(self.groups, self.values - self._seat_means(self.values) + float(np.mean(self.values)))
        found, longer = cautious(mean + (level - mean * played) / played.mean(), 0), self._longer()
        low, high = (found.mean + longer * (end - found.mean) for end in (found.low, found.high))
        return evolve(found, low=low, high=high)

    @property
    def deviations(self) -> tuple[float, float]:
        """The standard deviations of chips and of AIVAT, a hand, within seats."""
        return self._deviation(self.chips), self._deviation(self.values)

    @property
    def ratio(self) -> float:
        """The standard deviation of AIVAT as a part of the chips' (nan where the chips have none)."""
        chips, values = self.deviations
        return values / chips if chips else float("nan")

    def _mean(self, values: Float64s) -> Estimate:
        """Return the mean; that seats are worth different sums is no luck, since seats are given out in turn."""
        played = group_sums(self.groups, np.ones(len(values)))
        level = values - self._seat_means(values) + float(np.mean(values)) if len(values) else values
        return ratio(group_sums(self.groups, level), played)

    def _longer(self) -> float:
        """Return how many times longer an interval over groups is because the seats' means come from the same hands.

        Once where every group has all seats, whose means it then does not depend on; nan where nothing else is left.
        """
        groups, place = np.unique(self.groups, return_inverse=True)
        seats, seat = np.unique(self.seats, return_inverse=True)
        counts = np.zeros((len(groups), len(seats)))
        np.add.at(counts, (place, seat), 1.0)
        free = len(groups) - int(np.linalg.matrix_rank(counts)) if len(groups) else 0
        if free < 1:
            return math.nan
        return math.sqrt((len(groups) - 1) / free) * student_t(free) / student_t(len(groups) - 1)

    def _seat_means(self, values: Float64s) -> Float64s:
        seats, place = np.unique(self.seats, return_inverse=True)
        return np.asarray((np.bincount(place, values) / np.bincount(place))[place]) if len(seats) else values

    def _deviation(self, values: Float64s) -> float:
        degrees = len(values) - len(np.unique(self.seats))
        return float(np.sqrt(((values - self._seat_means(values)) ** 2).sum() / degrees)) if degrees > 0 else 0.0


def aivat(
    game: Game,
    agent: Agent,
    hands: Sequence[Record],
    who: int = 0,
    *,
    values: Any = None,
    name: str = "",
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Aivat:
    """Return AIVAT of recorded ``hands`` for ``agent``, the player with the number ``who`` in each record's ``seats``.

    ``values`` is u, which must not depend on these hands: in a small game a player, whose exact expected values against
    itself are taken (default: ``agent``); else what the game's family offers (hold'em, short deck: :mod:`cardai.poker.aivat.values`,
    by default equity). ``seed`` draws the boards by which expected values before the flop are estimated. ``progress`` hears of
    (hands done, hands in all). Ctrl-C returns the hands that were worked out.

    Raises:
        UsageError: the game or the player is not one that can be measured so, or never did what is recorded.
        DamagedFileError: a record is no hand of the game.
    """
    called = name or brief(agent)
    refuse(game, agent, called)
    estimate = estimator(game, agent, values, called, seed)
    rows: list[tuple[float, float, int, int]] = []
    wanted = [hand for hand in hands if who in hand["seats"]]
    if hidden := sum(bool(unseen(hand)) for hand in wanted):
        raise UsageError(
            f"AIVAT weighs all cards that were dealt. In {hidden:,} of {len(wanted):,} hands nobody saw some player's, and which "
            "those are is no accident: the others alone would not do."
        )
    try:
        for hand in wanted:
            check_fits(game, hand)
            seat = hand["seats"].index(who)
            rows.append((float(hand["returns"][seat]), estimate(hand, seat), int(hand.get("group", len(rows))), seat))
            if progress:
                progress(len(rows), len(wanted))
    except KeyboardInterrupt:
        pass
    table = np.array(rows, np.float64).reshape(-1, 4)
    return Aivat(table[:, 0], table[:, 1], table[:, 2].astype(np.int64), table[:, 3].astype(np.int64))


def refuse(game: Game, agent: Agent, called: str) -> None:
    """Raise UsageError unless ``agent`` can be asked what all its hands would do, in a game that can be worked out."""
    player = agent.for_game(game)  # what plays for a run, or a player in a package, is known then
    if player.stateful or not player.has_policy():
        what = "has no policy, only act"
        if agent.stateful or player.has_policy():
            what = "remembers what happens in a match"
        raise UsageError(f"AIVAT asks a player what all its hands would do. {called} {what}.")
    if game.aivat_estimator(agent, None, called, 0) is None:
        try:
            refuse_if_large(game, NODE_LIMIT)
        except UsageError as error:
            raise UsageError(
                f"AIVAT is for games that are small enough to enumerate, and for those that bring their own way to work it "
                f"out (hold'em and short deck for two). {error}"
            ) from error


def estimator(game: Game, agent: Agent, values: Any, called: str, seed: int = 0) -> Estimator:
    """Return how hands of ``game`` are worked out (see :func:`aivat`).

    Raises:
        UsageError: the game offers nothing and is too large to enumerate, or ``values`` are none for it.
    """
    offered = game.aivat_estimator(agent, values, called, seed)
    if offered is not None:
        return offered
    from cardai.solve.aivat_tree import TreeEstimator

    if values is not None and not isinstance(values, Agent):
        raise UsageError(f"{brief(game)} takes the values of a player, by its name or run. Got {values!r} instead.")
    return TreeEstimator(game, agent, values or agent, called)


__all__ = ["Aivat", "Estimator", "aivat", "estimator", "refuse"]
