"""``cardai new``: from the command to a plugin that is listed, played and checked, with no other edit."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from cardai.cli import main
from cardai.commands.new import write_package
from tests.support import INTERPRETED, cardai, install, python

KINDS = ("agent", "game", "encoder", "trainer")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a new plugin of each kind, written and installed."""
    base = tmp_path_factory.mktemp("new")
    for kind in KINDS:
        with pytest.raises(SystemExit, match="0"):
            main(["new", kind, f"my-{kind}", "--out", str(base / kind)])
        install(base / kind, base / "site")
    return base / "site"


def test_an_agent_takes_two_files_and_twenty_lines(site: Path) -> None:
    package = site.parent / "agent"
    assert sorted(p.name for p in package.iterdir()) == ["README.md", "my_agent.py", "pyproject.toml", "tests"]
    lines = [len((package / name).read_text().splitlines()) for name in ("my_agent.py", "pyproject.toml")]
    assert sum(lines) <= 20


def test_a_game_takes_ninety_lines(site: Path) -> None:
    assert len((site.parent / "game" / "my_game.py").read_text().splitlines()) <= 90


@pytest.mark.parametrize(
    ("kind", "name"), [("game", "field"), ("game", "state"), ("encoder", "plane"), ("trainer", "rows")]
)
def test_a_class_hides_nothing_that_its_file_imports(kind: str, name: str, tmp_path: Path) -> None:
    write_package(kind, name, name, tmp_path / name)
    tree = ast.parse((tmp_path / name / f"{name}.py").read_text())
    imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported.isdisjoint(node.name for node in tree.body if isinstance(node, ast.ClassDef))


def test_new_plugins_are_listed(site: Path) -> None:
    listed = cardai("list-plugins", path=site).stdout
    for kind in KINDS:
        assert f"my-{kind}" in listed


@pytest.mark.long
def test_a_new_agent_plays_a_new_game(site: Path) -> None:
    done = cardai("run", "--game", "my-game", "--agent", "my-agent", "--vs", "my-agent", "--games", "20", path=site)
    assert done.returncode == 0, done.stderr
    assert "my-agent" in done.stdout


def test_new_plugins_pass_the_kit(site: Path) -> None:
    script = """
from cardai import testing
cases = [*testing.checks_for("game", "my-game"), *testing.checks_for("agent", "my-agent", game=["kuhn", "my-game"]),
         *testing.checks_for("encoder", "my-encoder", game="kuhn"),
         *testing.checks_for("trainer", "my-trainer", game="kuhn")]
for result in testing.run_checks(cases):
    if result.status == "failed":
        print(result)
print(len(cases), "done")
"""
    done = python("-c", script, path=site, **INTERPRETED)
    assert done.stdout.strip().endswith("done"), done.stderr
    assert "failed" not in done.stdout, done.stdout


@pytest.mark.long
def test_a_new_packages_own_test_passes(site: Path) -> None:
    tests = str(site.parent / "agent" / "tests")
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", tests, path=site, **INTERPRETED)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["game", "kuhn"], "There is a game named 'kuhn' already, from cardai"),
        (["agent", "json"], "There is a Python module named 'json' already"),
        (["agent", "My Bot"], "small letters"),
        (["agent", "class"], "small letters"),
        (["agent", "bot-"], "small letters"),
        (["agnet", "x"], "Did you mean 'agent'?"),
        (["agent", "fine", "--out", "full"], "not empty"),
    ],
)
def test_what_cannot_be_written_is_refused(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    with pytest.raises(SystemExit) as end:
        main(["new", *arguments])
    assert end.value.code == 2
    assert said in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["full"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files are POSIX's")
def test_a_package_that_cannot_be_written_whole_leaves_nothing(tmp_path: Path) -> None:
    program = """
import resource, sys
from cardai.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (250, 250))
main(["new", "agent", "my_bot", "--out", sys.argv[1]])
"""
    done = python("-c", program, str(tmp_path / "a" / "b"))
    assert done.returncode == 1
    assert "cannot be written: File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []
