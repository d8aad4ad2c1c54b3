"""A client of GTO Wizard's benchmark (research API; arXiv 2603.23660): heads-up no-limit hold'em against its own player.

``POST /hands`` begins a hand (409: as many are under way as the key may have), ``POST /hands/ID/act`` takes an action,
``GET /hands/in-progress`` lists what is under way, by which a hand goes on after a call whose answer was lost. Blinds come
in either order. Both players' cards may be shown, so that a seat is known by its name alone.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar
from urllib.parse import urlencode

from attrs import evolve

from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.schema import structure
from cardai.formats.acpc.gamedef import GameDef, load_game
from cardai.formats.acpc.states import parse_cards
from cardai.formats.sites.frames import WizardFrame, WizardGame, WizardHands, WizardPlayer
from cardai.formats.sites.service import BUSY, Service
from cardai.formats.sites.shown import LostHandError, Shown
from cardai.formats.slumbot import GAME, step_text
from cardai.poker.rules.growing_tree import BettingNode

URL = "https://researcher.gtowizard.com"
"""As in its makers' own client, gtowizard-ai/researcher-api-client."""
GAME_NAME = "HUNL 200BB"
KEY = "GTOWIZARD_API_KEY"
"""The variable of the environment that holds the key: a command line can be seen by others."""
_THEIRS = "gtowizard"
_NO_PLACE = frozenset({409})
_SEATS = {"BB": 0, "SB": 1}


class GtoWizard:
    """One player of the benchmark. ``me`` is its name at the table; empty: who is not called GTO Wizard."""

    name: ClassVar[str] = "gtowizard"

    def __init__(self, service: Service, game_name: str = GAME_NAME, me: str = "") -> None:
        self._service, self._game_name, self._me = service, game_name, me
        self.definition = definition_of(game_name)

    def begin(self) -> Shown:
        """Go on with a hand that is under way, else begin one. Raises RemoteError, DamagedFileError, UsageError."""
        body = {"game_name": self._game_name}
        answer = self._first() or self._service.call("/hands", body, again=BUSY | _NO_PLACE, stands=self._first)
        return self._shown(self._frame(answer))

    def act(self, shown: Shown, node: BettingNode, action: int) -> Shown:
        """Take an action; where its answer is lost, or the site is busy, it is asked where the hand stands, and then tried again.

        Raises:
            LostHandError: the hand is not under way any more. RemoteError, DamagedFileError, UsageError.
        """
        text = step_text(node, action)
        body = {"action": text[0], "amount": int(text[1:]) if text[1:] else None}
        path = f"/hands/{shown.hand_id}/act"
        return self._shown(self._frame(self._service.call(path, body, stands=lambda: self._taken(shown))))

    def _waiting(self) -> list[dict[str, Any]]:
        """Return the hands that are under way."""
        asked = f"/hands/in-progress?{urlencode({'game_name': self._game_name})}"
        answer = self._service.call(asked, bare="hands")
        structure(answer, WizardHands, "The answer of GTO Wizard")
        return answer.get("hands", [])  # type: ignore[no-any-return]  # of frames: it was checked

    def _first(self) -> dict[str, Any] | None:
        """Return a hand that is under way, None if there is none."""
        return next(iter(self._waiting()), None)

    def _taken(self, before: Shown) -> dict[str, Any] | None:
        """Return how a hand stands, None if it still stands as ``before``."""
        for answer in self._waiting():
            frame = self._frame(answer)
            if str(frame.hand_id) == before.hand_id:
                return None if self._shown(frame).betting == before.betting else answer
        raise LostHandError(f"An action had no answer, and the hand {before.hand_id} is not under way any more.")

    def _frame(self, answer: dict[str, Any]) -> WizardFrame:
        return structure(answer, WizardFrame, "The answer of GTO Wizard")

    def _shown(self, frame: WizardFrame) -> Shown:
        state = frame.game_state
        mine, theirs = self._seats(state.players)
        self._check(frame.game)
        return Shown(
            position=_SEATS[mine.position],
            betting="".join("/" if step == "_" else step for step in state.action_history),
            hole=parse_cards(mine.hole_cards or ""),
            board=parse_cards(state.board_cards or ""),
            opponent=parse_cards(theirs.hole_cards or ""),
            winnings=state.winnings if state.is_hand_over else None,
            aivat=state.aivat_score if state.is_hand_over else None,
            hand_id=str(frame.hand_id),
        )

    def _seats(self, players: tuple[WizardPlayer, ...]) -> tuple[WizardPlayer, WizardPlayer]:
        """Return our seat and the other."""
        if len(players) != 2 or {player.position for player in players} != set(_SEATS):
            raise DamagedFileError("GTO Wizard sent a table that has not one player in SB and one in BB.")
        names = [player.name for player in players]
        mine = [n == self._me if self._me else _THEIRS not in n.lower().replace(" ", "") for n in names]
        if sum(mine) != 1:
            raise UsageError(
                f"The players are called {' and '.join(map(repr, names))}. Say which you are with --me NAME."
            )
        place = mine.index(True)
        return players[place], players[1 - place]

    def _check(self, game: WizardGame) -> None:
        """Raise UsageError unless a frame's game is the one that was asked for."""
        stack, blind = (game.starting_stack,) * 2, (max(game.blinds, default=0), min(game.blinds, default=0))
        if not game.stack_reset_per_hand or (stack, blind) != (self.definition.stack, self.definition.blind):
            raise UsageError(
                f"GTO Wizard deals blinds of {' and '.join(map('{:g}'.format, game.blinds))} and stacks of {game.starting_stack:g}"
                f"{'' if game.stack_reset_per_hand else ' that go on from hand to hand'}, which is not {self._game_name!r} "
                f"with blinds of {self.definition.blind[1]} and {self.definition.blind[0]}. Give its name by --game-name."
            )


def definition_of(game_name: str) -> GameDef:
    """Return the game of a name such as "HUNL 200BB": blinds 50/100. Raises UsageError."""
    found = re.fullmatch(r"HUNL ([0-9]{1,4})BB", game_name)
    if not found or not int(found[1]):
        raise UsageError(
            f"--game-name is written like {GAME_NAME!r}: heads-up no-limit and the stack. Got {game_name!r}."
        )
    game = load_game(GAME)
    stack = (int(found[1]) * max(game.blind),) * 2
    return game if stack == game.stack else evolve(game, stack=stack, name=game_name)
