"""One match over sockets: the dealer and every player a process of its own, watched until all is over."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from cardai.core.errors import AgentError, UsageError
from cardai.formats.acpc import groups
from cardai.formats.acpc.dealer import Match
from cardai.formats.acpc.series import is_command
from cardai.training.session import plugin_options

_POLL = 0.1  # seconds between looks at the processes
_GRACE = 20.0  # seconds that players have to end after the match
_PATIENCE = 5.0  # seconds that a process has to end once it is asked to
_CARDAI = (sys.executable, "-m", "cardai")


def client_command(
    player: str, match: Match, port: int, seed: int, compiled: bool = False, plays: str = ""
) -> list[str]:
    """Return the command line of a player at ``port``: an agent's client, or a program with host and port behind."""
    if is_command(player):
        return [*shlex.split(player), match.host, str(port)]
    words = [*_CARDAI, "acpc", "play", "--agent", player, "--game", match.game_file, "--port", str(port)]
    words += ["--host", match.host, "--seed", str(seed), "--quiet"]
    words += ["--compiled"] if compiled else []
    words += ["--as", plays] if plays else []
    return words + plugin_options()


def play_by_processes(
    match: Match,
    players: Sequence[str],
    seeds: Sequence[int],
    directory: Path,
    compiled: bool = False,
    plays: str = "",
) -> None:
    """Play ``match`` between ``players`` (agents' specs or command lines), by seat; its log is ``directory``/NAME.log.

    Players start in the caller's directory, so that relative runs and programs are found; the dealer in ``directory``, where
    it writes. What a process says on stderr is in NAME.dealer.txt and NAME.seat1.txt, ...

    Raises:
        UsageError: a program cannot be started. AgentError: a player ended before the match, or the dealer ended it.
    """
    with ExitStack() as stack:
        said = directory / f"{match.name}.dealer.txt"
        dealer = _start(_dealer_command(match), said, stack, directory, subprocess.PIPE)
        assert dealer.stdout is not None
        ports = [int(word) for word in dealer.stdout.readline().split()]
        if len(ports) != len(players):
            raise AgentError(
                f"The dealer of {match.name} did not start: {_last_words(directory, match.name, 'dealer')}"
            )
        clients = []
        for seat, (player, port) in enumerate(zip(players, ports, strict=True)):
            command = client_command(player, match, port, seeds[seat], compiled, plays)
            clients.append(_start(command, directory / f"{match.name}.seat{seat + 1}.txt", stack))
        _watch(dealer, clients, players, match, directory)
        deadline = time.monotonic() + _GRACE
        while any(client.poll() is None for client in clients) and time.monotonic() < deadline:
            time.sleep(_POLL)


def _dealer_command(match: Match) -> list[str]:
    words = [*_CARDAI, "acpc", "dealer", match.name, match.game_file, str(match.hands), str(match.seed), *match.players]
    return [*words, "--start_timeout", str(match.start_timeout), "--quiet"]


def _start(
    command: Sequence[str],
    said: Path,
    stack: ExitStack,
    directory: Path | None = None,
    out: int | IO[bytes] = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a process, in ``directory`` or the caller's, that is ended with the ``stack``, and whatever it has started with it.

    What it says on stderr goes to the file ``said``.
    """
    notes = stack.enter_context(said.open("wb"))
    try:
        process = groups.start(command, directory, out, notes)
    except OSError as error:
        raise UsageError(f"The program {shlex.join(command)!r} cannot be started: {error.strerror}.") from error
    stack.callback(groups.end, process, _PATIENCE)
    return process


def _watch(
    dealer: subprocess.Popen[bytes],
    clients: Sequence[subprocess.Popen[bytes]],
    players: Sequence[str],
    match: Match,
    directory: Path,
) -> None:
    """Wait for the dealer's end. Raises AgentError where a player fails, or the dealer ended the match."""
    while dealer.poll() is None:
        for seat, client in enumerate(clients):
            if client.poll() and dealer.poll() is None:
                time.sleep(_POLL)  # the dealer may just have ended, and the player with it
                if dealer.poll() is None:
                    words = _last_words(directory, match.name, f"seat{seat + 1}")
                    raise AgentError(
                        f"The player {players[seat]!r} ended with {client.returncode} in {match.name}: {words}"
                    )
        time.sleep(_POLL)
    if dealer.returncode:
        raise AgentError(f"The dealer ended {match.name}: {_last_words(directory, match.name, 'dealer')}")


def _last_words(directory: Path, name: str, who: str) -> str:
    """Return the last line that a process wrote to stderr."""
    text = (directory / f"{name}.{who}.txt").read_text(encoding="utf-8", errors="replace").strip()
    return text.splitlines()[-1][:300] if text else "it said nothing."
