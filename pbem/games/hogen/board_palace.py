"""The palace of a drawn Hogen board: what is called, who is waited for, and the four open cards."""

from pbem.games.hogen import pieces
from pbem.games.hogen.board_view import Board
from pbem.games.hogen.cards import Call

HEIGHT = 162
"""How high the palace is drawn."""


def palace(board: Board, y: float) -> str:
    """The four open cards, and above them what the table is waiting for."""
    call = "" if board.fold.call is None else _open_call(board, board.fold.call, y)
    end = 312 if call else 348
    first, second = _news(board)
    parts = [
        pieces.box("pa", 0, y, 360, HEIGHT, 8),
        pieces.box("ln", 0.5, y + 0.5, 359, HEIGHT - 1, 8),
        pieces.text("in b", 12, y + 24, board.words.palace, 15),
    ]
    if second or _failed(board):
        parts.append(pieces.text("in e" if second else "in b e", end, y + 18, first, 14 if second else 15))
        parts.append(pieces.text("in b e", end, y + 36, second))
    else:
        parts.append(pieces.text("in b e", end, y + 24, first))
    parts += [call, _unanswered(board, y)]
    parts += [board.card(None, c, 15 + 86 * i, y + 47, 0.72) for i, c in enumerate(_cards(board))]
    return "".join(parts)


def _cards(board: Board) -> list[str]:
    """The open cards; after a chosen exchange the given one lies where the taken one lay, and all others stay."""
    cards = list(board.fold.palace)
    before = [step.removeprefix("take-") for step in board.scene.links if step.startswith("take-")]
    given = [card for card in cards if card not in before]
    if len(before) != len(cards) or len(given) != 1:
        return cards
    return [card if card in cards else given[0] for card in before]


def _news(board: Board) -> tuple[str, str]:
    """Who calls for what, and whose turn it is; or how the match ended."""
    fold, words = board.fold, board.words
    if fold.over:
        return (words.nobody_wins if fold.winner is None else board.name(fold.winner, words.wins)), ""
    if fold.active is None:
        return words.all_choose, ""
    if fold.call is None:
        return board.name(fold.active, words.plays), ""
    calls = board.name(fold.active, words.calls).replace("…", words.wanted(fold.call))
    if board.calling or fold.answering is None:
        return calls, ""
    return calls, board.name(fold.answering, words.answers, 13)


def _open_call(board: Board, call: Call, y: float) -> str:
    """What is called, as a sign; with the seal of a call that is about to be made, the number of one that was."""
    x, top = 318, y + 6
    drawn = pieces.box("sk", x, top, 34, 34, 5) + pieces.box("ln", x, top, 34, 34, 5) + _sign(call, x, top, 34)
    if board.calling:
        return drawn + pieces.seal(x + 18, top + 18, 22)
    if board.called_in is not None:
        drawn += pieces.spot(board.called_in, x + 22, top - 9, 20, board.called_in == board.newest)
    return drawn


def _sign(call: Call, x: float, y: float, size: float) -> str:
    """The mon of a clan, the digit of a rank, both for a card; no piece, for it lies nowhere."""
    middle = x + size / 2
    if call.clan is None:
        return pieces.cartouche(str(call.rank), middle - 11, y + size / 2 - 13, 22, 26)
    colour = pieces.COLOUR[call.clan]
    if call.rank is None:
        return pieces.symbol(f"mon-{call.clan.lower()}", x + 3, y + 3, size - 6, size - 6, colour)
    return pieces.cartouche(str(call.rank), x + 3, y + size / 2 - 11, 15, 22, colour) + pieces.letter(
        call.clan, x + 26, y + size / 2 + 6, 16
    )


def _failed(board: Board) -> tuple[Call, ...]:
    return board.fold.failed if board.fold.call is None and not board.fold.over else ()


def _unanswered(board: Board, y: float) -> str:
    """The calls that nobody answered since something last moved."""
    failed = _failed(board)
    if not failed:
        return ""
    marks = [_sign_flat(call, 348 - 30 * (i + 1) + 2, y + 23) for i, call in enumerate(reversed(failed[-6:]))]
    return "".join(marks) + pieces.text("i2 e", 348 - 30 * len(marks) - 3, y + 38, board.words.unanswered)


def _sign_flat(call: Call, x: float, y: float) -> str:
    """A call in little, on one line."""
    if call.clan is None:
        return pieces.cartouche(str(call.rank), x + 5, y + 1, 18, 19)
    if call.rank is None:
        return pieces.symbol(f"mon-{call.clan.lower()}", x + 3, y, 21, 21, pieces.COLOUR[call.clan])
    return pieces.letter(f"{call.clan}{call.rank}", x + 14, y + 16, 15)
