"""Gin rummy's rules against OpenSpiel's gin_rummy, decision by decision: python benchmarks/gin_rules.py [--hands N].

The same decks and actions are played in both, under the options in which the two agree; a third of the hands is Oklahoma gin. At every decision the legal
actions are compared, after every turn both deadwoods, at the end our melds and layoffs are played as OpenSpiel's meld and
layoff actions and the scores compared. In another third the players choose their melds, and the knocker's legal melds
are compared too. A first difference stops the run and is shown.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from typing import Any

import numpy as np

import cardai
from cardai.cards.text import cards_of
from cardai.core.rng import Rows, derive, derive_many, hash_rows
from cardai.gin.actions import (
    FIRST_MELD,
    GIN,
    KNOCK,
    MELDS,
    OFFER,
    PASS,
    PLAY_ON,
    SHOW,
    STOCK,
    TAKE,
    UNDERCUT,
    WALL,
)
from cardai.gin.melds import deadwood

OPTIONS = {
    "starter": "first",
    "discard_ban": False,
    "repeated_discard_draw": True,
    "wall_turn": True,
    "tie": "push",
    "max_upcard_draws": 50,
}
PLAYERS = {
    "random": "random",
    "knocker": "random",  # but it knocks when it can
    "simple": "simple",
    "gin-only": "gin-only",
    "waiter": "gin_rules:knock=rules,early=0,late=99,low=0,otherwise=false",  # knocks with gin, or at the wall
}
PEER_STOCK, PEER_PASS, PEER_KNOCK, PEER_MELD = 53, 54, 55, 56  # OpenSpiel's action numbers; 52 is the same
LIMIT = 10


def limit_of(deck: list[int], oklahoma: bool) -> int:
    """Return the most deadwood to knock with: the first up-card's points, none for an ace."""
    points = min((deck[20] % 13 + 1) % 13 + 1, 10)
    return LIMIT if not oklahoma else points if points > 1 else 0


def peer_card(card: int) -> int:
    """Return OpenSpiel's number of a card: suits s c d h, ace low."""
    return 13 * ((card // 13 + 1) % 4) + (card % 13 + 1) % 13


def our_card(card: int) -> int:
    """Return our number of OpenSpiel's card."""
    return 13 * ((card // 13 + 3) % 4) + (card % 13 + 12) % 13


class Peer:
    """One hand at OpenSpiel's table, following ours."""

    def __init__(self, game: Any, utils: Any, deck: list[int], counts: Counter[str], limit: int) -> None:
        self.limit = limit
        self.state = game.new_initial_state()
        self.utils = utils
        self.deck = deck
        self.counts = counts
        self.meld_number = {frozenset(meld): number for number, meld in utils.int_to_meld.items()}
        self.cut = False  # whether OpenSpiel cannot follow any more
        self.extra = 0  # points of layoffs that OpenSpiel does not offer
        self.pending = -1  # a discard not yet played here: OpenSpiel asks about knocking first
        for card in deck[0:20:2] + deck[1:20:2] + [deck[20]]:
            self.state.apply_action(peer_card(card))
        self.dealt = 21

    def play(self, action: int) -> None:
        """Play one action that must be legal here."""
        require(action in self.state.legal_actions(), f"action {action} is legal", self.state)
        self.state.apply_action(action)

    def draw_from_stock(self) -> None:
        self.play(PEER_STOCK)
        self.state.apply_action(peer_card(self.deck[self.dealt]))
        self.dealt += 1

    def compare_legal(self, phase: int, legal: set[int], hand: list[int]) -> None:
        """Compare the legal actions before a decision (``legal``: ours; ``hand``: of the player to act)."""
        theirs = set(self.state.legal_actions())
        self.counts["decisions"] += 1
        if phase == 2 and not self.wall:  # discard
            ours = {peer_card(card) for card in legal}
            if any(deadwood(set(hand) - {card}) <= self.limit for card in legal):
                ours.add(PEER_KNOCK)
        elif phase == 2:
            ours = {peer_card(card) for card in legal}
        elif phase == WALL:
            ours = {{PASS: PEER_PASS, TAKE: PEER_KNOCK}[action] for action in legal}
        elif phase == SHOW:
            melds = {peer_meld(action - FIRST_MELD) for action in legal if action != PASS}
            ours = {PEER_MELD + self.meld_number[meld] for meld in melds if meld in self.meld_number}
            ours |= {PEER_PASS} & ({PEER_PASS} if PASS in legal else set())
            self.counts["meld choices"] += 1
        else:
            ours = {{TAKE: 52, STOCK: PEER_STOCK, PASS: PEER_PASS}[action] for action in legal}
        if phase == 2 and ours - theirs == {PEER_KNOCK} and not self.wall:
            # its deadwood of 11 cards drops the highest loose card of one arrangement, which is not always the best way
            theirs.add(PEER_KNOCK)
            worst = self.utils.min_deadwood([peer_card(card) for card in hand])
            require(worst > self.limit, f"OpenSpiel's own deadwood {worst} > {self.limit}", self.state)
            self.counts["knocks that OpenSpiel's inexact deadwood of 11 cards does not offer"] += 1
        require(ours == theirs, f"legal actions {sorted(ours)} == {sorted(theirs)}", self.state)

    @property
    def wall(self) -> bool:
        return self.state.knocked()[0] or self.state.knocked()[1]

    def follow(self, phase: int, action: int, legal_knocks: set[int]) -> None:
        """Play our action here; knocks of ``legal_knocks`` (discards that leave little enough) are compared."""
        if phase == OFFER:
            self.play(52 if action == TAKE else PEER_PASS)
            if all(self.state.pass_on_first_upcard()):
                self.draw_from_stock()
        elif phase == 1:
            self.play(52) if action == TAKE else self.draw_from_stock()
        elif phase == WALL:
            self.play(PEER_KNOCK if action == TAKE else PEER_PASS)
        elif phase == 2:
            if self.wall:
                self.play(peer_card(action))
            elif action in legal_knocks:
                self.pending = action
                self.knocks = legal_knocks
            else:
                self.play(peer_card(action))
        elif action == PLAY_ON:
            self.play(peer_card(self.pending))
        elif action == KNOCK:
            if PEER_KNOCK not in self.state.legal_actions():
                self.cut = True
                self.counts["hands compared only up to such a knock"] += 1
                return
            self.play(PEER_KNOCK)
            require(
                set(self.state.legal_actions()) == {peer_card(card) for card in self.knocks},
                f"knocking discards {sorted(peer_card(c) for c in self.knocks)}",
                self.state,
            )
            self.play(peer_card(self.pending))

    def lay_down(self, melds: list[int]) -> None:
        """Play melds (gin-order sets) that are not down yet, long runs in pieces of three to five, then pass."""
        down = {c for m in self.state.layed_melds()[self.state.current_player()] for c in self.utils.int_to_meld[m]}
        for meld in melds:
            cards = [card for card in peer_order(meld) if card not in down]
            for piece in pieces(cards):
                self.play(PEER_MELD + self.meld_number[frozenset(piece)])
        self.play(PEER_PASS)

    def settle(self, row: Any) -> None:
        """Play our melds and layoffs."""
        knocker = int(row["knocker"])
        self.lay_down([int(meld) for meld in row["melds"][knocker] if meld])
        left = {peer_card(card) for card in cards_of(int(row["laid_off"]))}
        if row["ending"] != GIN:
            while fitting := left & set(self.state.legal_actions()):
                self.play(min(fitting))
                left -= {min(fitting)}
            if left:
                self.check_too_deep(left)
            melded = {card for meld in row["melds"][1 - knocker] for card in peer_order(int(meld))}
            more = {card for card in self.state.legal_actions() if card < 52} - melded
            require(not more, f"nothing is left to lay off, not {sorted(more)}", self.state)
            self.play(PEER_PASS)
        self.lay_down([int(meld) for meld in row["melds"][1 - knocker] if meld])
        self.extra = sum(min(card % 13 + 1, 10) for card in left)

    def check_too_deep(self, left: set[int]) -> None:
        """Check that the layoffs that OpenSpiel does not offer lie two or more cards beyond the end of a run.

        It lengthens a run by at most two cards at each end (its AllLayoffs looks at the run as it was laid down).
        """
        laid = set(self.state.layoffs())
        for card in left:
            towards = [card + step * k for step in (1, -1) for k in (1, 2)]
            deep = any(set(towards[i : i + 2]) <= laid | left for i in (0, 2))
            require(deep, f"the layoff {card} is legal, or beyond two others", self.state)
        self.counts["hands with a layoff deeper than OpenSpiel's two"] += 1


def peer_order(gin_set: int) -> list[int]:
    """Return OpenSpiel's numbers of the cards of a gin-order set (13*suit + rank from the ace)."""
    cards = [card for card in range(52) if gin_set >> card & 1]
    return [13 * ((card // 13 + 1) % 4) + card % 13 for card in cards]


def peer_meld(number: int) -> frozenset[int]:
    return frozenset(peer_order(int(MELDS[number])))


def pieces(run: list[int]) -> list[list[int]]:
    """Cut cards of a run longer than five into runs of three to five (OpenSpiel has no longer ones)."""
    if len(run) <= 5:
        return [run] if run else []
    cut = 5 if len(run) - 5 >= 3 else len(run) - 3
    return [run[:cut], *pieces(run[cut:])]


def require(condition: bool, claim: str, state: Any) -> None:
    if not condition:
        raise AssertionError(f"Expected: {claim}\nOpenSpiel's state:\n{state}\nhistory {state.history()}")


def compare(hands: int, seed: int, melds: str, counts: Counter[str], oklahoma: bool = False) -> None:
    """Play ``hands`` hands in both and compare; ``melds`` and ``oklahoma`` are the game's options. Adds to ``counts``."""
    import pyspiel

    game = cardai.game("gin", melds=melds, oklahoma=oklahoma, **OPTIONS)
    peer_game = pyspiel.load_game("gin_rummy", {"oklahoma": oklahoma})
    utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    agents = {name: cardai.agent(spec) for name, spec in PLAYERS.items()}
    for start in range(0, hands, 256):
        count = min(256, hands - start)
        tables: Any = game.tables(count)
        tables.reset(derive_many(seed, "deck", count=count, start=start))
        decks = [tables.deck(row) for row in range(count)]
        peers = [Peer(peer_game, utils, deck, counts, limit_of(deck, oklahoma)) for deck in decks]
        rng = random.Random(derive(seed, "players", start))
        who = [[rng.choice(list(PLAYERS)) for _ in range(2)] for _ in range(count)]
        streams = derive_many(seed, "agents", count=count, start=start)
        step = 0
        while True:
            current = tables.current_players()
            if (current < 0).all():
                break
            for seat in range(2):
                for name in PLAYERS:
                    rows = np.array([r for r in range(count) if current[r] == seat and who[r][seat] == name], np.int64)
                    if len(rows):
                        _turn(tables, peers, seat, name, agents[name], rows, streams, step, counts)
            step += 1
        for row in range(count):
            _finish(tables, peers[row], row, counts)


def _turn(
    tables: Any, peers: list[Peer], seat: int, name: str, agent: Any, rows: Any, streams: Any, step: int, counts: Any
) -> None:
    """Ask an agent at ``rows``, and play and compare its actions in both."""
    legal = tables.legal(rows)
    if name == "knocker":
        can = legal[:, KNOCK].copy()
        legal[can] = False
        legal[can, KNOCK] = True
    actions = agent.act(tables.views(seat, rows), legal, Rows(hash_rows(streams[rows], np.full(len(rows), step))))
    legal = tables.legal(rows)
    for i, row in enumerate(rows):
        state = tables.data[row]
        phase = int(state["phase"])
        hand = cards_of(int(state["hands"][seat]))
        allowed = {int(a) for a in np.flatnonzero(legal[i])}
        if peers[row].cut:
            continue
        if phase < 3 or phase == WALL or (phase == SHOW and seat == state["knocker"]):
            peers[row].compare_legal(phase, allowed, hand)
        knocks = {card for card in allowed if deadwood(set(hand) - {card}) <= peers[row].limit} if phase == 2 else set()
        if phase == SHOW and seat == state["knocker"] and actions[i] != PASS:
            for piece in pieces(peer_order(int(MELDS[actions[i] - FIRST_MELD]))):
                peers[row].play(PEER_MELD + peers[row].meld_number[frozenset(piece)])
        elif phase != SHOW:
            peers[row].follow(phase, int(actions[i]), knocks)
        if phase == WALL and actions[i] == TAKE:
            counts["knocks at the wall"] += 1
    tables.apply(rows, actions)
    for row in rows:
        state, peer = tables.data[row], peers[row]
        if not peer.cut and state["knocker"] < 0 and state["phase"] in (1, WALL) and not peer.state.is_terminal():
            ours = [deadwood(cards_of(int(state["hands"][p]))) for p in range(2)]
            require(ours == list(peer.state.deadwood()), f"deadwood {ours} == {peer.state.deadwood()}", peer.state)
            counts["deadwoods"] += 2


def _finish(tables: Any, peer: Peer, row: int, counts: Counter[str]) -> None:
    """Settle a finished hand in OpenSpiel and compare the scores."""
    state = tables.data[row]
    if peer.cut:
        return
    if state["knocker"] >= 0:
        peer.settle(state)
    require(peer.state.is_terminal(), "the hand is over", peer.state)
    ours = [float(x) for x in state["result"]]
    if peer.extra:
        knocker = int(state["knocker"])
        difference = int(state["deadwood"][1 - knocker]) + peer.extra - int(state["deadwood"][knocker])
        points = float(difference - 25 if difference < 0 else difference)
        ours = [points, -points] if knocker == 0 else [-points, points]
    require(ours == list(peer.state.returns()), f"scores {ours} == {peer.state.returns()}", peer.state)
    counts["hands"] += 1
    counts["knocks"] += int(state["knocker"] >= 0)
    counts["gins"] += int(state["ending"] == GIN)
    counts["undercuts"] += int(state["ending"] == UNDERCUT)
    counts["hands with a layoff"] += int(state["layoffs"] > 0)
    counts["void or capped"] += int(state["ending"] >= 3)
    counts["capped"] += int(state["ending"] == 4)
    counts["knocks or gins with a limit below ten"] += int(state["knocker"] >= 0 and peer.limit < LIMIT)
    counts["gins that an ace demanded"] += int(state["knocker"] >= 0 and peer.limit == 0)


def main() -> None:
    """Compare and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=20_100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    start = time.process_time()
    part = given.hands // 3
    compare(part, given.seed, "random", counts)
    compare(part, given.seed + 1, "choose", counts)
    compare(given.hands - 2 * part, given.seed + 2, "random", counts, oklahoma=True)
    print("no difference from OpenSpiel's gin_rummy in:")
    for name, count in counts.items():
        print(f"  {count:>9,} {name}")
    print(f"  {time.process_time() - start:.0f} s of CPU, one thread")


if __name__ == "__main__":
    main()
