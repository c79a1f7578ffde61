"""The palace of a drawn Hogen board: what is called, who is waited for, and the four open cards."""

from pbem.games.hogen import words
from pbem.games.hogen.board_cards import card, cartouche, letter, mon
from pbem.games.hogen.board_view import View
from pbem.games.hogen.facts import Call
from pbem.games.samurai import CARDS, CLANS, COLOURS
from pbem.kit.svg import box, seal, text
from pbem.kit.words import PLAYS, WINS

HEIGHT = 162
"""The height of the drawn palace."""


def palace(view: View, y: float) -> str:
    """Draws the four open cards, and above them what the table waits for."""
    call = "" if view.fold.call is None else _open_call(view, view.fold.call.written, y)
    end = 312 if call else 348
    first, second = _news(view)
    parts = [
        box("pa", 0, y, 360, HEIGHT, 8),
        box("ln", 0.5, y + 0.5, 359, HEIGHT - 1, 8),
        text("in b", 12, y + 24, words.PALACE[view.lang], 15),
    ]
    if second or _failed(view):
        parts.append(text("in e" if second else "in b e", end, y + 18, first, 14 if second else 15))
        parts.append(text("in b e", end, y + 36, second))
    else:
        parts.append(text("in b e", end, y + 24, first))
    parts += [call, _unanswered(view, y)]
    parts += [card(view, None, name, 15 + 86 * at, y + 47, 0.72) for at, name in enumerate(_cards(view))]
    return "".join(parts)


def _cards(view: View) -> list[str]:
    """Returns the open cards; after a chosen exchange the given one lies where the taken one lay."""
    cards, before = list(view.fold.palace), list(view.offered("take"))
    given = [name for name in cards if name not in before]
    if len(before) != len(cards) or len(given) != 1:
        return cards
    return [name if name in cards else given[0] for name in before]


def _news(view: View) -> tuple[str, str]:
    """Returns who calls for what, and whose turn it is; or how the match ended."""
    fold = view.fold
    if fold.over:
        return words.NOBODY_WINS[view.lang] if fold.winner is None else view.to(WINS, fold.winner), ""
    if fold.active is None:
        return words.ALL_CHOOSE[view.lang], ""
    if fold.call is None:
        return view.to(PLAYS, fold.active), ""
    calls = view.to(words.CALLS, fold.active).replace("…", words.called(fold.call, view.lang))
    if view.calling or fold.answering is None:
        return calls, ""
    return calls, view.to(words.ANSWERS, fold.answering, 13)


# --- what is called ----------------------------------------------------------------------------------------


def _open_call(view: View, what: str, y: float) -> str:
    """Draws the open call as a sign: with a seal while the viewer is making it, with its story number afterwards."""
    x, top = 318, y + 6
    drawn = box("sk", x, top, 34, 34, 5) + box("ln", x, top, 34, 34, 5) + _sign(what, x, top)
    return drawn + (seal(x + 18, top + 18, 22) if view.calling else view.spot(view.called_in, x + 22, top - 9, 20))


def _sign(what: str, x: float, y: float) -> str:
    """Draws the mon of a clan, the digit of a rank, or both for a card: a sign, not a piece on the table."""
    if what in CARDS:
        return cartouche(what[1], x + 3, y + 6, 15, 22, COLOURS[what[0]]) + letter(what[0], x + 26, y + 23, 16)
    return mon(what, x + 3, y + 3, 28) if what in CLANS else cartouche(what, x + 6, y + 4, 22, 26)


def _failed(view: View) -> tuple[Call, ...]:
    return view.fold.failed if view.fold.call is None and not view.fold.over else ()


def _unanswered(view: View, y: float) -> str:
    """Draws the calls that nobody has answered since the last exchange or turn."""
    failed = _failed(view)
    if not failed:
        return ""
    marks = [_flat_sign(call.written, 320 - 30 * at, y + 23) for at, call in enumerate(reversed(failed[-6:]))]
    return "".join(marks) + text("i2 e", 345 - 30 * len(marks), y + 38, words.UNANSWERED[view.lang])


def _flat_sign(what: str, x: float, y: float) -> str:
    """Draws a miniature call, on one line."""
    if what in CARDS:
        return letter(what, x + 14, y + 16, 15)
    return mon(what, x + 3, y, 21) if what in CLANS else cartouche(what, x + 5, y + 1, 18, 19)
