"""The games whose pages a browser opens: two in every run, all in the long one.

A page is built in the same way for each game. A board of cards and a map with zoom, a turn of one question and
one of several, cover everything that the page and its scripts do; the other games' drawings are for the long run.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.table import House

GAMES = ("allegeance", "hagakure", "hexen-rennen", "hogen", "niigata")
EVERY_TIME = ("hogen", "niigata")
ONE = [pytest.param(game, marks=() if game == "hogen" else pytest.mark.long) for game in GAMES]
"""Where all that is looked at but the board is the same for each game."""
EACH = [pytest.param(game, marks=() if game in EVERY_TIME else pytest.mark.long) for game in GAMES]
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1204, "height": 900}
SIZES = [pytest.param(PHONE, id="phone"), pytest.param(DESKTOP, id="desktop", marks=pytest.mark.long)]


def begin_with_a_call(home: House) -> tuple[str, int]:
    """Begins a match of Hogen; returns it and a seat that is asked to call, with most of the choices on its pad."""
    match_id = home.begin(3, "hogen")
    while (ask := home.asks(match_id)[0]).kind != "act":
        home.play(match_id, ask.seat)
    return match_id, ask.seat


def click_and_wait(page: Page, there: Locator) -> None:
    """Clicks this link or button, and returns once the page that it leads to is there."""
    with page.expect_navigation():
        there.click()


def hrefs_of_choices(page: Page) -> list[str]:
    """The addresses of what can be chosen next, as the list has them; the page may show them on the board alone."""
    found = page.locator(".todo a.opt:not([aria-current])").evaluate_all(
        "all => all.map((a) => a.getAttribute('href'))"
    )
    return [str(href) for href in found]


def link_to(page: Page, choice: str) -> Locator:
    """Where the page shows this choice: on the board, on the pad or in the list."""
    return page.locator(f'#main a[href="{choice}"]:visible').first


def read_cards(page: Page) -> None:
    """Goes on from the important news that have opened."""
    while page.locator(".card[open] button").count():
        page.locator(".card[open] button").first.click()


def choose_first(page: Page) -> None:
    """Takes the first choice."""
    read_cards(page)
    before = page.url
    link_to(page, hrefs_of_choices(page)[0]).press("Enter")
    expect(page).not_to_have_url(before)


def choose_move(page: Page) -> None:
    """Takes first choices until a whole move is chosen."""
    for _ in range(20):
        if page.locator("form.confirm button.play").count():
            return
        choose_first(page)
    raise AssertionError("no whole move after twenty choices")


def play_move(page: Page) -> None:
    """Plays the move that is chosen; returns once the page has taken it."""
    read_cards(page)
    page.locator("form.confirm button.play").click()
    expect(page).to_have_url(re.compile("[?&]done="))
    expect(page.locator("form.confirm")).to_have_count(0)
