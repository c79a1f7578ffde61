"""Nothing jumps on a page while one chooses, plays or steps: the sum of its layout shifts stays small.

The browser forgives a page what it shifts within half a second of a click. Here nothing is forgiven: scripts click.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem import create_app
from tests.browser.axe import DESKTOP, PHONE
from tests.gallery import advance, house, served
from tests.table import House

pytestmark = pytest.mark.browser

GAMES = ("allegeance", "hagakure", "hexen-rennen", "hogen", "niigata")
SIZES = [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop")]
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


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    """A house whose pages are served."""
    with house() as opened:
        yield opened


@pytest.fixture(scope="module")
def base(home: House) -> Iterator[str]:
    """Where its pages are served."""
    with served(create_app(site=home.site)) as address:
        yield address


@contextmanager
def watching(browser: Browser, size: dict[str, int]) -> Iterator[Page]:
    """A page; what has shifted on it by the end fails the test."""
    context = browser.new_context(viewport=size, locale="en-GB")  # type: ignore[arg-type]
    context.add_init_script(WATCH)
    try:
        page = context.new_page()
        yield page
        page.evaluate(SETTLED)
        shifted, moved = page.evaluate("[window.shifted, window.moved]")
    finally:
        context.close()
    assert shifted < MOST, "\n".join(moved)


def click(page: Page, selector: str) -> None:
    """A click that the browser does not take for a reader's."""
    page.evaluate(SETTLED)
    page.locator(selector).first.evaluate(
        "node => node.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))"
    )


def test_a_shift_is_noticed(browser: Browser, base: str) -> None:
    with pytest.raises(AssertionError, match="main"), watching(browser, PHONE) as page:
        page.goto(base)
        page.evaluate(SETTLED)
        page.evaluate("document.querySelector('header').after(document.createElement('textarea'))")
        page.evaluate("document.querySelector('textarea').rows = 12")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_shifts_while_one_chooses_and_plays(
    browser: Browser, home: House, base: str, game: str, size: dict[str, int]
) -> None:
    match_id = home.begin(3, game)
    advance(home, match_id, 9)
    with watching(browser, size) as page:
        page.goto(f"{base}/play/{home.token('play', match_id, home.asked(match_id)[0].seat)}")
        for _ in range(12):
            if page.locator("form.confirm").count():
                break
            before = page.url
            click(page, ".todo a.opt")
            expect(page).not_to_have_url(before)
        click(page, "form.confirm button")
        expect(page.locator(".notice[role=status]").first).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_shifts_while_one_steps_through_a_replay(
    browser: Browser, home: House, base: str, game: str, size: dict[str, int]
) -> None:
    match_id = home.begin(3, game)
    advance(home, match_id, 30)
    with watching(browser, size) as page:
        page.goto(f"{base}/play/{home.token('play', match_id, 1)}/replay?step=2")
        slider = page.locator("#step")
        for step in range(3, 16):
            click(page, "#next")
            expect(slider).to_have_value(str(step))
        for control in ("#last", "#prev", "#first"):
            click(page, control)
            page.evaluate(SETTLED)
