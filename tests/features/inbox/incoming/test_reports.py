"""Bounces and complaints, as servers and providers write them."""

from pbem.features.inbox.incoming.message import read_message
from pbem.features.inbox.incoming.reports import Bounce, Complaint
from tests.features.inbox.incoming.reports import RETURNED, delivery_notification, delivery_status_block
from tests.harness.cases import cases


def report_in(raw: str) -> Bounce | Complaint | None:
    return read_message(raw.encode(), mail_from="", recipients=(), own=lambda _: False).report


@cases("returned", ["message/rfc822", "text/rfc822-headers"])
def test_a_bounce_report_yields_status_address_and_message_id(returned: str) -> None:
    found = report_in(delivery_notification("delivery-status", delivery_status_block("failed", "5.1.1"), returned))
    assert found == Bounce(True, "5.1.1", ("alice@example.com",), "<question-7@example.org>")


def test_delay_reports_are_not_final_and_success_reports_no_bounce() -> None:
    late = report_in(delivery_notification("delivery-status", delivery_status_block("delayed", "4.4.1")))
    assert late == Bounce(False, "4.4.1", ("alice@example.com",), "<question-7@example.org>")
    assert report_in(delivery_notification("delivery-status", delivery_status_block("delivered", "2.0.0"))) is None


def test_a_bounce_report_lists_the_address_that_was_written_to_first() -> None:
    both = "Original-Recipient: rfc822;alice@example.com\nFinal-Recipient: rfc822; a.martin@mx.example.com"
    found = report_in(
        delivery_notification("delivery-status", delivery_status_block("Failed", "5.2.2 (mailbox full)", both))
    )
    assert found == Bounce(True, "5.2.2", ("alice@example.com", "a.martin@mx.example.com"), "<question-7@example.org>")


def test_bounce_reports_of_older_formats_are_recognised() -> None:
    found = report_in(
        "From: MAILER-DAEMON@example.com\nSubject: failure notice\n\nHi. This is the qmail-send program at x.com.\n"
        "I'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've "
        "given up. Sorry it didn't work out.\n\n<alice@example.com>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n"
        f"--- Below this line is a copy of the message.\n\n{RETURNED}\n"
    )
    assert found == Bounce(True, None, ("alice@example.com",), "<question-7@example.org>")


def test_a_note_of_absence_is_no_bounce() -> None:
    words = "I am on holiday. Mail to bob@example.com could not be delivered to the following addresses.\n"
    for sender in ("alice@example.com", "postmaster@example.com"):
        raw = f"From: {sender}\nSubject: Out of office: your turn\nAuto-Submitted: auto-replied\n\n{words}"
        assert report_in(raw) is None


def test_a_reply_that_quotes_a_bounce_is_no_bounce_report() -> None:
    raw = delivery_notification("delivery-status", delivery_status_block("failed", "5.1.1")).replace(
        "multipart/report; report-type", "text/plain; x"
    )
    assert report_in(raw.replace("MAILER-DAEMON", "alice")) is None


def test_a_complaint_report_yields_address_and_message_id() -> None:
    told = "Feedback-Type: abuse\nUser-Agent: x/1\nVersion: 1\nOriginal-Rcpt-To: <alice@Example.com>\n"
    found = report_in(delivery_notification("feedback-report", told, machine="message/feedback-report"))
    assert found == Complaint(("alice@example.com",), "<question-7@example.org>")


def test_a_report_that_a_mail_is_no_spam_is_no_complaint() -> None:
    told = "Feedback-Type: not-spam\nUser-Agent: x/1\nVersion: 1\n"
    assert report_in(delivery_notification("feedback-report", told, machine="message/feedback-report")) is None
