"""What may be typed for an open question, in a mail: what stands in a choice's box is its answer.

    1. the game's notation, whole or without its first word (`pbem.kit.answers`), legal or not
    2. what stands in the box of a choice, in either language

The notation wins, always: names of players stand in boxes, and a name may look like a card. Where a box says another
move than the notation, the text names none.

Made from the seat's own fold, like all that it reads.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pbem.kit.answers import read_answer
from pbem.kit.contract import AnyGame, Ask, Cell, Move, Unreadable
from pbem.kit.orders.following import question_after
from pbem.kit.texts import LANGS
from pbem.render import phrases
from pbem.services.views.match_views import View

_SPACES = re.compile(r"\s+")
_ENDS = " .!,;:"


def folded(text: str) -> str:
    """Returns the text without accents, case, and what surrounds it: texts that are the same so are the same answer.

    >>> folded(" Contester ! "), folded("Let it  pass.")
    ('contester', 'let it pass')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return _SPACES.sub(" ", plain).strip(_ENDS)


@dataclass(frozen=True)
class ShortAnswers:
    """The answers to a question that `seat` is asked in this fold, its own; `names` are those of all seats."""

    game: AnyGame
    fold: Any
    seat: int
    ask: Ask
    names: tuple[str, ...]

    def move(self, text: str) -> Move | None:
        """Returns the move that the text names, legal or not; None if it names none, or two."""
        try:
            read: Move | None = read_answer(self.game, text, self.seat, self._legal)
        except Unreadable:
            read = None
        boxed = self._boxes.get(folded(text))
        if read is None or boxed is None:
            return read or boxed
        return read if read == boxed else None

    def after(self, move: Move) -> "ShortAnswers | None":
        """Returns the answers to what the seat is asked next if it plays this move; None if that is not known."""
        if move not in self._legal:
            return None
        found = question_after(self.game, self.fold, self.seat, self.game.preview(self.fold, self.seat, move))
        return ShortAnswers(self.game, found[0], self.seat, found[1], self.names) if found is not None else None

    @cached_property
    def _legal(self) -> Any:
        return self.game.legal(self.fold, self.seat)

    @cached_property
    def _boxes(self) -> dict[str, Move]:
        boxes = ((cell, lang) for lang in LANGS for cell in self._cells(lang))
        named = ((phrases.text(cell.text, self.names), self._of_cell(cell)) for cell, _ in boxes)
        return _unambiguous((text, move) for text, move in named if move is not None)

    def _cells(self, lang: Any) -> list[Cell]:
        pad = self.game.pad(self.ask, self.fold, lang)
        return [cell for row in (*pad.rows, *pad.places) for cell in row if cell.steps]

    def _of_cell(self, cell: Cell) -> Move | None:
        """Returns the move that the choice makes; None if it leaves something open."""
        steps = tuple(step.text for step in cell.steps or ())
        found = self._paths.get(steps, [])
        return found[0] if len(found) == 1 else None

    @cached_property
    def _paths(self) -> dict[tuple[str, ...], list[Move]]:
        """The legal moves by each beginning of their paths."""
        found: dict[tuple[str, ...], list[Move]] = defaultdict(list)
        for move in self._legal:
            steps = tuple(step.text for step in self.game.path(move, self.fold, "en"))
            for length in range(1, len(steps) + 1):
                found[steps[:length]].append(move)
        return found


def short_answers(view: View) -> ShortAnswers | None:
    """Returns the answers to the viewer's open question; None if they are asked nothing."""
    if view.ask is None or view.viewer is None:
        return None
    return ShortAnswers(view.game, view.fold, view.viewer, view.ask.ask, view.sheet.names)


def _unambiguous(named: Iterable[tuple[str, Move]]) -> dict[str, Move]:
    """Returns what each text stands for, but for those that stand for several moves."""
    found: dict[str, list[Move]] = defaultdict(list)
    for text, move in named:
        if move not in found[folded(text)]:
            found[folded(text)].append(move)
    return {text: moves[0] for text, moves in found.items() if len(moves) == 1 and text}
