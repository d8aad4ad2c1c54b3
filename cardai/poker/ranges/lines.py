"""Lines: how what was done is written, and what a word of one means at a decision.

``x`` checks, ``c`` calls (or checks), ``f`` folds, ``b1000`` or ``r3000`` bets or raises to so many chips on this street, ``a``
goes all-in; a card is dealt, and ``*`` is any.
"""

from __future__ import annotations

import re

from attrs import frozen

from cardai.poker.ranges.public_tree import DECISION, Action, Node

CALLS = ("c", "x", "k")
_BET = re.compile(r"[br](\d{1,12}(?:\.\d{1,2})?)")


def words_of(line: str) -> list[str]:
    """Return the actions and cards of a line."""
    return line.replace("/", " ").replace(",", " ").split()


def chips_text(chips: int, scale: int, between: str = ",") -> str:
    """Return chips of a tree as people count them; ``between`` stands between thousands."""
    if chips % scale == 0:
        return f"{chips // scale:{between}}"
    return f"{chips / scale:{between}.2f}".rstrip("0").rstrip(".")


def token(node: Node, action: Action) -> str:
    """Return an action as it is written in a line."""
    if action.kind < 2:
        return "f" if action.kind == 0 else "x" if node.spent[0] == node.spent[1] else "c"
    letter = "b" if node.spent == node.begun else "r"
    return letter + chips_text(action.amount - node.begun[node.actor], node.tree.scale, "")


def action_words(node: Node, action: Action) -> str:
    """Return an action in words, with chips of this street."""
    seat, stacks, scale = node.actor, node.tree.stacks, node.tree.scale
    if action.kind == 0:
        return "fold"
    if action.kind == 1:
        due = min(node.spent[1 - seat], stacks[seat]) - node.spent[seat]
        return f"call {chips_text(due, scale)}" if due > 0 else "check"
    put = chips_text(action.amount - node.begun[seat], scale)
    if action.amount == stacks[seat]:
        return f"all-in {put}"
    return f"{'bet' if node.spent == node.begun else 'raise to'} {put}"


def means(word: str, node: Node, action: Action) -> bool:
    """Whether a word of a line means an action of a decision."""
    if action.kind == 0:
        return word == "f"
    if action.kind == 1:
        return word in CALLS
    if word in ("a", "allin"):
        return action.amount == max(other.amount for other in node.actions if other.kind == 2)
    match = _BET.fullmatch(word)
    put = action.amount - node.begun[node.actor]
    return match is not None and round(float(match.group(1)) * node.tree.scale) == put


@frozen
class Step:
    """A decision on the way, or where a card came."""

    before: str
    """The line that leads there."""
    seat: int
    """Who acts; -1: a card is dealt."""
    pot: str
    actions: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    chosen: str = ""
    """The word of the line: an action as :func:`token` writes it, or a card."""


def steps(root: Node, line: str) -> tuple[list[Step], Node]:
    """Return what a line goes through from the root, and the node that it leads to; its cards are not looked at.

    A word that no action has ends it there: whoever looks at the decision says what is wrong with the line.
    """
    node, found, gone = root, list[Step](), list[str]()
    for word in words_of(line):
        if not node.children:
            break
        before, pot = " ".join(gone), chips_text(sum(node.spent), node.tree.scale)
        if node.kind != DECISION:
            found.append(Step(before, -1, pot, chosen=word))
            node = node.children[0]
        else:
            chosen = [k for k, action in enumerate(node.actions) if means(word.lower(), node, action)]
            if not chosen:
                break
            tokens = tuple(token(node, action) for action in node.actions)
            words = tuple(action_words(node, action) for action in node.actions)
            found.append(Step(before, node.actor, pot, words, tokens, tokens[chosen[0]]))
            node = node.children[chosen[0]]
        gone.append(word)
    return found, node
