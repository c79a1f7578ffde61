"""Holidays and quiet hours by the API: with the token of the player's account link and no other."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from pbem.models.tables import Player, table
from pbem.services.clock import holidays
from tests.api.cast import Api, Caller, Table, check_problem, json_of
from tests.harness.cases import cases
from tests.table import MovedClock

PATH = "/me/calendar"
HOURS = {"zone": "Asia/Tokyo", "weekends_off": True, "quiet": {"from": 22, "to": 7}}


@pytest.fixture
def bob(rest: Api, hogen: Table) -> Caller:
    """Bob with the token of an account link."""
    with rest.site.reading() as session:
        players = table(Player)
        found = session.execute(select(players).where(players.c.canonical == "bob@example.org")).one()
    return rest.caller(rest.site.tokens.for_account(found.id, found.epoch, rest.site.now()))


def delete(caller: Caller, path: str) -> Any:
    return caller.client.delete(f"/api/v1{path}", headers=caller.headers())


@pytest.mark.long
def test_quiet_hours_and_zone_are_set_together_and_returned(bob: Caller, hogen: Table) -> None:
    before = json_of(bob.get(PATH))
    assert before == {"zone": "Europe/Paris", "weekends_off": False, "quiet": None, "holidays": [], "allowance": 30}
    deadline = json_of(hogen.bob.get(hogen.path))["asks"][1]["deadline"]
    assert json_of(bob.put(PATH, HOURS)) == before | HOURS
    assert json_of(bob.get(PATH)) == before | HOURS
    assert json_of(hogen.bob.get(hogen.path))["asks"][1]["deadline"] > deadline, "12 March is a Thursday"
    assert json_of(bob.put(PATH, HOURS | {"weekends_off": False, "quiet": None}))["quiet"] is None
    same = HOURS | {"quiet": {"from": 7, "to": 7}}
    assert json_of(bob.put(PATH, same))["quiet"] is None


def test_a_holiday_is_announced_shown_to_the_table_and_withdrawn(bob: Caller, hogen: Table, clock: MovedClock) -> None:
    days = {"first": str(clock().date() + timedelta(days=1)), "last": str(clock().date() + timedelta(days=6))}
    answer = bob.post(f"{PATH}/holidays", days)
    assert json_of(answer, 201)["holidays"] == [days]
    assert json_of(hogen.alice.get(hogen.path))["seats"][1]["holidays"] == [days]
    assert json_of(delete(bob, f"{PATH}/holidays/{days['first']}"))["holidays"] == []
    for gone in (days["first"], "soon", "2026-13-01"):
        check_problem(delete(bob, f"{PATH}/holidays/{gone}"), 404, "not_found")


@pytest.mark.long
@cases(
    "wrong, field",
    [
        ({"zone": "Mars/Base"}, "zone"), ({"weekends_off": 1}, "weekends_off"), ({"quiet": {"from": 1}}, "quiet.to"),
        ({"quiet": {"from": 24, "to": 1}}, "quiet.from"), ({"quiet": 3}, "quiet"), ({"colour": "red"}, "colour"),
    ],
)  # fmt: skip
def test_an_invalid_calendar_is_refused_and_changes_nothing(bob: Caller, wrong: dict[str, Any], field: str) -> None:
    before = json_of(bob.get(PATH))
    refused = check_problem(bob.put(PATH, HOURS | wrong), 422, "invalid")
    assert list(refused["fields"]) == [field]
    assert json_of(bob.get(PATH)) == before


def test_an_invalid_holiday_is_refused(bob: Caller, clock: MovedClock) -> None:
    today = clock().date()
    for first, last in ((today - timedelta(days=1), today), (today, today + timedelta(days=holidays.ALLOWANCE))):
        refused = check_problem(bob.post(f"{PATH}/holidays", {"first": str(first), "last": str(last)}), 422, "invalid")
        assert "holiday" in refused["detail"]
    assert (
        "2026-07-14"
        in check_problem(bob.post(f"{PATH}/holidays", {"first": "soon", "last": str(today)}), 422, "invalid")["detail"]
    )
    for wrong in (date.max, 5, None):
        sent = {"first": str(today), "last": str(wrong) if isinstance(wrong, date) else wrong}
        assert bob.post(f"{PATH}/holidays", sent).status_code == 422


def test_the_calendar_refuses_seat_tokens_expired_tokens_and_no_token(
    rest: Api, bob: Caller, hogen: Table, clock: MovedClock
) -> None:
    for caller in (hogen.bob, rest.caller(), rest.caller("x.1.2")):
        check_problem(caller.get(PATH), 401, "unauthorized")
        check_problem(caller.put(PATH, HOURS), 401, "unauthorized")
        check_problem(caller.post(f"{PATH}/holidays", {}), 401, "unauthorized")
        check_problem(delete(caller, f"{PATH}/holidays/2026-04-01"), 401, "unauthorized")
    assert "half an hour" in check_problem(rest.caller().get(PATH), 401, "unauthorized")["detail"]
    check_problem(rest.caller(bob.token).get(f"{hogen.path}/ask"), 401, "unauthorized")
    clock.forward(minutes=31)
    check_problem(bob.get(PATH), 401, "unauthorized")


def test_the_calendar_is_sent_with_no_store(bob: Caller) -> None:
    assert bob.get(PATH).headers["Cache-Control"] == "private, no-store"
