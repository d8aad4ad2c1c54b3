from __future__ import annotations

import numpy as np
import pytest

from cardai.formats.acpc.dealing import CardSource, twister
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.logs import read_log
from cardai.formats.acpc.states import cards_text
from tests.formats.acpc_table import DATA, LIMIT


def test_the_generator_is_the_reference_twister() -> None:
    # 10,000th output after init_genrand(5489): ISO C++ [rand.predef], mt19937
    generator = twister(5489)
    outputs = [generator.getrandbits(32) for _ in range(10_000)]
    assert outputs[-1] == 4123659995


@pytest.mark.parametrize("seed", [0, 1, 20170, 2**32 - 1])
def test_the_generator_is_numpys_with_an_integer_seed(seed: int) -> None:
    legacy = np.random.RandomState(seed)
    generator = twister(seed)
    drawn = legacy.randint(0, 2**32, 50, dtype=np.uint32)
    assert [generator.getrandbits(32) for _ in range(50)] == drawn.tolist()


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_has_32_bits(seed: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 4294967295"):
        twister(seed)


def test_the_first_hand_of_seed_0() -> None:
    # probed with the C dealer
    assert cards_text(CardSource(load_game(LIMIT), 0).next_hand()) == "5d5c9hQd8dAs8s4h6d"


@pytest.mark.parametrize("name", ["2p.limit", "2p.nolimit", "3p.limit", "3p.nolimit"])
def test_public_matches_are_dealt_from_their_seed_to_the_thousandth_hand(name: str) -> None:
    log = read_log(DATA / f"{name}.seed0.log")
    source = CardSource(log.game(), 0)
    deals = [source.next_hand() for _ in range(1000)]
    for hand in log.hands:
        shown = [card for group in (*hand.hole, *hand.board) for card in group]
        assert deals[hand.hand][: len(shown)] == shown
    assert log.hands[-1].hand == 999
