"""Decisions a CPU second of the learning environments, beside the peers': one process, random legal actions.

    python benchmarks/environments.py [--seconds 3] [--only leduc]

The first table has one table of ours and a peer's own, in turns (medians of slices of a twentieth of ``--seconds``), with the
same work at every decision: observation, mask of legal actions, reward; whole hands, resets counted in. In PettingZoo's form
and in OpenSpiel's ``rl_environment`` all seats are played from outside; at Gymnasium's table a random opponent moves inside,
and only the other's decisions count for us (RLCard has all its seats outside). The peers' rules differ: compare decisions,
not hands. The second table has ours in lock step, the third every seat of many tables played from outside, beside pgx (published:
907,966 decisions a CPU second of its Leduc on a CPU): its steps, resets and random actions are compiled together by JAX and run
a hundred at a time, the fastest way there is, and once more a step a call, as a learner outside of JAX would.

Needs gymnasium, pettingzoo and pyspiel. RLCard, PettingZoo's own card games (which need rlcard and pygame) and pgx are
measured where they can be imported (pip install --target DIR pgx jax, PYTHONPATH=DIR). JAX takes as many threads as the process
may have: begin this with ``taskset -c 0`` for one core.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from poker import LIMIT, Play, rates

import cardai
from cardai.core.rng import derive_many, hash_rows
from cardai.plugins.agents._random_kernels import choose

TABLES, SECONDS = 1024, 1.0
_NUMBERS = [random.Random(0).random() for _ in range(1 << 16)]


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def hands_of(hand: Callable[[Callable[[Any], Any]], int]) -> Play:
    """Return a player of hands: ``hand(pick)`` plays one and returns its decisions, ``pick(list)`` draws an entry."""
    place = 0

    def pick(legal: Any) -> Any:
        nonlocal place
        place = (place + 1) & 0xFFFF
        return legal[int(_NUMBERS[place] * len(legal))]

    def play(hands: int) -> tuple[int, int]:
        return hands, sum(hand(pick) for _ in range(hands))

    return play


def cycle(env: Any) -> Play:
    """Return a player of a PettingZoo environment, ours or theirs."""
    env.reset(seed=1)

    def hand(pick: Callable[[Any], Any]) -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(pick(observation["action_mask"].nonzero()[0].tolist()))
            decisions += 1
        return decisions

    return hands_of(hand)


def ours_cycle(game: str, encoder: str) -> Play:
    """Return a player of our PettingZoo environment."""
    from cardai.bridges import pettingzoo

    return cycle(pettingzoo.env(game, encoder=encoder))


def their_cycle(name: str) -> Play:
    """Return a player of one of PettingZoo's own environments."""
    return cycle(importlib.import_module(f"pettingzoo.classic.{name}").env())


def one(game: str, encoder: str, opponent: str = "random") -> Play:
    """Return a player of our Gymnasium environment of one table."""
    env: Any = cardai.make_env(game, encoder=encoder, opponent=opponent)
    env.reset(seed=1)

    def hand(pick: Callable[[Any], Any]) -> int:
        _, info = env.reset()
        decisions, over = 0, False
        while not over:
            _, _, over, _, info = env.step(pick(info["action_mask"].nonzero()[0].tolist()))
            decisions += 1
        return decisions

    return hands_of(hand)


def rlcard(name: str) -> Play:
    """Return a player of one of RLCard's environments."""
    env = importlib.import_module("rlcard").make(name, config={"seed": 1})

    def hand(pick: Callable[[Any], Any]) -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(pick(list(state["legal_actions"])))
            decisions += 1
        env.get_payoffs()
        return decisions

    return hands_of(hand)


def spiel(game: Any) -> Play:
    """Return a player of ``rl_environment`` over a game of OpenSpiel's, or one of ours there."""
    from open_spiel.python import rl_environment

    env = rl_environment.Environment(game)
    env.seed(1)

    def hand(pick: Callable[[Any], Any]) -> int:
        step, decisions = env.reset(), 0
        while not step.last():
            said = step.observations
            step = env.step([pick(said["legal_actions"][said["current_player"]])])
            decisions += 1
        return decisions

    return hands_of(hand)


def spiel_ours(game: str, encoder: str) -> Play:
    """Return a player of our game inside OpenSpiel."""
    return spiel(cardai.to_openspiel(game, encoder=encoder))


def spiel_theirs(name: str, **parameters: Any) -> Play:
    """Return a player of OpenSpiel's game."""
    import pyspiel

    return spiel(pyspiel.load_game(name, parameters))


Maker = Callable[[], Play]
PAIRS: tuple[tuple[str, str, str, Maker, str, Maker], ...] = (
    ("PettingZoo", "leduc", "leduc_30", lambda: ours_cycle("leduc", "leduc_30"),
     "PettingZoo leduc_holdem_v4", lambda: their_cycle("leduc_holdem_v4")),
    ("PettingZoo", "holdem_limit", "holdem_compact", lambda: ours_cycle("holdem_limit", "holdem_compact"),
     "PettingZoo texas_holdem_v4", lambda: their_cycle("texas_holdem_v4")),
    ("PettingZoo", "gin", "gin_compact", lambda: ours_cycle("gin", "gin_compact"), "", lambda: their_cycle("")),
    ("Gymnasium", "leduc", "leduc_30", lambda: one("leduc", "leduc_30"), "RLCard leduc-holdem",
     lambda: rlcard("leduc-holdem")),
    ("Gymnasium", "holdem_limit", "holdem_compact", lambda: one("holdem_limit", "holdem_compact"),
     "RLCard limit-holdem", lambda: rlcard("limit-holdem")),
    ("Gymnasium", "gin", "gin_compact", lambda: one("gin", "gin_compact"), "RLCard gin-rummy",
     lambda: rlcard("gin-rummy")),
    ("OpenSpiel", "leduc", "leduc_30", lambda: spiel_ours("leduc", "leduc_30"), "OpenSpiel leduc_poker",
     lambda: spiel_theirs("leduc_poker")),
    ("OpenSpiel", "holdem_limit", "flat", lambda: spiel_ours("holdem_limit", "flat"), "OpenSpiel universal_poker",
     lambda: spiel_theirs("universal_poker", **LIMIT)),
)  # fmt: skip
"""Form, our game, its encoder, how it is played, the peer, how that is played."""


def beside(seconds: float, only: str) -> None:
    """Print one table of ours beside the peers'."""
    say(f"{'one table':<12}{'game':<14}{'encoder':<16}{'ours':>10}{'theirs':>10}{'ratio':>8}  peer")
    for form, game, encoder, ours, peer, theirs in PAIRS:
        if only not in game:
            continue
        plays = {"ours": ours()}
        try:
            if peer:
                plays["theirs"] = theirs()
        except ImportError as error:
            peer += f": not measured ({error})"
        made = {name: hands * each for name, (hands, each) in rates(plays, seconds).items()}
        other = f"{made['theirs']:>10,.0f}{made['ours'] / made['theirs']:>8.2f}" if "theirs" in made else f"{'':18}"
        say(f"{form:<12}{game:<14}{encoder:<16}{made['ours']:>10,.0f}{other}  {peer}")


def many(game: str, encoder: str, opponent: str) -> float:
    """Return decisions a CPU second of the vector environment; steps at which a table only begins anew do not count."""
    envs = cardai.vector_env(game, TABLES, encoder=encoder, opponent=opponent)
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=1)

    def step(infos: Any) -> tuple[int, Any]:
        mask = infos["action_mask"]
        actions = (rng.random(mask.shape, np.float32) * mask).argmax(axis=1)
        decided = int(np.count_nonzero(mask.any(axis=1)))
        return decided, envs.step(actions)[4]

    for _ in range(20):
        _, infos = step(infos)
    count, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        decided, infos = step(infos)
        count += decided
    return count / (time.process_time() - began)


CASES = (("leduc", "leduc_30", "random"), ("leduc", "flat", "random"), ("gin", "gin_compact", "random"),
         ("gin", "gin_compact", "simple"), ("holdem_limit", "holdem_compact", "random"))  # fmt: skip


def lock_step(seconds: float, only: str) -> None:
    """Print ours with many tables, and with one, by opponent."""
    say(f"\n{'game':<14}{'encoder':<16}{'opponent':<10}{f'{TABLES} tables':>14}{'one table':>12}")
    for game, encoder, opponent in CASES:
        if only in game:
            hands, each = rates({"ours": one(game, encoder, opponent)}, seconds)["ours"]
            say(f"{game:<14}{encoder:<16}{opponent:<10}{many(game, encoder, opponent):>14,.0f}{hands * each:>12,.0f}")


def self_play(game: str, encoder: str, tables: int) -> Play:
    """Return a player of our self-play environment; what it plays are steps, of a decision at each table."""
    env = cardai.selfplay_env(game, tables, encoder)
    env.reset(1)
    seeds, actions = derive_many(1, "picked", count=tables), np.zeros(tables, np.int64)

    def play(steps: int) -> tuple[int, int]:
        nonlocal seeds
        for _ in range(steps):
            seeds = hash_rows(seeds, 0)
            choose(env.mask, seeds, actions)
            env.step(actions)
        return steps, steps * tables

    return play


def pgx(name: str, tables: int, together: int) -> Play:
    """Return a player of one of pgx's environments, ``together`` steps a compiled call."""
    jax: Any = importlib.import_module("jax")
    peer: Any = importlib.import_module("pgx")
    again: Any = importlib.import_module("pgx.experimental.wrappers").auto_reset
    env = peer.make(name)
    step = jax.vmap(again(env.step, env.init))

    def one_step(carry: Any, _: Any) -> Any:
        state, key = carry
        key, mine, theirs = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        state = step(state, jax.random.categorical(mine, logits, axis=1), jax.random.split(theirs, tables))
        return (state, key), (state.observation.sum(), state.rewards.sum())  # so that both are made

    run = jax.jit(lambda carry: jax.lax.scan(one_step, carry, None, length=together))
    begin = jax.jit(jax.vmap(env.init))
    carry = begin(jax.random.split(jax.random.PRNGKey(0), tables)), jax.random.PRNGKey(1)

    def play(steps: int) -> tuple[int, int]:
        nonlocal carry
        calls = max(1, steps // together)
        for _ in range(calls):
            carry, seen = run(carry)
            jax.block_until_ready(seen)
        return calls * together, calls * together * tables

    return play


EVERY_SEAT = (("leduc", "leduc_30", "leduc_holdem"), ("leduc", "flat", ""), ("holdem_limit", "holdem_compact", ""),
              ("gin", "gin_compact", ""))  # fmt: skip


def every_seat(seconds: float, only: str) -> None:
    """Print ours with every seat outside, beside pgx."""
    say(
        f"\n{'every seat':<14}{'encoder':<16}{f'{TABLES} tables':>14}{'4096 tables':>14}{'pgx':>12}{'a step a call':>15}"
    )
    for game, encoder, peer in EVERY_SEAT:
        if only not in game:
            continue
        plays = {str(tables): self_play(game, encoder, tables) for tables in (TABLES, 4096)}
        try:
            if peer:
                plays |= {"pgx": pgx(peer, TABLES, 100), "a step a call": pgx(peer, TABLES, 1)}
        except ImportError as error:
            say(f"pgx is not measured ({error})")
        made = {name: steps * each for name, (steps, each) in rates(plays, seconds).items()}
        ours, theirs = [f"{made[str(tables)]:>14,.0f}" for tables in (TABLES, 4096)], ""
        if "pgx" in made:
            theirs = f"{made['pgx']:>12,.0f}{made['a step a call']:>15,.0f}"
        say(f"{game:<14}{encoder:<16}{''.join(ours)}{theirs}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--only", default="", help="measure only games with this text in the name")
    options = parser.parse_args()
    say(f"decisions a CPU second, one process on one of {os.cpu_count()} CPUs")
    beside(options.seconds, options.only)
    lock_step(options.seconds, options.only)
    every_seat(options.seconds, options.only)


if __name__ == "__main__":
    main()
