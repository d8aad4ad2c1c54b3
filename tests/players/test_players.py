"""The players in the box: listed with their strength as any third party's, loaded, played, and as strong as their cards say."""

from __future__ import annotations

import argparse
import json
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.arena.match import play
from cardai.arena.records import read
from cardai.cards.text import parse_cards
from cardai.cli import load_command
from cardai.core import registry
from cardai.plugins.trainers.bucket_mccfr.checkpoints import read_table
from cardai.plugins.trainers.bucket_mccfr.layout import holdem_tree, lay_out
from cardai.plugins.trainers.bucket_mccfr.textures import textures
from cardai.plugins.trainers.bucket_mccfr.whole import LEVELS
from cardai.poker.buckets.clusters import clusters
from cardai.poker.buckets.tables import BucketOptions
from cardai.poker.hands.combos import COUNT
from cardai.poker.notation import class_of, class_text
from cardai.poker.ranges.public_tree import DECISION
from cardai.poker.resolving.preflop import read_table as read_preflop
from cardai.poker.responses.local_samples import LocalOptions
from cardai.poker.responses.measure import measure
from cardai.poker.responses.street_samples import StreetOptions
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network_leaves import TurnLeaves
from cardai.poker.values.plain_network import read_plain
from cardai.poker.values.situations import HOLDEM_GAME
from cardai.solve.aivat import aivat
from cardai.training.runs import Run
from cardai.ui.box import content, in_the_box
from cardai.ui.strength import SHIPPED, shipped
from tests.poker.chance_nodes import chance_node
from tests.support import ROOT, install, sizes
from tests.support import cardai as command

BOX = ROOT / "players"
CARDS = {file.parent.name: json.loads(file.read_text()) for file in sorted(BOX.glob("cardai_players/*/card.json"))}
RUNS = [name for name in CARDS if (BOX / "cardai_players" / name / "run").is_dir()]
"""The players that are trained runs; the others are put together from several (players/no_limit.py)."""
ENTRIES = tomllib.loads((BOX / "pyproject.toml").read_text())["project"]["entry-points"]["cardai.agents"]
LIMIT = 60_000_000
"""Bytes of the whole package."""
STALE: set[tuple[str, str]] = set()
"""Places on ladders that were played before the player in the box was replaced: they are not told."""
ACES = [class_text(number) for number in range(169)].index("AA")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the package installed into it."""
    target = tmp_path_factory.mktemp("players") / "site"
    install(BOX, target)
    return target


@pytest.fixture
def boxed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the package be found where it lies."""
    monkeypatch.syspath_prepend(str(BOX))
    yield
    registry.default.reset()


def module(name: str) -> Any:
    from importlib import import_module

    return import_module(f"cardai_players.{name}")


def network(name: str) -> bool:
    return "[torch]" in ENTRIES[name]


def bucket_state(name: str) -> dict[str, Any] | None:
    """Return the state of a player by buckets, None of another."""
    files = list((BOX / "cardai_players" / name / "run").glob("checkpoints/*/state.json"))
    state = json.loads(files[0].read_text()) if files else {}
    return state if "buckets" in state else None


@pytest.mark.parametrize("name", [name for name in CARDS if bucket_state(name)])
def test_the_tables_of_a_player_by_buckets_fit_its_game_and_hold_weights(name: str) -> None:
    state = bucket_state(name)
    assert state is not None
    tree, folder = holdem_tree(cardai.game(CARDS[name]["game"])), BOX / "cardai_players" / name / "run"
    (directory,) = folder.glob("checkpoints/*/")
    trainer: Any = Run.open(folder).trainer()
    whole, cards = trainer.learns == "all", (169, state["flop"], state["turn"], 1)
    tables = {"average": (1, 1, 1, trainer.kind.count), "blueprint": cards}
    if whole:
        tables["trunk_average"] = (169, *(cards[k] * textures((3, 4)[k - 1], False)[1] for k in (1, 2)), 1)
    for file, counts in tables.items():
        table = read_table(directory / f"{file}.npy", lay_out(tree, counts).size)
        assert table.max() == (LEVELS if whole and file != "blueprint" else 255)
        assert (table > 0).mean() > 0.2


def test_each_player_has_a_card_an_entry_and_a_place_in_the_readme() -> None:
    assert set(ENTRIES) == set(CARDS) != set()
    readme = (BOX / "README.md").read_text(encoding="utf-8")
    for name, card in CARDS.items():
        assert ENTRIES[name].partition(" ")[0] == f"cardai_players.{name}"
        for text in (f"## {name}\n", card["strength"], card["command"], card["measure"]):
            assert text in readme
    assert sum(file.stat().st_size for file in BOX.rglob("*") if file.is_file()) < LIMIT


def test_what_cardai_play_offers_are_the_players_in_the_box() -> None:
    """Ask for the file anew by: python -c "import box; box.list_all()" in players/."""
    told = {player.name: player for player in in_the_box()}
    assert set(told) == set(CARDS)
    for name, card in CARDS.items():
        assert list(told[name].games) == card["games"]
        assert card["game"] in card["games"]
        assert (told[name].title, told[name].game) == (card["title"], card["game"])
        assert told[name].strength == card["strength"]


def test_an_installed_box_is_listed_with_strengths_and_plays(site: Path) -> None:
    rows = {row["name"]: row for row in json.loads(command("list-plugins", "--json", path=site).stdout)}
    for name, card in CARDS.items():
        assert rows[name]["distribution"] == "cardai-players"
        assert rows[name]["summary"] == f"{card['title']}: {card['strength']}."
        assert rows[name]["extras"] == (["torch"] if network(name) else [])
    played = command(
        "run", "-g", "leduc", "-a", "leduc_equilibrium", "--vs", "random", "-n", "400", "--json", path=site
    )
    assert json.loads(played.stdout)["players"][0]["mean_return"]["low"] > 0  # an equilibrium wins from it


@pytest.mark.parametrize("name", [name for name in CARDS if bucket_state(name)])
def test_a_player_by_buckets_waits_for_no_tables(name: str) -> None:
    state = bucket_state(name)
    assert state is not None
    options = BucketOptions(state["flop"], state["turn"], 1, seed=state["bucket_seed"])
    assert all(clusters(options.of_street(street)) is not None for street in (1, 2))


@pytest.mark.long("limit_equilibrium", "limit_resolving")
@pytest.mark.parametrize("name", CARDS)
def test_each_player_is_made_and_plays_its_game(boxed: None, name: str) -> None:
    if network(name):
        pytest.importorskip("torch")
    player, card = module(name).Player(), CARDS[name]
    game = cardai.game(card["game"])
    if name in RUNS:
        module("boxed")._player_of.cache_clear()
        player.check_game(game)
        assert not module("boxed")._player_of.cache_info().misses, "a list of players read all of it"
    others = ["random"] * (game.num_players - 1)
    games = (40 if name in RUNS else 1) * game.num_players  # a player that re-solves takes seconds a hand
    result = cardai.play(game, [quick(player), *others], games=games, seed=1)
    assert len(result.games) == games
    with pytest.raises(cardai.core.errors.UsageError):  # type: ignore[attr-defined]
        player.check_game(cardai.game("kuhn"))


def quick(player: Any) -> Any:
    """Return a player at its quickest, where it has options for that."""
    if not attrs.has(type(player)):
        return player
    known = {one.name for one in attrs.fields(type(player))}
    wanted = {"level": "weak", "seconds": 0, "threads": 1}
    return evolve(player, **{name: value for name, value in wanted.items() if name in known})


def test_the_no_limit_players_card_is_of_the_files_that_are_there() -> None:
    """A strength that was measured with another network or table is not told of this one."""
    assert CARDS["nolimit_resolving"]["files"] == content(BOX / "cardai_players" / "nolimit_resolving")


def test_a_ladder_of_cardai_play_tells_nothing_of_a_player_that_was_replaced_in_the_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``python benchmarks/strength.py --game GAME`` plays a ladder anew."""
    there = {name: content(BOX / "cardai_players" / name) for name in CARDS}
    assert {player.name: player.files for player in in_the_box()} == there
    held = json.loads(SHIPPED.read_text())
    told = shipped()
    assert {(game, name) for game, names in held.items() for name in names if name not in told[game]} == STALE
    held["leduc"]["leduc_nfsp"]["files"] = there["leduc_equilibrium"]
    monkeypatch.setattr("cardai.ui.strength.SHIPPED", tmp_path / "strength.json")
    (tmp_path / "strength.json").write_text(json.dumps(held))
    assert told["leduc"].keys() - shipped()["leduc"].keys() == {"leduc_nfsp"}


def test_the_river_that_is_solved_anew_was_measured_behind_the_blueprint_that_is_there() -> None:
    run = json.loads((BOX / "cardai_players" / "limit_equilibrium" / "run" / "run.json").read_text())
    assert CARDS["limit_resolving"]["blueprint"] == run["id"]


def test_a_player_that_is_built_on_another_is_another_once_that_one_is_replaced(tmp_path: Path) -> None:
    for name, built_on in (("own", []), ("built", ["own"])):
        (tmp_path / name / "run").mkdir(parents=True)
        (tmp_path / name / "card.json").write_text(json.dumps({"built_on": built_on}))
    (tmp_path / "own" / "run" / "table").write_text("1")
    before = [content(tmp_path / name) for name in ("own", "built")]
    (tmp_path / "own" / "run" / "table").write_text("2")
    assert all(content(tmp_path / name) != old for name, old in zip(("own", "built"), before, strict=True))


def test_what_makes_the_no_limit_player_is_booked_and_stops_at_what_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BOX))
    from no_limit import made  # type: ignore[import-not-found]

    made(tmp_path, "list", "cardai list-plugins")
    first = json.loads((tmp_path / "seconds.json").read_text())["list"]
    with pytest.raises(SystemExit, match=r"cardai nonsense failed\."):
        made(tmp_path, "list", "cardai nonsense")
    assert json.loads((tmp_path / "seconds.json").read_text())["list"] > first > 0


def test_a_no_limit_player_is_packed_once_all_of_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its card would tell commands that make another."""
    monkeypatch.syspath_prepend(str(BOX))
    import no_limit  # type: ignore[import-not-found]

    before = content(no_limit.FOLDER)
    with pytest.raises(SystemExit, match="has no network"):
        no_limit.pack(argparse.Namespace(work=tmp_path))
    monkeypatch.setattr(no_limit, "losses", lambda work, of="network": {0: 0.5, 1: 0.4})
    for missing in ("10000", "flop_1"):
        monkeypatch.setattr(no_limit, "trained", lambda path, missing=missing: path.name != missing)
        with pytest.raises(SystemExit, match=f"{missing} has not come to its end"):
            no_limit.pack(argparse.Namespace(work=tmp_path))
    monkeypatch.setattr(no_limit, "trained", lambda path: True)
    monkeypatch.setattr(no_limit, "read_table", lambda path: argparse.Namespace(depths=(10, 20)))
    with pytest.raises(SystemExit, match="table has not come to its end"):
        no_limit.pack(argparse.Namespace(work=tmp_path))
    assert content(no_limit.FOLDER) == before


def test_what_a_no_limit_player_is_packed_with_says_its_intervals_and_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BOX))
    import no_limit

    assert no_limit.between({"mean": 3.0, "half_width": 1234.4}) == "± 1,234"
    assert no_limit.between({"mean": 3.0, "low": -9.6, "high": 20.2}) == "(-10 to +20)"
    nothing = ({"half_width": None}, {"low": None, "high": None})
    assert [no_limit.between(one) for one in nothing] == ["(no interval)"] * 2
    one, other = ({"situations": k, "huber_player": {"mean": k / 10, "half_width": k / 100, "x": 1}} for k in (3, 7))
    said = {"run": "r", **one, "random": other}
    monkeypatch.setattr(no_limit, "called", lambda command, *more: json.dumps(said))
    assert no_limit.tested(Path("r")) == {
        "all": {"situations": 3, "mean": 0.3, "half_width": 0.03},
        "random": {"situations": 7, "mean": 0.7, "half_width": 0.07},
    }


@pytest.mark.long
def test_the_no_limit_players_levels_are_played_at_any_stacks(boxed: None) -> None:
    made = module("nolimit_resolving")
    assert list(made.LEVELS) == ["full", "strong", "fair", "weak"]
    for stack in ("1000", "25000", "300+700"):
        game = cardai.game(f"holdem_nolimit:stack={stack}")
        result = cardai.play(game, [quick(made.Player()), "random"], games=2, seed=3)
        assert (result.scores.sum(axis=1) == 0).all()


def test_before_the_flop_it_plays_as_poker_is_played(boxed: None) -> None:
    """Aces never fold, and the button opens more hands than it folds at 100 blinds: what a table that is off would miss."""
    table = read_preflop(BOX / "cardai_players" / "nolimit_resolving" / "preflop")
    for depth, tree in table.trees.items():
        assert table.strategy(depth, tree.root)[0, ACES] < 0.01
        for node in tree.root.children:
            if node.kind == DECISION and node.actions[0].kind == 0:
                assert table.strategy(depth, node)[0, ACES] < 0.02
    folds = table.strategy(100, table.trees[100].root)[0] @ np.bincount(class_of()) / COUNT
    assert 0.05 < folds < 0.5


@pytest.mark.parametrize("starter", [0, 1])
def test_the_no_limit_players_network_knows_that_who_acts_last_wins_more(starter: int) -> None:
    """With any two hands as likely: the network's weights, and who is said to act first, belong together."""
    values, flop = read_plain(BOX / "cardai_players" / "nolimit_resolving" / "values"), tuple(parse_cards("8c5d2h"))
    hands = legal_hands(flop)
    leaves = TurnLeaves(values, flop, hands, HOLDEM_GAME, 2, starter)
    reach, nodes = np.ones((2, 2, len(hands))), [chance_node((half, half), 1) for half in (300, 4000)]
    won = [leaves.learn(seat, reach, nodes, 1.0).mean(axis=1) for seat in range(2)]
    stakes = np.array([300, 4000]) * 1081  # the hands that a hand can meet on a flop
    assert (won[1 - starter] > 0.05 * stakes).all()
    assert won[starter] == pytest.approx(-won[1 - starter])


@pytest.mark.parametrize("name", [name for name in CARDS if "exploitability" in CARDS[name]["measure"]])
def test_a_players_exploitability_is_what_its_card_says(boxed: None, name: str) -> None:
    if network(name):
        pytest.importorskip("torch")
    found = cardai.evaluate(CARDS[name]["game"], module(name).Player()).exploitability
    assert found == pytest.approx(CARDS[name]["figure"], rel=1e-3)


@pytest.mark.parametrize("name", CARDS)
def test_each_card_tells_how_it_was_made_and_measured(name: str) -> None:
    card, file = CARDS[name], BOX / "cardai_players" / name / "run" / "run.json"
    if name in RUNS:
        run = json.loads(file.read_text())
        assert shlex.split(card["command"]) == run["command"]
        assert card["seed"] == run["seed"]
    assert card["cpu_seconds"] > 0
    also = [further["measure"] for further in card.get("also", ())]
    for line in (card["command"], card["measure"], *also):
        _, *words = shlex.split(line)
        called = load_command(words.pop(0))
        called = called.commands[words.pop(0)] if hasattr(called, "commands") else called
        known = {option for param in called.params for option in param.opts}
        assert {word for word in words if word.startswith("-")} <= known
    assert all(name in line for line in (card["measure"], *also))


def test_nothing_but_what_a_player_reads_is_in_the_box() -> None:
    read = {
        "run.json",
        "metrics.jsonl",
        "manifest.json",
        "state.json",
        "player.npz",
        "average.npz",
        "blueprint.npz",
        "trunk_average.npz",
        "buckets.npz",
    }
    for name in RUNS:
        files = {file.name for file in (BOX / "cardai_players" / name / "run").rglob("*") if file.is_file()}
        assert {file for file in files if not file.endswith(".safetensors")} <= read


@pytest.mark.long
@pytest.mark.parametrize("rivers", sizes({"hands": 1}, {"boards": 1}), ids=str)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] if network(name) else [])
        for name, card in CARDS.items()
        if "limit" in card["game"]
    ],
)
def test_every_measure_of_large_games_takes_the_players_in_the_box(
    boxed: None, tmp_path: Path, name: str, rivers: dict[str, int]
) -> None:
    """A board is asked about after all bets that lead to it, a hand after its own alone."""
    if network(name):
        pytest.importorskip("torch")
    player, game = module(name).Player(), cardai.game(CARDS[name]["game"])
    play(game, [player, "always_call"], games=4, seed=1, record=tmp_path / "hands.jsonl", names=("it", "other"))
    assert len(aivat(game, player, read(tmp_path / "hands.jsonl").hands).values) == 4
    assert measure(LocalOptions(game, player, hands=2)).done == 1
    assert measure(StreetOptions(game, player, 3, **rivers)).done == 1


def test_what_makes_the_no_limit_player_goes_street_by_street_behind_the_best_networks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BOX))
    import no_limit

    made: list[str] = []
    commands: dict[str, str] = {}

    def note(work: Path, what: str, command: str) -> None:
        made.append(what)
        commands[what] = command

    monkeypatch.setattr(no_limit, "made", note)
    monkeypatch.setattr(
        no_limit, "losses", lambda work, of="network": {0: 0.5, 1: 0.3, 2: 0.4} if of == "flop" else {0: 0.5, 2: 0.4}
    )
    no_limit.make(argparse.Namespace(work=tmp_path, count=20, flops=30, epochs=4, jobs=1, device="cpu"))
    assert made[:2] == ["depths/20000", "turn"]
    assert set(made[2:6]) == {"depths/10000", "network_0", "network_1", "network_2"}
    assert made[6:] == ["flop", "flop_0", "flop_1", "flop_2", "table"]
    assert "--street flop --count 30" in commands["flop"]
    assert f"--values {tmp_path}/network_2 --player {tmp_path}/depths/20000" in commands["flop"]
    assert f"--set situations={tmp_path}/flop" in commands["flop_1"]
    assert commands["table"].startswith(f"cardai preflop {tmp_path}/table --values {tmp_path}/flop_1 --depths")
