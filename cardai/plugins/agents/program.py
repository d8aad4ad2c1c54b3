"""Any program that speaks the poker competition's protocol, started by its command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from attrs import Attribute, frozen, validators

from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Actions, Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.needs import STARTS_PROGRAMS, USES_NETWORK
from cardai.core.registry import spec_of
from cardai.core.rng import Rows
from cardai.core.spec import option
from cardai.formats.acpc.games import definition_of, game_map
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.program import Program as Running
from cardai.formats.acpc.replies import judge
from cardai.formats.acpc.states import CALL, deal_text
from cardai.poker.contract import board_game
from cardai.poker.rules.growing_tree import BettingNode


def _words(instance: Any, attribute: Attribute[str], value: str) -> None:
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise ValueError(f"command cannot be taken apart: {error}. Got {value!r}.") from error
    if not words:
        raise ValueError("command must be the command line of a program.")


@frozen
class Program(Agent):
    """Starts ``command`` with host and port behind, as the competition does, and asks it over the wire.

    One game at a time is played then, hand after hand. An answer that is not legal becomes what the competition's dealer
    makes of it. At a showdown it is not shown the opponents' cards. Games: hold'em and Leduc as the competition has them.
    """

    sequential = True
    may: ClassVar[frozenset[str]] = frozenset({STARTS_PROGRAMS, USES_NETWORK})

    command: str = option(help='The command line, quoted: program:command="python bot.py".', validator=_words)
    seconds: float = option(
        60.0, help="How long it may take to connect, and for an answer.", validator=validators.gt(0)
    )

    def for_game(self, game: Game) -> Agent:
        name = spec_of(game)
        said = board_game(game)
        if said is not None and said.ladder:
            raise UsageError(f"A program bets amounts, and {name} has a ladder of bets: take the game without it.")
        if said is None:
            raise UsageError(f"A program plays hold'em and Leduc over the competition's wire. Got {name}.")
        return OverTheWire(game, Running(self.command, self.seconds))


class OverTheWire(Agent):
    """One seat's program. All seats of a match share it, since hands follow one another."""

    stateful = True
    sequential = True

    def __init__(self, game: Game, running: Running) -> None:
        name = spec_of(game)
        self.game, self.running = game, running
        self._map = game_map(definition_of(game, name), name)
        self._tree = WireTree(self._map.definition)

    def new_match(self, seat: int) -> Self:
        return self  # the program remembers what it wants to

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        return np.array([self._ask(unpack_view(self.game.view_fields, view)) for view in views], np.int64)

    def _ask(self, view: Mapping[str, Any]) -> int:
        node, state = self._state(view)
        answer = self.running.ask(state)
        action = judge(self._tree, node, state.decode(), answer).action
        return self._map.game_action(node, CALL if action is None else action)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self.running.tell(self._state(view)[1])
        self.running.hand += 1

    def _state(self, view: Mapping[str, Any]) -> tuple[BettingNode, bytes]:
        """Return the betting node of a view and the match state that the wire would say."""
        node = self._tree.root
        for action in view["history"]:
            node = self._tree.after(node, int(action))
        n, cards = self.game.num_players, self._map.wire_cards
        first = (int(view["button"]) - self._map.starter) % n  # the seat of position 0
        position = (int(view["player"]) - first) % n
        hole: list[Sequence[int]] = [()] * n
        hole[position] = [cards[card] for card in _several(view["hole"])]
        shown, groups = [cards[card] for card in _several(view["board"])], []
        for count in self._map.definition.num_board[1 : node.round + 1]:
            groups.append(shown[:count])
            shown = shown[count:]
        text = deal_text([tuple(held) for held in hole], [tuple(group) for group in groups])
        return node, f"MATCHSTATE:{position}:{self.running.hand}:{node.text}:{text}".encode()


def _several(cards: Any) -> list[int]:
    return [int(card) for card in (cards if isinstance(cards, list) else [cards]) if int(card) >= 0]


@hookimpl
def cardai_agent() -> type[Program]:
    """Offer the player."""
    return Program
