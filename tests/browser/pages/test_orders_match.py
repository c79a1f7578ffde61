"""Whole matches on a phone whose players decide ahead: what they order on the page saves most of the stops."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem.kit.bots import bots_of
from pbem.kit.chance import KeyLuck
from pbem.kit.contract import Move, PlayerView
from pbem.kit.orders.shapes import refusal_of_order
from pbem.kit.orders.typed import format_order, parse_order
from pbem.services.log import store
from pbem.services.play import ordering, timeouts
from tests.browser.games import PHONE, read_cards
from tests.browser.stage.playing import open_browser, path_to
from tests.table import House, claim_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]

SEATS, MOST, BY_HAND = 3, 600, 4
SHORT: dict[str, dict[str, Any]] = {"hagakure": {"rounds": 2, "extra_rounds": 0}, "allegeance": {"target": 1}}
"""Options that make a match short."""
SHARE = {"allegeance": 0.9, "hagakure": 0.6, "hexen-rennen": 0.8, "niigata": 0.85}
"""The most stops a decision that are left of those without orders. Docs/orders.md has the medians of many matches."""


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A phone with scripts."""
    for context in open_browser(browser, PHONE):
        yield context.new_page()


def bot_choice(home: House, match_id: str, seat: int) -> Move:
    """What a good bot would answer for the seat."""
    view = home.view(match_id, seat)
    assert view.ask is not None
    luck = KeyLuck(bytes(32)).bot(view.sheet.version, view.ask.key, seat)
    move: Move = bots_of(view.game)["greedy"](PlayerView(view.fold, len(view.sheet.seats)), seat, luck)
    return move


def by_service(home: House, match_id: str, seat: int) -> None:
    """Answers what the seat is asked."""
    view = home.view(match_id, seat)
    home.bot_plays(match_id, seat, view.sheet.version)


def sweep_orders_and_windows(home: House, match_id: str) -> None:
    """Lets orders answer, and a silent window close once all have answered."""
    home.follow_orders()
    with home.site.reading() as session:
        moments = [ask.closes_at for ask in store.open_asks(session, match_id) if ask.closes_at is not None]
    if moments and not seats_waited_for(home, match_id):
        home.clock.at = max([home.clock.at, *moments])
        timeouts.sweep_deadlines(home.site)


def seats_waited_for(home: House, match_id: str) -> list[int]:
    """The seats for which the match waits."""
    with home.site.reading() as session:
        return [ask.seat for ask in store.open_asks(session, match_id) if ask.sealed_at is None]


def play_and_count_stops(home: House, match_id: str, visit: Callable[[int], None]) -> int:
    """Plays the match to its end; returns how often it has waited for somebody else than the last who was there.

    Questions that are open together count once.
    """
    count, here = 0, set[int]()
    for _ in range(MOST):
        sweep_orders_and_windows(home, match_id)
        if home.view(match_id, None).sheet.over:
            return count
        asked = seats_waited_for(home, match_id)
        if here.isdisjoint(asked):
            count += 1
            here = set(asked)
        for seat in asked:
            while seat in seats_waited_for(home, match_id) and not home.view(match_id, None).sheet.over:
                visit(seat)
        here = here & set(asked) or set(asked)
    raise AssertionError("the match does not end")


def count_answers(home: House, match_id: str) -> int:
    """How many questions were answered."""
    return len({entry.key for entry in home.view(match_id, None).entries if entry.key is not None})


def answer_on_page(page: Page, home: House, base: str, match_id: str, seat: int) -> None:
    """Answers on the page, by a link as in a mail and its button."""
    view = home.view(match_id, seat)
    assert view.ask is not None
    notation = view.game.format(bot_choice(home, match_id, seat))
    page.goto(f"{base}{path_to(home, match_id, seat)}?ask={view.ask.key}&move={notation.replace(' ', '%20')}")
    read_cards(page)
    page.locator("form.confirm button.play").click()
    expect(page.locator(f"form.confirm input[name=key][value='{view.ask.key}']")).to_have_count(0)
    expect(page.locator(".slot > .item:not([hidden]), .over-page h1").first).to_be_visible()


def order_on_page(page: Page, home: House, base: str, match_id: str, seat: int) -> None:
    """Orders on the page what a typical person would, before they go."""
    view = home.view(match_id, seat)
    luck = KeyLuck(bytes(32)).bot(view.sheet.version, "orders", seat)
    known = PlayerView(view.fold, SEATS)
    wanted = [format_order(order, view.game) for order in view.game.typical(known, seat, luck)]
    stand = ordering.read_orders(home.site, claim_of(home.site, match_id, seat)).orders
    if wanted == [format_order(order, view.game) for order in stand]:
        return
    orders = f"{base}{path_to(home, match_id, seat)}/orders"
    page.goto(orders)
    if stand:
        page.locator("button[name=all]").click()
        expect(page.get_by_role("status")).to_be_visible()
    for text in wanted:
        if (
            refusal_of_order(parse_order(text, view.game, seat), view.game, home.view(match_id, seat).fold, seat)
            is not None
        ):
            continue  # what was saved before it has been played at once, and it was for the position before
        page.goto(f"{orders}?order=typed")
        page.locator("input[name=v-text]").fill(text)
        page.locator("button[value=save]").click()
        expect(page.get_by_role("status")).to_be_visible()
        if home.view(match_id, None).sheet.over:
            return


@pytest.mark.long
@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=() if game == "hagakure" else pytest.mark.long) for game in sorted(SHARE)]
)
def test_a_match_with_orders_set_on_a_phone_asks_its_players_less_often(
    phone: Page, home: House, base: str, game: str
) -> None:
    before, without = 0, 0
    for _ in range(BY_HAND):
        by_hand = home.begin(SEATS, game, options=SHORT.get(game, {}))
        before += play_and_count_stops(home, by_hand, partial(by_service, home, by_hand))
        without += count_answers(home, by_hand)
    match_id = home.begin(SEATS, game, options=SHORT.get(game, {}))
    for seat in range(SEATS):
        order_on_page(phone, home, base, match_id, seat)

    def visit(seat: int) -> None:
        answer_on_page(phone, home, base, match_id, seat)
        sweep_orders_and_windows(home, match_id)  # they look once more when the others' orders have had their while
        if seat not in seats_waited_for(home, match_id) and not home.view(match_id, None).sheet.over:
            order_on_page(phone, home, base, match_id, seat)

    after = play_and_count_stops(home, match_id, visit)
    made = count_answers(home, match_id)
    sys.stdout.write(f"{game}: {before} stops of {without} decisions by hand, {after} of {made} with orders\n")
    assert after / made <= SHARE[game] * before / without
