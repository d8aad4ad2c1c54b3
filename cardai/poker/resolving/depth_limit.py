"""How far a resolver looks ahead, and what it thinks of what lies behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from cardai.core.arrays import Int64s
from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.spec import brief
from cardai.poker.contract import board_game, plays_holdem
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.range_game import RangeGame
from cardai.poker.ranges.solver import LeafEvaluator
from cardai.poker.resolving.box import VALUES, box
from cardai.poker.values.flop_labels import BehindFlop
from cardai.poker.values.network import DESCRIPTION, ValueNetwork
from cardai.poker.values.network_leaves import LeafValues, NetworkLeaves, TurnLeaves
from cardai.poker.values.plain_network import PlainNetwork, plain, read_plain
from cardai.poker.values.situations import FLOP, HOLDEM_GAME, SECOND
from cardai.training.runs import Run


@frozen
class DepthLimit:
    """From round ``whole`` on hands are solved to their end, before that to the end of the round.

    Behind a round that is solved by itself hands are worth what they win when both check to the end. Such values promise
    nobody anything, so each later round begins anew from both ranges, as the hand did, up to ``whole``.
    """

    whole: int = 0
    network: LeafValues | PlainNetwork | None = None
    """What values the leaves of the last round before ``whole``."""
    looks: int = 0
    """The cards behind those leaves that an iteration looks at; 0: all of them, and what is said of each is promised."""

    def until(self, round_: int, rounds: int) -> int:
        """Return the last round that is walked from a decision in ``round_`` of a hand of ``rounds``."""
        return rounds - 1 if round_ >= self.whole else round_

    def promises(self, round_: int) -> bool:
        """Whether what lies behind ``round_`` is valued so well that the opponent can be promised it."""
        return round_ >= self.whole or (self._asks(round_) and not self.looks)

    def leaves(self, game: RangeGame, round_: int, board: Sequence[int], numbers: Int64s, button: int) -> LeafEvaluator:
        """Return what values the chance nodes behind ``round_``; ``numbers`` (n,) are the hands, in order of the vectors."""
        if self._asks(round_):
            assert self.network is not None
            starter = game.betting.starter(button, round_ + 1)
            if isinstance(self.network, PlainNetwork):
                return TurnLeaves(self.network, board, numbers, game, self.looks, starter)
            return NetworkLeaves(self.network, board, numbers, game, self.looks, starter)
        return CheckedDown(board, numbers, game.hands)

    def _asks(self, round_: int) -> bool:
        return self.network is not None and round_ == self.whole - 1


def network_depth_limit(path: str, game: RangeGame, looks: int) -> DepthLimit:
    """Return the depth limit of a network in ``game``: of Leduc's second round, or hold'em's turn.

    Args:
        path: a run of counterfactual_values, or a directory with a network in numpy alone (:mod:`.plain_network`).

    Raises:
        UsageError: it is no such run, has no checkpoint, or is of another street, game, stack or menu. PluginError: no torch.
    """
    few = game.hands.held == 1
    network = _network(path, game, few)
    whole, street = (1, SECOND) if few else (2, "turn")
    known = network.description
    if known.street != street:
        raise UsageError(f"The values in {path!r} are those of the {known.street}. Here the {street}'s are needed.")
    if game.menus and menus(known.bets, (SECOND,) if few else ("turn", "river"))[0] != game.menus[whole]:
        raise UsageError(
            f"The values in {path!r} are those of bets {known.bets} on the {street}. resolving looks at others there: give it "
            f"bets=...,{street}={known.bets},... values of its own bets, or values=exact."
        )
    return DepthLimit(whole, network, 0 if few else looks)


def hand_network(path: str, street: str) -> PlainNetwork:
    """Return the network over hands of no-limit hold'em in ``path``, as :func:`network_depth_limit` takes it.

    Raises:
        UsageError: it is no such run, has no checkpoint, or is of another street or of buckets. PluginError: no torch.
    """
    network = _network(path, HOLDEM_GAME, few=False)
    if not isinstance(network, PlainNetwork):
        raise UsageError(
            f"The values in {path!r} are those of buckets. Here a network over hands is needed (shape=hands)."
        )
    if network.description.street != street:
        raise UsageError(
            f"The values in {path!r} are those of the {network.description.street}. Here the {street}'s are needed."
        )
    return network


def behind_flop(street: str | None, path: str) -> BehindFlop | None:
    """Return what values situations on the flop: the network of the turn in ``path``, else in the box; on another ``street`` nothing.

    Raises:
        UsageError: there is none, or ``path`` is named where nothing is asked of it.
    """
    if street != FLOP:
        if path:
            raise UsageError("A network values what lies behind the flop, and no other street. Leave out --values.")
        return None
    here = box()
    if not path and here is None:
        raise UsageError(
            "Flops need a network of the turn behind them: --values RUN, or pip install ./players for the box's."
        )
    return BehindFlop(hand_network(path or str(here / VALUES), "turn"))  # type: ignore[operator]


def _network(path: str, game: RangeGame, few: bool) -> ValueNetwork | PlainNetwork:
    if not few and game.betting.no_limit and os.path.isfile(Path(path) / DESCRIPTION):
        return read_plain(Path(path))
    Run.open(Path(path))  # where there is none, torch would not help
    need_extra("torch", "A network of values", "torch")
    from cardai.poker.values.network import latest_checkpoint, load_network

    run, checkpoint = latest_checkpoint(Path(path))
    network, made_for = load_network(checkpoint), run.game()
    theirs = board_game(made_for)
    same = theirs is not None and (theirs.betting, tuple(theirs.stacks)) == (game.betting, game.stacks)
    in_proportion = (
        network.code is None and game.betting.no_limit and plays_holdem(made_for, 2)
    )  # stacks are told in pots
    if not same and (few or not in_proportion):
        raise UsageError(f"The values in {path!r} are those of {brief(made_for)}. They are no use in this game.")
    return plain(network) if in_proportion and not few else network
