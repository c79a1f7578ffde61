"""A player's own list: their turn first, complete, and read by the same few statements however long it is."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from pbem.models.tables import Match, SeatRow
from pbem.services.clock import holidays
from pbem.services.lobby.matches import confirm_match, decline_invitation
from pbem.services.log import store
from pbem.services.players import bounces, players
from pbem.services.views import match_list, seats
from pbem.services.views.match_list import MyMatch
from tests.harness.sent import count_statements, statements_to
from tests.services.letterbox import player_of
from tests.table import House


def matches_of_player(house: House, name: str) -> list[MyMatch]:
    """The matches of one of the cast."""
    with house.site.reading() as session:
        return match_list.my_matches(house.site, session, player_of(house, name), ["play"])


def invitations_of(house: House, name: str) -> list[MyMatch]:
    """The open invitations of one of the cast."""
    with house.site.reading() as session:
        return match_list.my_matches(house.site, session, player_of(house, name), ["invitation"])


def add_newer_matches(house: House, match_id: str, count: int, status: str, seat_status: str) -> None:
    """Adds this many newer matches like this one, with Bob in the first seat and this status."""
    with house.site.writing() as session:
        model = session.get_one(Match, match_id).model_dump()
        bob = session.get_one(SeatRow, (match_id, 1)).player_id
        later = [
            {
                **model,
                "id": f"{2**64 + n:024x}",
                "status": status,
                "created_at": model["created_at"] + timedelta(minutes=n),
            }
            for n in range(1, count + 1)
        ]
        session.add_all(Match(**row) for row in later)
        session.flush()
        session.add_all(
            SeatRow(match_id=row["id"], seat=0, name="Bob", status=seat_status, player_id=bob, epoch=0) for row in later
        )


@pytest.mark.long
def test_declined_seats_take_no_place_in_the_list(house: House) -> None:
    match_id = house.begin()
    add_newer_matches(house, match_id, 250, "inviting", "declined")
    assert [one.sheet.id for one in matches_of_player(house, "Bob")] == [match_id]


@pytest.mark.long
def test_unfinished_matches_come_before_newer_finished_ones(house: House) -> None:
    match_id = house.begin()
    add_newer_matches(house, match_id, 250, "cancelled", "accepted")
    found = matches_of_player(house, "Bob")
    assert found[0].sheet.id == match_id
    assert len(found) == match_list.MOST
    assert [one.sheet.created_at for one in found[1:]] == sorted(
        (one.sheet.created_at for one in found[1:]), reverse=True
    )


@pytest.mark.long
def test_a_longer_list_asks_the_database_no_more_often(house: House) -> None:
    for _ in range(2):
        house.begin()
        confirm_match(house.site, house.claim("confirm", house.create(), 0), "fr", "Europe/Paris")
    few = [
        count_statements(house.site.engine, lambda: matches_of_player(house, "Bob")),
        count_statements(house.site.engine, lambda: invitations_of(house, "Bob")),
    ]
    for _ in range(10):
        house.begin()
        confirm_match(house.site, house.claim("confirm", house.create(), 0), "fr", "Europe/Paris")
    assert (len(matches_of_player(house, "Bob")), len(invitations_of(house, "Bob"))) == (12, 12)
    many = [
        count_statements(house.site.engine, lambda: matches_of_player(house, "Bob")),
        count_statements(house.site.engine, lambda: invitations_of(house, "Bob")),
    ]
    assert many == few


@pytest.mark.long
def test_each_match_of_the_list_has_the_sheet_that_its_own_page_has(house: House) -> None:
    made = [house.begin(), house.begin(4), house.create()]
    confirm_match(house.site, house.claim("confirm", made[2], 0), "fr", "Europe/Paris")
    decline_invitation(house.site, house.claim("invitation", made[2], 2))
    house.play(made[0], 1)
    bob = player_of(house, "Bob")
    assert bob.id is not None
    holidays.add_holiday(house.site, bob.id, date(2026, 3, 13), date(2026, 3, 20))
    with house.site.writing() as session:
        bounces.mark_bouncing(session, bob.id, "550 5.1.1", house.clock())
    for name, seat in (("Alice", 0), ("Carol", 2)):
        found = matches_of_player(house, name)
        assert {one.sheet.id for one in found} == set(made if name == "Alice" else made[:2])
        for one in found:
            assert one.sheet == seats.read_seat(house.site, house.claim("play", one.sheet.id, seat)).sheet
    assert [one.sheet for one in invitations_of(house, "Bob")] == [
        seats.read_seat(house.site, house.claim("invitation", made[2], 1)).sheet
    ]


@pytest.mark.long
def test_matches_awaiting_the_player_are_listed_first(house: House) -> None:
    first, second = house.begin(), house.begin()
    house.play(second, 1)
    assert [one.sheet.id for one in matches_of_player(house, "Bob")] == [first, second]
    with house.site.reading() as session:
        assert 1 in [ask.seat for ask in store.open_asks(session, first)]


@pytest.mark.long
def test_older_invitations_and_unconfirmed_matches_are_always_listed(house: House) -> None:
    invitation, unconfirmed = house.create(), house.create()
    confirm_match(house.site, house.claim("confirm", invitation, 0), "fr", "Europe/Paris")
    add_newer_matches(house, house.begin(), 250, "running", "accepted")
    with house.site.reading() as session:
        bob = match_list.my_matches(house.site, session, player_of(house, "Bob"), match_list.OWN)
        alice = match_list.my_matches(house.site, session, player_of(house, "Alice"), ["play", "confirm"])
    assert [one.purpose for one in bob] == ["play"] * match_list.MOST + ["invitation"]
    assert bob[-1].sheet.id == invitation
    assert [(one.sheet.id, one.purpose) for one in alice][-1] == (unconfirmed, "confirm")


def test_the_next_match_is_found_by_one_statement_and_is_never_the_same(house: House) -> None:
    first, second = house.begin(), house.begin()
    number = player_of(house, "Alice").id
    assert number is not None
    alice = players.read_account(house.site, number)
    with statements_to(house.site.engine) as sent:
        found = match_list.read_next_turn(house.site, alice, first)
    assert len([one for one in sent if one.startswith("SELECT")]) == 1
    assert found is not None
    assert (found.game.meta.slug, found.token) == ("hogen", house.token("play", second, 0))
    house.play_out(first)
    assert match_list.read_next_turn(house.site, alice, second) is None, "what is over waits for nobody"
