"""Draws the docs' pictures of the pages anew, every game, the coach and the study at three sizes: ``python -m tests.web.renew_pictures [DIR] [GAME ...]``.

Each is a WebP of at most 1,280 pixels' width; DIR is docs/pictures where it is not named. Needs Chromium and pillow.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from cardai.ui import kept
from cardai.ui.match import Match
from cardai.web.door import Door
from cardai.web.pages import House
from cardai.web.sittings import Sittings
from tests.support import ROOT
from tests.web.browsing import SIZES, browser, opened, turn
from tests.web.conftest import Served

TABLES = {
    "gin": (("heisenbot",), "p p d", 11),
    "holdem_nolimit": (("threshold",), "c c", 3),
    "holdem_limit": (("threshold",), "c r c", 3),
    "video_poker": ((), "1 3", 3),
    "omaha": (("random",), "c c", 5),
    "short_deck": (("random",), "c c", 5),
    "triple_draw": (("draw_heuristic",), "c 1 4", 5),
    "liars_dice:dice=5": (("random",), "", 5),
    "leduc": (("random",), "c", 5),
    "kuhn": (("random",), "", 5),
    "holdem_nolimit:players=6,stack=10000": (("threshold",) * 5, "c c", 7),
    "openspiel:name=liars_dice": (("random",), "", 5),
}
"""By game: the opponents, the keys that are pressed, the seed."""


def draw(served: Served, started: object, game: str, into: Path) -> None:
    """Play to the moment that is shown, and keep it at three sizes."""
    opponents, keys, seed = TABLES[game]
    sitting = served.call(served.house.tables.begin, game, opponents, seed)
    name = game.partition(":")[0] + (
        "" if ":" not in game else "-" + game.rpartition("=")[2].replace("10000", "six").replace("=5", "")
    )
    with opened(started, served, f"table/{sitting.name}") as page:
        turn(page)
        for key in keys.split():
            page.keyboard.press(key)
            page.wait_for_timeout(150)
            turn(page)
        page.wait_for_timeout(500)
        shoot(page, name, into)


def shoot(page: Any, name: str, into: Path) -> None:
    """Keep what a page shows at three sizes."""
    from PIL import Image

    for width, (w, h) in SIZES.items():
        page.set_viewport_size({"width": w, "height": h})
        page.wait_for_timeout(300)
        picture = Image.open(io.BytesIO(page.screenshot()))
        picture.thumbnail((1280, 1280))
        picture.save(into / f"web-{name}-{width}.webp", quality=50, method=6)


STUDY, HAND, COACH = "study", "hand", "coach"


def study(served: Served, started: object, into: Path) -> None:
    """Solve the ready river, and keep the answer to its bet at three sizes."""
    with opened(started, served, "study") as page:
        page.get_by_role("button", name="Solve A river").click()
        page.wait_for_selector("#hands")
        page.click(".way .now a:has-text('bet 100')")
        page.wait_for_url("**at=b100")
        page.wait_for_selector("#hands")
        page.click(".left [data-class=KTs]")
        shoot(page, "study", into)


def badly_played() -> Path:
    """Play a hand of gin badly, and return its match."""
    match = Match.begin("gin", ["heisenbot"], 20, kept.new_file("gin"))
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(match.table.legal_actions()[-1])
    match.close()
    return kept.newest(1)[0]


def draw_coach(served: Served, started: object, into: Path) -> None:
    """Ask the coach of a hand that was played badly, and keep the table with what he says."""
    sitting = served.call(served.house.tables.resume, badly_played())
    with opened(started, served, f"table/{sitting.name}") as page:
        turn(page)
        page.keyboard.press("M")
        page.wait_for_selector("#advice[open]")
        shoot(page, COACH, into)


def draw_hand(served: Served, started: object, into: Path) -> None:
    """Keep the page that says what the decisions of a hand cost that was played badly."""
    from PIL import Image

    with opened(started, served, f"past/match/{badly_played().stem}/1") as page:
        page.wait_for_selector("#felt .mine")  # the coach has read it
        for width in (390, 1280):
            w, h = SIZES[width]
            page.set_viewport_size({"width": w, "height": h + 400 * (width == 1280)})
            picture = Image.open(io.BytesIO(page.screenshot()))
            picture.save(into / f"web-hand-{width}.webp", quality=50, method=6)


def main(arguments: list[str]) -> None:
    """Draw all, or those that are named."""
    into = Path(arguments[0]) if arguments else ROOT / "docs/pictures"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CARDAI_DATA_DIR"] = folder
        served = Served(House(Door(), Sittings(len(TABLES))))
        with browser() as started:
            shown = {STUDY: study, HAND: draw_hand, COACH: draw_coach}
            for game in arguments[1:] or (*TABLES, *shown):
                if game in shown:
                    shown[game](served, started, into)
                else:
                    draw(served, started, game, into)
        served.close()


if __name__ == "__main__":
    main(sys.argv[1:])
