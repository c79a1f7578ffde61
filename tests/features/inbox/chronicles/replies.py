"""Answers by mail: what they do, what is said to each of their lines, and whom they are taken to be from."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from sqlalchemy import text as sql
from sqlmodel import select

from pbem.features.inbox import reading, transcripts
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.models.tables import AskRow, Match, OutboxRow, SeatRow
from pbem.services.site import Site
from tests.features.inbox.replying import REPLY_TO, comes_in, judge_with_verdict, mail_of_player, row_of, token_of
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import CAST, House, address_of
from tests.windows import begin_silent

SETTINGS = comes_in()


class Desk:
    """Takes mails in, and says what has become of each."""

    def __init__(self, house: House, told: Chronicle) -> None:
        self.house, self.told, self._ids = house, told, itertools.count(1)

    def come(
        self, title: str, match_id: str, seat: int, text: str, *, who: str = "", key: str | None = None,
        says: str = "act", to: str = "", message_id: str = "", via: str = "lmtp", raw: bytes | None = None,
        edit: Callable[[bytes], bytes] = lambda raw: raw, headers: Any = (), **envelope: Any,
    ) -> None:  # fmt: skip
        """A mail to the seat's question comes in and is read."""
        house, site = self.house, self.house.site
        number = message_id or f"<{next(self._ids)}@programs.example>"
        if raw is None:
            to = to or token_of(house, match_id, seat, key)
            raw = edit(mail_of_player(house, who or CAST[seat], to, text, headers=headers, message_id=number))

        def read() -> Any:
            take_in_mail(site, raw, via=via, **envelope)  # type: ignore[arg-type]
            reading.read_inbox(site, judge_with_verdict(says))
            row = row_of(house)
            if row.match_id is None or row.seat is None:
                return None
            with site.reading() as session:
                name = session.get_one(SeatRow, (row.match_id, row.seat)).name
            view = house.view(row.match_id, row.seat)
            return [transcripts.transcript_of_mail(site, row, view, name, lang) for lang in ("fr", "en")][row.seat % 2]

        self.told.do(title, read)


def tell(house: House, told: Chronicle) -> None:
    desk = Desk(house, told)
    _what_is_said(house, told, desk)
    _tell_limits(house, told, desk)
    _tell_moves(house, told, desk)
    _tell_windows(house, told, desk)
    _tell_seats_of_mails(house, told, desk)
    _keep_no_more(house, told)
    _quote_in_part(house, told, desk)


def _what_is_said(house: House, told: Chronicle, desk: Desk) -> None:
    told.part("what it says")
    match_id = house.begin(game="allegeance")
    _hush(house)
    told.skip()
    seat = house.asks(match_id)[0].seat
    for title, text in (
        ("help", "help\n"), ("the mail again", "again\n"), ("what nobody understands", "the blue card please\n"),
        ("nothing but a greeting", "Hello,\n"), ("nothing", ""), ("nothing above the quotation", "> F3\n"),
        ("a message, a note and an order", "say Good game!\nnote Bob bluffs\norder always answer: pass\n"),
        ("no orders any more", "stop orders\n"), ("a number", "3\n"), ("two moves", "F3\nF4\n"), ("a doubt", "F3?\n"),
        ("a move, or another", "F3 or F4\n"), ("a message without words", "say\n"), ("a move, and no", "F3\n\nno\n"),
        ("two meanings", "say F3, Bob\n"), ("a move and an order that is none", "F3\norder always nonsense: pass\n"),
        ("a move that is none of the choices", "pass\n"), ("moves in one sitting", "F3; F4\n"),
        ("a line too long", f"F3 {'x' * 1000}\n"), ("too many lines", "say x\n" * 101),
        ("more lines than are quoted", "".join(f"what is {n}\n" for n in range(21))),
        ("an order alone that is none", "order always nonsense: pass\n"), ("a long message", f"say: {'x' * 501}\n"),
    ):  # fmt: skip
        desk.come(title, match_id, seat, text)
        house.clock.forward(hours=1)
        told.skip()
    desk.come("no more mails", match_id, seat, "mute\n")
    desk.come("no more mails, and a message", match_id, seat, "mute\nsay Bye\n")
    desk.come("the mail again, for one who gets none", match_id, seat, "again\n")
    html = b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIAGCSqGSIb3DQEHA6CAMIACAQAx"
    desk.come("an encrypted one", match_id, seat, "", edit=lambda raw: _head(raw) + html)


def _head(raw: bytes) -> bytes:
    kept = raw.partition(b"\n\n")[0].splitlines()
    return b"\n".join(line for line in kept if not line.startswith((b"Content-", b"MIME-"))) + b"\n"


def _tell_limits(house: House, told: Chronicle, desk: Desk) -> None:
    told.part("how many are answered")
    match_id, other = house.begin(game="allegeance"), house.begin(game="allegeance")
    told.skip()
    seat = house.asks(match_id)[0].seat
    token = token_of(house, match_id, seat)
    for n in range(1, 6):
        desk.come(f"the {n}. answer", match_id, seat, "help\n", to=token)
        house.clock.forward(minutes=1)
    desk.come("the sixth within the hour", match_id, seat, "help\n", to=token)
    desk.come("what is not proven has answers of its own", match_id, seat, "help\n", to=token, says="ask")
    house.clock.forward(minutes=54, seconds=59)
    desk.come("a second before the first is an hour old", match_id, seat, "help\n", to=token)
    house.clock.forward(seconds=1)
    desk.come("when it is an hour old", match_id, seat, "help\n", to=token, message_id="<same@programs.example>")
    house.clock.forward(hours=2)
    told.skip()
    desk.come("the same mail by another way", match_id, seat, "help\n", to=token, message_id="<same@programs.example>",
              via="imap")  # fmt: skip
    desk.come("the same mail to another seat", other, seat, "help\n", message_id="<same@programs.example>")
    desk.come("one with an overlong id", match_id, seat, "help\n", to=token, message_id=f"<{'i' * 240}@p.example>")
    desk.come(
        "with the longest that is kept", match_id, seat, "help\n", to=token, message_id=f"<{'i' * 243}@p.example>"
    )
    desk.come("forged, with a new id", match_id, seat, "F3\n", to=token, says="ask", message_id="<seen@p.example>")
    desk.come("forged again", match_id, seat, "F4\n", to=token, says="ask", message_id="<seen@p.example>")
    desk.come("the genuine one with this id", match_id, seat, "say hi\n", to=token, message_id="<seen@p.example>")
    desk.come("the genuine one again", match_id, seat, "say ho\n", to=token, message_id="<seen@p.example>")


def _tell_moves(house: House, told: Chronicle, desk: Desk) -> None:
    told.part("moves")
    match_id = house.begin(game="allegeance")
    _hush(house)
    told.skip()
    seat = house.asks(match_id)[0].seat
    key = house.asks(match_id)[0].key
    token = token_of(house, match_id, seat)
    desk.come("not verified", match_id, seat, "F3\nsay hello\nwhat?\n", says="ask")
    desk.come("not verified, with a doubt", match_id, seat, "F3?\n", says="ask")
    desk.come("without a question", match_id, seat, "F3\nnote x\n", key="")
    desk.come("a note, without a question", match_id, seat, "note y\n", key="")
    desk.come("from another address", match_id, seat, "F3\n", who="Charlie")
    desk.come("forged", match_id, seat, "F3\n", says="silence")
    desk.come("verified", match_id, seat, "F3\n", to=token)
    desk.come("again, though it is played", match_id, seat, "F3\n", to=token)
    desk.come("another move", match_id, seat, "F4\nsay oh\n", to=token)
    desk.come("what nobody understands", match_id, seat, "the blue card please\n", to=token)
    desk.come("what is no move", match_id, seat, "say too late\n", to=token)
    for by in ("clock", "bot", "undone", "seat"):
        with house.site.writing() as work:
            ask = work.exec(select(AskRow).where(AskRow.match_id == match_id, AskRow.key == key)).one()
            ask.closed_by = by
        told.skip()
        house.clock.forward(hours=1)
        desk.come(f"closed by {by}", match_id, seat, "F4\n", to=token)
    house.clock.forward(hours=1)
    house.play(match_id, house.asks(match_id)[0].seat)
    with house.site.writing() as work:
        work.get_one(Match, match_id).status = "cancelled"
    told.skip()
    desk.come("called off", match_id, seat, "F4\n", to=token)

    told.part("moves of Hagakure")
    match_id = house.begin(3, "hagakure")
    _hush(house)
    told.skip()
    for _ in range(3):
        seat = house.asks(match_id)[0].seat
        view = house.view(match_id, seat)
        desk.come(f"{CAST[seat]} plays", match_id, seat, f"{view.game.format(view.legal()[0])}\n")
    desk.come("a card that nobody has", match_id, house.asks(match_id)[0].seat, "play V99\n")
    desk.come("no number", match_id, house.asks(match_id)[0].seat, "17\n")


def _tell_windows(house: House, told: Chronicle, desk: Desk) -> None:
    told.part("silent windows")
    match_id = begin_silent(house)
    _hush(house)
    told.skip()
    seat = house.asks(match_id)[0].seat
    desk.come("an answer that is sealed", match_id, seat, "pass\n")
    desk.come("another one in its place", match_id, seat, "challenge\n")
    desk.come("not verified", match_id, seat, "pass\n", says="ask")


def _tell_seats_of_mails(house: House, told: Chronicle, desk: Desk) -> None:
    told.part("whose it is")
    _hush(house)
    match_id = house.begin(game="allegeance")
    house.drain()
    told.skip()
    site, seat = house.site, house.asks(match_id)[0].seat
    who, other = address_of(CAST[seat]), (seat + 1) % 3
    token, theirs = token_of(house, match_id, seat), token_of(house, match_id, other, "")
    with site.reading() as session:
        rows = session.exec(select(OutboxRow).where(OutboxRow.match_id == match_id, OutboxRow.kind == "turn")).all()
    ids = {row.seat: str(one["Message-ID"]) for row in rows for one in house.mail.to(address_of(CAST[row.seat or 0]))}
    there, now = "play@pbem.example", REPLY_TO.replace("{token}", token)

    desk.come("without a token", match_id, seat, "help\n", to=there)
    desk.come("somebody's without a token", match_id, seat, "help\n", to=there, who="Charlie")
    answers = [("In-Reply-To", ids[seat])]
    desk.come("by the id that it answers", match_id, seat, "F3\n", to=there, headers=answers)
    desk.come("by an id, from another address", match_id, seat, "F3\n", to=there, headers=answers, who="Charlie")
    desk.come("a token and an id", match_id, seat, "say by id\n", key="", headers=answers)
    many = [("References", " ".join(f"<{n}@x.example>" for n in range(19)) + f" {ids[seat]}")]
    desk.come("the oldest of twenty ids", match_id, seat, "help\n", to=there, headers=many)
    more = [("References", f"{ids[seat]} " + " ".join(f"<{n}@x.example>" for n in range(20)))]
    desk.come("the oldest of 21", match_id, seat, "help\n", to=there, headers=more)
    desk.come("the seat in the envelope comes first", match_id, seat, "help\n", to=theirs, recipients=[now.upper()])
    desk.come("another seat's", match_id, seat, "help\n", to=theirs)
    desk.come("of two authors", match_id, seat, "F3\n", who=f"mallory@evil.example, {who}")
    desk.come("by its owner under another spelling", match_id, seat, "note z\n", who=who.replace("@", "+games@"))
    desk.come("one who is no person", match_id, seat, "help\n", headers=[("Auto-Submitted", "auto-replied")])
    desk.come("written on the page of this machine", match_id, seat, "help\n", via="mailbox")
    desk.come("a token that is spoilt", match_id, seat, "help\n", to=f"{token[:-1]}{'a' if token[-1] != 'a' else 'b'}")
    for title, change in (
        ("who has only been invited", {"status": "invited"}), ("of no player", {"player_id": None}),
        ("whose links are new", {"epoch": 1}), ("of somebody else by now", {"player_id": id_of(house, "Bob")}),
    ):  # fmt: skip
        with site.reading() as session:
            before = {name: getattr(session.get_one(SeatRow, (match_id, seat)), name) for name in change}
        _set(site, match_id, seat, change)
        told.skip()
        desk.come(f"a seat {title}", match_id, seat, "help\n", to=token, who=who)
        desk.come(f"by the id, a seat {title}", match_id, seat, "help\n", to=there, headers=answers, who=who)
        _set(site, match_id, seat, before)
        told.skip()


def _hush(house: House) -> None:
    """No mail is due any more."""
    with house.site.engine.begin() as connection:
        connection.execute(sql("UPDATE outbox SET done_at = created_at, result = 'sent' WHERE done_at IS NULL"))


def _set(site: Site, match_id: str, seat: int, values: dict[str, Any]) -> None:
    with site.writing() as work:
        row = work.get_one(SeatRow, (match_id, seat))
        for name, value in values.items():
            setattr(row, name, value)


def _keep_no_more(house: House, told: Chronicle) -> None:
    told.part("letters that are kept no more")
    with house.site.writing() as work:
        row = work.get_one(InboxRow, 1)
        row.raw = None
    told.skip()
    with house.site.reading() as session:
        kept, unread = session.get_one(InboxRow, 1), session.get_one(InboxRow, 2)
        assert kept.match_id is not None
        assert kept.seat is not None
        view = house.view(kept.match_id, kept.seat)
        told.do("erased", lambda: transcripts.transcript_of_mail(house.site, kept, view, "Alice", "en"))
        lines, unread.lines = unread.lines, None
        told.do("not acted on", lambda: transcripts.transcript_of_mail(house.site, unread, view, "Alice", "en"))
        unread.lines, unread.raw = lines, b"\n"
        told.do(
            "of a mail that is none", lambda: transcripts.transcript_of_mail(house.site, unread, view, "Alice", "en")
        )
        session.expunge_all()


def _quote_in_part(house: House, told: Chronicle, desk: Desk) -> None:
    told.part("long mails")
    match_id = house.begin(game="allegeance")
    _hush(house)
    told.skip()
    seat = house.asks(match_id)[0].seat
    for length in (600, 601):
        desk.come(f"a line of {length} letters", match_id, seat, f"{'x' * length}\n")
    for number in (20, 21):
        desk.come(f"{number} lines", match_id, seat, "what?\n" * number)
