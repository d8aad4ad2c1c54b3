"""Learning under way: a lesson a step, and the player that comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
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
from cardai.core.files import COUNT_LIMIT, read_json, write_json
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.core.rng import derive
from cardai.core.schema import counted, structure, whole
from cardai.core.spec import build
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.minibatches import LossSum, annealed, take_step
from cardai.learn.networks import choose_device
from cardai.learn.policies import legal_softmax
from cardai.plugins.trainers.range_distillation.lessons import Lesson, Lessons
from cardai.plugins.trainers.range_distillation.network import Betting, RangeNetwork, Seen
from cardai.plugins.trainers.range_distillation.player_options import PlayerOptions
from cardai.plugins.trainers.range_distillation.worth import Worth, WorthLessons
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

    step: int = field(validator=counted())
    losses: LossSum = field(factory=LossSum)
    worths: LossSum = field(factory=LossSum)
    teacher_step: int = field(default=-1, validator=whole(-1, COUNT_LIMIT))


class Distilling(Training):
    """The network, its optimiser and the number of boards done: all randomness follows from (seed, step)."""

    def __init__(self, options: RangeDistillation, game: Game, tree: PublicTree, seed: int) -> None:
        self.options, self.game, self.tree, self.seed = options, game, tree, derive(seed, "range_distillation")
        self.step, self.losses, self.worths = 0, LossSum(), LossSum()
        self.betting = Betting(tree)
        self.actions, self.device = int(tree.action.max()) + 1, choose_device(options.device)
        with tensors.seeded(seed, _CPU):
            self.network = RangeNetwork(
                options.sees, self.betting.count, self.actions, options.channels, options.hidden
            ).to(self.device)
            self.worth = self._worth_network() if options.values else None
        self.optimizer = torch.optim.Adam(self.network.parameters(), options.learning_rate)
        self.worth_optimizer = (
            None if self.worth is None else torch.optim.Adam(self.worth.parameters(), options.learning_rate)
        )
        self.seen = Seen(options.sees)
        self.teacher_step = -1
        """Of a teacher that is a run, the step that is learned from; a run that goes on learns from the same."""
        self._lessons: Lessons | None = None
        self._worth_lessons: WorthLessons | None = None
        self._legal = legal_of(tree, self.actions)

    def lessons(self) -> Lessons:
        """Return the lessons of the teacher. Raises UsageError for one that does not play the game, or whole ranges."""
        if self._lessons is None:
            o = self.options
            if self.teacher_step < 0:
                self.teacher_step = make.step_now(o.teacher)
            teacher = make.agent(make.at_step(o.teacher, self.teacher_step))
            player = range_player(self.game, teacher, self.tree)
            self._lessons = Lessons(player, self.tree, self.seed, o.nodes, o.hands, o.off_path)
        return self._lessons

    def _worth_network(self) -> RangeNetwork:
        """Return a network like the player's that says what actions are worth, and what the hand of the other is."""
        o = self.options
        made = RangeNetwork(o.sees, self.betting.count, self.actions + 1, o.channels, o.hidden)
        torch.nn.init.zeros_(made.policy.weight)
        return made.to(self.device)

    def worth_lessons(self) -> WorthLessons:
        """Return the lessons on what actions are worth; before the river they ask the network that learns them."""
        if self._worth_lessons is None:
            self._worth_lessons = WorthLessons(self.lessons(), self._expected)
        return self._worth_lessons

    def _expected(self, roots: Int64s, board: tuple[int, ...], hands: Int64s) -> tuple[Float64s, Float64s]:
        """Return (d, h) what ``hands`` expect, in chips, at ``roots`` (d,): of who acts there by its policy, and of the other."""
        assert self.worth is not None
        seen = torch.from_numpy(self.seen.of(hands, board)).to(self.device)
        with tensors.threads(self.options.threads), torch.inference_mode():
            chances = self._log_chances(self.network.of_cards(seen), roots).exp()
            said = torch.from_numpy(self.betting.places[roots, None]).to(self.device)
            found = self.worth.meet(self.worth.of_cards(seen), said)
            acts, waits = (chances * found[..., :-1]).sum(dim=2).cpu().numpy(), found[..., -1].cpu().numpy()
        pots = self.tree.spent[roots].sum(axis=1)[:, None].astype(np.float64)
        return acts * pots, waits * pots

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        while self.step < end:
            lesson = self.lessons().lesson(self.step)
            worth = None if self.worth is None else self.worth_lessons().lesson(self.step)
            rate = annealed(self.options.learning_rate, self.step, self.options.anneal)
            found = take_step(
                self.network, self.optimizer, rate, self.options.threads, 0, partial(self._apart, lesson, worth)
            )
            self.losses = self.losses.plus(found[0])
            if worth is not None and self.worth is not None and self.worth_optimizer is not None:
                wrong = partial(self._wrong, self.worth, worth)
                (loss,) = take_step(self.worth, self.worth_optimizer, rate, self.options.threads, 0, wrong)
                self.worths = self.worths.plus(loss)
            self.step += 1
            if self.step % self.options.every == 0 or self.step == end:
                row = {"kl": self.losses.mean} | ({} if self.worth is None else {"value_loss": self.worths.mean})
                self.losses, self.worths = LossSum(), LossSum()
                yield row
            elif self.step % 10 == 0:
                yield {}

    def _apart(self, lesson: Lesson, worth: Worth | None) -> Iterator[Tensor]:
        """Yield how far the network is from the teacher: the divergence, and where worth is known what the difference costs."""
        seen, wanted, weights = self._on_device(
            self.seen.of(lesson.hands, lesson.board), lesson.chances, lesson.weights
        )
        learned = self._log_chances(self.network.of_cards(seen), lesson.nodes)
        yield (divergence(wanted, learned) * weights).sum()
        if worth is None or not self.options.regret:
            return
        seen, wanted, values, often = self._on_device(
            self.seen.of(worth.hands, worth.board), worth.chances, worth.targets[..., :-1], worth.often
        )
        learned = self._log_chances(self.network.of_cards(seen), worth.nodes)
        yield (divergence(wanted, learned) * often).sum()
        yield self.options.regret * (((wanted - learned.exp()) * values).sum(dim=2) * often).sum()

    def _wrong(self, network: RangeNetwork, lesson: Worth) -> tuple[Tensor]:
        """Return how far a network is from what actions are worth."""
        wanted, weights = self._on_device(lesson.targets, lesson.weights)
        return ((weights * (self._told(network, lesson) - wanted).square()).sum(),)

    def _told(self, network: RangeNetwork, lesson: Worth) -> Tensor:
        seen, said = self._on_device(self.seen.of(lesson.hands, lesson.board), self.betting.places[lesson.nodes, None])
        return network.meet(network.of_cards(seen), said)

    def told(self, lesson: Worth) -> Float64s:
        """Return (n, h, A + 1) what the network says of a lesson, in shares of the pot."""
        assert self.worth is not None
        with tensors.threads(self.options.threads), torch.inference_mode():
            return np.asarray(self._told(self.worth, lesson).cpu().numpy(), np.float64)

    def _on_device(self, *arrays: Any) -> list[Tensor]:
        return [torch.from_numpy(one).to(self.device) for one in arrays]

    def _log_chances(self, cards: Tensor, nodes: Int64s) -> Tensor:
        """Return (m, h, A) log probabilities, very small where an action is illegal."""
        logits = self.network.meet(cards, torch.from_numpy(self.betting.places[nodes, None]).to(self.device))
        legal = torch.from_numpy(self._legal[nodes])[:, None].to(self.device)
        return torch.log_softmax(torch.where(legal, logits, torch.full_like(logits, -1e9)), dim=2).clamp_min(-30)

    # -- files -----------------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        weights = tensors.module_tensors(self.network, "network")
        moments = tensors.optimizer_tensors(self.optimizer, "adam")
        if self.worth is not None and self.worth_optimizer is not None:
            weights |= tensors.module_tensors(self.worth, "worth")
            moments |= tensors.optimizer_tensors(self.worth_optimizer, "worth")
        tensors.write(directory / "weights.safetensors", weights)
        tensors.write(directory / "optimizer.safetensors", moments)
        write_json(directory / "state.json", asdict(_State(self.step, self.losses, self.worths, self.teacher_step)))

    def load(self, directory: Path) -> None:
        self.load_player(directory)
        moments = directory / "optimizer.safetensors"
        tensors.restore_optimizer(self.optimizer, tensors.read(moments), "adam", moments)
        if self.worth_optimizer is not None:
            tensors.restore_optimizer(self.worth_optimizer, tensors.read(moments), "worth", moments)

    def load_player(self, directory: Path) -> None:
        """Take up what playing needs of a checkpoint. Raises DamagedFileError."""
        file, weights = directory / "state.json", directory / "weights.safetensors"
        state = structure(read_json(file), _State, f"The file {file}")
        tensors.restore_module(self.network, tensors.read(weights), "network", weights)
        if self.worth is not None:
            tensors.restore_module(self.worth, tensors.read(weights), "worth", weights)
        self.step, self.losses, self.worths = state.step, state.losses, state.worths
        if state.teacher_step not in (-1, self.teacher_step):  # its run was trained on meanwhile
            self.teacher_step, self._lessons, self._worth_lessons = state.teacher_step, None, None

    def agent(self, options: Mapping[str, Any]) -> Agent:
        chosen = build(PlayerOptions, dict(options), "The trained player")
        device = choose_device(chosen.device)
        there = device == self.device
        network = self.network.eval() if there else deepcopy(self.network).eval().to(device)
        worth = self.worth
        if worth is not None:
            worth = worth.eval() if there else deepcopy(worth).eval().to(device)
        networks = network, worth, self.seen
        return DistilledAgent(self.game, self.tree, self.betting, networks, self._legal, chosen)


def divergence(wanted: Tensor, learned: Tensor) -> Tensor:
    """Return (m, h) the divergence of log probabilities ``learned`` (m, h, A) from ``wanted`` (m, h, A), in nats."""
    return (wanted * (torch.log(wanted.clamp_min(_LEAST)) - learned)).sum(dim=2)


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
        networks: tuple[RangeNetwork, RangeNetwork | None, Seen],
        legal: Bools,
        options: PlayerOptions,
    ) -> None:
        self.game, self.tree, self.betting, self.legal = game, tree, betting, legal
        self.network, self.worth, self.seen = networks
        self.least, self.device = options.least, choose_device(options.device)
        self._board: tuple[tuple[int, ...], Int64s, Tensor] | None = None

    def for_game(self, game: Game) -> Agent:
        need_game(self.game, game, "This run of range_distillation was trained on")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        nodes, logits = self._answers(self.network, views)
        out = np.zeros((len(views), self.game.num_distinct_actions))
        out[:, : logits.shape[1]] = self._chances(logits, self.legal[nodes])
        return out

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        """Return what each action is worth if both go on as the teacher does, in chips of the hand: see :class:`.worth.Worth`."""
        if self.worth is None:
            return super().action_values(views, legal)
        nodes, found = self._answers(self.worth, views)
        pots = self.tree.spent[nodes].sum(axis=1)[:, None].astype(np.float64)
        out = np.full((len(views), self.game.num_distinct_actions), np.nan)
        offered = self.legal[nodes]
        out[:, : offered.shape[1]] = np.where(offered, found[:, :-1] * pots, np.nan)
        return out

    def _answers(self, network: RangeNetwork, views: Views) -> tuple[Int64s, Float32s]:
        """Return the nodes (n,) at which views are taken and what a network says there, (n, outputs)."""
        nodes = known_nodes(self.tree, views, self.game, "This player")
        hands = pair_index(views["hole"][:, 0], views["hole"][:, 1])
        boards, group = np.unique(np.ascontiguousarray(views["board"]), axis=0, return_inverse=True)
        seen = np.empty((len(views), self.seen.width), np.float32)
        for number, cards in enumerate(boards):
            rows = np.flatnonzero(group.ravel() == number)
            seen[rows] = self.seen.of(hands[rows], tuple(int(card) for card in cards if card >= 0))
        features = tensors.in_chunks(network.of_cards, seen, self.device)
        codes = np.concatenate([features, self.betting.places[nodes].astype(np.float32)], axis=1)
        return nodes, tensors.in_chunks(
            lambda part: network.meet(part[:, :-4], part[:, -4:].long()), codes, self.device
        )

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
