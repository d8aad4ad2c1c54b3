"""Gin values by self-play: what every situation brings, generation after generation, against a league of rule players.

A generation is ``hands`` hands that the newest player, with a little exploration, plays against players drawn from the
league, itself among them; the networks are then fitted to what each situation brought. The first generations are played by
a teacher. Values of what a player himself does next and of who he is are not told apart: this is one step of policy
improvement after the other (Tesauro, "Temporal difference learning and TD-Gammon", 1995, without bootstrapping).

The player tells its league's players apart by the hands they have played in the match: what it thinks of the opponent is an
input of the networks, and the belief and the chances to win are one's own against each. In training that is made up from
what such a player's hands are.

values.npz      the averaged networks, the belief, the tables of winning chances, the players' styles: what plays
fitting.npz     step, the newest networks, Adam's moments, and counts of what hands were and brought
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from attrs import frozen, validators

from cardai import make
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.npz import check_counts, read_npz, write_npz
from cardai.core.rng import derive
from cardai.core.spec import brief, option
from cardai.core.trainer import Metrics, Trainer, Training, shares
from cardai.gin._style_kernels import STYLES
from cardai.gin.belief import Examples, examples_of, fit_belief, log_loss
from cardai.gin.contract import need_gin
from cardai.gin.selfplay import Met, PlayedHands, joined, play_hands, seats_for
from cardai.gin.styles import Tally
from cardai.gin.values import (
    EDGES,
    Explorer,
    Fitting,
    RememberingPlayer,
    ValueNetworks,
    ValuePlayer,
    read_values,
    write_values,
)

SELF = "self"
_LEAST_EXPLORED = 0.25  # of the first exploration: what is tried at the end costs the values of playing on


def _between(least: float, most: float) -> list[Any]:
    return [validators.ge(least), validators.le(most)]


_SHARE = _between(0, 1)


@frozen
class GinValues(Trainer):
    """Learns a gin player from self-play and a league: the belief, then values of situations."""

    step_unit: ClassVar[str] = "generations"

    hidden: int = option(384, help="units of the hidden layer", validator=_between(1, 1024))
    hands: int = option(8000, help="hands of a generation", validator=_between(64, 1_000_000))
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
        holds="training agent",
        help="opponents, each as likely; one given twice is met twice as often; self is the learner",
        validator=validators.min_len(1),
    )
    teacher: str = option("gin_lookahead", holds="training agent", help="who plays the first generations")
    taught: int = option(25, help="generations that the teacher plays", validator=validators.ge(0))
    belief_hands: int = option(16000, help="hands from which the belief is learned", validator=_between(256, 1_000_000))
    begin: str = option(
        "",
        holds="starting path",
        help="a file of values (values.npz) to begin with, belief and all, instead of a teacher; a league of one other "
        "player is first taken for the file's own, as a best response to it needs",
    )
    equity_every: int = option(
        5,
        help="generations after which styles, and the chances to win a match, are taken from the learner's own hands",
        validator=validators.ge(1),
    )
    relearn: int = option(
        60, help="the generation before which the belief is learned again, from the learner's hands; 0: never",
        validator=validators.ge(0),
    )  # fmt: skip
    rate: float = option(5e-4, help="Adam's rate; twice as much while taught", validator=_between(1e-9, 0.1))
    halve: int = option(
        60, help="generations after which rate and exploration are halved, again and again", validator=validators.ge(1)
    )
    epochs: int = option(2, help="times that a generation's situations are gone through", validator=validators.ge(1))
    batch: int = option(1024, help="situations of a minibatch", validator=_between(1, 2**20 - 1))
    actors: int = option(
        1, help="who play: a generation's hands are cut into so many pieces", validator=_between(1, 4096)
    )
    explore_discards: float = option(
        0.03, help="how often another discard is tried; like the next two, halved down to a quarter", validator=_SHARE
    )
    explore_draws: float = option(0.06, help="how often another draw is tried", validator=_SHARE)
    explore_knocks: float = option(0.08, help="how often knocking or not is drawn", validator=_SHARE)

    def check_game(self, game: Game) -> None:
        rules = need_gin(game, "gin_values learns")
        if rules.oklahoma or rules.double_spades or rules.target != 100 or rules.knock_limit != 10:
            raise UsageError(
                f"gin_values learns gin to 100 points with a knock limit of 10. {brief(game)} has other rules; its player "
                "plays that too, by the values of the ordinary game."
            )

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        self.check_game(game)
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
        return _player_of(read_values(directory / "values.npz"), game)


def _found(file: Path) -> Path:
    if not os.path.isfile(file):
        raise UsageError(
            f"The file to begin with, {file}, is not there. Give begin= the values.npz of a gin_values run."
        )
    return file


def _program(spec: str, game: Game) -> Agent:
    """Return a teacher or a league's player. Raises UsageError for one that does not play ``game``, or a person."""
    agent = make.agent(spec).for_game(game)
    if agent.interactive:
        raise UsageError(f"{spec} is a person, and gin_values plays thousands of hands. Name programs: gin_lookahead.")
    return agent


def _player_of(values: ValueNetworks, game: Game) -> Agent:
    """Return the player by the values of a run: in a match it learns how its opponent plays."""
    return RememberingPlayer(ValuePlayer(values, "A gin_values run"), game)


@frozen(eq=False)
class Cast:
    """Who plays beside the learner: a teacher in its place, the others of the league, and whom of them (0: itself) it may meet."""

    game: Game
    teacher: Agent | None
    others: list[Agent]
    numbers: list[int]


@frozen(eq=False)
class Newest:
    """The learner as it stands: its values, whether it is ``taught``, how often it tries something else, and what is held."""

    values: ValueNetworks
    taught: bool
    rates: tuple[float, float, float]
    hold: float


def played_by(cast: Cast, newest: Newest, seed: int, count: int) -> PlayedHands:
    """Play ``count`` hands of a seed: the piece of work."""
    player: Agent | None = cast.teacher if newest.taught else None
    if player is None:
        player = ValuePlayer(newest.values, "A gin_values run").for_game(cast.game)
    seats = seats_for(np.random.default_rng([seed, 3]), count, cast.numbers)
    players = [Explorer(player, newest.rates), *cast.others]
    return play_hands(cast.game, players, seats, newest.values, seed, newest.hold)


class GinValuesTraining(Training):
    """Gin values under way. Generation g draws from a stream of its own, so a run goes on exactly where it was left."""

    def __init__(self, options: GinValues, game: Game, seed: int, fresh: bool = True) -> None:
        self.options, self.game, self.seed = options, game, seed
        self.step = 0
        names = sorted(set(options.league) - {SELF}, key=options.league.index)
        if len(names) >= STYLES:
            raise UsageError(f"The league of gin_values has at most {STYLES - 1} different players. Got {len(names)}.")
        known = 1 + len(names)
        values = ValueNetworks.start(options.hidden, seed, known)
        if options.begin and fresh:
            values = read_values(_found(Path(options.begin)))
            if known == 2 and SELF not in options.league:
                values.take_for_itself(1)
        self.fitting = Fitting(values)
        self.tally = Tally(known)
        self.others = [_program(spec, game) for spec in names]
        self.teacher = _program(options.teacher, game) if options.taught and not options.begin else None
        self.numbers = [0 if spec == SELF else 1 + names.index(spec) for spec in options.league]

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        while self.step < end:
            at_first = self.step == 0 and not self.options.begin
            again = self.step > 0 and self.step == self.options.relearn
            metrics = self._learn_belief() if at_first or again else {}
            metrics |= self._generation()
            self.step += 1
            yield metrics

    def _taught(self) -> bool:
        return self.step < self.options.taught and not self.options.begin

    @cached_property
    def cast(self) -> Cast:
        """Who plays beside the learner, as long as the training lasts."""
        return Cast(self.game, self.teacher, self.others, self.numbers)

    def _played(self, seed: int, count: int, hold: float = 0.0) -> PlayedHands:
        """Play hands of the newest player, or of the teacher in its place, as so many pieces as there are actors."""
        o = self.options
        left = max(_LEAST_EXPLORED, 0.5 ** (self.step // o.halve))
        rates = (left * o.explore_discards, left * o.explore_draws, left * o.explore_knocks)
        newest = Newest(self.fitting.values, self._taught(), rates, hold)
        pieces = [(seed, count)]
        if o.actors > 1:
            pieces = [(derive(seed, "actor", k), len(part)) for k, part in enumerate(shares(count, o.actors))]
        return joined(self.crew.do(played_by, self.cast, newest, pieces))

    def _learn_belief(self) -> Metrics:
        """Fit the belief, about everybody and then about each, to hands of the league; measure on held-out hands."""
        values = self.fitting.values
        examples = self._examples(derive(self.seed, "belief", self.step), self.options.belief_hands)
        held_out = self._examples(derive(self.seed, "held out", self.step), max(256, self.options.belief_hands // 8))
        seed = derive(self.seed, "fit belief", self.step)
        about_all = fit_belief(examples[-1], seed)
        values.belief[:] = about_all
        metrics = {
            "belief_log_loss": log_loss(held_out[-1], about_all),
            "uniform_log_loss": log_loss(held_out[-1], None),
        }
        losses, sizes = [], []
        for k in range(self.tally.known):
            if len(examples[k]) >= 4096:
                values.belief[k] = fit_belief(examples[k], seed, begin=about_all)
            losses.append(log_loss(held_out[k], values.belief[k]) if len(held_out[k]) else 0.0)
            sizes.append(len(held_out[k]))
        metrics["belief_log_loss_of_known_players"] = float(np.average(losses, weights=sizes))
        return metrics

    def _examples(self, seed: int, hands: int) -> list[Examples]:
        """Return examples about each player, and about all."""
        played = self._played(seed, hands, hold=0.12)
        self._note(played.met)
        held = played.held
        about = [held.others == k for k in range(self.tally.known)] + [held.others >= 0]
        return [examples_of(held.views[these], held.hands[these]) for these in about]

    def _note(self, met: Met) -> None:
        """Count hands; now and then take styles and winning chances from the counts."""
        self.tally.note(met.others, met.kinds, met.points)
        if self.step == 0 or self.step % self.options.equity_every == 0:
            values = self.fitting.values
            values.styles = self.tally.styles()
            if len(met.points) > self.options.hands // 4:
                values.wins = self.tally.wins()

    def _generation(self) -> Metrics:
        o, values = self.options, self.fitting.values
        seed = derive(self.seed, "generation", self.step)
        played = self._played(seed, o.hands)
        found = played.situations
        if self.step == 0 and not o.begin:
            classes = np.digitize(found.points, EDGES)
            for k in range(len(values.results)):
                if (classes == k).sum() >= 20:
                    values.results[k] = found.points[classes == k].mean()
        rate = o.rate * (2.0 if self._taught() else 0.5 ** (self.step // o.halve))
        losses = self.fitting.fit(
            found.features, found.kinds, found.points, rate, o.epochs, o.batch, derive(seed, "fit")
        )
        self._note(played.met)
        against = played.met.others > 0
        metrics = {"points_against_league": float(played.met.points[against].mean()) if against.any() else 0.0}
        for k, name in enumerate(o.league):
            if name != SELF and self.numbers[k] not in self.numbers[:k]:
                theirs = played.met.points[played.met.others == self.numbers[k]]
                metrics[f"points_against_{name}"] = float(theirs.mean()) if len(theirs) else 0.0
        metrics["rate"] = rate
        names = ("loss_after_discard", "loss_before_draw", "loss_of_knocks")
        return metrics | {name: float(x) for name, x in zip(names, losses, strict=True) if np.isfinite(x)}

    def save(self, directory: Path) -> None:
        write_values(directory / "values.npz", self.fitting.player())
        write_npz(directory / "fitting.npz", {"step": np.int64(self.step), **self._counts(), **self.fitting.arrays()})

    def _counts(self) -> dict[str, Any]:
        return {"kinds": self.tally.kinds, "points": self.tally.points}

    def load(self, directory: Path) -> None:
        self.fitting = Fitting(read_values(directory / "values.npz"))
        file = directory / "fitting.npz"
        expected: dict[str, Any] = {"step": (np.int64, ())}
        expected |= {
            name: (array.dtype, array.shape) for name, array in (self.fitting.arrays() | self._counts()).items()
        }
        found = read_npz(file, expected)
        check_counts(file, found, "step", "updates", "fits", "kinds")
        squares = [array for name, array in found.items() if name.startswith("second_")]
        if not all(np.isfinite(array).all() for array in found.values()) or any((each < 0).any() for each in squares):
            raise DamagedFileError(f"The file {file} holds numbers that no training writes: it is damaged.")
        self.step = int(found.pop("step"))
        self.tally.kinds, self.tally.points = found.pop("kinds"), found.pop("points")
        self.fitting.take(found)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return _player_of(self.fitting.player(), self.game)


@hookimpl
def cardai_trainer() -> type[Trainer]:
    return GinValues
