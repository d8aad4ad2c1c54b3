"""A betting game's table as its template draws it: seats around the felt from the own one, board, pot, bets, own cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from cardai.arena.display import card_name, is_french
from cardai.cards.text import parse_cards
from cardai.core.game import Game
from cardai.ui.pictures.poker import called_view, drew_words, held, own_field, position, round_name, strength
from cardai.ui.scene import Scene
from cardai.web.render import face


def given(scene: Scene, cards: frozenset[int], blind: int) -> Mapping[str, Any]:
    """Return what the template is given: ``cards`` of the own hand can be played, amounts are in ``blind`` where not 0."""
    view, count = called_view(scene), len(scene.names)
    shown = {f.name: f for f in scene.game.view_fields}
    board = [faced(scene.game, int(card)) for card in view["board"]] if "board" in shown else []
    empty = shown["board"].size - len(board) if "board" in shown else 0
    own = [int(card) for card in view[own_field(scene.game)]] if own_field(scene.game) in shown else []
    pulled = sum(bet for bet in view["round_spent"]) if scene.end is None else 0
    return {
        "seats": [_seat(scene, (scene.seat + k) % count, k) for k in range(count)],
        "board": board,
        "empty": empty,
        "pot": view["pot"],
        "middle": view["pot"] - pulled,
        "round": round_name(scene.game, view),
        "to_call": view["to_call"] if scene.end is None else 0,
        "own": [
            faced(scene.game, card, playable=card in cards, **({"place": k + 1} if cards else {}))
            for k, card in enumerate(own)
        ],
        "strength": strength(scene),
        "blind": blind,
        "chips_behind": any(view["stacks"]),
    }


def _seat(scene: Scene, seat: int, place: int) -> Mapping[str, Any]:
    view, ended = scene.view, scene.end
    return {
        "place": place,
        "name": scene.name(seat),
        "mine": seat == scene.seat and scene.person,
        "position": position(scene, seat),
        "button": seat == int(view["button"]),
        "stack": view["stacks"][seat],
        "bet": view["round_spent"][seat] if ended is None else 0,
        "won": None if ended is None else ended.returns[seat],
        "folded": bool(view["folded"][seat]),
        "acting": scene.to_act == seat,
        "cards": _cards_of(scene, seat),
        "drew": drew_words(scene, seat),
    }


def _cards_of(scene: Scene, seat: int) -> Sequence[Mapping[str, Any]]:
    """Return the cards before a seat: open, face down, or none where it folded."""
    count = held(scene.game)
    if seat == scene.seat or scene.view["folded"][seat]:
        return []
    if seat in scene.open and own_field(scene.game) in scene.open[seat]:
        return [faced(scene.game, int(card)) for card in scene.open[seat][own_field(scene.game)]]
    return [face(-1)] * count


def faced(game: Game, card: int, **more: Any) -> Mapping[str, Any]:
    """Return a card of a game as templates draw it, whatever the deck."""
    if is_french(game, card) or card < 0:
        return face(card, **more)
    words = game.card_to_string(card)
    with suppress(ValueError):
        (likeness,) = parse_cards(words)  # another deck's card that is called as one of 52 is drawn as that
        return {**face(likeness, **more), "card": card}
    return {"text": card_name(game, card), "words": words, **more}
