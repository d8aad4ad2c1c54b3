"""Poker hand histories (PHH, arXiv 2312.11753): limit and no-limit hold'em, read by cardai's rules, written with PokerKit.

A file holds one hand (.phh) or numbered tables of them (.phhs). Hands are replayed as poker rooms' are. Where all of a file's
are of one game that the competition could play, with all cards, they are records of that game; else each has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from attrs import evolve, frozen

from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.extras import need_extra
from cardai.core.format import Format, HandStream, LeftOut, Record, Written
from cardai.core.hookspecs import hookimpl
from cardai.formats.acpc.gamedef import NO_CAP, UNLIMITED, GameDef
from cardai.formats.acpc.logs import Log, LogHand, Problem, check_names
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.records import checked
from cardai.formats.log_format import LogFormat, differ
from cardai.formats.rooms.hand import RoomHand
from cardai.formats.rooms.phh_reading import LINES, PhhHand, phh_hand, told_of
from cardai.formats.rooms.records import record_of
from cardai.formats.rooms.replay import replayed
from cardai.formats.rooms.text import UNITS
from cardai.formats.rooms.told import Refused
from cardai.poker.rules.betting import RAISE

_DEEP = 1000  # big bets in a stack that the game does not limit: PHH wants a number
_CAPS = (3, 4, 4, 4)  # bets and raises of limit hold'em in each round, the big blind not counted
_TABLE = re.compile(r"\s*\[[^\[\]]*\]\s*(#.*)?$")
_VARIANT = re.compile(r"\s*[\"']?variant[\"']?\s*=")
_FIRST = re.compile(r"\s*(\[[^\[\]]{1,60}\]\s*(#.*)?$|[a-z_]{2,30}\s*=)")  # a line that only such a file has
_SAID = re.compile(r"\s*[^\s#]")  # a line that is more than a comment
_UNSAID = re.compile(r"'''|[\x00-\x1f\x7f]")  # what PokerKit's texts in quotes cannot hold


def _pokerkit() -> Any:
    need_extra("pokerkit", "PHH", "phh")
    import pokerkit

    return pokerkit


# -- writing -------------------------------------------------------------------------------------------------------
def log_to_phh(log: Log) -> list[Any]:
    """Return each hand as PokerKit's HandHistory; hands that cannot be written join ``log.problems``.

    Raises:
        PluginError: PokerKit is not installed. UsageError: not hold'em with the usual blinds and sizes.
    """
    histories_of = _pokerkit().HandHistory.from_acpc_protocol
    definition = log.game()
    game, stack = _pokerkit_game(definition)
    tree = WireTree(definition)
    histories: list[Any] = []
    for hand in log.hands:
        line = evolve(hand, time="").text() + "\n"
        try:
            checked(tree, hand)
            if any(map(_UNSAID.search, hand.names)):
                raise DamagedFileError(f"the names {hand.names} cannot be quoted.")
            histories += histories_of(game, stack, line, error_status=True)
        except Exception as error:  # PokerKit raises what it likes
            log.problems.append(Problem(0, f"hand {hand.hand} cannot be written as PHH: {error}"))
    return histories


def phh_text(histories: list[Any]) -> str:
    """Return histories as the text of a file: one hand as it is (.phh), several as numbered tables (.phhs)."""
    if len(histories) == 1:
        return str(histories[0].dumps()) + "\n"
    return str(_pokerkit().HandHistory.dumps_all(histories)) + "\n"


def _pokerkit_game(definition: GameDef) -> tuple[Any, int]:
    """Return PokerKit's game of a definition, and the starting stack."""
    pokerkit = _pokerkit()
    n, sizes = definition.num_players, definition.raise_size
    reverse = n == 2 and definition.first_player[0] == 1
    usual = (definition.num_hole, definition.num_board, definition.num_suits, definition.num_ranks) == (
        2,
        (0, 3, 1, 1),
        4,
        13,
    )
    ordinary = len(set(definition.stack)) == 1 and (n > 2 or reverse)
    if not usual or not ordinary or (sizes and (sizes[0] != sizes[1] or sizes[2] != sizes[3])):
        raise UsageError(f"PHH has no variant for {definition.name}: hold'em with two bet sizes or no-limit is known.")
    blinds = definition.blind[::-1] if reverse else definition.blind
    stack = definition.stack[0] if definition.stack[0] < UNLIMITED else _DEEP * sizes[-1]
    if definition.no_limit:
        return pokerkit.NoLimitTexasHoldem((), True, 0, blinds, max(blinds)), stack
    return pokerkit.FixedLimitTexasHoldem((), True, 0, blinds, sizes[0], sizes[2]), stack


# -- reading -------------------------------------------------------------------------------------------------------


@frozen
class _Read:
    """A hand of a file: the number of its first line, what the file says, and what was played or why it was not."""

    line: int
    said: PhhHand | None
    hand: RoomHand | CardaiError


def hands_of(lines: Iterable[str]) -> Iterator[_Read]:
    """Yield the hands of a file."""
    for line, text in _tables(lines):
        said = None
        try:
            said = phh_hand(text)
            hand = replayed(told_of(said, line))
            if any(action.implied for action in hand.actions) or len(hand.players) < len(said.starting_stacks):
                raise Refused("the hand is not over", "somebody has still to act")
            yield _Read(line, said, hand)
        except CardaiError as error:
            yield _Read(line, said, error)


def _tables(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield each hand's text with the number of its first line; a second variant begins a hand as a table's head does."""
    held: list[str] = []
    begun, named = 1, False
    for number, line in enumerate(lines, 1):
        head, again = _TABLE.match(line) is not None, named and _VARIANT.match(line) is not None
        if head or again:
            if any(map(_SAID.match, held)):
                yield begun, "".join(held)
            held, begun, named = [], number + 1 if head else number, False
        if not head and len(held) <= LINES:
            held.append(line)
            named = named or _VARIANT.match(line) is not None
    if any(map(_SAID.match, held)):
        yield begun, "".join(held)


def read_log(lines: Iterable[str], game: GameDef | None = None) -> Log:
    """Return the hands of a PHH file as a log; hands that cannot be read, or stand in no log, are reported in ``problems``.

    The file's game is ``game``, or that of the first hand that a log can hold; hands of another one are reported.
    """
    return _log(hands_of(lines), game)


def _log(hands: Iterable[_Read], game: GameDef | None) -> Log:
    log = Log(definition=game)
    trees: dict[GameDef, WireTree] = {} if game is None else {game: WireTree(game)}
    for count, read in enumerate(hands):
        try:
            if isinstance(read.hand, CardaiError):
                raise read.hand
            assert read.said is not None
            log.hands.append(_log_hand(read.said, read.hand, trees, count, fixed=game is not None))
        except CardaiError as error:
            log.problems.append(Problem(read.line, str(error)))
    log.definition = next(iter(trees), None)
    return log


def _log_hand(said: PhhHand, hand: RoomHand, trees: dict[GameDef, WireTree], count: int, fixed: bool) -> LogHand:
    """Return a hand as a log has it. Raises DamagedFileError where none can."""
    definition = _definition(said)
    if not trees:
        trees[definition] = WireTree(definition)
    ((first, tree),) = trees.items()
    if not fixed and definition != first:
        raise DamagedFileError("its blinds, sizes or stacks are not those of the file's first hand.")
    if not all(player.cards for player in hand.players):
        raise DamagedFileError("the cards of some player are not known.")
    names = tuple(player.name for player in hand.players)
    check_names(names)
    node = tree.root
    for move in hand.moves:
        if node.actor < 0:
            raise DamagedFileError("it goes on where the competition's betting is over.")
        node = tree.after(node, round(move * hand.chip) if tree.game.no_limit and move >= RAISE else move)
    ends = [tree.game.board_before(round_) for round_ in range(node.round + 1)]
    dealt = hand.boards[0] if hand.boards else ()
    board = tuple(dealt[low:high] for low, high in pairwise(ends))
    hole = tuple(player.cards for player in hand.players)
    number = said.hand if type(said.hand) is int and 0 <= said.hand < 10**10 else count
    given = tuple(tree.values(node, [card for cards in (*hole, *board) for card in cards])) if node.actor < 0 else ()
    found = LogHand(number, node.text, hole, board, given, names)
    checked(tree, found)
    if any(abs(ours - theirs * hand.chip) > len(names) for ours, theirs in zip(given, hand.returns, strict=True)):
        raise DamagedFileError(f"the competition's rules pay {list(given)}, a poker room's {list(hand.returns)}.")
    return found


def _definition(said: PhhHand) -> GameDef:
    """Return the competition's definition of a hand's game. Raises DamagedFileError where it has none."""
    n, stacks = len(said.starting_stacks), set(said.starting_stacks)
    blinds = said.blinds_or_straddles + (0,) * (n - len(said.blinds_or_straddles))
    posted = max((seat + 1 for seat in range(n) if blinds[seat]), default=0)
    if any(said.antes):
        raise DamagedFileError("a log has no antes.")
    if len(stacks) > 1 or not posted or min(blinds) < 0 or max(blinds) > min(stacks):
        raise DamagedFileError("the stacks must be equal and cover the blinds.")
    bets = (said.small_bet, said.small_bet, said.big_bet, said.big_bet)
    if any(amount % UNITS for amount in (*stacks, *blinds, *bets)):
        raise DamagedFileError("a log has whole chips.")
    stack, blinds = min(stacks) // UNITS, tuple(blind // UNITS for blind in blinds)
    limit, sizes = said.variant == "FT", tuple(size // UNITS for size in bets)
    if limit and stack >= max(blinds) + sum(cap * size for cap, size in zip(_CAPS, sizes, strict=True)):
        stack = UNLIMITED  # nobody can run out of chips
    return GameDef(
        betting="limit" if limit else "nolimit",
        num_players=n,
        num_rounds=4,
        stack=(stack,) * n,
        blind=blinds[::-1] if n == 2 else blinds,
        raise_size=sizes if limit else (),
        first_player=(1 if n == 2 else posted % n, 0, 0, 0),
        max_raises=_CAPS if limit else (NO_CAP,) * 4,
        num_suits=4,
        num_ranks=13,
        num_hole=2,
        num_board=(0, 3, 1, 1),
        name="PHH",
    )


def _alike(hands: Sequence[_Read]) -> bool:
    """Whether all hands that were played can stand in one log: of one game that the competition has, with all cards."""
    played = [(read.said, read.hand) for read in hands if isinstance(read.hand, RoomHand) and read.said is not None]
    try:
        games = {_definition(said) for said, _ in played}
    except DamagedFileError:
        return False
    return len(games) == 1 and all(player.cards for _, hand in played for player in hand.players)


def _records(hands: Iterable[_Read], name: str) -> HandStream:
    """Return hands as records, each with a game of its own."""
    agents: list[str] = []
    places: dict[str, int] = {}
    items: list[Any] = []
    for read in hands:
        if isinstance(read.hand, RoomHand):
            items.append(record_of(read.hand, len(items), agents, places))
        else:
            reason = read.hand.reason if isinstance(read.hand, Refused) else ""
            items.append(LeftOut(f"{name}, line {read.line}: {read.hand}; the hand was left out.", reason))
    if not items:
        raise DamagedFileError(f"{name} has no hand in PHH in it.")
    game = next((item["game"] for item in items if not isinstance(item, str)), "holdem_nolimit")
    return HandStream(name, game, agents, iter(items))


@frozen
class Phh(LogFormat):
    """TOML tables of a hand each: variant, blinds, stacks, and the actions in PokerKit's notation."""

    one_game: ClassVar[bool] = False
    suffixes: ClassVar[tuple[str, ...]] = (".phh", ".phhs")
    parting: ClassVar[str] = "[]\n"  # a table's head

    def detect(self, lines: Sequence[str]) -> int | None:
        return next((place for place, line in enumerate(lines) if _FIRST.match(line)), None)

    def read_log(self, lines: Iterable[str], game: GameDef | None = None) -> Log:
        return read_log(lines, game)

    def read(self, lines: Iterator[str], name: str, game: GameDef | None = None) -> HandStream:
        hands = list(hands_of(lines))
        if game is None and not _alike(hands):
            return _records(hands, name)
        return self.streamed(iter([_log(hands, game)]), name)

    def write(self, header: Mapping[str, Any], hands: Sequence[Record]) -> Written:
        """Write records of one game through a log, as the competition's; hands with games or stacks of their own one by one."""
        if not differ(hands):
            return super().write(header, hands)
        from cardai.formats.rooms.phh_writing import written

        return written(header, hands)

    def write_log(self, log: Log) -> Written:
        histories = log_to_phh(log)
        return Written(phh_text(histories), len(histories), tuple(map(str, log.problems)))


@hookimpl
def cardai_format() -> type[Format]:
    return Phh
