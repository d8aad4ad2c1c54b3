"""cardai situations, and evaluate labels and values: the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardai.poker.values.plain_network import write_plain
from cardai.poker.values.situation_set import Recipe, load, produce
from tests.poker.values.plain_networks import network
from tests.support import own_cache


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_cache(monkeypatch, tmp_path / "cache")


@pytest.fixture(scope="module")
def river(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("data") / "river"
    produce(directory, Recipe("river", 3, (12, 10, 8, 6, 4), per_shard=20), 60)
    return directory


def test_a_set_is_made_said_and_gone_on_with(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cardai.poker.values import recipe

    monkeypatch.setitem(recipe.PER_SHARD, "river", 3)
    out = str(tmp_path / "x")
    call = cardai("situations", out, "--count", "4", "--seed", "2", "--iterations", "3", "--intervals", "3+4", "--json")
    assert call.code == 0, call.err
    found = json.loads(call.out)
    assert (found["situations"], found["iterations"], found["intervals"]) == (6, [3] * 5, [3, 4])
    call = cardai("situations", out, "--count", "8", "--seed", "2", "--intervals", "3+4", "--iterations", "3+3+3+3+3")
    assert "9 situations of the river, ranges at random, seed 2" in " ".join(call.out.split())
    assert load(out).numbers == [0, 1, 2]


def test_flops_are_made_and_gone_on_with_by_their_network_alone(
    cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.poker.values import recipe

    monkeypatch.setitem(recipe.PER_SHARD, "flop", 2)
    out, turn, other = (str(tmp_path / name) for name in ("x", "turn", "other"))
    write_plain(network(random=False), Path(turn))
    write_plain(network(random=True), Path(other))
    made = (
        "situations",
        out,
        "--count",
        "2",
        "--iterations",
        "3",
        "--intervals",
        "4",
        "--cards",
        "1",
        "--street",
        "flop",
    )
    call = cardai(*made, "--values", turn, "--json")
    assert call.code == 0, call.err
    found = json.loads(call.out)
    assert (found["street"], found["situations"], found["cards"]) == ("flop", 2, 1)
    assert found["network"] == network(random=False).digest
    call = cardai("situations", out, "--count", "3", "--values", turn, "--jobs", "2")
    assert "4 situations of the flop, ranges at random" in " ".join(call.out.split())
    assert "behind the flop the network " + found["network"][:8] in " ".join(call.out.split())
    call = cardai("situations", out, "--count", "5", "--values", other)
    assert (call.code, "another network of the turn" in call.err) == (2, True)
    call = cardai("situations", out, "--cards", "2", "--values", turn)
    assert (call.code, "has its own cards, 1" in call.err) == (2, True)
    call = cardai("evaluate", "labels", out, "--sample", "2", "--times", "2", "--values", turn)
    assert (call.code, "6,000 to 19,950" in call.out) == (0, True)


def test_without_the_box_flops_ask_for_a_network(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.poker.resolving.depth_limit.box", lambda: None)
    call = cardai("situations", str(tmp_path / "x"), "--street", "flop")
    assert (call.code, "--values RUN, or pip install ./players" in call.err) == (2, True)


@pytest.mark.long("arguments0")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{river}", "--seed", "4"), "has its own seed, 3. Leave out --seed"),
        (("{new}", "--count", "1" + "0" * 30), "at most 10,000,000"),
        (("{new}", "--seed", str(2**63)), "at most 9,223,372,036,854,775,807"),
        (("{new}", "--iterations", "3+x"), "--iterations takes whole numbers from 1"),
        (("{new}", "--iterations", "3+4"), "5 joined by +"),
        (("{new}", "--intervals", "5"), "--intervals takes whole numbers from 0 to 4"),
        (("{new}", "--bets", "soup"), "which is no size"),
        (("{new}", "--player", "always_call"), "both --player and --game"),
        (("{new}", "--player", "always_call", "--game", "leduc"), "hold'em for two"),
        (("{new}", "--values", "x"), "what lies behind the flop, and no other street"),
        (("{new}", "--street", "flop", "--values", "{new}/y"), "There is no training run in"),
        (("{new}", "--street", "flop", "--rows", "2", "--values", "{network}"), "not on the flop"),
        (("{new}", "--street", "flop", "--values", "{flops}"), "those of the flop. Here the turn's are needed"),
        (("{new}", "--cards", "3"), "--values RUN with --street flop"),
    ],
)
def test_bad_input_is_one_sentence(
    cardai: Any, river: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    paths = {name: tmp_path / name for name in ("new", "network", "flops")}
    for name, street in (("network", "turn"), ("flops", "flop")):
        write_plain(network(random=False, street=street), paths[name])
    given = [word.format(river=river, **paths) for word in arguments]
    call = cardai("situations", *given, *([] if "--count" in given else ["--count", "2"]))
    assert call.code == 2, call.err
    assert message in call.err
    assert call.err.count("\n") <= 2


@pytest.mark.long
def test_labels_are_compared_with_a_longer_solve(cardai: Any, river: Path) -> None:
    found = json.loads(cardai("evaluate", "labels", str(river), "--sample", "4", "--times", "20", "--json").out)
    assert sum(found["situations"]) == 4
    assert found["mean_player"] > 1e-5
    assert (river / "noise.json").is_file()
    assert "20 times as long" in cardai("evaluate", "labels", str(river), "--sample", "2", "--times", "20").out


def test_a_network_behind_what_is_solved_to_the_end_is_refused(cardai: Any, river: Path) -> None:
    call = cardai("evaluate", "labels", str(river), "--sample", "1", "--values", "x")
    assert (call.code, "what lies behind the flop, and no other street" in call.err) == (2, True)


def test_networks_are_measured_on_boards_that_they_have_not_seen(cardai: Any, river: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    words = ("--set", f"situations={river}", "--set", "width=8", "--set", "context=8", "--set", "batch=10")
    run = str(tmp_path / "run")
    call = cardai(
        "train", "--trainer", "counterfactual_values", "--game", "acpc_nolimit_2p", *words, "--steps", "1", "--out", run
    )
    assert call.code == 0, call.err
    assert f"Measure it with:\n  cardai evaluate values {run}" in call.out
    assert "Play it" not in call.out
    call = cardai("evaluate", "values", run, "--json")
    found = json.loads(call.out)
    assert 2 <= found["situations"] < 20
    assert found["huber_pot"]["mean"] < found["huber_player"]["mean"]
    assert "boards that it has not seen" in cardai("evaluate", "values", run).out


def test_half_of_a_set_has_ranges_of_self_play_and_networks_are_measured_by_kind(
    cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from cardai.poker.values import recipe
    from cardai.poker.values.measures import network_losses
    from cardai.poker.values.runs import held_out

    monkeypatch.setitem(recipe.PER_SHARD, "river", 20)
    out, run = str(tmp_path / "x"), tmp_path / "run"
    player = ("--player", "always_call", "--game", "acpc_limit_2p")
    call = cardai("situations", out, "--count", "80", "--iterations", "2", *player, "--share", "0.5", "--json")
    assert (call.code, json.loads(call.out)["share"]) == (0, 0.5)
    said = " ".join(cardai("situations", out, "--count", "80", "--share", "0.5").out.split())
    assert "ranges of always_call in acpc_limit_2p in 50% of the files, else at random" in said
    refused = cardai("situations", out, "--count", "80", "--share", "0.25")
    assert (refused.code, "has its own share, 0.5. Leave out --share" in refused.err) == (2, True)
    words = [word for one in (f"situations={out}", "width=8", "context=8", "batch=10") for word in ("--set", one)]
    cardai(
        "train",
        "--trainer",
        "counterfactual_values",
        "--game",
        "acpc_nolimit_2p",
        *words,
        "--steps",
        "1",
        "--out",
        str(run),
    )
    found = json.loads(cardai("evaluate", "values", str(run), "--json").out)
    network, data, _ = held_out(run)
    losses, played = network_losses(network, data).by_name["huber_player"], data.numbers // 20 % 2 == 1
    for kind, rows in (("random", ~played), ("self_play", played)):
        assert found[kind]["situations"] == rows.sum() > 1
        assert found[kind]["huber_player"]["mean"] == pytest.approx(losses[rows].mean())
    printed = cardai("evaluate", "values", str(run)).out
    assert all(f"ranges: {kind}" in printed for kind in ("random", "self-play"))
