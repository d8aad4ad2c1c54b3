"""NFSP's training speed on Leduc beside OpenSpiel's (PyTorch) and RLCard's, one thread, in one process, as ratios.

    python benchmarks/nfsp.py [--seconds 20] [--units 64]

A step is one player's action. Peers train with their own settings (OpenSpiel's example: a learning step every 64 agent
steps; RLCard: after every step) on networks of the same size, and the minibatch rows that they learn from are counted;
ours then runs with as many rows a step, by the number of tables, and as the preset nfsp_leduc_best. CPU seconds.
Needs open_spiel, dm-tree and rlcard: pip install -c constraints.txt '.[dev]'.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import torch  # noqa: E402 (after the number of threads is set)

import cardai  # noqa: E402
from cardai.core.registry import create  # noqa: E402

torch.set_num_threads(1)
UPDATED = 4 * 2  # minibatches of ours an iteration: four networks, two each


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Counter:
    """Counts the minibatch rows that wrapped learning functions have used (a call that returns None learnt nothing)."""

    def __init__(self) -> None:
        self.rows = 0

    def wrap(self, owner: Any, name: str, rows: int) -> None:
        """Count ``rows`` for each call of ``owner.name`` that learns."""
        inner = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            result = inner(*arguments, **named)
            self.rows += rows if result is not None else 0
            return result

        setattr(owner, name, counted)


def timed(play: Callable[[], int], counter: Counter, seconds: float) -> tuple[float, float]:
    """Return steps a CPU second and minibatch rows a step; the first tenth (memories filling) is not counted."""
    begun = time.process_time()
    while time.process_time() - begun < seconds / 10:
        play()
    counter.rows, steps, begun = 0, 0, time.process_time()
    while time.process_time() - begun < seconds:
        steps += play()
    return steps / (time.process_time() - begun), counter.rows / steps


def openspiel(units: int, seconds: float) -> tuple[float, float]:
    """Train OpenSpiel's NFSP as its example does, with ``units`` hidden units."""
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import nfsp

    env = rl_environment.Environment("leduc_poker")
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    settings = {"replay_buffer_capacity": 200_000, "epsilon_decay_duration": 20_000_000, "epsilon_start": 0.06}
    settings |= {"epsilon_end": 0.001, "update_target_network_every": 19_200}
    agents = [nfsp.NFSP(seat, size, actions, [units], 2_000_000, 0.1, **settings) for seat in range(2)]
    counter = Counter()
    for agent in agents:
        counter.wrap(agent, "_learn", 128)
        counter.wrap(agent._rl_agent, "learn", 128)

    def play() -> int:
        steps, now = 0, env.reset()
        while not now.last():
            output = agents[now.observations["current_player"]].step(now)
            now = env.step([output.action])
            steps += 1
        for agent in agents:
            agent.step(now)
        return steps

    return timed(play, counter, seconds)


def rlcard(units: int, seconds: float) -> tuple[float, float]:
    """Train RLCard's NFSP with its defaults, with ``units`` hidden units."""
    import rlcard as peer
    from rlcard.agents import NFSPAgent
    from rlcard.utils import reorganize

    env = peer.make("leduc-holdem", config={"seed": 0})
    agents = [
        NFSPAgent(
            num_actions=env.num_actions,
            state_shape=env.state_shape[seat],
            hidden_layers_sizes=[units],
            q_mlp_layers=[units],
            device=torch.device("cpu"),
        )
        for seat in range(2)
    ]
    env.set_agents(agents)
    counter = Counter()
    for agent in agents:
        counter.wrap(agent, "train_sl", 256)
        inner = agent._rl_agent.train

        def train(inner: Callable[[], Any] = inner) -> None:
            inner()
            counter.rows += 32

        agent._rl_agent.train = train

    def play() -> int:
        for agent in agents:
            agent.sample_episode_policy()
        with contextlib.redirect_stdout(io.StringIO()):
            trajectories, payoffs = env.run(is_training=True)
            trajectories = reorganize(trajectories, payoffs)
            for agent, trajectory in zip(agents, trajectories, strict=True):
                for transition in trajectory:
                    agent.feed(transition)
        return sum(len(trajectory) for trajectory in trajectories)

    return timed(play, counter, seconds)


def ours(spec: str, seconds: float) -> tuple[float, float]:
    """Train ours."""
    trainer = create("trainer", spec)
    training = trainer.start(cardai.game("leduc"), cardai.encoder("leduc_30"), 0)
    density = UPDATED * trainer.batch * trainer.updates / 2 / trainer.tables

    def play() -> int:
        for _ in training.train(20):
            pass
        return 20 * trainer.tables

    counter = Counter()
    speed, _ = timed(play, counter, seconds)
    return speed, density


def main() -> None:
    """Run all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds a program")
    parser.add_argument("--units", type=int, default=64, help="hidden units")
    given = parser.parse_args()
    say(f"{platform.processor() or platform.machine()}, one thread; torch {torch.__version__}")
    peers = {}
    for name, package, run in (("OpenSpiel", "open_spiel", openspiel), ("RLCard", "rlcard", rlcard)):
        try:
            say(f"training {name} {version(package)} ...")
            peers[name] = run(given.units, given.seconds)
        except (ImportError, PackageNotFoundError) as error:
            say(f"{name} cannot be measured: {error}")
    lines = []
    for name, (speed, density) in peers.items():
        lines.append((name, speed, density, ""))
        tables = max(1, round(UPDATED * 128 / density))
        spec = f"nfsp:hidden={given.units},tables={tables},eval_every=1000000"
        speed_ours, density_ours = ours(spec, given.seconds / 2)
        lines.append((f"cardai, {tables} tables", speed_ours, density_ours, f"{speed_ours / speed:.1f} x {name}"))
    if "OpenSpiel" in peers:
        fast, density = ours(f"nfsp_leduc_best:hidden={given.units},eval_every=1000000", given.seconds / 2)
        lines.append(("cardai nfsp_leduc_best", fast, density, f"{fast / peers['OpenSpiel'][0]:.1f} x OpenSpiel"))
    say(f"{'program':<32}{'steps/s':>12}{'rows/step':>12}  ratio")
    for name, speed, density, ratio in lines:
        say(f"{name:<32}{speed:>12,.0f}{density:>12.2f}  {ratio}")


if __name__ == "__main__":
    main()
