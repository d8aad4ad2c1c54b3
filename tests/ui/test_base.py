"""Whatever the app is given, its screen shows text: names of strangers move no cursor and are no markup."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.color import Color

from cardai import make
from cardai.arena import match
from cardai.arena.records import read
from cardai.ui.app import PlayApp, PlayOptions
from cardai.ui.base import Shown
from cardai.ui.dialogs import Confirm
from cardai.ui.recording import Recording
from cardai.ui.replaying import ReplayApp, Replaying
from tests.ui.driving import Sat

EVIL = "\x1b[2J\x9b31m\u202e[bold]x[/] [@click=app.quit]y\n\u2028"
SEEN = r"\x1b[2J\x9b31m\u202e[bold]x[/] [@click=app.quit]y"


def lines_of(app: ReplayApp | PlayApp) -> str:
    """Return what the whole screen shows."""
    picture = ElementTree.fromstring(app.export_screenshot())
    return "\n".join("".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text"))


def hidden(shown: str) -> list[str]:
    return [ascii(c) for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c != "\n"]


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    file = tmp_path / "hands.jsonl"
    match.play("kuhn", ["random", "random"], games=2, seed=3, record=str(file))
    header, *hands = file.read_text().splitlines()
    file.write_text("\n".join([json.dumps({**json.loads(header), "agents": [EVIL, "other"]}), *hands]) + "\n")
    return Recording(make.game("kuhn"), read(file))


def test_names_in_a_replay_are_text(recording: Recording) -> None:
    async def look() -> None:
        app = ReplayApp(recording, 0, True, ())
        async with app.run_test(size=(140, 30)) as pilot:
            person = Sat(app, pilot)  # type: ignore[arg-type]
            await person.until(lambda: isinstance(person.screen, Replaying) and bool(person.screen.steps))
            await pilot.press("end")
            await pilot.pause()
            shown = lines_of(app).replace("\xa0", " ")
            assert hidden(shown) == []
            assert r"\x1b[2J\x9b31m" in shown
            person.screen.say(EVIL)
            await pilot.pause()
            assert SEEN in lines_of(app).replace("\xa0", " ")

    asyncio.run(look())


def test_a_name_is_one_line_in_a_scene(recording: Recording) -> None:
    assert sorted(recording.steps(0)[0].scene.names) == [
        r"\x1b[2J\x9b31m\u202e[bold]x[/] [@click=app.quit]y\n\u2028",
        "other",
    ]


def test_a_question_is_text() -> None:
    async def look() -> None:
        app = PlayApp(PlayOptions())
        async with app.run_test(size=(140, 30)) as pilot:
            app.push_screen(Confirm(EVIL))
            await pilot.pause()
            shown = lines_of(app).replace("\xa0", " ")
            assert hidden(shown) == []
            assert r"\x1b[2J\x9b31m\u202e[bold]x[/]" in shown

    asyncio.run(look())


def test_a_line_keeps_its_width_and_its_styles() -> None:
    black, bold = Color(0, 0, 0), Style(bold=True)
    assert Shown().apply([Segment("ab\x1b", bold), Segment("  cd     ")], black) == [
        Segment(r"ab\x1b", bold),
        Segment("  cd "),
    ]
    plain = [Segment("ab", bold), Segment(" ♠ ")]
    assert Shown().apply(plain, black) is plain
    assert Text("".join(s.text for s in Shown().apply([Segment("\x1b" * 9 + "x")], black))).cell_len == 1
