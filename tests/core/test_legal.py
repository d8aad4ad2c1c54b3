"""Legal actions: what is asked of a mask and of amounts alike."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.core.legal import Amounts, allows, legal_columns, legal_list, legal_text, take

MASK = np.array([[True, False, True], [False, True, False]])
AMOUNTS = Amounts(
    np.array([[True, True, True], [False, True, False], [False, True, True]]),
    np.array([200, 0, 500]),
    np.array([900, 0, 500]),
)


@pytest.mark.parametrize(
    ("legal", "row", "listed", "text"),
    [
        (MASK, 0, [0, 2], "[0, 2]"),
        (MASK, 1, [1], "[1]"),
        (AMOUNTS, 0, [0, 1, 200, 900], "[0, 1, 200 to 900]"),
        (AMOUNTS, 1, [1], "[1]"),
        (AMOUNTS, 2, [1, 500], "[1, 500 to 500]"),
    ],
)
def test_a_row_is_listed_and_written(legal: object, row: int, listed: list[int], text: str) -> None:
    assert legal_list(legal, row) == listed  # type: ignore[arg-type]
    assert legal_text(legal, row) == text  # type: ignore[arg-type]


def test_a_mask_stays_a_plain_array() -> None:
    assert type(take(MASK, [1])) is np.ndarray
    assert take(MASK, [1]).tolist() == [[False, True, False]]  # type: ignore[union-attr]
    assert legal_columns(MASK) is MASK


def test_rows_of_amounts_are_taken_together() -> None:
    taken = take(AMOUNTS, np.array([2, 0]))
    assert [legal_list(taken, row) for row in range(2)] == [[1, 500], [0, 1, 200, 900]]
    assert legal_columns(taken).tolist() == [[False, True, True], [True, True, True]]


@pytest.mark.parametrize(
    ("action", "legal"), [(0, True), (199, False), (200, True), (900, True), (901, False), (-1, False)]
)
def test_an_amount_is_legal_within_its_bounds(action: int, legal: bool) -> None:
    assert allows(AMOUNTS, np.array([action, 1, 500])).tolist() == [legal, True, True]
