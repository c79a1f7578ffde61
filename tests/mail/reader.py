"""A mail as its reader takes it apart: text, HTML, and what stands in that."""

from __future__ import annotations

from email.message import EmailMessage
from html.parser import HTMLParser

VOID = {"meta", "br", "img"}


def text_of(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def html_of(message: EmailMessage) -> str:
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())


class Reader(HTMLParser):
    """Collects what an HTML page holds and that its tags close in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.tags: set[str] = set()
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self._open.append(tag)
        if tag == "a":
            self.links.append(dict(attrs)["href"] or "")
        if tag == "img":
            self.images.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "title"):
            self.words.append(data)
