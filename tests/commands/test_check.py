"""``cardai check``: the conformance kit from the command line."""

from __future__ import annotations

import json

from cardai import testing
from tests.commands.conftest import Call


def test_a_sound_plugin_passes_with_a_row_a_check(cardai: Call) -> None:
    called = cardai("check", "game", "kuhn")
    assert called.code == 0
    assert called.out.splitlines()[0] == "kuhn"
    assert called.out.splitlines()[-1] == f"{len(testing.CHECKS['game'])} ok"


def test_json_holds_every_result(cardai: Call) -> None:
    called = cardai("check", "agent", "random", "--game", "kuhn", "--json")
    rows = json.loads(called.out)
    assert [row["check"] for row in rows] == [check.name for check in testing.CHECKS["agent"]]
    assert {row["status"] for row in rows} <= {"ok", "skipped"}


def test_a_failed_check_gives_the_reason_and_ends_with_one(cardai: Call, bots: str) -> None:
    called = cardai("check", "agent", "cheats", "--game", "kuhn", "--plugin", bots)
    assert called.code == 1
    assert "failed  actions-are-legal" in called.out
    assert "illegal action: 77" in called.out
    assert "The claim: It answers a batch" in called.out


def test_wrong_names_are_usage_errors(cardai: Call) -> None:
    assert cardai("check", "gaem", "kuhn").code == 2
    wrong = cardai("check", "game", "kuhm")
    assert wrong.code == 2
    assert "Did you mean 'kuhn'?" in wrong.err
