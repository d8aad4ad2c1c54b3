"""``cardai new KIND NAME``: a ready third-party package, with a test, to start from."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from cardai.commands.invocation import out
from cardai.core.errors import CardaiError, UsageError, unknown_name
from cardai.core.registry import entries

KINDS = ("game", "agent", "encoder", "trainer")
_TRY = {
    "game": "cardai run --game PUBLIC --agent random --vs random",
    "agent": "cardai run --game kuhn --agent PUBLIC --vs random",
    "encoder": "cardai describe encoder PUBLIC --game kuhn",
    "trainer": "cardai train --game kuhn --trainer PUBLIC --steps 1000 --out runs/first",
}


Kind = Annotated[str, typer.Argument(metavar="KIND", help="game, agent, encoder or trainer.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The plugin's public name: small letters, digits, - and _.")]
OutDir = Annotated[Path | None, typer.Option("--out", "-o", help="Where to write. Default: ./NAME")]


def new(
    kind: Kind,
    name: Name,
    out_dir: OutDir = None,
) -> None:
    """Write a whole package with one working plugin, its entry point and a test that runs the conformance kit.

    Change the one module to what you want; ``pip install -e`` makes the plugin known everywhere.
    """
    if kind not in KINDS:
        raise unknown_name("kind of plugin to write", kind, KINDS)
    module = module_name(kind, name)
    directory = out_dir or Path(name)
    write_package(kind, name, module, directory)
    console = out()
    console.print(f"Wrote {kind} {name!r} to {directory}:")
    for file in sorted(p for p in directory.rglob("*") if p.is_file()):
        console.print(f"  {file.relative_to(directory)}")
    console.print(f"Next:\n  pip install -e {directory}\n  {_TRY[kind].replace('PUBLIC', name)}")


def module_name(kind: str, name: str) -> str:
    """Return the name of the plugin's module.

    Raises:
        UsageError: the name cannot be one, or is taken.
    """
    module = name.replace("-", "_")
    if not re.fullmatch(r"[a-z]([a-z0-9_-]*[a-z0-9])?", name) or keyword.iskeyword(module):
        raise UsageError(
            f"A plugin's name is small letters, digits, - and _ between them, a letter first. Got {name!r}."
        )
    taken = next((entry for entry in entries(kind) if entry.name == name), None)
    if taken is not None:
        raise UsageError(
            f"There is {'a' if kind in ('game', 'trainer') else 'an'} {kind} named {name!r} already, from {taken.distribution}. Choose another name."
        )
    if module in sys.stdlib_module_names or module in ("cardai", "tests") or importlib.util.find_spec(module):
        raise UsageError(f"There is a Python module named {module!r} already. Choose another name.")
    return module


def write_package(kind: str, name: str, module: str, directory: Path) -> None:
    """Write the package of a new plugin into ``directory``.

    Raises:
        UsageError: the directory is there and not empty, or cannot be written.
    """
    from cardai.core.files import write_atomically

    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"{str(directory)!r} is there already and not empty. Give another place with --out.")
    files = {
        "pyproject.toml": "pyproject.toml.txt",
        f"{module}.py": f"{kind}.py.txt",
        "README.md": "README.md.txt",
        f"tests/test_{module}.py": "test.py.txt",
    }
    made: list[Path] = []  # to be taken back, in this order, if not all can be written
    try:
        for target, template in files.items():
            path = directory / target
            missing = [folder for folder in path.parents if not folder.exists()]
            path.parent.mkdir(parents=True, exist_ok=True)
            made = [path, *missing, *made]
            write_atomically(path, _filled(template, kind, name, module).encode())
    except (OSError, CardaiError) as error:
        for path in made:
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        if isinstance(error, CardaiError):
            raise
        raise UsageError(f"{str(directory)!r} cannot be written: {error.strerror}.") from error


def _template(file: str) -> str:
    return resources.files("cardai.commands").joinpath("templates", file).read_text(encoding="utf-8")


def _class_name(kind: str, module: str) -> str:
    """Return what the plugin's class is called: as the module, with the kind behind it where its file has that name already."""
    found = "".join(part.capitalize() for part in module.split("_"))
    while re.search(rf"\b{found}\b", _template(f"{kind}.py.txt")):
        found += kind.capitalize()
    return found


def _filled(template: str, kind: str, name: str, module: str) -> str:
    text = _template(template)
    words = {
        "COMMAND": _TRY[kind],
        "WHERE": "" if kind == "game" else ', game="kuhn"',
        "KIND": kind,
        "NewPlugin": _class_name(kind, module),
        "new-plugin": module.replace("_", "-"),
        "new_plugin": module,
        "PUBLIC": name,
    }
    for word, value in words.items():
        text = text.replace(word, value)
    return text
