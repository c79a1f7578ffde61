"""The texts of a game on its way through random matches."""

from collections.abc import Iterator
from typing import Any

from pbem.kit.contract import AnyGame, Viewer, ask_of
from pbem.kit.play import Table
from pbem.kit.texts import Lang
from tests.games.discovered import log_as_seen

FEW = 40
"""Of how many legal moves of a position the words are read."""


def events_with_folds(game: AnyGame, table: Table, viewer: Viewer) -> Iterator[tuple[Any, Any, Any]]:
    """What the viewer is shown of each event, with their fold before and after it."""
    before = None
    for entry in log_as_seen(game, table.entries, viewer):
        after = game.evolve(before, entry.event)
        yield before, entry.event, after
        before = after


def texts_of_card(game: AnyGame, before: Any, event: Any, viewer: Viewer, lang: Lang) -> list[str]:
    """All that the card of an event says; nothing where it has none."""
    card = game.card(event, before, viewer, lang) if game.card is not None else None
    return [] if card is None else [card.title, *card.lines, *(cell for row in card.table for cell in row)]


def texts_in_french(game: AnyGame, table: Table, viewer: Viewer) -> Iterator[str]:
    """Everything that the viewer reads, is asked and is offered."""
    for at, (before, event, after) in enumerate(events_with_folds(game, table, viewer), 1):
        yield game.tell(event, before, "fr")
        yield from texts_of_card(game, before, event, viewer, "fr")
        if at % 5 == 0 or at == len(table.entries):
            yield from game.describe(after, viewer, "fr")
    if viewer is not None and (ask := ask_of(game, table.state, viewer)):
        own = table.folds[viewer]
        yield game.prompt(ask, own, "fr")
        pad = game.pad(ask, own, "fr")
        yield from (pad.title, pad.note, *(cell.text for row in pad.rows for cell in row))
        legal = game.legal(own, viewer)
        for move in legal[:: max(1, len(legal) // FEW)]:
            yield game.label(move, own, "fr")
            yield from (step.label for step in game.path(move, own, "fr"))
