"""The table at which a person plays: what is to be seen, what can be done, and keys, clicks and lines that do it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Input, Static

from cardai.arena.advice import Advised
from cardai.arena.display import help_text
from cardai.cards.text import SUITS
from cardai.core.errors import CardaiError
from cardai.ui.amounts import chips_of
from cardai.ui.background import Background
from cardai.ui.cards import CardStyle, Palette, inline
from cardai.ui.coach import Coaching, When
from cardai.ui.dialogs import Choice, Confirm, Page, advice_text
from cardai.ui.keys import Act, Ask, Begin, Keyboard, Meaning, Say, Toggle, keyboard
from cardai.ui.lines import KEYS_HELP, choices_text, end_text, footer, title_of, turn_words
from cardai.ui.match import Match
from cardai.ui.pictures import picture
from cardai.ui.players import Player, fitting
from cardai.ui.saving import save_picture
from cardai.ui.scene import Entry, Scene
from cardai.ui.typing_line import TypingLine


class Watching(Screen[None]):
    """What playing and replaying share: a title, the picture beside the log, a line that says something, and the keys."""

    AUTO_FOCUS = ""  # keys are the screen's, not those of the line to type in

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette: Palette = palette
        self.scene: Scene | None = None

    def compose(self) -> ComposeResult:
        yield Static("", id="title")
        with Horizontal(id="middle"):
            with VerticalScroll(id="table", can_focus=False):
                yield Static("", id="picture")
            with VerticalScroll(id="log", can_focus=False):
                yield Static("", id="said")
        yield Static("", id="message")
        yield Static("", id="actions")
        yield TypingLine()
        yield Static("", id="footer")

    def prepare(self) -> None:
        """Make ready what both need (textual calls the handlers of all base classes, so this is none)."""
        self.work = Background(self.app, self.say)
        self.line = self.query_one(TypingLine)
        self.line.end()

    def on_unmount(self) -> None:
        self.work.close()

    async def on_key(self, event: events.Key) -> None:
        if self.line.display and event.key != "escape":
            return await self.line.late(event)
        event.stop()
        if self.line.display:
            self.hide_line()
        else:
            self.press(event.key, event.character or "")

    def press(self, key: str, character: str) -> None:
        """Do what a key means."""

    def hide_line(self) -> None:
        """Take the line to type in away."""
        self.line.end()

    def put(self, part: str, text: Text) -> None:
        """Show ``text`` in a part of the screen."""
        self.query_one(f"#{part}", Static).update(text)

    def say(self, words: str, style: str = "") -> None:
        """Say something to the person."""
        self.put("message", inline(words, self.palette, style))

    def show_log(self, scene: Scene) -> None:
        """Show what was said at the table, the newest in sight."""
        text = Text()
        for entry in scene.log:
            text.append_text(self._log_line(scene, entry)).append("\n")
        self.put("said", text)
        self.query_one("#log", VerticalScroll).scroll_end(animate=False)

    def _log_line(self, scene: Scene, entry: Entry) -> Text:
        if entry.seat is None:
            return inline(entry.words, self.palette, "dim")
        name = scene.name(entry.seat)
        if scene.names.count(scene.names[entry.seat]) > 1 and entry.seat != scene.seat:
            name = f"{name} {entry.seat + 1}"
        style = "bold" if entry.seat == scene.seat else ""
        return Text(f"{name}{scene.says(entry.seat)}", style).append_text(inline(entry.words, self.palette))

    def advisers(self, then: Callable[[list[Player]], None]) -> None:
        """Find out who plays this game, and go on with them."""
        scene = self.scene
        if scene is None or self.work.busy:
            return
        from cardai.core import registry

        self.say("Looking who plays this game ...")
        game = scene.game
        self.work.start(lambda: fitting(game, registry.spec_of(game)), then, self.failed)

    def failed(self, error: Exception) -> None:
        """Say in a sentence what went wrong."""
        words = str(error) if isinstance(error, CardaiError) else f"{type(error).__name__}: {error}"
        self.say(" ".join(words.split()), "bold")

    def help(self) -> None:
        """Show the rules of the game and the keys."""
        if self.scene is not None:
            words = help_text(self.scene.game, self.keys_help())
            self.app.push_screen(Page(inline(words, self.palette)))

    def keys_help(self) -> str:
        """Return what the keys do."""
        return KEYS_HELP

    def save(self) -> None:
        """Save the screen as an SVG picture in the working directory."""
        name = re.sub(r"[^\w.-]+", "-", self.picture_name())
        try:
            file = save_picture(self.app.export_screenshot(title=name), Path(f"{name}.svg"))
        except (CardaiError, OSError) as error:
            self.failed(error)
        else:
            self.say(f"The picture is in {file}.")

    def picture_name(self) -> str:
        """Return what a picture is called."""
        return "cardai"


class Playing(Watching, Coaching):
    """A person's table. ``made`` makes the match, in a thread, since rules may have to be compiled;
    ``released`` is called when it is kept and put away, ``ended`` when there can be none."""

    def __init__(
        self,
        made: Callable[[], Match],
        palette: Palette,
        released: Callable[[], None],
        ended: Callable[[Exception], None],
        coach: When = "",
    ) -> None:
        super().__init__(palette)
        self.coach = coach
        self.made, self.ended, self.released = made, ended, released
        self.match: Match | None = None
        self.board: Keyboard | None = None
        self.chosen: frozenset[int] = frozenset()
        self.at: int | None = None
        self.begun = ""  # a rank that was typed, whose suit is to follow
        self.adviser = ""

    def on_mount(self) -> None:
        self.prepare()
        self.say("The table is being laid ...")
        self.work.start(self.made, self._begin, self.ended)

    def _begin(self, match: Match) -> None:
        self.match = match
        self.say("")
        self._go_on(match.scene())

    def on_unmount(self) -> None:
        if self.match is not None and not self.work.busy:  # else the journal, whole after every action, stays
            self.match.close()
            self.released()

    # -- the hand goes on ------------------------------------------------------------------------------------------

    def _go_on(self, scene: Scene) -> None:
        """Show a scene, and let the programs move until it is the person's turn."""
        match = self.match
        assert match is not None
        self.chosen, self.at, self.begun, self.board = frozenset(), None, "", keyboard(scene)
        self.show(scene)
        if match.waiting:
            assert scene.to_act is not None
            self.say(f"{scene.names[scene.to_act]} is thinking ...", "dim")
            self._do(match.step)
        else:
            self.say(f"{self.told} {turn_words(scene)}".strip())
            if scene.end is not None and self.coach == "after":
                self.tell_hand()

    def _do(self, change: Callable[[], None]) -> None:
        """Change the table in a thread, and go on with what is then to be seen."""
        match = self.match
        assert match is not None

        def work() -> Scene:
            change()
            return match.scene()

        self.work.start(work, self._go_on, self.failed)

    def show(self, scene: Scene) -> None:
        """Draw a scene."""
        self.scene = scene
        self.put("title", title_of(scene))
        self.draw()
        self.show_log(scene)
        self.put("footer", footer("h hint", "M mistakes", "? rules", ": type", "q stop"))

    def draw(self) -> None:
        """Draw the picture and the actions as they are now."""
        scene, board = self.scene, self.board
        if scene is None:
            return
        keys = {card: key for key, card in board.letters.items()} if board is not None and board.placed else {}
        card_style = CardStyle(self.palette, keys, self.chosen, "▲" if board is None else board.mark)
        self.put("picture", picture(scene, card_style))
        self.put("actions", self._actions())

    def _actions(self) -> Text:
        scene, board = self.scene, self.board
        if scene is not None and scene.end is not None:
            go_on = Style(bold=True, reverse=True, meta={"press": "enter"})
            return end_text(scene).append("   ").append(" Enter next hand ", go_on)
        if board is None:
            return Text()
        return choices_text(board, self.at, self.size.width - 2, scene.blind if scene else 0)

    # -- keys and clicks -------------------------------------------------------------------------------------------

    def press(self, key: str, character: str) -> None:
        general = {"q": self._stop, "?": self.help, "h": self._hint, "H": self._other_hint, "M": self.show_hand}
        if self.begun and character and character in SUITS and self.board is not None:  # h is hearts now, and no hint
            self._take(self.board.press(character, self.begun))
        elif character in general:
            general[character]()
        elif key == "ctrl+s":
            self.save()
        elif key == "enter":
            self._enter()
        elif key == "escape":
            self.chosen, self.at, self.begun = frozenset(), None, ""
            self.draw()
        elif self._needs_turn() or self.board is None:
            return
        elif key in ("left", "right", "tab", "shift+tab"):
            self._walk(1 if key in ("right", "tab") else -1)
        elif character == ":":
            self._ask(Ask("an action's name, cards such as 7c, or an amount"))
        elif character and character.isprintable():
            self._take(self.board.press(character))

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        if "press" in meta:
            pressed = str(meta["press"])
            self.press(pressed, "" if len(pressed) > 1 else pressed)
        elif ("card" in meta or "choice" in meta) and self.board is not None and not self.work.busy:
            if "choice" in meta:
                self._take(self.board.choose(self.board.listed()[int(meta["choice"])][1]))
            elif int(meta["card"]) in self.board.letters.values():
                self._take(self.board.card(int(meta["card"])))

    def _needs_turn(self) -> bool:
        """Say that it is not the person's turn, if so."""
        if self.work.busy or self.match is None:
            who = self.scene.names[self.scene.to_act] if self.scene and self.scene.to_act is not None else "The table"
            self.say(f"{who} is not ready yet: wait, or q stops.")
            return True
        if self.board is None:
            over = "The hand is over: Enter deals the next one."
            self.say("A program erred: q stops, --resume asks it again." if self.match.waiting else over)
            return True
        return False

    def _enter(self) -> None:
        match = self.match
        if match is not None and not self.work.busy and match.table.hand_over:
            self.told = ""
            self._do(match.next_hand)
        elif not self._needs_turn() and self.board is not None:
            listed = self.board.listed()
            if self.at is not None and self.at < len(listed):
                self._take(self.board.choose(listed[self.at][1]))
            else:
                self._take(self.board.play(self.chosen))

    def _walk(self, step: int) -> None:
        count = len(self.board.listed()) if self.board is not None else 0
        if count:
            self.at = (0 if step > 0 else count - 1) if self.at is None else (self.at + step) % count
            self.draw()

    def _take(self, meaning: Meaning) -> None:
        """Do what a key, a click or a typed line meant."""
        match = self.match
        assert match is not None
        self.begun = ""
        self.line.end()  # a click may have taken something else than what was being typed
        if isinstance(meaning, Act):
            self._play(meaning.action)
        elif isinstance(meaning, Toggle):
            self.chosen ^= {meaning.card}
            self.draw()
        elif isinstance(meaning, Ask):
            self._ask(meaning)
        elif isinstance(meaning, Begin):
            self.begun = meaning.rank
            self.say(meaning.words)
        elif isinstance(meaning, Say):
            self.say(meaning.words)

    def _play(self, action: int) -> None:
        """Play an action; before one that puts in everything the person is asked once."""
        match = self.match
        assert match is not None
        words = match.game.action_words(action, match.table.view(match.seat))

        def answered(yes: bool | None) -> None:
            if yes:
                self._do(lambda: self.act(match, action))

        if "all-in" not in words:
            return answered(True)
        self.app.push_screen(Confirm(f"{words.capitalize()}?"), answered)

    # -- typing ----------------------------------------------------------------------------------------------------

    def _ask(self, ask: Ask) -> None:
        self.say(f"Type {ask.why}; Enter plays it, Esc does not.")
        self.line.begin(ask.text)

    def hide_line(self) -> None:
        super().hide_line()
        if self.scene is not None:
            self.say(turn_words(self.scene))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.hide_line()
        if not self._needs_turn() and self.board is not None:
            self._take(self.board.typed(chips_of(event.value, self.scene.game if self.scene else None)))

    # -- hints, and the end ----------------------------------------------------------------------------------------

    def _hint(self) -> None:
        if self.adviser:
            self._advise(self.adviser)
        else:
            self._other_hint()

    def _other_hint(self) -> None:
        if not self._needs_turn():
            self.advisers(self._pick)

    def _pick(self, players: list[Player]) -> None:
        self.say("")
        rows = [(player.spec, Text(player.spec)) for player in players]
        self.app.push_screen(Choice("Whose hint?", rows), self._picked)

    def _picked(self, player: str | None) -> None:
        if player:
            self.adviser = player
            self._advise(player)

    def _advise(self, player: str) -> None:
        match = self.match
        if self._needs_turn() or match is None:
            return
        self.say(f"{player} is asked ...", "dim")
        self.work.start(lambda: match.advise(player), lambda advised: self._show_advice(player, advised), self.failed)

    def _show_advice(self, player: str, advised: list[Advised]) -> None:
        if self.scene is not None:
            self.say(turn_words(self.scene))
        values_of = self.match.values_of(player) if self.match is not None else ""
        self.app.push_screen(Page(advice_text(player, advised, values_of, self.palette)))

    def _stop(self) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self.app.exit()

        words = "Stop playing? The match is kept: cardai play --resume goes on with it."
        self.app.push_screen(Confirm(words, "q"), answered)

    def picture_name(self) -> str:
        return f"cardai-{self.scene.title}" if self.scene is not None else "cardai"
