"""What the bridges to learners share: the encoder that a game gets by default, action masks, and pictures of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai import make
from cardai.bridges import need
from cardai.core.arrays import Bools
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.legal import Amounts, Legal
from cardai.core.spec import brief

LARGEST = 2.0**31
"""The bound of observation spaces: no field of a view, scaled or not, is larger."""
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
    if encoder is None:
        encoder = game.default_encoder
    made = make.encoder(encoder) if isinstance(encoder, str) else encoder
    return made.for_game(game)


def mask_of(legal: Legal) -> Bools:
    """Return legal actions (n, A) bool of a game that :func:`layout_for` took."""
    assert not isinstance(legal, Amounts)
    return legal


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
