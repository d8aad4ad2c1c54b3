"""Fuzzing from the schemas: what is tried is found and not listed, what is broken is broken, and a reader's fault is seen."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import field, fields, frozen

from cardai.arena.record_lines import Hand
from cardai.core.errors import DamagedFileError
from cardai.core.files import read_json
from cardai.core.schema import structure, whole
from cardai.training.run_files import RunFile
from cardai.training.sweeps import SweepFile
from tests.support import sizes

ROOT = Path(__file__).parents[2]
NAMES = ("fuzz_values", "fuzz_readers", "fuzz_tries")


@frozen
class Inner:
    places: tuple[int, ...]
    share: float | None = None


@frozen
class Outer:
    """A class of everything that a file may hold."""

    seed: int = field(validator=whole())
    name: str
    fast: bool
    pair: tuple[float, float]
    inner: Inner
    by_name: dict[str, Inner]
    more: Any = None


GOOD = {
    "seed": 1,
    "name": "kuhn",
    "fast": True,
    "pair": [0.5, 2],
    "inner": {"places": [1, 2]},
    "by_name": {"a": {"places": [3], "share": 0.5}},
}


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return the tool's modules."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in NAMES})
    for name in NAMES:
        sys.modules.pop(name, None)


def test_a_class_that_is_structured_anywhere_is_tried_without_being_listed(fuzz: Any) -> None:
    found = fuzz.fuzz_readers.structured()
    calls = [
        line
        for file in (ROOT / "cardai").rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"(?<![\w.])structure\(", line) and not line.lstrip().startswith(("def ", "#", '"'))
    ]
    assert len(found) >= 15
    assert len(calls) >= len(found)
    assert {Hand, RunFile, SweepFile} <= {kind for kind in found.values() if isinstance(kind, type)}
    assert dict[str, float] in found.values()  # a line of metrics, which is no class


def test_a_class_that_no_fixture_is_read_as_is_named(fuzz: Any) -> None:
    with fuzz.fuzz_readers.observed() as seen:
        structure(GOOD, Outer, "x")
    assert (Outer, GOOD) in seen
    assert fuzz.fuzz_readers.unread({"a:Outer": Outer, "b:Hand": Hand}, seen) == ["b:Hand"]


def test_what_is_made_has_the_types_that_a_class_says(fuzz: Any) -> None:
    """All that may be wrong with it is what a validator says beside its types."""
    said = set()
    for seed in range(300):
        value = fuzz.fuzz_values.made(Outer, Random(seed))
        try:
            structure(json.loads(json.dumps(value)), Outer, "x")
            said.add("taken")
        except DamagedFileError as error:
            said.add(
                "range"
                if "must be from 0" in str(error)
                else "large"
                if "must be a number" in str(error)
                else str(error)
            )
    assert said == {"taken", "range", "large"}, said


@pytest.mark.long
def test_every_place_is_reached_and_broken_in_every_way(fuzz: Any) -> None:
    values = fuzz.fuzz_values
    places = {(id(place.holder), place.key): place.kind for place in values.places(GOOD, Outer)}
    assert len(places) == 15
    assert list(places.values()).count(int) == 4
    changed, texts, taken = set(), [], 0
    for seed in range(3000):
        value = values.damaged(json.loads(json.dumps(GOOD)), Outer, Random(seed))
        text = values.json_text(value)
        texts.append(text)
        changed |= {key for key in GOOD if not isinstance(value, dict) or value.get(key) != GOOD[key]}
        try:
            structure(json.loads(text), Outer, "x")
            taken += 1
        except (DamagedFileError, ValueError, RecursionError):
            pass
    assert changed == set(GOOD)
    for kind in (
        '"seed":true',
        '"seed":"',
        '"seed":null',
        "NaN",
        "1e400",
        "\\ud800",
        "\\u0000",
        "[" * 3000,
        '"more":',
        "9" * 4000,
    ):
        assert any(kind in text for text in texts), kind
    assert any(text.count('"name":') == 2 for text in texts)  # a key said twice
    assert 0 < taken < 1500


def test_inputs_are_the_same_for_the_same_seed_and_share_nothing(fuzz: Any) -> None:
    """A hostile value that was put in once and damaged there is as it was when it is put in again."""
    values = fuzz.fuzz_values
    before = json.dumps(values.HOSTILE)
    first, again = (
        [values.json_text(values.damaged(json.loads(json.dumps(GOOD)), Outer, Random(k))) for k in range(500)]
        for _ in "ab"
    )
    assert first == again
    assert json.dumps(values.HOSTILE) == before


@pytest.mark.long("short")
@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda folder, rng: read_json(folder / "x.json")["seed"] + 1, "KeyError at "),
        (lambda folder, rng: structure(read_json(folder / "x.json"), Outer, "x").inner.places[1], "IndexError at "),
        (lambda folder, rng: structure(read_json(folder / "x.json"), Outer, "x"), ""),
    ],
    ids=["no schema", "a short list", "nothing"],
)
def test_a_readers_fault_is_found_and_a_sound_reader_has_none(fuzz: Any, tmp_path: Path, read: Any, said: str) -> None:
    (tmp_path / "x.json").write_text(json.dumps(GOOD))
    held = fuzz.fuzz_readers.Held.of(fuzz.fuzz_readers.Fixture("x", "x", None, read), tmp_path)
    assert said.startswith("KeyError") or held.kinds == {tmp_path / "x.json": Outer}
    target, tally = fuzz.fuzz_readers.directories_target([held]), fuzz.fuzz_tries.Tally()
    for number in range(300):
        fuzz.fuzz_tries.attempt(target, number, 1, tally)
    assert tally.tried == 300
    assert tally.refused > 50
    assert bool(said) == any(why.startswith(said) for why in tally.failures)
    assert said or (not tally.failures and tally.read > 5)
    held.fresh()
    assert json.loads((tmp_path / "x.json").read_text()) == GOOD


def test_what_takes_too_long_too_much_or_has_no_words_is_a_failure(fuzz: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = fuzz.fuzz_tries
    monkeypatch.setattr(tries, "SECONDS", 0.02)
    monkeypatch.setattr(tries, "MEGABYTES", 30)

    def slow() -> None:
        sum(range(3_000_000))

    def large() -> None:
        bytearray(60 << 20).count(b"x")

    def silent() -> None:
        raise DamagedFileError("")

    for read, why in ((slow, "took more than 0.02 s"), (large, "MB"), (silent, "an error without words")):
        tally = tries.Tally()
        monkeypatch.setattr(tries, "SECONDS", 10.0 if read is large else 0.02)
        tries.attempt(lambda rng, read=read: ("x", read), 0, 1, tally)
        assert [each for each in tally.failures if why in each], (read, tally)
        assert tally.tried == 1


SLOW = (
    "buckets",
    "gin_values",
    "index",
    "library",
    "networks",
    "pieces",
    "preflop",
    "review",
    "situations",
    "spot",
    "values",
)
"""Kinds whose directories take seconds to make, where kernels must be compiled first."""


@pytest.mark.parametrize(("inputs", "without"), sizes((100, SLOW), (10_000, ())))
def test_inputs_of_all_kinds_find_no_fault(inputs: int, without: tuple[str, ...]) -> None:
    """With --long all readers, each class read by one of them; an hour of it: ``python benchmarks/fuzz.py``."""
    pytest.importorskip("torch")
    pytest.importorskip("pokerkit")
    command = [sys.executable, str(ROOT / "benchmarks/fuzz.py"), "--inputs", str(inputs), "--seconds", "600"]
    command += ["--without", *without]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    tried = {
        line.split()[0]: int(line.split()[1].replace(",", ""))
        for line in done.stdout.splitlines()[1:]
        if line[:1].isalpha()
    }
    assert min(tried.values()) > 0
    assert {"schema", "saved", "sweep", "strength"} <= tried.keys()
    assert len(tried) >= 31 - len(without)
    assert not tried.keys() & set(without)


def test_fields_have_annotations_that_can_be_made(fuzz: Any) -> None:
    """A new kind of annotation is one that the maker of values must learn."""
    for name, kind in fuzz.fuzz_readers.structured().items():
        for seed in range(5):
            json.dumps(fuzz.fuzz_values.made(kind, Random(seed)))
        if hasattr(kind, "__attrs_attrs__"):
            assert fuzz.fuzz_values.hints(kind).keys() == {each.name for each in fields(kind)}, name
