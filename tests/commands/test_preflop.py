"""``cardai preflop``: charts are listed, shown and solved, and begin spots and reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cardai.poker.ranges.flops import Subset
from cardai.poker.resolving.preflop import read_table
from cardai.poker.resolving.preflop_solving import FlopsBehind, solve_depth
from cardai.poker.values.flop_leaves import flop_inputs
from cardai.poker.values.plain_network import write_plain
from tests.poker.values.plain_networks import network


def said(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_a_chart_is_solved_into_a_library_listed_and_shown(
    cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = ("--players", "2", "--stack", "8", "--raises", "allin", "--blind-raises", "allin", "--no-limp")
    call = ("preflop", "lib", "--name", "push", *rules, "--hands", "2000")
    shown = cardai(*call, "--iterations", "60", "--seeds", "2")
    assert shown.code == 0, shown.err
    assert "2 seeds of 60 iterations" in said(shown.out)
    listed = json.loads(cardai("preflop", "lib", "--json").out)
    assert {one["name"] for one in listed["charts"]} > {"push", "6max"}
    found = json.loads(cardai("preflop", "lib", "--name", "push", "--at", "a", "--json").out)
    assert (found["seat"], found["actions"], found["pot"]) == ("BB", ["f", "c"], 9)
    assert found["hands"]["AA"]["frequencies"][1] > 0.9
    assert cardai(*call[:5], "3", *call[6:], "--iterations", "10").code == 2  # other rules under the same name
    assert "of other rules" in said(cardai("preflop", "lib", "--name", "push", "--iterations", "10").err)


def test_a_spot_begins_with_a_chart_s_ranges(cardai: Any) -> None:
    call = (
        "solve",
        "--position",
        "BTN-BB",
        "--raised",
        "4bet",
        "--board",
        "KsTh7s4d2c",
        "--bets",
        "allin",
        "--to",
        "5%",
    )
    found = json.loads(cardai(*call, "--json").out)
    assert (found["spot"]["pot"], found["spot"]["stacks"]) == (44.5, [78, 78])


def test_who_folds_loses_what_it_put_in_also_where_few_classes_have_values(cardai: Any) -> None:
    shown = cardai("preflop", "--name", "6max", "--at", "r r r r").out  # the second player has raised to 7.5
    assert re.search(r"^fold +[0-9.]+ % +-7\.500 bb ", shown, re.MULTILINE), shown


def test_what_no_value_is_known_of_brings_no_figure(cardai: Any) -> None:
    shown = cardai("preflop", "--name", "6max", "--at", "f f r c r r c c a f").out
    assert re.search(r"^fold +0\.0 % +- ", shown, re.MULTILINE), shown


@pytest.mark.long("40,000")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--name", "nope"), "There is no chart 'nope'"),
        (("nowhere",), "There is no library in 'nowhere'"),
        (("--name", "6max", "--at", "f zz"), "can do f, r2.5"),
        (("--name", "mine", "--iterations", "10"), "into a library under a name"),
        (("lib", "--name", "../x", "--iterations", "10"), "letters, digits"),
        (("lib", "--name", "a", "--iterations", "10", "--raises", "0.5"), "multiples above 1"),
        (("--name", "6max", "--players", "6"), "--players says how a chart is solved: it needs --iterations N."),
        (("--at", "f"), "--at names a decision of a chart: it needs --name"),
        (("--name", "6max", "--no-limp"), "--limp/--no-limp says how a chart is solved"),
        (("--name", "6max", "--depths", "100"), "--depths says what table is solved: it needs --values RUN."),
        (
            ("t", "--values", "run", "--blind-raises", "3"),
            "--values solves a table, to which --blind-raises says nothing.",
        ),
        (
            ("lib", "--name", "a", "--iterations", "10", "--rake-cap", "3"),
            "--rake-cap bounds what the room takes: it needs --rake",
        ),
        (("lib", "--name", "a", "--iterations", "10", "--players", "9", "--callers", "7"), "more than 40,000 places"),
    ],
)
def test_what_is_wrong_is_said(
    cardai: Any, words: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = cardai("preflop", *words)
    assert found.code == 2
    assert why in said(found.err)


def test_a_damaged_chart_spoils_no_other(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "lib/preflop/bad"
    folder.mkdir(parents=True)
    (folder / "chart.json").write_text("{")
    found = cardai("preflop", "lib")
    assert found.code == 0
    assert "6max" in found.out
    assert "chart.json is not readable JSON" in said(found.err)


def test_a_table_is_solved_behind_a_network_of_the_flop_and_played_by(
    cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = Subset(("9h8h7h",), (1.0,), 0.0, 0.0, 0.0)
    monkeypatch.setattr("cardai.poker.resolving.preflop_solving.subset", lambda count: few)
    for street in ("flop", "turn"):
        write_plain(network(random=False, street=street), tmp_path / street)
    out, values = str(tmp_path / "table"), ("--values", str(tmp_path / "flop"))
    call = ("preflop", out, *values, "--bets", "allin", "--flops", "25", "--iterations", "40")
    shown = cardai(*call, "--depths", "3", "--json")
    assert shown.code == 0, shown.err
    found = json.loads(shown.out)["from_equilibrium"]["3"]
    assert 0 <= found < 40
    behind = FlopsBehind(network(random=False, street="flop"), few, flop_inputs(few), 2)
    assert found == pytest.approx(
        10 * solve_depth(behind, (-1.0,), 3, 40)[1].exploitability
    )  # mbb of chips: 100 a blind
    shown = cardai(*call, "--depths", "3+6")
    assert (shown.code, "6 big blinds:" in said(shown.out), "3 big blinds" in said(shown.out)) == (0, True, False)
    assert read_table(tmp_path / "table").depths == (3, 6)
    assert "a table of 2 depths" in said(cardai(*call, "--depths", "3").out)
    run = ("run", "--game", "acpc_nolimit_2p:stack=600", "--vs", "always_call", "--games", "4", "--seed", "1")
    player = f"resolving:values=exact,iterations=2,preflop={out}"
    assert cardai(*run, "--agent", player).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--values", "{flop}"), "into a directory of its own"),
        (("{new}", "--values", "{flop}", "--name", "x"), "into a directory of its own"),
        (("{flop}/network.json", "--values", "{flop}"), "is a file"),
        (("{flop}", "--values", "{flop}"), "is not empty"),
        (("{new}", "--values", "{turn}"), "those of the turn. Here the flop's are needed"),
        (("{new}", "--values", "{new}"), "There is no training run"),
        (("{new}", "--values", "{flop}", "--depths", "20+10"), "rising numbers of big blinds"),
        (("{new}", "--values", "{flop}", "--depths", "x"), "rising numbers of big blinds"),
        (("{new}", "--values", "{flop}", "--bets", "1/2"), "one ladder for all bets and raises"),
        (("{new}", "--values", "{flop}", "--bets", "soup"), "which is no size"),
        (("{new}", "--values", "{flop}", "--bets", "0.01+0.02"), "Nobody could raise before the flop by '0.01+0.02'"),
        (("{new}", "--values", "{flop}", "--flops", "30"), "subsets of 25, 49"),
        (("{new}", "--values", "{flop}", "--iterations", "0"), "--iterations"),
    ],
)
def test_no_such_table_is_one_sentence(cardai: Any, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    paths = {name: tmp_path / name for name in ("new", "flop", "turn")}
    for street in ("flop", "turn"):
        write_plain(network(random=False, street=street), paths[street])
    call = cardai("preflop", *(word.format(**paths) for word in arguments))
    assert (call.code, message in said(call.err)) == (2, True), call.err
    assert not paths["new"].exists()
