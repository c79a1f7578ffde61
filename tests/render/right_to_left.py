"""Finds text that is read from right to left and could reverse what stands around it."""

from __future__ import annotations

import unicodedata
from html.parser import HTMLParser

_RIGHT_TO_LEFT = ("R", "AL", "AN")
_BREAKING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067")
_SPOKEN = ("alt", "title", "aria-label", "placeholder", "content")


def lines_with_strays(text: str) -> list[str]:
    """Returns the lines with a letter outside of an isolate, an isolate left open, or another embedding.

    Also those in which a sign is shown behind its number: nothing orders it between a letter and the number.
    """
    return [line for line in text.split("\n") if _is_astray(line)]


def _is_astray(line: str) -> bool:
    depth, before = 0, ""
    for at, letter in enumerate(line):
        depth += {"\u2068": 1, "\u2069": -1}.get(letter, 0)
        kind = unicodedata.bidirectional(letter)
        if letter in _BREAKING or depth not in (0, 1) or (kind in _RIGHT_TO_LEFT and depth == 0):
            return True
        if depth and letter in "-+\u2212" and line[at + 1 : at + 2].isdigit() and before != "\u200e":
            return True
        before = letter
    return depth != 0


class Shown(HTMLParser):
    """What a page shows or reads aloud, and apart from it what its fields hold."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.spoken: list[str] = []
        self.fields: list[str] = []
        self._in = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        for name, value in attrs:
            if name in _SPOKEN and value:
                self.spoken.append(value)
            if name == "value" and value:
                self.fields.append(value)

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "textarea":
            self.fields.append(data)
        elif self._in not in ("style", "script"):
            self.text += data


def strays_of_page(html: str) -> list[str]:
    """Returns the lines, spoken texts and fields of a page that are astray; a field must hold no isolate at all."""
    shown = Shown(html)
    spoken = [line for one in shown.spoken for line in lines_with_strays(one)]
    return lines_with_strays(shown.text) + spoken + [one for one in shown.fields if "\u2068" in one or "\u200e" in one]
