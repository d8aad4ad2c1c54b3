"""A library of spots: a directory of solved spots, each in a folder named by what it is, and ranges by position.

    DIR/spots/KEY/        a spot and its solution (:mod:`.solution`)
    DIR/ranges/NAME.json  the ranges, pot and stacks that a position and pot type begin with

The spots' heads are the index: nothing can be out of step with them, and a library is shared by copying. Everything in it is
checked as files of strangers are, and runs no code.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from attrs import asdict, evolve, field, frozen

from cardai.cards.text import cards_text
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import digest_of, read_json, refuse_link, refuse_links, write_json
from cardai.core.schema import structure
from cardai.core.text import one_line
from cardai.poker.notation import parse_range, range_text
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.position import SAME, Suits, renamed_hands
from cardai.poker.ranges.sizes import plain_bets
from cardai.poker.ranges.solution import SPOT, Solution, load, percent_of_pot, prepare, read_head, solve
from cardai.poker.ranges.spot import Spot, parse_board

RANGES_FORMAT = "cardai ranges 1"
LONGEST = 1 << 17
"""Characters of a spot's board, of a range, of its bets: 1,326 hands with a weight each take a third of it."""
_POSITION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]{0,40}")
_RAISED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+.-]{0,40}")


@frozen
class Start:
    """What a position and a pot type begin with at the flop."""

    position: str
    """Such as "BTN-BB"."""
    raised: str
    """Such as "single"."""
    first: str
    """The range of who acts first on the flop."""
    button: str
    pot: float
    stacks: tuple[float, ...]
    format: str = RANGES_FORMAT


@frozen
class Entry:
    """A spot of a library."""

    path: Path
    spot: Spot
    iterations: int
    measured: Measured | None
    position: str = ""
    raised: str = ""
    exploitability: float = field(default=float("inf"))
    """In % of the pot."""

    def load(self) -> Solution:
        """Return the solution."""
        return load(self.path)


def canonical(spot: Spot) -> Spot:
    """Return the same spot as every other way to write it would give it: cards of the flop descending, ranges and bets in order, and
    no more chips than can be played for."""
    cards = spot.cards()
    board = cards_text([*sorted(cards[:3], key=lambda card: (-(card % 13), -card)), *cards[3:]])
    ranges = tuple(range_text(parse_range(text)) for text in spot.ranges)
    known = evolve(spot, board=board, ranges=ranges, bets=plain_bets(spot.bets))
    least = evolve(known, stacks=(min(spot.stacks),) * 2)
    return least if least.scale == known.scale else known


def image(spot: Spot) -> tuple[Spot, Suits]:
    """Return the spot that all have in common which differ by suits' names alone, and what its suits are called in ``spot``.

    A spot with locks is its own.
    """
    return (canonical(spot), SAME) if spot.locks else _image(spot)


@lru_cache(4096)
def _image(spot: Spot) -> tuple[Spot, Suits]:
    """Return the image of a spot without locks: a library's pages ask for those of all its spots each time."""
    known = canonical(spot)
    weights = [parse_range(text) for text in known.ranges]
    found = []
    for suits in itertools.permutations(range(4)):
        cards = [13 * suits[card // 13] + card % 13 for card in known.cards()]
        ordered = sorted(cards[:3], key=lambda card: (card % 13, card), reverse=True) + cards[3:]
        found.append(([(card % 13, card) for card in ordered], suits))
    best = max(board for board, _ in found)
    texts = []
    for board, suits in found:
        if board == best:
            hands = renamed_hands(suits)
            named = tuple(range_text(_named(one, hands)) for one in weights)
            texts.append((named, [suits.index(suit) for suit in range(4)]))
    ranges, back = min(texts)
    return evolve(known, board=cards_text([card for _, card in best]), ranges=ranges), tuple(back)


def _named(weights: Float64s, hands: Int64s) -> Float64s:
    """Return the weights (1326,) of hands that are called ``hands``."""
    out = np.empty_like(weights)
    out[hands] = weights
    return out


class Library:
    """The spots and ranges in a directory, which is made when something is kept."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.damaged: list[str] = []
        """What could not be read when spots were listed."""

    def place(self, spot: Spot) -> Path:
        """Return the folder of a spot and of all that differ by suits' names alone, which has the :func:`image`.

        Raises DamagedFileError where a link or the like is in its place.
        """
        return self._place(image(spot)[0])

    def _place(self, spot: Spot) -> Path:
        path = self.directory / "spots" / digest_of(asdict(spot))[:24]
        for each in (path.parent, path):
            refuse_link(each)
        if path.is_dir():
            refuse_links(path)
        return path

    def __iter__(self) -> Iterator[Entry]:
        self.damaged = []
        for path in sorted(self.directory.glob("spots/*")):
            if not (path / SPOT).exists():
                continue
            try:
                for each in (path.parent, path):
                    refuse_link(each)
                found = entry(path)
            except (DamagedFileError, UsageError) as error:
                self.damaged.append(str(error))
            else:
                yield found

    def find(self, *, board: str = "", position: str = "", raised: str = "") -> list[Entry]:
        """Return the spots of a board (suits by any name), a position and a pot type; what is "" may be anything."""
        wanted = _board(parse_board(board)) if board else None
        return [
            one
            for one in self
            if wanted in (None, _board(one.spot.cards()))
            and position in ("", one.position)
            and raised in ("", one.raised)
        ]

    def get(self, spot: Spot) -> Solution | None:
        """Return the solution of a spot, if there is one, also of one with other suits' names.

        Raises DamagedFileError where its folder holds another.
        """
        known, suits = image(spot)
        ways = ((known, suits), (canonical(spot), SAME))
        for (one, names), once in itertools.product(ways, (False, True)):
            # folders were called once by bets and stacks as they are written
            path = self._place(evolve(one, bets=spot.bets.strip(), stacks=spot.stacks) if once else one)
            if (path / SPOT).exists():
                found = load(path)
                if canonical(found.spot) != one:
                    raise DamagedFileError(
                        f"{path} holds another spot than its name says: it is damaged or foreign. Delete it."
                    )
                return found.renamed(canonical(spot), names)
        return None

    def solve(self, spot: Spot, to: float = 0.25, iterations: int = 5000, threads: int = 1, **label: str) -> Solution:
        """Return a spot solved to ``to`` % of the pot: the one that is kept, if it is as good, else solved and kept. Where
        ``iterations`` ended it before, the better of both.

        ``label``: its position and raised.
        """
        known = self.get(spot)
        if known is not None and known.exploitability <= to:
            return known
        whole, suits = image(spot)
        solution = solve(prepare(whole, threads), to, iterations)
        if known is not None and known.exploitability < solution.exploitability:
            return known
        self.keep(solution, **label)
        return solution.renamed(canonical(spot), suits)

    def keep(self, solution: Solution, *, position: str = "", raised: str = "") -> Path:
        """Keep a solution, without its last street where that can be left out; what is "" is called as it was. A better one of the
        same spot stays."""
        spot = canonical(solution.solved or solution.spot)
        path = self._place(spot)
        head = read_head(path) if (path / SPOT).exists() else None
        exact = float("inf") if head is None else percent_of_pot(head.spot, head.measure())
        if head is not None and exact < solution.exploitability and canonical(head.spot) == spot:
            return path
        known = {} if head is None else head.label
        given = {"position": position, "raised": raised}
        solution.label = {name: value or known.get(name, "") for name, value in given.items()}
        solution.save(path, small=True)
        return path

    # -- ranges ------------------------------------------------------------------------------------------------------

    def starts(self) -> list[Start]:
        """Return what there are ranges for. Raises DamagedFileError."""
        return [self._read(path) for path in sorted(self.directory.glob("ranges/*.json"))]

    def start(self, position: str, raised: str) -> Start:
        """Return the ranges of a position and a pot type. Raises UsageError (there are none), DamagedFileError."""
        path = self._file(position, raised)
        if not path.is_file():
            known = ", ".join(f"{one.position} {one.raised}" for one in self.starts()) or "none"
            raise UsageError(
                f"The library {self.directory} has no ranges of {position} in a pot raised {raised}. Known: {known}. Add some: "
                f"cardai library {self.directory} --position {position} --raised {raised} --range ... --range ... --pot ..."
            )
        return self._read(path)

    def add(self, start: Start) -> Path:
        """Keep ranges by their position and pot type. Raises UsageError where they make no sense."""
        Spot("2c2d2h", start.pot, start.stacks, (start.first, start.button)).tree()
        for text in (start.first, start.button):
            parse_range(text)
        path = self._file(start.position, start.raised)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, asdict(start))
        return path

    def _file(self, position: str, raised: str) -> Path:
        for what, such, name, made in (  # a file's name is split at its first dot
            ("position", "-, _ and +, such as BTN-BB", position, _POSITION),
            ("pot type", "-, _, + and ., such as single or 2.5x", raised, _RAISED),
        ):
            if not made.fullmatch(name):
                raise UsageError(f"A {what} is at most 41 letters, digits, {such}. Got {name[:60]!r}.")
        path = self.directory / "ranges" / f"{position}.{raised}.json"
        for each in (path.parent, path):  # what is written through a link is elsewhere
            refuse_link(each)
        return path

    def _read(self, path: Path) -> Start:
        refuse_link(path.parent)
        refuse_links(path.parent)
        found = structure(read_json(path), Start, f"The file {path}")
        if found.format != RANGES_FORMAT or path.name != f"{found.position}.{found.raised}.json":
            raise DamagedFileError(f"The file {path} is damaged or foreign: its format is {found.format[:40]!r}.")
        return found


def _board(cards: list[int]) -> str:
    """Return what a board is called where suits' names do not matter."""
    return image(Spot(cards_text(cards), 1.0, (1.0, 1.0)))[0].board


def entry(path: Path) -> Entry:
    """Return a spot's entry from its head. Raises UsageError (there is none), DamagedFileError: one such spot spoils no list."""
    head = read_head(path)
    spot, measured = head.spot, head.measure()
    try:
        if one_line(path.name) != path.name or max(map(len, (spot.board, spot.bets, *spot.ranges))) > LONGEST:
            raise UsageError("its name or its texts are none of cardai's.")
        spot.cards()
        _check(len(spot.stacks), spot.ranges)
    except UsageError as error:
        raise DamagedFileError(f"The file {path / SPOT} is damaged or foreign: {error}") from None
    position, raised = (one_line(head.label.get(name, "")) for name in ("position", "raised"))
    return Entry(path, spot, head.iterations, measured, position, raised, percent_of_pot(spot, measured))


@lru_cache(64)
def _check(stacks: int, ranges: tuple[str, ...]) -> None:
    """Raise UsageError where a spot has not two stacks and two ranges: spots of a library have the same, mostly."""
    if (stacks, len(ranges)) != (2, 2):
        raise UsageError(f"it has {stacks} stacks and {len(ranges)} ranges.")
    for text in ranges:
        parse_range(text)
