"""A spot as a game: hands are dealt from the two ranges, the betting is that of the spot's tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cardai.cards.text import card_text, cards_glyphs
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Family, Field
from cardai.core.reasons import Reason
from cardai.core.states import CHANCE, TERMINAL, Setup, State, StateGame
from cardai.poker.contract import FRENCH, HIGH, HOLDEM_BOARD, Hole
from cardai.poker.fields import POKER, betting_fields, history_fields
from cardai.poker.hands import combos
from cardai.poker.hands.equity import hand_equity
from cardai.poker.ranges.cfr import meetings
from cardai.poker.ranges.lines import action_words, token
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, Node, PublicTree
from cardai.poker.ranges.spot import Spot
from cardai.poker.rules.answers import CardAnswers

SMALL = Spot("KsTh7s4d2c", 100, (150, 150), ("KTs,77,QJo", "AA,KQo,98s"), "1+allin")
"""The spot that stands where none is named."""
ACTIONS = ("fold", "check or call")
_PAIRS = combos.pairs().astype(np.int64)


def action_numbers(node: Node) -> list[int]:
    """Return the game's number of each action of a decision: 0 fold, 1 check or call, 2, 3, ... its bets, ascending."""
    bets = iter(range(2, 2 + len(node.actions)))
    return [action.kind if action.kind < 2 else next(bets) for action in node.actions]


def node_at(root: Node, history: Iterable[int]) -> Node:
    """Return where what was done from the root on leads to: the next decision, or an end."""
    node = _past_cards(root)
    for action in history:
        node = _past_cards(node.children[action_numbers(node).index(action)])
    return node


def _past_cards(node: Node) -> Node:
    while node.kind == DEAL:
        node = node.children[0]
    return node


def line_of(root: Node, history: Iterable[int], cards: Sequence[int]) -> str:
    """Return what was done from the root of a spot's tree on as a line (:mod:`.lines`); ``cards`` are those that came."""
    node, words, come = root, list[str](), list(cards)
    for action in (*history, None):
        while node.kind == DEAL:
            words.append(card_text(come.pop(0)))
            node = node.children[0]
        if action is not None:
            chosen = action_numbers(node).index(action)
            words.append(token(node, node.actions[chosen]))
            node = node.children[chosen]
    return " ".join(words)


class SpotGame(StateGame, CardAnswers):
    """Base of the game of a spot; a subclass says which."""

    families: ClassVar[tuple[Family, ...]] = (POKER,)
    zero_sum: ClassVar[bool] = True
    title: ClassVar[str] = "Spot of hold'em"
    rules: ClassVar[str] = (
        "Both players hold a hand of their range, drawn so that every pair of hands that share no card is as likely as the "
        "product of its weights. The pot is half from each. Seat 0 acts first on every street; bets are those of the "
        "spot. Stacks are the shorter one; where a spot has cents or an odd pot, what is seen of chips is in its smallest parts."
    )
    deck = FRENCH
    hole = Hole(2)
    ranking = HIGH
    directory: str = ""
    """Where its solution is kept; "" where there is none."""
    num_players = 2
    num_chance_outcomes = combos.COUNT

    @property
    def spot(self) -> Spot:
        """The spot that is played."""
        raise NotImplementedError

    @cached_property
    def tree(self) -> PublicTree:
        """The public tree."""
        tree = self.spot.tree()
        if tree.rake:
            raise UsageError("A spot with rake is no game for two players alone: solve it without rake to play it.")
        if self.spot.checked_down:
            raise UsageError(
                "A spot whose later streets are checked down is no whole game: solve it without --check-down."
            )
        return tree

    @cached_property
    def ranges(self) -> Float64s:
        """(2, 1326) the ranges."""
        return self.spot.weights()

    @cached_property
    def board(self) -> tuple[int, ...]:  # type: ignore[override]
        return HOLDEM_BOARD[-len(self.spot.streets) :]

    @cached_property
    def first_board(self) -> tuple[int, ...]:
        """The cards that lie at the beginning."""
        return tuple(self.spot.cards())

    @cached_property
    def _nodes(self) -> list[Node]:
        return [node for forest in self.tree.streets for node in forest.nodes]

    @cached_property
    def num_distinct_actions(self) -> int:  # type: ignore[override]
        return 1 + max(max(action_numbers(node)) for node in self._nodes if node.kind == DECISION)

    @property
    def max_utility(self) -> float:
        return super().max_utility / self.tree.scale

    def in_chips(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return a view whose amounts are the spot's chips, not its smallest parts: as people see it."""
        scale = self.tree.scale
        return {
            **view,
            **{name: view[name] / scale for name in ("pot", "to_call")},
            **{name: [chips / scale for chips in view[name]] for name in ("spent", "round_spent", "stacks")},
        }

    def reasons(self, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
        return super().reasons(self.in_chips(view), taken, best)

    @cached_property
    def longest(self) -> int:
        """The most actions of a hand."""

        def depth(node: Node) -> int:
            return (node.kind == DECISION) + max((depth(child) for child in node.children), default=0)

        return depth(self.tree.root)

    @cached_property
    def view_fields(self) -> tuple[Field, ...]:  # type: ignore[override]
        spot = self.spot
        betting = spot.betting()
        said = "0 fold, 1 check or call, 2 and more the bets that are possible there, ascending"
        return (
            *betting_fields(betting, max(self.tree.stacks)),
            POKER.field("hole", 51, 2),
            POKER.field("board", 51, 5),
            *history_fields(betting, said, self.num_distinct_actions - 1, self.longest),
        )

    def new_initial_state(self, setup: Setup | None = None) -> SpotState:
        return SpotState(self)

    def action_to_string(self, action: int) -> str:
        return ACTIONS[action] if action < 2 else f"bet or raise, size {action - 1}"

    def action_words(self, action: int, view: Mapping[str, Any]) -> str:
        node = node_at(self.tree.root, [int(a) for a in view["history"] if a >= 0])
        numbers = action_numbers(node)
        if node.kind != DECISION or action not in numbers:
            return self.action_to_string(action)
        return action_words(node, node.actions[numbers.index(action)])

    def chance_to_string(self, outcome: int) -> str:
        return cards_glyphs(_PAIRS[outcome])

    def card_to_string(self, card: int) -> str:
        return card_text(card)

    def shown_at_end(self, view: Mapping[str, Any], outcome: Mapping[str, Any]) -> tuple[int, ...]:
        return () if any(view["folded"]) else (0, 1)


class SpotState(State):
    """One hand of a spot. Chance deals seat 0's hand, seat 1's (their numbers), then cards."""

    def __init__(self, game: SpotGame) -> None:
        self.game = game
        self.node = game.tree.root
        self.hands: list[int] = []
        self.cards: list[int] = []
        self.actions: list[tuple[int, int, int]] = []
        """(action, round, seat)"""
        self._history: list[int] = []

    @property
    def history(self) -> list[int]:
        return list(self._history)

    def current_player(self) -> int:
        if len(self.hands) < 2 or self.node.kind == DEAL:
            return CHANCE
        return self.node.actor if self.node.kind == DECISION else TERMINAL

    def legal_actions(self) -> list[int]:
        player = self.current_player()
        if player == CHANCE:
            return [outcome for outcome, _ in self.chance_outcomes()]
        return [] if player == TERMINAL else action_numbers(self.node)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        ranges = self.game.ranges
        if len(self.hands) == 2:
            held = {*self.game.first_board, *self.cards, *_PAIRS[self.hands].ravel().tolist()}
            left = [card for card in range(52) if card not in held]
            return [(card, 1 / len(left)) for card in left]
        if not self.hands:
            weights = ranges[0] * meetings(_PAIRS, ranges[1], 52)
        else:
            taken = np.isin(_PAIRS, _PAIRS[self.hands[0]]).any(axis=1)
            weights = np.where(taken, 0.0, ranges[1])
        weights = np.where(weights > 1e-12 * weights.max(), weights, 0.0)
        return [(int(h), float(weights[h] / weights.sum())) for h in np.flatnonzero(weights)]

    def chance_seen_by(self) -> tuple[int, ...]:
        return (0, 1) if len(self.hands) == 2 else (len(self.hands),)

    def apply_action(self, action: int) -> None:
        self.check_legal(action)
        self._history.append(action)
        if len(self.hands) < 2:
            self.hands.append(action)
        elif self.node.kind == DEAL:
            self.cards.append(action)
            self.node = self.node.children[0]
        else:
            self.actions.append((action, self.node.street, self.node.actor))
            self.node = self.node.children[action_numbers(self.node).index(action)]

    def view(self, player: int) -> dict[str, Any]:
        game, node = self.game, self.node
        spent, stacks = node.spent, game.tree.stacks
        hole = _PAIRS[self.hands[player]].tolist() if len(self.hands) > player else []
        street = [a for a, street, _ in self.actions if street == node.street and a >= 2]
        return {
            "player": player,
            "button": 1,
            "round": node.street,
            "pot": sum(spent),
            "to_call": max(0, min(max(spent), stacks[player]) - spent[player]),
            "spent": list(spent),
            "round_spent": [spent[seat] - node.begun[seat] for seat in range(2)],
            "stacks": [stacks[seat] - spent[seat] for seat in range(2)],
            "folded": [int(node.kind == FOLD and node.actor == seat) for seat in range(2)],
            "raises": len(street),
            "score": [0, 0],
            "hole": hole,
            "board": [*game.first_board, *self.cards],
            "history": [a for a, _, _ in self.actions],
            "history_round": [street for _, street, _ in self.actions],
            "history_seat": [seat for _, _, seat in self.actions],
        }

    def key(self, player: int) -> bytes:
        hole = self.hands[player] if len(self.hands) > player else -1
        return repr((player, hole, self.cards, self.actions)).encode()

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        won: list[float] = (self.game.tree.won[:, self.node.number] / self.game.tree.scale).tolist()
        if self.node.kind == FOLD:
            return won
        shown = [_PAIRS[hand].tolist() for hand in self.hands]
        share = hand_equity(shown, [*self.game.first_board, *self.cards]).share[0]
        return [(2 * share - 1) * won[0], (1 - 2 * share) * won[1]]

    def clone(self) -> SpotState:
        copy = SpotState(self.game)
        copy.node, copy.hands, copy.cards = self.node, list(self.hands), list(self.cards)
        copy.actions, copy._history = list(self.actions), list(self._history)
        return copy
