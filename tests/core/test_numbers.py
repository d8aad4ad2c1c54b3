"""Views as rows of whole numbers: every entry of every field, both ways, and codes made of them in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.fields import empty_views
from cardai.core.numbers import numbers_of
from tests.plugins.encoders.test_compact import met


@pytest.mark.parametrize("game", ["leduc", "gin", "holdem_fcpa", "kuhn", "triple_draw"])
def test_numbers_are_the_entries_of_all_fields_in_order_and_lead_back_to_the_views(game: str) -> None:
    fields = cardai.game(game).view_fields
    views = met(game, 5)
    numbers = numbers_of(fields)
    rows = numbers.of(views)
    assert rows.shape == (len(views), numbers.width)
    for f in fields:
        values = views[f.name].reshape(len(views), -1)
        assert np.array_equal(rows[:, numbers.where[f.name]], values.astype(np.int64)), f.name
    assert numbers.views(rows).tobytes() == views.tobytes()
    assert np.array_equal(numbers.of(views[::-2]), rows[::-2])


def test_negative_and_large_entries_of_every_width_are_kept() -> None:
    fields = cardai.game("holdem_nolimit").view_fields  # amounts in 32 bits, cards in 8
    views = empty_views(fields, 2)
    views["score"] = [[-(2**31), 2**31 - 1], [-1, -256]]
    views["history"][0, :2] = 20_000, 300
    rows, where = numbers_of(fields).of(views), numbers_of(fields).where
    assert rows[:, where["score"]].tolist() == [[-(2**31), 2**31 - 1], [-1, -256]]
    assert rows[0, where["history"]][:3].tolist() == [20_000, 300, -1]
    gin = cardai.game("gin").view_fields
    sets = empty_views(gin, 1)
    sets["hand"] = (1 << 51) | 1
    assert numbers_of(gin).of(sets)[0, numbers_of(gin).where["hand"]].tolist() == [(1 << 51) | 1]


@pytest.mark.parametrize(
    ("game", "encoder"), [("gin", "gin_compact"), ("holdem_limit", "holdem_compact"), ("leduc", "flat")]
)
def test_a_code_does_not_depend_on_how_many_are_made_at_once(game: str, encoder: str) -> None:
    layout: Any = cardai.encoder(encoder).for_game(cardai.game(game))
    views = met(game, 80)[:300]
    assert len(views) == 300
    codes = layout.encode(views)
    alone = np.concatenate([layout.encode(views[k : k + 1]) for k in range(300)])
    assert np.array_equal(codes, alone)
    assert np.array_equal(layout.encode_numbers(layout.numbers.of(views)), codes)


def test_some_fields_alone_are_read_out_of_views_that_have_more() -> None:
    game = cardai.game("gin")
    views = met("gin", 2)
    some = numbers_of(tuple(f for f in game.view_fields if f.name in ("phase", "score")))
    for _ in range(2):
        assert np.array_equal(some.of(views)[:, some.where["score"]], views["score"])
        assert np.array_equal(some.of(some.views(some.of(views))), some.of(views))
    assert some.width == 3
