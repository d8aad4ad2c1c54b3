"""What is kept, on the study's pages: libraries, reports over flops, reviews; each as its command prints it."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardai.poker.ranges.library import Library
from cardai.poker.ranges.spot import Spot
from cardai.web.door import Door
from cardai.web.pages import Asked, House
from cardai.web.sittings import Sittings
from cardai.web.study import shelf
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
    name = served.sit("video_poker")
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
