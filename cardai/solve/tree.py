"""A game as arrays: its tree walked once, from its plain State, into nodes and information sets in sequence form.

A *sequence* of a player is the empty one, or one action at one of its information sets; with perfect recall it stands
for all that the player has done on the way there (von Stengel, "Efficient computation of behavior strategies", 1996).
All players' sequences and information sets are numbered in one row, player by player, parents before children.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import log10
from random import Random
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, evolve, field, frozen

from cardai.core.arrays import Bools, Float64s, Int8s
from cardai.core.errors import UsageError
from cardai.core.fields import Views, pack_views
from cardai.core.game import CHANCE, TERMINAL, Game, State
from cardai.core.progress import tell
from cardai.core.spec import brief

Ints = npt.NDArray[np.int32]

NODE_LIMIT = 2_000_000
"""The largest tree that is enumerated unless the caller says otherwise."""
_TOLD_EVERY = 20_000  # finished hands between two signs of life
MASK_LIMIT = 1024
"""Games with more distinct actions than this have no mask of legal actions, hence no table of policies."""


@frozen(eq=False)
class InformationSets:
    """I information sets of all players, with S sequences. Player p's are ``start[p]`` to ``start[p + 1]``.

    Sequence numbers run over all players too: player p's are ``sequence_start[p]`` (its empty sequence) to
    ``sequence_start[p + 1]``. Parents come before children. ``sequence_infoset`` and ``sequence_action`` are -1 for
    empty sequences.
    """

    start: Ints  # (P + 1,)
    sequence_start: Ints  # (P + 1,)
    parent_sequence: Ints  # (I,) the player's last sequence before it
    first_sequence: Ints  # (I,) its actions' sequences follow one another from here
    num_actions: Ints  # (I,)
    sequence_infoset: Ints  # (S,)
    sequence_action: Ints  # (S,) the game's action
    player: Int8s  # (I,)
    legal: Bools  # (I, num_distinct_actions)
    views: Views  # (I,) what the player to act sees there
    keys: tuple[bytes, ...]  # (I,)

    def __len__(self) -> int:
        return len(self.parent_sequence)

    @property
    def num_sequences(self) -> int:
        """S, all players' sequences together, an empty one a player included."""
        return len(self.sequence_infoset)


@frozen(eq=False)
class GameTree:
    """N nodes; node 0 is the root, the children of a node follow one another, parents come before children."""

    game: Game
    player: Int8s  # (N,) seat to act, -1 chance, -4 finished
    parent: Ints  # (N,) -1 at the root
    first_child: Ints  # (N,)
    num_children: Ints  # (N,) 0 at finished nodes
    action: Ints  # (N,) the action or chance outcome that leads here, -1 at the root
    probability: Float64s  # (N,) of the chance outcome that leads here; 1 after a player's action
    infoset: Ints  # (N,) the acting player's information set, -1 at other nodes
    public: Bools  # (N,) chance nodes whose outcome everybody sees
    private: Int8s  # (N,) the seat that alone sees the outcome of a chance node, -1 at other nodes
    terminals: Ints  # (T,) the finished nodes
    terminal_sequences: Ints  # (T, P) each player's last sequence there
    terminal_reach: Float64s  # (T,) the product of chance's probabilities on the way
    terminal_returns: Float64s  # (T, P)
    infosets: InformationSets

    @property
    def num_players(self) -> int:
        """P, the number of seats."""
        return int(self.terminal_sequences.shape[1])

    def counts(self) -> dict[str, int]:
        """Return how many nodes of each kind, information sets and sequences there are."""
        return {
            "nodes": len(self.player),
            "chance nodes": int(np.sum(self.player == CHANCE)),
            "decision nodes": int(np.sum(self.player >= 0)),
            "finished nodes": len(self.terminals),
            "information sets": len(self.infosets),
            "sequences": self.infosets.num_sequences,
        }

    def public_histories(self) -> Iterator[tuple[int, ...]]:
        """Yield the nodes that an onlooker tells apart, each as the actions and public outcomes of chance that lead there.

        Outcomes that not everybody sees make no node; nor does what follows when nobody has a decision left (the board
        dealt after both are all-in).
        """
        decides = np.asarray(self.player >= 0)
        for node in range(len(self.player) - 1, 0, -1):
            decides[self.parent[node]] |= decides[node]
        history: list[tuple[int, ...]] = [()] * len(self.player)
        seen: set[tuple[int, ...]] = {()}
        yield ()
        for node in range(1, len(self.player)):
            parent = int(self.parent[node])
            hidden = self.player[parent] == CHANCE and (not self.public[parent] or not decides[parent])
            history[node] = history[parent] if hidden else (*history[parent], int(self.action[node]))
            if history[node] not in seen:
                seen.add(history[node])
                yield history[node]


def game_tree(game: Game, limit: int = NODE_LIMIT) -> GameTree:
    """Return the tree of ``game`` as arrays; the same game with the same options is walked only once.

    Raises:
        UsageError: the game is too large, its chance cannot be enumerated, or a player forgets (imperfect recall).
    """
    try:
        return _cached_tree(game, limit)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        return build_tree(game, limit)


@lru_cache(maxsize=8)
def _cached_tree(game: Game, limit: int) -> GameTree:
    return build_tree(game, limit)


def build_tree(game: Game, limit: int = NODE_LIMIT) -> GameTree:
    """Walk the whole tree of ``game`` (see :func:`game_tree`, which remembers it)."""
    refuse_if_large(game, limit)
    builder = _Builder(game, limit)
    builder.walk(first_hand(game))
    return builder.finish()


def first_hand(game: Game) -> State:
    """Return the hand that is solved: a match's first, with no score."""
    setup = game.next_hand((0.0,) * game.num_players, None, 0)
    return game.new_initial_state(evolve(setup, score=()))


_HINT = "Where time and memory suffice, cardai evaluate takes a higher --limit."


def refuse_if_large(game: Game, limit: int) -> None:
    """Raise UsageError for a game far over ``limit`` nodes, judged by random paths rather than by walking it.

    The product of the branching along a random path estimates the number of nodes at each depth (Knuth, "Estimating the
    efficiency of backtrack programs", 1975). The median of 15 paths is a cautious guess, so only 20 times the limit is
    refused here; the walk itself counts exactly.
    """
    name = brief(game)
    if game.amounts or game.num_distinct_actions > MASK_LIMIT:
        raise UsageError(
            f"{name} has {game.num_distinct_actions} distinct actions: exact measures and solvers take games with at "
            f"most {MASK_LIMIT}. Give the game a smaller set of bets, if it has such an option."
        )
    rng = Random(0)
    guess = median(_path_estimate(first_hand(game), rng) for _ in range(15))
    if guess > log10(20 * limit):
        raise UsageError(
            f"{name} is too large to enumerate: about 10^{guess:.0f} nodes, and the limit is {limit:,}. "
            "Exact measures and tabular solvers are for small games; larger ones are measured by play "
            f"(cardai run, with duplicate deals). {_HINT}"
        )


def _path_estimate(state: State, rng: Random) -> float:
    """Return log10 of the nodes at the end of one random path."""
    size = 0.0
    while not state.is_terminal():
        actions = [a for a, _ in _outcomes(state)] if state.is_chance_node() else state.legal_actions()
        size += log10(len(actions))
        state.apply_action(rng.choice(actions))
    return size


def _outcomes(state: State) -> list[tuple[int, float]]:
    try:
        outcomes = [(a, q) for a, q in state.chance_outcomes() if q > 0]
    except NotImplementedError as error:
        raise UsageError(
            f"The chance of this game cannot be enumerated: {type(state).__name__} has no chance_outcomes. "
            "Exact measures and solvers need them."
        ) from error
    total = sum(q for _, q in outcomes)
    if abs(total - 1) > 1e-9:
        raise UsageError(f"The chance outcomes of {type(state).__name__} sum to {total!r} instead of 1: {outcomes}.")
    return outcomes


_UNKNOWN = {"player": 0, "first_child": 0, "num_children": 0, "infoset": -1, "public": False, "private": -1}
"""What a node's columns hold before it is visited."""


@define
class _Set:
    """An information set while the tree is being walked. Sequences are the player's own numbers here."""

    number: int
    parent: int
    first: int
    actions: list[int]
    view: dict[str, Any]
    history: list[int]


@define
class _Builder:
    """Walks a tree depth first; the children of a node get their numbers together."""

    game: Game
    limit: int
    sets: list[dict[bytes, _Set]] = field(init=False)
    sequences: list[int] = field(init=False)
    nodes: dict[str, list[Any]] = field(init=False)
    ends: list[tuple[int, tuple[int, ...], float, list[float]]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.sets = [{} for _ in range(self.game.num_players)]
        self.sequences = [1] * self.game.num_players
        names = ("parent", "action", "probability", *_UNKNOWN)
        self.nodes = {name: [] for name in names}

    def walk(self, root: State) -> None:
        self._number([-1], [1.0], -1)
        none: tuple[int, ...] = (0,) * self.game.num_players
        stack: list[tuple[int, State, tuple[int, ...], float, float]] = [(0, root, none, 1.0, 1.0)]
        walked = 0.0  # the part of the tree that is behind, if all children of a node had trees of one size
        while stack:
            node, state, sequences, reach, share = stack.pop()
            player = state.current_player()
            self.nodes["player"][node] = player
            if player == TERMINAL:
                self.ends.append((node, sequences, reach, state.returns()))
                walked += share
                if len(self.ends) % _TOLD_EVERY == 0:
                    tell(f"walking the tree of {brief(self.game)}", int(walked * 10_000), 10_000)
                continue
            probabilities: list[float]
            if player == CHANCE:
                actions, probabilities = (list(x) for x in zip(*_outcomes(state), strict=True))  # type: ignore[assignment]
                seen_by = state.chance_seen_by()
                self.nodes["public"][node] = len(seen_by) == self.game.num_players
                self.nodes["private"][node] = seen_by[0] if len(seen_by) == 1 else -1
                first = -1
            else:
                found = self._information_set(state, player, sequences[player])
                self.nodes["infoset"][node] = found.number
                actions, first = found.actions, found.first
                probabilities = [1.0] * len(actions)
            children = self._number(actions, probabilities, node)
            for k, child in reversed(list(enumerate(children))):
                after = state if k == 0 else state.clone()  # the last one pushed walks the original
                after.apply_action(actions[k])
                own = sequences
                if player >= 0:
                    own = (*sequences[:player], first + k, *sequences[player + 1 :])
                stack.append((child, after, own, reach * probabilities[k], share / len(children)))
        if len(self.ends) >= _TOLD_EVERY:
            tell(f"walking the tree of {brief(self.game)}", 1, 1)

    def _number(self, actions: list[int], probabilities: list[float], parent: int) -> range:
        """Append nodes with nothing known but how they are reached; return their numbers."""
        first = len(self.nodes["player"])
        count = len(actions)
        if first + count > self.limit:
            raise UsageError(
                f"{brief(self.game)} has more than {self.limit:,} nodes: too large for exact measures and tabular "
                f"solvers. Larger games are measured by play (cardai run, with duplicate deals). {_HINT}"
            )
        if parent >= 0:
            self.nodes["first_child"][parent] = first
            self.nodes["num_children"][parent] = count
        self.nodes["action"] += actions
        self.nodes["probability"] += probabilities
        self.nodes["parent"] += [parent] * count
        for name, empty in _UNKNOWN.items():
            self.nodes[name] += [empty] * count
        return range(first, first + count)

    def _information_set(self, state: State, player: int, parent: int) -> _Set:
        """Return the player's information set here; the first visit makes it, later ones must agree with it."""
        key = state.key(player)
        actions = state.legal_actions()
        known = self.sets[player].get(key)
        if known is None:
            known = _Set(
                len(self.sets[player]), parent, self.sequences[player], actions, state.view(player), state.history
            )
            self.sets[player][key] = known
            self.sequences[player] += len(actions)
            return known
        name = type(self.game).__name__
        where = f"Player {player}'s information set {key!r} of {name}"
        if known.parent != parent:
            raise UsageError(
                f"{where} has imperfect recall: it is reached after different own actions, by {known.history} and by "
                f"{state.history}. Exact measures and solvers need a key that remembers the player's own actions."
            )
        if known.actions != actions:
            raise UsageError(
                f"{where} has different legal actions: {known.actions} after {known.history}, {actions} after "
                f"{state.history}. Two states with equal keys must be the same to the player."
            )
        return known

    def finish(self) -> GameTree:
        """Return the arrays, with information sets and sequences numbered over all players."""
        infosets = self._information_sets()
        column = {name: np.array(values) for name, values in self.nodes.items()}
        player = column["player"].astype(np.int8)
        infoset = column["infoset"].astype(np.int32)
        acting = player >= 0
        infoset[acting] += infosets.start[player[acting]]
        sequences = np.array([e[1] for e in self.ends], np.int32).reshape(len(self.ends), self.game.num_players)
        return GameTree(
            game=self.game,
            player=player,
            parent=column["parent"].astype(np.int32),
            first_child=column["first_child"].astype(np.int32),
            num_children=column["num_children"].astype(np.int32),
            action=column["action"].astype(np.int32),
            probability=column["probability"].astype(np.float64),
            infoset=infoset,
            public=column["public"].astype(np.bool_),
            private=column["private"].astype(np.int8),
            terminals=np.array([e[0] for e in self.ends], np.int32),
            terminal_sequences=sequences + infosets.sequence_start[:-1],
            terminal_reach=np.array([e[2] for e in self.ends]),
            terminal_returns=np.array([e[3] for e in self.ends], np.float64).reshape(sequences.shape),
            infosets=infosets,
        )

    def _information_sets(self) -> InformationSets:
        start = np.cumsum([0, *(len(sets) for sets in self.sets)]).astype(np.int32)
        sequence_start = np.cumsum([0, *self.sequences]).astype(np.int32)
        everyone = [(p, key, s) for p, sets in enumerate(self.sets) for key, s in sets.items()]
        legal = np.zeros((len(everyone), self.game.num_distinct_actions), np.bool_)
        sequence_infoset = np.full(sequence_start[-1], -1, np.int32)
        sequence_action = np.full(sequence_start[-1], -1, np.int32)
        for i, (p, _, s) in enumerate(everyone):
            legal[i, s.actions] = True
            here = slice(sequence_start[p] + s.first, sequence_start[p] + s.first + len(s.actions))
            sequence_infoset[here] = i
            sequence_action[here] = s.actions
        player = np.array([p for p, _, _ in everyone], np.int8)
        base = sequence_start[player]
        return InformationSets(
            start=start,
            sequence_start=sequence_start,
            parent_sequence=(base + np.array([s.parent for _, _, s in everyone], np.int32)).astype(np.int32),
            first_sequence=(base + np.array([s.first for _, _, s in everyone], np.int32)).astype(np.int32),
            num_actions=np.array([len(s.actions) for _, _, s in everyone], np.int32),
            sequence_infoset=sequence_infoset,
            sequence_action=sequence_action,
            player=player,
            legal=legal,
            views=pack_views(self.game.view_fields, (s.view for _, _, s in everyone)),
            keys=tuple(key for _, key, _ in everyone),
        )
