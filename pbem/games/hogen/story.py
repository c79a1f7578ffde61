"""The story of Hogen: every event in the third person, in both languages."""

from pbem.games.hogen.cards import (
    AllyChosen,
    Began,
    Call,
    Called,
    Dealt,
    Declared,
    Exchanged,
    Guess,
    Passed,
    Refuted,
    State,
    Stopped,
    Unmasked,
    opponents,
)
from pbem.games.hogen.words import AND, hides, joined, lead, to_call, wanted
from pbem.kit.contract import Event, Lang, Phrase
from pbem.kit.notation import french


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, from the fold before it."""
    return french(_tell_fr(event, before)) if lang == "fr" else _tell_en(event, before)


def _tell_fr(event: Event, before: State | None) -> Phrase:
    match event:
        case Dealt(palace, hands):
            cards = joined(palace, AND["fr"])
            return f"Le palais s’ouvre avec {cards} ; chacun reçoit {len(hands[0])} cartes."
        case AllyChosen(seat, card):
            return f"{{{seat}}} cache son alliée" + (f" : {{{card}}}." if card else ".")
        case Began(seat):
            return f"Le sort désigne {{{seat}}} pour commencer."
        case Called(seat):
            return f"{{{seat}}} appelle {wanted(Call(event.clan, event.rank), 'fr')}."
        case Passed(seat):
            caller = _caller_back(event, before)
            return f"{{{seat}}} passe" + ("." if caller is None else f" ; personne n’a répondu, {{{caller}}} rejoue.")
        case Exchanged(seat, given, taken):
            answered = f" répond {to_call(before.call)}," if before and before.call else ""
            return f"{{{seat}}}{answered} pose {{{given}}} et prend {{{taken}}}.{lead(event, before, 'fr')}"
        case Declared(seat, allies):
            return f"{{{seat}}} déclare : {hides(allies, 'fr')}."
        case Unmasked(seat):
            return f"Tout est juste, les alliées sont montrées : {{{seat}}} gagne."
        case Refuted(seat):
            known = f" {{{seat}}} voit les vraies alliées : {truth}." if (truth := _truth(event, before, "fr")) else ""
            return f"C’est faux : {{{seat}}} est hors jeu.{known}{lead(event, before, 'fr')}"
        case Stopped("cap"):
            return "Cent échanges ont eu lieu : la partie s’arrête et personne ne gagne."
        case Stopped():
            return "Tout le monde s’est trompé : personne ne gagne."
    return ""


def _tell_en(event: Event, before: State | None) -> Phrase:
    match event:
        case Dealt(palace, hands):
            return f"The palace opens with {joined(palace, AND['en'])}; everybody is dealt {len(hands[0])} cards."
        case AllyChosen(seat, card):
            return f"{{{seat}}} hides an ally" + (f": {{{card}}}." if card else ".")
        case Began(seat):
            return f"The lot falls on {{{seat}}} to begin."
        case Called(seat):
            return f"{{{seat}}} calls for {wanted(Call(event.clan, event.rank), 'en')}."
        case Passed(seat):
            caller = _caller_back(event, before)
            return f"{{{seat}}} passes" + ("." if caller is None else f"; nobody answered, {{{caller}}} goes again.")
        case Exchanged(seat, given, taken):
            answered = f" answers the call for {wanted(before.call, 'en')}," if before and before.call else ""
            return f"{{{seat}}}{answered} lays {{{given}}} and takes {{{taken}}}.{lead(event, before, 'en')}"
        case Declared(seat, allies):
            return f"{{{seat}}} declares: {hides(allies, 'en')}."
        case Unmasked(seat):
            return f"All of it is right, the allies are shown: {{{seat}}} wins."
        case Refuted(seat):
            known = f" {{{seat}}} sees the true allies: {truth}." if (truth := _truth(event, before, "en")) else ""
            return f"That is wrong: {{{seat}}} is out.{known}{lead(event, before, 'en')}"
        case Stopped("cap"):
            return "A hundred exchanges have been made: the match stops and nobody wins."
        case Stopped():
            return "Everybody was wrong: nobody wins."
    return ""


def _caller_back(event: Passed, before: State | None) -> int | None:
    """The caller, if this was the last pass and the call comes back to him."""
    if before is None or before.active != (event.seat + 1) % before.seats:
        return None
    return before.active


def _truth(event: Refuted, before: State | None, lang: Lang) -> str:
    if before is None:
        return ""
    pairs = zip(opponents(before, event.seat), event.truth, strict=True)
    return hides([Guess(seat, card) for seat, card in pairs if card], lang)
