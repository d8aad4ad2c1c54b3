"""A client of a dealer: connects, follows the match, asks a player for each of its decisions, ends when the dealer does."""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import time
from collections.abc import Callable

from cardai.core.errors import DamagedFileError, UsageError
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.seat import MatchAborted
from cardai.formats.acpc.states import action_text

Choose = Callable[[Follower], int]
"""Returns the action (0 fold, 1 call, 2 raise, or the no-limit amount to raise to) of the player whose turn it is."""


def connect(host: str, port: int, timeout: float = 10.0) -> socket.socket:
    """Return a connection to a dealer, greeted; wait up to ``timeout`` seconds for one that is just starting.

    Raises:
        UsageError: nobody listens there.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=timeout)
            break
        except (OSError, OverflowError) as error:
            if isinstance(error, ConnectionRefusedError) and time.monotonic() < deadline:
                time.sleep(0.1)
                continue
            raise UsageError(
                f"No dealer can be reached at {host}:{port}: {error}. Give the port it printed."
            ) from error
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(b"VERSION:2.0.0\r\n")
    return connection


SILENCE = 3600.0
"""Seconds that a dealer may say nothing: it waits for the others to connect, and ten minutes for each of their answers."""
LONGEST = 1 << 16
"""Bytes of a line. The competition's have 4,096 at most (net.h, READBUF_LEN)."""
_WORTH = 100
"""Answers after a state that came alone for which patience is kept up."""


class _Patience:
    """Has the kernel wake this process only when there is something to answer (Linux; elsewhere it wakes for each line).

    After an answer, the state that all seats get before the next player's decision needs none from this one; where a dealer
    sends it alone, waiting for one byte more than that line spares half of all awakenings. The end of the connection wakes
    in any case, and what a dealer of other manners has sent is read after a second. A dealer that says nothing for
    ``silence`` seconds (0: for ever) has been waited for.
    """

    def __init__(self, connection: socket.socket, silence: float) -> None:
        self._connection, self._silence = connection, silence
        self._bytes = 1
        self.answers = 0
        """For how many more answers it is worth while: some dealers send that state with the next one."""
        self._works = sys.platform == "linux"
        if self._works:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 1, 0))
        elif silence:
            connection.settimeout(silence)

    def wait_for(self, count: int) -> None:
        """Let the next receive return once ``count`` bytes are there."""
        if self._works and count != self._bytes:
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, count)
            self._bytes = count

    def receive(self) -> bytes:
        """Return what has arrived; nothing at the end. Raises MatchAborted after too long a silence."""
        begun = time.monotonic()
        while True:
            try:
                return self._connection.recv(4096)
            except (BlockingIOError, TimeoutError):  # a second without a byte, or all of the silence
                if self._silence and time.monotonic() - begun >= self._silence:
                    raise MatchAborted(
                        f"The dealer has said nothing for {self._silence:,g} seconds. Give --silence SECONDS to wait longer "
                        "(0: for ever)."
                    ) from None


def play(
    connection: socket.socket,
    game: GameDef,
    choose: Choose,
    finished: Callable[[Follower], None] | None = None,
    silence: float = SILENCE,
) -> int:
    """Play until the dealer ends the match, close the connection, and return the number of decisions made.

    ``finished`` is called with each hand's last state, when there is one. ``silence`` is in seconds, 0 for ever.

    Raises:
        DamagedFileError: the dealer sent a line that is no match state of ``game``, or one without an end. MatchAborted: it
            said nothing for ``silence`` seconds.
    """
    follower, patience = Follower(game), _Patience(connection, silence)
    see, receive, send = follower.see, patience.receive, connection.sendall
    texts = {a: f":{action_text(a, game.no_limit)}\r\n".encode() for a in range(2 if game.no_limit else 3)}
    rest = b""
    decisions = 0
    with connection, contextlib.suppress(ConnectionError):  # a dealer that stops with something unread resets
        while data := receive():
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            _refuse_endless(rest)
            expected, answered = 1, False
            for line in lines:
                line, end = (line[:-1], 2) if line[-1:] == b"\r" else (line, 1)
                if not line or line[0] in b"#;":
                    continue
                expected = 1
                if see(line):
                    action = choose(follower)
                    send(line + (texts.get(action) or b":r%d\r\n" % action))
                    decisions += 1
                    answered = True
                    follower.act(action)
                    if patience.answers and (longer := follower.longer()):
                        patience.answers -= 1
                        expected = len(line) + longer + end + 1
                elif finished is not None and follower.node.actor < 0:
                    finished(follower)
            if decisions and not answered and follower.node.actor >= 0:
                patience.answers = _WORTH
            patience.wait_for(max(expected - len(rest), 1))
    return decisions


def _refuse_endless(rest: bytes) -> None:
    """Raise DamagedFileError where what has come of a line is longer than any match state."""
    if len(rest) > LONGEST:
        raise DamagedFileError(f"The dealer sent a line of more than {LONGEST:,} bytes, which no match state has.")
