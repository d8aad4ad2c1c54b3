"""Progress for callers from Python: a bar in a notebook, a line on stderr where it is asked for, else nothing."""

from __future__ import annotations

import html
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from cardai.core.notes import show_state
from cardai.core.progress import listening
from cardai.core.text import shown

Report = Callable[[int, int], None]
"""report(done, total)."""
_EVERY = 0.2  # seconds between two pictures


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


class Bar:
    """How far work is, as a notebook and as a terminal show it."""

    def __init__(self, unit: str) -> None:
        self.unit, self.label, self.done, self.total = unit, "", 0, 0
        self._shown = 0.0

    @property
    def text(self) -> str:
        """What is done, in words."""
        of = f" of {self.total:,}" if self.total else ""
        return f"{self.done:,}{of} {self.unit}" if not self.label else f"{self.label} {self.done:,}{of}".strip()

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        share = f" value='{self.done}' max='{self.total}'" if self.total else ""
        return f"<progress{share} style='width:20em'></progress> {html.escape(shown(self.text))}"

    def report(self, done: int, total: int) -> None:
        """Take note of what is done of how much of the work itself."""
        self.label = ""
        self._take(done, total)

    def worked(self, label: str, done: int, total: int) -> None:
        """Take note of other long work (a listener of :mod:`cardai.core.progress`)."""
        self.label = label
        self._take(done, total)

    def _take(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if time.monotonic() - self._shown > _EVERY:
            self._shown = time.monotonic()
            self.show()

    def show(self) -> None:
        """Show how far it is, over what was shown before."""
        show_state(self.text)

    def close(self) -> None:
        """Take away what was shown."""
        show_state()


class NotebookBar(Bar):
    """The same below a notebook's cell; needs nothing but IPython."""

    _handle: Any = None

    def show(self) -> None:
        from IPython import display

        show: Any = display.display
        if self._handle is None:
            self._handle = show(self, display_id=True)
        else:
            self._handle.update(self)

    def close(self) -> None:
        from IPython import display

        nothing: Any = display.HTML
        if self._handle is not None:
            self._handle.update(nothing(""))


@contextmanager
def bar(unit: str, wanted: bool | None) -> Iterator[Report | None]:
    """Yield what hears of progress, or None where none is shown (``wanted`` None: it is in a notebook)."""
    notebook = in_notebook()
    if not (notebook if wanted is None else wanted):
        yield None
        return
    shown = NotebookBar(unit) if notebook else Bar(unit)
    try:
        with listening(shown.worked):
            yield shown.report
    finally:
        shown.close()


def overall(
    report: Report | None, players: int, form: Literal["roundrobin", "gauntlet"], games: int
) -> Callable[[str, int, int], None] | None:
    """Return what hears of (pairing, games done, games in it) and reports how far all pairings of a tournament are."""
    if report is None:
        return None
    pairings = players * (players - 1) // 2 if form == "roundrobin" else players - 1
    done: dict[str, int] = {}

    def advance(pairing: str, played: int, _: int) -> None:
        done[pairing] = played
        report(sum(done.values()), pairings * games)

    return advance


@contextmanager
def first_interrupt() -> Iterator[list[int]]:
    """Yield a list that holds the first Ctrl-C (a notebook's stop button) when it came; a second one raises at once."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def note(number: int, frame: Any) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)
