"""What is no file of a directory: lines of the wires, logs, game definitions, specs and options, messages of a page."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_readers import Target
from fuzz_values import BITS, HOSTILE, damaged, damaged_text, json_text

from cardai import make
from cardai.arena import records
from cardai.commands.describe import gather
from cardai.core import registry
from cardai.core.spec import Spec, options_of, parse, write_value
from cardai.formats import read_hands, read_log, slumbot
from cardai.formats.acpc.gamedef import game_names, load_game, parse_game
from cardai.formats.acpc.records import log_to_records, records_to_log
from cardai.formats.acpc.states import MatchState, parse_match_state

GAMES = (
    "kuhn",
    "leduc",
    "gin",
    "holdem_limit",
    "holdem_nolimit:players=3",
    "holdem_nolimit",
    "triple_draw",
    "video_poker",
)
KINDS = ("game", "encoder", "agent", "trainer")
SLOW, SMALL = ("best_response", "resolving"), ("kuhn", "leduc")
"""Agents that look at a game's tree, for minutes as ordinary Python, and the games that are small enough."""


class World:
    """Good texts of every kind, from the records of hold'em in the folder of fixtures."""

    def __init__(self, folder: Path) -> None:
        texts = [
            (folder / "record" / name / "hands.jsonl").read_text()
            for name in ("holdem_limit", "holdem_nolimit-players=3", "holdem_nolimit")
        ]
        logs = [records_to_log(records.read(io.StringIO(text))) for text in texts]
        self.logs = ["".join(log.lines()[:6]) for log in logs]
        self.slumbot = [slumbot.hand_text(hand) for hand in logs[2].hands]
        self.games = [load_game(name) for name in game_names()]
        self.states = [MatchState(0, hand.hand, hand.betting, hand.hole, hand.board).text() for hand in logs[0].hands]
        entries = [entry for entry in registry.entries() if entry.kind in KINDS and not entry.missing]
        self.plugins = [(e.kind, e.name, sorted(options_of(registry.load(e.kind, e.name)[0]))) for e in entries]


def _text_target(texts: list[str], read: Callable[[str], Any], keep: float = 0.0) -> Target:
    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        text = rng.choice(texts)
        if rng.random() >= keep:
            text = damaged_text(text, rng)
        return text, lambda: read(text)

    return target


def acpc_target(world: World) -> Target:
    """A log of the competition, as records."""
    return _text_target(world.logs, lambda text: log_to_records(read_log(io.StringIO(text))))


def slumbot_target(world: World) -> Target:
    """Lines of Slumbot's dialect, as records."""
    texts = [f"{a}\n{b}\n" for a, b in zip(world.slumbot, world.slumbot[1:], strict=False)]
    return _text_target(texts, lambda text: read_hands(io.StringIO(text)))


def matchstate_target(world: World) -> Target:
    """Lines of the wire."""
    game = load_game("holdem.limit.2p.reverse_blinds")
    return _text_target(world.states, lambda text: parse_match_state(text, game))


def gamedef_target(world: World) -> Target:
    """Game definitions, parsed and, where they are good, made cardai's game and a betting tree."""
    from cardai.formats.acpc.games import game_map
    from cardai.formats.acpc.nodes import WireTree

    def read(text: str) -> None:
        game = parse_game(text, "fuzz.game")
        node = WireTree(game).root
        tree = WireTree(game)
        while node.actor >= 0:
            node = tree.after(node, 1)
        game_map(game)

    return _text_target([game.text() for game in world.games], read)


def spec_target(world: World) -> Target:
    """Spec strings: read, written back the same, and made."""

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        kind, name, known = rng.choice(world.plugins)
        keys = [rng.choice([*known, *known, "x", ""]) for _ in range(rng.randrange(3))]
        text = name + ":" * bool(keys) + ",".join(f"{key}={rng.choice(BITS)}" for key in keys)
        text = damaged_text(text, rng) if rng.random() < 0.7 else text
        kind = kind if rng.random() < 0.9 else rng.choice(KINDS)

        def read() -> None:
            if str(parse(text)) != text:
                raise AssertionError("not the same when written back")
            getattr(make, kind)(text)

        return f"{kind} {text}", read

    return target


def options_target(world: World) -> Target:
    """Options of every plugin with values of all sorts: made, and described for a game."""
    plugins = [(e.kind, e.name) for e in registry.entries() if e.kind in KINDS and not e.missing]
    known = {(kind, name): options_of(registry.load(kind, name)[0]) for kind, name in plugins}
    games = [*GAMES, "leduc:players=3", "holdem_fcpa"]
    numbers = [0, 1, 2, 3, 5, 9, 10, 11, 52, 53, 64, 100, 255, 256, 1000, 65536, 2**31 - 1, 2**31, 2**62, 2**63, 2**64,
               10**20, -1, -5, 0.5, 1.5, 1e-9, 1e30, "nan", "inf", "true", "false", "none", "pot", "allin", "first"]  # fmt: skip

    def value(rng: Random, default: Any) -> str:
        kind = rng.randrange(10)
        if kind < 5:
            return str(rng.choice(numbers))
        if kind < 8:
            return "+".join(str(rng.choice(numbers)) for _ in range(rng.randrange(1, 6)))
        if kind == 8:
            return write_value(str(rng.choice(HOSTILE)))
        return write_value(None if str(default) == "NOTHING" else default)

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        kind, name = rng.choice(plugins)
        options = known[kind, name]
        chosen = rng.sample(sorted(options), min(len(options), rng.choice([1, 1, 2, 3])))
        text = str(Spec(name, tuple((key, value(rng, options[key].default)) for key in chosen)))
        game = rng.choice(SMALL if name in SLOW else games) if kind in ("encoder", "agent") else None

        def read() -> None:
            gather(kind, text, game)
            if kind == "game":
                hand(registry.create("game", text))

        return f"{kind} {text} {game or ''}", read

    return target


def hand(game: Any) -> None:
    """Begin a hand and look at it."""
    tables = game.tables(2)
    tables.reset(np.array([1, 2], np.uint64))
    tables.views(0, np.arange(2))
    tables.legal(np.arange(2))


def wire_target(world: World) -> Target:
    """What a dealer sends its players, line by line, and what a player answers it."""
    from cardai.formats.acpc.follower import Follower
    from cardai.formats.acpc.nodes import WireTree
    from cardai.formats.acpc.replies import judge, plain_reply

    games = [load_game(name) for name in ("holdem.limit.2p.reverse_blinds", "holdem.nolimit.2p.reverse_blinds")]
    trees = [WireTree(game) for game in games]

    def dealer(rng: Random) -> tuple[str, Callable[[], Any]]:
        game, lines = (
            games[0],
            [damaged_text(text, rng) if rng.random() < 0.5 else text for text in rng.sample(world.states, 2)],
        )

        def read() -> None:
            follower = Follower(game)
            for line in lines:
                follower.see(line.encode("utf-8", "surrogatepass"))

        return str(lines), read

    def player(rng: Random) -> tuple[str, Callable[[], Any]]:
        tree, asked = rng.choice(trees), rng.choice(world.states)
        node, reply = tree.root, damaged_text(rng.choice([":c", ":r", ":r300", ":f"]) + "\r\n", rng)
        for _ in range(rng.randrange(4)):
            node = tree.after(node, 1) if node.actor >= 0 else node
        line = asked + reply if rng.random() < 0.7 else damaged_text(asked, rng) + reply

        def read() -> None:
            if node.actor >= 0:
                plain_reply(tree, node, reply.encode("utf-8", "surrogatepass"))
                judge(tree, node, asked, line)

        return f"{asked!r} {line!r}", read

    return lambda rng: dealer(rng) if rng.random() < 0.5 else player(rng)


def page_target(world: World) -> Target:
    """What a page of ``cardai play --browser`` sends."""
    from cardai.web.socket import Said, understood

    good: list[Any] = [
        {"does": "look", "at": 0, "big_blinds": True},
        {"does": "act", "at": 1503, "action": 2},
        {"does": "cards", "at": 2, "cards": [1, 51]},
        {"does": "typed", "at": 2, "text": "raise to 300"},
        {"does": "advise", "at": 0, "text": "random"},
    ]

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        text = json_text(damaged(json.loads(json.dumps(rng.choice(good))), Said, rng))
        return text, lambda: understood(text)

    return target


TARGETS: dict[str, Callable[[World], Target]] = {
    "acpc": acpc_target,
    "slumbot": slumbot_target,
    "matchstate": matchstate_target,
    "gamedef": gamedef_target,
    "spec": spec_target,
    "options": options_target,
    "wire": wire_target,
    "page": page_target,
}
