"""Gymnasium: one table, or many in lock step, with the opponents inside.

>>> import cardai
>>> env = cardai.make_env("gin", seat=0, opponent="simple")  # doctest: +SKIP
>>> envs = cardai.vector_env("leduc", 1024, opponent="random")  # doctest: +SKIP

An observation is one view as the encoder has it, float32; legal actions are ``info["action_mask"]`` (int8, 1 for legal) and
:meth:`CardEnv.action_masks`. The reward is the player's result of each hand in the game's unit, 0 before its end. An
episode is a hand, or with ``episode="match"`` a game of hands. The same seed gives the same cards, seats and opponents'
moves in one environment and in the first of many (:mod:`cardai.bridges.episodes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardai import make
from cardai.bridges.dealt_games import Length
from cardai.bridges.episodes import Episodes
from cardai.bridges.observing import (
    RENDER_MODES,
    action_of,
    actions_of,
    bounds_of,
    check_render_mode,
    layout_for,
    mask_of,
    not_begun,
    rendered,
)
from cardai.bridges.one_game import OneSeat
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.encoder import Encoder
from cardai.core.errors import IllegalActionError, UsageError, wrong_type
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Game
from cardai.core.legal import legal_list
from cardai.core.one_table import INDEX

Illegal = Literal["lowest", "raise"]
Opponent = Agent | str | Sequence[Agent | str]
_RENDER_MODES = ("ansi", "rgb_array")  # of many tables


class _Offered:
    """What both environments show of themselves: game, encoder, spaces, and what is done about illegal actions."""

    def __init__(
        self, game: Game | str, encoder: Encoder | str | None, illegal: Illegal, render_mode: str | None
    ) -> None:
        if illegal not in ("lowest", "raise"):
            raise UsageError(f"illegal must be 'lowest' or 'raise'. Got {illegal!r}.")
        self.game: Game = make.as_game(game)
        self.layout = layout_for(self.game, encoder)
        self.illegal = illegal
        self.render_mode = render_mode
        self.observation_space = spaces.Box(*bounds_of(self.layout), dtype=np.float32)
        self.action_space = spaces.Discrete(self.game.num_distinct_actions)

    def refuse(self, action: int, table: int, mask: Bools) -> None:
        """Raise IllegalActionError where illegal actions are to be refused; ``mask`` (1, A) has the legal ones."""
        if self.illegal == "raise":
            legal = legal_list(mask, 0)
            raise IllegalActionError(f"The action {action} is not legal at table {table}. Legal: {legal}.")

    def picture(self, views: Views) -> Any:
        """Return one row of views as its player sees it, in the render mode; None without one."""
        if self.render_mode is None:
            return None
        return rendered(self.game, unpack_view(self.game.view_fields, views[0]), self.render_mode)


class _Tables:
    """Episodes at many tables, and their masks."""

    def __init__(self, offered: _Offered, count: int, seat: int | None, opponent: Opponent, episode: Length) -> None:
        self.offered, self.layout = offered, offered.layout
        self.episodes = Episodes(offered.game, opponent, count, seat, episode)
        self.mask: Bools = np.zeros((count, offered.game.num_distinct_actions), np.bool_)

    def look(self) -> Float32s:
        """Return the observations (n, *shape), and keep the legal actions."""
        self.mask = mask_of(self.episodes.legal()) & ~self.episodes.over[:, None]
        return self.layout.encode(self.episodes.views())

    def play(self, rows: Int64s, actions: Int64s) -> tuple[Float64s, Bools, Bools]:
        """Play ``actions`` (m,) at ``rows`` and return rewards, what is over, and whose action was illegal, (m,) each.

        In place of an illegal action the lowest legal one is played, as when agents forfeit.

        Raises:
            IllegalActionError: an action is illegal and ``illegal`` is "raise".
        """
        inside = (actions >= 0) & (actions < self.mask.shape[1])
        wrong = ~inside | ~self.mask[rows, np.where(inside, actions, 0)]
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            self.offered.refuse(int(actions[first]), int(rows[first]), self.mask[rows[first]][None])
            actions = np.where(wrong, self.mask[rows].argmax(axis=1), actions)
        return *self.episodes.act(rows, actions), wrong


class CardEnv(gymnasium.Env[Float32s, Any]):
    """One table as a Gymnasium environment: ``cardai.make_env`` has its options."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        game: Game | str,
        seat: int | None = None,
        opponent: Opponent = "random",
        encoder: Encoder | str | None = None,
        *,
        episode: Length = "hand",
        illegal: Illegal = "lowest",
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self._offered = _Offered(game, encoder, illegal, render_mode)
        self.game, self.layout, self.render_mode = self._offered.game, self._offered.layout, render_mode
        self.observation_space, self.action_space = self._offered.observation_space, self._offered.action_space
        self._seat = OneSeat(self.game, self.layout, opponent, seat, episode)
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Float32s, dict[str, Any]]:
        """Begin the next episode; with ``seed`` the first of that seed."""
        super().reset(seed=seed)
        if seed is not None or not self._begun:
            self._begun = True
            self._seat.begin(int(self.np_random.integers(2**63)) if seed is None else seed)
        else:
            self._seat.next_episode()
        return self._seen()

    def step(self, action: Any) -> tuple[Float32s, float, bool, bool, dict[str, Any]]:
        """Play ``action`` and let the opponents move; the reward is what a hand that ended brought.

        Raises:
            UsageError: no whole number, or reset() was never called. IllegalActionError: the episode is over.
        """
        seat = self._seat
        if seat.over:
            raise IllegalActionError("The episode is over: call reset().") if self._begun else not_begun()
        played = action_of(action)
        mask = seat.table.mask
        wrong = not 0 <= played < len(mask) or not mask[played]
        if wrong:
            self._offered.refuse(played, 0, mask[None])
            played = int(mask.argmax())
        reward = seat.act(played)
        code, info = self._seen()
        if wrong:
            info["illegal_action"] = True
        return code, reward, seat.over, False, info

    def _seen(self) -> tuple[Float32s, dict[str, Any]]:
        if self.render_mode == "human":
            self._picture()
        return self._seat.see(), {"action_mask": self._seat.table.mask.astype(np.int8), "seat": self._seat.own}

    def _picture(self) -> Any:
        return self._offered.picture(self._seat.table.tables.views(self._seat.own, INDEX))

    def action_masks(self) -> Bools:
        """Return the legal actions (A,) bool, where sb3-contrib looks for them."""
        return self._seat.table.mask.copy()

    def render(self) -> Any:
        """Return the table as the player sees it: text (ansi), or an image (height, width, 3) uint8 (rgb_array).

        In the mode "human" reset and step print it, and this does nothing.
        """
        if self.render_mode is None:
            return None
        if not self._begun:
            raise not_begun()
        return None if self.render_mode == "human" else self._picture()


def _illegal(wrong: Bools) -> dict[str, Any]:
    return {"illegal_action": wrong, "_illegal_action": wrong} if wrong.any() else {}


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        known = ", ".join(mode.value for mode in AutoresetMode)
        raise UsageError(f"autoreset_mode must be one of {known}. Got {given!r}.") from None


class CardVectorEnv(VectorEnv[Float32s, Any, Any]):
    """Many tables in lock step as one vectorised environment: ``cardai.vector_env`` has its options.

    ``autoreset_mode`` is Gymnasium's (https://farama.org/Vector-Autoreset-Mode): NEXT_STEP (its default and ours): the step
    after an episode's last ignores the action and begins the next; SAME_STEP: the step that ends an episode begins the
    next, and ``final_obs`` and ``final_info`` hold its end; DISABLED: ``reset(options={"reset_mask": mask})`` does.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        seat: int | None = None,
        opponent: Opponent = "random",
        encoder: Encoder | str | None = None,
        *,
        episode: Length = "hand",
        illegal: Illegal = "lowest",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode, _RENDER_MODES)
        self._offered = _Offered(game, encoder, illegal, render_mode)
        self.game, self.layout, self.render_mode = self._offered.game, self._offered.layout, render_mode
        self._tables = _Tables(self._offered, num_envs, seat, opponent, episode)
        self.num_envs = num_envs
        self.single_observation_space = self._offered.observation_space
        self.single_action_space = self._offered.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._mode = _mode(autoreset_mode)
        self.metadata = {"autoreset_mode": self._mode, "render_modes": list(_RENDER_MODES)}
        self._over = np.zeros(num_envs, np.bool_)
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32s, dict[str, Any]]:
        """Begin episodes at all tables (with ``seed`` the first of that seed), or where ``reset_mask`` (n,) bool says so.

        Raises:
            UsageError: a mask of another kind or shape, or one beside a seed.
        """
        super().reset(seed=seed)
        mask = self._reset_mask(seed, options or {})
        if seed is not None or not self._begun:
            self._begun = True
            self._tables.episodes.begin(int(self.np_random.integers(2**63)) if seed is None else seed)
            mask = np.ones(self.num_envs, np.bool_)
        else:
            self._tables.episodes.next_episodes(np.flatnonzero(mask))
        self._over &= ~mask
        return self._tables.look(), self._info()

    def _reset_mask(self, seed: int | None, options: Mapping[str, Any]) -> Bools:
        if "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(options["reset_mask"])
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise wrong_type("reset_mask", f"an array of {self.num_envs} truth values, one a table", mask)
        if seed is not None:
            raise UsageError("A seed begins episodes at all tables. Leave out the seed or reset_mask.")
        return mask

    def step(self, actions: Any) -> tuple[Float32s, Float64s, Bools, Bools, dict[str, Any]]:
        """Play an action (n,) at each table; the rewards are in the game's unit, nothing is ever truncated.

        Raises:
            UsageError: actions of another shape or no whole numbers, or reset() was never called.
            IllegalActionError: episodes that are over were not reset (autoreset disabled).
        """
        if not self._begun:
            raise not_begun()
        actions = actions_of(actions, self.num_envs)
        waiting = np.flatnonzero(self._over)
        if len(waiting) and self._mode == AutoresetMode.DISABLED:
            raise IllegalActionError(f"The episodes at tables {waiting.tolist()} are over: reset them by reset_mask.")
        rows = np.flatnonzero(~self._over)
        rewards, wrong = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        over = np.zeros(self.num_envs, np.bool_)
        if len(rows):
            rewards[rows], over[rows], wrong[rows] = self._tables.play(rows, actions[rows])
        if len(waiting):
            self._tables.episodes.next_episodes(waiting)
        final: dict[str, Any] = {}
        ended = np.flatnonzero(over)
        if len(ended) and self._mode == AutoresetMode.SAME_STEP:
            final = self._final(ended, wrong & over)
            self._tables.episodes.next_episodes(ended)
            wrong &= ~over
        self._over = over.copy() if self._mode != AutoresetMode.SAME_STEP else np.zeros_like(over)
        code = self._tables.look()
        return code, rewards, over, np.zeros_like(over), self._info() | _illegal(wrong) | final

    def _final(self, rows: npt.NDArray[np.int64], wrong: Bools) -> dict[str, Any]:
        """Return the last observations and infos of episodes that are over, as Gymnasium wants them: one object a table."""
        codes = self._tables.layout.encode(self._tables.episodes.views(rows))
        observed, ended = np.full(self.num_envs, None, object), np.zeros(self.num_envs, np.bool_)
        for row, code in zip(rows, codes, strict=True):
            observed[row] = code
        ended[rows] = True
        nothing = np.zeros((self.num_envs, self._tables.mask.shape[1]), np.int8)
        seats = np.where(ended, self._tables.episodes.own, 0)
        info = {"action_mask": nothing, "_action_mask": ended, "seat": seats, "_seat": ended, **_illegal(wrong)}
        return {"final_obs": observed, "_final_obs": ended, "final_info": info, "_final_info": ended}

    def _info(self) -> dict[str, Any]:
        all_tables = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self._tables.mask.view(np.int8),
            "_action_mask": all_tables,
            "seat": self._tables.episodes.own.copy(),
            "_seat": all_tables,
        }

    def action_masks(self) -> Bools:
        """Return the legal actions (n, A) bool."""
        return self._tables.mask.copy()

    def render(self) -> tuple[Any, ...]:
        """Return each table as its player sees it."""
        if self.render_mode is not None and not self._begun:
            raise not_begun()
        views = self._tables.episodes.views
        return tuple(self._offered.picture(views(np.array([row]))) for row in range(self.num_envs))
