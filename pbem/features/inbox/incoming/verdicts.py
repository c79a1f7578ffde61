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

from pbem.features.inbox.incoming.results import (
    Malformed,
    Result,
    address_of_only_author,
    fields_of_head,
    results_of_our_servers,
)

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

    def txt_record(self, name: str) -> bytes | None:
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

    def txt_record(self, name: str) -> bytes | None:
        """Returns the record at this name; None if there is none. Raises DnsError."""
        name = name.rstrip(".").lower()
        try:
            if name not in self._known:
                if self._count >= MOST_LOOKUPS:
                    raise DnsError("too many look-ups")
                self._count += 1
                self._known[name] = self._resolver.txt_record(name)
        except DnsError:
            self.failed = True
            raise
        return self._known[name]


def may_sign_for_domain(signer: str, domain: str, lookups: Lookups) -> bool:
    """True if `signer` may sign for addresses of `domain`: it is the same, or a domain above it with a DMARC record.

    Never the other way round. Without a list of public suffixes one cannot tell a company's `news.example.org` from
    a stranger's `evil.dyndns.example`, so a domain below is not believed. A record may ask for the same domain alone.
    """
    if signer == domain:
        return True
    if not _is_parent_domain_of(signer, domain):
        return False
    try:
        records = [tags_of_dmarc_record(lookups.txt_record(f"_dmarc.{name}")) for name in (signer, domain)]
    except DnsError:
        return False
    above = records[0]
    strict = any(record.get("adkim") == "s" for record in records if record)
    return above is not None and above.get("psd") != "y" and not strict


def tags_of_dmarc_record(record: bytes | None) -> dict[str, str] | None:
    """Returns the tags of a DMARC record, in lower case; None if it is none.

    >>> tags_of_dmarc_record(b"v=DMARC1; p=Reject; adkim=s")
    {'v': 'dmarc1', 'p': 'reject', 'adkim': 's'}
    """
    text = (record or b"").decode("ascii", "replace").lower()
    if not re.match(r"v\s*=\s*dmarc1\s*(;|$)", text):
        return None
    pairs = [part.partition("=") for part in text.split(";") if "=" in part]
    return {name.strip(): value.strip() for name, _, value in pairs}


def _is_parent_domain_of(signer: str, domain: str) -> bool:
    return "." in signer and domain.endswith(f".{signer}")


def _dkim_tags(value: bytes) -> dict[bytes, bytes]:
    try:
        tags: dict[bytes, bytes] = parse_tag_value(value)
    except InvalidTagValueList:
        return {}
    return tags


def _is_signature_valid(signed: dkim.DKIM, number: int, lookups: Lookups) -> bool:
    """True if the signature was made by the key that its domain publishes, over this mail, and has not expired."""

    def key(name: bytes | str, timeout: int = 5) -> bytes | None:
        text = name.decode("ascii") if isinstance(name, bytes) else name
        found = lookups.txt_record(text)
        # With t=y the domain says that it only tests DKIM: such a signature is none.
        tested = b"y" in _dkim_tags(found or b"").get(b"t", b"").lower().split(b":")
        return None if found is not None and (len(found) > LONGEST_RECORD or tested) else found

    try:
        return bool(signed.verify(number, dnsfunc=key))
    except DnsError:
        return False
    except Exception:  # noqa: BLE001 - what a stranger has written makes the library fail in many ways
        return False


def domain_of(address: str) -> str:
    """Returns the domain of an address as name servers have it. Raises UnicodeError."""
    return address.rpartition("@")[2].rstrip(".").lower().encode("idna").decode("ascii")


# --- the verdict ---------------------------------------------------------------------------------------------


Verdict = Literal["act", "ask", "silence"]


def verify_sender(raw: bytes, sender: str, *, trusted: Sequence[str], resolver: Resolver) -> tuple[Verdict, str]:
    """Returns whether the mail may act for `sender`, the address in its From, and a word why.

    `trusted` are the authserv-ids of our own mail servers.
    """
    try:
        fields = fields_of_head(raw)
        if address_of_only_author(fields).casefold() != sender.casefold():
            return "ask", "author"
        domain = domain_of(sender)
    except (Malformed, UnicodeError):
        return "ask", "malformed"
    lookups = Lookups(resolver)
    told = _verdict_of_our_server(results_of_our_servers(fields, trusted), domain, lookups) if trusted else None
    if told is not None:
        return told
    if _has_author_signed(raw, domain, lookups):
        return "act", "signature"
    return "ask", "dns" if lookups.failed else "unsigned"


def has_failed_checks(raw: bytes, trusted: Sequence[str]) -> bool:
    """True if our own server says that the mail failed a check, or if its head cannot be read."""
    try:
        results = results_of_our_servers(fields_of_head(raw), trusted)
    except Malformed:
        return True
    return any(result.method in ("dmarc", "spf", "dkim") and result.result == "fail" for result in results)


def _verdict_of_our_server(results: Sequence[Result], domain: str, lookups: Lookups) -> tuple[Verdict, str] | None:
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
    if any(may_sign_for_domain(signer, domain, lookups) for signer in signers):
        return "act", "dkim=pass"
    return None


def _has_author_signed(raw: bytes, domain: str, lookups: Lookups) -> bool:
    """True if a signature of the author's domain holds: over From and the whole body, by a strong key, not expired.

    A signature whose key cannot be looked up is passed over, and `lookups.failed` says so.
    """
    try:
        signed = dkim.DKIM(raw, logger=_silent)
    except dkim.DKIMException:
        return False
    tagged = [_dkim_tags(value) for name, value in signed.headers if name.lower() == b"dkim-signature"]
    for number, tags in enumerate(tagged):
        signer = tags.get(b"d", b"").decode("ascii", "replace").lower()
        covered = [name.strip().lower() for name in tags.get(b"h", b"").split(b":")]
        whole = b"l" not in tags and b"from" in covered and tags.get(b"a", b"").lower() in STRONG
        # What costs a look-up comes last.
        may_sign = whole and (signer == domain or _is_parent_domain_of(signer, domain))
        if may_sign and _is_signature_valid(signed, number, lookups) and may_sign_for_domain(signer, domain, lookups):
            return True
    return False
