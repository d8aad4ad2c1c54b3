"""Ranges as other programs write them: read, written and read back, counted and combined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardai.cards.text import cards_text, parse_cards
from cardai.core.errors import UsageError
from cardai.poker.hand_classes import class_number, class_of, class_text
from cardai.poker.hand_order import ORDER, best_classes, hands_in
from cardai.poker.hands.combos import COUNT, pair_index, pairs
from cardai.poker.hands.equity import range_equity, uniform_range
from cardai.poker.notation import parse_range, range_parts
from cardai.poker.range_forms import FORMS, combos, common, united, without, written_range
from cardai.poker.range_numbers import pio_order

WEIGHTS = st.sampled_from([0.0, 0.0, 1.0, 0.5, 0.25, 0.333333, 0.0001])
BY_CLASS = st.lists(WEIGHTS, min_size=169, max_size=169).filter(any).map(lambda row: np.array(row)[class_of()])
SINGLE = st.tuples(BY_CLASS, st.lists(st.tuples(st.integers(0, COUNT - 1), WEIGHTS), max_size=8))


def with_singles(given: tuple[np.ndarray, list[tuple[int, float]]]) -> np.ndarray:
    weights = given[0].copy()
    for hand, weight in given[1]:
        weights[hand] = weight
    return weights


@pytest.mark.parametrize("form", [name for name in FORMS if name != "grid"])
@settings(max_examples=10, deadline=None)
@given(weights=SINGLE.map(with_singles).filter(np.any))
def test_a_range_is_read_back_from_every_form(form: str, weights: np.ndarray) -> None:
    assert np.allclose(parse_range(written_range(weights, form)), weights, rtol=1e-5, atol=0)


@settings(max_examples=10, deadline=None)
@given(weights=BY_CLASS)
def test_a_range_of_classes_is_read_back_from_a_grid(weights: np.ndarray) -> None:
    assert np.allclose(parse_range(written_range(weights, "grid")), weights, rtol=1e-5, atol=0)


def test_a_grid_cannot_say_single_hands() -> None:
    with pytest.raises(UsageError, match="hands of AKs have several"):
        written_range(parse_range("AA,AsKs"), "grid")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("QQ-", "22,33,44,55,66,77,88,99,TT,JJ,QQ"),
        ("ATs-", "A2s,A3s,A4s,A5s,A6s,A7s,A8s,A9s,ATs"),
        ("Axs", "A2s+"),
        ("Kx", "K2s+,K2o+"),
        ("Qxs+", "Q2s+,K2s+,A2s+"),
        ("AA@0.5", "AA:0.5"),
        ("AA:50,KK@12.5%", "AA:0.5,KK:0.125"),
        ("[50]AA,KK[/50]", "AA:0.5,KK:0.5"),
        ("A♠K♥:0.5", "AsKh:0.5"),
        ("QQ+,[12.5]AKs, AKo[/12.5] ; 76s", "QQ+,AKs:0.125,AKo:0.125,76s"),
        ("[25]AA,[75]KK[/75],QQ[/25]", "AA:0.25,KK:0.75,QQ:0.25"),
        ("2%", "JJ+"),
        ("100%", "random"),
        ("AdKd,AKs:0", "AKs:0,AA:0,22"),
    ],
)
def test_what_people_write_means_the_same(text: str, same: str) -> None:
    if same.endswith(",22"):  # a later part replaces an earlier one, so that nothing is left
        with pytest.raises(UsageError, match="holds no hand"):
            parse_range(text)
        return
    assert (parse_range(text) == parse_range(same)).all()


def test_pios_hands_are_in_its_order_and_its_numbers_may_be_percent() -> None:
    cards = pairs()
    names = [cards_text(cards[hand]) for hand in pio_order()[:8]]
    # PioSOLVER's show_hand_order begins 2d2c 2h2c 2h2d 2s2c 2s2d 2s2h 3c2c 3c2d
    assert [set(parse_cards(name)) for name in names] == [
        set(parse_cards(name)) for name in ["2d2c", "2h2c", "2h2d", "2s2c", "2s2d", "2s2h", "3c2c", "3c2d"]
    ]
    numbers = np.zeros(COUNT)
    numbers[1325] = 50.0  # AsAh is the last
    (hand,) = np.flatnonzero(parse_range(" ".join(map(str, numbers))))
    assert hand == pair_index(*np.array([parse_cards("AsAh")]).T)[0]
    assert parse_range(" ".join(map(str, numbers)))[hand] == 0.5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" ".join(["1"] * 1325), "Got 1,325"),
        (" ".join(["1"] * 1325 + ["-1"]), "weights from 0 to 1"),
        (" ".join(["1"] * 1325 + ["nan"]), "weights from 0 to 1"),
        (" ".join(["1"] * 1325 + ["x"]), "words among its numbers"),
        ("A" * 300_000, "characters"),
    ],
)
def test_numbers_that_are_no_range_are_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_range(text)


def test_ranges_are_united_cut_and_counted() -> None:
    one, other = parse_range("AA,KK:0.5"), parse_range("KK:0.25,QQ")
    assert combos(one) == 9
    assert (united(one, other) == parse_range("AA,KK:0.5,QQ")).all()
    assert (common(one, other) == parse_range("KK:0.25")).all()
    assert (without(one, other) == parse_range("AA,KK:0.25")).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [("22+", "22+"), ("TT-66", "TT-66"), ("A2s+,K9s-K7s", "A2s+ K9s-K7s"), ("AsKs,AA:0.5", "AA AsKs"), ("AKo", "AKo")],
)
def test_the_fewest_words_are_written(text: str, words: str) -> None:
    assert " ".join(name for name, _ in range_parts(parse_range(text))) == words


def test_the_best_hands_are_in_order_of_their_chance_against_a_random_one() -> None:
    assert sorted(ORDER) == sorted(map(class_text, range(169)))
    assert sum(map(hands_in, ORDER)) == COUNT
    chance = range_equity(uniform_range(), uniform_range(), samples=1500, seed=1).by_hand[0]
    mean = np.bincount(class_of(), chance, 169) / np.bincount(class_of(), minlength=169)
    ordered = np.array([mean[class_number(name)] for name in ORDER])
    assert (ordered[:-40] > ordered[40:]).all()  # nearer ones are closer than 1,500 boards can tell
    assert ordered[0] == pytest.approx(0.852, abs=0.01)  # AA wins 85.2 % against a random hand


@pytest.mark.parametrize("share", [0.001, 0.05, 0.15, 0.5, 1.0])
def test_a_share_of_hands_is_met_as_near_as_whole_classes_allow(share: float) -> None:
    held = sum(map(hands_in, best_classes(share)))
    assert abs(held - share * COUNT) <= 6
