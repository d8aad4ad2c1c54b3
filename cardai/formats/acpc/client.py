"""A client of a dealer: connects, follows the match, asks a player for each of its decisions, ends when the dealer does."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Callable

from cardai.core.errors import UsageError
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.states import action_text

Choose = Callable[[Follower], int]
"""Returns the action (0 fold, 1 call, 2 raise, or the no-limit amount to raise to) of the player whose turn it is."""


def connect(host: str, port: int, timeout: float = 10.0) -> socket.socket:
    """Return a connection to a dealer, greeted. Raises UsageError when nobody listens there."""
    try:
        connection = socket.create_connection((host, port), timeout=timeout)
    except (OSError, OverflowError) as error:
        raise UsageError(f"No dealer can be reached at {host}:{port}: {error}. Give the port it printed.") from error
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(b"VERSION:2.0.0\r\n")
    return connection


class _Patience:
    """Has the kernel wake this process only when there is something to answer (Linux; elsewhere it wakes for each line).

    After an answer, the state that all seats get before the next player's decision needs none from this one; waiting for
    one byte more than that line spares half of all awakenings. The end of the connection wakes in any case.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._bytes = 1
        self._works = sys.platform == "linux"

    def wait_for(self, count: int) -> None:
        """Let the next receive return once ``count`` bytes are there."""
        if self._works and count != self._bytes:
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, count)
            self._bytes = count


def play(
    connection: socket.socket, game: GameDef, choose: Choose, finished: Callable[[Follower], None] | None = None
) -> int:
    """Play until the dealer ends the match, close the connection, and return the number of decisions made.

    ``finished`` is called with each hand's last state, when there is one.

    Raises:
        DamagedFileError: the dealer sent a line that is no match state of ``game``.
    """
    follower, patience = Follower(game), _Patience(connection)
    see, recv, send = follower.see, connection.recv, connection.sendall
    texts = {a: f":{action_text(a, game.no_limit)}\r\n".encode() for a in range(2 if game.no_limit else 3)}
    rest = b""
    decisions = 0
    with connection, contextlib.suppress(ConnectionError):  # a dealer that stops with something unread resets
        while data := recv(65536):
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            expected = 1
            for line in lines:
                end = 1
                if line[-1:] == b"\r":
                    line, end = line[:-1], 2
                if not line or line[0] in b"#;":
                    continue
                expected = 1
                if see(line):
                    action = choose(follower)
                    send(line + (texts.get(action) or b":r%d\r\n" % action))
                    decisions += 1
                    longer = follower.act(action)
                    if longer:
                        expected = len(line) + longer + end + 1
                elif finished is not None and follower.node.actor < 0:
                    finished(follower)
            patience.wait_for(max(expected - len(rest), 1))
    return decisions
