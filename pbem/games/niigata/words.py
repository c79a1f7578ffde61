"""The questions and choices of Niigata, said to the player, and what its sentences are made of."""

from collections.abc import Iterable, Sequence

from pbem.games.niigata.cells import SIDES
from pbem.games.niigata.facts import Claim, Pass, Place, State, Take
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.ponds import join, pond_at, worth
from pbem.games.niigata.rules import takeable
from pbem.games.niigata.tiles import FACES, ROTATIONS, SAME, Animals, shown
from pbem.kit.contract import Ask, Lang, Move, Phrase, Step
from pbem.kit.notation import french

AND = {"fr": " et ", "en": " and "}
SIDE_WORDS = {"fr": ("nord", "est", "sud", "ouest"), "en": ("north", "east", "south", "west")}
DIE = {
    "fr": {"R": "carpe rouge", "W": "carpe blanche", "Y": "carpe jaune"},
    "en": {"R": "red carp", "W": "white carp", "Y": "yellow carp"},
}
_KINDS = {
    "fr": (("rouge", "rouges"), ("blanche", "blanches"), ("jaune", "jaunes"), ("échassier", "échassiers")),
    "en": (("red", "red"), ("white", "white"), ("yellow", "yellow"), ("wader", "waders")),
}
_TURNS = {
    "fr": ("sans la tourner", "tournée d’un quart", "tournée d’un demi-tour", "tournée de trois quarts"),
    "en": ("not turned", "a quarter turned", "half turned", "three quarters turned"),
}
_TURN_STEPS = {
    "fr": ("Sans tourner", "Un quart de tour", "Un demi-tour", "Trois quarts de tour"),
    "en": ("Not turned", "A quarter turn", "A half turn", "Three quarter turns"),
}


# --- pieces of sentences -----------------------------------------------------------------------------------


def joined(items: Iterable[str], last: str) -> str:
    """The items one after the other, `last` before the last one.

    >>> joined(["{N01}", "{N02}", "{N03}"], " and ")
    '{N01}, {N02} and {N03}'
    """
    said = list(items)
    return last.join((", ".join(said[:-1]), said[-1])) if len(said) > 1 else "".join(said)


def tiles(names: Sequence[str], lang: Lang) -> str:
    """The tiles by name."""
    return joined((f"{{{name}}}" for name in names), AND[lang])


def animals_in(animals: Animals, lang: Lang) -> str:
    """The animals in words.

    >>> animals_in((0, 1, 2, 1), "fr"), animals_in((0, 0, 0, 0), "en")
    ('1 blanche, 2 jaunes et 1 échassier', 'no animals')
    """
    kinds = zip(animals, _KINDS[lang], strict=True)
    said = [f"{number} {words[number > 1]}" for number, words in kinds if number]
    return joined(said, AND[lang]) or ("aucun animal" if lang == "fr" else "no animals")


def points(number: int, lang: Lang) -> str:
    """A number of points.

    >>> points(0, "fr"), points(0, "en"), points(4, "fr")
    ('0 point', '0 points', '4 points')
    """
    one = abs(number) <= 1 if lang == "fr" else abs(number) == 1
    return f"{number} point{'' if one else 's'}"


def pond_in(state: State, name: str, lang: Lang) -> str:
    """Where a pond lies.

    >>> from pbem.games.niigata.history import evolve
    >>> from pbem.games.niigata.facts import LaidOut
    >>> pond_in(evolve(None, LaidOut(2, "turns", 0, (), ())), "0.N", "fr")
    '0, côté nord'
    """
    cell, _, side = name.partition(".")
    word = SIDE_WORDS[lang][SIDES.index(side)]
    return f"{cell_in(cell, lang)}, côté {word}" if lang == "fr" else f"{cell_in(cell, lang)}, {word} side"


def pond_worth(state: State, name: str, lang: Lang) -> str:
    """What lives in a pond and what that is worth."""
    animals = state.ponds[name].animals
    return f"{animals_in(animals, lang)} ({points(worth(animals).points, lang)})"


def dice(state: State, lang: Lang) -> str:
    """The dice in words."""
    thrown = DIE[lang][state.colour or "Y"]
    return f"{thrown} et {state.number}" if lang == "fr" else f"{thrown} and {state.number}"


def closed_by(fold: State, tile: str, cell: str, rotation: int) -> list[Animals]:
    """The animals of each pond that the tile would close there; none where the cell is not empty."""
    facing = fold.frontier.get(cell)
    if facing is None:
        return []
    after = join(fold.ponds, facing, cell, FACES[tile][rotation]).ponds
    return sorted((pond.animals for pond in after.values() if not pond.open), reverse=True)


def closes(closed: Sequence[Animals], lang: Lang) -> str:
    """What is closed, in words; "" where nothing is.

    >>> closes([(0, 0, 2, 0)], "fr"), closes([(0, 0, 0, 0), (1, 0, 0, 0)], "en")
    ('ferme un bassin (2 points)', 'closes two ponds (0 points, 3 points)')
    """
    if not closed:
        return ""
    worths = ", ".join(points(worth(animals).points, lang) for animals in closed)
    many = len(closed) - 1
    if lang == "fr":
        return f"ferme {('un bassin', 'deux bassins', 'trois bassins', 'quatre bassins')[many]} ({worths})"
    return f"closes {('a pond', 'two ponds', 'three ponds', 'four ponds')[many]} ({worths})"


def turned(tile: str, rotation: int, lang: Lang) -> str:
    """How a tile lies; "" where all its rotations look the same."""
    return f", {_TURNS[lang][rotation]}" if len(ROTATIONS[tile]) > 1 else ""


# --- questions and choices ---------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """What binds the seat that is asked."""
    fr = lang == "fr"
    said = {"pick": _prompt_pick, "grab": _prompt_grab, "place": _prompt_place, "claim": _prompt_claim}
    text = said[ask.kind](ask.seat, fold, lang)
    return french(text) if fr else text


def _prompt_pick(seat: int, fold: State, lang: Lang) -> str:
    good = [tile for tile in fold.display if tile in takeable(fold)]
    if lang == "fr":
        return f"Les dés disent {dice(fold, lang)}. Prenez {_or(good, lang)}, ou passez jusqu’au prochain tour."
    return f"The dice say {dice(fold, lang)}. Take {_or(good, lang)}, or pass until the next round."


def _prompt_grab(seat: int, fold: State, lang: Lang) -> str:
    second = bool(fold.hands[seat])
    if lang == "fr":
        return (
            f"Les dés disent {dice(fold, lang)}. Prenez {'encore ' * second}une tuile avant les autres, ou "
            "arrêtez-vous. Une tuile qui ne va pas avec les dés coûte un point."
        )
    return (
        f"The dice say {dice(fold, lang)}. Grab {'another' if second else 'a'} tile before the others do, or stop. "
        "A tile that does not go with the dice costs a point."
    )


def _prompt_place(seat: int, fold: State, lang: Lang) -> str:
    hand = _or(fold.hands[seat], lang)
    if lang == "fr":
        return f"Posez {hand} dans une case vide qui touche une tuile, tournée comme vous voulez."
    return f"Lay {hand} into an empty cell that touches a tile, turned as you like."


def _prompt_claim(seat: int, fold: State, lang: Lang) -> str:
    left, free = fold.breeders[seat], len(fold.free)
    if lang == "fr":
        which = "un bassin clos est libre" if free == 1 else f"{free} bassins clos sont libres"
        keep = "Il vous reste un éleveur" if left == 1 else f"Il vous reste {left} éleveurs"
        return f"{keep} et {which} : mettez-y un éleveur, ou gardez-le pour un meilleur bassin."
    which = "one closed pond is free" if free == 1 else f"{free} closed ponds are free"
    keep = "You have one breeder left" if left == 1 else f"You have {left} breeders left"
    return f"{keep} and {which}: put a breeder there, or keep it for a better pond."


def _or(names: Sequence[str], lang: Lang) -> str:
    return joined((f"{{{name}}}" for name in names), " ou " if lang == "fr" else " or ")


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """The whole move in a sentence, and what follows from it for certain."""
    text = _label(move, fold, lang)
    return french(text) if lang == "fr" else text


def _label(move: Move, fold: State, lang: Lang) -> str:
    fr = lang == "fr"
    match move:
        case Take(tile):
            wrong = fold.phase == "pick" and tile not in takeable(fold)
            costs = (" Elle ne va pas avec les dés : un point de moins." if fr else _COSTS) if wrong else ""
            what = animals_in(shown(tile), lang)
            return (f"Vous prenez {{{tile}}} : {what}." if fr else f"You take {{{tile}}}: {what}.") + costs
        case Pass():
            if fold.phase == "claim":
                return "Vous gardez vos éleveurs." if fr else "You keep your breeders."
            return "Vous ne prenez plus de tuile ce tour-ci." if fr else "You take no more tiles this round."
        case Place(tile, cell):
            rotation = SAME[tile][move.rotation]
            done = closes(closed_by(fold, tile, cell, rotation), lang)
            where, how = cell_in(cell, lang), turned(tile, rotation, lang)
            if fr:
                return f"Vous posez {{{tile}}} en {where}{how}." + (f" Elle {done}." if done else "")
            return f"You lay {{{tile}}} at {where}{how}." + (f" It {done}." if done else "")
        case Claim(piece):
            name = pond_at(fold, piece) or piece
            where, what = pond_in(fold, name, lang), pond_worth(fold, name, lang)
            if fr:
                return f"Vous mettez un éleveur sur le bassin en {where} : {what}."
            return f"You put a breeder on the pond at {where}: {what}."
    raise TypeError(f"{move} is no move of Niigata")


_COSTS = " It does not go with the dice: one point less."


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """The steps to a move: tile, cell, rotation."""
    fr = lang == "fr"
    match move:
        case Take(tile):
            what = animals_in(shown(tile), lang)
            if fold.phase == "pick" and tile not in takeable(fold):
                what += " ; coûte un point" if fr else "; costs a point"
            return (_step(f"take-{tile}", f"Prendre {{{tile}}} : {what}" if fr else f"Take {{{tile}}}: {what}", lang),)
        case Pass():
            if fold.phase == "claim":
                return (_step("pass", "Pas d’éleveur" if fr else "No breeder", lang),)
            return (_step("pass", "Ne plus prendre de tuile" if fr else "Take no more tiles", lang),)
        case Place(tile, cell):
            rotation = SAME[tile][move.rotation]
            done = closes(closed_by(fold, tile, cell, rotation), lang)
            turn = _TURN_STEPS[lang][rotation] + (" : " if fr else ": ") * bool(done) + done
            return (
                _step(f"lay-{tile}", f"Poser {{{tile}}}" if fr else f"Lay {{{tile}}}", lang),
                _step(f"at-{cell}", f"{'En' if fr else 'At'} {cell_in(cell, lang)}", lang),
                _step(f"turn-{rotation}", turn, lang),
            )
        case Claim(piece):
            name = pond_at(fold, piece) or piece
            where, what = pond_in(fold, name, lang), pond_worth(fold, name, lang)
            said = f"Éleveur en {where} : {what}" if fr else f"Breeder at {where}: {what}"
            return (_step(f"claim-{name}", said, lang),)
    raise TypeError(f"{move} is no move of Niigata")


def _step(text: str, said: str, lang: Lang) -> Step:
    return Step(text, french(said) if lang == "fr" else said)
