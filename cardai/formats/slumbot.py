"""The dialect of slumbot.com: the same game and cards as the competition's no-limit, other letters and other amounts.

``k`` checks, ``c`` calls, ``f`` folds, and ``b<N>`` bets or raises to N chips *within the street* (blinds count before the
flop), where the competition counts the whole hand. Hands are ``<hand>:<betting>:<cards>:<value>:<value>:<name>|<name>``.
Source: saved logs of moscow25/deep_draw and public clients of the site.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import ClassVar

from attrs import evolve, frozen

from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.format import Format, Written
from cardai.core.hookspecs import hookimpl
from cardai.formats.acpc.gamedef import GameDef, load_game
from cardai.formats.acpc.logs import Log, LogHand, Problem, check_names, value_text
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.records import checked
from cardai.formats.acpc.states import CALL, FOLD, deal_text, parse_betting, parse_deal
from cardai.formats.log_format import LogFormat
from cardai.poker.rules.growing_tree import BettingNode

GAME = "holdem.nolimit.2p.reverse_blinds"
"""The site's game: heads-up, blinds 50/100, 20,000 chips every hand."""
_LINE = re.compile(
    r"([0-9]{1,10}):([kcfb0-9/]*):([^:]*):(-?[0-9]{1,9}\.?[0-9]*):(-?[0-9]{1,9}\.?[0-9]*):([^:|]+)\|([^:|]+)$"
)
_ACTION = re.compile("[kcf]|b([0-9]{1,9})")
_LINES = 1000  # read at a time


def is_line(line: str) -> bool:
    """Whether a line is a hand in this dialect."""
    return _LINE.match(line.rstrip("\r\n")) is not None


def from_slumbot(betting: str, tree: WireTree) -> BettingNode:
    """Return the betting node that the site's action string leads to ("b200c/kb300").

    Raises:
        DamagedFileError: not such a string. IllegalActionError: the rules refuse it.
    """
    node = tree.root
    for number, street in enumerate(betting.split("/")):
        position = 0
        while position < len(street):
            match = _ACTION.match(street, position)
            if match is None or node.round != number:
                raise DamagedFileError(f"The betting {betting!r} cannot be read at {street[position:]!r}.")
            if node.actor < 0:
                raise DamagedFileError(f"The betting {betting!r} goes on after the hand's end: {street[position:]!r}.")
            if match[1]:
                earlier = node.row["spent"][node.actor] - node.row["round_spent"][node.actor]
                node = tree.after(node, int(match[1]) + earlier)
            else:
                node = tree.after(node, FOLD if match[0] == "f" else CALL)
            position = match.end()
    return node


def to_slumbot(node: BettingNode) -> str:
    """Return the site's action string of a betting node (the inverse of :func:`from_slumbot`)."""
    streets = [""]
    for step in node.path():
        before = step.parent
        assert before is not None  # a path leaves the root out
        while len(streets) <= before.round:
            streets.append("")
        streets[-1] += step_text(before, step.action)
    streets += [""] * (node.round + 1 - len(streets))
    return "/".join(streets)


def step_text(node: BettingNode, action: int) -> str:
    """Return the site's letters of one action (0 fold, 1 check or call, N raise to N chips in the whole hand) at ``node``."""
    row, actor = node.row, node.actor
    if action == FOLD:
        return "f"
    if action == CALL:
        return "c" if row["spent"][actor] < row["max_spent"] else "k"
    return f"b{action - row['spent'][actor] + row['round_spent'][actor]}"


def lines_of(log: Log) -> list[str]:
    """Return the hands of a log as lines in this dialect, with their ends.

    Raises:
        UsageError: it is not the site's game.
    """
    game, own = log.game(), _tree().game
    if evolve(game, name=own.name) != own:
        raise UsageError(
            f"Slumbot's dialect is of one game only, heads-up no-limit hold'em with blinds 50/100 and 20,000 chips. "
            f"This log's game is another: {game.name or 'no name'}, {game.num_players} players, {game.betting}."
        )
    return [hand_text(hand) + "\n" for hand in log.hands]


def hand_text(hand: LogHand) -> str:
    """Return a hand of the competition's no-limit log as a line in this dialect, without its line end.

    Raises:
        UsageError: it is not the site's game.
    """
    tree = _tree()
    try:
        node = tree.walk(parse_betting(hand.betting, no_limit=True))
    except CardaiError as error:
        raise UsageError(f"Hand {hand.hand} is not of Slumbot's game ({GAME}): {error}") from error
    values = ":".join(map(value_text, hand.values))
    return f"{hand.hand}:{to_slumbot(node)}:{deal_text(hand.hole, hand.board)}:{values}:{'|'.join(hand.names)}"


@cache
def _tree() -> WireTree:
    return WireTree(load_game(GAME))


def parse_line(line: str, tree: WireTree) -> LogHand:
    """Return the hand of one line as the competition's log has it.

    Raises:
        DamagedFileError, IllegalActionError: it is not such a line, or the rules refuse it.
    """
    match = _LINE.match(line.rstrip("\r\n"))
    if match is None:
        raise DamagedFileError(f"expected hand:betting:cards:value:value:name|name. Got {line[:100]!r}")
    check_names(match.group(6, 7))
    hole, board = parse_deal(match[3])
    node = from_slumbot(match[2], tree)
    values = (float(match[4]), float(match[5]))
    hand = LogHand(int(match[1]), node.text, hole, board, values, (match[6], match[7]))
    checked(tree, hand)
    return hand


def read_log(lines: Iterable[str]) -> Log:
    """Return a log of the site's hands; damaged lines are reported in ``problems``, the rest is read."""
    tree = _tree()
    log = Log(definition=tree.game)
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                log.hands.append(parse_line(line, tree))
            except CardaiError as error:
                log.problems.append(Problem(number, str(error)))
    return log


@frozen
class Slumbot(LogFormat):
    """One hand a line, ``hand:betting:cards:value:value:name|name``, amounts within the street."""

    suffixes: ClassVar[tuple[str, ...]] = (".slumbot",)

    def detect(self, lines: Sequence[str]) -> int | None:
        return next((place for place, line in enumerate(lines) if is_line(line)), None)

    def read_log(self, lines: Iterable[str], game: GameDef | None = None) -> Log:
        return read_log(lines)

    def write_log(self, log: Log) -> Written:
        return Written("".join(lines_of(log)), len(log.hands), tuple(map(str, log.problems)))

    def parts(self, lines: Iterator[str], game: GameDef | None) -> Iterator[Log]:
        begun = 0
        while (part := list(itertools.islice(lines, _LINES))) or not begun:
            log = read_log(part)
            log.problems = [Problem(problem.line + begun, problem.why) for problem in log.problems]
            yield log
            begun += len(part) or 1


@hookimpl
def cardai_format() -> type[Format]:
    return Slumbot
