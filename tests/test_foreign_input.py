"""Whatever parses what it is given (a file, a socket, what a package says of itself) goes through the schema or npz, or is
listed here: by the kind of input that benchmarks/fuzz.py tries it with, or by the reason why nobody else writes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_architecture import MODULES, PACKAGE, ROOT, dotted, parsed

LOADERS = {
    "json.loads", "json.load", "tomllib.loads", "tomllib.load", "np.load", "np.frombuffer", "np.fromfile", "np.fromstring", "np.memmap",
    "np.loadtxt", "np.genfromtxt", "zipfile.ZipFile", "tarfile.open", "pickle.loads", "pickle.load", "cloudpickle.loads", "marshal.loads",
    "torch.load", "csv.reader", "csv.DictReader", "ast.literal_eval", "input", "yaml.safe_load", "configparser.ConfigParser",
}  # fmt: skip
"""Calls that parse, or that read what a parser of ours is given."""
METHODS = {
    "load_file", "safe_open", "read_array", "open_memmap", "unpack", "unpack_from", "iter_unpack", "recv", "recv_into", "recvfrom",
    "makefile", "read_text", "read_bytes", "readline", "readlines", "fromstring",
}  # fmt: skip
"""The same by the last word of what is called, whatever it is called on."""

TRIED = {
    "arena.inspection._document": "run",
    "arena.match_journal.MatchJournal._after_header": "journal",
    "arena.match_journal.MatchJournal._lines": "journal",
    "arena.match_journal.MatchJournal._open": "journal",
    "arena.records.parsed_line": "record",
    "arena.records.read": "record",
    "arena.records.read_header": "record",
    "arena.tournament_store._whole_lines": "tournament",
    "core.files.file_digest": "run",
    "core.files.limited_lines": "record",
    "core.files.read_json": "run",
    "core.npz._check_count": "run",
    "core.npz._declared": "run",
    "core.npz.map_npy": "buckets",
    "core.npz.read_npz": "run",
    "formats._text": "rooms",
    "formats.folders._archive": "rooms",
    "formats.folders.Joined._folder": "rooms",
    "formats.acpc.client._Patience.receive": "wire",
    "formats.acpc.gamedef.load_game": "gamedef",
    "formats.acpc.logs.read_log": "acpc",
    "formats.acpc.matchfiles._drop_cut_line": "series",
    "formats.acpc.matchfiles._logged_hands": "series",
    "formats.acpc.seat.Seat._receive_before": "wire",
    "formats.acpc.seat.Seat.receive": "wire",
    "formats.acpc.series._values": "series",
    "formats.acpc.series.begin": "series",
    "formats.rooms.phh_reading.phh_hand": "phh",
    "formats.sites.kept.KeptHands.__init__": "site",
    "formats.sites.kept.KeptHands._take_up": "site",
    "formats.sites.service.Service.parsed": "site",
    "learn.tensors.read": "networks",
    "plugins.trainers.bucket_mccfr.checkpoints.check_buckets": "buckets",
    "poker.ranges.flops.subsets_of": "library",
    "poker.buckets._store.load": "buckets",
    "study.index.Entry.of": "index",
    "study.index._copy": "index",
    "study.saved.read": "review",
    "training.run_files.metrics_row": "run",
    "training.runs.Run._holds": "run",
    "training.runs.Run.read_metrics": "run",
    "training.runs.Run.verify": "run",
    "web.socket.understood": "page",
}
"""Readers, and the kind of benchmarks/fuzz.py that tries each."""
OWN = {
    "arena.journal.Journal.keep": "writes on in the file that this process made",
    "arena.person.ask": "a line that a person types, read as text",
    "arena.played.Played._ordered": "this process's own temporary file",
    "arena.row_buffer.RowBuffer.read": "this process's own temporary file",
    "arena.slices._worker": "by our own parent process",
    "arena.tournament_store.Store.save": "writes on in the file",
    "commands.completion._options": "our own commands' sources",
    "commands.new._template": "a template that we ship",
    "commands.process._point_at_nothing": "the null device",
    "commands.range.range_given": "a range that its reader names, refused by tests/poker/test_range_forms.py where it is none",
    "commands.process.open_streams": "the null device",
    "ui.past.export": "the person's own files, put into an archive as they are",
    "commands.show.stepping._keys": "a key that a person presses",
    "core.allowed._noted": "notes that cardai writes in the user's own folder: texts of it are compared, and not parsed further",
    "arena.inspection._is_review": "20 bytes, compared with what reviews begin with",
    "core.allowed._forget_what_is_gone": "notes that cardai writes in the user's own folder, of which a path is asked for alone",
    "core.compiling._Child._ask": "what a child of this process says: tests/core/test_kernel.py lets it end",
    "core.compiling.serve": "by the process that began it",
    "core.discovery._docstring": "the source of an installed plugin, which is a program",
    "core.discovery._lines": "an installed package's metadata: tests/core/test_registry.py damages it",
    "core.extras._origin": "an installed package's metadata: tests/core/test_extras.py damages it",
    "core.files.remove_unfinished": "what is removed, to lock it; nothing is read",
    "core.files.sync_directory": "a directory",
    "core.holes.refuse_holes": "where its first hole is; nothing is read",
    "core.kernel_sources._read_once": "our own sources",
    "core.locks.FileLock.__init__": "a lock, which holds nothing",
    "core.extras.where_from": "a file that we ship",
    "core.memory._free": "the system's",
    "core.memory.address_space": "the system's",
    "core.memory.resident": "the system's",
    "core.npz.write_npz": "writes",
    "core.row_state.OneHand.listed": "our own bytes",
    "formats.acpc.groups._work_on": "the null device",
    "formats.acpc.groups.fork": "what a process forked from this one says: play_by_processes",
    "formats.acpc.matchfiles._open": "writes, and reads none of it",
    "formats.acpc.processes._said": "what a player of ours wrote, shown as text",
    "formats.acpc.processes.play_by_processes": "our own dealer's ports",
    "formats.acpc.program.Program._line": "a program that was started to play: tests/formats/test_acpc_groups.py lets it misbehave",
    "formats.acpc.views.ViewMaker.packed": "our own bytes",
    "pieces.cluster.Cluster._meet": "a plugin, which is a program",
    "pieces.cluster._ask": "the cluster's answer: tests/test_pieces.py lets it misbehave",
    "pieces.doers.Doer.take": "by the process that began the work",
    "pieces.doers._load": "a plugin, which is a program",
    "pieces.parcels.at_hand.fetch": "by the process that began the work",
    "pieces.parcels.opened": "by the process that began the work",
    "poker.ranges.flops.subset": "a file that we ship",
    "poker.kinds._spread_row": "our own bytes",
    "poker.responses.dense_showdowns._matrices": "our own bytes",
    "poker.responses.kept.Kept.__init__": "a digest of ours",
    "poker.responses.measure._sampler": "by the process that began the work",
    "training.runs._flush": "a file that was just written, and is flushed",
    "training.sweeps.Sweep.begin": "Sweep.open, by the name cls",
    "training.sweeps._pack": "writes",
    "training.sweeps._unpack": "by our own worker, unpacked by tarfile's filter for data",
    "ui.box.content": "the card of an installed player, which is a program",
    "ui.box.in_the_box": "a file that we ship",
    "web.render.own_template": "a plugin's own template, which is a program's",
}
"""Readers of what no stranger writes, and why."""


ENDS = {"open", "read_json", *METHODS, *(name.split(".")[-1] for name in LOADERS)}


def last_name(call: ast.Call) -> str:
    """Return the name of what is called, without what it is of."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def is_reader(call: ast.Call) -> bool:
    """Whether a call parses, or opens a file that may be read."""
    end = last_name(call)
    if end not in ENDS:
        return False
    name = ast.unparse(call.func)
    if end != "open" or name == "tarfile.open":
        return name in LOADERS or end in METHODS or end == "read_json"
    if name[:1].isupper():  # Run.open, Sweep.open
        return False
    modes = [
        a.value
        for a in (*call.args, *(k.value for k in call.keywords if k.arg == "mode"))
        if isinstance(a, ast.Constant)
    ]
    return not any(isinstance(mode, str) and re.fullmatch("[wax]b?\\+?t?|a\\+b", mode) for mode in modes)


def readers(tree: ast.AST, within: str) -> Iterator[str]:
    """Yield the function of each call that reads, but of a ``read_json`` whose function hands it to ``structure``."""
    for node in ast.iter_child_nodes(tree):
        inner = (
            f"{within}.{node.name}"
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            else within
        )
        if isinstance(node, ast.Call) and is_reader(node):
            yield f"{inner} {last_name(node)}"
        elif isinstance(node, ast.Call) and last_name(node) == "structure":
            yield f"{inner} structure"
        yield from readers(node, inner)


def unstructured(tree: ast.AST, module: str) -> set[str]:
    """Return the functions of a module that read past the schema."""
    found = [line.rpartition(" ")[::2] for line in readers(tree, module)]
    through = {where for where, what in found if what == "structure"}
    return {where for where, what in found if what != "structure" and not (what == "read_json" and where in through)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(p):\n return json.loads(p)", {"m.f"}),
        ("class A:\n def f(self, p):\n  return read_json(p)['x']", {"m.A.f"}),
        ("def f(p):\n return structure(read_json(p), Head, 'x')", set()),
        ("def f(p):\n return structure(json.loads(p.read_text()), Head, 'x')", {"m.f"}),
        ("def f(p):\n return open(p).read()", {"m.f"}),
        ("def f(p):\n with p.open('rb') as s:\n  return s", {"m.f"}),
        ("def f(p):\n return open(p, 'wb'), p.open(mode='a'), Run.open(p)", set()),
        ("x = tomllib.loads(y)", {"m"}),
        ("async def f(s):\n return np.load(s), s.recv(4)", {"m.f"}),
        ("def f(p):\n def g():\n  return torch.load(p)\n return g", {"m.f.g"}),
    ],
)
def test_a_reader_that_stands_outside_of_the_schema_is_found(text: str, found: set[str]) -> None:
    assert unstructured(ast.parse(text), "m") == found


def test_every_reader_of_foreign_input_goes_through_the_schema_or_is_listed() -> None:
    found: set[str] = set()
    for file in MODULES:
        if "testing" not in file.relative_to(PACKAGE).parts:  # reads what it wrote itself
            found |= unstructured(parsed(file), dotted(file).removeprefix("cardai."))
    assert sorted(found - TRIED.keys() - OWN.keys()) == [], (
        "hand it to structure, or list it with what tries it, or why not"
    )
    assert sorted((TRIED.keys() | OWN.keys()) - found) == [], "it reads no longer so: take it off the list"
    assert not TRIED.keys() & OWN.keys()


def test_what_is_said_to_be_tried_is_a_kind_that_is_tried() -> None:
    fixtures, texts = (
        (ROOT / "benchmarks" / f"fuzz_{name}.py").read_text(encoding="utf-8") for name in ("fixtures", "texts")
    )
    kinds = set(re.findall(r'Fixture\("(\w+)"', fixtures)) | set(
        re.findall(r'^    "(\w+)": \w+_target,', texts, re.MULTILINE)
    )
    assert len(kinds) > 20
    assert set(TRIED.values()) <= kinds


def test_the_tests_that_are_named_are_there() -> None:
    named = {name for reason in OWN.values() for name in re.findall(r"tests/\S+\.py", reason)}
    assert named
    assert [name for name in named if not (ROOT / Path(name)).is_file()] == []
