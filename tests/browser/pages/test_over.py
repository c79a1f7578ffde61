"""The page of a match that is over: who won and what comes next on the first screen, and the board where it stood."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.accessible.axe import open_reader
from tests.browser.games import GAMES, ONE, read_cards
from tests.docs.gallery import END, advance_match, seats_of
from tests.table import House

pytestmark = pytest.mark.browser

PHONES = [(390, 844), (360, 740)]
SCREENS = [*PHONES, (844, 390), (1280, 800), (1366, 768), (1600, 900)]
SMALL = """() => [...document.querySelectorAll("main :is(a, button, summary)")]
  .filter((one) => !one.closest("svg, p") && one.checkVisibility({ contentVisibilityAuto: true }))
  .filter((one) => !one.closest("details:not([open])") || one.matches("summary"))
  .filter((one) => Math.round(one.getBoundingClientRect().height) < 44)
  .map((one) => one.outerHTML.slice(0, 120))"""
WORDS = """() => [...document.querySelectorAll("main *:not(svg *, script, .hidden)")]
  .filter((one) => one.checkVisibility({ contentVisibilityAuto: true }) && !one.closest("svg, .hidden"))
  .filter((one) => !one.closest("details:not([open]) > :not(summary)"))
  .flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3))
  .flatMap((node) => node.data.split(/\\s+/).filter(Boolean)).length"""
MOST_WORDS = 148
"""Half of what these pages had on average, before they were laid out like this."""


def play_out(home: House, game: str, seats: str = "most") -> str:
    """Returns the path of a seat's page of a match that bots have played to its end."""
    match_id = home.begin(seats_of(game, seats), game)
    advance_match(home, match_id, END)
    return f"/play/{home.token('play', match_id, 1)}"


def open_page(browser: Browser, address: str, size: tuple[int, int]) -> Page:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", locale="en-GB")
    page.goto(address)
    return page


@pytest.mark.parametrize("game", ONE)
def test_a_finished_matchs_first_screen_has_winner_places_and_next_steps(
    browser: Browser, home: House, base: str, game: str
) -> None:
    path = play_out(home, game)
    for size in SCREENS:
        page = open_page(browser, base + path, size)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
        if size in PHONES:
            for part in ("h1", "#again button", "a[href$='/replay']", "[data-part=ranking]"):
                box = page.locator(f"main {part} >> visible=true").first.bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= size[1], (size, part)
            assert page.evaluate(SMALL) == [], size
            assert page.evaluate(WORDS) <= MOST_WORDS
        page.close()


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_on_a_large_screen_the_end_of_a_match_does_not_move_its_board(
    browser: Browser, home: House, base: str, game: str
) -> None:
    running = f"/play/{home.token('play', home.begin(seats_of(game, 'most'), game), 1)}"
    over = play_out(home, game)
    for size in SCREENS[3:]:
        boxes = []
        for path in (running, over):
            page = open_page(browser, base + path, size)
            box = page.locator(".board").bounding_box()
            assert box is not None
            boxes.append([round(box[side]) for side in ("x", "y", "width")])
            page.close()
        assert boxes[0] == boxes[1], size


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize("game", GAMES)
def test_axe_accepts_the_page_of_a_finished_match(browser: Browser, home: House, base: str, game: str) -> None:
    path = play_out(home, game, "fewest")
    with open_reader(browser, base) as reader:
        page = reader.see("the end", f"{path}?lang=en")
        read_cards(page)
        for closed in page.locator(".quiet-rows > details > summary").all():
            closed.click()
        reader.look("the end, all of it open")
