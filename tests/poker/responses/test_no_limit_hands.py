"""Best responses along hands of full no-limit: those of a ladder where both play its bets, and of a game that is counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.poker.hands.combos import pairs as pairs_of_cards
from cardai.poker.ranges.leaves import apart, showdowns
from cardai.poker.responses.measure import measure
from cardai.poker.responses.street_samples import StreetOptions
from tests.support import cardai as command

FULL = "holdem_nolimit:stack=1000"


class Folds(Agent):
    """Calls, bets nothing, and folds to any bet on the river with all hands but pairs."""

    def for_game(self, game: Game) -> Agent:
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        pair = views["hole"][:, 0] % 13 == views["hole"][:, 1] % 13
        folds = (views["round"] == 3) & (views["to_call"] > 0) & ~pair
        return np.stack([1.0 * folds, 1.0 * ~folds, 0.0 * folds], axis=1)


@pytest.mark.parametrize("bets", ["allin", "1+allin"])
def test_it_finds_what_is_found_on_a_ladder_of_the_same_bets(bets: str) -> None:
    ladder = measure(StreetOptions(f"{FULL},bets={bets}", "always_call", 3, hands=2, seed=4))
    found = measure(StreetOptions(FULL, "always_call", 3, hands=2, seed=4, bets=bets))
    assert found.reached == ladder.reached == 2
    assert found.gains == pytest.approx(ladder.gains, rel=1e-6)


def test_a_player_that_folds_too_much_is_bluffed_by_the_smallest_bet_that_does_it() -> None:
    sampler = StreetOptions(FULL, Folds(), 3, hands=1, seed=1, bets="0.5+allin").sampler()
    tables, ranges = sampler.play(0)  # type: ignore[attr-defined]
    board = [int(card) for card in tables.views(0, np.zeros(1, np.int64))[0]["board"]]
    ranks = pairs_of_cards() % 13
    wins, pairs = showdowns(board), ranks[:, 0] == ranks[:, 1]
    calls, folds = np.where(pairs, ranges[1], 0), np.where(pairs, 0, ranges[1])
    met = apart() @ folds * 100  # the folded blind of each
    checked = 100 * wins @ ranges[1]
    best = np.max([checked, *(met + stake * wins @ calls for stake in (200, 1000))], axis=0)
    value = 2 * float(ranges[0] @ best) / 2 / float(ranges[0] @ apart() @ ranges[1])  # both seats are alike
    assert sampler.gain(tables, ranges) == pytest.approx(value, rel=1e-6)  # type: ignore[attr-defined]
    small = measure(StreetOptions(FULL, Folds(), 3, hands=1, seed=1, bets="allin")).gains[0]
    assert small < value


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"street": 2, "hands": 1}, "begins on the river"),
        ({"agent": "mix", "hands": 1}, "does not say how often it raises to which"),
        ({"hands": 1, "bets": "0.5+x"}, "'x', which is no size"),
        ({"boards": 1}, "ladder"),
    ],
)
def test_what_cannot_be_measured_is_said(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        StreetOptions(FULL, **{"agent": "always_call", "street": 3, **options}).sampler()  # type: ignore[arg-type]


@pytest.mark.long
def test_bets_without_hands_are_refused() -> None:
    done = command("evaluate", "best-response", "-g", "acpc_limit_2p", "-a", "always_call", "--bets", "1")
    assert done.returncode == 2
    assert "Give --hands too" in done.stderr
