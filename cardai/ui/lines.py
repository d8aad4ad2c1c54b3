"""Lines around the picture: the title, what can be done, how a hand ended, the keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from cardai.arena.display import even_words, unit_of
from cardai.core import registry
from cardai.poker.words import in_big_blinds
from cardai.ui.amounts import money
from cardai.ui.keys import Keyboard, short_words
from cardai.ui.scene import Scene, Standing

SOME = 10
"""Hands from which on their mean is shown: of fewer, its interval is as wide as anything."""
LONG = 60
"""Letters of a game's spec beyond which what people call it stands in its place."""
KEYS_HELP = """
At the table: the letter before an action plays it, and the same letter means the same throughout a game: f fold, c check \
or call, r bet or raise, / half the pot, p the pot, a all-in, k knock. A card is its rank, as it stands on it (2 to 9, T or \
0 for ten, J Q K A), then its suit (c d h s) where there are several; a number below a card is its place. It is played, or \
chosen where several are played together; Enter then plays them. All-in asks once. ← → and Enter choose an action, a click does too. \
: takes a typed line: an action's name, cards (7c kd), or an amount. h says what another player would do here, H asks \
which. M shows what your decisions of this hand cost, and why. ? shows this page. Ctrl+S saves the picture (SVG). Enter deals the next hand. q asks before it stops; the match is kept.
"""


def choices_text(board: Keyboard, at: int | None, width: int, blind: int = 0) -> Text:
    """Return what can be done, with its keys, on lines of ``width``; the choice number ``at`` is marked.

    Amounts are in big blinds where one is ``blind`` chips.
    """
    items = []
    for number, (key, choice) in enumerate(board.listed()):
        style = Style(bold=True, reverse=number == at, meta={"choice": number})
        items.append(Text(f"{f'[{key}] ' if key else ''}{in_big_blinds(short_words(choice), blind)}", style))
    for key, name, amount in board.amounts():
        items.append(Text(f"[{key}] {name} {money(amount - board.menu.offset, blind)}", Style(meta={"press": key})))
    if board.several:
        items.append(Text(f"[Enter] {board.verb} the chosen cards", Style(bold=True, meta={"press": "enter"})))
    if not items and not board.letters:
        items.append(Text("There is much to choose from here: type its name after :"))
    return flowed(items, width)


def flowed(items: Sequence[Text], width: int) -> Text:
    """Return items side by side, on as many lines as they need; none is broken."""
    text, column = Text(), 0
    for item in items:
        if column and column + 3 + item.cell_len > width:
            text.append("\n")
            column = 0
        text.append("   " if column else "").append_text(item)
        column += item.cell_len + (3 if column else 0)
    return text


def title_of(scene: Scene) -> Text:
    """Return the first line: the game, where the match stands, and what the person has won."""
    spec = registry.spec_of(scene.game)
    called = spec if len(spec) <= LONG else scene.game.title or spec.partition(":")[0]  # a path leaves no room
    text = Text.assemble((called, "bold"), f"   {scene.title}")
    return text.append(f"   {standing_text(scene)}", "dim") if scene.standing is not None else text


def standing_text(scene: Scene) -> str:
    """Return the bankroll: the sum over hands, and the mean with its interval; games won where games have many hands."""
    standing: Standing | None = scene.standing
    if standing is None or not standing.hands:
        return ""
    blind = scene.blind
    total = (
        money(standing.total, blind, True) if blind else f"{standing.total:+,g} {unit_of(scene.game, standing.total)}"
    )
    text = f"{total} in {standing.hands}" + (" hands" if standing.hands > 1 else " hand")
    if standing.hands >= SOME:
        text += f", {standing.mean.scaled(1 / (blind or 1)).text(1, sign=True)} a hand"
    if standing.games != standing.hands and standing.games:
        text += f", {standing.won} of {standing.games} games won"
    return text


def turn_words(scene: Scene) -> str:
    """Return what is asked of the person."""
    if scene.end is not None or scene.menu is None:
        return ""
    phase = next((f for f in scene.game.view_fields if f.name == "phase" and f.labels), None)
    asked = f": {phase.labels[int(scene.view['phase'])]}" if phase is not None else ""
    return f"Your turn{asked}."


def end_text(scene: Scene) -> Text:
    """Return how the hand ended for the person."""
    assert scene.end is not None
    mine = scene.end.returns[scene.seat]
    unit = unit_of(scene.game, mine)
    if mine:
        won = money(abs(mine), scene.blind) if scene.blind else f"{abs(mine):,g} {unit}"
        words = f"You {'win' if mine > 0 else 'lose'} {won}."
    else:
        words = even_words(scene.game, scene.end.returns, scene.end.outcome)
    words += (
        " The game is over."
        if scene.game_over and scene.standing and scene.standing.games != scene.standing.hands
        else ""
    )
    return Text(words, "bold green" if mine > 0 else "bold red" if mine < 0 else "bold")


def footer(*parts: str) -> Text:
    """Return the last line: keys that always work, which can be clicked."""
    text = Text()
    for part in parts:
        key, _, words = part.partition(" ")
        text.append(f"{key} ", Style(bold=True, meta={"press": key})).append(
            f"{words}  ", Style(dim=True, meta={"press": key})
        )
    return text


def value_text(value: float | None) -> str:
    """Return a value with three digits that count: "+1.35"; "" where there is none."""
    if value is None:
        return ""
    return f"{value:+.{max(0, 2 - len(str(int(abs(value)))) + 1)}f}"
