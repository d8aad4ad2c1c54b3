"""Settings of the whole test suite."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator

# As many tests run at once as there are cores: threads of numpy and torch beside them would only wait for one another.
# Read when they are first imported, here and in the processes that tests start.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

# numba colours, for errors that mostly do not come, what it tried in vain for every call: a twentieth of compiling.
os.environ["NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"] = "1"

# Hundreds of processes start here: each would compile every module again where none of them may keep what it compiled.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False

import pytest
from hypothesis import settings

from cardai.core import kernel, registry

pytest_plugins = ["pytester"]

# What is imported and compiled stays: looking for garbage took a twentieth of the time.
gc.set_threshold(20_000, 20, 50)

# A shell starts what runs in its background with Ctrl-C ignored, and its children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # so does nohup: ignored here still, but not by children

# The first call of a kernel compiles it, which no deadline allows for.
settings.register_profile("day", deadline=None, max_examples=20)
settings.register_profile("night", deadline=None, max_examples=60)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run what is marked long, too: oracles at their full size")
    parser.addoption("--cpu", type=int, default=0, metavar="N", help="name the N files whose tests took most CPU")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("night" if config.getoption("--long") else "day")


def is_long(item: pytest.Item) -> bool:
    """Whether a test is marked ``long``, or this case of it by a part of its id: ``long("a part")``, ``long(but="a part")``."""
    case = item.name.partition("[")[2]
    return any(
        any(part in case for part in mark.args) if mark.args else mark.kwargs.get("but", "[[") not in case
        for mark in item.iter_markers("long")
    )


def misnamed(items: list[pytest.Item]) -> list[str]:
    """Return the parts that a mark ``long`` names and no case of its test has in its id."""
    cases: dict[tuple[str, str], bool] = {}
    for item in items:
        test, _, case = item.nodeid.partition("[")
        for mark in item.iter_markers("long"):
            for part in (*mark.args, *mark.kwargs.values()):
                cases[test, part] = cases.get((test, part), False) or part in case
    return [f"{test}: no case has {part!r} in its id" for (test, part), found in cases.items() if not found]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not any("::" in argument for argument in config.args) and (wrong := misnamed(items)):
        raise pytest.UsageError("\n".join(wrong))
    if not config.getoption("--long"):
        for item in items:
            if is_long(item):
                item.add_marker(pytest.mark.skip(reason="long: --long runs it"))


def pytest_collection_finish() -> None:
    """Thousands of tests and what they imported stay to the end: collections of garbage need not go through them again."""
    gc.collect()
    gc.freeze()


_SPENT: Counter[str] = Counter()
"""CPU seconds of each file's tests, with those of the processes that they started and that have ended."""
_BEFORE = pytest.StashKey[float]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEFORE] = sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    yield
    item.user_properties.append(("cpu", sum(os.times()[:4]) - item.stash[_BEFORE]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        _SPENT[report.location[0]] += dict(report.user_properties).get("cpu", 0.0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.getoption("--cpu"):
        terminalreporter.section(f"CPU seconds: {_SPENT.total():.0f} in all")
        for file, seconds in _SPENT.most_common(count):
            terminalreporter.write_line(f"{seconds:7.1f} {file}")


@pytest.fixture(autouse=True)
def _kernels_stay_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that runs kernels as ordinary Python does so in its own test alone, not in what is imported afterwards."""
    monkeypatch.setattr(kernel, "_interpreted", kernel.interpreted())


@pytest.fixture(autouse=True)
def _no_files_stay() -> Iterator[None]:
    """One-file plugins that a test loads are known to that test alone."""
    yield
    if registry.plugin_files():
        registry.default.reset()
