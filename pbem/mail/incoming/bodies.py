"""The text of a mail's body: of its text parts and of its HTML, where they do not say the same."""

import quopri
import re
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message

from pbem.mail.incoming import headers, webtext
from pbem.mail.incoming.characters import decoded, normal
from pbem.mail.incoming.cutting import cut

DEEPEST = 20
MOST_PARTS = 200
MOST_SIGNED = 20
LONGEST = 100_000
"""In characters; what is typed stands above what is quoted, so the rest can be left out."""

_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted"})
"""RFC 8551 (S/MIME whose text is inside) and RFC 3156 (PGP)."""
_ARMOUR = re.compile(r"\s*-----BEGIN PGP MESSAGE-----")
_SIGNED = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Za-z]+: .*\n)*\n(?P<text>(?s:.*?))"
    r"^-----BEGIN PGP SIGNATURE-----\n(?s:.*?)(?:^-----END PGP SIGNATURE-----[ ]*$|\Z)",
    re.MULTILINE,
)
"""RFC 9580, 7: text with its signature around it."""
_DECLARED = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_PADDED = re.compile(rb"(?<![ \t])[ \t]+(?=\r?\n|\Z)")
VERSIONS = "\f"
"""Stands between the versions of a text, of which a reader sees one; within a text it cannot stand."""


class TooManyParts(ValueError):
    """The mail has parts within parts, deeper or more than any mail of a person."""


def text_of(message: Message, marked: Callable[[str], str] = str) -> tuple[str, str | None]:
    """Returns the text, and "encrypted" if it cannot be read for that reason. Raises TooManyParts.

    Where its plain text and its HTML do not say the same, it is both, with VERSIONS between them. `marked` is applied
    to each.
    """
    found = _Versions()
    plain, page = (marked(normal(_unsigned((one or "")[:LONGEST]))) for one in found.of(message, 0))
    if not plain.strip() and not page.strip():
        return "", "encrypted" if found.sealed else None
    if _ARMOUR.match(plain or page):
        return "", "encrypted"
    if not plain.strip() or _typed(plain) == _typed(page):
        return plain if plain.strip() else page, None
    return f"{plain}{VERSIONS}{page}", None


def _typed(text: str) -> str:
    return "".join(cut(text).split())


def _unsigned(text: str) -> str:
    """Returns the text without the signature around it or around a piece of it, and the dashes before its dashes."""
    if not 0 < text.count("-----BEGIN PGP SIGNED") <= MOST_SIGNED:
        return text
    return _SIGNED.sub(
        lambda found: re.sub(r"^- ", "", found["text"], flags=re.MULTILINE), re.sub(r"\r+\n", "\n", text)
    )


@dataclass
class _Versions:
    """Puts the parts of a mail together as a reader is shown them, without attachments and mails within the mail."""

    seen: int = 0
    sealed: bool = False

    def of(self, part: Message, depth: int) -> tuple[str | None, str | None]:
        """Returns the text as programs show it that prefer plain text, and as others do; None if it is no text."""
        self.seen += 1
        if depth > DEEPEST or self.seen > MOST_PARTS:
            raise TooManyParts(f"{self.seen} parts, {depth} deep")
        kind = part.get_content_type()
        held = part.get_payload() if part.is_multipart() else None
        if kind in _SEALED:
            self.sealed = True
        elif not isinstance(held, list):
            return self._leaf(part, kind)
        elif part.get_content_maintype() == "multipart":
            # Beside a signed part there is only its signature (RFC 1847), and beside a report what it is about.
            first = kind in ("multipart/signed", "multipart/report")
            both = [self.of(one, depth + 1) for one in (held[:1] if first else held) if isinstance(one, Message)]
            shown = [(plain, page) for plain, page in both if plain is not None and page is not None]
            plains, pages = [plain for plain, _ in shown if plain.strip()], [page for _, page in shown]
            if kind == "multipart/alternative":  # the last one is the richest (RFC 2046)
                plains, pages = plains[:1], pages[-1:]
            return ("\n".join(plains), "\n".join(pages)) if shown else (None, None)
        return None, None

    @staticmethod
    def _leaf(part: Message, kind: str) -> tuple[str | None, str | None]:
        if part.get_content_disposition() == "attachment" or kind not in ("text/plain", "text/html"):
            return None, None
        text = _plain(part) if kind == "text/plain" else webtext.text_of(_content(part))
        return text, text


def _plain(part: Message) -> str:
    text = normal(_content(part))[: 4 * LONGEST]
    if _parameter(part, "format") == "flowed":
        return _unflowed(text, _parameter(part, "delsp") == "yes")
    return text


def _content(part: Message) -> str:
    """Returns what the part holds as text."""
    charset = _parameter(part, "charset")
    octets = octets_of(part)
    if not charset and part.get_content_type() == "text/html" and (said := _DECLARED.search(octets[:2_000])):
        charset = said[1].decode()
    return decoded(octets, charset or None)


def octets_of(part: Message) -> bytes:
    """Returns what the part holds; as it is where its transfer encoding is unknown. Its charset is lost thereby.

    The standard library would decode with any codec of Python that the mail names as its charset.
    """
    if _parameter(part, "charset"):
        part.del_param("charset")
    raw = part.get_payload()
    if isinstance(raw, str) and headers.first_word(part, "Content-Transfer-Encoding") == "quoted-printable":
        # Blanks at the end of a line were added on the way (RFC 2045, 6.7); the standard library keeps them.
        return quopri.decodestring(_PADDED.sub(b"", raw.encode("utf-8", "surrogateescape")))
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
