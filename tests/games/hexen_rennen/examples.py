"""What people type in Hexen Rennen, and which tiles and cards a text may name."""

from typing import Any

from hypothesis import strategies as st

from pbem.games.hexen_rennen.facts import DIVISIONS, Divide, Fly, Leave, Play
from pbem.games.hexen_rennen.facts_race import CARDS, CLANS, NUMBERS

stages = st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=9).map(tuple)
MOVES = st.one_of(
    st.integers(0, 1679).map(lambda i: DIVISIONS[i]),
    st.builds(Divide, st.tuples(stages, stages, stages)),
    st.builds(Fly, st.integers(0, 51)),
    st.builds(Play, st.sampled_from(CARDS)),
    st.just(Leave()),
)

HINT = {"fr": "divide 2 3 4 / 5 6 7 / 8 9 10", "en": "divide 2 3 4 / 5 6 7 / 8 9 10"}

FRAGMENTS = ()
UNSEEN = ()


def marks_known(fold: Any) -> set[str]:
    """The tiles that lie face up and the cards that were played or drawn."""
    played = {f"{CLANS[clan]}{card}" for clan, cards in enumerate(fold.discards) for card in cards}
    return {tile for tile in fold.shown if tile} | played


def marks_spoken(fold: Any) -> set[str]:
    """None: a tile is named where it lies."""
    return set()


SPELLINGS = {
    "choose C": "choose C",
    "I take the cat": "choose C",
    "choisis le champignon": "choose B",
    "je prends la lune": "choose A",
    "clan A": "choose A",
    "choose a": "choose A",
    "Chaudron, merci": "choose D",
    "divide 4 3 2 / 5 6 7 / 8 9 10": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "Répartis 2 3 4 | 5 6 7 | 8 9 10": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "je répartis 2, 3, 4 ; 5, 6, 7 ; 8, 9 et 10": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "2 3 4 | 5 6 7 | 8 9 10": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "2 3 4 ; 5 6 7 ; 8 9 10": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "(2,3,4) (5,6,7) (8,9,10)": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "234 567 8910": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "1: 2 3 4, 3: 8 9 10, 2: 5 6 7": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "1re étape : 2 3 4 ; 2e étape : 5 6 7 ; 3e étape : 8 9 10": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "stage 1 5 6 2 stage 2 3 4 7 stage 3 8 9 10": "divide 2 5 6 / 3 4 7 / 8 9 10",
    "split 234 567 8910": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "partage 2345678910": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "234/567/1098": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "2 5 9 S / 3 6 10 S / 4 7 8 S": "divide 2 5 9 / 3 6 10 / 4 7 8",
    "étape 1 : 2 3 4, étape 2 : 5 6 7, étape 3 : 8 9 10": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "stage 3: 8 9 10 stage 1: 2 3 4 stage 2: 5 6 7": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "étape 3 : 10 8, étape 1 : 4 2 3, étape 2 : 7 6 5, étape 3 : 9": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "7 to stage 2, 2 to stage 1, 10 9 8 to stage 3, 4 3 to stage 1, 5 6 to stage 2": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "7 5 6 à l’étape 2, 2 à l’étape 1, 10 9 8 à l’étape 3, 4 3 à l’étape 1": "divide 2 3 4 / 5 6 7 / 8 9 10",
    "divide 2 3 / 4 5 6 7 / 8 9 10": "divide 2 3 / 4 5 6 7 / 8 9 10",
    "FLY 10": "fly 10",
    "vole 10": "fly 10",
    "fly10": "fly 10",
    "la sorcière en 10": "fly 10",
    "déplace la sorcière de 10": "fly 10",
    "je déplace celle du départ": "fly 0",
    "move the witch at the start": "fly 0",
    "sorcière 0": "fly 0",
    "fly-10": "fly 10",
    "la sorcière sur la tuile 10": "fly 10",
    "vol depuis le départ": "fly 0",
    "play 5": "play 5",
    "joue la carte 5": "play 5",
    "Carte : S": "play S",
    "play s.": "play S",
    "joue le symbole magique": "play S",
    "card A5": "play 5",
    "je joue AS": "play S",
    "play10": "play 10",
    "play 3:": "play 3",
    "use card 5": "play 5",
    "utilise le 5": "play 5",
    "recule-la de 5": "play 5",
    "send her back 5": "play 5",
    "leave": "leave",
    "Laisse !": "leave",
    "je reste": "leave",
    "je passe": "leave",
    "ne rien jouer": "leave",
    "play nothing": "leave",
    "keep my cards": "leave",
    "non": "leave",
    "je ne joue pas": "leave",
    "I don't play": "leave",
    "leave the witch": "leave",
    "Laisse la sorcière": "leave",
    "ne bouge pas": "leave",
    "aucune carte": "leave",
    "play none": "leave",
    "non merci": "leave",
    "je passe mon tour": "leave",
}

UNCLEAR = (
    "",
    "hello",
    "10",
    "S",
    "fly",
    "fly 52",
    "fly 10 11",
    "fly ten",
    "fly A10",
    "fly -1",
    "vole de 10 à 14",
    "1: 2 3 4, 2: 5 6 7",
    "leave the witch on 12",
    "laisse 2 3 4 / 5 6 7 / 8 9 10",
    "divide leave",
    "play",
    "play 1",
    "play 11",
    "play 5 6",
    "play S 5",
    "leave 5",
    "fly 5 play 5",
    "divide",
    "divide 2 3 4",
    "divide 2 3 4 / 5 6 7",
    "divide 2 3 4 / 5 6 7 / 8 9 11",
    "divide 2 3 4 / 5 6 7 / 8 9 1",
    "divide 2 3 4 S / 5 6 7 S / 8 9 10",
    "divide 2 3 4 S S / 5 6 7 / 8 9 10 S",
    "divide 2 3 4 / 5 6 7 / 8 9 10 / 2",
    "stage 1: 2 3 4 stage 1: 5 6 7 stage 2: 8 9 10",
    "divide 2 3 4 5 6 7 8 9",
)
