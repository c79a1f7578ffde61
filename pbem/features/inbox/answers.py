"""What may be typed into the answer to a mail: what stands in a choice's box there is the choice's answer.

    1. the game's notation, whole or without its first word (`pbem.kit.answers`), legal or not
    2. what stands in the box of a choice, in either language

Names of players stand in boxes, and a name may look like a card: where a box says another move than the notation, the
text names none. All is made from the seat's own fold.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pbem.kit.answers import read_answer
from pbem.kit.contract import AnyGame, Ask, Move, Unreadable
from pbem.kit.notation import plain_text
from pbem.kit.orders.following import fold_and_question_of_sitting
from pbem.kit.texts import LANGS
from pbem.render import phrases
from pbem.services.views.match_views import View

_ENDS = " .!,;:"


def comparable_text(text: str) -> str:
    """Returns the text without accents, case, and what surrounds it: texts that are the same so are the same answer.

    >>> comparable_text(" Contester ! "), comparable_text("Let it  pass.")
    ('contester', 'let it pass')
    """
    return plain_text(text).strip(_ENDS)


@dataclass(frozen=True)
class ShortAnswers:
    """The answers to a question that `seat` is asked in this fold, its own; `names` are those of all seats."""

    game: AnyGame
    fold: Any
    seat: int
    ask: Ask
    names: tuple[str, ...]

    def move_named(self, text: str) -> Move | None:
        """Returns the move that the text names, legal or not; None if it names none, or two."""
        try:
            read: Move | None = read_answer(self.game, text, self.seat, self._legal_moves)
        except Unreadable:
            read = None
        boxed = self._moves_by_boxed_text.get(comparable_text(text))
        if read is None or boxed is None:
            return read or boxed
        return read if read == boxed else None

    def answers_after(self, move: Move) -> "ShortAnswers | None":
        """Returns the answers to what the seat is asked next if it plays this move; None if that is not known."""
        if move not in self._legal_moves:
            return None
        found = fold_and_question_of_sitting(
            self.game, self.fold, self.seat, self.game.preview(self.fold, self.seat, move)
        )
        return ShortAnswers(self.game, found[0], self.seat, found[1], self.names) if found is not None else None

    @cached_property
    def _legal_moves(self) -> Any:
        return self.game.legal(self.fold, self.seat)

    @cached_property
    def _moves_by_boxed_text(self) -> dict[str, Move]:
        """The move that each text in a box stands for, in either language; without texts that stand for several."""
        found: dict[str, set[Move]] = defaultdict(set)
        for lang in LANGS:
            pad = self.game.pad(self.ask, self.fold, lang)
            for cell in (cell for row in (*pad.rows, *pad.places) for cell in row if cell.steps):
                moves = self._moves_by_beginning.get(tuple(step.text for step in cell.steps or ()), [])
                if len(moves) == 1:  # else the choice leaves something open
                    found[comparable_text(phrases.phrase_text(cell.text, self.names))].add(moves[0])
        return {text: moves.pop() for text, moves in found.items() if len(moves) == 1 and text}

    @cached_property
    def _moves_by_beginning(self) -> dict[tuple[str, ...], list[Move]]:
        """The legal moves by each beginning of their paths."""
        found: dict[tuple[str, ...], list[Move]] = defaultdict(list)
        for move in self._legal_moves:
            steps = tuple(step.text for step in self.game.path(move, self.fold, "en"))
            for length in range(1, len(steps) + 1):
                found[steps[:length]].append(move)
        return found


def short_answers_of_view(view: View) -> ShortAnswers | None:
    """Returns the answers to the viewer's open question; None if they are asked nothing."""
    if view.ask is None or view.viewer is None:
        return None
    return ShortAnswers(view.game, view.fold, view.viewer, view.ask.ask, view.sheet.names)
