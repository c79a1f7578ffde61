"""The planning board in a browser: it cannot be taken for the match, works by keyboard, and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem.features.planning import plans
from pbem.services.play import ordering
from tests.browser.accessible.axe import open_reader
from tests.browser.games import DESKTOP, GAMES, PHONE, click_and_wait
from tests.docs.gallery import advance_match
from tests.table import House, claim_of

pytestmark = pytest.mark.browser

MATCHES = 5

VERMILION = """(seal) => {
  const wanted = getComputedStyle(document.documentElement).getPropertyValue("--seal").trim();
  const probe = document.createElement("i");
  probe.style.color = wanted;
  document.body.append(probe);
  const red = getComputedStyle(probe).color;
  probe.remove();
  const names = ["color", "backgroundColor", "borderTopColor", "borderBottomColor", "fill", "stroke", "outlineColor"];
  return [...document.querySelectorAll("body *")]
    .filter((one) => !one.closest(seal) && !one.closest("defs, symbol"))
    .filter((one) => names.some((name) => getComputedStyle(one)[name] === red))
    .map((one) => one.outerHTML.slice(0, 120));
}"""
FILLED = """() => [...document.querySelectorAll("main button, main a.ctl, main a.opt")]
  .filter((one) => getComputedStyle(one).borderTopStyle !== "dashed" && !one.classList.contains("link"))
  .map((one) => one.outerHTML)"""


def begin_match(home: House, game: str) -> tuple[str, int]:
    """A match that is on its way, and a seat that has something to think about."""
    match_id = home.begin(3, game)
    advance_match(home, match_id, 12)
    while len(home.asks(match_id)) > 1:
        advance_match(home, match_id, 1)
    return match_id, (home.asks(match_id)[0].seat + 1) % 3


def path_of_board(home: House, match_id: str, seat: int) -> str:
    return f"/play/{home.token('play', match_id, seat)}/plan?lang=en"


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize("game", GAMES)
def test_axe_accepts_the_planning_board(browser: Browser, home: House, base: str, game: str) -> None:
    match_id, seat = begin_match(home, game)
    with open_reader(browser, base) as reader:
        page = reader.see("planning board", path_of_board(home, match_id, seat))
        for ply in range(3):
            if not page.locator(".opt").count():
                break
            click_and_wait(page, page.locator(".opt").first)
            reader.look(f"planning board, step {ply + 1}")
        if page.get_by_role("button", name="Keep this line").count():
            click_and_wait(page, page.get_by_role("button", name="Keep this line"))
            reader.look("planning board, kept")


@pytest.mark.long
@pytest.mark.parametrize("screen", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("game", ["niigata", "hexen-rennen"])
def test_the_planning_board_looks_different_from_the_match(
    browser: Browser, home: House, base: str, game: str, screen: dict[str, int]
) -> None:
    """Besides squared paper: indigo, dashes around all that can be chosen and around the board, and a band."""
    match_id, seat = begin_match(home, game)
    context = browser.new_context(
        viewport={"width": screen["width"], "height": screen["height"]}, java_script_enabled=True
    )
    page = context.new_page()
    page.goto(base + path_of_board(home, match_id, seat))
    while page.locator(".opt").count() and page.locator(".line-so-far li").count() < 4:
        click_and_wait(page, page.locator(".opt").first)
    click_and_wait(page, page.get_by_role("button", name="Keep this line"))
    assert page.evaluate(VERMILION, ".home") == []
    assert page.evaluate(FILLED) == []
    assert page.evaluate("getComputedStyle(document.querySelector('.board'), '::after').borderTopStyle") == "dashed"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
    if screen is PHONE:
        page.evaluate("scrollTo(0, 600)")
    band = page.locator(".band").bounding_box()
    assert band is not None
    assert 0 <= band["y"] < screen["height"] / 3, "it stays in sight"
    context.close()


@pytest.mark.long
def test_moves_are_planned_and_saved_by_keyboard_without_scripts(browser: Browser, home: House, base: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    save = page.get_by_role("button", name="Save as an order")
    for _ in range(MATCHES):  # in some, the first choices lead to no question that an order could answer
        match_id, seat = begin_match(home, "niigata")
        page.goto(f"{base}{path_of_board(home, match_id, seat)}")
        while not save.count() and page.locator(".opt").count():
            _press(page, page.locator(".opt").first.inner_text())
        if save.count():
            break
    _press(page, "Keep this line")
    said = page.get_by_role("region", name="News").locator(".item:visible p")
    expect(said).to_have_text("The line is kept.")
    _press(page, "Save as an order")
    expect(said).to_contain_text("Saved as an order")
    claim = claim_of(home.site, match_id, seat)
    assert len(plans.read_board(home.site, claim, None, ()).lines) == 1
    assert ordering.read_orders(home.site, claim).orders
    context.close()


def _press(page: Page, name: str) -> None:
    """Goes by Tab to the link or button of this name, and presses Enter."""
    for _ in range(200):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if focused.count() and focused.inner_text().strip() == name.strip():
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError(f"{name!r} cannot be reached by keyboard")
