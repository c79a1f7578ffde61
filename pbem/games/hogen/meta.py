"""The description of Hogen, apart from its rules."""

from pbem.games.hogen import facts
from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, State
from pbem.games.samurai import BOT_NAMES, CLAN_MARKS, MARKS, NO_SUCH_CARD
from pbem.kit.assemble import kinds_in
from pbem.kit.contract import AskKind, DrawKind, Event, Meta, Move
from pbem.kit.words import T, refusals

_REFUSALS = {
    ("1.1", "no_such_card"): NO_SUCH_CARD,
    ("4.1", "empty_call"): T(
        "Un appel nomme un clan, un rang ou les deux : choisissez-en au moins un.",
        "A call names a clan, a rank or both: choose at least one.",
    ),
    ("4.2", "single_shares"): T(
        "Votre alliée a ce clan ou ce rang : appelez-en un qu’elle n’a pas.",
        "Your ally has this clan or rank: call for one that it does not have.",
    ),
    ("4.3", "double_shares"): T(
        "Appelez une carte qui a le clan ou le rang de votre alliée, pas les deux.",
        "Call for a card that has your ally’s clan or its rank, not both.",
    ),
    ("4.4", "already_failed"): T(
        "Personne n’a répondu à cet appel, rien n’a changé : appelez autre chose.",
        "No one answered that call and nothing has changed: call for another.",
    ),
    ("5.2", "not_in_hand"): T(
        "{card} n’est pas dans votre main : choisissez une carte de votre main.",
        "{card} is not in your hand: choose a card from your hand.",
    ),
    ("5.2", "does_not_fit"): T(
        "{card} ne répond pas à l’appel : posez une carte qui a tout ce qu’il demande.",
        "{card} does not answer the call: lay a card that matches all of it.",
    ),
    ("5.3", "take_another"): T(
        "On ne reprend pas la carte qu’on pose : prenez-en une autre au palais.",
        "You may not take back the card you lay: take another from the palace.",
    ),
    ("5.3", "not_in_palace"): T(
        "{card} n’est pas au palais : prenez une des quatre cartes qui y sont.",
        "{card} is not in the palace: take one of the four cards that are there.",
    ),
    ("6.1", "name_everybody"): T(
        "Nommez l’alliée de chaque autre joueur, une fois chacun, même hors jeu.",
        "Name the ally of every other player once, also of those who are out.",
    ),
    ("6.2", "named_palace"): T(
        "{card} est au palais, ce n’est l’alliée de personne : nommez une autre carte.",
        "{card} is in the palace, so it is no one’s ally: name another card.",
    ),
    ("6.2", "named_own"): T(
        "{card} est à vous, ce n’est l’alliée d’aucun autre : nommez une autre carte.",
        "{card} is yours, so it is no one else’s ally: name another card.",
    ),
    ("6.2", "named_twice"): T(
        "{card} est nommée deux fois : elle n’existe qu’une fois, nommez-en une autre.",
        "{card} is named twice: each card exists only once, name another.",
    ),
}

META = Meta(
    slug="hogen",
    title=T("Hogen", "Hogen"),
    blurb=T(
        "Chacun cache un samouraï : nommez avant tout le monde ceux des autres.",
        "Everybody hides one samurai: name all the others’ before anyone else does.",
    ),
    seats=(3, 4),
    ease=3,
    minutes=20,
    state=State,
    moves=kinds_in(facts, Move),
    events=kinds_in(facts, Event),
    asks={
        "ally": AskKind(
            T("Choisissez votre alliée", "Choose your ally"),
            (ChooseAlly,),
            hint=T(
                "Elle ne répond à aucun appel, et décide de ce que vous pourrez appeler. Pour une première partie, "
                "n’importe quelle carte convient.",
                "It never answers a call, and it decides what you may call for. In a first match any card will do.",
            ),
        ),
        "act": AskKind(
            T("À vous d’appeler", "Your turn to call"),
            (Call, Declare),
            hint=T(
                "Un clan ou un rang ne doit pas être celui de votre alliée ; une carte a l’un des deux, pas les deux. "
                "Ne déclarez qu’à coup sûr.",
                "A clan or a rank must not be your ally’s; a card has one of the two, not both. Declare only when you "
                "are sure.",
            ),
        ),
        "answer": AskKind(
            T("À vous de répondre", "Your turn to answer"),
            (Exchange,),
            hint=T(
                "Touchez la carte que vous posez, puis celle que vous prenez au palais. Tout le monde voit les deux.",
                "Touch the card you lay, then the one you take from the palace. Everybody sees both.",
            ),
        ),
    },
    endings={
        "found": T("toutes les alliées sont trouvées", "all allies were found"),
        "all_wrong": T("tout le monde s’est trompé", "everybody was wrong"),
        "cap": T("cent échanges sans gagnant", "a hundred exchanges without a winner"),
    },
    refusals=refusals(_REFUSALS),
    traits=frozenset({"hidden", "simultaneous", "luck"}),
    has_rounds=False,
    draws={
        "palace": DrawKind(T("Cartes du palais", "Cards of the palace")),
        "deal": DrawKind(T("Donne", "Deal")),
        "first": DrawKind(T("Qui commence", "Who begins"), chooses_seat=True),
    },
    # At most 100 exchanges and 4 declarations, each after at most 7 failed calls and one that is answered (R4).
    bound=1000,
    marks=MARKS | CLAN_MARKS,
    bot_names=BOT_NAMES,
    shapes=("portrait", "landscape", "low", "pad"),
    weights={"Call": 20, "Declare": 1},
    silence=lambda _: T(
        "La règle demande le silence : ne dites ni ce que vous tenez en main ou cachez, ni, après une déclaration "
        "fausse, les alliées que vous avez vues (8.5).",
        "The rules ask for silence: say neither what you hold or hide nor, after a wrong declaration, which allies "
        "you have seen (8.5).",
    ),
    fold=2,
)
