"""The board of Hogen in words."""

from pbem.games.hogen.facts import State, unseen_cards
from pbem.games.samurai import legend_of_card, names_of_known_cards
from pbem.kit.contract import Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, joined, put_in, say, seat_and_place, seats_waited_for, seen_from


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line; never a card that the fold does not know."""
    palace, hidden = names_of_known_cards(fold.palace, lang), names_of_known_cards(unseen_cards(fold), lang)
    never = T("Cartes jamais vues", "Cards never seen") if fold.has_open_memory else T("Cartes cachées", "Hidden cards")
    failed = ", ".join(call.short(lang) for call in fold.failed)
    return [
        say(lang, f"Palais : {palace}.", f"Palace: {palace}.") if palace else "",
        _turn_or_winner_in_words(fold, lang, over=over),
        *(_seat_in_words(fold, seat, viewer, lang, over=over) for seat in seen_from(viewer, fold.seats)),
        say(lang, f"Appels restés sans réponse : {failed}.", f"Calls that nobody answered: {failed}.")
        if failed
        else "",
        say(lang, f"{never.fr} : {hidden}.", f"{never.en}: {hidden}.") if hidden else "",
        legend_of_card(lang),
    ]


def _turn_or_winner_in_words(fold: State, lang: Lang, *, over: bool) -> str:
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
        call = fold.call.short(lang)
        return say(lang, f"{active} avait appelé {call}.", f"{active} had called for {call}.")
    if fold.active is None:
        left = seats_waited_for(seat for seat in range(fold.seats) if not fold.chosen[seat])
        return say(lang, f"On attend encore l’alliée de : {left}.", f"Still to choose an ally: {left}.")
    if fold.call is None:
        return say(lang, f"Le joueur actif est {active}.", f"{active} is the active player.")
    call = fold.call.short(lang)
    fr = f"{active} appelle {call} ; la réponse est à {{{fold.answering}}}."
    return say(lang, fr, f"{active} calls for {call}; {{{fold.answering}}} is to answer.")


def _seat_in_words(fold: State, seat: int, viewer: Viewer, lang: Lang, *, over: bool) -> str:
    out = say(lang, ", hors jeu", ", out") if fold.out[seat] else ""
    who, hidden = seat_and_place(seat, viewer, lang, out), fold.hands[seat].count(None)
    known = ", ".join(put_in(card) for card in fold.hands[seat] if card)
    unknown = say(lang, f"{hidden} inconnue{'s' if hidden > 1 else ''}", f"{hidden} unknown") if hidden else ""
    hand, ally = joined(filter(None, (known, unknown)), lang), _ally_in_words(fold, seat, lang, over=over)
    return say(lang, f"{who} : main {hand} ; {ally}.", f"{who}: hand {hand}; {ally}.")


def _ally_in_words(fold: State, seat: int, lang: Lang, *, over: bool) -> str:
    card = fold.allies[seat]
    if not fold.chosen[seat] and over:
        return say(lang, "aucune alliée", "no ally")
    if not fold.chosen[seat]:
        return say(lang, "alliée pas encore choisie", "ally not chosen yet")
    if card is None:
        return say(lang, "alliée inconnue", "ally unknown")
    return say(lang, f"alliée {{{card}}}", f"ally {{{card}}}")
