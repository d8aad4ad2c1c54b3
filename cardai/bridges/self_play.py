"""Self-play: many tables in lock step at which every seat is played from outside, by one policy or several.

>>> import cardai
>>> env = cardai.selfplay_env("leduc", 1024)  # doctest: +SKIP
>>> env.reset(seed=0)  # doctest: +SKIP
>>> rewards, over = env.step(policy(env.observations, env.mask, env.player))  # doctest: +SKIP

No library is needed. What a learner reads lies in arrays that are made once and that each step writes into, so a torch tensor
over them (``torch.from_numpy(env.observations)``) is made once, too, and nothing is copied; copy what you keep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai import make
from cardai.bridges.dealt_games import PASSED_OVER, DealtGames, Length
from cardai.bridges.observing import actions_of, array_of, layout_for, mask_of, not_begun
from cardai.core.arrays import Bools, Float32s, Int64s
from cardai.core.encoder import Encoder
from cardai.core.errors import IllegalActionError, UsageError, need_whole
from cardai.core.game import Game, IntArray
from cardai.core.legal import legal_list
from cardai.core.many_views import many_views
from cardai.core.rng import derive


class SelfPlayEnv:
    """``num_envs`` tables of ``game``; ``cardai.selfplay_env`` has its options.

    Table i plays the episodes i, i + n, i + 2 n, ... of the seed; episode e has the cards and seats of group e of
    :func:`cardai.arena.match.play` without duplicates. A step that ends an episode begins the next at once.

    Player k sits in seat k; with ``rotate`` in seat (k + e) modulo P in episode e, as the arena's players do: where policies
    differ, each meets each seat. With ``everyone`` what each player sees is shown, also those who wait, whose masks are empty.
    """

    observations: Float32s
    """What who is to act may know, (n, \\*shape) float32; with ``everyone`` (n, P, \\*shape), a player each."""
    mask: Bools
    """The legal actions of who is to act, (n, A) bool; with ``everyone`` (n, P, A), none where a player waits."""
    player: Int64s
    """Who is to act, (n,) int64."""
    rewards: Float32s
    """What the last step brought each player, in the game's unit, (n, P) float32: the results of hands that ended with it."""
    over: Bools
    """Where the last step ended an episode, (n,) bool; all else is of the next episode there."""
    episode: Int64s
    """The number of the episode at each table, (n,) int64."""

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1024,
        encoder: Encoder | str | None = None,
        *,
        episode: Length = "hand",
        rotate: bool = False,
        everyone: bool = False,
    ) -> None:
        self.game: Game = make.as_game(game)
        self.layout = layout_for(self.game, encoder)
        self._games = DealtGames(self.game, num_envs, episode)
        self.num_envs, self.num_players, self.num_actions = (
            num_envs,
            self.game.num_players,
            self.game.num_distinct_actions,
        )
        self.rotate, self.everyone, self._tables = rotate, everyone, self._games.tables
        self._sight = many_views(self._tables, self.layout)
        self._all = np.arange(num_envs)
        self._seat = np.zeros(num_envs, np.int64)
        shown = (num_envs, self.num_players) if everyone else (num_envs,)
        self.observations = np.zeros((*shown, *self.layout.shape), np.float32)
        self.mask = np.zeros((*shown, self.num_actions), np.bool_)
        self._code = np.zeros((num_envs, *self.layout.shape), np.float32) if everyone else self.observations
        self._legal: Bools = self.mask
        self.player, self.episode = np.zeros(num_envs, np.int64), np.zeros(num_envs, np.int64)
        self.rewards, self.over = np.zeros((num_envs, self.num_players), np.float32), np.zeros(num_envs, np.bool_)
        self._deal_root: np.uint64 | None = None

    def reset(self, seed: int) -> None:
        """Begin the first episodes of ``seed`` at all tables."""
        self._deal_root = np.uint64(derive(need_whole("The seed", seed), "deal"))
        self.episode[:] = self._all - self.num_envs
        self.rewards.fill(0)
        self.over.fill(True)
        self._begin(self._all)
        self._settle(self._all)
        self.over.fill(False)
        self._look()

    def step(self, actions: Any) -> tuple[Float32s, Bools]:
        """Play the action of who is to act at each table and return :attr:`rewards` and :attr:`over`.

        ``actions`` are whole numbers (n,), an array or a tensor; with ``everyone`` (n, P), of which those of players who wait
        are not read.

        Raises:
            UsageError: another shape, no whole numbers, or reset() was never called.
            IllegalActionError: an action is not legal; nothing was played then.
        """
        if self._deal_root is None:
            raise not_begun()
        if self.everyone:
            actions = self._of_players(actions)
        played = actions_of(actions, self.num_envs)
        self._check(played)
        self.rewards.fill(0)
        self.over.fill(False)
        self._tables.apply_checked(self._all, played)
        self._settle(self._all)
        self._look()
        return self.rewards, self.over

    # -- inside ------------------------------------------------------------------------------------------------------

    def _of_players(self, actions: Any) -> Any:
        given = array_of(actions)
        if given.shape != (self.num_envs, self.num_players):
            raise UsageError(
                f"The actions must have the shape ({self.num_envs}, {self.num_players}), one a table and player. "
                f"Got the shape {given.shape}."
            )
        return given[self._all, self.player]

    def _check(self, actions: Int64s) -> None:
        inside = (actions >= 0) & (actions < self.num_actions)
        if inside.all() and self._legal[self._all, actions].all():
            return
        wrong = ~inside | ~self._legal[self._all, np.where(inside, actions, 0)]
        table = int(np.flatnonzero(wrong)[0])
        legal = legal_list(self._legal, table)
        raise IllegalActionError(f"The action {int(actions[table])} is not legal at table {table}. Legal: {legal}.")

    def _begin(self, rows: IntArray) -> None:
        assert self._deal_root is not None
        self.episode[rows] += self.num_envs
        self._games.begin(rows, self._deal_root, self.episode[rows])

    def _settle(self, rows: IntArray) -> None:
        """Pay for the hands at ``rows`` that are over and begin what follows, until somebody is to act at every table.

        An episode that ends before anybody is asked is passed over.
        """
        for _ in range(PASSED_OVER):
            rows = rows[self._tables.current_players()[rows] < 0]
            if not len(rows):
                return
            returns = self._tables.returns(rows)
            paid = ~self.over[rows]
            self.rewards[rows[paid]] += self._by_player(rows[paid], returns[paid])
            done = self._games.end(rows, returns)
            self.over[rows] |= done
            self._begin(rows[done])
        raise UsageError(f"In {PASSED_OVER:,} hands nothing was asked of anybody.")

    def _by_player(self, rows: IntArray, returns: Any) -> Any:
        """Return results by seat (m, P) by player."""
        if not self.rotate:
            return returns
        seats = (np.arange(self.num_players) + self.episode[rows][:, None]) % self.num_players
        return np.take_along_axis(returns, seats, axis=1)

    def _look(self) -> None:
        """Write what there is to see."""
        self._seat[:] = self._tables.current_players()
        self.player[:] = (self._seat - self.episode) % self.num_players if self.rotate else self._seat
        self._legal = mask_of(self._tables.legal(self._all))
        if not self.everyone:
            self.mask[:] = self._legal
            self._sight.write(self._all, self._seat, self.observations)
            return
        self.mask.fill(False)
        self.mask[self._all, self.player] = self._legal
        for player in range(self.num_players):
            seats = (player + self.episode) % self.num_players if self.rotate else np.full(self.num_envs, player)
            self._sight.write(self._all, seats, self._code)
            self.observations[:, player] = self._code
