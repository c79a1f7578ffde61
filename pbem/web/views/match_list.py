"""A player's own matches on their home page: those that wait for them first, as cards with their boards."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from flask import g, url_for
from markupsafe import Markup

from pbem.kit.contract import AnyGame, Scene, Shape
from pbem.render import pictures
from pbem.services.players.players import Account
from pbem.services.views import match_list, match_views
from pbem.services.views.match_list import MyMatch
from pbem.services.views.match_views import OpenAsk, View
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import site
from pbem.web.views.match_page import ending, headline

_ENDED = ("over", "cancelled")
SHOWN_OVER = 3
"""This many finished matches stand open in the list; with more of them the others are folded away."""
BOARDS = 3
"""This many matches are shown with their board: each has some 12 KB, and a page stays below 150 KB."""
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


@dataclass(frozen=True)
class Line:
    """One match in the list. `ask` is the question that it waits for, with its seat and deadline.

    `part` is how much of the time is left, in hundredths; None without a deadline.
    """

    game: AnyGame
    others: list[str]
    says: str
    ask: OpenAsk | None
    href: str
    button: str
    part: int | None = None
    board: Markup | None = None


@dataclass(frozen=True)
class Group:
    """Matches of the same urgency. `folded` ones are shown on demand; `large` ones as cards."""

    title: str
    lines: list[Line]
    folded: list[Line] = field(default_factory=list)
    large: bool = False


@dataclass(frozen=True)
class Mine:
    """A player's matches: how many wait for them, in groups of which none is empty, and whose boards are shown."""

    waiting: int
    groups: list[Group]
    games: list[AnyGame]


def matches_of(player: Account) -> Mine:
    """Returns the player's matches and open invitations."""
    matches = match_list.read_my_matches(site(), player)
    seats = [one for one in matches if one.purpose == "play"]
    over = [one for one in seats if one.sheet.status in _ENDED]
    left = [one for one in seats if one.sheet.has_resigned(one.seat)]
    mine = [one for one in seats if one.sheet.status not in _ENDED and not one.sheet.has_resigned(one.seat)]
    own = ((one, [ask for ask in one.sheet.asks if ask.seat == one.seat]) for one in mine if _waits(one))
    turn = [one for one, _asks in sorted(own, key=lambda each: min(map(_urgency, each[1])))]
    invited = [_invitation(one) for one in matches if one.purpose == "invitation"]
    others = sorted((one for one in mine if not _waits(one)), key=lambda one: one.sheet.status != "running")
    boards = _boards([*turn, *others, *over, *left])
    ended = [_line(one, boards) for one in over]
    groups = [
        Group(_("Your turn"), [_line(one, boards) for one in turn], large=True),
        Group(_("Invitations"), invited, large=True),
        Group(_("Others are thinking"), [_line(one, boards) for one in [*others, *left]]),
        Group(_("Finished"), ended[:SHOWN_OVER], ended[SHOWN_OVER:]),
    ]
    games = [one.sheet.game for one in matches if _place(one) in boards]
    return Mine(len(turn) + len(invited), [group for group in groups if group.lines], games)


def _urgency(ask: OpenAsk) -> tuple[bool, float]:
    """Returns what sorts questions by their deadlines; those without one come last."""
    return ask.deadline is None, ask.deadline.timestamp() if ask.deadline is not None else 0


def _waits(mine: MyMatch) -> bool:
    return mine.is_asked and mine.sheet.status == "running"


def _place(mine: MyMatch) -> tuple[str, int]:
    return mine.sheet.id, mine.seat


def _boards(matches: Sequence[MyMatch]) -> dict[tuple[str, int], Markup | None]:
    """Returns the boards of the first BOARDS of these matches that have begun, by match and seat."""
    begun = [one for one in matches if one.sheet.version][:BOARDS]
    views = match_list.read_views(site(), begun)
    return {_place(one): thumbnail(view) for one, view in zip(begun, views, strict=True)}


def _line(mine: MyMatch, boards: Mapping[tuple[str, int], Markup | None]) -> Line:
    sheet, now = mine.sheet, site().now()
    own = [ask for ask in sheet.asks if ask.seat == mine.seat]
    others = () if sheet.untimed else sheet.asks  # bots answer at once
    asks = () if sheet.has_resigned(mine.seat) else own or others
    first = min(asks, key=_urgency, default=None)
    return Line(
        game=sheet.game,
        others=_others(sheet, mine.seat),
        says=ending(sheet) or headline(sheet, mine.seat),
        ask=first,
        href=url_for("play.show", token=mine.token),
        button=_("Play"),
        part=_part(sheet, first, now),
        board=boards.get(_place(mine)),
    )


def _part(sheet: match_views.Sheet, ask: OpenAsk | None, now: datetime) -> int | None:
    if ask is None or ask.deadline is None:
        return None
    whole = sheet.bank_s or (sheet.window_s if sheet.game.meta.asks[ask.kind].window else sheet.turn_s)
    return max(0, min(100, round(100 * (ask.deadline - now).total_seconds() / whole)))


def _invitation(invited: MyMatch) -> Line:
    return Line(
        game=invited.sheet.game,
        others=_others(invited.sheet, invited.seat),
        says=_("%(name)s invites you to play", name=invited.sheet.names[0]),
        ask=None,
        href=url_for("lobby.ask_accept", token=invited.token),
        button=_("See the match, accept or decline"),
    )


def _others(sheet: match_views.Sheet, seat: int) -> list[str]:
    return [_("a free seat") if place.status == "open" else place.name for place in sheet.seats if place.seat != seat]


def thumbnail(view: View) -> Markup | None:
    """Returns the board as this viewer sees it, cut; None before the match has begun."""
    if view.fold is None:
        return None
    sheet, shape = view.sheet, shape_of(view.game)
    scene = Scene(shape=shape, resigned=sheet.has_resigned(view.viewer), over=sheet.has_ended, bots=sheet.bots)
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
