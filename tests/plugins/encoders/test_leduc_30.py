"""leduc_30: Heinrich and Silver's layout, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.core.fields import pack_views
from cardai.solve.tree import game_tree


def test_the_288_information_sets_without_suits_all_differ() -> None:
    # 288 information sets with suit isomorphism; at most 9 ones, mean 6.06 (measured on OpenSpiel's Leduc)
    game = cardai.game("leduc", suits=False)
    layout = cardai.encoder("leduc_30").for_game(game)
    sets = game_tree(game).infosets
    codes = layout.encode(sets.views)
    assert layout.lossless
    assert len(codes) == len(np.unique(codes, axis=0)) == 288
    assert codes.sum(axis=1).max() == 9
    assert codes.sum(axis=1).mean() == pytest.approx(6.06, abs=0.005)


def test_suits_are_not_seen() -> None:
    game = cardai.game("leduc")
    layout = cardai.encoder("leduc_30").for_game(game)
    sets = game_tree(game).infosets
    assert not layout.lossless
    assert (len(sets), len(np.unique(layout.encode(sets.views), axis=0))) == (936, 288)


def test_the_layout_is_the_papers() -> None:
    game = cardai.game("leduc")
    state = game.new_initial_state()
    for action in (0, 5, 1, 2, 2, 1, 2, 1):  # Js, Kh; check, bet, raise, call; Qs on the board; check
        state.apply_action(action)
    layout = cardai.encoder("leduc_30").for_game(game)
    code = layout.encode(pack_views(game.view_fields, [state.view(1)]))[0]
    # own king; board queen; then [seat][round][level][call, raise] from entry 6 on
    expected = {2, 4}
    for seat, round_, level, action in ((0, 0, 0, 0), (1, 0, 0, 1), (0, 0, 1, 1), (1, 0, 2, 0), (0, 1, 0, 0)):
        expected.add(6 + ((seat * 2 + round_) * 3 + level) * 2 + action)
    assert set(np.flatnonzero(code)) == expected
    assert layout.decode(code)["board rank"] == "Q"


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("kuhn", "Kuhn is no board game"),
        ("triple_draw", "TripleDraw is no board game"),
        ("leduc:players=3", "is 8 cards"),
        ("holdem_limit", "is 52 cards, 2 hole cards"),
        ("leduc_deepstack", "chooses what it raises to"),
    ],
)
def test_other_games_are_refused_by_what_they_declare(game: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        cardai.encoder("leduc_30").for_game(cardai.game(game))
