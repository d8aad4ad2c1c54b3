"""The coach in the app: what one's decisions cost, in a line after each or after the hand, and on a page of their own."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.screen import Screen

from cardai.core.errors import CardaiError
from cardai.study.coach import When, dearest_first, word_of, words_of
from cardai.study.graded import GradedHand
from cardai.study.review import decision_lines
from cardai.ui.background import Background
from cardai.ui.cards import Palette, inline
from cardai.ui.dialogs import Page
from cardai.ui.match import Match

__all__ = ["Coaching", "When", "page_of"]


class Coaching(Screen[None]):
    """The part of a person's table where the coach speaks."""

    match: Match | None
    work: Background
    palette: Palette
    coach: When = ""
    told = ""
    """What was said of the last action."""

    def say(self, words: str, style: str = "") -> None:
        """Say something to the person."""
        raise NotImplementedError

    def failed(self, error: Exception) -> None:
        """Say in a sentence what went wrong."""
        raise NotImplementedError

    def act(self, match: Match, action: int) -> None:
        """Play an action of the person's, in the thread of the work; the coach says what it cost, if he is to."""
        self.told = ""
        if self.coach == "now":
            try:
                found = match.judged(action)
                self.told = word_of(found, match.coach.unit) or (match.praise if found else "")
            except CardaiError as error:  # nobody judges this game: it is said once
                self.told, self.coach = str(error), ""
        match.act(action)

    def tell_hand(self) -> None:
        """Say what the decisions of this hand cost."""
        self._graded(lambda graded, unit: self.say(words_of(graded, unit)))

    def show_hand(self) -> None:
        """Show the decisions of this hand on a page."""
        self._graded(lambda graded, unit: self.app.push_screen(Page(page_of(graded, unit, self.palette))))

    def _graded(self, then: Callable[[GradedHand, str], object]) -> None:
        match = self.match
        if match is None or self.work.busy:
            return

        def told(graded: GradedHand) -> None:
            then(graded, match.coach.unit)

        self.work.start(match.graded, told, self.failed)


def page_of(graded: GradedHand, unit: str, palette: Palette) -> Text:
    """Return a hand's decisions as text, those that cost something first, the dearest at the top."""
    text = Text().append("Your decisions, the dearest first", "bold").append(f"   ({unit})", "dim")
    for rank, decision in enumerate(dearest_first(graded), 1):
        head, *rest = decision_lines(decision, "", str(rank))
        text.append("\n").append_text(inline(head, palette, "bold" if decision.cost else ""))
        for line in rest:
            text.append("\n").append_text(inline(line, palette))
    for reason, count in graded.left_out.items():
        text.append(f"\n{count} not graded: {reason}", "dim")
    return text if graded.decisions or graded.left_out else text.append("\nThere was no choice in this hand.")
