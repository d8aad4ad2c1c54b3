"""What people install is what we mean: no names that we do not own, pins with hashes, promises with their tests."""

from __future__ import annotations

import ast
import re
import subprocess

import pytest

from tests.support import ROOT

OWNED_BY_NOBODY = re.compile(r"pip3? install[^\n`()]*?(?<![\w./-])cardai(?![\w/.])")
PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pip install cardai", True),
        ("pip install 'cardai[torch]'", True),
        ("pip install -U cardai-players", True),
        ("pip install -e examples/cardai-doubt", False),
        ("pip install -c constraints.txt '.[torch]' (in a checkout)", False),
        ("pip install ./players", False),
    ],
)
def test_a_name_on_an_index_is_found(text: str, found: bool) -> None:
    assert bool(OWNED_BY_NOBODY.search(text)) == found


def test_nobody_is_told_to_install_our_names_from_an_index() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split("\n")
    kinds = (".md", ".py", ".txt", ".toml", ".yml", ".json", ".ipynb")
    files = [name for name in listed if name.endswith(kinds) and not name.startswith("tests/")]
    if not files:
        pytest.skip("this is no checkout")
    told = {name: OWNED_BY_NOBODY.findall((ROOT / name).read_text(encoding="utf-8")) for name in files}
    assert {name: lines for name, lines in told.items() if lines} == {}
    assert "cardai-players" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_every_pin_has_the_hashes_of_its_files() -> None:
    pinned = dict(PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8")))
    text = (ROOT / "constraints-hashes.txt").read_text(encoding="utf-8")
    hashed = {}
    for name, version, hashes in re.findall(
        r"^([\w.-]+)==(\S+) \\\n((?:    --hash=\S+(?: \\)?\n)+)", text, re.MULTILINE
    ):
        assert re.fullmatch(r"(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+", hashes), name
        hashed[_normal(name)] = version
    assert hashed == {_normal(name): version for name, version in pinned.items()}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_a_release_is_built_from_files_with_known_hashes_and_says_what_is_in_it() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert "-c constraints-hashes.txt --build-constraints constraints-hashes.txt" in text
    assert re.search(r"cyclonedx-py environment .* -o dist/cardai\.cdx\.json", text)
    assert "gh release create" in text
    assert "dist/*" in text.partition("gh release create")[2]


def test_every_promise_names_a_test_that_is_there() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/\S+)::(\w+)`", text)
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(named) == len(rows) > 10
    for file, test in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{test}"
