"""Draws a step of a lesson: the board as its reader has it in a match, where only the thing to touch is a link."""

from collections.abc import Mapping

from pbem.features.lessons.playing import READER, Stage
from pbem.kit.contract import AnyGame, Event, Link, Phrase, Scene, Shape
from pbem.kit.texts import Lang
from pbem.render import phrases
from pbem.render.i18n import message_catalogue

_TOGETHER: tuple[tuple[Shape, ...], ...] = (("portrait",), ("landscape", "pad"), ("low", "pad"))
"""The drawings that a screen shows at once."""


def names_at_lesson(game: AnyGame, lang: Lang) -> tuple[str, ...]:
    """Returns the names at the table of a game's lesson, in seat order."""
    assert game.lesson is not None, "it has one"
    return names_of_guest_and_bots(game, game.lesson.seats, lang)


def names_of_guest_and_bots(game: AnyGame, seats: int, lang: Lang) -> tuple[str, ...]:
    """Returns the names at a table of this many seats: the reader's, which is that of a guest, and those of bots.

    A word such as "you" is no name: boards and stories put what stands here into sentences.
    """
    return (message_catalogue(lang).gettext("Guest"), *game.meta.bot_names[: seats - 1])


def draw_boards_of_step(game: AnyGame, stage: Stage, lang: Lang, href: str) -> dict[Shape, str]:
    """Returns the boards of a step by their shapes, where touching what is to be touched leads to `href`.

    On the pad what could be chosen instead looks open as in a match, without its frame. "" for a pad where nothing
    besides the pieces can be touched.
    """
    links = _dead_links_for_excluded_choices(game, stage, lang)
    if (touch := stage.step_to_touch(game, lang)) is not None:
        links[touch.text] = Link(href, phrases.phrase_text(touch.label, names_at_lesson(game, lang)), in_tab_order=True)
    return {shape: _draw_board(game, stage, lang, shape, links) for shape in game.meta.shapes}


def _draw_board(game: AnyGame, stage: Stage, lang: Lang, shape: Shape, links: Mapping[str, Link]) -> str:
    recent = tuple(
        (number, event) for number, (_line, event) in enumerate(events_since_last_move(game, stage, lang), 1)
    )
    bots = frozenset(range(len(names_at_lesson(game, lang)))) - {READER}
    scene = Scene(links=links, chosen=stage.chosen, recent=recent, shape=shape, bots=bots)
    return game.draw(stage.fold, READER, lang, scene)


def _dead_links_for_excluded_choices(game: AnyGame, stage: Stage, lang: Lang) -> dict[str, Link]:
    """Returns links that lead nowhere for the steps on the pad that exclude the one to touch."""
    if not stage.step.touch or "pad" not in game.meta.shapes:
        return {}
    excluded = [
        text for text, moves in stage.can.items() if not any(move in stage.moves_still_possible for move in moves)
    ]
    marked = {text: Link(f"#{at}", text) for at, text in enumerate(excluded)}
    pad = _draw_board(game, stage, lang, "pad", marked)
    return {text: Link("", text) for text, link in marked.items() if f'href="{link.href}"' in pad}


def events_since_last_move(game: AnyGame, stage: Stage, lang: Lang) -> list[tuple[Phrase, Event]]:
    """Returns what has happened since the reader's last move, as the story tells it."""
    told = ((game.tell(one.event, one.before, lang), one.event) for one in stage.recent)
    return [(line, event) for line, event in told if line]


def shapes_where_link_is_not_drawn(stage: Stage, drawn: Mapping[Shape, str], href: str) -> tuple[Shape, ...]:
    """Returns the boards on which, and on whose pad, what leads to `href` is not drawn: there the page lists it.

    `drawn` as by `draw_boards_of_step`. A choice such as to pass is on the board of a phone alone, since other pages
    have it beside the board. () where there is only something to see.
    """
    if not stage.step.touch:
        return ()
    screens = (shapes for shapes in _TOGETHER if shapes[0] in drawn)
    return tuple(
        shapes[0] for shapes in screens if not any(f'href="{href}"' in drawn.get(shape, "") for shape in shapes)
    )
