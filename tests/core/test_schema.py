"""Foreign values become attrs classes, or an error that names the place."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import field, frozen

from cardai.core.errors import DamagedFileError
from cardai.core.schema import file_name, structure, whole


@frozen
class Inner:
    starter: int = field(validator=whole(0, 9))
    score: tuple[float, ...] = ()


@frozen
class Outer:
    seed: int
    inner: Inner
    deck: tuple[int, ...] = field(validator=whole(0, 51))
    files: dict[str, Inner] = field(factory=dict)
    name: str | None = None
    known: bool = True
    rest: Any = None


GOOD: dict[str, Any] = {"seed": 1, "inner": {"starter": 3, "score": [1, 2.5]}, "deck": [1, 51], "more": {"x": []}}


def test_values_of_the_right_types_become_the_class() -> None:
    assert structure(GOOD, Outer, "x") == Outer(1, Inner(3, (1.0, 2.5)), (1, 51))
    files = {"a": {"starter": 0}}
    assert structure({**GOOD, "files": files, "name": "n"}, Outer, "x").files == {"a": Inner(0)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": "1"}, "seed must be a whole number. Got '1'"),
        ({"seed": True}, "seed must be a whole number. Got True"),
        ({"seed": 1.0}, "seed must be a whole number. Got 1.0"),
        ({"seed": None}, "seed must be a whole number. Got None"),
        ({"known": 1}, "known must be true or false. Got 1"),
        ({"name": 3}, "name must be a text. Got 3"),
        ({"inner": []}, "inner must be an object. Got []"),
        ({"inner": {}}, "inner lacks 'starter'"),
        ({"inner": {"starter": 10}}, "inner.starter must be from 0 to 9. Got 10"),
        ({"inner": {"starter": 1, "score": [1, "b"]}}, "inner.score[1] must be a number. Got 'b'"),
        ({"inner": {"starter": 1, "score": [10**400]}}, "inner.score[0] must be a number. Got 1000"),
        ({"deck": {}}, "deck must be a list. Got {}"),
        ({"deck": [1, 52]}, "deck must be from 0 to 51. Got 52"),
        ({"deck": [1, None]}, "deck[1] must be a whole number. Got None"),
        ({"files": {"a": {"starter": -1}}}, "files.a.starter must be from 0 to 9. Got -1"),
        ({"files": [1]}, "files must be an object. Got [1]"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DamagedFileError) as error:
        structure({**GOOD, **change}, Outer, "The file x")
    assert str(error.value).startswith(f"The file x is damaged or foreign: {said}")


def test_a_missing_key_and_another_kind_of_value_are_named() -> None:
    with pytest.raises(DamagedFileError, match="it lacks 'deck'"):
        structure({"seed": 1, "inner": {"starter": 0}}, Outer, "x")
    with pytest.raises(DamagedFileError, match=r"it must be an object. Got \[1\]"):
        structure([1], Outer, "x")


def test_what_was_found_is_said_shortly_however_long_or_deep_it_is() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    for value in (deep, "x" * 10**6, list(range(10**5)), 10**4000):
        with pytest.raises(DamagedFileError) as error:
            structure({**GOOD, "known": value}, Outer, "x")
        assert len(str(error.value)) < 300


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "a\\b", "C:a", "a\0", "x" * 256])
def test_a_name_with_a_path_in_it_is_no_file_name(name: str) -> None:
    assert not file_name(name)
    assert file_name("tables.npz")
