"""Pads: the answers to a question as a small table, from which a mail takes its links."""

from collections.abc import Iterable, Sequence

from pbem.kit.contract import Cell, Pad, Step
from pbem.kit.texts import Lang
from pbem.kit.words import typeset

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


def listed(title: str, paths: Iterable[Sequence[Step]]) -> Pad:
    """Returns the pad that has the first step of each path in full, a row each; if they are too many, just the title.

    >>> [row[0].text for row in listed("Play", [(Step("a", "Play A"),), (Step("b", "Play B"),)]).rows]
    ['Play A', 'Play B']
    >>> listed("Play", [(Step(str(n), f"Play {n}"),) for n in range(100)]).rows
    ((Cell(text='Play', steps=()),),)
    """
    first = {path[0].text: path[0] for path in paths}
    if len(first) > MOST_FIELDS:
        return Pad(title, ((Cell(title, ()),),))
    return Pad(title, tuple((Cell(step.label, (step,)),) for step in first.values()))


def typeset_pad(pad: Pad, lang: Lang) -> Pad:
    """Returns the pad with the spaces that its language requires."""
    rows = tuple(tuple(Cell(typeset(cell.text, lang), cell.steps) for cell in row) for row in pad.rows)
    return Pad(typeset(pad.title, lang), rows, typeset(pad.note, lang), pad.places)
