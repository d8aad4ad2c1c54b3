"""Networks asked in chunks: always of one size, so that no neighbour can change a row's result."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cardai.learn import tensors  # noqa: E402


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
