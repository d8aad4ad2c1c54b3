"""Pages about what was played: the coach, past matches, hands again, drills, the data out and away."""

from __future__ import annotations

import asyncio
import io
import os
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardai.arena import records
from cardai.study import drills
from cardai.ui import again, kept
from cardai.ui.match import Match
from cardai.web.door import Door
from cardai.web.pages import House
from cardai.web.serving import tidied
from cardai.web.sittings import Sittings
from tests.web.conftest import Page, Served


def played(matches: Path, name: str = "2026-11-24-183000-kuhn", hands: int = 6, killed: bool = False) -> Path:
    """Keep a match of Kuhn poker in which the person always bets or calls: with a jack that costs."""
    matches.mkdir(parents=True, exist_ok=True)
    path = matches / f"{name}.jsonl"
    match = Match.begin("kuhn", ["random"], 5, path)
    for k in range(hands):
        if k:
            match.next_hand()
        while not match.table.hand_over:
            match.step() if match.waiting else match.act(1)
    if not killed:
        match.close()
    return path


def read(served: Served, path: str) -> str:
    """Return a page, once the coach has read what he must."""
    for _ in range(60):
        code, text, _ = served.ask(path)
        assert code == 200, text
        if "The coach reads" not in text:
            return text
    raise AssertionError("The coach does not finish.")


def link(text: str, start: str) -> str:
    """Return the first address in a page that begins with ``start`` (behind the root)."""
    at = text.index(f"{start}")
    return text[at : text.index('"', at)].replace("&amp;", "&")


def test_past_matches_are_listed_searched_and_opened_hand_by_hand(served: Served, matches: Path) -> None:
    path = played(matches)
    text = read(served, "past")
    assert "Kuhn poker against random" in text
    assert "6 hands" in text
    assert "no such matches" in read(served, "past?q=gin")
    assert path.stem in read(served, "past?q=kuhn%20random")
    assert path.stem in read(served, "past?q=Kuhn%20POKER")  # as people call it
    assert "hand 6" in read(served, f"past/match/{path.stem}")
    last = read(served, f"past/match/{path.stem}/6")
    assert "Your decisions, the dearest first" in last
    assert 'class="card' in last
    for wrong in (
        f"past/match/{path.stem}/7",
        f"past/match/{path.stem}/{'9' * 5000}",
        f"past/match/{path.stem}/0",
        "past/match/nobody",
        "past/costs?game=gin",
    ):
        assert served.ask(wrong)[0] == 404


def test_a_match_whose_process_was_killed_is_among_them_and_one_at_a_table_is_there_alone(
    served: Served, matches: Path
) -> None:
    path = played(matches, killed=True)
    assert not path.exists()
    assert "6 hands" in read(served, "past")
    assert "Your decisions, the dearest first" in read(served, f"past/match/{path.stem}/6")
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        finish(page, page.turn())
        text = read(served, "past")
    assert f"table/{name}" in text
    assert f"past/match/{name}" not in text
    assert f"past/match/{path.stem}" in text


def test_costs_are_those_of_the_command_line(served: Served, matches: Path) -> None:
    """The page and ``cardai matches --stats --review`` read the same records by the same functions."""
    from cardai.study.coach import Coaches
    from cardai.study.review import number
    from cardai.study.sittings import sittings, tallies
    from cardai.ui import past

    played(matches)
    found, _ = sittings(kept.matches(), past.PLAYER)
    known = past.known(tallies(found)[0], found, Coaches(), True)
    assert known.review is not None
    assert known.review.total.cost.mean > 0
    text = read(served, link(read(served, "past"), "past/costs?"))
    assert f"<td>{number(known.review.total.cost.mean)}</td>" in text
    assert known.fair is not None
    assert number(known.fair.mean) in text
    assert "the hand</a>" in text


def finish(page: Page, scene: dict[str, Any]) -> dict[str, Any]:
    while not scene["over"]:
        page.say("act", action=1)
        scene = page.turn()
    return scene


def test_the_same_hand_again_has_the_same_cards_and_is_not_kept(served: Served, matches: Path) -> None:
    path = played(matches)
    before = path.read_bytes()
    code, _, headers = served.ask("past/again", f"name={path.stem}&hand=3&player=equilibrium", Origin=served.origin)
    assert code == 303
    name = headers["location"].rpartition("/")[2]
    with served.page(name) as page:
        over = finish(page, page.turn())
        assert "equilibrium" in over["parts"]["log"] + over["parts"]["felt"]
        (record,) = served.house.tables.open[name].match.table.records
        was = records.read(path).hands[2]
        assert (record["deck"], record["seats"]) == (was["deck"], was["seats"])
        page.say("next")
        assert "nothing comes after it" in page.hear(lambda m: m["kind"] == "said")["words"]
    assert path.read_bytes() == before
    assert [file.name for file in matches.glob("*.jsonl*")] == [path.name]
    for wrong in ("hand=99", "hand=x", "hand=3&player=program:command=true"):
        assert served.ask("past/again", f"name={path.stem}&{wrong}", Origin=served.origin)[0] in (400, 404)


def test_a_drill_begins_at_the_dearest_mistake_and_grades_the_first_answer(served: Served, matches: Path) -> None:
    played(matches)
    for _ in range(60):
        code, _, headers = served.ask("drill")
        if code == 303:
            break
    name = headers["location"].rpartition("/")[2]
    with served.page(name) as page:
        scene = page.turn()
        assert scene["mine"]
        page.say("act", action=1)  # the mistake once more
        told = page.hear(lambda m: m["kind"] == "advice")
        assert told["title"] == "Not the best."
        assert "Best:" in told["html"]
    (known,) = drills.read(kept.folder() / "drills.json").values()
    assert (known.box, known.due) == (0, again.today())
    assert served.ask("drill")[0] == 303


def test_the_coach_speaks_when_asked_after_a_hand_or_at_once(served: Served) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        page.turn()
        page.say("look", coach="after")
        over = finish(page, page.turn())
        assert over["over"]
        assert page.hear(lambda m: m["kind"] == "said")["words"].startswith("The coach")
        page.say("coach")
        told = page.hear(lambda m: m["kind"] == "advice")
        assert "dearest first" in told["title"]
        page.say("look", coach="now")
        for _ in range(40):  # until a bet is a mistake
            page.say("next")
            finish(page, page.turn())
            if any("better" in m.get("words", "") for m in page.heard if m["kind"] == "said"):
                break
        else:
            raise AssertionError("Always betting costs nothing.")


def test_data_go_out_by_a_click_and_away_by_another(served: Served, matches: Path) -> None:
    import http.client

    path, odd = played(matches), matches / os.fsdecode(b"odd \xff.jsonl")
    odd.write_bytes(b"x")
    os.utime(odd, (0, 0))  # before a zip file's time begins
    asking = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    asking.request("GET", f"{served.root}past/export")
    answer = asking.getresponse()
    with zipfile.ZipFile(io.BytesIO(answer.read())) as archive:
        assert archive.read(f"matches/{path.name}") == path.read_bytes()
        assert archive.read(r"matches/odd \xff.jsonl") == b"x"
    asking.close()
    other = matches.parent / "not-ours.txt"
    other.write_text("x")
    served.sit("kuhn", "random")
    assert served.ask("past/delete")[0] == 405
    assert path.exists()
    assert served.ask("past/delete", "", "POST", Origin="http://elsewhere")[0] == 403
    assert path.exists()
    code, text, _ = served.ask("past/delete", "", "POST", Origin=served.origin)
    assert (code, "All your data were removed" in text) == (200, True)
    assert [file for file in matches.parent.rglob("*") if file.is_file()] == [other]
    assert not served.house.tables.open


@pytest.mark.parametrize("page", ["past", "drill"])
def test_pages_stand_where_nothing_was_played(served: Served, page: str) -> None:
    code, text, _ = served.ask(page)
    assert code in (200, 404)
    assert "no" in text.lower()


def test_what_is_read_for_long_ends_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.web.jobs.SOON", 0.02)
    house, stopped = House(Door("127.0.0.1"), Sittings(1)), threading.Event()

    def reads(progress: Callable[[int, int], None]) -> None:
        try:
            for done in range(500):
                progress(done, 500)
                time.sleep(0.01)
        except KeyboardInterrupt:
            stopped.set()

    async def serve() -> None:
        async with tidied(house):
            assert isinstance(await house.jobs.of("all", reads), tuple)
            assert not stopped.is_set()

    asyncio.run(serve())
    assert stopped.wait(4)
