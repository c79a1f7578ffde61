"""Reads what mail servers and providers report about mails that were sent: bounces and complaints.

A bounce is a delivery status notification (RFC 3464), which the standard library parses, or one of the odd forms that
flufl.bounce knows. A complaint is a feedback report (RFC 5965): somebody has called a mail spam.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes, message_from_string
from email.message import Message

from flufl.bounce import all_failures

from pbem.features.inbox.incoming import bodies, headers
from pbem.kit.notation import plain_text
from pbem.mail import refusals

MOST = 50
"""Recipients, and parts, that are looked at."""
LONGEST = 100_000
"""Bytes of an odd report that are looked at; flufl.bounce takes long at many."""
LONGEST_WORDS = 5_000
"""Characters of what a server has said that are looked at."""
UNKNOWN_CODE = 550
"""The code that a final refusal is taken to have had if its report does not say."""

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_STATUS = re.compile(r"\b([245]\.\d{1,3}\.\d{1,3})\b")
_REPLY = re.compile(
    r"(?:^|[\s;:<(])([45]\d\d)[ -](?:[ -]?#?([45]\.\d{1,3}\.\d{1,3})\b|(?=[A-Za-z<]))(.*)", re.DOTALL | re.ASCII
)
"""What a server answered, wherever a program has put it: "smtp; 552 5.2.2 full", "host mx.example said: 450 busy"."""
_BARE_REPLY = re.compile(r"\s*(5\d\d)(?=[\s-]|$)", re.ASCII)
_STATUS_IN_TEXT = re.compile(r"(?<![\d.])([45]\.\d{1,3}\.\d{1,3})(?![\d.])(.*)", re.DOTALL)
_COPY = re.compile(r"^(?:--.*(?:copy|original|header|returned).*|(?:Return-Path|Received|Message-ID):.*)$", re.I | re.M)
"""Where the copy of the mail begins in a report that is one text."""
_REPORTER = re.compile(r"(?:mailer-?daemon|postmaster|bounces?)(?:[-_.+].*)?", re.IGNORECASE)
_UNDELIVERED = re.compile(
    r"undeliver|deliver(?:y|ed)|returned mail|failure notice|mail failure|non remis|echec|unzustellbar|nicht zugestellt"
    r"|no entregado|no se ha podido entregar|mancata consegna|onbestelbaar"
)


@dataclass(frozen=True)
class Bounce:
    """A mail that did not arrive. `final`: it never will; otherwise it is only late.

    `status`: the enhanced status code (RFC 3463), such as "5.1.1". `original_id`: the Message-ID of the mail that did
    not arrive, if the report has it. `said`: every refusal in the report, each as code and words; `text`: of an odd
    report all that it says.
    """

    final: bool
    status: str | None
    addresses: tuple[str, ...]
    original_id: str | None
    said: tuple[tuple[int, str], ...] = field(default=(), compare=False)
    text: str = field(default="", compare=False)

    @property
    def is_transient(self) -> bool:
        """True if the reason of one of the refusals passes, as during delivery: a full mailbox, a limit on rates."""
        refused = (*self.said, (UNKNOWN_CODE, self.text))
        return any(refusals.is_temporary(code, words, "recipient") for code, words in refused)

    @property
    def is_address_at_fault(self) -> bool:
        """True if every refusal blames the address, by its status and by its words, as one during delivery would."""
        return all(refusals.fault_of_refusal(code, words, "recipient") == "address" for code, words in self.said)


@dataclass(frozen=True)
class Complaint:
    """Somebody has called a mail spam. `original_id`: the Message-ID of that mail, if the report has it."""

    addresses: tuple[str, ...]
    original_id: str | None


def report_in_mail(message: Message, raw: bytes, senders: Sequence[str]) -> Bounce | Complaint | None:
    """Returns the report that the mail is; None if it is none. A note of absence is none, nor is one of success."""
    if message.get_content_type() == "multipart/report":
        kinds = {part.get_content_type() for part in _direct_parts(message)}
        if "message/feedback-report" in kinds:
            return _read_complaint(message)
        if "message/delivery-status" in kinds or "message/global-delivery-status" in kinds:
            return _read_bounce(message)
    is_titled_so = headers.has_header(message, "X-Failed-Recipients") or _UNDELIVERED.search(
        plain_text(headers.readable_subject(message))
    )
    if is_titled_so and is_by_reporter(senders):
        return _read_odd_bounce(message_from_bytes(raw[:LONGEST], policy=headers.BOUNDED))
    return None


def is_by_reporter(senders: Sequence[str]) -> bool:
    """Returns whether the mail is from an address that mail servers report from."""
    return any(_REPORTER.fullmatch(sender.rpartition("@")[0]) for sender in senders)


def _direct_parts(message: Message) -> Iterator[Message]:
    """Yields the parts one level below the mail."""
    held = message.get_payload() if message.is_multipart() else None
    if isinstance(held, list):
        yield from (part for part in held[:MOST] if isinstance(part, Message))


def _header_blocks(message: Message, *kinds: str) -> Iterator[Message]:
    """Yields the blocks of headers in the parts of these kinds.

    Python parts the blocks of `message/delivery-status` alone; of another kind the later ones are the first one's text.
    """
    for part in _direct_parts(message):
        if part.get_content_type() in kinds:
            for block in _direct_parts(part):
                yield block
                later = block.get_payload()
                if isinstance(later, str):
                    blocks = (text for text in _BLANK_LINE.split(later, MOST) if text.strip())
                    yield from (message_from_string(text, policy=headers.BOUNDED) for text in blocks)


def _read_bounce(message: Message) -> Bounce | None:
    blocks = [*_header_blocks(message, "message/delivery-status", "message/global-delivery-status")]
    told = [(headers.bare_header_value(block, "Action"), block) for block in blocks]
    for action in ("failed", "delayed"):
        found = [block for said, block in told if said == action]
        if found:
            status = next((got[1] for one in found if (got := _STATUS.search(_first_value(one, "Status")))), None)
            addresses = _without_duplicates(
                address
                for one in found
                for name in ("Original-Recipient", "Final-Recipient")
                for value in headers.header_values(one, name)
                for address in headers.addresses_in(value.partition(";")[2] or value)
            )
            said = tuple(refusal for one in found for refusal in _refusals_of(one))[:MOST]
            return Bounce(action == "failed", status, addresses, _original_message_id(message), said)
    return None


def _refusals_of(block: Message) -> Iterator[tuple[int, str]]:
    """Yields the refusals that the block tells of one recipient: by its status, and in the words of the server."""
    status, words = _STATUS.search(_first_value(block, "Status")), _first_value(block, "Diagnostic-Code").strip()
    found, told = [*_refusal_in(words)], words.partition(";")[2] or words
    if status is not None or not found:
        bare = _BARE_REPLY.match(told) if not found else None
        code = int(bare[1]) if bare is not None else UNKNOWN_CODE
        yield code, f"{status[1]} {told}" if status is not None else told
    yield from found


def _refusal_in(words: str) -> Iterator[tuple[int, str]]:
    """Yields the answer of a server that stands in these words, or just their status; nothing if there is neither.

    >>> [*_refusal_in("smtp; 552-5.2.2 over quota")], [*_refusal_in("host mx.example[192.0.2.1] said: 450 busy")]
    ([(552, '5.2.2 over quota')], [(450, 'busy')])
    >>> [*_refusal_in("Sorry, no mailbox here. (#5.1.1)")], [*_refusal_in("gone")]
    ([(550, '5.1.1 )')], [])
    """
    words = words[:LONGEST_WORDS]
    if (reply := _REPLY.search(words)) is not None:
        yield int(reply[1]), f"{reply[2] or ''}{reply[3]}"
    elif (status := _STATUS_IN_TEXT.search(words)) is not None:
        yield UNKNOWN_CODE, f"{status[1]} {status[2]}"


def _read_complaint(message: Message) -> Complaint | None:
    blocks = [*_header_blocks(message, "message/feedback-report")]
    if any(headers.bare_header_value(block, "Feedback-Type") == "not-spam" for block in blocks):
        return None
    addresses = _without_duplicates(
        address
        for block in blocks
        for name in ("Original-Rcpt-To", "Removal-Recipient")
        for value in headers.header_values(block, name)
        for address in headers.addresses_in(value)
    )
    return Complaint(addresses, _original_message_id(message))


def _original_message_id(message: Message) -> str | None:
    """Returns the Message-ID of the mail that the report is about, from what it returns of it."""
    copies = (copy for part in _direct_parts(message) for copy in _find_copies(part))
    return next((found for copy in copies for found in headers.message_ids(copy, "Message-ID")), None)


def _find_copies(part: Message) -> Iterable[Message]:
    kind = part.get_content_type()
    if kind in ("message/rfc822", "message/global"):
        return _direct_parts(part)
    if kind in ("text/rfc822-headers", "message/rfc822-headers", "message/global-headers"):
        if part.is_multipart():
            return _direct_parts(part)
        return [message_from_bytes(bodies.octets_of_part(part)[: headers.LONGEST], policy=headers.BOUNDED)]
    return ()


def _read_odd_bounce(message: Message) -> Bounce | None:
    try:
        temporary, permanent = all_failures(message)
    except headers.MALFORMED:
        return None
    found = permanent or temporary
    if not found:
        return None
    named = _without_duplicates(
        a for one in sorted(found)[:MOST] for a in headers.addresses_in(one.decode("ascii", "replace"))
    )
    told = _text_of_report_above_copy(message)
    said = tuple(refusal for part in told.split("\n\n")[:MOST] for refusal in _refusal_in(part))
    original = _original_message_id(message)
    if original is None:  # older servers put the copy of the mail at the end of their report's text
        text = bodies.octets_of_part(message)[:LONGEST]
        copy = re.search(rb"^Message-ID:\s*(<[^<>\s]{1,250}>)", text, re.IGNORECASE | re.MULTILINE)
        original = copy[1].decode("ascii", "replace") if copy is not None else None
    return Bounce(bool(permanent), None, named, original, said, told[:LONGEST_WORDS])


def _text_of_report_above_copy(message: Message) -> str:
    """Returns what an odd report says, without the copy of the mail that may stand below."""
    text = bodies.text_of_message(message)[0][:LONGEST]
    copy = _COPY.search(text)
    return text[: copy.start()] if copy is not None else text


def _first_value(message: Message, name: str) -> str:
    return next(iter(headers.header_values(message, name)), "")


def _without_duplicates(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:MOST]
