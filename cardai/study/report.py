"""A review as text for people, as plain values for programs, and as rows of a table."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from cardai.core.statistics import Estimate
from cardai.core.text import cell, one_line
from cardai.study.graded import Decision, GradedHand, as_plain
from cardai.study.review import Review, Sum

FORMAT = 1
SUMS = 8
"""How many of each kind's sums the text shows, the dearest: plain values have all."""
COLUMNS = (
    "number", "game_number", "hand", "seat", "place", "verdict", "taken", "best", "value", "best_value", "lost", "floor",
    "cost", "phase", "position", "kind", "line", "reasons",
)  # fmt: skip


def plain(review: Review, dearest: int | None = None) -> dict[str, Any]:
    """Return a review as plain values: what ``cardai review --json`` prints, and pages draw.

    Costs and values are in ``unit``, what was won in ``money``. ``dearest`` limits the list of that name.
    """
    setting = review.setting
    return {
        "cardai": "review",
        "format": FORMAT,
        "game": setting.game,
        "hero": setting.hero,
        "judge": setting.judge,
        "unit": setting.unit,
        "money": setting.money,
        "floor": setting.floor,
        "mistake": setting.mistake,
        "blunder": setting.blunder,
        "hands": len(review.hands),
        "hands_left_out": review.left_out,
        "decisions": len(review.decisions),
        "decisions_left_out": review.not_graded,
        "verdicts": review.verdicts,
        "won_a_hand": figure(review.won),
        "total": _sum(review.total),
        "sums": {key: [_sum(one) for one in review.sums(key)] for key in review.keys},
        "rating": None if math.isnan(review.rating) else review.rating,
        "dearest": [_placed(hand, decision) for hand, decision in review.dearest(dearest)],
    }


def figure(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as mean, low, high (None where unknown) and the number of independent groups behind it."""
    values = {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}
    return {**{key: None if math.isnan(x) else x for key, x in values.items()}, "count": estimate.count}


def _sum(one: Sum) -> dict[str, Any]:
    return {
        "name": one.name,
        "decisions": one.decisions,
        "mistakes": one.mistakes,
        "cost": figure(one.cost),
        "per_100": figure(one.per_100),
    }


def _placed(hand: GradedHand, decision: Decision) -> dict[str, Any]:
    rows = as_plain(
        GradedHand(hand.number, hand.game_number, hand.hand, hand.group, hand.seat, hand.returns, (decision,))
    )
    place = {key: rows[key] for key in ("number", "game_number", "hand", "group", "seat", "returns")}
    return {**place, **rows["decisions"][0]}


def rows_of(review: Review) -> list[dict[str, Any]]:
    """Return a row a decision over :data:`COLUMNS`, in the file's order."""
    out = []
    for hand, decision in review.decisions:
        told = _placed(hand, decision)
        row = {key: told[key] for key in COLUMNS if key in told}
        row |= {"taken": decision.words, "best": decision.best_words}
        row |= {key: decision.situation.get(key, "") for key in ("phase", "position", "kind", "line")}
        row["reasons"] = " ".join(reason.words for reason in decision.reasons)
        out.append(row)
    return out


def csv_of(review: Review) -> str:
    """Return the rows as a CSV file, its texts safe for spreadsheets."""
    held = io.StringIO()
    writer = csv.DictWriter(held, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows_of(review):
        writer.writerow({key: cell(value) if isinstance(value, str) else value for key, value in row.items()})
    return held.getvalue()


# -- text ------------------------------------------------------------------------------------------------------------


def text_of(review: Review, dearest: int = 10) -> str:
    """Return a review as text: what it is of, the sums, the dearest decisions with their reasons."""
    lines = [_title(review), *_counts(review), ""]
    lines += _sums(review)
    costly = review.dearest(dearest)
    if costly:
        lines += ["", f"The dearest decisions (of {len(review.dearest())}):"]
    for rank, (hand, decision) in enumerate(costly, 1):
        lines += decision_lines(decision, review.setting.unit, f"{rank}. hand {hand.number}")
    return "\n".join(lines)


def _title(review: Review) -> str:
    setting = review.setting
    hero, judge = one_line(setting.hero), one_line(setting.judge)
    return f"{hero} at {one_line(setting.game)}, judged by {judge}; costs: {one_line(setting.unit)}"


def _counts(review: Review) -> list[str]:
    names = ", ".join(f"{count:,} {_several(name, count)}" for name, count in review.verdicts.items())
    lines = [f"{len(review.hands):,} hands, {len(review.decisions):,} decisions: {names}"]
    for what, counted in (("hands", review.left_out), ("decisions", review.not_graded)):
        lines += [f"{count:,} {what} left out: {one_line(reason)}" for reason, count in sorted(counted.items())]
    lines.append(f"won {review.won.text(2, review.setting.money, sign=True)} a hand")
    if not math.isnan(review.rating):
        lines.append(f"rating {review.rating:.1f} of 100 (how near to the best; not comparable between judges)")
    return lines


def _several(verdict: str, count: int) -> str:
    return verdict if verdict == "good" or count == 1 else "inaccuracies" if verdict == "inaccuracy" else f"{verdict}s"


def _sums(review: Review) -> list[str]:
    rows = [("", review.total)]
    for key in review.keys:
        rows += [(key, one) for one in review.sums(key)[:SUMS]]
    width = max(len(one_line(one.name)) for _, one in rows)
    lines = [f"{'':<9} {'':<{width}} {'decisions':>9} {'mistakes':>9} {'cost':>10}  per 100 hands"]
    last = None
    for key, one in rows:
        label = "" if key == last else key
        last = key
        lines.append(
            f"{label:<9} {one_line(one.name):<{width}} {one.decisions:>9,} {one.mistakes:>9,} {number(one.cost.mean):>10}  "
            f"{spread(one.per_100)}"
        )
    return lines


def number(value: float) -> str:
    """Return a number with three digits that count, without an exponent."""
    if not math.isfinite(value):
        return "?"
    digits = 2 - math.floor(math.log10(abs(value))) if abs(value) >= 1e-9 else 0
    return f"{value:,.{min(max(digits, 0), 8)}f}"


def spread(estimate: Estimate) -> str:
    """Return "1.23 ± 0.45"; a width that is not known is "?"."""
    return f"{number(estimate.mean)} ± {number(estimate.half_width)}"


def decision_lines(decision: Decision, unit: str, head: str) -> list[str]:
    """Return one decision as lines: what it cost, what was done and what is best, and why."""
    floor = f" (the judge may be off by {number(decision.floor)})" if decision.floor > 0 else ""
    lines = [f"{head}: {decision.verdict}, {number(decision.lost)} {one_line(unit)}{floor}"]
    lines.append(
        f"   {one_line(decision.words)} ({number(decision.value)}); best {one_line(decision.best_words)} ({number(decision.best_value)})"
    )
    where = [decision.situation[key] for key in ("phase", "position", "kind", "line") if decision.situation.get(key)]
    if where:
        lines.append(f"   {one_line(', '.join(where))}")
    return [*lines, *(f"   {one_line(reason.words)}" for reason in decision.reasons)]
