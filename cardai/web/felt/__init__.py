"""A scene as parts of a page: the felt by its family (or by the game's own template), what can be done, the log, the words.

Each family's module says what its template is given; what a table has in common is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from cardai.arena.display import is_french
from cardai.cards.text import GLYPHS, RANKS, glyphs
from cardai.core import registry
from cardai.draw.contract import is_solo_draw
from cardai.gin.fields import GIN
from cardai.poker.fields import POKER
from cardai.poker.words import in_big_blinds
from cardai.ui.amounts import big_blind_of
from cardai.ui.keys import Keyboard, hand_order, keyboard, short_words
from cardai.ui.lines import end_text, standing_text, turn_words
from cardai.ui.pictures.dice import dice_of
from cardai.ui.pictures.fields import cards_in, is_dealt
from cardai.ui.players import title_of
from cardai.ui.scene import Scene
from cardai.web.felt import draw, fields, gin, poker
from cardai.web.render import card_words, own_template, render

SHOWN_CHOICES = 400
"""More choices than this are typed."""
PRIMARY = ("c", "t")
"""Keys of choices that stand out where nothing else is chosen: none that folds or bets."""
LONGEST = 30
"""Lines of the log, the last ones, that a screen reader says at once."""


def drawn(scene: Scene, big_blinds: bool) -> dict[str, Any]:
    """Return the parts of a table's page by name, and what a screen reader says of it; amounts in ``big_blinds``."""
    blind = big_blind_of(scene.game) if big_blinds else 0
    scene = evolve(scene, blind=blind)
    board = keyboard(scene)
    parts = {
        "heading": render("heading.html", scene=scene, title=title_of(scene.game, registry.spec_of(scene.game)),
                          standing=standing_text(scene)),
        "felt": felt(scene, blind, playable(scene, board)),
        "actions": render("actions.html", scene=scene, end=ended(scene), **actions(scene, board, blind)),
        "log": render("log.html", scene=scene, several=several_names(scene), said=lambda words: in_big_blinds(words, blind)),
    }  # fmt: skip
    turn = turn_words(scene)
    return {"parts": parts, "said": turn, "live": live_words(scene, turn, blind), "mine": board is not None,
            "over": scene.end is not None}  # fmt: skip


def felt(scene: Scene, blind: int, cards: frozenset[int]) -> str:
    """Return the table itself; ``cards`` can be played, ``blind`` is the size of a big blind where amounts are in these."""
    game = scene.game
    given: Mapping[str, Any]
    if game.page:
        return str(own_template(type(game)).render(scene=scene, playable=cards, **fields.given(scene, cards)))
    if game.speaks(GIN):
        name, given = "gin", gin.given(scene, cards)
    elif is_solo_draw(game):
        name, given = "draw", draw.given(scene, cards)
    elif game.speaks(POKER):
        name, given = "poker", poker.given(scene, cards, blind)
    else:
        name, given = "fields", fields.given(scene, cards)
    return render(f"felt/{name}.html", scene=scene, **given)


def playable(scene: Scene, board: Keyboard | None) -> frozenset[int]:
    """Return the own cards that can be played, alone or with others."""
    if board is None:
        return frozenset()
    return frozenset(card for choice in board.menu.choices for card in choice.cards if is_french(scene.game, card))


def actions(scene: Scene, board: Keyboard | None, blind: int) -> dict[str, Any]:
    """Return what the template of the actions is given: buttons, amounts, what is done with chosen cards."""
    if board is None:
        return {"buttons": [], "amounts": None, "cards": None, "melds": []}
    menu, cards = board.menu, playable(scene, board)
    buttons = [
        {"key": choice.key, "words": in_big_blinds(short_words(choice), blind), "action": choice.action, "confirm": _confirm(in_big_blinds(choice.words, blind)),
         "primary": choice.key in PRIMARY, "also": board.sized_by(choice)}
        for choice in menu.choices
        if choice.action >= 0 and not (choice.cards and choice.cards <= cards and cards)
    ]  # fmt: skip
    raised = None
    if menu.high:
        raised = {
            "low": menu.low, "high": menu.high, "top": menu.top, "step": max(1, blind), "blind": blind,
            "word": next(glyphs(c.words).partition(" ")[0] for c in menu.choices if c.action < 0),
            "sizes": board.amounts(), "offset": menu.offset,
        }  # fmt: skip
    played = None
    if cards:
        none = next((c for c in menu.choices if not c.cards and c.key == "d"), None)
        played = {"verb": board.verb, "several": board.several, "without": none is not None}
    return {"buttons": buttons[:SHOWN_CHOICES], "amounts": raised, "cards": played, "blind": blind}


def _confirm(words: str) -> str:
    """Return what is asked before an action that puts in everything, else nothing."""
    return f"{glyphs(words).capitalize()}?" if "all-in" in words else ""


def ended(scene: Scene) -> Mapping[str, Any] | None:
    """Return how the hand ended for the person."""
    if scene.end is None:
        return None
    mine = scene.end.returns[scene.seat]
    return {"words": end_text(scene).plain, "kind": "won" if mine > 0 else "lost" if mine < 0 else "even"}


def several_names(scene: Scene) -> bool:
    """Whether two players have one name."""
    return len(set(scene.names)) < len(scene.names)


def live_words(scene: Scene, turn: str, blind: int) -> str:
    """Return what a screen reader is to say: what happened since the person acted, the own cards, and what is asked; while
    others act, what came last alone."""
    own = [k for k, entry in enumerate(scene.log) if entry.seat == scene.seat]
    since = own[-1] if own else 0
    heard = scene.log[since:][-LONGEST:] if turn or scene.end is not None else scene.log[-1:]
    several = several_names(scene)
    said = [
        f"{'' if entry.seat is None else _called(scene, entry.seat, several) + scene.says(entry.seat)}{spelled(in_big_blinds(entry.words, blind))}"
        for entry in heard
    ]
    if not turn and scene.end is None:
        return ". ".join(said)
    held = held_words(scene)
    hand = [f"You hold {held}"] if held else []
    return ". ".join([*said, *hand, *([end_text(scene).plain] if scene.end is not None else []), turn]).strip(" .")


def _called(scene: Scene, seat: int, several: bool) -> str:
    return f"{scene.name(seat)} {seat + 1}" if several and seat != scene.seat else scene.name(seat)


def held_words(scene: Scene) -> str:
    """Return what the person holds in words: cards of 52, dice, cards of any other deck, else what the game itself draws."""
    if cards := hand_order(scene):
        return ", ".join(map(card_words, cards))
    if rolled := dice_of(scene):
        return ", ".join(map(str, rolled[0][1]))
    game, view = scene.game, scene.view
    own = [card for f in game.view_fields if is_dealt(f) and f.role == "own" for card in cards_in(f, view[f.name])]
    return ", ".join(str(poker.faced(game, card)["words"]) for card in own) or " ".join((game.draw(view) or "").split())


def spelled(text: str) -> str:
    """Return text with its cards in words: "discard seven of clubs"."""
    out = glyphs(text)
    for suit, glyph in enumerate(GLYPHS):
        for rank, letter in enumerate(RANKS):
            out = out.replace(f"{letter}{glyph}", card_words(13 * suit + rank))
    return out
