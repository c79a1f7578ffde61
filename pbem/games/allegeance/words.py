"""The words of Allégeance: on the board, and as parts of sentences."""

from collections.abc import Sequence

from pbem.kit.contract import Viewer
from pbem.kit.texts import Lang, Text
from pbem.kit.words import T, put_in, say, seats_joined

# --- on the board ------------------------------------------------------------------------------------------

SEEN_BY = T("Plateau d’Allégeance vu par *", "Allégeance board as * sees it")
SEEN_BY_ALL = T("Plateau d’Allégeance, toutes les mains ouvertes", "Allégeance board, all hands open")
SEEN_BY_PUBLIC = T("Plateau d’Allégeance vu par un spectateur", "Allégeance board as a spectator sees it")
MATCH_BEGINS = T("La partie commence", "The match begins")
ROUND = T("Manche {}", "Round {}")
TURN = T("Manche {}, tour {}/16", "Round {}, turn {}/16")
ROUND_ENDED = T("Manche {} finie", "Round {} is over")
ENDED = T("Partie finie", "The match is over")
DOOR = T("Porte", "Door")
PALACE = T("Palais", "Palace")
ANNOUNCEMENT = T("Annonce", "Announced")
REMAINING = T("reste {}", "{} left")
EMPTY = T("vide", "empty")
RIGHT = T("c’est juste", "that is right")
MISSED = T("c’est faux", "that is wrong")
BANNED = T("pas permis", "not allowed")
JUST_SAID = T("déjà annoncé", "just announced")
UNDER = T("en dessous", "under it")
CHALLENGE_OR_NOT = T("contester ?", "challenge?")
OTHERS_ANSWER = T("les autres répondent", "the others answer")
CHALLENGE = T("Contester", "Challenge")
LEAVE_BE = T("Laisser passer", "Let it pass")
HAS_ANSWERED = T("vous avez répondu", "you have answered")
HAS_CHALLENGED = T("vous contestez (scellé)", "you challenge (sealed)")
HAS_PASSED = T("vous laissez passer (scellé)", "you let it pass (sealed)")
NO_CARDS = T("aucune carte", "no card")
AIM = T("le moins de cartes\ngagne le jeton", "the fewest cards\nwin the token")
PAD = T("Annonces et réponses", "Announcements and answers")
TO_GO = T("encore {}", "{} to go")

# At a seat: what it has to do, or did.
ANNOUNCING = T("annonce", "announces")
GIVING = T("donne", "gives")
ANSWERING = T("répond", "answers")
ANSWERED = T("a répondu", "answered")
HAS_ANNOUNCED = T("a annoncé", "announced")

# What is said to the viewer, and what is said about somebody else, whose name replaces the *.
BEGINS = (T("vous commencez", "you begin"), T("* commence", "* begins"))
ANNOUNCES = (T("à vous d’annoncer", "you announce"), T("à * d’annoncer", "* to announce"))
GIVES = (T("à vous de donner", "you give it away"), T("à * de donner", "* to give"))
BY = (T("par vous", "by you"), T("par *", "by *"))


def winner_in_words(seats: tuple[int, ...], viewer: Viewer, lang: Lang) -> str:
    """Returns who has won, by name if there is room.

    >>> winner_in_words((1,), 0, "fr"), winner_in_words((0, 1), 0, "en"), winner_in_words((0,), 0, "en")
    ('{1:12} gagne', '{0:8}, {1:8} win', 'you win')
    """
    if seats == (viewer,):
        return say(lang, "vous gagnez", "you win")
    room, many = {1: 12, 2: 8}.get(len(seats), 5), len(seats) > 1
    names = ", ".join(f"{{{seat}:{room}}}" for seat in seats)
    return say(lang, f"{names} {'gagnent' if many else 'gagne'}", f"{names} {'win' if many else 'wins'}")


# --- in sentences ------------------------------------------------------------------------------------------

MEMORY = {
    True: T("Mémoire ouverte : tout peut être relu.", "Open memory: everything can be read again."),
    False: T("Mémoire fermée : retenez tout.", "Closed memory: remember what you see."),
}
NOT_NOW = T("Pas permis à ce tour : {}.", "Not allowed this turn: {}.")
THE_CARD = T("la carte", "the card")
THE_REVEALED = T("la carte révélée", "the revealed card")
CARD = (T("carte", "card"), T("cartes", "cards"))
TOKEN = (T("jeton", "token"), T("jetons", "tokens"))


def card_name_or_other_words(card: str | None, otherwise: Text, lang: Lang) -> str:
    """Returns the card, or a word for one that has faded.

    >>> card_name_or_other_words("F1", THE_CARD, "fr"), card_name_or_other_words(None, THE_CARD, "fr")
    ('{F1}', 'la carte')
    """
    return put_in(card) if card else otherwise[lang]


def round_over_in_words(number: int, winners: Sequence[int], seats: int, lang: Lang) -> str:
    """Returns who gets a token for the fewest cards of this round."""
    if len(winners) == seats:
        fr = f"Manche {number} finie : un jeton pour tout le monde."
        return say(lang, fr, f"Round {number} is over: a token for everyone.")
    who = seats_joined(winners, lang)
    return say(lang, f"Manche {number} finie : un jeton pour {who}.", f"Round {number} is over: a token for {who}.")
