"""Game definition files of the Annual Computer Poker Competition: read, check, write.

A file is a list of ``key = values`` lines between ``GAMEDEF`` and ``END GAMEDEF``; keys are case-insensitive prefixes of
a line, the equals sign is optional, lines that begin with ``#`` are comments. Source of keys, defaults and maxima: the
protocol's version 2.0.0 and ``readGame`` of the competition's server (project_acpc_server, game.c).
"""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path
from typing import Literal

from attrs import frozen

from cardai.core.errors import DamagedFileError, UsageError, nearest

UNLIMITED = 2**31 - 1
"""A stack that is not limited (the competition's INT32_MAX)."""
NO_CAP = 255
"""``maxRaises`` where a game does not cap them."""
MAX_PLAYERS, MAX_ROUNDS, MAX_HOLE, MAX_BOARD = 10, 4, 3, 7
MAX_ACTIONS = 64
"""Actions a round: a raise is refused when actions so far + players exceed it (game.c, raiseIsValid)."""

_LONGEST = 64 << 10  # characters of a definition
_LISTS = ("stack", "blind", "raisesize", "firstplayer", "maxraises", "numboardcards")
_NUMBERS = ("numplayers", "numrounds", "numsuits", "numranks", "numholecards")
_FLAGS = ("limit", "nolimit")
_KEYS = (*_LISTS, *_NUMBERS, *_FLAGS)


@frozen
class GameDef:
    """One game of the competition. Lists over players go by position, lists over rounds by round; chips are whole.

    ``first_player`` counts from 0 (files count from 1). ``stack`` holds :data:`UNLIMITED` where nothing is said.
    """

    betting: Literal["limit", "nolimit"]
    num_players: int
    num_rounds: int
    stack: tuple[int, ...]
    blind: tuple[int, ...]
    raise_size: tuple[int, ...]
    first_player: tuple[int, ...]
    max_raises: tuple[int, ...]
    num_suits: int
    num_ranks: int
    num_hole: int
    num_board: tuple[int, ...]
    name: str = ""

    @property
    def no_limit(self) -> bool:
        """Whether raises carry an amount."""
        return self.betting == "nolimit"

    @property
    def button(self) -> int:
        """The position that has the button: the last, in heads-up games with reversed blinds and in ring games."""
        return self.num_players - 1

    def deck(self) -> tuple[int, ...]:
        """Return the deck in dealing order: suit by suit from clubs, each from its lowest rank.

        A short deck has the highest ranks of the last suits (game.c, dealCards): Leduc's has Q K A of hearts, spades.
        """
        suits = range(4 - self.num_suits, 4)
        ranks = range(13 - self.num_ranks, 13)
        return tuple(13 * suit + rank for suit in suits for rank in ranks)

    def board_before(self, round_: int) -> int:
        """Return how many board cards lie once round ``round_`` (from 0) has begun."""
        return sum(self.num_board[: round_ + 1])

    def text(self) -> str:
        """Return the definition as a file; :func:`parse_game` reads it back to an equal one."""
        lines = ["GAMEDEF", self.betting, f"numPlayers = {self.num_players}", f"numRounds = {self.num_rounds}"]
        if any(stack < UNLIMITED for stack in self.stack):
            lines.append(_line("stack", self.stack))
        lines.append(_line("blind", self.blind))
        if not self.no_limit:
            lines.append(_line("raiseSize", self.raise_size))
        if any(self.first_player):
            lines.append(_line("firstPlayer", tuple(p + 1 for p in self.first_player)))
        if any(cap < NO_CAP for cap in self.max_raises):
            lines.append(_line("maxRaises", self.max_raises))
        lines += [f"numSuits = {self.num_suits}", f"numRanks = {self.num_ranks}", f"numHoleCards = {self.num_hole}"]
        lines += [_line("numBoardCards", self.num_board), "END GAMEDEF"]
        return "\n".join(lines) + "\n"


def _line(key: str, values: tuple[int, ...]) -> str:
    return f"{key} = {' '.join(map(str, values))}"


def game_names() -> list[str]:
    """Return the names of the game definitions that cardai ships."""
    folder = resources.files("cardai.formats.acpc") / "games"
    return sorted(item.name.removesuffix(".game") for item in folder.iterdir() if item.name.endswith(".game"))


def load_game(name: str) -> GameDef:
    """Return the game of a file, or a shipped one by its name (``holdem.limit.2p.reverse_blinds``).

    Raises:
        UsageError: neither a file nor a shipped name. DamagedFileError: the file is wrong; the message says where.
    """
    path = Path(name)
    if os.path.isfile(path):
        with path.open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            raise _wrong(path.name, f"it has more than {_LONGEST:,} characters")
        return parse_game(text, path.name)
    known = game_names()
    wanted = path.name.removesuffix(".game")
    if wanted in known:
        file = resources.files("cardai.formats.acpc") / "games" / f"{wanted}.game"
        return parse_game(file.read_text(encoding="utf-8"), f"{wanted}.game")
    raise UsageError(
        f"There is no game definition file {name!r}.{nearest(wanted, known)} Give a file, or one of: {', '.join(known)}."
    )


def parse_game(text: str, name: str = "") -> GameDef:
    """Return the game that ``text`` defines.

    Raises:
        DamagedFileError: an unknown key, a value that is not a whole number, a count that does not fit, a blind above
            its stack, more cards than the deck has; naming the file, the key and what is expected.
    """
    values: dict[str, tuple[int, ...]] = {}
    betting: Literal["limit", "nolimit"] = "limit"
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip().lower()
        if not line or line.startswith("#") or line.startswith("gamedef"):
            continue
        if line.startswith("end gamedef"):
            break
        key = next((key for key in _KEYS if line.startswith(key)), None)
        if key is None:
            word = re.split(r"[\s=]", line, maxsplit=1)[0]
            raise _wrong(
                name, f"line {number} has an unknown key {word!r}.{nearest(word, _KEYS)} Known: {', '.join(_KEYS)}"
            )
        if key in _FLAGS:
            betting = "nolimit" if key == "nolimit" else "limit"
        else:
            values[key] = _numbers(name, number, line[len(key) :])
    return _checked(name, betting, values)


def _numbers(name: str, number: int, text: str) -> tuple[int, ...]:
    words = text.split("#", 1)[0].replace("=", " ").split()
    if not words or not all(re.fullmatch("[0-9]{1,12}", word) for word in words):
        raise _wrong(name, f"line {number} must give whole numbers. Got {text.strip()!r}")
    return tuple(map(int, words))


def _wrong(name: str, what: str) -> DamagedFileError:
    return DamagedFileError(f"The game definition {name or '(text)'} cannot be used: {what}.")


def _checked(name: str, betting: Literal["limit", "nolimit"], values: dict[str, tuple[int, ...]]) -> GameDef:
    def number(key: str, low: int, high: int) -> int:
        given = values.get(key, (0,))
        if len(given) != 1 or not low <= given[0] <= high:
            got = "nothing" if key not in values else " ".join(map(str, given))
            raise _wrong(name, f"{key} must be one number from {low} to {high}. Got {got}")
        return given[0]

    def numbers(key: str, count: int, default: int | None, high: int = UNLIMITED) -> tuple[int, ...]:
        given = values.get(key, ())
        if default is not None:
            given += (default,) * (count - len(given))
        if len(given) < count or max(given[:count], default=0) > high:
            raise _wrong(
                name, f"{key} must be {count} numbers of at most {high}. Got {' '.join(map(str, given)) or 'none'}"
            )
        return given[:count]

    players, rounds = number("numplayers", 2, MAX_PLAYERS), number("numrounds", 1, MAX_ROUNDS)
    stack = numbers("stack", players, None) if "stack" in values else (UNLIMITED,) * players
    first = numbers("firstplayer", rounds, 1, players)
    if 0 in first:
        raise _wrong(name, f"firstplayer counts players from 1. Got {' '.join(map(str, first))}")
    game = GameDef(
        betting=betting,
        num_players=players,
        num_rounds=rounds,
        stack=stack,
        blind=numbers("blind", players, None),
        raise_size=numbers("raisesize", rounds, None) if betting == "limit" else (),
        first_player=tuple(p - 1 for p in first),
        max_raises=numbers("maxraises", rounds, NO_CAP, NO_CAP),
        num_suits=number("numsuits", 1, 4),
        num_ranks=number("numranks", 1, 13),
        num_hole=number("numholecards", 1, MAX_HOLE),
        num_board=numbers("numboardcards", rounds, None, MAX_BOARD),
        name=name,
    )
    _check_sums(game)
    return game


def _check_sums(game: GameDef) -> None:
    for position, (blind, stack) in enumerate(zip(game.blind, game.stack, strict=True)):
        if blind > stack:
            raise _wrong(game.name, f"the blind of player {position + 1}, {blind}, is more than the stack, {stack}")
    if sum(game.num_board) > MAX_BOARD:
        raise _wrong(game.name, f"at most {MAX_BOARD} board cards can be dealt. Got {sum(game.num_board)}")
    needed = game.num_hole * game.num_players + sum(game.num_board)
    if needed > game.num_suits * game.num_ranks:
        raise _wrong(
            game.name, f"{needed} cards are dealt from a deck of {game.num_suits * game.num_ranks}. Use a larger deck"
        )
