"""The text of a mail's body: of its text parts and of its HTML, where they do not say the same."""

import quopri
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.message import Message

import cssselect2
from lxml import etree

from pbem.features.inbox.incoming import headers
from pbem.features.inbox.incoming.characters import UNSURE, decode_text, normalize_blanks_and_invisibles
from pbem.features.inbox.incoming.cutting import cut_quote
from pbem.features.inbox.incoming.styles import Look, Styles, TooManyRules, look_of_element, look_of_plain_text

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


def text_of_message(message: Message, marked: Callable[[str], str] = str) -> tuple[str, str | None]:
    """Returns the text, and "encrypted" if it cannot be read for that reason. Raises TooManyParts.

    Where its plain text and its HTML do not say the same, it is both, with VERSIONS between them. `marked` is applied
    to each.
    """
    found = _Versions()
    plain, page = (
        marked(normalize_blanks_and_invisibles(_strip_pgp_signature((one or "")[:LONGEST])))
        for one in found.versions_of(message, 0)
    )
    if not plain.strip() and not page.strip():
        return "", "encrypted" if found.sealed else None
    if _ARMOUR.match(plain or page):
        return "", "encrypted"
    if not plain.strip() or _text_above_quote_without_blanks(plain) == _text_above_quote_without_blanks(page):
        return plain if plain.strip() else page, None
    return f"{plain}{VERSIONS}{page}", None


def _text_above_quote_without_blanks(text: str) -> str:
    return "".join(cut_quote(text).split())


def _strip_pgp_signature(text: str) -> str:
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

    def versions_of(self, part: Message, depth: int) -> tuple[str | None, str | None]:
        """Returns the text as programs show it that prefer plain text, and as others do; None if it is no text."""
        self.seen += 1
        if depth > DEEPEST or self.seen > MOST_PARTS:
            raise TooManyParts(f"{self.seen} parts, {depth} deep")
        kind = part.get_content_type()
        held = part.get_payload() if part.is_multipart() else None
        if kind in _SEALED:
            self.sealed = True
        elif not isinstance(held, list):
            return self._versions_of_leaf(part, kind)
        elif part.get_content_maintype() == "multipart":
            # Beside a signed part there is only its signature (RFC 1847), and beside a report what it is about.
            first = kind in ("multipart/signed", "multipart/report")
            both = [
                self.versions_of(one, depth + 1) for one in (held[:1] if first else held) if isinstance(one, Message)
            ]
            shown = [(plain, page) for plain, page in both if plain is not None and page is not None]
            plains, pages = [plain for plain, _ in shown if plain.strip()], [page for _, page in shown]
            if kind == "multipart/alternative":  # the last one is the richest (RFC 2046)
                plains, pages = plains[:1], pages[-1:]
            return ("\n".join(plains), "\n".join(pages)) if shown else (None, None)
        return None, None

    @staticmethod
    def _versions_of_leaf(part: Message, kind: str) -> tuple[str | None, str | None]:
        if part.get_content_disposition() == "attachment" or kind not in ("text/plain", "text/html"):
            return None, None
        text = _plain_text_of(part) if kind == "text/plain" else text_of_html(_text_of_part(part))
        return text, text


def _plain_text_of(part: Message) -> str:
    text = normalize_blanks_and_invisibles(_text_of_part(part))[: 4 * LONGEST]
    if _header_parameter(part, "format") == "flowed":
        return _join_flowed_lines(text, _header_parameter(part, "delsp") == "yes")
    return text


def _text_of_part(part: Message) -> str:
    """Returns what the part holds as text."""
    charset = _header_parameter(part, "charset")
    octets = octets_of_part(part)
    if not charset and part.get_content_type() == "text/html" and (said := _DECLARED.search(octets[:2_000])):
        charset = said[1].decode()
    return decode_text(octets, charset or None)


def octets_of_part(part: Message) -> bytes:
    """Returns what the part holds; as it is where its transfer encoding is unknown. Its charset is lost thereby.

    The standard library would decode with any codec of Python that the mail names as its charset.
    """
    if _header_parameter(part, "charset"):
        part.del_param("charset")
    raw = part.get_payload()
    if isinstance(raw, str) and headers.bare_header_value(part, "Content-Transfer-Encoding") == "quoted-printable":
        # Blanks at the end of a line were added on the way (RFC 2045, 6.7); the standard library keeps them.
        return quopri.decodestring(_PADDED.sub(b"", raw.encode("utf-8", "surrogateescape")))
    found = None if part.is_multipart() else part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _header_parameter(part: Message, name: str) -> str:
    try:
        given = part.get_param(name)
    except headers.MALFORMED:
        return ""
    return (given[2] if isinstance(given, tuple) else str(given or "")).strip().lower()


def _join_flowed_lines(text: str, delete_space: bool) -> str:
    """Returns text of format=flowed with its paragraphs on one line each (RFC 3676).

    >>> _join_flowed_lines("say a long \\nsentence\\n> quoted \\n> too\\n-- \\nAlice", False)
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


# --- the text of HTML ----------------------------------------------------------------------------------------


LONGEST_PAGE = 150_000
"""In characters."""
MOST_ELEMENTS = 3_000
"""Whose look is worked out. What comes after them is left out, as what comes after the parser's limit of depth is."""

_SKIPPED = frozenset({
    "head", "style", "script", "title", "template", "noscript", "svg", "object", "select", "textarea", "iframe",
    "noembed", "noframes", "datalist", "audio", "video", "canvas", "dialog", "rp", "map",
})  # fmt: skip
_LINES = frozenset({
    "div", "tr", "li", "ul", "ol", "dl", "dt", "dd", "section", "article", "header", "footer", "details", "summary",
    "table", "tbody", "center", "form", "address", "pre", "xmp", "body", "html", "main", "figure",
    "blockquote", "nav", "aside", "fieldset", "legend", "caption", "thead", "tfoot", "figcaption", "plaintext",
})  # fmt: skip
_PARAGRAPHS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_QUOTES = re.compile(
    r"gmail_quote|gmail_attr|moz-cite-prefix|moz-email-headers|moz-forward-container|yahoo_quoted|protonmail_quote"
    r"|protonmail_signature|tutanota_quote|zmail_extra|outlookmessageheader|divrplyfwdmsg|appendonsend|reply-intro"
    r"|ydp\w*yahoo_quoted|mail_quote"
    r"|cite-prefix|mailbox_quote|sfr-quote|wmquote|replyforwardmessage",
    re.IGNORECASE,
)
"""Classes and ids in which programs put what they quote, or the line above it."""
_SIGNATURES = re.compile(r"gmail_signature|moz-signature|ms-outlook-mobile-signature|signature-block", re.IGNORECASE)
_NO_TAG = re.compile(r"<(?=[<\s])")
_BREAK_ENDS = re.compile(r"</br\b", re.IGNORECASE)
"""Browsers show a break there; the parser does not."""


def text_of_html(html: str) -> str:
    """Returns the text of a page. What may look otherwise than it reads is marked by U+FFFD, so that nobody reads it.

    >>> text_of_html("<p>F3</p><div class=gmail_quote>Monday<blockquote>old<br>lines</blockquote></div>").split("\\n")
    ['F3', '', '> Monday', '> old', '> lines']
    """
    page = _BREAK_ENDS.sub("<br", _NO_TAG.sub("&lt;", html[:LONGEST_PAGE].replace("\0", "")))
    parser = etree.HTMLParser(recover=True, remove_comments=True, remove_pis=True, no_network=True, encoding="utf-8")
    root = etree.fromstring(page.encode("utf-8", "replace"), parser) if page.strip() else None
    if root is None:
        return ""
    try:
        reader = _Reader(Styles(["".join(sheet.itertext()) for sheet in root.iter("style")]))
    except TooManyRules:
        return UNSURE
    reader.read_page(cssselect2.ElementWrapper.from_html_root(root))
    return reader.text()


class _Reader:
    """Collects the lines of a page."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._left = MOST_ELEMENTS
        self._lines: list[tuple[bool, str]] = []
        self._line = ""
        self._quotes = self._signatures = 0

    def read_page(self, root: cssselect2.ElementWrapper) -> None:
        """Reads the whole page."""
        self._read_element(root, Look(), [look_of_plain_text(conditions) for conditions in self._styles.looks])

    def _read_element(self, wrapper: cssselect2.ElementWrapper, above: Look, others: Sequence[Look]) -> None:
        """Reads an element and all within it, as deep as the parser lets them be. `others`: its looks by conditions."""
        element, tag = wrapper.etree_element, wrapper.etree_element.tag
        self._left -= not self._quotes
        if tag in _SKIPPED or self._left < 0:
            return
        declared, elsewhere = self._styles.declarations(wrapper) if not self._quotes else ({}, [])
        shown = look_of_element(above, declared, tag) if not self._quotes else above
        if shown.gone:
            return
        if not self._quotes:
            others = [look_of_element(so_far, said, tag) for so_far, said in zip(others, elsewhere, strict=True)]
        doubtful = any(one.is_hidden for one in others)
        self._break_line(tag)
        called = " ".join(filter(None, (element.get("class"), element.get("id"))))
        quote = tag == "blockquote" or _QUOTES.search(called) is not None
        signature = not quote and _SIGNATURES.search(called) is not None
        block = quote or signature or _is_block(tag, declared.get("display"))
        if block:
            self._end_line()
        self._quotes, self._signatures = self._quotes + quote, self._signatures + signature
        self._add_text(element.text, shown, doubtful=doubtful)
        for child in wrapper.iter_children():
            self._read_element(child, shown, others)
            self._add_text(child.etree_element.tail, shown, doubtful=doubtful)
        if block:
            self._end_line()
        if tag in _PARAGRAPHS and "msonormal" not in called.lower():
            self._lines.append((self._quotes > 0, ""))
        self._quotes, self._signatures = self._quotes - quote, self._signatures - signature

    def _break_line(self, tag: str) -> None:
        if tag == "br":
            self._end_line(even_empty=True)
        elif tag == "hr":
            self._end_line()
            self._line = "-----"
            self._end_line()
        elif tag in ("td", "th"):
            self._line += " "

    def _add_text(self, text: str | None, shown: Look, *, doubtful: bool) -> None:
        if not text or (shown.is_hidden and not self._quotes):
            return
        if (shown.may_look_otherwise or doubtful) and text.strip() and not self._quotes:
            self._line += UNSURE
        if shown.kept:
            *whole, text = text.replace("\r\n", "\n").split("\n")
            for line in whole:
                self._line += line
                self._end_line(even_empty=True)
        self._line += re.sub(r"[ \t\r\n\f]+", " ", text)

    def _end_line(self, *, even_empty: bool = False) -> None:
        line, self._line = self._line.strip(" "), ""
        if line or even_empty:
            if self._signatures and not self._quotes and line:
                self._lines.append((False, "-- "))
            self._lines.append((self._quotes > 0, line))

    def text(self) -> str:
        """Returns the lines so far, with at most one empty line between them."""
        self._end_line()
        lines = [f"> {line}".rstrip() if quoted else line for quoted, line in self._lines]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _is_block(tag: str, display: str | None) -> bool:
    """True if the element begins on a line of its own."""
    if display in (None, "inherit", "initial", "revert", "unset"):
        return tag in _LINES or tag in _PARAGRAPHS
    return not display.startswith(("inline", "contents", "ruby"))
