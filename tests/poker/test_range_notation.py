"""Ranges in the notation of poker players."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.poker.hand_classes import class_of, class_text
from cardai.poker.hands.combos import pair_index
from cardai.poker.notation import parse_range, range_text


def classes(text: str) -> set[str]:
    return {class_text(int(number)) for number in set(class_of()[parse_range(text) > 0].tolist())}


@pytest.mark.parametrize(
    ("text", "wanted", "hands"),
    [
        ("TT+", "TT JJ QQ KK AA", 30),
        ("KTo+", "KTo KJo KQo", 36),
        ("A2s+", "A2s A3s A4s A5s A6s A7s A8s A9s ATs AJs AQs AKs", 48),
        ("AK", "AKs AKo", 16),
        ("ka", "AKs AKo", 16),
        ("99-66", "66 77 88 99", 24),
        ("66-99", "66 77 88 99", 24),
        ("A5s-A2s", "A2s A3s A4s A5s", 16),
        ("JTs-87s", "JTs T9s 98s 87s", 16),
        ("J9-T8", "J9s J9o T8s T8o", 32),
        ("AsKh", "AKo", 1),
    ],
)
def test_notation_means_these_hands(text: str, wanted: str, hands: int) -> None:
    assert classes(text) == set(wanted.split())
    assert int((parse_range(text) > 0).sum()) == hands


def test_weights_and_later_parts_replace_earlier_ones() -> None:
    weights = parse_range("random, 22+:50%,  QQ:0.25,AcKd:0")

    def of(hand: str) -> float:
        return float(weights[pair_index(*np.array([parse_cards(hand)]).T)[0]])

    assert (of("7h2c"), of("2c2d"), of("QsQh"), of("AcKd"), of("AdKc")) == (1.0, 0.5, 0.25, 0.0, 1.0)


@pytest.mark.parametrize("text", ["random", "22+,A2s+:0.5,KhQd:0.125", "AA", "random:0.5,AsKs:1"])
def test_a_range_is_written_so_that_it_is_read_back(text: str) -> None:
    weights = parse_range(text)
    assert (parse_range(range_text(weights)) == weights).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("22+,A1s", "cannot be read at 'A1s'"),
        ("AAs", "a pair is neither suited nor offsuit"),
        ("KTo+:150", "a weight is a number from 0 to 1"),
        ("[50]AA", "the bracket is never closed"),
        ("AA[/50]", "brackets hold a weight"),
        ("0%", "more than 0 %"),
        ("QQ-99-", "Known are hands"),
        ("AsAs", "one card cannot be held twice"),
        ("A5s-K2s", "the ends must be pairs"),
        ("A5s-A2o", "both ends must be suited, or both not"),
        ("", "holds no hand"),
        ("AA:0", "holds no hand"),
    ],
)
def test_ranges_that_cannot_be_read_are_quoted(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_range(text)
    assert message in str(error.value)
