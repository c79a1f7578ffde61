"""The part below the goal: each clan's points and cards; the viewer's numbers, and their hand if it is asked for."""

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board_tiles import clan_mark, clan_sign
from pbem.games.hexen_rennen.board_view import View
from pbem.games.hexen_rennen.facts import CARDS, CLANS, DECK, SYMBOL, points
from pbem.games.hexen_rennen.meta import COLOURS
from pbem.kit.drawing.svg import box, coloured, linked, number, seal, text

_LINE = 25
_CARDS, _PITCH, _CHIP = 149.0, 17.7, (17.0, 21.0)


def panel(view: View, top: float) -> tuple[str, float]:
    """Returns the panel from this height on, and its lower edge."""
    fold, lang, y, parts = view.fold, view.lang, top, []
    if view.viewer is not None and fold.shown and (fold.asked == view.viewer or view.stays or view.choice("card")):
        drawn, y = _hand(view, y)
        parts.append(drawn)
    if fold.shown:
        parts.append(text("nt m", 125, y + 15, words.POINTS[lang]) + text("nt e", 360, y + 15, words.CARDS_LEFT[lang]))
        y += 21
    for clan in range(len(CLANS)):
        parts.append(_clan(view, clan, y))
        y += _LINE
    stages = None if view.viewer is None else fold.stages[view.viewer]
    if fold.shown and stages is not None and stages[0][0] is not None:
        parts.append(_numbers(view, y + 5))
        y += 31
    return "".join(parts), y + 6


# --- everybody's cards -------------------------------------------------------------------------------------


def _clan(view: View, clan: int, y: float) -> str:
    """Draws a clan's line: symbol, name, points so far, and the cards it has left, each at its own place."""
    fold, neutral = view.fold, clan >= view.fold.seats
    parts = []
    if clan in (fold.active, fold.asked) and fold.finisher is None and clan == _to_act(view):
        parts.append(box("hb", -4, y - 1, 368, _LINE, 6) + box("hl", -4, y - 1, 368, _LINE, 6, ' stroke-width="1.5"'))
    parts.append(clan_mark(clan, 0, y))
    if neutral:
        parts.append(text("nt", 39, y + 17, words.NEUTRAL[view.lang]))
    else:
        parts.append(text("nt b", 39, y + 17, f"{{{clan}:{7 if fold.shown else 20}}}", 15))
        if fold.shown:
            parts.append(_gable(sum(map(points, fold.witches[clan])), 112, y))
    if not fold.shown:
        done = words.HAS_DIVIDED if not neutral and fold.divided[clan] else words.STILL_DIVIDES
        return "".join(parts) + text("nt e", 360, y + 17, "" if neutral else done[view.lang])
    left = _left_in_pile(view, clan) if neutral else list(fold.hands[clan])
    for at, card in enumerate(DECK):
        x = _CARDS + _PITCH * at
        if card in left:
            left.remove(card)
            parts.append(_chip(card, x, y, neutral))
        else:
            parts.append(f'<path class="hl" d="M{number(x + 5)},{number(y + 11)} h7" stroke-width="1.5"/>')
    return "".join(parts)


def _to_act(view: View) -> int | None:
    return view.fold.asked if view.fold.asked is not None else view.fold.active


def _left_in_pile(view: View, clan: int) -> list[str]:
    """Returns what a neutral clan's pile still holds, unordered: every card not drawn."""
    left = list(DECK)
    for card in view.fold.discards[clan]:
        left.remove(card)
    return left


def _chip(card: str, x: float, y: float, hidden: bool) -> str:
    """Draws a miniature card: pale in a hand, dark in a pile."""
    width, height = _CHIP
    middle = x + width / 2
    if hidden:
        edge = box("hl", x + 0.5, y + 1, width - 1, height - 1, 3)
        return box("hb", x + 0.5, y + 1, width - 1, height - 1, 3) + edge + text("nt m", middle, y + 16, card)
    return box("pa", x + 0.5, y + 0.5, width - 1, height, 3) + text("in b m", middle, y + 16, card)


def _gable(score: int, x: float, y: float) -> str:
    """Draws the points of the witches that have arrived, in a small goal."""
    path = f"M{number(x)},{number(y + 6)} l13,-6 l13,6 v16 h-26 Z"
    return f'<path class="st" d="{path}"/>' + text("sx b m", x + 13, y + 18.5, str(score), 15)


# --- the viewer's own --------------------------------------------------------------------------------------


def _hand(view: View, y: float) -> tuple[str, float]:
    """Draws the viewer's cards while one is asked for, and a place to play none; returns the lower edge, too."""
    assert view.viewer is not None, "only a seat has cards"
    parts = [text("nt b", 0, y + 15, words.YOUR_HAND[view.lang], 15)]
    hand = [*view.fold.hands[view.viewer], view.choice("card")]
    kinds = [card for card in CARDS if card in hand]
    for at, card in enumerate(kinds):
        x, top = 45.0 * (at % 8), y + 26 + 58 * (at // 8)
        parts.append(_card(view, card, hand.count(card), x, top))
    at = len(kinds) + (1 if len(kinds) % 8 == 7 else 0)
    x, top = 45.0 * (at % 8), y + 26 + 58 * (at // 8)
    parts.append(_none(view, x, top))
    return "".join(parts), top + 62


def _card(view: View, card: str, count: int, x: float, y: float) -> str:
    """Draws a card of the hand; framed and sealed if it was chosen."""
    assert view.viewer is not None, "only a seat has cards"
    under = box("pa", x + 3, y - 3, 41, 46, 5) + box("hl", x + 3, y - 3, 41, 46, 5) if count > 1 else ""
    face = box("pa", x, y, 41, 46, 5)
    if card == SYMBOL:
        face += clan_sign(view.viewer, x + 6, y + 3, 28) + text("in b m", x + 20.5, y + 43, f"S ×{count}", 14)
    else:
        face += text("in b m", x + 20.5, y + 33, card, 26)
    frame = (x - 2, y - 2, 45, 55, 7)
    if card == view.choice("card"):
        return box("se", *frame) + under + face + seal(x + 22, y + 26, 20)
    return linked(under + face, view.link(f"card-{card}"), box("tg", *frame))


def _none(view: View, x: float, y: float) -> str:
    """Draws the place to touch for playing no card."""
    link = view.link("leave")
    inside = box("hb", x, y, 86, 46, 5) + text("nt b m", x + 43, y + 29, words.NO_CARD[view.lang], 15)
    frame = (x - 2, y - 2, 90, 55, 7)
    if view.stays:
        return box("se", *frame) + inside + seal(x + 68, y + 28, 20)
    return linked(inside, link, box("tg", *frame)) if link else ""


def _numbers(view: View, y: float) -> str:
    """Draws the viewer's numbers by stage: pale while they lie face down, hollow once they are turned up."""
    assert view.viewer is not None, "only a seat has numbers"
    fold, clan = view.fold, view.viewer
    up = {tile for tile in fold.shown if tile}
    parts = [text("nt", 0, y + 16, words.YOUR_NUMBERS[view.lang])]
    stages = fold.stages[clan]
    for stage, numbers in enumerate(stages or (), 1):
        x = 106 + 88.0 * (stage - 1)
        parts.append(text("nt m", x, y + 16, f"{stage}."))
        for at, n in enumerate(numbers):
            left = x + 11 + 20 * at
            if f"{CLANS[clan]}{n}" in up:
                parts.append(box("hl", left + 0.5, y + 0.5, 17, 21, 3) + text("nt m", left + 9, y + 16, str(n)))
            else:
                face = text("cu b m", left + 9, y + 16, str(n))
                parts.append(coloured(box("pa", left, y, 18, 22, 3) + face, COLOURS[clan]))
    return "".join(parts)
