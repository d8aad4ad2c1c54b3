"""Speed of gin rummy beside OpenSpiel's, in one process on one thread: python benchmarks/gin.py [--games N].

CPU time (process_time) of whole matches through the ordinary match runner. Each figure is the best of several runs,
since other processes on the machine only ever slow one down.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardai.arena import match

ROUNDS = 5


def cpu_model() -> str:
    """Return the processor's name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def best_rate(run: Callable[[], int]) -> float:
    """Return the best rate of several runs; ``run`` returns how many things it did."""
    run()
    best = 0.0
    for _ in range(ROUNDS):
        start = time.process_time()
        done = run()
        best = max(best, done / (time.process_time() - start))
    return best


def ours(first: str, second: str, games: int) -> tuple[float, float]:
    """Return our games and hands a CPU second."""
    hands = 0

    def run() -> int:
        nonlocal hands
        hands = len(match.play("gin", [first, second], games=games, seed=1).hands)
        return games

    rate = best_rate(run)
    return rate, rate * hands / games


def our_random_decisions() -> float:
    """Return our decisions of random legal play a CPU second, counted by the game itself."""
    from cardai.core.rows import RowTables

    decisions = 0
    apply = RowTables.apply_checked

    def counted(self: Any, rows: Any, actions: Any) -> None:
        nonlocal decisions
        decisions += len(rows)
        apply(self, rows, actions)

    def run() -> int:
        nonlocal decisions
        decisions = 0
        match.play("gin:target=1", ["random", "random"], games=4096, seed=1)
        return decisions

    RowTables.apply_checked = counted  # type: ignore[method-assign]
    try:
        return best_rate(run)
    finally:
        RowTables.apply_checked = apply  # type: ignore[method-assign]


def peer_hands(count: int, simple: bool) -> tuple[float, float]:
    """Return OpenSpiel's hands and decisions a CPU second: its simple bot against itself, or random legal play."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    bots = [pyspiel.make_simple_gin_rummy_bot(game.get_parameters(), player) for player in range(2)]
    rng = random.Random(1)
    decisions = 0

    def run() -> int:
        nonlocal decisions
        decisions = 0
        for _ in range(count):
            state = game.new_initial_state()
            for bot in bots:
                bot.restart()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(rng.choice(state.legal_actions()))
                elif simple:
                    decisions += 1
                    state.apply_action(bots[state.current_player()].step(state))
                else:
                    decisions += 1
                    state.apply_action(rng.choice(state.legal_actions()))
        return count

    rate = best_rate(run)
    return rate, rate * decisions / count


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=8000, help="games a run of ours")
    given = parser.parse_args()
    print(f"{cpu_model()}, {os.cpu_count()} cores seen, one thread used; CPU time, best of {ROUNDS}")
    simple, simple_hands = ours("simple", "simple", given.games)
    heisenbot, _ = ours("heisenbot", "simple", given.games)
    decisions = our_random_decisions()
    bot_hands, _ = peer_hands(300, simple=True)
    _, peer_decisions = peer_hands(100, simple=False)
    print(f"simple - simple, games to 100     {simple:>12,.0f} /s  ({simple_hands:,.0f} hands/s)")
    print(f"heisenbot - simple, games to 100  {heisenbot:>12,.0f} /s")
    print(
        f"OpenSpiel's simple bot            {bot_hands:>12,.0f} hands/s;  ours is {simple_hands / bot_hands:.0f} times as fast"
    )
    print(
        f"random legal play                 {decisions:>12,.0f} decisions/s;  OpenSpiel {peer_decisions:,.0f}, "
        f"ours is {decisions / peer_decisions:.0f} times as fast"
    )


if __name__ == "__main__":
    main()
