"""Holidays, weekends and quiet hours on the page of preferences."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from pbem.models.tables import Player
from pbem.services.calendar import calendar
from pbem.services.calendar.calendar import Calendar
from tests.table import MovedClock
from tests.web.cast import Page, Web, path_of, path_of_account_link, secret_of


@pytest.fixture
def alice(web: Web, hogen: str) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client()
    assert path_of(client.post(path_of_account_link(web))) == "/"
    return client


def her_calendar(web: Web) -> Calendar:
    """Returns Alice's calendar from the database."""
    with web.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == "alice@example.org")).one()
        return calendar.calendar_of_player(session, player)


def send_form(client: FlaskClient, path: str, **form: str) -> int:
    """Sends the form; returns the answer."""
    secret = secret_of(client.get("/me").text)
    return client.post(path, data={"csrf_token": secret, **form}).status_code


def test_weekends_and_quiet_hours_are_set_and_shown(web: Web, alice: FlaskClient) -> None:
    assert send_form(alice, "/me/hours", weekends="1", **{"from": "22", "to": "7"}) == 303
    assert (her_calendar(web).weekends_off, her_calendar(web).quiet) == (True, (22, 7))
    shown = alice.get("/me").text
    assert '<option value="22" selected>' in shown
    assert '<option value="7" selected>' in shown
    assert send_form(alice, "/me/hours", **{"from": "22", "to": ""}) == 422
    assert send_form(alice, "/me/hours", **{"from": "", "to": ""}) == 303
    assert (her_calendar(web).weekends_off, her_calendar(web).quiet) == (False, None)


def test_a_holiday_is_announced_to_the_table_and_can_be_taken_back(
    web: Web, alice: FlaskClient, hogen: str, clock: MovedClock
) -> None:
    today = clock().date()
    last = date.fromordinal(today.toordinal() + 6)
    assert send_form(alice, "/me/holiday", first=str(today), last=str(last)) == 303
    assert her_calendar(web).holidays == ((today, last),)
    assert "on holiday until" in web.client().get(web.link("play", hogen, 1)).text
    assert "on holiday until" not in web.client().get(f"/match/{hogen}").text, "the world is told nothing"
    later = last + timedelta(days=2)
    assert send_form(alice, "/me/holiday", first=str(later), last=str(later)) == 303
    assert [alice.get("/me").text.count(said) for said in ("Cancel the holiday", "I am back")] == [1, 1]
    assert send_form(alice, "/me/holiday/end", first=str(later)) == 303
    assert send_form(alice, "/me/holiday/end", first=str(today)) == 303
    assert her_calendar(web).holidays == ((today, today),), "a day that has begun counts"
    assert "back</button>" not in alice.get("/me").text


def test_an_invalid_calendar_form_is_refused_with_the_reason(web: Web, alice: FlaskClient) -> None:
    secret = secret_of(alice.get("/me").text)
    for first, last in (("2020-01-01", "2020-01-02"), ("", ""), ("soon", "later")):
        answer = alice.post("/me/holiday", data={"csrf_token": secret, "first": first, "last": last})
        assert answer.status_code == 422
        assert "holiday" in Page(answer.text).words or "2026-07-14" in Page(answer.text).words
    assert her_calendar(web).holidays == ()


def test_a_calendar_form_without_the_csrf_token_changes_nothing(web: Web, alice: FlaskClient) -> None:
    for path in ("/me/hours", "/me/holiday", "/me/holiday/end"):
        assert alice.post(path, data={"weekends": "1", "first": "2026-06-01", "last": "2026-06-02"}).status_code == 400
        assert alice.get(path).location == "/me"
    assert her_calendar(web) == Calendar("Europe/Paris")
