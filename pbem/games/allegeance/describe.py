"""The board of Allégeance in words: enough to play from a mail without pictures."""

from pbem.games.allegeance.cards import State
from pbem.games.allegeance.words import AND, CLAN_NAMES, counted, joined
from pbem.kit.contract import Lang, Phrase, Viewer
from pbem.kit.notation import french, seat_letter


def describe(fold: State, viewer: Viewer, lang: Lang) -> tuple[Phrase, ...]:
    """The position as the viewer knows it, a line each; never a card that the fold does not know."""
    fr = lang == "fr"
    lines = [
        _where(fold, lang),
        _door(fold, lang),
        _palace(fold, lang),
        *_banned(fold, lang),
        *(_seat(fold, seat, viewer, lang) for seat in _order(fold, viewer)),
    ]
    clans = ", ".join(f"{letter} {name}" for letter, name in CLAN_NAMES.items())
    lines.append(f"Clans : {clans} ; le chiffre est le rang." if fr else f"Clans: {clans}; the digit is the rank.")
    return tuple(map(french, lines)) if fr else tuple(lines)


def _order(fold: State, viewer: Viewer) -> list[int]:
    """The viewer first, then clockwise."""
    return [((viewer or 0) + step) % fold.seats for step in range(fold.seats)]


def _where(fold: State, lang: Lang) -> str:
    """Which turn it is and what the table waits for."""
    fr = lang == "fr"
    if fold.phase == "over":
        who, several = joined(fold.winners, AND[lang]), len(fold.winners) > 1
        if fr:
            return f"La partie est finie, {who} {'ont gagné ensemble' if several else 'a gagné'}."
        return f"The match is over, {who} won{' together' if several else ''}."
    if fold.phase == "round" or (fold.phase == "turn" and len(fold.door) == 16):
        return _between(fold, lang)
    text = f"Manche {fold.round}, tour {fold.turn} sur 16. " if fr else f"Round {fold.round}, turn {fold.turn} of 16. "
    if fold.announced is None and fold.phase != "announce":
        return text + (f"{{{fold.active}}} a fait une annonce." if fr else f"{{{fold.active}}} has announced.")
    if fold.announced is None:
        return text + (f"{{{fold.active}}} doit annoncer." if fr else f"{{{fold.active}}} is to announce.")
    said = f"{{{fold.active}}} {'annonce' if fr else 'announces'} {{{fold.announced}}}"
    if fold.phase == "give":
        return f"{text}{said} : c’est juste." if fr else f"{text}{said}: that is right."
    if fold.phase != "window":
        return f"{text}{said}."
    waiting = " · ".join(f"{{{s}}}" for s in range(fold.seats) if s != fold.active and not fold.answered[s])
    if not waiting:
        return f"{text}{said} : manqué." if fr else f"{text}{said}: missed."
    return (
        f"{text}{said} : manqué. Contester ou non : on attend {waiting}."
        if fr
        else f"{text}{said}: missed. To challenge or not: waiting for {waiting}."
    )


def _between(fold: State, lang: Lang) -> str:
    """Before the first round, after one, and when one begins: a replay stops there, too."""
    fr, won = lang == "fr", joined(fold.leaders, AND[lang])
    if fold.phase == "turn":
        return (
            f"Manche {fold.round}, {{{fold.first}}} commence."
            if fr
            else f"Round {fold.round}, {{{fold.first}}} begins."
        )
    if not fold.round:
        return "La partie commence." if fr else "The match begins."
    if fr:
        return f"La manche {fold.round} est finie. Un jeton pour {won}."
    return f"Round {fold.round} is over. A token for {won}."


def _door(fold: State, lang: Lang) -> str:
    left = len(fold.door)
    if lang == "fr":
        return f"Porte : {counted(left, 'carte', 'cartes') if left else 'vide'}."
    return f"Door: {counted(left, 'card', 'cards') if left else 'empty'}."


def _palace(fold: State, lang: Lang) -> str:
    fr = lang == "fr"
    if not fold.palace:
        return "Palais : vide." if fr else "Palace: empty."
    count = counted(len(fold.palace), "carte", "cartes") if fr else counted(len(fold.palace), "card", "cards")
    text = f"Palais : {count}" if fr else f"Palace: {count}"
    known = joined(reversed(fold.palace), AND[lang])
    if None not in fold.palace and len(fold.palace) > 1:
        return f"{text} ; de haut en bas {known}." if fr else f"{text}; from the top {known}."
    if fold.palace[-1] is None:
        return f"{text}."
    return f"{text} ; sur le dessus {{{fold.palace[-1]}}}." if fr else f"{text}; on top {{{fold.palace[-1]}}}."


def _banned(fold: State, lang: Lang) -> list[str]:
    cards = joined(fold.banned, AND[lang])
    if not cards or fold.phase != "announce":
        return []
    return [f"À ne pas annoncer à ce tour : {cards}." if lang == "fr" else f"Not to be announced this turn: {cards}."]


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    fr = lang == "fr"
    place = f"place {seat_letter(seat)}" if fr else f"seat {seat_letter(seat)}"
    who = f"{{{seat}}} ({place}{(', vous' if fr else ', you') if seat == viewer else ''})"
    won = fold.tokens[seat]
    noun = "jetons" if won > 1 else "jeton"
    tokens = f"{won} {noun} sur {fold.target}" if fr else f"{won} of {counted(fold.target, 'token', 'tokens')}"
    return f"{who} : {tokens} ; {_hand(fold, seat, lang)}." if fr else f"{who}: {tokens}; {_hand(fold, seat, lang)}."


def _hand(fold: State, seat: int, lang: Lang) -> str:
    """The known cards of a hand, and how many more there are."""
    fr, hand = lang == "fr", fold.hands[seat]
    if not hand:
        return "aucune carte en main" if fr else "no card in hand"
    count = counted(len(hand), "carte", "cartes") if fr else counted(len(hand), "card", "cards")
    known = joined(hand, AND[lang])
    text = f"{count} en main" if fr else f"{count} in hand"
    return text + ((f" : {known}" if fr else f": {known}") if known else "")
