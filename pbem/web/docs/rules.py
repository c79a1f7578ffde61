"""The rules of a game, in the reader's language."""

from functools import cache

from flask import Blueprint, Response
from markdown_it import MarkdownIt
from markupsafe import Markup

from pbem.errors import N_, NotFound
from pbem.games import find_game, folder_of
from pbem.kit.contract import Lang
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import page
from pbem.web.views.share import rules_card

bp = Blueprint("rules", __name__)


@bp.get("/rules/<slug>")
def show(slug: str) -> Response:
    """Shows the game's rules."""
    game = find_game(slug)
    if game is None:
        raise NotFound(N_("There is no game “%(game)s” here."), {"game": slug[:40]})
    return page("docs/rules.html", game=game, text=rules_html(slug, "RULES", page_language()), card=rules_card(game))


@cache
def rules_html(slug: str, name: str, lang: Lang) -> Markup:
    """Returns the game's text of this name in this language, as HTML."""
    source = folder_of(slug) / f"{name}.{lang}.md"
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    return Markup(markdown.render(source.read_text(encoding="utf-8")))  # noqa: S704  # html is off
