"""Door, announcement and Palace on a drawn board of Allégeance, and what the table waits for."""

from collections.abc import Sequence

from pbem.games.allegeance import words
from pbem.games.allegeance.board_view import View
from pbem.games.samurai import COLOURS, face, small, touchable
from pbem.kit.contract import Text
from pbem.kit.drawing.svg import box, coloured, dashes, number, seal, symbol, text, wash
from pbem.kit.words import counted

_AT_DOOR, _MIDDLE, _AT_PALACE = 64, 180, 296
_SCALE = 0.76
_WIDTH, _HEIGHT = 100 * _SCALE, 140 * _SCALE


def middle(view: View, y: float) -> tuple[str, float]:
    """Returns the middle of the table, and its lower edge."""
    answers = _answers(view, y + 208)
    height = 260 if answers else 216
    left, right = _where(view)
    parts = [
        box("pa", 0, y, 360, height, 8),
        box("ln", 0.5, y + 0.5, 359, height - 1, 8),
        text("in b", 12, y + 22, left, 15),
        text("in b e" if right else "in", 348, y + 22, right, 15),
        f'<path class="ln" d="M12,{number(y + 32)} H348" stroke-dasharray="2 4"/>',
        text("i2 m", _AT_DOOR, y + 51, words.DOOR[view.lang]),
        text("i2 m", _MIDDLE, y + 51, words.ANNOUNCEMENT[view.lang]),
        text("i2 m", _AT_PALACE, y + 51, words.PALACE[view.lang]),
        _door(view, y + 62),
        _announcement(view, y + 62),
        _palace(view, y + 62),
        answers,
    ]
    return "".join(parts), y + height


def _where(view: View) -> tuple[str, str]:
    """Round and turn, and whose turn it is or what is asked."""
    fold, lang = view.fold, view.lang
    if fold.phase == "over":
        return words.ENDED[lang], words.win(fold.winners, view.viewer, lang)
    if fold.phase == "round":
        return (words.ROUND_ENDED if fold.round else words.MATCH_BEGINS)[lang].format(fold.round), ""
    if view.beginning:
        return words.ROUND[lang].format(fold.round), view.to(words.BEGINS, fold.first, 9)
    turn = words.TURN[lang].format(fold.round, fold.turn)
    if fold.phase in ("announce", "give"):
        return turn, view.to(words.ANNOUNCES if fold.phase == "announce" else words.GIVES, fold.active, 9)
    if fold.phase != "window":
        return turn, ""
    return turn, (words.OTHERS_ANSWER if fold.active == view.viewer else words.CHALLENGE_OR_NOT)[lang]


def _label(x: float, y: float, said: str) -> str:
    """Words under a pile."""
    return text("i2 m", x, y + _HEIGHT + 20, said)


def _empty(x: float, y: float) -> str:
    """Draws the place of a pile that has no card."""
    return box("ln", x + 0.5, y + 0.5, _WIDTH - 1, _HEIGHT - 1, 7, dashes(1.5, "5 4"))


# --- the Door ----------------------------------------------------------------------------------------------


def _door(view: View, y: float) -> str:
    """Draws a pile of card backs, and on it the card that was hit, until it is given away."""
    fold, x = view.fold, _AT_DOOR - _WIDTH / 2
    left = len(fold.door)
    parts = [symbol("back", x + 3 - 3 * i, y - 3 + 3 * i, _WIDTH, _HEIGHT) for i in range(min(left, 3))]
    if not left and fold.drawn is None:
        parts.append(_empty(x, y))
    if fold.drawn is not None:
        parts += [wash(x, y, _WIDTH, _HEIGHT, 5, 8), face(fold.drawn, x, y, _SCALE)]
        parts.append(view.spot_of("door", x - 10, y - 10))
    elif view.choice("give"):
        parts.append(box("sl", x, y, _WIDTH, _HEIGHT, 7, dashes(1.5, "6 5")))  # the place that the card has left
    label = words.REMAINING[view.lang].format(left) if left else words.EMPTY[view.lang]
    return "".join(parts) + _label(_AT_DOOR, y, label)


# --- the announcement --------------------------------------------------------------------------------------


def _announcement(view: View, y: float) -> str:
    """Draws the announcement as a speech bubble, and whose it is; before that, what may not be announced."""
    fold, x = view.fold, _MIDDLE - _WIDTH / 2
    if fold.announced is None:
        return _no_announcement(view, y)
    clan = fold.announced[0]
    bubble = (
        _tongue("pa ol", x, y, _WIDTH, _HEIGHT - 10)
        + symbol(f"mon-{clan.lower()}", _MIDDLE - 26, y + 38, 52, 52, COLOURS[clan])
        + coloured(text("cu b m", _MIDDLE, y + 30, fold.announced, 26), COLOURS[clan])
    )
    chosen = view.chosen("challenge") or view.chosen(f"announce-{fold.announced}")
    link = None if chosen else view.link("challenge")
    if chosen:
        bubble = box("se", x - 4, y - 4, _WIDTH + 8, _HEIGHT + 4, 10) + bubble + seal(x + 58, y + 78)
    elif link is None and "announced" in view.spots:
        bubble = wash(x, y, _WIDTH, _HEIGHT - 8, 5, 8) + bubble
    drawn = touchable(bubble, x, y, _WIDTH, _HEIGHT - 10, link) + view.spot_of("announced", x - 10, y - 10)
    drawn += _label(_MIDDLE, y, view.to(words.BY, fold.active, 10))
    return drawn if fold.drawn is None else drawn + text("in b m", _MIDDLE, y + _HEIGHT + 37, words.RIGHT[view.lang])


def _no_announcement(view: View, y: float) -> str:
    """Draws the empty place of the announcement, and what may not be announced."""
    fold, x = view.fold, _MIDDLE - _WIDTH / 2
    drawn = _tongue("ln", x, y, _WIDTH, _HEIGHT - 10, ' stroke-dasharray="5 4"')
    if fold.phase in ("reveal", "give", "window") or (fold.phase == "turn" and not view.beginning):
        return drawn + _label(_MIDDLE, y, view.to(words.BY, fold.active, 10))  # an announcement that has faded
    banned = [card for card in fold.banned if card is not None] if fold.phase == "announce" else []
    if not banned:
        return drawn
    left = _MIDDLE - (32 * len(banned) - 2) / 2
    drawn += "".join(small(card, left + 32 * i, y + 27, 30, piece=False) for i, card in enumerate(banned))
    drawn += _label(_MIDDLE, y, words.BANNED[view.lang])
    return drawn + _label(_MIDDLE, y + 17, words.JUST_SAID[view.lang])


def _tongue(classes: str, x: float, y: float, width: float, height: float, more: str = "") -> str:
    """Draws the outline of a speech bubble: a box whose tongue points down, ten units deep."""
    left, top, right, bottom = map(number, (x, y, x + width, y + height))
    inner_left, inner_top, inner_right, inner_bottom = map(number, (x + 6, y + 6, x + width - 6, y + height - 6))
    middle = x + width / 2
    points = (
        f"M{inner_left},{top} H{inner_right} Q{right},{top} {right},{inner_top} "
        f"V{inner_bottom} Q{right},{bottom} {inner_right},{bottom} "
        f"H{number(middle + 8)} L{number(middle)},{number(y + height + 10)} L{number(middle - 8)},{bottom} "
        f"H{inner_left} Q{left},{bottom} {left},{inner_bottom} V{inner_top} Q{left},{top} {inner_left},{top} Z"
    )
    return f'<path class="{classes}" d="{points}" stroke-width="1.8"{more}/>'


# --- the Palace --------------------------------------------------------------------------------------------


def _palace(view: View, y: float) -> str:
    """Draws the pile, its top card face up."""
    fold, x = view.fold, _AT_PALACE - _WIDTH / 2
    height = len(fold.palace)
    if not height:
        return _empty(x, y) + _label(_AT_PALACE, y, words.EMPTY[view.lang])
    parts = []
    for i in range(min(height, 3) - 1, 0, -1):
        parts += [box(line, x + 3 * i, y - 3 * i, _WIDTH, _HEIGHT, 7) for line in ("pa", "li")]
    if "palace" in view.spots:
        parts.append(wash(x, y, _WIDTH, _HEIGHT, 5, 8))
    parts.append(face(fold.palace[-1], x, y, _SCALE))
    parts.append(view.spot_of("palace", x - 10, y - 10))
    return "".join(parts) + _label(_AT_PALACE, y, counted(height, words.CARD, view.lang))


def below(view: View, y: float) -> tuple[str, float]:
    """Returns the cards under the top of the Palace if the fold knows them: with open memory, or after the end."""
    under = [card for card in reversed(view.fold.palace[:-1]) if card is not None]
    if not under:
        return "", y
    return text("i2", 0, y + 22, words.BELOW[view.lang]) + _row(under, 0, y + 30, 28, 360), y + 72


def _row(cards: Sequence[str | None], x: float, y: float, width: float, room: float) -> str:
    """Small cards side by side, overlapping if there is little room."""
    pitch = min(width + 3, (room - width) / max(1, len(cards) - 1))
    return "".join(small(card, x + pitch * at, y, width) for at, card in enumerate(cards))


# --- to challenge or not -----------------------------------------------------------------------------------


def _answers(view: View, y: float) -> str:
    """Draws the two answers to an announcement as links, or the one that the viewer has given."""
    fold, seat = view.fold, view.viewer
    if fold.phase != "window" or seat is None or seat == fold.active:
        return ""
    if any(view.link(step) or view.chosen(step) for step in ("challenge", "pass")):
        return _answer(view, "challenge", words.CHALLENGE, 15, y) + _answer(view, "pass", words.LEAVE_BE, 185, y)
    said = {None: words.HAS_ANSWERED, True: words.HAS_CHALLENGED, False: words.HAS_PASSED}[fold.wishes[seat]]
    return text("in m", 180, y + 26, said[view.lang]) if fold.answered[seat] else ""


def _answer(view: View, step: str, said: Text, x: float, y: float) -> str:
    drawn = box("pa", x, y, 160, 36, 6) + text("in b m", x + 76, y + 23, said[view.lang], 15)
    if view.chosen(step):
        return box("se", x - 4, y - 4, 168, 49, 10) + drawn + seal(x + 138, y + 12)
    return touchable(drawn, x, y, 160, 36, view.link(step))
