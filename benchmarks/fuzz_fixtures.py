"""Directories as cardai writes them, and what reads them: what benchmarks/fuzz.py damages one file of.

    python benchmarks/fuzz_fixtures.py FOLDER [KIND ...]

fills those that take compiled kernels; the others are filled where they are read. Whatever reads a new kind of file gets a fixture here.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_readers import Fixture
from room_texts import TEXTS

from cardai import make
from cardai.arena import match, table, tournament
from cardai.arena.journal import beside
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import digest_of, file_digest, read_json, write_json
from cardai.training.runs import Run
from cardai.training.session import Session

RECORDED = {
    "kuhn": ["random", "random"],
    "leduc": ["random", "random"],
    "gin": ["simple", "random"],
    "holdem_limit": ["random", "random"],
    "holdem_nolimit:players=3": ["random", "random", "random"],
    "holdem_nolimit": ["random", "always_call"],
    "triple_draw": ["random", "random"],
    "video_poker": ["random"],
}
KILLED = ("kuhn", "leduc", "holdem_limit")
"""The games of matches of programs that were killed, and are gone on with."""
PLAYED = ("kuhn", "leduc", "holdem_limit", "video_poker", "triple_draw", "gin")
"""The games of matches that a person goes on with."""


def fixtures() -> list[Fixture]:
    """Return all of them."""
    found = [Fixture("record", spec, _recorded(spec), _read_record) for spec in RECORDED]
    found += [Fixture("saved", f"{game}-{state}", _played(game, state), _resume)
              for game, state in product(PLAYED, ("closed", "killed"))]  # fmt: skip
    found += [Fixture("journal", spec, _killed(spec), _go_on(spec)) for spec in KILLED]
    found += [Fixture("run", name, _trained(*of), _read_run, seal_run) for name, of in TABULAR.items()]
    found += [Fixture("networks", name, _trained(*of), _read_run, seal_run, compiled=name in COMPILED)
              for name, of in NETWORKS.items()]  # fmt: skip
    found += [
        Fixture("networks", "draws", _betting_by_draws, _read_betting, seal_run, compiled=True),
        Fixture("networks", "examples", _imitation, _read_imitation, seal_run),
        Fixture("values", "leduc", _values, _read_values, _seal_values),
        Fixture("preflop", "table", _preflop, _read_preflop),
        Fixture("values", "plain", _plain_values, _read_plain_values),
        Fixture("situations", "river", _situations, _read_situations, _seal_situations),
        Fixture("buckets", "run", _bucket_run, _read_bucket_run),
        Fixture("buckets", "store", _bucket_store, _read_bucket_store),
        Fixture("sweep", "mccfr", _swept, _read_sweep, seal_run),
        Fixture("strength", "measured", _measured, _read_strengths),
        Fixture("index", "matches", _indexed, _read_index),
        Fixture("tournament", "leduc", _tournament, _read_tournament),
        Fixture("review", "kuhn", _reviewed, _read_review),
        Fixture("spot", "river", _spot, _read_spot),
        Fixture("library", "turn", _library, _read_library),
        Fixture("library", "flops", _flops, _read_flops),
        Fixture("preflop", "push", _chart, _read_chart),
        Fixture("pieces", "measure", _pieces, _read_pieces),
        Fixture("gin_values", "begin", _gin_values, _read_gin_values),
        Fixture("series", "limit", _series, _read_series),
        Fixture("site", "slumbot", _site_match, _read_site_match),
        *(Fixture("rooms", name, _room(text), _read_histories) for name, text in TEXTS.items()),
        Fixture("rooms", "packed", _packed_rooms, _read_histories),
        Fixture("phh", "limit", _histories("holdem_limit"), _read_histories),
        Fixture("phh", "nolimit", _histories("holdem_nolimit"), _read_histories),
        Fixture("phh", "cash", _cash_histories, _read_histories),
    ]
    return found


# -- hands ---------------------------------------------------------------------------------------------------------


def _recorded(spec: str) -> Callable[[Path], Any]:
    agents = RECORDED[spec]

    def fill(folder: Path) -> None:
        file = folder / "hands.jsonl"
        match.play(spec, agents, games=2 * len(agents), seed=3, record=file)
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:4]))

    return fill


def _killed(spec: str) -> Callable[[Path], Any]:
    def fill(folder: Path) -> None:
        file = folder / "hands.jsonl"
        match.play(spec, RECORDED[spec], games=4, seed=3, record=file)
        journal = "".join(file.read_text().splitlines(keepends=True)[:4])
        file.unlink()
        beside(file).write_text(journal)

    return fill


def _go_on(spec: str) -> Callable[[Path, Random], Any]:
    def read(folder: Path, rng: Random) -> None:
        match.play(spec, RECORDED[spec], games=4, seed=3, record=folder / "hands.jsonl", resume=True)

    return read


def _read_record(folder: Path, rng: Random) -> None:
    """Read a record, and replay it in one of the ways there are."""
    from cardai.formats import read_hands, read_log

    way = rng.randrange(2, 8) if rng.random() < 0.8 else rng.randrange(2)
    file = read_hands(folder / "hands.jsonl")
    game = make.game(str(file.header["game"]))
    if way == 0:
        with contextlib.suppress(CardaiError):  # not every game is the competition's
            read_log(folder / "hands.jsonl").lines()
    elif way == 1 and file.hands:
        _show(game, file, rng)
    elif way == 2 and file.hands:
        _scenes(game, file, rng)
    else:
        for hand in file.hands:
            with contextlib.suppress(CardaiError):
                for _ in table.replay(game, hand):
                    pass


def _show(game: Any, file: Any, rng: Random) -> None:
    """Look at a hand as ``cardai replay`` prints it."""
    from cardai.commands.replay import Show

    show = Show(game, file, None, rng.random() < 0.5, "", None)
    if rng.random() < 0.3:
        show.as_json(0)
    for frame in show.frames(0, brief=rng.random() < 0.5):
        str(frame)


def _scenes(game: Any, file: Any, rng: Random) -> None:
    """Look at a hand as the app of ``cardai replay`` draws it."""
    from cardai.ui.recording import Recording

    for step in Recording(game, file).steps(0, reveal=rng.random() < 0.5):
        _drawn(step.scene)


def _drawn(scene: Any) -> None:
    from cardai.ui.cards import CardStyle
    from cardai.ui.lines import end_text, standing_text, title_of, turn_words
    from cardai.ui.pictures import picture

    picture(scene, CardStyle())
    title_of(scene)
    turn_words(scene)
    if scene.standing is not None:
        standing_text(scene)
    if scene.end is not None:
        end_text(scene)


def _played(game: str, state: str) -> Callable[[Path], Any]:
    """A match of a person, stopped, or as a process that was killed leaves it."""

    def fill(folder: Path) -> None:
        from cardai.ui.match import Match

        seats = make.game(game).num_players
        going = Match.begin(game, ["random"] * (seats - 1), 5, folder / "match.jsonl")
        for _ in range(40):
            if going.table.hand_over and len(going.table.records) < 2:
                going.next_hand()
            elif going.waiting:
                going.step()
            elif going.table.to_act is not None:
                _act(going)
        if state == "closed":
            going.close()

    return fill


def _act(going: Any) -> None:
    """Play the first legal action that is not a fold, or the first."""
    legal = going.table.legal()
    going.act(int(np.flatnonzero(legal[0])[-1]) if isinstance(legal, np.ndarray) else int(legal.actions(0)[0]))


def _resume(folder: Path, rng: Random) -> None:
    """Go on with a match, and leave it again."""
    from cardai.ui.match import Match

    going = Match.resume(folder / "match.jsonl")
    _drawn(going.scene())
    for _ in range(3):
        if going.table.hand_over:
            going.next_hand()
        elif going.waiting:
            going.step()
        elif going.table.to_act is not None and rng.random() < 0.5:
            _act(going)
        _drawn(going.scene())
    going.close()


def _room(text: str) -> Callable[[Path], Any]:
    def fill(folder: Path) -> None:
        (folder / "hands.txt").write_text(text, encoding="utf-8")

    return fill


def _packed_rooms(folder: Path) -> None:
    """Hands of several rooms as they are given out: in a folder, and in a zip archive."""
    (folder / "rooms").mkdir()
    with zipfile.ZipFile(folder / "hands.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in TEXTS.items():
            (folder / "rooms" / f"{name}.txt").write_text(text, encoding="utf-8")
            archive.writestr(f"{name}.txt", text)
        for name, text in list(TEXTS.items())[:2]:  # packed twice
            archive.writestr(f"again/{name}.txt.gz", gzip.compress(text.encode()))


def _histories(game: str) -> Callable[[Path], Any]:
    def fill(folder: Path) -> None:
        from cardai.formats import read_log
        from cardai.formats.phh import log_to_phh, phh_text

        match.play(game, ["random", "random"], games=4, seed=3, record=folder / "hands.jsonl")
        for number, history in enumerate(log_to_phh(read_log(folder / "hands.jsonl"))):
            (folder / f"{number}.phh").write_text(phh_text([history]))
        (folder / "hands.jsonl").unlink()

    return fill


def _cash_histories(folder: Path) -> None:
    """Hands that no log can hold: each has stacks of its own, antes, parts of chips, or cards that nobody saw."""
    hand = (
        "variant = 'NT'\nantes = [0.5, 0.5, 0.5]\nblinds_or_straddles = [1, 2, -2]\nmin_bet = 2\n"
        "starting_stacks = [50.25, 80, 30]\nactions = ['d dh p1 KsKd', 'd dh p2 ????', 'd dh p3 7c7s', 'p3 cbr 29.50', "
        "'p1 cc', 'p2 f', 'd db 2c7dKh', 'd db 3c', 'd db 4s', 'p1 sm KsKd', 'p3 sm 7c7s']\nday = 1\n"
        "month = 7\nyear = 2009\ntime_zone_abbreviation = 'ET'\nseats = [3, 5, 1]\nplayers = ['a', 'b', 'c']\n"
        "currency_symbol = '$'\n"
    )
    for number, end in enumerate(("", "winnings = [61, 0, 0]\n", "finishing_stacks = [82.75, 77.5, 0]\n")):
        (folder / f"{number}.phh").write_text(hand + end)


def _read_histories(folder: Path, rng: Random) -> None:
    from cardai.formats import read_hands

    for file in sorted(folder.iterdir()):
        with contextlib.suppress(CardaiError):
            read_hands(file)


def _site_match(folder: Path) -> None:
    """The record of hands on a site that is gone on with, and what the sites answer in the next."""
    from cardai.formats.sites.kept import KeptHands, SiteHand
    from cardai.formats.sites.series import header_of

    hand = SiteHand(0, 1, "cr300f", "AsKs|2c7d", -100.0, 100, baseline=50.0)
    with KeptHands(str(folder / "match.jsonl"), header_of("slumbot", _site_game(), "always_call", 3), False) as kept:
        kept.keep(hand, None)
    frame = {
        "action": "ck/kk/kk/k",
        "client_pos": 1,
        "hole_cards": ["As", "Ks"],
        "board": ["2c", "3d", "4h", "5s", "9c"],
    }
    over = {"action": "ck/kk/kk/kk", "winnings": 100, "bot_hole_cards": ["7h", "8d"], "baseline_winnings": 100}
    write_json(folder / "begin.json", frame)
    write_json(folder / "login.json", {"token": "none"})
    write_json(folder / "act.json", {**frame, "token": "one", **over})
    players = [
        {"name": "GTO Wizard", "position": "BB", "hole_cards": "7h8d"},
        {"name": "me", "position": "SB", "hole_cards": "AsKs"},
    ]
    state = {
        "board_cards": "2c3d4h5s9c",
        "is_hand_over": True,
        "players": players,
        "winnings": 100.0,
        "aivat_score": 1.5,
    }
    state["action_history"] = ["c", "c", "_", "c", "c", "_", "c", "c", "_", "c", "c"]
    game = {"starting_stack": 20000.0, "blinds": [100.0, 50.0]}
    write_json(folder / "wizard.json", [{"hand_id": "x1", "game": game, "game_state": state}])


def _site_game() -> Any:
    from cardai.formats.acpc.gamedef import load_game
    from cardai.formats.slumbot import GAME

    return load_game(GAME)


def _read_site_match(folder: Path, rng: Random) -> None:
    """Go on with a match on a site that answers what lies in the folder."""
    from cardai.formats.sites.gtowizard import GtoWizard
    from cardai.formats.sites.kept import KeptHands
    from cardai.formats.sites.series import SitePlayer, figures, header_of, play_hands
    from cardai.formats.sites.service import NoAnswerError, Service
    from cardai.formats.sites.slumbot import Slumbot

    class Answers(Service):
        def call(self, path: str, body: Any = None, *, bare: str = "", **_: Any) -> dict[str, Any]:
            name = {"/api/login": "login.json", "/api/new_hand": "begin.json", "/api/act": "act.json"}.get(
                path, "wizard.json"
            )
            try:
                data = (folder / name).read_bytes()
            except OSError as error:  # no answer came
                raise NoAnswerError(str(error)) from error
            return self.parsed(path, data, bare)

    service = Answers("http://127.0.0.1:9")
    if rng.random() < 0.3:
        SitePlayer("always_call", _site_game(), 3).play(GtoWizard(service), 0)
    elif rng.random() < 0.5:
        SitePlayer("always_call", _site_game(), 3).play(Slumbot(service), 0)
    else:
        site = Slumbot(service, "me", "secret")
        with KeptHands(str(folder / "match.jsonl"), header_of("slumbot", _site_game(), "always_call", 3), True) as kept:
            play_hands(site, SitePlayer("always_call", _site_game(), 3), kept, 2)
            figures(kept.hands)


def _series(folder: Path) -> None:
    from cardai.formats.acpc.inprocess import play_agents
    from cardai.formats.acpc.series import begin

    series = _series_of()
    begin(series, folder, resume=False)
    for seats, one in series.matches():
        play_agents(series, one, seats, folder)


def _series_of() -> Any:
    from cardai.formats.acpc.series import Series

    return Series("holdem_limit", ("random", "always_call"), 3, (1,))


def _read_series(folder: Path, rng: Random) -> None:
    from cardai.formats.acpc.matchfiles import MatchFiles
    from cardai.formats.acpc.series import begin, results

    begin(_series_of(), folder, resume=True)
    for pairing in results(_series_of(), folder).values():
        pairing.mean()
    log = next(folder.glob("*.log"), None)
    if log is not None and rng.random() < 0.5:
        MatchFiles.open(str(log.with_suffix("")), append=True).close()


def _tournament(folder: Path) -> None:
    tournament.play_pairings("leduc", ["random", "always_call"], games=4, seed=1, out=folder)


def _read_tournament(folder: Path, rng: Random) -> None:
    with contextlib.suppress(CardaiError):
        tournament.play_pairings("leduc", ["random", "always_call"], games=4, seed=1, out=folder, resume=True)
    standings = tournament.saved(folder, ["random", "always_call"])
    if standings is not None:
        standings.cell(0, 1)


def _reviewed(folder: Path) -> None:
    from cardai.study import drills, saved

    review, digest = _review_of(folder / "hands.jsonl")
    saved.write(folder / "review.jsonl", review, digest)
    drills.write(folder / "drills.json", {"hands.jsonl 1 0": drills.Known(2, 740_000)})


def _review_of(file: Path) -> tuple[Any, str]:
    """Return a review of hands of Kuhn poker that are played into ``file``, and the digest of the file."""
    from cardai.arena import records
    from cardai.study.judge import judge_for
    from cardai.study.session import job_of, run

    match.play("kuhn", ["random", "equilibrium:iterations=8"], games=8, seed=1, record=file)
    job = job_of(
        records.read(file), make.game("kuhn"), "random", judge_for(make.game("kuhn"), "equilibrium:iterations=64")
    )
    return run(job)[0], job.digest


def _read_review(folder: Path, rng: Random) -> None:
    from cardai.study import drills, saved
    from cardai.study.report import csv_of, plain
    from cardai.study.review import text_of

    for known in drills.read(folder / "drills.json").values():
        known.answered(True, 740_001)
    found, _ = saved.read(folder / "review.jsonl")
    text_of(found)
    csv_of(found)
    plain(found)


def _measured(folder: Path) -> None:
    from cardai.ui.strength import Strength, keep

    with environment("CARDAI_DATA_DIR", folder):
        keep("gin", "random", Strength(12.5, 1.5, "%", "simple", 200))
        keep("leduc", "simple", Strength(-0.1, 0.2, "chips", "random", 200))


def _indexed(folder: Path) -> None:
    from cardai.study.index import Entry, write

    held = {"a.jsonl": Entry(10, 5, "kuhn", ("random",), 0, (1.0, -1.0), (0, 1)), "b.jsonl": Entry(3, 5, why="damaged")}
    write(folder / "index.sqlite", "human", held, ())


def _read_index(folder: Path, rng: Random) -> None:
    from cardai.study.index import listed

    (folder / "c.jsonl").write_text("no record\n")
    listed(folder, "human", folder / "index.sqlite")


def _read_strengths(folder: Path, rng: Random) -> None:
    from cardai.ui.strength import Strength, keep, known_strengths

    with environment("CARDAI_DATA_DIR", folder):
        for game in ("gin", "leduc", "kuhn"):
            for known in known_strengths(game).values():
                known.text()
        keep("kuhn", "random", Strength(1.0, 1.0, "%", "simple", 200))


@contextlib.contextmanager
def environment(name: str, value: Any) -> Iterator[None]:
    """Let a variable of the environment have a value inside."""
    before = os.environ.get(name)
    os.environ[name] = str(value)
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


# -- runs ----------------------------------------------------------------------------------------------------------

TABULAR: dict[str, tuple[str, str, str | None, int]] = {
    "cfr": ("cfr", "kuhn", None, 4),
    "mccfr": ("mccfr:measure_every=1", "kuhn", None, 2),
    "xfp": ("xfp", "kuhn", None, 2),
}
"""Trainer, game, encoder and steps of runs whose readers are quick."""
NETWORKS: dict[str, tuple[str, str, str | None, int]] = {
    "mmd": ("mmd:hidden=8,layers=1,batch=64,tables=16,average=50", "kuhn", "flat", 5),
    "nfsp": ("nfsp:hidden=8", "kuhn", "flat", 40),
    "sd_cfr": ("sd_cfr:traversals=8,updates=2,batch=8,hidden=8,layers=1,capacity=30", "kuhn", "flat", 2),
    "range_distillation": (
        "range_distillation:teacher=acpc_mix,sees=numbers,hands=8,nodes=4,hidden=8,channels=2,every=2",
        "holdem_limit:max_raises=1+0+0+1", None, 2,
    ),
    "gin_values": ("gin_values:hands=64,belief_hands=256,taught=1,batch=16,hidden=8", "gin", None, 1),
    "poker_cnn": (
        "poker_cnn_ours:batch=16,every=1,threads=1,measure=false,validation=0,examples=64,replay=0.5,whole_suits=true",
        "triple_draw", "grid_4x13:fields=hand+draws_left", 2,
    ),
    "poker_cnn_betting": (
        "poker_cnn_betting_ours:network=dense,hands=25,unit=2,batch=16,epochs=1,threads=1",
        "leduc", "grid_4x13:fields=hole", 60,
    ),
}  # fmt: skip
COMPILED = ("range_distillation", "gin_values", "poker_cnn")
"""The networks whose labels are of thousands of hands."""


GOES_ON = ("cfr", "mccfr", "xfp", "mmd", "sd_cfr")
"""Trainers that are let do a step after a damaged checkpoint: the quick ones."""


def _trained(trainer: str, game: str, encoder: str | None, steps: int) -> Callable[[Path], Any]:
    def fill(folder: Path) -> None:
        _train(folder, trainer, game, encoder, steps)

    return fill


def _train(folder: Path, trainer: str, game: str, encoder: str | None, steps: int, every: int | None = None) -> Run:
    run = Run.create(folder, trainer, game, encoder, seed=1, steps=steps)
    Session.start(run).train(steps, checkpoint_every=every)
    return run


def _read_run(folder: Path, rng: Random) -> None:
    """Look at a run, play its player, or take it up."""
    from cardai.arena.asking import bound
    from cardai.commands.describe import gather
    from cardai.training.curves import curves

    run, way = Run.open(folder), rng.randrange(4)
    if way in (0, 1):
        with contextlib.suppress(CardaiError):
            run.latest()
            curves([run])
        run.cut_metrics(2)
        gather("agent", str(folder))
    if way in (0, 2):
        with contextlib.suppress(CardaiError):
            taken = Session.resume(run)
            if run.trainer_spec.partition(":")[0] in GOES_ON and rng.random() < 0.3:
                taken.train(taken.training.step + 1)
    game = run.game()
    bound(make.agent(str(folder)), game)


def seal_run(folder: Path, file: Path) -> None:
    """Make the hashes around a damaged file of a run fit again, as somebody would who knows how."""
    if file.name == "run.json":
        value = read_json(file)
        value["id"] = digest_of({key: item for key, item in value.items() if key != "id"})[:16]
        write_json(file, value)
        for manifest in file.parent.glob("checkpoints/*/manifest.json"):
            _seal_checkpoint(manifest.parent, value["id"])
    elif file.name == "manifest.json":
        value = read_json(file)
        value["sha256"] = digest_of({key: item for key, item in value.items() if key != "sha256"})
        write_json(file, value)
    elif "checkpoints" in file.parts:
        _seal_checkpoint(file.parent)


def _seal_checkpoint(folder: Path, run: str | None = None) -> None:
    manifest = read_json(folder / "manifest.json")
    manifest.pop("sha256")
    files = [file for file in sorted(folder.iterdir()) if file.name != "manifest.json"]
    manifest["files"] = {f.name: {"bytes": f.stat().st_size, "sha256": file_digest(f)} for f in files}
    manifest["run"] = run or manifest["run"]
    manifest["sha256"] = digest_of(manifest)
    write_json(folder / "manifest.json", manifest)


def _betting_by_draws(folder: Path) -> None:
    """A run of bets whose checkpoint holds a copy of the network that draws."""
    encoder = "poker_cnn_triple_draw:size=4x13"
    draws = folder / "draws"
    _train(draws, "poker_cnn_ours:examples=60,batch=16,threads=1,measure=false,validation=0", "triple_draw", encoder, 1)
    spec = "poker_cnn_betting_ours:hands=16,batch=64,epochs=1,threads=1,teachers=draw_heuristic,freeze_trunk=true"
    _train(folder / "bets", f'{spec},draws_by="{draws}",warm_start="{draws}"', "triple_draw", encoder, 4)


def _read_betting(folder: Path, rng: Random) -> None:
    _read_run(folder / "bets", rng)


def _imitation(folder: Path) -> None:
    from cardai.formats.stream import stream_hands
    from cardai.learn.imitation.convert import convert

    record = folder / "hands.jsonl"
    match.play("holdem_limit", ["random", "always_call"], games=8, seed=3, record=record)
    convert([str(record)], stream_hands, folder / "examples")
    record.unlink()
    spec = f"cnn_valuation_ours:data={folder / 'examples'},network=suits,batch=8,validation=4"
    _train(folder / "run", spec, "holdem_limit", "poker_cnn_limit_ours:size=4x13", 1)


def _read_imitation(folder: Path, rng: Random) -> None:
    from cardai.learn.imitation.examples import read_examples

    with contextlib.suppress(CardaiError):
        read_examples(folder / "examples", make.game("holdem_limit"))
    _read_run(folder / "run", rng)


def _gin_values(folder: Path) -> None:
    from cardai.gin.values import ValueNetworks, write_values

    write_values(folder / "values.npz", ValueNetworks.start(8, 4))


def _read_gin_values(folder: Path, rng: Random) -> None:
    trainer = make.registry.create("trainer", f"gin_values:hands=64,batch=16,begin={folder / 'values.npz'}")
    trainer.start(make.game("gin"), None, 1)


def _swept(folder: Path) -> None:
    from cardai.training.sweeps import Sweep

    asked = {"measure_every": ["1", "2"]}
    for _ in Sweep.begin(folder, "mccfr", "kuhn", None, asked, [0, 1], 2, None).train():
        pass


def _read_sweep(folder: Path, rng: Random) -> None:
    """Look at a sweep as ``cardai sweep`` and ``cardai plot`` do before anything is trained."""
    from cardai.commands.plot import _opened
    from cardai.training.curves import curves
    from cardai.training.sweep_table import table
    from cardai.training.sweeps import Sweep, _command

    with contextlib.suppress(CardaiError):
        Sweep.begin(folder, "mccfr", "kuhn", None, {"measure_every": ["1", "2"]}, [0, 1], 2, None)
    sweep = Sweep.open(folder)
    for point in sweep.points():
        _command(sweep.asked, point)
        with contextlib.suppress(CardaiError):
            sweep.finished(point)
    with contextlib.suppress(CardaiError):
        table(sweep, "exploitability")
    curves(_opened(folder))


# -- values, buckets, spots ----------------------------------------------------------------------------------------


def _values(folder: Path) -> None:
    """A set of Leduc's situations with its noise, and a run that learned from it."""
    from cardai.poker.values.measures import label_noise
    from cardai.poker.values.situation_set import Recipe, produce

    recipe = Recipe("second", 3, (5,) * 5, game="leduc_deepstack", per_shard=40)
    with environment("CARDAI_CACHE_DIR", folder / "cache"):
        found = produce(folder / "set", recipe, 80)
        label_noise(found, 2, 2)
        spec = f"leduc_values:width=4,context=4,blocks=1,batch=20,anneal=2,situations={folder / 'set'}"
        _train(folder / "run", spec, "leduc_deepstack", None, 1)


def _read_values(folder: Path, rng: Random) -> None:
    from cardai.poker.values.measures import read_noise
    from cardai.poker.values.runs import held_out
    from cardai.poker.values.situation_set import load

    with environment("CARDAI_CACHE_DIR", folder / "cache"):
        load(folder / "set").read(0)
        noise = read_noise(folder / "set")
        if noise is not None:
            _ = noise.mean_pot, noise.mean_player
        with contextlib.suppress(CardaiError):
            held_out(folder / "run")
        _read_run(folder / "run", rng)


def _preflop(folder: Path) -> None:
    from cardai.poker.hand_classes import CLASSES
    from cardai.poker.resolving.preflop import PreflopTable, ladder_tree, write_table
    from cardai.poker.resolving.preflop_solving import solve_table

    ladder = (1.0, -1.0)
    rows = np.full((ladder_tree(ladder, 10).edges, CLASSES), 0.5, np.float32)
    write_table(PreflopTable(ladder, (10,), {10: rows}), folder)
    network, recipe = _flop_network()
    solve_table(folder / "solved", network, recipe, ())
    write_table(PreflopTable(ladder, (10,), {10: rows}), folder / "solved")


def _flop_network() -> tuple[Any, Any]:
    """Return a network of the flop, and the recipe of a table that is solved behind it."""
    from cardai.poker.resolving.preflop_solving import TableRecipe
    from cardai.poker.values.network import Description
    from cardai.poker.values.plain_network import PlainNetwork, _shapes

    described = Description("hands", "flop", width=4, context=4, blocks=1)
    network = PlainNetwork(described, {k: np.zeros(v, np.float32) for k, v in _shapes(described).items()})
    return network, TableRecipe(network.digest, (1.0, -1.0), 2, 25, 1)


def _read_preflop(folder: Path, rng: Random) -> None:
    from cardai.poker.contract import need_holdem
    from cardai.poker.resolving.preflop import HEAD, Preflop, read_table
    from cardai.poker.resolving.preflop_solving import solve_table
    from cardai.poker.resolving.public import Public

    played = Preflop(need_holdem(make.game("holdem"), "it"), read_table(folder))
    plan = played.plan(Public(0, ((250, 0, 0),), 0, ()))
    assert np.isfinite(plan.strategy).all()
    assert np.isfinite(played.ranges(Public(0, ((250, 0, 0), (1, 0, 1)), 1, ()))).all()
    if (folder / "solved" / HEAD).is_file():
        solve_table(folder / "solved", *_flop_network(), ())  # gone on with, and nothing is missing


def _plain_values(folder: Path) -> None:
    from cardai.poker.values.network import Description
    from cardai.poker.values.plain_network import PlainNetwork, _shapes, write_plain

    described = Description("hands", "turn", width=4, context=4, blocks=1)
    write_plain(PlainNetwork(described, {k: np.zeros(v, np.float32) for k, v in _shapes(described).items()}), folder)


def _read_plain_values(folder: Path, rng: Random) -> None:
    from cardai.poker.resolving.depth_limit import network_depth_limit
    from cardai.poker.resolving.games import resolved_game

    network_depth_limit(str(folder), resolved_game(make.game("holdem"), "1+allin"), 1)


def _seal_values(folder: Path, file: Path) -> None:
    seal_run(folder, file)
    _seal_situations(folder / "set", file)


def _seal_situations(folder: Path, file: Path) -> None:
    from cardai.poker.values.situation_set import HEAD

    if file.name.startswith("shard-"):
        head = read_json(folder / HEAD)
        head["shards"][file.name] = file_digest(file)
        write_json(folder / HEAD, head)


def _situations(folder: Path) -> None:
    from cardai.poker.values import situation_set
    from cardai.poker.values.situation_set import Recipe, SituationSet

    empty = SituationSet(folder, Recipe("river", 1, (3,) * 5, per_shard=2), "0" * 64, {})
    arrays = {"values": np.zeros((2, 2, 1081), np.float16), "exploitability": np.zeros(2, np.float32)}
    situation_set._keep(empty, 0, arrays)


def _read_situations(folder: Path, rng: Random) -> None:
    from cardai.poker.values.situation_set import load

    found = load(folder)
    for number in found.numbers[:3]:
        found.read(number)


def _bucket_run(folder: Path) -> None:
    from cardai.plugins.trainers.bucket_mccfr import checkpoints
    from cardai.poker.buckets.tables import BucketOptions

    checkpoints.write_table(folder / "average.npy", np.zeros(40, np.float32))
    checkpoints.write_state(folder, BucketOptions(1, 1, 1), step=7, sampled=9)


def _read_bucket_run(folder: Path, rng: Random) -> None:
    from cardai.plugins.trainers.bucket_mccfr import checkpoints
    from cardai.poker.buckets.tables import BucketOptions

    checkpoints.check_buckets(folder, BucketOptions(1, 1, 1))
    checkpoints.read_state(folder, "step", "sampled")
    checkpoints.read_table(folder / "average.npy", 40)
    checkpoints.read_finite(folder / "average.npy", 40)


def _bucket_store(folder: Path) -> None:
    from cardai.poker.buckets import _store

    with environment("CARDAI_CACHE_DIR", folder):
        _store.save({"street": "flop", "buckets": 3}, np.zeros((4, 5), np.uint16))


def _read_bucket_store(folder: Path, rng: Random) -> None:
    from cardai.poker.buckets import _store

    with environment("CARDAI_CACHE_DIR", folder):
        found = _store.load({"street": "flop", "buckets": 3}, (4, 5))
        if found is not None:
            found.sum()


def _spot(folder: Path) -> None:
    from cardai.poker.ranges.solution import prepare, solve
    from cardai.poker.ranges.spot import Spot

    spot = Spot("KsTh7s4d2c", 100, (150, 150), ("QQ+,AKs", "JJ,KJo,98s:0.5"), "1+allin")
    solve(prepare(spot), 50.0, 10).save(folder)


def _library(folder: Path) -> None:
    from cardai.poker.ranges.library import Library, Start
    from cardai.poker.ranges.spot import Spot

    made = Library(folder)
    spot = Spot("KsTh7s4d", 100, (100, 100), ("QQ,AKs", "JJ,98s"), "1/none", rake=0.05, rake_cap=3)
    made.solve(spot, 90.0, 2, position="BTN-BB", raised="single")
    made.add(Start("BTN-BB", "single", "22+", "random", 5.5, (97.5, 97.5)))


def _read_library(folder: Path, rng: Random) -> None:
    from cardai.poker.ranges.library import Library

    known = Library(folder)
    with few_iterations():
        for one in known:
            one.load().at("x x 2c x")
    known.starts()
    if known.damaged:
        raise DamagedFileError(known.damaged[0])


def _push() -> Any:
    from cardai.poker.preflop.rules import Rules

    return Rules(players=2, stack=10, raises="allin", blind_raises="allin", limp=False)


def _chart(folder: Path) -> None:
    from cardai.poker.preflop.making import Goal, Making

    making, goal = Making(folder / "preflop" / "push", _push()), Goal((0,), 50, 50)
    making.chart(making.solve(goal, lambda *_: None), goal, lambda *_: None)


def _read_chart(folder: Path, rng: Random) -> None:
    from cardai.poker.preflop.making import Making
    from cardai.poker.preflop.starts import chart_of, starts_in

    if rng.random() < 0.3:
        Making(folder / "preflop" / "push", _push()).seed(0)
        return
    chart_of(folder, "push").node("a")
    list(starts_in(chart_of(folder, "push")))


def _read_spot(folder: Path, rng: Random) -> None:
    from cardai.poker.ranges.solution import load, read_spot

    read_spot(folder)
    if rng.random() < 0.2:
        load(folder).at()


def _flops(folder: Path) -> None:
    from importlib.resources import files

    from cardai.poker.ranges.flops import FILE

    (folder / "flops.json").write_text(files("cardai.poker.ranges").joinpath(FILE).read_text(encoding="utf-8"))


def _read_flops(folder: Path, rng: Random) -> None:
    from cardai.poker.ranges.flops import subsets_of

    with contextlib.suppress(OSError):  # it comes with the package: no link, no folder is in its place
        subsets_of((folder / "flops.json").read_text(encoding="utf-8", errors="replace"), "flops.json")


def _pieces(folder: Path) -> None:
    kept = _kept(folder)
    kept.add(1, np.array([1.0, 2.0]))
    kept.write()


def _read_pieces(folder: Path, rng: Random) -> None:
    _kept(folder).missing()


def _kept(folder: Path) -> Any:
    from cardai.poker.responses.kept import Kept

    return Kept("ab" * 32, 3, (2,), folder / "measure.npz")


@contextlib.contextmanager
def few_hands() -> Iterator[None]:
    """Let networks of draws know few hands up to suits' names: listing all takes minutes as ordinary Python."""
    from cardai.draw.holds import every_hand
    from cardai.plugins.trainers.poker_cnn.values import problems

    known = problems.canonical_hands
    problems.canonical_hands = lambda: (next(every_hand(64)), np.ones(64, np.int64))
    try:
        yield
    finally:
        problems.canonical_hands = known


@contextlib.contextmanager
def few_iterations() -> Iterator[None]:
    """Let a river be solved in 100 iterations where 2,000 are the most: as ordinary Python those take seconds."""
    from cardai.poker.ranges.kept import KeptSolver

    known = KeptSolver.subgame
    KeptSolver.subgame = lambda *given, **more: known(*given, **{**more, "most": 100})  # type: ignore[method-assign]
    try:
        yield
    finally:
        KeptSolver.subgame = known  # type: ignore[method-assign]


def fill(root: Path, kinds: list[str], compiled: bool) -> None:
    """Fill the directory of each fixture that takes compiled kernels, or of each that does not: ``root``/KIND/NAME."""
    with few_hands():
        for fixture in fixtures():
            if fixture.compiled == compiled and (not kinds or fixture.kind in kinds):
                folder = root / fixture.kind / fixture.name.replace(":", "-")
                folder.mkdir(parents=True)
                fixture.make(folder)


if __name__ == "__main__":
    fill(Path(sys.argv[1]), sys.argv[2:], compiled=True)
