"""The text of a mail's body: of its text parts, or of the HTML where there is no text."""

import re
from collections.abc import Iterator
from email.message import Message

from pbem.mail.incoming import headers, webtext
from pbem.mail.incoming.characters import decoded, normal

DEEPEST = 20
MOST_PARTS = 200
LONGEST = 100_000
"""In characters; what is typed stands above what is quoted, so the rest can be left out."""

_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted"})
"""RFC 8551 (S/MIME whose text is inside) and RFC 3156 (PGP)."""
_ARMOUR = re.compile(r"\s*-----BEGIN PGP MESSAGE-----")


class TooManyParts(ValueError):
    """The mail has parts within parts, deeper or more than any mail of a person."""


def text_of(message: Message) -> tuple[str, str | None]:
    """Returns the text, and "encrypted" if it cannot be read for that reason. Raises TooManyParts."""
    texts, pages, sealed = [], [], False
    for part in _inline(message):
        kind = part.get_content_type()
        if kind == "text/plain":
            texts.append(_plain(part))
        elif kind == "text/html":
            pages.append(part)
        sealed = sealed or kind in _SEALED
    text = "\n".join(one for one in texts if one.strip())
    if not text:
        text = "\n".join(webtext.text_of(_content(one)) for one in pages)
    text = normal(text)[:LONGEST]
    if not text.strip() and sealed:
        return "", "encrypted"
    return ("", "encrypted") if _ARMOUR.match(text) else (text, None)


def _inline(message: Message) -> Iterator[Message]:
    """Yields the parts that a reader is shown, without attachments, and without mails within the mail."""
    waiting, seen = [(message, 0)], 0
    while waiting:
        part, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST or seen > MOST_PARTS:
            raise TooManyParts(f"{seen} parts, {depth} deep")
        kind = part.get_content_type()
        held = part.get_payload() if part.is_multipart() else None
        if kind in _SEALED or not isinstance(held, list):
            if kind in _SEALED or part.get_content_disposition() != "attachment":
                yield part
        elif part.get_content_maintype() == "multipart" and kind != "multipart/report":
            # Beside a signed part there is only its signature (RFC 1847).
            children = held[:1] if kind == "multipart/signed" else held
            waiting += [(child, depth + 1) for child in reversed(children) if isinstance(child, Message)]
        elif kind == "multipart/report":
            waiting += [(child, depth + 1) for child in held[:1] if isinstance(child, Message)]


def _plain(part: Message) -> str:
    text = normal(_content(part))[: 4 * LONGEST]
    if _parameter(part, "format") == "flowed":
        return _unflowed(text, _parameter(part, "delsp") == "yes")
    return text


def _content(part: Message) -> str:
    """Returns what the part holds as text."""
    charset = _parameter(part, "charset")
    return decoded(octets_of(part), charset or None)


def octets_of(part: Message) -> bytes:
    """Returns what the part holds; as it is where its transfer encoding is unknown. Its charset is lost thereby.

    The standard library would decode with any codec of Python that the mail names as its charset.
    """
    if _parameter(part, "charset"):
        part.del_param("charset")
    found = None if part.is_multipart() else part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _parameter(part: Message, name: str) -> str:
    try:
        given = part.get_param(name)
    except headers.MALFORMED:
        return ""
    return (given[2] if isinstance(given, tuple) else str(given or "")).strip().lower()


def _unflowed(text: str, delete_space: bool) -> str:
    """Returns text of format=flowed with its paragraphs on one line each (RFC 3676).

    >>> _unflowed("say a long \\nsentence\\n> quoted \\n> too\\n-- \\nAlice", False)
    'say a long sentence\\n> quoted too\\n-- \\nAlice'
    """
    lines: list[str] = []
    open_depth = None
    for line in text.split("\n"):
        bare = line.lstrip(">")
        depth, bare = len(line) - len(bare), bare.removeprefix(" ")
        if open_depth == depth and bare != "-- ":
            lines[-1] += bare
        else:
            lines.append(">" * depth + " " * bool(depth) + bare)
        flows = bare.endswith(" ") and bare != "-- "
        open_depth = depth if flows else None
        if flows and delete_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)
