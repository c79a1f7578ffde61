"""How many matches a player may have open: ten, two more for each played to its end, three fewer for each absence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from pbem.errors import Busy, TooManyOpen
from pbem.models.clocks import Heartbeat
from pbem.models.tables import Match, Player, SeatRow, table
from pbem.services.lobby import matches
from pbem.services.lobby.matches import start_match_against_bots
from pbem.services.log import locks
from pbem.services.play import presence, timeouts
from pbem.services.players.open_matches import OpenMatches, count_absence, read_open_matches
from pbem.services.who import STRANGER
from tests.services.letterbox import id_of
from tests.table import START, House, claim_of


@pytest.fixture
def small(house: House) -> House:
    """A site with caps, on which a player may have two matches open at first, and forty in the end."""
    config = replace(house.site.config, mode="production", open_matches=2, matches_per_address_day=1000)
    return replace(house, site=replace(house.site, config=config))


def is_refused(house: House) -> bool:
    """Returns whether Alice is refused a match of her own."""
    match_id = house.create()
    try:
        matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    except TooManyOpen:
        return True
    return False


def end_matches(house: House, *match_ids: str) -> None:
    with house.site.writing() as work:
        over = update(table(Match)).where(table(Match).c.id.in_(match_ids)).values(status="over", ended_at=START)
        work.connection().execute(over)


def test_the_limit_starts_small_and_grows_with_each_match_played_out(small: House) -> None:
    first, second = small.begin(), small.begin()
    alice = id_of(small, "Alice")
    assert read_open_matches(small.site, alice) == OpenMatches(2, 2)
    assert is_refused(small)
    end_matches(small, first)
    assert read_open_matches(small.site, alice) == OpenMatches(1, 4)
    assert [is_refused(small) for _ in range(4)] == [False, False, False, True], (
        "those that wait for players are open, too"
    )
    with small.site.writing() as work:
        seats = table(SeatRow)
        work.connection().execute(update(seats).where(seats.c.match_id == second).values(absent=True))
    end_matches(small, second)
    assert read_open_matches(small.site, alice) == OpenMatches(3, 4), "who was away at the end has earned nothing"


def fall_absent(house: House, match_id: str) -> None:
    """Lets the player who is asked miss two turns in a row."""
    for _ in range(40):
        if any(place.absent for place in house.view(match_id, None).sheet.seats):
            return
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    raise AssertionError("nobody became absent")


@pytest.mark.on_postgresql
def test_each_absence_lowers_the_limit_of_open_matches_by_3_down_to_2(house: House) -> None:
    config = replace(house.site.config, mode="production", open_matches=6, matches_per_address_day=1000)
    six = replace(house, site=replace(house.site, config=config))
    match_id = six.begin()
    fall_absent(six, match_id)
    (away,) = [place.name for place in six.view(match_id, None).sheet.seats if place.absent]
    number = id_of(six, away)
    assert read_open_matches(six.site, number) == OpenMatches(1, 3, 1)
    timeouts.sweep_deadlines(six.site)
    timeouts.sweep_deadlines(six.site)
    assert read_open_matches(six.site, number).absences == 1, "the clock goes on, and the absence is the same"
    seat = six.view(match_id, None).sheet.names.index(away)
    presence.end_own_absence(six.site, claim_of(six.site, match_id, seat))
    end_matches(six, match_id)
    assert read_open_matches(six.site, number) == OpenMatches(0, 5, 1), "a match played to its end still adds two"
    second = six.begin()
    fall_absent(six, second)
    both = [read_open_matches(six.site, id_of(six, name)) for name in ("Alice", "Bob", "Carol")]
    assert sum(one.absences for one in both) == 2
    with six.site.writing() as work:
        work.connection().execute(update(table(Player)).values(absences=9))
    assert read_open_matches(six.site, number).most == 2, "nobody is shut out"


@pytest.mark.long
def test_absences_during_an_outage_do_not_lower_the_limit(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    with house.site.writing() as work:
        heartbeats = table(Heartbeat)
        assert work.connection().execute(heartbeats.select()).all(), "the sweep has said that it is there"
    house.clock.forward(days=30)
    for _ in range(3):
        timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert not any(place.absent for place in house.view(match_id, None).sheet.seats)
    assert [read_open_matches(house.site, id_of(house, name)).absences for name in ("Alice", "Bob", "Carol")] == [
        0,
        0,
        0,
    ]


def test_counting_an_absence_of_a_locked_player_is_refused_as_busy(impatient_house: House) -> None:
    house = impatient_house
    house.begin()
    alice = id_of(house, "Alice")
    if house.site.engine.dialect.name == "sqlite":
        with house.site.writing() as work:
            count_absence(work, alice)
        return  # its single writer waits for nobody
    with house.site.writing() as other:
        locks.lock_player(other, alice)
        with pytest.raises(Busy), house.site.writing() as work:
            count_absence(work, alice)
    with house.site.writing() as work:
        count_absence(work, alice)
    assert read_open_matches(house.site, alice).absences == 1


@pytest.mark.long
def test_the_limit_of_open_matches_stops_at_twenty_times_the_first(small: House) -> None:
    one = replace(small, site=replace(small.site, config=replace(small.site.config, open_matches=1)))
    begun = []
    for _ in range(11):
        begun.append(one.begin())
        end_matches(one, *begun)
    assert read_open_matches(one.site, id_of(one, "Alice")) == OpenMatches(0, 20)


@pytest.mark.long
def test_resigning_frees_a_place_unless_one_started_the_match(small: House) -> None:
    of_bob, own = small.begin(), small.begin()
    with small.site.writing() as work:
        started = update(table(Match)).where(table(Match).c.id == of_bob).values(organiser_id=id_of(small, "Bob"))
        work.connection().execute(started)
    for match_id in (of_bob, own):
        presence.resign(small.site, small.claim("play", match_id, 0))
    assert read_open_matches(small.site, id_of(small, "Alice")) == OpenMatches(1, 2), "the others play on in their own"
    assert [is_refused(small), is_refused(small)] == [False, True]
    assert read_open_matches(small.site, id_of(small, "Bob")).count == 2, "a match is counted once"


@pytest.mark.on_postgresql
def test_a_match_played_from_two_seats_counts_once(small: House) -> None:
    match_id = small.begin()
    seats = table(SeatRow)
    with small.site.writing() as work:
        own = update(seats).where(seats.c.match_id == match_id).values(player_id=id_of(small, "Alice"))
        work.connection().execute(own)
    assert read_open_matches(small.site, id_of(small, "Alice")) == OpenMatches(1, 2)
    end_matches(small, match_id)
    assert read_open_matches(small.site, id_of(small, "Alice")) == OpenMatches(0, 4)


@pytest.mark.long
def test_an_invitation_is_accepted_even_beyond_the_limit_of_open_matches(small: House) -> None:
    for _ in range(2):
        small.begin()
    assert is_refused(small)
    end_matches(small, *_ids(small, 1))
    for _ in range(3):
        small.begin()
    assert read_open_matches(small.site, id_of(small, "Bob")).count == 4, "Alice's number has paid for them"


def _ids(house: House, count: int) -> list[str]:
    with house.site.reading() as session:
        rows = session.connection().execute(table(Match).select().where(table(Match).c.status == "running"))
        return [row.id for row in rows][:count]


def test_a_guest_has_the_same_limit_of_open_matches(small: House) -> None:
    started = start_match_against_bots(small.site, STRANGER, "hogen", "Zoe", "en", "Europe/Paris")
    guest = started.player.player_id
    start_match_against_bots(small.site, guest, "hogen", "Zoe", "en", "Europe/Paris")
    assert read_open_matches(small.site, guest) == OpenMatches(2, 2)
    with pytest.raises(TooManyOpen):
        start_match_against_bots(small.site, guest, "hogen", "Zoe", "en", "Europe/Paris")


@pytest.mark.long
def test_without_outgoing_mail_open_matches_have_no_limit(house: House) -> None:
    for _ in range(12):
        house.begin()
    assert read_open_matches(house.site, id_of(house, "Alice")) == OpenMatches(12, None)
