"""Values of gin situations: three small networks, how they are fitted, and the player that chooses by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from attrs import define, evolve, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.core.errors import DamagedFileError
from cardai.core.fields import Views
from cardai.core.game import Actions, Game, Legal
from cardai.core.legal import take
from cardai.core.npz import read_npz, write_npz
from cardai.core.rng import Rows
from cardai.gin._belief_kernels import BELIEF_SIZE
from cardai.gin._situation_kernels import FEATURES, KINDS
from cardai.gin._style_kernels import EVIDENCE, STYLES
from cardai.gin._value_kernels import RESULTS, Nets, act_by_values, try_others, worths
from cardai.gin.contract import knock_limits, need_gin
from cardai.gin.styles import chances, evidence_of, logs, no_styles

EDGES = np.array([0.5, 6.5, 11.5, 17.5, 24.5, 25.5, 27.5, 32.5, 39.5, 49.5])
EDGES = np.concatenate([-EDGES[::-1], EDGES])
"""Points between the classes of results."""
_MIDDLES = np.array([3.5, 9, 14.5, 21, 25, 26.5, 30, 36, 44, 58])
_NEWEST = 0.07  # the newest generation's share of the averaged networks
VALUES_OF = "chance to win the match, %"
"""What the players' values of actions are."""
NOISE = np.array([0.06, 0.13, 0.15, 0.15, 0.0, 0.0, 0.0])
"""By phase: half a 95% interval of the error in what two actions differ by, as a share of what a hand can mean at the score
(:meth:`ValuePlayer.stakes`). ``python benchmarks/gin_judge.py`` measures it by playing hands out, and says why not for knocks:
they are given the discards' error, since the hands that the belief draws there are worse than real ones."""
NET_PARTS = ("hidden_weight", "hidden_bias", "head_weight", "head_bias")


@define(eq=False)
class ValueNetworks:
    """What is learned: see :class:`~cardai.gin._value_kernels.Nets` for the shapes."""

    hidden_weight: Float32s
    hidden_bias: Float32s
    head_weight: Float32s
    head_bias: Float32s
    results: Float64s
    wins: Float64s
    belief: Float64s
    styles: Float64s

    @classmethod
    def start(cls, hidden: int, seed: int, known: int = 1) -> ValueNetworks:
        """Return values that know nothing, with ``hidden`` units, of ``known`` players to be told apart."""
        rng = np.random.default_rng([seed, 1])
        return cls(
            (rng.standard_normal((KINDS, FEATURES, hidden)) * 0.15).astype(np.float32),
            np.zeros((KINDS, hidden), np.float32),
            np.zeros((KINDS, hidden, RESULTS), np.float32),
            np.zeros((KINDS, RESULTS), np.float32),
            np.concatenate([-_MIDDLES[::-1], [0.0], _MIDDLES]),
            np.repeat(np.add.outer(np.arange(101.0), 100.0 - np.arange(101.0))[None] / 200.0, STYLES, axis=0),
            np.zeros((STYLES, BELIEF_SIZE)),
            no_styles(known),
        )

    def unknown(self) -> Float64s:
        """Return (STYLES,): what is thought of an opponent of whom nothing was seen."""
        return np.asarray((self.styles[:, 0] > 0) / max(1, (self.styles[:, 0] > 0).sum()))

    def mean_belief(self) -> Float64s:
        """Return the belief (BELIEF_SIZE,) about an opponent of whom nothing was seen."""
        return np.asarray(self.unknown() @ self.belief)

    def take_for_itself(self, style: int) -> None:
        """Think of ``style`` what is thought of style 0, the player by these values, and of both that they are alike."""
        self.hidden_weight[:, FEATURES - STYLES + style] = self.hidden_weight[:, FEATURES - STYLES]
        for array in (self.wins, self.belief, self.styles):
            array[style] = array[0]

    def arrays(self) -> dict[str, Any]:
        """Return everything by name, for a file."""
        return {name: getattr(self, name) for name in _SHAPES}


_SHAPES: dict[str, tuple[Any, tuple[int | None, ...]]] = {
    "hidden_weight": (np.float32, (KINDS, FEATURES, None)),
    "hidden_bias": (np.float32, (KINDS, None)),
    "head_weight": (np.float32, (KINDS, None, RESULTS)),
    "head_bias": (np.float32, (KINDS, RESULTS)),
    "results": (np.float64, (RESULTS,)),
    "wins": (np.float64, (STYLES, 101, 101)),
    "belief": (np.float64, (STYLES, BELIEF_SIZE)),
    "styles": (np.float64, (STYLES, EVIDENCE)),
}


def read_values(file: Path) -> ValueNetworks:
    """Return the values in an npz file. Raises DamagedFileError."""
    found = read_npz(file, _SHAPES)
    widths = {found["hidden_weight"].shape[2], found["hidden_bias"].shape[1], found["head_weight"].shape[1]}
    if len(widths) != 1 or not found["styles"].any() or not all(np.isfinite(array).all() for array in found.values()):
        raise DamagedFileError(f"The file {file} holds no values of gin: it is damaged.")
    return ValueNetworks(**found)


def write_values(file: Path, values: ValueNetworks) -> None:
    """Write values to an npz file, compressed."""
    write_npz(file, values.arrays(), level=9)


@frozen(eq=False)
class ValuePlayer(Agent):
    """Chooses what has the best chance to win the match, by learned values."""

    values_of: ClassVar[str] = VALUES_OF

    values: ValueNetworks
    name: str = "A player by gin values"
    nets: Nets | None = None

    def for_game(self, game: Game) -> ValuePlayer:
        rules = need_gin(game, f"{self.name} plays")
        return evolve(self, nets=self.nets_for(knock_limits(rules), rules.target))

    def nets_for(self, limits: Int64s, target: int) -> Nets:
        """Return the values as kernels read them."""
        return Nets(**self.values.arrays(), limits=limits, target=np.int64(target))

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        return self.act_against(views, legal, rng, np.tile(self.values.unknown(), (len(views), 1)))

    def act_against(self, views: Views, legal: Legal, rng: Rows, styles: Float64s) -> Actions:
        """Return (n,) actions against opponents whose styles are thought to be ``styles`` (n, STYLES)."""
        out = np.empty(len(views), np.int64)
        act_by_values(views, legal, styles, rng.seeds, self._ready(), out)
        return out

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return self.values_against(views, legal, np.tile(self.values.unknown(), (len(views), 1)))

    def judged(self, views: Views, legal: Legal) -> Float64s:
        return self.judged_against(views, legal, np.tile(self.values.unknown(), (len(views), 1)))

    def judged_against(self, views: Views, legal: Legal, styles: Float64s) -> Float64s:
        """Return values of every action (n, num_distinct_actions), none above that of what the player would do itself.

        What it never does it knows least about: it has not seen what comes of it.
        """
        values = self.values_against(views, legal, styles, every=True)
        own = self.act_against(views, legal, Rows(np.zeros(len(views), np.uint64)), styles)
        most = values[np.arange(len(views)), own]
        return np.where(np.isnan(most)[:, None], np.nan, np.minimum(values, most[:, None]))

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        noise = NOISE[views["phase"]] * self.stakes(views)
        return np.asarray(np.repeat(noise[:, None], np.asarray(legal).shape[1], axis=1))

    def stakes(self, views: Views) -> Float64s:
        """Return (n,) what a hand can mean at the score, in % of a match: the chance to win it after 25 points won, less that
        after 25 points lost."""
        nets = self._ready()
        rows, me = np.arange(len(views)), views["player"].astype(np.int64)
        score = np.clip(100 - nets.target + views["score"].astype(np.int64), 0, 100)
        mine, his = score[rows, me], score[rows, 1 - me]
        wins = np.tensordot(self.values.unknown(), self.values.wins, axes=1)
        return np.asarray(100 * (wins[np.minimum(mine + 25, 100), his] - wins[mine, np.minimum(his + 25, 100)]))

    def values_against(self, views: Views, legal: Legal, styles: Float64s, every: bool = False) -> Float64s:
        """Return (n, num_distinct_actions): the chance in % to win the match after each action that is worth a thought.

        NaN elsewhere: after discards from melds, for instance, or where there is no choice; with ``every`` only where the
        networks know nothing (big gin, the wall, which melds are laid down). ``styles`` as in act_against.
        """
        found = np.empty((len(views), np.asarray(legal).shape[1]))
        worths(views, legal, styles, self._ready(), every, found)
        return np.asarray(np.where(found >= 0, 100 * found, np.nan))

    def _ready(self) -> Nets:
        return self.nets if self.nets is not None else self.nets_for(np.full(52, 10, np.int64), 100)


class Chooser(Protocol):
    """What may choose in place of the networks."""

    def choose(self, view: Views, legal: Legal, seed: int, styles: Float64s) -> int:
        """Return an action for one view (1,), or -1: the networks choose."""


class RememberingPlayer(Agent):
    """Plays as a :class:`ValuePlayer` and learns in a match how its opponent plays (unless not ``memory``)."""

    stateful = True
    values_of = VALUES_OF

    def __init__(self, player: ValuePlayer, game: Game, chooser: Chooser | None = None, memory: bool = True) -> None:
        self.player, self.game, self.chooser, self.memory = player, game, chooser, memory
        self._logs = logs(player.values.styles)
        self._seen = np.where(player.values.styles[:, 0] > 0, 0.0, -np.inf)
        self._styles = chances(self._seen)[None]

    def for_game(self, game: Game) -> Agent:
        return type(self)(self.player.for_game(game), game, self.chooser, self.memory)

    def new_match(self, seat: int) -> Self:
        return type(self)(self.player, self.game, self.chooser, self.memory)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        if self.memory:
            self._seen = self._seen + self._logs[:, evidence_of(view)]
            self._styles = chances(self._seen)[None]

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        return self._act(views, legal, rng, np.repeat(self._styles, len(views), axis=0))

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return self.player.values_against(views, legal, np.repeat(self._styles, len(views), axis=0))

    def judged(self, views: Views, legal: Legal) -> Float64s:
        return self.player.judged_against(views, legal, np.repeat(self._styles, len(views), axis=0))

    def value_noise(self, views: Views, legal: Legal) -> Float64s:
        return self.player.value_noise(views, legal)

    def act_together(self, copies: Sequence[Agent], views: Views, legal: Legal, rng: Rows) -> Actions:
        styles = [copy._styles[0] for copy in copies if isinstance(copy, RememberingPlayer)]
        return self._act(views, legal, rng, np.stack(styles))

    def _act(self, views: Views, legal: Legal, rng: Rows, styles: Float64s) -> Actions:
        out = self.player.act_against(views, legal, rng, styles)
        if self.chooser is not None:
            for i in range(len(views)):
                chosen = self.chooser.choose(views[i : i + 1], take(legal, [i]), int(rng.seeds[i]), styles[i])
                out[i] = chosen if chosen >= 0 else out[i]
        return out


@frozen(eq=False)
class Explorer(Agent):
    """Another player that now and then tries something else: ``rates`` (3,) of discards, draws and knocks."""

    player: Agent
    rates: tuple[float, float, float]

    def act_against(self, views: Views, legal: Legal, rng: Rows, styles: Float64s) -> Actions:
        """Return (n,) actions against opponents of ``styles`` (n, STYLES), which a teacher does not heed."""
        out = actions_against(self.player, views, legal, rng, styles).copy()
        try_others(views, legal, rng.seeds, np.array(self.rates), out)
        return out


def actions_against(player: Agent, views: Views, legal: Legal, rng: Rows, styles: Float64s) -> Int64s:
    """Return a player's actions (n,), told what to make of its opponents (n, STYLES) where it listens to that."""
    if isinstance(player, (Explorer, ValuePlayer)):
        return np.asarray(player.act_against(views, legal, rng, styles), np.int64)
    return np.asarray(player.act(views, legal, rng), np.int64)


class Fitting:
    """Adam (Kingma and Ba 2015) on the networks: the cross entropy of the classes of results.

    ``averaged`` are the networks' means over generations, older ones counting less (Polyak and Juditsky 1992): they predict
    better than the newest networks, as far as another forty generations would bring those (measured on held-out hands).
    """

    def __init__(self, values: ValueNetworks) -> None:
        self.values = values
        self.averaged = {name: getattr(values, name).copy() for name in NET_PARTS}
        self.fits = np.zeros(1, np.int64)
        self.first = {name: np.zeros_like(getattr(values, name)) for name in NET_PARTS}
        self.second = {name: np.zeros_like(getattr(values, name)) for name in NET_PARTS}
        self.updates = np.zeros(KINDS, np.int64)

    def arrays(self) -> dict[str, Any]:
        """Return the moments and the newest networks by name, for a checkpoint."""
        out: dict[str, Any] = {"updates": self.updates, "fits": self.fits}
        for name in NET_PARTS:
            out[f"first_{name}"], out[f"second_{name}"] = self.first[name], self.second[name]
            out[f"newest_{name}"] = getattr(self.values, name)
        return out

    def take(self, arrays: dict[str, Any]) -> None:
        """Take up what :meth:`arrays` gave; the values have been those of :meth:`player` until then."""
        self.updates, self.fits = arrays["updates"], arrays["fits"]
        for name in NET_PARTS:
            self.first[name], self.second[name] = arrays[f"first_{name}"], arrays[f"second_{name}"]
            self.averaged[name] = getattr(self.values, name)
            setattr(self.values, name, arrays[f"newest_{name}"])

    def player(self) -> ValueNetworks:
        """Return the values with averaged networks, a copy."""
        return deepcopy(evolve(self.values, **self.averaged))

    def fit(
        self, features: Float32s, kinds: Int64s, points: Float64s, rate: float, epochs: int, batch: int, seed: Any
    ) -> Float64s:
        """Fit situations (n, F) of ``kinds`` (n,) to the ``points`` (n,) they brought; return the losses (KINDS,).

        Minibatches have ``batch`` situations, or all where there are fewer; what is left over waits for the next time.
        """
        classes = np.digitize(points, EDGES)
        rng = np.random.default_rng(seed)
        losses = np.full(KINDS, np.nan)
        for kind in range(KINDS):
            rows = np.flatnonzero(kinds == kind)
            if not len(rows):
                continue
            found = []
            for _ in range(epochs):
                order = rng.permutation(rows)
                for start in range(0, max(1, len(order) - batch + 1), batch):
                    some = order[start : start + batch]
                    found.append(self._update(kind, features[some], classes[some], rate))
            losses[kind] = np.mean(found[-max(1, len(found) // epochs) :])
        self.fits += 1
        share = np.float32(max(1 / self.fits[0], _NEWEST))
        for name, mean in self.averaged.items():
            mean += share * (getattr(self.values, name) - mean)
        return losses

    def _update(self, kind: int, inputs: Float32s, classes: Int64s, rate: float) -> float:
        """Do one step on a minibatch (b, F) and return its loss."""
        w1, b1, w2, b2 = (getattr(self.values, name)[kind] for name in NET_PARTS)
        before = inputs @ w1 + b1
        hidden = np.maximum(before, 0)
        out = hidden @ w2 + b2
        out = np.exp(out - out.max(axis=1, keepdims=True))
        chance = out / out.sum(axis=1, keepdims=True)
        place = (np.arange(len(classes)), classes)
        loss = float(-np.log(chance[place] + 1e-12).mean())
        chance[place] -= 1
        chance /= len(classes)
        back = (chance @ w2.T) * (before > 0)
        slopes = (inputs.T @ back, back.sum(axis=0), hidden.T @ chance, chance.sum(axis=0))
        self.updates[kind] += 1
        done = int(self.updates[kind])
        step = np.float32(rate * np.sqrt(1 - 0.999**done) / (1 - 0.9**done))
        for name, slope in zip(NET_PARTS, slopes, strict=True):
            first, second = self.first[name][kind], self.second[name][kind]
            first += np.float32(0.1) * (slope - first)
            second += np.float32(0.001) * (slope * slope - second)
            getattr(self.values, name)[kind] -= step * first / (np.sqrt(second) + np.float32(1e-8))
        return loss
