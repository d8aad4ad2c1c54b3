"""Records of hold'em, walked by the rules: who sat where, what was posted, put in, dealt and won, as files of rooms say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from cardai import make
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.formats.hand_values import card_set, set_value
from cardai.poker.contract import BoardGame, board_game, deals_holdem
from cardai.poker.rules.betting import CALL, FOLD, RAISE, UNLIMITED, Betting
from cardai.poker.rules.growing_tree import BettingNode, GrowingTree, rules, rung_amounts

_BOARD = (0, 3, 4, 5)
DEEP = 1000
"""Big blinds that a player is said to have who cannot run out of chips."""


@frozen
class Bet:
    """One action: the position that acts, the round, fold, check, call, bet or raise, the chips then in on this street and
    those of the action."""

    position: int
    round: int
    kind: str
    to: int
    added: int
    before: int
    """The bet that was there, on this street."""
    all_in: bool


@frozen
class Hand:
    """A record as a room would tell it, all by position (the first after the button first), chips whole."""

    names: tuple[str, ...]
    seats: tuple[int, ...]
    stacks: tuple[int, ...]
    betting: Betting
    holes: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]
    bets: tuple[Bet, ...]
    put: tuple[int, ...]
    returned: tuple[int, ...]
    pots: tuple[tuple[int, ...], ...]
    """What each position takes of each pot, the main one first; uncalled bets are in none."""
    folded: tuple[int, ...]
    """The round in which each position folded, -1: it did not."""
    showdown: bool


def holdem(game: Game, spec: str) -> BoardGame:
    """Return what hold'em ``game`` declares. Raises UsageError where rooms do not deal it."""
    said = board_game(game)
    if said is None or not deals_holdem(said) or said.board != _BOARD or said.action_mapping:
        raise UsageError(
            f"Poker rooms' files say hold'em, limit or not, from two to ten players. {spec} is another game."
        )
    return said


class Games:
    """The games of a file's records: ``header``'s, and those that records of rooms name themselves; each is made once.

    Raises:
        UsageError: a game is not hold'em.
    """

    def __init__(self, header: Mapping[str, Any]) -> None:
        self._named, self._known = header["game"], dict[str, BoardGame]()
        self.of({})

    def of(self, record: Mapping[str, Any]) -> BoardGame:
        """Return the game of a record."""
        named = record.get("game") or self._named
        spec = str(named)
        if spec not in self._known:
            self._known[spec] = holdem(make.game(named), spec)
        return self._known[spec]


def walked(said: BoardGame, record: Mapping[str, Any], names: list[str]) -> Hand:
    """Return a record of hold'em as it was played.

    Raises:
        DamagedFileError, IllegalActionError: it does not fit the game.
    """
    line = followed(said, record)
    node, n = line.node, len(line.seats)
    if node.actor >= 0:
        raise DamagedFileError("The hand is not over.")
    put, returned = _put(node)
    away = said.betting.away or (0,) * n
    folded = tuple(
        next((b.round for b in line.bets if b.position == p and b.kind == "fold"), 0 if away[p] else -1)
        for p in range(n)
    )
    pots = tuple(_pots(node, line.holes, line.board, returned))
    called = tuple(names[record["seats"][seat]] for seat in line.seats)
    return Hand(
        called, line.seats, line.stacks, said.betting, line.holes, line.board, line.bets, put, returned, pots, folded,
        node.contested,
    )  # fmt: skip


@frozen(eq=False)
class Line:
    """What was done in a hand of hold'em so far, by position; it leads to ``node``."""

    seats: tuple[int, ...]
    stacks: tuple[int, ...]
    holes: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]
    bets: tuple[Bet, ...]
    node: BettingNode


def followed(said: BoardGame, record: Mapping[str, Any]) -> Line:
    """Return a record of hold'em, over or under way, as the rules play it.

    Raises:
        DamagedFileError, IllegalActionError: it does not fit the game.
    """
    betting, n = said.betting, said.betting.num_players
    setup = record["setup"]
    if len(record["seats"]) != n or len(setup["stacks"] or record["seats"]) != n:
        raise DamagedFileError(f"The hand has not {n} players.")
    first = (int(setup["starter"]) + betting.offset) % n
    seats = tuple((first + position) % n for position in range(n))
    given = [setup["stacks"][seat] if setup["stacks"] else 0 for seat in seats]
    stacks = tuple(stack if stack > 0 else said.stacks[seat] for stack, seat in zip(given, seats, strict=True))
    stacks = tuple(min(stack, DEEP * said.big_blind) if stack >= UNLIMITED else stack for stack in stacks)
    tree = GrowingTree(betting, (-betting.offset) % n, stacks)
    bets: list[Bet] = []
    node = tree.root
    for chosen in record["actions"]:
        after = tree.after(node, _amount(said, node, int(chosen)))
        bets.append(_bet(node, after))
        node = after
    deck = [int(card) for card in record["deck"]]
    shown = 5 if node.contested else _BOARD[node.round]
    if len(deck) < 2 * n + shown or len(set(deck)) < len(deck):
        raise DamagedFileError("The deck is shorter than what was dealt, or has a card twice.")
    holes = tuple(tuple(deck[2 * p : 2 * p + 2]) for p in range(n))
    return Line(seats, stacks, holes, tuple(deck[2 * n : 2 * n + shown]), tuple(bets), node)


def _amount(said: BoardGame, node: BettingNode, chosen: int) -> int:
    """Return the rules' action of a game's action, which may be a rung of its ladder."""
    if chosen < RAISE or not said.betting.no_limit or not said.ladder:
        return chosen
    rungs = rung_amounts(node, said.ladder)
    if chosen - RAISE >= len(rungs):
        raise DamagedFileError(f"The game has no action {chosen}.")
    return rungs[chosen - RAISE]


def _bet(node: BettingNode, after: BettingNode) -> Bet:
    row, seat = node.row, node.actor
    spent, street = row["spent"][seat], row["round_spent"][seat]
    added = after.row["spent"][seat] - spent
    before = row["max_spent"] - (spent - street)
    kind = "fold" if after.action == FOLD else "check" if added == 0 and after.action == CALL else "call"
    if after.action >= RAISE:
        kind = "raise" if before > 0 else "bet"
    all_in = added > 0 and after.row["spent"][seat] == row["stack"][seat]
    return Bet(seat, node.round, kind, street + added, added, before, all_in)


def _put(node: BettingNode) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what each position put in, dead chips too, and what of it nobody called."""
    spent = node.row["spent"]
    ordered = sorted(spent)
    over = ordered[-1] - ordered[-2]
    put = tuple(one + dead for one, dead in zip(spent, node.row["dead"], strict=True))
    if node.row["folded"][spent.index(ordered[-1])] and rules.left_alone(node.row, {"num_players": len(spent)}) >= 0:
        over = 0  # who is left wins it
    return put, tuple(over if over and one == ordered[-1] else 0 for one in spent)


def _pots(
    node: BettingNode, holes: tuple[tuple[int, ...], ...], board: tuple[int, ...], returned: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Yield what each position takes of each pot; odd chips go to the first positions."""
    row, n = node.row, len(holes)
    ranks = [0] * n if not node.contested else [set_value(card_set((*hole, *board))) for hole in holes]
    live = [p for p in range(n) if not row["folded"][p]]
    levels = sorted({row["spent"][p] for p in live})
    low, carried = 0, sum(row["dead"])
    for level in levels:
        total = carried + sum(min(spent, level) - min(spent, low) for spent in row["spent"])
        if level == levels[-1]:  # what folded hands put in beyond is in the last pot
            total += sum(max(spent - level, 0) for spent in row["spent"])
            total -= sum(returned)
        takers = [p for p in live if row["spent"][p] >= level]
        best = [p for p in takers if ranks[p] == max(ranks[q] for q in takers)]
        low, carried = level, 0
        if not total:
            continue
        share, odd = divmod(total, len(best))
        out = [0] * n
        for k, p in enumerate(best):
            out[p] = share + (k < odd)
        yield tuple(out)
