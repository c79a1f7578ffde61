"""A player's matches page by page, on both databases."""

from __future__ import annotations

import base64

import pytest
from sqlalchemy import event

from pbem.errors import Invalid
from pbem.services.views import match_list, match_views
from pbem.services.views.match_list import Wanted
from tests.harness.cases import cases
from tests.services.letterbox import id_of
from tests.table import House


def read_all_pages(house: House, name: str, limit: int, **wanted: object) -> list[str]:
    """The matches of all pages."""
    player, seen, after = id_of(house, name), [], None
    for _ in range(20):
        found, after = match_list.page_of_own_matches(house.site, player, Wanted(limit=limit, after=after, **wanted))  # type: ignore[arg-type]
        assert len(found) <= limit
        seen += [one.match.id for one in found]
        if after is None:
            return seen
    raise AssertionError("there is always another page")


@pytest.mark.long
def test_pages_of_any_size_hold_every_match_once_newest_first(house: House) -> None:
    made = []
    for number in range(7):
        made.append((house.begin(), house.clock.at))
        house.clock.forward(microseconds=number % 3)  # several begin at the same moment
    newest_first = [match for match, at in sorted(made, key=lambda one: (one[1], one[0]), reverse=True)]
    for limit in (1, 2, 3, 6, 7, 8):
        assert read_all_pages(house, "Bob", limit) == newest_first
    assert read_all_pages(house, "Bob", 2, statuses=("running",), turn=True) == newest_first
    assert read_all_pages(house, "Bob", 2, statuses=("over", "paused")) == []


@pytest.mark.long
def test_a_page_costs_two_queries_however_long_it_is(house: House) -> None:
    for _ in range(6):
        house.begin()
    player, asked = id_of(house, "Bob"), []
    event.listen(house.site.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    assert len(match_list.page_of_own_matches(house.site, player, Wanted())[0]) == 6
    assert len([statement for statement in asked if statement.lstrip().upper().startswith("SELECT")]) == 2


@pytest.mark.long
def test_a_match_that_was_played_says_how_it_ended(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    house.play_out(match_id)
    ((one,), after) = match_list.page_of_own_matches(house.site, id_of(house, "Carol"), Wanted(statuses=("over",)))
    assert (one.match.id, one.own.seat, one.deadline, after) == (match_id, 2, None, None)
    outcome, cancelled = match_views.end_of(one.match.status, one.match.outcome)
    assert outcome is not None
    assert (bool(outcome.winners), cancelled) == (True, None)


@cases("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-03-12T12:00:00"])
def test_a_cursor_with_a_time_out_of_range_or_without_a_zone_is_refused(house: House, moment: str) -> None:
    cursor = base64.urlsafe_b64encode(f"{moment}.{house.begin()}".encode()).decode().rstrip("=")
    with pytest.raises(Invalid):
        match_list.page_of_own_matches(house.site, id_of(house, "Bob"), Wanted(after=cursor))


def test_nobody_lists_a_match_before_its_organiser_confirms(house: House) -> None:
    """Anybody may type an address: until it is confirmed, a match belongs to nobody."""
    house.create()
    for name in ("Alice", "Bob"):
        assert match_list.page_of_own_matches(house.site, id_of(house, name), Wanted()) == ([], None)


@pytest.mark.parametrize("cursor", ["", "x", "=", "MjAyNi0wMy0xMlQxMjowMDowMC5hYg", "\x00", "é", "A" * 199])
def test_an_invalid_cursor_is_refused(house: House, cursor: str) -> None:
    house.begin()
    with pytest.raises(Invalid):
        match_list.page_of_own_matches(house.site, id_of(house, "Bob"), Wanted(after=cursor))
