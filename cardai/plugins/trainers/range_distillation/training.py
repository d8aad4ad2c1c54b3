"""Learning under way: a lesson a step, and the player that comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import asdict, field, frozen
from torch import Tensor

from cardai import make
from cardai.core.agent import Agent, need_game
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.fields import Views
from cardai.core.files import read_json, write_json
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.core.rng import derive
from cardai.core.schema import structure, whole
from cardai.core.spec import build
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.minibatches import LossSum, annealed, take_step
from cardai.learn.networks import choose_device
from cardai.learn.policies import legal_softmax
from cardai.plugins.trainers.range_distillation.lessons import Lessons
from cardai.plugins.trainers.range_distillation.network import Betting, RangeNetwork, Seen
from cardai.plugins.trainers.range_distillation.player_options import PlayerOptions
from cardai.poker.hands.combos import COUNT, left_by, pair_index
from cardai.poker.range_policy import known_nodes, range_player
from cardai.poker.ranges.public_tree import PublicTree

if TYPE_CHECKING:
    from cardai.plugins.trainers.range_distillation import RangeDistillation

NODES = 8
"""Decisions that are answered at once for all hands: what lies between the layers stays in the cache."""
_LEAST = 1e-9
_CPU = torch.device("cpu")


@frozen
class _State:
    """What a checkpoint's state.json must hold."""

    step: int = field(validator=whole())
    losses: LossSum = field(factory=LossSum)


class Distilling(Training):
    """The network, its optimiser and the number of boards done: all randomness follows from (seed, step)."""

    def __init__(self, options: RangeDistillation, game: Game, tree: PublicTree, seed: int) -> None:
        self.options, self.game, self.tree, self.seed = options, game, tree, derive(seed, "range_distillation")
        self.step, self.losses = 0, LossSum()
        self.betting = Betting(tree)
        self.actions, self.device = int(tree.action.max()) + 1, choose_device(options.device)
        with tensors.seeded(seed, _CPU):
            self.network = RangeNetwork(
                options.sees, self.betting.count, self.actions, options.channels, options.hidden
            ).to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), options.learning_rate)
        self.seen = Seen(options.sees)
        self._lessons: Lessons | None = None
        self._legal = legal_of(tree, self.actions)

    def lessons(self) -> Lessons:
        """Return the lessons of the teacher. Raises UsageError for one that does not play the game, or whole ranges."""
        if self._lessons is None:
            o = self.options
            player = range_player(self.game, make.agent(o.teacher), self.tree)
            self._lessons = Lessons(player, self.tree, self.seed, o.nodes, o.hands, o.off_path)
        return self._lessons

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        while self.step < end:
            lesson = self.lessons().lesson(self.step)
            seen, wanted, weights = (
                torch.from_numpy(part).to(self.device)
                for part in (self.seen.of(lesson.hands, lesson.board), lesson.chances, lesson.weights)
            )

            def losses(
                nodes: Int64s = lesson.nodes, seen: Tensor = seen, wanted: Tensor = wanted, weights: Tensor = weights
            ) -> tuple[Tensor]:
                learned = self._log_chances(self.network.of_cards(seen), nodes)
                apart = (wanted * (torch.log(wanted.clamp_min(_LEAST)) - learned)).sum(dim=2)
                return ((apart * weights).sum(),)

            rate = annealed(self.options.learning_rate, self.step, self.options.anneal)
            found = take_step(self.network, self.optimizer, rate, self.options.threads, 0, losses)
            self.losses = self.losses.plus(found[0])
            self.step += 1
            if self.step % self.options.every == 0 or self.step == end:
                loss, self.losses = self.losses.mean, LossSum()
                yield {"kl": loss}
            elif self.step % 10 == 0:
                yield {}

    def _log_chances(self, cards: Tensor, nodes: Int64s) -> Tensor:
        """Return (m, h, A) log probabilities, very small where an action is illegal."""
        logits = self.network.meet(cards, torch.from_numpy(self.betting.places[nodes, None]).to(self.device))
        legal = torch.from_numpy(self._legal[nodes])[:, None].to(self.device)
        return torch.log_softmax(torch.where(legal, logits, torch.full_like(logits, -1e9)), dim=2).clamp_min(-30)

    # -- files -----------------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        weights = tensors.module_tensors(self.network, "network")
        tensors.write(directory / "weights.safetensors", weights)
        tensors.write(directory / "optimizer.safetensors", tensors.optimizer_tensors(self.optimizer, "adam"))
        write_json(directory / "state.json", asdict(_State(self.step, self.losses)))

    def load(self, directory: Path) -> None:
        self.load_player(directory)
        moments = directory / "optimizer.safetensors"
        tensors.restore_optimizer(self.optimizer, tensors.read(moments), "adam", moments)

    def load_player(self, directory: Path) -> None:
        """Take up what playing needs of a checkpoint. Raises DamagedFileError."""
        file, weights = directory / "state.json", directory / "weights.safetensors"
        state = structure(read_json(file), _State, f"The file {file}")
        tensors.restore_module(self.network, tensors.read(weights), "network", weights)
        self.step, self.losses = state.step, state.losses

    def agent(self, options: Mapping[str, Any]) -> Agent:
        chosen = build(PlayerOptions, dict(options), "The trained player")
        device = choose_device(chosen.device)
        network = self.network.eval() if device == self.device else deepcopy(self.network).eval().to(device)
        return DistilledAgent(self.game, self.tree, self.betting, (network, self.seen), self._legal, chosen)


def legal_of(tree: PublicTree, actions: int) -> Bools:
    """Return (N, A) which actions are legal at each node."""
    out = np.zeros((tree.size, actions + 1), bool)
    np.put_along_axis(out, np.where(tree.action >= 0, tree.action, actions).astype(np.int64), True, axis=1)
    return out[:, :actions]


class DistilledAgent(Agent):
    """Plays the network's probabilities, for single hands or whole ranges."""

    ignores_suits = True

    def __init__(
        self,
        game: Game,
        tree: PublicTree,
        betting: Betting,
        network: tuple[RangeNetwork, Seen],
        legal: Bools,
        options: PlayerOptions,
    ) -> None:
        self.game, self.tree, self.betting, self.legal = game, tree, betting, legal
        self.network, self.seen = network
        self.least, self.device = options.least, choose_device(options.device)
        self._board: tuple[tuple[int, ...], Int64s, Tensor] | None = None

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "This run of range_distillation was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        nodes = known_nodes(self.tree, views, self.game, "This player")
        hands = pair_index(views["hole"][:, 0], views["hole"][:, 1])
        out = np.zeros((len(views), self.game.num_distinct_actions))
        boards, group = np.unique(np.ascontiguousarray(views["board"]), axis=0, return_inverse=True)
        seen = np.empty((len(views), self.seen.width), np.float32)
        for number, cards in enumerate(boards):
            rows = np.flatnonzero(group.ravel() == number)
            seen[rows] = self.seen.of(hands[rows], tuple(int(card) for card in cards if card >= 0))
        features = tensors.in_chunks(self.network.of_cards, seen, self.device)
        codes = np.concatenate([features, self.betting.places[nodes].astype(np.float32)], axis=1)
        logits = tensors.in_chunks(
            lambda part: self.network.meet(part[:, :-4], part[:, -4:].long()), codes, self.device
        )
        out[:, : logits.shape[1]] = self._chances(logits, self.legal[nodes])
        return out

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): see :class:`cardai.poker.range_policy.RangePolicy`."""
        _, live, cards = self._of_board(tuple(int(card) for card in board))
        out = np.zeros((int(self.tree.num_children[nodes].sum()), COUNT))
        row = 0
        for start in range(0, len(nodes), NODES):
            part = nodes[start : start + NODES]
            said = torch.from_numpy(self.betting.places[part, None]).to(self.device)
            with tensors.threads(1), torch.inference_mode():
                logits = self.network.meet(cards, said).cpu().numpy()  # (m, h, A)
            for node, one in zip(part.tolist(), logits, strict=True):
                count = int(self.tree.num_children[node])
                chances = self._chances(one, self.legal[[node]])
                out[row : row + count, live] = chances[:, self.tree.action[node, :count]].T
                row += count
        return out

    def _chances(self, logits: Float32s, legal: Bools) -> Float64s:
        """Return (n, A) the probabilities of ``legal`` actions, those below ``least`` left out."""
        found = legal_softmax(logits, legal)
        if self.least:
            found[found < np.minimum(self.least, found.max(axis=1, keepdims=True))] = 0.0
            found /= found.sum(axis=1, keepdims=True)
        return found

    def _of_board(self, board: tuple[int, ...]) -> tuple[tuple[int, ...], Int64s, Tensor]:
        """Return the hands that ``board`` leaves and what the first layer makes of them, (h, hidden); kept."""
        if self._board is None or self._board[0] != board:
            live = np.flatnonzero(left_by(board))
            found = tensors.in_chunks(self.network.of_cards, self.seen.of(live, board), self.device)
            self._board = board, live, torch.from_numpy(found).to(self.device)
        return self._board
