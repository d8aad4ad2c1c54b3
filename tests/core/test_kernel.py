"""Kernels never run old rules: their cache is named by all kernel sources, ours and a third party's."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardai.core import kernel_sources
from tests.support import ROOT, fake_distribution, python, sizes

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
    # Python keeps its own .pyc by size and whole seconds of the time: two edits within one second are one to it.
    os.utime(package / "rules.py", (0, 1_600_000_000 + prize))
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
    monkeypatch.delenv("CARDAI_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    install = tmp_path / "site" / "cardai"
    install.mkdir(parents=True)
    monkeypatch.setattr(kernel_sources, "_OURS", install)
    kernel_sources._cache_home.cache_clear()
    assert kernel_sources._cache_home() == install / "__pycache__" / "kernels"
    kernel_sources._cache_home.cache_clear()
    monkeypatch.setattr(kernel_sources.os, "access", lambda path, mode: False)
    assert kernel_sources._cache_home() == tmp_path / "home" / "cardai" / "kernels"
    monkeypatch.undo()
    kernel_sources._cache_home.cache_clear()


@pytest.mark.long
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
    ours, theirs = tmp_path / "ours", tmp_path / "thirdparty"
    for package in (ours, theirs):
        package.mkdir()
        (package / "rules.py").write_text(f"@kernel # of {package.name}\n")
        (package / "text.py").write_text("1\n")
    monkeypatch.setattr(kernel_sources, "_OURS", ours)

    def fingerprints() -> tuple[str, str]:
        kernel_sources._fingerprint.cache_clear()
        kernel_sources._read_once.cache_clear()
        return kernel_sources._fingerprint(ours), kernel_sources._fingerprint(theirs)

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
    kernel_sources._fingerprint.cache_clear()


def test_an_edited_kernel_source_of_ours_changes_the_caches_of_those_that_reach_it(tmp_path: Path) -> None:
    root = tmp_path / "cardai"
    (root / "rooms").mkdir(parents=True)
    (root / "rooms" / "__init__.py").write_text("")
    texts = {
        "low.py": "@kernel\n",
        "passing.py": "from cardai.low import (  # a door between\n    f,\n)\n",
        "rooms/high.py": "    from cardai import passing\n@kernel\n",
        "apart.py": "import cardai.rooms\n@kernel\n",
    }
    for name, text in texts.items():
        (root / name).write_text(text)

    def reached(name: str) -> set[str]:
        kernel_sources._read_once.cache_clear()
        return {file.name for file in kernel_sources.reached(root / name, root)}

    assert reached("rooms/high.py") == {"high.py", "low.py"}
    assert reached("apart.py") == {"apart.py"}
    before = kernel_sources._hash_of(kernel_sources.reached(root / "rooms" / "high.py", root))
    (root / "low.py").write_text("@kernel # changed\n")
    assert kernel_sources._hash_of(kernel_sources.reached(root / "rooms" / "high.py", root)) != before


@pytest.mark.long
def test_processes_that_start_together_compile_a_kernel_once(tmp_path: Path) -> None:
    file, cache = tmp_path / "together.py", tmp_path / "cache"
    file.write_text(
        "from cardai.core.kernel import kernel, when_compiling\n@kernel\ndef f(n):\n    s = 0\n"
        + "".join(f"    for k{i} in range(n):\n        s += k{i} * {i}\n" for i in range(5))
        + "    return s\ntold = []\nwith when_compiling(lambda: told.append(1)):\n    f(3)\nprint(len(told), f(3))\n"
    )
    environment = {**os.environ, "CARDAI_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).parents[2])}
    started = [
        subprocess.Popen([sys.executable, str(file)], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0].split() for process in started]
    assert sorted(words[0] for words in said) == ["0", "1"]
    assert len({words[1] for words in said}) == 1
    assert len(list(cache.rglob("*.nbc"))) == 2, "what kernels take in, and what Python calls"


def test_a_kernel_that_only_kernels_call_is_no_function_of_python_until_python_calls_it(tmp_path: Path) -> None:
    """Machine code and wrappers that nobody calls were half of what compiling took."""
    file, cache = tmp_path / "stages.py", tmp_path / "cache"
    file.write_text(
        "from cardai.core.direct import direct\nfrom cardai.core.kernel import each_compiled, kernel\n"
        "@kernel\ndef inner(n):\n    if n < 0:\n        raise ValueError('below zero')\n    return n + 2\n"
        "@kernel\ndef count(n):\n    return 0 if n == 0 else 1 + count(n - 1)\n"
        "@kernel\ndef outer(n):\n    return inner(n) * 10 + count(n)\n"
        "told = []\nwith each_compiled(lambda name, count: told.append(name.split('.')[-1])):\n"
        "    print(outer(1), len(inner._called), len(inner.overloads))\n"
        "    try:\n        outer(-1)\n    except ValueError as error:\n        print(error)\n"
        "    print(inner(1), direct(inner, 1)(2), count(3), inner(1.5), len(inner._called))\nprint(*told)\n"
    )

    def run() -> list[str]:
        done = python(str(file), CARDAI_CACHE_DIR=str(cache))
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    values = ["31 0 1", "below zero", "3 4 3 3.5 2"]
    assert run() == [*values, "outer inner count inner"]
    assert run() == ["31 0 0", *values[1:], ""], "both stages come from the cache"


ORDERS = (["outer"], ["make"], ["outer", "make"], ["make", "outer"])


@pytest.mark.long
@pytest.mark.parametrize("orders", sizes(ORDERS[:2], (ORDERS,)))
def test_a_kernel_that_a_kernel_calls_first_is_read_whole_for_python(tmp_path: Path, orders: list[list[str]]) -> None:
    """What a wrapper makes Python's objects with lies in an environment that both stages name: numba read no second one."""
    file, cache = tmp_path / "making.py", tmp_path / "cache"
    file.write_text(
        "import sys\nimport numpy as np\nfrom cardai.core.kernel import kernel\n"
        "@kernel\ndef make(n):\n    return np.arange(n)\n@kernel\ndef outer(n):\n    return make(n).sum()\n"
        "for name in sys.argv[1:]:\n    print(dict(make=make, outer=outer)[name](3))\n"
    )
    for order in orders:
        done = python(str(file), *order, CARDAI_CACHE_DIR=str(cache))
        assert done.stdout.splitlines() == [{"make": "[0 1 2]", "outer": "3"}[name] for name in order], done.stderr


def test_a_function_of_numbas_own_that_calls_a_kernel_gets_all_that_the_kernel_calls(tmp_path: Path) -> None:
    """A kernel is kept without what it calls; what is called is long, so that it is not copied into what calls it."""
    body = "".join(f"    total += (n + {k}) % (n * n + {k + 2})\n" for k in range(16))
    (tmp_path / "calling.py").write_text(
        "import numba, sys\nfrom cardai.core.kernel import kernel\n"
        f"@kernel\ndef long(n):\n    total = 0\n{body}    return total\n"
        "@kernel\ndef between(n):\n    return long(n) + 1\n"
        "@kernel\ndef asked(n):\n    return between(n) + between(n + 1)\n"
        "@numba.njit\ndef outside(n):\n    return asked(n) + between(n)\n"
        "for name in sys.argv[1:]:\n    print(globals()[name](9))\n"
    )
    long = [sum((n + k) % (n * n + k + 2) for k in range(16)) for n in (9, 10)]
    found = {"outside": str(2 * long[0] + long[1] + 3), "asked": str(sum(long) + 2), "long": str(long[0])}
    for order in (["outside", "long"], ["asked", "outside", "long"]):  # compiled here, then read from the cache
        done = python(str(tmp_path / "calling.py"), *order, CARDAI_CACHE_DIR=str(tmp_path / "cache"))
        assert done.stdout.split() == [found[name] for name in order], done.stderr


def test_kernels_that_two_processes_compiled_for_other_records_are_told_apart(tmp_path: Path) -> None:
    """Each names its record by the same number, and numba ran the first one's kernel for both (a seat's cards were zeros).

    What is called is long, so that it is not copied into what calls it.
    """
    body = "".join(f"    total += (rows[0]['b'] + {k}) % (times + {k + 2})\n" for k in range(16))
    (tmp_path / "records.py").write_text(
        "import sys\nimport numpy as np\nfrom cardai.core.kernel import kernel\n"
        f"@kernel\ndef long(rows, times):\n    total = 0\n{body}    return total\n"
        "@kernel\ndef asked(rows, times):\n    return long(rows, times)\n"
        "for fields in sys.argv[1:]:\n"
        "    rows = np.zeros(1, [(name, np.int64) for name in fields])\n"
        "    rows['b'] = 7\n    print(asked(rows, 9))\n"
    )
    found = str(sum((7 + k) % (9 + k + 2) for k in range(16)))

    def run(*fields: str) -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "CARDAI_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, str(tmp_path / "records.py"), *fields]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert run("abc") == run("acb") == [found]
    assert run("abc", "acb") == [found, found]


def test_functions_of_numbas_own_that_two_processes_compiled_under_one_name_are_told_apart(tmp_path: Path) -> None:
    """Both processes called the sorting inside of sort and of argsort the same: who calls both had places for numbers."""
    (tmp_path / "sorting.py").write_text(
        "import sys\nimport numpy as np\nfrom cardai.core.kernel import kernel\n"
        "@kernel\ndef least(row):\n    row.sort()\n    return row[0]\n"
        "@kernel\ndef place(row):\n    return row.argsort()[0]\n"
        "@kernel\ndef both(row):\n    found = place(row)\n    return least(row), found\n"
        "print(globals()[sys.argv[1]](np.arange(60)[::-1].copy()))\n"
    )
    found = {"least": "0", "place": "59", "both": "(0, 59)"}
    for name in found:
        done = python(str(tmp_path / "sorting.py"), name, CARDAI_CACHE_DIR=str(tmp_path / "cache"))
        assert done.stdout.strip() == found[name], done.stderr


@pytest.mark.long
def test_looking_for_garbage_is_as_before_when_a_kernel_is_compiled_or_cannot_be(tmp_path: Path) -> None:
    file = tmp_path / "asking.py"
    file.write_text(
        "import gc\nfrom cardai.core.kernel import kernel\ngc.set_threshold(600, 9, 8)\n@kernel\ndef g(n):\n    return n + 2\n"
        "@kernel\ndef f(n):\n    return g(n) + 1\nf(1)\nprint(gc.get_threshold())\ntry:\n    f(None)\n"
        "except Exception as error:\n    print(type(error).__name__, gc.get_threshold())\n"
    )
    done = python(str(file), CARDAI_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.splitlines() == ["(600, 9, 8)", "TypingError (600, 9, 8)"], done.stderr


@pytest.mark.long
def test_a_kernel_that_cannot_be_compiled_keeps_nobody_waiting(tmp_path: Path) -> None:
    file, cache = tmp_path / "failing.py", tmp_path / "cache"
    file.write_text(
        "from cardai.core import kernel, kernel_sources\nfrom pathlib import Path\n@kernel.kernel\ndef f(n):\n    return n + 1\n"
        "kernel._PATIENCE = 0.0\ntry:\n    f(None)\nexcept Exception as error:\n    print(type(error).__name__)\n"
        "(path,) = Path(kernel_sources._cache_home()).rglob('*.lock')\nfor _ in range(2):\n"
        "    lock = kernel._locked(path)\n    print(lock is not None)\n    kernel._unlock(lock)\n    f(1)\n"
    )
    done = python(str(file), CARDAI_CACHE_DIR=str(cache))
    assert done.stdout.split() == ["TypingError", "True", "True"], done.stderr


def test_a_cache_that_cannot_be_written_stops_no_kernel(tmp_path: Path) -> None:
    file, cache = tmp_path / "writing.py", tmp_path / "cache"
    file.write_text("from cardai.core.kernel import kernel\n@kernel\ndef f(n):\n    return n + 1\nprint(f(1))\n")
    cache.write_text("no directory")
    done = python(str(file), CARDAI_CACHE_DIR=str(cache))
    assert done.stdout.split() == ["2"], done.stderr


def test_what_kernels_read_from_other_files_is_in_a_kernel_source() -> None:
    """Else an edit there would not change the cache: a constant's file says ``# kernel constants``."""
    package = ROOT / "cardai"
    files = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in package.rglob("*.py")}
    read = 0
    for file in files.values():
        text = file.read_bytes()
        if b"@kernel" not in text:
            continue
        tree = ast.parse(text)
        places = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cardai.")
            for alias in node.names
        }
        for name in {name for name in names_in_kernels(tree) if name in places}:
            module, member = places[name]
            place = files.get(f"{module}.{member}") or files.get(module) or files[f"{module}.__init__"]
            assert kernel_sources._read(place).is_kernel_source, f"{file}: {name} of {place}"
            assert place in kernel_sources.reached(file, package)
            read += 1
    assert read > 100


def names_in_kernels(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list):
            yield from (inner.id for part in node.body for inner in ast.walk(part) if isinstance(inner, ast.Name))


@pytest.mark.long
def test_an_array_in_a_slice_of_another_shape_is_an_error_that_brings_no_code_for_text(tmp_path: Path) -> None:
    """numba writes both shapes into its sentence, and compiling what makes text takes a second."""
    file = tmp_path / "placing.py"
    file.write_text(
        "import numpy as np\nfrom numba.core import event\nfrom cardai.core.kernel import kernel\ncompiled = []\n"
        "@kernel\ndef f(a, b):\n    a[1:] = b\na = np.zeros(3)\n"
        "class Names(event.Listener):\n    def on_start(self, event):\n"
        "        compiled.append(event.data['dispatcher'].__name__)\n    def on_end(self, event):\n        pass\n"
        "with event.install_listener('numba:compile', Names()):\n    f(a, np.array([1.0, 2.0]))\n"
        "try:\n    f(a, np.ones(3))\nexcept ValueError:\n    print(a.tolist(), len(compiled) < 5)\n"
    )
    done = python(str(file), CARDAI_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout.strip() == "[0.0, 1.0, 2.0] True", done.stderr


@pytest.mark.long
@pytest.mark.parametrize("text", [b"[console_scripts]\nx\xff = x\n", b"[console_scripts]\nno equals sign\n"])
def test_a_damaged_package_of_somebody_elses_stops_no_kernel(text: bytes, tmp_path: Path) -> None:
    """numba reads the entry points of all packages before the first kernel runs: those that are whole still extend it."""
    fake_distribution(tmp_path, "stranger", "", {})
    (tmp_path / "stranger-1.0.dist-info" / "entry_points.txt").write_bytes(text)
    extending = {"extending": "def init():\n    print('extended')\n"}
    fake_distribution(tmp_path, "extender", "[numba_extensions]\ninit = extending:init\n", extending)
    file, cache = tmp_path / "beside.py", tmp_path / "cache"
    file.write_text("from cardai.core.kernel import kernel\n@kernel\ndef f(n):\n    return n + 1\nprint(f(1))\n")
    done = python(str(file), path=tmp_path, CARDAI_CACHE_DIR=str(cache))
    assert done.stdout.split() == ["extended", "2"], done.stderr


@pytest.mark.long
def test_a_kernel_that_is_compiled_apart_is_only_read_here_and_what_cannot_be_is_compiled_here(tmp_path: Path) -> None:
    """The second ends as soon as the work is over; who waits for a kernel then is told so and compiles nothing."""
    write_package(tmp_path, "apartparty", 7)
    script = (
        "import apartparty.play as there, cardai.core.compiling as compiling, threading, time\n"
        "from apartparty.rules import prize\n"
        "from cardai.core.kernel import each_compiled, kernel\n"
        "@kernel\ndef here(n):\n    return n + 1\n"
        "told = []\n"
        "with each_compiled(lambda name, count: told.append((name, count))), compiling.compiled_apart():\n"
        "    print(there.play(10), len(there.play.overloads), here(2), len(here.overloads), prize(2.5))\n"
        "print(told)\n"
        "compiling._begun = lambda begun=compiling._begun: waits.append(begun()) or waits[0]\n"
        "waits, said = [], []\n"
        "def late():\n"
        "    try:\n        there.play(1.5)\n    except Exception as error:\n        said.append(error)\n"
        "with compiling.compiled_apart():\n"
        "    (waiting := threading.Thread(target=late)).start()\n"
        "    while not waits:\n        time.sleep(0.01)\n"
        "waiting.join()\n"
        "print(*said, len(there.play.overloads), waits[0].poll() is not None)\n"
    )
    done = python("-c", script, path=tmp_path, CARDAI_CACHE_DIR=str(tmp_path / "cache"))
    play, prize = "apartparty.play.play", "apartparty.rules.prize"
    assert done.stdout.splitlines() == [
        "71 0 3 1 17.5",
        str([(play, 1), (prize, 2), ("__main__.here", 3), (prize, 4)]),
        "This program ends: nothing more is compiled. 0 True",
    ], done.stderr
