"""Video poker players: perfect play under any pay table, and Poker-CNN's one-rule player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import Attribute, field, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.spec import brief, option
from cardai.draw import holds
from cardai.draw import video_poker as exact
from cardai.draw.contract import SoloDraw, is_solo_draw


def _video_poker(agent: str, game: Game) -> SoloDraw:
    if not is_solo_draw(game):
        raise UsageError(
            f"{agent} plays video poker: one player's draw of five cards. {brief(game)} is something else."
        )
    return game


def _readable(instance: VideoPerfect, attribute: Attribute[Any], value: tuple[str, ...] | None) -> None:
    if value is not None:
        exact.pay_table(value)


@frozen
class VideoPerfect(Agent):
    """Holds what pays most, computed exactly for all hands: perfect play."""

    pay_table: tuple[str, ...] | None = option(
        None, validator=_readable, help="the pay table to play for (default: the game's)"
    )
    values_of: ClassVar[str] = "mean payout, exact"
    judges: ClassVar[int] = 3
    value_classes: ClassVar[tuple[float, float]] = (exact.TINY, exact.SMALL)
    _pays: exact.Pays = field(default=exact.PAY_TABLES["976-9-6"], alias="_pays")

    def for_game(self, game: Game) -> Agent:
        made = _video_poker("video_perfect", game)
        pays = exact.pay_table(self.pay_table) if self.pay_table is not None else made.pays
        return VideoPerfect(self.pay_table, _pays=pays)

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return exact.one_hot(holds.best_holds(exact.hold_values(self._pays)(views["hand"])))

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return np.asarray(exact.hold_values(self._pays)(views["hand"]), np.float64)

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        return np.zeros((len(views), holds.HOLDS))


@frozen
class VideoHeuristic(Agent):
    """Poker-CNN's one-rule player: made hands, paying pairs, four of a suit, small pairs, else five new cards."""

    suits_alike: ClassVar[bool] = True
    """No rule asks which suit it is: one hand for each renaming of suits is enough to measure it."""

    def for_game(self, game: Game) -> Agent:
        _video_poker("video_heuristic", game)
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return exact.one_hot(exact.heuristic_holds(views["hand"]))


@hookimpl
def cardai_agent() -> Mapping[str, type[Agent]]:
    """Offer both players."""
    return {"video_perfect": VideoPerfect, "video_heuristic": VideoHeuristic}
