"""The replay viewer in a browser: its speed, its animations, every way to reach a step, and opened log files.

python -m pytest tests/browser/test_replay.py -q --log-cli-level=INFO      logs the times it has measured
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem import create_app
from pbem.kit.logs.logfile import log_to_bytes
from pbem.services.views import replays
from pbem.services.views.match_views import read_log
from tests.browser.games import DESKTOP, ONE, PHONE
from tests.docs.gallery import advance_match, house, serve_pages
from tests.harness.waiting import SECONDS
from tests.table import House

pytestmark = pytest.mark.browser
log = logging.getLogger(__name__)

BOARDS = 3
"""A step of the longest match takes no longer than laying out this many of its boards; the quickest quarter counts."""

LONGEST = {"allegeance": 2, "hagakure": 4, "hexen-rennen": 4, "hogen": 4, "niigata": 4}
"""Played by first legal moves, which go in circles for as long as the rules let them."""

FIRST_PICTURE = """() => new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntriesByName("first-contentful-paint")[0]?.startTime))
        .observe({ type: "paint", buffered: true });
})"""
TIME_STEPS = """async () => {
    const board = document.getElementById("board"), beside = document.createElement("div");
    const steps = [], anew = [];
    board.after(beside);
    const took = (act, within, into) => {
        const before = performance.now();
        act();
        within.getBoundingClientRect();
        into.push(performance.now() - before);
    };
    for (let i = 0; i < 40; i++) {
        took(() => document.getElementById(i % 5 === 4 ? "prev" : "next").click(), board, steps);
        const svg = board.querySelector(":scope > svg:not(.off)");
        took(() => beside.replaceChildren(svg.cloneNode(true)), beside, anew);
        beside.replaceChildren();
        await new Promise((done) => setTimeout(() => requestIdleCallback(done), 60));
    }
    return [steps, anew].map((times) => times.sort((a, b) => a - b));
}"""
"""The times of 40 steps, and of laying out the same boards again, from the shortest to the longest."""


class Shelf:
    """Matches that are over, one a game, and the address where they are watched."""

    def __init__(self, home: House, base: str) -> None:
        self.home = home
        self.base = base
        self._matches: dict[str, str] = {}

    def match(self, slug: str) -> str:
        """The id of the longest match of the game."""
        if slug not in self._matches:
            match_id = self.home.begin(LONGEST[slug], slug)
            self.home.play_on(match_id)
            self._matches[slug] = match_id
        return self._matches[slug]

    def url(self, slug: str, query: str = "lang=en") -> str:
        """The address of its replay."""
        return f"{self.base}/replay/{self.match(slug)}?{query}"

    def steps(self, slug: str) -> int:
        """How many steps it has."""
        return len(replays.read_replay(self.home.site, self.match(slug), None, "en").steps)


@pytest.fixture(scope="module")
def shelf() -> Iterator[Shelf]:
    """The matches, played when they are first asked for."""
    with house() as home, serve_pages(create_app(site=home.site)) as base:
        yield Shelf(home, base)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on a phone; any error on it fails the test."""
    yield from _page(browser, viewport=PHONE)


def _page(browser: Browser, **options: Any) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", **options)
    context.set_default_timeout(SECONDS * 1000)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert not [trouble for trouble in troubles if "422" not in trouble]


def wait_until_steppable(page: Page) -> None:
    """Waits until the script has fetched what it needs to step without delay."""
    page.wait_for_load_state("networkidle")


def expect_step(page: Page, n: int) -> None:
    """Expects the viewer to show this step in slider, story, number and board."""
    expect(page.locator("#step")).to_have_value(str(n))
    expect(page.locator("#at")).to_have_text(str(n))
    current = page.locator("#steps [aria-current=step]")
    expect(current).to_have_count(1)
    expect(current).to_have_attribute("data-step", str(n))


@pytest.mark.long
@pytest.mark.parametrize("slug", LONGEST)
@pytest.mark.parametrize("size", [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop")])
def test_stepping_the_longest_replay_takes_no_longer_than_a_few_boards(
    browser: Browser, shelf: Shelf, slug: str, size: dict[str, int]
) -> None:
    for page in _page(browser, viewport=size):
        answer = page.goto(shelf.url(slug))
        assert answer is not None
        # No script need draw the first board.
        assert "<svg" in answer.text().partition('id="board"')[2].partition("</svg>")[0], (
            "no script draws the first one"
        )
        first = page.evaluate(FIRST_PICTURE)
        wait_until_steppable(page)
        page.locator("#next").click()
        steps, anew = page.evaluate(TIME_STEPS)
        quick, median, whole = steps[len(steps) // 4], steps[len(steps) // 2], anew[len(anew) // 4]
        log.info(
            "%s %d px, %d steps: first picture %.0f ms; a step %.1f ms, median %.1f ms; a board %.1f ms",
            slug, size["width"], shelf.steps(slug), first, quick, median, whole,
        )  # fmt: skip
        assert quick < BOARDS * whole


def elements_styled_by(page: Page, act: str) -> int:
    """The number of elements that the browser restyled because of this script."""
    cdp = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended = threading.Event()
    cdp.on("Tracing.dataCollected", lambda told: events.extend(told["value"]))
    cdp.on("Tracing.tracingComplete", lambda _told: ended.set())
    cdp.send("Tracing.start", {"categories": "devtools.timeline", "transferMode": "ReportEvents"})
    page.evaluate(f"() => {{ {act}; document.getElementById('board').getBoundingClientRect(); }}")
    cdp.send("Tracing.end")
    while not ended.is_set():
        page.wait_for_timeout(20)
    styled = [event for event in events if event["name"] == "UpdateLayoutTree"]
    return int(min(styled, key=lambda event: event["ts"])["args"]["elementCount"])


LAID_OUT = """(unmarked) => {
    const sheets = [...document.querySelectorAll("#board > svg")];
    return sheets.length === 3 && sheets.filter((sheet) => !("mark" in sheet.dataset)).length === unmarked;
}"""
"""True when the boards before and after the one that is shown are laid out, and this number of all is new."""
MARK = "() => document.querySelectorAll('#board > svg').forEach((sheet) => { sheet.dataset.mark = ''; })"


@pytest.mark.long
@pytest.mark.parametrize("slug", ONE)
def test_stepping_a_replay_does_not_restyle_the_boards_already_there(browser: Browser, shelf: Shelf, slug: str) -> None:
    for page in _page(browser, viewport=PHONE, reduced_motion="reduce"):
        page.goto(f"{shelf.url(slug)}&step=20")
        wait_until_steppable(page)
        page.wait_for_function(LAID_OUT, arg=3)
        page.evaluate(MARK)
        page.locator("#next").click()
        page.wait_for_function(LAID_OUT, arg=1)
        page.evaluate(MARK)
        drawn = page.locator("#board > svg:not(.off) *").count()
        styled = elements_styled_by(page, "document.getElementById('next').click()")
        assert styled < drawn, f"{styled} elements were styled anew, a board has {drawn}"
        page.wait_for_function(LAID_OUT, arg=1)
        grown = elements_styled_by(page, "document.getElementById('board').style.setProperty('--tallest', '3')")
        assert grown < drawn, f"{grown} elements were styled anew when the board grew"


IN_ITS_LIST = """() => {
    const list = document.getElementById("steps").getBoundingClientRect();
    const line = document.querySelector("#steps [aria-current=step]").getBoundingClientRect();
    return list.height > line.height && line.top > list.top - 1 && line.bottom < list.bottom + 1;
}"""
"""Less than a pixel may stand out: how far a list scrolls is rounded, what it holds is not."""


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_jumping_to_a_step_scrolls_the_story_to_its_line(browser: Browser, shelf: Shelf, size: dict[str, int]) -> None:
    last = shelf.steps("hogen")
    for page in _page(browser, viewport=size):
        page.goto(shelf.url("hogen"))
        wait_until_steppable(page)
        for step in (last, 1, 200, last, 77):
            page.locator("#step").evaluate(
                "(slider, n) => { slider.value = n; slider.dispatchEvent(new Event('input')) }", step
            )
            expect_step(page, step)
            page.wait_for_function(IN_ITS_LIST)


@pytest.mark.long
def test_every_key_and_button_of_the_replay_shows_the_right_step(page: Page, shelf: Shelf) -> None:
    last = shelf.steps("hogen")
    page.goto(shelf.url("hogen"))
    expect_step(page, 1)
    keys = [("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", last), ("Home", 1), ("ArrowLeft", 1)]
    for key, step in keys:
        page.keyboard.press(key)
        expect_step(page, step)
    for control, step in (("next", 2), ("last", last), ("prev", last - 1), ("first", 1)):
        page.locator(f"#{control}").click()
        expect_step(page, step)
    page.locator("#step").focus()
    page.keyboard.press("ArrowRight")
    expect_step(page, 2)
    page.locator("#steps [data-step='9']").click()
    expect_step(page, 9)
    page.locator("#turn").select_option(index=5)
    expect_step(page, int(page.locator("#turn").input_value()))
    expect(page.locator("#where")).to_contain_text("Turn 5")


@pytest.mark.long
def test_a_step_has_an_address_that_opens_it_with_and_without_script(
    browser: Browser, page: Page, shelf: Shelf
) -> None:
    page.goto(f"{shelf.url('hogen')}#step=42")
    wait_until_steppable(page)
    expect_step(page, 42)
    told = page.locator("#board > svg:not(.off) text").all_text_contents()
    assert told
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{shelf.url('hogen')}#step=43")
    address = page.locator("#here").get_attribute("href")
    assert address is not None
    assert "step=43" in address
    for plain in _page(browser, viewport=PHONE, java_script_enabled=False):
        plain.goto(shelf.base + address)
        expect_step(plain, 43)
        plain.locator("#prev").click()
        expect_step(plain, 42)
        assert plain.locator("#board svg text").all_text_contents() == told


ON_ITS_SIDE = {"width": 844, "height": 390}
UNCOVERED = """() => {
    const told = document.getElementById("told");
    const { left, right, top, bottom } = told.getBoundingClientRect();
    return told.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)) && top >= 0;
}"""
CHANGES = """async (n) => {
    document.querySelector(`#steps [data-step='${n}']`).click();
    const told = document.getElementById("told").getBoundingClientRect();
    return [document.getElementById("run").getBoundingClientRect().top, told.bottom <= innerHeight];
}"""


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize("size", [PHONE, ON_ITS_SIDE], ids=["upright", "on its side"])
def test_a_phone_always_shows_the_story_line_of_the_step(browser: Browser, shelf: Shelf, size: dict[str, int]) -> None:
    for page in _page(browser, viewport=size, reduced_motion="reduce"):
        page.goto(shelf.url("niigata", "lang=fr"))
        wait_until_steppable(page)
        page.evaluate("document.getElementById('board').scrollIntoView()")
        where = set()
        for step in (1, 2, 3, 40):  # the first has the longest sentence of the game
            top, within = page.evaluate(CHANGES, step)
            where.add(round(top))
            assert within
            assert page.evaluate(UNCOVERED), step
            line = page.locator(f"#steps [data-step='{step}'] > :last-child").inner_text()
            assert page.locator("#told").inner_text().split() == line.split()
        assert len(where) == 1, "a control has moved"


@pytest.mark.long
def test_the_link_to_a_replays_step_is_copied_or_else_followed(browser: Browser, shelf: Shelf) -> None:
    for page in _page(browser, viewport=PHONE, permissions=["clipboard-read", "clipboard-write"]):
        page.goto(shelf.url("hogen"))
        wait_until_steppable(page)
        page.locator("#next").click()
        page.get_by_role("link", name="Copy link to this step").click()
        expect(page.locator("#here")).to_have_text("Link to this stepCopied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == f"{shelf.base}/replay/{shelf.match('hogen')}?viewer=all&step=2"
        expect(page.locator("#here .scripted")).to_have_text("Copy link to this step")
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        page.locator("#here").click()
        expect(page).to_have_url(copied)
    for plain in _page(browser, viewport=PHONE, java_script_enabled=False):
        plain.goto(shelf.url("hogen", "lang=en&step=2"))
        plain.get_by_role("link", name="Link to this step", exact=True).click()
        expect(plain).to_have_url(copied)


def test_autoplay_of_a_replay_stops_at_the_end(page: Page, shelf: Shelf) -> None:
    last = shelf.steps("hogen")
    page.goto(shelf.url("hogen", f"lang=en&step={last - 4}"))
    wait_until_steppable(page)
    page.locator("[data-speed='4']").click()
    expect(page.locator("[data-speed='4']")).to_have_attribute("aria-current", "true")
    page.locator("h1").click()
    page.keyboard.press(" ")
    expect(page.locator("#run")).to_have_attribute("aria-label", "Pause")
    expect_step(page, last)
    expect(page.locator("#run")).to_have_attribute("aria-label", "Start playback")
    page.locator("#run").click()
    page.keyboard.press("Home")
    expect_step(page, 1)


@pytest.mark.long
def test_screen_readers_hear_the_replays_story_but_not_during_autoplay(page: Page, shelf: Shelf) -> None:
    page.goto(shelf.url("hogen"))
    wait_until_steppable(page)
    page.keyboard.press("ArrowRight")
    spoken = page.locator("#spoken")
    expect(spoken).to_have_text(page.locator("#steps [data-step='2'] > :last-child").inner_text())
    page.locator("#run").click()
    for step in (3, 4):
        page.wait_for_function("(step) => document.getElementById('step').value >= step", arg=step)
        expect(spoken).to_have_text("")
    page.locator("#run").click()
    expect(spoken).not_to_have_text("")


def open_before_exchange(page: Page, shelf: Shelf) -> int:
    """Opens the page at the step before one in which a card goes from a hand to the palace; returns its number."""
    page.goto(shelf.url("hogen"))
    wait_until_steppable(page)
    step = page.evaluate(
        """() => Number([...document.querySelectorAll("#steps [data-step]")]
            .find((line) => line.textContent.includes("takes")).dataset.step)"""
    )
    page.locator(f"#steps [data-step='{step - 1}']").click()
    expect_step(page, step - 1)
    return int(step)


SLIDING = """() => new Promise((done) => {
    document.getElementById("next").click();
    const sliding = document.querySelectorAll("#board .sliding");
    const motions = [...sliding].map((piece) => piece.getAnimations()[0]);
    const long = motions.map((motion) => motion.effect.getTiming().duration);
    const left = () => done({ long, left: document.querySelectorAll("#board .sliding").length });
    const frames = (n) => n ? requestAnimationFrame(() => frames(n - 1)) : left();
    Promise.all(motions.map((motion) => motion.finished)).then(() => frames(2));
})"""


@pytest.mark.long
def test_a_card_slides_to_its_new_place_and_leaves_no_copy_behind(page: Page, shelf: Shelf) -> None:
    open_before_exchange(page, shelf)
    told = page.evaluate(SLIDING)
    assert told["long"]
    assert set(told["long"]) == {250}
    assert told["left"] == 0


@pytest.mark.long
def test_replays_at_four_times_the_speed_have_no_sliding_animation(page: Page, shelf: Shelf) -> None:
    open_before_exchange(page, shelf)
    page.locator("[data-speed='4']").click()
    assert page.evaluate(SLIDING)["long"] == []


@pytest.mark.long
def test_a_replay_has_no_animation_with_reduced_motion(browser: Browser, shelf: Shelf) -> None:
    for page in _page(browser, viewport=PHONE, reduced_motion="reduce"):
        open_before_exchange(page, shelf)
        assert page.evaluate(SLIDING)["long"] == []
        assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.long
@pytest.mark.parametrize("slug", ONE)
def test_stepping_a_replay_does_not_move_its_controls(browser: Browser, shelf: Shelf, slug: str) -> None:
    for page in _page(browser, viewport=DESKTOP):
        page.goto(shelf.url(slug))
        wait_until_steppable(page)
        tops = page.evaluate(
            """async () => {
                const tops = new Set();
                for (let i = 0; i < 60; i++) {
                    document.getElementById("next").click();
                    tops.add(Math.round(document.getElementById("run").getBoundingClientRect().top));
                    if (i % 6 === 5) await new Promise((done) => requestAnimationFrame(done));
                }
                return [...tops];
            }"""
        )
        assert len(tops) == 1


SEEN_THROUGH_ITS_OWN_WINDOW = """() => {
    const svg = document.querySelector("#board > svg:not(.off)");
    const [, id] = /url\\(["']?#([^"')]+)/.exec(svg.querySelector("[clip-path]").getAttribute("clip-path"));
    return svg.contains(document.getElementById(id)) && document.querySelectorAll(`[id="${id}"]`).length === 1;
}"""


@pytest.mark.long
def test_a_replays_map_is_visible_and_can_be_enlarged_at_every_step(page: Page, shelf: Shelf) -> None:
    page.goto(shelf.url("niigata", "lang=en&step=20"))
    wait_until_steppable(page)
    for control in ("next", "next", "next", "prev", "first", "last"):
        page.locator(f"#{control}").click()
        # Neighbouring boards are laid out while the page is idle.
        page.evaluate("() => new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))")
        assert page.evaluate(SEEN_THROUGH_ITS_OWN_WINDOW), control
        expect(page.locator("#board > svg:not(.off) [role=group][tabindex='0']")).to_have_count(1)
        expect(page.locator("#board > svg.off [tabindex='0']")).to_have_count(0)
    page.locator("#board > svg:not(.off) [role=button][tabindex='0']").click()
    expect(page.get_by_role("button", name="See the whole map")).to_be_visible()


@pytest.mark.long
def test_switching_the_replays_viewer_keeps_the_step(page: Page, shelf: Shelf) -> None:
    page.goto(shelf.url("hogen"))
    page.locator("#steps [data-step='9']").click()
    expect_step(page, 9)
    page.locator("a.eyes", has_text="Bob").click()
    expect(page.locator("a.eyes[aria-current=true]")).to_contain_text("Bob")
    expect_step(page, 9)


@pytest.mark.long
def test_reloading_the_replay_of_a_running_match_shows_its_new_steps(page: Page, shelf: Shelf) -> None:
    match_id = shelf.home.begin(3, "hogen")
    advance_match(shelf.home, match_id, 6)
    page.goto(f"{shelf.base}/replay/{match_id}?lang=en")
    before = int(page.locator("#replay").get_attribute("data-last") or 0)
    expect_step(page, before)
    page.keyboard.press("Home")
    expect_step(page, 1)
    advance_match(shelf.home, match_id, 2)
    page.reload()
    page.keyboard.press("End")
    assert int(page.locator("#replay").get_attribute("data-last") or 0) > before


# --- an uploaded log ---------------------------------------------------------------------------------------------


@pytest.fixture
def file(shelf: Shelf, tmp_path: Path) -> Path:
    """A full log on the reader's disk."""
    path = tmp_path / "log.json"
    path.write_bytes(log_to_bytes(read_log(shelf.home.site, shelf.match("niigata"), None)))
    return path


@pytest.mark.long
@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.long)], ids=["script", "plain"])
def test_an_uploaded_log_is_checked_and_replayed_step_by_step(
    browser: Browser, shelf: Shelf, file: Path, script: bool
) -> None:
    for page in _page(browser, viewport=PHONE, java_script_enabled=script):
        page.goto(f"{shelf.base}/games")
        page.locator("a[href='/replay/open']").click()
        page.set_input_files("input[type=file]", file)
        page.locator("button.play").click()
        expect(page.locator("main")).to_contain_text("follow the rules")
        expect_step(page, 1)
        for control, step in (("next", 2), ("next", 3), ("prev", 2)):
            page.locator(f"#{control}").click()
            expect_step(page, step)
        page.locator("#steps [data-step='12']").click()
        expect_step(page, 12)
        page.locator(".eyes", has_text="Player B").click()
        expect(page.locator(".eyes[aria-current=true]")).to_contain_text("Player B")
        expect_step(page, 12)


@pytest.mark.long
def test_a_damaged_log_says_which_entry_is_wrong(page: Page, shelf: Shelf, file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"n":20', b'"n":21', 1))
    page.goto(f"{shelf.base}/replay/open")
    page.set_input_files("input[type=file]", file)
    page.locator("button.play").click()
    expect(page.locator("[role=alert]")).to_contain_text("Entry 20: it is numbered 21")
