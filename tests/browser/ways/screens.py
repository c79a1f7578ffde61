"""First screens: a page opened in a window of some size, and what of it is in sight there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Locator, Page

from tests.browser.turns.measure import SETTLED

LANGS = ("en", "fr")
SCREENS = ("360x740", "390x844", "844x390", "1280x800", "1600x900")
LEAST = 44
"""In px: the least side of what is touched on a phone."""
TARGETS = """(within) => [...document.querySelectorAll(`${within} :is(a, button, summary, select, input, textarea)`)]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.type !== "hidden")
  .filter((one) => !one.matches("label *, details:not([open]) > :not(summary) *, [aria-hidden=true]"))
  .filter((one) => getComputedStyle(one).display !== "inline" || ![...one.closest("p, li")?.childNodes ?? []]
    .some((part) => part.nodeType === Node.TEXT_NODE && /\\p{L}/u.test(part.data)))
  .map((one) => [Math.round(one.getBoundingClientRect().height * 10) / 10, one.outerHTML.slice(0, 90)])
  .sort(([a], [b]) => a - b)"""


@contextmanager
def open_screen(
    browser: Browser, size: str, lang: str = "en", *, zone: str = "Europe/Paris", scripts: bool = True
) -> Iterator[Page]:
    """Yields a page in a window of this size, of a browser with this language and time zone."""
    width, height = map(int, size.split("x"))
    context = browser.new_context(
        viewport={"width": width, "height": height},
        locale={"en": "en-GB", "fr": "fr-FR"}.get(lang, lang),
        timezone_id=zone,
        java_script_enabled=scripts,
    )
    try:
        yield context.new_page()
    finally:
        context.close()


def bottom_of_element(what: Locator) -> float:
    """Returns where the element ends, in px from the top of the window."""
    what.page.evaluate(SETTLED)
    box = what.bounding_box()
    assert box is not None, "it is not shown"
    return box["y"] + box["height"]


def too_small(page: Page, within: str = "main") -> list[tuple[float, str]]:
    """Returns what can be touched there and is lower than LEAST, but for links in sentences: its height and tag."""
    return [(height, tag) for height, tag in page.evaluate(TARGETS, within) if height < LEAST]
