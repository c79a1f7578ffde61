"""Boards that are drawn in several shapes, measured in a browser: nothing touches, is cut, or is too small to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import structs
from playwright.sync_api import Browser, Page, Route

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Link, Scene, Shape
from pbem.kit.play import Table
from pbem.kit.replay import By
from pbem.render import pictures
from pbem.testing.faces.boards import boards_of_position
from tests.browser.games import begin_with_a_call
from tests.games.discovered import stop_match
from tests.table import House

pytestmark = pytest.mark.browser

NAMES = ["Bartholomew the Elder", "WWWWWW MMMMMM", "Heron of the North", "Maximilienne", "Wilhelmine", "Bob-Bob-Bob"]
WIDTHS: dict[Shape, float] = {"portrait": 390, "landscape": 880, "low": 542, "pad": 308}
"""How wide each shape is on the smallest screen that shows it: 390 x 844, 1280 x 800, 844 x 390."""
LEAST_PX = 12
TOUCH_PX = 40
SHAPED = [game for game in all_games().values() if "landscape" in game.meta.shapes]
STOPS = (0, 1, 2, 4, 7, 9, 16, 30, 60, 1000)
SEATED = [
    pytest.param(game, seats, lang, STOPS if full else STOPS[::3], id=f"{game.meta.slug}-{seats}-{lang}")
    for game in SHAPED
    for seats in game.meta.seats
    for full in [seats == max(game.meta.seats)]
    for lang in (("fr", "en") if full else ("fr",))
]
"""Where the most are seated there is least room; French words are the longer ones."""
IN_BOTH = pytest.mark.parametrize("lang", ["fr", "en"])

SHOW = """async ([symbols, svg, width]) => {
  document.body.innerHTML = `${symbols}<div style="width:${width}px">${svg}</div>`;
  document.body.firstElementChild.nextElementSibling.style.width = `${width}px`;
  await document.fonts.ready;
}"""
MEASURE = """([least, touch]) => {
  const svg = document.querySelector("body > div > svg");
  // What is seen of a thing on a map: a map may be larger than its window.
  const windows = new Map([...svg.querySelectorAll("[data-pan]")].map((map) => {
    const seen = svg.querySelector(map.getAttribute("clip-path").slice(4, -1) + " rect").cloneNode();
    seen.setAttribute("visibility", "hidden");
    map.before(seen);
    const at = seen.getBoundingClientRect();
    seen.remove();
    return [map, at];
  }));
  const clipped = (node, { left, right, top, bottom }) => {
    const seen = windows.get(node.closest("[data-pan]"));
    if (!seen) return { left, right, top, bottom };
    const across = [Math.max(left, seen.left), Math.min(right, seen.right)];
    const along = [Math.max(top, seen.top), Math.min(bottom, seen.bottom)];
    return { left: across[0], right: across[1], top: along[0], bottom: along[1] };
  };
  const inSight = ({ left, right, top, bottom }) => right - left > 0.7 && bottom - top > 0.7;
  const all_ = (node) => node.getBoundingClientRect();
  const box = (node) => clipped(node, all_(node));
  const scale = (node) => node.getScreenCTM().a;
  // Of a line of text, what letters cover: from the top of the highest one to just below the line.
  const pen = document.createElement("canvas").getContext("2d");
  const ink = (text) => {
    const { left, right } = all_(text), size = text.getAttribute("font-size") * scale(text);
    const line = text.getScreenCTM().f + text.getAttribute("y") * scale(text);
    pen.font = `${getComputedStyle(text).fontWeight} 100px Literata`;
    const high = pen.measureText(text.textContent).actualBoundingBoxAscent / 100;
    return clipped(text, { left, right, top: line - high * size, bottom: line + 0.1 * size });
  };
  const both = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > 0.7;
  const meet = (a, b) => both(a, b, "left", "right") && both(a, b, "top", "bottom");
  const between = (a, b, from, to) => a[from] >= b[from] - 0.7 && a[to] <= b[to] + 0.7;
  const within = (a, b) => between(a, b, "left", "right") && between(a, b, "top", "bottom");
  const sign = (use) => /^#(seat-\\d|spot|seal|wait|bot|eye|eye-shut)$/.test(use.getAttribute("href"));
  const said = (node) => node.tagName === "use" ? node.getAttribute("href") : `“${node.textContent}”`;
  const found = [];
  const written = (node) => node.textContent && node.getAttribute("visibility") !== "hidden";
  const lines = [...svg.querySelectorAll("text")].filter(written);
  const seenOf = (nodes, at) => nodes.map((node) => ({ node, at: at(node) })).filter(({ at }) => inSight(at));
  const texts = seenOf(lines, ink);
  const badges = seenOf([...svg.querySelectorAll("use")].filter(sign), box);
  const marks = [...texts, ...badges];
  // The letter on a badge belongs to it.
  const own = (text, badge) => badge.tagName === "use" && text.previousElementSibling === badge;
  const whole = box(svg);
  marks.forEach(({ node, at }, n) => {
    if (!within(at, whole)) found.push(`${said(node)} leaves the drawing`);
    for (const other of marks.slice(n + 1)) {
      if (!meet(at, other.at) || own(node, other.node) || own(other.node, node)) continue;
      found.push(`${said(node)} meets ${said(other.node)}`);
    }
  });
  // The overview lies on the map, which can be moved under it.
  const apart = (one, other) => one.closest("[data-overview]") && other.closest("[data-pan]");
  // What is painted later lies over what was painted before.
  const painted = (node) => getComputedStyle(node).fill !== "none" && +getComputedStyle(node).fillOpacity > 0;
  const shapes = [...svg.querySelectorAll("use, rect, circle, path")].filter(painted);
  const over = shapes.map((node) => ({ node, at: box(node) }));
  for (const { node, at } of texts) {
    const later = (one) => node.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
    const upon = over.filter((one) => later(one.node) && !apart(one.node, node) && meet(at, one.at));
    for (const one of upon) found.push(`${said(node)} is hidden by ${said(one.node)}`);
  }
  // In the order in which they are drawn, each upon those before.
  const edges = "rect.pa, rect.ib, rect.se, use[href='#back'], use[href='#card'], use[href='#mini']";
  const papers = [...svg.querySelectorAll(edges)].map((node) => ({ node, at: box(node) }));
  for (const { node, at } of texts) {
    const size = node.getAttribute("font-size") * scale(node);
    if (size < least - 0.05) found.push(`${said(node)} is ${size.toFixed(1)} px high`);
    if (badges.some((badge) => own(node, badge.node))) continue;
    const earlier = (one) => one.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
    const under = papers.filter((one) => earlier(one.node) && inSight(one.at) && !apart(one.node, node));
    // What lies under the paper on which the words stand is not seen.
    const ground = under.findLastIndex((one) => within(at, one.at));
    if (under.slice(ground + 1).some((one) => meet(at, one.at))) found.push(`${said(node)} crosses an edge`);
    // Letters that stand on a frame's lower edge look cut.
    const close = (one) => both(at, one, "left", "right") && Math.abs(at.top - one.bottom) < 1;
    const frames = under.slice(ground + 1).filter((one) => one.node.matches("rect.ib"));
    if (frames.some((one) => close(one.at))) found.push(`${said(node)} stands on a frame`);
  }
  for (const link of svg.querySelectorAll("a")) {
    const { width, height } = all_(link);
    const measured = `${width.toFixed(1)} x ${height.toFixed(1)} px`;
    if (Math.min(width, height) < touch - 0.05) found.push(`${link.getAttribute("aria-label")} is ${measured}`);
    for (const overview of svg.querySelectorAll("[data-overview] > rect")) {
      if (windows.has(link.closest("[data-pan]")) && inSight(box(link)) && meet(box(link), box(overview))) {
        found.push(`${link.getAttribute("aria-label")} lies under the overview`);
      }
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def paper(browser: Browser, base: str, home: House) -> Iterator[Page]:
    """A page with the style sheets and fonts of the service, on which boards are laid."""
    context = browser.new_context(viewport={"width": 1280, "height": 1600}, bypass_csp=True)
    page = context.new_page()
    page.route("**/look.css", _with_its_fonts)
    page.goto(base)
    page.evaluate("Promise.all([...document.fonts].map((font) => font.load()))")
    yield page
    context.close()


def _with_its_fonts(route: Route) -> None:
    """Has the page wait for its fonts, which a slow machine would otherwise do without."""
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace("font-display: optional", "font-display: block"))


def troubles_of_board(page: Page, game: AnyGame, svg: str, shape: Shape) -> list[str]:
    page.evaluate(
        SHOW, [str(pictures.symbol_definitions(game, svg)), str(pictures.svg_with_names(svg, NAMES)), WIDTHS[shape]]
    )
    found: list[str] = page.evaluate(MEASURE, [LEAST_PX, TOUCH_PX])
    return found


def boards_in_shapes(table: Table, lang: Any) -> Iterator[tuple[Shape, str]]:
    """The boards of a position as everybody sees it, in every shape."""
    for viewer in (*range(table.seats), None):
        yield from boards_of_position(table, viewer, lang)


@pytest.mark.long
@pytest.mark.parametrize(("game", "seats", "lang", "stops"), SEATED)
def test_no_element_of_a_board_overlaps_is_cut_off_or_too_small(
    paper: Page, game: AnyGame, seats: int, lang: Any, stops: tuple[int, ...]
) -> None:
    found: dict[str, None] = {}
    drawings: set[str] = set()
    for n, stop in enumerate(stops):
        for shape, svg in boards_in_shapes(stop_match(game, seats, n, stop), lang):
            if svg not in drawings:
                drawings.add(svg)
                found.update({f"{shape}: {trouble}": None for trouble in troubles_of_board(paper, game, svg, shape)})
    assert drawings
    assert not found, "\n".join(found)


@pytest.mark.long
@IN_BOTH
@pytest.mark.parametrize("own", [5, 6, 7, 10])
def test_cards_that_overlap_leave_ranks_and_letters_free(paper: Page, lang: Any, own: int) -> None:
    """In random play nobody collects this many cards; M is the widest letter."""
    game = all_games()["allegeance"]
    cards = [f"{clan}{rank}" for clan in "MBTF" for rank in "1234"]
    closed = (tuple(cards[:own]), (None,) * 3, (None,) * 12, ())
    opened = (tuple(cards[:own]), ("F1",), (), tuple(cards[own:15]))
    announcing = structs.replace(
        stop_match(game, 4, 0, 0).state, phase="announce", active=0, turn=13, banned=("B4",), palace=("F4",), target=5
    )
    giving = structs.replace(announcing, phase="give", announced="F1", drawn="F1", banned=())
    over = structs.replace(announcing, phase="over", winners=(0, 1), tokens=(5, 5, 1, 0), door=())
    links = {step: {f"{step}-{one}": Link("?x", one) for one in ones if one != "B4"}
             for step, ones in (("announce", cards), ("give", "BCD"))}  # fmt: skip
    scenes = [
        (structs.replace(announcing, hands=closed), 0, Scene(links=links["announce"])),
        (structs.replace(giving, hands=closed), 0, Scene(links=links["give"])),
        (structs.replace(giving, hands=opened), 0, Scene(links=links["give"])),
        *((structs.replace(over, hands=opened, palace=palace), eyes, Scene())
          for eyes in (0, None) for palace in ((), ("F2", "F3", "F4"))),
    ]  # fmt: skip
    found = {
        f"{shape} {n}: {trouble}"
        for n, (fold, viewer, scene) in enumerate(scenes)
        for shape in game.meta.shapes
        if (svg := game.draw(fold, viewer, lang, structs.replace(scene, shape=shape)))
        for trouble in troubles_of_board(paper, game, svg, shape)
    }
    assert not found, "\n".join(sorted(found))


@pytest.mark.long
@IN_BOTH
@pytest.mark.parametrize("seats", [3, 4])
def test_the_text_under_an_ally_that_may_be_declared_is_not_covered(paper: Page, seats: int, lang: Any) -> None:
    """In random play somebody has declared soon, and a player who calls is seldom shown what they may touch."""
    game = all_games()["hogen"]
    table = Table(game, seats, game.meta.options(), bytes(32))
    for _ in range(seats):
        ask = game.pending(table.state)[0]
        table.play(ask, game.legal(table.state, ask.seat)[0], By(seat=ask.seat))
    (ask,) = game.pending(table.state)
    boards = {svg: shape for shape, svg in boards_of_position(table, ask.seat, lang)}
    assert any('href="?declare' in svg for svg in boards)
    found = {f"{shape}: {one}" for svg, shape in boards.items() for one in troubles_of_board(paper, game, svg, shape)}
    assert not found, "\n".join(sorted(found))


@pytest.mark.long
@pytest.mark.parametrize(
    ("inside", "what"),
    [
        ('<text x="9" y="40" font-size="20">one</text><text x="20" y="44" font-size="20">two</text>', "meets “two”"),
        ('<text x="380" y="40" font-size="20">long</text>', "leaves the drawing"),
        ('<text x="9" y="40" font-size="11">tiny</text>', "px high"),
        ('<rect class="pa" x="9" y="9" width="30" height="60"/><text x="9" y="40" font-size="20">wide</text>', "edge"),
        (
            '<text x="9" y="40" font-size="20">5</text><rect class="sk" x="9" y="30" width="9" height="9"/>',
            "is hidden",
        ),
        (
            '<rect class="ib" x="9" y="5" width="60" height="20"/><text x="20" y="40" font-size="20">Hh</text>',
            "stands on",
        ),
        ('<a href="?" aria-label="it"><rect width="50" height="30"/></a>', "30.0 px"),
    ],
)
def test_the_check_of_boards_finds_each_kind_of_fault(paper: Page, inside: str, what: str) -> None:
    """Tests the test."""
    found = troubles_of_board(paper, SHAPED[0], f'<svg viewBox="0 0 390 100">{inside}</svg>', "portrait")
    assert len(found) == 1
    assert what in found[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ((390, 844), "portrait"),
        ((844, 390), "low"),
        ((1920, 480), "low"),
        ((1204, 900), "portrait"),
        ((1280, 800), "landscape"),
    ],
)
def test_a_page_shows_the_board_whose_shape_fits_its_window(
    paper: Page, home: House, base: str, size: tuple[int, int], shape: Shape
) -> None:
    match_id, seat = begin_with_a_call(home)
    page = paper.context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{base}/play/{home.token('play', match_id, seat)}")
    assert page.locator("figure.board > svg:visible").count() == 1
    board = page.locator(f"figure.board > .{shape}").bounding_box()
    assert board
    if shape != "portrait":  # all of it on the first screen
        assert board["y"] + board["height"] <= size[1]
    pad = page.locator(".todo > .pad").bounding_box()  # None where it is not shown
    assert pad is None or pad["height"] <= size[1]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()
