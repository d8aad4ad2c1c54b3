"""Where nobody watches a bar, long work says how far it is by a line now and then."""

from __future__ import annotations

import pytest

from cardai.commands import invocation


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(invocation.time, "monotonic", lambda: now[0])
    invocation.begin()
    return now


def _said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_a_line_comes_after_half_a_minute_of_silence(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with invocation.progress("best response", "boards") as advance:
        assert advance is not None
        for done in range(40):
            advance(done, 40)
            clock[0] += 10.0
    said = _said(capsys)
    assert said[0] == "best response: 3 of 40 boards, about 6 min left."
    assert len(said) == 13


def test_what_was_done_before_takes_no_time(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with invocation.progress("best response", "boards") as advance:
        assert advance is not None
        advance(30, 40)
        clock[0] += 60.0
        advance(32, 40)
    assert _said(capsys) == ["best response: 32 of 40 boards, about 4 min left."]


def test_the_end_is_no_news(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with invocation.progress("x") as advance:
        assert advance is not None
        clock[0] += 60.0
        advance(40, 40)
    assert _said(capsys) == []


def test_work_of_many_parts_says_so_too(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    for done in range(5):
        invocation.show_work("Board 1", done, 2352)
        clock[0] += 20.0
    assert _said(capsys) == ["Board 1 ...", "Board 1: 2 of 2,352", "Board 1: 4 of 2,352"]


def test_boards_of_a_moment_are_no_lines(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    for board in range(120):
        invocation.show_work(f"Board {board}", 0, 48)
        clock[0] += 0.5
    said = _said(capsys)
    assert said[0] == "Board 0 ..."
    assert 2 < len(said) < 10


def test_quiet_says_nothing(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    invocation.set_quiet(True)
    with invocation.progress("x") as advance:
        assert advance is None
    invocation.show_work("Board 1", 0, 5)
    assert _said(capsys) == []
