"""Make the no-limit player of the box, by commands that anybody can run, and write its card.

    python players/no_limit.py make          # situations, three networks, play before the flop; takes up what is there
    python players/no_limit.py pack          # the best network (on situations held out) and the table, into the package
    python players/no_limit.py measure       # its strength as it ships, into the card
    python players/no_limit.py table         # flops, three networks of them, and a table before the flop solved behind the best

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
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from attrs import fields

from cardai.core.files import digest_of, read_json, write_json
from cardai.plugins.agents.resolving import Resolving
from cardai.poker.ranges.cfr import Measured
from cardai.poker.resolving import games
from cardai.poker.resolving.box import PREFLOP, VALUES
from cardai.poker.resolving.depth_limit import hand_network
from cardai.poker.resolving.preflop import table_of, write_table
from cardai.poker.resolving.preflop_solving import TableRecipe, solve_table
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
DEPTHS = {1000: 800_000, 2000: 1_000_000, 4000: 1_000_000, 10_000: 1_200_000, 20_000: 1_000_000}
"""Iterations by stack, in chips of which a big blind is 100."""
NETWORK = "counterfactual_values:width=32,context=64,batch=10,rate=0.003,anneal={epochs},device=cpu"
EPOCHS = 60
FLOPS = 1200
"""Situations on the flop that are solved, the turn's best network behind them."""
TABLE = {"ladder": (0.5, 1.0, -1.0), "iterations": 400, "flops": 95, "looks": 2}
"""How the table before the flop is solved (:class:`cardai.poker.resolving.preflop_solving.TableRecipe`)."""
TITLE = "No-limit hold'em for two by re-solving, any stacks and any bets"
BOOKING = threading.Lock()
_SHIPPED = f"--game holdem --agent {NAME}:seconds=0,threads=1,kept=300,believed=0.3"
MEASURE = f"cardai evaluate best-response {_SHIPPED} --from river --hands 200 --bets 0.5+1+2+allin"
_HASTY = f"--branches 1 --estimates {_SHIPPED.split()[-1].replace(':', ':level=fair,', 1)}"
OTHERS = {name: name for name in ("always_call", "threshold", "opponent_model")} | {
    f"translated:run=runs/{NAME}/depths/10000": "the blueprint that its table before the flop is of, bets translated",
}
"""Who it plays against: what they are called."""
ALSO = (
    f"cardai evaluate lbr {_SHIPPED} --bets fcpa --rounds 3+4 --boards 100 --branches 1",
    f"cardai evaluate lbr {_SHIPPED} --bets fc --rounds 1+2+3+4 --boards 100 --branches 1",
    f"cardai evaluate lbr {_SHIPPED} --bets 56 --rounds 3+4 --boards 100 {_HASTY}",
    f"cardai evaluate lbr {_SHIPPED} --bets 56 --rounds 2 --boards 200 {_HASTY}",
    *(f"cardai evaluate aivat {_SHIPPED} --vs {other} --hands 200 --seed 7" for other in OTHERS),
)
"""Its other measures, by the commands of experiments/no_limit_player."""
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


def flop_commands(count: int, epochs: int, work: str, turn: str) -> dict[str, str]:
    """Return the commands by what each makes under ``work``, the network ``turn`` behind the flops."""
    deepest, work = max(DEPTHS), shlex.quote(work)
    found = {
        "flop": f"cardai situations {work}/flop --street flop --count {count} --intervals 1+2+3+4 --bets 1+allin/1+allin/allin "
        f"--iterations 160+160+100+60+40 --cards 2 --values {shlex.quote(turn)} --player {work}/depths/{deepest} "
        f"--game acpc_nolimit_2p:stack={deepest},bets=0.5+1+allin --share {SHARE}"
    }
    for seed in SEEDS:
        found[f"flop_{seed}"] = (
            f"cardai train --trainer {NETWORK.format(epochs=epochs)} --set situations={work}/flop --game acpc_nolimit_2p --steps {epochs} "
            f"--seed {seed} --out {work}/flop_{seed}"
        )
    return found


def table(given: argparse.Namespace) -> None:
    """Solve flops with the box's network of the turn behind them, train networks of the flop, and solve play before the flop behind the
    best of them (on situations held out); takes up what is there."""
    lines = flop_commands(given.flops, given.epochs, str(given.work), str(FOLDER / VALUES))
    for what, command in lines.items():
        made(given.work, what, command)
    known = losses(given.work, "flop")
    best = min(known, key=lambda seed: known[seed])
    network = hand_network(str(given.work / f"flop_{best}"), "flop")
    recipe = TableRecipe(network=network.digest, **TABLE)
    begun = time.process_time()

    def said(depth: int, found: Measured) -> None:
        say(f"{depth} big blinds: {10 * found.exploitability:.1f} mbb/g from equilibrium by what the network says")

    solve_table(given.work / "table", network, recipe, [stack // 100 for stack in DEPTHS], said)
    book(given.work, "table", time.process_time() - begun)


def make(given: argparse.Namespace) -> None:
    """Run what has not been run to its end: who plays for ranges, the situations, then so many trainings at a time as there are jobs."""
    given.work.mkdir(parents=True, exist_ok=True)
    lines = commands(given.count, given.epochs, str(given.work))
    jobs = f"--jobs {given.jobs}" if given.jobs > 1 else f"--device {given.device}"
    first = f"depths/{max(DEPTHS)}"
    made(given.work, first, lines.pop(first))
    made(given.work, "turn", f"{lines.pop('turn')} {jobs}")
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
    known = losses(given.work)
    if not known:
        raise SystemExit(f"{given.work} has no network: python players/no_limit.py make --work {given.work}")
    best = min(known, key=lambda seed: known[seed])
    for what in (*(f"depths/{stack}" for stack in DEPTHS), *(f"network_{seed}" for seed in known)):
        if not trained(given.work / what):  # a card tells the commands that make a player to their end
            raise SystemExit(f"{what} has not come to its end: python players/no_limit.py make --work {given.work}")
    epochs = Run.open(given.work / f"network_{best}").steps_wanted
    write_plain(plain(load_run(given.work / f"network_{best}")), FOLDER / VALUES)
    (FOLDER / PREFLOP).mkdir(exist_ok=True)
    write_table(table_of([given.work / "depths" / str(stack) for stack in DEPTHS]), FOLDER / PREFLOP)
    count = len(read_json(given.work / "turn" / "situations.json")["shards"]) * 10
    lines = commands(count, epochs, WORK)
    seconds = read_json(given.work / "seconds.json")
    old = read_json(FOLDER / "card.json")
    measured = ("figure", "strength", "also")
    known_as = {"figure": 0.0, "strength": "not measured yet"}
    if (old.get("files"), old.get("measure")) == (content(FOLDER), MEASURE):
        known_as = {key: old[key] for key in measured if key in old}
    card = {
        "name": NAME, "title": TITLE, "game": "holdem", "games": ["acpc_nolimit_2p", "holdem", "holdem_nolimit"],
        "before": [line for what, line in lines.items() if not what.startswith("network")],
        "command": lines[f"network_{best}"], "seed": best, "cpu_seconds": round(sum(seconds.values()), 1),
        "validation_huber": {str(seed): loss for seed, loss in known.items()},
        "test_huber": {str(seed): tested(given.work / f"network_{seed}") for seed in known},
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
    found = []
    for command in (MEASURE, *ALSO):
        if command in there:
            found.append(there[command])
            continue
        kept = given.work / f"{digest_of(command)[:8]}-{card['files'][:8]}.npz"
        found.append(json.loads(called(command, "--out", str(kept), "--json")))
    strength(card, found)


def strength(card: dict[str, Any], found: Sequence[dict[str, Any]]) -> None:
    """Write a measured strength into the card, by what MEASURE and ALSO print as JSON."""
    words = (
        "a best response from the river wins {} ({hands} hands, {reached} came there)",
        "a local best response with fcpa on turn and river wins {} over {boards} boards (always folding loses 750)",
        "a local best response that folds or calls on all rounds wins {} over {boards} boards (always folding loses 250)",
        "a local best response with 56 bets on turn and river, weighed by the answers of its level fair, wins {} over {boards} boards "
        "(always folding loses 750)",
        "a local best response with 56 bets on the flop, then fold or call, weighed by the answers of its level fair, wins {} over "
        "{boards} boards (always folding loses 750)",
        *(
            f"with the luck taken out (AIVAT) it wins {{}} from {called} over {{hands}} hands"
            for called in OTHERS.values()
        ),
    )
    told = []
    for command, one, text in zip((MEASURE, *ALSO), found, words, strict=True):
        figure = one.get("aivat", one)
        said = text.format(f"{figure['mean']:+,.0f} {between(figure)} mbb/g", **one)
        told.append({"measure": command, "figure": figure["mean"], "strength": said})
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
    parser.add_argument("step", choices=("make", "pack", "measure", "table"))
    parser.add_argument("--work", type=Path, default=Path(WORK))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--flops", type=int, default=FLOPS)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--jobs", type=int, default=1, help="processes: for the situations, then for the trainings")
    parser.add_argument("--device", default="cpu", help="what solves the situations with one job: cpu, cuda")
    parser.add_argument("--print", action="store_true", dest="shown")
    given = parser.parse_args()
    if given.shown:
        say("\n".join([*commands(given.count, given.epochs, str(given.work)).values(), MEASURE, *ALSO]))
        return
    {"make": make, "pack": pack, "measure": measure, "table": table}[given.step](given)


if __name__ == "__main__":
    main()
