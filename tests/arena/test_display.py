"""Any game's views read well, whatever its fields."""

from __future__ import annotations

import pytest

from cardai.arena.display import coloured, glyphs, help_text, private_rows, seat_name, view_rows, view_text
from cardai.core import registry
from cardai.core.fields import Field
from cardai.core.states import StateGame


class Drawn(StateGame):
    """A game with one field of every kind, for its display."""

    num_players, num_distinct_actions, num_chance_outcomes = 2, 3, 52
    view_fields = (
        Field("player", "seat", "who looks", maximum=1),
        Field("top", "card", "the top card", maximum=51),
        Field("hand", "card_set", "own cards"),
        Field("board", "cards", "the board", maximum=51, size=3),
        Field("stacks", "chips", "chips behind", maximum=100, size=2, unit="chips"),
        Field("pot", "chips", "chips in", maximum=10_000, unit="chips"),
        Field("folded", "flag", "who has folded", maximum=1, size=2),
        Field("ending", "count", "0 showdown, 1 all folded", maximum=1),
        Field("dealer", "seat", "who deals", maximum=1),
        Field("history", "public_history", "actions", maximum=2, size=6),
        Field("history_seat", "public_history", "who acted", maximum=1, size=6),
        Field("history_round", "public_history", "when", maximum=3, size=6),
    )

    def new_initial_state(self, setup=None):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def action_to_string(self, action: int) -> str:
        return ("fold", "call", "discard 7c")[action]


VIEW = {
    "player": 1,
    "top": 12,
    "hand": (1 << 0) | (1 << 51),
    "board": [13, 26],
    "stacks": [90, 80],
    "pot": 1234,
    "folded": [True, False],
    "ending": 1,
    "dealer": 1,
    "history": [1, 2, 0],
    "history_seat": [0, 1, 0],
    "history_round": [0, 0, 1],
}


def test_every_kind_of_field_is_a_line_in_words() -> None:
    assert dict(view_rows(Drawn(), VIEW)) == {
        "top": "A♣",
        "hand": "2♣ A♠",
        "board": "2♦ 2♥",
        "stacks": "seat 0 90 chips, you 80 chips",
        "pot": "1,234 chips",
        "folded": "seat 0 yes, you no",
        "ending": "all folded",
        "dealer": "you",
        "history": "seat 0 call, you discard 7♣ | seat 0 fold",
    }


def test_nothing_is_shown_as_a_dash() -> None:
    empty = VIEW | {"top": -1, "hand": 0, "board": [], "history": [], "history_seat": [], "history_round": []}
    rows = dict(view_rows(Drawn(), empty))
    assert [rows[name] for name in ("top", "hand", "board", "history")] == ["-"] * 4


def test_only_cards_that_differ_are_anothers_private_cards() -> None:
    assert private_rows(Drawn(), VIEW, VIEW | {"hand": 2, "pot": 0}) == [("hand", "3♣")]


def test_a_games_own_words_for_cards_are_used_where_the_deck_is_not_52() -> None:
    kuhn = registry.create("game", "kuhn")
    assert view_text(kuhn, {"player": 0, "card": 2, "history": [0, 1]}) == "card     king\nhistory  pass, bet"


def test_a_games_own_drawing_comes_first() -> None:
    class Own(Drawn):
        def draw(self, view):  # type: ignore[no-untyped-def]
            return "mine"

    assert view_text(Own(), VIEW) == "mine"


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("discard 7c", "discard 7♣"),
        ("AsKd", "A♠K♦"),
        ("take it", "take it"),
        ("Ts, 2h", "T♠, 2♥"),
        ("Acting", "Acting"),
    ],
)
def test_cards_in_actions_get_suits(text: str, drawn: str) -> None:
    assert glyphs(text) == drawn


def test_red_and_black_cards_are_coloured() -> None:
    styles = {str(span.style) for span in coloured("7♣ 8♦").spans}
    assert styles == {"bold black on white", "bold red on white"}


def test_help_holds_the_rules_and_the_fields() -> None:
    text = help_text(registry.create("game", "kuhn"))
    assert text.startswith("Ante one")
    assert "the own card: 0 jack" in text


def test_an_onlooker_is_nobody_at_the_table() -> None:
    assert [seat_name(seat, None) for seat in (-1, 0, 1)] == ["nobody", "seat 0", "seat 1"]
    assert [seat_name(seat, 0) for seat in (-1, 0, 1)] == ["nobody", "you", "seat 1"]
    rows = dict(view_rows(Drawn(), {**VIEW, "player": None}))
    assert rows["dealer"] == "seat 1"
    assert rows["stacks"] == "seat 0 90 chips, seat 1 80 chips"
