"""Mails that come in: kept once, read in turn, tried again, and shown to the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from pbem.errors import Busy, GameUnavailable
from pbem.features.inbox import acting, judging, reading
from pbem.features.inbox.closing import AlreadyRead, NoLongerTheirs
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import canary, imap, intake
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.features.inbox.whose import is_own_address
from pbem.services.site import Site
from tests.features.inbox.replying import REPLY_TO, comes_in, judge_with_verdict, mail_of_player, token_of
from tests.features.inbox.reports import bounce_report
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import newest_mail
from tests.table import CAST, House

SETTINGS = {"mail_from": "play@pbem.example", **comes_in(authserv=("mx.pbem.example",))}


class Killed(BaseException):
    """As if by kill -9."""


def tell(house: House, told: Chronicle) -> None:
    match_id = house.begin(game="allegeance")
    house.drain()
    told.skip()
    _tell_keeping(house, told)
    _trying_again(house, told, match_id)
    _tell_listing(house, told)
    _tell_sorting(house, told, match_id)
    _tell_judging(house, told)
    _tell_canary(house, told)


def _tell_keeping(house: House, told: Chronicle) -> None:
    told.part("keeping")
    site = house.site
    raw = b"From: charlie@example.org\nTo: play@pbem.example\n\nhello\n"
    told.do(
        "a mail", lambda: take_in_mail(site, raw, via="lmtp", mail_from="", recipients=["b@x.example", "a@x.example"])
    )
    told.do("the same delivery, named in another order",
            lambda: take_in_mail(site, raw, via="imap", recipients=["a@x.example", "b@x.example"]))  # fmt: skip
    told.do(
        "to others", lambda: take_in_mail(site, raw, via="http", mail_from="c@x.example", recipients=["a@x.example"])
    )
    told.do("the head of a large one", lambda: take_in_mail(site, raw, via="imap", size=9_000_000))
    told.do("no mail", lambda: take_in_mail(site, b"\n", via="imap"))
    told.do("a program's",
            lambda: take_in_mail(site, raw.replace(b"\n\n", b"\nAuto-Submitted: auto-replied\n\n"),
            via="imap"))  # fmt: skip
    with site.writing() as work:
        work.add(
            InboxRow(
                digest="e", via="imap", recipients="[]", raw=None, size=7, received_at=site.now(), due_at=site.now()
            )
        )
    told.skip()
    with patch.object(reading, "RUN", 2):
        told.do("two are read at a time", lambda: reading.read_inbox(site, judge_with_verdict("act")))
    stopping = replace(site, stopping=lambda: True)
    told.do("one, while the process stops", lambda: reading.read_inbox(stopping, judge_with_verdict("act")))
    told.do("the rest", lambda: reading.read_inbox(site, judge_with_verdict("act")))
    told.do("nothing", lambda: reading.read_inbox(site, judge_with_verdict("act")))
    told.do("a player's report", lambda: take_in_mail(
        site,
        bounce_report("x@y.example", action="delayed").replace(b"MAILER-DAEMON@mx.example.org", b"bob@example.org"),
        via="lmtp"))  # fmt: skip
    told.do("is read", lambda: reading.read_inbox(site, judge_with_verdict("act")))


def _trying_again(house: House, told: Chronicle, match_id: str) -> None:
    told.part("trying again")
    site, seat = house.site, house.asks(match_id)[0].seat
    raw = mail_of_player(house, CAST[seat], token_of(house, match_id, seat), "help", message_id="<h@x.example>")

    def fails(error: BaseException) -> Callable[[], int]:
        def read() -> int:
            with patch.object(acting, "act_on_letter", side_effect=error):
                return reading.read_inbox(site, judge_with_verdict("act"))

        return read

    def read() -> int:
        return reading.read_inbox(site, judge_with_verdict("act"))

    take_in_mail(site, raw, via="lmtp")
    told.skip()
    told.do("the match is busy", fails(Busy("busy")))
    house.clock.forward(seconds=1)
    told.do("a second later", fails(Busy("busy")))
    house.clock.forward(seconds=1)
    told.do("the game is away", fails(GameUnavailable("away")))
    house.clock.forward(hours=1)
    told.do("somebody else has read it", fails(AlreadyRead()))
    house.clock.forward(minutes=5)
    told.do("its lease has not expired", read)
    house.clock.forward(microseconds=1)
    with patch.object(acting, "act_on_letter", side_effect=NoLongerTheirs), patch.object(reading, "RUN", 1):
        told.do("the seat has changed hands", read)
    for n in range(reading.TRIES - 1):
        told.do(f"a fault, the {n + 2}. time", fails(ZeroDivisionError()))
        house.clock.forward(seconds=30 * 2 ** (n + 1) - 1)
        told.do("a moment before it is due", read)
        house.clock.forward(seconds=1)
    told.do("the host has it read again", lambda: intake.make_due_again(site, 8))
    told.do("it is read", read)
    try:
        intake.make_due_again(site, 8)
    except intake.WasActedOn as acted:
        told.do("once more", acted.__str__)
    take_in_mail(site, raw + b"\n", via="lmtp")
    for _ in range(reading.TRIES):
        try:
            fails(Killed())()
        except Killed:
            house.clock.forward(minutes=5, seconds=1)
    told.skip()
    told.do("one whose reader was killed each time", read)
    with site.writing() as work:
        for number, due in ((9, 2), (8, 1)):
            row = work.get_one(InboxRow, number)
            row.done_at, row.verdict, row.claimed_until, row.attempts = None, None, None, 0
            row.due_at = site.now().replace(hour=due)
    told.skip()
    with patch.object(reading, "RUN", 1):
        told.do("the one that is due first", read)
        told.do("then the other", read)


def _tell_listing(house: House, told: Chronicle) -> None:
    told.part("what the host sees")
    site = house.site
    take_in_mail(site, b"From: a@x.example\n\nwaits", via="http", mail_from="a@x.example", recipients=["b@x.example"])
    told.skip()
    told.do("the newest", lambda: [(one.id, one.via, one.size, one.verdict) for one in intake.list_kept_mails(site)])
    told.do("the two newest", lambda: [one.id for one in intake.list_kept_mails(site, most=2)])
    told.do(
        "those that failed", lambda: [one.id for one in intake.list_kept_mails(site, only=("failed", "unreadable"))]
    )
    told.do("those that wait", lambda: [one.id for one in intake.list_kept_mails(site, waiting=True)])
    told.do("one", lambda: intake.read_kept_mail(site, 10))
    for number in (6, 99):
        try:
            intake.make_due_again(site, number)
        except intake.NotKept as gone:
            told.do(f"{number} is not read again", gone.__str__)
    try:
        intake.read_kept_mail(site, 99)
    except intake.NotKept as gone:
        told.do("one that is not there", gone.__str__)
    told.do("one that waits is read again", lambda: intake.make_due_again(site, 10))
    reading.read_inbox(site, judge_with_verdict("act"))
    told.skip()


def _sort(site: Site, raw: bytes) -> tuple[object, object]:
    return imap.sort_of_mail_with_head(site, raw), imap.is_report_on_our_mail(site, raw)


def _tell_sorting(house: House, told: Chronicle, match_id: str) -> None:
    told.part("whose mails a mailbox holds")
    site, seat = house.site, house.asks(match_id)[0].seat
    ours, there = str(newest_mail(house, CAST[seat])["Message-ID"]), "somebody@example.com"

    def sort(to: str = there, **more: Any) -> Callable[[], str]:
        return lambda: imap.sort_of_mail_with_head(
            site, mail_of_player(house, "Charlie", to, "hi", message_id="<1@x.example>", **more)
        )

    told.do("somebody's", sort())
    told.do("with a token", sort(token_of(house, match_id, seat)))
    told.do("to the address without one", sort(REPLY_TO.replace("{token}", "")))
    told.do("to what is no token", sort(REPLY_TO.replace("{token}", "x")))
    told.do("to the canary's", sort("play+canary@pbem.example"))
    told.do("to where the site writes from", sort("play@pbem.example"))
    told.do("that answers ours", sort(headers=[("In-Reply-To", ours)]))
    many = " ".join(f"<{n}@x.example>" for n in range(19))
    told.do("as the last of twenty", sort(headers=[("References", f"{ours} {many}")]))
    told.do("as the last of 21", sort(headers=[("References", f"{ours} <a@x.example> {many}")]))
    told.do("our own", lambda: imap.sort_of_mail_with_head(
        site, mail_of_player(house, "Charlie", token_of(house, match_id, seat), "hi", message_id=ours)))  # fmt: skip
    for address in ("MAILER-DAEMON@mx.example.org", "charlie@example.org"):
        raw = bounce_report("a@b.example", original=ours).replace(b"MAILER-DAEMON@mx.example.org", address.encode())
        told.do(f"a report by {address}", partial(_sort, site, raw))
    plain = b"From: MAILER-DAEMON@mx.example.org\nTo: a@b.example\n\nhello\n"
    told.do("a server's", partial(_sort, site, plain))
    other = bounce_report("a@b.example")
    told.do("a report about another's", partial(_sort, site, other))
    told.do("none", lambda: (imap.sort_of_mail_with_head(site, b"\n"), imap.is_report_on_our_mail(site, b"\n")))
    for address in (
        "Play@PBEM.example ",
        " play+canary@pbem.example",
        "play+@pbem.example",
        "play@x.example",
        "play+x",
    ):
        told.do(f"whether “{address}” is its own", lambda address=address: is_own_address(site, address))  # type: ignore[misc]


BOTH = (
    b"Authentication-Results: mx.pbem.example; dkim=pass header.d=example.org\r\n"
    b"Authentication-Results: mx.pbem.example; dmarc=pass header.from=example.org\r\n"
    b"Received: from a by mx.pbem.example\r\n"
)


def _tell_judging(house: House, told: Chronicle) -> None:
    told.part("results of our server")
    site = house.site

    def several() -> bool:
        with site.reading() as session:
            return judging.has_noted_several_results(session.connection(), site.now())

    rest = b"From: a@x.example\r\n\r\nhi\r\n"
    told.do("one", lambda: judging.note_several_results(site, BOTH.partition(b"\r\n")[2] + rest))
    told.do("what is no mail", lambda: judging.note_several_results(site, b"\n"))
    told.do("nobody has written several", several)
    told.do("several", lambda: judging.note_several_results(site, BOTH + rest))
    house.clock.forward(hours=1)
    told.do("and again", lambda: judging.note_several_results(site, BOTH + rest))
    house.clock.forward(hours=23, minutes=59, seconds=59)
    told.do("nearly a day later", several)
    house.clock.forward(seconds=1)
    told.do("a day later", several)
    row = InboxRow(
        digest="j", via="mailbox", recipients="[]", raw=rest, size=1, received_at=site.now(), due_at=site.now()
    )
    told.do("written on this machine", lambda: judging.judge_mail(site, row, "a@x.example"))


def _tell_canary(house: House, told: Chronicle) -> None:
    told.part("the site's own mail")
    site = house.site

    def age() -> float | None:
        with site.reading() as session:
            return canary.age_of_last_return(session.connection(), site.now())

    def through() -> bool:
        with site.reading() as session:
            return canary.lets_forged_results_through(session.connection())

    house.mail.clear()
    told.do("how long ago one came back", age)
    told.do("one leaves", lambda: canary.send_canary_if_due(site, house.mail))
    ((to, first),) = house.mail.all_sent
    told.do("how it looks", lambda: {name: str(value) for name, value in first.items()})
    told.do("what it says", first.get_content)
    house.clock.forward(minutes=59, seconds=59)
    told.do("within the hour", lambda: canary.send_canary_if_due(site, house.mail))
    house.clock.forward(seconds=1)
    told.do("an hour later", lambda: canary.send_canary_if_due(site, house.mail))
    told.do("how long ago the first one left", age)
    raw = first.as_bytes().replace(b"\n", b"\r\n")
    for title, one in (("as it left", raw), ("with its results deleted", raw.replace(b"x-pbem-canary=none", b"none")),
                       ("as it left again", raw + b"\r\n")):  # fmt: skip
        house.clock.forward(seconds=10)
        take_in_mail(site, one, via="lmtp", recipients=[to])
        told.skip()
        told.do(f"it comes back {title}", lambda: reading.read_inbox(site, judge_with_verdict("act")))
        told.do("whether results come through", through)
    house.clock.forward(seconds=90)
    told.do("how long ago it came back", age)
    with site.writing() as work:
        canary.note_moment(work, canary.RETURNED, site.now().replace(hour=0))
    told.do("one that came back before counts no more", age)
    house.clock.at = house.clock.at.replace(hour=0, minute=0, second=0)
    told.do("the clock was set back", age)
    at = int(str(first[canary.FIELD]).split(".")[0])
    for late in (-61, -60, 86_400, 86_401):
        house.clock.at = house.clock.at.fromtimestamp(at + late, house.clock.at.tzinfo)
        told.do(f"{late} seconds after it left", lambda: canary.is_our_canary(site, raw))
    house.clock.at = house.clock.at.fromtimestamp(at, house.clock.at.tzinfo)
    told.do("with another number", lambda: canary.is_our_canary(site, raw.replace(b"-Canary: 1", b"-Canary: 2")))
    told.do("in the text alone", lambda: canary.is_our_canary(site, b"From: a@x.example\n\n" + raw))
    mark = b"X-Pbem-Canary: " + str(first[canary.FIELD]).encode()
    told.do("twice", lambda: canary.is_our_canary(site, mark + b"\r\n" + raw))
    told.do("with spaces, in small letters", lambda: canary.is_our_canary(site, mark.lower() + b" \n\n"))
