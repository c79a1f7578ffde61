"""What one types to answer a question: the game's notation, without what the question says already; pads.

Asked what to call for, one answers `F3`, not `call F3`. The first word can be left out wherever that leaves one move.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from pbem.kit.choices import kinds_of
from pbem.kit.contract import AnyGame, Cell, Move, Pad, Seat, Step, Unreadable
from pbem.kit.notation import french
from pbem.kit.texts import Lang

M = TypeVar("M", bound=Move)


def read_answer(game: AnyGame, text: str, seat: Seat, legal: Sequence[M]) -> Move:
    """Returns the move that the seat has typed as its answer to the question with these legal moves; it may be illegal.

    The notation wins: only what cannot be read as it is stands for a move whose first word was left out. Raises
    Unreadable, as the game does.
    """
    try:
        read: Move = game.parse(text, seat)
    except Unreadable:
        meant = _move_with_first_word_added(game, text, seat, legal, first_words_of_moves(game, legal), _parse_or_none)
        if meant is None:
            raise
        return meant
    return read


def first_words_of_moves(game: AnyGame, legal: Sequence[Move]) -> Iterator[str]:
    """Yields the words with which the notation of these moves begins, one for each kind of move."""
    return (game.format(moves[0]).partition(" ")[0] for moves in kinds_of(legal).values())


def shortest_answer_text(game: AnyGame, move: M, seat: Seat, legal: Sequence[M], words: Sequence[str]) -> str:
    """Returns what the seat types to answer with this legal move: its notation, without the first word if it can be
    left out.

    `read_answer` reads it as this move. `words` are the `first_words_of_moves` of the legal moves.
    """
    whole: str = game.format(move)
    _, _, rest = whole.partition(" ")
    read = (
        (_known(game, rest, seat) or _move_with_first_word_added(game, rest, seat, legal, words, _known))
        if rest
        else None
    )
    return rest if read == move else whole


def _move_with_first_word_added(
    game: AnyGame, text: str, seat: Seat, legal: Sequence[M], words: Iterable[str],
    parsed: Callable[[AnyGame, str, Seat], Move | None],
) -> Move | None:  # fmt: skip
    """Returns the one move that this is the rest of; if several are, the one that is legal, None without such.

    What adds nothing to the first word names no move: "thank you" is no pass, though "pass, thank you" is one.
    """
    found: list[Move] = []
    bare: list[Move | None] = []
    for word in words:
        move = parsed(game, f"{word} {text}", seat)
        bare.append(parsed(game, word, seat))
        if move is not None and move not in found:
            found.append(move)
    if len(found) > 1:
        found = [move for move in found if move in legal]
    return found[0] if len(found) == 1 and found[0] not in bare else None


def _parse_or_none(game: AnyGame, text: str, seat: Seat) -> Move | None:
    try:
        move: Move = game.parse(text, seat)
    except Unreadable:
        return None
    return move


_known = lru_cache(2048)(_parse_or_none)
"""Of what a game itself writes: mails ask the same again and again."""


# --- pads ----------------------------------------------------------------------------------------------------

MOST_COLUMNS = 5
"""What fits beside each other on a phone."""
MOST_FIELDS = 24
"""The most answers in one mail: its links, which are long, must stay below the size at which mails are cut."""
MOST_PLACES = 40
"""The most places in the map of a mail that can be chosen: they are links with short texts."""
BLANK = Cell("")
TAKEN = Cell("■")
MARKED = "●"
"""The text of a place that differs from the others that can be chosen."""

Row = tuple[Cell, ...]


def rows_of(cells: Iterable[Cell], width: int) -> tuple[Row, ...]:
    """Returns the fields in rows of `width` or fewer, all equally long: the last one is filled up.

    >>> [len(row) for row in rows_of([Cell("a"), Cell("b"), Cell("c")], 2)]
    [2, 2]
    """
    found = list(cells)
    width = min(width, len(found)) or 1
    found += [BLANK] * (-len(found) % width)
    return tuple(tuple(found[at : at + width]) for at in range(0, len(found), width))


def pad_of_first_steps(title: str, paths: Iterable[Sequence[Step]]) -> Pad:
    """Returns the pad that has the first step of each path in full, a row each; if they are too many, just the title.

    >>> [row[0].text for row in pad_of_first_steps("Play", [(Step("a", "Play A"),), (Step("b", "Play B"),)]).rows]
    ['Play A', 'Play B']
    >>> pad_of_first_steps("Play", [(Step(str(n), f"Play {n}"),) for n in range(100)]).rows
    ((Cell(text='Play', steps=()),),)
    """
    first = {path[0].text: path[0] for path in paths}
    if len(first) > MOST_FIELDS:
        return Pad(title, ((Cell(title, ()),),))
    return Pad(title, tuple((Cell(step.label, (step,)),) for step in first.values()))


def typeset_pad(pad: Pad, lang: Lang) -> Pad:
    """Returns the pad with the spaces that its language requires: English requires none."""
    if lang == "en":
        return pad
    rows = tuple(tuple(Cell(french(cell.text), cell.steps) for cell in row) for row in pad.rows)
    return Pad(french(pad.title), rows, french(pad.note), pad.places)
