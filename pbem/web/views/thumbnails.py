"""Boards cut to their telling part, for lists: the same drawing as everywhere, with a smaller window on it."""

import re
from collections.abc import Sequence
from itertools import count

from flask import g
from markupsafe import Markup

from pbem.kit.contract import AnyGame, Scene, Shape
from pbem.render import pictures
from pbem.services.views.match_views import View
from pbem.web.protocol.language import page_language

_TELLING = re.compile(r'\bdata-telling="(([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+))"')
"""The part of a landscape drawing that a list shows (see `pbem.kit.drawing.board.finished`)."""
_WORDS = re.compile(r'(?:<rect\b[^>]*/>(?=<text class="pa\b))?<text\b[^>]*\bfont-size="(?:20|22)"[^>]*>[^<]*</text>')
"""A landscape drawing's words and headings (see `pbem.kit.drawing.grid.SIZES`): nobody can read them so small.

The ink under light words goes with them.
"""
_ROOT = re.compile(r"<svg\b[^>]*>")
_VIEW_BOX = re.compile(r'viewBox="[^"]*"')
_SHAPES = re.compile(r"\b(?:portrait|landscape|low)\b ?")
_ID = re.compile(r'\bid="([^"]+)"')


def of_view(view: View) -> Markup | None:
    """Returns the board as this viewer sees it, cut; None before the match has begun."""
    if view.fold is None:
        return None
    sheet, shape = view.sheet, shape_of(view.game)
    scene = Scene(shape=shape, resigned=sheet.has_resigned(view.viewer), over=sheet.ended, bots=sheet.bots)
    return cut(view.game.draw(view.fold, view.viewer, page_language(), scene), shape, sheet.names)


def shape_of(game: AnyGame) -> Shape:
    """Returns the shape of which a part is shown: wide if the game draws it."""
    return "landscape" if "landscape" in game.meta.shapes else "portrait"


def cut(svg: str, shape: Shape, names: Sequence[str]) -> Markup:
    """Returns the drawing with a window on its table. No id is on the page twice, and nothing in it can be touched."""
    root = _ROOT.search(svg)
    assert root is not None, "a board is a drawing"
    # What stands there for scripts and for the sizes of screens has no place in a list.
    head = re.sub(r' data-[\w-]+(?:="[^"]*")?', "", root[0])
    head = re.sub(r'class="([^"]*)"', lambda said: f'class="{_SHAPES.sub("", said[1]).strip()}"', head)
    fit, rest = "slice", svg[root.end() :]
    if shape == "landscape":
        # All of that part is shown, to its edges: a smaller window would cut through its pieces.
        fit = "meet"
        if part := _TELLING.search(root[0]):  # A drawing in the drawing: what lies around it is not seen.
            x, y, width, height = part.groups()[1:]
            inner = f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{part[1]}">'
            head, rest = _VIEW_BOX.sub(f'viewBox="{part[1]}"', head), f"{inner}{rest}</svg>"
        rest = _WORDS.sub("", rest)
    head = head.replace("<svg", f'<svg preserveAspectRatio="xMidYMid {fit}"', 1)
    return pictures.page_svg(_with_own_ids(f"{head}{rest}"), names)


def _with_own_ids(svg: str) -> str:
    """Returns the drawing with ids that no other cut on this page has."""
    if "cuts" not in g:
        g.cuts = count(1)
    number = next(g.cuts)
    for name in {*_ID.findall(svg)}:
        own = f"{name}-c{number}"
        for said, instead in ((f'id="{name}"', f'id="{own}"'), (f"url(#{name})", f"url(#{own})")):
            svg = svg.replace(said, instead)
        svg = svg.replace(f'href="#{name}"', f'href="#{own}"')
    return svg
