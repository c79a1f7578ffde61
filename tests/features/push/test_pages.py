"""Notifications on a device, as a seat's page and its service worker ask for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from pbem import create_app
from pbem.environment import Smtp
from pbem.features.push import pages, subscriptions
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import lock_table
from pbem.services.play import presence
from pbem.services.views import match_views
from tests.features.push.device import Phone
from tests.harness.cases import cases
from tests.table import claim_of, submit_answer
from tests.web.cast import Page, Web

PHONE = Phone("https://push.example.org/send/1")
OTHER = "https://elsewhere.example.org"


def _rows(web: Web) -> list[tuple[Any, ...]]:
    with web.site.engine.connect() as connection:
        return [
            tuple(row) for row in connection.execute(text("SELECT seat, endpoint FROM push_subscriptions ORDER BY 1"))
        ]


def test_a_device_subscribes_by_a_seats_link_and_stops_by_its_endpoint(web: Web, hogen: str) -> None:
    client = web.client()
    for seat in (0, 1):
        answer = client.post(f"{web.link('play', hogen, seat)}/push", json=PHONE.json)
        assert (answer.status_code, answer.text) == (204, "")
        assert answer.headers["Cache-Control"] == "no-store"
    assert _rows(web) == [(0, PHONE.endpoint), (1, PHONE.endpoint)]
    assert client.post("/push/stop", json={"endpoint": PHONE.endpoint}).status_code == 204
    assert _rows(web) == []


@cases(
    "said, code",
    [
        ([], "invalid"),
        ({}, "invalid"),
        ({"endpoint": PHONE.endpoint}, "invalid"),
        ({"endpoint": PHONE.endpoint, "keys": {}}, "invalid"),
        ({"endpoint": PHONE.endpoint, "keys": {"p256dh": "x", "auth": "y"}}, "invalid"),
        ({"endpoint": 7, "keys": PHONE.json["keys"]}, "invalid"),
        ({"endpoint": "https://10.0.0.1/", "keys": PHONE.json["keys"]}, "unlinkable"),
        ({"endpoint": "http://push.example.org/", "keys": PHONE.json["keys"]}, "unlinkable"),
    ],
)
def test_an_invalid_push_subscription_is_refused_with_a_code(web: Web, hogen: str, said: Any, code: str) -> None:
    before = web.everything()
    answer = web.client().post(f"{web.link('play', hogen, 0)}/push", json=said)
    assert answer.status_code == 422
    assert answer.mimetype == "application/problem+json"
    assert answer.get_json()["code"] == code
    assert answer.get_json()["detail"]
    assert web.everything() == before


def test_a_push_request_whose_body_is_not_json_is_refused(web: Web, hogen: str) -> None:
    for path in (f"{web.link('play', hogen, 0)}/push", f"{web.link('play', hogen, 0)}/push/opened", "/push/stop"):
        assert web.client().post(path, data={"endpoint": "x"}).status_code == 422


@cases("mail", [None, 1, ["x"], "é"])
def test_an_opened_notification_that_names_no_mail_is_refused(web: Web, hogen: str, mail: Any) -> None:
    answer = web.client().post(f"{web.link('play', hogen, 0)}/push/opened", json={"mail": mail})
    assert answer.status_code == 422


@cases("endpoint", ["", "\ud800", "x" * 10_000, "https://push.example.org/nobody"])
def test_stopping_an_unknown_push_subscription_does_nothing(web: Web, endpoint: str) -> None:
    assert web.client().post("/push/stop", json={"endpoint": endpoint}).status_code == 204


def test_a_notification_is_reported_opened_by_post_and_a_get_redirects(web: Web, hogen: str) -> None:
    path = f"{web.link('play', hogen, 0)}/push/opened"
    assert web.client().get(path).status_code == 303
    assert web.client().post(path, json={"mail": "x"}).status_code == 204


@pytest.mark.long
def test_push_requests_from_another_site_or_an_invalid_link_do_nothing(web: Web, hogen: str) -> None:
    before = web.everything()
    client, link = web.client(), web.link("play", hogen, 0)
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": OTHER}):
        for path in (f"{link}/push", f"{link}/push/opened", "/push/stop"):
            assert client.post(path, json=PHONE.json, headers=headers).status_code == 403
    answer = client.post(f"{link}x/push", json=PHONE.json)
    assert (answer.status_code, answer.get_json()["code"]) == (401, "unauthorized")
    muted = web.link("mute", hogen, 0).replace("/mute/", "/play/")
    assert client.post(f"{muted}/push", json=PHONE.json).status_code == 401
    assert web.everything() == before


@pytest.mark.long
def test_notifications_are_offered_after_a_move_and_hidden_without_scripts(web: Web, hogen: str) -> None:
    link = web.link("play", hogen, 0)
    asked = web.client().get(f"{link}?done=1").text
    view = match_views.read_view(web.site, hogen, 0)
    assert view.ask is not None
    submit_answer(web.site, hogen, 0, view.ask.key, view.legal()[0], "web")
    plain, moved = (web.client().get(f"{link}{query}").text for query in ("", "?done=1"))
    assert subscriptions.public_key(web.site.config.secret) in plain
    assert "Not now" not in plain + asked
    assert "Not now" in moved
    for tag, attributes in Page(moved).tags:
        if tag in ("li", "p") and ("data-push" in attributes or "data-sound" in attributes):
            assert "hidden" in attributes


@pytest.mark.long
def test_a_resigned_or_finished_seats_page_can_only_end_notifications(web: Web, hogen: str) -> None:
    def ends_them_only(page: str) -> bool:
        tags = [(tag, attributes["data-push"]) for tag, attributes in Page(page).tags if "data-push" in attributes]
        offers = "data-push-key" in page or "data-sound" in page or ("button", "on") in tags
        return ("button", "off") in tags and "features/push/push.js" in page and not offers

    assert not ends_them_only(web.client().get(web.link("play", hogen, 1)).text)
    presence.resign(web.site, claim_of(web.site, hogen, 1))
    assert ends_them_only(web.client().get(web.link("play", hogen, 1)).text)
    with web.site.writing() as work:
        call_off(lock_table(work, hogen), "host")
    assert ends_them_only(web.client().get(web.link("play", hogen, 0)).text)
    guest = web.client()
    started = guest.post("/now", data={"game": "allegeance"}, follow_redirects=True)
    assert started.status_code == 200
    assert ends_them_only(started.text)


def test_the_service_worker_is_served_at_the_root_with_no_cache(web: Web) -> None:
    answer = web.client().get("/sw.js")
    assert answer.mimetype == "text/javascript"
    assert "no-cache" in answer.headers["Cache-Control"]
    assert "worker-src 'self'" in answer.headers["Content-Security-Policy"]
    assert "caches" not in answer.text
    assert '"fetch"' not in answer.text


@pytest.mark.long
def test_push_requests_have_a_rate_limit_per_network(
    make_web: Callable[..., Web], monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    web = make_web(smtp=relay)
    few = tuple(replace(limit, account=replace(pages.PUSHES, per_hour=2)) for limit in pages.LIMITS)
    monkeypatch.setattr(pages, "LIMITS", few)
    web.app = create_app(site=web.site)  # one of its own: the others share theirs
    statuses = [web.client().post("/push/stop", json={"endpoint": "x"}) for _ in range(3)]
    assert [answer.status_code for answer in statuses] == [204, 204, 429]
    assert statuses[-1].get_json()["code"] == "too_many"
    assert "Retry-After" in statuses[-1].headers
