"""The first two screens: which game, and against whom."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from cardai import make
from cardai.arena.display import flowing
from cardai.core.extras import players_command
from cardai.ui import box, kept
from cardai.ui.background import Background
from cardai.ui.players import Player, fitting, games, strong
from cardai.ui.strength import keep, measure

MEASURED = 200
"""Games that m measures a player by."""


def row(name: str, about: str, width: int, style: str) -> Text:
    """Return one line of a list."""
    text = Text(no_wrap=True, overflow="ellipsis")
    return text.append(f"{name:<{width}}  ", "bold").append(about, style)


BAR = 15
"""Cells of a picture of a strength."""


def strength_line(player: Player) -> str:
    """Return a player's strength as a list shows it: on a ladder with its picture and level; "" where it was not measured."""
    strength = player.strength
    if strength is None:
        return ""
    if strength.against == player.spec:
        return "the reference that others are measured against"
    if not strength.on_ladder:
        return strength.text()
    low, mean, high = (
        min(BAR - 1, max(0, int(value / 100 * BAR)))
        for value in (strength.mean - strength.half_width, strength.mean, strength.mean + strength.half_width)
    )
    cells = ["─"] * low + ["━"] * (high - low + 1) + ["─"] * (BAR - high - 1)
    cells[mean] = "●"
    return f"{''.join(cells)}  {strength.level:<9} {strength.text()}"


class Chooser(Screen[str]):
    """A list: ↑ ↓ and Enter, or a click, choose; what is chosen is dismissed with. q leaves."""

    heading = ""
    hint = "↑ ↓ and Enter choose   q leave"

    def compose(self) -> ComposeResult:
        yield Static(Text(self.heading, "bold"), id="title")
        yield OptionList(id="list")
        yield Static("", id="about")
        yield Static(Text(self.hint, "dim"), id="footer")

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def show(self, rows: list[tuple[str, Text]], highlighted: int = 0) -> None:
        """Show rows, each a value and its text."""
        self.rows = rows
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(text, id=f"o{i}") for i, (_, text) in enumerate(rows)])
        if rows:
            options.highlighted = min(highlighted, len(rows) - 1)

    def say(self, words: str) -> None:
        """Say something beneath the list."""
        self.query_one("#about", Static).update(Text(words))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self.rows[event.option_index][0])

    def on_key(self, event: events.Key) -> None:
        if event.character == "q":
            event.stop()
            self.app.exit()
        elif event.key == "escape":
            event.stop()
            self.dismiss("")


LAST = "\0last"
"""What is dismissed with by who goes on with the last match."""


MORE = "\0more"
"""What stands for the games behind "more"."""


class ChooseGame(Chooser):
    """Which game: first those that people know, by the names that they have there; "more" shows all."""

    heading = "cardai play: choose a game"

    def on_mount(self) -> None:
        self.games = games()
        self._list(any(not game.more for game in self.games))

    def _list(self, few: bool) -> None:
        shown = [game for game in self.games if not (few and game.more)]
        width = max((len(game.title) for game in shown), default=0)
        rows = [(game.spec, row(game.title, game.about, width, "dim")) for game in shown]
        if few and len(shown) < len(self.games):
            rows.append(
                (MORE, row("more", "games as publications have them, variants, other engines' games", width, "dim"))
            )
        if kept.any_kept():
            rows.insert(0, (LAST, Text("go on with the last match", "bold")))
        self.show(rows)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        name = self.rows[event.option_index][0]
        self.say("" if name in (LAST, MORE) else flowing(make.game(name).rules))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self.rows[event.option_index][0] == MORE:  # else the list's own answer to it follows
            event.stop()
            event.prevent_default()
            self._list(False)


class ChoosePlayer(Chooser):
    """Against whom: only the programs that play the game, with their measured strength."""

    def __init__(self, game: str) -> None:
        super().__init__()
        self.game = game
        self.heading = f"{game}: choose your opponent"
        self.hint = "↑ ↓ and Enter choose   m measure   Esc other game   q leave"
        self.players: list[Player] = []
        self.missing: list[box.Boxed] = []

    def on_mount(self) -> None:
        self.work = Background(self.app, self.say)
        self.say("Looking who plays this game ...")
        self.work.start(lambda: fitting(make.game(self.game), self.game), self._list, self._failed)

    def on_unmount(self) -> None:
        self.work.close()

    def _list(self, players: list[Player]) -> None:
        at, specs = self.query_one(OptionList).highlighted, [player.spec for player in players]
        marked = "" if at is None else self.rows[at][0]  # who was measured stands elsewhere now
        at = specs.index(marked) if marked in specs else strong(players) if at is None else at
        self.players = players
        self.say("" if players else "No program that is installed plays this game.")
        self.missing = box.missing(self.game)
        width = max((len(name) for name in [p.spec for p in players] + [b.name for b in self.missing]), default=0)
        known = {player.name: player.text(self.game) for player in box.in_the_box() if self.game in player.games}
        rows = []
        for player in players:
            strength = strength_line(player) or known.get(player.spec, "not measured: m measures")
            rows.append((player.spec, row(player.spec, strength, width, "" if player.strength else "dim")))
        rows += [(b.name, row(b.name, f"not installed: {b.text(self.game)}", width, "dim")) for b in self.missing]
        self.show(rows, at)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self.work.busy:
            return
        if event.option_index < len(self.players):
            self.say(self.players[event.option_index].about)
        elif self.missing:
            self.say(self._offer(event.option_index))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option_index >= len(self.players):  # else the list's own answer to it follows
            event.stop()
            event.prevent_default()
            self.say(self._offer(event.option_index))

    def _offer(self, index: int) -> str:
        player = self.missing[index - len(self.players)]
        return f"{player.title}: {player.text(self.game)}. It comes with {players_command()}"

    def _failed(self, error: Exception) -> None:
        self.say(str(error))

    def on_key(self, event: events.Key) -> None:
        at = self.query_one(OptionList).highlighted
        if event.character == "m" and at is not None and at < len(self.players) and not self.work.busy:
            event.stop()
            player = self.players[at].spec
            self.say(f"Measuring {player} in {MEASURED} games ...")
            self.work.start(lambda: self._measure(player), self._list, self._failed)

    def _measure(self, player: str) -> list[Player]:
        keep(self.game, player, measure(self.game, player, MEASURED))
        return fitting(make.game(self.game), self.game)
