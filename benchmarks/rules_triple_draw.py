"""Triple draw against PokerKit, move by move: actors, legal actions, chips, hands, payoffs. 20,000 hands by default.

    python benchmarks/rules_triple_draw.py [HANDS]

PokerKit lets four raises follow the big blind, so the game is played with ``blind_counts=false``; each PokerKit player's
index is our position from the button. PokerKit asks all players for their discards before it deals; the cards dealt are
the same. Needs pokerkit.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
from pokerkit import Automation, FixedLimitDeuceToSevenLowballTripleDraw

import cardai
from cardai.cards.text import cards_text
from cardai.core.rng import derive, derive_many

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
DEEP = 10**6


class Twins:
    """One hand in both engines."""

    def __init__(self, players: int, stack: int, button: int, seed: int) -> None:
        self.game = cardai.game("triple_draw", players=players, blind_counts=False, stack=stack)
        self.players, self.button, self.one = players, button, np.zeros(1, np.int64)
        self.stack = stack or DEEP
        self.tables: Any = self.game.tables(1)
        setups = np.zeros(1, cardai.core.game.setup_dtype(players))
        setups["starter"] = button
        self.tables.reset(np.array([seed], np.uint64), None, None, setups)
        self.theirs = FixedLimitDeuceToSevenLowballTripleDraw.create_state(
            AUTOMATIONS, True, 0, (50, 100), 100, 200, self.stack, players
        )
        for position in range(players):
            self.theirs.deal_hole(cards_text(self.hand(position)))
        self.waiting: list[int] = []

    @property
    def row(self) -> Any:
        return self.tables.data[0]

    def seat(self, position: int) -> int:
        return (self.button + 1 + position) % self.players

    def hand(self, position: int) -> list[int]:
        seat = self.seat(position)
        return [int(card) for card in self.row["hands"][5 * seat : 5 * seat + 5]]

    def check_decision(self) -> list[int]:
        """Compare the position to act, its legal actions and the chips; return our legal actions."""
        seat = int(self.tables.current_players()[0])
        position = (seat - self.button - 1) % self.players
        legal = np.flatnonzero(self.tables.legal(self.one)[0]).tolist()
        assert int(self.row["spent"].sum()) == self.theirs.total_pot_amount
        for other in range(self.players):
            spent = self.stack - self.theirs.stacks[other]
            assert int(self.row["spent"][self.seat(other)]) == spent
            assert bool(self.row["folded"][self.seat(other)]) == (not self.theirs.statuses[other])
        if 3 in legal:
            assert position == self.theirs.stand_patter_or_discarder_index
            assert legal == list(range(3, 35))
        else:
            assert position == self.theirs.actor_index
            offered = (True, self.theirs.can_check_or_call(), self.theirs.can_complete_bet_or_raise_to())
            facing = self.theirs.checking_or_calling_amount > 0
            assert legal == [a for a, able in enumerate(offered) if able and (a > 0 or facing)]
        return legal

    def play(self, action: int) -> None:
        position = (int(self.tables.current_players()[0]) - self.button - 1) % self.players
        before = self.hand(position)
        self.tables.apply(self.one, np.array([action]))
        if action >= 3:
            out = [card for i, card in enumerate(before) if (action - 3) >> i & 1]
            self.theirs.stand_pat_or_discard(cards_text(out))
            if out:
                self.waiting.append(position)
            if self.theirs.stand_patter_or_discarder_index is None:
                self.deal()
        elif action == 0:
            self.theirs.fold()
        elif action == 1:
            self.theirs.check_or_call()
        else:
            self.theirs.complete_bet_or_raise_to()

    def deal(self) -> None:
        """Deal to PokerKit what we dealt, once all have discarded."""
        if self.theirs.can_burn_card("??"):
            self.theirs.burn_card("??")
        for position in self.waiting:
            held = {repr(card) for card in self.theirs.hole_cards[position]}
            new = [card for card in self.hand(position) if cards_text([card]) not in held]
            assert self.theirs.hole_dealee_index == position
            self.theirs.deal_hole(cards_text(new))
        self.waiting = []

    def check_end(self) -> None:
        assert not self.theirs.status
        payoffs = [stack - self.stack for stack in self.theirs.stacks]
        ours = self.tables.returns(self.one)[0]
        for position in range(self.players):
            # PokerKit splits whole chips; we split fractions
            assert abs(ours[self.seat(position)] - payoffs[position]) < self.players, (ours, payoffs)
            exact = float(ours[self.seat(position)]).is_integer()
            assert not exact or ours[self.seat(position)] == payoffs[position], (ours, payoffs)


def compare(hands: int, players: int, stack: int = 0, seed: int = 0) -> dict[str, int]:
    """Play random hands in both engines; return counts. Raises AssertionError at the first difference."""
    counts = {"hands": 0, "decisions": 0, "showdowns": 0, "splits": 0, "reshuffles": 0}
    seeds = derive_many(seed, "deal", players, stack, count=hands)
    rng = np.random.default_rng(derive(seed, "play", players, stack))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PokerKit warns of cards that its own deck would not deal next
        for k in range(hands):
            twins = Twins(players, stack, k % players, int(seeds[k]))
            folds = rng.choice([0.02, 0.3])
            while twins.tables.current_players()[0] >= 0:
                legal = twins.check_decision()
                if legal[0] == 0 and rng.random() > folds:
                    legal = legal[1:]
                twins.play(int(rng.choice(legal)))
                counts["decisions"] += 1
            twins.check_end()
            outcome = twins.tables.outcomes(twins.one)[0]
            counts["hands"] += 1
            counts["showdowns"] += int(outcome["showdown"])
            counts["splits"] += int((twins.tables.returns(twins.one)[0] >= 0).sum() > 1 and outcome["showdown"])
            counts["reshuffles"] += int(twins.row["reshuffles"])
    return counts


def main(hands: int) -> None:
    for players, stack, share in ((2, 0, 0.7), (2, 550, 0.1), (3, 0, 0.1), (6, 0, 0.05), (4, 700, 0.05)):
        start = time.process_time()
        counts = compare(int(hands * share), players, stack)
        said = ", ".join(f"{value:,} {name}" for name, value in counts.items())
        deep = f"{stack} chips" if stack else "no stack limit"
        print(f"{players} players, {deep}: equal in {said}; {time.process_time() - start:.0f} s CPU, 1 thread")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
