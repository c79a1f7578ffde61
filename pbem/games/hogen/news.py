"""The important news of Hogen: somebody has declared wrongly and is out."""

from pbem.games.hogen.facts import Guess, Refuted, State, opponents_in_seat_order
from pbem.kit.contract import Card, Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import say


def card(event: Event, before: State | None, viewer: Viewer, lang: Lang) -> Card | None:
    """Returns the card of a wrong declaration; None for all other events."""
    if not isinstance(event, Refuted):
        return None
    assert before is not None, "a declaration comes after the deal"
    goes_on = event.apply(before).active is not None
    if event.seat == viewer:
        return _card_for_loser(event, before, lang, goes_on)
    return _card_for_others(event, before, viewer, lang, goes_on)


def _card_for_loser(event: Refuted, before: State, lang: Lang, goes_on: bool) -> Card:
    """Tells the one who is out, and alone sees the true allies."""
    pairs = zip(opponents_in_seat_order(before, event.seat), event.truth, strict=True)
    truth = _who_hides_which_ally([Guess(seat, card) for seat, card in pairs if card], None, lang)
    lines = [say(lang, "Votre déclaration est fausse.", "Your declaration is wrong.")]
    if truth:  # with closed memory it fades
        lines.append(say(lang, f"En fait, {truth}.", f"In fact, {truth}."))
        lines.append(say(lang, "Gardez-le pour vous.", "Keep this to yourself."))
    if goes_on:
        fr = "Vous répondez encore aux appels, mais vous n’appelez plus."
        lines.append(say(lang, fr, "You still answer calls, but you call no more."))
    return Card(say(lang, "Vous êtes hors jeu", "You are out"), tuple(lines))


def _card_for_others(event: Refuted, before: State, viewer: Viewer, lang: Lang, goes_on: bool) -> Card:
    """Tells everybody else, who learn no more than that not all of it is right."""
    who, named = f"{{{event.seat}}}", _who_hides_which_ally(before.named[event.seat], viewer, lang)
    lines = [
        say(lang, f"Sa déclaration : {named}.", f"The declaration: {named}."),
        say(lang, "Au moins une carte est fausse.", "At least one card is wrong."),
    ]
    if goes_on:
        fr = f"{who} répond encore aux appels, mais n’appelle plus."
        lines.append(say(lang, fr, f"{who} still answers calls, but calls no more."))
    return Card(say(lang, f"{who} est hors jeu", f"{who} is out"), tuple(lines))


def _who_hides_which_ally(allies: list[Guess] | tuple[Guess, ...], viewer: Viewer, lang: Lang) -> Phrase:
    """Returns who hides which card, with the viewer addressed as "you"."""
    you, one = say(lang, "vous cachez", "you hide"), say(lang, "cache", "hides")
    return ", ".join(
        f"{you if guess.seat == viewer else f'{{{guess.seat}}} {one}'} {{{guess.card}}}" for guess in allies
    )
