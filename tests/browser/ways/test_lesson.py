"""A lesson is done by touching what is framed, on phones and desktops, without scripts, down to a match of it."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pbem.features.lessons.playing import play_lesson
from pbem.games import all_games
from tests.browser.accessible.axe import reading
from tests.harness.waiting import SECONDS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

TOUCH = ".board a[href]:visible, .pad a[href]:visible, .todo .opt:visible, .ask > .play"
LEAST_PX = 38
"""How high what is touched is at least."""


class Screen(NamedTuple):
    width: int
    height: int


SMALL, LARGE = Screen(360, 740), Screen(1280, 800)
OTHERS = [Screen(390, 844), Screen(844, 390), Screen(1600, 900)]
TAUGHT = [slug for slug, game in all_games().items() if game.lesson is not None]
WAYS = [
    pytest.param("hogen", SMALL, "en", id="hogen small en"),
    *(
        pytest.param(slug, screen, lang, id=f"{slug} {screen.width} {lang}", marks=pytest.mark.long)
        for slug in TAUGHT
        for screen, lang in [(LARGE, "en"), (LARGE, "fr"), (SMALL, "fr"), *((one, "en") for one in OTHERS)]
    ),
]


def visit(browser: Browser, screen: Screen, lang: str, *, scripts: bool = True) -> BrowserContext:
    """A stranger's browser."""
    context = browser.new_context(
        viewport={"width": screen.width, "height": screen.height}, locale=lang, reduced_motion="reduce",
        has_touch=screen.width < 900, java_script_enabled=scripts,
    )  # fmt: skip
    context.set_default_timeout(SECONDS * 1000)
    return context


def touch_next(page: Page, screen: Screen) -> None:
    """Touches what this step has to touch, which is in sight and the only thing that leads on."""
    touch = page.locator(TOUCH)
    assert len({one.get_attribute("href") for one in touch.all()}) == 1, page.url
    for one in touch.all():
        box = one.bounding_box()
        assert box is not None
        assert box["height"] >= LEAST_PX, f"{page.url}: {box}"
        # A phone on its side scrolls its pad.
        assert screen.height < 500 or box["y"] + box["height"] / 2 < screen.height, f"{page.url}: {box}"
    touch.first.click()


@pytest.mark.parametrize(("slug", "screen", "lang"), WAYS)
def test_each_step_leads_on_by_what_is_framed(
    browser: Browser, base: str, slug: str, screen: Screen, lang: str
) -> None:
    context = visit(browser, screen, lang, scripts=False)
    page = context.new_page()
    page.goto(f"{base}/games/{slug}/learn")
    for step in range(2, len(play_lesson(all_games()[slug])) + 2):
        touch_next(page, screen)
        expect(page).to_have_url(f"{base}/games/{slug}/learn/{step}")
    page.locator("main form .play").click()
    expect(page.locator("figure.board")).to_be_visible()
    assert "/play/" in page.url
    context.close()


@pytest.mark.parametrize(
    ("slug", "screen", "lang"),
    [
        pytest.param("hogen", SMALL, "fr", id="hogen small fr"),
        *(
            pytest.param(slug, screen, lang, id=f"{slug} {screen.width} {lang}", marks=pytest.mark.long)
            for slug in TAUGHT
            for screen in (SMALL, LARGE, *OTHERS)
            for lang in ("en", "fr")
        ),
    ],
)
def test_a_sentence_is_read_without_scrolling(
    browser: Browser, base: str, slug: str, screen: Screen, lang: str
) -> None:
    context = visit(browser, screen, lang)
    page = context.new_page()
    for step in range(1, len(play_lesson(all_games()[slug])) + 1):
        page.goto(f"{base}/games/{slug}/learn/{step}")
        cut = page.evaluate(
            "() => [...document.querySelectorAll('.slot p, .ask p')]"
            ".filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)"
            ".map((one) => one.innerText)"
        )
        assert cut == [], f"step {step}"
        assert not page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), f"step {step}"
    context.close()


def test_a_keyboard_alone_does_a_lesson(browser: Browser, base: str) -> None:
    context = visit(browser, LARGE, "en")
    page = context.new_page()
    page.goto(f"{base}/games/hogen/learn/4")
    expect(page.locator("h1")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.closest('.board, .pad') !== null"):
            break
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{base}/games/hogen/learn/5")
    context.close()


def test_axe_finds_nothing_on_a_lesson(browser: Browser, base: str) -> None:
    with reading(browser, base) as reader:
        for step in (1, 2, 3, 7, 10):
            reader.see(f"step {step}", f"/games/hogen/learn/{step}")


@pytest.mark.long
@pytest.mark.parametrize("slug", TAUGHT)
@pytest.mark.parametrize("screen", [SMALL, LARGE], ids=["phone", "desktop"])
def test_axe_finds_nothing_on_any_step(browser: Browser, base: str, slug: str, screen: Screen) -> None:
    with reading(browser, base, {"width": screen.width, "height": screen.height}, "fr") as reader:
        for step in range(1, len(play_lesson(all_games()[slug])) + 2):
            reader.see(f"step {step}", f"/games/{slug}/learn/{step}")
