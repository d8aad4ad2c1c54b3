"""What a run, record, sweep, tournament, set of situations, solved spot or package of players names, needs and holds.

Nothing is made of what is found: files are measured and hashed, their specs are read by what plugins declare
(:mod:`cardai.core.needs`), as the registry does before it makes one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from cardai.core import registry
from cardai.core.allowed import allowed
from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.files import file_digest, limited_lines, read_json
from cardai.core.holes import HOLES_LIMIT, is_hole
from cardai.core.needs import Need, Use, needs
from cardai.core.spec import Spec, parse
from cardai.core.trust import source_of

HANDS_GAMES = 10_000
"""Games of single hands that are shown of a record."""
FILES_LIMIT = 100_000
"""Files that are looked at: more is no directory of ours."""
BYTES_LIMIT = 1 << 36
"""Bytes of a file that is hashed: a disk that is full of holes has files of any size, which nobody reads to their end."""
HEADS: Mapping[str, str] = {
    "run.json": "a trained run",
    "sweep.json": "a sweep",
    "tournament.json": "a tournament",
    "situations.json": "solved situations",
    "spot.json": "a solved spot",
    "preflop.json": "a table of play before the flop",
}
"""The files that say what a directory is."""
SPECS: Mapping[str, str] = {
    "game": "game",
    "trainer": "trainer",
    "encoder": "encoder",
    "agent": "agent",
    "agents": "agent",
    "player": "agent",
}
"""The keys of our files whose texts are specs, and of what kind."""
_CODE = (".py", ".so", ".pyd", ".pyc", ".dll", ".dylib", ".sh", ".exe")


@frozen
class Named:
    """A spec that a file names: where, of what kind, and what in it no file from somebody else may name."""

    file: str
    place: str
    kind: str
    spec: str
    needs: tuple[Need, ...]
    allowed: bool
    """Whether the owner has allowed the file as it is."""
    unknown: str = ""
    """Why it cannot be read as a spec, or is of no plugin that is installed."""


@frozen
class Held:
    """A file: its bytes, its SHA-256 ("": it cannot be read), and where it leads if it is a link."""

    name: str
    bytes: int
    sha256: str
    link: str = ""


@frozen
class Inspection:
    """What was found at a path."""

    path: str
    what: str
    named: tuple[Named, ...]
    files: tuple[Held, ...]
    code: tuple[str, ...]
    """Files that a computer could run: data never is."""
    said: Mapping[str, Any] = field(factory=dict)
    """What the file that says what it is tells beside its specs: format, id, seed, versions, command."""
    damaged: tuple[str, ...] = ()

    @property
    def unreadable(self) -> tuple[Held, ...]:
        """The files and directories that cannot be read, so that nothing is known of what is in them."""
        return tuple(file for file in self.files if not file.sha256 and not file.link)

    @property
    def links(self) -> tuple[Held, ...]:
        """The files that are links."""
        return tuple(file for file in self.files if file.link)


def inspect(path: str | Path) -> Inspection:
    """Look at a file or directory without making anything of it.

    Raises:
        UsageError: there is nothing, or more than :data:`FILES_LIMIT` files.
    """
    top = Path(path)
    if not os.path.lexists(top):
        raise UsageError(f"There is nothing at {str(path)!r}. Give a run, a record, or another file of cardai's.")
    files = tuple(_files(top))
    named: list[Named] = []
    damaged: list[str] = []
    said: dict[str, Any] = {}
    for held in files:
        file = top / held.name if top.is_dir() else top
        if held.link or not _of_ours(file):
            continue
        try:
            value = _document(file)
        except CardaiError as error:
            damaged.append(str(error))
            continue
        if value is not None:
            if held.name in HEADS or not top.is_dir():
                said = {key: item for key, item in value.items() if key not in SPECS and _brief(item)}
            named += _named(held.name, value, _use(held.name, files))
    code = tuple(file.name for file in files if file.name.endswith(_CODE))
    return Inspection(str(path), _what(top, files, code), tuple(named), files, code, said, tuple(damaged))


def _use(name: str, files: tuple[Held, ...]) -> Use:
    """Return what is done next with what a file names: a run that has a checkpoint goes on, anything else begins."""
    folder = name.removesuffix("run.json")
    begun = folder != name and any(file.name.startswith(f"{folder}checkpoints/step-") for file in files)
    return "train" if begun else "start"


def _what(top: Path, files: tuple[Held, ...], code: tuple[str, ...]) -> str:
    """Return in words what a path holds."""
    if not top.is_dir():
        if not (_of_ours(top) and ".jsonl" in top.name):
            return "a file"
        return "a review" if _is_review(top) else "a record"
    names = [name for name in HEADS if (top / name).is_file()]
    if names:
        return HEADS[names[0]]
    if any(file.name.startswith("spots/") and file.name.endswith("/spot.json") for file in files):
        return "a library of spots"
    runs = sum(file.name.endswith("run.json") for file in files)
    if runs:
        return f"a {'package' if code else 'directory'} with {runs} trained run{'s' if runs > 1 else ''}"
    return "a directory"


def _files(top: Path) -> Iterator[Held]:
    """Yield the files at or below ``top``, links not followed."""
    if not top.is_dir():
        yield _held(top, top.name, [0])
        return
    count, unreadable, holes = 0, list[OSError](), [0]
    for folder, inner, names in os.walk(top, onerror=unreadable.append):
        inner.sort()
        links = [name for name in inner if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            if (count := count + 1) > FILES_LIMIT:
                raise UsageError(f"{top} holds more than {FILES_LIMIT:,} files. Give a run's directory, or a file.")
            file = Path(folder, name)
            yield _held(file, str(file.relative_to(top)), holes)
    for error in unreadable:
        yield Held(os.path.relpath(error.filename, top), 0, "")


def _held(file: Path, name: str, holes: list[int]) -> Held:
    try:
        state = file.lstat()
    except OSError:
        return Held(name, 0, "")
    if stat.S_ISLNK(state.st_mode):
        return Held(name, state.st_size, "", os.readlink(file))
    digest = ""
    if stat.S_ISREG(state.st_mode) and state.st_size <= BYTES_LIMIT:
        holes[0] += state.st_size if is_hole(state) else 0
        with suppress(OSError):
            digest = "" if is_hole(state) and holes[0] > HOLES_LIMIT else file_digest(file)
    return Held(name, state.st_size, digest)


def _of_ours(file: Path) -> bool:
    return os.path.isfile(file) and (file.suffix in (".json", ".jsonl") or file.name.endswith(".jsonl.open"))


def _is_review(file: Path) -> bool:
    """Whether a file begins as reviews do."""
    with suppress(OSError), file.open("rb") as stream:
        return stream.read(20).startswith(b'{"cardai":"review"')
    return False


def _document(file: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file, or in a record's first line; None for lines that are no record's.

    Raises:
        DamagedFileError: it cannot be read.
    """
    if file.suffix == ".json":
        return read_json(file)
    from cardai.arena.records import stream_lines

    if file.name == "metrics.jsonl" or _is_review(file):  # which names what it was made with, and nothing is made by it
        return None
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            header, hands = stream_lines(limited_lines(stream), str(file))
            own = {hand["game"]: None for hand, _ in hands if not isinstance(hand, str) and hand.get("game")}
            return {**header, "hands": [{"game": game} for game in list(own)[:HANDS_GAMES]]} if own else dict(header)
    except OSError as error:
        raise DamagedFileError(f"{file} cannot be read: {error.strerror}.") from error


def _brief(value: Any) -> bool:
    """Whether a value is short enough to be shown as it is."""
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
    return len(items) <= 64 and not any(isinstance(item, (list, dict)) for item in items)


def _named(name: str, value: Any, use: Use, place: str = "", kind: str = "") -> Iterator[Named]:
    """Yield the specs in a JSON value, by the keys that hold them; a sweep's trainer with each value of its options."""
    if isinstance(value, str):
        if kind and value:
            yield _of_text(name, place, kind, value, use)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _named(name, inner, use, f"{place}[{number}]", kind)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _named(name, inner, use, f"{place}.{key}" if place else str(key), SPECS.get(key, ""))
        yield from _swept(name, value)


def _swept(name: str, value: Mapping[str, Any]) -> Iterator[Named]:
    options, trainer = value.get("options"), value.get("trainer")
    if not isinstance(options, dict) or not isinstance(trainer, str):
        return
    for key, texts in options.items():
        for text in texts if isinstance(texts, list) else ():
            if isinstance(text, str):
                with suppress(CardaiError):  # the trainer alone is shown then
                    spec = str(parse(trainer).with_options({key: text}))
                    yield _of_text(name, f"options.{key}", "trainer", spec, "start")


def _of_text(name: str, place: str, kind: str, text: str, use: Use) -> Named:
    source = source_of(text)
    unknown = ""
    found: tuple[Need, ...] = ()
    root = source.root if source else ""
    try:
        spec = parse(text)
        found = tuple(needs(registry.load, kind, spec, root, use))
        unknown = _unknown(kind, spec)
    except CardaiError as error:
        unknown = str(error)
    return Named(name, place, kind, text, found, source is not None and allowed(source), unknown)


def _unknown(kind: str, spec: Spec) -> str:
    """Return why a spec's plugin cannot be had here, "" if it can (or is a trained run)."""
    if kind == "agent" and spec.is_run:
        return ""
    try:
        registry.load(kind, spec.name)
    except CardaiError as error:
        return str(error)
    return ""


def as_plain(found: Inspection) -> dict[str, Any]:
    """Return an inspection as JSON values."""
    return {
        "path": found.path,
        "what": found.what,
        "says": dict(found.said),
        "named": [{**asdict(n), "spec": str(n.spec), "needs": [str(need) for need in n.needs]} for n in found.named],
        "files": [asdict(file) for file in found.files],
        "code": list(found.code),
        "damaged": list(found.damaged),
    }
