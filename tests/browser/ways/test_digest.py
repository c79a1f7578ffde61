"""From the mail of a day to the played move: two taps, whatever match of it is played."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pbem.services.mail import digests
from tests.browser.games import PHONE, begin_with_a_call, play_move
from tests.browser.mailbox import choice_links, html_of
from tests.browser.stage.playing import open_browser
from tests.browser.turns.states import open_stage
from tests.docs.gallery import serve_pages
from tests.services.letterbox import newest_mail, once_a_day
from tests.table import CAST, House

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.timeout(600)]

BESIDE = {"width": 700, "height": 900}
FINGER = 44
"""The least height of a choice, in pixels."""


def mail_of_the_day(home: House) -> tuple[EmailMessage, list[str]]:
    """The digest of a player who is asked in two matches, and their tokens there."""
    match_id, seat = begin_with_a_call(home)
    other = home.begin(3, "hagakure")
    while seat not in (asked := [ask.seat for ask in home.asks(other)]):
        home.play(other, asked[0])
    once_a_day(home, CAST[seat], home.clock.at.hour, "UTC")
    home.clock.forward(hours=24)
    digests.queue_digests_and_reopen_mails(home.site)
    home.drain()
    return newest_mail(home, CAST[seat]), [home.token("play", one, seat) for one in (match_id, other)]


def open_mail(page: Page, mail: EmailMessage, base: str) -> None:
    """Shows the mail as a mail program does, with its pictures, and links to the site that is served."""
    html = html_of(mail).replace("http://127.0.0.1:8000/", f"{base}/")
    for part in mail.walk():
        if part["Content-ID"]:
            data = base64.b64encode(part.get_content()).decode()
            html = html.replace(f"cid:{part['Content-ID'].strip('<>')}", f"data:image/png;base64,{data}")
    page.set_content(html)


def choices_of(page: Page, token: str) -> Locator:
    """The links of the mail that open this seat's page with a choice made."""
    return page.locator(f'a[href*="/play/{token}?ask="][href*="pick="]')


def test_two_taps_lead_from_a_digest_to_the_played_move_of_each_match(browser: Browser) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        mail, tokens = mail_of_the_day(home)
        for context in open_browser(browser, PHONE):
            for token in tokens:
                page = context.new_page()
                open_mail(page, mail, base)
                with page.expect_navigation():
                    choices_of(page, token).first.click()
                expect(page.locator("form.confirm button.play")).to_be_visible()
                play_move(page)


def test_no_choice_of_a_digest_is_hidden_small_or_beyond_the_edge(browser: Browser) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        mail, tokens = mail_of_the_day(home)
        assert {link.partition("/play/")[2].partition("?")[0] for link in choice_links(mail)} == set(tokens)
        for context in open_browser(browser, PHONE):
            page = context.new_page()
            open_mail(page, mail, base)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            for token in tokens:
                for choice in choices_of(page, token).all():
                    box = choice.bounding_box()
                    assert box is not None
                    assert box["height"] >= FINGER


def test_a_digests_choices_are_below_the_board_on_phones_else_beside_it(browser: Browser) -> None:
    with open_stage() as (home, app), serve_pages(app) as base:
        mail, tokens = mail_of_the_day(home)
        for size, beside in ((PHONE, False), (BESIDE, True)):
            for context in open_browser(browser, size):
                page = context.new_page()
                open_mail(page, mail, base)
                board = page.locator(f'a[href$="/play/{tokens[0]}"] img').bounding_box()
                choice = choices_of(page, tokens[0]).first.bounding_box()
                assert board is not None
                assert choice is not None
                assert (choice["y"] < board["y"] + board["height"]) is beside
                assert (choice["x"] >= board["x"] + board["width"]) is beside
