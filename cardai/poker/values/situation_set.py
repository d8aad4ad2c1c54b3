"""Sets of solved situations in files: a recipe from which boards, pots and ranges are made again, and shards of values.

    river/situations.json    the recipe, and the SHA-256 of each shard that is there
    river/shard-000012.npz   values (n, 2, H) float16 in units of what each player has put in, of the H hands that the board
                             leaves, in order of their numbers; exploitability (n,) float32 in % of the pot

Only values are stored. Shard k holds the situations k * per_shard and on, whoever solved them and in whatever order, so
shards may be made by any number of processes or machines, and a set can be gone on with.
"""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from attrs import asdict, evolve, field, frozen

from cardai.core import registry
from cardai.core.allowed import allowed
from cardai.core.arrays import Float32s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import file_digest, read_json, refuse_links, vacant
from cardai.core.holes import refuse_holes
from cardai.core.locks import DirectoryLock
from cardai.core.needs import write_own
from cardai.core.npz import read_npz, write_npz
from cardai.core.progress import tell
from cardai.core.schema import structure
from cardai.core.trust import source_of
from cardai.pieces import Work
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.recipe import Recipe as Recipe
from cardai.poker.values.situations import (
    BOARD_CARDS,
    Labels,
    Situation,
    all_labels,
)

FORMAT = "cardai situations 1"
HEAD = "situations.json"
SHARD = "shard-{:06d}.npz"
AT_ONCE = {"river": 4000, "turn": 400}
"""How many situations a device is given at a time: those with trees of one shape are solved side by side."""


_BUSY = "The situations of {} are being solved"


class Behind(Protocol):
    """What values situations on the flop: a network of the turn (:class:`.flop_labels.BehindFlop`)."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the network."""

    def labels(
        self, one: Situation, iterations: int, bets: str, discounts: tuple[float, float, float], cards: int
    ) -> Labels:
        """Return what every hand is worth, as a :class:`~cardai.poker.values.recipe.Recipe` says it."""


class SituationWarning(UserWarning):
    """A shard is missing or damaged, and is made again."""


@frozen
class _Head:
    """What situations.json holds."""

    format: str
    recipe: Recipe
    fingerprint: str
    shards: dict[str, str]
    """SHA-256 by name."""


@frozen(eq=False)
class Shard:
    """Situations numbered ``first`` and on, and what they are worth."""

    first: int
    values: Float32s
    """(n, 2, H) in units of what each player has put in, of the hands that the board leaves."""
    exploitability: Float32s
    """(n,) in % of the pot."""


@frozen(eq=False)
class SituationSet:
    """A directory of solved situations."""

    directory: Path
    recipe: Recipe
    fingerprint: str
    shards: dict[str, str] = field(repr=False)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the shards that are there, in order."""
        return sorted(int(name[6:12]) for name in self.shards)

    def __len__(self) -> int:
        return len(self.shards) * self.recipe.per_shard

    def read(self, shard: int) -> Shard:
        """Return shard ``shard``. Raises DamagedFileError: it is missing, or not the one that was written."""
        if wrong := self._wrong(shard):
            raise DamagedFileError(
                f"{wrong} Make it again by: cardai situations {shlex.quote(str(self.directory))} --count {len(self)}"
            )
        file = self.directory / SHARD.format(shard)
        board, hands = range(BOARD_CARDS[self.recipe.street]), self.recipe.drawn_in.hands
        count, left = self.recipe.per_shard, len(legal_hands(board, hands))
        shapes = {"values": (np.float16, (count, 2, left)), "exploitability": (np.float32, (count,))}
        found = read_npz(file, shapes)
        if not all(np.isfinite(array).all() for array in found.values()):
            raise DamagedFileError(f"The file {file} holds numbers that no solver writes: it is damaged.")
        return Shard(shard * count, found["values"].astype(np.float32), found["exploitability"])

    def _wrong(self, shard: int) -> str:
        """Return what is wrong with a shard's file, in a sentence; nothing if it is the one that was written."""
        file = self.directory / SHARD.format(shard)
        try:
            refuse_holes([file])
            if file_digest(file) == self.shards.get(file.name):
                return ""
        except FileNotFoundError:
            return f"The file {file} is missing."
        except OSError as error:
            raise DamagedFileError(f"The file {file} cannot be read: {error.strerror}.") from error
        return f"The file {file} is not the one that {HEAD} names: its checksum is another."

    def damaged(self) -> dict[int, str]:
        """Return the numbers of the shards that are named and missing or damaged, with a sentence on each."""
        found: dict[int, str] = {}
        for done, shard in enumerate(self.numbers):
            tell("Checking situations", done, len(self.shards))
            if wrong := self._wrong(shard):
                found[shard] = wrong
        tell("Checking situations", 1, 1)
        return found

    def situations(self, shard: int) -> list[Situation]:
        """Return the situations of a shard, made again from the recipe."""
        return _members(self.recipe, shard)


def load(directory: str | Path) -> SituationSet:
    """Return the set in ``directory``. Raises UsageError (there is none), DamagedFileError."""
    path = Path(directory)
    if not os.path.isfile(path / HEAD):
        raise UsageError(
            f"There are no situations in {str(path)!r}: it has no {HEAD}. Make some by: cardai situations."
        )
    refuse_links(path)
    what = f"The file {path / HEAD}"
    head = structure(read_json(path / HEAD), _Head, what)
    if head.format != FORMAT:
        raise DamagedFileError(f"{what} is damaged or foreign: its format is {head.format[:40]!r}.")
    try:
        head.recipe.check()
    except UsageError as error:
        raise DamagedFileError(f"{what} is damaged or foreign: {error}") from error
    if odd := [name for name in head.shards if len(name) != 16 or name != SHARD.format(_number(name))]:
        raise DamagedFileError(f"{what} is damaged or foreign: it names the shard {odd[0][:40]!r}.")
    if source := source_of(head.recipe.player):
        allowed(source)  # asked for now: a set that grows is another file later
    return SituationSet(path, head.recipe, head.fingerprint, head.shards)


def _number(name: str) -> int:
    digits = name[6:12]
    return int(digits) if digits.isdecimal() and digits.isascii() else -1


def check_fingerprint(found: SituationSet) -> None:
    """Raise UsageError unless this version of cardai, and the player, make the situations that were solved."""
    if found.recipe.fingerprint() != found.fingerprint:
        whose = f"its player {found.recipe.player!r} is another now, or " if found.recipe.player else ""
        raise UsageError(
            f"The situations of {found.directory} cannot be made again: {whose}they are of another version of cardai."
        )


def produce(
    directory: str | Path,
    recipe: Recipe,
    count: int,
    *,
    jobs: int = 1,
    on: str = "",
    device: str = "cpu",
    behind: Behind | None = None,
    progress: Callable[[int, int], bool] | None = None,
) -> SituationSet:
    """Solve situations until ``directory`` has ``count``, rounded up to whole shards, and return the set.

    Each shard is kept as soon as it is solved; Ctrl-C loses at most those under way. A shard of the set that is missing or
    damaged is made again, the same to the byte, whatever its number, and a SituationWarning says so. ``jobs`` and ``on`` are those of
    :mod:`cardai.pieces`. ``progress(done, wanted)`` is told after each; False stops. ``device`` cuda solves many side by side
    on a GPU (:mod:`cardai.poker.values.batch_labels`): values are then the same but for rounding, not to the byte. ``behind`` values
    what lies behind flops.

    Raises:
        UsageError: the recipe makes no sense or is of another network, ``directory`` holds something else or is being written by another process, or
            torch does not see the device.
    """
    recipe.check()
    check_behind(directory, recipe, behind)
    where = _device(recipe, device, jobs, on)
    path, wanted = Path(directory), set(range(-(-count // recipe.per_shard)))
    damaged: dict[int, str] = {}
    if (path / HEAD).exists():
        found = _taken_up(path, recipe)
        damaged = found.damaged()
        if not damaged and wanted <= set(found.numbers):
            if progress is not None:
                progress(len(found), len(found))
            return found
    with DirectoryLock(path, _BUSY, ", or choose another directory"):
        found = _taken_up(path, recipe)
        for wrong in damaged.values():
            warnings.warn(f"{wrong} It is made again.", SituationWarning, stacklevel=2)
        found = evolve(found, shards={k: v for k, v in found.shards.items() if _number(k) not in damaged})
        missing = sorted((wanted | damaged.keys()) - set(found.numbers))
        running = _swept(recipe, missing, jobs, on, behind) if where == "cpu" else _on_device(recipe, missing, where)
        return _kept(found, running, len(missing), progress)


def check_behind(directory: str | Path, recipe: Recipe, behind: Behind | None) -> None:
    """Raise UsageError unless ``behind`` is the network that the flops of ``directory`` were valued by."""
    if recipe.network != ("" if behind is None else behind.digest):
        raise UsageError(
            f"The flops of {directory} are valued by another network of the turn. Name theirs: --values RUN."
        )


def _kept(
    found: SituationSet,
    running: Generator[tuple[int, dict[str, Any]], None, None],
    missing: int,
    progress: Callable[[int, int], bool] | None,
) -> SituationSet:
    """Keep shards as they are solved until ``progress`` says no, and return the set."""
    wanted = len(found) + missing * found.recipe.per_shard
    if progress is not None:
        progress(len(found), wanted)
    try:
        for shard, arrays in running:
            found = _keep(found, shard, arrays)
            if progress is not None and not progress(len(found), wanted):
                break
    finally:
        running.close()
    return found


def _device(recipe: Recipe, name: str, jobs: int, on: str) -> str:
    """Return the device that solves: ``auto`` is the first GPU, or the CPU. Raises UsageError."""
    if name == "cpu":
        return name
    if jobs != 1 or on:
        raise UsageError(f"A device solves many situations at once: with --device {name} leave out --jobs and --on.")
    if recipe.rows > 1:
        raise UsageError(f"Neighbours of a situation are worked out on the CPU. Leave out --device {name}, or --rows.")
    if recipe.street not in AT_ONCE:
        raise UsageError(f"A device solves situations on the turn or the river. Leave out --device {name}.")
    from cardai.learn.networks import choose_device

    return str(choose_device(name))


def _swept(
    recipe: Recipe, shards: Sequence[int], jobs: int, on: str, behind: Behind | None = None
) -> Generator[tuple[int, dict[str, Any]], None, None]:
    """Yield each shard and its arrays, solved by processes or machines."""
    here = on and recipe.player  # a trained run's directory is on this machine alone
    more = () if behind is None else (behind,)
    pieces = (
        (f"situations of shard {k}", (k, _members(recipe, k) if here else (), *more) if here or more else (k,))
        for k in shards
    )
    with closing(Work(solve_shard, _own(recipe), on=on, jobs=jobs, pieces=pieces).run()) as running:
        yield from (found for _, found in running)


def _own(recipe: Recipe) -> Recipe:
    """Return the recipe as one's own, if its set is allowed to name what it names: each shard makes the set another file, and a process
    that is begun later would find no note of the one that it was read from."""
    source = source_of(recipe.player)
    return evolve(recipe, player=str(recipe.player)) if source is not None and allowed(source) else recipe


def solve_shard(
    recipe: Recipe, shard: int, members: Sequence[Situation] = (), behind: Behind | None = None
) -> tuple[int, dict[str, Any]]:
    """Return (shard, its arrays): the piece of work; ``members`` are its situations, where they are known, ``behind`` as of :func:`produce`."""
    found = members or _members(recipe, shard)
    iterations = [recipe.iterations[one.interval] for one in found]
    if behind is None:
        solved = all_labels(found, iterations, recipe.bets, recipe.discounts, recipe.rows)
    else:
        how = recipe.bets, recipe.discounts, recipe.cards
        solved = [behind.labels(one, count, *how) for one, count in zip(found, iterations, strict=True)]
    return shard, _arrays(found, solved)


def _on_device(recipe: Recipe, shards: Sequence[int], device: str) -> Generator[tuple[int, dict[str, Any]], None, None]:
    """Yield each shard and its arrays, some shards solved at a time on ``device``."""
    from cardai.poker.values.batch_labels import solve_situations

    step = max(1, AT_ONCE[recipe.street] // recipe.per_shard)
    for first in range(0, len(shards), step):
        chosen = shards[first : first + step]
        found = [one for shard in chosen for one in _members(recipe, shard)]
        solved = solve_situations(
            found, [recipe.iterations[one.interval] for one in found], bets=recipe.bets, discounts=recipe.discounts, device=device
        )  # fmt: skip
        for k, shard in enumerate(chosen):
            part = slice(k * recipe.per_shard, (k + 1) * recipe.per_shard)
            yield shard, _arrays(found[part], solved[part])


def _members(recipe: Recipe, shard: int) -> list[Situation]:
    """Return the situations of a shard."""
    return [recipe.situation(number) for number in range(shard * recipe.per_shard, (shard + 1) * recipe.per_shard)]


def _arrays(situations: Sequence[Situation], solved: Sequence[Labels]) -> dict[str, Any]:
    """Return what a shard's file holds."""
    pairs = zip(situations, solved, strict=True)
    values = [found.values[:, legal_hands(one.board, one.game.hands)].astype(np.float16) for one, found in pairs]
    gaps = np.array([found.exploitability for found in solved], np.float32)
    return {"values": np.stack(values), "exploitability": gaps}


def _taken_up(path: Path, recipe: Recipe) -> SituationSet:
    if (path / HEAD).exists():
        found = load(path)
        if found.recipe != recipe:
            raise UsageError(f"{path} holds situations by another recipe. Choose another directory.")
        check_fingerprint(found)
        return found
    if not vacant(path):
        raise UsageError(f"{path} is not empty, and holds no situations. Choose another directory.")
    found = SituationSet(path, recipe, recipe.fingerprint(), {})
    _write_head(found)
    return found


def _keep(found: SituationSet, shard: int, arrays: dict[str, Any]) -> SituationSet:
    """Write a shard, then the head that names it."""
    file = found.directory / SHARD.format(shard)
    write_npz(file, arrays)
    kept = evolve(found, shards={**found.shards, file.name: file_digest(file)})
    _write_head(kept)
    return kept


def _write_head(found: SituationSet) -> None:
    head = _Head(FORMAT, found.recipe, found.fingerprint, dict(sorted(found.shards.items())))
    named = [("agent", head.recipe.player), ("game", head.recipe.game)]
    write_own(registry.load, found.directory / HEAD, asdict(head), named)
