"""Whether a mail may act for the player whose address stands in its From.

Two ways lead to *act*. Our own mail server says in its Authentication-Results that DMARC, or a DKIM signature of the
author's domain, has passed: for this the host names the server's authserv-id in PBEM_AUTHSERV, and has it delete each
block of that name from what it receives (`incoming.results`). Otherwise the signatures are checked here.

*silence* is for what our server has said is forged, by ``dmarc=fail``. All else is *ask*: that no signature holds is no
proof, since the mail may pass DMARC by SPF, which cannot be checked here, or a list on its way may have changed it.
"""

import logging
import re
from collections.abc import Sequence
from typing import Literal, Protocol

import dkim
from dkim.util import InvalidTagValueList, parse_tag_value

from pbem.features.inbox.incoming.results import Malformed, Result, read_author, read_fields, read_results

# --- signatures and policies ---------------------------------------------------------------------------------


MOST_LOOKUPS = 8
LONGEST_RECORD = 1500
"""A key record of more bytes holds an RSA key above 8,192 bits, which takes seconds to check."""
STRONG = (b"rsa-sha256", b"ed25519-sha256")


_silent = logging.getLogger("pbem.features.inbox.incoming.verdicts")
_silent.disabled = True  # the library logs what strangers have written


class DnsError(Exception):
    """The name server could not say whether there is a record: it means nothing, neither a pass nor a fail."""


class Resolver(Protocol):
    """Looks up TXT records."""

    def txt(self, name: str) -> bytes | None:
        """Returns the record at this name; None if there is none. Raises DnsError."""


class Lookups:
    """The look-ups for one mail: at most MOST_LOOKUPS, none of them twice.

    `failed` is True once one of them could not be done.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[str, bytes | None] = {}
        self._count = 0
        self.failed = False

    def txt(self, name: str) -> bytes | None:
        """Returns the record at this name; None if there is none. Raises DnsError."""
        name = name.rstrip(".").lower()
        if name not in self._known:
            if self._count >= MOST_LOOKUPS:
                self.failed = True
                raise DnsError("too many look-ups")
            self._count += 1
            try:
                self._known[name] = self._resolver.txt(name)
            except DnsError:
                self.failed = True
                raise
        return self._known[name]


def has_signed(raw: bytes, domain: str, lookups: Lookups) -> bool:
    """True if a signature of the author's domain holds: over From and the whole body, by a strong key, not expired.

    A signature whose key cannot be looked up is passed over, and `lookups.failed` says so.
    """
    try:
        signed = dkim.DKIM(raw, logger=_silent)
    except dkim.DKIMException:
        return False
    headers = [value for name, value in signed.headers if name.lower() == b"dkim-signature"]
    return any(
        _is_candidate(value, domain) and _holds(signed, number, lookups) and _is_aligned(value, domain, lookups)
        for number, value in enumerate(headers)
    )


def is_aligned(signer: str, domain: str, lookups: Lookups | None) -> bool:
    """True if `signer` may sign for addresses of `domain`: it is the same, or a domain above it with a DMARC record.

    Never the other way round. Without a list of public suffixes one cannot tell a company's `news.example.org` from
    a stranger's `evil.dyndns.example`, so a domain below is not believed. A record may ask for the same domain alone.
    """
    if signer == domain:
        return True
    if lookups is None or not _is_above(signer, domain):
        return False
    try:
        records = [read_policy(lookups.txt(f"_dmarc.{name}")) for name in (signer, domain)]
    except DnsError:
        return False
    above = records[0]
    strict = any(record.get("adkim") == "s" for record in records if record)
    return above is not None and above.get("psd") != "y" and not strict


def read_policy(record: bytes | None) -> dict[str, str] | None:
    """Returns the tags of a DMARC record, in lower case; None if it is none.

    >>> read_policy(b"v=DMARC1; p=Reject; adkim=s")
    {'v': 'dmarc1', 'p': 'reject', 'adkim': 's'}
    """
    text = (record or b"").decode("ascii", "replace").lower()
    if not re.match(r"v\s*=\s*dmarc1\s*(;|$)", text):
        return None
    pairs = [part.partition("=") for part in text.split(";") if "=" in part]
    return {name.strip(): value.strip() for name, _, value in pairs}


def _is_above(signer: str, domain: str) -> bool:
    return "." in signer and domain.endswith(f".{signer}")


def _tags(value: bytes) -> dict[bytes, bytes]:
    try:
        tags: dict[bytes, bytes] = parse_tag_value(value)
    except InvalidTagValueList:
        return {}
    return tags


def _signer(value: bytes) -> str:
    return _tags(value).get(b"d", b"").decode("ascii", "replace").lower()


def _is_candidate(value: bytes, domain: str) -> bool:
    """True if the signature, should it hold, says something about the author; finding out takes no look-up."""
    tags = _tags(value)
    signer = _signer(value)
    covered = [name.strip().lower() for name in tags.get(b"h", b"").split(b":")]
    whole = b"l" not in tags and b"from" in covered and tags.get(b"a", b"").lower() in STRONG
    return whole and (signer == domain or _is_above(signer, domain))


def _is_aligned(value: bytes, domain: str, lookups: Lookups) -> bool:
    return is_aligned(_signer(value), domain, lookups)


def _holds(signed: dkim.DKIM, number: int, lookups: Lookups) -> bool:
    """True if the signature was made by the key that its domain publishes, over this mail, and has not expired."""

    def key(name: bytes | str, timeout: int = 5) -> bytes | None:
        text = name.decode("ascii") if isinstance(name, bytes) else name
        found = lookups.txt(text)
        return found if found is None or (len(found) <= LONGEST_RECORD and not _is_tested(found)) else None

    try:
        return bool(signed.verify(number, dnsfunc=key))
    except DnsError:
        return False
    except Exception:  # noqa: BLE001 - what a stranger has written makes the library fail in many ways
        return False


def _is_tested(record: bytes) -> bool:
    """True if the domain says that it only tests DKIM: such a signature is none."""
    return b"y" in _tags(record).get(b"t", b"").lower().split(b":")


def domain_of(address: str) -> str:
    """Returns the domain of an address as name servers have it. Raises UnicodeError."""
    return address.rpartition("@")[2].rstrip(".").lower().encode("idna").decode("ascii")


# --- the verdict ---------------------------------------------------------------------------------------------


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
    told = _own_verdict(read_results(fields, trusted), domain, lookups) if trusted else None
    if told is not None:
        return told
    if lookups is None:
        return "ask", "unverified"
    return _check_signatures(raw, domain, lookups)


def is_failed(raw: bytes, trusted: Sequence[str]) -> bool:
    """True if our own server says that the mail failed a check, or if its head cannot be read."""
    try:
        results = read_results(read_fields(raw), trusted)
    except Malformed:
        return True
    return any(result.method in ("dmarc", "spf", "dkim") and result.result == "fail" for result in results)


def _own_verdict(results: Sequence[Result], domain: str, lookups: Lookups | None) -> tuple[Verdict, str] | None:
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


def _check_signatures(raw: bytes, domain: str, lookups: Lookups) -> tuple[Verdict, str]:
    """Returns what follows from the mail's signatures."""
    if has_signed(raw, domain, lookups):
        return "act", "signature"
    return "ask", "dns" if lookups.failed else "unsigned"
