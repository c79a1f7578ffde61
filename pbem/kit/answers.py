"""What one types to answer a question: the game's notation, without what the question says already.

Asked what to call for, one answers `F3`, not `call F3`. The first word can be left out wherever that leaves one move.
"""

from collections.abc import Sequence
from typing import TypeVar

from pbem.kit.choices import kinds_of
from pbem.kit.contract import AnyGame, Move, Seat, Unreadable

M = TypeVar("M", bound=Move)


def read_answer(game: AnyGame, text: str, seat: Seat, legal: Sequence[M]) -> Move:
    """Returns the move that the seat has typed as its answer to the question with these legal moves; it may be illegal.

    The notation wins: only what cannot be read as it is stands for a move whose first word was left out. Raises
    Unreadable, as the game does.
    """
    try:
        read: Move = game.parse(text, seat)
    except Unreadable:
        meant = _meant(game, text, seat, legal)
        if meant is None:
            raise
        return meant
    return read


def answer_text(game: AnyGame, move: M, seat: Seat, legal: Sequence[M]) -> str:
    """Returns what the seat types to answer with this legal move: its notation, without the first word if it can be
    left out.

    `read_answer` reads it as this move.
    """
    whole: str = game.format(move)
    _, _, rest = whole.partition(" ")
    try:
        short = bool(rest) and read_answer(game, rest, seat, legal) == move
    except Unreadable:
        short = False
    return rest if short else whole


def _meant(game: AnyGame, text: str, seat: Seat, legal: Sequence[M]) -> Move | None:
    """Returns the one move that this is the rest of; if several are, the one that is legal, None without such.

    What adds nothing to the first word names no move: "thank you" is no pass, though "pass, thank you" is one.
    """
    found: list[Move] = []
    bare: list[Move | None] = []
    for moves in kinds_of(legal).values():
        word = game.format(moves[0]).partition(" ")[0]
        move = _parsed(game, f"{word} {text}", seat)
        bare.append(_parsed(game, word, seat))
        if move is not None and move not in found:
            found.append(move)
    if len(found) > 1:
        found = [move for move in found if move in legal]
    return found[0] if len(found) == 1 and found[0] not in bare else None


def _parsed(game: AnyGame, text: str, seat: Seat) -> Move | None:
    try:
        move: Move = game.parse(text, seat)
    except Unreadable:
        return None
    return move
