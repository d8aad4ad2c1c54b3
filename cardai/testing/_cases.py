"""Binding checks to plugins: which plugin, on which game, and what is exempt."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from attrs import field, frozen

from cardai.core import registry
from cardai.core.blame import plugin_place
from cardai.core.errors import CardaiError, UnknownNameError, UsageError, nearest
from cardai.core.game import Game
from cardai.testing._checks import CHECKS, Check, CheckFailed, NotApplicable

_BEFORE_PLAY = (
    "options-are-described",
    "presets-can-be-built",
    "description-is-complete",
    "paths-and-programs-are-declared",
)


@frozen
class Case:
    """One check of one plugin. Calling it raises CheckFailed, or NotApplicable (which pytest shows as skipped)."""

    check: Check
    about: str
    """The plugin and, where it needs one, the game: what stands before the check's name in test ids."""
    subject: Callable[[], Any] = field(repr=False)
    """Returns what the check looks at; built once for all checks of a plugin, when first called."""
    exempt: str = ""
    """The reason why this plugin need not pass, or nothing."""

    def __call__(self) -> None:
        if self.exempt:
            raise NotApplicable(f"exempt: {self.exempt}")
        subject = self.subject()
        if self.check.kind == "game" and self.check.name not in _BEFORE_PLAY:
            subject.hands  # noqa: B018 (a hand that does not end is found before anything waits for one)
        self.check.function(subject)


@frozen
class Result:
    """How a case ended: ``status`` is ok, failed, exempt or skipped (it does not apply)."""

    check: str
    about: str
    claim: str
    status: str
    reason: str = ""
    cause: str = ""
    """Of a failure: equal where several checks met one fault."""
    place: str = ""
    """Of an exception: the last line of the plugin's own code that it passed through, as FILE:LINE."""


def checks_for(
    kind: str,
    plugin: Any,
    *,
    game: Any = None,
    encoder: Any = None,
    steps: int = 3,
    exempt: Mapping[str, str] | None = None,
) -> list[Case]:
    """Return the cases of one plugin.

    ``kind`` is game, encoder, agent or trainer; ``plugin`` a spec, or an instance. ``game`` is one game or a list
    (specs or instances; default: every registered game that the plugin takes, a trainer the first of kuhn, leduc and
    the rest). ``encoder`` and ``steps`` are for trainers. ``exempt`` maps names of checks to the reason.

    Raises:
        UsageError: no such kind or check, or no game that the plugin takes.
    """
    _load_checks()
    if kind not in CHECKS:
        raise UnknownNameError(f"There is no kind {kind!r} with checks. Known: {', '.join(CHECKS)}.")
    excused = dict(exempt or {})
    names = [c.name for c in CHECKS[kind]]
    for name in excused:
        if name not in names:
            raise UsageError(f"There is no {kind} check {name!r}.{nearest(name, names)} Known: {', '.join(names)}.")
    label = plugin if isinstance(plugin, str) else type(plugin).__name__
    made = registry.create(kind, plugin) if isinstance(plugin, str) else plugin
    cases = []
    for about, build in _subjects(kind, made, label, game, encoder, steps):
        subject = cache(build)
        cases += [Case(c, about, subject, excused.get(c.name, "")) for c in CHECKS[kind]]
    return cases


def run_checks(cases: Iterable[Case]) -> Iterable[Result]:
    """Run cases one after another and yield how each ended; an exception counts as failed, with its text."""
    for case in cases:
        status, reason, cause, place = "ok", "", "", ""
        try:
            case()
        except NotApplicable as error:
            status, reason = ("exempt", case.exempt) if case.exempt else ("skipped", str(error))
        except CheckFailed as error:
            status, reason, cause, place = "failed", str(error), error.cause, place_of(error.__cause__)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a plugin raises is its failure, not the kit's
            status, reason, place = "failed", f"{type(error).__name__}: {error}", place_of(error)
            cause = str(error).partition(" cannot hold ")[0] if " cannot hold " in reason else f"{reason} {place}"
        yield Result(case.check.name, case.about, case.check.claim, status, reason, cause, place)


def place_of(error: BaseException | None) -> str:
    """Return where a plugin's own code raised ``error``, as FILE:LINE, or nothing."""
    place = None if error is None else plugin_place(error, ours=False) or plugin_place(error)
    return "" if place is None else f"{place[1]}:{place[2]}"


def parametrize_checks(kind: str, *plugins: Any, **settings: Any) -> Any:
    """Return a ``pytest.mark.parametrize`` of the argument ``check`` over all cases of ``plugins``.

    ``settings`` are those of :func:`checks_for`.
    """
    import pytest

    cases = [case for plugin in plugins for case in checks_for(kind, plugin, **settings)]
    return pytest.mark.parametrize("check", [pytest.param(c, id=f"{c.about}-{c.check.name}") for c in cases])


def _load_checks() -> None:
    """Register all checks (importing a module of checks does it)."""
    for module in ("_options", "_game", "_fields", "_tables", "_knowledge", "_encoder", "_agent", "_trainer"):
        importlib.import_module(f"cardai.testing.{module}")


def _subjects(
    kind: str, made: Any, label: str, game: Any, encoder: Any, steps: int
) -> list[tuple[str, Callable[[], Any]]]:
    """Return (label, builder of the subject) for each game on which ``made`` is checked."""
    from cardai.testing._agent import AgentSubject
    from cardai.testing._encoder import EncoderSubject
    from cardai.testing._play import GameSubject
    from cardai.testing._trainer import TrainerSubject

    if kind == "game":
        return [(label, lambda: GameSubject(made))]
    if encoder is not None and isinstance(encoder, str):
        encoder = registry.create("encoder", encoder)
    builders: dict[str, Callable[[Game], Any]] = {
        "encoder": lambda on: EncoderSubject(made, on),
        "agent": lambda on: AgentSubject(made, on),
        "trainer": lambda on: TrainerSubject(made, on, encoder, steps),
    }
    found: list[tuple[str, Callable[[], Any]]] = []
    for name, on in _games(game):
        if game is None and not _takes(kind, made, on, encoder):
            continue
        found.append((f"{label}-{name}", lambda on=on: builders[kind](on)))  # type: ignore[misc]
        if kind == "trainer":
            break
    if not found:
        raise UsageError(f"No installed game can be played by the {kind} {label!r}. Name one that it takes: game=...")
    return found


def _games(game: Any) -> list[tuple[str, Game]]:
    if game is None:
        names = [e.name for e in registry.entries("game") if not e.preset_of and e.status == "ok"]
        names.sort(key=lambda name: (name != "kuhn", name != "leduc", name))
        return list(_loadable(names))
    games = game if isinstance(game, (list, tuple)) else [game]
    return [(g, registry.create("game", g)) if isinstance(g, str) else (type(g).__name__, g) for g in games]


def _loadable(names: list[str]) -> Iterable[tuple[str, Game]]:
    for name in names:
        try:
            yield name, registry.create("game", name)
        except CardaiError:  # reported by the checks of that game
            continue


def _takes(kind: str, made: Any, game: Game, encoder: Any) -> bool:
    """Whether a plugin accepts a game."""
    from cardai.testing._trainer import TrainerSubject

    try:
        if kind == "trainer":
            made.check_game(game)
            TrainerSubject(made, game, encoder, 1).start()
        else:
            made.for_game(game)
    except UsageError:
        return False
    return True
