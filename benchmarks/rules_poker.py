"""Replay random poker hands in other people's engines, move by move: legal actions, who acts, pots, payoffs.

    python benchmarks/rules_poker.py [--hands 20000] [--only NAME]

OpenSpiel's ``universal_poker`` (the ACPC's C code) and ``leduc_poker`` must agree in everything. PokerKit follows
tournament rules, which differ from the ACPC's in two places only; hands that come to one are compared up to it in legal
actions, and in payoffs to the end:

* after an all-in that is no full raise, who has acted may not raise again, and the least raise is counted from the all-in;
* a raise that nobody else has the chips to call is illegal.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections.abc import Callable
from typing import Any

import pyspiel
from attrs import define

from cardai.cards.text import card_text
from cardai.core import registry
from cardai.core.game import Setup
from cardai.core.row_state import RowState

ACPC_SUITS = "cdhs"
SCALE = 60  # a pot of multiples of 60 splits evenly among up to six


@define
class Tally:
    """What was compared. ``excused``: decisions at which PokerKit's other rules made legal actions differ."""

    hands: int = 0
    actions: int = 0
    showdowns: int = 0
    splits: int = 0
    all_ins: int = 0
    excused: int = 0

    def note(self, state: RowState) -> None:
        """Count a finished hand."""
        self.hands += 1
        self.showdowns += int(state.outcome()["showdown"])
        self.splits += int(len({x for x in state.returns() if x >= 0}) < sum(x >= 0 for x in state.returns()))
        view = state.view(0)
        self.all_ins += any(behind == 0 and any(view["stacks"]) for behind in view["stacks"])


def make(spec: str) -> Any:
    """Return the game of a spec."""
    return registry.create("game", spec)


def choose(legal: list[int], rng: random.Random, multiple: int = 1) -> int:
    """Return an action: mostly calls, and raises that are small, large, or anything (multiples of ``multiple``)."""
    if len(legal) <= 4:
        return rng.choice(legal)
    low, high = next(a for a in legal if a >= 2), legal[-1]
    raises = [low, high, rng.randint(low, high), min(high, low + rng.randint(0, high // 10))]
    action = rng.choice([1, 1, 1, rng.choice(legal[:2]), *raises])
    return action if action < 2 or action == high else max(low, action // multiple * multiple)


# -- OpenSpiel ---------------------------------------------------------------------------------------------------------


def open_spiel_game(game: Any, abstraction: str = "fullgame") -> Any:
    """Return universal_poker with the rules of ``game``."""
    betting = game.betting
    lines = ["GAMEDEF", "nolimit" if betting.no_limit else "limit", f"numplayers = {betting.num_players}"]
    lines += [
        "numrounds = 4",
        f"blind = {_spaced(betting.blinds)}",
        f"firstplayer = {_spaced(1 + f for f in betting.first)}",
    ]
    if betting.no_limit:
        lines += [f"stack = {_spaced(game.seat_stacks())}"]
    else:
        lines += [f"raisesize = {_spaced(betting.raise_sizes)}", f"maxraises = {_spaced(betting.max_raises)}"]
    lines += ["numsuits = 4", "numranks = 13", "numholecards = 2", "numboardcards = 0 3 1 1", "END GAMEDEF"]
    loaded = pyspiel.universal_poker.load_universal_poker_from_acpc_gamedef("\n".join(lines))
    if not betting.no_limit:
        return loaded
    return pyspiel.load_game("universal_poker", {**loaded.get_parameters(), "bettingAbstraction": abstraction})


def _spaced(numbers: Any) -> str:
    return " ".join(str(n) for n in numbers)


def from_acpc(card: int) -> int:
    """Return our card of the C code's rank * 4 + suit."""
    return 13 * "cdhs".index(ACPC_SUITS[card % 4]) + card // 4


def with_open_spiel(spec: str, theirs: Any, hands: int, seed: int, card: Callable[[int], int]) -> Tally:
    """Play ``hands`` random hands of the game ``spec`` beside OpenSpiel's game ``theirs``."""
    game, rng, tally = make(spec), random.Random(seed), Tally()
    starter = 0 if game.betting.offset == 0 else game.num_players - 1  # the button sits last: seats are positions
    for _ in range(hands):
        state, other = game.new_initial_state(Setup(starter=starter)), theirs.new_initial_state()
        while not other.is_terminal():
            if other.is_chance_node():
                assert state.is_chance_node(), (spec, state.history)
                outcome = rng.choice(other.legal_actions())
                state.apply_action(card(outcome))
            else:
                assert state.current_player() == other.current_player(), (spec, state.history)
                legal = other.legal_actions()
                assert state.legal_actions() == legal, (spec, state.history, legal)
                outcome = choose(legal, rng)
                state.apply_action(outcome)
                tally.actions += 1
            other.apply_action(outcome)
        assert state.is_terminal(), (spec, state.history)
        payoffs = zip(state.returns(), other.returns(), strict=True)
        assert all(abs(a - b) < 1e-9 for a, b in payoffs), (spec, state.history, other.returns())
        tally.note(state)
    return tally


# -- PokerKit ----------------------------------------------------------------------------------------------------------


def pokerkit_state(game: Any) -> Any:
    """Return a fresh PokerKit state with the rules of ``game``; its player k is our position k."""
    import pokerkit

    skip = {pokerkit.Automation.CARD_BURNING, pokerkit.Automation.HOLE_DEALING, pokerkit.Automation.BOARD_DEALING}
    automations = tuple(a for a in pokerkit.Automation if a not in skip)
    betting, n = game.betting, game.num_players
    stacks = tuple(min(stack, 10**9 * SCALE) for stack in game.seat_stacks())
    blinds = tuple(game.blinds)
    if betting.no_limit:
        return pokerkit.NoLimitTexasHoldem.create_state(automations, True, 0, blinds, blinds[1], stacks, n)
    small, big = betting.raise_sizes[0], betting.raise_sizes[2]
    return pokerkit.FixedLimitTexasHoldem.create_state(automations, True, 0, blinds, small, big, stacks, n)


def pokerkit_actions(other: Any, spent_before: int, no_limit: bool) -> tuple[bool, bool, int, int]:
    """Return (fold, call, least, most) legal in PokerKit, raises in chips of the whole hand (0, 0: none)."""
    low = high = 0
    if other.can_complete_bet_or_raise_to():
        low = other.min_completion_betting_or_raising_to_amount + spent_before
        high = other.max_completion_betting_or_raising_to_amount + spent_before
    return other.can_fold(), other.can_check_or_call(), low, high


def with_pokerkit(spec: str, hands: int, seed: int) -> Tally:
    """Play ``hands`` random hands of the hold'em game ``spec`` beside PokerKit."""
    game, rng, tally = make(spec), random.Random(seed), Tally()
    n = game.num_players
    warnings.simplefilter("ignore")  # PokerKit warns of unusual dealing
    for _ in range(hands):
        state, other = game.new_initial_state(Setup(starter=n - 1)), pokerkit_state(game)
        cards = rng.sample(range(52), 2 * n + 5)
        for k, dealt in enumerate(cards[: 2 * n]):
            state.apply_action(dealt)
            if k % 2:
                other.deal_hole("".join(card_text(c) for c in cards[k - 1 : k + 1]))
        board = iter(cards[2 * n :])
        short = False  # whether an all-in of this round was no full raise
        last_round = 0
        while other.status:
            if other.can_burn_card():
                other.burn_card("??")
            if other.can_deal_board():
                flop = [next(board) for _ in range(3 if not other.board_cards else 1)]
                other.deal_board("".join(card_text(c) for c in flop))
                for dealt in flop:
                    state.apply_action(dealt)
                continue
            player = state.current_player()
            assert other.actor_index == player, (spec, state.history)
            view = state.view(player)
            short, last_round = short and view["round"] == last_round, view["round"]
            before = view["spent"][player] - view["round_spent"][player]
            legal = state.legal_actions()
            raises = [a for a in legal if a >= 2]
            low, high = (raises[0], raises[-1]) if raises else (0, 0)
            if raises and not game.betting.no_limit:
                low = high = min(max(view["spent"]) + game.betting.raise_sizes[view["round"]], 10**9 * SCALE)
            ours = (0 in legal, 1 in legal, low, high)
            theirs = pokerkit_actions(other, before, game.betting.no_limit)
            if ours != theirs:
                excused = short or not can_be_called(view, player)
                assert excused, (spec, state.history, ours, theirs)
                assert ours[:2] == theirs[:2], (spec, state.history, ours, theirs)
                tally.excused += 1
                legal = [a for a in legal if a < 2 or theirs[2] <= a <= theirs[3]]
            action = choose(legal, rng, SCALE)
            tally.actions += 1
            if action >= 2 and game.betting.no_limit and action < view_least(state):
                short = True
            state.apply_action(action)
            if action == 0:
                other.fold()
            elif action == 1:
                other.check_or_call()
            else:
                other.complete_bet_or_raise_to((action if game.betting.no_limit else high) - before)
        assert state.is_terminal(), (spec, state.history)
        assert [float(x) for x in other.payoffs] == state.returns(), (spec, state.history, other.payoffs)
        tally.note(state)
    return tally


def view_least(state: RowState) -> int:
    """Return the least full raise, whatever the stack."""
    return int(state.row["min_raise_to"])


def can_be_called(view: dict[str, Any], player: int) -> bool:
    """Say whether another seat that is still in has more chips than the highest bet."""
    top = max(view["spent"])
    seats = range(len(view["spent"]))
    return any(
        s != player
        and not view["folded"][s]
        and (not any(view["stacks"]) or view["spent"][s] + view["stacks"][s] > top)
        for s in seats
    )


# -- what is compared --------------------------------------------------------------------------------------------------

SIDE_POTS = "stack=500+900+1250+333+700+210"
COMPARISONS: dict[str, Callable[[int, int], Tally]] = {}


def _add_open_spiel(name: str, spec: str, abstraction: str = "fullgame") -> None:
    COMPARISONS[f"OpenSpiel {name}"] = lambda hands, seed: with_open_spiel(
        spec, open_spiel_game(make(spec), abstraction), hands, seed, from_acpc
    )


def _add_pokerkit(name: str, spec: str) -> None:
    COMPARISONS[f"PokerKit {name}"] = lambda hands, seed: with_pokerkit(spec, hands, seed)


COMPARISONS["OpenSpiel leduc_poker"] = lambda hands, seed: with_open_spiel(
    "leduc", pyspiel.load_game("leduc_poker"), hands, seed, int
)
COMPARISONS["OpenSpiel leduc_poker, three players"] = lambda hands, seed: with_open_spiel(
    "leduc:players=3", pyspiel.load_game("leduc_poker", {"players": 3}), hands, seed, int
)
_add_open_spiel("limit", "holdem_limit")
_add_open_spiel("limit, three players", "acpc_limit_3p")
_add_open_spiel("no-limit fcpa", "holdem_fcpa", "fcpa")
_add_open_spiel("no-limit fcpa, shallow", "holdem_fcpa:stack=1000", "fcpa")
_add_open_spiel("no-limit, all amounts", "holdem_nolimit:stack=2000")
_add_open_spiel("no-limit, all amounts, three players", "acpc_nolimit_3p:stack=500+900+2000")
_add_open_spiel("no-limit, all amounts, six players", f"acpc_nolimit_6p:{SIDE_POTS}")
_add_pokerkit("limit", "holdem_limit:blinds=300+600,raise_sizes=600+600+1200+1200,max_raises=4+4+4+4")
_add_pokerkit(
    "limit, six players", "holdem_limit:players=6,blinds=300+600,raise_sizes=600+600+1200+1200,max_raises=4+4+4+4"
)
_add_pokerkit("no-limit", "holdem_nolimit:blinds=300+600,stack=60000")
_add_pokerkit("no-limit, three players", "holdem_nolimit:players=3,blinds=300+600,stack=6000+12000+60000")
_add_pokerkit("no-limit, six players", "holdem_nolimit:players=6,blinds=300+600,stack=3000+5400+7500+1980+4200+1260")


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="compare only names with this text")
    options = parser.parse_args()
    print(
        f"{'engine and game':48} {'hands':>7} {'actions':>8} {'showdn':>7} {'splits':>7} {'all-in':>7} {'excused':>8}  CPU s"
    )
    for name, compare in COMPARISONS.items():
        if options.only in name:
            start = time.process_time()
            t = compare(options.hands, options.seed)
            numbers = f"{t.hands:7} {t.actions:8} {t.showdowns:7} {t.splits:7} {t.all_ins:7} {t.excused:8}"
            print(f"{name:48} {numbers}  {time.process_time() - start:.1f}", flush=True)


if __name__ == "__main__":
    main()
