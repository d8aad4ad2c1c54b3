"""A damaged package is named where a library that reads everybody's entry points fails for it."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from cardai.core.blame import raised
from cardai.core.damaged import blamed_package, damaged_packages
from tests.support import cardai, fake_distribution

BAD = b"[console_scripts]\nx\xff = x\n"
READER = "from importlib.metadata import entry_points\nentry_points()\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name, text in (("latin", BAD), ("lineless", b"[x]\nno equals sign\n"), ("whole", b"[x]\na = b\n")):
        fake_distribution(tmp_path, name, "", {})
        (tmp_path / f"{name}-1.0.dist-info" / "entry_points.txt").write_bytes(text)
    return tmp_path


def test_every_damaged_package_is_named_with_its_file(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))
    latin, lineless = sorted(damaged_packages())
    assert latin.startswith("The installed package latin is damaged: ")
    assert f"{site / 'latin-1.0.dist-info' / 'entry_points.txt'} is not UTF-8." in latin
    assert "package lineless is damaged" in lineless
    assert "has a line that is not NAME = MODULE." in lineless
    with pytest.raises((UnicodeDecodeError, TypeError)) as caught:  # whichever is read first
        list(metadata.entry_points())
    assert "latin" in blamed_package(caught.value)
    assert "The installed package latin is damaged" in raised(caught.value)


def test_an_error_that_has_nothing_to_do_with_packages_blames_none(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\xff".decode()
    assert blamed_package(caught.value) == ""


def test_the_command_line_names_the_package_for_which_a_library_failed(site: Path) -> None:
    (site / "reader.py").write_text(READER)
    failed = cardai("list-plugins", "--plugin", str(site / "reader.py"), path=site)
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert "The installed package latin is damaged" in failed.stderr
    assert "Reinstall or uninstall it" in failed.stderr
