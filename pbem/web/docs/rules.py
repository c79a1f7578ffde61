"""The rules of a game, in the reader's language."""

from flask import Blueprint, Response

from pbem.errors import N_, NotFound
from pbem.games import find_game
from pbem.web.docs.rules import rules_of
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
    return page("docs/rules.html", game=game, rules=rules_of(slug, page_language()), card=rules_card(game))
