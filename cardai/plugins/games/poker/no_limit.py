"""No-limit Texas hold'em for 2 to 10 players: full chip amounts, or a ladder of bets (fold, call, pot, all-in, ...).

Presets:
    acpc_nolimit_2p: the ACPC's heads-up no-limit game: blinds 50/100, stacks of 20,000.
    acpc_nolimit_3p: the same competition's no-limit game for three.
    acpc_nolimit_6p: the same competition's no-limit game for six.
    holdem: heads-up no-limit with stacks of 100 big blinds, as people play it; ours.
    holdem_fcpa: heads-up no-limit with fold, call, pot and all-in ("fcpa" in Lisy and Bowling 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import frozen

from cardai.core.hookspecs import hookimpl
from cardai.poker.rules.holdem import NoLimitHoldem


@frozen
class HoldemNoLimit(NoLimitHoldem):
    """No-limit hold'em. The defaults are the ACPC's heads-up game (blinds 50/100, 20,000 chips every hand).

    Actions are 0 fold, 1 check or call, and N >= 2 raise to N chips in the hand (legal actions are then ``Amounts``).
    With ``bets=pot+allin`` they are 0 fold, 1 check or call, 2 the pot, 3 all-in (OpenSpiel's ``fcpa``), as a mask; any
    ascending list of fractions works. A fraction is of the pot after a call, rounded down; below the minimum raise it is
    illegal, and what would take the whole stack is left to the all-in rung (with none, the first such rung is all-in).
    """

    title: ClassVar[str] = "No-limit Texas hold'em"
    rules: ClassVar[str] = (
        "Two hole cards each, four rounds of betting (pre-flop, flop, turn, river), five cards on the board; the best five "
        "of seven cards win. A raise must add at least the last raise (at first a big blind), or be all-in; side pots "
        "follow what each seat put in. Fold is legal only when there is something to call."
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "acpc_nolimit_2p": {},
        "acpc_nolimit_3p": {"players": 3},
        "acpc_nolimit_6p": {"players": 6},
        "holdem": {"stack": (10_000,)},
        "holdem_fcpa": {"bets": ("pot", "allin")},
    }


@hookimpl
def cardai_game() -> Mapping[str, type[HoldemNoLimit]]:
    """Offer ``holdem_nolimit``."""
    return {"holdem_nolimit": HoldemNoLimit}
