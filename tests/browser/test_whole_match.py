"""What a newcomer does: start a match, find the mails, accept, play by their links to the end, watch it again."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

NAMES = ("Alice", "Bob", "Carol")
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1204, "height": 900}


class Mailbox:
    """The part of the local mailbox that belongs to one test: the mails to its own addresses."""

    def __init__(self, service: str, tag: str) -> None:
        self._service = service
        self._tag = tag
        self._read: set[str] = set()

    def address(self, name: str) -> str:
        """The address of one of the cast in this test."""
        return f"{name.lower()}.{self._tag}@example.org"

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self._service + path, timeout=5) as response:
            return bytes(response.read())

    def unread(self) -> list[EmailMessage]:
        """The mails not looked at before, oldest first."""
        listed = [m["id"] for m in json.loads(self._get("/mailbox.json")) if f".{self._tag}@" in m["to"]]
        fresh = [i for i in reversed(listed) if i not in self._read]
        self._read.update(fresh)
        return [
            message_from_bytes(self._get(f"/mailbox/{i}.eml"), _class=EmailMessage, policy=policy.default)
            for i in fresh
        ]

    def wait(self, count: int = 1, seconds: float = 30) -> list[EmailMessage]:
        """At least so many new mails."""
        found: list[EmailMessage] = []
        end = time.monotonic() + seconds
        while len(found) < count:
            assert time.monotonic() < end, f"{len(found)} of {count} mails came"
            found += self.unread()
            time.sleep(0.1)
        return found


def text_of(mail: EmailMessage) -> str:
    """The text half of a mail."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def link(mail: EmailMessage, path: str) -> str:
    """The first link of the mail to this kind of page."""
    found = re.search(rf"http://\S+/{path}/\S+", text_of(mail))
    assert found, text_of(mail)
    return found.group()


def start_match(page: Page, service: str, mailbox: Mailbox) -> None:
    """Fills in the form on the start page's way."""
    page.goto(service)
    page.locator("a[href*='game=hogen']").first.click()
    for at, name in enumerate(NAMES):
        page.fill(f"input[name=name{at}]", name)
        page.fill(f"input[name=address{at}]", mailbox.address(name))
    page.locator("form button.play").click()


def press(page: Page) -> None:
    """Presses the one button."""
    page.locator("button.play").click()


def seat_everybody(page: Page, mailbox: Mailbox) -> None:
    """Confirms, then accepts for the others."""
    (confirm,) = mailbox.wait(1)
    page.goto(link(confirm, "confirm"))
    page.select_option("select[name=language]", "fr")
    press(page)
    for invitation in mailbox.wait(2):
        page.goto(link(invitation, "invitation"))
        page.select_option("select[name=language]", "en")
        press(page)


def choice_links(mail: EmailMessage) -> list[str]:
    """The links of a turn mail that open the board with a choice made."""
    return re.findall(r"http://\S+/play/\S+[?]ask=\S+", text_of(mail))


def play_from(page: Page, mail: EmailMessage) -> None:
    """Opens the mail's last choice (a declaration where there is one), completes it, presses the button."""
    page.goto(choice_links(mail)[-1])
    while not page.locator("form.confirm button.play").count():
        page.locator(".todo .opts a.opt").first.click()
    press(page)
    expect(page.locator("[role=status]")).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_match_is_played_by_the_links_of_its_mails_and_watched_again(
    browser: Browser, service: str, size: dict[str, int]
) -> None:
    page = browser.new_page(viewport=size, locale="fr-FR")  # type: ignore[arg-type]
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    mailbox = Mailbox(service, f"wide{size['width']}")
    start_match(page, service, mailbox)
    seat_everybody(page, mailbox)
    over: list[EmailMessage] = []
    while not over:
        mails = mailbox.wait(1)
        over = [m for m in mails if "/replay" in text_of(m) and not choice_links(m)]
        for mail in mails:
            if choice_links(mail) and not over:
                play_from(page, mail)
    page.goto(link(over[0], "replay"))
    watch_again(page)
    assert not troubles
    page.close()


def watch_again(page: Page) -> None:
    """Steps through the replay by button, keys and slider, and through another's eyes."""
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
    assert page.locator("a.eyes").count() >= len(NAMES) + 1
    page.locator("a.eyes", has_text="Bob").click()
    expect(page.locator("a.eyes[aria-current=true]")).to_contain_text("Bob")


def test_a_match_can_be_played_without_javascript(browser: Browser, service: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport=PHONE, locale="en-GB")  # type: ignore[arg-type]
    page = context.new_page()
    mailbox = Mailbox(service, "plain")
    start_match(page, service, mailbox)
    seat_everybody(page, mailbox)
    for mail in mailbox.wait(3):
        play_from(page, mail)
    (turn,) = mailbox.wait(1)
    play_from(page, turn)
    page.goto(page.url.split("?")[0] + "/replay")
    page.locator("#first").click()
    expect(page.locator("#steps [aria-current=step]")).to_have_count(1)
    context.close()


def test_an_old_link_shows_the_match_as_it_is_with_a_word_about_it(browser: Browser, service: str) -> None:
    page = browser.new_page()
    mailbox = Mailbox(service, "old")
    start_match(page, service, mailbox)
    seat_everybody(page, mailbox)
    mail = mailbox.wait(3)[0]
    play_from(page, mail)
    page.goto(choice_links(mail)[0])
    expect(page.locator("[role=status]")).to_be_visible()
    expect(page.locator("figure.board svg").first).to_be_visible()
    page.close()
