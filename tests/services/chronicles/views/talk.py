"""What people say at the table, and the notes that they keep for themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlmodel import col, select

from pbem.models.tables import MessageRow, NoteRow, SeatRow
from pbem.services import versions
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import matches
from pbem.services.views import talk
from tests.services.chronicles.chronicle import Chronicle
from tests.table import START, House

DIRTY = " one\r\ntwo\rthree\tfour\u200b\u2028\u202e\x07 "


def tell(house: House, told: Chronicle) -> None:
    match_id, other = house.begin(), house.begin()
    told.skip()
    _tell_messages(house, told, match_id, other)
    _tell_reading(house, told, match_id)
    _tell_notes(house, told, match_id)
    _tell_ending(house, told, match_id)


def _speaker(house: House, match_id: str) -> Callable[..., Callable[[], talk.Message]]:
    def says(text: str, seat: int = 0, at: str = match_id, **more: Any) -> Callable[[], talk.Message]:
        return lambda: talk.post_message(house.site, house.claim("play", at, seat), text, **more)

    return says


def _tell_messages(house: House, told: Chronicle, match_id: str, other: str) -> None:
    told.part("messages")
    says = _speaker(house, match_id)
    told.do("nobody has said anything", lambda: talk.read_id_of_newest_message(house.site, match_id))
    told.do("what is read then", lambda: talk.read_talk(house.site, match_id, 1))
    told.do("Alice says something", says("Hello"))
    told.do("Bob says the same", says("Hello", 1))
    told.do("Alice says it elsewhere", says("Hello", at=other))
    house.clock.forward(seconds=59)
    told.do("Alice says it within a minute", says(" Hello "))
    told.do("something else", says("Hello?"))
    told.do("the first again, which is no longer the last", says("Hello"))
    house.clock.forward(seconds=60)
    told.do("the same after a minute", says("Hello"))
    told.do("nothing", says(" \u200b\n"))
    told.do("as much as there may be", says("x" * 500))
    told.do("a letter more", says("x" * 501))
    text = told.do("letters that nobody sees", says(DIRTY))
    told.do("its text", lambda: text.text.split("\n") if text is not None else [])
    told.do(
        "with a link that is not Alice's",
        lambda: talk.post_message(house.site, house.claim("play", match_id, 0, 1), "?"),
    )

    told.part("with a key")
    key = IdempotencyKey("Alice", "1", "said")
    told.do("Alice says something with a key", says("Once", once=key))
    told.do("and again", says("Once", once=key))
    told.do("whether it was there already", lambda: key.replayed)
    told.do("the key for something else", says("Twice", once=IdempotencyKey("Alice", "1", "other")))

    told.part("too many")
    for n in range(29):
        says(f"{n}", 2)()
        house.clock.forward(seconds=1)
    told.skip()
    told.do("Carol's thirtieth within the hour", says("thirty", 2))
    told.do("one more", says("31", 2))
    told.do("the last one once more", says("thirty", 2))
    told.do("Bob's", says("I am here", 1))
    house.clock.forward(minutes=59, seconds=30)
    told.do("a second before the first is an hour old", says("now?", 2))
    house.clock.forward(seconds=1)
    told.do("when it is an hour old", says("now!", 2))
    told.do("and again", says("and now?", 2))


def _tell_reading(house: House, told: Chronicle, match_id: str) -> None:
    told.part("reading")
    site = house.site

    told.do("the newest", lambda: talk.read_id_of_newest_message(site, match_id))
    told.do("what Bob reads after the 37th", lambda: talk.read_talk(site, match_id, 1, after=37))
    told.do("as a seat that is not there", lambda: talk.read_talk(site, match_id, 3))
    invited = house.create()
    matches.confirm_match(site, house.claim("confirm", invited, 0), "fr", "Europe/Paris")
    told.skip()
    told.do("as one who is invited", lambda: talk.read_talk(site, invited, 1))
    told.do("as one who has accepted", lambda: talk.read_talk(site, invited, 0))
    with site.writing() as work:
        for n in range(198):
            work.add(MessageRow(match_id=match_id, seat=1, at=START, text=str(n)))
    told.skip()
    found = talk.read_talk(site, match_id, 1)
    told.do("of many", lambda: (len(found.messages), found.messages[0].id, found.messages[-1].id))


def _tell_notes(house: House, told: Chronicle, match_id: str) -> None:
    told.part("notes")
    site = house.site

    def writes(text: str, seat: int = 0, **more: Any) -> Callable[[], str]:
        return lambda: talk.write_note(site, house.claim("play", match_id, seat), text, **more)

    def adds(text: str, seat: int) -> str:
        with site.writing() as work:
            return talk.add_to_note_within(site, work, house.claim("play", match_id, seat), text)

    told.do("Alice writes a note", writes("red"))
    told.do("Bob deletes one that he has not", writes("", 1))
    house.clock.forward(minutes=1)
    told.do("Alice writes it again", writes("green", was="red"))
    told.do("what was changed meanwhile", writes("blue", was="red"))
    told.do("by a form that has seen it", writes("blue", version=versions.digest_of_values("green")))
    told.do("by one that has not", writes("brown", version=versions.digest_of_values("green")))
    told.do("by one that changes nothing", writes("green", version=versions.digest_of_values("green")))
    told.do("Bob, whose note is empty, says what it was", writes("mine", 1, was=""))
    told.do("Carol adds a line where there is none", lambda: adds("first", 2))
    told.do("and another", lambda: adds("second", 2))
    told.do("as long as it may be", writes("n" * 4000))
    told.do("a letter more", writes("n" * 4001))
    told.do("a line more", lambda: adds("?", 0))
    told.do("with a link that is not Alice's", lambda: talk.write_note(site, house.claim("play", match_id, 0, 1), "?"))
    told.do("what Carol reads", lambda: talk.read_talk(site, match_id, 2, after=10_000))
    told.do("Alice deletes hers", writes(" "))


def _tell_ending(house: House, told: Chronicle, match_id: str) -> None:
    told.part("the end")
    site, says = house.site, _speaker(house, match_id)
    key = IdempotencyKey("Bob", "2", "said")
    says("Once", 1, once=key)()
    with site.writing() as work:
        for row in work.exec(select(MessageRow).where(MessageRow.seat == 1, col(MessageRow.id) > 100)).all():
            work.delete(row)
    told.skip()

    def clear() -> None:
        with site.writing() as work:
            talk.delete_talk_of_seat(work, work.get_one(SeatRow, (match_id, 1)))

    told.do("all that Bob's seat has said and noted is deleted", clear)
    told.do("he repeats what is gone", says("Once", 1, once=key))
    told.do("what was not deleted", lambda: _left(house))
    called_off = house.create()
    matches.confirm_match(site, house.claim("confirm", called_off, 0), "fr", "Europe/Paris")
    told.skip()
    told.do("Alice speaks before it begins", says("Hello", at=called_off))
    matches.cancel_or_leave_match(site, house.claim("play", called_off, 0))
    told.skip()
    told.do("and after it was called off", says("Hello!", at=called_off))
    told.do("a note is still possible", lambda: talk.write_note(site, house.claim("play", called_off, 0), "why?"))


def _left(house: House) -> dict[str, int]:
    with house.site.reading() as session:
        return {kind.__name__: len(session.exec(select(kind)).all()) for kind in (MessageRow, NoteRow)}
