"""The questions and choices of Allégeance, said to the player, and what its sentences are made of."""

from collections.abc import Iterable

from pbem.games.allegeance.cards import Announce, Challenge, Give, LetPass, State
from pbem.kit.contract import Ask, Lang, Move, Phrase, Step
from pbem.kit.notation import french, seat_letter

CLAN_NAMES = {"F": "Fujiwara", "M": "Minamoto", "T": "Taira", "B": "Tachibana"}
AND = {"fr": " et ", "en": " and "}


def joined(items: Iterable[str | int | None], last: str) -> str:
    """Cards or seats one after the other, `last` before the last one; what is not known is left out.

    >>> joined(["F1", "M2", None, "T3"], " and "), joined([0, 2], " et ")
    ('{F1}, {M2} and {T3}', '{0} et {2}')
    """
    named = [f"{{{item}}}" for item in items if item is not None]
    return last.join((", ".join(named[:-1]), named[-1])) if len(named) > 1 else "".join(named)


def counted(number: int, one: str, many: str) -> str:
    """A number from one up with its noun; for none the two languages differ, so say that in words.

    >>> counted(1, "carte", "cartes"), counted(3, "card", "cards")
    ('1 carte', '3 cards')
    """
    return f"{number} {one if number == 1 else many}"


# --- questions ---------------------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """What binds the seat that is asked."""
    texts = {"announce": _prompt_announce, "give": _prompt_give, "answer": _prompt_answer}
    text = texts[ask.kind](fold, ask.seat, lang)
    return french(text) if lang == "fr" else text


def _prompt_announce(fold: State, seat: int, lang: Lang) -> str:
    left, banned = len(fold.door), joined(fold.banned, AND[lang])
    several = sum(card is not None for card in fold.banned) > 1
    if lang == "fr":
        text = f"Nommez la carte du dessus de la Porte ({counted(left, 'carte', 'cartes')})."
        forbidden = "viennent d’être annoncées et ne peuvent pas l’être" if several else "vient d’être annoncée"
        not_now = " maintenant." if several else " et ne peut pas l’être maintenant."
        return text + (f" {banned} {forbidden}{not_now}" if banned else "")
    text = f"Name the top card of the Door ({counted(left, 'card', 'cards')})."
    have = "have" if several else "has"
    return text + (f" {banned} {have} just been announced and cannot be announced now." if banned else "")


def _prompt_give(fold: State, seat: int, lang: Lang) -> str:
    if lang == "fr":
        return f"Votre annonce est juste. Donnez {{{fold.drawn}}} à un autre joueur, qui la garde en main."
    return f"Your announcement is right. Give {{{fold.drawn}}} to another player, who keeps it in hand."


def _prompt_answer(fold: State, seat: int, lang: Lang) -> str:
    who, card, revealed = f"{{{fold.active}}}", f"{{{fold.announced}}}", f"{{{fold.palace[-1]}}}"
    held, alone = fold.announced in fold.hands[seat], fold.seats == 2
    if lang == "fr":
        return (
            f"{who} a annoncé {card} et la Porte a livré {revealed}. {card} est-elle déjà sortie, au Palais ou dans "
            f"une main ? Si vous contestez avec raison, {who} prend {card} et {revealed} en main ; à tort, c’est vous "
            f"qui prenez {revealed}."
            + ("" if alone else " Personne ne voit votre réponse tant que d’autres peuvent répondre.")
        ) + (f" {card} est dans votre main." if held else "")
    return (
        f"{who} has announced {card} and the Door gave {revealed}. Is {card} already out, in the Palace or in a hand? "
        f"If you challenge rightly, {who} takes {card} and {revealed} in hand; if you are wrong, you take {revealed}."
        + ("" if alone else " Nobody sees your answer while others may still give theirs.")
    ) + (f" {card} is in your hand." if held else "")


# --- choices -----------------------------------------------------------------------------------------------


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """The whole move in a sentence, and what follows from it for certain."""
    text = _label_fr(move, fold) if lang == "fr" else _label_en(move, fold)
    return french(text) if lang == "fr" else text


def _label_fr(move: Move, fold: State) -> str:
    match move:
        case Announce(card):
            out = {"hand": " Elle est dans votre main.", "palace": " Elle est sur le Palais."}
            return f"Vous annoncez {{{card}}}." + out.get(_seen(card, fold), "")
        case Give(seat):
            return f"Vous donnez {{{fold.drawn}}} à {{{seat}}}."
        case Challenge():
            text = f"Vous contestez l’annonce de {{{fold.active}}} : {{{fold.announced}}} serait déjà sortie."
            return f"{text} Si c’est faux, vous prenez {{{fold.palace[-1]}}}."
        case LetPass():
            return f"Vous laissez passer l’annonce de {{{fold.active}}}."
    raise TypeError(f"{move} is no move of Allégeance")


def _label_en(move: Move, fold: State) -> str:
    match move:
        case Announce(card):
            out = {"hand": " It is in your hand.", "palace": " It lies on the Palace."}
            return f"You announce {{{card}}}." + out.get(_seen(card, fold), "")
        case Give(seat):
            return f"You give {{{fold.drawn}}} to {{{seat}}}."
        case Challenge():
            text = f"You challenge the announcement of {{{fold.active}}}: {{{fold.announced}}} is said to be out."
            return f"{text} If that is wrong, you take {{{fold.palace[-1]}}}."
        case LetPass():
            return f"You let the announcement of {{{fold.active}}} pass."
    raise TypeError(f"{move} is no move of Allégeance")


def _seen(card: str, fold: State) -> str:
    """Where the active seat sees the card lie, if it does."""
    if card in fold.hands[fold.active]:
        return "hand"
    return "palace" if card in fold.palace[-1:] else ""


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """Each move is one step."""
    fr = lang == "fr"
    match move:
        case Announce(card):
            clan = CLAN_NAMES[card[0]]
            text = f"Annoncer {{{card}}}, {clan} {card[1]}" if fr else f"Announce {{{card}}}, {clan} {card[1]}"
            return (Step(f"announce-{card}", text),)
        case Give(seat):
            return (Step(f"give-{seat_letter(seat)}", f"Donner à {{{seat}}}" if fr else f"Give to {{{seat}}}"),)
        case Challenge():
            card = fold.announced or ""
            text = f"Contester : {{{card}}} est déjà sortie" if fr else f"Challenge: {{{card}}} is already out"
            return (Step("challenge", french(text) if fr else text),)
        case LetPass():
            return (Step("pass", "Laisser passer" if fr else "Let it pass"),)
    raise TypeError(f"{move} is no move of Allégeance")
