"""What the experiments on Poker-CNN's betting share: value network, generations and league; all of it resumable."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from attrs import field, frozen

from cardai.arena import tournament
from cardai.core.spec import Spec, parse
from cardai.training.runs import Run
from cardai.training.session import Session

VALUES, BETS, LEAGUE, FINAL = "values", "bets", "league", "final"
_QUIET = 20.0  # seconds between two signs of life


@frozen
class Entry:
    """One run of generations: a value network, then a betting network that begins with it.

    ``{values}`` in ``bets`` stands for the value run's path; steps are minibatches and hands are those of a generation.
    """

    label: str
    encoder: str
    values: str
    value_steps: int
    bets: str
    hands: int
    generations: int


@frozen
class Published:
    """A published or measured figure of the authors' own networks: chips a hand and one standard error."""

    match: str
    chips: float
    error: float


@frozen
class Experiment:
    """An experiment: what is trained, against whom it is measured, and what is known already."""

    title: str
    game: str
    entries: tuple[Entry, ...]
    references: tuple[str, ...]
    """Fixed players; the first is the published heuristic."""
    published: tuple[Published, ...]
    ceilings: dict[str, float]
    """The most that anybody can win from a reference, chips a hand, where it is known exactly."""
    value_fields: str
    """The fields of the view that the value problem is about, joined with +."""
    variants: tuple[str, ...] = ()
    """Options of the first entry's betting, each tried alone: "branches=0"."""
    findings: str = ""
    """What was found on the way, in Markdown, with the commands behind its figures."""
    published_values: tuple[tuple[str, str], ...] = ()
    """What the authors' value networks reached, in words and as a figure."""


@frozen
class Work:
    """Where an experiment's files lie, and how long its runs are."""

    experiment: Experiment
    runs: Path
    share: float = 1.0
    most: int = 100
    """Generations at most."""
    checkpoint_seconds: float = 120.0
    shares: dict[str, float] = field(factory=dict)
    """Further shares, by entry."""
    _said: list[float] = field(factory=lambda: [0.0])

    def steps(self, full: int, least: int, label: str = "") -> int:
        """Return the share of a full length (of the entry ``label``), but ``least`` at least."""
        return max(least, round(full * self.share * self.shares.get(label, 1.0)))

    def shortened(self, trainer: str, label: str) -> str:
        """Return a value network's spec with the same share of its examples."""
        spec = parse(trainer)
        options = dict(spec.options)
        if int(options.get("examples", "0")):
            options["examples"] = str(self.steps(int(options["examples"]), 2000, label))
        return str(Spec(spec.name, tuple(options.items())))

    def say(self, text: str) -> None:
        """Print a line at once."""
        self._said[0] = time.monotonic()
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def sign(self, text: Callable[[], str]) -> None:
        """Print a line if nothing has been said for a while."""
        if time.monotonic() - self._said[0] > _QUIET:
            self.say(text())

    def train(self, path: Path, trainer: str, encoder: str, steps: int) -> None:
        """Train a run as far as asked, from where it stands."""
        if (path / "run.json").is_file():
            session = Session.resume(Run.open(path))
        else:
            session = Session.start(Run.create(path, trainer, self.experiment.game, encoder, 0, steps, sys.argv))

        def progress(step: int, row: dict[str, float]) -> None:
            if row:
                self.say(f"{path} {step:,}: " + ", ".join(f"{k} {v:.5g}" for k, v in row.items()))
            self.sign(lambda: f"{path} {step:,} of {steps:,}")

        if session.training.step < steps:
            session.train(steps, on_progress=progress, checkpoint_seconds=self.checkpoint_seconds)

    def play(self, folder: str, agents: list[str], games: int, seed: int, gauntlet: bool) -> None:
        """Play what a tournament lacks. Raises KeyboardInterrupt, with all that is finished saved, after Ctrl-C."""

        def progress(pairing: str, done: int, wanted: int) -> None:
            if done == wanted:
                self.say(f"{folder}: {pairing}: {done:,} games")
            self.sign(lambda: f"{folder}: {pairing}: {done:,} of {wanted:,} games")

        standings = tournament.play_pairings(
            self.experiment.game,
            agents,
            games=games,
            seed=seed,
            form="gauntlet" if gauntlet else "roundrobin",
            out=self.runs / folder,
            resume=True,
            progress=progress,
        )
        if standings.interrupted:
            raise KeyboardInterrupt

    # -- what there is ---------------------------------------------------------------------------------------------

    def generations(self, label: str) -> list[str]:
        """Return the specs of an entry's finished generations, oldest first."""
        path = self.runs / label / BETS
        if not (path / "run.json").is_file():
            return []
        checkpoint, _ = Run.open(path).latest()
        if checkpoint is None:
            return []
        state = json.loads((checkpoint.path / "state.json").read_text())
        return [f"{path}:generation={k}" for k in range(int(state["generations"]))]

    def begun(self) -> dict[str, list[str]]:
        """Return the generations of each entry that has some."""
        found = {entry.label: self.generations(entry.label) for entry in self.experiment.entries}
        return {label: specs for label, specs in found.items() if specs}

    def everybody(self) -> list[str]:
        """Return the players of the league."""
        return [spec for specs in self.begun().values() for spec in specs] + list(self.experiment.references)

    def finalists(self, label: str) -> list[str]:
        """Return an entry's last generation, then its opponents in long matches."""
        specs = self.begun()[label]
        rivals = dict.fromkeys(spec for spec in (specs[0], *specs[-2:-1]) if spec != specs[-1])
        return [specs[-1], *self.experiment.references, *rivals]

    def short(self, spec: str) -> str:
        """Return a player's name for tables: "ours 3" for a generation."""
        if ":generation=" not in spec:
            return spec
        path, number = spec.split(":generation=")
        return f"{Path(path).parent.name} {number}"


def train_entry(work: Work, entry: Entry) -> None:
    """Train an entry as far as asked, from where it stands."""
    folder = work.runs / entry.label
    values = folder / VALUES
    work.train(
        values, work.shortened(entry.values, entry.label), entry.encoder, work.steps(entry.value_steps, 20, entry.label)
    )
    hands = work.steps(entry.hands, 100, entry.label)
    spec = entry.bets.format(values=json.dumps(str(values))) + f",hands={hands}"
    work.train(folder / BETS, spec, entry.encoder, hands * min(work.most, entry.generations))


def play_league(work: Work, games: int, width: float) -> None:
    """Play the league of all generations and references, then every last generation's longer matches.

    A longer match goes on until the 95% interval of chips a hand is ``width`` to either side or less.
    """
    if not work.begun():
        return
    work.play(LEAGUE, work.everybody(), games, 1, gauntlet=False)
    for label in work.begun():
        last, *rivals = work.finalists(label)
        for rival in rivals:
            wanted = games
            while True:
                work.play(FINAL, [last, rival], wanted, 2, gauntlet=True)
                saved = tournament.saved(work.runs / FINAL, [last, rival], "gauntlet")
                cell = None if saved is None else saved.cell(0, 1)
                if cell is None or cell.half_width <= width:
                    break
                wanted = _even(1.05 * saved.games * (cell.half_width / width) ** 2)


def _even(number: float) -> int:
    return 2 * (int(number) // 2 + 1)
