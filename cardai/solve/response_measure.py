"""What a best response from a street on wins from a player of two-player hold'em: boards in pieces, kept as they are done.

From the river, turn or flop a sample of boards is measured, and the mean is a lower bound on exploitability. From before
the flop it is exploitability: over all 1,755 classes of flops, or at once where the player does not look at its cards.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.cards.poker.boards import BOARD_SIZES, boards
from cardai.cards.poker.public_tree import holdem_tree
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import digest_of
from cardai.core.game import Game
from cardai.core.npz import read_npz, write_npz
from cardai.core.progress import tell
from cardai.make import agent as make_agent
from cardai.make import game as make_game
from cardai.pieces import Work, check_place
from cardai.solve.blind_response import blind_response
from cardai.solve.board_sample import BoardSample, Interval, bootstrap, sample_boards
from cardai.solve.range_policy import RangePolicy, blind_policy, range_player
from cardai.solve.street_response import SWEEPS, TerminalValues, Walker, need_late_showdowns

Progress = Callable[[int, int], None]


@frozen
class Question:
    """What is measured: specs of the game and the player, the street's number, and how boards are drawn."""

    game: str
    agent: str
    street: int
    boards: int
    seed: int

    @property
    def pieces(self) -> int:
        """How many boards (from before the flop: classes of flops) there are."""
        return self.boards if self.street else len(boards(3).cards)

    def identity(self) -> str:
        """Return a hash of the question, by which its file is known again."""
        return digest_of([self.game, self.agent, self.street, self.pieces, self.seed if self.street else 0])


@frozen
class Answer:
    """What was found, in chips a hand. ``done`` of the boards were measured before it was stopped."""

    gain: Interval
    done: int
    big_blind: int
    exact: bool
    """Whether it is exploitability itself and not a bound from a sample."""
    finished: bool

    @property
    def mbb(self) -> Interval:
        """In thousandths of a big blind a hand."""
        return self.gain.scaled(1000 / self.big_blind)


def best_response(
    question: Question,
    *,
    out: str | Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    on: str = "",
    terminal_values: TerminalValues = SWEEPS,
) -> Answer:
    """Measure. ``out`` keeps the boards that are done: the same question goes on from there. Ctrl-C returns what is done.

    ``on`` works on a Ray cluster (:mod:`cardai.pieces`), a board a piece, with the same result. ``terminal_values``: sweeps
    on the CPU, or products on a GPU (:mod:`cardai.learn.dense_showdowns`), with the same result.

    Raises:
        UsageError: the game or the player cannot be measured, or ``out`` belongs to another question.
    """
    check_place(on)
    asked = _asked(question, terminal_values)
    if question.street == 0:
        policy = blind_policy(asked.player, asked.walker.tree)
        if policy is not None:
            value = blind_response(asked.walker.tree, policy)
            return Answer(Interval(value, value, value, 1), 1, asked.big_blind, True, True)
    kept = _Kept(question, asked, out)
    try:
        for number, found in _work(question, terminal_values, kept.missing(), jobs, on):
            kept.add(number, found)
            if progress is not None:
                progress(int(kept.done.sum()), question.pieces)
    except KeyboardInterrupt:
        pass
    return kept.answer(asked)


class _Asked:
    """A question with its game and player."""

    def __init__(self, question: Question, terminal_values: TerminalValues, game: Game, agent: Agent) -> None:
        self.question, self.game, self.agent = question, game, agent
        tree = holdem_tree(game, "A best response")
        need_late_showdowns(tree, question.street)
        self.big_blind = int(game.big_blind)  # type: ignore[attr-defined]
        self.player: RangePolicy = range_player(game, agent, tree)
        self.walker = Walker(tree, self.player, terminal_values)

    @property
    def roots(self) -> int:
        """How many subtrees the flop has."""
        return len(self.walker.flop_roots)

    def piece(self, number: int) -> Float64s:
        """Return what one board gives: (1,) the gain, or from before the flop (roots, 2, 169)."""
        street = self.question.street
        if street == 0:
            known = boards(3)
            flop = known.cards[number].tolist()
            return self.walker.flop_values(flop, _told(number, 1)) * float(known.weights[number])
        board = _sample(self.question).boards[number].tolist()
        return np.array([self.walker.gain(street, board, _told(number, street))])


def _told(number: int, street: int) -> Callable[[int, int], None] | None:
    """Return what tells how far one board is, where that takes long."""
    return None if street == 3 else lambda done, total: tell(f"Board {number + 1}", done, total)


@lru_cache(maxsize=4)
def _sample(question: Question) -> BoardSample:
    return sample_boards(BOARD_SIZES[question.street], question.boards, question.seed)


class _Kept:
    """The boards that are done, in memory and in a file.

    From before the flop only the sum over flops is kept, which is added up in order; flops that are done out of it wait.
    """

    def __init__(self, question: Question, asked: _Asked, out: str | Path | None) -> None:
        self.question, self.file = question, None if out is None else Path(out)
        shape: tuple[int, ...] = (question.boards,) if question.street else (asked.roots, 2, 169)
        self.done: Bools = np.zeros(question.pieces, bool)
        self.found: Float64s = np.zeros(shape)
        self.waiting: dict[int, Float64s] = {}
        if self.file is not None and self.file.exists():
            self._read(self.file)

    def _read(self, file: Path) -> None:
        name = np.frombuffer(bytes.fromhex(self.question.identity()), np.uint8)
        kept = read_npz(file)
        ahead = {name: kept.pop(name) for name in ("waiting", "ahead") if name in kept}
        if kept.keys() != {"question", "done", "found"} or len(ahead) == 1:
            raise DamagedFileError(f"The file {file} holds no boards of a best response.")
        if not np.array_equal(kept["question"], name):
            raise UsageError(
                f"The file {file} belongs to another game, player, street, seed or number of boards. Give another --out."
            )
        for array, own in ((kept["done"], self.done), (kept["found"], self.found)):
            if array.shape != own.shape or array.dtype != own.dtype or not np.isfinite(array).all():
                raise DamagedFileError(f"The file {file} is damaged.")
            own[:] = array
        if ahead:
            self._wait(file, ahead["waiting"], ahead["ahead"])

    def _wait(self, file: Path, numbers: npt.NDArray[Any], found: npt.NDArray[Any]) -> None:
        """Take from a file what waits to be added up."""
        fits = (
            numbers.dtype == np.int64 and found.dtype == np.float64 and numbers.ndim == 1 and not self.question.street
        )
        if not fits or found.shape != (len(numbers), *self.found.shape) or not np.isfinite(found).all():
            raise DamagedFileError(f"The file {file} is damaged.")
        if not ((numbers >= 0) & (numbers < len(self.done))).all() or not self.done[numbers].all():
            raise DamagedFileError(f"The file {file} is damaged.")
        self.waiting = dict(zip(numbers.tolist(), found, strict=True))

    def missing(self) -> list[int]:
        """Return the boards to do."""
        return [int(number) for number in np.flatnonzero(~self.done)]

    def add(self, number: int, found: Float64s) -> None:
        """Take a board's figures, and write all there are."""
        self.done[number] = True
        if self.question.street:
            self.found[number] = found[0]
        else:
            self.waiting[number] = found
            self._add_up()
        if self.file is not None:
            name = np.frombuffer(bytes.fromhex(self.question.identity()), np.uint8)
            arrays: dict[str, npt.NDArray[Any]] = {"question": name, "done": self.done, "found": self.found}
            if self.waiting:
                arrays["waiting"] = np.array(list(self.waiting), np.int64)
                arrays["ahead"] = np.array(list(self.waiting.values()))
            write_npz(self.file, arrays)

    def _add_up(self) -> None:
        """Add what waits to the sum, as far as all before it are there."""
        behind = np.append(np.flatnonzero(~self.done), len(self.done))[0]
        for number in sorted(self.waiting):
            if number > behind:
                break
            self.found += self.waiting.pop(number)

    def answer(self, asked: _Asked) -> Answer:
        """Return what is known so far."""
        count = int(self.done.sum())
        if self.question.street:
            strata = _sample(self.question).strata[self.done]
            return Answer(
                bootstrap(self.found[self.done], strata, self.question.seed),
                count,
                asked.big_blind,
                False,
                count == self.question.pieces,
            )
        value = asked.walker.exploitability(self.found) if self.done.all() else math.nan
        return Answer(Interval(value, value, value, count), count, asked.big_blind, True, bool(self.done.all()))


def _work(
    question: Question, terminal_values: TerminalValues, numbers: Sequence[int], jobs: int, on: str
) -> Iterator[tuple[int, Float64s]]:
    """Yield each board's figures as they are done: here, by ``jobs`` processes or on a cluster."""
    asked = _asked(question, terminal_values)
    players = cloudpickle.dumps((asked.game, asked.agent)) if on else b""  # a run's directory is on this machine alone
    waiting = ((str(number), (number,)) for number in numbers)
    work = Work(
        _piece,
        (question, terminal_values, players),
        on=on,
        jobs=min(jobs, max(1, len(numbers))),
        pieces=waiting,
        close=True,
    )
    with closing(work.run()) as results:
        for name, found in results:
            yield int(name), found


@lru_cache(maxsize=1)
def _asked(question: Question, terminal_values: TerminalValues, players: bytes = b"") -> _Asked:
    if players:
        return _Asked(question, terminal_values, *pickle.loads(players))  # made by the process that began the work
    return _Asked(question, terminal_values, make_game(question.game), make_agent(question.agent))


def _piece(shared: tuple[Question, TerminalValues, bytes], number: int) -> Float64s:
    return _asked(*shared).piece(number)
