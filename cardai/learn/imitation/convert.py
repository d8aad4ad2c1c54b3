"""Files of hands to a directory of examples: streamed, split by deal, with what is left out counted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import numpy as np
from attrs import define, evolve, field, frozen

from cardai import make
from cardai.arena.records import Record, other_game, unseen
from cardai.core.arrays import Bools, Uint64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.rng import derive, hash_rows
from cardai.learn.imitation.examples import Examples, ExampleWriter, Manifest, classes, rule
from cardai.learn.imitation.hands import Replayed, Replayer

BATCH = 2048
"""Hands played again at once."""


class Hands(Protocol):
    """The hands of a file as they are read (:class:`cardai.formats.stream.HandStream`)."""

    name: str
    game: str
    agents: list[str]
    hands: Iterator[Record | str]
    match: str


Open = Callable[[str], AbstractContextManager[Hands]]


@frozen
class Settings:
    """What becomes of the hands.

    ``players`` are those whose decisions are wanted (none: all), ``encoder`` the spec of one whose codes are written too.
    ``test_share`` of the deals are marked for testing, drawn by ``seed``: all hands with one deal are on one side.
    ``problem`` is told of each hand and line that is left out, ``progress`` of the hands read.
    """

    encoder: str = ""
    players: Sequence[str] = ()
    test_share: float = 0.2
    seed: int = 0
    problem: Callable[[str], None] = lambda text: None
    progress: Callable[[int], None] = lambda hands: None


def convert(sources: Sequence[str], open_hands: Open, directory: Path, settings: Settings | None = None) -> Manifest:
    """Write the decisions in the files ``sources`` to ``directory`` and return the manifest.

    Ctrl-C ends the reading: what was read is kept, and the manifest says so.

    Raises:
        UsageError: a player is in none of the files, two files are of different games, the encoder cannot take the game,
            or ``directory`` is not empty. DamagedFileError: there is no good hand.
    """
    work = _Conversion(directory, settings or Settings())
    try:
        try:
            for source in sources:
                with open_hands(source) as opened:
                    work.begin(opened)
                    work.read(opened)
        except KeyboardInterrupt:
            if not work.hands:
                raise
            work.interrupted = True
        work.check(sources)
    except BaseException:
        if work.writer is not None:
            work.writer.discard()
        raise
    return work.finish(sources)


@define
class _Conversion:
    """A conversion under way, and what it has met so far."""

    directory: Path
    settings: Settings
    game: str = ""
    first: str = ""
    writer: ExampleWriter | None = None
    replayer: Replayer | None = None
    players: list[str] = field(factory=list)
    hands: int = 0
    left_out: int = 0
    repeated: int = 0
    same_deal: int = 0
    deals: set[int] = field(factory=set)
    seen: set[int] = field(factory=set)
    interrupted: bool = False

    def begin(self, opened: Hands) -> None:
        """Make what the first file's game needs; refuse files of other games."""
        if self.writer is None:
            self.game, self.first = opened.game, opened.name
            game = make.game(self.game)
            layout = make.encoder(self.settings.encoder).for_game(game) if self.settings.encoder else None
            self.writer, self.replayer = ExampleWriter(self.directory, game, layout), Replayer(game, BATCH)
        if opened.game != self.game:
            raise UsageError(f"{opened.name} is of the game {opened.game}, {self.first} of {self.game}: one at a time.")

    def read(self, opened: Hands) -> None:
        """Write the decisions of a file, batch by batch."""
        assert self.writer is not None
        assert self.replayer is not None
        hands = ((item, opened.match) for item in opened.hands)
        while batch := list(itertools.islice(hands, BATCH)):
            records: list[Record] = []
            matches: list[str] = []
            for item, match in batch:
                if isinstance(item, str):
                    self._leave_out(item)
                elif other_game(self.game, item):
                    self._leave_out(f"{opened.name}, a hand of {item['game']}, not of {self.game}. It was left out.")
                else:
                    records.append(item)
                    matches.append(match)
            if not records:
                continue
            seats = [[opened.agents[k] for k in record["seats"]] for record in records]
            for name in dict.fromkeys(itertools.chain(*seats)):
                if name not in self.players:
                    self.players.append(name)
            taken = [_wanted(self.settings.players, *both) for both in zip(seats, records, strict=True)]
            replayed = self.replayer.replay(records, taken)
            for i, why in replayed.wrong.items():
                self._leave_out(f"{opened.name}, hand {records[i].get('hand')}: {why}. The hand was left out.")
            self.writer.add(self._examples(seats, records, matches, replayed))
            self.settings.progress(self.hands)

    def _leave_out(self, why: str) -> None:
        self.left_out += 1
        self.settings.problem(why)

    def _examples(
        self, seats: list[list[str]], records: list[Record], matches: list[str], replayed: Replayed
    ) -> Examples:
        """Return a batch's decisions with numbers of hands, players and sides, without hands that were there before."""
        number = np.full(len(records) + 1, -1, np.int64)
        who = np.full((len(records) + 1, max(map(len, seats), default=1)), -1, np.int16)
        index = {name: k for k, name in enumerate(self.players)}
        for i, record in enumerate(records):
            if i not in replayed.wrong and self._is_new(matches[i], seats[i], record, int(replayed.deal[i])):
                who[i, : len(seats[i])] = [index[name] for name in seats[i]]
                number[i] = self.hands
                self.hands += 1
        found = replayed.decisions
        found = found.take(np.flatnonzero(number[found.hand] >= 0))
        test = held_out(found.deal, self.settings.test_share, self.settings.seed)
        return evolve(found, hand=number[found.hand], player=who[found.hand, found.player], test=test)

    def _is_new(self, match: str, names: list[str], record: Record, deal: int) -> bool:
        """Whether a hand was not there before: its match, number and deck's seed, players, cards and actions; count it.

        Cards and actions alone do not tell: in small games honest hands are played alike by the thousand, and logs count the
        hands of every match from 0.
        """
        number = (match, record.get("game_number", 0), record.get("hand", 0), record.get("seed", 0))
        whole = hash((number, tuple(names), tuple(record["deck"]), tuple(record["actions"])))
        if whole in self.seen:
            self.repeated += 1
            return False
        self.seen.add(whole)
        self.same_deal += deal in self.deals
        self.deals.add(deal)
        return True

    def check(self, sources: Sequence[str]) -> None:
        """Refuse what nobody can learn from."""
        missing = [name for name in self.settings.players if name not in self.players]
        if missing and not self.interrupted:
            known = ", ".join(self.players[:20]) or "nobody"
            raise UsageError(f"The player {missing[0]!r} is not in {', '.join(sources)}. Known: {known}.")
        if not self.hands:
            raise DamagedFileError(f"There is no hand in {', '.join(sources)} that can be learned from.")

    def finish(self, sources: Sequence[str]) -> Manifest:
        """Write what is left and the manifest."""
        assert self.writer is not None
        game = make.game(self.game)
        return self.writer.finish(
            Manifest(
                game=self.game,
                classes=classes(game),
                rule=rule(game),
                players=tuple(self.players),
                sources=tuple(sources),
                hands=self.hands,
                examples=0,
                test_share=self.settings.test_share,
                seed=self.settings.seed,
                shards=(),
                encoder=self.settings.encoder,
                left_out=self.left_out,
                repeated=self.repeated,
                same_deal=self.same_deal,
                interrupted=self.interrupted,
            )
        )


def _wanted(players: Sequence[str], names: Sequence[str], record: Record) -> list[bool]:
    """Return of whom in a hand the decisions are taken: of ``players`` (none: all) whose cards somebody saw."""
    made_up = unseen(record)
    return [(not players or name in players) and k not in made_up for k, name in enumerate(names)]


def held_out(deal: Uint64s, share: float, seed: int) -> Bools:
    """Return for each deal (n,) whether it is held out: a ``share`` of all, by ``seed`` and the deal alone."""
    drawn = hash_rows(deal, derive(seed, "held out") & (2**63 - 1)) >> np.uint64(11)
    return np.asarray(drawn.astype(np.float64) * 2.0**-53 < share)
