"""The dealer of a match: a TCP server that deals, asks, repairs, times and logs as the competition's C dealer does.

One listening port a seat; a ``VERSION`` line from every player; then, before every decision, the match state to every
seat and one reply from the seat to act. Who is not to act gets a state together with the next one, or, where the reply is
long in coming, alone after a tenth of a second: sending is what a match of programs spends most on. The bytes are the same.
Source: ACPC protocol 2.0.0 and project_acpc_server, dealer.c.
"""

from __future__ import annotations

import contextlib
import re
import socket
import sys
import time
from typing import IO

from attrs import Attribute, field, frozen, validators

from cardai.core.errors import UsageError
from cardai.core.text import shown
from cardai.formats.acpc.clock import Clock, TimeLimits
from cardai.formats.acpc.dealing import CardSource, Deal
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.logs import Score
from cardai.formats.acpc.matchfiles import MatchFiles, finished_line, stamp
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.replies import judge, plain_reply
from cardai.formats.acpc.seat import FREE_LINES, PAUSE, MatchAborted, Seat
from cardai.formats.acpc.states import action_text
from cardai.poker.rules.growing_tree import BettingNode

_VERSION = re.compile(r"VERSION:\s*([0-9]+)\.([0-9]+)\.([0-9]+)")
_SHOWN_WARNINGS = 20  # a decision; a flood of ignored lines must not fill the disk


def _check_names(instance: Match, attribute: Attribute[tuple[str, ...]], value: tuple[str, ...]) -> None:
    if len(value) != instance.game.num_players:
        raise ValueError(f"{instance.game.name} has {instance.game.num_players} players. Got the names {value}.")
    for name in value:
        if not name or re.search(r"[:|\s]", name):
            raise ValueError(f"A player's name has no spaces, : or |, which separate the log's fields. Got {name!r}.")


@frozen
class Match:
    """What is to be played. ``game_file`` is how the log's header names the game; ``ports`` 0 or none: any free port."""

    name: str
    game: GameDef
    hands: int = field(validator=validators.ge(1))
    seed: int = field(validator=[validators.ge(0), validators.lt(2**32)])
    players: tuple[str, ...] = field(validator=_check_names)
    game_file: str = ""
    fixed_button: bool = False
    host: str = "127.0.0.1"
    ports: tuple[int, ...] = ()
    limits: TimeLimits = field(factory=TimeLimits)
    start_timeout: int = -1
    """Milliseconds to wait for all players to connect and say their version; below 0: for ever."""


class Dealer:
    """Plays one match. :meth:`listen` first, then :meth:`play`; ``close`` (or ``with``) frees the ports.

    ``out`` takes the ports and the score, ``notes`` errors, warnings and, unless ``quiet``, all that is said.
    """

    def __init__(
        self,
        match: Match,
        files: MatchFiles,
        out: IO[str] | None = None,
        notes: IO[str] | None = None,
        quiet: bool = True,
    ) -> None:
        self.match = match
        self.files = files
        self.totals = [0.0] * match.game.num_players
        self._out = out or sys.stdout
        self._notes = notes or sys.stderr
        self._tell = not quiet
        self._stamps = files.transactions is not None or not quiet
        self._tree = WireTree(match.game)
        self._source = CardSource(match.game, match.seed)
        self._clock = Clock(match.limits, match.game.num_players, match.hands)
        self._listening: list[socket.socket] = []
        self._seats: list[Seat] = []

    # -- before the match ----------------------------------------------------------------------------------------------

    def listen(self) -> list[int]:
        """Open a port a seat, print them on one line, and write the log's header; return the ports.

        Raises:
            UsageError: a port or address cannot be used.
        """
        ports = (*self.match.ports, *(0,) * self.match.game.num_players)
        for port in ports[: self.match.game.num_players]:
            try:
                self._listening.append(socket.create_server((self.match.host, port), backlog=1))
            except (OSError, OverflowError) as error:
                self.close()
                raise UsageError(f"The dealer cannot listen on {self.match.host}:{port}: {error}.") from error
        opened = [sock.getsockname()[1] for sock in self._listening]
        self._out.write(" ".join(map(str, opened)) + "\n")
        self._out.flush()
        self._say(self.files.begin(self.match))
        return opened

    def _welcome(self) -> None:
        """Accept the seats in order, then read every player's version."""
        match = self.match
        deadline = None if match.start_timeout < 0 else time.monotonic() + match.start_timeout / 1000
        patience = match.limits.patience(match.hands)
        for number, sock in enumerate(self._listening):
            try:
                sock.settimeout(None if deadline is None else max(deadline - time.monotonic(), 0.001))
                connection, _ = sock.accept()
            except TimeoutError as error:
                raise MatchAborted(f"timed out waiting for seat {number + 1} to connect") from error
            sock.close()
            self._seats.append(Seat(number, connection, patience))
        self._listening.clear()
        for seat in self._seats:
            line = seat.read_line(deadline).decode("latin-1")
            version = _VERSION.match(line)
            if not line:
                raise MatchAborted(f"could not read version string from seat {seat.number + 1}")
            if version is None:
                raise MatchAborted(f"invalid version string {line[:80]!r} from seat {seat.number + 1}")
            if int(version[1][:9]) != 2 or int(version[2][:9]) > 0:
                self._say("ERROR: this server is currently using version 2.0.0\n")

    # -- the match -----------------------------------------------------------------------------------------------------

    def play(self) -> Score:
        """Play the match (or what a transaction file left of it) and return its score.

        Raises:
            MatchAborted: a player failed; the log keeps the finished hands and has no score.
        """
        try:
            self._welcome()
            if self._tell:
                self._say(f"STARTED at {stamp(time.time())}\n")
            hand, deal, node = self.files.resume(self._tree, self._source, self)
            while hand < self.match.hands:
                node = self._play_hand(hand, deal, node)
                self.finish_hand(hand, deal, node)
                hand += 1
                deal, node = self._source.next_deal(), self._tree.root
            self._flush()
        except MatchAborted as error:
            self._say(f"ERROR: {error}\n")
            for seat in self._seats:
                with contextlib.suppress(MatchAborted):
                    seat.flush()
            raise
        finally:
            self._notes.flush()
        if self._tell:
            self._say(f"FINISHED at {stamp(time.time())}\n")
        score = Score(tuple(self.totals), self.match.players)
        for stream in (self._out, self._notes):
            stream.write(shown(score.text()) + "\n")
            stream.flush()
        self.files.end(score)
        return score

    def first_seat(self, hand: int) -> int:
        """Return the seat that has position 0 in ``hand``."""
        return 0 if self.match.fixed_button else hand % self.match.game.num_players

    def finish_hand(self, hand: int, deal: Deal, node: BettingNode, log: bool = True) -> None:
        """Add a finished hand to the totals and, unless it is there already, to the log."""
        n, first = self.match.game.num_players, self.first_seat(hand)
        values = self._tree.values(node, deal.cards)
        for position, value in enumerate(values):
            self.totals[(position + first) % n] += value
        if log:
            names = [self.match.players[(position + first) % n] for position in range(n)]
            self.files.add(finished_line(hand, node, deal, values, names))
        if self._tell and hand % 100 == 0:
            for seat, used in enumerate(self._clock.in_match):
                self._say(f"Seconds cumulatively spent in match for seat {seat}: {int(used)}\n")
        self._clock.new_hand()

    def charge(self, position: int, hand: int, seconds: float) -> None:
        """Note time that a player used before a resumed match was interrupted."""
        self._clock.charge((position + self.first_seat(hand)) % self.match.game.num_players, max(seconds, 0.0))

    def _play_hand(self, hand: int, deal: Deal, node: BettingNode) -> BettingNode:
        """Play ``hand`` from ``node`` on and return its last node; the final states are queued."""
        n, first = self.match.game.num_players, self.first_seat(hand)
        private = private_texts(deal)
        boards = [(board + "\r\n").encode() for board in deal.boards]
        table = []  # by seat: its position, how its lines begin and, by round, how they end
        for seat in self._seats:
            position = (seat.number - first) % n
            ends = [private[position] + board for board in boards]
            table.append((seat, position, b"MATCHSTATE:%d:%d:" % (position, hand), ends))
        asked, tell = b"", self._tell
        while (actor := node.actor) >= 0:
            wire, round_ = node.wire, node.round
            for seat, position, head, ends in table:
                line = head + wire + ends[round_]
                seat.queue += line
                if position == actor:
                    asked, acting = line, seat
                if tell:
                    self._note("TO", seat, line)
            acting.flush()
            if tell:  # then every line is sent when it is said to be
                self._flush()
            node = self._ask(acting, hand, node, asked)
        final = shown_texts(deal, node)
        for seat, position, head, _ in table:
            line = head + node.wire + b":" + final[position] + boards[node.round]
            seat.queue += line
            if self._tell:
                self._note("TO", seat, line)
        return node

    def _flush(self) -> None:
        """Send every seat what it has not been sent yet."""
        for seat in self._seats:
            seat.flush()

    def _ask(self, seat: Seat, hand: int, node: BettingNode, asked: bytes) -> BettingNode:
        """Return the node after the reply of ``seat`` to the state line ``asked``."""
        started = time.monotonic()
        sent = time.time() if self._stamps else 0.0
        if not seat.buffer:
            data = seat.receive(soon=True)
            if data is None:
                self._flush()
                data = seat.receive() or b""
            if data.startswith(asked[:-2]):
                reply = data[len(asked) - 2 :]
                known = plain_reply(self._tree, node, reply)
                if known is not None:
                    self._clock.charge(seat.number, time.monotonic() - started)
                    if self._stamps:
                        self._note_reply(seat, hand, known, sent, data)
                    return known
            elif not data:
                raise self._lost(seat, started)
            seat.buffer = data
        self._flush()
        child = self._tree.after(node, self._listen_to(seat, node, asked[:-2].decode(), started))
        if self._stamps:
            self._note_reply(seat, hand, child, sent, b"")
        return child

    def _listen_to(self, seat: Seat, node: BettingNode, asked: str, started: float) -> int:
        """Read lines of ``seat`` until one answers, and return the action that it amounts to."""
        deadline = started + self._clock.left(seat.number)
        ignored = 0
        while True:
            if ignored > FREE_LINES:
                time.sleep(PAUSE)
            line = seat.read_line(deadline)
            now = time.monotonic()
            if not line or now > deadline:
                raise self._lost(seat, started)
            if self._tell and ignored < _SHOWN_WARNINGS:
                self._note("FROM", seat, line)
            ignored += 1
            if line[:1] in (b"#", b";"):
                continue
            verdict = judge(self._tree, node, asked, line.decode("latin-1"))
            if verdict.warning and ignored <= _SHOWN_WARNINGS:
                self._say(f"WARNING: {verdict.warning}\n")
            if verdict.action is not None:
                self._clock.charge(seat.number, now - started)
                return verdict.action

    def _lost(self, seat: Seat, started: float) -> MatchAborted:
        waited = time.monotonic() - started
        limit = self.match.limits.response / 1000
        return MatchAborted(
            f"could not get action from seat {seat.number + 1}\n{waited:.1f} seconds spent waiting; timeout {limit:.1f}"
        )

    def _say(self, text: str) -> None:
        """Write to the notes what may come from a player."""
        self._notes.write(shown(text))

    def _note(self, direction: str, seat: Seat, line: bytes) -> None:
        self._say(f"{direction} {seat.number + 1} at {stamp(time.time())} {line.decode('latin-1')}")

    def _note_reply(self, seat: Seat, hand: int, node: BettingNode, sent: float, line: bytes) -> None:
        if self._tell and line:
            self._note("FROM", seat, line)
        text = action_text(node.action, self.match.game.no_limit)
        self.files.add_transaction(f"{text} {hand} {stamp(sent)} {stamp(time.time())}\n")

    def close(self) -> None:
        """Close all connections, ports and files."""
        for sock in self._listening:
            sock.close()
        for seat in self._seats:
            seat.close()
        self.files.close()

    def __enter__(self) -> Dealer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def private_texts(deal: Deal) -> list[bytes]:
    """Return, for each position, the hole cards as it sees them during the hand, after a colon."""
    n = len(deal.hole)
    return [f":{'|' * p}{deal.hole[p]}{'|' * (n - 1 - p)}".encode() for p in range(n)]


def shown_texts(deal: Deal, node: BettingNode) -> list[bytes]:
    """Return, for each position, the hole cards as it sees them after the hand: its own, and at a showdown those shown."""
    positions, folded = range(len(deal.hole)), node.row["folded"]
    shown = [deal.hole[q] if node.contested and not folded[q] else "" for q in positions]
    return ["|".join([*shown[:p], deal.hole[p], *shown[p + 1 :]]).encode() for p in positions]
