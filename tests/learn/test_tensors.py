"""Weights in files; networks asked in chunks, always of one size, so that no neighbour can change a row's result."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cardai.core.errors import WriteError  # noqa: E402 (torch may be missing)
from cardai.core.npz import write_npz  # noqa: E402
from cardai.learn import networks, tensors  # noqa: E402


def test_tests_and_the_processes_that_they_start_use_one_thread() -> None:
    """As many of them run at once as there are cores (tests/conftest.py)."""
    assert torch.get_num_threads() == 1
    assert {os.environ[f"{name}_NUM_THREADS"] for name in ("OMP", "OPENBLAS", "MKL")} == {"1"}


@pytest.mark.parametrize("count", [0, 1, 4, 5, 8, 11])
def test_rows_are_asked_in_chunks_of_one_size_padded_with_zeros(count: int) -> None:
    asked = []

    def double(codes: torch.Tensor) -> torch.Tensor:
        asked.append(codes.clone())
        return 2 * codes[:, :1]

    codes = np.random.default_rng(1).random((count, 3)).astype(np.float32) + 1
    found = tensors.in_chunks(double, codes, torch.device("cpu"), chunk=4)
    assert len(found) == count
    if count:
        assert np.array_equal(found, 2 * codes[:, :1])
    assert [tuple(part.shape) for part in asked] == [(4, 3)] * -(-count // 4)
    if count % 4:
        assert not asked[-1][count % 4 :].any()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_weights_have_the_mode_of_the_files_beside_them(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        tensors.write_modules(tmp_path / "networks.safetensors", {"q": networks.mlp(3, [4], 2, seed=1)})
        tensors.write(tmp_path / "weights.safetensors", {"x": torch.ones(3)})
        write_npz(tmp_path / "state.npz", {"x": [1]})
    finally:
        os.umask(before)
    assert {oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()} == {"0o644"}
    assert len(list(tmp_path.iterdir())) == 3


def test_weights_come_back_as_they_were(tmp_path: Path) -> None:
    one, other = networks.mlp(3, [4], 2, seed=1), networks.mlp(3, [4], 2, seed=2)
    tensors.write_modules(tmp_path / "a.safetensors", {"q": one})
    tensors.read_modules(tmp_path / "a.safetensors", {"q": other})
    assert all((a == b).all() for a, b in zip(one.state_dict().values(), other.state_dict().values(), strict=True))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")
def test_a_full_disk_is_our_error_with_the_name_of_the_file() -> None:
    with pytest.raises(WriteError, match=r"'/dev/full' cannot be written: No space left on device"):
        tensors.write(Path("/dev/full"), {"x": torch.ones(100_000)})


@pytest.mark.parametrize(("asked", "got"), [(3, 3), (10**18, tensors.MOST_THREADS)])
def test_so_many_threads_as_asked_for_and_no_thousands(asked: int, got: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", made.append)
    with tensors.threads(asked):
        pass
    assert made == [got, 1]
