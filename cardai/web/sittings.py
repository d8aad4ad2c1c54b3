"""Tables that are being played: a person's match, the pages that show it, and the thread in which programs think.

A match is kept in a record, on the disk after every action, as in the terminal app (:mod:`cardai.ui.kept`); a table that no
page shows is put away after a while, and is there again as soon as one asks for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from attrs import define, field

from cardai import make
from cardai.arena.journal import journal_of
from cardai.arena.records import read_header
from cardai.core import registry
from cardai.core.errors import CardaiError, IllegalActionError, UsageError
from cardai.core.game import Game
from cardai.study.coach import When
from cardai.study.graded import GradedHand
from cardai.ui import kept
from cardai.ui.keys import Act, Keyboard, Meaning, keyboard
from cardai.ui.match import Match
from cardai.ui.scene import Scene
from cardai.ui.warming import warm
from cardai.web.felt import drawn
from cardai.web.jobs import Heard, Work, said_of

Told = dict[str, Any]
Before = Callable[[Heard], Awaitable[None]]
Judge = Callable[[Match, int], Told | None]
"""Says of an action of the person's, before it is played, what pages are told once it is."""
PACE = 0.35
"""Seconds between two moves of programs, so that a person can follow."""
EVERY = 0.2
"""Seconds between two words about one piece of work."""
IDLE = 60.0
"""Seconds after which a table that no page shows is put away."""
FULL = "{} tables are being played already, as many as there may be. Come again in a minute: those that nobody shows are put away. Whoever starts the server may allow more by --sessions."
WAITING = 32
"""Messages that wait for a page that does not read; then it is let go."""


class FullError(UsageError):
    """As many tables are being played as there may be: one comes again."""


@define(eq=False)
class Page:
    """A page that shows a table: what it is still to be told, and how it wants amounts to be written."""

    told: asyncio.Queue[Told | None] = field(factory=lambda: asyncio.Queue(WAITING))
    big_blinds: bool = False
    coach: When = ""


class Sitting:
    """One table. ``made`` makes its match, in a thread; ``before`` is awaited first, and makes everything ready for it."""

    def __init__(self, spec: str, file: Path, made: Callable[[], Match], before: Before | None, work: Work) -> None:
        self.spec = spec
        self.name = file.stem
        self.file = file
        self.match: Match | None = None
        self.pages: set[Page] = set()
        self.scene: Scene | None = None
        self.left = time.monotonic()
        """When the last page left it."""
        self.leaving, self.gone = False, asyncio.Event()
        """Whether it is being put away, and when it is: who comes meanwhile waits for that."""
        self._made, self._before, self._work = made, before, work
        self._lock = asyncio.Lock()
        self._began = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self._failure, self._ready = "", False
        self.judge: Judge | None = None

    def game(self) -> Game:
        """Return the game."""
        return self.match.game if self.match is not None else make.game(self.spec)

    # -- pages ---------------------------------------------------------------------------------------------------------

    def join(self, page: Page) -> None:
        """Show the table on ``page``, and lay it if it is not; from one that is being put away it comes again."""
        if self.leaving:
            self.let_go(page)
            return
        self.pages.add(page)
        if self.scene is not None:
            self._tell(page, self._shown(page))
        elif self._failure:
            self._tell(page, {"kind": "failed", "words": self._failure})
        elif self._task is None:
            self._task = asyncio.create_task(self._lay())

    def leave(self, page: Page) -> None:
        """Show the table on ``page`` no longer."""
        self.pages.discard(page)
        self.left = time.monotonic()

    def tell_all(self, message: Told) -> None:
        """Tell all pages."""
        for page in list(self.pages):
            self._tell(page, message)

    def _tell_of_work(self, message: Told) -> None:
        """Tell the pages that have heard all before: the next word says more."""
        for page in [page for page in self.pages if page.told.empty()]:
            self._tell(page, message)

    def _tell(self, page: Page, message: Told) -> None:
        if page.told.full():  # it does not read: it may come again
            self.pages.discard(page)
            self.let_go(page)
        else:
            page.told.put_nowait(message)

    def let_go(self, page: Page) -> None:
        """Tell a page that there is nothing more, whether it reads or not."""
        if page.told.full():
            page.told.get_nowait()
        page.told.put_nowait(None)

    def _show(self) -> None:
        for page in list(self.pages):
            self._tell(page, self._shown(page))

    def _shown(self, page: Page) -> Told:
        assert self.scene is not None
        return {"kind": "scene", "at": self.at, **drawn(self.scene, page.big_blinds)}

    @property
    def begun(self) -> bool:
        """Whether a page has ever shown it."""
        return self._task is not None

    # -- the match -----------------------------------------------------------------------------------------------------

    @property
    def at(self) -> int:
        """A number that grows with every move and hand: what a page that acts must have seen."""
        table = self.match.table if self.match is not None else None
        return 0 if table is None else 1000 * len(table.records) + len(table.moves) + (0 if table.hand_over else 500)

    async def _lay(self) -> None:
        """Make everything ready, and go on to the person's first decision."""
        async with self._lock:
            try:
                if self._before is not None:
                    await self._before(self._heard())
                self._ready = True
                self.match = await self._work.do(self._made, self._heard())
                await self._go_on()
            except Exception as error:
                self._failure = said_of(error)
                self.tell_all({"kind": "failed", "words": self._failure})

    async def _go_on(self) -> None:
        """Show what is to be seen, and let the programs move until it is the person's turn."""
        match = self.match
        assert match is not None
        self.scene = await self._work.do(match.scene)
        self._show()
        while match.waiting and not (self._work.ending or self.leaving):
            begun = time.monotonic()
            await self._work.do(match.step, self._heard())
            self.scene = await self._work.do(match.scene)
            await asyncio.sleep(max(0.0, PACE - (time.monotonic() - begun)))
            self._show()

    async def act(self, meant: Callable[[Keyboard], Meaning], at: int, judge: Judge | None = None) -> str:
        """Do what is ``meant`` at the decision number ``at``; return why it cannot be done, or nothing.

        What ``judge`` says of the action before it is played (default: the table's) is told when it is.
        """
        async with self._lock:  # a coach or an adviser that another page asked may be at work
            if at != self.at or self.match is None or self.scene is None:
                return ""  # a second click, or a page that is behind: it hears what has come
            board, match = keyboard(self.scene), self.match
            if board is None:
                return "The hand is over: Enter deals the next one."
            try:
                meaning = meant(board)
                if not isinstance(meaning, Act):
                    return str(getattr(meaning, "words", None) or getattr(meaning, "why", ""))
                judge = self.judge or judge
                told = None
                if judge is not None:
                    told = await self._work.do(lambda: judge(match, meaning.action), self._heard(), coach=True)
                await self._work.do(lambda: match.act(meaning.action))
                await self._go_on()
                if told is not None:
                    self.tell_all(told)
            except (CardaiError, ValueError) as error:
                return said_of(error)
        return ""

    async def next_hand(self, at: int) -> None:
        """Deal the next hand."""
        async with self._lock:
            match = self.match
            if at != self.at or match is None or not match.table.hand_over:
                return
            try:
                await self._work.do(match.next_hand)
                await self._go_on()
            except CardaiError as error:
                self.tell_all({"kind": "said", "words": said_of(error)})

    async def advise(self, player: str) -> tuple[list[Any], str]:
        """Return what ``player`` would do, and what its values are. Raises CardaiError where it cannot be asked."""
        match = self.match
        if match is None or self.scene is None or self.scene.menu is None:
            raise IllegalActionError("It is not your turn: there is nothing to advise.")
        async with self._lock:
            advised = await self._work.do(lambda: match.advise(player), self._heard())
            return list(advised), match.values_of(player)

    async def graded(self) -> tuple[GradedHand, str]:
        """Return this hand with the person's decisions graded, and the unit of their costs. Raises CardaiError."""
        match = self.match
        if match is None:
            raise UsageError("There is no hand yet.")
        async with self._lock:
            return await self._work.do(match.graded, self._heard(), coach=True), match.coach.unit

    def _heard(self) -> Heard:
        """Return what listens to work in its thread: its words are told a few times a second, with the seconds so far."""
        loop, begun = asyncio.get_running_loop(), time.monotonic()
        last = begun - EVERY

        def heard(label: str, done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= EVERY:
                last = time.monotonic()
                message = {"kind": "work", "words": label, "done": done, "total": total, "seconds": round(last - begun)}
                loop.call_soon_threadsafe(self._tell_of_work, message)

        return heard

    async def put_away(self) -> None:
        """Keep the match and forget the table, as soon as the thread that works at it is done."""
        self.leaving = True
        if self._task is not None and not self._ready:  # nothing is written yet
            self._task.cancel()
        try:
            async with self._lock:
                if self.match is not None:
                    await self._work.do(self.match.close)
                self.match = self.scene = None
                if not self.gone.is_set():  # else somebody else may have the match by now
                    kept.release(self.file)
        finally:
            self.gone.set()
            if self._task is not None:
                self._task.cancel()


class Sittings:
    """All tables that are being played, at most ``most``, by their names."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.work = Work()
        self.open: dict[str, Sitting] = {}
        self._warming = asyncio.Lock()
        self._warm: set[tuple[str, tuple[str, ...]]] = set()
        """The games and opponents for which everything is compiled and read."""
        self._files: dict[str, Path] = {}
        """Where the matches are that are kept elsewhere than in the folder."""
        self._early: dict[str, Sitting] = {}
        """Tables that were put away before any page had shown them, the latest: there is nothing on the disk to lay them from."""

    async def begin(self, game: str, opponents: tuple[str, ...], seed: int, file: Path | None = None) -> Sitting:
        """Return a new table of ``game`` with ``opponents``, whose match is kept in ``file`` (default: one of its own).

        Raises:
            UsageError: there are too many, or the file cannot be had.
        """
        self._need_room()
        path = file if file is not None else await self.work.do(lambda: kept.new_file(game))
        self._claim(path)
        try:
            self._need_room()  # others may have sat down meanwhile
        except FullError:
            kept.release(path)
            raise

        def made() -> Match:
            return Match.begin(game, opponents, seed, path)

        async def before(heard: Heard) -> None:
            async with self._warming:  # one after another: they share what is compiled
                if (game, opponents) not in self._warm:
                    await self.work.do(lambda: warm(game, opponents, lambda scene: drawn(scene, False)), heard)
                    self._warm.add((game, opponents))

        return self._seat(game, path, made, before)

    def practise(self, name: str, game: Game, made: Callable[[], Match], judge: Judge | None = None) -> Sitting:
        """Return a new table for a hand that is not kept. Raises UsageError: there are too many."""
        self._need_room()
        sitting = Sitting(registry.spec_of(game), Path(name), made, None, self.work)
        sitting.judge = judge
        self.open[sitting.name] = sitting
        return sitting

    async def at(self, name: str) -> Sitting | None:
        """Return the table of that name, laid again from its record if it was put away; None where there is none.

        Raises:
            UsageError: there are too many, or it is being played in another window.
        """
        if (sitting := await self._shown(name)) is not None:
            return sitting
        if name in self._early:
            self._need_room()
            return self.open.setdefault(name, self._early.pop(name))
        path = self._files.get(name) or await self.work.do(lambda: kept.named(name))
        return None if path is None else await self.resume(path)

    async def resume(self, path: Path) -> Sitting:
        """Return the table whose match is kept in ``path``.

        Raises:
            UsageError: as :meth:`at`. DamagedFileError: it is no record.
        """
        await self._shown(path.stem)
        spec = (await self.work.do(lambda: read_header(journal_of(path))))["game"]  # foreign
        if path.stem in self.open:
            return self.open[path.stem]
        self._need_room()
        self._claim(path)
        return self._seat(spec, path, lambda: Match.resume(path), None)

    async def _shown(self, name: str) -> Sitting | None:
        """Return the table of that name that can be shown; one that is being put away is waited for, and is none."""
        while (sitting := self.open.get(name)) is not None and sitting.leaving:
            await sitting.gone.wait()
            self._forget(sitting)
        return sitting

    def _forget(self, sitting: Sitting) -> None:
        if self.open.get(sitting.name) is sitting:
            del self.open[sitting.name]

    def _need_room(self) -> None:
        if len(self.open) >= self.most:
            raise FullError(FULL.format(self.most))

    def _claim(self, path: Path) -> None:
        if not kept.claim(path):
            raise UsageError(f"The match in {path} is being played in another window.")

    def _seat(self, spec: str, path: Path, made: Callable[[], Match], before: Before | None) -> Sitting:
        sitting = Sitting(spec, path, made, before, self.work)
        self.open[path.stem] = sitting
        self._files[path.stem] = path
        return sitting

    async def tidy(self) -> None:
        """Put away tables that no page has shown for a while."""
        for name, sitting in list(self.open.items()):
            if sitting.pages or sitting.leaving or sitting._lock.locked() or time.monotonic() - sitting.left <= IDLE:
                continue
            if not sitting.begun:
                self._early[name] = self.open.pop(name)
                continue
            try:
                await sitting.put_away()
            finally:
                self._forget(sitting)
        while len(self._early) > self.most:
            await self._early.pop(next(iter(self._early))).put_away()

    async def clear(self) -> None:
        """Keep all matches, and show none of them any more."""
        shown, early, self._early = list(self.open.values()), list(self._early.values()), {}
        for sitting in shown:
            sitting.tell_all({"kind": "closed"})
            for page in sitting.pages:
                sitting.let_go(page)
        await asyncio.gather(*(sitting.put_away() for sitting in (*shown, *early)))
        for sitting in shown:  # not those at which somebody has sat down meanwhile
            self._forget(sitting)
        self._files = {name: path for name, path in self._files.items() if name in self.open}

    async def close(self, patience: float | None = None) -> None:
        """Keep all matches, and begin nothing more. Those whose programs think for longer than ``patience`` seconds stay as they
        are on the disk, to go on with."""
        self.work.end()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.clear(), patience)
        self.work.close()
