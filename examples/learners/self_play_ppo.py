"""Proximal policy optimisation by self-play in one file, over cardai's self-play environment.

    python examples/learners/self_play_ppo.py --game leduc --steps 1000000

One network plays all seats. Prints how exploitable it is (exactly, in games that can be enumerated) as it learns, beside the
player that knows nothing. Schulman et al. 2017 with generalised advantage estimates (2016) from a player's decision to its next;
the bonus for entropy and the step size fall to a tenth, which is what lets self-play settle down (Rudolph et al. 2026). Needs the
extra torch.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np
import torch
from torch import nn

import cardai
from cardai import solve
from cardai.core.agent import Agent

GAMMA, LAMBDA, CLIP, VALUE = 1.0, 0.95, 0.2, 0.5


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
        return logs.double().softmax(1).numpy()


def advantages(rewards: Any, values: Any, over: Any, player: Any, last: Any) -> tuple[Any, Any]:
    """Return generalised advantage estimates (T, n) of whoever acted, and which are known, (T, n) bool.

    ``rewards`` is (T, n, P), ``values``, ``over`` and ``player`` (T, n): the value to who acted, whether its step ended the hand,
    who it was; ``last`` is (who is to act behind the last step, the value to it), (n,) each. Who waits there has no value yet:
    its last decision is not known.
    """
    tables = torch.arange(values.shape[1])
    ahead, running, gained = (torch.zeros_like(rewards[0]) for _ in range(3))  # (n, P): what follows, by player
    known = torch.zeros_like(ahead, dtype=torch.bool)
    ahead[tables, last[0]], known[tables, last[0]] = last[1], True
    out, sound = torch.zeros_like(values), torch.zeros_like(values, dtype=torch.bool)
    for t in reversed(range(len(values))):
        ended = over[t]
        ahead[ended], running[ended], gained[ended], known[ended] = 0, 0, 0, True
        gained += rewards[t]
        at = tables, player[t]
        delta = gained[at] + GAMMA * ahead[at] - values[t]
        running[at] = delta + GAMMA * LAMBDA * running[at]
        out[t], sound[t] = running[at], known[at]
        ahead[at], gained[at], known[at] = values[t], 0, True
    return out, sound


def collect(network: Network, env: Any, length: int, scale: float) -> dict[str, Any]:
    """Play ``length`` steps at all tables and return the decisions (T n, ...) whose advantages are known."""
    observed, mask, player = map(torch.from_numpy, (env.observations, env.mask, env.player))  # what steps write into
    kept: dict[str, list[Any]] = {
        k: [] for k in ("observed", "mask", "player", "action", "log", "value", "reward", "over")
    }
    for _ in range(length):
        with torch.no_grad():
            logs, value = network(observed, mask)
        action = torch.multinomial(logs.exp(), 1)[:, 0]
        row = [observed.clone(), mask.clone(), player.clone(), action, logs.gather(1, action[:, None])[:, 0], value]
        rewards, over = env.step(action)
        row += [torch.from_numpy(rewards * np.float32(scale)), torch.from_numpy(over.copy())]
        for name, item in zip(kept, row, strict=True):
            kept[name].append(item)
    batch = {name: torch.stack(items) for name, items in kept.items()}
    with torch.no_grad():
        last = player, network(observed, mask)[1]
    gain, known = advantages(*(batch[name] for name in ("reward", "value", "over", "player")), last)
    batch |= {"gain": gain, "target": gain + batch["value"]}
    return {name: item[known] for name, item in batch.items() if name != "reward"}


def improve(network: Network, optimiser: Any, batch: Any, entropy_bonus: float, settings: Any) -> None:
    """Take the clipped steps of one batch."""
    for _ in range(settings.epochs):
        for part in torch.randperm(len(batch["gain"])).split(settings.minibatch):
            logs, value = network(batch["observed"][part], batch["mask"][part])
            ratio = (logs.gather(1, batch["action"][part][:, None])[:, 0] - batch["log"][part]).exp()
            a = batch["gain"][part]
            a = (a - a.mean()) / (a.std() + 1e-8)
            surrogate = torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
            entropy = -(logs.exp() * logs.clamp(min=-30)).sum(1).mean()
            loss = -surrogate + VALUE * (value - batch["target"][part]).square().mean() - entropy_bonus * entropy
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()


def main(arguments: list[str] | None = None) -> list[float]:
    """Train, and return how exploitable the network was at each measure, the first before it learned anything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--encoder", default=None, help="default: gin_compact, holdem_compact or flat")
    parser.add_argument("--steps", type=int, default=1_000_000, help="decisions, all seats counted")
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--length", type=int, default=32, help="decisions of each table between two updates")
    parser.add_argument("--minibatch", type=int, default=2048)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--entropy", type=float, default=0.2)
    parser.add_argument("--scale", type=float, default=0.1, help="by which returns are multiplied for learning")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--measures", type=int, default=4, help="how often exploitability is measured, after the first")
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args(arguments)
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    env = cardai.selfplay_env(settings.game, settings.envs, settings.encoder)
    network = Network(int(np.prod(env.layout.shape)), env.num_actions, settings.hidden)
    optimiser = torch.optim.Adam(network.parameters(), settings.rate, eps=1e-5)
    env.reset(settings.seed)
    updates, found, played, spent = max(1, settings.steps // (settings.envs * settings.length)), [], 0, 0.0
    random = solve.exploitability(env.game, cardai.agent("random"))
    sys.stdout.write(f"{settings.game}: exploitability of random play {random:.4f} {env.game.unit} a hand\n")
    for update in range(updates + 1):
        if update * settings.measures // updates > (update - 1) * settings.measures // updates:
            found.append(solve.exploitability(env.game, Learned(network, env.layout)))
            sys.stdout.write(f"{played:>12,} decisions, {spent:>6.1f} CPU seconds: exploitability {found[-1]:.4f}\n")
        began, left = time.process_time(), 1 - 0.9 * update / updates
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * left
        if update < updates:
            batch = collect(network, env, settings.length, settings.scale)
            improve(network, optimiser, batch, settings.entropy * left, settings)
            played += settings.envs * settings.length
        spent += time.process_time() - began
    return found


if __name__ == "__main__":
    main()
