"""The files a dealer writes: the log of finished hands, and the transactions from which a broken match can go on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from attrs import define

from cardai.core.errors import DamagedFileError, IllegalActionError, UsageError
from cardai.formats.acpc.dealing import CardSource, Deal
from cardai.formats.acpc.logs import Score, header, value_text
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.states import parse_betting
from cardai.poker.rules.growing_tree import BettingNode

if TYPE_CHECKING:
    from cardai.formats.acpc.dealer import Dealer, Match

_TRANSACTION = re.compile(r"([fcr][0-9]*) ([0-9]{1,10}) ([0-9]{1,12}\.[0-9]+) ([0-9]{1,12}\.[0-9]+)\n")


def stamp(seconds: float) -> str:
    """Return a time as the C dealer prints it: seconds, a point, six digits."""
    return f"{seconds:.6f}"


def finished_line(hand: int, node: BettingNode, deal: Deal, values: list[float], names: list[str]) -> str:
    """Return the log's line of a finished hand, with its line end: all hole cards, the board of the rounds reached."""
    cards = "|".join(deal.hole) + deal.boards[node.round]
    amounts = "|".join(map(value_text, values))
    return f"STATE:{hand}:{node.wire.decode()}:{cards}:{amounts}:{'|'.join(names)}\n"


@define
class MatchFiles:
    """The open files of a match. Every finished hand and every transaction is flushed at once."""

    log: TextIO | None = None
    transactions: TextIO | None = None
    logged: frozenset[int] = frozenset()
    """Hands that an interrupted match has already in its log."""

    @classmethod
    def open(cls, name: str, log: bool = True, transactions: bool = False, append: bool = False) -> MatchFiles:
        """Open ``<name>.log`` and ``<name>.tlog``; ``append`` keeps what is there, without a line that was cut off.

        Raises:
            UsageError: a file cannot be written.
        """
        logged: frozenset[int] = frozenset()
        files = cls()
        try:
            if append:
                _drop_cut_line(Path(name + ".log"))
                _drop_cut_line(Path(name + ".tlog"))
                logged = _logged_hands(Path(name + ".log"))
            if log:
                files.log = _open(name + ".log", "a" if append else "w")
            if transactions:
                files.transactions = _open(name + ".tlog", "a+" if append else "w+")
        except OSError as error:
            files.close()
            raise UsageError(f"The match files {name}.log and .tlog cannot be written: {error.strerror}.") from error
        files.logged = logged
        return files

    def begin(self, match: Match) -> str:
        """Write the log's header and return it."""
        limits = (match.limits.response, match.limits.hand, match.limits.per_hand)
        text = header(match.name, match.game_file or match.game.name, match.hands, match.seed, limits)
        if self.log is not None:
            self.log.write(text)
            self.log.flush()
        return text

    def add(self, line: str) -> None:
        """Log a finished hand."""
        if self.log is not None:
            self.log.write(line)
            self.log.flush()

    def add_transaction(self, line: str) -> None:
        """Note one action and its times."""
        if self.transactions is not None:
            self.transactions.write(line)
            self.transactions.flush()

    def end(self, score: Score) -> None:
        """Log the score."""
        self.add(score.text() + "\n")

    def resume(self, tree: WireTree, source: CardSource, dealer: Dealer) -> tuple[int, Deal, BettingNode]:
        """Replay the transactions that are there; return the hand to go on with, its cards, and its betting so far.

        Raises:
            DamagedFileError: a transaction that cannot be read or does not fit the game; the message has its number.
        """
        hand, deal, node = 0, source.next_deal(), tree.root
        if self.transactions is None:
            return hand, deal, node
        self.transactions.seek(0)
        for number, line in enumerate(self.transactions, 1):
            match = _TRANSACTION.fullmatch(line)
            if match is None or int(match[2]) != hand:
                raise DamagedFileError(f"Transaction {number} does not go on with hand {hand}: {line[:80]!r}.")
            try:
                position, action = node.actor, parse_betting(match[1], tree.game.no_limit)[0][0]
                node = tree.after(node, action)
            except IllegalActionError as error:
                raise DamagedFileError(f"Transaction {number} does not fit the match: {error}") from error
            dealer.charge(position, hand, float(match[4]) - float(match[3]))
            if node.actor < 0:
                dealer.finish_hand(hand, deal, node, log=hand not in self.logged)
                hand, deal, node = hand + 1, source.next_deal(), tree.root
        self.transactions.seek(0, 2)
        return hand, deal, node

    def close(self) -> None:
        """Close the files."""
        for file in (self.log, self.transactions):
            if file is not None:
                file.close()


def _open(name: str, mode: str) -> TextIO:
    return cast(TextIO, open(name, mode, encoding="utf-8", newline="\n"))


def _drop_cut_line(path: Path) -> None:
    """Cut a last line without its line end off a file that a crash left so."""
    if path.is_file():
        with path.open("rb+") as file:
            content = file.read()
            if content and not content.endswith(b"\n"):
                file.truncate(content.rfind(b"\n") + 1)


def _logged_hands(path: Path) -> frozenset[int]:
    if not path.is_file():
        return frozenset()
    with path.open(encoding="utf-8", errors="replace") as file:
        return frozenset(int(m[1]) for line in file if (m := re.match(r"STATE:(\d+):", line)))
