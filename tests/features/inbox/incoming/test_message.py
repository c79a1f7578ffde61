"""What of a mail is read besides its text, and whether a person sent it."""

import pytest

from pbem.features.inbox.incoming.message import Incoming, UnreadableMail, read_message
from tests.features.inbox.incoming.programs import mail_of_parts
from tests.harness.cases import cases


def read_mail(raw: bytes, mail_from: str | None = None, recipients: tuple[str, ...] = ()) -> Incoming:
    return read_message(raw, mail_from=mail_from, recipients=recipients, own=lambda one: one.endswith("@example.org"))


def with_head(*lines: str, body: str = "call M1") -> bytes:
    return ("\r\n".join((*lines, "", body)) + "\r\n").encode()


FROM = "From: Alice <alice@example.com>"


def test_headers_of_every_mail_program_are_read() -> None:
    raw = with_head(
        "From: =?utf-8?q?Alice_=C3=89?= <Alice@EXAMPLE.com>",
        "To: play+abc@Example.org, Bob <bob@example.com>",
        "Delivered-To: play+abc@example.org",
        "X-Original-To: play+xyz@example.org",
        "Subject: Re: =?iso-8859-1?q?=C0_vous?=",
        " de jouer",
        "Message-ID: <1@example.com>",
        "In-Reply-To: <q7@example.org>",
        "References: <m1@example.org>",
        " <q7@example.org> <q6@example.org>",
    )
    found = read_mail(raw, "Alice@Example.COM", ("play+env@example.org",))
    assert found.senders == ("Alice@example.com",)
    assert found.return_path == "Alice@example.com"
    assert found.recipients == (
        "play+env@example.org", "play+abc@example.org", "play+xyz@example.org", "bob@example.com"
    )  # fmt: skip
    assert found.references == ("<q7@example.org>", "<q6@example.org>", "<m1@example.org>")
    assert (found.message_id, found.subject) == ("<1@example.com>", "Re: À vous de jouer")
    assert (found.automatic, found.report, found.unread) == (None, None, None)
    assert found.text.strip() == "call M1"


def test_an_address_beyond_ascii_is_read() -> None:
    assert read_mail(with_head("From: Élise <élise@exämple.org>")).senders == ("élise@exämple.org",)


@cases(
    "lines",
    [
        (),
        (FROM, "From: bob@example.com"),
        ("From: alice@example.com, bob@example.com",),
        ("From: alice@example.com <bob@example.com",),
        ("From: " + "a@example.com, " * 2_000,),
        ('From: "alice@example.com" <bob@example.com>, alice@example.com',),
    ],
)
def test_a_mail_with_no_or_several_senders_has_no_trusted_sender(lines: tuple[str, ...]) -> None:
    assert len(read_mail(with_head(*lines)).senders) != 1


SURE = {
    "alice@example.com": "alice@example.com",
    "<alice@example.com>": "alice@example.com",
    "Alice <alice@Example.COM>": "alice@example.com",
    '"Alice <3 :-)" <alice@example.com>': "alice@example.com",
    '"Alice \\"bob@example.com>\\" A." <alice@example.com>': "alice@example.com",
    'Alice (at <home> ") <alice@example.com>': "alice@example.com",
    "alice@example.com (Alice (and her cat))": "alice@example.com",
    "O'Brien, Alice <alice@example.com>": "alice@example.com",
    "=?utf-8?q?=C3=89lise?= <alice@example.com>": "alice@example.com",
    "=?utf-8?q?bob=40example.com_=3Cbob=40example.com=3E?= <alice@example.com>": "alice@example.com",
    "Alice <alice@[192.0.2.1]>": "alice@[192.0.2.1]",
}
UNSURE = [
    "alice@example.com <bob@example.com",
    "alice@example.com bob@example.com>",
    "Alice <alice@example.com",
    "Alice alice@example.com>",
    "Alice <<alice@example.com>",
    "Alice <<alice@example.com>>",
    "Alice <alice@example.com>>",
    "<alice@example.com><bob@example.com",
    "<alice@example.com <bob@example.com>>",
    '"Alice <alice@example.com>',
    'Alice" <alice@example.com>',
    '"alice@example.com" <bob@example.com>"',
    '"Alice\\" <alice@example.com>',
    'Alice \\" <alice@example.com> "bob@example.com',
    "(Alice <alice@example.com>",
    "Alice) <alice@example.com>",
    "alice@example.com (Alice (and her cat)",
    "alice@example.com) <bob@example.com> (",
    "Alice <alice@[192.0.2.1>",
    "Alice <alice@192.0.2.1]>",
    "Alice <alice@[[192.0.2.1]]>",
    "alice@example.com <bob@example.com>",
    "alice@example.com, <bob@example.com>",
    "<alice@example.com> <bob@example.com>",
    "alice@example.com <bob@example.com> (,)",
    "Friends: alice@example.com, bob@example.com;",
    "alice@example.com\x00<bob@example.com",
    "",
    "<>",
    "Alice",
]
"""Each is read in another way by some Python between 3.11 and 3.14, or names nobody, or several."""


@cases("value", SURE)
def test_a_valid_address_is_a_trusted_sender_under_every_python(value: str) -> None:
    assert read_mail(with_head(f"From: {value}")).senders == (SURE[value],)


@cases("value", UNSURE)
def test_an_ambiguous_address_is_no_trusted_sender_under_any_python(value: str) -> None:
    assert len(read_mail(with_head(f"From: {value}")).senders) != 1


def test_the_envelopes_return_path_wins_over_the_header() -> None:
    assert read_mail(with_head(FROM, "Return-Path: <bob@Example.com>")).return_path == "bob@example.com"
    assert read_mail(with_head(FROM, "Return-Path: <>")).return_path == ""
    assert read_mail(with_head(FROM, "Return-Path: <>"), "alice@example.com").return_path == "alice@example.com"
    assert read_mail(with_head(FROM)).return_path is None


@cases(
    "lines, sign",
    [
        ((FROM, "Auto-Submitted: auto-replied"), "auto-submitted"),
        ((FROM, "Auto-Submitted: auto-generated; owner=x"), "auto-submitted"),
        ((FROM, "X-Autoreply: yes"), "auto-submitted"),
        ((FROM, "Precedence: bulk"), "precedence"),
        ((FROM, "Precedence: auto_reply"), "precedence"),
        ((FROM, "List-Id: <friends.example.com>"), "list"),
        ((FROM, "Return-Path: <>"), "null-return-path"),
        ((FROM, "X-Loop: alice@example.com"), "loop"),
        ((FROM, "X-MS-Exchange-Inbox-Rules-Loop: alice@example.com"), "loop"),
        (("From: play+abc@example.org",), "own-address"),
        (("From: no-reply@example.com",), "no-reply"),
        (("From: MAILER-DAEMON@example.com",), "no-reply"),
        ((FROM, "Subject: Automatic reply: your turn", "X-Auto-Response-Suppress: All"), "auto-submitted"),
        ((FROM, "Subject: Réponse automatique : à vous", "X-Auto-Response-Suppress: All"), "auto-submitted"),
        ((FROM, "Content-Type: multipart/report; report-type=disposition-notification; boundary=b"), "report"),
        ((FROM, "Content-Type: multipart/report; boundary=b"), "report"),
        ((FROM, "Content-Type: message/disposition-notification"), "report"),
        ((FROM, "Content-Type: application/pkcs7-mime; smime-type=signed-receipt"), "report"),
        ((FROM, "Content-Type: application/pkcs7-mime; smime-type=enveloped-data"), None),
        ((FROM, "Disposition-Notification-To: alice@example.com"), None),
        ((FROM, "Auto-Submitted: no"), None),
        ((FROM, "X-Auto-Response-Suppress: All"), None),
        ((FROM, "Subject: Automatic reply: your turn"), None),
        ((FROM, "Subject: En vacances, je joue quand même"), None),
        (
            (FROM, "List-Unsubscribe: <https://example.com/u>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click"),
            None,
        ),
        ((FROM, "Precedence: first-class"), None),
        (("From: Noreen <noreen@example.com>",), None),
    ],
)
def test_automatic_mails_are_distinguished_from_mails_of_people(lines: tuple[str, ...], sign: str | None) -> None:
    assert read_mail(with_head(*lines)).automatic == sign


def test_a_read_receipt_is_recognised_by_its_mime_part() -> None:
    receipt = (
        b"--b\r\n\r\nRead.\r\n--b\r\nContent-Type: message/disposition-notification\r\n\r\nDisposition: x\r\n--b--\r\n"
    )
    head = with_head(FROM, "Content-Type: multipart/mixed; boundary=b", body="").rstrip() + b"\r\n\r\n"
    assert read_mail(head + receipt).automatic == "report"


def test_encrypted_mails_are_read_except_for_their_text() -> None:
    sealed = mail_of_parts(None)
    sealed.set_content(b"\x30\x80", maintype="application", subtype="pkcs7-mime", filename="smime.p7m")
    armour = mail_of_parts("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n")
    for message in (sealed, armour):
        found = read_mail(message.as_bytes())
        assert (found.text, found.unread, found.senders) == ("", "encrypted", ("alice@example.com",))


def test_plain_text_beside_an_encrypted_part_is_read() -> None:
    message = mail_of_parts("call M1")
    message.add_attachment(b"\x30\x80", maintype="application", subtype="pkcs7-mime", filename="smime.p7m")
    assert read_mail(message.as_bytes()).unread is None


@cases(
    "raw, why",
    [
        (b"x" * 25_000_001, "too-large"),
        (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 300, "too-deep"),
        (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 3_000, "too-deep"),
        (b"Content-Type: message/rfc822\r\n\r\n" * 300, "too-deep"),
        (b"X-A: b\r\n" * 5_000 + b"\r\nhi", "malformed"),
    ],
)
def test_a_mail_that_would_take_minutes_to_parse_is_refused_with_a_reason(raw: bytes, why: str) -> None:
    with pytest.raises(UnreadableMail) as refused:
        read_mail(raw)
    assert refused.value.why == why
