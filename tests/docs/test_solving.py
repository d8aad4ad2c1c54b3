"""docs/solving.md is true: its commands run in order, and print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.commands.conftest import Call, cardai  # noqa: F401

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "solving.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_commands_run_and_the_output_is_theirs(
    cardai: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    last = ""
    for kind, body in BLOCKS:
        if kind == "text":
            assert "\n".join(line.rstrip() for line in last.splitlines()) + "\n" == body
        for line in body.splitlines() if kind == "sh" else ():
            called = cardai(*shlex.split(line)[1:])
            assert called.code == 0, called.err
            last = called.out


def test_the_python_example_prints_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    code = next(body for kind, body in BLOCKS if kind == "python")
    exec(compile(code, "docs/solving.md", "exec"), {})
    uniform, solved, best, value, mean = capsys.readouterr().out.splitlines()
    assert (uniform, best[:7]) == ("2.373611", "(2.0875")
    assert float(solved) < 0.002
    assert value.startswith("(0.6")
    assert float(mean) == pytest.approx(0.71, abs=0.05)


TRAINERS = TEXT[TEXT.index("| trainer |") :].partition("\n\n")[0]


@pytest.mark.parametrize("name", re.findall(r"^\| `.*` \|", TRAINERS, re.MULTILINE))
def test_every_trainer_named_exists(name: str) -> None:
    from cardai.core.registry import create

    for spec in re.findall(r"`(\w+)`", name):
        create("trainer", spec)


def test_every_option_of_the_search_players_is_theirs() -> None:
    from cardai.core.registry import create
    from cardai.core.spec import options_of

    known = {key for agent in ("pimc", "ismcts") for key in options_of(type(create("agent", agent)))}
    table = TEXT[TEXT.index("| option |") :].partition("\n\n")[0]
    named = re.findall(r"`(\w+)(?:=\w+)?`", "".join(re.findall(r"^\| `.*?` \|", table, re.MULTILINE)))
    assert len(named) >= 5
    assert set(named) <= known
