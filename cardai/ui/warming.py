"""Everything that a match will need is made ready before its first hand: rules and players compiled, tables read.

Hands of the same game against the same players are played on the side, with other cards, until a whole one goes by in
which nothing had to be compiled any more. A person who has sat down then waits for nobody but players that think.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from cardai import make
from cardai.core.kernel import each_compiled
from cardai.core.progress import tell
from cardai.ui.match import Match
from cardai.ui.scene import Scene

HANDS = 6
"""Hands that are played at most."""
ENOUGH = 1.5
"""Seconds without compiling after which a hand is left: players who think for long are not waited for."""
LOOK = 0.02
"""Seconds between two looks at how far it is."""


def warm(game: str, opponents: Sequence[str], seen: Callable[[Scene], object] | None = None) -> int:
    """Play hands of ``game`` against ``opponents`` on the side until nothing is compiled any more; return how many kernels were.

    ``seen`` is called with each scene that the person would see, as whoever shows them will draw them. What is compiled is
    told by :func:`cardai.core.progress.tell`. Players that start programs are not asked; one that errs does so at the table,
    where it is said, and one that thinks for long is left thinking.
    """
    compiled, last, over = 0, time.monotonic(), threading.Event()

    def heard(kernel: str, count: int) -> None:
        nonlocal compiled, last
        compiled, last = count, math.inf  # until the next move is made

    def moved() -> None:
        nonlocal last
        last = time.monotonic() if last == math.inf else last

    def play() -> None:
        # Whatever it is comes again at the table: a kernel of the game's that cannot be compiled, too.
        with suppress(Exception):
            match, choose = Match.begin(game, [_harmless(name) for name in opponents], seed=1), random.Random(1)
            for _ in range(HANDS):
                before = compiled
                while not match.table.hand_over and not over.is_set():
                    _move(match, choose, seen)
                    moved()
                if compiled == before or over.is_set():
                    break
                match.next_hand()
        over.set()

    with each_compiled(heard):
        threading.Thread(target=play, name="cardai-warming", daemon=True).start()
        told = 0
        while not over.wait(LOOK) and time.monotonic() - last < ENOUGH:
            if compiled > told:
                told = compiled
                tell(f"Compiling, once for all: kernel {told}")
        over.set()
    return compiled


def _harmless(player: str) -> str:
    """Return a player that may be asked for a hand that nobody plays: for one that starts programs, the random one."""
    return "random" if make.agent(player).may else player


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
