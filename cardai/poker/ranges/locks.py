"""Locks: how often hands must take which action at a decision. The rest of the tree is solved around them.

A lock names a line (:mod:`cardai.poker.ranges.lines`), on which ``*`` is any card; hands, or all; and how often each action is
taken. It holds on the cards that it names and no others, though they may differ by the names of suits alone: boards that are
locked differently are then solved apart. With ``images`` it holds on all boards that suits' names tell apart, for the hands
that are renamed with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.cards.text import parse_cards
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import COUNT
from cardai.poker.notation import parse_range
from cardai.poker.ranges.hands import DealtBoards
from cardai.poker.ranges.lines import means, token, words_of
from cardai.poker.ranges.public_tree import DEAL, DECISION, Forest, Node, PublicTree

FREE = -1.0
"""In place of a frequency: it is solved."""
_NEAR = 1e-6
Renaming = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


@frozen
class Lock:
    """How often hands take which action at a decision."""

    line: str
    """The decision; "" is the first."""
    play: dict[str, float]
    """How often, by action as a line writes it; those that are left out are never taken."""
    hands: str = ""
    """Which hands, as a range; "" is all."""
    images: bool = False
    """Whether it holds on boards that differ by suits' names alone as well."""


def parse_lock(text: str) -> Lock:
    """Return the lock ``LINE: [HANDS:] ACTION=SHARE ...``, such as "x b100: AA,KQs: c=0.75 f=0.25".

    Raises:
        UsageError: it cannot be read.
    """
    example = 'Write LINE: [HANDS:] ACTION=SHARE ..., such as "x b100: AA,KQs: c=0.75 f=0.25".'
    line, first, rest = text.partition(":")
    hands, _, given = rest.rpartition(":")
    play = {}
    for word in given.replace(",", " ").split():
        action, _, share = word.partition("=")
        try:
            play[action] = float(share[:-1]) / 100 if share.endswith("%") else float(share)
        except ValueError:
            raise UsageError(f"The lock {text!r} cannot be read at {word!r}. {example}") from None
    if not first or not play:
        raise UsageError(f"The lock {text!r} says not how often what is done. {example}")
    return Lock(line.strip(), play, hands.strip())


def lock_text(lock: Lock) -> str:
    """Return a lock as :func:`parse_lock` reads it back.

    >>> lock_text(Lock("x b100", {"c": 0.75, "f": 0.25}, "AA,KQs"))
    'x b100: AA,KQs: c=0.75 f=0.25'
    """
    hands = f" {lock.hands}:" if lock.hands else ""
    return f"{lock.line}:{hands} {' '.join(f'{word}={share:.12g}' for word, share in lock.play.items())}"


@frozen(eq=False)
class Locked:
    """A lock as a tree takes it."""

    node: int
    """The decision's number."""
    cards: tuple[int | None, ...]
    """The card that came before each street after the first; None is any."""
    play: Float64s = field(repr=False)
    """(A, K) how often each hand takes each action, or FREE."""

    def holds(self, dealt: Sequence[int]) -> bool:
        """Whether it holds where the cards ``dealt`` came before the streets after the first."""
        return all(card in (None, came) for card, came in zip(self.cards, dealt, strict=True))


def from_the_most_general(locked: Sequence[Locked]) -> list[Locked]:
    """Return locks in the order in which they replace one another: the most particular, which comes last, holds."""
    return sorted(locked, key=lambda one: tuple(card is not None for card in one.cards))


def resolve(
    locks: Sequence[Lock], tree: PublicTree, board: Sequence[int], ranges: Float64s, group: Sequence[Renaming]
) -> list[Locked]:
    """Return what ``locks`` fix in a tree, one a decision and cards; a later lock replaces what earlier ones said.

    Args:
        ranges: (2, 1326) those of both players.
        group: the renamings of suits that change neither the board nor the ranges.

    Raises:
        UsageError: a line leads nowhere, shares make no sense, or no hand of the range is meant.
    """
    found: dict[tuple[int, tuple[int | None, ...]], Float64s] = {}
    spread: list[tuple[tuple[int, tuple[int | None, ...]], Float64s]] = []
    for lock in locks:
        node, cards = _decision(lock, tree, board)
        play = _play(lock, node, ranges)
        for key, image in _images((node.number, cards), play, group if lock.images else group[:1]):
            spread.append((key, image))
        known = found.setdefault((node.number, cards), np.full(play.shape, FREE))
        known[:, play[0] >= 0] = play[:, play[0] >= 0]
    for key, image in spread:
        known = found.setdefault(key, np.full(image.shape, FREE))
        free = (known[0] < 0) & (image[0] >= 0)
        known[:, free] = image[:, free]
    return [Locked(*key, play) for key, play in found.items()]


def keeps(locked: Sequence[Locked], renaming: Renaming) -> bool:
    """Whether a renaming of suits takes every lock to a lock."""
    known = {(one.node, one.cards): one.play for one in locked}
    for one in locked:
        ((key, image),) = _images((one.node, one.cards), one.play, [renaming])
        if key not in known or not np.array_equal(known[key], image):
            return False
    return True


def locked_rows(locked: Sequence[Locked], forest: Forest, boards: DealtBoards, start: int) -> dict[str, Any]:
    """Return the arrays of a street's locks (see :class:`~._walk_kernels.Street`); ``start``: the cards of the first board."""
    places = {int(number): k for k, number in enumerate(forest.numbers)}
    mine = [one for one in from_the_most_general(locked) if one.node in places]
    nodes = sorted({places[one.node] for one in mine})
    lock_of = np.full(len(forest.numbers) if nodes else 0, -1, np.int32)
    lock_of[nodes] = np.arange(len(nodes))
    lock_row, rows, count = np.full((len(nodes), len(boards)), -1, np.int32), [np.full((1, boards.width), FREE)], 1
    blocks: dict[tuple[int, int], Float64s] = {}
    for one in mine:
        which = int(lock_of[places[one.node]])
        for b, (board, hands) in enumerate(zip(boards.boards, boards.hands, strict=True)):
            if not one.holds(board[start:]):
                continue
            if (which, b) not in blocks:
                lock_row[which, b], blocks[which, b] = count, np.full((len(one.play), boards.width), FREE)
                rows.append(blocks[which, b])
                count += len(one.play)
            told = hands[one.play[0, hands] >= 0]
            blocks[which, b][:, np.flatnonzero(one.play[0, hands] >= 0)] = one.play[:, told]
    return {"lock_of": lock_of, "lock_row": lock_row, "locked": np.concatenate(rows)}


def _images(key: tuple[int, tuple[int | None, ...]], play: Float64s, group: Sequence[Renaming]) -> Any:
    """Yield a lock's key and frequencies with suits renamed."""
    node, cards = key
    for places, hands in group:
        image = np.empty_like(play)
        image[:, hands] = play
        yield (node, tuple(None if card is None else int(places[card]) for card in cards)), image


def _decision(lock: Lock, tree: PublicTree, board: Sequence[int]) -> tuple[Node, tuple[int | None, ...]]:
    """Return the decision that a lock's line leads to, and the cards on the way."""
    node, cards = tree.root, list[int | None]()
    for word in words_of(lock.line):
        if node.kind == DEAL and node.children:
            cards.append(_card(word, lock, [*board, *(card for card in cards if card is not None)]))
            node = node.children[0]
            continue
        if node.kind != DECISION:
            raise UsageError(f"The lock of {lock.line!r} goes on with {word!r} after the hand is over.")
        chosen = [child for action, child in zip(node.actions, node.children, strict=True) if means(word, node, action)]
        if not chosen:
            raise UsageError(f"The lock of {lock.line!r} cannot go on with {word!r}. Here are known: {_known(node)}.")
        node = chosen[0]
    if node.kind != DECISION:
        raise UsageError(
            f"The lock of {lock.line!r} leads to no decision: a card comes (* is any), or the hand is over."
        )
    return node, tuple(cards)


def _card(word: str, lock: Lock, gone: Sequence[int]) -> int | None:
    if word == "*":
        return None
    try:
        (card,) = parse_cards(word)
    except ValueError:
        raise UsageError(
            f"The lock of {lock.line!r} needs a card where it says {word!r}: 2c, or * for any card."
        ) from None
    if card in gone:
        raise UsageError(f"The lock of {lock.line!r} deals {word}, which lies on the board.")
    return card


def _play(lock: Lock, node: Node, ranges: Float64s) -> Float64s:
    """Return (A, K) the frequencies of a lock, FREE for hands that it does not name."""
    shares = np.zeros(len(node.actions))
    for word, share in lock.play.items():
        chosen = [k for k, action in enumerate(node.actions) if means(word, node, action)]
        if not chosen:
            raise UsageError(f"The lock of {lock.line!r} cannot fix {word!r}. Here are known: {_known(node)}.")
        shares[chosen[0]] += share
    if not (shares >= 0).all() or abs(shares.sum() - 1.0) > _NEAR:
        raise UsageError(f"The shares of the lock of {lock.line!r} add up to 1, each from 0 to 1. Got {lock.play}.")
    hands = np.ones(COUNT, np.bool_) if not lock.hands else parse_range(lock.hands) > 0
    if not (hands & (ranges[node.actor] > 0)).any():
        raise UsageError(f"The lock of {lock.line!r} holds for no hand of who decides there: {lock.hands!r}.")
    return np.where(hands, (shares / shares.sum())[:, None], FREE)


def _known(node: Node) -> str:
    return ", ".join(token(node, action) for action in node.actions)
