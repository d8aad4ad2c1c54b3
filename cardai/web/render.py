"""jinja2 templates: everything that goes into a page is escaped, and whatever does more than stand there is shown as text."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cardai.cards.text import GLYPHS, RANK_NAMES, RANKS, SUITS, glyphs
from cardai.core.game import Game
from cardai.core.text import shown
from cardai.study.coach import amount
from cardai.study.review import number
from cardai.ui.amounts import money

HERE = Path(__file__).parent
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


def finalize(value: Any) -> Any:
    """Return what a template prints as it may be shown (:mod:`cardai.core.text`); markup of our own stays."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def environment() -> Environment:
    """Return the templates of this package."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    made.filters["money"] = money
    made.filters["signs"] = glyphs
    made.filters["inline"] = inline
    made.filters["figure"] = number
    made.filters["amount"] = amount
    made.filters["drawn"] = Markup
    return made


def render(template: str, **given: Any) -> str:
    """Return a template of this package, filled in."""
    return environment().get_template(template).render(given)


@cache
def own_template(kind: type[Game]) -> Any:
    """Return the template that a game brings for its table: the file of the name ``page`` beside the class's module."""
    source = Path(inspect.getfile(kind)).with_name(kind.page).read_text(encoding="utf-8")
    theirs = environment().overlay(loader=ChoiceLoader([DictLoader({kind.page: source}), environment().loader]))  # type: ignore[list-item]
    return theirs.get_template(kind.page)


def card_words(card: int) -> str:
    """Return a card of 52 in words: "seven of clubs"."""
    return f"{RANK_NAMES[card % 13]} of {SUIT_NAMES[card // 13]}"


def face(card: int, **more: Any) -> Mapping[str, Any]:
    """Return a card of 52 as templates draw it (-1: face down)."""
    if card < 0:
        return {"down": True, "words": "a card face down", **more}
    rank = RANKS[card % 13]
    return {
        "card": card,
        "rank": rank_text(rank),
        "key": rank,
        "suit": SUITS[card // 13],
        "words": card_words(card),
        **more,
    }


def rank_text(rank: str) -> str:
    """Return a rank's letter as it stands on a card: "10" for T."""
    return "10" if rank == "T" else rank


def inline(text: str) -> Markup:
    """Return text in which cards such as 7♣ have their colours, and are written as they are drawn."""
    out: list[str] = []
    escaped = str(Markup.escape(shown(glyphs(text))))
    for place, letter in enumerate(escaped):
        suit = GLYPHS.find(letter)
        if suit >= 0 and place and escaped[place - 1] in RANKS:
            out[-1] = f'<b class="said s-{SUITS[suit]}">{rank_text(out[-1])}{letter}</b>'
        else:
            out.append(letter)
    return Markup("".join(out))
