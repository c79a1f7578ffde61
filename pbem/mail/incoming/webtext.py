"""The text of HTML, as one reads it: a line for each line, "> " before what is quoted, nothing of what is hidden."""

import re
from html.parser import HTMLParser

LONGEST = 150_000
"""In characters; the parser takes quadratic time at some pages."""
DEEPEST = 300
"""Elements within elements. What comes after deeper ones is left out."""

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_SKIPPED = frozenset({"head", "style", "script", "title", "template", "svg", "object", "select", "textarea"})
_LINES = frozenset({
    "div", "tr", "li", "ul", "ol", "dl", "dt", "dd", "section", "article", "header", "footer",
    "table", "tbody", "center", "form", "address", "pre", "body", "html", "main", "figure", "td", "th",
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
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def text_of(html: str) -> str:
    """Returns the text of a page.

    >>> text_of("<p>F3</p><div class=gmail_quote>On Monday<blockquote>old<br>lines</blockquote></div>").split("\\n")
    ['F3', '', '> On Monday', '> old', '> lines']
    """
    reader = _Reader()
    reader.feed(_NO_TAG.sub("&lt;", html[:LONGEST]))
    return reader.text()


class _Reader(HTMLParser):
    """Collects lines; knows in which open elements it is, however badly they are closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, str]] = []
        self._lines: list[tuple[bool, str]] = []
        self._line = ""
        self._too_deep = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._too_deep = self._too_deep or len(self._open) > DEEPEST
        if self._too_deep:
            return
        about = {name: value or "" for name, value in attrs}
        if tag == "br":
            self._end_line(even_empty=True)
        elif tag == "hr":
            self._end_line()
            self._line = "-----"
            self._end_line()
        elif tag in _LINES or tag in _PARAGRAPHS or tag == "blockquote":
            self._end_line()
        if tag not in _VOID:
            marks = self._marks(tag, about)
            if marks and tag not in _SKIPPED:
                self._end_line()
            self._open.append((tag, marks))

    def _marks(self, tag: str, about: dict[str, str]) -> str:
        called = f"{about.get('class', '')} {about.get('id', '')}"
        if tag in _SKIPPED or _HIDDEN.search(about.get("style", "")):
            return "skipped"
        if tag == "blockquote" or _QUOTES.search(called):
            return "quote"
        if _SIGNATURES.search(called):
            return "signature"
        return "tight" if tag in _PARAGRAPHS and "msonormal" in called.lower() else ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._too_deep:
            return
        if tag == "br":  # "</br>" is shown as a break
            self._end_line(even_empty=True)
        place = next((at for at in range(len(self._open) - 1, -1, -1) if self._open[at][0] == tag), None)
        if place is None:
            return
        marks = self._open[place][1]
        if tag in _LINES or tag in _PARAGRAPHS or marks:
            self._end_line()
        if tag in _PARAGRAPHS and marks != "tight":
            self._lines.append((self._in("quote"), ""))
        del self._open[place:]

    def handle_data(self, data: str) -> None:
        if self._too_deep or self._in("skipped"):
            return
        if self._in_tag("pre"):
            *whole, data = data.replace("\r\n", "\n").split("\n")
            for line in whole:
                self._line += line
                self._end_line(even_empty=True)
        self._line += re.sub(r"[ \t\r\n\f]+", " ", data)

    def _in(self, mark: str) -> bool:
        return any(marks == mark for _, marks in self._open)

    def _in_tag(self, tag: str) -> bool:
        return any(name == tag for name, _ in self._open)

    def _end_line(self, *, even_empty: bool = False) -> None:
        line, self._line = self._line.strip(" "), ""
        if line or (even_empty and not self._in("skipped")):
            if self._in("signature") and not self._in("quote") and line:
                self._lines.append((False, "-- "))
            self._lines.append((self._in("quote"), line))

    def text(self) -> str:
        """Returns the lines so far, with at most one empty line between them."""
        self._end_line()
        lines = [f"> {line}".rstrip() if quoted else line for quoted, line in self._lines]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
