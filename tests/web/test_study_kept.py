"""What is kept, on the study's pages: libraries, reports over flops, reviews; each as its command prints it."""

from __future__ import annotations

import gzip
import html
import io
import json
import re
import shlex
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardai.arena.match import play
from cardai.arena.records import read
from cardai.core.registry import create
from cardai.poker.grading import grader
from cardai.poker.ranges.library import Library
from cardai.poker.ranges.spot import Spot
from cardai.web.door import Door
from cardai.web.pages import Asked, House
from cardai.web.sittings import Sittings
from cardai.web.study import shelf
from cardai.web.study.reviews import drawn
from tests.formats.rooms.test_flops import FOLDED
from tests.web.conftest import Served
from tests.web.test_study import SMALL, command_of, printed, urlencode, wait

pytestmark = pytest.mark.usefixtures("compiled")
FLOPS = ("QsJh2h", "8c5d5c", "9c5h2s")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Library]]:
    """A server whose owner named a library of three flops that differ in nothing else, and of a river."""
    library = Library(tmp_path_factory.mktemp("library"))
    for board in FLOPS:
        library.solve(Spot(board, 24, (88, 88), ("AA,KK", "QQ,AKs"), "allin"), 50, 20, position="BTN-BB", raised="4bet")
    library.solve(Spot("KsTh7s4d2c", 100, (150, 150), ("QQ+", "JJ,KJo"), "1+allin"), 1.0)
    served = Served(House(Door("127.0.0.1"), Sittings(4), Asked(library=library.directory)))
    yield served, library
    served.close()


@pytest.mark.long
def test_a_library_s_spots_are_listed_and_opened_with_the_command_that_shows_them(
    shown: tuple[Served, Library], capsys: Any
) -> None:
    served, library = shown
    page = served.ask("study/library")[1]
    links = re.findall(r"study/library/(library/[^\"]+)\"", page)
    assert len(links) == 4
    assert "3 flops, BTN-BB 4bet" in page
    key = library.place(Spot("KsTh7s4d2c", 100, (150, 150), ("QQ+", "JJ,KJo"), "1+allin")).name
    code, _, headers = served.ask(f"study/library/library/{key}")
    assert code == 303
    page = served.ask(headers["location"] + "?at=x")[1]
    assert command_of(page) == ["cardai", "solve", str(library.directory / "spots" / key), "--at", "x"]
    found = json.loads(printed([*command_of(page), "--json"], capsys))
    assert [f"{100 * action['frequency']:.2f} %" in page for action in found["actions"]] == [True] * 3
    assert served.ask(f"study/library/library/{key}")[2]["location"] == headers["location"]  # it is read once


@pytest.mark.parametrize(
    "path", ["library/..", "library/.%2e", "library/nothing", "mine/x", "elsewhere/x", "library/%2fetc"]
)
def test_nothing_is_opened_but_spots_of_the_libraries(shown: tuple[Served, Library], path: str) -> None:
    code, page, _ = shown[0].ask(f"study/library/{path}")
    assert code in (400, 404)
    assert "etc" not in page


def test_a_report_is_sorted_and_filtered_as_its_command_does(shown: tuple[Served, Library], capsys: Any) -> None:
    served, _ = shown
    report = re.findall(r"study/(report/library/\w+)", served.ask("study/library")[1])[0]
    page = served.ask(f"study/{report}?sort=-ev_first&at=a")[1]
    words = command_of(page)
    assert {"--at=a", "--sort=-ev_first"} <= set(words)
    found = json.loads(printed([*words, "--json"], capsys))
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)[1:]
    cells = [re.findall(r"<td>([^<]*)</td>", row) for row in rows]
    assert [row[2] for row in cells] == [f"{one['equity_first']:.2f}" for one in [*found["flops"], found["mean"]]]
    assert [row[4] for row in cells] == [f"{one['ev_first']:.2f}" for one in [*found["flops"], found["mean"]]]
    page = served.ask(f"study/{report}?only=rainbow")[1]
    assert len(re.findall(r"<tr>", page)) == 3  # the head, one flop, the mean
    assert len(json.loads(printed([*command_of(page), "--json"], capsys))["flops"]) == 1
    for query, said in (
        ("only=purple", "No flop of the report"),
        ("sort=luck", "no column 'luck'"),
        ("at=b7", "cannot go on"),
    ):
        code, page, _ = served.ask(f"study/{report}?{query}")
        assert (code, said in html.unescape(page)) == (400, True)
    assert served.ask("study/report/library/0")[0] == 400


def test_a_spot_is_kept_in_the_person_s_own_library_until_that_is_full(
    shown: tuple[Served, Library], matches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served, _ = shown
    path = served.ask("study/solve", urlencode(SMALL), Origin=served.origin)[2]["location"]
    wait(served, path.removeprefix(served.root))
    assert served.ask(f"{path}/keep", "", Origin=served.origin)[0] == 303
    (entry,) = Library(matches.parent / "spots")
    assert entry.spot.board == SMALL["board"]
    assert f"study/library/mine/{entry.path.name}" in served.ask("study/library")[1]
    monkeypatch.setattr(shelf, "MOST_KEPT", 1)
    code, page, _ = served.ask(f"{path}/keep", "", Origin=served.origin)
    assert (code, "is full" in page) == (400, True)


def test_a_match_is_reviewed_as_the_command_does(shown: tuple[Served, Library], capsys: Any) -> None:
    served, _ = shown
    tables = served.house.tables
    name = served.call(
        tables.begin, "video_poker", (), 3
    ).name  # a seed: now and then all hands are rightly thrown away
    with served.page(name) as page:
        for _ in range(3):
            page.turn()
            page.say("cards", cards=[])  # nothing is held: often wrong
            page.turn()
            page.say("next")
        page.turn()
    assert f"study/review/{name}/begin" in served.ask("study/reviews")[1]
    assert served.ask(f"study/review/{name}/begin", "", Origin=served.origin)[0] == 303
    while not json.loads(served.ask(f"study/review/{name}/state")[1])["over"]:
        time.sleep(0.05)
    text = served.ask(f"study/review/{name}")[1]
    found = json.loads(printed([*command_of(text), "--json"], capsys))
    assert found["hands"] == 3
    assert f"3 hands, {found['decisions']} decisions judged by video_perfect" in text
    assert text.count('<b class="cost">') == len(found["dearest"]) > 0
    assert [one["words"] in html.unescape(text) for one in found["dearest"]] == [True] * len(found["dearest"])
    assert f"{found['sums']['kind'][0]['cost']['mean']:.3g}"[:4] in text
    assert served.ask("study/review/nobody/begin", "", Origin=served.origin)[0] == 400


FIELDS = {"flops": "QsJh2h 8c5d5c", "pot": "24", "stack": "88", "range0": "AA,KK", "range1": "QQ,AKs", "bets": "allin", "to": "50"}  # fmt: skip


@pytest.mark.long
def test_a_report_is_begun_on_the_page_and_kept_as_its_command_keeps_it(
    shown: tuple[Served, Library], matches: Path, capsys: Any
) -> None:
    served, _ = shown
    found = json.loads(served.ask("study/reports/check", urlencode(FIELDS), Origin=served.origin)[1])["found"]
    code, page, headers = served.ask("study/reports/begin", urlencode(FIELDS), Origin=served.origin)
    assert code == 303, page
    path = headers["location"].removeprefix(served.root)
    wait(served, path)
    report = served.ask(path)[2]["location"].removeprefix(served.root)
    page = served.ask(report)[1]
    rows = [re.findall(r"<td>([^<]*)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)[1:]]
    words = shlex.split(found["command"])
    assert words[2] == str(matches.parent / "spots")
    printed_rows = json.loads(printed([*words, "--json"], capsys))
    assert sorted(row[2] for row in rows[:2]) == sorted(f"{one['equity_first']:.2f}" for one in printed_rows["flops"])
    assert len(Library(matches.parent / "spots").find()) == 2  # the command solved nothing anew


@pytest.mark.long
def test_a_report_that_is_stopped_keeps_its_flops_and_goes_on(shown: tuple[Served, Library], matches: Path) -> None:
    served, _ = shown
    fields = FIELDS | {"flops": "KsJh2h 9c5d5c", "to": "0.000001"}
    path = served.ask("study/reports/begin", urlencode(fields), Origin=served.origin)[2]["location"]
    path = path.removeprefix(served.root)
    code, page, _ = served.ask("study/reports/begin", urlencode(FIELDS), Origin=served.origin)
    assert (code, "A report of yours is on the way" in page) == (400, True)
    assert served.ask(f"{path}/stop", "", Origin=served.origin)[0] == 303
    page = served.ask(path)[1]
    assert ("Go on" in page, "of 2 flops are solved" in page) == (True, True)
    assert served.ask(f"{path}/on", "", Origin=served.origin)[0] == 303
    assert served.ask(f"{path}/stop", "", Origin=served.origin)[0] == 303


@pytest.mark.long("page may take")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"flops": "QsJh2h"}, "2 to 95 flops"),
        ({"flops": "QsJh2h QsJh2h"}, "each named once"),
        ({"flops": "QsJh2h2c 8c5d5c"}, "A flop is three cards"),
        ({"flops": "", "count": "1755"}, "how many flops"),
        ({"lock": "x: x=1"}, "A report knows"),
        ({"range0": "random", "range1": "random", "bets": "0.5+1+allin", "stack": "2000"}, "a page may take"),
    ],
)
def test_a_report_that_cannot_be_begun_says_why(
    shown: tuple[Served, Library], given: dict[str, str], said: str
) -> None:
    code, page, _ = shown[0].ask("study/reports/begin", urlencode(FIELDS | given), Origin=shown[0].origin)
    assert (code, said in html.unescape(page)) == (400, True)


@pytest.mark.parametrize(
    ("body", "said"),
    [("nothing of a room\n", "no hand history"), ("", "no hand history"), ("\0" * 50, "no hand history")],
)
def test_a_file_that_is_no_room_s_says_so_by_its_name(shown: tuple[Served, Library], body: str, said: str) -> None:
    served, _ = shown
    answer = json.loads(served.ask("study/hands?file=../../x%1b.txt", body, Origin=served.origin)[1])
    path = answer["review"].removeprefix(served.root)
    wait(served, path)
    page = html.unescape(served.ask(path)[1])
    assert "x\\x1b.txt" in page or "x.txt" in page
    assert "/tmp/cardai-" not in page
    assert said in page, re.findall(r'class="problem"[^>]*>([^<]*)', page)


def test_a_room_s_hands_are_reviewed_as_the_command_does(shown: tuple[Served, Library], capsys: Any) -> None:
    served, _ = shown
    Path("mine.txt").write_text(FOLDED)  # a hand that is left out, with why
    answer = json.loads(served.ask("study/hands?file=mine.txt&hero=Hero", FOLDED, Origin=served.origin)[1])
    path = answer["review"].removeprefix(served.root)
    wait(served, path)
    page = html.unescape(served.ask(path)[1])
    words = command_of(page)
    assert words[:5] == ["cardai", "review", "mine.txt", "--hero", "Hero"]
    found = json.loads(printed([*words, "--json"], capsys))
    assert f"{found['hands']} hands, {found['decisions']} decisions" in page
    assert [f"{count} left out: {why}" in page for why, count in found["hands_left_out"].items()] == [True]


@pytest.mark.long
def test_pots_of_a_room_s_file_that_are_solved_have_the_command_s_table(
    shown: tuple[Served, Library], capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two pots for two, decided on the turn or the river, each street solved for two iterations."""
    made = {"solve": grader.solve}
    monkeypatch.setattr(grader, "solve", lambda one, to, most, told: made["solve"](one, to, min(most, 2), told))
    play("holdem_nolimit:stack=2000", ["threshold", "holdem_heuristic"], games=40, seed=5, record=tmp_path / "r.jsonl")
    file = read(tmp_path / "r.jsonl")
    text = create("format", "pokerstars").write(file.header, file.hands).text
    texts = re.split(r"\n\n+(?=PokerStars)", text.strip())
    late = [
        text
        for text in texts
        if re.search(r"^threshold: (bet|call|check|fold|raise)", text.partition("*** TURN")[2], re.M)
    ]
    body = "\n\n\n".join(late[:2])
    Path("mine.txt").write_text(body)
    served, _ = shown
    answer = json.loads(served.ask("study/hands?file=mine.txt&recent=1", body, Origin=served.origin)[1])
    path = answer["review"].removeprefix(served.root)
    wait(served, path)
    page = html.unescape(served.ask(path)[1])
    capsys.readouterr()
    found = json.loads(printed([*command_of(page), "--json"], capsys))
    assert found["decisions"] > 3
    assert {one["name"] for one in found["sums"]["phase"]} >= {"flop", "turn"}
    assert f"{found['hands']} hands, {found['decisions']} decisions" in page
    wanted = drawn(found)
    for row in wanted["sums"]:
        assert re.search(
            rf"{re.escape(row['name'])}.*?{row['decisions']}.*?{row['mistakes']}.*?{re.escape(row['cost'][1])}",
            page,
            re.S,
        )
    assert [one["taken"] in page and one["cost"] in page for one in wanted["dearest"]] == [True] * len(
        wanted["dearest"]
    )


def test_what_is_too_long_for_an_upload_is_refused(
    shown: tuple[Served, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr("a.txt", "x" * 500)
    monkeypatch.setattr("cardai.web.study.reviews.MOST_UPLOAD", 300)
    assert len(archive.getvalue()) < 300
    for body in ("x" * 301, gzip.compress(b"x" * 301), archive.getvalue()):
        code, words, _ = shown[0].ask("study/hands?file=x", body, Origin=shown[0].origin)
        assert (code, "has no such limit" in words) == (413, True)
    for body in (gzip.compress(b"x")[:-1], archive.getvalue()[:-30]):
        assert shown[0].ask("study/hands?file=x", body, Origin=shown[0].origin)[0] == 400
