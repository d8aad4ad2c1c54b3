"""A blueprint until the river, and what it promises there: solved anew behind it a player is no easier to exploit."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import left_by
from cardai.poker.range_policy import RangeAdapter
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.poker.resolving.games import LIMIT, resolved_game, resolving_player
from cardai.poker.resolving.player import ResolvingPlayer
from cardai.poker.resolving.public import Public
from cardai.poker.resolving.trunk import Trunk
from cardai.poker.responses.street_response import ALONE, Walker
from tests.poker.resolving.test_blueprint import SHARE, Raiser

GAME = cardai.game("acpc_limit_2p")
BOARD = (3, 17, 30, 44, 50)
LINE = ((2, 0, 0), (2, 0, 1), (2, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0), (1, 2, 1), (1, 2, 0))
"""Three raises and a call before the flop, nothing after it: (action, round, who has the button or not)."""


def river(button: int) -> Public:
    return Public(button, tuple((action, round_, seat ^ button) for action, round_, seat in LINE), 3, BOARD)


def made(believed: float) -> ResolvingPlayer:
    settings = SolverSettings((1, 1, 1, 120), 0, (1.5, 0.5, 4.0), believed=believed, reuse=True)
    return resolving_player(GAME, resolved_game(GAME), settings, LIMIT, Trunk(GAME, Raiser(), 3), 64)


@pytest.fixture(scope="module")
def player() -> ResolvingPlayer:
    return made(0.0)


def promises(player: ResolvingPlayer) -> Trunk:
    found: Trunk = player.resolver.promises.__self__  # type: ignore[union-attr]
    return found


def won(player: ResolvingPlayer, button: int) -> tuple[Float64s, Float64s]:
    """Return (2, 1326) what each seat's hands win that answer ``player`` best, times the other's range, and what was promised.

    By the walker of best responses, which asks the player as a match does.
    """
    tree, trunk = holdem_tree(GAME, "A test"), promises(player)
    history = np.array([[action for action, _, _ in LINE] + [-1]])
    root, turned = int(tree.find(history)[0]), button ^ int(tree.actor[0])
    ranges = trunk.ranges(river(button))
    asked = RangeAdapter(GAME, player, tree)
    values = Walker(tree, asked, ALONE).values(3, BOARD, {root: ranges[::-1] if turned else ranges})[root]
    return values[::-1] if turned else values, np.stack([trunk.promised(river(button), seat) for seat in (0, 1)])


def test_no_hand_wins_more_than_it_was_promised_and_all_together_far_less(player: ResolvingPlayer) -> None:
    values, promised = won(player, 0)
    ranges = promises(player).ranges(river(0))
    met = ranges.sum(axis=1)[::-1]
    for seat in (0, 1):
        assert (values[seat] - promised[seat]).max() < 0.1 * met[seat]  # of 60 chips in the pot
        # the blueprint raises or gives up by no strength at all: in chips a hand, to answer what is solved is worth far less
        assert ranges[seat] @ (promised[seat] - values[seat]) > 10 * met[seat] * ranges[seat].sum()


def test_against_the_range_that_is_believed_it_is_near_equilibrium_and_promises_hold_all_the_same() -> None:
    player = made(0.1)
    values, promised = won(player, 0)
    ranges = promises(player).ranges(river(0))
    met = ranges.sum(axis=1)[::-1]
    assert all((values[seat] - promised[seat]).max() < 0.1 * met[seat] for seat in (0, 1))
    gained = [ranges[seat] @ values[seat] / met[seat] / ranges[seat].sum() for seat in (0, 1)]
    assert sum(gained) < 0.3  # chips; 33 and more behind the gadget alone


@pytest.mark.parametrize("button", [0, 1])
def test_ranges_and_promises_do_not_depend_on_which_seat_has_the_button(player: ResolvingPlayer, button: int) -> None:
    trunk, open_ = promises(player), left_by(BOARD)
    ranges = trunk.ranges(river(button))
    # both raise or call at the cap by the share twice, and check by what is left of it twice
    assert np.abs(ranges - open_ * SHARE**2 * (1 - SHARE) ** 2).max() < 1e-12
    for seat in (0, 1):
        assert np.array_equal(trunk.promised(river(button), seat ^ button), trunk.promised(river(0), seat))


def test_the_opponents_hands_are_promised_what_they_win_from_ones_own_range(player: ResolvingPlayer) -> None:
    trunk, ranges = promises(player), promises(player).ranges(river(0))
    for me in (0, 1):
        carried = player.resolver._start(river(0), me)
        assert carried.promised is not None
        assert np.allclose(carried.promised, trunk.promised(river(0), 1 - me) / ranges[me].sum(), rtol=1e-12)


def test_who_came_there_by_mistake_promises_nothing_and_other_stacks_are_refused(player: ResolvingPlayer) -> None:
    """The blueprint raises or folds before the flop: who calls there is where it never is."""
    called = Public(0, ((1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0), (1, 2, 1), (1, 2, 0)), 3, BOARD)
    assert not promises(player).ranges(called)[0].any()
    assert player.resolver._start(called, 0).promised is None
    assert player.resolver._start(called, 1).promised is not None
    with pytest.raises(
        UsageError, match=r"from the stacks \(60, 140\): it knows the bets and the stacks of its own game"
    ):
        promises(player).ranges(evolve(river(0), stacks=(60, 140)))


def test_it_is_asked_for_in_limit_betting_and_with_a_player() -> None:
    with pytest.raises(UsageError, match=r"first=river needs who plays until then: blueprint="):
        cardai.agent("resolving:first=river").for_game(GAME)
    with pytest.raises(UsageError, match=r"first=river is a round of hold'em"):
        cardai.agent("resolving:first=river,blueprint=always_call").for_game(cardai.game("leduc"))
    with pytest.raises(UsageError, match=r"has raises of any amount.*first=flop"):
        cardai.agent("resolving:first=turn,blueprint=always_call").for_game(cardai.game("acpc_nolimit_2p"))
