"""Which bets a public tree has: a menu a street, and in it a menu for the first bet, the first raise, and so on.

>>> menus("0.5+1+allin", ["turn", "river"])[1](0)
(0.5, 1.0, -1.0)
>>> menus("turn=0.5/allin,river=1", ["turn", "river"])[0](1)
(-1.0,)
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from cardai.core.errors import UsageError

ALL_IN = -1.0
_NAMED = {"pot": 1.0, "half": 0.5, "allin": ALL_IN, "a": ALL_IN}
_EXAMPLE = "Write fractions of the pot and allin, such as 0.5+1+allin."


@frozen
class Menu:
    """The bets of one street: ``levels[k]`` are those of who would bet or raise for the (k + 1)-th time on the street."""

    levels: tuple[tuple[float, ...], ...]

    def __call__(self, raises: int) -> tuple[float, ...]:
        """Return the rungs (fractions of the pot, -1 all-in) after so many bets and raises on the street."""
        return self.levels[min(raises, len(self.levels) - 1)]


def menus(text: str, streets: Sequence[str]) -> tuple[Menu, ...]:
    """Return the menus that ``text`` gives the streets: one for all, or ``street=menu`` joined by commas.

    A menu is rungs joined by ``+``; ``/`` separates the first bet's from the first raise's and so on, the last of which
    holds for all that follow.

    Raises:
        UsageError: it cannot be read, or leaves a street without a menu.
    """
    if "=" not in text:
        return (_menu(text, text),) * len(streets)
    found: dict[str, Menu] = {}
    for part in text.split(","):
        name, equals, menu = (word.strip() for word in part.partition("="))
        if not equals or name not in streets:
            raise UsageError(f"The bets {text!r} name {name!r}. The streets to come are {', '.join(streets)}.")
        if name in found:
            raise UsageError(f"The bets {text!r} name {name!r} twice.")
        found[name] = _menu(menu, text)
    missing = [name for name in streets if name not in found]
    if missing:
        raise UsageError(
            f"The bets {text!r} say nothing of the {missing[0]}. Write {missing[0]}=0.5+1+allin, for example."
        )
    return tuple(found[name] for name in streets)


def _menu(menu: str, whole: str) -> Menu:
    return Menu(tuple(_rungs(level, whole) for level in menu.split("/")))


def _rungs(level: str, whole: str) -> tuple[float, ...]:
    if level.strip() in ("", "none"):
        return ()
    rungs = []
    for word in level.split("+"):
        name = word.strip().lower()
        try:
            value = _NAMED[name] if name in _NAMED else float(name[:-1]) / 100 if name.endswith("%") else float(name)
        except ValueError:
            value = 0.0
        if not (value == ALL_IN and name in _NAMED) and not 0.0 < value < 1000.0:
            raise UsageError(f"The bets {whole!r} hold {word!r}, which is no size. {_EXAMPLE}")
        rungs.append(value)
    ordered = sorted({rung for rung in rungs if rung > 0}) + [ALL_IN] * (ALL_IN in rungs)
    if len(ordered) < len(rungs):
        raise UsageError(f"The bets {whole!r} name a size twice.")
    return tuple(ordered)
