"""The live display of a training run: progress, the latest metrics, speed and time left."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.live import Live
from rich.table import Table

from cardai.commands import invocation
from cardai.core.console import Console
from cardai.training.specs import short_spec

if TYPE_CHECKING:
    from cardai.training.session import Session

_SHOWN = 14
_LONG = 2.0  # seconds of work that are worth a line in a log
_BARS = "▁▂▃▄▅▆▇█"


class TrainingDisplay:
    """Shows a session on stderr, up to ``steps`` or ``minutes`` in all; nothing where that is no terminal, or with --quiet."""

    def __init__(
        self, session: Session, steps: int | None, minutes: float | None, unit: str, console: Console | None = None
    ) -> None:
        run = session.run
        trainer, game = short_spec("trainer", run.trainer_spec), short_spec("game", run.game_spec)
        self._title = f"{trainer} on {game}: {run.path}"
        self._session, self._steps, self._minutes, self._unit = session, steps, minutes, unit
        self._metrics: dict[str, float] = {}
        self._work, self._since = "", 0.0
        self._curve = [row["exploitability"] for row in run.read_metrics() if "exploitability" in row]
        self._seen: deque[tuple[float, int]] = deque([(monotonic(), session.training.step)], maxlen=200)
        console = console or Console(stderr=True)
        shown = console.is_terminal and not invocation.current().quiet
        self._live = Live(console=console, refresh_per_second=4) if shown else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.update(self.table())
            self._live.stop()

    def update(self, step: int, metrics: Mapping[str, float]) -> None:
        """Take note of a yield of the trainer."""
        if self._live is None:
            return
        self._metrics.update(metrics)
        if "exploitability" in metrics:
            self._curve.append(metrics["exploitability"])
        if step != self._seen[-1][1]:
            self._work = ""
        if monotonic() - self._seen[-1][0] > 0.2:
            self._seen.append((monotonic(), step))
            self._live.update(self.table())

    def told(self, label: str, done: int, total: int) -> None:
        """Take note of work between steps (a listener of :mod:`cardai.core.progress`)."""
        if self._live is None:
            if label != self._work:
                self._work, self._since = label, monotonic()
            elif monotonic() - self._since > _LONG:
                invocation.show_work(label, done, total)
            return
        self._work = label + (f" {done:,}" if done or total else "") + (f" of {total:,}" if total else "")
        if monotonic() - self._seen[-1][0] > 0.2:
            self._seen.append((monotonic(), self._seen[-1][1]))
            self._live.update(self.table())

    def table(self) -> Table:
        """Return the display as a rich table."""
        step, seconds = self._seen[-1][1], self._session.seconds[0]
        table = Table(title=self._title, show_header=False, title_justify="left")
        table.add_row("progress", f"{_bar(self._done(step, seconds))} {self._progress(step, seconds)}")
        table.add_row("speed", self._speed(step, seconds))
        if self._work:
            table.add_row("now", self._work)
        if self._curve:
            best = min(self._curve)
            table.add_row("exploitability", f"{self._curve[-1]:.5f} (best {best:.5f}) {_spark(self._curve)}")
        others = [name for name in self._metrics if name != "exploitability"]
        for name in others[:_SHOWN]:
            table.add_row(name, f"{self._metrics[name]:,.6g}")
        return table

    def _done(self, step: int, seconds: float) -> float:
        """Return the part of the training that is done: of its steps or of its minutes, whichever is more."""
        by_steps = 0.0 if self._steps is None else step / self._steps
        return max(by_steps, 0.0 if self._minutes is None else seconds / (60 * self._minutes))

    def _progress(self, step: int, seconds: float) -> str:
        steps = f"{step:,} of {self._steps:,} {self._unit}" if self._steps is not None else f"{step:,} {self._unit}"
        return steps if self._minutes is None else f"{steps}, {seconds / 60:.1f} of {self._minutes:g} minutes"

    def _speed(self, step: int, seconds: float) -> str:
        (before, first), now = self._seen[0], self._seen[-1][0]
        speed = (step - first) / (now - before) if now > before else 0.0
        ends = [] if self._minutes is None else [60 * self._minutes - seconds]
        if self._steps is not None and speed:
            ends.append((self._steps - step) / speed)
        left = f"{_clock(max(0.0, min(ends)))} left" if ends else "starting"
        return f"{speed:,.0f} {self._unit} a second, {left}"


def _bar(fraction: float, width: int = 30) -> str:
    full = round(width * min(1.0, fraction))
    return "█" * full + "░" * (width - full) + f" {100 * fraction:.1f} %"


def _spark(curve: list[float], width: int = 30) -> str:
    """Return the curve's shape in one line of block characters."""
    points = [curve[i * (len(curve) - 1) // max(1, width - 1)] for i in range(width)] if len(curve) > width else curve
    low, high = min(points), max(points)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((value - low) * scale)] for value in points)


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
