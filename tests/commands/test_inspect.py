"""``cardai inspect`` and ``--trust``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardai.training.runs import Run
from tests.commands.conftest import Call
from tests.training.test_foreign_runs import forged


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that names a program, from somebody else."""
    from cardai.core import allowed

    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(allowed, "_allowed", set())
    run = Run.create(tmp_path / "run", "cfr_plus", "leduc", None, seed=0).path
    return forged(run, trainer='poker_cnn_betting:league="program:command=true"', game="holdem_limit", encoder="grid")


def test_inspect_shows_names_needs_files_links_and_code(cardai: Call, stranger: Path) -> None:
    (stranger / "link").symlink_to("/etc/passwd")
    (stranger / "do.sh").write_text("#!/bin/sh\n")
    called = cardai("inspect", str(stranger))
    assert called.code == 0
    words = " ".join(called.out.split())
    assert f"{stranger} is a trained run." in words
    assert "agent program: the agent 'program', which starts a program: refused unless you add --trust" in words
    assert "link leads to /etc/passwd: it is refused" in words
    assert "do.sh: it runs if it is installed and used" in words
    assert "3 files" in words
    plain = json.loads(cardai("inspect", str(stranger), "--json").out)
    assert plain["code"] == ["do.sh"]
    assert {file["name"] for file in plain["files"]} == {"run.json", "link", "do.sh"}


def test_trust_allows_a_file_once_and_for_later(cardai: Call, stranger: Path) -> None:
    refused = cardai("describe", "agent", f"{stranger}/")
    assert refused.code == 2
    assert f"cardai inspect {stranger}/run.json" in refused.err
    assert cardai("describe", "agent", f"{stranger}/", "--trust").code == 0
    assert cardai("describe", "agent", f"{stranger}/").code == 0
    assert "allowed, as the file is now" in " ".join(cardai("inspect", str(stranger)).out.split())
    forged(stranger, seed=1)
    assert cardai("describe", "agent", f"{stranger}/").code == 2


def test_a_spec_of_a_megabyte_is_shown_by_its_beginning_and_end(cardai: Call, tmp_path: Path) -> None:
    """Whoever looks at what a stranger sent, or is refused it, is not shown all of it."""
    long = "kuhn:players=" + "a" * 900_000
    head = {"cardai": "record", "format": 1, "game": long, "agents": ["random"] * 2, "seed": 0, "duplicate": True}
    hand = {"group": 0, "game_number": 0, "hand": 0, "seats": [0, 1], "seed": 1, "actions": [0], "returns": [0, 0]}
    hand |= {"setup": {"starter": 0, "score": [0, 0], "stacks": []}, "deck": [2, 0], "outcome": {}}
    (tmp_path / "r.jsonl").write_text(f"{json.dumps(head)}\n{json.dumps(hand)}\n")
    seen = cardai("inspect", str(tmp_path / "r.jsonl")).out
    assert "kuhn:players=aaa" in seen
    assert len(seen) < 4_000
    called = cardai("replay", str(tmp_path / "r.jsonl"))
    assert called.code in (1, 2)
    assert "(900," in called.err
    assert len(called.err) < 4_500


def test_a_path_that_is_not_there_is_a_wrong_call(cardai: Call, tmp_path: Path) -> None:
    called = cardai("inspect", str(tmp_path / "none"))
    assert called.code == 2
    assert "There is nothing at" in called.err
