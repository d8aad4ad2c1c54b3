"""One match over sockets: the dealer and every player a process of its own, watched until all is over."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from attrs import frozen

from cardai.core.errors import AgentError, UsageError
from cardai.formats.acpc import groups
from cardai.formats.acpc.client import connect, play
from cardai.formats.acpc.dealer import Dealer, Match
from cardai.formats.acpc.matchfiles import MatchFiles
from cardai.formats.acpc.nodes import spare_collections
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.acpc.seat import MatchAborted
from cardai.formats.acpc.series import is_command
from cardai.training.session import plugin_options

_POLL = 0.1  # seconds between looks at the processes
_GRACE = 20.0  # seconds that players have to end after the match
_LEAVING = 1.0  # seconds that a player has to end whose connection is gone
_LEFT = re.compile("could not get action from seat ([0-9]+)")
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
    it writes. Where that is safe, our own are forked from this process, which has loaded what they need. What a process says
    on stderr is in NAME.dealer.txt and NAME.seat1.txt, ...

    Raises:
        UsageError: a program cannot be started. AgentError: a player ended before the match, or the dealer ended it.
    """
    with ExitStack() as stack:
        said = directory / f"{match.name}.dealer.txt"
        dealer = _Process(_dealer_command(match), partial(_deal, match), said, directory, out=True).start(stack)
        assert dealer.stdout is not None
        ports = [int(word) for word in dealer.stdout.readline().split()]
        if len(ports) != len(players):
            raise AgentError(
                f"The dealer of {match.name} did not start: {_last(_said(directory, match.name, 'dealer'))}"
            )
        clients = []
        for seat, (player, port) in enumerate(zip(players, ports, strict=True)):
            command = client_command(player, match, port, seeds[seat], compiled, plays)
            work = None if is_command(player) else partial(_take_part, player, match, port, seeds[seat], plays)
            clients.append(_Process(command, work, directory / f"{match.name}.seat{seat + 1}.txt").start(stack))
        _watch(dealer, clients, players, match, directory)
        deadline = time.monotonic() + _GRACE
        while any(client.poll() is None for client in clients) and time.monotonic() < deadline:
            time.sleep(_POLL)


def _dealer_command(match: Match) -> list[str]:
    words = [*_CARDAI, "acpc", "dealer", match.name, match.game_file, str(match.hands), str(match.seed), *match.players]
    return [*words, "--start_timeout", str(match.start_timeout), "--quiet"]


@frozen
class _Process:
    """A process of a match: its command line, and the same as a function where the process may be forked from this one.

    It begins in ``directory`` or the caller's. What it says on stderr goes to the file ``said``.
    """

    command: Sequence[str]
    work: Callable[[], object] | None
    said: Path
    directory: Path | None = None
    out: bool = False
    """Whether its stdout is read."""

    def start(self, stack: ExitStack) -> groups.Leader:
        """Start it, and end it with the ``stack``, and whatever it has started."""
        notes = stack.enter_context(self.said.open("wb"))
        try:
            if self.work is not None and groups.can_fork():
                process: groups.Leader = groups.fork(self.work, self.directory, notes, self.out)
            else:
                out = subprocess.PIPE if self.out else subprocess.DEVNULL
                process = groups.start(self.command, self.directory, out, notes)
        except OSError as error:
            raise UsageError(
                f"The program {shlex.join(self.command)!r} cannot be started: {error.strerror}."
            ) from error
        stack.callback(groups.end, process, _PATIENCE)
        return process


def _deal(match: Match) -> None:
    """Be the dealer, in the directory of the log."""
    spare_collections()
    with Dealer(match, MatchFiles.open(match.name)) as table:
        table.listen()
        try:
            table.play()
        except MatchAborted:  # the dealer has said why, in the competition's words
            raise SystemExit(1) from None


def _take_part(player: str, match: Match, port: int, seed: int, plays: str) -> None:
    """Be an agent's client."""
    spare_collections()
    agent = AgentPlayer(player, match.game, seed, plays)
    told = agent.hand_finished if agent.wants_results else None
    play(connect(match.host, port), match.game, agent.choose, told)


def _watch(
    dealer: groups.Leader,
    clients: Sequence[groups.Leader],
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
                    raise _failed(players[seat], client, match, seat, directory)
        time.sleep(_POLL)
    if not dealer.returncode:
        return
    words = next((line for line in _said(directory, match.name, "dealer") if line.startswith("ERROR")), "it failed.")
    if left := _LEFT.search(words):  # it saw a player go before we did
        seat = int(left[1]) - 1
        deadline = time.monotonic() + _LEAVING
        while clients[seat].poll() is None and time.monotonic() < deadline:
            time.sleep(_POLL)
        if clients[seat].poll():
            raise _failed(players[seat], clients[seat], match, seat, directory)
    raise AgentError(f"The dealer ended {match.name}: {words}")


def _failed(player: str, client: groups.Leader, match: Match, seat: int, directory: Path) -> AgentError:
    words = _last(_said(directory, match.name, f"seat{seat + 1}"))
    return AgentError(f"The player {player!r} ended with {client.returncode} in {match.name}: {words}")


def _last(lines: Sequence[str]) -> str:
    return lines[-1][:300] if lines else "it said nothing."


def _said(directory: Path, name: str, who: str) -> list[str]:
    """Return the lines that a process wrote to stderr."""
    return (directory / f"{name}.{who}.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
