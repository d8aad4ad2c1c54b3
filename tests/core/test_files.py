"""Files: written whole or not at all, and read only as what was expected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai.core.errors import DamagedFileError
from cardai.core.files import read_json, read_npz, write_atomically, write_json, write_npz

EXPECTED: dict[str, tuple[Any, tuple[int | None, ...]]] = {"step": (np.int64, ()), "rows": (np.float64, (None, 3))}
GOOD = {"step": np.int64(7), "rows": np.ones((2, 3))}


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    write_npz(tmp_path / "a.npz", GOOD)
    found = read_npz(tmp_path / "a.npz", EXPECTED)
    assert found.keys() == GOOD.keys()
    assert int(found["step"]) == 7
    assert found["rows"].tolist() == GOOD["rows"].tolist()


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"step": np.int64(7)}, "Missing or unknown: ['rows']"),
        (GOOD | {"more": np.zeros(1)}, "Missing or unknown: ['more']"),
        (GOOD | {"step": np.int32(7)}, "'step' in"),
        (GOOD | {"rows": np.ones((2, 4))}, "must be float64 of shape (None, 3). Got float64 of shape (2, 4)"),
        (GOOD | {"rows": np.ones(3)}, "Got float64 of shape (3,)"),
        (GOOD | {"rows": np.ones((2, 3), np.float32)}, "Got float32"),
    ],
)
def test_other_arrays_than_expected_are_refused(arrays: dict[str, Any], said: str, tmp_path: Path) -> None:
    write_npz(tmp_path / "a.npz", arrays)
    with pytest.raises(DamagedFileError) as error:
        read_npz(tmp_path / "a.npz", EXPECTED)
    assert said in str(error.value)


def test_json_must_be_an_object(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"a": [1, 2]})
    assert read_json(tmp_path / "a.json") == {"a": [1, 2]}
    for text, said in (("[1]", "must hold a JSON object. Got list"), ("{", "not readable JSON")):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(DamagedFileError, match=said):
            read_json(tmp_path / "a.json")
    with pytest.raises(DamagedFileError, match="is missing"):
        read_json(tmp_path / "nowhere.json")


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_atomically(file, b"long and old")
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
