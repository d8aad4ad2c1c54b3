"""What a page offers to play: games and players that are installed, and nothing that a request names besides.

Whoever has the page may choose among these; a spec out of a request is compared with what is offered and never made, so
that no page starts a program, opens a path or gives a plugin other options than its owner did.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import frozen

from cardai import make
from cardai.arena.asking import bound
from cardai.core.errors import CardaiError, UsageError
from cardai.core.game import Game
from cardai.core.spec import options_of, parse
from cardai.study.sittings import began
from cardai.ui import kept
from cardai.ui.players import Offered, Player, against, called, fitting, games, known_as, surprise, title_of

WIDTH = 200.0
"""Of a picture of strengths."""
MOST_SEATS = 10
CASH = {"stack": "10000", "cash": "5", "hands": "100000"}
"""What a cash game is: 100 of the usual big blinds, at most five times that, for as long as one likes."""
MOST_KEPT = 5
"""Matches that the first page shows to go on with."""


@frozen
class Table:
    """What is asked for: a game, and who takes the further seats."""

    game: str
    opponents: tuple[str, ...]


class Offers:
    """What can be chosen. ``named`` are a game and players that the owner named when he started the server."""

    def __init__(self, named: Table | None = None) -> None:
        self._named = named
        self._games: list[Offered] | None = None
        self._players: dict[str, list[Player]] = {}

    def games(self) -> list[Offered]:
        """Return the games."""
        if self._games is None:
            self._games = games()
            if self._named is not None and all(game.spec != self._named.game for game in self._games):
                about = "as it was asked for when the server was started"
                self._games.insert(0, Offered(self._named.game, called(self._named.game), about))
        return self._games

    def game(self, spec: str) -> Game:
        """Return an offered game. Raises UsageError for any other."""
        if all(game.spec != spec for game in self.games()):
            raise UsageError(f"The game {spec!r} is not offered here.")
        return make.game(spec)

    def players(self, spec: str) -> list[Player]:
        """Return who plays an offered game, the strongest first. Raises UsageError for any other game."""
        self.game(spec)
        return self.advisers(spec)

    def advisers(self, spec: str) -> list[Player]:
        """Return who can be asked what to do at a game, offered or not."""
        if spec not in self._players:
            self._players[spec] = fitting(make.game(spec), spec)
        return self._players[spec]

    def adviser(self, spec: str, player: str) -> str:
        """Return the spec of who can be asked at a game, as it is offered: what was read from a file stays foreign, which a
        request's text is not. Raises UsageError for any other."""
        return _offered(self.advisers(spec), player)

    def seats(self, spec: str) -> list[int]:
        """Return the numbers of seats that an offered game can be played with, where its options say how many."""
        if "players" not in options_of(type(self.game(spec))) or ":" in spec:
            return []
        found = []
        for count in range(2, MOST_SEATS + 1):
            with suppress(CardaiError):
                make.game(f"{spec}:players={count}")
                found.append(count)
        return found

    def has_cash(self, spec: str) -> bool:
        """Whether an offered game can be played for stacks that go on."""
        return {"cash", "hands", "stack"} <= options_of(type(self.game(spec))).keys() and ":" not in spec

    def table(self, spec: str, player: str, seats: str = "", cash: bool = False) -> Table:
        """Return the table of an offered game and an offered player ("": one is drawn), who takes all further seats.

        ``seats`` is one of :meth:`seats` ("": as many as usual); ``cash`` plays for stacks that go on.

        Raises:
            UsageError: it is not offered, or the player does not play with so many.
        """
        game = self.game(spec)
        if game.num_players == 1:
            return Table(spec, ())
        options = {}
        if seats and seats != str(game.num_players):
            if seats not in map(str, self.seats(spec)):
                raise UsageError(f"A table of {seats!r} seats is not offered here.")
            options["players"] = seats
        if cash and self.has_cash(spec):
            options |= CASH
        played = str(parse(spec).with_options(options))
        game = make.game(played)
        players = self.players(spec)
        if not players:
            raise UsageError(f"Nobody here plays {title_of(game, spec)}.")
        if not player:
            fit = [one for one in players if game.num_players == 2 or make.takes("agent", one.spec, game)]
            player = surprise(fit or players, int.from_bytes(os.urandom(4), "big"))
        player = _offered(players, player)
        bound(player, game)  # says why, where he does not play with so many
        return Table(played, (player,) * (game.num_players - 1))


def _offered(players: Sequence[Player], player: str) -> str:
    found = next((one.spec for one in players if one.spec == player), None)
    if found is None:
        raise UsageError(f"The player {player!r} is not offered here.")
    return found


def ladder(players: Sequence[Player]) -> list[Mapping[str, Any]]:
    """Return a row a player: its level, and its strength as a picture with its interval, on one scale for all."""
    measured = [p.strength for p in players if p.strength is not None]
    unit = measured[0].unit if measured else ""
    ends = [end for s in measured if s.unit == unit for end in (s.mean - s.half_width, s.mean + s.half_width)] or [0.0]
    low, high = (0.0, 100.0) if unit == "%" else (min(ends), max(ends))

    def at(value: float) -> float:
        return round(4 + (WIDTH - 8) * min(1.0, max(0.0, (value - low) / (high - low or 1.0))), 1)

    rows: list[Mapping[str, Any]] = []
    for player in players:
        strength, bar = player.strength, None
        if strength is not None and strength.unit == unit:
            first, last = at(strength.mean - strength.half_width), at(strength.mean + strength.half_width)
            bar = {"mean": at(strength.mean), "low": first, "width": round(max(1.0, last - first), 1)}
        rows.append(
            {
                "spec": player.spec,
                "about": player.about,
                "level": strength.level if strength is not None else "",
                "bar": bar,
                "figure": strength.text() if strength is not None else "not measured",
            }
        )
    return rows


def matches(most: int = MOST_KEPT) -> list[Mapping[str, str]]:
    """Return the last matches that can be gone on with: the name, the game and when it was played last."""
    from cardai.arena.journal import journal_of
    from cardai.arena.records import read_header

    found: list[Mapping[str, str]] = []
    for path in kept.newest(most):
        try:
            header = read_header(journal_of(path))
        except (CardaiError, OSError):
            continue
        agents = against(str(name) for name in header.get("agents", [])[1:])
        title = known_as(str(header.get("game", "")))
        found.append(
            {"name": path.stem, "title": f"{title} against {agents}" if agents else title, "when": began(path)}
        )
    return found
