"""The page of a game, for somebody who does not know it yet: what it is, how long it takes, and the ways to play it."""

from flask import Blueprint, Response

from pbem.kit.bots import usual_bot
from pbem.kit.contract import Intro
from pbem.render.pictures import page_svg
from pbem.web.protocol import sign_in
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import game_at, page
from pbem.web.views.share import game_card

bp = Blueprint("games", __name__)


@bp.get("/games/<slug>")
def show_game(slug: str) -> Response:
    """Shows the page of the game. Raises NotFound."""
    game = game_at(slug)
    sign_in.current_visitor()  # whose language it speaks
    lang, intro = page_language(), game.intro or Intro()
    turn = [(page_svg(picture.draw(lang), ()), picture.text[lang]) for picture in intro.turn]
    return page(
        "lobby/game.html", boards_of=(game,), offered=game, intro=intro, turn=turn, usual=usual_bot(game),
        card=game_card(game),
    )  # fmt: skip
