"""Exact measures from Python: what a perfect opponent would win from a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from cardai import make
from cardai.arena.report import as_html
from cardai.core import registry
from cardai.solve.tree import NODE_LIMIT

if TYPE_CHECKING:
    from cardai.api import Player
    from cardai.core.game import Game
    from cardai.solve.measures import Measured


@frozen(repr=False)
class Evaluation:
    """An exact measure of a player; it prints as ``cardai evaluate exploitability`` does. Values are a hand's."""

    game: str
    agent: str
    unit: str
    measured: Measured

    @property
    def exploitability(self) -> float:
        """What a best response gains, as the mean over seats (NashConv / P)."""
        return self.measured.exploitability

    @property
    def nash_conv(self) -> float:
        """The sum of what best responses gain."""
        return self.measured.nash_conv

    @property
    def title(self) -> str:
        """What the numbers are."""
        return f"{self.agent} in {self.game}, exactly, in {self.unit} a hand:"

    @property
    def total(self) -> str:
        """The measure of all seats together, in words."""
        return f"exploitability {self.exploitability:.9g}  (NashConv {self.nash_conv:.9g})"

    def rows(self) -> list[list[str]]:
        """Return a row a seat: what it earns, what a best response earns there, and the gain."""
        numbers = zip(self.measured.expected, self.measured.best_response, self.measured.gains, strict=True)
        return [[str(seat), f"{e:+.6f}", f"{b:+.6f}", f"{g:.6f}"] for seat, (e, b, g) in enumerate(numbers)]

    def __str__(self) -> str:
        rows = [list(HEADER), *self.rows()]
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADER))]
        lines = ["   ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([self.title, *lines, self.total])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self.title, HEADER, self.rows(), self.total)


HEADER = ("seat", "earns", "best response", "gain")


def evaluate(game: str | Game, agent: Player, limit: int = NODE_LIMIT) -> Evaluation:
    """Measure a player exactly in a game that can be enumerated: its exploitability, and what it earns in each seat.

    >>> import cardai
    >>> cardai.evaluate("kuhn", "equilibrium").exploitability < 0.001
    True

    ``limit``: nodes of the largest game tree that is walked. :mod:`cardai.solve` has values of several players.

    Raises:
        UsageError: the game is too large, or the player cannot be asked for its probabilities.
    """
    from cardai.solve.measures import measure

    played, player = make.as_game(game), make.as_agent(agent)
    called = agent if isinstance(agent, str) else registry.spec_of(player)
    spec = game if isinstance(game, str) else registry.spec_of(played)
    return Evaluation(spec, called, played.unit, measure(played, player, called, limit))
