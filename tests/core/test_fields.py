"""Fields: views pack into arrays and come back as they were; what does not fit is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardai.core.fields import Family, Field, empty_views, pack_views, unpack_view, view_dtype, with_role

FIELDS = (
    Field("top", "card", "the card on top", maximum=51),
    Field("hand", "cards", "the hand", maximum=51, size=5),
    Field("seen", "card_set", "cards seen"),
    Field("sets", "card_set", "a set a seat", size=2),
    Field("turn", "count", "turns so far", maximum=1000),
    Field("kept", "count", "cards kept by seat", maximum=5, size=2),
    Field("pot", "chips", "chips in the pot", maximum=100_000),
    Field("facing", "flag", "facing a bet"),
    Field("player", "seat", "whose view", maximum=1),
    Field("said", "public_history", "actions", maximum=3, size=4),
    Field("raised", "private_history", "own amounts", maximum=100_000, size=2),
)
cards = st.integers(0, 51)
sets = st.integers(0, 2**52 - 1)
views = st.fixed_dictionaries(
    {
        "top": st.integers(-1, 51),
        "hand": st.lists(cards, max_size=5),
        "seen": sets,
        "sets": st.lists(sets, min_size=2, max_size=2),
        "turn": st.integers(0, 1000),
        "kept": st.lists(st.integers(-1, 5), min_size=2, max_size=2),
        "pot": st.integers(-100_000, 100_000),
        "facing": st.booleans(),
        "player": st.integers(-1, 1),
        "said": st.lists(st.integers(0, 3), max_size=4),
        "raised": st.lists(st.integers(0, 100_000), max_size=2),
    }
)


@given(st.lists(views, max_size=4))
def test_packing_and_unpacking_are_inverse(plain: list[dict[str, Any]]) -> None:
    packed = pack_views(FIELDS, plain)
    assert packed.dtype == view_dtype(FIELDS)
    assert [unpack_view(FIELDS, row) for row in packed] == plain


def test_an_empty_view_knows_nothing() -> None:
    empty = unpack_view(FIELDS, empty_views(FIELDS, 2)[1])
    assert empty["top"] == empty["player"] == -1
    assert empty["hand"] == empty["said"] == []
    assert empty["seen"] == empty["turn"] == 0


def test_a_card_set_may_be_given_as_cards() -> None:
    view = unpack_view(FIELDS, empty_views(FIELDS, 1)[0])
    assert pack_views(FIELDS, [{**view, "seen": [0, 51]}])["seen"][0] == np.uint64(1 | 1 << 51)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("hand", [1, 2, 3, 4, 5, 6], "6 entries do not fit in 5"),
        ("top", 300, "'top' (card) cannot hold 300"),
        ("seen", -1, "'seen' (card_set) cannot hold -1"),
        ("kept", [1, 2, 3], "'kept' (count)"),
        ("turn", "many", "cannot hold 'many'"),
        ("said", 7, "'said' (public_history) cannot hold 7"),
    ],
)
def test_what_does_not_fit_is_named(name: str, value: Any, said: str) -> None:
    view = unpack_view(FIELDS, empty_views(FIELDS, 1)[0])
    with pytest.raises(ValueError, match="cannot hold") as error:
        pack_views(FIELDS, [{**view, name: value}])
    assert said in str(error.value)


def test_missing_and_unknown_fields_are_named() -> None:
    view = unpack_view(FIELDS, empty_views(FIELDS, 1)[0])
    del view["pot"]
    with pytest.raises(ValueError, match=r"Missing or unknown: \['pot', 'purse'\]"):
        pack_views(FIELDS, [{**view, "purse": 1}])


def test_a_kind_of_field_must_be_known() -> None:
    with pytest.raises(ValueError, match="kind"):
        Field("x", "joker", "no such kind")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "declared", "said"),
    [
        ("count", {"role": "joker"}, "must be one of player, starter"),
        ("count", {"role": "player"}, "is of the kind seat. 'x' is count"),
        ("public_history", {"role": "seat_of"}, "seat_of:FIELD"),  # which history?
        ("cards", {"role": "own:hand"}, "Got 'own:hand'"),
        ("count", {"labels": ("no", "yes")}, "maximum 2) has 2"),
        ("chips", {"labels": ("no", "yes", "both")}, "chips"),
        ("count", {"scope": "week"}, "scope"),
    ],
)
def test_what_a_field_cannot_be_is_refused(kind: Any, declared: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=r".*") as error:
        Field("x", kind, "a field", 2, **declared)
    assert said in str(error.value.args[0])


def test_what_a_field_is_changes_no_byte_of_a_view() -> None:
    plain = Field("x", "count", "how it ended", 1)
    said = Field("x", "count", "how it ended", 1, labels=("knock", "gin"), role="public", scope="match")
    assert view_dtype([plain]) == view_dtype([said])
    assert (plain.meaning, said.meaning) == ("how it ended", "how it ended: 0 knock, 1 gin")


def test_a_field_is_found_by_its_role() -> None:
    fields = (Field("done", "public_history", "d", 1, 2), Field("by", "public_history", "b", 1, 2, role="seat_of:done"))
    assert with_role(fields, "seat_of:done") is fields[1]
    assert with_role(fields, "player") is None


def test_a_family_fills_in_what_a_game_says_of_a_field() -> None:
    family = Family("f", "games", (Field("pot", "chips", "the pot", unit="chips", role="public"),), (FIELDS[0],))
    assert family.field("pot", 40) == Field("pot", "chips", "the pot", 40, unit="chips", role="public")
    assert family.field("top") == FIELDS[0]
    assert family.field("pot", 40, doc="another").doc == "another"


def test_long_histories_take_as_many_bytes_as_their_numbers_need() -> None:
    assert view_dtype([Field("h", "public_history", "h", maximum=3, size=2)])["h"].base == np.int8
    assert view_dtype([Field("h", "public_history", "h", maximum=200, size=2)])["h"].base == np.int16
    assert view_dtype([Field("h", "public_history", "h", maximum=20_000_000, size=2)])["h"].base == np.int32
    for largest, smaller, larger in ((2**7 - 1, np.int8, np.int16), (2**15 - 1, np.int16, np.int32)):
        for maximum, wanted in ((largest, smaller), (largest + 1, larger)):
            field = Field("h", "private_history", "h", maximum=maximum, size=2)
            assert view_dtype([field])["h"].base == wanted
            assert unpack_view((field,), pack_views((field,), [{"h": [maximum]}])[0]) == {"h": [maximum]}
