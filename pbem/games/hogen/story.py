"""The story of Hogen: every event in the third person, and the board in words."""

from pbem.games.hogen import facts
from pbem.games.hogen.facts import Call, Guess, State, opponents, unseen
from pbem.games.hogen.words import lead, name_allies, what_it_asks
from pbem.games.samurai import cards_joined, legend
from pbem.kit.contract import Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import joined, put_in, say, seat_and_place, seats_waited_for, seen_from


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it."""
    match event:
        case facts.Dealt(palace, hands):
            cards, each = cards_joined(palace, lang), len(hands[0])
            return say(
                lang,
                f"Palais : {cards}. Chacun reçoit {each} cartes.",
                f"Palace: {cards}. Everyone gets {each} cards.",
            )
        case facts.AllyChosen(seat, None):
            return say(lang, f"{{{seat}}} cache son alliée.", f"{{{seat}}} hides an ally.")
        case facts.AllyChosen(seat, card):
            return say(lang, f"{{{seat}}} cache son alliée : {{{card}}}.", f"{{{seat}}} hides an ally: {{{card}}}.")
        case facts.Began(seat):
            return say(lang, f"{{{seat}}} commence, par tirage au sort.", f"{{{seat}}} is drawn to begin.")
        case facts.Called(seat, clan, rank):
            what = what_it_asks(Call(clan, rank), lang)
            return say(lang, f"{{{seat}}} appelle {what}.", f"{{{seat}}} calls for {what}.")
        case facts.Declared(seat, allies):
            named = name_allies(allies)
            return say(lang, f"{{{seat}}} déclare : {named}.", f"{{{seat}}} declares: {named}.")
        case facts.Unmasked(seat):
            return say(
                lang,
                f"Tout est juste : {{{seat}}} gagne. Les alliées sont montrées.",
                f"All of it is right: {{{seat}}} wins. The allies are shown.",
            )
        case facts.Stopped("cap"):
            return say(
                lang,
                "Cent échanges : la partie s’arrête, personne ne gagne.",
                "A hundred exchanges: the match ends and no one wins.",
            )
        case facts.Stopped():
            return say(lang, "Tout le monde s’est trompé : personne ne gagne.", "Everyone was wrong: no one wins.")
    assert before is not None, "a call and an answer come after the deal"
    match event:
        case facts.Passed(seat) if (seat + 1) % before.seats == before.active:
            return say(
                lang,
                f"{{{seat}}} passe. Personne n’a répondu : {{{before.active}}} rejoue.",
                f"{{{seat}}} passes. No one answered: {{{before.active}}} goes again.",
            )
        case facts.Passed(seat):
            return say(lang, f"{{{seat}}} passe.", f"{{{seat}}} passes.")
        case facts.Exchanged(seat, given, taken):
            said = say(
                lang,
                f"{{{seat}}} pose {{{given}}} et prend {{{taken}}}.",
                f"{{{seat}}} lays {{{given}}} and takes {{{taken}}}.",
            )
            return said + lead(event, before, lang)
    assert isinstance(event, facts.Refuted), "every other event is above"
    seat, pairs = event.seat, zip(opponents(before, event.seat), event.truth, strict=True)
    if truth := name_allies(Guess(other, card) for other, card in pairs if card):
        return say(lang, f"{{{seat}}} est hors jeu. En fait : {truth}.", f"{{{seat}}} is out. In fact: {truth}.")
    return say(lang, f"C’est faux : {{{seat}}} est hors jeu.", f"That is wrong: {{{seat}}} is out.") + lead(
        event, before, lang
    )


# --- the board in words --------------------------------------------------------------------------------------


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line; never a card that the fold does not know."""
    palace, never_seen = cards_joined(fold.palace, lang), cards_joined(unseen(fold), lang)
    failed = ", ".join(what_it_asks(call, lang) for call in fold.failed)
    return [
        say(lang, f"Palais : {palace}.", f"Palace: {palace}."),
        _now(fold, lang, over=over),
        *(_seat(fold, seat, viewer, lang, over=over) for seat in seen_from(viewer, fold.seats)),
        say(lang, f"Appels restés sans réponse : {failed}.", f"Calls that nobody answered: {failed}.")
        if failed
        else "",
        say(lang, f"Cartes jamais vues : {never_seen}.", f"Cards never seen: {never_seen}.") if never_seen else "",
        legend(lang),
    ]


def _now(fold: State, lang: Lang, *, over: bool) -> str:
    """Whose turn it is, or who has won; what was called if the match is over without them."""
    active = f"{{{fold.active}}}"
    if fold.over:
        who = f"{{{fold.winner}}}"
        if fold.winner is None:
            return say(lang, "La partie est terminée, personne n’a gagné.", "The match is over, nobody won.")
        return say(lang, f"La partie est terminée, {who} a gagné.", f"The match is over, {who} won.")
    if over:
        if fold.call is None:
            return ""
        call = what_it_asks(fold.call, lang)
        return say(lang, f"{active} avait appelé {call}.", f"{active} had called for {call}.")
    if fold.active is None:
        left = seats_waited_for(seat for seat in range(fold.seats) if not fold.chosen[seat])
        return say(lang, f"On attend encore l’alliée de : {left}.", f"Still to choose an ally: {left}.")
    if fold.call is None:
        return say(lang, f"Le joueur actif est {active}.", f"{active} is the active player.")
    call = what_it_asks(fold.call, lang)
    return say(
        lang,
        f"{active} appelle {call} ; la réponse est à {{{fold.answering}}}.",
        f"{active} calls for {call}; {{{fold.answering}}} is to answer.",
    )


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang, *, over: bool) -> str:
    out = say(lang, ", hors jeu", ", out") if fold.out[seat] else ""
    who, hidden = seat_and_place(seat, viewer, lang, out), fold.hands[seat].count(None)
    known = ", ".join(put_in(card) for card in fold.hands[seat] if card)
    unknown = say(lang, f"{hidden} inconnue{'s' if hidden > 1 else ''}", f"{hidden} unknown") if hidden else ""
    hand, ally = joined(filter(None, (known, unknown)), lang), _ally(fold, seat, lang, over=over)
    return say(lang, f"{who} : main {hand} ; {ally}.", f"{who}: hand {hand}; {ally}.")


def _ally(fold: State, seat: int, lang: Lang, *, over: bool) -> str:
    card = fold.allies[seat]
    if not fold.chosen[seat] and over:
        return say(lang, "aucune alliée", "no ally")
    if not fold.chosen[seat]:
        return say(lang, "alliée pas encore choisie", "ally not chosen yet")
    if card is None:
        return say(lang, "alliée inconnue", "ally unknown")
    return say(lang, f"alliée {{{card}}}", f"ally {{{card}}}")
