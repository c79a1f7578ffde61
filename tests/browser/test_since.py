"""What the others did since one's own last move slides by on the board: once, until one touches anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.games import DESKTOP, PHONE
from tests.browser.stage.playing import advance, open_browser, path_to, who_is_asked
from tests.table import House

pytestmark = pytest.mark.browser

COVER = "figure.board > .since"
SKIP = ".head > .skip-slide"
COVERED = """() => {
  const button = document.querySelector(".skip-slide").getBoundingClientRect();
  const meets = (box) => box.width && box.left < button.right && box.right > button.left && box.top < button.bottom
    && box.bottom > button.top;
  return [...document.querySelectorAll("#main *")]
    .filter((one) => !one.closest(".skip-slide") && getComputedStyle(one).visibility === "visible")
    .filter((one) => one.matches("figure") || [...one.childNodes].some(({ data }) => data?.trim()))
    .filter((one) => [...one.getClientRects()].some(meets)).map((one) => one.textContent.slice(0, 40));
}"""
"""What the button that skips the animation covers: the board, or any text."""
STANDS_STILL = """
const later = window.setTimeout;
window.setTimeout = (act, time, ...more) => later(act, time === 900 ? 1e6 : time, ...more);
"""
"""A step lasts until somebody touches something, however slow the machine is."""
MEASURE = """() => {
  const box = (node) => { const { x, y, width } = node.getBoundingClientRect(); return [x, y, width].map(Math.round); };
  const shown = (nodes) => [...nodes].filter((node) => node.getClientRects().length && !node.classList.contains("off"));
  const size = (svg, name) => parseFloat(getComputedStyle(svg)[name]);
  const [under] = shown(document.querySelectorAll("figure.board > svg"));
  const [above] = shown(document.querySelectorAll(".since svg"));
  const [x, y, width] = box(under), edge = Math.round(size(under, "borderLeftWidth") + size(under, "paddingLeft"));
  const same = under.classList[0] === above.classList[0];
  return { under: [x + edge, y + edge, width - 2 * edge], above: box(above), same };
}"""


@pytest.fixture(params=["desktop", pytest.param("phone", marks=pytest.mark.long)])
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A reader; any error they meet fails the test."""
    yield from open_browser(browser, PHONE if request.param == "phone" else DESKTOP)


@pytest.fixture
def waiting(home: House) -> tuple[str, int]:
    """A match, and a seat that has a choice after the others have moved."""
    match_id = home.begin(3, "hagakure")
    advance(home, match_id, 8)
    seat = who_is_asked(home, match_id)
    while not (others_moved(home, match_id, seat) and home.view(match_id, seat).legal()[1:]):
        home.bot_plays(match_id, seat)
        seat = who_is_asked(home, match_id)
    return match_id, seat


def others_moved(home: House, match_id: str, seat: int) -> bool:
    """Whether the seat can see that somebody else has decided something since its own last move."""
    view = home.view(match_id, seat)
    own = view.last_own()
    since = own.n if own is not None else 0
    return any(entry.answers_for not in (None, seat) for entry in view.entries if entry.n > since)


def open_page(context: BrowserContext, home: House, base: str, where: tuple[str, int]) -> Page:
    page = context.new_page()
    page.goto(base + path_to(home, *where))
    return page


@pytest.mark.long
def test_the_others_moves_slide_by_once_on_top_of_the_board(
    context: BrowserContext, home: House, base: str, waiting: tuple[str, int]
) -> None:
    page = open_page(context, home, base, waiting)
    page.wait_for_selector(COVER)
    page.wait_for_selector(COVER, state="detached")  # it comes to its end
    page.reload()
    page.wait_for_timeout(500)
    expect(page.locator(COVER)).to_have_count(0)


@pytest.mark.long
def test_what_slides_lies_exactly_on_the_board(
    context: BrowserContext, home: House, base: str, waiting: tuple[str, int]
) -> None:
    context.add_init_script(STANDS_STILL)
    page = open_page(context, home, base, waiting)
    expect(page.locator(COVER)).to_be_visible()
    measured = page.evaluate(MEASURE)
    assert measured["same"]
    assert measured["above"] == measured["under"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
@pytest.mark.parametrize(
    ("lang", "said"), [pytest.param("en", "Skip the animation", marks=pytest.mark.long), ("fr", "Sauter l’animation")]
)
@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1000, 800), (1280, 800)])
def test_the_button_that_skips_the_animation_covers_nothing(
    context: BrowserContext,
    home: House,
    base: str,
    waiting: tuple[str, int],
    size: tuple[int, int],
    lang: str,
    said: str,
) -> None:
    context.add_init_script(STANDS_STILL)
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{base}{path_to(home, *waiting)}?lang={lang}")
    expect(page.locator(SKIP)).to_be_in_viewport()
    expect(page.locator(SKIP)).to_have_text(said)
    assert page.evaluate(COVERED) == []


@pytest.mark.long
@pytest.mark.parametrize("how", ["button", *(pytest.param(how, marks=pytest.mark.long) for how in ("board", "Escape"))])
def test_a_player_who_touches_anything_goes_on_at_once(
    context: BrowserContext, home: House, base: str, waiting: tuple[str, int], how: str
) -> None:
    context.add_init_script(STANDS_STILL)
    page = open_page(context, home, base, waiting)
    expect(page.locator(COVER)).to_be_visible()
    url = page.url
    match how:
        case "button":
            page.locator(SKIP).click()
        case "board":
            page.locator(COVER).click(position={"x": 40, "y": 40})
        case key:
            page.keyboard.press(key)
    expect(page.locator(COVER)).to_have_count(0)
    assert page.url == url, "nothing is chosen by it"
    page.locator(".todo a.opt:visible").first.click()
    expect(page).to_have_url(re.compile("pick="))
    expect(page.locator(COVER)).to_have_count(0)


@pytest.mark.long
def test_after_ones_own_move_the_answers_of_the_others_slide_by(
    context: BrowserContext, home: House, base: str, waiting: tuple[str, int]
) -> None:
    page = open_page(context, home, base, waiting)
    page.wait_for_selector(COVER)
    page.wait_for_selector(COVER, state="detached")
    match_id, seat = waiting
    home.bot_plays(match_id, seat)
    while not others_moved(home, match_id, seat):
        home.bot_plays(match_id, who_is_asked(home, match_id), 1)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(COVER)).to_be_visible()


@pytest.mark.long
def test_nothing_moves_for_the_player_who_wants_no_motion(
    browser: Browser, home: House, base: str, waiting: tuple[str, int]
) -> None:
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    page.goto(base + path_to(home, *waiting))
    page.wait_for_timeout(500)
    assert page.locator(COVER).count() == 0
    assert not any("since.json" in url for url in asked_for)
    context.close()
