"""A person plays by keys and clicks: every built-in game, whole hands, with what is shown and kept on the way."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from random import Random

import pytest
from textual.events import Key

from cardai import make
from cardai.arena import records
from cardai.arena.display import help_text, unit_of
from cardai.core import registry
from cardai.core.progress import tell
from cardai.gin.fields import GIN
from cardai.ui.app import PlayOptions
from cardai.ui.background import Background
from cardai.ui.dialogs import Confirm, Page
from cardai.ui.players import games
from tests.ui.driving import Sat, seated

ENTRIES = [registry.find("game", game.spec) for game in games()]
GAMES = [
    pytest.param(entry.name, marks=[pytest.mark.long] if entry.preset_of else [])
    for entry in ENTRIES
    if entry.distribution == "cardai"
]


def opponents(game: str) -> tuple[str, ...]:
    """Return who sits opposite: at gin somebody who knocks, since random hands of it take very long."""
    made = make.game(game)
    return ("simple" if made.speaks(GIN) else "random",) if made.num_players > 1 else ()


async def play_a_key(person: Sat, rng: Random) -> None:
    """Press keys that make one move: a listed action's, a card's, several cards' and Enter, or arrows and Enter."""
    board = person.board
    listed = [key for key, choice in board.listed() if key and choice.action >= 0]
    keys = [key for key in listed if listed.count(key) == 1]  # another needs the amount too
    cards = list(board.letters)
    if board.several:
        await person.press(*"".join(rng.sample(cards, rng.randint(0, 2))), "enter")
    elif cards:
        await person.press(*rng.choice(cards))
    elif keys:
        await person.press(rng.choice([key for key in keys if key != "f"] or keys))
    else:
        await person.press(*["right"] * rng.randint(0, 2), "enter")
    if isinstance(person.screen, Confirm):  # all-in
        await person.press("y")
        await person.ready()


@pytest.mark.long("gin", "omaha", "short_deck", "holdem_limit", "holdem_spot", "triple_draw")
@pytest.mark.parametrize("game", GAMES)
def test_a_hand_of_every_game_is_played_by_keys_and_the_next_is_dealt(game: str, matches: Path) -> None:
    async def play() -> None:
        rng = Random(5)
        async with seated(PlayOptions(game, opponents(game), seed=4)) as person:
            made = person.scene.game
            for _ in range(1000):
                if person.scene.end is not None:
                    break
                await play_a_key(person, rng)
            end = person.scene.end
            assert end is not None
            assert "Enter next hand" in person.shown("actions")
            assert person.scene.standing is not None
            assert person.scene.standing.total == end.returns[person.scene.seat]
            won = end.returns[person.scene.seat]
            assert f"{won:+,g} {unit_of(made, won)} in 1 hand" in person.shown("title")
            await person.press("enter")
            assert person.scene.end is None
            assert person.scene.log == () or len(person.screen.match.table.moves) > 0

    asyncio.run(play())
    (file,) = matches.glob("*.jsonl")
    kept = records.read(file)
    assert kept.header["game"] == registry.spec_of(make.game(game).for_people())
    assert len(kept.hands) == 1
    assert not kept.damaged


def test_an_illegal_key_says_why_and_plays_nothing() -> None:
    async def play() -> None:
        async with seated(PlayOptions("leduc", ("random",), seed=4)) as person:
            await person.press("f")
            assert person.shown("message") == "f is fold, which you cannot do here. Keys: c check, r bet 2."
            await person.press("x")
            assert person.shown("message") == "x means nothing here. Keys: c check, r bet 2."
            await person.press("a")
            assert person.shown("message") == "All-in cannot be bet here. Keys: c check, r bet 2."
            assert person.screen.match.table.moves == ()

    asyncio.run(play())


def test_amounts_are_typed_and_half_the_pot_the_pot_and_all_in_have_keys() -> None:
    """Blinds 50 and 100: after a call of 50 the pot is 200, so half of it raises to 200 and all of it to 300."""

    async def play(keys: tuple[str, ...]) -> int:
        async with seated(PlayOptions("holdem_nolimit", ("always_call",), seed=4)) as person:
            assert "[/] half pot 200" in person.shown("actions")
            assert "[p] pot 300   [a] all-in 20,000" in person.shown("actions")
            await person.press(*keys)
            return int(person.screen.match.table.moves[0].action)

    assert asyncio.run(play(("p",))) == 300
    assert asyncio.run(play(("a", "y"))) == 20_000
    assert asyncio.run(play(("a", "n", "/"))) == 200  # all-in asks once
    assert asyncio.run(play(("r", "backspace", "backspace", "backspace", "7", "5", "0", "enter"))) == 750
    assert asyncio.run(play(("r", "escape", ":", "p", "o", "t", "enter"))) == 300


def test_who_would_stop_is_asked_that_and_does_not_go_all_in() -> None:
    """q was yes to whatever was asked."""

    async def play() -> None:
        async with seated(PlayOptions("holdem_nolimit", ("always_call",), seed=4)) as person:
            await person.press("a", "q")
            assert person.screen.match.table.moves == ()
            await person.press("q")
            assert isinstance(person.screen, Confirm)
            await person.press("q")
            assert not person.app.is_running

    asyncio.run(play())


@pytest.mark.parametrize("keys", ["r2500\r", "r9\b2500\r", ":2500\r"])
def test_keys_that_come_at_once_are_all_typed(keys: str) -> None:
    """Those on their way when the line began were lost, and Enter raised to what it began with."""

    async def play() -> None:
        async with seated(PlayOptions("holdem_nolimit", ("always_call",), seed=4)) as person:
            for key in keys:
                person.app.post_message(Key({"\r": "enter", "\b": "backspace"}.get(key, key), key))
            await person.until(lambda: len(person.screen.match.table.moves) == 3)
            await person.ready()
            assert person.screen.match.table.moves[0].action == 2500

    asyncio.run(play())


def test_a_click_takes_the_place_of_what_was_being_typed() -> None:
    """The line stayed, and the next Enter raised to what stood there."""

    async def play() -> None:
        async with seated(PlayOptions("holdem_nolimit", ("always_call",), seed=4)) as person:
            await person.press("r")
            await person.click("actions", "call 50")
            assert [move.action for move in person.screen.match.table.moves] == [1, 1, 1]
            await person.press("enter")
            assert len(person.screen.match.table.moves) == 3
            await person.press("c")
            assert person.screen.match.table.moves[3].action == 1

    asyncio.run(play())


def test_an_amount_out_of_bounds_is_refused_with_the_bounds() -> None:
    async def play() -> None:
        async with seated(PlayOptions("holdem_nolimit", ("always_call",), seed=4)) as person:
            await person.press("r", "0", "0", "0", "enter")
            assert "You can raise to 200 at least and 20,000 at most" in person.shown("message")
            await person.press("c")
            await person.press("/")  # the pot is 200, and 100 the smallest bet: 100 + 100
            assert person.screen.match.table.moves[3].action == 200

    asyncio.run(play())


def test_cards_and_actions_are_clicked() -> None:
    async def play() -> None:
        async with seated(PlayOptions("video_poker", (), seed=4)) as person:
            hand = person.scene.view["hand"]
            words = person.scene.game.action_words(0b10001, person.scene.view)
            await person.click("picture", " 1 ")
            await person.click("picture", " 2 ")
            await person.click("picture", "HOLD 2")  # no longer
            await person.click("picture", " 5 ")
            assert person.screen.chosen == {hand[0], hand[4]}
            await person.click("actions", "hold the chosen cards")
            assert person.screen.match.table.moves[0].action == 0b10001
            assert words.startswith("hold ")
            await person.click("actions", "Enter next hand")
            assert person.scene.end is None
        async with seated(PlayOptions("leduc", ("always_call",), seed=4)) as person:
            await person.click("actions", "bet 2")
            assert person.screen.match.table.moves[0].action == 2

    asyncio.run(play())


@pytest.mark.parametrize(("game", "size"), [("liars_dice:dice=3", (80, 24)), ("liars_dice:dice=2", (60, 20))])
def test_all_that_can_be_chosen_is_to_be_seen(game: str, size: tuple[int, int]) -> None:
    """Four lines of it were, of six, and the arrows went on to what nobody saw."""

    async def look() -> None:
        async with seated(PlayOptions(game, ("random",), seed=4), size) as person:
            listed = person.screen.query_one("#actions")
            shown = "\n".join("".join(part.text for part in listed.render_line(y)) for y in range(listed.size.height))
            assert [choice.words for _, choice in person.board.listed() if choice.words not in shown] == []

    asyncio.run(look())


def test_arrows_choose_an_action_and_enter_plays_it() -> None:
    async def play() -> None:
        async with seated(PlayOptions("leduc", ("always_call",), seed=4)) as person:
            await person.press("enter")
            assert person.screen.match.table.moves == ()
            await person.press("right", "right", "enter")
            assert person.screen.match.table.moves[0].action == 2

    asyncio.run(play())


def test_a_hint_tells_what_a_chosen_player_would_do_with_its_probabilities() -> None:
    """random plays check and bet with a half each."""

    async def play() -> None:
        async with seated(PlayOptions("leduc", ("always_call",), seed=4)) as person:
            await person.press("h")
            await person.until(lambda: hasattr(person.screen, "rows"))
            names = [name for name, _ in person.screen.rows]
            assert "random" in names
            assert "human" not in names
            await person.press(*["down"] * names.index("random"), "enter")
            await person.until(lambda: isinstance(person.screen, Page))
            told = str(person.screen.text)
            assert told.startswith("random would")
            assert told.count("50%") == 2
            await person.press("x")
            await person.press("h")  # asks the same player again
            await person.until(lambda: isinstance(person.screen, Page))
            await person.press("x")
            assert person.screen.match.table.moves == ()

    asyncio.run(play())


def test_question_mark_tells_the_rules_in_words() -> None:
    async def play() -> None:
        async with seated(PlayOptions("gin", ("simple",), seed=4)) as person:
            await person.press("?")
            assert isinstance(person.screen, Page)
            assert make.game("gin").rules.split()[0] in str(person.screen.text)
            assert "k knock" in str(person.screen.text)

    asyncio.run(play())


def test_q_asks_and_the_match_is_gone_on_with_where_it_stood(matches: Path) -> None:
    async def begin() -> tuple[object, ...]:
        async with seated(PlayOptions("gin", ("simple",), seed=4)) as person:
            await person.press("p")
            await person.press("q")
            assert isinstance(person.screen, Confirm)
            await person.press("enter")  # no
            await person.press(*(next(iter(person.board.letters)) if person.board.letters else "p"))
            seen = person.scene.view, [entry.words for entry in person.scene.log], person.scene.title
            await person.press("q", "y")
            return seen

    async def go_on() -> tuple[object, ...]:
        async with seated(PlayOptions(resume=True)) as person:
            return person.scene.view, [entry.words for entry in person.scene.log], person.scene.title

    before = asyncio.run(begin())
    (file,) = matches.glob("*.jsonl")
    assert records.read(file).unfinished is not None
    assert asyncio.run(go_on()) == before


def test_what_was_won_is_summed_over_hands_with_an_interval() -> None:
    async def play() -> None:
        async with seated(PlayOptions("kuhn", ("random",), seed=4)) as person:
            won = []
            for _ in range(10):
                while person.scene.end is None:
                    await person.press("b" if "b" in dict(person.board.listed()) else "p")
                won.append(person.scene.end.returns[person.scene.seat])
                await person.press("enter")
            mean = sum(won) / 10
            assert f"{sum(won):+g} chip" in person.shown("title")
            assert f"in 10 hands, {mean:+.1f} ±" in person.shown("title")

    asyncio.run(play())


SLOW = '''"""A player that thinks until it is let go."""
import time
from pathlib import Path
from cardai import hookimpl
from cardai.core.agent import ScalarAgent

class Slow(ScalarAgent):
    def choose(self, view, legal, rng):
        while not Path("go").exists():
            time.sleep(0.01)
        return legal[0]

@hookimpl
def cardai_agent():
    return Slow
'''


def test_a_player_that_thinks_for_long_blocks_nothing(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    registry.add_file(str(tmp_path / "slow.py"))

    async def play() -> None:
        async with seated(PlayOptions("leduc", ("slow",), seed=4)) as person:
            await person.pilot.press("c")
            await person.until(lambda: "slow is thinking" in person.shown("message"))
            assert person.screen.work.busy
            await person.pilot.press("c")
            assert "slow is not ready yet" in person.shown("message")
            await person.pilot.press("?")
            assert isinstance(person.screen, Page)
            await person.pilot.press("x", "q")
            assert isinstance(person.screen, Confirm)
            await person.pilot.press("enter")
            (tmp_path / "go").touch()
            await person.ready()
            assert [move.seat for move in person.screen.match.table.moves][:2] == [0, 1]

    asyncio.run(play())


def test_a_player_with_long_work_to_do_says_how_far_it_is() -> None:
    """Tables that a trained player needs are made when it sits down."""
    said: list[str] = []

    async def play() -> None:
        async with seated(PlayOptions("leduc", ("random",), seed=4)) as person:
            work = Background(person.app, said.append)
            work.start(lambda: tell("Buckets", 3, 4), lambda _: None, lambda _: None)
            await person.until(lambda: not work.busy)

    asyncio.run(play())
    assert said == ["Buckets: 75% ..."]


@pytest.mark.long
def test_leaving_while_a_player_thinks_waits_for_nobody_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    registry.add_file(str(tmp_path / "slow.py"))

    async def leave() -> None:
        async with seated(PlayOptions("leduc", ("slow",), seed=4)) as person:
            await person.pilot.press("c")
            await person.until(lambda: "slow is thinking" in person.shown("message"))
            await person.pilot.press("q", "y")

    async def go_on() -> None:
        async with seated(PlayOptions(resume=True)) as person:
            assert [entry.words for entry in person.scene.log][:1] == ["check"]

    asyncio.run(leave())
    (tmp_path / "go").touch()
    time.sleep(0.1)  # the thread that was left behind ends
    asyncio.run(go_on())


def test_a_player_that_errs_is_named_and_the_app_stays(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(SLOW.replace("return legal[0]", "return 77").replace('Path("go")', 'Path(".")'))
    registry.add_file(str(tmp_path / "wrong.py"))

    async def play() -> None:
        async with seated(PlayOptions("leduc", ("wrong",), seed=4)) as person:
            await person.press("c")
            assert "chose the illegal action 77" in person.shown("message")
            await person.press("c")
            assert person.shown("message") == "A program erred: q stops, --resume asks it again."
            await person.press("q")
            assert isinstance(person.screen, Confirm)

    asyncio.run(play())


@pytest.mark.long(but="size1")
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
def test_the_rules_and_the_hand_are_complete_at_every_width(size: tuple[int, int]) -> None:
    """Every word of the rules and of what is seen stands on a line that the page shows, scrolled from top to bottom; at the
    table all ten cards are in sight."""

    async def read() -> None:
        async with seated(PlayOptions("gin", ("simple",), seed=4), size) as person:
            picture, seen = person.screen.query_one("#picture"), person.screen.query_one("#table").region
            assert seen.contains_region(picture.region)
            await person.press("?")
            page = person.screen
            assert isinstance(page, Page)
            area = page.scroll_area
            text = area.query_one("Static")
            assert text.size.width <= area.scrollable_content_region.width
            assert area.region.right <= size[0]
            shown = " ".join("".join(part.text for part in text.render_line(y)) for y in range(text.size.height))
            assert help_text(make.game("gin")).split()[0] in shown
            said = [word for word in help_text(make.game("gin")).split() if len(word) < 30]
            assert [word for word in said if word not in shown] == []

    asyncio.run(read())


def test_openspiel_s_games_show_what_a_player_knows_as_text() -> None:
    pytest.importorskip("pyspiel")

    async def look() -> None:
        async with seated(PlayOptions("openspiel:name=leduc_poker", ("random",), seed=4)) as person:
            drawn = person.shown("picture")
            assert "[Private: " in drawn  # OpenSpiel's information state of Leduc begins so
            assert "tensor" not in drawn
            assert "[Observer: 0]" in drawn or "[Observer: 1]" in drawn

    asyncio.run(look())
