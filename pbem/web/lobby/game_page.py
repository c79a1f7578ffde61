"""The page of a game, for somebody who does not know it yet: what it is, how long it takes, and the ways to play it."""

from dataclasses import dataclass

from flask import Blueprint, Response

from pbem.kit.bots import usual_bot
from pbem.kit.contract import AnyGame, Intro
from pbem.kit.texts import Lang
from pbem.render.i18n import level_of, manner_of
from pbem.render.pictures import page_svg
from pbem.web.protocol import sign_in
from pbem.web.protocol.forms import bots_to_offer
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import game_at, page
from pbem.web.views.share import game_card

bp = Blueprint("games", __name__)


@dataclass(frozen=True)
class Level:
    """A bot as it is offered: its name, how strong it is in a word, how it plays, and if it is chosen beforehand."""

    bot: str
    title: str
    manner: str
    usual: bool


@bp.get("/games/<slug>")
def show_game(slug: str) -> Response:
    """Shows the page of the game. Raises NotFound."""
    game = game_at(slug)
    sign_in.current_visitor()  # whose language it speaks
    lang, intro = page_language(), game.intro or Intro()
    turn = [(page_svg(picture.draw(lang), ()), picture.text[lang]) for picture in intro.turn]
    return page(
        "lobby/game.html", boards_of=(game,), offered=game, intro=intro, turn=turn, levels=levels(game, lang),
        card=game_card(game),
    )  # fmt: skip


def levels(game: AnyGame, lang: Lang) -> list[Level]:
    """Returns the bots of the game, roughly from the weakest to the strongest."""
    usual = usual_bot(game)
    return [Level(bot, level_of(bot, lang), manner_of(bot, lang), bot == usual) for bot, _ in bots_to_offer(game, lang)]
