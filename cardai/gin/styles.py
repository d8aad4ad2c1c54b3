"""Who the opponent at gin is: the chance of each player that is told apart, from the hands that have been played with him.

A style is how often a player's hands are of each kind (:mod:`cardai.gin._style_kernels`). Styles are as likely as
each other before the first hand; hands are taken as independent given the style (naive Bayes).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.fields import Views
from cardai.gin._style_kernels import EVIDENCE, STYLES, evidence_rows

MOST_HANDS = 9
"""Training makes up what has been seen in fewer hands than this."""
_MOST_POINTS = 200
_NUMBERS = ("player", "opener", "turns", "knocker")
_DECAY = 0.9  # a generation's weight among the counts, after the next one


def no_styles(known: int) -> Float64s:
    """Return (STYLES, EVIDENCE) of ``known`` styles of which nothing is known; the others are zero: nobody has them."""
    return np.repeat(np.arange(STYLES) < known, EVIDENCE).reshape(STYLES, EVIDENCE) / EVIDENCE


def evidence(views: Views) -> Int64s:
    """Return what kind of hand the opponents have played, (n,); ``views`` are the players' last ones."""
    return _evidence([views[name] for name in _NUMBERS], views["revealed"], views["history"])


def evidence_of(view: Mapping[str, Any]) -> int:
    """Return what kind of hand the opponent has played; ``view`` is a player's last one."""
    return int(_evidence([[view[name]] for name in _NUMBERS], [view["revealed"]], [view["history"]])[0])


def _evidence(numbers: Any, revealed: Any, history: Any) -> Int64s:
    """Return (n,) evidence by columns of views, which have the same types whatever they were read from."""
    out = np.empty(len(revealed), np.int64)
    columns = np.array(numbers, np.int64), np.array(revealed, np.uint64), np.array(history, np.int16, ndmin=2)
    evidence_rows(*columns, out)
    return out


def logs(styles: Float64s) -> Float64s:
    """Return the logarithms of (STYLES, EVIDENCE) shares; -inf where nobody has the style."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(styles))


def chances(seen: Float64s) -> Float64s:
    """Return the styles' chances (..., STYLES) from the summed logs of all hands."""
    out = np.exp(seen - seen.max(axis=-1, keepdims=True))
    return np.asarray(out / out.sum(axis=-1, keepdims=True))


def drawn_chances(rng: np.random.Generator, styles: Float64s, true: Int64s, fresh: Any) -> Float64s:
    """Return (n, STYLES): what would be thought of opponents of the ``true`` (n,) styles after some hands.

    No hand has been played where ``fresh`` (n,) bool, else 1 to ``MOST_HANDS`` - 1 of them.
    """
    count = len(true)
    hands = np.where(fresh, 0, rng.integers(1, MOST_HANDS, count))
    seen = np.where(styles[:, 0] > 0, 0.0, -np.inf) + np.zeros((count, STYLES))
    table = logs(styles)
    sums = np.cumsum(styles, axis=1)
    for hand in range(MOST_HANDS - 1):
        luck = rng.random(count) * sums[true, -1]
        kind = np.minimum((luck[:, None] >= sums[true]).sum(axis=1), EVIDENCE - 1)
        seen = np.where((hand < hands)[:, None], seen + table[:, kind].T, seen)
    return chances(seen)


class Tally:
    """What hands against each style were and brought, older generations counting less."""

    def __init__(self, known: int) -> None:
        self.known = known
        self.kinds = np.zeros((STYLES, EVIDENCE))
        self.points = np.zeros((STYLES, 2 * _MOST_POINTS + 1))

    def note(self, styles: Int64s, kinds: Int64s, points: Float64s) -> None:
        """Take in a generation: the opponents' ``styles``, what the hands told, and one's own points, (n,) each."""
        self.kinds *= _DECAY
        self.points *= _DECAY
        np.add.at(self.kinds, (styles, kinds), 1.0)
        place = np.clip(points.astype(np.int64), -_MOST_POINTS, _MOST_POINTS) + _MOST_POINTS
        np.add.at(self.points, (styles, place), 1.0)

    def styles(self) -> Float64s:
        """Return the shares (STYLES, EVIDENCE) of kinds of hands, a bit towards even ones."""
        counts = self.kinds[: self.known] + 0.5
        out = no_styles(self.known)
        out[: self.known] = counts / counts.sum(axis=1, keepdims=True)
        return out

    def wins(self) -> Float64s:
        """Return the chances to win a match, (STYLES, 101, 101); of styles hardly met, those against all."""
        sizes = np.arange(-_MOST_POINTS, _MOST_POINTS + 1)
        scored = self.points[:, sizes != 0].sum(axis=1)
        everybody = win_table(sizes, self.points.sum(axis=0))
        out = np.repeat(everybody[None], STYLES, axis=0)
        for style in np.flatnonzero(scored >= 1000):
            out[style] = win_table(sizes, self.points[style])
        return out


def win_table(points: Float64s | Int64s, counts: Float64s | None = None) -> Float64s:
    """Return (101, 101): the chance to win a match to 100 from each pair of scores.

    ``points`` (n,) are one's own returns of finished hands, each ``counts`` (n,) times: all hands to come are drawn from
    them. Hands without points are left out. Source of the idea: doubling points and match equity in backgammon (Keeler and
    Spencer 1975), where the stronger side shuns risks.
    """
    sizes, places = np.unique(np.asarray(points, np.int64), return_inverse=True)
    share = np.bincount(places, counts)
    share[sizes == 0] = 0
    sizes, share = sizes[share > 0], share[share > 0] / share.sum()
    ahead, behind = sizes > 0, sizes < 0
    won, lost = share[ahead], share[behind]
    wins = np.zeros((101, 101))
    wins[100, :] = 1.0
    for total in range(198, -1, -1):
        mine = np.arange(max(0, total - 99), min(99, total) + 1)[:, None]
        his = total - mine
        after_loss = wins[mine, np.minimum(his - sizes[behind], 100)]
        wins[mine[:, 0], his[:, 0]] = wins[np.minimum(mine + sizes[ahead], 100), his] @ won + after_loss @ lost
    return wins
