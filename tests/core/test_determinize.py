"""Hands drawn to agree with a view: they show it, every deal is as likely as it should be, and weights count."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.text import cards_of
from cardai.core.determinize import drawn, hand_seeds
from cardai.core.errors import UsageError
from cardai.core.fields import unpack_view
from cardai.core.game import Game, Tables, pack_setups
from cardai.core.rng import Rows
from cardai.poker.hands import combos
from cardai.testing._play import all_legal

GAMES = [
    "kuhn", "leduc", "leduc:players=3", "leduc:suits=false", "leduc_deepstack", "leduc_rlcard", "holdem_limit",
    "holdem_fcpa", "acpc_nolimit_2p", "acpc_nolimit_6p:hands=3", "triple_draw", "triple_draw:players=4,stack=2000", "gin",
    "gin:up_card_phase=false,wall_turn=true", "gin:melds=choose,knock_limit=0",
    "liars_dice:dice=2,faces=3,players=3",
]  # fmt: skip
ROW = np.zeros(1, np.int64)


def dealt(game: Game, seed: int) -> Tables:
    """Return one table with a new hand, as the first of a match."""
    tables = game.tables(1)
    setup = game.next_hand((0.0,) * game.num_players, None, seed)
    tables.reset(np.array([seed], np.uint64), setups=pack_setups(game.num_players, [setup]))
    return tables


def view_of(game: Game, tables: Tables) -> dict[str, Any]:
    """Return the view of the player to act."""
    return unpack_view(game.view_fields, tables.views(int(tables.current_players()[0]), ROW)[0])


@pytest.mark.long("6p", "players=4", "wall_turn", "rlcard", "players=3")
@pytest.mark.parametrize("spec", GAMES)
def test_drawn_hands_show_the_view_and_can_be_played_on(spec: str) -> None:
    game, rng = cardai.game(spec), Random(3)
    count, met = 7, 0
    for seed in range(8):
        tables, decisions = dealt(game, seed), 0
        while (player := int(tables.current_players()[0])) >= 0:
            shown = tables.views(player, ROW)
            decisions += 1
            looked = decisions < 12 or decisions % 5 == 0  # random gin has over a hundred decisions a hand
            if looked and ("phase" not in (shown.dtype.names or ()) or shown["phase"][0] < 5):
                hands = game.determinize(view_of(game, tables), rng.getrandbits(40), count)
                rows = np.arange(count)
                assert (hands.views(player, rows) == np.repeat(shown, count)).all()
                assert (hands.current_players() == player).all()
                assert [all_legal(hands.legal(rows), i) for i in rows] == [all_legal(tables.legal(ROW), 0)] * count
                met += 1
            tables.apply(ROW, np.array([rng.choice(all_legal(tables.legal(ROW), 0))]))
        if seed >= 2 and met > 40:
            break
    assert met > 15


def test_a_hand_does_not_depend_on_how_many_are_drawn_with_it() -> None:
    game = cardai.game("gin")
    view = view_of(game, dealt(game, 5))
    few, many = game.determinize(view, 9, 2), game.determinize(view, 9, 40)
    assert [few.deck(i) for i in range(2)] == [many.deck(i) for i in range(2)]
    assert game.determinize(view, 10, 2).deck(0) != few.deck(0)


def test_randomness_comes_as_players_have_it() -> None:
    game = cardai.game("leduc")
    view = view_of(game, dealt(game, 1))
    from_rows = [game.determinize(view, Rows(np.array([4], np.uint64)), 6).deck(i) for i in range(6)]
    assert from_rows == [game.determinize(view, Rows(np.array([4], np.uint64)), 6).deck(i) for i in range(6)]
    random = Random(4)
    one, two = (game.determinize(view, random, 30) for _ in range(2))
    assert [one.deck(i) for i in range(30)] != [two.deck(i) for i in range(30)]  # a generator moves on


def test_every_deal_that_the_view_leaves_is_as_likely_as_the_next() -> None:
    """Leduc on the second round: five cards are left for the opponent less the board, four for him."""
    game = cardai.game("leduc")
    tables = dealt(game, 2)
    for action in (1, 1):
        tables.apply(ROW, np.array([action]))
    view = view_of(game, tables)
    hands, count = game.determinize(view, 1, 8000), 8000
    others = Counter(hands.deck(i)[1 - view["player"]] for i in range(count))
    left = set(range(6)) - {view["hole"][0], view["board"][0]}
    assert set(others) == left
    # 2,000 expected of each; the standard deviation is 39
    assert all(abs(found - count / 4) < 4 * 39 for found in others.values())


def test_weights_say_what_an_opponent_holds() -> None:
    game = cardai.game("acpc_limit_2p")
    view = view_of(game, dealt(game, 0))
    pairs = combos.pairs()
    free = [h for h in range(combos.COUNT) if not set(pairs[h]) & set(view["hole"])]
    weights = np.zeros(combos.COUNT)
    weights[free[7]], weights[free[100]] = 3, 1
    hands = game.determinize(view, 1, 4000, weights)
    offset = 2 * ((1 - view["player"] - view["button"] - game.betting.offset) % 2)  # type: ignore[attr-defined]
    held = Counter(tuple(sorted(hands.deck(i)[offset : offset + 2])) for i in range(4000))
    assert set(held) == {tuple(int(c) for c in pairs[free[7]]), tuple(int(c) for c in pairs[free[100]])}
    assert abs(held[tuple(int(c) for c in pairs[free[7]])] - 3000) < 4 * 27.4  # sqrt(4000 * 3/4 * 1/4)


def test_two_opponents_never_hold_one_card() -> None:
    game = cardai.game("acpc_limit_3p")
    view = view_of(game, dealt(game, 0))
    pairs = combos.pairs()
    free = [h for h in range(combos.COUNT) if not set(pairs[h]) & set(view["hole"])]
    weights = np.zeros(combos.COUNT)
    weights[free[:40]] = 1.0
    hands = game.determinize(view, 3, 300, weights)
    for i in range(300):
        assert len(set(hands.deck(i)[:6])) == 6


def gin_hand() -> tuple[Game, dict[str, Any], int]:
    """Return gin in seat 0's second turn: both passed, both drew from the stock and threw something away."""
    game = cardai.game("gin:starter=first")
    tables = dealt(game, 11)
    for action in (54, 54):
        tables.apply(ROW, np.array([action]))
    for _ in range(2):
        hand = cards_of(view_of(game, tables)["hand"])
        tables.apply(ROW, np.array([max(hand, key=lambda card: (card % 13 + 1) % 13)]))
        if int(tables.current_players()[0]) == 1 and tables.legal(ROW)[0, 53]:  # type: ignore[index]
            tables.apply(ROW, np.array([53]))
    view = view_of(game, tables)
    assert (view["player"], view["turns"]) == (0, 2)
    return game, view, view["history"][1]


def test_a_discard_of_the_opponent_came_with_his_hand_or_was_just_drawn() -> None:
    """Eleven places could have held it, all alike: ten dealt, one drawn from the stock (deck place 22)."""
    game, view, discard = gin_hand()
    count = 4400
    hands = game.determinize(view, 5, count)
    where = Counter(hands.deck(i).index(discard) for i in range(count))
    assert set(where) == {*range(1, 20, 2), 22}
    assert all(abs(found - 400) < 4 * 19.1 for found in where.values())  # sqrt(4400 / 11 * 10 / 11)


def test_every_unseen_card_is_held_as_often_and_weighted_ones_more() -> None:
    game, view, _ = gin_hand()
    unseen = sorted(set(range(52)) - set(cards_of(view["hand"])) - set(cards_of(view["discard_set"])))
    count, size = 3000, len(unseen)
    plain = game.determinize(view, 5, count)
    held = Counter(card for i in range(count) for card in cards_of(int(plain.data["hands"][i, 1])))  # type: ignore[attr-defined]
    assert set(held) == set(unseen)
    expected = count * 10 / size
    assert all(abs(found - expected) < 4.5 * (expected * (1 - 10 / size)) ** 0.5 for found in held.values())
    weights = np.ones(52)
    weights[unseen[:10]] = 1e9
    loaded = game.determinize(view, 5, 50, weights)
    assert all(set(cards_of(int(hand))) == set(unseen[:10]) for hand in loaded.data["hands"][:, 1])  # type: ignore[attr-defined]


def test_a_card_that_the_opponent_surely_holds_came_from_any_of_his_places() -> None:
    """Of eleven places one is his discard's; the card lies in any of the others, one of which he drew (deck place 22)."""
    game, view, discard = gin_hand()
    seen = set(cards_of(view["hand"])) | set(cards_of(view["discard_set"])) | {int(discard) % 52}
    card = next(card for card in range(52) if card not in seen)
    weights = np.ones(52)
    weights[card] = 1e12
    hands = game.determinize(view, 6, 2200, weights)
    drawn_last = sum(int(hands.deck(i)[22]) == card for i in range(2200))
    assert abs(drawn_last - 200) < 4 * 13.5  # sqrt(2200 / 11 * 10 / 11)


def test_draws_without_replacement_follow_their_weights() -> None:
    """Two of three with weights 1, 2, 3: the first is 3 half of the time, (3, 2) comes with 1/2 * 2/3."""
    found = drawn(np.array([10, 20, 30]), np.array([1.0, 2.0, 3.0]), hand_seeds(1, 12_000), 2, 0)
    counts = Counter(map(tuple, found.tolist()))
    assert abs(counts[30, 20] - 4000) < 4 * 51.7  # sqrt(12000 / 3 * 2 / 3)
    assert abs(counts[10, 20] - 12_000 / 6 * 2 / 5) < 4 * 27.4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hole": [51, 50]}, "lies there twice"),
        ({"pot": 7}, "its pot do not follow from the rest"),
        ({"history": [0, 0, 0], "history_round": [0] * 3, "history_seat": [0] * 3}, "actions cannot be played"),
        ({"joker": 1}, "Missing or unknown fields: joker"),
    ],
)
def test_what_is_no_view_is_refused(change: dict[str, Any], message: str) -> None:
    game = cardai.game("acpc_limit_2p")
    tables = dealt(game, 0)
    for action in (1, 1):
        tables.apply(ROW, np.array([action]))
    view = view_of(game, tables) | {"board": [51, 49, 48]} | change
    if "hole" not in change:
        view["board"] = view_of(game, tables)["board"]
    with pytest.raises(UsageError, match=message):
        game.determinize(view, 1, 3)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(52), "one for each of the 1326 hands"),
        (-np.ones(1326), "not negative"),
        (np.zeros(1326), "not all zero"),
    ],
)
def test_wrong_weights_are_refused(weights: Any, message: str) -> None:
    game = cardai.game("acpc_limit_2p")
    with pytest.raises(UsageError, match=message):
        game.determinize(view_of(game, dealt(game, 0)), 1, 3, weights)


def test_weights_that_leave_no_hand_are_refused() -> None:
    game = cardai.game("acpc_limit_2p")
    view = view_of(game, dealt(game, 0))
    weights = np.zeros(combos.COUNT)
    weights[combos.pair_index(np.array([view["hole"][0]]), np.array([view["hole"][1]]))] = 1
    with pytest.raises(UsageError, match="leave the opponent no hand"):
        game.determinize(view, 1, 3, weights)


def test_a_game_that_does_not_offer_it_says_so() -> None:
    game = cardai.game("video_poker")
    with pytest.raises(UsageError, match="VideoPoker offers no determinize"):
        game.determinize(view_of(game, dealt(game, 0)), 1, 3)


@pytest.mark.long("melds=choose")
@pytest.mark.parametrize("spec", ["kuhn", "leduc", "holdem_fcpa", "gin:melds=choose", "triple_draw", "video_poker"])
def test_an_actions_name_leads_back_to_it(spec: str) -> None:
    game = cardai.game(spec)
    for action in range(game.num_distinct_actions):
        assert game.action_from_string(game.action_to_string(action)) == action
    shouted = "  " + game.action_to_string(1).upper().replace(" ", "   ")
    assert game.action_from_string(shouted) == 1


def test_an_amount_is_read_back() -> None:
    game = cardai.game("acpc_nolimit_2p")
    assert game.action_from_string("raise to 19999") == 19999


def test_a_name_that_is_no_actions_suggests_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"No action is called 'discrad 7c'\. Did you mean 'discard 7c'\?"):
        cardai.game("gin").action_from_string("discrad 7c")
