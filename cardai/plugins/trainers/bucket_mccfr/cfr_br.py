"""CFR-BR on the river of a solved hold'em game: buckets of hands against best replies of real ones, board by board.

Johanson, Bard, Burch and Bowling, "Finding optimal abstract strategies in extensive-form games" (AAAI 2012): the opponent
of an abstract player is a best response that knows its real hand. Here all streets but the river stay as a run of
``bucket_mccfr``, the *blueprint*, plays them. On a sampled board the ranges with which both seats arrive go through some of
the river's subtrees, and each seat in turn learns against the other's best reply; board k weighs k. A perfect opponent need
not arrive as the blueprint does: part of the range that replies is even over all hands, or hands that the blueprint would
not bring are answered badly, and a best response from the turn brings them.

The river's buckets are ours: a hand is known by its place in the ranges (how much of its own range is weaker, and its
equity against the other's), so that boards on which ranges look alike teach each other, whatever their cards.

    regret.npy, average.npy    (S,) float32, the river's numbers
    blueprint.npy              the blueprint's average policy before the river
    chances.npy                how often each subtree is taken
    state.json                 step, and the blueprint's abstraction
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.progress import tell
from cardai.core.rng import derive, derive_many
from cardai.core.spec import Spec, brief, option
from cardai.core.trainer import Metrics, Trainer, Training
from cardai.plugins.trainers.bucket_mccfr import _river_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr import whole
from cardai.plugins.trainers.bucket_mccfr.agent import FILES, PLAYER_OPTIONS, BucketAgent, policy_options
from cardai.plugins.trainers.bucket_mccfr.checkpoints import (
    Table,
    check_buckets,
    read_finite,
    read_state,
    read_table,
    shrink_table,
    write_state,
    write_table,
)
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout, check_memory, holdem_tree, lay_out
from cardai.plugins.trainers.bucket_mccfr.mccfr import BucketMCCFR
from cardai.plugins.trainers.bucket_mccfr.river import (
    HIGH,
    LOW,
    RIVER,
    Blueprint,
    Group,
    RiverBuckets,
    RiverPlaces,
    groups_of,
)
from cardai.plugins.trainers.bucket_mccfr.river_agent import RiverAgent
from cardai.plugins.trainers.bucket_mccfr.whole import WholeTraining, own_buckets, trunk_layout, whole_player
from cardai.poker.buckets.tables import BucketOptions, buckets
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.public_tree import PublicTree
from cardai.solve.training import policy_called
from cardai.training.runs import Run, run_agent

WEIGHED_ON = 16
"""Boards on which the subtrees are weighed."""
SPREAD = 0.1
"""The share of choices that is even over all subtrees."""
_STATE = ("step", "flop", "turn", "bucket_seed")


@frozen
class BucketCFRBR(Trainer):
    """Lower what a perfect opponent wins on the river from a run of bucket_mccfr (Johanson et al. 2012)."""

    step_unit: ClassVar[str] = "boards"
    retired: ClassVar[Mapping[str, tuple[str, ...]]] = {"feature": ("range",), "river": (), "bucket_seed": ()}

    blueprint: str = option(
        "",
        holds="starting path",
        help="The directory of a run of bucket_mccfr on the same game: it plays until the river.",
    )
    own: int = option(
        50,
        help="Hands are told apart by so many parts of the own range.",
        validator=[validators.ge(1), validators.le(1000)],
    )
    equity: int = option(
        20, help="... and of the equity against the other's.", validator=[validators.ge(1), validators.le(1000)]
    )
    even: float = option(
        0.3,
        help="The share of the opponent's range that is even over its hands: it may have come with any.",
        validator=[validators.ge(0), validators.le(1)],
    )
    lanes: int = option(64, help="Subtrees of the river that learn on a board.", validator=validators.ge(1))
    threads: int = option(
        1, help="1 or 2: each of two learns for one seat (the result is the same).",
        validator=[validators.ge(1), validators.le(256)],
    )  # fmt: skip
    learns: Literal["river", "all"] = option(
        "river", help="river: the streets before it stay as the blueprint plays them; all: they are learned too."
    )
    boards: int = option(
        12,
        help="learns=all: boards of a round, which are learned from the same regrets.",
        validator=[validators.ge(1), validators.le(1024)],
    )
    memory: float = option(1.5, help="Gigabytes that the tables may take.", validator=validators.gt(0))
    measure_every: int = option(0, help="Boards between rows of metrics (0: every 50).", validator=validators.ge(0))

    @property
    def kind(self) -> RiverBuckets:
        """The abstraction of the river."""
        return RiverBuckets(self.own, self.equity)

    def check_game(self, game: Game) -> None:
        _river_tree(game)

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        tree = _river_tree(game)
        if self.learns == "all":
            return WholeTraining(self, game, *_open_blueprint(self.blueprint, game), seed)
        counts = (1, 1, 1, self.kind.count)
        check_memory(game, tree, counts, self.memory, 8)
        options, blueprint = _open_blueprint(self.blueprint, game)
        return RiverTraining(self, game, lay_out(tree, counts), options, blueprint, seed)

    def resume(self, game: Game, encoder: Encoder | None, seed: int, directory: Path) -> Training:
        """Take up a checkpoint, which holds what it needs of the blueprint: its run may be gone."""
        tree = holdem_tree(game)
        cards, blueprint = _kept_blueprint(tree, directory)
        if self.learns == "all":
            taken = WholeTraining(self, game, cards, blueprint, seed)
            taken.load(directory)
            return taken
        made = RiverTraining(self, game, lay_out(tree, (1, 1, 1, self.kind.count)), cards, blueprint, seed)
        made.load(directory)
        return made

    def agent_options(self) -> Mapping[str, str]:
        return PLAYER_OPTIONS

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        policy, purify = policy_options(options)
        tree = holdem_tree(game)
        layout = lay_out(tree, (1, 1, 1, self.kind.count))
        step, (_, blueprint) = read_state(directory, *_STATE)["step"], _kept_blueprint(tree, directory)
        river = read_table(directory / f"{FILES[policy]}.npy", layout.size)
        if self.learns == "all":
            size = trunk_layout(tree, own_buckets(blueprint, False)).size
            trunk = read_table(directory / f"trunk_{FILES[policy]}.npy", size)
            return whole_player(
                game, blueprint, self.kind, (trunk, river), purify, policy_called(policy, step, "boards")
            )
        return _player(game, layout, blueprint, self.kind, river, purify, policy_called(policy, step, "boards"))

    def slim(self, game: Game, directory: Path) -> None:
        tree, river = holdem_tree(game), (1, 1, 1, self.kind.count)
        cards = _kept_blueprint(tree, directory)[0]
        levels = whole.LEVELS if self.learns == "all" else 255
        shrink_table(directory / "average.npy", lay_out(tree, river), river, levels)
        shrink_table(directory / "blueprint.npy", lay_out(tree, cards.counts), cards.counts)
        if self.learns == "all":
            own = own_buckets(_kept_blueprint(tree, directory)[1], False)
            shrink_table(directory / "trunk_average.npy", trunk_layout(tree, own), own.counts, levels)


def _river_tree(game: Game) -> PublicTree:
    """Return the public tree of a game in which the river is played. Raises UsageError for others."""
    tree = holdem_tree(game)
    if not (tree.street[tree.decisions] == RIVER).any():
        raise UsageError(f"bucket_cfr_br learns to play the river. In {brief(game)} nothing is decided there.")
    return tree


def _kept_blueprint(tree: PublicTree, directory: Path) -> tuple[BucketOptions, Blueprint]:
    """Return the abstraction before the river and the policy there that a checkpoint holds. Raises DamagedFileError."""
    state = read_state(directory, *_STATE)
    try:
        cards = BucketOptions(state["flop"], state["turn"], 1, seed=state["bucket_seed"])
    except ValueError as error:
        raise DamagedFileError(
            f"The file {directory / 'state.json'} names buckets that nobody makes: {error}."
        ) from error
    check_buckets(directory, cards)
    layout = lay_out(tree, cards.counts)
    policy = read_finite(directory / "blueprint.npy", layout.size)  # before buckets are made, which takes minutes
    return cards, Blueprint(layout, buckets(cards, whole=False), policy)


def _open_blueprint(text: str, game: Game) -> tuple[BucketOptions, Blueprint]:
    """Return the abstraction before the river and the policy there of a run. Raises UsageError, DamagedFileError."""
    if not text:
        raise UsageError(
            "bucket_cfr_br betters the river of a run of bucket_mccfr: bucket_cfr_br:blueprint=DIRECTORY names it."
        )
    run = Run.open(Path(text))
    trainer = run.trainer()
    if not isinstance(trainer, BucketMCCFR):
        raise UsageError(f"The blueprint must be a run of bucket_mccfr. Got {text}, of {run.trainer_spec}.")
    player = run_agent(Spec(text))
    assert isinstance(player, BucketAgent)
    player.for_game(game)  # refuses another game
    whole, cards = player.layout, BucketOptions(trainer.flop, trainer.turn, 1, seed=trainer.bucket_seed)
    layout = lay_out(whole.tree, cards.counts)
    table = np.zeros(layout.size, np.float32)
    for node in np.unique(whole.tree.roots[whole.tree.decisions]):
        street = int(whole.tree.street[node])
        if street < 3:
            length = int(whole.nodes.node[node, 5]) * cards.counts[street]
            to, source = int(layout.nodes.node[node, 4]), int(whole.nodes.node[node, 4])
            table[to : to + length] = player.table[source : source + length]
    return cards, Blueprint(layout, buckets(cards), table)


def _player(
    game: Game, layout: BucketLayout, blueprint: Blueprint, kind: RiverBuckets, table: Table, purify: bool, name: str
) -> RiverAgent:
    earlier = BucketAgent(game, blueprint.layout, blueprint.buckets, blueprint.average, purify, name)
    return RiverAgent(earlier, layout, RiverPlaces(blueprint, kind), table)


def evened(ranges: Table, share: float) -> Table:
    """Return ranges (2, n, s) of which ``share`` is spread evenly over the n hands; each keeps its sum."""
    return np.asarray((1 - share) * ranges + share * ranges.mean(axis=1, keepdims=True), np.float32)


class RiverTraining(Training):
    """CFR-BR under way. Board k draws from a stream of its own, so a run goes on exactly where it was left."""

    def __init__(
        self,
        options: BucketCFRBR,
        game: Game,
        layout: BucketLayout,
        cards: BucketOptions,
        blueprint: Blueprint,
        seed: int,
    ) -> None:
        self.options, self.game, self.layout = options, game, layout
        self.cards, self.blueprint, self.kind = cards, blueprint, options.kind
        self.seed = derive(seed, "bucket_cfr_br")
        self.step = 0
        self.groups = groups_of(layout)
        self.roots = np.concatenate([group.roots for group in self.groups])
        self.chances = np.zeros(0)
        self.regret, self.average = np.zeros(layout.size, np.float32), np.zeros(layout.size, np.float32)

    def train(self, steps: int) -> Iterator[Metrics]:
        if not len(self.chances):
            self.chances = self._weigh()
        target, every = self.step + steps, self.options.measure_every or 50
        while self.step < target:
            self.learn(self.step + 1)
            self.step += 1
            yield {"subtrees": float(self.step * self.options.lanes)} if self.step % every == 0 else {}

    def learn(self, number: int) -> None:
        """Do board ``number`` (from 1)."""
        draws = derive_many(derive(self.seed, "board", number), count=52 + 1 + len(self.roots))
        board = [int(card) for card in np.argsort(draws[:52])[:5]]
        group, chosen = self._choose(draws[52:].astype(np.float64) / 2.0**64)
        hands, lanes = board_hands(board), group.lanes(chosen)
        start = self.blueprint.ranges(board, hands, group.roots[chosen])
        places = self.kind.of(hands, start)
        cards = LOW[hands.hands], HIGH[hands.hands], hands.ends
        met = evened(start, self.options.even)

        def one(seat: int) -> None:  # the seats' numbers lie apart, and neither looks at the other's
            room = group.room(len(hands.hands), len(chosen))
            tables = np.float32(number), self.regret, self.average
            come = np.stack([start[0], met[1]] if seat == 0 else [met[0], start[1]])
            kernels.cfr_br(group.shape, lanes, seat, cards, come, places[seat], *tables, room)

        with ThreadPoolExecutor(self.options.threads) as pool:
            list(pool.map(one, range(2)))

    def _choose(self, draws: npt.NDArray[np.float64]) -> tuple[Group, npt.NDArray[np.int64]]:
        """Return a group, drawn by its chance, and different members of it, likelier ones more often."""
        starts = np.cumsum([0, *(len(group.roots) for group in self.groups)])
        by_group = np.cumsum(np.add.reduceat(self.chances, starts[:-1]))
        number = min(int(np.searchsorted(by_group, draws[0] * by_group[-1], side="right")), len(by_group) - 1)
        inside = slice(starts[number], starts[number + 1])
        # the smallest of exponential times with these rates: a sample without replacement (Efraimidis and Spirakis 2006)
        times = -np.log1p(-draws[1:][inside]) / self.chances[inside]
        count = min(self.options.lanes, len(times))
        return self.groups[number], np.sort(np.argpartition(times, count - 1)[:count])

    def _weigh(self) -> npt.NDArray[np.float64]:
        """Return (subtrees,) chances by how much is at stake in each: (pot times how often it is reached) ** (2 / 3).

        That power spends boards where they lower the sum of errors most, if each error falls with the square root of the
        boards spent on it.
        """
        mass = np.zeros(len(self.roots))
        for k in range(WEIGHED_ON):
            tell("Weighing the river's subtrees", k, WEIGHED_ON)
            draws = derive_many(derive(self.seed, "weigh", k), count=52)
            board = [int(card) for card in np.argsort(draws)[:5]]
            hands = board_hands(board)
            ranges = self.blueprint.ranges(board, hands, self.roots)
            other = np.zeros(COUNT)
            for s in range(len(self.roots)):
                other[hands.hands] = ranges[1, :, s]
                mass[s] += ranges[0, :, s] @ hands.fold(other)[hands.hands]
        tell("Weighing the river's subtrees", WEIGHED_ON, WEIGHED_ON)
        stake = (mass * np.concatenate([group.pot for group in self.groups])) ** (2 / 3)
        share = (1 - SPREAD) * stake / max(float(stake.sum()), 1e-300) + SPREAD / len(stake)
        return np.asarray(share, np.float64)

    def save(self, directory: Path) -> None:
        write_table(directory / "regret.npy", self.regret)
        write_table(directory / "average.npy", self.average)
        write_table(directory / "blueprint.npy", self.blueprint.average)
        write_table(directory / "chances.npy", self.chances if len(self.chances) else np.zeros(len(self.roots)))
        cards = {"flop": self.cards.flop, "turn": self.cards.turn, "bucket_seed": self.cards.seed}
        write_state(directory, self.cards, step=self.step, **cards)

    def load(self, directory: Path) -> None:
        state, size = read_state(directory, *_STATE), self.layout.size
        cards, blueprint = _kept_blueprint(self.layout.tree, directory)
        self.regret[:] = read_finite(directory / "regret.npy", size)
        self.average[:] = read_finite(directory / "average.npy", size)
        chances = read_finite(directory / "chances.npy", len(self.roots), np.float64)
        self.cards, self.blueprint = cards, blueprint
        self.chances, self.step = chances if chances.any() else np.zeros(0), state["step"]

    def agent(self, options: Mapping[str, Any]) -> Agent:
        policy, purify = policy_options(options)
        table = (self.average if policy == "average" else self.regret).copy()
        name = policy_called(policy, self.step, "boards")
        return _player(self.game, self.layout, self.blueprint, self.kind, table, purify, name)


@hookimpl
def cardai_trainer() -> Mapping[str, type[Trainer]]:
    return {"bucket_cfr_br": BucketCFRBR}
