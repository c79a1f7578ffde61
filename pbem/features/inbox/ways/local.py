"""Answers that somebody writes on the page of this machine's own mailbox, as their mail program would send them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import format_datetime, make_msgid


@dataclass(frozen=True)
class Answer:
    """An answer that somebody has written to a mail, and its envelope."""

    raw: bytes
    sender: str
    to: str


def write_answer(raw: bytes, text: str, now: datetime) -> Answer:
    """Returns the answer to a mail that its reader's mail program would send. Raises ValueError for a broken mail."""
    asked = message_from_bytes(raw, policy=default)
    reader, replies, senders = (getattr(asked[name], "addresses", ()) for name in ("To", "Reply-To", "From"))
    back = replies or senders
    if not reader or not back:
        raise ValueError("a mail without an address")
    subject = str(asked["Subject"] or "")
    answer = EmailMessage(policy=SMTP)
    answer["From"], answer["To"] = reader[0], back[0]
    answer["Subject"] = subject if subject[:3].casefold() == "re:" else f"Re: {subject}"
    answer["Date"] = format_datetime(now.astimezone(UTC))
    answer["Message-ID"] = make_msgid(domain="localhost")
    known = str(asked["Message-ID"] or "").strip()
    if known:
        answer["In-Reply-To"] = known
        answer["References"] = " ".join([*str(asked["References"] or "").split(), known])
    answer.set_content(text if text.endswith("\n") else f"{text}\n")
    return Answer(bytes(answer), reader[0].addr_spec, back[0].addr_spec)


def quote_lines(text: str) -> str:
    """Returns the text as a mail program quotes it.

    >>> quote_lines("a\\n\\nb")
    '> a\\n>\\n> b'
    """
    return "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))
