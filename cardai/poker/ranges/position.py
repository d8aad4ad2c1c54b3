"""A decision of a solved subgame: how often each hand takes each action, and what that is worth.

A line is the actions from the root, separated by blanks, and the cards that come: ``x b1000 c / 2c`` (:mod:`.lines`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from cardai.arena.report import as_html, as_text
from cardai.cards.text import card_text, cards_glyphs, parse_cards
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import pair_index, pairs
from cardai.poker.ranges._walk_kernels import EXPECT
from cardai.poker.ranges.cfr import meetings
from cardai.poker.ranges.kept import KeptSolver
from cardai.poker.ranges.lines import action_words, means, token, words_of
from cardai.poker.ranges.public_tree import DEAL, DECISION, SHOWDOWN, Node
from cardai.poker.ranges.solver import Solver

if TYPE_CHECKING:
    from rich.table import Table


SEATS = ("first to act", "button")
HEADER = ("action", "line", "how often", "worth")
"""What the columns of a decision's actions are called."""


def worth_text(worth: float) -> str:
    """Return what something is worth, in chips with two digits; "" where there is nothing to say."""
    return "" if worth != worth else f"{round(worth, 2) + 0.0:,.2f}"  # no -0.00


@frozen(eq=False, repr=False)
class Position:
    """A decision with n hands and A actions. Frequencies and values are those of the average strategies, unless values of best
    play were asked for (``Solution.at(line, best=True)``)."""

    line: str
    board: tuple[int, ...]
    seat: int
    pot: float
    actions: tuple[str, ...]
    """What each action is: "check", "bet 1,000", "raise to 3,000", "all-in 19,000"."""
    tokens: tuple[str, ...]
    """How each action is written in a line."""
    hands: Int64s
    """(n,) the numbers of the hands."""
    weights: Float64s
    """(2, n) the reach of both seats."""
    strategy: Float64s
    """(A, n) how often each hand takes each action; columns sum to 1."""
    values: Float64s
    """(A, n) what each action is worth from here on, in chips, a fold 0; nan where no hand of the opponent can be met."""
    met: Float64s
    """(n,) the weight of the opponent's hands that each hand can meet."""
    house: float = 0.0
    """What the house takes of the pot on average, where that was asked for (``Solution.at(line, house=True)``)."""

    @property
    def title(self) -> str:
        """Which decision it is."""
        where = f"after {self.line}" if self.line else "at the beginning"
        return f"{cards_glyphs(self.board)}, {where}: {SEATS[self.seat]}, pot {self.pot:,}"

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return the actions as text, under :data:`HEADER`; the last row is all of them."""
        found = zip(self.actions, self.tokens, self.frequencies, self.action_values, strict=True)
        out = [(words, token, f"{100 * often:.2f} %", worth_text(worth)) for words, token, often, worth in found]
        return [*out, ("all", "", "100.00 %", worth_text(self.value))]

    def table(self, line: str = HEADER[1]) -> Table:
        """Return the actions for rich; ``line`` heads how each is written in a line."""
        from rich.table import Table

        out = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for name, justify in zip((HEADER[0], line, *HEADER[2:]), ("left", "left", "right", "right"), strict=True):
            out.add_column(name, justify=justify)  # type: ignore[arg-type]
        for row in self.rows():
            out.add_row(*row)
        return out

    def page(self, note: str = "") -> str:
        """Return the actions as HTML, with a ``note`` below them."""
        return as_html(self.title, HEADER, self.rows(), note)

    def __str__(self) -> str:
        from rich.text import Text

        return as_text([Text(self.title), self.table()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.page()

    @property
    def frequencies(self) -> tuple[float, ...]:
        """(A,) how often each action is taken over the whole range."""
        share = self._shares
        return tuple(float(x) for x in self.strategy @ share)

    @property
    def action_values(self) -> tuple[float, ...]:
        """(A,) what each action is worth to the hands that take it; nan where none does."""
        taken = self.strategy * self._shares
        with np.errstate(invalid="ignore"):
            return tuple(float(x) for x in (taken * np.nan_to_num(self.values)).sum(axis=1) / taken.sum(axis=1))

    @property
    def value(self) -> float:
        """What the decision is worth over the whole range, in chips."""
        return float((self.strategy * np.nan_to_num(self.values)).sum(axis=0) @ self._shares)

    @property
    def worths(self) -> tuple[float, float]:
        """What both seats expect to win of the pot, in chips, over their whole ranges."""
        own, other = self.value, float(self.pot - self.value - self.house)
        return (own, other) if self.seat == 0 else (other, own)

    @property
    def _shares(self) -> Float64s:
        together = self.weights[self.seat] * self.met
        return np.asarray(together / together.sum() if together.sum() > 0 else together)


@frozen
class PublicState:
    """Where a line has come to: the node, the boards' numbers, and what turns the solved board into the dealt one."""

    node: Node
    board: tuple[int, ...]
    path: tuple[int, ...]
    cards: npt.NDArray[np.int64]
    hands: npt.NDArray[np.int64]


Suits = Sequence[int]
"""What each of the four suits of a solved board is called (0 to 3) on the board that is looked at."""
SAME: Suits = (0, 1, 2, 3)


def look_at(
    solver: Solver, board: list[int], line: str, suits: Suits = SAME, mode: int = EXPECT, house: bool = False
) -> Position:
    """Return the decision that ``line`` leads to; in the ``mode`` RESPOND with values of best play behind it, with ``house``
    also what the house takes, for which the tree is walked a second time.

    Raises:
        UsageError: the line cannot be read, or leads out of the tree, to a card or to the end of the hand.
    """
    place = decision_at(solver, board, line, suits)
    found = _position(solver, place, line, mode)
    return evolve(found, house=_house(solver, place, found)) if house and solver.layout.tree.rake else found


def decision_at(solver: Solver, board: list[int], line: str, suits: Suits = SAME) -> PublicState:
    """Return where ``line`` leads to, a decision. Raises UsageError as :func:`look_at` does."""
    place = follow(solver, board, line, suits)
    node = place.node
    if node.kind == DEAL:
        raise UsageError(f"After {line!r} a card comes: add it, such as {line + ' / 2c'!r}.")
    if node.kind != DECISION:
        raise UsageError(f"After {line!r} the hand is over: {'a showdown' if node.kind == SHOWDOWN else 'a fold'}.")
    return place


def follow(solver: Solver, board: list[int], line: str, suits: Suits = SAME) -> PublicState:
    """Return where ``line`` leads to, be it a decision or not. Raises UsageError."""
    place = start(solver, board, suits)
    for word in words_of(line):
        place = _deal(solver, place, word, line) if place.node.kind == DEAL else _act(place, word, line)
    return place


def look_at_kept(
    solver: KeptSolver,
    board: list[int],
    line: str,
    percent: float,
    suits: Suits = SAME,
    mode: int = EXPECT,
    house: bool = False,
) -> Position:
    """Return the decision that ``line`` leads to in a solution that was kept small (see :func:`after_card`).

    Best play (``mode`` RESPOND) is the best of the streets that were kept, and on the last one what the solution expects.

    Raises UsageError as :func:`look_at` does.
    """
    words, place = words_of(line), start(solver, board, suits)
    for k, word in enumerate(words):
        if place.node.kind != DEAL:
            place = _act(place, word, line)
        elif len(place.path) + 1 < len(solver.layout.boards):
            place = _deal(solver, place, word, line)
        else:
            found, behind = after_card(solver, place, _dealt_card(place, word, line), percent)
            rest = " ".join(words[k + 1 :])
            return evolve(look_at(found, list(behind.board), rest, mode=mode, house=house), line=line.strip())
    return look_at(solver, board, line, suits, mode, house)


def after_card(solver: Solver, place: PublicState, card: int, percent: float) -> tuple[Solver, PublicState]:
    """Return where ``card`` leads to from a chance node, and whose node it is: the last street of a solution that was kept
    small is solved for the board, to ``percent`` of the pot there. Raises UsageError where both are all-in.
    """
    if not isinstance(solver, KeptSolver) or len(place.path) + 1 < len(solver.layout.boards):
        return solver, deal_card(solver, place, card)
    whole, root = [*place.board, card], place.node.children[0]
    if root.kind != DECISION:
        raise UsageError("Both players are all-in there: the hand is over but for a showdown.")
    found = solver.subgame(root, whole, _reach(solver, place), percent / 100 * sum(root.spent))
    return found, start(found, whole)


def _reach(solver: Solver, place: PublicState) -> Float64s:
    """Return (2, K) with what both seats come to a chance node."""
    street, numbers = len(place.path), solver.layout.boards[len(place.path)].hands[place.path[-1] if place.path else 0]
    work, rows = solver.look(place.path, 0), solver.layout.streets[street].row_of
    found = np.zeros((2, len(solver.layout.hands.cards)))
    for seat in range(2):
        found[seat, place.hands[numbers]] = work.reach[rows[seat, place.node.index], : len(numbers)]
    return found


def start(solver: Solver, board: list[int], suits: Suits = SAME) -> PublicState:
    """Return the place of the root; ``board`` is called as it is looked at."""
    layout = solver.layout
    places, hands = np.arange(layout.hands.places), np.arange(len(layout.hands.cards))
    if tuple(suits) != SAME:
        places, hands = renamed_cards(suits), renamed_hands(suits)
    return PublicState(layout.tree.root, tuple(board), (), places, hands)


def renamed_cards(suits: Suits) -> Int64s:
    """Return (52,) what each card is called where suits are called ``suits``."""
    cards = np.arange(52)
    return np.asarray(13 * np.array(suits)[cards // 13] + cards % 13, np.int64)


def renamed_hands(suits: Suits) -> Int64s:
    """Return (1326,) which hand each of hold'em's is called where suits are called ``suits``."""
    cards = renamed_cards(suits)[pairs().astype(np.int64)]
    return pair_index(cards[:, 0], cards[:, 1])


def step(place: PublicState, child: int) -> PublicState:
    """Return where the action behind a decision's child ``child`` leads to."""
    return PublicState(place.node.children[child], place.board, place.path, place.cards, place.hands)


def _act(place: PublicState, word: str, line: str) -> PublicState:
    node = place.node
    if node.kind != DECISION:
        raise UsageError(f"The line {line!r} goes on with {word!r} after the hand is over.")
    for action, child in zip(node.actions, node.children, strict=True):
        if means(word.lower(), node, action):
            return step(place, node.children.index(child))
    known = ", ".join(token(node, action) for action in node.actions)
    raise UsageError(f"The line {line!r} cannot go on with {word!r}. Here are known: {known}.")


def _deal(solver: Solver, place: PublicState, word: str, line: str) -> PublicState:
    card = _dealt_card(place, word, line)
    if len(place.path) + 1 >= len(solver.layout.boards):
        raise UsageError(f"The line {line!r} goes on behind the last street that was solved.")
    return deal_card(solver, place, card)


def _dealt_card(place: PublicState, word: str, line: str) -> int:
    try:
        (card,) = parse_cards(word)
    except ValueError:
        raise UsageError(f"The line {line!r} needs a card where it says {word!r}, such as 2c.") from None
    if card in place.board:
        raise UsageError(f"The line {line!r} deals {card_text(card)}, which lies on the board.")
    return card


def deal_card(solver: Solver, place: PublicState, card: int) -> PublicState:
    """Return where ``card`` leads to from a chance node of a street that is not the last."""
    layout, street = solver.layout, len(place.path)
    before, after = layout.boards[street], layout.boards[street + 1]
    board = place.path[-1] if place.path else 0
    wanted = int(np.flatnonzero(place.cards == card)[0])  # its name on the board that was solved
    first = before.first_child[board]
    for child in range(first, first + before.num_children[board]):
        solved = after.boards[child][-1]
        for cards, hands in after.images[child]:
            if cards[solved] == wanted:
                known = (place.cards[cards], place.hands[hands])
                return PublicState(place.node.children[0], (*place.board, card), (*place.path, child), *known)
    raise AssertionError(f"no board for the card {card}")


def _position(solver: Solver, place: PublicState, line: str, mode: int) -> Position:
    node, layout, street = place.node, solver.layout, len(place.path)
    boards = layout.boards[street]
    numbers = boards.hands[place.path[-1] if place.path else 0]
    n, index, seat = len(numbers), node.index, node.actor
    work = solver.look(place.path, seat, mode)
    static, scale = layout.streets[street], layout.tree.scale
    reach = np.stack([work.reach[static.row_of[s, index], :n] for s in range(2)]).astype(np.float64)
    slots = static.first_slot[index] + np.arange(len(node.children))
    met = meetings(layout.hands.cards[numbers], reach[1 - seat], layout.hands.places)
    met = np.where(met > 1e-9 * max(1e-300, reach[1 - seat].sum()), met, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = (np.where(met > 0, work.values[static.roots + slots, :n] / met, np.nan) + node.spent[seat]) / scale
    return Position(
        line=line.strip(),
        board=place.board,
        seat=seat,
        pot=sum(node.spent) / scale if sum(node.spent) % scale else sum(node.spent) // scale,
        actions=tuple(action_words(node, action) for action in node.actions),
        tokens=tuple(token(node, action) for action in node.actions),
        hands=place.hands[numbers],
        weights=reach,
        strategy=work.sigma[slots, :n].astype(np.float64),
        values=values,
        met=met,
    )


def _house(solver: Solver, place: PublicState, found: Position) -> float:
    """Return what the house takes on average behind a decision: the pot, less what both seats win of it."""
    node, street, other = place.node, len(place.path), 1 - found.seat
    static, n = solver.layout.streets[street], len(found.hands)
    together = float(found.weights[found.seat] @ found.met)
    if not together > 0:
        return 0.0
    slots = static.roots + static.first_slot[node.index] + np.arange(len(node.children))
    behind = solver.look(place.path, other).values[slots, :n].sum(axis=0)
    won = (float(found.weights[other] @ behind) / together + node.spent[other]) / solver.layout.tree.scale
    return float(found.pot - found.value - won)
