"""The architecture as a test: who may import whom, how long files may be, and that every module imports alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardai.core import registry
from tests.support import ROOT

PACKAGE = ROOT / "cardai"
MODULES = sorted(PACKAGE.rglob("*.py"))

ALLOWED = {
    "core": {"core"},
    "cards": {"cards", "core"},
    "pieces": {"core"},
    "training": {"training", "pieces", "cards", "core"},
    "make": {"training", "core"},
    "arena": {"arena", "make", "pieces", "training", "cards", "core"},
    "learn": {"learn", "arena", "make", "pieces", "training", "cards", "core"},
    "solve": {"solve", "arena", "make", "pieces", "training", "cards", "core"},
    "formats": {"formats", "arena", "make", "training", "cards", "core"},
    "bridges": {"bridges", "arena", "make", "training", "cards", "core"},
    "subgames": {"subgames", "solve", "learn", "arena", "make", "pieces", "training", "cards", "core"},
    "testing": {"testing", "arena", "make", "training", "cards", "core"},
    "plugins": {
        "plugins", "subgames", "learn", "solve", "formats", "bridges", "arena", "make", "pieces", "training", "cards", "core",
    },
    "ui": {"ui", "plugins", "subgames", "learn", "solve", "formats", "bridges", "arena", "make", "training", "cards", "core", "api"},
    "commands": {
        "commands", "ui", "testing", "plugins", "subgames", "learn", "solve", "formats", "bridges", "arena", "make",
        "pieces", "training", "cards", "core", "api",
    },
    "cli": {"cli", "commands", "core"},
    "api": {"api", "bridges", "subgames", "solve", "arena", "make", "training", "core"},
    "__main__": {"cli"},
    "": {"core", "api", "solve"},
}  # fmt: skip
"""Layer -> what of cardai it may import: cli > commands, ui > plugins > subgames, learn, solve, formats, bridges >
arena > make > training > cards > core. Within a layer, no module of another layer at the same height."""


def dotted(file: Path) -> str:
    """Return the name of a module of cardai."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports anywhere, also inside functions and for type checking."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def inner_imports(file: Path) -> set[str]:
    """Return the modules of cardai that a file imports, without the leading ``cardai.``."""
    found = {name.removeprefix("cardai.") for name in imports(file) if name.startswith("cardai.")}
    return {name for name in found if not name.startswith(("hookimpl", "__version__"))}


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_imports_respect_the_layers(file: Path) -> None:
    name = dotted(file)
    layer = name.split(".")[1] if "." in name else ""
    for other in inner_imports(file):
        if other.split(".")[0] not in {p.name.removesuffix(".py") for p in PACKAGE.iterdir()}:
            continue  # a name of the package itself, like cardai.game
        # "from cardai.core import rng" gives both core and core.rng; the first alone says nothing
        known = any(other == prefix or other.startswith(f"{prefix}.") for prefix in ALLOWED[layer])
        parent = any(prefix.startswith(f"{other}.") for prefix in ALLOWED[layer])
        assert known or parent, f"{name} ({layer}) must not import cardai.{other}"


def runtime_imports(file: Path) -> set[str]:
    """Return the modules of cardai that a file imports when it runs: at its top or inside functions, not for types."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
    known = {dotted(f) for f in MODULES}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else node.module or "")
    return {name for name in found if name in known}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected sets of more than one module (Tarjan 1972), or of one that imports itself."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            at = stack.index(name)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1 or name in graph[name]:
                found.append(sorted(group))

    for name in graph:
        if name not in number:
            visit(name)
    return found


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert circles({dotted(file): runtime_imports(file) for file in MODULES}) == []


def plugin_of(name: str) -> str:
    """Return the plugin that a module below cardai.plugins belongs to: kind.plugin."""
    return ".".join(name.split(".")[:2])


@pytest.mark.parametrize("file", [f for f in MODULES if "plugins" in f.parts], ids=dotted)
def test_plugins_do_not_import_one_another(file: Path) -> None:
    mine = plugin_of(dotted(file).removeprefix("cardai.plugins."))
    for other in inner_imports(file):
        if other.count(".") >= 2 and other.startswith("plugins."):
            theirs = plugin_of(other.removeprefix("plugins."))
            private = theirs.split(".")[1].startswith("_") and theirs.split(".")[0] == mine.split(".")[0]
            assert theirs == mine or private, f"{dotted(file)} imports another plugin, {other}"


def importers(*libraries: str) -> set[str]:
    """Return the modules of cardai that import any of ``libraries``."""
    return {dotted(f) for f in MODULES if {m.split(".")[0] for m in imports(f)} & set(libraries)}


def test_torch_stays_with_learning() -> None:
    found = importers("torch", "safetensors")
    assert not {name for name in found if not name.startswith(("cardai.learn", "cardai.plugins.trainers"))}


def test_only_the_kernel_module_and_the_lanes_know_numba() -> None:
    # subgames._lanes writes vector instructions, which need numba's extending API
    assert importers("numba") == {"cardai.core.kernel", "cardai.subgames._lanes"}


WRITES = re.compile(
    r"\.write_(text|bytes)\(|savez|save_file\(|os\.re(place|name)\(|open\([^)]*\"[wax]b?\+?\"|NamedTemporary"
)
OTHERWISE = {
    "cardai.core.files": "Output itself",
    "cardai.core.npz": "the members of an archive that is an Output",
    "cardai.training.runs": "a checkpoint is a directory, renamed when it is whole",
    "cardai.training.sweeps": "a run that came back from a cluster is a directory, renamed when it is whole",
    "cardai.training.session": "metrics.jsonl grows line by line and is cut when a run is taken up",
    "cardai.training.events": "TensorBoard's files grow",
    "cardai.formats.acpc.processes": "what a process of a match says grows while it runs, as the dealer's log",
    "cardai.formats.acpc.matchfiles": "the dealer's log grows hand by hand, as the C dealer's",
    "cardai.testing._trainer": "damages checkpoints on purpose",
    "cardai.commands.process": "what stands for a closed stderr",
}


@pytest.mark.parametrize("file", MODULES, ids=dotted)
def test_files_are_written_in_one_way(file: Path) -> None:
    """Beside and renamed when whole, by core.files.Output: nothing else opens files for writing."""
    if dotted(file) not in OTHERWISE:
        assert not WRITES.search(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", sorted((PACKAGE / "core").glob("*.py")), ids=dotted)
def test_core_files_stay_small(file: Path) -> None:
    """300 lines of code; blank lines, comments and docstrings are not counted."""
    assert code_lines(file) <= 300


def code_lines(file: Path) -> int:
    """Return the number of lines that hold code."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    skipped = set()
    for node in ast.walk(tree):
        is_text = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if is_text:
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))  # type: ignore[attr-defined]
    lines = enumerate(text.splitlines(), 1)
    return sum(1 for n, line in lines if n not in skipped and line.strip() and not line.strip().startswith("#"))


def test_every_module_imports_alone() -> None:
    """In one process a layer, forgetting cardai's modules between imports; -W error as in the test suite."""
    script = """
import importlib, sys
for name in sys.argv[1:]:
    for module in [m for m in sys.modules if m.split(".")[0] == "cardai"]:
        del sys.modules[module]
    importlib.import_module(name)
"""
    names = [dotted(f) for f in MODULES if dotted(f) != "cardai.__main__"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning:torch", "-c", script, *names],
        capture_output=True, text=True, timeout=500, cwd=ROOT, env={"NUMBA_DISABLE_JIT": "1", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_plugin_of_ours_is_listed_with_a_summary() -> None:
    for entry in registry.entries():
        if entry.distribution == "cardai":
            assert entry.summary().endswith("."), f"{entry.kind} {entry.name} has no one-line summary"
            assert (ROOT / Path(*entry.module.split("."))).with_suffix(".py").is_file() or (
                ROOT / Path(*entry.module.split(".")) / "__init__.py"
            ).is_file()
