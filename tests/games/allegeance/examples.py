"""What people type in Allégeance, and which cards a text may name."""

from typing import Any

from hypothesis import strategies as st

from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass
from pbem.games.samurai import CARDS

MOVES = st.one_of(
    st.builds(Announce, st.sampled_from(CARDS)),
    st.builds(Give, st.integers(0, 3)),
    st.sampled_from([Challenge(), LetPass()]),
)

HINT = {"fr": "annonce F1", "en": "announce F1"}

FRAGMENTS = ()
UNSEEN = ()


def marks_known(fold: Any) -> set[str]:
    """The cards that the fold knows."""
    cards = (*fold.palace, *(c for hand in fold.hands for c in hand), *fold.banned, fold.announced, fold.drawn)
    return {card for card in cards if card}


def marks_spoken(fold: Any) -> set[str]:
    """None: announced cards fade, too."""
    return set()


SPELLINGS = {
    "F1": "announce F1",
    "f 1": "announce F1",
    "1f": "announce F1",
    "t1": "announce T1",
    "Annonce : F1": "announce F1",
    "j’annonce le Fujiwara 1": "announce F1",
    "J'annonce Tachibana de rang 4 !": "announce B4",
    "I announce the Minamoto of rank 2": "announce M2",
    "Le Samouraï Taira de rang 1 entre au palais": "announce T1",
    "le 3 de Taira": "announce T3",
    "say M4": "announce M4",
    "fujiwara2": "announce F2",
    "give B": "give B",
    "GIVE b.": "give B",
    "donne à B": "give B",
    "donne a a": "give A",
    "Je donne la carte à C": "give C",
    "give the card to player D": "give D",
    "donner à la place A": "give A",
    "give it to seat B": "give B",
    "give F1 to B": "give B",
    "Donne le Tachibana 1 à B": "give B",
    "je donne T1 au joueur A": "give A",
    "giveB": "give B",
    "donneC": "give C",
    "announceT1": "announce T1",
    "annonceB 4": "announce B4",
    "Nommez F1": "announce F1",
    "je veux annoncer le Taira de rang un": "announce T1",
    "Minamoto three, please": "announce M3",
    "contest": "challenge",
    "chalenge": "challenge",
    "I want to challenge": "challenge",
    "je conteste : elle est au Palais": "challenge",
    "challenge": "challenge",
    "I challenge!": "challenge",
    "je conteste": "challenge",
    "Conteste l’annonce": "challenge",
    "oui": "challenge",
    "oui, je conteste": "challenge",
    "yes": "challenge",
    "pass": "pass",
    "Je passe": "pass",
    "laisser passer": "pass",
    "je laisse passer l'annonce": "pass",
    "let it pass": "pass",
    "non": "pass",
    "no": "pass",
    "je ne conteste pas": "pass",
    "I don't challenge": "pass",
    "Non, je ne conteste pas.": "pass",
    "décline": "pass",
    "no challenge": "pass",
    "je conteste pas.": "pass",
    "pas d’objection": "pass",
    "I do not want to challenge the announcement": "pass",
    "je ne veux pas contester": "pass",
    "no, I won’t challenge": "pass",
}

UNCLEAR = (
    "",
    "hello",
    "F",
    "4",
    "F5",
    "X1",
    "F1 M2",
    "F12",
    "announce",
    "B",
    "give",
    "give E",
    "give B C",
    "give F2",
    "give B2",
    "challenge pass",
    "je ne passe pas",
    "oui non",
    "pas",
    "challenge F2",
    "no, I challenge!",
    "Non, je conteste !",
    "nope, challenge",
    "I challenge: it is not behind the Door",
    "it is not there, I challenge",
    "no, it is in the Palace",
    "non, elle est au Palais",
    "oui, elle est derrière la Porte",
    "give F1 B",
    "give B C to D",
    "give F1 M2 to D",
)
