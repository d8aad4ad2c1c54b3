"""Trainers: algorithms that learn or solve. A trainer is started, stopped, resumed, plotted, and then played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.game import Game

Metrics = dict[str, float]


class Crew:
    """Does the pieces of a training's steps: here, one after another. Another one may be put in its place, and does them elsewhere.

    A trainer that uses it has an option ``actors``: into how many pieces a step is cut. Its results may depend on that, and on
    nothing that a crew is.
    """

    def do(
        self, function: Callable[..., Any], lasting: Any, state: Any, pieces: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Return ``function(lasting, state, *piece)`` of each piece, in their order.

        ``function`` is one of a module, and changes nothing that it is given. ``lasting`` is the same object at each call (who does
        pieces keeps it), ``state`` is what has changed since the last; both, and the results, can be pickled.
        """
        return [function(lasting, state, *piece) for piece in pieces]


def shares(count: int, actors: int) -> list[range]:
    """Return which of 0 to ``count`` - 1 each of some actors does, one after another: lengths differ by one at most.

    Where there are fewer than actors, so many actors do one each, for a piece of nothing is none.
    """
    actors = max(1, min(actors, count))
    return [range(count * k // actors, count * (k + 1) // actors) for k in range(actors)]


class Trainer(ABC):
    """An algorithm's options (a frozen attrs class). :meth:`start` gives the running thing."""

    step_unit: ClassVar[str] = "steps"
    """What one step is: iterations, episodes, environment steps, hands."""
    needs_encoder: ClassVar[bool] = False
    """Whether ``--encoder`` must be given."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    may: ClassVar[frozenset[str]] = frozenset()
    retired: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Options of earlier versions with the values (as in specs; none: any) that mean what it does now: a run.json that
    names one of those opens still."""

    @abstractmethod
    def check_game(self, game: Game) -> None:
        """Raise UsageError, in a sentence, for a game that it cannot take (``pass`` in one that takes any).

        It is asked before a training is started, and by ``cardai list-plugins --for GAME``: it goes by what the game
        declares and is quick.
        """

    @abstractmethod
    def start(self, game: Game, encoder: Encoder | None, seed: int) -> Training:
        """Begin training from nothing a game that :meth:`check_game` takes. Raises UsageError for an encoder it cannot take."""

    def resume(self, game: Game, encoder: Encoder | None, seed: int, directory: Path) -> Training:
        """Take a training up from the checkpoint ``directory`` (default: start, then load).

        Override it where a start needs what going on does not: another run to begin with, say, which may be gone.
        """
        training = self.start(game, encoder, seed)
        training.load(directory)
        return training

    def use_of(self, run: Path) -> str:
        """Return the command to try next on a finished ``run`` that is no player; nothing (the default): it plays."""
        return ""

    def agent_options(self) -> Mapping[str, str]:
        """Return the options of a trained agent's spec (``runs/x:policy=average``) with their help."""
        return {}

    def trained_agent(
        self, game: Game, encoder: Encoder | None, seed: int, directory: Path, options: Mapping[str, Any]
    ) -> Agent:
        """Return the player in the checkpoint ``directory``.

        The default takes up the whole training; override it where a player needs less (no buffers).
        """
        return self.resume(game, encoder, seed, directory).agent(options)

    def slim(self, game: Game, directory: Path) -> None:  # noqa: B027 (most have nothing to round)
        """Round what the player reads in a copy of a checkpoint, where that makes it smaller (default: nothing)."""


class Training(ABC):
    """A training under way: everything that a checkpoint must hold is in it."""

    step: int
    """Steps done so far."""
    notes: Sequence[str] = ()
    """What a person should know about how it was started, in sentences."""
    crew: Crew = Crew()
    """Who does pieces of steps, where the trainer has actors."""
    wants_checkpoint: bool = False
    """Whether, at a yield, what has just been finished should be saved at once, rather than when a checkpoint is due."""

    @abstractmethod
    def train(self, steps: int) -> Iterator[Metrics]:
        """Go on until ``self.step`` has grown by ``steps``, yielding a row of metrics from time to time.

        The state is consistent (can be saved) whenever it has yielded; it may yield empty rows just for that.
        """

    @abstractmethod
    def save(self, directory: Path) -> None:
        """Write everything needed to go on into ``directory`` (it exists and is empty): npz, safetensors, JSON."""

    @abstractmethod
    def load(self, directory: Path) -> None:
        """Take up what :meth:`save` wrote. Raises DamagedFileError, naming the file, for anything else."""

    @abstractmethod
    def agent(self, options: Mapping[str, Any]) -> Agent:
        """Return the player as trained so far; ``options`` come from its spec (texts). Raises OptionError."""
