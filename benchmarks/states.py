"""Random hands through State, one at a time, beside OpenSpiel's states driven from Python: decisions a CPU second.

    python benchmarks/states.py [--seconds 2] [--only leduc]

One and the same loop plays both: ``is_terminal``, ``legal_actions`` (at a chance node: the outcomes), ``apply_action``
with a number drawn beforehand, ``returns`` at the end. Making the hand and dealing its cards count in the cost of a
decision. The ratio is ours to theirs.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable
from typing import Any

import pyspiel
from poker import FCPA, LIMIT, Play, rates

import cardai

PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "leduc": ("leduc_poker", {}),
    "holdem_limit": ("universal_poker", LIMIT),
    "holdem_fcpa": ("universal_poker", FCPA),
    "gin": ("gin_rummy", {}),
}


def random_hands(start: Callable[[], Any]) -> Play:
    """Return a player of random hands of the states that ``start`` makes."""
    rng = random.Random(0)
    numbers = [rng.random() for _ in range(1 << 16)]

    def play(hands: int) -> tuple[int, int]:
        k = decisions = 0
        for _ in range(hands):
            state = start()
            while not state.is_terminal():
                legal = state.legal_actions()
                k = (k + 1) & 0xFFFF
                decisions += not state.is_chance_node()
                state.apply_action(legal[int(numbers[k] * len(legal))])
            state.returns()
        return hands, decisions

    return play


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", default="", help="measure only games with this text in the name")
    options = parser.parse_args()
    print(f"random hands through State, one at a time, one thread of {os.cpu_count()} CPUs, CPU time")
    print(f"{'game':14} {'engine':9} {'decisions/s':>12} {'us/decision':>12} {'decisions/hand':>15} {'ratio':>6}")
    for name, (peer, parameters) in PEERS.items():
        if options.only not in name:
            continue
        plays = {
            "cardai": random_hands(cardai.game(name).new_initial_state),
            "OpenSpiel": random_hands(pyspiel.load_game(peer, parameters).new_initial_state),
        }
        measured = rates(plays, options.seconds)
        decisions = {engine: hands * per_hand for engine, (hands, per_hand) in measured.items()}
        for engine, (_, per_hand) in measured.items():
            rate = decisions[engine]
            ratio = "" if engine == "OpenSpiel" else f"{rate / decisions['OpenSpiel']:6.2f}"
            print(f"{name:14} {engine:9} {rate:12,.0f} {1e6 / rate:12.2f} {per_hand:15.2f} {ratio:>6}", flush=True)


if __name__ == "__main__":
    main()
