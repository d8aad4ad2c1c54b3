"""Who plays whom in the experiment, how often, and in which table it is shown."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import frozen

from experiments.gin_champion import players

RULE_PLAYERS = ("simple", "heisenbot", "gin-only", "gin_lookahead", "rule-based", "greedy")
CHAMPION = "champion"
LOOKAHEAD = "gin_lookahead"
LOOKAHEAD_PARTS = {
    "without the draw ahead": "present=1,next=0",
    "by the draw ahead alone": "present=0",
    "without danger": "danger=0",
    "whose danger forgets refusals": "refused=1",
    "that takes whatever saves deadwood": "gain=0",
    "that waits for gin": "knock_1=101,knock_2=101,knock_3=101,knock_4=101",
    "that knocks in its first four turns": "knock_1=0,knock_2=0,knock_3=0,knock_4=0",
}
"""gin_lookahead with one of its parts left out or changed, by its options."""


@frozen
class Pairing:
    """A player under a name, what makes it, its opponent, the games they play, and the table they are shown in."""

    section: str
    name: str
    make: Callable[[], Any]
    opponent: str
    games: int


def spec(name: str) -> Callable[[], str]:
    """Return what gives a player's spec."""
    return lambda: name


def pairings(games: int, others: int, parts: int, lookahead: int, response: str) -> list[Pairing]:
    """Return everything that is played."""
    out = [Pairing("champion", CHAMPION, spec(CHAMPION), other, games) for other in RULE_PLAYERS]
    if response:
        for other in ("champion:memory=false", CHAMPION):
            out.append(Pairing("best response", "best response", spec(response), other, games))
    for one, other in itertools.combinations(reversed(RULE_PLAYERS), 2):
        out.append(Pairing("rule players", one, spec(one), other, others))
    for other in ("simple", "heisenbot", LOOKAHEAD):
        out += [Pairing("parts", name, make, other, parts) for name, make in _changed(other)]
    for other in ("simple", "heisenbot", "gin-only"):
        out.append(Pairing("lookahead", f"{LOOKAHEAD}, all of it", spec(LOOKAHEAD), other, lookahead))
        for name, options in LOOKAHEAD_PARTS.items():
            made = spec(f"{LOOKAHEAD}:{options}")
            out.append(Pairing("lookahead", f"{LOOKAHEAD} {name}", made, other, lookahead))
    return [pairing for pairing in out if pairing.games]


def _changed(other: str) -> list[tuple[str, Callable[[], Any]]]:
    """Return champions of which something is changed, each with its name, to play against ``other``."""
    out: list[tuple[str, Callable[[], Any]]] = [
        ("champion with all its parts", spec(CHAMPION)),
        ("champion without memory", spec("champion:memory=false")),
    ]
    out += [(f"champion, {part} of {LOOKAHEAD}", partial(players.exchanged, part)) for part in players.PHASES]
    out += [(f"champion without {part}", partial(players.without, part)) for part in ("belief", "winning chances")]
    out.append(("champion told who it plays", partial(players.Told, other)))
    out.append(("champion that knocks less", players.hesitant))
    return out
