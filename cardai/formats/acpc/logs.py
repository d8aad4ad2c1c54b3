"""Match logs of the competition: read tolerantly, write exactly.

One line a hand, ``STATE:<hand>:<betting>:<cards>:<value|value>:<name|name>``, values and names by *position* of that
hand; the last line ``SCORE:<total|total>:<name|name>`` goes by *seat*. Lines that begin with ``#`` are comments; some
published logs end each hand in `` # <unix time>``. Source: project_acpc_server, dealer.c; the logs of DeepStack's match
against professionals (Moravcik et al. 2017) for the suffix.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import Factory, define, frozen

from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import limited_lines
from cardai.core.trust import Foreign, Source
from cardai.formats.acpc.gamedef import GameDef, game_names, load_game
from cardai.formats.acpc.games import find_definition
from cardai.formats.acpc.states import Cards, deal_text, parse_deal

_TIME = re.compile(r"\s+#\s*(\S.*)$")
_UNFIT = re.compile(r"[:|\r\n]|\s#")
"""What ends a name in a line of a log: the separators, a line's end, the beginning of the time."""
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_BETTING = re.compile(r"[/fFcCkKrRbB0-9]*")


@frozen
class LogHand:
    """A finished hand. ``hole``, ``values`` and ``names`` go by position; ``betting`` is the betting string."""

    hand: int
    betting: str
    hole: tuple[Cards, ...]
    board: tuple[Cards, ...]
    values: tuple[float, ...]
    names: tuple[str, ...]
    time: str = ""

    @property
    def raised(self) -> bool:
        """Whether somebody raised: then the hand tells limit from no-limit betting."""
        return not set(self.betting.lower()).isdisjoint("rb")

    def text(self) -> str:
        """Return the hand as a line without its line end."""
        values = "|".join(map(value_text, self.values))
        suffix = f" # {self.time}" if self.time else ""
        deal = deal_text(self.hole, self.board)
        return f"STATE:{self.hand}:{self.betting}:{deal}:{values}:{'|'.join(self.names)}{suffix}"


@frozen
class Score:
    """The last line of a log: totals and names by seat."""

    values: tuple[float, ...]
    names: tuple[str, ...]

    def text(self) -> str:
        """Return the score as a line without its line end."""
        return f"SCORE:{'|'.join(map(value_text, self.values))}:{'|'.join(self.names)}"


@frozen
class Problem:
    """A line that could not be read: its number from 1 (0: not about one line), and why."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}" if self.line else self.why


@define
class Log:
    """A whole log: what could be read, and what could not."""

    hands: list[LogHand] = Factory(list)
    score: Score | None = None
    comments: list[str] = Factory(list)
    problems: list[Problem] = Factory(list)
    definition: GameDef | None = None
    """The game, where it is known from elsewhere."""

    def lines(self) -> list[str]:
        """Return the log as lines with their ends: comments, hands, score."""
        score = [self.score.text()] if self.score else []
        return [line + "\n" for line in (*self.comments, *(hand.text() for hand in self.hands), *score)]

    def game(self) -> GameDef:
        """Return the game that was played: as known, else as its header names it, else the shipped one that fits.

        Raises:
            DamagedFileError: none is known.
        """
        telling = (hand for hand in self.hands if hand.raised)
        return self.definition or game_of(self.comments, next(telling, self.hands[0] if self.hands else None))


def value_text(value: float) -> str:
    """Return chips as the logs write them: six decimals, then trailing zeros and a trailing point removed."""
    if value == int(value):
        return str(int(value))
    return f"{value:.6f}".rstrip("0").removesuffix(".")


def check_names(names: Sequence[str]) -> None:
    """Raise DamagedFileError where a name could not stand in a line of a log."""
    if any(map(_UNFIT.search, names)):
        raise DamagedFileError(f"the names {tuple(names)} cannot stand in a log.")


def parse_line(line: str) -> LogHand | Score | str:
    """Return the hand or score of one log line, or the text of a comment or empty line.

    Raises:
        DamagedFileError: anything else; the message says what is missing.
    """
    line = line.rstrip("\r\n")
    if not line or line[0] in "#;":
        return line
    time = ""
    if " #" in line and (match := _TIME.search(line)):
        time, line = match[1].strip(), line[: match.start()]
    parts = line.split(":")
    if parts[0] == "SCORE" and len(parts) == 3:
        return Score(*_values_and_names(line, parts[1], parts[2]))
    if parts[0] != "STATE" or len(parts) != 6:
        raise DamagedFileError(f"expected STATE:hand:betting:cards:values:names. Got {line[:100]!r}")
    if not re.fullmatch("[0-9]{1,10}", parts[1]) or not _BETTING.fullmatch(parts[2]):
        raise DamagedFileError(f"the hand's number or betting cannot be read in {line[:100]!r}")
    hole, board = parse_deal(parts[3])
    values, names = _values_and_names(line, parts[4], parts[5])
    if len(hole) != len(values) or len(board) != parts[2].count("/"):
        raise DamagedFileError(f"players, betting rounds and cards do not fit together in {line[:100]!r}")
    return LogHand(int(parts[1]), parts[2], hole, board, values, names, time)


def _values_and_names(line: str, values: str, names: str) -> tuple[tuple[float, ...], tuple[str, ...]]:
    words = values.split("|")
    if not all(map(_NUMBER.fullmatch, words)):
        raise DamagedFileError(f"the values {values[:60]!r} are not numbers")
    numbers = tuple(map(float, words))
    called = tuple(names.split("|"))
    if len(called) != len(numbers) or not all(called):
        raise DamagedFileError(f"there are {len(numbers)} values and the names {names[:60]!r} in {line[:60]!r}")
    check_names(called)
    return numbers, called


def iter_log(lines: Iterable[str]) -> Iterator[LogHand | Score | str | Problem]:
    """Yield what each line holds: a hand, the score, a comment's text, or the problem that stopped its reading.

    A last line without its line end that cannot be read was cut off by a crash or a full disk; it says so.
    """
    for number, line in enumerate(lines, 1):
        try:
            yield parse_line(line)
        except DamagedFileError as error:
            cut = "" if line.endswith("\n") else "the line is cut off: "
            yield Problem(number, f"{cut}{error}")


def read_log(source: Path | str | Iterable[str]) -> Log:
    """Return a whole log from a path or from lines; damaged lines are reported in ``problems``, the rest is read."""
    log = Log()
    if isinstance(source, (str, Path)):
        with open(source, encoding="utf-8", errors="replace", newline="\n") as file:
            return read_log(limited_lines(file))
    for item in iter_log(source):
        if isinstance(item, LogHand):
            log.hands.append(item)
        elif isinstance(item, Score):
            log.score = item
        elif isinstance(item, Problem):
            log.problems.append(item)
        elif item:
            log.comments.append(item)
    return log


def header(name: str, game: str, hands: int, seed: int, limits: tuple[int, int, int]) -> str:
    """Return the four comment lines a log begins with; ``limits`` are t_response, t_hand, t_per_hand in milliseconds."""
    response, hand, per_hand = limits
    return (
        f"# name/game/hands/seed {name} {game} {hands} {seed}\n"
        f"#--t_response {response}\n#--t_hand {hand}\n#--t_per_hand {per_hand}\n"
    )


def _header_words(comment: str) -> list[str]:
    """Return the words of a header's first line, nothing for another comment."""
    words = comment.split()
    return words if len(words) == 6 and words[1] == "name/game/hands/seed" else []


def match_of(comment: str) -> str:
    """Return the match that a header's first line names, by its name and the seed of its cards; "" for another comment."""
    words = _header_words(comment)
    return f"{words[2]} {words[5]}" if words else ""


def game_of(comments: Iterable[str], hand: LogHand | None) -> GameDef:
    """Return the game named in a log's header, or the first shipped game whose cards and betting fit ``hand``."""
    for comment in comments:
        if words := _header_words(comment):
            name = Path(words[3]).name.removesuffix(".game")
            if name in game_names():
                return load_game(name)
            if os.path.isfile(words[3]):
                continue  # whoever wrote the log names no file that is opened here
            with suppress(CardaiError):  # a game of cardai, perhaps
                return find_definition(Foreign(words[3], Source("the log", "")))[1]
    if hand is not None:
        for name in sorted(game_names(), reverse=True):
            game = load_game(name)
            if _fits(game, hand):
                return game
    raise DamagedFileError(
        "The log does not say which game it is, and no shipped one fits. Name the game's definition: --game FILE. "
        f"Shipped: {', '.join(game_names())}."
    )


def _fits(game: GameDef, hand: LogHand) -> bool:
    sized = any(letter.isdigit() for letter in hand.betting)
    return (
        game.num_players == len(hand.hole)
        and all(len(cards) == game.num_hole for cards in hand.hole)
        and [len(cards) for cards in hand.board] == list(game.num_board[1 : len(hand.board) + 1])
        and (game.no_limit if sized else not game.no_limit or "r" not in hand.betting)
    )
