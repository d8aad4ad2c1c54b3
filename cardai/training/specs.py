"""Specs as runs keep them: with every option, so that later defaults and presets do not change the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.spec import Spec, options_of, parse, write_value

if TYPE_CHECKING:
    from cardai.training.runs import Run


def full_spec(kind: str, text: str, more: Mapping[str, str] | None = None) -> str:
    """Return a spec with every option of the plugin written out (those of ``text`` and ``more``, presets, defaults)."""
    spec = parse(text).with_options(more or {})
    made = registry.create(kind, spec)
    return str(Spec(spec.name, tuple((name, write_value(getattr(made, name))) for name in options_of(type(made)))))


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
    made = registry.rebuild(kind, own)
    options = tuple((name, write_value(getattr(made, name))) for name in options_of(type(made)))
    return str(Spec(parse(own).name, options))


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """Return a spec's name and options, whose order says nothing."""
    spec = parse(text)
    return spec.name, dict(spec.options)
