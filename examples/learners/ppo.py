"""Proximal policy optimisation in one file, over cardai's vector environment.

    python examples/learners/ppo.py --game leduc --opponents random always_call

Learns against each opponent in turn and then plays it in the arena: duplicate deals, 95% intervals. Schulman et al. 2017 with
generalised advantage estimates (2016); illegal actions get probability 0. Needs the extras gym and torch.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn

import cardai
from cardai.core.agent import Agent

GAMMA, LAMBDA, CLIP, ENTROPY, VALUE = 1.0, 0.95, 0.2, 0.01, 0.5


class Network(nn.Module):
    """Logits of actions and a value, from one observation."""

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)

    def forward(self, observed: Any, mask: Any) -> tuple[Any, Any]:
        """Return log probabilities (n, A), -inf-like where illegal, and values (n,)."""
        body = self.body(observed.flatten(1))
        logits = self.policy(body).masked_fill(~mask, -1e9)
        return logits.log_softmax(1), self.value(body)[:, 0]


class Learned(Agent):
    """The network as a player of the arena."""

    def __init__(self, network: Network, layout: Any) -> None:
        self.network, self.layout = network, layout

    def policy(self, views: Any, legal: Any) -> Any:
        """Return probabilities (n, A)."""
        with torch.no_grad():
            logs, _ = self.network(torch.from_numpy(self.layout.encode(views)), torch.from_numpy(legal))
        return logs.double().exp().numpy()


def advantages(rewards: Any, values: Any, over: Any, last: Any) -> Any:
    """Return generalised advantage estimates (T, n); an episode that is over has no value behind it."""
    out, running = torch.zeros_like(rewards), torch.zeros_like(last)
    for t in reversed(range(len(rewards))):
        ahead = values[t + 1] if t + 1 < len(rewards) else last
        going = 1 - over[t]
        running = rewards[t] + GAMMA * ahead * going - values[t] + GAMMA * LAMBDA * going * running
        out[t] = running
    return out


def learn(network: Network, envs: Any, steps: int, settings: Any) -> None:
    """Train ``network`` for ``steps`` decisions."""
    optimiser = torch.optim.Adam(network.parameters(), settings.rate, eps=1e-5)
    n, length = envs.num_envs, settings.length
    observed, info = envs.reset(seed=settings.seed)
    mask = info["action_mask"]
    for update in range(steps // (n * length)):
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * (1 - update * n * length / steps)
        kept: dict[str, list[Any]] = {k: [] for k in ("observed", "mask", "action", "log", "value", "reward", "over")}
        for _ in range(length):
            x, legal = torch.from_numpy(observed), torch.from_numpy(mask.astype(bool))
            with torch.no_grad():
                logs, value = network(x, legal)
            action = torch.multinomial(logs.exp(), 1)[:, 0]
            observed, reward, over, _, info = envs.step(action.numpy())
            mask = info["action_mask"]
            row = (x, legal, action, logs.gather(1, action[:, None])[:, 0], value)
            row += (torch.from_numpy(reward * settings.scale).float(), torch.from_numpy(over).float())
            for name, item in zip(kept, row, strict=True):
                kept[name].append(item)
        batch = {name: torch.stack(items) for name, items in kept.items()}
        with torch.no_grad():
            last = network(torch.from_numpy(observed), torch.from_numpy(mask.astype(bool)))[1]
        gain = advantages(batch["reward"], batch["value"], batch["over"], last)
        flat = {name: item.flatten(0, 1) for name, item in batch.items()}
        improve(network, optimiser, flat, gain.flatten(), (gain + batch["value"]).flatten(), settings)


def improve(network: Network, optimiser: Any, batch: Any, gain: Any, target: Any, settings: Any) -> None:
    """Take the clipped steps of one batch."""
    for _ in range(settings.epochs):
        for part in torch.randperm(len(gain)).split(settings.minibatch):
            logs, value = network(batch["observed"][part], batch["mask"][part])
            chosen = logs.gather(1, batch["action"][part][:, None])[:, 0]
            ratio = (chosen - batch["log"][part]).exp()
            a = (gain[part] - gain[part].mean()) / (gain[part].std() + 1e-8)
            surrogate = torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            entropy = -(logs.exp() * logs.clamp(min=-30)).sum(1).mean()
            loss = -surrogate + VALUE * (value - target[part]).square().mean() - ENTROPY * entropy
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()


def main(arguments: list[str] | None = None) -> list[float]:
    """Train against each opponent, play it, and return the mean returns a hand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--encoder", default=None, help="default: gin_compact, holdem_compact or flat")
    parser.add_argument("--opponents", nargs="+", default=["random", "always_call"])
    parser.add_argument("--steps", type=int, default=200_000, help="decisions against each opponent")
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--length", type=int, default=16, help="decisions of each table between two updates")
    parser.add_argument("--minibatch", type=int, default=1024)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--scale", type=float, default=0.1, help="by which returns are multiplied for learning")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--games", type=int, default=20_000, help="games that are played at the end")
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args(arguments)
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    found = []
    for opponent in settings.opponents:
        mode = AutoresetMode.SAME_STEP
        envs = cardai.vector_env(settings.game, settings.envs, None, opponent, settings.encoder, autoreset_mode=mode)
        network = Network(int(np.prod(envs.layout.shape)), envs.game.num_distinct_actions, settings.hidden)
        began = time.process_time()
        learn(network, envs, settings.steps, settings)
        seconds = time.process_time() - began
        result = cardai.play(
            envs.game, [Learned(network, envs.layout), opponent], settings.games, seed=settings.seed + 1
        )
        mean = result.mean_return(0)
        found.append(mean.mean)
        sys.stdout.write(
            f"{settings.game}, {settings.steps:,} decisions against {opponent} in {seconds:.0f} CPU seconds: "
            f"{mean.mean:+.3f} ± {mean.half_width:.3f} {envs.game.unit} a hand\n"
        )
    return found


if __name__ == "__main__":
    main()
