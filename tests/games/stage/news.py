"""The cards of important news that a viewer is shown."""

from collections.abc import Iterable

from pbem.kit.contract import AnyGame, Card, Event, Viewer
from pbem.kit.secrecy import redact
from pbem.kit.texts import Lang


def cards_shown(game: AnyGame, events: Iterable[Event], viewer: Viewer, lang: Lang) -> list[Card]:
    """The cards of these events, oldest first, with plain spaces."""
    assert game.card is not None, "the game has cards"
    shown, before = [], None
    for event in events:
        seen = redact(event, viewer)
        shown.append(game.card(seen, before, viewer, lang))
        before = game.evolve(before, seen)
    return [
        Card(
            with_plain_spaces(card.title),
            tuple(map(with_plain_spaces, card.lines)),
            tuple(tuple(map(with_plain_spaces, row)) for row in card.table),
        )
        for card in shown
        if card is not None
    ]


def with_plain_spaces(text: str) -> str:
    """The text with plain spaces."""
    return text.replace("\u00a0", " ")
