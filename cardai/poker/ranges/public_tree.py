"""The public tree of a betting game as flat arrays: what an onlooker without cards sees, boards left open.

It is enumerated from the rules' own :class:`~cardai.poker.rules.betting.Betting`, in depth-first order: a whole hand
(:func:`public_tree`), or what can follow from a street on (:func:`betting_tree`, :func:`tree_after`), which is solved over
ranges. Board cards are not in it: a DEAL node has the one child that any cards lead to.

A whole hand has the button at seat 0; a hand with another button has the same tree with the seats turned round. Where
everybody is all-in early, its SHOWDOWN stands at the street of the last action, and the rest of the board is still to come.
In a tree that is solved, DEAL nodes stand for the streets to come, and a SHOWDOWN is on the last.

>>> from cardai.poker.ranges.menus import menus
>>> acpc = Betting(2, 4, (10, 5), (1, 0, 0, 0), (3, 4, 4, 4), (10, 10, 20, 20))
>>> tree = public_tree(acpc)
>>> len(tree.decisions), int((tree.kind >= SHOWDOWN).sum()), tree.edges
(6378, 10206, 16583)
>>> tree = betting_tree(street_betting(2000, 1), (21000, 21000), menus("1+allin", ["river"]))
>>> tree.size, tree.streets[0].num_slots
(33, 32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve

from cardai.core.errors import TooLargeError, UsageError
from cardai.core.game import Game
from cardai.poker.contract import need_holdem
from cardai.poker.ranges import _public_tree_kernels as kernels
from cardai.poker.ranges._public_tree_arrays import (
    DEAL,
    DECISION,
    FOLD,
    FOLLOW,
    SHOWDOWN,
    TERMINATE,
    TERMINATED,
    Action,
    Forest,
    Node,
    PublicTree,
)
from cardai.poker.ranges._walk_kernels import MOST_ACTIONS
from cardai.poker.ranges.menus import ALL_IN, Menu
from cardai.poker.rules.betting import (
    MAX_ACTIONS,
    MAX_CHIPS,
    MAX_PLAYERS,
    ROUND_OVER,
    UNLIMITED,
    Betting,
    row_fields,
    rules_fields,
)

__all__ = [
    "DEAL",
    "DECISION",
    "FOLD",
    "FOLLOW",
    "SHOWDOWN",
    "TERMINATE",
    "TERMINATED",
    "Action",
    "Forest",
    "Node",
    "PublicTree",
    "betting_tree",
    "gadget",
    "holdem_tree",
    "planned_tree",
    "public_tree",
    "street_betting",
    "tree_after",
]

MOST_NODES = 8_000_000
"""The largest tree of a whole hand that is laid out (about half a gigabyte)."""
MOST_SOLVED = 200_000
"""The largest tree that is laid out to be solved."""


def public_tree(
    betting: Betting, ladder: Sequence[float] = (), stacks: Sequence[int] = (), most: int = MOST_NODES
) -> PublicTree:
    """Return the tree of a whole hand, with the rungs of a no-limit ladder (fractions of the pot, -1 all-in).

    ``stacks`` by seat default to unlimited chips.

    Raises:
        UsageError: full no-limit betting (no ladder), a dead ante, or more than ``most`` nodes.
    """
    if betting.no_limit and not len(ladder):
        raise UsageError(
            "Full no-limit betting is too rich for a tree: give the game a ladder of bets (bets=pot+allin)."
        )
    menus = (Menu((tuple(ladder),)),) * betting.num_rounds
    hand = _Hand(betting, stacks, 0, ())
    return hand.grown(_growth(menus, betting.num_rounds - 1, solved=False), most)


def holdem_tree(game: Game, who: str) -> PublicTree:
    """Return the public tree of two-player hold'em in limit or laddered no-limit betting; ``who`` begins the messages.

    Raises:
        UsageError: another game, more players, unequal stacks, no ladder, or too large a tree.
    """
    said = need_holdem(game, who)
    if len(set(said.stacks)) > 1:
        raise UsageError(f"{who} needs both seats to start with the same chips. Got the stacks {said.stacks}.")
    return public_tree(said.betting, said.ladder, said.stacks)


def street_betting(pot: int, rounds: int, limit: Sequence[int] = (), cap: int = 0, minimum: int = 0) -> Betting:
    """Return the betting of ``rounds`` streets over a pot that both players have paid half of.

    A hand under way is a hand whose antes are what both have put in before: seat 0 acts first on every street, seat 1 has
    the button. ``limit`` are the sizes of limit bets by street (empty: no limit), ``cap`` the most bets and raises of a
    street (0: 4 in limit, no cap otherwise), ``minimum`` the least bet.

    Raises:
        UsageError: a pot of no chips, odd, or too large.
    """
    if pot <= 0:
        raise UsageError(f"The pot must hold chips. Got {pot}.")
    if pot % 2:
        raise UsageError(f"The pot must be even, half from each player. Got {pot}: double all amounts.")
    if pot > MAX_CHIPS:
        raise UsageError(f"The pot must be at most {MAX_CHIPS:,} chips. Got {pot:,}.")
    caps = (cap or (4 if limit else 60),) * rounds
    sizes = tuple(limit) or (1,) * rounds
    return Betting(
        2, rounds, (0, 0), (0,) * rounds, caps, sizes, no_limit=not limit, ante=pot // 2, minimum_bet=minimum
    )


def betting_tree(
    betting: Betting, stacks: Sequence[int], menus: Sequence[Menu] = (), button: int = 1, most: int = MOST_SOLVED
) -> PublicTree:
    """Return the tree of ``betting`` to be solved; ``menus`` (one a street) for no-limit betting.

    Raises:
        UsageError: no menus in no-limit betting, or the tree has more than ``most`` nodes.
    """
    return _Hand(betting, stacks, button, ()).grown(_growth(_each(menus, betting), betting.num_rounds - 1), most)


def planned_tree(
    betting: Betting, stacks: Sequence[int], growth: kernels.Growth, most: int = MOST_SOLVED
) -> PublicTree:
    """Return the tree of ``betting`` with the bets of a plan (:mod:`cardai.poker.ranges.sizes`); seat 1 has the button.

    Raises:
        UsageError: the tree has more than ``most`` nodes.
    """
    return _Hand(betting, stacks, 1, ()).grown(growth, most)


def tree_after(
    betting: Betting,
    stacks: Sequence[int],
    button: int,
    history: Sequence[int],
    menus: Sequence[Menu] = (),
    until: int | None = None,
    most: int = MOST_SOLVED,
) -> PublicTree:
    """Return the tree of what follows ``history``, a hand's actions as its views tell them, at their real amounts.

    Args:
        menus: one a street of the whole hand, for no-limit betting. A bet already made need not be on them.
        until: the last street that is grown, from 0; the tree ends in its DEAL nodes (default: the hand's last street).

    Raises:
        UsageError: the history is over, or the tree has more than ``most`` nodes.
    """
    hand, last = _Hand(betting, stacks, button, history), betting.num_rounds - 1
    if hand.status > ROUND_OVER:
        raise UsageError(f"Nobody is to act after the actions {list(history)}: the betting is over.")
    return hand.grown(_growth(_each(menus, betting), last if until is None else min(until, last)), most)


def gadget(tree: PublicTree, player: int) -> PublicTree:
    """Return ``tree`` behind a choice of ``player``: each of its hands takes what it was promised, or plays on.

    Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (2014): with the promised values
    those of a strategy of the other, re-solving makes that strategy no easier to exploit.
    """
    street, width = int(tree.street[0]), tree.child.shape[1]
    front = np.array([[DECISION, player, street, -1, 2], [TERMINATED, -1, street, 0, 0]], np.int32)
    small, child = np.concatenate([front, tree.small]), np.full((len(tree.small) + 2, width), -1, np.int32)
    small[2:, 3] += 2
    small[2, 3] = 0
    child[0, :2], child[2:] = (1, 2), np.where(tree.child >= 0, tree.child + 2, -1)
    action, amount = (np.concatenate([np.full((2, width), -1, np.int32), one]) for one in (tree.action, tree.amount))
    action[0, :2] = TERMINATE, FOLLOW
    spent = np.concatenate([tree.spent[[0, 0]], tree.spent])
    return evolve(tree, small=small, child=child, action=action, amount=amount, spent=spent)


_NO_SIZES = np.zeros((1, 3, 1), np.int64), np.zeros((1, 3, 1, 1, 2)), np.zeros(3)
_ROUNDS, _RUNGS, _HISTORY = 8, 64, 8 * MAX_ACTIONS
_RULES = np.dtype([*rules_fields(MAX_PLAYERS, _ROUNDS), ("rungs", "i8"), ("fractions", "f8", (_RUNGS,))])
_ROW = np.dtype([("current", "i1"), *row_fields(MAX_PLAYERS, _HISTORY)])
"""One dtype with room for every game, so that the kernels are compiled once."""


def _put(rows: npt.NDArray[Any], name: str, value: Any) -> None:
    """Write a number or a list into a field of the first row."""
    if isinstance(value, list):
        rows[name][0, : len(value)] = value
    else:
        rows[name][0] = value


def _each(menus: Sequence[Menu], betting: Betting) -> Sequence[Menu]:
    """Return ``menus``, or empty ones for limit betting."""
    if betting.no_limit and not menus:
        raise UsageError("No-limit betting needs a menu of bets a street.")
    return menus or (Menu(((),)),) * betting.num_rounds


def _growth(menus: Sequence[Menu], until: int, solved: bool = True) -> kernels.Growth:
    """Return what is grown; ``menus`` are one a street."""
    levels = [[menu(k) for k in range(max(len(one.levels) for one in menus))] for menu in menus]
    rungs = np.array([[len(one) for one in street] for street in levels], np.int64)
    if rungs.max() > _RUNGS:
        raise UsageError(f"A menu of at most {MOST_ACTIONS - 2} bets is possible. Got {rungs.max()}.")
    fractions = np.zeros((*rungs.shape, max(1, int(rungs.max()))))
    for place in np.ndindex(*rungs.shape):
        chosen = levels[place[0]][place[1]]
        fractions[place][: len(chosen)] = sorted(chosen, key=lambda rung: (rung == ALL_IN, rung)) if solved else chosen
    return kernels.Growth(until, solved, solved, rungs, fractions, 0, -1, *_NO_SIZES)


class _Hand:
    """A hand after some actions, which a tree grows from."""

    def __init__(self, betting: Betting, stacks: Sequence[int], button: int, history: Sequence[int]) -> None:
        if any(betting.dead):
            raise UsageError(
                "A public tree counts what each seat has put in, and a dead ante is nobody's. Take an ante of every seat."
            )
        self.betting, self.stacks = betting, tuple(stacks) or (UNLIMITED,) * betting.num_players
        self.rules, self.rows = np.zeros(1, _RULES), np.zeros(betting.history_length + 2, _ROW)
        for rows, values in ((self.rules, betting.rules()), (self.rows, betting.new_row(button, stacks))):
            for name, value in values.items():
                _put(rows, name, value)
        opening = np.zeros(betting.num_players, np.int64)
        self.status = int(kernels.play(self.rows[0], self.rules[0], np.array(history, np.int64), opening))
        self.opening = tuple(opening.tolist())

    def grown(self, growth: kernels.Growth, most: int) -> PublicTree:
        """Return the tree from here on. Raises TooLargeError (more than ``most`` nodes), UsageError (too many actions)."""
        actions, players = 2 + max(1, growth.fractions.shape[2]), self.betting.num_players
        room = min(1 << 12, most)
        while True:
            whole = room + _ROUNDS + 1  # the kernel stops while there is room for an all-in and the streets behind it
            small, spent = np.zeros((whole, 5), np.int32), np.zeros((whole, players), np.int32)
            child, action, amount = (np.full((whole, actions), -1, np.int32) for _ in range(3))
            menu, below, waiting = (
                np.zeros(shape, np.int64) for shape in ((len(self.rows), actions), 1, (len(self.rows), 2))
            )
            arrays = kernels.Arrays(small, child, action, amount, spent, menu, below)
            count = int(kernels.lay_out(self.rules[0], self.rows, waiting, growth, self.status, arrays))
            if 0 <= count <= most:
                break
            if room == most or count > most:
                raise TooLargeError(
                    f"The public tree has more than {most:,} nodes. Take fewer or larger bets, fewer raises or less chips, "
                    "or begin on a later street."
                )
            room = min(8 * room, most)
        if growth.distinct and small[:, 4].max() > MOST_ACTIONS:
            raise UsageError(f"A menu of at most {MOST_ACTIONS - 2} bets is possible. Got {small[:, 4].max() - 2}.")
        small, child, action, amount, spent = (one[:count].copy() for one in arrays[:5])
        chips = self.stacks, self.opening
        return PublicTree(
            small, child, action, amount, spent, *chips, growth.until, self.betting.num_rounds, below=int(below[0])
        )
