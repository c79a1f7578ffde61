"""Deciding ahead in a browser on a phone: with scripts the sentence is there at once, without them after a button."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem.kit.orders.typed import format_order
from pbem.services.play import ordering
from tests.browser.accessible.axe import Reader
from tests.browser.games import PHONE
from tests.browser.stage.playing import open_browser, path_to
from tests.docs.gallery import advance_match
from tests.table import House, claim_of

pytestmark = pytest.mark.browser

FORMS = [("hagakure", "card"), ("hexen-rennen", "dice"), ("niigata", "lay"), ("allegeance", "contest")]


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def phone(browser: Browser, scripts: bool) -> Iterator[Page]:
    for context in open_browser(browser, PHONE, java_script_enabled=scripts):
        yield context.new_page()


def begin_match(home: House, game: str) -> tuple[str, int]:
    """A match of three and a reader of English who is asked nothing."""
    match_id = home.begin(3, game)
    advance_match(home, match_id, 6)
    while {ask.seat for ask in home.asks(match_id)} >= {1, 2}:
        advance_match(home, match_id, 1)
    return match_id, min({1, 2} - {ask.seat for ask in home.asks(match_id)})


def standing_orders(home: House, match_id: str, seat: int) -> list[str]:
    found = ordering.read_orders(home.site, claim_of(home.site, match_id, seat))
    return [format_order(one, found.game) for one in found.orders]


@pytest.mark.sample(1)
def test_an_order_is_chosen_described_saved_and_stopped(phone: Page, scripts: bool, home: House, base: str) -> None:
    match_id, seat = begin_match(home, "hagakure")
    phone.goto(f"{base}{path_to(home, match_id, seat)}/orders")
    phone.get_by_role("listitem").filter(has_text="Your turn: a banner?").get_by_role("link").click()
    form, told = phone.locator("form.order"), phone.locator("form.order .does")
    expect(form).to_be_in_viewport()
    expect(told).to_have_count(0)
    form.get_by_label("first").select_option(label="no banner")
    form.get_by_label("until I stop it").check()
    if not scripts:
        form.get_by_role("button", name="Show what it will do").click()
    expect(told).to_contain_text("no banner; else you choose. Until you stop it.")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    form.get_by_role("button", name="Save the order").click()
    orders = phone.locator("#orders")
    expect(phone.get_by_role("status")).to_have_text("Order saved.")
    expect(orders.locator(".standing li")).to_have_count(1)
    assert standing_orders(home, match_id, seat) == ["always nobori: none for match"]
    orders.get_by_role("button", name="Stop all orders").click()
    expect(phone.get_by_role("status")).to_have_text("All your orders are stopped.")
    assert standing_orders(home, match_id, seat) == []


@pytest.mark.long
def test_a_typed_order_is_described_and_saved_by_the_keyboard_alone(
    phone: Page, scripts: bool, home: House, base: str
) -> None:
    match_id, seat = begin_match(home, "hagakure")
    phone.goto(f"{base}{path_to(home, match_id, seat)}/orders")
    phone.get_by_text("Type an order").click()
    field = phone.get_by_label("Order in short notation")
    field.focus()
    phone.keyboard.type("lowest for match ask if last")
    if not scripts:
        with phone.expect_navigation():
            phone.keyboard.press("Enter")
        phone.get_by_label("Order in short notation").focus()
    expect(phone.locator(".typed .does")).to_contain_text("Asks you if it is the last round")
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("status")).to_have_text("Order saved.")
    assert standing_orders(home, match_id, seat) == ["lowest for match ask if last"]


@pytest.mark.long
@pytest.mark.parametrize("scripts", [True], indirect=True)
def test_an_order_forms_error_stays_beside_its_field_until_corrected(phone: Page, home: House, base: str) -> None:
    match_id, seat = begin_match(home, "hagakure")
    with phone.expect_response(lambda answer: answer.url.endswith("/orders/say")) as asked:
        phone.goto(f"{base}{path_to(home, match_id, seat)}/orders?order=card")
    assert "Choose at least one." in asked.value.text()
    first = phone.locator("form.order").get_by_label("first")
    beside = phone.locator("[data-input=moves] em")
    phone.wait_for_timeout(100)
    expect(beside).to_have_count(0)  # nobody has entered anything yet
    expect(phone.get_by_role("button", name="Show what it will do")).to_be_visible()
    first.select_option(index=1)
    expect(phone.locator("form.order .does")).to_be_visible()
    first.select_option(index=0)
    expect(beside).to_have_text("Choose at least one.")
    expect(phone.get_by_role("button", name="Save the order")).to_have_count(0)
    first.select_option(index=1)
    expect(beside).to_have_count(0)
    expect(phone.get_by_role("button", name="Save the order")).to_be_enabled()


@pytest.mark.long
def test_an_order_form_keeps_its_input_when_the_match_has_moved_on(browser: Browser, home: House, base: str) -> None:
    phone = browser.new_page(viewport=PHONE, locale="en-GB")  # type: ignore[arg-type]
    match_id, seat = begin_match(home, "hagakure")
    phone.goto(f"{base}{path_to(home, match_id, seat)}/orders?order=lowest")
    expect(phone.locator("form.order .does")).to_be_visible()  # a rule without fields is told at once
    version = home.view(match_id, seat).sheet.version
    while home.view(match_id, seat).sheet.version == version or any(a.seat == seat for a in home.asks(match_id)):
        advance_match(home, match_id, 1)
    phone.get_by_role("button", name="Save the order").click()
    expect(phone.get_by_role("alert")).to_contain_text("The match has moved on")
    phone.get_by_role("button", name="Save the order").click()
    expect(phone.get_by_role("status")).to_have_text("Order saved.")
    assert standing_orders(home, match_id, seat) == ["lowest"]
    phone.close()


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize(("game", "form"), FORMS)
def test_axe_finds_no_fault_in_the_order_forms(browser: Browser, home: House, base: str, game: str, form: str) -> None:
    match_id, seat = begin_match(home, game)
    reader = Reader(browser, base)
    page = reader.go(f"{path_to(home, match_id, seat)}/orders?order={form}")
    page.locator("form.order input, form.order select").first.wait_for(state="attached")
    reader.look(f"{game} {form}")
    reader.context.close()
    assert not reader.found
