"""Teachers that decide by what no encoder of their imitators shows, and their recorded hands as examples."""

from __future__ import annotations

import time
from pathlib import Path

from attrs import frozen
from joblib import Parallel, delayed

from cardai.arena import match
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import Settings, convert
from cardai.learn.imitation.examples import MANIFEST, read_manifest

PIECE = 5_000
"""Hands of a record."""
FRESH = 100_000
"""The first record of hands that are played when all else is done: beyond those that are learned from."""
FOLDS = 4
"""Of the publication's figure 5."""
BLUEPRINT = "blueprint"
"""The run of the no-limit teacher, under the work directory."""
SYSTEMS = ("paper", "cards", "wide", "ours", "wide_ours", "levels")
"""What learns, each seeing more than the one before (experiments/cnn_valuation/making.py has trainers and encoders): the
publication's network and planes; ours over cards and betting, and several times as wide, its weights decaying; both with
price and hand strength; dense with the hand's bucket."""


@frozen
class Teacher:
    """Who is learned from."""

    name: str
    words: str
    """What it is and what it decides by, for the report."""
    player: str
    """A player of cardai; "" is the run that this experiment trains."""
    game: str
    hands: float
    """Hands that give one of the decisions to learn from, generously: each deal is played by it in both seats."""
    fair: tuple[str, ...]
    """The systems that do not see what it decides by."""

    def spec(self, work: Path) -> str:
        """Return the player's spec."""
        return self.player or str(work / BLUEPRINT)

    @property
    def names(self) -> list[str]:
        """What it is called in its records, in either seat."""
        return ["teacher", "teacher_"]


TEACHERS = {
    one.name: one
    for one in (
        Teacher(
            "cnn",
            "`limit_cnn` of the box, Poker-CNN's method: a network over cards and betting, no buckets, no strength",
            "limit_cnn",
            "poker_cnn_limit",
            0.14,
            SYSTEMS,
        ),
        Teacher(
            "equilibrium",
            "`limit_equilibrium` of the box: tables over buckets of hands, on the river by its place in both ranges",
            "limit_equilibrium",
            "poker_cnn_limit",
            0.17,
            SYSTEMS[:-1],
        ),
        Teacher(
            "blueprint",
            "the blueprint of the no-limit re-solving player, 200 big blinds: a table over 150 buckets a street",
            "",
            "acpc_nolimit_2p:stack=20000,bets=0.5+1+allin",
            0.5,
            SYSTEMS[:-1],
        ),
    )
}


def examples_of(work: Path, teacher: Teacher, decisions: int, jobs: int = 1) -> Path:
    """Return the examples of a teacher against itself, a fifth of the deals held out; played where they are missing.

    ``jobs`` processes play, a record each.
    """
    hands = max(200, int(decisions * teacher.hands * 1.25))
    records, out = work / "logs" / teacher.name, work / "examples" / teacher.name
    if (out / MANIFEST).exists():
        return out
    pieces = range(-(-hands // PIECE))
    files = Parallel(jobs)(delayed(_record)(records, teacher, piece, hands, work) for piece in pieces)
    return _converted(files, out, 0.2)


def fresh_examples(work: Path, teacher: Teacher, decisions: int) -> Path:
    """Return examples of further hands, by which nothing was learned and nothing chosen."""
    hands, folder = max(2, int(decisions * teacher.hands * 1.25)), work / "logs" / f"{teacher.name}-fresh"
    files = [
        _record(folder, teacher, FRESH + piece, FRESH * PIECE + hands, work) for piece in range(-(-hands // PIECE))
    ]
    return _converted(files, work / "examples" / f"{teacher.name}-fresh", 0.0)


def fold_examples(work: Path, teacher: Teacher, data: Path) -> list[tuple[Path, Path]]:
    """Return (to learn from, held out) for each fold: every fourth record is held out in turn."""
    files = [Path(one) for one in read_manifest(data).sources]
    if len(files) < FOLDS:
        files = [_record(work / "logs" / f"{teacher.name}-folds", teacher, k, 200, work, 50) for k in range(FOLDS)]
    found = []
    for k in range(FOLDS):
        out = work / "examples" / f"{teacher.name}-fold{k}"
        taught = _converted([one for i, one in enumerate(files) if i % FOLDS != k], out / "taught", 0.0)
        found.append((taught, _converted(files[k::FOLDS], out / "held", 0.0)))
    return found


def _record(folder: Path, teacher: Teacher, piece: int, hands: int, work: Path, size: int = PIECE) -> Path:
    """Return a record of at most ``size`` hands, played where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"piece-{piece:04d}.jsonl"
    if not file.exists():
        begun, player = time.process_time(), teacher.spec(work)
        games = max(2, min(size, hands - piece * size) // 2 * 2)
        rough = file.with_suffix(".tmp")
        rough.unlink(missing_ok=True)
        match.play(teacher.game, [player, player], games=games, seed=1000 + piece, record=rough, names=teacher.names)
        rough.rename(file)
        print(
            f"{file.name}: {games:,} hands of {teacher.name}, {time.process_time() - begun:.0f} CPU seconds", flush=True
        )
    return file


def _converted(files: list[Path], out: Path, share: float) -> Path:
    if not (out / MANIFEST).exists():
        begun = time.process_time()
        found = convert([str(file) for file in files], stream_hands, out, Settings(test_share=share, seed=1))
        seconds = time.process_time() - begun
        print(f"{found.hands:,} hands to {found.examples:,} examples in {seconds:.0f} CPU seconds", flush=True)
    return out
