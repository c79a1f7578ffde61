"""The seats on a drawn board of Allégeance: names, tokens and hands."""

from pbem.games.allegeance import pieces
from pbem.games.allegeance.board_view import Board
from pbem.kit.notation import seat_letter

SIZE = 20
"""How wide a token is."""


def seats(board: Board) -> tuple[str, float]:
    """The other seats clockwise from the viewer's left, or everybody's; and how far down they reach."""
    count, viewer = board.fold.seats, board.viewer
    if viewer is not None:
        shown, across = [(viewer + 1 + i) % count for i in range(count - 1)], count - 1
    else:  # clockwise around the square
        shown, across = ([0, 1, 3, 2] if count == 4 else list(range(count))), (2 if count == 4 else count)
    width = 369 / across
    alone = len(shown) == 1
    rows = max(-(-len(board.fold.hands[seat]) // _across(width)) if _known(board, seat) else 1 for seat in shown)
    height = 70 if alone else 65 + 40 * rows
    panels = [
        _alone(board, s)
        if alone
        else _panel(board, s, width * (i % across), (height + 8) * (i // across), width, height)
        for i, s in enumerate(shown)
    ]
    return "".join(panels), (height + 8) * -(-len(shown) // across) - 3


def _known(board: Board, seat: int) -> bool:
    """Whether some cards of this hand lie face up."""
    return any(card is not None for card in board.fold.hands[seat])


def _across(width: float) -> int:
    """How many open cards have room side by side in a panel."""
    return int((width - 18) / 29)


def _alone(board: Board, seat: int) -> str:
    """The only other seat, whose hand lies beside his name; nobody else can be given a card, so it is not asked."""
    return "".join(
        [
            pieces.box("pa", 0, -3, 360, 70, 7) + pieces.box("ln", 0.5, -2.5, 359, 69, 7),
            _head(board, seat, 0, 0, 360, 11),
            tokens(board, seat, 8, 36, SIZE),
            _hand(board, seat, 148, 14, 190),
        ]
    )


def _panel(board: Board, seat: int, x: float, y: float, width: float, height: float) -> str:
    """A seat's name, tokens and hand; it can be touched to give it a card."""
    size = min(SIZE, (width - 23) / board.fold.target - 1)
    parts = [
        _head(board, seat, x, y, width - 9, int((width - 44) / 8.2)),
        tokens(board, seat, x + 7, y + 29, size),
        _hand(board, seat, x + 7, y + 55, width - 18),
    ]
    return _marked(board, "".join(parts), seat, x, y, width - 9, height)


def _head(board: Board, seat: int, x: float, y: float, width: float, room: int) -> str:
    """A seat's mark and name, and who is waited for: a name has less room then."""
    sign = _sign(board, seat, x + width - 23, y + 4)
    room = min(room, int((width - 60) / 8.2)) if sign else room
    name = pieces.text("in b", x + 33, y + 19, f"{{{seat}:{room}}}", 15)
    return pieces.seat_mark(seat, x + 6, y + 2, 22) + name + sign


def _marked(board: Board, drawn: str, seat: int, x: float, y: float, width: float, height: float) -> str:
    """The panel on its paper, with the frame of what was chosen or may be touched."""
    step = f"give-{seat_letter(seat)}"
    top, high = y - 3, height - 5
    paper = pieces.box("pa", x, top, width, high, 7)
    if board.chosen(step):
        seal = pieces.seal(x + width - 24, top + high - 20)
        return pieces.box("se", x - 4, top - 4, width + 8, high + 12, 10) + paper + drawn + seal
    if board.link(step):
        return pieces.touchable(paper + drawn, x, top, width, high, board.link(step))
    return paper + pieces.box("ln", x + 0.5, top + 0.5, width - 1, high - 1, 7) + drawn


def _sign(board: Board, seat: int, x: float, y: float) -> str:
    """An hourglass for whom the table waits for; a tick for who has answered."""
    if board.asked(seat):
        return f'<g class="c6">{pieces.use("wait", x, y, 17, 17)}</g>'
    if board.fold.phase == "window" and board.fold.answered[seat]:
        return f'<path class="li" d="M{pieces.units(x + 2)},{pieces.units(y + 9)} l5,6 l9,-12" stroke-width="2.4"/>'
    return ""


def tokens(board: Board, seat: int, x: float, y: float, size: float) -> str:
    """The tokens won, and an empty ring for each that is still needed."""
    won, target = board.fold.tokens[seat], board.fold.target
    parts = []
    for i in range(max(won, target)):
        left = x + (size + 1) * i
        if i < won:
            token = pieces.use("token", left, y, size, size, "c4")
            parts.append(f'<g data-token="token-{seat}-{i}">{token}</g>')
        else:
            at = f'cx="{pieces.units(left + size / 2)}" cy="{pieces.units(y + size / 2)}"'
            parts.append(f'<circle class="ln" {at} r="{pieces.units(size / 2 - 1.5)}" stroke-dasharray="3 3"/>')
    return "".join(parts) + board.spot(f"tokens{seat}", x + (size + 1) * max(won, 1) - 8, y - 9)


def _hand(board: Board, seat: int, x: float, y: float, room: float) -> str:
    """The cards of a hand: open ones in rows, others one over the other, with their number."""
    hand = sorted(board.fold.hands[seat], key=lambda card: card is None)
    spot = board.spot(f"hand{seat}", x - 9, y + 22)
    if _known(board, seat):
        across = _across(room + 18)
        at = [(x + 29 * (i % across), y + 40 * (i // across)) for i in range(len(hand))]
        return "".join(pieces.small(card, *place, 26) for card, place in zip(hand, at, strict=True)) + spot
    pitch = min(10.0, (room - 90) / max(1, len(hand) - 1))
    drawn = [pieces.small(None, x + pitch * i, y, 26) for i in range(len(hand))]
    if not hand:
        drawn = [pieces.box("ln", x + 0.5, y + 0.5, 25, 35, 4, dashes="3 3")]
    end = x + 26 + pitch * max(0, len(hand) - 1)
    return "".join([*drawn, pieces.text("i2", end + 9, y + 25, board.words.hand_of(len(hand))), spot])


def own(board: Board, seat: int, y: float) -> tuple[str, float]:
    """The viewer's own cards, face up, and his tokens."""
    fold, words, hand = board.fold, board.words, board.fold.hands[seat]
    width = (SIZE + 1) * fold.target
    parts = [
        pieces.seat_mark(seat, 0, y + 12, 24),
        pieces.text("in b", 31, y + 30, words.your_hand, 15),
        pieces.text("i2 e", 352 - width, y + 30, words.your_tokens),
        tokens(board, seat, 360 - width, y + 14, SIZE),
    ]
    if not hand:
        slot = pieces.box("ln", 0.5, y + 46.5, 55, 77, 5, dashes="4 4")
        return "".join([*parts, slot, pieces.text("i2", 68, y + 90, words.no_cards)]), y + 128
    pitch = min(64.0, (360 - 56) / max(1, len(hand) - 1))
    parts += [pieces.face(card, pitch * i, y + 46, 0.56) for i, card in enumerate(hand)]
    parts.append(board.spot(f"hand{seat}", pitch * (len(hand) - 1) - 6, y + 110))
    return "".join(parts), y + 128
