"""Notifications on a device: offered after a move, ended with one press; the tab shows and sounds that it is a turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Worker, expect

from pbem.features.push import subscriptions
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import lock_table
from tests.browser.accessible.axe import open_reader
from tests.browser.games import PHONE, choose_move, play_move
from tests.browser.pages.devices import deliver_push_message, equip_with_push, equip_worker, press_notification
from tests.browser.stage.playing import open_browser, path_to
from tests.features.push.device import Phone, devices_of
from tests.harness.waiting import wait_until
from tests.table import House

pytestmark = pytest.mark.browser

BOB = 1
"""The seat of somebody who reads English."""


@pytest.fixture
def phone() -> Phone:
    """A device whose push service is somewhere else."""
    return Phone("https://push.example.org/send/1")


@pytest.fixture
def context(browser: Browser, phone: Phone) -> Iterator[BrowserContext]:
    """A reader with that device; any error they meet fails the test."""
    for context in open_browser(browser, PHONE):
        equip_with_push(context, phone)
        yield context


def open_seat(home: House, base: str, context: BrowserContext, query: str = "") -> tuple[Page, str, int]:
    """Returns the open page of a seat that is asked, or with a query has just moved; with its match and seat."""
    match_id = home.begin(3)
    if query:
        home.play(match_id, BOB)
    page = context.new_page()
    page.goto(f"{base}{path_to(home, match_id, BOB)}{query}")
    return page, match_id, BOB


def seats_of(home: House, match_id: str) -> list[int]:
    """Returns the seats of the match that have a device."""
    return sorted(one.seat for one in devices_of(home) if one.match_id == match_id)


def forget_all(home: House) -> None:
    """Lets the site forget all devices."""
    for endpoint in {one.endpoint for one in devices_of(home)}:
        subscriptions.unsubscribe_device(home.site, endpoint)


def row_of_menu(page: Page, name: str) -> Locator:
    """The button of this name in the menu, which is opened for it."""
    page.locator("details.menu").evaluate("menu => { menu.open = true }")
    return page.locator("details.menu").get_by_role("button", name=name)


def sound_switch(page: Page) -> Locator:
    """The switch of the sound in the menu, which is opened for it."""
    page.locator("details.menu").evaluate("menu => { menu.open = true }")
    return page.get_by_label("A soft sound when it is my turn")


def play_first(page: Page) -> None:
    """Plays the first choice."""
    choose_move(page)
    play_move(page)


def test_notifications_are_offered_after_a_move_and_turned_on_by_one_press(
    context: BrowserContext, home: House, base: str
) -> None:
    page, match_id, seat = open_seat(home, base, context)
    expect(row_of_menu(page, "Notify me on this device")).to_be_visible()
    expect(page.locator(".offer")).to_have_count(0)
    play_first(page)
    page.locator(".offer").get_by_role("button", name="Notify me").click()
    expect(page.locator(".offer")).to_have_text("This device tells you when it is your turn.")
    assert seats_of(home, match_id) == [seat]
    expect(row_of_menu(page, "Stop notifications on this device")).to_be_visible()
    expect(row_of_menu(page, "Notify me on this device")).to_be_hidden()


@pytest.mark.long
def test_after_not_now_only_the_menu_still_offers_notifications(
    context: BrowserContext, home: House, base: str
) -> None:
    page, _, _ = open_seat(home, base, context, "?done=1")
    page.get_by_role("button", name="Not now").click()
    expect(page.locator(".offer")).to_be_hidden()
    page.reload()
    expect(row_of_menu(page, "Notify me on this device")).to_be_visible()
    expect(page.locator(".offer")).to_be_hidden()


def turn_on(page: Page) -> None:
    """Has the device notified of the seat whose page this is."""
    row_of_menu(page, "Notify me on this device").click()
    expect(page.locator("[data-push=answer]")).to_have_text("This device tells you when it is your turn.")


@pytest.mark.long
def test_a_device_subscribes_a_second_seat_by_a_move_and_stops_both(
    context: BrowserContext, home: House, base: str
) -> None:
    page, first, seat = open_seat(home, base, context)
    turn_on(page)
    page, second, other = open_seat(home, base, context)
    expect(row_of_menu(page, "Stop notifications")).to_be_visible()
    expect(row_of_menu(page, "Notify me on this device")).to_be_visible()
    assert seats_of(home, second) == [], "a page that is only looked at subscribes nothing"
    play_first(page)
    wait_until(lambda: seats_of(home, second) == [other], "the second seat is subscribed")
    expect(row_of_menu(page, "Notify me on this device")).to_be_hidden()
    expect(page.locator(".offer")).to_be_hidden()
    assert seats_of(home, first) == [seat]
    row_of_menu(page, "Stop notifications").click()
    wait_until(lambda: not seats_of(home, first) + seats_of(home, second), "no seat has a device")
    expect(page.locator(".offer")).to_have_text("This device gets no notifications any more.")
    page.goto(f"{base}{path_to(home, first, seat)}?done=1")
    expect(row_of_menu(page, "Notify me on this device")).to_be_visible()
    expect(page.locator(".offer")).to_be_hidden()
    assert seats_of(home, first) == []


@pytest.mark.long
def test_opening_the_address_after_a_move_subscribes_no_second_seat(
    context: BrowserContext, home: House, base: str
) -> None:
    turn_on(open_seat(home, base, context)[0])
    page, match_id, other = open_seat(home, base, context, "?done=1")
    expect(row_of_menu(page, "Stop notifications")).to_be_visible()
    assert seats_of(home, match_id) == []
    turn_on_again = row_of_menu(page, "Notify me on this device")
    turn_on_again.click()
    expect(turn_on_again).to_be_hidden()
    assert seats_of(home, match_id) == [other]


@pytest.mark.long
def test_a_seats_refused_subscription_ends_no_other_seats(context: BrowserContext, home: House, base: str) -> None:
    page, first, seat = open_seat(home, base, context)
    turn_on(page)
    page, second, _ = open_seat(home, base, context)
    page.evaluate("window.fetch = async () => new Response('', { status: 422 })")
    row_of_menu(page, "Notify me on this device").click()
    expect(page.locator("[data-push=answer]")).to_contain_text("could not turn notifications on")
    expect(row_of_menu(page, "Stop notifications")).to_be_visible()
    assert page.evaluate("localStorage.getItem('test.key')") is not None
    assert (seats_of(home, first), seats_of(home, second)) == ([seat], [])


TOLD_JUST_NOW = """() => {
  const [one] = Object.values(JSON.parse(localStorage.getItem("pbem.push") ?? "{}"));
  return one && one.at > Date.now() - 3600000 && !one.endpoint.endsWith("/before");
}"""


@pytest.mark.long
def test_a_seat_is_subscribed_again_daily_and_when_the_endpoint_changes(
    context: BrowserContext, home: House, base: str
) -> None:
    page, match_id, seat = open_seat(home, base, context)
    turn_on(page)
    page.wait_for_function(TOLD_JUST_NOW)
    for change in ("one.at -= 86400001", "one.endpoint = 'https://push.example.org/before'"):
        forget_all(home)
        page.evaluate(f"""() => {{
          const told = JSON.parse(localStorage.getItem("pbem.push"));
          const one = Object.values(told)[0];
          {change};
          localStorage.setItem("pbem.push", JSON.stringify(told));
        }}""")
        page.reload()
        wait_until(lambda: seats_of(home, match_id) == [seat], "the seat is subscribed anew")
        page.wait_for_function(TOLD_JUST_NOW)  # the page notes it after the answer


@pytest.mark.long
def test_after_stopping_in_another_tab_only_a_seat_that_asks_is_subscribed(
    context: BrowserContext, home: House, base: str
) -> None:
    page, first, seat = open_seat(home, base, context)
    turn_on(page)
    other = context.new_page()
    second = home.begin(3)
    other.goto(base + path_to(home, second, BOB))
    turn_on(other)
    page.evaluate("localStorage.removeItem('test.key')")  # as the button of a notification does
    forget_all(home)
    page.reload()
    turn_on(page)
    other.reload()
    expect(row_of_menu(other, "Notify me on this device")).to_be_visible()
    assert (seats_of(home, first), seats_of(home, second)) == ([seat], [])


@pytest.mark.long
def test_one_press_on_a_finished_matchs_page_stops_notifications(
    context: BrowserContext, home: House, base: str
) -> None:
    turn_on(open_seat(home, base, context)[0])
    before = len(devices_of(home))
    match_id = home.begin(3)
    with home.site.writing() as work:
        call_off(lock_table(work, match_id), "host")
    page = context.new_page()
    page.goto(base + path_to(home, match_id, BOB))
    expect(row_of_menu(page, "Notify me on this device")).to_have_count(0)
    row_of_menu(page, "Stop notifications").click()
    expect(page.locator("[data-push=answer]")).to_have_text("This device gets no notifications any more.")
    wait_until(lambda: len(devices_of(home)) < before, "the site has forgotten the device")


@pytest.mark.long
def test_after_denied_permission_the_push_offer_explains_how_to_allow_it(
    browser: Browser, home: House, base: str, phone: Phone
) -> None:
    for context in open_browser(browser, PHONE):
        equip_with_push(context, phone, answer="denied")
        page, match_id, _ = open_seat(home, base, context, "?done=1")
        page.locator(".offer").get_by_role("button", name="Notify me").click()
        expect(page.locator(".offer")).to_contain_text("does not let this site send notifications")
        assert seats_of(home, match_id) == []
        page.reload()
        expect(row_of_menu(page, "Keyboard")).to_be_visible()
        expect(page.locator(".offer")).to_be_hidden()
        expect(row_of_menu(page, "Notify me on this device")).to_be_hidden()


@pytest.mark.long
def test_a_changed_vapid_key_of_the_site_makes_the_device_subscribe_again(
    context: BrowserContext, home: House, base: str
) -> None:
    page, match_id, seat = open_seat(home, base, context)
    row_of_menu(page, "Notify me on this device").click()
    expect(row_of_menu(page, "Stop notifications")).to_be_visible()
    key = page.evaluate("localStorage.getItem('test.key')")
    page.evaluate("localStorage.setItem('test.key', '[4, 1, 2]')")
    page.reload()
    expect(row_of_menu(page, "Stop notifications")).to_be_visible()
    assert page.evaluate("localStorage.getItem('test.key')") == key
    assert seats_of(home, match_id) == [seat]


# --- the service worker --------------------------------------------------------------------------------------


@pytest.fixture
def worker(context: BrowserContext, home: House, base: str, phone: Phone) -> Worker:
    """The service worker that a device has after it has turned notifications on."""
    page, _, _ = open_seat(home, base, context)
    with context.expect_event("serviceworker") as begun:
        row_of_menu(page, "Notify me on this device").click()
    expect(row_of_menu(page, "Stop notifications")).to_be_visible()
    equip_worker(begun.value, phone)
    return begun.value


@pytest.mark.long
def test_a_notification_opens_its_match_and_reports_that_to_the_site(
    context: BrowserContext, worker: Worker, base: str
) -> None:
    page = context.pages[-1]
    url = page.url.removeprefix(base)
    said = {
        "mail": "m7", "tag": "seat", "lang": "en", "title": "Hogen · your turn", "body": "Call · until Friday",
        "url": url, "stop": "Stop on this device",
    }  # fmt: skip
    deliver_push_message(page, base, said)
    wait_until(lambda: worker.evaluate("self.shown.length") == 1, "it is shown")
    shown = worker.evaluate("self.shown[0]")
    assert {name: shown[name] for name in ("title", "body", "tag", "lang")} == {
        name: said[name] for name in ("title", "body", "tag", "lang")
    }
    assert shown["renotify"] is True
    assert worker.evaluate("self.badges") == 1
    assert [action["title"] for action in shown["actions"]] == ["Stop on this device"]
    assert page.request.get(f"{base}{shown['icon']}").ok
    deliver_push_message(page, base, said)
    wait_until(lambda: worker.evaluate("self.shown.length") == 2, "it is shown again")
    assert worker.evaluate("self.shown[1].renotify") is False
    page.goto(f"{base}/help")
    press_notification(worker, 0)
    assert worker.evaluate("self.posted") == [[f"{url}/push/opened", {"mail": "m7"}]]
    assert worker.evaluate("self.windows") == [url]


@pytest.mark.long
def test_the_stop_button_of_a_notification_unsubscribes_this_device(
    context: BrowserContext, worker: Worker, home: House, base: str
) -> None:
    said = {"mail": "m7", "tag": "t", "lang": "en", "title": "t", "body": "b", "url": "/play/x", "stop": "s"}
    deliver_push_message(context.pages[-1], base, said)
    wait_until(lambda: worker.evaluate("self.shown.length") == 1, "it is shown")
    press_notification(worker, 0, "stop")
    assert worker.evaluate("self.subscribed") is False
    assert worker.evaluate("self.windows") == []
    assert [one for one in devices_of(home) if one.endpoint == "https://push.example.org/send/1"] == []


# --- the tab -------------------------------------------------------------------------------------------------

AWAY = "Object.defineProperty(document, 'hidden', { get: () => window.away === true })"
HEARD = """
window.heard = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...all) { window.heard += 1; return start.apply(this, all); };
"""


def signal_page(context: BrowserContext, home: House, base: str) -> tuple[Page, str, int]:
    """Returns the page of a seat that has answered, with its match and the seat."""
    match_id = home.begin(3)
    for other in (0, 1, 2):
        home.play(match_id, other)
    waiting = next(other for other in (BOB, 2) if other != home.asks(match_id)[0].seat)
    page = context.new_page()
    page.add_init_script(AWAY)
    page.add_init_script(HEARD)
    page.goto(base + path_to(home, match_id, waiting))
    return page, match_id, waiting


def set_title(page: Page, mark: str) -> None:
    """Lets the page become that of a seat that is asked, or is not any more."""
    page.evaluate("mark => { document.title = `${mark}Somebody · Hogen · pbem`; }", mark)


@pytest.mark.long
def test_on_my_turn_the_tab_has_a_badge_and_in_the_background_a_sound(
    context: BrowserContext, home: House, base: str
) -> None:
    page, _, _ = signal_page(context, home, base)
    icon = page.locator("link[rel=icon]")
    switch = sound_switch(page)
    expect(switch).not_to_be_checked()
    assert "icon-turn" not in str(icon.get_attribute("href"))
    page.evaluate("window.away = true")
    set_title(page, "● ")
    wait_until(lambda: "icon-turn" in str(icon.get_attribute("href")), "the tab has a badge")
    assert page.request.get(str(page.evaluate("document.querySelector('link[rel=icon]').href"))).ok
    assert page.evaluate("window.heard") == 0
    set_title(page, "")
    wait_until(lambda: "icon-turn" not in str(icon.get_attribute("href")), "the badge is gone")
    page.evaluate("window.away = false")
    switch.check()
    sample = page.evaluate("window.heard")
    assert sample == 2
    set_title(page, "● ")
    wait_until(lambda: "icon-turn" in str(icon.get_attribute("href")), "the tab has a badge")
    assert page.evaluate("window.heard") == sample
    set_title(page, "")
    wait_until(lambda: "icon-turn" not in str(icon.get_attribute("href")), "the badge is gone")
    page.evaluate("window.away = true")
    set_title(page, "● ")
    wait_until(lambda: page.evaluate("window.heard") == sample + 2, "it sounds")
    page.evaluate("window.away = false")
    page.reload()
    expect(sound_switch(page)).to_be_checked()


BLOCKED = """
window.contexts = [];
const Real = AudioContext;
window.AudioContext = class extends Real {
  constructor() {
    super();
    this.suspend();
    window.contexts.push(this);
  }
};
"""


@pytest.mark.long
def test_a_sound_blocked_by_the_browser_leaves_no_audio_open(context: BrowserContext, home: House, base: str) -> None:
    context.add_init_script(BLOCKED)
    page, _, _ = signal_page(context, home, base)
    sound_switch(page).check()
    assert page.evaluate("window.contexts.length") == 1
    wait_until(lambda: page.evaluate("window.contexts[0].state") == "closed", "it is closed")


@pytest.mark.long
def test_the_page_of_a_seat_in_turn_has_a_dot_in_its_title(context: BrowserContext, home: House, base: str) -> None:
    page, _, _ = open_seat(home, base, context)
    assert page.title().startswith("● ")
    wait_until(lambda: "icon-turn" in str(page.locator("link[rel=icon]").get_attribute("href")), "the tab has a badge")


# --- what the browser remembers ------------------------------------------------------------------------------

FORBIDDEN = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
)
STORED = """async (address) => {
  const { entries, read, write, writeEntry } = await import(address);
  write("test.one", "1");
  for (let n = 0; n < 60; n += 1) writeEntry("test.many", `seat ${n}`, n);
  writeEntry("test.many", "seat 20", "again");
  const many = entries("test.many");
  write("test.many", "{");
  return [read("test.one"), read("test.none"), Object.keys(many), many["seat 20"], entries("test.many")];
}"""

READ = "async (address) => (await import(address)).read('test.one')"


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize("forbidden", [False, True])
def test_a_pages_stored_values_survive_a_reload_only_in_local_storage(
    browser: Browser, home: House, base: str, forbidden: bool
) -> None:
    for context in open_browser(browser, PHONE):
        page = context.new_page()
        if forbidden:
            page.add_init_script(FORBIDDEN)
        page.goto(base + path_to(home, home.begin(3), BOB))
        one, none, names, again, unreadable = page.evaluate(STORED, asset_address(page, "stored.js"))
        assert (one, none, again, unreadable) == ("1", None, "again", {})
        assert names == [*(f"seat {n}" for n in range(10, 60) if n != 20), "seat 20"]
        page.reload()
        kept = page.evaluate(READ, asset_address(page, "stored.js"))
        assert kept == (None if forbidden else "1")


def asset_address(page: Page, name: str) -> str:
    """Returns the address of a script beside those that the page loads."""
    return str(page.evaluate("document.querySelector('script[src]').src")).rpartition("/")[0] + f"/{name}"


@pytest.mark.long
def test_axe_accepts_the_offer_of_notifications(browser: Browser, home: House, base: str, phone: Phone) -> None:
    with open_reader(browser, base) as reader:
        equip_with_push(reader.context, phone)
        match_id = home.begin(3)
        home.play(match_id, BOB)
        reader.go(f"{path_to(home, match_id, BOB)}?done=1")
        expect(reader.page.locator(".offer")).to_be_visible()
        reader.look("the offer")
        reader.page.locator(".offer").get_by_role("button", name="Notify me").click()
        expect(row_of_menu(reader.page, "Stop notifications")).to_be_visible()
        reader.look("a device with notifications")
