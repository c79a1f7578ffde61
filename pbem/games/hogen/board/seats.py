"""The players on a drawn board of Hogen: their names, hands and allies."""

from pbem.games import samurai
from pbem.games.hogen import words
from pbem.games.hogen.board.cards import small, small_spot
from pbem.games.hogen.board.view import View
from pbem.kit.drawing.grid import Box, fitted
from pbem.kit.drawing.panels import framed, head, panel
from pbem.kit.drawing.svg import box, dashes, seat_mark, text
from pbem.kit.texts import Text
from pbem.kit.words import PLAYS, WINS, WON


def seats(view: View, at: Box, shown: list[int]) -> str:
    """Draws a panel for each of these seats."""
    sizes = view.sizes
    cards = 4 if view.fold.seats == 3 else 3
    least = sizes.inset + cards * (sizes.mark * 1.2 + sizes.gap) + sizes.gap
    places = at.places(len(shown), sizes.gap * 1.5, least)
    return "".join(_panel(view, seat, place) for seat, place in zip(shown, places, strict=True))


def you(view: View, at: Box, seat: int) -> str:
    """Draws the viewer's own seat: what the table waits for from them, or how they fared."""
    sizes, fold = view.sizes, view.fold
    x, y = at.x + sizes.inset / 2, at.y + sizes.inset / 3
    drawn = panel(at, asked=view.is_asked(seat)) + seat_mark(seat, x, y, sizes.mark)
    drawn += text("in b", x + sizes.mark * 1.25, y + sizes.mark * 0.73, words.YOU[view.lang], sizes.name)
    said, more = _asked(view, seat)
    below = y + sizes.mark * 2
    if said:
        drawn += text("in b", x, below, said, sizes.text)
        below += sizes.text * 1.6
    out = words.YOU_ARE_OUT[view.lang] if fold.out[seat] else ""
    lines = (line for line in (*more.splitlines(), out) if line)
    return drawn + "".join(
        text("i2", x, below + n * sizes.text * 1.4, line, sizes.text) for n, line in enumerate(lines)
    )


def _asked(view: View, seat: int) -> tuple[str, str]:
    """Returns what the table waits for from the viewer, and how they do it; or that they have won."""
    fold, lang = view.fold, view.lang
    if fold.over:
        return (view.to(WINS, seat) if fold.winner == seat else ""), ""
    if not view.is_asked(seat):
        return "", ""
    if fold.active is None:
        return words.YOU_CHOOSE[lang], ""
    if fold.call is None:
        return view.to(PLAYS, seat), words.YOU_CALL[lang]
    return view.to(words.ANSWERS, seat), words.YOU_ANSWER[lang]


# --- one seat ----------------------------------------------------------------------------------------------


def _panel(view: View, seat: int, at: Box) -> str:
    """Draws a seat's name and below it, in miniature, its hand and its ally on a paper mat."""
    sizes, fold = view.sizes, view.fold
    # Known cards come first, and of these the ones with a number, which would hide a letter of the card before.
    hand = sorted(fold.hands[seat], key=lambda name: (name is None, (seat, name) not in view.spots))
    mat, beside, side = sizes.gap, sizes.gap * 1.4, sizes.inset / 2
    top = at.y + sizes.inset / 3 + sizes.mark + sizes.gap / 2 + mat
    under = at.bottom - sizes.text * 0.38
    # Left of every card of a hand there is room for the number of the line that says how it came there.
    ally = fold.chosen[seat]
    gap, first = (sizes.gap * 2, sizes.spot * 0.4) if ally else (sizes.gap, 0)
    room = at.width - 2 * side - first - (2 * beside + gap * 0.5 if ally else 0)
    width = fitted(len(hand) + ally, room + (gap * 0.5 if ally else 0), gap, sizes.mark * 1.7)
    most = [(end - sizes.foot - mat - top) / 1.4 for end in (under - sizes.text * 0.9, at.bottom)]
    says = min(width, most[0]) * 0.55 > sizes.text * 0.98  # the words give way before the values are too small
    width = min(width, most[0] if says else most[1])
    y = top + max(0, ((most[0] if says else most[1]) - width) * 0.7)
    under = min(under, y + width * 1.4 + mat + sizes.foot + sizes.text)
    x = at.x + side + first
    line = Box(at.x + side, at.y + sizes.inset / 3, at.width - 2 * side, sizes.mark)
    asked = view.is_asked(seat)
    drawn = panel(at, asked=asked) + head(view, seat, line, asked=asked)
    spots = ""
    for n, name in enumerate(hand):
        left = x + n * (width + gap)
        drawn += small(view, seat, name, left, y, width)
        # A number to the left of the second card would hide the letter of the first.
        spots += small_spot(view, seat, name, left, y, width, right=n == 1)
    if says:
        classes, said = _says(view, seat)
        middle = x + (len(hand) * (width + gap) - gap) / 2
        drawn += text(classes, middle, under, said[view.lang], sizes.text)
    if ally:
        wide = width + 2 * beside
        left = min(at.right - side - wide, x + len(hand) * (width + gap) + sizes.gap * 4)
        place = Box(left, y - mat, wide, width * 1.4 + 2 * mat)
        drawn += _mat(view, seat, place, width, under if says else None)
    return drawn + spots


def _mat(view: View, seat: int, at: Box, width: float, under: float | None) -> str:
    """Draws a player's ally on its paper mat; touching it declares it, and it shows what it was declared to be."""
    x, y = at.x + (at.width - width) / 2, at.y + (at.height - width * 1.4) / 2
    guess = view.guesses.get(seat)
    drawn = box("sk", at.x, at.y, at.width, at.height, 4)
    if guess is not None:
        drawn += samurai.small(guess, x, y, width, piece=False)
    else:
        drawn += small(view, seat, view.fold.allies[seat], x, y, width)
        if view.naming == seat:
            around = at.inside(-3)
            drawn += box("il", around.x, around.y, around.width, around.height, 6, dashes(2.5, "6 4"))
    drawn = framed(view.sizes, drawn, at, view.link("declare"), guess is not None)
    if under is None:
        return drawn
    said = words.ALLY[view.lang] if guess is None else f"{guess}\u00a0?"
    classes = "i2 m" if guess is None else "in b m"
    return drawn + text(classes, at.x + at.width / 2, under, said, view.sizes.text)


def _says(view: View, seat: int) -> tuple[str, Text]:
    """Returns the class and the words under a hand: what its seat does or did, else "hand"."""
    fold = view.fold
    if fold.winner == seat:
        return "in b m", WON
    if fold.out[seat]:
        return "in b m", words.OUT
    if not fold.chosen[seat] and not view.scene.over:
        return "i2 m", words.CHOOSING
    if view.has_passed(seat):
        return "in m", words.PASSES
    if view.is_asked(seat):
        return "in b m", words.IS_ASKED if fold.call is None else words.IS_ANSWERING
    return "i2 m", words.CALLING if fold.call is not None and fold.active == seat else words.HAND
