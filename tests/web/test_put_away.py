"""Tables that are put away while somebody comes back to them, sits down at another, or the next hand is still being dealt."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cardai.arena.records import read
from cardai.core.locks import FileLock, Held
from cardai.ui import kept
from cardai.ui.match import Match
from cardai.web.sittings import Page, Sitting, Sittings, Told

WAIT = 60.0


async def heard(page: Page) -> Told | None:
    """Return the next picture of the table, why there is none, or None: the page is to come again."""
    while True:
        told = await asyncio.wait_for(page.told.get(), WAIT)
        if told is None or told["kind"] in ("scene", "failed"):
            return told


async def left(tables: Sittings, seed: int = 3) -> Sitting:
    """Return a table whose only page has gone a while ago."""
    sitting, page = await tables.begin("kuhn", ("random",), seed), Page()
    sitting.join(page)
    await heard(page)
    async with sitting._lock:  # the programs have moved
        sitting.leave(page)
    sitting.left -= 1000
    return sitting


class Gate:
    """Holds the first call of a match's function up, in its thread."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.come, self.open, function = threading.Event(), threading.Event(), getattr(Match, name)

        def held(*given: object) -> object:
            if not self.come.is_set():
                self.come.set()
                assert self.open.wait(WAIT)
            return function(*given)

        monkeypatch.setattr(Match, name, held)

    async def reached(self) -> None:
        """Wait until somebody is held up."""
        assert await asyncio.to_thread(self.come.wait, WAIT)


async def cleared_once_let_go(tables: Sittings, gate: Gate) -> None:
    """Put all tables away while somebody is held up, who is waited for."""
    await gate.reached()
    clearing = asyncio.create_task(tables.clear())
    await asyncio.sleep(0.05)
    assert not clearing.done()
    gate.open.set()
    await clearing


def played(run: Callable[[Sittings], Awaitable[None]]) -> None:
    """Run something with tables, which are put away in the end."""

    async def whole() -> None:
        tables = Sittings(4)
        await run(tables)
        await tables.close()

    asyncio.run(whole())


def test_who_comes_back_while_a_table_is_put_away_gets_its_match_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The new table took the match that was still being put away, whose lock was given back then: what was played there was
    lost, and another process could have the match as well."""

    async def run(tables: Sittings) -> None:
        sitting, gate = await left(tables), Gate(monkeypatch, "close")
        tidying = asyncio.create_task(tables.tidy())
        await gate.reached()
        coming = asyncio.create_task(tables.at(sitting.name))
        for _ in range(20):  # long enough for it to be laid
            await asyncio.sleep(0.005)
        assert not coming.done()
        gate.open.set()
        await tidying
        again, page = await coming, Page()
        assert again is not None
        assert again is not sitting
        again.join(page)
        told = await heard(page)
        assert told is not None
        assert told["kind"] == "scene"
        with pytest.raises(Held):
            FileLock(kept._lock_of(again.file))

    played(run)


def test_a_page_that_looks_at_a_table_which_was_put_away_a_moment_ago_comes_again() -> None:
    """It was shown nothing, for ever."""

    async def run(tables: Sittings) -> None:
        sitting = await left(tables)
        found, page = await tables.at(sitting.name), Page()
        await tables.tidy()
        assert found is sitting
        found.join(page)
        assert await heard(page) is None
        assert not found.pages

    played(run)


def test_a_match_that_is_still_being_begun_is_put_away_when_it_is(
    monkeypatch: pytest.MonkeyPatch, matches: Path
) -> None:
    """Its file came when all data had been removed, and nobody had its lock."""

    async def run(tables: Sittings) -> None:
        tables._warm.add(("kuhn", ("random",)))
        sitting, gate = await tables.begin("kuhn", ("random",), 3), Gate(monkeypatch, "begin")
        sitting.join(Page())
        await cleared_once_let_go(tables, gate)
        assert [file.name for file in matches.iterdir()] == [f"{sitting.name}.jsonl"]

    played(run)


def test_a_program_that_thinks_is_waited_for_before_its_match_is_put_away(
    monkeypatch: pytest.MonkeyPatch, matches: Path
) -> None:
    """The match was closed under it, and its move lost."""

    async def run(tables: Sittings) -> None:
        path = kept.new_file("kuhn")
        match = Match.begin("kuhn", ["random"], 3, path)
        while match.table.moves or not match.waiting:  # up to a hand that the program begins
            match.next_hand() if match.table.hand_over else match.step() if match.waiting else match.act(0)
        match.close()
        sitting, gate = await tables.resume(path), Gate(monkeypatch, "step")
        sitting.join(Page())
        await cleared_once_let_go(tables, gate)
        unfinished = read(matches / f"{sitting.name}.jsonl").unfinished
        assert unfinished is not None
        assert len(unfinished["actions"]) == 1

    played(run)


def test_who_sits_down_while_all_tables_are_put_away_keeps_his(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was forgotten with the others, and its match stayed locked."""

    async def run(tables: Sittings) -> None:
        await left(tables)
        gate = Gate(monkeypatch, "close")
        clearing = asyncio.create_task(tables.clear())
        await gate.reached()
        new = await tables.begin("kuhn", ("random",), 4)
        gate.open.set()
        await clearing
        assert list(tables.open.values()) == [new]
        assert await tables.at(new.name) is new

    played(run)


def test_tables_that_are_put_away_meanwhile_are_not_put_away_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever puts idle tables away ended with a KeyError, and all work of the server with him."""

    async def run(tables: Sittings) -> None:
        for seed in range(2):
            await left(tables, seed)
        gate = Gate(monkeypatch, "close")
        tidying = asyncio.create_task(tables.tidy())
        await gate.reached()
        clearing = asyncio.create_task(tables.clear())
        await asyncio.wait({clearing}, timeout=0.2)
        gate.open.set()
        await asyncio.gather(clearing, tidying)
        assert tables.open == {}

    played(run)


def test_who_puts_a_table_away_once_more_gives_no_lock_back_that_somebody_has_taken_since() -> None:
    async def run(tables: Sittings) -> None:
        sitting = await left(tables)
        await tables.tidy()
        again = await tables.resume(sitting.file)
        await sitting.put_away()
        assert tables.open[sitting.name] is again
        with pytest.raises(Held):
            FileLock(sitting.file.with_name(f".{sitting.file.name}.lock"))

    played(run)
