"""The text of HTML, as one reads it: a line for each line, "> " before what is quoted, nothing of what is hidden."""

import re
from collections.abc import Sequence

import cssselect2
from lxml import etree

from pbem.mail.incoming.characters import UNSURE
from pbem.mail.incoming.styles import Look, Styles, TooManyRules, first_look, look

LONGEST = 150_000
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
    r"gmail_quote|gmail_attr|moz-cite-prefix|moz-email-headers|moz-forward-container|yahoo_quoted"
    r"|protonmail_quote|protonmail_signature"
    r"|tutanota_quote|zmail_extra|outlookmessageheader|divrplyfwdmsg|appendonsend|reply-intro"
    r"|ydp\w*yahoo_quoted|mail_quote"
    r"|cite-prefix|mailbox_quote|sfr-quote|wmquote|replyforwardmessage",
    re.IGNORECASE,
)
"""Classes and ids in which programs put what they quote, or the line above it."""
_SIGNATURES = re.compile(r"gmail_signature|moz-signature|ms-outlook-mobile-signature|signature-block", re.IGNORECASE)
_NO_TAG = re.compile(r"<(?=[<\s])")
_BREAK_ENDS = re.compile(r"</br\b", re.IGNORECASE)
"""Browsers show a break there; the parser does not."""


def text_of(html: str) -> str:
    """Returns the text of a page. What may look otherwise than it reads is marked by U+FFFD, so that nobody reads it.

    >>> text_of("<p>F3</p><div class=gmail_quote>On Monday<blockquote>old<br>lines</blockquote></div>").split("\\n")
    ['F3', '', '> On Monday', '> old', '> lines']
    """
    page = _BREAK_ENDS.sub("<br", _NO_TAG.sub("&lt;", html[:LONGEST].replace("\0", "")))
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
        self._read(root, Look(), [first_look(conditions) for conditions in self._styles.looks])

    def _read(self, wrapper: cssselect2.ElementWrapper, above: Look, others: Sequence[Look]) -> None:
        """Reads an element and all within it, as deep as the parser lets them be. `others`: its looks by conditions."""
        element, tag = wrapper.etree_element, wrapper.etree_element.tag
        self._left -= not self._quotes
        if tag in _SKIPPED or self._left < 0:
            return
        declared, elsewhere = self._styles.declarations(wrapper) if not self._quotes else ({}, [])
        shown = look(above, declared, tag) if not self._quotes else above
        if shown.gone:
            return
        if not self._quotes:
            others = [look(so_far, said, tag) for so_far, said in zip(others, elsewhere, strict=True)]
        doubtful = any(one.hidden for one in others)
        self._break(tag)
        called = " ".join(filter(None, (element.get("class"), element.get("id"))))
        quote = tag == "blockquote" or _QUOTES.search(called) is not None
        signature = not quote and _SIGNATURES.search(called) is not None
        block = quote or signature or _is_block(tag, declared.get("display"))
        if block:
            self._end_line()
        self._quotes, self._signatures = self._quotes + quote, self._signatures + signature
        self._say(element.text, shown, doubtful=doubtful)
        for child in wrapper.iter_children():
            self._read(child, shown, others)
            self._say(child.etree_element.tail, shown, doubtful=doubtful)
        if block:
            self._end_line()
        if tag in _PARAGRAPHS and "msonormal" not in called.lower():
            self._lines.append((self._quotes > 0, ""))
        self._quotes, self._signatures = self._quotes - quote, self._signatures - signature

    def _break(self, tag: str) -> None:
        if tag == "br":
            self._end_line(even_empty=True)
        elif tag == "hr":
            self._end_line()
            self._line = "-----"
            self._end_line()
        elif tag in ("td", "th"):
            self._line += " "

    def _say(self, text: str | None, shown: Look, *, doubtful: bool) -> None:
        if not text or (shown.hidden and not self._quotes):
            return
        if (shown.unsure or doubtful) and text.strip() and not self._quotes:
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
