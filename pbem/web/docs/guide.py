"""Help and privacy: short texts for players in their language, to which every page links."""

import re
from functools import cache

from flask import Blueprint, Response
from markupsafe import Markup

from pbem.discovery import TEMPLATES
from pbem.kit.texts import Lang
from pbem.web import features
from pbem.web.docs.rules import markdown_html
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site

FEATURES = re.compile(r"<!-- features: (\w+) -->\n")
"""The line of a text in whose place stands what features say there, by the name of the place."""

bp = Blueprint("guide", __name__)


@bp.get("/help")
def show_help() -> Response:
    """Shows how a turn goes, what the mails do, and when the clock moves."""
    lang = page_language()
    return page("docs/guide.html", title=_("Help"), text=_text("help", lang, site().config.features))


@bp.get("/privacy")
def show_privacy() -> Response:
    """Shows what is kept about players."""
    return page("docs/guide.html", title=_("Privacy"), text=_text("privacy", page_language()))


@cache
def _text(name: str, lang: Lang, on: tuple[str, ...] = ()) -> Markup:
    text = (TEMPLATES / "web" / "docs" / f"{name}.{lang}.md").read_text(encoding="utf-8")
    return markdown_html(FEATURES.sub(lambda place: features.sections(place[1], lang, on), text))
