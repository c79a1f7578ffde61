"""Draws a step of a lesson: the board as its reader has it in a match, where only the thing to touch is a link."""

import re

from pbem.features.lessons.playing import READER, Stage, touchable
from pbem.kit.contract import AnyGame, Event, Link, Phrase, Scene, Shape
from pbem.kit.texts import Lang
from pbem.kit.words import T
from pbem.render import phrases

YOU = T("Vous", "You")
"""What the reader is called."""
_TOGETHER: tuple[tuple[Shape, ...], ...] = (("portrait",), ("landscape", "pad"), ("low", "pad"))
"""The drawings that a screen shows at once."""
_NOWHERE = "#nowhere"
_LINK = re.compile(rf'<a\b[^<>]*href="{_NOWHERE}\d+"[^<>]*>(.*?)</a>', re.DOTALL)
_FRAME = re.compile(r'\A<rect class="ib"[^<>]*/>')
"""The frame of what can be touched: see `pbem.kit.drawing.panels.framed`."""


def names(game: AnyGame, lang: Lang) -> tuple[str, ...]:
    """Returns the names at the table of a game's lesson, in seat order: the reader's, and those of bots."""
    assert game.lesson is not None, "it has one"
    return (YOU[lang], *game.meta.bot_names[: game.lesson.seats - 1])


def draw(game: AnyGame, stage: Stage, lang: Lang, shape: Shape, href: str) -> str:
    """Returns the board of a step in this shape, where touching what is to be touched leads to `href`.

    On the pad what could be chosen instead looks open as in a match, without its frame. "" for a pad where nothing
    besides the pieces can be touched.
    """
    touch, links = stage.touch(game, lang), dict[str, Link]()
    if touch is not None:
        links = _instead(game, stage, lang)
        links[touch.text] = Link(href, phrases.text(touch.label, names(game, lang)), in_tab_order=True)
    recent = tuple((number, event) for number, (_line, event) in enumerate(news(game, stage, lang), 1))
    bots = frozenset(range(len(names(game, lang)))) - {READER}
    scene = Scene(links=links, chosen=stage.chosen, recent=recent, shape=shape, bots=bots)
    return _LINK.sub(_without_link, game.draw(stage.fold, READER, lang, scene))


def _instead(game: AnyGame, stage: Stage, lang: Lang) -> dict[str, Link]:
    """Returns links for the steps on the pad that exclude the one to touch."""
    if "pad" not in game.meta.shapes:
        return {}
    can = touchable(game, stage.fold, stage.ask, stage.touched)
    excluded = [text for text, moves in can.items() if not any(move in stage.moves for move in moves)]
    links = {text: Link(f"{_NOWHERE}{at}", text) for at, text in enumerate(excluded)}
    pad = game.draw(stage.fold, READER, lang, Scene(links=links, chosen=stage.chosen, shape="pad"))
    return {text: link for text, link in links.items() if f'href="{link.href}"' in pad}


def _without_link(found: re.Match[str]) -> str:
    """Returns what is inside a link, without the frame of what can be touched."""
    return _FRAME.sub("", found[1])


def news(game: AnyGame, stage: Stage, lang: Lang) -> list[tuple[Phrase, Event]]:
    """Returns what has happened since the reader's last move, as the story tells it."""
    told = ((game.tell(one.event, one.before, lang), one.event) for one in stage.recent)
    return [(line, event) for line, event in told if line]


def list_screens_without(game: AnyGame, stage: Stage, lang: Lang) -> tuple[Shape, ...]:
    """Returns the boards on which, and on whose pad, what is to be touched is not drawn: there the page lists it.

    A choice such as to pass is on the board of a phone alone, since other pages have it beside the board. () where
    there is only something to see.
    """
    if not stage.step.touch:
        return ()
    drawn = {shape: 'href="#"' in draw(game, stage, lang, shape, "#") for shape in game.meta.shapes}
    screens = (shapes for shapes in _TOGETHER if shapes[0] in drawn)
    return tuple(shapes[0] for shapes in screens if not any(drawn[shape] for shape in shapes))
