"""docs/plugins.md is true: hooks with their exact signatures, kinds of fields, all checks, and commands that work."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from cardai import testing
from cardai.core import fields, hookspecs, rng
from cardai.gin import melds
from tests.support import ROOT

TEXT = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
testing.checks_for("game", "kuhn")  # loads all checks


def signature(name: str) -> str:
    """Return a hook's signature as its heading says it: no self, annotations as written."""
    whole = inspect.signature(getattr(hookspecs.Hooks, name))
    parameters = [p for p in whole.parameters.values() if p.name != "self"]
    return f"{name}{whole.replace(parameters=parameters)}".replace("'", "")


def test_every_hook_has_a_heading_with_its_exact_signature() -> None:
    hooks = [name for name in vars(hookspecs.Hooks) if name.startswith("cardai_")]
    assert re.findall(r"^### `(cardai_.*)`$", TEXT, re.MULTILINE) == [signature(name) for name in hooks]
    assert set(hooks) == {*hookspecs.HOOK_OF_KIND.values(), *hookspecs.WATCHER_HOOKS}


def test_every_kind_of_field_is_explained() -> None:
    table = TEXT.partition("| kind | value |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == fields.KINDS


def test_every_role_of_a_field_is_explained() -> None:
    table = TEXT.partition("| role | meaning |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)(?::X)?` \|", table, re.MULTILINE) == [role for role in fields.ROLES if role]


@pytest.mark.parametrize("kind", list(testing.CHECKS))
def test_every_check_is_listed_with_its_claim(kind: str) -> None:
    table = TEXT.partition(f"**{kind}**")[2].partition("\n\n**")[0]
    listed = re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", table, re.MULTILINE)
    assert listed == [(check.name, check.claim) for check in testing.CHECKS[kind]]


@pytest.mark.parametrize("module", [rng, melds])
def test_tools_are_listed_with_their_exact_signatures(module: Any) -> None:
    listed = re.findall(r"^\| `(\w+)(\(.*\) -> .*)` \| ", TEXT, re.MULTILINE)
    ours = [(name, text) for name, text in listed if hasattr(module, name)]
    assert len(ours) >= 3
    for name, text in ours:
        assert str(inspect.signature(getattr(module, name))).replace("'", "") == text.replace("\\|", "|")


def test_python_blocks_run() -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        exec(compile(block.replace('"my-bot"', '"random"'), "docs/plugins.md", "exec"), {"__name__": "docs"})
