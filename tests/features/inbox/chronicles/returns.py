"""Reports about mails that have left, and mails that unsubscribe."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from sqlalchemy import text
from sqlmodel import select

from pbem.features.inbox import reading
from pbem.features.inbox.reply_tokens import tokens_of
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.models.tables import OutboxRow, SeatRow
from pbem.services.players import players
from tests.features.inbox.replying import REPLY_TO, comes_in, judge_with_verdict, mail_of_player
from tests.features.inbox.reports import bounce_report, complaint_report
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House

SETTINGS = comes_in()
CASES = (
    ("5.1.1", "550 5.1.1 <x> unknown"), ("5.0.0", "550-no such user"), ("5.0.0", ""), ("5.2.1", ""), ("5.1.8", ""),
    ("5.7.1", "550 5.7.1 our policy"), ("5.3.4", "552 5.3.4 message too big"), ("5.0.0", "550 5.7.1 spam"),
    ("5.1.1", "554 5.7.1 rejected"), ("5.2.2", "552 5.2.2 mailbox is over quota"), ("5.0.0", "552 mailbox full"),
    ("5.4.7", "550 5.4.7 delivery expired"), ("5.0.0", "451 greylisted, try again in 15 minutes"), ("", "550 unknown"),
)  # fmt: skip


def tell(house: House, told: Chronicle) -> None:
    match_id = house.begin(3)
    house.drain()
    players.request_links(house.site, "bob@example.org")
    house.drain()
    told.skip()
    _tell_reports(house, told)
    _tell_unsubscribing(house, told, match_id)


def _tell_reports(house: House, told: Chronicle) -> None:
    told.part("reports")
    site, bob = house.site, "bob@example.org"
    with site.reading() as session:
        rows = {
            row.kind: row.id or 0
            for row in session.exec(select(OutboxRow).where(OutboxRow.player_id == id_of(house, "Bob")))
        }

    def path(kind: str) -> str:
        return REPLY_TO.replace("{token}", tokens_of(site.config.secret).for_bounce(rows[kind]))

    count = itertools.count(1)

    def come(title: str, raw: bytes, to: str = "", mail_from: str | None = "") -> None:
        ending = b"\n" * next(count)  # no mail is the same as another

        def read() -> None:
            take_in_mail(site, raw + ending, via="lmtp", mail_from=mail_from, recipients=[to or path("turn")])
            reading.read_inbox(site, judge_with_verdict("act"))

        told.do(title, read)
        with site.engine.begin() as connection:
            connection.execute(text("UPDATE players SET bounced_at = NULL, bounced_why = NULL"))
            connection.execute(text("DELETE FROM suppressions"))
        told.skip()

    come("a delay", bounce_report(bob, action="delayed", status="4.4.1"))
    come("one that has a sender", bounce_report(bob), mail_from="mallory@evil.example")
    come("one without an envelope", bounce_report(bob), mail_from=None)
    come("one without an envelope, by a person",
         bounce_report(bob).replace(b"MAILER-DAEMON@mx.example.org", b"mallory@evil.example"),
         mail_from=None)  # fmt: skip
    come("one to nobody", bounce_report(bob), to="play@pbem.example")
    come("a complaint to nobody", complaint_report(bob, "<x@y.example>"), to="play@pbem.example")
    come("a complaint", complaint_report("", "<x@y.example>"))
    come("about another address", bounce_report("bobby@example.org"))
    come("about another spelling", bounce_report("bob+games@example.org"))
    come("about the mail with his links", bounce_report(bob), to=path("links"))
    come("about one that may have gone elsewhere", bounce_report(bob), to=path("invitation"))
    for status, words in CASES:
        come(f"{status} “{words}”", bounce_report(bob, status=status, words=words))
    with site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET player_id = NULL WHERE id = :row"), {"row": rows["turn"]})
    told.skip()
    come("about a mail whose reader is not noted", bounce_report(bob))
    house.clock.forward(days=13, hours=23, minutes=59, seconds=59)
    come("nearly two weeks later", bounce_report(bob))
    house.clock.forward(seconds=1)
    come("two weeks later", bounce_report(bob))
    with site.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET done_at = NULL WHERE id = :row"), {"row": rows["turn"]})
    told.skip()
    come("before its delivery is recorded", bounce_report(bob))
    with site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET player_id = NULL WHERE seat = 1"))
    told.skip()
    come("about a mail to a seat without a player", bounce_report(bob))
    with site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET player_id = :bob WHERE seat = 1"), {"bob": id_of(house, "Bob")})
    told.skip()


def _tell_unsubscribing(house: House, told: Chronicle, match_id: str) -> None:
    told.part("unsubscribing")
    site, bob = house.site, id_of(house, "Bob")

    def come(who: str, token: str, **headers: Any) -> Callable[[], None]:
        number = house.clock.at.timestamp()

        def read() -> None:
            raw = mail_of_player(house, who, token, "", message_id=f"<{number}.{who}@x.example>", **headers)
            take_in_mail(site, raw, via="lmtp")
            reading.read_inbox(site, judge_with_verdict("act"))

        house.clock.forward(seconds=1)
        return read

    mute, stop = tokens_of(site.config.secret).for_mute(match_id, 1, 0), tokens_of(site.config.secret).for_stop(bob)
    told.do("the match, by anybody", come("Charlie", mute))
    told.do("the match again", come("Bob", mute, headers=[("Auto-Submitted", "auto-generated")]))
    told.do("the match, by an old token", come("Bob", tokens_of(site.config.secret).for_mute(match_id, 2, 1)))
    told.do("the match, of no seat", come("Bob", tokens_of(site.config.secret).for_mute(match_id, 5, 0)))
    told.do("everything, by another", come("Charlie", stop))
    told.do("everything, by Alice", come("Alice", stop))
    told.do("everything", come("Bob", stop))
    told.do("everything again, under another spelling", come("bob+x@example.org", stop))
    told.do("everything of nobody", come("Bob", tokens_of(site.config.secret).for_stop(99)))
    with site.writing() as work:
        work.get_one(SeatRow, (match_id, 2)).status = "invited"
    told.skip()
    told.do("the match, by one who is invited", come("Carol", tokens_of(site.config.secret).for_mute(match_id, 2, 0)))
