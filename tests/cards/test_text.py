"""Cards in and out of text."""

from __future__ import annotations

import pytest

from cardai.cards import text


def test_every_card_survives_the_round_trip_through_text_and_glyphs() -> None:
    assert [text.parse_card(text.card_text(card)) for card in range(52)] == list(range(52))
    assert [text.parse_card(text.card_glyph(card)) for card in range(52)] == list(range(52))
    assert text.parse_cards(text.cards_text(range(52))) == list(range(52))


def test_card_numbers_are_thirteen_times_suit_plus_rank() -> None:
    assert [text.card_text(card) for card in (0, 12, 13, 51)] == ["2c", "Ac", "2d", "As"]


def test_loose_forms_are_read() -> None:
    assert text.parse_cards(" as,10H K♦ ") == text.parse_cards("AsThKd")
    assert text.parse_cards("") == []


@pytest.mark.parametrize("bad", ["1s", "AsX", "Asd", "AsAs", "AsKdAs", "2c3cA♠AsKd", "??"])
def test_what_is_no_card_is_refused_by_quoting_it(bad: str) -> None:
    with pytest.raises(ValueError, match=r"cards '") as caught:
        text.parse_cards(bad)
    assert bad in str(caught.value)


def test_an_unknown_card_is_written_as_question_marks() -> None:
    assert text.cards_text([51, -1]) == "As??"
    with pytest.raises(ValueError, match="0 to 51"):
        text.card_text(52)


def test_sets_hold_a_bit_a_card() -> None:
    bits = text.card_set([0, 51, -1])
    assert bits == 1 | 1 << 51
    assert text.cards_of(bits) == [0, 51]
