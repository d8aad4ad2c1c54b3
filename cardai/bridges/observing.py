"""What the bridges to learners share: the encoder that a game gets by default, action masks, what
comes in as an action, and pictures of the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai import make
from cardai.arena.display import coloured, view_text
from cardai.bridges import need
from cardai.core.arrays import Bools, Float32s, Int64s
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError, wrong_type
from cardai.core.game import Game
from cardai.core.legal import Amounts, Legal
from cardai.core.rows import whole_numbers
from cardai.core.spec import brief

RENDER_MODES = ("human", "ansi", "rgb_array")
_LINE, _LETTER, _MARGIN, _ZOOM = 13, 6, 8, 2  # pixels; the letters are those of Pillow's own fixed-width font
_GLYPHS = str.maketrans({"♣": "c", "♦": "d", "♥": "h", "♠": "s", "│": "|", "─": "-"})


def layout_for(game: Game, encoder: Encoder | str | None) -> Layout:
    """Return the layout of ``encoder`` for ``game`` (None: the game's own, ``Game.default_encoder``).

    Raises:
        UsageError: the encoder cannot lay out the game, or the game's actions are amounts of chips.
    """
    if game.amounts:
        raise UsageError(
            f"The actions of {brief(game)} are amounts of chips, and learners need a list of actions. "
            f"Give it a ladder of bets, for example holdem_nolimit:bets=0.5+1+allin."
        )
    return make.as_encoder(game.default_encoder if encoder is None else encoder).for_game(game)


def bounds_of(layout: Layout) -> tuple[Float32s, Float32s]:
    """Return the least and the greatest observation, float32 of the layout's shape each: what a space of them is made of."""
    low, high = (np.asarray(bound, np.float32) for bound in (layout.low, layout.high))
    return np.broadcast_to(low, layout.shape), np.broadcast_to(high, layout.shape)


def mask_of(legal: Legal) -> Bools:
    """Return legal actions (n, A) bool of a game that :func:`layout_for` took."""
    assert not isinstance(legal, Amounts)
    return legal


def action_of(given: Any) -> int:
    """Return an action from outside as an int of 64 bits. Raises UsageError unless it is one, numpy's and torch's too."""
    if type(given) is int and -(1 << 63) <= given < 1 << 63:
        return given
    array = np.asarray(given)
    if array.ndim or array.dtype.kind not in "iu" or array.dtype == np.uint64:
        raise wrong_type("The action", "one whole number", given)
    return int(array)


def array_of(given: Any) -> npt.NDArray[Any]:
    """Return actions from outside as an array. Raises UsageError where they have no shape."""
    try:
        return np.asarray(given)
    except ValueError as error:
        raise wrong_type("The actions", "an array", given) from error


def actions_of(given: Any, count: int) -> Int64s:
    """Return actions from outside (count,) int64. Raises UsageError unless they are whole numbers in this shape."""
    array = array_of(given)
    if array.shape != (count,):
        raise UsageError(f"The actions must have the shape ({count},), one a table. Got the shape {array.shape}.")
    return whole_numbers("The actions", array).astype(np.int64, copy=False)


def not_begun() -> UsageError:
    """Build the message for an environment whose reset() was never called."""
    return UsageError("The environment has no hand yet: call reset().")


def check_render_mode(mode: str | None, modes: tuple[str, ...] = RENDER_MODES) -> None:
    """Raise UsageError for a render mode that is none."""
    if mode not in (None, *modes):
        raise UsageError(f"render_mode must be one of {', '.join(modes)}, or None. Got {mode!r}.")


def rendered(game: Game, view: Mapping[str, Any], mode: str) -> Any:
    """Return a view as a render mode has it: text (ansi) or an image (rgb_array); "human" prints the text: None."""
    text = view_text(game, view)
    if mode == "human":
        from cardai.core.console import Console

        Console().print(coloured(text, signs=False), soft_wrap=True)
        return None
    return text if mode == "ansi" else picture(text)


def picture(text: str) -> npt.NDArray[np.uint8]:
    """Return ``text`` as an image (height, width, 3) of uint8: dark letters on white, the same on every machine.

    Raises:
        PluginError: Pillow is not installed.
    """
    need("PIL")
    from PIL import Image, ImageDraw, ImageFont

    lines = text.translate(_GLYPHS).encode("latin-1", "replace").decode("latin-1").split("\n")
    width = 2 * _MARGIN + _LETTER * max(map(len, lines))
    image = Image.new("RGB", (width, 2 * _MARGIN + _LINE * len(lines)), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default_imagefont()
    for number, line in enumerate(lines):
        draw.text((_MARGIN, _MARGIN + number * _LINE), line, fill="black", font=font)
    larger: Any = image.resize((image.width * _ZOOM, image.height * _ZOOM), Image.Resampling.NEAREST)
    return np.array(larger, np.uint8)
