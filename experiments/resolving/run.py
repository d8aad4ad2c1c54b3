"""DeepStack's re-solving, measured: Leduc exactly, hold'em by play, local best response, and the time of a decision.

One command, resumable: what has been trained is kept in ``--runs``, what has been measured in the report's ``measured.json``.

    python experiments/resolving/run.py --only leduc        # the table of Leduc
    python experiments/resolving/run.py --only times        # seconds a decision, by round
    python experiments/resolving/run.py --only picture      # a hand step by step
    python experiments/resolving/run.py --only matches,lbr,response --hands 400
    ... --blueprint runs/limit --ladder runs/ladder --values runs/turn      # with blueprints and a network:
    cardai train --trainer bucket_mccfr:flop=500,turn=500,river=500 --game acpc_limit_2p --steps 12900000 --out runs/limit
    cardai train --trainer bucket_mccfr --game acpc_nolimit_2p:bets=pot+allin --minutes 8 --steps 100000000 --out runs/ladder
    cardai situations data/turn --street turn --seed 1 --iterations 200+120+80+50+30 --intervals 1+2+3+4 --bets 1+allin/1+allin/allin --count 3000
    cardai train --trainer counterfactual_values:anneal=60,batch=20 --set situations=data/turn --game acpc_nolimit_2p --steps 60 --out runs/turn
    python experiments/resolving/run.py --report            # only write report.md from what there is

Exploitability in Leduc is printed in two units: chips a dealt hand, and the unit of DeepStack's release, in which hands are
dealt without regard to each other's cards and pairs of one card twice count nothing: 5/6 of the other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cardai
from cardai.core.errors import CardaiError, UsageError
from cardai.core.files import write_json
from cardai.core.rng import Rows
from cardai.core.spec import parse, write_value
from cardai.poker.values.recipe import PER_SHARD, Recipe
from cardai.poker.values.situation_set import produce
from cardai.solve.measures import measure
from cardai.training.runs import Run
from cardai.training.session import Session

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import tree_cfr  # noqa: E402
from resolving_matches import SETTINGS, STREETS, Series, late_hands, match_deals, response_boards  # noqa: E402

REPORT = HERE / "report"
MEASURED = REPORT / "measured.json"
LEDUC, VALUES = "leduc_deepstack", "resolving:values="
RELEASE = "leduc_values_release:batch=500,drop=0,rate=0.002"
OURS, SEEDS = ("leduc_values:anneal=56", 56, 80_000), (0, 1, 2, 3, 4)
"""Our network of Leduc, and the seeds from which it is trained."""
NETWORKS = {
    "ours": OURS,
    **{f"ours_{seed}": OURS for seed in SEEDS[1:]},
    "more": ("leduc_values:batch=500", 60, 200_000),
    "release": (f"{RELEASE},anneal=200", 200, 200_000),
    "release_more": (f"{RELEASE},anneal=400", 400, 400_000),
    "release_few": ("leduc_values_release:anneal=150,drop=0", 150, 50_000),
    "poor": ("leduc_values:batch=100,anneal=15", 15, 1000),
}
"""Trainer, epochs, and how many situations it learns from. Ours, from few and from many; DeepStack's layers, over situations that
can come (its own were of any pot, and of ranges that tell suits apart); ours from very few."""
SITUATIONS = Recipe("second", 0, (2000,) * 5, game="leduc_deepstack", per_shard=PER_SHARD["second"])
OPPONENTS = ("always_call", "threshold")
PARTS = ("leduc", "times", "picture", "matches", "lbr", "response")
KEPT = 300
"""Decisions that are remembered while a board is walked: the settings of LBR share its flop and its turn."""
HASTY = {"iterations": "10", "bets": "1+allin"}
"""How the answers to bets are estimated that LBR only considers, where there are 53."""


def leduc_rows(runs: Path) -> dict[str, tuple[str, str]]:
    """Return what is measured in Leduc: name -> (agent, what was published in the release's unit)."""
    by = {name: f"{VALUES}{runs / name}" for name in NETWORKS}
    theirs = "solver=rm_plus,iterations=1000,skip=500"
    return {
        "uniform": ("random", "175.521 (reproduced elsewhere)"),
        "tree CFR, RM+ 1,000 iterations, first 500 skipped": ("TREE", "1.068 (reproduced elsewhere)"),
        "re-solving, solved to the end": ("resolving", ""),
        "the same, 200 iterations": ("resolving:iterations=200", ""),
        "the same, unsafe": ("resolving:gadget=false", ""),
        "our network": (by["ours"], ""),
        **{f"our network, seed {seed}": (by[f"ours_{seed}"], "") for seed in SEEDS[1:]},
        "our network, 200 iterations": (f"{by['ours']},iterations=200", ""),
        "our network, 3,000 iterations": (f"{by['ours']},iterations=3000", ""),
        "our network, unsafe": (f"{by['ours']},gadget=false", ""),
        "our network, from more situations": (by["more"], ""),
        "DeepStack's network and solver, 200,000 situations": (f"{by['release']},{theirs}", "1.37"),
        "DeepStack's network and solver, 400,000 situations": (f"{by['release_more']},{theirs}", "1.37"),
        "DeepStack's network and solver, 50,000 situations": (f"{by['release_few']},{theirs}", ""),
        "a network that saw 1,000 situations": (by["poor"], ""),
    }


class Measured:
    """What has been measured, in a file that grows."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}

    def get(self, key: str, work: Callable[[], Any]) -> Any:
        """Return what ``key`` is known to be, or find out and keep it."""
        if key not in self.known:
            print(f"{key} ...", file=sys.stderr, flush=True)
            self.known[key] = work()
            write_json(MEASURED, self.known)
        return self.known[key]


def finished(runs: Path, name: str) -> bool:
    """Say whether a network has been trained to its end."""
    path = runs / name
    return (path / "run.json").is_file() and NETWORKS[name][1] in Run.open(path).steps()


def train(runs: Path, name: str) -> None:
    """Train a network of Leduc's values, or go on with it."""
    spec, steps, solves = NETWORKS[name]
    path = runs / name
    made = produce(runs / "situations", SITUATIONS, solves * 3 // 2)  # of which four fifths are learned from
    spec = with_options(spec, situations=str(made.directory), solves=str(solves))
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        seed = int(name.removeprefix("ours_")) if name.startswith("ours_") else 0
        session = Session.start(Run.create(path, spec, LEDUC, None, seed, steps, sys.argv))
    if session.training.step < steps:
        session.train(steps)


def leduc(runs: Path, measured: Measured, trained: bool) -> None:
    """Measure everything of Leduc's table; ``trained``: only with networks whose training is finished."""
    game = cardai.game(LEDUC)
    for label, (agent, _) in leduc_rows(runs).items():
        if trained and not all(
            finished(runs, name) for name in NETWORKS if f"{agent},".startswith(f"{VALUES}{runs / name},")
        ):
            continue

        def work(agent: str = agent) -> dict[str, float]:
            for name in NETWORKS:
                if f"{agent},".startswith(f"{VALUES}{runs / name},"):
                    train(runs, name)
            began = time.process_time()
            if agent == "TREE":
                player = cardai.train("cfr:variant=cfr,beta=-inf,gamma=0,delay=500,updates=simultaneous", LEDUC, steps=1000,
                                      out=runs / "tree").agent()  # fmt: skip
            else:
                player = cardai.agent(agent)
            found = measure(game, player).exploitability
            return {"exploitability": found, "seconds": time.process_time() - began}

        measured.get(f"leduc: {label}", work)
    for label, details in tree_cfr.ROWS.items():
        measured.get(f"tree: {label}", lambda details=details: tree_cfr.exploitability(details))
    for name in NETWORKS:
        path = runs / name
        if path.exists():
            rows = [row for row in Run.open(path).read_metrics() if "validation_huber" in row]
            if rows:
                measured.known[f"loss: {name}"] = {"held out": rows[-1]["validation_huber"], "epochs": rows[-1]["step"]}
    write_json(MEASURED, measured.known)


def times(measured: Measured, asked: argparse.Namespace, hands: int) -> None:
    """Measure the seconds of a decision by round, over hands against itself."""
    sides = [(name, asked.agent, asked.agent) for name in ("acpc_limit_2p", "acpc_nolimit_2p")]
    sides += [(name, said, agent) for said, name, agent, _ in pairings(asked)[:2] if agent != asked.agent]
    for name, said, agent in sides:
        measured.get(f"times: {name}, {said}", lambda name=name, agent=agent: decision_times(name, agent, hands))


def decision_times(name: str, agent: str, hands: int) -> dict[str, Any]:
    """Return CPU and wall seconds of decisions by round; those taken from an earlier solution count too."""
    game = cardai.game(name)
    player = cardai.agent(agent).for_game(game)
    tables, row = game.tables(1), np.zeros(1, np.int64)
    found: dict[str, dict[str, list[float]]] = {k: {} for k in ("cpu", "wall")}
    for hand in range(hands):
        tables.reset(np.array([1000 + hand], np.uint64))
        for number in range(200):
            seat = int(tables.current_players()[0])
            if seat < 0:
                break
            views, legal = tables.views(seat, row), tables.legal(row)
            cpu, wall = time.process_time(), time.perf_counter()
            action = player.act(views, legal, Rows(np.array([200 * hand + number], np.uint64)))
            spent = (time.process_time() - cpu, time.perf_counter() - wall)
            for kind, seconds in zip(("cpu", "wall"), spent, strict=True):
                if hand:  # the first compiles
                    found[kind].setdefault(str(int(views["round"][0])), []).append(seconds)
            tables.apply(row, np.asarray(action, np.int64))
    return {k: {r: [float(np.median(x)), float(np.max(x)), len(x)] for r, x in by.items()} for k, by in found.items()}


def with_options(agent: str, **options: str) -> str:
    """Return a spec with further options, but for empty ones."""
    return str(parse(agent).with_options({name: write_value(value) for name, value in options.items() if value}))


def described(agent: str, network: str, blueprint: str) -> str:
    """Return what a player is called in the report."""
    parts = [part for part, given in (("a network", network), ("a blueprint", blueprint)) if given]
    return agent + (" with " + " and ".join(parts) if parts else "")


def pairings(asked: argparse.Namespace) -> list[tuple[str, str, str, dict[str, str]]]:
    """Return who plays: what the player is called, the game, the player, and its opponents by what they are called."""
    plain = {one: one for one in OPPONENTS}
    limit = with_options(asked.agent, blueprint=asked.blueprint)
    free = with_options(asked.agent, values=asked.values, blueprint=asked.ladder)
    said = described(asked.agent, asked.values, asked.ladder)
    own = {"the blueprint": asked.blueprint} if asked.blueprint else {}
    out = [
        (described(asked.agent, "", asked.blueprint), "acpc_limit_2p", limit, plain | own),
        (said, "acpc_nolimit_2p", free, plain),
    ]
    if asked.ladder:
        out.append((said, Run.open(Path(asked.ladder)).game_spec, free, {"the blueprint": asked.ladder}))
    return out


def played(measured: Measured, asked: argparse.Namespace, parts: list[str]) -> None:
    """Play matches over duplicate deals, boards of local best responses and hands of best responses, one of each in turn."""
    for said, name, agent, opponents in pairings(asked):
        game, deals = cardai.game(name), {}
        if asked.game and parse(name).name != asked.game:
            continue
        ladder = bool(game.ladder)  # type: ignore[attr-defined]
        shown = parse(name).name + (", on its ladder" if ladder else "")
        if "matches" in parts:
            player = cardai.agent(agent).for_game(game)
            for label, opponent in opponents.items():
                deals[f"match: {shown}, {said} against {label}"] = match_deals(game, player, opponent)
        if "response" in parts and not game.amounts and not ladder:
            keeps = cardai.agent(with_options(agent, kept=str(KEPT))).for_game(game)
            for street in STREETS:
                deals[f"response: {street}, {said}"] = late_hands(game, keeps, street)
        if "lbr" in parts and game.amounts:
            keeps = cardai.agent(with_options(agent, kept=str(KEPT))).for_game(game)
            hasty = with_options(parse(asked.agent).name, **HASTY, blueprint=asked.ladder)
            estimates = cardai.agent(hasty).for_game(game)
            for setting in SETTINGS:
                deals[f"lbr: {setting}, {said}"] = response_boards(game, keeps, estimates, setting)
        if "lbr" in parts and ladder:  # on a ladder of pot and all-in both settings are what they are without one
            blueprint = cardai.agent(asked.ladder).for_game(game)
            for setting in list(SETTINGS)[:2]:
                deals[f"lbr: {setting}, its blueprint, on its ladder"] = response_boards(
                    game, blueprint, blueprint, setting
                )
        series = Series(
            asked.runs / "played" / (parse(name).name + ("_ladder" if ladder else "")), asked.hands // 2, asked.minutes
        )
        series.take(deals)
        measured.known.update(series.found(game.big_blind))  # type: ignore[attr-defined]
        write_json(MEASURED, measured.known)


def _parts(text: str) -> list[str]:
    """Return the parts that ``--only`` names."""
    wrong = [part for part in text.split(",") if part not in PARTS]
    if wrong:
        raise argparse.ArgumentTypeError(
            f"there is no part {wrong[0]!r}. Parts are {', '.join(PARTS)}, joined with commas"
        )
    return text.split(",")


def main() -> None:
    """Run what is asked for and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs/resolving"))
    parser.add_argument("--only", type=_parts, default=list(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--agent", default="resolving", help="the player of hold'em")
    parser.add_argument("--blueprint", default="", help="the player of limit hold'em before the flop, a trained run")
    parser.add_argument("--ladder", default="", help="that of no-limit: a run that was trained on a ladder of bets")
    parser.add_argument("--values", default="", help="a network of the turn, for the flop of no-limit")
    parser.add_argument(
        "--game", choices=("acpc_limit_2p", "acpc_nolimit_2p"), help="matches and LBR of this game alone"
    )
    parser.add_argument(
        "--hands", type=int, default=200, help="hands of a match; half as many boards of a setting of LBR"
    )
    parser.add_argument(
        "--minutes", type=float, default=0, help="end matches and LBR of a game after so long (0: never)"
    )
    parser.add_argument(
        "--trained", action="store_true", help="Leduc: train nothing, leave out what is not trained yet"
    )
    parser.add_argument("--report", action="store_true", help="only write the report")
    asked = parser.parse_args()
    REPORT.mkdir(exist_ok=True)
    measured, parts = Measured(), [] if asked.report else asked.only
    if "leduc" in parts:
        leduc(asked.runs, measured, asked.trained)
    if "times" in parts:
        times(measured, asked, 12)
    if "picture" in parts:
        from resolving_picture import draw_hand

        draw_hand(REPORT / "hand.png")
    if {"matches", "lbr", "response"} & set(parts):
        played(measured, asked, parts)
    from resolving_report import write_report

    write_report(REPORT / "report.md", measured.known, leduc_rows(asked.runs))


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.stderr.write(f"run.py: {error}\n")
        sys.exit(2 if isinstance(error, UsageError) else 1)
