"""The tutorials are true: their commands and programs run in order, and print what stands below them.

``python -m tests.docs.test_tutorials`` writes what they print into them anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

from cardai.cli import main
from cardai.core import registry
from tests.support import ROOT

PAGES = [*sorted((ROOT / "docs" / "tutorials").glob("*.md")), ROOT / "docs" / "python.md"]
BLOCK = re.compile(r'^```(sh|python|text)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
CHANGING = re.compile(r"^[\d,.]+ games a second.*\n?", re.MULTILINE)


def command(line: str) -> str:
    """Run one command in this process and return its stdout; it must succeed."""
    registry.default.reset()
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as stop:
        main(shlex.split(line)[1:])
    assert stop.value.code == 0, f"{line}\n{err.getvalue()}"
    return out.getvalue()


def followed(text: str) -> str:
    """Do what a page says, in the working directory, and return the page with what came out below each block.

    A block of output shows what the last command, or all of the program, before it printed.
    """
    names: dict[str, object] = {}
    printed = ""

    def do(block: re.Match[str]) -> str:
        nonlocal printed
        kind, file, body = block.groups()
        if kind == "text":
            shown = "\n".join(line.rstrip() for line in CHANGING.sub("", printed).strip("\n").split("\n"))
            return f"```text\n{shown}\n```"
        if file:
            Path(file).write_text(body, encoding="utf-8")
        elif kind == "sh":
            for line in body.splitlines():
                printed = command(line)
        else:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(body, "tutorial", "exec"), names)
            printed = out.getvalue()
        return block[0]

    return BLOCK.sub(do, text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_does_and_prints_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem in ("train-and-plot",):
        pytest.importorskip("torch")
        pytest.importorskip("matplotlib")
    if page.stem in ("train-and-plot", "play-and-measure"):
        pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    text = page.read_text(encoding="utf-8")
    try:
        assert followed(text) == text
    finally:
        registry.default.reset()


def renew(pages: list[Path]) -> None:
    """Write into the pages what their blocks print."""
    os.environ["COLUMNS"] = "120"
    for page in pages:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            page.write_text(followed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    renew([page for page in PAGES if page.stem in sys.argv[1:]] or PAGES)
