"""Replay random poker hands in other people's engines, move by move: legal actions, who acts, pots, payoffs.

    python benchmarks/rules_poker.py [--hands 20000] [--only NAME] [--speed]

OpenSpiel's ``universal_poker`` (the ACPC's C code) and ``leduc_poker`` must agree in everything. PokerKit follows
tournament rules, which differ from the ACPC's in two places only; hands that come to one are compared up to it in legal
actions, and in payoffs to the end:

* after an all-in that is no full raise, who has acted may not raise again, and the least raise is counted from the all-in;
* a raise that nobody else has the chips to call is illegal.

``differences`` are hands in which anything else differed; the first of a game is printed. ``--speed`` adds the hands a CPU
second of both engines, replaying the last hands move by move (Python states on both sides).
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from attrs import Factory, define

from cardai.cards.text import card_text
from cardai.core import registry
from cardai.core.game import Setup
from cardai.core.row_state import RowState
from cardai.poker.contract import SHORT
from cardai.poker.rules.showdown import hand_values

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
    differences: int = 0
    first: str = ""
    """The first difference."""
    kept: list[tuple[list[int], list[tuple[str, tuple[Any, ...]]]]] = Factory(list)
    """The last hands, as our history and as what was done in PokerKit."""

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
        lines += [f"stack = {_spaced(game.stacks)}"]
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


def pokerkit_class(game: Any) -> Any:
    """Return PokerKit's class of games with the cards and the betting structure of ``game``."""
    import pokerkit

    structures = pokerkit.BettingStructure
    if game.hole.playing:
        bounded = structures.POT_LIMIT if game.betting.pot_limit else structures.NO_LIMIT
        return type(
            "Omaha",
            (pokerkit.PotLimitOmahaHoldem,),
            {"hole_dealing_count": game.hole.count, "betting_structure": bounded},
        )
    if not game.betting.no_limit:
        return pokerkit.FixedLimitTexasHoldem
    base = pokerkit.NoLimitShortDeckHoldem if game.deck == SHORT else pokerkit.NoLimitTexasHoldem
    return type("PotLimit", (base,), {"betting_structure": structures.POT_LIMIT}) if game.betting.pot_limit else base


def pokerkit_state(game: Any) -> Any:
    """Return a fresh PokerKit state with the rules of ``game``; its player k is our position k."""
    from dataclasses import replace

    import pokerkit

    skip = {pokerkit.Automation.CARD_BURNING, pokerkit.Automation.HOLE_DEALING, pokerkit.Automation.BOARD_DEALING}
    automations = tuple(a for a in pokerkit.Automation if a not in skip)
    betting, n = game.betting, game.num_players
    stacks = tuple(min(stack, 10**9 * SCALE) for stack in game.stacks)
    blinds = betting.blinds[::-1] if n == 2 else betting.blinds  # of two players PokerKit exchanges them itself
    antes: Any = betting.ante
    if betting.dead_ante:
        antes = {(1 - betting.dead_position if n == 2 else betting.dead_position): betting.dead_ante}
    sizes = [max(game.blinds)] if betting.no_limit else [betting.raise_sizes[0], betting.raise_sizes[2]]
    made = pokerkit_class(game)(automations, not betting.dead_ante, antes, blinds, *sizes)
    if game.straddles and betting.no_limit:  # the first raise adds as much as the straddle
        first = replace(made.streets[0], min_completion_betting_or_raising_amount=max(blinds))
        made.streets = (first, *made.streets[1:])
    return made(stacks, n)


def pokerkit_actions(other: Any, spent_before: int, no_limit: bool) -> tuple[bool, bool, int, int]:
    """Return (fold, call, least, most) legal in PokerKit, raises in chips of the whole hand (0, 0: none)."""
    low = high = 0
    if other.can_complete_bet_or_raise_to():
        low = other.min_completion_betting_or_raising_to_amount + spent_before
        high = other.max_completion_betting_or_raising_to_amount + spent_before
    return other.can_fold(), other.can_check_or_call(), low, high


class Beside:
    """One hand in our state and in PokerKit's, which is told what is done in ours."""

    def __init__(self, game: Any, rng: random.Random) -> None:
        self.game, self.rng = game, rng
        n, held = game.num_players, game.hole.count
        self.state, self.other = game.new_initial_state(Setup(starter=n - 1)), pokerkit_state(game)
        self.done: list[tuple[str, tuple[Any, ...]]] = []
        self.excused = self.actions = 0
        self.short, self.last_round = False, 0  # whether an all-in of this round was no full raise
        cards = rng.sample(game.deck.cards, n * held + 5)
        for seat in range(n):
            own = cards[seat * held : (seat + 1) * held]
            for card in own:
                self.state.apply_action(card)
            self.do("deal_hole", "".join(card_text(card) for card in own))
        self.board = cards[n * held :]

    def do(self, name: str, *given: Any) -> None:
        """Do something in PokerKit's state."""
        getattr(self.other, name)(*given)
        self.done.append((name, given))

    def play(self) -> None:
        """Play on, with both compared at every decision, to the end; AssertionError where they differ."""
        while self.other.status:
            if self.other.can_burn_card():
                self.do("burn_card", "??")
            if self.other.can_deal_board():
                self.deal_board()
            else:
                self.decide()
        where = (self.game, self.state.history)
        assert self.state.is_terminal(), where
        assert [float(x) for x in self.other.payoffs] == self.state.returns(), (*where, self.other.payoffs)

    def deal_board(self) -> None:
        """Deal the flop, the turn or the river."""
        count = 1 if self.other.board_cards else 3
        dealt, self.board = self.board[:count], self.board[count:]
        self.do("deal_board", "".join(card_text(card) for card in dealt))
        for card in dealt:
            self.state.apply_action(card)

    def decide(self) -> None:
        """Compare who acts, what is legal and the pot, and let both do the same."""
        game, state, betting = self.game, self.state, self.game.betting
        player = state.current_player()
        assert self.other.actor_index == player, (game, state.history)
        view = state.view(player)
        assert view["pot"] == self.other.total_pot_amount, (game, state.history, self.other.total_pot_amount)
        self.short, self.last_round = self.short and view["round"] == self.last_round, view["round"]
        before = view["spent"][player] - view["round_spent"][player]
        legal = state.legal_actions()
        raises = [a for a in legal if a >= 2]
        low, high = (raises[0], raises[-1]) if raises else (0, 0)
        if raises and not betting.no_limit:
            low = high = min(max(view["spent"]) + betting.raise_sizes[view["round"]], 10**9 * SCALE)
        ours, theirs = (0 in legal, 1 in legal, low, high), pokerkit_actions(self.other, before, betting.no_limit)
        if ours != theirs:
            assert self.short or not can_be_called(view, player), (game, state.history, ours, theirs)
            assert ours[:2] == theirs[:2], (game, state.history, ours, theirs)
            self.excused += 1
            legal = [a for a in legal if a < 2 or theirs[2] <= a <= theirs[3]]
        action = choose(legal, self.rng, SCALE)
        self.actions += 1
        self.short |= action >= 2 and betting.no_limit and action < view_least(state)
        state.apply_action(action)
        if action < 2:
            self.do(("fold", "check_or_call")[action])
        else:
            self.do("complete_bet_or_raise_to", (action if betting.no_limit else high) - before)


def with_pokerkit(spec: str, hands: int, seed: int) -> Tally:
    """Play ``hands`` random hands of the game ``spec`` beside PokerKit."""
    game, rng, tally = make(spec), random.Random(seed), Tally()
    warnings.simplefilter("ignore")  # PokerKit warns of unusual dealing
    for _ in range(hands):
        hand = Beside(game, rng)
        try:
            hand.play()
        except AssertionError as error:
            tally.differences += 1
            tally.first = tally.first or str(error)
            tally.hands += 1
            continue
        tally.excused += hand.excused
        tally.actions += hand.actions
        tally.note(hand.state)
        tally.kept = [*tally.kept[-199:], (hand.state.history, hand.done)]
    return tally


def speeds(spec: str, tally: Tally) -> tuple[float, float]:
    """Return the hands a CPU second of our states and of PokerKit's, replaying the hands that were kept."""
    game = make(spec)

    def ours(hand: Any) -> None:
        state = game.new_initial_state(Setup(starter=game.num_players - 1))
        for action in hand[0]:
            state.legal_actions()
            state.apply_action(action)
        state.returns()

    def theirs(hand: Any) -> None:
        state = pokerkit_state(game)
        for name, given in hand[1]:
            getattr(state, name)(*given)

    rates = []
    for replay in (ours, theirs):
        start = time.process_time()
        for hand in tally.kept:
            replay(hand)
        rates.append(len(tally.kept) / (time.process_time() - start))
    return rates[0], rates[1]


def ranking_with_pokerkit(spec: str, hands: int, seed: int) -> Tally:
    """Compare the order of ``hands`` random hands, neighbour with neighbour, on boards of 3 to 5 cards."""
    import pokerkit

    game, rng, tally = make(spec), np.random.default_rng(seed), Tally()
    kind = pokerkit.OmahaHoldemHand if game.hole.playing else pokerkit.ShortDeckHoldemHand
    before: tuple[int, Any] | None = None
    decks = np.array([rng.permutation(game.deck.cards) for _ in range(hands)])
    held = game.hole.count
    for k, deck in enumerate(decks):
        hole, board = deck[:held], deck[held : held + 3 + k // 2 % 3]  # two hands in a row are on as many cards
        ours = int(hand_values(game, [hole], [board])[0])
        theirs = kind.from_game("".join(map(card_text, hole)), "".join(map(card_text, board)))
        if before is not None:
            order = (ours > before[0]) - (ours < before[0])
            if order != (theirs > before[1]) - (theirs < before[1]):
                tally.differences += 1
                tally.first = tally.first or f"{hole.tolist()} on {board.tolist()}"
        before = (ours, theirs)
        tally.hands += 1
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
BIG = "blinds=300+600"
SIX = f"players=6,{BIG},stack=3000+5400+7500+1980+4200+1260"
COMPARISONS: dict[str, Callable[[int, int], Tally]] = {}
SPECS: dict[str, str] = {}
"""The game of each comparison whose speed can be told."""


def _add_open_spiel(name: str, spec: str, abstraction: str = "fullgame") -> None:
    COMPARISONS[f"OpenSpiel {name}"] = lambda hands, seed: with_open_spiel(
        spec, open_spiel_game(make(spec), abstraction), hands, seed, from_acpc
    )


def _add_pokerkit(name: str, spec: str) -> None:
    SPECS[f"PokerKit {name}"] = spec
    COMPARISONS[f"PokerKit {name}"] = lambda hands, seed: with_pokerkit(spec, hands, seed)


def _add_ranking(name: str, spec: str) -> None:
    COMPARISONS[f"PokerKit {name}"] = lambda hands, seed: ranking_with_pokerkit(spec, hands, seed)


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
_add_pokerkit("no-limit", f"holdem_nolimit:{BIG},stack=60000")
_add_pokerkit("no-limit, three players", f"holdem_nolimit:players=3,{BIG},stack=6000+12000+60000")
_add_pokerkit("no-limit, six players", f"holdem_nolimit:{SIX}")
_add_pokerkit("no-limit, six players, antes", f"holdem_nolimit:{SIX},ante=60")
_add_pokerkit("no-limit, six players, big blind ante", f"holdem_nolimit:{SIX},ante=600,ante_from=big_blind")
_add_pokerkit("no-limit, big blind ante", f"holdem_nolimit:{BIG},stack=6000+2400,ante=600,ante_from=big_blind")
_add_pokerkit("no-limit, five players, straddles", f"holdem_nolimit:players=5,{BIG},stack=12000,straddles=1200+2400")
_add_pokerkit("limit, four players, ante and straddle",
              f"holdem_limit:players=4,{BIG},raise_sizes=600+600+1200+1200,max_raises=4+4+4+4,ante=120,straddles=1200")  # fmt: skip
_add_pokerkit("short deck", f"short_deck:{BIG},stack=60000")
_add_pokerkit("short deck, three players", f"short_deck:players=3,{BIG},stack=6000+12000+60000")
_add_pokerkit("short deck, six players", f"short_deck:{SIX}")
_add_pokerkit(
    "short deck, button's blind", "short_deck_button:players=5,ante=300,blinds=300,stack=3000+6000+1200+9000+900"
)
_add_pokerkit("Omaha", f"plo:{BIG},stack=60000")
_add_pokerkit("Omaha, three players", f"plo:players=3,{BIG},stack=6000+12000+60000")
_add_pokerkit("Omaha, six players", f"plo:{SIX},ante=120")
_add_pokerkit("Omaha, no-limit, four players", f"omaha:pot_limit=false,players=4,{BIG},stack=6000+2400+900+12000")
_add_pokerkit("Omaha, five cards, five players", f"plo5:players=5,{BIG},stack=3000+60000+7500+1980+4200")
_add_pokerkit("Omaha, six cards, six players", f"plo6:{SIX}")
_add_ranking("ranking, short deck", "short_deck")
for _held in (4, 5, 6):
    _add_ranking(f"ranking, Omaha of {_held}", f"omaha:hole_cards={_held}")


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="compare only names with this text")
    parser.add_argument("--speed", action="store_true", help="also measure both engines")
    options = parser.parse_args()
    counted = ("hands", "actions", "showdowns", "splits", "all_ins", "excused", "differences")
    print(f"{'engine and game':48} " + " ".join(f"{name:>11}" for name in counted) + "  CPU s")
    for name, compare in COMPARISONS.items():
        if options.only not in name:
            continue
        start = time.process_time()
        tally = compare(options.hands, options.seed)
        numbers = " ".join(f"{getattr(tally, field):11}" for field in counted)
        print(f"{name:48} {numbers}  {time.process_time() - start:.1f}", flush=True)
        if tally.first:
            print(f"    {tally.first}", flush=True)
        if options.speed and name in SPECS:
            mine, theirs = speeds(SPECS[name], tally)
            print(f"    hands a CPU second: ours {mine:,.0f}, PokerKit {theirs:,.0f}", flush=True)


if __name__ == "__main__":
    main()
