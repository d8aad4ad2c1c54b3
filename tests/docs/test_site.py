"""The site builds from the Markdown as it is, every page and link is there, and reading it asks no other host for anything."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("mkdocs", "material", "mkdocstrings"))), reason="what makes the site is not installed"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return out


@pytest.mark.long
def test_every_page_of_the_docs_is_on_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    pages |= {Path("index.html"), Path("contributing.html"), Path("changelog.html")}
    assert pages <= {path.relative_to(site) for path in site.rglob("*.html")}


def test_every_page_of_the_docs_stands_in_the_navigation() -> None:
    pages = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    pages |= {Path("index.md"), Path("contributing.md"), Path("changelog.md")}
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [page for page in sorted(pages) if page.as_posix() not in nav] == []


@pytest.mark.long
def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?([^\s\">]+)", text)
        loaded += re.findall(r"<link[^>]*rel=\"?(?:stylesheet|icon|preconnect|preload)[^>]*href=\"?([^\s\">]+)", text)
        assert [target for target in loaded if re.match(r"(https?:)?//", target)] == [], page.name
    for sheet in site.rglob("*.css"):
        assert not re.search(r"@import|url\((https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


@pytest.mark.long
def test_the_reference_has_signatures(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "reference" / "python.html").read_text(encoding="utf-8"))
    assert re.search(r"train\(\s*trainer: str \| Trainer,\s*game: str \| Game,", text)
    for name in ("play", "tournament", "evaluate", "TrainedRun", "load_run"):
        assert name in text


def test_root_pages_link_into_the_site() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from _site import moved
    finally:
        sys.path.remove(str(ROOT / "docs"))
    text = "[a](docs/training.md#poker-cnn) [b](CHANGELOG.md) [c](https://x.org/docs/y)"
    assert moved(text) == "[a](training.md#poker-cnn) [b](changelog.md) [c](https://x.org/docs/y)"
