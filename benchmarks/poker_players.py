"""The reference players of limit hold'em against one another: exact values where players are card-blind, and samples.

    python benchmarks/poker_players.py [--games 40000] [--skip-hand-players]

A player whose actions do not depend on its cards wins nothing on average at showdown, so its value against another such
player is a sum over all betting sequences; it is printed beside what duplicate decks give with their 95 % interval. Then
the players that look at their cards, as shares of the most that anybody can win from each card-blind one (exact best
responses: Johanson et al., IJCAI 2011, and for the uniform and the mixed player by the same method).
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np

from cardai import make
from cardai.arena import match
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.game import Setup, State

GAME = "holdem_limit"
CARD_BLIND = ("always_call", "always_raise", "always_fold", "random", "acpc_mix")
CEILINGS = {"always_call": 1163.48, "always_raise": 3697.69, "acpc_mix": 2491.79, "random": 3466.32}
BIG_BLIND = 10


def exact(one: str, other: str) -> float:
    """Return what card-blind ``one`` wins of ``other`` in mbb a hand, the mean of both seats."""
    game = registry.create("game", GAME)
    agents = [make.agent(name).for_game(game) for name in (one, other)]
    total = 0.0
    for button in (0, 1):
        total += _value(game.new_initial_state(Setup(starter=button)), agents)
    return total / 2 * 1000 / BIG_BLIND


def _value(state: State, agents: list[Agent]) -> float:
    """Return seat 0's expected chips, showdowns counting nothing; the cards dealt do not matter."""
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    if state.is_terminal():
        return 0.0 if state.outcome()["showdown"] else state.returns()[0]
    mask = np.zeros((1, 3), bool)
    mask[0, state.legal_actions()] = True
    chances = agents[state.current_player()].policy(np.zeros(1), mask)[0]
    value = 0.0
    for action in np.flatnonzero(chances):
        child = state.clone()
        child.apply_action(int(action))
        value += float(chances[action]) * _value(child, agents)
    return value


def sampled(one: str, other: str, games: int, seed: int, game: str = GAME) -> tuple[float, float]:
    """Return (mean, half of the 95 % interval) of ``one`` in mbb a hand over ``games`` games on duplicate decks."""
    result = match.play(game, [one, other], games=games, seed=seed)
    estimate = result.mean_return(0).scaled(1000 / result.game.big_blind)
    return estimate.mean, estimate.half_width


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip-hand-players", action="store_true", help="only the card-blind players")
    options = parser.parse_args()
    start = time.process_time()
    print(f"mbb a hand, heads-up limit hold'em, {options.games} games on duplicate decks, one thread")
    for one, other in itertools.combinations(CARD_BLIND, 2):
        truth = exact(one, other)
        mean, half = sampled(one, other, options.games, options.seed)
        inside = "inside" if abs(mean - truth) <= half + 1e-9 else "OUTSIDE"
        print(f"{one:14} v {other:14} exact {truth:+9.2f}   sampled {mean:+9.2f} ± {half:6.2f}  {inside}", flush=True)
    if not options.skip_hand_players:
        for one in ("threshold", "holdem_heuristic"):
            for other, ceiling in CEILINGS.items():
                mean, half = sampled(one, other, options.games // 4, options.seed)
                print(
                    f"{one:16} v {other:12} {mean:+9.2f} ± {half:6.2f}   {mean / ceiling:6.1%} of {ceiling}", flush=True
                )
        for other in ("random_refold", "always_call"):
            mean, half = sampled("holdem_heuristic", other, options.games // 4, options.seed, "poker_cnn_limit")
            print(
                f"holdem_heuristic v {other}, Poker-CNN's game: {mean / 10:+.1f} ± {half / 10:.1f} chips a hand",
                flush=True,
            )
    print(f"{time.process_time() - start:.0f} CPU seconds")


if __name__ == "__main__":
    main()
