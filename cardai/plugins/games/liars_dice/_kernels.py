"""The rules of liar's dice, as kernels on rows (see :class:`cardai.core.rows.RowKernels`).

A row's ``deck`` begins with all dice, seat by seat; ``made`` is 1 for each action that was taken, ``last`` is the highest bid (-1:
none) and ``count`` the number of actions, whose parity (modulo the seats) says whose turn it is.
"""

from __future__ import annotations

from typing import Any

from cardai.core.kernel import kernel
from cardai.core.row_state import list_legal


@kernel
def start(data: Any, rules: Any, index: Any, setups: Any) -> None:
    """Begin hands."""
    for k in range(len(index)):
        row = data[index[k]]
        row["made"][:] = 0
        row["last"] = -1
        row["count"] = 0
        row["current"] = -1


@kernel
def deal(data: Any, rules: Any, index: Any) -> None:
    """Roll one die at each row (they wait for one)."""
    for k in range(len(index)):
        roll_one(data[index[k]], rules)


@kernel
def roll_one(row: Any, rules: Any) -> None:
    """Take the next die; when all are rolled, seat 0 begins."""
    row["dealt"] += 1
    if row["dealt"] == rules["players"] * rules["dice"]:
        row["current"] = 0


@kernel
def apply(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions."""
    for k in range(len(index)):
        play(data[index[k]], rules, actions[k])


@kernel
def play(row: Any, rules: Any, action: Any) -> None:
    """Bid, or say liar."""
    row["made"][action] = 1
    row["count"] += 1
    if action == rules["players"] * rules["dice"] * rules["faces"]:
        row["current"] = -4
    else:
        row["last"] = action
        row["current"] = row["count"] % rules["players"]


@kernel
def legal(data: Any, rules: Any, index: Any, mask: Any) -> None:
    """Higher bids, and liar once there is a bid."""
    for k in range(len(index)):
        row = data[index[k]]
        if row["current"] >= 0:
            allow(row["last"], mask[k])


@kernel
def allow(last: Any, mask: Any) -> None:
    """Fill ``mask`` (A,), False before, with what is legal after the bid ``last`` (-1: none)."""
    liar = len(mask) - 1
    for action in range(last + 1, liar):
        mask[action] = True
    mask[liar] = last >= 0


@kernel
def views(data: Any, rules: Any, index: Any, player: Any, out: Any) -> None:
    """Show the own dice, sorted (while dice are missing: those there are), and all actions."""
    dice = rules["dice"]
    for k in range(len(index)):
        row, view = data[index[k]], out[k]
        rolled = min(max(row["dealt"] - player * dice, 0), dice)
        shown = view["dice"]
        shown[:] = -1
        for i in range(rolled):
            face = row["deck"][player * dice + i]
            place = i
            while place > 0 and shown[place - 1] > face:
                shown[place] = shown[place - 1]
                place -= 1
            shown[place] = face
        show(player, row["made"], view)


@kernel
def show(player: Any, made: Any, view: Any) -> None:
    """Write who looks and the actions ``made`` (A or more,) into a view: bids only rise, so their set is their order."""
    view["player"] = player
    said = 0
    for action in range(len(view["made"])):
        view["made"][action] = made[action]
        view["history"][action] = -1
        if made[action]:
            view["history"][said] = action
            said += 1


@kernel
def matching(row: Any, rules: Any) -> Any:
    """Return how many dice show the face of the last bid, or the highest."""
    faces = rules["faces"]
    face = row["last"] % faces
    count = 0
    for k in range(rules["players"] * rules["dice"]):
        die = row["deck"][k]
        if die == face or die == faces - 1:
            count += 1
    return count


@kernel
def returns(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Pay finished hands: a point from bidder to caller, or the other way."""
    players, faces = rules["players"], rules["faces"]
    for k in range(len(index)):
        row = data[index[k]]
        out[k, :] = 0.0
        if row["current"] == -4:
            caller, bidder = (row["count"] - 1) % players, (row["count"] - 2) % players
            holds = matching(row, rules) > row["last"] // faces
            out[k, bidder] = 1.0 if holds else -1.0
            out[k, caller] = -1.0 if holds else 1.0


@kernel
def step(data: Any, rules: Any, index: Any, action: Any, mask: Any, choices: Any, payoff: Any) -> Any:
    """Take one step of one hand and list what can be played next (see RowKernels.step)."""
    row = data[0]
    options = rules[0]
    if action >= 0 and row["current"] == -1:
        row["deck"][row["dealt"]] = action
        roll_one(row, options)
    elif action >= 0:
        play(row, options, action)
    if row["current"] == -1:
        for face in range(options["faces"]):
            choices[face] = face
        return row["current"], options["faces"]
    if row["current"] == -4:
        returns(data, options, index, payoff)
        return row["current"], 0
    mask[:] = False
    legal(data, options, index, mask)
    return row["current"], list_legal(mask, choices)


@kernel
def outcomes(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Note the last bid and how many dice match it."""
    for k in range(len(index)):
        row = data[index[k]]
        out[k]["bid"] = row["last"]
        out[k]["count"] = matching(row, rules)
