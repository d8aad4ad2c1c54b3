"""The architecture as a test: who may import whom, that games are asked and not guessed, how long files and functions may
be, what every door says, and that every module imports alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from cardai.core import registry
from tests.support import ROOT, sizes

PACKAGE = ROOT / "cardai"
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()}

_BASE = {"pieces", "training", "cards", "core"}
_ANY = {"study", "solve", "learn", "bridges", "arena", "make", *_BASE}
"""The rooms for any game, and what is below them."""
_FAMILIES = {"poker", "draw", "gin"}
_ALL = {"plugins", "formats", *_FAMILIES, *_ANY}

ALLOWED = {
    "core": {"core"},
    "cards": {"cards", "core"},
    "pieces": {"pieces", "core"},
    "training": {"training", "pieces", "cards", "core"},
    "make": {"training", "core"},
    "arena": {"arena", "make", *_BASE},
    "learn": {"learn", "arena", "make", *_BASE},
    "study": {"study", "arena", "make", *_BASE},
    "solve": {"solve", "arena", "make", *_BASE},
    "bridges": {"bridges", "arena", "make", *_BASE},
    "poker": {"poker", *_ANY},
    "draw": {"draw", "poker", *_ANY},  # draw poker bets and compares as poker does
    "gin": {"gin", *_ANY},
    "formats": {"formats", *_FAMILIES, *_ANY},
    "plugins": _ALL,
    "testing": {"testing", *_FAMILIES, "arena", "make", "training", "cards", "core"},
    "ui": {"ui", "api", *_ALL} - {"pieces"},
    "web": {"web", "ui", "api", *_ALL} - {"pieces"},  # scenes, keys, matches; what knows textual is the terminal's
    "commands": {"commands", "ui", "web", "testing", "api", *_ALL},
    "cli": {"cli", "commands", "core"},
    "api": {"api", "poker", *_ANY},
    "__main__": {"cli"},
    "": {"core", "api", "bridges", "solve"},
}
"""Layer -> what of cardai it may import: cli > commands > web > ui > plugins > formats > poker, draw, gin > study, solve, learn,
bridges > arena > make > training > cards > core. Within a layer, no module of another layer at the same height."""


def dotted(file: Path) -> str:
    """Return the name of a module of cardai."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(file: Path) -> ast.Module:
    """Return the syntax tree of a file: not to be changed."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def import_statements(file: Path) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
    """Return the imports anywhere in a file, also inside functions, each with whether it is for type checking alone."""
    found: list[tuple[ast.Import | ast.ImportFrom, bool]] = []
    left: list[tuple[ast.AST, bool]] = [(parsed(file), False)]
    while left:
        node, for_types = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, for_types))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            left += [(child, True) for child in node.body] + [(child, for_types) for child in node.orelse]
        elif not isinstance(node, ast.expr):  # no statement stands in an expression
            left += [(child, for_types) for child in ast.iter_child_nodes(node)]
    return tuple(found)


@cache
def imports(file: Path) -> frozenset[str]:
    """Return the modules that a file imports anywhere, also inside functions and for type checking."""
    found: set[str] = set()
    for node, _ in import_statements(file):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            assert node.level == 0, f"{file} imports relatively"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def inner_imports(file: Path) -> set[str]:
    """Return the modules of cardai that a file imports, without the leading ``cardai.``."""
    found = {name.removeprefix("cardai.") for name in imports(file) if name.startswith("cardai.")}
    return {name for name in found if not name.startswith(("hookimpl", "__version__"))}


def upwards(file: Path) -> Iterator[str]:
    """Yield what is wrong with a file's imports: those of a layer that its own may not import."""
    name = dotted(file)
    layer = name.split(".")[1] if "." in name else ""
    for other in inner_imports(file):
        if other.split(".")[0] not in LAYERS:
            continue  # a name of the package itself, like cardai.game
        # "from cardai.core import rng" gives both core and core.rng; the first alone says nothing
        known = any(other == prefix or other.startswith(f"{prefix}.") for prefix in ALLOWED[layer])
        parent = any(prefix.startswith(f"{other}.") for prefix in ALLOWED[layer])
        if not known and not parent:
            yield f"{name} ({layer}) must not import cardai.{other}"


def test_imports_respect_the_layers() -> None:
    assert [wrong for file in MODULES for wrong in upwards(file)] == []


@cache
def module_names() -> frozenset[str]:
    """Return the names of all modules of cardai."""
    return frozenset(dotted(file) for file in MODULES)


def runtime_imports(file: Path) -> set[str]:
    """Return the modules of cardai that a file imports when it runs: at its top or inside functions, not for types."""
    return modules_of(node for node, for_types in import_statements(file) if not for_types)


def all_imports(file: Path) -> set[str]:
    """Return the modules of cardai that a file imports, also for types alone."""
    return modules_of(node for node, _ in import_statements(file))


def modules_of(statements: Iterable[ast.Import | ast.ImportFrom]) -> set[str]:
    """Return the modules of cardai that these statements import."""
    known, found = module_names(), set()
    for node in statements:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
            continue
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            found.add(inner if inner in known else node.module or "")
    return found & known


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


TYPE_CIRCLES: tuple[set[str], ...] = (
    {"bridges.spiel_games", "bridges.spiel_worlds"},
    {"core.drawing", "core.game"},
    {"core.row_state", "core.rows"},
    {"training.runs", "training.specs"},
    {"arena.match", "arena.ratings", "arena.report", "arena.tournament"},
    {"formats.acpc.dealer", "formats.acpc.matchfiles"},
    {"poker.ranges.showing", "poker.ranges.solution"},
    {"poker.rules.board_game", "poker.rules.determinize"},
)
"""Modules that know one another's types: two halves of one thing. No others may; a plugin's own modules count as one."""


def test_no_modules_know_one_anothers_types_in_a_circle_but_halves_of_one_thing() -> None:
    def place(name: str) -> str:
        return ".".join(name.split(".")[:4]) if name.startswith("cardai.plugins.") else name

    graph: dict[str, set[str]] = {}
    for file in MODULES:
        name = place(dotted(file))
        graph.setdefault(name, set()).update({place(other) for other in all_imports(file)} - {name})
    found = [{name.removeprefix("cardai.") for name in circle} for circle in circles(graph)]
    assert [circle for circle in found if not any(circle <= known for known in TYPE_CIRCLES)] == []


def plugin_of(name: str) -> str:
    """Return the plugin that a module below cardai.plugins belongs to: kind.plugin."""
    return ".".join(name.split(".")[:2])


def sideways(file: Path) -> Iterator[str]:
    """Yield the other plugins that a file of a plugin imports."""
    mine = plugin_of(dotted(file).removeprefix("cardai.plugins."))
    for other in inner_imports(file):
        if other.count(".") >= 2 and other.startswith("plugins."):
            theirs = plugin_of(other.removeprefix("plugins."))
            private = theirs.split(".")[1].startswith("_") and theirs.split(".")[0] == mine.split(".")[0]
            if theirs != mine and not private:
                yield f"{dotted(file)} imports another plugin, {other}"


def test_plugins_do_not_import_one_another() -> None:
    assert [wrong for file in MODULES if "plugins" in file.parts for wrong in sideways(file)] == []


def importers(*libraries: str) -> set[str]:
    """Return the modules of cardai that import any of ``libraries``."""
    return {dotted(f) for f in MODULES if {m.split(".")[0] for m in imports(f)} & set(libraries)}


def test_torch_stays_with_learning() -> None:
    families = {"poker.ranges.torch_cfr", "poker.values.torch_networks"}
    families |= {f"poker.responses.{name}" for name in ("dense_showdowns", "device_walk", "device_rivers")}
    found = {name.removeprefix("cardai.") for name in importers("torch", "safetensors")} - families
    assert not {name for name in found if not name.startswith(("learn.", "plugins.trainers."))}


def test_only_the_kernel_module_and_the_lanes_know_numba() -> None:
    # the lanes write vector instructions, which need numba's extending API
    assert importers("numba") == {"cardai.core.kernel", "cardai.poker.ranges._lane_code"}


WRITES = re.compile(
    r"\.write_(text|bytes)\(|savez|save_file\(|os\.re(place|name)\(|open\([^)]*\"[wax]b?\+?\"|NamedTemporary"
)
OTHERWISE = {
    "cardai.core.files": "Output itself",
    "cardai.core.kernel": "the lock of a folder of kernels, a file that holds nothing",
    "cardai.core.npz": "the members of an archive that is an Output",
    "cardai.training.runs": "a checkpoint is a directory, renamed when it is whole",
    "cardai.training.sweeps": "a run that came back from a cluster is a directory, renamed when it is whole",
    "cardai.training.session": "metrics.jsonl grows line by line and is cut when a run is taken up",
    "cardai.training.events": "TensorBoard's files grow",
    "cardai.formats.acpc.processes": "what a process of a match says grows while it runs, as the dealer's log",
    "cardai.formats.acpc.groups": "the streams of a forked process",
    "cardai.formats.acpc.matchfiles": "the dealer's log grows hand by hand, as the C dealer's",
    "cardai.testing._trainer": "damages checkpoints on purpose",
    "cardai.commands.process": "what stands for a closed stderr",
}


def test_files_are_written_in_one_way() -> None:
    """Beside and renamed when whole, by core.files.Output: nothing else opens files for writing."""
    files = [file for file in MODULES if dotted(file) not in OTHERWISE]
    assert [dotted(file) for file in files if WRITES.search(file.read_text(encoding="utf-8"))] == []


PRINTERS = {
    "cardai.core.console": "the one console of rich",
    "cardai.core.notes": "lines on standard error",
    "cardai.core.files": "standard output as a file; a terminal gets its text",
    "cardai.commands.invocation": "which stream results go to, and a line on it",
    "cardai.commands.process": "streams that were closed, or break",
    "cardai.formats.acpc.groups": "a forked process gets streams of its own",
    "cardai.cli": "typer's own help; the version",
    "cardai.formats.acpc.dealer": "the dealer's streams, or others that a test gives it; players' words are shown there",
    "cardai.pieces.workers": "what plugins print goes to stderr",
    "cardai.pieces.cluster": "what plugins print goes to stderr",
    "cardai.pieces.doers": "what plugins print goes to stderr",
    "cardai.arena.slices": "what plugins print goes to stderr",
    "cardai.ui.base": "the one app of textual",
}
"""What holds a stream, a console or an app itself, and why. All others print through the first two and the last."""
_STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__")


def prints(tree: ast.Module) -> list[str]:
    """Return the places of a module that print past the consoles: streams, but whether they are a terminal; print and echo."""
    nodes = list(ast.walk(tree))
    asked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr in ("isatty", "flush")}
    found = []
    for node in nodes:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in (
            getattr(node.test, "id", ""),
            getattr(node.test, "attr", ""),
        ):
            asked |= {id(child) for child in ast.walk(node)}
    for node in nodes:
        if id(node) in asked:
            continue
        if isinstance(node, ast.Attribute) and node.attr in _STREAMS:
            held = isinstance(node.value, ast.Name) and node.value.id == "sys"
        elif isinstance(node, ast.Call):
            ends = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            name = ast.unparse(node.func) if ends in ("echo", "secho", "write") else name
            held = name in ("print", "input") or name.endswith((".echo", ".secho", "stdout().write"))
        elif isinstance(node, ast.ImportFrom):
            taken = {(node.module, alias.name) for alias in node.names}
            held = bool(taken & {("rich.console", "Console"), ("rich", "print"), ("textual.app", "App")})
        else:
            held = False
        found += [f"{node.lineno}: {ast.unparse(node)}"] if held else []  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("print('x')", 1),
        ("sys.stderr.write('x')", 1),
        ("stdout().write('x')", 1),
        ("typer.echo('x')", 1),
        ("stream = sys.__stdout__", 1),
        ("from rich.console import Console, Group", 1),
        ("from textual.app import App", 1),
        ("answer = input('> ')", 1),
        ("if TYPE_CHECKING:\n    from textual.app import App", 0),
        ("sys.stderr.isatty() and out().print('x') or _print('x')", 0),
        ("from rich.console import RenderableType", 0),
    ],
)
def test_what_prints_past_the_consoles_is_found(text: str, count: int) -> None:
    assert len(prints(ast.parse(text))) == count


def test_whatever_is_printed_passes_the_places_that_show_it_as_text() -> None:
    words = re.compile(r"\b(print|input|echo|secho|write|rich|textual|_*std(out|err)_*)\b")
    speak = [file for file in MODULES if words.search(file.read_text(encoding="utf-8"))]
    found = {dotted(file): prints(parsed(file)) for file in speak}
    assert {name: places for name, places in found.items() if places and name not in PRINTERS} == {}
    assert [name for name in PRINTERS if not found[name]] == [], "prints no longer: take it off the list"


GAMES = {"game", "made_for", "own", "played", "real"}
"""What games are called, as a name or as an attribute of something."""


def guesses(text: str) -> list[str]:
    """Return the places of a module's text that ask a game for what it may not have, or silence that it may not."""
    found = [
        f"{number}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(r"type: ignore\[[^]]*attr-defined", line)
    ]
    for node in ast.walk(ast.parse(text)) if "getattr" in text or "hasattr" in text else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            asked = node.args[0]
            name = asked.id if isinstance(asked, ast.Name) else asked.attr if isinstance(asked, ast.Attribute) else ""
            found += [f"{node.lineno}: {ast.unparse(node)}"] if name in GAMES else []
    return found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("getattr(game, 'suits', True)", 1),
        ("hasattr(self.game, 'pays')", 1),
        ("mapped.game.ladder  # type: ignore[attr-defined]", 1),
        ("getattr(player, 'suits_alike', False)", 0),
        ("game.ladder  # type: ignore[override]", 0),
    ],
)
def test_a_guess_about_a_game_is_found(text: str, count: int) -> None:
    assert len(guesses(text)) == count


def test_a_game_says_what_it_is_and_nobody_guesses() -> None:
    found = {dotted(file).removeprefix("cardai."): guesses(file.read_text(encoding="utf-8")) for file in MODULES}
    assert {name: places for name, places in found.items() if places} == {}


def test_every_door_says_what_belongs_in() -> None:
    doors = [file for file in MODULES if file.name == "__init__.py"]
    said = {dotted(door): ast.get_docstring(parsed(door)) or "" for door in doors}
    assert [name for name, text in said.items() if len(text) < 20] == []


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


LINES, FUNCTION = 400, 40
"""The most lines of a file, and of a function without its docstring."""
LONG_FILES: dict[str, int] = {}
LONG_FUNCTIONS: dict[str, int] = {}
"""What is longer, by how many lines it has."""


def functions_of(file: Path) -> Iterator[tuple[str, int]]:
    """Yield (module.function, lines without the docstring) of each function of a file, nested ones too."""
    left: list[ast.AST] = [parsed(file)]
    while left:
        node = left.pop()
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            text = node.body[0] if ast.get_docstring(node) is not None else None
            said = (text.end_lineno or 0) - text.lineno + 1 if text is not None else 0
            yield f"{dotted(file).removeprefix('cardai.')}.{node.name}", (node.end_lineno or 0) - node.lineno + 1 - said


def test_files_and_functions_stay_short() -> None:
    files = {dotted(f).removeprefix("cardai."): len(f.read_text(encoding="utf-8").splitlines()) for f in MODULES}
    functions: dict[str, int] = {}
    for name, lines in (entry for file in MODULES for entry in functions_of(file)):
        functions[name] = max(lines, functions.get(name, 0))
    for found, most, listed in ((files, LINES, LONG_FILES), (functions, FUNCTION, LONG_FUNCTIONS)):
        assert {name: lines for name, lines in found.items() if lines > listed.get(name, most)} == {}
        assert [name for name in listed if found.get(name, 0) <= most] == [], (
            "no longer too long: take them off the list"
        )


@pytest.mark.parametrize("every", sizes(120, 1))
def test_every_module_imports_alone(every: int) -> None:
    """In one process, forgetting cardai's modules between imports; -W error as in the test suite."""
    script = """
import importlib, sys
for name in sys.argv[1:]:
    for module in [m for m in sys.modules if m.split(".")[0] == "cardai"]:
        del sys.modules[module]
    importlib.import_module(name)
"""
    names = [dotted(f) for f in MODULES if dotted(f) != "cardai.__main__"][::every]
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
