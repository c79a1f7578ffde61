"""The board of Allégeance in words."""

from pbem.games.allegeance import words
from pbem.games.allegeance.facts_state import State
from pbem.games.samurai import legend_of_card, names_of_known_cards
from pbem.kit.contract import Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import counted, say, seat_and_place, seats_joined, seats_waited_for, seen_from


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line; never a card that the fold does not know."""
    door = counted(len(fold.door), words.CARD, lang) if fold.door else words.EMPTY[lang]
    banned = "" if over or fold.phase != "announce" else names_of_known_cards(fold.banned, lang)
    return [
        _turn_and_wait_words(fold, lang, over=over),
        say(lang, f"Porte : {door}.", f"Door: {door}."),
        _palace_in_words(fold, lang),
        words.NOT_NOW[lang].format(banned) if banned else "",
        *(_seat_in_words(fold, seat, viewer, lang) for seat in seen_from(viewer, fold.seats)),
        legend_of_card(lang),
    ]


# --- what the table waits for ------------------------------------------------------------------------------


def _turn_and_wait_words(fold: State, lang: Lang, *, over: bool) -> str:
    """Describes the turn and what the table waits for, if the match is not over.

    A replay stops between turns and rounds, too.
    """
    if fold.phase == "over":
        who, many = seats_joined(fold.winners, lang), len(fold.winners) > 1
        fr = f"La partie est finie, {who} {'ont gagné ensemble' if many else 'a gagné'}."
        return say(lang, fr, f"The match is over, {who} won{' together' if many else ''}.")
    if fold.phase == "round":
        if not fold.round:
            return say(lang, "La partie commence.", "The match begins.")
        return words.round_over_in_words(fold.round, fold.leaders, fold.seats, lang)
    if fold.phase == "turn" and len(fold.door) == 16:
        first = f"{{{fold.first}}}"
        return say(lang, f"Manche {fold.round}, {first} commence.", f"Round {fold.round}, {first} begins.")
    turn = _state_of_turn_in_words(fold, lang, over=over)
    fr = f"Manche {fold.round}, tour {fold.turn} sur 16. {turn}".rstrip()
    return say(lang, fr, f"Round {fold.round}, turn {fold.turn} of 16. {turn}".rstrip())


def _state_of_turn_in_words(fold: State, lang: Lang, *, over: bool) -> str:
    who = f"{{{fold.active}}}"
    if fold.announced is None:
        if fold.phase == "announce" and over:
            return ""
        if fold.phase == "announce":
            return say(lang, f"{who} doit annoncer.", f"{who} is to announce.")
        return say(lang, f"{who} a fait une annonce.", f"{who} has announced.")
    announcement = say(lang, f"{who} annonce {{{fold.announced}}}", f"{who} announces {{{fold.announced}}}")
    if fold.phase == "give":
        return announcement + say(lang, " : c’est juste.", ": that is right.")
    if fold.phase != "window":
        return f"{announcement}."
    waiting = seats_waited_for(s for s in range(fold.seats) if s != fold.active and not fold.answered[s])
    missed = announcement + say(lang, " : c’est faux.", ": that is wrong.")
    if over or not waiting:
        return missed
    return missed + say(
        lang, f" Contester ou laisser passer : on attend {waiting}.", f" Challenge or pass: waiting for {waiting}."
    )


# --- what lies where ---------------------------------------------------------------------------------------


def _palace_in_words(fold: State, lang: Lang) -> str:
    count = counted(len(fold.palace), words.CARD, lang) if fold.palace else words.EMPTY[lang]
    text = say(lang, f"Palais : {count}", f"Palace: {count}")
    if len(fold.palace) > 1 and None not in fold.palace:
        cards = names_of_known_cards(reversed(fold.palace), lang)
        return text + say(lang, f" ; de haut en bas {cards}.", f"; from the top {cards}.")
    if not fold.palace or fold.palace[-1] is None:
        return f"{text}."
    return text + say(lang, f" ; sur le dessus {{{fold.palace[-1]}}}.", f"; on top {{{fold.palace[-1]}}}.")


def _seat_in_words(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    who, cards, won = seat_and_place(seat, viewer, lang), fold.hands[seat], fold.tokens[seat]
    hand = say(lang, "aucune carte en main", "no card in hand")
    if cards:
        count, known = counted(len(cards), words.CARD, lang), names_of_known_cards(cards, lang)
        hand = say(lang, f"{count} en main", f"{count} in hand")
        hand += known and say(lang, f" : {known}", f": {known}")
    fr = f"{who} : {counted(won, words.TOKEN, 'fr')} sur {fold.target} ; {hand}."
    return say(lang, fr, f"{who}: {won} of {counted(fold.target, words.TOKEN, 'en')}; {hand}.")
