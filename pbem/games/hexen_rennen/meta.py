"""The description of Hexen Rennen, apart from its rules."""

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, FACES, TILES, Divide, Fly, HexenOptions, Leave, Play, State
from pbem.games.hexen_rennen.orders import GUARDS, ORDERS
from pbem.kit.assemble import kinds_in
from pbem.kit.contract import AskKind, DrawKind, Event, Mark, Meta, Move
from pbem.kit.texts import OptionText
from pbem.kit.words import T, refusals

COLOURS = ("c1", "c2", "c3", "c5")
"""The colours of the clans."""

_REFUSALS = {
    ("2.2", "three_each"): T(
        "Chaque étape reçoit trois de vos nombres : à l’étape {stage}, vous en avez mis {count}.",
        "Each stage gets three of your numbers: you have put {count} into stage {stage}.",
    ),
    ("2.2", "number_twice"): T(
        "Vous n’avez qu’une tuile {number} : mettez chaque nombre de 2 à 10 dans une seule étape.",
        "You have only one tile {number}: put each number from 2 to 10 into one stage only.",
    ),
    ("2.2", "other_numbers"): T(
        "Vos nombres vont de 2 à 10 et il y a trois étapes : mettez trois de ces nombres dans chacune.",
        "Your numbers go from 2 to 10 and there are three stages: put three of these numbers into each.",
    ),
    ("3.2", "no_witch"): T(
        "Aucune de vos sorcières n’est en {place} : choisissez l’endroit où se trouve l’une d’elles.",
        "None of your witches is at {place}: choose the place where one of them stands.",
    ),
    ("6.3", "in_goal"): T(
        "Cette sorcière est arrivée, elle ne bouge plus : déplacez-en une autre.",
        "This witch has reached the goal and no longer moves: move another.",
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
        "Devant la sorcière, aucune tuile libre ne montre votre symbole : jouez autre chose.",
        "Ahead of the witch no free tile shows your symbol: play something else.",
    ),
    ("5.4", "no_symbol_behind"): T(
        "Derrière la sorcière, aucune tuile libre ne montre votre symbole : jouez autre chose.",
        "Behind the witch no free tile shows your symbol: play something else.",
    ),
    ("5.4", "before_the_first"): T(
        "Elle reculerait au-delà de la première tuile, et aucune sorcière ne retourne au départ : jouez autre chose.",
        "That would take her back past the first tile, and no witch returns to the start: play something else.",
    ),
    ("5.6", "obliged"): T(
        "Une carte nombre a fait reculer la sorcière sur votre symbole : vous devez jouer une carte.",
        "A number card moved the witch back onto your symbol: you must play a card.",
    ),
}

META = Meta(
    slug="hexen-rennen",
    title=T("Hexen Rennen", "Hexen Rennen"),
    blurb=T(
        "Trois sorcières par clan, quarante-huit tuiles cachées, un dé. Vos nombres vous portent, "
        "vos symboles arrêtent les autres : une carte, et les voilà qui reculent.",
        "Three witches per clan, forty-eight hidden tiles, one die. Your numbers carry you forward, "
        "your symbols stop the others: one card, and back they go.",
    ),
    seats=(2, 3, 4),
    minutes=45,
    state=State,
    moves=kinds_in(facts, Move),
    events=kinds_in(facts, Event),
    asks={
        "divide": AskKind(
            T("À vous de répartir vos tuiles", "Your turn to divide your tiles"),
            (Divide,),
            any_order=True,
            hint=T(
                "Vos nombres porteront vos propres sorcières. Répartir grands et petits entre les trois étapes "
                "est un bon début.",
                "Your numbers will carry your own witches. Spreading high and low ones over the three stages is "
                "a good start.",
            ),
        ),
        "fly": AskKind(
            T("À vous de choisir une sorcière", "Your turn to choose a witch"),
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
            T("Une sorcière est sur votre symbole", "A witch stands on your symbol"),
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
    marks={tile: Mark(f"hx-{tile[0].lower()}", COLOURS[CLANS.index(tile[0])]) for tile in TILES},
    seat_marks=tuple(Mark(f"hx-{clan.lower()}", colour) for clan, colour in zip(CLANS, COLOURS, strict=True)),
    bot_names=("Alrun", "Berta", "Hulda", "Ilsa", "Kuni", "Lioba", "Odila", "Runa", "Tilda", "Trude", "Walda", "Zita"),
)
