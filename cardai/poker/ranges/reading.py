"""What people read in a solution: equities, hands by category, what an action costs, all next cards, the whole tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cardai.cards.text import card_text, cards_text
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.files import Output, write_json
from cardai.core.text import cell
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.equity import range_equity
from cardai.poker.ranges.categories import DRAWS, MADE, blocker, draw, made
from cardai.poker.ranges.lines import token
from cardai.poker.ranges.position import Position, follow
from cardai.poker.ranges.public_tree import DEAL, DECISION, Node
from cardai.poker.ranges.solution import Solution

SELDOM = 1e-4
"""How much of his range a player must come with for his hands to mean anything."""
MOST_ROWS = 20_000_000
"""The most rows of a tree that are written."""


def equities(position: Position) -> tuple[tuple[float, float], Float64s]:
    """Return both seats' equity, and (n,) that of each hand of who acts, from 0 to 1; nan where it meets no hand."""
    weights = np.zeros((2, COUNT))
    weights[:, position.hands] = position.weights
    if not position.weights[position.seat] @ position.met > 0:
        return (float("nan"), float("nan")), np.full(len(position.hands), np.nan)
    found = range_equity(weights[0], weights[1], list(position.board))
    return found.share, np.asarray(found.by_hand[position.seat, position.hands])


def costs(position: Position) -> Float64s:
    """Return (A, n) what each action loses to the best one, in chips, for each hand."""
    return np.asarray(np.nanmax(np.nan_to_num(position.values, nan=-np.inf), axis=0) - position.values)


def noise_at(solution: Solution, position: Position) -> float:
    """Return by how much what actions are worth at a decision may be off, in chips; inf where the other hardly ever comes.

    A strategy that can be exploited by e in all may be wrong by e / p where the other comes with the share p of his range.
    """
    other = 1 - position.seat
    came = float(position.weights[other].sum() / solution.at().weights[other].sum())
    return solution.exploitability / 100 * float(solution.spot.pot) / came if came >= SELDOM else math.inf


def groups(position: Position) -> list[dict[str, Any]]:
    """Return the range of who acts by what its hands are: made hands, draws, blockers, each with its share of the range, how
    often it takes each action, its equity and worth."""
    cards, board = pairs()[position.hands].tolist(), list(position.board)
    weights, equity = position.weights[position.seat] * position.met, equities(position)[1]
    kinds: list[tuple[str, tuple[str, ...], Callable[[Any, Any], str]]] = [
        ("made hand", MADE, made),
        ("draw", DRAWS, draw),
        ("blocker", ("blocks the best flush", "blocks the best flush draw"), blocker),
    ]
    found = []
    for kind, names, classify in kinds:
        said = np.array([classify(hand, board) for hand in cards])
        for name in names:
            share = np.where(said == name, weights, 0.0)
            if share.sum() > 0:
                by = share / share.sum()
                found.append(
                    {
                        "kind": kind,
                        "name": name,
                        "share": float(share.sum() / weights.sum()),
                        "frequencies": [float(one @ by) for one in position.strategy],
                        "equity": float(np.nan_to_num(equity) @ by),
                        "worth": float((position.strategy * np.nan_to_num(position.values)).sum(axis=0) @ by),
                    }
                )
    return found


def next_cards(solution: Solution, line: str) -> list[dict[str, Any]]:
    """Return every card that can come after ``line``: the equities then, what both seats are worth of the pot, and how often
    who acts first takes each action. Raises UsageError where no card comes there.
    """
    place, found = follow(solution.solver, solution.spot.cards(), line, solution.suits), []
    if place.node.kind != DEAL:
        raise UsageError(f"No card comes after {line!r}.")
    for card in range(51, -1, -1):
        if card in place.board:
            continue
        position = solution.at(f"{line} {card_text(card)}")
        share = equities(position)[0]
        first = position.value if position.seat == 0 else position.pot - position.value
        often = dict(zip(position.tokens, position.frequencies, strict=True))
        found.append(
            {"card": card_text(card), "equity_first": share[0], "worth_first": float(first), "frequencies": often}
        )
    return found


def compared(first: Position, second: Position) -> dict[str, Any]:
    """Return what two solutions do differently at a decision: how often each action is taken in both, what it is worth, and
    the hands that both have, those first that play most differently.

    A hand's distance is the share of its play that would have to change, half the sum over actions of how far its frequencies
    lie apart; the whole distance is their mean, by the first one's range.

    Raises:
        UsageError: it is another seat's decision, or lies on another board.
    """
    if (first.seat, set(first.board)) != (second.seat, set(second.board)):
        raise UsageError("The two solutions have different boards there, or other players act.")
    tokens = list(dict.fromkeys((*first.tokens, *second.tokens)))
    often = np.zeros((2, len(tokens), COUNT))
    for k, position in enumerate((first, second)):
        often[k][np.ix_([tokens.index(one) for one in position.tokens], position.hands)] = position.strategy
    own = np.zeros((2, COUNT))
    worth = np.full((2, COUNT), np.nan)
    for k, position in enumerate((first, second)):
        own[k, position.hands] = position.weights[position.seat] * (position.met > 0)
        worth[k, position.hands] = (position.strategy * np.nan_to_num(position.values)).sum(axis=0)
    apart = 0.5 * np.abs(often[1] - often[0]).sum(axis=0)
    both = np.flatnonzero((own > 0).all(axis=0))
    by = own[0, both] / own[0, both].sum() if len(both) else own[0, both]
    names = {token: words for one in (second, first) for token, words in zip(one.tokens, one.actions, strict=True)}
    shares = [dict(zip(one.tokens, one.frequencies, strict=True)) for one in (first, second)]
    ordered = both[np.argsort(-apart[both], kind="stable")]
    return {
        "actions": [
            {
                "action": names[token],
                "token": token,
                "frequencies": [one.get(token, 0.0) for one in shares],
                "change": shares[1].get(token, 0.0) - shares[0].get(token, 0.0),
            }
            for token in tokens
        ],
        "values": [first.value, second.value],
        "distance": float(apart[both] @ by),
        "hands": [
            {
                "hand": cards_text(pairs()[k][::-1]),
                "frequencies": often[:, :, k].tolist(),
                "values": worth[:, k].tolist(),
                "distance": float(apart[k]),
            }
            for k in ordered
        ],
    }


def decisions(solution: Solution, streets: int = 1) -> Iterator[Position]:
    """Yield every decision of the first ``streets`` streets, on every card, in order of the tree."""
    waiting: list[tuple[Node, tuple[str, ...], int]] = [(solution.solver.layout.tree.root, (), 1)]
    board = solution.spot.cards()
    while waiting:
        node, words, street = waiting.pop()
        if node.kind == DECISION:
            yield solution.at(" ".join(words))
            following = zip(node.actions, node.children, strict=True)
            waiting += [(child, (*words, token(node, action)), street) for action, child in following][::-1]
        elif node.kind == DEAL and node.children and street < streets:
            gone = {card_text(card) for card in board} | set(words)
            for card in range(52):
                if card_text(card) not in gone:
                    waiting.append((node.children[0], (*words, card_text(card)), street + 1))


def write_tree(solution: Solution, path: str | Path, streets: int = 1) -> int:
    """Write every decision of the first streets into a file, and return how many rows it has: a row a decision, hand and
    action in .csv and .parquet, a decision an entry in .json.

    Raises:
        UsageError: another ending, or more than MOST_ROWS rows. PluginError: polars is missing, which writes Parquet.
    """
    path = Path(path)
    if path.suffix not in (".json", ".csv", ".parquet"):
        raise UsageError(f"A tree is written as .json, .csv or .parquet. Got {path.name!r}.")
    if path.suffix == ".parquet":
        need_extra("polars", "a Parquet file")
    if path.suffix == ".json":
        from cardai.poker.ranges.showing import as_json

        found = [as_json(solution, position) for position in decisions(solution, streets)]
        spot = found[0].pop("spot") if found else None
        for one in found:
            one.pop("spot", None)
        write_json(path, {"format": "cardai tree 1", "spot": spot, "decisions": found})
        return len(found)
    blocks, count = [], 0
    for position in decisions(solution, streets):
        blocks.append(_block(position))
        count += len(blocks[-1]["hand"])
        if count > MOST_ROWS:
            raise UsageError(f"The tree has more than {MOST_ROWS:,} rows. Write fewer streets.")
    table = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    with Output(path) as file:
        if path.suffix == ".parquet":
            import polars

            polars.DataFrame(table).write_parquet(file)
        else:
            file.write((",".join(table) + "\n").encode())
            for block in blocks:
                rows = zip(*(column.tolist() for column in block.values()), strict=True)
                file.write("".join(",".join(_cell(x) for x in row) + "\n" for row in rows).encode())
    return count


def _cell(value: Any) -> str:
    return cell(value) if isinstance(value, str) else "" if value != value else f"{value:.6g}"


def _block(position: Position) -> dict[str, Any]:
    """Return a decision's rows as columns, hands of the range alone."""
    own = np.flatnonzero(position.weights[position.seat] > 0)
    names = np.array([cards_text(one) for one in pairs()[position.hands[own]][:, ::-1]], dtype=object)
    actions, rows = len(position.actions), len(own) * len(position.actions)
    return {
        "line": np.full(rows, position.line, dtype=object),
        "seat": np.full(rows, position.seat),
        "hand": np.repeat(names, actions),
        "weight": np.repeat(position.weights[position.seat][own], actions),
        "action": np.tile(np.array(position.tokens, dtype=object), len(own)),
        "frequency": position.strategy[:, own].T.ravel(),
        "worth": position.values[:, own].T.ravel(),
        "lost": costs(position)[:, own].T.ravel(),
    }
