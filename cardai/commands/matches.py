"""``cardai matches``: the matches that you have played: a list to search, what they come to, and your data out or away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, absolute, note, print_json, say
from cardai.core.errors import CardaiError, UsageError

if TYPE_CHECKING:
    from cardai.arena.bootstrap import Interval
    from cardai.study.coach import Coach, Coaches
    from cardai.study.review import Review
    from cardai.study.sittings import Sitting, Tally

PLAYER = "human"

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[WORD]...", help="Only matches with all of these in name, game or opponents.", show_default="all"
    ),
]
Stats = Annotated[bool, typer.Option("--stats", help="What the matches come to, a game and opponent.")]
Costs = Annotated[bool, typer.Option("--review", help="With --stats: what your decisions cost, by their kinds.")]
Export = Annotated[str | None, typer.Option("--export", metavar="FILE", help="Write all your data into this zip file.")]
Delete = Annotated[bool, typer.Option("--delete", help="Remove all your data: matches and what was measured.")]
Yes = Annotated[bool, typer.Option("--yes", help="With --delete: do not ask.")]


def matches(
    words: Words = None,
    stats: Stats = False,
    review: Costs = False,
    export: Export = None,
    delete: Delete = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """List the matches that you have played with cardai play, the newest first.

    Example: cardai matches gin heisenbot --stats --review
    """
    from cardai.study.coach import Coaches
    from cardai.study.sittings import sittings, tallies
    from cardai.ui import kept

    if export is not None or delete:
        if words or stats or review or json:
            raise UsageError(
                "--export and --delete are of all your data: leave out words, --stats, --review and --json."
            )
        return _data(absolute(export), delete, yes)
    found, damaged = sittings(kept.matches(), PLAYER, words or ())
    for message in damaged:
        note(f"cardai: {message}")
    if not stats and not review:
        return _list(found, json)
    coaches = Coaches()
    rows = [(tally, _more(tally, found, coaches, review)) for tally in tallies(found)]
    if json:
        return print_json([_plain(tally, more) for tally, more in rows])
    for tally, more in rows:
        _show(tally, more)
    if not rows:
        say("There are no matches. Begin one with: cardai play")


def _list(found: list[Sitting], json: bool) -> None:
    if json:
        return print_json(
            [
                {"file": str(one.path), "began": one.began, "game": one.game, "against": list(one.others),
                 "hands": len(one.won), "won": float(one.won.sum())}
                for one in found
            ]
        )  # fmt: skip
    for one in found:
        against = f" against {', '.join(one.others)}" if one.others else ""
        say(f"{one.began or one.path.name:<16}  {one.game}{against}: {len(one.won):,} hands, {one.won.sum():+,g}")
        say(f"                  {one.path}")
    if not found:
        say("There are no such matches. Begin one with: cardai play")


def _more(
    tally: Tally, found: list[Sitting], coaches: Coaches, costs: bool
) -> tuple[Interval | None, Review | None, str]:
    """Return what is known beyond the winnings: those with the luck taken out, what decisions cost, and why that is not known."""
    own = [one for one in found if (one.game, one.others) == (tally.game, tally.others)]
    try:
        coach = coaches.of(tally.game)
    except CardaiError as error:
        return None, None, str(error)
    fair = _without_luck(coach.game, own)
    try:
        return fair, _reviewed(coach, own) if costs else None, ""
    except CardaiError as error:
        return fair, None, str(error)


def _without_luck(game: Any, own: list[Sitting]) -> Interval | None:
    """Return what a hand brought with the luck taken out by AIVAT, from the side of the opponent, whose odds are known.

    None: he is one of several, has no odds that can be asked for, or the game cannot be worked out.
    """
    from cardai import make
    from cardai.arena.bootstrap import Interval
    from cardai.solve.aivat import aivat
    from cardai.study.sittings import hands_of

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


def _reviewed(coach: Coach, own: list[Sitting]) -> Review:
    """Return a review of all own hands."""
    from cardai.arena.records import RecordFile
    from cardai.study.session import job_of, run
    from cardai.study.sittings import hands_of

    file = RecordFile({"game": own[0].game, "agents": [PLAYER]}, hands_of(own))
    return run(job_of(file, coach.game, PLAYER, coach.grader.judge, player=0))[0]


def _plain(tally: Tally, more: tuple[Interval | None, Review | None, str]) -> dict[str, Any]:
    from cardai.study.report import figure, plain

    fair, review, why = more
    return {
        "game": tally.game,
        "against": list(tally.others),
        "matches": tally.matches,
        "hands": tally.hands,
        "won_a_hand": figure(tally.won),
        "won_a_hand_without_luck": None if fair is None else figure(fair),
        "curve": list(tally.curve),
        "review": None if review is None else plain(review, 10),
        "not_reviewed": why,
    }


def _show(tally: Tally, more: tuple[Interval | None, Review | None, str]) -> None:
    from cardai.study.review import number, spread, text_of

    fair, review, why = more
    against = f" against {', '.join(tally.others)}" if tally.others else ""
    say(f"{tally.game}{against}: {tally.matches:,} matches, {tally.hands:,} hands, {tally.curve[-1]:+,g} in all")
    say(f"  won a hand {spread(tally.won)}")
    if fair is not None:
        say(
            f"  with the luck taken out (AIVAT) {number(fair.mean)}, 95% from {number(fair.low)} to {number(fair.high)}"
        )
    if review is not None:
        say("".join(f"  {line}\n" for line in text_of(review, 5).splitlines()).rstrip("\n"))
    elif why:
        say(f"  not graded: {why}")


def _data(export: str | None, delete: bool, yes: bool) -> None:
    """Write all data of the person into a zip file, remove them, or both, in this order."""
    import zipfile

    from cardai.core.files import Output
    from cardai.ui import kept

    folder = kept.folder()
    own = [folder / name for name in kept.OWN if not (folder / name).is_symlink()]
    held = [file for top in own for file in (top, *top.rglob("*"))]
    files = sorted(file for file in held if file.is_file() and not file.is_symlink())
    if export is not None:
        with Output(export, "The export") as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.relative_to(folder))
        say(f"{len(files):,} files are in {export}.")
    if delete:
        if not yes and not typer.confirm(f"Remove {len(files):,} files in {folder} for good?", err=True):
            return note("Nothing was removed.")
        for file in files:
            _remove(file, folder)
        say(f"{len(files):,} files were removed.")


def _remove(file: Path, folder: Path) -> None:
    """Remove a file, and folders that are then empty."""
    from contextlib import suppress

    file.unlink(missing_ok=True)
    for parent in file.parents:
        if parent == folder.parent:
            return
        with suppress(OSError):
            parent.rmdir()
