"""The middle of a drawn Hagakure board: the trick, or the Nobori while they are chosen."""

from pbem.games.hagakure import words
from pbem.games.hagakure.board_cards import CURRENT, banner, face, ground, sealed, slot, spot, touchable
from pbem.games.hagakure.board_view import View
from pbem.games.hagakure.facts import is_warrior, name_of
from pbem.games.hagakure.rules import winner_of
from pbem.kit.drawing.svg import box, seat_mark, symbol, text, wash
from pbem.kit.words import WON

HEIGHT = 162

# Scale, distance and first place of the cards, by the number of seats.
_TRICK = {3: (0.72, 112, 32), 4: (0.72, 86, 15), 5: (0.6, 69, 14)}


def middle(view: View, y: float) -> str:
    """Draws the trick, or the Nobori while they are chosen; above it which one it is, and what it demands."""
    fold, lang = view.fold, view.lang
    top = y + 33 + (100.8 - 140 * _TRICK[fold.seats][0]) / 2
    drawn = box("pa", 0, y, 360, HEIGHT, 8) + box("ln", 0.5, y + 0.5, 359, HEIGHT - 1, 8)
    if fold.phase == "nobori":
        title = words.CHOOSING[lang]
        drawn += _nobori_slots(view, top)
        if view.scene.chosen == ("look",):
            drawn += text("in e", 348, y + 21, words.TO_LOOK_AT[lang])
    elif fold.trick or not fold.previous:
        title = words.this_trick(fold, lang).capitalize()
        drawn += _trick(view, fold.trick, fold.leader, top) + _demand(view, y)
    else:
        title = words.trick_name(sum(fold.tricks), fold.seats, lang).capitalize()
        title += f"{words.TAKEN_BY[lang]} {{{fold.leader}:11}}"
        drawn += _trick(view, fold.previous, fold.previous_leader, top)
    return drawn + text("in b", 12, y + 21, title, 15)


# --- the trick ---------------------------------------------------------------------------------------------


def _demand(view: View, y: float) -> str:
    """Draws what the led card demands of the others."""
    if not view.fold.trick:
        return ""
    if is_warrior(view.fold.trick[0]):
        return text("in e", 326, y + 21, words.MUST_FOLLOW[view.lang]) + symbol("samurai", 330, y + 5, 20, 20, "c1")
    return text("in e", 326, y + 21, words.FREE[view.lang]) + symbol("villager", 330, y + 5, 20, 20, "c4")


def _trick(view: View, cards: tuple[int, ...], leader: int, y: float) -> str:
    """Draws the cards of a trick in the order of play, whose they are, and the places still empty."""
    seats = view.fold.seats
    scale, pitch, first = _TRICK[seats]
    best = winner_of(cards, 0) if cards else None
    drawn = ""
    for at in range(seats):
        seat, x = (leader + at) % seats, first + pitch * at
        if at < len(cards):
            drawn += _trick_card(view, seat, cards[at], x, y, scale)
            wins = WON if len(cards) == seats else words.AHEAD
            drawn += _under(seat, x + 50 * scale, y + 140 * scale, wins[view.lang] if at == best else "")
        else:
            drawn += slot("ln", x, y, scale, f"{{{seat}:7}}")
        drawn += seat_mark(seat, x - 9, y - 9)
    return drawn


def _under(seat: int, centre: float, foot: float, best: str) -> str:
    """Whose card it is, or that it is the best of the trick."""
    if not best:
        return text("i2 m", centre, foot + 20, f"{{{seat}:8}}")
    return box("in", centre - 31, foot + 6, 62, 19, 9) + text("pa b m", centre, foot + 20, best)


def _trick_card(view: View, seat: int, card: int, x: float, y: float, scale: float) -> str:
    """Draws a card of the trick: framed and sealed if it was chosen, in gold and with its number if it is new."""
    drawn = face(card, x, y, scale, view.lang)
    if seat == view.viewer and view.chosen(f"play-{name_of(card)}"):
        return sealed(drawn, x, y, scale)
    newest, story = view.laid.get(seat, (None, 0))
    if newest != card:
        return drawn
    return wash(x, y, 100 * scale, 140 * scale) + drawn + spot(view, story, x - 9, y + 140 * scale - 15, 22)


# --- the Nobori --------------------------------------------------------------------------------------------


def _nobori_slots(view: View, y: float) -> str:
    """Draws all seats, in the order in which they choose their Nobori."""
    fold = view.fold
    scale, pitch, first = _TRICK[fold.seats]
    drawn = ""
    for at in range(fold.seats):
        seat, x = (fold.leader + at) % fold.seats, first + pitch * at
        nobori = fold.raised[seat]
        if nobori is None:
            drawn += _empty_slot(view, seat, x, y, scale)
        else:
            place = slot("ln", x, y, scale) + banner(nobori, x + 26 * scale, y + 24 * scale, 48 * scale, CURRENT)
            chosen = seat == view.viewer and view.scene.chosen
            drawn += sealed(ground(x, y, scale) + place, x, y, scale) if chosen else place
        drawn += text("i2 m", x + 50 * scale, y + 140 * scale + 20, f"{{{seat}:8}}") + seat_mark(seat, x - 9, y - 9)
    return drawn


def _empty_slot(view: View, seat: int, x: float, y: float, scale: float) -> str:
    """Draws the place of a seat without a Nobori in this round; touching their own, the viewer plays none."""
    mine = seat == view.viewer
    link, chosen = (view.link("none"), view.chosen("none")) if mine else (None, False)
    place = slot("ln", x, y, scale, words.NONE[view.lang] if link or chosen else _slot_words(view, seat))
    if chosen:
        return sealed(ground(x, y, scale) + place, x, y, scale)
    return touchable(ground(x, y, scale) + place, link, x, y, scale) if link else place


def _slot_words(view: View, seat: int) -> str:
    """Returns the words in the place of a seat without a Nobori in this round."""
    fold = view.fold
    if seat == fold.active:
        return "?"
    decided = (seat - fold.leader) % fold.seats < (fold.active - fold.leader) % fold.seats
    return words.NONE[view.lang] if decided else words.TO_COME[view.lang]
