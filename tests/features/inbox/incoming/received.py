"""What is read of whole mails, and whether they may act: a line for each case, stored in received.txt.

    python -m tests.features.inbox.incoming.received

writes the file again. Look at what has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pbem.features.inbox.incoming import message, reports, verdicts
from pbem.features.inbox.incoming.message import Incoming, read_message
from pbem.features.inbox.incoming.verdicts import Lookups
from tests.features.inbox.incoming.heard import AUTOMATIC
from tests.features.inbox.incoming.reports import RETURNED, delivery_notification, delivery_status_block
from tests.features.inbox.incoming.signing import MAIL, Names, public_key_record, sign_mail
from tests.render.lines import Part, call_as_line, lines_of_calls, result_of, text_of, whole_file

FILE = Path(__file__).with_name("received.txt")
A = "From: a@x.example"


def read_mail(raw: bytes, mail_from: str | None = None, recipients: tuple[str, ...] = ()) -> Incoming:
    """Returns what the mail says to us, whose addresses end in pbem.example."""
    return read_message(raw, mail_from=mail_from, recipients=recipients, own=lambda one: one.endswith("@pbem.example"))


def messages() -> Iterator[str]:
    """Returns mails as they are read."""
    quoted = "F3\n\nBy pbem, 2026-03-02\n> old\n\n"
    for lines in (
        A, f"{A}\n{A}", "From: a@x.example, b@x.example", "From: a@x.example <b@x.example",
        "From: A <a@X.example> (b)", "To: a@x.example", f"{A}\nMessage-ID: <1@x>\nMessage-ID: <2@x>",
        f"{A}\nMessage-ID: 1",
        f"{A}\nReturn-Path: <b@X.example>", f"{A}\nReturn-Path: <>", f"{A}\nReturn-Path:", f"{A}\nReturn-Path: < >",
        f"{A}\nReturn-Path: nobody", f"{A}\nReturn-Path: <b@x.example>\nReturn-Path: <c@x.example>",
        f"{A}\nTo: b@X.example\nCc: c@x.example\nDelivered-To: d@x.example\n"
        "X-Original-To: e@x.example\n"
        "Envelope-To: f@x.example\nBcc: g@x.example\nDelivered-To: b@x.example", f"{A}\nTo: nobody",
        f"{A}\nIn-Reply-To: <1@x>\nReferences: <2@x> <3@x> <1@x>", f"{A}\nReferences: <2@x> x <3@x>",
        f"{A}\nReferences: " + " ".join(f"<{n}@x>" for n in range(101)),
        f"{A}\nTo: " + ", ".join(f"b{n}@x.example" for n in range(101)),
        f"{A}\nSubject: Re: Hogen", f"{A}\nSubject:", *(f"{one}\nTo: play@pbem.example" for one in AUTOMATIC[1:4]),
        f"From: {'a@x.example, ' * 2000}", "From: " + "x" * 1989 + "<a@x.example>",
        "From: " + "x" * 1987 + "<a@x.example>", f"{A}, " + "é@x.example",
    ):  # fmt: skip
        yield call_as_line(read_mail, (lines + "\n\nF3\n").encode())
    for to in (
        "To: pbem <play@pbem.example>",
        "To: pbem <play@x.example>",
        "To: pbem <play@x.example>, b@x.example",
        "Cc: pbem <play@pbem.example>",
        "To: b@x.example",
        "To: play@pbem.example\nSubject: RE: Aw : By pbem",
        "To: b@x.example\nSubject: Re: By pbem",
    ):
        for body in (quoted, "F3\n\nplay@pbem.example\nold\n", "F3\n\nplay@x.example\nold\n"):
            yield f"{to} {body!r}: {text_of(read_mail((f'{A}' + chr(10) + to + chr(10) * 2 + body).encode()).text)}"
    for envelope in ("", "<>", "a@X.example", "<a@X.example>", "nobody", None):
        found = read_mail(
            f"{A}\nReturn-Path: <r@x.example>\nTo: t@x.example\n\nF3\n".encode(),
            envelope,
            ("<E@X.example>", "none", "t@x.example", "t@X.example"),
        )
        yield f"{envelope!r}: {found.return_path!r} {found.recipients} {found.automatic}"
    part = b"Content-Type: multipart/mixed; boundary=b\n"
    for name, raw in (
        ("largest", (b"\n" + b"\n--" * 2_001).ljust(message.LARGEST)), ("larger", b"x" * (message.LARGEST + 1)),
        ("nesting", b"\n" + b"multipart/" * 200), ("more nesting", b"\n" + b"multipart/" * 201),
        ("blanks", b"\n" + b"Message  /" * 201),
        ("compared", b"multipart/\n" * 200 + b"\n" * 19_800), ("more compared", b"multipart/" * 200 + b"\n" * 20_001),
        ("boundaries", b"\n" + b"\n--" * 2_000), ("more boundaries", b"\n" + b"\n--" * 2_001),
        ("headers", b"X: y\n" * 2_001 + b"\nF3"), ("more headers", b"X: y\n" * 2_002 + b"\nF3"),
        ("headers of CRLF", b"X: y\r\n" * 2_002 + b"\r\nF3"),
        ("deep", b"".join(b"Content-Type: multipart/mixed; boundary=b%dz\n\n--b%dz\n" % (n,
            n) for n in range(30)) + b"\nF3"), ("no part", part + b"\nF3"), ("empty", b""),
    ):  # fmt: skip
        yield f"{name}: {result_of(read_mail, raw)}"


def read_report(raw: str) -> object:
    """Returns the report that a mail is, with all that was said."""
    found = read_mail(raw.encode()).report
    if not isinstance(found, reports.Bounce):
        return found
    return found, found.said, found.is_transient, found.is_address_at_fault


def bounces() -> Iterator[str]:
    """Returns reports of servers."""
    final = "Final-Recipient: rfc822; alice@Example.com"
    for status, action, more in (
        ("5.1.1", "failed", ""), ("5.2.2 (full)", "Failed", ""), ("4.4.1", "delayed", ""), ("2.0.0", "delivered", ""),
        ("5.1", "failed", ""), ("", "failed", ""), ("5.1.1", "relayed", ""), ("5.1.1", "expanded", ""),
        ("x5.1.1", "failed", ""), ("5.1.1111", "failed", ""), ("3.1.1", "failed", ""),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; 552 5.2.2 over quota\n"),
        ("5.0.0", "failed", "Diagnostic-Code: 552-5.2.2 over quota\n"),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; host mx[192.0.2.1] said: 450 busy\n"),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; no (#5.2.2)\n"),
        ("", "failed", "Diagnostic-Code: x-unix; mailbox full\n"),
        ("", "failed", "Diagnostic-Code: x-unix; relaying denied\n"),
        ("5.7.1", "failed", "Diagnostic-Code: smtp; 550 no such user\n"),
        ("5.1.1", "failed", "Diagnostic-Code: smtp; 550 5.7.1 relaying denied\n"),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; 554 [192.0.2.1] listed\n"),
        ("", "failed", "Diagnostic-Code: smtp; 554\n"), ("5.0.0", "failed", "Diagnostic-Code: smtp; 552\n"),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; 4523 no\n"), ("5.0.0", "failed", "Diagnostic-Code: smtp; 450\n"),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; 450 <a>\n"), ("5.0.0", "failed", "Diagnostic-Code: 250 fine\n"),
        ("5.0.0", "failed", "Diagnostic-Code: 15.1.1.2\n"),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; " + "x" * 4_980 + " 452 full\n"),
        ("5.0.0", "failed", "Diagnostic-Code: smtp; " + "x" * 5_000 + " 452 full\n"),
        ("5.2.1", "failed", "Diagnostic-Code:\n"),
    ):  # fmt: skip
        told = delivery_notification(
            "delivery-status", f"Reporting-MTA: dns; x\n\n{final}\nAction: {action}\nStatus: {status}\n{more}"
        )
        yield f"{status} {action} {text_of(more)}: {result_of(read_report, told)}"
    both = "Original-Recipient: rfc822;alice@example.com\nFinal-Recipient: rfc822; a@mx.example.com"
    block = delivery_status_block("failed", "5.1.1")
    for name, raw in (
        ("both", delivery_notification("delivery-status", delivery_status_block("failed", "5.1.1", both))),
        ("two", delivery_notification("delivery-status",
            delivery_status_block("delayed", "4.1.1") + "\n" + block + "\n" + block.replace("alice", "bob"))),
            ("bare", delivery_notification("delivery-status",
                delivery_status_block("failed", "5.1.1", "Final-Recipient: alice@example.com"))),
        ("none", delivery_notification("delivery-status", delivery_status_block("failed", "5.1.1", "X: y"))),
        ("global", delivery_notification("delivery-status", block.partition("\n\n")[2],
            machine="message/global-delivery-status")),
        ("global in two blocks",
        delivery_notification("delivery-status", block, machine="message/global-delivery-status")),
            ("other part", delivery_notification("delivery-status", block, machine="text/plain")),
            ("no action", delivery_notification("delivery-status", "X: y\n")),
        *((kind, delivery_notification("delivery-status", block, kind)) for kind in ("message/rfc822",
        "text/rfc822-headers",
            "message/rfc822-headers", "message/global", "message/global-headers", "text/plain")),
        ("no id", delivery_notification("delivery-status", block).replace("Message-ID", "X-ID")),
        ("no id, nor to",
        delivery_notification("delivery-status", block).replace("Message-ID", "X-ID").replace("\nTo: alice@",
            "\nX: alice@")),
        ("many", delivery_notification("delivery-status",
            "".join(f"Final-Recipient: rfc822; a{n}@x.example\nAction: failed\nStatus: 5.1.1\n"
            "Diagnostic-Code: smtp; 550 no\n\n" for n in range(52)))),
        ("parts", delivery_notification("delivery-status", block).replace("--b\nContent-Type: text/plain",
            "--b\n\n\n" * 49 + "--b\nContent-Type: text/plain")),
            ("fewer parts", delivery_notification("delivery-status", block).replace("--b\nContent-Type: text/plain",
                "--b\n\n\n" * 47 + "--b\nContent-Type: text/plain")),
    ):  # fmt: skip
        yield f"{name}: {result_of(read_report, raw)}"


def complaints() -> Iterator[str]:
    """Returns complaints."""
    for told in (
        "Feedback-Type: abuse", "Feedback-Type: not-spam", "Feedback-Type: Not-Spam; x", "Version: 1",
        "Original-Rcpt-To: <alice@Example.com>",
        "Removal-Recipient: bob@x.example\nOriginal-Rcpt-To: alice@x.example",
        "Original-Rcpt-To: alice@x.example\nOriginal-Rcpt-To: alice@x.example",
    ):  # fmt: skip
        raw = delivery_notification("feedback-report", f"{told}\n", machine="message/feedback-report")
        yield f"{text_of(told)}: {result_of(read_report, raw)}"
    raw = delivery_notification("feedback-report", "Feedback-Type: abuse\n", machine="message/feedback-report")
    yield f"no copy: {result_of(read_report, raw.replace('message/rfc822', 'text/plain'))}"
    yield f"not a report: {result_of(read_report, raw.replace('multipart/report', 'multipart/mixed'))}"


QMAIL = (
    "Hi. This is the qmail-send program at x.com.\nI'm afraid I wasn't able to deliver your message to the following "
    "addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<alice@example.com>:\n{}\n\n"
    f"--- Below this line is a copy of the message.\n\n{RETURNED}\n"
)  # fmt: skip


def odd_bounces() -> Iterator[str]:
    """Returns reports of older forms."""
    for who, subject, said in (
        ("MAILER-DAEMON", "failure notice", "Sorry, no mailbox here by that name. (#5.1.1)"),
        ("Postmaster", "failure notice", "Mailbox is full (#5.2.2)"),
        ("bounces+x", "failure notice", "said: 452 4.2.2 over quota"), ("alice", "failure notice", "(#5.1.1)"),
        ("MAILER-DAEMON", "failure notice", "said: 550 5.7.1 relaying denied"),
        ("MAILER-DAEMON", "hello", "(#5.1.1)"), ("postmasterx", "failure notice", "(#5.1.1)"),
        *(("mailer-daemon", one, "(#5.1.1)") for one in ("Undeliverable: x", "Delivery failed", "delivered",
            "Returned mail: x", "Mail failure", "Non remis", "Échec", "Unzustellbar", "nicht zugestellt",
            "no entregado", "no se ha podido entregar", "mancata consegna", "onbestelbaar",
            "x\nX-Failed-Recipients: a@b")),
        ("MAILER-DAEMON", "failure notice\nAuto-Submitted: auto-replied", "(#5.1.1)"),
        ("alice", "failure notice\nAuto-Submitted: auto-replied", "(#5.1.1)"),
        ("MAILER-DAEMON", "failure notice", "x" * 100_000), ("MAILER-DAEMON", "failure notice", "550 " + "x" * 5_100),
    ):  # fmt: skip
        raw = f"From: {who}@example.com\nSubject: {subject}\n\n{QMAIL.format(said)}"
        yield f"{who} {text_of(subject)} {text_of(said)}: {result_of(read_report, raw)}"
    headed = "From: MAILER-DAEMON@example.com\nSubject: failure notice\n\n"
    for name, raw in (
        ("nothing known", headed + "no"), ("no copy", headed + QMAIL.format("(#5.1.1)").split("---")[0]),
        ("returned", headed + QMAIL.format("(#5.1.1)").replace("--- Below this line is a copy of the message.",
            "Return-Path: <a@b>")), ("two copies", headed + QMAIL.format("(#5.1.1)") + RETURNED.replace("7", "8")),
        ("in base64", headed.replace("\n\n", "\nContent-Transfer-Encoding: 8bit\n\n") + QMAIL.format("no, é")),
        ("many paragraphs", headed + QMAIL.format("\n\n".join(f"452 n{n}" for n in range(60)))),
    ):  # fmt: skip
        yield f"{name}: {result_of(read_report, raw)}"


def alignments() -> Iterator[str]:
    """Returns who may sign for whom."""
    yield from lines_of_calls(
        verdicts.tags_of_dmarc_record,
        [
            None,
            b"",
            b"v=DMARC1",
            b"V = dmarc1 ; P=None;adkim = S ;x",
            b"v=DMARC11",
            b"v=DMARC1 p=none",
            b"p=none; v=DMARC1",
            b" v=DMARC1",
            b"v=DMARC1;\xff=a",
            b"v=DMARC1; a=b=c",
            b"v=DMARC1;=",
        ],
    )
    yield from lines_of_calls(
        verdicts.domain_of, ["a@X.Example.", "a@exämple.org", "x", "a@b@c", "a@" + "x" * 64 + ".org", "a@..", "a@"]
    )
    reject, strict, psd = b"v=DMARC1; p=reject", b"v=DMARC1; adkim=s", b"v=DMARC1; psd=y"
    for records, down in (
        ({}, ()), ({"_dmarc.x.org": reject}, ()), ({"_dmarc.a.x.org": reject}, ()), ({"_dmarc.x.org": strict}, ()),
        ({"_dmarc.x.org": reject, "_dmarc.a.x.org": strict}, ()), ({"_dmarc.x.org": psd}, ()),
        ({"_dmarc.x.org": reject, "_dmarc.a.x.org": psd}, ()), ({"_dmarc.x.org": b"x"}, ()),
        ({"_dmarc.x.org": reject}, ("_dmarc.a.x.org",)),
    ):  # fmt: skip
        for signer, domain in (
            ("x.org", "a.x.org"),
            ("a.x.org", "x.org"),
            ("x.org", "x.org"),
            ("org", "x.org"),
            ("x.org", "ax.org"),
        ):
            names = Names(records, down)
            found = result_of(verdicts.may_sign_for_domain, signer, domain, Lookups(names))
            yield f"{signer} for {domain}, {records} {down}: {found} {names.asked}"
    names = Names({"a": b"1"}, down=("down",))
    lookups = Lookups(names)
    for name in ("a", "A.", "a", "b", "b.", "down", "c", "d", "e", "f", "g", "h", "a"):
        yield f"{name}: {result_of(lookups.txt_record, name)} {lookups.failed} {names.asked}"


def verdicts_on_mails() -> Iterator[str]:
    """Returns whether mails may act, and what is looked up for it."""
    key, dmarc, news = "s1._domainkey.example.org", "_dmarc.example.org", "s1._domainkey.mail.example.org"
    below = MAIL.replace(b"alice@example.org", b"alice@mail.example.org")
    signed = sign_mail(MAIL)
    for name, raw, records, down in (
        ("signed", signed, None, ()), ("unsigned", MAIL, None, ()), ("no key", signed, {}, ()),
        ("key down", signed, None, (key,)), ("changed", signed.replace(b"F3", b"F4"), None, ()),
        ("tested", signed, {key: public_key_record(more="t=s:Y; ")}, ()),
        ("not tested", signed, {key: public_key_record(more="t=s; ")}, ()),
        ("long", signed, {key: (public_key_record() + b"; n=").ljust(1500, b"x")}, ()),
        ("longer", signed, {key: (public_key_record() + b"; n=").ljust(1501, b"x")}, ()),
        ("by its length", sign_mail(MAIL, length=True), None, ()),
        ("sha1", sign_mail(MAIL, algorithm=b"rsa-sha1"), None, ()),
        ("without From", re.sub(rb"h=[^;]*;", b"h=to : subject;", signed), None, ()),
        ("other domain", sign_mail(MAIL, "example.net"), {"s1._domainkey.example.net": public_key_record()}, ()),
        ("above", sign_mail(below), {key: public_key_record(), dmarc: b"v=DMARC1"}, ()),
        ("above, no record", sign_mail(below), {key: public_key_record()}, ()),
        ("above, down", sign_mail(below), {key: public_key_record()}, (dmarc,)),
        ("below", sign_mail(MAIL, "mail.example.org"), {news: public_key_record()}, ()),
        ("two", sign_mail(sign_mail(MAIL, "example.net")), None, ()),
        ("second holds", sign_mail(signed.replace(b"F3", b"F3"), "example.org", "other"), None, ()),
        ("broken tags", b"DKIM-Signature: x\r\n" + MAIL, None, ()), ("broken head", b"x\r\n" + MAIL, None, ()),
        ("another author", signed.replace(b"alice@", b"bob@"), None, ()),
        ("case", signed.replace(b"alice@example", b"Alice@Example"), None, ()),
        ("no algorithm", signed.replace(b"a=rsa-sha256; ", b""), None, ()),
        ("many", b"".join(sign_mail(MAIL).replace(b"s=s1", b"s=s%d" % n, 1).partition(b"From:")[0] for n in range(2,
            12)) + MAIL, {}, ()),
    ):  # fmt: skip
        names = Names(records, down)
        sender = "alice@mail.example.org" if name.startswith("above") else "alice@example.org"
        yield f"{name}: {result_of(verdicts.verify_sender, raw, sender, trusted=(), resolver=names)} {names.asked}"
    for sender in ("alice@example.org", "ALICE@example.org", "bob@example.org", "alice@" + "x" * 64 + ".org"):
        raw = MAIL if "bob" in sender else MAIL.replace(b"alice@example.org", sender.lower().encode())
        yield f"{sender}: {result_of(verdicts.verify_sender, raw, sender, trusted=(), resolver=Names())}"
    by_us = b"Received: by mx.pbem.example\r\n"
    for said in (
        "dmarc=pass header.from=example.org", "dmarc=pass header.from=Example.org",
        "dmarc=pass header.from=example.net", "dmarc=pass", "dmarc=fail header.from=example.org", "dmarc=none",
        "dkim=pass header.d=example.org", "dkim=pass header.d=example.net", "dkim=pass",
        "dkim=fail header.d=example.org", "spf=pass", "spf=fail", "dkim=pass header.d=org",
        "dmarc=fail; dkim=pass header.d=example.org",
        "dmarc=none; dkim=pass header.d=example.net; dkim=pass header.d=example.org", "none", "x=fail",
        "dkim=pass header.d=mail.example.org",
    ):  # fmt: skip
        raw = f"Authentication-Results: mx.pbem.example; {said}\r\n".encode() + by_us + MAIL
        found = [
            result_of(verdicts.verify_sender, raw, "alice@example.org", trusted=trusted, resolver=Names())
            for trusted in (("mx.pbem.example",), ("mx.other.example",), ())
        ]
        failed = [verdicts.has_failed_checks(raw, trusted) for trusted in (("mx.pbem.example",), ("x",))]
        yield f"{said}: {found} {failed[0]} {failed[1]}"
    yield f"broken: {verdicts.has_failed_checks(b'x', ())}"


PARTS: tuple[Part, ...] = (messages, bounces, complaints, odd_bounces, alignments, verdicts_on_mails)


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.features.inbox.incoming.received", PARTS), "utf-8")
