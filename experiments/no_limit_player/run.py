"""The no-limit player of the box, measured as it ships: every figure of report/report.md by a command that is printed beside it.

    python experiments/no_limit_player/run.py                       # all measures that are not there yet, then the report
    python experiments/no_limit_player/run.py --only river,fcpa     # some of them
    python experiments/no_limit_player/run.py --jobs 8 --minutes 5  # eight processes; a measure says what it found in five minutes
    python experiments/no_limit_player/run.py --report              # only write report.md from what there is

cardai-players must be installed (pip install ./players). What a measure has done is kept under ``--work`` and gone on with, what it
found in report/measured.json; a measure is done anew when its command is another, or the player is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from attrs import frozen

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "players"))

from no_limit import DEALT, decides, decides_in

from cardai.core.errors import DamagedFileError
from cardai.core.files import digest_of, read_json, write_atomically, write_json

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REPORT, MEASURED = HERE / "report" / "report.md", HERE / "report" / "measured.json"
CARD = ROOT / "players" / "cardai_players" / "nolimit_resolving" / "card.json"
PLAYER = "nolimit_resolving"
SHIPPED = f"{PLAYER}:seconds=0,threads=1,kept=300,believed=0.3"
PLAIN = "resolving:values=exact,kept=300"
LONGER = "resolving:iterations=480,kept=300,believed=0.3"
TRANSLATED = "translated:run=runs/nolimit_resolving/depths/10000"
"""A blueprint at the stacks of holdem (``python players/no_limit.py make`` trains it)."""
LEVELS = ("strong", "fair", "weak")
GUESSED = f" --branches 1 --estimates {SHIPPED.replace(':', ':level=fair,')}"
"""Where 53 sizes are considered at each decision, its level fair answers those that are only considered."""
STOPPED = 130
"""The exit status of a measure that was stopped by Ctrl-C: what it has done counts."""
LBR = "cardai evaluate lbr --game holdem --agent {agent} --bets {bets} --rounds {rounds} --boards {boards}{more}"
RIVER = "cardai evaluate best-response --game holdem --agent {agent} --from river --hands {hands} --bets 0.5+1+2+allin"
TURN = (
    "cardai evaluate best-response --game holdem --agent {agent} --from turn --hands {hands} --bets 1+allin --rivers 16"
)
MATCH = "cardai evaluate aivat --game holdem --agent {agent} --vs {other} --hands {hands} --seed 7"


@frozen
class Measure:
    """A figure: its name, what it is of, and the command that prints it."""

    name: str
    words: str
    command: str
    kind: str
    """lbr, river or match: how its JSON is read; text: what it prints stands in the report as it is."""

    def of(self, player: str) -> dict[str, str]:
        """Return what is measured: the command, and the ``player``, its files and how it decides, if it is his; of a level, what
        that changes too."""
        if self.kind != "text" and PLAYER not in self.command.replace(TRANSLATED, ""):
            return {"command": self.command, "player": ""}
        return {"command": self.command, "player": decides_in(self.command, player)}

    @property
    def same(self) -> str:
        """Its command without how many there are of what it is of: more go on from fewer."""
        return re.sub(r" --(boards|hands) \d+", "", self.command)

    def there(self, known: dict[str, Any], player: str) -> bool:
        """Whether its figure is among those that are ``known``."""
        return self.of(player).items() <= known.get(self.name, {}).items()


def lbr(name: str, words: str, agent: str, bets: str, rounds: str, boards: int, more: str = "") -> Measure:
    """Return a local best response."""
    command = LBR.format(agent=agent, bets=bets, rounds=rounds, boards=boards, more=more)
    return Measure(name, words, command, "lbr")


def match(name: str, words: str, agent: str, other: str, hands: int) -> Measure:
    """Return a match by AIVAT, which weighs what the player might have done."""
    return Measure(name, words, MATCH.format(agent=agent, other=other, hands=hands), "match")


def river(name: str, words: str, agent: str, hands: int) -> Measure:
    """Return a best response from the river on."""
    return Measure(name, words, RIVER.format(agent=agent, hands=hands), "river")


def turn(name: str, words: str, agent: str, hands: int) -> Measure:
    """Return a best response from the turn on."""
    return Measure(name, words, TURN.format(agent=agent, hands=hands), "river")


MEASURES = (
    river("river", "best response from the river, the player", SHIPPED, 800),
    *(river(f"river_{level}", f"best response from the river, its level {level}", SHIPPED.replace(":", f":level={level},"), 200) for level in LEVELS),
    river("river_calls", "best response from the river, always_call", "always_call", 8),
    turn("turn", "best response from the turn, the player", SHIPPED, 100),
    lbr("fold", "LBR fcpa on turn and river, always_fold", "always_fold", "fcpa", "3+4", 2),
    lbr("fcpa", "LBR fcpa on turn and river, the player", SHIPPED, "fcpa", "3+4", 100, " --branches 1"),
    *(
        lbr(f"fcpa_{level}", f"LBR fcpa on turn and river, its level {level}", SHIPPED.replace(":", f":level={level},"), "fcpa", "3+4", 50, " --branches 1")
        for level in LEVELS
    ),
    lbr("fcpa_blueprint", "LBR fcpa on turn and river, a blueprint, bets translated", TRANSLATED, "fcpa", "3+4", 100, " --branches 1"),
    lbr("fcpa_plain", "LBR fcpa on turn and river, resolving without a network", PLAIN, "fcpa", "3+4", 12, " --branches 1"),
    lbr("fc", "LBR fc on all rounds, the player", SHIPPED, "fc", "1+2+3+4", 100, " --branches 1"),
    lbr("56", "LBR 56 bets on turn and river, weighed by its level fair, the player", SHIPPED, "56", "3+4", 100, GUESSED),
    lbr("56_flop", "LBR 56 bets on the flop, then fc, weighed by its level fair, the player", SHIPPED, "56", "2", 200, GUESSED),
    *(
        match(other, f"AIVAT, the player against {other}", SHIPPED, other, DEALT)
        for other in ("always_call", "threshold", "opponent_model")
    ),
    match("blueprint", "AIVAT, the player against a blueprint, bets translated", SHIPPED, TRANSLATED, DEALT),
    match("longer", "AIVAT, the player against itself at 480 iterations of a decision (120, on the river 300)", SHIPPED, LONGER, 400),
    *(match(level, f"AIVAT, the player against its level {level}", SHIPPED, SHIPPED.replace(":", f":level={level},"), 100) for level in LEVELS),
    Measure("decisions", "what a decision costs", "python benchmarks/decisions.py --hands 25", "text"),
    Measure("seated", "what a decision takes as the player is seated, 2 seconds and two threads", f"python benchmarks/decisions.py --hands 40 --agent {PLAYER} --no-turns --no-flops", "text"),
)  # fmt: skip


def measured(one: Measure, work: Path, player: str, jobs: int, minutes: float) -> dict[str, Any] | None:
    """Return what a command prints, with its CPU seconds; after ``minutes`` (0: never) it is stopped, and what it has done counts."""
    if one.kind == "text":
        called = [sys.executable, *shlex.split(one.command)[1:]]
    else:
        called = [sys.executable, "-m", "cardai", *shlex.split(one.command)[1:], "--json"]
    kept = work / f"{one.name}-{digest_of({**one.of(player), 'command': one.same})[:8]}.npz"
    begun = kept.exists()  # then some of it was done, and timed, before
    if one.kind != "text":
        work.mkdir(parents=True, exist_ok=True)
        called += ["--jobs", str(jobs), "--out", str(kept)]
    paths = [
        str(ROOT / "players"),
        os.environ.get("PYTHONPATH", ""),
    ]  # the player that lies there, whatever is installed
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    running = subprocess.Popen(called, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env)
    assert running.stdout is not None
    stop = threading.Timer(60 * minutes, running.send_signal, [signal.SIGINT])
    if minutes:
        stop.start()
    printed = running.stdout.read()
    _, status, used = os.wait4(running.pid, 0)
    stop.cancel()
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode not in (0, STOPPED):
        raise SystemExit(f"{one.command} failed.")
    spent = used.ru_utime + used.ru_stime
    found = printed.splitlines() if one.kind == "text" else json.loads(printed or "{}")
    if one.kind != "text" and (found.get("aivat", {}) if one.kind == "match" else found).get("mean") is None:
        return None  # stopped before it had begun
    return {
        **one.of(player), "cpu_seconds": None if begun else round(spent, 1), "finished": running.returncode == 0, "found": found,
    }  # fmt: skip


def figure(one: Measure, found: dict[str, Any]) -> str:
    """Return a figure in words: its mean, and half of its 95% interval or, of AIVAT's, which is not symmetric, both ends; mbb/g."""
    if one.kind == "match":
        mean, low, high = (found["aivat"][name] for name in ("mean", "low", "high"))
        return f"{mean:+,.0f} ({low:+,.0f} to {high:+,.0f}) | {found['hands']:,} hands"
    if one.kind == "river" and not found["reached"]:
        return f"says nothing | {found['hands']} hands, none came there"
    if one.kind == "river":
        between = "no interval" if found["low"] is None else f"{found['low']:+,.0f} to {found['high']:+,.0f}"
        above = f", by the rivers that chose {found['upper_estimate']:+,.0f}" if "upper_estimate" in found else ""
        count = f"{found['hands']} hands, {found['reached']} came there"
        count += f", promised {found['promised']:+,.0f}" if "promised" in found else ""
        return f"{found['mean']:+,.0f} ({between}){above} | {count}"
    mean, half = found["mean"], found["half_width"]
    return (
        f"{mean:+,.0f}{f' ± {half:,.0f}' if half is not None else ' (one has no interval)'} | {found['boards']} boards"
    )


def seconds(spent: float | None) -> str:
    """Return what a measure took, where it was done in one go."""
    return "-" if spent is None else f"{spent:,.0f}"


def report(known: dict[str, Any]) -> str:
    """Return the page."""
    card, player = read_json(CARD), decides()
    lines = [
        "# The no-limit player of the box", "",
        "`nolimit_resolving` as it ships (`players/`), in `holdem` (heads-up, 100 big blinds), all iterations of a decision "
        "(`seconds=0`), one thread. mbb/g is thousandths of a big blind a hand, ± half a 95% interval over boards, in brackets one "
        "over hands, which is not symmetric. A local "
        "best response (LBR) and a best response from the river or the turn are lower bounds on what a perfect opponent wins; LBR "
        "below 0 proves nothing. From the turn answers are chosen by seven eighths of the rivers that are drawn and scored by "
        "the others; by the rivers that chose them is too high in the mean. *Promised* is what the player had promised its opponent when the street began.", "",
        "Written by `python experiments/no_limit_player/run.py`; what a measure took is CPU seconds of a shared core. All of it was "
        f"measured with the network and the table that lie in the box, `files` {card['files'][:8]} of the player's card.", "",
        "## Strength", "", "| measure | mbb/g | of | CPU s |", "|---|---|---|---|",
    ]  # fmt: skip
    there = [one for one in MEASURES if one.there(known, player)]
    texts, there = [one for one in there if one.kind == "text"], [one for one in there if one.kind != "text"]
    lines += [
        f"| {one.words} | {figure(one, known[one.name]['found'])} | {seconds(known[one.name]['cpu_seconds'])} |"
        for one in there
    ]
    missing = [one.words for one in MEASURES if one not in there + texts]
    lines += ["", *([f"Not measured yet: {'; '.join(missing)}.", ""] if missing else [])]
    lines += ["By these commands:", "", "```sh", *(one.command for one in there), "```", ""]
    for one in texts:
        lines += [f"## {one.words.capitalize()}", "", f"`{one.command}` on a shared core:", "", "```text"]
        lines += [*known[one.name]["found"], "```", ""]
    lines += [
        "## The network", "",
        "Huber per player on boards that neither taught a network nor chose its epoch, by seed of the training (`cardai evaluate values`, of the "
        "ranges of self-play and the random ones as below), and on the boards that chose the epoch:", "",
        "| seed | all | self-play | random | chose the epoch |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for seed, kinds in card["test_huber"].items():
        figures = [
            f"{kinds[kind]['mean']:.4f} ± {kinds[kind]['half_width']:.4f} ({kinds[kind]['situations']})"
            for kind in ("all", "self_play", "random")
        ]
        lines.append(f"| {seed} | {' | '.join(figures)} | {card['validation_huber'][seed]:.4f} |")
    without = next(iter(card["test_huber"].values()))["checked_down"]
    lines.append(
        f"| no network: every hand as if nobody bet any more | {without['mean']:.4f} ± {without['half_width']:.4f} ({without['situations']}) | | | |"
    )
    lines += ["", f"Seed {card['seed']}, the best by the boards that chose the epoch, is in the box."]
    lines += ["", "```sh", *card["before"], card["command"], "```", ""]
    lines += [f"{card['cpu_seconds']:,.0f} CPU seconds in all; `python players/no_limit.py make` does it again.", ""]
    extra = HERE / "report" / "notes.md"
    lines += [extra.read_text(encoding="utf-8").strip(), ""] if extra.exists() else []
    return "\n".join(lines)


def main() -> None:
    """Measure what is asked for, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--work", type=Path, default=Path("runs/no_limit_player"))
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time; what is found is the same")
    parser.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="the longest that a measure takes; what it has done counts, and the next call goes on",
    )
    given = parser.parse_args()
    names = [name for name in given.only.split(",") if name]
    if odd := sorted(set(names) - {one.name for one in MEASURES}):
        parser.error(f"There is no measure {odd[0]!r}. Known: {', '.join(one.name for one in MEASURES)}.")
    known: dict[str, Any] = {}
    if MEASURED.exists():
        try:
            known = read_json(MEASURED)
        except DamagedFileError as error:
            parser.error(str(error))
    player = decides()
    known = {one.name: known[one.name] for one in MEASURES if one.there(known, player)}  # of this very player
    asked = [
        one
        for one in MEASURES
        if not given.report
        and (not names or one.name in names)
        and not (one.there(known, player) and known[one.name].get("finished", True))
    ]
    for one in asked:
        sys.stdout.write(f"{one.command}\n")
        sys.stdout.flush()
        found = measured(one, given.work, player, given.jobs, given.minutes)
        if found is not None:
            known[one.name] = found
            write_json(MEASURED, known)
    write_atomically(REPORT, report(known).encode())


if __name__ == "__main__":
    main()
