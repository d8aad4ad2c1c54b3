"""Decisions as templates draw them: grids, hands, actions, the way that led there; and a curve of exploitability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardai.cards.text import cards_glyphs, cards_text, parse_cards
from cardai.core.arrays import Float64s
from cardai.poker.hand_classes import class_of, class_text
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.notation import parse_range
from cardai.poker.ranges.grid import colours, grid, shown_actions
from cardai.poker.ranges.lines import steps, words_of
from cardai.poker.ranges.locks import Lock, lock_text
from cardai.poker.ranges.position import SEATS, Position, worth_text
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD
from cardai.poker.ranges.reading import equities, groups
from cardai.poker.ranges.solution import Solution, prepare, solve
from cardai.poker.ranges.spot import Spot
from cardai.web.render import face

Plain = dict[str, Any]
RANGE = "#c8362c"
"""The colour of a range's weights, as ``cardai range`` draws them."""
WIDE, HIGH = 320.0, 130.0
"""Of a curve."""


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent; "-" where there is none."""
    return "-" if math.isnan(share) else f"{100 * share:.{digits}f}"


def chips(worth: float) -> str:
    """Return chips as the command line writes them; "-" where there are none."""
    return worth_text(worth) or "-"


def cells(shares: Float64s, weights: Float64s, tones: Sequence[str], actions: Sequence[str]) -> list[list[Plain]]:
    """Return 13 rows of 13 classes, each with its bars, 100 wide and high.

    Args:
        shares: (A, 169) how often each action is taken. weights: (169,) from 0 to 1.
    """
    rows: list[list[Plain]] = [[] for _ in range(13)]
    for number in range(169):
        bars, left, high = [], 0.0, 100 * min(1.0, float(weights[number]))
        for share, tone in zip(shares[:, number], tones, strict=True):
            if share > 0.0005 and high > 0:
                bars.append(
                    {
                        "x": f"{left:.1f}",
                        "y": f"{100 - high:.1f}",
                        "w": f"{100 * share:.1f}",
                        "h": f"{high:.1f}",
                        "tone": tone,
                    }
                )
            left += 100 * float(share)
        said = [
            f"{words} {percent(share, 0)} %"
            for words, share in zip(actions, shares[:, number], strict=True)
            if share > 0
        ]
        name = class_text(number)
        words = f"{name}: {', '.join(said)}, weight {high:.0f} %" if bars else f"{name}: not in the range"
        rows[number // 13].append({"name": name, "bars": bars, "words": words, "full": high > 55})
    return rows


def marked(rows: list[list[Plain]], locks: Sequence[Lock], line: str) -> list[list[Plain]]:
    """Return a grid whose cells say how much of them is locked at a line: "all", "some" or ""."""
    held = np.zeros(COUNT, bool)
    for lock in locks:
        if " ".join(lock.line.split()) == line:
            held |= parse_range(lock.hands) > 0 if lock.hands else True
    share = np.bincount(class_of(), held, 169) / np.bincount(class_of(), minlength=169)
    for number, part in enumerate(share):
        cell = rows[number // 13][number % 13]
        cell["locked"] = "" if part == 0 or not cell["bars"] else "all" if part == 1 else "some"
        if cell["locked"]:
            cell["words"] += ", locked" if part == 1 else ", partly locked"
    return rows


def range_cells(position: Position, seat: int) -> list[list[Plain]]:
    """Return the grid of what a seat comes with."""
    classes, own = class_of()[position.hands], position.weights[seat]
    count = np.bincount(classes, minlength=169)
    weights = np.bincount(classes, own, 169) / np.maximum(count, 1)
    return cells((weights > 0)[None].astype(np.float64), weights, [RANGE], ["in the range"])


def decision(solution: Solution, line: str) -> Plain:
    """Return all that the page of a decision shows. Raises UsageError where the line leads to none."""
    position = solution.at(line)
    tones, found = colours(position.actions), grid(position)
    share, each = equities(position)
    actions = [
        {"words": words, "token": token, "tone": tone, "often": percent(often, 2), "width": f"{100 * often:.2f}", "worth": chips(worth), "line": f"{line} {token}".strip()}
        for words, token, tone, often, worth in zip(position.actions, position.tokens, tones, position.frequencies, position.action_values, strict=True)
    ]  # fmt: skip
    return {
        "line": line,
        "board": [face(card) for card in position.board],
        "seat": position.seat,
        "who": SEATS[position.seat],
        "pot": f"{position.pot:,}",
        "value": chips(position.value),
        "actions": actions,
        "bars": spread([(often, tone) for often, tone in zip(position.frequencies, tones, strict=True)]),
        "grid": marked(cells(found.shares, found.weights, tones, position.actions), solution.spot.locks, line),
        "ranges": [range_cells(position, seat) for seat in range(2)],
        "equity": [percent(one, 2) for one in share],
        "hands": hands(position, each),
        "groups": [_group(one) for one in groups(position) if one["kind"] != "draw" or len(position.board) < 5],
    }


def glimpse(solution: Solution, line: str) -> Plain:
    """Return what is there of a decision while it is solved: the grid, and how often each action is taken.

    Raises UsageError where the line leads to none.
    """
    position = solution.at(line)
    tones, found = colours(position.actions), grid(position)
    often = list(zip(position.actions, tones, position.frequencies, strict=True))
    return {
        "who": SEATS[position.seat],
        "line": line,
        "grid": cells(found.shares, found.weights, tones, position.actions),
        "bars": spread([(share, tone) for _, tone, share in often]),
        "actions": [{"words": words, "tone": tone, "often": percent(share, 1)} for words, tone, share in often],
    }


def spread(shares: Sequence[tuple[float, str]]) -> list[Plain]:
    """Return bars beside one another, 100 wide in all, of (share, colour)."""
    found, left = [], 0.0
    for share, tone in shares:
        found.append({"x": f"{left:.2f}", "w": f"{100 * share:.2f}", "tone": tone})
        left += 100 * share
    return found


def hands(position: Position, equity: Float64s) -> list[Plain]:
    """Return a row a hand of who acts, those of the highest class first."""
    own, classes = position.weights[position.seat], class_of()[position.hands]
    names, worth = pairs()[position.hands], np.nan_to_num(position.values)
    value = np.where(position.met > 0, (position.strategy * worth).sum(axis=0), np.nan)
    held = [int(k) for k in np.lexsort((position.hands, classes)) if own[k] > 0]
    return [
        {
            "name": cards_glyphs(sorted(names[k].tolist(), key=lambda card: (card % 13, card), reverse=True), ""),
            "class": class_text(int(classes[k])),
            "text": cards_text(sorted(names[k].tolist(), key=lambda card: (card % 13, card), reverse=True)),
            "weight": (float(own[k]), percent(float(own[k]), 1)),
            "often": [(round(float(x), 5), percent(float(x)), chips(float(v))) for x, v in zip(position.strategy[:, k], position.values[:, k], strict=True)],
            "value": (_key(value[k]), chips(float(value[k]))),
            "equity": (_key(equity[k]), percent(float(equity[k]))),
        }
        for k in held
    ]  # fmt: skip


def _key(number: float) -> float:
    """Return what a column is sorted by: what is not there, last."""
    return -1e15 if math.isnan(number) else round(float(number), 6)


def _group(one: Mapping[str, Any]) -> Plain:
    return {
        "name": one["name"] if one["kind"] != "draw" else f"draw: {one['name']}",
        "share": percent(one["share"], 2),
        "often": [percent(x) for x in one["frequencies"]],
        "equity": percent(one["equity"]),
        "worth": chips(one["worth"]),
    }


def warm() -> None:
    """Solve small spots and draw them, so that all that pages need is compiled."""
    for board in ("KsTh7s4d2c", "KsTh7s4d"):
        spot = Spot(board, 100, (150, 150), ("KTs,77", "AA,KQo"), "1+allin")
        decision(solve(prepare(spot), 50.0, 10), "x")


def deck() -> list[list[Mapping[str, Any]]]:
    """Return the cards in four rows, spades first, aces first."""
    return [[face(13 * suit + rank) for rank in range(12, -1, -1)] for suit in (3, 2, 1, 0)]


def spot_directory(spot: Spot) -> str:
    """Return the name of a directory for a spot, as a command may be given it."""
    return f"spots/{spot.board}"


NAMES = {
    "pot": "pot",
    "stacks": "stacks",
    "ranges": "ranges",
    "bets": "bets",
    "limit": "limit",
    "rake": "rake",
    "locks": "locks",
}


MOST_SHOWN = 2
"""Locks that are named where a spot is told from another."""


def called(spot: Spot, beside: Spot) -> str:
    """Return what tells a spot from another: "bets 1+allin, locked x: x=1"; "the same spot" where nothing does."""
    said = []
    for name in NAMES:
        value = getattr(spot, name)
        if value == getattr(beside, name):
            continue
        if name == "locks":
            shown = "; ".join(map(lock_text, value[:MOST_SHOWN])) or "nothing"
            said.append(f"locked {shown}{f' and {len(value) - MOST_SHOWN} more' * (len(value) > MOST_SHOWN)}")
        elif name == "ranges":
            said.append("other ranges")
        elif name == "rake":
            said.append(f"rake {100 * value:g} %")
        else:
            said.append(f"{name} {'+'.join(f'{one:,}' for one in value) if isinstance(value, tuple) else value}")
    return ", ".join(said) or "the same spot"


def run_outs(found: Sequence[Mapping[str, Any]]) -> Plain:
    """Return all cards that can come as a picture and as a table: equity, worth, and what who acts first then does."""
    tokens = list(dict.fromkeys(token for one in found for token in one["frequencies"]))
    words = [f"bet {token[1:]}" if token[0] == "b" else "check" for token in tokens]  # who acts first on a street
    tones = dict(zip(tokens, colours(tuple(words)), strict=True))
    rows, by_card = [], {}
    for one in found:
        (card,) = parse_cards(one["card"])
        often = one["frequencies"]
        row = {
            "face": face(card),
            "bars": spread([(share, tones[token]) for token, share in often.items()]),
            "equity": (one["equity_first"], percent(one["equity_first"], 2)),
            "worth": (one["worth_first"], chips(one["worth_first"])),
            "often": [(often.get(token, -1.0), percent(often[token]) if token in often else "") for token in tokens],
        }
        rows.append(row)
        by_card[card] = row
    picture = [[by_card.get(13 * suit + rank) for rank in range(12, -1, -1)] for suit in (3, 2, 1, 0)]
    return {
        "rows": rows,
        "picture": picture,
        "actions": [(said, tones[token]) for said, token in zip(words, tokens, strict=True)],
    }


MORE, LESS = "#c8362c", "#4f79a7"
"""Classes that bet or raise more often, or less."""
SHOWN = 40
"""Hands that are listed whose play differs most."""


def two(positions: Sequence[Position], found: Mapping[str, Any]) -> Plain:
    """Return what the page of two solutions beside one another shows; ``found`` as ``reading.compared`` returns it."""
    grids = [grid(position) for position in positions]
    pages = [cells(g.shares, g.weights, colours(p.actions), p.actions) for g, p in zip(grids, positions, strict=True)]
    added = [shown_actions(position.actions) for position in positions]
    more = [g.shares[list(rows)].sum(axis=0) for g, (rows, _) in zip(grids, added, strict=True)]
    held = [g.shares.sum(axis=0) > 0.5 for g in grids]
    apart = np.where(held[0] & held[1], more[1] - more[0], 0.0)
    signs = np.stack([(apart > 0).astype(np.float64), (apart < 0).astype(np.float64)])
    changed = cells(signs, np.abs(apart), [MORE, LESS], ["more often", "less often"])
    for number in range(169):
        cell = changed[number // 13][number % 13]
        cell["words"] = (
            f"{cell['name']}: {100 * apart[number]:+.0f} %" if held[0][number] else f"{cell['name']}: not in the range"
        )
    return {
        "who": SEATS[positions[0].seat],
        "board": [face(card) for card in positions[0].board],
        "grids": [*pages, changed],
        "added": added[0][1],
        "actions": [{**one, "often": [percent(x, 2) for x in one["frequencies"]], "change": f"{100 * one['change']:+.2f}"} for one in found["actions"]],
        "values": [chips(x) for x in found["values"]],
        "distance": percent(found["distance"], 2),
        "hands": [{"name": cards_glyphs(parse_cards(one["hand"]), ""), "often": [[percent(x) for x in row] for row in one["frequencies"]], "apart": percent(one["distance"])} for one in found["hands"][:SHOWN]],
    }  # fmt: skip


def way(solution: Solution, line: str) -> Plain:
    """Return how a line comes to where it is: its decisions and cards, each with what else could have been done, and what
    is there: a decision, a card to come, or the end. Raises UsageError where the line leads nowhere."""
    found, node = steps(solution.solver.layout.tree.root, line)
    cards = [cards_of(one.chosen) for one in found if one.seat < 0]
    gone = solution.spot.cards() + [card for one in cards for card in one]
    if len(found) < len(words_of(line)) or any(len(one) != 1 for one in cards) or len(set(gone)) < len(gone):
        solution.at(line)  # says what is wrong with it
    comes = node.kind == DEAL and not solution.spot.checked_down and node.children and node.children[0].kind == DECISION
    kind = "decision" if node.kind == DECISION else "card" if comes else "over"
    ends = {FOLD: "a fold", DEAL: "the cards come without a bet"}
    return {
        "line": line,
        "steps": [_step(one) for one in found],
        "kind": kind,
        "end": ends.get(node.kind, "a showdown"),
        "gone": gone,
        "pot": f"{sum(node.spent) / node.tree.scale:,.15g}",
    }


def cards_of(word: str) -> list[int]:
    """Return the cards that a word is, none where it is none."""
    try:
        return parse_cards(word)
    except ValueError:
        return []


def _step(one: Any) -> Plain:
    if one.seat < 0:
        cards = cards_of(one.chosen)
        return {"before": one.before, "card": face(cards[0]) if len(cards) == 1 else None}
    tones = colours(one.actions)
    taken = [
        {"words": words, "tone": tone, "chosen": token == one.chosen, "line": f"{one.before} {token}".strip()}
        for words, token, tone in zip(one.actions, one.tokens, tones, strict=True)
    ]
    return {
        "before": one.before,
        "card": None,
        "who": SEATS[one.seat],
        "seat": one.seat,
        "pot": one.pot,
        "actions": taken,
    }


def curve(points: Sequence[tuple[int, float, float]], goal: float) -> Plain | None:
    """Return a curve of exploitability over iterations, both by powers of ten, with a line at what is wanted; None where
    there are fewer than two points. ``points`` are (iterations, seconds, percent)."""
    known = [(i, p) for i, _, p in points if p > 0 and math.isfinite(p)]
    if len(known) < 2:
        return None
    lowest = min([p for _, p in known] + [goal])
    ends = math.log10(known[0][0]), math.log10(known[-1][0])
    low, high = math.floor(math.log10(lowest)), math.ceil(math.log10(max(p for _, p in known)))

    def x(i: float) -> float:
        return 44 + (WIDE - 52) * (math.log10(i) - ends[0]) / max(1e-9, ends[1] - ends[0])

    def y(p: float) -> float:
        return 8 + (HIGH - 30) * (high - math.log10(p)) / max(1, high - low)

    return {
        "path": " ".join(f"{x(i):.1f},{y(p):.1f}" for i, p in known),
        "goal": f"{y(goal):.1f}",
        "marks": [(f"{y(10.0**k):.1f}", f"{10.0**k:g} %") for k in range(low, high + 1)],
        "first": f"{known[0][0]:,}",
        "last": f"{known[-1][0]:,}",
    }
