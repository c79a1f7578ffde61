"""The games whose pages a browser opens: two in every run, all in the long one.

A page is built in the same way for each game. A board of cards and a map with zoom, a turn of one question and
one of several, cover everything that the page and its scripts do; the other games' drawings are for the long run.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page

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


def follow(page: Page, there: Locator) -> None:
    """Clicks this link or button, and returns once the page that it leads to is there."""
    with page.expect_navigation():
        there.click()


def choices_in_list(page: Page) -> Locator:
    """The choices in the list of a seat's page, which is unfolded if they are made on the board."""
    folded = page.locator(".listed:not([open]) > summary")
    if folded.count():
        folded.click()
    return page.locator(".todo a.opt")
