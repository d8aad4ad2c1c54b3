"""Poker-CNN's betting heuristic, worked by hand at some points."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.poker.heuristic import betting_policy

ALL = (True, True, True)


def policy(
    value: float, bets: int = 0, round_: int = 0, button: bool = False, legal: tuple[bool, ...] = ALL
) -> list[float]:
    """Return the weights of fold, call and raise of a hand of ``value`` against a baseline of 0.4."""
    names = ("raises", "round", "button", "player")
    views = np.zeros(1, [(name, np.int64) for name in names])
    views["raises"], views["round"], views["player"] = bets, round_, 1
    views["button"] = 1 if button else 0
    return betting_policy(np.array([value]), views, np.array([legal]), 0.4)[0].tolist()


@pytest.mark.parametrize(
    ("given", "weights"),
    [
        # at the bar, no bet: fold 0.5, call 2, raise 2 + 0.5
        ({"value": 0.40}, [0.5, 2.0, 2.5]),
        # on the button: call 1, raise 2 + 0.5 + 0.5; from the turn on 0.5 more
        ({"value": 0.40, "button": True}, [0.5, 1.0, 3.0]),
        ({"value": 0.55, "button": True, "round_": 2}, [0.5, 1.0, 3.5]),
        # the bar rises by 0.10, 0.15 and 0.20 from round to round
        ({"value": 0.50, "round_": 1}, [0.5, 2.0, 2.5]),
        ({"value": 0.60, "round_": 3}, [0.5, 2.0, 2.5]),
        # one bet: the bar 0.05 higher, no aggression; its first bet makes nobody loose
        ({"value": 0.45, "bets": 1}, [0.5, 2.0, 2.0]),
        # two: 0.10 + 0.05 higher; call 0.5 more, fold 0.25 less
        ({"value": 0.55, "bets": 2}, [0.25, 2.5, 2.0]),
        # above and below the bar by 0.05
        ({"value": 0.45}, [0.25, 2.0, 2.5 + 1.5]),
        ({"value": 0.35}, [0.75, 2.0, 2.5 - 0.5]),
        # far below only aggression is left of raising, far above nothing of folding
        ({"value": 0.05}, [0.5 + 5 * 0.35, 2.0, 0.5]),
        ({"value": 0.60}, [0.0, 2.0, 2.5 + 6]),
        # what is not legal goes to calling or checking
        ({"value": 0.40, "legal": (False, True, True)}, [0.0, 2.5, 2.5]),
        ({"value": 0.40, "legal": (True, True, False)}, [0.5, 4.5, 0.0]),
    ],
)
def test_weights_move_with_the_distance_from_the_bar(given: dict[str, object], weights: list[float]) -> None:
    assert policy(**given) == pytest.approx([weight / sum(weights) for weight in weights])  # type: ignore[arg-type]
