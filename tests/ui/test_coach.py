"""The coach at the table: what decisions cost, at once, after the hand, and on a page; a game without a judge is played on."""

from __future__ import annotations

import asyncio

from cardai.study.coach import Coach, word_of, words_of
from cardai.ui.app import PlayOptions
from cardai.ui.coach import page_of
from cardai.ui.dialogs import Page
from tests.ui.driving import seated

MISTAKE = ("enter",)  # video poker: draw with nothing held


def test_at_once_a_mistake_is_told_with_what_was_better() -> None:
    async def play() -> None:
        async with seated(PlayOptions("video_poker", seed=3, coach="now")) as person:
            await person.press(*MISTAKE)
            assert "The coach" not in person.shown("message")
            assert "was better." in person.shown("message")

    asyncio.run(play())


def test_after_a_hand_its_cost_is_told_and_a_page_shows_the_decisions() -> None:
    async def play() -> None:
        async with seated(PlayOptions("video_poker", seed=3, coach="after")) as person:
            await person.press(*MISTAKE)
            await person.until(lambda: "The coach: 1 decision cost" in person.shown("message"))
            await person.pilot.press("M")
            await person.until(lambda: isinstance(person.screen, Page))
            text = str(person.screen.text)
            assert text.startswith("Your decisions, the dearest first")
            assert "best hold" in text
            assert "is paid" in text  # the reason

    asyncio.run(play())


def test_a_game_that_nobody_judges_is_played_on() -> None:
    async def play() -> None:
        async with seated(PlayOptions("omaha", ("always_call",), seed=3, coach="now")) as person:
            await person.press("c")
            assert "Nobody who is installed judges Omaha." in person.shown("message")
            assert person.screen.coach == ""
            assert person.scene.log

    asyncio.run(play())


def test_the_coach_says_nothing_of_what_cost_nothing() -> None:
    from cardai import make
    from cardai.arena.table import Table

    game = make.game("video_poker")
    coach, table = Coach(game), Table(game, [None], seed=3)
    values, _ = coach.grader.judge.values(table.views(), table.legal())
    best = int(values[0].argmax())
    views, legal = table.views(), table.legal()
    record = table.unfinished
    assert record is not None
    assert word_of(coach.decision(views, legal, best, record, 0), coach.unit) == ""
    assert "draw five: " in word_of(coach.decision(views, legal, 0, record, 0), coach.unit)
    table.act(best)
    graded = coach.hand(table.records[0], 0)
    assert words_of(graded, coach.unit) == "The coach: no mistake in 1 decisions."
    assert "good" in str(page_of(graded, coach.unit, "two"))
