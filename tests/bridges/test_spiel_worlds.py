"""OpenSpiel's hands drawn anew: they look the same to the player, hide nothing of what it knows, and can be searched."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.core.fields import unpack_view
from tests.support import sizes

pytest.importorskip("pyspiel")
ROW = np.zeros(1, np.int64)


def view_of(game: Any, tables: Any) -> dict[str, Any]:
    return unpack_view(game.view_fields, tables.views(int(tables.current_players()[0]), ROW)[0])


@pytest.mark.parametrize(
    "name",
    [*sizes("kuhn_poker", "phantom_ttt", "hearts", "oh_hell"), "leduc_poker(players=3)", "liars_dice", "spades"],
)
def test_drawn_hands_look_the_same_to_the_player_and_can_be_played_on(name: str) -> None:
    game: Any = cardai.game("openspiel", name=name)
    game.expect_determinize()
    rng, count, met, moved = Random(4), 2, 0, 0
    tables = game.tables(1)
    tables.reset(np.array([3], np.uint64))
    while (player := int(tables.current_players()[0])) >= 0:
        shown, legal = tables.views(player, ROW), tables.legal(ROW)
        if met < 2 or rng.random() < 0.05:
            hands = game.determinize(view_of(game, tables), rng.getrandbits(40), count)
            rows = np.arange(count)
            assert (hands.views(player, rows) == np.repeat(shown, count)).all()
            assert (hands.current_players() == player).all()
            assert (hands.legal(rows) == legal).all()
            moved += sum(hands.state(row).history != tables.state(0).history for row in range(count))
            met += 1
        tables.apply(ROW, np.array([rng.choice(np.flatnonzero(legal[0]).tolist())]))
    assert met
    assert moved, "the hidden part is drawn"


@pytest.mark.parametrize("name", ["spades", "kuhn_poker"])
def test_a_drawn_hand_has_the_information_states_of_a_hand_that_was_played_so(name: str) -> None:
    """Spades has observations alone: what all seats have observed is told again where somebody asks."""
    game: Any = cardai.game("openspiel", name=name)
    game.expect_determinize()
    tables = game.tables(1)
    tables.reset(np.array([5], np.uint64))
    drawn = game.determinize(view_of(game, tables), 1, 1).state(0)
    for _ in range(2):
        drawn.play(drawn.legal_actions()[0])
    played = game.new_initial_state()
    for action in drawn.history:
        played.apply_action(action)
    keys = [drawn.key(seat) for seat in range(game.num_players)]
    assert keys == [played.key(seat) for seat in range(game.num_players)]
    assert len(set(keys)) == game.num_players


def test_a_hand_is_found_where_others_moves_are_what_is_hidden() -> None:
    """Phantom tic-tac-toe, whole hands: late in one, fewer than one in 3,000 tellings at random agrees with the own failures."""
    game: Any = cardai.game("openspiel", name="phantom_ttt")
    game.expect_determinize()
    for seed in (3, 36, 125):
        rng, tables = Random(seed), game.tables(1)
        tables.reset(np.array([seed], np.uint64))
        while (player := int(tables.current_players()[0])) >= 0:
            hands = game.determinize(view_of(game, tables), seed, 1)
            assert (hands.views(player, ROW) == tables.views(player, ROW)).all()
            tables.apply(ROW, np.array([rng.choice(np.flatnonzero(tables.legal(ROW)[0]).tolist())]))


def test_every_hand_drawn_while_cards_are_passed_comes_to_its_end() -> None:
    """Hearts: OpenSpiel draws hands there in which a seat runs out of cards before the last trick."""
    game: Any = cardai.game("openspiel", name="hearts")
    game.expect_determinize()
    rng, tables = Random(1), game.tables(1)
    tables.reset(np.array([4], np.uint64))
    for met in range(14):  # all of twelve passes, and the first cards
        player = int(tables.current_players()[0])
        hands = game.determinize(view_of(game, tables), met, 2)
        for row in range(2):
            state = hands.state(row).spiel.clone()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))  # of none: an IndexError
        tables.apply(ROW, np.array([rng.choice(np.flatnonzero(tables.legal(ROW)[0]).tolist())]))
        assert player >= 0


def test_what_is_hidden_is_as_likely_as_it_should_be() -> None:
    """Liar's dice: the other die is any of six; kuhn: either of two cards."""
    for name, place, known in (("liars_dice", 1, 6), ("kuhn_poker", 1, 2)):
        game: Any = cardai.game("openspiel", name=name)
        game.expect_determinize()
        tables = game.tables(1)
        tables.reset(np.zeros(1, np.uint64))
        hands = game.determinize(view_of(game, tables), 1, 1200)
        fell = Counter(hands.state(row).history[place] for row in range(1200))
        assert len(fell) == known
        assert all(abs(count - 1200 / known) < 4.5 * (1200 / known) ** 0.5 for count in fell.values())


def test_a_call_or_a_bid_says_nothing_of_the_card_that_has_its_number() -> None:
    """Repeated Leduc: who called, action 1, holds any of the other cards, not card 1."""
    game: Any = cardai.game("openspiel", name="repeated_leduc_poker")
    game.expect_determinize()
    tables = game.tables(1)
    tables.reset(np.array([5], np.uint64))
    for action in (2, 1):
        tables.apply(ROW, np.array([action]))
    hands = game.determinize(view_of(game, tables), 1, 400)
    dealt = tables.state(0).history
    assert (dealt[0], dealt[4]) == (2, 0)
    held = Counter(hands.state(row).history[1] for row in range(400))
    assert set(held) == {1, 3, 4, 5}
    # 100 each with a deviation of 8.7
    assert all(abs(count - 100) < 42 for count in held.values())


@pytest.mark.parametrize("name", ["repeated_leduc_poker", "tiny_bridge_2p"])
def test_games_whose_actions_have_the_numbers_of_cards_are_searched(name: str) -> None:
    """In repeated Leduc a view also leaves open what is legal: whether the next hand is still to be begun."""
    for agent in ("ismcts:simulations=5", "pimc:simulations=5"):
        hands = cardai.play(f"openspiel:name={name}", [agent, "random"], games=4, seed=1).hands
        assert len(hands) == 4


def test_a_view_that_was_not_shown_is_refused() -> None:
    game: Any = cardai.game("openspiel", name="leduc_poker(players=4)")
    tables = game.tables(1)
    tables.reset(np.zeros(1, np.uint64))
    with pytest.raises(UsageError, match="only for views that this process has shown"):
        game.determinize(view_of(game, tables), 1, 1)


def test_their_games_are_searched() -> None:
    result = cardai.play("openspiel:name=liars_dice", ["ismcts:simulations=30,worlds=10", "random"], games=12, seed=1)
    assert result.mean_return(0).mean > 0


def test_looking_at_drawn_worlds_takes_no_hand_away_that_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of one table looks at thousands of worlds; the others' hands are still drawn for afterwards."""
    from cardai.bridges import spiel_games

    game: Any = cardai.game("openspiel", name="oh_hell")
    game.expect_determinize()
    tables = game.tables(1)
    tables.reset(np.array([3], np.uint64))
    shown = view_of(game, tables)
    monkeypatch.setattr(spiel_games, "_KEPT", 4)
    for seed in range(3):
        worlds = game.determinize(shown, seed, 4)
        rows = np.arange(4)
        for _ in range(2):
            worlds.views(int(worlds.current_players()[0]), rows)
            worlds.apply(rows, worlds.legal(rows).argmax(axis=1))


def test_the_hands_that_were_shown_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long match in lock step all tables' hands are there when who searches is asked about them."""
    from cardai.bridges import spiel_games

    game: Any = cardai.game("openspiel", name="oh_hell")
    game.expect_determinize()
    monkeypatch.setattr(spiel_games, "_KEPT", 8)
    rows = np.arange(6)
    for seed in range(3):
        tables = game.tables(6)
        tables.reset(np.arange(6, dtype=np.uint64) + 6 * seed)
        for view in tables.views_of(tables.current_players().astype(np.int64), rows):
            assert game.determinize(unpack_view(game.view_fields, view), seed, 1).count == 1
