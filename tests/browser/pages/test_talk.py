"""The talk and the note in a browser: new messages come by themselves, and nothing that is being written is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from pbem.services.views import talk
from tests.browser.accessible.axe import Reader
from tests.browser.games import PHONE
from tests.browser.stage.playing import path_to
from tests.table import House, claim_of

pytestmark = [pytest.mark.browser, pytest.mark.long]

READER, OTHER = 1, 2


def test_an_incoming_chat_message_keeps_the_readers_draft(browser: Browser, home: House, base: str) -> None:
    match_id = home.begin(3)
    page = browser.new_page(viewport=PHONE, locale="en-GB")  # type: ignore[arg-type]
    page.clock.install()
    page.goto(f"{base}{path_to(home, match_id, READER)}/talk")
    talk.post_message(home.site, claim_of(home.site, match_id, OTHER), "Hello")
    page.clock.run_for(61_000)
    expect(page.locator(".said")).to_contain_text("Hello")
    page.locator(".said li").evaluate("message => { message.mark = true }")
    page.fill("textarea[name=say]", "Wait for")
    talk.post_message(home.site, claim_of(home.site, match_id, OTHER), "Who begins?")
    page.clock.run_for(61_000)
    page.get_by_role("link", name="Show the news").click()
    expect(page.locator(".said")).to_contain_text("Who begins?")
    expect(page.locator("textarea[name=say]")).to_have_value("Wait for")
    marks = page.locator(".said li").evaluate_all("messages => messages.map((message) => message.mark === true)")
    assert marks == [True, False], "a screen reader says the new one alone"
    page.close()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_chat_message_and_a_note_are_saved_and_shown(browser: Browser, home: House, base: str, scripts: bool) -> None:
    match_id = home.begin(3)
    page = browser.new_page(viewport=PHONE, locale="en-GB", java_script_enabled=scripts)  # type: ignore[arg-type]
    page.goto(f"{base}{path_to(home, match_id, READER)}/talk")
    page.fill("textarea[name=say]", "I am thinking")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".said")).to_contain_text("I am thinking")
    expect(page.locator("textarea[name=say]")).to_have_value("")
    page.fill("textarea[name=note]", "Carol has F1")
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_role("status")).to_have_text("Note saved.")
    expect(page.locator("textarea[name=note]")).to_have_value("Carol has F1")
    page.close()


def test_the_newest_of_many_chat_messages_is_in_sight(browser: Browser, home: House, base: str) -> None:
    match_id = home.begin(3)
    for number in range(20):
        talk.post_message(home.site, claim_of(home.site, match_id, OTHER), f"Message {number}")
    page = browser.new_page(viewport=PHONE, locale="en-GB")  # type: ignore[arg-type]
    page.goto(f"{base}{path_to(home, match_id, READER)}/talk")
    for seen in (page.get_by_text("Message 19"), page.get_by_role("button", name="Send")):
        expect(seen).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("Message 2", exact=True)).not_to_be_in_viewport()
    page.close()


@pytest.mark.parametrize("path", ["talk", "orders", "away"])
def test_axe_finds_no_fault_in_the_pages_below_a_seats_page(
    browser: Browser, home: House, base: str, path: str
) -> None:
    match_id = home.begin(3)
    talk.post_message(home.site, claim_of(home.site, match_id, OTHER), "Shall we begin?")
    reader = Reader(browser, base)
    reader.go(f"{path_to(home, match_id, READER)}/{path}")
    reader.look(path)
    reader.context.close()
    assert not reader.found
