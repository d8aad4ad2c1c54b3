"""``cardai.solve``: a spot of hold'em from its terms to its solution.

>>> import cardai
>>> solved = cardai.solve("KsTh7s4d2c", pot=200, stack=400, ranges=["QQ+,AKs", "JJ,KQs"], bets="1+allin", to=1.0)
>>> solved.exploitability < 1.0, round(sum(solved.values))
(True, 200)
>>> solved.at("x").actions
('check', 'bet 200', 'all-in 400')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from cardai.cards.text import cards_text
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import COUNT
from cardai.poker.notation import range_text
from cardai.poker.ranges.locks import Lock, parse_lock
from cardai.poker.ranges.solution import Solution, prepare, solve
from cardai.poker.ranges.spot import Spot, check_chips, parse_board


def solve_spot(
    board: str,
    *,
    pot: float,
    stack: float | Sequence[float],
    ranges: Sequence[str | Float64s] = ("random", "random"),
    bets: str = "0.5+1+allin",
    rake: float = 0.0,
    rake_cap: float = 0.0,
    locks: Sequence[Lock | str] = (),
    limit: Sequence[int] = (),
    cap: int = 0,
    minimum: int = 0,
    check_down: bool = False,
    isomorphic: bool = True,
    add_allin: float = 0.0,
    force_allin: float = 0.0,
    merge: float = 0.0,
    aggressor: int = -1,
    to: float = 0.25,
    iterations: int = 5000,
    threads: int = 1,
    out: str | Path | None = None,
) -> Solution:
    """Solve a spot of hold'em over ranges to an exploitability of ``to`` % of the pot.

    Example:

    >>> import cardai
    >>> board, ranges = "KsTh7s4d2c", ["QQ+,AKs", "JJ,KQs"]
    >>> solved = cardai.solve(board, pot=20, stack=10, ranges=ranges, bets="allin", locks=["a: f=0.25 c=0.75"])
    >>> [round(float(often), 2) for often in solved.at("a").frequencies]
    [0.25, 0.75]

    Args:
        board: three, four or five cards, such as "KsTh7s4d".
        pot: the chips in the pot. stack: the chips behind, one number or one a seat. Both may have cents.
        ranges: of who acts first and of the button, as text ("22+,A2s+") or (1326,) weights.
        bets: sizes by player, street and raise (:mod:`cardai.poker.ranges.sizes`).
        rake: the house's share of every pot, of at most ``rake_cap`` chips (0: no cap).
        locks: decisions that are given, not solved: :class:`cardai.poker.ranges.locks.Lock`, or its text.
        limit: for limit betting the size on each street to come; cap: its bets and raises a street (0: 4).
        minimum: the least bet in chips. check_down: nobody bets behind this street.
        isomorphic: whether boards that differ by suits' names alone are solved once.
        add_allin, force_allin, merge: thresholds in pots (:class:`cardai.poker.ranges.sizes.BetPlan`).
        aggressor: who bet last before this street (0, 1; -1 nobody), for donk bets on it.
        to: the exploitability, in % of the pot, that is enough; iterations: the most that are done.
        out: a directory for the solution.

    Raises:
        UsageError: the spot makes no sense, or needs more memory than there is.
    """
    spot = make_spot(
        board, pot, stack, ranges, locks, bets=bets, rake=rake, rake_cap=rake_cap, limit=tuple(limit), cap=cap,
        minimum=minimum, checked_down=check_down, isomorphic=isomorphic, add_allin=add_allin, force_allin=force_allin,
        merge=merge, aggressor=aggressor,
    )  # fmt: skip
    solution = solve(prepare(spot, threads), to, iterations)
    if out is not None:
        solution.save(out)
    return solution


def make_spot(
    board: str,
    pot: float,
    stack: float | Sequence[float],
    ranges: Sequence[str | Float64s],
    locks: Sequence[Lock | str] = (),
    **more: str | float | tuple[float, ...],
) -> Spot:
    """Return a spot from what people give for one; ``more`` are further fields of :class:`Spot`. Raises UsageError."""
    try:
        stacks = tuple(float(one) for one in stack) if isinstance(stack, Sequence) else (float(stack),) * 2
    except (TypeError, ValueError):
        raise UsageError(f"stack is chips, a number or two of them. Got {stack!r}.") from None
    for what, chips in (("The pot", pot), *(("A stack", one) for one in stacks)):
        check_chips(what, chips)
    texts = tuple(one if isinstance(one, str) else range_text(_weights(one)) for one in ranges)
    told = tuple(parse_lock(one) if isinstance(one, str) else one for one in locks)
    fields: Mapping[str, object] = {**more, "locks": told}
    return Spot(cards_text(parse_board(board)), pot, stacks, texts, **fields)  # type: ignore[arg-type]


def _weights(given: Float64s) -> Float64s:
    weights = np.array(given, np.float64)
    if weights.shape != (COUNT,) or not np.isfinite(weights).all() or weights.min() < 0 or weights.max() > 1:
        raise UsageError(f"A range is a text, or {COUNT} weights from 0 to 1. Got the shape {weights.shape}.")
    return weights
