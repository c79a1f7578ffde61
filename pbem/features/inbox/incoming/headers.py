"""The values of a mail's headers, whatever a sender has put there.

A header is parsed only when it is asked for, and only as far as it is bounded.
"""

import email.utils
import re
from email.errors import MessageError
from email.headerregistry import HeaderRegistry
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses
from typing import Any

from pbem.features.inbox.incoming.characters import normalize_blanks_and_invisibles

LONGEST = 20_000
"""In characters; the parser of the standard library takes quadratic time."""
LONGEST_EXACT = 2_000
"""Longer lists of addresses are parsed by its older parser, which is linear."""
MOST_ADDRESSES = 100
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError, MessageError)
"""What the standard library raises at headers that no standard foresees."""

LONGEST_OF_A_PART = 2_000
"""Of Content-Type and the like; a long list of parameters takes quadratic time as well."""


class _Bounded(Compat32):
    """Keeps the first characters of each header alone."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Returns name and value, as the parser asks for them."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[: LONGEST_OF_A_PART if name.lower().startswith("content-") else LONGEST]


BOUNDED = _Bounded()
"""How mails are parsed: headers as they are, until one is asked for."""

_MARK = re.compile(r'\\.|["()<>\[\]]', re.DOTALL)
_PARTNERS = {'"': '"', "(": ")", "<": ">", "[": "]"}
_ID = re.compile(r"<[^<>\s]{1,250}>")
_REGISTRY = HeaderRegistry()
_AS_OLDER_PROGRAMS: Any = {"strict": False} if hasattr(email.utils, "supports_strict_parsing") else {}
"""Later releases return nothing where they doubt, which is not what older programs see."""


def header_values(message: Message, name: str) -> list[str]:
    """Returns each value of the header, unfolded; bytes beyond ASCII are read as UTF-8, else as Latin."""
    found = [str(value) for key, value in message.raw_items() if key.lower() == name.lower()]
    return [_unfold_value(value[:LONGEST]) for value in found]


def _unfold_value(value: str) -> str:
    if not value.isascii():
        octets = value.encode("utf-8", "surrogateescape")
        try:
            value = octets.decode("utf-8")
        except UnicodeDecodeError:
            value = octets.decode("latin-1")
    return re.sub(r"[\r\n]+", "", value).strip()


def addresses_in(value: str) -> tuple[str, ...]:
    """Returns the addresses in the value of a header, with their domains in lower case; none that cannot be parsed.

    >>> addresses_in('Alice <Alice@Example.ORG>, bob@example.com')
    ('Alice@example.org', 'bob@example.com')
    """
    found = strict_addresses(value) if len(value) <= LONGEST_EXACT else loose_addresses(value)
    return tuple(dict.fromkeys(found))[:MOST_ADDRESSES]


def display_names_in_headers(message: Message, *fields: str) -> tuple[str, ...]:
    """Returns the names beside the addresses in these headers, decoded."""
    found = [value for field in fields for value in header_values(message, field) if len(value) <= LONGEST_EXACT]
    try:
        parsed = [str(one.display_name) for value in found for one in getattr(_REGISTRY("to", value), "addresses", ())]
    except MALFORMED:
        return ()
    return tuple(dict.fromkeys(name for name in parsed if name))[:MOST_ADDRESSES]


def strict_addresses(value: str) -> list[str]:
    """Returns the addresses as RFC 5322 has them; as `loose_addresses` does if the value is malformed."""
    try:
        parsed = [str(one.addr_spec) for one in getattr(_REGISTRY("to", value), "addresses", ())]
    except MALFORMED:
        return loose_addresses(value)
    return [address_with_folded_domain(one) for one in parsed if "@" in one]


def loose_addresses(value: str) -> list[str]:
    """Returns the addresses as older programs see them."""
    return [
        address_with_folded_domain(address)
        for _, address in getaddresses([value], **_AS_OLDER_PROGRAMS)
        if "@" in address
    ]


def has_balanced_brackets(value: str) -> bool:
    """Returns whether each quotation mark, parenthesis and bracket of a list of addresses has its partner.

    Where one has none, parsers see different addresses, and the parser of one Python sees others than that of the next.

    >>> has_balanced_brackets('"Alice :-)" <alice@example.org> (home)')
    True
    >>> has_balanced_brackets("alice@example.org <bob@example.org")
    False
    """
    awaited: list[str] = []
    for mark in _MARK.findall(value):
        within = awaited[-1] if awaited else ""
        if mark == within:
            awaited.pop()
        elif within == '"' or (within == ")" and mark != "("):
            continue
        elif mark[0] == "\\":
            if _MARK.match(mark[1]):
                return False
        elif mark not in _PARTNERS or within == "]" or (mark, within) == ("<", ">"):
            return False
        else:
            awaited.append(_PARTNERS[mark])
    return not awaited


def address_with_folded_domain(address: str) -> str:
    """Returns the address with its domain in lower case."""
    local, _, domain = address.strip().rpartition("@")
    return f"{local}@{domain.lower()}"


def message_ids(message: Message, name: str) -> list[str]:
    """Returns the message ids in the header, with their angle brackets."""
    return [found for value in header_values(message, name) for found in _ID.findall(value)]


def has_header(message: Message, *names: str) -> bool:
    """Returns whether the mail has one of these headers, empty or not."""
    wanted = {name.lower() for name in names}
    return any(key.lower() in wanted for key, _ in message.raw_items())


def bare_header_value(message: Message, name: str) -> str:
    """Returns the value of the header in lower case, without comments and parameters; "" without it."""
    given = next(iter(header_values(message, name)), "")
    return re.split(r"[;(\s]", given.strip(), maxsplit=1)[0].lower()


def readable_subject(message: Message) -> str:
    """Returns the subject with its encoded words decoded (RFC 2047)."""
    given = next(iter(header_values(message, "Subject")), "")[:LONGEST_EXACT]
    try:
        decoded = str(_REGISTRY("subject", given))
    except MALFORMED:
        decoded = given
    return " ".join(normalize_blanks_and_invisibles(decoded).split())
