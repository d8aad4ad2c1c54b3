"""Who does the pieces of a training's steps: processes of this machine, or a Ray cluster.

    session.hand_out("ray", 1)         # or "", 4: four processes here

A trainer with the option ``actors`` cuts what its steps play, traverse or solve into so many pieces
(:meth:`cardai.core.trainer.Crew.do`): functions of what lasts, of the state of the moment and of a seed. So results depend on
``actors``, which is an option like others and stands in run.json, and not on who does the pieces: one process, two, a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cardai.core.errors import UsageError
from cardai.core.spec import options_of
from cardai.core.trainer import Crew, Trainer
from cardai.pieces import Parcel, Work, check_place


class Hands(Crew):
    """A crew of ``jobs`` processes, or of a cluster's workers."""

    def __init__(self, on: str, jobs: int) -> None:
        self._on, self._jobs = on, jobs
        self._lasting: Parcel | None = None

    def do(
        self, function: Callable[..., Any], lasting: Any, state: Any, pieces: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        if self._lasting is None or self._lasting.value is not lasting:
            self._lasting = Parcel(lasting)
        named = ((str(k), piece) for k, piece in enumerate(pieces))
        work = Work(function, state, on=self._on, jobs=self._jobs, pieces=named, lasting=self._lasting)
        found = dict(work.run())
        return [found[str(k)] for k in range(len(pieces))]


def check_crew(trainer: Trainer, name: str, on: str, jobs: int) -> None:
    """Raise UsageError where there is nothing to hand out: the trainer ``name`` has no actors, or one."""
    if not on and jobs == 1:
        return
    check_place(on)
    given = f"--on {on}" if on else f"--jobs {jobs}"
    if "actors" not in options_of(type(trainer)):
        raise UsageError(f"The trainer {name} learns in one process and has no actors. Leave out {given}.")
    if getattr(trainer, "actors", 1) == 1:
        raise UsageError(
            f"{given} has nothing to hand out: this run has one actor. Say of a new run how many there are "
            "(--actors 4: another result than with one, but always the same)."
        )
