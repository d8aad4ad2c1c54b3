"""Work that may take long, in a thread of its own, so that the app answers while a program thinks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cardai.core.kernel import when_compiling
from cardai.core.progress import listening

if TYPE_CHECKING:
    from textual.app import App

T = TypeVar("T")
EVERY = 0.25
"""Seconds between two words about one piece of work."""
COMPILING = "Compiling the rules and players to machine code. This happens once and takes up to half a minute."


class Background:
    """One piece of work at a time; its thread does not keep the program from ending.

    ``told`` hears, in the app's thread, that kernels are being compiled, and how far long work is.
    """

    def __init__(self, app: App[Any], told: Callable[[str], None]) -> None:
        self._app = app
        self._told = told
        self._thread: threading.Thread | None = None
        self._over = False
        self._errors = np.geterr()

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return self._thread is not None

    def close(self) -> None:
        """Let nothing be heard any more of what is under way."""
        self._over = True

    def start(self, work: Callable[[], T], then: Callable[[T], None], failed: Callable[[Exception], None]) -> None:
        """Do ``work`` in a thread, then call ``then`` with its result, or ``failed`` with its error, in the app's.

        Raises:
            RuntimeError: something is under way.
        """
        if self.busy:
            raise RuntimeError("Something is under way.")

        def run() -> None:
            np.seterr(**self._errors)  # numpy keeps them by thread, and kernels that are not compiled set them once
            try:
                with when_compiling(lambda: self._call(lambda: self._told(COMPILING))), listening(self._heard()):
                    result = work()
            except Exception as error:
                caught = error
                self._errors = np.geterr()
                self._call(lambda: self._finish(lambda: failed(caught)))
            else:
                self._errors = np.geterr()
                self._call(lambda: self._finish(lambda: then(result)))

        self._thread = threading.Thread(target=run, name="cardai-work", daemon=True)
        self._thread.start()

    def _heard(self) -> Callable[[str, int, int], None]:
        """Return what listens to long work: its words are shown, a few times a second."""
        last = -EVERY

        def heard(label: str, done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= EVERY:
                last = time.monotonic()
                words = f"{label}: {done / total:.0%} ..." if total else f"{label} ..."
                self._call(lambda: self._told(words))

        return heard

    def _finish(self, call: Callable[[], None]) -> None:
        self._thread = None
        call()

    def _call(self, call: Callable[[], None]) -> None:
        """Call in the app's thread, unless the app is gone."""
        if self._over or not self._app.is_running:
            return
        try:
            self._app.call_from_thread(call)
        except RuntimeError:  # it ended in between
            return
