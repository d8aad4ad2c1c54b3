"""Recorded hands in the app: step by step, to any hand, with hidden cards open, and what other players would have done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text
from textual import events
from textual.widgets import Input

from cardai.arena.advice import Advised
from cardai.core import registry
from cardai.ui.base import CardaiApp
from cardai.ui.cards import CardStyle, Palette, inline
from cardai.ui.dialogs import Choice
from cardai.ui.lines import footer, value_text
from cardai.ui.pictures import picture
from cardai.ui.players import Player
from cardai.ui.recording import Recording, Step
from cardai.ui.table import Watching

KEYS_HELP = """
In a replay: → or Enter goes on a step, ← goes back, Home and End go to the first and last. n and p go to the next and the \
previous hand, g to the hand whose number is typed. x opens and closes hidden cards. h shows what a player would have done \
at each step, c compares it with a second one. s saves the picture (SVG). q leaves.
"""
BAR = 12
"""The width of a probability's bar."""


class Replaying(Watching):
    """One file, step by step."""

    def __init__(
        self, recording: Recording, hand: int, reveal: bool, advisers: Sequence[str], palette: Palette
    ) -> None:
        super().__init__(palette)
        self.recording = recording
        self.hand = hand
        self.reveal = reveal
        self.consulted = list(advisers)
        self.advice: dict[tuple[int, int, str], list[Advised]] = {}
        self.steps: list[Step] = []
        self.at = 0

    def on_mount(self) -> None:
        self.prepare()
        self._load(self.hand)

    def _load(self, hand: int, at: int = 0) -> None:
        """Go to a hand, in a thread, since rules may have to be compiled."""
        if self.work.busy:
            return
        reveal = self.reveal

        def loaded(steps: list[Step]) -> None:
            self.say("")
            self.hand, self.steps, self.at = hand, steps, min(at, len(steps) - 1)
            self.draw()

        def refused(error: Exception) -> None:
            self.hand, self.steps = hand, []
            for part in ("picture", "said", "actions"):
                self.put(part, Text())
            self.put("title", Text(f"hand {hand + 1:,} of {len(self.recording):,}"))
            self.put("footer", footer("n next", "p prev", "g go", "q leave"))
            self.failed(error)

        self.work.start(lambda: self.recording.steps(hand, reveal), loaded, refused)

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self.at]

    def draw(self) -> None:
        """Show the step."""
        scene = self.scene = self.step.scene
        self.put(
            "title",
            Text.assemble((registry.spec_of(scene.game), "bold"), f"   {scene.title}   seen by {self._seen_by()}"),
        )
        self.put("picture", picture(scene, CardStyle(self.palette)))
        self.show_log(scene)
        self.put("actions", self._choices())
        self.put(
            "footer",
            footer(
                "→ on",
                "← back",
                "n next",
                "p prev",
                "g go",
                "x cards",
                "h hint",
                "c compare",
                "s save",
                "q leave",
            ),
        )
        self._ask_advisers()

    def _seen_by(self) -> str:
        return "everybody" if self.reveal else self.step.scene.names[self.step.scene.seat]

    def _choices(self) -> Text:
        """Return what was played, and what the players that are asked would have done."""
        step = self.step
        if step.actor is None:
            return Text("The hand is over.", "bold")
        text = Text.assemble((f"{step.scene.names[step.actor]}: ", "bold")).append_text(
            inline(step.words, self.palette, "bold green")
        )
        for player in self.consulted:
            text.append(f"\n{player} would: ", "dim")
            pairs = self.advice.get((self.hand, step.action_number, player))
            if not step.known:
                text.append("not known without hidden cards (x)", "dim")
            elif pairs is None:
                text.append("...")
            for words, share, value in (pairs or [])[:3] if step.known else ():
                bar = "█" * max(1, round(share * BAR)) if share else ""
                worth = "" if value is None else f" ({value_text(value)})"
                text.append_text(inline(f"{share:.0%} {bar} {words}{worth}   ", self.palette))
        return text

    def _ask_advisers(self) -> None:
        """Ask whoever has not been asked about this step; what comes late is shown if the step is still there."""
        hand, step = self.hand, self.step
        open_questions = [p for p in self.consulted if (hand, step.action_number, p) not in self.advice]
        if self.work.busy or not open_questions or step.actor is None or not step.known:
            return
        player = open_questions[0]

        def answered(pairs: list[Advised]) -> None:
            self.advice[hand, step.action_number, player] = pairs
            self.draw()

        def refused(error: Exception) -> None:
            self.consulted.remove(player)
            self.draw()
            self.failed(error)

        self.work.start(lambda: self.recording.advise(hand, step, player), answered, refused)

    # -- keys ------------------------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        if "press" in event.style.meta:
            pressed = str(event.style.meta["press"])
            self.press({"→": "right", "←": "left"}.get(pressed, pressed), pressed)

    def press(self, key: str, character: str) -> None:
        if character == "q":
            self.app.exit()
        elif character == "?":
            self.help()
        elif not self.steps:
            if character in ("n", "p", "g"):
                self._other(character, key)
        elif key in ("right", "enter", "space", "down"):
            self._go(self.at + 1)
        elif key in ("left", "backspace", "up"):
            self._go(self.at - 1)
        elif key in ("home", "end"):
            self._go(0 if key == "home" else len(self.steps) - 1)
        else:
            self._other(character, key)

    def _other(self, character: str, key: str) -> None:
        calls: dict[str, Callable[[], None]] = {
            "n": lambda: self._to_hand(self.hand + 1),
            "p": lambda: self._to_hand(self.hand - 1),
            "g": self._ask_hand,
            "x": self._turn,
            "h": lambda: self.advisers(lambda players: self._pick(players, 0)),
            "c": lambda: self.advisers(lambda players: self._pick(players, 1)),
            "s": self.save,
        }
        if character in calls:
            calls[character]()
        elif key == "ctrl+s":
            self.save()
        elif character and character.isprintable():
            self.say(f"{character} means nothing here: ? tells the keys.")

    def _go(self, at: int) -> None:
        self.at = max(0, min(at, len(self.steps) - 1))
        self.say("")
        self.draw()

    def _to_hand(self, hand: int) -> None:
        if 0 <= hand < len(self.recording):
            self._load(hand)
        else:
            self.say(f"There are hands 1 to {len(self.recording):,}.")

    def _turn(self) -> None:
        """Open or close the cards that the watched seat does not see, at the same place in the hand."""
        if self.work.busy:
            return
        self.reveal = not self.reveal
        place = self.step.action_number
        steps = self.recording.steps(self.hand, self.reveal)
        at = max((i for i, step in enumerate(steps) if step.action_number <= place), default=0)
        self.steps = steps
        self._go(at)

    def _ask_hand(self) -> None:
        self.say(f"Type a hand's number, 1 to {len(self.recording):,}; Enter goes there.")
        self.line.begin()

    def hide_line(self) -> None:
        super().hide_line()
        self.say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.hide_line()
        digits = event.value.replace(",", "").strip()
        if digits.isascii() and digits.isdigit() and len(digits) < 10:
            self._to_hand(int(digits) - 1)
        else:
            self.say(f"{event.value!r} is no number of a hand. There are hands 1 to {len(self.recording):,}.")

    def _pick(self, players: list[Player], place: int) -> None:
        self.say("")

        def picked(player: str | None) -> None:
            if player:
                self.consulted[place : place + 1] = [player]
                self.consulted = list(dict.fromkeys(self.consulted))
                self.draw()

        title = "Whose choices are shown?" if place == 0 else "With whom are they compared?"
        self.app.push_screen(Choice(title, [(player.spec, Text(player.spec)) for player in players]), picked)

    def keys_help(self) -> str:
        return KEYS_HELP

    def picture_name(self) -> str:
        return f"cardai-hand-{self.hand + 1}-step-{self.at + 1}"


class ReplayApp(CardaiApp):
    """The app of ``cardai replay``."""

    def __init__(
        self, recording: Recording, hand: int, reveal: bool, advisers: Sequence[str], palette: Palette = "two"
    ) -> None:
        super().__init__()
        self.parts = (recording, hand, reveal, advisers, "mono" if self.no_color else palette)

    def on_mount(self) -> None:
        self.push_screen(Replaying(*self.parts))
