"""Poker hand histories (PHH, arXiv 2312.11753): limit and no-limit hold'em, written and read with PokerKit.

A file holds one hand (.phh) or numbered tables of them (.phhs). PokerKit plays each hand's actions; what it played is then
held to the competition's rules, as a hand of any log is. Player 1 is the competition's position 0.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from attrs import Attribute, evolve, field, frozen

from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.extras import need_extra
from cardai.core.format import Format, Record, Written
from cardai.core.hookspecs import hookimpl
from cardai.core.schema import structure, whole
from cardai.formats.acpc.gamedef import MAX_PLAYERS, NO_CAP, UNLIMITED, GameDef
from cardai.formats.acpc.logs import Log, LogHand, Problem, check_names
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.records import checked
from cardai.formats.acpc.states import CALL, FOLD, Cards, parse_cards
from cardai.formats.log_format import LogFormat, differ
from cardai.poker.rules.growing_tree import BettingNode

_DEEP = 1000  # big bets in a stack that the game does not limit: PHH wants a number
_CAPS = (3, 4, 4, 4)  # bets and raises of limit hold'em in each round, the big blind not counted
_TABLE = re.compile(r"\s*\[[^\[\]]*\]\s*(#.*)?$")
_FIRST = re.compile(r"\s*(\[[^\[\]]{1,60}\]\s*(#.*)?$|[a-z_]{2,30}\s*=)")  # a line that only such a file has
_LINES = 2000  # lines of one hand
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
class PhhHand:
    """What a hand of a PHH file must hold. Lists go by player; chips are whole."""

    variant: str
    antes: tuple[int, ...] = field(validator=whole(0, UNLIMITED))
    blinds_or_straddles: tuple[int, ...] = field(validator=whole(0, UNLIMITED))
    starting_stacks: tuple[int, ...] = field(validator=whole(1, UNLIMITED))
    actions: tuple[str, ...] = field()
    small_bet: int = field(default=0, validator=whole(0, UNLIMITED))
    big_bet: int = field(default=0, validator=whole(0, UNLIMITED))
    min_bet: int = field(default=0, validator=whole(0, UNLIMITED))
    players: tuple[str, ...] = ()
    hand: Any = None

    @actions.validator
    def _short(self, attribute: Attribute[Any], value: tuple[str, ...]) -> None:
        if len(value) > _LINES or any(len(action) > 200 for action in value):
            raise ValueError("has more, or longer, entries than a hand of hold'em")

    def __attrs_post_init__(self) -> None:
        n = len(self.starting_stacks)
        if self.variant not in ("FT", "NT"):
            raise ValueError(
                f"is of the variant {self.variant[:20]!r}; FT and NT (limit and no-limit hold'em) are known"
            )
        if not 2 <= n <= MAX_PLAYERS or len(self.antes) > n or len(self.blinds_or_straddles) > n or any(self.antes):
            raise ValueError(f"must have 2 to {MAX_PLAYERS} players, a blind each at most, and no antes")
        if self.players and (len(self.players) != n or not all(self.players)):
            raise ValueError("does not name each player")


def read_log(lines: Iterable[str], game: GameDef | None = None) -> Log:
    """Return the hands of a PHH file as a log; hands that cannot be read are reported in ``problems``.

    The file's game is ``game``, or that of the first hand that can be read; hands of another one are reported.

    Raises:
        PluginError: PokerKit is not installed.
    """
    _pokerkit()
    log = Log(definition=game)
    trees: dict[GameDef, WireTree] = {} if game is None else {game: WireTree(game)}
    for count, (line, text) in enumerate(_tables(lines)):
        try:
            log.hands.append(_hand(text, trees, count, fixed=game is not None))
        except CardaiError as error:
            log.problems.append(Problem(line, str(error)))
    log.definition = next(iter(trees), None)
    return log


def _tables(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield each hand's text with the number of its first line."""
    held: list[str] = []
    begun = 1
    for number, line in enumerate(lines, 1):
        if _TABLE.match(line):
            if any(map(str.strip, held)):
                yield begun, "".join(held)
            held, begun = [], number + 1
        elif len(held) <= _LINES:
            held.append(line)
    if any(map(str.strip, held)):
        yield begun, "".join(held)


def _hand(text: str, trees: dict[GameDef, WireTree], count: int, fixed: bool) -> LogHand:
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"no hand in PHH: {error}.") from error
    read = structure(values, PhhHand, "the hand")
    if not trees:
        trees[_definition(read)] = WireTree(_definition(read))
    ((definition, tree),) = trees.items()
    if not fixed and _definition(read) != definition:
        raise DamagedFileError("its blinds, sizes or stacks are not those of the file's first hand.")
    state = _played(read)
    hole, board, node = _followed(state, tree, len(read.starting_stacks))
    dealt = [card for cards in (*hole, *board) for card in cards]
    if any(len(cards) != 2 for cards in hole):
        raise DamagedFileError("the cards of some player are not known.")
    names = read.players or tuple(f"p{seat + 1}" for seat in range(len(hole)))
    check_names(names)
    number = read.hand if type(read.hand) is int and 0 <= read.hand < 10**10 else count
    if node.actor >= 0:
        raise DamagedFileError("the hand is not over.")
    given = tuple(tree.values(node, dealt))
    hand = LogHand(number, node.text, hole, board, given, names)
    checked(tree, hand)
    if any(abs(ours - theirs) > len(names) for ours, theirs in zip(given, state.payoffs, strict=True)):
        raise DamagedFileError(f"PokerKit pays {list(state.payoffs)}, the competition's rules {list(given)}.")
    return hand


def _definition(hand: PhhHand) -> GameDef:
    """Return the competition's definition of a hand's game."""
    n, stacks = len(hand.starting_stacks), set(hand.starting_stacks)
    blinds = hand.blinds_or_straddles + (0,) * (n - len(hand.blinds_or_straddles))
    posted = max((seat + 1 for seat in range(n) if blinds[seat]), default=0)
    if len(stacks) > 1 or not posted or max(blinds) > min(stacks):
        raise DamagedFileError("the stacks must be equal and cover the blinds.")
    limit, sizes = hand.variant == "FT", (hand.small_bet, hand.small_bet, hand.big_bet, hand.big_bet)
    stack = min(stacks)
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


def _played(hand: PhhHand) -> Any:
    """Return PokerKit's state at the end of a hand. Raises DamagedFileError where it refuses an action."""
    bets = {name: getattr(hand, name) for name in ("small_bet", "big_bet", "min_bet") if getattr(hand, name)}
    lists = ("antes", "blinds_or_straddles", "starting_stacks", "actions")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            history = _pokerkit().HandHistory(
                variant=hand.variant, **bets, **{name: list(getattr(hand, name)) for name in lists}
            )
            *_, state = history
    except Exception as error:  # PokerKit raises what it likes
        raise DamagedFileError(f"PokerKit refuses the hand: {error}.") from error
    return state


def _followed(state: Any, tree: WireTree, players: int) -> tuple[tuple[Cards, ...], tuple[Cards, ...], BettingNode]:
    """Return hole cards, board and betting of what PokerKit played, by the competition's rules."""
    hole: list[Cards] = [()] * players
    dealt: Cards = ()
    node = tree.root
    for operation in state.operations:
        match type(operation).__name__:
            case "HoleDealing":
                hole[operation.player_index] += _cards(operation.cards)
            case "HoleCardsShowingOrMucking" if len(_cards(operation.hole_cards)) == 2:
                hole[operation.player_index] = _cards(operation.hole_cards)
            case "BoardDealing":
                dealt += _cards(operation.cards)
            case "Folding":
                node = tree.after(node, FOLD)
            case "CheckingOrCalling":
                node = tree.after(node, CALL)
            case "CompletionBettingOrRaisingTo":
                node = tree.after(node, _amount(tree, node, operation.amount))
    ends = [tree.game.board_before(round_) for round_ in range(node.round + 1)]
    if len(dealt) < ends[-1]:
        raise DamagedFileError("the board is shorter than the betting.")
    return tuple(hole), tuple(dealt[low:high] for low, high in pairwise(ends)), node


def _amount(tree: WireTree, node: BettingNode, amount: int) -> int:
    """Return the competition's action of a bet or raise to ``amount`` within the round."""
    if not tree.game.no_limit or node.actor < 0:
        return 2
    return int(amount + node.row["spent"][node.actor] - node.row["round_spent"][node.actor])


def _cards(cards: Iterable[Any]) -> Cards:
    """Return PokerKit's cards that are known."""
    return tuple(card for text in map(repr, cards) if "?" not in text for card in parse_cards(text))


@frozen
class Phh(LogFormat):
    """TOML tables of a hand each: variant, blinds, stacks, and the actions in PokerKit's notation."""

    one_game: ClassVar[bool] = False
    suffixes: ClassVar[tuple[str, ...]] = (".phh", ".phhs")

    def detect(self, lines: Sequence[str]) -> int | None:
        return next((place for place, line in enumerate(lines) if _FIRST.match(line)), None)

    def read_log(self, lines: Iterable[str], game: GameDef | None = None) -> Log:
        return read_log(lines, game)

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
