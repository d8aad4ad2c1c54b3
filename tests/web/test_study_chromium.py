"""The study in a real browser: two clicks, a range by the mouse, all by keys, all by touch. Skipped where there is no Chromium."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.browsing import browser, found, opened
from tests.web.conftest import Served

pytestmark = [
    pytest.mark.skipif(found() is None, reason="there is no Chromium on this machine, or no playwright"),
    pytest.mark.usefixtures("compiled"),
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests of the module."""
    with browser() as started:
        yield started


@pytest.fixture(autouse=True)
def cleared(served: Served) -> Iterator[None]:
    """Take the spots of a test off the bench."""
    yield
    for study in served.house.bench._studies.values():
        study.stopping.set()
    while any(study.under_way for study in served.house.bench._studies.values()):
        time.sleep(0.02)
    served.house.bench._studies.clear()


def test_a_solved_river_in_two_clicks_then_a_lock_and_a_comparison_by_the_mouse(chromium: Any, served: Served) -> None:
    with opened(chromium, served, "games") as page:
        page.get_by_role("link", name="The study").first.click()
        page.get_by_role("button", name="Solve A river").click()
        page.wait_for_selector("#hands")
        assert page.evaluate("document.querySelector('#hands').clientWidth") > 1100  # all columns are in sight
        page.hover(".left [data-class=KJs]")
        assert page.inner_text("#class caption") == "KJs: 3 hands"  # one of four is blocked by the board
        page.click(".left [data-class=KJs]")
        page.hover(".left [data-class=QJs]")
        assert page.inner_text("#class caption") == "KJs: 3 hands"  # what is clicked stays
        page.click("#hands th:has-text('worth') button")
        keys = page.eval_on_selector_all("#hands tbody tr", "all => all.map((row) => Number(row.cells[2].dataset.v))")
        assert keys == sorted(keys, reverse=True)
        page.click("summary:has-text('Lock this decision')")
        assert page.input_value("#lock-hands") == "KJs"
        page.fill("[name=share0]", "100")
        for number in (1, 2, 3):
            page.fill(f"[name=share{number}]", "0")
        page.click("text=Lock it and solve around it")
        page.wait_for_selector(".locked")
        page.hover(".left [data-class=KJs]")
        assert set(page.eval_on_selector_all("#class tbody tr", "all => all.map((row) => row.cells[4].dataset.v)")) == {
            "1.0"
        }
        page.click("button:has-text('Compare')")
        page.wait_for_selector(".three")
        changed = page.locator(".three figure").nth(2).locator("[aria-label^='KJs']")
        assert re.fullmatch(r"KJs: \+\d+ %", changed.get_attribute("aria-label"))  # freed again, it bets more
        page.click("[data-copy]")
        assert page.inner_text(".command code").startswith("cardai solve --board KsTh7s4d2c")


def test_a_range_is_painted_by_dragging_and_typed_and_the_board_is_clicked(chromium: Any, served: Served) -> None:
    with opened(chromium, served, "study/new") as page:
        first = page.locator("[data-editor=range0]")
        page.wait_for_function("() => document.querySelector('[data-editor=range0] [data-count]').textContent !== ''")
        first.locator("[data-put='']").click()
        first.locator("[data-class=AA]").scroll_into_view_if_needed()
        boxes = [first.locator(f"[data-class={name}]").bounding_box() for name in ("AA", "AKs", "AQs")]
        centres = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
        page.mouse.move(*centres[0])
        page.mouse.down()
        page.mouse.move(*centres[2], steps=8)
        page.mouse.up()
        page.wait_for_function("() => document.querySelector('[name=range0]').value === 'AA,AQs+'")
        first.locator("[data-weight]").fill("50")
        page.mouse.click(*centres[1])
        page.wait_for_function("() => document.querySelector('[name=range0]').value === 'AA,AKs:0.5,AQs'")
        page.mouse.click(*centres[1])  # what has the weight already is taken out
        page.wait_for_function("() => document.querySelector('[name=range0]').value === 'AA,AQs'")
        first.locator("textarea").fill("QQ,JJ:0.25,x")
        page.wait_for_function(
            "() => document.querySelector('[data-editor=range0] [data-wrong]').textContent.includes('cannot be read')"
        )
        first.locator("textarea").fill("QQ,JJ:0.25")
        page.wait_for_function(
            "() => document.querySelector('[data-editor=range0] [data-class=JJ] rect').getAttribute('height') === '25'"
        )
        for card in ("2c", "4d"):
            page.click(f".deck [data-card='{card}']")
        page.click(".deck [data-card='9c']")
        assert page.input_value("[name=board]") == "KsTh7s9c"
        page.wait_for_function(
            "() => document.querySelector('#takes').textContent.includes('boards of the last street')"
        )


@pytest.mark.long
def test_a_spot_is_solved_and_read_by_keys_alone(chromium: Any, served: Served) -> None:
    with opened(chromium, served, "study") as page:
        page.get_by_role("button", name="Solve A river").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#hands")
        page.locator(".left .cell[tabindex='0']").focus()
        for key in ("ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        assert page.inner_text("#class caption").startswith("AQs: ")
        page.keyboard.press("Enter")
        assert page.get_attribute(".left [data-class=AQs]", "aria-pressed") == "true"
        page.locator(".way .now a").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**at=x")
        page.wait_for_selector("#hands")
        assert page.get_attribute(".left [data-class=AA]", "aria-label").startswith("AA: check ")
        assert page.get_attribute("table.grid13", "aria-label") == "button: how often each class of hands does what"


@pytest.mark.long
def test_a_turn_is_stopped_and_its_river_chosen_by_touch_on_a_phone(chromium: Any, served: Served) -> None:
    with opened(chromium, served, "study/new?example=turn", 390, has_touch=True, is_mobile=True) as page:
        page.wait_for_function("() => document.querySelector('[data-editor=range0] [data-count]').textContent !== ''")
        page.locator("[data-editor=range0] [data-class=AA]").tap()
        page.wait_for_function("() => document.querySelector('[name=range0]').value.startsWith('AA,JJ-22,')")
        page.fill("[name=to]", "0.001")
        page.locator(".go button").tap()
        page.wait_for_function("() => document.querySelector('#progress')?.textContent.includes('% wanted')")
        assert page.locator("#progress .curve, #progress [role=status]").count()
        page.locator("button:has-text('Stop')").tap()
        page.wait_for_selector("#hands")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # nothing to scroll sideways
        page.locator(".left [data-class=KJs]").tap()
        assert page.inner_text("#class caption").startswith("KJs: ")
        for seat in range(2):
            page.locator(".way .now a:has-text('check')").tap()
            page.wait_for_selector("#hands" if seat == 0 else ".deck")
            page.wait_for_load_state()
        page.locator(".deck a").first.tap()
        page.wait_for_selector("#hands")
        assert re.search(r"--iterations \d+ --at 'x x As'$", page.inner_text(".command code"))
