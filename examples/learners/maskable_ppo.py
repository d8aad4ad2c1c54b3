"""MaskablePPO of sb3-contrib over cardai's vector environment.

    pip install sb3-contrib
    python examples/learners/maskable_ppo.py --game leduc --opponents random always_call

Stable-Baselines3 has a vector environment of its own: :class:`Tables` hands cardai's to it, all tables at once. Learns against
each opponent in turn and then plays it in the arena: duplicate deals, 95% intervals.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

import cardai
from cardai.core.agent import Agent


class Tables(VecEnv):
    """A cardai vector environment (autoreset in the same step) as Stable-Baselines3 has them."""

    def __init__(self, envs: Any, scale: float) -> None:
        self.envs, self.scale, self.render_mode = envs, scale, None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        """Begin all episodes."""
        return self.envs.reset(seed=self._seeds[0])[0]

    def step_async(self, actions: Any) -> None:
        """Keep the actions."""
        self.actions = actions

    def step_wait(self) -> Any:
        """Play them."""
        observed, rewards, over, _, info = self.envs.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(over):
            infos[row] = {"terminal_observation": info["final_obs"][row], "TimeLimit.truncated": False}
        return observed, (rewards * self.scale).astype(np.float32), over, infos

    def close(self) -> None:
        """Close the tables."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once a table."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: tables have no attributes of their own."""
        raise AttributeError(attr_name)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Return what each table answers: its legal actions are all that is asked."""
        if method_name != "action_masks":
            raise AttributeError(method_name)
        return list(self.envs.action_masks())

    def has_attr(self, attr_name: str) -> bool:
        """Say that tables have masks."""
        return attr_name == "action_masks"

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:
        """Say that no table is wrapped."""
        return [False] * self.num_envs


class Learned(Agent):
    """A trained model as a player of the arena."""

    def __init__(self, model: Any, layout: Any) -> None:
        self.model, self.layout = model, layout

    def policy(self, views: Any, legal: Any) -> Any:
        """Return probabilities (n, A)."""
        with torch.no_grad():
            observed = torch.from_numpy(self.layout.encode(views))
            found = self.model.policy.get_distribution(observed, action_masks=legal).distribution.probs
        return found.double().numpy()


def main(arguments: list[str] | None = None) -> list[float]:
    """Train against each opponent, play it, and return the mean returns a hand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--encoder", default=None, help="default: gin_compact, holdem_compact or flat")
    parser.add_argument("--opponents", nargs="+", default=["random", "always_call"])
    parser.add_argument("--steps", type=int, default=200_000, help="decisions against each opponent")
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--length", type=int, default=16)
    parser.add_argument("--scale", type=float, default=0.1, help="by which returns are multiplied for learning")
    parser.add_argument("--games", type=int, default=20_000, help="games that are played at the end")
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args(arguments)
    torch.set_num_threads(1)
    found = []
    for opponent in settings.opponents:
        mode = AutoresetMode.SAME_STEP
        envs = cardai.vector_env(settings.game, settings.envs, None, opponent, settings.encoder, autoreset_mode=mode)
        sizes = {"n_steps": settings.length, "batch_size": 1024, "n_epochs": 4}
        rates = {"learning_rate": 1e-3, "gamma": 1.0, "ent_coef": 0.01, "seed": settings.seed, "device": "cpu"}
        model = MaskablePPO("MlpPolicy", Tables(envs, settings.scale), **sizes, **rates)
        began = time.process_time()
        model.learn(settings.steps)
        seconds = time.process_time() - began
        result = cardai.play(envs.game, [Learned(model, envs.layout), opponent], settings.games, seed=settings.seed + 1)
        mean = result.mean_return(0)
        found.append(mean.mean)
        sys.stdout.write(
            f"{settings.game}, {settings.steps:,} decisions against {opponent} in {seconds:.0f} CPU seconds: "
            f"{mean.mean:+.3f} ± {mean.half_width:.3f} {envs.game.unit} a hand\n"
        )
    return found


if __name__ == "__main__":
    main()
