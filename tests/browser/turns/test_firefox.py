"""A turn of each game in Firefox: news, cards, a choice, its confirmation, taking it back; the menu by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.browser.games import GAMES, choose_move, play_move
from tests.browser.turns.measure import measure_page
from tests.browser.turns.states import Stage, open_stage
from tests.docs.gallery import serve_pages
from tests.harness.firefox import open_firefox
from tests.harness.waiting import SECONDS

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.timeout(1800)]

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def firefox(playwright: Playwright) -> Iterator[Browser]:
    """A Firefox without motion on light paper."""
    with open_firefox(playwright, "light", "still") as browser:
        yield browser


@pytest.fixture(params=[PHONE, DESKTOP], ids=["phone", "desktop"])
def page(firefox: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page in Firefox; any error on it fails the test."""
    context = firefox.new_context(viewport=request.param, locale="en-GB")
    context.set_default_timeout(SECONDS * 1000)
    opened, troubles = context.new_page(), list[str]()
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    yield opened
    context.close()
    assert not troubles


PRESS = """() => {
  const cards = [...document.querySelectorAll(".card button")].filter((one) => one.checkVisibility());
  const further = cards[0] ?? document.querySelector(".slot .next.unread");
  further?.click();
  return Boolean(further);
}"""
"""Goes on from a card or a line, and says whether there was one; the page may renew its buttons at any moment."""


def read_all(page: Page) -> int:
    """Pages until nothing is unread, with a tap on each card; returns the number of taps."""
    for taps in range(100):
        if not page.evaluate(PRESS):
            return taps
    raise AssertionError("the news never end")


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_is_read_chosen_played_and_taken_back(page: Page, game: str) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        stage = Stage(home, app, game, 3)
        path = stage.card() or stage.read_until(1)
        assert path is not None
        page.goto(base + path)
        top = measure_page(page).top
        assert read_all(page)
        assert measure_page(page).cut == []
        choose_move(page)
        assert measure_page(page).cut == []
        assert measure_page(page).top == top
        page.locator(".confirm .ctl").click()
        expect(page.locator("form.confirm")).to_have_count(0)
        choose_move(page)
        play_move(page)
        assert (measure_page(page).cut, measure_page(page).top) == ([], top)
        free = stage.after_move("held")
        if free is not None:
            page.goto(base + free)
            page.locator(".item.mine:visible form button").first.click()
            expect(page).to_have_url(re.compile("done=undone"))
            assert (measure_page(page).cut, measure_page(page).top) == ([], top)


def test_the_menu_opens_and_closes_by_the_keyboard(page: Page) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        page.goto(base + str(Stage(home, app, "hogen", 3).waiting()))
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.menu > summary')"):
                break
        page.keyboard.press("Enter")
        expect(page.locator(".sheet")).to_be_visible()
        page.keyboard.press("Tab")
        assert page.evaluate("Boolean(document.activeElement.closest('.sheet'))")
        page.keyboard.press("Escape")
        expect(page.locator(".sheet")).to_be_hidden()
        expect(page.locator(".menu > summary")).to_be_focused()
