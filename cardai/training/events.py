"""TensorBoard event files, written where the package ``tensorboard`` is installed; torch is not needed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class EventWriter:
    """Writes scalars; begins by telling TensorBoard to forget what lies past ``purge_step``."""

    def __init__(self, directory: Path, purge_step: int) -> None:
        from tensorboard.compat.proto import event_pb2, summary_pb2
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._event: Any = event_pb2.Event
        self._summary: Any = summary_pb2.Summary
        self._writer: Any = EventFileWriter(str(directory))
        if purge_step:
            start = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
            self._writer.add_event(event_pb2.Event(wall_time=time.time(), step=purge_step + 1, session_log=start))

    def write(self, step: int, scalars: Mapping[str, float]) -> None:
        """Write one value a name at ``step``."""
        values = [self._summary.Value(tag=name, simple_value=float(value)) for name, value in scalars.items()]
        self._writer.add_event(self._event(wall_time=time.time(), step=step, summary=self._summary(value=values)))

    def close(self) -> None:
        """Flush and close the file."""
        self._writer.close()


def event_writer(directory: Path, purge_step: int) -> EventWriter | None:
    """Return a writer into ``directory``, or None where tensorboard is not installed."""
    return EventWriter(directory, purge_step) if find_spec("tensorboard") is not None else None
