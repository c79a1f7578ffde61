"""Nothing on a page jumps while a reader chooses or steps through a replay: layout shifts stay small.

Browsers ignore shifts within half a second of a click by a user. Scripts click here, so every shift counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.games import EACH, ONE, PHONE, SIZES
from tests.docs.gallery import advance_match
from tests.harness.waiting import SECONDS
from tests.table import House

pytestmark = pytest.mark.browser

MOST = 0.05
WATCH = """
window.shifted = 0;
window.moved = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    window.shifted += entry.value;
    for (const source of entry.sources) {
      const node = source.node?.nodeType === 1 ? source.node : source.node?.parentElement;
      window.moved.push(`${entry.value.toFixed(3)} ${node?.outerHTML.slice(0, 80)}`);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))"
PUSH = "document.querySelector('header').after(Object.assign(document.createElement('textarea'), { rows: 12 }))"


@contextmanager
def page_counting_shifts(browser: Browser, size: dict[str, int]) -> Iterator[Page]:
    """A page that counts what shifts on it."""
    context = browser.new_context(viewport=size, locale="en-GB")  # type: ignore[arg-type]
    context.set_default_timeout(SECONDS * 1000)
    context.add_init_script(WATCH)
    try:
        yield context.new_page()
    finally:
        context.close()


def sum_of_shifts(page: Page) -> tuple[float, str]:
    """The sum of the layout shifts so far, and what they were, a line each."""
    page.evaluate(SETTLED)
    total, moved = page.evaluate("[window.shifted, window.moved]")
    return float(total), "\n".join(moved)


def assert_still(page: Page) -> None:
    """Fails if too much has shifted since the last call; one call covers one change of the page."""
    total, moved = sum_of_shifts(page)
    assert total < MOST, moved
    page.evaluate("window.shifted = 0, window.moved = []")


def click_by_script(page: Page, choice: Locator) -> None:
    """Clicks in a way that the browser does not count as user input."""
    page.evaluate(SETTLED)
    choice.dispatch_event("click")


@pytest.mark.long
def test_the_layout_shift_check_notices_a_shift(browser: Browser, base: str) -> None:
    with page_counting_shifts(browser, PHONE) as page:
        page.goto(base)
        page.evaluate(SETTLED)
        page.evaluate(PUSH)
        page.wait_for_function("window.shifted > 0")
        total, moved = sum_of_shifts(page)
    assert total > MOST
    assert "<main" in moved


@pytest.mark.sample(1)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", EACH)
def test_no_element_of_the_page_shifts_while_a_move_is_chosen(
    browser: Browser, home: House, base: str, game: str, size: dict[str, int]
) -> None:
    match_id = home.begin(3, game)
    advance_match(home, match_id, 9)
    with page_counting_shifts(browser, size) as page:
        page.goto(f"{base}/play/{home.token('play', match_id, home.asks(match_id)[0].seat)}")
        url = page.url
        for at in (0, -1):
            for _ in range(12):
                if page.locator("form.confirm").count():
                    break
                before = page.url
                click_by_script(page, page.locator(".todo a.opt").nth(at))
                expect(page).not_to_have_url(before)
                assert_still(page)
            expect(page.locator("form.confirm")).to_be_visible()
            while page.url != url:
                before = page.url
                page.go_back()
                expect(page).not_to_have_url(before)
                assert_still(page)
            expect(page.locator("form.confirm")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", ONE)
def test_no_element_of_the_page_shifts_while_stepping_a_replay(
    browser: Browser, home: House, base: str, game: str, size: dict[str, int]
) -> None:
    match_id = home.begin(3, game)
    advance_match(home, match_id, 30)
    with page_counting_shifts(browser, size) as page:
        page.goto(f"{base}/play/{home.token('play', match_id, 1)}/replay?step=2")
        slider = page.locator("#step")
        last = int(slider.get_attribute("max") or "0")
        steps = [("#next", step) for step in range(3, 16)]
        for control, step in [*steps, ("#last", last), ("#prev", last - 1), ("#first", 1)]:
            click_by_script(page, page.locator(control))
            expect(slider).to_have_value(str(step))
            assert_still(page)
