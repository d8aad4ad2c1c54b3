"""A player that was trained on a ladder of bets, in full no-limit hold'em."""

from __future__ import annotations

from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.spec import brief, option
from cardai.poker.contract import plays_holdem


@frozen
class TranslatedRun(Agent):
    """Plays a run that knows a few sizes of bets where any can be bet: a bet between two counts as either (pseudo-harmonic mapping).

    Ganzfried and Sandholm, "Action translation in extensive-form games with large action spaces", 2013.
    """

    run: str = option(
        "", holds="agent", help="a run that was trained on the same game with a ladder of bets (bets=0.5+1+allin)"
    )

    def __attrs_post_init__(self) -> None:
        if not self.run:
            raise ValueError("run must be the directory of a run that was trained on a ladder of bets. Got none.")

    def for_game(self, game: Game) -> Agent:
        from cardai.poker.resolving.translation import TranslatedPlayer, translated

        if not game.amounts or not plays_holdem(game, 2):
            raise UsageError(
                f"translated plays no-limit hold'em of two players, with bets of any size. Got {brief(game)}: in its own game a "
                "run plays as it is."
            )
        return TranslatedPlayer(translated(self.run, game, "A translated player"))

    def policy(self, views: Views, legal: Legal) -> Float64s:
        raise UsageError("translated must know its game first: call for_game(game), and ask what that returns.")


@hookimpl
def cardai_agent() -> type[TranslatedRun]:
    """Offer the player."""
    return TranslatedRun
