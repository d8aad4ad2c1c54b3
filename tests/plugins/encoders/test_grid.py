"""Card grids: placement, the publications' planes one by one, and decoding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.text import card_text
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.fields import Views, empty_views, unpack_view
from cardai.core.game import Game
from cardai.poker.buckets.tables import Buckets


def card(text: str) -> int:
    return 13 * "cdhs".index(text[1]) + "23456789TJQKA".index(text[0])


def cards(text: str) -> list[int]:
    return [card(part) for part in text.split()]


def one(game: Game, **fields: Any) -> Views:
    """Return one view with the given fields (lists are padded with -1)."""
    views = empty_views(game.view_fields, 1)
    for name, value in fields.items():
        if isinstance(value, list):
            views[name][0, : len(value)] = value
        else:
            views[name] = value
    return views


def played(game: Game, count: int, seed: int = 1, steps: int = 6) -> Views:
    """Return views of random play, of several moments."""
    rng = np.random.default_rng(seed)
    tables = game.tables(count)
    tables.reset(rng.integers(0, 2**63, count).astype(np.uint64))
    out = []
    for _ in range(steps):
        current = tables.current_players()
        for seat in range(game.num_players):
            rows = np.flatnonzero(current == seat)
            if len(rows):
                out.append(tables.views(seat, rows))
                legal = tables.legal(rows)
                assert isinstance(legal, np.ndarray)
                tables.apply(rows, np.array([rng.choice(np.flatnonzero(row)) for row in legal]))
    return np.concatenate(out)


@pytest.mark.parametrize(
    ("encoder", "shape", "cells"),
    [
        # Poker-CNN's repository: window at rows 6-9 and columns 2-14 of 17x17, rows 5-8 and columns 1-13 of 15x15
        ("grid:size=17x17,fields=hand", (5, 17, 17), [(6, 2), (7, 14), (9, 3)]),
        ("grid:size=15x15,fields=hand", (5, 15, 15), [(5, 1), (6, 13), (8, 2)]),
        ("grid:size=17x17,placement=corner,fields=hand", (5, 17, 17), [(0, 0), (1, 12), (3, 1)]),
        ("grid_4x13:fields=hand", (5, 4, 13), [(0, 0), (1, 12), (3, 1)]),
    ],
)
def test_windows_lie_where_the_layouts_say(encoder: str, shape: tuple[int, ...], cells: list[tuple[int, int]]) -> None:
    game = cardai.game("video_poker")
    code = cardai.encoder(encoder).for_game(game).encode(one(game, hand=cards("2c Ad 3s")))[0]
    assert code.shape == shape
    for plane, cell in enumerate(cells):
        assert code[plane].sum() == 1
        assert code[plane][cell] == 1
    assert code[3:].sum() == 0


def test_the_double_row_makes_any_two_suits_neighbours() -> None:
    game = cardai.game("video_poker")
    layout = cardai.encoder("double_row_8x13:fields=hand").for_game(game)
    neighbours = set()
    suit_of_row = {}
    for suit in range(4):
        for row in np.flatnonzero(layout.encode(one(game, hand=[13 * suit]))[0, 0, :, 0]):
            suit_of_row[int(row)] = suit
    for row in range(7):
        neighbours.add(frozenset((suit_of_row[row], suit_of_row[row + 1])))
    assert [suit_of_row[row] for row in range(8)] == [0, 1, 2, 3, 0, 2, 1, 3]  # c d h s, then c h d s
    pairs = {frozenset(p) for p in ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3))}
    assert pairs <= neighbours


def test_poker_cnn_limit_has_its_31_planes() -> None:
    """The order of planes of Poker-CNN's repository (limit hold'em, all betting rounds as input since August 2015)."""
    game = cardai.game("poker_cnn_limit")
    layout = cardai.encoder("poker_cnn_limit").for_game(game)
    view = one(
        game,
        player=1,
        button=1,
        round=2,
        pot=450,
        hole=cards("As Kd"),
        board=cards("2c 3c 4c 9h"),
        # pre-flop: raise, call; flop: check, bet, raise, call; turn: check
        history=[2, 1, 1, 2, 2, 1, 1],
        history_round=[0, 0, 1, 1, 1, 1, 2],
        history_seat=[1, 0, 0, 1, 0, 1, 0],
    )
    code = layout.encode(view)[0]
    assert code.shape == (31, 17, 17)
    window = code[:, 6:10, 2:15]
    assert code.sum() == window.sum()
    shown = [{card_text(int(c)) for c in np.flatnonzero(plane)} for plane in window.reshape(31, 52)[:7]]
    assert shown[0] == {"As", "Kd"}
    assert shown[1] == {"2c", "3c", "4c"}
    assert shown[2] == {"9h"}
    assert shown[3] == set()
    assert shown[4] == {"2c", "3c", "4c", "9h"}
    assert shown[5] == shown[0] | shown[4]
    levels = window.reshape(31, 52).mean(axis=1)
    assert list(levels[6:10]) == [0, 0, 1, 1]  # one round left, filled from the back; the button
    assert {card_text(int(c)) for c in np.flatnonzero(window[10])} == {  # 450 chips: nine cells of 50
        *("2c", "2d", "2h", "2s", "3c", "3d", "3h", "3s", "4c")
    }
    assert list(levels[11:16]) == [0, 0, 0, 0, 0]  # turn: a check
    assert list(levels[16:21]) == [0, 0, 0, 0, 0]  # three rounds back: there is none
    assert list(levels[21:26]) == [1, 0, 0, 0, 0]  # pre-flop: raise, call
    assert list(levels[26:31]) == [0, 1, 1, 0, 0]  # flop: check, bet, raise, call


def test_poker_cnn_triple_draw_has_its_31_planes() -> None:
    game = cardai.game("triple_draw")
    layout = cardai.encoder("poker_cnn_triple_draw").for_game(game)
    view = one(
        game,
        player=0,
        button=1,
        round=1,
        draws_left=2,
        pot=200,
        hand=cards("2c 3d 4h 5s 7c"),
        kept=[4, -1, -1, 2, -1, -1],
        # round 0: call, check; the draws: 1 and 3 cards; round 1: bet
        history=[1, 1, 4, 6, 2],
        history_round=[0, 0, 1, 1, 1],
        history_seat=[1, 0, 0, 1, 0],
    )
    code = layout.encode(view)[0].reshape(31, 17, 17)[:, 6:10, 2:15].reshape(31, 52)
    assert [card_text(int(plane.argmax())) for plane in code[:5]] == ["2c", "3d", "4h", "5s", "7c"]
    assert code[5].sum() == 5
    levels = code.mean(axis=1)
    assert list(levels[6:9]) == [0, 1, 1]  # two draws left
    assert levels[9] == 0
    assert code[10].sum() == 4  # 200 chips
    assert list(levels[11:16]) == [1, 0, 0, 0, 0]  # a bet; the draws are skipped
    assert list(levels[16:21]) == [1, 1, 1, 1, 0]  # I kept four
    assert list(levels[21:26]) == [1, 1, 0, 0, 0]  # the opponent kept two
    assert list(levels[26:31]) == [0, 0, 0, 0, 0]  # call, check


def test_cnn_valuation_follows_table_1_in_the_corner() -> None:
    """Tang, Xu, Tan 2020, table 1: 2 + 5 + 1 + 1 + 4 + 1 + 2 planes, rows s h d c, columns from the deuce."""
    game = cardai.game("holdem_limit")
    layout = cardai.encoder("cnn_valuation").for_game(game)
    view = one(
        game,
        player=0,
        round=1,
        pot=40,
        hole=cards("9s 8s"),
        board=cards("2h 3h 4d"),
        history=[1, 1, 1, 2],
        history_round=[0, 0, 1, 1],
        history_seat=[1, 0, 0, 1],
    )
    code = layout.encode(view)[0]
    assert code.shape == (16, 17, 17)
    assert code[0, 0, 7] == 1  # the nine of spades, in 1-based words [1, 8]: the paper's example
    assert code[1, 0, 6] == 1  # the eight of spades, [1, 7]
    assert code[2, 1, 0] == 1
    assert code[4, 2, 2] == 1
    assert code[5:7].sum() == 0
    assert code[7].sum() == 3
    assert code[8].sum() == 5
    assert [float(code[k, :4, :13].mean()) for k in range(9, 13)] == [0, 1, 0, 0]
    largest = next(f.maximum for f in game.view_fields if f.name == "pot")
    assert code[13, 0, 0] == pytest.approx(40 / largest)
    assert [float(code[k, 0, 0]) for k in (14, 15)] == [0, 1]  # the opponent bet; his call belongs to the round before


@pytest.mark.parametrize("game_name", ["kuhn", "leduc", "video_poker", "gin"])
@pytest.mark.parametrize("encoder", ["grid_4x13", "double_row_8x13", "padded", "flat"])
def test_any_game_is_laid_out_and_decoded_again(game_name: str, encoder: str) -> None:
    game = cardai.game(game_name)
    layout = cardai.encoder(encoder).for_game(game)
    views = played(game, 8)
    codes = layout.encode(views)
    assert codes.shape == (len(views), *layout.shape)
    assert layout.lossless
    for view, code in zip(views, codes, strict=True):
        assert layout.decode(code) == unpack_view(game.view_fields, view)


def test_reused_output_gives_the_same_planes() -> None:
    game = cardai.game("poker_cnn_limit")
    layout: Any = cardai.encoder("poker_cnn_limit").for_game(game)
    views = played(game, 64)
    first, second = views[: len(views) // 2], views[len(views) // 2 : len(views) // 2 * 2]
    out = layout.encode(first)
    assert np.array_equal(layout.encode(second, out), layout.encode(second))
    with pytest.raises(ValueError, match="out must be a contiguous float32 array"):
        layout.encode(views, out)


def test_a_number_fills_its_plane_with_its_share_of_the_maximum() -> None:
    game = cardai.game("poker_cnn_limit")
    assert next(f.maximum for f in game.view_fields if f.name == "pot") == 4800
    layout = cardai.encoder("grid_4x13:fields=pot+round").for_game(game)
    code = layout.encode(one(game, pot=1200, round=3))[0]
    assert code.shape == (2, 4, 13)
    assert np.unique(code[0]).tolist() == [0.25]
    assert np.unique(code[1]).tolist() == [1.0]  # the last of rounds 0 to 3
    assert [plane.scale for plane in layout.planes] == ["value / 4800", "value / 3"]


def test_the_last_entries_of_a_history_are_shown_newest_first() -> None:
    game = cardai.game("poker_cnn_limit")
    layout = cardai.encoder("grid_4x13:fields=history,history_length=3").for_game(game)
    # entries are actions 0 to 2, shown as entry + 1 in two bits, the lower one first: fold 1 0, call 0 1, raise 1 1
    for played, bits in (
        ([], [0, 0, 0, 0, 0, 0]),
        ([2], [1, 1, 0, 0, 0, 0]),
        ([2, 1], [0, 1, 1, 1, 0, 0]),
        ([1, 1, 2, 2, 1, 0], [1, 0, 0, 1, 1, 1]),
    ):
        code = layout.encode(one(game, history=played))[0]
        assert code[:, 0, 0].tolist() == bits
        assert (code == code[:, :1, :1]).all()
        assert layout.decode(code)["history"] == played[-3:]
    whole = cardai.encoder("grid_4x13:fields=history").for_game(game).encode(one(game, history=[2, 1]))[0]
    assert whole[:6, 0, 0].tolist() == [1, 1, 0, 1, 0, 0]  # a whole history: oldest first


def test_amounts_as_cards_saturate() -> None:
    game = cardai.game("poker_cnn_limit")
    layout = cardai.encoder("grid_4x13:fields=pot,numbers=as_cards,chip_unit=50").for_game(game)
    assert [layout.encode(one(game, pot=pot)).sum() for pot in (0, 49, 50, 2600, 4800)] == [0, 0, 1, 52, 52]


def test_a_missing_field_is_named() -> None:
    with pytest.raises(UsageError, match=r"needs the view field 'joker'\. The game has: player"):
        cardai.encoder("grid", fields=("joker",)).for_game(cardai.game("gin"))


@pytest.mark.parametrize(
    ("encoder", "game", "said"),
    [
        ("poker_cnn_limit", "gin", "shows betting games and needs the fields of the family 'poker'. Gin speaks 'gin'"),
        ("cnn_valuation", "kuhn", "the family 'poker'. Kuhn speaks none"),
        ("cnn_valuation", "triple_draw", "needs the view field 'hole'"),
        ("poker_cnn_video", "gin", "the family 'draw'. Gin speaks 'gin'"),  # whose `hand` is another kind of field
        ("poker_cnn_triple_draw", "video_poker", "draw games with betting for two"),
        ("poker_cnn_triple_draw", "triple_draw:players=3", "for two .*. TripleDraw.players=3. is something else"),
    ],
)
def test_planes_of_a_publication_refuse_other_families(encoder: str, game: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        cardai.encoder(encoder).for_game(cardai.game(game))


def test_the_planes_number_themselves() -> None:
    layout = cardai.encoder("poker_cnn_triple_draw").for_game(cardai.game("triple_draw"))
    assert [plane.where for plane in layout.planes] == [str(k) for k in range(31)]


@pytest.mark.parametrize("spec", ["poker_cnn_limit", "poker_cnn_limit:size=4x13", "grid:numbers=as_cards"])
def test_amounts_written_as_cards_are_no_cards(spec: str) -> None:
    """Card layers learned without a pot would take its cells for cards."""
    game = cardai.game("poker_cnn_limit")
    layout = registry.create("encoder", spec).for_game(game)
    views = empty_views(game.view_fields, 2)
    views["hole"] = [[3, 17], [3, 17]]
    views["pot"] = [0, 1600]
    codes = layout.encode(views)[:, list(layout.card_planes)]
    assert codes.any()
    assert np.array_equal(codes[0], codes[1])


@pytest.mark.parametrize(
    ("encoder", "game"), [("poker_cnn_limit", "poker_cnn_limit"), ("poker_cnn_triple_draw", "triple_draw")]
)
def test_large_pots_look_alike_as_cards_and_not_as_a_level(encoder: str, game: str) -> None:
    """Both games' pots go up to 4,800 chips; the publication's plane is full at 52 cells of 50."""
    played = cardai.game(game)
    views = empty_views(played.view_fields, 4)
    views["player"] = views["button"] = 0
    views["pot"] = [100, 2600, 2650, 4800]
    cards, level = (cardai.encoder(name).for_game(played) for name in (f"{encoder}:size=4x13", f"{encoder}_ours"))
    (plane,) = (k for k, p in enumerate(cards.planes) if p.name == "pot as cards")
    assert level.planes[plane].name == "pot"
    assert cards.encode(views)[:, plane].sum(axis=(1, 2)).tolist() == [2, 52, 52, 52]
    assert np.allclose(level.encode(views)[:, plane], (views["pot"] / 4800)[:, None, None])
    others = [k for k in range(len(cards.planes)) if k != plane]
    assert np.array_equal(cards.encode(views)[:, others], level.encode(views)[:, others])
    assert (cards.card_planes, cards.shape) == (level.card_planes, level.shape)


def test_cnn_valuation_ours_adds_price_raises_and_strength_to_poker_cnns_planes() -> None:
    game = cardai.game("acpc_limit_2p")
    layout = cardai.encoder("cnn_valuation_ours").for_game(game)
    assert layout.shape == (31 + 1 + 4 + 8, 4, 13)
    names = [plane.name for plane in layout.planes]
    kings = cards("Kc Kd")
    views = one(game, hole=kings, board=[-1] * 5, pot=60, to_call=20, raises=2, round=0)
    code = layout.encode(views)[0]
    levels = {name: float(code[k].mean()) for k, name in enumerate(names) if code[k].min() == code[k].max()}
    assert levels["price"] == pytest.approx(2 * 20 / 80)
    assert [levels[f"raises {k}"] for k in (1, 2, 3, 4)] == [1, 1, 0, 0]
    # 0.823957 is the chance of kings to beat a random hand: six eighths, and 0.5917 of the seventh
    assert [levels[f"strength {k}"] for k in range(8)] == pytest.approx([1] * 6 + [8 * 0.823957 - 6, 0], abs=1e-5)
    same = cardai.encoder("poker_cnn_limit_ours").for_game(game).encode(views)[0]
    pot = names.index("pot")
    assert np.delete(code[:31], pot, axis=0) == pytest.approx(np.delete(same, pot, axis=0))


def test_the_logarithm_of_the_pot_tells_small_pots_apart_in_no_limit_too() -> None:
    game = cardai.game("acpc_nolimit_2p")  # blinds 50 and 100, the pot at most 40,000
    layout = cardai.encoder("cnn_valuation_ours").for_game(game)
    pot = [plane.name for plane in layout.planes].index("pot")
    levels = [
        layout.encode(one(game, pot=chips, hole=cards("As Ks"), board=[-1] * 5))[0, pot, 0, 0]
        for chips in (200, 400, 40_000)
    ]
    assert levels == pytest.approx([np.log(3) / np.log(401), np.log(5) / np.log(401), 1.0])
    with pytest.raises(UsageError, match="shows hold'em"):
        cardai.encoder("cnn_valuation_ours").for_game(cardai.game("leduc"))


def test_a_bucket_is_one_cell_of_its_planes(monkeypatch: pytest.MonkeyPatch) -> None:
    from cardai.plugins.encoders.grid import papers

    game = cardai.game("acpc_limit_2p")
    layout = cardai.encoder("cnn_valuation_ours:buckets=true").for_game(game)
    less = cardai.encoder("cnn_valuation_ours").for_game(game)
    assert less.shape == (44, 4, 13)
    assert less.cell_planes == ()
    assert layout.card_planes == less.card_planes
    assert layout.cell_planes == tuple(range(44, 44 + 33))  # 169 + 3 * 500 cells, 52 a plane
    # the tables take a minute to make: those of one starting hand and one flop, by hand
    zeros = [np.zeros((count, 1326), np.uint16) for count in (1, 1755)]
    zeros[0][0, 1325], zeros[1][:, 1325] = 168, 499  # the last hand: As Ks
    known = papers.BucketOptions()
    monkeypatch.setattr(papers, "buckets", lambda options, whole: Buckets(known, known.counts, zeros))
    flop = cards("2c 7d 9d")
    spades = cards("As Ks")
    views = np.concatenate(
        [one(game, hole=spades, board=[-1] * 5, round=0), one(game, hole=spades, board=[*flop, -1, -1], round=1)]
    )
    code = layout.encode(views)[:, list(layout.cell_planes)].reshape(2, -1)
    # in a plane a cell's number is its card's, 13 * suit + rank, and the rows are the suits c d h s
    assert [np.flatnonzero(row).tolist() for row in code] == [[168], [169 + 499]]
    with pytest.raises(UsageError, match="buckets of hold'em hands"):
        cardai.encoder("cnn_valuation_ours:planes=poker_cnn_limit,buckets=true").for_game(cardai.game("leduc"))
