"""What a person types is understood by its meaning, and nothing typed means two things."""

from __future__ import annotations

from random import Random

import pytest

import cardai
from cardai.arena.menu import Menu, game_keys, menu_of
from cardai.arena.table import Table
from cardai.cards.text import card_text, cards_of
from cardai.poker.words import in_big_blinds
from tests.support import sizes


def at(game: str, seed: int, *actions: int) -> tuple[Menu, Table]:
    """Return the menu after ``actions``, all of them from outside, and the table."""
    table = Table(game, [None] * cardai.game(game).num_players, seed=seed)
    for action in actions:
        table.act(action)
    return menu_of(table.game, table.view(), table.legal()), table


@pytest.mark.parametrize(
    ("game", "keys"),
    [
        ("kuhn", {"pass": "p", "bet": "b"}),
        ("leduc", {"fold": "f", "check or call": "c", "bet or raise": "r"}),
        ("holdem_limit", {"fold": "f", "check or call": "c", "bet or raise": "r"}),
        ("holdem_nolimit", {"fold": "f", "check or call": "c", "raise to an amount": "r"}),
        ("holdem_fcpa", {"fold": "f", "check or call": "c", "bet the pot": "r", "all-in": "a"}),
        ("triple_draw", {"fold": "f", "check or call": "c", "bet or raise": "r", "stand pat": "s"}),
        (
            "gin",
            {"take the face-up card": "t", "draw from the stock": "d", "pass": "p", "knock": "k", "play on": "o"},
        ),
    ],
)
def test_keys_mean_the_same_throughout_a_game(game: str, keys: dict[str, str]) -> None:
    assert dict(game_keys(cardai.game(game))) == keys
    assert len(set(keys.values())) == len(keys)
    assert "q" not in keys.values()


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        *(("f", 0), ("fold", 0), ("fo", 0), ("c", 1), ("call", 1), ("call 50", 1), ("CALL", 1)),
        *(
            ("300", 300),
            ("r 300", 300),
            ("r300", 300),
            ("1,500", 1500),
            ("0300", 300),
            ("raise to 1,500", 1500),
            ("bet 201", 201),
            ("200", 200),
        ),
        *(("half pot", 200), ("pot", 300), ("r pot", 300), ("all in", 20_000), ("a", 20_000), ("min", 200)),
        ("max", 20_000),
    ],
)
def test_betting_is_typed_by_keys_names_and_amounts(typed: str, action: int) -> None:
    menu, _ = at("holdem_nolimit", 3)  # 50 and 100 are in: the pot after a call is 200
    assert menu.understood(typed) == action


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("r", "Raise to how much? Type 200 to 20,000, on this street."),
        ("raise", "Raise to how much? Type 200 to 20,000, on this street."),
        ("2", "You can raise to 200 at least and 20,000 at most, on this street."),
        ("1" * 40, "You can raise to 200 at least and 20,000 at most, on this street."),
        ("k", "There is no action 'k' here. Type f, c, r, an amount, ? for help, q to stop."),
        ("2c", "There is no action '2c' here. Type f, c, r, an amount, ? for help, q to stop."),
        ("", "Type f, c, r, an amount, ? for help, q to stop."),
    ],
)
def test_what_is_no_bet_is_answered(typed: str, answer: str) -> None:
    menu, _ = at("holdem_nolimit", 3)
    assert menu.understood(typed) == answer


def test_a_key_that_is_not_legal_now_is_told_from_one_that_is_none() -> None:
    menu, _ = at("holdem_limit", 3, 1)
    assert menu.lines() == ["c check", "r raise to 20"]
    assert menu.understood("f") == "f is fold, which you cannot do here. Type c, r, ? for help, q to stop."


def test_a_ladder_of_bets_is_typed_by_amount_or_by_name() -> None:
    menu, _ = at("holdem_nolimit:bets=0.5+pot+2+allin", 3)
    assert menu.lines() == [
        *("f fold", "c call 50", "r raise to 200 (half pot)", "r raise to 300 (pot)"),
        *("r raise to 500 (2 of the pot)", "a raise to 20,000, all-in"),
    ]
    for typed, action in (("half pot", 2), ("pot", 3), ("r 300", 3), ("200", 2), ("2 of the pot", 4), ("a", 5)):
        assert menu.understood(typed) == action
    assert "could be raise to 200 (half pot)" in str(menu.understood("r"))
    assert menu.understood("all-in") == 5
    assert "There is no action '20'" in str(menu.understood("20"))  # no beginning of a number is one
    spot, _ = at("holdem_spot", 3)
    assert spot.lines() == ["c check", "r bet 100", "a all-in 150"]


def test_cards_are_typed_with_their_suits() -> None:
    menu, table = at("gin", 3, 52)
    hand = cards_of(table.view()["hand"])
    legal = table.legal_actions()
    for card in legal:
        assert menu.understood(card_text(card)) == card
        assert menu.understood(f"discard {card_text(card).upper()}") == card
        assert menu.understood(f"d {card_text(card)}") == card
    missing = next(card for card in range(52) if card not in hand)
    assert "Nothing can be done with" in str(menu.understood(card_text(missing)))
    assert "p is pass, which you cannot do here." in str(menu.understood("p"))
    rank = card_text(legal[0])[0].lower()
    assert isinstance(menu.understood("8" if rank != "8" else "9"), str)


@pytest.mark.parametrize("game", ["video_poker", "triple_draw"])
def test_held_or_thrown_cards_are_typed_as_a_set_in_any_order(game: str) -> None:
    menu, table = at(game, 5, *([1, 1] if game == "triple_draw" else []))
    hand = table.view()["hand"]
    first = table.legal_actions()[0]
    for mask in range(1, 32):
        cards = [card_text(hand[i]) for i in range(5) if mask >> i & 1]
        Random(mask).shuffle(cards)
        for typed in (" ".join(cards), "".join(cards), "+".join(cards), ", ".join(cards)):
            assert menu.understood(typed) == first + mask
    assert menu.understood("d" if game == "video_poker" else "s") == first
    assert any(line.startswith(("hold any of", "discard any of")) for line in menu.lines())


def test_the_largest_raise_of_pot_limit_betting_is_the_pot_and_not_all_in() -> None:
    """It was called all-in, and "all-in" raised to the pot."""
    menu, _ = at("plo:stack=20000", 1)
    assert (menu.low, menu.high, menu.top, menu.sizes) == (200, 300, "pot", (("half pot", 200),))
    assert "r raise to 200..300 (half pot 200, pot 300)" in menu.lines()
    assert menu.understood("pot") == menu.understood("max") == 300
    assert "no action 'all-in'" in str(menu.understood("all-in"))
    short, _ = at("plo:stack=250", 1)
    assert (short.high, short.top, short.understood("all-in")) == (250, "all-in", 250)


def test_a_bet_is_told_and_typed_by_its_street_half_a_pot_of_500_is_250() -> None:
    """A raise to 250 that is called makes a pot of 500; what was put in before the flop is not counted there."""
    menu, table = at("holdem_nolimit", 3, 250, 1)
    assert table.view()["pot"] == 500
    assert (menu.verb, menu.offset, menu.said(menu.low)) == ("bet", 250, "100")
    assert "r bet 100..19,750 (half pot 250, pot 500, all-in 19,750)" in menu.lines()
    assert menu.understood("250") == menu.understood("bet 250") == menu.understood("half pot") == 500
    assert menu.understood("r") == "Bet how much? Type 100 to 19,750, on this street."
    table.act(500)
    raised = menu_of(table.game, table.view(), table.legal())
    assert raised.understood("raise to 750") == raised.understood("r 750") == 1000
    assert table.game.action_words(1000, table.view()) == "raise to 750"
    assert table.game.action_words(1, table.view()) == "call 250"
    assert in_big_blinds("raise to 1,250, all-in", 100) == "raise to 12.5 bb, all-in"
    assert in_big_blinds("discard 7c 2d", 100) == "discard 7c 2d"
    assert in_big_blinds("bet 250 (0.5 of the pot)", 100) == "bet 2.5 bb (0.5 of the pot)"


def test_names_are_typed_as_far_as_they_differ() -> None:
    menu, _ = at("kuhn", 1)
    assert menu.understood("pas") == 0
    assert menu.understood("1") == "There is no action '1' here. Type p, b, ? for help, q to stop."


@pytest.mark.long("melds=choose")
@pytest.mark.parametrize(
    "game",
    ["gin", "gin:melds=choose", "leduc", "holdem_limit:stack=33", "holdem_nolimit", "triple_draw", "video_poker"],
)
@pytest.mark.parametrize("most", sizes(80, 10_000))
def test_every_legal_action_can_be_typed_as_the_menu_shows_it(game: str, most: int) -> None:
    """At the decisions of six hands, or of the first of them where those have ``most``: random gin takes long."""
    met = 0
    for seed in range(6):
        if met >= most:
            break
        rng = Random(seed)
        table = Table(game, [None] * cardai.game(game).num_players, seed=seed)
        while not table.hand_over:
            menu = menu_of(table.game, table.view(), table.legal())
            for choice in menu.choices:
                if choice.action >= 0:
                    assert menu.understood(choice.words) == choice.action, (choice, menu)
                if choice.key and sum(choice.key == other.key for other in menu.choices) == 1 and choice.action >= 0:
                    assert menu.understood(choice.key) == choice.action
            assert " ".join(menu.lines())
            met += 1
            table.act(rng.choice(table.legal_actions()))


@pytest.mark.long("players=3")
@pytest.mark.parametrize(
    "game",
    [
        "leduc", "leduc:ante=1,blinds=1+2,stack=9", "holdem_limit:players=3", "holdem_limit:stack=33", "holdem_fcpa",
        "holdem_nolimit:bets=0.5+0.75+pot+2", "holdem_nolimit", "triple_draw:players=3", "holdem_nolimit:ante=7",
    ],
)  # fmt: skip
@pytest.mark.parametrize("hands", sizes(5, 12))
def test_amounts_in_words_are_what_is_put_in(game: str, hands: int) -> None:
    """Played out, an action puts in what its words said, counted on its street."""
    for seed in range(hands):
        rng = Random(seed)
        table = Table(game, [None] * cardai.game(game).num_players, seed=seed)
        while not table.hand_over:
            seat, view = table.to_act, table.view()
            assert seat is not None
            action = rng.choice(table.legal_actions())
            words = table.game.action_words(action, view)
            table.act(action)
            spent = table.view(seat)["spent"][seat]
            put_in = spent - view["spent"][seat]
            all_in = view["stacks"][seat] > 0 and put_in == view["stacks"][seat]
            plain = words.replace(",", "").partition(" (")[0]
            assert plain.endswith(" all-in") == all_in, (words, view)
            said = [int(word) for word in plain.split() if word.isdigit()]
            if plain.startswith("raise to"):
                assert said == [put_in + view["round_spent"][seat]], words
                assert max(view["round_spent"]) > 0
            elif plain.startswith(("bet", "call")):
                assert said == [put_in], words
            else:
                assert put_in == 0, words
