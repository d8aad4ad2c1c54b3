"""What ``mistreatment.py`` mistreats, and by what: commands that write or take long, and circumstances."""

from __future__ import annotations

import resource
from pathlib import Path

from attrs import field, frozen

SHIM = '''"""A wall clock that jumps by hours, forwards and backwards, each time somebody looks (the monotonic clock does not)."""

import itertools
import time

_real, _ns, _looked = time.time, time.time_ns, itertools.count()


def _jump():
    return (3 * 3600, -5 * 3600, 7 * 86400, 0)[next(_looked) // 3 % 4]


time.time = lambda: _real() + _jump()
time.time_ns = lambda: _ns() + _jump() * 10**9
'''
"""A sitecustomize module."""


@frozen
class Case:
    """A command of ``cardai``, called in a directory of its own."""

    name: str
    words: tuple[str, ...]
    same: tuple[str, ...] = ()
    """What must be, byte for byte, as if nobody had disturbed it: patterns of files; of standard output: "-"."""
    begun: str = ""
    """A pattern of what is there once it works; empty: that cannot be seen, and ``wait`` CPU seconds of its are waited for."""
    wait: float = 1.0
    again: tuple[str, ...] = ()
    """The words that go on with what ``goes_on`` finds; empty: those of before."""
    goes_on: str = ""
    jobs: bool = False
    """Whether it takes --jobs: signals then come to it with two."""
    hands: bool = False
    """Whether it reads hands.jsonl."""
    reads: tuple[str, ...] = ()
    """What it reads beside that, made before: "spot" (a solved spot), "data" (a person's matches, by CARDAI_DATA_DIR)."""
    typed: str = ""
    """What is typed where there is no terminal."""
    terminal: bool = False
    refused: tuple[str, ...] = ()
    """Circumstances that it may refuse to work in, with exit code 2."""
    kept: bool = False
    """Whether what it has when it is stopped is a whole result, so that the next call finds the place taken."""
    asks: tuple[str, ...] = ()
    """Circumstances in which it asks and may end with 0."""

    def next_words(self, folder: Path) -> tuple[str, ...]:
        """Return the words that go on with what there is."""
        return self.again if self.again and any(folder.glob(self.goes_on)) else self.words


RUN = ("run", "-g", "leduc", "-a", "random", "-v", "always_call", "--seed", "1", "-n", "30000", "--record", "out.jsonl")
PAIRS = ("tournament", "-g", "leduc", "-a", "random", "-a", "always_call", "-a", "always_fold", "-n", "16000")
SPOT = ("--board", "KsTh7s4d2c", "--pot", "2000", "--stack", "4000", "--bets", "1+allin", "--to", "0.00001")
RANGES = ("--range", "AA,QQ", "--range", "KK,JJ", "--pot", "20", "--stack", "20")
FLOPS = ("--board", "KsTh7s", "--board", "2c3d4h", "--bets", "allin")
REVIEW = ("review", "data/matches/2026-11-01-101500-kuhn.jsonl", "--hero", "human", "--top", "3")
RESPONSE = (
    "evaluate",
    "best-response",
    "-g",
    "holdem_limit:max_raises=1+0+0+0",
    "-a",
    "always_call",
    "--from",
    "river",
    "--boards",
    "400",
    "--seed",
    "3",
)
CASES = (
    Case("run --record", RUN, ("out.jsonl",), "out.jsonl.open", again=(*RUN, "--resume"), goes_on="out.jsonl*", jobs=True),
    Case("tournament --out", (*PAIRS, "--out", "out"), ("out/crosstable.json",), "out/*.jsonl",
         again=(*PAIRS, "--out", "out", "--resume"), goes_on="out/tournament.json", jobs=True),
    Case("sweep", ("sweep", "--trainer", "cfr_plus", "-g", "leduc", "--seeds", "4", "--steps", "9000", "--out", "out"),
         ("out/*/*/checkpoints/step-000000009000/*.npz",), "out/*/*/metrics.jsonl", jobs=True),
    Case("train", ("train", "--trainer", "cfr_plus", "-g", "leduc", "--steps", "40000", "--out", "out"),
         ("out/checkpoints/step-000000040000/*.npz",), "out/metrics.jsonl", again=("train", "--resume", "out"), goes_on="out/run.json"),
    Case("train (torch)", ("train", "--trainer", "nfsp", "-g", "leduc", "--encoder", "flat", "--steps", "3000", "--out", "out"),
         ("out/checkpoints/step-000000003000/*.npz", "out/checkpoints/step-000000003000/*.safetensors"), "out/metrics.jsonl",
         again=("train", "--resume", "out"), goes_on="out/run.json"),
    Case("solve --out", ("solve", *SPOT, "--iterations", "50000", "--out", "out"), ("out/*.npz", "-"), wait=2.5),
    Case("situations", ("situations", "out", "--street", "river", "--count", "1250", "--iterations", "20"),
         ("out/*",), "out/*.npz", jobs=True),
    Case("convert", ("convert", "hands.jsonl", "out.log"), ("out.log",), hands=True, wait=0.7),
    Case("convert --to examples", ("convert", "hands.jsonl", "--to", "examples", "--out", "out"),
         ("out/*",), "out", hands=True, kept=True),
    Case("replay", ("replay", "hands.jsonl", "--hand", "3"), ("-",), hands=True, wait=0.5),
    Case("play", ("play", "kuhn", "--vs", "random", "--seed", "4"), terminal=True, asks=("Ctrl-C",),
         refused=("home read-only", "home missing", "directory not writable", "disk full from the start")),
    Case("list-plugins", ("list-plugins",), ("-",)),
    Case("report", ("report", "out", *FLOPS, *RANGES, "--to", "2%", "--csv", "rows.csv"),
         ("out/spots/*/*", "rows.csv", "-"), "out/spots/*/spot.json", jobs=True),
    Case("library", ("library", "out", "--position", "BTN-BB", "--raised", "single", *RANGES), ("out/ranges/*",)),
    Case("review --out", (*REVIEW, "--out", "out.jsonl"), ("out.jsonl", "-"), wait=2.0,
         again=(*REVIEW, "--out", "out.jsonl", "--resume"), goes_on="out.jsonl", reads=("data",)),
    Case("matches --export", ("matches", "--export", "out.zip"), ("out.zip",), wait=0.5, reads=("data",)),
    Case("matches --stats", ("matches", "--stats", "--review"), ("-",), wait=1.0, reads=("data",)),
    Case("drill", ("drill", "--count", "400"), (), "data/drills.json", reads=("data",), typed="bet\n" * 400),
    Case("spot --tree", ("spot", "spot", "--tree", "out.csv"), ("out.csv",), wait=0.7, reads=("spot",)),
    Case("flops", ("flops", "25"), ("-",), wait=0.5),
    Case("range --png", ("range", "22+,A2s+", "--png", "out.png"), ("out.png",), wait=0.7),
    Case("best-response --out", (*RESPONSE, "--out", "out.npz"), ("out.npz", "-"), wait=2.0, jobs=True),
    Case("train (draw)", ("train", "--trainer", "bucket_mccfr_draw:hands=5,final=4", "-g", "triple_draw", "--steps", "1000", "--out", "out"),
         ("out/checkpoints/step-000000001000/*.npy", "out/checkpoints/step-000000001000/*.npz"), "out/metrics.jsonl",
         again=("train", "--resume", "out"), goes_on="out/run.json"),
    Case("train (mmd)", ("train", "--trainer", "mmd:hidden=16,layers=1,batch=256,tables=64", "-g", "leduc", "--encoder", "flat", "--steps", "60",
         "--out", "out"), ("out/checkpoints/step-000000000060/*.safetensors",), "out/metrics.jsonl",
         again=("train", "--resume", "out"), goes_on="out/run.json"),
)  # fmt: skip


@frozen
class Circumstance:
    """What happens to a command. ``codes`` are the exit codes that fit; without 0 the command must not say it is done."""

    name: str
    how: str
    codes: tuple[int, ...] = (0,)
    environment: dict[str, str | None] = field(factory=dict)
    """None: the variable is not there. {folder} is the directory in which the command is called."""
    limits: dict[int, int] = field(factory=dict)
    memory: float = 0.0
    """The share of the address space that it takes undisturbed; 0: as much as it wants."""
    place: str = ""
    """What is made of its directory: full, filling, read-only (a mount), refused (its mode); or of "home", "cache"."""
    signal: str = ""
    second: str = ""
    """When a second process is started: "at once", "later"; "" for none."""
    cold: bool = False
    """Whether kernels must be compiled first: only ``run`` is tried so."""
    said: str = ""
    """What must be said where it fails."""

    @property
    def title(self) -> str:
        """The heading of its table."""
        return self.name[0].upper() + self.name[1:]


def _home(where: str | None) -> dict[str, str | None]:
    return {"HOME": where, "XDG_DATA_HOME": None, "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None}


CIRCUMSTANCES = (
    Circumstance("disk full from the start", "The directory is a small tmpfs without a free block.", (0, 1, 2),
                 place="full"),
    Circumstance("disk full half way", "The directory is a tmpfs with room for half of what the command writes.", (1,),
                 place="filling", said="No space left on device"),
    Circumstance("directory not writable", "Its mode is 0555, and the process may not pass over that.", (1, 2),
                 place="refused", said="Permission denied"),
    Circumstance("directory on a read-only disk", "It is mounted read-only.", (1, 2),
                 place="read-only", said="Read-only file system"),
    Circumstance("home read-only", "HOME is mounted read-only; no XDG variable is set.",
                 environment=_home("{folder}/home"), place="home"),
    Circumstance("home missing", "HOME names a directory that is not there and cannot be made.",
                 environment=_home("/proc/nobody")),
    Circumstance("64 open files", "ulimit -n 64.", limits={resource.RLIMIT_NOFILE: 64}),
    Circumstance("half of the memory", "ulimit -v at half of what the command takes undisturbed.", (0, 1, 2), memory=0.5),
    Circumstance("nine tenths of the memory", "ulimit -v at nine tenths of it.", (0, 1, 2), memory=0.9),
    Circumstance("C locale", "LC_ALL=C, PYTHONUTF8=0, PYTHONCOERCECLOCALE=0, no LANG.",
                 environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LANG": None}),
    Circumstance("a clock that jumps", "time.time jumps by hours and days, forwards and backwards.",
                 environment={"PYTHONPATH": "{folder}/shim"}),
    Circumstance("SIGHUP", "The terminal is closed while it works: SIGHUP to all of its processes.", (129,), signal="SIGHUP"),
    Circumstance("Ctrl-C", "SIGINT to all of its processes, while it works.", (130,), signal="SIGINT"),
    Circumstance("SIGTERM", "SIGTERM to the process that was started, while it works.", (143,), signal="SIGTERM"),
    Circumstance("two at once", "Two processes of one command start together in one directory.", (0, 2), second="at once"),
    Circumstance("a second one later", "A second process starts while the first works in the directory.", (0, 2), second="later"),
    Circumstance("cold kernels, two at once", "Two processes, each with a record of its own, compile into one empty kernel cache.",
                 environment={"CARDAI_CACHE_DIR": "{folder}/cache"}, second="at once", cold=True),
    Circumstance("cold kernels, cache on a full disk", "The kernel cache is a tmpfs without a free block.",
                 environment={"CARDAI_CACHE_DIR": "{folder}/cache"}, place="cache full", cold=True),
    Circumstance("cold kernels, cache read-only", "The kernel cache is empty and mounted read-only.",
                 environment={"CARDAI_CACHE_DIR": "{folder}/cache"}, place="cache", cold=True),
)  # fmt: skip
