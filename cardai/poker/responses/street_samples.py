"""Best responses from a street on: sampled over boards or along played hands, or over all classes of flops.

From the river, turn or flop a sample of boards is measured, and the mean is a lower bound on exploitability. From before
the flop it is exploitability: over all 1,755 classes of flops, or at once where the player does not look at its cards; a
sample of flops bounds it from both sides.

Boards ask a player at every public state. One that solves each decision cannot answer that in a day: from the turn or the
river it plays hands against itself. Where one comes to the street, both ranges are known, and best responses are counted out
over all that can come; hands that end before add nothing. As states are come to as often as they are played, the mean over
hands is the same as over boards.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from attrs import evolve, frozen

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.core.spec import brief
from cardai.poker.buckets.tables import STREETS as STREETS
from cardai.poker.hand_classes import CLASSES
from cardai.poker.hands.boards import BOARD_SIZES, boards
from cardai.poker.hands.combos import COUNT, left_by, pair_index
from cardai.poker.range_policy import RangePolicy, blind_policy, need_suits_alike, range_player
from cardai.poker.ranges.leaves import apart
from cardai.poker.ranges.public_tree import DEAL, DECISION, PublicTree, holdem_tree
from cardai.poker.responses.blind_response import blind_response
from cardai.poker.responses.board_sample import sample_boards
from cardai.poker.responses.measure import Options, Response, Sampler, need_some
from cardai.poker.responses.no_limit_hands import DRAWN, no_limit_hands
from cardai.poker.responses.preflop_response import FLOPS, PreflopGame, two_sided
from cardai.poker.responses.street_response import Walker, need_late_showdowns

WHO = "A best response"
RESPONSE_BETS = "0.5+1+2+allin"
"""The bets of a responder in full no-limit, if none are named."""
BOARDS = 20
"""How many boards are drawn unless it is said."""
_ROW = np.zeros(1, np.int64)


@frozen
class StreetOptions(Options):
    """A best response from ``street`` on (0 before the flop, 3 the river)."""

    street: int = 3
    boards: int | None = None
    """How many boards are drawn; None: 20, and from before the flop all classes of flops, for exploitability itself."""
    hands: int | None = None
    """Instead of boards: how many hands the player plays against itself, from the turn or the river on."""
    seed: int = 0
    bets: str | None = None
    """In full no-limit along hands: the responder's bets (None: ``RESPONSE_BETS``)."""
    rivers: int | None = None
    """In full no-limit along hands from the turn: how many rivers are drawn for a hand (None: 4)."""
    device: str = "cpu"
    """Where ranges are walked, cpu or a device of torch's, with the same result."""

    def sampler(self) -> Sampler:
        game, agent = make.as_game(self.game), make.as_agent(self.agent)
        if self.hands is not None and game.amounts:
            return no_limit_hands(game, agent, self.street, self.hands, self.seed, *self._drawn)
        for name, given in (("The responder's bets are", self.bets), ("Rivers are", self.rivers)):
            if given is not None:
                raise UsageError(
                    f"{name} named along hands of full no-limit alone: here all that there are count. Got {given!r}."
                )
        if self.hands is not None:
            return PlayedHands(game, agent, self, self.hands)
        if self.street:
            return BoardSamples(game, agent, self)
        return SampledFlops(game, agent, self) if self.boards is not None else _before_the_flop(game, agent, self)

    def known_by(self) -> list[str | int]:
        if self.hands is not None:
            asked: list[str | int] = ["hands", self.street, self.seed]
            if not make.as_game(self.game).amounts:
                return asked
            bets, rivers = self._drawn
            return [*asked, "promises", bets, *([rivers] if self.street == 2 else [])]
        if not self.street and self.boards is None:
            return [0, len(boards(3).cards), 0]
        return [self.street or "flops", self.drawn, self.seed]

    @property
    def _drawn(self) -> tuple[str, int]:
        """The bets and the number of rivers along hands of full no-limit."""
        return RESPONSE_BETS if self.bets is None else self.bets, DRAWN if self.rivers is None else self.rivers

    @property
    def drawn(self) -> int:
        """How many boards are drawn."""
        return BOARDS if self.boards is None else self.boards


def walker_on(device: str, tree: PublicTree, player: RangePolicy) -> Walker:
    """Return what walks ranges on ``device``, cpu or one of torch's: all of it where the player has tables, else the ends of hands.

    Raises:
        UsageError: torch sees no such device.
    """
    if device == "cpu":
        return Walker(tree, player)
    from cardai.poker.responses.dense_showdowns import DenseShowdowns
    from cardai.poker.responses.device_walk import DeviceWalker, can_walk

    return (
        DeviceWalker(tree, player, device) if can_walk(player, tree) else Walker(tree, player, DenseShowdowns(device))
    )


class _Streets(Sampler):
    """A sampler that walks ranges through streets."""

    def __init__(self, game: Game, agent: Agent, options: StreetOptions, pieces: int) -> None:
        super().__init__(game, agent, pieces, WHO)
        tree = holdem_tree(game, WHO)
        if not options.street:
            need_late_showdowns(tree)
        self.options = options
        player = range_player(game, agent, tree)
        need_suits_alike(player, tree, brief(agent))
        self.walker = walker_on(options.device, tree, player)


class BoardSamples(_Streets):
    """A piece is a board: what answering best from the street on wins there."""

    def __init__(self, game: Game, agent: Agent, options: StreetOptions) -> None:
        need_some(options.drawn, "board")
        super().__init__(game, agent, options, options.drawn)
        self.sample = sample_boards(BOARD_SIZES[options.street], options.drawn, options.seed)

    def piece(self, number: int) -> Float64s:
        street, board = self.options.street, self.sample.boards[number].tolist()
        return np.array(self.walker.gain(street, board, f"Board {number + 1}"))

    def response(self, found: Float64s, done: Bools) -> Response:
        return evolve(super().response(found, done), strata=self.sample.strata[done], seed=self.options.seed)


class SampledFlops(_Streets):
    """A piece is a flop that is drawn; all together bound exploitability from both sides (:mod:`.preflop_response`)."""

    def __init__(self, game: Game, agent: Agent, options: StreetOptions) -> None:
        need_some(options.drawn, "board")
        super().__init__(game, agent, options, options.drawn)
        self.shape = (len(self.walker.flop_roots), 2, CLASSES)
        self.sample = sample_boards(BOARD_SIZES[1], options.drawn, options.seed)
        self._preflop = PreflopGame.of(self.walker)

    def piece(self, number: int) -> Float64s:
        return self.walker.flop_values(self.sample.boards[number].tolist(), f"Board {number + 1}")

    def response(self, found: Float64s, done: Bools) -> Response:
        if not done.any():
            return Response(np.zeros(0), self.big_blind, self.pieces, 0)
        both = two_sided(self._preflop, found[done])
        return Response(
            both.lower,
            self.big_blind,
            self.pieces,
            int(done.sum()),
            strata=self.sample.strata[done][: len(both.lower)],
            seed=self.options.seed,
            upper=both.upper,
        )


class FlopClasses(_Streets):
    """A piece is a class of flops; all together make exploitability."""

    def __init__(self, game: Game, agent: Agent, options: StreetOptions) -> None:
        super().__init__(game, agent, options, len(boards(3).cards))
        self.shape = (len(self.walker.flop_roots), 2, CLASSES)

    def piece(self, number: int) -> Float64s:
        known = boards(3)
        values = self.walker.flop_values(known.cards[number].tolist(), f"Board {number + 1}")
        return values * float(known.weights[number])

    @cached_property
    def preflop(self) -> PreflopGame:
        """The betting before the flop, of which only the whole needs to know."""
        return PreflopGame.of(self.walker)

    def response(self, found: Float64s, done: Bools) -> Response:
        value = float(self.preflop.best(found.sum(axis=0) / FLOPS)[0].mean()) if done.all() else math.nan
        return Response(np.array([value]), self.big_blind, self.pieces, int(done.sum()), exact=True)


class Unseen(Sampler):
    """One piece: exploitability of a player that plays all hands alike, by its probabilities at each node."""

    def __init__(self, other: FlopClasses, policy: Float64s) -> None:
        super().__init__(other.game, other.agent, 1, WHO)
        self.tree, self.policy = other.walker.tree, policy

    def piece(self, number: int) -> Float64s:
        return np.array(blind_response(self.tree, self.policy))

    def response(self, found: Float64s, done: Bools) -> Response:
        value = float(found[0]) if done.all() else math.nan
        return Response(np.array([value]), self.big_blind, 1, int(done.sum()), exact=True)


def _before_the_flop(game: Game, agent: Agent, options: StreetOptions) -> Sampler:
    """Return what measures exploitability, in the quickest way.

    Raises:
        UsageError: the player looks at its cards, and does not say that it treats suits alike: the classes of flops would
            stand for others than those that it plays differently.
    """
    classes = FlopClasses(game, agent, options)
    player = classes.walker.player
    policy = blind_policy(player, classes.walker.tree)
    if policy is not None:
        return Unseen(classes, policy)
    if not getattr(player, "ignores_suits", False):
        raise UsageError(
            f"From preflop the classes of flops stand for all flops, and {brief(agent)} does not say that it plays alike "
            "whatever suits are called (ignores_suits). Take --from flop: boards are then drawn with all their suits."
        )
    return classes


class PlayedHands(_Streets):
    """A piece is a hand that the player plays against itself: (what best responses win after it came there, 1), else 0."""

    shape = (2,)

    def __init__(self, game: Game, agent: Agent, options: StreetOptions, hands: int) -> None:
        need_some(hands, "hand")
        if options.street not in (2, 3):
            raise UsageError(
                f"Along played hands a best response begins on the turn (2) or the river (3). Got {options.street}."
            )
        super().__init__(game, agent, options, hands)

    def piece(self, number: int) -> Float64s:
        came = self.play(number)
        return np.zeros(2) if came is None else np.array([self.gain(*came), 1.0])

    def gain(self, node: int, board: tuple[int, ...], ranges: Float64s) -> float:
        """Return what best responses win from ``node`` on, mean over the seats, in chips a hand that comes there.

        ``ranges`` (2, 1326) are how often either seat's hands come to it.
        """
        values = self.walker.values(self.options.street, board, {node: ranges})[node]
        return float((ranges * values).sum()) / 2 / float(ranges[0] @ apart() @ ranges[1])

    def play(self, number: int) -> tuple[int, tuple[int, ...], Float64s] | None:
        """Play a hand until the street begins: its root there, the board, both ranges (2, 1326); None if it ends before."""
        tree, node = self.walker.tree, 0
        tables, rng = self.game.tables(1), np.random.default_rng(derive(self.options.seed, "play", number))
        tables.reset(np.array([derive(self.options.seed, "deal", number)], np.uint64))
        reach = np.ones((2, COUNT))
        while tree.kind[node] == DECISION:
            view = tables.views(int(tables.current_players()[0]), _ROW)[0]
            board, actor = tuple(int(card) for card in view["board"] if card >= 0), int(tree.actor[node])
            if tree.street[node] == self.options.street:
                return node, board, reach * left_by(board)
            chances = self.walker.player.range_policy(np.array([node]), board)
            held: Int64s = pair_index(view["hole"][:1], view["hole"][1:])
            own = chances[:, held[0]]
            chosen = int(rng.choice(len(own), p=own / own.sum()))
            reach[actor] *= chances[chosen]
            tables.apply(_ROW, np.array([tree.action[node, chosen]], np.int64))
            node = int(tree.child[node, chosen])
            while tree.kind[node] == DEAL:
                node = int(tree.child[node, 0])
        return None

    def response(self, found: Float64s, done: Bools) -> Response:
        reached = int(found[done, 1].sum())
        return evolve(super().response(found[:, 0], done), reached=reached, skewed=True, seed=self.options.seed)
