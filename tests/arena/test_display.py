"""Any game's views read well, whatever its fields."""

from __future__ import annotations

import pytest

from cardai.arena.display import coloured, help_text, private_rows, seat_name, view_rows, view_text
from cardai.cards.text import card_text, glyphs
from cardai.core import registry
from cardai.core.fields import Field
from cardai.core.states import StateGame


class Drawn(StateGame):
    """A game with one field of every kind, for its display."""

    num_players, num_distinct_actions, num_chance_outcomes = 2, 3, 52
    view_fields = (
        Field("me", "seat", "who looks", maximum=1, role="player"),
        Field("top", "card", "the top card", maximum=51),
        Field("hand", "card_set", "own cards"),
        Field("board", "cards", "the board", maximum=51, size=3),
        Field("stacks", "chips", "chips behind", maximum=100, size=2, unit="chips", role="by_seat"),
        Field("pot", "chips", "chips in", maximum=10_000, unit="chips"),
        Field("folded", "flag", "who has folded", maximum=1, size=2, role="by_seat"),
        Field("kept", "count", "cards kept at two draws", maximum=5, size=4, role="by_seat"),
        Field("dice", "count", "two dice, which are nobody's", maximum=6, size=2),
        Field("ending", "count", "how it ended", maximum=1, labels=("showdown", "all folded")),
        Field("dealer", "seat", "who deals", maximum=1),
        Field("done", "public_history", "actions", maximum=2, size=6, role="actions"),
        Field("who", "public_history", "who acted", maximum=1, size=6, role="seat_of:done"),
        Field("when", "public_history", "when", maximum=3, size=6, role="round_of:done"),
        Field("said", "public_history", "words", maximum=1, size=2, labels=("no", "yes")),
        Field("history", "public_history", "numbers that are no actions", maximum=2, size=2),
    )

    def new_initial_state(self, setup=None):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def chance_to_string(self, outcome: int) -> str:
        return card_text(outcome)

    def action_to_string(self, action: int) -> str:
        return ("fold", "call", "discard 7c")[action]


VIEW = {
    "me": 1,
    "top": 12,
    "hand": (1 << 0) | (1 << 51),
    "board": [13, 26],
    "stacks": [90, 80],
    "pot": 1234,
    "folded": [True, False],
    "kept": [3, -1, 5, 0],
    "dice": [6, 1],
    "ending": 1,
    "dealer": 1,
    "done": [1, 2, 0],
    "who": [0, 1, 0],
    "when": [0, 0, 1],
    "said": [1, 0],
    "history": [1, 2],
}


def test_every_kind_of_field_is_a_line_in_words() -> None:
    assert dict(view_rows(Drawn(), VIEW)) == {
        "top": "A♣",
        "hand": "2♣ A♠",
        "board": "2♦ 2♥",
        "stacks": "seat 0 90 chips, you 80 chips",
        "pot": "1,234 chips",
        "folded": "seat 0 yes, you no",
        "kept": "seat 0 3 -1, you 5 0",
        "dice": "6 1",
        "ending": "all folded",
        "dealer": "you",
        "done": "seat 0 call, you discard 7♣ | seat 0 fold",
        "said": "yes, no",
        "history": "1, 2",
    }


def test_nothing_is_shown_as_a_dash() -> None:
    empty = VIEW | {"top": -1, "hand": 0, "board": [], "done": [], "who": [], "when": []}
    rows = dict(view_rows(Drawn(), empty))
    assert [rows[name] for name in ("top", "hand", "board", "done")] == ["-"] * 4


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
    assert "how it ended: 0 showdown, 1 all folded" in help_text(Drawn())


def test_an_onlooker_is_nobody_at_the_table() -> None:
    assert [seat_name(seat, None) for seat in (-1, 0, 1)] == ["nobody", "seat 0", "seat 1"]
    assert [seat_name(seat, 0) for seat in (-1, 0, 1)] == ["nobody", "you", "seat 1"]
    rows = dict(view_rows(Drawn(), {**VIEW, "me": -1}))
    assert rows["dealer"] == "seat 1"
    assert rows["stacks"] == "seat 0 90 chips, seat 1 80 chips"
