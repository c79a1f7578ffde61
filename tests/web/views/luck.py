"""What tests of luck share."""

from __future__ import annotations

from html import unescape

from tests.web.cast import Page, Web


def said(web: Web, path: str, lang: str = "en") -> str:
    """Returns the words of the page."""
    text = web.client(lang).get(f"{path}{'&' if '?' in path else '?'}lang={lang}").text
    return unescape(Page(text).said).replace("\u00a0", " ")
