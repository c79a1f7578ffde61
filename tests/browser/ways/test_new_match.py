"""The form of a new match: the game, who plays and which bots in sight, few words, and the rest folded."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from pbem.games import all_games
from tests.browser.accessible.axe import open_reader
from tests.browser.games import EACH, click_and_wait
from tests.browser.turns.measure import measure_page
from tests.browser.ways.screens import LANGS, SCREENS, bottom_of_element, open_screen, too_small
from tests.harness.rows import every_row
from tests.table import House

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

WORDS = 72
"""Half of what the page said before."""
OTHERS = ("bots", "friends", "links")
QUICK = [(one, lang) for one in SCREENS[:1] for lang in LANGS]
ALL = [(one, lang) for one in SCREENS for lang in LANGS]
ON_SCREENS = pytest.mark.parametrize(
    ("size", "lang"), [pytest.param(*one, marks=() if one in QUICK else pytest.mark.long) for one in ALL]
)


@ON_SCREENS
@pytest.mark.parametrize("game", EACH)
def test_new_match_forms_are_short_with_a_button_on_the_first_screen(
    browser: Browser, base: str, game: str, size: str, lang: str
) -> None:
    with open_screen(browser, size, lang) as page:
        for others in OTHERS:
            page.goto(f"{base}/new?game={game}&others={others}")
            found = measure_page(page)
            assert found.words <= WORDS, others
            assert found.wide == 0
            assert too_small(page) == []
            if others != "friends" or page.viewport_size["width"] < 600:  # type: ignore[index]
                assert bottom_of_element(page.locator("button.play")) <= int(size.partition("x")[2])


def test_the_scrolling_row_of_games_in_the_match_form_shows_the_chosen(browser: Browser, base: str) -> None:
    with open_screen(browser, "360x740") as page:
        for slug in all_games():
            page.goto(f"{base}/new?game={slug}")
            box = page.locator(".picks.games [aria-current]").bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= 360 - box["width"], slug
            assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_choosing_a_game_by_its_cover_keeps_the_rest_of_the_match_form(browser: Browser, base: str) -> None:
    with open_screen(browser, "390x844") as page:
        page.goto(f"{base}/new?game=hogen&others=bots")
        expect(page.locator(".picks.games .cover")).to_have_count(len(all_games()))
        click_and_wait(page, page.locator(".picks.games a", has_text="Hagakure"))
        expect(page.locator(".picks.games [aria-current=true]")).to_have_text("Hagakure")
        expect(page.locator("form.stack [name=others]")).to_have_value("bots")


def test_without_scripts_the_chosen_number_and_level_of_bots_is_seated(
    browser: Browser, home: House, base: str
) -> None:
    with open_screen(browser, "390x844", scripts=False) as page:
        page.goto(f"{base}/new?game=hogen&others=bots")
        expect(page.get_by_role("radio", name="Good")).to_be_checked()
        page.get_by_text("Easy", exact=True).click()
        page.locator(".chip", has_text="4").click()
        click_and_wait(page, page.get_by_role("button", name="Start the match"))
        expect(page).to_have_url(f"{page.url.partition('?')[0]}?done=now")
    newest = max((row for row in every_row(home.site.engine)["matches"]), key=lambda row: row["created_at"])
    bots = [row["bot"] for row in every_row(home.site.engine)["seats"] if row["match_id"] == newest["id"]]
    assert bots == [None, "easy", "easy", "easy"]


def test_the_strength_of_bots_is_asked_where_bots_are_chosen(browser: Browser, base: str) -> None:
    with open_screen(browser, "390x844") as page:
        page.goto(f"{base}/new?game=hogen")
        strong = page.get_by_role("radio", name="Very strong")
        expect(strong).to_be_hidden()
        page.get_by_text("Bots", exact=True).first.click()
        expect(strong).to_be_visible()
        page.get_by_text("By link", exact=True).click()
        expect(strong).to_be_hidden()


def test_the_hint_on_what_to_type_unfolds_at_the_question_mark(browser: Browser, base: str) -> None:
    with open_screen(browser, "390x844") as page:
        page.goto(f"{base}/new?game=hogen")
        hint = page.get_by_text("An address alone, or with a name", exact=False)
        expect(hint).to_be_hidden()
        page.locator(".hint > summary").click()
        expect(hint).to_be_visible()


def test_axe_accepts_every_form_of_a_new_match(browser: Browser, base: str) -> None:
    with open_reader(browser, base) as reader:
        page = reader.see("against bots", "/new?game=hogen&others=bots")
        page = reader.see("with friends", "/new?game=allegeance")
        page.get_by_text("Bots", exact=True).first.click()
        for summary in page.locator("main details > summary").all():
            summary.click()
        reader.look("with friends, with all unfolded")
