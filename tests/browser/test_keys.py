"""Keys on the page of a seat: digits choose, Enter plays, Escape steps back, a dialog lists them and turns them off."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.accessible.axe import Reader
from tests.browser.games import begin_with_a_call
from tests.browser.stage.playing import open_browser, path_to
from tests.docs.gallery import advance_match
from tests.table import House

pytestmark = pytest.mark.browser


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A reader on a desktop; any error they meet fails the test."""
    yield from open_browser(browser, {"width": 1280, "height": 800})


def page_of_asked(
    context: BrowserContext, home: House, base: str, game: str = "hogen", decisions: int = 9
) -> tuple[Page, str, int]:
    """The page of a seat that is asked, with the match and the seat."""
    match_id = home.begin(3, game)
    advance_match(home, match_id, decisions)
    seat = home.asks(match_id)[0].seat
    page = context.new_page()
    page.goto(base + path_to(home, match_id, seat))
    return page, match_id, seat


def test_digits_escape_and_enter_choose_undo_and_play_a_move(context: BrowserContext, home: House, base: str) -> None:
    page, match_id, seat = page_of_asked(context, home, base, decisions=0)
    version, second = home.view(match_id, seat).sheet.version, page.locator(".todo a.opt").nth(1).get_attribute("href")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    expect(page.locator("form.confirm button")).to_be_visible()
    assert second is not None
    expect(page).to_have_url(re.compile(re.escape(second)))
    page.keyboard.press("Escape")
    expect(page.locator("form.confirm")).to_have_count(0)
    assert home.view(match_id, seat).sheet.version == version, "nothing is played before it is chosen"
    page.keyboard.press("1")
    expect(page.locator("form.confirm button")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("done=1"))
    assert home.view(match_id, seat).sheet.version > version


@pytest.mark.long
def test_escape_undoes_the_choices_one_by_one(context: BrowserContext, home: House, base: str) -> None:
    page, _, _ = page_of_asked(context, home, base, "hexen-rennen", 0)
    seen = [page.locator(".todo ul.opts").inner_text()]
    while not page.locator("form.confirm").count():
        url = page.url
        page.keyboard.press("1")
        expect(page).not_to_have_url(url)
        seen.append(page.locator(".todo ul.opts").inner_text())
    assert len(seen) > 2, "the move has several choices"
    for menu in reversed(seen[:-1]):
        url = page.url
        page.keyboard.press("Escape")
        expect(page).not_to_have_url(url)
        assert page.locator(".todo ul.opts").inner_text() == menu
    expect(page.locator("[data-back]")).to_have_count(0)


@pytest.mark.long
def test_shortcuts_are_ignored_while_typing_with_modifiers_or_turned_off(
    context: BrowserContext, home: House, base: str
) -> None:
    page, _, _ = page_of_asked(context, home, base, decisions=0)
    url, dialog = page.url, page.locator("#keys")
    page.locator(".why > summary").click()
    page.locator("input[name=text]").focus()
    page.keyboard.type("1 more?")
    expect(page.locator("input[name=text]")).to_have_value("1 more?")
    page.reload()
    for key in ("Control+1", "Alt+1", "Meta+1"):
        page.keyboard.press(key)
    expect(dialog).to_be_hidden()
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    page.keyboard.press("1")
    page.locator("#keys input").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.reload()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("1")
    page.keyboard.press("?")
    page.evaluate("() => true")  # whatever the keys have begun has asked by now
    expect(dialog).to_be_hidden()
    assert not [one for one in asked if "pick=" in one]
    assert page.url == url
    page.locator("details.menu > summary").click()
    page.locator("[data-keys]").click()
    page.locator("#keys input").check()
    page.locator("#keys button").click()
    page.keyboard.press("1")
    expect(page).not_to_have_url(url)


NUMBERED = """() => [...document.querySelectorAll(".todo a.opt")].filter((option) => option.getClientRects().length)
    .map((option) => getComputedStyle(option, "::before").content !== "none")"""


@pytest.mark.long
@pytest.mark.parametrize("size", [(1280, 800), (1280, 480)])
def test_the_first_nine_choices_show_the_digits_that_choose_them(
    context: BrowserContext, home: House, base: str, size: tuple[int, int]
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(base + path_to(home, *begin_with_a_call(home)))
    numbered, every = page.evaluate(NUMBERED), page.locator(".todo a.opt").count()
    assert every > 9
    assert (len(numbered) < every) == page.locator(".todo > .pad").is_visible(), "the list has what is not on the pad"
    assert numbered == [n < 9 for n in range(len(numbered))]


@pytest.mark.long
def test_axe_accepts_the_dialog_of_keyboard_shortcuts(browser: Browser, home: House, base: str) -> None:
    match_id = home.begin(3)
    reader = Reader(browser, base)
    page = reader.go(path_to(home, match_id, 1))
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    reader.look("the keys")
    reader.context.close()
    reader.judge()


def name_of_focused_field(page: Page) -> str:
    """The name of the field that has the focus."""
    found: str = page.evaluate("document.activeElement.dataset.field ?? ''")
    return found


@pytest.mark.long
@pytest.mark.parametrize("size", [(1280, 800), (1204, 900)])
@pytest.mark.parametrize(("game", "kind"), [("hogen", "act"), ("allegeance", "announce")])
def test_a_table_of_choices_is_used_by_letter_and_digit_or_by_arrow_keys(
    context: BrowserContext, home: House, base: str, game: str, kind: str, size: tuple[int, int]
) -> None:
    match_id = home.begin(3, game)
    while (ask := home.asks(match_id)[0]).kind != kind:
        home.play(match_id, ask.seat)
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(base + path_to(home, match_id, ask.seat))
    names: list[str] = page.evaluate(
        "[...document.querySelectorAll('a[data-field]')].filter((one) => one.getClientRects().length)"
        ".map((one) => one.dataset.field)"
    )
    assert len(names) == len(set(names)) > 6
    cards = [name for name in names if len(name) == 2]
    card = next(name for name in reversed(cards) if sum(other[0] == name[0] for other in cards) > 1)
    page.keyboard.press("?")
    expect(page.locator("#keys [data-of-fields]").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press(card[0].lower())
    assert name_of_focused_field(page)[0] == card[0]
    while name_of_focused_field(page) != card:
        before = name_of_focused_field(page)
        page.keyboard.press("ArrowRight")
        assert name_of_focused_field(page) != before
    page.keyboard.press("ArrowLeft")
    assert name_of_focused_field(page) != card
    assert name_of_focused_field(page)[0] == card[0]
    url = page.url
    page.keyboard.press("9")
    page.evaluate("() => true")
    assert page.url == url, "there is no such field"
    page.keyboard.press(card[1])
    expect(page.locator("form.confirm button")).to_be_visible()
    expect(page).to_have_url(re.compile(card))
    page.keyboard.press("Escape")
    expect(page.locator("form.confirm")).to_have_count(0)
    page.keyboard.press(card[0])
    page.keyboard.press("Enter")
    expect(page.locator("form.confirm button")).to_be_visible()
