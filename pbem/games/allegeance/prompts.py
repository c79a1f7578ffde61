"""The questions and choices of Allégeance, addressed to the player."""

from collections.abc import Iterable

from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass, State
from pbem.games.allegeance.words import CARD, CHALLENGE, LEAVE_BE, NOT_NOW, THE_CARD, name_card
from pbem.games.samurai import CARDS, CLANS, RANKS, cards_joined
from pbem.kit.answers import rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Move, Pad, Phrase, Step
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang
from pbem.kit.words import OR, counted, joined, put_in, say, step

# --- what is asked -----------------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns the question, with the cards that it is about."""
    match ask.kind:
        case "announce":
            banned = [put_in(card) for card in fold.banned if card is not None]
            but = say(lang, f", sauf {joined(banned, lang)}", f", but not {joined(banned, lang, OR)}") if banned else ""
            return say(lang, f"Nommez la prochaine carte de la Porte{but}.", f"Name the next card of the Door{but}.")
        case "give":
            return say(
                lang,
                f"C’est juste : donnez {{{fold.drawn}}} à un autre joueur, qui la garde en main.",
                f"You are right: give {{{fold.drawn}}} to another player, who keeps it in hand.",
            )
    who, card, revealed = f"{{{fold.active}}}", f"{{{fold.announced}}}", f"{{{fold.palace[-1]}}}"
    if fold.announced in fold.hands[ask.seat]:
        return say(
            lang,
            f"{who} a annoncé {card}, qui est dans votre main ; la Porte a livré {revealed}.",
            f"{who} announced {card}, which is in your hand; the Door gave {revealed}.",
        )
    return say(
        lang,
        f"{who} a annoncé {card}, la Porte a livré {revealed}. {card} est-elle déjà sortie ?",
        f"{who} announced {card}, the Door gave {revealed}. Is {card} already out?",
    )


# --- moves -------------------------------------------------------------------------------------------------


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and what follows from it."""
    match move:
        case Announce(card):
            return _announcement(card, fold, lang)
        case Give(seat):
            held = counted(len(fold.hands[seat]) + 1, CARD, lang)
            return say(
                lang,
                f"Vous donnez {{{fold.drawn}}} à {{{seat}}}, qui aura {held} en main.",
                f"You give {{{fold.drawn}}} to {{{seat}}}, who will hold {held}.",
            )
        case Challenge():
            card, revealed = f"{{{fold.announced}}}", f"{{{fold.palace[-1]}}}"
            return say(
                lang,
                f"Vous contestez : {card} serait déjà sortie. Si vous avez tort, vous prenez {revealed}.",
                f"You challenge: {card} is already out. If you are wrong, you take {revealed}.",
            )
    card = f"{{{fold.announced}}}"
    if fold.seats == 2:
        return say(
            lang,
            f"Vous laissez passer {card} : personne ne prend de carte.",
            f"You let {card} pass: no one takes a card.",
        )
    return say(
        lang,
        f"Vous laissez passer {card}. Sans contestation, personne ne prend de carte.",
        f"You let {card} pass. If no one challenges, no one takes a card.",
    )


def _announcement(card: str, fold: State, lang: Lang) -> str:
    if card in fold.hands[fold.active]:
        where = say(lang, "dans votre main", "in your hand")
    elif card in fold.palace[-1:]:
        where = say(lang, "en haut du Palais", "on top of the Palace")
    else:
        return say(
            lang,
            f"Vous annoncez {{{card}}}. Si elle sort, vous la donnez à un autre joueur.",
            f"You announce {{{card}}}. If it comes out, you give it to another player.",
        )
    return say(
        lang,
        f"Vous annoncez {{{card}}}, qui est {where} : elle ne peut pas sortir.",
        f"You announce {{{card}}}, which is {where}: it cannot come out.",
    )


# --- step by step ------------------------------------------------------------------------------------------


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """Returns the only step of a move."""
    match move:
        case Announce(card):
            text = say(lang, f"Annoncer {{{card}}}", f"Announce {{{card}}}")
            return (step(f"announce-{card}", text, lang),)
        case Give(seat):
            text = say(lang, f"Donner à {{{seat}}}", f"Give to {{{seat}}}")
            return (step(f"give-{seat_letter(seat)}", text, lang),)
        case Challenge():
            card = name_card(fold.announced, THE_CARD, lang)
            return (step("challenge", f"{CHALLENGE[lang]} {card}", lang),)
    return (step("pass", LEAVE_BE[lang], lang),)


def candidates(ask: Ask, fold: State, lang: Lang) -> Iterable[Candidate]:
    """Yields all sixteen announcements, or giving the card to anybody."""
    if ask.kind == "announce":
        for card in CARDS:
            yield Candidate(put_in(card), Announce(card))
    if ask.kind == "give":
        for seat in range(fold.seats):
            yield Candidate(put_in(seat), Give(seat))


# --- in short ----------------------------------------------------------------------------------------------


def pad(ask: Ask, fold: State, lang: Lang) -> Pad:
    """Returns the answers in short: the cards, a row a clan; the others; to challenge or not."""
    match ask.kind:
        case "announce":
            title = say(lang, "Qui est derrière la Porte ?", "Who is behind the Door?")
            rows = tuple(
                tuple(
                    Cell(put_in(card), None if card in fold.banned else path(Announce(card), fold, lang))
                    for card in (f"{clan}{rank}" for rank in RANKS)
                )
                for clan in CLANS
            )
            banned = cards_joined(fold.banned, lang)
            return Pad(title, rows, NOT_NOW[lang].format(banned) if banned else "")
        case "give":
            others = (seat for seat in range(fold.seats) if seat != ask.seat)
            cells = (Cell(put_in(seat), path(Give(seat), fold, lang)) for seat in others)
            return Pad(say(lang, f"Donnez {{{fold.drawn}}} à…", f"Give {{{fold.drawn}}} to…"), rows_of(cells, 2))
    card = f"{{{fold.announced}}}"
    challenge = Cell(CHALLENGE[lang], path(Challenge(), fold, lang))
    let_pass = Cell(LEAVE_BE[lang], path(LetPass(), fold, lang))
    return Pad(say(lang, f"{card} est-elle déjà sortie ?", f"Is {card} already out?"), ((challenge, let_pass),))
