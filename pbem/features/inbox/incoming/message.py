"""Reads a mail's bytes into the few things that matter of it: whatever they are, it returns these or says why not."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from functools import partial

from pbem.features.inbox.incoming import bodies, headers, reports
from pbem.features.inbox.incoming.cutting import Ours, mark_quote_that_names_us
from pbem.features.inbox.incoming.reports import Bounce, Complaint
from pbem.kit.notation import plain_text

LARGEST = 25_000_000
"""In bytes; what most providers let their users send."""
MOST_NESTING = 200
"""Parts that may hold parts."""
MOST_COMPARED = 4_000_000
"""The lines of the mail times these parts: each line may be the end of any of them."""
MOST_BOUNDARIES = 2_000
MOST_HEADER_LINES = 2_000

_NESTING = re.compile(rb"(?:multipart|message)\s*/", re.IGNORECASE)
_ANSWERS = re.compile(r"(?:[^\W\d]{1,4} ?[:：] ?)+")
"""Such as "Re: ", in any language."""
_HEAD_END = re.compile(rb"\r?\n\r?\n")


class UnreadableMail(ValueError):
    """A mail that cannot be read at all; `why` is a word for its row: "too-large", "too-deep", "malformed"."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Incoming:
    """A mail that has come in.

    `senders`: the addresses of From, their domains in lower case; exactly one in a sound mail. Two From headers are no
    sender. `return_path`: of the envelope, else of the header; "" is the null path. `recipients`: of the envelope,
    then Delivered-To, X-Original-To, Envelope-To, To and Cc. `references`: the ids of In-Reply-To, then of References,
    newest first. `automatic`: a word why nobody may answer it; None: a person sent it. `text`: what its body says, with
    "\\n" at the ends of lines and "> " before what is plainly quoted, in several versions if its parts say different
    things (`bodies.VERSIONS`). `unread`: "encrypted" if its text cannot be read for that reason; None otherwise.
    """

    message_id: str | None
    senders: tuple[str, ...]
    return_path: str | None
    recipients: tuple[str, ...]
    references: tuple[str, ...]
    subject: str
    automatic: str | None
    text: str
    report: Bounce | Complaint | None
    unread: str | None = None


def read_message(
    raw: bytes, *, mail_from: str | None, recipients: Sequence[str], own: Callable[[str], bool]
) -> Incoming:
    """Returns what the mail says. `own` returns True for the site's own addresses. Raises UnreadableMail."""
    _refuse_slow_to_parse(raw)
    try:
        message = message_from_bytes(raw, policy=headers.BOUNDED)
        return _read_parsed(message, raw, mail_from, recipients, own)
    except (RecursionError, bodies.TooManyParts) as error:
        raise UnreadableMail("too-deep") from error
    except headers.MALFORMED as error:
        raise UnreadableMail("malformed") from error


def _refuse_slow_to_parse(raw: bytes) -> None:
    """Raises UnreadableMail where the parser of the standard library would take minutes."""
    if len(raw) > LARGEST:
        raise UnreadableMail("too-large")
    nesting = len(_NESTING.findall(raw))
    compared = nesting * raw.count(b"\n")
    if nesting > MOST_NESTING or compared > MOST_COMPARED or raw.count(b"\n--") > MOST_BOUNDARIES:
        raise UnreadableMail("too-deep")
    if _HEAD_END.split(raw, maxsplit=1)[0].count(b"\n") > MOST_HEADER_LINES:
        raise UnreadableMail("malformed")


def _read_parsed(
    message: Message, raw: bytes, mail_from: str | None, recipients: Sequence[str], own: Callable[[str], bool]
) -> Incoming:
    senders, return_path = _addresses_of_from(message), _return_path(message, mail_from)
    report = reports.report_in_mail(message, raw, senders)
    found = _recipients(message, recipients)
    text, unread = bodies.text_of_message(
        message, partial(mark_quote_that_names_us, ours=_our_signs_in_quote(message, found, own))
    )
    return Incoming(
        message_id=next(iter(headers.message_ids(message, "Message-ID")), None),
        senders=senders,
        return_path=return_path,
        recipients=found,
        references=_ids_of_replied_mails(message),
        subject=headers.readable_subject(message),
        automatic=sign_of_program(message, senders, return_path, own),
        text=text,
        report=report,
        unread=unread,
    )


def _addresses_of_from(message: Message) -> tuple[str, ...]:
    """Returns the addresses of From, as two parsers see them: where they differ, there are several, so none is sure.

    None at all where brackets or quotation marks lack a partner: what a parser sees there depends on its version.
    """
    given = headers.header_values(message, "From")
    if len(given) != 1 or len(given[0]) > headers.LONGEST_EXACT or not headers.has_balanced_brackets(given[0]):
        return ()
    return tuple(dict.fromkeys([*headers.strict_addresses(given[0]), *headers.loose_addresses(given[0])]))[
        : headers.MOST_ADDRESSES
    ]


def _return_path(message: Message, mail_from: str | None) -> str | None:
    if mail_from is not None:
        sender = mail_from.strip("<> ")
        return headers.address_with_folded_domain(sender) if "@" in sender else ""
    given = next(iter(headers.header_values(message, "Return-Path")), None)
    if given is None:
        return None
    return next(iter(headers.addresses_in(given)), "" if given.replace(" ", "") in ("<>", "") else None)


def _recipients(message: Message, envelope: Iterable[str]) -> tuple[str, ...]:
    found = [headers.address_with_folded_domain(one.strip("<> ")) for one in envelope if "@" in one]
    for name in ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc"):
        for value in headers.header_values(message, name):
            found += headers.addresses_in(value)
    return tuple(dict.fromkeys(found))[: headers.MOST_ADDRESSES]


def _our_signs_in_quote(message: Message, recipients: Sequence[str], own: Callable[[str], bool]) -> Ours:
    """Returns what tells our mail where this one quotes it: if it went to one address, that is ours."""
    addresses = tuple(address for address in recipients if len(recipients) == 1 or own(address))
    return Ours(
        addresses,
        (*headers.display_names_in_headers(message, "To", "Cc"), _ANSWERS.sub("", headers.readable_subject(message))),
    )


def _ids_of_replied_mails(message: Message) -> tuple[str, ...]:
    found = [*headers.message_ids(message, "In-Reply-To"), *reversed(headers.message_ids(message, "References"))]
    return tuple(dict.fromkeys(found))[: headers.MOST_ADDRESSES]


# --- whether a program sent it -------------------------------------------------------------------------------


_ANSWERING_HEADERS = ("X-Autoreply", "X-Autorespond", "X-Auto-Reply", "X-Autoreply-From", "X-Mail-Autoreply")
"""What answering programs set that are older than RFC 3834, such as autoresponders of hosting panels."""
_LIST_HEADERS = ("List-Id", "List-Post", "List-Help", "List-Archive", "List-Subscribe", "List-Owner", "Mailing-List")
"""RFC 2369 and RFC 2919. List-Unsubscribe is not among them: some providers add it to what a person sends."""
_PRECEDENCES = frozenset({"bulk", "junk", "list", "auto_reply", "auto-reply"})
"""RFC 3834, 2: a mail with one of these is not to be answered. "first-class" and the like are a person's."""
_LOOP_HEADERS = ("X-Loop", "X-MS-Exchange-Inbox-Rules-Loop", "X-MS-Exchange-Generated-Message-Source")
"""Set by programs that pass mail on or answer it, so that they know it again. Exchange sets its own by inbox rules."""
_NOBODY = re.compile(
    r"(?:no|do-?not|ne-?pas|non)[-_.]?(?:reply|respond|repondre|answer)(?:[-_.+].*)?|(?:mailer-?daemon|postmaster"
    r"|bounces?|autoresponder|autoreply|auto-reply|nobody|listserv|majordomo)(?:[-_.+].*)?"
)
"""RFC 2142 and RFC 5321, 6.1: addresses that no person writes from."""
_AWAY = re.compile(
    r"(?:auto(?:matic|matische|matique)?[ -]?(?:reply|response|antwort|answer)|reponse automatique|automatische antwort"
    r"|abwesen|out of (?:the )?office|absence|absent|conges?\b|vacation|en vacances|respuesta automatica"
    r"|risposta automatica|automatisch antwoord|fuera de la oficina|fuori ufficio)"
)
"""How notes of absence begin. A person may write about their holidays, too, so it is a sign only beside another."""


def sign_of_program(
    message: Message, senders: Sequence[str], return_path: str | None, own: Callable[[str], bool]
) -> str | None:
    """Returns a word for the first sign that a program sent the mail; None if a person did."""
    if any(own(sender) for sender in senders) or (return_path and own(return_path)):
        return "own-address"
    if headers.has_header(message, *_LOOP_HEADERS):
        return "loop"
    if return_path == "":
        return "null-return-path"  # RFC 5321, 4.5.5: reports, and by RFC 3834 answers of programs
    if _is_automatic_answer(message):
        return "auto-submitted"
    if headers.bare_header_value(message, "Precedence") in _PRECEDENCES:
        return "precedence"
    if headers.has_header(message, *_LIST_HEADERS):
        return "list"
    if _is_receipt_or_report(message):
        return "report"
    if any(_NOBODY.fullmatch(sender.rpartition("@")[0].lower()) for sender in senders):
        return "no-reply"
    return None


def _is_receipt_or_report(message: Message) -> bool:
    """Returns whether the mail is a receipt (RFC 8098, RFC 8551) or another report: programs send these unasked."""
    kind = message.get_content_type()
    if kind in ("multipart/report", "message/disposition-notification"):
        return True
    if str(message.get_param("smime-type") or "").lower() == "signed-receipt":
        return True
    parts = message.get_payload() if message.is_multipart() else None
    held = [one.get_content_type() for one in parts if isinstance(one, Message)] if isinstance(parts, list) else []
    return "message/disposition-notification" in held


def _is_automatic_answer(message: Message) -> bool:
    """Returns whether the mail says so itself (RFC 3834, 5), or is titled as a note of absence beside another sign.

    X-Auto-Response-Suppress alone says nothing: it asks that *others* do not answer by a program, and Exchange sets it
    on mails of people, too.
    """
    if headers.bare_header_value(message, "Auto-Submitted") not in ("", "no") or headers.has_header(
        message, *_ANSWERING_HEADERS
    ):
        return True
    away = _AWAY.match(plain_text(headers.readable_subject(message)))
    return away is not None and headers.has_header(message, "X-Auto-Response-Suppress", "X-Vacation", "X-Out-Of-Office")
