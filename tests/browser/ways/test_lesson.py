"""A lesson is done by touching what is framed, on phones and desktops, without scripts, down to a match of it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pbem.features.lessons.playing import play_lesson
from pbem.games import all_games
from pbem.kit.texts import Lang
from tests.browser.accessible.axe import open_reader
from tests.harness.waiting import SECONDS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

TOUCH = ".board a[href]:visible, .pad a[href]:visible, .todo .opt:visible, .ask > .play"
LEAST_PX = 44
"""How wide and high what is touched is at least."""
LEAST_DRAWN_PX = 40
"""That of a piece or a field of a pad where a board has the height of the screen, as in a match. Less than the other
have, on a phone on its side, fields of the pads of Hogen and Allégeance (41 high), cards of Hexen Rennen (42 high) and
banners of Hagakure (40 wide), and these also on a desktop (43 wide)."""


COLOURS = """() => {
    const fill = (one) => getComputedStyle(one).fill, board = document.querySelector(".board");
    const inked = (one) => one.matches(".il, .ng, .sn") ? getComputedStyle(one).stroke : fill(one);
    const shown = (found) => [...document.querySelectorAll(found)].filter((one) => one.checkVisibility());
    return {
        chosen: shown(":is(.board, .pad) :is(.se, .sn:not(a *))").map(inked),
        touch: shown(":is(.board, .pad) a :is(.ib, .tg, .il), :is(.board, .pad) a > .ng:first-child").map(inked),
        ground: getComputedStyle(board).backgroundColor,
    };
}"""


def contrast_of_colours(one: str, other: str) -> float:
    """The contrast of two opaque colours, written as rgb(1, 2, 3)."""

    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


class Screen(NamedTuple):
    width: int
    height: int


SMALL, LARGE = Screen(360, 740), Screen(1280, 800)
OTHERS = [Screen(390, 844), Screen(844, 390), Screen(1600, 900)]
TAUGHT = [slug for slug, game in all_games().items() if game.lesson is not None]
GAMES = [pytest.param(slug, marks=[] if slug == TAUGHT[0] else pytest.mark.long) for slug in TAUGHT]
SCREENS = [SMALL, *(pytest.param(one, marks=pytest.mark.long) for one in (*OTHERS, LARGE))]
LANGUAGES = ["fr", pytest.param("en", marks=pytest.mark.long)]
WAYS = [
    pytest.param("hogen", SMALL, "en", id="hogen small en"),
    *(
        pytest.param(slug, screen, lang, id=f"{slug} {screen.width} {lang}", marks=pytest.mark.long)
        for slug in TAUGHT
        for screen, lang in [(LARGE, "en"), (LARGE, "fr"), (SMALL, "fr"), *((one, "en") for one in OTHERS)]
    ),
]


def browser_of_stranger(
    browser: Browser, screen: Screen, lang: str, *, scripts: bool = True, scheme: Literal["light", "dark"] = "light"
) -> BrowserContext:
    """A stranger's browser."""
    context = browser.new_context(
        viewport={"width": screen.width, "height": screen.height}, locale=lang, reduced_motion="reduce",
        has_touch=screen.width < 900, java_script_enabled=scripts,
        color_scheme=scheme,
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
        drawn = one.evaluate("(one) => one.closest('svg') !== null")
        least = LEAST_DRAWN_PX if drawn and screen.width > 500 else LEAST_PX
        assert min(box["width"], box["height"]) >= least - 0.5, f"{page.url}: {box}"
        # A phone on its side scrolls its pad.
        assert screen.height < 500 or box["y"] + box["height"] / 2 < screen.height, f"{page.url}: {box}"
    touch.first.click()


@pytest.mark.parametrize(("slug", "screen", "lang"), WAYS)
def test_a_lesson_is_played_by_touching_only_what_each_step_frames(
    browser: Browser, base: str, slug: str, screen: Screen, lang: str
) -> None:
    context = browser_of_stranger(browser, screen, lang, scripts=False)
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
def test_a_lessons_sentence_is_visible_without_scrolling(
    browser: Browser, base: str, slug: str, screen: Screen, lang: str
) -> None:
    context = browser_of_stranger(browser, screen, lang)
    page = context.new_page()
    for step in range(1, len(play_lesson(all_games()[slug])) + 1):
        page.goto(f"{base}/games/{slug}/learn/{step}")
        cut = page.evaluate(
            "() => [...document.querySelectorAll('.slot p, .ask p')]"
            ".filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)"
            ".map((one) => one.innerText)"
        )
        assert cut == [], f"step {step}"
        board, head = (page.locator(part).bounding_box() for part in ("figure.board", ".strip h1"))
        assert board is not None
        assert head is not None
        covered = head["x"] < board["x"] + board["width"] and head["y"] + head["height"] > board["y"]
        assert not covered, f"step {step}: {head}"
        assert head["width"] > 100, f"step {step}: {head}"
        assert not page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), f"step {step}"
    context.close()


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_only_what_a_lesson_asks_to_touch_has_the_touch_colour(
    browser: Browser, base: str, slug: str, scheme: Literal["light", "dark"]
) -> None:
    context = browser_of_stranger(browser, SMALL, "en", scheme=scheme)
    page = context.new_page()
    chosen, steps = 0, play_lesson(all_games()[slug])
    for at, stage in enumerate(steps, 1):
        page.goto(f"{base}/games/{slug}/learn/{at}")
        seen = page.evaluate(COLOURS)
        chosen += len(seen["chosen"])
        assert not {*seen["chosen"]} & {*seen["touch"]}, f"step {at}"
        assert stage.step.touch in ("", "pass") or seen["touch"], f"step {at}"
        assert all(contrast_of_colours(one, seen["ground"]) >= 3 for one in seen["touch"]), f"step {at}: {seen}"
    assert chosen or not any(stage.chosen for stage in steps)
    context.close()


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_lesson_on_a_phone_names_its_game(browser: Browser, base: str, slug: str, lang: Lang) -> None:
    context = browser_of_stranger(browser, SMALL, lang)
    page = context.new_page()
    page.goto(f"{base}/games/{slug}/learn/{len(play_lesson(all_games()[slug]))}")
    row = page.locator(".strip .due").bounding_box()
    assert row is not None
    for part in page.locator(".strip .due > span").all():
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= row["y"] + row["height"] + 1, part.inner_text()
        assert box["x"] + box["width"] <= SMALL.width
    expect(page.locator(".strip .due")).to_contain_text(all_games()[slug].meta.title[lang])
    context.close()


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_on_a_phone_a_lessons_strip_replaces_the_navigation(browser: Browser, base: str, screen: Screen) -> None:
    context = browser_of_stranger(browser, screen, "en")
    page = context.new_page()
    page.goto(f"{base}/games/hogen/learn/1")
    on_a_phone = screen.width < 900
    expect(page.locator(".bar")).to_be_visible(visible=not on_a_phone)
    expect(page.locator(".strip .mk")).to_be_visible(visible=screen.width < 600)
    expect(page.locator(".leave")).to_be_visible()
    context.close()


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_the_last_button_of_a_lesson_is_centred(browser: Browser, base: str, screen: Screen) -> None:
    context = browser_of_stranger(browser, screen, "en")
    page = context.new_page()
    page.goto(f"{base}/games/hogen/learn/{len(play_lesson(all_games()['hogen']))}")
    left, right = page.evaluate(
        "() => {"
        " const [row, button] = ['.strip > .ask', '.ask > .play'].map((at) =>"
        " document.querySelector(at).getBoundingClientRect());"
        " return [button.left - row.left, row.right - button.right]; }"
    )
    assert abs(left - right) <= 1, (left, right)
    context.close()


def test_a_step_of_a_lesson_is_done_by_the_keyboard_alone(browser: Browser, base: str) -> None:
    context = browser_of_stranger(browser, LARGE, "en")
    page = context.new_page()
    page.goto(f"{base}/games/hogen/learn/5")
    expect(page.locator("h1")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.closest('.board, .pad') !== null"):
            break
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{base}/games/hogen/learn/6")
    context.close()


def test_axe_finds_no_fault_on_some_steps_of_a_lesson(browser: Browser, base: str) -> None:
    with open_reader(browser, base) as reader:
        for step in (1, 2, 4, 8, 11):
            reader.see(f"step {step}", f"/games/hogen/learn/{step}")


@pytest.mark.long
@pytest.mark.parametrize("slug", TAUGHT)
@pytest.mark.parametrize("screen", [SMALL, LARGE], ids=["phone", "desktop"])
def test_axe_finds_no_fault_on_any_step_of_a_lesson(browser: Browser, base: str, slug: str, screen: Screen) -> None:
    with open_reader(browser, base, {"width": screen.width, "height": screen.height}, "fr") as reader:
        for step in range(1, len(play_lesson(all_games()[slug])) + 2):
            reader.see(f"step {step}", f"/games/{slug}/learn/{step}")
