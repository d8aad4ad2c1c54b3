"""Public states of a hand that is re-solved."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen


@frozen
class Public:
    """What both players have seen."""

    button: int
    actions: tuple[tuple[int, int, int], ...]
    """(action, round, seat) each; an action is a game's number, bets of no-limit amounts of the whole hand."""
    round: int
    board: tuple[int, ...]
    stacks: tuple[int, int] | None = None
    """What each seat began the hand with, where that is not what the game says: a cash game's stacks go on."""

    @property
    def history(self) -> tuple[int, ...]:
        """The actions alone."""
        return tuple(action for action, _, _ in self.actions)

    @property
    def preflop(self) -> Public:
        """The state that what was done before the flop has led to."""
        early = tuple(action for action in self.actions if action[1] == 0)
        return Public(self.button, early, 0, (), self.stacks)

    def leads_to(self, later: Public) -> bool:
        """Whether ``later`` is this state, or one that can follow it."""
        same = self.button == later.button and self.stacks == later.stacks
        same = same and self.actions == later.actions[: len(self.actions)]
        return same and self.board == later.board[: len(self.board)]

    def before(self, count: int, board_cards: Sequence[int]) -> Public:
        """Return the public state before action ``count``; ``board_cards`` are the cards that lie in each round."""
        round_ = self.actions[count][1]
        return Public(self.button, self.actions[:count], round_, self.board[: board_cards[round_]], self.stacks)
