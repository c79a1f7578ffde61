"""Real answers of mail servers, and whose fault each one is."""

from __future__ import annotations

from pbem.mail.refusals import Fault, Stage, answer_codes, fault_of_refusal, is_temporary
from tests.harness.cases import cases

SAID: list[tuple[str, Stage, Fault, bool]] = [
    # nobody reads mail there
    ("550 5.1.1 <bob@example.org>: User unknown in local recipient table", "recipient", "address", False),
    ("550-5.1.1 The email account that you tried to reach does not exist.", "recipient", "address", False),
    ("550 5.1.1 User unknown", "data", "address", False),
    ("553 5.1.2 We weren't able to find the recipient domain.", "recipient", "address", False),
    ("501 5.1.3 Bad recipient address syntax", "recipient", "address", False),
    ("556 5.1.10 <bob@example.org>: Domain does not accept mail (nullMX)", "recipient", "address", False),
    ("551 User not local; please try <forward-path>", "recipient", "address", False),
    ("550 5.2.1 The email account that you tried to reach is disabled.", "recipient", "address", False),
    ("550 5.4.1 Recipient address rejected: Access denied.", "recipient", "address", False),
    ("550 5.5.0 Requested action not taken: mailbox unavailable", "recipient", "address", False),
    ("550 no such user here", "recipient", "address", False),
    ("550 Unrouteable address", "recipient", "address", False),
    ("511 sorry, no mailbox here by that name (#5.1.1 - chkuser)", "recipient", "address", False),
    # a full mailbox, or a server that defers: the same mail may be taken later
    ("552 5.2.2 The recipient's inbox is out of storage space", "recipient", "address", True),
    ("552 5.2.2 Over quota", "data", "address", True),
    ("552 mailbox full", "recipient", "address", True),
    ("452 4.2.2 Mailbox full", "recipient", "address", True),
    ("550 5.2.1 The user you are trying to contact is receiving mail at a rate that", "recipient", "address", True),
    ("552 5.0.0 over quota", "recipient", "address", True),
    ("550 4.2.2 Mailbox full", "recipient", "address", True),
    ("550 mailbox of bob@example.org is full", "recipient", "address", True),
    ("550 5.2.0 Mailbox quota exceeded", "recipient", "address", True),
    ("550 5.2.1 mailbox is receiving too many messages, try again later", "recipient", "ours", True),
    ("550 5.1.1 No such user; please try again later", "recipient", "address", False),
    ("550 no such user, check the address and try again later", "recipient", "address", False),
    ("552 message size exceeds limit", "recipient", "address", False),
    ("450 4.2.0 <bob@example.org>: Recipient address rejected: Greylisted", "recipient", "address", True),
    ("450 4.1.2 <bob@example.org>: Recipient address rejected: Domain not found", "recipient", "address", True),
    ("450 mailbox busy", "recipient", "address", True),
    ("451 4.7.1 Please try again later", "recipient", "address", True),
    ("451 4.7.1 Greylisting in action, please come back later", "recipient", "address", True),
    ("451 greylisted, try again in 15 minutes", "recipient", "address", True),
    ("450-4.2.1 The user you are trying to contact is receiving mail at a rate that", "recipient", "address", True),
    ("550 5.2.1 This mailbox has been blocked due to inactivity", "recipient", "address", False),
    ("550 5.1.1 <bob@example.org>: User unknown in relay recipient table", "recipient", "address", False),
    ("452 4.3.1 Insufficient system storage", "recipient", "ours", True),
    ("451 Temporary local problem", "data", "ours", True),
    ("421 4.7.28 Our system has detected an unusual rate of mail", "data", "ours", True),
    ("451 4.7.1 Please try again later", "data", "ours", True),
    ("451 Temporary local problem - please try later", "recipient", "ours", True),
    ("450 4.7.1 Client host rejected: cannot find your hostname, [192.0.2.1]", "recipient", "ours", True),
    ("450 4.7.1 <play.example>: Helo command rejected: Host not found", "recipient", "ours", True),
    ("450 4.7.25 Client host rejected: cannot find your reverse hostname", "recipient", "ours", True),
    ("421 4.7.1 All messages from 192.0.2.1 will be deferred", "recipient", "ours", True),
    ("421 4.7.0 Try again later, closing connection", "recipient", "ours", True),
    # the mail, its sender, this host
    ("554 5.1.0 Sender Denied", "recipient", "ours", False),
    ("550 5.1.0 <pbem@example.org>: Sender address rejected", "recipient", "ours", False),
    ("550 5.4.1 Relay access denied", "recipient", "ours", False),
    ("550 5.2.1 policy: sending host blocked", "recipient", "ours", False),
    ("550 5.7.1 <bob@example.org>: Relay access denied", "recipient", "ours", False),
    ("554 5.7.1 <bob@example.org>: Relay access denied", "recipient", "ours", False),
    ("550 relay not permitted", "recipient", "ours", False),
    ("553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", "recipient", "ours", False),
    ("550 Sender verify failed", "recipient", "ours", False),
    ("550 5.1.8 Sender address has no domain", "recipient", "ours", False),
    ("550 5.1.7 Invalid sender", "data", "ours", False),
    ("550 Administrative prohibition", "recipient", "ours", False),
    ("550 mail from 5.1.1.7 is blocked, see our policy", "recipient", "ours", False),
    ("554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen", "recipient", "ours", False),
    ("550 5.7.26 This mail is unauthenticated: DKIM did not pass, SPF did not pass", "data", "ours", False),
    ("552 5.3.4 Message size exceeds fixed limit", "data", "ours", False),
    ("552 5.2.3 Message exceeds maximum fixed size", "data", "ours", False),
    ("554 5.6.0 Message contains invalid header", "data", "ours", False),
    ("554 looks like spam", "data", "ours", False),
    ("550 rejected", "data", "ours", False),
    ("500 5.5.2 Command not recognized", "recipient", "ours", False),
]  # fmt: skip


@cases("said, stage, whose, again", SAID)
def test_smtp_refusals_are_attributed_to_the_address_or_to_us(
    said: str, stage: Stage, whose: Fault, again: bool
) -> None:
    code, text = int(said[:3]), said[4:]
    assert fault_of_refusal(code, text, stage) == whose
    assert is_temporary(code, text, stage) is again


def test_a_stored_smtp_answer_leaves_out_words_that_may_be_an_address() -> None:
    answers = {answer_codes(int(said[:3]), said[4:]) for said, *_ in SAID}
    assert {"550 5.1.1", "553 5.7.1", "450"} <= answers
    assert all(len(one) <= 20 and "@" not in one and "example" not in one for one in answers)
