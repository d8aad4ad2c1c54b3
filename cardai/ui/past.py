"""What a person has played: what it comes to, what the decisions cost, mistakes to be asked again, and the data out or away."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from attrs import frozen

from cardai import make
from cardai.arena.bootstrap import Interval
from cardai.arena.records import RecordFile
from cardai.core.errors import CardaiError
from cardai.core.game import Game
from cardai.solve.aivat import aivat
from cardai.study.coach import Coach, Coaches
from cardai.study.drills import Question, questions
from cardai.study.index import listed
from cardai.study.review import Review
from cardai.study.session import Progress, run
from cardai.study.sittings import Sitting, Tally, hands_of
from cardai.ui import kept
from cardai.ui.players import known_as

PLAYER = "human"
"""What a person is called in the records."""


@frozen
class Known:
    """What is known of a tally beyond its winnings: those with the luck taken out, what decisions cost, or why that is not known."""

    fair: Interval | None = None
    review: Review | None = None
    why: str = ""


def played(words: Iterable[str] = ()) -> tuple[list[Sitting], list[str]]:
    """Return a person's matches in which all ``words`` occur, the newest first, without their hands; and what cannot be read."""
    return listed(kept.matches(), PLAYER, kept.folder() / kept.INDEX, words, known_as)


def known(
    tally: Tally, found: Sequence[Sitting], coaches: Coaches, costs: bool, progress: Progress | None = None
) -> Known:
    """Return what is known of a tally of the matches ``found``; ``costs``: with a review of all its hands."""
    own = [one for one in found if (one.game, one.others) == (tally.game, tally.others)]
    try:
        coach = coaches.of(tally.game)
    except CardaiError as error:
        return Known(why=str(error))
    fair = without_luck(coach.game, own)
    try:
        return Known(fair, reviewed(coach, own, progress) if costs else None)
    except CardaiError as error:
        return Known(fair, why=str(error))


def without_luck(game: Game, own: Sequence[Sitting]) -> Interval | None:
    """Return what a hand brought with the luck taken out by AIVAT, from the side of the opponent, whose odds are known.

    None: he is one of several, has no odds that can be asked for, or the game cannot be worked out.
    """
    if game.num_players != 2 or len(own[0].others) != 1:
        return None
    try:
        hands = hands_of(own)
        other = next(agent for agent in hands[0]["seats"] if agent != 0)
        found = aivat(game, make.agent(own[0].others[0]), hands, other, name=own[0].others[0])
    except CardaiError:
        return None
    zero_sum = all(abs(sum(hand["returns"])) < 1e-9 for hand in hands)
    his = found.corrected
    return Interval(-his.mean, -his.high, -his.low, his.count) if zero_sum and len(found.chips) else None


def reviewed(coach: Coach, own: Sequence[Sitting], progress: Progress | None = None) -> Review:
    """Return a review of all hands of matches of one game, numbered from 1 over them all. Raises UsageError: nobody judges it."""
    file = RecordFile({"game": own[0].game, "agents": [PLAYER]}, hands_of(own))
    return run(coach.job(file, PLAYER, player=0, soon=True), progress=progress)[0]


def mistakes(
    matches: Sequence[Sitting], coaches: Coaches, say: Callable[[str], None], progress: Progress | None = None
) -> list[Question]:
    """Return the mistakes in all ``matches`` that can be graded; ``say`` hears why one cannot."""
    found: list[Question] = []
    done, hands = 0, sum(len(one.hands) for one in matches)
    for one in matches:
        heard = None if progress is None else lambda now, _, before=done: progress(before + now, hands)  # type: ignore[misc]
        try:
            coach = coaches.of(one.game)
            review = reviewed(coach, [one], heard)
        except CardaiError as error:
            say(f"{one.path.name}: {error}")
            continue
        finally:
            done += len(one.hands)
        found += questions(one.path, one.game, one.hands, review.hands)
    return found


def files() -> list[Path]:
    """Return all files of the person's data: nothing that a link leads to, nothing that is not ours."""
    folder = kept.folder()
    own = [folder / name for name in kept.OWN if not (folder / name).is_symlink()]
    held = [file for top in own for file in (top, *top.rglob("*"))]
    return sorted(file for file in held if file.is_file() and not file.is_symlink())


def export(out: IO[bytes]) -> int:
    """Write all data into a zip file; return how many files there are."""
    held = files()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        for file in held:
            name = os.fsencode(file.relative_to(kept.folder()))  # which may be no text
            archive.write(file, name.decode("utf-8", "backslashreplace"))
    return len(held)


def delete() -> int:
    """Remove all data for good; return how many files there were."""
    held, folder = files(), kept.folder()
    for file in held:
        file.unlink(missing_ok=True)
        for parent in file.parents:
            if parent == folder.parent:
                break
            with suppress(OSError):
                parent.rmdir()
    return len(held)
