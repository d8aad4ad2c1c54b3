"""What a table's record on the disk says: the game, the players and the hands so far."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from attrs import frozen

from cardai import make
from cardai.arena.journal import journal_of
from cardai.arena.record_lines import TableHeader
from cardai.arena.records import Record, read
from cardai.core.agent import Agent
from cardai.core.errors import DamagedFileError
from cardai.core.schema import structure


@frozen
class SavedTable:
    """A table as its record tells of it; the last of ``hands`` may be unfinished."""

    path: Path
    game: str
    names: tuple[str, ...]
    seed: int
    duplicate: bool
    groups: list[int]
    """The groups that were begun, in order."""
    hands: list[Record]

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return what the record at ``path``, or the journal beside it, says.

        Raises:
            UsageError: there is no such file. DamagedFileError: it is no record, or does not say what was played.
        """
        held = read(journal_of(path))
        if len(held.damaged) > held.cut:
            raise DamagedFileError(f"A table cannot go on from a damaged record. {held.damaged[0]}")
        hands = [*held.hands, *([] if held.unfinished is None else [held.unfinished])]
        header = structure(held.header, TableHeader, f"The record {path}, line 1,")
        groups = list(dict.fromkeys(record.get("group", 0) for record in hands)) or [0]
        return cls(Path(path), header.game, header.agents, header.seed, header.duplicate, groups, hands)

    def players(self) -> Sequence[Agent | None]:
        """Return the players that the names mean, None for people. Raises UntrustedError where they may not be named."""
        made = [make.agent(name) for name in self.names]
        return [None if agent.interactive else agent for agent in made]
