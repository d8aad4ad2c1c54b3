"""Logs of the competition as cardai's records, and back.

A log goes by position, so in the records of a log seat and position are the same and the button stays where it is; who
plays where is each record's ``seats``. Records of any betting game with hole cards and a board become logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from cardai import make
from cardai.arena.records import FORMAT, Record, RecordFile
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.text import each_once
from cardai.formats.acpc.games import GameMap, definition_of, game_map
from cardai.formats.acpc.logs import Log, LogHand, Problem, Score
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.states import parse_betting
from cardai.formats.acpc.views import KuhnViews, ViewMaker, view_maker
from cardai.poker.rules.growing_tree import BettingNode


def log_to_records(log: Log, name: str = "the log", definition: Any = None) -> RecordFile:
    """Return a log's hands as records; hands that the rules refuse are left out and reported.

    Raises:
        DamagedFileError: the game is not known. UsageError: cardai has no such game.
    """
    mapped = game_map(definition or log.game())
    agents = list(dict.fromkeys(player for hand in log.hands for player in hand.names))
    if log.score is not None and set(log.score.names) == set(agents):
        agents = list(log.score.names)
    records: list[Record] = []
    damaged: list[str] = []
    for item in stream_records(mapped, [*log.problems, *log.hands], agents, name):
        if isinstance(item, str):
            damaged.append(item)
        else:
            records.append(item)
    header = {
        "cardai": "record",
        "format": FORMAT,
        "game": mapped.spec,
        "agents": agents,
        "seed": 0,
        "duplicate": False,
    }
    return RecordFile(header, records, damaged)


def stream_records(
    mapped: GameMap, items: Iterable[LogHand | Problem], agents: list[str], name: str
) -> Iterator[Record | str]:
    """Yield each hand of a log as a record, or a sentence on why it was left out; names not in ``agents`` are added."""
    tree = WireTree(mapped.definition)
    for item in items:
        if isinstance(item, Problem):
            yield f"{name}, {item}; the line was left out."
            continue
        agents += [player for player in dict.fromkeys(item.names) if player not in agents]
        try:
            yield _record(mapped, tree, agents, item)
        except CardaiError as error:
            yield f"{name}, hand {item.hand}: {error} The hand was left out."


def checked(tree: WireTree, hand: LogHand) -> BettingNode:
    """Return the last node of a hand of a log.

    Raises:
        IllegalActionError, DamagedFileError: the rules refuse it, or its cards or values are not what they give.
    """
    game = tree.game
    node = tree.walk(parse_betting(hand.betting, game.no_limit))
    cards = [card for group in (*hand.hole, *hand.board) for card in group]
    if node.actor >= 0:
        raise DamagedFileError(f"The betting {hand.betting!r} is not over.")
    dealt = [game.num_hole] * game.num_players, list(game.num_board[1 : node.round + 1])
    if ([*map(len, hand.hole)], [*map(len, hand.board)]) != dealt or len(hand.values) != game.num_players:
        raise DamagedFileError(f"The cards and values are not those of {game.num_players} players after this betting.")
    if len(set(cards)) != len(cards) or not set(cards) <= set(game.deck()):
        raise DamagedFileError("A card is there twice, or not in the game's deck.")
    values = tree.values(node, cards)
    if any(abs(value - given) > 1e-5 for value, given in zip(values, hand.values, strict=True)):
        raise DamagedFileError(f"The values are {values}, not {list(hand.values)}.")
    return node


def _record(mapped: GameMap, tree: WireTree, agents: list[str], hand: LogHand) -> Record:
    node = checked(tree, hand)
    return {
        "game_number": 0,
        "hand": hand.hand,
        "seats": [agents.index(player) for player in hand.names],
        "seed": 0,
        "setup": {"starter": mapped.starter, "score": [], "stacks": []},
        "deck": [mapped.cards[card] for group in (*hand.hole, *hand.board) for card in group],
        "actions": [mapped.game_action(step.parent, step.action) for step in node.path() if step.parent],
        "returns": list(hand.values),
        "outcome": mapped.outcome(node),
    }


def records_to_log(file: RecordFile) -> Log:
    """Return records as a log, hands numbered from 0 in the file's order; damaged and unfinished ones are reported.

    Raises:
        UsageError: the game is none that the competition's files can describe.
    """
    spec = file.header["game"]
    game: Any = make.game(spec)
    definition = definition_of(game, spec)
    mapped = game_map(definition, spec)
    names = _names([str(agent) for agent in file.header.get("agents", ())])
    log = Log(definition=definition, problems=[Problem(0, message) for message in file.left_out])
    totals = dict.fromkeys(names, 0.0)
    views, tree = view_maker(mapped), WireTree(definition)
    for number, record in enumerate(file.hands):
        try:
            hand = _hand(mapped, views, tree, names, record, len(log.hands))
        except (CardaiError, LookupError, TypeError, ValueError) as error:
            log.problems.append(Problem(number + 2, f"the record does not fit the game: {error}"))
            continue
        log.hands.append(hand)
        for player, value in zip(hand.names, hand.values, strict=True):
            totals[player] += value
    log.score = Score(tuple(totals.values()), tuple(totals))
    return log


def _hand(
    mapped: GameMap, views: ViewMaker | KuhnViews, tree: WireTree, names: list[str], record: Record, number: int
) -> LogHand:
    game = mapped.definition
    n, size = game.num_players, game.num_hole
    stacks = tuple(record["setup"]["stacks"])
    if stacks and stacks != game.stack:
        raise DamagedFileError(f"it was played with the stacks {stacks}, and a log's hands all have {game.stack}")
    node = tree.root
    for chosen in record["actions"]:
        node = tree.after(node, views.action(node, int(chosen)))
    first = (int(record["setup"]["starter"]) - mapped.starter) % n  # the seat of position 0
    seats = [(first + position) % n for position in range(n)]
    cards = [mapped.wire_cards[int(card)] for card in record["deck"]]
    if len(cards) < n * size + game.board_before(node.round):
        raise DamagedFileError("its deck is shorter than what was dealt")
    board = tuple(_groups(cards[n * size :], game.num_board[: node.round + 1]))
    hand = LogHand(
        hand=number,
        betting=node.text,
        hole=tuple(tuple(cards[p * size : p * size + size]) for p in range(n)),
        board=board[1:],
        values=tuple(float(record["returns"][seat]) for seat in seats),
        names=tuple(names[record["seats"][seat]] for seat in seats),
    )
    checked(tree, hand)
    return hand


def _groups(cards: list[int], counts: Iterable[int]) -> Iterator[tuple[int, ...]]:
    start = 0
    for count in counts:
        yield tuple(cards[start : start + count])
        start += count


def _names(agents: list[str]) -> list[str]:
    """Return agents as names that a log can hold, each once."""
    return each_once(re.sub(r"[:|\s]", "_", agent) for agent in agents)
