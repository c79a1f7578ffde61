"""The questions and choices of Allégeance, addressed to the player."""

from collections.abc import Iterable

from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass, State
from pbem.games.allegeance.words import CARD
from pbem.games.samurai import CARDS, CLANS, RANKS, cards_joined
from pbem.kit.answers import rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Move, Pad, Phrase, Step
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang
from pbem.kit.words import counted, put_in, say, step

# --- what is asked -----------------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns the rules that bind the seat that is asked."""
    match ask.kind:
        case "announce":
            left, banned = counted(len(fold.door), CARD, lang), _list_banned(fold, lang)
            name = say(
                lang, f"Nommez la carte du dessus de la Porte ({left}).", f"Name the top card of the Door ({left})."
            )
            return f"{name} {banned}" if banned else name
        case "give":
            return say(
                lang,
                f"Votre annonce est juste. Donnez {{{fold.drawn}}} à un autre joueur, qui la garde en main.",
                f"Your announcement is right. Give {{{fold.drawn}}} to another player, who keeps it in their hand.",
            )
    return _answer(fold, ask.seat, lang)


def _list_banned(fold: State, lang: Lang) -> str:
    """Returns which cards cannot be announced now, as a sentence; "" if all can."""
    banned = cards_joined(fold.banned, lang)
    match len(fold.banned) - fold.banned.count(None):
        case 0:
            return ""
        case 1:
            return say(
                lang,
                f"{banned} vient d’être annoncée et ne peut pas l’être maintenant.",
                f"{banned} has just been announced and cannot be announced now.",
            )
    return say(
        lang,
        f"{banned} viennent d’être annoncées et ne peuvent pas l’être maintenant.",
        f"{banned} have just been announced and cannot be announced now.",
    )


def _answer(fold: State, seat: int, lang: Lang) -> str:
    who, card, revealed = f"{{{fold.active}}}", f"{{{fold.announced}}}", f"{{{fold.palace[-1]}}}"
    text = say(
        lang,
        f"{who} a annoncé {card} et la Porte a livré {revealed}. {card} est-elle déjà sortie, au Palais ou dans "
        f"une main ? Si votre contestation est juste, {who} prend {card} et {revealed} en main ; sinon, c’est "
        f"vous qui prenez {revealed}.",
        f"{who} has announced {card} and the Door gave {revealed}. Is {card} already out, in the Palace or in a "
        f"hand? If your challenge is right, {who} takes {card} and {revealed}; if it is wrong, you take "
        f"{revealed}.",
    )
    if fold.seats > 2:
        text += say(
            lang,
            " Personne ne voit votre réponse avant la fin de la fenêtre.",
            " No one sees your answer until the window closes.",
        )
    if fold.announced in fold.hands[seat]:
        text += say(lang, f" {card} est dans votre main.", f" {card} is in your hand.")
    return text


# --- moves -------------------------------------------------------------------------------------------------


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and its certain consequences."""
    who = f"{{{fold.active}}}"
    match move:
        case Announce(card):
            seen = ""
            if card in fold.hands[fold.active]:
                seen = say(lang, " Elle est dans votre main.", " It is in your hand.")
            elif card in fold.palace[-1:]:
                seen = say(lang, " Elle est en haut du Palais.", " It is on top of the Palace.")
            return say(lang, f"Vous annoncez {{{card}}}.{seen}", f"You announce {{{card}}}.{seen}")
        case Give(seat):
            return say(lang, f"Vous donnez {{{fold.drawn}}} à {{{seat}}}.", f"You give {{{fold.drawn}}} to {{{seat}}}.")
        case Challenge():
            card, revealed = f"{{{fold.announced}}}", f"{{{fold.palace[-1]}}}"
            return say(
                lang,
                f"Vous contestez l’annonce de {who} : {card} serait déjà sortie. "
                f"Si vous vous trompez, vous prenez {revealed}.",
                f"You challenge {who}’s announcement: you say that {card} is already out. "
                f"If you are wrong, you take {revealed}.",
            )
    return say(lang, f"Vous laissez passer l’annonce de {who}.", f"You let {who}’s announcement pass.")


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
            card = f"{{{fold.announced or ''}}}"
            text = say(lang, f"Contester : {card} est déjà sortie", f"Challenge: {card} is already out")
            return (step("challenge", text, lang),)
    return (step("pass", say(lang, "Laisser passer", "Let it pass"), lang),)


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
            return Pad(title, rows, _list_banned(fold, lang))
        case "give":
            others = (seat for seat in range(fold.seats) if seat != ask.seat)
            cells = (Cell(put_in(seat), path(Give(seat), fold, lang)) for seat in others)
            return Pad(say(lang, f"Donnez {{{fold.drawn}}} à…", f"Give {{{fold.drawn}}} to…"), rows_of(cells, 2))
    card = f"{{{fold.announced}}}"
    challenge = Cell(say(lang, "Contester", "Challenge"), path(Challenge(), fold, lang))
    let_pass = Cell(say(lang, "Laisser passer", "Let it pass"), path(LetPass(), fold, lang))
    return Pad(say(lang, f"{card} est-elle déjà sortie ?", f"Is {card} already out?"), ((challenge, let_pass),))
