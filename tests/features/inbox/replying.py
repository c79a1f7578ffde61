"""Replies of the cast, as their mail programs send them, and what became of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from email.message import EmailMessage
from typing import Any

from sqlmodel import col, select

from pbem.features.inbox import reading
from pbem.features.inbox.judging import Judge
from pbem.features.inbox.reply_tokens import NO_QUESTION, tokens_of
from pbem.features.inbox.settings import INBOUND, Inbound
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.models.tables import SeatRow
from pbem.services.site import Site
from tests.services.letterbox import newest_mail, text_of
from tests.table import CAST, House, address_of

REPLY_TO = "play+{token}@pbem.example"
_ids = itertools.count(1)


def comes_in(reply_to: str | None = REPLY_TO, **ways: Any) -> dict[str, Any]:
    """Returns the settings of a site to which mail comes back, for this address and by these ways."""
    return {"of_features": {INBOUND.variables[0]: Inbound(reply_to, **ways)}}


def judge_with_verdict(word: str) -> Judge:
    """Returns a judge who says this of every mail."""

    def judge(site: Site, row: InboxRow, sender: str) -> Any:
        return word, "told"

    return judge


def token_of(house: House, match_id: str, seat: int, key: str | None = None) -> str:
    """Returns the token in the address that the seat's mail asks to answer to: of its open question, or of this one."""
    with house.site.reading() as session:
        epoch = session.get_one(SeatRow, (match_id, seat)).epoch
    if key is None:
        key = next((ask.key for ask in house.asks(match_id) if ask.seat == seat), NO_QUESTION)
    return tokens_of(house.site.config.secret).for_question(match_id, seat, epoch, key)


def mail_of_player(
    house: House, who: str, to: str, text: str, *, headers: Sequence[tuple[str, str]] = (), message_id: str = ""
) -> bytes:
    """Returns the mail of one of the cast, or of the owner of an address, to the owner of a token or an address."""
    message = EmailMessage()
    message["From"] = who if "@" in who else address_of(who)
    message["To"] = to if "@" in to else REPLY_TO.replace("{token}", to)
    message["Subject"] = "Re: your turn"
    message["Message-ID"] = message_id or f"<{next(_ids)}@programs.example>"
    for name, value in headers:
        message[name] = value
    message.set_content(text)
    return message.as_bytes()


def send_and_read(
    house: House, raw: bytes, judge: Judge | None = None, *, via: Any = "lmtp", **envelope: Any
) -> InboxRow:
    """Takes a mail in, has it read, and returns its row."""
    take_in_mail(house.site, raw, via=via, **envelope)
    reading.read_inbox(house.site, judge or judge_with_verdict("act"))
    return row_of(house)


def row_of(house: House, number: int | None = None) -> InboxRow:
    """Returns the row of a mail that has come in, of the newest one by default."""
    with house.site.reading() as session:
        found = select(InboxRow).order_by(col(InboxRow.id).desc())
        return session.exec(found if number is None else found.where(InboxRow.id == number)).first()  # type: ignore[return-value]


def inbox_rows(house: House) -> list[InboxRow]:
    """Returns the rows of all mails that have come in, oldest first."""
    with house.site.reading() as session:
        return list(session.exec(select(InboxRow).order_by(col(InboxRow.id))))


def reply_to_question(
    house: House, match_id: str, seat: int, text: str, judge: Judge | None = None, **more: Any
) -> InboxRow:
    """The owner of the seat answers its open question by mail; returns the row of the mail."""
    return send_and_read(house, mail_of_player(house, CAST[seat], token_of(house, match_id, seat), text, **more), judge)


def answers_to(house: House, name: str) -> list[str]:
    """Sends what is due, and returns the texts of the answers to one of the cast's own mails, oldest first."""
    house.drain()
    return [text_of(one) for one in house.mail.to(address_of(name)) if str(one["Message-ID"]).startswith("<reply-")]


def mails_to(house: House, name: str) -> int:
    """Sends what is due, and returns how many mails one of the cast has got."""
    house.drain()
    return len(house.mail.to(address_of(name)))


def last_text(house: House, name: str) -> str:
    """Sends what is due, and returns the text of the last mail to one of the cast."""
    house.drain()
    return text_of(newest_mail(house, name))
