"""The page of a game whose board has one shape, such as `pbem new-game` writes: nothing on it is far from the board."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from pbem import create_app
from tests.docs.gallery import house, serve_pages
from tests.harness.cases import cases
from tests.kit.game.conftest import install

pytestmark = [pytest.mark.browser, pytest.mark.long]
__all__ = ["install"]

BOX = "(one) => { const { left, right, top, bottom } = document.querySelector(one).getBoundingClientRect();\
 return [left, right, top, bottom]; }"
NEAR_PX = 30


@pytest.fixture
def address(install: None) -> Iterator[str]:
    """The page of a seat that can roll or hold, in a match of Pig at four seats."""
    with house() as opened:
        match_id = opened.begin(4, "pig")
        while len(opened.view(match_id, seat := opened.asks(match_id)[0].seat).legal()) == 1:
            opened.play(match_id, seat)
        token = opened.token("play", match_id, seat)
        with serve_pages(create_app(site=opened.site)) as base:
            yield f"{base}/play/{token}"


def box(page: Page, what: str) -> tuple[float, float, float, float]:
    left, right, top, bottom = page.evaluate(BOX, what)
    return left, right, top, bottom


@cases("size", ["360x740", "780x1000", "1280x800", "1920x1080"])
def test_button_and_players_are_near_a_board_drawn_in_only_one_shape(browser: Browser, address: str, size: str) -> None:
    wide, high = map(int, size.split("x"))
    page = browser.new_page(viewport={"width": wide, "height": high}, reduced_motion="reduce")
    page.goto(address)
    page.locator(".board a").first.click(force=True)
    page.locator(".confirm").wait_for()
    left, right, top, bottom = box(page, ".board > svg")
    assert page.evaluate("document.documentElement.scrollWidth") == wide
    assert right - left >= min(wide, 390)
    confirm, players = box(page, ".confirm"), box(page, ".below")
    assert max(confirm[2] - bottom, top - confirm[3]) <= NEAR_PX
    assert 0 <= players[2] - bottom <= NEAR_PX
    assert players[3] <= high
    page.close()
