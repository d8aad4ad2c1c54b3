"""cardai: games, representations, players and learners for imperfect-information card games, as plugins.

The names below are loaded on first use, so that ``import cardai`` costs nothing: not even typing and __future__ are imported
here, for the command line comes this way before it can say what Ctrl-C does.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cardai import bridges as bridges
    from cardai.api import agent as agent
    from cardai.api import encoder as encoder
    from cardai.api import game as game
    from cardai.api import make_env as make_env
    from cardai.api import play as play
    from cardai.api import selfplay_env as selfplay_env
    from cardai.api import to_openspiel as to_openspiel
    from cardai.api import tournament as tournament
    from cardai.api import trainer as trainer
    from cardai.api import vector_env as vector_env
    from cardai.api.evaluation import evaluate as evaluate
    from cardai.api.runs import load_run as load_run
    from cardai.api.runs import train as train
    from cardai.api.solving import solve as solve
    from cardai.api.solving import solve_spot as solve_spot

__version__ = "0.1.0"
_PLACES = {
    "agent": "cardai.api",
    "bridges": "cardai.bridges",
    "encoder": "cardai.api",
    "evaluate": "cardai.api.evaluation",
    "game": "cardai.api",
    "hookimpl": "cardai.core.hookspecs",
    "load_run": "cardai.api.runs",
    "make_env": "cardai.api",
    "play": "cardai.api",
    "selfplay_env": "cardai.api",
    "solve": "cardai.solve",
    "solve_spot": "cardai.api.solving",
    "to_openspiel": "cardai.api",
    "tournament": "cardai.api",
    "train": "cardai.api.runs",
    "trainer": "cardai.api",
    "vector_env": "cardai.api",
}
_CALLED = {"solve": "cardai.api.solving"}
__all__ = [
    "__version__",
    "agent",
    "bridges",
    "encoder",
    "evaluate",
    "game",
    "hookimpl",
    "load_run",
    "make_env",
    "play",
    "selfplay_env",
    "solve",
    "solve_spot",
    "to_openspiel",
    "tournament",
    "train",
    "trainer",
    "vector_env",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> "Any":
    if name not in _PLACES:
        raise AttributeError(f"module 'cardai' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(_PLACES[name])
    return module if _PLACES[name] == f"cardai.{name}" else getattr(module, name)


class CallableRoom(type(sys)):
    """A room of the package that is called as the function of its name: ``cardai.solve(...)``.

    Python puts a folder in the place of a function of its name as soon as anything in the folder is imported; here the folder
    is the function as well, whichever was asked for first.
    """

    def __call__(self, *args: "Any", **options: "Any") -> "Any":
        return self._function(*args, **options)

    @property
    def __signature__(self) -> "Any":
        """What the function takes: by this name a notebook and an editor find it."""
        from inspect import signature

        return signature(self._function)

    @property
    def _function(self) -> "Any":
        from importlib import import_module

        name = self.__name__.removeprefix("cardai.")
        return getattr(import_module(_CALLED[name]), name)


def _register(gymnasium: "Any") -> None:
    """Tell Gymnasium of our environment, by the name of its class: nothing is imported before it is made."""
    here = "cardai.bridges.gymnasium"
    if "cardai/CardGame-v0" in gymnasium.registry:  # cardai is imported anew
        return
    gymnasium.register("cardai/CardGame-v0", f"{here}:CardEnv", vector_entry_point=f"{here}:CardVectorEnv")


class _WhenGymnasiumComes:
    """A finder that finds nothing, but registers our environment once Gymnasium is imported: it asks no entry points."""

    @classmethod
    def find_spec(cls, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        if name != "gymnasium":
            return None
        ours = cls.__qualname__  # another where cardai was imported anew: each would ask the other
        others = [finder for finder in sys.meta_path if getattr(finder, "__qualname__", "") != ours]
        spec: Any = next((found for finder in others if (found := finder.find_spec(name, path, target))), None)
        run = getattr(spec and spec.loader, "exec_module", None)

        def exec_module(module: "Any") -> None:
            run(module)
            if cls in sys.meta_path:
                sys.meta_path.remove(cls)
                _register(module)

        if run is not None and hasattr(spec.loader, "__dict__"):
            spec.loader.exec_module = exec_module
        return spec


if hasattr(sys.modules.get("gymnasium"), "register"):
    _register(sys.modules["gymnasium"])
else:
    sys.meta_path.insert(0, _WhenGymnasiumComes)
