"""cardai solve: the command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

SPOT = (
    "--board",
    "KsTh7s4d2c",
    "--pot",
    "100",
    "--stack",
    "150",
    "--range",
    "QQ+,AKs,T9s",
    "--range",
    "JJ,KJo,98s:0.5",
)


def test_a_spot_is_solved_kept_and_looked_at(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    call = cardai("solve", *SPOT, "--bets", "1+allin", "--to", "1%", "--rake", "0%", "--out", out)
    assert call.code == 0, call.err
    assert "33 public nodes" in call.err or "public nodes" in call.err
    assert "MiB, about" in call.err
    for text in ("exploitability", "first to act, pot 100", "bet 100", "all-in 150", "QQ", "bets or raises"):
        assert text in call.out
    later = cardai("solve", out, "--at", "x b100", "--json")
    found = json.loads(later.out)
    assert [action["token"] for action in found["actions"]] == ["f", "c", "r150"]
    assert sum(action["frequency"] for action in found["actions"]) == pytest.approx(1)
    assert {hand["hand"] for hand in found["hands"]} >= {"QsQh", "AhKh"}
    further = cardai("solve", out, "--to", "0.2", "--json")
    assert json.loads(further.out)["exploitability_percent"] <= 0.2


@pytest.mark.long
def test_the_grid_is_drawn(cardai: Any, tmp_path: Path) -> None:
    picture = tmp_path / "grid.png"
    assert cardai("solve", *SPOT, "--to", "5", "--png", str(picture)).code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--board", "KsTh7s4d2c", "--pot", "100"), "--stack is missing"),
        (("--board", "KsTh", "--pot", "100", "--stack", "9"), "A board has 3, 4 or 5 cards. Got 2"),
        (("--board", "KsThKs", "--pot", "100", "--stack", "9"), "name Ks twice"),
        ((*SPOT, "--to", "0"), "--to takes a percentage of the pot above 0"),
        ((*SPOT, "--rake", "-1%"), "--rake takes a percentage of the pot from 0 on"),
        ((*SPOT[:4], "--stack", "9+x"), "--stack takes chips"),
        ((*SPOT, "--range", "AA"), "It is given 3 times"),
        ((*SPOT, "--bets", "1", "--limit", "2"), "Leave one out"),
        ((*SPOT, "--limit", "2.5"), "A size of limit bets is a whole number from 1 to 100,000,000. Got 2.5."),
        (("--board", "KsTh7s4d2c", "--pot", "99999999999", "--stack", "9"), "The pot must be from 1 to"),
        ((*SPOT, "--at", "x b7"), "cannot go on with 'b7'"),
        (("/nowhere/at/all",), "There is no solved spot"),
        (("KsTh7s4d2c", "--pot", "3"), "Cards are given by --board: --board KsTh7s4d2c."),
        (("/nowhere/at/all", "--pot", "3"), "has its own pot. Leave out --pot"),
        (("/nowhere/at/all", "--check-down"), "has its own check-down. Leave out --check-down"),
        (("/nowhere/at/all", "--add-allin", "3"), "has its own add-allin. Leave out --add-allin"),
        (("/nowhere/at/all", "--aggressor", "first"), "has its own aggressor."),
        (("/nowhere/at/all", "--raised", "single"), "has its own raised."),
        (
            ("/nowhere/at/all", "--bits", "16"),
            "--bits says how /nowhere/at/all is solved further: it needs --to or --iterations.",
        ),
        (("/nowhere/at/all", "--keep", "small"), "--keep says how"),
    ],
)
def test_wrong_calls_are_usage_errors(cardai: Any, arguments: tuple[str, ...], message: str) -> None:
    call = cardai("solve", *arguments)
    assert call.code == 2, call
    assert message in re.sub(r"\s+", " ", call.err)


def test_iterations_alone_are_done_whatever_is_reached(cardai: Any, tmp_path: Path) -> None:
    """A new spot stops at 0.25 % of the pot; one that is gone on with stops there no more."""
    out = str(tmp_path / "x")
    begun = json.loads(cardai("solve", *SPOT, "--out", out, "--json").out)
    assert begun["exploitability_percent"] <= 0.25
    more = begun["iterations"] + 30
    assert json.loads(cardai("solve", out, "--iterations", str(more), "--json").out)["iterations"] == more
    new = json.loads(cardai("solve", *SPOT, "--iterations", str(more), "--json").out)
    assert new["iterations"] == begun["iterations"]  # a new one has both ends


def test_iterations_alone_go_on_with_a_solved_spot(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    cardai("solve", *SPOT, "--iterations", "5", "--out", out)
    assert "12 iterations" in cardai("solve", out, "--iterations", "12").out
    assert "12 iterations" in cardai("solve", out).out


def test_another_spot_is_not_overwritten(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    assert cardai("solve", *SPOT, "--to", "5", "--out", out).code == 0
    call = cardai("solve", *SPOT, "--bets", "allin", "--to", "5", "--out", out)
    assert call.code == 2
    assert "holds another spot" in call.err


def test_ctrl_c_keeps_what_was_solved(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import signal

    from cardai.commands import solve as command

    shown = command.Live.show

    def once(live: Any, solution: Any) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        monkeypatch.setattr(command.Live, "show", shown)
        return bool(shown(live, solution))

    monkeypatch.setattr(command.Live, "show", once)
    out = str(tmp_path / "x")
    call = cardai("solve", *SPOT, "--bets", "1+allin", "--to", "0.001", "--iterations", "100000", "--out", out)
    assert call.code == 130, call.err
    stopped = int(re.search(r"Stopped after ([\d,]+) iterations", call.out).group(1).replace(",", ""))  # type: ignore[union-attr]
    assert 0 < stopped < 100_000
    later = json.loads(cardai("solve", out, "--iterations", str(stopped + 1), "--to", "0.0001", "--json").out)
    assert later["iterations"] == stopped + 1


def test_a_library_solves_once_and_is_listed(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    position = ("--position", "BTN-BB", "--raised", "single")
    ranges = ("--range", "QQ,AKs", "--range", "JJ,KQs", "--pot", "5.5", "--stack", "20")
    assert cardai("library", "lib", *position, *ranges).code == 0
    call = (
        "solve",
        "--library",
        "lib",
        *position,
        "--board",
        "Th7sKs4d2c",
        "--bets",
        "1+allin",
        "--to",
        "1%",
        "--json",
    )
    first, again = (json.loads(cardai(*call).out) for _ in range(2))
    assert first == again
    assert (first["spot"]["pot"], first["spot"]["stacks"]) == (5.5, [20, 20])
    listed = json.loads(cardai("library", "lib", "--json").out)
    assert [(one["position"], one["raised"]) for one in listed["spots"]] == [("BTN-BB", "single")]
    alone = cardai("library", "lib", *position, "--pot", "5")
    assert (alone.code, "Ranges are kept with" in alone.err) == (2, True)
    assert "1 spot; ranges: BTN-BB single." in cardai("library", "lib").out
    unnamed = ("--board", "KsTh7s4d2c", "--bets", "1+allin", "--to", "0.9%")
    assert cardai("solve", "--library", "lib", *ranges, *unnamed).code == 0
    relisted = json.loads(cardai("library", "lib", "--json").out)
    assert [(one["position"], one["raised"]) for one in relisted["spots"]] == [("BTN-BB", "single")]
    wrong = cardai("solve", "--library", "lib", "--position", "XX-BB", "--raised", "single", "--board", "Th7sKs4d2c")
    assert wrong.code == 2
    assert "nor ranges of XX-BB" in re.sub(r"\s+", " ", wrong.err)


@pytest.mark.long
def test_a_report_is_a_table_a_file_and_json(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    terms = ("--range", "AA,KQs", "--range", "QQ,AKs", "--pot", "100", "--stack", "100", "--bets", "1/none")
    call = ("report", "lib", "--board", "KsTh7s", "--board", "9h2d2c", *terms, "--to", "20%", "--iterations", "20")
    shown = cardai(*call, "--csv", "flops.csv")
    assert shown.code == 0, shown.err
    assert "two-tone" in shown.out
    lines = Path("flops.csv").read_text().splitlines()
    assert lines[0].startswith(
        "flop,texture,weight,equity_first,equity_button,ev_first,ev_button,check,all-in 100,reached"
    )
    assert [line.split(",")[0] for line in lines[1:]] == ["KsTh7s", "9h2d2c", "all"]
    assert cardai(*call, "--page", "flops.html").code == 0
    page = Path("flops.html").read_text()
    assert page.count("<tr>") == 4  # the head, two flops, the mean
    assert "K&spades;</span>" in page
    assert "First to act: AA,KQs. Button: QQ,AKs." in page
    assert "http" not in page
    found = json.loads(cardai(*call, "--only", "paired", "--json").out)
    assert [one["flop"] for one in found["flops"]] == ["9h2d2c"]
    assert cardai(*call, "--only", "purple").code == 2
    turn = json.loads(cardai("report", "lib", "--board", "KsTh7sAs", *terms, "--to", "20%", "--json").out)
    assert [(one["flop"], one["texture"]) for one in turn["flops"]] == [("KsTh7sAs", "overcard flush")]
    assert "over flops or over turns" in cardai(*call, "--board", "KsTh7sAs").err
    assert "a flop here, three cards." in cardai("report", "lib", "--turns", "--board", "KsTh7sAs", *terms).err


def test_a_solved_spot_is_read(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    assert cardai("solve", *SPOT, "--bets", "1", "--to", "5%", "--out", out).code == 0
    shown = cardai("spot", out)
    for text in ("Equity: first to act", "overpair", "hands"):
        assert text in shown.out
    found = json.loads(cardai("spot", out, "--json").out)
    assert sum(one["share"] for one in found["groups"] if one["kind"] == "made hand") == pytest.approx(1)
    written = cardai("spot", out, "--tree", str(tmp_path / "t.csv"))
    assert written.code == 0
    assert (tmp_path / "t.csv").exists()


def test_where_nobody_comes_there_is_no_equity(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "spot")
    assert cardai("solve", *SPOT, "--bets", "1", "--lock", ": x=1", "--iterations", "10", "--out", out).code == 0
    found = json.loads(cardai("spot", out, "--at", "b100", "--json").out)
    assert (found["equities"], set(found["equity"]), found["groups"]) == ([None, None], {None}, [])
    assert "Nobody comes there." in cardai("spot", out, "--at", "b100").out


def test_a_turn_that_was_kept_small_is_looked_at_and_solved_anew(cardai: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    terms = (
        "--board",
        "Ks7s4s2h",
        "--pot",
        "100",
        "--stack",
        "100",
        "--range",
        "QQ,AKs",
        "--range",
        "JJ,AQs",
        "--bets",
        "1/none",
    )
    first = cardai("solve", *terms, "--to", "5%", "--keep", "small", "--out", out, "--json")
    assert [file.name[:4] for file in Path(out).glob("*.npz")] == ["kept"]
    river = json.loads(cardai("solve", out, "--at", "x x / 9d", "--json").out)
    assert (river["board"], river["line"]) == ("Ks7s4s2h9d", "x x / 9d")
    better = cardai("solve", out, "--to", "1%", "--json")
    assert "kept small" in better.err
    assert json.loads(better.out)["exploitability_percent"] <= 1.0 < json.loads(first.out)["exploitability_percent"]
    assert cardai("solve", *terms, "--keep", "some").code == 2
