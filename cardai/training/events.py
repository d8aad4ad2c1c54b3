"""TensorBoard event files, written where the package ``tensorboard`` is installed; torch is not needed."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cardai.core.files import naming


class EventWriter:
    """Writes scalars; begins by telling TensorBoard to forget what lies past ``purge_step``.

    Without TensorBoard's own thread, so that a full disk is an error of the training (WriteError) and not of a thread.
    """

    def __init__(self, directory: Path, purge_step: int) -> None:
        from tensorboard.compat.proto import event_pb2, summary_pb2
        from tensorboard.summary.writer.record_writer import RecordWriter

        self._event: Any = event_pb2.Event
        self._summary: Any = summary_pb2.Summary
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{purge_step}"
        self._called = f"The file {directory / name}"
        with naming(self._called):
            directory.mkdir(parents=True, exist_ok=True)
            self._writer: Any = RecordWriter((directory / name).open("ab"))
        self._add(file_version="brain.Event:2")
        if purge_step:
            self._add(step=purge_step + 1, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START))

    def _add(self, **event: Any) -> None:
        with naming(self._called):
            self._writer.write(self._event(wall_time=time.time(), **event).SerializeToString())
            self._writer.flush()

    def write(self, step: int, scalars: Mapping[str, float]) -> None:
        """Write one value a name at ``step``."""
        values = [self._summary.Value(tag=name, simple_value=float(value)) for name, value in scalars.items()]
        self._add(step=step, summary=self._summary(value=values))

    def close(self) -> None:
        """Close the file."""
        with naming(self._called):
            self._writer.close()


def event_writer(directory: Path, purge_step: int) -> EventWriter | None:
    """Return a writer into ``directory``, or None where tensorboard is not installed."""
    return EventWriter(directory, purge_step) if find_spec("tensorboard") is not None else None
