"""The drawn board of Hagakure: one viewer's fold in one language, in any shape.

A seated viewer has the others in clockwise order from their left with their points, the trick, and their own hand and
Nobori. The points by round are beside the Yomi on a wide board, below everything else in portrait, and not on a low
one. For a spectator everybody has a panel.
"""

from pbem.games.hagakure import words
from pbem.games.hagakure.board.seats import draw_own_cards, draw_own_seat, draw_seats, draw_yomi
from pbem.games.hagakure.board.sheet import draw_score_sheet, score_sheet_height, turn_or_end_in_words
from pbem.games.hagakure.board.view import (
    CURRENT,
    View,
    card_box_at,
    draw_card_face,
    draw_empty_place_of_seat,
    draw_empty_slot,
    draw_nobori,
    draw_paper_ground,
)
from pbem.games.hagakure.facts_cards import card_in_notation, is_warrior
from pbem.games.hagakure.facts_state import State, players_in_order_from, winner_of_trick
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.board import framed, panel
from pbem.kit.drawing.grid import Box, Heights, fitted, grid, spread
from pbem.kit.drawing.svg import box, seat_mark, symbol, text, wash
from pbem.kit.texts import Lang
from pbem.kit.words import WON, YOU, seen_from

_SEATS = {2: 96, 3: 118, 4: 184, 5: 242}
"""The height of this many panels in portrait: they are in one row or in two, and narrow ones have a line more."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    if scene.shape == "pad":
        return ""  # whatever can be touched is a piece
    view = View(fold, viewer, lang, scene)
    shown = seen_from(viewer, fold.seats)
    if viewer is not None:
        shown = shown[1:]
    high, points = _SEATS[len(shown)], score_sheet_height(view)
    watched = Heights(seats=high, table=258, mine=0, landscape=0, low=0, below=points)
    seated = Heights(seats=high, table=182, mine=210, landscape=198, low=180, below=points)
    places = grid(scene.shape, watched if viewer is None else seated)
    parts = [draw_seats(view, places.seats, shown), draw_table(view, places.table)]
    if viewer is not None and places.mine:
        parts.append(draw_own_cards(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(draw_own_seat(view, places.you, viewer))
    if places.below:
        parts.append(draw_score_sheet(view, places.below))
    hidden = any(None in pile for pile in (*fold.hands, fold.yomi))
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_PUBLIC if hidden else words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called)


# --- the trick -----------------------------------------------------------------------------------------------

YOMI = 70
"""How high the Yomi is where the points are not beside it."""


def draw_table(view: View, at: Box) -> str:
    """Draws the trick, and below it, in a wide box, the points by round and the Yomi; a spectator has it anywhere."""
    sizes = view.sizes
    trick = box_of_trick(view, at)
    if trick == at:
        return _draw_panel_of_trick_or_nobori(view, at)
    gap = sizes.gap * 1.5
    below = Box(at.x, trick.bottom + gap, at.width, at.bottom - trick.bottom - gap)
    if at.width > sizes.text * 35:
        high = below.height
        points = Box(below.x, below.y, below.width * 0.69, high)
        rest = Box(points.right + gap, below.y, below.width - points.width - gap, high)
        drawn = draw_score_sheet(view, points) + panel(rest) + draw_yomi(view, rest.inside(sizes.inset / 2))
    else:
        drawn = panel(below) + draw_yomi(view, below.inside(sizes.inset / 2))
    return _draw_panel_of_trick_or_nobori(view, trick) + drawn


def box_of_trick(view: View, at: Box) -> Box:
    """Returns the part of the table that has the trick: all of it, or what the points and the Yomi leave."""
    wide = at.width > view.sizes.text * 35
    if not wide and view.viewer is not None:
        return at
    below = score_sheet_height(view) if wide else YOMI
    return Box(at.x, at.y, at.width, at.height - below - view.sizes.gap * 1.5)


def _draw_panel_of_trick_or_nobori(view: View, at: Box) -> str:
    """Draws the trick, or the Nobori while they are chosen; above it which one it is, and what it demands."""
    fold, lang, sizes = view.fold, view.lang, view.sizes
    left, right = at.x + sizes.inset, at.right - sizes.inset
    above, line = at.y + sizes.mark * 0.85, at.y + sizes.mark * 1.65
    name = words.round_name(fold, lang)
    drawn = panel(at) + text("in b", left, above, name, sizes.name)
    room = right - left - sizes.name * 0.6 * (len(name) + 1)
    drawn += text("in b e", right, above, turn_or_end_in_words(view, room), sizes.name)
    if view.is_nobori_phase:
        title = words.CHOOSING[lang]
        drawn += _draw_nobori_of_all(view, at)
        if view.scene.chosen == ("look",):
            drawn += text("in e", right, line, words.TO_LOOK_AT[lang], sizes.text)
    elif fold.trick or not fold.previous:
        title = words.trick_name(fold, lang).capitalize()
        drawn += _draw_trick(view, fold.trick, fold.leader, at) + _draw_demand_of_led_card(view, right, line)
    else:
        title = words.trick_name(fold, lang, last=True).capitalize()
        title += f"{words.TAKEN_BY[lang]} "
        letters = max(11, sizes.letters(right - left, sizes.text) - len(title))
        title += f"{{{fold.leader}:{letters}}}"
        drawn += _draw_trick(view, fold.previous, fold.previous_leader, at)
    return drawn + text("in", left, line, title, sizes.text)


def _boxes_of_trick_cards(view: View, at: Box) -> list[Box]:
    """Returns where the cards of all seats lie; below each there is room for whose it is."""
    sizes, count = view.sizes, len(view.fold.players)
    head, under = sizes.mark * 2.15, sizes.mark * 1.35 + sizes.foot
    room, gap = at.width - 2 * sizes.inset, sizes.gap * 2.2
    width = fitted(count, room, gap, min((at.height - head - under) / 1.4, sizes.mark * 4.3))
    y = at.y + head + max(0, (at.height - head - under - width * 1.4) / 2)
    return [card_box_at(at.x + sizes.inset + x, y, width) for x in spread(count, room, width, sizes.gap * 8)]


# --- the trick ---------------------------------------------------------------------------------------------


def _draw_demand_of_led_card(view: View, right: float, line: float) -> str:
    """Draws what the led card demands of the others; "" if nothing more is played."""
    if view.scene.over or not view.fold.trick:
        return ""
    size = view.sizes.text
    said, figure, colour = words.FREE, "villager", "c4"
    if is_warrior(view.fold.trick[0]):
        said, figure, colour = words.MUST_FOLLOW, "samurai", "c1"
    drawn = symbol(figure, right - size * 1.45, line - size * 1.1, size * 1.45, size * 1.45, colour)
    return drawn + text("in e", right - size * 1.7, line, said[view.lang], size)


def _draw_trick(view: View, cards: tuple[int, ...], leader: int, at: Box) -> str:
    """Draws the cards of a trick in the order of play, whose they are, and the places still empty."""
    fold = view.fold
    best = winner_of_trick(cards, 0) if cards else None
    drawn = ""
    for n, (seat, place) in enumerate(
        zip(players_in_order_from(fold, leader), _boxes_of_trick_cards(view, at), strict=True)
    ):
        if n >= len(cards):
            drawn += draw_empty_place_of_seat(view, seat, place, _coming_card_words(view, seat))
            continue
        drawn += _draw_trick_card(view, seat, cards[n], place)
        wins = WON if len(cards) == len(fold.players) else words.AHEAD
        drawn += _draw_owner_below_card(view, seat, place, at, wins[view.lang] if n == best else "")
    return drawn


def _coming_card_words(view: View, seat: int) -> str:
    """Returns what is said in the place of a card that is to come."""
    if not view.is_asked(seat):
        return ""
    return (YOU if seat == view.viewer else words.NEXT)[view.lang].lower()


def _draw_owner_below_card(view: View, seat: int, card: Box, at: Box, best: str) -> str:
    """Draws below a card whose it is, and that it is the best of the trick."""
    sizes = view.sizes
    mark, middle = sizes.mark, card.x + card.width / 2
    y = card.bottom + sizes.foot + sizes.mark * 0.15
    line = y + mark * 0.72
    letters = min(9, int(((at.width - 2 * sizes.inset) / len(view.fold.players) - mark * 1.5) / (sizes.text * 0.6)))
    if best:
        wide = sizes.text * (0.52 * len(best) + 0.9)
        x = max(at.x + sizes.inset / 2, middle - (mark * 1.15 + wide) / 2)
        x = min(x, at.right - sizes.inset / 2 - mark * 1.15 - wide)
        pill = box("in", x + mark * 1.15, y, wide, mark, mark / 2)
        said = pill + text("pa b m", x + mark * 1.15 + wide / 2, line, best, sizes.text)
    elif letters >= 6:
        x = middle - (mark * 1.25 + letters * sizes.text * 0.6) / 2
        said = text("i2", x + mark * 1.25, line, f"{{{seat}:{letters}}}", sizes.text)
    else:
        x, said = middle - mark / 2, ""
    return seat_mark(seat, x, y, mark) + said


def _draw_trick_card(view: View, seat: int, card: int, at: Box) -> str:
    """Draws a card of the trick: framed and sealed if it was chosen, in gold and with its number if it is new."""
    drawn = draw_card_face(view, card, at)
    if seat == view.viewer and view.chosen(f"play-{card_in_notation(card)}"):
        return framed(view.sizes, drawn, at, None, chosen=True)
    newest, story = view.trick_card_and_story_by_seat.get(seat, (None, 0))
    if newest != card:
        return drawn
    size = view.sizes.spot
    drawn = wash(*at.frame) + drawn
    return drawn + view.spot(story, at.x - size * 0.35, at.bottom - size * 0.75, size)


# --- the Nobori --------------------------------------------------------------------------------------------


def _draw_nobori_of_all(view: View, at: Box) -> str:
    """Draws all seats, in the order in which they choose their Nobori."""
    fold = view.fold
    drawn = ""
    for seat, place in zip(players_in_order_from(fold, fold.leader), _boxes_of_trick_cards(view, at), strict=True):
        nobori = fold.raised[seat]
        if nobori is None:
            drawn += _draw_seat_without_nobori(view, seat, place)
            continue
        wide = place.width * 0.62
        flag = draw_nobori(
            nobori, place.x + (place.width - wide) / 2, place.y + (place.height - wide / 0.6) / 2, wide, CURRENT
        )
        chosen = seat == view.viewer and bool(view.scene.chosen)
        drawn += framed(view.sizes, draw_paper_ground(place) + draw_empty_slot("ln", place) + flag, place, None, chosen)
        if story := view.story_number_of_nobori_by_seat.get(seat):
            size = view.sizes.spot
            drawn += view.spot(story, place.x - size * 0.35, place.bottom - size * 0.75, size)
        drawn += _draw_owner_below_card(view, seat, place, at, "")
    return drawn


def _draw_seat_without_nobori(view: View, seat: int, at: Box) -> str:
    """Draws the place of a seat without a Nobori in this round; touching their own, the viewer plays none."""
    mine = seat == view.viewer
    link, chosen = (view.link("none"), view.chosen("none")) if mine else (None, False)
    order = players_in_order_from(view.fold, view.fold.leader)
    decided = view.fold.phase != "nobori" or order.index(seat) < order.index(view.fold.active)
    said = words.NONE[view.lang] if link or chosen or decided else _coming_card_words(view, seat)
    place = draw_empty_place_of_seat(view, seat, at, said)
    return framed(view.sizes, draw_paper_ground(at) + place, at, link, chosen) if link or chosen else place
