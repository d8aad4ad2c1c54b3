"""More commands that ``benchmarks/kill.py`` kills: reports, libraries, reviews, drills, measures, matches at sites, exports."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from kill_writers import ROOT, Result, Writer, _none, arrays, plain, printed, whole_files

SPOT = ["--pot", "20", "--stack", "20", "--range", "AA,QQ", "--range", "KK,JJ", "--bets", "allin"]


# -- reports and libraries -----------------------------------------------------------------------------------------


def _report(size: int) -> list[str]:
    boards = [word for flop in ("KsTh7s", "2c3d4h", "AhAd5c", "9s8s2d")[:size] for word in ("--board", flop)]
    return ["report", "lib", *boards, *SPOT, "--to", "3%", "--csv", "rows.csv", "--json"]


def _spots(place: Path) -> list[Path]:
    return sorted(file.parent for file in (place / "lib/spots").glob("*/spot.json"))


def _reported(place: Path, out: str) -> Result:
    held = {f"{spot.name}/{name}": value for spot in _spots(place) for name, value in arrays(spot).items()}
    return {**held, "rows": (place / "rows.csv").read_bytes(), "printed": printed(out)}


def _into_library(size: int) -> list[str]:
    goal = ["--to", "0.01%", "--iterations", str(size)]
    return ["solve", "--board", "KsTh7s4d", *SPOT, *goal, "--library", "lib", "--json"]


def _ranges(size: int) -> list[str]:
    words = ["--position", "BTN-BB", "--raised", "single", "--range", "22+,A2s+", "--range", "22+,K2s+"]
    return ["library", "lib", *words, "--pot", "5.5", "--stack", "97.5"]


# -- reviews and drills --------------------------------------------------------------------------------------------


def _played(file: Path, hands: int, seed: int) -> None:
    """Make the record of a person who plays Kuhn poker with mistakes."""
    from cardai.arena import match

    players, names = ["random", "random"], ["human", "random"]
    match.play("kuhn", players, games=hands, seed=seed, duplicate=False, record=file, names=names)


def _to_review(folder: Path) -> None:
    from cardai.study import session

    session.KEPT_EVERY = 0.01
    _played(folder / "hands.jsonl", 1500, 2)


def _review(size: int) -> list[str]:
    return [
        "review",
        "../hands.jsonl",
        "--hero",
        "random",
        "--out",
        "kept.jsonl",
        "--csv",
        "rows.csv",
        "--resume",
        "--json",
    ]


def _reviewed(place: Path) -> int:
    return len((place / "kept.jsonl").read_bytes().splitlines()) if (place / "kept.jsonl").is_file() else 0


def _data(folder: Path) -> None:
    """Make a person's data: matches of Kuhn poker with mistakes."""
    own = folder / "own"
    (own / "matches").mkdir(parents=True)
    os.environ["CARDAI_DATA_DIR"] = str(own)
    for day in range(1, 4):
        _played(own / "matches" / f"2026-11-{day:02}-101500-kuhn.jsonl", 60, day)


def _drill(size: int) -> list[str]:
    return ["drill", "--count", str(size)]


def _drilled_on(place: Path, size: int) -> None:
    """A place has data of its own: what is answered stands there."""
    own, data = place / "own", place.parent / "own"
    if not own.exists():
        own.mkdir()
        shutil.copytree(data / "matches", own / "matches")
    os.environ["CARDAI_DATA_DIR"] = str(own)


def _answers(place: Path) -> dict[str, Any]:
    file = place / "own/drills.json"
    return dict(json.loads(file.read_text())["known"]) if file.is_file() else {}


# -- measures ------------------------------------------------------------------------------------------------------


def _often(folder: Path) -> None:
    from cardai.poker.responses import kept

    kept.EVERY = 0.01


def _quick_flops(folder: Path) -> None:
    """Let what follows on a flop be a number of its cards: a real one takes minutes, and is kept in the same file."""
    from cardai.poker.hand_classes import CLASSES
    from cardai.poker.responses.street_response import Walker

    def follows(walker: Walker, flop: Any, label: str = "") -> Any:
        import time

        time.sleep(0.003)
        return np.full((len(walker.flop_roots), 2, CLASSES), 100.0 * int(flop[0]) - 2000.0)

    _often(folder)
    Walker.flop_values = follows  # type: ignore[method-assign]


def _response(start: str) -> Callable[[int], list[str]]:
    words = [
        "evaluate",
        "best-response",
        "--game",
        "holdem_limit:max_raises=1+0+0+0",
        "--agent",
        "always_call",
        "--from",
        start,
    ]
    return lambda size: [*words, "--boards", str(size), "--seed", "3", "--out", "kept.npz", "--json"]


def _local(size: int) -> list[str]:
    words = ["evaluate", "lbr", "--game", "holdem_limit", "--agent", "always_call", "--seed", "3", "--out", "kept.npz"]
    return [*words, "--hands", str(2 * size), "--json"]


def _pieces(place: Path) -> int:
    file = place / "kept.npz"
    if not file.is_file():
        return 0
    with np.load(file, allow_pickle=False) as held:
        return int(held["done"].sum())


def _measured(place: Path, out: str) -> Result:
    return {**arrays(place), "printed": printed(out)}


# -- matches -------------------------------------------------------------------------------------------------------


@cache
def _server(place: Path) -> str:
    """Serve both sites to one place from a process of its own, which ends with this one or after ten minutes; its address."""
    sys.path.insert(0, str(ROOT))
    from tests.formats.sites_server import Sites, serving

    reading, writing = os.pipe()
    parent = os.getpid()
    if not os.fork():
        os.close(reading)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        Timer(600, os._exit, (0,)).start()
        with serving(Sites()) as url:
            os.write(writing, url.encode())
            os.close(writing)
            while os.getppid() == parent and place.exists():
                signal.sigtimedwait([], 0.2)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read().decode()


def _site(name: str) -> Writer:
    words = [
        "match",
        name,
        "--agent",
        "acpc_mix",
        "--record",
        "r.jsonl",
        "--resume",
        "--seed",
        "3",
        "--no-aivat",
        "--json",
    ]

    def on(place: Path, size: int) -> list[str]:
        return [*words, "--hands", str(size), "--url", _server(place)]

    def start(size: int) -> list[str]:  # before anything is killed, in the place "warm"
        os.environ["GTOWIZARD_API_KEY"] = "key"
        return [*words, "--hands", str(size), "--url", _server(Path.cwd())]

    return Writer(f"match {name}", start, on, _lines, _sited if name == "gtowizard" else _counted, size=20, most=400)


def _lines(place: Path) -> int:
    return (place / "r.jsonl").read_bytes().count(b"\n") if (place / "r.jsonl").is_file() else 0


def _sited(place: Path, out: str) -> Result:
    lines = [plain(json.loads(line)) for line in (place / "r.jsonl").read_text().splitlines()]
    for line in lines[1:]:
        line["site"].pop("longest")  # a clock's
    told = {name: value for name, value in (printed(out) or {}).items() if name != "longest"}
    return {"record": lines, "printed": told}


def _counted(place: Path, out: str) -> Result:
    """At Slumbot a hand that was left is gone, and others are dealt: all that were asked for were played, each whole."""
    lines = [json.loads(line) for line in (place / "r.jsonl").read_text().splitlines()]
    played = [line for line in lines[1:] if not line["site"]["lost"]]
    whole = all(line["actions"] and sum(line["returns"]) == 0 for line in played)
    return {"hands": printed(out)["hands"], "played": len(played), "whole": whole, "rows": len(lines)}


def _series(size: int) -> list[str]:
    agents = [word for name in ("random", "always_call", "acpc_mix") for word in ("-a", name)]
    return ["acpc", "match", "-g", "holdem_limit", *agents, "-n", str(size), "--seeds", "0-1", "--in-process", "--resume", "--out", "s", "--json"]  # fmt: skip


def _logs(place: Path) -> int:
    return len(list((place / "s").glob("*.log"))) if (place / "s").is_dir() else 0


def _series_result(place: Path, out: str) -> Result:
    held = {
        file.name: file.read_bytes() for file in sorted((place / "s").iterdir()) if file.suffix in (".log", ".json")
    }
    return {**held, "printed": printed(out)}


# -- single files --------------------------------------------------------------------------------------------------


def _export(size: int) -> list[str]:
    return ["export", "always_call", "--game", "leduc", "--out", "policy.csv"]


def _all(place: Path, out: str) -> Result:
    return whole_files(place)


def _nothing(place: Path) -> int:
    return 0


STUDIES = [
    Writer("report", _report, _none, lambda place: len(_spots(place)), _reported, size=3),
    Writer("solve --library", _into_library, _none, lambda place: len(_spots(place)), _all, size=200),
    Writer("library", _ranges, _none, _nothing, _all),
    Writer(
        "review", _review, _none, _reviewed,
        lambda place, out: {"kept": (place / "kept.jsonl").read_bytes(), "rows": (place / "rows.csv").read_bytes(), "printed": printed(out)},
        ready=_to_review,
    ),
    Writer(
        "drill", _drill, _drilled_on, lambda place: len(_answers(place)), lambda place, out: _answers(place),
        size=1000, answers="bet\n" * 5000, ready=_data,
    ),
    Writer("matches --export", lambda size: ["matches", "--export", "all.zip"], _none, _nothing, _all, ready=_data),
    Writer("best-response from preflop", _response("preflop"), _none, _pieces, _measured, size=100, most=20_000, ready=_quick_flops),
    Writer("best-response from the river", _response("river"), _none, _pieces, _measured, size=100, most=20_000, ready=_often),
    Writer("lbr", _local, _none, _pieces, _measured, size=10, most=20_000, ready=_often),
    _site("gtowizard"),
    _site("slumbot"),
    Writer("acpc match", _series, _none, _logs, _series_result, size=40, most=1000),
    Writer("export", _export, _none, _nothing, _all),
]  # fmt: skip
