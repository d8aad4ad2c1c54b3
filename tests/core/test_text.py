"""What of a text is shown as it is, what as an escape, and what a spreadsheet may not calculate."""

from __future__ import annotations

import io
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.progress import Progress, TextColumn
from rich.table import Table
from rich.text import Text

from cardai.core.console import Console
from cardai.core.errors import CardaiError
from cardai.core.notes import show_state, tell
from cardai.core.text import cell, one_line, shown

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode's categories of what is not seen: controls, formats, surrogates, ends of lines and paragraphs."""


def test_nothing_that_unicode_calls_control_or_format_is_shown_as_it_is() -> None:
    hidden = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in HIDDEN and c not in "\t\n"]
    assert [ascii(c) for c in hidden if not shown(c).isascii() or not shown(c).isprintable()] == []


def test_nothing_that_unicode_calls_a_letter_a_sign_or_a_picture_is_changed() -> None:
    blank = (
        "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # Unicode's Default_Ignorable_Code_Point that are letters, marks
    )
    seen = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c)[0] in "LMNPS" or c in " \t\n"]
    assert "".join(c for c in seen if shown(c) != c) == blank


@pytest.mark.parametrize(
    "text",
    [
        "Zoë",
        "日本",
        "A♠ K♦ 2♣",
        "zwei\nWörter\t!",
        "👩‍💻 👨‍👩‍👧 ❤️‍🔥 🏳️‍🌈 👩🏽‍🚒",
        "می‌خواهم",
        "क्‍ष",
        "one\r\ntwo",
        r"C:\x1b",
        "",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x9b31m\x7f", r"\x9b31m\x7f"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("ad\u200dmin", r"ad\u200dmin"),
        ("👩\u200d\u200d👩", r"👩\u200d\u200d👩"),
        ("a\rb", r"a\rb"),
        ("\ud800\U000e0041", r"\ud800\U000e0041"),
    ],
)
def test_what_is_not_seen_stands_as_its_escape(text: str, seen: str) -> None:
    assert shown(text) == seen


def test_a_name_is_one_line() -> None:
    assert one_line("a\nb\r\n\tc") == r"a\nb\r\n\tc"


@settings(max_examples=200)
@given(st.text())
def test_what_was_shown_is_shown_as_it_is(text: str) -> None:
    assert shown(shown(text)) == shown(text)


@pytest.mark.parametrize("text", ["-3.5", "+1e5", "-1,234", "-inf", "-", "+12 %", "12", "a=b", "J♠", "", "x@y"])
def test_a_cell_that_is_no_formula_stays(text: str) -> None:
    assert cell(text) == text


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "--1", "\uff1d1", "-x"])
def test_a_cell_that_a_spreadsheet_would_calculate_is_text(text: str) -> None:
    assert cell(text) == f"'{text}"


def test_an_error_shows_what_it_quotes() -> None:
    assert str(CardaiError("no agent \x1b[2J\u202e")) == r"no agent \x1b[2J\u202e"


def test_lines_on_standard_error_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    tell("a\x1b[2J\nb")
    show_state("half\n\x1b[2J")
    assert capsys.readouterr().err == "a\\x1b[2J\nb\n" + "\r\x1b[K" + r"half\n\x1b[2J"


EVIL = "\x1b[2J[bold]x[/] :smile: \u202e\x9b31m"
SEEN = r"\x1b[2J[bold]x[/] :smile: \u202e\x9b31m"


def test_a_console_prints_text_as_text_and_its_own_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    file = io.StringIO()
    console = Console(file=file, width=200, force_terminal=True, color_system="standard")
    console.print(EVIL, style="red")
    console.print(Text.assemble(("ab\x1b", "bold"), ("\x9bc", "red")))
    assert file.getvalue() == f"\x1b[31m{SEEN}\x1b[0m\n\x1b[1mab\x1b[0m\\x1b\\x9b\x1b[31mc\x1b[0m\n"


def test_a_consoles_tables_titles_and_progress_are_text() -> None:
    console = Console(file=io.StringIO(), width=200)
    table = Table(title=EVIL)
    table.add_column(EVIL)
    table.add_row(Text(EVIL))
    table.add_row(EVIL)
    console.print(table)
    with Progress(TextColumn("{task.description}", markup=False), console=console) as bar:
        bar.add_task(EVIL)
    file = console.file
    assert isinstance(file, io.StringIO)
    assert not [c for c in file.getvalue() if unicodedata.category(c) in HIDDEN and c != "\n"]
    assert file.getvalue().count(r"\x1b") == 5


def test_a_line_that_grows_by_escapes_is_broken_not_cut() -> None:
    console = Console(file=io.StringIO(), width=30)
    console.print(Text("\x1b" * 20 + " the end"))
    file = console.file
    assert isinstance(file, io.StringIO)
    assert file.getvalue().replace("\n", "") == r"\x1b" * 20 + " the end"
