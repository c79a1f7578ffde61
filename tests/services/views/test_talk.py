"""Messages stay with the players at the table; a note stays with its seat."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.pq import PipelineStatus

from pbem.errors import Gone, Invalid, NotFound, TooMany
from pbem.models.prepared import Sent
from pbem.models.tables import SeatRow
from pbem.services.lobby import match_request, matches
from pbem.services.views import talk
from tests.table import House, claim_of


def messages_of(house: House, match_id: str, seat: int = 0) -> list[tuple[int, str]]:
    return [(m.seat, m.text) for m in talk.read_talk(house.site, match_id, seat).messages]


def test_every_seat_reads_chat_messages_oldest_first(house: House) -> None:
    match_id = house.begin()
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "Bonjour !")
    house.clock.forward(minutes=2)
    talk.post_message(house.site, claim_of(house.site, match_id, 1), "Hello\r\n\r\nAlice")
    assert messages_of(house, match_id, 2) == [(0, "Bonjour !"), (1, "Hello\n\nAlice")]


def test_the_same_text_again_within_a_minute_is_the_same_message(house: House) -> None:
    match_id = house.begin()
    first = talk.post_message(house.site, claim_of(house.site, match_id, 0), "Bonjour !")
    assert talk.post_message(house.site, claim_of(house.site, match_id, 0), "Bonjour !") == first
    house.clock.forward(minutes=1)
    assert talk.post_message(house.site, claim_of(house.site, match_id, 0), "Bonjour !") != first
    assert len(messages_of(house, match_id)) == 2


def test_a_message_is_neither_empty_nor_long_nor_full_of_invisible_signs(house: House) -> None:
    match_id = house.begin()
    for text in ("", " \n\u200b\u202e ", "x" * 501):
        with pytest.raises(Invalid):
            talk.post_message(house.site, claim_of(house.site, match_id, 0), text)
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "a\x00b\u202ec" + "x" * 497)
    assert messages_of(house, match_id) == [(0, "abc" + "x" * 497)]


@pytest.mark.long
def test_chat_messages_of_a_seat_are_rate_limited(house: House) -> None:
    match_id = house.begin()
    for n in range(talk.PER_HOUR):
        talk.post_message(house.site, claim_of(house.site, match_id, 0), f"{n}")
    with pytest.raises(TooMany):
        talk.post_message(house.site, claim_of(house.site, match_id, 0), "one more")
    talk.post_message(house.site, claim_of(house.site, match_id, 1), "Bob still may")
    house.clock.forward(hours=1)
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "one more")


def test_only_seats_that_have_accepted_talk_and_not_in_a_cancelled_match(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "Bonjour !")
    with pytest.raises(NotFound):
        talk.post_message(house.site, claim_of(house.site, match_id, 1), "I have not accepted")
    with pytest.raises(NotFound):
        talk.read_talk(house.site, match_id, 7)
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 0))
    with pytest.raises(Gone):
        talk.post_message(house.site, claim_of(house.site, match_id, 0), "Too late")


def test_a_private_note_is_read_by_its_own_seat_and_deleted_when_emptied(house: House) -> None:
    match_id = house.begin()
    assert talk.write_note(house.site, claim_of(house.site, match_id, 0), " Bob cache F4 \r\n?") == "Bob cache F4 \n?"
    assert talk.read_talk(house.site, match_id, 0).note == "Bob cache F4 \n?"
    assert talk.read_talk(house.site, match_id, 1).note == ""
    talk.write_note(house.site, claim_of(house.site, match_id, 0), "")
    assert talk.read_talk(house.site, match_id, 0).note == ""
    with pytest.raises(Invalid):
        talk.write_note(house.site, claim_of(house.site, match_id, 0), "x" * 4001)


@pytest.mark.long
def test_rows_of_a_talk_are_read_after_the_pipeline_has_ended(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id, rows, read = house.begin(), Sent.rows, list[int]()

    def note(sent: Sent) -> list[list[Any]]:
        driver: Any = sent.connection.connection.driver_connection
        read.append(driver.pgconn.pipeline_status if hasattr(driver, "pgconn") else PipelineStatus.OFF)
        return rows(sent)

    monkeypatch.setattr(Sent, "rows", note)
    talk.read_talk(house.site, match_id, 0)
    house.view(match_id, 0)
    assert {*read} == {PipelineStatus.OFF}
    with pytest.raises(NotFound):
        talk.read_talk(house.site, match_id, 7)


@pytest.mark.long
def test_neither_messages_nor_notes_come_into_the_log(house: House) -> None:
    match_id = house.begin()
    before = house.view(match_id, 0).entries
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "Bonjour !")
    talk.write_note(house.site, claim_of(house.site, match_id, 0), "secret")
    assert house.view(match_id, 0).entries == before
    assert house.view(match_id, None).sheet.version == len(before)


@pytest.mark.long
def test_a_new_player_of_a_seat_inherits_neither_talk_nor_notes(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "fr", "Europe/Paris")
    talk.post_message(house.site, claim_of(house.site, match_id, 1), "Hello")
    talk.write_note(house.site, claim_of(house.site, match_id, 1), "Alice always takes fours")
    matches.cancel_or_leave_match(house.site, house.claim("play", match_id, 1))
    dave = match_request.Invitee("Dave", "dave@example.org")
    matches.invite_to_untaken_seat(house.site, house.claim("play", match_id, 0), 1, dave)
    matches.accept_invitation(
        house.site, house.claim("invitation", match_id, 1, seat_epoch(house, match_id)), "fr", "Europe/Paris"
    )
    assert talk.read_talk(house.site, match_id, 1) == talk.Talk((), "")


def seat_epoch(house: House, match_id: str) -> int:
    """The epoch of Dave's links."""
    with house.site.reading() as session:
        return session.get_one(SeatRow, (match_id, 1)).epoch
