"""``cardai matches``: a list to search, what matches come to, and all of one's data out or away."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from cardai.arena import match
from cardai.core.extras import install_command
from cardai.ui.match import Match
from tests.commands.conftest import Call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two matches of Kuhn poker and one of Leduc, each as a person's."""
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path))
    (tmp_path / "matches").mkdir()
    for name, game, other, seed in (
        ("2026-11-01-101500-kuhn", "kuhn", "random", 1),
        ("2026-11-02-203000-kuhn", "kuhn", "random", 2),
        ("2026-11-03-090000-kuhn", "kuhn", "always_call_not", 3),
    ):
        file = tmp_path / "matches" / f"{name}.jsonl"
        match.play(
            game, ["random", "random"], games=20, seed=seed, duplicate=False, record=file, names=["human", other]
        )
    (tmp_path / "matches" / "2026-11-04-000000-odd.jsonl").write_text("nonsense\n")
    return tmp_path


def test_matches_are_listed_newest_first_and_searched_by_words(cardai: Call, folder: Path) -> None:
    listed = json.loads(cardai("matches", "--json").out)
    assert [one["began"] for one in listed] == ["2026-11-03 09:00", "2026-11-02 20:30", "2026-11-01 10:15"]
    assert len(json.loads(cardai("matches", "KUHN", "random", "--json").out)) == 2
    assert len(json.loads(cardai("matches", "kuhn", "poker", "--json").out)) == 3  # as people call it
    called = cardai("matches", "2026-11-02")
    assert called.out.startswith("2026-11-02 20:30  kuhn against random: 20 hands, ")
    assert "odd.jsonl is no record" in called.err.replace("\n", " ")


def test_a_match_whose_process_was_killed_is_among_them(cardai: Call, folder: Path) -> None:
    """Its record lies beside its name until somebody goes on with it."""
    file = folder / "matches" / "2026-11-05-120000-kuhn.jsonl"
    begun = Match.begin("kuhn", ["random"], 5, file)
    for hand in range(3):
        while not begun.table.hand_over and (hand < 2 or begun.waiting):
            begun.step() if begun.waiting else begun.act(1)
        if hand < 2:
            begun.next_hand()
    (listed,) = json.loads(cardai("matches", "2026-11-05", "--json").out)
    assert (listed["file"], listed["hands"]) == (f"{file}.open", 2)
    (told,) = json.loads(cardai("matches", "random", "--stats", "--json").out)
    assert (told["matches"], told["hands"]) == (3, 42)
    begun.close()
    assert json.loads(cardai("matches", "2026-11-05", "--json").out) == [{**listed, "file": str(file)}]


def test_what_matches_come_to_is_their_sum_with_the_luck_taken_out_and_what_decisions_cost(
    cardai: Call, folder: Path
) -> None:
    listed = json.loads(cardai("matches", "random", "--json").out)
    (told,) = json.loads(cardai("matches", "random", "--stats", "--review", "--json").out)
    assert (told["matches"], told["hands"]) == (2, 40)
    assert told["curve"][-1] == pytest.approx(sum(one["won"] for one in listed))
    assert told["won_a_hand"]["mean"] == pytest.approx(told["curve"][-1] / 40)
    wide, narrow = (told[key]["high"] - told[key]["low"] for key in ("won_a_hand", "won_a_hand_without_luck"))
    assert narrow < wide
    assert told["review"]["judge"] == "equilibrium"
    assert told["review"]["hands"] == 40
    text = cardai("matches", "random", "--stats").out
    assert "with the luck taken out (AIVAT)" in text


def test_an_opponent_who_is_not_installed_leaves_the_luck_in(cardai: Call, folder: Path) -> None:
    (told,) = json.loads(cardai("matches", "always_call_not", "--stats", "--json").out)
    assert told["won_a_hand_without_luck"] is None


def test_all_data_is_exported_and_removed_by_one_command(cardai: Call, folder: Path, tmp_path: Path) -> None:
    out = tmp_path.parent / f"{tmp_path.name}.zip"
    other = folder / "papers" / "thesis.tex"  # CARDAI_DATA_DIR may name a folder with more in it
    other.parent.mkdir()
    other.write_text("mine")
    (folder / "drills.json").symlink_to(other)
    called = cardai("matches", "--export", str(out), "--delete", "--yes")
    assert called.code == 0
    assert len(zipfile.ZipFile(out).namelist()) == 4
    assert "4 files were removed." in called.out
    assert not (folder / "matches").exists()
    assert other.read_text() == "mine"
    out.unlink()


def test_without_the_extra_a_sentence_says_what_to_install(cardai: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CARDAI_DATA_DIR", raising=False)
    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: None)
    for command in ("matches", "drill"):
        called = cardai(command)
        assert called.code == 1
        assert called.err == (
            f"cardai: The folder of your matches needs platformdirs, which is not installed. Run: {install_command('play')}\n"
        )


def test_nothing_is_removed_without_a_yes(cardai: Call, folder: Path) -> None:
    called = cardai("matches", "--delete", stdin="n\n")
    assert "Nothing was removed." in called.err
    assert len(list((folder / "matches").iterdir())) == 4


def test_words_do_not_limit_what_is_removed(cardai: Call, folder: Path) -> None:
    called = cardai("matches", "kuhn", "--delete", "--yes")
    assert called.code == 2
    assert "are of all your data" in called.err
