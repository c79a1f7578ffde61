"""The chosen theme looks as the browser's own, on pages and on boards."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.games import click_and_wait

VALUES = """() => {
  const names = new Set();
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule.style) for (const name of rule.style) if (name.startsWith("--")) names.add(name);
  const of = (element) => {
    const style = getComputedStyle(element);
    return [...names].sort().map((name) => [name, style.getPropertyValue(name)]);
  };
  const night = document.body.appendChild(document.createElement("div"));
  night.className = "night-svg";
  return { page: of(document.documentElement), night: of(night) };
}"""


def values_of_variables(browser: Browser, base: str, prefers: Any, chosen: str) -> dict[str, Any]:
    """Returns the computed values of all variables, where the browser prefers a scheme and the reader chose a theme."""
    context = browser.new_context(color_scheme=prefers)
    page = context.new_page()
    page.goto(f"{base}/links")
    click_and_wait(page, page.locator(f"footer button[value={chosen}]"))
    found = page.evaluate(VALUES)
    context.close()
    return dict(found)


@pytest.mark.long
def test_a_chosen_theme_has_the_colours_of_the_same_browser_preference(browser: Browser, base: str) -> None:
    light, dark = (values_of_variables(browser, base, prefers, "auto") for prefers in ("light", "dark"))
    assert light["page"] != dark["page"]
    assert light["night"] != dark["night"]
    assert values_of_variables(browser, base, "light", "dark")["page"] == dark["page"]
    assert values_of_variables(browser, base, "light", "dark")["night"] == dark["night"]
    for theme in ("page", "night"):
        assert values_of_variables(browser, base, "dark", "light")[theme] == light[theme]
