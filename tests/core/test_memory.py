"""What memory there is, and who is told that it is too little."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from cardai.core import memory
from cardai.core.errors import UsageError
from tests.support import ROOT


def test_a_limit_counts_as_the_memory_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (taken + (64 << 20), resource.RLIM_INFINITY))
    assert 32 << 20 < memory.free_memory() <= 64 << 20
    with pytest.raises(UsageError, match=r"\(ulimit -v\) leaves \d\d MiB, and compiling the rules takes 512 MiB"):
        memory.need_compiler.__wrapped__()
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert memory.address_space() == 1 << 62
    memory.need_compiler.__wrapped__()


@pytest.mark.parametrize(
    ("words", "most", "said"),
    [
        ("run -g leduc -a random -v random -n 2", 300 << 20, "cardai: The limit of memory (ulimit -v) leaves "),
        ("convert nothing.jsonl out.log", 100 << 20, "cardai: The limit of memory (ulimit -v) leaves "),
        ("list-plugins", 20 << 20, "cardai: There is not enough memory"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="Linux keeps the limit of the address space")
def test_too_little_memory_is_one_sentence(words: str, most: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cardai", *words.split()],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr.startswith(said), done.stderr
    assert done.stderr.count("\n") == 1
    assert done.returncode in (1, 2)


def test_what_fails_where_next_to_nothing_is_left_fails_for_want_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from cardai.cli import _unexpected

    error = SystemError("error return without exception set")
    assert _unexpected(error).startswith("This is a mistake in the program: SystemError")
    monkeypatch.setattr(memory, "address_space", lambda: 3 << 20)
    assert _unexpected(error).startswith("There is not enough memory: the limit (ulimit -v) leaves 3 MiB.")


@pytest.mark.long
def test_a_tensor_that_does_not_fit_is_said_to_be_that_and_no_mistake_in_the_program() -> None:
    from cardai.cli import _unexpected

    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError) as raised:
        torch.empty(1 << 60, dtype=torch.uint8)
    assert _unexpected(raised.value) == "There is not enough memory for arrays of these sizes."


@pytest.mark.parametrize("numbers", [1 << 62, 10**30], ids=["too many bytes", "too many"])
def test_an_array_that_no_machine_holds_is_said_to_be_that(numbers: int) -> None:
    from cardai.cli import _unexpected

    with pytest.raises(ValueError, match=r"too big|Maximum allowed dimension exceeded") as raised:
        np.zeros(numbers)
    assert _unexpected(raised.value) == "There is not enough memory for arrays of these sizes."
