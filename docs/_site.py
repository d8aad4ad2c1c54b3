"""Pages of the site that lie at the root of the repository, with their links as they are from there (a hook of mkdocs)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGES = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(#[^)]*)?\)")


def moved(text: str) -> str:
    """Return a root page's text with its links as the site's: docs/x.md is x.md, other pages by their new names."""
    names = {file: page for page, file in PAGES.items()}

    def link(match: re.Match[str]) -> str:
        target = names.get(match[1], match[1].removeprefix("docs/"))
        return f"]({target}{match[2] or ''})"

    return _LINK.sub(link, text)


_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#\s]+)\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Name files of the repository that are no pages of the site, where a page at its top links to them."""
    return markdown if "/" in page.file.src_uri else _OUTSIDE.sub(r"\1 (`\2`)", markdown)


def on_files(files: Any, config: Any) -> Any:
    """Add the root pages."""
    from mkdocs.structure.files import File

    root = Path(config["config_file_path"]).parent
    for page, file in PAGES.items():
        files.append(File.generated(config, page, content=moved((root / file).read_text(encoding="utf-8"))))
    return files
