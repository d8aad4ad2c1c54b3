"""The options of value learning: examples, learning and measuring, beside those of the network."""

from __future__ import annotations

from typing import Literal

from attrs import frozen, validators

from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief, option
from cardai.draw.contract import is_draw_poker, is_solo_draw
from cardai.learn.bounds import LEARNING_RATE, ROWS
from cardai.poker.contract import deals_holdem


def refuse_game(game: Game) -> None:
    """Raise UsageError for a game that has no values of holds or hands to learn."""
    if is_solo_draw(game) or is_draw_poker(game) or deals_holdem(game):
        return
    spoken = ", ".join(family.name for family in game.families) or "none"
    raise UsageError(
        f"poker_cnn learns values of holds and hands: {brief(game)} is neither video poker, nor betting "
        f"with draws, nor hold'em (families that it speaks: {spoken})."
    )


@frozen(slots=False)
class LearningOptions:
    """What is learned from, how, and what is measured on the way."""

    examples: int = option(
        0,
        help="random hands to learn from; 0: every hand up to suits' names",
        validator=[validators.ge(0), validators.le(2**32)],
    )
    redraws: int = option(
        0,
        help="labels by so many sampled redraws or deals (the paper: 1000, hold'em 2000); 0: exact (hold'em before the "
        "river: 1000). Draw games' are exact whatever it says, as the paper's",
        validator=validators.ge(0),
    )
    thin: bool = option(
        False,
        help="use fewer of the usual hands (the paper): video poker half of those whose best hold keeps one or two cards, "
        "draw games few of those of middling value",
    )
    replay: float = option(
        0.0,
        help="share of each minibatch drawn from hands that were misplayed when last shown, by what that cost "
        "(network=suits, holds)",
        validator=[validators.ge(0), validators.lt(1)],
    )
    policy_weight: float = option(
        1.0, help="weight of the policy head's loss (network=suits)", validator=validators.ge(0)
    )
    temperature: float = option(
        0.01, help="the policy head learns softmax(value / temperature)", validator=validators.gt(0)
    )
    optimizer: Literal["sgd", "adam"] = option("adam", help="sgd: Nesterov momentum 0.9 (the paper)")
    learning_rate: float = option(
        0.002, help="learning rate (the paper: 0.1, in draw games 0.02)", validator=LEARNING_RATE
    )
    anneal: int = option(
        20_000, help="minibatches over which the rate falls to 1% by a cosine; 0: never", validator=validators.ge(0)
    )
    batch: int = option(512, help="examples in a minibatch", validator=ROWS)
    every: int = option(1000, help="minibatches between rows of metrics", validator=validators.gt(0))
    measure: bool = option(
        True, help="exact return and mistakes over all hands with each row of metrics (canonical=true)"
    )
    validation: int = option(
        4000,
        help="held-out random situations measured with each row of metrics where not all hands are; 0: none",
        validator=validators.ge(0),
    )
