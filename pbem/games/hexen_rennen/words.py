"""The words of Hexen Rennen: on the board, and as parts of sentences, places and ways above all."""

from collections import Counter
from collections.abc import Iterable

from pbem.games.hexen_rennen import facts_race as race
from pbem.kit.contract import Phrase
from pbem.kit.texts import Lang
from pbem.kit.words import T, joined, put_in, say

# --- on the board ------------------------------------------------------------------------------------------

SEEN_BY = T("Course de Hexen Rennen vue par *", "Hexen Rennen race as * sees it")
SEEN_BY_ALL = T("Course de Hexen Rennen", "Hexen Rennen race")
START = T("Départ", "Start")
GOAL_SIGN = T("Arrivée", "Goal")
NOBODY = T("personne", "nobody")
CARDS_LEFT = T("cartes restantes", "cards left")
CARDS = (T("carte", "card"), T("cartes", "cards"))
TILE = (T("tuile", "tile"), T("tuiles", "tiles"))
NEUTRAL = T("neutre", "neutral")
HAS_DIVIDED = T("a réparti", "has divided")
STILL_CHOOSES = T("choisit un clan", "choosing a clan")
STILL_DIVIDES = T("répartit encore", "still dividing")
YOUR_HAND = T("Quelle carte ?", "Which card?")
NO_CARD = T("aucune", "none")
YOUR_CARDS = T("Vos cartes", "Your cards")
YOUR_NUMBERS = T("Vos nombres", "Your numbers")
STAGE = T("Étape {}", "Stage {}")

# What a seat does, beside "You" and beside another name.
CHOOSES = (T("choisissez une sorcière", "choose a witch"), T("choisit une sorcière", "chooses a witch"))
FLIES = (T("votre sorcière vole", "your witch flies"), T("sa sorcière vole", "their witch flies"))
IS_ASKED = (T("jouez-vous une carte ?", "do you play a card?"), T("peut jouer une carte", "may play a card"))
IS_OBLIGED = (T("jouez une carte", "you must play a card"), T("doit jouer une carte", "must play a card"))
HAS_WON = (T("vous avez gagné", "you have won"), T("a gagné", "has won"))

# What is said to the viewer, and what is said about somebody else, whose name replaces the *.
TURN = (T("À vous : quelle sorcière ?", "Your turn: which witch?"), T("* choisit une sorcière", "* chooses a witch"))
FLIGHT = (T("Votre sorcière vole", "Your witch flies"), T("* fait voler une sorcière", "* flies a witch"))
MAY_PLAY = (
    T("Sur votre symbole : à vous de choisir", "On your symbol: you choose"),
    T("* peut jouer une carte", "* may play a card"),
)
MUST_PLAY = (
    T("Sur votre symbole : jouez une carte", "On your symbol: you must play a card"),
    T("* doit jouer une carte", "* must play a card"),
)
WINS = (T("Vous gagnez", "You win"), T("* gagne", "* wins"))
WIN_TOGETHER = T("Victoire partagée", "The victory is shared")
ALL_CHOOSE = T("Chacun choisit son clan", "Everyone chooses a clan")
FREE = T("libre", "free")
YOURS = T("à vous", "yours")
ALL_DIVIDE = T("Chacun répartit ses tuiles", "Everyone divides their tiles")

CLAN_NAMES = (T("lune", "moon"), T("champignon", "mushroom"), T("chat", "cat"), T("chaudron", "cauldron"))


# --- in sentences ------------------------------------------------------------------------------------------


def place_in_words(place: int, lang: Lang) -> str:
    """Returns where a witch stands.

    >>> place_in_words(12, "fr"), place_in_words(0, "en"), place_in_words(50, "fr")
    ('en 12', 'at the start', 'à l’arrivée (case 3)')
    """
    if place > race.COURSE:
        square = race.points_at_place(place)
        return say(lang, f"à l’arrivée (case {square})", f"in the goal (square {square})")
    if place == 0:
        return say(lang, "au départ", "at the start")
    return say(lang, f"en {place}", f"on {place}")


def which_witch(place: int, lang: Lang) -> str:
    """Returns the witch that stands here."""
    if place == 0:
        return say(lang, "celle du départ", "the one at the start")
    return say(lang, f"celle de la tuile {place}", f"the one on tile {place}")


def places_of_witches(three: Iterable[int], lang: Lang) -> str:
    """Returns where the witches of a seat stand, foremost first.

    >>> places_of_witches((0, 0, 12), "en"), places_of_witches((7, 50, 50), "fr")
    ('on 12 and at the start (2)', 'à l’arrivée (case 3) (2) et en 7')
    """
    counted = sorted(Counter(three).items(), reverse=True)
    return joined((place_in_words(place, lang) + (f" ({n})" if n > 1 else "") for place, n in counted), lang)


def target_in_words(place: int, lang: Lang) -> str:
    """Returns where a witch goes.

    >>> target_in_words(12, "fr"), target_in_words(51, "en")
    ('à 12', 'into the goal (square 4)')
    """
    if place > race.COURSE:
        square = race.points_at_place(place)
        return say(lang, f"à l’arrivée (case {square})", f"into the goal (square {square})")
    return say(lang, f"à {place}", f"to {place}")


def place_sign(place: int, lang: Lang) -> str:
    """Returns the place, as short as it can be said.

    >>> place_sign(12, "fr"), place_sign(0, "en"), place_sign(51, "en")
    ('12', 'start', 'goal 4')
    """
    if place > race.COURSE:
        return say(lang, f"arrivée {race.points_at_place(place)}", f"goal {race.points_at_place(place)}")
    return str(place) if place else say(lang, "départ", "start")


def way_in_words(origin: int, target: int, lang: Lang) -> str:
    """Returns the way of a witch, from place to place.

    >>> way_in_words(10, 13, "fr"), way_in_words(0, 4, "en"), way_in_words(48, 49, "fr")
    ('de 10 à 13', 'from the start to 4', 'de 48 à l’arrivée (case 2)')
    """
    if origin == 0:
        return say(lang, "du départ ", "from the start ") + target_in_words(target, lang)
    return say(lang, f"de {origin} ", f"from {origin} ") + target_in_words(target, lang)


def tile_at(fold: race.State, place: int) -> str | None:
    """Returns the tile that lies face up here; None if there is none."""
    return fold.shown[place - 1] if 1 <= place <= race.COURSE else None


def tile_in_brackets(fold: race.State, place: int) -> str:
    """Returns the tile that lies face up here, in brackets, to be added to a sentence; "" if there is none."""
    tile = tile_at(fold, place)
    return f" ({{{tile}}})" if tile else ""


def symbol_of_clan(fold: race.State, clan: int) -> str:
    """Returns the magic symbol of a clan, by its owner, as a placeholder."""
    return put_in(f"{race.letter_of_clan(fold, clan)}{race.SYMBOL}")


def are_clans_out_of_seat_order(fold: race.State) -> bool:
    """Returns whether the clans of the seats are not simply in their order, so that words have to name them."""
    return fold.clans != tuple(range(fold.seats))


def clan_name(clan: int, lang: Lang) -> str:
    """Returns the letter and name of a clan, by its place in CLANS.

    >>> clan_name(2, "en"), clan_name(0, "fr")
    ('C cat', 'A lune')
    """
    return f"{race.CLANS[clan]} {CLAN_NAMES[clan][lang]}"


def why_halted(fold: race.State, lang: Lang) -> str:
    """Returns why the number of her own clan does not carry the witch on, in a sentence to be added to another one.

    "" if it does, or if there is none.
    """
    tile = tile_at(fold, fold.witch or 0)
    if tile is None or fold.witch is None or race.owner_of_tile(fold, tile) != fold.active or not race.VALUE_OF[tile]:
        return ""
    target = fold.witch + race.VALUE_OF[tile]
    if target > (race.GOAL if fold.goal_by_tile else race.COURSE):
        return say(lang, " Ce serait trop loin.", " It leads too far.")
    return (
        say(lang, f" {target} est prise.", f" {target} is occupied.") if target in race.tiles_with_witch(fold) else ""
    )


def mover_and_target(sign: Phrase, target: int | None, fold: race.State, lang: Lang) -> Phrase:
    """Returns a witch or a card, and where it leads; the sign alone where it leads nowhere."""
    if target is None:
        return sign
    if target > race.COURSE:
        return f"{sign} · {place_sign(target, lang)}"
    tile = tile_at(fold, target)
    return f"{sign} · {say(lang, 'en', 'to')} {target}" + (f" · {put_in(tile)}" if tile else "")


def name_of_playing_none(fold: race.State, lang: Lang) -> str:
    """Returns what it is called to play no card: to stay, or to leave another's witch."""
    if fold.asked == fold.active:
        return say(lang, "Ne rien jouer", "Play no card")
    return say(lang, "La laisser", "Leave her there")


def short_stages(stages: Iterable[Iterable[int | None]]) -> str:
    """Returns the numbers of each stage in few letters.

    >>> short_stages(((2, 3, 4), (5, 6, 7), (8, 9, 10)))
    '2, 3, 4 / 5, 6, 7 / 8, 9, 10'
    """
    return " / ".join(", ".join(map(str, numbers)) for numbers in stages)


def stages_in_words(stages: Iterable[Iterable[int | None]], lang: Lang) -> str:
    """Returns the numbers of each stage.

    >>> stages_in_words(((2, 3, 4), (5, 6, 7), (8, 9, 10)), "en")
    'stage 1: 2, 3, 4; stage 2: 5, 6, 7; stage 3: 8, 9, 10'
    """
    listed = [(stage, ", ".join(map(str, numbers))) for stage, numbers in enumerate(stages, 1)]
    fr = " ; ".join(f"étape {stage} : {numbers}" for stage, numbers in listed)
    return say(lang, fr, "; ".join(f"stage {stage}: {numbers}" for stage, numbers in listed))
