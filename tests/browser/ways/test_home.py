"""The navigation, the first page and a player's list: on the first screen of every size, and with few words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page

from pbem.services.lobby import matches
from tests.browser.accessible.axe import open_reader
from tests.browser.stage.accounts import path_of_account_link, sign_in
from tests.browser.turns.measure import SETTLED, measure_page
from tests.browser.ways.screens import LANGS, LEAST, SCREENS, bottom_of_element, open_screen, too_small
from tests.table import House

pytestmark = pytest.mark.browser

MOST = {"en": 202, "fr": 220}
"""Words of the first page: half of what it had."""
BAR = """() => {
  const bar = document.querySelector(".bar"), boxes = [...bar.querySelectorAll(".home, .entries a, .me")]
    .map((one) => one.getBoundingClientRect());
  return { height: bar.getBoundingClientRect().height, top: Math.max(...boxes.map((one) => one.top)),
    left: boxes.map((one) => Math.round(one.left)), wide: document.documentElement.scrollWidth - innerWidth,
    least: Math.min(...boxes.flatMap((one) => [one.width, one.height])) };
}"""
NEAR = """() => {
  const badge = document.querySelector(".entries .waits").getBoundingClientRect();
  return Math.min(...[...document.querySelectorAll(".entries a")].map((entry) => {
    const words = document.createRange();
    words.selectNode(entry.firstChild);
    const box = words.getBoundingClientRect(), ink = box.height / 4;
    return Math.max(box.left - badge.right, badge.left - box.right, box.top + ink - badge.bottom);
  }));
}"""
"""How many px the number of what waits is away from the nearest word."""
LETTERS = """(size) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`html { font-size: ${size}px !important }`);
  document.adoptedStyleSheets = [sheet];
}"""


@pytest.fixture(scope="module")
def bobs_house(home: House) -> House:
    """Bob has a match that waits for him, one in which others are up, and an invitation."""
    home.begin(3)
    home.play(home.begin(3), 1)
    invited = home.create(3, "niigata")
    matches.confirm_match(home.site, home.claim("confirm", invited, 0), "en", "Europe/Paris")
    return home


@contextmanager
def bobs_page(
    browser: Browser, home: House, base: str, size: str, lang: str = "en", scheme: str = "light"
) -> Iterator[Page]:
    width, height = map(int, size.split("x"))
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-GB")
    page = sign_in(context, base, path_of_account_link(home, "Bob"))
    page.goto(f"{base}/?lang={lang}")
    yield page
    context.close()


# --- the navigation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", pytest.param("fr", marks=pytest.mark.long)])
@pytest.mark.parametrize("size", ["360x740", *(pytest.param(one, marks=pytest.mark.long) for one in SCREENS[1:])])
def test_the_navigation_is_one_row_at_the_same_place_on_every_page(
    browser: Browser, bobs_house: House, base: str, size: str, lang: str
) -> None:
    with bobs_page(browser, bobs_house, base, size, lang) as page:
        found = []
        for path in ("/", "/games", "/circles", "/leagues", "/me", "/help"):
            page.goto(f"{base}{path}")
            found.append(page.evaluate(BAR))
            assert found[-1]["height"] == 48, path
            assert found[-1]["top"] < 4, path
            assert found[-1]["wide"] <= 0, path
            assert found[-1]["least"] >= LEAST, path
        assert {one["left"][0] for one in found} == {found[0]["left"][0]}
        assert {one["left"][-1] for one in found} == {found[0]["left"][-1]}


@pytest.mark.parametrize("lang", ["fr", pytest.param("en", marks=pytest.mark.long)])
def test_the_number_of_waiting_matches_overlaps_no_text(
    browser: Browser, bobs_house: House, base: str, lang: str
) -> None:
    for size in ("360x740", "390x844", "1280x800"):
        with bobs_page(browser, bobs_house, base, size, lang) as page:
            page.evaluate(SETTLED)
            near = page.evaluate(NEAR)
            assert near > (0 if size == "360x740" else 2), size


@pytest.mark.parametrize("path", ["/", "/games"])
def test_the_navigation_pages_fit_with_doubled_text_size(
    browser: Browser, bobs_house: House, base: str, path: str
) -> None:
    for size in ("390x844", "1280x800"):
        with bobs_page(browser, bobs_house, base, size) as page:
            page.goto(f"{base}{path}")
            page.evaluate(LETTERS, 36)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            boxes = [one.bounding_box() for one in page.locator(".bar .entries a").all()]
            assert all(box and box["height"] >= LEAST for box in boxes)


def test_a_keyboard_goes_through_the_navigation_in_its_order(browser: Browser, base: str) -> None:
    with open_screen(browser, "1280x800") as page:
        page.goto(base)
        said = []
        for _ in range(7):
            page.keyboard.press("Tab")
            said.append(page.evaluate("document.activeElement.getAttribute('href')"))
        assert said == ["#main", "/", "/games", "/links", "/circles", "/leagues", "/signup"]


# --- the first page ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_the_first_page_has_few_words(browser: Browser, base: str, lang: str) -> None:
    with open_screen(browser, "390x844", lang) as page:
        page.goto(base)
        assert measure_page(page).words <= MOST[lang]


@pytest.mark.parametrize("size", [SCREENS[0], *(pytest.param(one, marks=pytest.mark.long) for one in SCREENS[1:])])
def test_the_ways_to_play_and_the_first_game_are_on_the_first_screen(browser: Browser, base: str, size: str) -> None:
    height = int(size.partition("x")[2])
    for lang in LANGS:
        with open_screen(browser, size, lang) as page:
            page.goto(base)
            assert bottom_of_element(page.locator(".hero .play")) <= height
            assert bottom_of_element(page.locator(".starts")) <= height
            assert bottom_of_element(page.locator("h2").first) <= height
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            assert too_small(page) == []


def test_the_first_page_says_what_play_now_starts(browser: Browser, base: str) -> None:
    for lang in LANGS:
        with open_screen(browser, "360x740", lang) as page:
            page.goto(base)
            said, begun = page.locator(".starts").inner_text(), page.locator(".starts a").first.inner_text()
            assert {"en": "against bots", "fr": "contre des robots"}[lang] in said
            lesson = page.locator(".starts a").last.get_attribute("href")
            page.locator(".hero .play").click()
            page.wait_for_url("**/play/**")
            assert page.title().count(begun) == 1
            assert lesson == "/games/allegeance/learn"


def test_how_long_a_game_takes_is_one_line_on_its_card(browser: Browser, base: str) -> None:
    for lang, by in (("en", "days by email"), ("fr", "jours par courriel")):
        with open_screen(browser, "360x740", lang) as page:
            page.goto(f"{base}/games")
            lines = page.locator(".gcard .muted").all()
            assert all(by in line.inner_text() for line in lines)
            boxes = [line.bounding_box() for line in lines]
            assert all(box and box["height"] < LEAST for box in boxes)


def test_a_games_cover_and_title_link_to_its_page(browser: Browser, base: str) -> None:
    with open_screen(browser, "390x844") as page:
        for link in (".gcard .cover", ".gcard h3 a"):
            page.goto(base)
            page.locator(link).first.click()
            page.wait_for_url("**/games/allegeance")


def test_without_scripts_one_press_of_play_now_leads_to_a_board(browser: Browser, base: str) -> None:
    with open_screen(browser, "360x740", scripts=False) as page:
        page.goto(base)
        page.locator(".gcard").nth(1).get_by_role("button").click()
        page.wait_for_url("**/play/**")
        assert page.locator("figure.board").count()


# --- a player's matches ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SCREENS[0], *(pytest.param(one, marks=pytest.mark.long) for one in SCREENS[1:])])
def test_waiting_matches_are_on_the_first_screen_and_large_enough_to_touch(
    browser: Browser, bobs_house: House, base: str, size: str
) -> None:
    for lang in LANGS:
        with bobs_page(browser, bobs_house, base, size, lang) as page:
            page.evaluate(SETTLED)
            assert page.locator(".mine.now a").count() == 2
            assert bottom_of_element(page.locator(".mine.now a").first) <= int(size.partition("x")[2])
            rows = [one.bounding_box() for one in page.locator(".mine a").all()]
            assert all(row and row["height"] >= LEAST for row in rows)
            assert too_small(page) == []
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_two_taps_lead_from_the_match_list_to_a_chosen_move(browser: Browser, bobs_house: House, base: str) -> None:
    with bobs_page(browser, bobs_house, base, "390x844") as page:
        page.locator(".mine.now a").first.click()
        page.wait_for_url("**/play/**")
        page.locator("figure.board a[href*='pick=']:visible").first.click()
        page.locator("form.confirm").wait_for()


def test_axe_accepts_the_home_pages(browser: Browser, bobs_house: House, base: str) -> None:
    with open_reader(browser, base) as reader:
        for what, path in (("start", "/"), ("games", "/games"), ("circles", "/circles")):
            reader.see(what, path)
        page = reader.go(path_of_account_link(bobs_house, "Bob"))
        page.locator("main form button").first.click()
        page.wait_for_url(f"{base}/")
        reader.look("matches")


@pytest.mark.long
def test_axe_accepts_the_home_pages_in_french_and_on_a_desktop(browser: Browser, bobs_house: House, base: str) -> None:
    with open_reader(browser, base, {"width": 1280, "height": 800}, "fr") as reader:
        for what, path in (("start", "/"), ("games", "/games"), ("circles", "/circles")):
            reader.see(what, path)
        page = reader.go(path_of_account_link(bobs_house, "Bob"))
        page.locator("main form button").first.click()
        page.wait_for_url(f"{base}/")
        reader.look("matches")
