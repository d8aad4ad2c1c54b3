"""Measures what tables cost in the browser's server: memory, CPU and the time from an action to the next picture.

    python benchmarks/web.py                        64 tables of five games at once, three hands each
    python benchmarks/web.py --tables 16 --hands 1
    python benchmarks/web.py --strongest            against the strongest opponents that the pages offer at these games
    python benchmarks/web.py --cold                 with nothing compiled: in an empty folder of kernels
    python benchmarks/web.py --json

The server is ``cardai play --browser`` in a process of its own; whoever sits at a table speaks over its WebSocket as a page
does, and plays by the first button that neither folds nor asks. Memory is the process's peak (VmHWM), and the most that it
and the child that compiles for it held at a time (Pss, looked at three times a second). Programs' pauses between moves are
part of the time to the next picture. The strongest are those of the ladders of ``cardai/ui/strength.json`` that are
installed: ``pip install -c constraints.txt ./players`` brings the players in the box.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

GAMES = (
    ("gin", "simple"),
    ("holdem_nolimit", "threshold"),
    ("video_poker", ""),
    ("leduc", "random"),
    ("triple_draw", "draw_heuristic"),
)
STRONGEST = (
    ("gin", "champion"),
    ("holdem_nolimit", "nolimit_resolving"),
    ("holdem_limit", "limit_equilibrium"),
    ("triple_draw", "triple_draw_equilibrium"),
    ("leduc", "leduc_equilibrium"),
    ("video_poker", ""),
)
BUTTON = re.compile(r'data-action="(\d+)"[^>]*?data-key="(\w)"')
CARD = re.compile(r'data-card="(\d+)"')


def main() -> None:
    """Start the server, play, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--hands", type=int, default=3)
    parser.add_argument("--strongest", action="store_true", help="against the strongest opponents")
    parser.add_argument("--cold", action="store_true", help="with nothing compiled")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "cardai", "play", "--browser", "--no-open", "--sessions", str(given.tables)]
        server = subprocess.Popen(
            words,
            env={**os.environ, "CARDAI_DATA_DIR": folder}
            | ({"CARDAI_CACHE_DIR": f"{folder}/kernels"} if given.cold else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            idle = memory(server.pid)[0]
            begun, held = time.monotonic(), Held(server.pid)
            found = asyncio.run(
                play(address, given.tables, given.hands, server.pid, STRONGEST if given.strongest else GAMES)
            )
            found["with_child_mb"] = held.end()
            found |= {"idle_mb": idle, "peak_mb": memory(server.pid)[1], "wall_seconds": time.monotonic() - begun}
        finally:
            server.terminate()
            server.wait(60)
    show(found, given.json)


async def play(address: str, tables: int, hands: int, pid: int, games: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Sit down at all tables, wait until all are laid, then play at all of them at once."""
    seats = []
    for k in range(tables):
        game, player = games[k % len(games)]
        seats.append(await asyncio.to_thread(sit, address, game, player))
    laid = await asyncio.gather(*(Seat(address, name).begin() for name in seats))
    before, waits = cpu(pid), []
    for waited in await asyncio.gather(*(seat.play(hands) for seat in laid)):
        waits += waited
    spent = cpu(pid) - before
    together = memory(pid)[0]
    for seat in laid:
        await seat.socket.close()
    return {"tables": tables, "hands": tables * hands, "resident_mb": together, "cpu_ms_a_hand": 1000 * spent / tables / hands,
            "wait_ms_median": 1000 * statistics.median(waits), "wait_ms_p95": 1000 * sorted(waits)[int(0.95 * len(waits))]}  # fmt: skip


def sit(address: str, game: str, player: str) -> str:
    """Send the form; return the table's name."""
    import http.client
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    asking = http.client.HTTPConnection(parts.netloc, timeout=300)
    asking.request("POST", f"{parts.path}sit", f"game={game}&player={player}", {"Origin": f"http://{parts.netloc}"})
    answer = asking.getresponse()
    text = answer.read().decode()
    assert answer.status == 303, text
    return str(answer.headers["Location"]).rpartition("/")[2]


class Seat:
    """A person at one table."""

    def __init__(self, address: str, name: str) -> None:
        self.address, self.name = address, name

    async def begin(self) -> Seat:
        """Open the page and wait for the table."""
        origin = "/".join(self.address.split("/")[:3])
        path = self.address.replace("http", "ws", 1) + f"table/{self.name}/ws"
        self.socket = await connect(path, additional_headers={"Origin": origin}, open_timeout=300, ping_timeout=None)
        await self.say(does="look")
        await self.turn()
        return self

    async def say(self, **said: Any) -> None:
        await self.socket.send(json.dumps(said))

    async def turn(self) -> None:
        """Wait until the person is to act, or the hand is over."""
        while True:
            message = json.loads(await self.socket.recv())
            assert message["kind"] not in ("failed", "refused"), message
            if message["kind"] == "scene" and (message["mine"] or message["over"]):
                self.scene = message
                return

    async def play(self, hands: int) -> list[float]:
        """Play; return the seconds from each action to the next decision."""
        waits = []
        while hands:
            begun = time.monotonic()
            if self.scene["over"]:
                hands -= 1
                if not hands:
                    break
                await self.say(does="next", at=self.scene["at"])
            else:
                await self.say(at=self.scene["at"], **self.chosen())
            await self.turn()
            waits.append(time.monotonic() - begun)
        return waits

    def chosen(self) -> dict[str, Any]:
        """Return what is played: a button that neither folds nor bets, else the last card."""
        buttons = {key: int(action) for action, key in BUTTON.findall(self.scene["parts"]["actions"])}
        key = next((key for key in "kcdptsn" if key in buttons), "")
        if key:
            return {"does": "act", "action": buttons[key]}
        cards = CARD.findall(self.scene["parts"]["felt"])
        return (
            {"does": "cards", "cards": [int(cards[-1])]} if cards else {"does": "act", "action": min(buttons.values())}
        )


class Held(threading.Thread):
    """Looks, until :meth:`end`, at what a process and its children hold together."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.most, self.over = pid, 0.0, threading.Event()
        self.start()

    def run(self) -> None:
        while not self.over.wait(0.3):
            children = Path(f"/proc/{self.pid}/task").glob("*/children")
            pids = [self.pid, *(int(pid) for file in children for pid in text(file).split())]
            sums = (re.search(r"Pss:\s+(\d+)", text(Path(f"/proc/{pid}/smaps_rollup"))) for pid in pids)
            self.most = max(self.most, sum(int(found[1]) / 1000 for found in sums if found))

    def end(self) -> float:
        """Return the most that was held, in MB."""
        self.over.set()
        self.join()
        return self.most


def text(file: Path) -> str:
    """Return what a file of a process says; nothing where it has ended."""
    try:
        return file.read_text()
    except OSError:
        return ""


def memory(pid: int) -> tuple[float, float]:
    """Return a process's resident memory and its peak, in MB."""
    text = Path(f"/proc/{pid}/status").read_text()
    return tuple(int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1000 for name in ("VmRSS", "VmHWM"))  # type: ignore[index, return-value]


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(found: dict[str, Any], plain: bool) -> None:
    """Print what was measured."""
    if plain:
        return print(json.dumps(found))
    print(f"{found['tables']} tables at once, {found['hands']} hands in {found['wall_seconds']:.0f} s")
    print(
        f"memory          {found['resident_mb']:.0f} MB, peak {found['peak_mb']:.0f} MB; {found['idle_mb']:.0f} MB before the first table"
    )
    print(f"with its child  {found['with_child_mb']:.0f} MB at most")
    print(f"CPU             {found['cpu_ms_a_hand']:.0f} ms a hand")
    print(f"next decision   median {found['wait_ms_median']:.0f} ms, 95 % within {found['wait_ms_p95']:.0f} ms")


if __name__ == "__main__":
    main()
