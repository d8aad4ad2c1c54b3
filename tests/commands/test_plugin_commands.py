"""Commands that plugins bring: found without importing, called like ours, and a broken one stops nothing."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from cardai.commands.table import COMMANDS
from cardai.core.hookspecs import Hooks
from tests.commands.conftest import Call
from tests.support import cardai as program
from tests.support import fake_distribution

EXAMPLE = textwrap.dedent((Hooks.cardai_command.__doc__ or "").partition("Example::")[2]).strip()
"""The plugin in the hook's docstring."""
GROUP = '''"""Two commands in one, of which the second fails."""

import sys

import typer

import cardai
from cardai.core.errors import UsageError

print("imported", file=sys.stderr)
app = typer.Typer()


@app.command()
def first() -> None:
    """The first."""


@app.command()
def second() -> None:
    """The second."""
    raise UsageError("the second takes nothing.")


@cardai.hookimpl
def cardai_command():
    return {"pair": app}
'''


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory of installed distributions with commands, good ones and others."""
    target = tmp_path_factory.mktemp("site")
    points = "[cardai.commands]\n"
    fake_distribution(target, "measures", f"{points}largest-result = measures\n", {"measures": EXAMPLE})
    fake_distribution(target, "pairs", f"{points}pair = pairs\n", {"pairs": GROUP})
    fake_distribution(
        target, "wrecked", f"{points}wreck = wrecked\n", {"wrecked": '"""Never."""\nraise OSError("gone")\n'}
    )
    fake_distribution(target, "numbers", f"{points}number = numbers_\n", {
        "numbers_": "import cardai\n\n\n@cardai.hookimpl\ndef cardai_command():\n    return {'number': 7}\n"
    })  # fmt: skip
    fake_distribution(target, "taker", f"{points}run = pairs\n", {})
    for name in ("one", "other"):
        fake_distribution(target, name, f"{points}same = pairs\n", {})
    return target


def test_the_help_shows_them_in_a_panel_of_their_own_and_imports_none(site: Path) -> None:
    shown = program("--help", path=site, COLUMNS="100")
    assert shown.returncode == 0, shown.stderr
    assert "imported" not in shown.stderr
    panel = shown.stdout.partition("From plugins")[2]
    assert re.search(r"largest-result +The largest result of a hand\.", panel)
    assert re.search(r"pair +Two commands in one, of which the second fails\.", panel)
    assert re.search(r"wreck +Never\.", panel)
    assert re.search(r"same +duplicate: also in ", panel)
    assert "list-plugins" not in panel


@pytest.mark.long
def test_the_example_of_the_hook_is_a_command(site: Path) -> None:
    played = program("largest-result", "--game", "kuhn", "--seed", "3", path=site)
    assert (played.returncode, played.stdout) == (0, "2\n"), played.stderr
    refused = program("largest-result", "--gme", "kuhn", path=site)
    assert refused.returncode == 2
    assert "largest-result has no option --gme. Did you mean '--game'?" in refused.stderr
    helped = program("largest-result", "--help", path=site).stdout
    assert "--agent" in helped
    assert "Options of every command" in helped


@pytest.mark.long
def test_a_typer_of_several_commands_is_one_too_and_its_errors_are_ours(site: Path) -> None:
    done = program("pair", "second", path=site)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "cardai: the second takes nothing."
    assert program("pair", "first", "--quiet", path=site).returncode == 0


def test_broken_ones_stop_nothing_and_are_named(site: Path) -> None:
    for name, said in {
        "wreck": r"The command plugin 'wreck' cannot be loaded \(wrecked 1.0, module wrecked\). Cause: OSError: gone",
        "number": r"cardai_command of numbers_ .* must return a function or a mapping to functions. Got 7 for 'number'",
        "same": r"The command 'same' is registered by (one and other|other and one)",
    }.items():
        done = program(name, path=site)
        assert done.returncode != 0
        assert re.search(said, done.stderr), done.stderr
    rows = json.loads(program("list-plugins", "--kind", "command", "--check", "--json", path=site).stdout)
    status = {row["name"]: row["status"] for row in rows}
    assert status["largest-result"] == status["pair"] == "ok"
    assert "gone" in status["wreck"]
    assert status["run"] == "duplicate: cardai has a command 'run' itself, which is called instead"


def test_a_name_of_ours_stays_ours(site: Path) -> None:
    shown = program("run", "--help", path=site)
    assert shown.returncode == 0
    assert "imported" not in shown.stderr
    assert "--vs" in shown.stdout


def test_a_one_file_plugin_may_bring_a_command(cardai: Call, tmp_path: Path) -> None:
    file = tmp_path / "measure.py"
    file.write_text(EXAMPLE)
    assert cardai("--plugin", str(file), "largest-result", "--game", "kuhn").out == "2\n"


def test_a_file_with_a_command_of_our_name_is_an_error_that_names_both(cardai: Call, tmp_path: Path) -> None:
    file = tmp_path / "measure.py"
    file.write_text(EXAMPLE.replace('"largest-result"', '"train"'))
    called = cardai("--plugin", str(file), "list-plugins")
    assert called.code == 1
    assert f"The command 'train' of '{file}' has the name of a command of cardai itself." in called.err


def test_an_unknown_command_is_told_with_the_nearest_of_all(site: Path) -> None:
    assert "Did you mean 'largest-result'?" in program("larges-result", path=site).stderr
    assert "train" in COMMANDS
