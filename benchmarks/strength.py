"""Measures how strong the built-in players are at the built-in games, for the lists of ``cardai play``.

    python benchmarks/strength.py                  measure all and write cardai/ui/strength.json
    python benchmarks/strength.py --game gin       those of one game, the others stay
    python benchmarks/strength.py --missing        those that have no figure yet

Each figure is that of ``cardai run`` with 1,000 games and seed 0 against the game's reference player.
"""

from __future__ import annotations

import argparse
import time

from cardai import make
from cardai.core import registry
from cardai.core.errors import CardaiError
from cardai.core.files import write_json
from cardai.ui.players import fitting
from cardai.ui.strength import SHIPPED, as_plain, measure, shipped


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", action="append", help="only this game (repeatable)")
    parser.add_argument("--missing", action="store_true", help="only players that have no figure")
    given = parser.parse_args()
    wanted = given.game
    held = shipped()
    for entry in registry.entries("game"):
        if entry.distribution == "cardai" and (not wanted or entry.name in wanted):
            held[entry.name] = known = held.get(entry.name, {}) if given.missing else {}
            for player in fitting(make.game(entry.name), entry.name):
                if player.spec in known:
                    continue
                begun = time.process_time()
                try:
                    found = measure(entry.name, player.spec)
                except CardaiError as error:
                    print(f"{entry.name:<18}{player.spec:<18}{error}")
                    continue
                known[player.spec] = found
                print(
                    f"{entry.name:<18}{player.spec:<18}{found.text()}   {time.process_time() - begun:.1f} CPU s",
                    flush=True,
                )
            write_json(SHIPPED, as_plain(held))


if __name__ == "__main__":
    main()
