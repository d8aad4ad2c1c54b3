"""Gin values by self-play: what every situation brings, generation after generation, against a league of rule players.

A generation is ``hands`` hands that the newest player, with a little exploration, plays against players drawn from the
league, itself among them; the networks are then fitted to what each situation brought. The first generations are played by
a teacher. Values of what a player himself does next and of who he is are not told apart: this is one step of policy
improvement after the other (Tesauro, "Temporal difference learning and TD-Gammon", 1995, without bootstrapping).

values.npz      the networks, the belief, the table of winning chances
fitting.npz     step, and Adam's moments
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from attrs import frozen, validators

from cardai import make
from cardai.cards.gin.fields import GIN
from cardai.core.agent import Agent, need_family
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.npz import read_npz, write_npz
from cardai.core.rng import derive
from cardai.core.spec import brief, option
from cardai.core.trainer import Metrics, Trainer, Training

if TYPE_CHECKING:
    from cardai.learn.gin_belief import Examples

SELF = "self"
_SHARE = [validators.ge(0), validators.le(1)]


@frozen
class GinValues(Trainer):
    """Learns a gin player from self-play and a league: the belief, then values of situations."""

    step_unit: ClassVar[str] = "generations"

    hidden: int = option(64, help="units of the hidden layer", validator=validators.in_(range(1, 1025)))
    hands: int = option(6000, help="hands of a generation", validator=validators.in_(range(64, 1_000_001)))
    league: tuple[str, ...] = option(
        (
            "self",
            "gin_lookahead",
            "simple",
            "simple",
            "simple",
            "simple",
            "simple",
            "gin-only",
            "heisenbot",
            "heisenbot",
        ),
        help="opponents, each as likely; one given twice is met twice as often; self is the learner",
        validator=validators.min_len(1),
    )
    teacher: str = option("gin_lookahead", help="who plays the first generations")
    taught: int = option(25, help="generations that the teacher plays", validator=validators.ge(0))
    belief_hands: int = option(
        16000, help="hands from which the belief is learned at first", validator=validators.in_(range(256, 1_000_001))
    )
    begin: str = option("", help="a file of values (values.npz) to begin with, belief and all, instead of a teacher")
    equity_every: int = option(
        5,
        help="generations after which the chances to win a match are taken from the learner's own results",
        validator=validators.ge(1),
    )
    rate: float = option(5e-4, help="Adam's rate; twice as much while taught", validator=validators.gt(0))
    halve: int = option(
        80, help="generations after which the rate is halved, again and again", validator=validators.ge(1)
    )
    epochs: int = option(2, help="times that a generation's situations are gone through", validator=validators.ge(1))
    batch: int = option(1024, help="situations of a minibatch", validator=validators.ge(1))
    explore_discards: float = option(0.04, help="how often another discard is tried", validator=_SHARE)
    explore_draws: float = option(0.08, help="how often another draw is tried", validator=_SHARE)
    explore_knocks: float = option(0.15, help="how often knocking or not is drawn", validator=_SHARE)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        need_family(game, GIN, "gin_values learns")
        odd = [f for f in ("oklahoma", "double_spades") if getattr(game, f, False)]
        if odd or getattr(game, "target", 100) != 100 or getattr(game, "knock_limit", 10) != 10:
            raise UsageError(
                f"gin_values learns gin to 100 points with a knock limit of 10. {brief(game)} has other rules; its player "
                "plays that too, by the values of the ordinary game."
            )
        if encoder is not None:
            raise UsageError("gin_values has features of its own and takes no --encoder. Leave it out.")
        return GinValuesTraining(self, game, seed)

    def resume(self, game: Game, encoder: Encoder | None, seed: int, directory: Path) -> Training:
        """Take a training up; the file it began with may be gone."""
        training = GinValuesTraining(self, game, seed, fresh=False)
        training.load(directory)
        return training

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        from cardai.learn.gin_values import ValuePlayer, read_values

        _no_options(options)
        return ValuePlayer(read_values(directory / "values.npz"), "A gin_values run")


def _no_options(options: Mapping[str, Any]) -> None:
    if options:
        raise OptionError(f"A player by gin values has no option {min(options)!r}. It has none.")


class GinValuesTraining(Training):
    """Gin values under way. Generation g draws from a stream of its own, so a run goes on exactly where it was left."""

    def __init__(self, options: GinValues, game: Game, seed: int, fresh: bool = True) -> None:
        from cardai.learn.gin_values import Fitting, Values, read_values

        self.options, self.game, self.seed = options, game, seed
        self.step = 0
        values = read_values(Path(options.begin)) if options.begin and fresh else Values.start(options.hidden, seed)
        self.fitting = Fitting(values)
        self.others = [make.agent(spec).for_game(game) for spec in options.league if spec != SELF]
        self.numbers = list(range(1, len(self.others) + 1))
        self.selves = len(options.league) - len(self.others)

    def player(self) -> Agent:
        """Return the newest player."""
        from cardai.learn.gin_values import ValuePlayer

        return ValuePlayer(self.fitting.values, "A gin_values run").for_game(self.game)

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        while self.step < end:
            metrics = self._learn_belief() if self.step == 0 and not self.options.begin else {}
            metrics |= self._generation()
            self.step += 1
            yield metrics

    def _players(self, explore: bool) -> list[Agent]:
        """Return player 0, who learns, itself as an opponent, and the others of the league."""
        from cardai.learn.gin_values import Explorer

        o = self.options
        taught = self.step < o.taught and not o.begin
        first = make.agent(o.teacher).for_game(self.game) if taught else self.player()
        if explore:
            first = Explorer(first, (o.explore_discards, o.explore_draws, o.explore_knocks))
        return [first, *self.others]

    def _seats(self, seed: int, count: int) -> Any:
        from cardai.learn.gin_selfplay import seats_for

        return seats_for(np.random.default_rng([seed, 3]), count, [0] * self.selves + self.numbers)

    def _learn_belief(self) -> Metrics:
        """Fit the belief and the winning chances to hands of the teacher and the league; measure on held-out hands."""
        from cardai.learn.gin_belief import fit_belief, log_loss
        from cardai.learn.gin_values import win_table

        values = self.fitting.values
        examples, returns = self._examples(derive(self.seed, "belief"), self.options.belief_hands)
        held_out, _ = self._examples(derive(self.seed, "held out"), max(256, self.options.belief_hands // 8))
        values.belief = fit_belief(examples, derive(self.seed, "fit belief"))
        values.wins = win_table(np.concatenate([returns[:, 0], returns[:, 1]]))
        return {"belief_log_loss": log_loss(held_out, values.belief), "uniform_log_loss": log_loss(held_out, None)}

    def _examples(self, seed: int, hands: int) -> tuple[Examples, Any]:
        from cardai.learn.gin_belief import examples_of
        from cardai.learn.gin_selfplay import play_hands

        played = play_hands(
            self.game, self._players(True), self._seats(seed, hands), self.fitting.values.belief, seed, hold=0.12
        )
        return examples_of(played.held.views, played.held.hands), played.returns

    def _generation(self) -> Metrics:
        from cardai.learn.gin_selfplay import play_hands
        from cardai.learn.gin_values import EDGES, win_table

        o, values = self.options, self.fitting.values
        seed = derive(self.seed, "generation", self.step)
        seats = self._seats(seed, o.hands)
        played = play_hands(self.game, self._players(True), seats, values.belief, seed)
        found = played.situations
        if self.step == 0 and not o.begin:
            classes = np.digitize(found.points, EDGES)
            for k in range(len(values.results)):
                if (classes == k).sum() >= 20:
                    values.results[k] = found.points[classes == k].mean()
        taught = self.step < o.taught and not o.begin
        rate = o.rate * (2.0 if taught else 0.5 ** (self.step // o.halve))
        losses = self.fitting.fit(
            found.features, found.kinds, found.points, rate, o.epochs, o.batch, derive(seed, "fit")
        )
        against = seats.max(axis=1) > 0
        learner = np.where(seats[:, 0] == 0, 0, 1)
        points = played.returns[np.arange(o.hands), learner][against]
        if not taught and self.step % o.equity_every == 0 and len(points) > o.hands // 4:
            values.wins = win_table(points)
        metrics = {"points_against_league": float(points.mean()) if against.any() else 0.0, "rate": rate}
        names = ("loss_after_discard", "loss_before_draw", "loss_of_knocks")
        return metrics | {name: float(x) for name, x in zip(names, losses, strict=True) if np.isfinite(x)}

    def save(self, directory: Path) -> None:
        from cardai.learn.gin_values import write_values

        write_values(directory / "values.npz", self.fitting.values)
        write_npz(directory / "fitting.npz", {"step": np.int64(self.step), **self.fitting.arrays()})

    def load(self, directory: Path) -> None:
        from cardai.learn.gin_values import Fitting, read_values

        self.fitting = Fitting(read_values(directory / "values.npz"))
        file = directory / "fitting.npz"
        expected: dict[str, Any] = {"step": (np.int64, ())}
        expected |= {name: (array.dtype, array.shape) for name, array in self.fitting.arrays().items()}
        found = read_npz(file, expected)
        if int(found["step"]) < 0 or not all(np.isfinite(array).all() for array in found.values()):
            raise DamagedFileError(f"The file {file} holds numbers that no training writes: it is damaged.")
        self.step = int(found.pop("step"))
        self.fitting.take(found)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        from copy import deepcopy

        from cardai.learn.gin_values import ValuePlayer

        _no_options(options)
        return ValuePlayer(deepcopy(self.fitting.values), "A gin_values run")


@hookimpl
def cardai_trainer() -> type[Trainer]:
    return GinValues
