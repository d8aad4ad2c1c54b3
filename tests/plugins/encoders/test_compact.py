"""The encoders for learners: what stands where, and what is lost and what is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.core.fields import Views, empty_views
from cardai.core.rng import Rows, derive_many
from cardai.gin.melds import is_meld
from cardai.plugins.encoders.gin_compact import near_cards
from tests.plugins.encoders import slow_codes


def met(game_name: str, hands: int, seed: int = 0) -> Views:
    """Return the views of whoever acts, in random hands of a game."""
    game, agent = cardai.game(game_name), cardai.agent("random")
    tables = game.tables(hands)
    tables.reset(derive_many(seed, "deck", count=hands))
    found = []
    for step in range(10_000):
        current = tables.current_players()
        if (current < 0).all():
            break
        for seat in range(game.num_players):
            rows = np.flatnonzero(current == seat)
            if len(rows):
                found.append(tables.views(seat, rows))
                seeds = derive_many(seed, step, seat, count=len(rows))
                tables.apply(rows, agent.act(found[-1], tables.legal(rows), Rows(seeds)))
    return np.concatenate(found)


def cards(text: str) -> int:
    return sum(1 << card for card in parse_cards(text))


def test_near_cards_are_those_that_make_a_meld_with_two_of_the_hand() -> None:
    rng = np.random.default_rng(1)
    hands = [sorted(int(c) for c in rng.choice(52, size, replace=False)) for size in (0, 1, 2, 3, 6, 10, 11) * 10]
    sets = np.array([sum(1 << c for c in hand) for hand in hands], np.uint64)
    for hand, found in zip(hands, near_cards(sets).tolist(), strict=True):
        slow = {
            card for card in set(range(52)) - set(hand) for a in hand for b in hand if a < b and is_meld([a, b, card])
        }
        assert {card for card in range(52) if found >> card & 1} == slow, hand


def test_gin_compact_says_what_the_player_knows() -> None:
    game = cardai.game("gin")
    layout: Any = cardai.encoder("gin_compact").for_game(game)
    assert layout.shape == (329,)
    views = empty_views(game.view_fields, 1)
    views["player"], views["phase"], views["knocker"] = 1, 2, 0
    views["hand"] = cards("2c 3c 4c 7d 7h Kd Ah 9s Ts Qs 5h")
    views["opponent_known"], views["revealed"] = cards("8s"), cards("8h")
    views["opponent_discards"], views["opponent_declined"] = cards("Jd 6d"), cards("6d 9d")
    views["discards"][0, :3] = parse_cards("6d 9d Jd")
    views["score"] = [[20, 35]]
    said = layout.decode(layout.encode(views)[0])
    assert said["hand"] == sorted(parse_cards("2c 3c 4c 7d 7h Kd Ah 9s Ts Qs 5h"))
    assert said["melded"] == parse_cards("2c 3c 4c")
    assert said["near"] == sorted(parse_cards("Ac 5c 6h 7c 7s 8s Js"))
    assert said["opponent"] == sorted(parse_cards("8h 8s"))
    assert said["opponent_discards"] == sorted(parse_cards("6d Jd"))
    assert said["opponent_declined"] == sorted(parse_cards("6d 9d"))
    assert said["discards"] == parse_cards("6d 9d Jd")
    assert said["deadwood"] == 7 + 7 + 10 + 1 + 9 + 10 + 10 + 5
    assert (said["phase"], said["knocker"], said["score"]) == ("discard", "the opponent", [35, 20])


def test_gin_compact_loses_the_order_of_draws_and_says_so() -> None:
    layout = cardai.encoder("gin_compact").for_game(cardai.game("gin"))
    views = met("gin", 3)[-2:].copy()
    views[1] = views[0]
    views["draws"][1] = views["draws"][0][::-1]
    assert not layout.lossless
    assert np.array_equal(*layout.encode(views))


def betting(view: Any) -> tuple[Any, ...]:
    """Return all that a view of hold'em says but the order of cards dealt together."""
    board = view["board"].tolist()
    return (
        *(int(view[name]) for name in ("player", "button", "round")),
        frozenset(view["hole"].tolist()),
        frozenset(board[:3]),
        *board[3:],
        *view["history"].tolist(),
    )


def test_holdem_compact_loses_nothing_of_heads_up_limit_but_the_order_of_the_deal() -> None:
    layout: Any = cardai.encoder("holdem_compact").for_game(cardai.game("holdem_limit"))
    views = met("holdem_limit", 400)
    seen: dict[bytes, Any] = {}
    for view, code in zip(views, layout.encode(views), strict=True):
        # the seat itself is not shown, only the place behind the button
        known = betting(view)[2:]
        assert seen.setdefault((code + 0.0).tobytes(), known) == known
    swapped = views[:1].copy()
    swapped["hole"] = swapped["hole"][:, ::-1]
    assert np.array_equal(layout.encode(swapped), layout.encode(views[:1]))
    assert not layout.lossless


def test_holdem_compact_shows_streets_hands_and_amounts() -> None:
    game = cardai.game("holdem_nolimit")
    layout: Any = cardai.encoder("holdem_compact:samples=50").for_game(game)
    views = empty_views(game.view_fields, 1)
    views["player"], views["button"], views["round"] = 1, 0, 1
    views["hole"] = [parse_cards("Ah Kh")]
    views["board"][0, :3] = parse_cards("2h 7h Th")
    views["history"][0, :3], views["history_round"][0, :3] = [300, 1, 1], [0, 0, 1]
    views["pot"], views["to_call"], views["spent"] = 600, 0, [[300, 300]]
    said = layout.decode(layout.encode(views)[0])
    assert said["hole"] == sorted(parse_cards("Ah Kh"))
    assert said["board"] == parse_cards("2h 7h Th")
    assert (said["category"], said["position"], said["pot"]) == ("flush", 1, 600)
    assert said["betting"] == [["raise to 300", "call"], ["call"], [], []]
    assert said["strength"] > 0.9


def test_other_games_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"family 'gin'\. Leduc speaks 'poker'"):
        cardai.encoder("gin_compact").for_game(cardai.game("leduc"))
    with pytest.raises(UsageError, match=r"board of five, of 52\. The views of Leduc"):
        cardai.encoder("holdem_compact").for_game(cardai.game("leduc"))


@pytest.mark.parametrize(
    ("game_name", "encoder"),
    [
        ("leduc", "flat"),
        ("gin:max_turns=20", "flat"),
        ("triple_draw", "flat"),
        ("leduc", "leduc_30"),
        ("gin", "gin_compact"),
        ("holdem_limit", "holdem_compact"),
        ("holdem_fcpa", "holdem_compact"),
        ("acpc_limit_3p", "holdem_compact"),  # where others act behind a fold
    ],
)
def test_codes_are_those_of_the_layout_written_once_more(game_name: str, encoder: str) -> None:
    game, views = cardai.game(game_name), met(game_name, 30, seed=3)[-400:]
    slow = getattr(slow_codes, encoder)(game, views)
    assert np.array_equal(cardai.encoder(encoder).for_game(game).encode(views), slow)
