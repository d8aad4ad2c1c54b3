"""Checks of what every kind of plugin has: options that are described, typed, written and read back."""

from __future__ import annotations

import pickle
from typing import Any, Protocol, get_type_hints

from cardai.core.errors import CardaiError
from cardai.core.spec import build, options_of, parse, write_value
from cardai.testing._checks import NotApplicable, check, require


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
