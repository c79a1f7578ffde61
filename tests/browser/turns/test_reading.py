"""Strip, card and menu by keyboard and screen reader, with large letters and forced colours, and without motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.browser.accessible.axe import open_reader
from tests.browser.games import GAMES, PHONE, choose_move, play_move
from tests.browser.stage.playing import open_browser
from tests.browser.turns.measure import measure_page
from tests.browser.turns.states import Stage, few_and_many, open_stage, play_states
from tests.docs.gallery import serve_pages
from tests.harness.chromium import OPTIONS, chromium
from tests.table import House

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]

SOME = ("ask-act", "chosen-act", "refused-act", "played-held", "card")
DESKTOP = {"width": 1280, "height": 800}
IN_ORDER = """() => [...document.querySelectorAll("#main [data-part]")].filter((one) => one.checkVisibility())
    .map((one) => one.dataset.part)"""
LARGE = "--blink-settings=defaultFontSize=32"
"""Letters twice as large as they are, as a reader sets them in their browser."""
FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const linear = (c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    const [r, g, b] = rgba(colour).map((part) => linear(part / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return "Canvas";
  };
  const contrast = (one, two) => {
    const [a, b] = [light(one), light(two)].sort((x, y) => y - x);
    return (a + .05) / (b + .05);
  };
  const found = [];
  for (const one of document.querySelectorAll(".strip :is(h1, p, b, span, button, a, summary)")) {
    if (!one.checkVisibility() || one.closest(".hidden") || !one.textContent.trim()) continue;
    const ratio = contrast(getComputedStyle(one).color, ground(one));
    if (ratio < 4.5) found.push(`${one.textContent.trim().slice(0, 30)}: ${ratio.toFixed(1)}`);
  }
  for (const line of document.querySelectorAll(".strip :is(.menu, .pg) svg path")) {
    if (!line.checkVisibility()) continue;
    const ratio = contrast(getComputedStyle(line).stroke, ground(line.closest("a, button, summary")));
    if (ratio < 3) found.push(`a sign: ${ratio.toFixed(1)}`);
  }
  return found;
}"""
"""Words of the strip that hardly stand out from what is behind them, and signs that do not."""


@pytest.fixture(scope="module")
def stage() -> Iterator[tuple[House, Flask, str]]:
    """A house, its pages and their address."""
    with open_stage() as (home, app), serve_pages(app) as base:
        yield home, app, base


def open_card(stage: tuple[House, Flask, str], context: Any) -> Page:
    """A page with an important line of news that is not read."""
    home, app, base = stage
    page: Page = context.new_page()
    page.goto(base + str(Stage(home, app, "hagakure", 3).card(before=1)))
    return page


@pytest.mark.parametrize(
    ("game", "only"), [("hogen", SOME), *(pytest.param(game, (), marks=pytest.mark.long) for game in GAMES)]
)
def test_axe_finds_no_fault_in_any_state_of_a_turn(browser: Browser, game: str, only: tuple[str, ...]) -> None:
    with open_stage() as (home, app), serve_pages(app) as base, open_reader(browser, base) as reader:
        for state in play_states(home, app, game, few_and_many(game)[0], only):
            reader.see(state.id, state.path + ("&" if "?" in state.path else "?") + "lang=en")


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_reading_order_is_header_menu_news_question_board(
    browser: Browser, stage: tuple[House, Flask, str], size: dict[str, int]
) -> None:
    home, app, base = stage
    path = Stage(home, app, "hogen", 3).at_question("act")
    for context in open_browser(browser, size):
        page = context.new_page()
        page.goto(base + str(path))
        asked = ["head", "menu", "news", "ask", "board", "todo", "below"]
        assert [part for part in page.evaluate(IN_ORDER) if part in asked] == asked
        choose_move(page)
        chosen = [part for part in page.evaluate(IN_ORDER) if part in ("menu", "confirm", "board")]
        assert chosen == ["menu", "confirm", "board"]
        expect(page.locator("#said")).to_contain_text(page.locator("form.confirm button").inner_text())
        assert [one.evaluate("one => one.localName") for one in page.locator(".confirm > :is(a, button)").all()] == [
            "a",
            "button",
        ]


@pytest.mark.long
def test_a_news_card_has_a_label_takes_the_focus_and_returns_it(
    browser: Browser, stage: tuple[House, Flask, str]
) -> None:
    for context in open_browser(browser, PHONE):
        page = open_card(stage, context)
        while not page.locator(".card:visible").count():
            page.locator(".slot .next").focus()
            page.keyboard.press("Enter")
        card = page.locator(".card:visible")
        assert card.get_attribute("aria-labelledby") == card.locator("h2").get_attribute("id")
        expect(card.get_by_role("button")).to_be_focused()
        page.keyboard.press("Enter")
        expect(card).to_have_count(0)
        assert page.evaluate("document.activeElement.matches('.slot .next, .card h2, h1')")


@pytest.mark.long
def test_a_screen_reader_announces_news_but_not_unchanged_text(
    browser: Browser, stage: tuple[House, Flask, str]
) -> None:
    home, app, base = stage
    path = str(Stage(home, app, "hogen", 3).waiting())
    for context in open_browser(browser, PHONE):
        page = context.new_page()
        page.clock.install()
        page.goto(base + path)
        assert page.locator("[aria-live]:not(#said)").count() == 0
        page.evaluate(
            "new MutationObserver(() => { window.spoke = (window.spoke ?? 0) + 1 })"
            ".observe(document.getElementById('said'), { childList: true, characterData: true, subtree: true })"
        )
        with page.expect_response(lambda answer: answer.status == 304):
            page.clock.run_for(61_000)
        page.clock.run_for(1000)
        assert page.evaluate("window.spoke ?? 0") == 0
        match_id = path.split("/play/")[1].split(".")[0]
        home.bot_plays(match_id, home.asks(match_id)[0].seat, 3)
        page.clock.run_for(61_000)
        expect(page.locator("#said")).not_to_be_empty()


@pytest.mark.long
@pytest.mark.parametrize("game", ["hogen", "hagakure"])
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_with_doubled_text_size_no_text_of_the_page_is_cut_off(playwright: Playwright, game: str, lang: str) -> None:
    browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=[*OPTIONS, LARGE])
    with open_stage() as (home, app), serve_pages(app) as base:
        for context in open_browser(browser, PHONE):
            page = context.new_page()
            for state in play_states(home, app, game, 3, ("ask", "chosen", "refused", "played", "card")):
                page.goto(state.address(base, lang))
                found = measure_page(page)
                assert (state.name, found.cut, found.wide) == (state.name, [], 0)
                assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)") >= 40
    browser.close()


@pytest.mark.long
def test_a_turn_page_has_no_animation_with_reduced_motion(browser: Browser, stage: tuple[House, Flask, str]) -> None:
    home, app, base = stage
    for context in open_browser(browser, PHONE, reduced_motion="reduce"):
        page = context.new_page()
        page.goto(base + str(Stage(home, app, "hogen", 3).read_until(2)))
        for act in (choose_move, play_move):
            act(page)
            assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_keep_the_words_and_signs_of_the_strip_visible(
    browser: Browser, stage: tuple[House, Flask, str], scheme: Any
) -> None:
    home, app, base = stage
    for context in open_browser(browser, PHONE, forced_colors="active", color_scheme=scheme):
        page = context.new_page()
        for state in play_states(home, app, "hogen", 3, SOME):
            page.goto(state.address(base))
            assert page.evaluate("matchMedia('(forced-colors: active)').matches")
            assert (state.name, page.evaluate(FAINT)) == (state.name, [])
            edges = page.locator(".strip :is(.ctl, button.play):visible").evaluate_all(
                "all => all.map((one) => parseFloat(getComputedStyle(one).borderTopWidth))"
            )
            assert all(edge >= 1 for edge in edges)
