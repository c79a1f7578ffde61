"""The rules of every game in a browser: figures readable on a phone, nothing sticks out, a followed rule stands out."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from pbem.games import all_games

LEAST_PX = 12
SLUGS = pytest.mark.parametrize("slug", list(all_games()))

FAULTS = """() => {
  const faults = [], shared = (a, b) => [
    Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
  ];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
  for (const svg of document.querySelectorAll(".fig svg")) {
    const name = svg.getAttribute("aria-label"), frame = svg.getBoundingClientRect();
    const letters = [...svg.querySelectorAll("text")];
    const texts = letters.map((text) => [text.textContent, text.getBoundingClientRect(), text]);
    for (const [said, box, text] of texts) {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1)
        faults.push(`${name}: “${said}” is cut`);
      const matrix = text.getScreenCTM(), size = text.getAttribute("font-size") * Math.abs(matrix.a);
      if (size < LEAST) faults.push(`${name}: “${said}” is ${size} px high`);
    }
    texts.forEach(([said, a], i) => texts.slice(i + 1).forEach(([other, b]) => {
      const [wide, high] = shared(a, b);
      if (wide > 1 && high > 0.4 * Math.min(a.height, b.height)) faults.push(`${name}: “${said}” lies on “${other}”`);
    }));
    for (const seal of svg.querySelectorAll('use[href="#seal"]')) {
      for (const [said, box] of texts) {
        const [wide, high] = shared(seal.getBoundingClientRect(), box);
        if (wide > 1 && high > 6) faults.push(`${name}: a seal lies on “${said}”`);
      }
    }
  }
  return faults;
}"""


@pytest.mark.long
@SLUGS
def test_figures_of_the_rules_can_be_read_on_a_small_phone(browser: Browser, base: str, slug: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    for lang in ("fr", "en"):
        page.goto(f"{base}/rules/{slug}?lang={lang}")
        page.evaluate("document.fonts.ready")
        assert page.locator(".fig svg").count() == len(all_games()[slug].figures)
        assert page.evaluate(FAULTS.replace("LEAST", str(LEAST_PX))) == [], lang
    page.close()


@pytest.mark.long
def test_the_rule_that_a_link_leads_to_is_framed(browser: Browser, base: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{base}/rules/hogen?lang=en#4.2")
    style = "style => getComputedStyle(document.getElementById(style)).outlineStyle"
    assert [page.evaluate(style, rule) for rule in ("4.1", "4.2")] == ["none", "dashed"]
    assert page.evaluate("scrollY") > 0
    page.close()


@pytest.mark.long
def test_the_rules_contents_are_folded_on_phones_and_visible_on_desktops(browser: Browser, base: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{base}/rules/hogen?lang=en")
    links = page.locator("nav.contents a[href='#6']")
    assert [links.nth(n).is_visible() for n in range(2)] == [False, False]
    page.locator("nav.contents summary").click()
    assert links.nth(0).is_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    assert [links.nth(n).is_visible() for n in range(2)] == [False, True]
    links.nth(1).click()
    assert page.evaluate("scrollY") > 0
    assert links.nth(1).evaluate("link => link.getBoundingClientRect().top >= 0")
    page.close()


@pytest.mark.long
def test_the_printed_rules_page_has_only_the_rules(browser: Browser, base: str) -> None:
    page = browser.new_page(viewport={"width": 794, "height": 1123})
    page.goto(f"{base}/rules/hogen?lang=en")
    page.emulate_media(media="print")
    assert page.locator(".fig svg").first.is_visible()
    for gone in (".bar", "nav.contents", ".foot", ".rules > .row"):
        assert not page.locator(gone).first.is_visible(), gone
    page.close()
