"""The check of what a plugin says of its options: a spec from somebody else's file opens and starts nothing undeclared."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.game import Game
from cardai.core.needs import needs
from cardai.core.spec import Spec, build, options_of
from cardai.core.trust import Source
from cardai.testing._checks import check, require

_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
_heard: list[list[tuple[str, str]]] = []
_listening = False


@contextmanager
def heard() -> Iterator[list[tuple[str, str]]]:
    """Give the paths opened and programs started inside, as Python's audit events tell them: (event, first argument)."""
    global _listening
    if not _listening:
        sys.addaudithook(_hear)  # for as long as the process lives
        _listening = True
    events: list[tuple[str, str]] = []
    _heard.append(events)
    try:
        yield events
    finally:
        _heard.remove(events)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _heard and (event in ("open", "os.listdir", "os.scandir") or event in _STARTS):
        for events in _heard:
            events.append((event, str(arguments[0]) if arguments else ""))


def text_options(cls: type) -> list[str]:
    """Return the names of a plugin's options that take any text, or several."""
    hints = get_type_hints(cls)
    return [name for name in options_of(cls) if _takes_text(hints[name])]


def _takes_text(wanted: Any) -> bool:
    if get_origin(wanted) is Literal:
        return False
    return wanted is str or any(map(_takes_text, get_args(wanted)))


@check("game", "encoder", "agent", "trainer")
def paths_and_programs_are_declared(subject: Any) -> None:
    """What a text of an option opens or starts is declared: `option(holds=...)` for paths and specs, `may` for programs."""
    cls = type(subject.plugin)
    kind = next((k for k, base in _KINDS.items() if issubclass(cls, base)), "trainer")
    with tempfile.TemporaryDirectory(prefix="cardai-") as folder:
        for key in text_options(cls):
            for text in (str(Path(folder, "anything")), f"program:command={json.dumps(f'touch {folder}/started')}"):
                spec = Spec("it", ((key, json.dumps(text)),), Source("a file", ""))
                if any(needs(lambda of, name: (cls, {}) if name == "it" else registry.load(of, name), kind, spec)):
                    continue
                with heard() as events, suppress(Exception):  # a text that is refused opens nothing
                    _use(kind, build(cls, spec.values(), "it"), subject)
                met = next((event for event in events if folder in event[1] or event[0] in _STARTS), None)
                require(
                    met is None,
                    f"The option {key!r} given {text!r} leads to {met}, and nothing says so: declare what it holds "
                    "(spec.option(holds='path')), or what the plugin may do (may).",
                )


_KINDS: dict[str, type] = {"game": Game, "encoder": Encoder, "agent": Agent}


def _use(kind: str, made: Any, subject: Any) -> None:
    """Do with a plugin what is done first with any."""
    if kind == "game":
        made.new_initial_state()
    elif kind == "trainer":
        made.check_game(subject.game)
        made.start(subject.game, subject.encoder, 1)
    else:
        made.for_game(subject.game)
