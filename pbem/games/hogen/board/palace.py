"""The palace of a drawn Hogen board: what is called, who is waited for, and the four open cards."""

from pbem.games.hogen import words
from pbem.games.hogen.board.cards import card, card_spot
from pbem.games.hogen.board.view import View
from pbem.games.hogen.facts import Call
from pbem.games.samurai import CARDS, CLANS, COLOURS, cartouche, letter, mon
from pbem.kit.drawing.grid import Box, fitted, spread
from pbem.kit.drawing.panels import panel
from pbem.kit.drawing.svg import box, seal, text
from pbem.kit.words import PLAYS, WINS


def palace(view: View, at: Box) -> str:
    """Draws the four open cards, and above them what the table waits for."""
    sizes, cards = view.sizes, _cards(view)
    head = sizes.mark * 2.1
    place = Box(
        at.x + sizes.inset,
        at.y + head,
        at.width - 2 * sizes.inset,
        at.height - head - sizes.foot - sizes.gap * 2,
    )
    # Where the table is about as high as wide, the cards lie two by two.
    rows = 2 if place.height > place.width * 0.8 else 1
    across, between = len(cards) // rows, sizes.gap * 4
    width = fitted(across, place.width, sizes.gap * 2.6, (place.height - between * (rows - 1)) / rows / 1.4)
    high = width * 1.4
    top = place.y + max(0, (place.height - high * rows - between * (rows - 1)) / 2)
    parts, spots = [panel(at), _heading(view, at)], []
    for n, name in enumerate(cards):
        x = place.x + spread(across, place.width, width, sizes.gap * 6)[n % across]
        y = top + n // across * (high + between)
        parts.append(card(view, None, name, x, y, width))
        spots.append(card_spot(view, None, name, x, y, width))
    return "".join([*parts, *spots])


def telling(view: View, at: Box) -> Box:
    """Returns the part of the table that a list shows: the cards, without the heading."""
    above = view.sizes.mark * 1.88  # just below the sign of a call, so that the cards do not reach the edge
    return Box(at.x, at.y + above, at.width, at.height - above)


def _heading(view: View, at: Box) -> str:
    """Draws the name of the palace, and at the right in one line or two who calls for what and who must answer."""
    sizes = view.sizes
    sign = sizes.mark * 1.55
    above, below = at.y + sizes.mark * 0.85, at.y + sizes.mark * 1.7
    parts = [text("in b", at.x + sizes.inset, above, words.PALACE[view.lang], sizes.name)]
    end = at.right - sizes.inset
    if view.fold.call is not None:
        parts.append(_open_call(view, view.fold.call.written, Box(end - sign, at.y + sizes.mark * 0.28, sign, sign)))
        end -= sign + sizes.spot * 1.25
    first, second = _news(view, end - at.x - sizes.inset)
    parts.append(text("in e" if second else "in b e", end, above, first, sizes.text if second else sizes.name))
    if second:
        parts.append(text("in b e", end, below, second, sizes.text))
    failed = _failed(view)[-6:]
    size = sizes.mark * 1.2
    for n, call in enumerate(reversed(failed)):
        parts.append(_flat_sign(call.written, end - size * (n + 1), below, size))
    if failed:
        unanswered = words.UNANSWERED[view.lang]
        parts.append(text("i2 e", end - size * len(failed) - sizes.gap, below, unanswered, sizes.text))
    return "".join(parts)


def _cards(view: View) -> list[str]:
    """Returns the open cards; after a chosen exchange the given one lies where the taken one lay."""
    cards, before = list(view.fold.palace), list(view.offered("take"))
    given = [name for name in cards if name not in before]
    if len(before) != len(cards) or len(given) != 1:
        return cards
    return [name if name in cards else given[0] for name in before]


def _news(view: View, width: float) -> tuple[str, str]:
    """Returns who calls for what, and whose turn it is; or how the match ended, for lines of this width."""
    fold, sizes = view.fold, view.sizes
    first = width - sizes.name * 0.6 * (len(words.PALACE[view.lang]) + 1)  # beside the name of the palace
    if fold.over:
        if fold.winner is None:
            return words.NOBODY_WINS[view.lang], ""
        return view.fitted(WINS, fold.winner, first, sizes.name), ""
    if view.scene.over and fold.call is None:
        return "", ""
    if fold.active is None:
        return words.ALL_CHOOSE[view.lang], ""
    if fold.call is None:
        return view.fitted(PLAYS, fold.active, first, sizes.name), ""
    called = words.called(fold.call, view.lang)
    calls = view.fitted(words.CALLS, fold.active, first - sizes.text * 0.6 * len(called), sizes.text)
    calls = calls.replace("…", called)
    if view.scene.over or view.calling or fold.answering is None:
        return calls, ""
    return calls, view.fitted(words.ANSWERS, fold.answering, width, sizes.text, 13)


# --- what is called ----------------------------------------------------------------------------------------


def _open_call(view: View, what: str, at: Box) -> str:
    """Draws the open call as a sign: with a seal while the viewer is making it, with its story number afterwards."""
    sizes = view.sizes
    drawn = box("sk", at.x, at.y, at.width, at.height, 5) + box("ln", at.x, at.y, at.width, at.height, 5)
    drawn += _sign(what, at)
    if view.calling:
        size = sizes.seal * 0.8
        return drawn + seal(at.right - size * 0.6, at.bottom - size * 0.5, size)
    return drawn + view.spot(view.called_in, at.x - sizes.spot * 1.15, at.bottom - sizes.spot * 0.85, sizes.spot)


def _sign(what: str, at: Box) -> str:
    """Draws the mon of a clan, the digit of a rank, or both for a card: a sign, not a piece on the table."""
    unit = at.width / 34
    if what in CARDS:
        digit = cartouche(what[1], at.x + 3 * unit, at.y + 4 * unit, 15 * unit, 20 * unit, COLOURS[what[0]])
        return digit + letter(what[0], at.x + 26 * unit, at.y + 20 * unit, 16 * unit)
    if what in CLANS:
        return mon(what, at.x + 5 * unit, at.y + 3 * unit, 26 * unit)
    return cartouche(what, at.x + 8 * unit, at.y + 4 * unit, 20 * unit, 24 * unit)


def _failed(view: View) -> tuple[Call, ...]:
    return view.fold.failed if view.fold.call is None and not view.fold.over else ()


def _flat_sign(what: str, x: float, line: float, size: float) -> str:
    """Draws a miniature call, on a line of text."""
    unit = size / 28
    if what in CARDS:
        return letter(what, x + 14 * unit, line, 17 * unit)
    if what in CLANS:
        return mon(what, x + 3 * unit, line - 16 * unit, 21 * unit)
    return cartouche(what, x + 5 * unit, line - 15 * unit, 18 * unit, 19 * unit)
