"""The betting of a game definition as a tree that grows as it is walked, and what its finished hands are worth.

Positions are the competition's: 0 is the first player after the button.
"""

from __future__ import annotations

import gc

from cardai.core.errors import IllegalActionError
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.hand_values import card_set, set_value
from cardai.poker.rules.betting import Betting
from cardai.poker.rules.growing_tree import BettingNode, GrowingTree, rules


def spare_collections() -> None:
    """Look for reference cycles seldom: betting nodes are many, long-lived and few of them garbage."""
    gc.set_threshold(50_000, 50, 50)


class WireTree(GrowingTree):
    """The betting tree of a game definition."""

    def __init__(self, game: GameDef) -> None:
        super().__init__(betting_of(game), game.button, game.stack)
        self.game = game

    def walk(self, rounds: tuple[tuple[int, ...], ...]) -> BettingNode:
        """Return the node after the actions of each round.

        Raises:
            IllegalActionError: an action that the rules refuse, or rounds that end too early or too late.
        """
        node = self.root
        for number, actions in enumerate(rounds):
            for action in actions:
                if node.round != number:
                    raise IllegalActionError(f"The betting has a / too many or too few after {node.text!r}.")
                node = self.after(node, action)
        if len(rounds) != node.round + 1:
            raise IllegalActionError(f"The betting {node.text!r} does not have {len(rounds)} rounds.")
        return node

    def values(self, node: BettingNode, cards: list[int]) -> list[float]:
        """Return each position's result of a finished hand; ``cards`` are the hole cards by position, then the board.

        What counts of the hands is who has the better one, so a node that is kept remembers its results.
        """
        n, size = self.game.num_players, self.game.num_hole
        ranks = [0] * n
        if node.contested:
            board, folded = card_set(cards[n * size :]), node.row["folded"]
            for position in range(n):
                if not folded[position]:
                    ranks[position] = set_value(board | card_set(cards[position * size : position * size + size]))
        return self._paid(node, ranks)

    def outcomes(self, node: BettingNode) -> list[list[float]]:
        """Return what each position's result of a finished hand of two may be, whoever has the better cards."""
        return [self._paid(node, ranks) for ranks in ([1, 0], [0, 1], [0, 0])]

    def _paid(self, node: BettingNode, ranks: list[int]) -> list[float]:
        order = tuple(map(sorted(ranks).index, ranks))
        known: list[float] | None = node.scratch.get(order)
        if known is not None:
            return known
        out = [0.0] * len(ranks)
        rules.payoffs(node.row, self.rules, ranks, out)
        if node.kept:
            node.scratch[order] = out
        return out


def betting_of(game: GameDef) -> Betting:
    """Return the betting rules of a game definition; a seat of the rules is a position of the competition."""
    return Betting(
        num_players=game.num_players,
        num_rounds=game.num_rounds,
        blinds=game.blind,
        first=game.first_player,
        max_raises=game.max_raises,
        raise_sizes=game.raise_size or (0,) * game.num_rounds,
        no_limit=game.no_limit,
        empty_raises=True,
    )
