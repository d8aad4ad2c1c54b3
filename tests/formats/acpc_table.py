"""A dealer in a thread and players that say exactly what a test wants, on loopback."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cardai.core.errors import CardaiError
from cardai.formats.acpc.clock import TimeLimits
from cardai.formats.acpc.dealer import Dealer, Match
from cardai.formats.acpc.follower import Follower
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.logs import Score
from cardai.formats.acpc.matchfiles import MatchFiles

DATA = Path(__file__).parent / "data"
LIMIT, NO_LIMIT = "holdem.limit.2p.reverse_blinds", "holdem.nolimit.2p.reverse_blinds"
PATIENCE = 20.0  # seconds after which a test gives up


class Table:
    """A match under way: ``ports``, and when it has ended ``score`` or ``error``, and what the dealer noted."""

    def __init__(self, dealer: Dealer, log: Path, notes: io.StringIO, out: io.StringIO) -> None:
        self.dealer, self.log_file, self._notes, self._out = dealer, log, notes, out
        self.ports = dealer.listen()
        self.score: Score | None = None
        self.error: CardaiError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.score = self.dealer.play()
        except CardaiError as error:
            self.error = error
        finally:
            self.dealer.close()

    def wait(self) -> Table:
        """Wait for the match's end."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the dealer did not stop"
        return self

    @property
    def notes(self) -> str:
        return self._notes.getvalue()

    @property
    def out(self) -> str:
        return self._out.getvalue()

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")

    @property
    def hands(self) -> list[str]:
        """The log's lines of finished hands."""
        return [line for line in self.log.splitlines() if line.startswith("STATE:")]


@contextmanager
def table(
    path: Path, game: str = LIMIT, hands: int = 2, *, files: dict[str, Any] | None = None, **options: Any
) -> Iterator[Table]:
    """Start a dealer; ``options`` are Match's, with limits in milliseconds as response, hand, per_hand."""
    limits = {k: options.pop(k) for k in ("response", "hand", "per_hand") if k in options}
    quiet = options.pop("quiet", True)
    definition = load_game(game)
    options.setdefault("players", tuple(f"p{i + 1}" for i in range(definition.num_players)))
    options.setdefault("seed", 0)
    options.setdefault("name", str(path / "match"))
    options.setdefault("start_timeout", 10_000)
    match = Match(game=definition, hands=hands, limits=TimeLimits(**{"response": 10_000, **limits}), **options)
    notes, out = io.StringIO(), io.StringIO()
    opened = MatchFiles.open(str(path / "match"), **(files or {}))
    running = Table(Dealer(match, opened, out, notes, quiet), path / "match.log", notes, out)
    try:
        yield running
    finally:
        running.wait()


class Player:
    """A raw connection that has said its version."""

    def __init__(self, port: int, version: bytes | None = b"VERSION:2.0.0\r\n") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._file = self.socket.makefile("rb")
        if version is not None:
            self.socket.sendall(version)

    def line(self) -> bytes:
        """Return the next line without its line end; nothing at the end."""
        return self._file.readline().removesuffix(b"\r\n")

    def say(self, data: bytes) -> None:
        self.socket.sendall(data)

    def close(self) -> None:
        self._file.close()
        self.socket.close()


Say = Callable[[Player, bytes, Follower], None]


def answer(text: bytes) -> Say:
    """Return a behaviour that answers every state with ``:text``."""
    return lambda player, line, _: player.say(line + b":" + text + b"\r\n")


def follow(port: int, game: str, say: Say, seen: list[bytes] | None = None) -> None:
    """Play one seat: call ``say`` at each of its turns, until the connection ends."""
    player = Player(port)
    follower = Follower(load_game(game))
    try:
        while line := player.line():
            if seen is not None:
                seen.append(line)
            if follower.see(line):
                say(player, line, follower)
    except (ConnectionError, ValueError):  # the dealer or the test closed the connection
        pass
    finally:
        player.close()


def sit(running: Table, game: str, *says: Say, seen: list[list[bytes]] | None = None) -> list[threading.Thread]:
    """Seat a player for each behaviour, in threads; return them once the match has ended."""
    threads = []
    for seat, say in enumerate(says):
        lines = None if seen is None else seen[seat]
        threads.append(threading.Thread(target=follow, args=(running.ports[seat], game, say, lines), daemon=True))
        threads[-1].start()
    running.wait()
    for thread in threads:
        thread.join(PATIENCE)
    return threads
