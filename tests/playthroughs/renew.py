"""Golden playthroughs: whole hands written out decision by decision. ``python tests/playthroughs/renew.py`` renews them.

Every game of cardai has one; a game that has none yet gets two hands of random play.

A file's first lines say what is played: game, agents (a seat each), seed, hands. The rest follows from them: chance
outcomes, then for each decision what has changed in the player's view, the legal actions and the choice, then returns and
outcome. A card set is written as its cards where chance outcomes are cards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import cardai
from cardai.core import registry
from cardai.core.agent import legal_list
from cardai.core.fields import Field, unpack_view
from cardai.core.game import Game, Tables
from cardai.core.rng import Rows, derive_many

FOLDER = Path(__file__).parent


def games() -> list[str]:
    """Return the games that must have a playthrough: all of cardai's own, presets included."""
    return [entry.name for entry in registry.entries("game") if entry.distribution == "cardai"]


def first_header(name: str) -> dict[str, str]:
    """Return the header of a game's first playthrough."""
    seats = cardai.game(name).num_players
    return {"game": name, "agents": " ".join(["random"] * seats), "seed": "1", "hands": "2"}


def read_header(file: Path) -> dict[str, str]:
    """Return the ``key: value`` lines at the head of a playthrough."""
    lines = file.read_text(encoding="utf-8").split("\n\n", 1)[0].splitlines()
    return dict(line.split(": ", 1) for line in lines)


def written_out(header: Mapping[str, str]) -> str:
    """Return the whole text of a playthrough."""
    game = cardai.game(header["game"])
    agents = [cardai.agent(spec).for_game(game) for spec in header["agents"].split()]
    seeds = derive_many(int(header["seed"]), "playthrough", count=int(header["hands"]))
    parts = ["\n".join(f"{key}: {value}" for key, value in header.items())]
    for hand, seed in enumerate(seeds):
        tables = game.tables(1)
        tables.reset(seeds[hand : hand + 1])
        parts += [f"HAND {hand}, deck {' '.join(game.chance_to_string(c) for c in tables.deck(0) if c >= 0)}"]
        parts += list(_decisions(game, tables, agents, seed))
    return "\n\n".join(parts) + "\n"


def _decisions(game: Game, tables: Tables, agents: list[Any], seed: np.uint64) -> Iterator[str]:
    row = np.zeros(1, np.int64)
    step = 0
    before: dict[int, dict[str, str]] = {player: {} for player in range(game.num_players)}
    while (player := int(tables.current_players()[0])) >= 0:
        views, legal = tables.views(player, row), tables.legal(row)
        rng = Rows(np.array([seed], np.uint64)).fork(1000 + step)
        action = agents[player].act(views, legal, rng)
        lines = [f"player {player}"]
        view = {f.name: _text(game, f, unpack_view(game.view_fields, views[0])[f.name]) for f in game.view_fields}
        lines += [f"  {name}: {text}" for name, text in view.items() if before[player].get(name) != text]
        before[player] = view
        lines += [
            f"  legal: {legal_list(legal, 0)}",
            f"  plays {int(action[0])}: {game.action_to_string(int(action[0]))}",
        ]
        yield "\n".join(lines)
        tables.apply(row, action)
        step += 1
    outcome = unpack_view(game.outcome_fields, tables.outcomes(row)[0])
    yield f"returns {[float(x) for x in tables.returns(row)[0]]}\noutcome {outcome}"


def _text(game: Game, f: Field, value: Any) -> str:
    """Return a field's value as text."""
    if f.kind == "card_set" and not f.size:
        return " ".join(game.chance_to_string(card) for card in range(64) if int(value) >> card & 1) or "none"
    return str(value)


def main() -> None:
    """Renew the files named, or all, and write those that are missing."""
    for file in [Path(name) for name in sys.argv[1:]] or [FOLDER / f"{name}.txt" for name in games()]:
        header = read_header(file) if file.is_file() else first_header(file.stem)
        file.write_text(written_out(header), encoding="utf-8")


if __name__ == "__main__":
    main()
