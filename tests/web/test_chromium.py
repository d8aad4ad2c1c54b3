"""Whole hands in a real browser: by keys alone, by mouse alone, by touch alone. Skipped where there is no Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardai.arena import records
from cardai.arena.journal import journal_of
from tests.web.browsing import browser, found, opened, turn
from tests.web.conftest import Served

pytestmark = pytest.mark.skipif(found() is None, reason="there is no Chromium on this machine, or no playwright")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests of the module."""
    with browser() as started:
        yield started


def sat(served: Served, game: str, *opponents: str, seed: int = 4) -> str:
    """Return the page of a new table."""
    return f"table/{served.call(served.house.tables.begin, game, opponents, seed).name}"


def kept(matches: Path, path: str) -> list[records.Record]:
    """Return the finished hands of a table's match."""
    return records.read(journal_of(matches / f"{path.partition('/')[2]}.jsonl")).hands


def over(page: Any) -> bool:
    """Whether the hand that is shown is over."""
    return bool(page.locator("#actions [data-next]").count())


def play(page: Any, step: Callable[[], None], most: int = 120) -> None:
    """Let ``step`` act until the hand is over."""
    turn(page)
    for _ in range(most):
        if over(page):
            return
        seen = page.inner_html("#actions")
        step()
        page.wait_for_function("before => document.querySelector('#actions').innerHTML !== before", arg=seen)
        turn(page)
    raise AssertionError("The hand does not end.")


def test_a_hand_of_gin_by_keys_alone(chromium: Any, served: Served, matches: Path) -> None:
    """A card is its rank, then its suit where there are several; Enter plays it. Nothing is clicked."""
    path = sat(served, "gin", "simple")
    with opened(chromium, served, path) as page:

        def step() -> None:
            can = page.eval_on_selector_all(
                ".slot.can", "all => all.map((one) => [one.dataset.rank, one.dataset.suit])"
            )
            if not can:
                keys = page.eval_on_selector_all("#actions [data-key]", "all => all.map((one) => one.dataset.key)")
                return page.keyboard.press(next(key for key in ("k", "d", "p", "t", *keys) if key in keys))
            rank, suit = can[-1]
            page.keyboard.press("0" if rank == "T" else rank)
            if sum(other == rank for other, _ in can) > 1:
                assert page.inner_text("#said").startswith("Which?")
                page.keyboard.press(suit)
            assert (
                page.locator(f".slot[data-rank='{rank}'][data-suit='{suit}']").get_attribute("aria-pressed") == "true"
            )
            page.keyboard.press("Enter")

        play(page, step)
        assert len(kept(matches, path)) == 1
        said = page.eval_on_selector_all(
            "#log .own b.said", "all => all.map((one) => [one.className.slice(-1), getComputedStyle(one).color])"
        )
        assert said  # cards in the log keep their suits' colours, one's own as well
        assert {colour for suit, colour in said if suit in "hd"} <= {"rgb(200, 32, 43)"}
        assert {colour for suit, colour in said if suit in "cs"} <= {"rgb(22, 25, 28)"}
        for width, height in ((1280, 720), (980, 700), (700, 700), (390, 844)):  # ten cards in rows, and all in sight
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_function(
                "() => document.querySelector('.mine .plate').getBoundingClientRect().bottom <= document.querySelector('#felt').getBoundingClientRect().bottom"
            )
        page.keyboard.press("Enter")
        page.wait_for_selector("#actions :not([data-next]).act")
        page.keyboard.press("?")
        assert "Ten cards each" in page.inner_text("#rules")
        assert page.evaluate("document.querySelector('#rules').scrollTop") == 0  # it begins at its beginning
        page.keyboard.press("Escape")
        assert not page.locator("#rules").is_visible()


def test_a_hand_of_hold_em_by_mouse_alone_where_all_in_asks_once(chromium: Any, served: Served, matches: Path) -> None:
    path = sat(served, "holdem_nolimit", "always_call")
    with opened(chromium, served, path) as page:
        turn(page)
        page.click("#actions [data-key=c]")
        page.wait_for_selector("#felt .board .card:not(.empty)")
        turn(page)
        page.click("#actions .size:has-text('half pot')")
        assert page.inner_text(".raise output") == "100"  # half of 200
        page.click("#actions .size:has-text('all-in')")
        assert page.inner_text(".raise output") == "19,900"
        page.click("#actions .raise")
        assert page.inner_text("#confirm-words") == "All-in, 19,900?"
        page.click("#confirm [data-close]")
        assert not kept(matches, path)
        page.click("#actions .raise")
        page.click("#confirm-yes")
        page.wait_for_selector("#actions [data-next]")
        (record,) = kept(matches, path)
        assert 20_000 in record["actions"]
        assert page.locator(".held:not(.own) .card:not(.down)").count() == 2  # both hands lie open
        page.set_viewport_size({"width": 390, "height": 844})
        ends = "all => all.map((one) => one.getBoundingClientRect().right + 1 < one.parentElement.getBoundingClientRect().right)"
        assert page.eval_on_selector_all(".plate small", ends) == [True, True]  # no name takes a position's place
        page.click("[data-open=settings]")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")  # deals, and opens the settings no more
        page.wait_for_selector("#actions [data-key=c]")


def test_a_hand_of_video_poker_by_touch_alone_on_a_phone(chromium: Any, served: Served, matches: Path) -> None:
    path = sat(served, "video_poker")
    with opened(chromium, served, path, 390, has_touch=True, is_mobile=True) as page:
        turn(page)
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1]  # nothing to scroll sideways
        boxes = [slot.bounding_box() for slot in page.locator(".slot.can").all()]
        assert min(box["width"] for box in boxes) > 44  # what a finger needs (WCAG 2.5.5)
        for place in (0, 3):
            page.locator(".slot.can").nth(place).tap()
        page.locator("#actions [data-play]").tap()
        page.wait_for_selector("#actions [data-next]")
        (record,) = kept(matches, path)
        assert record["actions"] == [0b01001]


def test_a_table_is_chosen_by_keys_and_settings_stay(chromium: Any, served: Served) -> None:
    with opened(chromium, served, "games") as page:
        assert page.locator(".tiles b").first.inner_text() == "Gin rummy"
        page.get_by_role("link", name="Kuhn poker").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".ladder button")
        page.locator("button[value=random]").focus()
        page.keyboard.press("Enter")
        turn(page)
        page.click("[data-open=settings]")
        for setting, value in (("theme", "dark"), ("suits", "four"), ("motion", "off")):
            page.select_option(f"[data-setting={setting}]", value)
        page.click("#settings [data-close]")
        page.reload()
        turn(page)
        assert page.evaluate("({...document.documentElement.dataset})") == {
            "theme": "dark", "suits": "four", "motion": "off", "amounts": "chips", "coach": "asked",
        }  # fmt: skip
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 27)"


@pytest.mark.long
def test_amounts_are_shown_in_big_blinds_and_a_screen_reader_hears_the_hand(chromium: Any, served: Served) -> None:
    path = sat(served, "holdem_nolimit", "always_call")
    with opened(chromium, served, path) as page:
        page.evaluate("localStorage.setItem('cardai-amounts', 'blinds')")
        page.reload()
        turn(page)
        assert page.inner_text(".seat.mine .stack") == "199.5 bb"
        assert page.inner_text(".raise output") == "2 bb"
        assert page.get_attribute("#live", "aria-live") == "polite"
        heard = page.text_content("#live")
        assert heard.startswith("You hold ")
        assert " of " in heard
        assert heard.endswith("Your turn")
        cards = page.eval_on_selector_all(".held.own .card", "all => all.map((one) => one.getAttribute('aria-label'))")
        assert all(card in heard for card in cards)
        page.fill(".amount [type=text]", "3.5")
        page.keyboard.press("Enter")
        page.wait_for_selector("#log .own")
        assert page.inner_text("#log .own") == "you raise to 3.5 bb"
