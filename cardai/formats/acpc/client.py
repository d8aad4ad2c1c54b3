"""A client of a dealer: connects, follows the match, asks a player for each of its decisions, ends when the dealer does."""

from __future__ import annotations

import contextlib
import socket
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


def play(
    connection: socket.socket, game: GameDef, choose: Choose, finished: Callable[[Follower], None] | None = None
) -> int:
    """Play until the dealer ends the match, close the connection, and return the number of decisions made.

    ``finished`` is called with each hand's last state, when there is one.

    Raises:
        DamagedFileError: the dealer sent a line that is no match state of ``game``.
    """
    follower = Follower(game)
    see, recv, send = follower.see, connection.recv, connection.sendall
    texts = {
        action: b":" + action_text(action, game.no_limit).encode() + b"\r\n"
        for action in range(2 if game.no_limit else 3)
    }
    rest = b""
    decisions = 0
    with (
        connection,
        contextlib.suppress(ConnectionError),
    ):  # a dealer that stops without reading everything resets the connection
        while data := recv(65536):
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            for line in lines:
                if line[-1:] == b"\r":
                    line = line[:-1]
                if not line or line[0] in b"#;":
                    continue
                if see(line):
                    action = choose(follower)
                    send(line + (texts.get(action) or b":r%d\r\n" % action))
                    decisions += 1
                elif finished is not None and follower.node.actor < 0:
                    finished(follower)
    return decisions
