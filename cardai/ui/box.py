"""Players of the package cardai-players, so that who has not installed it learns of them.

``box.json`` is written by ``python players/box.py`` from the players' cards.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from attrs import frozen

from cardai.core import registry
from cardai.core.extras import BOX
from cardai.core.files import digest_of, file_digest, read_json

PACKAGE = "cardai_players"


@frozen
class Boxed:
    """A player in the box: its name, the game it was trained on, all that it plays, and its strength there in words."""

    name: str
    title: str
    game: str
    games: tuple[str, ...]
    strength: str
    files: str
    """What it plays by: :func:`content`."""

    def text(self, game: str) -> str:
        """Return its strength in words, and where that was measured if not at ``game``."""
        return self.strength if game == self.game else f"at {self.game}: {self.strength}"


def in_the_box() -> list[Boxed]:
    """Return all players of the package."""
    return [Boxed(name, **{**card, "games": tuple(card["games"])}) for name, card in read_json(BOX).items()]


def content(folder: Path) -> str:
    """Return a hash of the files by which a player of the package plays: all in folders of its own ``folder``, and in those of
    the players of which its card says that it is ``built_on`` them."""
    card = folder / "card.json"
    built_on = read_json(card).get("built_on", []) if card.is_file() else []
    found = [
        file for one in (folder, *(folder.parent / name for name in built_on)) for file in sorted(one.glob("*/**/*"))
    ]
    inner = [file for file in found if file.is_file() and "__pycache__" not in file.parts]
    return digest_of([file_digest(file) for file in inner])


def installed(player: str) -> str:
    """Return :func:`content` of an installed player of the package, "" of everybody else; ``player`` is a spec."""
    name = player.partition(":")[0]
    found = importlib.util.find_spec(f"{PACKAGE}.{name}") if importlib.util.find_spec(PACKAGE) else None
    return content(Path(found.origin).parent) if found is not None and found.origin else ""


def missing(game: str) -> list[Boxed]:
    """Return the players for ``game`` that are not installed here."""
    here = {entry.name for entry in registry.entries("agent")}
    return [player for player in in_the_box() if game in player.games and player.name not in here]
