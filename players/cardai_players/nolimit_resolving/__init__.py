"""No-limit hold'em for two by re-solving, any stacks and any bets: a best response from the river wins +17 (+15 to +20) mbb/g (800 hands, 241 came there)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from attrs import frozen, validators

from cardai import hookimpl, make
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.core.spec import Spec, brief, option
from cardai.poker.contract import plays_holdem

HERE = Path(__file__).parent
LEVELS: Mapping[str, Mapping[str, Any]] = {
    "full": {},
    "strong": {"iterations": 40},
    "fair": {"iterations": 12},
    "weak": {"iterations": 2, "noise": 0.2},
}
"""What each level changes of the player that re-solves: iterations of a decision, noise."""


@frozen
class Player(Agent):
    """Re-solves the hand from the flop on; before the flop a table plays."""

    level: Literal["full", "strong", "fair", "weak"] = option(
        "full",
        help="how much is solved: 40 iterations, 12, or 2; weak errs on purpose too",
    )
    seconds: float = option(
        2.0, help="time for a decision: the last iteration finished in it is played; 0: all iterations (then it plays the same always)",
        validator=[validators.ge(0), validators.lt(86_400)],
    )  # fmt: skip
    threads: int = option(
        0, help="threads on the turn; 0: two, where there are as many cores", validator=validators.in_(range(65))
    )
    kept: int = option(
        12, help="decisions that are kept for what comes after them", validator=validators.in_(range(1, 10_001))
    )

    believed: float = option(
        0.3, help="on the river: how much of the opponent's hands hold the range it is thought to have and play on whatever was promised",
        validator=[validators.ge(0), validators.lt(1)],
    )  # fmt: skip

    def for_game(self, game: Game) -> Agent:
        return self._resolving(game).for_game(game)

    def check_game(self, game: Game) -> None:
        self._resolving(game).check_game(game)

    def _resolving(self, game: Game) -> Agent:
        if not plays_holdem(game, 2) or not game.amounts:
            raise UsageError(
                f"nolimit_resolving plays no-limit hold'em of two players, with bets of any size. Got {brief(game)}."
            )
        threads = self.threads or min(2, os.cpu_count() or 1)
        options = {
            "values": str(HERE / "values"), "preflop": str(HERE / "preflop"), "seconds": self.seconds, "threads": threads,
            "kept": self.kept, "believed": self.believed, **LEVELS[self.level],
        }  # fmt: skip
        texts = tuple(
            (key, json.dumps(value) if isinstance(value, str) else str(value)) for key, value in options.items()
        )
        return make.agent(Spec("resolving", texts))

    def policy(self, views: Views, legal: Legal) -> Float64s:
        raise UsageError("nolimit_resolving must know its game first: call for_game(game), and ask what that returns.")


@hookimpl
def cardai_agent() -> type[Player]:
    return Player
