"""At a terminal a replay goes step by step, by keys."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.text import Text

from cardai.commands.show.stepping import step_through

pty = pytest.importorskip("pty", reason="terminals are tested where there are POSIX ones")


@contextmanager
def _typed(keys: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make stdin a terminal at which ``keys`` have been pressed."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "r") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        pressed = iter([key.encode() for key in keys])
        monkeypatch.setattr("os.read", lambda file, size: next(pressed))
        yield
    os.close(master)


@pytest.mark.parametrize(
    ("keys", "seen"),
    [
        (["q"], ["0:1"]),
        (["\r", "\x1b[C", "\x1b[D", " ", "\r"], ["0:1", "0:2", "0:3", "0:2", "0:3"]),  # Enter at the end leaves
        (["n", "\x1b[D", "p", "p", "q"], ["0:1", "1:1", "1:1", "0:1", "0:1"]),
        (["\r", "n", "n", "q"], ["0:1", "0:2", "1:1", "1:1"]),
    ],
)
def test_keys_step_through_hands(
    keys: list[str], seen: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def frames(hand: int) -> list[Text]:
        return [Text(f"Hand {hand}"), *(Text(f"screen {hand}:{i}") for i in (1, 2, 3))]

    with _typed(keys, monkeypatch):
        step_through(frames, 0, 2)
    shown = [line.removeprefix("screen ") for line in capsys.readouterr().out.splitlines() if line.startswith("screen")]
    assert shown == seen
    assert sys.stdin.closed
