"""Whole hands in a real browser, by clicks and keys. Where there is no Chromium, there is nothing to test with.

``python -m tests.ui.test_chromium DIR`` keeps the pictures of both hands in DIR (the docs' are in docs/pictures).
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("textual_serve", reason="the page needs the extra play")

from cardai import make
from cardai.arena import records
from cardai.arena.journal import journal_of
from cardai.arena.menu import menu_of
from cardai.arena.table import Table, replay
from cardai.ui.browser import Door, opened
from cardai.ui.cards import CardStyle
from cardai.ui.keys import Keyboard, keyboard
from cardai.ui.lines import choices_text
from cardai.ui.pictures import picture
from cardai.ui.scene import Scene
from tests.support import ROOT
from tests.ui import chromium

needs_chromium = pytest.mark.skipif(chromium.found() is None, reason="there is no Chromium on this machine")
PREFERRED = "kpcdt"
"""Keys by which the test plays: knock, pass, check or call, draw, take."""


class Position:
    """Where a match stands, told from what is kept of it after every move."""

    def __init__(self, file: Path) -> None:
        held = records.read(journal_of(file))
        self.finished = len(held.hands)
        self.board: Keyboard | None = None
        self.moves = -1
        if held.unfinished is not None and not self.finished:
            self._look(make.game(str(held.header["game"])), held.unfinished)

    def _look(self, game: object, record: dict[str, object]) -> None:
        table: Table = [table for table, _ in replay(game, record)][-1]  # type: ignore[arg-type]
        seat = list(record["seats"]).index(0)  # type: ignore[call-overload]
        self.moves = len(table.moves)
        if table.to_act == seat:
            view = table.view(seat)
            menu = menu_of(table.game, view, table.legal())
            self.scene = Scene(table.game, seat, view, ("you", "they"), seat, "", menu=menu)
            self.board = keyboard(self.scene)


async def turn(file: Path, after: int) -> Position:
    """Wait until it is the person's turn with more than ``after`` moves made, or the hand is over."""
    for _ in range(3000):
        if journal_of(file).exists():
            position = Position(file)
            if position.finished or (position.board is not None and position.moves > after):
                await asyncio.sleep(0.3)  # the page draws it
                return position
        await asyncio.sleep(0.05)
    raise AssertionError("The match does not go on.")


def place(position: Position, words: str, rows: int, columns: int) -> tuple[int, int]:
    """Return the column and row of the screen at which a key beneath a card, or an action, is to be seen."""
    assert position.board is not None
    look = CardStyle("two", {card: key for key, card in position.board.letters.items()})
    for y, line in enumerate(picture(position.scene, look).plain.splitlines()):
        if f" {words} " in f" {line} " and len(words) == 1 and y > 2:
            return 1 + f" {line} ".index(f" {words} "), 1 + y
    lines = choices_text(position.board, None, columns - 2).plain.splitlines()
    y = next(i for i, line in enumerate(lines) if words in line)
    return 1 + lines[y].index(words) + 1, rows - 1 - len(lines) + y


async def play_a_hand(game: str, opponent: str, file: Path) -> list[bytes]:
    """Play a hand in a page, by keys and clicks in turn; return a picture amidst it and one of its end."""
    words = [sys.executable, "-m", "cardai", "play", game, "--vs", opponent, "--seed", "4", "--record", str(file)]
    door = Door(words, "127.0.0.1", 1)
    runner = await opened(door, 0)
    pictures, clicks, moves = [], 0, -1
    try:
        async with chromium.tab(door.address) as tab:
            position = await turn(file, -1)
            while not position.finished:
                board = position.board
                assert board is not None
                keys = [key for key in PREFERRED if key in dict(board.listed())] or list(board.letters)[-1:]
                if len(pictures) == 0 and position.moves >= 4:
                    pictures.append(await still(tab))
                if position.moves % 4 < 2:
                    clicks += 1
                    await click(tab, door, position, keys[0])
                else:
                    await tab.press(keys[0])
                moves = position.moves
                position = await turn(file, moves)
            pictures.append(await still(tab))
            await tab.press("Enter")
            assert (await turn(file, -1)).finished == 1
            assert clicks >= 1
    finally:
        await runner.cleanup()
    return pictures


async def still(tab: chromium.Tab) -> bytes:
    """Return a picture of the page once it does not change any more."""
    before = b""
    for _ in range(30):
        png = await tab.picture()
        if png == before:
            break
        before = png
        await asyncio.sleep(1)
    return before


async def click(tab: chromium.Tab, door: Door, position: Position, key: str) -> None:
    """Click a card by its key, or an action."""
    (process,) = door.open
    columns, rows = process.size
    words = key if position.board is not None and key in position.board.letters else f"[{key}]"
    column, row = place(position, words, rows, columns)
    box = "JSON.stringify(document.querySelector('.xterm-screen').getBoundingClientRect())"
    rect = json.loads(await tab.ask(box))
    await tab.click(
        rect["x"] + (column + 0.5) * rect["width"] / columns, rect["y"] + (row + 0.5) * rect["height"] / rows
    )


@needs_chromium
@pytest.mark.parametrize(("game", "opponent"), [("gin", "simple"), ("holdem_nolimit", "always_call")])
def test_a_whole_hand_is_played_in_a_real_browser(
    game: str, opponent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    file = tmp_path / "match.jsonl"
    pictures = asyncio.run(play_a_hand(game, opponent, file))
    assert len(records.read(journal_of(file)).hands) == 1
    for png in pictures:
        colours = Image.open(io.BytesIO(png)).convert("RGB").getcolors(1 << 24)
        assert colours is not None
        assert len(colours) > 20  # not a blank page


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(ROOT)
    into = Path(sys.argv[1])
    for name, opponent in (("gin", "simple"), ("holdem_nolimit", "always_call")):
        with tempfile.TemporaryDirectory() as folder:
            taken = asyncio.run(play_a_hand(name, opponent, Path(folder) / "match.jsonl"))
        for part, png in zip(("hand", "end"), taken, strict=True):
            (into / f"browser-{name}-{part}.png").write_bytes(png)
