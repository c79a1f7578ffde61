"""Muting while a substitute takes the seat over: a revoked link silences nobody."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from pbem.errors import Problem, Unauthorized
from pbem.models.tables import Player, SeatRow
from pbem.services.log import locks, store
from pbem.services.mail import digests
from pbem.services.tokens import MuteClaim, StopClaim, next_named
from pbem.services.views import seats
from tests.harness.waiting import SECONDS, wait_until, watch_locks
from tests.services.letterbox import player_of
from tests.table import House


def add_charlie(house: House) -> int:
    """Returns Charlie's id."""
    with house.site.writing() as session:
        charlie = Player(address="charlie@example.org", canonical="charlie@example.org", created_at=house.clock())
        session.add(charlie)
        session.flush()
        assert charlie.id is not None
        return charlie.id


def take_over_meanwhile(house: House, match_id: str, job: Callable[[], None]) -> Problem | None:
    """Returns the result of a job that begins before Charlie's takeover of Bob's seat is committed."""
    charlie, said = add_charlie(house), list[Problem]()

    def run() -> None:
        try:
            job()
        except Problem as problem:
            said.append(problem)

    other = threading.Thread(target=run)
    with watch_locks(house.site.engine) as waits, house.site.writing() as session:
        locks.lock_match(session, match_id)
        seat = session.get_one(SeatRow, (match_id, 1))
        seat.player_id, seat.epoch, seat.muted = charlie, next_named(seat.epoch), False
        session.flush()
        other.start()
        wait_until(waits, "it has read what there is to read, and waits")
    other.join(SECONDS)
    return said[0] if said else None


def seats_without_mail(house: House, match_id: str) -> list[bool]:
    """Returns the seats that get no mails."""
    with house.site.reading() as session:
        return [seat.muted for seat in store.seats_of(session, match_id)]


@pytest.mark.long
def test_a_former_owners_mute_link_does_not_mute_the_seats_new_player(house: House) -> None:
    match_id = house.begin()
    token = house.token("mute", match_id, 1)
    problem = take_over_meanwhile(
        house, match_id, lambda: seats.mute(house.site, house.tokens.read(MuteClaim, token), True)
    )
    assert isinstance(problem, Unauthorized)
    assert seats_without_mail(house, match_id) == [False, False, False]


@pytest.mark.long
def test_the_digests_button_mutes_only_matches_that_are_still_the_players(house: House) -> None:
    match_id, other, over = house.begin(), house.begin(), house.begin()
    house.play_out(over)
    bob = player_of(house, "Bob")
    assert bob.id is not None
    token = house.site.tokens.sign_for(StopClaim, bob.id, bob.canonical or "")
    assert (
        take_over_meanwhile(
            house, match_id, lambda: digests.mute_all_matches(house.site, house.tokens.read(StopClaim, token), True)
        )
        is None
    )
    assert seats_without_mail(house, match_id) == [False, False, False]
    assert seats_without_mail(house, other) == [False, True, False]
    assert seats_without_mail(house, over) == [False, False, False]
    digests.mute_all_matches(house.site, house.tokens.read(StopClaim, token), False)
    assert seats_without_mail(house, other) == [False, False, False]


@pytest.mark.long
def test_a_mute_link_from_before_a_renewal_is_refused_without_effect(house: House) -> None:
    match_id = house.begin()
    token = house.token("mute", match_id, 1)
    seats.mute(house.site, house.tokens.read(MuteClaim, token), True)
    assert seats_without_mail(house, match_id) == [False, True, False]
    seats.renew_link(house.site, house.claim("play", match_id, 1))
    with pytest.raises(Unauthorized):
        seats.mute(house.site, house.tokens.read(MuteClaim, token), False)
    assert seats_without_mail(house, match_id) == [False, True, False]
