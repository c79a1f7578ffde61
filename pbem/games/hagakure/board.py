"""The drawn board of Hagakure, 360 units wide: one viewer's fold in one language.

On top the round and whose turn it is; then the others, clockwise from the viewer's left, the trick, the viewer's
own hand with their Nobori, and the score sheet. For a spectator all seats are above the trick.
"""

from pbem.games.hagakure import board_cards, words
from pbem.games.hagakure.board_cards import CURRENT, LEFT, banner, banners, owned, pill
from pbem.games.hagakure.board_middle import HEIGHT, middle
from pbem.games.hagakure.board_sheet import news, score_sheet, tally
from pbem.games.hagakure.board_view import View
from pbem.games.hagakure.facts import FOOL, NOBORI, Nobori, State, known, name_of
from pbem.kit.contract import Lang, Scene, Viewer
from pbem.kit.drawing.board import label
from pbem.kit.drawing.svg import box, dashes, drawing, linked, seal, seat_mark, sky, text
from pbem.kit.notation import seat_letter
from pbem.kit.words import YOUR_HAND, seen_from

# Scale, distance and first place of the cards in the viewer's own hand, by its full size.
_OWN = {4: (0.78, 90, 6), 5: (0.64, 73, 2)}


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    view = View(fold, viewer, lang, scene)
    drawn = text("in b", 0, 14, words.round_name(fold, lang), 15) + text("in b e", 360, 14, news(view), 15)
    panels, y = _panels(view, 28)
    drawn += panels + middle(view, y)
    own, y = _own(view, viewer, y + HEIGHT + 10)
    sheet, y = score_sheet(view, y)
    drawn += own + sheet
    hidden = any(None in pile for pile in (*fold.hands, fold.yomi))
    called = label(view, words.SEEN_BY, words.SEEN_BY_PUBLIC if hidden else words.SEEN_BY_ALL)
    return drawing(sky("sk", -12, -10, 384, y + 20) + drawn, (-12, -10, 384, y + 20), called)


# --- the others --------------------------------------------------------------------------------------------


def _panels(view: View, y: float) -> tuple[str, float]:
    """Draws the seats above the trick, in rows of two or three; returns their lower edge, too."""
    others = [seat for seat in seen_from(view.viewer, view.fold.seats) if seat != view.viewer]
    columns = 3 if len(others) in (3, 5) else 2
    pitch, row = (123, 131) if columns == 3 else (184, 94)
    drawn = (
        _panel(view, seat, pitch * (at % columns), y + row * (at // columns), columns == 3)
        for at, seat in enumerate(others)
    )
    return "".join(drawn), y + row * (-(-len(others) // columns)) + 4


def _panel(view: View, seat: int, x: float, y: float, narrow: bool) -> str:
    """Another player's name, cards, what they have taken, and their Nobori: below all this, or beside the cards."""
    width = 114 if narrow else 176
    drawn = pill(x - 4, y - 2, width + 4) if view.to_act(seat) else ""
    drawn += seat_mark(seat, x, y) + text("in b", x + 27, y + 17, f"{{{seat}:{9 if narrow else 16}}}", 15)
    drawn += _hand(view, seat, x, y + 30, width if narrow else 80) + tally(view, seat, x, y + 88)
    if narrow:
        return drawn + banners(view, seat, x, y + 129, 16, 21, 4)
    return drawn + banners(view, seat, x + 84, y + 69, 16, 21, 2.4)


def _hand(view: View, seat: int, x: float, y: float, width: float) -> str:
    """Another player's cards, and the sign that they have shown to hold no samurai."""
    cards = view.fold.hands[seat]
    drawn, wide = board_cards.hand(cards, x, y, width), board_cards.hand_width(cards, width)
    if view.fold.bare[seat] and None in cards:
        drawn += board_cards.bare(x + wide + 1, y + 8)
    return _looked_at(view, f"look-{seat_letter(seat)}", drawn, x - 4, y - 4, wide + 4)


def _looked_at(view: View, step: str, drawn: str, x: float, y: float, width: float) -> str:
    """Cards that the viewer may look at: a link, or framed and sealed once chosen."""
    if view.chosen(step):
        return box("se", x, y, width, 49, 6) + drawn + seal(x + width - 20, y - 6, 22)
    return linked(drawn, view.link(step), box("ib", x, y, width, 49, 6))


def _yomi(view: View, x: float, y: float, label_x: float, label_y: float) -> str:
    """Draws the Yomi, face down, or the cards that the viewer knows to be in it."""
    cards = view.fold.yomi
    drawn, wide = board_cards.hand(cards, x, y, 100), board_cards.hand_width(cards, 100)
    drawn = _looked_at(view, "look-yomi", drawn, x - 4, y - 4, wide + 6)
    return text("i2", label_x, label_y, "Yomi") + drawn


# --- the viewer's own --------------------------------------------------------------------------------------


def _own(view: View, seat: Viewer, y: float) -> tuple[str, float]:
    """Draws the viewer's hand, face up, their Nobori and the Yomi, or the Yomi alone; returns the lower edge, too."""
    if seat is None:
        return _yomi(view, 42, y + 2, 0, y + 26), y + 50
    fold = view.fold
    drawn = pill(-4, y - 2, 128) if view.to_act(seat) else ""
    drawn += seat_mark(seat, 0, y) + text("in b", 29, y + 17, YOUR_HAND[view.lang], 15)
    drawn += tally(view, seat, 250, y + 17)
    scale, pitch, first = _OWN[4 if fold.seats == 4 else 5]
    y += 34
    for at, card in enumerate(_places(view, seat)):
        drawn += _hand_card(view, card, first + pitch * at, y, scale)
    if fold.phase in ("nobori", "play"):
        y += 140 * scale + 22
    if fold.phase == "nobori":
        drawn += "".join(_choice(view, seat, nobori, 4 + 51 * at, y) for at, nobori in enumerate(NOBORI))
        return drawn + _yomi(view, 266, y + 26, 264, y + 12), y + 84
    drawn += banners(view, seat, 2, y + 40, 20, 24)
    if raised := fold.raised[seat]:
        drawn += text("in b", 130, y + 28, words.NOBORI_NAMES[raised][view.lang])
    return drawn + _yomi(view, 266, y, 226, y + 24), y + 52


def _places(view: View, seat: int) -> list[int | str | None]:
    """Returns the cards of the hand in order; the chosen one, which has left it, is given by its name."""
    seen = known(view.fold.hands[seat])
    places: list[int | str | None] = [*seen, *([None] * view.fold.hands[seat].count(None))]
    if played := view.choice("play"):
        places.insert(sum(card < int(played[1:] or FOOL) for card in seen), played)
    return places


def _hand_card(view: View, card: int | str | None, x: float, y: float, scale: float) -> str:
    """Draws a card of the viewer's own hand, or the place of the one that was chosen."""
    if card is None:
        return board_cards.back(x, y, 100 * scale)
    if isinstance(card, str):
        return board_cards.slot("sl", x, y, scale, card, *(line[view.lang] for line in words.IS_PLAYED))
    drawn, link = board_cards.face(card, x, y, scale, view.lang), view.link(f"play-{name_of(card)}")
    if link is None and view.offered("play"):
        return drawn + text("i2 m", x + 50 * scale, y + 140 * scale + 15, words.NOT_ALLOWED[view.lang])
    return board_cards.touchable(drawn, link, x, y, scale)


def _choice(view: View, seat: int, nobori: Nobori, x: float, y: float) -> str:
    """Draws one of the viewer's Nobori while they are chosen; the place of one that has left is dashed."""
    at, cloth = (x - 4, y - 4, 46, 80, 6), box("pa", x - 2, y - 2, 42, 71, 4)
    left, drawn = nobori in view.fold.nobori[seat], owned(seat, nobori, x, y + 2, 38, LEFT)
    if view.chosen(nobori) and left:
        return box("se", *at) + cloth + owned(seat, nobori, x, y + 2, 38, CURRENT) + seal(x + 18, y + 44, 24)
    if view.chosen(nobori):
        return box("sl", x - 3, y - 3, 44, 76, 6, dashes(2, "6 4")) + drawn
    if not left:
        return banner("used", x, y + 2, 38, LEFT)
    return linked(drawn, view.link(nobori), box("ib", *at) + cloth)
