"""The seats on a drawn board of Allégeance: names, tokens and hands."""

from pbem.games.allegeance import words
from pbem.games.allegeance.board_view import View
from pbem.games.samurai import face, small, touchable
from pbem.kit.drawing import svg
from pbem.kit.drawing.svg import box, coloured, dashes, number, seal, seat_mark, symbol, text
from pbem.kit.notation import seat_letter
from pbem.kit.words import YOUR_HAND, counted

SIZE = 20
"""How wide a token is."""


def seats(view: View) -> tuple[str, float]:
    """Returns the other seats clockwise from the viewer's left, all of them for a spectator; and their lower edge."""
    count, viewer = view.fold.seats, view.viewer
    if viewer is not None:
        shown, across = [(viewer + 1 + i) % count for i in range(count - 1)], count - 1
    else:  # clockwise around the square
        shown, across = ([0, 1, 3, 2] if count == 4 else list(range(count))), (2 if count == 4 else count)
    if len(shown) == 1:
        return _alone(view, shown[0]), 75
    width = 369 / across
    rows = max(-(-len(view.fold.hands[seat]) // _across(width)) if view.has_open_cards(seat) else 1 for seat in shown)
    height = 65 + 40 * rows
    panels = [
        _panel(view, seat, width * (at % across), (height + 8) * (at // across), width, height)
        for at, seat in enumerate(shown)
    ]
    return "".join(panels), (height + 8) * -(-len(shown) // across) - 3


def _across(width: float) -> int:
    """Returns the number of open cards that fit side by side in a panel."""
    return int((width - 18) / 29)


def _alone(view: View, seat: int) -> str:
    """With two players, the other seat: its hand lies beside the name. It is no link: there is no choice."""
    paper = box("pa", 0, -3, 360, 70, 7) + box("ln", 0.5, -2.5, 359, 69, 7)
    return paper + _head(view, seat, 0, 0, 360, 11) + tokens(view, seat, 8, 36, SIZE) + _hand(view, seat, 148, 14, 190)


def _panel(view: View, seat: int, x: float, y: float, width: float, height: float) -> str:
    """Draws a seat's name, tokens and hand; touching it gives it a card."""
    size = min(SIZE, (width - 23) / view.fold.target - 1)
    drawn = _head(view, seat, x, y, width - 9, int((width - 44) / 8.2))
    drawn += tokens(view, seat, x + 7, y + 29, size) + _hand(view, seat, x + 7, y + 55, width - 18)
    return _mark(view, drawn, seat, x, y, width - 9, height)


def _head(view: View, seat: int, x: float, y: float, width: float, room: int) -> str:
    """Draws a seat's mark and name, and an hourglass if the table waits for it: the name then has less room."""
    sign = _sign(view, seat, x + width - 23, y + 4)
    room = min(room, int((width - 60) / 8.2)) if sign else room
    return seat_mark(seat, x + 6, y + 2) + text("in b", x + 33, y + 19, f"{{{seat}:{room}}}", 15) + sign


def _mark(view: View, drawn: str, seat: int, x: float, y: float, width: float, height: float) -> str:
    """Draws the panel on its paper, with the frame of what was chosen or may be touched."""
    step = f"give-{seat_letter(seat)}"
    top, high = y - 3, height - 5
    paper = box("pa", x, top, width, high, 7)
    if view.chosen(step):
        return (
            box("se", x - 4, top - 4, width + 8, high + 12, 10) + paper + drawn + seal(x + width - 24, top + high - 20)
        )
    if view.link(step):
        return touchable(paper + drawn, x, top, width, high, view.link(step))
    return paper + box("ln", x + 0.5, top + 0.5, width - 1, high - 1, 7) + drawn


def _sign(view: View, seat: int, x: float, y: float) -> str:
    """Draws an hourglass if the table waits for the seat; a tick if it has answered."""
    if view.is_asked(seat):
        return coloured(symbol("wait", x, y, 17, 17), "c6")
    if view.fold.phase == "window" and view.fold.answered[seat]:
        return f'<path class="li" d="M{number(x + 2)},{number(y + 9)} l5,6 l9,-12" stroke-width="2.4"/>'
    return ""


def tokens(view: View, seat: int, x: float, y: float, size: float) -> str:
    """Draws the tokens won, and an empty ring for each one still needed."""
    won, parts = view.fold.tokens[seat], []
    for i in range(max(won, view.fold.target)):
        left = x + (size + 1) * i
        if i < won:
            parts.append(svg.token(symbol("token", left, y, size, size, "c4"), f"token-{seat}-{i}"))
        else:
            at = f'cx="{number(left + size / 2)}" cy="{number(y + size / 2)}"'
            parts.append(f'<circle class="ln" {at} r="{number(size / 2 - 1.5)}" stroke-dasharray="3 3"/>')
    return "".join(parts) + view.spot_of(f"tokens{seat}", x + (size + 1) * max(won, 1) - 8, y - 9)


def _hand(view: View, seat: int, x: float, y: float, room: float) -> str:
    """Draws the cards of a hand: known ones in rows, the others overlapping, with their number."""
    hand = sorted(view.fold.hands[seat], key=lambda card: card is None)
    spot = view.spot_of(f"hand{seat}", x - 9, y + 22)
    if view.has_open_cards(seat):
        across = _across(room + 18)
        at = [(x + 29 * (i % across), y + 40 * (i // across)) for i in range(len(hand))]
        return "".join(small(card, *place, 26) for card, place in zip(hand, at, strict=True)) + spot
    if not hand:
        empty = box("ln", x + 0.5, y + 0.5, 25, 35, 4, dashes(1.5, "3 3"))
        return empty + text("i2", x + 35, y + 25, words.EMPTY[view.lang]) + spot
    pitch = min(10.0, (room - 90) / max(1, len(hand) - 1))
    drawn = "".join(small(None, x + pitch * i, y, 26) for i in range(len(hand)))
    end = x + 26 + pitch * (len(hand) - 1)
    return drawn + text("i2", end + 9, y + 25, counted(len(hand), words.CARD, view.lang)) + spot


def own(view: View, y: float) -> tuple[str, float]:
    """Draws the viewer's own cards, face up, and their tokens; nothing for a spectator."""
    if view.viewer is None:
        return "", y
    hand, width = view.fold.hands[view.viewer], (SIZE + 1) * view.fold.target
    parts = [
        seat_mark(view.viewer, 0, y + 12, 24),
        text("in b", 31, y + 30, YOUR_HAND[view.lang], 15),
        text("i2 e", 352 - width, y + 30, words.YOUR_TOKENS[view.lang]),
        tokens(view, view.viewer, 360 - width, y + 14, SIZE),
    ]
    if not hand:
        parts.append(box("ln", 0.5, y + 46.5, 55, 77, 5, dashes(1.5, "4 4")))
        return "".join([*parts, text("i2", 68, y + 90, words.NO_CARDS[view.lang])]), y + 128
    pitch = min(64.0, (360 - 56) / max(1, len(hand) - 1))
    parts += [face(card, pitch * at, y + 46, 0.56) for at, card in enumerate(hand)]
    parts.append(view.spot_of(f"hand{view.viewer}", pitch * (len(hand) - 1) - 6, y + 110))
    return "".join(parts), y + 128
