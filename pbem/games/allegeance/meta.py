"""The description of Allégeance, apart from its rules."""

from pbem.games.allegeance import facts
from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass, State, Table
from pbem.games.allegeance.orders import GUARDS, ORDERS
from pbem.games.samurai import BOT_NAMES, MARKS, NO_SUCH_CARD
from pbem.kit.assemble import kinds_in
from pbem.kit.contract import AskKind, DrawKind, Event, Meta, Move
from pbem.kit.texts import OptionText
from pbem.kit.words import T, refusals

_REFUSALS = {
    ("1.1", "no_such_card"): NO_SUCH_CARD,
    ("3.2", "banned"): T(
        "{card} vient d’être annoncée : annoncez une autre carte.",
        "{card} has just been announced: announce another card.",
    ),
    ("4.1", "give_self"): T(
        "On ne se donne pas la carte à soi-même : choisissez un autre joueur.",
        "You cannot give the card to yourself: choose another player.",
    ),
    ("4.1", "no_such_seat"): T(
        "Il n’y a personne à cette place : choisissez un autre joueur.", "No one sits there: choose another player."
    ),
    ("8.3", "next_only"): T(
        "Avec la mémoire fermée, on ne prévoit que sa prochaine annonce : une liste qui se viderait toute seule "
        "retiendrait les cartes à votre place. Donnez votre consigne pour une seule question.",
        "With closed memory you can only order your next announcement: a list that shortens by itself would remember "
        "the cards for you. Give the order for one question.",
    ),
}

META = Meta(
    slug="allegeance",
    title=T("Hogen : Allégeance", "Hogen: Allégeance"),
    blurb=T(
        "Retenez qui est sorti, annoncez qui sort, et prenez le moins de cartes.",
        "Remember who came out, announce who comes next, and take the fewest cards.",
    ),
    seats=(2, 3, 4),
    ease=1,
    minutes=10,
    state=State,
    moves=kinds_in(facts, Move),
    events=kinds_in(facts, Event),
    asks={
        "announce": AskKind(
            T("À vous d’annoncer", "Your turn to announce"),
            (Announce,),
            hint=T(
                "Devinez la carte du dessus de la Porte. Mieux vaut en nommer une que vous n’avez pas encore "
                "vue sortir.",
                "Guess the top card of the Door. It is best to name one that you have not seen come out yet.",
            ),
        ),
        "give": AskKind(
            T("À vous de donner la carte", "Your turn: give it away"),
            (Give,),
            hint=T(
                "Choisissez qui prend la carte : le joueur qui en a le moins gagne la manche.",
                "Choose who gets the card: the player with the fewest cards wins the round.",
            ),
        ),
        "answer": AskKind(
            T("À vous : contester ?", "Your turn: challenge?"),
            (Challenge, LetPass),
            window=True,
            always=(Challenge(), LetPass()),
            hint=T(
                "Contestez si la carte annoncée est déjà sortie, au Palais ou dans une main : l’autre joueur la prend "
                "avec la carte révélée. Si vous avez tort, c’est vous qui prenez la carte révélée.",
                "Challenge if the announced card is already out, in the Palace or in a hand: the announcer takes it "
                "and the revealed card. If you are wrong, you take the revealed card.",
            ),
        ),
    },
    endings={
        "won": T("un joueur a réuni les jetons nécessaires", "one player has the tokens needed to win"),
        "shared": T("victoire partagée", "shared victory"),
    },
    refusals=refusals(_REFUSALS),
    traits=frozenset({"hidden", "simultaneous", "luck"}),
    draws={
        "first": DrawKind(T("Qui commence", "Who begins"), chooses_seat=True),
        "door": DrawKind(T("Ordre de la Porte", "Order of the Door")),
    },
    orders=ORDERS,
    guards=GUARDS,
    sittings=(("announce", "give"), ("answer", "announce")),
    # At most 4 x (5 - 1) + 1 rounds of 16 turns, each with an announcement and three answers.
    bound=1088,
    options=Table,
    option_texts={
        "target": OptionText(
            T("Jetons pour gagner", "Tokens to win"),
            T(
                "La règle dit 5 à deux joueurs, 4 à trois, 3 à quatre. Un autre nombre est une variante maison ; avec "
                "moins, la partie est plus courte.",
                "By the rules 5 with two players, 4 with three, 3 with four. Another number is a house variant; fewer "
                "make a shorter match.",
            ),
            {"null": T("Comme dans la règle", "As in the rules")},
        ),
        "memory": OptionText(
            T("Mémoire", "Memory"),
            T(
                "Les cartes vues puis recouvertes : à retenir de mémoire, ou toujours visibles. En plusieurs jours, on "
                "oublie vite.",
                "Whether cards that were shown and then covered can be read again. Over several days they are quickly "
                "forgotten.",
            ),
            {
                "closed": T("Fermée : chacun retient ce qu’il peut", "Closed: everybody remembers what they can"),
                "open": T(
                    "Ouverte, une variante maison : tout peut être relu",
                    "Open, a house variant: everything can be read again",
                ),
            },
        ),
    },
    samples=(Table(target=1), Table(target=2, memory="open"), Table(target=5)),
    marks=MARKS,
    bot_names=BOT_NAMES,
    shapes=("portrait", "landscape", "low", "pad"),
    weights={"Challenge": 1, "LetPass": 2},
    hides_in_windows=lambda options: options.memory == "closed",
    silence=lambda options: (
        None
        if options.memory == "open"
        else T(
            "La règle demande le silence : regardez la carte qu’on vous donne, mais ne la montrez pas et ne dites pas "
            "laquelle c’est (8.6).",
            "The rules ask for silence: look at a card that you are given, but do not show it or say which one it is "
            "(8.6).",
        )
    ),
    bot_version=2,
)
