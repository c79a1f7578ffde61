"""The words of Hogen: on the board, and as parts of sentences, calls above all."""

from collections.abc import Iterable

from pbem.games.hogen.facts import Call, Exchanged, Guess, Refuted, State, evolve
from pbem.games.samurai import CLAN_NAMES
from pbem.kit.contract import Phrase
from pbem.kit.texts import Lang
from pbem.kit.words import T, put_in, say

# --- on the board ------------------------------------------------------------------------------------------

SEEN_BY = T("Plateau de Hogen vu par *", "Hogen board as * sees it")
SEEN_BY_ALL = T("Plateau de Hogen, toutes les cartes ouvertes", "Hogen board, all cards open")
SEEN_BY_PUBLIC = T("Plateau de Hogen vu par un spectateur", "Hogen board as a spectator sees it")
PALACE = T("Palais", "Palace")
HAND = T("main", "hand")
ALLY = T("alliée", "ally")
OUT = T("hors jeu", "out")
CHOOSING = T("choisit encore", "still choosing")
CALLING = T("appelle", "calls")
PASSES = T("passe", "passes")
IS_ASKED = T("joue", "to play")
IS_ANSWERING = T("répond", "answers")
YOUR_HAND_OUT = T("Votre main (hors jeu)", "Your hand (out)")
YOUR_ALLY = T("Votre alliée", "Your ally")
ALL_CHOOSE = T("chacun choisit son alliée", "everybody chooses an ally")
NOBODY_WINS = T("personne ne gagne", "nobody wins")
UNANSWERED = T("sans réponse", "unanswered")
DECLARE = T("déclarer", "declare")
HIDES = T("cache", "hides")
IN_PALACE = T("au palais", "palace")
YOURS = T("à vous", "yours")
GUESSED = T("* ?", "*?")
PAD = T("Appels et alliées", "Calls and allies")
YOU = T("Vous", "You")
YOU_CHOOSE = T("choisissez votre alliée", "choose your ally")
YOU_CALL = T(
    "appelez un clan, un rang\nou une carte, ou bien\ndéclarez les alliées",
    "call for a clan, a rank\nor a card, or declare\neveryone’s ally",
)
YOU_ANSWER = T("posez une carte et\nprenez-en une au palais", "lay a card and take\none from the palace")
YOU_ARE_OUT = T("vous êtes hors jeu", "you are out")

# Beside the viewer's own ally, line by line.
HIDDEN = T("cachée\naux\nautres", "hidden\nfrom\nothers")
REVEALED = T("montrée\nà tous", "shown\nto all")
TO_CHOOSE = T("à\nchoisir", "to be\nchosen")
NEVER_CHOSEN = T("jamais\nchoisie", "never\nchosen")

# What is said to the viewer, and about somebody else, whose name replaces the *; … is what is called.
CALLS = (T("vous appelez …", "you call for …"), T("* appelle …", "* calls for …"))
ANSWERS = (T("à vous de répondre", "you must answer"), T("à * de répondre", "* must answer"))


def name_call(call: Call, lang: Lang) -> str:
    """Returns what is called for: a clan, a rank, or the card of both.

    >>> name_call(Call(rank=4), "fr"), name_call(Call(clan="M"), "en"), name_call(Call("M", 1), "en")
    ('le rang 4', 'a Minamoto', 'M1')
    """
    if call.clan is None:
        return say(lang, f"le rang {call.rank}", f"rank {call.rank}")
    clan = CLAN_NAMES[call.clan]
    return say(lang, f"un {clan}", f"a {clan}") if call.rank is None else call.typing


# --- in sentences ------------------------------------------------------------------------------------------


def what_it_asks(call: Call, lang: Lang) -> str:
    """Returns what a call asks for, a card by its placeholder.

    >>> what_it_asks(Call(clan="M"), "fr"), what_it_asks(Call("M", 1), "en")
    ('un Minamoto', '{M1}')
    """
    return put_in(call.typing) if call.clan and call.rank else name_call(call, lang)


def name_allies(allies: Iterable[Guess]) -> Phrase:
    """Returns whose ally is which card, as a declaration names them.

    >>> name_allies((Guess(1, "F1"), Guess(2, "B1")))
    '{1} {F1}, {2} {B1}'
    """
    return ", ".join(f"{put_in(guess.seat)} {put_in(guess.card)}" for guess in allies)


def lead(event: Exchanged | Refuted, before: State, lang: Lang) -> str:
    """Returns who acts next, as a sentence; "" if it is the seat itself."""
    active = evolve(before, event).active
    if active is None or active == event.seat:
        return ""
    return say(lang, f" À {{{active}}} de jouer.", f" {{{active}}} is next.")
