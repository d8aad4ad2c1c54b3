"""What benchmarks/fuzz.py tries: good files of every kind, how they are damaged, and what reads them."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from cardai import make
from cardai.arena import match, records, table, tournament
from cardai.commands.describe import gather
from cardai.commands.replay import Show
from cardai.core import registry
from cardai.core.errors import CardaiError
from cardai.core.files import digest_of, file_digest, write_json
from cardai.core.spec import Spec, options_of, parse, write_value
from cardai.formats import read_hands, read_log, slumbot
from cardai.formats.acpc.gamedef import game_names, load_game, parse_game
from cardai.formats.acpc.records import log_to_records, records_to_log
from cardai.formats.acpc.states import MatchState, parse_match_state
from cardai.formats.phh import log_to_phh, phh_text
from cardai.training.runs import Run
from cardai.training.session import Session

Target = Callable[[Random], tuple[str, Callable[[], Any]]]
PLAYED = {
    "kuhn": ["random", "random"],
    "leduc": ["random", "random"],
    "gin": ["simple", "random"],
    "holdem_limit": ["random", "random"],
    "holdem_nolimit:players=3": ["random", "random", "random"],
    "holdem_nolimit": ["random", "always_call"],
    "triple_draw": ["random", "random"],
    "video_poker": ["random"],
}
KINDS = ("game", "encoder", "agent", "trainer")
SLOW = ("best_response",)
"""Agents that need a solved tree, which some games make in minutes."""
HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 2, 255, 2**31, -(2**31), 2**63, 2**64, -(2**63) - 1, 10**30, 10**400, 0.5, -0.0, 1e308,
    float("nan"), float("inf"), "", "x", "0", "1", "-1", "../../etc/passwd", "a/b", "\x00", "\ud800", "é" * 300, "9" * 5000,
    "kuhn", "random", "gin:target=5", "nowhere", "runs/x", ":", "a:b=c", [], [0], [[]], [None], [-1] * 60, list(range(53)),
    {}, {"a": 1}, {"starter": 0, "score": [], "stacks": []}, {"a": {"b": {"c": [1, 2, {}]}}},
]  # fmt: skip
BITS = ["", "0", "-", "+", ":", "|", "/", "=", ",", "#", "99999999999999999999", "1e9", "\x00", "\n", "\r\n", " ", '"', "[", "]", "{",
        "\ud800", "é", "r", "c", "f", "k", "b", "r300", "b300", "cc/", "As", "5d5c", "STATE:", "SCORE:", "MATCHSTATE:", "GAMEDEF", "nan"]  # fmt: skip


class World:
    """Good files of every kind, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records: list[str] = []
        for spec, agents in PLAYED.items():
            file = folder / "good.jsonl"
            match.play(spec, agents, games=2 * len(agents), seed=3, record=file)
            self.records.append("".join(file.read_text().splitlines(keepends=True)[:4]))
        logs = [records_to_log(records.read(io.StringIO(text))) for text in self.records if "holdem" in text[:60]]
        self.logs = ["".join(log.lines()[:6]) for log in logs]
        heads_up = records_to_log(records.read(io.StringIO(self.records[5])))
        self.slumbot = [slumbot.hand_text(hand) for hand in heads_up.hands]
        self.phh = [phh_text(log_to_phh(log)) for log in logs]
        self.games = [load_game(name) for name in game_names()]
        self.states = [MatchState(0, hand.hand, hand.betting, hand.hole, hand.board).text() for hand in logs[0].hands]
        entries = [entry for entry in registry.entries() if entry.kind in KINDS and not entry.missing]
        self.plugins = [(e.kind, e.name, sorted(options_of(registry.load(e.kind, e.name)[0]))) for e in entries]
        self.run = _trained(folder / "run")
        tournament.play_pairings("leduc", ["random", "always_call"], games=4, seed=1, out=folder / "tournament")


def _trained(path: Path) -> Run:
    run = Run.create(path, "cfr", "kuhn", None, seed=1, steps=4)
    Session.start(run).train(4, checkpoint_every=2)
    return run


# -- damage --------------------------------------------------------------------------------------------------------


def damaged_text(text: str, rng: Random) -> str:
    """Return ``text`` changed in one to four places: cut, doubled, replaced, moved, numbers made strange."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice([0, 1, 1, 2, 5, 40]))
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:to] + text[at:]
        elif kind == 2:
            text = text[:at]
        elif kind == 3:
            other = rng.randrange(len(text) + 1)
            text = text[:at] + text[other : other + to - at] + text[to:]
        else:
            text = text[:at] + rng.choice(BITS) + text[to:]
    return text


def damaged_value(value: Any, rng: Random) -> Any:
    """Return a JSON value with one place of it changed: another type or size, missing, doubled, or moved by one."""
    if rng.random() < 0.01:
        return rng.choice(HOSTILE)
    places = list(_places(value))
    holder, key = rng.choice(places)
    kind = rng.randrange(8)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(key, rng.choice([holder[key], rng.choice(HOSTILE)]))
    elif kind == 1:
        holder[rng.choice(["x", "", "seed", "../x"])] = rng.choice(HOSTILE)
    elif kind == 2 and isinstance(holder[key], (int, float)):
        holder[key] += rng.choice([-1, 1, 0.5, -100, 100, 2**40])
    elif kind == 3 and isinstance(holder[key], str):
        holder[key] = damaged_text(holder[key], rng)
    elif kind == 4:
        holder[key] = [holder[key]]
    elif kind == 5:
        holder[key] = _nested(rng.choice([50, 3000, 60_000]))
    else:
        holder[key] = rng.choice(HOSTILE)
    return value


class _Raw(str):
    """JSON text that is put in as it is: deeper than Python nests."""


def _nested(depth: int) -> str:
    return _Raw(f"<{depth}>")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of every place in a JSON value, at most twenty of a long list."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    else:
        keys = list(range(len(value)))[:20] if isinstance(value, list) else []
    for key in keys:
        yield value, key
        yield from _places(value[key])


def json_text(value: Any) -> str:
    """Return a damaged value as JSON, deep nests written out."""
    text = json.dumps(value, separators=(",", ":"), skipkeys=True)
    for depth in (50, 3000, 60_000):
        text = text.replace(f'"<{depth}>"', "[" * depth + "]" * depth)
    return text


# -- targets -------------------------------------------------------------------------------------------------------


def record_target(world: World) -> Target:
    """A record with a damaged header or hand, read and replayed, and as a log."""
    lines = [[json.loads(line) for line in text.splitlines()] for text in world.records]

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        chosen = json.loads(json.dumps(rng.choice(lines)))
        at = rng.choice([0, 1, 1, 2])
        if rng.random() < 0.8:
            chosen[at] = damaged_value(chosen[at], rng)
            text = "".join(json_text(line) + "\n" for line in chosen)
        else:
            text = damaged_text("".join(json_text(line) + "\n" for line in chosen), rng)
        also_log, shown = rng.random() < 0.2, rng.random() < 0.2

        def read() -> None:
            file = records.read(io.StringIO(text))
            game = make.game(str(file.header["game"]))
            for hand in file.hands:
                with contextlib.suppress(CardaiError):
                    for _ in table.replay(game, hand):
                        pass
            if also_log:
                records_to_log(file)
            if shown and file.hands:
                Show(game, file, None, True, "", None).frames(0)

        return text, read

    return target


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


def phh_target(world: World) -> Target:
    """PHH files, as records."""
    return _text_target(world.phh, lambda text: read_hands(io.StringIO(text)))


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


def _copy_of(world: World, name: str, source: Path) -> Callable[[], Path]:
    """Return a function that gives a copy of the directory ``source`` as it was, whatever was done to the last one."""
    place = world.folder / f"copy-{name}"
    shutil.copytree(source, place)
    good = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}

    def fresh() -> Path:
        for path, data in good.items():
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)
        return place

    return fresh


def run_target(world: World) -> Target:
    """A run.json, mostly with a fitting id, opened, made and played."""
    good, fresh = json.loads((world.run.path / "run.json").read_text()), _copy_of(world, "run", world.run.path)

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        value = damaged_value(json.loads(json.dumps(good)), rng)
        if isinstance(value, dict) and rng.random() < 0.8:
            value["id"] = digest_of({k: v for k, v in value.items() if k != "id"})[:16]
        text = json_text(value) if rng.random() < 0.9 else damaged_text(json_text(value), rng)
        path = fresh()
        (path / "run.json").write_text(text, encoding="utf-8", errors="surrogatepass")

        def read() -> None:
            run = Run.open(path)
            run.latest()
            run.read_metrics()
            gather("agent", str(path))
            make.agent(str(path))

        return text, read

    return target


def manifest_target(world: World) -> Target:
    """A manifest.json, mostly with a fitting hash."""
    fresh = _copy_of(world, "manifest", world.run.path)
    good = json.loads((world.run.path / "checkpoints/step-000000000004/manifest.json").read_text())

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        value = damaged_value(json.loads(json.dumps(good)), rng)
        path = fresh()
        file = path / "checkpoints/step-000000000004/manifest.json"
        if isinstance(value, dict) and rng.random() < 0.8:
            value["sha256"] = digest_of({k: v for k, v in value.items() if k != "sha256"})
            text = json.dumps(value, indent=2).replace('"<', '"') + "\n"
        else:
            text = json_text(value)
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
        return text, lambda: make.agent(f"{path}:step=4")

    return target


def metrics_target(world: World) -> Target:
    """A metrics.jsonl, read, cut and drawn as a curve."""
    from cardai.training.curves import curves

    fresh = _copy_of(world, "metrics", world.run.path)
    rows = [json.loads(line) for line in (world.run.path / "metrics.jsonl").read_text().splitlines()]

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        chosen = damaged_value(json.loads(json.dumps(rows)), rng)
        text = "".join(json_text(row) + "\n" for row in chosen) if isinstance(chosen, list) else json_text(chosen)
        text = damaged_text(text, rng) if rng.random() < 0.3 else text
        path = fresh()
        (path / "metrics.jsonl").write_text(text, encoding="utf-8", errors="surrogatepass")

        def read() -> None:
            run = Run.open(path)
            run.read_metrics()
            with contextlib.suppress(CardaiError):
                curves([run])
            run.cut_metrics(2)

        return text, read

    return target


def checkpoint_target(world: World) -> Target:
    """A checkpoint's arrays damaged, with the manifest of somebody who knows how."""
    fresh = _copy_of(world, "checkpoint", world.run.path)

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        path = fresh()
        folder = path / "checkpoints/step-000000000004"
        file = rng.choice(sorted(folder.glob("*.npz")))
        data = _damaged_npz(file, rng)
        file.write_bytes(data)
        _forge(folder)

        def read() -> None:
            run = Run.open(path)
            with contextlib.suppress(CardaiError):
                run_training(run)
            make.agent(f"{path}:step=4")

        return f"{file.name} {len(data)}", read

    return target


def run_training(run: Run) -> None:
    """Take up the newest checkpoint as a resumed training would."""
    training = run.trainer().start(run.game(), run.encoder(), run.seed)
    training.load(run.verify(4).path)


def _damaged_npz(file: Path, rng: Random) -> bytes:
    data = bytearray(file.read_bytes())
    kind = rng.randrange(5)
    if kind == 0:
        with np.load(file) as held:
            arrays = {name: held[name] for name in held.files}
        name = rng.choice(sorted(arrays))
        changed = [np.zeros(0), np.array(1.5), np.zeros((1000, 1000), np.int8), arrays[name][..., None] * 1.0,
                   np.zeros_like(arrays[name]), np.array(["x"])]  # fmt: skip
        arrays[rng.choice([name, name, "../x", "x"])] = rng.choice(changed)
        out = io.BytesIO()
        (np.savez_compressed if rng.random() < 0.3 else np.savez)(out, **arrays)
        return out.getvalue()
    for _ in range(rng.choice([1, 2, 8])):
        at = rng.randrange(len(data))
        if kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at : at + 8] = rng.randbytes(8)
        elif kind == 3:
            del data[at : at + rng.choice([1, 4, 100])]
        else:
            at = rng.choice([m for m in range(len(data) - 3) if data[m : m + 2] == b"PK"] or [0])
            data[min(len(data) - 1, at + rng.randrange(60))] = rng.randrange(256)
    return bytes(data)


def _forge(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest.pop("sha256")
    files = [file for file in sorted(folder.iterdir()) if file.name != "manifest.json"]
    manifest["files"] = {f.name: {"bytes": f.stat().st_size, "sha256": file_digest(f)} for f in files}
    manifest["sha256"] = digest_of(manifest)
    write_json(folder / "manifest.json", manifest)


def journal_target(world: World) -> Target:
    """The journal of a match that was killed, with a damaged header or hand, gone on with."""
    known = list(zip(list(PLAYED.items())[:3], world.records, strict=False))
    folder = world.folder / "journal"
    folder.mkdir()

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        (spec, agents), text = rng.choice(known)
        chosen = [json.loads(line) for line in text.splitlines()]
        at = rng.choice([0, 1, 1, 2])
        if rng.random() < 0.8:
            chosen[at] = damaged_value(chosen[at], rng)
            text = "".join(json_text(line) + "\n" for line in chosen)
        else:
            text = damaged_text(text, rng)

        def read() -> None:
            file = folder / "r.jsonl"
            file.unlink(missing_ok=True)
            journal_path = file.with_name("r.jsonl.open")
            journal_path.write_text(text, encoding="utf-8", errors="surrogatepass")
            match.play(spec, agents, games=2 * len(agents), seed=3, record=file, resume=True)

        return text, read

    return target


def tournament_target(world: World) -> Target:
    """A tournament's directory: its settings or a pairing's pieces."""
    fresh = _copy_of(world, "tournament", world.folder / "tournament")
    good = json.loads((world.folder / "tournament/tournament.json").read_text())

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        path = fresh()
        if rng.random() < 0.5:
            text = json_text(damaged_value(json.loads(json.dumps(good)), rng))
            (path / "tournament.json").write_text(text, encoding="utf-8", errors="surrogatepass")
        else:
            file = next(path.glob("*.jsonl"))
            text = damaged_text(file.read_text(), rng)
            file.write_text(text, encoding="utf-8", errors="surrogatepass")

        def read() -> None:
            with contextlib.suppress(CardaiError):
                tournament.play_pairings("leduc", ["random", "always_call"], games=4, seed=1, out=path, resume=True)
            standings = tournament.saved(path, ["random", "always_call"])
            if standings is not None:
                standings.cell(0, 1)

        return text, read

    return target


def examples_target(world: World) -> Target:
    """A directory of examples: its manifest or a shard's arrays."""
    from cardai.formats.stream import stream_hands
    from cardai.learn.imitation.convert import convert
    from cardai.learn.imitation.examples import read_examples

    log = world.folder / "examples.log"
    log.write_text(world.logs[0])
    manifest = convert([str(log)], stream_hands, world.folder / "examples")
    game, fresh = make.game(manifest.game), _copy_of(world, "examples", world.folder / "examples")
    good = json.loads((world.folder / "examples/manifest.json").read_text())

    def target(rng: Random) -> tuple[str, Callable[[], Any]]:
        path = fresh()
        if rng.random() < 0.5:
            text = json_text(damaged_value(json.loads(json.dumps(good)), rng))
            (path / "manifest.json").write_text(text, encoding="utf-8", errors="surrogatepass")
        else:
            file = next(path.glob("*.jsonl"))
            text = damaged_text(file.read_text(), rng)
            file.write_text(text, encoding="utf-8", errors="surrogatepass")
        return text, lambda: read_examples(path, game)

    return target


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
    games = [*PLAYED, "leduc:players=3", "holdem_fcpa"]
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
        game = rng.choice(games) if kind in ("encoder", "agent") and name not in SLOW else None

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


TARGETS: dict[str, Callable[[World], Target]] = {
    "record": record_target,
    "acpc": acpc_target,
    "slumbot": slumbot_target,
    "phh": phh_target,
    "matchstate": matchstate_target,
    "gamedef": gamedef_target,
    "run": run_target,
    "manifest": manifest_target,
    "metrics": metrics_target,
    "checkpoint": checkpoint_target,
    "journal": journal_target,
    "tournament": tournament_target,
    "examples": examples_target,
    "spec": spec_target,
    "options": options_target,
}
