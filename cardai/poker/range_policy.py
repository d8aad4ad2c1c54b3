"""How a player of hold'em is asked for a whole range: every hand's probabilities at a public state, in one batch.

There is one question and two ways to say where it is asked. :func:`policies_of` is asked where a table stands, with the view of
who acts: every hand takes the place of the cards in it. :class:`RangePolicy` is asked at nodes of the public tree; a player
that can answer that quickly has ``range_policy`` itself, and :class:`RangeAdapter` makes it of any other's ``policy``. Where
raises are amounts, :func:`amounts_of` asks how often each hand raises to which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from cardai.cards.text import cards_text
from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float32s, Float64s, Int8s, Int64s
from cardai.core.errors import AgentError, UsageError
from cardai.core.fields import Views
from cardai.core.game import Game, Tables
from cardai.core.legal import Amounts, Legal, legal_columns, take
from cardai.core.spec import brief
from cardai.poker.hands.boards import BOARD_SIZES, RENAMINGS, hand_maps
from cardai.poker.hands.combos import COUNT, left_by, pair_index, pairs
from cardai.poker.ranges.public_tree import PublicTree
from cardai.solve.measures import SUM_TOLERANCE

ROWS = 100_000
"""Views that are asked for at once."""
SOME_NODES = 64
"""Decision nodes of a street at which a promise about suits is looked at."""
ALL_HANDS = np.arange(COUNT)
_PAIRS = pairs().astype(np.int64)
_ROW = np.zeros(1, np.int64)


# -- where a table stands ----------------------------------------------------------------------------------------------


def policies_of(agent: Agent, views: Views, legal: Legal, hands: Int64s, called: str = "") -> Float64s:
    """Return (m, h, A): how a player bound to its game plays each of ``hands`` (h,) at m public states.

    ``views`` (m,) are those of who acts, ``legal`` its m rows of legal actions; A counts kinds of actions where raises are
    amounts.

    Raises:
        AgentError: what the player, ``called`` so, answers are no probabilities over what is legal.
    """
    rows = take(legal, np.repeat(np.arange(len(views)), len(hands)))
    answer = agent.policy(holding(views, hands), rows)
    found = _checked(answer, legal_columns(rows), "policy", called or brief(agent))
    return found.reshape(len(views), len(hands), found.shape[1])


def amounts_of(
    agent: Agent, views: Views, legal: Amounts, hands: Int64s, called: str = ""
) -> tuple[Int64s, Float64s] | None:
    """Return how often each of ``hands`` (h,) that raises does so to which amount, at the public state of ``views`` (1,).

    They are rising amounts (m,) and odds (h, m). None: the player does not say (see :meth:`cardai.core.agent.Agent.raise_odds`).

    Raises:
        AgentError: what it says cannot be.
    """
    known = agent.raise_odds(holding(views, hands), legal.take(np.zeros(len(hands), np.int64)))
    if known is None:
        return None
    name, amounts = called or brief(agent), np.asarray(known[0], np.int64)
    rising = amounts.ndim == 1 and len(amounts) and (np.diff(amounts) > 0).all()
    if not rising or amounts[0] < legal.min_amount[0] or amounts[-1] > legal.max_amount[0]:
        raise AgentError(f"The amounts of raise_odds of {name} must be legal, and rising. Got {amounts.tolist()}.")
    return amounts, _checked(known[1], np.ones((len(hands), len(amounts)), np.bool_), "raise_odds", name)


def amount_odds(agent: Agent, views: Views, legal: Amounts, hands: Int64s, called: str = "") -> tuple[Int64s, Float64s]:
    """Return what :func:`amounts_of` does, each hand's odds adding up to 1.

    Raises:
        UsageError: the player does not say it. AgentError: what it says cannot be.
    """
    known = amounts_of(agent, views, legal, hands, called)
    if known is None:
        raise UsageError(
            f"The odds of every action are needed, and {called or brief(agent)} does not say how often it raises to which "
            "amount (raise_odds). Play with a ladder of bets (holdem_fcpa)."
        )
    amounts, odds = known
    return amounts, np.asarray(odds / odds.sum(axis=1, keepdims=True))


def need_odds(game: Game, player: Agent, called: str) -> None:
    """Raise what :func:`amount_odds` does, before work starts, where raises of ``game`` are amounts."""
    tables = game.tables(1)
    tables.reset(np.zeros(1, np.uint64))
    legal, views = tables.legal(_ROW), tables.views(int(tables.current_players()[0]), _ROW)
    if isinstance(legal, Amounts):
        hole = views["hole"]
        amount_odds(player, views, legal, pair_index(hole[:, 0], hole[:, 1]), called)


def need_policy(player: Agent, agent: Agent | None = None) -> None:
    """Raise UsageError, naming ``agent`` (default: ``player``), unless ``player`` says its probabilities for all hands at once."""
    if player.stateful or not player.has_policy():
        what = "remembers what happens in a match" if player.has_policy() else "has no policy, only act"
        raise UsageError(f"Ranges are what a player would do with all its hands. {brief(agent or player)} {what}.")


def holding(views: Views, hands: Int64s) -> Views:
    """Return (m * h,) the views (m,), each with every one of ``hands`` (h,) in its place."""
    batch = np.repeat(views, len(hands))
    batch["hole"] = np.tile(_PAIRS[hands], (len(views), 1))
    return batch


def _checked(answer: Any, mask: Bools, name: str, called: str) -> Float64s:
    """Return what a player answered (n, A), which must add up to 1 over what is legal. Raises AgentError."""
    found = np.asarray(answer, np.float64)
    if found.shape != mask.shape:
        raise AgentError(f"The {name} of {called} must have the shape {mask.shape}. Got {found.shape} instead.")
    if not (np.abs((found * mask).sum(axis=1) - 1) < SUM_TOLERANCE).all() or (found < 0).any():
        raise AgentError(f"The {name} of {called} must be probabilities over the legal actions: it is not.")
    return found


# -- at the nodes of a public tree -------------------------------------------------------------------------------------


def known_nodes(tree: PublicTree, views: Views, game: Game, called: str) -> Int64s:
    """Return (n,) the decision nodes of ``game``'s tree at which ``views`` (n,) are taken.

    Raises:
        UsageError: betting that the player, ``called`` so, does not know.
    """
    nodes = tree.find(views["history"])
    if (nodes < 0).any():
        history = [int(x) for x in views["history"][int(np.flatnonzero(nodes < 0)[0])] if x >= 0]
        raise UsageError(f"{called} does not know the betting {history}: it is not of {brief(game)}.")
    return nodes


@runtime_checkable
class RangePolicy(Protocol):
    """A player as it plays whole ranges.

    One that plays alike whatever suits are called may say ``ignores_suits = True``: boards that are the same but for the
    names of suits are then worked out once.
    """

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): for each action of each decision node (in order) each hand's probability of taking it.

        ``nodes`` (m,) are decision nodes of one street, ``board`` its cards. Hands that the board blocks get any row.
        """


class BucketPolicy(Protocol):
    """A table of probabilities by bucket, and how hands find their buckets in it."""

    def bucket_count(self, street: int) -> int:
        """Return how many buckets a street has."""

    def bucket_policy(self, nodes: Int64s) -> Float32s:
        """Return (rows, buckets): for each action of each decision node of one street (in order) its probability."""

    def buckets_at(self, roots: Int64s, board: Sequence[int], hands: Int64s) -> Int64s:
        """Return (2, n, s) the buckets of ``hands`` (n,) of either seat on ``board`` in the subtrees below ``roots`` (s,)."""


@runtime_checkable
class TablePolicy(RangePolicy, BucketPolicy, Protocol):
    """A :class:`RangePolicy` that looks up each hand's bucket in a table of probabilities.

    Who walks many subtrees can then pack the table once, instead of asking for every hand at every node.
    """

    def places_in_ranges(self) -> PlacesInRanges | None:
        """Return how the river's buckets follow from ranges, if they do (then a GPU can tell them); else None."""


class PlacesInRanges(NamedTuple):
    """The river's buckets by a hand's place in both ranges that come to its root: ``own * equity`` of them.

    The first of a bucket's two numbers is how much of the seat's own range is weaker, in ``own`` parts; the second the hand's
    equity against the other's range, in ``equity`` parts.
    """

    own: int
    equity: int
    trunk: BucketPolicy
    """Who brings those ranges to the river; not always as the player itself plays."""


class RangeAdapter:
    """Any agent's ``policy`` as a :class:`RangePolicy`: it is asked with the views of all hands.

    Raises:
        UsageError: the agent remembers what happens in a match, or has no policy.
    """

    def __init__(self, game: Game, agent: Agent, tree: PublicTree) -> None:
        self.game, self.tree, self.agent = game, tree, agent.for_game(game)
        need_policy(self.agent, agent)
        self._turned = int(_first_actor(game) != tree.actor[0])

    def range_policy(self, nodes: Int64s, board: Sequence[int]) -> Float64s:
        """Return (rows, 1326): see :class:`RangePolicy`."""
        live = np.flatnonzero(left_by(board))
        out = np.zeros((int(self.tree.num_children[nodes].sum()), COUNT))
        out[:, live] = self.of_hands(nodes, board, live)
        return out

    def of_hands(self, nodes: Int64s, board: Sequence[int], hands: Int64s) -> Float64s:
        """Return (rows, h): the same for ``hands`` (h,) alone, which the board does not block."""
        step = max(1, ROWS // len(hands))
        return np.concatenate([self._ask(nodes[k : k + step], board, hands) for k in range(0, len(nodes), step)])

    def _ask(self, nodes: Int64s, board: Sequence[int], hands: Int64s) -> Float64s:
        tables = self._at(nodes, board)
        found = np.empty((len(nodes), len(hands), self.game.num_distinct_actions))
        seats = self.tree.actor[nodes] ^ self._turned
        for seat in np.unique(seats):
            rows = np.flatnonzero(seats == seat)
            found[rows] = policies_of(self.agent, tables.views(int(seat), rows), tables.legal(rows), hands)
        counts, actions = self.tree.num_children[nodes], self.tree.action[nodes]
        return np.concatenate([one[:, a[:n]].T for one, a, n in zip(found, actions, counts, strict=True)])

    def views_at(self, nodes: Int64s, board: Sequence[int]) -> tuple[Views, Legal]:
        """Return the views (m,) of who acts at each node, holding any cards, and the legal actions."""
        tables = self._at(nodes, board)
        seats = self.tree.actor[nodes] ^ self._turned
        views = np.concatenate([tables.views(int(seat), np.array([row])) for row, seat in enumerate(seats)])
        return views, tables.legal(np.arange(len(nodes)))

    def _at(self, nodes: Int64s, board: Sequence[int]) -> Tables:
        """Return tables at the nodes (m,)."""
        tables = self.game.tables(len(nodes))
        tables.reset(np.zeros(len(nodes), np.uint64), np.tile(deck_with(board), (len(nodes), 1)))
        paths = [self.tree.path(int(node)) for node in nodes]
        for k in range(max(map(len, paths))):
            rows = np.array([row for row, path in enumerate(paths) if len(path) > k])
            tables.apply(rows, np.array([paths[row][k] for row in rows], np.int64))
        return tables


def range_player(game: Game, agent: Agent, tree: PublicTree) -> RangePolicy:
    """Return the agent as a player of whole ranges in ``game`` with the public tree ``tree``. Raises UsageError."""
    bound = agent.for_game(game)
    need_policy(bound, agent)
    return bound if isinstance(bound, RangePolicy) else RangeAdapter(game, agent, tree)


def blind_policy(player: RangePolicy, tree: PublicTree, hands: int = 24) -> Float64s | None:
    """Return (N, A) each node's probabilities of a player that plays all hands alike; None: it looks at its cards.

    Judged by ``hands`` hands on one board at every decision node.
    """
    board = (3, 17, 30, 44, 50)
    live = np.flatnonzero(left_by(board))
    chosen = live[:: len(live) // hands]
    out = np.zeros(tree.child.shape)
    for street in range(4):
        nodes, shown = tree.decisions[tree.street[tree.decisions] == street], board[: BOARD_SIZES[street]]
        for start in range(0, len(nodes), 64):
            part = nodes[start : start + 64]
            if isinstance(player, RangeAdapter):
                rows = player.of_hands(part, shown, chosen)
            else:
                rows = player.range_policy(part, shown)[:, chosen]
            if (rows != rows[:, :1]).any():
                return None
            ends = np.cumsum(tree.num_children[part])
            for node, end in zip(part, ends, strict=True):
                count = tree.num_children[node]
                out[node, :count] = rows[end - count : end, 0]
    return out


def need_suits_alike(player: RangePolicy, tree: PublicTree, called: str) -> None:
    """Raise UsageError if a player that says ``ignores_suits`` is seen to play otherwise when suits are renamed.

    Judged by all hands at some decision nodes of every street, on two boards and two renamings of each.
    """
    if not getattr(player, "ignores_suits", False):
        return
    rng = np.random.default_rng(0)
    for cards in ((3, 17, 30, 44, 50), (3, 11, 25, 5, 40)):  # all four suits; three of one, one of two others
        for street in range(4):
            nodes = tree.decisions[tree.street[tree.decisions] == street]
            if len(nodes):
                some = np.sort(rng.choice(nodes, min(SOME_NODES, len(nodes)), replace=False))
                _need_alike(player, some, np.array(cards[: BOARD_SIZES[street]], np.int64), rng, called)


def _need_alike(player: RangePolicy, nodes: Int64s, board: Int64s, rng: np.random.Generator, called: str) -> None:
    rows, live = player.range_policy(nodes, board.tolist()), left_by(board)
    for number in rng.choice(np.arange(1, len(RENAMINGS)), 2, replace=False):
        image, hands = RENAMINGS[number][board // 13] * 13 + board % 13, hand_maps()[number]
        other = player.range_policy(nodes, image.tolist())[:, hands]
        differs = np.flatnonzero((np.abs(other - rows) > SUM_TOLERANCE).any(axis=0) & live)
        if len(differs):
            hand = int(differs[0])
            where = [f" on {cards_text(one)}" if len(one) else "" for one in (board, image)]
            raise UsageError(
                f"{called} says that it plays alike whatever suits are called (ignores_suits), and does not: it plays "
                f"{cards_text(_PAIRS[hand])}{where[0]} otherwise than {cards_text(_PAIRS[hands[hand]])}{where[1]}. Without "
                "that promise all suits are walked."
            )


def deck_with(board: Sequence[int]) -> Int8s:
    """Return a deck (52,) that lays ``board``, or begins so; what two players hold is none of it."""
    others = [card for card in range(52) if card not in board]
    return np.array([*others[:4], *board, *others[4:]], np.int8)


def _first_actor(game: Game) -> int:
    tables = game.tables(1)
    tables.reset(np.zeros(1, np.uint64))
    return int(tables.current_players()[0])
