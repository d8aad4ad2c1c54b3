"""A client of slumbot.com: heads-up no-limit hold'em, blinds 50/100, 20,000 chips in every hand.

``/api/new_hand`` begins a hand, ``/api/act`` takes an action ("incr": k, c, f, or b and the chips of the street), each with
the token of the last answer that brought one; ``/api/login`` is only needed to be named on the site. ``baseline_winnings``
is what Slumbot itself would have won in the client's seat with the same cards.
"""

from __future__ import annotations

from typing import Any, ClassVar

from cardai.core.errors import DamagedFileError
from cardai.core.schema import structure
from cardai.formats.acpc.gamedef import GameDef, load_game
from cardai.formats.acpc.states import Cards, parse_cards
from cardai.formats.sites.frames import SlumbotFrame, SlumbotLogin
from cardai.formats.sites.service import BusyError, NoAnswerError, Service
from cardai.formats.sites.shown import LostHandError, Shown
from cardai.formats.slumbot import GAME, step_text
from cardai.poker.rules.growing_tree import BettingNode

URL = "https://slumbot.com"


class Slumbot:
    """One session on the site. ``user`` logs in, with its password.

    Raises:
        RemoteError: the site refuses the name or the password, or cannot be reached.
    """

    name: ClassVar[str] = "slumbot"

    def __init__(self, service: Service, user: str = "", password: str = "") -> None:
        self._service = service
        self.definition: GameDef = load_game(GAME)
        self._token: str | None = None
        if user:
            login = {"username": user, "password": password}
            self._token = structure(service.call("/api/login", login), SlumbotLogin, "The answer of slumbot.com").token

    def begin(self) -> Shown:
        """Begin a hand. Raises RemoteError."""
        return self._shown(self._service.call("/api/new_hand", self._session()))

    def act(self, shown: Shown, node: BettingNode, action: int) -> Shown:
        """Take an action (0 fold, 1 check or call, N raise to N chips in the whole hand).

        Raises:
            LostHandError: no answer came, or it is busy; the site has no way to ask where the hand stands. RemoteError: it refuses.
        """
        body = {**self._session(), "incr": step_text(node, action)}
        try:
            return self._shown(self._service.call("/api/act", body, repeat=False))
        except (BusyError, NoAnswerError) as error:
            raise LostHandError(str(error)) from error

    def _session(self) -> dict[str, str]:
        return {"token": self._token} if self._token else {}

    def _shown(self, answer: dict[str, Any]) -> Shown:
        frame = structure(answer, SlumbotFrame, "The answer of slumbot.com")
        self._token = frame.token or self._token
        return Shown(
            position=frame.client_pos,
            betting=frame.action,
            hole=_cards(frame.hole_cards),
            board=_cards(frame.board),
            opponent=_cards(frame.bot_hole_cards or ()),
            winnings=frame.winnings,
            baseline=frame.baseline_winnings,
        )


def _cards(texts: tuple[str, ...]) -> Cards:
    cards = parse_cards("".join(texts))
    if len(cards) != len(texts):
        raise DamagedFileError(f"The site sent the cards {texts}, which are no cards.")
    return cards
