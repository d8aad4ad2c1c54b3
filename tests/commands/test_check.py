"""``cardai check``: the conformance kit from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardai import testing
from tests.commands.conftest import Call


def test_a_sound_plugin_passes_with_a_row_a_check(cardai: Call) -> None:
    called = cardai("check", "game", "kuhn")
    assert called.code == 0
    assert called.out.splitlines()[0] == "kuhn"
    assert called.out.splitlines()[-1] == f"{len(testing.CHECKS['game'])} ok"
    assert "takes" not in called.err


def test_of_a_game_whose_hands_are_slow_it_is_said_beforehand(cardai: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSpiel's bridge solves each deal, and its check takes minutes."""
    monkeypatch.setattr("cardai.commands.check.SLOW", 0.0)
    assert (
        "A hand of kuhn takes 0.0 s here, and the checks play some 400: they take minutes."
        in cardai("check", "game", "kuhn").err
    )


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


FAULTS = """
from attrs import frozen

from cardai import hookimpl
from cardai.plugins.games.kuhn import Kuhn, KuhnState


class Broken(KuhnState):
    def clone(self):
        other = type(self)()
        other.cards, other.bets = self.cards[:], self.bets[:]
        return other


class Endless(Broken):
    def is_terminal(self):
        return False

    def current_player(self):
        return -1 if len(self.cards) < 2 else len(self.bets) % 2

    def legal_actions(self):
        return sorted({0, 1, 2} - set(self.cards)) if len(self.cards) < 2 else [0, 1]

    def view(self, player):
        return {**super().view(player), "history": self.bets[-3:]}


class Short(Broken):
    def view(self, player):
        return {**super().view(player), "history": self.bets * 2}


class Raises(Broken):
    def view(self, player):
        return self.seen[player]


@frozen
class EndlessGame(Kuhn):
    def new_initial_state(self, setup=None):
        return Endless()


@frozen
class ShortGame(Kuhn):
    def new_initial_state(self, setup=None):
        return Short()


@frozen
class RaisesGame(Kuhn):
    def new_initial_state(self, setup=None):
        return Raises()


@hookimpl
def cardai_game():
    return {"endless": EndlessGame, "short": ShortGame, "raises": RaisesGame}
"""


@pytest.fixture
def faults(tmp_path: Path) -> str:
    """Return a one-file plugin with three games, each with one fault that many checks meet."""
    file = tmp_path / "faults.py"
    file.write_text(FAULTS)
    return str(file)


@pytest.mark.parametrize(
    ("name", "reason", "first"),
    [
        ("endless", "A hand of random play was not over after 10,000 actions", "hand-ends"),
        ("short", "The field 'history' (public_history) cannot hold", "legal-actions-are-sorted"),
        ("raises", "AttributeError: 'Raises' object has no attribute 'seen'", "legal-actions-are-sorted"),
    ],
)
def test_one_fault_that_many_checks_meet_is_told_once(
    cardai: Call, faults: str, name: str, reason: str, first: str
) -> None:
    called = cardai("check", "game", name, "--plugin", faults)
    assert called.code == 1
    assert called.out.count(reason) == 1
    failed = [line.split() for line in called.out.splitlines() if line.startswith("  failed")]
    assert len(failed) > 10
    assert failed[0] == ["failed", first, "cause", "1"]
    assert {words[-1] for words in failed} == {"1"}
    assert f"Cause 1 ({len(failed)} checks, {name})" in called.out


def test_a_field_that_is_too_short_fails_the_check_of_views(cardai: Call, faults: str) -> None:
    rows = json.loads(cardai("check", "game", "short", "--plugin", faults, "--json").out)
    (row,) = [row for row in rows if row["check"] == "views-fit-their-fields"]
    assert (row["status"], row["cause"]) == ("failed", "The field 'history' (public_history)")


def test_an_exception_is_told_with_the_plugins_file_and_line(cardai: Call, faults: str) -> None:
    assert f"At {faults}:{FAULTS.splitlines().index('        return self.seen[player]') + 1}\n" in (
        cardai("check", "game", "raises", "--plugin", faults).out
    )


def test_wrong_names_are_usage_errors(cardai: Call) -> None:
    assert cardai("check", "gaem", "kuhn").code == 2
    wrong = cardai("check", "game", "kuhm")
    assert wrong.code == 2
    assert "Did you mean 'kuhn'?" in wrong.err
