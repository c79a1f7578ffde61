"""The list of choices on the page of a seat: side by side while their labels are short, else one below the other."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from pbem.services.views.match_views import OpenAsk
from pbem.web.views.match_page import MOST_LETTERS
from tests.browser.stage.playing import path_to
from tests.docs.gallery import advance
from tests.table import House

pytestmark = pytest.mark.browser

SHOWN = """() => [...document.querySelectorAll(".todo a.opt > span")].filter((label) => label.getClientRects().length)
    .map((label) => ({
      letters: label.textContent.length,
      lines: Math.round(label.getBoundingClientRect().height / parseFloat(getComputedStyle(label).lineHeight)),
      wide: label.scrollWidth > label.clientWidth + 1,
      left: label.closest("li").getBoundingClientRect().left,
    }))"""


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize(
    ("game", "kind"), [("niigata", "pick"), ("niigata", "claim"), ("hagakure", "card"), ("allegeance", "answer")]
)
def test_choices_take_at_most_two_lines_and_long_ones_stand_in_one_column(
    browser: Browser, home: House, base: str, game: str, kind: str, lang: str, width: int, height: int
) -> None:
    match_id, seats = home.begin(3, game), (0,) if lang == "fr" else (1, 2)  # the house's first player reads French

    def chooses(ask: OpenAsk) -> bool:
        return ask.kind == kind and ask.seat in seats and len(home.view(match_id, ask.seat).legal()) > 1

    while not (asked := [ask.seat for ask in home.asks(match_id) if chooses(ask)]):
        assert advance(home, match_id, 1)
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(base + path_to(home, match_id, asked[0]))
    assert page.get_attribute("html", "lang") == lang
    choices = page.evaluate(SHOWN)
    page.close()
    assert len(choices) > 1
    assert all(one["lines"] <= 2 and not one["wide"] for one in choices)
    long = max(one["letters"] for one in choices) > MOST_LETTERS
    assert (len({one["left"] for one in choices}) == 1) == long
