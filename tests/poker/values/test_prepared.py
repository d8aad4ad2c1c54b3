"""What networks look at: match-ups and equities beside a double loop, and suits that change nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardai.core.npz import read_npz, write_npz
from cardai.poker.hands.boards import RENAMINGS, hand_maps
from cardai.poker.hands.combos import pairs
from cardai.poker.hands.equity import river_strengths
from cardai.poker.values import prepared
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.prepared import (
    EQUITY,
    MET,
    ROWS,
    SPREAD,
    STRENGTH,
    STRONG,
    TAIL,
    TIE,
    WEAK,
    hand_rows,
    prepare,
)
from cardai.poker.values.situation_set import Recipe, produce
from cardai.poker.values.situations import Situation, situation
from tests.support import own_cache


def brute(one: Situation, own: slice = slice(None)) -> dict[str, np.ndarray]:
    """Return (2, H) figures of all hands, or of ``own``, against either range, by looking at all pairs of hands."""
    legal = legal_hands(one.board)
    cards, strengths = pairs()[legal], river_strengths(list(one.board))[legal]
    apart = ~(cards[own, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    share = 0.5 + 0.5 * np.sign(strengths[own, None] - strengths[None, :])
    tied = strengths[own, None] == strengths[None, :]
    ranges = one.ranges[:, legal]
    met = np.stack([apart @ r for r in ranges])
    return {
        "met": met,
        "equity": np.stack([(apart * share) @ r for r in ranges]) / met,
        "tie": np.stack([(apart * tied) @ r for r in ranges]) / met,
        "strength": ((apart * share).sum(axis=1) / apart.sum(axis=1))[None],
    }


def test_rows_on_the_river_are_those_of_all_pairs_of_hands() -> None:
    one = situation(3, 4, "river")
    legal = legal_hands(one.board)
    rows, wanted = hand_rows([one.board], one.ranges[None, :, legal])[0], brute(one)
    assert rows.shape == (ROWS, 1081)
    assert rows[MET : MET + 2] == pytest.approx(wanted["met"], abs=1e-12)
    assert rows[EQUITY : EQUITY + 2] == pytest.approx(wanted["equity"], abs=1e-9)
    assert rows[TIE : TIE + 2] == pytest.approx(wanted["tie"], abs=1e-9)
    assert rows[STRENGTH] == pytest.approx(wanted["strength"][0], abs=1e-9)
    assert (rows[SPREAD] < 1e-6).all()


def test_strong_and_weak_hands_that_a_hand_leaves() -> None:
    one = situation(3, 4, "river")
    legal = legal_hands(one.board)
    rows = hand_rows([one.board], one.ranges[None, :, legal])[0]
    cards, ranges = pairs()[legal], one.ranges[:, legal]
    for seat in range(2):
        strength = np.round(rows[STRENGTH], 9)
        below = np.array([ranges[seat] @ ((strength < own) + 0.5 * (strength == own)) for own in strength])
        for row, chosen in ((STRONG, np.flatnonzero(below > 1 - TAIL)), (WEAK, np.flatnonzero(below < TAIL))):
            for hand in (0, 17, 400, 1080):
                apart = [h for h in chosen if not set(cards[h]) & set(cards[hand])]
                share = ranges[seat, apart].sum() / rows[MET + seat, hand]
                assert rows[row + seat, hand] == pytest.approx(share, abs=1e-9)


@pytest.mark.long
def test_rows_on_the_turn_are_means_over_the_rivers_that_can_come() -> None:
    one = situation(3, 2, "turn")
    legal = legal_hands(one.board)
    rows = hand_rows([one.board], one.ranges[None, :, legal])[0]
    hand = 700
    own, wins, squares, weights = set(pairs()[legal[hand]]), 0.0, [], 0.0
    for card in range(52):
        if card in own or card in one.board:
            continue
        part = Situation(0, 0, (*one.board, card), one.half_pot, one.ranges)
        alive = legal_hands(part.board)
        place = int(np.flatnonzero(alive == legal[hand])[0])
        found = brute(part, slice(place, place + 1))
        wins += found["equity"][1, 0] * found["met"][1, 0]
        weights += found["met"][1, 0]
        squares.append(found["strength"][0, 0])
    assert rows[EQUITY + 1, hand] == pytest.approx(wins / weights)
    assert rows[STRENGTH, hand] == pytest.approx(np.mean(squares))
    assert rows[SPREAD, hand] == pytest.approx(np.std(squares))
    apart = ~(pairs()[legal] == pairs()[legal[hand], 0]).any(axis=1) & ~(pairs()[legal] == pairs()[legal[hand], 1]).any(
        axis=1
    )
    # the weight that is met: of the hands that share no card with it, each whole, on whichever rivers both can meet
    assert rows[MET + 1, hand] == pytest.approx(one.ranges[1, legal][apart].sum())


def test_a_renaming_of_suits_changes_nothing_but_the_hands_places() -> None:
    one = situation(9, 1, "river")
    number = 13
    suits, hands = RENAMINGS[number], hand_maps()[number]
    board = tuple(int(13 * suits[card // 13] + card % 13) for card in one.board)
    ranges = np.zeros_like(one.ranges)
    ranges[:, hands] = one.ranges
    image = Situation(one.seed, one.number, board, one.half_pot, ranges)
    first, second = prepare([one]), prepare([image])
    place = np.searchsorted(legal_hands(board), hands[legal_hands(one.board)])
    assert second.hands[0][:, place] == pytest.approx(first.hands[0], abs=2e-3)
    assert second.context == pytest.approx(first.context, abs=1e-3)
    assert (second.ranges[0][:, place] == first.ranges[0]).all()


def test_what_is_kept_is_what_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_cache(monkeypatch, tmp_path / "cache")
    found = produce(tmp_path / "x", Recipe("river", 2, (3,) * 5, per_shard=2), 4)
    made = prepared.load_prepared(found, [0, 1])
    kept = prepared.load_prepared(found, [0, 1])
    for name in ("boards", "half_pots", "ranges", "hands", "context", "values", "intervals"):
        assert (getattr(made, name) == getattr(kept, name)).all(), name
    assert (made.values[:2] == found.read(0).values).all()
    file = next((tmp_path / "cache").rglob("prepared-000001.npz"))
    arrays = read_npz(file)
    for damaged in (
        lambda: file.write_bytes(b"no archive"),
        lambda: write_npz(file, {**arrays, "numbers": arrays["numbers"][:, None]}),
        lambda: write_npz(file, {**arrays, "context": arrays["context"][:1]}),
        lambda: write_npz(file, {**arrays, "ranges": arrays["ranges"].astype(np.float64)}),
    ):
        damaged()
        again = prepared.load_prepared(found, [0, 1])
        for name in ("numbers", "hands", "context", "ranges"):
            assert (getattr(again, name) == getattr(made, name)).all(), name
            assert getattr(again, name).dtype == getattr(made, name).dtype, name


def test_sets_of_two_shares_do_not_take_one_anothers_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_cache(monkeypatch, tmp_path / "cache")
    sets = [
        produce(
            tmp_path / f"{share}",
            Recipe("river", 1, (1,) * 5, (4,), player="always_call", game="acpc_limit_2p", share=share, per_shard=1),
            5,
        )
        for share in (0.5, 0.6)
    ]
    assert sets[0].fingerprint == sets[1].fingerprint  # the fifth is of self-play in one of them alone
    boards = [prepared.load_prepared(one, [4]).boards for one in sets]
    assert [found[0].tolist() for found in boards] == [list(one.situations(4)[0].board) for one in sets]
    assert (boards[0] != boards[1]).any()


def test_without_a_network_a_hand_is_worth_what_it_wins_if_nobody_bets() -> None:
    from cardai.poker.ranges.leaves import showdowns
    from cardai.poker.values.measures import checked_down_losses

    for street in ("river", "turn"):
        one = situation(5, 1, street, (3,))
        wins, hands = showdowns(one.board), legal_hands(one.board)
        values = np.stack([wins @ one.ranges[1 - seat] for seat in (0, 1)])[:, hands]
        assert np.abs(values[0] - values[1]).max() > 0.1
        off = checked_down_losses(prepare([one], values[None].astype(np.float32))).by_name["huber_player"]
        assert off == pytest.approx([0.0], abs=1e-6)
