"""The page of a seat in a real browser: choosing in place, consecutive turns, live news, limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pbem import create_app
from pbem.services.lobby import matches
from tests.browser.games import (
    DESKTOP,
    EACH,
    GAMES,
    PHONE,
    SIZES,
    choose_move,
    hrefs_of_choices,
    link_to,
    play_move,
)
from tests.browser.stage.playing import FIRST_LOAD, open_browser, path_to, play_decisions, who_is_asked
from tests.docs.gallery import house, serve_pages
from tests.table import House

pytestmark = pytest.mark.browser

SOON = "niigata"
"""The game in which everybody is asked twice in a row at once."""
MOST_SHIFT = 0.05
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A reader on a desktop; any error they meet fails the test."""
    yield from open_browser(browser, DESKTOP)


@pytest.fixture
def alone() -> Iterator[tuple[House, str]]:
    """A house in which no other test plays, and the address of its pages."""
    with house() as home, serve_pages(create_app(site=home.site)) as base:
        yield home, base


def leave_mark(page: Page) -> None:
    """Leaves a mark that only a reload removes."""
    page.evaluate("window.mark = true")


def still_there(page: Page) -> bool:
    return bool(page.evaluate("window.mark === true"))


def board_box(page: Page) -> tuple[float, float, float]:
    """Where the board is on the screen, and how wide."""
    box = page.locator("figure.board").bounding_box()
    assert box is not None
    return round(box["x"], 1), round(box["y"], 1), round(box["width"], 1)


# --- choosing -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_choosing_updates_the_page_in_place_and_the_back_button_undoes_it(
    context: BrowserContext, home: House, base: str
) -> None:
    match_id = home.begin(3)
    page = context.new_page()
    page.goto(base + path_to(home, match_id, 1))
    leave_mark(page)
    choice = hrefs_of_choices(page)[1]
    link_to(page, choice).click()
    expect(page.locator("form.confirm button")).to_be_visible()
    assert "pick=" in page.url
    expect(page.locator("#said")).to_contain_text("Play this move")
    page.go_back()
    expect(page.locator("form.confirm")).to_have_count(0)
    assert "pick=" not in page.url
    page.go_forward()
    expect(page.locator("form.confirm button")).to_be_visible()
    assert still_there(page)


@pytest.mark.long
def test_touching_the_board_chooses_a_move_in_place_up_to_the_play_button(
    context: BrowserContext, home: House, base: str
) -> None:
    match_id = home.begin(3)
    page = context.new_page()
    page.goto(base + path_to(home, match_id, 1))
    leave_mark(page)
    link = page.locator("figure.board a").first
    href = link.get_attribute("href")
    link.click()
    expect(page.locator("form.confirm button")).to_be_visible()
    assert page.evaluate("document.activeElement.matches('form.confirm')"), "what is chosen is no link any more"
    assert page.url.endswith(str(href).partition("?")[2])
    assert still_there(page)


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", EACH)
def test_the_board_does_not_move_while_a_move_is_chosen_on_it(
    browser: Browser, home: House, base: str, game: str, size: dict[str, int]
) -> None:
    match_id = home.begin(3, game)
    play_decisions(home, match_id, 9)
    for context in open_browser(browser, size, reduced_motion="reduce"):
        context.add_init_script(WATCH_SHIFTS)
        page = context.new_page()
        page.goto(base + path_to(home, match_id, who_is_asked(home, match_id)))
        leave_mark(page)
        page.evaluate(TWO_FRAMES)
        page.locator("figure.board").scroll_into_view_if_needed()
        for _ in range(4):
            before = board_box(page)
            offered = page.locator("figure.board a[href*='pick=']:visible")
            if page.locator("form.confirm").count() or not offered.count():
                break
            url = page.url
            offered.first.focus()
            before = board_box(page)
            page.keyboard.press("Enter")
            expect(page).not_to_have_url(url)
            assert board_box(page) == before
        page.wait_for_load_state("networkidle")
        page.evaluate(TWO_FRAMES)
        assert sum(page.evaluate("window.shifts")) < 0.01
        assert still_there(page)


@pytest.mark.long
@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)], ids=["once", "twice"])
@pytest.mark.parametrize("game", [pytest.param(one, marks=() if one == SOON else pytest.mark.long) for one in GAMES])
def test_the_questions_of_a_turn_follow_each_other_on_one_page(
    context: BrowserContext, alone: tuple[House, str], game: str, times: int
) -> None:
    """Plays until a seat was asked twice in a row this often.

    Seats asked in between are shown, and news arrives by itself. What is dealt depends on the matches before.
    """
    home, base = alone
    match_id = home.begin(3, game)
    seat = who_is_asked(home, match_id)
    page = context.new_page()
    page.clock.install()
    page.goto(base + path_to(home, match_id, seat))
    leave_mark(page)
    in_a_row = 0
    for n in range(60):
        if not home.view(match_id, seat).ask:
            expect(page.locator(".todo")).to_have_count(0)
            if not home.asks(match_id):
                break
            home.bot_plays(match_id, who_is_asked(home, match_id), n)
            page.clock.run_for(61_000)
            continue
        key = home.view(match_id, seat).ask.key  # type: ignore[union-attr]
        expect(page.locator(".ask input[name=key]")).to_have_value(key)
        choose_move(page)
        play_move(page)
        expect(page).to_have_url(base + path_to(home, match_id, seat) + "?done=1")
        expect(page.locator("[data-part=head][data-moved]")).to_be_visible()
        after = home.view(match_id, seat).ask
        if after is not None:
            in_a_row += 1
            expect(page.locator(".ask input[name=key]")).to_have_value(after.key)
            expect(page.locator(".slot > .item:visible")).to_have_count(1)
            if in_a_row == times:
                break
    assert in_a_row, "nobody was asked twice in a row"
    assert still_there(page)


# --- news -----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_waiting_page_shows_by_itself_that_its_readers_turn_has_come(
    context: BrowserContext, home: House, base: str
) -> None:
    match_id = home.begin(3)
    for seat in (0, 1, 2):
        home.play(match_id, seat)
    mover = who_is_asked(home, match_id)
    waiting = next(seat for seat in (1, 2) if seat != mover)
    page, watcher = context.new_page(), context.new_page()
    for tab in (page, watcher):
        tab.clock.install()
    page.goto(base + path_to(home, match_id, waiting))
    watcher.goto(f"{base}/match/{match_id}")
    leave_mark(page)
    leave_mark(watcher)
    line = watcher.locator("h1").inner_text()
    watcher.evaluate("() => { self.offered = document.querySelector('.play-this form'); }")
    assert not page.title().startswith("●")
    for _ in range(30):
        if home.view(match_id, waiting).ask:
            break
        home.bot_plays(match_id, who_is_asked(home, match_id))
    page.clock.run_for(61_000)
    expect(page.locator(".todo")).to_be_attached()
    expect(page.locator("#said")).to_contain_text("Your turn")
    assert page.title().startswith("●")
    watcher.clock.run_for(61_000)
    expect(watcher.locator("h1")).not_to_have_text(line)
    assert still_there(page)
    assert still_there(watcher)
    assert watcher.evaluate("() => self.offered.isConnected"), "only the number of its form is new"


@pytest.mark.long
@pytest.mark.parametrize("work", ["chosen", "typed"])
def test_news_never_throws_away_what_the_reader_has_chosen_or_written(
    context: BrowserContext, home: House, base: str, work: str
) -> None:
    match_id = home.begin(3)
    page = context.new_page()
    page.clock.install()
    page.goto(base + path_to(home, match_id, 1))
    if work == "chosen":
        choose_move(page)
    else:
        page.locator(".why > summary").click()
        page.fill("input[name=text]", "ally F")
    home.play(match_id, 2)
    page.clock.run_for(61_000)
    expect(page.locator("#news")).to_be_visible()
    expect(page.locator("#said")).to_contain_text("news")
    if work == "chosen":
        expect(page.locator("form.confirm")).to_be_visible()
    else:
        expect(page.locator("input[name=text]")).to_have_value("ally F")
    page.locator("#news a").click()
    expect(page.locator("#news")).to_be_hidden()
    expect(page.locator("figure.board > svg:visible").get_by_text("still choosing")).to_have_count(1)


def asks_of(page: Page, path: str) -> tuple[list[str], set[Any]]:
    """Returns the page's polls for news and those without an answer; both collections stay up to date."""
    found, open_ones = list[str](), set[Any]()

    def note(request: Any) -> None:
        if "if-none-match" in request.headers and urlsplit(request.url).path == path:
            found.append(request.url)
            open_ones.add(request)

    def note_end(request: Any) -> None:
        open_ones.discard(request)

    page.on("request", note)
    page.on("requestfinished", note_end)
    page.on("requestfailed", note_end)
    return found, open_ones


@pytest.mark.long
def test_a_seat_page_first_polls_after_one_second_as_bots_move_at_once(
    context: BrowserContext, home: House, base: str
) -> None:
    path = path_to(home, home.begin(3), 1)
    page = context.new_page()
    page.add_init_script(
        "const own = setTimeout, pauses = window.pauses = [];"
        "window.setTimeout = (then, ms, ...rest) => (pauses.push(ms), own(then, ms, ...rest));"
    )
    page.goto(base + path)
    asks, _ = asks_of(page, path)
    with page.expect_response(base + path):
        pass
    assert asks
    assert page.evaluate("pauses[0]") == 1000


@pytest.mark.long
def test_a_page_polls_less_often_with_time_or_hidden_and_stops_at_the_end(
    context: BrowserContext, home: House, base: str
) -> None:
    match_id = home.begin(2 if 2 in home.view(home.begin(3), None).game.meta.seats else 3)
    path = path_to(home, match_id, 1)
    page = context.new_page()
    page.clock.install()
    page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => window.away === true })")
    page.goto(base + path)
    asks, open_ones = asks_of(page, path)

    def during(minutes: int, every_s: int = 30) -> int:
        asks.clear()
        for _ in range(minutes * 60 // every_s):
            page.clock.run_for(every_s * 1000)
            page.wait_for_timeout(8)
            while open_ones:  # the clock stands still until they are answered
                page.wait_for_timeout(8)
        return len(asks)

    first, later = during(3, every_s=10), during(3, every_s=10)
    assert first > later > 0
    during(9)
    page.evaluate("window.away = true; document.dispatchEvent(new Event('visibilitychange'))")
    during(3)
    hidden = during(6)
    assert hidden <= 3
    home.play_out(match_id)
    page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("h1")).to_contain_text("won")
    assert during(5) == 0


@pytest.mark.long
def test_a_match_that_begins_on_an_open_page_shows_only_one_board(
    context: BrowserContext, home: House, base: str
) -> None:
    match_id = home.create()
    matches.confirm_match(home.site, home.claim("confirm", match_id, 0), "en", "Europe/Paris")
    page = context.new_page()
    page.goto(base + path_to(home, match_id, 0))
    leave_mark(page)
    for seat in (1, 2):
        matches.accept_invitation(home.site, home.claim("invitation", match_id, seat), "en", "Europe/London")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("figure.board > svg").first).to_be_attached()
    assert page.locator("figure.board > svg:visible").count() == 1
    assert still_there(page)


# --- limits ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("games", [("niigata",), pytest.param(GAMES, marks=pytest.mark.long)], ids=["one", "all"])
def test_a_first_visit_is_light_does_not_shift_and_loads_from_one_place(
    browser: Browser, home: House, base: str, games: Sequence[str]
) -> None:
    paths = ["/", "/rules/hexen-rennen"]
    if len(games) > 1:
        paths += ["/new?game=niigata", "/links"]
    for game in games:
        match_id = home.begin(3, game)
        play_decisions(home, match_id, 40)
        own = path_to(home, match_id, next((ask.seat for ask in home.asks(match_id)), 0))
        paths += [own, f"/match/{match_id}", f"{own}/replay"]
    weights, shifts = {}, {}
    for path in paths:
        for context in open_browser(browser, DESKTOP):
            weights[path], shifts[path] = weigh_first_visit(context, base, path)
    heavy = {path: weight for path, weight in weights.items() if weight > FIRST_LOAD}
    assert not heavy
    assert {path: shift for path, shift in shifts.items() if shift > MOST_SHIFT} == {}
    assert max(weights.values()) > 60_000, "the fonts alone weigh as much, so something was not counted"


def weigh_first_visit(context: BrowserContext, base: str, path: str) -> tuple[int, float]:
    """The bytes over the wire of a first visit, all of them from this site, and how much shifted during it."""
    context.add_init_script(WATCH_SHIFTS)
    page = context.new_page()
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    sizes: dict[str, float] = {}
    urls: list[str] = []
    kinds: dict[str, str] = {}
    wire.on("Network.requestWillBeSent", lambda sent: kinds.update({sent["requestId"]: sent["type"]}))
    wire.on("Network.loadingFinished", lambda done: sizes.update({done["requestId"]: done["encodedDataLength"]}))
    page.on("request", lambda request: urls.append(request.url))
    answer = page.goto(base + path, wait_until="networkidle")
    assert answer is not None
    assert answer.status == 200, path
    page.evaluate("document.fonts.ready.then(() => true)")
    assert {f"{urlsplit(url).scheme}://{urlsplit(url).netloc}" for url in urls} == {base}
    assert len(sizes) >= len(set(urls)) - 1, "something is still on its way"
    page.evaluate(TWO_FRAMES)
    # A script fetches more where the browser rests, such as the next frames of a replay.
    first = [size for one, size in sizes.items() if kinds.get(one) != "Fetch"]
    return round(sum(first)), sum(page.evaluate("window.shifts"))


@pytest.mark.long
def test_a_whole_turn_can_be_played_without_javascript(browser: Browser, home: House, base: str) -> None:
    match_id = home.begin(3)
    for seat in (0, 1, 2):
        home.play(match_id, seat)
    seat = who_is_asked(home, match_id)
    for context in open_browser(browser, PHONE, java_script_enabled=False):
        page = context.new_page()
        page.goto(base + path_to(home, match_id, seat))
        while page.locator(".todo").count() and page.locator("h1").is_visible():
            if not home.view(match_id, seat).ask:
                break
            choose_move(page)
            play_move(page)
        expect(page.locator("h1")).to_contain_text("Waiting" if seat else "On attend")


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}], ids=["upright", "wide"])
@pytest.mark.parametrize("game", EACH)
def test_a_whole_turn_can_be_played_with_tab_and_enter_alone(
    context: BrowserContext, home: House, base: str, game: str, size: Any
) -> None:
    match_id = home.begin(3, game)
    seat = who_is_asked(home, match_id)
    page = context.new_page()
    page.set_viewport_size(size)
    page.goto(base + path_to(home, match_id, seat))
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    expect(page.locator("a.skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    begun, played = home.view(match_id, seat).ask, 0
    assert begun is not None
    while (ask := home.view(match_id, seat).ask) and ask.turn == begun.turn and played < 12:
        expect(page.locator(".ask input[name=key]")).to_have_value(ask.key)
        while not page.locator("form.confirm").count():
            url = page.url
            if page.locator(".listed:not([open]) > summary").is_visible():
                tab_to(page, ".listed > summary")
                page.keyboard.press("Enter")
            assert_offered_once(page)
            tab_to(page, f'#main a[href="{hrefs_of_choices(page)[0]}"]')
            page.keyboard.press("Enter")
            expect(page).not_to_have_url(url)
        tab_to(page, "form.confirm button")
        page.keyboard.press("Enter")
        expect(page).to_have_url(base + path_to(home, match_id, seat) + "?done=1")
        expect(page.locator("h1")).to_be_focused()
        played += 1
    assert played


def assert_offered_once(page: Page) -> None:
    """Checks that each choice, though it is on the board as well, is one stop in the tab order.

    Cells that may be chosen instead of one that was chosen before are on the board alone: by keyboard one steps back.
    """
    hrefs = "all => all.filter((a) => a.getClientRects().length).map((a) => a.getAttribute('href'))"
    stops = page.locator("#main a:not([tabindex='-1'])").evaluate_all(hrefs)
    offered = hrefs_of_choices(page)
    on_board = page.locator(":is(figure.board, .pad) a[href*='ask=']").evaluate_all(hrefs)
    assert {*offered} & {*on_board}, "the board, or the pad beside it, offers what the list does"
    assert {href: stops.count(href) for href in offered} == dict.fromkeys(offered, 1)
    assert all(stops.count(href) <= 1 for href in on_board)


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until such an element has the focus; checks that the focus is always visible and in reading order."""
    for _ in range(120):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """(wanted) => {
              const node = document.activeElement;
              const style = getComputedStyle(node);
              const box = node.getBoundingClientRect();
              const bar = document.querySelector("form.confirm")?.getBoundingClientRect();
              const free = !bar || node.closest("form.confirm, .skip") || box.bottom <= bar.top || box.top >= bar.bottom
                || box.left >= bar.right || box.right <= bar.left;
              return { found: node.matches(wanted), page: node === document.body, free: Boolean(free),
                       outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
            }""",
            selector,
        )
        assert seen["outline"] or seen["page"], page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        assert seen["free"] or seen["page"], page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        if seen["found"]:
            return
    raise AssertionError(f"Tab never reaches {selector}")
