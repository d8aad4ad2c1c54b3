"""docs/resolving.md is true: its options, plugins and options of commands are there."""

from __future__ import annotations

import re
import shlex

import attrs

from cardai.cli import load_command
from cardai.core import registry
from tests.support import ROOT

TEXT = (ROOT / "docs" / "resolving.md").read_text(encoding="utf-8")


def test_the_table_has_every_option() -> None:
    table = TEXT.partition("| option | means |")[2].partition("\n\n")[0]
    said = {name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)=", line.split("|")[1])}
    assert said == {one.name for one in attrs.fields(type(registry.create("agent", "resolving")))}


def test_its_commands_are_known() -> None:
    for body in re.findall(r"^```sh\n(.*?)^```$", TEXT, re.M | re.S):
        for line in body.splitlines():
            _, name, *words = shlex.split(line)
            command = load_command(name)
            command = command.commands[words.pop(0)] if hasattr(command, "commands") else command
            known = {option for param in command.params for option in param.opts}
            assert {word for word in words if word.startswith("-")} <= known
            for kind in ("game", "trainer"):
                if f"--{kind}" in words:
                    registry.create(kind, words[words.index(f"--{kind}") + 1])
