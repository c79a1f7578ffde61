"""The pages of a player's webhooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.features.webhooks import deliveries
from tests.features.webhooks.hook_receiver import Receiver, run_receiver
from tests.table import MovedClock
from tests.web.cast import Page, Web, path_of, path_of_account_link, secret_of

pytestmark = pytest.mark.usefixtures("no_lookups")

URL = "https://hooks.example.org/pbem/a-secret-path"


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A server that receives webhook calls."""
    with run_receiver() as here:
        yield here


@pytest.fixture
def web(make_web: Callable[..., Web]) -> Web:
    """The pages of a site that calls this machine."""
    return make_web(webhooks_private=True)


@pytest.fixture
def alice(web: Web, hogen: str) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client()
    assert path_of(client.post(path_of_account_link(web))) == "/"
    return client


def send_form(client: FlaskClient, path: str = "/me/webhooks", **form: Any) -> TestResponse:
    """Sends the form; returns the answer."""
    return client.post(path, data={"csrf_token": secret_of(client.get("/me/webhooks").text), **form})


def create_webhook(client: FlaskClient, url: str = URL, **form: Any) -> tuple[str, str]:
    """Returns the path of a new webhook's page, and its secret."""
    answer = send_form(client, url=url, **{"kind": ["your_turn", "moved"], "preset": "standard", **form})
    assert answer.status_code == 200, answer.text
    Page(answer.text)
    (secret,) = re.findall(r"whsec_[\w+/=]+", answer.text)
    (path,) = {path.removesuffix("/ping") for path in re.findall(r"/me/webhooks/\d+/ping", answer.text)}
    return path, secret


@pytest.mark.long
def test_the_webhook_form_creates_one_and_shows_its_secret_once(alice: FlaskClient) -> None:
    assert 'href="/me/webhooks"' in alice.get("/me").text
    assert "You have no webhooks." in alice.get("/me/webhooks").text
    path, secret = create_webhook(alice)
    for shown in (alice.get(path), alice.get("/me/webhooks")):
        Page(shown.text)
        assert "https://hooks.example.org/…" in shown.text
        assert secret not in shown.text
        assert "a-secret-path" not in shown.text
    assert "it is your turn and something has happened" in alice.get(path).text


@pytest.mark.long
def test_the_page_that_shows_a_secret_is_sent_with_no_store(alice: FlaskClient) -> None:
    answer = send_form(alice, url=URL, kind=["moved"], preset="standard")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Robots-Tag"] == "noindex"


def test_an_invalid_webhook_form_names_errors_and_keeps_the_input(alice: FlaskClient) -> None:
    answer = send_form(alice, url="ftp://example.org", kind=["moved"], preset="slack")
    assert answer.status_code == 422
    page = Page(answer.text)
    assert 'value="ftp://example.org"' in answer.text
    assert '<option value="slack" selected>' in answer.text
    assert 'role="alert"' in answer.text
    assert ("input", {"type": "checkbox", "name": "kind", "value": "moved", "checked": ""}) in page.tags
    assert send_form(alice, url=URL, preset="standard").status_code == 422
    assert send_form(alice, url=URL, kind=["moved"], preset="teams").status_code == 422
    assert "You have no webhooks." in alice.get("/me/webhooks").text


def test_a_webhooks_page_sends_a_ping_and_lists_the_calls(
    web: Web, alice: FlaskClient, there: Receiver, clock: MovedClock
) -> None:
    path, _ = create_webhook(alice, there.url())
    assert path_of(send_form(alice, f"{path}/ping")) == f"{path}?done=ping"
    assert "A call is being sent" in alice.get(f"{path}?done=ping").text
    assert send_form(alice, f"{path}/ping").status_code == 429
    deliveries.deliver_due_calls(web.site)
    assert "arrived (204)" in alice.get(path).text
    clock.forward(seconds=11)
    (again,) = set(re.findall(rf"{path}/deliveries/\d+/redeliver", alice.get(path).text))
    assert path_of(send_form(alice, again)) == f"{path}?done=again"
    there.status = 500
    deliveries.deliver_due_calls(web.site)
    shown = alice.get(path).text
    assert "the server answered 500; it will be retried" in shown
    assert "calls do not arrive" in shown


def test_a_disabled_webhook_says_why_and_is_enabled_again(
    web: Web, alice: FlaskClient, there: Receiver, clock: MovedClock
) -> None:
    path, _ = create_webhook(alice, there.url())
    there.status = 410
    send_form(alice, f"{path}/ping")
    deliveries.deliver_due_calls(web.site)
    shown = alice.get(path).text
    assert "disabled" in shown
    assert "the address is gone (410)" in shown
    assert "/redeliver" not in shown
    assert send_form(alice, f"{path}/ping").status_code == 409
    assert path_of(send_form(alice, f"{path}/enable")) == f"{path}?done=enabled"
    assert "calls arrive" in alice.get(path).text


def test_another_secret_is_shown_once_and_a_deleted_webhook_is_gone(alice: FlaskClient) -> None:
    path, first = create_webhook(alice)
    (second,) = re.findall(r"whsec_[\w+/=]+", send_form(alice, f"{path}/rotate").text)
    assert second != first
    assert second not in alice.get(path).text
    assert path_of(send_form(alice, f"{path}/delete")) == "/me/webhooks?done=1"
    assert alice.get(path).status_code == 404
    assert send_form(alice, f"{path}/delete").status_code == 404
    for gone in ("ping", "enable", "rotate", "deliveries/1/redeliver"):
        assert send_form(alice, f"{path}/{gone}").status_code == 404


def test_nobody_sees_or_changes_another_s_webhook(web: Web, hogen: str, alice: FlaskClient) -> None:
    path, _ = create_webhook(alice)
    assert web.client().get(path).status_code == 401
    bob = web.client()
    bob.post(path_of_account_link(web, "bob"))
    before = web.everything()
    assert bob.get(path).status_code == 404
    for action in ("ping", "enable", "rotate", "delete", "deliveries/1/redeliver"):
        assert send_form(bob, f"{path}/{action}").status_code == 404
    assert web.everything() == before


def test_a_webhook_form_posted_from_another_site_does_nothing(web: Web, alice: FlaskClient) -> None:
    path, _ = create_webhook(alice)
    before = web.everything()
    for action in ("", "/ping", "/enable", "/rotate", "/delete", "/deliveries/1/redeliver"):
        assert alice.post(path + action if action else "/me/webhooks", data={"url": URL}).status_code == 400
    assert web.everything() == before


def test_viewing_the_webhook_pages_changes_nothing(web: Web, alice: FlaskClient) -> None:
    path, _ = create_webhook(alice)
    before = web.everything()
    for looked in ("/me", "/me/webhooks", path, f"{path}?after=5", f"{path}?after=x", f"{path}?lang=fr"):
        assert alice.get(looked).status_code == 200
    assert web.everything() == before
