"""``cardai replay``: step through one recorded hand with its cards drawn, and hear what an agent would have done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import Json, out, print_json, stdout
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.notes import tell
from cardai.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.text import Text

    from cardai.arena.records import Record, RecordFile
    from cardai.core.agent import Agent
    from cardai.core.game import Game
    from cardai.ui.cards import Palette

BAR = 24
"""The width of a policy's bar, in characters."""


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A record of run --record, an ACPC log or a PHH file; - is stdin.", show_default=False
    ),
]
Hand = Annotated[int, typer.Option("--hand", "-k", metavar="K", min=1, help="Which hand of the file.")]
AgentOption = Annotated[
    list[str] | None,
    typer.Option("--agent", "-a", metavar="AGENT", help="Show what this player would have done; twice compares two."),
]
Seat = Annotated[
    int | None,
    typer.Option("--seat", metavar="SEAT", min=0, help="Look from this seat.", show_default="the first agent's seat"),
]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show every player's cards and choices.")]
Plain = Annotated[bool, typer.Option("--plain", help="At a terminal, step through plain text, not in the app.")]
FourColours = Annotated[bool, typer.Option("--four-colours", help="Draw each suit in a colour of its own.")]


def replay(
    file: File,
    hand: Hand = 1,
    agent: AgentOption = None,
    seat: Seat = None,
    reveal: Reveal = False,
    plain: Plain = False,
    four_colours: FourColours = False,
    json: Json = False,
) -> None:
    """Step through a recorded hand with its cards drawn. What the seat you look from could not see stays hidden.

    At a terminal: Enter or → goes on, ← goes back, n and p change the hand, q leaves, ? tells the other keys (with the
    extra play: to any hand, hidden cards, other players' choices, pictures). Else the whole hand is printed.
    """
    from cardai import make

    record_file = _readable(file, hand)
    game = make.game(record_file.header["game"])
    rooms = any("room" in record for record in record_file.hands)
    if seat is not None and seat >= game.num_players and not rooms:
        raise UsageError(f"The game has seats 0 to {game.num_players - 1}. Got --seat {seat}.")
    names = agent or []
    players = _advisers(names, game)
    at_terminal = stdout().isatty() and sys.stderr.isatty() and not json
    if at_terminal and not plain and _app_is_there():
        return _in_app(game, record_file, hand - 1, seat, reveal, names, "four" if four_colours else "two")
    adviser, first = players[0] if players else ("", None)
    show = Show(game, record_file, seat, reveal, adviser, first, players[1:])
    if json:
        print_json(show.as_json(hand - 1))
    elif at_terminal:
        from cardai.commands.show.stepping import step_through

        step_through(show.frames, hand - 1, len(record_file.hands))
    else:
        console = out()
        for frame in show.frames(hand - 1, brief=not reveal):
            console.print(frame)


def _readable(file: str, hand: int) -> RecordFile:
    """Return the hands of a file, with a line on stderr for each that is damaged; refuse one without hand ``hand``."""
    found = load(file)
    for message in found.damaged:
        tell(f"cardai: {message}")
    if not found.hands:
        begun = " but one that was not finished" if found.unfinished else " that can be read"
        raise DamagedFileError(f"{file} holds no hand{begun}.")
    if hand > len(found.hands):
        count = len(found.hands)
        raise UsageError(f"{file} has {count} hand{'s' * (count != 1)}: --hand goes from 1 to {count}. Got {hand}.")
    return found


def _advisers(names: list[str], game: Game) -> list[tuple[str, Agent]]:
    """Return the players that are asked what they would have done, with their names: two programs at most."""
    from cardai.arena.asking import bound

    if len(names) > 2:
        raise UsageError(f"At most two players are compared. Got --agent {len(names)} times.")
    players = [(name, bound(name, game)) for name in names]
    if any(player.interactive for _, player in players):
        raise UsageError("--agent must be a program here: it is asked what it would have done.")
    return players


def _app_is_there() -> bool:
    from importlib.util import find_spec

    return find_spec("textual") is not None and sys.__stdin__ is not None and sys.__stdin__.isatty()


def _in_app(
    game: Game, file: RecordFile, hand: int, seat: int | None, reveal: bool, agents: list[str], palette: Palette
) -> None:
    """Show the file in the app until the person leaves it."""
    from cardai.ui.recording import Recording
    from cardai.ui.replaying import ReplayApp

    ReplayApp(Recording(game, file, seat), hand, reveal, agents, palette).run()


def room_line(note: dict[str, Any]) -> str:
    """Return what a hand's room, number, time and table are, in one line."""
    parts = [f"{note['name']} {note['number']}", note.get("tournament") and f"tournament {note['tournament']}"]
    parts += [
        note.get("table") and f"table {note['table']}",
        note.get("time", "").replace("T", " ").removesuffix("+00:00"),
    ]
    worth = f"{note['chip']:g} {note['currency']} a chip" if note.get("currency") else ""
    return ", ".join(one_line(part) for part in (*parts, worth) if part)


def room_result(note: dict[str, Any]) -> str:
    """Return what a hand brought after rake, as the room says it."""
    won = " : ".join(f"{net:+d}" for net in note["net"])
    more = f", run {len(note['boards'])} times" if note.get("boards") else ""
    return f"By the room {won}, rake {note.get('rake', 0)}{more}"


def load(file: str) -> RecordFile:
    """Return the hands of a record file, or of others' files that :mod:`cardai.formats` reads."""
    from cardai.formats import read_hands

    return read_hands(file)


class Show:
    """One record file as screens: each decision of a hand is one, the end another."""

    def __init__(
        self,
        game: Game,
        file: RecordFile,
        seat: int | None,
        reveal: bool,
        adviser: str,
        player: Agent | None,
        others: Sequence[tuple[str, Agent]] = (),
    ) -> None:
        self.game = self.played = game
        self.file = file
        self.seat = seat
        self.reveal = reveal
        self.adviser = adviser
        self.player = player
        self.others = others
        names = [str(name) for name in file.header.get("agents", ())]
        self.agents = names or [f"player {seat}" for seat in range(game.num_players)]

    def steps(self, number: int) -> Iterator[dict[str, Any]]:
        """Yield each step of a hand as plain values: who acts, what is seen, what was played, what was advised."""
        from cardai.arena.advice import Adviser
        from cardai.arena.display import without_cards
        from cardai.arena.records import unseen
        from cardai.arena.table import replay as replayed

        record = self._opened(number)
        watched = self._watched(record)
        adviser = None if self.player is None else Adviser(self.player, self.game, self.adviser)
        others = [Adviser(player, self.game, name) for name, player in self.others]
        count, hidden = 0, unseen(record)
        for table, action in replayed(self.game, record):
            actor = table.to_act
            open_to = actor not in hidden and (self.reveal or actor in (None, watched))
            seen = action if open_to else table.sight(action)[watched]
            if seen is None:  # not even that there was a choice
                continue
            count += 1
            step: dict[str, Any] = {"step": count, "player": actor, "seat": watched}
            eyes = [s for s in self._eyes(watched) if s == watched or s not in hidden]
            step["views"] = {str(s): table.view(s) for s in eyes}
            if watched in hidden:
                step["views"][str(watched)] = without_cards(self.game, table.view(watched))
            if actor is not None:
                view = table.view() if open_to else without_cards(self.game, table.view())
                step["action"] = seen if seen == action else None
                step["words"] = self.words(action, view) if seen == action else "something hidden"
                if adviser is not None and open_to:
                    step["advice"] = adviser.advise(table, int(record["seed"]))
                    if others:
                        step["compared"] = {o.name: o.advise(table, int(record["seed"])) for o in others}
            yield step

    def frames(self, number: int, brief: bool = False) -> list[Text]:
        """Return a hand as screens to look at one after the other; ``brief`` draws only what the watched seat acts on."""
        from cardai.arena.records import check_fits

        record = self._opened(number)
        check_fits(self.game, record)
        frames = [self._title(number, record)]
        for step in self.steps(number):
            drawn = not brief or step["player"] in (None, step["seat"])
            frames.append(self._frame(step, record, drawn))
        return frames

    def as_json(self, number: int) -> dict[str, Any]:
        """Return a hand as plain values."""
        record = self._opened(number)
        return {
            "game": str(record.get("game") or self.file.header["game"]),
            "agents": self.agents,
            "seats": record["seats"],
            "hand": number + 1,
            "steps": list(self.steps(number)),
            "returns": record["returns"],
            "outcome": record.get("outcome", {}),
            **({"room": record["room"]} if "room" in record else {}),
        }

    def words(self, action: int, view: dict[str, Any]) -> str:
        """Return an action of the player whose view it is, for people."""
        from cardai.arena.display import action_name

        return action_name(self.game, action, view)

    def _opened(self, number: int) -> Record:
        """Return a hand, its game at hand: a room's hands have each their own."""
        from cardai.arena.records import game_of

        record = self.file.hands[number]
        self.game = game_of(self.played, record)
        if self.seat is not None and self.seat >= self.game.num_players:
            raise UsageError(f"Hand {number + 1} has seats 0 to {self.game.num_players - 1}. Got --seat {self.seat}.")
        return record

    def _watched(self, record: Record) -> int:
        from cardai.arena.records import watched_seat

        return watched_seat(record) if self.seat is None else self.seat

    def _eyes(self, watched: int) -> list[int]:
        return [watched] + [s for s in range(self.game.num_players) if s != watched and self.reveal]

    # -- drawing ---------------------------------------------------------------------------------------------------

    def _name(self, seat: int, record: Record) -> str:
        return f"{one_line(self.agents[record['seats'][seat]])} (seat {seat})"

    def _title(self, number: int, record: Record) -> Text:
        from rich.text import Text

        names = " against ".join(self._name(seat, record) for seat in range(self.game.num_players))
        title = Text(f"Hand {number + 1:,} of {len(self.file.hands):,}: {names}", style="bold")
        if record.get("hand"):
            title.append(f"\nHand {record['hand'] + 1} of game {record['game_number'] + 1:,}", style="not bold")
        if "room" in record:
            title.append(f"\n{room_line(record['room'])}", style="not bold")
        score = record["setup"].get("score")
        if score and any(score):
            title.append(f"\nScore {' : '.join(f'{points:g}' for points in score)}", style="not bold")
        watched = self._watched(record)
        hidden = "" if self.reveal else f"\nSeen by {self._name(watched, record)}; --reveal shows the rest."
        return title.append(hidden, style="not bold dim")

    def _frame(self, step: dict[str, Any], record: Record, drawn: bool) -> Text:
        from rich.text import Text

        from cardai.arena.display import coloured, private_rows, view_text

        text = Text("\n" if drawn else "")
        acting = step["player"]
        if "words" not in step:
            text.append("The hand is over.\n", style="bold")
        own = step["views"][str(step["seat"])]
        if drawn:
            text.append(coloured(view_text(self.game, own).rstrip("\n") + "\n"))
        for seat, view in step["views"].items():
            for label, cards in private_rows(self.game, own, view):
                text.append(coloured(f"{self._name(int(seat), record)} {label}: {cards}\n"))
        if "words" in step:
            who = Text(f"{step['step']}. {self._name(acting, record)}: ", style="bold")
            text.append(who).append(coloured(step["words"], "bold green"))
            for name, pairs in {self.adviser: step.get("advice", ()), **step.get("compared", {})}.items():
                for words, share, value in pairs:
                    bar = "█" * max(1, round(share * BAR)) if share else ""
                    text.append(f"\n     {name} {share:>4.0%} {bar:<{BAR}} ", style="dim").append(coloured(words))
                    if value is not None:
                        text.append(f" ({value:+.3g})", style="dim")
        else:
            text.append(self._result(record))
        return text

    def _result(self, record: Record) -> Text:
        from rich.text import Text

        from cardai.arena.display import value_text

        text = Text()
        for seat, result in enumerate(record["returns"]):
            style = "green" if result > 0 else "red" if result < 0 else ""
            text.append(f"{self._name(seat, record)}: {result:+g} {self.game.unit}\n", style=style)
        if "room" in record:
            text.append(room_result(record["room"]) + "\n")
        outcome = record.get("outcome", {})
        parts = []
        for f in self.game.outcome_fields:
            if f.name in outcome and not f.size:
                parts.append(f"{f.name.replace('_', ' ')} {value_text(self.game, f, outcome[f.name], None)}")
        return text.append(", ".join(parts))
