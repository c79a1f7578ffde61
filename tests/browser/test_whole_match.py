"""A newcomer's whole match: start it, find the mails, accept, play by their links to the end, watch the replay."""

from __future__ import annotations

import json
import urllib.request
from email.message import EmailMessage

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.games import PHONE, choose_move, click_and_wait, play_move
from tests.browser.mailbox import Mailbox, choice_links, fill_in_people, first_link, is_over
from tests.harness.waiting import SECONDS
from tests.table import THREE

pytestmark = pytest.mark.browser


def start_match(page: Page, service: str, mailbox: Mailbox) -> None:
    """Fills in the form on the start page."""
    page.goto(service)
    page.locator("a[href*='game=hogen']").first.click()
    fill_in_people(page, THREE, mailbox)
    page.locator("form button.play").click()


def press_only_button(page: Page) -> None:
    """Presses the one button, and sees what it has done."""
    click_and_wait(page, page.locator("button.play"))


def seat_everybody(page: Page, mailbox: Mailbox) -> None:
    """Confirms, then accepts for the others."""
    (confirm,) = mailbox.wait(1)
    page.goto(first_link(confirm, "confirm"))
    page.locator(".reader > summary").click()
    page.select_option("select[name=language]", "fr")
    press_only_button(page)
    for invitation in mailbox.wait(2):
        page.goto(first_link(invitation, "invitation"))
        page.locator(".reader > summary").click()
        page.select_option("select[name=language]", "en")
        press_only_button(page)


def play_from(page: Page, mail: EmailMessage) -> None:
    """Opens the mail's last choice (a declaration if there is one), completes it, presses the button."""
    page.goto(choice_links(mail)[-1])
    choose_move(page)
    play_move(page)


def answer_by_mailed_link(service: str, mail: EmailMessage) -> None:
    """Plays the last legal move (a declaration if there is one) as a program, by the link of the mail."""
    token = choice_links(mail)[-1].partition("/play/")[2].partition("?")[0]
    path = f"{service}/api/v1/matches/{token.partition('.')[0]}"
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{path}/ask", headers=headers), timeout=SECONDS) as told:
        asked = json.load(told)
    declared = [one["move"] for one in asked["legal"] if one["move"]["type"] == "Declare"]
    move = (declared or [one["move"] for one in asked["legal"]])[-1]
    data = json.dumps({"key": asked["ask"]["key"], "move": move}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{path}/moves", data, headers), timeout=SECONDS) as done:
        assert done.status == 201


@pytest.mark.long
@pytest.mark.parametrize("pressed", [6, pytest.param(1000, marks=pytest.mark.long)], ids=["at first", "throughout"])
def test_three_people_play_by_mailed_links_and_watch_the_replay(browser: Browser, service: str, pressed: int) -> None:
    """This many moves are chosen on the pages; what follows them is played by a program."""
    page = browser.new_page(viewport=PHONE, locale="fr-FR")  # type: ignore[arg-type]
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    mailbox, played = Mailbox(service, f"three{pressed}"), 0
    start_match(page, service, mailbox)
    seat_everybody(page, mailbox)
    over: list[EmailMessage] = []
    while not over:
        mails = mailbox.wait(1)
        over = [mail for mail in mails if is_over(mail)]
        for mail in mails:
            if choice_links(mail) and not over:
                play_from(page, mail) if played < pressed else answer_by_mailed_link(service, mail)
                played += 1
    page.goto(first_link(over[0], "replay"))
    watch_again(page)
    assert not troubles
    page.close()


def watch_again(page: Page) -> None:
    """Steps through the replay by button, keys and slider, and from another seat's view."""
    here = page.locator("#steps [aria-current=step]")
    slider = page.locator("#step")
    page.locator("#first").click()
    expect(slider).to_have_value("1")
    page.locator("#next").click()
    expect(slider).to_have_value("2")
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("3")
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value("2")
    expect(here).to_have_count(1)
    page.locator("#last").click()
    expect(slider).to_have_value(str(slider.get_attribute("max")))
    assert page.locator("a.eyes").count() >= len(THREE) + 1
    page.locator("a.eyes", has_text="Bob").click()
    expect(page.locator("a.eyes[aria-current=true]")).to_contain_text("Bob")


@pytest.mark.long
def test_an_old_turn_mails_link_shows_the_current_match_with_a_notice(browser: Browser, service: str) -> None:
    page = browser.new_page()
    mailbox = Mailbox(service, "old")
    start_match(page, service, mailbox)
    seat_everybody(page, mailbox)
    mail = mailbox.wait(3)[0]
    play_from(page, mail)
    page.goto(choice_links(mail)[0])
    expect(page.locator(".slot > .item:not([hidden])").first).to_be_visible()
    expect(page.locator("figure.board > svg:visible").first).to_be_visible()
    page.close()
