"""Lines of text and rows of buttons on the pages: a mark stays with its notation, and buttons of a row are as high."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.kit.play import Table
from pbem.render import phrases, pictures
from tests.browser.games import PHONE
from tests.games.discovered import GAMES, LANGUAGES, sample_tables
from tests.table import House

pytestmark = pytest.mark.browser

NAMES = ["Al", "Bo", "Bartholomew", "Max", "Wilhelmine", "Io"]
LAY = """([symbols, lines]) => {
  document.body.innerHTML = `${symbols}<div>${lines.map((line) => `<p>${line}</p>`).join("")}</div>`;
}"""
PARTED = """() => {
  const sheet = document.querySelector("body > div"), found = new Set();
  const at = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  };
  const beside = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const letters = [...sheet.querySelectorAll("p")].map((line) => {
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT), found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.localName === "svg") found.push([node, node, 0]);
      if (node.nodeType === 3) [...node.data].forEach((letter, n) => found.push([letter, node, n]));
    }
    return found;
  });
  for (let width = 90; width < 400; width += 3) {
    sheet.style.width = `${width}px`;
    for (const line of letters) {
      line.forEach(([mark, svg], n) => {
        if (mark !== svg) return;
        const own = svg.getBoundingClientRect();
        const ends = (what) => !what || /^[ \\n]$/.test(what[0]);
        let before = n - 1, after = n + 1;
        while (line[before] && line[before][0] === "\\u00a0") before -= 1;
        while (line[after] && line[after][0] === "\\u00a0") after += 1;
        for (const other of [line[before], line[after]]) {
          if (ends(other) || other[0] === other[1]) continue;
          if (!beside(own, at(other[1], other[2], other[2] + 1))) found.add(svg.closest("p").textContent);
        }
      });
    }
  }
  return [...found];
}"""
UNEVEN = """() => {
  const rows = [], found = [];
  for (const list of document.querySelectorAll(".opts, .row, .links")) {
    for (const button of list.querySelectorAll("a.opt, a.ctl, button")) {
      const { top, height } = button.getBoundingClientRect(), middle = top + height / 2;
      if (!height) continue;
      const row = rows.find((row) => row.list === list && Math.abs(row.middle - middle) < height / 2);
      if (!row) rows.push({ list, middle, height });
      else if (Math.abs(row.height - height) > 0.5) found.push(`${button.textContent}: ${height}, not ${row.height}`);
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def paper(browser: Browser, base: str) -> Iterator[Page]:
    """A page with the style sheets of the service."""
    context = browser.new_context(viewport={"width": 500, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.goto(base)
    yield page
    context.close()


def lines_said(table: Table, lang: Any) -> Iterator[str]:
    """What the games say of a position: what is asked, what can be done, and the way there."""
    game = table.game
    for ask in game.pending(table.state):
        fold = table.folds[ask.seat]
        yield game.prompt(ask, fold, lang)
        legal = list(game.legal(fold, ask.seat))
        for move in legal[:: max(1, len(legal) // 6)]:
            yield game.label(move, fold, lang)
            yield from (step.label for step in game.path(move, fold, lang))


@pytest.mark.long
@LANGUAGES
@GAMES
def test_a_cards_drawing_never_wraps_away_from_its_notation(paper: Page, game: AnyGame, lang: Any) -> None:
    lines = {
        phrases.phrase_html(phrase, NAMES, game.meta)
        for table in sample_tables(game)
        for phrase in lines_said(table, lang)
    }
    drawn = sorted(line for line in lines if "<svg" in line)[:60]
    if not game.meta.marks:
        return
    paper.evaluate(LAY, [str(pictures.symbol_definitions(game, *drawn)), drawn])
    assert drawn
    assert paper.evaluate(PARTED) == []


@pytest.mark.long
def test_the_check_finds_a_drawing_wrapped_away_from_its_notation(paper: Page) -> None:
    """Tests the test."""
    game = all_games()["hogen"]
    line = phrases.phrase_html("You take {F1}.", [], game.meta).replace(' class="whole"', "")
    paper.evaluate(LAY, [str(pictures.symbol_definitions(game, line)), [line]])
    assert paper.evaluate(PARTED) == ["You take F1\u00a0."]


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}], ids=["phone", "desktop"])
def test_the_answer_buttons_of_one_row_have_the_same_height(
    browser: Browser, base: str, home: House, size: Any
) -> None:
    """The answers of Hagakure's first question are of one line to five."""
    match_id = home.begin(3, "hagakure")
    page = browser.new_page(viewport=size)
    page.goto(f"{base}/play/{home.token('play', match_id, home.asks(match_id)[0].seat)}")
    assert page.locator("a.opt").count() > 4
    assert page.evaluate(UNEVEN) == []
    page.close()


@pytest.mark.long
def test_a_large_and_a_small_button_side_by_side_have_the_same_height(paper: Page) -> None:
    button, link = '<form><button class="play">Play again</button></form>', '<a class="ctl" href="?">Replay</a>'
    paper.evaluate("(row) => { document.body.innerHTML = row }", f'<div class="row">{button}{link}</div>')
    assert paper.evaluate(UNEVEN) == []
    paper.evaluate("document.querySelector('.row').style.alignItems = 'center'")
    paper.evaluate("document.querySelector('.ctl').style.alignSelf = 'center'")
    assert paper.evaluate(UNEVEN), "the test sees a row that is uneven"
