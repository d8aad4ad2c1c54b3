"""How far a resolver looks ahead, and what it thinks of what lies behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from cardai.core.arrays import Int64s
from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.spec import brief
from cardai.poker.contract import board_game
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.ranges.solver import LeafEvaluator
from cardai.poker.values.network_leaves import LeafValues, NetworkLeaves
from cardai.poker.values.situations import SECOND


@frozen
class DepthLimit:
    """From round ``whole`` on hands are solved to their end, before that to the end of the round.

    Behind a round that is solved by itself hands are worth what they win when both check to the end. Such values promise
    nobody anything, so each later round begins anew from both ranges, as the hand did, up to ``whole``.
    """

    whole: int = 0
    network: LeafValues | None = None
    """What values the leaves of the last round before ``whole``."""
    looks: int = 0
    """The cards behind those leaves that an iteration looks at; 0: all of them, and what is said of each is promised."""

    def until(self, round_: int, rounds: int) -> int:
        """Return the last round that is walked from a decision in ``round_`` of a hand of ``rounds``."""
        return rounds - 1 if round_ >= self.whole else round_

    def promises(self, round_: int) -> bool:
        """Whether what lies behind ``round_`` is valued so well that the opponent can be promised it."""
        return round_ >= self.whole or (self._asks(round_) and not self.looks)

    def leaves(self, game: RangeGame, round_: int, board: Sequence[int], numbers: Int64s) -> LeafEvaluator:
        """Return what values the chance nodes behind ``round_``; ``numbers`` (n,) are the hands, in order of the vectors."""
        if self._asks(round_):
            assert self.network is not None
            return NetworkLeaves(self.network, board, numbers, game, self.looks)
        return CheckedDown(board, numbers, game.hands)

    def _asks(self, round_: int) -> bool:
        return self.network is not None and round_ == self.whole - 1


def network_depth_limit(path: str, game: RangeGame, looks: int) -> DepthLimit:
    """Return the depth limit of a run of counterfactual_values in ``game``: of Leduc's second round, or hold'em's turn.

    Raises:
        UsageError: it is no such run, has no checkpoint, or is of another street, game, stack or menu. PluginError: no torch.
    """
    need_extra("torch", "A network of values", "torch")
    from cardai.poker.values.network import latest_checkpoint, load_network

    run, checkpoint = latest_checkpoint(Path(path))
    network, made_for = load_network(checkpoint), run.game()
    theirs, few = board_game(made_for), game.hands.held == 1
    if theirs is None or (theirs.betting, tuple(theirs.stacks)) != (game.betting, game.stacks):
        raise UsageError(f"The values in {path!r} are those of {brief(made_for)}. They are no use in this game.")
    whole, street = (1, SECOND) if few else (2, "turn")
    if network.description.street != street:
        raise UsageError(
            f"The values in {path!r} are those of the {network.description.street}. Here the {street}'s are needed."
        )
    bets = network.description.bets
    if game.menus and menus(bets, (SECOND,) if few else ("turn", "river"))[0] != game.menus[whole]:
        raise UsageError(
            f"The values in {path!r} are those of bets {bets} on the {street}. resolving looks at others there: give it "
            f"bets=...,{street}={bets},... or values of its own bets."
        )
    return DepthLimit(whole, network, 0 if few else looks)
