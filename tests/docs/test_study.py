"""docs/study.md is true: what it calls by name stands on the pages, its command and its pictures are there."""

from __future__ import annotations

import re

import pytest

from cardai.cli import load_command
from tests.support import ROOT

DOCS = ROOT / "docs"
TEXT = (DOCS / "study.md").read_text(encoding="utf-8")


def test_what_is_named_stands_on_the_pages() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "cardai/web/templates").rglob("*.html"))
    named = set(re.findall(r'"([A-Z][^"]+)"', TEXT))
    assert len(named) > 8
    assert {name for name in named if name.lower() not in pages.lower()} == set()


def test_its_command_and_pictures_exist() -> None:
    known = {
        option for name in ("play", "spot", "solve") for param in load_command(name).params for option in param.opts
    }
    assert set(re.findall(r"(--[a-z][\w-]+)", TEXT)) <= known
    assert all((DOCS / path).is_file() for path in re.findall(r"\]\((pictures/[^)]+)\)", TEXT))


def test_its_limits_are_those_that_hold() -> None:
    pytest.importorskip("starlette")
    from cardai.web.study import bench, forms

    assert (bench.MOST_BYTES, bench.MOST_SECONDS, bench.MOST_KEPT) == (1 << 30, 600, 12)
    assert forms.EXAMPLES[0].name == "river"
