"""How far the gin champion's values may be off as a judge: its differences between actions beside hands played out.

    python benchmarks/gin_judge.py --decisions 600 --hands 128
    python benchmarks/gin_judge.py --knocks 300

Decisions are drawn from matches between two players. At each, the judge's best action and another legal one, drawn, are played
out over the same hands: the opponent's cards by the champion's belief, who he is by its styles, both playing on to the
hand's end; what stands then is worth what the table of wins says. The judge's difference less that of the hands played out
has a spread; what the hands' own luck brings to it is taken out. Printed by phase: the means, and 1.96 times the root mean
square of what is left, in % of a match and as a share of the stake, what a hand can mean at the score
(``ValuePlayer.stakes``): the floor below which nothing is called a mistake.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np

from cardai import make
from cardai.arena.statistics import mean
from cardai.arena.table import Table
from cardai.core.fields import unpack_view
from cardai.core.rng import derive
from cardai.gin.actions import ASK_KNOCK, KNOCK, PHASES, SHOW, WALL
from cardai.gin.belief import weights_for
from cardai.gin.search import Rollouts
from cardai.gin.values import ValuePlayer
from cardai.plugins.agents.champion import LEAGUE, values


def drawn_decisions(players: list[str], wanted: int, seed: int):
    """Yield (phase, view (1,), legal (1, A)) of decisions with a choice, one in five of matches between ``players``."""
    rng = np.random.default_rng(seed)
    game, number = make.game("gin"), 0
    while True:
        table = Table(game, [None, None], seed=derive(seed, "match", number))
        bound = [make.agent(player).for_game(game).new_match(seat) for seat, player in enumerate(players)]
        while not table.done:
            if table.hand_over:
                table.next_hand()
                continue
            seat = table.to_act
            views, legal = table.views(), table.legal()
            phase = int(views["phase"][0])
            if legal.sum() > 1 and phase not in (WALL, SHOW) and rng.random() < 0.2:
                yield phase, views, legal
                wanted -= 1
                if not wanted:
                    return
            table.act(table.ask(bound[table.player_at(seat)]))
        number += 1


def knocks(wanted: int, seed: int) -> None:
    """Print what knocking was worth in real hands beside what the networks and hands by the belief say of it."""
    game, rows = make.game("gin"), np.zeros(1, np.int64)
    player = ValuePlayer(values(), "champion").for_game(game)
    rollouts, styles = Rollouts(player, game, LEAGUE, 64, 0.0), player.values.unknown()
    found: list[tuple[float, float, float]] = []
    number = 0
    while len(found) < wanted:
        table, number = Table(game, [None, None], seed=derive(seed, "knocks", number)), number + 1
        while not table.done:
            if table.hand_over:
                table.next_hand()
                continue
            view, legal = table.views(), table.legal()
            judged = player.judged(view, legal)[0]
            if view["phase"][0] == ASK_KNOCK and np.isfinite(judged[KNOCK]):
                tables, plain = game.tables(1), unpack_view(game.view_fields, view[0])
                tables.copy_rows(table._loop.tables, rows)
                tables.apply(rows, np.array([KNOCK]))
                points = tables.returns(rows)[:, int(view["player"][0])]
                real = [float(rollouts._wins(points, plain, np.full(1, s))[0]) for s in range(len(styles))]
                odds = weights_for(game, plain, styles @ player.values.belief)
                drawn = rollouts._played(plain, odds, np.array([KNOCK]), 64, derive(seed, "hands", len(found)), styles)
                net = player.values_against(view, legal, styles[None], every=True)[0, KNOCK]
                found.append((float(net), 100 * float(drawn.mean()), 100 * float(styles @ np.array(real))))
            table.act(table.ask(player))
    net, drawn, real = np.array(found).T
    print(
        f"knocking, {len(found)} times: really {real.mean():.2f} % of a match, networks {net.mean():.2f}, drawn {drawn.mean():.2f}"
    )
    for name, said in (("networks", net), ("drawn hands", drawn)):
        off = mean(said - real)
        print(f"{name} less what it really was: {off.text(2, '%', sign=True)}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=400)
    parser.add_argument("--hands", type=int, default=256)
    parser.add_argument("--players", nargs=2, default=["simple", "champion:memory=false"])
    parser.add_argument(
        "--turns", type=int, default=0, help="judge by hands played on for so many turns; 0: by the networks"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--knocks", type=int, default=0, help="look at so many decisions to knock in real hands instead"
    )
    asked = parser.parse_args()
    if asked.knocks:
        return knocks(asked.knocks, asked.seed)
    game = make.game("gin")
    player = ValuePlayer(values(), "champion").for_game(game)
    rollouts = Rollouts(player, game, LEAGUE, asked.hands, 0.0)
    styles = player.values.unknown()
    rng = np.random.default_rng([asked.seed, 1])
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for count, (phase, view, legal) in enumerate(drawn_decisions(asked.players, asked.decisions, asked.seed)):
        known = player.judged(view, legal)[0]
        actions = np.flatnonzero(np.isfinite(known))
        if len(actions) < 2:
            continue
        best = int(np.nanargmax(known))
        other = int(rng.choice(actions[actions != best]))
        plain = unpack_view(game.view_fields, view[0])
        odds = weights_for(game, plain, styles @ player.values.belief)
        pair = np.array([best, other])
        wins = 100 * rollouts._played(plain, odds, pair, asked.hands, derive(asked.seed, "hands", count), styles)
        played = wins[0] - wins[1]
        error = played.std(ddof=1) / np.sqrt(len(played))
        judged = known[best] - known[other]
        stake = float(player.stakes(view)[0])
        found[PHASES[phase]].append((judged, played.mean(), error, stake))
    print(
        f"{'phase':<10} {'decisions':>9} {'judged':>8} {'played':>8} {'mean off':>9} {'floor':>7} {'of the stake':>12}"
    )
    for name, rows in [*found.items(), ("all", [row for some in found.values() for row in some])]:
        judged, played, error, stake = np.array(rows).T
        spreads = []
        for scale in (np.ones(len(rows)), stake):
            off = (judged - played) / scale
            left = max(off.var(ddof=1) - ((error / scale) ** 2).mean(), 0.0) + off.mean() ** 2
            spreads.append(1.96 * float(np.sqrt(left)))
        print(
            f"{name:<10} {len(rows):>9} {judged.mean():>8.2f} {played.mean():>8.2f} {(judged - played).mean():>9.2f} "
            f"{spreads[0]:>7.2f} {spreads[1]:>12.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
