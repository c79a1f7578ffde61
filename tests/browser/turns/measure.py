"""What is measured on the page of a seat as it is shown: where the board begins, words, answers in sight, targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

SETTLED = "() => document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 60)))"
WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""
"""To be run before the page; where a browser does not know layout shifts, none are seen."""
MEASURE = """() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
  const page = document.documentElement, strip = document.querySelector(".strip");
  const words = (one) => one.textContent.trim().replace(/\\s+/g, " ").slice(0, 50) || one.getAttribute("aria-label");
  const describe = (one) => `${one.localName}.${one.getAttribute("class") ?? ""} “${words(one)}”`;

  // Words: what is read outside drawings. A rule of ours hides these meanwhile, and what only a screen reader reads.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("svg, .hidden, .skip, #said { display: none !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const read = document.body.innerText.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word));
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);

  // Answers: each once, by what its links choose; in sight if one of these lies in the window whole.
  const answers = new Map(), inside = (box) => box.left > -1 && box.top > -1
    && box.right < innerWidth + 1 && box.bottom < innerHeight + 1;
  const choice = (link) => {
    const asked = new URL(link.getAttribute("href"), location.href).searchParams;
    return asked.has("pick") || asked.has("move") ? `${asked.get("pick") ?? ""} ${asked.get("move") ?? ""}` : null;
  };
  const here = choice({ getAttribute: () => location.href });
  for (const link of document.querySelectorAll("#main a[href]")) {
    const chosen = choice(link);
    if (chosen === null || chosen === here || link.closest("details:not([open])")) continue;
    answers.set(chosen, answers.get(chosen) || (shown(link) && inside(link.getBoundingClientRect())));
  }

  const touched = ":is(.strip, .todo) :is(a, button, summary), figure.board a[href]";
  const beside = "p a, a:has([data-overview])";
  const targets = [...document.querySelectorAll(touched)].filter((one) => shown(one) && !one.matches(beside))
    .map((one) => {
      const { width, height } = one.getBoundingClientRect();
      return [Math.round(Math.min(width, height) * 10) / 10, describe(one)];
    }).sort(([a], [b]) => a - b);
  // Letters reach a little beyond their line, so that an element is taller inside than it is, though nothing is lost.
  // A deadline gives its second part up where there is no room; news are paged two lines at a time where a pager is.
  const pager = [...document.querySelectorAll(".slot .pg")].some(shown);
  const letters = (one) => parseFloat(getComputedStyle(one).fontSize);
  const full = (one) => one.scrollHeight > one.clientHeight + letters(one) / 5 || one.scrollWidth > one.clientWidth + 1;
  const given = (one) =>
    one.matches(".due:has(> span)") ? !full(one.firstElementChild) : pager && one.matches(".item > p");
  const boxes = [...document.querySelectorAll(".strip, .strip *, .todo .opt, .todo .opt > span")]
    .filter((one) => one instanceof HTMLElement);
  const cut = boxes.filter((one) => shown(one) && one.clientHeight && !one.closest(".hidden") && full(one))
    .filter((one) => !given(one)).map(describe);
  const board = document.querySelector("figure.board"), top = (one) => one.getBoundingClientRect().top + scrollY;
  return {
    top: board && Math.round(top(board) * 10) / 10,
    words: read.length,
    answers: answers.size,
    below: [...answers].filter(([, seen]) => !seen).map(([chosen]) => chosen),
    targets,
    cut,
    wide: Math.max(0, page.scrollWidth - innerWidth),
    shift: (window.shifts ?? []).reduce((sum, one) => sum + one, 0),
  };
}"""


@dataclass(frozen=True)
class Measured:
    """A page in one window.

    `top`: where the board begins, in px; None without a board. `words`: those outside drawings, with menus closed.
    `answers`: what the page offers to choose, and of these `below`, those with no link wholly in the first screen.
    `targets`: the least side of what can be touched in strip, choices and board, but for links in sentences and the
    overview of a map, which has the map's shape: in px, smallest first, and what it is. `cut`: parts of the strip and
    choices whose content does not fit. `wide`: what the page is wider than the window, in px. `shift`: the sum of the
    layout shifts while it was opened.
    """

    top: float | None
    words: int
    answers: int
    below: list[str]
    targets: list[tuple[float, str]]
    cut: list[str]
    wide: float
    shift: float


def measure_page(page: Page) -> Measured:
    """Measures the page that is open, once its letters are there."""
    page.evaluate(SETTLED)
    found: dict[str, Any] = page.evaluate(MEASURE)
    return Measured(**found)
