"""The pages of webhooks in every state, checked by axe-core; no page is wider than its window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from pbem import create_app
from pbem.features.webhooks import registry
from tests.browser.accessible.axe import LIGHT_FIRST, Reader, open_reader
from tests.browser.games import DESKTOP, PHONE, click_and_wait
from tests.docs.gallery import house, serve_pages
from tests.features.webhooks.hook_receiver import Receiver, run_receiver
from tests.features.webhooks.hooked import add_webhook_of, make_due_calls
from tests.services.letterbox import id_of, player_of
from tests.table import House

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]

LONG = "https://a-rather-long-name-of-a-server-that-nobody-reads.hooks.example.org:8443/x"


@pytest.fixture
def home() -> Iterator[House]:
    """A house that may call this machine."""
    with house() as opened:
        object.__setattr__(opened.site, "config", replace(opened.site.config, webhooks_private=True))
        yield opened


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A server that receives webhook calls."""
    with run_receiver() as here:
        yield here


def calls_in_every_state(home: House, there: Receiver) -> tuple[int, int]:
    """Returns the ids of two webhooks of Alice's: one whose calls arrived and now fail, and one that is disabled."""
    match_id = home.begin()
    first = add_webhook_of(home, "Alice", there)
    home.play(match_id, 1)
    make_due_calls(home)
    gone = add_webhook_of(home, "Alice", there, ("moved",))
    there.status = 410
    home.play(match_id, 2)
    make_due_calls(home)
    registry.change_webhook(home.site, id_of(home, "Alice"), first.id, active=True)
    there.status = 500
    home.play(match_id, 0)
    make_due_calls(home)
    return first.id, gone.id


def check_page_fits(reader: Reader, what: str, path: str) -> None:
    """Checks the page, and that it is no wider than its window."""
    page = reader.see(what, path)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
        f"{what} is wider than its window"
    )


@pytest.mark.long
@LIGHT_FIRST
@pytest.mark.parametrize(
    ("size", "lang"),
    [pytest.param(PHONE, "en", id="phone"), pytest.param(DESKTOP, "fr", id="desktop", marks=pytest.mark.long)],
)
def test_axe_accepts_the_pages_of_webhooks(
    browser: Browser, home: House, there: Receiver, size: dict[str, int], lang: str, dark: bool
) -> None:
    failing, gone = calls_in_every_state(home, there)
    alice = player_of(home, "Alice")
    assert alice.id is not None
    token = home.site.tokens.for_account(alice.id, alice.epoch, home.site.now())
    with serve_pages(create_app(site=home.site)) as base, open_reader(browser, base, size, lang, dark=dark) as reader:
        click_and_wait(reader.page, reader.go(f"/account/{token}").locator("main form button"))
        check_page_fits(reader, "my webhooks", f"/me/webhooks?lang={lang}")
        check_page_fits(reader, "a failing webhook", f"/me/webhooks/{failing}?done=ping")
        check_page_fits(reader, "a webhook that is gone", f"/me/webhooks/{gone}")
        page = reader.go("/me/webhooks")
        page.locator("input[name=url]").fill("ftp://example.org")
        page.locator("main form button").last.click()
        expect(page.get_by_role("alert")).to_be_visible()
        reader.look("a webhook that is refused")
        page.locator("input[name=url]").fill(LONG)
        page.locator("main form button").last.click()
        expect(page.locator("#secret")).to_be_visible()
        reader.look("a webhook just made")
        check_page_fits(reader, "my webhooks, with a long name", "/me/webhooks")
