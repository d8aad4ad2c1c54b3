"""What the files of a run directory must hold: run.json, a checkpoint's manifest, a line of metrics."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from attrs import Attribute, field, frozen

from cardai.core.errors import DamagedFileError
from cardai.core.schema import counted, file_name, structure, whole
from cardai.core.trainer import Metrics

FORMAT = "cardai run 1"
CHECKPOINT_FORMAT = "cardai checkpoint 1"
KEEP = 2
"""The checkpoints that a run keeps of itself where nobody says otherwise."""
_STEP = re.compile(r"step-(\d{12,})")


@frozen
class RunFile:
    """What run.json must hold; other keys are kept and hashed."""

    format: str
    id: str
    trainer: str
    game: str
    encoder: str | None
    seed: int = field(validator=whole())
    steps: int = field(validator=whole())
    versions: dict[str, str]
    command: tuple[str, ...]
    created: str
    minutes: float | None = None
    keep: int = field(default=KEEP, validator=whole())


@frozen
class StoredFile:
    """A checkpoint's file as its manifest knows it."""

    bytes: int = field(validator=whole())
    sha256: str


@frozen
class Manifest:
    """What a checkpoint's manifest.json must hold."""

    format: str
    run: str
    step: int = field(validator=counted())
    seconds: float
    cpu_seconds: float
    files: dict[str, StoredFile] = field()
    sha256: str

    @files.validator
    def _plain_names(self, attribute: Attribute[Any], value: dict[str, StoredFile]) -> None:
        for name in value:
            if not file_name(name):
                raise ValueError(f"holds {name[:60]!r}, which is not the name of a file beside it")


def steps_in(run: Path) -> list[int]:
    """Return the steps that have a checkpoint directory in a run's, ascending (not verified)."""
    folder = run / "checkpoints"
    names = (_STEP.fullmatch(p.name) for p in folder.iterdir()) if folder.is_dir() else ()
    return sorted(int(name.group(1)) for name in names if name)


def metrics_row(line: str, what: str) -> Metrics:
    """Return one line of metrics: numbers by name, among them a whole, positive step."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"{what} is damaged: {error}.") from error
    numbers = structure(row, dict[str, float], what)
    if not 0 <= numbers.get("step", -1) <= 2**63 or type(row["step"]) is not int:
        raise DamagedFileError(f"{what} is damaged: it has no step.")
    return row  # type: ignore[no-any-return]
