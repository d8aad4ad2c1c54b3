"""What kind of decision a view of a betting game asks for, and what its numbers say: pot odds, the chance to be ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardai.core.reasons import Reason
from cardai.poker.contract import deals_holdem

STREETS = {0: "before the flop", 3: "flop", 4: "turn", 5: "river"}
POSITIONS = {
    3: ("BU", "SB", "BB"),
    4: ("BU", "SB", "BB", "CO"),
    5: ("BU", "SB", "BB", "MP", "CO"),
    6: ("BU", "SB", "BB", "UTG", "MP", "CO"),
    9: ("BU", "SB", "BB", "UTG", "UTG1", "MP", "LJ", "HJ", "CO"),
}
"""Seats from the button on, as players call them."""
LETTERS = "fcr"


def situation(view: Mapping[str, Any]) -> dict[str, str]:
    """Return street, position, what is faced, and the betting so far of a betting game's view."""
    told = {"phase": street(view), "position": position(view)}
    return {**told, "kind": facing(view), "line": line(view)}


def street(view: Mapping[str, Any]) -> str:
    """Return "flop" where three cards lie on the board; in other games the number of the round."""
    board, number = view.get("board"), int(view["round"])
    cards = -1 if board is None else len(board)
    return STREETS[cards] if cards in STREETS and (cards or number == 0) else f"round {number + 1}"


def position(view: Mapping[str, Any]) -> str:
    """Return the player's place from the button on; of two players the button and the other."""
    count = len(view["spent"])
    after = (int(view["player"]) - int(view["button"])) % count
    if count == 2:
        return "other seat" if after else "button"
    return POSITIONS[count][after] if count in POSITIONS else f"{after} after the button"


def facing(view: Mapping[str, Any]) -> str:
    """Return what the player answers: nothing, a bet, a raise, or more raises of this round."""
    if not view["to_call"]:
        return "first to bet"
    raises = int(view["raises"])
    return ("facing the blind", "facing a bet", "facing a raise")[min(raises, 2)] if raises < 3 else "facing a reraise"


def line(view: Mapping[str, Any]) -> str:
    """Return the betting so far, f, c and r by round: "rc/c"."""
    rounds: dict[int, str] = {}
    for action, number in zip(view["history"], view["history_round"], strict=True):
        rounds[int(number)] = rounds.get(int(number), "") + LETTERS[min(int(action), 2)]
    return "/".join(rounds.values())


def reasons(game: Any, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
    """Return pot odds where there is something to call, and hold'em's chance to beat a random hand."""
    found = []
    asked, pot = float(view["to_call"]), float(view["pot"])
    if asked and 1 in (taken, best):
        needed = asked / (pot + asked)
        words = (
            f"A call of {asked:,.12g} plays for a pot of {pot + asked:,.12g}: it needs {needed:.0%} of it to be even."
        )
        found.append(Reason("pot odds", needed, words))
    if deals_holdem(game):
        from cardai.poker.hands.strength import win_rates

        board = np.full((1, 5), -1, np.int8)
        board[0, : len(view["board"])] = view["board"]
        share = float(win_rates(np.array([view["hole"]], np.int8), board)[0])
        words = f"Against a random hand yours is worth {share:.0%} of the pot."
        found.append(Reason("equity against a random hand", share, words))
    return tuple(found)
