"""Random poker hands a CPU second, beside OpenSpiel (and RLCard) in one process, one thread.

    python benchmarks/poker.py [--seconds 3] [--batch 4096]
    python benchmarks/poker.py --variants [--seconds 3]

Ours: tables in lock step with the ``random`` agent, which is given views and legal actions at every decision, as in any
match. OpenSpiel: its C++ states driven from Python in the fastest way we know: ``legal_actions`` and a list of random
numbers drawn beforehand, chance uniform over its legal outcomes, no observation asked for.

``--variants`` measures short deck and Omaha beside hold'em with the same bets instead, in turns.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from cardai import make
from cardai.core import registry
from cardai.core.rng import Rows, derive_many, hash_rows

Play = Callable[[int], tuple[int, int]]
"""Plays about so many hands; returns (hands, decisions)."""


def ours(spec: str, batch: int) -> Play:
    """Return a player of random hands of our game ``spec`` in lock step."""
    game = registry.create("game", spec)
    agent = make.agent("random").for_game(game)

    def play(hands: int) -> tuple[int, int]:
        tables = game.tables(batch)
        streams = derive_many(1, "streams", count=batch)
        tables.reset(derive_many(1, "decks", count=batch))
        done = decisions = step = 0
        while done < hands:
            over = np.flatnonzero(tables.current_players() == -4)
            if len(over):
                tables.returns(over)
                done += len(over)
                tables.reset(hash_rows(streams[over], step), None, over)
            current = tables.current_players()
            for seat in range(game.num_players):
                rows = np.flatnonzero(current == seat)
                if not len(rows):
                    continue
                legal, views = tables.legal(rows), tables.views(seat, rows)
                actions = agent.act(views, legal, Rows(hash_rows(streams[rows], step)))
                tables.apply_checked(rows, actions)
                decisions += len(rows)
            step += 1
        return done, decisions

    return play


def open_spiel(name: str, parameters: dict[str, Any]) -> Play:
    """Return a player of random hands in OpenSpiel."""
    game = pyspiel.load_game(name, parameters)
    rng = random.Random(0)
    numbers = [rng.random() for _ in range(1 << 16)]

    def play(hands: int) -> tuple[int, int]:
        k = decisions = 0
        for _ in range(hands):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                k = (k + 1) & 0xFFFF
                decisions += not state.is_chance_node()
                state.apply_action(legal[int(numbers[k] * len(legal))])
            state.returns()
        return hands, decisions

    return play


def rlcard(name: str) -> Play:
    """Return a player of random hands in RLCard."""
    import rlcard as peer

    env = peer.make(name, config={"seed": 1})
    rng = random.Random(0)

    def play(hands: int) -> tuple[int, int]:
        decisions = 0
        for _ in range(hands):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                decisions += 1
            env.get_payoffs()
        return hands, decisions

    return play


def rates(plays: dict[str, Play], seconds: float) -> dict[str, tuple[float, float]]:
    """Return each engine's (hands a CPU second, decisions a hand).

    The engines take turns in slices of a twentieth of ``seconds``, so that they meet the same load on the machine; the
    rate is that of the median slice.
    """
    slices: dict[str, list[tuple[float, float]]] = {name: [] for name in plays}  # (hands a second, decisions a hand)
    sizes = dict.fromkeys(plays, 200)
    spent = 0.0
    for play in plays.values():
        play(50)
    while spent < seconds * len(plays):
        for name, play in plays.items():
            start = time.process_time()
            hands, decisions = play(sizes[name])
            took = time.process_time() - start
            spent += took
            if took > seconds / 80:  # not while the sizes of slices are being found
                slices[name].append((hands / took, decisions / hands))
            sizes[name] = max(200, int(hands / max(took, 1e-3) * seconds / 20))
    return {
        name: (float(np.median([r for r, _ in s])), float(np.mean([d for _, d in s]))) for name, s in slices.items()
    }


_HOLDEM = {
    "numRounds": 4,
    "numHoleCards": 2,
    "numBoardCards": "0 3 1 1",
    "numSuits": 4,
    "numRanks": 13,
    "firstPlayer": "2 1 1 1",
}
LIMIT = {**_HOLDEM, "betting": "limit", "blind": "10 5", "raiseSize": "10 10 20 20", "maxRaises": "3 4 4 4"}
FCPA = {**_HOLDEM, "betting": "nolimit", "blind": "100 50", "stack": "20000 20000", "bettingAbstraction": "fcpa"}

GAMES: dict[str, tuple[str, dict[str, Play]]] = {
    "limit hold'em": ("holdem_limit", {"OpenSpiel": open_spiel("universal_poker", LIMIT)}),
    "no-limit hold'em, fcpa": ("holdem_fcpa", {"OpenSpiel": open_spiel("universal_poker", FCPA)}),
    "no-limit hold'em, all amounts": (
        "holdem_nolimit",
        {"OpenSpiel (fcpa)": open_spiel("universal_poker", FCPA)},  # listing 20,000 amounts, it plays far fewer
    ),
    "Leduc": ("leduc", {"OpenSpiel": open_spiel("leduc_poker", {})}),
}


VARIANTS: dict[str, tuple[str, ...]] = {
    "holdem_nolimit": ("short_deck", "omaha:pot_limit=false", "plo", "plo5", "plo6"),
    "holdem_fcpa": ("short_deck:bets=pot+allin", "omaha:pot_limit=false,bets=pot+allin"),
    "holdem_nolimit:players=6": (
        "short_deck:players=6",
        "omaha:players=6,pot_limit=false",
        "omaha:players=6,pot_limit=false,hole_cards=6",
        "plo:players=6",
        "plo6:players=6",
    ),
}
"""Hold'em, and the games that are measured beside it. Pot-limit hands of random play have more than twice the decisions."""


def compare_variants(batch: int, seconds: float, only: str) -> None:
    """Print the hands a CPU second of hold'em's relatives as shares of hold'em's."""
    print(f"{'game':40} {'hands/s':>10} {'decisions/hand':>15} {'of holdem':>10}")
    for holdem, others in VARIANTS.items():
        wanted = [spec for spec in others if only in spec]
        measured = rates({spec: ours(spec, batch) for spec in (holdem, *wanted)}, seconds) if wanted else {}
        for spec, (hands, per_hand) in measured.items():
            print(f"{spec:40} {hands:10.0f} {per_hand:15.2f} {hands / measured[holdem][0]:10.2f}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--only", default="", help="measure only games with this text in the name")
    parser.add_argument("--rlcard", action="store_true", help="also measure RLCard")
    parser.add_argument("--variants", action="store_true", help="measure short deck and Omaha beside hold'em")
    options = parser.parse_args()
    if options.variants:
        compare_variants(options.batch, options.seconds, options.only)
        return
    print(f"random hands, {options.batch} tables in lock step, one thread of {os.cpu_count()} CPUs, CPU time")
    print(f"{'game':32} {'engine':18} {'hands/s':>10} {'decisions/hand':>15} {'ratio':>6}")
    for name, (spec, peers) in GAMES.items():
        if options.only not in name:
            continue
        if options.rlcard:
            peer = {"Leduc": "leduc-holdem", "limit hold'em": "limit-holdem"}.get(name, "no-limit-holdem")
            peers = {**peers, "RLCard": rlcard(peer)}
        measured = rates({"cardai": ours(spec, options.batch), **peers}, options.seconds)
        mine = measured["cardai"][0]
        for engine, (hands, per_hand) in measured.items():
            ratio = "" if engine == "cardai" else f"{mine / hands:6.1f}"
            label = name if engine == "cardai" else ""
            print(f"{label:32} {engine:18} {hands:10.0f} {per_hand:15.2f} {ratio:>6}", flush=True)


if __name__ == "__main__":
    main()
