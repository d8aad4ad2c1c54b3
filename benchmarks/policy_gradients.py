"""PPO's training speed beside CleanRL's loop on the same game, one thread, in one process, as a ratio.

    python benchmarks/policy_gradients.py [--seconds 20] [--game leduc] [--hidden 64] [--envs 8]

The peer is a PPO in CleanRL's manner, written here from its documentation (docs.cleanrl.dev/rl-algorithms/ppo): 8 environments
of 128 steps, 4 epochs of 4 minibatches, GAE, clipped ratio and value, two tanh networks of two layers, one Adam, on cardai's
Gymnasium vector environment; illegal actions are masked. The opponent inside is itself: the environment asks an agent that
plays the same actor, so that both programs train by self-play, and the peer learns from one seat's decisions. Ours is the preset
ppo with the same networks, epochs, minibatches and decisions an iteration. Decisions that are learned from, a CPU second. Needs gymnasium.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402 (after the number of threads is set)
import torch  # noqa: E402

import cardai  # noqa: E402
from cardai.core.agent import Agent  # noqa: E402
from cardai.core.registry import create  # noqa: E402
from cardai.learn.networks import tanh_mlp  # noqa: E402
from cardai.learn.policies import legal_softmax  # noqa: E402

torch.set_num_threads(1)
LENGTH, EPOCHS, MINIBATCHES, GAMMA, LAMBDA, CLIP, ENTROPY, VALUE, NORM = 128, 4, 4, 0.99, 0.95, 0.2, 0.01, 0.5, 0.5


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Opponent(Agent):
    """Plays the actor that is being trained."""

    def __init__(self) -> None:
        self.actor: Any = None
        self.layout: Any = None

    def policy(self, views: Any, legal: Any) -> Any:
        """Return probabilities (n, A)."""
        with torch.no_grad():
            logits = self.actor(torch.from_numpy(self.layout.encode(views).reshape(len(views), -1)))
        return legal_softmax(logits.numpy(), legal)


class Peer:
    """PPO as CleanRL's documentation describes it, on ``count`` environments."""

    def __init__(self, game: str, hidden: int, count: int) -> None:
        opponent = Opponent()
        self.envs = cardai.vector_env(game, count, opponent=opponent, autoreset_mode="SameStep")
        inputs, actions = int(np.prod(self.envs.layout.shape)), self.envs.game.num_distinct_actions
        self.actor = tanh_mlp(inputs, (hidden, hidden), actions, 0.01, 1)
        self.critic = tanh_mlp(inputs, (hidden, hidden), 1, 1.0, 2)
        opponent.actor, opponent.layout = self.actor, self.envs.layout
        self.parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimiser = torch.optim.Adam(self.parameters, 2.5e-4, eps=1e-5)
        observed, info = self.envs.reset(seed=1)
        self.now = (torch.from_numpy(observed).flatten(1), torch.from_numpy(info["action_mask"].astype(bool)))
        self.over = torch.zeros(count)

    def logs(self, observed: Any, mask: Any) -> Any:
        """Return log probabilities (n, A)."""
        return self.actor(observed).masked_fill(~mask, -1e9).log_softmax(1)

    def iterate(self) -> int:
        """Play and learn once; return the decisions that were learned from."""
        kept: list[Any] = []
        decisions = 0
        for _ in range(LENGTH):
            observed, mask = self.now
            decided = mask.any(dim=1)
            decisions += int(decided.sum())
            with torch.no_grad():
                logs, value = self.logs(observed, mask), self.critic(observed)[:, 0]
                action = torch.multinomial(logs.exp(), 1)[:, 0]
            found, reward, over, _, info = self.envs.step(action.numpy())
            log = logs.gather(1, action[:, None])[:, 0]
            kept.append((observed, mask, action, log, value, torch.from_numpy(reward).float() / 13, self.over))
            self.now = (torch.from_numpy(found).flatten(1), torch.from_numpy(info["action_mask"].astype(bool)))
            self.over = torch.from_numpy(over).float()
        parts = [torch.stack(items) for items in zip(*kept, strict=True)]
        observed, mask, action, log, value, reward, before = parts
        with torch.no_grad():
            last = self.critic(self.now[0])[:, 0]
        advantage, running = torch.zeros_like(reward), torch.zeros_like(last)
        for t in reversed(range(LENGTH)):
            going = 1 - (before[t + 1] if t + 1 < LENGTH else self.over)
            ahead = value[t + 1] if t + 1 < LENGTH else last
            running = reward[t] + GAMMA * ahead * going - value[t] + GAMMA * LAMBDA * going * running
            advantage[t] = running
        flat = (observed, mask, action, log, value, advantage, advantage + value)
        self.learn([part.flatten(0, 1) for part in flat])
        return decisions

    def learn(self, batch: list[Any]) -> None:
        """Take the clipped steps of one batch."""
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(batch[0])).chunk(MINIBATCHES):
                observed, mask, action, log, value, advantage, target = (part[rows] for part in batch)
                logs, new = self.logs(observed, mask), self.critic(observed)[:, 0]
                ratio = (logs.gather(1, action[:, None])[:, 0] - log).exp()
                gain = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                policy = torch.max(-gain * ratio, -gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                near = value + (new - value).clamp(-CLIP, CLIP)
                error = 0.5 * torch.max((new - target).square(), (near - target).square()).mean()
                entropy = -(logs.exp() * logs.clamp(min=-30)).sum(1).mean()
                loss = policy - ENTROPY * entropy + VALUE * error
                self.optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.parameters, NORM)
                self.optimiser.step()


def timed(iterate: Callable[[], int], seconds: float) -> float:
    """Return decisions a CPU second; the first tenth (kernels are compiled) is not counted."""
    begun = time.process_time()
    while time.process_time() - begun < seconds / 10:
        iterate()
    done, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        done += iterate()
    return done / (time.process_time() - begun)


def ours(game: str, hidden: int, batch: int, seconds: float) -> float:
    """Train the preset ppo with the peer's sizes."""
    same = f"hidden={hidden},layers=2,epochs={EPOCHS},minibatches={MINIBATCHES},clip={CLIP},entropy={ENTROPY}"
    spec = f"ppo:{same},batch={batch},tables={max(8, batch // 8)},measure_limit=1,eval_every=1000000"
    training = create("trainer", spec).start(cardai.game(game), None, 1)

    def iterate() -> int:
        before = int(training.counts[0])
        training.iterate()
        return int(training.counts[0]) - before

    return timed(iterate, seconds)


def main() -> None:
    """Run both and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds a program")
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--hidden", type=int, default=64, help="units of each of two hidden layers")
    parser.add_argument("--envs", type=int, nargs="+", default=[8], help="environments of the peer: a row each")
    given = parser.parse_args()
    say(f"{platform.processor() or platform.machine()}, one thread; torch {torch.__version__}; {given.game}")
    say(f"{'program':<44}{'decisions/s':>12}  ratio")
    for count in given.envs:
        theirs = timed(Peer(given.game, given.hidden, count).iterate, given.seconds)
        own = ours(given.game, given.hidden, count * LENGTH, given.seconds)
        say(f"{f'CleanRL-like PPO, {count} environments x {LENGTH}':<44}{theirs:>12,.0f}")
        say(f"{f'cardai ppo, {count * LENGTH} decisions an iteration':<44}{own:>12,.0f}  {own / theirs:.1f}")


if __name__ == "__main__":
    main()
