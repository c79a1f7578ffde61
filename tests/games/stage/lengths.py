"""How long the texts of a game are where they have a fixed place: in the strip above the board of a seat's page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbem.kit.contract import AnyGame, Phrase
from pbem.kit.texts import Lang
from tests.games.stage.boards import positions
from tests.games.stage.words import events_with_folds

MOST_TITLE = 26
MOST_ASKED = 75
"""Of a prompt, and of the sentence for a chosen move: two lines of a phone."""
_NAME = "x" * 8
_MARK = "xx"
"""What the mark of a thing takes beside its notation."""


def length_of_phrase(phrase: Phrase) -> int:
    """Returns the length of the phrase where every name has eight letters.

    >>> length_of_phrase("{0} plays {V7}."), length_of_phrase("A tile.")
    (20, 7)
    """
    named = re.sub(r"\{\d+\}", _NAME, phrase)
    return len(re.sub(r"\{(\w+)\}", rf"\g<1>{_MARK}", named))


def questions_of_matches(game: AnyGame, lang: Lang, every: int = 12) -> Iterator[tuple[str, Phrase]]:
    """Yields what seats are asked in random matches of each number of players, and the sentence of each answer."""
    for table in positions(game, every):
        for ask in game.pending(table.state):
            fold = table.folds[ask.seat]
            yield ask.kind, game.prompt(ask, fold, lang)
            for move in [*game.legal(fold, ask.seat)][:40]:
                yield ask.kind, game.label(move, fold, lang)


def story_of_matches(game: AnyGame, lang: Lang) -> Iterator[tuple[str, Phrase]]:
    """Yields the story of random matches of each number of players, for every viewer, by the kind of event."""
    last = {table.seats: table for table in positions(game, 40)}
    for table in last.values():
        for viewer in table.viewers:
            for before, event, _ in events_with_folds(game, table, viewer):
                yield type(event).__name__, game.tell(event, before, lang)
