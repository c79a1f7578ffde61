"""Holidays, weekends and quiet hours of a player move the deadlines of their questions, and the log says so."""

from datetime import date, datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import text

from pbem.errors import Invalid, NotFound
from pbem.kit.replay import Extended
from pbem.services.calendar import calendar
from pbem.services.clock import holidays
from pbem.services.lobby import match_request, matches, offers
from pbem.services.mail import digests
from pbem.services.play import timeouts
from pbem.services.tokens import PlayClaim
from pbem.services.views import match_views, seats
from pbem.services.views.match_views import Holiday
from tests.harness.cases import cases
from tests.services.clock.deadlines import open_ask_of_seat
from tests.services.letterbox import newest_mail, player_of, text_of
from tests.services.play.stage.races import at_once
from tests.table import START, House, address_of, deadline_of

DEADLINE = START + timedelta(days=3)
DAY = timedelta(days=1)


def id_of_bob(house: House) -> int:
    """Returns Bob's id."""
    found = player_of(house, "Bob").id
    assert found is not None
    return found


def deadline_of_seat(house: House, match_id: str, seat: int) -> datetime:
    """Returns the seat's deadline."""
    return next(deadline_of(ask) for ask in house.asks(match_id) if ask.seat == seat)


def extensions_in_log(house: House, match_id: str) -> list[Extended]:
    """Returns the log's entries about moved deadlines."""
    events = [entry.event for entry in house.view(match_id, None).entries]
    return [event for event in events if isinstance(event, Extended)]


@pytest.mark.on_postgresql
def test_changing_a_players_zone_locks_all_their_matches(house: House) -> None:
    ids = sorted(house.begin() for _ in range(3))
    asked = next(one for one in ids[1:] if any(ask.seat == 1 for ask in house.asks(one)))
    with house.site.engine.begin() as connection:  # in the first of them Bob is not asked
        connection.execute(text("UPDATE asks SET closed_at = opened_at WHERE match_id <> :m").bindparams(m=asked))
    free = text("SELECT id FROM matches ORDER BY id FOR NO KEY UPDATE SKIP LOCKED")
    with house.site.writing() as work:
        player, moved = offers.lock_player_and_moved_matches(work, id_of_bob(house), "Asia/Tokyo")
        assert moved == [asked]
        if house.site.engine.dialect.name == "postgresql":
            with house.site.engine.connect() as other:
                assert other.execute(free).scalars().all() == []
        offers.verify_player_and_set_zone(house.site, work, player, moved, "fr", "Asia/Tokyo")


@pytest.mark.long
def test_a_holiday_moves_the_players_own_deadlines_and_is_announced(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 13), date(2026, 3, 20))
    assert deadline_of_seat(house, match_id, 1) == DEADLINE + 8 * DAY
    assert deadline_of_seat(house, match_id, 0) == DEADLINE
    assert extensions_in_log(house, match_id) == [Extended(8 * 86_400, 1)]
    seats = house.view(match_id, 0).sheet.seats
    assert [seat.holidays for seat in seats] == [(), (Holiday(date(2026, 3, 13), date(2026, 3, 20)),), ()]
    assert match_views.read_sheet(house.site, match_id, 2).seats == seats
    house.clock.forward(days=4)
    assert timeouts.sweep_deadlines(house.site) == 2
    house.clock.forward(days=8)
    assert [ask.seat for ask in house.asks(match_id)] == [1]
    assert timeouts.sweep_deadlines(house.site) >= 1


def test_a_holiday_is_not_announced_to_spectators(house: House) -> None:
    match_id = house.begin()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 13), date(2026, 3, 20))
    for sheet in (house.view(match_id, None).sheet, match_views.read_sheet(house.site, match_id, None)):
        assert [seat.holidays for seat in sheet.seats] == [(), (), ()]


def test_an_address_reveals_no_holidays_before_its_owner_sits_down(house: House) -> None:
    house.begin()
    first, last = date(2026, 3, 13), date(2026, 3, 20)
    holidays.add_holiday(house.site, id_of_bob(house), first, last)
    match_id = house.create()
    organiser = house.token("play", match_id, 0)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")

    def what_is_told() -> list[bool]:
        sheets = (
            house.view(match_id, 0).sheet,
            seats.read_seat(house.site, house.tokens.read(PlayClaim, organiser)).sheet,
        )
        return [bool(sheet.seats[1].holidays) for sheet in sheets]

    assert what_is_told() == [False, False], "he is invited, and nothing more"
    matches.decline_invitation(house.site, house.claim("invitation", match_id, 1))
    assert what_is_told() == [False, False]
    matches.invite_to_untaken_seat(
        house.site, house.tokens.read(PlayClaim, organiser), 1, match_request.Invitee("Dave", address_of("Dave"))
    )
    other = house.create()
    matches.confirm_match(house.site, house.claim("confirm", other, 0), "fr", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", other, 1), "en", "Europe/London")
    assert house.view(other, 2).sheet.seats[1].holidays == (Holiday(first, last),), (
        "who sits at the table announces them"
    )


@pytest.mark.long
def test_a_turn_that_begins_on_a_holiday_has_its_whole_time_afterwards(house: House) -> None:
    house.create()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 12), date(2026, 3, 15))
    match_id = house.begin()
    # Bob lives in London, so the clock starts on 16 March at midnight.
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-19T00:00+00:00")
    house.drain()
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-19T00:00+00:00")


@pytest.mark.long
def test_cancelling_a_holiday_before_it_begins_restores_the_deadline(house: House) -> None:
    match_id = house.begin()
    house.drain()
    for _ in range(3):
        holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 13), date(2026, 3, 20))
        holidays.cancel_holiday(house.site, id_of_bob(house), date(2026, 3, 13))
    assert deadline_of_seat(house, match_id, 1) == DEADLINE
    assert sum(event.seconds for event in extensions_in_log(house, match_id)) == 0


def test_cancelling_a_holiday_early_uses_up_the_days_until_today(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 13), date(2026, 4, 11))
    house.clock.forward(days=5)
    holidays.cancel_holiday(house.site, id_of_bob(house), date(2026, 3, 13))
    with house.site.reading() as session:
        assert calendar.holidays_of_player(session, id_of_bob(house)) == ((date(2026, 3, 13), date(2026, 3, 17)),)
    # On 12 March 11 h 56 min had passed; the other 60 h 4 min run from the next day on.
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-20T12:04+00:00")
    holidays.cancel_holiday(house.site, id_of_bob(house), date(2026, 3, 13))
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-20T12:04+00:00")
    house.clock.forward(days=1)
    with pytest.raises(NotFound):
        holidays.cancel_holiday(house.site, id_of_bob(house), date(2026, 3, 13))


@pytest.mark.long
@pytest.mark.parametrize("more", [0, 1])
def test_cancelling_a_holiday_late_on_its_last_day_changes_nothing(house: House, more: int) -> None:
    house.begin()
    house.drain()
    day = date(2026, 3, 13)
    house.clock.at = datetime.fromisoformat("2026-03-13T00:01+00:00") + more * DAY
    holidays.add_holiday(house.site, id_of_bob(house), day + more * DAY, day + 2 * more * DAY)
    house.clock.forward(days=more, hours=23, minutes=57)
    holidays.cancel_holiday(house.site, id_of_bob(house), day + more * DAY)
    with house.site.reading() as session:
        assert calendar.holidays_of_player(session, id_of_bob(house)) == ((day + more * DAY, day + 2 * more * DAY),)


@pytest.mark.long
def test_changing_quiet_hours_often_moves_a_deadline_by_at_most_a_night(house: House) -> None:
    match_id = house.begin()
    house.drain()
    for _ in range(60):
        hour = deadline_of_seat(house, match_id, 1).hour
        holidays.set_clock_hours(house.site, id_of_bob(house), False, (hour, (hour - 1) % 24))
        assert DEADLINE <= deadline_of_seat(house, match_id, 1) < DEADLINE + DAY
    holidays.set_clock_hours(house.site, id_of_bob(house), False, None)
    assert deadline_of_seat(house, match_id, 1) == DEADLINE
    assert sum(event.seconds for event in extensions_in_log(house, match_id)) == 0


@pytest.mark.long
def test_repeated_changes_of_zone_and_holidays_gain_no_time(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.set_clock_hours(house.site, id_of_bob(house), False, (12, 18))
    for zone in ("Europe/Paris", "Asia/Tokyo", "America/New_York", "Europe/London") * 5:
        holidays.set_clock_hours(house.site, id_of_bob(house), False, (12, 18), zone)
        holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 14), date(2026, 3, 14))
        assert deadline_of_seat(house, match_id, 1) < DEADLINE + 2 * DAY
        holidays.cancel_holiday(house.site, id_of_bob(house), date(2026, 3, 14))
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-15T18:00+00:00")
    holidays.set_clock_hours(house.site, id_of_bob(house), False, None)
    assert deadline_of_seat(house, match_id, 1) == DEADLINE


def test_changing_quiet_hours_that_delay_a_deadline_gains_no_time(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.set_clock_hours(house.site, id_of_bob(house), False, (11, 20))
    house.clock.at = datetime.fromisoformat("2026-03-15T15:00+00:00")
    holidays.set_clock_hours(house.site, id_of_bob(house), False, (12, 18))
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-15T18:00+00:00")
    holidays.set_clock_hours(house.site, id_of_bob(house), False, None)
    assert deadline_of_seat(house, match_id, 1) == house.clock.at
    assert open_ask_of_seat(house, match_id, 1).acts_at == house.clock.at + timedelta(hours=6)


@pytest.mark.long
def test_changing_quiet_hours_within_the_grace_period_gains_no_time(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.clock.at = DEADLINE + timedelta(hours=1)
    for _ in range(30):
        acts_at = open_ask_of_seat(house, match_id, 1).acts_at
        assert acts_at is not None
        holidays.set_clock_hours(house.site, id_of_bob(house), False, (acts_at.hour, (acts_at.hour - 1) % 24))
    holidays.set_clock_hours(house.site, id_of_bob(house), False, None)
    assert open_ask_of_seat(house, match_id, 1).acts_at == DEADLINE + timedelta(hours=6)


def test_letting_weekends_count_again_keeps_the_rest_of_the_grace_period(house: House) -> None:
    match_id = house.begin(turn_s=86_400)
    house.drain()
    holidays.set_clock_hours(house.site, id_of_bob(house), True, None)
    # Time was up on Friday at 12:04, and the grace ends at 14:28.
    house.clock.at = datetime.fromisoformat("2026-03-13T13:04+00:00")
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 13), date(2026, 3, 13))
    house.clock.at = datetime.fromisoformat("2026-03-15T09:00+00:00")
    acts_at = open_ask_of_seat(house, match_id, 1).acts_at
    assert acts_at == datetime.fromisoformat("2026-03-16T02:24+00:00")
    holidays.set_clock_hours(house.site, id_of_bob(house), False, None)
    acts_at = open_ask_of_seat(house, match_id, 1).acts_at
    assert acts_at == house.clock.at + timedelta(hours=2, minutes=24)


@pytest.mark.long
def test_a_change_of_zone_moves_open_deadlines_out_of_the_new_quiet_hours(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.set_clock_hours(house.site, id_of_bob(house), False, (7, 18))
    digests.set_preferences(house.site, id_of_bob(house), "en", "America/New_York", None)
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-15T22:00+00:00")
    other = house.create()
    matches.confirm_match(house.site, house.claim("confirm", other, 0), "fr", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", other, 1), "en", "Asia/Tokyo")
    assert player_of(house, "Bob").zone == "Asia/Tokyo"
    assert deadline_of_seat(house, match_id, 1) == DEADLINE
    assert sum(event.seconds for event in extensions_in_log(house, match_id)) == 0


def test_players_have_thirty_holidays_in_each_calendar_year(house: House) -> None:
    house.create()
    announce = partial(holidays.add_holiday, house.site, id_of_bob(house))
    announce(date(2026, 4, 1), date(2026, 4, 20))
    with pytest.raises(Invalid, match=r"days of holiday"):
        announce(date(2026, 5, 1), date(2026, 5, 11))
    announce(date(2026, 12, 22), date(2027, 1, 10))
    with pytest.raises(Invalid, match=r"days of holiday"):
        announce(date(2026, 6, 1), date(2026, 6, 1))
    announce(date(2027, 2, 1), date(2027, 2, 20))


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2026, 3, 11), date(2026, 3, 12)), (date(2026, 3, 14), date(2026, 3, 13)),
        (date(2027, 3, 14), date(2027, 3, 15)), (date(2026, 4, 20), date(2026, 4, 22)),
    ],
)  # fmt: skip
def test_an_impossible_holiday_is_refused(house: House, first: date, last: date) -> None:
    house.create()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 4, 1), date(2026, 4, 20))
    with pytest.raises(Invalid):
        holidays.add_holiday(house.site, id_of_bob(house), first, last)


def test_two_holidays_announced_at_once_do_not_exceed_the_allowance(house: House) -> None:
    house.create()
    jobs = [(date(2026, 5, 1), date(2026, 5, 20)), (date(2026, 6, 1), date(2026, 6, 20))]
    at_once(*(partial(holidays.add_holiday, house.site, id_of_bob(house), *job) for job in jobs))
    with house.site.reading() as session:
        assert len(calendar.holidays_of_player(session, id_of_bob(house))) == 1


@pytest.mark.long
def test_weekends_off_and_quiet_hours_put_off_new_and_open_deadlines(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.set_clock_hours(house.site, id_of_bob(house), True, (10, 18))
    # Thursday 12 March 12:04 and three days: Friday, Monday, Tuesday 12:04, which is within the quiet hours.
    assert deadline_of_seat(house, match_id, 1) == datetime.fromisoformat("2026-03-17T18:00+00:00")
    other = house.begin()
    assert deadline_of_seat(house, other, 1) == datetime.fromisoformat("2026-03-17T18:00+00:00")
    assert deadline_of_seat(house, other, 0) == DEADLINE


@pytest.mark.long
def test_turn_mails_tell_the_others_who_is_on_holiday(house: House) -> None:
    match_id = house.begin()
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 12), date(2026, 3, 20))
    house.drain()
    for name in ("Alice", "Carol"):
        mail = text_of(newest_mail(house, name))
        assert ("Bob est en vacances jusqu’au vendredi 20 mars." in mail) == (name == "Alice")
        assert ("Bob is on holiday until Friday 20 March." in mail) == (name == "Carol")
    assert "holiday" not in text_of(newest_mail(house, "Bob"))
    house.clock.forward(days=9)
    for seat in (0, 1, 2):
        house.play(match_id, seat)
    house.mail.clear()
    house.drain()
    assert "vacances" not in "".join(text_of(mail) for _, mail in house.mail.all_sent)


@pytest.mark.long
def test_a_holiday_within_the_grace_period_moves_the_rest_of_it(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.clock.forward(days=3, hours=1)
    holidays.add_holiday(house.site, id_of_bob(house), date(2026, 3, 15), date(2026, 3, 16))
    house.clock.forward(hours=6)
    assert timeouts.sweep_deadlines(house.site) == 2
    assert [ask.seat for ask in house.asks(match_id)] == [1]
    assert deadline_of_seat(house, match_id, 1) == DEADLINE
    (moved,) = extensions_in_log(house, match_id)
    assert (moved.seat, moved.seconds > 86_400) == (1, True)


@cases("first, last", [("7", ""), ("7", "24"), ("x", "3"), ("-1", "3"), ("٣", "4")])
def test_invalid_quiet_hours_are_refused(first: str, last: str) -> None:
    with pytest.raises(Invalid):
        holidays.parse_quiet_hours(first, last)


def test_quiet_hours_are_read_from_the_fields_of_a_form() -> None:
    assert holidays.parse_quiet_hours("", "") is None
    assert holidays.parse_quiet_hours("22", "7") == (22, 7)
    assert holidays.parse_quiet_hours("7", "7") is None
