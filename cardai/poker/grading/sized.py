"""Charts for two whose raises no chart has: solved with those that were made, in seconds, when such a hand is graded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from attrs import evolve

from cardai.poker.preflop.charts import Chart
from cardai.poker.preflop.making import Goal, chart_of_seeds
from cardai.poker.preflop.rules import HUNDRED, Rules
from cardai.poker.preflop.shares import FITTED
from cardai.poker.preflop.solving import Seed, learned, problem_of
from cardai.poker.preflop.tree import tree_of

SIZES = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0, 10.0, 13.0, 17.0, 22.0, 29.0, 38.0, 50.0)
"""Multiples of the bet before to which raises are rounded, so that hands that are alike share a chart: at most 1.16 times off."""
LEAST = 1.001
"""The smallest size that rules take: a raise of a limp to two big blinds is once the bet, and once more for the limp."""
ALL_OF_IT = 0.9
"""From which share of what can be won a raise is all-in."""
ITERATIONS = 300


def rules_for(rules: Rules, moves: Sequence[tuple[int, str, float, int]], stack: float) -> Rules:
    """Return a chart's rules for two with the raises of ``moves`` (:class:`.before.BeforeFlop`) in place of its own; what can be won
    is ``stack`` big blinds. A raise that the rules would take for all-in, and that is none, is left to them."""
    menus = [[*text.split("/")] for text in (rules.blind_raises, rules.raises)]  # the big blind is seat 0
    most = rules.commit * rules.behind / HUNDRED
    bet, called, level, limp = 1.0, 0, 0, rules.limp
    for seat, kind, to, _ in moves:
        if kind in ("bet", "raise") and (bet < to <= most or to >= ALL_OF_IT * stack):
            times = min(min(SIZES, key=lambda size: abs(size * bet - to)), 0.999 * most / bet)
            own = menus[seat]
            own += own[-1:] * (level + 1 - len(own))
            own[level] = f"{max(times - called, LEAST):.6g}" if to <= most else "allin"
            bet *= times
        called = int(kind == "call")
        limp = limp or (kind == "call" and level == 0)
        level += kind in ("bet", "raise")
    return evolve(rules, limp=limp, blind_raises="/".join(menus[0]), raises="/".join(menus[1]))


@lru_cache(maxsize=64)
def solved_for(rules: Rules) -> Chart:
    """Return the chart of ``rules`` for two, solved once from one seed. Raises UsageError: more sizes than rules may have."""
    problem = problem_of(tree_of(rules), FITTED)
    seed = learned(problem, Seed.begun(0, problem.tree), ITERATIONS, lambda _: None)
    return chart_of_seeds(problem, FITTED, [seed], Goal((0,), ITERATIONS), 0.0)
