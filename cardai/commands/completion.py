"""Completion of names in the shell: games, agents, encoders, trainers and their options, read without importing any.

What a shell asks is answered from entry points' metadata and from the source text of a plugin's own module: the options
of ``gin:`` are its lines ``name: type = option(...)``. A preset has the options of its general plugin.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from typer.core import TyperOption

from cardai.core.discovery import GROUPS, Entry
from cardai.core.registry import entries
from cardai.core.text import one_line

Choices = list[tuple[str, str]]
"""(what can be typed, what it is)."""
_OPTION = re.compile(r"^    (\w+): [^=\n]+ = option\(", re.MULTILINE)


def names(kind: str, incomplete: str) -> Choices:
    """Return the plugins of ``kind`` that begin so, or behind a colon the options of one: ``gin:tar`` -> ``gin:target=``."""
    name, colon, written = incomplete.partition(":")
    found = [entry for entry in entries(kind) if not entry.broken]
    if not colon:
        return [(entry.name, one_line(entry.summary())) for entry in found if entry.name.startswith(incomplete)]
    chosen = next((entry for entry in found if entry.name == name), None)
    if chosen is None:
        return []
    before, comma, last = written.rpartition(",")
    given = {part.partition("=")[0] for part in before.split(",")}
    typed = f"{name}:{before}{comma}"
    return [(f"{typed}{key}=", "") for key in _options(chosen) if key.startswith(last) and key not in given]


def _options(entry: Entry) -> list[str]:
    """Return the names of a plugin's options as its source says them."""
    file = entry.source()
    if file is None:
        return []
    beside = sorted(file.parent.glob("options.py")) if file.name == "__init__.py" else []
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in (file, *beside)]
    offered = re.search(rf'"{re.escape(entry.preset_of or entry.name)}": (\w+)', texts[0].rpartition("\n@")[2])
    if offered:  # one class of several
        texts[0] = re.split(r"^(?=[@a-z])", texts[0].partition(f"\nclass {offered[1]}(")[2], maxsplit=1, flags=re.M)[0]
    return list(dict.fromkeys(key for text in texts for key in _OPTION.findall(text)))


def runs(incomplete: str) -> Choices:
    """Return the trained runs in and below the directory that has been typed."""
    typed = Path(incomplete or ".")
    folder = typed if incomplete.endswith(os.sep) or not incomplete else typed.parent
    found = [str(path) for path in _directories(folder)]
    return [(path, "a trained run") for path in found if path.startswith(incomplete) and path == one_line(path)]


def _directories(folder: Path) -> Iterator[Path]:
    """Yield the runs in a directory, and the directories that hold runs."""
    try:
        inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError:
        return
    for path in inside[:200]:
        if (path / "run.json").is_file():
            yield path
        else:
            yield from (below for below in sorted(path.glob("*"))[:200] if (below / "run.json").is_file())


def game(ctx: Any, incomplete: str) -> Choices:
    """Return games."""
    return names("game", incomplete)


def agent(ctx: Any, incomplete: str) -> Choices:
    """Return agents, and the runs of this directory."""
    return [*names("agent", incomplete), *runs(incomplete)]


def encoder(ctx: Any, incomplete: str) -> Choices:
    """Return encoders."""
    return names("encoder", incomplete)


def trainer(ctx: Any, incomplete: str) -> Choices:
    """Return trainers."""
    return names("trainer", incomplete)


def watcher(ctx: Any, incomplete: str) -> Choices:
    """Return watchers."""
    return names("watcher", incomplete)


def kind(ctx: Any, incomplete: str) -> Choices:
    """Return kinds of plugins."""
    return [(known, "") for known in GROUPS if known.startswith(incomplete)]


def of_the_kind(ctx: Any, incomplete: str) -> Choices:
    """Return plugins of the kind that stands before."""
    chosen = str(ctx.params.get("kind") or "").removesuffix("s")
    return [] if chosen not in GROUPS else agent(ctx, incomplete) if chosen == "agent" else names(chosen, incomplete)


def run(ctx: Any, incomplete: str) -> Choices:
    """Return trained runs."""
    return runs(incomplete)


BY_OPTION = {
    "--agent": agent,
    "--encoder": encoder,
    "--for": game,
    "--game": game,
    "--kind": kind,
    "--resume": run,
    "--trainer": trainer,
    "--vs": agent,
    "--watch": watcher,
}
BY_PLACE = {
    ("check", "kind"): kind,
    ("check", "name"): of_the_kind,
    ("describe", "kind"): kind,
    ("describe", "name"): of_the_kind,
    ("export", "agent"): agent,
    ("new", "kind"): kind,
    ("plot", "runs"): run,
}
"""What completes the value of an option, in every command that has it, and an argument of a command."""


def complete(command: Any) -> None:
    """Let a command, and those of a group, complete the values of its options and arguments."""
    for member in getattr(command, "commands", {}).values():
        complete(member)
    for param in command.params:
        found = BY_PLACE.get((command.name, param.name)) or next(
            (BY_OPTION[o] for o in param.opts if o in BY_OPTION), None
        )
        if found is not None and param.metavar != "GAMEDEF":  # of the competition's own
            param.shell_complete = _completer(found)


def _completer(choices: Callable[[Any, str], Choices]) -> Callable[[Any, str], list[Any]]:
    """Return the ``shell_complete`` of a parameter."""
    option = TyperOption(param_decls=["--x"], autocompletion=lambda ctx, args, incomplete: choices(ctx, incomplete))

    def shell_complete(ctx: Any, incomplete: str) -> list[Any]:
        found = option.shell_complete(ctx, incomplete)
        cut = len(_typed_already(incomplete))
        for item in found:
            item.value = item.value[cut:]
        return found

    return shell_complete


# -- bash --------------------------------------------------------------------------------------------------------------


def mend_bash_words() -> None:
    """Put the words of ``gin:target=5`` together again, which bash takes apart at colons and equals signs."""
    words, current = os.environ.get("COMP_WORDS", "").split("\n"), os.environ.get("COMP_CWORD", "")
    if os.environ.get("_CARDAI_COMPLETE") != "complete_bash" or not current.isdigit():
        return
    joined: list[str] = []
    glue = False
    for place, word in enumerate(words[: int(current) + 1]):
        breaks = bool(word) and not word.strip(":=")
        if joined and place > 1 and (glue or breaks):
            joined[-1] += word
        else:
            joined.append(word)
        glue = breaks
    if len(joined) != int(current) + 1:
        os.environ[_SPLIT] = "1"
        os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(joined), str(len(joined) - 1)


def _typed_already(incomplete: str) -> str:
    """Return what bash keeps of the word that is being completed: all up to its last colon or equals sign."""
    if _SPLIT not in os.environ:
        return ""
    return incomplete[: 1 + max(incomplete.rfind(":"), incomplete.rfind("="))]


_SPLIT = "_CARDAI_SPLIT"
