"""Records: finished hands as JSON lines, a header first. Every hand replays exactly from its line alone."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from cardai import make
from cardai.core import registry
from cardai.core.errors import CardaiError, DamagedFileError, IllegalActionError, UsageError
from cardai.core.files import Output, digest_of, limited_lines, too_deep
from cardai.core.format import LeftOut
from cardai.core.game import Game, Setup, Tables, pack_setups
from cardai.core.needs import allow_own
from cardai.core.spec import parse
from cardai.core.trust import Source, marked, read_from

FORMAT = 1
NOT_SHOWN = "the other cards were not shown"
"""Why a hand of a match against a site may be none that replays (:mod:`cardai.formats.sites.kept`)."""
Record = dict[str, Any]
"""One hand: game_number, hand, seats (the agent in each seat, an index into the header's agents), seed (of the deck),
setup (starter, score, stacks), deck (chance outcomes in order), actions, returns, outcome. A hand that a poker room wrote
has its own game, and room (:class:`~cardai.arena.record_lines.RoomNote`) beside."""


@frozen
class RecordFile:
    """What was read: the header, the readable finished hands, and a message for each damaged line."""

    header: Mapping[str, Any]
    hands: list[Record]
    damaged: list[str] = field(factory=list)
    unfinished: Record | None = None
    """The hand in the last line, if the match stopped within it: it has no returns and no outcome."""
    cut: bool = False
    """Whether the last of ``damaged`` is a last line that was cut off."""

    @property
    def left_out(self) -> list[str]:
        """What whoever writes the finished hands elsewhere leaves behind: a sentence each."""
        begun = LeftOut("The last hand was not finished: it was left out.", "a hand that was not finished")
        return self.damaged if self.unfinished is None else [*self.damaged, begun]

    @property
    def not_shown(self) -> int:
        """How many hands a site has kept the other cards of: they are sentences in ``damaged``, or were left out by who wrote it."""
        told = sum(isinstance(one, LeftOut) and one.reason == NOT_SHOWN for one in self.damaged)
        return told + int(self.header.get("not_shown", 0))


class RecordWriter:
    """Writes records to ``path`` ("-": standard output); a file is put in its place when it is closed.

    Used as a context manager: after an error the older file stays as it was, after Ctrl-C what was finished is kept (if
    anything was).

    Raises:
        UsageError: the file cannot be opened. WriteError: it cannot be written on.
    """

    def __init__(self, path: str | Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self._hands = 0
        self._output = Output(path, "The record file")
        self._header = header
        self._output.write(header_line(header))

    def write(self, records: Iterable[Record]) -> None:
        """Append hands."""
        for record in records:
            self._output.write(record_line(record))
            self._hands += 1
        self._output.flush()

    def close(self) -> None:
        """Put the file in its place."""
        self._output.commit()
        allow_header(self.path, self._header)  # not before: an older file stays allowed as it is

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if error is None or (isinstance(error, KeyboardInterrupt) and self._hands):
            self.close()
        else:
            self._output.discard()


def header_line(header: Mapping[str, Any]) -> bytes:
    """Return a record's first line."""
    return record_line({"cardai": "record", "format": FORMAT, **header})


def allow_header(path: str | Path, header: Mapping[str, Any]) -> None:
    """Let a record that this process writes name what its own command named."""
    named = [("game", header["game"]), *(("agent", name) for name in header["agents"])]
    allow_own(registry.load, read_from(path, header_line(header)), named)


def record_line(record: Mapping[str, Any]) -> bytes:
    """Return a hand's line."""
    return (json.dumps(record, separators=(",", ":")) + "\n").encode()


def read(source: str | Path | IO[str]) -> RecordFile:
    """Read a record file ("-" reads standard input); damaged lines are reported by number and the rest is read.

    Raises:
        UsageError: there is no such file. DamagedFileError: it does not begin with a record's header.
    """
    if isinstance(source, (str, Path)):
        if str(source) == "-":
            return read(standard_input())
        try:
            with open(source, encoding="utf-8", errors="replace") as file:
                return read(file)
        except (OSError, ValueError) as error:  # ValueError: a name with a null byte
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"The record file {str(source)!r} cannot be read: {why}.") from error
    return read_lines(limited_lines(source), str(getattr(source, "name", "the input")))


def read_header(path: str | Path) -> Mapping[str, Any]:
    """Return the header of the record at ``path``, whose texts are foreign; its hands are not read.

    Raises:
        UsageError: there is no such file. DamagedFileError: it does not begin with a record's header.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return stream_lines(limited_lines(file), str(path))[0]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"The record file {str(path)!r} cannot be read: {why}.") from error


def read_lines(lines: Iterator[str], name: str) -> RecordFile:
    """Return what :func:`read` does of the lines of the file ``name``."""
    header, coming = stream_lines(lines, name)
    hands: list[Record] = []
    damaged: list[str] = []
    unfinished: Record | None = None
    cut = False
    for item, cut_off in coming:
        cut = cut_off
        if isinstance(item, str):
            damaged.append(item)
        elif item.get("unfinished"):
            unfinished = item
        else:
            hands.append(item)
    return RecordFile(header, hands, damaged, unfinished, cut)


def stream_lines(lines: Iterator[str], name: str) -> tuple[Mapping[str, Any], Iterator[tuple[Record | str, bool]]]:
    """Return a record's header, whose texts are foreign, and, as they are read, its hands or what is wrong with a line, and whether it was cut off.

    Raises:
        DamagedFileError: the file ``name`` does not begin with a record's header.
    """
    from cardai.arena.record_lines import Header
    from cardai.core.schema import structure

    first = next(lines, "")
    if not first:
        raise DamagedFileError(f"{name} is empty: there are no hands in it.")
    header = parsed_line(first)
    if header is None or header.get("cardai") != "record" or too_deep(header):
        raise DamagedFileError(f"{name} is no record of cardai: its first line is not a record's header.")
    if header.get("format") != FORMAT:
        raise DamagedFileError(f"{name} has record format {header.get('format')}; this version reads {FORMAT}.")
    agents = structure(header, Header, f"{name}, line 1").agents
    source = read_from(name, first.encode())
    return marked(header, source), _stream(lines, name, agents, source)


def _stream(
    lines: Iterator[str], name: str, agents: Sequence[str], source: Source
) -> Iterator[tuple[Record | str, bool]]:
    from cardai.arena.record_lines import Hand
    from cardai.core.schema import structure

    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        cut = not line.endswith("\n")
        record = None if cut else parsed_line(line)
        if record is not None and "seats" not in record and isinstance(record.get("site"), dict):
            why = "the hand was lost on its way to the site" if record["site"].get("lost") else NOT_SHOWN
            yield LeftOut(f"{name}, line {number}: {why}; the line was left out.", why), cut
            continue
        try:
            if record is None:
                raise DamagedFileError(f"{name}, line {number}: truncated or not JSON")
            hand = structure(record, Hand, f"{name}, line {number}")
            if max(hand.seats, default=0) >= (len(agents) or len(hand.seats)):
                raise DamagedFileError(f"{name}, line {number}: it seats a player whom the header does not name")
        except DamagedFileError as error:
            yield f"{str(error).removesuffix('.')}; the line was left out.", cut
        else:
            if hand.game:  # allowed by what it is itself too: a line may come to a file whose first line is allowed
                record["game"] = marked(hand.game, evolve(source, digest=digest_of([source.digest, hand.game])))
            if hand.room is None:  # also where it says null
                record.pop("room", None)
            alone = {"group": number - 2}  # where no deal is named, the hand shares its own with no other
            yield {**alone, "game_number": hand.game_number, "hand": hand.hand, **record}, cut


def game_of(game: Game, record: Record) -> Game:
    """Return the game that a hand was played as: its own, where it names one, else ``game``, the header's."""
    spec = record.get("game")
    return make.game(spec) if spec else game


def other_game(spec: str, record: Record) -> bool:
    """Whether a hand was played as another game than ``spec``'s, but for the option ``stack`` where its setup has the stacks."""
    own = record.get("game")
    if not own or own == spec:
        return False
    said = {"stack"} if record["setup"]["stacks"] else set()
    try:
        first, second = parse(spec), parse(own)
    except CardaiError:
        return True
    one, other = ({key: text for key, text in read.options if key not in said} for read in (first, second))
    return first.name != second.name or one != other


def unseen(record: Record) -> frozenset[int]:
    """Return the seats whose cards are not known: those in the record's deck are made up."""
    return frozenset(record.get("room", {}).get("unknown", ()))


def watched_seat(record: Record) -> int:
    """Return the seat that a hand is looked at from: the room's hero, the first agent's, or one whose cards are known."""
    hidden = unseen(record)
    first = record["seats"].index(0) if 0 in record["seats"] else 0
    wanted = [int(record.get("room", {}).get("hero", -1)), first, *range(len(record["seats"]))]
    return next((seat for seat in wanted if seat >= 0 and seat not in hidden), first)


def standard_input() -> IO[str]:
    """Return standard input as text in UTF-8 in which no byte is an error."""
    buffer = getattr(sys.stdin, "buffer", None)
    return sys.stdin if buffer is None else io.TextIOWrapper(buffer, encoding="utf-8", errors="replace", newline="\n")


def parsed_line(line: str) -> dict[str, Any] | None:
    """Return the JSON object of a line, None if it is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@contextmanager
def as_damage(record: Record) -> Iterator[None]:
    """Make of whatever goes wrong inside a DamagedFileError that names the recorded hand."""
    try:
        yield
    except (IllegalActionError, TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise DamagedFileError(f"The record of {_which(record)} cannot be replayed as this game: {error}") from error


def place(tables: Tables, record: Record) -> npt.NDArray[Any]:
    """Put a recorded hand's beginning on the first of ``tables`` and return its setup, (1,) of ``setup_dtype``.

    Raises:
        DamagedFileError: it does not fit the game.
    """
    check_fits(tables.game, record)
    setup, seats = record["setup"], tables.game.num_players
    start = Setup(int(setup["starter"]), int(record.get("hand", 0)), tuple(setup["score"]), tuple(setup["stacks"]))
    packed = pack_setups(seats, [start])
    tables.reset(np.array([record["seed"]], np.uint64), [record["deck"]], np.zeros(1, np.int64), packed)
    return packed


def check_fits(game: Game, record: Record) -> None:
    """Raise DamagedFileError unless a hand has as many seats, scores and stacks as the game, its cards and its notes."""
    seats, setup = game.num_players, record["setup"]
    each = {name: len(record[name]) for name in ("seats", "returns") if name in record}
    each |= {name: len(setup[name]) or seats for name in ("score", "stacks")}
    wrong = next((name for name, count in each.items() if count != seats), "")
    if setup["starter"] >= seats:
        wrong = "starter"
    elif any(not 0 <= card < game.num_chance_outcomes for card in record["deck"]):
        wrong = "deck"
    for noted in game.outcome_fields:
        value = record.get("outcome", {}).get(noted.name, [0] * noted.size if noted.size else 0)
        if isinstance(value, list) != bool(noted.size) or (noted.size and len(value) > noted.size):
            wrong = noted.name
    if wrong:
        raise DamagedFileError(f"The record of {_which(record)} does not fit this game of {seats} seats: its {wrong}.")


def _which(record: Record) -> str:
    return f"game {record.get('game_number')}, hand {record.get('hand')}"
