"""Accessibility faults that axe-core finds on a page, in light and dark mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.games import PHONE
from tests.harness.waiting import SECONDS

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
PRACTICE = ("best-practice",)
"""Good practice for pages, above all landmarks. A mail has none of its own: it lies among those of its reader."""
COLOURS = ["color-contrast", "link-in-text-block"]
"""What can differ between light and dark paper; the rest is the same page."""
LIGHT_FIRST = pytest.mark.parametrize(
    "dark", [False, pytest.param(True, marks=pytest.mark.long)], ids=["light", "dark"]
)
"""For pages that in dark mode have no pair of colours but those of pages that every run checks in both modes.

The choice was made by hand: a page that gets a new pair loses the mark.
"""


_RUN = """async (options) => {
  const found = await axe.run(document, options);
  return { passes: found.passes.length, violations: found.violations.map((rule) => ({
    id: rule.id, impact: rule.impact,
    nodes: rule.nodes.map((node) => [node.target.join(" "), node.html.slice(0, 160), node.failureSummary]) })) };
}"""


class Reader:
    """Opens pages and records what is wrong with them, in a browser that obeys our content policy.

    `found` maps each thing checked to its faults, and stays empty when there are none. Each is checked in light mode,
    and with `dark` in dark mode, too.
    """

    def __init__(
        self, browser: Browser, base: str, size: dict[str, int] = PHONE, lang: str = "en", dark: bool = True
    ) -> None:
        self.context: BrowserContext = browser.new_context(
            viewport=size,  # type: ignore[arg-type]
            locale={"en": "en-GB", "fr": "fr-FR"}[lang],
            reduced_motion="reduce",
        )
        self._size = size
        self._dark = dark
        self.context.set_default_timeout(SECONDS * 1000)
        self.page: Page = self.context.new_page()
        self.base = base
        self.found: dict[str, list[str]] = {}
        self.looked: list[str] = []

    def go(self, path: str, status: int = 200) -> Page:
        """Opens the page of this address, which answers with this status."""
        url = path if path.startswith("http") else self.base + path
        answer = self.page.goto(url)
        assert answer is not None
        assert answer.status == status, f"{url} answers {answer.status}"
        return self.page

    def look(self, what: str, practice: Sequence[str] = PRACTICE) -> None:
        """Checks what the page shows now.

        The window is made as tall as the page, so that sticky elements lie in their own places, and axe-core does not
        take an element that is covered by chance of scrolling for a small one.
        """
        self.looked.append(what)
        self.page.wait_for_load_state()
        height = self.page.evaluate("document.documentElement.scrollHeight")
        self.page.set_viewport_size({"width": self._size["width"], "height": max(height, self._size["height"])})
        if not self.page.evaluate("typeof axe === 'object'"):
            self.page.evaluate(AXE)
        if self._dark:
            self.page.emulate_media(color_scheme="dark")
            self._keep(f"{what}, dark", {"runOnly": COLOURS})
            self.page.emulate_media(color_scheme="light")
        self._keep(what, {"runOnly": [*WCAG, *practice]})
        self.page.set_viewport_size(self._size)  # type: ignore[arg-type]

    def see(self, what: str, path: str, status: int = 200) -> Page:
        """Opens the page of this address and checks it."""
        page = self.go(path, status)
        self.look(what)
        return page

    def _keep(self, what: str, options: dict[str, Any]) -> None:
        report = self.page.evaluate(_RUN, {**options, "resultTypes": ["violations"]})
        assert report["passes"], f"{what}: nothing was checked"
        lines = [
            f"{rule['id']} ({rule['impact']}): {target} · {html} · {' '.join(why.split())}"
            for rule in report["violations"]
            for target, html, why in rule["nodes"]
        ]
        if lines:
            self.found[what] = lines

    def judge(self) -> None:
        """Fails with everything that was wrong anywhere, a line for each element."""
        assert self.looked, "nothing was looked at"
        told = [f"{what}: {line}" for what, lines in self.found.items() for line in lines]
        assert not told, "\n" + "\n".join(told)


@contextmanager
def open_reader(
    browser: Browser, base: str, size: dict[str, int] = PHONE, lang: str = "en", dark: bool = True
) -> Iterator[Reader]:
    """Yields a reader; any fault they found fails the test at the end."""
    reader = Reader(browser, base, size, lang, dark)
    try:
        yield reader
    finally:
        reader.context.close()
    reader.judge()
