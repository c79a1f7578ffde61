"""The quiet menu of a seat's page: opened and closed by hand, by the keyboard, without scripts and by an old link."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessible.axe import Reader
from tests.browser.games import DESKTOP
from tests.browser.stage.playing import path_to
from tests.table import House

pytestmark = pytest.mark.browser

SMALL = {"width": 360, "height": 740}
LEAST = 44
"""The least height and width of what is touched, in px."""


def page_of(browser: Browser, home: House, base: str, size: dict[str, int], rest: str = "", **more: object) -> Page:
    """A seat's page; the match has just begun."""
    page = browser.new_page(viewport=size, locale="en-GB", **more)  # type: ignore[arg-type]
    page.goto(f"{base}{path_to(home, home.begin(3), 1)}{rest}")
    return page


@pytest.mark.sample(1)
@pytest.mark.parametrize("size", [SMALL, DESKTOP], ids=["phone", "desktop"])
def test_menu_rows_are_large_enough_and_the_open_menu_fits_the_screen(
    browser: Browser, home: House, base: str, size: dict[str, int]
) -> None:
    page = page_of(browser, home, base, size)
    button, sheet = page.locator(".menu > summary"), page.locator(".sheet")
    expect(sheet).to_be_hidden()
    button.click()
    boxes = [one.bounding_box() for one in [button, *sheet.locator("a:visible, button:visible, label:visible").all()]]
    assert all(box and min(box["width"], box["height"]) >= LEAST for box in boxes), boxes
    box = sheet.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]
    page.close()


@pytest.mark.long
def test_escape_or_a_touch_outside_closes_the_menu(browser: Browser, home: House, base: str) -> None:
    page = page_of(browser, home, base, DESKTOP)
    url, button, sheet = page.url, page.locator(".menu > summary"), page.locator(".sheet")
    button.focus()
    page.keyboard.press("Enter")
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    page.mouse.click(5, DESKTOP["height"] - 5)
    expect(sheet).to_be_hidden()
    assert page.url == url
    button.click()
    sheet.get_by_role("button", name="Keyboard").click()
    expect(page.locator("#keys")).to_be_visible()
    expect(sheet).to_be_hidden()
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("row", ["orders", "talk", "note"])
def test_without_scripts_old_links_to_orders_and_talk_open_the_menu(
    browser: Browser, home: House, base: str, row: str
) -> None:
    page = page_of(browser, home, base, SMALL, f"#{row}", java_script_enabled=False)
    link = page.locator(f"#{row} a")
    expect(link).to_be_in_viewport()
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Decide ahead" if row == "orders" else "Talk")
    page.close()


@pytest.mark.long
def test_the_open_menu_has_no_fault_that_axe_finds(browser: Browser, home: House, base: str) -> None:
    reader = Reader(browser, base)
    page = reader.go(path_to(home, home.begin(3), 1))
    page.locator(".menu > summary").click()
    reader.look("the menu")
    reader.context.close()
    assert not reader.found
