"""Best responses along played hands: counted out against a caller, all-in or not, and the mean over all boards."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.text import parse_cards
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.ranges.hands import HOLDEM
from cardai.poker.ranges.leaves import apart, showdowns
from cardai.poker.ranges.public_tree import DEAL, DECISION, PublicTree, holdem_tree
from cardai.poker.responses.measure import Response, measure
from cardai.poker.responses.street_response import Walker
from cardai.poker.responses.street_samples import PlayedHands, StreetOptions
from tests.support import sizes

GAME = "acpc_limit_2p"
BOARD = tuple(int(card) for card in parse_cards("KsTh7s4d2c"))
CHECKED = (1, 1, 1, 1)


def along(game: Any, agent: Any, **options: Any) -> Response:
    return measure(StreetOptions(game, agent, **{"street": 3, **options}))


def best(
    agent: str, board: tuple[int, ...], path: tuple[int, ...], game: str = GAME
) -> tuple[Any, Any, PlayedHands, int]:
    """Return what best responses win with each hand (2, 1326) where ``path`` leads, both ranges there, who and where."""
    sampler = StreetOptions(game, agent, len(board) - 2, hands=1).sampler()
    assert isinstance(sampler, PlayedHands)
    sampler.walker = Walker(sampler.walker.tree, sampler.walker.player, dtype=np.float64)
    node = at(sampler.walker.tree, path)
    reach = np.random.default_rng(0).uniform(0, 1, (2, 1326)) * left_by(board)
    return sampler.walker.values(len(board) - 2, board, {node: reach})[node], reach, sampler, node


def at(tree: PublicTree, path: tuple[int, ...]) -> int:
    node = 0
    for action in path:
        node = int(tree.child[node][tree.action[node] == action][0])
        while tree.kind[node] == DEAL:
            node = int(tree.child[node, 0])
    return node


@pytest.mark.parametrize("seat", [0, 1])
def test_from_a_caller_each_hand_wins_a_bet_more_or_checks(seat: int) -> None:
    """5 and 10 are the blinds: 10 each lie in the pot, and a bet of 20 is called."""
    found, reach, _, _ = best("always_call", BOARD, (*CHECKED, 1, 1))
    ahead = showdowns(BOARD) @ reach[1 - seat]
    assert found[seat] == pytest.approx(np.maximum(10 * ahead, 30 * ahead), abs=1e-9)


@pytest.mark.long
def test_on_the_turn_the_rivers_are_averaged_where_both_hands_leave_them() -> None:
    found, reach, _, _ = best("always_call", BOARD[:4], CHECKED, "acpc_limit_2p:max_raises=0+0+1+1")
    hands = [int(k) for k in np.flatnonzero(left_by(BOARD[:4]))[[5, 300, 900]]]
    after = np.zeros((48, 2, len(hands)))
    for row, card in enumerate(card for card in range(52) if card not in BOARD[:4]):
        board = (*BOARD[:4], card)
        strong, left = HOLDEM.strengths(board), left_by(board)
        ahead = (np.sign(strong[hands, None] - strong) * apart()[hands]) @ (reach[1] * left) * left[hands]
        for bet in (0, 1):
            after[row, bet] = np.maximum((10 + 20 * bet) * ahead, (30 + 20 * bet) * ahead)
    assert found[0, hands] == pytest.approx(after.sum(axis=0).max(axis=0) / 44)


def test_folding_gives_what_was_put_in() -> None:
    found, reach, sampler, node = best("always_fold", BOARD, (*CHECKED, 1, 1))
    met = left_by(BOARD) * (apart() @ reach[1])
    assert found[0] == pytest.approx(10 * met)  # a bet ends it
    both = reach[0] @ apart() @ reach[1]
    assert sampler.gain(node, BOARD, reach) == pytest.approx(sum((reach * found).sum(axis=1)) / 2 / both)


def test_all_in_on_the_turn_the_river_is_dealt_out() -> None:
    """Who raises puts all of 1,000 chips in on the turn, where 100 of each lie: that is folded to or called."""
    found, reach, _, _ = best("always_raise", BOARD[:4], CHECKED, "acpc_nolimit_2p:bets=allin,stack=1000")
    ahead, met = showdowns(BOARD[:4]) @ reach[1], left_by(BOARD[:4]) * (apart() @ reach[1])
    expected = np.maximum(1000 * ahead, -100 * met)
    assert found[0] == pytest.approx(expected, rel=1e-4, abs=0.1)
    assert (expected > 0).any()
    assert (expected == -100 * met).sum() > 400


@pytest.mark.long("2-16")
@pytest.mark.parametrize(
    ("game", "hands", "boards"), sizes(("acpc_limit_2p:max_raises=1+0+0+2", 16, 8), (GAME, 60, 12))
)
def test_the_mean_over_hands_is_that_over_boards(game: str, hands: int, boards: int) -> None:
    found = along(game, "always_call", hands=hands, seed=1)
    known = measure(StreetOptions(game, "always_call", 3, boards)).mbb
    assert found.reached == hands  # it never folds
    assert abs(found.mbb.mean - known.mean) < 1.5 * found.spread.half_width < 20


class ByRank(Agent):
    """Bets or raises the more, the higher its first card, and calls otherwise."""

    def policy(self, views: Any, legal: Any) -> Any:
        raises = np.where(legal[:, 2], views["hole"][:, 0] % 13 / 13, 0.0)
        return np.stack([np.zeros(len(views)), 1 - raises, raises], axis=1)


def test_the_ranges_of_a_played_hand_are_what_its_actions_leave_of_all_hands() -> None:
    game, raised = cardai.game(GAME), 0
    sampler = StreetOptions(game, ByRank(), 3, hands=4, seed=2).sampler()
    assert isinstance(sampler, PlayedHands)
    share = pairs()[:, 0] % 13 / 13
    for number in range(4):
        came = sampler.play(number)
        assert came is not None  # nobody folds
        node, board, ranges = came
        tree, path, wanted = sampler.walker.tree, [node], np.tile(left_by(board).astype(float), (2, 1))
        while path[-1]:
            path.append(int(tree.parent[path[-1]]))
        for later, earlier in pairwise(path):
            if tree.kind[earlier] == DECISION:
                action = int(tree.action[earlier][tree.child[earlier] == later][0])
                capped = 2 not in tree.action[earlier]
                odds = share if action == 2 else 1 - share if not capped else np.ones(COUNT)
                wanted[tree.actor[earlier]] *= odds
                raised += action == 2
        assert np.abs(ranges - wanted).max() < 1e-6
    assert raised > 1


@pytest.mark.long
def test_the_same_seed_gives_the_same_gains_and_more_hands_only_add_to_them() -> None:
    few = along(GAME, "acpc_mix", hands=4, seed=3).gains.tolist()
    assert along(GAME, "acpc_mix", hands=6, seed=3).gains.tolist()[:4] == few
    assert along(GAME, "acpc_mix", hands=4, seed=4).gains.tolist() != few


@pytest.mark.parametrize(
    ("game", "agent", "options", "message"),
    [
        ("leduc", "always_call", {}, "is for hold'em for two: .* Leduc is"),
        ("acpc_nolimit_2p", "always_call", {"street": 1}, "begins on the turn"),
        (GAME, "human", {}, "has no policy, only act"),
        (GAME, "always_call", {"hands": 0}, "There must be 1 hand at least"),
        (GAME, "always_call", {"street": 1}, "begins on the turn .* or the river"),
    ],
)
def test_what_cannot_be_measured_is_refused(game: str, agent: str, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        along(game, cardai.agent(agent), **{"hands": 1, **options})


class Clubs(Agent):
    """Raises with two clubs alone: suits matter to it."""

    def policy(self, views: Any, legal: Any) -> Any:
        out = np.zeros(legal.shape)
        out[:, 1] = 1.0
        raises = (views["hole"] < 13).all(axis=1) & legal[:, 2]
        out[raises] = np.eye(legal.shape[1])[2]
        return out


def test_a_player_that_does_not_treat_suits_alike_is_refused_where_classes_of_flops_stand_for_all() -> None:
    with pytest.raises(UsageError, match="whatever suits are called"):
        StreetOptions(cardai.game("holdem_limit:max_raises=1+0+0+0"), Clubs(), 0).sampler()


class Promising(Clubs):
    """The same, of whole ranges, and it says that suits do not matter to it."""

    ignores_suits = True
    clubs = 2

    def for_game(self, game: Any) -> Promising:
        self.tree = holdem_tree(game, "A promise")
        return self

    def range_policy(self, nodes: Any, board: Any) -> Any:
        raises = (pairs() < 13).sum(axis=1) >= self.clubs
        out = []
        for node in nodes:
            can = self.tree.action[node][: self.tree.num_children[node]]
            out.append(np.where(raises & (2 in can), (can == 2)[:, None], (can == 1)[:, None]).astype(float))
        return np.concatenate(out)


@pytest.mark.parametrize("options", [{"street": 0}, {"street": 1, "boards": 1}, {"street": 3, "hands": 1}])
def test_a_promise_about_suits_that_is_not_kept_is_seen(options: Any) -> None:
    game, kept, broken = cardai.game("holdem_limit:max_raises=1+0+0+0"), Promising(), Promising()
    with pytest.raises(UsageError, match=r"says that it plays alike .* and does not: it plays .*c.* otherwise than"):
        StreetOptions(game, broken, **options).sampler()
    kept.clubs = 0  # raises always
    StreetOptions(game, kept, **options).sampler()
