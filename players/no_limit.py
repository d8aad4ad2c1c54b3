"""Make the no-limit player of the box, by commands that anybody can run, and write its card.

    python players/no_limit.py make          # turns, three networks of them, flops behind the best, three networks of them, and
                                             # play before the flop behind the best of those; takes up what is there
    python players/no_limit.py pack          # the best network of the turn (on situations held out) and the table, into the package
    python players/no_limit.py measure       # its strength as it ships, into the card

Everything is kept under ``--work``. ``--print`` shows the commands alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from attrs import fields

from cardai.core.files import digest_of, read_json, write_json
from cardai.plugins.agents.resolving import Resolving
from cardai.poker.resolving import games
from cardai.poker.resolving.box import PREFLOP, VALUES
from cardai.poker.resolving.preflop import read_table, write_table
from cardai.poker.values.network import latest_checkpoint, load_run
from cardai.poker.values.plain_network import plain, write_plain
from cardai.training.runs import Run
from cardai.ui.box import content

NAME = "nolimit_resolving"
HERE = Path(__file__).resolve().parent
FOLDER = HERE / "cardai_players" / NAME
WORK = f"runs/{NAME}"
COUNT = 2000
"""Situations that are solved; more make it stronger."""
SHARE = 0.5
"""Of how many of them the ranges are of self-play, by the table of the deepest stacks; of the others they are random."""
SEEDS = (0, 1, 2)
DEPTHS = {10_000: 1_200_000, 20_000: 1_000_000}
"""Iterations of blueprints by stack, in chips of which a big blind is 100: the deepest one's self-play has the ranges of situations, and the
other is who the player is measured against."""
NETWORK = "counterfactual_values:width=32,context=64,batch=10,rate=0.003,anneal={epochs},device=cpu"
EPOCHS = 60
FLOPS = 800
"""Situations on the flop that are solved, the best network of the turn behind them."""
TABLE = "--depths 10+20+40+100+200 --bets 0.5+1+allin --iterations 400 --flops 95"
"""How play before the flop is solved, the best network of the flop behind it."""
TITLE = "No-limit hold'em for two by re-solving, any stacks and any bets"
BOOKING = threading.Lock()
_SHIPPED = f"--game holdem --agent {NAME}:seconds=0,threads=1,kept=300,believed=0.3"
MEASURE = f"cardai evaluate best-response {_SHIPPED} --from river --hands 800 --bets 0.5+1+2+allin"
_HASTY = f"--branches 1 --estimates {_SHIPPED.split()[-1].replace(':', ':level=fair,', 1)}"
OTHERS = {name: name for name in ("always_call", "threshold", "opponent_model")} | {
    f"translated:run=runs/{NAME}/depths/10000": "a blueprint on a ladder of bets, which are translated",
}
"""Who it plays against: what they are called."""
DEALT = 2000
"""Hands against them."""
ALSO = (
    f"cardai evaluate lbr {_SHIPPED} --bets fcpa --rounds 3+4 --boards 100 --branches 1",
    f"cardai evaluate lbr {_SHIPPED} --bets fc --rounds 1+2+3+4 --boards 100 --branches 1",
    f"cardai evaluate lbr {_SHIPPED} --bets 56 --rounds 3+4 --boards 100 {_HASTY}",
    f"cardai evaluate lbr {_SHIPPED} --bets 56 --rounds 2 --boards 200 {_HASTY}",
    *(f"cardai evaluate aivat {_SHIPPED} --vs {other} --hands {DEALT} --seed 7" for other in OTHERS),
)
"""Its other measures, by the commands of experiments/no_limit_player."""
WORDS = (
    "a best response from the river wins {} ({hands} hands, {reached} came there)",
    "a local best response with fcpa on turn and river wins {} over {boards} boards (always folding loses 750)",
    "a local best response that folds or calls on all rounds wins {} over {boards} boards (always folding loses 250)",
    "a local best response with 56 bets on turn and river, weighed by the answers of its level fair, wins {} over {boards} boards "
    "(always folding loses 750)",
    "a local best response with 56 bets on the flop, then fold or call, weighed by the answers of its level fair, wins {} over "
    "{boards} boards (always folding loses 750)",
    *(
        f"with the luck taken out (AIVAT) it wins {{}} from {called} over {{hands:,}} hands"
        for called in OTHERS.values()
    ),
)
"""What the measures are called on the card, the first MEASURE and then ALSO."""
MEASURED = HERE.parent / "experiments" / "no_limit_player" / "report" / "measured.json"
"""What they found there; it is not measured twice."""


def commands(count: int, epochs: int, work: str) -> dict[str, str]:
    """Return the commands by what each makes under ``work``."""
    work = shlex.quote(work)
    tables = {
        f"depths/{stack}": "cardai train --trainer bucket_mccfr:flop=150,turn=150,river=150 "
        f"--game acpc_nolimit_2p:stack={stack},bets=0.5+1+allin --steps {steps} --seed 0 --out {work}/depths/{stack}"
        for stack, steps in DEPTHS.items()
    }
    deepest = max(DEPTHS)
    found = {f"depths/{deepest}": tables.pop(f"depths/{deepest}")}
    found["turn"] = (
        f"cardai situations {work}/turn --street turn --count {count} --intervals 1+2+3+4 --bets 1+allin/1+allin/allin "
        f"--iterations 200+120+80+60+40 --player {work}/depths/{deepest} --game acpc_nolimit_2p:stack={deepest},bets=0.5+1+allin "
        f"--share {SHARE}"
    )
    for seed in SEEDS:
        found[f"network_{seed}"] = (
            f"cardai train --trainer {NETWORK.format(epochs=epochs)} --set situations={work}/turn --game acpc_nolimit_2p --steps {epochs} "
            f"--seed {seed} --out {work}/network_{seed}"
        )
    return found | tables


def flop_commands(count: int, epochs: int, work: str, best: int) -> dict[str, str]:
    """Return the commands by what each makes under ``work``, behind the turn's network of seed ``best``."""
    deepest, work = max(DEPTHS), shlex.quote(work)
    found = {
        "flop": f"cardai situations {work}/flop --street flop --count {count} --intervals 1+2+3+4 --bets 1+allin/1+allin/allin "
        f"--iterations 160+160+100+60+40 --cards 2 --values {work}/network_{best} --player {work}/depths/{deepest} "
        f"--game acpc_nolimit_2p:stack={deepest},bets=0.5+1+allin --share {SHARE}"
    }
    for seed in SEEDS:
        found[f"flop_{seed}"] = (
            f"cardai train --trainer {NETWORK.format(epochs=epochs)} --set situations={work}/flop --game acpc_nolimit_2p --steps {epochs} "
            f"--seed {seed} --out {work}/flop_{seed}"
        )
    return found


def table_command(work: str, best: int) -> str:
    """Return the command that solves play before the flop behind the flop's network of seed ``best``."""
    work = shlex.quote(work)
    return f"cardai preflop {work}/table --values {work}/flop_{best} {TABLE}"


def best_of(known: dict[int, float]) -> int:
    """Return the seed whose network is best on the situations that chose its epoch."""
    return min(known, key=lambda seed: known[seed])


def make(given: argparse.Namespace) -> None:
    """Run what has not been run to its end: who plays for ranges, then street by street from the turn upwards the situations and so many
    trainings at a time as there are jobs, then the table."""
    given.work.mkdir(parents=True, exist_ok=True)
    work, lines = str(given.work), commands(given.count, given.epochs, str(given.work))
    jobs = f"--jobs {given.jobs}" if given.jobs > 1 else ""
    first = f"depths/{max(DEPTHS)}"
    made(given.work, first, lines.pop(first))
    made(given.work, "turn", f"{lines.pop('turn')} {jobs or f'--device {given.device}'}")
    at_once(given, lines)
    lines = flop_commands(given.flops, given.epochs, work, best_of(losses(given.work)))
    made(given.work, "flop", f"{lines.pop('flop')} {jobs}".strip())
    at_once(given, lines)
    made(given.work, "table", table_command(work, best_of(losses(given.work, "flop"))))


def at_once(given: argparse.Namespace, lines: dict[str, str]) -> None:
    """Run commands, as many at a time as there are jobs."""
    pool = ThreadPoolExecutor(given.jobs)
    try:
        for one in [pool.submit(made, given.work, what, command) for what, command in lines.items()]:
            one.result()
    finally:
        pool.shutdown(cancel_futures=True)


def made(work: Path, what: str, command: str) -> None:
    """Run a command of cardai's, or go on with the run that it began, and book its CPU seconds."""
    there = work / what
    if trained(there):
        say(f"there: {what}")
        return
    if (there / "run.json").exists():
        command = f"cardai train --resume {shlex.quote(str(there))}"
    say(command)
    begun = subprocess.Popen(shown_as(command), stdout=subprocess.DEVNULL, env=environment())
    _, status, used = os.wait4(begun.pid, 0)
    begun.returncode = os.waitstatus_to_exitcode(status)
    book(work, what, used.ru_utime + used.ru_stime)  # what was stopped half way has taken its time too
    if begun.returncode:
        raise SystemExit(f"{command} failed.")


def trained(path: Path) -> bool:
    """Whether there is a run that has come to the steps that it was begun for."""
    if not (path / "run.json").exists():
        return False
    run = Run.open(path)
    checkpoint, _ = run.latest()
    return checkpoint is not None and checkpoint.step >= run.steps_wanted


def say(words: str) -> None:
    """Print a line at once."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def book(work: Path, what: str, seconds: float) -> None:
    """Add CPU seconds to what something has taken."""
    file = work / "seconds.json"
    with BOOKING:
        known = read_json(file) if file.exists() else {}
        write_json(file, {**known, what: round(known.get(what, 0.0) + seconds, 1)})


def shown_as(command: str) -> list[str]:
    """Return the words that start a command of cardai's."""
    return [sys.executable, "-m", "cardai", *shlex.split(command)[1:]]


def environment() -> dict[str, str]:
    """Return the environment in which the player is the one that lies here, whatever is installed."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}


def called(command: str, *more: str) -> str:
    """Run a command of cardai's, and return what it prints."""
    words = [*shown_as(command), *more]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False, env=environment())
    if done.returncode:
        raise SystemExit(f"{command} failed.")
    return done.stdout


def losses(work: Path, of: str = "network") -> dict[int, float]:
    """Return the loss of each seed's network on the situations by which its epoch was chosen, Huber per player."""
    found = {}
    for seed in SEEDS:
        if (work / f"{of}_{seed}" / "run.json").exists():
            state = read_json(latest_checkpoint(work / f"{of}_{seed}")[1] / "state.json")
            found[seed] = float(state["best_loss"])
    return found


def tested(run: Path) -> dict[str, dict[str, float]]:
    """Return the loss of a network on boards that neither taught it nor chose its epoch, Huber per player: of all ranges, by kind,
    and without a network."""
    found = json.loads(called(f"cardai evaluate values {shlex.quote(str(run))}", "--json"))
    kinds = {"all": found, **{name: found[name] for name in ("random", "self_play", "checked_down") if name in found}}
    return {
        name: {"situations": one["situations"], **{k: one["huber_player"][k] for k in ("mean", "half_width")}}
        for name, one in kinds.items()
    }


def pack(given: argparse.Namespace) -> None:
    """Put the network and the table into the package, and write the card; a strength stays that was measured with both."""
    known, flops = losses(given.work), losses(given.work, "flop")
    if not known or not flops:
        raise SystemExit(f"{given.work} has no networks: python players/no_limit.py make --work {given.work}")
    best, best_flop = best_of(known), best_of(flops)
    runs = [f"depths/{stack}" for stack in DEPTHS] + [f"{of}_{seed}" for of in ("network", "flop") for seed in SEEDS]
    for what in runs:
        if not trained(given.work / what):  # a card tells the commands that make a player to their end
            raise SystemExit(f"{what} has not come to its end: python players/no_limit.py make --work {given.work}")
    table = read_table(given.work / "table")
    if f"--depths {'+'.join(map(str, table.depths))} " not in TABLE:
        raise SystemExit(f"table has not come to its end: python players/no_limit.py make --work {given.work}")
    epochs = Run.open(given.work / f"network_{best}").steps_wanted
    write_plain(plain(load_run(given.work / f"network_{best}")), FOLDER / VALUES)
    (FOLDER / PREFLOP).mkdir(exist_ok=True)
    write_table(table, FOLDER / PREFLOP)
    counts = {of: len(read_json(given.work / of / "situations.json")["shards"]) * 10 for of in ("turn", "flop")}
    lines = commands(counts["turn"], epochs, WORK) | flop_commands(counts["flop"], epochs, WORK, best)
    before = [f"depths/{max(DEPTHS)}", "turn", f"network_{best}", "flop", f"flop_{best_flop}"]
    seconds = read_json(given.work / "seconds.json")
    old = read_json(FOLDER / "card.json")
    measured = ("figure", "strength", "also")
    known_as = {"figure": 0.0, "strength": "not measured yet"}
    if (old.get("files"), old.get("measure")) == (content(FOLDER), MEASURE):
        known_as = {key: old[key] for key in measured if key in old}
    card = {
        "name": NAME, "title": TITLE, "game": "holdem", "games": ["acpc_nolimit_2p", "holdem", "holdem_nolimit"],
        "before": [lines[what] for what in before], "command": table_command(WORK, best_flop), "seed": best, "cpu_seconds": round(sum(seconds.values()), 1),
        "validation_huber": {str(seed): loss for seed, loss in known.items()},
        "test_huber": {str(seed): tested(given.work / f"network_{seed}") for seed in known},
        "flop_validation_huber": {str(seed): loss for seed, loss in flops.items()},
        "flop_test_huber": {str(seed): tested(given.work / f"flop_{seed}") for seed in flops},
        "files": content(FOLDER), "measure": MEASURE, **known_as,
    }  # fmt: skip
    finish(card)


def decides() -> str:
    """Return a hash of all that decides how the player plays at its full strength: its files, what no option in a measure's
    command says, and which of its ways to play the code has (``games.PLAYS``)."""
    sys.path.insert(0, str(HERE))
    from cardai_players.nolimit_resolving import LEVELS, Player

    defaults = [(one.name, str(one.default)) for kind in (Player, Resolving) for one in fields(kind)]
    settings = (
        games.BETS,
        games.AHEAD,
        games.ITERATIONS,
        games.WITH_VALUES,
        games.DISCOUNTS,
        LEVELS["full"],
        games.PLAYS,
    )
    return digest_of([read_json(FOLDER / "card.json")["files"], *settings, defaults])


def decides_in(command: str, player: str) -> str:
    """Return the hash of who plays in a ``command``: the ``player``'s own (:func:`decides`) and what the levels change that are named."""
    from cardai_players.nolimit_resolving import LEVELS

    changes = {level: LEVELS[level] for level in re.findall(r"level=(\w+)", command)}
    return digest_of([player, changes]) if changes else player


def measure(given: argparse.Namespace) -> None:
    """Measure the player, and write its strength. The package must be installed, for its name to be known."""
    card = read_json(FOLDER / "card.json")
    player = decides()
    there = {
        one["command"]: one["found"]
        for one in read_json(MEASURED).values()
        if one.get("player") == decides_in(one["command"], player)
    }
    found = {}
    for command in (MEASURE, *ALSO):
        if command in there or given.known:
            found |= {command: there[command]} if command in there else {}
            continue
        kept = given.work / f"{digest_of(command)[:8]}-{card['files'][:8]}.npz"
        found[command] = json.loads(called(command, "--out", str(kept), "--json"))
    strength(card, found)


def strength(card: dict[str, Any], found: dict[str, dict[str, Any]]) -> None:
    """Write a measured strength into the card, by what commands of MEASURE and ALSO print as JSON."""
    told = []
    for command, text in zip((MEASURE, *ALSO), WORDS, strict=True):
        if command in found:
            one = found[command]
            figure = one.get("aivat", one)
            said = text.format(f"{figure['mean']:+,.0f} {between(figure)} mbb/g", **one)
            told.append({"measure": command, "figure": figure["mean"], "strength": said})
    if not told:
        raise SystemExit("Nothing has been measured of the player as it is.")
    card.update(told[0], also=told[1:])
    finish(card)


def between(one: dict[str, Any]) -> str:
    """Return the interval of a measure, as it prints it."""
    if one.get("half_width", one.get("low")) is None:
        return "(no interval)"
    if "half_width" in one:
        return f"± {one['half_width']:,.0f}"
    return f"({one['low']:+,.0f} to {one['high']:+,.0f})"


def finish(card: dict[str, Any]) -> None:
    """Write the card, the first line of the player's module, and what lists all cards."""
    write_json(FOLDER / "card.json", card)
    module = FOLDER / "__init__.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(re.sub(r'\A"""[^\n]*"""', lambda _: f'"""{card["title"]}: {card["strength"]}."""', text), "utf-8")
    sys.path.insert(0, str(HERE))
    from box import list_all

    list_all()


def main() -> None:
    """Do one step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("make", "pack", "measure"))
    parser.add_argument("--work", type=Path, default=Path(WORK))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--flops", type=int, default=FLOPS)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--jobs", type=int, default=1, help="processes: for the situations, then for the trainings")
    parser.add_argument("--device", default="cpu", help="what solves the situations with one job: cpu, cuda")
    parser.add_argument(
        "--known",
        action="store_true",
        help="measure: write what experiments/no_limit_player has found, measure nothing",
    )
    parser.add_argument("--print", action="store_true", dest="shown")
    given = parser.parse_args()
    if given.shown:
        work = str(given.work)
        lines = commands(given.count, given.epochs, work) | flop_commands(given.flops, given.epochs, work, SEEDS[0])
        say("\n".join([*lines.values(), table_command(work, SEEDS[0]), MEASURE, *ALSO]))
        return
    {"make": make, "pack": pack, "measure": measure}[given.step](given)


if __name__ == "__main__":
    main()
