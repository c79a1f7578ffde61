"""Two taps from a mail to a move, and a whole turn without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.games import EACH, PHONE, choose_move, play_move
from tests.browser.mailbox import choice_links
from tests.browser.stage.playing import open_browser
from tests.browser.turns.states import Stage, open_stage
from tests.docs.gallery import serve_pages
from tests.table import CAST, address_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]


@pytest.mark.long
@pytest.mark.parametrize("game", EACH)
def test_a_choice_in_a_mail_leads_to_the_button_that_plays_it(browser: Browser, game: str) -> None:
    """A question of several steps takes a tap for each of the others, and one for the button."""
    with open_stage() as (home, app), serve_pages(app) as base:
        stage = Stage(home, app, game, 3)
        for found in (stage.find_asked(kind) for kind in stage.kinds):
            if found is None:
                continue
            match_id, seat = found
            home.clock.forward(seconds=200)
            home.mail.clear()
            home.drain()
            view = home.view(*found)
            steps = min(len(view.game.path(move, view.fold, "en")) for move in view.legal())
            (mail,) = [one for one in home.mail.to(address_of(CAST[seat])) if match_id in str(one)]
            choice = base + "/play/" + choice_links(mail)[0].partition("/play/")[2]
            for context in open_browser(browser, PHONE):
                page = context.new_page()
                page.goto(choice)
                assert steps > 1 or page.locator("form.confirm button.play").is_visible()
                choose_move(page)
                play_move(page)


@pytest.mark.long
@pytest.mark.sample(1, first=3)
@pytest.mark.parametrize("game", EACH)
def test_without_scripts_news_is_read_a_turn_played_and_every_fold_opens(browser: Browser, game: str) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        path = Stage(home, app, game, 3).card() or Stage(home, app, game, 3).read_until(2)
        assert path is not None
        for context in open_browser(browser, PHONE, java_script_enabled=False):
            page = context.new_page()
            page.goto(base + path)
            for _ in range(60):
                button = page.locator(".card:visible button, .slot .next:not([disabled], [aria-disabled])").first
                if not button.count():
                    break
                with page.expect_navigation():
                    button.click()
            expect(page.locator(".slot .next.unread")).to_have_count(0)
            for summary, inside in ((".menu > summary", ".sheet"), (".why > summary", ".why > div")):
                page.locator(summary).click()
                expect(page.locator(inside)).to_be_visible()
                page.locator(summary).click()
            choose_move(page)
            play_move(page)
