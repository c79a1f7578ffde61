"""The pager in a browser: one press is one line, and nothing but the reader goes on; cards are dialogs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from tests.browser.games import PHONE
from tests.browser.stage.playing import open_browser
from tests.browser.turns.states import Stage, open_stage
from tests.docs.gallery import serve_pages
from tests.table import House

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

POLLED_MS = 2500
"""Longer than the page waits before it asks whether something is new."""
IN_SIGHT = ".slot > .item:not([hidden])"


@pytest.fixture(scope="module")
def stage() -> Iterator[tuple[House, Flask, str]]:
    with open_stage() as (home, app), serve_pages(app) as base:
        yield home, app, base


def open_unread(browser: Browser, stage: tuple[House, Flask, str], least: int = 3) -> Iterator[Page]:
    home, app, base = stage
    path = Stage(home, app, "hogen", 3).read_until(least)
    assert path is not None
    for context in open_browser(browser, PHONE):
        page = context.new_page()
        page.goto(base + path)
        yield page


def test_one_press_of_next_shows_one_line_of_news_and_polling_keeps_it(
    browser: Browser, stage: tuple[House, Flask, str]
) -> None:
    for page in open_unread(browser, stage):
        names = [one.get_attribute("data-name") for one in page.locator(".slot > .item").all()]
        at = names.index(page.locator(IN_SIGHT).get_attribute("data-name"))
        page.locator(".slot .next").focus()
        page.keyboard.press("Enter")
        expect(page.locator(IN_SIGHT)).to_have_attribute("data-name", names[at + 1] or "")
        page.wait_for_timeout(POLLED_MS)
        expect(page.locator(IN_SIGHT)).to_have_attribute("data-name", names[at + 1] or "")
        expect(page.locator(".slot .next")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(IN_SIGHT)).to_have_attribute("data-name", names[at + 2] or "")
        page.locator(".slot .prev").click()
        page.wait_for_timeout(POLLED_MS)
        expect(page.locator(IN_SIGHT)).to_have_attribute("data-name", names[at + 1] or "")


def test_news_paged_past_on_one_device_is_read_on_another(browser: Browser, stage: tuple[House, Flask, str]) -> None:
    for page in open_unread(browser, stage):
        first = int(page.locator(".slot").get_attribute("data-unread") or "-1")
        with page.expect_request(lambda one: one.url.endswith("/seen") or "/seen?" in one.url):
            page.locator(".slot .next").click()
        page.wait_for_timeout(300)
        page.reload()
        assert int(page.locator(".slot").get_attribute("data-unread") or "-1") > first


@pytest.mark.long
def test_an_open_news_card_takes_all_keys_and_enter_continues(
    browser: Browser, stage: tuple[House, Flask, str]
) -> None:
    home, app, base = stage
    path = Stage(home, app, "hagakure", 3).card()
    assert path is not None
    for context in open_browser(browser, {"width": 1280, "height": 800}):
        page = context.new_page()
        page.goto(base + path)
        page.wait_for_timeout(POLLED_MS)  # scripts are there
        for _ in range(20):
            if page.locator(".card:modal").count():
                break
            page.locator(".slot .next").click()
            page.wait_for_timeout(100)
        expect(page.locator(".card:modal")).to_have_count(1)
        page.keyboard.press("1")
        expect(page.locator("form.confirm:not(.forced)")).to_have_count(0)
        page.keyboard.press("Enter")
        expect(page.locator(".card:modal")).to_have_count(0)
        page.wait_for_timeout(POLLED_MS)
        expect(page.locator(".card:modal")).to_have_count(0)
        assert page.evaluate("document.activeElement !== document.body")
