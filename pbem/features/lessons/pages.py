"""The pages of a lesson: each step is an address, and touching leads to the next. Nothing is stored.

The board is drawn as on the page of a match, in every shape. Nothing has to be confirmed here.
"""

from dataclasses import dataclass
from functools import cache

from flask import Blueprint, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from pbem.errors import N_, NotFound
from pbem.features.lessons import boards, playing
from pbem.features.lessons.faults import has_lesson_that_can_be_shown
from pbem.features.lessons.playing import Stage, play_lesson
from pbem.kit.bots import EASY, RANDOM, bots_of
from pbem.kit.contract import AnyGame, Lesson, Shape
from pbem.kit.options import options_of, word_of
from pbem.kit.texts import Lang
from pbem.render import i18n, phrases, pictures
from pbem.services.views.match_views import View
from pbem.services.views.seats import Seated
from pbem.web.features import Parts, menu_entry, rendered
from pbem.web.protocol import sign_in
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import game_at, page

bp = Blueprint("lessons", __name__)

PARTS = (bp,)


@dataclass(frozen=True)
class Shown:
    """A step as its page shows it, in one language.

    `touch` is what the thing to touch does, None if there is only something to see. `unseen`: the boards on which it is
    not drawn, so that the page lists it beside them.
    """

    asks: str
    say: Markup
    touch: Markup | None
    board: Markup
    pad: Markup
    unseen: tuple[Shape, ...]


def game_page(game: AnyGame) -> Parts:
    """Returns the link to the game's lesson, if it has one that can be shown."""
    return Parts(links=_link_to_lesson(game))


def offer_page(game: AnyGame) -> Parts:
    """Returns the same link, which opens a new tab: the offer stays open, as nothing leads from a lesson back to it."""
    return Parts(links=_link_to_lesson(game, apart=True))


def seat_page(seated: Seated, _view: View, _token: str) -> Parts:
    """Returns the link as an entry of the menu."""
    game = seated.sheet.game
    if not has_lesson_that_can_be_shown(game):
        return Parts()
    return Parts(beside_rules=menu_entry(url_for("lessons.begin", slug=game.meta.slug), _("Learn")))


def _link_to_lesson(game: AnyGame, *, apart: bool = False) -> Markup:
    """Returns the link to the game's lesson, in a tab `apart`; "" if there is none to be shown."""
    return (
        rendered("features/lessons/link.html", game=game, apart=apart)
        if has_lesson_that_can_be_shown(game)
        else Markup()
    )


@bp.get("/games/<slug>/learn")
def begin(slug: str) -> Response:
    """Shows the first step. Raises NotFound."""
    return show(slug, 1)


@bp.get("/games/<slug>/learn/<int:step>")
def show(slug: str, step: int) -> Response:
    """Shows a step of the lesson; after the last one, what comes next. Raises NotFound."""
    game = game_at(slug)
    sign_in.current_visitor()  # whose language it speaks
    if game.lesson is None or not has_lesson_that_can_be_shown(game):
        raise NotFound(N_("This game has no lesson."))
    count = len(game.lesson.steps)
    if not 1 <= step <= count + 1:
        raise NotFound(N_("This lesson has no such step."))
    if step > count:
        return _show_end_of_lesson(game, game.lesson)
    shown = _step_as_shown_on_page(game, page_language(), step, url_for("lessons.show", slug=slug, step=step + 1))
    response = page(
        "features/lessons/step.html", game=game, shown=shown, board=shown.board, step=step, count=count,
        shaped=len(game.meta.shapes) > 1,
    )  # fmt: skip
    response.add_etag(weak=True)
    return response.make_conditional(request)


def _show_end_of_lesson(game: AnyGame, lesson: Lesson) -> Response:
    """Shows the ways to play on: a match as it was in the lesson, with the weakest bot that thinks."""
    bot = EASY.name if EASY.name in bots_of(game) else RANDOM
    return page(
        "features/lessons/end.html", offered=game, boards_of=(game,), fields=_fields_of_match_form(game, lesson, bot),
        level=i18n.bot_level(game, bot, page_language()).lower(), others=lesson.seats - 1,
    )  # fmt: skip


def _fields_of_match_form(game: AnyGame, lesson: Lesson, bot: str) -> dict[str, str]:
    """Returns the fields of the form that starts a match like that of the lesson, by their names."""
    played = playing.options_of_lesson(game, lesson)
    chosen = {f"option.{one.name}": word_of(getattr(played, one.name)) for one in options_of(game.meta)}
    return {"others": "bots", "players": str(lesson.seats), "rest": bot, "spectators": "1", **chosen}


@cache
def _step_as_shown_on_page(game: AnyGame, lang: Lang, step: int, onward: str) -> Shown:
    """Returns a step as its page shows it; touching leads `onward`. It is the same for everybody."""
    stage, names, meta = play_lesson(game)[step - 1], boards.names_at_lesson(game, lang), game.meta
    by_shape = boards.draw_boards_of_step(game, stage, lang, onward)
    drawn = {shape: pictures.svg_with_names(board, names) for shape, board in by_shape.items()}
    pad, touch = drawn.pop("pad", Markup()), stage.step_to_touch(game, lang)
    return Shown(
        asks=_headline_of_step(game, stage, lang),
        say=phrases.phrase_html(stage.step.say[lang], names, meta),
        touch=phrases.phrase_html(touch.label, names, meta) if touch is not None else None,
        board=Markup().join(drawn.values()),
        pad=pad,
        unseen=boards.shapes_where_link_is_not_drawn(stage, by_shape, onward),
    )


def _headline_of_step(game: AnyGame, stage: Stage, lang: Lang) -> str:
    """Returns the headline of a step: what the reader is asked, if anything."""
    if stage.ask is not None:
        return game.meta.asks[stage.ask.kind].title[lang]
    return _("Look at the board") if game.outcome(stage.fold) is None else _("The match is over")
