"""Judging what a player answers: which lines count, and how a wrong action is repaired, as the C dealer does it.

Lines that are no match state, or not the current one, are ignored; an action that cannot be read or is not legal becomes
a call; a no-limit raise outside the bounds is moved to them (project_acpc_server: dealer.c, readPlayerResponse; game.c,
isValidAction).
"""

from __future__ import annotations

import re

from attrs import frozen

from cardai.core.errors import DamagedFileError
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.states import CALL, FOLD, RAISE, read_match_state
from cardai.poker.rules.growing_tree import BettingNode

BAD_STATE = "bad state format in response"
NOT_ASKED = "ignoring un-requested response"
BAD_ACTION = "bad action format in response, changed to call"
INVALID = "invalid action, changed to call"
_PLAIN = {b":f\r\n": FOLD, b":f\n": FOLD, b":c\r\n": CALL, b":c\n": CALL}
_SIZE = re.compile(r"\s*([+-]?[0-9]+)")


@frozen
class Verdict:
    """What a line amounts to: the action played (None: the line is ignored), and a warning ("" if it was in order)."""

    action: int | None
    warning: str = ""


def judge(tree: WireTree, node: BettingNode, asked: str, line: str) -> Verdict:
    """Return the verdict on ``line``, the reply to the match state ``asked`` (without its line end) at ``node``."""
    rest = line[len(asked) :]
    if not (line.startswith(asked) and rest.startswith(":")):
        try:
            state, rest = read_match_state(line, tree.game)
        except DamagedFileError:
            return Verdict(None, BAD_STATE)
        expected, _ = read_match_state(asked, tree.game)
        own = expected.position
        same = (state.position, state.hand, state.betting, state.board, state.hole[own])
        if same != (own, expected.hand, expected.betting, expected.board, expected.hole[own]):
            return Verdict(None, NOT_ASKED)
    if not rest.startswith(":"):
        return Verdict(CALL, BAD_ACTION)
    return _action(tree, node, rest[1:])


def _action(tree: WireTree, node: BettingNode, text: str) -> Verdict:
    letter = text[:1].lower()
    if letter and letter in "ck":
        return Verdict(CALL)
    if letter == "f":
        return Verdict(FOLD) if node.can_fold else Verdict(CALL, INVALID)
    if not letter or letter not in "rb":
        return Verdict(CALL, INVALID)
    if not tree.game.no_limit:
        return Verdict(RAISE) if node.least else Verdict(CALL, INVALID)
    match = _SIZE.match(text, 1)
    if match is None:
        return Verdict(CALL, BAD_ACTION)
    if not node.least:
        return Verdict(CALL, INVALID)
    size = int(match[1][:20])  # 20 characters hold any chips; the rest of a longer number cannot matter
    if size < node.least:
        return Verdict(node.least, f"raise of {size} increased to {node.least}")
    if size > node.most:
        return Verdict(node.most, f"raise of {size} decreased to {node.most}")
    return Verdict(size)


def plain_reply(tree: WireTree, node: BettingNode, tail: bytes) -> BettingNode | None:
    """Return the node after a reply whose ``tail`` is one legal action and a line end (":r300\\r\\n"), else nothing."""
    action = _PLAIN.get(tail)
    if action is None:
        size = tail[2:].rstrip(b"\r\n")
        fits = size.isdigit() and len(size) <= 9 if tree.no_limit else not size
        if tail[:2] != b":r" or tail[-1:] != b"\n" or not fits:
            return None
        action = int(size) if size else RAISE
        if tree.no_limit and not node.least <= action <= node.most:
            return None
    return node.children.get(action) or (tree.after(node, action) if tree.allows(node, action) else None)
