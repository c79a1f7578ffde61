"""The description of Les bassins de Niigata, apart from its rules."""

from pbem.games.niigata import facts
from pbem.games.niigata.facts import Claim, NiigataOptions, Pass, Place, State, Take
from pbem.games.niigata.facts_tiles import PRINTED
from pbem.games.niigata.orders import GUARDS, ORDERS
from pbem.kit.assemble import kinds_in
from pbem.kit.contract import AskKind, DrawKind, Event, Mark, Meta, Move
from pbem.kit.texts import OptionText
from pbem.kit.words import T, refusals


def symbol_of(tile: str) -> str:
    """Returns the name of the symbol that shows a tile without its animals.

    >>> symbol_of("N20")
    'tile-aa--'
    """
    return "tile-" + PRINTED[tile][0].replace(".", "-")


def thumbnail_of(tile: str) -> str:
    """Returns the name of the symbol that shows a tile with its animals.

    >>> thumbnail_of("N20")
    'thumb-N20'
    """
    return f"thumb-{tile}"


_REFUSALS = {
    ("4.1", "gone"): T(
        "{tile} n’est pas ou plus sur la table : prenez-en une autre.", "{tile} is not on display: take another tile."
    ),
    ("4.2", "too_many"): T(
        "{tile} ne va pas avec les dés : plus de {number} animaux.",
        "{tile} does not match the dice: more than {number} animals.",
    ),
    ("4.2", "wrong_carp"): T(
        "{tile} n’a pas de carpe de la couleur du dé.", "{tile} shows no carp of the colour rolled."
    ),
    ("5.1", "not_in_hand"): T(
        "{tile} n’est pas devant vous : posez une tuile que vous avez prise.",
        "{tile} is not in front of you: lay a tile that you have taken.",
    ),
    ("5.2", "occupied"): T(
        "Il y a déjà une tuile en {cell} : choisissez une case vide.",
        "There is a tile at {cell} already: choose an empty cell.",
    ),
    ("5.2", "not_adjacent"): T(
        "La case {cell} ne touche aucune tuile : choisissez une case qui touche une tuile par un côté.",
        "The cell {cell} touches no tile: choose one that shares a side with a tile.",
    ),
    ("5.2", "changed_beside"): T(
        "À côté d’une de ces cases, quelque chose a changé : regardez de nouveau où poser.",
        "Something beside one of these cells has changed: look again where to lay.",
    ),
    ("5.2", "no_such_rotation"): T(
        "Une tuile se tourne de 0, 1, 2 ou 3 fois 90°, pas de {rotation} : choisissez un de ces nombres.",
        "A tile is rotated 0, 1, 2 or 3 times by 90°, not {rotation} times: choose one of these.",
    ),
    ("5.4", "no_pond"): T(
        "Il n’y a pas de bassin en {pond} : nommez une case et un côté où il y a de l’eau.",
        "There is no pond at {pond}: name a cell and a side of it that shows water.",
    ),
    ("5.4", "open_pond"): T(
        "Le bassin en {pond} est encore ouvert : choisissez-en un clos.",
        "The pond at {pond} is still open: choose a closed one.",
    ),
    ("5.4", "taken_pond"): T(
        "Le bassin en {pond} a déjà un éleveur : choisissez-en un libre.",
        "The pond at {pond} has a breeder already: choose a free one.",
    ),
}

META = Meta(
    slug="niigata",
    title=T("Les bassins de Niigata", "The Ponds of Niigata"),
    blurb=T(
        "Fermez des bassins pleins de carpes, et placez vos éleveurs sur les meilleurs.",
        "Close ponds full of carp, and place your few breeders on the best.",
    ),
    seats=(2, 3, 4, 5, 6),
    minutes=40,
    state=State,
    moves=kinds_in(facts, Move),
    events=kinds_in(facts, Event),
    asks={
        "pick": AskKind(
            T("Prenez une tuile", "Your turn to take a tile"),
            (Take, Pass),
            public=True,
            hint=T(
                "Prenez une tuile qui va avec les dés. Vous la poserez quand chacun aura choisi.",
                "Take a tile that matches the dice. You lay it once everyone has chosen.",
            ),
        ),
        "grab": AskKind(
            T("Prenez une tuile, vite", "Grab a tile"),
            (Take, Pass),
            race=True,
            hint=T(
                "Premier arrivé, premier servi. Une tuile qui ne va pas avec les dés coûte un point.",
                "First come, first served. A tile that does not match the dice costs a point.",
            ),
        ),
        "place": AskKind(
            T("Posez une tuile", "Your turn to lay a tile"),
            (Place,),
            public=True,
            hint=T(
                "Choisissez une case vide, puis comment tourner la tuile. Un bassin est clos quand son eau ne "
                "donne plus sur une case vide.",
                "Choose an empty cell, then how to rotate the tile. A pond is closed once its water faces no "
                "empty cell.",
            ),
        ),
        "claim": AskKind(
            T("Placer un éleveur ?", "Place a breeder?"),
            (Claim, Pass),
            public=True,
            hint=T(
                "Un éleveur reste là jusqu’à la fin et vous en avez peu : attendez un bassin qui rapporte.",
                "A breeder stays there to the end, and you have few: wait for a pond that scores well.",
            ),
        ),
    },
    endings={
        "breeders": T("tous les éleveurs sont placés", "all breeders are placed"),
        "stock": T("la pioche est épuisée", "the stock is used up"),
    },
    refusals=refusals(_REFUSALS),
    traits=frozenset({"hidden", "simultaneous", "luck"}),
    draws={
        "stock": DrawKind(T("Ordre de la pioche", "Order of the stock")),
        "first": DrawKind(T("Qui lance les dés en premier", "Who rolls the dice first"), chooses_seat=True),
        "colour": DrawKind(T("Dé des couleurs", "Colour die")),
        "number": DrawKind(T("Dé chiffré", "Number die")),
    },
    orders=ORDERS,
    guards=GUARDS,
    sittings=(("pick", "place"), ("place", "claim"), ("claim", "place")),
    # At most 78 tiles are shown, and 90 picks made of them, passes included; each tile is laid and claimed on once.
    bound=260,
    bot_version=2,
    options=NiigataOptions,
    option_texts={
        "picking": OptionText(
            T("Prendre les tuiles", "Taking tiles"),
            T(
                "À tour de rôle, ou tous à la fois : premier arrivé, premier servi.",
                "In turn, or all at once: first come, first served.",
            ),
            {
                "turns": T("À tour de rôle", "In turn"),
                "grab": T("Premier arrivé, premier servi", "First come, first served"),
            },
        )
    },
    samples=(NiigataOptions(picking="grab"),),
    marks={tile: Mark(thumbnail_of(tile), "c6") for tile in PRINTED},
    bot_names=("Aoi", "Chiyo", "Fumi", "Hana", "Kenta", "Mio", "Nao", "Ren", "Sora", "Taro", "Umi", "Yuna"),
    shapes=("portrait", "landscape", "low", "pad"),
    on_board=frozenset({"at"}),
    weights={"Take": 6, "Claim": 3},
)
