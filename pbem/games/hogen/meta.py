"""What can be said of Hogen without playing it."""

from pbem.games.hogen.cards import (
    CARDS,
    AllyChosen,
    Began,
    Call,
    Called,
    ChooseAlly,
    Dealt,
    Declare,
    Declared,
    Exchange,
    Exchanged,
    Passed,
    Refuted,
    State,
    Stopped,
    Unmasked,
)
from pbem.kit.contract import AskKind, Mark, Meta, Refusal, Text
from pbem.kit.notation import french


def _text(fr: str, en: str) -> Text:
    return Text(fr=french(fr), en=en)


def _refusal(rule: str, fr: str, en: str) -> Refusal:
    return Refusal(rule, _text(fr, en))


_MARKS = {
    "F": Mark("mon-f", "c5"),
    "M": Mark("mon-m", "c3"),
    "T": Mark("mon-t", "c2"),
    "B": Mark("mon-b", "c4"),
}

_REFUSALS = {
    "no_such_card": _refusal(
        "1.1",
        "Il n’y a pas de tel samouraï : les clans sont F, M, T et B, les rangs 1 à 4.",
        "There is no such samurai: the clans are F, M, T and B, the ranks 1 to 4.",
    ),
    "empty_call": _refusal(
        "4.1",
        "Un appel nomme un clan, un rang ou les deux : choisissez-en au moins un.",
        "A call names a clan, a rank or both: choose at least one.",
    ),
    "single_shares": _refusal(
        "4.2",
        "Votre alliée a ce clan ou ce rang : appelez un clan ou un rang qu’elle n’a pas.",
        "Your ally has this clan or rank: call for a clan or a rank that it does not have.",
    ),
    "double_shares": _refusal(
        "4.3",
        "Une carte appelée doit avoir le clan de votre alliée ou son rang, un seul des deux : appelez-en une autre.",
        "A card you call for must have your ally’s clan or its rank, just one of them: call for another.",
    ),
    "already_failed": _refusal(
        "4.4",
        "Personne n’a répondu à cet appel et rien n’a bougé depuis : appelez autre chose.",
        "Nobody answered this call and nothing has moved since: call for something else.",
    ),
    "not_in_hand": _refusal(
        "5.2",
        "{card} n’est pas dans votre main : choisissez une carte de votre main.",
        "{card} is not in your hand: choose a card of your hand.",
    ),
    "does_not_fit": _refusal(
        "5.2",
        "{card} ne répond pas à l’appel : donnez une carte qui a tout ce qui est appelé.",
        "{card} does not answer the call: give a card that has all that is called for.",
    ),
    "take_another": _refusal(
        "5.3",
        "On ne reprend pas la carte qu’on vient de poser : prenez une autre carte du palais.",
        "You may not take back the card you have just laid: take another card of the palace.",
    ),
    "not_in_palace": _refusal(
        "5.3",
        "{card} n’est pas au palais : prenez une des quatre cartes qui y sont.",
        "{card} is not in the palace: take one of the four cards that are there.",
    ),
    "name_everybody": _refusal(
        "6.1",
        "Une déclaration nomme l’alliée de chaque autre joueur, une fois chacun, même hors jeu : complétez-la.",
        "A declaration names the ally of every other player, once each, those who are out included: complete it.",
    ),
    "named_palace": _refusal(
        "6.2",
        "{card} est au palais, ce n’est l’alliée de personne : nommez une autre carte.",
        "{card} is in the palace, so it is nobody’s ally: name another card.",
    ),
    "named_own": _refusal(
        "6.2",
        "{card} est à vous, ce n’est l’alliée de personne d’autre : nommez une autre carte.",
        "{card} is yours, so it is nobody else’s ally: name another card.",
    ),
    "named_twice": _refusal(
        "6.2",
        "{card} est nommée deux fois : chaque carte n’existe qu’une fois, nommez-en une autre.",
        "{card} is named twice: each card exists only once, name another.",
    ),
}

META = Meta(
    slug="hogen",
    title=Text(fr="Hogen", en="Hogen"),
    blurb=_text(
        "Seize samouraïs, et chacun en cache un. Vos appels disent ce que vous ne cachez pas ; "
        "les échanges montrent le reste, carte par carte. Nommez le premier ce que tous les autres cachent.",
        "Sixteen samurai, and everybody hides one. Your calls say what you do not hide; "
        "the exchanges show the rest, card by card. Be the first to name what all the others hide.",
    ),
    seats=(3, 4),
    minutes=20,
    state=State,
    moves=(ChooseAlly, Call, Exchange, Declare),
    events=(Dealt, AllyChosen, Began, Called, Passed, Exchanged, Declared, Unmasked, Refuted, Stopped),
    asks={
        "ally": AskKind(_text("À vous de choisir votre alliée", "Your turn to choose your ally"), (ChooseAlly,)),
        "act": AskKind(_text("À vous d’appeler", "Your turn to call"), (Call, Declare)),
        "answer": AskKind(_text("À vous de répondre", "Your turn to answer"), (Exchange,)),
    },
    endings={
        "found": _text("toutes les alliées sont trouvées", "all allies were found"),
        "all_wrong": _text("tout le monde s’est trompé, personne ne gagne", "everybody was wrong, nobody wins"),
        "cap": _text("cent échanges sans gagnant", "a hundred exchanges without a winner"),
    },
    refusals=_REFUSALS,
    traits=frozenset({"hidden", "simultaneous", "luck"}),
    # At most 100 exchanges and 4 declarations, each after at most 7 failed calls and one that is answered (R4).
    bound=1000,
    marks={card: _MARKS[card[0]] for card in CARDS},
    weights={"Call": 20, "Declare": 1},
    silence=lambda _: _text(
        "La règle demande le silence : ne dites ni ce que vous tenez en main ou cachez, ni, après une déclaration "
        "fausse, les alliées que vous avez vues (8.5).",
        "The rules ask for silence: say neither what you hold or hide nor, after a wrong declaration, which allies "
        "you have seen (8.5).",
    ),
    fold=2,
)
