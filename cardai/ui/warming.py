"""Everything that a match will need is made ready before its first hand: rules and players compiled, tables read.

Hands of the same game against the same players are played on the side, with other cards, until a whole one goes by in
which nothing had to be compiled any more. A person who has sat down then waits for nobody but players that think.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from cardai.core.errors import CardaiError
from cardai.core.kernel import each_compiled
from cardai.core.progress import tell
from cardai.ui.match import Match
from cardai.ui.scene import Scene

HANDS = 6
"""Hands that are played at most."""
ENOUGH = 20.0
"""Seconds after which no further hand is begun, and one that compiles nothing is left: slow players are not waited for."""
PARTS = {
    "plugins.games": "the rules",
    "poker": "the rules and hands of poker",
    "gin": "melds and deadwood",
    "draw": "hands of draw games",
    "plugins.agents": "the players",
    "solve": "the search",
    "learn": "the learned player",
    "core": "the tables",
    "arena": "the tables",
}
"""What kernels are for, by the beginning of their modules' names."""


def warm(game: str, opponents: Sequence[str], seen: Callable[[Scene], object] | None = None) -> int:
    """Play hands of ``game`` against ``opponents`` on the side until nothing is compiled any more; return how many were.

    ``seen`` is called with each scene that the person would see, as whoever shows them will draw them. What is compiled is
    told by :func:`cardai.core.progress.tell`. A player that errs here errs at the table, where it is said.
    """
    compiled, begun = 0, time.monotonic()

    def heard(kernel: str, count: int) -> None:
        nonlocal compiled
        compiled = count
        tell(f"Compiling {part_of(kernel)}, kernel {count}")

    with each_compiled(heard), suppress(CardaiError):
        match, choose = Match.begin(game, opponents, seed=1), random.Random(1)
        for _ in range(HANDS):
            before = compiled
            while not match.table.hand_over and (compiled > before or time.monotonic() - begun < ENOUGH):
                _move(match, choose, seen)
            if compiled == before or time.monotonic() - begun > ENOUGH:
                break
            match.next_hand()
    return compiled


def _move(match: Match, choose: random.Random, seen: Callable[[Scene], object] | None) -> None:
    """Let whoever is to move do so; a person's moves are drawn, and rarely a fold."""
    if match.waiting:
        match.step()
    else:
        actions = match.table.legal_actions()
        if not match.game.amounts and len(actions) > 1 and match.game.action_to_string(actions[0]) == "fold":
            actions = actions[1:]
        match.act(choose.choice(actions[1:3] if match.game.amounts and len(actions) > 1 else actions))
    scene = match.scene()
    if seen is not None:
        seen(scene)


def part_of(kernel: str) -> str:
    """Return in words what a kernel, by its module and name, is for."""
    name = kernel.removeprefix("cardai.")
    return next((words for start, words in PARTS.items() if name.startswith(f"{start}.")), name.partition(".")[0])
