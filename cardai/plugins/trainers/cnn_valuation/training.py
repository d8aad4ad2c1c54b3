"""Learning from examples under way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import asdict, field, frozen
from torch import Tensor

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Int64s
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.fields import Views
from cardai.core.files import COUNT_LIMIT, file_digest, read_json, write_json
from cardai.core.game import Game
from cardai.core.progress import tell
from cardai.core.schema import counted, structure, whole
from cardai.core.spec import build
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.grid_networks import parameters
from cardai.learn.imitation.examples import MANIFEST, Examples, classes
from cardai.learn.imitation.measures import brier, policy_of, scores
from cardai.learn.minibatches import Epochs, LossSum, annealed, take_step
from cardai.learn.networks import choose_device
from cardai.plugins.trainers.cnn_valuation.dataset import OUTCOMES, Backwards, literal_targets, load, outcomes
from cardai.plugins.trainers.cnn_valuation.ladder import Ladder
from cardai.plugins.trainers.cnn_valuation.networks import LevelPolicy, make_network
from cardai.plugins.trainers.cnn_valuation.player_options import PlayerOptions
from cardai.plugins.trainers.cnn_valuation.players import VIEWS, ImitationAgent, outputs
from cardai.plugins.trainers.cnn_valuation.ranges import RangeImitator, answers_ranges

if TYPE_CHECKING:
    from cardai.plugins.trainers.cnn_valuation import CnnValuation


@frozen
class _State:
    """What a checkpoint's state.json must hold."""

    step: int = field(validator=counted())
    examples: str = ""
    losses: LossSum = field(factory=LossSum)
    teacher_step: int = field(default=-1, validator=whole(-1, COUNT_LIMIT))


class ValuationTraining(Training):
    """The network, its optimiser and the number of minibatches done: all randomness follows from (seed, step)."""

    def __init__(self, options: CnnValuation, game: Game, encoder: Encoder, seed: int) -> None:
        options.check_game(game)
        self.options, self.game, self.seed = options, game, seed
        self.step = 0
        self.losses = LossSum()
        self.layout = encoder.for_game(game)
        self.literal = options.mode == "seed_literal"
        self.ladder = self._ladder(options.bet) if game.amounts and not self.literal else None
        names = OUTCOMES if self.literal else self.ladder.names if self.ladder else classes(game)
        self.device = choose_device(options.device)
        with tensors.seeded(seed, torch.device("cpu")):
            sizes = options.channels, options.features, options.hidden
            self.network = make_network(options.network, self.layout, len(names), sizes).to(self.device)
        weights = [p for p in self.network.parameters() if p.requires_grad]
        self.optimizer: torch.optim.Optimizer = (
            torch.optim.Adagrad(weights, options.learning_rate)
            if options.optimizer == "adagrad"
            else torch.optim.AdamW(weights, options.learning_rate, weight_decay=options.decay)
        )
        self._examples: tuple[Examples, Examples] | None = None
        self._policy: Float32s | None = None
        self.teacher_step = -1
        """Of a teacher that is a run, the step that is learned from; a run that goes on learns from the same."""
        self._read: tuple[Tensor, ...] | None = None
        self._digest = ""  # of the manifest, which tells one directory of examples from another
        self._epochs: Epochs | None = None
        self._backwards: Backwards | None = None

    def begin(self) -> None:
        """Read the examples now, so that what is wrong with them is said before the first step."""
        self._data()

    def _data(self) -> tuple[Examples, Examples]:
        if self._examples is None:
            o = self.options
            train, test = load(o.data, o.players, self.game, o.batch, self.ladder, o.most)
            self._examples = train, test
            self._policy = self._taught(train)
            self._digest = file_digest(Path(o.data) / MANIFEST)
        return self._examples

    def _taught(self, train: Examples) -> Float32s | None:
        """Return (n, C) the teacher's probabilities at the examples; none where the actions are learned."""
        if not self.options.teacher:
            return None
        if self.literal or self.options.bets:
            raise UsageError(
                "teacher=... gives probabilities of the game's own actions to learn, in the mode imitate. Leave it out here."
            )
        if self.teacher_step < 0:
            self.teacher_step = make.step_now(self.options.teacher)
        return policy_of(make.at_step(self.options.teacher, self.teacher_step), self.game, train).astype(np.float32)

    # -- the loop --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        train, _ = self._data()
        end = self.step + steps
        while self.step < end:
            rows = self._rows(train)
            if len(rows):
                self.losses = self.losses.plus(self._update(train, rows))
            self.step += 1
            if self.step % self.options.every == 0 or self.step == end:
                loss, self.losses = self.losses.mean, LossSum()
                yield {"loss": loss, **self._measured()}
            elif self.step % 10 == 0:
                yield {}

    def _rows(self, train: Examples) -> Int64s:
        """Return the examples of minibatch ``step``: epochs run one after another through permutations of their own."""
        if self.literal:
            self._backwards = self._backwards or Backwards(train, self.options.batch, self.seed)
            return self._backwards.at(self.step)
        self._epochs = self._epochs or Epochs(len(train), self.seed, 1)
        return np.sort(self._epochs.minibatch(self.step, self.options.batch))

    def _update(self, train: Examples, rows: Int64s) -> float:
        batch, policy = train.take(rows), None if self._policy is None else self._policy[rows]
        o = self.options
        rate = annealed(o.learning_rate, self.step, o.anneal)

        def losses() -> tuple[Tensor]:
            return (self._loss(self._outputs(batch, rows), batch, policy),)

        (loss,) = take_step(self.network, self.optimizer, rate, o.threads, 0, losses)  # nothing is drawn: no dropout
        return loss

    def _outputs(self, batch: Examples, rows: Int64s) -> Tensor:
        """Return the network's outputs for the examples ``rows``, which are ``batch``."""
        if not isinstance(self.network, LevelPolicy):
            return torch.as_tensor(self.network(torch.from_numpy(self.layout.encode(batch.views)).to(self.device)))
        if self._read is None:
            self._read = self._read_all(self._data()[0].views)
        levels, marked = (part[rows].to(self.device) for part in self._read)
        return self.network.answer(levels, marked)

    def _read_all(self, views: Views) -> tuple[Tensor, ...]:
        """Return what a network of levels sees of all views, a few hundred bytes each.

        It is written into arrays of their own: small results that are kept between the large ones of each block would hold
        on to the memory of all planes there ever were, 12 kB a view.
        """
        network = self.network
        assert isinstance(network, LevelPolicy)
        levels, marked = torch.empty((len(views), len(network.levels))), torch.empty(len(views), dtype=torch.int64)
        for start in range(0, len(views), VIEWS):
            tell("What the network sees", start, len(views))
            part = slice(start, start + VIEWS)
            levels[part], marked[part] = network.read(torch.from_numpy(self.layout.encode(views[part])))
        return levels, marked

    def _loss(self, logits: Tensor, batch: Examples, policy: Float32s | None) -> Tensor:
        """Return a minibatch's mean loss: eq. 6, or cross entropy, weighted by what follows in the hand.

        Cross entropy is that of the actions played, or of the teacher's ``policy`` (B, C).
        """
        o = self.options
        if self.literal:
            targets = torch.from_numpy(literal_targets(batch, o.gamma)).to(self.device)
            return 0.5 * (torch.sigmoid(logits) - targets).square().sum(dim=1).mean()
        weights = np.power(o.gamma, batch.later.astype(np.float64))
        w = torch.from_numpy(weights.astype(np.float32)).to(self.device)
        label = torch.from_numpy(batch.label.astype(np.int64)).to(self.device)
        if o.mask_illegal:
            logits = logits.masked_fill(~torch.from_numpy(batch.legal).to(self.device), -torch.inf)
        logs = torch.log_softmax(logits, dim=1)
        if policy is not None:
            taught = torch.from_numpy(policy).to(self.device)
            wrong = -(taught * logs.masked_fill(taught == 0, 0.0)).sum(dim=1)
        else:
            wrong = -logs.gather(1, label[:, None])[:, 0]
        return (w * wrong).sum() / w.sum().clamp(min=1e-9)

    # -- measuring, playing, keeping ---------------------------------------------------------------------------------

    def _measured(self) -> Metrics:
        """Return figures on the first held-out examples: accuracy and log loss, or the Brier score beside the base rate's."""
        train, test = self._data()
        test = test.take(slice(0, self.options.validation))
        if not len(test):
            return {}
        if self.literal:
            values = self.values(test)
            shares = np.bincount(outcomes(train), minlength=3) / len(train)
            base = brier(np.tile(shares, (len(test), 1)), outcomes(test))
            return {"brier": brier(values / values.sum(axis=1, keepdims=True), outcomes(test)), "brier_base_rate": base}
        found = scores(self._player(PlayerOptions("sample")).probabilities(test.views, test.legal), test.label)
        return {"accuracy": found.accuracy, "macro_f1": found.macro_f1, "log_loss": found.log_loss}

    def values(self, examples: Examples) -> Any:
        """Return (n, 3) what ``seed_literal`` gives each state: the values of winning, losing and splitting."""
        return 1 / (1 + np.exp(-outputs(self.network.eval(), self.layout, examples.views, self.device)))

    def _ladder(self, bet: float) -> Ladder:
        """Return the classes of no-limit raises: the rungs of ``bets``, or one that is played as a raise of ``bet``."""
        return Ladder(self.options.bets or (repr(bet),))

    def _player(self, options: PlayerOptions) -> ImitationAgent:
        ladder = None if self.ladder is None else self._ladder(options.bet)
        kind = RangeImitator if answers_ranges(self.network, self.layout, self.game) else ImitationAgent
        return kind(self.network.eval(), self.layout, self.game, self.device, options, ladder)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        if self.literal:
            raise UsageError("A run of mode=seed_literal values states; it learns no actions and plays nothing.")
        trained = {"act": self.options.act, "bet": self.options.bet}
        return self._player(build(PlayerOptions, trained | dict(options), "The trained player"))

    def save(self, directory: Path) -> None:
        tensors.write_training(directory / "weights.safetensors", self.network, self.optimizer)
        state = _State(self.step, self._digest, self.losses, self.teacher_step)
        write_json(directory / "state.json", {**asdict(state), "parameters": parameters(self.network)})

    def load(self, directory: Path) -> None:
        file = directory / "state.json"
        state = structure(read_json(file), _State, f"The file {file}")
        if self._examples is not None and state.examples and state.examples != self._digest:
            raise DamagedFileError(f"The examples {self.options.data!r} are not those that this run has learned from.")
        tensors.read_training(directory / "weights.safetensors", self.network, self.optimizer)
        self.step, self.losses = state.step, state.losses
        if state.teacher_step not in (-1, self.teacher_step):  # its run was trained on meanwhile
            self.teacher_step = state.teacher_step
            if self._examples is not None:
                self._policy = self._taught(self._examples[0])
