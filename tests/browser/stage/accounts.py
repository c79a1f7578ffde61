"""A browser that is signed in to an account."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.services.letterbox import player_of
from tests.table import House


def path_of_account_link(home: House, name: str) -> str:
    player = player_of(home, name)
    assert player.id is not None
    return f"/account/{home.site.tokens.for_account(player.id, player.epoch, home.site.now())}"


def sign_in(context: BrowserContext, base: str, link: str) -> Page:
    page = context.new_page()
    page.goto(base + link)
    page.locator("main form button").first.click()
    expect(page).to_have_url(f"{base}/")
    return page
