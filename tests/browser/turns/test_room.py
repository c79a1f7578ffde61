"""Room in the strip: for words beside buttons, letters twice as large, names of the widest letters, forced colours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from pbem.models.tables import SeatRow
from tests.browser.games import GAMES
from tests.browser.stage.playing import path_to
from tests.browser.turns.measure import measure_page
from tests.browser.turns.states import State, few_and_many, open_stage, play_states
from tests.docs.gallery import advance_match, serve_pages
from tests.harness.waiting import SECONDS
from tests.table import House

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]

PHONES = ("360x740", "390x844")
WINDOWS = (*PHONES, "844x390", "1024x768", "1280x800")
BUTTONS = ("late", "asked-back", "played-held", "played-consent", "played-asked", "absent")
"""States in which words stand beside buttons."""
WIDE_NAME = "W" * 23
LEAST = 44
LARGE = "document.documentElement.style.fontSize = '36px'"
"""Letters of twice their usual size."""
LOST = """() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length;
  const name = (one) => `${one.localName}.${one.className} “${one.textContent.trim().slice(0, 40)}”`;
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowY);
  const beyond = (one) => parseFloat(getComputedStyle(one).fontSize) / 5;
  const full = (one) => one.scrollHeight > one.clientHeight + beyond(one) || one.scrollWidth > one.clientWidth + 1;
  const paged = (one) => one.matches(".slot:has(> .pg, > .on) > .item > p");
  const whole = (one) => one.matches(".due") ? !full(one.firstElementChild) : one.title === one.textContent;
  const told = (one) => paged(one) || whole(one);
  const found = [], parts = [...document.querySelectorAll(".strip :is(h1, p, .ctl, .play, .pg, summary), .todo .opt")]
    .filter((one) => shown(one) && !one.closest(".sheet, .why > div, .hidden"));
  for (const one of parts) {
    if (full(one) && !scrolls(one) && !told(one)) found.push(`${name(one)} is cut`);
    const { left, right } = one.getBoundingClientRect();
    if (left < -1 || right > innerWidth + 1) found.push(`${name(one)} leaves the window`);
  }
  const boxes = parts.filter((one) => one.closest(".strip")).concat(document.querySelector("figure.board") ?? [])
    .map((one) => [one, one.getBoundingClientRect()]);
  boxes.forEach(([one, a], n) => {
    for (const [other, b] of boxes.slice(n + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const along = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && along > 2 && !one.contains(other)) found.push(`${name(one)} meets ${name(other)}`);
    }
  });
  return found;
}"""
"""What cannot be read: words that are cut with no way to them, and parts that leave the window or meet others."""
ROOM = """() => [...document.querySelectorAll(".item:not([hidden]) > p")]
  .map((one) => one.scrollHeight - one.clientHeight)"""
"""How far the words of the item in sight scroll, in px."""


CUT = """() => [...document.querySelectorAll(".strip > .head :is(h1, .due > :first-child)")]
    .filter((one) => one.checkVisibility()).filter((one) => {
  const pen = document.createElement("canvas").getContext("2d"), style = getComputedStyle(one);
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const mark = document.createElement("span");
  mark.style.display = "inline-block";
  one.append(mark);
  const line = mark.getBoundingClientRect().bottom;
  mark.remove();
  for (let box = one; !box.matches(".strip"); box = box.parentElement) {
    const end = box.getBoundingClientRect().bottom;
    if (getComputedStyle(box).overflowY !== "visible" && line + pen.measureText("gp").actualBoundingBoxDescent > end)
      return true;
  }
  return false;
}).map((one) => one.textContent)"""
"""Lines of the head in which a g or a p reaches below what is shown."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without motion."""
    context = browser.new_context(reduced_motion="reduce", locale="en-GB")
    context.set_default_timeout(SECONDS * 1000)
    yield context.new_page()
    context.close()


def open_in(page: Page, address: str, size: str) -> None:
    width, height = map(int, size.split("x"))
    page.set_viewport_size({"width": width, "height": height})
    page.goto(address)


def visit_in_windows(page: Page, base: str, state: State, sizes: tuple[str, ...]) -> Iterator[str]:
    """Opens the state in these windows and both languages; yields what tells the visit from others."""
    for size in sizes:
        for lang in ("en", "fr"):
            open_in(page, state.address(base, lang), size)
            yield f"{state.id} {size} {lang}"


def test_no_letter_of_the_head_of_a_turn_is_cut_off_below(page: Page) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        (state,) = play_states(home, app, "hogen", 3, ("ask-act",))
        for name in visit_in_windows(page, base, state, WINDOWS):
            assert page.locator(".strip > .head h1:visible").count() == 1, name
            assert page.evaluate(CUT) == [], name


@pytest.mark.parametrize("names", [BUTTONS[:2], pytest.param(BUTTONS[2:], marks=pytest.mark.long)], ids=["a", "b"])
def test_text_beside_buttons_is_not_cut_off_on_a_phone(page: Page, names: tuple[str, ...]) -> None:
    tops = set()
    with open_stage() as (home, app), serve_pages(app) as base:
        for state in play_states(home, app, "hogen", 3, names):
            for name in visit_in_windows(page, base, state, PHONES):
                found = measure_page(page)
                assert page.locator(".item:visible .ctl").count(), name
                assert page.evaluate(LOST) == [], name
                assert max(page.evaluate(ROOM)) <= 4, f"{name}: words that scroll"
                assert [target for target in found.targets if target[0] < LEAST and "ctl" in target[1]] == [], name
                tops.add(found.top)
    assert len(tops) == 1


@pytest.mark.parametrize(
    "game", ["hogen", *(pytest.param(one, marks=pytest.mark.long) for one in GAMES if one != "hogen")]
)
def test_refusals_are_not_cut_off_on_a_phone_and_do_not_shift_the_board(page: Page, game: str) -> None:
    tops = set()
    with open_stage() as (home, app), serve_pages(app) as base:
        for state in play_states(home, app, game, few_and_many(game)[0], ("ask", "refused")):
            for name in visit_in_windows(page, base, state, PHONES[:1]):
                tops.add(measure_page(page).top)
                assert page.evaluate(LOST) == [], name
                if "refused" in state.name:
                    assert page.locator(".item.no:visible").count() == 1, name
                    assert max(page.evaluate(ROOM)) <= 4, f"{name}: words that scroll"
    assert len(tops) == 1


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_everything_can_be_read_with_doubled_text_size(page: Page, game: str) -> None:
    wrong = list[str]()
    names = (*BUTTONS, "ask", "chosen", "half", "refused", "waiting", "message")
    with open_stage() as (home, app), serve_pages(app) as base:
        for state in play_states(home, app, game, few_and_many(game)[1], names):
            for name in visit_in_windows(page, base, state, WINDOWS):
                page.evaluate(LARGE)
                wide = measure_page(page).wide
                wrong += [f"{name}: {fault}" for fault in page.evaluate(LOST)] + [f"{name}: {wide} px too wide"] * bool(
                    wide
                )
    assert not wrong, "\n".join(wrong)


def begin_with_wide_names(home: House, game: str) -> str:
    """Begins a match of the most seats, whose players have names of 24 wide letters; returns its id."""
    count = few_and_many(game)[1]
    match_id = home.begin(count, game)
    with home.site.writing() as work:
        for seat in range(count):
            work.get_one(SeatRow, (match_id, seat)).name = WIDE_NAME + "ABCDEF"[seat]
    advance_match(home, match_id, 12)
    return match_id


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_the_widest_names_are_readable_and_do_not_widen_the_page(page: Page, game: str) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        match_id = begin_with_wide_names(home, game)
        asked = home.asks(match_id)[0]
        view = home.view(match_id, asked.seat)
        chosen = f"&ask={asked.key}&move={view.game.format(view.legal()[0])}"
        others = [seat for seat in range(few_and_many(game)[1]) if seat != asked.seat]
        for seat, tail in ((asked.seat, ""), (asked.seat, chosen), (others[0], "")):
            for size in WINDOWS:
                open_in(page, f"{base}{path_to(home, match_id, seat)}?lang=fr{tail}", size)
                assert measure_page(page).wide == 0
                assert page.evaluate(LOST) == []


@pytest.mark.long
def test_a_prompt_too_long_for_its_row_can_be_reached_by_keyboard(page: Page) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        match_id = begin_with_wide_names(home, "hogen")
        open_in(page, base + path_to(home, match_id, home.asks(match_id)[0].seat), "360x740")
        prompt = page.locator(".ask > p")
        assert prompt.evaluate("(one) => one.scrollHeight - one.clientHeight") > 4
        for _ in range(40):
            page.keyboard.press("Tab")
            if prompt.evaluate("(one) => one === document.activeElement"):
                break
        page.keyboard.press("End")
        page.wait_for_function("() => document.querySelector('.ask > p').scrollTop > 0")


@pytest.mark.long
@pytest.mark.parametrize("size", PHONES + WINDOWS[-1:])
def test_forced_colours_keep_buttons_and_unread_marks_distinguishable(browser: Browser, size: str) -> None:
    context = browser.new_context(reduced_motion="reduce", forced_colors="active")
    page, frames = context.new_page(), dict[str, str]()
    with open_stage() as (home, app), serve_pages(app) as base:
        for state in play_states(home, app, "hogen", 3, ("unread-one", "read", "chosen-answer")):
            open_in(page, state.address(base), size)
            part = page.locator(".confirm > .play" if state.name == "chosen-answer" else ".slot .next")
            style = "(one) => { const s = getComputedStyle(one); return `${s.borderTopWidth} ${s.borderTopColor}`; }"
            frames[state.name] = part.evaluate(style)
            assert state.name == "read" or frames[state.name].split(maxsplit=1)[1] != part.evaluate(
                "(one) => getComputedStyle(one).backgroundColor"
            )
    context.close()
    assert not frames["chosen-answer"].startswith("0px")
    assert frames["unread-one"].split()[0] > frames["read"].split()[0]
