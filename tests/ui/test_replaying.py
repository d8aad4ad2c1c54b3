"""Recorded hands in the app: what is shown at each step, what stays hidden, who would have done what."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cardai import make
from cardai.arena import match
from cardai.arena.records import read
from cardai.ui.recording import Recording
from cardai.ui.replaying import ReplayApp, Replaying
from tests.ui.driving import Sat


@pytest.fixture
def leduc(tmp_path: Path) -> Recording:
    """Return four hands of Leduc, always_call against random."""
    file = tmp_path / "hands.jsonl"
    match.play("leduc", ["always_call", "random"], games=4, seed=3, record=str(file))
    return Recording(make.game("leduc"), read(file))


@asynccontextmanager
async def watching(recording: Recording, *advisers: str, reveal: bool = False) -> AsyncIterator[Sat]:
    app = ReplayApp(recording, 0, reveal, advisers)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        person = Sat(app, pilot)  # type: ignore[arg-type]
        await settled(person)
        yield person


async def settled(person: Sat) -> None:
    await person.until(
        lambda: not isinstance(person.screen, Replaying) or (bool(person.screen.steps) and not person.screen.work.busy)
    )


async def press(person: Sat, *keys: str) -> None:
    for key in keys:
        await person.pilot.press(key)
        await settled(person)


def test_a_hand_is_stepped_through_and_others_are_gone_to(leduc: Recording) -> None:
    async def look() -> None:
        async with watching(leduc) as person:
            count = len(person.screen.steps)
            assert f"hand 1 of 4, step 1 of {count}" in person.shown("title")
            assert person.scene.log == ()
            await press(person, "right")
            assert len(person.scene.log) >= 1
            await press(person, "left", "left", "end")
            assert "The hand is over." in person.shown("actions")
            await press(person, "n", "n", "n", "n")
            assert "hand 4 of 4" in person.shown("title")
            assert person.shown("message") == "There are hands 1 to 4."
            await press(person, "g", "2", "enter")
            assert "hand 2 of 4" in person.shown("title")
            await press(person, "g", "9", "enter")
            assert person.shown("message") == "There are hands 1 to 4."

    asyncio.run(look())


def test_hands_behind_one_that_cannot_be_replayed_are_gone_to(leduc: Recording) -> None:
    """Of a file that began with one no other hand could be reached, and n stood still before one."""
    for bad in (0, 2):
        leduc.file.hands[bad]["actions"] = [9]

    async def look() -> None:
        app = ReplayApp(leduc, 0, False, ["random"])
        async with app.run_test(size=(80, 24)) as pilot:
            person = Sat(app, pilot)  # type: ignore[arg-type]
            await person.until(lambda: "The action 9 is not legal here" in person.shown("message"))
            assert "n next" in person.shown("footer")
            await pilot.press("x", "right")
            for keys, title in (("n", "hand 2 of 4"), ("n", "hand 3 of 4"), ("n", "hand 4 of 4"), ("p", "hand 3 of 4")):
                await pilot.press(*keys)
                await person.until(lambda: not person.screen.work.busy)
                assert title in person.shown("title")
            assert (person.shown("picture"), person.shown("actions")) == ("", "")
            await pilot.press("g", "2", "enter")
            await person.until(lambda: not person.screen.work.busy)
            assert "hand 2 of 4" in person.shown("title")

    asyncio.run(look())


def test_at_the_end_those_cards_lie_open_that_were_turned_over(tmp_path: Path) -> None:
    """Who folded, or won without a showdown, shows nothing."""
    file, game = tmp_path / "hands.jsonl", make.game("leduc")
    match.play(game, ["random_refold", "always_raise"], games=20, seed=3, record=str(file))
    recording = Recording(game, read(file))
    ends = [recording.steps(number)[-1].scene for number in range(20)]
    compared = [bool(record["outcome"]["showdown"]) for record in recording.file.hands]
    assert [bool(scene.open) for scene in ends] == compared
    assert {True, False} <= set(compared)
    assert all(recording.steps(number, reveal=True)[-1].scene.open for number in range(20))


def test_the_other_hands_cards_are_hidden_until_x_opens_them(leduc: Recording) -> None:
    hole = leduc.steps(0, reveal=True)[0].scene.open[1 - leduc.watched(leduc.file.hands[0])]["hole"]
    assert len(hole) == 1

    async def look() -> None:
        async with watching(leduc) as person:
            assert person.scene.open == {}
            assert "▒▒" in person.shown("picture")
            await press(person, "x")
            (other,) = person.scene.open.values()
            assert other["hole"] == hole
            assert "▒▒" not in person.shown("picture")
            assert "seen by everybody" in person.shown("title")
            await press(person, "x")
            assert person.scene.open == {}

    asyncio.run(look())


def test_two_players_choices_are_compared_with_what_was_played(leduc: Recording) -> None:
    """always_call always checks or calls; random's two or three choices are equally likely."""
    number, step = next(
        (n, i) for n in range(4) for i, step in enumerate(leduc.steps(n)) if step.known and step.actor is not None
    )

    async def look() -> None:
        async with watching(leduc, "always_call", "random") as person:
            await press(person, *["n"] * number, *["right"] * step)
            await person.until(lambda: "..." not in person.shown("actions"))
            played, first, second = person.shown("actions").splitlines()
            assert played.startswith("always_call: ")
            assert first.startswith("always_call would: 100%")
            assert first.rstrip().endswith(played.partition(": ")[2])
            assert second.startswith(("random would: 50%", "random would: 33%"))

    asyncio.run(look())


def test_nobody_is_asked_about_cards_that_the_watched_seat_does_not_see(leduc: Recording) -> None:
    async def look() -> None:
        async with watching(leduc, "random") as person:
            steps = person.screen.steps
            other = next(i for i, step in enumerate(steps) if step.actor is not None and not step.known)
            await press(person, *["right"] * other)
            assert "not known without hidden cards (x)" in person.shown("actions")

    asyncio.run(look())


def test_players_are_chosen_from_those_that_fit_and_the_picture_is_saved(leduc: Recording, tmp_path: Path) -> None:
    async def look() -> None:
        async with watching(leduc) as person:
            await press(person, "h")
            await person.until(lambda: not isinstance(person.screen, Replaying))
            names = [name for name, _ in person.screen.rows]
            assert "always_call" in names
            assert "heisenbot" not in names
            await press(person, *["down"] * names.index("always_call"), "enter")
            assert person.screen.consulted == ["always_call"]
            await press(person, "s", "s")

    asyncio.run(look())
    saved = sorted(tmp_path.glob("*.svg"))
    assert [file.name for file in saved] == ["cardai-hand-1-step-1-2.svg", "cardai-hand-1-step-1.svg"]
    assert saved[0].read_text().startswith("<svg")


def test_hidden_actions_of_a_draw_are_told_by_their_number_of_cards(tmp_path: Path) -> None:
    file = tmp_path / "hands.jsonl"
    match.play("triple_draw", ["draw_caller", "draw_caller"], games=2, seed=3, record=str(file))
    recording = Recording(make.game("triple_draw"), read(file))
    said = [entry.words for entry in recording.steps(0)[-1].scene.log if entry.seat == 1]
    record = recording.file.hands[0]
    draws = [action for action in record["actions"] if action >= 3]
    assert draws
    theirs = [words for words in said if words.startswith(("discard", "stand"))]
    assert theirs
    assert all(words == "stand pat" or words.removeprefix("discard ").isdigit() for words in theirs)
