"""A trainer, a game of one coin and their agent: the least that a training run needs (used by tests)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import OptionError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.npz import read_npz, write_npz
from cardai.core.spec import option
from cardai.core.states import StateGame
from cardai.core.trainer import Metrics, Trainer, Training


@frozen
class ToyGame(StateGame):
    """Nothing to play: runs are only opened with it."""

    num_players = 2
    num_distinct_actions = 2
    num_chance_outcomes = 1
    view_fields = ()

    def new_initial_state(self, setup: Any = None) -> Any:
        raise NotImplementedError

    def action_to_string(self, action: int) -> str:
        return str(action)


@frozen
class ToyTrainer(Trainer):
    """Adds random numbers up; the sum is its policy."""

    rate: float = option(0.1, help="size of a step")
    every: int = option(5, help="steps between yields")

    def check_game(self, game: Game) -> None:
        pass

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        return ToyTraining(self, seed)

    def agent_options(self) -> Mapping[str, str]:
        return {"flavour": "sweet or sour"}


class ToyTraining(Training):
    def __init__(self, options: ToyTrainer, seed: int) -> None:
        self.options, self.step, self.sum = options, 0, 0.0
        self.rng = np.random.default_rng(seed)

    def train(self, steps: int) -> Iterator[Metrics]:
        target = self.step + steps
        while self.step < target:
            self.sum += self.options.rate * self.rng.random()
            self.step += 1
            if self.step % self.options.every == 0:
                yield {"exploitability": 1 / (1 + self.sum)} if self.step % 10 == 0 else {}

    def save(self, directory: Path) -> None:
        state = self.rng.bit_generator.state["state"]
        words = [int(state[k]) >> shift & (1 << 64) - 1 for k in ("state", "inc") for shift in (0, 64)]
        write_npz(directory / "toy.npz", {"sum": self.sum, "step": self.step, "words": np.array(words, np.uint64)})

    def load(self, directory: Path) -> None:
        arrays = read_npz(directory / "toy.npz", {"sum": ("f8", ()), "step": ("i8", ()), "words": ("u8", (4,))})
        self.sum, self.step = float(arrays["sum"]), int(arrays["step"])
        words = [int(w) for w in arrays["words"]]
        state = self.rng.bit_generator.state
        state["state"] = {"state": words[0] | words[1] << 64, "inc": words[2] | words[3] << 64}
        self.rng.bit_generator.state = state

    def agent(self, options: Mapping[str, Any]) -> Agent:
        if options.get("flavour", "sweet") not in ("sweet", "sour"):
            raise OptionError(f"The option 'flavour' must be sweet or sour. Got {options['flavour']!r} instead.")
        return ToyAgent()


class ToyAgent(Agent):
    def policy(self, views: Any, legal: Any) -> Any:
        return legal / legal.sum(axis=1, keepdims=True)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"toy_trainer": ToyTrainer}


@hookimpl
def cardai_game() -> Mapping[str, type[Game]]:
    return {"toy_game": ToyGame}
