"""What deuce-to-seven hands are worth with draws left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.draw import values as module
from cardai.draw.holds import every_hand
from cardai.draw.values import draw_values, hand_values


def hands(*texts: str) -> np.ndarray:
    return np.array([parse_cards(text) for text in texts], np.int8)


def test_final_values_run_linearly_inside_the_classes_of_the_paper() -> None:
    # The ends of the classes as in the authors' table (Poker-CNN, draw values)
    pat = hands(
        "7s5h4d3s2c", "7s6h4d3s2c", "7s6h5d3s2c", "7s6h5d4s2c", "8h5d4s3c2d", "8s7h6d5s3c", "Ah5d4s3c2d", "AhKdQsJc9d"
    )
    assert hand_values(pat) == pytest.approx([1000, 975, 950, 925, 900, 714, 87, 75])
    rest = hands("2h2d3s4c5h", "AsAhAdAcKs", "6h5d4s3c2d", "AhKhQhJhTh", "9h7h5h3h2h", "AhKdQhJhTh")
    assert hand_values(rest).tolist() == [75, 75, 0, 0, 0, 0]


def test_better_lows_are_never_worth_less() -> None:
    from cardai.poker.hands.ranking import rank_deuce_to_seven

    sample = next(every_hand(20_000))
    high_card = hand_values(sample) > 75
    order = np.argsort(rank_deuce_to_seven(sample[high_card]))
    assert (np.diff(hand_values(sample[high_card])[order]) >= 0).all()


def test_one_draw_left_is_the_mean_over_the_unseen_cards() -> None:
    hand = hands("KsKh4d3s2c")
    value = draw_values().holds(hand, 1)[0, 0b11110]  # discard one king
    rest = [card for card in range(52) if card not in hand[0].tolist()]
    drawn = np.array([[card, *hand[0, 1:]] for card in rest])
    assert value == pytest.approx(hand_values(drawn).mean())


def test_two_draws_left_is_the_mean_over_the_best_of_the_next_draw() -> None:
    hand = hands("Ks7h4d3s2c")
    rest = [card for card in range(52) if card not in hand[0].tolist()]
    drawn = np.array([[card, *hand[0, 1:]] for card in rest], np.int8)
    for left in (2, 3):
        value = draw_values().holds(hand, left)[0, 0b11110]
        assert value == pytest.approx(draw_values().best(drawn, left - 1).mean(), abs=1e-3)


def test_more_draws_never_hurt_and_the_order_of_cards_does_not_matter() -> None:
    sample = np.concatenate(list(every_hand(65_536)))[::9_973]
    values = np.stack([draw_values().best(sample, left) for left in range(4)])
    assert (np.diff(values, axis=0) > -1e-3).all()
    assert draw_values().best(sample[:, ::-1], 2) == pytest.approx(values[2])
    mixed = draw_values().best(sample, np.arange(len(sample)) % 4)
    assert mixed.tolist() == values[np.arange(len(sample)) % 4, np.arange(len(sample))].tolist()
    with pytest.raises(ValueError, match="1 to 3 draws"):
        draw_values().holds(sample, 4)


def test_values_are_kept_on_disk_and_a_damaged_file_is_computed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARDAI_CACHE_DIR", str(tmp_path))
    computed: list[int] = []
    worth: set[float] = set()
    levels = [np.full(module.STARTS[6], k + 0.1) for k in range(3)]  # not a float32

    def compute() -> list[np.ndarray]:
        computed.append(1)
        return levels

    def fresh_process() -> int:
        draw_values.cache_clear()
        worth.add(float(draw_values().holds(np.arange(5)[None], 1)[0, 31]))
        return len(computed)

    monkeypatch.setattr(module, "compute", compute)
    assert [fresh_process(), fresh_process()] == [1, 1]
    file = module.cache_file()
    file.write_bytes(file.read_bytes()[:1000])
    assert [fresh_process(), fresh_process()] == [2, 2]
    assert worth == {float(np.float32(0.1))}  # the process that computes them has the values of those that read them
    draw_values.cache_clear()
