"""CFR-BR over a whole hand: the learner in buckets on all streets, against a rival that answers best on the river.

Johanson, Bard, Burch and Bowling, "Finding optimal abstract strategies in extensive-form games" (AAAI 2012): the rival of a
learner learns by regret in the *trunk*, here the streets before the river, in finer buckets than the learner's, and below it
answers with its real hands as well as can be. So the ranges that come to the river are those of a rival that goes for what
the learner does badly, and nothing is learned against ranges that nobody would bring. Both learn on sampled boards with all
their hands (public chance sampling: Johanson, Bard, Lanctot, Gibson and Bowling 2012), a round of several boards from the
regrets at its beginning; round t weighs t. The subtrees of a street have their numbers to themselves and are learned in
parallel, board after board: the result does not depend on the number of threads.

    regret.npy, average.npy                (S,) float32, the learner's river
    trunk_regret.npy, trunk_average.npy    the learner before the river
    rival.npy                              the rival's regrets
    blueprint.npy                          by whose ranges hands on the river are told apart
    state.json                             step, and the abstraction
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.rng import derive, derive_many
from cardai.core.trainer import Metrics, Training
from cardai.plugins.trainers.bucket_mccfr import _reply_kernels as replies
from cardai.plugins.trainers.bucket_mccfr import _river_kernels as river_kernels
from cardai.plugins.trainers.bucket_mccfr import _whole_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.agent import BucketAgent, policy_options
from cardai.plugins.trainers.bucket_mccfr.checkpoints import Table, read_finite, read_state, write_state, write_table
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout, lay_out
from cardai.plugins.trainers.bucket_mccfr.river import HIGH, LOW, RIVER, Blueprint, RiverBuckets, RiverPlaces
from cardai.plugins.trainers.bucket_mccfr.river_agent import RiverAgent
from cardai.plugins.trainers.bucket_mccfr.textures import Textured
from cardai.plugins.trainers.bucket_mccfr.trunk import HANDS, WIDE, Packed, Rooms, Trunk, places_room
from cardai.poker.buckets.tables import BucketOptions, Buckets
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.ranges._lanes import LANES
from cardai.poker.ranges.public_tree import PublicTree
from cardai.poker.responses.river_forest import RiverForest
from cardai.solve.training import policy_called

if TYPE_CHECKING:
    from cardai.plugins.trainers.bucket_mccfr.cfr_br import BucketCFRBR

LEARNER, RIVAL, BLUEPRINT = 0, 1, 2
LEVELS = 20
"""In the small files of a player actions are rounded to twentieths of the likeliest one: a best response wins no more of it."""


class WholeTraining(Training):
    """CFR-BR over a whole hand under way. A round is learned when its last board is in: a run goes on exactly where it was left."""

    def __init__(self, options: BucketCFRBR, game: Game, cards: BucketOptions, blueprint: Blueprint, seed: int) -> None:
        self.options, self.game, self.cards, self.blueprint, self.kind = options, game, cards, blueprint, options.kind
        tree = blueprint.layout.tree
        self.seed, self.step, self.trunk = derive(seed, "bucket_cfr_br"), 0, Trunk.of(tree)
        self.own, self.rivals = own_buckets(blueprint, False), own_buckets(blueprint, True)
        self.layout = lay_out(tree, (1, 1, 1, self.kind.count))
        self.trunk_layout, self.rival_layout = trunk_layout(tree, self.own), trunk_layout(tree, self.rivals)
        self._check_memory()
        self.trunk_regret, self.trunk_average = (np.zeros(self.trunk_layout.size, np.float32) for _ in range(2))
        self.rival = np.zeros(self.rival_layout.size, np.float32)
        self.places = [self.trunk.places(one) for one in (self.trunk_layout, self.rival_layout, blueprint.layout)]
        number = {int(root): k for k, root in enumerate(self.trunk.roots)}
        player = BucketAgent(game, blueprint.layout, blueprint.buckets, blueprint.average, False, "")
        groves = RiverForest(tree, player).groves
        self._rooms = Rooms()
        self.packed = [Packed(grove, self.layout, self.kind.count, number) for grove in groves]

    def _check_memory(self) -> None:
        """Raise UsageError if the tables, and what is known of a round's boards, need more than the option ``memory``."""
        rows = 4 * (2 * self.trunk_layout.size + self.rival_layout.size) + 4 * 4 * self.layout.size
        needed = rows + self.options.boards * HANDS * (4 * 8 * len(self.trunk.roots) + 8 * self.trunk.rows)
        if needed > self.options.memory * 1e9:
            raise UsageError(
                f"learns=all needs {needed / 1e9:.2f} GB, {rows / 1e9:.2f} of them for tables, and the option memory allows "
                f"{self.options.memory:g} GB. Take fewer boards a round, or raise memory."
            )

    def train(self, steps: int) -> Iterator[Metrics]:
        target, boards, every = self.step + steps, self.options.boards, self.options.measure_every or 50
        with ThreadPoolExecutor(self.options.threads) as pool:
            while self.step < target:
                before = self.step
                end = (before // boards + 1) * boards
                if end <= target:
                    self.learn(end // boards, pool)
                self.step = min(end, target)
                yield {"rounds": self.step // boards} if self.step // every > before // every else {}

    def learn(self, number: int, pool: ThreadPoolExecutor) -> None:
        """Do round ``number`` (from 1)."""
        weight, batch = np.float32(number), self._batch
        first = (number - 1) * self.options.boards + 1
        _all(pool, self._come, [(k, first + k) for k in range(self.options.boards)])
        blocks = [(one, block) for one in range(len(self.packed)) for block in range(self.packed[one].grove.blocks)]
        _all(pool, lambda one, block: self._learn_block(one, block, weight), blocks)
        tables = self.trunk_regret, self.rival, self.trunk_average
        for street in range(RIVER - 1, -1, -1):
            trunk, places = self.trunk.streets[street], (self.places[LEARNER][street], self.places[RIVAL][street])

            def learn(p: int, street: int = street, trunk: Any = trunk, places: Any = places) -> None:
                room = self._rooms.of("trunk", self.trunk.room)
                kernels.learn_part(trunk, street, p, places, batch, weight, tables, room)

            _all(pool, learn, [(p,) for p in range(len(trunk.part))])

    def _learn_block(self, one: int, block: int, weight: Any) -> None:
        packed, batch = self.packed[one], self._batch
        rows = LANES * 2 * packed.buckets
        span = (block * rows, (block + 1) * rows, packed.buckets)
        room = self._rooms.of(f"river {one}", packed.room)
        room.rows[LANES * replies.LEAST : LANES * (replies.LEAST + 1)] = packed.least[block]
        boards, flat = (batch.a, batch.b, batch.ends), (len(batch.a), 2, -1, HANDS)
        reached = batch.come.reshape(flat), batch.back.reshape(flat), packed.rows[block]
        tables = packed.policy, packed.regret, packed.average
        which = self._which[one][:, block]
        replies.learn_block(packed.plan, boards, which, *reached, tables, packed.won[block], weight, span, room)

    @cached_property
    def _which(self) -> list[Any]:
        return [np.zeros((self.options.boards, one.grove.blocks, 2, HANDS * LANES), np.int32) for one in self.packed]

    @cached_property
    def _batch(self) -> kernels.Batch:
        boards, roots, rows = self.options.boards, len(self.trunk.roots) + 1, self.trunk.rows
        come, back = (np.zeros((boards, 2, roots, 2, HANDS), np.float32) for _ in range(2))
        a, b, ends = (np.zeros((boards, HANDS), np.int64) for _ in range(3))
        buckets, policies = np.zeros((3, 3, boards, HANDS), np.int64), np.zeros((boards, 2, rows, WIDE), np.float32)
        return kernels.Batch(a, b, ends, buckets, come, back, policies)

    def _come(self, k: int, number: int) -> None:
        """Bring the ranges to the river on board ``number``, the batch's ``k``th."""
        batch = self._batch
        draws = derive_many(derive(self.seed, "board", number), count=52)
        board = [int(card) for card in np.argsort(draws)[:5]]
        hands = board_hands(board)
        batch.a[k], batch.b[k], batch.ends[k] = LOW[hands.hands] + 1, HIGH[hands.hands] + 1, hands.ends
        known: tuple[Textured | Buckets, ...] = (self.own, self.rivals, self.blueprint.buckets)
        for who, told in enumerate(known):
            for street, size in enumerate((0, 3, 4)):
                batch.buckets[who, street, k] = told.of(board[:size], hands.hands)
        room, (policy, come) = self._rooms.of("trunk", self.trunk.room), self._rooms.of("come", self._coming_room)
        tables = self.trunk_regret, self.rival, self.blueprint.average
        for who, (table, places) in enumerate(zip(tables, self.places, strict=True)):
            lines = come if who == BLUEPRINT else batch.come[k, who]
            chances = policy if who == BLUEPRINT else batch.policies[k, who]
            lines[0] = 1.0
            for street, (trunk, place) in enumerate(zip(self.trunk.streets, places, strict=True)):
                kernels.go_down(trunk, place, batch.buckets[who, street, k], table, chances, room, lines)
        for one in range(len(self.packed)):
            self._place(one, k, come)

    def _place(self, one: int, k: int, come: Table) -> None:
        """Find the buckets of hands on the batch's ``k``th board, by the ranges ``come`` (roots, 2, n) of the blueprint."""
        packed, batch, kind = self.packed[one], self._batch, self.kind
        lanes, start, sums, met, won, places = self._rooms.of(f"places {one}", lambda: places_room(packed.grove.blocks))
        kernels.side_by_side(come.reshape(-1, HANDS), packed.rows, lanes, start)
        cards = batch.a[k] - 1, batch.b[k] - 1
        river_kernels.place_hands(
            batch.ends[k], start, sums, met, won, cards[0], cards[1], kind.own, kind.equity, places
        )
        kernels.row_numbers(places, kind.count, self._which[one][k])

    def _coming_room(self) -> tuple[Table, Table]:
        return np.empty((self.trunk.rows, WIDE), np.float32), np.zeros(self._batch.come.shape[2:], np.float32)

    # -- what is kept -------------------------------------------------------------------------------------------------

    def _river(self, name: str) -> Table:
        """Return the river's ``regret`` or ``average`` as the layout has it."""
        out = np.zeros(self.layout.size, np.float32)
        for packed in self.packed:
            packed.copy(out, getattr(packed, name), back=True)
        return out

    def save(self, directory: Path) -> None:
        for name in ("regret", "average"):
            write_table(directory / f"{name}.npy", self._river(name))
        write_table(directory / "trunk_regret.npy", self.trunk_regret)
        write_table(directory / "trunk_average.npy", self.trunk_average)
        write_table(directory / "rival.npy", self.rival)
        write_table(directory / "blueprint.npy", self.blueprint.average)
        cards = {"flop": self.cards.flop, "turn": self.cards.turn, "bucket_seed": self.cards.seed}
        write_state(directory, self.cards, step=self.step, **cards)

    def load(self, directory: Path) -> None:
        state = read_state(directory, "step", "flop", "turn", "bucket_seed")
        for name in ("regret", "average"):
            table = read_finite(directory / f"{name}.npy", self.layout.size)
            for packed in self.packed:
                packed.copy(table, getattr(packed, name), back=False)
        self.trunk_regret[:] = read_finite(directory / "trunk_regret.npy", len(self.trunk_regret))
        self.trunk_average[:] = read_finite(directory / "trunk_average.npy", len(self.trunk_average))
        self.rival[:] = read_finite(directory / "rival.npy", len(self.rival))
        self.step = state["step"]

    def agent(self, options: Mapping[str, Any]) -> Agent:
        policy, purify = policy_options(options)
        river = self._river("average" if policy == "average" else "regret")
        trunk = (self.trunk_average if policy == "average" else self.trunk_regret).copy()
        return whole_player(
            self.game, self.blueprint, self.kind, (trunk, river), purify, policy_called(policy, self.step, "boards")
        )


def own_buckets(blueprint: Blueprint, high: bool) -> Textured:
    """Return the learner's buckets before the river, or with ``high`` its rival's, which are finer."""
    return Textured(blueprint.buckets, high)


def trunk_layout(tree: PublicTree, buckets: Textured) -> BucketLayout:
    """Return where the numbers of buckets before the river lie."""
    return lay_out(tree, buckets.counts)


def whole_player(
    game: Game, blueprint: Blueprint, kind: RiverBuckets, tables: tuple[Table, Table], purify: bool, name: str
) -> RiverAgent:
    """Return the player of a trunk's and a river's table."""
    tree, own = blueprint.layout.tree, own_buckets(blueprint, False)
    earlier = BucketAgent(game, trunk_layout(tree, own), own, tables[0], purify, name)
    river = lay_out(tree, (1, 1, 1, kind.count))
    return RiverAgent(earlier, river, RiverPlaces(blueprint, kind), tables[1])


def _all(pool: ThreadPoolExecutor, function: Callable[..., None], pieces: Sequence[tuple[Any, ...]]) -> None:
    """Call ``function(*piece)`` of each piece, on the pool's threads."""
    for done in [pool.submit(function, *piece) for piece in pieces]:
        done.result()
