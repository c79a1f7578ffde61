"""Guests: they play at once and without an address; nobody writes to them, waits for them, or holds their seat."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from pbem.errors import N_, Busy, Forbidden, Gone, Invalid, TooMany, Unauthorized
from pbem.features.webhooks import registry
from pbem.games import all_games
from pbem.kit.codec import plain
from pbem.models.accounts import AddressChange
from pbem.models.tables import EntryRow, Match, OutboxRow, Player, SeatRow, table
from pbem.services.access import access_tokens
from pbem.services.clock import holidays
from pbem.services.lobby import matches, rematches
from pbem.services.log import store
from pbem.services.mail import digests
from pbem.services.play import bots, moves, presence, timeouts
from pbem.services.players import guests, players, suppressions
from pbem.services.privacy import address_change, erasure, retention
from pbem.services.site import Site
from pbem.services.tokens import ChangeClaim, PlayClaim, PlayerClaim, SeatClaim
from pbem.services.views import match_list, match_views, seats
from pbem.services.who import STRANGER
from tests.services.letterbox import id_of, player_of, text_of
from tests.table import House, address_of

NEW = "nina@example.net"


def play_now(house: House, who: int | None = None, game: str = "hogen") -> matches.Started:
    caller = STRANGER if who is None else who
    return matches.start_match_against_bots(house.site, caller, game, "Guest", "en", "Europe/London")


def claim_of_guest_seat(house: House, match_id: str) -> SeatClaim:
    """The claim of the guest's seat, as the page reads it."""
    found = house.tokens.read_guest(seats.play_token(house.site, match_id, 0))
    assert found is not None
    return found[0]


def row_of(house: House, number: int) -> Player:
    with house.site.reading() as session:
        player = session.get_one(Player, number)
        session.expunge(player)
        return player


def recipients_of_mails(house: House) -> list[str]:
    with house.site.reading() as session:
        return list(session.execute(select(table(OutboxRow).c.kind).order_by(table(OutboxRow).c.id)).scalars())


def play_to_the_end(house: House, match_id: str) -> None:
    """The guest and the bots play until the match is over, a day a move."""
    for _ in range(2000):
        bots.play_quick_bots(house.site)
        asks = house.asks(match_id)
        if not asks:
            return
        house.clock.forward(days=1)
        answer_guests_question(house, match_id)
    raise AssertionError("the match does not end")


def answer_guests_question(house: House, match_id: str) -> None:
    view = house.view(match_id, 0)
    assert view.ask is not None
    moves.play_answer(house.site, claim_of_guest_seat(house, match_id), view.ask.key, plain(view.legal()[-1]), "web")


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(all_games()))
def test_a_match_against_bots_starts_at_once_without_deadlines_or_mail(house: House, game: str) -> None:
    started = play_now(house, game=game)
    bots.play_quick_bots(house.site)
    sheet = match_views.read_sheet(house.site, started.match_id, 0)
    assert (sheet.status, sheet.untimed) == ("running", True)
    assert len(sheet.seats) == min(sheet.game.meta.seats)
    assert [seat.bot is not None for seat in sheet.seats] == [False] + [True] * (len(sheet.seats) - 1)
    assert [(ask.seat, ask.deadline, ask.acts_at) for ask in sheet.asks if ask.seat == 0] == [(0, None, None)]
    guest = row_of(house, started.player.player_id)
    assert (guest.address, guest.canonical, guest.verified_at, guest.visited_at) == (None, None, None, house.clock())
    assert recipients_of_mails(house) == []


@pytest.mark.long
def test_a_guest_against_bots_has_no_deadline_and_gets_no_mail_at_all(house: House) -> None:
    match_id = play_now(house).match_id
    bots.play_quick_bots(house.site)
    for _ in range(40):
        house.clock.forward(days=3)
        timeouts.sweep_deadlines(house.site)
        timeouts.cancel_lapsed_matches(house.site)
        digests.queue_digests_and_reopen_mails(house.site)
    assert [ask.seat for ask in house.asks(match_id)] == [0], "the clock has not played"
    play_to_the_end(house, match_id)
    sheet = match_views.read_sheet(house.site, match_id, 0)
    assert sheet.over
    assert not sheet.seats[0].absent
    with house.site.reading() as session:
        entries = "".join(session.execute(select(table(EntryRow).c.event)).scalars())
    assert not re.search("Absent|Paused|Extended", entries)
    assert recipients_of_mails(house) == []


def test_a_guest_who_resigns_ends_the_match_at_once_and_only_bots_have_won(house: House) -> None:
    match_id = play_now(house).match_id
    bots.play_quick_bots(house.site)
    presence.resign(house.site, claim_of_guest_seat(house, match_id))
    sheet = match_views.read_sheet(house.site, match_id, 0)
    assert sheet.over
    assert sheet.outcome is not None
    assert sheet.outcome.winners == tuple(place.seat for place in sheet.seats if place.bot is not None)
    assert bots.play_quick_bots(house.site) + timeouts.sweep_deadlines(house.site) == 0
    assert recipients_of_mails(house) == []


@pytest.mark.long
def test_play_again_seats_the_guest_at_another_table_without_deadlines(house: House) -> None:
    started = play_now(house)
    play_to_the_end(house, started.match_id)
    way = rematches.sit_down_in_rematch(house.site, claim_of_guest_seat(house, started.match_id), STRANGER)
    assert way.seat == "play"
    assert way.token is not None
    assert house.tokens.read_guest(way.token) == (PlayClaim(way.match_id, 0, 0), started.player.player_id)
    assert match_views.read_sheet(house.site, way.match_id, 0).untimed
    assert recipients_of_mails(house) == []


def test_a_guests_seat_token_needs_their_session_and_is_no_seat_link(house: House) -> None:
    started = play_now(house)
    token = seats.play_token(house.site, started.match_id, 0)
    with pytest.raises(Unauthorized):
        house.tokens.read(PlayClaim, token)
    found = house.tokens.read_guest(token)
    assert found is not None
    assert found[1] == started.player.player_id
    assert house.tokens.read_guest(house.token("play", started.match_id, 0)) is None, "a link is not a guest's"
    with pytest.raises(Unauthorized):
        house.tokens.read_guest(token[:-1] + ("a" if token[-1] != "a" else "b"))
    account = players.read_account(house.site, started.player)
    (mine,) = match_list.read_my_matches(house.site, account)
    assert mine.token == token == seats.own_seat(house.site, account, started.match_id)
    with pytest.raises(Gone):
        seats.renew_link(house.site, claim_of_guest_seat(house, started.match_id))


def test_a_guest_cannot_have_access_tokens_webhooks_holidays_or_digests(house: House) -> None:
    guest = play_now(house).player.player_id
    with pytest.raises(Forbidden):
        access_tokens.create_token(house.site, guest, "laptop", ["read"], None)
    with pytest.raises(Forbidden):
        registry.add_webhook(house.site, guest, "https://hooks.example.org/", ["over"])
    with pytest.raises(Forbidden):
        holidays.cancel_holiday(house.site, guest, house.clock().date())
    digests.set_preferences(house.site, guest, "en", "Europe/London", 7)
    assert row_of(house, guest).digest_hour is None, "there is no daily email without a mailbox"


def test_a_player_with_an_address_plays_bots_untimed_and_without_mail(house: House) -> None:
    house.begin()
    before = recipients_of_mails(house)
    started = play_now(house, id_of(house, "Bob"))
    assert started.player.player_id == id_of(house, "Bob")
    assert match_views.read_sheet(house.site, started.match_id, 0).untimed
    assert recipients_of_mails(house) == before
    assert house.tokens.read_guest(seats.play_token(house.site, started.match_id, 0)) is None


def test_the_number_of_matches_a_day_is_capped_for_a_guest_as_for_anybody(house_with_caps: House) -> None:
    guest = play_now(house_with_caps).player.player_id
    play_now(house_with_caps, guest)
    with pytest.raises(TooMany):
        play_now(house_with_caps, guest)
    play_now(house_with_caps)


def test_starting_an_unknown_game_as_a_guest_creates_no_player(house: House) -> None:
    with pytest.raises(Invalid):
        play_now(house, game="chess")
    with house.site.reading() as session:
        assert session.execute(select(table(Player))).all() == []


# --- tidying -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_guest_without_visits_for_two_weeks_leaves_only_anonymous_logs(house: House) -> None:
    started = play_now(house)
    over = play_now(house, started.player.player_id).match_id
    play_to_the_end(house, over)
    bots.play_quick_bots(house.site)
    guests.note_visit(house.site, started.player)
    house.clock.forward(days=14, hours=23)
    retention.delete_old_rows(house.site)
    assert players.read_account(house.site, started.player).address is None, "not yet"
    house.clock.forward(hours=1)
    assert retention.delete_old_rows(house.site) == 1
    with pytest.raises(Unauthorized):
        players.read_account(house.site, started.player)
    with house.site.reading() as session:
        rows = session.execute(select(table(SeatRow)).where(table(SeatRow).c.seat == 0)).all()
        matches = {row.id: row.status for row in session.execute(select(table(Match))).all()}
    assert {(row.player_id, row.name) for row in rows} == {(None, "(A)")}
    assert matches == {started.match_id: "over", over: "over"}
    assert retention.delete_old_rows(house.site) == 0
    assert recipients_of_mails(house) == []


def test_a_visit_is_noted_once_a_day_and_keeps_the_guest_for_two_weeks(house: House) -> None:
    house.clock.at = datetime(2026, 3, 12, 0, 10, tzinfo=UTC)
    started = play_now(house)
    house.clock.forward(hours=23)
    guests.note_visit(house.site, started.player)
    assert row_of(house, started.player.player_id).visited_at == house.clock() - timedelta(hours=23)
    house.clock.forward(hours=1)
    guests.note_visit(house.site, started.player)
    assert row_of(house, started.player.player_id).visited_at == house.clock(), "the day is another one"
    house.clock.forward(hours=23)
    guests.note_visit(house.site, started.player)
    house.clock.forward(days=14)
    assert guests.ids_of_guests_long_away(house.site, 10) == []
    house.clock.forward(hours=1)
    assert guests.ids_of_guests_long_away(house.site, 10) == [started.player.player_id]
    guests.note_visit(house.site, started.player)
    assert not guests.end_session_of_overdue_guest(house.site, started.player.player_id), (
        "they came back at the last moment"
    )


@pytest.mark.on_postgresql
def test_a_guest_being_deleted_as_overdue_can_note_no_visit(house: House) -> None:
    started = play_now(house)
    seat = claim_of_guest_seat(house, started.match_id)
    house.clock.forward(days=15)
    assert guests.end_session_of_overdue_guest(house.site, started.player.player_id)
    guests.note_visit(house.site, started.player)
    assert guests.ids_of_guests_long_away(house.site, 10) == [started.player.player_id], (
        "an interrupted run is taken up again"
    )
    with pytest.raises(Unauthorized):
        seats.read_seat(house.site, seat)


def test_a_guest_who_cannot_be_erased_does_not_block_the_rest_of_the_run(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = [play_now(house).player.player_id for _ in range(5)]
    house.clock.forward(days=15)
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    erase = erasure.erase_player

    def erase_if_free(site: Site, guest: int) -> None:
        if guest == first:
            raise Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)
        erase(site, guest)

    monkeypatch.setattr(erasure, "erase_player", erase_if_free)
    assert retention.delete_old_rows(house.site) == 4
    assert [row_of(house, guest).visited_at for guest in others] == [None] * 4
    assert guests.ids_of_guests_long_away(house.site, 10) == [first]


@pytest.mark.long
def test_a_guest_who_erases_themselves_loses_and_cannot_play_on(house: House) -> None:
    started = play_now(house)
    erasure.erase_player(house.site, started.player.player_id, never=True)
    guest = row_of(house, started.player.player_id)
    assert (guest.address, guest.visited_at) == ("", None)
    sheet = match_views.read_sheet(house.site, started.match_id, 0)
    assert sheet.status == "over"
    assert sheet.outcome is not None
    assert 0 not in sheet.outcome.winners
    for use in (lambda: erasure.erase_player(house.site, guest.id or 0), lambda: play_now(house, guest.id)):
        with pytest.raises(Unauthorized):
            use()
    assert suppressions.list_suppressed_addresses(house.site) == []
    assert recipients_of_mails(house) == []


# --- an address ----------------------------------------------------------------------------------------------


def link_to(house: House, address: str) -> str:
    """The token in the newest mail that asks this mailbox."""
    house.drain()
    return str(re.findall(r"/address/(\S+)", text_of(house.mail.to(address)[-1]))[-1])


@pytest.mark.on_postgresql
def test_an_address_becomes_a_guests_once_its_mailbox_confirms(house: House) -> None:
    started = play_now(house)
    before = seats.play_token(house.site, started.match_id, 0)
    assert address_change.request_change(house.site, started.player.player_id, NEW).old, "there is no old mailbox"
    assert row_of(house, started.player.player_id).address is None
    said = house.tokens.read(ChangeClaim, link_to(house, NEW))
    assert recipients_of_mails(house) == ["readdress"]
    assert address_change.read_change(house.site, said).first
    opens = address_change.confirm_first_address(house.site, said)
    player = row_of(house, started.player.player_id)
    assert opens == PlayerClaim(started.player.player_id, player.epoch)
    assert (player.address, player.verified_at, player.visited_at) == (NEW, house.clock(), None)
    assert players.read_account(house.site, opens).address == NEW
    with pytest.raises(Unauthorized):
        players.read_account(house.site, started.player)
    old = house.tokens.read_guest(before)
    assert old is not None
    with pytest.raises(Unauthorized):
        seats.read_seat(house.site, old[0])
    assert house.tokens.read_guest(seats.play_token(house.site, started.match_id, 0)) is None
    with pytest.raises(Gone):
        address_change.confirm_first_address(house.site, said)
    assert address_change.read_change(house.site, said).how == "done"


@pytest.mark.on_postgresql
@pytest.mark.sample(1)
@pytest.mark.parametrize("confirm", [address_change.confirm_first_address, address_change.agree_to_change])
def test_a_guest_proving_a_players_address_is_merged_into_that_player(
    house: House, confirm: Callable[..., object]
) -> None:
    house.begin()
    house.drain()
    bob = player_of(house, "Bob")
    started = play_now(house)
    address_change.request_change(house.site, started.player.player_id, address_of("Bob"))
    assert match_list.read_my_matches(house.site, players.read_account(house.site, bob.id or 0))[0].sheet.id != (
        started.match_id
    ), "typing an address moves nothing"
    said = confirm(house.site, house.tokens.read(ChangeClaim, link_to(house, address_of("Bob"))))
    assert said in ("done", PlayerClaim(bob.id or 0, bob.epoch))
    account = players.read_account(house.site, PlayerClaim(bob.id or 0, bob.epoch))
    mine = [one.sheet.id for one in match_list.read_my_matches(house.site, account)]
    assert started.match_id in mine
    assert len(mine) == 2
    guest = row_of(house, started.player.player_id)
    assert (guest.address, guest.visited_at) == ("", None)
    with pytest.raises(Unauthorized):
        players.read_account(house.site, started.player)
    with house.site.reading() as session:
        match = store.get_match(session, started.match_id)
        assert match.organiser_id == bob.id
        assert session.execute(select(table(AddressChange).c.player_id)).scalars().all() == [bob.id]
    before = len(recipients_of_mails(house))
    play_to_the_end_as(house, started.match_id)
    house.drain()
    assert recipients_of_mails(house)[before:] == ["over"], (
        "the match goes on without deadlines; its end is written to Bob"
    )


def play_to_the_end_as(house: House, match_id: str) -> None:
    for _ in range(2000):
        bots.play_quick_bots(house.site)
        if not house.asks(match_id):
            return
        house.play(match_id, 0, -1)  # by the seat's link, which it has now
    raise AssertionError("the match does not end")


@pytest.mark.long
def test_typing_a_players_address_as_a_guest_reveals_and_merges_nothing(house: House) -> None:
    house.begin()
    house.drain()
    started = play_now(house)
    known = address_change.request_change(house.site, started.player.player_id, address_of("Bob"))
    unknown = address_change.request_change(house.site, started.player.player_id, NEW)
    assert (known.old, known.new) == (unknown.old, unknown.new)
    account = players.read_account(house.site, started.player)
    assert [one.sheet.id for one in match_list.read_my_matches(house.site, account)] == [started.match_id]


@pytest.mark.on_postgresql
def test_a_guests_question_has_no_deadline_even_after_a_change_of_zone(house: House) -> None:
    started = play_now(house)
    bots.play_quick_bots(house.site)
    digests.set_preferences(house.site, started.player.player_id, "en", "Asia/Tokyo", None)
    (ask,) = (ask for ask in house.asks(started.match_id) if ask.seat == 0)
    assert ask.deadline is None


def test_the_host_is_shown_a_guest_without_an_address(house: House) -> None:
    started = play_now(house)
    found = erasure.find_player_to_erase(house.site, number=started.player.player_id)
    assert found is not None
    assert (found.address, found.matches) == (None, 1)
