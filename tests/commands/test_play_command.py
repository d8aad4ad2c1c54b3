"""``cardai play`` and the app of ``cardai replay`` from the command line: what they need, refuse, and leave behind."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from cardai.arena import match, records
from cardai.core.extras import install_command
from tests.commands.conftest import Call
from tests.support import INTERPRETED, ROOT


def test_without_textual_a_sentence_says_what_to_install(cardai: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.core.extras.find_spec", lambda name: None)
    called = cardai("play", "gin")
    assert called.code == 1
    run = f"Run: {install_command('play')}"
    assert called.err == f"cardai: cardai play needs textual, which is not installed. {run}\n"


@pytest.mark.long
def test_playing_otherwise_needs_no_textual() -> None:
    """A match by run, with textual made impossible to import."""
    script = (
        "import sys\nsys.modules['textual'] = sys.modules['starlette'] = None\nfrom cardai.cli import main\n"
        "main(['run', '--game', 'kuhn', '--agent', 'random', '--vs', 'random', '--games', '2'])"
    )
    environment = {**os.environ, **INTERPRETED}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("gin", "--vs", "simple"), 2, "cardai play needs a terminal. In a pipe, play in plain text: cardai run"),
        (("gin", "--resume"), 2, "--resume goes on with a match as it was: leave out the game and --vs."),
        (("--vs", "simple"), 2, "--vs needs the game before it: cardai play GAME --vs AGENT."),
        (("gim",), 2, "Did you mean 'gin'?"),
        (("gin", "--vs", "video_perfect"), 2, "video_perfect plays video poker"),
        (("gin", "--vs", "simple", "--vs", "simple"), 2, "gin has 1 seats beside yours: give --vs once"),
        (("video_poker", "--vs", "random"), 2, "video_poker is played alone. Leave out --vs random."),
        (("kuhn", "--browser", "--coach", "now"), 2, "--four-colours, --big-blinds and --coach are of the terminal"),
        (("drill:library=nowhere",), 2, "There is no spot to drill in 'nowhere'. Keep some: cardai solve"),
        (("drill:library=nowhere", "--vs", "random"), 2, "A drill has its own opponent and keeps how it went"),
        (("kuhn", "--vs", "human"), 2, "human is a person: cardai play seats one. Give a program by --vs."),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_shown(
    cardai: Call, words: tuple[str, ...], code: int, said: str
) -> None:
    pytest.importorskip("textual")
    called = cardai("play", *words)
    assert called.code == code
    assert said in called.err


@pytest.mark.parametrize("face", [(), ("--browser",)])
def test_a_match_that_is_kept_already_is_not_replaced(cardai: Call, face: tuple[str, ...], tmp_path: Path) -> None:
    """It was, without a word, as soon as the new one ended."""
    for module in ("textual", "starlette", "uvicorn", "websockets", "jinja2"):
        pytest.importorskip(module)
    file = tmp_path / "match.jsonl"
    match.play("kuhn", ["random", "random"], games=2, seed=3, record=file)
    before = file.read_bytes()
    called = cardai("play", "kuhn", "--vs", "random", "--record", str(file), *face)
    assert called.code == 2
    assert called.err == f"cardai: {file} is there already. Go on with it by --resume, or name another file.\n"
    assert file.read_bytes() == before


def test_who_leaves_while_a_program_thinks_is_told_where_the_match_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is beside the record's name then, and nothing was said of it."""
    pytest.importorskip("textual")
    from cardai.commands import play
    from cardai.ui.app import PlayOptions

    app = SimpleNamespace(run=lambda: None, problem=None, return_code=0, file=tmp_path / "match.jsonl")
    monkeypatch.setattr("cardai.ui.app.PlayApp", lambda options: app)
    said: list[str] = []
    monkeypatch.setattr(play, "note", said.append)
    play._run(PlayOptions())
    assert said == []
    (tmp_path / "match.jsonl.open").touch()
    play._run(PlayOptions())
    assert said[0] == f"Your match is in {app.file}.open. Go on with it: cardai play --resume"


class Terminal:
    """A terminal of 80x24 in which the command line runs."""

    def __init__(self, *words: str, **environment: str) -> None:
        pty = pytest.importorskip("pty", reason="terminals are tested where there are POSIX ones")
        import fcntl
        import struct
        import termios

        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **INTERPRETED, **environment}
        command = [sys.executable, "-m", "cardai", *words]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
        )
        os.close(slave)
        self.seen = b""

    def until(self, words: str) -> None:
        """Read until the terminal has been shown ``words``."""
        limit = time.monotonic() + 240
        while words.encode() not in self.seen:
            ready, _, _ = select.select([self.master], [], [], 1)
            try:
                more = os.read(self.master, 65536) if ready else b""
            except OSError:  # nobody is left to write
                break
            self.seen += more
            assert time.monotonic() < limit, self.seen[-2000:]
        assert words.encode() in self.seen, self.seen[-2000:]

    def type(self, keys: str) -> None:
        self.seen = b""
        os.write(self.master, keys.encode())

    def end(self) -> int:
        try:
            return self.process.wait(timeout=60)
        finally:
            self.process.kill()
            os.close(self.master)


def test_a_hand_is_played_in_a_terminal_and_the_match_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("textual")
    terminal = Terminal("play", "kuhn", "--vs", "random", "--seed", "4", CARDAI_DATA_DIR=str(tmp_path))
    terminal.until("Your turn")
    terminal.type("q")
    terminal.until("The match is kept")
    terminal.type("y")
    terminal.until("Go on with it: cardai play --resume")
    assert terminal.end() == 0
    (file,) = tmp_path.rglob("*.jsonl")
    assert records.read(file).unfinished is not None


@pytest.mark.long
def test_a_record_is_looked_at_in_the_app_at_a_terminal(tmp_path: Path) -> None:
    pytest.importorskip("textual")
    file = tmp_path / "hands.jsonl"
    match.play("kuhn", ["random", "random"], games=2, seed=1, record=str(file))
    terminal = Terminal("replay", str(file), "--agent", "random")
    terminal.until("step 1 of")
    terminal.type("\x1b[C")
    terminal.until("step 2")
    terminal.type("q")
    assert terminal.end() == 0


def test_two_players_are_compared_in_plain_text_too(cardai: Call, record: str, bots: str) -> None:
    called = cardai("replay", record, "--agent", "random", "--agent", "lowest", "--plugin", bots)
    assert called.code == 0
    assert " random  50% " in called.out
    assert " lowest 100% " in called.out
    assert cardai("replay", record, *["--agent", "random"] * 3).code == 2
