"""Whether a mail may act for the player whose address stands in its From.

Two ways lead to *act*. Our own mail server says in its Authentication-Results that DMARC, or a DKIM signature of the
author's domain, has passed: for this the host names the server's authserv-id in PBEM_AUTHSERV, and has it delete each
block of that name from what it receives (`pbem.mail.incoming.results`). Otherwise the signatures are checked here.

*silence* is for what our server has said is forged, by ``dmarc=fail``. All else is *ask*: that no signature holds is no
proof, since the mail may pass DMARC by SPF, which cannot be checked here, or a list on its way may have changed it.
"""

from collections.abc import Sequence
from typing import Literal

from pbem.mail.incoming.head import Malformed, read_author, read_fields
from pbem.mail.incoming.results import Result, read_results
from pbem.mail.incoming.signatures import Lookups, Resolver, domain_of, has_signed, is_aligned

Verdict = Literal["act", "ask", "silence"]


def verify(raw: bytes, sender: str, *, trusted: Sequence[str], resolver: Resolver | None) -> tuple[Verdict, str]:
    """Returns whether the mail may act for `sender`, the address in its From, and a word why.

    `trusted` are the authserv-ids of our own mail servers; `resolver` is None on a site without name servers.
    """
    try:
        fields = read_fields(raw)
        if read_author(fields).casefold() != sender.casefold():
            return "ask", "author"
        domain = domain_of(sender)
    except (Malformed, UnicodeError):
        return "ask", "malformed"
    lookups = Lookups(resolver) if resolver is not None else None
    told = _told(read_results(fields, trusted), domain, lookups) if trusted else None
    if told is not None:
        return told
    if lookups is None:
        return "ask", "unverified"
    return _checked(raw, domain, lookups)


def is_failed(raw: bytes, trusted: Sequence[str]) -> bool:
    """True if our own server says that the mail failed a check, or if its head cannot be read."""
    try:
        results = read_results(read_fields(raw), trusted)
    except Malformed:
        return True
    return any(result.method in ("dmarc", "spf", "dkim") and result.result == "fail" for result in results)


def _told(results: Sequence[Result], domain: str, lookups: Lookups | None) -> tuple[Verdict, str] | None:
    """Returns what follows from what our own server says; None if that is nothing."""
    dmarc = [result for result in results if result.method == "dmarc"]
    if any(result.result == "fail" for result in dmarc):
        return "silence", "dmarc=fail"
    if any(result.result == "pass" and result.properties.get("header.from") == domain for result in dmarc):
        return "act", "dmarc=pass"
    signers = [
        result.properties.get("header.d", "")
        for result in results
        if (result.method, result.result) == ("dkim", "pass")
    ]
    if any(is_aligned(signer, domain, lookups) for signer in signers):
        return "act", "dkim=pass"
    return None


def _checked(raw: bytes, domain: str, lookups: Lookups) -> tuple[Verdict, str]:
    """Returns what follows from the mail's signatures."""
    if has_signed(raw, domain, lookups):
        return "act", "signature"
    return "ask", "dns" if lookups.failed else "unsigned"
