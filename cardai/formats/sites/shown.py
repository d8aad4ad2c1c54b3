"""What a site shows of a hand, whichever it is: the same fields for all, in the wire's own cards and letters."""

from __future__ import annotations

from typing import ClassVar, Protocol

from attrs import frozen

from cardai.core.errors import RemoteError
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.states import Cards
from cardai.poker.rules.growing_tree import BettingNode


class LostHandError(RemoteError):
    """A hand of which nobody can say any more where it stands. It is counted and not played on."""


@frozen
class Shown:
    """One hand as its player sees it.

    ``position`` is the competition's (0 big blind, 1 button and small blind), ``betting`` the action string of
    :mod:`cardai.formats.slumbot`. ``winnings`` is None while the hand goes on. ``baseline`` is what the site's own player
    would have won with these cards, ``aivat`` the site's figure with the luck taken out, both in chips, None where it says
    none. ``hand_id`` is the site's name of the hand.
    """

    position: int
    betting: str
    hole: Cards
    board: Cards
    opponent: Cards = ()
    winnings: float | None = None
    baseline: float | None = None
    aivat: float | None = None
    hand_id: str = ""


class Site(Protocol):
    """A site that deals hands of one game, ``definition``, one by one."""

    name: ClassVar[str]
    definition: GameDef

    def begin(self) -> Shown:
        """Begin a hand, or go on with one that is under way. Raises RemoteError, DamagedFileError."""

    def act(self, shown: Shown, node: BettingNode, action: int) -> Shown:
        """Take an action (0 fold, 1 check or call, N raise to N chips in the whole hand) at ``node``.

        Raises:
            LostHandError: nobody knows whether it was taken. RemoteError, DamagedFileError.
        """
