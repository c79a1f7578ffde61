"""Taking over an abandoned seat by link: who may share the link, who may take the seat, and what it comes with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from sqlalchemy import text
from sqlmodel import select

from pbem.environment import Smtp
from pbem.errors import Gone, Invalid, TooMany, Unauthorized
from pbem.kit.replay import Absent, Paused, Replaced, Resigned, Resumed, Returned
from pbem.models.clocks import VoteRow
from pbem.models.tables import OutboxRow, SubstituteRow
from pbem.services.lobby import matches, seating
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.lobby.offers import Vacancy
from pbem.services.log.table import lock_table
from pbem.services.play import presence, substitutes, timeouts, voting
from pbem.services.players import suppressions
from pbem.services.tokens import MuteClaim, OfferClaim, PlayClaim, VacancyClaim
from pbem.services.views import match_views, seats, talk
from pbem.services.who import STRANGER
from tests.services.letterbox import kinds_of_mails, newest_mail, once_a_day, text_of
from tests.services.play.stage.presence import entries_of_table, miss_turns, seat_of
from tests.services.play.stage.races import at_once
from tests.services.play.stage.substitutes import (
    READER,
    ask_for_vacant_seat,
    match_with_absent_bob,
    play_until_bob_is_asked,
    players_id,
    take_over,
    token_of_offer,
    token_to_share,
)
from tests.table import House, address_of, claim_of, deadline_of


def play_token(house: House, match_id: str, seat: int = 1) -> str:
    """Returns the current token of the seat's play link."""
    return house.token("play", match_id, seat, seat_of(house, match_id, seat).epoch)


# --- who may share the link ----------------------------------------------------------------------------------


@pytest.mark.long
def test_only_players_at_the_table_get_the_link_for_substitutes(house: House) -> None:
    match_id = match_with_absent_bob(house, 4)
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert [sorted(substitutes.substitute_links_by_seat(house.site, sheet, viewer)) for viewer in (0, 1, 2, 3,
    None)] == [
        [1], [], [1], [1], [],
    ]  # fmt: skip
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert sorted(substitutes.substitute_links_by_seat(house.site, sheet, 0)) == [1, 2]
    assert substitutes.substitute_links_by_seat(house.site, sheet, 2) == {}


@pytest.mark.long
def test_substitute_links_exist_only_for_empty_seats_of_running_matches(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    assert substitutes.substitute_links_by_seat(house.site, match_views.read_sheet(house.site, match_id, None), 0) == {}
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    token = token_to_share(house, match_id)
    timeouts.sweep_deadlines(house.site)
    while asks := house.asks(match_id):
        house.play(match_id, asks[0].seat, -1)
        timeouts.sweep_deadlines(house.site)
    assert substitutes.substitute_links_by_seat(house.site, match_views.read_sheet(house.site, match_id, None), 0) == {}
    assert substitutes.read_vacancy(house.site, house.tokens.read(VacancyClaim, token)).how == "over"
    with pytest.raises(Gone):
        ask_for_vacant_seat(house, token)


# --- before it is taken --------------------------------------------------------------------------------------


@pytest.mark.long
def test_before_accepting_a_substitute_sees_what_spectators_see(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token = token_to_share(house, match_id)
    ask_for_vacant_seat(house, token)
    for vacancy in (
        substitutes.read_vacancy(house.site, house.tokens.read(VacancyClaim, token)),
        substitutes.read_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house))),
    ):
        assert vacancy.view is not None
        assert vacancy.view.viewer is None
        assert vacancy.view == match_views.read_view(house.site, match_id, None)
        assert vacancy.play_token is None


@pytest.mark.long
def test_at_a_private_table_a_substitute_sees_no_board_before_accepting(house: House) -> None:
    match_id = match_with_absent_bob(house, spectators=False)
    token = token_to_share(house, match_id)
    ask_for_vacant_seat(house, token)
    assert substitutes.read_vacancy(house.site, house.tokens.read(VacancyClaim, token)).view is None
    assert substitutes.read_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house))).view is None


@pytest.mark.long
def test_asking_for_a_vacant_seat_changes_nothing_and_sends_one_mail(house: House) -> None:
    match_id = match_with_absent_bob(house)
    house.drain()
    before = match_views.read_sheet(house.site, match_id, None)
    token = token_to_share(house, match_id)
    for _ in range(3):
        assert ask_for_vacant_seat(house, token) == (match_id, 1)
    assert match_views.read_sheet(house.site, match_id, None) == before
    house.drain()
    assert kinds_of_mails(house, "Charlie") == ["substitute"]
    mail = text_of(newest_mail(house, "Charlie"))
    assert f"/takeover/{token_of_offer(house)}" in mail
    assert "the seat of Bob" in mail
    assert token not in mail
    assert "/play/" not in mail
    house.clock.forward(minutes=11)
    ask_for_vacant_seat(house, token)
    house.drain()
    assert kinds_of_mails(house, "Charlie") == ["substitute"] * 2


def test_asking_for_a_vacant_seat_for_a_seated_player_gives_no_seat(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token = token_to_share(house, match_id)
    again = Invitee("Caroline", address_of("Carol"))
    assert substitutes.ask_for_seat(
        house.site, house.tokens.read(VacancyClaim, token), again, *READER
    ) == ask_for_vacant_seat(house, token, "Charlie")
    for name in ("Carol", "Bob"):  # one at the table, and the absent player
        if name == "Bob":
            ask_for_vacant_seat(house, token, "Bob")
        with pytest.raises(Gone):
            substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house, name)), *READER)
    assert seat_of(house, match_id, 1).absent


@pytest.mark.long
def test_a_substitute_under_a_taken_name_is_refused(house: House) -> None:
    token = token_to_share(house, match_with_absent_bob(house))
    with pytest.raises(Invalid):
        ask_for_vacant_seat(house, token, "alice")
    with house.site.reading() as session:
        assert session.exec(select(SubstituteRow)).all() == []


def test_a_substitute_cannot_take_the_name_of_a_bot_at_the_table(house: House) -> None:
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob")]
    match_id = matches.create_match(
        house.site, STRANGER, NewMatch("hogen", [*people, BotSeat("random")], language="en")
    )
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), *READER)
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    with pytest.raises(Invalid, match="A bot at the table"):
        ask_for_vacant_seat(house, token_to_share(house, match_id), seat_of(house, match_id, 2).name)


def check_how_many_may_ask(house: House, token: str, most: int) -> None:
    """Strangers ask for the seat; the first one above the limit gets a refusal with its own text."""
    for number in range(most):
        substitutes.ask_for_seat(
            house.site,
            house.tokens.read(VacancyClaim, token),
            Invitee(f"C {number}", f"c{number}@example.org"),
            *READER,
        )
    with pytest.raises(TooMany, match="asked for a seat here today"):
        substitutes.ask_for_seat(
            house.site, house.tokens.read(VacancyClaim, token), Invitee("One more", "c100@example.org"), *READER
        )


@pytest.mark.long
def test_requests_for_the_seats_of_one_table_have_a_daily_rate_limit(house_with_caps: House) -> None:
    house = house_with_caps
    first, second = match_with_absent_bob(house), house.begin()
    presence.resign(house.site, claim_of(house.site, second, 1))
    check_how_many_may_ask(house, token_to_share(house, first), substitutes.ASKED_DAY)
    check_how_many_may_ask(house, token_to_share(house, second), substitutes.ASKED_DAY)  # each table has its own
    house.clock.forward(days=1)
    check_how_many_may_ask(house, token_to_share(house, first), substitutes.ASKED_DAY)


def test_requests_for_the_seats_of_one_organiser_share_a_daily_rate_limit(
    make_house: Callable[..., House],
) -> None:
    """Nor do they count against the invitations of the absent player."""
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    house = make_house(smtp=relay, mails_per_address_day=substitutes.ASKED_DAY + 3)
    first, second = match_with_absent_bob(house), house.begin()
    presence.resign(house.site, claim_of(house.site, second, 1))
    house.clock.forward(days=1)
    check_how_many_may_ask(house, token_to_share(house, first), substitutes.ASKED_DAY)
    check_how_many_may_ask(house, token_to_share(house, second), 3)
    with house.site.writing() as work:
        seating.check_invitation_limit(lock_table(work, first))


# --- taking it -----------------------------------------------------------------------------------------------


def test_the_newcomer_gets_the_whole_turn_time_and_a_mail_of_their_own(house: House) -> None:
    match_id = match_with_absent_bob(house)
    play_until_bob_is_asked(house, match_id)
    house.drain()
    house.clock.forward(hours=5)
    ask_for_vacant_seat(house, token_to_share(house, match_id))
    token = token_of_offer(house)
    assert substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token), *READER) == (match_id, 1)
    assert substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token), *READER) == (match_id, 1)
    assert entries_of_table(house, match_id) == [Absent(1), Replaced(1)]
    seat = seat_of(house, match_id, 1)
    assert (seat.name, seat.player_id, seat.absent, seat.misses) == ("Charlie", players_id(house, "Charlie"), False, 0)
    assert timeouts.sweep_deadlines(house.site) == 0
    house.drain()
    assert kinds_of_mails(house, "Charlie")[-1] == "turn"
    assert play_token(house, match_id) in text_of(newest_mail(house, "Charlie"))
    assert "Since your last move" not in text_of(newest_mail(house, "Charlie"))
    ask_row = next(a for a in house.asks(match_id) if a.seat == 1)
    assert (deadline_of(ask_row) - house.clock.at).total_seconds() == 3 * 86_400
    assert ask_row.acts_at is not None
    house.play(match_id, 1)
    assert entries_of_table(house, match_id) == [Absent(1), Replaced(1)]


@pytest.mark.long
def test_accepting_by_a_mailed_link_clears_a_bounce_that_the_host_noted(house: House) -> None:
    match_id = match_with_absent_bob(house)
    ask_for_vacant_seat(house, token_to_share(house, match_id))
    assert suppressions.note_bounce(house.site, address_of("Charlie"))
    substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)), *READER)
    assert not house.view(match_id, None).sheet.seats[1].bounces


@pytest.mark.long
def test_the_clock_does_not_play_for_a_newcomer_before_their_mail_leaves(house: House) -> None:
    match_id = match_with_absent_bob(house)
    play_until_bob_is_asked(house, match_id)
    take_over(house, match_id)
    house.clock.forward(days=40)
    assert timeouts.sweep_deadlines(house.site) == 0


@pytest.mark.long
def test_a_seat_that_was_resigned_from_is_taken_over_and_played_again(house: House) -> None:
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    timeouts.sweep_deadlines(house.site)
    take_over(house, match_id)
    assert entries_of_table(house, match_id) == [Resigned(1), Replaced(1)]
    assert not seat_of(house, match_id, 1).resigned
    play_until_bob_is_asked(house, match_id)
    assert timeouts.sweep_deadlines(house.site) == 0
    house.play(match_id, 1)


@pytest.mark.long
def test_a_substitute_link_from_before_a_resignation_works_after_it(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token = token_to_share(house, match_id)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    assert token_to_share(house, match_id) == token
    ask_for_vacant_seat(house, token)
    assert substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)), *READER) == (
        match_id,
        1,
    )


@pytest.mark.long
def test_a_paused_match_goes_on_with_a_substitute(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    token = token_to_share(house, match_id)
    ask_for_vacant_seat(house, token)
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    assert entries_of_table(house, match_id)[-1] == Paused()
    substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)), *READER)
    assert entries_of_table(house, match_id)[-2:] == [Replaced(1), Resumed()]
    assert house.view(match_id, None).sheet.status == "running"


def test_a_signed_in_substitute_sits_down_at_once_even_pressing_twice(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token, dave = token_to_share(house, match_id), players_id(house, "Dave")
    for _ in range(2):
        assert substitutes.take_seat_at_once(house.site, house.tokens.read(VacancyClaim, token), dave, "Dave") == (
            match_id,
            1,
        )
    assert entries_of_table(house, match_id) == [Absent(1), Replaced(1)]
    with pytest.raises(Gone):
        substitutes.take_seat_at_once(
            house.site, house.tokens.read(VacancyClaim, token), players_id(house, "Charlie"), "Charlie"
        )


@pytest.mark.long
def test_with_a_bank_the_newcomer_begins_with_a_full_one(house: House) -> None:
    match_id = match_with_absent_bob(house, bank_s=5 * 86_400, increment_s=0)
    assert (seat_of(house, match_id, 1).bank_s or 0) < 5 * 86_400
    take_over(house, match_id)
    assert seat_of(house, match_id, 1).bank_s == 5 * 86_400


# --- what goes with the former owner -------------------------------------------------------------------------


@pytest.mark.long
def test_links_of_a_replaced_owner_are_refused_with_the_reason(house: House) -> None:
    match_id = match_with_absent_bob(house)
    former = {purpose: house.token(purpose, match_id, 1) for purpose in ("play", "mute")}
    take_over(house, match_id)
    with pytest.raises(Unauthorized, match="Somebody else has taken over this seat"):
        seats.read_play(house.site, house.tokens.read(PlayClaim, former["play"]))
    with pytest.raises(Unauthorized, match="Somebody else has taken over this seat"):
        seats.mute(house.site, house.tokens.read(MuteClaim, former["mute"]), True)
    with pytest.raises(Unauthorized, match="Somebody else has taken over this seat"):
        seats.renew_link(house.site, house.tokens.read(PlayClaim, former["play"]))
    with pytest.raises(Unauthorized, match="invalid or expired"):
        seats.read_play(house.site, house.claim("play", match_id, 1, 99))
    assert seats.read_play(house.site, house.tokens.read(PlayClaim, play_token(house, match_id)))[0].seat == 1


@pytest.mark.long
def test_a_substitute_sees_neither_notes_nor_chat_of_the_former_owner(house: House) -> None:
    match_id = house.begin()
    talk.write_note(house.site, claim_of(house.site, match_id, 1), "Alice holds M1")
    talk.post_message(house.site, claim_of(house.site, match_id, 1), "I shall be away")
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "Who plays for Bob?")
    seats.mute(house.site, house.claim("mute", match_id, 1), True)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    take_over(house, match_id)
    found = talk.read_talk(house.site, match_id, 1)
    assert found.note == ""
    assert [(message.seat, message.text) for message in found.messages] == [(0, "Who plays for Bob?")]
    assert not seat_of(house, match_id, 1).muted


@pytest.mark.long
def test_votes_of_a_former_owner_are_deleted_when_a_newcomer_sits_down(house: House) -> None:
    match_id = house.begin(4, late="vote")
    for seat in (1, 2, 3):  # a late player has no vote
        house.play(match_id, seat)
    house.time_is_up(match_id)
    timeouts.sweep_deadlines(house.site)
    voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 1), 0)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    take_over(house, match_id, giver=2)
    with house.site.reading() as session:
        assert session.exec(select(VoteRow)).all() == []
    assert voting.vote_to_let_clock_move(house.site, claim_of(house.site, match_id, 2), 0) is False


def test_an_absence_mail_waiting_for_a_replaced_owner_reaches_nobody(house: House) -> None:
    match_id = house.begin()
    miss_turns(house, match_id, 1)
    with house.site.writing() as session:
        for row in session.exec(select(OutboxRow).where(OutboxRow.seat == 1)):
            row.done_at, row.result, row.due_at, row.claimed_until = None, None, house.clock(), None
    take_over(house, match_id)
    house.mail.clear()
    house.drain()
    assert set(kinds_of_mails(house, "Charlie")) <= {"substitute", "turn"}
    assert house.mail.to(address_of("Bob")) == []


@pytest.mark.long
def test_taking_over_a_seat_deletes_mails_held_for_the_owners_digest(house: House) -> None:
    match_id = house.begin()
    once_a_day(house, "Bob", 9)
    house.drain()
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    take_over(house, match_id)
    with house.site.reading() as session:
        held = session.execute(text("SELECT count(*) FROM outbox WHERE seat = 1 AND result = 'digest'")).scalar()
    assert held == 0


def test_a_former_player_may_take_back_their_own_seat_but_no_other(house: House) -> None:
    match_id = match_with_absent_bob(house, 4)
    take_over(house, match_id)
    presence.resign(house.site, claim_of(house.site, match_id, 2))
    ask_for_vacant_seat(house, token_to_share(house, match_id, seat=2), "Bob")
    with pytest.raises(Gone, match="played in this match before"):
        substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house, "Bob")), *READER)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    take_over(house, match_id, "Bob")
    assert seat_of(house, match_id, 1).name == "Bob"


# --- two at once, one succeeds -------------------------------------------------------------------------------


@pytest.mark.long
def test_the_link_for_a_substitute_is_void_once_the_owner_is_back(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token = token_to_share(house, match_id)
    ask_for_vacant_seat(house, token)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    assert substitutes.read_vacancy(house.site, house.tokens.read(VacancyClaim, token)).how == "back"
    assert substitutes.read_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house))).how == "back"
    with pytest.raises(Gone, match="player of this seat is back"):
        ask_for_vacant_seat(house, token)
    with pytest.raises(Gone, match="player of this seat is back"):
        substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)), *READER)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    assert token_to_share(house, match_id) != token
    with pytest.raises(Gone):
        ask_for_vacant_seat(house, token)
    with pytest.raises(Gone):
        substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)), *READER)
    assert entries_of_table(house, match_id) == [Absent(1), Returned(1), Resigned(1)]


@pytest.mark.long
def test_a_second_substitute_accepting_learns_that_the_seat_is_taken(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token = token_to_share(house, match_id)
    ask_for_vacant_seat(house, token, "Charlie")
    ask_for_vacant_seat(house, token, "Dave")
    substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house, "Dave")), *READER)
    with pytest.raises(Gone, match="taken this seat meanwhile"):
        substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house, "Charlie")), *READER)
    assert state_of_vacancy(
        substitutes.read_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house, "Charlie")))
    ) == (
        "taken",
        None,
    )
    assert state_of_vacancy(substitutes.read_vacancy(house.site, house.tokens.read(VacancyClaim, token))) == (
        "taken",
        None,
    )
    assert state_of_vacancy(
        substitutes.read_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house, "Dave")))
    ) == (
        "yours",
        play_token(house, match_id),
    )


@pytest.mark.long
def test_an_accepted_offer_gives_no_link_after_the_seats_link_was_renewed(
    house: House,
) -> None:
    match_id = match_with_absent_bob(house)
    take_over(house, match_id)
    seats.renew_link(house.site, house.tokens.read(PlayClaim, play_token(house, match_id)))
    before = entries_of_table(house, match_id)
    assert state_of_vacancy(
        substitutes.read_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)))
    ) == ("yours", None)
    with pytest.raises(Gone, match="Have your links sent to you"):
        substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)), *READER)
    assert entries_of_table(house, match_id) == before
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    take_over(house, match_id, "Erin")
    assert state_of_vacancy(
        substitutes.read_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house)))
    ) == ("taken", None)


def state_of_vacancy(vacancy: Vacancy) -> tuple[str, str | None]:
    """Returns whether the seat is free, and its link if the reader may have it."""
    return vacancy.how, vacancy.play_token


@pytest.mark.long
def test_of_two_substitutes_accepting_at_once_one_gets_the_seat(house: House) -> None:
    match_id = house.begin(4)
    for _ in range(4):
        presence.resign(house.site, claim_of(house.site, match_id, 1))
        token = token_to_share(house, match_id)
        names = ["Charlie", "Erin"]
        for name in names:
            ask_for_vacant_seat(house, token, name)
        entries = len(entries_of_table(house, match_id))
        results = at_once(
            *(
                partial(
                    substitutes.accept_offer,
                    house.site,
                    house.tokens.read(OfferClaim, token_of_offer(house, name)),
                    *READER,
                )
                for name in names
            )
        )
        assert sorted(type(result).__name__ for result in results) == ["Gone", "tuple"]
        assert seat_of(house, match_id, 1).name == names[results.index((match_id, 1))]
        assert entries_of_table(house, match_id)[entries:] == [Replaced(1)]


@pytest.mark.long
def test_a_substitute_and_the_owner_who_comes_back_never_both_sit(house: House) -> None:
    match_id = match_with_absent_bob(house)
    for number in range(4):
        name = f"Sub{number}"
        ask_for_vacant_seat(house, token_to_share(house, match_id), name)
        back, accepted = at_once(
            partial(presence.end_own_absence, house.site, claim_of(house.site, match_id, 1)),
            partial(
                substitutes.accept_offer,
                house.site,
                house.tokens.read(OfferClaim, token_of_offer(house, name)),
                *READER,
            ),
        )
        assert isinstance(accepted, Gone) or accepted == (match_id, 1)
        if accepted == (match_id, 1):  # the former owner's link has ended, unless it came first and they had resigned
            assert isinstance(back, Unauthorized) or (number and isinstance(back, Gone))
        else:
            assert back is None
        seat = seat_of(house, match_id, 1)
        assert (seat.name == name) == (accepted == (match_id, 1))
        assert not seat.absent
        presence.resign(house.site, claim_of(house.site, match_id, 1))


@pytest.mark.long
def test_asking_twice_at_once_for_a_vacant_seat_makes_one_offer(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token = token_to_share(house, match_id)
    assert at_once(*(partial(ask_for_vacant_seat, house, token) for _ in range(3))) == [(match_id, 1)] * 3
    with house.site.reading() as session:
        assert len(session.exec(select(SubstituteRow)).all()) == 1


@pytest.mark.long
def test_links_for_substitutes_and_other_links_are_not_interchangeable(house: House) -> None:
    match_id = match_with_absent_bob(house)
    token = token_to_share(house, match_id)
    ask_for_vacant_seat(house, token)
    for other in (
        house.token("play", match_id, 0),
        house.token("join", match_id, 1),
        token_of_offer(house),
        "",
        token[:-1],
    ):
        with pytest.raises(Unauthorized):
            ask_for_vacant_seat(house, other)
    for other in (token, house.token("play", match_id, 1), house.site.tokens.sign(OfferClaim(999)), "", "x"):
        with pytest.raises(Unauthorized):
            substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, other), *READER)
    for made in (token, token_of_offer(house)):
        with pytest.raises(Unauthorized):
            seats.read_play(house.site, house.tokens.read(PlayClaim, made))
