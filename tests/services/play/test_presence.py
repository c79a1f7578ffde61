"""Misses, absence, coming back, resigning; pauses when everybody is absent, and the end of an abandoned match."""

from datetime import datetime, timedelta
from functools import partial
from itertools import count, groupby

import pytest
from sqlmodel import col, select

from pbem.errors import Gone, NotFound
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Absent, Cancelled, MatchEnded, Paused, PutToVote, Resigned, Resumed, Returned
from pbem.models.tables import AskRow, OutboxRow, SeatRow
from pbem.services.calendar import deadlines
from pbem.services.clock import holidays, outages
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.lobby.matches import accept_invitation, confirm_match, create_match
from pbem.services.log import leases, store
from pbem.services.log.table import lock_table
from pbem.services.play import bots, presence, timeouts, voting
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.services.clock.deadlines import open_ask_of_seat
from tests.services.letterbox import kinds_of_mails, newest_mail, player_of, text_of
from tests.services.play.stage.presence import entries_of_table, miss_turns, seat_of
from tests.services.play.stage.races import ROUNDS, at_once
from tests.table import House, address_of, claim_of, deadline_of, submit_answer


@pytest.mark.long
def test_two_misses_in_a_row_make_a_seat_absent_and_mail_its_owner_once(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1, 1)
    assert not seat_of(house, match_id, 1).absent
    assert seat_of(house, match_id, 1).misses == 1
    miss_turns(house, match_id, 1, 1)
    assert seat_of(house, match_id, 1).absent
    assert [event for event in entries_of_table(house, match_id) if isinstance(event, Absent)] == [Absent(1)]
    house.mail.clear()
    house.drain()
    subjects = [message["Message-ID"] for message in house.mail.to(address_of("Bob"))]
    assert [str(subject).strip("<").split("-")[0] for subject in subjects] == ["absent"]


@pytest.mark.long
def test_for_an_absent_seat_the_clock_plays_at_once_and_without_a_mail(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    house.drain()
    house.mail.clear()
    for _ in range(20):
        timeouts.sweep_deadlines(house.site)
        asks = house.asks(match_id)
        assert 1 not in [ask.seat for ask in asks]
        if not asks:
            break
        house.play(match_id, asks[0].seat)
        house.drain()
    kinds = {str(message["Message-ID"]).strip("<").split("-")[0] for message in house.mail.to(address_of("Bob"))}
    assert kinds <= {"over"}


@pytest.mark.long
def test_an_answer_by_hand_resets_the_count_of_missed_turns(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1, 1)
    while 1 not in [ask.seat for ask in house.asks(match_id)]:
        house.play(match_id, house.asks(match_id)[0].seat)
    house.play(match_id, 1)
    assert seat_of(house, match_id, 1).misses == 0
    assert entries_of_table(house, match_id) == []


@pytest.mark.long
def test_an_absent_player_returns_with_one_click_and_has_the_whole_time(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    while 1 not in [ask.seat for ask in house.asks(match_id)]:
        house.play(match_id, house.asks(match_id)[0].seat)
    house.clock.forward(hours=5)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    assert entries_of_table(house, match_id)[-2:] == [Absent(1), Returned(1)]
    ask = next(ask for ask in house.asks(match_id) if ask.seat == 1)
    assert deadline_of(ask) == house.clock.at + timedelta(days=3)
    assert timeouts.sweep_deadlines(house.site) == 0
    assert not seat_of(house, match_id, 1).absent


@pytest.mark.on_postgresql
def test_an_absent_player_who_plays_a_move_is_no_longer_absent(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    while 1 not in [ask.seat for ask in house.asks(match_id)]:
        house.play(match_id, house.asks(match_id)[0].seat)
    house.play(match_id, 1)
    assert entries_of_table(house, match_id) == [Absent(1), Returned(1)]
    assert not seat_of(house, match_id, 1).absent


@pytest.mark.long
def test_a_match_pauses_when_all_are_absent_and_resumes_with_one_return(house: House) -> None:
    match_id = house.begin(3)
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        assert timeouts.sweep_deadlines(house.site) > 0
    assert house.view(match_id, None).sheet.status == "paused"
    *absent, last = entries_of_table(house, match_id)
    assert (set(absent), last) == ({Absent(0), Absent(1), Absent(2)}, Paused())
    house.clock.forward(days=20)
    assert timeouts.sweep_deadlines(house.site) == 0
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    assert entries_of_table(house, match_id)[-2:] == [Returned(1), Resumed()]
    assert house.view(match_id, None).sheet.status == "running"
    house.clock.forward(days=20)
    assert timeouts.cancel_lapsed_matches(house.site) == 0


@pytest.mark.long
def test_a_move_in_a_paused_match_resumes_it(house: House) -> None:
    match_id = house.begin(3)
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    seat = house.asks(match_id)[0].seat
    house.play(match_id, seat)
    assert house.view(match_id, None).sheet.status == "running"


def test_a_match_that_nobody_comes_back_to_is_called_off_after_thirty_days(house: House) -> None:
    match_id = house.begin(3)
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    house.drain()
    house.mail.clear()
    house.clock.forward(days=29, hours=23)
    assert timeouts.cancel_lapsed_matches(house.site) == 0
    house.clock.forward(hours=1)
    assert timeouts.cancel_lapsed_matches(house.site) == 1
    assert timeouts.cancel_lapsed_matches(house.site) == 0
    sheet = house.view(match_id, None).sheet
    assert (sheet.status, sheet.cancelled) == ("cancelled", "abandoned")
    assert entries_of_table(house, match_id)[-1] == Cancelled("abandoned")
    house.drain()
    assert sorted(to for to, _ in house.mail.all_sent) == [address_of(name) for name in ("Alice", "Bob", "Carol")]
    with pytest.raises(Gone):
        presence.end_own_absence(house.site, claim_of(house.site, match_id, 0))


@pytest.mark.long
def test_the_only_person_among_bots_pauses_the_match_by_staying_away(house: House) -> None:
    who = Invitee("Alice", address_of("Alice"))
    match_id = create_match(house.site, STRANGER, NewMatch("hogen", [who, BotSeat("random"), BotSeat("random")]))
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    for _ in range(200):
        bots.play_quick_bots(house.site)
        if house.view(match_id, None).sheet.status != "running":
            break
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    assert house.view(match_id, None).sheet.status == "paused"
    assert bots.play_quick_bots(house.site) == 0
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 0))
    assert house.view(match_id, None).sheet.status == "running"


def left_to_a_bot(house: House) -> tuple[str, datetime]:
    """A paused match of two absent people and a bot that has not answered yet, and the bot's deadline."""
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob")]
    match_id = create_match(house.site, STRANGER, NewMatch("hogen", [*people, BotSeat("random")], bank_s=5 * 86_400))
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    holidays.set_clock_hours(house.site, player_of(house, "Bob").id or 0, True, None)
    asks = house.asks(match_id)
    house.time_is_up(match_id)
    with house.site.writing() as session:
        for number in (0, 1):
            session.get_one(SeatRow, (match_id, number)).misses = 1
    for ask in asks[:2]:
        assert timeouts.answer_expired_ask(house.site, match_id, ask.key, ask.seat)
    assert house.view(match_id, None).sheet.status == "paused"
    assert [ask.seat for ask in house.asks(match_id)] == [2]
    return match_id, deadline_of(open_ask_of_seat(house, match_id, 2))


def test_after_a_pause_a_bot_has_its_own_banks_time_without_days_off(house: House) -> None:
    match_id, before = left_to_a_bot(house)
    house.clock.at = datetime.fromisoformat("2026-03-20T12:00+00:00")  # a Friday
    assert bots.play_quick_bots(house.site) == 0, "what it has just looked at in vain is its own again at once"
    rings = len(house.wakes)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    assert len(house.wakes) == rings + 1, "the bot need not wait for the next sweep"
    after = open_ask_of_seat(house, match_id, 2)
    assert after.deadline == house.clock.at + timedelta(days=5) > before
    assert after.acts_at == after.deadline + timedelta(hours=6)
    assert bots.play_quick_bots(house.site) >= 1


@pytest.mark.long
def test_the_clock_plays_on_for_resigned_players_and_they_cannot_return(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    gone = house.asks(match_id)[0].seat
    presence.resign(house.site, claim_of(house.site, match_id, gone))
    presence.resign(house.site, claim_of(house.site, match_id, gone))
    assert entries_of_table(house, match_id) == [Resigned(gone)]
    assert timeouts.sweep_deadlines(house.site) == 1
    with pytest.raises(Gone, match="resigned"):
        presence.end_own_absence(house.site, claim_of(house.site, match_id, gone))
    while asks := house.asks(match_id):
        house.play(match_id, asks[0].seat, -1)
        timeouts.sweep_deadlines(house.site)
    sheet = house.view(match_id, None).sheet
    assert sheet.status == "over"
    assert sheet.seats[gone].resigned


@pytest.mark.long
def test_the_log_of_a_match_with_absence_and_resignation_is_verified(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    miss_turns(house, match_id, 1)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    presence.resign(house.site, claim_of(house.site, match_id, 0))
    while asks := house.asks(match_id):
        house.play(match_id, asks[-1].seat, -1) if asks[-1].seat else timeouts.sweep_deadlines(house.site)
    assert verify(match_views.read_log(house.site, match_id, None)).problems == ()


def test_nobody_can_resign_from_a_match_that_has_not_begun(house: House) -> None:
    match_id = house.create()
    with pytest.raises(NotFound):
        presence.resign(house.site, claim_of(house.site, match_id, 1))
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    with pytest.raises(Gone):
        presence.resign(house.site, claim_of(house.site, match_id, 0))


@pytest.mark.long
def test_returning_in_the_second_in_which_the_clock_plays_loses_no_event(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = house.begin(3, "hagakure")  # a match in which a seat that has missed two turns is asked again
        miss_turns(house, match_id, 1)
        for n in count():
            if 1 in [ask.seat for ask in house.asks(match_id)]:
                break
            house.bot_plays(match_id, house.asks(match_id)[0].seat, n)
        ask = next(ask for ask in house.asks(match_id) if ask.seat == 1)
        at_once(
            partial(presence.end_own_absence, house.site, claim_of(house.site, match_id, 1)),
            partial(timeouts.answer_expired_ask, house.site, match_id, ask.key, 1),
        )
        assert entries_of_table(house, match_id)[-1] == Returned(1)
        answers = [key for key, _ in groupby((e.key, e.by.clock) for e in house.view(match_id, None).entries)]
        assert answers.count((ask.key, 1)) <= 1
        with house.site.reading() as session:
            for open_ask in store.open_asks(session, match_id):
                assert open_ask.seat != 1 or open_ask.acts_at != house.clock.at


def test_a_resigned_players_move_is_refused(house: House) -> None:
    match_id = house.begin()
    view = house.view(match_id, 1)
    assert view.ask is not None
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    with pytest.raises(Gone, match="resigned"):
        submit_answer(house.site, match_id, 1, view.ask.key, view.legal()[0], "web")


@pytest.mark.long
def test_a_missed_turn_of_several_questions_counts_as_one_miss(house: House) -> None:
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    (ask,) = house.asks(match_id)
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    assert seat_of(house, match_id, ask.seat).misses == 1
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        later = next(a for a in locked.asks if a.seat != ask.seat)
        for turn, misses in ((ask.turn, 1), ("another", 2)):
            again = AskRow(**{**later.model_dump(), "seat": ask.seat, "turn": turn, "key": "k", "origin": "k"})
            presence.record_miss(locked, again)
            assert locked.seats[ask.seat].misses == misses


@pytest.mark.long
def test_one_mail_says_that_the_match_is_paused_and_when_it_is_called_off(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    house.drain()
    presence.resign(house.site, claim_of(house.site, match_id, 0))
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    house.mail.clear()
    for _ in range(2):
        house.drain()
        timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert [kinds_of_mails(house, name) for name in ("Alice", "Bob", "Carol")] == [[], ["paused"], ["absent"]]
    off = (house.clock.at + presence.ABANDONED).strftime("%-d")
    for name in ("Bob", "Carol"):
        said = text_of(newest_mail(house, name))
        assert "it is called off" in said
        assert off in said
        assert f"/play/{house.token('play', match_id, ('Alice', 'Bob', 'Carol').index(name))}" in said


@pytest.mark.long
def test_nobody_gets_a_mail_about_the_pause_once_a_player_has_returned(house: House) -> None:
    match_id = house.begin()
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
        if len([event for event in entries_of_table(house, match_id) if isinstance(event, Absent)]) == 2:
            house.drain()
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    house.mail.clear()
    house.drain()
    assert not [message for _, message in house.mail.all_sent if "paused" in str(message["Message-ID"])]


def left_by_all(house: House) -> str:
    """A paused match of three who are all absent, with a question open."""
    match_id = house.begin()
    house.time_is_up(match_id)
    with house.site.writing() as session:
        for number in range(3):
            session.get_one(SeatRow, (match_id, number)).misses = 1
    assert timeouts.sweep_deadlines(house.site) == 3
    assert house.view(match_id, None).sheet.status == "paused"
    return match_id


def absent_by_bots(house: House) -> str:
    """A running match of Alice, of Bob who is absent, and of a bot that has not answered yet."""
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob")]
    match_id = create_match(house.site, STRANGER, NewMatch("hogen", [*people, BotSeat("random")]))
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    house.drain()
    with house.site.writing() as session:
        session.get_one(SeatRow, (match_id, 1)).misses = 1
        bob = next(ask for ask in store.open_asks(session, match_id) if ask.seat == 1)
        bob.acts_at = house.clock.at
        session.add(bob)
    assert timeouts.sweep_deadlines(house.site) == 1
    assert entries_of_table(house, match_id) == [Absent(1)]
    return match_id


@pytest.mark.long
def test_automatic_moves_for_an_absent_player_are_no_further_misses(house: House) -> None:
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    with house.site.writing() as session:
        session.get_one(SeatRow, (match_id, 1)).misses = 1
    house.play(match_id, 0)
    house.time_is_up(match_id)
    for _ in range(12):
        timeouts.sweep_deadlines(house.site)
        for ask in house.asks(match_id):
            house.play(match_id, ask.seat)
    turns = {entry.key for entry in house.view(match_id, None).entries if entry.by.clock == 2}
    assert len(turns) > presence.MISSES
    assert entries_of_table(house, match_id) == [Resigned(2), Absent(1)]
    assert [seat_of(house, match_id, seat).misses for seat in (1, 2)] == [2, 0]


@pytest.mark.long
def test_resigning_in_a_paused_match_neither_repeats_nor_extends_the_pause(
    house: House,
) -> None:
    match_id = left_by_all(house)
    lapses_at = house.clock.at + presence.ABANDONED
    for seat in range(2):
        with house.site.reading() as session:
            match = store.get_match(session, match_id)
            assert (match.status, match.lapses_at) == ("paused", lapses_at)
        assert [ask.acts_at for ask in house.asks(match_id)] == [None]
        house.clock.forward(hours=1)
        presence.resign(house.site, claim_of(house.site, match_id, seat))
    assert entries_of_table(house, match_id)[-4:] == [Paused(), Resigned(0), Resigned(1), MatchEnded("last_seat", (2,))]
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        assert (match.status, match.lapses_at) == ("over", None)


@pytest.mark.long
def test_a_returned_player_is_absent_again_only_after_two_more_misses(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    for absent in (False, True):
        miss_turns(house, match_id, 1, 1)
        assert seat_of(house, match_id, 1).absent is absent


@pytest.mark.long
def test_a_seat_is_empty_from_the_entry_about_it_until_its_owner_returns(house: House) -> None:
    match_id = house.begin()
    empty_since: list[int | None] = []
    for _ in range(2):
        miss_turns(house, match_id, 1)
        empty_since.append(seat_of(house, match_id, 1).away_n)
        presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
        assert seat_of(house, match_id, 1).away_n is None
    miss_turns(house, match_id, 1)
    for seat in (1, 2):  # a player who resigns after an absence leaves a seat that was empty already
        presence.resign(house.site, claim_of(house.site, match_id, seat))
        empty_since.append(seat_of(house, match_id, seat).away_n)
        assert not seat_of(house, match_id, seat).absent
    entries = house.view(match_id, None).entries
    assert empty_since == [entry.n for entry in entries if entry.event in (Absent(1), Resigned(2))]


@pytest.mark.long
def test_returning_to_a_running_match_moves_no_other_deadline(house: House) -> None:
    match_id = absent_by_bots(house)
    before = [open_ask_of_seat(house, match_id, seat).deadline for seat in (0, 2)]
    house.clock.forward(hours=1)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    assert entries_of_table(house, match_id) == [Absent(1), Returned(1)]
    assert [open_ask_of_seat(house, match_id, seat).deadline for seat in (0, 2)] == before


def test_returning_after_an_outage_costs_nobody_the_time_given_back(house: House) -> None:
    match_id = absent_by_bots(house)
    before = deadline_of(open_ask_of_seat(house, match_id, 0))
    since = house.clock.at
    house.clock.forward(hours=3)
    assert outages.record_outage_by_hand(house.site, since, house.clock.at) == [(since, house.clock.at)]
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    outages.beat_and_apply_outages(house.site)
    assert open_ask_of_seat(house, match_id, 0).deadline == before + timedelta(hours=3)


@pytest.mark.long
def test_the_clock_plays_at_once_if_a_player_resigns_before_their_mail(
    house: House,
) -> None:
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    house.drain()
    assert timeouts.sweep_deadlines(house.site) == 1
    assert 2 not in [ask.seat for ask in house.asks(match_id)]


@pytest.mark.long
def test_answering_during_a_vote_gives_a_grace_for_the_rest_of_the_turn(house: House) -> None:
    match_id = house.begin(late="vote")
    for seat in range(3):
        house.play(match_id, seat)
    while True:
        before = house.asks(match_id)[0]
        house.time_is_up(match_id)
        assert timeouts.sweep_deadlines(house.site) == 0
        house.clock.forward(hours=7)
        house.play(match_id, before.seat)
        after = house.asks(match_id)[0]
        if (after.seat, after.turn) == (before.seat, before.turn):
            break
    asked = open_ask_of_seat(house, match_id, after.seat)
    assert asked.vote_since is None
    assert asked.deadline == house.clock.at
    assert asked.acts_at == house.clock.at + deadlines.grace_period(asked.allowed_s)


@pytest.mark.on_postgresql
def test_a_returning_player_voids_only_the_votes_about_themselves(house: House) -> None:
    match_id = house.begin(4, late="vote")
    for seat in (1, 2):
        house.play(match_id, seat)
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 0
    for late in (0, 3):
        assert voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), late) is False
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        locked.seats[3].absent = True
        presence.reset_misses_and_end_absence(locked, locked.seats[3])
    votes = {ask.seat: ask.vote and ask.vote.cast for ask in house.asks(match_id)}
    assert votes == {0: (1,), 3: None}
    house.clock.at = open_ask_of_seat(house, match_id, 3).acts_at or house.clock.at
    assert timeouts.sweep_deadlines(house.site) == 0
    (again,) = [ask.vote for ask in house.asks(match_id) if ask.seat == 3]
    assert again is not None
    assert again.cast == ()


@pytest.mark.long
def test_an_outage_before_a_pause_does_not_prolong_the_pause(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        for number in (0, 1):
            session.get_one(SeatRow, (match_id, number)).absent = True
    since = house.clock.at
    house.clock.forward(hours=3)
    outages.record_outage_by_hand(house.site, since, house.clock.at)
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    assert house.view(match_id, None).sheet.status == "paused"
    house.clock.at += presence.ABANDONED
    assert timeouts.cancel_lapsed_matches(house.site) == 1


def test_a_newcomers_clock_waits_for_a_mail_held_like_any_turn_mail(house_that_holds: House) -> None:
    house = house_that_holds
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    house.clock.forward(hours=1)
    house.drain()
    before = open_ask_of_seat(house, match_id, 0).acts_at
    assert before is not None
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        seat = locked.seats[1]
        seat.resigned, seat.epoch = False, 7
        presence.record_takeover(locked, seat)
    asked = open_ask_of_seat(house, match_id, 1)
    assert (asked.mailed_at, asked.acts_at) == (None, None)
    assert open_ask_of_seat(house, match_id, 0).acts_at == before, "nobody else is asked anew"
    with house.site.reading() as session:
        mails = session.exec(select(OutboxRow).where(col(OutboxRow.seat) == 1, col(OutboxRow.kind) == "turn")).all()
        due = {mail.key: mail.due_at for mail in mails if mail.created_at == house.clock.at}
    assert due == {asked.origin: house.clock.at + timedelta(minutes=1)}


@pytest.mark.on_postgresql
def test_a_lease_does_not_delay_the_clock_for_a_player_who_resigns(
    house: House,
) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        for ask in store.open_asks(session, match_id):
            ask.claimed_until = house.clock.at + leases.LEASE
            session.add(ask)
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    assert timeouts.sweep_deadlines(house.site) == 1


@pytest.mark.long
def test_a_missed_turn_that_ends_the_match_marks_no_seat_absent(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        locked.seats[1].misses = 1
        (ask,) = [ask for ask in locked.asks if ask.seat == 1]
        locked.match.status = "over"
        presence.record_miss(locked, ask)
    assert entries_of_table(house, match_id) == []
    assert not seat_of(house, match_id, 1).absent


def test_open_questions_of_a_seat_becoming_absent_are_due_at_once(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        (asked,) = [ask for ask in locked.asks if ask.seat == 1]
        locked.seats[1].misses = 1
        missed = AskRow(**{**asked.model_dump(), "turn": "another", "key": "k", "origin": "k"})
        presence.record_miss(locked, missed)
    assert [open_ask_of_seat(house, match_id, seat).acts_at for seat in range(3)] == [None, house.clock.at, None]


@pytest.mark.long
def test_where_the_only_voter_misses_a_turn_nobody_waits_for_the_vote(house: House) -> None:
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob")]
    match_id = create_match(house.site, STRANGER, NewMatch("hogen", [*people, BotSeat("random")], late="vote"))
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    house.drain()
    with house.site.writing() as session:
        (bob,) = [ask for ask in store.open_asks(session, match_id) if ask.seat == 1]
        bob.acts_at = house.clock.at
        session.add(bob)
    assert timeouts.sweep_deadlines(house.site) == 0
    assert entries_of_table(house, match_id) == [PutToVote(1)]
    house.clock.at = open_ask_of_seat(house, match_id, 0).acts_at or house.clock.at
    timeouts.sweep_deadlines(house.site)
    assert {entry.by.clock for entry in house.view(match_id, None).entries if entry.key} >= {0, 1}
