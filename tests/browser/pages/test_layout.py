"""Where the parts of a page stand: on one left edge, and as wide as a phone allows."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.stage.accounts import path_of_account_link, sign_in
from tests.table import House

pytestmark = pytest.mark.browser

EDGES = "(all) => all.map((one) => Math.round(document.querySelector(one).getBoundingClientRect().left))"


def open_page_at(browser: Browser, address: str, width: int, height: int) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.goto(address)
    return page


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1600, 900)])
def test_a_pages_footer_is_aligned_with_the_left_edge_of_its_board(
    browser: Browser, home: House, base: str, width: int, height: int
) -> None:
    page = open_page_at(browser, f"{base}/play/{home.token('play', home.begin(), 1)}", width, height)
    board, foot = page.evaluate(EDGES, [".board", ".foot nav a"])
    page.close()
    assert board == foot


@pytest.mark.long
def test_the_match_list_has_times_below_the_words_on_a_narrow_phone(browser: Browser, home: House, base: str) -> None:
    match_id = home.begin()
    home.play(match_id, 1)
    context = browser.new_context(viewport={"width": 360, "height": 740}, locale="en-GB")
    page = sign_in(context, base, path_of_account_link(home, "Bob"))
    page.goto(f"{base}/")
    row = page.locator(".mine a").first

    def boxes() -> tuple[Any, Any]:
        return row.locator("b").bounding_box(), row.locator("em").bounding_box()

    words, time = boxes()
    assert time["x"] == words["x"]
    assert time["y"] >= words["y"] + words["height"] - 1
    page.set_viewport_size({"width": 1280, "height": 800})
    words, time = boxes()
    assert time["x"] >= words["x"] + words["width"]
    context.close()
