"""CFR on the public tree of DeepStack's Leduc, as its release does it, in numpy: which of its details its figure depends on.

    python experiments/resolving/tree_cfr.py        # prints the table

The release keeps regrets at a floor above zero (so a hand without regret plays all actions alike, and an action that it has
left keeps a trace), updates both players at once, and averages strategies by reach from a given iteration on.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import frozen

import cardai
from cardai.poker.ranges.hands import LeducHands
from cardai.poker.ranges.public_tree import DEAL, DECISION, SHOWDOWN, Node, tree_after
from cardai.poker.ranges.range_game import range_game

Array = npt.NDArray[np.float64]
CARDS = 6
MEETS = 1.0 - np.eye(CARDS)
FREE = MEETS[:, None, :] * MEETS[:, :, None] * MEETS[None]  # (board, hand, hand): all three differ
WINS = FREE * np.stack([np.sign(s[:, None] - s[None]) for s in (LeducHands().strengths((b,)) for b in range(CARDS))])


@frozen
class Details:
    """What can be done one way or another."""

    floor: float = 1e-8
    """The least regret."""
    first: int = 500
    """The first iteration that is averaged, from 1."""
    together: bool = True
    """Whether both players are updated at once."""


ROWS = {
    "regrets floored at 1e-8, averaged from iteration 500 on": Details(),
    "the same, averaged from 501 on": Details(first=501),
    "the same, a floor of 1e-9": Details(floor=1e-9, first=501),
    "the same, a floor of 1e-7": Details(floor=1e-7, first=501),
    "regrets floored at 0, averaged from 501 on": Details(floor=0.0, first=501),
    "the same, the players updated in turn": Details(floor=0.0, first=501, together=False),
}


@frozen(eq=False)
class Place:
    """A public node with all its boards (one before the second round): arrays (A, boards, hands)."""

    node: Node
    dealt: bool
    children: tuple[Place, ...]
    regrets: Array
    sums: Array


def grow(node: Node, floor: float, dealt: bool = False) -> Place:
    """Return the places of ``node`` and of all that follows."""
    children = tuple(grow(child, floor, dealt or node.kind == DEAL) for child in node.children)
    shape = (len(children), CARDS if dealt else 1, CARDS)
    return Place(node, dealt, children, np.full(shape, floor), np.zeros(shape))


def at_end(place: Place, player: int, other: Array) -> Array:
    """Return (boards, hands) what the player's hands win of the other's reach."""
    node = place.node
    if node.kind == SHOWDOWN:
        return min(node.spent) * np.einsum("bij,bj->bi", WINS, other)
    gain = node.spent[node.actor] * (-1.0 if node.actor == player else 1.0)
    return np.asarray(gain * (np.einsum("bij,bj->bi", FREE, other) if place.dealt else other @ MEETS))


def shares(weights: Array) -> Array:
    """Return weights (A, ...) that sum to 1 over actions, all alike where there are none."""
    total = weights.sum(axis=0)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / len(weights))


def iterate(place: Place, reach: list[Array], details: Details, number: int, players: tuple[int, ...]) -> list[Array]:
    """Do one iteration for ``players`` and return both players' values."""
    node = place.node
    if node.kind == DEAL:
        below = iterate(place.children[0], [one * MEETS for one in reach], details, number, players)
        return [one.sum(axis=0, keepdims=True) / (CARDS - 2) for one in below]
    if node.kind != DECISION:
        return [at_end(place, player, reach[1 - player]) for player in range(2)]
    actor, strategy = node.actor, shares(np.maximum(place.regrets, details.floor))
    values = []
    for child, played in zip(place.children, strategy, strict=True):
        after = [one * played if seat == actor else one for seat, one in enumerate(reach)]
        values.append(iterate(child, after, details, number, players))
    own = np.stack([one[actor] for one in values])
    mean = (strategy * own).sum(axis=0)
    if actor in players:
        place.regrets[:] = np.maximum(place.regrets + own - mean, details.floor)
        place.sums[:] += (number >= details.first) * strategy * reach[actor]
    other = np.sum([one[1 - actor] for one in values], axis=0)
    return [mean, other] if actor == 0 else [other, mean]


def worth(place: Place, reach: list[Array], player: int, best: bool) -> Array:
    """Return what the player's hands are worth under the average strategies, or by a best response to them."""
    node = place.node
    if node.kind == DEAL:
        below = worth(place.children[0], [one * MEETS for one in reach], player, best)
        return np.asarray(below.sum(axis=0, keepdims=True) / (CARDS - 2))
    if node.kind != DECISION:
        return at_end(place, player, reach[1 - player])
    actor, strategy, values = node.actor, shares(place.sums), []
    for child, played in zip(place.children, strategy, strict=True):
        after = [one * played if seat == actor else one for seat, one in enumerate(reach)]
        values.append(worth(child, after, player, best))
    if actor != player:
        return np.asarray(np.sum(values, axis=0))
    return np.max(values, axis=0) if best else np.asarray((strategy * values).sum(axis=0))


def exploitability(details: Details, iterations: int = 1000) -> float:
    """Return the mean over seats of what a best response gains, in the release's unit: each hand dealt with 1/6."""
    table = range_game(cardai.game("leduc_deepstack"), "This")
    tree, deal = tree_after(table.betting, table.stacks, 0, (), table.menus), np.full((1, CARDS), 1 / CARDS)
    root = grow(tree.root, details.floor)
    for number in range(1, iterations + 1):
        for players in ((0, 1),) if details.together else ((0,), (1,)):
            iterate(root, [deal, deal], details, number, players)
    gains = [worth(root, [deal, deal], p, True) - worth(root, [deal, deal], p, False) for p in range(2)]
    return float(0.5 * sum((deal * gain).sum() for gain in gains))


def main() -> None:
    """Print the table."""
    for label, details in ROWS.items():
        print(f"{exploitability(details):.5f}  {label}", flush=True)


if __name__ == "__main__":
    main()
