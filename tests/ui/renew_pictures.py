"""Draws the docs' pictures of the app anew: ``python -m tests.ui.renew_pictures [DIR]`` (default: docs/pictures).

Those of the browser are kept by ``python -m tests.ui.test_chromium docs/pictures``.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from cardai import make
from cardai.arena import match
from cardai.arena.records import read
from cardai.ui import kept
from cardai.ui.app import PlayOptions
from cardai.ui.dialogs import Page
from cardai.ui.match import Match
from cardai.ui.recording import Recording
from tests.support import ROOT
from tests.ui.driving import Sat, seated
from tests.ui.test_replaying import press, watching


def keep(person: Sat, name: str, into: Path) -> None:
    """Write what is on the screen."""
    (into / f"{name}.svg").write_text(person.app.export_screenshot(title=f"cardai {name}"), encoding="utf-8")


async def tables(into: Path) -> None:
    """Draw tables in play, a hint, and the list of players."""
    for name, game, opponents, keys in (
        ("play-gin", "gin", ("heisenbot",), ("p",)),
        ("play-holdem", "holdem_nolimit", ("threshold",), ("c", "c")),
        ("play-video-poker", "video_poker", (), ("3", "5")),
    ):
        async with seated(PlayOptions(game, opponents, seed=3, palette="four")) as person:
            for key in keys:
                if person.scene.end is None:
                    await person.press(key)
            keep(person, name, into)
    async with seated(PlayOptions("gin", ("heisenbot",), seed=3)) as person:
        await person.press("p", "p")
        person.screen.adviser = "heisenbot"
        await person.pilot.press("h")
        await person.until(lambda: isinstance(person.screen, Page))
        keep(person, "play-hint", into)
    played = Match.begin("gin", ["heisenbot"], 20, kept.new_file("gin"))
    while not played.table.hand_over:  # badly
        played.step() if played.waiting else played.act(played.table.legal_actions()[-1])
    played.close()
    async with seated(PlayOptions(resume=True)) as person:
        await person.pilot.press("M")
        await person.until(lambda: isinstance(person.screen, Page))
        keep(person, "play-coach", into)
    async with seated(PlayOptions("gin")) as person:
        await person.until(lambda: bool(getattr(person.screen, "players", ())))
        await person.press("down", "down", "down", "down")
        keep(person, "play-players", into)


async def replay(into: Path, folder: Path) -> None:
    """Draw a recorded hand, with two players' choices."""
    file = folder / "hands.jsonl"
    match.play("holdem_limit", ["threshold", "mix"], games=4, seed=3, record=str(file))
    async with watching(
        Recording(make.game("holdem_limit"), read(file)), "mix", "holdem_heuristic", reveal=True
    ) as person:
        await press(person, "n", "right", "right", "right")
        await person.until(lambda: "..." not in person.shown("actions"))
        keep(person, "replay", into)


def main() -> None:
    """Draw all."""
    into = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CARDAI_DATA_DIR"] = folder
        os.chdir(folder)
        asyncio.run(tables(into))
        asyncio.run(replay(into, Path(folder)))


if __name__ == "__main__":
    main()
