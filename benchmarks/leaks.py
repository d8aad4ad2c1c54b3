"""Twenty planted leaks: a player of Leduc hold'em that plays an equilibrium but for one habit, reviewed over 2,000 hands.

    python benchmarks/leaks.py [--hands 2000] [--seed 11] [--only WORD]

Each leak is played against the equilibrium and graded by it. Printed: the leak that the review puts first, whether it is the
one that was planted, what the review says it costs per 100 hands with its 95 % interval, and what it costs exactly (the values of
both players by enumeration), and at the end how many were first and how many intervals hold the exact cost.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from cardai import make
from cardai.arena import match, records
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.solve import head_to_head
from cardai.study.judge import Judge, judge_for
from cardai.study.review import LEAK, Review
from cardai.study.session import job_of, run

FOLD, CALL, RAISE = 0, 1, 2
GAME = "leduc"
View = Mapping[str, Any]


@frozen
class Leak:
    """A habit: ``where`` says of a view whether it holds, ``does`` is the action that is then taken, if it may be."""

    name: str
    where: Callable[[View], bool]
    does: int
    first: str
    """What the review's list must begin with."""


def rank(view: View) -> int:
    """Return the rank of the card that is held: 0 jack, 1 queen, 2 king."""
    return int(view["hole"][0]) // 2


def paired(view: View) -> bool:
    """Whether the card makes a pair with the board."""
    return bool(len(view["board"])) and int(view["board"][0]) // 2 == rank(view)


def faced(view: View) -> int:
    """Return how often was bet and raised in the round, 0 where nothing is to be called."""
    return int(view["raises"]) if view["to_call"] else 0


def at(number: int, bets: int, holds: Callable[[View], bool]) -> Callable[[View], bool]:
    """Return whether a view is of round ``number`` (0, 1), faces so many bets, and ``holds``."""
    return lambda view: int(view["round"]) == number and faced(view) == bets and holds(view)


def any_hand(view: View) -> bool:
    """Every hand."""
    return True


ONE, TWO = "before the flop", "round 2"
LEAKS = (
    Leak("folds too much to bets at the end", at(1, 1, lambda v: not paired(v)), FOLD, f"{TWO}, facing a bet: fold for call"),
    Leak("never bluffs at the end", at(1, 0, lambda v: not paired(v) and rank(v) == 0), CALL, f"{TWO}, first to bet: check for"),
    Leak("calls every bet at the end", at(1, 1, any_hand), CALL, f"{TWO}, facing a bet: call for fold"),
    Leak("calls every raise at the end", at(1, 2, any_hand), CALL, f"{TWO}, facing a raise: call for fold"),
    Leak("bets everything at the end", at(1, 0, any_hand), RAISE, f"{TWO}, first to bet: bet for check"),
    Leak("raises everything at the end", at(1, 1, any_hand), RAISE, f"{TWO}, facing a bet: raise for"),
    Leak("never bets a pair", at(1, 0, paired), CALL, f"{TWO}, first to bet: check for bet"),
    Leak("never raises a pair", at(1, 1, paired), CALL, f"{TWO}, facing a bet: call for raise"),
    Leak("never bets at the end", at(1, 0, any_hand), CALL, f"{TWO}, first to bet: check for bet"),
    Leak("bets a king without a pair always", at(1, 0, lambda v: rank(v) == 2 and not paired(v)), RAISE, f"{TWO}, first to bet: bet for check"),
    Leak("bluffs every jack at the end", at(1, 0, lambda v: rank(v) == 0 and not paired(v)), RAISE, f"{TWO}, first to bet: bet for check"),
    Leak("raises every bluff", at(1, 1, lambda v: rank(v) == 0 and not paired(v)), RAISE, f"{TWO}, facing a bet: raise for fold"),
    Leak("pays off with jacks at the end", at(1, 1, lambda v: rank(v) == 0 and not paired(v)), CALL, f"{TWO}, facing a bet: call for fold"),
    Leak("folds kings to bets at the end", at(1, 1, lambda v: rank(v) == 2 and not paired(v)), FOLD, f"{TWO}, facing a bet: fold for call"),
    Leak("raises kings without a pair", at(1, 1, lambda v: rank(v) == 2 and not paired(v)), RAISE, f"{TWO}, facing a bet: raise for call"),
    Leak("bets queens without a pair always", at(1, 0, lambda v: rank(v) == 1 and not paired(v)), RAISE, f"{TWO}, first to bet: bet for check"),
    Leak("folds pairs to raises", at(1, 2, paired), FOLD, f"{TWO}, facing a raise: fold for call"),
    Leak("folds queens before the board", at(0, 1, lambda v: rank(v) == 1), FOLD, f"{ONE}, facing a bet: fold for call"),
    Leak("folds kings before the board", at(0, 1, lambda v: rank(v) == 2), FOLD, f"{ONE}, facing a bet: fold for"),
    Leak("folds to every raise before the board", at(0, 2, any_hand), FOLD, f"{ONE}, facing a raise: fold for call"),
)  # fmt: skip


class Leaky(Agent):
    """An equilibrium player with one habit."""

    def __init__(self, player: Agent, game: Game, leak: Leak) -> None:
        self.player, self.game, self.leak = player, game, leak

    def policy(self, views: Views, legal: Legal) -> Float64s:
        out = np.array(self.player.policy(views, legal), np.float64)
        mask = np.asarray(legal)
        for row, packed in enumerate(views):
            if mask[row, self.leak.does] and self.leak.where(unpack_view(self.game.view_fields, packed)):
                out[row] = 0.0
                out[row, self.leak.does] = 1.0
        return out


def tried(game: Game, judge: Judge, leak: Leak, hands: int, seed: int) -> tuple[Review, float]:
    """Return the review of a leaky player over ``hands`` hands against the equilibrium, and its exact cost a hand."""
    leaky = Leaky(judge.agent, game, leak)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hands.jsonl"
        match.play(game, [leaky, judge.agent], games=hands, seed=seed, record=file, names=["hero", "equilibrium"])
        review, _ = run(job_of(records.read(file), game, "hero", judge))
    exact = head_to_head(game, judge.agent, judge.agent) - head_to_head(game, leaky, judge.agent)
    return review, float(exact)


def found(review: Review) -> str:
    """Return the leak that a review puts first, "" where there is none."""
    leaks = review.sums(LEAK)
    return leaks[0].name if leaks else ""


def main() -> None:
    """Plant all and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    game = make.game(GAME)
    judge = judge_for(game)
    first = within = count = 0
    for number, leak in enumerate(LEAKS):
        if given.only not in leak.name:
            continue
        review, exact = tried(game, judge, leak, given.hands, given.seed + number)
        name, cost = found(review), review.total.per_100
        right = name.startswith(leak.first)
        holds = abs(cost.mean - 100 * exact) <= cost.half_width
        first, within, count = first + right, within + holds, count + 1
        said = "first" if right else f"NOT first: {name!r}"
        sys.stdout.write(
            f"{leak.name}: {said}; {cost.mean:.2f} ± {cost.half_width:.2f} chips per 100 hands, exactly {100 * exact:.2f}"
            f"{'' if holds else ' (OUTSIDE)'}\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{first} of {count} first in the list; {within} intervals hold the exact cost\n")


if __name__ == "__main__":
    main()
