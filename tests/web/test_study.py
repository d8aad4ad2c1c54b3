"""The study over plain requests: what a page solves and shows is what its command prints, within limits, whoever asks."""

from __future__ import annotations

import html
import json
import re
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from attrs import evolve

from cardai.cli import main
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.poker.ranges.spot import Spot
from cardai.poker.spot_options import Limits, SpotOptions, arguments
from cardai.web.study import bench, forms
from cardai.web.study.bench import Bench
from tests.web.conftest import Served

pytestmark = pytest.mark.usefixtures("compiled")
SMALL = {
    "board": "KsTh7s4d2c",
    "pot": "100",
    "stack": "150",
    "range0": "QQ+,AKs,T9s",
    "range1": "JJ,KJo,98s:0.5",
    "bets": "1+allin",
    "to": "1",
}
TURN = SMALL | {"board": "KsTh7s4d", "to": "0.001", "bets": "0.5+allin"}


@pytest.fixture
def spot(served: Served) -> Iterator[Callable[..., str]]:
    """Solve a spot by the form, and return the path of its page behind the root."""

    def solved(**fields: str) -> str:
        path = begun(served, **fields)
        wait(served, path)
        return path

    yield solved
    for study in list(served.house.bench._studies.values()):
        study.stopping.set()
    while any(study.under_way for study in served.house.bench._studies.values()):
        time.sleep(0.02)
    served.house.bench._studies.clear()


def wait(served: Served, path: str) -> None:
    """Wait until a spot is solved."""
    while not json.loads(served.ask(f"{path}/state")[1])["over"]:
        time.sleep(0.05)


def split(words: list[str]) -> list[list[str]]:
    """Return the commands that && joins."""
    found: list[list[str]] = [[]]
    for word in words:
        if word == "&&":
            found.append([])
        else:
            found[-1].append(word)
    return found


def begun(served: Served, **fields: str) -> str:
    """Begin to solve a spot by the form, and return the path of its page behind the root."""
    code, text, headers = served.ask("study/solve", urlencode(SMALL | fields), Origin=served.origin)
    assert code == 303, text
    return headers["location"].removeprefix(served.root)


def command_of(page: str, number: int = 0) -> list[str]:
    """Return the words of a command at a page's foot."""
    foot = page[page.index('class="command"') :]
    return shlex.split(html.unescape(re.findall(r"<code[^>]*>(.*?)</code>", foot, re.DOTALL)[number]))


def printed(words: list[str], capsys: Any) -> str:
    """Return what a command prints."""
    assert words[0] == "cardai"
    registry.default.reset()
    with pytest.raises(SystemExit) as stop:
        main(words[1:])
    found = capsys.readouterr()
    assert not stop.value.code, found.err
    return str(found.out)


def test_what_the_page_shows_its_command_prints(served: Served, spot: Callable[..., str], capsys: Any) -> None:
    path = spot(rake="5%", rake_cap="3", lock="x b100: QQ: c=0.5 f=0.5", stack="150+200", minimum="2")
    page = served.ask(f"{path}?at=x%20%20b100")[1]
    found = json.loads(printed([*command_of(page), "--json"], capsys))
    assert found["line"] == "x b100"
    assert f"{found['iterations']:,} iterations, exploitability {found['exploitability_percent']:.3g} %" in page
    table = re.findall(  # no 0 has a sign there
        r'<th scope="row"><a[^>]*>.*?</svg> ([^<]*)</a></th><td>([\d.]+) %</td><td>([-\d.,]+)</td>', page
    )
    shown = [
        (action["action"], f"{100 * action['frequency']:.2f}", f"{round(action['value'], 2) + 0:,.2f}")
        for action in found["actions"]
    ]
    assert table == shown
    rows = re.findall(r'<tr data-class="(\w+)"[^>]*>(.*?)</tr>', page)
    assert len(rows) == len(found["hands"])
    once = {tuple(f"{100 * x:.1f}" for x in hand["frequencies"]) for hand in found["hands"]}
    assert {tuple(re.findall(r">([\d.]+) <small>", row)) for _, row in rows} == once


def test_equities_and_kinds_of_hands_are_what_the_second_command_prints(
    served: Served, spot: Callable[..., str], capsys: Any
) -> None:
    page = served.ask(f"{spot()}?at=x")[1]
    solved, read = split(command_of(page, 1))
    printed(solved, capsys)
    found = json.loads(printed([*read, "--json"], capsys))
    assert "Equity: first to act {:.2f} %, button {:.2f} %".format(*(100 * x for x in found["equities"])) in page
    rows = re.findall(r'<tr><th scope="row">([\w :]+)</th><td>([\d.]+)</td>', page)
    assert rows == [(one["name"], f"{100 * one['share']:.2f}") for one in found["groups"] if one["kind"] != "draw"]
    form = {"range0": "QQ+", **SMALL}
    taken = json.loads(served.ask("study/check", urlencode(form))[1])["found"]
    assert shlex.split(taken["command"])[:6] == ["cardai", "solve", "--board", "KsTh7s4d2c", "--pot", "100"]
    assert json.loads(printed([*shlex.split(taken["command"]), "--json"], capsys))["exploitability_percent"] <= 1


def test_a_solving_that_was_stopped_is_shown_and_its_command_does_as_much(
    served: Served, spot: Callable[..., str], capsys: Any
) -> None:
    path = begun(served, **TURN)
    study = served.house.bench.get(path.rpartition("/")[2])
    while study.iterations < 10:
        time.sleep(0.01)
    page = served.ask(path)[1]
    assert "Stop, and show what is there" in page
    code, words, _ = served.ask("study/solve", urlencode(SMALL))
    assert (code, "A spot of yours is on the way" in words) == (400, True)
    assert served.ask(f"{path}/stop", "", Origin=served.origin)[0] == 303
    page = served.ask(path)[1]
    assert 'id="hands"' in page
    words = command_of(page)
    assert words[-2:] == ["--iterations", str(study.iterations)]
    found = json.loads(printed([*words, "--json"], capsys))
    assert (found["iterations"], found["exploitability_percent"]) == (study.iterations, study.solution.exploitability)


@pytest.mark.parametrize(
    "fields",
    [
        {"stack": "20+30", "pot": "7.5", "bets": "0.5/2.5x+allin", "rake": "4.5%", "rake_cap": "0.5"},
        {"board": "KsTh7s", "bets": "0.33+1/3x,river=1/none", "aggressor": "button", "check_down": "1"},
        {"board": "KsTh7s4d", "limit": "20+40", "cap": "3", "bets": "ignored"},
        {"add_allin": "1.5", "force_allin": "0.25", "merge": "0.1", "minimum": "4", "lock": "x: c=0\nb100: AA: c=0.75 f=0.25"},
    ],
)  # fmt: skip
def test_a_spot_says_the_options_and_the_fields_that_make_it(fields: dict[str, str]) -> None:
    form = {name: [value] for name, value in (SMALL | fields).items()}
    made = forms.options_of(form).spot() if "x: c=0" not in fields.get("lock", "") else None
    if made is None:  # shares are checked where the tree is known
        made = forms.options_of(form | {"lock": ["b100: AA: c=0.75 f=0.25"]}).spot()
    assert forms.options_of({name: [value] for name, value in forms.fields_of(made).items() if value}).spot() == made
    assert of_words(arguments(made)) == made


def of_words(words: list[str]) -> Spot:
    """Return the spot of options as the command line reads them."""
    given: dict[str, Any] = {"range": [], "lock": []}
    place = 0
    while place < len(words):
        name = words[place].removeprefix("--").replace("-", "_")
        if name == "check_down":
            given["checked_down"], place = True, place + 1
            continue
        if name in ("range", "lock"):
            given[name].append(words[place + 1])
        else:
            given[name] = words[place + 1]
        place += 2
    limits = Limits(int(given.get("cap", 0)), int(given.get("minimum", 0)), *(float(given.get(name, 0)) for name in ("add_allin", "force_allin", "merge")))  # fmt: skip
    return SpotOptions(
        given["board"], given["pot"], given["stack"], given["range"], given.get("bets"), given.get("rake"), given.get("rake_cap"), limits,
        limit=given.get("limit"), checked_down=given.get("checked_down", False), locks=given["lock"] or None, aggressor=given.get("aggressor"),
    ).spot()  # fmt: skip


@pytest.mark.long
def test_what_needs_too_much_is_refused_before_it_is_begun_with_what_would_do(served: Served) -> None:
    flop = SMALL | {"board": "KsTh7s", "range0": "22+", "range1": "random", "stack": "2000", "bets": "0.5+1+allin"}
    found = json.loads(served.ask("study/check", urlencode(flop))[1])
    assert re.match(r"This takes [\d.]+ GiB of memory", found["wrong"])
    assert 'With the bets "' in found["wrong"]
    code, page, _ = served.ask("study/solve", urlencode(flop), Origin=served.origin)
    assert (code, "GiB of memory" in page, 'value="KsTh7s"' in page) == (400, True, True)  # the form stays filled in
    assert served.house.bench.of("127.0.0.1") == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"board": "KsTh"}, "A board has 3, 4 or 5 cards"),
        ({"pot": "1e999"}, "--pot takes chips"),
        ({"range0": "AA" * 20_000}, "takes at most 20,000 characters"),
        ({"range1": "<script>alert(1)</script>"}, "cannot be read"),
        ({"bets": "0.1+0.2+0.3+0.4+0.5+0.6+0.7+0.8+0.9+1", "stack": "1000000"}, "more than 200,000 nodes"),
        ({"cap": "-1"}, "--cap is a whole number"),
        ({"merge": "nan"}, "--merge is a number of pots"),
        ({"lock": "\n".join(["x: x=1"] * 51)}, "At most 50 locks"),
        ({"lock": "b7: c=1"}, "cannot go on with"),
        ({"to": "0"}, "--to takes a percentage"),
        ({"aggressor": "me"}, "--aggressor is first or button"),
    ],
)
def test_a_form_that_makes_no_sense_comes_back_with_why(served: Served, fields: dict[str, str], words: str) -> None:
    code, page, _ = served.ask("study/solve", urlencode(SMALL | fields), Origin=served.origin)
    assert code == 400
    assert words in html.unescape(page)
    assert "<script>alert" not in page


def test_a_form_that_is_too_long_or_has_too_many_fields_is_refused(served: Served) -> None:
    assert served.ask("study/solve", "lock=" + "x" * (1 << 16), Origin=served.origin)[0] == 413
    assert served.ask("study/range", "a=1&" * 100)[0] == 400


def test_a_range_is_read_and_written_by_the_notation_s_own_parser(served: Served) -> None:
    found = json.loads(served.ask("study/range", urlencode({"range": "22+,A2s+:0.5,AKs:0,AKs:0.25"}))[1])["found"]
    assert found["text"] == "22+,AKs:0.25,AQs-A2s:0.5"
    assert (found["count"], len(found["weights"]), found["weights"][1]) == ("101", 169, 0.25)
    assert "cannot be read" in json.loads(served.ask("study/range", "range=AXx")[1])["wrong"]
    assert json.loads(served.ask("study/range", "range=")[1])["found"]["count"] == "0"


def test_a_line_that_leads_nowhere_is_said_and_cards_are_chosen(served: Served, spot: Callable[..., str]) -> None:
    path = spot(board="KsTh7s4d", to="5")
    assert "Which card comes?" in served.ask(f"{path}?at=x%20x")[1]
    page = served.ask(f"{path}?at={quote('x x 2c')}")[1]
    assert 'id="hands"' in page
    for line, words in (
        ("x b7", "cannot go on with"),
        ("x x Ks", "which lies on the board"),
        ("x" * 500, "at most 400"),
        ("x x zz", "needs a card"),
        ("x x Ks x x", "which lies on the board"),
        ("x x 2c x x b5", "after the hand is over"),
    ):
        code, page, _ = served.ask(f"{path}?at={quote(line)}")
        assert (code, words in html.unescape(page)) == (400, True), line
    assert "a showdown" in served.ask(f"{path}?at={quote('x x 2c x x')}")[1]
    assert "the cards come without a bet" in served.ask(f"{path}?at=a%20c")[1]
    assert served.ask("study/spot/nobody")[0] == 400


def test_all_cards_at_once_are_what_the_command_prints(
    served: Served, spot: Callable[..., str], capsys: Any, tmp_path: Path
) -> None:
    path = spot(board="KsTh7s4d", to="5")
    page = served.ask(f"{path}/cards?at=x%20x")[1]
    solved, shown = split(command_of(page))
    printed(solved, capsys)
    found = json.loads(printed([*shown, "--json"], capsys))
    assert len(found) == 48
    bets = [f"bet {token[1:]}" for token in list(found[0]["frequencies"])[1:]]
    assert re.findall(r"</svg> ([a-z]+ ?\d*) %</button>", page) == ["check", *bets]
    table = re.findall(r'</th><td data-v="([\d.]+)">[\d.]+</td><td data-v="([\d.]+)">', page)
    assert [(float(a), float(b)) for a, b in table] == [(one["equity_first"], one["worth_first"]) for one in found]


def test_a_lock_is_set_and_taken_off_by_forms_and_both_solutions_are_compared(
    served: Served, spot: Callable[..., str], capsys: Any, tmp_path: Path
) -> None:
    path = spot()
    form = {"line": "x b100", "hands": "QQ", "share0": "30", "share1": "60", "share2": "0"}
    for came, back in ((f"{served.origin}{served.root}{path}?at=x", True), (f"{served.origin}/x", False)):
        wrong = urlencode(form | {"share0": "x"})
        code, words, headers = served.ask(f"{path}/lock", wrong, Origin=served.origin, Referer=came)
        assert (code, "is a percentage from 0 to 100" in words) == (400, True)
        assert (f'href="{served.root}{path}?at=x">Back</a>' in words, "Back" in words) == (back, back)
    code, _, headers = served.ask(f"{path}/lock", urlencode(form), Origin=served.origin)
    assert code == 303
    locked = headers["location"].removeprefix(served.root).partition("?")[0]
    wait(served, locked)
    page = served.ask(f"{locked}?at=x%20b100")[1]
    assert "x b100: QQ: f=0.333333333 c=0.666666667" in html.unescape(page)
    rows = [row for name, row in re.findall(r'<tr data-class="(\w+)"[^>]*>(.*?)</tr>', page) if name == "QQ"]
    assert {tuple(re.findall(r">([\d.]+) <small>", row)) for row in rows} == {("33.3", "66.7", "0.0")}
    a, b = (one.rpartition("/")[2] for one in (path, locked))
    page = served.ask(f"study/compare?a={a}&b={b}&at=x%20b100")[1]
    *made, shown = split(command_of(page))
    for words in made:
        printed(words, capsys)
    found = json.loads(printed([*shown, "--json"], capsys))
    assert "Second: locked x b100: QQ: f=0.333333333 c=0.666666667</h2>" in page
    heads = [html.unescape(one) for one in re.findall(r'<th scope="col">([^<]+) %</th>', page)]
    assert heads == ["apart", *(one["action"] for one in found["actions"])]
    assert found["hands"][0]["distance"] > 0.3
    assert f"Hands play {100 * found['distance']:.2f} % of the time otherwise" in page
    changes = [f"{100 * one['change']:+.2f}" for one in found["actions"]]
    assert re.findall(r" %</td><td>([-+][\d.]+)</td>", page) == changes
    code, _, headers = served.ask(f"{locked}/unlock", urlencode({"lock": "x b100: QQ: f=0.333333333 c=0.666666667"}))
    free = headers["location"].rpartition("/")[2]
    wait(served, f"study/spot/{free}")
    assert served.house.bench.get(free).spot == served.house.bench.get(a).spot


def test_a_spot_is_solved_on_where_it_is_not_as_good_yet(served: Served, spot: Callable[..., str]) -> None:
    path = spot(to="5")
    study = served.house.bench.get(path.rpartition("/")[2])
    code, words, _ = served.ask(f"{path}/on", "to=50", Origin=served.origin)
    assert (code, "is solved to 50 % of the pot already" in words) == (400, True)
    assert served.ask(f"{path}/on", "to=0.5", Origin=served.origin)[0] == 303
    wait(served, path)
    assert study.solution.exploitability <= 0.5
    assert study.command()[-9:] == "--to 0.5%"


def test_old_spots_make_room_for_new_ones_and_only_so_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "MOST_KEPT", 2)
    monkeypatch.setattr("cardai.web.jobs.MOST_WAITING", 1)
    made = Bench()
    spot, turn = (forms.options_of({name: [value] for name, value in one.items()}).spot() for one in (SMALL, TURN))
    first = made.begin(turn, 1e-9, "a")
    with pytest.raises(UsageError, match=r"1 are on the way already"):
        made.begin(spot, 50.0, "b")
    first.stopping.set()
    for who in ("a", "b"):
        while any(one.under_way for one in made._studies.values()):
            time.sleep(0.01)
        made.begin(spot, 50.0, who)
    assert made.get(first.name) is None
    assert (len(made.of("a")), len(made.of("b"))) == (1, 1)
    made.jobs.close()


@pytest.mark.long
def test_while_the_solver_is_compiled_spots_wait_and_nobody_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    made, gate = Bench(), threading.Event()
    spot, turn = (forms.options_of({name: [value] for name, value in one.items()}).spot() for one in (SMALL, TURN))
    made.warm(gate.wait)
    made.warm(lambda: pytest.fail("it is done once"))
    large = made.begin(
        evolve(turn, board="KsTh7s", ranges=("22+", "random"), stacks=(2000, 2000), bets="0.5+1+allin"), 1.0, "a"
    )
    small, endless = made.begin(spot, 1.0, "b"), made.begin(turn, 1e-9, "c")
    assert (made.cold, [one.state for one in (large, small, endless)], made.ahead(endless)) == (
        True,
        ["waiting"] * 3,
        2,
    )
    with pytest.raises(UsageError, match="not solved yet"):
        made.look(small, lambda solution: solution)
    gate.set()
    while small.under_way:
        time.sleep(0.01)
    assert (large.state, "GiB of memory" in large.words, large.needed) == ("failed", True, 0)
    assert (small.state, made.look(small, lambda solution: solution.exploitability) <= 1.0) == ("done", True)
    while not endless.iterations:
        time.sleep(0.01)
    monkeypatch.setattr(bench, "MOST_SECONDS", 0.0)  # what takes too long ends with what is there
    while endless.under_way:
        time.sleep(0.01)
    assert endless.state == "stopped"
    assert endless.command().endswith(f" --iterations {endless.iterations}")
    made.jobs.close()
