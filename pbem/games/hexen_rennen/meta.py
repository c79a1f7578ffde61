"""The description of Hexen Rennen, apart from its rules."""

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, FACES, STAGES, TILES, Divide, Fly, HexenOptions, Leave, Play, State
from pbem.games.hexen_rennen.orders import GUARDS, ORDERS
from pbem.kit.assemble import kinds_in
from pbem.kit.contract import AskKind, DrawKind, Event, Mark, Meta, Move
from pbem.kit.texts import OptionText
from pbem.kit.words import T, refusals

COLOURS = ("c1", "c2", "c3", "c5")
"""The colours of the clans."""

_REFUSALS = {
    ("2.2", "three_each"): T(
        "Trois nombres par étape : à l’étape {stage}, vous en avez mis {count}.",
        "Three numbers into each stage: you have put {count} into stage {stage}.",
    ),
    ("2.2", "number_twice"): T(
        "Vous n’avez qu’une tuile {number} : mettez-la dans une seule étape.",
        "You have only one tile {number}: put it into one stage only.",
    ),
    ("2.2", "other_numbers"): T(
        "Vos nombres vont de 2 à 10 : mettez-en trois dans chacune des trois étapes.",
        "Your numbers go from 2 to 10: put three of them into each of three stages.",
    ),
    ("3.2", "no_witch"): T(
        "Aucune de vos sorcières n’est en {place} : choisissez-en une autre.",
        "None of your witches is on {place}: choose another one.",
    ),
    ("6.3", "in_goal"): T(
        "Elle est arrivée et ne bouge plus : choisissez-en une autre.",
        "She has reached the goal and no longer moves: choose another one.",
    ),
    ("6.2", "too_far"): T(
        "Ce serait au-delà de la case 4 de l’arrivée : choisissez autre chose.",
        "That would go past square 4 of the goal: choose something else.",
    ),
    ("3.4", "occupied"): T(
        "La tuile {place} est occupée : choisissez autre chose.", "Tile {place} is occupied: choose something else."
    ),
    ("5.2", "not_in_hand"): T(
        "Vous n’avez plus de carte {card} : jouez une carte de votre main.",
        "You have no card {card} left: play a card from your hand.",
    ),
    ("5.3", "no_symbol_ahead"): T(
        "Aucune tuile libre à votre symbole devant elle : jouez autre chose.",
        "No free tile ahead of her shows your symbol: play something else.",
    ),
    ("5.4", "no_symbol_behind"): T(
        "Aucune tuile libre à votre symbole derrière elle : jouez autre chose.",
        "No free tile behind her shows your symbol: play something else.",
    ),
    ("5.4", "before_the_first"): T(
        "Aucune sorcière ne recule au-delà de la tuile 1 : jouez autre chose.",
        "No witch goes back past tile 1: play something else.",
    ),
    ("5.6", "obliged"): T(
        "Une carte nombre l’a fait reculer ici : vous devez jouer une carte.",
        "A number card sent her back here: you must play a card.",
    ),
}

META = Meta(
    slug="hexen-rennen",
    title=T("Hexen Rennen", "Hexen Rennen"),
    blurb=T(
        "Menez vos trois sorcières au but, et faites reculer celles des autres.",
        "Race your three witches home, and send the others’ back.",
    ),
    seats=(2, 3, 4),
    minutes=45,
    state=State,
    moves=kinds_in(facts, Move),
    events=kinds_in(facts, Event),
    asks={
        "divide": AskKind(
            T("Répartissez vos tuiles", "Divide your tiles"),
            (Divide,),
            any_order=True,
            hint=T(
                "Un symbole s’ajoute à chaque étape, puis on la mélange. Répartir grands et petits nombres est un bon "
                "début.",
                "A symbol is added to each stage, which is then shuffled. Spreading high and low numbers is a good "
                "start.",
            ),
        ),
        "fly": AskKind(
            T("À vous : quelle sorcière ?", "Your turn: which witch?"),
            (Fly,),
            public=True,
            hint=T(
                "Touchez la sorcière qui vole. Une tuile cachée peut la porter plus loin, ou permettre à un "
                "autre de la faire reculer.",
                "Touch the witch that flies. A hidden tile may carry her forward, or let another player send her back.",
            ),
        ),
        "own": AskKind(
            T("Jouez-vous une carte ?", "Do you play a card?"),
            (Play, Leave),
            public=True,
            hint=T(
                "Une carte fait avancer votre sorcière, puis elle est dépensée : vous n’en piochez jamais d’autre.",
                "A card moves your witch forward and is then spent: you never draw another.",
            ),
        ),
        "foreign": AskKind(
            T("Renvoyer la sorcière ?", "Send the witch back?"),
            (Play, Leave),
            window=True,
            public=True,
            hint=T(
                "Une carte fait reculer cette sorcière. Gardez-en pour celles qui sont près de l’arrivée.",
                "A card sends this witch back. Keep some for those that are close to the goal.",
            ),
        ),
    },
    endings={
        "arrived": T("les trois sorcières d’un clan sont arrivées", "the three witches of a clan have arrived"),
        "shared": T(
            "trois sorcières sont arrivées, victoire partagée aux points",
            "three witches have arrived, and the victory is shared on points",
        ),
    },
    refusals=refusals(_REFUSALS),
    traits=frozenset({"hidden", "simultaneous", "luck"}),
    has_rounds=False,
    draws={
        "pile": DrawKind(T("Pioche d’un clan neutre", "Pile of a neutral clan")),
        "division": DrawKind(T("Tuiles d’un clan neutre par étape", "Tiles of a neutral clan by stage")),
        "stage": DrawKind(T("Ordre des tuiles d’une étape", "Order of the tiles of a stage")),
        "first": DrawKind(T("Qui commence", "Who begins"), chooses_seat=True),
        "die": DrawKind(T("Dé", "Die"), FACES),
    },
    orders=ORDERS,
    guards=GUARDS,
    sittings=(("fly", "own"),),
    # Every flight goes forward by at least one; twelve witches have 51 steps each, and 36 cards of seats and 12 of
    # neutral clans give back at most 780. Each turn has at most one answer besides the cards. Real ones end near 250.
    bound=3000,
    options=HexenOptions,
    option_texts={
        "goal_by_tile": OptionText(
            T("Arriver par une tuile", "Reaching the goal by a tile"),
            T(
                "Si une tuile de son propre clan peut porter une sorcière jusque dans l’arrivée.",
                "Whether a tile of her own clan may carry a witch into the goal.",
            ),
            {"false": T("Pas permis", "Not allowed"), "true": T("Permis", "Allowed")},
        )
    },
    samples=(HexenOptions(goal_by_tile=True),),
    shapes=("portrait", "landscape", "low", "pad"),
    on_board=frozenset(map(str, range(1, STAGES + 1))),  # the fields of a division, by stage
    marks={tile: Mark(f"hx-{tile[0].lower()}", COLOURS[CLANS.index(tile[0])]) for tile in TILES},
    seat_marks=tuple(Mark(f"hx-{clan.lower()}", colour) for clan, colour in zip(CLANS, COLOURS, strict=True)),
    bot_names=("Alrun", "Berta", "Hulda", "Ilsa", "Kuni", "Lioba", "Odila", "Runa", "Tilda", "Trude", "Walda", "Zita"),
)
