"""The board of Hogen in words: enough to play from a mail without pictures."""

from pbem.games.hogen.cards import State
from pbem.games.hogen.words import AND, CLAN_NAMES, joined, unseen, wanted
from pbem.kit.contract import Lang, Phrase, Viewer
from pbem.kit.notation import french, seat_letter


def describe(fold: State, viewer: Viewer, lang: Lang) -> tuple[Phrase, ...]:
    """The position as the viewer knows it, a line each; never a card that the fold does not know."""
    fr = lang == "fr"
    lines = [
        ("Palais : " if fr else "Palace: ") + joined(fold.palace, AND[lang]) + ".",
        _whose_turn(fold, lang),
        *(_seat(fold, seat, viewer, lang) for seat in _order(fold, viewer)),
    ]
    if fold.failed:
        calls = ", ".join(wanted(call, lang) for call in fold.failed)
        lines.append(f"Appels restés sans réponse : {calls}." if fr else f"Calls that nobody answered: {calls}.")
    if hidden := joined(unseen(fold), AND[lang]):
        lines.append(f"Cartes jamais vues : {hidden}." if fr else f"Cards never seen: {hidden}.")
    clans = ", ".join(f"{letter} {name}" for letter, name in CLAN_NAMES.items())
    lines.append(f"Clans : {clans} ; le chiffre est le rang." if fr else f"Clans: {clans}; the digit is the rank.")
    return tuple(map(french, lines)) if fr else tuple(lines)


def _order(fold: State, viewer: Viewer) -> list[int]:
    """The viewer first, then clockwise."""
    return [((viewer or 0) + step) % fold.seats for step in range(fold.seats)]


def _whose_turn(fold: State, lang: Lang) -> str:
    fr = lang == "fr"
    if fold.over:
        if fold.winner is None:
            return "La partie est terminée, personne n’a gagné." if fr else "The match is over, nobody won."
        return (
            f"La partie est terminée, {{{fold.winner}}} a gagné."
            if fr
            else f"The match is over, {{{fold.winner}}} won."
        )
    if fold.active is None:
        left = " · ".join(f"{{{seat}}}" for seat in range(fold.seats) if not fold.chosen[seat])
        return f"On attend encore l’alliée de : {left}." if fr else f"Still to choose an ally: {left}."
    if fold.call is None:
        return f"Le joueur actif est {{{fold.active}}}." if fr else f"{{{fold.active}}} is the active player."
    call = wanted(fold.call, lang)
    if fr:
        return f"{{{fold.active}}} appelle {call} ; la réponse est à {{{fold.answering}}}."
    return f"{{{fold.active}}} calls for {call}; {{{fold.answering}}} is to answer."


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    fr = lang == "fr"
    hand, ally = _hand(fold, seat, lang), _ally(fold, seat, lang)
    out = (", hors jeu" if fr else ", out") if fold.out[seat] else ""
    place = f"place {seat_letter(seat)}" if fr else f"seat {seat_letter(seat)}"
    who = f"{{{seat}}} ({place}{', vous' if fr else ', you'}{out})" if seat == viewer else f"{{{seat}}} ({place}{out})"
    return f"{who} : {hand} ; {ally}." if fr else f"{who}: {hand}; {ally}."


def _hand(fold: State, seat: int, lang: Lang) -> str:
    hand = fold.hands[seat]
    known, hidden = joined((c for c in hand if c), ", "), hand.count(None)
    more = "s" if hidden > 1 else ""
    unknown = f"{hidden} inconnue{more}" if lang == "fr" else f"{hidden} unknown"
    parts = [known] * bool(known) + [unknown] * bool(hidden)
    return ("main " if lang == "fr" else "hand ") + AND[lang].join(parts)


def _ally(fold: State, seat: int, lang: Lang) -> str:
    fr = lang == "fr"
    if not fold.chosen[seat]:
        return "alliée pas encore choisie" if fr else "ally not chosen yet"
    card = fold.allies[seat]
    if card is None:
        return "alliée inconnue" if fr else "ally unknown"
    return f"alliée {{{card}}}" if fr else f"ally {{{card}}}"
