"""What may be called or named, to be touched below the cards of a drawn Hogen board."""

from collections.abc import Callable

from pbem.games.hogen import pieces
from pbem.games.hogen.board_view import Board
from pbem.games.hogen.cards import CARDS, Call
from pbem.games.hogen.rules import calls_with
from pbem.kit.notation import french, seat_letter

_WIDTH, _HEIGHT, _ACROSS, _DOWN = 50, 36, 61, 54


def choices(board: Board, y: float) -> tuple[str, float]:
    """The calls, or the cards of which one is somebody's ally; and how far down they reach."""
    links, seat = board.scene.links, board.naming
    if seat is not None:
        return _cards_of(board, seat, y)
    return _calls(board, y) if any(step.startswith("call-") for step in links) else ("", y)


def _button(board: Board, step: str, at: int, y: float, sign: Callable[[float, float], str]) -> str:
    """A sign that can be pressed, bears the seal, or lies flat where it is not allowed."""
    x, top = 3 + _ACROSS * (at % 6), y + _DOWN * (at // 6)
    drawn = pieces.box("pa", x, top, _WIDTH, _HEIGHT, 6) + sign(x, top)
    link, chosen = board.scene.links.get(step), step in board.scene.chosen
    if link is None and not chosen:
        drawn = drawn.replace('class="pa"', 'class="n"', 1) + pieces.box("ln", x, top, _WIDTH, _HEIGHT, 6)
    return pieces.framed(drawn, x, top, _WIDTH, _HEIGHT, link, chosen)


def _calls(board: Board, y: float) -> tuple[str, float]:
    """The calls that one's own ally allows; what it does not allow is said below."""
    fold, words, seat = board.fold, board.words, board.viewer
    ally = None if seat is None else fold.allies[seat]
    if ally is None:
        return "", y
    parts, flat = [pieces.text("in b", 0, y + 18, french(words.what_to_call), 15)], False
    for i, call in enumerate(calls_with(ally)):
        step = f"call-{call.clan or ''}{call.rank or ''}"
        flat = flat or (step not in board.scene.links and step not in board.scene.chosen)
        parts.append(_button(board, step, i, y + 31, _call_sign(call)))
    y += 31 + 2 * _DOWN + 10
    lines = [words.not_allowed.format(words.clan_names[ally[0]], ally[1]), *([words.flat] if flat else [])]
    parts += [pieces.text("i2", 0, y + 17 * i, french(line)) for i, line in enumerate(lines)]
    return "".join(parts), y + 17 * (len(lines) - 1) + 8


def _call_sign(call: Call) -> Callable[[float, float], str]:
    def sign(x: float, y: float) -> str:
        if call.clan is None:
            strokes = pieces.symbol(f"rank-{call.rank}", x + 24, y + 11, 24, 14.4, "c6")
            return pieces.cartouche(str(call.rank), x + 4, y + 5, 18, 26) + strokes
        if call.rank is None:
            mon = pieces.symbol(f"mon-{call.clan.lower()}", x + 3, y + 4, 28, 28, pieces.COLOUR[call.clan])
            return mon + pieces.letter(call.clan, x + 40, y + 25, 19)
        return _card_sign(f"{call.clan}{call.rank}")(x, y)

    return sign


def _card_sign(card: str) -> Callable[[float, float], str]:
    def sign(x: float, y: float) -> str:
        digit = pieces.cartouche(card[1], x + 4, y + 4, 20, 28, pieces.COLOUR[card[0]])
        return digit + pieces.letter(card[0], x + 36, y + 25, 20)

    return sign


def _cards_of(board: Board, seat: int, y: float) -> tuple[str, float]:
    """The cards that this seat may be said to hide."""
    of = seat_letter(seat)
    cards = [card for card in CARDS if f"{of}={card}" in board.scene.links]
    heading = french(board.words.what_hides).replace("*", f"{{{seat}:18}}")
    parts = [pieces.text("in b", 0, y + 18, heading, 15)]
    parts += [_button(board, f"{of}={card}", i, y + 31, _card_sign(card)) for i, card in enumerate(cards)]
    return "".join(parts), y + 31 + _DOWN * -(-len(cards) // 6) - 4
