"""The links below the cards of a drawn Hogen board: what may be called or named."""

from pbem.games.hogen import words
from pbem.games.hogen.board_cards import cartouche, framed, letter, mon
from pbem.games.hogen.board_view import View
from pbem.games.hogen.rules import calls_with
from pbem.games.samurai import CARDS, CLAN_NAMES, CLANS, COLOURS
from pbem.kit.notation import seat_letter
from pbem.kit.svg import box, symbol, text

_WIDTH, _HEIGHT, _ACROSS, _DOWN = 50, 36, 61, 54


def choices(view: View, y: float) -> tuple[str, float]:
    """Draws the calls, or the cards that may be somebody's ally; returns their lower edge, too."""
    if view.naming is not None:
        return _cards_of(view, view.naming, y)
    return _calls(view, y) if view.offered("call") else ("", y)


def _button(view: View, step: str, what: str, at: int, y: float) -> str:
    """Draws a sign that can be pressed, bears the seal, or lies flat if it is not allowed."""
    x, top = 3 + _ACROSS * (at % 6), y + _DOWN * (at // 6)
    link, chosen = view.link(step), view.chosen(step)
    if link is None and not chosen:
        edge = box("ln", x, top, _WIDTH, _HEIGHT, 6)
        return box("n", x, top, _WIDTH, _HEIGHT, 6) + _sign(what, x, top) + edge
    drawn = box("pa", x, top, _WIDTH, _HEIGHT, 6) + _sign(what, x, top)
    return framed(drawn, x, top, _WIDTH, _HEIGHT, link, chosen)


def _sign(what: str, x: float, y: float) -> str:
    """Draws a card, a clan or a rank, on its button."""
    if what in CARDS:
        return cartouche(what[1], x + 4, y + 4, 20, 28, COLOURS[what[0]]) + letter(what[0], x + 36, y + 25, 20)
    if what in CLANS:
        return mon(what, x + 3, y + 4, 28) + letter(what, x + 40, y + 25, 19)
    return cartouche(what, x + 4, y + 5, 18, 26) + symbol(f"rank-{what}", x + 24, y + 11, 24, 14.4, "c6")


def _calls(view: View, y: float) -> tuple[str, float]:
    """Draws the calls that the viewer's own ally allows; the words below say what it does not allow."""
    ally = None if view.viewer is None else view.fold.allies[view.viewer]
    if ally is None:
        return "", y
    calls = [call.written for call in calls_with(ally)]
    parts = [text("in b", 0, y + 18, words.WHAT_TO_CALL[view.lang], 15)]
    parts += [_button(view, f"call-{what}", what, at, y + 31) for at, what in enumerate(calls)]
    y += 31 + 2 * _DOWN + 10
    lines = [words.NOT_ALLOWED[view.lang].format(CLAN_NAMES[ally[0]], ally[1])]
    if any(view.link(f"call-{what}") is None and not view.chosen(f"call-{what}") for what in calls):
        lines.append(words.FLAT[view.lang])
    parts += [text("i2", 0, y + 17 * at, line) for at, line in enumerate(lines)]
    return "".join(parts), y + 17 * (len(lines) - 1) + 8


def _cards_of(view: View, seat: int, y: float) -> tuple[str, float]:
    """Draws the cards that this seat may be said to hide."""
    steps = {card: f"{seat_letter(seat)}={card}" for card in CARDS}
    cards = [card for card in CARDS if view.link(steps[card])]
    parts = [text("in b", 0, y + 18, words.WHAT_HIDES[view.lang].replace("*", f"{{{seat}:18}}"), 15)]
    parts += [_button(view, steps[card], card, at, y + 31) for at, card in enumerate(cards)]
    return "".join(parts), y + 31 + _DOWN * -(-len(cards) // 6) - 4
