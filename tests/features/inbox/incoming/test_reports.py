"""Bounces and complaints, as servers and providers write them."""

from pbem.features.inbox.incoming.message import read_message
from pbem.features.inbox.incoming.reports import Bounce, Complaint
from tests.features.inbox.incoming.reports import RETURNED, delivery, notification
from tests.harness.cases import cases


def report(raw: str) -> Bounce | Complaint | None:
    return read_message(raw.encode(), mail_from="", recipients=(), own=lambda _: False).report


@cases("returned", ["message/rfc822", "text/rfc822-headers"])
def test_a_notification_names_status_address_and_mail(returned: str) -> None:
    found = report(notification("delivery-status", delivery("failed", "5.1.1"), returned))
    assert found == Bounce(True, "5.1.1", ("alice@example.com",), "<question-7@example.org>")


def test_a_delay_is_not_final_and_a_success_is_no_bounce() -> None:
    late = report(notification("delivery-status", delivery("delayed", "4.4.1")))
    assert late == Bounce(False, "4.4.1", ("alice@example.com",), "<question-7@example.org>")
    assert report(notification("delivery-status", delivery("delivered", "2.0.0"))) is None


def test_the_address_that_was_written_to_comes_first() -> None:
    both = "Original-Recipient: rfc822;alice@example.com\nFinal-Recipient: rfc822; a.martin@mx.example.com"
    found = report(notification("delivery-status", delivery("Failed", "5.2.2 (mailbox full)", both)))
    assert found == Bounce(True, "5.2.2", ("alice@example.com", "a.martin@mx.example.com"), "<question-7@example.org>")


def test_an_older_form_is_known() -> None:
    found = report(
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
        assert report(raw) is None


def test_an_answer_that_quotes_a_bounce_is_none() -> None:
    raw = notification("delivery-status", delivery("failed", "5.1.1")).replace(
        "multipart/report; report-type", "text/plain; x"
    )
    assert report(raw.replace("MAILER-DAEMON", "alice")) is None


def test_a_complaint_names_the_address_and_the_mail() -> None:
    told = "Feedback-Type: abuse\nUser-Agent: x/1\nVersion: 1\nOriginal-Rcpt-To: <alice@Example.com>\n"
    found = report(notification("feedback-report", told, machine="message/feedback-report"))
    assert found == Complaint(("alice@example.com",), "<question-7@example.org>")


def test_a_report_that_a_mail_is_no_spam_is_no_complaint() -> None:
    told = "Feedback-Type: not-spam\nUser-Agent: x/1\nVersion: 1\n"
    assert report(notification("feedback-report", told, machine="message/feedback-report")) is None
