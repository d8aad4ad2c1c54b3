"""A review as plain values for programs, and as rows of a table."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from attrs import asdict

from cardai.arena.bootstrap import Interval
from cardai.core.statistics import Estimate
from cardai.core.text import cell
from cardai.study.graded import Decision, GradedHand
from cardai.study.review import Review, Sum

FORMAT = 1
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


def figure(estimate: Estimate | Interval) -> dict[str, Any]:
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
    place = {key: getattr(hand, key) for key in ("number", "game_number", "hand", "group", "seat", "returns")}
    return {**place, **asdict(decision), "lost": decision.lost, "cost": decision.cost}


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


def to_pandas(review: Review) -> Any:
    """Return the rows as a pandas DataFrame. Raises PluginError where pandas is not installed."""
    from cardai.core.extras import need_extra

    need_extra("pandas", "to_pandas()")
    import pandas  # type: ignore[import-untyped]

    return pandas.DataFrame(rows_of(review), columns=COLUMNS)
