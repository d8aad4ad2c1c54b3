"""What situations on the flop are worth: the flop's betting is solved, and a network of the turn values what lies behind it.

So DeepStack made its flop's examples (Moravcik et al. 2017, supplement: networks are learned from the river upwards).
"""

from __future__ import annotations

from attrs import frozen

from cardai.poker.ranges.hands import deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import PublicTree, street_betting, tree_after
from cardai.poker.ranges.solver import Solver
from cardai.poker.values.network_leaves import TurnLeaves
from cardai.poker.values.plain_network import PlainNetwork
from cardai.poker.values.situations import BETS, FASTER, STREETS, Labels, Situation, labels_of


def flop_tree(one: Situation, bets: str = BETS) -> PublicTree:
    """Return the public tree of a situation's flop; it ends where the turn is dealt. Raises UsageError: ``bets`` cannot be read."""
    betting = street_betting(2 * one.half_pot, len(STREETS), minimum=one.game.betting.minimum_bet)
    # the button is at seat 1: seat 0 acts first
    return tree_after(betting, one.game.stacks, 1, (), menus(bets, STREETS), until=0)


@frozen(eq=False)
class BehindFlop:
    """A network of the turn, which values what lies behind a flop."""

    network: PlainNetwork

    @property
    def digest(self) -> str:
        """The SHA-256 of the network."""
        return self.network.digest

    def labels(
        self,
        one: Situation,
        iterations: int,
        bets: str = BETS,
        discounts: str | tuple[float, float, float] = FASTER,
        cards: int = 0,
    ) -> Labels:
        """Return what every hand of a situation on the flop is worth.

        Args:
            cards: the turns that an iteration looks at, each iteration others; 0: all 49.

        How far the strategies are from equilibrium is measured by what the network said on average, not by what is behind it.
        """
        boards = deal_boards(one.game.hands, one.board, 1, one.ranges, every=True, isomorphic=False)
        leaves = TurnLeaves(self.network, one.board, boards[0].hands[0], one.game, cards)
        layout = TreeLayout(flop_tree(one, bets), one.game.hands, boards)
        solver = Solver(layout, one.ranges, variant=discounts, leaves=leaves)
        solver.run(iterations)
        return labels_of(solver, solver.hands, [one])[0]
