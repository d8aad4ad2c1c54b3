"""The competition's wire: hands a CPU second of our dealer and two of our clients, all three processes together.

    python benchmarks/acpc.py [--hands 30000] [--agent acpc_mix]

Each process is the command a person would type. CPU time (user and system) is the kernel's account of each finished
process; what they need to start is measured by a match of one hand, printed, and taken off.

For comparison, the C dealer with two of its example players makes 3,200 (limit) and 4,300 (no-limit) hands a CPU second
on the same kind of machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

GAMES = {"limit": "holdem.limit.2p.reverse_blinds", "no-limit": "holdem.nolimit.2p.reverse_blinds"}
C_DEALER = {"limit": 3200, "no-limit": 4300}
CARDAI = [sys.executable, "-m", "cardai"]


def match(game: str, hands: int, agent: str, plugin: list[str], folder: Path) -> tuple[float, float, list[float]]:
    """Play a match; return the CPU seconds of all three processes, the kernel's part of them, and each process's."""
    name = str(folder / "match")
    dealer = subprocess.Popen(
        [*CARDAI, "acpc", "dealer", name, game, str(hands), "20170", "A", "B", "--quiet", "--start_timeout", "60000"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert dealer.stdout is not None
    ports = dealer.stdout.readline().split()
    players = [
        subprocess.Popen([*CARDAI, "acpc", "play", *plugin, "-a", agent, "-g", game, "-p", port, "--seed", str(seat)])
        for seat, port in enumerate(ports)
    ]
    used, kernel = [], 0.0
    for process in (dealer, *players):
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"A process of the match failed with status {status}.")
        used.append(usage.ru_utime + usage.ru_stime)
        kernel += usage.ru_stime
    finished = sum(line.startswith("STATE:") for line in open(name + ".log"))  # noqa: SIM115
    assert finished == hands, f"{finished} hands in the log"
    return sum(used), kernel, used


def main() -> None:
    """Measure both games and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hands", type=int, default=30_000)
    parser.add_argument("--agent", default="acpc_mix")
    parser.add_argument("--plugin", action="append", default=[], metavar="FILE")
    parser.add_argument("--game", choices=GAMES, action="append")
    asked = parser.parse_args()
    plugin = [word for file in asked.plugin for word in ("--plugin", file)]
    print(
        f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, {asked.agent}, one thread each"
    )
    for kind in asked.game or GAMES:
        with tempfile.TemporaryDirectory() as folder:
            start, kernel_start, each_start = match(GAMES[kind], 1, asked.agent, plugin, Path(folder))
            total, kernel, each = match(GAMES[kind], asked.hands, asked.agent, plugin, Path(folder))
        shares = ", ".join(
            f"{name} {t - s:.2f} s" for name, t, s in zip(("dealer", "player", "player"), each, each_start, strict=True)
        )
        rate = asked.hands / (total - start)
        print(
            f"{kind}: {asked.hands:,} hands, {total - start:.2f} CPU seconds ({shares}; "
            f"{kernel - kernel_start:.2f} s of it in the kernel), start-up {start:.2f} s taken off: "
            f"{rate:,.0f} hands a CPU second ({rate / C_DEALER[kind]:.2f} of the C programs)"
        )


if __name__ == "__main__":
    main()
