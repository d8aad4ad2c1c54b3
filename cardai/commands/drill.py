"""``cardai drill``: your own mistakes as questions, graded at once, asked again the later the better they went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import note, say
from cardai.commands.matches import Words
from cardai.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cardai.study.coach import Coaches
    from cardai.study.drills import Question

Count = Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="Questions, at most.")]


def drill(words: Words = None, count: Count = 10) -> None:
    """Meet the dearest mistakes of your matches again: decide, and hear at once what it costs and why.

    What costs nothing comes again after 1, 2, 4, ... days, what does, at once the next time. q stops; answers are kept.
    """
    from cardai.arena.lockstep import StopPlaying
    from cardai.formats.rooms.coach import coach_of
    from cardai.study import drills
    from cardai.study.coach import Coaches
    from cardai.ui import again

    known, coaches = again.due(), Coaches(coach_of)
    asked = drills.due(_questions(words or (), coaches), known, again.today())
    if not asked:
        return say("No mistake of yours is due. Play (cardai play), or come again tomorrow.")
    right = done = 0
    try:
        for question in asked[:count]:
            right += _ask(question, coaches, done + 1, min(count, len(asked)))
            done += 1
    except StopPlaying:  # q, or the input has ended: what was answered stands below
        pass
    say(f"{right} of {done} without a cost; {len(asked) - right:,} of your mistakes are due.")


def _questions(words: Sequence[str], coaches: Coaches) -> list[Question]:
    """Return the mistakes in all matches that can be graded."""
    from cardai.study.sittings import sittings
    from cardai.ui import kept
    from cardai.ui.past import PLAYER, mistakes
    from cardai.ui.players import known_as

    return mistakes(sittings(kept.matches(), PLAYER, words, known_as)[0], coaches, note)


def _ask(question: Question, coaches: Coaches, number: int, count: int) -> bool:
    """Ask one question, keep how the answer went and say what it costs; return whether nothing.

    Raises:
        StopPlaying: the person has had enough.
    """
    from cardai.arena.person import Person
    from cardai.arena.table import replay
    from cardai.study.review import decision_lines
    from cardai.ui import again

    coach = coaches.of(question.game)
    game, person = coach.game, Person(coach.game, question.seat)
    person.between = False
    for place, (table, _) in enumerate(replay(game, question.record)):
        if place == question.decision.place:
            note(f"Question {number} of {count}: {one_line(question.game)}")
            view, legal = table.view(), table.legal()
            before = {**question.record, "actions": question.record["actions"][:place]}
            action = person.decide(view, legal)
            found = coach.decision(table.views(), legal, action, before, question.seat)
            answer = again.keep_answer(question, found)
            break
    say("Right." if answer.right else "Not the best.")
    for line in decision_lines(answer.found, coach.unit, "your answer") if answer.found is not None else ():
        say(line)
    was = answer.was
    say(f"At the table it was {one_line(was.words)}; best {one_line(was.best_words)}.")
    return answer.right
