"""Bounces: the address's fault stops its mails and is shown to the table; any other fault is the host's to fix."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlmodel import col, select

from pbem.errors import Gone, TooMany
from pbem.mail.send import PermanentFailure, RelayDown, TemporaryFailure
from pbem.models.tables import OutboxRow
from pbem.services.lobby import matches
from pbem.services.mail import digests
from pbem.services.play import timeouts
from pbem.services.players import bounces, players, suppressions
from pbem.services.players.players import request_links
from pbem.services.views import match_views, seats
from tests.services.clock.deadlines import open_ask_of_seat
from tests.services.letterbox import kinds_of_mails, once_a_day, player_of, text_of
from tests.table import House, address_of, deadline_of

UNKNOWN = PermanentFailure(550, "5.1.1 no such user", "recipient")
SPAM = PermanentFailure(554, "5.7.1 looks like spam", "data")
FULL = TemporaryFailure(452, "4.2.2 mailbox full", "recipient")
NOWHERE = TemporaryFailure(450, "4.1.2 Recipient address rejected: Domain not found", "recipient")
BUSY = TemporaryFailure(451, "4.3.2 not accepting mail", "data")


def results_of_mails(house: House, seat: int, kind: str = "turn") -> list[str | None]:
    """Returns the results of the mails of a kind to a seat, oldest first; None for one that still waits."""
    with house.site.reading() as session:
        found = text("SELECT result FROM outbox WHERE kind = :kind AND seat = :seat ORDER BY id")
        return list(session.execute(found, {"kind": kind, "seat": seat}).scalars())


def make_relay_refuse(house: House, name: str, failure: Exception | None) -> None:
    """Makes the relay fail in this way for one of the cast, and for nobody else."""
    house.mail.refusing = {address_of(name): failure} if failure else {}


def seats_bouncing(house: House, match_id: str, viewer: int | None = None) -> list[str]:
    """Returns the seats whose mail bounces, as everybody or one viewer sees them."""
    return [seat.name for seat in house.view(match_id, viewer).sheet.seats if seat.bounces]


def run_worker_for_hours(house: House, count: int) -> None:
    """Advances the clock by this many hours; the worker runs when a mail is to be tried, every ten minutes at most."""
    end = house.clock.at + timedelta(hours=count)
    while house.clock.at < end:
        with house.site.reading() as session:
            waiting = session.exec(select(OutboxRow).where(col(OutboxRow.done_at).is_(None))).all()
            due = min((max(mail.due_at, mail.claimed_until or mail.due_at) for mail in waiting), default=end)
        house.clock.at = min(max(due, house.clock.at + timedelta(minutes=10)), end)
        house.drain()


@pytest.fixture
def rare_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts are at most six hours apart: their total duration counts, and not their number."""
    monkeypatch.setattr(bounces, "LAST_RETRY_S", 6 * 3600)


@pytest.mark.long
def test_a_refused_address_is_shown_to_the_table_and_gets_no_more_mail(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    assert seats_bouncing(house, match_id) == ["Bob"]
    assert (results_of_mails(house, 1), results_of_mails(house, 2)) == (["refused"], ["sent"])
    bob = player_of(house, "Bob")
    assert (bob.bounced_at, bob.bounced_why) == (house.clock.at, "550 5.1.1")
    other = house.begin()
    house.clock.forward(hours=1)
    house.drain()
    assert results_of_mails(house, 1) == ["refused", "bounced"]
    assert seats_bouncing(house, other) == ["Bob"], "a bounce is the player's, at all his tables"


@pytest.mark.long
def test_a_turn_whose_mail_bounced_still_gets_its_full_turn_time(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    ask = open_ask_of_seat(house, match_id, 1)
    assert (deadline_of(ask) - house.clock.at, ask.mailed_at) == (timedelta(days=3), house.clock.at)
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 3


@pytest.mark.long
def test_a_mail_refused_for_another_reason_is_no_bounce_and_is_retried(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", SPAM)
    house.drain()
    run_worker_for_hours(house, 5)
    assert seats_bouncing(house, match_id) == []
    assert results_of_mails(house, 1) == [None]
    assert open_ask_of_seat(house, match_id, 1).acts_at is None, "no clock runs before the relay took the mail"
    make_relay_refuse(house, "Bob", None)
    run_worker_for_hours(house, 2)
    assert results_of_mails(house, 1) == ["sent"]


@pytest.mark.long
@pytest.mark.usefixtures("rare_tries")
def test_a_mail_refused_for_a_whole_turn_is_given_up_if_other_mails_leave(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", SPAM)
    house.drain()
    for _ in range(8):  # three days of waits are less than four, whatever the jitter
        run_worker_for_hours(house, 12)
        request_links(house.site, address_of("Carol"))
    assert results_of_mails(house, 1) == ["rejected"]
    assert seats_bouncing(house, match_id) == []
    ask = open_ask_of_seat(house, match_id, 1)
    assert ask.mailed_at is not None
    assert ask.deadline == ask.mailed_at + timedelta(days=3), "and he has the whole time from then on"


@pytest.mark.long
@pytest.mark.usefixtures("rare_tries")
def test_a_relay_refusing_all_mail_starts_no_clock(house: House) -> None:
    match_id = house.begin()
    house.mail.failing = BUSY
    run_worker_for_hours(house, 10 * 12)
    assert [open_ask_of_seat(house, match_id, seat).acts_at for seat in range(3)] == [None, None, None]
    assert seats_bouncing(house, match_id) == []


@pytest.mark.long
@pytest.mark.parametrize("trouble", [BUSY, NOWHERE])
def test_a_relay_outage_starts_no_clock_of_a_short_turn(house: House, trouble: Exception) -> None:
    match_id = house.begin(turn_s=3600, window_s=3600)
    house.drain()
    house.clock.forward(minutes=5)
    for seat in range(3):
        house.play(match_id, seat)
    house.mail.failing = trouble
    run_worker_for_hours(house, 12)
    asked = [ask.seat for ask in house.asks(match_id)]
    assert [open_ask_of_seat(house, match_id, seat).acts_at for seat in asked] == [None] * len(asked)
    assert seats_bouncing(house, match_id) == []
    house.mail.failing = None
    run_worker_for_hours(house, 2)
    assert results_of_mails(house, asked[0])[-1] == "sent"


@pytest.mark.long
def test_a_full_mailbox_loses_a_quick_tables_mail_without_a_bounce(
    house: House,
) -> None:
    quick = house.begin(turn_s=600, window_s=600)
    slow = house.begin()
    make_relay_refuse(house, "Bob", FULL)
    house.drain()
    for _ in range(11):
        run_worker_for_hours(house, 1)
        request_links(house.site, address_of("Carol"))
    assert results_of_mails(house, 1) == ["expired", None]
    assert open_ask_of_seat(house, quick, 1).acts_at is not None, "the quick table goes on by its clock"
    assert (seats_bouncing(house, quick), seats_bouncing(house, slow)) == ([], [])
    make_relay_refuse(house, "Bob", None)
    run_worker_for_hours(house, 2)
    assert results_of_mails(house, 1) == ["expired", "sent"]


@pytest.mark.long
@pytest.mark.usefixtures("rare_tries")
def test_five_days_of_deferrals_are_a_bounce_even_without_other_mail(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", FULL)
    house.drain()
    run_worker_for_hours(house, 4 * 24)
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == ([None], [])
    run_worker_for_hours(house, 3 * 24)
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == (["expired"], ["Bob"])


@pytest.mark.long
def test_an_address_deferred_for_the_whole_turn_time_bounces(house: House) -> None:
    match_id = house.begin(turn_s=86_400)
    make_relay_refuse(house, "Bob", FULL)
    house.drain()
    run_worker_for_hours(house, 22)
    request_links(house.site, address_of("Carol"))
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == ([None], [])
    run_worker_for_hours(house, 10)
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == (["expired"], ["Bob"])
    assert player_of(house, "Bob").bounced_why == "452 4.2.2"
    assert open_ask_of_seat(house, match_id, 1).acts_at is not None


@pytest.mark.long
def test_half_an_hour_of_greylisting_loses_no_mail_of_a_short_turn(house: House) -> None:
    match_id = house.begin(turn_s=300, window_s=300)
    make_relay_refuse(house, "Bob", TemporaryFailure(450, "4.2.0 greylisted", "recipient"))
    house.drain()
    for _ in range(30):
        house.clock.forward(minutes=1)
        house.drain()
    make_relay_refuse(house, "Bob", None)
    run_worker_for_hours(house, 1)
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == (["sent"], [])


def test_retries_of_mails_have_growing_jittered_delays(house: House) -> None:
    assert [bounces.seconds_until_retry(n) for n in (1, 2, 3, 8, 50)] == [30, 60, 120, 3600, 3600]
    house.begin()
    house.mail.failing = FULL
    house.drain()
    with house.site.reading() as session:
        due = session.execute(text("SELECT due_at FROM outbox WHERE result IS NULL")).scalars().all()
    assert len(set(due)) == len(due) > 2


@pytest.mark.long
def test_asking_for_their_links_clears_a_bounce_and_resends_the_turn_mail(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    make_relay_refuse(house, "Bob", None)
    house.clock.forward(minutes=20)
    seats.write_to_owner(house.site, house.claim("play", match_id, 1))
    house.drain()
    assert kinds_of_mails(house, "Bob")[-2:] == ["links", "turn"]
    assert seats_bouncing(house, match_id) == []
    assert results_of_mails(house, 1) == ["sent"]


@pytest.mark.long
def test_a_refused_invitation_is_sent_once_the_address_takes_mail_again(house: House) -> None:
    match_id = house.create()
    house.drain()
    make_relay_refuse(house, "Bob", UNKNOWN)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    house.drain()
    assert [seats_bouncing(house, match_id, viewer) for viewer in (0, 2, None)] == [["Bob"], [], []]
    make_relay_refuse(house, "Bob", None)
    request_links(house.site, address_of("Bob"))
    house.drain()
    assert sorted(kinds_of_mails(house, "Bob")) == ["invitation", "links"]
    assert seats_bouncing(house, match_id, 0) == []


def test_a_bouncing_address_is_tried_three_times_a_day_at_most(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    for _ in range(3):
        house.clock.forward(minutes=20)
        seats.write_to_owner(house.site, house.claim("play", match_id, 1))
        house.drain()
    with pytest.raises(TooMany):
        seats.write_to_owner(house.site, house.claim("play", match_id, 1))
    house.clock.forward(minutes=20)
    request_links(house.site, address_of("Bob"))  # a person who types the address learns nothing
    house.mail.tried.clear()
    house.drain()
    assert address_of("Bob") not in house.mail.tried
    house.clock.forward(days=1)
    seats.write_to_owner(house.site, house.claim("play", match_id, 1))
    house.drain()
    assert address_of("Bob") in house.mail.tried


@pytest.mark.long
def test_an_organiser_whose_mail_bounced_is_asked_again_to_confirm(house: House) -> None:
    house.create()
    make_relay_refuse(house, "Alice", UNKNOWN)
    house.drain()
    match_id = house.create()
    make_relay_refuse(house, "Alice", None)
    house.drain()
    assert kinds_of_mails(house, "Alice") == ["confirm"]
    assert seats_bouncing(house, match_id) == []


@pytest.mark.long
def test_a_bouncing_player_cannot_renew_their_link_and_keeps_the_old_one(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    with pytest.raises(Gone, match="refused"):
        seats.renew_link(house.site, house.claim("play", match_id, 1))
    assert seats.read_play(house.site, house.claim("play", match_id, 1))[0].seat == 1


@pytest.mark.long
def test_a_finished_match_shows_no_bouncing_players(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    house.play_out(match_id)
    assert seats_bouncing(house, match_id) == []


def test_a_player_who_unsubscribed_never_shows_as_bouncing(house: House) -> None:
    match_id = house.begin()
    players.block_address(house.site, address_of("Bob"))
    house.drain()
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == (["suppressed"], [])


@pytest.mark.long
def test_a_refused_digest_still_starts_the_clocks_of_its_questions(house: House) -> None:
    match_id = house.begin()
    once_a_day(house, "Bob", 18)
    house.drain()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.clock.forward(hours=6)
    digests.queue_digests_and_reopen_mails(house.site)
    house.drain()
    assert seats_bouncing(house, match_id) == ["Bob"]
    assert open_ask_of_seat(house, match_id, 1).acts_at is not None


@pytest.mark.long
@pytest.mark.parametrize(("others", "told"), [(True, ["Bob"]), (False, [])])
def test_a_deferred_address_with_a_daily_digest_does_not_delay_its_match(
    house: House, others: bool, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounces, "JITTER", 0)  # so that the mail is given up before the next day's, whatever the jitter
    match_id = house.begin()
    once_a_day(house, "Bob", 18)
    house.drain()
    make_relay_refuse(house, "Bob", FULL)
    for hour in range(30):
        digests.queue_digests_and_reopen_mails(house.site)
        run_worker_for_hours(house, 1)
        if others and hour == 20:
            request_links(house.site, address_of("Carol"))
    assert seats_bouncing(house, match_id) == told, "where nobody else is written to, it may be the mail server"
    assert open_ask_of_seat(house, match_id, 1).acts_at is not None


@pytest.mark.long
def test_mails_waiting_for_a_relay_that_is_down_keep_their_due_time(house: House) -> None:
    house.create()
    house.mail.failing = RelayDown("connection refused")
    before = house.clock.at
    for _ in range(30):
        house.drain()
        house.clock.forward(minutes=1)
    with house.site.reading() as session:
        due = session.execute(text("SELECT count(*) FROM outbox WHERE due_at = :at"), {"at": before})
        assert due.scalar() == 1


def test_a_mail_at_which_the_relay_hangs_up_is_dropped_and_blocks_nothing(house: House) -> None:
    match_id = house.begin(turn_s=3600, window_s=3600)
    make_relay_refuse(house, "Bob", RelayDown("Connection unexpectedly closed"))
    house.drain()
    for minute in range(0, 5 * 60, 6):
        house.clock.forward(minutes=6)
        if minute % 60 == 0:
            request_links(house.site, address_of("Carol"))
        for _ in range(2):  # the first run may end at this mail
            house.drain()
        assert (minute % 60) or kinds_of_mails(house, "Carol").count("links") == minute // 60 + 1, (
            "it holds nobody else's up"
        )
    assert results_of_mails(house, 1) == ["rejected"]
    assert seats_bouncing(house, match_id) == []
    assert open_ask_of_seat(house, match_id, 1).acts_at is not None


@pytest.mark.long
def test_a_relay_that_goes_away_in_the_middle_of_a_run_gives_up_no_mail(house: House) -> None:
    match_id = house.begin(turn_s=3600, window_s=3600)
    make_relay_refuse(house, "Bob", RelayDown("Connection unexpectedly closed"))
    house.drain()  # Alice's mail has left
    house.mail.failing = RelayDown("connection refused")
    run_worker_for_hours(house, 3)
    with house.site.reading() as session:
        assert set(session.execute(text("SELECT attempts FROM outbox WHERE done_at IS NULL")).scalars()) == {0}
    assert open_ask_of_seat(house, match_id, 1).acts_at is None
    house.mail.failing = None
    make_relay_refuse(house, "Bob", None)
    run_worker_for_hours(house, 1)
    assert results_of_mails(house, 1) == ["sent"]


@pytest.mark.on_postgresql
def test_the_host_sees_and_lifts_what_keeps_mail_from_an_address(house: House) -> None:
    house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    players.block_address(house.site, address_of("Carol"))
    players.block_address(house.site, "stranger@example.org")
    found = {one.address: one.reason for one in suppressions.list_suppressed_addresses(house.site)}
    assert found == {address_of("Bob"): "550 5.1.1", address_of("Carol"): "blocked", None: "blocked"}
    assert suppressions.unblock_address(house.site, address_of("Bob")) == "bounced"
    make_relay_refuse(house, "Bob", None)
    house.drain()
    assert results_of_mails(house, 1) == ["sent"]
    assert not suppressions.note_bounce(house.site, "stranger@example.org")
    assert suppressions.note_bounce(house.site, address_of("Bob"))
    assert player_of(house, "Bob").bounced_why == "host"
    assert suppressions.clear_all_bounces(house.site) == 1
    assert player_of(house, "Bob").bounced_at is None


@pytest.mark.long
def test_using_a_mailed_link_clears_a_bounce_but_sending_one_does_not(
    house: House,
) -> None:
    match_id = house.begin()
    assert suppressions.note_bounce(house.site, address_of("Bob"))
    request_links(house.site, address_of("Bob"))  # anybody may type the address
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["links"]
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == (["bounced"], ["Bob"])
    bob = player_of(house, "Bob")
    opened = players.verify_and_read_account(
        house.site,
        house.tokens.read_account(
            house.site.tokens.for_account(bob.id or 0, bob.epoch, house.clock()), house.site.now()
        ),
    )
    assert not opened.bounces
    house.drain()
    assert (results_of_mails(house, 1), seats_bouncing(house, match_id)) == (["sent"], [])


def test_confirming_by_a_mailed_link_clears_a_bounce_that_the_host_noted(house: House) -> None:
    match_id = house.create()
    assert suppressions.note_bounce(house.site, address_of("Alice"))
    house.drain()
    assert (kinds_of_mails(house, "Alice"), player_of(house, "Alice").bounced_why) == (["confirm"], bounces.HOST)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    assert (player_of(house, "Alice").bounced_at, seats_bouncing(house, match_id)) == (None, [])


@pytest.mark.long
def test_only_the_organiser_sees_that_an_invitees_address_bounces(house: House) -> None:
    house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    match_id = house.create()

    def what_is_told(viewer: int | None) -> list[bool]:
        shown = [house.view(match_id, viewer).sheet, match_views.read_sheet(house.site, match_id, viewer)]
        if viewer is not None:
            shown.append(seats.read_seat(house.site, house.claim("play", match_id, viewer)).sheet)
        return [sheet.seats[1].bounces for sheet in shown]

    for viewer in (None, 0, 2):
        assert not any(what_is_told(viewer)), "nobody stands by the match yet"
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    assert all(what_is_told(0)), "the organiser has invited him, and may name another address"
    for viewer in (None, 1, 2):
        assert not any(what_is_told(viewer))
    matches.decline_invitation(house.site, house.claim("invitation", match_id, 1))
    for viewer in (None, 0, 1, 2):
        assert not any(what_is_told(viewer))


def test_the_links_mail_after_a_refused_mail_has_the_players_seat_link(house: House) -> None:
    match_id = house.begin()
    make_relay_refuse(house, "Bob", UNKNOWN)
    house.drain()
    make_relay_refuse(house, "Bob", None)
    request_links(house.site, address_of("Bob"))
    house.drain()
    links = next(mail for mail in house.mail.to(address_of("Bob")) if "links" in mail["Message-ID"])
    assert house.token("play", match_id, 1) in text_of(links)
