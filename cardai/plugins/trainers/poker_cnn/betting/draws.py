"""Which cards a betting network keeps in draw games, given how many: exact values of holds, or a trained value network."""

from __future__ import annotations

from pathlib import Path

from attrs import asdict, evolve, frozen

from cardai import make
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, write_json
from cardai.core.game import Game
from cardai.core.schema import structure
from cardai.core.spec import parse
from cardai.core.text import shortened
from cardai.draw.abstraction import DrawCountAbstraction
from cardai.draw.contract import is_draw_poker
from cardai.learn import tensors
from cardai.learn.abstraction import ActionAbstraction
from cardai.plugins.trainers.poker_cnn.values import PokerCnn
from cardai.plugins.trainers.poker_cnn.values.players import HoldPlayer
from cardai.plugins.trainers.poker_cnn.values.problems import exact_holds
from cardai.plugins.trainers.poker_cnn.values.training import ValueTraining
from cardai.training.runs import Run

_SPECS, _WEIGHTS = "draws.json", "draws.safetensors"


@frozen
class _MadeBy:
    """What draws.json must hold."""

    trainer: str
    encoder: str
    act: str


class NetworkDraws(DrawCountAbstraction):
    """Cards are kept as a trained value network says; checkpoints hold a copy of it."""

    def __init__(self, player: HoldPlayer, made: _MadeBy) -> None:
        super().__init__(player.hold_values)
        self.player, self._made = player, made

    def save(self, directory: Path) -> None:
        """Write the network, and what it was made by, into a checkpoint."""
        tensors.write(directory / _WEIGHTS, tensors.module_tensors(self.player.network.module, "network"))
        write_json(directory / _SPECS, asdict(self._made))

    @classmethod
    def load(cls, directory: Path, game: Game) -> NetworkDraws:
        """Return what :meth:`save` wrote. Raises DamagedFileError."""
        file = directory / _SPECS
        made = structure(read_json(file), _MadeBy, f"The file {file}")
        trainer = registry.rebuild("trainer", made.trainer)
        if not isinstance(trainer, PokerCnn):
            raise DamagedFileError(f"The file {file} is damaged or foreign: {shortened(made.trainer)} learns no draws.")
        training = ValueTraining(evolve(trainer, device="auto"), game, registry.rebuild("encoder", made.encoder), 0)
        weights = directory / _WEIGHTS
        tensors.restore_module(training.network, tensors.read(weights), "network", weights)
        player = training.agent({"act": made.act})
        assert isinstance(player, HoldPlayer)
        return cls(player, made)


def abstraction_of(game: Game, draws_by: str, directory: Path | None = None) -> ActionAbstraction:
    """Return what a betting network chooses among in ``game``.

    ``draws_by``: "exact", or the spec of a trained value network that plays the game's draws; of that the
    checkpoint ``directory``, if one is given, holds a copy (unless an earlier version wrote it).
    """
    if not is_draw_poker(game):
        return ActionAbstraction(game.num_distinct_actions)
    if draws_by == "exact":
        return DrawCountAbstraction(exact_holds)
    if directory is not None and (directory / _SPECS).is_file():
        return NetworkDraws.load(directory, game)
    player = make.agent(draws_by).for_game(game)
    if not isinstance(player, HoldPlayer):
        raise UsageError(
            f"draws_by must be exact, or the directory of a run of poker_cnn on this game. Got {draws_by!r}."
        )
    run = Run.open(Path(parse(draws_by).name))
    act = "policy" if player.network.by_policy else "value"
    return NetworkDraws(player, _MadeBy(run.trainer_spec, run.encoder_spec or "", act))
