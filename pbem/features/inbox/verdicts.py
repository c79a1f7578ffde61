"""What became of a mail that has come in, in a word: for the host's list and for the counters."""

from collections.abc import Mapping

ACTED = "acted"
REFUSED = "refused"
STALE = "stale"
ASKED = "asked"
SILENT = "silent"
STRANGER = "stranger"
AUTOMATIC = "automatic"
DUPLICATE = "duplicate"
BOUNCE = "bounce"
COMPLAINT = "complaint"
REPORT = "report"
UNPROVEN = "unknown report"
UNSUBSCRIBED = "unsubscribed"
UNREADABLE = "unreadable"
ERASED = "erased"
CANARY = "canary"
FAILED = "failed"

MEANING: Mapping[str, str] = {
    ACTED: "everything in it was done",
    REFUSED: "nothing was done: not understood, or refused; the writer has been told why",
    STALE: "nothing was done: its question was closed; the writer has been told what is asked now",
    ASKED: "nothing was done: whether it is genuine could not be checked; the seat's owner has been asked",
    SILENT: "nothing was done: it is forged",
    STRANGER: "nothing was done: it names no seat by a token",
    AUTOMATIC: "nothing was done: a program wrote it",
    DUPLICATE: "nothing was done: the same mail had come before",
    BOUNCE: "the address that it names gets no more mail until it works again",
    COMPLAINT: "the address that it names gets no more mail",
    REPORT: "nothing was done: it reports a delay, a refusal that is not about the address, or another address",
    UNPROVEN: "nothing was done: it reports a bounce or a complaint, and anybody may have written it",
    UNSUBSCRIBED: "the match was muted for its sender, or all mail to them stopped",
    UNREADABLE: "nothing was done: it is no mail, or too large",
    ERASED: "nothing was done: its text has been erased",
    CANARY: "the site's own mail, by which it sees that mail comes in",
    FAILED: "nothing was done: an error of this program; read it anew after an upgrade",
}
"""Each verdict, for the host."""
OWN = (ACTED, REFUSED, STALE, ASKED)
"""The verdicts of mails whose seat was known and which were read: the same mail again is a duplicate."""
_FINAL = (ACTED, DUPLICATE, BOUNCE, COMPLAINT, UNSUBSCRIBED, CANARY)
UNDONE = tuple(verdict for verdict in MEANING if verdict not in _FINAL)
"""The verdicts of mails that nothing was done for: these alone may be read again."""
