"""PettingZoo: any game as an agent environment cycle (AEC), every seat from outside.

>>> from cardai.bridges import pettingzoo
>>> env = pettingzoo.env("gin", encoder="gin_compact")  # doctest: +SKIP

Agents are ``player_0``, ``player_1``, ..., by seat. An observation is ``{"observation": float32, "action_mask": int8}``, the
view of the agent as the encoder has it and what it may do (nothing when another is to act); the mask is in ``infos`` too.
Rewards are each seat's result of a hand in the game's unit. An episode is a hand, or with ``episode="match"`` a game of
hands. Episode e is group e of the arena (:mod:`cardai.bridges.one_game`), so the same seed has the same cards as anywhere
else.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from cardai import make
from cardai.bridges.dealt_games import Length
from cardai.bridges.episodes import check_seat
from cardai.bridges.observing import (
    RENDER_MODES,
    action_of,
    bounds_of,
    check_render_mode,
    layout_for,
    not_begun,
    rendered,
)
from cardai.bridges.one_game import OneGame
from cardai.core import registry
from cardai.core.encoder import Encoder
from cardai.core.errors import IllegalActionError, need_whole
from cardai.core.fields import unpack_view
from cardai.core.game import Game
from cardai.core.one_table import INDEX, OneTable
from cardai.core.rng import derive

ILLEGAL_REWARD = -1
"""What :func:`env` gives whoever plays an illegal action, which ends the episode (PettingZoo's custom)."""


def env(
    game: Game | str,
    encoder: Encoder | str | None = None,
    *,
    episode: Length = "hand",
    render_mode: str | None = None,
) -> Any:
    """Return the environment in PettingZoo's usual wrappers: an illegal action ends the episode, order is enforced.

    Raises:
        UsageError: the encoder cannot lay out the game, or the game's actions are amounts of chips.
    """
    made: Any = raw_env(game, encoder, episode=episode, render_mode=render_mode)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


def raw_env(
    game: Game | str,
    encoder: Encoder | str | None = None,
    *,
    episode: Length = "hand",
    render_mode: str | None = None,
) -> CardAEC:
    """Return the environment without wrappers: an illegal action raises IllegalActionError. Raises as :func:`env`."""
    return CardAEC(game, encoder, episode=episode, render_mode=render_mode)


class CardAEC(AECEnv[str, dict[str, Any], Any]):
    """The environment: see :func:`env`."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "is_parallelizable": False}

    def __init__(
        self, game: Game | str, encoder: Encoder | str | None, *, episode: Length, render_mode: str | None
    ) -> None:
        super().__init__()
        self.game: Game = make.as_game(game)
        check_seat(self.game, None, episode)
        check_render_mode(render_mode)
        self.metadata = {**type(self).metadata, "name": f"cardai_{registry.spec_of(self.game)}"}
        self.layout = layout_for(self.game, encoder)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        actions = self.game.num_distinct_actions
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(*bounds_of(self.layout), dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._games = OneGame(self.game, self.layout, episode)
        self._table = self._games.table
        self._nothing = np.zeros(actions, np.int8)
        self._root: int | None = None
        self._deal_root = self._episode = 0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next episode; with ``seed`` the first of that seed."""
        if seed is not None or self._root is None:
            self._root = seeding.np_random()[1] if seed is None else need_whole("The seed", seed)
            self._deal_root, self._episode = derive(self._root, "deal"), -1
        self._episode += 1
        self._games.begin(self._deal_root, self._episode)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        if self._settle():  # a hand was over with the deal
            self._accumulate_rewards()

    def step(self, action: Any) -> None:
        """Play ``action`` for the agent to act (None once its episode is over)."""
        table = self._seated()
        if not self.agents:
            raise IllegalActionError("The episode is over: call reset().")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        table.play(self._legal(action))
        if self._settle():
            self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what ``agent`` may know and do."""
        table, seat = self._seated(), self._seat[agent]
        waits = table.current != seat
        mask = self._nothing.copy() if waits else table.mask.astype(np.int8)
        return {"observation": table.see(seat), "action_mask": mask}

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the table as the agent to act sees it: text (ansi), or an image (height, width, 3) (rgb_array).

        In the mode "human" reset and step print it, and this does nothing.
        """
        return None if self.render_mode in (None, "human") else self._rendered()

    def close(self) -> None:
        """Do nothing: there is no window."""

    def _seated(self) -> OneTable:
        if self._root is None:
            raise not_begun()
        return self._table

    def _rendered(self) -> Any:
        views = self._seated().tables.views(self._seat[self.agent_selection], INDEX)
        return rendered(self.game, unpack_view(self.game.view_fields, views[0]), self.render_mode or "ansi")

    def _legal(self, action: Any) -> int:
        """Return ``action`` as a number. Raises IllegalActionError unless the seat to act may play it."""
        mask, played = self._table.mask, action_of(action)
        if not 0 <= played < len(mask) or not mask[played]:
            raise IllegalActionError(f"The action {action!r} is not legal here. Legal: {self._table.listed()}.")
        return played

    def _settle(self) -> bool:
        """Hand out what a finished hand brought, deal the match's next, find who is to act; return whether anything was paid."""
        table, paid = self._table, False
        while table.current < 0:
            paid = True
            for agent, points in zip(self.possible_agents, table.returns[0].tolist(), strict=True):
                self.rewards[agent] += points
            if self._games.end():
                self.terminations = dict.fromkeys(self.agents, True)
                break
        if table.current >= 0:
            self.agent_selection = self.possible_agents[table.current]
        self.infos = {agent: {"action_mask": self._nothing.copy()} for agent in self.agents}
        if table.current >= 0:
            self.infos[self.agent_selection]["action_mask"] = table.mask.astype(np.int8)
        if self.render_mode == "human":
            self._rendered()
        return paid
