"""A solved spot of hold'em as a player of that spot: its average strategy (see `cardai solve`)."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from attrs import evolve, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.spec import brief, option
from cardai.poker.hands.combos import pair_index
from cardai.poker.ranges.position import Position, PublicState, after_card, start, step
from cardai.poker.ranges.public_tree import DEAL
from cardai.poker.ranges.reading import noise_at
from cardai.poker.ranges.solution import Solution, load
from cardai.poker.ranges.solver import Solver
from cardai.poker.ranges.spot_game import SpotGame, action_numbers, line_of, node_at


@frozen(slots=False)
class SolvedSpot(Agent):
    """Plays a spot as it was solved; hands outside its range check or fold at even odds with whatever is possible.

    It judges others by what an action brings to who plays on as well as can be, to the solution's own exploitability.
    """

    directory: str = option(
        "", holds="path", help="The solved spot's directory (cardai solve --out); without, that of the game."
    )
    values_of: ClassVar[str] = "chips"
    judges: ClassVar[int] = 2

    @cached_property
    def solution(self) -> Solution:
        """The solution."""
        if not self.directory:
            raise UsageError(
                "solved_spot needs a solved spot: solved_spot:directory=DIR (make one by cardai solve --out)."
            )
        return load(self.directory)

    def for_game(self, game: Game) -> Agent:
        if not isinstance(game, SpotGame):
            spot = "holdem_spot:directory=" + (self.directory or "DIR")
            raise UsageError(f"solved_spot plays the game of its own spot, {spot}. It cannot play {brief(game)}.")
        player = self if self.directory else evolve(self, directory=game.directory)
        if game.spot != player.solution.spot:
            raise UsageError(
                f"solved_spot plays the game of its own spot, holdem_spot:directory={player.directory}. It cannot play {brief(game)}."
            )
        return player

    def policy(self, views: Views, legal: Legal) -> Float64s:
        assert isinstance(legal, np.ndarray)
        out = np.zeros(legal.shape)
        hands = pair_index(views["hole"][:, 0], views["hole"][:, 1])
        known: dict[bytes, tuple[list[int], dict[int, int], Float64s]] = {}
        for i, hand in enumerate(hands):
            public = views["history"][i].tobytes() + views["board"][i].tobytes()
            if public not in known:
                known[public] = self._strategy(views["history"][i], views["board"][i])
            numbers, places, strategy = known[public]
            column = places.get(int(hand))
            out[i, numbers] = 1 / len(numbers) if column is None else strategy[:, column]
        return out

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return self._worth(views, legal, best=False)[0]

    def judged(self, views: Views, legal: Legal) -> Float64s:
        return self._worth(views, legal, best=True)[0]

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        return self._worth(views, legal, best=True)[1]

    def _worth(self, views: Views, legal: Legal, best: bool) -> tuple[Float64s, Float64s]:
        """Return what actions are worth (n, A), NaN for hands outside the range, and how far that may be off (n, A)."""
        assert isinstance(legal, np.ndarray)
        values, noise = np.full(legal.shape, np.nan), np.full(legal.shape, np.inf)
        hands = pair_index(views["hole"][:, 0], views["hole"][:, 1])
        for i, hand in enumerate(hands):
            numbers, position, off = self._position(views["history"][i], views["board"][i], best)
            column = np.flatnonzero(position.hands == hand)
            if len(column):
                values[i, numbers], noise[i] = position.values[:, column[0]], off
        return values, noise

    def _position(self, history: Views, board: Views, best: bool) -> tuple[list[int], Position, float]:
        """Return a decision's actions, its position and the noise of its values."""
        cards = self.solution.spot.cards()
        done, come = history[history >= 0].tolist(), board[board >= 0].tolist()[len(cards) :]
        root = start(self.solution.solver, cards).node
        line = line_of(root, done, come)
        if (line, best) not in self._seen:
            node, position = node_at(root, done), self.solution.at(line, best=best)
            self._seen[line, best] = action_numbers(node), position, noise_at(self.solution, position)
        return self._seen[line, best]

    @cached_property
    def _seen(self) -> dict[tuple[str, bool], tuple[list[int], Position, float]]:
        """Decisions that were looked at."""
        return {}

    def _strategy(self, history: Views, board: Views) -> tuple[list[int], dict[int, int], Float64s]:
        """Return a decision's actions, the column of each hand, and the strategy (A, n)."""
        solver = self.solution.solver
        solver, place = self._dealt(solver, start(solver, self.solution.spot.cards()), board)
        for action in history[history >= 0]:
            place = step(place, action_numbers(place.node).index(int(action)))
            solver, place = self._dealt(solver, place, board)
        numbers, strategy = solver.average(place.path, place.node)
        columns = {int(hand): k for k, hand in enumerate(place.hands[numbers])}
        return action_numbers(place.node), columns, strategy

    def _dealt(self, solver: Solver, place: PublicState, board: Views) -> tuple[Solver, PublicState]:
        while place.node.kind == DEAL:
            solver, place = after_card(solver, place, int(board[len(place.board)]), self.solution.exploitability)
        return solver, place


@hookimpl
def cardai_agent() -> type[Agent]:
    return SolvedSpot
