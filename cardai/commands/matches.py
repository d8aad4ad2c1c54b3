"""``cardai matches``: the matches that you have played: a list to search, what they come to, and your data out or away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, absolute, note, print_json, say
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.study.sittings import Sitting, Tally
    from cardai.ui.past import Known

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
    from cardai.formats.rooms.coach import coach_of
    from cardai.study.coach import Coaches
    from cardai.study.sittings import sittings, tallies
    from cardai.ui import kept
    from cardai.ui.past import PLAYER, known
    from cardai.ui.players import known_as

    if export is not None or delete:
        if words or stats or review or json:
            raise UsageError(
                "--export and --delete are of all your data: leave out words, --stats, --review and --json."
            )
        return _data(absolute(export), delete, yes)
    found, damaged = sittings(kept.matches(), PLAYER, words or (), known_as)
    for message in damaged:
        note(f"cardai: {message}")
    if not stats and not review:
        return _list(found, json)
    coaches = Coaches(coach_of)
    rows = [(tally, known(tally, found, coaches, review)) for tally in tallies(found)]
    if json:
        return print_json([_plain(tally, more) for tally, more in rows])
    for tally, more in rows:
        _show(tally, more)
    if not rows:
        say("There are no matches. Begin one with: cardai play")


def _list(found: list[Sitting], json: bool) -> None:
    from cardai.arena.journal import journal_of
    from cardai.ui.players import against as called

    if json:
        return print_json(
            [
                {"file": str(journal_of(one.path)), "began": one.began, "game": one.game, "against": list(one.others),
                 "hands": len(one.won), "won": float(one.won.sum())}
                for one in found
            ]
        )  # fmt: skip
    for one in found:
        against = f" against {called(one.others)}" if one.others else ""
        say(
            f"{one.began or one.path.name:<16}  {one.game}{against}: {_count(len(one.won), 'hand')}, {one.won.sum():+,g}"
        )
        say(f"                  {journal_of(one.path)}")
    if not found:
        say("There are no such matches. Begin one with: cardai play")


def _plain(tally: Tally, more: Known) -> dict[str, Any]:
    from cardai.study.report import figure, plain

    return {
        "game": tally.game,
        "against": list(tally.others),
        "matches": tally.matches,
        "hands": tally.hands,
        "won_a_hand": figure(tally.won),
        "won_a_hand_without_luck": None if more.fair is None else figure(more.fair),
        "curve": list(tally.curve),
        "review": None if more.review is None else plain(more.review, 10),
        "not_reviewed": more.why,
    }


def _show(tally: Tally, more: Known) -> None:
    from cardai.study.review import number, spread, text_of
    from cardai.ui.players import against as called

    fair, review, why = more.fair, more.review, more.why
    against = f" against {called(tally.others)}" if tally.others else ""
    say(
        f"{tally.game}{against}: {_count(tally.matches, 'match', 'es')}, {_count(tally.hands, 'hand')}, {tally.curve[-1]:+,g} in all"
    )
    say(f"  won a hand {spread(tally.won)}")
    if fair is not None:
        say(
            f"  with the luck taken out (AIVAT) {number(fair.mean)}, 95% from {number(fair.low)} to {number(fair.high)}"
        )
    if review is not None:
        say("".join(f"  {line}\n" for line in text_of(review, 5).splitlines()).rstrip("\n"))
    elif why:
        say(f"  not graded: {why}")


def _count(number: int, what: str, ending: str = "s") -> str:
    return f"{number:,} {what}{'' if number == 1 else ending}"


def _data(export: str | None, delete: bool, yes: bool) -> None:
    """Write all data of the person into a zip file, remove them, or both, in this order."""
    from cardai.core.files import Output
    from cardai.ui import kept, past

    if export is not None:
        with Output(export, "The export") as out:
            count = past.export(out)
        say(f"{count:,} files are in {export}.")
    if delete:
        count = len(past.files())
        if not yes and not typer.confirm(f"Remove {count:,} files in {kept.folder()} for good?", err=True):
            return note("Nothing was removed.")
        say(f"{past.delete():,} files were removed.")
