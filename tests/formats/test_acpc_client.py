from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from cardai.core.errors import DamagedFileError
from cardai.formats.acpc.client import connect, play
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.seat import MatchAborted
from tests.formats.acpc_table import LIMIT

HAND = [  # position 1: the button, who acts first before the flop and second after it
    "MATCHSTATE:1:0::|9hQd",
    "MATCHSTATE:1:0:c:|9hQd",
    "MATCHSTATE:1:0:cc/:|9hQd/8dAs8s",
    "MATCHSTATE:1:0:cc/r:|9hQd/8dAs8s",
    "MATCHSTATE:1:0:cc/rc/:|9hQd/8dAs8s/4h",
]
ANSWERED = [0, 3]


class Server:
    """A stand-in for a dealer: accepts one player and lets a test say what is sent."""

    def __init__(self, silence: float = 60.0, first: str = "") -> None:
        """``first`` is there when the player begins to listen."""
        self._silence, self._sent = silence, threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.result: int | Exception | None = None
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()
        self.connection, _ = self._listening.accept()
        self.connection.settimeout(10)
        self.connection.sendall(first.encode())
        self._sent.set()
        self._file = self.connection.makefile("rb")
        self.version = self._file.readline()

    def _play(self) -> None:
        try:
            wire = connect("127.0.0.1", self.port)
            self._sent.wait(10)
            self.result = play(wire, load_game(LIMIT), lambda follower: 1, silence=self._silence)
        except Exception as error:
            self.result = error

    def answer(self) -> str:
        return self._file.readline().decode()

    def end(self) -> int | Exception | None:
        self._file.close()
        self.connection.close()
        self._listening.close()
        self._thread.join(10)
        assert not self._thread.is_alive()
        return self.result


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.end()


def test_the_player_greets_with_the_protocols_version(server: Server) -> None:
    assert server.version == b"VERSION:2.0.0\r\n"


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("whole", [True, False], ids=["lines", "bytes"])
def test_each_turn_is_answered_however_the_lines_arrive(server: Server, end: str, whole: bool) -> None:
    server.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for number, line in enumerate(HAND):
        data = (line + end).encode()
        for part in [data] if whole else [data[i : i + 1] for i in range(len(data))]:
            server.connection.sendall(part)
        if number in ANSWERED:
            assert server.answer() == line + ":c\r\n"
        elif whole:
            time.sleep(0.02)  # the next line is another packet
    assert server.end() == len(ANSWERED)


def test_several_lines_at_once_and_comments_are_taken_in_order(server: Server) -> None:
    text = "# hello\r\n" + "\r\n".join(HAND[:4]) + "\r\n; a screen's command\r\n"
    server.connection.sendall(text.encode())
    # the state that was already out of date is answered too; a dealer ignores such an answer
    assert [server.answer() for _ in ANSWERED] == [HAND[i] + ":c\r\n" for i in ANSWERED]


def test_a_dealer_that_shows_only_the_players_own_turns_is_answered(server: Server) -> None:
    for i in ANSWERED:
        server.connection.sendall((HAND[i] + "\r\n").encode())
        assert server.answer() == HAND[i] + ":c\r\n"


def test_a_dealer_that_takes_the_action_as_another_is_believed(server: Server) -> None:
    for line in ("MATCHSTATE:1:0::|9hQd", "MATCHSTATE:1:0:rr:|9hQd", "MATCHSTATE:1:1::|AsAd", "MATCHSTATE:0:2:r:2c2d|"):
        server.connection.sendall((line + "\r\n").encode())
        assert server.answer() == line + ":c\r\n"


@pytest.mark.parametrize("after", range(len(HAND)))
def test_the_end_of_the_connection_ends_the_player_quietly(after: int) -> None:
    server = Server()
    for number, line in enumerate(HAND[:after]):
        server.connection.sendall((line + "\r\n").encode())
        if number in ANSWERED:
            server.answer()
    server.connection.sendall(HAND[after][:10].encode())
    assert isinstance(server.end(), int)


@pytest.mark.parametrize(
    "line",
    [
        "MATCHSTATE:1:" + "9" * 5000 + "::|9hQd",
        "hello",
        "MATCHSTATE:1:0:rrrrrr:|9hQd",
        "MATCHSTATE:5:0::|9hQd",
        "MATCHSTATE:1:0::9hQd",
        "MATCHSTATE:1:0:cc/:|9hQd",
    ],
)
def test_a_dealer_of_another_game_is_an_error_that_quotes_it(line: str) -> None:
    server = Server()
    server.connection.sendall((line + "\r\n").encode())
    time.sleep(0.05)
    result = server.end()
    if line == "MATCHSTATE:1:0:cc/:|9hQd":  # no board, but nothing to decide either
        return
    assert isinstance(result, DamagedFileError)


def test_a_line_without_an_end_is_refused_while_it_is_small() -> None:
    server = Server()
    with contextlib.suppress(OSError):  # the player breaks off
        for _ in range(1000):
            server.connection.sendall(b"MATCHSTATE:" * 1000)
            if server.result is not None:
                break
            time.sleep(0.01)
    result = server.end()
    assert isinstance(result, DamagedFileError)
    assert "a line of more than 65,536 bytes" in str(result)


def test_a_dealer_that_falls_silent_is_waited_for_no_longer_than_was_said() -> None:
    server = Server(silence=0.5, first=HAND[0] + "\r\n")
    assert server.answer()
    limit = time.monotonic() + 60
    while server.result is None and time.monotonic() < limit:
        time.sleep(0.02)
    result = server.end()
    assert isinstance(result, MatchAborted)
    assert "said nothing for 0.5 seconds" in str(result)
