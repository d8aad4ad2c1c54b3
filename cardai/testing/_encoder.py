"""Checks of encoders, each bound to one game."""

from __future__ import annotations

import re
from functools import cache, cached_property

import numpy as np

from cardai.core.encoder import Encoder, Layout
from cardai.core.fields import Views, pack_views, unpack_view, view_dtype
from cardai.core.game import Game
from cardai.testing._checks import NotApplicable, check, require
from cardai.testing._play import GameSubject, StateTree, positions


class EncoderSubject:
    """An encoder laid out for a game, with views to encode."""

    def __init__(self, encoder: Encoder, game: Game) -> None:
        self.plugin = encoder
        self.game = game

    @cached_property
    def layout(self) -> Layout:
        """The encoder bound to the game."""
        return self.plugin.for_game(self.game)

    @cached_property
    def views(self) -> Views:
        """Views met in random play, all seats, (n,)."""
        return np.concatenate([views for _, views, _ in positions(self.game)])


@cache
def knowledge_of(game: Game) -> StateTree:
    """Return a game's tree or a sample, kept for the next encoder of the same game."""
    return GameSubject(game).tree


@check("encoder")
def codes_are_float32(subject: EncoderSubject) -> None:
    """Codes are finite float32 of the documented shape, for any number of views, none included."""
    layout = subject.layout
    for count in (len(subject.views), 1, 0):
        code = layout.encode(subject.views[:count])
        require(code.dtype == np.float32, f"Codes must be float32. Got {code.dtype}.")
        require(code.shape == (count, *layout.shape), f"Codes must be {(count, *layout.shape)}. Got {code.shape}.")
        require(np.isfinite(code).all(), "A code holds a number that is not finite.")


@check("encoder")
def codes_lie_within_their_bounds(subject: EncoderSubject) -> None:
    """No number of a code is below the layout's low or above its high."""
    layout = subject.layout
    code = layout.encode(subject.views)
    for name, bound in (("low", layout.low), ("high", layout.high)):
        shape = np.shape(bound)
        require(shape in ((), layout.shape), f"{name} must be a number or of shape {layout.shape}. Got {shape}.")
        outside = code < bound if name == "low" else code > bound
        if outside.any():
            where = tuple(int(i) for i in np.argwhere(outside)[0])
            said = float(np.broadcast_to(bound, layout.shape)[where[1:]])
            require(False, f"A code holds {code[where]} at {where[1:]}, where {name} says {said}.")


@check("encoder")
def planes_cover_the_code(subject: EncoderSubject) -> None:
    """The named planes cover the first axis once each, and each says what it means."""
    require(subject.layout.planes, "It lays out nothing of this game: it should refuse it with UsageError.")
    covered: list[int] = []
    for plane in subject.layout.planes:
        require(plane.name.strip() and plane.meaning.strip(), f"A plane has no name or meaning: {plane}.")
        match = re.fullmatch(r"\[?(\d+)(?::(\d+))?\]?", plane.where.strip())
        if match is None:
            require(False, f"The plane {plane.name!r} lies at {plane.where!r}: write an index or a slice like 3:7.")
        else:
            start = int(match[1])
            covered += range(start, int(match[2]) if match[2] else start + 1)
    length = subject.layout.shape[0]
    twice = sorted({i for i in covered if covered.count(i) > 1})
    missing = sorted(set(range(length)) - set(covered))
    require(not twice, f"Two planes cover {twice}.")
    require(not missing, f"No plane covers {missing} of the first axis (length {length}).")
    require(len(covered) == length, f"The planes cover {len(covered)} of a first axis of {length}.")


@check("encoder")
def codes_do_not_depend_on_the_batch(subject: EncoderSubject) -> None:
    """A view's code is the same alone, among others, and at any place; encoding changes no view."""
    layout, views = subject.layout, subject.views
    before = views.tobytes()
    whole = layout.encode(views).copy()
    require(views.tobytes() == before, "Encoding changed the views that it was given.")
    backwards = layout.encode(views[::-1].copy())[::-1]
    require(np.array_equal(whole, backwards), "A view's code depends on its place in the batch.")
    for i in range(0, len(views), 7):
        require(np.array_equal(whole[i], layout.encode(views[i : i + 1])[0]), "A view's code depends on its batch.")
    require(np.array_equal(whole, layout.encode(views)), "Encoding the same views twice gives two codes.")


@check("encoder")
def lossless_claim_holds(subject: EncoderSubject) -> None:
    """Where it claims to be lossless, different information states of a player have different codes."""
    if not subject.layout.lossless:
        raise NotApplicable("It does not claim to be lossless for this game.")
    game = subject.game
    tree = knowledge_of(game)
    dtype = view_dtype(game.view_fields)
    for player in range(game.num_players):
        states = {n.keys[player]: n.views[player] for n in tree.nodes if n.current == player}
        keys = list(states)
        codes = subject.layout.encode(np.frombuffer(b"".join(states[k] for k in keys), dtype))
        first: dict[bytes, bytes] = {}
        for key, code in zip(keys, codes, strict=True):
            other = first.setdefault((code + 0.0).tobytes(), key)
            require(other == key, f"It claims to be lossless, but these states have one code: {other!r} and {key!r}.")


@check("encoder")
def decoding_inverts_encoding(subject: EncoderSubject) -> None:
    """Where codes can be decoded they name fields or planes; where lossless, what they say encodes to the same code."""
    layout, fields = subject.layout, subject.game.view_fields
    names = {f.name for f in fields}
    for i in range(0, len(subject.views), 3):
        view, code = subject.views[i], layout.encode(subject.views[i : i + 1])[0]
        try:
            said = layout.decode(code)
        except NotImplementedError:
            raise NotApplicable("Its codes cannot be decoded.") from None
        require(said and all(isinstance(name, str) for name in said), f"decode said {said}.")
        if layout.lossless:
            known = {name: value for name, value in said.items() if name in names}
            merged = pack_views(fields, [{**unpack_view(fields, view), **known}])
            require(
                np.array_equal(layout.encode(merged)[0], code), f"What decode says encodes to another code: {said}."
            )
