"""Situations from self-play: ranges are what both players' actions have shown."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cardai.core.errors import UsageError
from cardai.poker.hands.combos import pairs
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.played_ranges import played_situation
from cardai.poker.values.situation_set import Recipe
from cardai.poker.values.situations import INTERVALS
from cardai.training.runs import Run
from cardai.training.session import Session


def test_who_never_looks_at_his_cards_shows_nothing() -> None:
    one = played_situation("always_call", "acpc_limit_2p", 1, 4, "river")
    legal = legal_hands(one.board)
    assert len(one.board) == 5
    assert one.ranges[:, legal] == pytest.approx(1 / 1081)
    assert one.ranges.sum(axis=1) == pytest.approx(1)


def test_ranges_are_products_of_what_each_hand_would_have_done(monkeypatch: pytest.MonkeyPatch) -> None:
    import cardai
    from cardai.poker.ranges.public_tree import DEAL, DECISION, holdem_tree
    from cardai.poker.values import played_ranges

    tree = holdem_tree(cardai.game("acpc_limit_2p"), "A test")
    asked: list[tuple[int, np.ndarray]] = []

    class Player:
        """Raises with hands whose number is even as often as there are raises left, and calls with the others."""

        def range_policy(self, nodes: Any, board: Any) -> Any:
            actions = int(tree.num_children[nodes[0]])
            out = np.full((actions, 1326), 0.1)
            out[-1, ::2] = 0.8
            asked.append((int(nodes[0]), out))
            return out

    monkeypatch.setattr(played_ranges, "_player", lambda player, game: (tree, Player()))
    one = played_situation("x", "y", 3, 2, "turn")
    path = []
    for node, _ in asked[::-1]:  # the last hand that was played came to the turn
        path.append(node)
        if node == 0:
            break
    path.reverse()
    rows = dict(asked)
    reach = np.ones((2, 1326))
    reach[:, np.isin(pairs(), one.board).any(axis=1)] = 0.0
    ends = [*path[1:], None]
    for node, after in zip(path, ends, strict=True):
        children = list(tree.child[node][: tree.num_children[node]])
        if after is None:
            continue
        taken = next(k for k, child in enumerate(children) if child == after or child == tree.parent[after])
        reach[tree.actor[node]] *= rows[node][taken]
    last = path[-1]
    options = [reach.copy() for _ in range(int(tree.num_children[last]))]
    for k, option in enumerate(options):
        option[tree.actor[last]] *= rows[last][k]
    wanted = []
    for option, child in zip(options, tree.child[last], strict=False):
        while tree.kind[child] == DEAL:
            child = tree.child[child, 0]
        if tree.kind[child] == DECISION and tree.street[child] == 2:
            first = int(tree.actor[child])  # seat 0 of a situation is who acts first there
            wanted.append(option[[first, 1 - first]] / option.sum(axis=1)[[first, 1 - first], None])
    assert any(np.allclose(one.ranges, ranges) for ranges in wanted)
    assert not np.allclose(one.ranges[0], one.ranges[1])


def test_pots_are_drawn_as_for_random_ranges() -> None:
    recipe = Recipe("river", 1, (3,) * 5, (1, 3), player="always_call", game="acpc_limit_2p")
    for number in range(6):
        one = recipe.situation(number)
        assert one.interval in (1, 3)
        low, high = INTERVALS[one.interval]
        assert low <= one.half_pot <= high
    assert recipe.situation(2).board == recipe.situation(2).board != recipe.situation(3).board


def test_who_always_folds_never_comes_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from cardai.poker.values import played_ranges

    monkeypatch.setattr(played_ranges, "ATTEMPTS", 5)
    with pytest.raises(UsageError, match="never came to the turn"):
        played_situation("always_fold", "acpc_limit_2p", 1, 0)


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="hold'em"):
        played_situation("always_call", "leduc", 1, 0)


def test_a_share_of_the_files_has_ranges_of_self_play_and_each_kind_is_what_it_is_alone() -> None:
    given = ("turn", 1, (3,) * 5, (1, 3))
    mixed = Recipe(*given, player="always_call", game="acpc_limit_2p", share=0.4, per_shard=2)
    played = Recipe(*given, player="always_call", game="acpc_limit_2p", per_shard=2)
    random = Recipe(*given, per_shard=2)
    kinds = [random, random, played, random, played] * 2
    for shard, kind in enumerate(kinds):
        place = 2 * kinds[:shard].count(kind)
        for k in (0, 1):
            one, other = mixed.situation(2 * shard + k), kind.situation(place + k)
            assert (one.number, mixed.played(2 * shard + k)) == (2 * shard + k, kind is played)
            assert one.board == other.board
            assert one.half_pot == other.half_pot
            assert (one.ranges == other.ranges).all()


def test_who_plays_is_known_by_the_first_situation_of_self_play() -> None:
    of = [
        Recipe("turn", 1, (3,) * 5, player=player, game="acpc_limit_2p", share=0.5).fingerprint()
        for player in ("always_call", "random")
    ]
    assert of[0] != of[1]


@pytest.mark.parametrize(
    ("share", "player"),
    [(0.0, "always_call"), (1e-12, "always_call"), (1.5, "always_call"), (float("nan"), "always_call"), (0.5, "")],
)
def test_a_share_is_one_of_a_player(share: float, player: str) -> None:
    with pytest.raises(UsageError, match=r"share of self-play is 0\.001 to 1"):
        Recipe("turn", 1, (3,) * 5, player=player, game="acpc_limit_2p" if player else "", share=share).check()


def test_a_set_of_ones_own_player_that_grows_stays_allowed_to_who_has_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.core import allowed
    from cardai.poker.values import played_ranges
    from cardai.poker.values.situation_set import load, produce

    run, game = tmp_path / "run", "acpc_limit_2p:max_raises=1+0+0+0"
    Session.start(Run.create(run, "bucket_mccfr:flop=1,turn=1,river=1", game, None, 0)).train(1)
    recipe = Recipe("river", 1, (2,) * 5, (4,), player=str(run), game=game, per_shard=1)
    produce(tmp_path / "set", recipe, 1)
    monkeypatch.setattr(allowed, "_allowed", set())
    read = load(tmp_path / "set")
    there = set(allowed._allowed)
    produce(tmp_path / "set", recipe, 4)  # by another process
    monkeypatch.setattr(allowed, "_allowed", there)
    played_ranges._player.cache_clear()
    assert len(read.situations(0)) == 1


def test_who_is_sent_shards_is_sent_the_player_of_an_allowed_set_as_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.core.trust import Foreign, Source
    from cardai.poker.values import situation_set

    source = Source(str(tmp_path / "situations.json"), "0")
    recipe = Recipe("river", 1, (2,) * 5, player=Foreign("always_call", source), game="acpc_limit_2p")
    sent: list[object] = []
    nothing: list[object] = []

    def work(function: object, recipe: Recipe, **options: object) -> SimpleNamespace:
        sent.append(recipe.player)
        return SimpleNamespace(run=lambda: (each for each in nothing))

    monkeypatch.setattr(situation_set, "Work", work)
    for yes in (True, False):
        monkeypatch.setattr(situation_set, "allowed", lambda one, yes=yes: yes and one is source)
        assert not list(situation_set._swept(recipe, [0], 2, ""))
    assert [type(one) for one in sent] == [str, Foreign]
