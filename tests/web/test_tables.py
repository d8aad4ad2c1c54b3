"""Tables over their pages' wire: played, kept, gone on with; what is offered and what is not."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cardai.arena import records
from cardai.arena.journal import journal_of
from cardai.core import registry
from cardai.core.errors import UntrustedError, UsageError
from cardai.core.files import write_json
from cardai.core.trust import Foreign
from cardai.study.graded import GradedHand
from cardai.study.sittings import sittings
from cardai.ui import kept, players
from cardai.ui.match import Match
from cardai.web.door import Door
from cardai.web.felt import live_words, spelled
from cardai.web.offers import Offers
from cardai.web.pages import Asked, House
from cardai.web.render import inline
from cardai.web.sittings import FULL, FullError, Sitting, Sittings
from tests.support import INTERPRETED, python
from tests.web.conftest import Page, Served


def hands(matches: Path, name: str) -> list[records.Record]:
    """Return the finished hands of a match."""
    return records.read(journal_of(matches / f"{name}.jsonl")).hands


def finish(page: Page, scene: Mapping[str, Any]) -> Mapping[str, Any]:
    """Play a hand of Kuhn poker to its end, always betting."""
    while not scene["over"]:
        page.say("act", action=1)
        scene = page.turn()
    return scene


def test_a_hand_is_played_kept_and_the_next_one_dealt(served: Served, matches: Path) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        scene = page.turn()
        assert "Kuhn poker" in scene["parts"]["heading"]
        assert 'data-action="1"' in scene["parts"]["actions"]
        assert scene["said"] == "Your turn."
        over = finish(page, scene)
        assert "data-next" in over["parts"]["actions"]
        assert len(hands(matches, name)) == 1
        won = hands(matches, name)[0]["returns"][hands(matches, name)[0]["seats"].index(0)]
        assert (
            f"You {'win' if won > 0 else 'lose'} {abs(won):g} chip{'s' * (abs(won) > 1)}." in over["parts"]["actions"]
        )
        page.say("next")
        assert "hand 2" in page.turn()["parts"]["heading"]


def test_requests_at_once_lead_to_the_one_table_that_was_asked_for(matches: Path) -> None:
    served = Served(House(Door("127.0.0.1"), Sittings(8), Asked.of("kuhn", ("random",), False, None, 1)))
    try:
        with ThreadPoolExecutor(8) as several:
            answers = list(several.map(lambda _: served.ask(""), range(8)))
        assert [code for code, _, _ in answers] == [303] * 8
        assert len({headers["location"] for _, _, headers in answers}) == len(served.house.tables.open) == 1
    finally:
        served.close()


def test_a_second_click_is_not_a_second_action(served: Served, matches: Path) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        scene = page.turn()
        lock = served.house.tables.open[name]._lock
        served.call(lock.acquire)  # a coach whom another page asked is at work: the action waits
        page.say("act", action=1)
        time.sleep(0.1)
        served.loop.call_soon_threadsafe(lock.release)
        page.say("act", action=1)  # the same ``at``: the page had not seen yet what came of the first
        page.say("next")
        scene = page.turn()
        finish(page, scene)
        (record,) = hands(matches, name)
        mine = record["seats"].index(0)
        assert len(record["actions"]) <= 3
        assert scene["at"] > 0
        assert mine in (0, 1)


def test_a_page_that_comes_again_finds_its_table_and_so_does_one_after_it_was_put_away(
    served: Served, matches: Path
) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        first = page.turn()
    with served.page(name) as page, served.page(name) as other:
        assert page.turn()["parts"] == first["parts"] == other.turn()["parts"]
        page.say("act", action=1)
        page.turn()
        assert other.turn()["at"] == page.at  # both are told
    served.forget(name)
    assert name not in served.house.tables.open
    assert served.ask(f"table/{name}")[0] == 200
    with served.page(name) as page:
        assert page.turn()["at"] > 0
    assert served.ask("table/nothing")[0] == 404
    assert served.ask("table/..%2f..%2fsecret")[0] == 404
    assert served.ask("games")[1].count(f"table/{name}") == 1  # to go on with


def test_a_table_that_is_shown_is_not_put_away(served: Served) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        page.turn()
        served.house.tables.open[name].left -= 1000
        served.call(served.house.tables.tidy)
        assert name in served.house.tables.open


@pytest.mark.parametrize(
    "form",
    [
        "game=kuhn&player=program:command=touch+x",
        "game=kuhn&player=./bot.py",
        "game=kuhn&player=human",
        "game=kuhn&player=ismcts:simulations=9999999",
        "game=kuhn:players=3&player=random",
        "game=holdem_spot:directory=/etc&player=random",
        "game=/etc/passwd&player=",
        "game=&player=",
        "player=random",
        "game=kuhn&player=random&seats=99",
        "game=kuhn&player=random&seats=3,x=1",
    ],
)
def test_nothing_is_seated_or_played_but_what_is_offered(served: Served, form: str, tmp_path: Path) -> None:
    code, text, _ = served.ask("sit", form, Origin=served.origin)
    assert code == 400
    assert "is not offered here" in text
    assert not (tmp_path / "x").exists()
    assert served.house.tables.open == {}


def test_a_player_that_only_a_file_of_figures_names_is_not_offered_and_never_the_owner_s_word(
    matches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = 'best_response:to="program:command=\\"touch x\\""'
    figure = {"mean": 99.0, "half_width": 1.0, "unit": "%", "against": "the field", "games": 1000}
    write_json(kept.matches().with_name("strength.json"), {"kuhn": {name: figure}})
    assert name not in [player.spec for player in Offers().players("kuhn")]
    monkeypatch.setattr(players, "_fits", lambda spec, game: spec in ("best_response", name))
    with pytest.raises(UntrustedError, match="names what no file from somebody else may"):
        Offers().table("kuhn", name)
    assert isinstance(Offers().adviser("kuhn", name), Foreign)


def test_no_hint_is_had_of_a_player_that_is_not_offered(served: Served) -> None:
    with served.page(served.sit("kuhn", "random")) as page:
        page.turn()
        page.say("advise", text="program:command=touch x")
        assert (
            page.hear(lambda m: m["kind"] == "said")["words"]
            == "The player 'program:command=touch x' is not offered here."
        )
        page.say("advisers")
        assert "random" in page.hear(lambda m: m["kind"] == "advice")["html"]
        page.say("advise", text="random")
        advice = page.hear(lambda m: m["kind"] == "advice")
        assert advice["title"] == "random would"
        assert "50 %" in advice["html"]


def test_no_more_tables_than_allowed_and_a_place_is_free_again(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served.house.tables, "most", 2)
    names = [served.sit("kuhn", "random") for _ in range(2)]
    code, text, _ = served.ask("sit", "game=kuhn&player=random", Origin=served.origin)
    assert (code, "2 tables are being played already" in text) == (503, True)
    served.forget(names[0])
    last = served.sit("kuhn", "random")
    with served.page(names[0]) as page:  # of a table that was put away before it could show it
        assert page.hear(lambda m: True) == {"kind": "refused", "words": FULL.format(2)}
    served.forget(last)
    with served.page(names[0]) as page:
        assert page.turn()["mine"]


def test_who_sits_down_at_once_takes_no_more_tables_than_allowed(
    served: Served, matches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There was room for each, until the files of all were named."""
    tables = served.house.tables
    monkeypatch.setattr(tables, "most", 2)

    async def several() -> Any:
        sitting = (tables.begin("kuhn", ("random",), seed) for seed in range(5))
        return await asyncio.gather(*sitting, return_exceptions=True)

    came = served.call(several)
    assert sum(isinstance(one, FullError) for one in came) == 3
    assert len(tables.open) == 2
    assert len(list(matches.glob(".*.lock"))) == 2  # the others' names are given back


def test_a_page_that_says_more_while_a_coach_thinks_is_still_heard(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it was read any more, so that it was taken for gone after 20 seconds, and what the coach said was lost."""
    thought = asyncio.Event()

    async def thinks(sitting: Sitting) -> tuple[GradedHand, str]:
        await thought.wait()
        raise UsageError("The coach has thought.")

    monkeypatch.setattr(Sitting, "graded", thinks)
    with served.page(served.sit("kuhn", "random")) as page:
        page.turn()
        for _ in range(3):
            page.say("coach")
            assert page.socket.ping().wait(10)
        served.loop.call_soon_threadsafe(thought.set)
        for _ in range(3):
            assert "has thought" in page.hear(lambda m: m["kind"] == "said")["words"]


def test_what_is_typed_or_illegal_is_answered_in_words(served: Served) -> None:
    with served.page(served.sit("kuhn", "random")) as page:
        page.turn()
        page.say("typed", text="knit")
        assert "knit" in page.hear(lambda m: m["kind"] == "said")["words"]
        page.say("act", action=999)
        assert "not legal" in page.hear(lambda m: m["kind"] == "said")["words"]
        page.say("typed", text="bet")
        assert page.turn()["at"] > 0


def test_a_match_that_is_played_elsewhere_is_left_alone(served: Served, matches: Path) -> None:
    from cardai.core.locks import FileLock

    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        page.turn()
    served.forget(name)
    held = FileLock(matches / f".{name}.jsonl.lock")
    code, text, _ = served.ask(f"table/{name}")
    held.release()
    assert (code, "another window" in text) == (400, True)


FELTED = '''"""A game with a table of its own drawing, and a name that would be markup."""
from cardai.core.fields import Field
from cardai.core.hookspecs import hookimpl
from cardai.plugins.games.kuhn import Kuhn
from attrs import frozen

@frozen
class Felted(Kuhn):
    page = "felted.html"
    title = "Felt & <b>more</b>"

@hookimpl
def cardai_game():
    return {"felted": Felted, "plain_cards": Kuhn}
'''


def test_a_third_party_s_game_has_a_page_from_its_fields_and_may_bring_a_template(
    served: Served, tmp_path: Path
) -> None:
    (tmp_path / "felted.py").write_text(FELTED)
    (tmp_path / "felted.html").write_text(
        "<p class=own>{{ scene.names[1 - scene.seat] }} sits at {{ labelled | length }}</p>"
    )
    registry.add_file(str(tmp_path / "felted.py"))
    served.house.offers._games = None
    try:
        games = served.ask("games")[1]
        assert "Felt &amp; &lt;b&gt;more&lt;/b&gt;" in games
        assert "players?game=plain_cards" in games
        with served.page(served.sit("felted", "random")) as page:
            assert "<p class=own>random sits at 1</p>" in page.turn()["parts"]["felt"]
        with served.page(served.sit("plain_cards", "random")) as page:
            felt = page.turn()["parts"]["felt"]
            assert '<section class="hand own"><h3>card</h3>' in felt
            assert any(f">{card}</text>" in felt for card in ("jack", "queen", "king"))
    finally:
        served.house.offers._games = None


def test_a_table_has_as_many_seats_as_wished_and_cash_goes_on(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as hasty:  # what must be compiled to know who plays is waited for in words
        hasty.setattr("cardai.web.pages.SOON", 0.0)
        served.house.offers._players.pop("holdem_nolimit", None)
        page = served.ask("players?game=holdem_nolimit")[1]
        assert "Who plays it is looked up" in page
    while "Who plays it is looked up" in page:
        page = served.ask("players?game=holdem_nolimit")[1]
    assert "<option>6</option>" in page
    assert 'name="cash"' in page
    assert 'name="cash"' not in served.ask("players?game=kuhn")[1]
    offers = served.house.offers
    assert offers.table("kuhn", "random", "3").game == "kuhn:players=3"
    table = offers.table("holdem_nolimit", "threshold", "6", True)
    assert table.game == "holdem_nolimit:players=6,stack=10000,cash=5,hands=100000"
    assert table.opponents == ("threshold",) * 5
    code, text, _ = served.ask("sit", "game=holdem_nolimit&player=opponent_model&seats=6", Origin=served.origin)
    assert code == 400
    assert "opponent_model" in text


def test_a_screen_reader_hears_what_one_holds_in_every_game_and_all_that_came_since_one_acted() -> None:
    for spec, held in (
        ("leduc", r"(jack|queen|king) of (spades|hearts)"),
        ("kuhn", "jack|queen|king"),
        ("liars_dice", "[1-6]"),
    ):
        heard = live_words(Match.begin(spec, ["random"], 1).scene(), "Your turn", 0)
        assert re.search(rf"You hold ({held})\b", heard)
    match = Match.begin("holdem_nolimit:players=6", ["always_call"] * 5, 1)
    while not match.table.hand_over:
        match.step() if match.waiting else match.act(1)
    heard = live_words(match.scene(), "", 100)
    assert heard.startswith("you check. ")
    assert all(f"always_call {seat + 1} shows" in heard for seat in range(6) if seat != match.seat)
    assert "-1 bb" in heard


def test_what_is_being_played_stands_among_your_matches(served: Served) -> None:
    with served.page(served.sit("kuhn", "random")) as page:
        page.turn()
        text = served.ask("past")[1]
        assert "At the table" in text
        assert "Kuhn poker against random</b> <span>0 hands, +0" in text


def test_cards_in_a_line_are_written_as_they_are_drawn_and_read_by_their_names() -> None:
    assert inline("To T♦") == 'To <b class="said s-d">10♦</b>'
    assert spelled("discard 7c") == "discard seven of clubs"
    assert spelled("board A♠ T♦ 2♣") == "board ace of spades ten of diamonds two of clubs"


def test_tables_are_kept_when_the_server_ends(matches: Path) -> None:
    import asyncio

    async def run() -> str:
        tables = Sittings(1)
        sitting = await tables.begin("kuhn", ("random",), 3)
        from cardai.web.sittings import Page as Shown

        page = Shown()
        sitting.join(page)
        while True:
            message = await asyncio.wait_for(page.told.get(), 60)
            if message is not None and message["kind"] == "scene":
                break
        await tables.close()
        while message is not None:
            message = await asyncio.wait_for(page.told.get(), 5)
        return sitting.name

    name = asyncio.run(run())
    assert (matches / f"{name}.jsonl").exists()
    assert not (matches / f"{name}.jsonl.open").exists()


def test_a_player_that_errs_is_named_and_the_match_is_kept(
    served: Served, matches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.core.errors import AgentError
    from cardai.ui.match import Match

    name = served.sit("kuhn", "random")

    def erring(self: Match) -> None:
        raise AgentError("The agent 'random' sneezed.")

    monkeypatch.setattr(Match, "step", erring)
    with served.page(name) as page:
        words = ""
        for _ in range(20):
            message = page.hear(lambda m: m["kind"] in ("scene", "failed", "said"))
            words = str(message.get("words", ""))
            if words:
                break
            if message["mine"]:
                page.say("act", action=1)
        assert words == "The agent 'random' sneezed."
    assert journal_of(matches / f"{name}.jsonl").exists()


@pytest.mark.long
def test_the_tables_room_is_not_the_terminal_s() -> None:
    """Nothing of the pages imports textual."""
    script = "import sys; sys.modules['textual'] = None; import cardai.web.serving, cardai.web.felt"
    done = python("-c", script, **INTERPRETED)
    assert done.returncode == 0, done.stderr
    assert time


def test_a_stranger_s_record_among_the_matches_opens_nothing(served: Served, matches: Path, tmp_path: Path) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        finish(page, page.turn())
    first, *rest = journal_of(matches / f"{name}.jsonl").read_text().splitlines(keepends=True)
    game = f'openspiel:name="efg_game(filename={tmp_path}/evil.efg)"'
    (matches / "evil.jsonl").write_text(json.dumps({**json.loads(first), "game": game}) + "\n" + "".join(rest))
    if hasattr(os, "mkfifo"):
        os.mkfifo(matches / "pipe.jsonl")
    assert served.ask("games")[0] == 200
    assert sittings(matches, "human")[0]
    code, text, _ = served.ask("table/evil")
    assert code == 400
    assert "names what no file from somebody else may" in text
