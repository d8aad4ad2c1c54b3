"""Kernels never run old rules: their cache is named by all kernel sources, ours and a third party's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import python

RULES = "# kernel constants\nfrom cardai.core.kernel import kernel\nPRIZE = {prize}\n@kernel\ndef prize(n):\n    return n * PRIZE\n"
PLAY = (
    "from cardai.core.kernel import kernel\nfrom {package}.rules import prize\n"
    "@kernel\ndef play(n):\n    return prize(n) + 1\n"
)


def write_package(base: Path, name: str, prize: int) -> None:
    package = base / name
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text(RULES.format(prize=prize))
    (package / "play.py").write_text(PLAY.format(package=name))


def play(base: Path, cache: Path, name: str = "thirdparty") -> int:
    done = python("-c", f"from {name}.play import play; print(play(10))", path=base, CARDAI_CACHE_DIR=str(cache))
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_an_edited_callee_in_another_file_gives_the_new_result(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    write_package(tmp_path, "thirdparty", 2)
    assert play(tmp_path, cache) == 21
    assert any(cache.rglob("*.nbc")), "nothing was cached"
    directories = set(cache.iterdir())
    assert play(tmp_path, cache) == 21
    assert set(cache.iterdir()) == directories, "an unchanged package compiled anew"
    write_package(tmp_path, "thirdparty", 3)
    assert play(tmp_path, cache) == 31
    assert {d.name.split("-")[1] for d in cache.iterdir() if "-" in d.name} >= {"thirdparty"}


def test_the_same_kernel_runs_uncompiled(tmp_path: Path) -> None:
    write_package(tmp_path, "plainparty", 5)
    script = "import sys; from plainparty.play import play; print(play(10), 'numba' in sys.modules)"
    done = python("-c", script, path=tmp_path, NUMBA_DISABLE_JIT="1", CARDAI_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.split() == ["51", "False"]
    assert not (tmp_path / "cache").exists()


def test_interpret_turns_compiling_off_for_what_is_defined_later() -> None:
    script = (
        "import sys; from cardai.core.kernel import interpret, interpreted; interpret()\n"
        "from cardai.core.rng import derive, hash64; import numpy as np\n"
        "print(interpreted(), int(hash64(np.uint64(2**63), 2)) > 0, 'numba' in sys.modules)"
    )
    assert python("-c", script).stdout.split() == ["True", "True", "False"]


def test_a_read_only_install_falls_back_to_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cardai.core import kernel

    monkeypatch.delenv("CARDAI_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    install = tmp_path / "site" / "cardai"
    install.mkdir(parents=True)
    monkeypatch.setattr(kernel, "_OURS", install)
    kernel._cache_home.cache_clear()
    assert kernel._cache_home() == install / "__pycache__" / "kernels"
    kernel._cache_home.cache_clear()
    monkeypatch.setattr(kernel.os, "access", lambda path, mode: False)
    assert kernel._cache_home() == tmp_path / "home" / "cardai" / "kernels"
    monkeypatch.undo()
    kernel._cache_home.cache_clear()


def test_a_kernel_that_is_a_single_file_is_cached_by_its_text(tmp_path: Path) -> None:
    file, cache = tmp_path / "lonely.py", tmp_path / "cache"
    text = "from cardai.core.kernel import kernel\n@kernel\ndef f(n):\n    return n + {}\nprint(f(1))\n"
    for number in (1, 2):
        file.write_text(text.format(number))
        environment = {**os.environ, "CARDAI_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True, timeout=120)
        assert done.stdout.strip() == str(number + 1), done.stderr


def test_a_third_partys_kernels_are_cached_anew_when_ours_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.core import kernel

    ours, theirs = tmp_path / "ours", tmp_path / "thirdparty"
    for package in (ours, theirs):
        package.mkdir()
        (package / "rules.py").write_text("@kernel\n")
        (package / "text.py").write_text("1\n")
    monkeypatch.setattr(kernel, "_OURS", ours)

    def fingerprints() -> tuple[str, str]:
        kernel._fingerprint.cache_clear()
        return kernel._fingerprint(ours), kernel._fingerprint(theirs)

    first = fingerprints()
    assert first[0] != first[1]
    (ours / "text.py").write_text("2\n")  # no kernel source
    assert fingerprints() == first
    (theirs / "rules.py").write_text("@kernel # changed\n")
    second = fingerprints()
    assert (second[0] == first[0], second[1] == first[1]) == (True, False)
    (ours / "rules.py").write_text("@kernel # changed\n")
    third = fingerprints()
    assert third[0] != second[0]
    assert third[1] != second[1]
    kernel._fingerprint.cache_clear()
