"""The important news of Hexen Rennen: a witch of somebody else has reached the goal."""

from pbem.games.hexen_rennen.facts import Carried, Flew, Played
from pbem.games.hexen_rennen.facts_race import COURSE, State, points_at_place
from pbem.kit.contract import Card, Event, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import say


def card(event: Event, before: State | None, viewer: Viewer, lang: Lang) -> Card | None:
    """Returns the card of a witch that is in the goal; None for all other events, and for the viewer's own witches.

    The witch that ends the race has none: the page of a match that is over shows its result.
    """
    if not isinstance(event, Flew | Carried | Played) or event.target <= COURSE or event.seat == viewer:
        return None
    assert before is not None, "a witch moves after the opening"
    arrived = sum(place > COURSE for place in event.apply(before).witches[event.seat])
    if arrived == len(before.witches[event.seat]):
        return None
    worth = points_at_place(event.target)
    count = say(lang, "C’est sa première sorcière sur trois.", "It is their first witch of three.")
    if arrived > 1:
        fr = "C’est sa deuxième sorcière : la troisième finit la course."
        count = say(lang, fr, "It is their second witch: the third one ends the race.")
    return Card(
        say(lang, f"{{{event.seat}}} atteint l’arrivée", f"{{{event.seat}}} reaches the goal"),
        (say(lang, f"Cette sorcière marque {worth} points.", f"This witch scores {worth} points."), count),
    )
