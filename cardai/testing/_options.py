"""Checks of what every kind of plugin has: options that are described, typed, written and read back."""

from __future__ import annotations

import json
import pickle
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, get_type_hints

from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import CardaiError
from cardai.core.game import Game
from cardai.core.needs import needs
from cardai.core.spec import Spec, build, options_of, parse, write_value
from cardai.core.trust import Source
from cardai.testing._checks import NotApplicable, check, require
from cardai.testing._trust import STARTS, heard, text_options


class HasPlugin(Protocol):
    """Any subject: it knows the plugin as it was made from its spec."""

    plugin: Any


@check("game", "encoder", "agent", "trainer")
def options_are_described(subject: HasPlugin) -> None:
    """Every option has a help text and a type, and the options survive being written into a spec."""
    cls = type(subject.plugin)
    options = options_of(cls)
    hints = get_type_hints(cls)
    for name, attribute in options.items():
        require(attribute.metadata.get("help"), f"The option {name!r} has no help: declare it with spec.option().")
        require(name in hints, f"The option {name!r} has no type.")
    values = {name: getattr(subject.plugin, name) for name in options}
    spec = ",".join(f"{name}={write_value(value)}" for name, value in values.items())
    again = build(cls, parse(f"x:{spec}").values() if spec else {}, "the plugin")
    same = {name: getattr(again, name) for name in options}
    require(same == values, f"The options {spec} read back from a spec are {same}.")


@check("game", "encoder", "agent", "trainer")
def presets_can_be_built(subject: HasPlugin) -> None:
    """Every preset's options are options of the class, with values that it accepts."""
    cls = type(subject.plugin)
    for name, values in getattr(cls, "presets", {}).items():
        try:
            build(cls, values, f"The preset {name!r}")
        except CardaiError as error:
            require(False, str(error))


@check("encoder", "agent", "trainer")
def plugin_pickles(subject: HasPlugin) -> None:
    """The plugin travels to worker processes: it pickles, with its options."""
    if getattr(subject.plugin, "interactive", False):
        raise NotApplicable("A person answers: it is never sent to a worker.")
    copy = pickle.loads(pickle.dumps(subject.plugin))
    for name in options_of(type(subject.plugin)):
        same = getattr(copy, name) == getattr(subject.plugin, name)
        require(same, f"The option {name!r} is lost when the plugin is pickled.")


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
                met = next((event for event in events if folder in event[1] or event[0] in STARTS), None)
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
