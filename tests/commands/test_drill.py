"""``cardai drill``: own mistakes are asked, graded at once, and come again by how they went."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardai import make
from cardai.arena import match
from cardai.core.errors import DamagedFileError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.study.coach import Coaches
from cardai.study.drills import Known, due, questions, read, write
from cardai.study.graded import GradedHand
from cardai.study.judge import Judge, judge_for
from tests.commands.conftest import Call
from tests.study.test_review import decision


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one match of Kuhn poker, played at random."""
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path))
    (tmp_path / "matches").mkdir()
    file = tmp_path / "matches" / "2026-11-01-101500-kuhn.jsonl"
    match.play("kuhn", ["random", "random"], games=40, seed=1, duplicate=False, record=file, names=["human", "random"])
    return tmp_path


def test_a_right_answer_comes_again_later_and_later_and_a_wrong_one_at_once() -> None:
    known, days = Known(), []
    for _ in range(4):
        known = known.answered(True, 100)
        days.append(known.due - 100)
    assert days == [1, 2, 4, 8]
    assert known.answered(False, 100) == Known(0, 100)


def test_the_dearest_that_is_due_comes_first_and_what_cost_nothing_is_no_question() -> None:
    hand = GradedHand(1, 0, 0, 0, 0, 1.0, (decision(0.3), decision(0.9), decision(0.01)))
    places = [GradedHand(1, 0, 0, 0, 0, 1.0, (d,)) for d in hand.decisions]
    asked = questions(Path("m.jsonl"), "kuhn", [{}], places[:2] + places[2:])
    assert [one.decision.lost for one in due(asked, {}, 5)] == pytest.approx([0.9, 0.3])
    assert due(asked, {asked[0].name: Known(1, 6)}, 5) == []  # both have one name: the same place of the same hand


def test_what_was_asked_is_kept_and_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "drills.json"
    assert read(file) == {}
    write(file, {"a": Known(2, 7)})
    assert read(file) == {"a": Known(2, 7)}
    file.write_text(json.dumps({"cardai": "drills", "known": {"a": {"box": 99, "due": 1}}}))
    with pytest.raises(DamagedFileError, match="box must be from 0 to 10"):
        read(file)


def test_mistakes_are_asked_and_graded_at_once(cardai: Call, folder: Path) -> None:
    called = cardai("drill", "kuhn", "--count", "2", stdin="bet\nbet\n")
    assert called.code == 0
    assert "Question 1 of 2: kuhn" in called.err
    assert called.out.count("At the table it was ") == 2
    assert " of 2 without a cost; " in called.out
    assert len(read(folder / "drills.json")) == 2


def test_who_stops_keeps_what_he_answered(cardai: Call, folder: Path) -> None:
    called = cardai("drill", stdin="pass\n")  # then the input ends
    assert called.code == 0
    assert " of 1 without a cost; " in called.out


def test_nothing_is_due_where_nothing_was_played(cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path))
    assert "No mistake of yours is due." in cardai("drill").out


def test_a_coach_is_shared_but_every_file_s_game_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr("cardai.study.coach.make.game", lambda spec, real=make.game: made.append(spec) or real(spec))
    coaches = Coaches()
    assert coaches.of("kuhn") is coaches.of("kuhn") is not coaches.of("leduc")
    assert made == ["kuhn", "kuhn", "leduc"]


def test_a_judge_is_found_once_for_all_matches_and_questions_of_a_game(
    cardai: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = (folder / "matches").iterdir()
    one.with_name("2026-11-02-101500-kuhn.jsonl").write_bytes(one.read_bytes())
    found: list[str] = []

    def counted(game: Game, judge: str | None = None) -> Judge:
        found.append(brief(game))
        return judge_for(game, judge)

    monkeypatch.setattr("cardai.study.coach.judge_for", counted)
    assert " of 2 without a cost; " in cardai("drill", "--count", "2", stdin="bet\nbet\n").out
    assert found == ["Kuhn"]
