"""Neural fictitious self-play (Heinrich and Silver 2016) for two-player games: an average policy that nears Nash.

training.py   the algorithm in words, the metrics; what follows plays and learns, engines.py says which does
tables.py     its loop in Python: any game, networks by torch (learner.py)
native.py     the same loop in one kernel (_kernels.py, ``iterate``): small games as arrays (compiled.py)

Presets:
    nfsp_leduc: the paper's run on Leduc, networks of 64 hidden units (Heinrich and Silver 2016).
    nfsp_leduc_8: the same with 8 hidden units (Heinrich and Silver 2016).
    nfsp_leduc_16: the same with 16 hidden units (Heinrich and Silver 2016).
    nfsp_leduc_32: the same with 32 hidden units (Heinrich and Silver 2016).
    nfsp_leduc_128: the same with 128 hidden units (Heinrich and Silver 2016).
    nfsp_leduc_thesis: one hand at a time and an update after every action (Joos 2018, faults mended).
    nfsp_leduc_fast: 512 tables, no target network, Adam for the policy network; ours.
    nfsp_leduc_best: the same with half of Q's minibatches drawn evenly over information states; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import frozen

from cardai.core.encoder import Encoder
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.trainer import Trainer
from cardai.plugins.trainers.nfsp.options import (
    ComputeOptions,
    LearningOptions,
    MemoryOptions,
    PlayOptions,
    refuse_game,
)

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.plugins.trainers.nfsp.training import NFSPTraining

_PAPER: Mapping[str, Any] = {"reward_scale": 1 / 26}
PUBLISHED: Mapping[str, Mapping[str, Any]] = {
    "nfsp_leduc": _PAPER,
    "nfsp_leduc_8": {**_PAPER, "hidden": (8,)},
    "nfsp_leduc_16": {**_PAPER, "hidden": (16,)},
    "nfsp_leduc_32": {**_PAPER, "hidden": (32,)},
    "nfsp_leduc_128": {**_PAPER, "hidden": (128,)},
    "nfsp_leduc_thesis": {**_PAPER, "tables": 1, "updates": 1},
}
"""The paper's runs on Leduc hold'em (all other options have the paper's values), and those of a thesis (Joos 2018)."""

_FAST: Mapping[str, Any] = {
    "tables": 512,
    "target_every": 0,
    "reward_scale": 0.2,
    "policy_optimizer": "adam",
    "policy_rate": 1e-3,
    "policy_rate_end": 3e-4,
    "rate_steps": 500_000,
}
_BEST: Mapping[str, Any] = {
    **_FAST,
    "stratified": 0.5,
    "q_rate_end": 0.004,
    "policy_rate_end": 4e-5,
    "rate_steps": 800_000,
}
OURS: Mapping[str, Mapping[str, Any]] = {"nfsp_leduc_fast": _FAST, "nfsp_leduc_best": _BEST}


@frozen
class NFSP(ComputeOptions, LearningOptions, MemoryOptions, PlayOptions, Trainer):
    """Neural fictitious self-play. Defaults are the paper's for Leduc, details those of its author's released code.

    A step is an iteration: one action at each table, then ``updates`` minibatches for each network. Each seat has a Q
    network (best response, epsilon-greedy) and a policy network (average of its best responses); a hand is played by the
    best response with probability ``eta``. The policy network is what is measured and played.

    Metrics: ``exploitability`` (mean of both best responses' values against the average policies),
    ``reservoir_exploitability`` (of the exact frequencies in M_SL: what a perfect policy network would have),
    ``greedy_gap_0/1`` (what the exact best response earns more than greedy Q), ``q_loss``, ``policy_loss``,
    ``rl_size``, ``sl_size``, ``epsilon``, ``steps_per_second`` (environment steps a CPU second since the last row).
    """

    step_unit: ClassVar[str] = "iterations"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {**PUBLISHED, **OURS}

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> NFSPTraining:
        from cardai.plugins.trainers.nfsp.engines import start

        return start(self, game, encoder, seed)

    def check_game(self, game: Game) -> None:
        refuse_game(game)

    def agent_options(self) -> Mapping[str, str]:
        return {"policy": "average (default), best_response, or mixture (eta best response at each decision)"}

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        from cardai.plugins.trainers.nfsp.player import load_player

        return load_player(self, game, encoder, directory, options)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"nfsp": NFSP}
