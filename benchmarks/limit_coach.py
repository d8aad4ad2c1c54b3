"""The coach of limit hold'em for two: what he misses, what he charges who plays well, and how far his flops may be off.

    python benchmarks/limit_coach.py [--planted 20] [--flops 0] [--own 10] [--seed 11] [--ahead TURNS]

Hands of the player in the box against itself (the package cardai-players must be installed). Mistakes are planted in them, three
of four on rivers, the others on turns, or with ``--flops`` on so many flops: who is to act is given the best or the worst hand
that the cards leave, and folds the best to a bet, checks the best behind on the river, or calls the last bet with the worst.
Printed: how many of them are charged at all, and what. ``--own`` grades both players' own decisions on the turn and the river of so
many hands, and prints what they are charged a hand. ``--ahead``: by how much hands are worth something else on so many turns of
one flop if one bet a street is looked at there instead of all, which is what the coach adds to the floor of a flop.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cardai import make, play
from cardai.arena import records
from cardai.arena.table import Table, replay
from cardai.cards.text import cards_text
from cardai.core.arrays import Float64s
from cardai.core.game import Game
from cardai.formats.rooms.own_limit import LimitGrader
from cardai.poker.contract import BoardGame, board_game
from cardai.poker.grading.limit import PLAYER, range_player, ranges_along
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.strength import win_rates
from cardai.poker.notation import range_text
from cardai.poker.ranges._walk_kernels import RESPOND
from cardai.poker.ranges.cfr import meetings
from cardai.poker.ranges.hands import HOLDEM
from cardai.poker.ranges.solution import prepare, solve
from cardai.poker.ranges.spot import STREETS, Spot
from cardai.study.grading import Task

WHOLE, FEW = "20c/20c/20c/20c/none", "20c/none"
LINES = {"both check": (2, 1, 1, 1), "a bet is called": (2, 1, 2, 1), "a raise is called": (2, 1, 2, 2, 1)}
"""A raise before the flop is called, and then: the game's actions up to the turn."""


def ahead(game: BoardGame, turns: int, seed: int) -> None:
    """Print by how much hands are worth something else where one bet a street is looked at."""
    player = range_player(game)
    assert player is not None
    luck = np.random.default_rng(seed)
    for name, actions in LINES.items():
        table = Table(game, [None, None], seed=seed)
        for action in (*actions, 1):
            table.act(action)
        record: Any = table.unfinished
        button = table.views()["button"][0]
        come = ranges_along(player, game, record)[1][[1 - button, button]]
        deck = record["deck"]
        flop, left = deck[4:7], [card for card in range(52) if card not in deck[4:7]]
        pot = 40 + 20 * (actions.count(2) - 1)
        found = []
        for card in luck.choice(left, turns, replace=False).tolist():
            found.append(apart(cards_text([*flop, card]), pot, come))
        each = np.stack(found)  # (turns, 2, 1326) in big bets
        mean, count = np.nanmean(each, axis=0), np.isfinite(each).sum(axis=0)
        held = (come > 0.05) & (count > turns // 2)
        one, all_ = np.abs(each[:, held]), np.abs(mean[held])
        sys.stdout.write(
            f"{cards_text(flop)}, {name}, pot {pot // 10} big blinds, {turns} turns: a hand is worth something else by "
            f"{np.nanmean(one):.3f} big bets on a turn (95 % of hands less than {np.nanquantile(one, 0.95):.3f}), on the mean "
            f"of the turns by {all_.mean():.3f} (95 %: {np.quantile(all_, 0.95):.3f}, most {all_.max():.3f})\n"
        )
        sys.stdout.flush()


def apart(board: str, pot: int, come: Float64s) -> Float64s:
    """Return (2, 1326) how much more hands are worth with one bet a street than with all, in big bets, to who plays them best; nan where they cannot be."""
    worth = []
    for menu in (FEW, WHOLE):
        texts = tuple(range_text(one) for one in come)
        solution = solve(prepare(Spot(board, pot, (10_000, 10_000), texts, bets=menu)), 0.5, 400)
        out, solver = np.full((2, COUNT), np.nan), solution.solver
        for seat in range(2):
            met = meetings(HOLDEM.cards[solver.hands], solver.ranges[1 - seat], HOLDEM.places)
            values = solver.root_values(seat, RESPOND)[0]
            out[seat, solver.hands] = np.where(met > 0, values / np.where(met > 0, met, 1.0), np.nan) / 20
        worth.append(out)
    return worth[0] - worth[1]


@frozen
class Planted:
    """A mistake: the record up to it, whose it is, on which street (0 the flop), and in words what it is."""

    record: dict[str, Any]
    seat: int
    street: int
    what: str


def planted(game: Game, record: Mapping[str, Any], streets: Sequence[int], number: int) -> Planted | None:
    """Return a hand with a mistake on one of ``streets``, None where nothing there can be made one."""
    found = None
    for place, (table, action) in enumerate(replay(game, record)):
        seat = table.to_act
        if seat is None or action < 0 or table.view()["round"] - 1 not in streets:
            continue
        view = table.view()
        street, best = view["round"] - 1, True
        if view["to_call"] and street == 2 and number % 2:
            what, chosen, best = "calls with the worst hand", 1, False
        elif view["to_call"]:
            what, chosen = "folds the best hand", 0
        elif street == 2 and seat == view["button"]:
            what, chosen = "checks the best hand behind", 1
        else:
            continue
        actions = [*record["actions"][:place], chosen]
        found = Planted(swapped(record, seat, street, best, actions), seat, street, what)
    return found


def swapped(record: Mapping[str, Any], seat: int, street: int, best: bool, actions: list[int]) -> dict[str, Any]:
    """Return a record in which a seat holds the best or the worst hand on the board that lies there."""
    deck = list(record["deck"])
    first = 2 * int(seat == record["setup"]["starter"])  # who has the button is dealt last
    board = deck[4 : 7 + street]
    gone = {*board, *deck[2 - first : 4 - first]}
    free = np.array([pair for pair in pairs().tolist() if not gone & set(pair)])
    rates = win_rates(free, np.tile([*board, *[-1] * (5 - len(board))], (len(free), 1)), 50)
    chosen = free[int(np.argmax(rates) if best else np.argmin(rates))].tolist()
    for k, card in enumerate(chosen):
        if card in deck:  # what it was to be comes in its place
            deck[deck.index(card)] = deck[first + k]
        deck[first + k] = card
    left = {name: value for name, value in record.items() if name not in ("returns", "outcome")}
    return {**left, "deck": deck, "actions": actions}


def hands(game: Game, count: int, seed: int) -> list[dict[str, Any]]:
    """Return records of the box's player against itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hands.jsonl"
        play(game, [PLAYER, PLAYER], games=count, seed=seed, duplicate=False, record=path)
        return [dict(one) for one in records.read(path).hands]


def plants(grader: LimitGrader, counts: Sequence[int], played: Sequence[dict[str, Any]]) -> None:
    """Print how many mistakes are found of so many on each street."""
    found: list[float] = []
    missed = dearest = number = 0
    for street, count in enumerate(counts):
        made = filter(None, (planted(grader.said, record, (street,), k) for k, record in enumerate(played)))
        for one in itertools.islice(made, count):
            (graded,) = evolve(grader, asked=(street,)).grade([Task(1, one.record, one.seat)])
            place, number = len(one.record["actions"]) - 1, number + 1
            said = next((each for each in graded.decisions if each.place == place), None)
            first = said is not None and said.cost > 0 and said.cost == max(each.cost for each in graded.decisions)
            missed += said is None or not said.cost
            dearest += first
            found.append(said.cost if said is not None else 0.0)
            words = (
                "not graded"
                if said is None
                else f"{said.words} for {said.best_words}: {said.lost:.2f}, floor {said.floor:.2f}, {said.verdict}"
            )
            sys.stdout.write(
                f"{STREETS[street]}, {one.what}: {words}{'' if first else ' (NOT the dearest of its street)'}\n"
            )
            sys.stdout.flush()
    sys.stdout.write(
        f"{number - missed} of {number} are charged, {dearest} are the dearest of their street; the least is charged {min(filter(None, found), default=0.0):.2f} big blinds\n"
    )


def own(grader: LimitGrader, count: int, played: Sequence[dict[str, Any]]) -> None:
    """Print what the box's player is charged for its own play on the turn and the river."""
    charged: list[float] = []
    decisions = wrong = 0
    for record in itertools.islice((one for one in played if len(one["actions"]) > 5), count):
        for seat in range(2):
            (graded,) = evolve(grader, asked=(1, 2)).grade([Task(1, record, seat)])
            charged.append(graded.cost)
            decisions += len(graded.decisions)
            wrong += sum(one.cost > 0 for one in graded.decisions)
    mean, error = float(np.mean(charged)), float(1.96 * np.std(charged, ddof=1) / np.sqrt(len(charged)))
    sys.stdout.write(
        f"{PLAYER} itself: {wrong} of {decisions} decisions on turn and river charged, {mean:.3f} ± {error:.3f} big blinds a hand "
        f"that goes there ({len(charged)} seats of hands)\n"
    )


def main() -> None:
    """Play, plant, grade and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--planted", type=int, default=20)
    parser.add_argument("--flops", type=int, default=0)
    parser.add_argument("--own", type=int, default=10)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--ahead", type=int, default=0, metavar="TURNS")
    given = parser.parse_args()
    game = board_game(make.game("holdem_limit"))
    assert game is not None
    if given.ahead:
        ahead(game, given.ahead, given.seed)
        return
    grader = LimitGrader.of(game)
    assert grader is not None, "install cardai-players"
    played = hands(game, 200, given.seed)
    turns = given.planted // 4
    plants(grader, (given.flops, turns, given.planted - turns), played)
    if given.own:
        own(grader, given.own, played)


if __name__ == "__main__":
    main()
