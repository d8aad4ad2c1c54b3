"""How fast a log becomes examples, in hands a CPU minute: python benchmarks/imitation.py [--hands N] [--encoder E].

Logs of limit and no-limit hold'em are made first, between ``threshold`` and the competition's example player.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from cardai.arena import match, records
from cardai.formats.acpc.records import records_to_log
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import Settings, convert

GAMES = ("acpc_limit_2p", "acpc_nolimit_2p")


def main() -> None:
    """Make a log of each game and convert it, twice: the first time kernels may be compiled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--encoder", default="", help="write the codes too, of this encoder")
    options = parser.parse_args()
    for game in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "match.log"
            record = Path(folder) / "match.jsonl"
            match.play(game, ["threshold", "acpc_mix"], games=options.hands, seed=1, record=record)
            log.write_text("".join(records_to_log(records.read(record)).lines()), encoding="utf-8")
            for number in range(2):
                begun = time.process_time()
                out = Path(folder) / f"examples-{number}"
                found = convert([str(log)], stream_hands, out, Settings(options.encoder))
                seconds = time.process_time() - begun
            size = sum(file.stat().st_size for file in out.iterdir())
            print(
                f"{game}, encoder {options.encoder or 'none'}: {found.hands:,} hands, {found.examples:,} decisions, "
                f"{60 * found.hands / seconds:,.0f} hands a CPU minute, {size / found.hands:,.0f} bytes a hand"
            )


if __name__ == "__main__":
    main()
