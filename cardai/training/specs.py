"""Specs as runs keep them: with every option, so that later defaults and presets do not change the run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardai.core import registry
from cardai.core.errors import CardaiError, UsageError
from cardai.core.needs import check
from cardai.core.spec import Spec, options_of, parse, write_value
from cardai.training.run_files import steps_in

if TYPE_CHECKING:
    from cardai.training.runs import Run


def full_spec(kind: str, text: str, more: Mapping[str, str] | None = None) -> str:
    """Return a spec with every option of the plugin written out (those of ``text`` and ``more``, presets, defaults).

    Runs whose players a training plays or learns from are named with the step that they are at: trained on, they are others.
    """
    spec = parse(text).with_options(more or {})
    return _all_options(spec.name, registry.create(kind, spec))


def as_they_are(trainer: str, options: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a sweep's trainer and options by these names, which name the runs that are learned from with the step they are at."""
    spec, first = parse(trainer), {key: values[0] for key, values in options.items() if values}

    def named(more: Mapping[str, str]) -> dict[str, str]:
        made = registry.create("trainer", spec.with_options(more))
        return {k: write_value(v) for k, v in _as_they_are(made).items() if v != getattr(made, k)}

    given = {k: tuple(named({**first, k: v}).get(k, v) for v in values) for k, values in options.items()}
    found = named(first)
    if own := tuple((k, found.get(k, v)) for k, v in spec.options if found):
        trainer = str(Spec(spec.name, own))
    return {"trainer": trainer, "options": given}


def _all_options(name: str, made: Any) -> str:
    values = {key: getattr(made, key) for key in options_of(type(made))} | _as_they_are(made)
    return str(Spec(name, tuple((key, write_value(value)) for key, value in values.items())))


def _as_they_are(made: Any) -> dict[str, Any]:
    found = dict[str, Any]()
    for key, option in options_of(type(made)).items():
        if option.metadata.get("holds") == "training agent":
            value = getattr(made, key)
            found[key] = tuple(map(_as_it_is, value)) if isinstance(value, tuple) else _as_it_is(value)
    return found


def _as_it_is(player: str) -> str:
    return at_step(player, step_now(player))


def step_now(spec: str) -> int:
    """Return the step of the checkpoint that a run's spec means today: its newest is another tomorrow.

    -1 for what says its step itself, for other players, and for a run that is not there, or may not be read.
    """
    with suppress(CardaiError):
        parsed = parse(spec)
        if parsed.is_run and not parsed.name.endswith(".py") and "step" not in dict(parsed.options):
            check(registry.load, "agent", parsed)
            if os.path.isfile(os.path.join(parsed.name, "run.json")):  # also a name that no file can have
                return max(steps_in(Path(parsed.name)), default=-1)
    return -1


def at_step(spec: str, step: int) -> str:
    """Return a run's spec with the step of a checkpoint, as :func:`step_now` says it; for -1 the spec itself."""
    return spec if step < 0 else str(parse(spec).with_options({"step": str(step)}))


def short_spec(kind: str, text: str) -> str:
    """Return a full spec without the options that have their default (or preset) value."""
    spec = parse(text)
    usual = dict(parse(full_spec(kind, spec.name)).options)
    return str(Spec(spec.name, tuple((key, value) for key, value in spec.options if usual.get(key) != value)))


def check_same(run: Run, kind: str, text: str | None, more: Mapping[str, str] | None = None) -> None:
    """Raise UsageError if ``text`` and ``more`` (given with --resume) name another ``kind`` than the run's own."""
    own: str | None = {"trainer": run.trainer_spec, "game": run.game_spec, "encoder": run.encoder_spec}[kind]
    going = f"--resume {run.path} goes on with"
    if text is not None and (own is None or _parts(full_spec(kind, text)) != _parts(_written_out(kind, own))):
        raise UsageError(f"{going} the {kind} {own}. Got {text!r} instead: leave it out, or start a new run.")
    if more and own is not None:
        name, held = _parts(_written_out(kind, own))
        for key, value in more.items():
            changed = Spec(name, tuple({**held, key: value}.items()))
            if _parts(full_spec(kind, str(changed))) != (name, held):
                raise UsageError(
                    f"{going} {key}={held[key]}. Got {key}={value} instead: leave it out, or start a new run."
                )


def _written_out(kind: str, own: str) -> str:
    """Return a run's spec with every option that the plugin has now: it may have got some since."""
    return _all_options(parse(own).name, registry.rebuild(kind, own))


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """Return a spec's name and options, whose order says nothing."""
    spec = parse(text)
    return spec.name, dict(spec.options)
