"""What people type in Hagakure, and which cards a text may name."""

from typing import Any

from hypothesis import strategies as st

from pbem.games.hagakure.facts import Keep, Look, Play, Raise, Swap
from pbem.games.hagakure.facts_cards import SIGNS, card_in_notation

MOVES = st.one_of(
    st.just(Keep()),
    st.builds(Raise, st.sampled_from(SIGNS)),
    st.just(Swap()),
    st.builds(Look, st.none() | st.integers(0, 4)),
    st.builds(Play, st.integers(0, 27)),
)

HINT = {"fr": "regarde yomi", "en": "look yomi"}

FRAGMENTS = ("look", "regarde", "S7")
UNSEEN = ("Cards not seen", "Cartes pas encore vues", "V ")


def marks_known(fold: Any) -> set[str]:
    """The cards whose place the fold knows."""
    places = [*fold.hands, fold.yomi, *fold.won, fold.trick]
    return {card_in_notation(card) for place in places for card in place if card is not None}


def marks_spoken(fold: Any) -> set[str]:
    """None: a card is named where it lies."""
    return set()


SPELLINGS = {
    "none": "none",
    "Aucun": "none",
    "aucun nobori": "none",
    "pas de Nobori": "none",
    "je ne joue rien": "none",
    "I play none": "none",
    "je passe": "none",
    "no banner": "none",
    "garde mes jetons": "none",
    "aucun jeton cette manche": "none",
    "no Nobori this round": "none",
    "je passe mon tour": "none",
    "double": "double",
    "Je double mes points !": "double",
    "Nobori Double": "double",
    "×2": "double",
    "x2": "double",
    "X 2": "double",
    "2x": "double",
    "zero": "zero",
    "Zéro": "zero",
    "zéro point": "zero",
    "play the zero token": "zero",
    "villagers": "villagers",
    "Villageois": "villagers",
    "+2": "villagers",
    "+2 villageois": "villagers",
    "joue le nobori villageois": "villagers",
    "swap": "swap",
    "J’échange": "swap",
    "ÉCHANGER": "swap",
    "échange ma main contre le Yomi": "swap",
    "swap my hand with the yomi": "swap",
    "swap hand and yomi": "swap",
    "je voudrais échanger": "swap",
    "I’d like to swap": "swap",
    "look yomi": "look yomi",
    "Regarde le Yomi": "look yomi",
    "je regarde toutes les cartes du yomi": "look yomi",
    "look at A": "look A",
    "look a": "look A",
    "regarde à": "look A",
    "regarde la main à B": "look B",
    "Regarde à A": "look A",
    "je vais regarder chez D": "look D",
    "I want to look at C": "look C",
    "look at A's hand": "look A",
    "look at B's hand": "look B",
    "look at D’s cards": "look D",
    "regard B": "look B",
    "regarde la main de B": "look B",
    "je vois la main d'E": "look E",
    "espionne le joueur C": "look C",
    "regarder place d": "look D",
    "play S19": "play S19",
    "19": "play S19",
    "s19": "play S19",
    "S 19": "play S19",
    "joue le 19.": "play S19",
    "Je joue le samouraï 19": "play S19",
    "samurai 19": "play S19",
    "19s": "play S19",
    "19 samouraï": "play S19",
    "I'll play 19, please": "play S19",
    "entamer avec le numéro 19": "play S19",
    "je mets le 19 svp": "play S19",
    "7v": "play V7",
    "V7": "play V7",
    "07": "play V7",
    "7": "play V7",
    "pose le villageois 7": "play V7",
    "I play villager 7": "play V7",
    "F": "play F",
    "fou": "play F",
    "un Vieux Fou": "play F",
    "joue le vieux fou": "play F",
    "the old fool": "play F",
    "oldfool": "play F",
    "Vieux-Fou": "play F",
    "carte 22": "play S22",
}

UNCLEAR = (
    "",
    "?",
    "hello",
    "nobori",
    "play",
    "look",
    "yomi",
    "look F",
    "look 2",
    "look A B",
    "look A and B",
    "look at a hand",
    "look at a player's hand",
    "regarde une main",
    "look none",
    "double zero",
    "swap B",
    "0",
    "00",
    "28",
    "119",
    "999",
    "S7",
    "V19",
    "samouraï 7",
    "7s",
    "4 villageois",
    "2 villagers",
    "I don't want to swap",
    "I would not look at B",
    "je ne veux pas échanger",
    "s",
    "v",
    "samouraï",
    "F 0",
    "fou 7",
    "7 19",
    "a",
    "play play 7",
    "none 7",
    "٣",
)
