"""The map, moved and enlarged in a real browser as `pan.js` does it on a page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import pbem
from pbem.games.niigata import GAME
from pbem.games.niigata.facts_state import State
from pbem.kit.contract import Link, Scene
from pbem.kit.play import Table, random_decisions
from pbem.render import pictures
from tests.transcripts import seed_of

pytestmark = pytest.mark.browser
STEP = 1.5
"""By how much a press of + enlarges."""
NAMES = ["Alice", "Bob", "Carol", "Dave"]
STATIC = Path(pbem.__file__).parent / "web" / "static"


@pytest.fixture(scope="module")
def late() -> tuple[State, int]:
    """A match that has gone on for a while, and the seat that must choose a cell."""
    table = Table(GAME, 4, GAME.meta.options(), seed_of("pan", 4, 1))
    for n, _ in enumerate(random_decisions(table)):
        asks = GAME.pending(table.state)
        if n > 70 and asks and asks[0].kind == "place":
            return table.state, asks[0].seat
    raise AssertionError("nobody lays a tile so late")


def draw_touchable(late: tuple[State, int], mark: str = "") -> str:
    """The board on which a cell can be touched."""
    fold, seat = late
    tile = fold.hands[seat][0]
    links = {f"at-{cell}": Link(f"#{mark}{cell}", f"At {cell}") for cell in fold.frontier}
    scene = Scene(links, (f"lay-{tile}",), extents={"whole": "#whole", "part": "#part"})
    return str(pictures.svg_with_names(GAME.draw(fold, seat, "en", scene), NAMES))


def draw_replay(late: tuple[State, int]) -> str:
    """The board in a replay, which has no links."""
    return str(pictures.svg_with_names(GAME.draw(late[0], None, "en", Scene()), NAMES))


def open_phone(browser: Browser, svg: str) -> Page:
    """A phone that shows the board."""
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.set_content(
        f"<!doctype html><style>{(STATIC / 'styles' / 'look.css').read_text()}"
        f"</style>{pictures.symbol_definitions(GAME, svg)}"
        f'<main><figure class="board">{svg}</figure></main>'
    )
    page.add_script_tag(path=STATIC / "scripts" / "pan.js", type="module")
    page.get_by_role("group", name="Map: the arrow keys move it").wait_for()
    return page


@pytest.fixture
def page(browser: Browser, late: tuple[State, int]) -> Iterator[Page]:
    """The board of a seat that chooses a cell."""
    page = open_phone(browser, draw_touchable(late))
    yield page
    page.close()


@pytest.fixture
def replay(browser: Browser, late: tuple[State, int]) -> Iterator[Page]:
    """The board of a replay."""
    page = open_phone(browser, draw_replay(late))
    yield page
    page.close()


def enlarge(page: Page) -> None:
    """Enlarges the map with the keyboard."""
    page.get_by_role("group", name="Map: the arrow keys move it").focus()
    page.keyboard.press("+")


def place_of(page: Page) -> str:
    """The map's position now."""
    return page.locator("[data-pan] > g").last.get_attribute("transform") or ""


def cell_size(page: Page) -> float:
    box = page.locator("[data-pan] a").first.bounding_box()
    assert box is not None
    return box["width"]


@pytest.mark.long
def test_without_a_link_to_a_larger_map_a_button_enlarges_and_resets_it(replay: Page) -> None:
    first = place_of(replay)
    replay.get_by_role("button", name="Enlarge the map").click()
    assert place_of(replay) != first
    replay.get_by_role("button", name="See the whole map").click()
    assert place_of(replay) == first


@pytest.mark.long
def test_the_board_of_a_seat_has_one_link_to_the_whole_map_and_no_button(page: Page) -> None:
    expect(page.get_by_role("link", name="See the whole map")).to_have_attribute("href", "#whole")
    expect(page.get_by_role("button")).to_have_count(0)


@pytest.mark.long
def test_every_visible_cell_fits_a_finger_and_is_clear_of_the_overview(page: Page) -> None:
    sizes = [a.bounding_box() for a in page.locator("[data-pan] a").all()]
    assert len(sizes) > 15
    for box in sizes:
        assert box is not None
        assert min(box["width"], box["height"]) >= 40
    assert under_overview(page) == 0


def under_overview(page: Page) -> int:
    """How many cells lie under the overview."""
    found: int = page.evaluate(
        """() => {
            const box = (node) => node.getBoundingClientRect();
            const seen = box(document.querySelector("[data-pan] > rect"));
            const top = box(document.querySelector("[data-overview] > rect"));
            const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
            return [...document.querySelectorAll("[data-pan] a")].map(box)
                .filter((cell) => meet(cell, seen) && meet(cell, top)).length;
        }"""
    )
    return found


@pytest.mark.long
def test_touching_the_overview_moves_the_window_or_opens_the_whole_map(
    page: Page,
) -> None:
    first = place_of(page)
    overview, frame = page.locator("[data-overview] > rect").first, page.locator("[data-frame]")
    box, seen = overview.bounding_box(), frame.bounding_box()
    assert box is not None
    assert seen is not None
    corners = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x in (0.15, 0.85) for y in (0.15, 0.85)]
    far = max(corners, key=lambda at: abs(at[0] - seen["x"] - seen["width"] / 2) + abs(at[1] - seen["y"]))
    page.mouse.click(*far)
    assert place_of(page) != first
    assert "#" not in page.url
    box, moved = overview.bounding_box(), frame.bounding_box()
    assert box is not None, "it may lie in another corner now"
    assert moved is not None
    # The window may reach beyond the map, and so beyond the overview.
    across = max(box["x"], moved["x"]), min(box["x"] + box["width"], moved["x"] + moved["width"])
    down = max(box["y"], moved["y"]), min(box["y"] + box["height"], moved["y"] + moved["height"])
    page.mouse.click(sum(across) / 2, sum(down) / 2)
    expect(page).to_have_url(re.compile("#whole"))


@pytest.mark.long
def test_the_overview_makes_room_when_the_map_is_moved(page: Page) -> None:
    page.get_by_role("group", name="Map: the arrow keys move it").focus()
    places = set()
    for key in ["ArrowUp"] * 8 + ["ArrowRight"] * 8 + ["ArrowDown"] * 12 + ["ArrowLeft"] * 12:
        page.keyboard.press(key)
        places.add(page.locator("[data-overview]").get_attribute("transform"))
    assert len(places) > 1


@pytest.mark.long
def test_the_keyboard_moves_an_enlarged_map_and_focus_shows_its_cell(page: Page) -> None:
    page.get_by_role("group", name="Map: the arrow keys move it").focus()
    first = place_of(page)
    page.keyboard.press("+")
    enlarged = place_of(page)
    assert enlarged != first
    page.keyboard.press("ArrowLeft")
    assert place_of(page) != enlarged
    for link in page.locator("[data-pan] a").all():
        link.focus()
        assert in_window(page, link)
    page.keyboard.press("0")
    assert place_of(page) == first


@pytest.mark.long
def test_a_map_that_is_whole_does_not_move(replay: Page) -> None:
    replay.get_by_role("group", name="Map: the arrow keys move it").focus()
    first = place_of(replay)
    replay.keyboard.press("ArrowLeft")
    replay.keyboard.press("-")
    assert place_of(replay) == first


@pytest.mark.long
def test_a_drag_moves_the_map_without_choosing_and_a_click_chooses(page: Page) -> None:
    enlarge(page)
    before, link = place_of(page), middle_link(page)
    box = link.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 15, steps=4)
    page.mouse.up()
    assert place_of(page) != before
    assert "#" not in page.url
    middle_link(page).click()
    assert "#" in page.url


def middle_link(page: Page) -> Locator:
    """A cell that is entirely visible in the window."""
    return next(link for link in page.locator("[data-pan] a").all() if in_window(page, link))


def in_window(page: Page, link: Locator) -> bool:
    """True if the cell is entirely visible."""
    window, box = page.locator("[data-pan] > rect").bounding_box(), link.bounding_box()
    assert window is not None
    assert box is not None
    across = window["x"] <= box["x"] and box["x"] + box["width"] <= window["x"] + window["width"]
    return across and window["y"] <= box["y"] and box["y"] + box["height"] <= window["y"] + window["height"]


@pytest.mark.long
def test_the_wheel_enlarges_the_map_only_while_ctrl_is_held(page: Page) -> None:
    page.mouse.move(*middle_of(page))  # a corner may hold the overview
    first = place_of(page)
    page.mouse.wheel(0, -50)
    assert place_of(page) == first
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(
        "first => document.querySelector('[data-pan] > g').getAttribute('transform') !== first", arg=first
    )


@pytest.mark.long
def test_two_fingers_enlarge_the_map_and_one_finger_then_moves_it(page: Page) -> None:
    touch, (x, y) = page.context.new_cdp_session(page), middle_of(page)

    def fingers(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})

    first, small = place_of(page), cell_size(page)
    fingers("Start", (x - 30, y), (x + 30, y))
    for apart in (40, 50, 60):
        fingers("Move", (x - apart, y), (x + apart, y))
    fingers("End")
    pinched = place_of(page)
    assert pinched != first
    assert 1.5 * small < cell_size(page) < 2.2 * small
    fingers("Start", (x, y))
    fingers("Move", (x + 30, y + 10))
    fingers("Move", (x + 50, y + 20))
    fingers("End")
    assert place_of(page) != pinched
    assert "#" not in page.url


def middle_of(page: Page) -> tuple[float, float]:
    """The middle of the window."""
    box = page.locator("[data-pan] > rect").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.long
def test_the_visible_part_of_the_map_stays_when_the_board_is_redrawn(page: Page, late: tuple[State, int]) -> None:
    enlarge(page)
    page.keyboard.press("ArrowRight")
    before = place_of(page)
    page.evaluate(
        """svg => {
            document.querySelector(".board").innerHTML = svg;
            document.dispatchEvent(new CustomEvent("pbem:shown"));
            document.dispatchEvent(new CustomEvent("pbem:shown"));
        }""",
        draw_touchable(late, "again"),
    )
    assert place_of(page) == before
    expect(page.get_by_role("group", name="Map: the arrow keys move it")).to_have_count(1)


@pytest.mark.long
def test_the_rulers_follow_the_map(page: Page) -> None:
    def columns() -> dict[str, float]:
        marks = page.locator("[data-ruler=x] text:not([visibility=hidden])").all()
        return {mark.text_content() or "": float(mark.get_attribute("x") or 0) for mark in marks}

    first = columns()
    enlarge(page)
    moved = columns()
    assert 1 < len(moved) < len(first)
    apart = sorted(moved.values())
    assert apart[1] - apart[0] == pytest.approx(
        STEP * (sorted(first.values())[1] - sorted(first.values())[0]), rel=0.03
    )
