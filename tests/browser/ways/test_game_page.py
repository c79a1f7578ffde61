"""The page of a game: what it wants is on its first screen, in every size, language and theme, without a script."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pbem.games import all_games
from tests.browser.accessible.axe import open_reader
from tests.browser.turns.measure import SETTLED

pytestmark = pytest.mark.browser

PHONES = ((360, 740), (390, 844), (844, 390))
SIZES = (*PHONES, (1280, 800), (1600, 900))
BYTES = 150_000
FINGER = 44
LOOK = """() => {
  const shown = (one) => one.checkVisibility() && one.getClientRects().length > 0;
  const bottom = (one) => one.getBoundingClientRect().bottom;
  const size = (one) => { const box = one.getBoundingClientRect(); return Math.min(box.width, box.height); };
  const links = [...document.querySelectorAll("main :is(.chip, .ctl, button)")].filter(shown);
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    play: bottom(document.querySelector("main .play")),
    goal: bottom(document.querySelector("main .goal")),
    small: links.filter((one) => size(one) < FINGER - 0.1).map((one) => one.textContent),
  };
}"""


def open_and_measure(browser: Browser, url: str, size: tuple[int, int], **more: Any) -> tuple[Page, dict[str, Any]]:
    """Opens the page in a window of this size, and measures it."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, **more)
    answer = page.goto(url)
    assert answer is not None
    assert len(answer.body()) < BYTES
    page.evaluate(SETTLED)
    return page, page.evaluate(LOOK.replace("FINGER", str(FINGER)))


@pytest.mark.parametrize(
    ("slug", "size"),
    [
        pytest.param(slug, size, marks=() if slug == "hogen" and size == (360, 740) else pytest.mark.long)
        for slug in all_games()
        for size in SIZES
    ],
)
def test_a_games_page_has_goal_and_start_button_on_the_first_screen(
    browser: Browser, base: str, slug: str, size: tuple[int, int]
) -> None:
    for lang in ("fr", "en"):
        page, found = open_and_measure(browser, f"{base}/games/{slug}?lang={lang}", size)
        assert found["wide"] == 0, lang
        assert found["goal"] < found["play"] <= size[1], lang
        assert found["small"] == [], lang
        page.close()


@pytest.mark.parametrize(
    "slug", ["hogen", *(pytest.param(s, marks=pytest.mark.long) for s in sorted({*all_games()} - {"hogen"}))]
)
def test_axe_accepts_a_games_page(browser: Browser, base: str, slug: str) -> None:
    with open_reader(browser, base) as reader:
        reader.see(slug, f"/games/{slug}")


def test_without_scripts_a_games_page_starts_a_match_with_bots_chosen(browser: Browser, base: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{base}/games/hogen?lang=en")
    page.get_by_label("Easy", exact=True).check(force=True)
    page.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/play/**")
    assert "Hogen" in page.title()
    page.close()
