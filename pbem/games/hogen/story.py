"""The story of Hogen: every event in the third person, in both languages."""

from pbem.games.hogen import facts
from pbem.games.hogen.facts import Call, Guess, State, opponents
from pbem.games.hogen.words import answers, hides, lead, wanted
from pbem.games.samurai import cards_joined
from pbem.kit.contract import Event, Phrase
from pbem.kit.texts import Lang
from pbem.kit.words import say


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it."""
    match event:
        case facts.Dealt() | facts.AllyChosen() | facts.Began():
            return _beginning(event, lang)
        case facts.Stopped("cap"):
            return say(
                lang,
                "Cent échanges ont eu lieu : la partie s’arrête et personne ne gagne.",
                "There have been a hundred exchanges: the match ends and no one wins.",
            )
        case facts.Stopped():
            return say(lang, "Tout le monde s’est trompé : personne ne gagne.", "Everyone was wrong: no one wins.")
    assert before is not None, "nothing else comes before the deal"
    match event:
        case facts.Called() | facts.Passed() | facts.Exchanged():
            return _exchange(event, before, lang)
        case facts.Declared() | facts.Unmasked() | facts.Refuted():
            return _declaration(event, before, lang)
    raise TypeError(f"{event} is no event of Hogen")


def _beginning(event: facts.Dealt | facts.AllyChosen | facts.Began, lang: Lang) -> Phrase:
    """Tells what lies in the palace, what everybody hides, and who begins."""
    match event:
        case facts.Dealt(palace, hands):
            cards, each = cards_joined(palace, lang), len(hands[0])
            return say(
                lang,
                f"Le palais s’ouvre avec {cards} ; chacun reçoit {each} cartes.",
                f"The palace opens with {cards}; everyone is dealt {each} cards.",
            )
        case facts.AllyChosen(seat, None):
            return say(lang, f"{{{seat}}} cache son alliée.", f"{{{seat}}} hides an ally.")
        case facts.AllyChosen(seat, card):
            return say(lang, f"{{{seat}}} cache son alliée : {{{card}}}.", f"{{{seat}}} hides an ally: {{{card}}}.")
        case facts.Began(seat):
            return say(lang, f"{{{seat}}} commence, par tirage au sort.", f"{{{seat}}} is drawn to begin.")


def _exchange(event: facts.Called | facts.Passed | facts.Exchanged, before: State, lang: Lang) -> Phrase:
    """Tells what is called for, who has no such card, and who gives one."""
    match event:
        case facts.Called(seat, clan, rank):
            what = wanted(Call(clan, rank), lang)
            return say(lang, f"{{{seat}}} appelle {what}.", f"{{{seat}}} calls for {what}.")
        case facts.Passed(seat) if (seat + 1) % before.seats == before.active:
            return say(
                lang,
                f"{{{seat}}} passe ; personne n’a répondu, {{{before.active}}} rejoue.",
                f"{{{seat}}} passes; no one answered, so {{{before.active}}} goes again.",
            )
        case facts.Passed(seat):
            return say(lang, f"{{{seat}}} passe.", f"{{{seat}}} passes.")
        case facts.Exchanged(seat, given, taken):
            who = f"{{{seat}}} {answers(before.call, lang)}," if before.call else f"{{{seat}}}"
            return say(
                lang, f"{who} pose {{{given}}} et prend {{{taken}}}.", f"{who} lays {{{given}}} and takes {{{taken}}}."
            ) + lead(event, before, lang)


def _declaration(event: facts.Declared | facts.Unmasked | facts.Refuted, before: State, lang: Lang) -> Phrase:
    """Tells what is declared, and whether it is right; the true allies for a declarer who was wrong."""
    match event:
        case facts.Declared(seat, allies):
            named = hides(allies, lang)
            return say(lang, f"{{{seat}}} déclare : {named}.", f"{{{seat}}} declares: {named}.")
        case facts.Unmasked(seat):
            return say(
                lang,
                f"Tout est juste, les alliées sont montrées : {{{seat}}} gagne.",
                f"All of it is right, and the allies are shown: {{{seat}}} wins.",
            )
        case facts.Refuted(seat, truth):
            text = say(lang, f"C’est faux : {{{seat}}} est hors jeu.", f"That is wrong: {{{seat}}} is out.")
            pairs = zip(opponents(before, seat), truth, strict=True)
            seen = hides([Guess(other, card) for other, card in pairs if card], lang)
            if seen:
                text += say(
                    lang, f" {{{seat}}} voit les vraies alliées : {seen}.", f" {{{seat}}} sees the true allies: {seen}."
                )
            return text + lead(event, before, lang)
