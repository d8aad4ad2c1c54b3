"""Any agent of cardai as a player of the competition."""

from __future__ import annotations

from random import Random

import numpy as np

from cardai.arena.asking import bound, own_copy, tell
from cardai.core.agent import Agent, BoundScalar, ScalarAgent
from cardai.core.blame import raised
from cardai.core.errors import AgentError
from cardai.core.legal import Amounts
from cardai.core.rng import Rows, derive
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.games import game_map
from cardai.formats.acpc.states import action_text
from cardai.formats.acpc.views import view_maker


class AgentPlayer:
    """Asks an agent for its decisions. ``seed`` decides what the agent leaves to chance.

    It is seated, told and blamed as at every other table (:mod:`cardai.arena.asking`); it is asked without the arrays of
    one, since a client of the wire knows only its own cards and has microseconds for a decision.

    ``game`` names the game that the agent plays where that is not the definition's own: a no-limit game with a ladder of
    bets, for instance, whose rungs become amounts.

    Raises:
        UsageError: there is no such agent, or no game of cardai that the definition describes.
    """

    def __init__(self, agent: str, definition: GameDef, seed: int = 0, game: str = "") -> None:
        self.name = agent
        self.map = game_map(definition, game)
        self._agent: Agent = own_copy(bound(agent, self.map.game), 0)
        self._views = view_maker(self.map, self._agent.stateful)
        self._scalar: ScalarAgent | None = self._agent.agent if isinstance(self._agent, BoundScalar) else None
        self.restart(derive(seed, "acpc"))
        self._draws = type(self._agent).act is Agent.act

    def restart(self, seed: int) -> None:
        """Let ``seed`` decide from here on what the agent leaves to chance."""
        self._random = Random(seed)

    def choose(self, follower: Follower) -> int:
        """Return the action of the wire that the agent takes where it stands.

        Raises:
            AgentError: the agent raised, or chose what is not legal.
        """
        node = follower.node
        try:
            chosen = self._ask(follower)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._blame(error, follower) from error
        action = self._views.action(node, chosen)
        if not follower.tree.allows(node, action):
            text = action_text(action, follower.game.no_limit) if action >= 0 else str(action)
            raise AgentError(
                f"The agent {self.name} chose {text!r} in hand {follower.hand} after {node.text!r}. "
                f"Legal: {follower.tree.legal_text(node)}."
            )
        return action

    def _ask(self, follower: Follower) -> int:
        node, position = follower.node, follower.position
        hole, board = follower.hole(), follower.board()
        legal = self._views.legal(node)
        if self._scalar is not None:
            if isinstance(legal, Amounts):
                actions = [*([0, 1] if node.can_fold else [1]), *sorted({node.least, node.most} - {0})]
            else:
                actions = [action for action, allowed in enumerate(legal[0].tolist()) if allowed]
            return int(self._scalar.choose(self._views.plain(node, position, hole, board), actions, self._random))
        views = self._views.packed(node, position, hole, board)
        if self._draws:
            chosen = self._draw(self._agent.policy(views, legal)[0].tolist())
            if chosen < 2 or not isinstance(legal, Amounts):
                return chosen
            return int(self._agent.raise_to(views, legal, self._stream())[0])
        return int(self._agent.act(views, legal, self._stream())[0])

    def _stream(self) -> Rows:
        return Rows(np.array([self._random.getrandbits(64)], np.uint64))

    def _draw(self, policy: list[float]) -> int:
        """Return an action drawn from a policy (zeros are never drawn)."""
        threshold = self._random.random() * sum(policy)
        chosen = 0
        for action, probability in enumerate(policy):
            if probability > 0:
                chosen = action
                threshold -= probability
                if threshold < 0:
                    break
        return chosen

    @property
    def wants_results(self) -> bool:
        """Whether the agent is to be told of finished hands."""
        return self._agent.stateful

    def hand_finished(self, follower: Follower) -> None:
        """Tell an agent that learns of a finished hand: its last view and everybody's result, by the view's seats.

        Raises:
            AgentError: the agent raised.
        """
        game, node, position = follower.game, follower.node, follower.position
        cards = [
            card for p in range(game.num_players) for card in follower.shown(p) or [0] * game.num_hole
        ] + follower.board()
        values = follower.tree.values(node, cards)
        view = self._views.packed(node, position, follower.hole(), follower.board())
        try:
            tell(self._agent, self._views.fields, view[0], [values[seat] for seat in self._views.seats(position)])
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._blame(error, follower) from error

    def _blame(self, error: BaseException, follower: Follower) -> AgentError:
        return AgentError(
            f"The agent {self.name!r} {raised(error, [f.name for f in self._views.fields])} (hand {follower.hand})."
        )
