"""The description of Hagakure, apart from its rules."""

from pbem.games.hagakure import facts
from pbem.games.hagakure.facts import CARDS, Keep, Look, Play, Raise, State, Swap, Terms
from pbem.games.hagakure.orders import GUARDS, ORDERS
from pbem.games.hagakure.words import NOBORI_NAMES
from pbem.games.samurai import BOT_NAMES
from pbem.kit.assemble import kinds_in
from pbem.kit.contract import AskKind, Deal, DrawKind, Event, Mark, Meta, Move
from pbem.kit.texts import OptionText
from pbem.kit.words import T, refusals

_MARKS = {"V": Mark("villager", "c4"), "S": Mark("samurai", "c1"), "F": Mark("fool", "c2")}

_REFUSALS = {
    **{
        ("2.2", f"used_{nobori}"): T(
            f"Votre bannière {name.fr} a déjà servi : choisissez-en une autre, ou aucune.",
            f"Your {name.en} banner has been used: choose another, or none.",
        )
        for nobori, name in NOBORI_NAMES.items()
    },
    ("2.3", "other_nobori"): T(
        "Ce qui change le décompte : Double, Zéro ou Villageois. Échange et Regard sont des coups à part.",
        "What changes the score: Double, Zero or Villagers. Swap and Look are moves of their own.",
    ),
    ("2.4", "own_hand"): T(
        "Vous connaissez déjà votre main : regardez le Yomi ou la main de quelqu’un d’autre.",
        "You know your own hand: look at the Yomi or at another player’s hand.",
    ),
    ("2.4", "no_such_seat"): T(
        "Il n’y a personne à cette place : regardez le Yomi ou la main d’un autre joueur.",
        "No one sits there: look at the Yomi or at another player’s hand.",
    ),
    ("3.1", "not_in_hand"): T(
        "{card} n’est pas dans votre main : jouez une de vos cartes.",
        "{card} is not in your hand: play one of your cards.",
    ),
    ("3.3", "must_follow"): T(
        "{led} est demandé : jouez votre samouraï ou Vieux Fou, pas {card}.",
        "{led} was led: play your samurai or Old Fool, not {card}.",
    ),
}


def _deal(seats: int) -> Deal:
    title = T("Rang des cartes reçues (un Vieux Fou : 0)", "Rank of the cards dealt (an Old Fool: 0)")
    return Deal(title, facts.hand_size(seats), facts.deck(seats))


META = Meta(
    slug="hagakure",
    title=T("Hagakure", "Hagakure"),
    blurb=T(
        "Prenez des plis, et sortez vos cinq bannières au bon moment.",
        "Win tricks, and play your five banners at the right time.",
    ),
    seats=(3, 4, 5),
    ease=1,
    minutes=30,
    state=State,
    moves=kinds_in(facts, Move),
    events=kinds_in(facts, Event),
    asks={
        "nobori": AskKind(
            T("À vous : une bannière ?", "Your turn: a banner?"),
            (Keep, Raise, Swap, Look),
            public=True,
            hint=T(
                "Chaque bannière ne sert qu’une fois : gardez-les pour une main très bonne ou très mauvaise.",
                "Each banner works only once: keep them for a very good hand or a very bad one.",
            ),
        ),
        "card": AskKind(
            T("À vous de jouer une carte", "Your turn to play a card"),
            (Play,),
            hint=T(
                "La plus haute carte gagne le pli et un point, mais finir la manche sans aucun pli en coûte deux.",
                "The highest card takes the trick and a point, but ending the round without any trick costs two.",
            ),
        ),
    },
    endings={"points": T("le plus de points", "most points"), "shared": T("victoire partagée", "a shared victory")},
    refusals=refusals(_REFUSALS),
    traits=frozenset({"hidden", "luck"}),
    draws={
        "dealer": DrawKind(T("Qui donne en premier", "Who deals first"), chooses_seat=True),
        "deal": DrawKind(T("Donne", "Deal"), deal=_deal),
    },
    orders=ORDERS,
    guards=GUARDS,
    sittings=(("nobori", "card"),),
    # At most 30 rounds; with five players each has 5 Nobori decisions and 20 cards, with fewer there are less.
    bound=750,
    options=Terms,
    option_texts={
        "rounds": OptionText(
            T("Manches", "Rounds"),
            T(
                "D’habitude 9 à trois joueurs, 8 à quatre, 5 à cinq.",
                "Usually 9 with three players, 8 with four, 5 with five.",
            ),
            {"null": T("Comme d’habitude", "As usual")},
        ),
        "extra_rounds": OptionText(
            T("Manches de plus, au plus", "Extra rounds at most"),
            T(
                "Pour départager les premiers ; après, la victoire est partagée. Moins de 10 est une variante maison.",
                "To break a tie between the leaders; then they share the victory. Less than 10 is a house variant.",
            ),
        ),
    },
    samples=(
        Terms(rounds=1, extra_rounds=0),
        Terms(rounds=1, extra_rounds=1),
        Terms(rounds=3),
        Terms(rounds=7, extra_rounds=2),
    ),
    marks={card: _MARKS[card[0]] for card in CARDS},
    bot_names=BOT_NAMES,
    shapes=("portrait", "landscape", "low", "pad"),
)
