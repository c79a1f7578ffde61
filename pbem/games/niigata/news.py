"""The important news of Niigata: the last round begins, or somebody has no breeder left."""

from pbem.games.niigata.facts import Claimed, Thrown
from pbem.games.niigata.facts_state import State
from pbem.games.niigata.rules_ponds import points_of_seat
from pbem.kit.contract import Card, Event, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, say, signed

_HEADS = (T("", ""), T("Éleveurs", "Breeders"), T("Points", "Points"))


def card(event: Event, before: State | None, viewer: Viewer, lang: Lang) -> Card | None:
    """Returns the card of the last round, and of the last breeder of somebody else; None for all other events."""
    if not isinstance(event, Thrown | Claimed):
        return None
    assert before is not None, "a round begins after the start tile is placed"
    after: State = event.apply(before)
    if isinstance(event, Thrown) and not after.stock:
        fr = "La pioche est vide : la partie finit après ce tour."
        ends = say(lang, fr, "The stock is empty: the match ends after this round.")
        return Card(say(lang, "Dernier tour", "Last round"), (ends,), _table_of_breeders_and_points(after, lang))
    if isinstance(event, Claimed) and event.seat != viewer and not after.breeders[event.seat] and any(after.breeders):
        fr = "Quand tous les éleveurs sont placés, la partie est finie."
        ends = say(lang, fr, "The match ends once all breeders are placed.")
        title = say(lang, f"{{{event.seat}}} n’a plus d’éleveur", f"{{{event.seat}}} has no breeder left")
        return Card(title, (ends,), _table_of_breeders_and_points(after, lang))
    return None


def _table_of_breeders_and_points(fold: State, lang: Lang) -> tuple[tuple[str, ...], ...]:
    """Returns everybody's breeders left and points so far, the leaders first."""
    worth = [points_of_seat(fold, seat) for seat in range(fold.seats)]
    ranked = sorted(range(fold.seats), key=lambda seat: -worth[seat])
    rows = ((f"{{{seat}}}", str(fold.breeders[seat]), signed(worth[seat])) for seat in ranked)
    return (tuple(head[lang] for head in _HEADS), *rows)
