"""What people type in Hogen, and which cards a text may name."""

from typing import Any

from hypothesis import strategies as st

from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Guess
from pbem.games.samurai import CARDS, CLANS

cards = st.sampled_from(CARDS)
calls = st.builds(Call, st.none() | st.sampled_from(CLANS), st.none() | st.integers(1, 4)).filter(lambda c: c != Call())
declarations = st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True).flatmap(
    lambda seats: st.tuples(*(st.builds(Guess, st.just(s), cards) for s in sorted(seats)))
)
MOVES = st.one_of(
    st.builds(ChooseAlly, cards),
    calls,
    st.builds(Exchange, cards, cards),
    st.builds(Declare, declarations),
)

HINT = {"fr": "call M1", "en": "call M1"}

FRAGMENTS = ("call", "give", "take")
UNSEEN = ("Cards never seen", "Cartes jamais vues", "Hidden cards", "Cartes cachées")


def marks_known(fold: Any) -> set[str]:
    """The cards whose place the fold knows."""
    return {*fold.palace, *(c for hand in fold.hands for c in hand), *fold.allies} - {None}


def marks_spoken(fold: Any) -> set[str]:
    """The cards that are called for, or that nobody answered a call for, and those of declarations."""
    declared = {guess.card for allies in fold.named for guess in allies}
    return declared | {f"{call.clan}{call.rank}" for call in (*fold.failed, fold.call) if call}


SPELLINGS = {
    "ally F1": "ally F1",
    "Alliée : f 1": "ally F1",
    "mon alliée est le Fujiwara 1": "ally F1",
    "my ally is F1": "ally F1",
    "je cache F1": "ally F1",
    "CALL m": "call M",
    "J’appelle un Minamoto": "call M",
    "j'appelle le clan Tachibana": "call B",
    "clan:M": "call M",
    "I call a samurai of rank 4": "call 4",
    "appelle un samouraï de rang 4": "call 4",
    "rang 4": "call 4",
    "rank:4": "call 4",
    "call4": "call 4",
    "card:M1": "call M1",
    "call the Minamoto of rank 1": "call M1",
    "carte 1 m": "call M1",
    "give F4 take T1": "give F4 take T1",
    "Donne F4, prends T1.": "give F4 take T1",
    "prends T1 donne F4": "give F4 take T1",
    "take T1, give F4": "give F4 take T1",
    "je pose le Fujiwara 4 et je prends le Taira 1": "give F4 take T1",
    "échange f4 contre t1": "give F4 take T1",
    "F4 T1": "give F4 take T1",
    "f4→t1": "give F4 take T1",
    "declare B=F1 C=B1 D=B3": "declare B=F1 C=B1 D=B3",
    "Je déclare : D B3, B F1 ; C B1": "declare B=F1 C=B1 D=B3",
    "déclare A cache M2, B a le Fujiwara 1": "declare A=M2 B=F1",
}

UNCLEAR = (
    "",
    "hello",
    "M1",
    "4",
    "call",
    "call 5",
    "call 12",
    "call M1 T2",
    "ally M",
    "ally X1",
    "give F4",
    "give F4 take",
    "give F4 give T1",
    "F4 give T1",
    "take T1 F4 give",
    "B=F1 C=B1",
    "declare",
    "declare B=F1 B=F2",
    "declare E=F1 B=F2",
    "declare B=F5",
)
