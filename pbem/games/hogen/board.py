"""The drawn board of Hogen, 360 units wide: one viewer's fold in one language.

A seated viewer has the others on top, in clockwise order from their left, the palace in the middle, their own
cards below, and under them what they may call or name. For a spectator every seat has a panel. Both show only the
cards that the fold knows.
"""

from pbem.games import samurai
from pbem.games.hogen import words
from pbem.games.hogen.board_cards import card, framed, small
from pbem.games.hogen.board_choices import choices
from pbem.games.hogen.board_palace import HEIGHT, palace
from pbem.games.hogen.board_view import View
from pbem.games.hogen.facts import State
from pbem.kit import board
from pbem.kit.contract import Lang, Scene, Text, Viewer
from pbem.kit.svg import box, coloured, dashes, drawing, seat_mark, sky, symbol, text
from pbem.kit.words import WON, YOUR_HAND

# By the number of places in the viewer's own hand: scale, distance, x of the first, of the dotted line, of the ally.
_OWN = {2: (0.66, 92, 12, 208, 226), 3: (0.62, 72, 10, 229, 240), 4: (0.52, 59, 8, 243, 253)}
_PANEL = (174, 124)
_OTHERS = {3: (186, 34, 39, 18, 12), 4: (123, 30, 34, 12, 9)}
"""By the number of seats: the others' distance, a card's width and distance, the margin, the letters of a name."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    view = View(fold, viewer, lang, scene)
    inside, bottom = _table(view) if viewer is None else _seated(view, viewer)
    from_beside = words.SEEN_BY_ALL if _knows_everything(fold) else words.SEEN_BY_PUBLIC
    called = board.label(view, words.SEEN_BY, from_beside)
    return drawing(sky("sk", -12, -10, 384, bottom + 20) + inside, (-12, -10, 384, bottom + 20), called)


def _knows_everything(fold: State) -> bool:
    hidden = any(None in hand for hand in fold.hands)
    return not hidden and all(a is not None or not c for a, c in zip(fold.allies, fold.chosen, strict=True))


# --- one seat ----------------------------------------------------------------------------------------------


def _head(view: View, seat: int, x: float, y: float, end: float, room: int) -> str:
    """Draws a seat's mark and name, and an hourglass if the table waits for it."""
    glass = ""
    if view.is_asked(seat):
        glass = coloured(symbol("wait", end - 18, y + 3, 17, 17), "c6")
        room = min(room, int((end - x - 45) / 8.2))
    return seat_mark(seat, x, y) + text("in b", x + 27, y + 17, f"{{{seat}:{room}}}", 15) + glass


def _known_first(hand: tuple[str | None, ...]) -> list[str | None]:
    return sorted(hand, key=lambda name: name is None)


def _says(view: View, seat: int) -> tuple[str, Text]:
    """Returns the class and the words under a hand: what its seat does or did, else "hand"."""
    fold = view.fold
    if fold.winner == seat:
        return "in b m", WON
    if fold.out[seat]:
        return "in b m", words.OUT
    if not fold.chosen[seat]:
        return "i2 m", words.CHOOSING
    if view.has_passed(seat):
        return "in m", words.PASSES
    if view.is_asked(seat):
        return "in b m", words.IS_ASKED if fold.call is None else words.IS_ANSWERING
    return "i2 m", words.CALLING if fold.call is not None and fold.active == seat else words.HAND


# --- seen from a seat --------------------------------------------------------------------------------------


def _seated(view: View, viewer: int) -> tuple[str, float]:
    seats = view.fold.seats
    others = [_other(view, (viewer + 1 + at) % seats, at) for at in range(seats - 1)]
    top = _under(view) + 9
    own = _own(view, viewer, top + HEIGHT + 12)
    below, bottom = choices(view, top + HEIGHT + 148)
    return "".join([*others, palace(view, top), own, below]), bottom


def _under(view: View) -> float:
    """Returns the height of the words under the others' cards."""
    return 61 + _OTHERS[view.fold.seats][1] * 1.4


def _other(view: View, seat: int, at: int) -> str:
    """Another player's name, hand and ally, in miniature."""
    pitch, width, step, margin, room = _OTHERS[view.fold.seats]
    x, hand = at * pitch, _known_first(view.fold.hands[seat])
    classes, said = _says(view, seat)
    parts = [_head(view, seat, x, 4, x + pitch - margin, room)]
    parts += [small(view, seat, name, x + 2 + step * i, 35, width) for i, name in enumerate(hand)]
    parts.append(text(classes, x + step * len(hand) / 2, _under(view), said[view.lang]))
    if view.fold.chosen[seat]:
        parts.append(_mat(view, seat, x + 6 + step * len(hand), 30, width))
    return "".join(parts)


def _mat(view: View, seat: int, x: float, y: float, width: float) -> str:
    """Another player's ally on its paper mat; touching it declares it, and it shows what it was declared to be."""
    wide, high, middle = width + 10, width * 1.4 + 10, x + (width + 10) / 2
    guess = view.guesses.get(seat)
    drawn = box("pa", x, y, wide, high, 4) + box("ln", x, y, wide, high, 4)
    if guess is not None:
        drawn += samurai.small(guess, x + 5, y + 5, width, piece=False)
        under = text("in b m", middle, _under(view), f"{guess}\u00a0?")
    else:
        drawn += small(view, seat, view.fold.allies[seat], x + 5, y + 5, width)
        under = text("i2 m", middle, _under(view), words.ALLY[view.lang])
        if view.naming == seat:
            drawn += box("il", x - 3, y - 3, wide + 6, high + 6, 6, dashes(2.5, "6 4"))
    return framed(drawn, x, y, wide, high, view.link("declare"), guess is not None) + under


def _own(view: View, seat: int, y: float) -> str:
    """Draws the viewer's own hand and ally, face up."""
    hand = _places(view, seat)
    scale, pitch, first, line, ally = _OWN[len(hand)]
    heading = words.YOUR_HAND_OUT if view.fold.out[seat] else YOUR_HAND
    parts = [
        seat_mark(seat, 0, y, 24),
        text("in b", 31, y + 18, heading[view.lang], 15),
        text("in b m", (line + 372) / 2 - 6, y + 18, words.YOUR_ALLY[view.lang], 15),
        f'<path class="ln" d="M{line},{y + 4} V{y + 126}" stroke-dasharray="2 4"/>',
    ]
    for at, name in enumerate(hand):
        left = name not in view.fold.hands[seat]
        x, top = first + pitch * at, y + 32
        parts.append(_left("sl", x, top, scale) if left else card(view, seat, name, x, top, scale))
    return "".join([*parts, _own_ally(view, seat, ally, y + 32, scale)])


def _places(view: View, seat: int) -> list[str | None]:
    """Returns the viewer's hand; the card that they would put down as their ally keeps its place."""
    hand, before = view.fold.hands[seat], view.offered("ally")
    left = [name for name in before if name not in hand]
    return [*before] if len(left) == 1 and view.is_picked(left[0]) else [*hand]


def _left(classes: str, x: float, y: float, scale: float) -> str:
    """Draws the dashed place of a card that has left, or is still to come."""
    return box(classes, x + 1, y + 1, 100 * scale - 2, 140 * scale - 2, 6, dashes(2, "6 5"))


def _own_ally(view: View, seat: int, x: float, y: float, scale: float) -> str:
    """Draws the viewer's ally, and who knows it."""
    beside = x + 100 * scale + 11
    if view.fold.chosen[seat]:
        revealed = view.fold.over is not None  # once the match is over, everybody can read the whole log
        eye, words_below = ("eye", words.REVEALED) if revealed else ("eye-shut", words.HIDDEN)
        drawn = card(view, seat, view.fold.allies[seat], x, y, scale)
        drawn += coloured(symbol(eye, beside, y + 4, 26, 22), "c6")
    else:
        drawn, words_below = _left("ln", x, y, scale), words.TO_CHOOSE
    lines = words_below[view.lang].splitlines()
    return drawn + "".join(text("i2", beside, y + 44 + 17 * at, line) for at, line in enumerate(lines))


# --- seen by a spectator -----------------------------------------------------------------------------------


def _table(view: View) -> tuple[str, float]:
    """Draws a panel for everybody, clockwise around the palace."""
    width, height = _PANEL
    right, below = 360 - width, height + HEIGHT + 24
    corners = {
        3: [(0, 0), (right, 0), (right // 2, below)],
        4: [(0, 0), (right, 0), (right, below), (0, below)],
    }[view.fold.seats]
    panels = [_panel(view, seat, x, y) for seat, (x, y) in enumerate(corners)]
    return "".join([*panels, palace(view, height + 12)]), below + height


def _panel(view: View, seat: int, x: float, y: float) -> str:
    """Draws one seat's name, hand and ally."""
    width, height = _PANEL
    hand = _known_first(view.fold.hands[seat])
    classes, status = _says(view, seat)
    parts = [box("pa", x, y, width, height, 6), box("ln", x, y, width, height, 6)]
    parts.append(_head(view, seat, x + 6, y + 6, x + width - 6, 12))
    roomy = view.fold.seats == 4
    pitch, card_width = (54, 48) if roomy else (40, 36)
    first, top = (x + 10, y + 34) if roomy else (x + 9, y + 42)
    mat_top, mat_height = (y + 29, 77) if roomy else (y + 36, 63)
    at = [first + pitch * i for i in range(len(hand) + 1)]
    parts.append(text(classes, (first + at[-1] + card_width - pitch) / 2, y + 118, status[view.lang]))
    if view.fold.chosen[seat]:
        parts.append(box("sk", at[-1] - 4, mat_top, card_width + 8, mat_height, 4))
        parts.append(text("i2 m", at[-1] + card_width / 2, y + 118, words.ALLY[view.lang]))
        hand.append(view.fold.allies[seat])
    for name, place in zip(hand, at, strict=False):
        parts.append(card(view, seat, name, place, top, 0.48) if roomy else small(view, seat, name, place, top, 36))
    return "".join(parts)
