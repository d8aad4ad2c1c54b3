"""What a best response from a street on wins from a player of two-player hold'em: boards in pieces, kept as they are done.

From the river, turn or flop a sample of boards is measured, and the mean is a lower bound on exploitability. From before
the flop it is exploitability: over all 1,755 classes of flops, or at once where the player does not look at its cards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from attrs import frozen

from cardai.cards.poker.boards import BOARD_SIZES, boards
from cardai.cards.poker.public_tree import holdem_tree
from cardai.core import registry
from cardai.core.arrays import Bools, Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import digest_of
from cardai.core.npz import read_npz, write_npz
from cardai.core.progress import tell
from cardai.make import agent as make_agent
from cardai.make import game as make_game
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
    terminal_values: TerminalValues = SWEEPS,
) -> Answer:
    """Measure. ``out`` keeps the boards that are done: the same question goes on from there. Ctrl-C returns what is done.

    ``terminal_values``: sweeps on the CPU, or products on a GPU (:mod:`cardai.learn.dense_showdowns`), with the same result.

    Raises:
        UsageError: the game or the player cannot be measured, or ``out`` belongs to another question.
    """
    asked = _asked(question, terminal_values)
    if question.street == 0:
        policy = blind_policy(asked.player, asked.walker.tree)
        if policy is not None:
            value = blind_response(asked.walker.tree, policy)
            return Answer(Interval(value, value, value, 1), 1, asked.big_blind, True, True)
    kept = _Kept(question, asked, out)
    try:
        for number, found in _work(question, terminal_values, kept.missing(), jobs):
            kept.add(number, found)
            if progress is not None:
                progress(int(kept.done.sum()), question.pieces)
    except KeyboardInterrupt:
        pass
    return kept.answer(asked)


class _Asked:
    """A question with its game and player."""

    def __init__(self, question: Question, terminal_values: TerminalValues) -> None:
        self.question = question
        game, agent = make_game(question.game), make_agent(question.agent)
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

    From before the flop only the sum over flops is kept: pieces are added in order.
    """

    def __init__(self, question: Question, asked: _Asked, out: str | Path | None) -> None:
        self.question, self.file = question, None if out is None else Path(out)
        shape: tuple[int, ...] = (question.boards,) if question.street else (asked.roots, 2, 169)
        self.done: Bools = np.zeros(question.pieces, bool)
        self.found: Float64s = np.zeros(shape)
        if self.file is not None and self.file.exists():
            self._read(self.file)

    def _read(self, file: Path) -> None:
        name = np.frombuffer(bytes.fromhex(self.question.identity()), np.uint8)
        kept = read_npz(file)
        if kept.keys() != {"question", "done", "found"}:
            raise DamagedFileError(f"The file {file} holds no boards of a best response.")
        if not np.array_equal(kept["question"], name):
            raise UsageError(
                f"The file {file} belongs to another game, player, street, seed or number of boards. Give another --out."
            )
        for array, own in ((kept["done"], self.done), (kept["found"], self.found)):
            if array.shape != own.shape or array.dtype != own.dtype or not np.isfinite(array).all():
                raise DamagedFileError(f"The file {file} is damaged.")
            own[:] = array

    def missing(self) -> list[int]:
        """Return the boards to do."""
        return [int(number) for number in np.flatnonzero(~self.done)]

    def add(self, number: int, found: Float64s) -> None:
        """Take a board's figures, and write all there are."""
        if self.question.street:
            self.found[number] = found[0]
        else:
            self.found += found
        self.done[number] = True
        if self.file is not None:
            name = np.frombuffer(bytes.fromhex(self.question.identity()), np.uint8)
            write_npz(self.file, {"question": name, "done": self.done, "found": self.found})

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
    question: Question, terminal_values: TerminalValues, numbers: Sequence[int], jobs: int
) -> Iterator[tuple[int, Float64s]]:
    """Yield each board's figures in order, worked out here or by ``jobs`` processes."""
    if jobs == 1 or len(numbers) < 2:
        for number in numbers:
            yield number, _piece(question, terminal_values, [], number)
        return
    import joblib

    yield (
        numbers[0],
        _piece(question, terminal_values, [], numbers[0]),
    )  # compile here, so that workers find the cache warm
    files = registry.plugin_files()
    tasks = (joblib.delayed(_piece)(question, terminal_values, files, number) for number in numbers[1:])
    yield from zip(numbers[1:], joblib.Parallel(n_jobs=jobs, return_as="generator")(tasks), strict=True)


@lru_cache(maxsize=1)
def _asked(question: Question, terminal_values: TerminalValues) -> _Asked:
    return _Asked(question, terminal_values)


def _piece(question: Question, terminal_values: TerminalValues, files: list[str], number: int) -> Float64s:
    for file in files:
        registry.add_file(file)
    return _asked(question, terminal_values).piece(number)
