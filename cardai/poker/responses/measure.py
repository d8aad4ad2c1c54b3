"""The one measure of what a responder wins from a player of poker for two: samples in pieces, kept as they are done.

A *responder* is a best response from a street on (:mod:`~cardai.poker.responses.street_samples`) or a local one, one action
ahead (:mod:`~cardai.poker.responses.local_samples`). It meets the player along hands, on boards, or over all classes of
flops. Each of these is a *sampler*: it has numbered pieces that depend on nothing but their number, worked out here, by
processes, or on a cluster, and it knows what those that are done say together.

>>> from cardai.poker.responses.local_samples import LocalOptions
>>> found = measure(LocalOptions("acpc_nolimit_2p", "always_fold", bets="fcpa", rounds=(2, 3), hands=4))
>>> found.mbb.mean, found.done
(750.0, 2)
"""

from __future__ import annotations

import math
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing
from functools import lru_cache
from pathlib import Path

import cloudpickle
import numpy as np
from attrs import cmp_using, evolve, field, frozen

from cardai import make
from cardai.arena.bootstrap import Interval, bootstrap, cautious
from cardai.arena.statistics import Estimate, mean
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.files import digest_of
from cardai.core.game import Game
from cardai.pieces import Work, check_place
from cardai.poker.contract import BettingGame, need_holdem
from cardai.poker.responses.kept import Kept

Progress = Callable[[int, int], None]
_ARRAY = cmp_using(eq=np.array_equal)


@frozen(eq=True)
class Response:
    """What a responder was found to win."""

    gains: Float64s = field(eq=_ARRAY, repr=False)
    """(n,) chips a hand, the mean over both seats, of each piece that was done; of an exact figure itself alone."""
    big_blind: int
    pieces: int
    """How many there were to do, ..."""
    done: int
    """... and how many of them were done before it was stopped."""
    exact: bool = False
    """Whether it is exploitability itself and not a bound from a sample."""
    reached: int = 0
    """Of hands that were played, how many came to the street."""
    skewed: bool = False
    """Whether most pieces are 0, as hands are that do not come to the street: the few others are all that is known of a tail, and
    Student's interval is too short (``benchmarks/aivat.py --sparse``)."""
    strata: Int64s | None = field(default=None, eq=_ARRAY, repr=False)
    """(n,) the stratum of each piece that was drawn in strata."""
    seed: int = 0
    upper: float | None = None
    """Of sampled flops: chips a hand that the answers before the flop win on the flops that chose them, too high in the mean."""
    promised: float | None = None
    """Along hands: chips a hand that a player which promises had promised its opponent when the street began."""
    aivat: Float64s | None = field(default=None, eq=_ARRAY, repr=False)
    """(n,) The gains by AIVAT of the player's side: the luck of the cards and of the player's choices taken out."""

    @property
    def finished(self) -> bool:
        """Whether all pieces were done."""
        return self.done == self.pieces

    @property
    def chips(self) -> Estimate | Interval:
        """Chips a hand: drawn in strata with the bootstrap's interval within them, skewed with the longer of that and Student's (none
        where no hand came there: nothing is known of those that would), else with Student's over pieces."""
        if self.exact:
            value = float(self.gains[0])
            return Interval(value, value, value, self.done)
        if self.skewed and not self.reached:
            return Interval(float(np.mean(self.gains)) if self.done else math.nan, math.nan, math.nan, self.done)
        if self.skewed:
            return cautious(self.gains, self.seed)
        return mean(self.gains) if self.strata is None else bootstrap(self.gains, self.strata, self.seed)

    @property
    def mbb(self) -> Estimate | Interval:
        """Thousandths of a big blind a hand."""
        return self.chips.scaled(1000 / self.big_blind)

    @property
    def spread(self) -> Estimate:
        """The same with Student's interval over pieces, whatever they were drawn by."""
        return mean(self.gains).scaled(1000 / self.big_blind)

    @property
    def corrected(self) -> Interval | None:
        """Thousandths of a big blind a hand by AIVAT, if it was asked for."""
        return None if self.aivat is None else cautious(self.aivat, self.seed).scaled(1000 / self.big_blind)


class Sampler(ABC):
    """What is measured of ``agent`` in ``game``, in pieces."""

    shape: tuple[int, ...] = ()
    """The shape of a piece's figures."""
    gaps: tuple[int, ...] = ()
    """Which of them, by their last axis, may be unknown (NaN)."""

    def __init__(self, game: Game, agent: Agent, pieces: int, who: str) -> None:
        self.game, self.agent, self.pieces = game, agent, pieces
        self.big_blind = self.betting_game(game, who).big_blind

    def betting_game(self, game: Game, who: str) -> BettingGame:
        """Return a game that can be measured. Raises UsageError, which begins with ``who``, for others."""
        return need_holdem(game, who)

    @abstractmethod
    def piece(self, number: int) -> Float64s:
        """Return the figures of a piece."""

    def response(self, found: Float64s, done: Bools) -> Response:
        """Return what pieces say together: ``found`` (pieces, ...), of which ``done`` (pieces,) are done."""
        return Response(found[done], self.big_blind, self.pieces, int(done.sum()))


@frozen
class Options(ABC):
    """What is measured: a game and a player, as specs or themselves, and how."""

    game: str | Game
    agent: str | Agent

    @abstractmethod
    def sampler(self) -> Sampler:
        """Return what is measured so. Raises UsageError where it cannot be."""

    @abstractmethod
    def known_by(self) -> list[str | int]:
        """Return what tells it from other measures of the same player: all that the figures of a piece depend on, so that how many
        pieces there are belongs to it only where they are drawn together."""

    def sent(self, sampler: Sampler) -> Options:
        """Return the same for another machine, with the players themselves: a run's directory is on this one alone."""
        return evolve(self, game=sampler.game, agent=sampler.agent)

    def identity(self) -> str:
        """Return a hash by which the file of a measure is known again; a run that was trained on is another player."""
        game = self.game if isinstance(self.game, str) else registry.spec_of(self.game)
        return digest_of([game, make.spec_now(self.agent), *self.known_by()])


def measure(
    options: Options,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    on: str = "",
    progress: Progress | None = None,
) -> Response:
    """Measure. ``out`` keeps the pieces that are done: the same options go on from there, with more hands too. Ctrl-C returns what
    is done.

    ``jobs`` processes work on them, or with ``on`` a Ray cluster (:mod:`cardai.pieces`), with the same result. ``progress``
    hears of (pieces done, pieces in all).

    Raises:
        UsageError: the game or the player cannot be measured, or ``out`` belongs to another measure.
    """
    check_place(on)
    sampler = options.sampler()
    kept = Kept(options.identity(), sampler.pieces, sampler.shape, None if out is None else Path(out), sampler.gaps)
    missing = kept.missing()
    work = _work(options, sampler, missing, min(jobs, max(1, len(missing))), on)
    try:
        with closing(work.run()) as results:
            for name, found in results:
                kept.add(int(name), found)
                if progress is not None:
                    progress(int(kept.done.sum()), sampler.pieces)
    except KeyboardInterrupt:
        pass
    finally:
        kept.write()
    return sampler.response(kept.found, kept.done)


def _work(options: Options, sampler: Sampler, numbers: list[int], jobs: int, on: str) -> Work:
    """Return the work on the pieces ``numbers``; their results come nearly in order."""
    pieces = ((str(number), (number,)) for number in numbers)
    if jobs == 1 and not on:
        return Work(_here, sampler, pieces=pieces)
    sent = options.sent(sampler) if on else options
    return Work(_elsewhere, cloudpickle.dumps(sent), on=on, jobs=jobs, pieces=pieces, close=True)


def _here(sampler: Sampler, number: int) -> Float64s:
    return sampler.piece(number)


def _elsewhere(options: bytes, number: int) -> Float64s:
    return _sampler(options).piece(number)


@lru_cache(maxsize=1)
def _sampler(options: bytes) -> Sampler:
    made: Options = pickle.loads(options)  # made by the process that began the work
    return made.sampler()


def need_pairs(hands: int) -> None:
    """Raise UsageError unless there are some ``hands``, two of each deal."""
    need_some(hands, "hand")
    if hands % 2:
        raise UsageError(f"The number of hands must be even: each deal is played from both seats. Got {hands}.")


def need_some(count: int, what: str) -> None:
    """Raise UsageError unless there is one ``what`` at least."""
    if count < 1:
        raise UsageError(f"There must be 1 {what} at least. Got {count}.")
