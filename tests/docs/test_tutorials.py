"""The tutorials are true: their commands and programs run in order, and print what stands below them.

``python -m tests.docs.test_tutorials`` writes what they print into them anew.
"""

from __future__ import annotations

import contextlib
import io
import itertools
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


@pytest.mark.long(but="study")
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


README = ROOT / "README.md"
AT_A_TERMINAL = ("play", "replay")


def commands(text: str) -> list[str]:
    """Return the commands of a page that need no person."""
    lines = [line for kind, _, body in BLOCK.findall(text) if kind == "sh" for line in body.splitlines()]
    return [line for line in lines if line.startswith("cardai ") and line.split()[1] not in AT_A_TERMINAL]


def test_no_two_pages_make_the_same_directory_or_file() -> None:
    """Who follows one page after the other in one directory is refused nothing that an earlier page has made."""
    made: dict[str, str] = {}
    for page in (README, *PAGES):
        for line in commands(page.read_text(encoding="utf-8")):
            words = shlex.split(line)
            for option, value in itertools.pairwise(words):
                if option in ("--out", "-o", "--record") and "--resume" not in words:
                    assert value not in made, f"{page.name} and {made[value]} make {value}"
                    made[value] = page.name
    assert {"results/gin", "results/paper", "runs/leduc"} <= made.keys()


@pytest.mark.long
def test_readme_and_all_tutorials_follow_one_another_in_one_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for needed in ("torch", "matplotlib", "pandas"):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    text = README.read_text(encoding="utf-8")
    first = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert first is not None
    Path("caller.py").write_text(first[1], encoding="utf-8")
    try:
        for line in commands(text):  # shorter: what they say stands on no page
            command(line.replace("--steps 6000", "--steps 20").replace("--games 2000", "--games 20"))
        for page in PAGES:
            told = page.read_text(encoding="utf-8")
            assert followed(told) == told, page.name
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
