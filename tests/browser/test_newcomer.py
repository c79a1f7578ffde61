"""A newcomer in a real browser: one press leads to a board, and a move is played without any address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from sqlalchemy import select

from pbem.models.tables import OutboxRow, table
from pbem.services.play import bots
from tests.browser.games import DESKTOP, PHONE, choose_move, play_move
from tests.browser.stage.playing import FIRST_LOAD, open_browser
from tests.table import House

pytestmark = pytest.mark.browser

OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll("main h1, main h3, main p, main .ctl, main .cover, main .pane")]
    .filter((one) => one.getClientRects().length && (!one.closest(".cover, .pane") || one.matches(".cover, .pane")))
    .map((one) => ({ one, box: one.getBoundingClientRect() }));
  const meet = ({ box: a }, { box: b }) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap((a, n) => boxes.slice(n + 1)
    .filter((b) => !a.one.contains(b.one) && !b.one.contains(a.one) && meet(a, b))
    .map((b) => [a.one.textContent.slice(0, 30), b.one.textContent.slice(0, 30)]));
}"""
"""The pairs of texts, buttons and pictures that lie on each other."""


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A browser that has never been here; any error it meets fails the test."""
    size: Any = request.param
    yield from open_browser(browser, size)


def count_mails(home: House) -> int:
    with home.site.reading() as session:
        return len(session.execute(select(table(OutboxRow).c.id)).all())


@pytest.mark.sample(1)
def test_a_newcomer_plays_a_move_at_once_and_finds_the_match_again(
    home: House, base: str, context: BrowserContext
) -> None:
    page, before = context.new_page(), count_mails(home)
    page.goto(base)
    page.get_by_role("button", name="Play now", exact=True).click()
    page.wait_for_url("**/play/**")
    expect(page.locator(".head").first).to_be_visible()
    bots.play_quick_bots(home.site)
    page.reload()
    expect(page.locator(".head").get_by_text("No deadline")).to_be_visible()
    choose_move(page)
    play_move(page)
    assert count_mails(home) == before, "nothing was sent, because nobody said where to"
    board = page.url.partition("?")[0]
    page.goto(base)
    assert board.removeprefix(base) in [link.get_attribute("href") for link in page.locator("main a").all()]
    page.get_by_role("link", name="Add my email address").click()
    page.get_by_label("Email address").fill("alice@example.net")
    page.get_by_role("button", name="Send the email").click()
    expect(page.get_by_text("on its way to alice@example.net")).to_be_visible()


@pytest.mark.long
def test_the_start_page_loads_few_bytes_and_its_elements_do_not_overlap(base: str, context: BrowserContext) -> None:
    page, weight = context.new_page(), [0]
    page.on("response", lambda answer: weight.append(int(answer.headers.get("content-length", 0))))
    page.goto(base, wait_until="networkidle")
    assert sum(weight) < FIRST_LOAD
    assert page.evaluate(OVERLAPS) == []
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
