"""Liar's dice is OpenSpiel's game move by move, and dice are drawn as a view leaves them possible."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pyspiel
import pytest

import cardai
from cardai.core.agent import Agent
from cardai.core.errors import AgentError, IllegalActionError, OptionError, UsageError
from cardai.core.fields import pack_views, unpack_view
from cardai.core.game import State
from cardai.core.progress import listening
from cardai.core.rng import Rows, derive
from cardai.solve.measures import measure, measure_behaviour, profile
from cardai.solve.sequence_form import game_form


def pair(dice: int, faces: int) -> tuple[State, pyspiel.State]:
    """Return a hand of ours and one of OpenSpiel's."""
    theirs = pyspiel.load_game("liars_dice", {"numdice": dice, "dice_sides": faces})
    game = cardai.game("liars_dice", dice=dice, faces=faces)
    return game.new_initial_state(), theirs.new_initial_state()


def same(ours: State, theirs: pyspiel.State) -> None:
    assert ours.current_player() == theirs.current_player()
    assert ours.history == theirs.history()
    assert ours.legal_actions() == theirs.legal_actions()
    assert ours.returns() == theirs.returns()
    if ours.is_chance_node():
        assert ours.chance_outcomes() == theirs.chance_outcomes()


def test_the_whole_tree_is_openspiels_and_so_are_its_information_sets() -> None:
    keys: dict[tuple[int, str], set[bytes]] = {}
    nodes = 0
    left = [pair(2, 2)]
    while left:
        ours, theirs = left.pop()
        same(ours, theirs)
        nodes += 1
        player = ours.current_player()
        if player >= 0:
            keys.setdefault((player, theirs.information_state_string(player)), set()).add(ours.key(player))
        for action in ours.legal_actions():
            child = ours.clone()
            child.apply_action(action)
            left.append((child, theirs.child(action)))
    assert nodes == 1 + 2 + 4 + 8 + 16 * (2**8 + 2**8 - 1)  # rolls; sets of bids made, and liar said to each but none
    assert len(keys) == 2**8 * 3  # sets of bids, and three hands of two dice
    assert all(len(found) == 1 for found in keys.values())
    assert len(set.union(*keys.values())) == len(keys)


@pytest.mark.parametrize(("dice", "faces"), [(1, 6), (2, 5), (3, 10)])
def test_random_hands_are_openspiels(dice: int, faces: int) -> None:
    rng = random.Random(5)
    for _ in range(80):
        ours, theirs = pair(dice, faces)
        while not theirs.is_terminal():
            same(ours, theirs)
            action = rng.choice(theirs.legal_actions()[:4] + theirs.legal_actions()[-1:])
            ours.apply_action(action)
            theirs.apply_action(action)
        same(ours, theirs)


@pytest.mark.long("1-3-6")
@pytest.mark.parametrize(("dice", "faces", "players"), [(2, 4, 3), (1, 3, 6)])
def test_more_than_two_play_in_turn_and_two_of_them_win_and_lose(dice: int, faces: int, players: int) -> None:
    """OpenSpiel's is for two; here a hand is told in plain words."""
    rng = random.Random(1)
    game = cardai.game("liars_dice", dice=dice, faces=faces, players=players)
    for _ in range(60):
        state, said = game.new_initial_state(), []
        rolled = [rng.randrange(faces) for _ in range(dice * players)]
        for number, face in enumerate(rolled):
            assert state.chance_seen_by() == (number // dice,)
            state.apply_action(face)
        while not state.is_terminal():
            assert state.current_player() == len(said) % players
            assert state.view(0)["history"] == said
            said.append(rng.choice(state.legal_actions()[:3] + state.legal_actions()[-1:]))
            state.apply_action(said[-1])
        quantity, face = said[-2] // faces + 1, said[-2] % faces
        holds = sum(die in (face, faces - 1) for die in rolled) >= quantity
        caller, bidder = (len(said) - 1) % players, (len(said) - 2) % players
        expected = [0.0] * players
        expected[bidder], expected[caller] = (1.0, -1.0) if holds else (-1.0, 1.0)
        assert state.returns() == expected


def test_the_default_encoding_is_openspiels_tensor() -> None:
    rng = random.Random(2)
    game = cardai.game("liars_dice:dice=2,faces=5")
    layout = cardai.encoder(game.default_encoder).for_game(game)
    assert layout.shape == (33,)  # OpenSpiel's size: 2 seats, 2 dice of 5 faces, 20 bids and liar
    for _ in range(30):
        ours, theirs = pair(2, 5)
        while not theirs.is_terminal():
            action = rng.choice(theirs.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)
            if theirs.is_chance_node():
                continue
            for player in range(2):
                code = layout.encode(pack_views(game.view_fields, [ours.view(player)]))[0]
                assert code.tolist() == theirs.information_state_tensor(player)


def test_every_die_falls_alike_whatever_fell_before() -> None:
    game = cardai.game("liars_dice:dice=3,faces=4,players=3")
    tables = game.tables(4000)
    tables.reset(np.arange(4000, dtype=np.uint64))
    rolls = np.array([tables.deck(row) for row in range(4000)])
    for pair_of in ((0, 1), (0, 8), (4, 5)):
        fell = Counter(map(tuple, rolls[:, pair_of].tolist()))
        assert len(fell) == 16
        assert all(abs(count - 250) < 4.5 * 15.3 for count in fell.values())  # sqrt(4000 * 1/16 * 15/16)


def test_what_is_dealt_can_be_given() -> None:
    tables = cardai.game("liars_dice:dice=2,faces=4").tables(3)
    seeds = np.arange(3, dtype=np.uint64)
    tables.reset(seeds)
    rolled = tables.deck(0)
    tables.reset(seeds, [[3, 3], [], [0, 1, 2, 3]])
    assert [tables.deck(row)[:2] for row in (0, 2)] == [[3, 3], [0, 1]]
    assert tables.deck(0)[2:] == rolled[2:], "the rest follows from the seed"
    for wrong in ([[4], [], []], np.array([[0], [0], [-1]])):
        with pytest.raises(IllegalActionError, match=r"no outcome (4|-1): rolls are 0 to 3"):
            tables.reset(seeds, wrong)


def test_the_highest_face_is_wild_and_the_bid_is_counted_over_all_dice() -> None:
    state = cardai.game("liars_dice:dice=2,faces=3").new_initial_state()
    for action in (0, 2, 1, 0, 3):  # a one and a wild three against a two and a one; "2x1"
        state.apply_action(action)
    bid = state.clone()
    bid.apply_action(12)
    assert bid.returns() == [1, -1]
    assert bid.outcome() == {"bid": 3, "count": 3}
    for action in (9, 12):  # "4x1": there are three
        state.apply_action(action)
    assert state.returns() == [1, -1], "seat 1 bid it"
    assert "liar" in str(state)
    assert "Your dice: 1 3 (3 is wild)" in str(state)


def test_drawn_dice_are_as_likely_as_they_fall_and_weights_count() -> None:
    game = cardai.game("liars_dice:dice=2,faces=3")
    tables = game.tables(1)
    tables.reset(np.zeros(1, np.uint64), [[2, 0, 1, 1]])
    tables.apply(np.zeros(1, np.int64), np.array([4]))
    view = unpack_view(game.view_fields, tables.views(1, np.zeros(1, np.int64))[0])
    hands = game.determinize(view, 7, 9000)
    held = Counter(tuple(sorted(hands.deck(i)[:2])) for i in range(9000))
    for hand, count in held.items():
        expected = 1000 if hand[0] == hand[1] else 2000
        assert abs(count - expected) < 4 * 40
    assert all(hands.deck(i)[2:] == [1, 1] for i in range(50))
    weights = [hand == (0, 2) for hand in game.hands]  # type: ignore[attr-defined]
    hands = game.determinize(view, 7, 20, weights)
    assert {tuple(hands.deck(i)[:2]) for i in range(20)} == {(0, 2)}
    with pytest.raises(UsageError, match="one for each of the 6 hands"):
        game.determinize(view, 7, 20, [1, 2])
    with pytest.raises(UsageError, match="once the viewer has all 2"):
        game.determinize(game.new_initial_state().view(0), 7, 1)


@pytest.mark.parametrize("spec", ["liars_dice:dice=0", "liars_dice:faces=1", "liars_dice:players=7"])
def test_sizes_have_bounds(spec: str) -> None:
    with pytest.raises(OptionError, match=spec.partition(":")[2].partition("=")[0]):
        cardai.game(spec)


class Skewed(Agent):
    """Plays by what it sees, never alike: the policy is a function of the bytes of the view, some of it 0."""

    def policy(self, views: Any, legal: Any) -> Any:
        code = np.array([derive(3, view.tobytes().hex()) for view in views], np.uint64)
        weights = Rows(code).random(legal.shape[1]) ** 3 * legal
        weights[weights < 0.02] = 0
        weights[weights.sum(axis=1) == 0] = legal[weights.sum(axis=1) == 0]
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.long
@pytest.mark.parametrize("spec", ["liars_dice:faces=3", "liars_dice:dice=2,faces=2"])
def test_its_own_best_response_is_the_trees(spec: str) -> None:
    game = cardai.game(spec)
    walked = measure_behaviour(game_form(game)[1], profile(game, Skewed()))
    found = measure(game, Skewed())
    assert found.expected == pytest.approx(walked.expected, abs=1e-12)
    assert found.best_response == pytest.approx(walked.best_response, abs=1e-12)
    mixed = [Skewed(), cardai.agent("random")]
    walked = measure_behaviour(game_form(game)[1], profile(game, mixed))
    assert measure(game, mixed).best_response == pytest.approx(walked.best_response, abs=1e-12)
    assert measure(game, mixed).expected == pytest.approx(walked.expected, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "value", "best"),
    [
        # the first by OpenSpiel's best_response on its own tree, the others by a second programme, written apart
        ("liars_dice:faces=3", 0.018519, (0.592593, 0.518519)),
        ("liars_dice", -0.032407, (0.795492, 0.765997)),
        ("liars_dice:dice=2,faces=5", -0.014000, (0.894314, 0.886881)),
    ],
)
def test_uniform_play_is_worth_what_it_is_known_to_be(spec: str, value: float, best: tuple[float, float]) -> None:
    found = measure(cardai.game(spec), cardai.agent("random"))
    assert found.expected == pytest.approx((value, -value), abs=1e-6)
    assert found.best_response == pytest.approx(best, abs=1e-6)


@pytest.mark.long
def test_the_player_is_asked_once_about_each_information_set_and_what_is_done_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cardai.plugins.games.liars_dice._response.BATCH", 500)
    game = cardai.game("liars_dice:faces=4")
    seen: list[bytes] = []

    class Notes(Skewed):
        def policy(self, views: Any, legal: Any) -> Any:
            seen.extend(view.tobytes() for view in views)
            return super().policy(views, legal)

    told: list[tuple[int, int]] = []
    with listening(lambda label, done, total: told.append((done, total))):
        few = measure(game, Notes())
    assert len(seen) == len(set(seen)) == 2**8 * 4
    assert told[-1] == (1024, 1024)
    assert len(told) == 4
    monkeypatch.undo()
    assert few == measure(game, Skewed())


@pytest.mark.long
def test_games_of_more_seats_are_walked_and_wrong_players_refused() -> None:
    game = cardai.game("liars_dice:faces=2,players=3")
    assert sum(measure(game, cardai.agent("random")).expected) == pytest.approx(0)
    two = cardai.game("liars_dice:faces=2")
    with pytest.raises(UsageError, match=r"2 seats\. Got 3 agents"):
        measure(two, [Skewed()] * 3)
    with pytest.raises(UsageError, match="too large to enumerate"):
        measure(cardai.game("liars_dice:dice=6"), Skewed())

    class Sure(Agent):
        def policy(self, views: Any, legal: Any) -> Any:
            return np.ones(legal.shape)

    with pytest.raises(AgentError, match=r"over the legal actions \[0, 1, 2, 3\].*'dice': \[0\]"):
        measure(two, Sure())
