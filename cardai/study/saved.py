"""Reviews as files: a header and a line a graded hand. A review that was stopped, or killed, goes on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from cardai.arena.records import parsed_line
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import limited_lines, refuse_pipe, too_deep, write_atomically
from cardai.core.schema import structure
from cardai.study.graded import GradedHand
from cardai.study.report import FORMAT
from cardai.study.review import Review, Setting, reviewed


@frozen
class Header:
    """A review's first line. ``hands`` are so many in the file that is reviewed, whose SHA-256 is ``digest``."""

    cardai: str
    format: int
    setting: Setting
    digest: str
    left_out: dict[str, int] = field(factory=dict)


def write(path: Path, review: Review, digest: str) -> None:
    """Write a review, whole or not at all. Raises UsageError, WriteError."""
    header = Header("review", FORMAT, review.setting, digest, review.left_out)
    lines = [asdict(header), *(asdict(hand) for hand in review.hands)]
    write_atomically(path, b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines))


def read(path: Path) -> tuple[Review, str]:
    """Return a review and the digest of the file that it is of.

    Raises:
        UsageError: there is no such file. DamagedFileError: it is no review, or a line is damaged.
    """
    refuse_pipe(path)
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = [_parsed(line, path, number) for number, line in enumerate(limited_lines(file, 1 << 22), 1)]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"The review {str(path)!r} cannot be read: {why}.") from error
    if not lines or lines[0].get("cardai") != "review" or lines[0].get("format") != FORMAT:
        raise DamagedFileError(f"{path} is no review of this version of cardai.")
    header = structure(lines[0], Header, f"The review {path}, line 1,")
    hands = [structure(line, GradedHand, f"The review {path}, line {k},") for k, line in enumerate(lines[1:], 2)]
    return reviewed(header.setting, hands, header.left_out), header.digest


def _parsed(line: str, path: Path, number: int) -> Mapping[str, Any]:
    value = parsed_line(line)
    if value is None or too_deep(value):
        raise DamagedFileError(f"The review {path}, line {number}, is damaged: it is not JSON, or none of ours.")
    return value


def go_on(path: Path, setting: Setting, digest: str) -> Review | None:
    """Return what was graded already of the same file with the same setting; None: there is nothing yet.

    Raises:
        UsageError: the review at ``path`` is of another file, player, judge or threshold.
    """
    if not path.exists():
        return None
    held, of = read(path)
    if of != digest:
        raise UsageError(f"{path} is a review of another file, or the file has changed. Give another --out.")
    if held.setting != setting:
        raise UsageError(
            f"{path} is a review with another setting: {_told(held.setting)}. Give it again, or another --out."
        )
    return held


def _told(setting: Setting) -> str:
    return ", ".join(f"{name} {value}" for name, value in asdict(setting).items())
