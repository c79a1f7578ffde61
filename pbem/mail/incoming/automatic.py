"""Tells whether a program sent a mail, by signs that a person's own mail program never sets.

A mail with one of them is never answered: two programs that answer each other do so for ever (RFC 3834). It may still
be looked at for a report.
"""

import re
from collections.abc import Callable, Sequence
from email.message import Message

from pbem.kit.notation import plain_text
from pbem.mail.incoming import headers

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


def sign(message: Message, senders: Sequence[str], return_path: str | None, own: Callable[[str], bool]) -> str | None:
    """Returns a word for the first sign that a program sent the mail; None if a person did."""
    if any(own(sender) for sender in senders) or (return_path and own(return_path)):
        return "own-address"
    if headers.has(message, *_LOOP_HEADERS):
        return "loop"
    if return_path == "":
        return "null-return-path"  # RFC 5321, 4.5.5: reports, and by RFC 3834 answers of programs
    if _answers_by_program(message):
        return "auto-submitted"
    if headers.first_word(message, "Precedence") in _PRECEDENCES:
        return "precedence"
    if headers.has(message, *_LIST_HEADERS):
        return "list"
    if _is_report(message):
        return "report"
    if any(_NOBODY.fullmatch(sender.rpartition("@")[0].lower()) for sender in senders):
        return "no-reply"
    return None


def _is_report(message: Message) -> bool:
    """Returns whether the mail is a receipt (RFC 8098, RFC 8551) or another report: programs send these unasked."""
    kind = message.get_content_type()
    if kind in ("multipart/report", "message/disposition-notification"):
        return True
    if str(message.get_param("smime-type") or "").lower() == "signed-receipt":
        return True
    parts = message.get_payload() if message.is_multipart() else None
    held = [one.get_content_type() for one in parts if isinstance(one, Message)] if isinstance(parts, list) else []
    return "message/disposition-notification" in held


def _answers_by_program(message: Message) -> bool:
    """Returns whether the mail says so itself (RFC 3834, 5), or is titled as a note of absence beside another sign.

    X-Auto-Response-Suppress alone says nothing: it asks that *others* do not answer by a program, and Exchange sets it
    on mails of people, too.
    """
    if headers.first_word(message, "Auto-Submitted") not in ("", "no") or headers.has(message, *_ANSWERING_HEADERS):
        return True
    away = _AWAY.match(plain_text(headers.subject(message)))
    return away is not None and headers.has(message, "X-Auto-Response-Suppress", "X-Vacation", "X-Out-Of-Office")
