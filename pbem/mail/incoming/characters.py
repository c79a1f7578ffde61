"""Characters that look like nothing or like a blank, made one; and what of bytes can be read."""

import codecs
import re

_NOTHING = re.compile(
    "[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\ufffc]"
)
_BLANKS = re.compile("[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\ud800-\udfff]")
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "unicode_escape", "raw-unicode-escape", "undefined"})
"""Codecs of Python that no mail is written in."""
_AS_WINDOWS = frozenset({"iso8859-1", "ascii"})
"""Programs of Windows call its own character set so."""


def normal(text: str) -> str:
    """Returns the text with plain blanks, "\\n" at the ends of lines, and nothing that cannot be seen.

    >>> normal("F3\\u200b\\u00a0!\\r\\n")
    'F3 !\\n'
    """
    return _CONTROLS.sub("", _NOTHING.sub("", _BLANKS.sub(" ", _ENDS.sub("\n", text))))


def decoded(octets: bytes, charset: str | None, most: int = 1_000_000) -> str:
    """Returns the bytes, or the first so many, as text: in the charset they claim, or UTF-8, or as Windows has it.

    >>> decoded("é".encode(), "x-unknown"), decoded(b"\\xe9\\x80", "iso-8859-1")
    ('é', 'é€')
    """
    whole, octets = len(octets) <= most, octets[:most]
    for name in (_known(charset), "utf-8"):
        if name is None or (name in _AS_WINDOWS and not octets.isascii()):
            continue
        try:
            return codecs.getincrementaldecoder(name)().decode(octets, final=whole)
        except (UnicodeError, LookupError, ValueError):
            continue
    return octets.decode("cp1252", "replace")


def _known(charset: str | None) -> str | None:
    try:
        found = codecs.lookup(charset or "ascii")
    except (LookupError, ValueError):
        return None
    return None if found.name in _NO_CHARSETS else found.name
