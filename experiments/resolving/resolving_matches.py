"""Matches, local best response and best response from a street on, one deal at a time: each file grows, so that a measurement can be stopped and goes on.

A deal's two hands are played and then weighed by AIVAT while the player still has their solutions at hand.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import cardai
from cardai.arena import match, records
from cardai.arena.statistics import mean
from cardai.core.agent import Agent
from cardai.core.files import write_json
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.poker.responses.local_response import Bets
from cardai.poker.responses.local_samples import LocalOptions
from cardai.poker.responses.measure import measure
from cardai.poker.responses.street_samples import StreetOptions
from cardai.solve.aivat import aivat

SETTINGS: dict[str, tuple[Bets, tuple[int, ...]]] = {
    "fc, all rounds": ("fc", (0, 1, 2, 3)),
    "fcpa, turn and river": ("fcpa", (2, 3)),
    "56 bets, turn and river": ("56", (2, 3)),
    "56 bets on the flop, then fc": ("56", (1,)),
}
STREETS = {"river": 3, "turn": 2}
BRANCHES = 3
"""Ways on that are followed at a state where 53 bets are considered."""
Deal = Callable[[int], list[float]]


def match_deals(game: Game, player: Agent, opponent: str) -> Deal:
    """Return what plays deal k in both seats: [chips a hand, AIVAT a hand]."""
    other = cardai.agent(opponent).for_game(game)

    def play(deal: int) -> list[float]:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "hands.jsonl"
            found = match.play(game, [player, other], seed=1, groups=[deal], record=file)
            if found.interrupted:
                raise KeyboardInterrupt
            chips = float(found.scores[:, 0].mean())
            hands = [record for record in records.read(file).hands if 0 in record["seats"]]
        return [chips, float(aivat(game, player, hands).values.mean())]

    return play


def response_boards(game: Game, player: Agent, estimates: Agent, setting: str) -> Deal:
    """Return what walks board k with the local best response in both seats: [chips that it wins a hand].

    ``estimates`` answers the bets that are only considered where there are 53 of them.
    """
    bets, rounds = SETTINGS[setting]
    many: dict[str, Any] = {"estimates": estimates, "branches": BRANCHES} if bets == "56" else {}

    def walk(number: int) -> list[float]:
        seed = derive(1, "board", number)
        found = measure(LocalOptions(game, player, bets, rounds, boards=1, seed=seed, **many))
        if not found.finished:
            raise KeyboardInterrupt
        return [float(found.gains[0])]

    return walk


def late_hands(game: Game, player: Agent, street: str) -> Deal:
    """Return what counts out best responses along hand k: [chips that they win after it]."""

    def count(number: int) -> list[float]:
        found = measure(StreetOptions(game, player, STREETS[street], hands=1, seed=derive(1, "hand", number)))
        if not found.finished:
            raise KeyboardInterrupt
        return [float(found.gains[0])]

    return count


class Series:
    """Measurements that are taken in turn, a deal of each, until each has ``deals`` or the time is over."""

    def __init__(self, directory: Path, deals: int, minutes: float) -> None:
        self.directory, self.deals = directory, deals
        self.end = time.monotonic() + 60 * minutes if minutes else float("inf")
        directory.mkdir(parents=True, exist_ok=True)

    def file(self, key: str) -> Path:
        """Return where the deals of a measurement are kept."""
        return self.directory / ("".join(c if c.isalnum() else "-" for c in key) + ".json")

    def read(self, key: str) -> dict[str, Any]:
        """Return the deals of a measurement so far."""
        file = self.file(key)
        return dict(json.loads(file.read_text())) if file.exists() else {"key": key, "deals": [], "seconds": 0.0}

    def take(self, measurements: Mapping[str, Deal]) -> None:
        """Go on with all of them. Ctrl-C ends it; a deal that was not finished is played again another time."""
        with suppress(KeyboardInterrupt):
            self._take(measurements)

    def _take(self, measurements: Mapping[str, Deal]) -> None:
        for deal in range(self.deals):
            for key, play in measurements.items():
                known = self.read(key)
                if len(known["deals"]) > deal:
                    continue
                if time.monotonic() > self.end:
                    return
                began = time.process_time()
                known["deals"].append(play(deal))
                known["seconds"] += time.process_time() - began
                write_json(self.file(key), known)
                print(f"{key}: deal {deal + 1}, {known['seconds']:.0f} CPU s", file=sys.stderr, flush=True)

    def found(self, blind: float) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what has been found: thousandths of a big blind a hand with 95% intervals over deals."""
        for file in sorted(self.directory.glob("*.json")):
            known = json.loads(file.read_text())
            rows = 1000 / blind * np.array(known["deals"], np.float64)
            if len(rows) < 2:
                continue
            chips = mean(rows[:, 0])
            out = {"mbb": chips.mean, "half": chips.half_width, "deals": len(rows), "seconds": known["seconds"]}
            if rows.shape[1] > 1:
                fair = mean(rows[:, 1])
                out |= {"aivat": fair.mean, "aivat_half": fair.half_width}
            yield known["key"], {name: float(value) for name, value in out.items()}
